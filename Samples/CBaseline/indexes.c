#define _GNU_SOURCE
#include <stdlib.h>
#include <string.h>

#include "store.h"

// Two indexes with the library's keys: the value as eight bytes that compare as it does, then the
// row, and no value.
struct index_key {
  uint64_t value, row;
};

static uint64_t rating_bits(int64_t rating) { return htobe64((uint64_t)rating ^ UINT64_C(1) << 63); }

static uint64_t date_bits(double date) {
  uint64_t bits;
  memcpy(&bits, &date, sizeof bits);
  return htobe64(bits >> 63 ? ~bits : bits ^ UINT64_C(1) << 63);
}

static void set(MDB_txn *transaction, MDB_dbi index, uint64_t value, uint64_t row, bool isAdded) {
  struct index_key entry = {value, htobe64(row)};
  MDB_val key = {sizeof entry, &entry}, nothing = {0, NULL};
  baseline_check(isAdded ? mdb_put(transaction, index, &key, &nothing, 0) : mdb_del(transaction, index, &key, NULL));
}

void baseline_lmdb_index(baseline_lmdb *store, MDB_txn *transaction, const uint8_t *record, uint64_t row, bool isAdded) {
  set(transaction, store->ratings, rating_bits((int64_t)baseline_load(record + RECORD_RATING)), row, isAdded);
  set(transaction, store->dates, date_bits(baseline_load_date(record + RECORD_EDITED)), row, isAdded);
}

void baseline_lmdb_edit(baseline_lmdb *store, uint64_t row, const char *title, int64_t rating, double edited) {
  MDB_txn *transaction;
  baseline_check(mdb_txn_begin(store->environment, NULL, 0, &transaction));
  uint8_t record[RECORD_SIZE];
  memcpy(record, baseline_lmdb_record(store, transaction, row), sizeof record);
  baseline_lmdb_index(store, transaction, record, row, false);
  memcpy(record + RECORD_TITLE, title, TITLE_SIZE);
  memcpy(record + RECORD_RATING, &rating, sizeof rating);
  memcpy(record + RECORD_EDITED, &edited, sizeof edited);
  baseline_lmdb_index(store, transaction, record, row, true);
  uint64_t big = htobe64(row);
  MDB_val key = {sizeof big, &big}, value = {sizeof record, record};
  baseline_check(mdb_put(transaction, store->records, &key, &value, 0));
  baseline_lmdb_log(store, transaction, row, 48);
  baseline_lmdb_commit(store, transaction);
}

void baseline_lmdb_delete(baseline_lmdb *store, const uint64_t *rows, size_t count) {
  MDB_txn *transaction;
  baseline_check(mdb_txn_begin(store->environment, NULL, 0, &transaction));
  for (size_t index = 0; index < count; index++) {
    uint8_t entry[KEY_ENTRY_SIZE];
    const uint8_t *record = baseline_lmdb_record(store, transaction, rows[index]);
    baseline_lmdb_key_entry((const char *)record + RECORD_IDENTIFIER, rows[index], entry);
    // Each deletion may move the record: what is needed of it is read before.
    uint8_t copy[RECORD_SIZE];
    memcpy(copy, record, sizeof copy);
    MDB_val place = {sizeof entry, entry};
    baseline_check(mdb_del(transaction, store->keys, &place, NULL));
    baseline_lmdb_index(store, transaction, copy, rows[index], false);
    uint64_t big = htobe64(rows[index]);
    MDB_val key = {sizeof big, &big};
    baseline_check(mdb_del(transaction, store->records, &key, NULL));
  }
  baseline_lmdb_log(store, transaction, 0, 28 + count);
  baseline_lmdb_commit(store, transaction);
}

// Runs the statements for each entry of an index from `start` on; `entry` is bound in them.
#define FOR_EACH_ENTRY(store, index, start, step, ...)                                   \
  do {                                                                                   \
    MDB_txn *transaction = baseline_lmdb_begin(store);                                   \
    MDB_cursor *cursor;                                                                  \
    struct index_key first = {start, 0};                                                 \
    MDB_val key = {sizeof first, &first}, value;                                         \
    baseline_check(mdb_cursor_open(transaction, index, &cursor));                        \
    int code = mdb_cursor_get(cursor, &key, &value, (step) == MDB_PREV ? MDB_LAST : MDB_SET_RANGE); \
    for (; code == MDB_SUCCESS; code = mdb_cursor_get(cursor, &key, &value, step)) {     \
      struct index_key entry;                                                            \
      memcpy(&entry, key.mv_data, sizeof entry);                                         \
      __VA_ARGS__                                                                        \
    }                                                                                    \
    mdb_cursor_close(cursor);                                                            \
    baseline_lmdb_end(store);                                                            \
  } while (0)

size_t baseline_lmdb_count_indexed(baseline_lmdb *store, int64_t rating) {
  uint64_t wanted = rating_bits(rating);
  size_t count = 0;
  FOR_EACH_ENTRY(store, store->ratings, wanted, MDB_NEXT, {
    if (entry.value != wanted) break;
    count++;
  });
  return count;
}

size_t baseline_lmdb_copy_dates(baseline_lmdb *store, double from, double to) {
  size_t count = 0, capacity = 64;
  struct copied_note *notes = malloc(capacity * sizeof *notes);
  uint64_t end = be64toh(date_bits(to));
  FOR_EACH_ENTRY(store, store->dates, date_bits(from), MDB_NEXT, {
    if (be64toh(entry.value) >= end) break;
    if (count == capacity) notes = realloc(notes, (capacity *= 2) * sizeof *notes);
    if (notes == NULL) abort();
    notes[count++] = baseline_copy_note(baseline_lmdb_record(store, transaction, be64toh(entry.row)));
  });
  for (size_t index = 0; index < count; index++) baseline_free_note(&notes[index]);
  free(notes);
  return count;
}

uint64_t baseline_lmdb_sort_indexed(baseline_lmdb *store) {
  size_t count = 0, capacity = 1024;
  struct index_key *rows = malloc(capacity * sizeof *rows);
  FOR_EACH_ENTRY(store, store->dates, 0, MDB_NEXT, {
    if (count == capacity) rows = realloc(rows, (capacity *= 2) * sizeof *rows);
    if (rows == NULL) abort();
    rows[count++] = (struct index_key){be64toh(entry.value), be64toh(entry.row)};
  });
  uint64_t last = count > 0 ? rows[count - 1].row : 0;
  free(rows);
  return last;
}

int64_t baseline_lmdb_copy_newest(baseline_lmdb *store, size_t limit) {
  struct copied_note *notes = malloc(limit * sizeof *notes);
  if (notes == NULL) abort();
  size_t count = 0;
  FOR_EACH_ENTRY(store, store->dates, 0, MDB_PREV, {
    notes[count++] = baseline_copy_note(baseline_lmdb_record(store, transaction, be64toh(entry.row)));
    if (count == limit) break;
  });
  int64_t sum = 0;
  for (size_t index = 0; index < count; index++) {
    sum += notes[index].rating;
    baseline_free_note(&notes[index]);
  }
  free(notes);
  return sum;
}
