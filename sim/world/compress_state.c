// The axes of a world that is compressed.

#include "core/math/vec.h"
#include "sim/world/compress.h"
#include "sim/world/world_impl.h"

void qdi_compress_axis(const qd_world *world, int axis, double *low, double *high) {
    double length = qdi_axis_part(&world->def.size, axis),
           scale = qdi_axis_part(&world->compress.scale, axis);
    *low = qdi_axis_part(&world->def.origin, axis);
    *high = *low + length;
    if (scale == 1) return;
    double middle = qdi_axis_part(&world->centre, axis), half = 0.5 * (length * scale);
    *low = middle - half;
    *high = middle + half;
}
