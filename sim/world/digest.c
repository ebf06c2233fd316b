// Hash of the state. Of every body and contact a range makes a record, and adds up their hashes in its own
// slot; the slots are added in turn. So the hash sees neither rows nor the order of contacts.

#include "sim/world/digest.h"

#include <quadrille/hash.h>

#include "core/base/arithmetic.h"
#include "core/base/assert.h"
#include "core/base/bytes.h"
#include "sim/world/compress.h"
#include "sim/world/contact_list.h"
#include "sim/world/contact_state.h"
#include "sim/world/contact_sums.h"
#include "sim/world/fields.h"
#include "sim/world/grain.h"
#include "sim/world/names.h"
#include "sim/world/part.h"
#include "sim/world/population.h"
#include "sim/world/spring_terms.h"
#include "sim/world/world_impl.h"

#include <string.h>

/// Records that lie in the cache when they are hashed.
enum { RECORDS = 32 };

/// The numbers are read first: bytes that are written one by one to where they stay might, for all that a
/// compiler knows, be those of the columns.
size_t qdi_digest_body(const qd_world *world, uint32_t row, unsigned char *record) {
    uint32_t shape = world->shape[row], trait = world->trait[row];
    const double numbers[] = {world->mass[row],  world->inertia[row],  world->now.c[row],
                              world->now.s[row], world->now.spin[row], world->now.x[row],
                              world->now.y[row], world->now.vx[row],   world->now.vy[row]};
    uint64_t words[QDI_DIGEST_BODY / 8];
    words[0] = qdi_name_of(world, world->index[row]);
    words[1] = world->generation[row];
    words[2] = world->label[row];
    if (shape)
        words[3] = qdi_shape_hash(world->shapes.shape[shape]);
    else
        memcpy(&words[3], &world->radius[row], sizeof words[3]);
    words[4] = trait ? qdi_trait_hash(&world->traits.trait[trait]) : 0;
    memcpy(&words[5], numbers, sizeof numbers);
    const double lean = world->now.lean[row]; // most have none, and their records are as short as they were
    if (lean != 0) words[4] ^= qd_hash_bytes(&lean, sizeof lean);
    for (size_t k = 0; k < QDI_DIGEST_BODY / 8; ++k) qdi_put_u64(&record, words[k]);
    return QDI_DIGEST_BODY;
}

// State hash: adds up the records of a range of bodies.
static void digest_bodies(void *context, size_t begin, size_t end) {
    const qd_world *world = context;
    unsigned char buffer[RECORDS * QDI_DIGEST_BODY];
    uint64_t sum = 0;
    for (size_t row = begin; row < end;) {
        size_t count = 0;
        for (unsigned char *at = buffer; count < RECORDS && row < end; ++row) {
            if (qdi_is_ghost(world, row)) continue;
            at += qdi_digest_body(world, (uint32_t)row, at);
            count += 1;
        }
        sum = qdi_hash_sum_add(sum, buffer, QDI_DIGEST_BODY, count);
    }
    world->block_digest[begin / QDI_BLOCK] = sum;
}

size_t qdi_digest_contact(const qd_world *world, size_t number, unsigned char *record) {
    const qd_contact *contact = &world->present.contacts[number];
    const qdi_warm_start *warm_start = &world->present.warm_starts[qdi_place_of(&world->present, number)];
    unsigned char *at = record;
    qdi_put_u64(&at, qdi_name_of_id(world, contact->a));
    qdi_put_u64(&at, qdi_name_of_id(world, contact->b));
    qdi_put_u32(&at, contact->a.generation);
    qdi_put_u32(&at, contact->b.generation);
    for (int k = 0; k < 2; ++k) {
        qdi_put_u32(&at, k < contact->count ? contact->touch[k].feature : 0);
        qdi_put_u32(&at, k < contact->count);
        qdi_put_f64(&at, warm_start->normal[k]);
        qdi_put_f64(&at, warm_start->tangent[k]);
    }
    if (!qdi_springs(world)) return (size_t)(at - record);
    const qdi_contact_force *force = qdi_force_of(&world->present, number);
    qdi_put_f64(&at, force->x);
    qdi_put_f64(&at, force->y);
    qdi_put_f64(&at, force->turn_a);
    qdi_put_f64(&at, force->turn_b);
    return (size_t)(at - record);
}

// State hash: adds up the records of a range of contacts.
static void digest_contacts(void *context, size_t begin, size_t end) {
    const qdi_contact_range *job = context;
    unsigned char buffer[RECORDS * QDI_DIGEST_CONTACT];
    uint64_t sum = 0;
    for (size_t i = begin; i < end;) {
        size_t count = 0, bytes = 0;
        for (; count < RECORDS && i < end; ++i) {
            if (!qdi_part_has(job->world, &job->world->present.contacts[job->first + i])) continue;
            bytes = qdi_digest_contact(job->world, job->first + i, buffer + count * bytes);
            count += 1;
        }
        sum = qdi_hash_sum_add(sum, buffer, bytes, count);
    }
    job->world->block_digest[begin / QDI_BLOCK] = sum;
}

// State hash: the sum of the first blocks' digests.
static uint64_t sum_blocks(const qd_world *world, size_t blocks) {
    uint64_t sum = 0;
    for (size_t b = 0; b < blocks; ++b) sum += world->block_digest[b];
    return sum;
}

// State hash: how many of the contacts are hashed.
static uint64_t count_own(const qd_world *world, size_t contacts) {
    if (!world->part) return contacts;
    uint64_t own = 0;
    for (size_t i = 0; i < contacts; ++i) own += qdi_part_has(world, &world->present.contacts[i]);
    return own;
}

qdi_world_digest qdi_world_digest_of(const qd_world *world) {
    // The team's verbs take a plain pointer; these functions write nothing but the blocks' slots.
    const size_t contacts = qdi_constraint_count(&world->present);
    qdi_world_digest all = {.body_count = world->count - (world->part ? world->part->ghosts : 0)};
    qdi_team_for(world->team, world->count, QDI_BLOCK, digest_bodies, (void *)(uintptr_t)world);
    all.bodies = sum_blocks(world, qdi_range_count(world->count, QDI_BLOCK));
    qdi_contacts_need(world);
    qdi_contact_range range = {world, 0};
    size_t first = 0, blocks;
    while ((blocks = qdi_next_contacts(digest_contacts, &range, &range, &first, contacts)) > 0)
        all.contacts += sum_blocks(world, blocks);
    all.contact_count = count_own(world, contacts);
    return all;
}

void qdi_digest_merge(qdi_world_digest *all, const qdi_world_digest *other) {
    all->body_count += other->body_count;
    all->bodies += other->bodies;
    all->contact_count += other->contact_count;
    all->contacts += other->contacts;
}

// ---- what the world has besides ----

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

uint64_t qdi_digest_world(const qd_world *world, uint64_t hash) {
    if (qdi_compresses(world)) hash = hash_fields(&qdi_fields_compress, &world->compress, hash);
    if (world->population) hash = hash_population(world->population, hash);
    if (world->traits.materials.count > 0) hash = hash_materials(&world->traits.materials, hash);
    return hash;
}

uint64_t qdi_digest_finish(const qd_world *world, const qdi_world_digest *digest) {
    const uint64_t words[] = {world->clock.step, digest->body_count, digest->bodies, digest->contact_count,
                              digest->contacts};
    unsigned char bytes[sizeof words], *at = bytes;
    for (size_t k = 0; k < sizeof words / sizeof words[0]; ++k) qdi_put_u64(&at, words[k]);
    return qdi_digest_world(world, qd_hash_bytes(bytes, sizeof bytes));
}

uint64_t qd_world_hash(const qd_world *world) {
    return qd_world_hash_as(world, QD_HASH_FORM);
}

uint64_t qd_world_hash_as(const qd_world *world, int form) {
    QDI_RESTORED qdi_arithmetic caller = qdi_arithmetic_standard();
    if (form < QD_HASH_FORM) return qdi_hash_blocks(world);
    const qdi_world_digest digest = qdi_world_digest_of(world);
    return qdi_digest_finish(world, &digest);
}
