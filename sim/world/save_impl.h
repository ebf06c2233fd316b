#ifndef QD_SIM_SAVE_IMPL_H
#define QD_SIM_SAVE_IMPL_H

/// What save.c and load.c share: the frame around a saved world, and its size.

#define QDI_SAVE_MAGIC "QDWORLD\n"
enum { QDI_SAVE_MAGIC_BYTES = 8, QDI_SAVE_HEADER = 40, QDI_SAVE_CHECKSUM = 8, QDI_SAVE_VERSION = 9 };
/// Bytes of the warm start of a touch; contacts that are written or read at once, while they are in the
/// cache.
enum { QDI_SAVED_HOLD = 16, QDI_SAVED_TOGETHER = 16 };

/// How many there are of each in a saved world.
typedef struct qdi_saved {
    uint64_t indices, bodies, contacts, near, shapes, traits, emitters, sinks; ///< near: of the contacts
    uint64_t materials, pairs;
    uint64_t fats;   ///< not written: as many as bodies, or none
    uint64_t forces; ///< not written: as many as contacts, or none
} qdi_saved;

/// Bytes of a contact with its warm start.
size_t qdi_saved_contact_bytes(void);
/// Bytes in all.
size_t qdi_saved_size(const qdi_saved *n);

/// The last part of the header, for those who only want the bodies: where they begin, how many they are,
/// bytes of each.
typedef struct qdi_saved_bodies {
    uint64_t at, count;
    uint32_t bytes;
} qdi_saved_bodies;
qdi_saved_bodies qdi_saved_bodies_of(const qdi_saved *n);

#endif
