#include "CLeyden.h"

static _Thread_local leyden_thread thread_state;

leyden_thread *leyden_thread_state(void) { return &thread_state; }
