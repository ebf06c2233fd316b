// Which ways meet: candidates and walls are tested in parallel, and what was found is gathered in order of the ranges, put
// in order of (a, b), and added to the edges. A range of candidates writes the places of its hits into `hits` from its own
// begin on, as in narrow.c.

#include "sim/fast.h"

#include <math.h>
#include <stdlib.h>

typedef struct find_job {
    const qdi_step *step;
    const qd_pair *pairs;
    size_t pair_count;
    unsigned walls;
    uint32_t *hits;
    uint8_t *wall_mask;
    size_t *count, *wall_count; ///< per range
} find_job;

static uint64_t key_of(uint64_t a, uint64_t b) {
    return a << 32 | b;
}

static bool known(const qdi_fast *fast, uint64_t key) {
    size_t low = 0, high = fast->edge_count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (fast->edges[middle].key == key) return true;
        if (fast->edges[middle].key < key)
            low = middle + 1;
        else
            high = middle;
    }
    return false;
}

static double later(double a, double b) {
    return a > b ? a : b;
}

/// The end of a leg.
static double end_of(const qdi_step *step, const qdi_leg *leg) {
    return leg->next == QDI_NONE_YET ? step->dt : step->fast->legs[leg->next].start;
}

/// True where two ways meet, on legs of which one is followed.
static bool ways_meet(const qdi_step *step, uint32_t a, uint32_t b, qd_image image) {
    const qd_world *world = step->world;
    qd_vec2 shift = {image.x != 0 ? image.x * world->axis[0].length : 0,
                     image.y != 0 ? image.y * world->axis[1].length : 0};
    qdi_leg leg_a = qdi_way_begin(step, a), leg_b = qdi_way_begin(step, b);
    for (;;) {
        double end_a = end_of(step, &leg_a), end_b = end_of(step, &leg_b);
        double from = later(leg_a.start, leg_b.start), until = end_a < end_b ? end_a : end_b;
        if (from <= until && (qdi_leg_followed(step, a, &leg_a) || qdi_leg_followed(step, b, &leg_b))) {
            qdi_party one = qdi_party_of(step, a, &leg_a), two = qdi_party_of(step, b, &leg_b);
            qdi_encounter meeting;
            if (qdi_legs_meet(step, &one, &two, shift, from, until, &meeting)) return true;
        }
        bool more_a = end_a <= end_b && qdi_way_next(step, &leg_a);
        bool more_b = end_b <= end_a && qdi_way_next(step, &leg_b);
        if (!more_a && !more_b) return false;
    }
}

/// True where a pair is to be looked at in this round.
static bool due(const qdi_step *step, uint8_t flags) {
    return (flags & QDI_FOLLOWED) && (step->first || (flags & QDI_FRESH));
}

static bool sensor(const qd_world *world, uint32_t row) {
    return world->traits.trait[world->trait[row]].sensor;
}

static bool hits(const qdi_step *step, const qd_pair *pair) {
    const qd_world *world = step->world;
    uint32_t a = world->row_of_index[pair->a], b = world->row_of_index[pair->b];
    uint8_t flags = step->fast->flags[a] | step->fast->flags[b];
    if (!due(step, flags) || (flags & QDI_LOST)) return false;
    if (!qdi_may_touch(world, a, b) || sensor(world, a) || sensor(world, b)) return false;
    if (known(step->fast, key_of(pair->a, pair->b))) return false;
    return ways_meet(step, a, b, qdi_way_image(step, a, b, pair->image));
}

static void pair_range(void *context, size_t begin, size_t end, int worker) {
    (void)worker;
    const find_job *job = context;
    size_t found = 0;
    for (size_t i = begin; i < end; ++i)
        if (hits(job->step, &job->pairs[i])) job->hits[begin + found++] = (uint32_t)i;
    job->count[begin / QDI_CONTACT_GRAIN] = found;
}

static bool way_meets_wall(const qdi_step *step, uint32_t row, int wall) {
    qdi_leg leg = qdi_way_begin(step, row);
    do {
        if (!qdi_leg_followed(step, row, &leg)) continue;
        qdi_party party = qdi_party_of(step, row, &leg);
        qdi_encounter meeting;
        if (qdi_leg_meets_wall(step, &party, wall, leg.start, end_of(step, &leg), &meeting)) return true;
    } while (qdi_way_next(step, &leg));
    return false;
}

static double above_zero(double value) {
    return value > 0 ? value : 0;
}

/// Walls that a way may reach.
static unsigned walls_near(const qdi_step *step, uint32_t row, unsigned walls) {
    const qdi_axis *x = &step->world->axis[0], *y = &step->world->axis[1];
    qd_vec2 low, high;
    qdi_way_bounds(step, row, &low, &high);
    double came[QDI_WALLS]; // from where each wall was, if that was further in
    for (int wall = 0; wall < QDI_WALLS; ++wall) came[wall] = qdi_wall_speed(step->world, wall) * step->dt;
    unsigned near = (low.x <= x->low + above_zero(-came[0]) ? 1U : 0U) |
                    (high.x >= x->high - above_zero(came[1]) ? 2U : 0U) |
                    (low.y <= y->low + above_zero(-came[2]) ? 4U : 0U) |
                    (high.y >= y->high - above_zero(came[3]) ? 8U : 0U);
    return near & walls;
}

static void wall_range(void *context, size_t begin, size_t end, int worker) {
    (void)worker;
    const find_job *job = context;
    const qdi_step *step = job->step;
    const qd_world *world = step->world;
    size_t found = 0;
    for (uint32_t row = (uint32_t)begin; row < end; ++row) {
        job->wall_mask[row] = 0;
        uint8_t flags = step->fast->flags[row];
        if (!due(step, flags) || world->kind[row] != QD_BODY_DYNAMIC || sensor(world, row)) continue;
        unsigned near = walls_near(step, row, job->walls);
        for (int wall = 0; near; ++wall, near >>= 1) {
            if (!(near & 1U)) continue;
            if (known(step->fast, key_of(world->index[row], (uint64_t)QD_WALL_LEFT + (uint64_t)wall)))
                continue;
            if (!way_meets_wall(step, row, wall)) continue;
            job->wall_mask[row] |= (uint8_t)(1U << wall);
            ++found;
        }
    }
    job->wall_count[begin / QDI_BODY_GRAIN] = found;
}

// ---- edges ----

static void add_pairs(const find_job *job) {
    const qdi_step *step = job->step;
    const qd_world *world = step->world;
    qdi_fast *fast = step->fast;
    for (size_t range = 0; range * QDI_CONTACT_GRAIN < job->pair_count; ++range) {
        for (size_t k = 0; k < job->count[range]; ++k) {
            const qd_pair *pair = &job->pairs[job->hits[range * QDI_CONTACT_GRAIN + k]];
            uint32_t a = world->row_of_index[pair->a], b = world->row_of_index[pair->b];
            fast->edges[fast->edge_count++] = (qdi_edge){.key = key_of(pair->a, pair->b),
                                                         .row_a = a,
                                                         .row_b = b,
                                                         .wall = -1,
                                                         .image = qdi_way_image(step, a, b, pair->image),
                                                         .fresh = true};
        }
    }
}

static void add_walls(const find_job *job) {
    const qd_world *world = job->step->world;
    qdi_fast *fast = job->step->fast;
    for (size_t range = 0; range * QDI_BODY_GRAIN < world->count; ++range) {
        if (job->wall_count[range] == 0) continue;
        size_t end = (range + 1) * QDI_BODY_GRAIN < world->count ? (range + 1) * QDI_BODY_GRAIN
                                                                 : world->count;
        for (size_t row = range * QDI_BODY_GRAIN; row < end; ++row)
            for (int wall = 0; wall < QDI_WALLS; ++wall)
                if (job->wall_mask[row] >> wall & 1U)
                    fast->edges[fast->edge_count++] = (qdi_edge){
                        .key = key_of(world->index[row], (uint64_t)QD_WALL_LEFT + (uint64_t)wall),
                        .row_a = (uint32_t)row,
                        .row_b = QDI_NO_ROW,
                        .wall = wall,
                        .fresh = true};
    }
}

static int compare(const void *p, const void *q) {
    uint64_t a = ((const qdi_edge *)p)->key, b = ((const qdi_edge *)q)->key;
    return a < b ? -1 : a > b;
}

static size_t sum(const size_t *values, size_t count) {
    size_t total = 0;
    for (size_t i = 0; i < count; ++i) total += values[i];
    return total;
}

static qd_status reserve(const qdi_step *step, find_job *job, size_t ranges, size_t body_ranges) {
    qd_world *world = step->world;
    qdi_scratch *scratch = &world->scratch;
    qd_status status = qdi_reserve(world->allocator, &scratch->range_count, &scratch->range_room, 0,
                                   ranges + body_ranges + 1, sizeof *scratch->range_count);
    if (status == QD_OK)
        status = qdi_reserve(world->allocator, &scratch->hits, &scratch->hit_room, 0, job->pair_count,
                             sizeof *scratch->hits);
    if (status == QD_OK && job->walls)
        status = qdi_reserve(world->allocator, &scratch->wall_mask, &scratch->wall_room, 0, world->count, 1);
    job->count = scratch->range_count;
    job->wall_count = status == QD_OK ? scratch->range_count + ranges : NULL;
    job->hits = scratch->hits;
    job->wall_mask = scratch->wall_mask;
    return status;
}

qd_status qdi_fast_find(const qdi_step *step, size_t *added) {
    qd_world *world = step->world;
    qdi_fast *fast = step->fast;
    *added = 0;
    find_job job = {.step = step};
    job.walls = (world->axis[0].boundary == QD_BOUNDARY_REFLECT ? 3U : 0U) |
                (world->axis[1].boundary == QD_BOUNDARY_REFLECT ? 12U : 0U);
    job.pairs = qd_pairs_data(world->candidates, &job.pair_count);
    size_t ranges = qdi_range_count(job.pair_count, QDI_CONTACT_GRAIN);
    size_t body_ranges = job.walls ? qdi_range_count(world->count, QDI_BODY_GRAIN) : 0;
    qd_status status = reserve(step, &job, ranges, body_ranges);
    if (status != QD_OK) return status;
    qdi_team_for(world->team, job.pair_count, QDI_CONTACT_GRAIN, pair_range, &job);
    if (job.walls) qdi_team_for(world->team, world->count, QDI_BODY_GRAIN, wall_range, &job);
    size_t found = sum(job.count, ranges) + sum(job.wall_count, body_ranges);
    if (found == 0) return QD_OK;
    status = qdi_reserve(world->allocator, &fast->edges, &fast->edge_room, fast->edge_count,
                         fast->edge_count + found, sizeof *fast->edges);
    if (status != QD_OK) return status;
    for (size_t i = 0; i < fast->edge_count; ++i) fast->edges[i].fresh = false;
    add_pairs(&job);
    if (job.walls) add_walls(&job);
    qsort(fast->edges, fast->edge_count, sizeof *fast->edges, compare); // no two keys are equal
    *added = found;
    return QD_OK;
}
