// For every processor; and the choice between the instruction sets.
#include "sim/step/turns_kernel.h"

// Bodies turned, on any processor.
size_t qdi_turns_portable(const double *c, const double *s, const double *angle, double *to_c, double *to_s,
                          size_t count) {
    return turn_rows(c, s, angle, to_c, to_s, count);
}

qdi_turns qdi_turns_of(qd_simd simd) {
#ifdef __x86_64__
    if (simd == QD_SIMD_AVX2 || simd == QD_SIMD_AVX512) return qdi_turns_avx2;
#endif
    return qdi_turns_portable;
}
