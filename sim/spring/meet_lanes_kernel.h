// The source of qdi_meet_lanes, WIDTH pairs at a time (core/math/lanes.h); no include guard: each instruction
// set has its own copy. Geometry as in qdi_collide_disks, and the force as in spring.c for two dynamic disks;
// no operation's result depends on how many are done at once. Where a term of spring.c is a number times zero
// it is left out: it changes at most the sign of a zero to which zero is added after. QDI_MEET_KERNEL is the
// function's name. Where an instruction set has something better, its file says so before: QDI_MEET_ANY tells
// whether a mask has any lane set, QDI_MEET_MORE is the larger of numbers, and QDI_MEET_PUT stores vectors of
// forces and shears lane by lane.

#include "core/math/lanes.h"
#include "sim/spring/meet_ends.h"
#include "sim/spring/meet_lanes.h"
#include "sim/world/energy_balance_state.h"
#include "sim/world/pose.h"

#include <math.h>
#include <stdint.h>

/// Springs that meet: the square roots of a vector.
static inline vec v_sqrt(vec value) {
    vec root;
    for (int k = 0; k < WIDTH; ++k) root[k] = sqrt(value[k]);
    return root;
}
/// Springs that meet: of each lane the number where the mask is set, else 0.
static inline vec v_where(mask lanes, vec value) {
    return (vec)((mask)value & lanes);
}
/// Springs that meet: true where any lane of a mask is set.
static inline bool v_any(mask lanes) {
#ifdef QDI_MEET_ANY
    return QDI_MEET_ANY(lanes);
#else
    int64_t any = 0;
    for (int k = 0; k < WIDTH; ++k) any |= lanes[k];
    return any != 0;
#endif
}

/// Springs that meet: in each lane the larger of two numbers.
static inline vec v_more(vec a, vec b) {
#ifdef QDI_MEET_MORE
    return QDI_MEET_MORE(a, b);
#else
    return v_pick((mask)(a > b), a, b);
#endif
}

/// Springs that meet: the numbers of the first of some pairs.
static inline vec v_gather_a(const double *from, const qdi_meeting *pairs) {
    vec value = {0};
    for (int k = 0; k < WIDTH; ++k) value[k] = from[pairs[k].a];
    return value;
}
/// Springs that meet: the numbers of the second of some pairs.
static inline vec v_gather_b(const double *from, const qdi_meeting *pairs) {
    vec value = {0};
    for (int k = 0; k < WIDTH; ++k) value[k] = from[pairs[k].b];
    return value;
}

/// Two disks: the centre of a, from there to that of b (the nearest image), velocities and spins as the move
/// had them, radii, the shear of the moment before, and their law.
typedef struct two {
    vec x, y, dx, dy, vx_a, vy_a, spin_a, radius_a, vx_b, vy_b, spin_b, radius_b, shear_x, shear_y;
    vec kn, kt, gamman, gammat; ///< damping times the reduced mass
} two;

/// Springs that meet: where the second disk of a lane is nearer round a period, that is where it is.
static inline void take_images(const qdi_meet_rows *from, two *at) {
    const double half_x = from->half.x, half_y = from->half.y;
    const mask far = (mask)(v_abs(at->dx) > half_x) | (mask)(v_abs(at->dy) > half_y);
    if (!v_any(far)) return;
    for (int k = 0; k < WIDTH; ++k) {
        if (!far[k]) continue;
        at->dx[k] += qdi_nearest_image(at->dx[k], half_x) * from->period.x;
        at->dy[k] += qdi_nearest_image(at->dy[k], half_y) * from->period.y;
    }
}

/// Springs that meet: the shears of lanes from the moment before.
static inline void take_shears(const qdi_meet_rows *from, const qdi_meet_some *some, size_t i, two *at) {
    static const qd_vec2 none = {0, 0};
    static const qdi_warm_start fresh = {{0, 0}, {0, 0}};
    at->shear_x = at->shear_y = (vec){0};
    if (from->before && !some->from && i + WIDTH <= some->count) {
        const qd_vec2 *shear = from->before + some->first + i;
        for (int k = 0; k < WIDTH; ++k) at->shear_x[k] = shear[k].x;
        for (int k = 0; k < WIDTH; ++k) at->shear_y[k] = shear[k].y;
        return;
    }
    uint32_t places[WIDTH];
    for (size_t k = 0; k < WIDTH; ++k) {
        const size_t number = i + k < some->count ? i + k : some->count - 1;
        places[k] = some->from ? some->from[number] : (uint32_t)(some->first + number);
    }
    if (from->before) {
        const qd_vec2 *shear[WIDTH];
        for (int k = 0; k < WIDTH; ++k)
            shear[k] = places[k] != QDI_MEET_NONE ? &from->before[places[k]] : &none;
        for (int k = 0; k < WIDTH; ++k) at->shear_x[k] = shear[k]->x;
        for (int k = 0; k < WIDTH; ++k) at->shear_y[k] = shear[k]->y;
        return;
    }
    for (int k = 0; k < WIDTH; ++k) {
        const qdi_warm_start *start = places[k] != QDI_MEET_NONE ? &from->warm_starts[places[k]] : &fresh;
        at->shear_x[k] = start->normal[0];
        at->shear_y[k] = start->tangent[0];
    }
}

/// Springs that meet: the law of all lanes, where disks are alike; and their radius.
static inline void take_law(const qdi_meet_rows *from, const qdi_meet_law *law, two *at) {
    at->kn = v_set(law->terms_of_all.kn);
    at->kt = v_set(law->terms_of_all.kt);
    at->gamman = v_set(law->terms_of_all.gamman);
    at->gammat = v_set(law->terms_of_all.gammat);
    at->radius_a = at->radius_b = v_set(from->radius_of_all);
}

/// Springs that meet: the law of each lane, as qdi_spring_law_of has it.
static inline void take_laws(const qdi_meet_rows *from, const qdi_meet_law *law, const qdi_meeting *pairs,
                             two *at) {
    const qdi_spring_rule *rule = &law->rule;
    const vec mass_a = v_gather_a(from->mass, pairs), mass_b = v_gather_b(from->mass, pairs);
    const vec mass = mass_a * mass_b / (mass_a + mass_b);
    at->kn = isnan(rule->kn) ? mass * rule->stiffness : v_set(rule->kn);
    at->kt = isnan(rule->kt) ? at->kn * 2 / 7 : v_set(rule->kt);
    const vec gamman = isnan(rule->gamman) ? 2 * v_sqrt(at->kn / mass) * rule->loss / rule->root
                                           : v_set(rule->gamman);
    at->gamman = mass * gamman;
    at->gammat = mass * (isnan(rule->gammat) ? 0.5 * gamman : v_set(rule->gammat));
}

/// Springs that meet: gathers what is known of the pairs from number i on; behind the last one it comes
/// again.
static inline void take_pairs(const qdi_meet_rows *from, const qdi_meet_some *some, const qdi_meet_law *law,
                              size_t i, two *at) {
    const qdi_meeting *pairs = from->pairs + some->place + i;
    qdi_meeting last[WIDTH];
    if (i + WIDTH > some->count) {
        for (size_t k = 0; k < WIDTH; ++k) last[k] = pairs[i + k < some->count ? k : some->count - 1 - i];
        pairs = last;
    }
    const vec zero = {0};
    at->x = v_gather_a(from->x, pairs);
    at->y = v_gather_a(from->y, pairs);
    at->vx_a = v_gather_a(from->vx, pairs);
    at->vy_a = v_gather_a(from->vy, pairs);
    at->spin_a = from->spin ? v_gather_a(from->spin, pairs) : zero;
    if (from->radius) {
        at->radius_a = v_gather_a(from->radius, pairs);
        at->radius_b = v_gather_b(from->radius, pairs);
    }
    at->dx = v_gather_b(from->x, pairs) - at->x + zero;
    at->dy = v_gather_b(from->y, pairs) - at->y + zero;
    at->vx_b = v_gather_b(from->vx, pairs);
    at->vy_b = v_gather_b(from->vy, pairs);
    at->spin_b = from->spin ? v_gather_b(from->spin, pairs) : zero;
    if (from->periodic) take_images(from, at);
    take_shears(from, some, i, at);
    if (from->mass) take_laws(from, law, pairs, at);
}

/// Two that touch: their normal, how deep they are in each other, and their push. `deep`: in all lanes the
/// two are in each other, at different places, and what is for others may be left out.
typedef struct touch {
    vec nx, ny, depth, push;
    bool deep;
} touch;

/// Springs that meet: of each lane the number where the two are in each other, else 0.
static inline vec v_in(const touch *at, vec value) {
    return at->deep ? value : v_where((mask)(at->depth > (vec){0}), value);
}

/// Springs that meet: normals and depths of lanes; and at which speed the two of each approach where they
/// touch. As pairs here do, the square of their distance is at most that of the sum of radii, whatever the
/// root was rounded to.
static inline touch touch_of(const two *at, qdi_meet_lanes *l, size_t i) {
    const vec zero = {0}, dx = at->dx, dy = at->dy, x = at->x, y = at->y, radius_a = at->radius_a;
    const vec sum = radius_a + at->radius_b, squared = dx * dx + dy * dy, distance = v_sqrt(squared);
    const vec apart = distance - sum;
    const bool deep = !v_any(~((mask)(distance > zero) & (mask)(apart < zero)));
    vec nx, ny, gap = apart;
    if (deep) {
        nx = dx / distance;
        ny = dy / distance;
    } else {
        const mask apart_at_all = (mask)(distance > zero);
        const vec length = v_pick(apart_at_all, distance, v_set(1));
        nx = v_pick(apart_at_all, dx / length, v_set(1));
        ny = v_where(apart_at_all, dy / length);
        gap = v_where((mask)(apart < zero), apart);
    }
    const vec to_point = radius_a + 0.5 * gap;
    const vec arm_x = (x + nx * to_point) - x, arm_y = (y + ny * to_point) - y;
    const vec far_x = arm_x - dx, far_y = arm_y - dy;
    const vec ax = at->vx_a - at->spin_a * arm_y, ay = at->vy_a + at->spin_a * arm_x;
    const vec bx = at->vx_b - at->spin_b * far_y, by = at->vy_b + at->spin_b * far_x;
    v_store(l->approach + i, (ax - bx) * nx + (ay - by) * ny);
    return (touch){nx, ny, zero - gap, zero, deep};
}

/// Springs that meet: velocities without what gravity added to them.
static inline vec v_unkicked(vec value, double kick) {
    return kick != 0 ? value - kick : value;
}

/// Springs that meet: the push of each lane along its normal, and what is lost by it; returns how fast
/// surfaces slip.
static inline vec put_push(const two *of, const qdi_meet_law *law, qdi_meet_lanes *l, size_t i, touch *at) {
    const vec ux = v_unkicked(of->vx_a, law->kick_x) - v_unkicked(of->vx_b, law->kick_x),
              uy = v_unkicked(of->vy_a, law->kick_y) - v_unkicked(of->vy_b, law->kick_y);
    const vec approach = ux * at->nx + uy * at->ny, spring = of->kn * at->depth, zero = {0};
    at->push = spring + of->gamman * approach;
    if (law->limit_damping) at->push = v_pick((mask)(at->push < zero), zero, at->push);
    v_store(l->balance[QDI_LOST_NORMAL] + i, v_in(at, (at->push - spring) * approach * law->dt));
    return uy * at->nx - ux * at->ny + of->spin_a * of->radius_a + of->spin_b * of->radius_b + law->slide;
}

/// Friction of some lanes: its force, the shear that remains, and what is lost.
typedef struct rub {
    vec force, stretch, lost;
} rub;

/// Springs that meet: puts the friction of lanes whose surfaces slide in the place of what would hold them.
static inline void slide(const two *of, const qdi_meet_law *law, vec slip, vec first, vec most, mask slides,
                         rub *at) {
    const vec zero = {0}, dt = v_set(law->dt), kt = of->kt, before = at->stretch, damping = of->gammat * slip,
              size = v_abs(at->force);
    const mask springs = (mask)(kt > zero);
    const vec part = most / v_pick((mask)(size > zero), size, v_set(1));
    const vec held = damping / v_pick(springs, kt, v_set(1)), back = part * (before + held) - held;
    const vec slid = v_where(springs, back), limited = at->force * part;
    const vec lost = -limited * slip * dt + 0.5 * kt * (first * first - slid * slid);
    // Nothing that has not been stretched can be set back.
    const mask none = (mask)(before == zero);
    at->force = v_pick(slides, v_where(~none, limited), at->force);
    at->lost = v_pick(slides, v_where(~none, lost), at->lost);
    at->stretch = v_pick(slides, v_pick(none, before, slid), at->stretch);
}

/// Springs that meet: the friction of each lane from its push and slip.
static inline rub rub_of(const two *of, const qdi_meet_law *law, const touch *at, vec slip) {
    const vec zero = {0}, mu = v_set(law->mu), dt = v_set(law->dt);
    if (!(law->mu > 0)) return (rub){zero, zero, zero};
    const vec first = of->shear_y * at->nx - of->shear_x * at->ny;
    const vec before = first + slip * dt, damping = of->gammat * slip;
    rub found = {-(of->kt * before + damping), before, damping * slip * dt};
    const vec most = v_abs(mu * at->push);
    const mask slides = (mask)(v_abs(found.force) > most);
    if (v_any(slides)) slide(of, law, slip, first, most, slides, &found);
    return found;
}

/// Springs that meet: forces, shears and balances of each lane, where the two are in each other.
static inline void put_forces(const two *of, const qdi_meet_law *law, const touch *at, const rub *friction,
                              const qdi_meet_rows *to, const qdi_meet_some *some, qdi_meet_lanes *l,
                              size_t i) {
    const vec zero = {0}, dt = v_set(law->dt), nx = at->nx, ny = at->ny, force = friction->force;
    v_store(l->balance[QDI_LOST_FRICTION] + i, v_in(at, friction->lost));
    v_store(l->balance[QDI_VIRIAL] + i, v_in(at, at->push * (of->radius_a + of->radius_b - at->depth) * dt));
    if (law->slide != 0) v_store(l->balance[QDI_WORK] + i, v_in(at, zero - force * law->slide * dt));
    if (!to->forces) return;
    const vec force_x = v_in(at, zero - (at->push * nx + force * ny)),
              force_y = v_in(at, zero + (force * nx - at->push * ny));
    const vec shear_x = v_in(at, -friction->stretch * ny), shear_y = v_in(at, friction->stretch * nx);
    qdi_thin_force *forces = to->forces + some->place + i;
    qd_vec2 *shears = to->shears + some->place + i;
    const vec push = v_in(at, at->push), rubs = v_in(at, force);
    const size_t count = some->count - i < WIDTH ? some->count - i : WIDTH;
    qdi_thin_force last_forces[WIDTH], *put_force = count < WIDTH ? last_forces : forces;
    qd_vec2 last_shears[WIDTH], *put_shear = count < WIDTH ? last_shears : shears;
#ifdef QDI_MEET_PUT
    QDI_MEET_PUT(&put_force->x, force_x, force_y, push, rubs, &put_shear->x, shear_x, shear_y);
#else
    for (int k = 0; k < WIDTH; ++k) {
        put_force[k] = (qdi_thin_force){force_x[k], force_y[k], push[k], rubs[k]};
        put_shear[k] = (qd_vec2){shear_x[k], shear_y[k]};
    }
#endif
    if (count == WIDTH) return;
    memcpy(forces, last_forces, count * sizeof *forces); // behind them are those of others
    memcpy(shears, last_shears, count * sizeof *shears);
}

/// Springs that meet: adds what is in some lanes of a balance; all halves are exact, so in any order.
static inline void add_balance(const double *restrict values, size_t count, int sum, qdi_meet_tally *tally) {
    const double first_cut = tally->cut.first[sum], second_cut = tally->cut.second[sum];
    vec most = {0}, first = {0}, second = {0};
    for (size_t i = 0; i < count; i += WIDTH) {
        const vec value = v_load(values + i), size = v_abs(value), half = (value + first_cut) - first_cut;
        most = v_more(size, most);
        first += half;
        second += ((value - half) + second_cut) - second_cut;
    }
    for (int k = 0; k < WIDTH; ++k) {
        if (most[k] > tally->most.lane[sum]) tally->most.lane[sum] = most[k];
        tally->sum.first[sum] += first[k];
        tally->sum.second[sum] += second[k];
    }
}

/// Springs that meet: all that follows from how two touch. `deep`: known when this is compiled.
static inline __attribute__((always_inline)) void press(const two *of, const qdi_meet_law *law, touch *at,
                                                        bool deep, const qdi_meet_rows *to,
                                                        const qdi_meet_some *some, qdi_meet_lanes *l,
                                                        size_t i) {
    at->deep = deep;
    const vec slip = put_push(of, law, l, i, at);
    const rub friction = rub_of(of, law, at, slip);
    put_forces(of, law, at, &friction, to, some, l, i);
}

void QDI_MEET_KERNEL(const qdi_meet_rows *rows, const qdi_meet_some *some, const qdi_meet_law *law,
                     qdi_meet_lanes *lanes, qdi_meet_tally *tally) {
    const size_t whole = (some->count + WIDTH - 1) / WIDTH * WIDTH; // the loop has no rest

    two of;
    take_law(rows, law, &of);
    for (size_t i = 0; i < whole; i += WIDTH) {
        take_pairs(rows, some, law, i, &of);
        touch at = touch_of(&of, lanes, i);
        if (at.deep)
            press(&of, law, &at, true, rows, some, lanes, i);
        else
            press(&of, law, &at, false, rows, some, lanes, i);
    }
    for (int sum = 0; sum < QDI_TALLY_LANES; ++sum) {
        if (sum == QDI_WORK && law->slide == 0) continue; // surfaces that stand still do none
        for (size_t i = some->count; i < whole; ++i) lanes->balance[sum][i] = 0;
        add_balance(lanes->balance[sum], whole, sum, tally);
    }
}
