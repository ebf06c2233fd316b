// The source of qdi_meet_lanes, for one instruction set: geometry as in qdi_collide_disks, and the force as
// in spring.c for two dynamic disks; no branch in any loop, and no operation whose result depends on how many
// are done at once. Where a term of spring.c is a number times zero it is left out: it changes at most the
// sign of a zero to which zero is added after. QDI_MEET_KERNEL is the function's name.

#include "sim/spring/meet_lanes.h"
#include "sim/world/energy_balance_state.h"

#include <float.h>
#include <math.h>

/// Springs that meet: normals, points and depths of lanes.
static inline void put_geometry(qdi_meet_lanes *restrict l, size_t count) {
    for (size_t i = 0; i < count; ++i) {
        const double dx = l->dx[i], dy = l->dy[i], sum = l->radius_a[i] + l->radius_b[i];
        const double squared = dx * dx + dy * dy, distance = sqrt(squared);
        const double length = distance > 0 ? distance : 1, along_x = dx / length, along_y = dy / length;
        const double nx = distance > 0 ? along_x : 1, ny = distance > 0 ? along_y : 0;
        const double apart = distance - sum;
        const double in = apart < 0 ? apart : 0, out = apart > 0 ? apart : DBL_MIN;
        const double gap = squared <= sum * sum ? in : out;
        const double to_point = l->radius_a[i] + 0.5 * gap;
        l->nx[i] = nx;
        l->ny[i] = ny;
        l->at_x[i] = l->x[i] + nx * to_point;
        l->at_y[i] = l->y[i] + ny * to_point;
        l->depth[i] = 0 - gap;
    }
}

/// Springs that meet: at which speed the two of each lane approach where they touch.
static inline void put_approach(qdi_meet_lanes *restrict l, size_t count) {
    for (size_t i = 0; i < count; ++i) {
        const double arm_x = l->at_x[i] - l->x[i], arm_y = l->at_y[i] - l->y[i];
        const double far_x = arm_x - l->dx[i], far_y = arm_y - l->dy[i];
        const double ax = l->vx_a[i] - l->spin_a[i] * arm_y, ay = l->vy_a[i] + l->spin_a[i] * arm_x;
        const double bx = l->vx_b[i] - l->spin_b[i] * far_y, by = l->vy_b[i] + l->spin_b[i] * far_x;
        l->approach[i] = (ax - bx) * l->nx[i] + (ay - by) * l->ny[i];
    }
}

/// Springs that meet: the push of each lane along its normal, to `impulse`, what is lost by it, and to the
/// work how fast surfaces slip.
static inline void put_push(qdi_meet_lanes *restrict l, const qdi_meet_law *law, size_t count) {
    const double dt = law->dt, kick_x = law->kick_x, kick_y = law->kick_y, slide = law->slide;
    const double least = law->limit_damping ? 0 : -HUGE_VAL;
    for (size_t i = 0; i < count; ++i) {
        const double nx = l->nx[i], ny = l->ny[i];
        const double ux = (l->vx_a[i] - kick_x) - (l->vx_b[i] - kick_x);
        const double uy = (l->vy_a[i] - kick_y) - (l->vy_b[i] - kick_y);
        const double approach = ux * nx + uy * ny, spring = l->kn[i] * l->depth[i];
        const double both = spring + l->gamman[i] * approach, push = both < least ? least : both;
        l->impulse[i] = push;
        l->balance[QDI_LOST_NORMAL][i] = (push - spring) * approach * dt;
        l->balance[QDI_WORK][i] = uy * nx - ux * ny + l->spin_a[i] * l->radius_a[i] +
                                  l->spin_b[i] * l->radius_b[i] + slide;
    }
}

/// Springs that meet: the friction of each lane from its push and slip, and the shear that remains.
static inline void put_friction(qdi_meet_lanes *restrict l, const qdi_meet_law *law, size_t count) {
    const double dt = law->dt;
    for (size_t i = 0; i < count; ++i) {
        const double nx = l->nx[i], ny = l->ny[i], kt = l->kt[i], mu = l->mu[i],
                     slip = l->balance[QDI_WORK][i];
        const double first = l->shear_y[i] * nx - l->shear_x[i] * ny, before = first + slip * dt;
        const double damping = l->gammat[i] * slip, force = -(kt * before + damping);
        const double most = fabs(mu * l->impulse[i]), size = fabs(force), part = most / (size > 0 ? size : 1);
        const double held = damping / (kt > 0 ? kt : 1), back = part * (before + held) - held;
        const double slid = kt > 0 ? back : 0, limited = force * part;
        const double slid_lost = -limited * slip * dt + 0.5 * kt * (first * first - slid * slid);
        // Nothing that has not been stretched can be set back.
        const double on = before == 0 ? 0 : limited, on_lost = before == 0 ? 0 : slid_lost;
        const double on_shear = before == 0 ? before : slid;
        const double friction = size > most ? on : force, lost = size > most ? on_lost : damping * slip * dt;
        const double stretch = size > most ? on_shear : before;
        l->friction[i] = mu > 0 ? friction : 0;
        l->balance[QDI_LOST_FRICTION][i] = mu > 0 ? lost : 0;
        l->shear_x[i] = mu > 0 ? stretch : 0;
    }
}

/// Springs that meet: forces, shears and balances of each lane, where the two are in each other.
static inline void put_forces(qdi_meet_lanes *restrict l, const qdi_meet_law *law, size_t count) {
    const double dt = law->dt, slide = law->slide;
    for (size_t i = 0; i < count; ++i) {
        const double nx = l->nx[i], ny = l->ny[i], depth = l->depth[i];
        const double push = l->impulse[i], friction = l->friction[i], stretch = l->shear_x[i];
        const double fx = 0 + (-push * nx - friction * ny), fy = 0 + (-push * ny + friction * nx);
        const double turn_a = 0 + friction * l->radius_a[i], turn_b = 0 + friction * l->radius_b[i];
        const double lost_normal = l->balance[QDI_LOST_NORMAL][i],
                     lost_friction = l->balance[QDI_LOST_FRICTION][i];
        const double virial = push * (l->radius_a[i] + l->radius_b[i] - depth) * dt;
        const double work = 0 - friction * slide * dt, impulse = push * dt, along = -friction * dt;
        const double shear_x = -stretch * ny, shear_y = stretch * nx;
        const bool in = depth > 0;
        l->force_x[i] = in ? fx : 0;
        l->force_y[i] = in ? fy : 0;
        l->turn_a[i] = in ? turn_a : 0;
        l->turn_b[i] = in ? turn_b : 0;
        l->impulse[i] = in ? impulse : 0;
        l->friction[i] = in ? along : 0;
        l->shear_x[i] = in ? shear_x : 0;
        l->shear_y[i] = in ? shear_y : 0;
        l->balance[QDI_LOST_NORMAL][i] = in ? lost_normal : 0;
        l->balance[QDI_LOST_FRICTION][i] = in ? lost_friction : 0;
        l->balance[QDI_VIRIAL][i] = in ? virial : 0;
        l->balance[QDI_WORK][i] = in ? work : 0;
    }
}

/// Springs that meet: adds what is in some lanes of a balance; all halves are exact, so in any order.
static inline void add_balance(const double *restrict values, size_t count, int sum, qdi_meet_tally *tally) {
    const double first_cut = tally->cut.first[sum], second_cut = tally->cut.second[sum];
    double most[4] = {0}, first[4] = {0}, second[4] = {0};
    for (size_t i = 0; i < count; i += 4)
        for (size_t k = 0; k < 4; ++k) {
            const double value = values[i + k], size = fabs(value);
            const double half = (value + first_cut) - first_cut;
            most[k] = size > most[k] ? size : most[k];
            first[k] += half;
            second[k] += ((value - half) + second_cut) - second_cut;
        }
    for (size_t k = 0; k < 4; ++k) {
        if (most[k] > tally->most.lane[sum]) tally->most.lane[sum] = most[k];
        tally->sum.first[sum] += first[k];
        tally->sum.second[sum] += second[k];
    }
}

void QDI_MEET_KERNEL(qdi_meet_lanes *lanes, const qdi_meet_law *law, size_t count, qdi_meet_tally *tally) {
    const size_t whole = (count + 7) & ~(size_t)7; // no loop has a rest
    put_geometry(lanes, whole);
    put_approach(lanes, whole);
    put_push(lanes, law, whole);
    put_friction(lanes, law, whole);
    put_forces(lanes, law, whole);
    for (int sum = 0; sum < QDI_TALLY_LANES; ++sum) {
        for (size_t i = count; i < whole; ++i) lanes->balance[sum][i] = 0;
        add_balance(lanes->balance[sum], whole, sum, tally);
    }
}
