#define _GNU_SOURCE
#include "store.h"

#include <fcntl.h>
#include <linux/futex.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { LOG_PART_SIZE = 1900, BELL_SIZE = 4096 };

void baseline_check(int code) {
  if (code == MDB_SUCCESS) return;
  fprintf(stderr, "plain LMDB failed: %s\n", mdb_strerror(code));
  exit(1);
}

static uint32_t *map_bell(const char *directory) {
  char path[4096];
  snprintf(path, sizeof path, "%s/bell", directory);
  int descriptor = open(path, O_RDWR | O_CREAT, 0644);
  if (descriptor < 0 || ftruncate(descriptor, BELL_SIZE) != 0) abort();
  void *page = mmap(NULL, BELL_SIZE, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0);
  if (page == MAP_FAILED) abort();
  close(descriptor);
  return page;
}

static uint64_t newest_version(baseline_lmdb *store) {
  MDB_txn *transaction = baseline_lmdb_begin(store);
  MDB_cursor *cursor;
  MDB_val key, value;
  baseline_check(mdb_cursor_open(transaction, store->log, &cursor));
  uint64_t version = 0;
  if (mdb_cursor_get(cursor, &key, &value, MDB_LAST) == MDB_SUCCESS) version = be64toh(baseline_load(key.mv_data));
  mdb_cursor_close(cursor);
  baseline_lmdb_end(store);
  return version;
}

baseline_lmdb *baseline_lmdb_open(const char *directory, baseline_durability durability, bool isIndexed) {
  baseline_lmdb *store = calloc(1, sizeof *store);
  if (store == NULL) abort();
  unsigned flags = MDB_NOTLS;
  if (durability == baseline_relaxed) flags |= MDB_NOMETASYNC;
  if (durability == baseline_unsafe) flags |= MDB_NOSYNC;
  baseline_check(mdb_env_create(&store->environment));
  baseline_check(mdb_env_set_mapsize(store->environment, (size_t)64 << 30));
  baseline_check(mdb_env_set_maxdbs(store->environment, 8));
  baseline_check(mdb_env_open(store->environment, directory, flags, 0644));
  MDB_txn *transaction;
  baseline_check(mdb_txn_begin(store->environment, NULL, 0, &transaction));
  baseline_check(mdb_dbi_open(transaction, "t1", MDB_CREATE, &store->records));
  baseline_check(mdb_dbi_open(transaction, "i1", MDB_CREATE, &store->keys));
  baseline_check(mdb_dbi_open(transaction, "log", MDB_CREATE, &store->log));
  store->isIndexed = isIndexed;
  if (isIndexed) {
    baseline_check(mdb_dbi_open(transaction, "i2", MDB_CREATE, &store->ratings));
    baseline_check(mdb_dbi_open(transaction, "i3", MDB_CREATE, &store->dates));
  }
  baseline_check(mdb_txn_commit(transaction));
  baseline_check(mdb_txn_begin(store->environment, NULL, MDB_RDONLY, &store->reader));
  mdb_txn_reset(store->reader);
  store->bell = map_bell(directory);
  store->version = newest_version(store);
  return store;
}

void baseline_lmdb_close(baseline_lmdb *store) {
  munmap(store->bell, BELL_SIZE);
  mdb_txn_abort(store->reader);
  mdb_env_close(store->environment);
  free(store);
}

baseline_lmdb *baseline_lmdb_share(const baseline_lmdb *store) {
  baseline_lmdb *shared = malloc(sizeof *shared);
  if (shared == NULL) abort();
  *shared = *store;
  baseline_check(mdb_txn_begin(store->environment, NULL, MDB_RDONLY, &shared->reader));
  mdb_txn_reset(shared->reader);
  return shared;
}

void baseline_lmdb_unshare(baseline_lmdb *shared) {
  mdb_txn_abort(shared->reader);
  free(shared);
}

MDB_txn *baseline_lmdb_begin(baseline_lmdb *store) {
  baseline_check(mdb_txn_renew(store->reader));
  return store->reader;
}

void baseline_lmdb_end(baseline_lmdb *store) { mdb_txn_reset(store->reader); }

const uint8_t *baseline_lmdb_record(baseline_lmdb *store, MDB_txn *transaction, uint64_t row) {
  uint64_t big = htobe64(row);
  MDB_val key = {sizeof big, &big}, value;
  baseline_check(mdb_get(transaction, store->records, &key, &value));
  return value.mv_data;
}

static void store_slot(uint8_t *record, int slot, uint64_t value) { memcpy(record + 24 + 8 * slot, &value, sizeof value); }

static void encode(const struct baseline_note *note, uint64_t version, uint8_t *record) {
  memset(record, 0, RECORD_IDENTIFIER);
  record[0] = 1;
  memcpy(record + 8, &version, sizeof version);
  uint64_t edited;
  memcpy(&edited, &note->edited, sizeof edited);
  store_slot(record, 0, RECORD_IDENTIFIER | (uint64_t)IDENTIFIER_SIZE << 32);
  store_slot(record, 1, RECORD_TITLE | (uint64_t)TITLE_SIZE << 32);
  store_slot(record, 2, RECORD_CONTENT | (uint64_t)CONTENT_SIZE << 32);
  store_slot(record, 3, (uint64_t)note->rating);
  store_slot(record, 4, edited);
  store_slot(record, 5, note->pinned);
  memcpy(record + RECORD_IDENTIFIER, note->identifier, IDENTIFIER_SIZE);
  memcpy(record + RECORD_TITLE, note->title, TITLE_SIZE);
  memcpy(record + RECORD_CONTENT, note->content, CONTENT_SIZE);
}

// An entry of as many bytes as the library's: those of its head, and one or two for each row.
void baseline_lmdb_log(baseline_lmdb *store, MDB_txn *transaction, uint64_t row, size_t size) {
  uint8_t entry[LOG_PART_SIZE] = {0};
  memcpy(entry, &row, sizeof row);
  store->version++;
  for (uint16_t part = 0; size > 0; part++) {
    uint8_t key[10];
    uint64_t version = htobe64(store->version);
    uint16_t number = htobe16(part);
    memcpy(key, &version, sizeof version);
    memcpy(key + 8, &number, sizeof number);
    size_t length = size < LOG_PART_SIZE ? size : LOG_PART_SIZE;
    MDB_val place = {sizeof key, key}, value = {length, entry};
    baseline_check(mdb_put(transaction, store->log, &place, &value, MDB_APPEND));
    size -= length;
  }
}

uint64_t baseline_lmdb_commit(baseline_lmdb *store, MDB_txn *transaction) {
  uint64_t began = baseline_now();
  baseline_check(mdb_txn_commit(transaction));
  __atomic_fetch_add(store->bell, 1, __ATOMIC_SEQ_CST);
  syscall(SYS_futex, store->bell, FUTEX_WAKE, INT32_MAX, NULL, NULL, 0);
  return began;
}

void baseline_lmdb_key_entry(const char *identifier, uint64_t row, uint8_t *entry) {
  uint64_t big = htobe64(row);
  memcpy(entry, identifier, IDENTIFIER_SIZE);
  entry[IDENTIFIER_SIZE] = 0;
  entry[IDENTIFIER_SIZE + 1] = 1;
  memcpy(entry + IDENTIFIER_SIZE + 2, &big, sizeof big);
}

void baseline_lmdb_insert(baseline_lmdb *store, const baseline_notes *notes, size_t count) {
  MDB_txn *transaction;
  baseline_check(mdb_txn_begin(store->environment, NULL, 0, &transaction));
  for (size_t index = 0; index < count; index++) {
    const struct baseline_note *note = &notes->all[index];
    uint8_t record[RECORD_SIZE], entry[KEY_ENTRY_SIZE];
    uint64_t row = htobe64(index + 1);
    encode(note, store->version + 1, record);
    MDB_val key = {sizeof row, &row}, value = {sizeof record, record};
    baseline_check(mdb_put(transaction, store->records, &key, &value, MDB_APPEND));
    baseline_lmdb_key_entry(note->identifier, index + 1, entry);
    MDB_val place = {sizeof entry, entry}, nothing = {0, NULL};
    baseline_check(mdb_put(transaction, store->keys, &place, &nothing, 0));
    if (store->isIndexed) baseline_lmdb_index(store, transaction, record, index + 1, true);
  }
  baseline_lmdb_log(store, transaction, 0, 28 + count);
  baseline_check(mdb_txn_commit(transaction));
}

static uint64_t change(baseline_lmdb *store, uint64_t row, int offset, const void *bytes, size_t size) {
  MDB_txn *transaction;
  baseline_check(mdb_txn_begin(store->environment, NULL, 0, &transaction));
  uint8_t record[RECORD_SIZE];
  memcpy(record, baseline_lmdb_record(store, transaction, row), sizeof record);
  memcpy(record + offset, bytes, size);
  uint64_t big = htobe64(row);
  MDB_val key = {sizeof big, &big}, value = {sizeof record, record};
  baseline_check(mdb_put(transaction, store->records, &key, &value, 0));
  baseline_lmdb_log(store, transaction, row, 32);
  return baseline_lmdb_commit(store, transaction);
}

uint64_t baseline_lmdb_change_title(baseline_lmdb *store, uint64_t row, const char *title) {
  return change(store, row, RECORD_TITLE, title, TITLE_SIZE);
}

uint64_t baseline_lmdb_change_date(baseline_lmdb *store, uint64_t row, double edited) {
  return change(store, row, RECORD_EDITED, &edited, sizeof edited);
}
