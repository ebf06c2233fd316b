#pragma once

#include <stdint.h>
#include <string.h>

/// WIDTH numbers at a time, for kernels that each instruction set has its own copy of: WIDTH is known before.
/// Vectors are the compiler's own (GNU C), and no operation's result depends on how many are done at once. An
/// instruction set with masks of its own says before what `vec` and `mask` are, and has BELOW and v_pick.

#ifndef BELOW
typedef double vec __attribute__((vector_size(WIDTH * sizeof(double))));
typedef int64_t mask __attribute__((vector_size(WIDTH * sizeof(int64_t)))); // all bits of a lane, or none
#    define BELOW(a, b) ((mask)((a) < (b)))
/// Lanes: of each the number of `a` where the mask is set, else of `b`.
static inline vec v_pick(mask lanes, vec a, vec b) {
    return (vec)(((mask)a & lanes) | ((mask)b & ~lanes));
}
#endif
typedef int64_t vec_bits __attribute__((vector_size(WIDTH * sizeof(int64_t))));

/// Lanes: loads a vector of numbers.
static inline vec v_load(const double *from) {
    vec value;
    memcpy(&value, from, sizeof value);
    return value;
}
/// Lanes: stores a vector of numbers.
static inline void v_store(double *to, vec value) {
    memcpy(to, &value, sizeof value);
}
/// Lanes: a vector of one number in each.
static inline vec v_set(double value) {
    return value - (vec){0};
}
/// Lanes: the absolute values of a vector.
static inline vec v_abs(vec value) {
    return (vec)((vec_bits)value & INT64_MAX);
}
