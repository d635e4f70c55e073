#include "CLeyden.h"

#if defined(__APPLE__)
#include <malloc/malloc.h>
#else
#include <malloc.h>
#endif

static _Thread_local leyden_thread thread_state;

leyden_thread *leyden_thread_state(void) { return &thread_state; }

size_t leyden_allocation_size(const void *object) {
#if defined(__APPLE__)
  return malloc_size(object);
#else
  return malloc_usable_size((void *)object);
#endif
}
