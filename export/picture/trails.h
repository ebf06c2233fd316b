#pragma once

#include <quadrille/alloc.h>
#include <quadrille/status.h>
#include <quadrille/world.h>
#include <stddef.h>
#include <stdint.h>

/// Where bodies were at the last frames: what their trails are drawn from. It belongs to the thread that
/// copies pictures.

/// Most places that are kept, all bodies and frames together.
#define QDI_TRAIL_PLACES_MAX ((size_t)1 << 21)

/// The bodies' centres at a frame, by the body's index.
typedef struct qdi_trail_frame {
    qd_vec2 *at;
    uint32_t *generation; ///< 0: there was no body
    /// A bit for each place: 0 where the same body was at the frames beside this one, too, and went straight
    /// through, as fast before as after. Not valid at the last frame.
    uint64_t *bends;
    uint64_t *comings; ///< and one: 1 where the frame before does not have the same body
    size_t count, room, bend_room;
    unsigned char *memory; ///< of places and generations
} qdi_trail_frame;

typedef struct qdi_trails {
    const qd_allocator *allocator;
    size_t frames;         ///< how far trails go back; 0: there are none
    qdi_trail_frame *ring; ///< a ring of frames + 1
    size_t newest, count;  ///< of them
} qdi_trails;

/// Errors: QD_ERR_MEMORY.
QD_MUST_USE qd_status qdi_trails_create(const qd_allocator *allocator, int frames, qdi_trails *trails);

/// One that is all zero is fine.
void qdi_trails_destroy(qdi_trails *trails);

/// Whether so many frames of a world's bodies may be kept.
bool qdi_trails_fit(const qdi_trails *trails, const qd_world *world);

/// Keeps the world's present state as the last frame. Where that makes too many places, for bodies have
/// come, the oldest frames are forgotten. The world's threads work. Does nothing where there are no trails.
/// Errors: QD_ERR_MEMORY.
QD_MUST_USE qd_status qdi_trails_note(qdi_trails *trails, const qd_world *world);

/// The frame so many frames before the last; NULL where it is not known.
const qdi_trail_frame *qdi_trails_at(const qdi_trails *trails, size_t age);

/// Writes all that the next frame needs as bytes, the same on every machine, and returns how many; `bytes`
/// NULL: only that.
size_t qdi_trails_save(const qdi_trails *trails, unsigned char *bytes);

/// Restores what was saved. Errors: QD_ERR_CORRUPT, QD_ERR_MEMORY.
QD_MUST_USE qd_status qdi_trails_load(qdi_trails *trails, const unsigned char *bytes, size_t size);
