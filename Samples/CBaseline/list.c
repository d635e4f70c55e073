#include "store.h"

#include <endian.h>
#include <stdlib.h>
#include <string.h>

// Parts of the library's size: 8 bytes in front of the elements, and 1,900 in all.
enum { PART_HEADER = 8, PART_CAPACITY = (1900 - PART_HEADER) / 8, LOG_ENTRY_SIZE = 40 };

struct part {
  uint64_t order;
  uint32_t count;
};

struct baseline_list {
  baseline_lmdb *store;
  MDB_dbi table;
  MDB_txn *writer;
  struct part *parts;
  size_t count, room;
};

static void put(baseline_list *list, uint64_t order, const int64_t *elements, size_t count) {
  uint8_t bytes[PART_HEADER + PART_CAPACITY * 8] = {0};
  memcpy(bytes + PART_HEADER, elements, count * 8);
  uint64_t big = htobe64(order);
  MDB_val key = {sizeof big, &big}, value = {PART_HEADER + count * 8, bytes};
  baseline_check(mdb_put(list->writer, list->table, &key, &value, 0));
}

static const uint8_t *get(baseline_list *list, MDB_txn *transaction, size_t part) {
  uint64_t big = htobe64(list->parts[part].order);
  MDB_val key = {sizeof big, &big}, value;
  baseline_check(mdb_get(transaction, list->table, &key, &value));
  return (const uint8_t *)value.mv_data + PART_HEADER;
}

static size_t find(const baseline_list *list, size_t *position) {
  size_t part = 0;
  while (part + 1 < list->count && *position >= list->parts[part].count) *position -= list->parts[part++].count;
  return part;
}

static void insert_part(baseline_list *list, size_t at, uint64_t order, uint32_t count) {
  if (list->count == list->room) {
    list->room = list->room * 2 + 16;
    list->parts = realloc(list->parts, list->room * sizeof *list->parts);
    if (list->parts == NULL) abort();
  }
  memmove(list->parts + at + 1, list->parts + at, (list->count - at) * sizeof *list->parts);
  list->parts[at] = (struct part){order, count};
  list->count++;
}

static void insert(baseline_list *list, int64_t element, size_t position) {
  size_t part = find(list, &position);
  int64_t elements[PART_CAPACITY + 1];
  size_t count = list->parts[part].count;
  const uint8_t *old = get(list, list->writer, part);
  memcpy(elements, old, position * 8);
  elements[position] = element;
  memcpy(elements + position + 1, old + position * 8, (count - position) * 8);
  count++;
  uint64_t order = list->parts[part].order;
  size_t lower = count > PART_CAPACITY ? count / 2 : count;
  put(list, order, elements, lower);
  list->parts[part].count = (uint32_t)lower;
  if (lower == count) return;
  uint64_t next = part + 1 < list->count ? list->parts[part + 1].order : order + ((uint64_t)2 << 32);
  order += (next - order) / 2;
  put(list, order, elements + lower, count - lower);
  insert_part(list, part + 1, order, (uint32_t)(count - lower));
}

static int64_t take(baseline_list *list, size_t position) {
  size_t part = find(list, &position);
  int64_t elements[PART_CAPACITY];
  size_t count = list->parts[part].count;
  memcpy(elements, get(list, list->writer, part), count * 8);
  int64_t element = elements[position];
  memmove(elements + position, elements + position + 1, (count - position - 1) * 8);
  put(list, list->parts[part].order, elements, count - 1);
  list->parts[part].count--;
  return element;
}

baseline_list *baseline_list_create(baseline_lmdb *store, size_t count) {
  baseline_list *list = calloc(1, sizeof *list);
  if (list == NULL) abort();
  list->store = store;
  baseline_list_begin(list);
  baseline_check(mdb_dbi_open(list->writer, "lists", MDB_CREATE, &list->table));
  baseline_check(mdb_drop(list->writer, list->table, 0));
  int64_t elements[PART_CAPACITY];
  for (size_t start = 0; start < count; start += PART_CAPACITY) {
    size_t size = count - start < PART_CAPACITY ? count - start : PART_CAPACITY;
    for (size_t i = 0; i < size; i++) elements[i] = (int64_t)(start + i);
    uint64_t order = ((uint64_t)1 << 63) + ((uint64_t)list->count << 32);
    put(list, order, elements, size);
    insert_part(list, list->count, order, (uint32_t)size);
  }
  baseline_list_end(list);
  return list;
}

void baseline_list_destroy(baseline_list *list) {
  free(list->parts);
  free(list);
}

void baseline_list_begin(baseline_list *list) {
  baseline_check(mdb_txn_begin(list->store->environment, NULL, 0, &list->writer));
}

void baseline_list_end(baseline_list *list) {
  baseline_lmdb_log(list->store, list->writer, 1, LOG_ENTRY_SIZE);
  baseline_lmdb_commit(list->store, list->writer);
  list->writer = NULL;
}

int64_t baseline_list_sum(baseline_list *list, const uint32_t *positions, size_t count) {
  MDB_txn *transaction = baseline_lmdb_begin(list->store);
  int64_t sum = 0;
  for (size_t i = 0; i < count; i++) {
    size_t position = positions[i];
    size_t part = find(list, &position);
    sum += (int64_t)baseline_load(get(list, transaction, part) + position * 8);
  }
  baseline_lmdb_end(list->store);
  return sum;
}

void baseline_list_insert(baseline_list *list, const uint32_t *positions, size_t count) {
  for (size_t i = 0; i < count; i++) insert(list, (int64_t)i, positions[i]);
}

void baseline_list_remove(baseline_list *list, const uint32_t *positions, size_t count) {
  for (size_t i = 0; i < count; i++) take(list, positions[i]);
}

void baseline_list_move(baseline_list *list, const uint32_t *positions, size_t count) {
  for (size_t i = 0; i < count; i++) insert(list, take(list, positions[i]), positions[count - 1 - i]);
}
