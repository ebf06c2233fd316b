#pragma once

#include <quadrille/world.h>

#include "core/base/hash_sum.h"

#include <stddef.h>
#include <stdint.h>

/// The state hash: of every body and contact a record, whose hashes are added up, and then hashed with what
/// the world has besides. Digests of parts of a world can be made apart and added.

/// Bytes of the record of a body, and of a contact with its warm start and the force of its spring.
enum { QDI_DIGEST_BODY = 14 * 8, QDI_DIGEST_CONTACT = 24 + 48 + 32 };

/// What is hashed: of a number of bodies, and of contacts, speculative ones too.
typedef struct qdi_world_digest {
    uint64_t body_count, bodies, contact_count, contacts;
} qdi_world_digest;

/// All bodies and contacts of a world, on its team; of a part (part.h) those that are its own.
qdi_world_digest qdi_world_digest_of(const qd_world *world);
/// Adds the digest of another part.
void qdi_digest_merge(qdi_world_digest *all, const qdi_world_digest *other);
/// The hash of a state with these bodies and contacts, and the rest as this world has it.
uint64_t qdi_digest_finish(const qd_world *world, const qdi_world_digest *digest);

/// Makes the record of a body; of contact `number` of the present ones. Returns its length.
size_t qdi_digest_body(const qd_world *world, uint32_t row, unsigned char *record);
size_t qdi_digest_contact(const qd_world *world, size_t number, unsigned char *record);

/// Goes on with a hash by what emitters and sinks have done, how far the world is compressed, and what its
/// materials are.
uint64_t qdi_digest_world(const qd_world *world, uint64_t hash);
/// The hash of form 1: the one that runs of earlier versions have.
uint64_t qdi_hash_blocks(const qd_world *world);
