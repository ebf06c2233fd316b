// Contacts, shears and forces of springs that meet (spring_meet.c), by hit.

#include "sim/spring/meet_job.h"
#include "sim/spring/meet_lanes.h"
#include "sim/world/contact_list.h"
#include "sim/world/grain.h"
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

// The shear with which a contact comes from its place in the moment before.
static inline qdi_warm_start shear_from(const qdi_meet_job *job, uint32_t from) {
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
        job->after->spots[place] = (qdi_spot){.row_a = row, .row_b = QDI_NO_ROW, .wall = job->walls[w].wall};
        job->after->warm_starts[place] = shear_from(job, job->from[hit]);
        job->after->persists[place] = job->from[hit] != QDI_MEET_NONE;
        qdi_spring_force_met(&job->force, place, &contact);
    }
}

// Springs that meet: notes whose contacts lie from a place on, and which of them there were before.
static inline void note_contacts(const qdi_meet_job *job, const qdi_meet_some *some, const uint32_t *hits) {
    const qdi_meeting *pairs = job->narrow.pairs;
    uint32_t *slot_place = job->world->scratch.slot_place;
    qdi_meeting *pairs_met = job->after->pairs_met + some->place;
    uint8_t *persists = job->after->persists + some->place;
    const bool moved = some->from || some->first != some->place;
    for (size_t k = 0; k < some->count && moved; ++k) slot_place[hits[k]] = (uint32_t)(some->place + k);
    if (!some->from) {
        memcpy(pairs_met, job->before->pairs_met + some->first, some->count * sizeof *pairs_met);
        memset(persists, 1, some->count);
        return;
    }
    for (size_t k = 0; k < some->count; ++k) pairs_met[k] = pairs[hits[k]];
    for (size_t k = 0; k < some->count; ++k) persists[k] = some->from[k] != QDI_MEET_NONE;
}

// Springs that meet: writes at which speed those approach whose contacts lie from a place on.
static inline void put_approaches(const qdi_meet_job *job, const qdi_meet_lanes *lanes, size_t place,
                                  size_t count) {
    if (job->simple) memcpy(job->after->approaches + place, lanes->approach, count * sizeof *lanes->approach);
    for (size_t k = 0; k < count && !job->simple; ++k)
        job->after->disks[place + k].approach = lanes->approach[k]; // the rest is not as it is in the lanes
}

// Springs that meet: the force of a contact that is not simple, whose geometry is there.
static void force_one(const qdi_meet_job *job, const qdi_meet_some *some, size_t number) {
    const size_t place = some->place + number;
    qd_contact contact;
    qdi_contact_at(job->world, job->after, place, &contact);
    job->after->warm_starts[place] = shear_from(job, some->from ? some->from[number]
                                                                : (uint32_t)(some->first + number));
    qdi_spring_force_met(&job->force, place, &contact);
}

// Springs that meet: what contacts are made from and into.
static qdi_meet_rows rows_of(const qdi_meet_job *job) {
    const qd_world *world = job->world;
    const qdi_motion *m = &job->narrow.motion;
    return (qdi_meet_rows){.x = m->x,
                           .y = m->y,
                           .vx = m->vx,
                           .vy = m->vy,
                           .spin = world->turning ? m->spin : NULL,
                           .radius = world->scratch.alike ? NULL : world->radius,
                           .mass = world->scratch.alike || !job->simple ? NULL : world->mass,
                           .radius_of_all = world->count > 0 ? world->radius[0] : 0,
                           .pairs = job->after->pairs_met,
                           .warm_starts = job->before->warm_starts,
                           .before = job->before->thin ? job->before->shears : NULL,
                           .shears = job->simple ? job->after->shears : NULL,
                           .forces = job->simple ? job->after->thin_forces : NULL,
                           .half = job->narrow.half,
                           .period = job->narrow.period,
                           .periodic = job->narrow.periodic};
}

// Makes the contacts of a range of candidates, some side by side.
static void make_pairs(void *context, size_t begin, size_t end) {
    const qdi_meet_job *job = context;
    const size_t range = begin / QDI_CANDIDATE_GRAIN,
                 ranges = qdi_range_count(job->pairs, QDI_CANDIDATE_GRAIN);
    const size_t first = job->count[range],
                 stop = range + 1 < ranges ? job->count[range + 1] : job->wall_first;
    (void)end;
    qdi_meet_tally *tally = &job->tallies[range];
    *tally = (qdi_meet_tally){.cut = job->world->scratch.meet_cut};
    job->world->scratch.slot_shift[range] = (uint32_t)(first - begin);
    if (first == stop) return;
    const size_t own = job->own ? first + job->own[range] : stop;
    const bool stays = job->stay[range] != QDI_MEET_NONE;
    qdi_meet_tally others = *tally; // which they add up themselves
    const qdi_meet_rows rows = rows_of(job);
    qdi_meet_lanes lanes;
    for (size_t place = first, count; place < stop; place += count) {
        const size_t hit = begin + place - first, more = (place < own ? own : stop) - place;
        count = more < QDI_MEET_LANES ? more : QDI_MEET_LANES;
        const qdi_meet_some some = {stays ? NULL : job->from + hit,
                                    stays ? job->stay[range] + (place - first) : 0, place, count};
        note_contacts(job, &some, job->world->scratch.slot_hits + hit);
        job->kernel(&rows, &some, &job->law, &lanes, place < own ? tally : &others);
        put_approaches(job, &lanes, place, count);
        for (size_t k = 0; k < count && !job->simple; ++k) force_one(job, &some, k);
    }
}

// Springs that meet: the law, which is the same for all pairs but for their masses: nobody has traits.
static void make_law(qdi_meet_job *job) {
    const qd_world *world = job->world;
    job->law = (qdi_meet_law){.dt = job->force.dt,
                              .kick_x = job->force.half_kick.x,
                              .kick_y = job->force.half_kick.y,
                              .slide = 2 * world->traits.trait[0].slide,
                              .limit_damping = world->def.spring.limit_damping};
    if (world->count == 0 || !job->simple) return; // forces are made one by one
    const qdi_spring_law first = qdi_spring_law_of(world, 0, 0);
    job->law.mu = first.friction;
    job->law.rule = qdi_spring_rule_of(&world->def.spring, first.loss);
    job->law.terms_of_all = first.terms;
    job->law.terms_of_all.gamman *= first.mass;
    job->law.terms_of_all.gammat *= first.mass;
}

void qdi_meet_make(qdi_meet_job *job) {
    qd_team *team = job->world->team;
    make_law(job);
    qdi_team_for(team, job->pairs, QDI_CANDIDATE_GRAIN, make_pairs, job);
    qdi_team_for(team, job->wall_total, QDI_CANDIDATE_GRAIN, make_walls, job);
}

// Springs that meet: contacts of disks with each other that count here.
static size_t own_pairs(const qdi_meet_job *job) {
    size_t count = 0;
    for (size_t k = 0; job->own && k < qdi_range_count(job->pairs, QDI_CANDIDATE_GRAIN); ++k)
        count += job->own[k];
    return job->own ? count : job->wall_first;
}

qd_status qdi_meet_sum(qdi_meet_job *job, double sums[QDI_TALLY_LANES]) {
    const size_t ranges = qdi_range_count(job->pairs, QDI_CANDIDATE_GRAIN);
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
    if (!same) qdi_team_for(team, job->pairs, QDI_CANDIDATE_GRAIN, make_pairs, job);
    qdi_tally sum = {{0}, {0}};
    for (size_t r = 0; r < ranges; ++r) qdi_tally_merge(&sum, &job->tallies[r].sum);
    return qdi_sum_end(team, &sum, sums);
}
