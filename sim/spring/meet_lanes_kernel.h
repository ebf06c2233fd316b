// The source of qdi_meet_lanes, WIDTH pairs at a time (core/math/lanes.h); no include guard: each instruction
// set has its own copy. Geometry as in qdi_collide_disks, and the force as in spring.c for two dynamic disks;
// no operation's result depends on how many are done at once. Where a term of spring.c is a number times zero
// it is left out: it changes at most the sign of a zero to which zero is added after. QDI_MEET_KERNEL is the
// function's name.

#include "core/math/lanes.h"
#include "sim/spring/meet_lanes.h"
#include "sim/world/energy_balance_state.h"

#include <float.h>
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
    int64_t any = 0;
    for (int k = 0; k < WIDTH; ++k) any |= lanes[k];
    return any != 0;
}

/// Two that touch: their normal, how deep they are in each other, and their push.
typedef struct touch {
    vec nx, ny, depth, push;
} touch;

/// Springs that meet: normals and depths of lanes; and at which speed the two of each approach where they
/// touch.
static inline touch touch_of(qdi_meet_lanes *restrict l, size_t i) {
    const vec zero = {0}, dx = v_load(l->dx + i), dy = v_load(l->dy + i), x = v_load(l->x + i),
              y = v_load(l->y + i), radius_a = v_load(l->radius_a + i);
    const vec sum = radius_a + v_load(l->radius_b + i), squared = dx * dx + dy * dy,
              distance = v_sqrt(squared);
    const mask apart_at_all = (mask)(distance > zero);
    const vec length = v_pick(apart_at_all, distance, v_set(1));
    const vec nx = v_pick(apart_at_all, dx / length, v_set(1)), ny = v_where(apart_at_all, dy / length);
    const vec apart = distance - sum, in = v_where((mask)(apart < zero), apart),
              out = v_pick((mask)(apart > zero), apart, v_set(DBL_MIN));
    const vec gap = v_pick((mask)(squared <= sum * sum), in, out), to_point = radius_a + 0.5 * gap;
    const vec arm_x = (x + nx * to_point) - x, arm_y = (y + ny * to_point) - y;
    const vec far_x = arm_x - dx, far_y = arm_y - dy;
    const vec spin_a = v_load(l->spin_a + i), spin_b = v_load(l->spin_b + i);
    const vec ax = v_load(l->vx_a + i) - spin_a * arm_y, ay = v_load(l->vy_a + i) + spin_a * arm_x;
    const vec bx = v_load(l->vx_b + i) - spin_b * far_y, by = v_load(l->vy_b + i) + spin_b * far_x;
    v_store(l->approach + i, (ax - bx) * nx + (ay - by) * ny);
    return (touch){nx, ny, zero - gap, zero};
}

/// Springs that meet: the push of each lane along its normal, and what is lost by it; returns how fast
/// surfaces slip.
static inline vec put_push(qdi_meet_lanes *restrict l, const qdi_meet_law *law, size_t i, touch *at) {
    const double kick_x = law->kick_x, kick_y = law->kick_y;
    const vec ux = (v_load(l->vx_a + i) - kick_x) - (v_load(l->vx_b + i) - kick_x);
    const vec uy = (v_load(l->vy_a + i) - kick_y) - (v_load(l->vy_b + i) - kick_y);
    const vec approach = ux * at->nx + uy * at->ny, spring = v_load(l->kn + i) * at->depth;
    const vec both = spring + v_load(l->gamman + i) * approach;
    const vec least = v_set(law->limit_damping ? 0 : -HUGE_VAL);
    at->push = v_pick((mask)(both < least), least, both);
    const vec lost = (at->push - spring) * approach * law->dt;
    v_store(l->balance[QDI_LOST_NORMAL] + i, v_where((mask)(at->depth > (vec){0}), lost));
    return uy * at->nx - ux * at->ny + v_load(l->spin_a + i) * v_load(l->radius_a + i) +
           v_load(l->spin_b + i) * v_load(l->radius_b + i) + law->slide;
}

/// Friction of some lanes: its force, the shear that remains, and what is lost.
typedef struct rub {
    vec force, stretch, lost;
} rub;

/// Springs that meet: puts the friction of lanes whose surfaces slide in the place of what would hold them.
static inline void slide(const qdi_meet_lanes *restrict l, const qdi_meet_law *law, size_t i, vec slip,
                         vec first, vec most, mask slides, rub *at) {
    const vec zero = {0}, dt = v_set(law->dt), kt = v_load(l->kt + i), before = at->stretch,
              damping = v_load(l->gammat + i) * slip, size = v_abs(at->force);
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
static inline rub rub_of(const qdi_meet_lanes *restrict l, const qdi_meet_law *law, size_t i, const touch *at,
                         vec slip) {
    const vec mu = v_load(l->mu + i), dt = v_set(law->dt);
    const vec first = v_load(l->shear_y + i) * at->nx - v_load(l->shear_x + i) * at->ny;
    const vec before = first + slip * dt, damping = v_load(l->gammat + i) * slip;
    rub found = {-(v_load(l->kt + i) * before + damping), before, damping * slip * dt};
    const vec most = v_abs(mu * at->push);
    const mask slides = (mask)(v_abs(found.force) > most);
    if (v_any(slides)) slide(l, law, i, slip, first, most, slides, &found);
    const mask rough = (mask)(mu > (vec){0});
    return (rub){v_where(rough, found.force), v_where(rough, found.stretch), v_where(rough, found.lost)};
}

/// Springs that meet: forces, shears and balances of each lane, where the two are in each other.
static inline void put_forces(qdi_meet_lanes *restrict l, const qdi_meet_law *law, size_t i, const touch *at,
                              const rub *friction) {
    const vec zero = {0}, dt = v_set(law->dt), nx = at->nx, ny = at->ny, force = friction->force,
              radius_a = v_load(l->radius_a + i), radius_b = v_load(l->radius_b + i);
    const mask in = (mask)(at->depth > zero);
    v_store(l->force_x + i, v_where(in, zero + (-at->push * nx - force * ny)));
    v_store(l->force_y + i, v_where(in, zero + (-at->push * ny + force * nx)));
    v_store(l->push + i, v_where(in, at->push));
    v_store(l->friction + i, v_where(in, force));
    v_store(l->shear_x + i, v_where(in, -friction->stretch * ny));
    v_store(l->shear_y + i, v_where(in, friction->stretch * nx));
    v_store(l->balance[QDI_LOST_FRICTION] + i, v_where(in, friction->lost));
    v_store(l->balance[QDI_VIRIAL] + i, v_where(in, at->push * (radius_a + radius_b - at->depth) * dt));
    v_store(l->balance[QDI_WORK] + i, v_where(in, zero - force * law->slide * dt));
}

/// Springs that meet: adds what is in some lanes of a balance; all halves are exact, so in any order.
static inline void add_balance(const double *restrict values, size_t count, int sum, qdi_meet_tally *tally) {
    const double first_cut = tally->cut.first[sum], second_cut = tally->cut.second[sum];
    vec most = {0}, first = {0}, second = {0};
    for (size_t i = 0; i < count; i += WIDTH) {
        const vec value = v_load(values + i), size = v_abs(value), half = (value + first_cut) - first_cut;
        most = v_pick((mask)(size > most), size, most);
        first += half;
        second += ((value - half) + second_cut) - second_cut;
    }
    for (int k = 0; k < WIDTH; ++k) {
        if (most[k] > tally->most.lane[sum]) tally->most.lane[sum] = most[k];
        tally->sum.first[sum] += first[k];
        tally->sum.second[sum] += second[k];
    }
}

void QDI_MEET_KERNEL(qdi_meet_lanes *lanes, const qdi_meet_law *law, size_t count, qdi_meet_tally *tally) {
    const size_t whole = (count + WIDTH - 1) / WIDTH * WIDTH; // the loop has no rest
    for (size_t i = 0; i < whole; i += WIDTH) {
        touch at = touch_of(lanes, i);
        const vec slip = put_push(lanes, law, i, &at);
        const rub friction = rub_of(lanes, law, i, &at, slip);
        put_forces(lanes, law, i, &at, &friction);
    }
    for (int sum = 0; sum < QDI_TALLY_LANES; ++sum) {
        for (size_t i = count; i < whole; ++i) lanes->balance[sum][i] = 0;
        add_balance(lanes->balance[sum], whole, sum, tally);
    }
}
