#pragma once

#include <quadrille/alloc.h>
#include <quadrille/status.h>
#include <quadrille/world.h>
#include <stddef.h>
#include <stdint.h>

/// In which node of the tree each body was at the last frame, and how many frames ago it came there: what
/// `view.colour: refiled` is drawn from. It belongs to the thread that copies pictures.

/// A body at the last frame.
typedef struct qdi_refiled_note {
    double side, x, y;   ///< of its node's cell, and the lower left corner
    uint32_t generation; ///< 0: there was no body
    uint32_t age;        ///< frames since it came there, at most `fade`
} qdi_refiled_note;

typedef struct qdi_refiled {
    const qd_allocator *allocator;
    uint32_t fade;           ///< frames until a body has faded; 0: nothing is kept
    qdi_refiled_note *notes; ///< by the body's index
    uint8_t *hues;           ///< likewise: from 0, faded, to QDI_HUE_LIT
    size_t count, room, hue_room;
    uint64_t lit; ///< bodies with age 0
} qdi_refiled;

/// One that is all zero is fine.
void qdi_refiled_destroy(qdi_refiled *refiled);

/// Keeps the world's present state as the last frame, on the world's threads. A body that was not there at
/// the frame before has faded. Where the tree does not have the bodies as they are, nothing has changed.
/// Errors: QD_ERR_MEMORY.
QD_MUST_USE qd_status qdi_refiled_note_frame(qdi_refiled *refiled, const qd_world *world);

/// Writes what the next frame needs as bytes, the same on every machine, and returns how many: none where
/// nothing is kept. `bytes` NULL: only that.
size_t qdi_refiled_save(const qdi_refiled *refiled, unsigned char *bytes);

/// Restores what was saved from the start of `size` bytes; `used` gets how many that were. Errors:
/// QD_ERR_CORRUPT, QD_ERR_MEMORY.
QD_MUST_USE qd_status qdi_refiled_load(qdi_refiled *refiled, const unsigned char *bytes, size_t size,
                                       size_t *used);
