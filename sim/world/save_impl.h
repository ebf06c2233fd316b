#pragma once

#include "sim/world/world_impl.h"

/// What save.c and load.c share, and who saves a world piece by piece: the frame around a saved world, and
/// its size.

#define QDI_SAVE_MAGIC "QDWORLD\n"
enum { QDI_SAVE_MAGIC_BYTES = 8, QDI_SAVE_HEADER = 100, QDI_SAVE_CHECKSUM = 8, QDI_SAVE_VERSION = 10 };
/// Bytes of the warm start of a touch; contacts that are written or read at once, while they are in the
/// cache.
enum { QDI_SAVED_HOLD = 16, QDI_SAVED_TOGETHER = 16 };
/// Bytes of an index' generation; of a body.
enum { QDI_SAVED_INDEX = 4, QDI_SAVED_BODY = 4 + 8 + 8 + 11 * 8 };

/// How many there are of each in a saved world.
typedef struct qdi_saved {
    uint64_t indices, bodies, contacts, near, shapes, traits, emitters, sinks; ///< near: of the contacts
    uint64_t materials, pairs;
    uint64_t fats;   ///< not written: as many as bodies, or none
    uint64_t forces; ///< not written: as many as contacts, or none
    uint64_t homes;  ///< not written: as many as bodies, or none
} qdi_saved;

/// Bytes of a contact with its warm start.
size_t qdi_saved_contact_bytes(void);
/// Bytes in all.
size_t qdi_saved_size(const qdi_saved *n);

/// What the rest of the header lists, in this order, for readers that know nothing else of a saved world: its
/// bodies and what they look like. Of the contacts only those that are no speculative ones.
enum { QDI_SAVED_BODIES, QDI_SAVED_SHAPES, QDI_SAVED_TRAITS, QDI_SAVED_CONTACTS, QDI_SAVED_LISTS };

/// Where a list begins, how long it is, bytes of each item.
typedef struct qdi_saved_list {
    uint64_t at, count;
    uint32_t bytes;
} qdi_saved_list;

/// Tells where the lists of a saved world are.
void qdi_saved_lists(const qdi_saved *n, qdi_saved_list lists[QDI_SAVED_LISTS]);

/// Saved world: bytes of all that comes before the generations, and writes it.
size_t qdi_saved_head_bytes(const qdi_saved *n);
void qdi_saved_head(const qd_world *world, const qdi_saved *n, unsigned char *start);
/// Saved world: writes the body of a row by these numbers: shape and trait from 1 on, 0 for disks and for the
/// default.
void qdi_saved_body(unsigned char **at, const qd_world *world, size_t row, uint32_t index, uint32_t shape,
                    uint32_t trait);
/// Saved world: writes contacts with their warm starts, one after the other.
void qdi_saved_contacts(unsigned char **at, const qd_contact *contact, const qdi_warm_start *warm_start,
                        size_t count);
