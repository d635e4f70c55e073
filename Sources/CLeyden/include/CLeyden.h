#pragma once
#include <stddef.h>
#include <stdint.h>

#include "CLeydenHash.h"
#include "CLeydenSystem.h"

// Where a live object's properties are read from. One per handle, owned by a Swift object that
// outlives every property wrapper pointing at it.
typedef struct leyden_row {
  const uint8_t *_Nullable base;           // the record's first byte; meaningful while `generation` is current
  const uint16_t *_Nullable slots;         // column number -> slot number in the record, UINT16_MAX if absent
  uint32_t slots_start;                    // offset of slot 0 from `base`
  uint32_t length;                         // the record's bytes, from `base`
  uint64_t generation;                     // the generation for which base, slots and slots_start hold
  const uint64_t *_Nonnull current;        // the store's generation now
  const void *_Nonnull access;             // unretained Swift object: the way to everything that is not a plain load
} leyden_row;

// What is being constructed on this thread: property wrappers that initialise while `row` is set
// take it and the next column number.
typedef struct leyden_binding {
  leyden_row *_Nullable row;               // cleared as soon as the object's wrappers have it
  leyden_row *_Nullable making;            // the row of the object whose init is still running
  const void *_Nullable type;              // the metatype that the binding is meant for
  const void *_Nullable discovery;         // unretained Swift object that collects options, or NULL
  int32_t next;
} leyden_binding;

// Thread-local state of the library.
typedef struct leyden_thread {
  leyden_binding binding;
  const void *_Nullable writing;           // the environment whose write lock this thread holds
  void *_Nullable released;                // who lets go of unmanaged objects on this thread
} leyden_thread;

leyden_thread *_Nonnull leyden_thread_state(void);

// Lets `body` be called at the end of each thread that is inside a write then, on that thread; for
// threads on which `leyden_watch_thread` was called.
void leyden_when_writer_ends(void (*_Nonnull body)(const void *_Nonnull writing));
void leyden_watch_thread(void);

// The usable bytes of an object on the heap: what may be read from its address on.
size_t leyden_allocation_size(const void *_Nonnull object);
