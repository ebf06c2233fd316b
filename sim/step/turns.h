#pragma once

#include <quadrille/simd.h>

#include <math.h>
#include <stddef.h>

/// Many bodies turned at once: the arithmetic of qdi_motion_turned as a plain loop over arrays, which
/// compilers vectorize: for what every processor has, and (the same lines, so the same bits) for AVX2.

/// Turns `count` rotations (c, s) by `angle` into (to_c, to_s), which may not overlap them; by an angle of 0
/// they stay as they are. Returns how many angles are beyond pi/4 or no numbers: of these nothing is right.
typedef size_t (*qdi_turns)(const double *c, const double *s, const double *angle, double *to_c, double *to_s,
                            size_t count);

/// The one for an instruction set that is available; not AUTO.
qdi_turns qdi_turns_of(qd_simd simd);

/// Bodies turned: true for an angle that the loop does not take.
static inline int qdi_turns_beyond(double angle) {
    return !(fabs(angle) <= 0.78);
}

size_t qdi_turns_portable(const double *c, const double *s, const double *angle, double *to_c, double *to_s,
                          size_t count);
#ifdef __x86_64__
size_t qdi_turns_avx2(const double *c, const double *s, const double *angle, double *to_c, double *to_s,
                      size_t count);
#endif
