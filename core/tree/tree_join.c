// All overlapping pairs at once: the self-join of the tree.
//
// Two bodies belong to two lists, and each two lists meet once:
//   - a list with itself;
//   - lists of the same level: at the one that comes first in tree order;
//   - lists of different levels: at the deeper one, for which the shallower list is carried down.
//
// So the visit of a node needs to know what is around it: the nodes of its level whose subtrees overlap its
// bounds, before and after it in tree order, and, carried along, the bodies of shallower lists that do. Both
// follow from what is around its parent: what does not overlap the parent's bounds does not overlap the
// child's.
//
//   level 2    . . B B . .
//              . B N A . .
//              . A A A . .
//
// N is visited, B is before it, A after it. Children of N look for neighbours among those of B and A, and
// among their siblings; the lists of N, B and A are carried down to them, filtered by their bounds.
//
// A body is no longer than its node's side and centred in it, so bounds reach at most half a side beyond the
// cell, and only cells of the 5 x 5 block about a cell can come into question.
//
// Four leaves that are siblings have nearly the same around them. Where the kernels can, they are joined at
// once: what is around them is found for all four, and each picks its part. The pairs are the same, in the
// same order.
//
// For many threads the recursion is cut off where the work left is small: what is cut off becomes a task,
// numbered in the order of the recursion, and its worker finds what is around its node on the way down from
// the root. The pairs of a task are one part of the result (pairs_impl.h), so the order of pairs is
// that of the recursion, wherever it was cut. Everything is read only, but for the workers' own buffers.
#include "core/tree/join.h"

#include "core/base/assert.h"
#include "core/tree/kernel.h"
#include "core/tree/root_list.h"

enum { AROUND_MAX = 24, PATH_MAX = 128 };

/// What is around a node.
typedef struct around {
    unsigned before_count, after_count;
    size_t begin, end; // of the bodies carried along, in the worker's rows
    size_t top;        // the rows below this are in use
    qdi_node_index before[AROUND_MAX + 4], after[AROUND_MAX + 4];
} around;

/// What the children of a node need to know of what is around it.
typedef struct outlook {
    unsigned before_count, after_count, list_count;
    qdi_family_index before[AROUND_MAX], after[AROUND_MAX]; // the children of those around
    qdi_node_index lists[2 * AROUND_MAX + 1];               // whose lists are carried down
} outlook;

// Tree's self-join: the boxes that a worker of the join carries along.
static inline const qdi_slots *carried_rows(const qdi_join *join) {
    return &join->pairs->buffers[join->worker].rows;
}

// Tree's self-join: adds those of a list that overlap `box` to the rows that end at `*end`.
static inline bool carry_list_down(const qdi_join *join, const qdi_node *node, qd_box box, size_t *end) {
    if (node->count == 0 || !qd_box_overlap(node->own, box)) return true;
    if (!qdi_pairs_rows(join->pairs, join->worker, *end, *end + node->count)) return false;
    *end = join->tree->kernels->pick(&join->tree->slots, node->first, (size_t)node->first + node->count, box,
                                     carried_rows(join), *end);
    return true;
}

// Tree's self-join: adds those of the rows [from, to) that overlap `box` to the rows that end at `*end`.
static inline bool carry_rows_down(const qdi_join *join, size_t from, size_t to, qd_box box, size_t *end) {
    if (from == to) return true;
    if (!qdi_pairs_rows(join->pairs, join->worker, *end, *end + (to - from))) return false;
    *end = join->tree->kernels->pick(carried_rows(join), from, to, box, carried_rows(join), *end);
    return true;
}

// Adds those of several nodes' lists that overlap `box` to the rows that end at `*end`.
static inline bool carry_lists_down(const qdi_join *join, const qdi_node_index *nodes, unsigned count,
                                    qd_box box, size_t *end) {
    for (unsigned i = 0; i < count; ++i)
        if (!carry_list_down(join, &join->tree->nodes[nodes[i]], box, end)) return false;
    return true;
}

// Adds the nodes of a family that a mask names; returns their number with those already there. Which they are
// cannot be predicted, so all four are written.
static inline unsigned add_masked_nodes(qdi_node_index *nodes, unsigned already, qdi_family_index family,
                                        unsigned mask) {
    for (unsigned q = 0; q < 4; ++q) {
        nodes[already] = 4 * family + q;
        already += mask >> q & 1U;
    }
    return already;
}

// Adds the nodes of several families whose subtrees overlap a box.
static inline unsigned add_overlapping_children(const qd_tree *tree, const qdi_family_index *families,
                                                unsigned count, qd_box box, qdi_node_index *nodes,
                                                unsigned already) {
    for (unsigned i = 0; i < count; ++i) {
        const unsigned mask = qdi_family_overlap(&tree->families[families[i]], box);
        already = add_masked_nodes(nodes, already, families[i], mask);
    }
    return already;
}

// Adds a node around to what its children need to know: its family, and its list.
static inline void add_neighbour_node(const qd_tree *tree, qdi_node_index index, qdi_family_index *families,
                                      unsigned *family_count, outlook *view) {
    const qdi_node *node = &tree->nodes[index];
    families[*family_count] = node->children;
    *family_count += node->children != QDI_NO_CHILD;
    view->lists[view->list_count] = index;
    view->list_count += node->count > 0;
}

// Collects what the children of a node need to know of the nodes around it.
static void collect_neighbours(const qd_tree *tree, qdi_node_index index, const around *here, outlook *view) {
    // The root's list, when it is long, has a search of its own.
    bool own = tree->nodes[index].count > 0 && !(index == QDI_ROOT && qdi_root_list_used(tree));
    view->lists[0] = index;
    view->list_count = own;
    view->before_count = view->after_count = 0;
    for (unsigned i = 0; i < here->before_count; ++i)
        add_neighbour_node(tree, here->before[i], view->before, &view->before_count, view);
    for (unsigned i = 0; i < here->after_count; ++i)
        add_neighbour_node(tree, here->after[i], view->after, &view->after_count, view);
}

// Finds what is around child q of a node.  Bodies carried along begin at row `top`.
static bool find_around_child(const qdi_join *join, qdi_family_index family, unsigned q, const around *outer,
                              const outlook *view, size_t top, around *inner) {
    const qd_tree *tree = join->tree;
    const qd_box box = qdi_family_box(&tree->families[family], q);
    const unsigned siblings = qdi_family_overlap(&tree->families[family], box), below = (1U << q) - 1U;
    const unsigned after = add_masked_nodes(inner->after, 0, family, siblings & ~(below << 1 | 1U));
    inner->after_count = add_overlapping_children(tree, view->after, view->after_count, box, inner->after,
                                                  after);
    inner->before_count = 0;
    if (!qdi_is_leaf(&tree->nodes[4 * family + q])) { // a leaf only joins with what comes after it
        const unsigned before = add_masked_nodes(inner->before, 0, family, siblings & below);
        inner->before_count = add_overlapping_children(tree, view->before, view->before_count, box,
                                                       inner->before, before);
    }
    QD_ASSERT(inner->before_count <= AROUND_MAX && inner->after_count <= AROUND_MAX);
    size_t end = top;
    if (!carry_rows_down(join, outer->begin, outer->end, box, &end)) return false;
    if (!carry_lists_down(join, view->lists, view->list_count, box, &end)) return false;
    inner->begin = top;
    inner->end = inner->top = end;
    return true;
}

// Finds the pairs of a node's list with itself and with the lists around it.
static bool join_node_list(const qdi_join *join, const qdi_node *node, const around *here) {
    if (node->count == 0) return true;
    size_t end = here->top;
    if (!carry_rows_down(join, here->begin, here->end, node->own, &end)) return false;
    if (!carry_lists_down(join, here->after, here->after_count, node->own, &end)) return false;
    const uint64_t count = node->count;
    qdi_pairs_tested(join->pairs, join->worker, count * (count - 1) / 2 + count * (end - here->top));
    return join->tree->kernels->list(&join->tree->slots, node->first, (size_t)node->first + node->count,
                                     node->own, carried_rows(join), here->top, end, join->pairs,
                                     join->worker);
}

// Whether the kernels take the four children of a node at once: leaves, with little around.
static bool is_leaf_family(const qdi_join *join, const qdi_node *children, size_t others) {
    if (!join->tree->kernels->family) return false;
    size_t boxes = others + 2 * QDI_PAIR_BLOCK;
    for (unsigned q = 0; q < 4; ++q) {
        if (!qdi_is_leaf(&children[q]) || children[q].count > QDI_FAMILY_LIST) return false;
        boxes += qdi_whole_blocks(children[q].count);
    }
    return boxes <= QDI_FAMILY_ROOM;
}

// Adds the lists of nodes to the blocks that are looked through for a family; false where they are too long
// or too many. How many blocks a list has cannot be predicted, so as many are written as it may have.
static bool add_list_blocks(const qd_tree *tree, const qdi_node_index *nodes, unsigned count,
                            qdi_leaf_family *family) {
    unsigned blocks = 0;
    for (unsigned i = 0; i < count; ++i) {
        const qdi_node *node = &tree->nodes[nodes[i]];
        if (node->count > QDI_FAMILY_LIST || blocks > QDI_FAMILY_BLOCKS) return false;
        for (unsigned k = 0; k < QDI_FAMILY_LIST / QDI_PAIR_BLOCK; ++k) {
            const uint32_t before = k * QDI_PAIR_BLOCK;
            const uint32_t left = node->count > before ? node->count - before : 0;
            family->block[blocks + k] = node->first + before;
            family->lanes[blocks + k] = left >= QDI_PAIR_BLOCK ? QDI_PAIR_BLOCK_ALL : (1U << left) - 1U;
        }
        blocks += qdi_whole_blocks(node->count) / QDI_PAIR_BLOCK;
    }
    family->blocks = blocks;
    return true;
}

// Finds the pairs of the four leaves below a node; `done` is set where it did.
static bool join_leaf_family(const qdi_join *join, const qdi_node *node, const around *here,
                             const outlook *view, bool *done) {
    const qd_tree *tree = join->tree;
    const qdi_node *children = &tree->nodes[4 * node->children];
    *done = false;
    if (!is_leaf_family(join, children, 0)) return true;
    qdi_leaf_family family;
    family.bounds = qdi_box_empty();
    for (unsigned q = 0; q < 4; ++q) {
        family.first[q] = children[q].first;
        family.count[q] = children[q].count;
        family.box[q] = children[q].own;
        family.bounds = qdi_box_union(family.bounds, children[q].own);
    }
    qdi_node_index after[4 * AROUND_MAX + 4];
    const unsigned count = add_overlapping_children(tree, view->after, view->after_count, family.bounds,
                                                    after, 0);
    if (!add_list_blocks(tree, after, count, &family)) return true;
    size_t end = family.begin = here->top;
    if (!carry_rows_down(join, here->begin, here->end, family.bounds, &end)) return false;
    if (!carry_lists_down(join, view->lists, view->list_count, family.bounds, &end)) return false;
    family.end = end;
    return !is_leaf_family(join, children, end - family.begin) ||
           tree->kernels->family(&tree->slots, &family, carried_rows(join), join->pairs, join->worker, done);
}

// Prefetches the lists below the nodes after a node that reach into it: they lie where no processor expects
// them, and will be needed when its leaves are joined.
static void prefetch_lists_after(const qd_tree *tree, qdi_node_index index, const around *here) {
    const qdi_slots *slots = &tree->slots;
    const qd_box box = qdi_family_box(&tree->families[qdi_family_of(index)], qdi_sibling(index));
    for (unsigned i = 0; i < here->after_count; ++i) {
        const qdi_family_index family = tree->nodes[here->after[i]].children;
        if (family == QDI_NO_CHILD) continue;
        for (unsigned m = qdi_family_overlap(&tree->families[family], box); m != 0; m &= m - 1) {
            const qdi_node *node = &tree->nodes[4 * family + (unsigned)__builtin_ctz(m)];
            for (uint32_t s = 0; s < node->count && s < QDI_FAMILY_LIST; s += QDI_PAIR_BLOCK) {
                const size_t at = node->first + s;
                __builtin_prefetch(slots->min_x + at);
                __builtin_prefetch(slots->min_y + at);
                __builtin_prefetch(slots->max_x + at);
                __builtin_prefetch(slots->max_y + at);
                __builtin_prefetch(slots->index + at);
            }
        }
    }
}

// Prefetches the nodes below the nodes after a node, and their bounds, which prefetch_lists_after reads.
static void prefetch_nodes_after(const qd_tree *tree, const around *here) {
    for (unsigned i = 0; i < here->after_count; ++i) {
        const qdi_family_index family = tree->nodes[here->after[i]].children;
        const qdi_node *nodes = &tree->nodes[4 * family];
        __builtin_prefetch(&tree->families[family]);
        for (unsigned q = 0; q < 4; ++q) __builtin_prefetch(&nodes[q].first);
    }
}

// Finds the pairs of a node's list and of all lists below it.
static bool join_subtree_below(const qdi_join *join, qdi_node_index index, const around *here) {
    const qd_tree *tree = join->tree;
    const qdi_node *node = &tree->nodes[index];
    if (!join_node_list(join, node, here)) return false;
    if (qdi_is_leaf(node)) return true;
    around inner[4];
    outlook view;
    collect_neighbours(tree, index, here, &view);
    bool done = false;
    if (!join_leaf_family(join, node, here, &view, &done)) return false;
    if (done) return true;
    size_t top = here->top;
    for (unsigned q = 0; q < 4; ++q) {
        if (!find_around_child(join, node->children, q, here, &view, top, &inner[q])) return false;
        top = inner[q].end;
    }
    for (unsigned q = 0; q < 4; ++q) inner[q].top = top;
    if (!qdi_tree_is_near(tree))
        for (unsigned q = 1; q < 4; ++q) prefetch_nodes_after(tree, &inner[q]);
    for (unsigned q = 0; q < 4; ++q) {
        const qdi_node_index child = 4 * node->children + q;
        if (q < 3 && !qdi_tree_is_near(tree)) prefetch_lists_after(tree, child + 1, &inner[q + 1]);
        if (tree->nodes[child].total > 0 && !join_subtree_below(join, child, &inner[q])) return false;
    }
    return true;
}

// Finds what is around a node, from the root down.
static bool find_around_node(const qdi_join *join, qdi_node_index index, around *here) {
    const qd_tree *tree = join->tree;
    qdi_node_index path[PATH_MAX];
    unsigned levels = 0;
    for (qdi_node_index at = index; at != QDI_ROOT; at = tree->infos[qdi_family_of(at)].parent) {
        QD_ASSERT(levels < PATH_MAX);
        path[levels++] = at;
    }
    here->before_count = here->after_count = 0;
    here->begin = here->end = here->top = 0;
    for (qdi_node_index at = QDI_ROOT; levels-- > 0; at = path[levels]) {
        const around outer = *here;
        outlook view;
        collect_neighbours(tree, at, &outer, &view);
        const qdi_node_index child = path[levels];
        if (!find_around_child(join, qdi_family_of(child), qdi_sibling(child), &outer, &view, outer.top,
                               here))
            return false;
    }
    return true;
}

bool qdi_join_subtree(const qdi_join *join, qdi_node_index index) {
    around here;
    return find_around_node(join, index, &here) && join_subtree_below(join, index, &here);
}

bool qdi_join_node(const qdi_join *join, qdi_node_index index) {
    around here;
    return find_around_node(join, index, &here) && join_node_list(join, &join->tree->nodes[index], &here);
}
