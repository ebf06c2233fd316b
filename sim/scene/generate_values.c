// What a body of a scene is, as far as it does not depend on other bodies.
#include "sim/scene/generate.h"
#include "sim/scene/scene_impl.h"
#include "sim/world/pose.h"
#include "sim/world/world_impl.h"

#include <quadrille/math.h>
#include <quadrille/random.h>

#include <math.h>

// Generator's values: a radius from a power law.
static double draw_power_radius(const qdi_radius *radius, double u) {
    double small = radius->range.x, large = radius->range.y, a = 1 - radius->exponent;
    if (small == large) return small;
    // radius^a is uniform between small^a and large^a; written so that nothing overflows.
    double value;
    if (fabs(a) < 1e-9) {
        value = small * qd_exp(u * qd_log(large / small));
    } else if (a < 0) {
        double last = qd_pow(large / small, a);
        value = small * qd_pow(1 + u * (last - 1), 1 / a);
    } else {
        double first = qd_pow(small / large, a);
        value = large * qd_pow(first + u * (1 - first), 1 / a);
    }
    if (!(value > small)) return small;
    return value < large ? value : large;
}

/// Generator's values: draws until one is within the range. Where that takes long, the range is short beside
/// the distribution, which is even there.
static double radius_normal(const qdi_radius *radius, qd_random *random) {
    enum { TRIES = 1000 };
    bool logarithm = radius->form == QDI_RADIUS_LOGNORMAL;
    for (int i = 0; i < TRIES; ++i) {
        double stray = radius->deviation * qd_random_normal(random);
        double value = logarithm ? radius->middle * qd_exp(stray) : radius->middle + stray;
        if (value >= radius->range.x && value <= radius->range.y) return value;
    }
    return radius->range.x + qd_random_uniform(random) * (radius->range.y - radius->range.x);
}

// A radius of a generated body.
static double draw_radius(const qdi_radius *radius, uint64_t seed, size_t body, unsigned use) {
    qd_random random = qd_random_at(seed, body, use);
    switch (radius->form) {
    case QDI_RADIUS_FIXED: break;
    case QDI_RADIUS_UNIFORM: {
        double u = qd_random_uniform(&random);
        return radius->range.x + u * (radius->range.y - radius->range.x);
    }
    case QDI_RADIUS_POWER: return draw_power_radius(radius, qd_random_uniform(&random));
    case QDI_RADIUS_NORMAL:
    case QDI_RADIUS_LOGNORMAL: return radius_normal(radius, &random);
    }
    return radius->range.x;
}

qd_vec2 qdi_item_velocity(const qdi_body_item *item, uint64_t seed, size_t body) {
    const qdi_velocity *velocity = &item->velocity;
    qd_random random = qd_random_at(seed, body, QDI_USE_VELOCITY);
    qd_vec2 value = velocity->value;
    switch (velocity->form) {
    case QDI_VELOCITY_FIXED: break;
    case QDI_VELOCITY_NORMAL:
        value.y = value.x * qd_random_normal(&random);
        value.x = value.x * qd_random_normal(&random);
        break;
    case QDI_VELOCITY_UNIFORM:
        value.y = value.x * (2 * qd_random_uniform(&random) - 1);
        value.x = value.x * (2 * qd_random_uniform(&random) - 1);
        break;
    }
    return value;
}

bool qdi_item_is_generator(const qdi_body_item *item) {
    return item->kind == QDI_ITEM_DISKS || item->kind == QDI_ITEM_RECTS || item->kind == QDI_ITEM_CAPSULES ||
           item->kind == QDI_ITEM_POLYGONS;
}

double qdi_item_angle(const qdi_body_item *item, uint64_t seed, size_t body) {
    if (!isnan(item->angle)) return item->angle;
    qd_random random = qd_random_at(seed, body, QDI_USE_ANGLE);
    return 6.28318530717958648 * qd_random_uniform(&random);
}

double qdi_item_spin(const qdi_body_item *item, uint64_t seed, size_t body) {
    qd_random random = qd_random_at(seed, body, QDI_USE_SPIN);
    double value = item->spin.value.x;
    switch (item->spin.form) {
    case QDI_VELOCITY_FIXED: break;
    case QDI_VELOCITY_NORMAL: value *= qd_random_normal(&random); break;
    case QDI_VELOCITY_UNIFORM: value *= 2 * qd_random_uniform(&random) - 1; break;
    }
    return value;
}

/// Generator's values: a polygon with its corners on a circle.
static qd_shape polygon_of(const qdi_body_item *item, uint64_t seed, size_t body) {
    double radius = draw_radius(&item->radius, seed, body, QDI_USE_RADIUS);
    qd_random random = qd_random_at(seed, body, QDI_USE_CORNERS);
    int choices = item->corners[1] - item->corners[0] + 1;
    qd_shape shape = {.kind = QD_SHAPE_POLYGON};
    shape.count = item->corners[0] + (int)(qd_random_uniform(&random) * choices);
    for (int k = 0; k < shape.count; ++k) {
        // Neighbours keep a tenth of their distance at least.
        double stray = 0.9 * item->uneven * (qd_random_uniform(&random) - 0.5);
        double sine, cosine;
        qd_sincos(6.28318530717958648 / shape.count * (k + stray), &sine, &cosine);
        shape.points[k] = (qd_vec2){radius * cosine, radius * sine};
    }
    // Only sizes beyond all measure are refused here; the world refuses them again, and says why.
    qd_status status = qd_shape_normalise(&shape, NULL, NULL);
    (void)status;
    return shape;
}

qd_shape qdi_item_shape(const qdi_body_item *item, uint64_t seed, size_t body, double radius) {
    if (item->kind == QDI_ITEM_POLYGONS) return polygon_of(item, seed, body);
    double scale = item->kind == QDI_ITEM_DISKS ? 1 : draw_radius(&item->scale, seed, body, QDI_USE_SCALE);
    qd_shape shape = qd_shape_disk(radius);
    if (item->kind == QDI_ITEM_RECTS) {
        shape = qd_shape_rect(scale * item->size.x, scale * item->size.y);
        shape.radius = scale * item->rounding;
    }
    if (item->kind == QDI_ITEM_CAPSULES)
        shape = qd_shape_capsule(scale * item->length, scale * item->capsule_radius);
    return shape;
}

double qdi_item_reach(const qdi_body_item *item, uint64_t seed, size_t body) {
    if (item->kind == QDI_ITEM_DISKS) return draw_radius(&item->radius, seed, body, QDI_USE_RADIUS);
    qd_shape shape = qdi_item_shape(item, seed, body, 0);
    return qd_shape_reach(&shape);
}

/// Bodies that somebody else has placed; returns the number of the one behind them.
static size_t copy_rows(const qdi_body_file *file, qdi_generated *bodies, size_t body) {
    for (size_t k = 0; k < file->count; ++k, ++body) {
        const qdi_disk_row *row = &file->rows[k];
        bodies->x[body] = row->x;
        bodies->y[body] = row->y;
        bodies->vx[body] = row->vx;
        bodies->vy[body] = row->vy;
        bodies->radius[body] = row->shape > 0 ? 0 : row->radius; // what is no disk is an obstacle
    }
    return body;
}

/// Those of a list; only disks have a radius here, others are obstacles (generate_obstacles.h).
static size_t copy_listed(const qdi_body_item *item, qdi_generated *bodies, size_t body) {
    for (size_t k = 0; k < item->listed_count; ++k, ++body) {
        const qdi_listed *listed = &item->listed[k];
        bodies->x[body] = listed->def.position.x;
        bodies->y[body] = listed->def.position.y;
        bodies->vx[body] = listed->def.velocity.x;
        bodies->vy[body] = listed->def.velocity.y;
        double radius = isnan(listed->radius) ? 0.5 : listed->radius;
        bodies->radius[body] = listed->shape == QD_SHAPE_DISK ? radius : 0;
    }
    return body;
}

/// Generator's values: those of another run, within the period of this world; only disks have a radius here,
/// too.
static size_t copy_run(const qd_world_def *world, const qdi_item_run *run, qdi_generated *bodies,
                       size_t body) {
    const qdi_axis x = {world->boundary_x, world->origin.x, world->origin.x + world->size.x, world->size.x};
    const qdi_axis y = {world->boundary_y, world->origin.y, world->origin.y + world->size.y, world->size.y};
    for (size_t k = 0; k < run->count; ++k, ++body) {
        qd_body_state state = qdi_item_run_body(run, k);
        bodies->x[body] = qdi_axis_wrap(&x, state.position.x);
        bodies->y[body] = qdi_axis_wrap(&y, state.position.y);
        bodies->vx[body] = state.velocity.x;
        bodies->vy[body] = state.velocity.y;
        bodies->radius[body] = state.shape.kind == QD_SHAPE_DISK ? state.shape.radius : 0;
    }
    return body;
}

// Fills the places of a polyline's edges, which are not generated.
static size_t fill_edge_slots(const qdi_body_item *item, qdi_generated *bodies, size_t body) {
    for (uint64_t k = 0; k < item->count; ++k, ++body)
        bodies->x[body] = bodies->y[body] = bodies->vx[body] = bodies->vy[body] = bodies->radius[body] = 0;
    return body;
}

void qdi_generate_draw(const qdi_settings *settings, qdi_generated *bodies) {
    size_t body = 0;
    for (size_t i = 0; i < settings->item_count; ++i) {
        const qdi_body_item *item = &settings->items[i];
        if (item->kind == QDI_ITEM_FILE) body = copy_rows(&item->file.bodies, bodies, body);
        if (item->kind == QDI_ITEM_RUN) body = copy_run(&settings->world, &item->run, bodies, body);
        if (item->kind == QDI_ITEM_POLYLINE) body = fill_edge_slots(item, bodies, body);
        if (item->kind == QDI_ITEM_LIST) body = copy_listed(item, bodies, body);
        for (uint64_t k = 0; qdi_item_is_generator(item) && k < item->count; ++k, ++body) {
            qd_vec2 velocity = qdi_item_velocity(item, settings->run.seed, body);
            bodies->radius[body] = qdi_item_reach(item, settings->run.seed, body);
            bodies->vx[body] = velocity.x;
            bodies->vy[body] = velocity.y;
        }
    }
}
