#define _GNU_SOURCE
#include <linux/futex.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "store.h"

struct placed_row {
  double edited;
  uint64_t row;
};

struct baseline_order {
  baseline_lmdb *store;
  size_t count;
  struct placed_row *rows;  // in order
  double *dates;            // by row number, so that a changed row is found at its old place
};

static bool precedes(struct placed_row a, struct placed_row b) {
  return a.edited != b.edited ? a.edited < b.edited : a.row < b.row;
}

static int compare(const void *left, const void *right) {
  struct placed_row a = *(const struct placed_row *)left, b = *(const struct placed_row *)right;
  return precedes(a, b) ? -1 : precedes(b, a);
}

baseline_order *baseline_order_create(baseline_lmdb *store, size_t count) {
  baseline_order *order = malloc(sizeof *order);
  struct placed_row *rows = malloc(count * sizeof *rows);
  double *dates = malloc((count + 1) * sizeof *dates);
  if (order == NULL || rows == NULL || dates == NULL) abort();
  MDB_txn *transaction = baseline_lmdb_begin(store);
  for (uint64_t row = 1; row <= count; row++) {
    dates[row] = baseline_load_date(baseline_lmdb_record(store, transaction, row) + RECORD_EDITED);
    rows[row - 1] = (struct placed_row){dates[row], row};
  }
  baseline_lmdb_end(store);
  qsort(rows, count, sizeof *rows, compare);
  *order = (struct baseline_order){store, count, rows, dates};
  return order;
}

void baseline_order_destroy(baseline_order *order) {
  free(order->rows);
  free(order->dates);
  free(order);
}

static size_t place_of(const baseline_order *order, struct placed_row row) {
  size_t low = 0, high = order->count;
  while (low < high) {
    size_t middle = (low + high) / 2;
    if (precedes(order->rows[middle], row)) low = middle + 1;
    else high = middle;
  }
  return low;
}

size_t baseline_order_advance(baseline_order *order) {
  MDB_txn *transaction = baseline_lmdb_begin(order->store);
  MDB_cursor *cursor;
  MDB_val key, value;
  baseline_check(mdb_cursor_open(transaction, order->store->log, &cursor));
  baseline_check(mdb_cursor_get(cursor, &key, &value, MDB_LAST));
  uint64_t row = baseline_load(value.mv_data);
  mdb_cursor_close(cursor);
  double edited = baseline_load_date(baseline_lmdb_record(order->store, transaction, row) + RECORD_EDITED);
  baseline_lmdb_end(order->store);
  struct placed_row before = {order->dates[row], row}, after = {edited, row};
  size_t from = place_of(order, before), to = place_of(order, after);
  if (to > from) to--;
  if (to == from && edited == before.edited) return to;
  memmove(order->rows + from, order->rows + from + 1, (order->count - from - 1) * sizeof before);
  memmove(order->rows + to + 1, order->rows + to, (order->count - to - 1) * sizeof before);
  order->rows[to] = after;
  order->dates[row] = edited;
  return to;
}

static void report(int descriptor) {
  uint64_t now = baseline_now();
  if (write(descriptor, &now, sizeof now) != sizeof now) exit(1);
}

void baseline_order_listen(baseline_order *order, int descriptor, size_t times) {
  uint32_t *bell = order->store->bell;
  uint32_t ticket = __atomic_load_n(bell, __ATOMIC_SEQ_CST);
  report(descriptor);
  for (size_t time = 0; time < times; time++) {
    while (__atomic_load_n(bell, __ATOMIC_SEQ_CST) == ticket) {
      syscall(SYS_futex, bell, FUTEX_WAIT, ticket, NULL, NULL, 0);
    }
    ticket = __atomic_load_n(bell, __ATOMIC_SEQ_CST);
    baseline_order_advance(order);
    report(descriptor);
  }
}
