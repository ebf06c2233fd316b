#pragma once

#include <quadrille/box.h>
#include <quadrille/pairs.h>
#include <stddef.h>
#include <stdint.h>

/// Boxes as structure of arrays, so that one vector instruction compares many of them.

/// Lists begin at a multiple of this many slots, and their room is one.
#define QDI_LANES 8U
/// The pair kernels compare this many slots at a time, whatever the vectors' width.
#define QDI_PAIR_BLOCK     16U
#define QDI_PAIR_BLOCK_ALL 0xffffU

/// Tree's slots: room for so many in whole blocks.
static inline unsigned qdi_whole_blocks(unsigned slots) {
    return (slots + QDI_PAIR_BLOCK - 1) / QDI_PAIR_BLOCK * QDI_PAIR_BLOCK;
}

/// The slots' arrays extend this far past their room, so that a vector may be read from any slot of a list.
#define QDI_SLOT_SLACK 16U

typedef struct qdi_slots {
    float *min_x, *min_y, *max_x, *max_y;
    uint32_t *row; // place in the caller's arrays at the last refresh, QDI_NONE when not known
    qd_body_index *index;
    size_t room, used; // `used` is the free end
    size_t idle;       // slots before `used` that no list owns any more
} qdi_slots;

/// The box in a slot of the tree.
static inline qd_box qdi_slot_box(const qdi_slots *slots, size_t slot) {
    return (qd_box){slots->min_x[slot], slots->min_y[slot], slots->max_x[slot], slots->max_y[slot]};
}

/// Writes the box of a slot.
static inline void qdi_slot_box_set(const qdi_slots *slots, size_t slot, qd_box box) {
    slots->min_x[slot] = box.min_x;
    slots->min_y[slot] = box.min_y;
    slots->max_x[slot] = box.max_x;
    slots->max_y[slot] = box.max_y;
}

/// Writes box, row and index of a slot.
static inline void qdi_slot_set(const qdi_slots *slots, size_t slot, qd_box box, uint32_t row,
                                qd_body_index index) {
    qdi_slot_box_set(slots, slot, box);
    slots->row[slot] = row;
    slots->index[slot] = index;
}

/// Copies a slot to another one.
static inline void qdi_slot_move(const qdi_slots *slots, size_t to, size_t from) {
    qdi_slot_set(slots, to, qdi_slot_box(slots, from), slots->row[from], slots->index[from]);
}
