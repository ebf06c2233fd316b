// Lane after lane, in plain C; and the choice between the instruction sets.
#include "sim/rigid/solver.h"

#include <string.h>

enum { WIDTH = 1 };
typedef double vec;
typedef bool mask;

static inline vec v_load(const double *from) {
    return *from;
}
static inline void v_store(double *to, vec value) {
    *to = value;
}
static inline vec v_set(double value) {
    return value;
}
static inline vec v_min(vec a, vec b) {
    return a < b ? a : b;
}
static inline vec v_max(vec a, vec b) {
    return a > b ? a : b;
}
static inline mask v_above(vec a, vec b) {
    return a > b;
}
static inline mask v_lanes(unsigned bits) {
    return bits != 0;
}
static inline bool v_any(mask lanes) {
    return lanes;
}
static inline vec v_pick(mask lanes, vec a, vec b) {
    return lanes ? a : b;
}
static inline void v_take(qdi_mover *movers, const uint32_t *slots, unsigned part, vec out[4]) {
    memcpy(out, qdi_mover_at(movers, *slots, part), 4 * sizeof *out);
}
static inline void v_give(qdi_mover *movers, const uint32_t *slots, unsigned part, unsigned bits,
                          const vec in[4]) {
    if (bits) memcpy(qdi_mover_at(movers, *slots, part), in, 4 * sizeof *in);
}

#include "sim/rigid/solver_kernel.h"

const qdi_solver_kernels qdi_solver_portable = {warm, solve, relax};

const qdi_solver_kernels *qdi_solver_kernels_of(qd_simd simd) {
    if (simd == QD_SIMD_AUTO) simd = qd_simd_best();
#ifdef __x86_64__
    if (simd == QD_SIMD_SSE2) return &qdi_solver_sse2;
    if (simd == QD_SIMD_AVX2) return &qdi_solver_avx2;
    if (simd == QD_SIMD_AVX512) return &qdi_solver_avx512;
#endif
    return &qdi_solver_portable;
}
