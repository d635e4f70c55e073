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
