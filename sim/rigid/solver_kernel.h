// The sweeps over contacts that do not bounce (rigid/solver.c says what they do), WIDTH lanes at a time. No
// include guard: each instruction set has its own copy. It says before what `vec` and `mask` are, and has
// (some of it from core/math/lanes.h)
//
//   v_load, v_store, v_set                      v_min(a, b) is a < b ? a : b, v_max(a, b) is a > b ? a : b
//   v_sqrt(a)                                   the square roots, to the last bit
//   BELOW(a, b)                                 the lanes where a < b
//   v_lanes(bits)                               the lanes whose bits are set
//   v_any(mask)                                 true where some lane is set
//   v_pick(mask, a, b)                          a in these lanes, b in the others
//   v_columns(rows, out)                        four numbers of each lane's row
//   v_rows(rows, bits, in)                      puts four into each lane's row, in the lanes whose bits are
//   set
//
// Products and sums are the compiler's own, of vectors as of numbers.
#include "sim/rigid/solver.h"
#include "sim/world/scratch.h"

/// Overlap that is left alone, and the part of the rest that positions take back in a sub-step; overlap with
/// what does not move that is never passed: parts of the smaller body's size.
static const double slop_part = 2e-3, shift_part = 0.2, deepest_part = 0.5;

enum { LANES_MASK = (1 << WIDTH) - 1 };

/// What the two sweeps are made of is one piece of code for each way that they go: vectors that are passed to
/// a function of its own lie in memory, which may take a third of the time more.
#define QDI_ALWAYS static inline __attribute__((always_inline))

/// Solver: the lanes where a is above b.
QDI_ALWAYS mask v_above(vec a, vec b) {
    return BELOW(b, a);
}

/// Solver: four numbers for each lane of the items, of `each` numbers, that begin with `first`.
QDI_ALWAYS void v_gather(const double *first, size_t each, const uint32_t *items, vec out[4]) {
    const double *rows[WIDTH];
    for (unsigned k = 0; k < WIDTH; ++k) rows[k] = first + each * items[k];
    v_columns(rows, out);
}
/// Solver: four numbers of each lane's mover, from number `part` on.
QDI_ALWAYS void v_take(const qdi_mover *movers, const uint32_t *slots, unsigned part, vec out[4]) {
    v_gather((const double *)movers + part, sizeof *movers / sizeof(double), slots, out);
}

/// Solver: puts four back, in the lanes whose bits are set.
QDI_ALWAYS void v_give(qdi_mover *movers, const uint32_t *slots, unsigned part, unsigned bits,
                       const vec in[4]) {
    double *rows[WIDTH];
    for (unsigned k = 0; k < WIDTH; ++k) rows[k] = (double *)(movers + slots[k]) + part;
    v_rows(rows, bits, in);
}

/// Numbers of movers, as v_take and v_give have them.
typedef struct moving {
    vec vx, vy, spin, angle;
} moving;
typedef struct moved {
    vec dx, dy, inverse, turn;
} moved;

/// Solver: loads the velocities of the bodies of a group.
QDI_ALWAYS moving take_moving(const qdi_mover *movers, const uint32_t *slots) {
    vec out[4];
    v_take(movers, slots, 0, out);
    return (moving){out[0], out[1], out[2], out[3]};
}

/// Solver: loads how far the bodies of a group have moved in the step.
QDI_ALWAYS moved take_moved(const qdi_mover *movers, const uint32_t *slots) {
    vec out[4];
    v_take(movers, slots, 4, out);
    return (moved){out[0], out[1], out[2], out[3]};
}

/// Contacts while they are worked on: what they are, what they see of the velocities of their two bodies
/// (that of a as seen from b, along the normal and the tangent, and the two spins), and what they give them:
/// impulses, and these times their levers.
typedef struct view {
    vec nx, ny, inverse_a, inverse_b, turn_a, turn_b;
    vec normal, tangent, spin_a, spin_b;
    vec push, tangent_impulse, moment_a, moment_b;
} view;

/// Solver: the lanes of a group, as vectors.
QDI_ALWAYS view view_of(const qdi_solver_group *group, unsigned at, const moving *a, const moving *b,
                        const moved *to_a, const moved *to_b) {
    view v = {.nx = v_load(group->nx + at),
              .ny = v_load(group->ny + at),
              .inverse_a = to_a->inverse,
              .inverse_b = to_b->inverse,
              .turn_a = to_a->turn,
              .turn_b = to_b->turn,
              .spin_a = a->spin,
              .spin_b = b->spin};
    vec x = a->vx - b->vx, y = a->vy - b->vy;
    v.normal = x * v.nx + y * v.ny;
    v.tangent = y * v.nx - x * v.ny;
    return v;
}

/// Solver: a loses what the contacts gave, b gets it.
QDI_ALWAYS void put(qdi_mover *movers, const qdi_solver_group *group, unsigned at, const view *v,
                    const moving *a, const moving *b) {
    vec x = v->push * v->nx - v->tangent_impulse * v->ny, y = v->push * v->ny + v->tangent_impulse * v->nx;
    const vec to_a[4] = {a->vx - x * v->inverse_a, a->vy - y * v->inverse_a,
                         a->spin - v->moment_a * v->turn_a, a->angle};
    const vec to_b[4] = {b->vx + x * v->inverse_b, b->vy + y * v->inverse_b,
                         b->spin + v->moment_b * v->turn_b, b->angle};
    v_give(movers, group->slot_a + at, 0, group->moves_a >> at & LANES_MASK, to_a);
    v_give(movers, group->slot_b + at, 0, group->moves_b >> at & LANES_MASK, to_b);
}

/// Solver: adds what a touch gave in the sub-step before.
QDI_ALWAYS void warm_touch(const qdi_solver_point *touch, unsigned at, view *v) {
    const vec normal = v_load(touch->normal + at), tangent = v_load(touch->tangent + at);
    v->push += normal;
    v->tangent_impulse += tangent;
    v->moment_a += v_load(touch->across_a + at) * normal + v_load(touch->along_a + at) * tangent;
    v->moment_b += v_load(touch->across_b + at) * normal + v_load(touch->along_b + at) * tangent;
}

/// Gives the bodies of a group the impulses that it starts from.
QDI_ALWAYS void warm_lanes(qdi_mover *movers, const qdi_solver_group *group, const qdi_solver_second *second,
                           unsigned at, const moved *to_a, const moved *to_b) {
    const moving a = take_moving(movers, group->slot_a + at), b = take_moving(movers, group->slot_b + at);
    view v = view_of(group, at, &a, &b, to_a, to_b);
    v.push = v.tangent_impulse = v.moment_a = v.moment_b = v_set(0);
    warm_touch(&group->touch, at, &v);
    if (second) warm_touch(&second->touch, at, &v);
    put(movers, group, at, &v, &a, &b);
}

/// Where the bodies of contacts have moved to, and the way of b away from a, along the normal.
typedef struct way {
    vec apart, angle_a, angle_b;
} way;

/// Solver: how far the two surfaces have moved along the normal in the step.
QDI_ALWAYS way way_of(const view *v, const moving *a, const moving *b, const moved *to_a, const moved *to_b) {
    return (way){.apart = (to_b->dx - to_a->dx) * v->nx + (to_b->dy - to_a->dy) * v->ny,
                 .angle_a = a->angle,
                 .angle_b = b->angle};
}

/// Solver: the gap of a touch now, to first order in the angles: the next term is none of a disk's, and of
/// others a matter for the next step.
QDI_ALWAYS vec gap_now(const qdi_solver_point *touch, unsigned at, const way *w) {
    vec moved_a = v_load(touch->across_a + at) * w->angle_a,
        moved_b = v_load(touch->across_b + at) * w->angle_b;
    return v_load(touch->gap + at) + w->apart + moved_b - moved_a;
}

/// Solver: the speed at which the surfaces of a touch approach before anything is given.
QDI_ALWAYS vec approach_of(const qdi_solver_point *touch, unsigned at, const view *v) {
    return v->normal + (v->spin_a * v_load(touch->across_a + at) - v->spin_b * v_load(touch->across_b + at));
}

/// Solver: the speed at which they slide then.
QDI_ALWAYS vec slip_of(const qdi_solver_point *touch, unsigned at, const view *v, vec slide) {
    return v->tangent + (v->spin_a * v_load(touch->along_a + at) - v->spin_b * v_load(touch->along_b + at)) +
           slide;
}

/// Solver: friction against a slip, where `normal` is given along the normal; returns what it gives more than
/// before. Without a load it is 0, never -0, whatever the slip.
QDI_ALWAYS vec friction_touch(const qdi_solver_group *group, unsigned at, qdi_solver_point *touch, vec slip,
                              vec normal) {
    const vec tangent = v_load(touch->tangent + at), most = v_load(group->friction + at) * normal;
    const vec given = v_min(v_max(tangent + v_load(touch->tangent_mass + at) * slip, -most), most);
    v_store(touch->tangent + at, given);
    return given - tangent;
}

/// Where a spring has sunk by more than this part of the size, see out_margin.
static const double sunk_part = 0.2;

/// The springs of a group's lanes.
typedef struct springs {
    vec rate, per_rate, mass, give, firm, most;
    vec far;    ///< speed of what has sunk too far, less that of its overlap, per size
    vec load;   ///< what the touch that carries more would yield to all of its load
    mask both;  ///< two bodies that move
    bool fixed; ///< in some lanes one does not
} springs;

/// Solver: a spring in every lane.
QDI_ALWAYS springs springs_all(const qdi_solver_spring *of) {
    return (springs){.rate = v_set(of->rate),
                     .per_rate = v_set(of->per_rate),
                     .mass = v_set(of->mass),
                     .give = v_set(of->give),
                     .firm = v_set(of->firm),
                     .most = v_set(of->most),
                     .far = v_set(of->most - sunk_part * of->rate)};
}

/// What lies flat may yield this much further before it yields to no more: springs that do not yield damp
/// nothing, and columns of such bodies would go up and down for long. Heaps of others are loose enough.
static const double flat_part = 0.12;

/// Solver: what is different where two touches carry a contact.
QDI_ALWAYS void lie_flat(const qdi_solver_second *second, unsigned at, springs *s) {
    const mask two = v_above(v_load(second->touch.mass + at), v_set(0));
    s->load = v_max(s->load, s->give * v_load(second->touch.normal + at));
    const vec more = v_pick(two, v_set(flat_part) * s->most, v_set(0));
    s->far += more;
    s->most += more;
}

/// Solver: those of a block. In most all are contacts of two bodies that move.
QDI_ALWAYS springs springs_of(const qdi_solver_group *group, const qdi_solver_second *second, unsigned at,
                              const qdi_solver_rules *rules) {
    const unsigned bits = (unsigned)(group->moves_a & group->moves_b) >> at & LANES_MASK;
    const mask both = v_lanes(bits);
    springs s = springs_all(&rules->free);
    if (bits != LANES_MASK) {
        const springs fixed = springs_all(&rules->fixed);
        s = (springs){.rate = v_pick(both, s.rate, fixed.rate),
                      .per_rate = v_pick(both, s.per_rate, fixed.per_rate),
                      .mass = v_pick(both, s.mass, fixed.mass),
                      .give = v_pick(both, s.give, fixed.give),
                      .firm = v_pick(both, s.firm, fixed.firm),
                      .most = v_pick(both, s.most, fixed.most),
                      .far = v_pick(both, s.far, fixed.far)};
    }
    s.both = both;
    s.fixed = bits != LANES_MASK;
    s.load = s.give * v_load(group->touch.normal + at);
    if (second) lie_flat(second, at, &s);
    return s;
}

/// Solver: the speed with which a spring yields to a load, which it would yield to with `all` if it stayed
/// soft, before it yields to no more; see qdi_solver_spring.
QDI_ALWAYS vec firm_of(const springs *spring, vec all, vec size) {
    return v_min(all, v_set(QDI_SOLVER_FIRMER) * all + spring->firm * size);
}

/// A touch may push out as far as the contact's load, which is that of the touch that carries more, loses to
/// softness in a sub-step, and little more. What is left over loads two touches that push against each other
/// (a body between two that do not move) until their springs are full, and throws it when one of them lets
/// go. Less than that lets piles sink. Where it has sunk by more than `sunk_part` of its size, it has not
/// come to rest: what lies in another's middle must get out of there.
static const double out_margin = 1.15;

/// If each touch went by its own load alone, the one that carries more would open faster, and what comes down
/// or springs back on two would be thrown to a side. But no touch goes by more than this times its own load:
/// one that has just begun would push out what nothing presses.
static const double own_loads = 2;

/// A spring that yields to no more than `most` is elastic, and throws back what pressed it: a heavy box that
/// falls on two light ones had half of its energy again. So where surfaces part faster than `most`, and than
/// gravity has them part by itself, it yields to this times the rest of their speed more, but to no more than
/// all its load.
static const double let_go = 32;

/// Solver: the fastest way out of an overlap, against the normal; see rules_of. Roots are slow, and in most
/// worlds nothing needs one.
QDI_ALWAYS vec fastest_out(const qdi_solver_group *group, unsigned at, const qdi_solver_rules *rules,
                           vec mass, vec size) {
    const vec out = v_set(-rules->out) * size;
    if ((group->large >> at & LANES_MASK) == 0) return out;
    const vec own = v_load(group->size + at);
    return v_pick(v_above(own, v_set(rules->large)), -v_sqrt(v_set(rules->out_fall) * own) * mass, out);
}

/// Solver: no faster approach than the gap allows. An overlap is taken back by a soft spring, as fast as a
/// touch that carries the contact's load needs; so what overlaps without a load gets no speed from it. `by`:
/// what is left to positions. Returns what it gives. Speeds and lengths are those times the effective mass,
/// which spares divisions.
QDI_ALWAYS vec solve_touch(const qdi_solver_group *group, unsigned at, const qdi_solver_point *touch,
                           const way *w, const qdi_solver_rules *rules, const springs *spring, vec speed,
                           vec *by) {
    const vec none = v_set(0), mass = v_load(touch->mass + at), before = v_load(touch->normal + at);
    const vec size = v_load(group->size + at) * mass, gap = gap_now(touch, at, w) * mass;
    const mask apart = v_above(gap, none);
    const vec all = spring->give * before, most = spring->most * size;
    const vec load = firm_of(spring, all, size);
    const vec back = spring->rate * gap, sunk = v_max(most, spring->far * size - back);
    const vec out = v_max(fastest_out(group, at, rules, mass, size),
                          v_set(-out_margin) * v_min(v_min(spring->load, v_set(own_loads) * all), sunk));
    const vec soft = v_min(none, v_max(back, out)); // nothing where they are apart
    const vec approach = mass * speed, slow = -v_max(most, v_set(rules->fall) * mass),
              parting = v_set(let_go) * v_max(slow - approach, none);
    const vec yield = v_min(all, v_min(load, most) + parting);
    const vec bias = v_pick(apart, gap * v_set(rules->per_h), soft + yield);
    const vec mass_scale = v_pick(apart, v_set(1), spring->mass);
    const vec given = v_max(before + mass_scale * (approach - bias), none);
    const vec left = soft * spring->per_rate - gap - v_set(slop_part) * size,
              shift = v_set(rules->shift) * size;
    *by = v_min(v_max(v_set(shift_part) * left, none), shift);
    if (!spring->fixed) return given;
    // What parts from what does not move by itself, by the end of a step, is not lifted out besides.
    const vec dt = v_set(rules->dt), parts = v_min(approach, none) * dt,
              leaves = v_min(approach - slow, none) * dt;
    const vec rest = v_min(v_set(shift_part) * (left + leaves), shift),
              deep = parts - gap - v_set(deepest_part) * size;
    *by = v_pick(spring->both, *by, v_max(v_max(rest, deep), none));
    return given;
}

/// WIDTH lanes of a group while they are worked on.
typedef struct block {
    qdi_solver_group *group;
    qdi_solver_second *second; ///< NULL: no lane has a second touch
    unsigned at;               ///< the first of the lanes
    moving a, b;
    view v;
    way w;
    vec given[2], more[2]; ///< by touch, along the normal: in all, and more than in the sub-step before
    vec by[2];             ///< by touch, what is left to positions
} block;

/// Blocks that are worked on step by step side by side: each waits for its own numbers most of the time, and
/// they share no mover that they write. Narrow ones have too few registers for two, and two of eight lanes
/// keep the processor busy with moving them to memory and back; a serial colour, whose contacts share movers,
/// is solved by blocks of one lane, one after the other.
enum { SIDE_BY_SIDE = WIDTH == 4 ? 2 : 1 };
#define QDI_EACH_BLOCK _Pragma("GCC unroll 2") for (int k = 0; k < count; ++k)

/// Solver: block number `number` of some groups.
QDI_ALWAYS block block_at(qdi_solver_group *groups, qdi_solver_second *second, size_t number) {
    enum { BLOCKS = QDI_SOLVER_LANES / WIDTH };
    const size_t g = number / BLOCKS;
    return (block){
        .group = groups + g, .second = second ? second + g : NULL, .at = (unsigned)(number % BLOCKS) * WIDTH};
}

/// Solver: takes what a block needs of its movers.
QDI_ALWAYS void take(qdi_mover *movers, block *b) {
    const qdi_solver_group *group = b->group;
    b->a = take_moving(movers, group->slot_a + b->at);
    b->b = take_moving(movers, group->slot_b + b->at);
    const moved to_a = take_moved(movers, group->slot_a + b->at),
                to_b = take_moved(movers, group->slot_b + b->at);
    b->v = view_of(group, b->at, &b->a, &b->b, &to_a, &to_b);
    b->w = way_of(&b->v, &b->a, &b->b, &to_a, &to_b);
}

/// Solver: the first touch of a block's lanes, or the second.
QDI_ALWAYS qdi_solver_point *touch_of(const block *b, int k) {
    return k == 0 ? &b->group->touch : &b->second->touch;
}

/// Solver: the speed at which the surfaces of touch `k` approach after what the touch before has given.
QDI_ALWAYS vec approach_at(const block *b, int k) {
    const vec first = approach_of(touch_of(b, k), b->at, &b->v);
    if (k == 0) return first;
    return first - v_load(b->second->normals + b->at) * b->more[0];
}

/// Solver: notes what the normal of touch `k` gives.
QDI_ALWAYS void note(block *b, int k, vec given) {
    double *normal = touch_of(b, k)->normal + b->at;
    b->given[k] = given;
    b->more[k] = given - v_load(normal);
    v_store(normal, given);
}

/// Solver: sums up what the normals of a block give.
QDI_ALWAYS void add_normals(block *b) {
    const qdi_solver_point *touch = &b->group->touch;
    b->v.tangent_impulse = v_set(0);
    b->v.push = b->more[0];
    b->v.moment_a = v_load(touch->across_a + b->at) * b->more[0];
    b->v.moment_b = v_load(touch->across_b + b->at) * b->more[0];
    if (!b->second) return;
    const qdi_solver_point *second = &b->second->touch;
    b->v.push += b->more[1];
    b->v.moment_a += v_load(second->across_a + b->at) * b->more[1];
    b->v.moment_b += v_load(second->across_b + b->at) * b->more[1];
}

/// Solver: adds what friction gives at a touch.
QDI_ALWAYS void add_friction(const qdi_solver_point *touch, unsigned at, vec tangent, view *v) {
    v->tangent_impulse += tangent;
    v->moment_a += v_load(touch->along_a + at) * tangent;
    v->moment_b += v_load(touch->along_b + at) * tangent;
}

/// Solver: solves the friction of some blocks, after their normals.
QDI_ALWAYS void friction(block *blocks, int count, const qdi_solver_rules *rules) {
    vec slide[SIDE_BY_SIDE], first[SIDE_BY_SIDE], second[SIDE_BY_SIDE];
    unsigned any = 0;
    QDI_EACH_BLOCK {
        const block *b = &blocks[k];
        any |= b->group->has_friction >> b->at & LANES_MASK;
        slide[k] = rules->slides ? v_load(rules->slides[b->group - rules->groups] + b->at) : v_set(0);
    }
    if (!any) return;
    QDI_EACH_BLOCK {
        const block *b = &blocks[k];
        qdi_solver_point *touch = &b->group->touch;
        vec slip = slip_of(touch, b->at, &b->v, slide[k]) - v_load(touch->coupling + b->at) * b->more[0];
        if (b->second) slip -= v_load(b->second->normal_tangent + b->at) * b->more[1];
        first[k] = friction_touch(b->group, b->at, touch, slip, b->given[0]);
    }
    if (blocks[0].second) {
        QDI_EACH_BLOCK {
            const block *b = &blocks[k];
            qdi_solver_point *touch = &b->second->touch;
            vec slip = slip_of(touch, b->at, &b->v, slide[k]) -
                       v_load(b->second->tangent_normal + b->at) * b->more[0] -
                       v_load(touch->coupling + b->at) * b->more[1];
            slip -= v_load(b->second->tangents + b->at) * first[k];
            second[k] = friction_touch(b->group, b->at, touch, slip, b->given[1]);
        }
    }
    QDI_EACH_BLOCK {
        block *b = &blocks[k];
        add_friction(&b->group->touch, b->at, first[k], &b->v);
        if (b->second) add_friction(&b->second->touch, b->at, second[k], &b->v);
    }
}

/// Solver: moves the bodies of a block apart by what positions take back, times their effective mass;
/// velocities stay. Their angles are written with the velocities.
QDI_ALWAYS void shift(qdi_mover *movers, block *b) {
    const qdi_solver_group *group = b->group;
    const view *v = &b->v;
    vec by = b->by[0], turn_a = by * v_load(group->touch.across_a + b->at),
        turn_b = by * v_load(group->touch.across_b + b->at);
    if (b->second) {
        turn_a += b->by[1] * v_load(b->second->touch.across_a + b->at);
        turn_b += b->by[1] * v_load(b->second->touch.across_b + b->at);
        by += b->by[1];
    }
    b->a.angle -= turn_a * v->turn_a;
    b->b.angle += turn_b * v->turn_b;
    const vec x = by * v->nx, y = by * v->ny;
    // Loaded once more: kept from `take` on they would take registers in blocks that have nothing to shift.
    const moved to_a = take_moved(movers, group->slot_a + b->at),
                to_b = take_moved(movers, group->slot_b + b->at);
    const vec part_a[4] = {to_a.dx - x * v->inverse_a, to_a.dy - y * v->inverse_a, to_a.inverse, to_a.turn};
    const vec part_b[4] = {to_b.dx + x * v->inverse_b, to_b.dy + y * v->inverse_b, to_b.inverse, to_b.turn};
    v_give(movers, group->slot_a + b->at, 4, group->moves_a >> b->at & LANES_MASK, part_a);
    v_give(movers, group->slot_b + b->at, 4, group->moves_b >> b->at & LANES_MASK, part_b);
}

/// Solver: solves the normal of touch `k` of a block with the push out of overlaps.
QDI_ALWAYS void solve_normal(block *b, int k, const qdi_solver_rules *rules, const springs *spring) {
    note(b, k,
         solve_touch(b->group, b->at, touch_of(b, k), &b->w, rules, spring, approach_at(b, k), &b->by[k]));
}

/// Solver: solves some blocks with the push out of overlaps.
QDI_ALWAYS void solve_blocks(qdi_mover *movers, block *blocks, int count, const qdi_solver_rules *rules) {
    springs spring[SIDE_BY_SIDE];
    QDI_EACH_BLOCK {
        block *b = &blocks[k];
        take(movers, b);
        spring[k] = springs_of(b->group, b->second, b->at, rules);
        b->by[1] = v_set(0);
    }
    QDI_EACH_BLOCK solve_normal(&blocks[k], 0, rules, &spring[k]);
    if (blocks[0].second) QDI_EACH_BLOCK solve_normal(&blocks[k], 1, rules, &spring[k]);
    QDI_EACH_BLOCK add_normals(&blocks[k]);
    friction(blocks, count, rules);
    QDI_EACH_BLOCK {
        block *b = &blocks[k];
        if (v_any(v_above(b->by[0] + b->by[1], v_set(0)))) shift(movers, b);
        put(movers, b->group, b->at, &b->v, &b->a, &b->b);
    }
}

/// Solver: solves the normal of touch `k` of a block without that push.
QDI_ALWAYS void relax_normal(block *b, int k, const qdi_solver_rules *rules) {
    const qdi_solver_point *touch = touch_of(b, k);
    const vec none = v_set(0), allowed = v_max(none, gap_now(touch, b->at, &b->w)) * v_set(rules->per_h);
    const vec wanted = v_load(touch->mass + b->at) * (approach_at(b, k) - allowed);
    note(b, k, v_max(v_load(touch->normal + b->at) + wanted, none));
}

/// Adds a sub-step's impulses of a touch to those of the step.
QDI_ALWAYS void total(qdi_solver_point *touch, unsigned at, vec given) {
    v_store(touch->total + at, v_load(touch->total + at) + given);
    v_store(touch->total_tangent + at, v_load(touch->total_tangent + at) + v_load(touch->tangent + at));
}

/// Solver: solves some blocks without that push.
QDI_ALWAYS void relax_blocks(qdi_mover *movers, block *blocks, int count, const qdi_solver_rules *rules) {
    QDI_EACH_BLOCK take(movers, &blocks[k]);
    QDI_EACH_BLOCK relax_normal(&blocks[k], 0, rules);
    if (blocks[0].second) QDI_EACH_BLOCK relax_normal(&blocks[k], 1, rules);
    QDI_EACH_BLOCK add_normals(&blocks[k]);
    friction(blocks, count, rules);
    QDI_EACH_BLOCK {
        block *b = &blocks[k];
        put(movers, b->group, b->at, &b->v, &b->a, &b->b);
        total(&b->group->touch, b->at, b->given[0]);
        if (b->second) total(&b->second->touch, b->at, b->given[1]);
    }
}

// ---- groups ----

/// Solver: lanes above 0 where touch `t` of a block, which carries nothing, may begin to, or positions may
/// take something back, if the sweep does that (`push`).
QDI_ALWAYS vec stir_of(const block *b, int t, const qdi_solver_rules *rules, bool push) {
    const qdi_solver_point *touch = touch_of(b, t);
    const vec none = v_set(0), mass = push ? v_load(touch->mass + b->at) : v_set(1);
    const vec gap = gap_now(touch, b->at, &b->w) * mass, approach = approach_of(touch, b->at, &b->v) * mass;
    const vec nearer = approach - v_max(none, gap) * v_set(rules->per_h);
    if (!push) return nearer;
    return v_max(-gap - v_set(slop_part) * (v_load(b->group->size + b->at) * mass), nearer);
}

/// Solver: true where the touches of some blocks carry nothing and the sweep would leave all of them as it
/// is. Not always where that is so, but only then, to the bit: what a lane gets must not depend on those
/// beside it.
QDI_ALWAYS bool are_idle(qdi_mover *movers, block *blocks, int count, const qdi_solver_rules *rules,
                         bool push) {
    vec load = v_set(0), stir = v_set(0);
    QDI_EACH_BLOCK {
        const block *b = &blocks[k];
        load += v_load(b->group->touch.normal + b->at);
        if (b->second) load += v_load(b->second->touch.normal + b->at);
    }
    if (v_any(v_above(load, v_set(0)))) return false;
    QDI_EACH_BLOCK {
        block *b = &blocks[k];
        take(movers, b);
        stir = v_max(stir_of(b, 0, rules, push), stir);
        if (b->second) stir = v_max(stir_of(b, 1, rules, push), stir);
    }
    return !v_any(v_above(stir, v_set(0)));
}

/// A sweep over some blocks.
typedef void (*sweep_blocks)(qdi_mover *movers, block *blocks, int count, const qdi_solver_rules *rules);

/// Solver: a sweep over a range of groups, of which all have second touches, or none.
QDI_ALWAYS void sweep_range(qdi_mover *movers, qdi_solver_group *groups, qdi_solver_second *second,
                            size_t groups_count, const qdi_solver_rules *given, sweep_blocks sweep) {
    const bool push = sweep == solve_blocks;
    const qdi_solver_rules own = *given, *rules = &own; // nothing that is written can be these
    enum { BLOCKS = QDI_SOLVER_LANES / WIDTH, AT_ONCE = BLOCKS < SIDE_BY_SIDE ? SIDE_BY_SIDE / BLOCKS : 1 };
    const size_t all = groups_count * BLOCKS;
    size_t number = 0;
    for (; number + SIDE_BY_SIDE <= all; number += SIDE_BY_SIDE) {
        const size_t later = number / BLOCKS + 2 * AT_ONCE;
        for (size_t g = later; number % BLOCKS == 0 && g < later + AT_ONCE && g < groups_count; ++g)
            qdi_solver_ask_for(groups, second, g, !push);
        const int count = SIDE_BY_SIDE;
        block blocks[SIDE_BY_SIDE];
        QDI_EACH_BLOCK blocks[k] = block_at(groups, second, number + (size_t)k);
        if (!are_idle(movers, blocks, count, rules, push)) sweep(movers, blocks, count, rules);
    }
    if (number == all) return;
    block last = block_at(groups, second, number);
    if (!are_idle(movers, &last, 1, rules, push)) sweep(movers, &last, 1, rules);
}

/// Solver: the sweep with the push of a range of groups.
static void solve(qdi_mover *movers, qdi_solver_group *groups, qdi_solver_second *second, size_t count,
                  const qdi_solver_rules *rules) {
    if (second)
        sweep_range(movers, groups, second, count, rules, solve_blocks);
    else
        sweep_range(movers, groups, NULL, count, rules, solve_blocks);
}

/// Solver: the sweep without it.
static void relax(qdi_mover *movers, qdi_solver_group *groups, qdi_solver_second *second, size_t count,
                  const qdi_solver_rules *rules) {
    if (second)
        sweep_range(movers, groups, second, count, rules, relax_blocks);
    else
        sweep_range(movers, groups, NULL, count, rules, relax_blocks);
}

#include "sim/rigid/solver_kernel_ends.h"
