#pragma once

#include <quadrille/tree.h>

#include "core/tree/slots.h"

/// The slot allocator. A room is a run of slots that holds one list. A list that needs a larger or smaller
/// room takes one here and frees its old one, so a tree whose bodies keep moving needs no more slots.
///
/// Free rooms of one size are in a free list that runs through their own first slots, so it needs no memory:
///
///   chain[3] --> | next: --> | next: none |        rooms of 3 * QDI_LANES slots
///
/// Where no free room fits, one is cut off the free end of the slots. Rooms are neither cut nor joined: lists
/// come and go in the same few sizes. Rooms too large for a free list stay unused (such lists are few) until
/// the tree is compacted.
///
/// One thread takes and frees the rooms of many lists at once; the copying in between is parallel.
/// Which room a list gets changes no result.

enum { QDI_ROOM_SIZES = 64 };

typedef struct qdi_slot_allocator {
    uint32_t
        chain[QDI_ROOM_SIZES]; // by size in QDI_LANES, less one: a free room's first slot, or QDI_NO_ROOM
    size_t slots;              // in all chains
    size_t taken;              // of all rooms taken since the lists lay in tree order
} qdi_slot_allocator;

#define QDI_NO_ROOM UINT32_MAX

/// A list that moves to another room: where it goes; once it has moved, the room that it left.
typedef struct qdi_move {
    uint32_t first, room;
} qdi_move;

/// Tree's slots: room given to a list of `count` bodies, with some to spare.
static inline uint32_t qdi_room_for(uint32_t count) {
    return count == 0 ? 0 : (count + 2 + count / 8 + QDI_LANES - 1) / QDI_LANES * QDI_LANES;
}

/// Tree's slots: true where a list of `count` bodies should move to a smaller room: it has two sizes to
/// spare, or a quarter of a long list. Without that every list would end with the largest room that it ever
/// needed, and the small rooms would stay unused.
static inline bool qdi_room_too_large(uint32_t room, uint32_t count) {
    const uint32_t spare = count / 4 > 2 * QDI_LANES ? count / 4 : 2 * QDI_LANES;
    return room >= qdi_room_for(count) + spare;
}

/// Tree's slots: true where a room of this size would be used again.
static inline bool qdi_room_is_kept(uint32_t room) {
    return room > 0 && room <= QDI_ROOM_SIZES * QDI_LANES;
}

/// Clears the free lists and the count of slots taken.
void qdi_slot_allocator_clear(qdi_slot_allocator *allocator);

/// Finds each move's list a room of the size that the move asks for, or of the next; 0 is a fine size.
/// Errors: QD_ERR_MEMORY, and the tree is only good for clearing.
QD_MUST_USE qd_status qdi_slot_allocator_take(qd_tree *tree, qdi_move *moves, size_t count);

/// Frees a room; `room` 0 is fine.
void qdi_slot_allocator_give(qd_tree *tree, uint32_t first, uint32_t room);

/// Frees the rooms that lists left which have moved.
void qdi_slot_allocator_give_old(qd_tree *tree, const qdi_move *moves, size_t count);

/// Moves the lists of nodes whose room is too large.
QD_MUST_USE qd_status qdi_slot_allocator_shrink(qd_tree *tree, qd_team *team, const uint32_t *nodes,
                                                size_t count);

/// Checks the free lists: that they are whole, and that their rooms overlap neither each other nor a list.
/// Returns what is wrong, NULL where nothing is.
const char *qdi_slot_allocator_broken(const qd_tree *tree);
