#define _GNU_SOURCE
#include "CLeyden.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#if defined(__linux__)
#include <limits.h>
#include <linux/futex.h>
#include <sys/syscall.h>
#include <sys/vfs.h>
#elif defined(__APPLE__)
#include <sys/sysctl.h>
#endif

#define NANOSECONDS_PER_SECOND 1000000000LL

static struct timespec duration(int64_t nanoseconds) {
  struct timespec result = {.tv_sec = (time_t)(nanoseconds / NANOSECONDS_PER_SECOND),
                            .tv_nsec = (long)(nanoseconds % NANOSECONDS_PER_SECOND)};
  return result;
}

// Monitor

struct leyden_monitor {
  pthread_mutex_t mutex;
  pthread_cond_t condition;
};

static void monitor_start(leyden_monitor *monitor) {
  pthread_mutex_init(&monitor->mutex, NULL);
#if defined(__APPLE__)
  pthread_cond_init(&monitor->condition, NULL);
#else
  // The wall clock may be set back while somebody waits.
  pthread_condattr_t attributes;
  pthread_condattr_init(&attributes);
  pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
  pthread_cond_init(&monitor->condition, &attributes);
  pthread_condattr_destroy(&attributes);
#endif
}

leyden_monitor *leyden_monitor_create(void) {
  leyden_monitor *monitor = malloc(sizeof *monitor);
  if (!monitor) abort();
  monitor_start(monitor);
  return monitor;
}

void leyden_monitor_destroy(leyden_monitor *monitor) {
  pthread_cond_destroy(&monitor->condition);
  pthread_mutex_destroy(&monitor->mutex);
  free(monitor);
}

void leyden_monitor_lock(leyden_monitor *monitor) { pthread_mutex_lock(&monitor->mutex); }
void leyden_monitor_unlock(leyden_monitor *monitor) { pthread_mutex_unlock(&monitor->mutex); }
void leyden_monitor_broadcast(leyden_monitor *monitor) { pthread_cond_broadcast(&monitor->condition); }

bool leyden_monitor_wait(leyden_monitor *monitor, int64_t nanoseconds) {
  if (nanoseconds < 0) {
    pthread_cond_wait(&monitor->condition, &monitor->mutex);
    return true;
  }
  struct timespec span = duration(nanoseconds);
#if defined(__APPLE__)
  return pthread_cond_timedwait_relative_np(&monitor->condition, &monitor->mutex, &span) == 0;
#else
  struct timespec until;
  clock_gettime(CLOCK_MONOTONIC, &until);
  until.tv_sec += span.tv_sec;
  until.tv_nsec += span.tv_nsec;
  if (until.tv_nsec >= NANOSECONDS_PER_SECOND) {
    until.tv_sec += 1;
    until.tv_nsec -= NANOSECONDS_PER_SECOND;
  }
  return pthread_cond_timedwait(&monitor->condition, &monitor->mutex, &until) == 0;
#endif
}

// Process and fork

static leyden_monitor process_monitor;
static pthread_once_t process_once = PTHREAD_ONCE_INIT;
static uint64_t fork_generation;

static void before_fork(void) { pthread_mutex_lock(&process_monitor.mutex); }
static void after_fork_in_parent(void) { pthread_mutex_unlock(&process_monitor.mutex); }

static void after_fork_in_child(void) {
  // Fresh ones: the condition may count waiters that did not come along.
  monitor_start(&process_monitor);
  __atomic_fetch_add(&fork_generation, 1, __ATOMIC_SEQ_CST);
  // The lock stayed with the parent.
  leyden_thread_state()->writing = NULL;
}

static void process_start(void) {
  monitor_start(&process_monitor);
  pthread_atfork(before_fork, after_fork_in_parent, after_fork_in_child);
}

leyden_monitor *leyden_process_monitor(void) {
  pthread_once(&process_once, process_start);
  return &process_monitor;
}

uint64_t leyden_fork_generation(void) { return __atomic_load_n(&fork_generation, __ATOMIC_RELAXED); }

// Machine

#if defined(__APPLE__)
static bool read_boot_identity(char *text, size_t size) {
  return sysctlbyname("kern.bootsessionuuid", text, &size, NULL, 0) == 0;
}
#else
static bool read_boot_identity(char *text, size_t size) {
  int file = open("/proc/sys/kernel/random/boot_id", O_RDONLY | O_CLOEXEC);
  if (file < 0) return false;
  ssize_t count = read(file, text, size - 1);
  close(file);
  if (count < 0) return false;
  text[count] = 0;
  return true;
}
#endif

static int digit(char character) {
  if (character >= '0' && character <= '9') return character - '0';
  if (character >= 'a' && character <= 'f') return character - 'a' + 10;
  if (character >= 'A' && character <= 'F') return character - 'A' + 10;
  return -1;
}

bool leyden_boot_identity(uint8_t identity[16]) {
  char text[64] = {0};
  uint8_t bytes[16] = {0};
  int digits = 0;
  memset(identity, 0, 16);
  if (!read_boot_identity(text, sizeof text)) return false;
  for (const char *next = text; *next && digits < 32; next += 1) {
    int value = digit(*next);
    if (value < 0) continue;
    bytes[digits / 2] = (uint8_t)(bytes[digits / 2] << 4 | value);
    digits += 1;
  }
  if (digits != 32) return false;
  memcpy(identity, bytes, 16);
  return true;
}

uint32_t leyden_library_identity(void) {
#if defined(__GLIBC__)
  uint32_t library = 1;
#elif defined(__APPLE__)
  uint32_t library = 3;
#else
  uint32_t library = 2;
#endif
  return library << 16 | (uint32_t)sizeof(pthread_mutex_t);
}

static uint64_t address_space_used(void) {
  unsigned long long pages = 0;
  FILE *file = fopen("/proc/self/statm", "re");
  if (!file) return 0;
  if (fscanf(file, "%llu", &pages) != 1) pages = 0;
  fclose(file);
  return pages * (uint64_t)sysconf(_SC_PAGESIZE);
}

uint64_t leyden_address_space_left(void) {
  struct rlimit limit;
  if (getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return UINT64_MAX;
  uint64_t used = address_space_used();
  return limit.rlim_cur > used ? limit.rlim_cur - used : 0;
}

uint64_t leyden_file_size_limit(void) {
  struct rlimit limit;
  if (getrlimit(RLIMIT_FSIZE, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return UINT64_MAX;
  return limit.rlim_cur;
}

int leyden_reserve(int descriptor, int64_t start, int64_t size) {
  if ((uint64_t)(start + size) > leyden_file_size_limit()) return EFBIG;
#if defined(__linux__)
  int result = fallocate(descriptor, FALLOC_FL_KEEP_SIZE, (off_t)start, (off_t)size);
  // Not every file system can, and not every failure is a lack of room: there is nothing to keep then.
  if (result != 0 && (errno == ENOSPC || errno == EDQUOT || errno == EFBIG)) return errno;
#endif
  return 0;
}

static int take_status(int result, const struct stat *from, leyden_file_status *status) {
  if (result != 0) return -1;
  status->device = (uint64_t)from->st_dev;
  status->inode = (uint64_t)from->st_ino;
  status->size = (int64_t)from->st_size;
  status->names = (uint64_t)from->st_nlink;
  status->is_file = S_ISREG(from->st_mode);
  return 0;
}

int leyden_file_status_of(int descriptor, leyden_file_status *status) {
  struct stat found;
  return take_status(fstat(descriptor, &found), &found, status);
}

int leyden_file_status_at(int directory, const char *name, leyden_file_status *status) {
  struct stat found;
  return take_status(fstatat(directory, name, &found, 0), &found, status);
}

int leyden_is_locked_elsewhere(int descriptor) {
  struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET, .l_start = 0, .l_len = 1};
  if (fcntl(descriptor, F_GETLK, &lock) != 0) return -1;
  return lock.l_type != F_UNLCK;
}

int leyden_lock_file_in_use(int directory, const char *name) {
  int file;
  // To look, no right to write is needed; a pipe must not make it wait for ever.
  do file = openat(directory, name, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
  while (file < 0 && errno == EINTR);
  if (file < 0) return errno == ENOENT ? 0 : -1;
  int in_use = leyden_is_locked_elsewhere(file);
  int code = errno;
  close(file);
  errno = code;
  return in_use;
}

int32_t leyden_process_of_thread(int32_t thread) {
  char path[64], line[256];
  int process = thread;
  snprintf(path, sizeof path, "/proc/%d/status", (int)thread);
  FILE *file = fopen(path, "re");
  if (!file) return thread;
  while (fgets(line, sizeof line, file) && sscanf(line, "Tgid: %d", &process) != 1) {
  }
  fclose(file);
  return process;
}

int leyden_take_rights(int directory, const char *from, const char *to) {
  struct stat found;
  if (fstatat(directory, from, &found, 0) != 0) return -1;
  // First the owner: changing it may take bits of the mode away.
  if (fchownat(directory, to, found.st_uid, found.st_gid, 0) != 0 &&
      fchownat(directory, to, (uid_t)-1, found.st_gid, 0) != 0 && errno != EPERM) {
    return -1;
  }
  return fchmodat(directory, to, found.st_mode & 07777, 0);
}

int leyden_rename_new(int directory, const char *from, const char *to) {
#if defined(__APPLE__)
  int result = renameatx_np(directory, from, directory, to, RENAME_EXCL);
  if (result == 0 || (errno != ENOTSUP && errno != EINVAL)) return result;
#else
  long result = syscall(SYS_renameat2, directory, from, directory, to, 1 /* RENAME_NOREPLACE */);
  if (result == 0 || (errno != ENOSYS && errno != EINVAL)) return (int)result;
#endif
  // A file system that cannot do both at once.
  struct stat found;
  if (fstatat(directory, to, &found, AT_SYMLINK_NOFOLLOW) == 0) {
    errno = EEXIST;
    return -1;
  }
  return renameat(directory, from, directory, to);
}

// Sleeping on a word of shared memory

#if defined(__linux__)
uint32_t leyden_file_system_kind(int descriptor) {
  struct statfs status;
  return fstatfs(descriptor, &status) == 0 ? (uint32_t)status.f_type : 0;
}

int leyden_allocate(int descriptor, int64_t bytes) { return fallocate(descriptor, 0, 0, bytes); }

void leyden_word_wait(const uint32_t *word, uint32_t expected, int64_t nanoseconds) {
  struct timespec span = duration(nanoseconds);
  syscall(SYS_futex, word, FUTEX_WAIT, expected, &span, NULL, 0);
}

void leyden_word_wake(const uint32_t *word) {
  syscall(SYS_futex, word, FUTEX_WAKE, INT_MAX, NULL, NULL, 0);
}
#endif

uint64_t leyden_uptime(void) {
  struct timespec now;
#if defined(CLOCK_MONOTONIC_COARSE)
  clock_gettime(CLOCK_MONOTONIC_COARSE, &now);
#else
  clock_gettime(CLOCK_MONOTONIC, &now);
#endif
  return (uint64_t)now.tv_sec;
}
