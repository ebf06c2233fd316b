#pragma once

#include <quadrille/tree.h>

#include "core/parallel/parallel.h"
#include "core/parallel/shared_arena.h"
#include "core/tree/cells.h"
#include "core/tree/slot_allocator.h"
#include "core/tree/slots.h"

#include <stdbool.h>
#include <stdint.h>

#ifdef __SSE2__
#    include <emmintrin.h>
#endif

/// How a tree lies in memory, and a map of the tree's files in reading order.
///
///     what a tree is       cells.h the grid that nodes come from, image.h boxes in a periodic world, slots.h
///                          boxes as arrays, this file, tree.c memory and small calls, tree_validate.c what
///                          must hold
///     lists in slots       slot_allocator.c rooms for lists, tree_compact.c all lists in order again,
///                          tree_pack.c the same in new memory, root_list.c a search tree over the root's
///                          list
///     refresh, in order    tree_refresh.c the order of things, tree_build.c from nothing; tree_update.c new
///                          boxes and what leaves its node, tree_root.c which square is the root,
///                          tree_insert.c bodies into lists, tree_split_merge.c totals and bounds,
///                          tree_split.c splits and merges
///     one body             tree_edit.c add, remove, move
///     retrieve             tree_query.c boxes, tree_circle.c and tree_nearest.c distances (near_point.h),
///                          tree_ray.c, ray_box.h rays, tree_order.c the bodies in tree order
///     all pairs            pairs.c how workers fill one array, tree_pairs.c the tasks, tree_join.c the
///                          self-join, tree_join_image.c and tree_join_root_list.c its special parts,
///                          tree_each.c one retrieve per body, brute.c without a tree
///     for many threads     tree_frontier.c cuts the tree
///     innermost loops      kernel.h the table, kernel_portable.c, kernel_sse2.c, kernel_avx2.c with
///                          kernel_family.h, kernel_avx512.c, and kernel_pairs.h, kernel_update.h,
///                          kernel_window.h, kernel_slots.c, which they share
///     when to refresh      fat_box.c how many steps fat boxes shall last
///
/// Nodes come in families of four siblings: node 4 f + q is child q of family f's parent. The root is node 0,
/// alone in family 0. A family keeps the bounds of its four subtrees as four-wide arrays in one cache line,
/// so that one test prunes four children.
///
/// The bodies' boxes lie in slots, structure of arrays. A node's list is a run of slots, ordered by body
/// index, with some room to grow:
///
///   slots:   | node 0 . . | node 4 . | node 8 . . . | free ...        '.' = room
///
/// A list that outgrows its room moves to another one (slot_allocator.h). When many have moved, the lists are
/// laid in tree order again (tree_compact.c), and when the tree has shrunk, families and lists are copied to
/// less memory (tree_pack.c). Neither changes a result.

typedef uint32_t qdi_node_index;
typedef uint32_t qdi_family_index;

#define QDI_NONE     UINT32_MAX
#define QDI_ROOT     0U
#define QDI_NO_CHILD 0U // family 0 is the root's, so it has no parent

typedef struct qdi_family {
    float min_x[4], min_y[4], max_x[4], max_y[4]; // bounds of the subtrees; empty ones are +inf .. -inf
} qdi_family;

typedef struct qdi_family_info {
    uint64_t x, y;                  // cell of sibling 0; sibling q is at (x + (q & 1), y + (q >> 1))
    float border_x[3], border_y[3]; // borders of the two columns and rows of cells, see qdi_grid_border
    qdi_node_index parent;          // QDI_NONE for family 0; the next free family while the family is free
    int level;                      // of the siblings
} qdi_family_info;

typedef struct qdi_node {
    qd_box own;                  // bounds of its own list; +inf .. -inf when empty
    uint32_t first, count, room; // its list: slots [first, first + count), room for `room`
    qdi_family_index children;   // QDI_NO_CHILD for a leaf
    uint32_t total;              // bodies in the list and below
    uint32_t fit;                // of its list, those that could go deeper
    uint32_t leaving;            // of the root's list, those that the present refresh takes out
    qdi_node_index link;         // for lists of nodes within one call
} qdi_node;

/// A body that is to be inserted into a node's list.
typedef struct qdi_insertion {
    qd_box box;
    uint32_t row;
    qd_body_index index;
    qdi_node_index target;
    uint32_t fresh; // 1 where it was not in the tree before
} qdi_insertion;

/// A growing array of something, for use inside one call, kept for the next.
typedef struct qdi_buffer {
    void *items;
    size_t bytes;
} qdi_buffer;

/// The bodies that one worker takes out of lists during a refresh, in the range of families that it works on.
typedef struct qdi_leavers {
    qdi_buffer insertions;
    size_t count;
    char padding[64 - sizeof(qdi_buffer) - sizeof(size_t)]; // a cache line for each worker
} qdi_leavers;

/// The tree of bounding boxes over the root's list, see root_list.h.
typedef struct qdi_root_list {
    uint32_t *order; // slots, so that every bounding node is a run
    qd_box *box;     // boxes in that order
    qd_box *bounds;  // of the bounding nodes
    size_t count;    // 0 where the list is short and searched slot by slot
    size_t room, box_room, bounds_room;
} qdi_root_list;

/// Scratch memory of the calls, kept from call to call.
typedef struct qdi_tree_scratch {
    qdi_buffer insertions;                 // of qdi_insertion
    qdi_buffer moves;                      // of qdi_move
    qdi_buffer keys, keys_spare;           // of uint64_t, for sorting
    qdi_buffer order, order_spare;         // of uint32_t, sorted with them
    qdi_buffer ranges, places;             // of size_t: sums per range, and per node
    qdi_buffer splits, split_next, merges; // of qdi_node_index
    qdi_buffer shrinks;                    // the same
    qdi_buffer chains, frontier, tally;    // see tree_split_merge.c, qdi_frontier, tree_refresh.c
    qdi_buffer spare;                      // of uint32_t: rows by index, or a column of slots
} qdi_tree_scratch;

struct qd_tree {
    const qd_allocator *allocator;
    qdi_grid grid;
    qd_vec2 size, period;
    uint32_t capacity;
    const struct qdi_kernels *kernels; // of the instruction set asked for

    qdi_family *families;
    qdi_family_info *infos;
    qdi_node *nodes; // 4 * family_room
    size_t family_room, family_used;
    qdi_family_index free_family; // chain through infos[].parent, QDI_NO_CHILD at its end
    size_t free_count;

    qdi_slots slots;
    qdi_slot_allocator slot_allocator;
    uint32_t *node_of; // by body index, QDI_NONE where there is none
    size_t node_of_room;
    size_t count; // bodies

    qd_body_index *row_index; // indices of the last refresh by row, to see whether they are the same now
    size_t row_room, row_count;
    bool period_new; // set since the last refresh: boxes may be there that do not fit it
    bool rows_known; // row_index holds, and no body was added or removed since
    bool rows_plain; // the last refresh had indices NULL

    uint64_t rings[QDI_RINGS]; // bodies by the ring of their centre
    qdi_root_list root_list;
    uint64_t revision;

    qdi_tree_scratch scratch;
    qdi_leavers *leavers; // one per worker
    size_t leavers_count;
    qdi_shared_arena arena; // for the insertions of all ranges
    qd_team *alone;         // one thread, for the calls that have no team
};

/// The family (four siblings) that a node belongs to.
static inline qdi_family_index qdi_family_of(qdi_node_index node) {
    return node >> 2;
}

/// Which of the four siblings a node is.
static inline unsigned qdi_sibling(qdi_node_index node) {
    return node & 3U;
}

/// The level of a node in the tree.
static inline int qdi_node_level(const qd_tree *tree, qdi_node_index node) {
    return tree->infos[qdi_family_of(node)].level;
}

/// The cell of a node.
static inline qdi_cell qdi_node_cell(const qd_tree *tree, qdi_node_index node) {
    const qdi_family_info *info = &tree->infos[qdi_family_of(node)];
    unsigned q = qdi_sibling(node);
    return (qdi_cell){info->x + (q & 1U), info->y + (q >> 1), info->level};
}

/// True where a box's centre lies in a node's cell.
static inline bool qdi_node_holds(const qd_tree *tree, qdi_node_index node, qd_box box) {
    const qdi_family_info *info = &tree->infos[qdi_family_of(node)];
    unsigned q = qdi_sibling(node);
    float x = qdi_box_centre(box.min_x, box.max_x);
    float y = qdi_box_centre(box.min_y, box.max_y);
    return (x >= info->border_x[q & 1U]) & (x < info->border_x[(q & 1U) + 1]) &
           (y >= info->border_y[q >> 1]) & (y < info->border_y[(q >> 1) + 1]);
}

/// True where a body belongs to the root's list whatever lies below: centre outside, or longer than the root.
static inline bool qdi_outside(const qd_tree *tree, qd_box box) {
    return qdi_longest(box) > qdi_grid_side(&tree->grid, qdi_node_level(tree, QDI_ROOT)) ||
           !qdi_node_holds(tree, QDI_ROOT, box);
}

/// Tree: the box that holds nothing: united with another it gives that one.
static inline qd_box qdi_box_empty(void) {
    const float inf = __builtin_inff();
    return (qd_box){inf, inf, -inf, -inf};
}

/// Tree: the smallest box around two.
static inline qd_box qdi_box_union(qd_box a, qd_box b) {
    return (qd_box){a.min_x < b.min_x ? a.min_x : b.min_x, a.min_y < b.min_y ? a.min_y : b.min_y,
                    a.max_x > b.max_x ? a.max_x : b.max_x, a.max_y > b.max_y ? a.max_y : b.max_y};
}

/// The box around all that lies below sibling q.
static inline qd_box qdi_family_box(const qdi_family *family, unsigned q) {
    return (qd_box){family->min_x[q], family->min_y[q], family->max_x[q], family->max_y[q]};
}

/// Writes the box of sibling q.
static inline void qdi_family_set(qdi_family *family, unsigned q, qd_box box) {
    family->min_x[q] = box.min_x;
    family->min_y[q] = box.min_y;
    family->max_x[q] = box.max_x;
    family->max_y[q] = box.max_y;
}

/// Which of four siblings' subtrees overlap a box, as bits.
static inline unsigned qdi_family_overlap(const qdi_family *family, qd_box box) {
#ifdef __SSE2__ // every x86-64 has it
    __m128 x = _mm_and_ps(_mm_cmple_ps(_mm_load_ps(family->min_x), _mm_set1_ps(box.max_x)),
                          _mm_cmpge_ps(_mm_load_ps(family->max_x), _mm_set1_ps(box.min_x)));
    __m128 y = _mm_and_ps(_mm_cmple_ps(_mm_load_ps(family->min_y), _mm_set1_ps(box.max_y)),
                          _mm_cmpge_ps(_mm_load_ps(family->max_y), _mm_set1_ps(box.min_y)));
    return (unsigned)_mm_movemask_ps(_mm_and_ps(x, y));
#else
    unsigned mask = 0;
    for (unsigned q = 0; q < 4; ++q) {
        unsigned hit = (unsigned)(family->min_x[q] <= box.max_x) & (unsigned)(family->max_x[q] >= box.min_x) &
                       (unsigned)(family->min_y[q] <= box.max_y) & (unsigned)(family->max_y[q] >= box.min_y);
        mask |= hit << q;
    }
    return mask;
#endif
}

/// Whether a node of the tree has no children.
static inline bool qdi_is_leaf(const qdi_node *node) {
    return node->children == QDI_NO_CHILD;
}

/// True where a node of the tree has to be split.
static inline bool qdi_must_split(const qd_tree *tree, qdi_node_index index) {
    const qdi_node *node = &tree->nodes[index];
    return qdi_is_leaf(node) && node->fit > tree->capacity && qdi_node_level(tree, index) < QD_TREE_MAX_LEVEL;
}

/// True where a node of the tree has to be merged.
static inline bool qdi_must_merge(const qd_tree *tree, qdi_node_index index) {
    const qdi_node *node = &tree->nodes[index];
    return !qdi_is_leaf(node) && node->total - node->count <= tree->capacity;
}

/// True for a tree so small that a core keeps what a step reads of it (40 bytes a body) in a cache of its
/// own, more or less: there a prefetch costs more than the wait that it saves. With 20,000 bodies none is
/// faster, with 80,000 slower.
static inline bool qdi_tree_is_near(const qd_tree *tree) {
    return tree->count < 30000;
}

/// Bodies per task when work over a tree is cut for a team: some sixteen tasks for each thread, and none so
/// small that handing it out costs more than doing it. `least` is that many bodies; fewer than four times as
/// many are not cut at all, and none for one thread.
static inline size_t qdi_task_grain(size_t bodies, const qd_team *team, size_t least) {
    const size_t threads = (size_t)qdi_team_used(team), grain = bodies / (threads * 16) + 1;
    if (bodies < 4 * least || threads == 1) return bodies;
    return grain < least ? least : grain;
}

/// Records that a node's list is now in the room of its move, and in the move which room it left.
static inline void qdi_node_rehouse(qdi_node *node, qdi_move *move) {
    const uint32_t first = node->first, room = node->room;
    node->first = move->first;
    node->room = move->room;
    move->first = first;
    move->room = room;
}

// tree.c: memory. All keep everything on failure.

/// Tree: makes a scratch buffer hold `need` items of `size` bytes, of which the first `used` are kept.
QD_MUST_USE qd_status qdi_buffer_need(const qd_tree *tree, qdi_buffer *buffer, size_t used, size_t need,
                                      size_t size);
/// Tree: gives all scratch buffers room for a few items, so that an event that is the first of its kind
/// allocates nothing.
QD_MUST_USE qd_status qdi_buffers_ready(qd_tree *tree);
/// Tree: frees its memory.
void qdi_buffer_free(const qd_tree *tree, qdi_buffer *buffer);
QD_MUST_USE qd_status qdi_slots_reserve(qd_tree *tree, size_t need);
QD_MUST_USE qd_status qdi_families_reserve(qd_tree *tree, size_t more);
QD_MUST_USE qd_status qdi_node_of_reserve(qd_tree *tree, size_t indices);
/// Tree: the number of a free family (room was reserved).
qdi_family_index qdi_family_claim(qd_tree *tree);
/// Makes it the family of `parent`'s children, four empty leaves; the parent's `children` is not set.
void qdi_family_init(qd_tree *tree, qdi_family_index family, qdi_node_index parent);
void qdi_family_give(qd_tree *tree, qdi_family_index family);
/// Frees families, nodes and slots; exchanges those of two trees.
void qdi_memory_release(qd_tree *tree);
void qdi_memory_swap(qd_tree *a, qd_tree *b);
/// The slot of a body, found by halves. Errors: QD_ERR_STALE (not in the tree).
QD_MUST_USE qd_status qdi_tree_slot(const qd_tree *tree, qd_body_index body, size_t *slot);
/// Sets the cells of family 0 to those of Rk.
void qdi_root_cell_set(qd_tree *tree, int k);
/// Empties the tree: one leaf, R0.
void qdi_tree_clear(qd_tree *tree);

// tree_insert.c: bodies into lists.

/// The deepest existing node for a box.
qdi_node_index qdi_tree_find(const qd_tree *tree, qd_box box);
/// The same, beginning at a node that the body was in or near: up to the first ancestor that holds it, then
/// down.
qdi_node_index qdi_tree_find_from(const qd_tree *tree, qdi_node_index at, qd_box box);
/// Tree's insertion: puts an insertion in its target's list, where there is room. Own bounds and `fit` are
/// kept up to date.
bool qdi_insert_in_place(qd_tree *tree, const qdi_insertion *insertion);
/// Inserts insertions[0, count): finds each one's node, beginning at `target`, a node it was in or near, and
/// puts it in the list. Own bounds and `fit` are kept up to date, totals and subtree bounds are not.
QD_MUST_USE qd_status qdi_insert_bodies(qd_tree *tree, qd_team *team, qdi_insertion *insertions,
                                        size_t count);

// tree_split_merge.c and tree_split.c: what keeps the structure canonical.

/// Recomputes totals and subtree bounds bottom up, merges and splits until the structure is canonical.
QD_MUST_USE qd_status qdi_tree_split_merge(qd_tree *tree, qd_team *team, qd_tree_counts *counts);
/// Recomputes a node's own bounds and `fit` from its list.
void qdi_node_measure(qd_tree *tree, qdi_node_index index);
/// Splits nodes, and their children as long as they must be.
QD_MUST_USE qd_status qdi_split_nodes(qd_tree *tree, qd_team *team, const qdi_node_index *nodes, size_t count,
                                      qd_tree_counts *counts);
/// Merges the subtrees of nodes, none below another, into leaves.
QD_MUST_USE qd_status qdi_merge_nodes(qd_tree *tree, qd_team *team, const qdi_node_index *nodes, size_t count,
                                      qd_tree_counts *counts);
/// Frees all families below a node, whose bodies have been moved elsewhere; returns their number.
size_t qdi_families_free_below(qd_tree *tree, qdi_node_index index);

// tree_refresh.c

/// The end of every change: chooses the root, inserts the bodies in scratch.insertions, splits and merges,
/// packs where that pays, and orders the root's list. `count` and `rings` are up to date, the insertions
/// included.
QD_MUST_USE qd_status qdi_tree_finish(qd_tree *tree, qd_team *team, size_t insertion_count,
                                      qd_tree_counts *counts);

// tree_root.c

/// The k that tree.h's rule gives for the bodies counted in `rings`.
int qdi_root_choose(const qd_tree *tree, size_t bodies);
/// Makes Rk the root. Bodies that have to be inserted anew are appended to scratch.insertions after
/// `*count` others, and all of them begin at the root.
QD_MUST_USE qd_status qdi_root_set(qd_tree *tree, int k, size_t *count);

// tree_build.c and tree_pack.c

/// Builds from nothing; the boxes are known to be good and the indices to differ.
QD_MUST_USE qd_status qdi_tree_build(qd_tree *tree, qd_team *team, const qd_box *boxes,
                                     const qd_body_index *indices, size_t n);

/// Where bodies come from while a tree is built: a node's list is then order[first, first + count), rows of
/// the caller's arrays, in any order.
typedef struct qdi_pack_source {
    const uint32_t *order;
    const qd_box *boxes;
    const qd_body_index *indices; // NULL: row r is body r
} qdi_pack_source;

/// Copies families and lists to tree order, with fresh room. `source` NULL: from the slots as they are; else
/// from there, own bounds and `fit` being measured on the way.
QD_MUST_USE qd_status qdi_tree_pack(qd_tree *tree, qd_team *team, const qdi_pack_source *source);

// tree_compact.c

/// Compaction: lays the lists in tree order again, with fresh room, without allocating in a steady state.
/// Where most of the memory held would be unused, packs the tree instead.
QD_MUST_USE qd_status qdi_tree_compact(qd_tree *tree, qd_team *team);
/// Allocates the memory that a compaction of so many families and slots needs.
QD_MUST_USE qd_status qdi_tree_compact_reserve(qd_tree *tree, size_t families, size_t slots);

// tree_frontier.c

/// The tree cut for parallel work: `tops` are nodes to be worked on one by one, parents before children;
/// `items` are subtrees, in tree order, each of about `grain` bodies or less (or a node that cannot be cut).
/// Both in one array: tops first.
typedef struct qdi_frontier {
    const qdi_node_index *tops, *items;
    size_t top_count, item_count;
} qdi_frontier;
QD_MUST_USE qd_status qdi_frontier_make(qd_tree *tree, size_t grain, qdi_frontier *frontier);
