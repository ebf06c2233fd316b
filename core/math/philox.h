#pragma once

#include <stdint.h>

/// One block of Philox4x32-10 (see quadrille/random.h): four random words from a counter of four words and a
/// key of two. For a fixed key it is a bijection, so different counters never give the same block.
void qdi_philox(const uint32_t counter[4], const uint32_t key[2], uint32_t block[4]);
