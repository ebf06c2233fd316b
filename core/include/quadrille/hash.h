#ifndef QUADRILLE_HASH_H
#define QUADRILLE_HASH_H

#include <quadrille/api.h>
#include <stddef.h>
#include <stdint.h>

QD_BEGIN_DECLS

/// XXH3-64 of `bytes` bytes. Any thread.
QD_API uint64_t qd_hash_bytes(const void *data, size_t bytes);

/// XXH3-64 with a seed; chains hashes: h = qd_hash_seeded(part, size, h).
QD_API uint64_t qd_hash_seeded(const void *data, size_t bytes, uint64_t seed);

/// A well mixed function of two 64-bit numbers, for priorities and checksums of pairs.
QD_API uint64_t qd_hash_mix(uint64_t a, uint64_t b);

QD_END_DECLS

#endif
