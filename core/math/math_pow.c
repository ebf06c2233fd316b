#include <quadrille/math.h>

#include "core/math/math_impl.h"

// x^y = e^(y log x), with log x as a double2 because its error is multiplied by up to 745.

typedef enum parity { NOT_WHOLE, EVEN, ODD } parity;

// Power: what kind of number a finite y is. From 2^53 on all doubles are even.
static parity parity_of(double y) {
    const double magnitude = qdi_magnitude(y);
    if (magnitude >= 0x1p53) return EVEN;
    const int64_t whole = (int64_t)magnitude;
    if ((double)whole != magnitude) return NOT_WHOLE;
    return whole % 2 == 0 ? EVEN : ODD;
}

// x^y for finite x > 0, x != 1, and finite y
static double positive_power(double x, double y) {
    const qdi_double2 log_x = qdi_log_double2(x);
    const double estimate = y * log_x.hi;
    if (estimate > 710.0) return QDI_INFINITY;
    if (estimate < -746.0) return 0.0;
    if (qdi_magnitude(estimate) < 0x1p-60) return 1.0;
    const qdi_double2 product = qdi_two_product(y, log_x.hi);
    return qdi_exp_double2((qdi_double2){product.hi, product.lo + y * log_x.lo});
}

// x^y where x is 0 or infinite (without its sign) or y is infinite
static double extreme_power(double x, double y) {
    const int grows = (x > 1.0) != (y < 0.0);
    return grows ? QDI_INFINITY : 0.0;
}

double qd_pow(double x, double y) {
    if (y == 0.0 || x == 1.0) return 1.0; // even where the other is NaN
    if (x != x || y != y) return QDI_NAN;
    const double magnitude = qdi_magnitude(x);
    if (qdi_magnitude(y) == QDI_INFINITY) return magnitude == 1.0 ? 1.0 : extreme_power(magnitude, y);

    const parity kind = parity_of(y);
    const int negative = qdi_negative(x) && kind == ODD;
    double power;
    if (magnitude == 0.0 || magnitude == QDI_INFINITY) {
        power = extreme_power(magnitude, y);
    } else if (x < 0.0 && kind == NOT_WHOLE) {
        return QDI_NAN;
    } else {
        power = magnitude == 1.0 ? 1.0 : positive_power(magnitude, y);
    }
    return negative ? -power : power;
}
