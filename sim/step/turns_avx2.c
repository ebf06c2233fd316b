// Compiled for AVX2 and called only where the processor has it.
#include "sim/step/turns_kernel.h"

#ifdef __x86_64__
// Bodies turned, AVX2.
size_t qdi_turns_avx2(const double *c, const double *s, const double *angle, double *to_c, double *to_s,
                      size_t count) {
    return turn_rows(c, s, angle, to_c, to_s, count);
}
#endif
