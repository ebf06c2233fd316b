// Exact tests in float64, in three parallel passes: candidates and walls are tested, what touches is put in
// order of (a, b), and contacts are made in that order. A range of candidates writes the places of its hits
// into `hits` from its own begin on, so ranges share nothing; a scan over the ranges' counts says where each
// one's keys go:
//
//   candidates  | range 0      | range 1      | range 2    |
//   hits        | 3 9 . . . .  | 14 . . . . . | 22 25 27 . |      counts 2 1 3 -> first 0 2 3
//   keys        | 3 9 14 22 25 27 | walls ...                     sorted by (a, b)

#include "sim/world_impl.h"

#include <math.h>

enum { WALLS = 4 };

typedef struct narrow_job {
    const qd_world *world;
    qdi_motion motion;
    const qd_pair *pairs;
    size_t pair_count;
    qd_vec2 period;
    int bits;       ///< of b in a key
    unsigned walls; ///< which walls there are, by bit
    uint32_t *hits;
    uint8_t *wall_mask;
    size_t *count;      ///< per range of candidates
    size_t *wall_count; ///< per range of bodies
    const qdi_keys *keys;
    size_t wall_first; ///< place of the first wall's key
    qd_contact *contacts;
} narrow_job;

// A key is a << bits | b, b of a wall being the number of indices + the wall's bit. So keys are short, and
// walls sort after bodies.
static uint64_t key_of(const narrow_job *job, uint64_t a, uint64_t b) {
    return a << job->bits | b;
}

static int bits_for(uint64_t most) {
    int bits = 1;
    while (bits < 63 && most >> bits) ++bits;
    return bits;
}

/// From the centre of a to that of b's image.
static qd_vec2 between(const narrow_job *job, uint32_t a, uint32_t b, qd_image image) {
    const qdi_motion *m = &job->motion;
    return (qd_vec2){m->x[b] - m->x[a] + image.x * job->period.x,
                     m->y[b] - m->y[a] + image.y * job->period.y};
}

static void test_pairs(void *context, size_t begin, size_t end, int worker) {
    (void)worker;
    const narrow_job *job = context;
    const uint32_t *row = job->world->row_of_index;
    const double *radius = job->world->radius;
    size_t found = 0;
    for (size_t i = begin; i < end; ++i) {
        qd_pair pair = job->pairs[i];
        uint32_t a = row[pair.a], b = row[pair.b];
        qd_vec2 d = between(job, a, b, pair.image);
        double reach = radius[a] + radius[b];
        job->hits[begin + found] = (uint32_t)i;
        found += d.x * d.x + d.y * d.y <= reach * reach;
    }
    job->count[begin / QDI_CONTACT_GRAIN] = found;
}

/// How deep a body is in a wall; not negative where it touches.
static double wall_depth(const narrow_job *job, uint32_t row, int wall) {
    const qd_world *world = job->world;
    const qdi_axis *axis = &world->axis[wall / 2];
    double at = wall / 2 == 0 ? job->motion.x[row] : job->motion.y[row];
    double radius = world->radius[row];
    return wall % 2 == 0 ? axis->low - (at - radius) : at + radius - axis->high;
}

static void test_walls(void *context, size_t begin, size_t end, int worker) {
    (void)worker;
    const narrow_job *job = context;
    size_t found = 0;
    for (size_t r = begin; r < end; ++r) {
        unsigned mask = 0;
        for (int wall = 0; wall < WALLS; ++wall)
            mask |= (unsigned)(wall_depth(job, (uint32_t)r, wall) >= 0) << wall;
        mask &= job->walls;
        job->wall_mask[r] = (uint8_t)mask;
        found += (mask & 1U) + (mask >> 1 & 1U) + (mask >> 2 & 1U) + (mask >> 3);
    }
    job->wall_count[begin / QDI_BODY_GRAIN] = found;
}

static void key_pairs(void *context, size_t begin, size_t end, int worker) {
    (void)worker;
    const narrow_job *job = context;
    size_t range = begin / QDI_CONTACT_GRAIN, ranges = qdi_range_count(job->pair_count, QDI_CONTACT_GRAIN);
    size_t place = job->count[range];
    size_t stop = range + 1 < ranges ? job->count[range + 1] : job->wall_first;
    (void)end;
    for (size_t k = begin; place < stop; ++k, ++place) {
        uint32_t i = job->hits[k];
        job->keys->key[place] = key_of(job, job->pairs[i].a, job->pairs[i].b);
        job->keys->value[place] = i;
    }
}

static void key_walls(void *context, size_t begin, size_t end, int worker) {
    (void)worker;
    const narrow_job *job = context;
    const qd_world *world = job->world;
    size_t place = job->wall_first + job->wall_count[begin / QDI_BODY_GRAIN];
    for (size_t r = begin; r < end; ++r) {
        for (unsigned wall = 0, mask = job->wall_mask[r]; mask; ++wall, mask >>= 1) {
            if (!(mask & 1U)) continue;
            job->keys->key[place] = key_of(job, world->index[r], world->index_count + wall);
            job->keys->value[place++] = 0;
        }
    }
}

static qd_contact wall_contact(const narrow_job *job, uint32_t index, int wall) {
    const qd_world *world = job->world;
    uint32_t row = world->row_of_index[index];
    double sign = wall % 2 == 0 ? -1 : 1, depth = wall_depth(job, row, wall);
    double to_surface = sign * (world->radius[row] - 0.5 * depth);
    bool x_axis = wall / 2 == 0;
    return (qd_contact){
        .a = {index, world->generation[row]},
        .b = {(uint32_t)QD_WALL_LEFT + (uint32_t)wall, 0},
        .point = {job->motion.x[row] + (x_axis ? to_surface : 0),
                  job->motion.y[row] + (x_axis ? 0 : to_surface)},
        .normal = {x_axis ? sign : 0, x_axis ? 0 : sign},
        .depth = depth,
    };
}

static qd_contact pair_contact(const narrow_job *job, qd_pair pair) {
    const qd_world *world = job->world;
    uint32_t a = world->row_of_index[pair.a], b = world->row_of_index[pair.b];
    qd_vec2 d = between(job, a, b, pair.image), normal = {1, 0};
    double distance = sqrt(d.x * d.x + d.y * d.y);
    if (distance > 0) normal = (qd_vec2){d.x / distance, d.y / distance};
    double depth = world->radius[a] + world->radius[b] - distance;
    if (depth < 0) depth = 0; // d^2 <= reach^2 held; the root may have been rounded up
    double to_point = world->radius[a] - 0.5 * depth;
    return (qd_contact){
        .a = {pair.a, world->generation[a]},
        .b = {pair.b, world->generation[b]},
        .point = {job->motion.x[a] + normal.x * to_point, job->motion.y[a] + normal.y * to_point},
        .normal = normal,
        .depth = depth,
        .image = pair.image,
    };
}

static void make_contacts(void *context, size_t begin, size_t end, int worker) {
    (void)worker;
    const narrow_job *job = context;
    size_t indices = job->world->index_count;
    for (size_t i = begin; i < end; ++i) {
        uint64_t key = job->keys->key[i];
        uint64_t a = key >> job->bits, b = key & ((UINT64_C(1) << job->bits) - 1);
        job->contacts[i] = b >= indices ? wall_contact(job, (uint32_t)a, (int)(b - indices))
                                        : pair_contact(job, job->pairs[job->keys->value[i]]);
    }
}

/// Walls are in the contacts of the rigid model only: without one, they mirror.
static unsigned walls_of(const qd_world *world) {
    if (world->def.contact == QD_CONTACT_NONE) return 0;
    return (world->axis[0].boundary == QD_BOUNDARY_REFLECT ? 3U : 0U) |
           (world->axis[1].boundary == QD_BOUNDARY_REFLECT ? 12U : 0U);
}

static qd_status reserve_tests(qd_world *world, narrow_job *job) {
    qdi_scratch *scratch = &world->scratch;
    size_t ranges = qdi_range_count(job->pair_count, QDI_CONTACT_GRAIN);
    size_t body_ranges = job->walls ? qdi_range_count(world->count, QDI_BODY_GRAIN) : 0;
    qd_status status = qdi_reserve(world->allocator, &scratch->range_count, &scratch->range_room, 0,
                                   ranges + body_ranges, sizeof *scratch->range_count);
    if (status == QD_OK)
        status = qdi_reserve(world->allocator, &scratch->hits, &scratch->hit_room, 0, job->pair_count,
                             sizeof *scratch->hits);
    if (status == QD_OK && job->walls)
        status = qdi_reserve(world->allocator, &scratch->wall_mask, &scratch->wall_room, 0, world->count, 1);
    job->count = scratch->range_count;
    job->wall_count = scratch->range_count ? scratch->range_count + ranges : NULL;
    job->hits = scratch->hits;
    job->wall_mask = scratch->wall_mask;
    return status;
}

qd_status qdi_narrow(qd_world *world, const qdi_motion *motion, qdi_moment *moment) {
    qd_team *team = world->team;
    narrow_job job = {
        .world = world, .motion = *motion, .walls = walls_of(world), .keys = &world->scratch.keys};
    job.pairs = qd_pairs_data(world->candidates, &job.pair_count);
    job.period.x = world->axis[0].boundary == QD_BOUNDARY_PERIODIC ? world->axis[0].length : 0;
    job.period.y = world->axis[1].boundary == QD_BOUNDARY_PERIODIC ? world->axis[1].length : 0;
    job.bits = bits_for(world->index_count + WALLS);
    qd_status status = reserve_tests(world, &job);
    if (status != QD_OK) return status;

    qdi_team_for(team, job.pair_count, QDI_CONTACT_GRAIN, test_pairs, &job);
    size_t body_ranges = job.walls ? qdi_range_count(world->count, QDI_BODY_GRAIN) : 0;
    if (job.walls) qdi_team_for(team, world->count, QDI_BODY_GRAIN, test_walls, &job);
    job.wall_first = qdi_exclusive_scan(job.count, qdi_range_count(job.pair_count, QDI_CONTACT_GRAIN));
    size_t count = job.wall_first + qdi_exclusive_scan(job.wall_count, body_ranges);

    status = qdi_keys_reserve(world->allocator, &world->scratch.keys, count);
    if (status == QD_OK)
        status = qdi_reserve(world->allocator, &moment->contacts, &moment->contact_room, 0, count,
                             sizeof *moment->contacts);
    if (status != QD_OK) return status;
    job.contacts = moment->contacts;
    qdi_team_for(team, job.pair_count, QDI_CONTACT_GRAIN, key_pairs, &job);
    if (job.walls) qdi_team_for(team, world->count, QDI_BODY_GRAIN, key_walls, &job);
    qdi_keys *keys = &world->scratch.keys;
    status = qdi_team_sort(team, keys->key, keys->value, keys->key_spare, keys->value_spare, count,
                           2 * job.bits);
    if (status != QD_OK) return status;
    qdi_team_for(team, count, QDI_CONTACT_GRAIN, make_contacts, &job);
    moment->contact_count = count;
    return QD_OK;
}
