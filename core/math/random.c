#include <quadrille/random.h>

#include "core/base/arithmetic.h"
#include "core/math/philox.h"

#include <math.h>
#include <quadrille/math.h>
#include <string.h>

// Multipliers and key increments are those of the paper; the increments are the golden ratio and sqrt(3) - 1.
void qdi_philox(const uint32_t counter[4], const uint32_t key[2], uint32_t block[4]) {
    uint32_t c[4], k[2];
    memcpy(c, counter, sizeof c);
    memcpy(k, key, sizeof k);
    for (int round = 0; round < 10; ++round) {
        const uint64_t first = (uint64_t)c[0] * UINT32_C(0xd2511f53);
        const uint64_t second = (uint64_t)c[2] * UINT32_C(0xcd9e8d57);
        const uint32_t next[4] = {(uint32_t)(second >> 32) ^ c[1] ^ k[0], (uint32_t)second,
                                  (uint32_t)(first >> 32) ^ c[3] ^ k[1], (uint32_t)first};
        memcpy(c, next, sizeof c);
        k[0] += UINT32_C(0x9e3779b9);
        k[1] += UINT32_C(0xbb67ae85);
    }
    memcpy(block, c, sizeof c);
}

// Draws a block of random bits (Philox).
// The block at the generator's place, as two numbers of 64 bits. The key's parts go to counter and key of
// Philox side by side, so no two keys meet.
static void philox_block(qd_random *random, uint64_t numbers[2]) {
    const uint32_t counter[4] = {(uint32_t)random->stream, (uint32_t)(random->stream >> 32), random->use,
                                 random->counter};
    const uint32_t key[2] = {(uint32_t)random->seed, (uint32_t)(random->seed >> 32)};
    uint32_t block[4];
    qdi_philox(counter, key, block);
    random->counter += 1;
    numbers[0] = (uint64_t)block[1] << 32 | block[0];
    numbers[1] = (uint64_t)block[3] << 32 | block[2];
}

// A uniform random number in [0, 1), from the upper 53 bits.
static double uniform_from_bits(uint64_t bits) {
    return (double)(bits >> 11) * 0x1p-53;
}

qd_random qd_random_at(uint64_t seed, uint64_t stream, uint32_t use) {
    return (qd_random){.seed = seed, .stream = stream, .use = use, .counter = 0};
}

uint64_t qd_random_bits(qd_random *random) {
    uint64_t numbers[2];
    philox_block(random, numbers);
    return numbers[0];
}

double qd_random_uniform(qd_random *random) {
    return uniform_from_bits(qd_random_bits(random));
}

// A normally distributed random number, from two uniform ones.
// G. E. P. Box and M. E. Muller, "A note on the generation of random normal deviates", Annals of Mathematical
// Statistics 29, 1958. Both uniform numbers come from one block; the first is taken from 1, so that it is
// never 0.
static double draw_normal(qd_random *random) {
    const double two_pi = 0x1.921fb54442d18p+2;
    uint64_t numbers[2];
    philox_block(random, numbers);
    const double radius = sqrt(-2.0 * qd_log(1.0 - uniform_from_bits(numbers[0])));
    return radius * qd_cos(two_pi * uniform_from_bits(numbers[1]));
}

double qd_random_normal(qd_random *random) {
    QDI_RESTORED qdi_arithmetic caller = qdi_arithmetic_standard();
    double result = draw_normal(random);
    QDI_SETTLE(result);
    return result;
}
