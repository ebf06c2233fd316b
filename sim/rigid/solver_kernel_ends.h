// Before the sweeps and after them: how a group is made of its contacts, and what is reported of these. The
// last part of solver_kernel.h, and with no include guard as that.
#include "sim/rigid/solver.h"
#include "sim/world/energy_balance_state.h"

// ---- making groups ----

/// Solver: the part of an arm along the normal, which is its lever for friction.
static inline vec lever_along(vec x, vec y, vec nx, vec ny) {
    return x * nx + y * ny;
}
/// Solver: the part of an arm across the normal, which is its lever for the normal impulse.
static inline vec lever_across(vec x, vec y, vec nx, vec ny) {
    return x * ny - y * nx;
}

/// What is the same for both touches of the contacts of a group that is made.
typedef struct making {
    vec nx, ny, xa, ya, xb, yb;  ///< normal, centroids
    vec inverse, turn_a, turn_b; ///< 1 / mass of both, 1 / inertia
    vec lean_a, lean_b;          ///< that count, see rigid/lean.h
    vec again;                   ///< see qdi_solver_source
    mask moves_a, moves_b, turns_a, turns_b;
} making;

/// Solver: makes a touch at (px, py): the levers of qdi_constraint_levers, and effective masses. `there`: the
/// lanes that have it, and those in which it has friction.
static inline void make_touch(const making *m, mask there, mask rubs, vec px, vec py, vec depth, vec normal,
                              vec tangent, qdi_solver_point *touch, unsigned at) {
    const vec none = v_set(0), one = v_set(1), half = v_set(0.5) * depth;
    const vec shift = v_pick(m->moves_b, v_pick(m->moves_a, none, -half), half);
    const vec x = px + shift * m->nx, y = py + shift * m->ny;
    const vec to_ax = x - m->xa, to_ay = y - m->ya, to_bx = x - m->xb, to_by = y - m->yb;
    const vec ax = to_ax + m->lean_a * to_ay, ay = to_ay - m->lean_a * to_ax; // turned back
    const vec bx = to_bx + m->lean_b * to_by, by = to_by - m->lean_b * to_bx;
    const vec across_a = v_pick(there, v_pick(m->turns_a, lever_across(ax, ay, m->nx, m->ny), none), none);
    const vec along_a = v_pick(there, lever_along(ax, ay, m->nx, m->ny), none);
    const vec across_b = v_pick(there, v_pick(m->turns_b, lever_across(bx, by, m->nx, m->ny), none), none);
    const vec along_b = v_pick(there, lever_along(bx, by, m->nx, m->ny), none);
    const vec across = m->inverse + across_a * across_a * m->turn_a + across_b * across_b * m->turn_b;
    const vec along = m->inverse + along_a * along_a * m->turn_a + along_b * along_b * m->turn_b;
    v_store(touch->across_a + at, across_a);
    v_store(touch->along_a + at, along_a);
    v_store(touch->across_b + at, across_b);
    v_store(touch->along_b + at, along_b);
    v_store(touch->gap + at, v_pick(there, -depth, none));
    v_store(touch->mass + at, v_pick(there, one, none) / v_pick(there, across, one));
    v_store(touch->tangent_mass + at, v_pick(rubs, one, none) / v_pick(there, along, one));
    v_store(touch->coupling + at, across_a * along_a * m->turn_a + across_b * along_b * m->turn_b);
    const vec held = v_pick(there, m->again * normal, none) + none;
    v_store(touch->normal + at, held);
    v_store(touch->tangent + at,
            v_pick(v_above(held, none), v_pick(rubs, m->again * tangent, none), none) + none);
    v_store(touch->total + at, none);
    v_store(touch->total_tangent + at, none);
}

/// Solver: the coupling of two impulses along one line, if `inverse` is that of bodies that do not turn, or
/// across each other, from the levers of both on a and on b.
static inline vec coupling_of(const making *m, vec inverse, const double *a, const double *other_a,
                              const double *b, const double *other_b) {
    return inverse + v_load(a) * v_load(other_a) * m->turn_a + v_load(b) * v_load(other_b) * m->turn_b;
}

/// Solver: couples the two touches of a contact.
static inline void couple(const making *m, const qdi_solver_point *first, qdi_solver_second *second,
                          unsigned at) {
    const qdi_solver_point *touch = &second->touch;
    const double *n_a = first->across_a + at, *n_b = first->across_b + at, *t_a = first->along_a + at,
                 *t_b = first->along_b + at;
    const double *m_a = touch->across_a + at, *m_b = touch->across_b + at, *u_a = touch->along_a + at,
                 *u_b = touch->along_b + at;
    v_store(second->normals + at, coupling_of(m, m->inverse, n_a, m_a, n_b, m_b));
    v_store(second->tangents + at, coupling_of(m, m->inverse, t_a, u_a, t_b, u_b));
    v_store(second->normal_tangent + at, coupling_of(m, v_set(0), t_a, m_a, t_b, m_b));
    v_store(second->tangent_normal + at, coupling_of(m, v_set(0), n_a, u_a, n_b, u_b));
}

/// Solver: makes WIDTH lanes of a group, and gives their bodies what they start from.
static inline void make_lanes(qdi_mover *movers, const qdi_solver_source *from, qdi_solver_group *group,
                              qdi_solver_second *second, unsigned at) {
    const double *rows[WIDTH];
    vec front[4], back[4], hold[4], stand_a[4], stand_b[4];
    for (unsigned k = 0; k < WIDTH; ++k) rows[k] = &from->geometry[at + k]->normal.x;
    v_columns(rows, front);
    for (unsigned k = 0; k < WIDTH; ++k) rows[k] += 4;
    v_columns(rows, back);
    for (unsigned k = 0; k < WIDTH; ++k) rows[k] = from->hold[at + k]->normal;
    v_columns(rows, hold);
    v_gather(&from->stances->x, sizeof *from->stances / sizeof(double), group->slot_a + at, stand_a);
    v_gather(&from->stances->x, sizeof *from->stances / sizeof(double), group->slot_b + at, stand_b);
    if (from->shifted) {
        stand_b[0] += v_load(from->shift_x + at);
        stand_b[1] += v_load(from->shift_y + at);
    }
    const moved a = take_moved(movers, group->slot_a + at), b = take_moved(movers, group->slot_b + at);
    const vec none = v_set(0);
    const mask turns_a = BELOW(stand_a[3], v_set(HUGE_VAL)), turns_b = BELOW(stand_b[3], v_set(HUGE_VAL)),
               rests = v_lanes(from->rests >> at & LANES_MASK);
    const making m = {.nx = front[0],
                      .ny = front[1],
                      .xa = stand_a[0],
                      .ya = stand_a[1],
                      .xb = stand_b[0],
                      .yb = stand_b[1],
                      .inverse = a.inverse + b.inverse,
                      .turn_a = a.turn,
                      .turn_b = b.turn,
                      .again = v_set(from->again),
                      .moves_a = v_lanes(group->moves_a >> at & LANES_MASK),
                      .moves_b = v_lanes(group->moves_b >> at & LANES_MASK),
                      .lean_a = v_pick(rests, v_pick(turns_a, stand_a[3], none), none),
                      .lean_b = v_pick(rests, v_pick(turns_b, stand_b[3], none), none),
                      .turns_a = turns_a,
                      .turns_b = turns_b};
    const unsigned rubs = group->has_friction;
    v_store(group->nx + at, m.nx);
    v_store(group->ny + at, m.ny);
    const vec smaller = v_min(stand_a[2], stand_b[2]);
    const vec size = v_pick(m.moves_b, v_pick(m.moves_a, smaller, stand_b[2]), stand_a[2]);
    v_store(group->size + at, size);
    const unsigned large = v_any(v_above(size, v_set(from->large))) ? (unsigned)LANES_MASK << at : 0;
    group->large = (uint8_t)(group->large | large);
    make_touch(&m, v_lanes(from->there[0] >> at & LANES_MASK),
               v_lanes(from->there[0] >> at & rubs >> at & LANES_MASK), front[2], front[3], back[2], hold[0],
               hold[2], &group->touch, at);
    if (second) {
        make_touch(&m, v_lanes(from->there[1] >> at & LANES_MASK),
                   v_lanes(from->there[1] >> at & rubs >> at & LANES_MASK), back[0], back[1], back[3],
                   hold[1], hold[3], &second->touch, at);
        couple(&m, &group->touch, second, at);
    }
    warm_lanes(movers, group, second, at, &a, &b);
}

/// Solver: makes a group of what its lanes come from, and gives its bodies what it starts from.
static void make(qdi_mover *movers, const qdi_solver_source *from, qdi_solver_group *group,
                 qdi_solver_second *second) {
    for (unsigned at = 0; at < QDI_SOLVER_LANES; at += WIDTH) make_lanes(movers, from, group, second, at);
}

// ---- results ----

/// What is reported of contacts so far: what they gave, what the next step starts from, and where the energy
/// went, in the order of qdi_given, qdi_warm_start and qdi_contact_balance.
typedef struct told {
    vec given[4], warm[4], balance[4];
} told;

/// How the bodies of contacts moved in the mean of the step: a as seen from b.
typedef struct mean {
    vec x, y, spin_a, spin_b, slide;
} mean;

/// Solver: adds touch `k`: what the next step starts from, which is what a touch gave in the last sub-step,
/// but no more than in the mean, for a blow must not come again. What it gave in all. What it took in the
/// whole of the step, see energy_balance.h; and what the centres of its bodies are apart along the normal,
/// times the impulses on b, and across it.
static inline void report_touch(const qdi_solver_group *group, const qdi_solver_point *touch, unsigned at,
                                double substeps, const mean *m, vec *virial, told *t, int k) {
    const vec one = v_set(1), last = v_load(touch->normal + at), total = v_load(touch->total + at),
              average = total / v_set(substeps), total_tangent = v_load(touch->total_tangent + at);
    const mask more = v_above(last, average);
    t->warm[k] = v_min(last, average);
    t->warm[2 + k] = v_load(touch->tangent + at) * (v_pick(more, average, one) / v_pick(more, last, one));
    t->given[k] += total;
    t->given[2 + k] += total_tangent;
    const vec nx = v_load(group->nx + at), ny = v_load(group->ny + at);
    const vec across_a = v_load(touch->across_a + at), across_b = v_load(touch->across_b + at);
    const vec along_a = v_load(touch->along_a + at), along_b = v_load(touch->along_b + at);
    const vec normal = m->x * nx + m->y * ny + (m->spin_a * across_a - m->spin_b * across_b);
    const vec slip = m->y * nx - m->x * ny + (m->spin_a * along_a - m->spin_b * along_b) + m->slide;
    t->balance[QDI_LOST_NORMAL] += total * normal;
    t->balance[QDI_LOST_FRICTION] += total_tangent * slip;
    *virial += t->given[k] * (along_a - along_b) - t->given[2 + k] * (across_a - across_b);
}

/// Solver: reports WIDTH lanes of a group.
static inline void report_lanes(const qdi_solver_group *group, const qdi_solver_second *second, unsigned at,
                                const qdi_solver_report_to *to) {
    double *given[WIDTH], *warm[WIDTH], *balance[WIDTH];
    vec a[4], b[4];
    v_gather(&to->means->x, sizeof *to->means / sizeof(double), group->slot_a + at, a);
    v_gather(&to->means->x, sizeof *to->means / sizeof(double), group->slot_b + at, b);
    for (unsigned k = 0; k < WIDTH; ++k) {
        const uint32_t place = group->place[at + k];
        given[k] = to->outcomes.given[place].impulse;
        warm[k] = to->outcomes.warm_starts[place].normal;
        balance[k] = to->balances[place].lane;
    }
    const vec none = v_set(0);
    const mean m = {a[0] - b[0], a[1] - b[1], a[2], b[2], to->slides ? v_load(*to->slides + at) : none};
    told t = {{none, none, none, none}, {none, none, none, none}, {none, none, none, none}};
    if (to->bounced) {
        v_columns((const double *const *)given, t.given);
        v_columns((const double *const *)balance, t.balance);
    }
    vec virial = none;
    report_touch(group, &group->touch, at, to->substeps, &m, &virial, &t, 0);
    if (second) report_touch(group, &second->touch, at, to->substeps, &m, &virial, &t, 1);
    const mask both = v_lanes((unsigned)(group->moves_a & group->moves_b) >> at & LANES_MASK);
    t.balance[QDI_VIRIAL] = v_pick(both, virial, t.balance[QDI_VIRIAL]);
    const unsigned bits = (unsigned)to->lanes >> at & LANES_MASK;
    v_rows(given, bits, t.given);
    v_rows(warm, bits, t.warm);
    v_rows(balance, bits, t.balance);
}

/// Solver: reports a group.
static void report(const qdi_solver_group *group, const qdi_solver_second *second,
                   const qdi_solver_report_to *to) {
    for (unsigned at = 0; at < QDI_SOLVER_LANES; at += WIDTH) report_lanes(group, second, at, to);
}
