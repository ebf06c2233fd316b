#pragma once

#include <stddef.h>
#include <stdint.h>

/// A hash of a set of records that has no order: the XXH3-64 of each, added up modulo 2^64. So parts of the
/// set can be hashed apart, in any order, and their digests be added. A record has to say whose it is: two
/// sets with the same records have the same digest.

/// Adds `count` records that lie one behind the other, of `bytes` bytes each, to a digest.
uint64_t qdi_hash_sum_add(uint64_t digest, const unsigned char *records, size_t bytes, size_t count);
