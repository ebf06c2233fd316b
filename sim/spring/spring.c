// Forces of springs and dashpots, contact by contact. Contacts are worked on as their spots lie, so that what
// is read of the bodies is in the cache; a contact writes its own shear, force, impulses and contact_balance,
// and nothing is shared.

#include "sim/spring/spring.h"

#include "sim/spring/spring_force.h"
#include "sim/world/contact_state.h"
#include "sim/world/energy_balance.h"
#include "sim/world/energy_balance_state.h"
#include "sim/world/grain.h"
#include "sim/world/pose.h"
#include "sim/world/spring_terms.h"
#include "sim/world/world_impl.h"

#include <math.h>

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
static qdi_twist twist_of_row(const qdi_spring_job *job, uint32_t row) {
    const qd_world *world = job->world;
    const qdi_motion *m = job->m;
    qdi_twist twist = {m->vx[row], m->vy[row], world->turning ? m->spin[row] : 0};
    if (world->kind[row] != QD_BODY_DYNAMIC) return twist;
    twist.x -= job->half_kick.x;
    twist.y -= job->half_kick.y;
    return twist;
}

// Velocity of a moving wall in a spring contact.
static qdi_twist twist_of_wall(const qdi_spring_job *job, qd_id wall) {
    const qd_world *world = job->world;
    const qd_vec2 *speed = job->dt > 0 ? world->wall_mean : world->wall_speed;
    qd_vec2 v = speed[wall.index - (uint32_t)QD_WALL_LEFT];
    return (qdi_twist){v.x, v.y, 0};
}

/// Springs: levers of shapes, to their own surfaces.
static void make_levers(const qdi_spring_job *job, const qdi_spot *spot, const qd_contact *contact,
                        grasp *grip) {
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
static void grip_of_contact(const qdi_spring_job *job, const qdi_spot *spot, const qd_contact *contact,
                            grasp *grip) {
    const qd_world *world = job->world;
    uint32_t a = spot->row_a, b = spot->row_b;
    bool wall = b == QDI_NO_ROW;
    grip->nx = contact->normal.x;
    grip->ny = contact->normal.y;
    grip->a = twist_of_row(job, a);
    grip->b = wall ? twist_of_wall(job, contact->b) : twist_of_row(job, b);
    grip->slide = qdi_slide_of(world, a, b);
    grip->law = qdi_spring_law_of(world, a, b);
    if (world->shape[a] != 0 || (!wall && world->shape[b] != 0)) {
        make_levers(job, spot, contact, grip);
        return;
    }
    grip->across_a[0] = grip->across_b[0] = 0;
    grip->along_a[0] = world->radius[a];
    grip->along_b[0] = wall ? 0 : -world->radius[b];
}

/// A spring and a dashpot of which the force has a limit.
typedef struct slider {
    double stiffness, damping, limit;
} slider;

/// Springs: friction at a touch, or what resists rolling: the force on a along the tangent, and the shear
/// that remains, from the one there was. As long as the surfaces stick the spring loses nothing; where they
/// slide, all is lost that does not stay in it.
static double friction_of(const slider *at, double dt, double slip, double *shear, double *lost) {
    double first = *shear, before = first + slip * dt, damping = at->damping * slip;
    double force = -(at->stiffness * before + damping), most = fabs(at->limit);
    *shear = before;
    *lost = damping * slip * dt;
    if (!(fabs(force) > most)) return force;
    *lost = 0;
    if (before == 0) return 0; // nothing has been stretched that could be set back
    double part = most / fabs(force);
    *shear = at->stiffness > 0 ? part * (before + damping / at->stiffness) - damping / at->stiffness : 0;
    force *= part;
    *lost = -force * slip * dt + 0.5 * at->stiffness * (first * first - *shear * *shear);
    return force;
}

/// Springs: one touch: adds to the force; the shear comes in as it was. Returns the force along the normal.
static double add_touch_force(const qdi_spring_job *job, const grasp *grip, int k, qd_touch *touch,
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
        const slider surface = {terms->kt, grip->law.mass * terms->gammat, grip->law.friction * push};
        friction = friction_of(&surface, dt, slip, &stretch, &lost);
    }
    shear->normal[k] = -stretch * ny;
    shear->tangent[k] = stretch * nx;
    double fx = -push * nx - friction * ny, fy = -push * ny + friction * nx;
    force->x += fx;
    force->y += fy;
    force->turn_a += friction * grip->along_a[k] - push * grip->across_a[k];
    force->turn_b += push * grip->across_b[k] - friction * grip->along_b[k];
    if (!share) return push;
    touch->impulse = push * dt;
    touch->friction = -friction * dt;
    share->lane[QDI_LOST_NORMAL] += (push - spring) * approach * dt;
    share->lane[QDI_LOST_FRICTION] += lost;
    share->lane[QDI_WORK] -= friction * grip->slide * dt;
    if (grip->law.free)
        share->lane[QDI_VIRIAL] += (push * (grip->along_a[k] - grip->along_b[k] - touch->depth) -
                                    friction * (grip->across_b[k] - grip->across_a[k])) *
                                   dt;
    return push;
}

/// Springs: torques against rolling, within what the force along the normal allows.
static void add_rolling(const qdi_spring_job *job, const grasp *grip, double push, double *roll,
                        qdi_contact_force *force, qdi_contact_balance *share) {
    const qd_spring *spring = &job->world->def.spring;
    const qd_spring_terms *terms = &grip->law.terms;
    const slider rolling = {qdi_rolling_stiffness(spring, terms),
                            grip->law.mass * qdi_rolling_damping(spring, terms), spring->rolling * push};
    double lost, speed = grip->law.radius * (grip->a.spin - grip->b.spin);
    const double turn = grip->law.radius * friction_of(&rolling, job->dt, speed, roll, &lost);
    force->turn_a += turn;
    force->turn_b -= turn;
    if (share) share->lane[QDI_LOST_FRICTION] += lost;
}

/// Springs: the pull of a touch that is within range.
static void add_adhesion(const qdi_spring_job *job, const grasp *grip, int k, qd_touch *touch,
                         qdi_contact_force *force, qdi_contact_balance *share) {
    const double pull = job->world->def.spring.adhesion;
    force->x += pull * grip->nx;
    force->y += pull * grip->ny;
    force->turn_a += pull * grip->across_a[k];
    force->turn_b -= pull * grip->across_b[k];
    if (!share) return;
    touch->impulse -= pull * job->dt;
    if (grip->law.free)
        share->lane[QDI_VIRIAL] -= pull * (grip->along_a[k] - grip->along_b[k] - touch->depth) * job->dt;
}

/// Springs: the only touch of a contact of grains. Its shear is that of `normal[0]` and `tangent[0]`;
/// `normal[1]` is how far it has rolled, and `tangent[1]` how wide it was, by which springs get stiffer with
/// the law of Hertz: what that does to the energy that is in them is friction's.
static void add_grain_force(const qdi_spring_job *job, const qdi_spot *spot, grasp *grip, qd_touch *touch,
                            qdi_warm_start *shear, qdi_contact_force *force, qdi_contact_balance *share) {
    const qd_spring *spring = &job->world->def.spring;
    const double wide = shear->tangent[1], x = shear->normal[0], y = shear->tangent[0];
    double roll = shear->normal[1];
    const double width = qdi_spring_law_at(job->world, spot->row_a, spot->row_b, touch->depth, &grip->law);
    if (share && spring->law == QD_SPRING_HERTZ) {
        const double grown = 0.5 * (wide / width - 1) * grip->law.terms.kt;
        const double stretch = y * grip->nx - x * grip->ny;
        share->lane[QDI_LOST_FRICTION] += grown * stretch * stretch;
        if (isnan(spring->kr)) share->lane[QDI_LOST_FRICTION] += grown * roll * roll;
    }
    const double push = add_touch_force(job, grip, 0, touch, shear, force, share);
    if (spring->rolling > 0) add_rolling(job, grip, push, &roll, force, share);
    shear->normal[1] = roll;
    shear->tangent[1] = width;
}

/// Springs: work of the one that does not move freely.
static double work_of(const qdi_spring_job *job, uint32_t a, const grasp *grip,
                      const qdi_contact_force *force) {
    if (job->world->kind[a] == QD_BODY_DYNAMIC)
        return (force->x * grip->b.x + force->y * grip->b.y - force->turn_b * grip->b.spin) * job->dt;
    return -(force->x * grip->a.x + force->y * grip->a.y + force->turn_a * grip->a.spin) * job->dt;
}

// Makes the force of a contact, from its shear.
static void force_contact(const qdi_spring_job *job, const qdi_spot *spot, qd_contact *contact,
                          qdi_warm_start *shear, qdi_contact_force *force, qdi_contact_balance *share) {
    *force = (qdi_contact_force){0, 0, 0, 0};
    if (share) *share = (qdi_contact_balance){{0}};
    const bool acts = !contact->sensor;
    const qd_spring *spring = &job->world->def.spring;
    grasp grip = {.law = {.friction = 0}};
    if (acts) grip_of_contact(job, spot, contact, &grip);
    for (int k = 0; k < 2; ++k) {
        if (share) contact->touch[k].impulse = contact->touch[k].friction = 0;
        const bool meets = acts && k < contact->count;
        qd_touch *touch = &contact->touch[k];
        if (meets && touch->depth > 0 && job->grains)
            add_grain_force(job, spot, &grip, touch, shear, force, share);
        else if (meets && touch->depth > 0)
            (void)add_touch_force(job, &grip, k, touch, shear, force, share);
        else if (!job->grains)
            shear->normal[k] = shear->tangent[k] = 0;
        else if (k == 0) // it has no second touch
            *shear = (qdi_warm_start){{0, 0}, {0, 0}};
        if (meets && spring->adhesion > 0 && touch->depth > -spring->range)
            add_adhesion(job, &grip, k, touch, force, share);
    }
    if (share && acts && !grip.law.free && spot->row_b != QDI_NO_ROW)
        share->lane[QDI_WORK] += work_of(job, spot->row_a, &grip, force);
}

void qdi_spring_force_met(const qdi_spring_job *job, size_t place, qd_contact *contact) {
    const qdi_contact_state *state = job->state;
    const qdi_meeting rows = qdi_rows_at(state, place);
    const qdi_spot spot = {.row_a = rows.a, .row_b = rows.b};
    force_contact(job, &spot, contact, &state->warm_starts[place], &state->forces[place],
                  &job->shares[place]);
    state->disks[place] = (qdi_disk_contact){.approach = contact->approach,
                                             .impulse = contact->touch[0].impulse,
                                             .friction = contact->touch[0].friction};
}

// Makes the force of the contact at a place among the spots, from its shear in the warm starts.
static void force_spot(const qdi_spring_job *job, size_t place) {
    const qdi_spot *spot = &job->state->spots[place];
    const uint32_t i = job->state->number[place];
    qd_contact *contact = &job->state->contacts[i];
    qdi_contact_force *force = &job->world->scratch.spot_forces[place];
    force_contact(job, spot, contact, &job->state->warm_starts[place], force,
                  job->shares ? &job->shares[i] : NULL);
    job->state->forces[i] = *force;
    const qd_touch *touch = contact->touch; // a search without a step takes over from the parts
    job->state->given[place] = (qdi_given){{touch[0].impulse, touch[1].impulse},
                                           {touch[0].friction, touch[1].friction}};
}

bool qdi_spring_simple(const qd_world *world) {
    const qd_spring *spring = &world->def.spring;
    return !qdi_spring_grains(spring) && spring->adhesion == 0;
}

/// Contacts lie in order of (a, b), which is any order here: what is needed soon is asked for ahead.
enum { AHEAD = 6 };
// Prefetches a contact that comes later in the loop over spring forces.
static inline void prefetch_contact(const qdi_contact_state *state, uint32_t i) {
    const char *contact = (const char *)&state->contacts[i];
    for (size_t at = 0; at < sizeof(qd_contact); at += 64) __builtin_prefetch(contact + at, 1);
    __builtin_prefetch(&state->forces[i], 1);
}

// Makes the spring forces of a range of contacts.
static void force_contacts(void *context, size_t begin, size_t end) {
    const qdi_spring_job *job = context;
    const uint32_t *number = job->state->number;
    for (size_t s = begin; s < end; ++s) {
        if (s + AHEAD < end) prefetch_contact(job->state, number[s + AHEAD]);
        force_spot(job, s);
    }
}

qd_status qdi_spring_prepare(qd_world *world, const qdi_motion *m, double dt, qdi_contact_state *state,
                             size_t count, qdi_spring_job *job) {
    qd_status status = qdi_reserve(world->allocator, &state->forces, &state->force_room, 0, count,
                                   sizeof *state->forces);
    if (status == QD_OK && !state->met)
        status = qdi_reserve(world->allocator, &world->scratch.spot_forces, &world->scratch.spot_force_room,
                             0, count, sizeof *world->scratch.spot_forces);
    if (status == QD_OK && dt > 0) status = qdi_balance_begin(world, count + world->present.contact_count);
    const double half = 0.5 * dt;
    *job = (qdi_spring_job){.world = world,
                            .m = m,
                            .state = state,
                            .dt = dt,
                            .grains = qdi_spring_grains(&world->def.spring),
                            .half_kick = {world->def.gravity.x * half, world->def.gravity.y * half},
                            .shares = dt > 0 ? world->scratch.balance.contact_balances : NULL};
    return status;
}

qd_status qdi_spring_forces(qd_world *world, const qdi_motion *m, double dt, qdi_contact_state *state) {
    const size_t count = qdi_constraint_count(state);
    qdi_spring_job job;
    qd_status status = qdi_spring_prepare(world, m, dt, state, count, &job);
    if (status != QD_OK) return status;
    qdi_team_for(world->team, count, QDI_CONTACT_GRAIN, force_contacts, &job);
    return qdi_spring_walls(world, state, dt, false);
}
