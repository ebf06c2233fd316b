// All overlapping pairs at once: the self-join of the tree.
//
// Two bodies belong to two lists, and each two lists meet once:
//   - a list with itself;
//   - lists of the same level: at the one that comes first in tree order;
//   - lists of different levels: at the deeper one, for which the shallower list is carried down.
//
// So whoever visits a node needs to know what is around it: the nodes of its level whose subtrees overlap its bounds, before and after
// it in tree order, and, carried along, the bodies of shallower lists that do. Both follow from what is around its
// parent: what does not overlap the parent's bounds does not overlap the child's.
//
//   level 2    . . B B . .     N visited, B before it, A after it. Children of N look for neighbours among those of B and A, and
//              . B N A . .     among their siblings; the lists of N, B and A are carried down to them, filtered by their bounds.
//              . A A A . .
//
// A body is no longer than its node's side and centred in it, so bounds reach at most half a side beyond the cell, and only cells of the
// 5 x 5 block about a cell can come into question.
//
// For many threads the recursion is cut off where the work left is small: what is cut off becomes a task, numbered in the order
// of the recursion, and whoever does it finds out what is around its node on the way down from the root. The pairs of a task
// are one part of the result (pairs_impl.h), so the order of pairs is that of the recursion, wherever it was cut. Everything is
// read only, but for the workers' own buffers.
#include "core/join.h"

#include "core/assert.h"
#include "core/kernel.h"
#include "core/outer.h"

enum { AROUND_MAX = 24, PATH_MAX_LEVELS = 128 };

/// What is around a node.
typedef struct around {
    unsigned before_count, after_count;
    size_t begin, end; // of the bodies carried along, in the worker's rows
    qdi_node_index before[AROUND_MAX], after[AROUND_MAX];
} around;

static inline const qdi_slots *rows_of(const qdi_join *join) {
    return &join->pairs->buffers[join->worker].rows;
}

// Adds those of a list that overlap `box` to the rows that end at `*end`.
static inline bool carry(const qdi_join *join, const qdi_node *node, qd_box box, size_t *end) {
    if (node->count == 0 || !qd_box_overlap(node->own, box)) return true;
    if (!qdi_pairs_rows(join->pairs, join->worker, *end, *end + node->count)) return false;
    *end = join->tree->kernels->pick(&join->tree->slots, node->first, (size_t)node->first + node->count, box,
                                     rows_of(join), *end);
    return true;
}

static inline bool carry_all(const qdi_join *join, const qdi_node_index *nodes, unsigned count, qd_box box,
                             size_t *end) {
    for (unsigned i = 0; i < count; ++i)
        if (!carry(join, &join->tree->nodes[nodes[i]], box, end)) return false;
    return true;
}

// Adds the children of nodes whose subtrees overlap `box`; returns their number.
static inline unsigned add_children(const qd_tree *tree, const qdi_node_index *nodes, unsigned count,
                                    qd_box box, qdi_node_index *found, unsigned already) {
    for (unsigned i = 0; i < count; ++i) {
        qdi_family_index family = tree->nodes[nodes[i]].children;
        if (family == QDI_NO_CHILD) continue;
        unsigned mask = qdi_family_overlap(&tree->families[family], box);
        for (; mask != 0; mask &= mask - 1) {
            QD_ASSERT(already < AROUND_MAX);
            found[already++] = 4 * family + (unsigned)__builtin_ctz(mask);
        }
    }
    return already;
}

// What is around child q of a node, from what is around the node.
static bool around_child(const qdi_join *join, const qdi_node *node, const around *outer, unsigned q,
                         around *inner) {
    const qd_tree *tree = join->tree;
    const qdi_family_index family = node->children;
    const qd_box box = qdi_family_box(&tree->families[family], q);
    const unsigned siblings = qdi_family_overlap(&tree->families[family], box) & ~(1U << q);
    unsigned before = 0, after = 0;
    for (unsigned s = 0; s < 4; ++s) {
        inner->before[before] = inner->after[after] = 4 * family + s;
        before += siblings >> s & 1U & (unsigned)(s < q);
        after += siblings >> s & 1U & (unsigned)(s > q);
    }
    inner->after_count = add_children(tree, outer->after, outer->after_count, box, inner->after, after);
    // Whoever has no children only looks at what comes after it.
    inner->before_count = qdi_is_leaf(&tree->nodes[4 * family + q])
                              ? 0
                              : add_children(tree, outer->before, outer->before_count, box, inner->before,
                                             before);
    size_t end = inner->begin = outer->end;
    if (outer->end > outer->begin) {
        if (!qdi_pairs_rows(join->pairs, join->worker, end, 2 * end - outer->begin)) return false;
        end = tree->kernels->pick(rows_of(join), outer->begin, outer->end, box, rows_of(join), end);
    }
    bool outside = node == &tree->nodes[QDI_ROOT] && qdi_outer_used(tree); // a search of its own
    if (!outside && !carry(join, node, box, &end)) return false;
    if (!carry_all(join, outer->before, outer->before_count, box, &end)) return false;
    if (!carry_all(join, outer->after, outer->after_count, box, &end)) return false;
    inner->end = end;
    return true;
}

// The own list of a node with itself and with what is around it.
static bool join_list(const qdi_join *join, const qdi_node *node, const around *here) {
    if (node->count == 0) return true;
    size_t end = here->end;
    if (!carry_all(join, here->after, here->after_count, node->own, &end)) return false;
    return join->tree->kernels->list(&join->tree->slots, node->first, (size_t)node->first + node->count,
                                     rows_of(join), here->begin, end, join->pairs, join->worker);
}

static bool join_from(const qdi_join *join, qdi_node_index index, const around *here) {
    const qdi_node *node = &join->tree->nodes[index];
    if (!join_list(join, node, here)) return false;
    if (qdi_is_leaf(node)) return true;
    for (unsigned q = 0; q < 4; ++q) {
        const qdi_node_index child = 4 * node->children + q;
        if (join->tree->nodes[child].total == 0) continue;
        around inner;
        if (!around_child(join, node, here, q, &inner) || !join_from(join, child, &inner)) return false;
    }
    return true;
}

// What is around a node, from the root down.
static bool around_node(const qdi_join *join, qdi_node_index index, around *here) {
    const qd_tree *tree = join->tree;
    qdi_node_index path[PATH_MAX_LEVELS];
    unsigned levels = 0;
    for (qdi_node_index at = index; at != QDI_ROOT; at = tree->infos[qdi_family_of(at)].parent) {
        QD_ASSERT(levels < PATH_MAX_LEVELS);
        path[levels++] = at;
    }
    *here = (around){0};
    const qdi_node *node = &tree->nodes[QDI_ROOT];
    while (levels-- > 0) {
        const around outer = *here;
        if (!around_child(join, node, &outer, qdi_sibling(path[levels]), here)) return false;
        node = &tree->nodes[path[levels]];
    }
    return true;
}

bool qdi_join_subtree(const qdi_join *join, qdi_node_index index) {
    around here;
    return around_node(join, index, &here) && join_from(join, index, &here);
}

bool qdi_join_node(const qdi_join *join, qdi_node_index index) {
    around here;
    return around_node(join, index, &here) && join_list(join, &join->tree->nodes[index], &here);
}
