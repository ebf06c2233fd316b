// A cluster, event after event. Each edge knows its next impact; a tournament of the edges (a tree in an
// array: the winner of k is in place k, those of 2k and 2k + 1 have played for it) tells the earliest, of
// several at one time the first by (a, b). An impact gives both bodies new segments, and all edges of the two
// look for their next impact anew. An impact is the same collision as in rigid/bounce.c.

#include "sim/rigid/bounce.h"
#include "sim/rigid/ccd.h"
#include "sim/rigid/constraint.h"
#include "sim/world/energy_balance.h"
#include "sim/world/energy_balance_state.h"
#include "sim/world/reach.h"
#include "sim/world/scratch.h"
#include "sim/world/surface.h"
#include "sim/world/world_impl.h"

#include <math.h>

typedef struct solve_job {
    const qdi_step *step;
    qdi_ccd *ccd;
    qdi_cluster *cluster;
    const uint32_t *edges; ///< of the cluster
    uint32_t *winner;
} solve_job;

/// The edge at a place of the cluster.
static qdi_edge *edge_at(const solve_job *job, uint32_t place) {
    return &job->ccd->edges[job->edges[place]];
}

/// The trajectory at a place of the cluster.
static qdi_trajectory *trajectory_at(const solve_job *job, uint32_t place) {
    return &job->ccd->trajectories[job->ccd->by_cluster[job->cluster->first_trajectory + place]];
}

/// Ccd: of two edges, the one whose next impact is earlier.
static uint32_t earlier(const solve_job *job, uint32_t p, uint32_t q) {
    double a = edge_at(job, p)->time, b = edge_at(job, q)->time;
    if (a != b) return a < b ? p : q;
    return p < q ? p : q;
}

/// Plays the tournament of all edges of a cluster for the earliest impact.
static void play(const solve_job *job) {
    uint32_t count = job->cluster->edges;
    for (uint32_t k = 0; k < count; ++k) job->winner[count + k] = k;
    for (uint32_t k = count - 1; k > 0; --k)
        job->winner[k] = earlier(job, job->winner[2 * k], job->winner[2 * k + 1]);
}

/// Impacts of ccd: plays the matches of an edge anew, after its time has changed.
static void play_again(const solve_job *job, uint32_t place) {
    for (uint32_t k = (job->cluster->edges + place) / 2; k > 0; k /= 2)
        job->winner[k] = earlier(job, job->winner[2 * k], job->winner[2 * k + 1]);
}

/// Ccd: the edge with the earliest impact.
static qdi_edge *earliest(const solve_job *job) {
    return edge_at(job, job->winner[1]); // of one edge, 1 is its own place
}

/// Ccd: the last segment so far of an edge's body; of what nothing stops the one at a time.
static qdi_path_segment last_segment(const solve_job *job, uint32_t trajectory, uint32_t row, double time) {
    return trajectory == QDI_NONE_YET ? qdi_segment_at(job->step, row, time)
                                      : job->ccd->segments[job->ccd->trajectories[trajectory].last];
}

/// The next impact of two from a time on: one of them may go along chords. `spent` gets added what it takes.
static bool meet_ahead(const solve_job *job, qdi_edge *edge, double from, uint64_t *spent) {
    const qdi_step *step = job->step;
    const qd_vec2 shift = qdi_image_shift(step->world, edge->image);
    qdi_path_segment segment_a = last_segment(job, edge->trajectory_a, edge->row_a, from),
                     segment_b = last_segment(job, edge->trajectory_b, edge->row_b, from);
    for (;;) {
        const double end_a = qdi_segment_end(step, &segment_a), end_b = qdi_segment_end(step, &segment_b);
        const double until = end_a < end_b ? end_a : end_b;
        const qdi_party a = qdi_party_of(step, edge->row_a, &segment_a),
                        b = qdi_party_of(step, edge->row_b, &segment_b);
        const bool meet = qdi_segments_meet(step, &a, &b, shift, from, until, &edge->meeting);
        *spent += 1 + QDI_STEP_COST * edge->meeting.searched;
        if (meet) return true;
        if (!qdi_path_next(step, segment_a.parts ? &segment_a : &segment_b)) return false;
        from = until;
    }
}

/// The next impact of an edge from a time on; returns what looking for it takes.
static uint64_t look_ahead(const solve_job *job, qdi_edge *edge, double from) {
    const qdi_step *step = job->step;
    uint64_t spent = 0;
    bool meets;
    if (edge->wall >= 0) {
        const qdi_path_segment segment = last_segment(job, edge->trajectory_a, edge->row_a, from);
        const qdi_party a = qdi_party_of(step, edge->row_a, &segment);
        meets = qdi_segment_meets_wall(step, &a, edge->wall, from, step->dt, &edge->meeting);
        spent = 1 + QDI_STEP_COST * edge->meeting.searched;
    } else {
        meets = meet_ahead(job, edge, from, &spent);
    }
    edge->time = meets ? edge->meeting.time : (double)INFINITY;
    edge->pending = false;
    return spent;
}

/// True for an edge whose impacts are searched for.
static bool is_shaped(const solve_job *job, const qdi_edge *edge) {
    const uint32_t *shape = job->step->world->shape;
    return shape[edge->row_a] != 0 || (edge->wall < 0 && shape[edge->row_b] != 0);
}

/// Where an edge begins to be looked at from a time on: with when the circles about two meet, if it takes a
/// search to know more. Most are looked at again before they have come that near.
static uint64_t look_about(const solve_job *job, qdi_edge *edge, double from) {
    if (edge->wall >= 0 || !is_shaped(job, edge)) return look_ahead(job, edge, from);
    const qd_vec2 shift = qdi_image_shift(job->step->world, edge->image);
    const qdi_path_segment segment_a = last_segment(job, edge->trajectory_a, edge->row_a, from),
                           segment_b = last_segment(job, edge->trajectory_b, edge->row_b, from);
    if (segment_a.parts > 0 || segment_b.parts > 0) return look_ahead(job, edge, from);
    const qdi_party a = qdi_party_of(job->step, edge->row_a, &segment_a),
                    b = qdi_party_of(job->step, edge->row_b, &segment_b);
    edge->time = qdi_segments_near(&a, &b, shift, from, job->step->dt);
    edge->from = from;
    edge->pending = edge->time < (double)INFINITY;
    return 1;
}

/// The next impact of an edge where a round begins, from the step's beginning on: both go their first ways.
static uint64_t look_first(const solve_job *job, qdi_edge *edge) {
    if (edge->first_known) {
        edge->pending = false;
        edge->meeting = edge->first;
        edge->time = edge->first.time;
        return 0;
    }
    const uint64_t spent = look_ahead(job, edge, 0);
    edge->first = edge->meeting;
    edge->first.time = edge->time; // also where they do not meet
    edge->first_known = true;
    return spent;
}

/// Ccd: appends a segment to a body's path.
static void append(const solve_job *job, qdi_trajectory *trajectory, qdi_path_segment segment) {
    uint32_t place = job->cluster->next_segment++;
    if (trajectory->first == QDI_NONE_YET)
        trajectory->first = place;
    else
        job->ccd->segments[trajectory->last].next = place;
    segment.next = QDI_NONE_YET;
    job->ccd->segments[place] = segment;
    trajectory->last = place;
}

/// Impacts of ccd: what forces change of a body's velocity in a unit of time. What contacts hold up does not
/// fall: of a body at rest on others only that part counts which they have left; its path is more than its
/// velocity, where they push it out of an overlap.
static qdi_twist gain_of(const solve_job *job, uint32_t row, const qdi_path_segment *segment) {
    const qd_world *world = job->step->world;
    const qdi_motion *next = &world->next;
    const double dt = job->step->dt;
    const uint32_t slot = world->scratch.mover_count > 0 ? world->scratch.slot[row] : 0;
    if (!slot && !world->scratch.flown) return (qdi_twist){world->def.gravity.x, world->def.gravity.y, 0};
    if (!slot)
        return (qdi_twist){2 * (next->vx[row] - segment->vx) / dt, 2 * (next->vy[row] - segment->vy) / dt,
                           world->turning ? 2 * (next->spin[row] - segment->spin) / dt : 0};
    const qdi_twist forces = qdi_ccd_forces(job->step, row);
    const qdi_mean_twist *mean = &world->scratch.balance.means[slot];
    const double x = 2 * (next->vx[row] - mean->x), y = 2 * (next->vy[row] - mean->y);
    const double squared = forces.x * forces.x + forces.y * forces.y;
    double part = squared > 0 ? (x * forces.x + y * forces.y) / squared : 0;
    part = part < 0 ? 0 : (part > 1 ? 1 : part);
    return (qdi_twist){part * forces.x / dt, part * forces.y / dt, 0};
}

/// Impacts of ccd: begins the path of the body at a place of the cluster anew, where the step begins.
static void begin(const solve_job *job, uint32_t place) {
    const qd_world *world = job->step->world;
    qdi_trajectory *trajectory = trajectory_at(job, place);
    uint32_t row = trajectory->row;
    qdi_path_segment segment = qdi_segment_of_row(job->step, row);
    trajectory->first = trajectory->last = QDI_NONE_YET;
    trajectory->gain = gain_of(job, row, &segment);
    trajectory->velocity = (qdi_twist){
        world->next.vx[row] - trajectory->gain.x * job->step->dt,
        world->next.vy[row] - trajectory->gain.y * job->step->dt,
        world->turning ? world->next.spin[row] - trajectory->gain.spin * job->step->dt : 0};
    trajectory->given = 0;
    trajectory->walls = (qdi_wall_gain){{0, 0}, 0};
    trajectory->balance = (qdi_energy_balance){.drift = 0};
    trajectory->hit = false;
    append(job, trajectory, segment);
}

// ---- an impact ----

/// The contact constraint of a meeting on the way, and the rest of it.
static qdi_constraint constraint_of(const solve_job *job, const qdi_edge *edge, qdi_constraint_rest *rest) {
    const qd_world *world = job->step->world;
    const qdi_manifold *m = &edge->meeting.manifold;
    uint32_t a = edge->row_a, b = edge->row_b;
    bool wall = edge->wall >= 0, disk_a = world->shape[a] == 0, disk_b = wall || world->shape[b] == 0;
    qdi_constraint constraint = {.row_a = 0,
                                 .row_b = wall ? QDI_NO_ROW : 1,
                                 .count = (uint8_t)m->count,
                                 .moves_a = edge->trajectory_a != QDI_NONE_YET,
                                 .moves_b = edge->trajectory_b != QDI_NONE_YET,
                                 .nx = m->normal.x,
                                 .ny = m->normal.y,
                                 .inverse_a = 1 / world->mass[a],
                                 .inverse_b = wall ? 0 : 1 / world->mass[b],
                                 .rest = rest};
    const qd_material mixed = qdi_mixed_surface(world, qdi_surface_of_row(world, a),
                                                wall ? &world->walls : qdi_surface_of_row(world, b));
    constraint.restitution = mixed.restitution;
    *rest = (qdi_constraint_rest){.slide = qdi_slide_of(world, a, wall ? QDI_NO_ROW : b),
                                  .friction = mixed.friction,
                                  .tangential = mixed.tangential,
                                  .turn_a = 1 / world->inertia[a],
                                  .turn_b = wall ? 0 : 1 / world->inertia[b]};
    if (wall) {
        rest->wx = world->wall_mean[edge->wall].x;
        rest->wy = world->wall_mean[edge->wall].y;
    }
    constraint.plain = disk_a && disk_b && mixed.friction == 0;
    for (int k = 0; k < m->count; ++k)
        qdi_constraint_levers(&constraint, k, !disk_a, !disk_b, (qd_vec2){0, 0},
                              (qd_vec2){edge->meeting.b.x, edge->meeting.b.y}, m->at[k].point, -m->at[k].gap);
    return constraint;
}

/// Ccd: the velocity at a time on the last segment.
static qdi_twist velocity_at(const solve_job *job, uint32_t number, const qdi_path_segment *segment,
                             double time) {
    if (number == QDI_NONE_YET) return (qdi_twist){segment->vx, segment->vy, segment->spin};
    const qdi_trajectory *trajectory = &job->ccd->trajectories[number];
    const double gone = time - segment->start;
    return (qdi_twist){trajectory->velocity.x + trajectory->gain.x * gone,
                       trajectory->velocity.y + trajectory->gain.y * gone,
                       trajectory->velocity.spin + trajectory->gain.spin * gone};
}

/// The largest approach of a constraint's touches.
static double approach_of(const qdi_constraint *constraint, const qdi_twist velocity[2]) {
    double vx[2] = {velocity[0].x, velocity[1].x}, vy[2] = {velocity[0].y, velocity[1].y},
           spin[2] = {velocity[0].spin, velocity[1].spin}, most = -HUGE_VAL;
    const qdi_motion motion = {.vx = vx, .vy = vy, .spin = spin};
    for (int k = 0; k < constraint->count; ++k) {
        const double here = qdi_constraint_approach(constraint, &motion, k);
        if (here > most) most = here;
    }
    return most;
}

/// Impacts of ccd: the mean velocity until the step's end of somebody who has this one.
static qdi_twist onward(const solve_job *job, uint32_t number, qdi_twist velocity, double time) {
    if (number == QDI_NONE_YET) return velocity;
    const qdi_twist gain = job->ccd->trajectories[number].gain;
    const double half = 0.5 * (job->step->dt - time);
    return (qdi_twist){velocity.x + gain.x * half, velocity.y + gain.y * half,
                       velocity.spin + gain.spin * half};
}

/// Impacts of ccd: where forces would bring two into each other that have just met, they hold each other up
/// from then on.
static void hold_up(const solve_job *job, const qdi_edge *edge, const qdi_constraint *constraint,
                    const qdi_twist velocity[2]) {
    const uint32_t number[2] = {edge->trajectory_a, edge->trajectory_b};
    const qdi_twist mean[2] = {onward(job, number[0], velocity[0], edge->time),
                               onward(job, number[1], velocity[1], edge->time)};
    if (!(approach_of(constraint, mean) > 0)) return;
    for (int k = 0; k < 2; ++k) {
        if (number[k] == QDI_NONE_YET) continue;
        qdi_twist *gain = &job->ccd->trajectories[number[k]].gain;
        const double along = gain->x * constraint->nx + gain->y * constraint->ny;
        gain->spin = 0;
        if (!(k == 0 ? along > 0 : along < 0)) continue;
        gain->x -= along * constraint->nx;
        gain->y -= along * constraint->ny;
    }
}

/// True for a body that is on the path that the solver gave it, which may be more than its velocity.
static bool is_pushed(const solve_job *job, uint32_t number) {
    if (number == QDI_NONE_YET || job->ccd->trajectories[number].hit) return false;
    const qd_world *world = job->step->world;
    return world->scratch.mover_count > 0 && world->scratch.slot[job->ccd->trajectories[number].row] > 0;
}

/// Impacts of ccd: true where two meet only because one is pushed out of an overlap: that leaves no speed
/// behind, and is left to contacts.
static bool only_pushed(const solve_job *job, const qdi_edge *edge, const qdi_constraint *constraint,
                        const qdi_twist velocity[2]) {
    if (!is_pushed(job, edge->trajectory_a) && !is_pushed(job, edge->trajectory_b)) return false;
    const double approach = approach_of(constraint, velocity);
    if (approach > job->step->threshold) return false;
    const qdi_twist mean[2] = {onward(job, edge->trajectory_a, velocity[0], edge->time),
                               onward(job, edge->trajectory_b, velocity[1], edge->time)};
    const double left = job->step->dt - edge->time;
    return approach_of(constraint, mean) * left <=
           0.1 * qdi_smaller_inner(job->step->world, edge->row_a, edge->row_b);
}

/// Ccd: from an impact on a body has the velocity that it got there.
static void set_off(const solve_job *job, uint32_t number, double time, qdi_twist before,
                    qdi_twist velocity) {
    if (number == QDI_NONE_YET) return;
    const qd_world *world = job->step->world;
    qdi_trajectory *trajectory = &job->ccd->trajectories[number];
    const qdi_pose pose = qdi_segment_pose(&job->ccd->segments[trajectory->last], time);
    const qdi_twist mean = onward(job, number, velocity, time);
    const double inertia = world->inertia[trajectory->row];
    double given = world->mass[trajectory->row] * (velocity.x * velocity.x - before.x * before.x +
                                                   velocity.y * velocity.y - before.y * before.y);
    if (isfinite(inertia)) given += inertia * (velocity.spin * velocity.spin - before.spin * before.spin);
    trajectory->given += 0.5 * given;
    trajectory->velocity = velocity;
    trajectory->hit = true;
    append(job, trajectory,
           (qdi_path_segment){time, pose.x, pose.y, pose.c, pose.s, mean.x, mean.y, mean.spin,
                              .next = QDI_NONE_YET});
}

/// Ccd: the id of a body or a wall, for the report of an impact.
static qd_id id_of(const qd_world *world, uint32_t row) {
    return (qd_id){world->index[row], world->generation[row]};
}

/// Ccd: adds what an impact took and gave, along the normal and the tangent, to a balance; `m` has the
/// velocities of the two.
static void settle(const qdi_edge *edge, const qdi_constraint *constraint, const qdi_motion *m, double push,
                   double tangent, const qdi_contact_balance *contact_balance, qdi_energy_balance *balance) {
    int wall = edge->wall >= 0;
    balance->lost[wall][0] += contact_balance->lane[QDI_LOST_NORMAL];
    balance->lost[wall][1] += contact_balance->lane[QDI_LOST_FRICTION];
    if (wall) {
        balance->push[edge->wall] += push;
    } else if (constraint->moves_a && constraint->moves_b) {
        double bx = edge->meeting.b.x, by = edge->meeting.b.y; // from the centre of a
        balance->virial += push * (bx * constraint->nx + by * constraint->ny) +
                           tangent * (by * constraint->nx - bx * constraint->ny);
    } else {
        balance->kinematic += qdi_balance_work(constraint, m);
    }
}

/// Impacts of ccd: keeps what happened with the first dynamic body of the two.
static void note(const solve_job *job, const qdi_edge *edge, const qdi_path_segment *a, double approach,
                 const qdi_constraint *constraint, const qdi_motion *motion,
                 const qdi_contact_balance *contact_balance) {
    const qd_world *world = job->step->world;
    qdi_trajectory *trajectory =
        &job->ccd->trajectories[edge->trajectory_a != QDI_NONE_YET ? edge->trajectory_a : edge->trajectory_b];
    const qdi_manifold *m = &edge->meeting.manifold;
    qdi_pose at = qdi_segment_pose(a, edge->time);
    double push = constraint->impulse[0] + constraint->impulse[1],
           tangent = constraint->tangent_impulse[0] + constraint->tangent_impulse[1];
    settle(edge, constraint, motion, push, tangent, contact_balance, &trajectory->balance);
    job->ccd->segments[trajectory->last].impact = true;
    job->ccd->impacts[trajectory->last] = (qd_impact){
        .a = id_of(world, edge->row_a),
        .b = edge->wall >= 0 ? (qd_id){(uint32_t)QD_WALL_LEFT + (uint32_t)edge->wall, 0}
                             : id_of(world, edge->row_b),
        .time = edge->time,
        .point = {at.x + m->at[0].point.x, at.y + m->at[0].point.y},
        .normal = m->normal,
        .approach = approach,
        .impulse = push,
        .friction = tangent,
        .between = edge->wall < 0 && constraint->moves_a && constraint->moves_b
                       ? (qd_vec2){edge->meeting.b.x, edge->meeting.b.y}
                       : (qd_vec2){0, 0},
    };
    if (edge->wall < 0) return;
    qd_vec2 given = {-push * constraint->nx + tangent * constraint->ny,
                     -push * constraint->ny - tangent * constraint->nx};
    trajectory->walls.impulse.x += given.x;
    trajectory->walls.impulse.y += given.y;
    trajectory->walls.work += given.x * constraint->rest->wx + given.y * constraint->rest->wy;
}

/// Impacts of ccd: false where nothing comes of it.
static bool collide(const solve_job *job, qdi_edge *edge) {
    const double time = edge->time;
    const qdi_path_segment a = last_segment(job, edge->trajectory_a, edge->row_a, time);
    qdi_path_segment b = {0};
    if (edge->wall < 0) b = last_segment(job, edge->trajectory_b, edge->row_b, time);
    const qdi_twist before[2] = {velocity_at(job, edge->trajectory_a, &a, time),
                                 velocity_at(job, edge->trajectory_b, &b, time)};
    qdi_constraint_rest rest;
    qdi_constraint constraint = constraint_of(job, edge, &rest);
    if (only_pushed(job, edge, &constraint, before)) return false;
    double vx[2] = {before[0].x, before[1].x}, vy[2] = {before[0].y, before[1].y},
           spin[2] = {before[0].spin, before[1].spin};
    qdi_motion motion = {.vx = vx, .vy = vy, .spin = spin};
    qdi_contact_balance contact_balance = {{0}};
    const double approach = approach_of(&constraint, before);
    if (!qdi_constraint_bounce(&constraint, &motion, job->step->threshold, &contact_balance)) {
        constraint.restitution = 0; // too slow to bounce
        (void)qdi_constraint_bounce(&constraint, &motion, 0, &contact_balance);
    }
    const qdi_twist after[2] = {{vx[0], vy[0], spin[0]}, {vx[1], vy[1], spin[1]}};
    hold_up(job, edge, &constraint, after);
    set_off(job, edge->trajectory_a, time, before[0], after[0]);
    set_off(job, edge->trajectory_b, time, before[1], after[1]);
    if (approach > 0) note(job, edge, &a, approach, &constraint, &motion, &contact_balance);
    return true;
}

/// What a cluster may cost in all rounds.
static uint64_t allowed_for(const solve_job *job) {
    uint64_t shaped = 0;
    for (uint32_t k = 0; k < job->cluster->edges; ++k) shaped += is_shaped(job, edge_at(job, k));
    const uint64_t edges = job->cluster->edges, trajectories = job->cluster->trajectories;
    if (shaped > 0 && trajectories >= QDI_PILE_LEAST && 2 * edges > 3 * trajectories)
        return QDI_PILE_LOOKS(edges, shaped);
    return QDI_LOOKS(edges) + QDI_SEARCHES(shaped);
}

/// Impacts of ccd: all edges of a trajectory look for their next impact anew; returns what that takes.
static uint64_t look_around(const solve_job *job, uint32_t number, double time) {
    if (number == QDI_NONE_YET) return 0;
    const qdi_trajectory *trajectory = &job->ccd->trajectories[number];
    uint64_t cost = 0;
    for (uint32_t k = 0; k < trajectory->count; ++k) {
        qdi_edge *edge = &job->ccd->edges[job->ccd->incident[trajectory->edges + k]];
        cost += look_about(job, edge, time);
        play_again(job, edge->place);
    }
    return cost;
}

/// Impacts of ccd: all go on as if nothing had happened: what stops them is found otherwise.
static void give_up(const solve_job *job) {
    job->cluster->given_up = true;
    job->cluster->next_segment = job->cluster->first_segment;
    for (uint32_t k = 0; k < job->cluster->trajectories; ++k) {
        begin(job, k);
        ++job->cluster->next_segment; // for where it may be stopped
        trajectory_at(job, k)->given_up = true;
    }
}

/// Impacts of ccd: notes whose path is not their first one, before it is made anew.
static void note_strayed(const solve_job *job) {
    for (uint32_t k = 0; k < job->cluster->trajectories; ++k) {
        qdi_trajectory *trajectory = trajectory_at(job, k);
        trajectory->strayed = trajectory->strayed || trajectory->hit;
    }
}

/// What looks the trajectories of a cluster have cost so far.
static uint64_t spent_on(const solve_job *job) {
    uint64_t most = 0;
    for (uint32_t k = 0; k < job->cluster->trajectories; ++k)
        if (trajectory_at(job, k)->spent > most) most = trajectory_at(job, k)->spent;
    return most;
}

/// Impacts of ccd: true for an edge with what cannot move that would be passed: a push may turn a body
/// through it.
static bool passes(const solve_job *job, const qdi_edge *edge) {
    if (edge->trajectory_a != QDI_NONE_YET && edge->trajectory_b != QDI_NONE_YET) return false;
    return qdi_ccd_core_passes(job->step, edge->row_a, edge->row_b, edge->wall, edge->image);
}

/// Ccd: true where somebody passes through what cannot move on the path that it has in the end: after a
/// bounce it may turn about a corner, or be in something already.
static bool any_passes(const solve_job *job) {
    for (uint32_t k = 0; k < job->cluster->edges; ++k)
        if (passes(job, edge_at(job, k))) return true;
    return false;
}

/// Ccd: true where a path in a periodic world has become too long to be followed.
static bool any_too_long(const solve_job *job) {
    qd_box box;
    for (uint32_t k = 0; job->step->periodic && k < job->cluster->trajectories; ++k) {
        const qdi_trajectory *trajectory = trajectory_at(job, k);
        if (trajectory->hit && !qdi_path_box(job->step, trajectory->row, &box)) return true;
    }
    return false;
}

/// Ccd: impact after impact. False: they are too many, or somebody has to be stopped.
static bool follow(const solve_job *job, uint64_t *spent) {
    const uint64_t edges = job->cluster->edges, allowed = allowed_for(job);
    play(job);
    for (uint64_t impacts = 0;;) {
        qdi_edge *edge = earliest(job);
        if (edge->pending && *spent <= allowed) {
            *spent += look_ahead(job, edge, edge->from);
            play_again(job, edge->place);
            continue;
        }
        const double time = edge->time;
        if (!(time <= job->step->dt)) return !any_passes(job) && !any_too_long(job);
        if (impacts++ == QDI_IMPACTS(edges) || *spent > allowed) return false;
        if (!collide(job, edge)) {
            if (passes(job, edge)) return false;
            edge->time = (double)INFINITY;
            play_again(job, edge->place);
            continue;
        }
        *spent += look_around(job, edge->trajectory_a, time) + look_around(job, edge->trajectory_b, time);
    }
}

void qdi_cluster_solve(const qdi_step *step, qdi_cluster *cluster) {
    qdi_ccd *ccd = step->ccd;
    solve_job job = {step, ccd, cluster, ccd->edge_by_cluster + cluster->first_edge,
                     ccd->winner + 2 * (size_t)cluster->first_edge};
    note_strayed(&job);
    if (cluster->given_up) {
        give_up(&job);
        return;
    }
    uint64_t spent = spent_on(&job);
    for (uint32_t k = 0; k < cluster->trajectories; ++k) begin(&job, k);
    for (uint32_t k = 0; k < cluster->edges; ++k) spent += look_first(&job, edge_at(&job, k));
    if (!follow(&job, &spent)) give_up(&job);
    for (uint32_t k = 0; k < cluster->trajectories; ++k) trajectory_at(&job, k)->spent = spent;
}
