// The state hash of form 1, which runs of earlier versions have: records of bodies in order of index and of
// contacts in their order, hashed by fixed blocks whose hashes are chained.

#include "sim/world/digest.h"

#include <quadrille/hash.h>

#include "core/base/bytes.h"
#include "sim/world/contact_list.h"
#include "sim/world/contact_state.h"
#include "sim/world/contact_sums.h"
#include "sim/world/grain.h"
#include "sim/world/world_impl.h"

#include <string.h>

enum { RECORDS = 64, RECORD = QDI_DIGEST_BODY - 8, ENDS = 24 };

// Hash by blocks: makes the record of a body: the one of now, but that index and generation are one number.
static void put_body(const qd_world *world, uint32_t row, unsigned char *record) {
    unsigned char whole[QDI_DIGEST_BODY];
    (void)qdi_digest_body(world, row, whole);
    memcpy(record, whole + 8, RECORD);
    qdi_put_u64(&record, (uint64_t)world->generation[row] << 32 | world->index[row]);
}

// Hash by blocks: hashes the bodies of one block of indices.
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
    world->block_digest[begin / QDI_BLOCK] = qd_hash_seeded(buffer, (size_t)(at - buffer), hash);
}

// Hash by blocks: makes the record of a contact: the one of now, with other words for who takes part.
static size_t put_contact(const qd_world *world, size_t number, unsigned char *record) {
    const qd_contact *contact = &world->present.contacts[number];
    unsigned char whole[QDI_DIGEST_CONTACT];
    const size_t bytes = qdi_digest_contact(world, number, whole) - ENDS;
    qdi_put_u32(&record, contact->a.index);
    qdi_put_u32(&record, contact->a.generation);
    qdi_put_u32(&record, contact->b.index);
    qdi_put_u32(&record, contact->b.generation);
    memcpy(record, whole + ENDS, bytes);
    return 16 + bytes;
}

// Hash by blocks: hashes one block of contacts.
static void hash_contact_block(void *context, size_t begin, size_t end) {
    const qdi_contact_range *job = context;
    unsigned char buffer[RECORDS * QDI_DIGEST_CONTACT];
    size_t used = 0, count = 0;
    uint64_t hash = 1;
    for (size_t i = begin; i < end; ++i) {
        used += put_contact(job->world, job->first + i, buffer + used);
        if (++count < RECORDS) continue;
        hash = qd_hash_seeded(buffer, used, hash);
        used = count = 0;
    }
    job->world->block_digest[begin / QDI_BLOCK] = qd_hash_seeded(buffer, used, hash);
}

/// Hash by blocks: a hash of the blocks' hashes, in order.
static uint64_t chain_blocks(const qd_world *world, size_t blocks, uint64_t hash) {
    for (size_t b = 0; b < blocks; ++b) {
        unsigned char bytes[8], *at = bytes;
        qdi_put_u64(&at, world->block_digest[b]);
        hash = qd_hash_seeded(bytes, sizeof bytes, hash);
    }
    return hash;
}

uint64_t qdi_hash_blocks(const qd_world *world) {
    unsigned char bytes[8], *at = bytes;
    qdi_put_u64(&at, world->clock.step);
    uint64_t hash = qd_hash_bytes(bytes, sizeof bytes);
    qdi_team_for(world->team, world->index_count, QDI_BLOCK, hash_body_block, (void *)(uintptr_t)world);
    hash = chain_blocks(world, qdi_range_count(world->index_count, QDI_BLOCK), hash);
    qdi_contact_range range = {world, 0};
    const size_t count = qdi_constraint_count(&world->present);
    qdi_contacts_need(world);
    size_t first = 0, blocks;
    while ((blocks = qdi_next_contacts(hash_contact_block, &range, &range, &first, count)) > 0)
        hash = chain_blocks(world, blocks, hash);
    return qdi_digest_world(world, hash);
}
