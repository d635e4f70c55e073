#pragma once
#include <lmdb.h>

#include "notes.h"

// The layout of the library's records (Docs/FileFormat.md), for six properties: header, null
// bitmap, slots, then the three texts.
enum {
  RECORD_RATING = 24 + 8 * 3,
  RECORD_EDITED = 24 + 8 * 4,
  RECORD_PINNED = 24 + 8 * 5,
  RECORD_IDENTIFIER = 24 + 8 * 6,
  RECORD_TITLE = RECORD_IDENTIFIER + IDENTIFIER_SIZE,
  RECORD_CONTENT = RECORD_TITLE + TITLE_SIZE,
  RECORD_SIZE = RECORD_CONTENT + CONTENT_SIZE,
  ROW_SIZE = 8,
};

struct baseline_lmdb {
  MDB_env *environment;
  MDB_dbi records, keys, log;
  MDB_dbi ratings, dates;  // where `isIndexed`
  bool isIndexed;
  MDB_txn *reader;       // begun once, renewed for each read
  uint64_t version;      // of the newest log entry
  uint32_t *bell;        // shared by the processes that have the store open
};

// Ends the program where LMDB reports a failure.
void baseline_check(int code);

// Begins and ends a read of the newest version.
MDB_txn *baseline_lmdb_begin(baseline_lmdb *store);
void baseline_lmdb_end(baseline_lmdb *store);

// The record of a row.
const uint8_t *baseline_lmdb_record(baseline_lmdb *store, MDB_txn *transaction, uint64_t row);

// Appends the entry of a commit to the log: as many bytes as the library's has.
void baseline_lmdb_log(baseline_lmdb *store, MDB_txn *transaction, uint64_t row, size_t size);

// Commits, and wakes who waits for commits; returns when that began.
uint64_t baseline_lmdb_commit(baseline_lmdb *store, MDB_txn *transaction);

// Adds a record's entries to the two indexes, or removes them.
void baseline_lmdb_index(baseline_lmdb *store, MDB_txn *transaction, const uint8_t *record, uint64_t row, bool isAdded);

// The entry of a primary key in its index.
enum { KEY_ENTRY_SIZE = IDENTIFIER_SIZE + 2 + ROW_SIZE };
void baseline_lmdb_key_entry(const char *identifier, uint64_t row, uint8_t *entry);

static inline uint64_t baseline_load(const uint8_t *bytes) {
  uint64_t value;
  __builtin_memcpy(&value, bytes, sizeof value);
  return value;
}

static inline double baseline_load_date(const uint8_t *bytes) {
  double value;
  __builtin_memcpy(&value, bytes, sizeof value);
  return value;
}

// All values of a note, texts in memory of their own.
struct copied_note {
  char *identifier, *title, *content;
  int64_t rating;
  double edited;
  bool pinned;
};
struct copied_note baseline_copy_note(const uint8_t *record);
void baseline_free_note(struct copied_note *note);
