#include "CLeyden.h"

#include <pthread.h>

#if defined(__APPLE__)
#include <malloc/malloc.h>
#else
#include <malloc.h>
#endif

static _Thread_local leyden_thread thread_state;

leyden_thread *leyden_thread_state(void) { return &thread_state; }

// Set by whoever opens a store, on any thread, to the same function.
static void (*_Atomic when_writer_ends)(const void *writing);
static pthread_key_t watched;
static pthread_once_t watched_once = PTHREAD_ONCE_INIT;

static void thread_ends(void *unused) {
  (void)unused;
  void (*body)(const void *writing) = when_writer_ends;
  if (thread_state.writing && body) body(thread_state.writing);
}

static void make_key(void) { pthread_key_create(&watched, thread_ends); }

void leyden_when_writer_ends(void (*body)(const void *writing)) { when_writer_ends = body; }

void leyden_watch_thread(void) {
  pthread_once(&watched_once, make_key);
  if (!pthread_getspecific(watched)) pthread_setspecific(watched, &thread_state);
}

size_t leyden_allocation_size(const void *object) {
#if defined(__APPLE__)
  return malloc_size(object);
#else
  return malloc_usable_size((void *)object);
#endif
}
