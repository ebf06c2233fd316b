#include <quadrille/world.h>

#include "sim/world_impl.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

double qdi_limit_distance(const qd_world *world) {
    double distance = world->def.limits.distance;
    return distance < QDI_FURTHEST ? distance : QDI_FURTHEST;
}

double qdi_limit_speed_squared(const qd_world *world) {
    return world->def.limits.speed * world->def.limits.speed;
}

size_t qdi_limit_pairs(const qd_world *world) {
    const double most = (double)(UINT32_MAX - 1); // places of candidates are 32 bits wide
    double pairs = world->def.limits.pairs * (double)(world->count > 0 ? world->count : 1);
    if (!(pairs < most)) return (size_t)most;
    return pairs < 1000 ? 1000 : (size_t)pairs;
}

/// Why a radius does not fit between the two sides of an axis.
static qd_status check_diameter(const qdi_axis *axis, const char *name, double radius, qd_error *error) {
    double diameter = 2 * radius;
    if (axis->boundary == QD_BOUNDARY_REFLECT && diameter > axis->length)
        return qdi_reason(error, QD_ERR_VALUE, "a diameter of %.15g is above the world's size %.15g in %s",
                          diameter, axis->length, name);
    if (axis->boundary == QD_BOUNDARY_PERIODIC && diameter > 0.5 * axis->length)
        return qdi_reason(error, QD_ERR_VALUE, "a diameter of %.15g is above half the period %.15g in %s",
                          diameter, axis->length, name);
    return QD_OK;
}

static qd_status check_shape(const qd_world *world, double radius, double mass, qd_error *error) {
    if (!(radius > 0 && radius <= QDI_FURTHEST))
        return qdi_reason(error, QD_ERR_VALUE, "radius must be above 0 and finite, not %.15g", radius);
    if (!(mass > 0 && isfinite(mass)))
        return qdi_reason(error, QD_ERR_VALUE, "mass must be above 0 and finite, not %.15g", mass);
    qd_status status = check_diameter(&world->axis[0], "x", radius, error);
    return status == QD_OK ? check_diameter(&world->axis[1], "y", radius, error) : status;
}

static qd_status check_inside(const qdi_axis *axis, const char *name, double at, qd_error *error) {
    if (axis->boundary != QD_BOUNDARY_REFLECT || (at >= axis->low && at <= axis->high)) return QD_OK;
    return qdi_reason(error, QD_ERR_VALUE, "%s %.15g is outside the walls at %.15g and %.15g", name, at,
                      axis->low, axis->high);
}

qd_status qdi_body_check(const qd_world *world, double radius, double mass, qd_vec2 position,
                         qd_vec2 velocity, bool inside, qd_error *error) {
    qd_status status = check_shape(world, radius, mass, error);
    if (status != QD_OK) return status;
    if (!isfinite(position.x) || !isfinite(position.y))
        return qdi_reason(error, QD_ERR_VALUE, "a position must be finite");
    if (!isfinite(velocity.x) || !isfinite(velocity.y))
        return qdi_reason(error, QD_ERR_VALUE, "a velocity must be finite");
    if (inside) status = check_inside(&world->axis[0], "x", position.x, error);
    if (inside && status == QD_OK) status = check_inside(&world->axis[1], "y", position.y, error);
    if (status != QD_OK) return status;
    double distance = qdi_limit_distance(world);
    double x = qdi_axis_wrap(&world->axis[0], position.x) - world->centre.x;
    double y = qdi_axis_wrap(&world->axis[1], position.y) - world->centre.y;
    if (!(fabs(x) <= distance && fabs(y) <= distance))
        return qdi_reason(error, QD_ERR_VALUE, "further from the world's centre than limits.distance (%.15g)",
                          distance);
    if (!(velocity.x * velocity.x + velocity.y * velocity.y <= qdi_limit_speed_squared(world)))
        return qdi_reason(error, QD_ERR_VALUE, "faster than limits.speed (%.15g)", world->def.limits.speed);
    return QD_OK;
}

void qdi_limit_report_body(qd_world *world, uint32_t row) {
    qd_limit_report *report = &world->report;
    double x = world->next.x[row], y = world->next.y[row], vx = world->next.vx[row], vy = world->next.vy[row];
    *report = (qd_limit_report){.step = world->clock.step + 1, .has_body = true, .label = world->label[row]};
    report->body = qdi_body_state_of_row(world, row);
    if (!isfinite(x) || !isfinite(y) || !isfinite(vx) || !isfinite(vy))
        snprintf(report->reason, sizeof report->reason, "not finite");
    else if (!(vx * vx + vy * vy <= qdi_limit_speed_squared(world)))
        snprintf(report->reason, sizeof report->reason, "faster than limits.speed (%.15g)",
                 world->def.limits.speed);
    else
        snprintf(report->reason, sizeof report->reason, "further than limits.distance (%.15g)",
                 qdi_limit_distance(world));
}

void qdi_limit_report_pairs(qd_world *world, uint64_t step) {
    world->report = (qd_limit_report){.step = step};
    snprintf(world->report.reason, sizeof world->report.reason,
             "more pairs than limits.pairs (%.15g per body)", world->def.limits.pairs);
}
