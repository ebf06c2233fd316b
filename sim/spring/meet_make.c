// Contacts, shears and forces of springs that meet (spring_meet.c), by hit.

#include "sim/spring/meet_job.h"
#include "sim/spring/spring.h"
#include "sim/world/contact_list.h"
#include "sim/world/grain.h"
#include "sim/world/pose.h"

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

// Gathers what a hit is made from.
static void gather_hit(const qdi_meet_job *job, size_t hit, qdi_disk_pair *pair) {
    const qd_world *world = job->world;
    const qdi_motion *m = &job->narrow.motion;
    const qdi_meeting rows = job->narrow.pairs[job->hits[hit]];
    const uint32_t a = rows.a, b = rows.b;
    pair->rows = rows;
    pair->shear = shear_of_hit(job, hit);
    pair->x = m->x[a];
    pair->y = m->y[a];
    const qd_vec2 d = {m->x[b] - m->x[a], m->y[b] - m->y[a]};
    pair->image = (qd_image){qdi_narrow_image(d.x, job->narrow.half.x),
                             qdi_narrow_image(d.y, job->narrow.half.y)};
    pair->apart = (qd_vec2){d.x + pair->image.x * job->narrow.period.x,
                            d.y + pair->image.y * job->narrow.period.y};
    const bool turning = world->turning;
    pair->a = (qdi_twist){m->vx[a], m->vy[a], turning ? m->spin[a] : 0};
    pair->b = (qdi_twist){m->vx[b], m->vy[b], turning ? m->spin[b] : 0};
    pair->radius_a = world->radius[a];
    pair->radius_b = world->radius[b];
    pair->mass_a = world->mass[a];
    pair->mass_b = world->mass[b];
    pair->id_a = (qd_id){world->index[a], world->generation[a]};
    pair->id_b = (qd_id){world->index[b], world->generation[b]};
}

// Springs that meet: the contact of two disks, in the same arithmetic as the narrow phase's.
static inline void put_disks(const qdi_disk_pair *pair, qdi_disk_contact *contact) {
    qdi_manifold manifold = {.count = 0};
    (void)qdi_collide_disks(pair->radius_a, pair->radius_b, pair->apart, HUGE_VAL, &manifold);
    const qd_vec2 point = {pair->x + manifold.at[0].point.x, pair->y + manifold.at[0].point.y};
    const qd_vec2 arm = {point.x - pair->x, point.y - pair->y};
    const qd_vec2 far_arm = {arm.x - pair->apart.x, arm.y - pair->apart.y};
    const qd_vec2 va = {pair->a.x - pair->a.spin * arm.y, pair->a.y + pair->a.spin * arm.x};
    const qd_vec2 vb = {pair->b.x - pair->b.spin * far_arm.y, pair->b.y + pair->b.spin * far_arm.x};
    contact->a = pair->id_a;
    contact->b = pair->id_b;
    contact->normal = manifold.normal;
    contact->point = point;
    contact->depth = 0 - manifold.at[0].gap;
    contact->approach = (va.x - vb.x) * manifold.normal.x + (va.y - vb.y) * manifold.normal.y;
}

/// Hits that are gathered together, before any of them is worked on: what they need lies here and there, and
/// is waited for at once.
enum { TOGETHER = 32 };

// Makes the contacts of hits that have been gathered.
static void make_together(const qdi_meet_job *job, size_t hit, size_t place, size_t count,
                          qdi_disk_law *law) {
    qdi_disk_pair pairs[TOGETHER];
    const bool simple = job->simple;
    for (size_t k = 0; k < count; ++k) gather_hit(job, hit + k, &pairs[k]);
    for (size_t k = 0; k < count; ++k) {
        const qdi_disk_pair *pair = &pairs[k];
        const size_t at = place + k;
        qdi_contact_state *after = job->after;
        job->world->scratch.slot_place[job->hits[hit + k]] = (uint32_t)at;
        after->spots[at] = (qdi_spot){
            .row_a = pair->rows.a, .row_b = pair->rows.b, .image = pair->image, .touches = 1};
        after->persists[at] = job->from[hit + k] != QDI_MEET_NONE;
        put_disks(pair, &after->disks[at]);
        if (simple) {
            qdi_spring_force_disks(&job->force, pair, law, at, &after->disks[at]);
            continue;
        }
        qd_contact contact;
        qdi_contact_at(after, at, &contact);
        after->warm_starts[at] = pair->shear;
        qdi_spring_force_met(&job->force, at, &contact);
    }
}

// Prefetches the shear with which a later hit's contact comes.
static inline void prefetch_shear(const qdi_meet_job *job, size_t hit) {
    const uint32_t from = job->from[hit];
    if (from != QDI_MEET_NONE) __builtin_prefetch(&job->before->warm_starts[from]);
}

// Makes the contacts of a range of candidates.
static void make_pairs(void *context, size_t begin, size_t end) {
    const qdi_meet_job *job = context;
    const size_t range = begin / QDI_CONTACT_GRAIN, ranges = qdi_range_count(job->pairs, QDI_CONTACT_GRAIN);
    size_t place = job->count[range];
    const size_t stop = range + 1 < ranges ? job->count[range + 1] : job->wall_first;
    qdi_disk_law law = {.mass_a = 0};
    (void)end;
    for (size_t hit = begin; place < stop; hit += TOGETHER, place += TOGETHER) {
        const size_t left = stop - place, next = left < 2 * TOGETHER ? left : 2 * TOGETHER;
        for (size_t k = TOGETHER; k < next; ++k) prefetch_shear(job, hit + k);
        make_together(job, hit, place, left < TOGETHER ? left : TOGETHER, &law);
    }
}

void qdi_meet_make(qdi_meet_job *job) {
    qdi_team_for(job->world->team, job->pairs, QDI_CONTACT_GRAIN, make_pairs, job);
    qdi_team_for(job->world->team, job->wall_total, QDI_CONTACT_GRAIN, make_walls, job);
}
