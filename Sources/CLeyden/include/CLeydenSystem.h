#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// Services of the operating system that Swift cannot reach, or not in one way on all platforms.

// A mutex with one condition. Not recursive. Times are nanoseconds; below zero means for ever.
typedef struct leyden_monitor leyden_monitor;
leyden_monitor *_Nonnull leyden_monitor_create(void);
void leyden_monitor_destroy(leyden_monitor *_Nonnull monitor);
void leyden_monitor_lock(leyden_monitor *_Nonnull monitor);
void leyden_monitor_unlock(leyden_monitor *_Nonnull monitor);
// Gives the mutex up until a broadcast, and has it again on return; false when the time is over.
bool leyden_monitor_wait(leyden_monitor *_Nonnull monitor, int64_t nanoseconds);
void leyden_monitor_broadcast(leyden_monitor *_Nonnull monitor);

// The one monitor of the process. `fork` waits for it, so that what it guards is whole in the
// child, where it is free.
leyden_monitor *_Nonnull leyden_process_monitor(void);

// How many times this process is a child by `fork`, counted from the first call on.
uint64_t leyden_fork_generation(void);

// What identifies this run of the machine; zero and false where it cannot be told.
bool leyden_boot_identity(uint8_t identity[_Nonnull 16]);

// Seconds of a clock that only rises, as of this run of the machine; cheap, and late by milliseconds.
uint64_t leyden_uptime(void);

// C library (upper half) and size of its mutex (lower half): processes that differ here cannot
// share a lock file.
uint32_t leyden_library_identity(void);

// What a limit leaves of the process's address space, in bytes; UINT64_MAX without a limit.
uint64_t leyden_address_space_left(void);

// What the system knows of a file or directory.
typedef struct leyden_file_status {
  uint64_t device;
  uint64_t inode;
  int64_t size;
  uint64_t names;
  bool is_file;
} leyden_file_status;

// Both give 0, or -1 and `errno`; the name is looked up in the directory.
int leyden_file_status_of(int descriptor, leyden_file_status *_Nonnull status);
int leyden_file_status_at(int directory, const char *_Nonnull name, leyden_file_status *_Nonnull status);

// Whether another process holds a lock on the first byte of LMDB's lock file at `path`: 1 or 0, or -1
// and `errno`. Only for a file that this process has not open: looking gives up every lock that it
// holds on the file.
int leyden_lock_file_in_use(int directory, const char *_Nonnull name);

// The same for LMDB's lock file that this process has open, by a descriptor that stays open as long.
int leyden_is_locked_elsewhere(int descriptor);

// The process that a thread belongs to; the thread itself where that cannot be told.
int32_t leyden_process_of_thread(int32_t thread);

// Gives a file or directory another name, but never one that is taken: then -1 and EEXIST. Both
// paths are looked up in the directory, which may be AT_FDCWD.
int leyden_rename_new(int directory, const char *_Nonnull from, const char *_Nonnull to);

// Gives a file the mode of another one, and its owner and group as far as this user may. -1 and
// `errno` where the mode cannot be given.
int leyden_take_rights(int directory, const char *_Nonnull from, const char *_Nonnull to);

// What a limit on the size of files says, in bytes; UINT64_MAX without a limit.
uint64_t leyden_file_size_limit(void);

// Promises a file room beyond its end without making it longer, where its file system can; 0, or why
// there is no room.
int leyden_reserve(int descriptor, int64_t start, int64_t size);

#if defined(__linux__)
// The number of the kind of file system that an open directory is on; 0 where it cannot be told.
uint32_t leyden_file_system_kind(int descriptor);

// Takes room on the disk for the first bytes of a file; -1 and `errno` where that is not possible.
int leyden_allocate(int descriptor, int64_t bytes);

// Sleeps while `*word` is `expected`, at most for the time given. Wakes early without a reason, too.
void leyden_word_wait(const uint32_t *_Nonnull word, uint32_t expected, int64_t nanoseconds);
// Wakes all who sleep on the word, in every process that maps the page.
void leyden_word_wake(const uint32_t *_Nonnull word);
#endif

// Atomic access to memory that processes share. All sequentially consistent: the bell relies on
// the order between the word and the number of waiters.
static inline uint32_t leyden_load32(const uint32_t *_Nonnull at) { return __atomic_load_n(at, __ATOMIC_SEQ_CST); }
static inline uint64_t leyden_load64(const uint64_t *_Nonnull at) { return __atomic_load_n(at, __ATOMIC_SEQ_CST); }
static inline void leyden_store64(uint64_t *_Nonnull at, uint64_t value) { __atomic_store_n(at, value, __ATOMIC_SEQ_CST); }
static inline void leyden_add32(uint32_t *_Nonnull at, uint32_t difference) { __atomic_fetch_add(at, difference, __ATOMIC_SEQ_CST); }
static inline void leyden_raise64(uint64_t *_Nonnull at, uint64_t value) {
  uint64_t old = __atomic_load_n(at, __ATOMIC_SEQ_CST);
  while (old < value &&
         !__atomic_compare_exchange_n(at, &old, value, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST)) {
  }
}
