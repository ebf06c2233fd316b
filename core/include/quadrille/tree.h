#ifndef QUADRILLE_TREE_H
#define QUADRILLE_TREE_H

#include <quadrille/alloc.h>
#include <quadrille/box.h>
#include <quadrille/pairs.h>
#include <quadrille/simd.h>
#include <quadrille/status.h>
#include <quadrille/team.h>
#include <quadrille/vec.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

QD_BEGIN_DECLS

/// A quadtree of boxes: boxes in, overlapping pairs out.
///
/// **Placement.** A body lives in the deepest existing node whose cell holds its box's centre and whose side
/// is at least the box's longest side. The centre is 0.5F * min + 0.5F * max in float32.
///
/// **Structure.** A node is split exactly when more than `capacity` bodies of its subtree could go deeper
/// (longest side at most half the node's) and its level is below QD_TREE_MAX_LEVEL. The tree is therefore a
/// function of the boxes alone, not of its history: qd_tree_refresh gives the same tree as a fresh build, and
/// pairs come in an order that depends on the boxes and indices alone.
///
/// **Root.** R0 is the smallest square with a power-of-two side, about the world's centre, that holds the
/// world; R(k+1) has twice the side, Rk being alternately its upper-right and lower-left child. The root is
/// Rk for the smallest k <= QD_TREE_MAX_GROWTH that leaves at most n/256 + capacity centres outside. Bodies
/// outside, and those longer than the root's side, live in the root's list and are found like all others.
///
/// **What a query sees.** Queries see the boxes of the last refresh, add or remove. They change nothing, so
/// any number of threads may query at once; refresh, add and remove need the tree for themselves. Rays are in
/// <quadrille/ray.h>, circles and the nearest bodies in <quadrille/near.h>.
typedef struct qd_tree qd_tree;

/// Deepest level; R0 is level 0, Rk level -k.
#define QD_TREE_MAX_LEVEL 40
/// Most levels the root can grow above R0. Beyond (a million worlds away) bodies stay in the root's list.
#define QD_TREE_MAX_GROWTH 20

/// How a tree is made.
typedef struct qd_tree_def {
    uint32_t cookie; ///< set by qd_tree_def_default; a def without it is refused
    qd_vec2 size;    ///< width and height of the world, > 0, about the origin of the boxes' coordinates
    qd_vec2 period;  ///< period per axis, 0 = not periodic; otherwise equal to `size` of that axis (at first)
    uint32_t capacity;             ///< see above; 1..65535, default 128
    qd_simd simd;                  ///< which kernels; default QD_SIMD_AUTO. Changes no result
    const qd_allocator *allocator; ///< NULL: the C heap
} qd_tree_def;

/// What a refresh did.
typedef struct qd_tree_counts {
    uint64_t in_place; ///< bodies updated where they were
    uint64_t refiled;  ///< bodies moved to another node
    uint64_t added, removed;
    uint64_t splits, merges; ///< nodes split and merged
    bool built;              ///< the tree was built from nothing
} qd_tree_counts;

/// Facts about a tree.
typedef struct qd_tree_stats {
    uint64_t bodies, nodes, leaves;
    uint64_t
        outside; ///< bodies in the root's list whose centre is outside the root or that are longer than it
    uint64_t largest_list;
    int root_level;    ///< -k for Rk
    int deepest_level; ///< of any node
    size_t bytes;      ///< memory held
} qd_tree_stats;

/// A node, as qd_tree_visit_nodes shows it.
typedef struct qd_tree_node_info {
    double min_x, min_y, side; ///< cell
    int level;                 ///< as QD_TREE_MAX_LEVEL says
    int depth;                 ///< below the root, the root is 0
    uint32_t bodies;           ///< in its own list
    uint64_t subtree;          ///< in its list and below
    qd_box bounds; ///< of the boxes in its list and below: queries search it where they overlap this
    bool leaf;
} qd_tree_node_info;

/// Called for each hit of a query; returns false to stop. `image`: see pairs.h; it is to be added to the
/// hit's box.
typedef bool (*qd_tree_visit)(void *context, qd_body_index body, qd_image image);

/// Called for each node; returns false to stop.
typedef bool (*qd_tree_visit_node)(void *context, const qd_tree_node_info *node);

/// 1 x 1, not periodic, a capacity of 128, the best kernels.
QD_API qd_tree_def qd_tree_def_default(void);

/// Makes an empty tree. Errors: QD_ERR_ARGUMENT, QD_ERR_VALUE (size, period, capacity, or kernels that this
/// processor does not have), QD_ERR_MEMORY.
QD_API QD_MUST_USE qd_status qd_tree_create(const qd_tree_def *def, qd_tree **tree);

/// Sets the kernels that the tree uses. No result depends on them. Errors: QD_ERR_ARGUMENT,
/// QD_ERR_VALUE (the processor or this build lacks them).
QD_API QD_MUST_USE qd_status qd_tree_set_simd(qd_tree *tree, qd_simd simd);

/// Frees a tree; NULL is fine.
QD_API void qd_tree_destroy(qd_tree *tree);

/// Brings the tree up to date: afterwards it holds exactly the `n` bodies given, body `indices[i]` with
/// `boxes[i]`. `indices` NULL means 0..n-1. The first call builds; later calls update bodies in place,
/// move those that left their cell to another node, and split and merge nodes; bodies not named are removed,
/// new ones inserted. It is fastest when a body keeps its place i from call to call. `counts` may be NULL.
///
/// Memory per body: about 40 bytes, and 8 bytes for each index up to the largest.
/// Errors: QD_ERR_VALUE: some box is not finite or has min > max, is longer than half a period, or has its
/// centre outside the cell on a periodic axis (`*bad` is the lowest position i of such a box): bodies with a
/// bad box keep the one they had, all others are updated, new bodies with a bad box are left out,
/// and so are those whose box does not fit a period set since (qd_tree_set_period). QD_ERR_EXISTS: two
/// entries have the same index, nothing changed. QD_ERR_LIMIT: n or an index is 2^28 or more. QD_ERR_MEMORY:
/// the tree is empty, the next refresh builds it. `bad` may be NULL.
QD_API QD_MUST_USE qd_status qd_tree_refresh(qd_tree *tree, qd_team *team, const qd_box *boxes,
                                             const qd_body_index *indices, size_t n, qd_tree_counts *counts,
                                             size_t *bad);

/// Gives a periodic tree another period, for a world whose size changes: below or above `size`, which still
/// says where the root lies. Until the next refresh, which checks all boxes by the new period, queries
/// must not be made. Errors: QD_ERR_VALUE: not finite, or not above 0 exactly where the period was.
QD_API QD_MUST_USE qd_status qd_tree_set_period(qd_tree *tree, qd_vec2 period);

/// Inserts one more body at once; the tree is canonical afterwards. Cost: its depth and the length of one
/// list. Errors: QD_ERR_EXISTS, QD_ERR_VALUE and QD_ERR_LIMIT, with nothing changed; QD_ERR_MEMORY as in
/// qd_tree_refresh.
QD_API QD_MUST_USE qd_status qd_tree_add(qd_tree *tree, qd_body_index body, qd_box box);

/// Removes one body. Errors: QD_ERR_STALE (not in the tree), QD_ERR_MEMORY as in qd_tree_refresh.
QD_API QD_MUST_USE qd_status qd_tree_remove(qd_tree *tree, qd_body_index body);

/// Gives one body another box at once; the tree is canonical afterwards. Where the body stays in its node
/// only the bounds of the nodes above are updated; else it costs as much as removing and adding it. Errors:
/// QD_ERR_STALE (not in the tree), QD_ERR_VALUE, with nothing changed; QD_ERR_MEMORY as in qd_tree_refresh.
QD_API QD_MUST_USE qd_status qd_tree_move(qd_tree *tree, qd_body_index body, qd_box box);

/// All overlapping pairs, in an order that is the same for any team. Errors: QD_ERR_LIMIT (more than
/// pairs->limit), QD_ERR_MEMORY. The self-join of the tree, in parallel.
QD_API QD_MUST_USE qd_status qd_tree_pairs(const qd_tree *tree, qd_team *team, qd_pairs *pairs);

/// The same pairs (in another order) by one retrieve per body, in parallel: the plain way, for comparison.
QD_API QD_MUST_USE qd_status qd_tree_pairs_each(const qd_tree *tree, qd_team *team, qd_pairs *pairs);

/// Every body whose box overlaps `box`, except `self` (QD_NO_BODY: none is left out); each once. In a
/// periodic world a body is reported through its nearest image. Errors: QD_ERR_VALUE for an invalid box. Any
/// thread.
QD_API QD_MUST_USE qd_status qd_tree_retrieve(const qd_tree *tree, qd_box box, qd_body_index self,
                                              qd_tree_visit visit, void *context);

/// Every body whose box overlaps a box that belongs to no body: qd_tree_retrieve without a self.
QD_API QD_MUST_USE qd_status qd_tree_range(const qd_tree *tree, qd_box box, qd_tree_visit visit,
                                           void *context);

/// Every body whose box contains the point. As qd_tree_retrieve.
QD_API QD_MUST_USE qd_status qd_tree_point(const qd_tree *tree, float x, float y, qd_tree_visit visit,
                                           void *context);

/// Writes to places[0, count) the places i that the bodies had in the last refresh, in tree order: bodies
/// that are near each other come near each other. Callers who put their arrays in this order now and then
/// (and pass `indices`, so that bodies keep their names) make every part of a step faster. Errors:
/// QD_ERR_STATE after an add or remove, or a refresh that left out bodies; QD_ERR_MEMORY. Uses the tree's own
/// memory, so not a query.
QD_API QD_MUST_USE qd_status qd_tree_order(qd_tree *tree, qd_team *team, uint32_t *places);

/// The box that the tree holds for a body. Errors: QD_ERR_STALE.
QD_API QD_MUST_USE qd_status qd_tree_box(const qd_tree *tree, qd_body_index body, qd_box *box);

/// Depth (root 0) of the node a body lives in. Errors: QD_ERR_STALE.
QD_API QD_MUST_USE qd_status qd_tree_depth(const qd_tree *tree, qd_body_index body, int *depth);

/// The node that a body lives in. Errors: QD_ERR_STALE.
QD_API QD_MUST_USE qd_status qd_tree_node(const qd_tree *tree, qd_body_index body, qd_tree_node_info *node);

/// All nodes, parents before children, children in the order lower-left, lower-right, upper-left,
/// upper-right.
QD_API void qd_tree_visit_nodes(const qd_tree *tree, qd_tree_visit_node visit, void *context);

/// Checks every rule of the structure and says in `error` which one is broken. Cost O(n log n).
/// Errors: QD_ERR_INTERNAL.
QD_API QD_MUST_USE qd_status qd_tree_validate(const qd_tree *tree, qd_error *error);

/// A hash of the logical tree: cells, lists, indices, boxes. Equal trees have equal hashes, whatever their
/// history. Cost O(n), one thread.
QD_API uint64_t qd_tree_hash(const qd_tree *tree);

/// Counts the calls that changed the tree.
QD_API uint64_t qd_tree_revision(const qd_tree *tree);

/// Number of bodies in the tree.
QD_API size_t qd_tree_count(const qd_tree *tree);
/// Facts about the tree as it is. Cost: O(nodes).
QD_API qd_tree_stats qd_tree_statistics(const qd_tree *tree);

QD_END_DECLS

#endif
