// Emitters. What the k-th body of one is comes from (seed, k, emitter); where it finds room also depends on
// who is there, which is the same for any team: near bodies are gathered in parallel, but only whether one of
// them is in the way counts. Emitters work one after the other, body after body, so that none overlaps
// another.

#include "core/base/arithmetic.h"
#include "core/base/cookie.h"
#include "sim/shape/distance.h"
#include "sim/world/bodies.h"
#include "sim/world/grain.h"
#include "sim/world/population.h"
#include "sim/world/pose.h"
#include "sim/world/world_impl.h"

#include <quadrille/random.h>

#include <math.h>

/// What random numbers are for: this and the emitter's number are the `use` of qd_random_at, k the stream.
enum { USE_EMITTER = 0xe31700 };

qd_status qdi_population_ensure(qd_world *world) {
    if (world->population) return QD_OK;
    world->population = qdi_allocate(world->allocator, 1, sizeof *world->population);
    if (!world->population) return QD_ERR_MEMORY;
    *world->population = (qdi_population){0};
    return QD_OK;
}

qd_emitter_def qd_emitter_def_default(void) {
    return (qd_emitter_def){.cookie = QDI_COOKIE,
                            .body = qd_body_def_default(),
                            .scale_low = 1,
                            .scale_high = 1,
                            .rate = 1,
                            .stop = HUGE_VAL,
                            .total = UINT64_MAX,
                            .alive = UINT64_MAX,
                            .tries = 20};
}

// ---- what is refused ----

// Whether a corner of an emitter's region is finite and not too far.
static bool within_emitter_range(qd_vec2 point) {
    return qdi_is_sane(point.x) && qdi_is_sane(point.y);
}

// Checks region, rate and ranges of an emitter.
static qd_status check_emitter_numbers(const qd_emitter_def *def, qd_error *error) {
    if (!within_emitter_range(def->low) || !within_emitter_range(def->high))
        return qdi_reason(error, QD_ERR_VALUE, "an emitter's region must be finite and within 1e30");
    if (!(def->low.x <= def->high.x && def->low.y <= def->high.y))
        return qdi_reason(error, QD_ERR_VALUE, "an emitter's region has its corners the wrong way round");
    if (!(def->scale_low > 0 && def->scale_low <= def->scale_high && qdi_is_sane(def->scale_high)))
        return qdi_reason(error, QD_ERR_VALUE, "an emitter's scale must be above 0, the smaller one first");
    if (!qdi_is_sane_positive(def->turn, false) || !qdi_is_sane_positive(def->spread, false))
        return qdi_reason(error, QD_ERR_VALUE,
                          "an emitter's turn and spread must not be below 0, and at most 1e30");
    if (!(def->rate > 0 && def->rate <= 1e9))
        return qdi_reason(error, QD_ERR_VALUE, "an emitter's rate must be above 0, at most 1e9");
    if (!qdi_is_sane(def->start) || !(def->stop >= -QDI_FURTHEST))
        return qdi_reason(error, QD_ERR_VALUE, "an emitter's start must be finite, its stop a time");
    if (def->tries < 1 || def->tries > 100000)
        return qdi_reason(error, QD_ERR_VALUE, "an emitter's tries must be in 1..100000");
    return QD_OK;
}

qd_status qdi_emitter_check(const qd_world *world, qd_emitter_def *def, bool loaded, qd_error *error) {
    qd_status status = check_emitter_numbers(def, error);
    if (status != QD_OK) return status;
    const qd_body_def *body = &def->body;
    if (body->kind == QD_BODY_STATIC)
        return qdi_reason(error, QD_ERR_VALUE, "an emitter's bodies must not be static");
    if (!isnan(body->pivot.x) || !isnan(body->pivot.y))
        return qdi_reason(error, QD_ERR_VALUE, "an emitter's bodies have no pivot");
    if (!qdi_is_sane(body->angle))
        return qdi_reason(error, QD_ERR_VALUE, "an angle must be finite and within 1e30");
    status = qd_shape_normalise(&def->body.shape, NULL, error);
    if (status != QD_OK) return status;
    // Where it will be does not matter here, so it is tried in the middle of the world. Since an emitter was
    // added a period may have become shorter: then what it makes finds no place.
    return qdi_body_def_check(world, body, world->centre, loaded, error);
}

qd_status qdi_population_add_emitter(qd_world *world, const qdi_emitter *emitter) {
    qd_status status = qdi_population_ensure(world);
    if (status != QD_OK) return status;
    qdi_population *all = world->population;
    if (all->emitter_count >= QD_EMITTERS_MAX) return QD_ERR_LIMIT;
    status = qdi_reserve(world->allocator, &all->emitters, &all->emitter_room, all->emitter_count,
                         all->emitter_count + 1, sizeof *all->emitters);
    if (status != QD_OK) return status;
    all->emitters[all->emitter_count++] = *emitter;
    world->turning = true; // whatever it makes: within a step nothing may begin to turn
    return QD_OK;
}

qd_status qd_world_add_emitter(qd_world *world, const qd_emitter_def *def, qd_error *error) {
    QDI_RESTORED qdi_arithmetic caller = qdi_arithmetic_standard();
    if (!world || !def || def->cookie != QDI_COOKIE || def->body.cookie != QDI_COOKIE)
        return qdi_reason(error, QD_ERR_ARGUMENT, "no world, or no emitter from qd_emitter_def_default");
    qdi_emitter emitter = {.def = *def};
    qd_status status = qdi_emitter_check(world, &emitter.def, false, error);
    if (status != QD_OK) return status;
    double now = qd_world_time(world);
    if (emitter.def.start < now) emitter.def.start = now;
    status = qdi_population_add_emitter(world, &emitter);
    if (status == QD_ERR_LIMIT)
        return qdi_reason(error, status, "a world has at most %d emitters", QD_EMITTERS_MAX);
    return status == QD_OK ? status : qdi_reason(error, status, "no memory for another emitter");
}

qd_status qd_world_clear_emitters(qd_world *world) {
    if (!world) return QD_ERR_ARGUMENT;
    if (world->population) world->population->emitter_count = 0;
    return QD_OK;
}

qd_status qd_world_emitter(const qd_world *world, size_t number, qd_emitter_counts *counts) {
    if (!world->population || number >= world->population->emitter_count) return QD_ERR_NOT_FOUND;
    *counts = world->population->emitters[number].counts;
    return QD_OK;
}

// ---- who is near ----

typedef struct near_job {
    const qd_world *world;
    qd_vec2 middle;
    double half_x, half_y; ///< of the region, and the reach of what is to come
    uint8_t *mark;
    size_t *count;
    uint32_t *near;
} near_job;

// Whether a body is so near to an emitter's region that new bodies could overlap it.
static bool body_near_emitter(const near_job *job, size_t row) {
    const qd_world *world = job->world;
    if (row < world->population->flagged && world->population->leaving[row] == 2) return false;
    if (world->traits.trait[world->trait[row]].sensor) return false;
    qd_vec2 arm = qdi_pivot_arm(world->axis, job->middle, world->next.x[row], world->next.y[row]);
    double radius = world->radius[row];
    return fabs(arm.x) <= job->half_x + radius && fabs(arm.y) <= job->half_y + radius;
}

// Marks the bodies near an emitter's region.
static void mark_near_rows(void *context, size_t begin, size_t end) {
    const near_job *job = context;
    size_t count = 0;
    for (size_t r = begin; r < end; ++r) {
        job->mark[r] = body_near_emitter(job, r);
        count += job->mark[r];
    }
    job->count[begin / QDI_BODY_GRAIN] = count;
}

// Lists the marked bodies near an emitter's region.
static void gather_near_rows(void *context, size_t begin, size_t end) {
    const near_job *job = context;
    size_t place = job->count[begin / QDI_BODY_GRAIN];
    for (size_t r = begin; r < end; ++r)
        if (job->mark[r]) job->near[place++] = (uint32_t)r;
}

/// Room for the rows near an emitter, and for those that it may add.
static qd_status reserve_near(qd_world *world, size_t more) {
    qdi_population *all = world->population;
    return qdi_reserve(world->allocator, &all->near, &all->near_room, all->near_count, all->near_count + more,
                       sizeof *all->near);
}

// Finds the bodies near an emitter's region.
static qd_status find_near_bodies(qd_world *world, const qd_emitter_def *def) {
    qdi_arena *arena = &world->scratch.arena;
    qdi_population *all = world->population;
    size_t ranges = qdi_range_count(world->count, QDI_BODY_GRAIN);
    all->near_count = 0;
    const qdi_arena_mark before = qdi_arena_mark_of(arena);
    double reach = def->scale_high * qd_shape_reach(&def->body.shape) * (1 + 1e-9);
    near_job job = {.world = world,
                    .middle = {0.5 * (def->low.x + def->high.x), 0.5 * (def->low.y + def->high.y)},
                    .half_x = 0.5 * (def->high.x - def->low.x) + reach,
                    .half_y = 0.5 * (def->high.y - def->low.y) + reach,
                    .mark = qdi_arena_take(arena, world->count, 1),
                    .count = qdi_arena_take(arena, ranges, sizeof *job.count)};
    if (!job.mark || !job.count) return QD_ERR_MEMORY;
    qdi_team_for(world->team, world->count, QDI_BODY_GRAIN, mark_near_rows, &job);
    size_t count = qdi_exclusive_scan(job.count, ranges);
    qd_status status = reserve_near(world, count);
    if (status != QD_OK) return status;
    job.near = all->near;
    qdi_team_for(world->team, world->count, QDI_BODY_GRAIN, gather_near_rows, &job);
    all->near_count = count;
    qdi_arena_give_back(arena, before);
    return QD_OK;
}

// ---- room for one ----

/// A body on its way into the world.
typedef struct arrival {
    qd_body_def body;
    qdi_hull hull;
    qdi_form form;
    qdi_pose pose; ///< at the origin
    double reach;
    qd_vec2 low, high; ///< how far it reaches
} arrival;

// A random number of an emitter in a range.
static double random_between(qd_random *random, double low, double high) {
    return low + (high - low) * qd_random_uniform(random);
}

/// Emitters: the shape times a number.
static void scale_shape(qd_shape *shape, double scale) {
    shape->radius *= scale;
    shape->half.x *= scale;
    shape->half.y *= scale;
    for (int i = 0; i < shape->count; ++i) {
        shape->points[i].x *= scale;
        shape->points[i].y *= scale;
    }
}

/// Emitters: what the next body is; false where its shape is no good at this size.
static bool draw_newborn(const qd_emitter_def *def, qd_random *random, arrival *next) {
    next->body = def->body;
    next->body.label = 0;
    scale_shape(&next->body.shape, random_between(random, def->scale_low, def->scale_high));
    next->body.angle += def->turn * (2 * qd_random_uniform(random) - 1);
    next->body.velocity.x += def->spread * (2 * qd_random_uniform(random) - 1);
    next->body.velocity.y += def->spread * (2 * qd_random_uniform(random) - 1);
    if (qd_shape_normalise(&next->body.shape, NULL, NULL) != QD_OK) return false;
    const qd_shape *shape = &next->body.shape;
    qdi_hull_make(shape, &next->hull);
    next->form = qdi_form_of(shape, &next->hull);
    next->reach = qd_shape_reach(shape);
    qd_vec2 turn = qdi_turn_of(next->body.angle);
    next->pose = (qdi_pose){0, 0, turn.x, turn.y};
    qdi_form_bounds(&next->form, turn.x, turn.y, &next->low, &next->high);
    return true;
}

// Whether a body emitted here lies within the walls of an axis.
static bool emit_within_walls(const qdi_axis *axis, double at, double low, double high) {
    return axis->boundary != QD_BOUNDARY_REFLECT || (at + low >= axis->low && at + high <= axis->high);
}

/// Emitters: true where nothing is in the way of a body at its position.
static bool has_room(const qd_world *world, const arrival *next) {
    qd_vec2 at = next->body.position;
    if (!emit_within_walls(&world->axis[0], at.x, next->low.x, next->high.x) ||
        !emit_within_walls(&world->axis[1], at.y, next->low.y, next->high.y))
        return false;
    const qdi_population *all = world->population;
    for (size_t k = 0; k < all->near_count; ++k) {
        uint32_t row = all->near[k];
        qd_vec2 arm = qdi_pivot_arm(world->axis, at, world->next.x[row], world->next.y[row]);
        double reach = next->reach + world->radius[row];
        if (arm.x * arm.x + arm.y * arm.y > reach * reach * (1 + 1e-12)) continue;
        qdi_form form = qdi_form_of_row(world, row);
        qdi_pose pose = {arm.x, arm.y, world->next.c[row], world->next.s[row]};
        if (!(qdi_distance(&next->form, &next->pose, &form, &pose).distance > 0)) return false;
    }
    return true;
}

/// Emitters: copies the state of a body that has just been added from `now` to `next`.
static void take_over(qd_world *world, uint32_t row) {
    const qdi_motion *now = &world->now, *next = &world->next;
    next->x[row] = now->x[row];
    next->y[row] = now->y[row];
    next->vx[row] = now->vx[row];
    next->vy[row] = now->vy[row];
    next->c[row] = now->c[row];
    next->s[row] = now->s[row];
    next->spin[row] = now->spin[row];
    qdi_motion_box(world, row);
}

/// Adds a body and remembers how to take it back. QD_ERR_VALUE: the world does not take it there.
static qd_status add_newborn(qd_world *world, const arrival *next) {
    qdi_population *all = world->population;
    qd_status status = qdi_reserve(world->allocator, &all->newborn, &all->newborn_room, all->newborn_count,
                                   all->newborn_count + 1, sizeof *all->newborn);
    if (status == QD_OK) status = reserve_near(world, 1);
    if (status != QD_OK) return status;
    qdi_newborn newborn = {.id = {0, 0}};
    status = qd_world_add(world, &next->body, &newborn.id, NULL);
    if (status != QD_OK) return status;
    newborn.before = newborn.id.generation == 1 ? 0 : newborn.id.generation - 1;
    all->newborn[all->newborn_count++] = newborn;
    uint32_t row = (uint32_t)world->count - 1;
    all->near[all->near_count++] = row;
    take_over(world, row);
    return QD_OK;
}

/// Makes number k of an emitter, if there is room.
static qd_status emit_one(qd_world *world, size_t number, uint64_t k, bool *made) {
    const qd_emitter_def *def = &world->population->emitters[number].def;
    const uint32_t use = USE_EMITTER + (uint32_t)world->stage * QD_EMITTERS_MAX + (uint32_t)number;
    qd_random random = qd_random_at(world->def.seed, k, use);
    arrival next;
    *made = false;
    if (!draw_newborn(def, &random, &next)) return QD_OK;
    for (int i = 0; i < def->tries; ++i) {
        next.body.position.x = random_between(&random, def->low.x, def->high.x);
        next.body.position.y = random_between(&random, def->low.y, def->high.y);
        if (!def->overlap && !has_room(world, &next)) continue;
        qd_status status = add_newborn(world, &next);
        *made = status == QD_OK;
        if (status != QD_ERR_VALUE) return status;
    }
    return QD_OK;
}

// ---- all of them ----

/// Bodies that an emitter was to have made by a time.
static uint64_t due_by(const qd_emitter_def *def, double time) {
    double until = time < def->stop ? time : def->stop, due = floor(def->rate * (until - def->start));
    if (!(due > 0)) return 0;
    return due < 0x1p53 ? (uint64_t)due : UINT64_C(1) << 53;
}

// Emits the bodies of one emitter that are due in this step.
static qd_status emit_due_bodies(qd_world *world, size_t number, uint64_t due, size_t *alive) {
    qdi_emitter *emitter = &world->population->emitters[number];
    qd_status status = emitter->def.overlap ? QD_OK : find_near_bodies(world, &emitter->def);
    for (uint64_t burst = 0; status == QD_OK && emitter->counts.due < due && burst < QD_EMITTER_BURST;
         ++burst) {
        if (emitter->counts.emitted >= emitter->def.total || *alive >= emitter->def.alive) break;
        bool made = false;
        status = emit_one(world, number, emitter->counts.due++, &made);
        emitter->counts.emitted += made;
        *alive += made && emitter->def.body.kind == QD_BODY_DYNAMIC;
        world->population->blocked += status == QD_OK && !made;
    }
    emitter->counts.due = due;
    return status;
}

qd_status qdi_population_emit(qd_world *world, double time) {
    qdi_population *all = world->population;
    size_t alive = world->count - world->fixed;
    for (size_t r = 0; r < all->flagged; ++r)
        alive -= all->leaving[r] == 2 && world->kind[r] == QD_BODY_DYNAMIC;
    qd_status status = QD_OK;
    for (size_t i = 0; i < all->emitter_count && status == QD_OK; ++i) {
        uint64_t due = due_by(&all->emitters[i].def, time);
        all->near_count = 0;
        if (due > all->emitters[i].counts.due) status = emit_due_bodies(world, i, due, &alive);
    }
    return status;
}
