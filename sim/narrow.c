// Exact tests in float64, in three parallel passes: candidates and walls are tested, what touches is put in
// order of (a, b), and contacts are made at the places that this gave them, but one after the other as the candidates
// came (their spots): so what is read of the bodies is in the cache. A range of candidates writes the places of its hits
// into `hits` from its own begin on, so ranges share nothing; a scan over the ranges' counts says where each
// one's keys and spots go:
//
//   candidates  | range 0      | range 1      | range 2    |
//   hits        | 3 9 . . . .  | 14 . . . . . | 22 25 27 . |      counts 2 1 3 -> first 0 2 3
//   keys        | 3 9 14 22 25 27 | walls ...                     sorted by (a, b)
//
// How two bodies that are not both disks touch is found once, with the test, and kept beside the hit. Two touch where
// the gap is not above 0; a second point of theirs may be a little apart (second_reach), so that what comes to rest on a side
// has both its ends from the start.

#include "core/assert.h"
#include "sim/world_impl.h"

#include <math.h>
#include <string.h>

/// How far apart the second point of a contact may be, and for rigid bodies the first one too (qdi_speculative): a part of the
/// distance from centroid to border of the smaller body that moves.
static const double second_reach = 0.05;

/// Candidates per range where they may be anything: what two shapes take is many times what two disks do.
enum { SHAPED_GRAIN = 128 };

typedef struct narrow_job {
    const qd_world *world;
    qdi_motion motion;
    const qdi_meeting *pairs;
    size_t pair_count;
    size_t grain;         ///< candidates per range
    bool stale;           ///< candidates may be those of fat boxes
    qd_vec2 period, half; ///< and half of it, HUGE_VAL where there is none
    int bits;             ///< of b in a key
    unsigned walls;       ///< which walls there are, by bit
    uint32_t *hits;
    qdi_manifold *found; ///< by place in hits; NULL where all bodies are disks
    bool plain;          ///< all bodies are dynamic disks that may touch each other
    qdi_reach reach;     ///< of speculative contacts
    uint8_t *wall_mask;
    size_t *count;      ///< per range of candidates
    size_t *wall_count; ///< per range of bodies
    size_t wall_total;
    size_t *touching, *wall_touching; ///< of these, those that touch
    const qdi_keys *keys;
    size_t wall_first; ///< place of the first wall's key
    qd_contact *contacts;
    qdi_spot *spots;
} narrow_job;

// A key is a << bits | b, b of a wall being the number of indices + the wall's bit. So keys are short, and
// walls sort after bodies; and a bit above all of that makes speculative contacts sort after the others.
static uint64_t key_of(const narrow_job *job, bool near, uint64_t a, uint64_t b) {
    return ((uint64_t)near << job->bits | a) << job->bits | b;
}

static int bits_for(uint64_t most) {
    int bits = 1;
    while (bits < 63 && most >> bits) ++bits;
    return bits;
}

/// Which image of b, `d` away from a along one axis, is the nearest: two bodies, each no longer than half a period, touch
/// through no other. Candidates do not say, for a body may have gone round since they were found.
static int nearest_image(double d, double period) {
    if (period == 0) return 0;
    return (d < -0.5 * period) - (d > 0.5 * period);
}

static qd_image image_of(const narrow_job *job, uint32_t a, uint32_t b) {
    const qdi_motion *m = &job->motion;
    return (qd_image){(int16_t)nearest_image(m->x[b] - m->x[a], job->period.x),
                      (int16_t)nearest_image(m->y[b] - m->y[a], job->period.y)};
}

/// `d` along one axis, or that to the nearest image: next to always there is no other, so a branch is cheaper than the
/// general way. Both give the same bits: adding 0 turns -0 into 0, as adding no period does.
static inline double to_nearest(double d, double period, double half) {
    return fabs(d) > half ? d + nearest_image(d, period) * period : d + 0;
}

/// From the centre of a to that of b's nearest image.
static inline qd_vec2 between(const narrow_job *job, uint32_t a, uint32_t b) {
    const qdi_motion *m = &job->motion;
    return (qd_vec2){to_nearest(m->x[b] - m->x[a], job->period.x, job->half.x),
                     to_nearest(m->y[b] - m->y[a], job->period.y, job->half.y)};
}

/// True where two bodies' own boxes do not even overlap; false where that is not worth finding out.
static bool apart(const narrow_job *job, uint32_t a, uint32_t b) {
    return job->stale && !qd_box_overlap(job->world->boxes[a], job->world->boxes[b]) &&
           (job->period.x == 0 || image_of(job, a, b).x == 0) &&
           (job->period.y == 0 || image_of(job, a, b).y == 0);
}

bool qdi_may_touch(const qd_world *world, uint32_t a, uint32_t b) {
    if (world->kind[a] != QD_BODY_DYNAMIC && world->kind[b] != QD_BODY_DYNAMIC) return false;
    uint32_t trait_a = world->trait[a], trait_b = world->trait[b];
    if (trait_a == 0 && trait_b == 0) return true;
    const qd_filter *p = &world->traits.trait[trait_a].filter, *q = &world->traits.trait[trait_b].filter;
    if (p->group != 0 && p->group == q->group) return p->group > 0;
    return (p->category & q->mask) != 0 && (q->category & p->mask) != 0;
}

double qdi_smaller_inner(const qd_world *world, uint32_t a, uint32_t b) {
    if (b == QDI_NO_ROW || world->kind[b] != QD_BODY_DYNAMIC) return qdi_inner_of_row(world, a);
    double inner_b = qdi_inner_of_row(world, b);
    if (world->kind[a] != QD_BODY_DYNAMIC) return inner_b;
    double inner_a = qdi_inner_of_row(world, a);
    return inner_a < inner_b ? inner_a : inner_b;
}

static bool senses(const qd_world *world, uint32_t row) {
    return world->traits.trait[world->trait[row]].sensor;
}

/// How far two bodies may be apart to count.
static double reach_of(const narrow_job *job, uint32_t a, uint32_t b) {
    const qd_world *world = job->world;
    if (!(job->reach.part > 0) || senses(world, a) || senses(world, b)) return 0;
    bool moves_a = world->kind[a] == QD_BODY_DYNAMIC, moves_b = world->kind[b] == QD_BODY_DYNAMIC;
    double reach_a = moves_a ? qdi_reach_of_row(world, &job->reach, a) : HUGE_VAL;
    double reach_b = moves_b ? qdi_reach_of_row(world, &job->reach, b) : HUGE_VAL;
    return reach_a < reach_b ? reach_a : reach_b;
}

/// The least gap of a manifold.
static double gap_of(const qdi_manifold *manifold) {
    double gap = HUGE_VAL;
    for (int k = 0; k < manifold->count; ++k)
        if (manifold->at[k].gap < gap) gap = manifold->at[k].gap;
    return gap;
}

/// How two bodies touch that are not both disks; `d` is from a to b.
static bool meet(const narrow_job *job, uint32_t a, uint32_t b, qd_vec2 d, qdi_manifold *manifold) {
    const qd_world *world = job->world;
    double reach = reach_of(job, a, b), sum = world->radius[a] + world->radius[b] + reach;
    if (!(d.x * d.x + d.y * d.y <= sum * sum * (1 + 1e-12))) return false;
    const qdi_motion *m = &job->motion;
    qdi_form form_a = qdi_form_of_row(world, a), form_b = qdi_form_of_row(world, b);
    qdi_pose pose_a = {0, 0, m->c[a], m->s[a]}, pose_b = {d.x, d.y, m->c[b], m->s[b]};
    double within = second_reach * qdi_smaller_inner(world, a, b);
    if (qdi_collide(&form_a, &pose_a, &form_b, &pose_b, within, manifold) == 0) return false;
    return gap_of(manifold) <= reach;
}

static size_t test_plain_pairs(const narrow_job *job, size_t begin, size_t end) {
    const double *radius = job->world->radius, *x = job->motion.x, *y = job->motion.y;
    const double far_x = job->period.x > 0 ? 0.5 * job->period.x : HUGE_VAL;
    const double far_y = job->period.y > 0 ? 0.5 * job->period.y : HUGE_VAL;
    size_t found = 0;
    for (size_t i = begin; i < end; ++i) {
        uint32_t a = job->pairs[i].a, b = job->pairs[i].b;
        job->hits[begin + found] = (uint32_t)i;
        qd_vec2 d = {x[b] - x[a], y[b] - y[a]};
        if (fabs(d.x) > far_x || fabs(d.y) > far_y) d = between(job, a, b); // another image is nearer
        double least = radius[a] < radius[b] ? radius[a] : radius[b],
               largest = radius[a] < radius[b] ? radius[b] : radius[a];
        found += qdi_disks_meet(d, radius[a] + radius[b] + qdi_reach_of(&job->reach, least, largest));
    }
    return found;
}

static size_t test_any_pairs(const narrow_job *job, size_t begin, size_t end) {
    const qd_world *world = job->world;
    size_t found = 0;
    for (size_t i = begin; i < end; ++i) {
        uint32_t a = job->pairs[i].a, b = job->pairs[i].b;
        if (apart(job, a, b) || !qdi_may_touch(world, a, b)) continue;
        qd_vec2 d = between(job, a, b);
        job->hits[begin + found] = (uint32_t)i;
        if ((world->shape[a] | world->shape[b]) != 0)
            found += meet(job, a, b, d, &job->found[begin + found]);
        else
            found += qdi_disks_meet(d, world->radius[a] + world->radius[b] + reach_of(job, a, b));
    }
    return found;
}

static void test_pairs(void *context, size_t begin, size_t end, int worker) {
    (void)worker;
    const narrow_job *job = context;
    job->count[begin / job->grain] = job->plain ? test_plain_pairs(job, begin, end)
                                                : test_any_pairs(job, begin, end);
}

/// How deep a body is in a wall, if it were a disk of its radius.
static double wall_depth(const narrow_job *job, uint32_t row, int wall) {
    const qd_world *world = job->world;
    const qdi_axis *axis = &world->axis[wall / 2];
    double at = wall / 2 == 0 ? job->motion.x[row] : job->motion.y[row];
    double radius = world->radius[row];
    return wall % 2 == 0 ? axis->low - (at - radius) : at + radius - axis->high;
}

/// From a body straight into a wall.
static qd_vec2 wall_normal(int wall) {
    double sign = wall % 2 == 0 ? -1 : 1;
    return wall / 2 == 0 ? (qd_vec2){sign, 0} : (qd_vec2){0, sign};
}

/// How far from a wall a body may be to count.
static double wall_reach(const narrow_job *job, uint32_t row) {
    const qd_world *world = job->world;
    if (!(job->reach.part > 0) || (!job->plain && senses(world, row))) return 0;
    return qdi_reach_of_row(world, &job->reach, row);
}

/// How a body that is no disk meets a wall; false: not at all.
static bool meet_wall(const narrow_job *job, uint32_t row, int wall, qdi_manifold *manifold) {
    const qd_world *world = job->world;
    const qdi_axis *axis = &world->axis[wall / 2];
    double at = wall / 2 == 0 ? job->motion.x[row] : job->motion.y[row];
    double distance = wall % 2 == 0 ? at - axis->low : axis->high - at;
    const qdi_form *form = &world->shapes.form[world->shape[row]];
    double within = second_reach * qdi_inner_of_row(world, row);
    return qdi_collide_wall(form, job->motion.c[row], job->motion.s[row], wall_normal(wall), distance, within,
                            manifold) > 0 &&
           gap_of(manifold) <= wall_reach(job, row);
}

/// Walls of `mask`, within reach of a disk of the body's radius, that the body meets: by bit; four bits above those that it does not touch.
static unsigned walls_met(const narrow_job *job, uint32_t row, unsigned mask) {
    const qd_world *world = job->world;
    if (world->kind[row] != QD_BODY_DYNAMIC) return 0;
    unsigned met = 0, near = 0;
    for (int wall = 0; wall < QDI_WALLS; ++wall) {
        if (!(mask >> wall & 1U)) continue;
        qdi_manifold manifold;
        bool disk = world->shape[row] == 0;
        if (!disk && !meet_wall(job, row, wall, &manifold)) continue;
        met |= 1U << wall;
        double gap = disk ? -wall_depth(job, row, wall) : gap_of(&manifold);
        near |= (unsigned)(gap > 0) << wall;
    }
    return met | near << QDI_WALLS;
}

static void test_walls(void *context, size_t begin, size_t end, int worker) {
    (void)worker;
    const narrow_job *job = context;
    size_t found = 0;
    for (size_t r = begin; r < end; ++r) {
        unsigned mask = 0;
        const double reach = wall_reach(job, (uint32_t)r);
        for (int wall = 0; wall < QDI_WALLS; ++wall)
            mask |= (unsigned)(wall_depth(job, (uint32_t)r, wall) >= -reach) << wall;
        mask &= job->walls;
        if (mask) mask = walls_met(job, (uint32_t)r, mask);
        job->wall_mask[r] = (uint8_t)mask;
        found += (mask & 1U) + (mask >> 1 & 1U) + (mask >> 2 & 1U) + (mask >> 3 & 1U);
    }
    job->wall_count[begin / QDI_BODY_GRAIN] = found;
}

/// True where what was found does not touch.
static bool is_near(const narrow_job *job, size_t hit) {
    const qd_world *world = job->world;
    if (!(job->reach.part > 0)) return false;
    const qdi_meeting pair = job->pairs[job->hits[hit]];
    if ((world->shape[pair.a] | world->shape[pair.b]) != 0) return gap_of(&job->found[hit]) > 0;
    return !qdi_disks_meet(between(job, pair.a, pair.b), world->radius[pair.a] + world->radius[pair.b]);
}

static void key_pairs(void *context, size_t begin, size_t end, int worker) {
    (void)worker;
    const narrow_job *job = context;
    size_t range = begin / job->grain, ranges = qdi_range_count(job->pair_count, job->grain);
    size_t place = job->count[range];
    size_t stop = range + 1 < ranges ? job->count[range + 1] : job->wall_first;
    const qd_body_index *index = job->world->index;
    size_t touching = 0;
    (void)end;
    for (size_t k = begin; place < stop; ++k, ++place) {
        const qdi_meeting pair = job->pairs[job->hits[k]];
        bool near = is_near(job, k);
        touching += !near;
        job->keys->key[place] = key_of(job, near, index[pair.a], index[pair.b]);
        job->keys->value[place] = (uint32_t)place;
    }
    job->touching[range] = touching;
}

/// Where the keys of the walls that a range of bodies touches end.
static size_t walls_stop(const narrow_job *job, size_t begin) {
    size_t range = begin / QDI_BODY_GRAIN, ranges = qdi_range_count(job->world->count, QDI_BODY_GRAIN);
    return job->wall_first + (range + 1 < ranges ? job->wall_count[range + 1] : job->wall_total);
}

static void key_walls(void *context, size_t begin, size_t end, int worker) {
    (void)worker;
    const narrow_job *job = context;
    const qd_world *world = job->world;
    size_t place = job->wall_first + job->wall_count[begin / QDI_BODY_GRAIN];
    size_t stop = walls_stop(job, begin), touching = 0;
    for (size_t r = begin; r < end && place < stop; ++r) {
        const unsigned met = job->wall_mask[r];
        for (unsigned wall = 0; wall < QDI_WALLS; ++wall) {
            if (!(met >> wall & 1U)) continue;
            bool near = met >> (QDI_WALLS + wall) & 1U;
            touching += !near;
            job->keys->key[place] = key_of(job, near, world->index[r], world->index_count + wall);
            job->keys->value[place] = (uint32_t)place;
            ++place;
        }
    }
    job->wall_touching[begin / QDI_BODY_GRAIN] = touching;
}

// ---- contacts ----

/// Velocity of a body's point that lies at `arm` from its centroid.
static qd_vec2 velocity_at(const narrow_job *job, uint32_t row, qd_vec2 arm) {
    const qdi_motion *m = &job->motion;
    double spin = job->world->turning ? m->spin[row] : 0;
    return (qd_vec2){m->vx[row] - spin * arm.y, m->vy[row] + spin * arm.x};
}

/// Touches from a manifold about (x, y), the deeper one first.
static void put_touches(qd_contact *contact, const qdi_manifold *manifold, double x, double y) {
    contact->normal = manifold->normal;
    contact->count = (uint8_t)manifold->count;
    int first = manifold->count == 2 && manifold->at[1].gap < manifold->at[0].gap;
    for (int k = 0; k < manifold->count; ++k) {
        const qdi_touch *touch = &manifold->at[k ^ first];
        contact->touch[k] = (qd_touch){.point = {x + touch->point.x, y + touch->point.y},
                                       .depth = 0 - touch->gap, // never -0
                                       .feature = touch->feature};
    }
}

static qd_contact wall_contact(const narrow_job *job, uint32_t row, int wall) {
    const qd_world *world = job->world;
    double x = job->motion.x[row], y = job->motion.y[row];
    qdi_manifold manifold = {.normal = wall_normal(wall), .count = 1};
    if (world->shape[row] == 0) {
        double depth = wall_depth(job, row, wall), to_point = world->radius[row] - 0.5 * depth;
        manifold.at[0].point = (qd_vec2){manifold.normal.x * to_point, manifold.normal.y * to_point};
        manifold.at[0].gap = -depth;
    } else {
        bool met = meet_wall(job, row, wall, &manifold);
        QD_ASSERT(met);
        (void)met;
    }
    qd_contact contact = {.a = {world->index[row], world->generation[row]},
                          .b = {(uint32_t)QD_WALL_LEFT + (uint32_t)wall, 0},
                          .sensor = world->traits.trait[world->trait[row]].sensor};
    put_touches(&contact, &manifold, x, y);
    qd_vec2 arm = {contact.touch[0].point.x - x, contact.touch[0].point.y - y};
    qd_vec2 v = velocity_at(job, row, arm), w = world->wall_speed[wall];
    contact.approach = (v.x - w.x) * contact.normal.x + (v.y - w.y) * contact.normal.y;
    return contact;
}

static void make_pair_contact(const narrow_job *job, size_t hit, qdi_spot *spot, qd_contact *contact) {
    const qd_world *world = job->world;
    const qdi_meeting pair = job->pairs[job->hits[hit]];
    uint32_t a = pair.a, b = pair.b;
    spot->row_a = a;
    spot->row_b = b;
    qd_vec2 d = between(job, a, b);
    memset(contact, 0, sizeof *contact);
    contact->a = (qd_id){world->index[a], world->generation[a]};
    contact->b = (qd_id){world->index[b], world->generation[b]};
    contact->image = image_of(job, a, b);
    if (!job->plain)
        contact->sensor = world->traits.trait[world->trait[a]].sensor ||
                          world->traits.trait[world->trait[b]].sensor;
    qdi_manifold disks = {.count = 0};
    const qdi_manifold *manifold = &disks;
    if ((world->shape[a] | world->shape[b]) != 0)
        manifold = &job->found[hit];
    else
        (void)qdi_collide_disks(world->radius[a], world->radius[b], d, HUGE_VAL, &disks);
    put_touches(contact, manifold, job->motion.x[a], job->motion.y[a]);
    qd_vec2 arm = {contact->touch[0].point.x - job->motion.x[a],
                   contact->touch[0].point.y - job->motion.y[a]};
    qd_vec2 va = velocity_at(job, a, arm), vb = velocity_at(job, b, (qd_vec2){arm.x - d.x, arm.y - d.y});
    contact->approach = (va.x - vb.x) * contact->normal.x + (va.y - vb.y) * contact->normal.y;
}

/// Tells every spot which contact it is.
static void number_spots(void *context, size_t begin, size_t end, int worker) {
    (void)worker;
    const narrow_job *job = context;
    for (size_t i = begin; i < end; ++i) job->spots[job->keys->value[i]].contact = (uint32_t)i;
}

/// Contacts lie in order of (a, b), which is any order here: what is written soon is asked for ahead.
enum { AHEAD = 4 };
static inline void ask_for(qd_contact *contact) {
    for (size_t at = 0; at < sizeof *contact; at += 64) __builtin_prefetch((char *)contact + at, 1);
}

static void make_pair_contacts(void *context, size_t begin, size_t end, int worker) {
    (void)worker;
    const narrow_job *job = context;
    size_t range = begin / job->grain, ranges = qdi_range_count(job->pair_count, job->grain);
    size_t place = job->count[range];
    size_t stop = range + 1 < ranges ? job->count[range + 1] : job->wall_first;
    (void)end;
    for (size_t k = begin; place < stop; ++k, ++place) {
        qdi_spot *spot = &job->spots[place];
        if (place + AHEAD < stop) ask_for(&job->contacts[job->spots[place + AHEAD].contact]);
        make_pair_contact(job, k, spot, &job->contacts[spot->contact]);
    }
}

static void make_wall_contacts(void *context, size_t begin, size_t end, int worker) {
    (void)worker;
    const narrow_job *job = context;
    size_t place = job->wall_first + job->wall_count[begin / QDI_BODY_GRAIN];
    size_t stop = walls_stop(job, begin);
    for (size_t r = begin; r < end && place < stop; ++r) {
        for (int wall = 0; wall < QDI_WALLS; ++wall) {
            if (!(job->wall_mask[r] >> wall & 1U)) continue;
            qdi_spot *spot = &job->spots[place++];
            job->contacts[spot->contact] = wall_contact(job, (uint32_t)r, wall);
            spot->row_a = (uint32_t)r;
            spot->row_b = QDI_NO_ROW;
        }
    }
}

// ---- spots of contacts that came by another way ----

typedef struct spots_job {
    const qd_world *world;
    qdi_moment *moment;
} spots_job;

static void find_rows(void *context, size_t begin, size_t end, int worker) {
    (void)worker;
    const spots_job *job = context;
    for (size_t i = begin; i < end; ++i) {
        qdi_spot *spot = &job->moment->spots[i];
        const qd_contact *contact = &job->moment->contacts[spot->contact];
        spot->row_a = job->world->row_of_index[contact->a.index];
        spot->row_b = qd_id_is_wall(contact->b) ? QDI_NO_ROW : job->world->row_of_index[contact->b.index];
    }
}

void qdi_spots_find_rows(qd_world *world, qdi_moment *moment) {
    spots_job job = {world, moment};
    qdi_team_for(world->team, qdi_constraint_count(moment), QDI_CONTACT_GRAIN, find_rows, &job);
}

qd_status qdi_spots_make(qd_world *world, qdi_moment *moment) {
    size_t count = qdi_constraint_count(moment), place = 0;
    qd_status status = qdi_reserve(world->allocator, &moment->spots, &moment->spot_room, 0, count,
                                   sizeof *moment->spots);
    if (status != QD_OK) return status;
    for (size_t i = 0; i < count; ++i)
        if (!qd_id_is_wall(moment->contacts[i].b)) moment->spots[place++].contact = (uint32_t)i;
    moment->first_wall = place;
    for (size_t i = 0; i < count; ++i)
        if (qd_id_is_wall(moment->contacts[i].b)) moment->spots[place++].contact = (uint32_t)i;
    qdi_spots_find_rows(world, moment);
    return QD_OK;
}

// ---- all of it ----

/// Walls are in the contacts of the rigid model only: without one, they mirror.
static unsigned walls_of(const qd_world *world) {
    if (world->def.contact == QD_CONTACT_NONE) return 0;
    return (world->axis[0].boundary == QD_BOUNDARY_REFLECT ? 3U : 0U) |
           (world->axis[1].boundary == QD_BOUNDARY_REFLECT ? 12U : 0U);
}

static qd_status reserve_tests(qd_world *world, narrow_job *job) {
    qdi_scratch *scratch = &world->scratch;
    size_t ranges = qdi_range_count(job->pair_count, job->grain);
    size_t body_ranges = job->walls ? qdi_range_count(world->count, QDI_BODY_GRAIN) : 0;
    qd_status status = qdi_reserve(world->allocator, &scratch->range_count, &scratch->range_room, 0,
                                   2 * (ranges + body_ranges), sizeof *scratch->range_count);
    if (status == QD_OK)
        status = qdi_reserve(world->allocator, &scratch->hits, &scratch->hit_room, 0, job->pair_count,
                             sizeof *scratch->hits);
    if (status == QD_OK && world->shaped > 0)
        status = qdi_reserve(world->allocator, &scratch->found, &scratch->found_room, 0, job->pair_count,
                             sizeof *scratch->found);
    if (status == QD_OK && job->walls)
        status = qdi_reserve(world->allocator, &scratch->wall_mask, &scratch->wall_room, 0, world->count, 1);
    job->count = scratch->range_count;
    job->wall_count = scratch->range_count ? scratch->range_count + ranges : NULL;
    job->touching = scratch->range_count ? scratch->range_count + ranges + body_ranges : NULL;
    job->wall_touching = scratch->range_count ? job->touching + ranges : NULL;
    job->hits = scratch->hits;
    job->found = scratch->found;
    job->wall_mask = scratch->wall_mask;
    return status;
}

qd_status qdi_narrow(qd_world *world, const qdi_motion *motion, qdi_moment *moment) {
    qd_team *team = world->team;
    narrow_job job = {
        .world = world, .motion = *motion, .walls = walls_of(world), .keys = &world->scratch.keys};
    job.pairs = world->met;
    job.pair_count = world->met_count;
    job.stale = world->margin.held;
    job.reach = qdi_world_reach(world);
    job.period = qdi_world_period(world);
    job.half = (qd_vec2){job.period.x > 0 ? 0.5 * job.period.x : HUGE_VAL,
                         job.period.y > 0 ? 0.5 * job.period.y : HUGE_VAL};
    job.plain = world->shaped == 0 && world->fixed == 0 && world->traits.numbers.live == 0;
    job.grain = job.plain ? QDI_CONTACT_GRAIN : SHAPED_GRAIN;
    job.bits = bits_for(world->index_count + QDI_WALLS);
    qd_status status = reserve_tests(world, &job);
    if (status != QD_OK) return status;

    // Two disks are tested in a few nanoseconds: so few of them are not worth another thread.
    if (job.plain) qdi_contacts_share(world, job.pair_count / 2);
    qdi_team_for(team, job.pair_count, job.grain, test_pairs, &job);
    size_t body_ranges = job.walls ? qdi_range_count(world->count, QDI_BODY_GRAIN) : 0;
    if (job.walls) qdi_team_for(team, world->count, QDI_BODY_GRAIN, test_walls, &job);
    job.wall_first = qdi_exclusive_scan(job.count, qdi_range_count(job.pair_count, job.grain));
    job.wall_total = qdi_exclusive_scan(job.wall_count, body_ranges);
    size_t count = job.wall_first + job.wall_total;
    qdi_contacts_share(world, count);

    status = qdi_keys_reserve(world->allocator, &world->scratch.keys, count);
    if (status == QD_OK)
        status = qdi_reserve(world->allocator, &moment->contacts, &moment->contact_room, 0, count,
                             sizeof *moment->contacts);
    if (status == QD_OK)
        status = qdi_reserve(world->allocator, &moment->spots, &moment->spot_room, 0, count,
                             sizeof *moment->spots);
    if (status != QD_OK) return status;
    job.contacts = moment->contacts;
    job.spots = moment->spots;
    qdi_team_for(team, job.pair_count, job.grain, key_pairs, &job);
    if (job.walls) qdi_team_for(team, world->count, QDI_BODY_GRAIN, key_walls, &job);
    size_t touching = 0;
    for (size_t k = 0; k < qdi_range_count(job.pair_count, job.grain); ++k) touching += job.touching[k];
    for (size_t k = 0; k < body_ranges; ++k) touching += job.wall_touching[k];
    qdi_keys *keys = &world->scratch.keys;
    status = qdi_team_sort(team, keys->key, keys->value, keys->key_spare, keys->value_spare, count,
                           2 * job.bits + (job.reach.part > 0));
    if (status != QD_OK) return status;
    qdi_team_for(team, count, QDI_CONTACT_GRAIN, number_spots, &job);
    qdi_team_for(team, job.pair_count, job.grain, make_pair_contacts, &job);
    if (job.walls) qdi_team_for(team, world->count, QDI_BODY_GRAIN, make_wall_contacts, &job);
    moment->contact_count = touching;
    moment->near_count = count - touching;
    moment->first_wall = job.wall_first;
    return QD_OK;
}
