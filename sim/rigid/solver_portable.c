// Lane after lane, in plain C; and the choice between the instruction sets.
#include "sim/rigid/solver.h"

#include <math.h>
#include <string.h>

enum { WIDTH = 1 };
typedef double vec;
typedef bool mask;
#define BELOW(a, b) ((a) < (b))

/// Contact solver, portable: loads one double.
static inline vec v_load(const double *from) {
    return *from;
}
/// Contact solver, portable: stores one double.
static inline void v_store(double *to, vec value) {
    *to = value;
}
/// Contact solver, portable: a lane of a value: here a lane is all there is.
static inline vec v_set(double value) {
    return value;
}
/// Contact solver, portable: the smaller one of two doubles.
static inline vec v_min(vec a, vec b) {
    return a < b ? a : b;
}
/// Contact solver, portable: the larger one of two doubles.
static inline vec v_max(vec a, vec b) {
    return a > b ? a : b;
}
/// Contact solver, portable: the square root of a double.
static inline vec v_sqrt(vec a) {
    return sqrt(a);
}
/// Contact solver, portable: a mask of the lanes whose bits are set.
static inline mask v_lanes(unsigned bits) {
    return bits != 0;
}
/// Contact solver, portable: true where any lane of a mask is set.
static inline bool v_any(mask lanes) {
    return lanes;
}
/// Contact solver, portable: those of a where the mask is set, of b elsewhere.
static inline vec v_pick(mask lanes, vec a, vec b) {
    return lanes ? a : b;
}
/// Contact solver, portable: loads four numbers of a row.
static inline void v_columns(const double *const rows[WIDTH], vec out[4]) {
    memcpy(out, rows[0], 4 * sizeof *out);
}
/// Contact solver, portable: puts four numbers into a row, if its bit is set.
static inline void v_rows(double *const rows[WIDTH], unsigned bits, const vec in[4]) {
    if (bits) memcpy(rows[0], in, 4 * sizeof *in);
}

#include "sim/rigid/solver_kernel.h"

const qdi_solver_kernels qdi_solver_portable = {make, solve, relax, report};

const qdi_solver_kernels *qdi_solver_kernels_of(qd_simd simd) {
#ifdef __x86_64__
    if (simd == QD_SIMD_SSE2) return &qdi_solver_sse2;
    if (simd == QD_SIMD_AVX2) return &qdi_solver_avx2;
    if (simd == QD_SIMD_AVX512) return &qdi_solver_avx512;
#endif
#ifdef __AARCH64EL__
    if (simd == QD_SIMD_NEON) return &qdi_solver_neon;
#endif
    return &qdi_solver_portable;
}
