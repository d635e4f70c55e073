#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// The benchmark's other side: the same notes, in plain LMDB with the layout that the library uses,
// and in SQLite where the machine has it. A failure of either ends the program with a message.

// Notes that are the same in every run: a UUID as text (36 bytes), a title of 43 bytes, a content
// of 200 bytes with some text beyond ASCII, a rating from 0 to 5, a date, a mark.
typedef struct baseline_notes baseline_notes;
baseline_notes *_Nonnull baseline_notes_create(size_t count);
void baseline_notes_destroy(baseline_notes *_Nonnull notes);
const char *_Nonnull baseline_notes_identifier(const baseline_notes *_Nonnull notes, size_t index);
const char *_Nonnull baseline_notes_title(const baseline_notes *_Nonnull notes, size_t index);
const char *_Nonnull baseline_notes_content(const baseline_notes *_Nonnull notes, size_t index);
int64_t baseline_notes_rating(const baseline_notes *_Nonnull notes, size_t index);
double baseline_notes_edited(const baseline_notes *_Nonnull notes, size_t index);
bool baseline_notes_pinned(const baseline_notes *_Nonnull notes, size_t index);

// Nanoseconds of the clock that all processes of the machine share.
uint64_t baseline_now(void);

typedef enum baseline_durability {
  baseline_full,     // what LMDB does by default
  baseline_relaxed,  // without the second flush, that of the meta page
  baseline_unsafe    // without flushes
} baseline_durability;

// Plain LMDB: a tree of records under row numbers, an index from primary key and row number to
// nothing, and a log with an entry for each commit; where asked for, indexes over rating and date.
typedef struct baseline_lmdb baseline_lmdb;
baseline_lmdb *_Nonnull baseline_lmdb_open(const char *_Nonnull directory, baseline_durability durability, bool isIndexed);
void baseline_lmdb_close(baseline_lmdb *_Nonnull store);
// The same store for reading on another thread.
baseline_lmdb *_Nonnull baseline_lmdb_share(const baseline_lmdb *_Nonnull store);
void baseline_lmdb_unshare(baseline_lmdb *_Nonnull shared);
// Adds the first notes in one transaction; their rows are numbered from 1.
void baseline_lmdb_insert(baseline_lmdb *_Nonnull store, const baseline_notes *_Nonnull notes, size_t count);
// Changes one note in a transaction of its own, then rings the bell; returns when the commit began.
uint64_t baseline_lmdb_change_title(baseline_lmdb *_Nonnull store, uint64_t row, const char *_Nonnull title);
uint64_t baseline_lmdb_change_date(baseline_lmdb *_Nonnull store, uint64_t row, double edited);
// Changes three values of one note in a transaction of its own, and both indexes.
void baseline_lmdb_edit(baseline_lmdb *_Nonnull store, uint64_t row, const char *_Nonnull title, int64_t rating, double edited);
// Deletes rows, and their entries in all indexes, in one transaction.
void baseline_lmdb_delete(baseline_lmdb *_Nonnull store, const uint64_t *_Nonnull rows, size_t count);
// Reads by primary key in one transaction: the rating, or copies of all values.
int64_t baseline_lmdb_get(baseline_lmdb *_Nonnull store, const baseline_notes *_Nonnull notes, const uint32_t *_Nonnull order,
                          size_t count, bool all);
int64_t baseline_lmdb_sum_ratings(baseline_lmdb *_Nonnull store);
size_t baseline_lmdb_count_rating(baseline_lmdb *_Nonnull store, int64_t rating);
size_t baseline_lmdb_count_containing(baseline_lmdb *_Nonnull store, const char *_Nonnull text);
// Sorts all rows by date; returns the last one.
uint64_t baseline_lmdb_sort(baseline_lmdb *_Nonnull store);
// Copies every value of every note, texts to memory of their own; returns the bytes.
size_t baseline_lmdb_copy_all(baseline_lmdb *_Nonnull store);
// The same by the indexes: counts entries; copies the notes of a range of dates, and returns their
// number; lists all rows by date; copies the notes with the latest dates, and sums their ratings.
size_t baseline_lmdb_count_indexed(baseline_lmdb *_Nonnull store, int64_t rating);
size_t baseline_lmdb_copy_dates(baseline_lmdb *_Nonnull store, double from, double to);
uint64_t baseline_lmdb_sort_indexed(baseline_lmdb *_Nonnull store);
int64_t baseline_lmdb_copy_newest(baseline_lmdb *_Nonnull store, size_t limit);
// Reads one value of a record that was found before, again and again.
int64_t baseline_lmdb_read_held_rating(baseline_lmdb *_Nonnull store, uint64_t row, size_t times);
double baseline_lmdb_read_held_date(baseline_lmdb *_Nonnull store, uint64_t row, size_t times);
size_t baseline_lmdb_read_held_title(baseline_lmdb *_Nonnull store, uint64_t row, size_t times);
// Reads one value, with a transaction and a look-up for each time.
int64_t baseline_lmdb_read_rating(baseline_lmdb *_Nonnull store, uint64_t row, size_t times);

// All rows in the order of their dates, brought forward by the log: the least that an observer of a
// sorted list needs.
typedef struct baseline_order baseline_order;
baseline_order *_Nonnull baseline_order_create(baseline_lmdb *_Nonnull store, size_t count);
void baseline_order_destroy(baseline_order *_Nonnull order);
// Reads the newest commit and moves the changed row; returns its place.
size_t baseline_order_advance(baseline_order *_Nonnull order);
// Waits for commits of another process and writes to `descriptor` when each one had been read.
void baseline_order_listen(baseline_order *_Nonnull order, int descriptor, size_t times);

// A list of numbers in parts of the library's size, whose orders and counts are known.
typedef struct baseline_list baseline_list;
baseline_list *_Nonnull baseline_list_create(baseline_lmdb *_Nonnull store, size_t count);
void baseline_list_destroy(baseline_list *_Nonnull list);
// A transaction for what changes the list; its end commits, logs it and rings the bell.
void baseline_list_begin(baseline_list *_Nonnull list);
void baseline_list_end(baseline_list *_Nonnull list);
// Adds up the elements at positions.
int64_t baseline_list_sum(baseline_list *_Nonnull list, const uint32_t *_Nonnull positions, size_t count);
// Inserts, removes and moves one element at each position.
void baseline_list_insert(baseline_list *_Nonnull list, const uint32_t *_Nonnull positions, size_t count);
void baseline_list_remove(baseline_list *_Nonnull list, const uint32_t *_Nonnull positions, size_t count);
void baseline_list_move(baseline_list *_Nonnull list, const uint32_t *_Nonnull positions, size_t count);

// SQLite, loaded when it is asked for: NULL where the machine has none.
typedef struct baseline_sqlite baseline_sqlite;
baseline_sqlite *_Nullable baseline_sqlite_open(const char *_Nonnull directory, baseline_durability durability, bool isIndexed);
void baseline_sqlite_close(baseline_sqlite *_Nonnull store);
void baseline_sqlite_insert(baseline_sqlite *_Nonnull store, const baseline_notes *_Nonnull notes, size_t count);
void baseline_sqlite_change_title(baseline_sqlite *_Nonnull store, uint64_t row, const char *_Nonnull title);
int64_t baseline_sqlite_get(baseline_sqlite *_Nonnull store, const baseline_notes *_Nonnull notes, const uint32_t *_Nonnull order,
                            size_t count, bool all);
int64_t baseline_sqlite_sum_ratings(baseline_sqlite *_Nonnull store);
size_t baseline_sqlite_count_rating(baseline_sqlite *_Nonnull store, int64_t rating);
size_t baseline_sqlite_count_containing(baseline_sqlite *_Nonnull store, const char *_Nonnull text);
uint64_t baseline_sqlite_sort(baseline_sqlite *_Nonnull store);
size_t baseline_sqlite_copy_all(baseline_sqlite *_Nonnull store);
// As above for plain LMDB; whether there is an index is for SQLite to see.
void baseline_sqlite_edit(baseline_sqlite *_Nonnull store, uint64_t row, const char *_Nonnull title, int64_t rating, double edited);
void baseline_sqlite_delete(baseline_sqlite *_Nonnull store, const uint64_t *_Nonnull rows, size_t count);
size_t baseline_sqlite_copy_dates(baseline_sqlite *_Nonnull store, double from, double to);
int64_t baseline_sqlite_copy_newest(baseline_sqlite *_Nonnull store, size_t limit);
