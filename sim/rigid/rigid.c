// The rigid contact model, in two stages on the same contacts in the same colours:
//
//   velocities of `now`
//     -> bounce (rigid/bounce.c): what approaches fast collides, pair after pair
//     -> forces (forces.c)
//     -> rest (rigid/solver.c): what does not part is held, in sub-steps
//   velocities of `next`
//
// A contact becomes a constraint: what the solver needs of it (rigid/constraint.c). Where nothing bounces
// that is made while the solver fills its groups, and kept nowhere else. Links of contacts lie in order of
// colour (rigid/colour.c), one after the other as they are worked on. Those of a colour share no body that
// moves, so a range of them reads and writes velocities that no other one touches; bodies that nothing moves
// are shared, but only read. So results depend neither on the order inside a colour nor on the team. What a
// contact gave is kept by its place (qdi_outcomes).

#include <quadrille/hash.h>

#include "sim/contact/narrow.h"
#include "sim/rigid/bounce.h"
#include "sim/rigid/colour.h"
#include "sim/rigid/constraint.h"
#include "sim/rigid/rigid_step.h"
#include "sim/rigid/solver.h"
#include "sim/world/contact_list.h"
#include "sim/world/contact_state.h"
#include "sim/world/energy_balance.h"
#include "sim/world/energy_balance_state.h"
#include "sim/world/forces.h"
#include "sim/world/grain.h"
#include "sim/world/names.h"
#include "sim/world/reach.h"
#include "sim/world/scratch.h"
#include "sim/world/sum.h"
#include "sim/world/surface.h"
#include "sim/world/world_impl.h"

#include <math.h>
#include <string.h>

typedef struct rigid_job {
    qd_world *world;
    qdi_constraint_rules rules;
    bool bouncy;               ///< some surface gives something back
    qdi_constraint_rest *rest; ///< by constraint
    size_t *count;             ///< per range: constraints that may bounce, then that do
    size_t *pressed;           ///< per range
    bool same;                 ///< they are of the pairs of the step before
    bool laid;                 ///< and of its spots, and of bodies that nobody has changed by hand
    size_t kept;               ///< links that are those of the step before until they are made
    atomic_bool *changed;      ///< some are others
    atomic_bool *retouched;    ///< some have more or fewer touches
} rigid_job;

// ---- links ----

/// Overlap with what cannot move, as a part of a body's size, from which on it is followed however little it
/// moves.
static const double pressed_part = 0.25;

/// Rigid contacts: true for a link whose body lies deep in what cannot move.
static bool is_pressed(const qd_world *world, const qdi_link *link) {
    if (link->moves_a == link->moves_b) return false;
    double depth = world->present.geometry[link->geometry].depth[0]; // the deeper one
    return depth > pressed_part * qdi_inner_of_row(world, link->moves_a ? link->row_a : link->row_b);
}

/// Rigid contacts: sets what a contact gave to nothing.
static void clear_outcome(const qdi_scratch *scratch, size_t place) {
    scratch->outcomes.given[place] = (qdi_given){{0, 0}, {0, 0}};
    scratch->outcomes.warm_starts[place] = (qdi_warm_start){{0, 0}, {0, 0}};
    scratch->balance.contact_balances[place] = (qdi_contact_balance){{0}};
}

/// Rigid contacts: the priority of the contact at a place.
static uint32_t hash_of(const qd_world *world, size_t place) {
    const qdi_partners with = qdi_partners_at(world, &world->present, place);
    return (uint32_t)(qd_hash_mix(qdi_name_of_id(world, with.a), qdi_name_of_id(world, with.b)) >> 32);
}

/// Rigid contacts: makes the link of the contact at a place; true where it is another than in the step
/// before.
static bool make_link(const rigid_job *job, size_t i, bool acts) {
    const qd_world *world = job->world;
    const qdi_spot *spot = &world->present.spots[i];
    qdi_link *link = &world->scratch.links[i];
    const uint32_t a = spot->row_a, b = spot->row_b;
    const bool moves_a = acts && world->kind[a] == QD_BODY_DYNAMIC,
               moves_b = acts && b != QDI_NO_ROW && world->kind[b] == QD_BODY_DYNAMIC;
    const uint32_t hash = job->same ? link->hash : hash_of(world, i);
    const bool other = i >= job->kept || link->row_a != a || link->row_b != b || link->hash != hash ||
                       link->rank != spot->rank || link->moves_a != moves_a || link->moves_b != moves_b;
    link->row_a = a; // field by field: a copy of what was just written would have to wait for it
    link->row_b = b;
    link->hash = hash;
    link->place = (uint32_t)i;
    link->rank = spot->rank;
    link->geometry = spot->geometry;
    link->moves_a = moves_a;
    link->moves_b = moves_b;
    return other;
}

/// Rigid contacts: makes the links of a range of contacts.
static void make_links(void *context, size_t begin, size_t end) {
    const rigid_job *job = context;
    const qd_world *world = job->world;
    size_t bouncy = 0, pressed = 0;
    bool changed = false, retouched = false;
    for (size_t i = begin; i < end; ++i) {
        const unsigned marks = world->present.marks[i], touches = (1U << (marks & QDI_MARK_TOUCHES)) - 1;
        const bool acts = touches > 0; // sensors must not take a colour from the others
        qdi_link *link = &world->scratch.links[i];
        if (!job->laid && make_link(job, i, acts)) changed = true;
        retouched = retouched || link->touches != touches;
        link->touches = (uint8_t)touches;
        if (!acts) clear_outcome(&world->scratch, i); // nobody else writes it
        bouncy += job->bouncy && acts && qdi_constraint_bouncy(world, link);
        link->loaded = (marks & QDI_MARK_LOADED) != 0;
        link->pressed = is_pressed(world, link);
        pressed += link->pressed;
    }
    job->count[begin / QDI_CONTACT_GRAIN] = bouncy;
    job->pressed[begin / QDI_CONTACT_GRAIN] = pressed;
    if (changed) atomic_store_explicit(job->changed, true, memory_order_relaxed);
    if (retouched) atomic_store_explicit(job->retouched, true, memory_order_relaxed);
}

/// True for a surface off which something bounces.
static bool gives_back(const qd_material *surface) {
    return surface->restitution > 0 || surface->tangential > 0;
}

/// Rigid contacts: the same of a trait's surface.
static bool trait_gives_back(const qdi_trait *trait) {
    return gives_back(&trait->surface);
}

/// Bounces and sub-steps add up.
static void clear_outcomes(void *context, size_t begin, size_t end) {
    const qdi_scratch *scratch = &((const rigid_job *)context)->world->scratch;
    for (size_t i = begin; i < end; ++i) clear_outcome(scratch, i);
}

// ---- bounces ----

/// Contacts lie in the order of (a, b), which is any order here: what is needed soon is asked for ahead.
enum { AHEAD = 24 };
/// Asks for what a constraint needs of a body.
static inline void ask_for_body(const qd_world *world, uint32_t row) {
    if (row == QDI_NO_ROW) return;
    __builtin_prefetch(&world->mass[row]);
    __builtin_prefetch(&world->radius[row]);
    __builtin_prefetch(&world->next.vx[row]);
    __builtin_prefetch(&world->next.vy[row]);
}

/// Asks for what the constraint some places further on needs.
static inline void ask_for(const qd_world *world, size_t i, size_t end) {
    if (i + AHEAD >= end) return;
    const qdi_link *link = &world->scratch.coloured[i + AHEAD];
    __builtin_prefetch(&world->present.geometry[link->geometry]);
    ask_for_body(world, link->row_a);
    ask_for_body(world, link->row_b);
}

/// Makes the constraints of a range of links, and marks those that approach fast.
static void make_constraints(void *context, size_t begin, size_t end) {
    const rigid_job *job = context;
    const qd_world *world = job->world;
    const qdi_scratch *scratch = &world->scratch;
    size_t fast = 0;
    for (size_t i = begin; i < end; ++i) {
        qdi_constraint *constraint = &scratch->constraints[i];
        ask_for(world, i, end);
        constraint->rest = &job->rest[i];
        qdi_constraint_make(world, &job->rules, &scratch->coloured[i], constraint);
        if (!qdi_constraint_fast(world, constraint)) continue;
        fast += 1;
        qdi_bounce_mark(world, constraint, 1);
    }
    job->count[begin / QDI_CONTACT_GRAIN] = fast;
}

/// After the bounces: what they gave, and who is taken by the solver.
static void end_bounces(void *context, size_t begin, size_t end) {
    const rigid_job *job = context;
    const qd_world *world = job->world;
    size_t taken = 0;
    for (size_t i = begin; i < end; ++i) {
        qdi_link *link = &world->scratch.coloured[i];
        const qdi_constraint *constraint = &world->scratch.constraints[i];
        qdi_given *given = &world->scratch.outcomes.given[link->place];
        memcpy(given->impulse, constraint->impulse, sizeof given->impulse);
        memcpy(given->friction, constraint->tangent_impulse, sizeof given->friction);
        link->touches = qdi_constraint_touches(world, constraint, job->rules.dt);
        taken += link->touches > 0;
    }
    job->count[begin / QDI_CONTACT_GRAIN] = taken;
}

// ---- what walls give ----

/// The present contacts with walls.
typedef struct wall_list {
    const qd_world *world;
    size_t first; ///< place
} wall_list;

/// Rigid contacts: the spot of a contact of the walls.
static const qdi_spot *wall_spot(const wall_list *list, size_t i) {
    return &list->world->present.spots[list->first + i];
}

/// Rigid contacts: the normal of such a contact.
static qd_vec2 wall_normal(const wall_list *list, size_t i) {
    return list->world->present.geometry[wall_spot(list, i)->geometry].normal;
}

/// Rigid contacts: what such a contact gave.
static const qdi_given *wall_given(const wall_list *list, size_t i) {
    return &list->world->scratch.outcomes.given[list->first + i];
}

/// What the wall gave to its body.
static qd_vec2 wall_impulse(const void *context, size_t i) {
    const qdi_given *given = wall_given(context, i);
    const qd_vec2 n = wall_normal(context, i);
    double push = given->impulse[0] + given->impulse[1], tangent = given->friction[0] + given->friction[1];
    return (qd_vec2){-push * n.x + tangent * n.y, -push * n.y - tangent * n.x};
}

/// Rigid contacts: its push on the low and on the high wall of an axis along which its normal is this long.
static qd_vec2 push_along(const qdi_given *given, double normal) {
    const double push = (given->impulse[0] + given->impulse[1]) * fabs(normal);
    return normal < 0 ? (qd_vec2){push, 0} : (qd_vec2){0, push};
}

/// Rigid contacts: its push across the left and the right wall.
static qd_vec2 push_sideways(const void *context, size_t i) {
    return push_along(wall_given(context, i), wall_normal(context, i).x);
}

/// Rigid contacts: the same across the lower and the upper one.
static qd_vec2 push_upright(const void *context, size_t i) {
    return push_along(wall_given(context, i), wall_normal(context, i).y);
}

/// Rigid contacts: the energy that it gave, being moved.
static qd_vec2 wall_work(const void *context, size_t i) {
    const wall_list *list = context;
    const qd_vec2 speed = list->world->wall_mean[wall_spot(list, i)->wall], given = wall_impulse(list, i);
    return (qd_vec2){given.x * speed.x + given.y * speed.y, 0};
}

/// Rigid contacts: what the walls gave in all, and where the energy went.
static qd_status settle(qd_world *world, qdi_wall_gain *walls) {
    const qdi_contact_state *state = &world->present;
    const size_t count = qdi_constraint_count(state), first = state->first_wall;
    const wall_list list = {world, first};
    enum { IMPULSE, ASIDE, UPRIGHT, WORK, TERMS };
    const qdi_sum_term terms[TERMS] = {[IMPULSE] = {wall_impulse, &list},
                                       [ASIDE] = {push_sideways, &list},
                                       [UPRIGHT] = {push_upright, &list},
                                       [WORK] = {wall_work, &list}};
    qd_vec2 all[TERMS];
    const size_t used = world->walls_move ? TERMS : WORK;
    const qd_status status = qdi_sum_each(world->team, &world->scratch.arena, count - first, terms, used,
                                          all);
    if (status != QD_OK) return status;
    walls->impulse = all[IMPULSE];
    if (used == TERMS) walls->work = all[WORK].x;
    qdi_balance_pushes(world, all[ASIDE], all[UPRIGHT]);
    return qdi_balance_constraints(world, count, first);
}

// ---- all of it ----

/// Rigid contacts: makes room for the links of a step and what they give.
static qd_status reserve(qd_world *world, size_t count) {
    qdi_scratch *scratch = &world->scratch;
    const qd_allocator *allocator = world->allocator;
    qd_status status = qdi_reserve(allocator, &scratch->links, &scratch->link_room, scratch->link_count,
                                   count, sizeof *scratch->links);
    if (status == QD_OK) status = qdi_outcomes_reserve(allocator, &scratch->outcomes, count);
    return status == QD_OK ? qdi_balance_begin(world, count) : status;
}

/// Makes the constraints and lets them bounce; leaves those that the solver takes with touches, and says
/// whether there are any.
static qd_status bounce(qd_world *world, rigid_job *job, size_t count, const qdi_colours *colours,
                        bool *taken) {
    const size_t ranges = qdi_range_count(count, QDI_CONTACT_GRAIN);
    qdi_scratch *scratch = &world->scratch;
    scratch->constraints = qdi_arena_take(&scratch->arena, count, sizeof *scratch->constraints);
    job->rest = qdi_arena_take(&scratch->arena, count, sizeof *job->rest);
    scratch->dirty = qdi_arena_take(&scratch->arena, world->count, sizeof *scratch->dirty);
    if (!scratch->constraints || !job->rest || !scratch->dirty) return QD_ERR_MEMORY;
    qdi_team_zero(world->team, scratch->dirty, world->count * sizeof *scratch->dirty);
    qdi_team_for(world->team, count, QDI_CONTACT_GRAIN, make_constraints, job);
    const bool any = qdi_exclusive_scan(job->count, ranges) > 0;
    qd_status status = any ? qdi_bounce(world, colours) : QD_OK;
    if (status != QD_OK) return status;
    qdi_team_for(world->team, count, QDI_CONTACT_GRAIN, end_bounces, job);
    *taken = qdi_exclusive_scan(job->count, ranges) > 0;
    return QD_OK;
}

/// Makes links, colours them, lets them bounce and solves them.
static qd_status solve(qd_world *world, size_t count, double dt, qdi_wall_gain *walls) {
    const size_t ranges = qdi_range_count(count, QDI_CONTACT_GRAIN);
    qd_status status = reserve(world, count);
    if (status != QD_OK) return status;
    atomic_bool changed = false, retouched = false;
    rigid_job job = {.world = world,
                     .changed = &changed,
                     .retouched = &retouched,
                     .kept = world->scratch.link_count,
                     .same = world->scratch.link_count == count && world->present.pairs > 0 &&
                             world->scratch.link_pairs == world->present.pairs,
                     .laid = world->scratch.link_count == count && world->present.layout > 0 &&
                             world->scratch.link_layout == world->present.layout,
                     .bouncy = gives_back(&world->walls) || qdi_any_trait(world, trait_gives_back) ||
                               qdi_materials_bounce(&world->traits.materials),
                     .rules = {.dt = dt, .threshold = qdi_impulse_threshold(world, dt)},
                     .count = qdi_arena_take(&world->scratch.arena, ranges, sizeof *job.count),
                     .pressed = qdi_arena_take(&world->scratch.arena, ranges, sizeof *job.pressed)};
    if (!job.count || !job.pressed) return QD_ERR_MEMORY;
    qdi_team_for(world->team, count, QDI_CONTACT_GRAIN, make_links, &job);
    bool bouncy = qdi_exclusive_scan(job.count, ranges) > 0;
    if (bouncy) qdi_team_for(world->team, count, QDI_CONTACT_GRAIN, clear_outcomes, &job);
    size_t pressed = qdi_exclusive_scan(job.pressed, ranges);
    world->scratch.pressed = world->def.continuous == QD_CONTINUOUS_OFF ? 0 : pressed;
    world->scratch.link_pairs = world->present.pairs;
    world->scratch.link_layout = world->present.layout;
    qdi_colours colours;
    const bool same = !changed && world->scratch.link_count == count;
    // Bounces decide anew what the solver takes.
    const qdi_steady steady = !same                 ? QDI_STEADY_NOTHING
                              : retouched || bouncy ? QDI_STEADY_LINKS
                                                    : QDI_STEADY_TOUCHES;
    if (steady != QDI_STEADY_TOUCHES) world->scratch.plan = NULL;
    status = qdi_colour(world, count, changed, &colours);
    bool taken = true;
    if (status == QD_OK && bouncy) status = bounce(world, &job, count, &colours, &taken);
    qdi_solver_units units;
    if (status == QD_OK) status = qdi_solver_prepare(world, taken ? &colours : NULL, steady, dt, &units);
    if (status == QD_OK) status = qdi_forces_kick(world, dt);
    if (status != QD_OK) return status;
    qdi_solver_run(world, &units, dt, bouncy);
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

// ---- in a step ----

/// Rigid contacts: motion asks for these with any contact model.
static qd_status begin(qd_world *world, qdi_step_context *step) {
    (void)step;
    world->scratch.mover_count = world->scratch.pressed = world->scratch.solved = 0;
    world->fast = 0;
    return QD_OK;
}

/// Resolves the contacts of a step by impulses.
static qd_status resolve(qd_world *world, qdi_step_context *step) {
    if (world->def.contact != QD_CONTACT_IMPULSE) return QD_OK;
    qdi_forces_begin(world);
    qd_status status = qdi_impulse(world, step->dt, &step->gains[0]);
    step->outcomes = world->scratch.outcomes;
    return status;
}

/// Rigid contacts: bodies may be of another kind now, though their contacts are the same.
static qd_status forget_links(qd_world *world, qdi_step_context *step) {
    (void)step;
    world->scratch.plan = NULL;
    world->scratch.link_layout = 0;
    return QD_OK;
}

const qdi_feature qdi_impulse_feature = {
    .at = {[QDI_STAGE_BEGIN] = begin, [QDI_STAGE_RESOLVE] = resolve, [QDI_STAGE_EDITED] = forget_links}};
