#define _GNU_SOURCE
#include <stdlib.h>
#include <string.h>

#include "store.h"

static char *copy_text(const uint8_t *bytes, size_t size) {
  char *text = malloc(size);
  if (text == NULL) abort();
  memcpy(text, bytes, size);
  return text;
}

struct copied_note baseline_copy_note(const uint8_t *record) {
  return (struct copied_note){
    copy_text(record + RECORD_IDENTIFIER, IDENTIFIER_SIZE),
    copy_text(record + RECORD_TITLE, TITLE_SIZE),
    copy_text(record + RECORD_CONTENT, CONTENT_SIZE),
    (int64_t)baseline_load(record + RECORD_RATING),
    baseline_load_date(record + RECORD_EDITED),
    baseline_load(record + RECORD_PINNED) != 0,
  };
}

void baseline_free_note(struct copied_note *note) {
  free(note->identifier);
  free(note->title);
  free(note->content);
}

static uint64_t find(MDB_cursor *cursor, const struct baseline_note *note) {
  char prefix[IDENTIFIER_SIZE + 2];
  memcpy(prefix, note->identifier, IDENTIFIER_SIZE);
  prefix[IDENTIFIER_SIZE] = 0;
  prefix[IDENTIFIER_SIZE + 1] = 1;
  MDB_val key = {sizeof prefix, prefix}, value;
  baseline_check(mdb_cursor_get(cursor, &key, &value, MDB_SET_RANGE));
  if (key.mv_size != sizeof prefix + ROW_SIZE || memcmp(key.mv_data, prefix, sizeof prefix) != 0) return 0;
  return be64toh(baseline_load((const uint8_t *)key.mv_data + sizeof prefix));
}

int64_t baseline_lmdb_get(
  baseline_lmdb *store, const baseline_notes *notes, const uint32_t *order, size_t count, bool all
) {
  MDB_txn *transaction = baseline_lmdb_begin(store);
  MDB_cursor *cursor;
  baseline_check(mdb_cursor_open(transaction, store->keys, &cursor));
  int64_t sum = 0;
  for (size_t step = 0; step < count; step++) {
    const uint8_t *record = baseline_lmdb_record(store, transaction, find(cursor, &notes->all[order[step]]));
    if (all) {
      struct copied_note note = baseline_copy_note(record);
      sum += note.rating + note.content[0];
      baseline_free_note(&note);
    } else {
      sum += (int64_t)baseline_load(record + RECORD_RATING);
    }
  }
  mdb_cursor_close(cursor);
  baseline_lmdb_end(store);
  return sum;
}

// Runs the statements for each record; `record` and `row` are bound in them.
#define FOR_EACH_RECORD(store, ...)                                                       \
  do {                                                                                    \
    MDB_txn *transaction = baseline_lmdb_begin(store);                                    \
    MDB_cursor *cursor;                                                                   \
    MDB_val key, value;                                                                   \
    baseline_check(mdb_cursor_open(transaction, (store)->records, &cursor));              \
    while (mdb_cursor_get(cursor, &key, &value, MDB_NEXT) == MDB_SUCCESS) {               \
      const uint8_t *record = value.mv_data;                                              \
      uint64_t row = be64toh(baseline_load(key.mv_data));                                 \
      (void)row;                                                                          \
      __VA_ARGS__                                                                         \
    }                                                                                     \
    mdb_cursor_close(cursor);                                                             \
    baseline_lmdb_end(store);                                                             \
  } while (0)

int64_t baseline_lmdb_sum_ratings(baseline_lmdb *store) {
  int64_t sum = 0;
  FOR_EACH_RECORD(store, sum += (int64_t)baseline_load(record + RECORD_RATING););
  return sum;
}

size_t baseline_lmdb_count_rating(baseline_lmdb *store, int64_t rating) {
  size_t count = 0;
  FOR_EACH_RECORD(store, count += (int64_t)baseline_load(record + RECORD_RATING) == rating;);
  return count;
}

size_t baseline_lmdb_count_containing(baseline_lmdb *store, const char *text) {
  size_t count = 0, size = strlen(text);
  FOR_EACH_RECORD(store, count += memmem(record + RECORD_CONTENT, CONTENT_SIZE, text, size) != NULL;);
  return count;
}

struct dated_row {
  double edited;
  uint64_t row;
};

static int compare(const void *left, const void *right) {
  const struct dated_row *a = left, *b = right;
  if (a->edited != b->edited) return a->edited < b->edited ? -1 : 1;
  return a->row < b->row ? -1 : a->row > b->row;
}

uint64_t baseline_lmdb_sort(baseline_lmdb *store) {
  size_t count = 0, capacity = 1024;
  struct dated_row *rows = malloc(capacity * sizeof *rows);
  FOR_EACH_RECORD(store, {
    if (count == capacity) rows = realloc(rows, (capacity *= 2) * sizeof *rows);
    if (rows == NULL) abort();
    rows[count++] = (struct dated_row){baseline_load_date(record + RECORD_EDITED), row};
  });
  qsort(rows, count, sizeof *rows, compare);
  uint64_t last = count > 0 ? rows[count - 1].row : 0;
  free(rows);
  return last;
}

size_t baseline_lmdb_copy_all(baseline_lmdb *store) {
  size_t count = 0, capacity = 1024;
  struct copied_note *notes = malloc(capacity * sizeof *notes);
  FOR_EACH_RECORD(store, {
    if (count == capacity) notes = realloc(notes, (capacity *= 2) * sizeof *notes);
    if (notes == NULL) abort();
    notes[count++] = baseline_copy_note(record);
  });
  for (size_t index = 0; index < count; index++) baseline_free_note(&notes[index]);
  free(notes);
  return count * RECORD_SIZE;
}

// Not inlined, so that each read is made; the benchmark's reads of objects are made likewise.
static __attribute__((noinline)) int64_t rating_of(const uint8_t *record) {
  return (int64_t)baseline_load(record + RECORD_RATING);
}

static __attribute__((noinline)) double date_of(const uint8_t *record) {
  return baseline_load_date(record + RECORD_EDITED);
}

static __attribute__((noinline)) char *title_of(const uint8_t *record) {
  return copy_text(record + RECORD_TITLE, TITLE_SIZE);
}

int64_t baseline_lmdb_read_held_rating(baseline_lmdb *store, uint64_t row, size_t times) {
  const uint8_t *record = baseline_lmdb_record(store, baseline_lmdb_begin(store), row);
  int64_t sum = 0;
  for (size_t step = 0; step < times; step++) {
    sum += rating_of(record);
    __asm__ volatile("" ::: "memory");
  }
  baseline_lmdb_end(store);
  return sum;
}

double baseline_lmdb_read_held_date(baseline_lmdb *store, uint64_t row, size_t times) {
  const uint8_t *record = baseline_lmdb_record(store, baseline_lmdb_begin(store), row);
  double sum = 0;
  for (size_t step = 0; step < times; step++) {
    sum += date_of(record);
    __asm__ volatile("" ::: "memory");
  }
  baseline_lmdb_end(store);
  return sum;
}

size_t baseline_lmdb_read_held_title(baseline_lmdb *store, uint64_t row, size_t times) {
  const uint8_t *record = baseline_lmdb_record(store, baseline_lmdb_begin(store), row);
  size_t sum = 0;
  for (size_t step = 0; step < times; step++) {
    char *title = title_of(record);
    sum += (size_t)title[0];
    free(title);
  }
  baseline_lmdb_end(store);
  return sum;
}

int64_t baseline_lmdb_read_rating(baseline_lmdb *store, uint64_t row, size_t times) {
  int64_t sum = 0;
  for (size_t step = 0; step < times; step++) {
    sum += rating_of(baseline_lmdb_record(store, baseline_lmdb_begin(store), row));
    baseline_lmdb_end(store);
  }
  return sum;
}
