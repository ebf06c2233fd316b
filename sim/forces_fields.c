// Attraction towards a point: what it does at a place, and what its potential is there.

#include "sim/world_impl.h"

#include <quadrille/math.h>

#include <math.h>

qd_status qdi_forces_check(const qd_world_def *def, qd_error *error) {
    const qd_attraction *pull = &def->attraction;
    const qd_drag *drag = &def->drag;
    if (!isfinite(def->gravity.x) || !isfinite(def->gravity.y))
        return qdi_reason(error, QD_ERR_VALUE, "gravity must be finite");
    if ((unsigned)pull->law > QD_PULL_INVERSE_SQUARE)
        return qdi_reason(error, QD_ERR_VALUE, "unknown law of attraction");
    if (!isfinite(pull->at.x) || !isfinite(pull->at.y) || !isfinite(pull->strength))
        return qdi_reason(error, QD_ERR_VALUE, "an attraction's centre and strength must be finite");
    if (!(pull->softening >= 0 && isfinite(pull->softening)))
        return qdi_reason(error, QD_ERR_VALUE, "softening must be finite and not below 0");
    if (!(drag->linear >= 0 && drag->quadratic >= 0 && drag->spin >= 0) || !isfinite(drag->linear) ||
        !isfinite(drag->quadratic) || !isfinite(drag->spin))
        return qdi_reason(error, QD_ERR_VALUE, "drag must be finite and not below 0");
    if (!(drag->temperature >= 0 && drag->temperature <= 1e30))
        return qdi_reason(error, QD_ERR_VALUE, "the temperature of the medium must be between 0 and 1e30");
    if (!isfinite(drag->medium.x) || !isfinite(drag->medium.y))
        return qdi_reason(error, QD_ERR_VALUE, "the velocity of the medium must be finite");
    return QD_OK;
}

/// From a place to the centre; `squared` is the square of its length, softened.
static qd_vec2 way_to_centre(const qd_world *world, double x, double y, double *squared) {
    const qd_attraction *pull = &world->def.attraction;
    qd_vec2 arm = qdi_pivot_arm(world, pull->at, x, y);
    *squared = arm.x * arm.x + arm.y * arm.y + pull->softening * pull->softening;
    return (qd_vec2){-arm.x, -arm.y};
}

qd_vec2 qdi_attraction_at(const qd_world *world, double x, double y) {
    const qd_attraction *pull = &world->def.attraction;
    double squared;
    qd_vec2 way = way_to_centre(world, x, y, &squared);
    if (pull->strength == 0 || (way.x == 0 && way.y == 0)) return (qd_vec2){0, 0};
    double distance = sqrt(squared), scale = pull->strength / distance;
    if (pull->law == QD_PULL_INVERSE) scale /= distance;
    if (pull->law == QD_PULL_INVERSE_SQUARE) scale /= squared;
    return (qd_vec2){scale * way.x, scale * way.y};
}

double qdi_attraction_energy(const qd_world *world, double x, double y) {
    const qd_attraction *pull = &world->def.attraction;
    if (pull->strength == 0) return 0;
    double squared;
    (void)way_to_centre(world, x, y, &squared);
    if (squared == 0) return 0;
    switch (pull->law) {
    case QD_PULL_CONSTANT: return pull->strength * sqrt(squared);
    case QD_PULL_INVERSE: return 0.5 * pull->strength * qd_log(squared);
    case QD_PULL_INVERSE_SQUARE: break;
    }
    return -pull->strength / sqrt(squared);
}
