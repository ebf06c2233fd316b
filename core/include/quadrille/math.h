#ifndef QUADRILLE_MATH_H
#define QUADRILLE_MATH_H

#include <quadrille/api.h>

QD_BEGIN_DECLS

/// Elementary functions whose results depend on nothing but their arguments: no libm, which picks its code by
/// processor. They use only +, -, *, / and sqrt of IEEE-754 binary64, without fused operations, and expect
/// that the caller's thread rounds to nearest. Accuracy is checked against MPFR; the bounds are in units in
/// the last place (ulp). Any thread.

/// Sine and cosine of an angle in radians, any finite argument, < 1 ulp. NaN or infinity give NaN.
QD_API void qd_sincos(double angle, double *sine, double *cosine);
QD_API double qd_sin(double angle);
QD_API double qd_cos(double angle);

/// e to the power x, < 1 ulp; overflow gives infinity, underflow goes through subnormals (there 1 ulp of the
/// smallest subnormal) to 0.
QD_API double qd_exp(double x);

/// Natural logarithm, < 1 ulp; log(0) = -infinity, log(negative) = NaN.
QD_API double qd_log(double x);

/// x to the power y with the special cases of C's pow (Annex F), < 1 ulp in the normal range.
QD_API double qd_pow(double x, double y);

/// Angle of the point (x, y) in (-pi, pi], with C's signed zeros and infinities, < 1 ulp.
QD_API double qd_atan2(double y, double x);

QD_END_DECLS

#endif
