#include <quadrille/world.h>

#include "sim/world/limits.h"

#include "sim/world/bodies.h"
#include "sim/world/pose.h"
#include "sim/world/spring_terms.h"
#include "sim/world/world_impl.h"

#include <math.h>
#include <stdio.h>

double qdi_limit_distance(const qd_limits *limits) {
    double distance = limits->distance;
    return distance < QDI_FURTHEST ? distance : QDI_FURTHEST;
}

/// The largest speed.
static double limit_speed(const qd_limits *limits) {
    double speed = limits->speed;
    return speed < QDI_FURTHEST ? speed : QDI_FURTHEST;
}

double qdi_limit_speed_squared(const qd_limits *limits) {
    return limit_speed(limits) * limit_speed(limits);
}

/// Bodies of a small world, whose pairs are no danger, however many of them there are per body; and pairs
/// that any world may have.
enum { SMALL = 10000, ALWAYS = 1000 };

size_t qdi_limit_pairs(const qd_limits *limits, size_t bodies) {
    const double most = (double)(UINT32_MAX - 1); // places of candidates are 32 bits wide
    const double pairs = limits->pairs * (double)(bodies > SMALL ? bodies : SMALL);
    if (!(pairs < most)) return (size_t)most;
    return pairs < ALWAYS ? ALWAYS : (size_t)pairs;
}

qd_status qdi_material_check(const qd_material *material, const char *what, qd_error *error) {
    bool restitution = isnan(material->restitution) ||
                       (material->restitution >= 0 && material->restitution <= 1);
    bool tangential = isnan(material->tangential) || (material->tangential >= 0 && material->tangential <= 1);
    if (!restitution) return qdi_reason(error, QD_ERR_VALUE, "%s restitution must be in 0..1", what);
    if (!tangential)
        return qdi_reason(error, QD_ERR_VALUE, "%s tangential restitution must be in 0..1", what);
    if (material->friction < 0)
        return qdi_reason(error, QD_ERR_VALUE, "%s friction must not be below 0", what);
    return QD_OK;
}

// Refuses a body of more than half a period.
static qd_status check_period_limit(const qdi_axis *axis, const char *name, double diameter,
                                    qd_error *error) {
    if (axis->boundary != QD_BOUNDARY_PERIODIC || diameter <= 0.5 * axis->length) return QD_OK;
    return qdi_reason(error, QD_ERR_VALUE, "a diameter of %.15g is above half the period %.15g in %s",
                      diameter, axis->length, name);
}

bool qdi_compresses_seam(qd_vec2 rate, qd_boundary x, qd_boundary y) {
    return (rate.x != 0 && x == QD_BOUNDARY_PERIODIC) || (rate.y != 0 && y == QD_BOUNDARY_PERIODIC);
}

// Refuses kinds of bodies that a compressed world cannot carry.
static qd_status check_compressed_kind(qd_vec2 rate, const qdi_axis axis[2], qd_body_kind kind,
                                       qd_error *error) {
    if (kind == QD_BODY_DYNAMIC || !qdi_compresses_seam(rate, axis[0].boundary, axis[1].boundary))
        return QD_OK;
    return qdi_reason(error, QD_ERR_VALUE,
                      "in a periodic world that is compressed all bodies must be dynamic");
}

/// A body that is added must fit between two of the world's walls as it lies, with its centre inside, but for
/// `beyond`.
static qd_status check_between_walls(const qdi_axis *axis, const char *name, double at, double low,
                                     double high, double beyond, qd_error *error) {
    if (axis->boundary != QD_BOUNDARY_REFLECT) return QD_OK;
    if (high - low > axis->length + beyond)
        return qdi_reason(error, QD_ERR_VALUE, "a diameter of %.15g is above the world's size %.15g in %s",
                          high - low, axis->length, name);
    if (at >= axis->low - beyond && at <= axis->high + beyond) return QD_OK;
    return qdi_reason(error, QD_ERR_VALUE, "%s %.15g is outside the walls at %.15g and %.15g", name, at,
                      axis->low, axis->high);
}

// Whether walls are asked about a body: all that is put somewhere, and of what was somewhere what they stop.
static bool is_held_by_walls(const qdi_placing *placing) {
    if (!placing->fresh || placing->kind == QD_BODY_STATIC) return false;
    return !placing->again || (placing->kind == QD_BODY_DYNAMIC && !placing->sensor);
}

// Refuses a body that is larger than the world allows.
static qd_status check_size_limit(const qdi_axis axis[2], const qdi_placing *placing, qd_error *error) {
    const qd_shape *shape = placing->shape;
    if (placing->sizeless) return QD_OK;
    double reach = qd_shape_reach(shape), diameter = 2 * reach;
    double x = fabs(placing->position.x), y = fabs(placing->position.y);
    if (placing->fresh && !(x + reach > x && y + reach > y))
        return qdi_reason(error, QD_ERR_VALUE,
                          "a body that reaches %.15g from its centre is lost in rounding there", reach);
    qd_status status = check_period_limit(&axis[0], "x", diameter, error);
    if (status == QD_OK) status = check_period_limit(&axis[1], "y", diameter, error);
    if (status != QD_OK || !is_held_by_walls(placing)) return status;
    const double beyond = placing->again ? reach : 0;
    qd_vec2 low, high;
    qd_shape_bounds(shape, (qd_vec2){0, 0}, placing->turn, &low, &high);
    status = check_between_walls(&axis[0], "x", placing->position.x, low.x, high.x, beyond, error);
    if (status != QD_OK) return status;
    return check_between_walls(&axis[1], "y", placing->position.y, low.y, high.y, beyond, error);
}

// Refuses masses, places and velocities beyond limits.
static qd_status check_body_numbers(const qdi_placing *placing, qd_error *error) {
    bool free = placing->kind == QD_BODY_DYNAMIC;
    if (free && !qdi_is_mass(placing->mass))
        return qdi_reason(error, QD_ERR_VALUE, "mass must be above 0 and at most 1e90, not %.15g",
                          placing->mass);
    if (free && !qdi_is_inertia(placing->inertia))
        return qdi_reason(error, QD_ERR_VALUE,
                          "inertia must be above 0, at most 1e150 or infinite, not %.15g", placing->inertia);
    if (!qdi_is_sane(placing->position.x) || !qdi_is_sane(placing->position.y))
        return qdi_reason(error, QD_ERR_VALUE, "a position must be finite and within 1e30");
    if (!qdi_is_sane(placing->velocity.x) || !qdi_is_sane(placing->velocity.y))
        return qdi_reason(error, QD_ERR_VALUE, "a velocity must be finite and within 1e30");
    if (!qdi_is_sane(placing->spin))
        return qdi_reason(error, QD_ERR_VALUE, "a spin must be finite and within 1e30");
    return QD_OK;
}

// World's limits: refuses leans of what does not come to rest, and those that no step makes.
static qd_status check_lean(const qd_world *world, const qdi_placing *placing, qd_error *error) {
    const bool rests = placing->kind == QD_BODY_DYNAMIC && world->def.contact == QD_CONTACT_IMPULSE;
    if (fabs(placing->lean) <= (rests ? QDI_LEAN_MOST : 0)) return QD_OK;
    return qdi_reason(error, QD_ERR_VALUE, "a lean must be 0, or within %.15g of a dynamic body of `impulse`",
                      QDI_LEAN_MOST);
}

// World's limits: refuses what the laws of grains do not know, and what is too large to be pulled across a
// seam.
static qd_status check_grain(const qd_world *world, const qdi_placing *placing, qd_error *error) {
    if (placing->kind != QD_BODY_DYNAMIC || world->def.contact != QD_CONTACT_SPRING) return QD_OK;
    if (!qdi_spring_grains(&world->def.spring)) return QD_OK;
    if (placing->shape->kind != QD_SHAPE_DISK)
        return qdi_reason(
            error, QD_ERR_VALUE,
            "with the law hertz, rolling or a range of adhesion all dynamic bodies must be disks");
    const qdi_reach reach = qdi_world_reach(world);
    const double radius = placing->shape->radius;
    if (qdi_reach_of(&reach, radius, radius) == reach.length) return QD_OK;
    return qdi_reason(error, QD_ERR_VALUE,
                      "a radius of %.15g and contact.spring.adhesion.range are too long for this period",
                      radius);
}

qd_status qdi_body_check(const qd_world *world, const qdi_placing *placing, qd_error *error) {
    qd_status status = check_body_numbers(placing, error);
    if (status == QD_OK) status = check_lean(world, placing, error);
    if (status == QD_OK)
        status = check_compressed_kind(world->def.compression.rate, world->axis, placing->kind, error);
    if (status == QD_OK) status = check_grain(world, placing, error);
    if (status == QD_OK) status = check_size_limit(world->axis, placing, error);
    if (status != QD_OK) return status;
    double distance = qdi_limit_distance(&world->def.limits);
    double x = qdi_axis_wrap(&world->axis[0], placing->position.x) - world->centre.x;
    double y = qdi_axis_wrap(&world->axis[1], placing->position.y) - world->centre.y;
    if (!(fabs(x) <= distance && fabs(y) <= distance))
        return qdi_reason(error, QD_ERR_VALUE, "further from the world's centre than limits.distance (%.15g)",
                          distance);
    qd_vec2 v = placing->velocity;
    if (placing->fresh && !isnan(placing->pivot.x)) {
        qd_vec2 arm = qdi_pivot_arm(world->axis, placing->pivot, placing->position.x, placing->position.y);
        v = (qd_vec2){-placing->spin * arm.y, placing->spin * arm.x};
    }
    if (!(v.x * v.x + v.y * v.y <= qdi_limit_speed_squared(&world->def.limits)))
        return qdi_reason(error, QD_ERR_VALUE, "faster than limits.speed (%.15g)",
                          limit_speed(&world->def.limits));
    return QD_OK;
}

void qdi_limit_report_body(qd_world *world, uint32_t row) {
    qd_limit_report *report = &world->report;
    double x = world->next.x[row], y = world->next.y[row], vx = world->next.vx[row], vy = world->next.vy[row];
    double spin = world->turning ? world->next.spin[row] : 0;
    *report = (qd_limit_report){.step = world->clock.step + 1, .has_body = true, .label = world->label[row]};
    report->body = qdi_body_state_of_row(world, row);
    if (!isfinite(x) || !isfinite(y) || !isfinite(vx) || !isfinite(vy) || !isfinite(spin))
        snprintf(report->reason, sizeof report->reason, "not finite");
    else if (!qdi_is_sane(spin))
        snprintf(report->reason, sizeof report->reason, "turns faster than 1e30");
    else if (!(vx * vx + vy * vy <= qdi_limit_speed_squared(&world->def.limits)))
        snprintf(report->reason, sizeof report->reason, "faster than limits.speed (%.15g)",
                 limit_speed(&world->def.limits));
    else
        snprintf(report->reason, sizeof report->reason, "further than limits.distance (%.15g)",
                 qdi_limit_distance(&world->def.limits));
}

void qdi_limit_report_walls(qd_limit_report *report, uint64_t step, const qd_limits *limits) {
    *report = (qd_limit_report){.step = step};
    snprintf(report->reason, sizeof report->reason,
             "moving walls have met, or are further than limits.distance (%.15g)",
             qdi_limit_distance(limits));
}

void qdi_limit_report_scaled(qd_world *world, uint32_t row) {
    double shortest = 4 * world->radius[row];
    bool seam = false;
    for (int k = 0; k < 2; ++k)
        seam = seam || (world->axis[k].boundary == QD_BOUNDARY_PERIODIC && world->axis[k].length < shortest);
    qdi_limit_report_body(world, row);
    if (seam)
        snprintf(world->report.reason, sizeof world->report.reason,
                 "longer than half a period of the compressed world (%.6g by %.6g)", world->axis[0].length,
                 world->axis[1].length);
}

void qdi_limit_report_size(qd_limit_report *report, uint64_t step, const qd_limits *limits) {
    *report = (qd_limit_report){.step = step};
    snprintf(report->reason, sizeof report->reason,
             "the world has become too small, or larger than limits.distance (%.15g) allows",
             qdi_limit_distance(limits));
}

void qdi_limit_report_sums(qd_limit_report *report, uint64_t step) {
    *report = (qd_limit_report){.step = step};
    snprintf(report->reason, sizeof report->reason,
             "forces, impulses or energies beyond what a world can hold");
}

void qdi_limit_report_pairs(qd_limit_report *report, uint64_t step, const qd_limits *limits) {
    *report = (qd_limit_report){.step = step};
    snprintf(report->reason, sizeof report->reason, "more pairs than limits.pairs (%.15g per body)",
             limits->pairs);
}
