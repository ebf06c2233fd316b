// What acts on bodies from afar. Velocities are copied from `now`, contacts bounce with these
// (the speeds at which they really met), and only then do forces act for the whole of the step. So a bounce
// turns round exactly the speed that a body had, and with restitution 1 a ball under gravity comes back as
// high as it fell.
//
// Where more than uniform gravity acts, each body's flight through the step is worked out on its own, with
// the acceleration a at its start taken as constant. Relative to the medium, with z = linear dt:
//
//   linear drag      u' = u exp(-z) + a dt p1(z)     way = u dt p1(z) + a dt^2 p2(z)       (exact)
//   p1(z) = (1 - exp(-z)) / z, p2(z) = (1 - p1(z)) / z: 1 and 1/2 without drag, which gives the parabola
//
//   quadratic drag   has no closed form with a, so half of a dt comes before it and half after. Between them
//                    the speed s becomes s exp(-z) / D on the way log(D) / quadratic,
//                    D = 1 + quadratic s dt p1(z)    (exact)
//
// Neither ever turns a velocity round, however long the step. The velocity gets what the new place's
// acceleration differs from the old one's, half of it, after the move (qdi_forces_finish); then this is
// velocity Verlet. Bodies at rest on others (movers) have been moved in sub-steps with the acceleration of
// the start, and get no more.
//
// A medium with a temperature adds random accelerations, constant in a step, with the variance that makes up
// for what drag takes: (1 - exp(-2 z)) kT / m for the velocity's change, so (1 - exp(-2 z)) kT / m / (dt
// p1)^2 for the acceleration's. With quadratic drag alone there are none. They belong to the medium, also in
// the balance of energy.
//
// A range writes its own rows.

#include "sim/world/forces.h"

#include "sim/world/energy_balance.h"
#include "sim/world/energy_balance_state.h"
#include "sim/world/feature.h"
#include "sim/world/grain.h"
#include "sim/world/limits.h"
#include "sim/world/names.h"
#include "sim/world/part.h"
#include "sim/world/scratch.h"
#include "sim/world/world_impl.h"

#include <quadrille/hash.h>
#include <quadrille/math.h>
#include <quadrille/random.h>

#include <math.h>
#include <string.h>

/// What random numbers are for: this and the upper half of the step are the `use` of qd_random_at, the lower
/// halves of the body's name and of the step the stream.
enum { USE_MEDIUM = 0x4ea70000 };

// World's forces: copies velocities of bodies to the next state.
static void copy_velocities(void *context, size_t begin, size_t end) {
    qd_world *world = context;
    const qdi_motion *now = &world->now, *next = &world->next;
    size_t bytes = (end - begin) * sizeof(double);
    memcpy(next->vx + begin, now->vx + begin, bytes);
    memcpy(next->vy + begin, now->vy + begin, bytes);
    if (world->turning) memcpy(next->spin + begin, now->spin + begin, bytes);
}

void qdi_forces_begin(qd_world *world) {
    world->scratch.flown = false;
    qdi_team_for(world->team, world->count, QDI_BODY_GRAIN, copy_velocities, world);
}

// ---- gravity alone ----

typedef struct kick_job {
    const qd_world *world;
    double dx, dy;
} kick_job;

// Adds the gain by gravity to velocities of a range of bodies.
static void kick_rows(void *context, size_t begin, size_t end) {
    const kick_job *job = context;
    const qd_world *world = job->world;
    double *vx = world->next.vx, *vy = world->next.vy;
    if (world->fixed == 0) {
        for (size_t r = begin; r < end; ++r) vx[r] += job->dx;
        for (size_t r = begin; r < end; ++r) vy[r] += job->dy;
        return;
    }
    for (size_t r = begin; r < end; ++r) {
        if (world->kind[r] != QD_BODY_DYNAMIC) continue;
        vx[r] += job->dx;
        vy[r] += job->dy;
    }
}

// World's forces: adds gravity, where it is the same for all bodies, to velocities.
static void kick_by_gravity(const qd_world *world, double dt) {
    const qd_vec2 gravity = world->def.gravity;
    if (gravity.x == 0 && gravity.y == 0) return;
    kick_job job = {world, gravity.x * dt, gravity.y * dt};
    qdi_team_for(world->team, world->count, QDI_BODY_GRAIN, kick_rows, &job);
}

// ---- accelerations ----

/// A step's numbers that are the same for all bodies.
typedef struct flight_job {
    qd_world *world;
    double dt;
    double fade, p1, p2;                ///< of the linear drag
    double spin_fade, spin_p1, spin_p2; ///< of that of the spin
    double quadratic;
    qd_vec2 medium;
    double push, spin_push; ///< of the medium, at random: standard deviations for mass and inertia 1
    bool settles;           ///< the balance has sums of medium or callback
    uint32_t *lowest_bad;   ///< qdi_forces_finish: per range
} flight_job;

/// Asks the callback for the forces on a range at a time, of which the positions may be of another than the
/// velocities.
static void ask_force_callback(const qd_world *world, const qdi_motion *place, double time, double dt,
                               size_t begin, size_t end) {
    double *const *force = world->scratch.force;
    const qdi_motion *next = &world->next;
    for (int k = 0; k < 3; ++k) memset(force[k] + begin, 0, (end - begin) * sizeof(double));
    qd_force_range range = {.count = end - begin,
                            .step = world->clock.step,
                            .time = time,
                            .dt = dt,
                            .index = world->index + begin,
                            .label = world->label + begin,
                            .kind = world->kind + begin,
                            .x = place->x + begin,
                            .y = place->y + begin,
                            .vx = next->vx + begin,
                            .vy = next->vy + begin,
                            .turn_c = place->c + begin,
                            .turn_s = place->s + begin,
                            .spin = next->spin + begin,
                            .radius = world->radius + begin,
                            .mass = world->mass + begin,
                            .inertia = world->inertia + begin,
                            .force_x = force[0] + begin,
                            .force_y = force[1] + begin,
                            .torque = force[2] + begin};
    world->force(world->force_context, &range);
}

/// What acts on a body at a place but drag; the callback has been asked.
static qdi_flight acceleration_of_row(const qd_world *world, const qdi_motion *place, size_t row) {
    qdi_flight a = {.ax = world->def.gravity.x, .ay = world->def.gravity.y};
    if (world->def.attraction.strength != 0) {
        qd_vec2 pull = qdi_attraction_at(&world->def.attraction, world->axis, place->x[row], place->y[row]);
        a.ax += pull.x;
        a.ay += pull.y;
    }
    if (world->force) {
        double *const *force = world->scratch.force;
        a.ax += force[0][row] / world->mass[row];
        a.ay += force[1][row] / world->mass[row];
        a.turn = force[2][row] / world->inertia[row];
    }
    return a;
}

// ---- flights ----

/// World's forces: (1 - exp(-z)) / z and (1 - that) / z for z >= 0, without losing digits where z is small.
static void drag_fading(double z, double *fade, double *p1, double *p2) {
    *fade = qd_exp(-z);
    if (z >= 0.5) {
        *p1 = (1 - *fade) / z;
        *p2 = (1 - *p1) / z;
        return;
    }
    *p1 = *p2 = 0;
    double term = 1; // (-z)^n / (n + 1)!
    for (int n = 0; n < 16; ++n) {
        *p1 += term;
        *p2 += term / (n + 2);
        term *= -z / (n + 2);
    }
}

/// World's forces: log(1 + y) / y for y >= 0.
static double log_ratio(double y) {
    if (y > 1e-3) return qd_log(1 + y) / y;
    return 1 - y * (1.0 / 2 - y * (1.0 / 3 - y * (1.0 / 4 - y * (1.0 / 5 - y * (1.0 / 6)))));
}

/// World's forces: inertia, or 0 where a body cannot turn.
static double turning_mass(const qd_world *world, size_t row) {
    return world->turning && isfinite(world->inertia[row]) ? world->inertia[row] : 0;
}

/// World's forces: the standard deviation of the random acceleration that goes with a drag of this rate.
static double push_of(double rate, double temperature, double dt, double fade, double p1) {
    return sqrt(rate * dt * (1 + fade) * temperature / p1) / dt; // 1 - fade^2 = rate dt p1 (1 + fade)
}

/// World's forces: adds the medium's pushes on a body to what acts on it.
static void add_pushes(const flight_job *job, size_t row, qdi_flight *all) {
    const qd_world *world = job->world;
    uint64_t step = world->clock.step;
    const uint64_t name = qdi_name_of(world, world->index[row]), far = name >> 32, seed = world->def.seed;
    qd_random random = qd_random_at(far ? qd_hash_mix(seed, far) : seed, step << 32 | (uint32_t)name,
                                    (uint32_t)(USE_MEDIUM + (step >> 32)));
    double push = job->push / sqrt(world->mass[row]);
    all->ax += push * qd_random_normal(&random);
    all->ay += push * qd_random_normal(&random);
    double inertia = turning_mass(world, row);
    if (inertia > 0 && job->spin_push > 0)
        all->turn += job->spin_push / sqrt(inertia) * qd_random_normal(&random);
}

// Velocity and way of a body under drag and forces over a step.
static void fly_row(const flight_job *job, qdi_flight *flight, double *vx, double *vy) {
    double dt = job->dt, ux = *vx - job->medium.x, uy = *vy - job->medium.y;
    double way = dt * job->p1, pull = dt * dt * job->p2;
    if (job->quadratic > 0) {
        ux += 0.5 * flight->ax * dt;
        uy += 0.5 * flight->ay * dt;
        double y = job->quadratic * sqrt(ux * ux + uy * uy) * way;
        way *= log_ratio(y);
        flight->dx = job->medium.x * dt + ux * way;
        flight->dy = job->medium.y * dt + uy * way;
        double left = job->fade / (1 + y);
        ux = ux * left + 0.5 * flight->ax * dt;
        uy = uy * left + 0.5 * flight->ay * dt;
    } else {
        flight->dx = job->medium.x * dt + ux * way + flight->ax * pull;
        flight->dy = job->medium.y * dt + uy * way + flight->ay * pull;
        ux = ux * job->fade + flight->ax * way;
        uy = uy * job->fade + flight->ay * way;
    }
    *vx = job->medium.x + ux;
    *vy = job->medium.y + uy;
}

// Spin and angle of a body under drag and torque over a step.
static void spin_row(const flight_job *job, qdi_flight *flight, double *spin) {
    double dt = job->dt;
    flight->angle = *spin * dt * job->spin_p1 + flight->turn * dt * dt * job->spin_p2;
    *spin = *spin * job->spin_fade + flight->turn * dt * job->spin_p1;
}

/// Kinetic energy as the velocities of `next` are now; 0 for what is not dynamic.
static double energy_of(const qd_world *world, size_t row) {
    if (world->kind[row] != QD_BODY_DYNAMIC) return 0;
    double vx = world->next.vx[row], vy = world->next.vy[row],
           spin = world->turning ? world->next.spin[row] : 0;
    return 0.5 * (world->mass[row] * (vx * vx + vy * vy) + turning_mass(world, row) * spin * spin);
}

/// What medium and callback did to a body on its flight, which had the energy `before`.
static void settle_flight(const qd_world *world, size_t row, const qdi_flight *flight, double before) {
    const qdi_balance_scratch *balance = &world->scratch.balance;
    bool dynamic = world->kind[row] == QD_BODY_DYNAMIC;
    double mass = dynamic ? world->mass[row] : 0,
           turn = turning_mass(world, row) * flight->turn * flight->angle;
    double work = mass * (flight->ax * flight->dx + flight->ay * flight->dy) + turn;
    balance->drag[row] = work - (energy_of(world, row) - before);
    if (!world->force) return;
    double *const *force = world->scratch.force;
    balance->force[row] = dynamic ? force[0][row] * flight->dx + force[1][row] * flight->dy + turn : 0;
}

// Moves a range of bodies under drag and forces.
static void fly_rows(void *context, size_t begin, size_t end) {
    const flight_job *job = context;
    qd_world *world = job->world;
    double dt = job->dt;
    const qdi_motion *next = &world->next;
    if (world->force) ask_force_callback(world, &world->now, qd_world_time(world), dt, begin, end);
    for (size_t r = begin; r < end; ++r) {
        qdi_flight *flight = &world->scratch.flights[r];
        *flight = (qdi_flight){0, 0, 0, 0, 0, 0};
        double before = job->settles ? energy_of(world, r) : 0;
        if (world->kind[r] == QD_BODY_DYNAMIC) {
            qdi_flight calm = acceleration_of_row(world, &world->now, r);
            *flight = calm;
            if (job->push > 0 || job->spin_push > 0) add_pushes(job, r, flight);
            fly_row(job, flight, &next->vx[r], &next->vy[r]);
            if (world->turning) spin_row(job, flight, &next->spin[r]);
            flight->ax = calm.ax, flight->ay = calm.ay, flight->turn = calm.turn;
        }
        if (job->settles) settle_flight(world, r, flight, before);
    }
}

// What bodies under drag and forces need to know about a step.
static flight_job flight_job_of(qd_world *world, double dt) {
    const qd_drag *drag = &world->def.drag;
    flight_job job = {.world = world, .dt = dt, .quadratic = drag->quadratic, .medium = drag->medium};
    job.settles = qdi_forces_settle(world);
    drag_fading(drag->linear * dt, &job.fade, &job.p1, &job.p2);
    drag_fading(drag->spin * dt, &job.spin_fade, &job.spin_p1, &job.spin_p2);
    job.push = push_of(drag->linear, drag->temperature, dt, job.fade, job.p1);
    job.spin_push = push_of(drag->spin, drag->temperature, dt, job.spin_fade, job.spin_p1);
    return job;
}

bool qdi_forces_vary(const qd_world *world) {
    return world->def.attraction.strength != 0 || world->force;
}

bool qdi_forces_settle(const qd_world *world) {
    const qd_drag *drag = &world->def.drag;
    return world->force || drag->linear > 0 || drag->quadratic > 0 || drag->spin > 0;
}

qd_status qdi_forces_kick(qd_world *world, double dt) {
    if (!qdi_forces_vary(world) && !qdi_forces_settle(world)) {
        kick_by_gravity(world, dt);
        return QD_OK;
    }
    qdi_scratch *scratch = &world->scratch;
    qd_status status = qdi_reserve(world->allocator, &scratch->flights, &scratch->flight_room, 0,
                                   world->count, sizeof *scratch->flights);
    for (int k = 0; k < 3 && status == QD_OK && world->force; ++k)
        status = qdi_reserve(world->allocator, &scratch->force[k], &scratch->force_room[k], 0, world->count,
                             sizeof(double));
    if (status == QD_OK) status = qdi_balance_fly(world);
    if (status != QD_OK) return status;
    flight_job job = flight_job_of(world, dt);
    qdi_team_for(world->team, world->count, QDI_BODY_GRAIN, fly_rows, &job);
    scratch->flown = true;
    return QD_OK;
}

// ---- nothing at all ----

bool qdi_forces_none(const qd_world *world) {
    const qd_vec2 gravity = world->def.gravity;
    return world->def.contact == QD_CONTACT_NONE && gravity.x == 0 && gravity.y == 0 &&
           !qdi_forces_vary(world) && !qdi_forces_settle(world) &&
           world->axis[0].boundary != QD_BOUNDARY_REFLECT && world->axis[1].boundary != QD_BOUNDARY_REFLECT &&
           world->fixed == 0 && !world->turning && !world->part && !world->population;
}

/// World's forces: for the time of a step velocities belong to both states: nobody copies what stays as it
/// is, and the memory of the next ones is not written to. restore_velocities ends that.
static void share_velocities(qd_world *world) {
    world->scratch.flown = false;
    world->scratch.idle_vx = world->next.vx;
    world->scratch.idle_vy = world->next.vy;
    world->next.vx = world->now.vx;
    world->next.vy = world->now.vy;
}

// Hook of the step, which has become the present state or was refused: gives `next` its velocities back.
static void restore_velocities(qd_world *world, const qdi_step_context *step) {
    (void)step;
    qdi_scratch *scratch = &world->scratch;
    if (!scratch->idle_vx) return;
    world->next.vx = scratch->idle_vx;
    world->next.vy = scratch->idle_vy;
    scratch->idle_vx = scratch->idle_vy = NULL;
}

// Hook of the step: forces alone make velocities, where bodies do not collide.
static qd_status forces_resolve(qd_world *world, qdi_step_context *step) {
    if (world->def.contact != QD_CONTACT_NONE) return QD_OK;
    if (qdi_forces_none(world)) {
        share_velocities(world);
        return QD_OK;
    }
    qdi_forces_begin(world);
    return qdi_forces_kick(world, step->dt);
}

const qdi_feature qdi_no_contact_feature = {
    .at = {[QDI_STAGE_RESOLVE] = forces_resolve}, .commit = restore_velocities, .revert = restore_velocities};

// ---- after the move ----

/// What the callback did beyond what it did on the flight: its force at the new place is another than at the
/// old one.
static void settle_more(const qd_world *world, size_t r, const qdi_flight *before, const qdi_flight *after,
                        double half) {
    const qdi_motion *now = &world->now, *next = &world->next;
    double ax = after->ax - before->ax, ay = after->ay - before->ay,
           turn = (after->turn - before->turn) * half;
    double vx = next->vx[r] - 0.5 * ax * half, vy = next->vy[r] - 0.5 * ay * half;
    if (world->def.attraction.strength != 0) {
        qd_vec2 from = qdi_attraction_at(&world->def.attraction, world->axis, now->x[r], now->y[r]);
        qd_vec2 to = qdi_attraction_at(&world->def.attraction, world->axis, next->x[r], next->y[r]);
        ax -= to.x - from.x;
        ay -= to.y - from.y;
    }
    double work = world->mass[r] * (ax * vx + ay * vy) * half;
    if (turn != 0) work += turning_mass(world, r) * turn * (next->spin[r] - 0.5 * turn);
    world->scratch.balance.force[r] += work;
}

// World's forces: ends the flights of a range of bodies: velocities at the step's end.
static void finish_flights(void *context, size_t begin, size_t end) {
    const flight_job *job = context;
    qd_world *world = job->world;
    const qdi_motion *next = &world->next;
    // Where nothing turns, `now` has what both states share; a world with a callback turns.
    if (world->force) ask_force_callback(world, next, qd_world_time(world) + job->dt, job->dt, begin, end);
    double half = 0.5 * job->dt, fastest = qdi_limit_speed_squared(&world->def.limits);
    uint32_t *bad = &job->lowest_bad[begin / QDI_BODY_GRAIN];
    for (size_t r = begin; r < end; ++r) {
        if (world->kind[r] != QD_BODY_DYNAMIC) continue;
        if (world->scratch.mover_count > 0 && world->scratch.slot[r]) continue;
        const qdi_flight *before = &world->scratch.flights[r];
        qdi_flight after = acceleration_of_row(world, next, r);
        next->vx[r] += (after.ax - before->ax) * half;
        next->vy[r] += (after.ay - before->ay) * half;
        double vx = next->vx[r], vy = next->vy[r], spin = 0;
        if (world->turning) spin = next->spin[r] += (after.turn - before->turn) * half;
        if (world->force) settle_more(world, r, before, &after, half);
        if (!(vx * vx + vy * vy <= fastest && qdi_is_sane(spin)) && world->index[r] < *bad &&
            !qdi_is_ghost(world, r))
            *bad = world->index[r];
    }
}

void qdi_forces_finish(qd_world *world, double dt, uint32_t *lowest_bad) {
    flight_job job = {.world = world, .dt = dt};
    job.lowest_bad = lowest_bad;
    qdi_team_for(world->team, world->count, QDI_BODY_GRAIN, finish_flights, &job);
}

qd_status qd_world_set_force(qd_world *world, qd_force_function force, void *context) {
    if (!world) return QD_ERR_ARGUMENT;
    if (force && !world->turning) world->turning = true; // it may have torques to give
    world->force = force;
    world->force_context = context;
    return QD_OK;
}
