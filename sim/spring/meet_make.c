// Contacts, shears and forces of springs that meet (spring_meet.c), by hit.

#include "sim/spring/meet_job.h"
#include "sim/spring/spring.h"
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

// The number that a hit's contact has now.
static uint32_t number_of_hit(const qdi_meet_job *job, size_t hit) {
    const uint32_t held = job->numbers[hit];
    return held & QDI_MEET_BEGUN ? held & ~QDI_MEET_BEGUN : job->renamed[held];
}

// The shear with which a hit's contact comes from the moment before.
static qdi_warm_start shear_of_hit(const qdi_meet_job *job, size_t hit) {
    const uint32_t held = job->numbers[hit];
    return held & QDI_MEET_BEGUN ? (qdi_warm_start){{0, 0}, {0, 0}}
                                 : job->before->warm_starts[qdi_place_of(job->before, held)];
}

// Makes the contacts of a range of hits of walls.
static void make_walls(void *context, size_t begin, size_t end) {
    const qdi_meet_job *job = context;
    const qd_world *world = job->world;
    for (size_t w = begin; w < end; ++w) {
        const size_t hit = job->pairs + w, place = job->wall_first + w;
        const uint32_t number = number_of_hit(job, hit), row = job->walls[w].row;
        qd_contact *contact = &job->after->contacts[number];
        put_wall(job, &job->walls[w], contact);
        contact->a = (qd_id){world->index[row], world->generation[row]};
        job->after->spots[place] = (qdi_spot){.contact = number,
                                              .row_a = row,
                                              .row_b = QDI_NO_ROW,
                                              .rank = number,
                                              .touches = 1,
                                              .wall = (uint8_t)job->walls[w].wall};
        job->after->warm_starts[number] = shear_of_hit(job, hit);
        qdi_spring_force_spot(&job->force, place);
    }
}

// Gathers what a hit is made from, and asks for the places that it goes to.
static void gather_hit(const qdi_meet_job *job, size_t hit, qdi_disk_pair *pair) {
    const qd_world *world = job->world;
    const qdi_motion *m = &job->narrow.motion;
    const qdi_meeting rows = job->narrow.pairs[job->hits[hit]];
    const uint32_t a = rows.a, b = rows.b;
    pair->rows = rows;
    pair->number = number_of_hit(job, hit);
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
    const char *contact = (const char *)&job->after->contacts[pair->number];
    for (size_t at = 0; at < sizeof(qd_contact); at += 64) __builtin_prefetch(contact + at, 1);
    __builtin_prefetch(contact + sizeof(qd_contact) - 1, 1);
    __builtin_prefetch(&job->after->warm_starts[pair->number], 1);
    __builtin_prefetch(&job->after->forces[pair->number], 1);
}

// Springs that meet: the contact of two disks, in the same arithmetic as the narrow
// phase's.
static void put_disks(const qdi_disk_pair *pair, qd_contact *contact) {
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
    contact->touch[0] = (qd_touch){.point = point, .depth = 0 - manifold.at[0].gap};
    contact->touch[1] = (qd_touch){.depth = 0};
    contact->approach = (va.x - vb.x) * manifold.normal.x + (va.y - vb.y) * manifold.normal.y;
    contact->image = pair->image;
    contact->count = 1;
    contact->sensor = false;
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
        qd_contact *contact = &job->after->contacts[pair->number];
        job->world->scratch.slot_number[job->hits[hit + k]] = pair->number;
        job->after->spots[place + k] = (qdi_spot){.contact = pair->number,
                                                  .row_a = pair->rows.a,
                                                  .row_b = pair->rows.b,
                                                  .rank = pair->number,
                                                  .image = pair->image,
                                                  .touches = 1};
        put_disks(pair, contact);
        if (simple) {
            qdi_spring_force_disks(&job->force, pair, law, place + k, contact);
            continue;
        }
        job->after->warm_starts[pair->number] = pair->shear;
        qdi_spring_force_spot(&job->force, place + k);
    }
}

// Prefetches the shear with which a later hit's contact comes.
static inline void prefetch_shear(const qdi_meet_job *job, size_t hit) {
    const uint32_t held = job->numbers[hit];
    if (!(held & QDI_MEET_BEGUN))
        __builtin_prefetch(&job->before->warm_starts[qdi_place_of(job->before, held)]);
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
