// The rigid, frictionless contact model: contacts that approach bounce with the restitution, one colour after
// the other, until none approaches or the sweeps are used up. Joints of a colour share no body, so a range
// reads and writes velocities that no other touches; results do not depend on the order inside a colour.
// Every bounce is an exact two-body collision: what one gets the other loses, and with restitution 1 the
// energy stays.

#include <quadrille/hash.h>

#include "sim/world_impl.h"

typedef struct impulse_job {
    qd_world *world;
    qdi_motion motion; ///< whose velocities are changed
    qdi_joint *joints;
    const uint32_t *order; ///< of the colour in work
    size_t *bounced;       ///< per range
} impulse_job;

static void make_joints(void *context, size_t begin, size_t end, int worker) {
    (void)worker;
    const impulse_job *job = context;
    const qd_world *world = job->world;
    double factor = 1 + world->def.restitution;
    for (size_t i = begin; i < end; ++i) {
        const qd_contact *contact = &world->present.contacts[i];
        bool wall = qd_id_is_wall(contact->b);
        uint32_t a = world->row_of_index[contact->a.index];
        uint32_t b = wall ? QDI_NO_ROW : world->row_of_index[contact->b.index];
        double mass_a = world->mass[a], mass_b = wall ? 0 : world->mass[b];
        double reduced = wall ? mass_a : mass_a * (mass_b / (mass_a + mass_b));
        uint64_t hash = qd_hash_mix(contact->a.index, contact->b.index);
        job->joints[i] = (qdi_joint){a,
                                     b,
                                     contact->normal.x,
                                     contact->normal.y,
                                     1 / mass_a,
                                     wall ? 0 : 1 / mass_b,
                                     factor * reduced,
                                     0,
                                     (uint32_t)(hash >> 32)};
    }
}

/// One collision (Newton's restitution, no friction); true where the two approached.
static bool bounce(const impulse_job *job, qdi_joint *joint) {
    const qdi_motion *m = &job->motion;
    uint32_t a = joint->row_a, b = joint->row_b;
    bool wall = b == QDI_NO_ROW;
    double ux = m->vx[a] - (wall ? 0 : m->vx[b]), uy = m->vy[a] - (wall ? 0 : m->vy[b]);
    double approach = ux * joint->nx + uy * joint->ny;
    if (!(approach > 0)) return false;
    double impulse = joint->share * approach;
    m->vx[a] -= impulse * joint->inverse_a * joint->nx;
    m->vy[a] -= impulse * joint->inverse_a * joint->ny;
    if (wall) {
        joint->impulse += impulse;
    } else {
        m->vx[b] += impulse * joint->inverse_b * joint->nx;
        m->vy[b] += impulse * joint->inverse_b * joint->ny;
    }
    return true;
}

static void sweep_range(void *context, size_t begin, size_t end, int worker) {
    (void)worker;
    const impulse_job *job = context;
    size_t bounced = 0;
    for (size_t i = begin; i < end; ++i) bounced += bounce(job, &job->joints[job->order[i]]);
    job->bounced[begin / QDI_CONTACT_GRAIN] = bounced;
}

/// All colours once; true where some contact bounced.
static bool sweep(impulse_job *job, const qdi_colours *colours) {
    const uint32_t *order = job->world->scratch.order;
    size_t bounced = 0;
    for (size_t c = 0; c < colours->count; ++c) {
        size_t count = colours->start[c + 1] - colours->start[c];
        job->order = order + colours->start[c];
        if (c + 1 == colours->count && colours->last_is_serial) {
            for (size_t i = 0; i < count; ++i) bounced += bounce(job, &job->joints[job->order[i]]);
            continue;
        }
        qdi_team_for(job->world->team, count, QDI_CONTACT_GRAIN, sweep_range, job);
        bounced += qdi_exclusive_scan(job->bounced, qdi_range_count(count, QDI_CONTACT_GRAIN));
    }
    return bounced > 0;
}

/// What the wall of joint i gave to its body.
static qd_vec2 wall_impulse(const void *context, size_t i) {
    const qdi_joint *joint = &((const qdi_joint *)context)[i];
    return (qd_vec2){-joint->impulse * joint->nx, -joint->impulse * joint->ny};
}

qd_status qdi_impulse(qd_world *world, qd_vec2 *walls) {
    qdi_scratch *scratch = &world->scratch;
    size_t count = world->present.contact_count;
    *walls = (qd_vec2){0, 0};
    if (count == 0) return QD_OK;
    qd_status status = qdi_reserve(world->allocator, &scratch->joints, &scratch->joint_room, 0, count,
                                   sizeof *scratch->joints);
    if (status != QD_OK) return status;
    impulse_job job = {.world = world, .motion = world->next, .joints = scratch->joints};
    qdi_team_for(world->team, count, QDI_CONTACT_GRAIN, make_joints, &job);
    qdi_colours colours;
    status = qdi_colour(world, count, &colours);
    if (status != QD_OK) return status;
    job.bounced = scratch->range_count;
    for (int k = 0; k < world->def.iterations; ++k)
        if (!sweep(&job, &colours)) break;
    return qdi_sum(world, count, wall_impulse, scratch->joints, walls);
}
