// Candidates to contacts. Where all bodies are disks, a test is a few products, and comes without a branch;
// else a range of candidates is first rid of those that are far apart, then its pairs of rects are tested
// side by side (rects.h), and those of polygons (hulls.h), the others one by one, and contacts are made of
// what is within reach, in the order of the candidates.

#include "sim/contact/narrow.h"
#include "sim/contact/narrow_job.h"
#include "sim/world/bodies.h"
#include "sim/world/contact_state.h"
#include "sim/world/pose.h"
#include "sim/world/reach.h"
#include "sim/world/scratch.h"
#include "sim/world/world_impl.h"

#include <string.h>

// Narrow phase: the periodic image of body b that is nearest to body a.
static qd_image nearest_image_of(const qdi_narrow_job *job, uint32_t a, uint32_t b) {
    const qdi_motion *m = &job->motion;
    return (qd_image){qdi_nearest_image(m->x[b] - m->x[a], job->half.x),
                      qdi_nearest_image(m->y[b] - m->y[a], job->half.y)};
}

/// Narrow phase: `d` along one axis, or that to the nearest image: next to always there is no other, so a
/// branch is cheaper than the general way. Both give the same bits: adding 0 turns -0 into 0, as adding no
/// period does.
static inline double to_nearest(double d, double period, double half) {
    return fabs(d) > half ? d + qdi_nearest_image(d, half) * period : d + 0;
}

/// Narrow phase: from the centre of a to that of b's nearest image.
static inline qd_vec2 nearest_offset(const qdi_narrow_job *job, uint32_t a, uint32_t b) {
    const qdi_motion *m = &job->motion;
    if (!job->periodic) return (qd_vec2){m->x[b] - m->x[a] + 0, m->y[b] - m->y[a] + 0};
    return (qd_vec2){to_nearest(m->x[b] - m->x[a], job->period.x, job->half.x),
                     to_nearest(m->y[b] - m->y[a], job->period.y, job->half.y)};
}

/// Narrow phase: qd_box_overlap, all four sides at once.
static inline bool boxes_overlap(const qd_box *a, const qd_box *b) {
    typedef float sides __attribute__((vector_size(16)));
    typedef int32_t choice __attribute__((vector_size(16)));
    typedef int64_t halves __attribute__((vector_size(16)));
    sides p, q;
    memcpy(&p, a, sizeof p);
    memcpy(&q, b, sizeof q);
    const halves low = {((halves)p)[0], ((halves)q)[0]}, high = {((halves)q)[1], ((halves)p)[1]};
    const halves meet = (halves)(choice)((sides)low <= (sides)high);
    return (meet[0] & meet[1]) == -1;
}

/// Narrow phase: true where two bodies' own boxes do not even overlap; false where that is not worth finding
/// out.
static inline bool boxes_apart(const qdi_narrow_job *job, uint32_t a, uint32_t b) {
    if (!job->stale || boxes_overlap(&job->world->boxes[a], &job->world->boxes[b])) return false;
    return !job->periodic || ((job->period.x == 0 || nearest_image_of(job, a, b).x == 0) &&
                              (job->period.y == 0 || nearest_image_of(job, a, b).y == 0));
}

/// How far two bodies may be apart to count (`count`), and the second point of their contact (`second`).
typedef struct reaches {
    double count, second;
} reaches;

/// Narrow phase: what a body that moves would count at; of two the less is taken, so one that does not move
/// has no say.
static inline reaches reach_of_one(const qdi_narrow_job *job, uint32_t row) {
    const qd_world *world = job->world;
    if (world->kind[row] != QD_BODY_DYNAMIC) return (reaches){HUGE_VAL, HUGE_VAL};
    const double inner = qdi_inner_of_row(world, row);
    return (reaches){qdi_reach_of(&job->reach, inner, world->radius[row]), inner};
}

// How far apart two bodies may be and still count as near contacts. Of one shape they have one reach.
static inline reaches pair_reach_of(const qdi_narrow_job *job, uint32_t a, uint32_t b) {
    const qd_world *world = job->world;
    const bool alike = world->shape[a] == world->shape[b] && world->shape[a] != 0 &&
                       world->kind[a] == world->kind[b];
    const reaches of_a = reach_of_one(job, a), of_b = alike ? of_a : reach_of_one(job, b);
    reaches found = {0, QDI_SECOND_REACH * (of_a.second < of_b.second ? of_a.second : of_b.second)};
    if (!job->reaches || (job->senses && (qdi_senses(world, a) || qdi_senses(world, b)))) return found;
    found.count = of_a.count < of_b.count ? of_a.count : of_b.count;
    return found;
}

// ---- contacts ----

void qdi_put_touches(const qdi_manifold *manifold, double x, double y, qdi_geometry *geometry,
                     qdi_found_pair *found) {
    *geometry = (qdi_geometry){.normal = manifold->normal};
    *found = (qdi_found_pair){
        .nx = (float)manifold->normal.x, .ny = (float)manifold->normal.y, .count = (uint8_t)manifold->count};
    int first = manifold->count == 2 && manifold->at[1].gap < manifold->at[0].gap;
    for (int k = 0; k < manifold->count; ++k) {
        const qdi_touch *touch = &manifold->at[k ^ first];
        geometry->point[k] = (qd_vec2){x + touch->point.x, y + touch->point.y};
        geometry->depth[k] = 0 - touch->gap; // never -0
        found->feature[k] = touch->feature;
    }
    found->near = geometry->depth[0] < 0;
}

/// Narrow phase: what is said of a pair beside where it touches.
static inline void put_pair_traits(const qdi_narrow_job *job, uint32_t a, uint32_t b, qdi_found_pair *found) {
    if (job->periodic) found->image = nearest_image_of(job, a, b);
    found->sensor = job->senses && (qdi_senses(job->world, a) || qdi_senses(job->world, b));
}

// Writes the geometry of a pair that touches or nearly does.
static void put_found_pair(const qdi_narrow_job *job, uint32_t a, uint32_t b, qd_vec2 d,
                           const qdi_manifold *manifold, qdi_geometry *geometry, qdi_found_pair *found) {
    const double x = job->motion.x[a], y = job->motion.y[a];
    qdi_put_touches(manifold, x, y, geometry, found);
    put_pair_traits(job, a, b, found);
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
    size_t found = 0;
    for (size_t i = begin; i < end; ++i) {
        uint32_t a = job->pairs[i].a, b = job->pairs[i].b;
        job->hits[begin + found] = (uint32_t)i;
        qd_vec2 d = {x[b] - x[a], y[b] - y[a]};
        if (fabs(d.x) > job->half.x || fabs(d.y) > job->half.y)
            d = nearest_offset(job, a, b); // another image is nearer
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
    bool disks, rects, hulls;
    qd_vec2 d;
    reaches reach;
} near_pair;

/// Narrow phase: a body as a pair of rects has it.
static inline qdi_rect_body rect_body(const qdi_narrow_job *job, const qdi_form *form, uint32_t row) {
    const qdi_motion *m = &job->motion;
    return (qdi_rect_body){.c = m->c[row],
                           .s = m->s[row],
                           .half = form->half,
                           .radius = form->radius,
                           .velocity = {m->vx[row], m->vy[row]},
                           .spin = job->world->turning ? m->spin[row] : 0};
}

/// Two bodies, neither of them a disk, as their shapes tell: next to always the next pair has the same.
typedef struct kinship {
    uint32_t shape_a, shape_b;
    uint8_t kind_a, kind_b;
    const qdi_form *form_a, *form_b;
    bool rects, hulls; ///< they are both rects, or polygons of few corners
    reaches reach;
} kinship;

/// Narrow phase: what a pair's shapes tell, unless the last pair's told the same. Sensors have a reach of
/// their own, disks one by one.
static inline void find_kinship(const qdi_narrow_job *job, uint32_t a, uint32_t b, kinship *kin) {
    const qd_world *world = job->world;
    const uint32_t shape_a = world->shape[a], shape_b = world->shape[b];
    const uint8_t kind_a = world->kind[a], kind_b = world->kind[b];
    if (kin->shape_a == shape_a && kin->shape_b == shape_b && kin->kind_a == kind_a &&
        kin->kind_b == kind_b && shape_a && shape_b && !job->senses)
        return;
    const bool shaped = shape_a && shape_b;
    const qdi_form *form_a = shaped ? &world->shapes.form[shape_a] : NULL,
                   *form_b = shaped ? &world->shapes.form[shape_b] : NULL;
    *kin = (kinship){.shape_a = shape_a,
                     .shape_b = shape_b,
                     .kind_a = kind_a,
                     .kind_b = kind_b,
                     .form_a = form_a,
                     .form_b = form_b,
                     .rects = shaped && form_a->kind == QD_SHAPE_RECT && form_b->kind == QD_SHAPE_RECT,
                     .hulls = shaped && qdi_is_small_hull(form_a) && qdi_is_small_hull(form_b),
                     .reach = pair_reach_of(job, a, b)};
}

/// Narrow phase: puts a pair among those that are tested side by side.
static inline void put_pair(const qdi_narrow_job *job, const near_pair *pair, const qdi_form *form_a,
                            const qdi_form *form_b, qdi_rect_pairs *pairs) {
    const qdi_rect_body a = rect_body(job, form_a, pair->a), b = rect_body(job, form_b, pair->b);
    const qd_vec2 at = {job->motion.x[pair->a], job->motion.y[pair->a]};
    qdi_rects_put(pairs, pairs->count++, &a, &b, at, pair->d, pair->reach.second);
}

/// Narrow phase: fills `list` and returns how many; those of two rects go to `rects` too.
static size_t cull_pairs(const qdi_narrow_job *job, size_t begin, size_t end, near_pair *list,
                         qdi_rect_pairs *rects) {
    const qd_world *world = job->world;
    size_t count = 0;
    kinship kin = {.shape_a = 0};
    rects->count = 0;
    for (size_t i = begin; i < end; ++i) {
        uint32_t a = job->pairs[i].a, b = job->pairs[i].b;
        if (boxes_apart(job, a, b)) continue;
        if (job->choosy ? !qdi_may_touch(world, a, b) : qdi_neither_moves(world, a, b)) continue;
        qd_vec2 d = nearest_offset(job, a, b);
        find_kinship(job, a, b, &kin);
        const double sum = world->radius[a] + world->radius[b] + kin.reach.count;
        const bool disks = (kin.shape_a | kin.shape_b) == 0;
        if (disks ? !qdi_disks_meet(d, sum) : !(d.x * d.x + d.y * d.y <= sum * sum * (1 + 1e-12))) continue;
        near_pair *pair = &list[count++];
        pair->candidate = (uint32_t)i; // field by field: a copy of what was just written would have to wait
        pair->a = a;
        pair->b = b;
        pair->disks = disks;
        pair->d = d;
        pair->reach = kin.reach;
        pair->rects = kin.rects;
        pair->hulls = kin.hulls;
        if (kin.rects) put_pair(job, pair, kin.form_a, kin.form_b, rects);
    }
    return count;
}

/// Narrow phase: tests the next pairs of polygons of a list, as many as go into a batch.
static void test_hulls(const qdi_narrow_job *job, const near_pair *list, size_t count, qdi_hull_pairs *hulls,
                       qdi_rect_meets *meets) {
    const qdi_shapes *shapes = &job->world->shapes;
    const uint32_t *shape = job->world->shape;
    hulls->pairs.count = 0;
    for (size_t k = 0; k < count && hulls->pairs.count < QDI_HULLS_MOST; ++k) {
        if (!list[k].hulls) continue;
        const qdi_form *a = &shapes->form[shape[list[k].a]], *b = &shapes->form[shape[list[k].b]];
        hulls->a[hulls->pairs.count] = a->hull;
        hulls->b[hulls->pairs.count] = b->hull;
        put_pair(job, &list[k], a, b, &hulls->pairs);
    }
    job->meet_hulls(hulls, meets);
}

// Position and orientation of a body, for the narrow phase.
static qdi_pose pose_of_row(const qdi_narrow_job *job, uint32_t row, double x, double y) {
    return (qdi_pose){x, y, job->motion.c[row], job->motion.s[row]};
}

/// How two bodies touch that are not both disks.
static bool collide_pair(const qdi_narrow_job *job, const near_pair *pair, qdi_manifold *manifold) {
    const qd_world *world = job->world;
    qdi_form form_a = qdi_form_of_row(world, pair->a), form_b = qdi_form_of_row(world, pair->b);
    qdi_pose pose_a = pose_of_row(job, pair->a, 0, 0),
             pose_b = pose_of_row(job, pair->b, pair->d.x, pair->d.y);
    return qdi_collide(&form_a, &pose_a, &form_b, &pose_b, pair->reach.second, manifold) > 0;
}

/// Narrow phase: puts a pair a side of which faces a side; false where these are beyond reach.
static bool put_facing_sides(const qdi_narrow_job *job, const near_pair *pair, const qdi_rect_meets *meets,
                             size_t at, size_t hit) {
    if (!(meets->least[at] <= pair->reach.count)) return false;
    job->geometry[hit] = (qdi_geometry){
        .normal = {meets->nx[at], meets->ny[at]},
        .point = {{meets->x[0][at], meets->y[0][at]}, {meets->x[1][at], meets->y[1][at]}},
        .depth = {meets->depth[0][at], meets->depth[1][at]}};
    qdi_found_pair *found = &job->found[hit];
    *found = (qdi_found_pair){.approach = meets->approach[at],
                              .nx = (float)meets->nx[at],
                              .ny = (float)meets->ny[at],
                              .feature = {(uint32_t)meets->feature[0][at], (uint32_t)meets->feature[1][at]},
                              .count = (uint8_t)meets->count[at],
                              .near = meets->depth[0][at] < 0};
    put_pair_traits(job, pair->a, pair->b, found);
    return true;
}

/// Narrow phase: tests a pair by itself; false where it is beyond reach.
static bool put_any_pair(const qdi_narrow_job *job, const near_pair *pair, size_t hit) {
    if (pair->disks) {
        put_disk_pair(job, pair->a, pair->b, pair->d, &job->geometry[hit], &job->found[hit]);
        return true;
    }
    qdi_manifold manifold;
    if (!collide_pair(job, pair, &manifold) || !(qdi_manifold_gap(&manifold) <= pair->reach.count))
        return false;
    put_found_pair(job, pair->a, pair->b, pair->d, &manifold, &job->geometry[hit], &job->found[hit]);
    return true;
}

/// Narrow phase: tests a pair that has been tested in a batch, at place `at` of that; false where it is
/// beyond reach.
static bool put_batched(const qdi_narrow_job *job, const near_pair *pair, const qdi_rect_meets *meets,
                        size_t at, size_t hit) {
    if (meets->how[at] == QDI_RECTS_FACE) return put_facing_sides(job, pair, meets, at, hit);
    return meets->how[at] != QDI_RECTS_APART && put_any_pair(job, pair, hit);
}

// Tests candidate pairs of any shapes: rects, or polygons, of several pairs at once, the others each by
// itself.
static size_t test_shaped_pairs(const qdi_narrow_job *job, size_t begin, size_t end) {
    near_pair list[QDI_SHAPED_GRAIN];
    qdi_rect_pairs rects;
    qdi_rect_meets meets, hull_meets;
    qdi_hull_pairs hulls;
    const size_t count = cull_pairs(job, begin, end, list, &rects);
    job->meet_rects(&rects, &meets);
    hulls.pairs.count = 0;
    size_t hit = begin, rect = 0, hull = 0;
    bool moved = false;
    for (size_t k = 0; k < count; ++k) {
        const near_pair *pair = &list[k];
        if (pair->hulls && hull == hulls.pairs.count) {
            test_hulls(job, pair, count - k, &hulls, &hull_meets);
            hull = 0;
        }
        bool met;
        if (pair->rects)
            met = put_batched(job, pair, &meets, rect++, hit);
        else if (pair->hulls)
            met = put_batched(job, pair, &hull_meets, hull++, hit);
        else
            met = put_any_pair(job, pair, hit);
        if (!met) continue;
        moved = moved || (job->laid && job->hits[hit] != pair->candidate);
        job->hits[hit++] = pair->candidate;
    }
    if (hit < end) {
        moved = moved || (job->laid && job->hits[hit] != QDI_NO_HIT);
        job->hits[hit] = QDI_NO_HIT;
    }
    if (moved) atomic_store_explicit(job->moved, true, memory_order_relaxed);
    return hit - begin;
}

void qdi_narrow_pairs(void *context, size_t begin, size_t end) {
    const qdi_narrow_job *job = context;
    job->count[begin / job->grain] = job->plain ? test_disk_pairs(job, begin, end)
                                                : test_shaped_pairs(job, begin, end);
}
