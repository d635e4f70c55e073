// Preloaded into a process, writes down what it writes to a store's data.mdb, and when that was flushed.
//
//     LEYDEN_RECORD=FILE
//
// Each event is appended to the file, in native byte order:
//
//     u64  kind: 1 write, 2 write that is flushed with its return, 3 flush of all before, 4 new length
//     u64  offset, or length
//     u64  number of bytes, which follow
//
// The process itself may append events of further kinds.
#if defined(__linux__)
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

enum { WRITE = 1, FLUSHED_WRITE, FLUSH, LENGTH };

static int record = -1;

#define REAL(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

__attribute__((constructor)) static void start(void) {
  const char *path = getenv("LEYDEN_RECORD");
  if (path) record = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
}

static bool is_data(int file) {
  if (record < 0 || file == record) return false;
  char link[64], path[512];
  int saved = errno;
  snprintf(link, sizeof link, "/proc/self/fd/%d", file);
  ssize_t count = readlink(link, path, sizeof path - 1);
  errno = saved;
  if (count < 9) return false;
  path[count] = 0;
  return strcmp(path + count - 9, "/data.mdb") == 0;
}

static void note(uint64_t kind, uint64_t offset, const void *bytes, size_t count) {
  uint64_t head[3] = {kind, offset, count};
  struct iovec parts[2] = {{head, sizeof head}, {(void *)bytes, count}};
  int saved = errno;
  (void)!REAL(writev)(record, parts, 2);
  errno = saved;
}

static void note_write(int file, off_t offset, const void *bytes, ssize_t count) {
  if (count <= 0) return;
  bool is_flushed = fcntl(file, F_GETFL) & O_DSYNC;
  note(is_flushed ? FLUSHED_WRITE : WRITE, (uint64_t)offset, bytes, (size_t)count);
}

static void note_parts(int file, off_t offset, const struct iovec *parts, int count, ssize_t done) {
  for (int i = 0; i < count && done > 0; i += 1) {
    ssize_t size = (ssize_t)parts[i].iov_len < done ? (ssize_t)parts[i].iov_len : done;
    note_write(file, offset, parts[i].iov_base, size);
    offset += size;
    done -= size;
  }
}

ssize_t pwrite(int file, const void *bytes, size_t count, off_t offset) {
  ssize_t result = REAL(pwrite)(file, bytes, count, offset);
  if (is_data(file)) note_write(file, offset, bytes, result);
  return result;
}
ssize_t pwrite64(int file, const void *bytes, size_t count, off_t offset) {
  return pwrite(file, bytes, count, offset);
}
ssize_t pwritev(int file, const struct iovec *parts, int count, off_t offset) {
  ssize_t result = REAL(pwritev)(file, parts, count, offset);
  if (is_data(file)) note_parts(file, offset, parts, count, result);
  return result;
}
ssize_t write(int file, const void *bytes, size_t count) {
  if (!is_data(file)) return REAL(write)(file, bytes, count);
  off_t offset = lseek(file, 0, SEEK_CUR);
  ssize_t result = REAL(write)(file, bytes, count);
  note_write(file, offset, bytes, result);
  return result;
}
ssize_t writev(int file, const struct iovec *parts, int count) {
  if (!is_data(file)) return REAL(writev)(file, parts, count);
  off_t offset = lseek(file, 0, SEEK_CUR);
  ssize_t result = REAL(writev)(file, parts, count);
  note_parts(file, offset, parts, count, result);
  return result;
}
int fdatasync(int file) {
  int result = REAL(fdatasync)(file);
  if (result == 0 && is_data(file)) note(FLUSH, 0, NULL, 0);
  return result;
}
int fsync(int file) {
  int result = REAL(fsync)(file);
  if (result == 0 && is_data(file)) note(FLUSH, 0, NULL, 0);
  return result;
}
int ftruncate(int file, off_t size) {
  int result = REAL(ftruncate)(file, size);
  if (result == 0 && is_data(file)) note(LENGTH, (uint64_t)size, NULL, 0);
  return result;
}
int ftruncate64(int file, off_t size) { return ftruncate(file, size); }
#endif
