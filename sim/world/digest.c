// Hash and sums of the state, by fixed blocks of indices: a block's slot is written by the range that has it,
// and the blocks are combined in order.

#include <quadrille/hash.h>

#include "core/base/arithmetic.h"
#include "core/base/assert.h"
#include "core/base/bytes.h"
#include "sim/world/compress.h"
#include "sim/world/contact_state.h"
#include "sim/world/contact_sums.h"
#include "sim/world/fields.h"
#include "sim/world/forces.h"
#include "sim/world/grain.h"
#include "sim/world/population.h"
#include "sim/world/scratch.h"
#include "sim/world/world_impl.h"

#include <math.h>
#include <string.h>

enum { RECORD = QDI_RECORD, RECORDS = 64, HOLD = 16 + 16 + 32, FORCE = 32 };

/// State hash: writes the record of a body. The numbers are read first: bytes that are written one by one to
/// where they stay might, for all that a compiler knows, be those of the columns.
static inline void put_body(const qd_world *world, uint32_t row, unsigned char *record) {
    uint32_t shape = world->shape[row], trait = world->trait[row];
    const double numbers[] = {world->mass[row],  world->inertia[row],  world->now.c[row],
                              world->now.s[row], world->now.spin[row], world->now.x[row],
                              world->now.y[row], world->now.vx[row],   world->now.vy[row]};
    uint64_t words[RECORD / 8];
    words[0] = (uint64_t)world->generation[row] << 32 | world->index[row];
    words[1] = world->label[row];
    if (shape)
        words[2] = qdi_shape_hash(world->shapes.shape[shape]);
    else
        memcpy(&words[2], &world->radius[row], sizeof words[2]);
    words[3] = trait ? qdi_trait_hash(&world->traits.trait[trait]) : 0;
    memcpy(&words[4], numbers, sizeof numbers);
    for (size_t k = 0; k < RECORD / 8; ++k) qdi_put_u64(&record, words[k]);
}

// State hash: hashes the states of one block of bodies.
static void hash_body_block(void *context, size_t begin, size_t end) {
    const qd_world *world = context;
    unsigned char buffer[RECORDS * RECORD], *at = buffer;
    uint64_t hash = 0;
    for (size_t i = begin; i < end; ++i) {
        uint32_t row = world->row_of_index[i];
        if (row == QDI_NO_ROW) continue;
        put_body(world, row, at);
        at += RECORD;
        if (at < buffer + sizeof buffer) continue;
        hash = qd_hash_seeded(buffer, sizeof buffer, hash);
        at = buffer;
    }
    world->block_hash[begin / QDI_BLOCK] = qd_hash_seeded(buffer, (size_t)(at - buffer), hash);
}

// Blocks are of indices, and bodies lie in rows, in another order: to look each up in thirteen columns waits
// for memory most of the time. Reading the columns from one end to the other and putting each body's record
// where its index is takes a third of that.
//
//   index of rows  5 2 0 4 1 3  read in order, written to
//   records        0 1 2 3 4 5  which are then hashed in order

/// Makes the records of some rows.
static void put_records(void *context, size_t begin, size_t end) {
    enum { AHEAD_OF_STORES = 16, LINE = 64 };
    const qd_world *world = context;
    unsigned char *records = world->scratch.records;
    for (size_t row = begin; row < end; ++row) {
        if (end - row > AHEAD_OF_STORES) {
            const unsigned char *later = records + (size_t)world->index[row + AHEAD_OF_STORES] * RECORD;
            __builtin_prefetch(later, 1);
            __builtin_prefetch(later + LINE, 1);
        }
        put_body(world, (uint32_t)row, records + (size_t)world->index[row] * RECORD);
    }
}

/// As hash_block, of records that lie one behind the other: every index has a body.
static void hash_records(void *context, size_t begin, size_t end) {
    const qd_world *world = context;
    uint64_t hash = 0;
    size_t i = begin;
    for (; end - i >= RECORDS; i += RECORDS)
        hash = qd_hash_seeded(world->scratch.records + i * RECORD, RECORDS * RECORD, hash);
    world->block_hash[begin / QDI_BLOCK] = qd_hash_seeded(world->scratch.records + i * RECORD,
                                                          (end - i) * RECORD, hash);
}

/// State hash: as hash_block, of records with gaps.
static void hash_gapped_records(void *context, size_t begin, size_t end) {
    const qd_world *world = context;
    unsigned char buffer[RECORDS * RECORD], *at = buffer;
    uint64_t hash = 0;
    for (size_t i = begin; i < end; ++i) {
        if (world->row_of_index[i] == QDI_NO_ROW) continue;
        memcpy(at, world->scratch.records + i * RECORD, RECORD);
        at += RECORD;
        if (at < buffer + sizeof buffer) continue;
        hash = qd_hash_seeded(buffer, sizeof buffer, hash);
        at = buffer;
    }
    world->block_hash[begin / QDI_BLOCK] = qd_hash_seeded(buffer, (size_t)(at - buffer), hash);
}

/// State hash: fills the blocks' slots.
static void hash_bodies(qd_world *world) {
    size_t count = world->index_count;
    bool ahead = count * RECORD <= world->scratch.record_room;
    if (ahead) qdi_team_for(world->team, world->count, QDI_BLOCK, put_records, world);
    qdi_team_for(world->team, count, QDI_BLOCK,
                 !ahead                  ? hash_body_block
                 : world->count == count ? hash_records
                                         : hash_gapped_records,
                 world);
}

// Bytes of a contact's warm-start impulses, for the state hash.
static void put_hashed_warm_start(const qd_contact *contact, const qdi_warm_start *warm_start,
                                  unsigned char **at) {
    qdi_put_u32(at, contact->a.index);
    qdi_put_u32(at, contact->a.generation);
    qdi_put_u32(at, contact->b.index);
    qdi_put_u32(at, contact->b.generation);
    for (int k = 0; k < 2; ++k) {
        qdi_put_u32(at, k < contact->count ? contact->touch[k].feature : 0);
        qdi_put_u32(at, k < contact->count);
        qdi_put_f64(at, warm_start->normal[k]);
        qdi_put_f64(at, warm_start->tangent[k]);
    }
}

// Bytes of a contact's spring force, for the state hash.
static void put_hashed_force(const qdi_contact_force *force, unsigned char **at) {
    qdi_put_f64(at, force->x);
    qdi_put_f64(at, force->y);
    qdi_put_f64(at, force->turn_a);
    qdi_put_f64(at, force->turn_b);
}

// Hashes one block of contacts into the state hash.
static void hash_contact_block(void *context, size_t begin, size_t end) {
    const qdi_contact_range *job = context;
    const qd_world *world = job->world;
    const qdi_contact_state *state = &world->present;
    const bool springs = world->def.contact == QD_CONTACT_SPRING;
    const size_t full = RECORDS * (HOLD + (springs ? FORCE : 0U));
    unsigned char buffer[RECORDS * (HOLD + FORCE)], *at = buffer;
    uint64_t hash = 1;
    for (size_t i = begin; i < end; ++i) {
        put_hashed_warm_start(&state->contacts[job->first + i], &state->warm_starts[job->first + i], &at);
        if (springs) put_hashed_force(&state->forces[job->first + i], &at);
        if (at < buffer + full) continue;
        hash = qd_hash_seeded(buffer, full, hash);
        at = buffer;
    }
    world->block_hash[begin / QDI_BLOCK] = qd_hash_seeded(buffer, (size_t)(at - buffer), hash);
}

/// State hash: a hash of the blocks' hashes, in order.
static uint64_t combine_hashes(const uint64_t *block_hash, size_t blocks, uint64_t hash) {
    for (size_t b = 0; b < blocks; ++b) {
        unsigned char bytes[8], *at = bytes;
        qdi_put_u64(&at, block_hash[b]);
        hash = qd_hash_seeded(bytes, sizeof bytes, hash);
    }
    return hash;
}

/// State hash: of a small struct.
static uint64_t hash_fields(const qdi_fields *fields, const void *from, uint64_t hash) {
    unsigned char bytes[64], *at = bytes;
    QD_ASSERT(qdi_fields_bytes(fields) <= sizeof bytes);
    qdi_fields_put(fields, from, &at);
    return qd_hash_seeded(bytes, (size_t)(at - bytes), hash);
}

// State hash: adds a whole number to a hash.
static uint64_t hash_number(uint64_t number, uint64_t hash) {
    unsigned char bytes[8], *at = bytes;
    qdi_put_u64(&at, number);
    return qd_hash_seeded(bytes, sizeof bytes, hash);
}

/// What emitters and sinks have done: it decides what they will do.
static uint64_t hash_population(const qdi_population *all, uint64_t hash) {
    for (size_t i = 0; i < all->emitter_count; ++i) {
        hash = hash_number(all->emitters[i].counts.due, hash);
        hash = hash_number(all->emitters[i].counts.emitted, hash);
    }
    for (size_t i = 0; i < all->sink_count; ++i) hash = hash_number(all->sinks[i].taken, hash);
    return hash;
}

/// State hash: what materials are, and their pairs.
static uint64_t hash_materials(const qdi_materials *all, uint64_t hash) {
    qdi_materials one = {.count = 1}; // by itself, as saved
    unsigned char bytes[QDI_MATERIAL_BYTES], *at;
    for (uint32_t k = 0; k < all->count; ++k) {
        one.list = &all->list[k];
        at = bytes;
        qdi_materials_put(&one, &at);
        hash = qd_hash_seeded(bytes, sizeof bytes, hash);
    }
    for (uint32_t a = 0, b = 0; qdi_materials_next(all, &a, &b);) {
        const qd_material *pair = qdi_materials_pair_of(all, a, b);
        at = bytes;
        qdi_put_u32(&at, a);
        qdi_put_u32(&at, b);
        qdi_put_f64(&at, pair->restitution);
        qdi_put_f64(&at, pair->friction);
        qdi_put_f64(&at, pair->tangential);
        hash = qd_hash_seeded(bytes, (size_t)(at - bytes), hash);
    }
    return hash;
}

uint64_t qd_world_hash(const qd_world *world) {
    QDI_RESTORED qdi_arithmetic caller = qdi_arithmetic_standard();
    // The team's verbs take a plain pointer; these functions write nothing but the blocks' slots and the
    // records.
    unsigned char bytes[8], *at = bytes;
    qdi_put_u64(&at, world->clock.step);
    uint64_t hash = qd_hash_bytes(bytes, sizeof bytes);
    hash_bodies((qd_world *)(uintptr_t)world);
    hash = combine_hashes(world->block_hash, qdi_range_count(world->index_count, QDI_BLOCK), hash);
    // Contacts by ranges of as many blocks as there are slots.
    size_t count = qdi_constraint_count(&world->present), step = world->block_room * QDI_BLOCK;
    for (size_t first = 0; first < count; first += step) {
        qdi_contact_range job = {world, first};
        size_t here = count - first < step ? count - first : step;
        qdi_team_for(world->team, here, QDI_BLOCK, hash_contact_block, &job);
        hash = combine_hashes(world->block_hash, qdi_range_count(here, QDI_BLOCK), hash);
    }
    if (qdi_compresses(world)) {
        hash = hash_fields(&qdi_fields_compress, &world->compress, hash);
    }
    if (world->population) hash = hash_population(world->population, hash);
    if (world->traits.materials.count > 0) hash = hash_materials(&world->traits.materials, hash);
    return hash;
}

/// Rows lie in another order than indices: one that is needed soon is asked for ahead.
enum { AHEAD = 12 };
// State hash: prefetches a body that comes later in the loop over a block.
static inline void prefetch_body(const qd_world *world, size_t index) {
    uint32_t r = world->row_of_index[index];
    if (r == QDI_NO_ROW) return;
    const qdi_motion *now = &world->now;
    __builtin_prefetch(&world->kind[r]);
    __builtin_prefetch(&world->mass[r]);
    __builtin_prefetch(&world->radius[r]);
    __builtin_prefetch(&now->x[r]);
    __builtin_prefetch(&now->y[r]);
    __builtin_prefetch(&now->vx[r]);
    __builtin_prefetch(&now->vy[r]);
    if (world->shaped > 0) __builtin_prefetch(&world->shape[r]);
    if (!world->turning) return;
    __builtin_prefetch(&now->spin[r]);
    __builtin_prefetch(&world->inertia[r]);
}

// State hash: adds up energies and momenta of one block of bodies.
static void sum_body_block(void *context, size_t begin, size_t end) {
    const double pi = 3.14159265358979323846;
    const qd_world *world = context;
    const qd_vec2 gravity = world->def.gravity, origin = world->def.origin;
    const bool pulls = world->def.attraction.strength != 0;
    qd_world_sums sums = {0};
    for (size_t i = begin; i < end; ++i) {
        uint32_t r = world->row_of_index[i];
        if (i + AHEAD < end) prefetch_body(world, i + AHEAD);
        if (r == QDI_NO_ROW || world->kind[r] != QD_BODY_DYNAMIC) continue;
        double mass = world->mass[r], vx = world->now.vx[r], vy = world->now.vy[r];
        double squared = vx * vx + vy * vy, speed = sqrt(squared);
        double spin = world->turning ? world->now.spin[r] : 0;
        double turning = spin != 0 && isfinite(world->inertia[r]) ? world->inertia[r] * spin : 0;
        qd_vec2 arm = {world->now.x[r] - world->centre.x, world->now.y[r] - world->centre.y};
        sums.kinetic += 0.5 * mass * squared + 0.5 * turning * spin;
        sums.translation += 0.5 * mass * squared;
        sums.rotation += 0.5 * turning * spin;
        sums.angular += mass * (arm.x * vy - arm.y * vx) + turning;
        sums.potential -= mass * (gravity.x * (world->now.x[r] - origin.x) +
                                  gravity.y * (world->now.y[r] - origin.y));
        if (pulls)
            sums.potential += mass * qdi_attraction_energy(&world->def.attraction, world->axis,
                                                           world->now.x[r], world->now.y[r]);
        sums.momentum.x += mass * vx;
        sums.momentum.y += mass * vy;
        sums.momentum_scale += mass * speed;
        sums.mass += mass;
        uint32_t shape = world->shaped > 0 ? world->shape[r] : 0;
        sums.area += shape ? qd_shape_area(world->shapes.shape[shape])
                           : pi * world->radius[r] * world->radius[r];
        if (speed > sums.fastest) sums.fastest = speed;
    }
    world->block_sums[begin / QDI_BLOCK] = sums;
}

// State hash: adds up energies and momenta of all bodies, block by block in order.
static qd_world_sums sum_bodies(const qd_world *world) {
    qdi_team_for(world->team, world->index_count, QDI_BLOCK, sum_body_block, (void *)(uintptr_t)world);
    qd_world_sums sums = {0};
    for (size_t b = 0; b < qdi_range_count(world->index_count, QDI_BLOCK); ++b) {
        const qd_world_sums *block = &world->block_sums[b];
        sums.kinetic += block->kinetic;
        sums.translation += block->translation;
        sums.rotation += block->rotation;
        sums.potential += block->potential;
        sums.momentum.x += block->momentum.x;
        sums.momentum.y += block->momentum.y;
        sums.momentum_scale += block->momentum_scale;
        sums.angular += block->angular;
        sums.mass += block->mass;
        sums.area += block->area;
        if (block->fastest > sums.fastest) sums.fastest = block->fastest;
    }
    return sums;
}

qd_world_sums qd_world_sum(const qd_world *world) {
    QDI_RESTORED qdi_arithmetic caller = qdi_arithmetic_standard();
    qd_world_sums result = sum_bodies(world);
    QDI_SETTLE(result);
    return result;
}
