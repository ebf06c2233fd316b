// The tests of springs that meet (spring_meet.c): candidates that have come close enough, and walls. Which
// contact a hit was in the moment before its slot says; of a new slot, or a wall, a search in the old
// contacts.

#include "core/base/memory.h"
#include "sim/spring/meet_job.h"
#include "sim/spring/spring.h"
#include "sim/world/compress.h"
#include "sim/world/contact_list.h"
#include "sim/world/grain.h"
#include "sim/world/part.h"

#include <stdatomic.h>
#include <string.h>

// Springs that meet: hangs the contacts of a range of the moment before into the lists of their first bodies.
static void list_range(void *context, size_t begin, size_t end) {
    const qdi_meet_job *job = context;
    for (size_t p = begin; p < end; ++p) {
        const qd_id a = qdi_partners_at(job->world, job->before, p).a;
        job->list_next[p] = atomic_exchange_explicit(&job->lists[a.index], (uint32_t)p + 1,
                                                     memory_order_relaxed);
    }
}

// Springs that meet: makes the lists in which slots, and walls, are searched for.
static qd_status list_before(qdi_meet_job *job) {
    qdi_arena *arena = &job->world->scratch.arena;
    const size_t indices = job->world->index_count, old = qdi_constraint_count(job->before);
    job->lists = qdi_arena_take(arena, indices, sizeof *job->lists);
    job->list_next = qdi_arena_take(arena, old, sizeof *job->list_next);
    if (!job->lists || !job->list_next) return QD_ERR_MEMORY;
    for (size_t i = 0; i < indices; ++i) atomic_init(&job->lists[i], 0);
    qdi_team_for(job->world->team, old, QDI_CANDIDATE_GRAIN, list_range, job);
    return QD_OK;
}

// Springs that meet: the place that a contact of two bodies (or a wall) had, or QDI_MEET_NONE.
static uint32_t find_place(const qdi_meet_job *job, qd_id a, qd_id b) {
    const qdi_contact_state *before = job->before;
    uint32_t at = atomic_load_explicit(&job->lists[a.index], memory_order_relaxed);
    for (; at != 0; at = job->list_next[at - 1]) {
        const uint32_t place = at - 1;
        if (qdi_near_at(before, place)) continue; // apart
        const qdi_partners with = qdi_partners_at(job->world, before, place);
        const bool same = with.b.index == b.index && with.a.generation == a.generation &&
                          with.b.generation == b.generation;
        if (same) return place;
    }
    return QDI_MEET_NONE;
}

// Springs that meet: the place that a pair of disks had.
static uint32_t find_pair(const qdi_meet_job *job, qdi_meeting pair) {
    const qd_world *world = job->world;
    return find_place(job, (qd_id){world->index[pair.a], world->generation[pair.a]},
                      (qd_id){world->index[pair.b], world->generation[pair.b]});
}

// Springs that meet: whether two disks touch, of which another image may be nearer.
static bool touches_nearest(const qdi_meet_job *job, qdi_meeting pair) {
    qdi_geometry geometry;
    qdi_found_pair found;
    qdi_narrow_disks(&job->narrow, pair, &geometry, &found);
    return geometry.depth[0] >= 0;
}

/// Springs that meet: a search for the fastest ghost.
typedef struct ghost_job {
    const qdi_meet_job *meet;
    _Atomic double most; ///< the square of its speed
} ghost_job;

// Springs that meet: looks at a range of ghosts.
static void look_at_ghosts(void *context, size_t begin, size_t end) {
    ghost_job *job = context;
    const qd_world *world = job->meet->world;
    const double *vx = job->meet->narrow.motion.vx, *vy = job->meet->narrow.motion.vy;
    double most = 0;
    for (size_t k = begin; k < end; ++k) {
        const uint32_t r = world->row_of_index[world->part->receive[k]];
        const double squared = vx[r] * vx[r] + vy[r] * vy[r];
        most = most > squared ? most : squared;
    }
    double found = atomic_load_explicit(&job->most, memory_order_relaxed);
    while (most > found && !atomic_compare_exchange_weak_explicit(&job->most, &found, most,
                                                                  memory_order_relaxed, memory_order_relaxed))
        continue;
}

/// Springs that meet: how far two bodies may come towards each other in the step of `dt`, of which the faster
/// one has a speed of which this is the square.
static double way_at(const qdi_meet_job *job, double squared) {
    const qd_vec2 gravity = job->world->def.gravity; // of which half a step counts
    const double speed = sqrt(squared) + 0.5 * job->dt * (fabs(gravity.x) + fabs(gravity.y));
    return 2 * speed * job->dt * (1 + 1e-9) + job->blur;
}

// How far two bodies may come towards each other in a step of a world where all move by their velocities.
static double way_of_step(const qdi_meet_job *job) {
    const qd_world *world = job->world;
    ghost_job ghosts = {job, world->scratch.fastest};
    if (world->part) // they have come since
        qdi_team_for(world->team, world->part->receive_first[QDI_RANKS_MAX], QDI_BODY_GRAIN, look_at_ghosts,
                     &ghosts);
    return way_at(job, atomic_load_explicit(&ghosts.most, memory_order_relaxed));
}

// Springs that meet: how far two bodies of a range of candidates may have come towards each other since its
// slots were new: where these lie in few ranges of bodies, by the fastest of those.
static double way_of_range(const qdi_meet_job *job, size_t range) {
    const qdi_scratch *scratch = &job->world->scratch;
    qdi_slot_way *of = &scratch->slot_way[range];
    if (!job->local || of->count > QDI_SLOT_BODIES) return of->way += job->step;
    double most = 0;
    for (uint32_t k = 0; k < of->count; ++k) {
        const double squared = scratch->range_fastest[of->bodies[k]];
        most = squared > most ? squared : most;
    }
    return of->way += way_at(job, most);
}

// Springs that meet: by which way two that do not touch may, or that do may no longer: rounded down.
static float way_to_change(const qdi_meet_job *job, double way, qd_vec2 d, double sum) {
    const double gap = fabs(sqrt(d.x * d.x + d.y * d.y) - sum) - job->blur;
    return gap > 0 ? (float)((way + gap) * (1 - 0x1p-22)) : 0.0F;
}

// Springs that meet: notes where a hit was; true where it begins.
static bool note_hit(const qdi_meet_job *job, size_t hit, uint32_t place) {
    job->from[hit] = place;
    return place == QDI_MEET_NONE;
}

/// Candidates that are passed over together.
enum { BLOCK = 16 };

// Springs that meet: notes in which ranges of bodies a candidate lies.
static inline void note_bodies(qdi_slot_way *of, qdi_meeting pair) {
    const uint32_t ranges[2] = {pair.a / QDI_BODY_GRAIN, pair.b / QDI_BODY_GRAIN};
    for (int end = 0; end < 2 && of->count <= QDI_SLOT_BODIES; ++end) {
        uint32_t k = 0;
        while (k < of->count && of->bodies[k] != ranges[end]) ++k;
        if (k == of->count && of->count++ < QDI_SLOT_BODIES) of->bodies[k] = ranges[end];
    }
}

// Springs that meet: frees the slots of a range that are not those of its candidates any more, and notes in
// which ranges of bodies the new ones lie; returns how many these are.
static size_t check_slots(const qdi_meet_job *job, size_t begin, size_t end) {
    const qdi_meeting *met = job->narrow.pairs;
    const qdi_scratch *scratch = &job->world->scratch;
    qdi_slot_way *of = &scratch->slot_way[begin / QDI_CANDIDATE_GRAIN];
    size_t fresh = 0;
    for (size_t at = begin; at < end; at += BLOCK) {
        const size_t stop = at + BLOCK < end ? at + BLOCK : end;
        if (stop <= job->kept && qdi_same_bytes(scratch->slot_pair + at, met + at, (stop - at) * sizeof *met))
            continue;
        for (size_t i = at; i < stop; ++i) {
            qdi_meeting *pair = &scratch->slot_pair[i];
            if (i < job->kept && pair->a == met[i].a && pair->b == met[i].b) continue;
            *pair = met[i];
            scratch->slot_place[i] = QDI_MEET_UNKNOWN;
            scratch->slot_apart[i] = 0;
            note_bodies(of, met[i]);
            fresh += 1;
        }
    }
    return fresh;
}

// Springs that meet: brings the slots of a range up to date; true where they are those of the step before.
static bool renew_slots(const qdi_meet_job *job, size_t begin, size_t end) {
    if (job->same) return true;
    qdi_slot_way *of = &job->world->scratch.slot_way[begin / QDI_CANDIDATE_GRAIN];
    if (begin >= job->kept) *of = (qdi_slot_way){.way = 0};
    const size_t fresh = check_slots(job, begin, end);
    const bool others = 2 * fresh > end - begin;
    if (others) of->count = 0;
    for (size_t i = begin; i < end && others; ++i) note_bodies(of, job->narrow.pairs[i]);
    return fresh == 0 && job->ranges_stay && (end < job->pairs || job->pairs == job->kept);
}

/// Four numbers side by side.
typedef float four __attribute__((vector_size(4 * sizeof(float))));
typedef int32_t four_bits __attribute__((vector_size(4 * sizeof(int32_t))));

// Springs that meet: which of a block of candidates are worth a test, by bit.
static inline uint32_t close_ones(const float apart[BLOCK], float way) {
    four_bits bit = {1, 2, 4, 8}, close = {0};
    for (int k = 0; k < BLOCK; k += 4, bit <<= 4) {
        four of;
        memcpy(&of, apart + k, sizeof of);
        close |= (four_bits)(of <= (four){way, way, way, way}) & bit;
    }
    return (uint32_t)(close[0] | close[1] | close[2] | close[3]);
}

/// Where few are worth a test they lie here and there, and so do their bodies: asked for ahead.
enum { AHEAD = 8 };
// Prefetches what the test of a candidate reads.
static inline void prefetch_pair(const double *x, const double *y, const double *radius, qdi_meeting pair) {
    __builtin_prefetch(&x[pair.a]);
    __builtin_prefetch(&y[pair.a]);
    __builtin_prefetch(&radius[pair.a]);
    __builtin_prefetch(&x[pair.b]);
    __builtin_prefetch(&y[pair.b]);
    __builtin_prefetch(&radius[pair.b]);
}

// Tests listed candidates, and notes in their slots which touch; true where some did not before, or do no
// longer.
static bool test_listed(const qdi_meet_job *job, double way, const uint32_t *list, size_t count) {
    const double *radius = job->world->radius, *x = job->narrow.motion.x, *y = job->narrow.motion.y;
    const qd_vec2 half = job->narrow.half;
    const qdi_meeting *pairs = job->narrow.pairs;
    uint32_t *slot_place = job->world->scratch.slot_place;
    float *slot_apart = job->world->scratch.slot_apart;
    // Where many are listed, neighbours in the list are neighbours in memory.
    const bool sparse = 2 * count < QDI_CANDIDATE_GRAIN;
    bool changed = false;
    for (size_t k = 0; k < count; ++k) {
        const uint32_t i = list[k], held = slot_place[i];
        const qdi_meeting pair = pairs[i];
        if (sparse && k + AHEAD < count) prefetch_pair(x, y, radius, pairs[list[k + AHEAD]]);
        const qd_vec2 d = {x[pair.b] - x[pair.a], y[pair.b] - y[pair.a]};
        const double sum = radius[pair.a] + radius[pair.b];
        const bool far = fabs(d.x) > half.x || fabs(d.y) > half.y;
        const bool touches = far ? touches_nearest(job, pair) : qdi_disks_meet(d, sum);
        slot_apart[i] = far ? 0 : way_to_change(job, way, d, sum);
        if (touches ? held < QDI_MEET_BEGINS : held == QDI_MEET_NONE) continue;
        changed = true;
        uint32_t place = QDI_MEET_NONE;
        if (touches && held == QDI_MEET_UNKNOWN) place = find_pair(job, pair);
        slot_place[i] = touches && place == QDI_MEET_NONE ? QDI_MEET_BEGINS : place;
    }
    return changed;
}

// Springs that meet: a way as a float that is not less.
static float rounded_up(double way) {
    return (float)(way * (1 + 0x1p-22));
}

// Lists the candidates of a range that are worth a test; returns how many.
static size_t list_close(const qdi_meet_job *job, float way, size_t begin, size_t end, uint32_t *list) {
    const float *apart = job->world->scratch.slot_apart;
    size_t count = 0;
    for (size_t at = begin; at < end; at += BLOCK) {
        uint32_t close;
        if (at + BLOCK <= end) {
            close = close_ones(apart + at, way);
        } else {
            float last[BLOCK];
            for (size_t k = 0; k < BLOCK; ++k) last[k] = at + k < end ? apart[at + k] : NAN;
            close = close_ones(last, way);
        }
        for (; close; close &= close - 1) list[count++] = (uint32_t)at + (uint32_t)__builtin_ctz(close);
    }
    return count;
}

// Springs that meet: puts the part's own hits first, others' behind; returns how many these are.
static size_t own_first(const qdi_meet_job *job, uint32_t *list, size_t count) {
    const uint8_t *ghost = job->world->part->ghost;
    uint32_t others[QDI_CANDIDATE_GRAIN];
    size_t own = 0, other = 0;
    for (size_t k = 0; k < count; ++k) {
        const uint32_t i = list[k];
        if (ghost[job->narrow.pairs[i].a])
            others[other++] = i;
        else
            list[own++] = i;
    }
    memcpy(list + own, others, other * sizeof *list);
    return own;
}

// Springs that meet: slots of a range that touch, in order: `tested` are those that were tested, of which
// some begin; the others are among those of the step before. Returns how many.
static size_t merge_touching(const qdi_meet_job *job, size_t begin, const uint32_t *tested, size_t count,
                             uint32_t *list) {
    const qdi_scratch *scratch = &job->world->scratch;
    const uint32_t *slot_place = scratch->slot_place, *before = scratch->slot_hits + begin,
                   *stop = before + scratch->slot_touch[begin / QDI_CANDIDATE_GRAIN];
    size_t found = 0;
    for (size_t k = 0; k < count; ++k) {
        if (slot_place[tested[k]] != QDI_MEET_BEGINS) continue;
        for (; before < stop && *before < tested[k]; ++before)
            if (slot_place[*before] != QDI_MEET_NONE) list[found++] = *before;
        list[found++] = tested[k];
    }
    for (; before < stop; ++before)
        if (slot_place[*before] != QDI_MEET_NONE) list[found++] = *before;
    return found;
}

// Springs that meet: the same where nothing is known of the step before, or that is in another order.
static size_t find_touching(const qdi_meet_job *job, size_t begin, size_t end, uint32_t *list) {
    const uint32_t *slot_place = job->world->scratch.slot_place;
    size_t found = 0;
    for (size_t i = begin; i < end; ++i) {
        list[found] = (uint32_t)i;
        found += slot_place[i] != QDI_MEET_NONE;
    }
    return found;
}

// Springs that meet: notes the slots of a range that touch, with the places that they had; returns how many
// begin.
static size_t note_touching(const qdi_meet_job *job, size_t begin, uint32_t *list, size_t found) {
    const size_t range = begin / QDI_CANDIDATE_GRAIN;
    const uint32_t *slot_place = job->world->scratch.slot_place;
    uint32_t *hits = job->world->scratch.slot_hits + begin;
    size_t begun = 0;
    if (job->own) job->own[range] = (uint32_t)own_first(job, list, found);
    if (job->same && job->world->scratch.ends_listed) {
        qdi_meet_ends_change(job->world, hits, job->world->scratch.slot_touch[range]);
        qdi_meet_ends_change(job->world, list, found);
    }
    for (size_t k = 0; k < found; ++k) {
        const uint32_t place = slot_place[list[k]];
        hits[k] = list[k];
        begun += note_hit(job, begin + k, place == QDI_MEET_BEGINS ? QDI_MEET_NONE : place);
    }
    job->count[range] = job->world->scratch.slot_touch[range] = (uint32_t)found;
    return begun;
}

// Tests a range of candidates. Where nothing begins or ends hits are those of the step before.
static void test_pairs(void *context, size_t begin, size_t end) {
    const qdi_meet_job *job = context;
    const qdi_scratch *scratch = &job->world->scratch;
    const size_t range = begin / QDI_CANDIDATE_GRAIN;
    const bool same = renew_slots(job, begin, end);
    uint32_t *list = job->from + begin; // which is not needed before
    const double way = way_of_range(job, range);
    const size_t tested = list_close(job, rounded_up(way), begin, end, list);
    const bool changed = test_listed(job, way, list, tested);
    job->stay[range] = QDI_MEET_NONE;
    if (changed || !same) {
        uint32_t *touching = job->touching + begin;
        const size_t found = same && !job->own ? merge_touching(job, begin, list, tested, touching)
                                               : find_touching(job, begin, end, touching);
        job->begun[range] = note_touching(job, begin, touching, found);
        return;
    }
    const size_t count = scratch->slot_touch[range];
    job->begun[range] = 0;
    job->count[range] = count;
    if (count == 0) return;
    job->stay[range] = scratch->slot_place[scratch->slot_hits[begin]];
}

// Springs that meet: walls that a disk is in, by bit.
static unsigned walls_of_row(const qdi_meet_job *job, uint32_t row) {
    unsigned mask = 0;
    for (int wall = 0; wall < QDI_WALLS; ++wall)
        mask |= (unsigned)(qdi_narrow_wall_depth(&job->narrow, row, wall) >= 0) << wall;
    mask &= job->narrow.walls;
    return mask && qdi_is_ghost(job->world, row) ? 0 : mask;
}

// Springs that meet: whether some disks are clear of the walls: rows lie in tree order, so most are.
static bool rows_are_clear(const qdi_meet_job *job, size_t begin, size_t end) {
    const qdi_axis *axis = job->world->axis;
    const double *x = job->narrow.motion.x, *y = job->narrow.motion.y, *radius = job->world->radius;
    int64_t clear = 1;
    for (size_t r = begin; r < end; ++r) {
        clear &= (axis[0].low < x[r] - radius[r] ? 1 : 0) & (x[r] + radius[r] < axis[0].high ? 1 : 0);
        clear &= (axis[1].low < y[r] - radius[r] ? 1 : 0) & (y[r] + radius[r] < axis[1].high ? 1 : 0);
    }
    return clear == 1;
}

// Springs that meet: by which way some disks may come into a wall, or out of one: rounded down.
static float way_to_walls(const qdi_meet_job *job, size_t begin, size_t end) {
    if (job->world->walls_move) return 0;
    double gap = HUGE_VAL;
    for (size_t r = begin; r < end; ++r)
        for (int wall = 0; wall < QDI_WALLS; ++wall) {
            const double apart = fabs(qdi_narrow_wall_depth(&job->narrow, (uint32_t)r, wall));
            gap = apart < gap ? apart : gap;
        }
    gap -= job->blur;
    return gap > 0 ? (float)((job->way + gap) * (1 - 0x1p-22)) : 0.0F;
}

// Counts the disks of a range that are in walls: of those blocks in which some may have come into one or out
// of it anew.
static void count_walls(void *context, size_t begin, size_t end) {
    const qdi_meet_job *job = context;
    const float way = rounded_up(job->way);
    size_t count = 0;
    for (size_t at = begin; at < end; at += QDI_WALL_BLOCK) {
        qdi_wall_block *block = &job->world->scratch.wall_blocks[at / QDI_WALL_BLOCK];
        if (job->kept == 0 || block->apart <= way) {
            const size_t stop = at + QDI_WALL_BLOCK < end ? at + QDI_WALL_BLOCK : end;
            *block = (qdi_wall_block){.apart = way_to_walls(job, at, stop)};
            const bool clear = rows_are_clear(job, at, stop);
            for (size_t r = at; r < stop && !clear; ++r)
                block->walls |= (uint64_t)walls_of_row(job, (uint32_t)r) << QDI_WALLS * (r - at);
        }
        for (uint64_t walls = block->walls; walls; walls &= walls - 1) count += 1;
    }
    job->wall_count[begin / QDI_BODY_GRAIN] = count;
}

// Lists the disks of a range that are in walls.
static void list_walls(void *context, size_t begin, size_t end) {
    const qdi_meet_job *job = context;
    size_t place = job->wall_count[begin / QDI_BODY_GRAIN];
    for (size_t at = begin; at < end; at += QDI_WALL_BLOCK) {
        uint64_t walls = job->world->scratch.wall_blocks[at / QDI_WALL_BLOCK].walls;
        for (; walls; walls &= walls - 1) {
            const uint32_t bit = (uint32_t)__builtin_ctzll(walls);
            job->walls[place++] = (qdi_wall_hit){(uint32_t)at + bit / QDI_WALLS, bit % QDI_WALLS};
        }
    }
}

// Springs that meet: the place that a hit of a wall had where rows are those of the step before: both lie in
// the same order. `at`: the first that may be it.
static uint32_t next_place(const qdi_meet_job *job, const qdi_wall_hit *hit, size_t *at) {
    const qdi_contact_state *before = job->before;
    for (; *at < before->contact_count; ++*at) {
        const qdi_spot *spot = &before->spots[*at];
        if (spot->row_a > hit->row || (spot->row_a == hit->row && spot->wall > hit->wall)) break;
        if (spot->row_a == hit->row && spot->wall == hit->wall) return (uint32_t)(*at)++;
    }
    return QDI_MEET_NONE;
}

// Finds the places that hits of walls had; returns how many of them begin.
static size_t find_walls(const qdi_meet_job *job) {
    const qd_world *world = job->world;
    size_t begun = 0, at = job->before->first_wall;
    for (size_t w = 0; w < job->wall_total; ++w) {
        const qdi_wall_hit *hit = &job->walls[w];
        const qd_id wall = {(uint32_t)QD_WALL_LEFT + hit->wall, 0};
        const uint32_t place =
            job->same ? next_place(job, hit, &at)
                      : find_place(job, (qd_id){world->index[hit->row], world->generation[hit->row]}, wall);
        begun += note_hit(job, job->pairs + w, place);
    }
    return begun;
}

// Springs that meet: marks what goes on of the contacts of the moment before that were of a range.
static void mark_range(void *context, size_t begin, size_t end) {
    const qdi_meet_job *job = context;
    const size_t range = begin / QDI_CANDIDATE_GRAIN, count = job->count[range];
    uint8_t *goes_on = job->world->scratch.goes_on;
    (void)end;
    if (job->stay[range] != QDI_MEET_NONE) {
        memset(goes_on + job->stay[range], 1, count);
        return;
    }
    for (size_t hit = begin; hit < begin + count; ++hit)
        if (job->from[hit] != QDI_MEET_NONE) goes_on[job->from[hit]] = 1;
}

// Springs that meet: says which contacts of the moment before go on, unless all do.
static qd_status mark_lasting(qdi_meet_job *job) {
    qdi_scratch *scratch = &job->world->scratch;
    const size_t old = job->before->contact_count, ranges = qdi_range_count(job->pairs, QDI_CANDIDATE_GRAIN),
                 all = qdi_constraint_count(job->before);
    size_t lasting = job->wall_total - job->walls_begun;
    for (size_t k = 0; k < ranges; ++k) lasting += job->count[k] - job->begun[k];
    scratch->goes_on = NULL;
    if (lasting == old) return QD_OK;
    scratch->goes_on = qdi_arena_take(&scratch->arena, all, sizeof *scratch->goes_on);
    if (!scratch->goes_on) return QD_ERR_MEMORY;
    memset(scratch->goes_on, 0, all);
    qdi_team_for(job->world->team, job->pairs, QDI_CANDIDATE_GRAIN, mark_range, job);
    for (size_t hit = job->pairs; hit < job->pairs + job->wall_total; ++hit)
        if (job->from[hit] != QDI_MEET_NONE) scratch->goes_on[job->from[hit]] = 1;
    return QD_OK;
}

void qdi_meet_way(qdi_meet_job *job) {
    qd_world *world = job->world;
    const qd_vec2 size = world->def.size, centre = world->centre;
    job->way = job->step = HUGE_VAL;
    if (!qdi_spring_plain(world) || qdi_compress_goes_on(world)) return;
    job->blur = 0x1p-48 * (world->def.limits.distance + fabs(centre.x) + fabs(centre.y) + size.x + size.y);
    job->local = !world->part;
    job->step = way_of_step(job);
    job->way = world->scratch.way + job->step;
    if (job->kept > 0 && job->way * 0x1p-22 < job->step) return;
    job->kept = 0; // too far for the slots' numbers, or nothing is known
    job->same = job->ranges_stay = false;
    job->way = 0;
}

qd_status qdi_meet_test(qdi_meet_job *job) {
    qd_world *world = job->world;
    qdi_arena *arena = &world->scratch.arena;
    const size_t ranges = qdi_range_count(job->pairs, QDI_CANDIDATE_GRAIN);
    const size_t body_ranges = job->narrow.walls ? qdi_range_count(world->count, QDI_BODY_GRAIN) : 0;
    job->wall_count = qdi_arena_take(arena, body_ranges, sizeof *job->wall_count);
    qdi_scratch *scratch = &world->scratch;
    const size_t blocks = body_ranges * (QDI_BODY_GRAIN / QDI_WALL_BLOCK);
    if (!job->wall_count || qdi_reserve(world->allocator, &scratch->wall_blocks, &scratch->wall_block_room, 0,
                                        blocks, sizeof *scratch->wall_blocks) != QD_OK)
        return QD_ERR_MEMORY;
    if (body_ranges > 0) qdi_team_for(world->team, world->count, QDI_BODY_GRAIN, count_walls, job);
    job->wall_total = qdi_exclusive_scan(job->wall_count, body_ranges);
    job->walls = qdi_arena_take(arena, job->wall_total, sizeof *job->walls);
    job->from = qdi_arena_take(arena, job->pairs + job->wall_total, sizeof *job->from);
    job->touching = qdi_arena_take(arena, job->pairs, sizeof *job->touching);
    if (!job->walls || !job->from || !job->touching) return QD_ERR_MEMORY;
    const qd_status status = job->same ? QD_OK : list_before(job);
    if (status != QD_OK) return status;
    qdi_team_for(world->team, job->pairs, QDI_CANDIDATE_GRAIN, test_pairs, job);
    if (job->wall_total > 0) qdi_team_for(world->team, world->count, QDI_BODY_GRAIN, list_walls, job);
    job->walls_begun = find_walls(job);
    const qd_status marked = mark_lasting(job);
    job->wall_first = qdi_exclusive_scan(job->count, ranges);
    return marked;
}
