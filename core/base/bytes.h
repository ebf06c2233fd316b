#pragma once

#include <stdint.h>
#include <string.h>

/// Numbers as little-endian bytes, whatever the machine: what is stored or hashed is the same everywhere.
/// Each call moves the cursor on; the caller has made sure that there is room.

/// Little-endian bytes: a number whose bytes in memory are those of `value`, least byte first. Compilers make
/// one move of it, which they do not of a loop over bytes.
static inline uint64_t qdi_little_u64(uint64_t value) {
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    return __builtin_bswap64(value);
#else
    return value;
#endif
}

/// Little-endian bytes: appends a 32-bit number, least byte first.
static inline void qdi_put_u32(unsigned char **at, uint32_t value) {
    for (int k = 0; k < 4; ++k) (*at)[k] = (unsigned char)(value >> (8 * k));
    *at += 4;
}

/// Little-endian bytes: appends a 64-bit number, least byte first.
static inline void qdi_put_u64(unsigned char **at, uint64_t value) {
    const uint64_t bytes = qdi_little_u64(value);
    memcpy(*at, &bytes, sizeof bytes);
    *at += sizeof bytes;
}

/// Little-endian bytes: appends the bits of a double.
static inline void qdi_put_f64(unsigned char **at, double value) {
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    qdi_put_u64(at, bits);
}

/// Little-endian bytes: reads what qdi_put_u32 wrote.
static inline uint32_t qdi_get_u32(const unsigned char **at) {
    uint32_t value = 0;
    for (int k = 0; k < 4; ++k) value |= (uint32_t)(*at)[k] << (8 * k);
    *at += 4;
    return value;
}

/// Little-endian bytes: reads what qdi_put_u64 wrote.
static inline uint64_t qdi_get_u64(const unsigned char **at) {
    uint64_t bytes;
    memcpy(&bytes, *at, sizeof bytes);
    *at += sizeof bytes;
    return qdi_little_u64(bytes);
}

/// Little-endian bytes: reads what qdi_put_f64 wrote.
static inline double qdi_get_f64(const unsigned char **at) {
    uint64_t bits = qdi_get_u64(at);
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}
