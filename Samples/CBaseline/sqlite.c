#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "notes.h"

// The few calls that are needed, declared here and found when the program runs: the benchmark is
// built without SQLite's headers and runs without its library.
typedef struct sqlite3 sqlite3;
typedef struct sqlite3_stmt sqlite3_stmt;

static struct {
  int (*open)(const char *path, sqlite3 **database);
  int (*close)(sqlite3 *database);
  int (*exec)(sqlite3 *database, const char *sql, void *callback, void *context, char **message);
  int (*prepare)(sqlite3 *database, const char *sql, int size, sqlite3_stmt **statement, const char **tail);
  int (*step)(sqlite3_stmt *statement);
  int (*reset)(sqlite3_stmt *statement);
  int (*finalize)(sqlite3_stmt *statement);
  int (*bind_text)(sqlite3_stmt *statement, int position, const char *text, int size, void (*release)(void *));
  int (*bind_int)(sqlite3_stmt *statement, int position, long long value);
  int (*bind_double)(sqlite3_stmt *statement, int position, double value);
  const unsigned char *(*column_text)(sqlite3_stmt *statement, int column);
  int (*column_bytes)(sqlite3_stmt *statement, int column);
  long long (*column_int)(sqlite3_stmt *statement, int column);
  double (*column_double)(sqlite3_stmt *statement, int column);
  const char *(*message)(sqlite3 *database);
} lib;

enum { ROW = 100, DONE = 101 };

enum { INSERT, CHANGE, GET_ONE, GET_ALL, SUM, COUNT, CONTAINING, SORT, ALL, EDIT, DELETE, DATES, NEWEST, STATEMENTS };

static const char *const sql[STATEMENTS] = {
  "insert into note values (?, ?, ?, ?, ?, ?, ?)",
  "update note set title = ? where id = ?",
  "select rating from note where identifier = ?",
  "select identifier, title, content, rating, edited, pinned from note where identifier = ?",
  "select sum(rating) from note",
  "select count(*) from note where rating = ?",
  "select count(*) from note where instr(content, ?)",
  "select id from note order by edited, id",
  "select identifier, title, content, rating, edited, pinned from note",
  "update note set title = ?, rating = ?, edited = ? where id = ?",
  "delete from note where id = ?",
  "select identifier, title, content, rating, edited, pinned from note where edited >= ? and edited < ?",
  "select identifier, title, content, rating, edited, pinned from note order by edited desc limit ?",
};

struct baseline_sqlite {
  sqlite3 *database;
  sqlite3_stmt *statements[STATEMENTS];
};

static bool load(void) {
  if (lib.open != NULL) return true;
  void *handle = dlopen("libsqlite3.so.0", RTLD_NOW);
  if (handle == NULL) return false;
  // POSIX promises that a function's address survives this way through an object pointer.
  struct {
    void *place;
    const char *name;
  } symbols[] = {
    {&lib.close, "sqlite3_close"},
    {&lib.exec, "sqlite3_exec"},
    {&lib.prepare, "sqlite3_prepare_v2"},
    {&lib.step, "sqlite3_step"},
    {&lib.reset, "sqlite3_reset"},
    {&lib.finalize, "sqlite3_finalize"},
    {&lib.bind_text, "sqlite3_bind_text"},
    {&lib.bind_int, "sqlite3_bind_int64"},
    {&lib.bind_double, "sqlite3_bind_double"},
    {&lib.column_text, "sqlite3_column_text"},
    {&lib.column_bytes, "sqlite3_column_bytes"},
    {&lib.column_int, "sqlite3_column_int64"},
    {&lib.column_double, "sqlite3_column_double"},
    {&lib.message, "sqlite3_errmsg"},
    {&lib.open, "sqlite3_open"},
  };
  for (size_t index = 0; index < sizeof symbols / sizeof *symbols; index++) {
    void *address = dlsym(handle, symbols[index].name);
    if (address == NULL) return false;
    memcpy(symbols[index].place, &address, sizeof address);
  }
  return true;
}

static void check(baseline_sqlite *store, bool isRight) {
  if (isRight) return;
  fprintf(stderr, "SQLite failed: %s\n", lib.message(store->database));
  exit(1);
}

static void execute(baseline_sqlite *store, const char *text) {
  check(store, lib.exec(store->database, text, NULL, NULL, NULL) == 0);
}

baseline_sqlite *baseline_sqlite_open(const char *directory, baseline_durability durability, bool isIndexed) {
  if (!load()) return NULL;
  baseline_sqlite *store = calloc(1, sizeof *store);
  char path[4096];
  if (store == NULL) abort();
  snprintf(path, sizeof path, "%s/notes.sqlite", directory);
  check(store, lib.open(path, &store->database) == 0);
  execute(store, "pragma journal_mode = wal");
  execute(store, "pragma cache_size = -65536");
  execute(store, "pragma mmap_size = 4294967296");
  execute(store, "pragma temp_store = memory");
  execute(store, durability == baseline_full      ? "pragma synchronous = full"
                 : durability == baseline_relaxed ? "pragma synchronous = normal"
                                                  : "pragma synchronous = off");
  execute(store, "create table if not exists note (id integer primary key, identifier text unique, "
                 "title text, content text, rating integer, edited real, pinned integer)");
  if (isIndexed) {
    execute(store, "create index if not exists by_rating on note (rating)");
    execute(store, "create index if not exists by_edited on note (edited)");
  }
  for (int index = 0; index < STATEMENTS; index++) {
    check(store, lib.prepare(store->database, sql[index], -1, &store->statements[index], NULL) == 0);
  }
  return store;
}

void baseline_sqlite_close(baseline_sqlite *store) {
  for (int index = 0; index < STATEMENTS; index++) lib.finalize(store->statements[index]);
  lib.close(store->database);
  free(store);
}

static void run(baseline_sqlite *store, int statement) {
  check(store, lib.step(store->statements[statement]) == DONE);
  lib.reset(store->statements[statement]);
}

void baseline_sqlite_insert(baseline_sqlite *store, const baseline_notes *notes, size_t count) {
  sqlite3_stmt *statement = store->statements[INSERT];
  execute(store, "begin immediate");
  for (size_t index = 0; index < count; index++) {
    const struct baseline_note *note = &notes->all[index];
    lib.bind_int(statement, 1, (long long)index + 1);
    lib.bind_text(statement, 2, note->identifier, IDENTIFIER_SIZE, NULL);
    lib.bind_text(statement, 3, note->title, TITLE_SIZE, NULL);
    lib.bind_text(statement, 4, note->content, CONTENT_SIZE, NULL);
    lib.bind_int(statement, 5, note->rating);
    lib.bind_double(statement, 6, note->edited);
    lib.bind_int(statement, 7, note->pinned);
    run(store, INSERT);
  }
  execute(store, "commit");
}

void baseline_sqlite_change_title(baseline_sqlite *store, uint64_t row, const char *title) {
  lib.bind_text(store->statements[CHANGE], 1, title, TITLE_SIZE, NULL);
  lib.bind_int(store->statements[CHANGE], 2, (long long)row);
  run(store, CHANGE);
}

static char *copy_text(sqlite3_stmt *statement, int column) {
  const unsigned char *text = lib.column_text(statement, column);
  size_t size = (size_t)lib.column_bytes(statement, column);
  char *copy = malloc(size + 1);
  if (copy == NULL) abort();
  memcpy(copy, text, size);
  copy[size] = 0;
  return copy;
}

// Copies the six values of the row that a statement stands at, texts to memory of their own.
static int64_t copy_row(sqlite3_stmt *statement) {
  char *texts[3];
  for (int column = 0; column < 3; column++) texts[column] = copy_text(statement, column);
  int64_t sum = lib.column_int(statement, 3) + (int64_t)lib.column_double(statement, 4) + lib.column_int(statement, 5);
  for (int column = 0; column < 3; column++) free(texts[column]);
  return sum;
}

// Copies the rows of a statement to its end; returns their number, and the sum of what was read.
static size_t copy_rows(sqlite3_stmt *statement, int64_t *sum) {
  size_t count = 0;
  for (; lib.step(statement) == ROW; count++) *sum += copy_row(statement);
  lib.reset(statement);
  return count;
}

int64_t baseline_sqlite_get(
  baseline_sqlite *store, const baseline_notes *notes, const uint32_t *order, size_t count, bool all
) {
  sqlite3_stmt *statement = store->statements[all ? GET_ALL : GET_ONE];
  int64_t sum = 0;
  execute(store, "begin");
  for (size_t step = 0; step < count; step++) {
    lib.bind_text(statement, 1, notes->all[order[step]].identifier, IDENTIFIER_SIZE, NULL);
    check(store, lib.step(statement) == ROW);
    sum += all ? copy_row(statement) : lib.column_int(statement, 0);
    lib.reset(statement);
  }
  execute(store, "commit");
  return sum;
}

static int64_t single(baseline_sqlite *store, int statement) {
  check(store, lib.step(store->statements[statement]) == ROW);
  int64_t value = lib.column_int(store->statements[statement], 0);
  lib.reset(store->statements[statement]);
  return value;
}

int64_t baseline_sqlite_sum_ratings(baseline_sqlite *store) { return single(store, SUM); }

size_t baseline_sqlite_count_rating(baseline_sqlite *store, int64_t rating) {
  lib.bind_int(store->statements[COUNT], 1, rating);
  return (size_t)single(store, COUNT);
}

size_t baseline_sqlite_count_containing(baseline_sqlite *store, const char *text) {
  lib.bind_text(store->statements[CONTAINING], 1, text, -1, NULL);
  return (size_t)single(store, CONTAINING);
}

uint64_t baseline_sqlite_sort(baseline_sqlite *store) {
  sqlite3_stmt *statement = store->statements[SORT];
  long long last = 0;
  while (lib.step(statement) == ROW) last = lib.column_int(statement, 0);
  lib.reset(statement);
  return (uint64_t)last;
}

size_t baseline_sqlite_copy_all(baseline_sqlite *store) {
  int64_t sum = 0;
  return copy_rows(store->statements[ALL], &sum);
}

void baseline_sqlite_edit(baseline_sqlite *store, uint64_t row, const char *title, int64_t rating, double edited) {
  sqlite3_stmt *statement = store->statements[EDIT];
  lib.bind_text(statement, 1, title, TITLE_SIZE, NULL);
  lib.bind_int(statement, 2, rating);
  lib.bind_double(statement, 3, edited);
  lib.bind_int(statement, 4, (long long)row);
  run(store, EDIT);
}

void baseline_sqlite_delete(baseline_sqlite *store, const uint64_t *rows, size_t count) {
  execute(store, "begin immediate");
  for (size_t index = 0; index < count; index++) {
    lib.bind_int(store->statements[DELETE], 1, (long long)rows[index]);
    run(store, DELETE);
  }
  execute(store, "commit");
}

size_t baseline_sqlite_copy_dates(baseline_sqlite *store, double from, double to) {
  int64_t sum = 0;
  lib.bind_double(store->statements[DATES], 1, from);
  lib.bind_double(store->statements[DATES], 2, to);
  return copy_rows(store->statements[DATES], &sum);
}

int64_t baseline_sqlite_copy_newest(baseline_sqlite *store, size_t limit) {
  int64_t sum = 0;
  lib.bind_int(store->statements[NEWEST], 1, (long long)limit);
  copy_rows(store->statements[NEWEST], &sum);
  return sum;
}
