// The root's list, when it is long: its bodies one by one, through its index and down the tree.
#include "core/tree/join.h"
#include "core/tree/kernel.h"
#include "core/tree/root_list.h"

static bool box_below(const qdi_join *join, qd_box box, qd_body_index index, qdi_family_index family) {
    const qd_tree *tree = join->tree;
    unsigned mask = qdi_family_overlap(&tree->families[family], box);
    for (; mask != 0; mask &= mask - 1) {
        const qdi_node *node = &tree->nodes[4 * family + (unsigned)__builtin_ctz(mask)];
        if (node->count > 0 && qd_box_overlap(box, node->own) &&
            !tree->kernels->box_list(&tree->slots, box, index, node->first, (size_t)node->first + node->count,
                                     join->pairs, join->worker)) {
            return false;
        }
        if (!qdi_is_leaf(node) && !box_below(join, box, index, node->children)) return false;
    }
    return true;
}

typedef struct outer_join {
    const qdi_join *join;
    size_t place;
    bool image;
} outer_join;

static bool outer_hit(void *context, size_t place) {
    const outer_join *outer = context;
    const qdi_join *join = outer->join;
    const uint32_t *order = join->tree->outer.order;
    if (outer->image) return qdi_join_image_pair(join, order[outer->place], order[place]);
    qd_body_index a = join->tree->slots.index[order[outer->place]];
    qd_body_index b = join->tree->slots.index[order[place]];
    return qdi_pairs_push(join->pairs, join->worker, (qd_pair){a < b ? a : b, a < b ? b : a, {0, 0}});
}

// Bodies [begin, end) of the root's list with those after them, and with everything below the root.
bool qdi_join_outer(const qdi_join *join, size_t begin, size_t end) {
    const qd_tree *tree = join->tree;
    const qdi_outer *outer = &tree->outer;
    qdi_family_index children = tree->nodes[QDI_ROOT].children;
    for (size_t i = begin; i < end; ++i) {
        outer_join context = {join, i, false};
        if (!qdi_outer_search(outer, outer->box[i], (qd_vec2){0.0, 0.0}, i + 1, outer_hit, &context))
            return false;
        if (children != QDI_NO_CHILD &&
            !box_below(join, outer->box[i], tree->slots.index[outer->order[i]], children)) {
            return false;
        }
    }
    return true;
}

bool qdi_join_outer_image(const qdi_join *join, size_t begin, size_t end) {
    const qd_tree *tree = join->tree;
    const qdi_outer *outer = &tree->outer;
    qdi_family_index children = tree->nodes[QDI_ROOT].children;
    for (size_t i = begin; i < end; ++i) {
        outer_join context = {join, i, true};
        if (!qdi_outer_search(outer, outer->box[i], join->shift, 0, outer_hit, &context)) return false;
        for (unsigned q = 0; q < 4 && children != QDI_NO_CHILD; ++q) {
            if (!qdi_join_image_below(join, outer->order[i], 4 * children + q, false)) return false;
            if (!qdi_join_image_below(join, outer->order[i], 4 * children + q, true)) return false;
        }
    }
    return true;
}
