// A world that is compressed. Its scale is state: a product of factors, one per step. Rows are scaled by
// ranges that write their own; sums over bodies and contacts are of the kinds that do not depend on the team.

#include "sim/world/compress.h"

#include "core/base/assert.h"
#include "core/math/vec.h"
#include "sim/world/bodies.h"
#include "sim/world/contact_list.h"
#include "sim/world/contact_state.h"
#include "sim/world/contact_sums.h"
#include "sim/world/energy_balance.h"
#include "sim/world/feature.h"
#include "sim/world/grain.h"
#include "sim/world/limits.h"
#include "sim/world/pose.h"
#include "sim/world/scratch.h"
#include "sim/world/spring_terms.h"
#include "sim/world/sum.h"
#include "sim/world/walls.h"
#include "sim/world/world_impl.h"

#include <quadrille/math.h>

#include <math.h>

qd_status qdi_compress_check(const qd_world_def *def, qd_error *error) {
    static const char *const names[2] = {"x", "y"};
    const qd_compression *c = &def->compression;
    if (!qdi_is_sane(c->rate.x) || !qdi_is_sane(c->rate.y))
        return qdi_reason(error, QD_ERR_VALUE, "the rates of a compression must be finite and within 1e30");
    if (!(c->fraction > 0) || !(c->pressure > 0))
        return qdi_reason(error, QD_ERR_VALUE,
                          "fraction and pressure that a compression ends at must be above 0");
    for (int k = 0; k < 2; ++k) {
        if (qdi_axis_part(&c->rate, k) == 0) continue;
        if ((k == 0 ? def->boundary_x : def->boundary_y) == QD_BOUNDARY_OPEN)
            return qdi_reason(error, QD_ERR_VALUE, "the open sides in %s cannot be compressed", names[k]);
        for (int wall = 2 * k; wall < 2 * k + 2; ++wall)
            if (def->wall_motion[wall].velocity != 0 || def->wall_motion[wall].amplitude != 0)
                return qdi_reason(error, QD_ERR_VALUE,
                                  "walls that are compressed in %s cannot move by themselves", names[k]);
    }
    bool ends = isfinite(c->fraction) || isfinite(c->pressure);
    if (ends && c->rate.x + c->rate.y == 0)
        return qdi_reason(error, QD_ERR_VALUE,
                          "a compression whose area stays the same ends at no fraction or pressure");
    return QD_OK;
}

qd_status qdi_compress_put(qd_world *world) {
    for (int k = 0; k < 2; ++k) {
        qdi_axis *axis = &world->axis[k];
        qdi_compress_axis(world, k, &axis->low, &axis->high);
        axis->length = qdi_axis_part(&world->compress.scale, k) == 1 ? qdi_axis_part(&world->def.size, k)
                                                                     : axis->high - axis->low;
    }
    return qd_tree_set_period(world->tree, qdi_world_period(world));
}

/// Compression of a world: sides are above 0, and no further off than anything may be.
static bool can_be(const qd_vec2 *size, const qd_vec2 *scale, double distance) {
    for (int k = 0; k < 2; ++k) {
        double length = qdi_axis_part(size, k) * qdi_axis_part(scale, k);
        bool same = qdi_axis_part(scale, k) == 1;
        if (!same && !(length >= 1e-18 && 0.5 * length <= distance)) return false;
    }
    return true;
}

/// Compression of a world: time until the fraction is met; infinity where it never is.
static double time_left(const qd_compression *c, const qdi_axis axis[2], double area) {
    double sum = c->rate.x + c->rate.y, now = area / (axis[0].length * axis[1].length);
    if (!isfinite(c->fraction)) return HUGE_VAL;
    if (!(area > 0)) return sum > 0 ? HUGE_VAL : 0;
    return qd_log(c->fraction / now) / sum;
}

// Whether the world has reached the pressure at which compression ends.
static bool reached_pressure(const qd_world *world) {
    const qd_compression *c = &world->def.compression;
    if (!isfinite(c->pressure) || world->clock.step == 0) return false; // no step, no virial
    double pressure = qdi_pressure(world);
    return c->rate.x + c->rate.y > 0 ? pressure >= c->pressure : pressure <= c->pressure;
}

typedef struct area_job {
    const qd_world *world;
    double *areas; ///< of blocks of indices
} area_job;

// Adds up the areas of the dynamic bodies of one block.
static void sum_block_area(void *context, size_t begin, size_t end) {
    const area_job *job = context;
    const qd_world *world = job->world;
    double area = 0;
    for (size_t i = begin; i < end; ++i) {
        const uint32_t row = world->row_of_index[i];
        if (row == QDI_NO_ROW || world->kind[row] != QD_BODY_DYNAMIC) continue;
        const uint32_t shape = world->shape[row];
        area += shape ? qd_shape_area(world->shapes.shape[shape])
                      : 3.14159265358979323846 * world->radius[row] * world->radius[row];
    }
    job->areas[begin / QDI_BLOCK] = area;
}

/// Compression of a world: the area of its bodies, by blocks in order of index: the last step of a
/// compression depends on its last bits, and runs of earlier versions were compressed by this sum.
static qd_status area_of_bodies(qd_world *world, double *area) {
    const size_t blocks = qdi_range_count(world->index_count, QDI_BLOCK);
    area_job job = {world, qdi_arena_take(&world->scratch.arena, blocks, sizeof *job.areas)};
    if (!job.areas) return QD_ERR_MEMORY;
    qdi_team_for(world->team, world->index_count, QDI_BLOCK, sum_block_area, &job);
    *area = 0;
    for (size_t b = 0; b < blocks; ++b) *area += job.areas[b];
    return QD_OK;
}

/// Works out by how much a step scales.
static qd_status find_compress_factor(qd_world *world, qdi_step_context *step) {
    qdi_compress *state = &world->compress;
    const qd_compression *c = &world->def.compression;
    state->factor = (qd_vec2){1, 1};
    state->before = state->scale;
    state->ends = false;
    if (!qdi_compresses(world) || state->done) return QD_OK;
    double left = HUGE_VAL, area = 0;
    if (isfinite(c->fraction)) {
        const qd_status status = area_of_bodies(world, &area);
        if (status != QD_OK) return status;
        left = time_left(c, world->axis, area);
    }
    state->ends = left <= step->dt || reached_pressure(world);
    if (left <= 0 || (state->ends && left > step->dt)) return QD_OK;
    double time = left < step->dt ? left : step->dt;
    state->factor = (qd_vec2){qd_exp(-c->rate.x * time), qd_exp(-c->rate.y * time)};
    return QD_OK;
}

// ---- bodies ----

typedef struct scale_job {
    qd_world *world;
    qd_vec2 factor;
    double *work; ///< by row: what gravity's potential gets; NULL: nothing
    double distance;
    uint32_t *lowest_bad; ///< per range: lowest index of a body too long for a period, or too far off
} scale_job;

// Whether a body is longer than half a shrinking periodic world.
static bool spans_half_period(const qdi_axis *axis, double radius) {
    return axis->boundary == QD_BOUNDARY_PERIODIC && 2 * radius > 0.5 * axis->length;
}

// Moves the bodies of a range with the compressed space.
static void compress_rows(void *context, size_t begin, size_t end) {
    const scale_job *job = context;
    const qd_world *world = job->world;
    const qd_vec2 centre = world->centre, factor = job->factor, gravity = world->def.gravity;
    const qdi_motion *next = &world->next;
    uint32_t bad = QD_NO_BODY;
    for (size_t r = begin; r < end; ++r) {
        bool carried = world->kind[r] == QD_BODY_DYNAMIC;
        double dx = carried ? (next->x[r] - centre.x) * (factor.x - 1) : 0;
        double dy = carried ? (next->y[r] - centre.y) * (factor.y - 1) : 0;
        if (job->work) job->work[r] = carried ? -world->mass[r] * (gravity.x * dx + gravity.y * dy) : 0;
        if (carried && factor.x != 1)
            next->x[r] = qdi_axis_wrap(&world->axis[0], centre.x + (next->x[r] - centre.x) * factor.x);
        if (carried && factor.y != 1)
            next->y[r] = qdi_axis_wrap(&world->axis[1], centre.y + (next->y[r] - centre.y) * factor.y);
        bool fits = !spans_half_period(&world->axis[0], world->radius[r]) &&
                    !spans_half_period(&world->axis[1], world->radius[r]) &&
                    fabs(next->x[r] - centre.x) <= job->distance &&
                    fabs(next->y[r] - centre.y) <= job->distance;
        if (!fits && world->index[r] < bad) bad = world->index[r];
    }
    job->lowest_bad[begin / QDI_BODY_GRAIN] = bad;
}

// Hook of the step: compresses the space and moves the bodies in it.
static qd_status compress_apply(qd_world *world, qdi_step_context *step) {
    qdi_compress *state = &world->compress;
    qdi_scratch *scratch = &world->scratch;
    if (state->factor.x == 1 && state->factor.y == 1) return QD_OK;
    size_t ranges = qdi_range_count(world->count, QDI_BODY_GRAIN);
    scale_job job = {
        .world = world, .factor = state->factor, .distance = qdi_limit_distance(&world->def.limits)};
    bool falls = world->def.gravity.x != 0 || world->def.gravity.y != 0;
    qd_status status = falls ? qdi_balance_rows(&world->scratch.arena, world->count, &job.work) : QD_OK;
    job.lowest_bad = qdi_arena_take(&scratch->arena, ranges, sizeof *job.lowest_bad);
    if (status != QD_OK || !job.lowest_bad) return QD_ERR_MEMORY;
    state->scale = (qd_vec2){state->before.x * state->factor.x, state->before.y * state->factor.y};
    bool fits = can_be(&world->def.size, &world->compress.scale, qdi_limit_distance(&world->def.limits));
    if (fits) status = qdi_compress_put(world);
    if (status == QD_OK && !(fits && qdi_walls_put(world, step->end))) {
        qdi_limit_report_size(&world->report, world->clock.step + 1, &world->def.limits);
        return QD_ERR_LIMIT;
    }
    if (status != QD_OK) return status;
    qdi_team_for(world->team, world->count, QDI_BODY_GRAIN, compress_rows, &job);
    uint32_t bad = QD_NO_BODY;
    for (size_t k = 0; k < ranges; ++k)
        if (job.lowest_bad[k] < bad) bad = job.lowest_bad[k];
    if (bad != QD_NO_BODY) {
        qdi_limit_report_scaled(world, world->row_of_index[bad]);
        return QD_ERR_LIMIT;
    }
    world->margin.held = world->margin.behind = false;
    qdi_motion_boxes(world, &world->next);
    return falls ? qdi_sum_values(world->team, &world->scratch.arena, job.work, world->count,
                                  &scratch->balance.sums.compression)
                 : QD_OK;
}

// ---- springs ----

/// Contacts of a state, and what a place moved by with the sheet: (place - centre) share.
typedef struct press_job {
    const qd_world *world;
    const qdi_contact_state *contact_state;
    const qdi_motion *m;
    qd_vec2 share, period;
} press_job;

// How far compression moves a place.
static qd_vec2 compressed_by(const press_job *job, qd_vec2 place) {
    const qd_vec2 centre = job->world->centre;
    return (qd_vec2){(place.x - centre.x) * job->share.x, (place.y - centre.y) * job->share.y};
}

// How far compression moves a body; only dynamic ones are moved.
static qd_vec2 compressed_row_by(const press_job *job, uint32_t row, qd_image image) {
    const qdi_motion *m = job->m;
    if (job->world->kind[row] != QD_BODY_DYNAMIC) return (qd_vec2){0, 0};
    return compressed_by(job,
                         (qd_vec2){m->x[row] + image.x * job->period.x, m->y[row] + image.y * job->period.y});
}

// How far compression moves a wall.
static qd_vec2 compressed_wall_by(const press_job *job, qd_id wall) {
    const qdi_axis *axis = job->world->axis;
    switch (wall.index) {
    case QD_WALL_LEFT: return compressed_by(job, (qd_vec2){axis[0].low, job->world->centre.y});
    case QD_WALL_RIGHT: return compressed_by(job, (qd_vec2){axis[0].high, job->world->centre.y});
    case QD_WALL_BOTTOM: return compressed_by(job, (qd_vec2){job->world->centre.x, axis[1].low});
    default: return compressed_by(job, (qd_vec2){job->world->centre.x, axis[1].high});
    }
}

/// Half of the force of the springs times how far they were pressed.
static qd_vec2 spring_force_sum(const void *context, size_t i) {
    const press_job *job = context;
    const qd_world *world = job->world;
    const qd_contact *contact = &job->contact_state->contacts[i];
    bool wall = qd_id_is_wall(contact->b);
    uint32_t a = qdi_body_row(world, contact->a), b = wall ? QDI_NO_ROW : qdi_body_row(world, contact->b);
    const double force = qdi_spring_force(world, contact);
    if (force == 0) return (qd_vec2){0, 0}; // or one of the two is gone
    qd_vec2 by_a = compressed_row_by(job, a, (qd_image){0, 0});
    qd_vec2 by_b = wall ? compressed_wall_by(job, contact->b) : compressed_row_by(job, b, contact->image);
    double closer = (by_a.x - by_b.x) * contact->normal.x + (by_a.y - by_b.y) * contact->normal.y;
    return (qd_vec2){0.5 * force * closer, 0};
}

/// Adds what this gave to springs to the step's energy balance.
static qd_status balance_springs(qd_world *world, qdi_step_context *step) {
    (void)step;
    const qdi_compress *state = &world->compress;
    qd_vec2 work[2] = {{0, 0}, {0, 0}}, f = state->factor;
    if (!qdi_springs(world) || (f.x == 1 && f.y == 1)) return QD_OK;
    qd_vec2 period = qdi_world_period(world);
    qdi_contacts_fill(world, &world->present);
    qdi_contacts_fill(world, &world->following);
    press_job before = {
        world, &world->present, &world->now, {f.x - 1, f.y - 1}, {period.x / f.x, period.y / f.y}};
    press_job after = {world, &world->following, &world->next, {1 - 1 / f.x, 1 - 1 / f.y}, period};
    qd_status status = qdi_sum(world->team, &world->scratch.arena, qdi_constraint_count(before.contact_state),
                               spring_force_sum, &before, &work[0]);
    if (status == QD_OK)
        status = qdi_sum(world->team, &world->scratch.arena, qdi_constraint_count(after.contact_state),
                         spring_force_sum, &after, &work[1]);
    world->scratch.balance.sums.compression += work[0].x + work[1].x;
    return status;
}

// ---- the end of a step ----

// Hook of the step: compression that reached its end is done.
static void compress_commit(qd_world *world, const qdi_step_context *step) {
    (void)step;
    world->compress.done = world->compress.done || world->compress.ends;
    world->compress.ends = false;
}

// Hook of a step that failed: space has the size that it had before.
static void compress_revert(qd_world *world, const qdi_step_context *step) {
    (void)step;
    qdi_compress *state = &world->compress;
    state->ends = false;
    if (state->scale.x == state->before.x && state->scale.y == state->before.y) return;
    state->scale = state->before;
    qd_status status = qdi_compress_put(world); // as it was before
    QD_ASSERT(status == QD_OK);
    (void)status;
}

const qdi_feature qdi_compress_feature = {
    .at = {[QDI_STAGE_BEGIN] = find_compress_factor,
           [QDI_STAGE_CHANGE] = compress_apply,
           [QDI_STAGE_FINISH] = balance_springs},
    .commit = compress_commit,
    .revert = compress_revert,
};

bool qdi_compress_restore(qd_world *world) {
    const qdi_compress *state = &world->compress;
    const qd_vec2 rate = world->def.compression.rate;
    bool fine = state->scale.x > 0 && state->scale.y > 0 && isfinite(state->scale.x) &&
                isfinite(state->scale.y) && (rate.x != 0 || state->scale.x == 1) &&
                (rate.y != 0 || state->scale.y == 1) &&
                can_be(&world->def.size, &world->compress.scale, qdi_limit_distance(&world->def.limits));
    return fine && qdi_compress_put(world) == QD_OK;
}
