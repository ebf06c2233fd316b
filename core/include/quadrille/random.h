#ifndef QUADRILLE_RANDOM_H
#define QUADRILLE_RANDOM_H

#include <quadrille/api.h>
#include <stdint.h>

QD_BEGIN_DECLS

/// Counter-based random numbers (Philox4x32-10; Salmon, Moraes, Dror and Shaw, "Parallel random numbers: as
/// easy as 1, 2, 3", SC11): a number is a function of its key and nothing else, so any thread can draw any
/// number in any order. A key is (seed, stream, use, counter): the run's seed, usually a body's index, what
/// the number is for, and which draw it is. Different keys give independent numbers.
typedef struct qd_random {
    uint64_t seed;
    uint64_t stream;
    uint32_t use;
    uint32_t counter; ///< grows by one with each call below that takes a pointer
} qd_random;

/// The generator for one key, at its first draw. Any thread.
QD_API qd_random qd_random_at(uint64_t seed, uint64_t stream, uint32_t use);

/// 64 random bits.
QD_API uint64_t qd_random_bits(qd_random *random);

/// Uniform in [0, 1), a multiple of 2^-53.
QD_API double qd_random_uniform(qd_random *random);

/// Normal with mean 0 and standard deviation 1 (Box-Muller, by qd_log and qd_sincos).
QD_API double qd_random_normal(qd_random *random);

QD_END_DECLS

#endif
