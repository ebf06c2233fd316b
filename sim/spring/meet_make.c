// Contacts, shears and forces of springs that meet (spring_meet.c), by hit.

#include "sim/spring/meet_job.h"
#include "sim/spring/meet_lanes.h"
#include "sim/spring/spring.h"
#include "sim/world/contact_list.h"
#include "sim/world/grain.h"
#include "sim/world/pose.h"
#include "sim/world/spring_terms.h"

#include <string.h>

// Springs that meet: a disk's contact with a wall.
static void put_wall(const qdi_meet_job *job, const qdi_wall_hit *hit, qd_contact *contact) {
    const qd_world *world = job->world;
    const uint32_t row = hit->row;
    const double depth = qdi_narrow_wall_depth(&job->narrow, row, (int)hit->wall);
    const qd_vec2 normal = qdi_narrow_wall_normal((int)hit->wall);
    const double to_point = world->radius[row] - 0.5 * depth;
    const double x = job->narrow.motion.x[row], y = job->narrow.motion.y[row];
    const qd_vec2 point = {x + normal.x * to_point, y + normal.y * to_point};
    const qd_vec2 v = qdi_velocity_at(&job->narrow, row, (qd_vec2){point.x - x, point.y - y});
    const qd_vec2 w = world->wall_speed[hit->wall];
    *contact = (qd_contact){.b = {(uint32_t)QD_WALL_LEFT + hit->wall, 0},
                            .normal = normal,
                            .touch = {{.point = point, .depth = 0 + depth}},
                            .approach = (v.x - w.x) * normal.x + (v.y - w.y) * normal.y,
                            .count = 1};
}

// The shear with which a hit's contact comes from the moment before.
static inline qdi_warm_start shear_of_hit(const qdi_meet_job *job, size_t hit) {
    const uint32_t from = job->from[hit];
    return from == QDI_MEET_NONE ? (qdi_warm_start){{0, 0}, {0, 0}} : job->before->warm_starts[from];
}

// Makes the contacts of a range of hits of walls.
static void make_walls(void *context, size_t begin, size_t end) {
    const qdi_meet_job *job = context;
    const qd_world *world = job->world;
    for (size_t w = begin; w < end; ++w) {
        const size_t hit = job->pairs + w, place = job->wall_first + w;
        const uint32_t row = job->walls[w].row;
        qd_contact contact;
        put_wall(job, &job->walls[w], &contact);
        contact.a = (qd_id){world->index[row], world->generation[row]};
        job->after->spots[place] = (qdi_spot){
            .row_a = row, .row_b = QDI_NO_ROW, .touches = 1, .wall = (uint8_t)job->walls[w].wall};
        job->after->warm_starts[place] = shear_of_hit(job, hit);
        job->after->persists[place] = job->from[hit] != QDI_MEET_NONE;
        qdi_spring_force_met(&job->force, place, &contact);
    }
}

// Springs that meet: gathers what the velocities of a lane's two disks are.
static inline void gather_motion(const qdi_meet_job *job, qdi_meeting rows, size_t k, qdi_meet_lanes *lanes) {
    const qdi_motion *m = &job->narrow.motion;
    const bool turning = job->world->turning;
    lanes->vx_a[k] = m->vx[rows.a];
    lanes->vy_a[k] = m->vy[rows.a];
    lanes->spin_a[k] = turning ? m->spin[rows.a] : 0;
    lanes->vx_b[k] = m->vx[rows.b];
    lanes->vy_b[k] = m->vy[rows.b];
    lanes->spin_b[k] = turning ? m->spin[rows.b] : 0;
}

// Springs that meet: gathers where a lane's two disks are; returns the image of the second that is nearest.
static inline qd_image gather_place(const qdi_meet_job *job, qdi_meeting rows, size_t k,
                                    qdi_meet_lanes *lanes) {
    const double *x = job->narrow.motion.x, *y = job->narrow.motion.y;
    const qd_vec2 half = job->narrow.half, period = job->narrow.period;
    const double dx = x[rows.b] - x[rows.a], dy = y[rows.b] - y[rows.a];
    const qd_image image = {qdi_narrow_image(dx, half.x), qdi_narrow_image(dy, half.y)};
    lanes->x[k] = x[rows.a];
    lanes->y[k] = y[rows.a];
    lanes->dx[k] = dx + image.x * period.x;
    lanes->dy[k] = dy + image.y * period.y;
    lanes->radius_a[k] = job->world->radius[rows.a];
    lanes->radius_b[k] = job->world->radius[rows.b];
    return image;
}

// Springs that meet: the law of a lane, where the one there was is of other masses.
static inline void gather_law(const qdi_meet_job *job, qdi_meeting rows, size_t k, qdi_meet_lanes *lanes) {
    const double mass_a = job->world->mass[rows.a], mass_b = job->world->mass[rows.b];
    if (lanes->mass_a[k] == mass_a && lanes->mass_b[k] == mass_b) return;
    const qdi_spring_law law = qdi_spring_law_of(job->world, job->force.loss, rows.a, rows.b);
    lanes->mass_a[k] = mass_a;
    lanes->mass_b[k] = mass_b;
    lanes->kn[k] = law.terms.kn;
    lanes->kt[k] = law.terms.kt;
    lanes->gamman[k] = law.mass * law.terms.gamman;
    lanes->gammat[k] = law.mass * law.terms.gammat;
    lanes->mu[k] = law.friction;
}

/// Neighbours in the world lie here and there in memory still: what a hit is made from is asked for ahead.
enum { AHEAD = 12 };
// Springs that meet: prefetches what a later hit is made from.
static inline void prefetch_hit(const qdi_meet_job *job, size_t hit) {
    const qdi_motion *m = &job->narrow.motion;
    const qdi_meeting rows = job->narrow.pairs[job->hits[hit]];
    const uint32_t from = job->from[hit];
    const uint32_t both[2] = {rows.a, rows.b};
    for (int k = 0; k < 2; ++k) {
        __builtin_prefetch(&m->x[both[k]]);
        __builtin_prefetch(&m->y[both[k]]);
        __builtin_prefetch(&m->vx[both[k]]);
        __builtin_prefetch(&m->vy[both[k]]);
        __builtin_prefetch(&m->spin[both[k]]);
        __builtin_prefetch(&job->world->index[both[k]]);
    }
    if (from != QDI_MEET_NONE) __builtin_prefetch(&job->before->warm_starts[from]);
}

// Springs that meet: gathers a hit, and notes who it is and where its contact lies.
static inline void gather_hit(const qdi_meet_job *job, size_t hit, size_t place, size_t k,
                              qdi_meet_lanes *lanes) {
    const qd_world *world = job->world;
    const uint32_t slot = job->hits[hit];
    const qdi_meeting rows = job->narrow.pairs[slot];
    const qdi_warm_start shear = shear_of_hit(job, hit);
    qdi_contact_state *after = job->after;
    lanes->shear_x[k] = shear.normal[0];
    lanes->shear_y[k] = shear.tangent[0];
    world->scratch.slot_place[slot] = (uint32_t)place;
    after->spots[place] = (qdi_spot){
        .row_a = rows.a, .row_b = rows.b, .image = gather_place(job, rows, k, lanes), .touches = 1};
    after->persists[place] = job->from[hit] != QDI_MEET_NONE;
    after->disks[place].a = (qd_id){world->index[rows.a], world->generation[rows.a]};
    after->disks[place].b = (qd_id){world->index[rows.b], world->generation[rows.b]};
    gather_motion(job, rows, k, lanes);
    if (job->simple) gather_law(job, rows, k, lanes);
}

// Springs that meet: writes what was made of a lane.
static inline void put_lane(const qdi_meet_job *job, const qdi_meet_lanes *lanes, size_t k, size_t place) {
    qdi_disk_contact *contact = &job->after->disks[place];
    contact->normal = (qd_vec2){lanes->nx[k], lanes->ny[k]};
    contact->point = (qd_vec2){lanes->at_x[k], lanes->at_y[k]};
    contact->depth = lanes->depth[k];
    contact->approach = lanes->approach[k];
    if (!job->simple) return;
    contact->impulse = lanes->impulse[k];
    contact->friction = lanes->friction[k];
    job->after->warm_starts[place] = (qdi_warm_start){{lanes->shear_x[k], 0}, {lanes->shear_y[k], 0}};
    job->after->forces[place] = (qdi_contact_force){lanes->force_x[k], lanes->force_y[k], lanes->turn_a[k],
                                                    lanes->turn_b[k]};
}

// Springs that meet: the force of a contact that is not simple, whose geometry is there.
static void force_one(const qdi_meet_job *job, size_t hit, size_t place) {
    qd_contact contact;
    qdi_contact_at(job->after, place, &contact);
    job->after->warm_starts[place] = shear_of_hit(job, hit);
    qdi_spring_force_met(&job->force, place, &contact);
}

// Makes some contacts side by side, of `more` that the range has still.
static void make_together(const qdi_meet_job *job, size_t hit, size_t place, size_t more,
                          qdi_meet_lanes *lanes, qdi_meet_tally *tally) {
    const size_t count = more < QDI_MEET_LANES ? more : QDI_MEET_LANES;
    const qdi_meet_law law = {.dt = job->force.dt,
                              .kick_x = job->force.half_kick.x,
                              .kick_y = job->force.half_kick.y,
                              .slide = 2 * job->world->traits.trait[0].slide,
                              .limit_damping = job->world->def.spring.limit_damping};
    for (size_t k = 0; k < count; ++k) {
        if (k + AHEAD < more) prefetch_hit(job, hit + k + AHEAD);
        gather_hit(job, hit + k, place + k, k, lanes);
    }
    job->kernel(lanes, &law, count, tally);
    for (size_t k = 0; k < count; ++k) put_lane(job, lanes, k, place + k);
    for (size_t k = 0; k < count && !job->simple; ++k) force_one(job, hit + k, place + k);
}

// Makes the contacts of a range of candidates.
static void make_pairs(void *context, size_t begin, size_t end) {
    const qdi_meet_job *job = context;
    const size_t range = begin / QDI_CONTACT_GRAIN, ranges = qdi_range_count(job->pairs, QDI_CONTACT_GRAIN);
    const size_t first = job->count[range],
                 stop = range + 1 < ranges ? job->count[range + 1] : job->wall_first;
    (void)end;
    qdi_meet_tally *tally = &job->tallies[range];
    *tally = (qdi_meet_tally){.cut = job->world->scratch.meet_cut};
    if (first == stop) return;
    qdi_meet_lanes lanes;
    memset(&lanes, 0, sizeof lanes);
    for (size_t place = first; place < stop; place += QDI_MEET_LANES)
        make_together(job, begin + place - first, place, stop - place, &lanes, tally);
}

// Springs that meet: adds up the balances of all pairs; false where that asks for another cut than they were
// added with, which is then noted.
static bool add_tallies(const qdi_meet_job *job) {
    qdi_scratch *scratch = &job->world->scratch;
    const size_t ranges = qdi_range_count(job->pairs, QDI_CONTACT_GRAIN);
    qdi_tally_most most = {{0}};
    qdi_tally sum = {{0}, {0}};
    for (size_t r = 0; r < ranges; ++r) {
        qdi_tally_see(&most, job->tallies[r].most.lane);
        qdi_tally_merge(&sum, &job->tallies[r].sum);
    }
    const qdi_tally_cut cut = qdi_tally_cut_for(&most, job->wall_first + job->wall_total);
    bool same = true;
    for (int k = 0; k < QDI_TALLY_LANES; ++k)
        same = same && cut.first[k] == scratch->meet_cut.first[k] &&
               cut.second[k] == scratch->meet_cut.second[k];
    scratch->meet_cut = cut;
    for (int k = 0; k < QDI_TALLY_LANES; ++k) scratch->met_sums[k] = sum.first[k] + sum.second[k];
    return same;
}

void qdi_meet_make(qdi_meet_job *job) {
    qd_team *team = job->world->team;
    qdi_team_for(team, job->pairs, QDI_CONTACT_GRAIN, make_pairs, job);
    // The largest term is most often of the same size as in the step before; where not, all are added anew.
    if (job->simple && !add_tallies(job)) {
        qdi_team_for(team, job->pairs, QDI_CONTACT_GRAIN, make_pairs, job);
        (void)add_tallies(job);
    }
    job->world->scratch.met_added = job->simple;
    qdi_team_for(team, job->wall_total, QDI_CONTACT_GRAIN, make_walls, job);
}
