// Attraction towards a point: what it does at a place, and what its potential is there.

#include "sim/world/forces.h"
#include "sim/world/pose.h"
#include "sim/world/world_impl.h"

#include <quadrille/math.h>

#include <math.h>

qd_status qdi_forces_check(const qd_world_def *def, qd_error *error) {
    const qd_attraction *pull = &def->attraction;
    const qd_drag *drag = &def->drag;
    if (!qdi_is_sane(def->gravity.x) || !qdi_is_sane(def->gravity.y))
        return qdi_reason(error, QD_ERR_VALUE, "gravity must be finite and within 1e30");
    if ((unsigned)pull->law > QD_PULL_INVERSE_SQUARE)
        return qdi_reason(error, QD_ERR_VALUE, "unknown law of attraction");
    if (!qdi_is_sane(pull->at.x) || !qdi_is_sane(pull->at.y) || !qdi_is_sane(pull->strength))
        return qdi_reason(error, QD_ERR_VALUE,
                          "an attraction's centre and strength must be finite and within 1e30");
    if (!qdi_is_sane_positive(pull->softening, false))
        return qdi_reason(error, QD_ERR_VALUE, "softening must not be below 0, and at most 1e30");
    if (!qdi_is_sane_positive(drag->linear, false) || !qdi_is_sane_positive(drag->quadratic, false) ||
        !qdi_is_sane_positive(drag->spin, false))
        return qdi_reason(error, QD_ERR_VALUE, "drag must not be below 0, and at most 1e30");
    if (!qdi_is_sane_positive(drag->temperature, false))
        return qdi_reason(error, QD_ERR_VALUE, "the temperature of the medium must be between 0 and 1e30");
    if (!qdi_is_sane(drag->medium.x) || !qdi_is_sane(drag->medium.y))
        return qdi_reason(error, QD_ERR_VALUE, "the velocity of the medium must be finite and within 1e30");
    return QD_OK;
}

/// World's force fields: from a place to the centre; `squared` is the square of its length, softened.
static qd_vec2 way_to_centre(const qd_attraction *pull, const qdi_axis axis[2], double x, double y,
                             double *squared) {
    qd_vec2 arm = qdi_pivot_arm(axis, pull->at, x, y);
    *squared = arm.x * arm.x + arm.y * arm.y + pull->softening * pull->softening;
    return (qd_vec2){-arm.x, -arm.y};
}

qd_vec2 qdi_attraction_at(const qd_attraction *pull, const qdi_axis axis[2], double x, double y) {
    double squared;
    qd_vec2 way = way_to_centre(pull, axis, x, y, &squared);
    if (pull->strength == 0 || (way.x == 0 && way.y == 0)) return (qd_vec2){0, 0};
    double distance = sqrt(squared), scale = pull->strength / distance;
    if (pull->law == QD_PULL_INVERSE) scale /= distance;
    if (pull->law == QD_PULL_INVERSE_SQUARE) scale /= squared;
    return (qd_vec2){scale * way.x, scale * way.y};
}

double qdi_attraction_energy(const qd_attraction *pull, const qdi_axis axis[2], double x, double y) {
    if (pull->strength == 0) return 0;
    double squared;
    (void)way_to_centre(pull, axis, x, y, &squared);
    if (squared == 0) return 0;
    switch (pull->law) {
    case QD_PULL_CONSTANT: return pull->strength * sqrt(squared);
    case QD_PULL_INVERSE: return 0.5 * pull->strength * qd_log(squared);
    case QD_PULL_INVERSE_SQUARE: break;
    }
    return -pull->strength / sqrt(squared);
}
