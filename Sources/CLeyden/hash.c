#define _GNU_SOURCE  // memmem
#include "CLeydenHash.h"

#include <string.h>

#if defined(__aarch64__)
#include <arm_acle.h>
#if defined(__linux__)
#include <asm/hwcap.h>
#include <sys/auxv.h>
#endif
#elif defined(__x86_64__)
#include <nmmintrin.h>
#endif

// CRC-32C, by table.
//
// The table is linear: the entry of a byte is the sum of the entries of its bits, so eight numbers
// (the polynomial 0x82F63B78 shifted through 8 to 1 places) are the whole table.
#define BIT(n, bit, value) (((n) & (bit)) ? UINT32_C(value) : 0)
#define E1(n)                                                                              \
  (BIT(n, 0x80, 0x82F63B78) ^ BIT(n, 0x40, 0x417B1DBC) ^ BIT(n, 0x20, 0x20BD8EDE) ^        \
   BIT(n, 0x10, 0x105EC76F) ^ BIT(n, 0x08, 0x8AD958CF) ^ BIT(n, 0x04, 0xC79A971F) ^        \
   BIT(n, 0x02, 0xE13B70F7) ^ BIT(n, 0x01, 0xF26B8303))
#define E4(n) E1(n), E1((n) + 1), E1((n) + 2), E1((n) + 3)
#define E16(n) E4(n), E4((n) + 4), E4((n) + 8), E4((n) + 12)
#define E64(n) E16(n), E16((n) + 16), E16((n) + 32), E16((n) + 48)

static const uint32_t crc_table[256] = {E64(0), E64(64), E64(128), E64(192)};

uint32_t leyden_crc32c_portable(uint32_t seed, const void *bytes, size_t count) {
  const uint8_t *next = bytes;
  uint32_t crc = ~seed;
  for (; count > 0; count--) crc = crc_table[(crc ^ *next++) & 0xFF] ^ (crc >> 8);
  return ~crc;
}

// CRC-32C, by instruction: eight bytes at a time, then the rest one by one. Loads go through memcpy
// because records lie at any address.
#if defined(__x86_64__)

__attribute__((target("sse4.2"))) static uint32_t crc_hardware(
    uint32_t seed, const void *bytes, size_t count) {
  const uint8_t *next = bytes;
  uint64_t crc = (uint32_t)~seed;
  for (; count >= 8; count -= 8, next += 8) {
    uint64_t word;
    memcpy(&word, next, 8);
    crc = _mm_crc32_u64(crc, word);
  }
  for (; count > 0; count--) crc = _mm_crc32_u8((uint32_t)crc, *next++);
  return ~(uint32_t)crc;
}

static int has_hardware(void) { return __builtin_cpu_supports("sse4.2"); }

#elif defined(__aarch64__)

__attribute__((target("crc"))) static uint32_t crc_hardware(
    uint32_t seed, const void *bytes, size_t count) {
  const uint8_t *next = bytes;
  uint32_t crc = ~seed;
  for (; count >= 8; count -= 8, next += 8) {
    uint64_t word;
    memcpy(&word, next, 8);
    crc = __crc32cd(crc, word);
  }
  for (; count > 0; count--) crc = __crc32cb(crc, *next++);
  return ~crc;
}

#if defined(__linux__)
static int has_hardware(void) { return (getauxval(AT_HWCAP) & HWCAP_CRC32) != 0; }
#else
// Every 64-bit Apple processor that runs a supported system has the instructions.
static int has_hardware(void) { return 1; }
#endif

#else

static uint32_t crc_hardware(uint32_t seed, const void *bytes, size_t count) {
  return leyden_crc32c_portable(seed, bytes, count);
}

static int has_hardware(void) { return 0; }

#endif

uint32_t leyden_crc32c(uint32_t seed, const void *bytes, size_t count) {
  return has_hardware() ? crc_hardware(seed, bytes, count)
                        : leyden_crc32c_portable(seed, bytes, count);
}

// SipHash-2-4-128 (Aumasson and Bernstein, "SipHash: a fast short-input PRF").

static uint64_t rotate(uint64_t x, int bits) { return (x << bits) | (x >> (64 - bits)); }

static uint64_t load(const uint8_t *bytes, size_t count) {
  uint64_t word = 0;
  for (size_t i = 0; i < count; i++) word |= (uint64_t)bytes[i] << (8 * i);
  return word;
}

static void store(uint8_t *bytes, uint64_t word) {
  for (int i = 0; i < 8; i++) bytes[i] = (uint8_t)(word >> (8 * i));
}

static void sip_rounds(uint64_t v[4], int rounds) {
  for (; rounds > 0; rounds--) {
    v[0] += v[1];
    v[2] += v[3];
    v[1] = rotate(v[1], 13) ^ v[0];
    v[3] = rotate(v[3], 16) ^ v[2];
    v[0] = rotate(v[0], 32);
    v[2] += v[1];
    v[0] += v[3];
    v[1] = rotate(v[1], 17) ^ v[2];
    v[3] = rotate(v[3], 21) ^ v[0];
    v[2] = rotate(v[2], 32);
  }
}

void leyden_siphash128(
    const uint8_t key[16], const void *bytes, size_t count, uint8_t out[16]) {
  const uint8_t *next = bytes;
  uint64_t k0 = load(key, 8), k1 = load(key + 8, 8);
  // "somepseudorandomlygeneratedbytes", mixed with the key; 0xEE marks the long output.
  uint64_t v[4] = {
      k0 ^ UINT64_C(0x736F6D6570736575), k1 ^ UINT64_C(0x646F72616E646F6D) ^ 0xEE,
      k0 ^ UINT64_C(0x6C7967656E657261), k1 ^ UINT64_C(0x7465646279746573)};

  size_t left = count;
  for (; left >= 8; left -= 8, next += 8) {
    uint64_t word = load(next, 8);
    v[3] ^= word;
    sip_rounds(v, 2);
    v[0] ^= word;
  }
  uint64_t last = load(next, left) | (uint64_t)count << 56;
  v[3] ^= last;
  sip_rounds(v, 2);
  v[0] ^= last;

  v[2] ^= 0xEE;
  sip_rounds(v, 4);
  store(out, v[0] ^ v[1] ^ v[2] ^ v[3]);
  v[1] ^= 0xDD;
  sip_rounds(v, 4);
  store(out + 8, v[0] ^ v[1] ^ v[2] ^ v[3]);
}

const void *leyden_memmem(
    const void *bytes, size_t count, const void *needle, size_t needle_count) {
  return memmem(bytes, count, needle, needle_count);
}
