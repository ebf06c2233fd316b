// Candidates to contacts. Where all bodies are disks, a test is a few products, and comes without a branch;
// else a range of candidates is first rid of those that are far apart, then its pairs of rects are tested
// side by side (rects.h), the others one by one, and contacts are made of what is within reach, in the order
// of the candidates.

#include "sim/contact/narrow.h"
#include "sim/contact/narrow_job.h"
#include "sim/world/bodies.h"
#include "sim/world/contact_state.h"
#include "sim/world/reach.h"
#include "sim/world/scratch.h"
#include "sim/world/world_impl.h"

#include <string.h>

/// Narrow phase: which image of b, `d` away from a along one axis, is the nearest: two bodies, each no longer
/// than half a period, touch through no other. Candidates do not say, for a body may have gone round since
/// they were found.
static int nearest_image(double d, double period) {
    if (period == 0) return 0;
    return (d < -0.5 * period) - (d > 0.5 * period);
}

// Narrow phase: the periodic image of body b that is nearest to body a.
static qd_image nearest_image_of(const qdi_narrow_job *job, uint32_t a, uint32_t b) {
    const qdi_motion *m = &job->motion;
    return (qd_image){(int16_t)nearest_image(m->x[b] - m->x[a], job->period.x),
                      (int16_t)nearest_image(m->y[b] - m->y[a], job->period.y)};
}

/// Narrow phase: `d` along one axis, or that to the nearest image: next to always there is no other, so a
/// branch is cheaper than the general way. Both give the same bits: adding 0 turns -0 into 0, as adding no
/// period does.
static inline double to_nearest(double d, double period, double half) {
    return fabs(d) > half ? d + nearest_image(d, period) * period : d + 0;
}

/// Narrow phase: from the centre of a to that of b's nearest image.
static inline qd_vec2 nearest_offset(const qdi_narrow_job *job, uint32_t a, uint32_t b) {
    const qdi_motion *m = &job->motion;
    return (qd_vec2){to_nearest(m->x[b] - m->x[a], job->period.x, job->half.x),
                     to_nearest(m->y[b] - m->y[a], job->period.y, job->half.y)};
}

/// Narrow phase: true where two bodies' own boxes do not even overlap; false where that is not worth finding
/// out.
static bool boxes_apart(const qdi_narrow_job *job, uint32_t a, uint32_t b) {
    return job->stale && !qd_box_overlap(job->world->boxes[a], job->world->boxes[b]) &&
           (job->period.x == 0 || nearest_image_of(job, a, b).x == 0) &&
           (job->period.y == 0 || nearest_image_of(job, a, b).y == 0);
}

/// How far two bodies may be apart to count (`count`), and the second point of their contact (`second`).
typedef struct reaches {
    double count, second;
} reaches;

// How far apart two bodies may be and still count as near contacts.
static inline reaches pair_reach_of(const qdi_narrow_job *job, uint32_t a, uint32_t b) {
    const qd_world *world = job->world;
    const bool moves_a = world->kind[a] == QD_BODY_DYNAMIC, moves_b = world->kind[b] == QD_BODY_DYNAMIC;
    const double inner_a = moves_a ? qdi_inner_of_row(world, a) : HUGE_VAL;
    const double inner_b = moves_b ? qdi_inner_of_row(world, b) : HUGE_VAL;
    reaches found = {0, QDI_SECOND_REACH * (inner_a < inner_b ? inner_a : inner_b)};
    if (!qdi_reaches(&job->reach) || (job->traits && (qdi_senses(world, a) || qdi_senses(world, b))))
        return found;
    double reach_a = moves_a ? qdi_reach_of(&job->reach, inner_a, world->radius[a]) : HUGE_VAL;
    double reach_b = moves_b ? qdi_reach_of(&job->reach, inner_b, world->radius[b]) : HUGE_VAL;
    found.count = reach_a < reach_b ? reach_a : reach_b;
    return found;
}

// ---- contacts ----

void qdi_put_touches(const qdi_manifold *manifold, double x, double y, qdi_geometry *geometry,
                     qdi_found_pair *found) {
    *geometry = (qdi_geometry){.normal = manifold->normal};
    *found = (qdi_found_pair){.count = (uint8_t)manifold->count};
    int first = manifold->count == 2 && manifold->at[1].gap < manifold->at[0].gap;
    for (int k = 0; k < manifold->count; ++k) {
        const qdi_touch *touch = &manifold->at[k ^ first];
        geometry->point[k] = (qd_vec2){x + touch->point.x, y + touch->point.y};
        geometry->depth[k] = 0 - touch->gap; // never -0
        found->feature[k] = touch->feature;
    }
}

// Writes the geometry of a pair that touches or nearly does.
static void put_found_pair(const qdi_narrow_job *job, uint32_t a, uint32_t b, qd_vec2 d,
                           const qdi_manifold *manifold, qdi_geometry *geometry, qdi_found_pair *found) {
    const qd_world *world = job->world;
    const double x = job->motion.x[a], y = job->motion.y[a];
    qdi_put_touches(manifold, x, y, geometry, found);
    if (job->period.x > 0 || job->period.y > 0) found->image = nearest_image_of(job, a, b);
    found->sensor = job->traits && (qdi_senses(world, a) || qdi_senses(world, b));
    qd_vec2 arm = {geometry->point[0].x - x, geometry->point[0].y - y};
    qd_vec2 va = qdi_velocity_at(job, a, arm),
            vb = qdi_velocity_at(job, b, (qd_vec2){arm.x - d.x, arm.y - d.y});
    found->approach = (va.x - vb.x) * geometry->normal.x + (va.y - vb.y) * geometry->normal.y;
}

// ---- disks ----

// Narrow phase: collides two disks and writes the pair.
static void put_disk_pair(const qdi_narrow_job *job, uint32_t a, uint32_t b, qd_vec2 d,
                          qdi_geometry *geometry, qdi_found_pair *found) {
    qdi_manifold manifold = {.count = 0};
    (void)qdi_collide_disks(job->world->radius[a], job->world->radius[b], d, HUGE_VAL, &manifold);
    put_found_pair(job, a, b, d, &manifold, geometry, found);
}

// Tests candidate pairs of disks.
static size_t test_disk_pairs(const qdi_narrow_job *job, size_t begin, size_t end) {
    const double *radius = job->world->radius, *x = job->motion.x, *y = job->motion.y;
    const double far_x = job->period.x > 0 ? 0.5 * job->period.x : HUGE_VAL;
    const double far_y = job->period.y > 0 ? 0.5 * job->period.y : HUGE_VAL;
    size_t found = 0;
    for (size_t i = begin; i < end; ++i) {
        uint32_t a = job->pairs[i].a, b = job->pairs[i].b;
        job->hits[begin + found] = (uint32_t)i;
        qd_vec2 d = {x[b] - x[a], y[b] - y[a]};
        if (fabs(d.x) > far_x || fabs(d.y) > far_y) d = nearest_offset(job, a, b); // another image is nearer
        double least = radius[a] < radius[b] ? radius[a] : radius[b],
               largest = radius[a] < radius[b] ? radius[b] : radius[a];
        found += qdi_disks_meet(d, radius[a] + radius[b] + qdi_reach_of(&job->reach, least, largest));
    }
    return found;
}

bool qdi_narrow_near(const qdi_narrow_job *job, qdi_meeting pair) {
    const double *radius = job->world->radius;
    return qdi_reaches(&job->reach) &&
           !qdi_disks_meet(nearest_offset(job, pair.a, pair.b), radius[pair.a] + radius[pair.b]);
}

void qdi_narrow_disks(const qdi_narrow_job *job, qdi_meeting pair, qdi_geometry *geometry,
                      qdi_found_pair *found) {
    put_disk_pair(job, pair.a, pair.b, nearest_offset(job, pair.a, pair.b), geometry, found);
}

// ---- all shapes ----

/// A candidate that is worth a test.
typedef struct near_pair {
    uint32_t candidate, a, b;
    bool disks, rects;
    qd_vec2 d;
    reaches reach;
} near_pair;

/// Narrow phase: the form of a body that is no disk.
static const qdi_form *form_of(const qd_world *world, uint32_t row) {
    return &world->shapes.form[world->shape[row]];
}

// Position and orientation of a body, for the narrow phase.
static qdi_pose pose_of_row(const qdi_narrow_job *job, uint32_t row, double x, double y) {
    return (qdi_pose){x, y, job->motion.c[row], job->motion.s[row]};
}

/// Narrow phase: fills `list` and returns how many; those of two rects go to `rects` too.
static size_t cull_pairs(const qdi_narrow_job *job, size_t begin, size_t end, near_pair *list,
                         qdi_rect_pairs *rects) {
    const qd_world *world = job->world;
    size_t count = 0;
    rects->count = 0;
    for (size_t i = begin; i < end; ++i) {
        uint32_t a = job->pairs[i].a, b = job->pairs[i].b;
        if (boxes_apart(job, a, b)) continue;
        if ((job->traits || world->fixed > 0) && !qdi_may_touch(world, a, b)) continue;
        qd_vec2 d = nearest_offset(job, a, b);
        const reaches reach = pair_reach_of(job, a, b);
        const double sum = world->radius[a] + world->radius[b] + reach.count;
        const bool disks = (world->shape[a] | world->shape[b]) == 0;
        if (disks ? !qdi_disks_meet(d, sum) : !(d.x * d.x + d.y * d.y <= sum * sum * (1 + 1e-12))) continue;
        near_pair *pair = &list[count++];
        *pair = (near_pair){.candidate = (uint32_t)i, .a = a, .b = b, .disks = disks, .d = d, .reach = reach};
        if (world->shape[a] == 0 || world->shape[b] == 0) continue;
        const qdi_form *form_a = form_of(world, a), *form_b = form_of(world, b);
        pair->rects = form_a->kind == QD_SHAPE_RECT && form_b->kind == QD_SHAPE_RECT;
        if (!pair->rects) continue;
        const qdi_pose pose_a = pose_of_row(job, a, 0, 0), pose_b = pose_of_row(job, b, d.x, d.y);
        qdi_rects_put(rects, rects->count++, form_a, &pose_a, form_b, &pose_b, reach.second);
    }
    return count;
}

/// How two bodies touch that are not both disks.
static bool collide_pair(const qdi_narrow_job *job, const near_pair *pair, qdi_manifold *manifold) {
    const qd_world *world = job->world;
    qdi_form form_a = qdi_form_of_row(world, pair->a), form_b = qdi_form_of_row(world, pair->b);
    qdi_pose pose_a = pose_of_row(job, pair->a, 0, 0),
             pose_b = pose_of_row(job, pair->b, pair->d.x, pair->d.y);
    return qdi_collide(&form_a, &pose_a, &form_b, &pose_b, pair->reach.second, manifold) > 0;
}

// Tests candidate pairs of any shapes: boxes of several pairs at once first, then each by itself.
static size_t test_shaped_pairs(const qdi_narrow_job *job, size_t begin, size_t end) {
    near_pair list[QDI_SHAPED_GRAIN];
    qdi_rect_pairs rects;
    qdi_rect_meets meets;
    const size_t count = cull_pairs(job, begin, end, list, &rects);
    job->meet_rects(&rects, &meets);
    size_t found = 0, rect = 0;
    for (size_t k = 0; k < count; ++k) {
        const near_pair *pair = &list[k];
        const size_t hit = begin + found;
        job->hits[hit] = pair->candidate;
        if (pair->disks) {
            put_disk_pair(job, pair->a, pair->b, pair->d, &job->geometry[hit], &job->found[hit]);
            found += 1;
            continue;
        }
        qdi_manifold manifold;
        const size_t at = rect;
        rect += pair->rects;
        if (pair->rects && meets.how[at] == QDI_RECTS_APART) continue;
        if (pair->rects && meets.how[at] == QDI_RECTS_FACE)
            (void)qdi_rects_take(&meets, at, rects.reach[at], &manifold);
        else if (!collide_pair(job, pair, &manifold))
            continue;
        if (!(qdi_manifold_gap(&manifold) <= pair->reach.count)) continue;
        put_found_pair(job, pair->a, pair->b, pair->d, &manifold, &job->geometry[hit], &job->found[hit]);
        found += 1;
    }
    return found;
}

void qdi_narrow_pairs(void *context, size_t begin, size_t end) {
    const qdi_narrow_job *job = context;
    job->count[begin / job->grain] = job->plain ? test_disk_pairs(job, begin, end)
                                                : test_shaped_pairs(job, begin, end);
}
