// The axes of a world that is compressed.

#include "sim/world/compress.h"
#include "sim/world/world_impl.h"

// The part of a vector along one axis.
static double axis_part(const qd_vec2 *v, int axis) {
    return axis == 0 ? v->x : v->y;
}

void qdi_compress_axis(const qd_world *world, int axis, double *low, double *high) {
    double length = axis_part(&world->def.size, axis), scale = axis_part(&world->compress.scale, axis);
    *low = axis_part(&world->def.origin, axis);
    *high = *low + length;
    if (scale == 1) return;
    double middle = axis_part(&world->centre, axis), half = 0.5 * (length * scale);
    *low = middle - half;
    *high = middle + half;
}
