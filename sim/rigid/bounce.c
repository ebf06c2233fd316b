// What approaches faster than the threshold bounces: colour after colour, sweep after sweep, until nothing
// does any more or the sweeps are used up. Each bounce is a collision of two bodies by Newton's restitution
// and Coulomb's friction:
//
//   normal      Jn = (1 + e) u_n / k_n            u: velocity of a's point as seen from b's, before
//   tangential  Jt = (1 + bt) u_t / k_t, at most mu Jn      u_t: after the normal impulse
//
// k is what a unit of impulse changes of u: 1/mA + 1/mB + arm^2/IA + arm^2/IB. The friction never turns the
// energy's balance: it is worked out from what the normal impulse left (Kane's paradox comes from taking both
// at once).
//
// Two touches that both approach are solved together, so that a box that lands flat does not start to turn;
// where one of them would have to pull, the faster one bounces alone and the next sweep sees to the other. A
// collision goes through touching bodies pair after pair: three in contact give other velocities than a
// simultaneous solution would, but momentum, angular momentum and (with e = 1, mu = 0) energy are kept to
// rounding.
//
// Sweeps look only where something has changed. Visits of colours are numbered from 1, and `dirty` says of
// each body which visit changed its velocity last: a constraint whose bodies have been left alone since its
// own last visit would not bounce now, as it did not then. Before the first visit, bodies are dirty (1)
// that approach one another fast enough.
//
// Shared between ranges of a colour: nothing that is written, see rigid/rigid.c (bodies that nothing moves
// are never dirty). The counts of bounces are per range.

#include "sim/rigid/bounce.h"

#include "sim/rigid/constraint.h"
#include "sim/world/energy_balance.h"
#include "sim/world/energy_balance_state.h"
#include "sim/world/grain.h"
#include "sim/world/scratch.h"
#include "sim/world/stop.h"
#include "sim/world/world_impl.h"

typedef struct bounce_job {
    const qd_world *world;
    qdi_motion motion;     ///< whose velocities are changed
    uint32_t visit, since; ///< number of this visit, and of the last one of the same constraints, or 1
    size_t first;          ///< constraint of the colour in work
    size_t *bounced;       ///< per range
} bounce_job;

/// Gives `push` along the normal and `tangent` along the tangent at levers to a constraint's bodies.
typedef struct impulse_pair {
    double push, tangent_impulse;
    double turn_a, turn_b; ///< angular impulse on a (taken away) and on b
} impulse_pair;

/// Gives the bodies of a contact the impulses of a bounce.
static void give(const qdi_constraint *constraint, const qdi_motion *m, const impulse_pair *given) {
    double x = given->push * constraint->nx - given->tangent_impulse * constraint->ny;
    double y = given->push * constraint->ny + given->tangent_impulse * constraint->nx;
    if (constraint->moves_a) {
        m->vx[constraint->row_a] -= x * constraint->inverse_a;
        m->vy[constraint->row_a] -= y * constraint->inverse_a;
        m->spin[constraint->row_a] -= given->turn_a * constraint->rest->turn_a;
    }
    if (constraint->moves_b) {
        m->vx[constraint->row_b] += x * constraint->inverse_b;
        m->vy[constraint->row_b] += y * constraint->inverse_b;
        m->spin[constraint->row_b] += given->turn_b * constraint->rest->turn_b;
    }
}

/// Neither friction nor levers: disks that do not turn.
static bool bounce_plain(const bounce_job *job, qdi_constraint *constraint,
                         qdi_contact_balance *contact_balance) {
    const qdi_motion *m = &job->motion;
    uint32_t a = constraint->row_a, b = constraint->row_b;
    double approach = qdi_constraint_approach(constraint, m, 0);
    if (!(approach > constraint->threshold) || constraint->depth[0] < -qdi_bounce_gap(constraint))
        return false;
    double impulse = (1 + constraint->restitution) * approach /
                     (constraint->inverse_a + constraint->inverse_b);
    constraint->impulse[0] += impulse;
    contact_balance->lane[QDI_LOST_NORMAL] += 0.5 * (1 - constraint->restitution) * approach * impulse;
    if (constraint->moves_a) {
        m->vx[a] -= impulse * constraint->inverse_a * constraint->nx;
        m->vy[a] -= impulse * constraint->inverse_a * constraint->ny;
    }
    if (constraint->moves_b) {
        m->vx[b] += impulse * constraint->inverse_b * constraint->nx;
        m->vy[b] += impulse * constraint->inverse_b * constraint->ny;
    }
    return true;
}

/// What a unit of normal impulse at touch p changes of the approach at touch q.
static double stiffness(const qdi_constraint *constraint, int p, int q) {
    return constraint->inverse_a + constraint->inverse_b +
           constraint->rest->across_a[p] * constraint->rest->across_a[q] * constraint->rest->turn_a +
           constraint->rest->across_b[p] * constraint->rest->across_b[q] * constraint->rest->turn_b;
}

/// The impulses that turn round both approaches, or false where they would pull.
static bool solve_both(const qdi_constraint *constraint, const double approach[2], double push[2]) {
    double k11 = stiffness(constraint, 0, 0), k22 = stiffness(constraint, 1, 1),
           k12 = stiffness(constraint, 0, 1);
    double determinant = k11 * k22 - k12 * k12, factor = 1 + constraint->restitution;
    if (!(determinant > 1e-9 * k11 * k22)) return false;
    push[0] = factor * (k22 * approach[0] - k12 * approach[1]) / determinant;
    push[1] = factor * (k11 * approach[1] - k12 * approach[0]) / determinant;
    return push[0] >= 0 && push[1] >= 0;
}

/// The tangential impulse of a constraint whose touches were pushed: one for both, at the lever that their
/// pushes add up to.
static void bounce_tangent(const bounce_job *job, qdi_constraint *constraint, const double push[2],
                           qdi_contact_balance *contact_balance) {
    const qdi_motion *m = &job->motion;
    double total = push[0] + push[1];
    if (constraint->rest->friction == 0 || !(total > 0)) return;
    double part[2] = {push[0] / total, push[1] / total};
    double along_a = part[0] * constraint->rest->along_a[0] + part[1] * constraint->rest->along_a[1];
    double along_b = part[0] * constraint->rest->along_b[0] + part[1] * constraint->rest->along_b[1];
    uint32_t a = constraint->row_a, b = constraint->row_b;
    bool wall = b == QDI_NO_ROW;
    double ux = m->vx[a] - (wall ? constraint->rest->wx : m->vx[b]),
           uy = m->vy[a] - (wall ? constraint->rest->wy : m->vy[b]);
    double slip = uy * constraint->nx - ux * constraint->ny + m->spin[a] * along_a -
                  (wall ? 0 : m->spin[b] * along_b) + constraint->rest->slide;
    double k = constraint->inverse_a + constraint->inverse_b + along_a * along_a * constraint->rest->turn_a +
               along_b * along_b * constraint->rest->turn_b;
    double impulse = (1 + constraint->rest->tangential) * slip / k, most = constraint->rest->friction * total;
    if (impulse > most) impulse = most;
    if (impulse < -most) impulse = -most;
    contact_balance->lane[QDI_LOST_FRICTION] += impulse * (slip - 0.5 * k * impulse);
    give(constraint, m, &(impulse_pair){0, impulse, along_a * impulse, along_b * impulse});
    for (int i = 0; i < 2; ++i) constraint->tangent_impulse[i] += part[i] * impulse;
}

/// A bounce of any two bodies, with levers and friction.
static bool bounce_any(const bounce_job *job, qdi_constraint *constraint,
                       qdi_contact_balance *contact_balance) {
    double approach[2] = {0, 0}, push[2] = {0, 0};
    int approaching = 0, fastest = 0;
    const int touches = constraint->count > 1 ? 2 : 1;
    for (int k = 0; k < touches; ++k) {
        approach[k] = constraint->depth[k] >= -qdi_bounce_gap(constraint)
                          ? qdi_constraint_approach(constraint, &job->motion, k)
                          : 0;
        approaching += approach[k] > 0;
        if (approach[k] > approach[fastest]) fastest = k;
    }
    if (!(approach[fastest] > constraint->threshold)) return false;
    if (approaching < 2 || !solve_both(constraint, approach, push)) {
        push[1 - fastest] = 0;
        push[fastest] = (1 + constraint->restitution) * approach[fastest] /
                        stiffness(constraint, fastest, fastest);
    }
    impulse_pair given = {.push = push[0] + push[1]};
    for (int k = 0; k < touches; ++k) {
        constraint->impulse[k] += push[k];
        contact_balance->lane[QDI_LOST_NORMAL] += 0.5 * (1 - constraint->restitution) * approach[k] * push[k];
        given.turn_a += constraint->rest->across_a[k] * push[k];
        given.turn_b += constraint->rest->across_b[k] * push[k];
    }
    give(constraint, &job->motion, &given);
    bounce_tangent(job, constraint, push, contact_balance);
    return true;
}

/// A bounce of the contact, by the shortest way that its bodies allow.
static bool bounce_now(const bounce_job *job, qdi_constraint *constraint,
                       qdi_contact_balance *contact_balance) {
    if (constraint->count == 0) return false;
    return constraint->plain ? bounce_plain(job, constraint, contact_balance)
                             : bounce_any(job, constraint, contact_balance);
}

/// A bounce of a contact, and what follows from it.
static bool bounce_and_mark(const bounce_job *job, size_t number) {
    const qdi_scratch *scratch = &job->world->scratch;
    qdi_constraint *constraint = &scratch->constraints[number];
    qdi_contact_balance *contact_balance = &scratch->balance.contact_balances[constraint->place];
    if (!bounce_now(job, constraint, contact_balance)) return false;
    qdi_balance_given(job->world, constraint, contact_balance);
    qdi_bounce_mark(job->world, constraint, job->visit);
    return true;
}

/// A bounce of a contact that somebody has changed since it was last looked at.
static inline bool bounce(const bounce_job *job, size_t number) {
    const qdi_link *link = &job->world->scratch.coloured[number];
    return (qdi_is_dirty(job->world, link->row_a, job->since) ||
            qdi_is_dirty(job->world, link->row_b, job->since)) &&
           bounce_and_mark(job, number);
}

bool qdi_constraint_bounce(qdi_constraint *constraint, const qdi_motion *motion, double threshold,
                           qdi_contact_balance *contact_balance) {
    bounce_job job = {.motion = *motion};
    constraint->threshold = threshold;
    return bounce_now(&job, constraint, contact_balance);
}

/// Lets a range of a colour's contacts bounce.
static void sweep_range(void *context, size_t begin, size_t end) {
    const bounce_job *job = context;
    size_t bounced = 0;
    for (size_t i = begin; i < end; ++i) bounced += bounce(job, job->first + i);
    job->bounced[begin / QDI_CONTACT_GRAIN] = bounced;
}

/// All colours once; true where some contact bounced.
static bool sweep(qd_world *world, bounce_job *job, const qdi_colours *colours) {
    size_t bounced = 0;
    for (size_t c = 0; c < colours->count; ++c) {
        size_t count = colours->start[c + 1] - colours->start[c];
        job->first = colours->start[c];
        job->visit += 1;
        job->since = job->visit > colours->count ? job->visit - (uint32_t)colours->count : 1;
        if (c + 1 == colours->count && colours->last_is_serial) {
            for (size_t i = 0; i < count; ++i) bounced += bounce(job, job->first + i);
            continue;
        }
        qdi_team_for(world->team, count, QDI_CONTACT_GRAIN, sweep_range, job);
        bounced += qdi_exclusive_scan(job->bounced, qdi_range_count(count, QDI_CONTACT_GRAIN));
    }
    return bounced > 0;
}

qd_status qdi_bounce(qd_world *world, const qdi_colours *colours) {
    const size_t ranges = qdi_range_count(colours->start[colours->count], QDI_CONTACT_GRAIN);
    bounce_job job = {.world = world, .motion = world->next};
    job.bounced = qdi_arena_take(&world->scratch.arena, ranges, sizeof *job.bounced);
    if (!job.bounced) return QD_ERR_MEMORY;
    for (int k = 0; k < world->def.iterations; ++k)
        if (qdi_stopping(world) || !sweep(world, &job, colours)) break;
    return QD_OK;
}
