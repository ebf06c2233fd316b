// Exact tests in float64, in parallel passes: candidates (narrow_pairs.c) and walls are tested, and what is
// within reach is noted beside the hit; keys are put in order of (a, b), and contacts get their ranks by it.
// Their spots stay in the order of the candidates. What lies on each other is for many steps the same pairs,
// found among the same candidates: then a state that was theirs has its spots and their order still. A range
// of candidates writes its hits from its own begin on, so ranges share nothing; a scan over the ranges'
// counts says where each one's keys and spots go:
//
//   candidates  | range 0      | range 1      | range 2    |
//   hits        | 3 9 . . . .  | 14 . . . . . | 22 25 27 . |      counts 2 1 3 -> first 0 2 3
//   keys        | 3 9 14 22 25 27 | walls ...                     sorted by (a, b)
//
// Two touch where the gap is not above 0; a second point of theirs may be a little apart (QDI_SECOND_REACH),
// so that what comes to rest on a side has both its ends from the start.

#include "sim/contact/narrow.h"

#include "core/base/assert.h"
#include "core/base/memory.h"
#include "sim/contact/carry.h"
#include "sim/contact/narrow_job.h"
#include "sim/world/contact_state.h"
#include "sim/world/grain.h"
#include "sim/world/order.h"
#include "sim/world/part.h"
#include "sim/world/pose.h"
#include "sim/world/reach.h"
#include "sim/world/scratch.h"
#include "sim/world/spots.h"
#include "sim/world/surface.h"
#include "sim/world/walls.h"
#include "sim/world/world_impl.h"

#include <math.h>
#include <string.h>

// Narrow phase: a key is a << bits | b, b of a wall being the number of indices + the wall's number. So keys
// are short, and walls sort after bodies.
static uint64_t key_of(const qdi_narrow_job *job, uint64_t a, uint64_t b) {
    return a << job->bits | b;
}

/// Puts the partners of a place; true where it had others in the moment before.
static inline bool put_partners(const qdi_narrow_job *job, size_t place, qd_id a, qd_id b) {
    const qdi_contact_state *before = &job->world->present;
    const qdi_partners partners = {a, b};
    job->partners[place] = partners;
    return place >= job->kept || !qdi_same_bytes(&before->partners[place], &partners, sizeof partners);
}

// The narrow phase notes that something is not as in the moment before.
static void note_change(atomic_bool *what, bool changed) {
    if (changed) atomic_store_explicit(what, true, memory_order_relaxed);
}

// Bits that a number up to the given one takes, for the sort of contact keys.
static int bits_for(uint64_t most) {
    int bits = 1;
    while (bits < 63 && most >> bits) ++bits;
    return bits;
}

/// Narrow phase: true for a trait whose filter may let others through.
static bool is_choosy(const qdi_trait *trait) {
    return trait->filter.group != 0 || trait->filter.category == 0 || trait->filter.mask != UINT32_MAX;
}

/// Narrow phase: true for a trait of sensors.
static bool is_sensor(const qdi_trait *trait) {
    return trait->sensor;
}

bool qdi_may_touch(const qd_world *world, uint32_t a, uint32_t b) {
    if (qdi_neither_moves(world, a, b)) return false;
    uint32_t trait_a = world->trait[a], trait_b = world->trait[b];
    if (trait_a == 0 && trait_b == 0) return true;
    const qd_filter *p = &world->traits.trait[trait_a].filter, *q = &world->traits.trait[trait_b].filter;
    if (p->group != 0 && p->group == q->group) return p->group > 0;
    return (p->category & q->mask) != 0 && (q->category & p->mask) != 0;
}

/// Narrow phase: how far from a wall a body may be to count.
static double wall_reach(const qdi_narrow_job *job, uint32_t row) {
    const qd_world *world = job->world;
    if (!job->reaches || (!job->plain && qdi_senses(world, row))) return 0;
    return qdi_reach_of_row(world, &job->reach, row);
}

/// Narrow phase: how a body that is no disk meets a wall; false: not at all.
static bool meet_wall(const qdi_narrow_job *job, uint32_t row, int wall, qdi_manifold *manifold) {
    const qd_world *world = job->world;
    const qdi_axis *axis = &world->axis[wall / 2];
    double at = wall / 2 == 0 ? job->motion.x[row] : job->motion.y[row];
    double distance = wall % 2 == 0 ? at - axis->low : axis->high - at;
    const qdi_form *form = &world->shapes.form[world->shape[row]];
    double within = QDI_SECOND_REACH * qdi_inner_of_row(world, row);
    return qdi_collide_wall(form, job->motion.c[row], job->motion.s[row], qdi_wall_normal(wall), distance,
                            within, manifold) > 0 &&
           qdi_manifold_gap(manifold) <= wall_reach(job, row);
}

/// Narrow phase: walls of `mask`, within reach of a disk of the body's radius, that the body meets: by bit;
/// four bits above those that it does not touch.
static unsigned walls_met(const qdi_narrow_job *job, uint32_t row, unsigned mask) {
    const qd_world *world = job->world;
    if (world->kind[row] != QD_BODY_DYNAMIC || qdi_is_ghost(world, row)) return 0;
    unsigned met = 0, near = 0;
    for (int wall = 0; wall < QDI_WALLS; ++wall) {
        if (!(mask >> wall & 1U)) continue;
        qdi_manifold manifold;
        bool disk = world->shape[row] == 0;
        if (!disk && !meet_wall(job, row, wall, &manifold)) continue;
        met |= 1U << wall;
        double gap = disk ? -qdi_narrow_wall_depth(job, row, wall) : qdi_manifold_gap(&manifold);
        near |= (unsigned)(gap > 0) << wall;
    }
    return met | near << QDI_WALLS;
}

/// Narrow phase: tests a body against all walls; walls_met says of what.
static unsigned test_body_walls(const qdi_narrow_job *job, uint32_t row) {
    unsigned mask = 0;
    const double reach = wall_reach(job, row);
    for (int wall = 0; wall < QDI_WALLS; ++wall)
        mask |= (unsigned)(qdi_narrow_wall_depth(job, row, wall) >= -reach) << wall;
    mask &= job->walls;
    return mask ? walls_met(job, row, mask) : 0;
}

/// Where a body's centroid along an axis lies by more than some way from both walls, by rounding too.
typedef struct amid {
    double low, high;
} amid;

/// Narrow phase: that of axis `k`; anywhere along one without walls.
static amid amid_walls(const qdi_narrow_job *job, int k) {
    if (!(job->walls >> (2 * k) & 1U)) return (amid){-HUGE_VAL, HUGE_VAL};
    const qdi_axis *axis = &job->world->axis[k];
    const double rounding = 1e-15 * (fabs(axis->low) + fabs(axis->high));
    return (amid){axis->low + rounding, axis->high - rounding};
}

// Tests the bodies of a range against walls, and counts what touches. Most are further from all walls than
// the most that wall_reach may be, which a few products tell.
static void test_walls(void *context, size_t begin, size_t end) {
    const qdi_narrow_job *job = context;
    const double *x = job->motion.x, *y = job->motion.y, *radius = job->world->radius;
    const amid across = amid_walls(job, 0), upright = amid_walls(job, 1);
    const double part = (1 + job->reach.part) * (1 + 1e-12), length = job->reach.length;
    uint8_t *wall_mask = job->wall_mask;
    size_t found = 0;
    for (size_t r = begin; r < end; ++r) {
        const double most = part * radius[r] + length;
        wall_mask[r] = 0;
        if ((x[r] - across.low > most) & (across.high - x[r] > most) & (y[r] - upright.low > most) &
            (upright.high - y[r] > most))
            continue;
        const unsigned mask = test_body_walls(job, (uint32_t)r);
        wall_mask[r] = (uint8_t)mask;
        found += (mask & 1U) + (mask >> 1 & 1U) + (mask >> 2 & 1U) + (mask >> 3 & 1U);
    }
    job->wall_count[begin / QDI_BODY_GRAIN] = found;
}

/// Bodies within reach lie here and there: they are asked for ahead.
enum { AHEAD = 8 };
/// Narrow phase: asks for what a pair's contact is made of.
static inline void ask_for(const qdi_narrow_job *job, uint32_t row) {
    __builtin_prefetch(&job->motion.x[row]);
    __builtin_prefetch(&job->motion.y[row]);
    __builtin_prefetch(&job->motion.vx[row]);
    __builtin_prefetch(&job->motion.vy[row]);
}

// Writes the partners and the spots of pairs within reach; of disks also what was found.
static void place_pairs(void *context, size_t begin, size_t end) {
    const qdi_narrow_job *job = context;
    size_t range = begin / job->grain, ranges = qdi_range_count(job->pair_count, job->grain);
    size_t place = job->count[range];
    size_t stop = range + 1 < ranges ? job->count[range + 1] : job->wall_first;
    const qd_body_index *index = job->world->index;
    const uint32_t *generation = job->world->generation;
    bool changed = false;
    (void)end;
    for (size_t k = begin; place < stop; ++k, ++place) {
        const qdi_meeting pair = job->pairs[job->hits[k]];
        const bool plain = job->plain;
        if (plain && place + AHEAD < stop) {
            const qdi_meeting later = job->pairs[job->hits[k + AHEAD]];
            ask_for(job, later.a);
            ask_for(job, later.b);
        }
        const size_t at = plain ? place : k;
        if (plain) {
            qdi_narrow_disks(job, pair, &job->geometry[at], &job->found[at]);
            job->found[at].near = qdi_narrow_near(job, pair);
        }
        changed |= put_partners(job, place, (qd_id){index[pair.a], generation[pair.a]},
                                (qd_id){index[pair.b], generation[pair.b]});
        job->spots[place] = (qdi_spot){.row_a = pair.a, .row_b = pair.b, .geometry = (uint32_t)at};
    }
    note_change(job->changed, changed);
}

/// Narrow phase: how a body meets a wall.
static void meet_any_wall(const qdi_narrow_job *job, uint32_t row, int wall, qdi_geometry *geometry,
                          qdi_found_pair *found) {
    const qd_world *world = job->world;
    double x = job->motion.x[row], y = job->motion.y[row];
    qdi_manifold manifold = {.normal = qdi_wall_normal(wall), .count = 1};
    if (world->shape[row] == 0) {
        double depth = qdi_narrow_wall_depth(job, row, wall), to_point = world->radius[row] - 0.5 * depth;
        manifold.at[0].point = (qd_vec2){manifold.normal.x * to_point, manifold.normal.y * to_point};
        manifold.at[0].gap = -depth;
    } else {
        bool met = meet_wall(job, row, wall, &manifold);
        QD_ASSERT(met);
        (void)met;
    }
    qdi_put_touches(&manifold, x, y, geometry, found);
    found->sensor = world->traits.trait[world->trait[row]].sensor;
    qd_vec2 arm = {geometry->point[0].x - x, geometry->point[0].y - y};
    qd_vec2 v = qdi_velocity_at(job, row, arm), w = world->wall_speed[wall];
    found->approach = (v.x - w.x) * geometry->normal.x + (v.y - w.y) * geometry->normal.y;
}

/// Narrow phase: puts the spot of a contact with a wall; true where there was another one in the moment
/// before.
static inline bool put_wall_spot(const qdi_narrow_job *job, size_t place, uint32_t row, uint32_t wall) {
    const qdi_spot *before = job->laid ? &job->world->present.spots[place] : NULL;
    job->spots[place] = (qdi_spot){.row_a = row,
                                   .row_b = QDI_NO_ROW,
                                   .rank = before ? before->rank : 0,
                                   .geometry = (uint32_t)(job->wall_geometry + place),
                                   .wall = wall};
    return !before || before->row_a != row || before->row_b != QDI_NO_ROW || before->wall != wall;
}

// Writes the partners and the spots of contacts with walls, and what was found.
static void place_walls(void *context, size_t begin, size_t end) {
    const qdi_narrow_job *job = context;
    const qd_world *world = job->world;
    const size_t range = begin / QDI_BODY_GRAIN, last = range + 1;
    const size_t stop = last < qdi_range_count(world->count, QDI_BODY_GRAIN) ? job->wall_count[last]
                                                                             : job->wall_total;
    if (job->wall_count[range] == stop) return;
    size_t place = job->wall_first + job->wall_count[range];
    bool changed = false, moved = false;
    for (size_t r = begin; r < end; ++r) {
        const unsigned met = job->wall_mask[r];
        for (unsigned wall = 0; met && wall < QDI_WALLS; ++wall) {
            if (!(met >> wall & 1U)) continue;
            const size_t at = job->wall_geometry + place;
            meet_any_wall(job, (uint32_t)r, (int)wall, &job->geometry[at], &job->found[at]);
            job->found[at].near = met >> (QDI_WALLS + wall) & 1U;
            moved |= put_wall_spot(job, place, (uint32_t)r, wall);
            changed |= put_partners(job, place, (qd_id){world->index[r], world->generation[r]},
                                    (qd_id){(uint32_t)QD_WALL_LEFT + wall, 0});
            place += 1;
        }
    }
    note_change(job->changed, changed);
    note_change(job->moved, moved);
}

// ---- order ----

// Narrow phase: keys of a range of contacts, to be sorted.
static void fill_sort_keys(void *context, size_t begin, size_t end) {
    const qdi_narrow_job *job = context;
    const uint32_t indices = (uint32_t)job->world->index_count;
    for (size_t p = begin; p < end; ++p) {
        const qd_id a = job->partners[p].a, b = job->partners[p].b;
        job->keys->key[p] = key_of(job, a.index,
                                   p < job->wall_first ? b.index : indices + job->spots[p].wall);
        job->keys->value[p] = (uint32_t)p;
    }
}

// Narrow phase: gives a range of the sorted contacts their ranks.
static void rank_range(void *context, size_t begin, size_t end) {
    const qdi_narrow_job *job = context;
    const qdi_contact_state *state = &job->world->following;
    for (size_t r = begin; r < end; ++r) {
        const uint32_t place = job->keys->value[r];
        state->ranked[r] = place;
        state->order[r] = qdi_contact_order(job->partners[place].a, job->partners[place].b);
        job->spots[place].rank = (uint32_t)r;
    }
}

// Narrow phase: the same where they are those of the moment before.
static void copy_ranks(void *context, size_t begin, size_t end) {
    const qdi_narrow_job *job = context;
    const qdi_contact_state *from = &job->world->present, *state = &job->world->following;
    memcpy(state->ranked + begin, from->ranked + begin, (end - begin) * sizeof *state->ranked);
    memcpy(state->order + begin, from->order + begin, (end - begin) * sizeof *state->order);
    for (size_t p = begin; p < end; ++p) job->spots[p].rank = from->spots[p].rank;
}

/// Narrow phase: puts the places in the order of their keys. Where they have the pairs of the moment before
/// they have its order too: pairs that lie on each other stay the same for many steps.
static qd_status sort_pairs(qd_world *world, qdi_narrow_job *job, size_t count) {
    qdi_scratch *scratch = &world->scratch;
    if (count == job->kept && !atomic_load_explicit(job->changed, memory_order_relaxed)) {
        world->following.pairs = world->present.pairs;
        qdi_team_for(world->team, count, QDI_CONTACT_GRAIN, copy_ranks, job);
        return QD_OK;
    }
    qdi_keys keys;
    qd_status status = qdi_keys_take(&scratch->arena, count, &keys);
    if (status != QD_OK) return status;
    job->keys = &keys;
    qdi_team_for(world->team, count, QDI_CONTACT_GRAIN, fill_sort_keys, job);
    status = qdi_keys_sort(world->team, &keys, count, 2 * job->bits);
    if (status != QD_OK) return status;
    qdi_team_for(world->team, count, QDI_CONTACT_GRAIN, rank_range, job);
    world->following.pairs = ++scratch->pairs;
    return QD_OK;
}

// ---- all of it ----

/// Walls are in the contacts of the rigid model only: without one, they mirror.
static unsigned walls_of(const qdi_axis axis[2], qd_contact_model model) {
    if (model == QD_CONTACT_NONE) return 0;
    return (axis[0].boundary == QD_BOUNDARY_REFLECT ? 3U : 0U) |
           (axis[1].boundary == QD_BOUNDARY_REFLECT ? 12U : 0U);
}

// Takes arrays for testing candidates from the arena of the step.
static qd_status reserve_pair_tests(qd_world *world, qdi_narrow_job *job, qdi_contact_state *state) {
    qdi_scratch *scratch = &world->scratch;
    qdi_arena *arena = &scratch->arena;
    const qd_allocator *allocator = world->allocator;
    const size_t bodies = world->count;
    size_t ranges = qdi_range_count(job->pair_count, job->grain);
    size_t body_ranges = job->walls ? qdi_range_count(bodies, QDI_BODY_GRAIN) : 0;
    job->count = qdi_arena_take(arena, ranges, sizeof *job->count);
    job->wall_count = qdi_arena_take(arena, body_ranges, sizeof *job->wall_count);
    job->wall_mask = qdi_arena_take(arena, job->walls ? bodies : 0, sizeof *job->wall_mask);
    qd_status status = QD_OK;
    if (!job->plain) {
        status = qdi_geometry_reserve(allocator, state, 0, job->pair_count);
        if (status == QD_OK)
            status = qdi_reserve(allocator, &scratch->hits, &scratch->hit_room, 0, job->pair_count,
                                 sizeof *scratch->hits);
    }
    job->hits = job->plain ? qdi_arena_take(arena, job->pair_count, sizeof *job->hits) : scratch->hits;
    if (!job->count || !job->wall_count || !job->wall_mask || (job->plain && !job->hits))
        status = QD_ERR_MEMORY;
    job->geometry = state->geometry;
    job->found = state->found;
    return status;
}

// Makes room for the contacts found and for their order.
static qd_status reserve_contacts(const qd_allocator *allocator, qdi_narrow_job *job, size_t count,
                                  qdi_contact_state *state) {
    qd_status status = qdi_contacts_reserve(allocator, state, count);
    // Geometry of walls lies behind that of pairs, which has gaps.
    const size_t pairs = job->plain ? job->wall_first : job->pair_count;
    job->wall_geometry = pairs - job->wall_first;
    if (status == QD_OK)
        status = qdi_geometry_reserve(allocator, state, job->plain ? 0 : pairs, pairs + job->wall_total);
    job->geometry = state->geometry;
    job->found = state->found;
    job->spots = state->spots;
    job->partners = state->partners;
    return status;
}

qdi_narrow_job qdi_narrow_job_of(const qd_world *world, const qdi_motion *motion) {
    const qd_vec2 period = qdi_world_period(world);
    qdi_narrow_job job = {
        .world = world,
        .motion = *motion,
        .pairs = world->met,
        .pair_count = world->met_count,
        .stale = world->margin.held,
        .period = period,
        .half = {period.x > 0 ? 0.5 * period.x : HUGE_VAL, period.y > 0 ? 0.5 * period.y : HUGE_VAL},
        .periodic = period.x > 0 || period.y > 0,
        .walls = walls_of(world->axis, world->def.contact),
        .choosy = qdi_any_trait(world, is_choosy),
        .senses = qdi_any_trait(world, is_sensor),
        .reach = qdi_world_reach(world),
        .meet_rects = qdi_rects_of(world->def.simd),
        .meet_hulls = qdi_hulls_of(world->def.simd)};
    job.reaches = qdi_reaches(&job.reach);
    job.plain = world->shaped == 0 && world->fixed == 0 && !job.choosy && !job.senses;
    job.grain = job.plain ? QDI_CANDIDATE_GRAIN : QDI_SHAPED_GRAIN;
    return job;
}

// Narrow phase: gives a range of contacts the spots and the order that there were in the moment before.
static void copy_layout(void *context, size_t begin, size_t end) {
    const qdi_narrow_job *job = context;
    const qdi_contact_state *from = &job->world->present;
    const size_t count = end - begin;
    memcpy(job->spots + begin, from->spots + begin, count * sizeof *job->spots);
    memcpy(job->partners + begin, from->partners + begin, count * sizeof *job->partners);
    copy_ranks(context, begin, end);
}

/// Narrow phase: spots and their order; `laid`: they are those of the moment before.
static qd_status lay(qd_world *world, qdi_narrow_job *job, size_t count, bool laid) {
    const qdi_contact_state *before = &world->present;
    qdi_contact_state *state = &world->following;
    if (!laid) {
        qdi_team_for(world->team, job->pair_count, job->grain, place_pairs, job);
        state->layout = ++world->scratch.layouts;
        return sort_pairs(world, job, count);
    }
    state->pairs = before->pairs;
    if (state->layout == before->layout) return QD_OK; // and those of the one before that
    qdi_team_for(world->team, count, QDI_CONTACT_GRAIN, copy_layout, job);
    state->layout = before->layout;
    return QD_OK;
}

qd_status qdi_narrow(qd_world *world, const qdi_motion *motion, const qdi_outcomes *outcomes) {
    qdi_contact_state *before = &world->present, *state = &world->following;
    qdi_scratch *scratch = &world->scratch;
    qd_team *team = world->team;
    atomic_bool changed = false, moved = false;
    qdi_narrow_job job = qdi_narrow_job_of(world, motion);
    job.changed = &changed;
    job.moved = &moved;
    job.bits = bits_for(world->index_count + QDI_WALLS);
    job.laid = !job.plain && before->layout > 0 && scratch->hits_layout == before->layout;
    scratch->hits_layout = 0;
    qd_status status = qdi_spots_part(world, before);
    if (status == QD_OK) status = reserve_pair_tests(world, &job, state);
    if (status != QD_OK) return status;
    job.kept = before->pairs > 0 ? qdi_constraint_count(before) : 0;

    // Two disks are tested in a few nanoseconds: so few of them are not worth another thread.
    if (job.plain) qdi_contacts_share(world, job.pair_count / 2);
    qdi_team_for(team, job.pair_count, job.grain, qdi_narrow_pairs, &job);
    size_t body_ranges = job.walls ? qdi_range_count(world->count, QDI_BODY_GRAIN) : 0;
    if (job.walls) qdi_team_for(team, world->count, QDI_BODY_GRAIN, test_walls, &job);
    job.wall_first = qdi_exclusive_scan(job.count, qdi_range_count(job.pair_count, job.grain));
    job.wall_total = qdi_exclusive_scan(job.wall_count, body_ranges);
    size_t count = job.wall_first + job.wall_total;
    qdi_contacts_share(world, count);

    status = reserve_contacts(world->allocator, &job, count, state);
    if (status != QD_OK) return status;
    job.laid = job.laid && !moved && job.wall_first == before->first_wall && count == job.kept;
    if (job.walls) qdi_team_for(team, world->count, QDI_BODY_GRAIN, place_walls, &job);
    state->first_wall = job.wall_first;
    status = lay(world, &job, count, job.laid && !moved);
    if (status != QD_OK) return status;
    scratch->hits_layout = job.plain ? 0 : state->layout;
    return qdi_carry(world, count, outcomes);
}
