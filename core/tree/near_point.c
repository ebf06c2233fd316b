#include "core/tree/near_point.h"

bool qdi_near_point_measure(const qdi_near_point *origin, unsigned k, qd_box box, qd_body_index body,
                            double most, qd_near *near) {
    if (origin->copies > 1) {
        unsigned x = qdi_near_point_nearest(origin, 0, box.min_x, box.max_x);
        unsigned y = qdi_near_point_nearest(origin, 1, box.min_y, box.max_y);
        if (k != y * (unsigned)origin->count[0] + x) return false;
    }
    *near = (qd_near){qdi_near_point_to_box(origin, k, box), body, qdi_near_point_image(origin, k)};
    if (!origin->distance) return near->distance <= most;
    near->distance = (double)INFINITY;
    for (unsigned n = 0; n < origin->copies; ++n) {
        const unsigned copy = n == 0 ? k : n <= k ? n - 1 : n; // the nearest box first
        const double reach = near->distance < most ? near->distance : most;
        if (qdi_near_point_to_box(origin, copy, box) * QDI_NEAR_POINT_NEARER > reach) continue;
        const qd_image image = qdi_near_point_image(origin, copy);
        const double distance = origin->distance(origin->context, body, image, reach);
        if (distance < near->distance) *near = (qd_near){distance, body, image};
    }
    if (near->distance < 0.0) near->distance = 0.0;
    return near->distance <= most;
}
