// The rigid contact model, in two stages on the same contacts in the same colours:
//
//   velocities of the moment before
//     -> bounce (rigid/bounce.c): what approaches fast collides, pair after pair
//     -> forces (forces.c)
//     -> rest (rigid/solver.c): what does not part is held, in sub-steps
//   velocities of the next moment
//
// A contact becomes a constraint: what the solver needs of it, and what it gave. Constraints lie in order of colour, one after the
// other as they are worked on. Those of a colour (rigid/colour.c) share no body that moves, so a range of them reads and writes velocities that no other
// one touches; bodies that nothing moves are shared, but only read. So results depend neither on the order inside a
// colour nor on the team.

#include <quadrille/hash.h>

#include "sim/account.h"
#include "sim/rigid/solver.h"

#include <math.h>
#include <stdlib.h>

double qdi_impulse_threshold(const qd_world *world, double dt) {
    if (!isnan(world->def.threshold)) return world->def.threshold;
    qd_vec2 g = world->def.gravity;
    return 2 * sqrt(g.x * g.x + g.y * g.y) * dt;
}

// ---- constraints ----

typedef struct constraint_job {
    qd_world *world;
    double dt, threshold;
    size_t *fast; ///< per range: constraints that approach faster
} constraint_job;

static double larger(double a, double b) {
    return a > b ? a : b;
}

void qdi_constraint_mix(const qd_material *a, const qd_material *b, qdi_constraint *constraint) {
    constraint->restitution = larger(a->restitution, b->restitution);
    constraint->tangential = larger(a->tangential, b->tangential);
    bool slippery = a->friction == 0 || b->friction == 0; // infinity times 0 is none
    constraint->friction = slippery ? 0 : sqrt(a->friction) * sqrt(b->friction);
}

/// Levers of the touches. A disk's normal goes through its centre. Where one of the two cannot move, the other is pushed
/// at its own surface; else both at the point midway, so that they get no angular momentum from nowhere.
static void make_arms(const qd_world *world, const qd_contact *contact, qdi_constraint *constraint) {
    uint32_t a = constraint->row_a, b = constraint->row_b;
    const qdi_motion *now = &world->now;
    double xa = now->x[a], ya = now->y[a], xb = xa, yb = ya;
    if (b != QDI_NO_ROW) {
        bool px = world->axis[0].boundary == QD_BOUNDARY_PERIODIC,
             py = world->axis[1].boundary == QD_BOUNDARY_PERIODIC;
        xb = now->x[b] + (px ? contact->image.x * world->axis[0].length : 0);
        yb = now->y[b] + (py ? contact->image.y * world->axis[1].length : 0);
    }
    bool disk_a = world->shape[a] == 0, disk_b = b == QDI_NO_ROW || world->shape[b] == 0;
    constraint->turn_a = 1 / world->inertia[a];
    if (b != QDI_NO_ROW) constraint->turn_b = 1 / world->inertia[b];
    double nx = constraint->nx, ny = constraint->ny;
    for (int k = 0; k < contact->count; ++k) {
        const qd_touch *touch = &contact->touch[k];
        double half = 0.5 * touch->depth;
        double shift = !constraint->moves_b ? half : (!constraint->moves_a ? -half : 0);
        double x = touch->point.x + shift * nx, y = touch->point.y + shift * ny;
        constraint->across_a[k] = disk_a ? 0 : (x - xa) * ny - (y - ya) * nx;
        constraint->along_a[k] = (x - xa) * nx + (y - ya) * ny;
        constraint->across_b[k] = disk_b ? 0 : (x - xb) * ny - (y - yb) * nx;
        constraint->along_b[k] = b == QDI_NO_ROW ? 0 : (x - xb) * nx + (y - yb) * ny;
    }
}

/// What a body gains in a step by the attraction, in speed.
static double pulled(const qd_world *world, uint32_t row, double dt) {
    qd_vec2 pull = qdi_attraction_at(world, world->now.x[row], world->now.y[row]);
    return sqrt(pull.x * pull.x + pull.y * pull.y) * dt;
}

/// What approaches slower does not bounce.
static double threshold_of(const constraint_job *job, const qdi_constraint *constraint) {
    const qd_world *world = job->world;
    if (!isnan(world->def.threshold) || world->def.attraction.strength == 0) return job->threshold;
    double most = constraint->moves_a ? pulled(world, constraint->row_a, job->dt) : 0;
    double other = constraint->moves_b ? pulled(world, constraint->row_b, job->dt) : 0;
    return job->threshold + 2 * larger(most, other);
}

static void make_links(void *context, size_t begin, size_t end, int worker) {
    (void)worker;
    const constraint_job *job = context;
    const qd_world *world = job->world;
    for (size_t i = begin; i < end; ++i) {
        const qdi_spot *spot = &world->present.spots[i];
        uint32_t a = spot->row_a, b = spot->row_b;
        bool wall = b == QDI_NO_ROW;
        const qd_contact *contact = &world->present.contacts[spot->contact];
        uint32_t other = wall ? contact->b.index : world->index[b];
        bool acts = !contact->sensor; // the others must not take a colour from these
        world->scratch.links[i] = (qdi_link){.row_a = a,
                                             .row_b = b,
                                             .hash = (uint32_t)(qd_hash_mix(world->index[a], other) >> 32),
                                             .contact = spot->contact,
                                             .moves_a = acts && world->kind[a] == QD_BODY_DYNAMIC,
                                             .moves_b = acts && !wall && world->kind[b] == QD_BODY_DYNAMIC};
    }
}

static void make_constraint(const constraint_job *job, const qdi_link *link, qdi_constraint *constraint) {
    const qd_world *world = job->world;
    const qd_contact *contact = &world->present.contacts[link->contact];
    uint32_t a = link->row_a, b = link->row_b;
    bool wall = b == QDI_NO_ROW;
    constraint->row_a = a; // field by field: a copy of what was just written would have to wait for it
    constraint->row_b = b;
    constraint->contact = link->contact;
    constraint->count = contact->sensor ? 0 : contact->count;
    constraint->moves_a = link->moves_a;
    constraint->moves_b = link->moves_b;
    constraint->nx = contact->normal.x;
    constraint->ny = contact->normal.y;
    constraint->inverse_a = 1 / world->mass[a];
    constraint->inverse_b = wall ? 0 : 1 / world->mass[b];
    constraint->turn_a = constraint->turn_b = constraint->wx = constraint->wy = 0;
    for (int k = 0; k < 2; ++k) {
        constraint->depth[k] = contact->touch[k].depth;
        constraint->across_a[k] = constraint->across_b[k] = constraint->along_a[k] = constraint->along_b[k] =
            0;
        constraint->impulse[k] = constraint->rub[k] = constraint->hold.normal[k] =
            constraint->hold.tangent[k] = 0;
    }
    qdi_constraint_mix(qdi_surface_of_row(world, a), wall ? &world->walls : qdi_surface_of_row(world, b),
                       constraint);
    if (wall) {
        qd_vec2 speed = world->wall_mean[contact->b.index - (uint32_t)QD_WALL_LEFT];
        constraint->wx = speed.x;
        constraint->wy = speed.y;
    }
    constraint->size = qdi_smaller_inner(world, a, b);
    bool bounces = constraint->restitution > 0 ||
                   constraint->tangential > 0; // what does not is stopped with what rests
    constraint->threshold = bounces ? threshold_of(job, constraint) : (double)INFINITY;
    bool disks = world->shape[a] == 0 && (wall || world->shape[b] == 0);
    constraint->plain = disks && constraint->friction == 0;
    if (!constraint->plain) make_arms(world, contact, constraint);
}

/// True where a constraint will bounce, unless another one hinders it.
static bool is_fast(const constraint_job *job, const qdi_constraint *constraint) {
    bool fast = false;
    for (int k = 0; k < constraint->count; ++k)
        fast = fast || (constraint->depth[k] >= -qdi_bounce_gap(constraint) &&
                        qdi_constraint_approach(constraint, &job->world->next, k) > constraint->threshold);
    return fast;
}

/// Links lie in the order of the tree, contacts in that of (a, b), which both are any order here: what is needed soon is asked
/// for ahead.
enum { LINKS_AHEAD = 16, CONTACTS_AHEAD = 8 };
static inline void ask_for(const qd_world *world, size_t i, size_t end) {
    const qdi_scratch *scratch = &world->scratch;
    if (i + LINKS_AHEAD < end) __builtin_prefetch(&scratch->links[scratch->order[i + LINKS_AHEAD]]);
    if (i + CONTACTS_AHEAD >= end) return;
    uint32_t number = scratch->links[scratch->order[i + CONTACTS_AHEAD]].contact;
    const char *contact = (const char *)&world->present.contacts[number];
    for (size_t at = 0; at < sizeof(qd_contact); at += 64) __builtin_prefetch(contact + at);
    const char *constraint = (const char *)&scratch->constraints[i + CONTACTS_AHEAD];
    for (size_t at = 0; at < sizeof(qdi_constraint); at += 64) __builtin_prefetch(constraint + at, 1);
}

static void make_constraints(void *context, size_t begin, size_t end, int worker) {
    (void)worker;
    const constraint_job *job = context;
    const qd_world *world = job->world;
    const qdi_scratch *scratch = &world->scratch;
    size_t fast = 0;
    for (size_t i = begin; i < end; ++i) {
        qdi_constraint *constraint = &scratch->constraints[i];
        ask_for(world, i, end);
        make_constraint(job, &scratch->links[scratch->order[i]], constraint);
        scratch->place[constraint->contact] = (uint32_t)i;
        scratch->books.accounts[i] = (qdi_account){{0}};
        scratch->ends[i] = (qdi_meeting){constraint->row_a, constraint->row_b};
        scratch->held[i] = qdi_solver_takes(world, constraint, job->dt) ? constraint->count : 0;
        if (!is_fast(job, constraint)) continue;
        fast += 1;
        qdi_bounce_stir(world, constraint, 1);
    }
    job->fast[begin / QDI_CONTACT_GRAIN] = fast;
}

// ---- bounces of what does not touch ----

/// True for a constraint that has bounced though its contact is a speculative one: a body was stopped on its way, just before it touched.
static bool is_impact(const constraint_job *job, const qdi_constraint *constraint) {
    return constraint->contact >= job->world->present.contact_count &&
           constraint->impulse[0] + constraint->impulse[1] > 0;
}

static void count_impacts(void *context, size_t begin, size_t end, int worker) {
    (void)worker;
    const constraint_job *job = context;
    size_t count = 0;
    for (size_t i = begin; i < end; ++i) count += is_impact(job, &job->world->scratch.constraints[i]);
    job->fast[begin / QDI_CONTACT_GRAIN] = count;
}

static void put_impacts(void *context, size_t begin, size_t end, int worker) {
    (void)worker;
    const constraint_job *job = context;
    qd_impact *impact = job->world->following.impacts + job->fast[begin / QDI_CONTACT_GRAIN];
    for (size_t i = begin; i < end; ++i) {
        const qdi_constraint *constraint = &job->world->scratch.constraints[i];
        if (!is_impact(job, constraint)) continue;
        const qd_contact *contact = &job->world->present.contacts[constraint->contact];
        *impact++ = (qd_impact){.a = contact->a,
                                .b = contact->b,
                                .point = contact->touch[0].point,
                                .normal = contact->normal,
                                .approach = contact->approach,
                                .impulse = constraint->impulse[0] + constraint->impulse[1],
                                .friction = constraint->rub[0] + constraint->rub[1]};
    }
}

/// Reports them as impacts at the step's beginning.
static qd_status note_impacts(qd_world *world, constraint_job *job, size_t count) {
    qdi_moment *moment = &world->following;
    if (world->present.near_count == 0) return QD_OK;
    qdi_team_for(world->team, count, QDI_CONTACT_GRAIN, count_impacts, job);
    size_t impacts = qdi_exclusive_scan(job->fast, qdi_range_count(count, QDI_CONTACT_GRAIN));
    qd_status status = qdi_reserve(world->allocator, &moment->impacts, &moment->impact_room, 0, impacts,
                                   sizeof *moment->impacts);
    if (status != QD_OK || impacts == 0) return status;
    qdi_team_for(world->team, count, QDI_CONTACT_GRAIN, put_impacts, job);
    qsort(moment->impacts, impacts, sizeof *moment->impacts, qdi_impact_order);
    moment->impact_count = impacts;
    return QD_OK;
}

/// The constraint of a contact with a wall, of those in `keys`.
static const qdi_constraint *wall_constraint(const qdi_scratch *scratch, size_t i) {
    return &scratch->constraints[scratch->place[scratch->keys.key[i]]];
}

/// What the wall gave to its body.
static qd_vec2 wall_impulse(const void *context, size_t i) {
    const qdi_constraint *constraint = wall_constraint(context, i);
    double push = constraint->impulse[0] + constraint->impulse[1],
           rub = constraint->rub[0] + constraint->rub[1];
    return (qd_vec2){-push * constraint->nx + rub * constraint->ny,
                     -push * constraint->ny - rub * constraint->nx};
}

/// The same across the left and the right wall, and across the lower and the upper one.
static qd_vec2 push_sideways(const void *context, size_t i) {
    const qdi_constraint *constraint = wall_constraint(context, i);
    double push = (constraint->impulse[0] + constraint->impulse[1]) * fabs(constraint->nx);
    return constraint->nx < 0 ? (qd_vec2){push, 0} : (qd_vec2){0, push};
}

static qd_vec2 push_upright(const void *context, size_t i) {
    const qdi_constraint *constraint = wall_constraint(context, i);
    double push = (constraint->impulse[0] + constraint->impulse[1]) * fabs(constraint->ny);
    return constraint->ny < 0 ? (qd_vec2){push, 0} : (qd_vec2){0, push};
}

/// The energy that it gave, being moved.
static qd_vec2 wall_work(const void *context, size_t i) {
    const qdi_constraint *constraint = wall_constraint(context, i);
    qd_vec2 given = wall_impulse(context, i);
    return (qd_vec2){given.x * constraint->wx + given.y * constraint->wy, 0};
}

/// What the walls gave in all: of their contacts in order of (a, b). And where the energy went.
static qd_status settle(qd_world *world, qdi_wall_gain *walls) {
    const qdi_moment *moment = &world->present;
    size_t count = qdi_constraint_count(moment) - moment->first_wall;
    qd_status status = qdi_wall_contacts(world, moment);
    if (status == QD_OK) status = qdi_sum(world, count, wall_impulse, &world->scratch, &walls->impulse);
    qd_vec2 aside = {0, 0}, upright = {0, 0};
    if (status == QD_OK) status = qdi_sum(world, count, push_sideways, &world->scratch, &aside);
    if (status == QD_OK) status = qdi_sum(world, count, push_upright, &world->scratch, &upright);
    qdi_account_pushes(world, aside, upright);
    if (status == QD_OK) status = qdi_account_constraints(world, qdi_constraint_count(moment), count);
    if (status != QD_OK || !world->walls_move) return status;
    qd_vec2 work = {0, 0};
    status = qdi_sum(world, count, wall_work, &world->scratch, &work);
    walls->work = work.x;
    return status;
}

static qd_status reserve(qd_world *world, size_t count) {
    qdi_scratch *scratch = &world->scratch;
    const qd_allocator *allocator = world->allocator;
    qd_status status = qdi_reserve(allocator, &scratch->links, &scratch->link_room, 0, count,
                                   sizeof *scratch->links);
    if (status == QD_OK)
        status = qdi_reserve(allocator, &scratch->place, &scratch->place_room, 0, count,
                             sizeof *scratch->place);
    if (status == QD_OK)
        status = qdi_reserve(allocator, &scratch->constraints, &scratch->constraint_room, 0, count,
                             sizeof *scratch->constraints);
    if (status == QD_OK)
        status = qdi_reserve(allocator, &scratch->ends, &scratch->ends_room, 0, count, sizeof *scratch->ends);
    if (status == QD_OK) status = qdi_reserve(allocator, &scratch->held, &scratch->held_room, 0, count, 1);
    if (status == QD_OK)
        status = qdi_reserve(allocator, &scratch->stirred, &scratch->stirred_room, 0, world->count,
                             sizeof *scratch->stirred);
    if (status == QD_OK)
        status = qdi_reserve(allocator, &scratch->range_count, &scratch->range_room, 0,
                             qdi_range_count(count, QDI_BOUNCE_GRAIN), sizeof *scratch->range_count);
    return status == QD_OK ? qdi_account_begin(world, count) : status;
}

static qd_status solve(qd_world *world, size_t count, double dt, qdi_wall_gain *walls) {
    qdi_scratch *scratch = &world->scratch;
    qd_status status = reserve(world, count);
    if (status != QD_OK) return status;
    constraint_job job = {.world = world, .dt = dt, .threshold = qdi_impulse_threshold(world, dt)};
    qdi_team_for(world->team, count, QDI_CONTACT_GRAIN, make_links, &job);
    qdi_colours colours;
    qdi_solver_colours resting;
    status = qdi_colour(world, count, &colours);
    if (status != QD_OK) return status;
    job.fast = scratch->range_count;
    qdi_bounce_begin(world);
    qdi_team_for(world->team, count, QDI_CONTACT_GRAIN, make_constraints, &job);
    bool fast = qdi_exclusive_scan(job.fast, qdi_range_count(count, QDI_CONTACT_GRAIN)) > 0;
    if (fast) {
        qdi_bounce(world, &colours);
        status = note_impacts(world, &job, count);
        if (status != QD_OK) return status;
    }
    status = qdi_solver_prepare(world, &colours, dt, fast, &resting);
    if (status != QD_OK) return status;
    status = qdi_forces_kick(world, dt);
    if (status != QD_OK) return status;
    qdi_solver_run(world, &resting, dt);
    return settle(world, walls);
}

qd_status qdi_impulse(qd_world *world, double dt, qdi_wall_gain *walls) {
    size_t count = qdi_constraint_count(&world->present);
    if (count == 0) return qdi_forces_kick(world, dt);
    qdi_contacts_share(world, count);
    qd_status status = solve(world, count, dt, walls);
    qdi_team_use(world->team, 0);
    return status;
}
