#include "tools/physics/reference.h"

#include <math.h>

/// Numerator and denominator of the approximant, in powers of eta. They follow from the virial coefficients
/// b2 = 1, b3 = 4/3 - sqrt(3)/pi, b4 = 2 - 9 sqrt(3)/(2 pi) + 10/pi^2, 0.33355604, 0.1988425, 0.1148728,
/// 0.0649930, 0.0362193 and 0.0199537 of the series 1 + sum of b_k (2 eta)^(k-1), with which it agrees to the
/// ninth power.
static const double above[] = {1, 1.4526537482253195, -1.365877820576118, 0.9285305024117658,
                               -0.20222487623648222};
static const double below[] = {
    1, -0.5473462517746805, -3.3992030686729215, 5.181190975403292, -2.9382152495794878, 0.7010554589276996};

// Value of a polynomial, for published fits.
static double reference_polynomial(const double *factors, int count, double x) {
    double sum = 0;
    for (int i = count - 1; i >= 0; --i) sum = sum * x + factors[i];
    return sum;
}

double qdi_reference_state(double eta) {
    return reference_polynomial(above, 5, eta) / reference_polynomial(below, 6, eta);
}

double qdi_reference_rate(double eta) {
    return 4 / sqrt(3.14159265358979323846) * (qdi_reference_state(eta) - 1);
}

/// Reference: the first Sonine coefficient of the scaled speeds.
static double second_sonine(double e) {
    return 16 * (1 - e) * (1 - 2 * e * e) / (57 - 25 * e + 30 * e * e - 30 * e * e * e);
}

double qdi_reference_cooling(double e) {
    return 1 + 3 * second_sonine(e) / 16;
}

double qdi_reference_loss(double e) {
    return 1 + second_sonine(e) / 4;
}
