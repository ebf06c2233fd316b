#pragma once

#include "sim/shape/form.h"

/// Where a ray enters a form.
typedef struct qdi_ray_hit {
    double fraction; ///< of the ray's `way`
    qd_vec2 normal;  ///< the surface's, a unit vector against the ray; (0, 0) where the ray starts inside
} qdi_ray_hit;

/// A ray from `from` to from + way * most against a form at a pose: true where it meets it. One that starts
/// in the form or on its border hits at 0. A ray along a segment without width passes it. Any thread.
bool qdi_ray_form(const qdi_form *form, const qdi_pose *pose, qd_vec2 from, qd_vec2 way, double most,
                  qdi_ray_hit *hit);
