// Two lanes, for arm64: every one has them. Those whose bytes lie highest first go without.
#include "sim/rigid/solver.h"
#include "sim/world/scratch.h"

#ifdef __AARCH64EL__
#    include <arm_neon.h>

enum { WIDTH = 2 };
typedef float64x2_t vec;
typedef uint64x2_t mask;

/// Contact solver, NEON: loads two doubles.
static inline vec v_load(const double *from) {
    return vld1q_f64(from);
}
/// Contact solver, NEON: stores two doubles.
static inline void v_store(double *to, vec value) {
    vst1q_f64(to, value);
}
/// Contact solver, NEON: the same value in two doubles.
static inline vec v_set(double value) {
    return vdupq_n_f64(value);
}
/// Contact solver, NEON: the smaller ones of two doubles, those of b where they are equal.
static inline vec v_min(vec a, vec b) {
    return vbslq_f64(vcltq_f64(a, b), a, b);
}
/// Contact solver, NEON: the larger ones of two doubles, those of b where they are equal.
static inline vec v_max(vec a, vec b) {
    return vbslq_f64(vcgtq_f64(a, b), a, b);
}
/// Contact solver, NEON: a mask of those of a that are above those of b.
static inline mask v_above(vec a, vec b) {
    return vcgtq_f64(a, b);
}
/// Contact solver, NEON: a mask of the lanes whose bits are set.
static inline mask v_lanes(unsigned bits) {
    static const uint64_t bit[2] = {1, 2};
    return vtstq_u64(vdupq_n_u64(bits), vld1q_u64(bit));
}
/// Contact solver, NEON: true where any lane of a mask is set.
static inline bool v_any(mask lanes) {
    return vmaxvq_u32(vreinterpretq_u32_u64(lanes)) != 0;
}
/// Contact solver, NEON: those of a where the mask is set, of b elsewhere.
static inline vec v_pick(mask lanes, vec a, vec b) {
    return vbslq_f64(lanes, a, b);
}
/// Contact solver, NEON: loads four numbers of each of two rows, turned to columns.
static inline void v_columns(const double *const rows[WIDTH], vec out[4]) {
    for (unsigned k = 0; k < 2; ++k) {
        const vec here = v_load(rows[0] + 2 * k), there = v_load(rows[1] + 2 * k);
        out[2 * k] = vtrn1q_f64(here, there);
        out[2 * k + 1] = vtrn2q_f64(here, there);
    }
}
/// Contact solver, NEON: puts columns of two doubles into two rows, each where its bit is set.
static inline void v_rows(double *const rows[WIDTH], unsigned bits, const vec in[4]) {
    for (unsigned k = 0; k < 2; ++k) {
        if (bits & 1U) v_store(rows[0] + 2 * k, vtrn1q_f64(in[2 * k], in[2 * k + 1]));
        if (bits & 2U) v_store(rows[1] + 2 * k, vtrn2q_f64(in[2 * k], in[2 * k + 1]));
    }
}

#    include "sim/rigid/solver_kernel.h"

const qdi_solver_kernels qdi_solver_neon = {make, solve, relax, report};
#endif
