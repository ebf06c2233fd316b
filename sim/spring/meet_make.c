// Contacts, shears and forces of springs that meet (spring_meet.c), by hit.

#include "sim/spring/meet_job.h"
#include "sim/spring/meet_lanes.h"
#include "sim/spring/spring.h"
#include "sim/world/contact_list.h"
#include "sim/world/grain.h"
#include "sim/world/pose.h"
#include "sim/world/spring_terms.h"
#include "sim/world/sum.h"
#include "sim/world/walls.h"

#include <string.h>

// Springs that meet: a disk's contact with a wall, and where it touches.
static void put_wall(const qdi_meet_job *job, const qdi_wall_hit *hit, qd_contact *contact,
                     qdi_wall_touch *touch) {
    const qd_world *world = job->world;
    const uint32_t row = hit->row;
    const double depth = qdi_narrow_wall_depth(&job->narrow, row, (int)hit->wall);
    const qd_vec2 normal = qdi_wall_normal((int)hit->wall);
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
    *touch = (qdi_wall_touch){point, contact->touch[0].depth};
}

// The shear with which a hit's contact comes from the moment before.
static inline qdi_warm_start shear_of_hit(const qdi_meet_job *job, size_t hit) {
    const uint32_t from = job->from[hit];
    return from == QDI_MEET_NONE ? (qdi_warm_start){{0, 0}, {0, 0}} : qdi_shear_met(job->before, from);
}

// Makes the contacts of a range of hits of walls.
static void make_walls(void *context, size_t begin, size_t end) {
    const qdi_meet_job *job = context;
    for (size_t w = begin; w < end; ++w) {
        const size_t hit = job->pairs + w, place = job->wall_first + w;
        const uint32_t row = job->walls[w].row;
        qd_contact contact;
        put_wall(job, &job->walls[w], &contact, &job->after->walls[w]);
        job->after->spots[place] = (qdi_spot){
            .row_a = row, .row_b = QDI_NO_ROW, .touches = 1, .wall = (uint8_t)job->walls[w].wall};
        job->after->warm_starts[place] = shear_of_hit(job, hit);
        job->after->persists[place] = job->from[hit] != QDI_MEET_NONE;
        qdi_spring_force_met(&job->force, place, &contact);
    }
}

/// What contacts are made from and into, in one place: nothing that is written may be thought to change it.
typedef struct making {
    const double *x, *y, *vx, *vy, *spin, *radius, *mass; ///< by row; spin NULL: nobody turns
    const qdi_meeting *pairs;
    const qdi_warm_start *warm_starts; ///< of the moment before, where they are not thin
    const qd_vec2 *before;             ///< the same, where they are
    uint32_t *slot_place;
    qdi_meeting *pairs_met;
    qdi_disk_contact *disks; ///< where contacts are not thin
    double *approaches;      ///< where they are
    qd_vec2 *shears;
    qdi_thin_force *forces;
    uint8_t *persists;
} making;

// Springs that meet: gathers where the two disks of each lane are, and how they move, as if there were no
// period.
static inline void gather_disks(const making *from, const uint32_t *hits, size_t count,
                                qdi_meet_lanes *lanes) {
    const double *x = from->x, *y = from->y, *vx = from->vx, *vy = from->vy, *radius = from->radius;
    const qdi_meeting *pairs = from->pairs;
    for (size_t k = 0; k < count; ++k) {
        const size_t a = pairs[hits[k]].a, b = pairs[hits[k]].b;
        lanes->x[k] = x[a];
        lanes->y[k] = y[a];
        lanes->dx[k] = x[b] - x[a] + 0.0;
        lanes->dy[k] = y[b] - y[a] + 0.0;
        lanes->vx_a[k] = vx[a];
        lanes->vy_a[k] = vy[a];
        lanes->vx_b[k] = vx[b];
        lanes->vy_b[k] = vy[b];
        lanes->radius_a[k] = radius[a];
        lanes->radius_b[k] = radius[b];
    }
    const double *spin = from->spin; // without it lanes are 0
    for (size_t k = 0; k < count && spin; ++k) {
        lanes->spin_a[k] = spin[pairs[hits[k]].a];
        lanes->spin_b[k] = spin[pairs[hits[k]].b];
    }
}

// Springs that meet: gathers the shears of lanes from the moment before.
static inline void gather_shears(const making *from, const uint32_t *places, size_t count,
                                 qdi_meet_lanes *lanes) {
    const qdi_warm_start *warm_starts = from->warm_starts;
    const qd_vec2 *before = from->before;
    for (size_t k = 0; k < count; ++k) {
        qd_vec2 shear = {0, 0};
        if (places[k] != QDI_MEET_NONE)
            shear = before ? before[places[k]]
                           : (qd_vec2){warm_starts[places[k]].normal[0], warm_starts[places[k]].tangent[0]};
        lanes->shear_x[k] = shear.x;
        lanes->shear_y[k] = shear.y;
    }
}

// Springs that meet: notes whose contacts lie from a place on, and which of them there were before.
static inline void note_contacts(const making *to, const uint32_t *hits, const uint32_t *places, size_t place,
                                 size_t count) {
    const qdi_meeting *pairs = to->pairs;
    uint32_t *slot_place = to->slot_place;
    qdi_meeting *pairs_met = to->pairs_met + place;
    for (size_t k = 0; k < count; ++k) {
        slot_place[hits[k]] = (uint32_t)(place + k);
        pairs_met[k] = pairs[hits[k]];
    }
    for (size_t k = 0; k < count; ++k) to->persists[place + k] = places[k] != QDI_MEET_NONE;
}

// Springs that meet: where the second disk of a lane is nearer round a period, that is where it is.
static inline void gather_images(const qdi_meet_job *job, size_t count, qdi_meet_lanes *lanes) {
    const qd_vec2 half = job->narrow.half, period = job->narrow.period;
    for (size_t k = 0; k < count; ++k) {
        const double dx = lanes->dx[k], dy = lanes->dy[k];
        if (!(fabs(dx) > half.x || fabs(dy) > half.y)) continue;
        lanes->dx[k] = dx + qdi_nearest_image(dx, half.x) * period.x;
        lanes->dy[k] = dy + qdi_nearest_image(dy, half.y) * period.y;
    }
}

// Springs that meet: the law of each lane, where the one there was is of other masses.
static inline void gather_laws(const qdi_meet_job *job, const making *from, const uint32_t *hits,
                               size_t count, qdi_meet_lanes *lanes) {
    const double *mass = from->mass;
    for (size_t k = 0; k < count; ++k) {
        const qdi_meeting rows = from->pairs[hits[k]];
        const double mass_a = mass[rows.a], mass_b = mass[rows.b];
        if (lanes->mass_a[k] == mass_a && lanes->mass_b[k] == mass_b) continue;
        const qdi_spring_law law = qdi_spring_law_of(job->world, job->force.loss, rows.a, rows.b);
        lanes->mass_a[k] = mass_a;
        lanes->mass_b[k] = mass_b;
        lanes->kn[k] = law.terms.kn;
        lanes->kt[k] = law.terms.kt;
        lanes->gamman[k] = law.mass * law.terms.gamman;
        lanes->gammat[k] = law.mass * law.terms.gammat;
        lanes->mu[k] = law.friction;
    }
}

// Springs that meet: writes what was made of lanes.
static inline void put_lanes(const making *to, const qdi_meet_lanes *lanes, size_t place, size_t count,
                             bool simple) {
    if (!simple) { // the rest is not as it is in the lanes
        for (size_t k = 0; k < count; ++k) to->disks[place + k].approach = lanes->approach[k];
        return;
    }
    double *approaches = to->approaches + place;
    for (size_t k = 0; k < count; ++k) approaches[k] = lanes->approach[k];
    qd_vec2 *shears = to->shears + place;
    qdi_thin_force *forces = to->forces + place;
    for (size_t k = 0; k < count; ++k) shears[k] = (qd_vec2){lanes->shear_x[k], lanes->shear_y[k]};
    for (size_t k = 0; k < count; ++k)
        forces[k] = (qdi_thin_force){lanes->force_x[k], lanes->force_y[k], lanes->push[k],
                                     lanes->friction[k]};
}

// Springs that meet: the force of a contact that is not simple, whose geometry is there.
static void force_one(const qdi_meet_job *job, size_t hit, size_t place) {
    qd_contact contact;
    qdi_contact_at(job->world, job->after, place, &contact);
    job->after->warm_starts[place] = shear_of_hit(job, hit);
    qdi_spring_force_met(&job->force, place, &contact);
}

// Springs that meet: what contacts are made from and into.
static making making_of(const qdi_meet_job *job) {
    const qd_world *world = job->world;
    const qdi_motion *m = &job->narrow.motion;
    qdi_contact_state *after = job->after;
    return (making){.x = m->x,
                    .y = m->y,
                    .vx = m->vx,
                    .vy = m->vy,
                    .spin = world->turning ? m->spin : NULL,
                    .radius = world->radius,
                    .mass = world->mass,
                    .pairs = job->narrow.pairs,
                    .warm_starts = job->before->warm_starts,
                    .before = job->before->thin ? job->before->shears : NULL,
                    .slot_place = world->scratch.slot_place,
                    .pairs_met = after->pairs_met,
                    .disks = after->disks,
                    .approaches = after->approaches,
                    .shears = after->shears,
                    .forces = after->thin_forces,
                    .persists = after->persists};
}

// Makes the contacts of a range of candidates, some side by side.
static void make_pairs(void *context, size_t begin, size_t end) {
    const qdi_meet_job *job = context;
    const size_t range = begin / QDI_CONTACT_GRAIN, ranges = qdi_range_count(job->pairs, QDI_CONTACT_GRAIN);
    const size_t first = job->count[range],
                 stop = range + 1 < ranges ? job->count[range + 1] : job->wall_first;
    (void)end;
    qdi_meet_tally *tally = &job->tallies[range];
    *tally = (qdi_meet_tally){.cut = job->world->scratch.meet_cut};
    if (first == stop) return;
    const size_t own = job->own ? first + job->own[range] : stop;
    qdi_meet_tally others = *tally; // which they add up themselves
    const making all = making_of(job);
    const qdi_meet_law law = {.dt = job->force.dt,
                              .kick_x = job->force.half_kick.x,
                              .kick_y = job->force.half_kick.y,
                              .slide = 2 * job->world->traits.trait[0].slide,
                              .limit_damping = job->world->def.spring.limit_damping};
    qdi_meet_lanes lanes;
    memset(&lanes, 0, sizeof lanes);
    for (size_t place = first, count; place < stop; place += count) {
        const size_t hit = begin + place - first, more = (place < own ? own : stop) - place;
        count = more < QDI_MEET_LANES ? more : QDI_MEET_LANES;
        const uint32_t *hits = job->hits + hit;
        gather_disks(&all, hits, count, &lanes);
        gather_shears(&all, job->from + hit, count, &lanes);
        note_contacts(&all, hits, job->from + hit, place, count);
        if (job->narrow.periodic) gather_images(job, count, &lanes);
        if (job->simple) gather_laws(job, &all, hits, count, &lanes);
        job->kernel(&lanes, &law, count, place < own ? tally : &others);
        put_lanes(&all, &lanes, place, count, job->simple);
        for (size_t k = 0; k < count && !job->simple; ++k) force_one(job, hit + k, place + k);
    }
}

void qdi_meet_make(qdi_meet_job *job) {
    qd_team *team = job->world->team;
    qdi_team_for(team, job->pairs, QDI_CONTACT_GRAIN, make_pairs, job);
    qdi_team_for(team, job->wall_total, QDI_CONTACT_GRAIN, make_walls, job);
}

// Springs that meet: contacts of disks with each other that count here.
static size_t own_pairs(const qdi_meet_job *job) {
    size_t count = 0;
    for (size_t k = 0; job->own && k < qdi_range_count(job->pairs, QDI_CONTACT_GRAIN); ++k)
        count += job->own[k];
    return job->own ? count : job->wall_first;
}

qd_status qdi_meet_sum(qdi_meet_job *job, double sums[QDI_TALLY_LANES]) {
    const size_t ranges = qdi_range_count(job->pairs, QDI_CONTACT_GRAIN);
    qd_team *team = job->world->team;
    qdi_tally_cut *kept = &job->world->scratch.meet_cut, cut;
    qdi_tally_most most = {{0}};
    for (size_t r = 0; r < ranges; ++r) qdi_tally_see(&most, job->tallies[r].most.lane);
    const qd_status status = qdi_sum_cut(team, &most, own_pairs(job) + job->wall_total, &cut);
    if (status != QD_OK) return status;
    // The largest term is most often of the same size as in the step before; where not, all are added anew.
    bool same = true;
    for (int k = 0; k < QDI_TALLY_LANES; ++k)
        same = same && cut.first[k] == kept->first[k] && cut.second[k] == kept->second[k];
    *kept = cut;
    if (!same) qdi_team_for(team, job->pairs, QDI_CONTACT_GRAIN, make_pairs, job);
    qdi_tally sum = {{0}, {0}};
    for (size_t r = 0; r < ranges; ++r) qdi_tally_merge(&sum, &job->tallies[r].sum);
    return qdi_sum_end(team, &sum, sums);
}
