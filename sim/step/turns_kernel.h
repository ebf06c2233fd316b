// What turns.h describes. No include guard: each instruction set has its own copy.
#include "core/math/sincos_series.h"
#include "sim/step/turns.h"

#include <math.h>

/// Bodies turned: the loop over them.
static inline size_t turn_rows(const double *restrict c, const double *restrict s,
                               const double *restrict angle, double *restrict to_c, double *restrict to_s,
                               size_t count) {
    for (size_t i = 0; i < count; ++i) {
        const qdi_double2 r = {angle[i], 0};
        const double sine = qdi_sine_of(r), cosine = qdi_cosine_of(r);
        const double x = c[i] * cosine - s[i] * sine, y = s[i] * cosine + c[i] * sine;
        const double length = sqrt(x * x + y * y);
        to_c[i] = x / length;
        to_s[i] = y / length;
    }
    size_t beyond = 0; // a loop of its own: a choice in the first would keep it from being vectorized
    for (size_t i = 0; i < count; ++i) {
        to_c[i] = angle[i] == 0 ? c[i] : to_c[i];
        to_s[i] = angle[i] == 0 ? s[i] : to_s[i];
        beyond += (size_t)qdi_turns_beyond(angle[i]);
    }
    return beyond;
}
