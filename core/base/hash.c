#include <quadrille/hash.h>

#include <xxhash.h>
#if defined(__x86_64__) && __has_include(<xxh_x86dispatch.h>)
#    include <xxh_x86dispatch.h> // the same functions, with the widest instructions that the processor has
#endif

uint64_t qd_hash_bytes(const void *data, size_t bytes) {
    return XXH3_64bits(data, bytes);
}

uint64_t qd_hash_seeded(const void *data, size_t bytes, uint64_t seed) {
    return XXH3_64bits_withSeed(data, bytes, seed);
}

// A bijection of 64-bit numbers: the finalizer of SplitMix64 (Steele, Lea and Flood, "Fast splittable
// pseudorandom number generators", OOPSLA 2014; its constants are David Stafford's "variant 13").
static uint64_t hash_finalize(uint64_t z) {
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

uint64_t qd_hash_mix(uint64_t a, uint64_t b) {
    const uint64_t golden_ratio = UINT64_C(0x9e3779b97f4a7c15);
    return hash_finalize(hash_finalize(a + golden_ratio) + b + golden_ratio);
}
