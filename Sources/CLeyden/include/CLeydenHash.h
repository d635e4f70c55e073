#pragma once
#include <stddef.h>
#include <stdint.h>

// CRC-32C (Castagnoli, reflected, initial and final value inverted). `seed` is 0, or the result for
// the bytes before: leyden_crc32c(leyden_crc32c(0, a), b) is the checksum of a followed by b.
// `bytes` may be null where `count` is 0.
uint32_t leyden_crc32c(uint32_t seed, const void *_Nullable bytes, size_t count);

// The same function by table alone: what runs where the processor has no instruction for it.
uint32_t leyden_crc32c_portable(uint32_t seed, const void *_Nullable bytes, size_t count);

// SipHash-2-4 with 128 bits of output, as its authors published it.
void leyden_siphash128(
    const uint8_t key[_Nonnull 16], const void *_Nullable bytes, size_t count,
    uint8_t out[_Nonnull 16]);

// The first place of `needle` in `bytes`, or null. An empty needle is found at the start.
const void *_Nullable leyden_memmem(
    const void *_Nonnull bytes, size_t count, const void *_Nonnull needle, size_t needle_count);
