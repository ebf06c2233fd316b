// Shared while threads work: nothing but the slots. Each move belongs to one thread, with the room it leaves
// and the one it takes.
#include "core/tree/slot_allocator.h"

#include "core/base/memory.h"
#include "core/tree/kernel.h"
#include "core/tree/tree_impl.h"

#include <string.h>

enum { GRAIN = 64 };

void qdi_slot_allocator_clear(qdi_slot_allocator *allocator) {
    for (unsigned size = 0; size < QDI_ROOM_SIZES; ++size) allocator->chain[size] = QDI_NO_ROOM;
    allocator->slots = allocator->taken = 0;
}

// Tree's slots: the chain of free rooms of a size.
static uint32_t *free_rooms_of_size(qdi_slot_allocator *allocator, uint32_t room) {
    return &allocator->chain[room / QDI_LANES - 1];
}

// Tree's slots: takes a free room of the size that a move asks for, or of the next.
static bool take_free_room(qd_tree *tree, qdi_move *move) {
    for (uint32_t room = move->room; room <= move->room + QDI_LANES && qdi_room_is_kept(room);
         room += QDI_LANES) {
        uint32_t *chain = free_rooms_of_size(&tree->slot_allocator, room);
        if (*chain == QDI_NO_ROOM) continue;
        move->first = *chain;
        move->room = room;
        *chain = tree->slots.row[*chain];
        tree->slot_allocator.slots -= room;
        tree->slots.idle -= room;
        return true;
    }
    return false;
}

qd_status qdi_slot_allocator_take(qd_tree *tree, qdi_move *moves, size_t count) {
    for (size_t i = 0; i < count; ++i) {
        qdi_move *move = &moves[i];
        move->first = 0;
        if (move->room == 0) continue;
        tree->slot_allocator.taken += move->room;
        if (take_free_room(tree, move)) continue;
        qd_status status = qdi_slots_reserve(tree, tree->slots.used + move->room);
        if (status != QD_OK) return status;
        move->first = (uint32_t)tree->slots.used;
        tree->slots.used += move->room;
    }
    return QD_OK;
}

void qdi_slot_allocator_give(qd_tree *tree, uint32_t first, uint32_t room) {
    tree->slots.idle += room;
    if (!qdi_room_is_kept(room)) return;
    uint32_t *chain = free_rooms_of_size(&tree->slot_allocator, room);
    tree->slots.row[first] = *chain;
    *chain = first;
    tree->slot_allocator.slots += room;
}

void qdi_slot_allocator_give_old(qd_tree *tree, const qdi_move *moves, size_t count) {
    for (size_t i = 0; i < count; ++i) qdi_slot_allocator_give(tree, moves[i].first, moves[i].room);
}

typedef struct shrink_job {
    qd_tree *tree;
    const uint32_t *nodes;
    qdi_move *moves; // theirs
} shrink_job;

// Says for nodes [begin, end) how large a room their lists need now.
static void room_sizes_range(void *context, size_t begin, size_t end) {
    const shrink_job *job = context;
    for (size_t i = begin; i < end; ++i) {
        job->moves[i] = (qdi_move){.room = qdi_room_for(job->tree->nodes[job->nodes[i]].count)};
    }
}

// Moves the lists of nodes [begin, end) to their new rooms.
static void move_lists_range(void *context, size_t begin, size_t end) {
    const shrink_job *job = context;
    const qd_tree *tree = job->tree;
    for (size_t i = begin; i < end; ++i) {
        qdi_move *move = &job->moves[i];
        qdi_node *node = &tree->nodes[job->nodes[i]];
        tree->kernels->shift(&tree->slots, move->first, node->first, node->count);
        qdi_node_rehouse(node, move);
    }
}

qd_status qdi_slot_allocator_shrink(qd_tree *tree, qd_team *team, const uint32_t *nodes, size_t count) {
    if (count == 0) return QD_OK;
    qd_status status = qdi_buffer_need(tree, &tree->scratch.moves, 0, count, sizeof(qdi_move));
    if (status != QD_OK) return status;
    shrink_job job = {tree, nodes, tree->scratch.moves.items};
    qdi_team_for(team, count, GRAIN, room_sizes_range, &job);
    status = qdi_slot_allocator_take(tree, job.moves, count);
    if (status != QD_OK) return status;
    qdi_team_for(team, count, GRAIN, move_lists_range, &job);
    qdi_slot_allocator_give_old(tree, job.moves, count);
    return QD_OK;
}

// Marks the blocks of a room; false where one was marked before, or where they are no blocks of the slots in
// use.
static bool mark_room(uint8_t *marks, size_t used, size_t first, size_t room) {
    if (first % QDI_LANES != 0 || room % QDI_LANES != 0 || first > used || room > used - first) return false;
    for (size_t block = first / QDI_LANES; block < (first + room) / QDI_LANES; ++block) {
        const uint8_t bit = (uint8_t)(1U << block % 8);
        if (marks[block / 8] & bit) return false;
        marks[block / 8] |= bit;
    }
    return true;
}

// Tree's slots: checks that no two rooms, of lists or free, overlap; returns what is wrong, NULL where
// nothing is.
static const char *find_overlapping_rooms(const qd_tree *tree, uint8_t *marks) {
    const size_t used = tree->slots.used;
    for (size_t n = 0; n < 4 * tree->family_used; ++n) { // those of free families have no room
        if (tree->nodes[n].room > 0 && !mark_room(marks, used, tree->nodes[n].first, tree->nodes[n].room))
            return "two lists share a room";
    }
    size_t slots = 0;
    for (uint32_t size = 0; size < QDI_ROOM_SIZES; ++size) {
        const uint32_t room = (size + 1) * QDI_LANES;
        for (uint32_t first = tree->slot_allocator.chain[size]; first != QDI_NO_ROOM;
             first = tree->slots.row[first]) {
            if (!mark_room(marks, used, first, room)) return "a free room is not free";
            slots += room;
        }
    }
    return slots == tree->slot_allocator.slots ? NULL : "free rooms are lost";
}

const char *qdi_slot_allocator_broken(const qd_tree *tree) {
    const size_t bytes = tree->slots.used / (8 * (size_t)QDI_LANES) + 1;
    const qd_allocator *heap = qd_allocator_default(); // not counted as the tree's own memory
    uint8_t *marks = qdi_allocate(heap, bytes, 1);
    if (!marks) return "no memory to check the rooms";
    memset(marks, 0, bytes);
    const char *broken = find_overlapping_rooms(tree, marks);
    qdi_release(heap, marks, bytes, 1);
    return broken;
}
