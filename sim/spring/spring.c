// Forces of springs and dashpots, contact by contact. Contacts are worked on as their spots lie, so that what
// is read of the bodies is in the cache; a contact writes its own shear, force, impulses and contact_balance,
// and nothing is shared.

#include "sim/spring/spring.h"

#include "sim/world/contact_state.h"
#include "sim/world/energy_balance.h"
#include "sim/world/grain.h"
#include "sim/world/ledger.h"
#include "sim/world/pose.h"
#include "sim/world/spring_terms.h"
#include "sim/world/world_impl.h"

#include <math.h>

typedef struct spring_job {
    const qd_world *world;
    const qdi_motion *m;
    qdi_contact_state *state;
    double dt;                   ///< 0: nothing moves
    double loss;                 ///< of the world's restitution
    qd_vec2 half_kick;           ///< what gravity has given to dynamic bodies beyond the middle of the step
    qdi_contact_balance *shares; ///< by contact; NULL where dt is 0
} spring_job;

/// A contact as it is worked on: a's normal to b, levers from each centroid to its own surface as in
/// qdi_constraint, and velocities of the two.
typedef struct grasp {
    double nx, ny;
    double across_a[2], along_a[2], across_b[2], along_b[2];
    qdi_twist a, b;
    double slide;
    qdi_spring_law law;
} grasp;

// Velocity and spin of a body in a spring contact.
static qdi_twist twist_of_row(const spring_job *job, uint32_t row) {
    const qd_world *world = job->world;
    const qdi_motion *m = job->m;
    qdi_twist twist = {m->vx[row], m->vy[row], world->turning ? m->spin[row] : 0};
    if (world->kind[row] != QD_BODY_DYNAMIC) return twist;
    twist.x -= job->half_kick.x;
    twist.y -= job->half_kick.y;
    return twist;
}

// Velocity of a moving wall in a spring contact.
static qdi_twist twist_of_wall(const spring_job *job, qd_id wall) {
    const qd_world *world = job->world;
    const qd_vec2 *speed = job->dt > 0 ? world->wall_mean : world->wall_speed;
    qd_vec2 v = speed[wall.index - (uint32_t)QD_WALL_LEFT];
    return (qdi_twist){v.x, v.y, 0};
}

/// Levers of shapes, to their own surfaces.
static void make_levers(const spring_job *job, const qdi_spot *spot, const qd_contact *contact, grasp *grip) {
    const qd_world *world = job->world;
    const qdi_motion *m = job->m;
    uint32_t a = spot->row_a, b = spot->row_b;
    bool wall = b == QDI_NO_ROW;
    qd_vec2 period = qdi_world_period(world), from = {m->x[a], m->y[a]}, to = from;
    if (!wall) to = (qd_vec2){m->x[b] + contact->image.x * period.x, m->y[b] + contact->image.y * period.y};
    double nx = grip->nx, ny = grip->ny;
    for (int k = 0; k < contact->count; ++k) {
        const qd_touch *touch = &contact->touch[k];
        double half = 0.5 * touch->depth;
        double ax = touch->point.x - from.x, ay = touch->point.y - from.y;
        grip->across_a[k] = ax * ny - ay * nx;
        grip->along_a[k] = ax * nx + ay * ny + half;
        double bx = touch->point.x - to.x, by = touch->point.y - to.y;
        grip->across_b[k] = wall ? 0 : bx * ny - by * nx;
        grip->along_b[k] = wall ? 0 : bx * nx + by * ny - half;
    }
    if (world->shape[a] == 0) {
        grip->across_a[0] = grip->across_a[1] = 0;
        grip->along_a[0] = grip->along_a[1] = world->radius[a];
    }
    if (wall || world->shape[b] != 0) return;
    grip->across_b[0] = grip->across_b[1] = 0;
    grip->along_b[0] = grip->along_b[1] = -world->radius[b];
}

// Gathers what the spring's force depends on: positions, velocities, masses, the surfaces.
static void grip_of_contact(const spring_job *job, const qdi_spot *spot, const qd_contact *contact,
                            grasp *grip) {
    const qd_world *world = job->world;
    uint32_t a = spot->row_a, b = spot->row_b;
    bool wall = b == QDI_NO_ROW;
    grip->nx = contact->normal.x;
    grip->ny = contact->normal.y;
    grip->a = twist_of_row(job, a);
    grip->b = wall ? twist_of_wall(job, contact->b) : twist_of_row(job, b);
    grip->slide = qdi_slide_of(world, a, b);
    grip->law = qdi_spring_law_of(world, job->loss, a, b);
    if (world->shape[a] != 0 || (!wall && world->shape[b] != 0)) {
        make_levers(job, spot, contact, grip);
        return;
    }
    grip->across_a[0] = grip->across_b[0] = 0;
    grip->along_a[0] = world->radius[a];
    grip->along_b[0] = wall ? 0 : -world->radius[b];
}

/// Friction at a touch: the force on a along the tangent, and the shear that remains, from the one there
/// was. As long as the surfaces stick the spring loses nothing; where they slide, all is lost that does not
/// stay in it.
static double friction_of(const grasp *grip, double dt, double slip, double limit, double *shear,
                          double *lost) {
    const qd_spring_terms *terms = &grip->law.terms;
    double first = *shear, before = first + slip * dt, damping = grip->law.mass * terms->gammat * slip;
    double force = -(terms->kt * before + damping), most = fabs(limit);
    *shear = before;
    *lost = damping * slip * dt;
    if (!(fabs(force) > most)) return force;
    *lost = 0;
    if (before == 0) return 0; // nothing has been stretched that could be set back
    double part = most / fabs(force);
    *shear = terms->kt > 0 ? part * (before + damping / terms->kt) - damping / terms->kt : 0;
    force *= part;
    *lost = -force * slip * dt + 0.5 * terms->kt * (first * first - *shear * *shear);
    return force;
}

/// One touch: adds to the force; the shear comes in as it was.
static void add_touch_force(const spring_job *job, const grasp *grip, int k, qd_touch *touch,
                            qdi_warm_start *shear, qdi_contact_force *force, qdi_contact_balance *share) {
    const qd_spring_terms *terms = &grip->law.terms;
    double nx = grip->nx, ny = grip->ny, dt = job->dt;
    double ux = grip->a.x - grip->b.x, uy = grip->a.y - grip->b.y;
    double approach = ux * nx + uy * ny + grip->a.spin * grip->across_a[k] - grip->b.spin * grip->across_b[k];
    double spring = terms->kn * touch->depth;
    double push = spring + grip->law.mass * terms->gamman * approach;
    if (job->world->def.spring.limit_damping && push < 0) push = 0;
    double friction = 0, stretch = 0, lost = 0;
    if (grip->law.friction > 0) {
        double slip = uy * nx - ux * ny + grip->a.spin * grip->along_a[k] - grip->b.spin * grip->along_b[k] +
                      grip->slide;
        stretch = shear->tangent[k] * nx - shear->normal[k] * ny;
        friction = friction_of(grip, dt, slip, grip->law.friction * push, &stretch, &lost);
    }
    shear->normal[k] = -stretch * ny;
    shear->tangent[k] = stretch * nx;
    double fx = -push * nx - friction * ny, fy = -push * ny + friction * nx;
    force->x += fx;
    force->y += fy;
    force->turn_a += friction * grip->along_a[k] - push * grip->across_a[k];
    force->turn_b += push * grip->across_b[k] - friction * grip->along_b[k];
    if (!share) return;
    touch->impulse = push * dt;
    touch->friction = -friction * dt;
    share->lane[QDI_LOST_NORMAL] += (push - spring) * approach * dt;
    share->lane[QDI_LOST_FRICTION] += lost;
    share->lane[QDI_WORK] -= friction * grip->slide * dt;
    if (grip->law.free)
        share->lane[QDI_VIRIAL] += (push * (grip->along_a[k] - grip->along_b[k] - touch->depth) -
                                    friction * (grip->across_b[k] - grip->across_a[k])) *
                                   dt;
}

/// Work of the one that does not move freely.
static double work_of(const spring_job *job, uint32_t a, const grasp *grip, const qdi_contact_force *force) {
    if (job->world->kind[a] == QD_BODY_DYNAMIC)
        return (force->x * grip->b.x + force->y * grip->b.y - force->turn_b * grip->b.spin) * job->dt;
    return -(force->x * grip->a.x + force->y * grip->a.y + force->turn_a * grip->a.spin) * job->dt;
}

// Makes the spring's force of one contact.
static void force_contact(const spring_job *job, size_t place) {
    const qdi_spot *spot = &job->state->spots[place];
    uint32_t i = spot->contact;
    qd_contact *contact = &job->state->contacts[i];
    qdi_warm_start *shear = &job->state->warm_starts[i];
    qdi_contact_force *force = &job->world->scratch.spot_forces[place];
    qdi_contact_balance *share = job->shares ? &job->shares[i] : NULL;
    *force = (qdi_contact_force){0, 0, 0, 0};
    if (share) *share = (qdi_contact_balance){{0}};
    const bool acts = !contact->sensor;
    grasp grip = {.law = {.friction = 0}};
    if (acts) grip_of_contact(job, spot, contact, &grip);
    for (int k = 0; k < 2; ++k) {
        if (share) contact->touch[k].impulse = contact->touch[k].friction = 0;
        if (acts && k < contact->count && contact->touch[k].depth > 0)
            add_touch_force(job, &grip, k, &contact->touch[k], shear, force, share);
        else
            shear->normal[k] = shear->tangent[k] = 0;
    }
    if (share && acts && !grip.law.free && spot->row_b != QDI_NO_ROW)
        share->lane[QDI_WORK] += work_of(job, spot->row_a, &grip, force);
    job->state->forces[i] = *force;
}

/// Contacts lie in order of (a, b), which is any order here: what is needed soon is asked for ahead.
enum { AHEAD = 6 };
// Prefetches a contact that comes later in the loop over spring forces.
static inline void prefetch_contact(const qdi_contact_state *state, uint32_t i) {
    const char *contact = (const char *)&state->contacts[i];
    for (size_t at = 0; at < sizeof(qd_contact); at += 64) __builtin_prefetch(contact + at, 1);
    __builtin_prefetch(&state->warm_starts[i], 1);
    __builtin_prefetch(&state->forces[i], 1);
}

// Makes the spring forces of a range of contacts.
static void force_contacts(void *context, size_t begin, size_t end) {
    const spring_job *job = context;
    const qdi_spot *spots = job->state->spots;
    for (size_t s = begin; s < end; ++s) {
        if (s + AHEAD < end) prefetch_contact(job->state, spots[s + AHEAD].contact);
        force_contact(job, s);
    }
}

qd_status qdi_spring_forces(qd_world *world, const qdi_motion *m, double dt, qdi_contact_state *state) {
    size_t count = state->contact_count;
    qd_status status = qdi_reserve(world->allocator, &state->forces, &state->force_room, 0, count,
                                   sizeof *state->forces);
    if (status == QD_OK)
        status = qdi_reserve(world->allocator, &world->scratch.spot_forces, &world->scratch.spot_force_room,
                             0, count, sizeof *world->scratch.spot_forces);
    if (status == QD_OK && dt > 0) status = qdi_balance_begin(world, count + world->present.contact_count);
    if (status != QD_OK) return status;
    double half = 0.5 * dt;
    spring_job job = {.world = world,
                      .m = m,
                      .state = state,
                      .dt = dt,
                      .loss = qdi_spring_loss(world->def.restitution),
                      .half_kick = {world->def.gravity.x * half, world->def.gravity.y * half},
                      .shares = dt > 0 ? world->scratch.balance.contact_balances : NULL};
    qdi_team_for(world->team, count, QDI_TOUCH_GRAIN, force_contacts, &job);
    return qdi_spring_walls(world, state, dt);
}
