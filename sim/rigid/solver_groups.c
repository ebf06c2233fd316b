// Selects the contacts that the sub-steps work on, numbers the bodies that they move, and puts the contacts
// into groups of eight (rigid/solver.h), colour by colour.
//
// A mover is a body that has such a contact and moves. Movers are numbered by row and constraints lie in
// order of colour; neither order decides anything, because constraints of a colour share no mover that they
// write (rigid/rigid.c). Mover 0 stands for walls and static bodies, and the last four for walls where these
// move; they and the kinematic ones are read by many and written by none. `slot` is written by all ranges
// that meet a body, with the same value, hence atomic.

#include "sim/rigid/constraint.h"
#include "sim/rigid/lean.h"
#include "sim/rigid/solver.h"
#include "sim/rigid/solver_job.h"
#include "sim/world/contact_state.h"
#include "sim/world/energy_balance.h"
#include "sim/world/energy_balance_state.h"
#include "sim/world/grain.h"
#include "sim/world/order.h"
#include "sim/world/reach.h"
#include "sim/world/scratch.h"
#include "sim/world/surface.h"
#include "sim/world/world_impl.h"

#include <math.h>
#include <string.h>

// ---- bodies that the solver moves ----

/// Marks a body as one that the solver works on.
static void mark(const qdi_solver_job *job, uint32_t row) {
    if (row != QDI_NO_ROW && job->world->kind[row] != QD_BODY_STATIC)
        atomic_store_explicit(&job->world->scratch.slot[row], 1, memory_order_relaxed);
}

/// Contact solver's groups: notes that a link of a domain has a body of another one. What it moves there it
/// must not move while others do; what nothing moves is written by its own domain alone.
static void note_foreign(const qdi_solver_job *job, size_t domain, uint32_t row, bool moves) {
    const qd_world *world = job->world;
    if (row == QDI_NO_ROW || world->kind[row] == QD_BODY_STATIC) return;
    const size_t home = qdi_domain_of(job->domains, row);
    if (home == domain) return;
    if (moves)
        atomic_fetch_or_explicit(&job->foreign[row], UINT64_C(1) << domain, memory_order_relaxed);
    else
        qdi_domains_meet(job->domains, home, UINT64_C(1) << domain);
}

/// Contact solver's groups: marks the movers of a range of links.
static void mark_range(void *context, size_t begin, size_t end) {
    const qdi_solver_job *job = context;
    for (size_t i = begin; i < end; ++i) {
        const qdi_link *link = &job->links[i];
        if (!link->touches) continue;
        mark(job, link->row_a);
        mark(job, link->row_b);
        if (job->domains->count == 1 || qdi_is_apart(job, qdi_owner_of(link))) continue;
        const size_t domain = i >= job->serial ? 0 : qdi_domain_of(job->domains, qdi_owner_of(link));
        note_foreign(job, domain, link->row_a, link->moves_a);
        note_foreign(job, domain, link->row_b, link->moves_b);
        if (link->row_b == QDI_NO_ROW && job->world->walls_move)
            qdi_domains_meet(job->domains, job->domains->count - 1, UINT64_C(1) << domain);
    }
}

/// Contact solver's groups: counts the movers of a range of bodies.
static void count_range(void *context, size_t begin, size_t end) {
    const qdi_solver_job *job = context;
    size_t count = 0;
    for (size_t r = begin; r < end; ++r)
        count += atomic_load_explicit(&job->world->scratch.slot[r], memory_order_relaxed);
    job->bodies[begin / QDI_BODY_GRAIN] = count;
}

/// Contact solver's groups: makes all domains that move a body neighbours.
static void join_at(const qdi_solver_job *job, uint32_t row) {
    uint64_t all = atomic_load_explicit(&job->foreign[row], memory_order_relaxed);
    if (!all) return;
    all |= UINT64_C(1) << qdi_domain_of(job->domains, row);
    for (uint64_t left = all; left; left &= left - 1)
        qdi_domains_meet(job->domains, (size_t)__builtin_ctzll(left), all);
}

/// Contact solver's groups: lists the rows of the movers of a range of bodies.
static void list_movers_range(void *context, size_t begin, size_t end) {
    const qdi_solver_job *job = context;
    size_t place = job->bodies[begin / QDI_BODY_GRAIN];
    for (size_t r = begin; r < end; ++r) {
        if (!atomic_load_explicit(&job->world->scratch.slot[r], memory_order_relaxed)) continue;
        job->list[place++] = (uint32_t)r;
        if (job->domains->count > 1) join_at(job, (uint32_t)r);
    }
}

/// Contact solver's groups: numbers a range of the listed movers and takes their velocities.
static void gather_range(void *context, size_t begin, size_t end) {
    const qdi_solver_job *job = context;
    const qd_world *world = job->world;
    const qdi_motion *m = &world->next;
    for (size_t k = begin; k < end; ++k) {
        const size_t slot = k + 1;
        const uint32_t r = job->units->rows[k];
        atomic_store_explicit(&world->scratch.slot[r], (uint32_t)slot, memory_order_relaxed);
        double spin = world->turning ? m->spin[r] : 0;
        qdi_balance_mover_begin(world, slot, (qdi_twist){m->vx[r], m->vy[r], spin});
        job->movers[slot] = (qdi_mover){.vx = m->vx[r] + 0, // -0 becomes 0, see qdi_solver_point
                                        .vy = m->vy[r] + 0,
                                        .spin = spin + 0,
                                        .inverse = 1 / world->mass[r],
                                        .turn = 1 / world->inertia[r]};
        world->scratch.stances[slot] = (qdi_stance){.x = world->now.x[r],
                                                    .y = world->now.y[r],
                                                    .inner = qdi_inner_of_row(world, r),
                                                    .lean = world->shape[r] ? world->now.lean[r] : HUGE_VAL};
        world->scratch.held[slot] = 0;
    }
}

/// Contact solver's groups: makes the movers of walls, which are the last ones.
static void make_wall_movers(const qd_world *world, const qdi_solver_job *job, size_t first, size_t count) {
    for (size_t k = first; k < count; ++k) {
        qd_vec2 speed = world->wall_mean[k - first];
        job->movers[k] = (qdi_mover){.vx = speed.x, .vy = speed.y};
        world->scratch.pushes[k] = (qdi_push){0, 0, 0, 0};
        world->scratch.stances[k] = (qdi_stance){0, 0, 0, HUGE_VAL};
        qdi_balance_mover_begin(world, k, (qdi_twist){speed.x, speed.y, 0});
    }
}

/// Contact solver's groups: finds the movers and deals them out to the units.
static qd_status find_movers(qd_world *world, qdi_solver_job *job, size_t links, qdi_solver_units *units) {
    qdi_arena *arena = &world->scratch.arena;
    const size_t ranges = qdi_range_count(world->count, QDI_BODY_GRAIN);
    job->bodies = qdi_arena_take(arena, ranges, sizeof *job->bodies);
    job->domains = &units->domains;
    job->foreign = qdi_arena_take(arena, units->domains.count > 1 ? world->count : 0, sizeof *job->foreign);
    if (!job->bodies || !job->foreign) return QD_ERR_MEMORY;
    qdi_team_zero(world->team, world->scratch.slot, world->count * sizeof *world->scratch.slot);
    if (job->domains->count > 1)
        qdi_team_zero(world->team, job->foreign, world->count * sizeof *job->foreign);
    qdi_team_for(world->team, links, QDI_CONTACT_GRAIN, mark_range, job);
    qdi_team_for(world->team, world->count, QDI_BODY_GRAIN, count_range, job);
    units->bodies = qdi_exclusive_scan(job->bodies, ranges);
    qdi_keys rows;
    qd_status status = qdi_keys_take(arena, units->bodies, &rows);
    if (status != QD_OK) return status;
    qdi_solver_job list = *job;
    list.list = rows.value;
    qdi_team_for(world->team, world->count, QDI_BODY_GRAIN, list_movers_range, &list);
    status = qdi_solver_part_movers(world, &rows, units->bodies, units);
    // Walls that move are the last domain's, and there are no units apart then.
    if (status == QD_OK && world->walls_move) units->unit[units->count - 1].end_mover += QDI_WALLS;
    units->rows = rows.value;
    return status;
}

/// Contact solver's groups: numbers the movers and takes their velocities.
static qd_status gather(qd_world *world, qdi_solver_job *job, const qdi_solver_units *units) {
    qdi_scratch *scratch = &world->scratch;
    const size_t bodies = units->bodies, count = 1 + bodies + (world->walls_move ? QDI_WALLS : 0);
    qd_status status = qdi_reserve(world->allocator, &scratch->movers, &scratch->mover_room, 0, count,
                                   sizeof *scratch->movers);
    scratch->pushes = qdi_arena_take(&scratch->arena, count, sizeof *scratch->pushes);
    scratch->began = qdi_arena_take(&scratch->arena, count, sizeof *scratch->began);
    scratch->stances = qdi_arena_take(&scratch->arena, count, sizeof *scratch->stances);
    scratch->held = qdi_arena_take(&scratch->arena, count, sizeof *scratch->held);
    if (status == QD_OK) status = qdi_balance_movers(world, count);
    if (status != QD_OK || !scratch->pushes || !scratch->began || !scratch->stances || !scratch->held)
        return QD_ERR_MEMORY;
    job->movers = scratch->movers;
    job->movers[0] = (qdi_mover){0};
    scratch->stances[0] = (qdi_stance){0, 0, 0, HUGE_VAL};
    qdi_balance_mover_begin(world, 0, (qdi_twist){0, 0, 0});
    make_wall_movers(world, job, bodies + 1, count);
    qdi_team_for(world->team, bodies, QDI_BODY_GRAIN, gather_range, job);
    scratch->mover_count = count;
    return QD_OK;
}

// ---- constraints of the solver ----

/// Contact solver's groups: the mover that stands for the wall of a contact.
static uint32_t slot_of_wall(const qd_world *world, const qdi_link *link) {
    if (!world->walls_move) return 0;
    return (uint32_t)world->scratch.mover_count - QDI_WALLS + world->present.spots[link->place].wall;
}

/// What is said of a lane by bits; the same bits of the lanes of a group, side by side, are bytes.
enum {
    LANE_MOVES_A,
    LANE_MOVES_B,
    LANE_WALL,
    LANE_FIRST, ///< there is a first touch, and a second
    LANE_SECOND,
    LANE_FRICTION,
    LANE_RESTS ///< on two touches, see rigid/lean.h
};

/// Contact solver's groups: eight bytes of eight bits each as a square: rows become columns (H. S. Warren,
/// "Hacker's Delight", 2nd ed., section 7-3).
static inline uint64_t turn_bits(uint64_t square) {
    uint64_t swap = (square ^ square >> 7) & UINT64_C(0x00AA00AA00AA00AA);
    square ^= swap ^ swap << 7;
    swap = (square ^ square >> 14) & UINT64_C(0x0000CCCC0000CCCC);
    square ^= swap ^ swap << 14;
    swap = (square ^ square >> 28) & UINT64_C(0x00000000F0F0F0F0);
    return square ^ swap ^ swap << 28;
}

/// Friction may be infinite; but infinity times no push along the normal would be no number.
static const double MOST_FRICTION = 1e100;

/// Contact solver's groups: fills a lane of a contact and what it is made from; returns its bits.
static inline unsigned fill_lane(const qdi_solver_job *job, const qdi_link *link, qdi_solver_group *group,
                                 qdi_solver_source *from, size_t lane) {
    const qd_world *world = job->world;
    const qdi_contact_state *state = &world->present;
    const uint32_t a = link->row_a, b = link->row_b;
    const bool wall = b == QDI_NO_ROW;
    from->geometry[lane] = &state->geometry[link->geometry];
    from->hold[lane] = &state->warm_starts[link->place];
    if (from->shifted) {
        const qd_vec2 shift = wall ? (qd_vec2){0, 0} : qdi_constraint_shift(world, link);
        from->shift_x[lane] = shift.x;
        from->shift_y[lane] = shift.y;
    }
    group->slot_a[lane] = qdi_slot_of(world, a);
    group->slot_b[lane] = wall ? slot_of_wall(world, link) : qdi_slot_of(world, b);
    group->place[lane] = link->place;
    const double both = qdi_constraint_friction(world, link),
                 friction = both < MOST_FRICTION ? both : MOST_FRICTION;
    const bool rests = link->touches == QDI_TOUCHES_BOTH && qdi_lean_rests(from->hold[lane], friction);
    if (rests && link->moves_a) world->scratch.held[group->slot_a[lane]] = 1;
    if (rests && link->moves_b) world->scratch.held[group->slot_b[lane]] = 1;
    group->friction[lane] = friction;
    if (job->slides) job->slides[group - world->scratch.groups][lane] = qdi_slide_of(world, a, b) + 0;
    return (unsigned)link->moves_a << LANE_MOVES_A | (unsigned)link->moves_b << LANE_MOVES_B |
           (unsigned)wall << LANE_WALL | (unsigned)((link->touches & QDI_TOUCHES_FIRST) != 0) << LANE_FIRST |
           (unsigned)((link->touches & QDI_TOUCHES_SECOND) != 0) << LANE_SECOND |
           (unsigned)(friction > 0) << LANE_FRICTION | (unsigned)rests << LANE_RESTS;
}

/// Contact solver's groups: a lane that no contact has: of mover 0, and nothing comes of it.
static void empty_lane(qdi_solver_group *group, qdi_solver_source *from, size_t lane) {
    static const qdi_geometry nowhere = {.normal = {0, 0}};
    static const qdi_warm_start nothing = {{0, 0}, {0, 0}};
    from->geometry[lane] = &nowhere;
    from->hold[lane] = &nothing;
    from->shift_x[lane] = from->shift_y[lane] = 0;
    group->slot_a[lane] = group->slot_b[lane] = 0;
    group->place[lane] = group->place[0]; // what is read of it is this group's own
    group->friction[lane] = 0;
}

/// Contact solver's groups: says of a group what its lanes' bits say.
static void note_bits(uint64_t bits, qdi_solver_group *group, qdi_solver_source *from) {
    bits = turn_bits(bits);
    group->moves_a = (uint8_t)(bits >> (8 * LANE_MOVES_A));
    group->moves_b = (uint8_t)(bits >> (8 * LANE_MOVES_B));
    group->has_friction = (uint8_t)(bits >> (8 * LANE_FRICTION));
    group->walls = (uint8_t)(bits >> (8 * LANE_WALL));
    group->large = 0;
    from->rests = (uint8_t)(bits >> (8 * LANE_RESTS));
    from->there[0] = (uint8_t)(bits >> (8 * LANE_FIRST));
    from->there[1] = (uint8_t)(bits >> (8 * LANE_SECOND));
}

/// A colour takes one contact out of ten, and holds lie in order of (a, b): what is needed soon is asked for
/// ahead.
enum { CONTACTS_AHEAD = 8 };

/// Contact solver's groups: asks for what the link some places further on needs.
static inline void ask_for(const qdi_solver_job *job, const uint32_t *inside, size_t count) {
    if (CONTACTS_AHEAD >= count) return;
    const qdi_contact_state *state = &job->world->present;
    const qdi_link *link = &job->links[inside[CONTACTS_AHEAD]];
    __builtin_prefetch(&state->geometry[link->geometry]);
    __builtin_prefetch(&state->warm_starts[link->place]);
}

/// Contact solver's groups: makes a group of lanes of the links that are solved side by side.
static void make_group(const qdi_solver_job *job, size_t number) {
    qdi_solver_group *group = &job->groups[number];
    qdi_solver_second *second = number < job->twos_groups ? &job->second[number] : NULL;
    const uint32_t *numbers = NULL;
    size_t left = qdi_solver_constraints(job, number, &numbers);
    qdi_solver_source from;
    from.again = job->units->again;
    from.large = job->rules.large;
    from.stances = job->world->scratch.stances;
    from.shifted = qdi_constraints_shift(job->world);
    qdi_solver_ask_for(group, second, 1, true);
    uint64_t bits = 0;
    for (size_t lane = 0; lane < QDI_SOLVER_LANES && lane < left; ++lane) {
        ask_for(job, numbers + lane, left - lane);
        bits |= (uint64_t)fill_lane(job, &job->links[numbers[lane]], group, &from, lane) << (8 * lane);
    }
    for (size_t lane = left; lane < QDI_SOLVER_LANES; ++lane) empty_lane(group, &from, lane);
    note_bits(bits, group, &from);
    job->kernels->make(job->movers, &from, group, second);
}

void qdi_solver_make_groups(const qdi_solver_job *job, size_t groups) {
    for (size_t g = 0; g < groups; ++g) make_group(job, g);
}

/// Contact solver's groups: true where some surface moves like a belt.
static bool slides(const qdi_trait *trait) {
    return trait->slide != 0;
}

/// Contact solver's groups: where those of each domain lie, and how many another unit has at most.
static void size_units(qdi_solver_units *units) {
    units->first_group = units->first_second = units->unit_groups = units->unit_seconds = 0;
    for (size_t u = 0; u < units->count; ++u) {
        qdi_solver_unit *unit = &units->unit[u];
        if (u < units->domains.count) {
            unit->first_group = units->first_group;
            unit->first_second = units->first_second;
            units->first_group += unit->groups;
            units->first_second += unit->seconds;
        } else {
            if (unit->groups > units->unit_groups) units->unit_groups = unit->groups;
            if (unit->seconds > units->unit_seconds) units->unit_seconds = unit->seconds;
        }
    }
}

/// Contact solver's groups: makes room for the groups of a step: for those of all domains, and for one of the
/// other units at each thread.
static qd_status reserve_groups(qd_world *world, const qdi_solver_units *units) {
    qdi_scratch *scratch = &world->scratch;
    const size_t threads = (size_t)qd_team_threads(world->team);
    const size_t groups = units->first_group + threads * units->unit_groups,
                 second = units->first_second + threads * units->unit_seconds;
    scratch->groups = qdi_arena_take(&scratch->arena, groups, sizeof *scratch->groups);
    scratch->second = qdi_arena_take(&scratch->arena, second, sizeof *scratch->second);
    scratch->slides = NULL;
    if (!scratch->groups || !scratch->second) return QD_ERR_MEMORY;
    if (!qdi_any_trait(world, slides)) return QD_OK;
    scratch->slides = qdi_arena_take(&scratch->arena, groups * QDI_SOLVER_LANES, sizeof *scratch->slides);
    return scratch->slides ? QD_OK : QD_ERR_MEMORY;
}

/// Contact solver's groups: who is solved with whom; no units where the solver takes nothing.
static qd_status make_plan(qd_world *world, const qdi_colours *colours, bool same, qdi_solver_units *units) {
    qdi_scratch *scratch = &world->scratch;
    const size_t all = colours->start[colours->count];
    qdi_solver_job job = {.world = world,
                          .links = scratch->coloured,
                          .serial = colours->start[colours->count - (colours->last_is_serial ? 1 : 0)],
                          .colours = colours};
    units->count = 0;
    qd_status status = qdi_solver_find_units(world, same);
    if (status != QD_OK) return status;
    const size_t apart = qdi_solver_units_apart(world);
    if (apart > 0) job.unit_of = scratch->unit_of;
    qdi_domains_find(world, all, apart > 0, &units->domains);
    status = qdi_solver_list(&job, &units->domains);
    if (status != QD_OK) return status;
    units->taken = job.begins[colours->count * QDI_KINDS_OF_DOMAIN * units->domains.count];
    if (units->taken == 0) return QD_OK;
    units->count = units->domains.count + apart;
    status = qdi_reserve(world->allocator, &scratch->slot, &scratch->slot_room, 0, world->count,
                         sizeof *scratch->slot);
    if (status == QD_OK) status = qdi_solver_part(&job, units);
    units->list = job.list;
    if (status == QD_OK) status = find_movers(world, &job, all, units);
    if (status == QD_OK) size_units(units);
    return status;
}

/// Every so many steps no plan is kept: which contacts carry something, and so which lanes lie side by side
/// (QDI_KINDS_OF_DOMAIN), is that of the step in which it was made.
enum { PLAN_STEPS = 16 };

/// Contact solver's groups: keeps a plan for the steps to come; where there is no memory for it, it is made
/// anew.
static void keep_plan(qd_world *world, const qdi_solver_units *made) {
    qdi_scratch *scratch = &world->scratch;
    qdi_arena *arena = &scratch->plan_arena;
    qdi_solver_units *plan = qdi_arena_take(arena, 1, sizeof *plan);
    qdi_solver_unit *unit = qdi_arena_take(arena, made->count, sizeof *unit);
    uint32_t *list = qdi_arena_take(arena, made->taken, sizeof *list),
             *rows = qdi_arena_take(arena, made->bodies, sizeof *rows);
    if (!plan || !unit || !list || !rows) return;
    *plan = *made;
    plan->unit = memcpy(unit, made->unit, made->count * sizeof *unit);
    plan->list = memcpy(list, made->list, made->taken * sizeof *list);
    plan->rows = memcpy(rows, made->rows, made->bodies * sizeof *rows);
    scratch->plan = plan;
    scratch->plan_bodies = world->count;
}

qd_status qdi_solver_prepare(qd_world *world, const qdi_colours *colours, qdi_steady steady, double dt,
                             qdi_solver_units *units) {
    qdi_scratch *scratch = &world->scratch;
    qd_status status = QD_OK;
    scratch->mover_count = 0;
    if (!colours) {
        scratch->plan = NULL;
        if (steady == QDI_STEADY_NOTHING) scratch->unit_count = 1; // those of other links
        units->count = 0;
        return QD_OK;
    }
    if (steady == QDI_STEADY_TOUCHES && scratch->plan && world->clock.step % PLAN_STEPS != 0 &&
        scratch->plan_bodies == world->count && qdi_solver_units_hold(world, scratch->plan)) {
        *units = *scratch->plan;
    } else {
        scratch->plan = NULL;
        qdi_arena_empty(&scratch->plan_arena);
        status = make_plan(world, colours, steady != QDI_STEADY_NOTHING, units);
        if (status != QD_OK || units->count == 0) return status;
        if (steady == QDI_STEADY_TOUCHES && qdi_solver_units_hold(world, units)) keep_plan(world, units);
    }
    units->again = world->clock.dt > 0 ? dt / world->clock.dt : 1;
    qdi_solver_job job = {.world = world, .units = units};
    status = reserve_groups(world, units);
    return status == QD_OK ? gather(world, &job, units) : status;
}
