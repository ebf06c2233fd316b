// Hash and sums of the state, by fixed blocks of indices: a block's slot is written by the range that has it,
// and the blocks are combined in order.

#include <quadrille/hash.h>

#include "sim/bytes.h"
#include "sim/world_impl.h"

#include <math.h>

enum { RECORD = 64, RECORDS = 64 };

static void put_body(const qd_world *world, uint32_t row, unsigned char **at) {
    qdi_put_u32(at, world->index[row]);
    qdi_put_u32(at, world->generation[row]);
    qdi_put_u64(at, world->label[row]);
    qdi_put_f64(at, world->radius[row]);
    qdi_put_f64(at, world->mass[row]);
    qdi_put_f64(at, world->now.x[row]);
    qdi_put_f64(at, world->now.y[row]);
    qdi_put_f64(at, world->now.vx[row]);
    qdi_put_f64(at, world->now.vy[row]);
}

static void hash_block(void *context, size_t begin, size_t end, int worker) {
    (void)worker;
    const qd_world *world = context;
    unsigned char buffer[RECORDS * RECORD], *at = buffer;
    uint64_t hash = 0;
    for (size_t i = begin; i < end; ++i) {
        uint32_t row = world->row_of_index[i];
        if (row == QDI_NO_ROW) continue;
        put_body(world, row, &at);
        if (at < buffer + sizeof buffer) continue;
        hash = qd_hash_seeded(buffer, sizeof buffer, hash);
        at = buffer;
    }
    world->block_hash[begin / QDI_BLOCK] = qd_hash_seeded(buffer, (size_t)(at - buffer), hash);
}

uint64_t qd_world_hash(const qd_world *world) {
    // The team's verbs take a plain pointer; hash_block and sum_block write nothing but the blocks' slots.
    qdi_team_for(world->team, world->index_count, QDI_BLOCK, hash_block, (void *)(uintptr_t)world);
    unsigned char bytes[8], *at = bytes;
    qdi_put_u64(&at, world->clock.step);
    uint64_t hash = qd_hash_bytes(bytes, sizeof bytes);
    for (size_t b = 0; b < qdi_range_count(world->index_count, QDI_BLOCK); ++b) {
        at = bytes;
        qdi_put_u64(&at, world->block_hash[b]);
        hash = qd_hash_seeded(bytes, sizeof bytes, hash);
    }
    return hash;
}

static void sum_block(void *context, size_t begin, size_t end, int worker) {
    (void)worker;
    const double pi = 3.14159265358979323846;
    const qd_world *world = context;
    const qd_vec2 gravity = world->def.gravity, origin = world->def.origin;
    qd_world_sums sums = {0};
    for (size_t i = begin; i < end; ++i) {
        uint32_t r = world->row_of_index[i];
        if (r == QDI_NO_ROW) continue;
        double mass = world->mass[r], vx = world->now.vx[r], vy = world->now.vy[r];
        double squared = vx * vx + vy * vy, speed = sqrt(squared);
        sums.kinetic += 0.5 * mass * squared;
        sums.potential -= mass * (gravity.x * (world->now.x[r] - origin.x) +
                                  gravity.y * (world->now.y[r] - origin.y));
        sums.momentum.x += mass * vx;
        sums.momentum.y += mass * vy;
        sums.momentum_scale += mass * speed;
        sums.mass += mass;
        sums.area += pi * world->radius[r] * world->radius[r];
        if (speed > sums.fastest) sums.fastest = speed;
    }
    world->block_sums[begin / QDI_BLOCK] = sums;
}

qd_world_sums qd_world_sum(const qd_world *world) {
    qdi_team_for(world->team, world->index_count, QDI_BLOCK, sum_block, (void *)(uintptr_t)world);
    qd_world_sums sums = {0};
    for (size_t b = 0; b < qdi_range_count(world->index_count, QDI_BLOCK); ++b) {
        const qd_world_sums *block = &world->block_sums[b];
        sums.kinetic += block->kinetic;
        sums.potential += block->potential;
        sums.momentum.x += block->momentum.x;
        sums.momentum.y += block->momentum.y;
        sums.momentum_scale += block->momentum_scale;
        sums.mass += block->mass;
        sums.area += block->area;
        if (block->fastest > sums.fastest) sums.fastest = block->fastest;
    }
    return sums;
}
