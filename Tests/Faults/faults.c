// Preloaded into a process, lets one of its system calls about a store fail, or kills it there.
//
//     LEYDEN_FAULT=KIND:N
//
// The N-th call that touches a file below a directory called *.leyden meets a fault of a KIND:
//
//     eio, enospc, eintr   the call fails and does nothing
//     short                a write or read does half of what was asked for
//     before, after        the process is killed before or after the call
//     torn                 the process is killed when half of a write is done
//
// For `before` and `after`, locking and unlocking LMDB's mutexes counts as well: between the commit and the
// bell there is no system call. Says on standard error which call it was; who hears nothing has come
// through unharmed.
//
// An order may name calls, `KIND:N:CALL,CALL`, and `N+` stands for the N-th and all that follow. Writing one
// of the two first pages of data.mdb is the call `meta`. A process may order for itself, from now on,
// with `leyden_faults_order`. LEYDEN_FILE_SYSTEM=NUMBER lets stores be on that kind of file system,
// LEYDEN_PAGE_SIZE=BYTES the machine have such pages.
#if defined(__linux__)
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/vfs.h>
#include <unistd.h>

enum kind { NONE, FAIL, SHORT, BEFORE, AFTER, TORN };

static enum kind kind = NONE;
static int failure;
static long target;
static bool goes_on;
static char only[64];
static atomic_long calls;
static char *_Atomic lock_map;
static size_t lock_size;

// Takes an order, from the next call on; NULL is none.
__attribute__((visibility("default"))) void leyden_faults_order(const char *order) {
  kind = NONE;
  const char *number = order ? strchr(order, ':') : NULL;
  if (!number) return;
  size_t length = (size_t)(number - order);
  char *rest;
  target = strtol(number + 1, &rest, 10);
  goes_on = *rest == '+';
  if (goes_on) rest += 1;
  snprintf(only, sizeof only, "%s", *rest == ':' ? rest + 1 : "");
  atomic_store(&calls, 0);
  struct { const char *name; enum kind kind; int failure; } kinds[] = {
      {"eio", FAIL, EIO},     {"enospc", FAIL, ENOSPC}, {"eintr", FAIL, EINTR},
      {"short", SHORT, 0},    {"before", BEFORE, 0},    {"after", AFTER, 0},
      {"torn", TORN, 0},
  };
  for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i += 1) {
    if (strlen(kinds[i].name) != length || strncmp(order, kinds[i].name, length)) continue;
    failure = kinds[i].failure;
    kind = kinds[i].kind;
  }
}

__attribute__((constructor)) static void start(void) { leyden_faults_order(getenv("LEYDEN_FAULT")); }

#define REAL(name) ((__typeof__(&name))real(#name))
static void *real(const char *name) { return dlsym(RTLD_NEXT, name); }

static void tell(const char *call, const char *path) {
  char text[600];
  const char *slash = strrchr(path, '/');
  int count = snprintf(text, sizeof text, "fault %s %s\n", call, slash ? slash + 1 : path);
  if (count > 0) (void)!REAL(write)(STDERR_FILENO, text, (size_t)count);
}

static void die(void) {
  kill(getpid(), SIGKILL);
  for (;;) pause();
}

// Where a descriptor leads; false where that is no part of a store.
static bool place(int descriptor, char path[512]) {
  char link[64];
  int saved = errno;
  snprintf(link, sizeof link, "/proc/self/fd/%d", descriptor);
  ssize_t count = readlink(link, path, 511);
  errno = saved;
  if (count < 0) return false;
  path[count] = 0;
  return strstr(path, ".leyden") != NULL;
}

// Whether an order that names calls names this one.
static bool is_named(const char *call) {
  size_t length = strlen(call);
  for (const char *name = only; name; name = strchr(name, ',') ? strchr(name, ',') + 1 : NULL)
    if (!strncmp(name, call, length) && (name[length] == 0 || name[length] == ',')) return true;
  return false;
}

static bool is_due(const char *call, const char *path) {
  if (*only && !is_named(call)) return false;
  long number = atomic_fetch_add(&calls, 1) + 1;
  if (goes_on ? number < target : number != target) return false;
  tell(call, path);
  if (kind == BEFORE) die();
  return true;
}

// The body of a call about a descriptor: `act` does it, and `half` half of it where it `has_half`.
#define CALL_WITH_HALF(name, descriptor, act, has_half, half, failed)   \
  char path[512];                                                       \
  bool halves = kind == SHORT || kind == TORN;                          \
  if (kind == NONE || (halves && !(has_half))) return act;              \
  if (!place(descriptor, path) || !is_due(name, path)) return act;      \
  if (kind == FAIL) {                                                   \
    errno = failure;                                                    \
    return failed;                                                      \
  }                                                                     \
  if (kind == SHORT) return half;                                       \
  __typeof__(act) result = kind == TORN ? half : act;                   \
  if (kind != BEFORE) die();                                            \
  return result
#define CALL(name, descriptor, act, failed) \
  CALL_WITH_HALF(name, descriptor, act, false, failed, failed)

// Of a read there is no half that somebody else could see.
#define IS_WRITE(count) ((count) > 1)
#define IS_READ(count) ((count) > 1 && kind == SHORT)

ssize_t pwrite(int file, const void *bytes, size_t count, off_t offset) {
  // As the pages of this machine are.
  CALL_WITH_HALF(offset < 2 * 4096 ? "meta" : "pwrite", file, REAL(pwrite)(file, bytes, count, offset), IS_WRITE(count),
                 REAL(pwrite)(file, bytes, count / 2, offset), -1);
}
ssize_t pwrite64(int file, const void *bytes, size_t count, off_t offset) {
  return pwrite(file, bytes, count, offset);
}
ssize_t pread(int file, void *bytes, size_t count, off_t offset) {
  CALL_WITH_HALF("pread", file, REAL(pread)(file, bytes, count, offset), IS_READ(count),
                 REAL(pread)(file, bytes, count / 2, offset), -1);
}
ssize_t pread64(int file, void *bytes, size_t count, off_t offset) {
  return pread(file, bytes, count, offset);
}
ssize_t write(int file, const void *bytes, size_t count) {
  CALL_WITH_HALF("write", file, REAL(write)(file, bytes, count), IS_WRITE(count),
                 REAL(write)(file, bytes, count / 2), -1);
}
ssize_t writev(int file, const struct iovec *parts, int count) {
  CALL_WITH_HALF("writev", file, REAL(writev)(file, parts, count), IS_WRITE(count),
                 REAL(writev)(file, parts, count / 2), -1);
}
ssize_t pwritev(int file, const struct iovec *parts, int count, off_t offset) {
  CALL_WITH_HALF("pwritev", file, REAL(pwritev)(file, parts, count, offset), IS_WRITE(count),
                 REAL(pwritev)(file, parts, count / 2, offset), -1);
}
int fdatasync(int file) { CALL("fdatasync", file, REAL(fdatasync)(file), -1); }
int fsync(int file) { CALL("fsync", file, REAL(fsync)(file), -1); }
int ftruncate(int file, off_t size) {
  CALL("ftruncate", file, REAL(ftruncate)(file, size), -1);
}
int ftruncate64(int file, off_t size) { return ftruncate(file, size); }
int fallocate(int file, int mode, off_t offset, off_t size) {
  CALL("fallocate", file, REAL(fallocate)(file, mode, offset, size), -1);
}
int posix_fallocate(int file, off_t offset, off_t size) {
  CALL("posix_fallocate", file, REAL(posix_fallocate)(file, offset, size), failure);
}

// A lock file's map is remembered: its mutexes are LMDB's.
static void *map(void *address, size_t size, int protection, int flags, int file, off_t offset) {
  CALL("mmap", file, REAL(mmap)(address, size, protection, flags, file, offset), MAP_FAILED);
}
void *mmap(void *address, size_t size, int protection, int flags, int file, off_t offset) {
  if (file < 0 || kind == NONE)
    return REAL(mmap)(address, size, protection, flags, file, offset);
  void *result = map(address, size, protection, flags, file, offset);
  char path[512];
  if (result != MAP_FAILED && place(file, path) && strstr(path, "lock.mdb")) {
    lock_size = size;
    lock_map = result;
  }
  return result;
}
void *mmap64(void *address, size_t size, int protection, int flags, int file, off_t offset) {
  return mmap(address, size, protection, flags, file, offset);
}
int munmap(void *address, size_t size) {
  if (address == lock_map) lock_map = NULL;
  return REAL(munmap)(address, size);
}

static int open_counted(int directory, const char *name, int flags, mode_t mode) {
  char path[512];
  bool is_ours = strstr(name, ".leyden") || (directory >= 0 && place(directory, path));
  if (kind == NONE || kind == SHORT || kind == TORN || !is_ours || strncmp(name, "/proc", 5) == 0)
    return REAL(openat)(directory, name, flags, mode);
  if (!is_due("open", name)) return REAL(openat)(directory, name, flags, mode);
  if (kind == FAIL) {
    errno = failure;
    return -1;
  }
  int result = REAL(openat)(directory, name, flags, mode);
  if (kind == AFTER) die();
  return result;
}
#define MODE(flags)                                   \
  mode_t mode = 0;                                    \
  if (flags & (O_CREAT | O_TMPFILE)) {                \
    va_list rest;                                     \
    va_start(rest, flags);                            \
    mode = (mode_t)va_arg(rest, int);                 \
    va_end(rest);                                     \
  }
int open(const char *name, int flags, ...) {
  MODE(flags)
  return open_counted(AT_FDCWD, name, flags, mode);
}
int open64(const char *name, int flags, ...) {
  MODE(flags)
  return open_counted(AT_FDCWD, name, flags, mode);
}
int openat(int directory, const char *name, int flags, ...) {
  MODE(flags)
  return open_counted(directory, name, flags, mode);
}
int openat64(int directory, const char *name, int flags, ...) {
  MODE(flags)
  return open_counted(directory, name, flags, mode);
}
int renameat(int from, const char *old, int to, const char *new) {
  CALL("renameat", from, REAL(renameat)(from, old, to, new), -1);
}
int linkat(int from, const char *old, int to, const char *new, int flags) {
  CALL("linkat", from, REAL(linkat)(from, old, to, new, flags), -1);
}
int unlinkat(int directory, const char *name, int flags) {
  CALL("unlinkat", directory, REAL(unlinkat)(directory, name, flags), -1);
}
int fchmodat(int directory, const char *name, mode_t mode, int flags) {
  CALL("fchmodat", directory, REAL(fchmodat)(directory, name, mode, flags), -1);
}
int flock(int file, int operation) {
  // Giving a lock back does not fail.
  if (operation == LOCK_UN && kind == FAIL) return REAL(flock)(file, operation);
  CALL("flock", file, REAL(flock)(file, operation), -1);
}

// The body of a call about a path.
#define CALL_AT(name, path, act)                                        \
  bool is_other = kind == NONE || kind == SHORT || kind == TORN;        \
  if (is_other || !strstr(path, ".leyden")) return act;                 \
  if (!is_due(name, path)) return act;                                  \
  if (kind == FAIL) {                                                   \
    errno = failure;                                                    \
    return -1;                                                          \
  }                                                                     \
  __typeof__(act) result = act;                                         \
  if (kind != BEFORE) die();                                            \
  return result

int mkdir(const char *path, mode_t mode) { CALL_AT("mkdir", path, REAL(mkdir)(path, mode)); }
int rmdir(const char *path) { CALL_AT("rmdir", path, REAL(rmdir)(path)); }

static long rename_new(long from, long old, long to, long new, long flags) {
  CALL_AT("renameat2", (const char *)new,
          REAL(syscall)(SYS_renameat2, from, old, to, new, flags));
}
long syscall(long number, ...) {
  va_list rest;
  va_start(rest, number);
  long values[6];
  for (int i = 0; i < 6; i += 1) values[i] = va_arg(rest, long);
  va_end(rest);
  if (number == SYS_renameat2)
    return rename_new(values[0], values[1], values[2], values[3], values[4]);
  return REAL(syscall)(number, values[0], values[1], values[2], values[3], values[4], values[5]);
}

int fstatfs(int file, struct statfs *status) {
  int result = REAL(fstatfs)(file, status);
  const char *number = getenv("LEYDEN_FILE_SYSTEM");
  char path[512];
  if (result == 0 && number && place(file, path))
    status->f_type = (__typeof__(status->f_type))strtoul(number, NULL, 0);
  return result;
}
long sysconf(int name) {
  const char *size = name == _SC_PAGESIZE ? getenv("LEYDEN_PAGE_SIZE") : NULL;
  return size ? atol(size) : REAL(sysconf)(name);
}
int fstatfs64(int file, struct statfs64 *status) { return fstatfs(file, (struct statfs *)status); }

static bool is_lmdbs(const pthread_mutex_t *mutex) {
  char *start = lock_map;
  return start && (kind == BEFORE || kind == AFTER) && (const char *)mutex >= start
         && (const char *)mutex < start + lock_size;
}
int pthread_mutex_lock(pthread_mutex_t *mutex) {
  static __typeof__(&pthread_mutex_lock) lock;
  if (!lock) lock = REAL(pthread_mutex_lock);
  if (!is_lmdbs(mutex) || !is_due("lock", "lock.mdb")) return lock(mutex);
  int result = lock(mutex);
  die();
  return result;
}
int pthread_mutex_unlock(pthread_mutex_t *mutex) {
  static __typeof__(&pthread_mutex_unlock) unlock;
  if (!unlock) unlock = REAL(pthread_mutex_unlock);
  if (!is_lmdbs(mutex) || !is_due("unlock", "lock.mdb")) return unlock(mutex);
  int result = unlock(mutex);
  die();
  return result;
}
#endif
