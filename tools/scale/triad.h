#pragma once

#include "tools/host/pin.h"

/// What memory gives a team of so many threads, bound as `pin` says (NULL: not): a triad, a = b + s c, over
/// arrays that fit no processor's own cache, as McCalpin's STREAM has it. Bytes per second in its best of
/// several passes, three numbers moved for each sum; 0 where there is no memory for it. What a phase gains
/// with more threads can be held against what this gains.
double qdi_scale_triad(int threads, const qdi_pin *pin);
