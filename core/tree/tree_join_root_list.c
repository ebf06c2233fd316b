// The root's list, when it is long: its bodies one by one, through its index and down the tree.
#include "core/tree/join.h"
#include "core/tree/kernel.h"
#include "core/tree/root_list.h"

// Finds the pairs of a body of the root's list with everything below a family.
static bool join_box_below(const qdi_join *join, qd_box box, qd_body_index index, qdi_family_index family) {
    const qd_tree *tree = join->tree;
    unsigned mask = qdi_family_overlap(&tree->families[family], box);
    for (; mask != 0; mask &= mask - 1) {
        const qdi_node *node = &tree->nodes[4 * family + (unsigned)__builtin_ctz(mask)];
        if (node->count > 0 && qd_box_overlap(box, node->own)) {
            qdi_pairs_tested(join->pairs, join->worker, node->count);
            if (!tree->kernels->box_list(&tree->slots, box, index, node->first,
                                         (size_t)node->first + node->count, join->pairs, join->worker))
                return false;
        }
        if (!qdi_is_leaf(node) && !join_box_below(join, box, index, node->children)) return false;
    }
    return true;
}

typedef struct root_list_join {
    const qdi_join *join;
    size_t place;
    bool image;
} root_list_join;

// Takes two bodies of the root's list as a pair.
static bool join_root_list_hit(void *context, size_t place) {
    const root_list_join *root_list = context;
    const qdi_join *join = root_list->join;
    const uint32_t *order = join->tree->root_list.order;
    if (root_list->image) return qdi_join_image_pair(join, order[root_list->place], order[place]);
    qd_body_index a = join->tree->slots.index[order[root_list->place]];
    qd_body_index b = join->tree->slots.index[order[place]];
    return qdi_pairs_push(join->pairs, join->worker, (qd_pair){a < b ? a : b, a < b ? b : a, {0, 0}});
}

// Bodies [begin, end) of the root's list with those after them, and with everything below the root.
bool qdi_join_root_list(const qdi_join *join, size_t begin, size_t end) {
    const qd_tree *tree = join->tree;
    const qdi_root_list *root_list = &tree->root_list;
    qdi_family_index children = tree->nodes[QDI_ROOT].children;
    uint64_t *tests = &join->pairs->buffers[join->worker].tests;
    for (size_t i = begin; i < end; ++i) {
        root_list_join context = {join, i, false};
        if (!qdi_root_list_search(root_list, root_list->box[i], (qd_vec2){0.0, 0.0}, i + 1,
                                  join_root_list_hit, &context, tests))
            return false;
        if (children != QDI_NO_CHILD &&
            !join_box_below(join, root_list->box[i], tree->slots.index[root_list->order[i]], children)) {
            return false;
        }
    }
    return true;
}

bool qdi_join_root_list_image(const qdi_join *join, size_t begin, size_t end) {
    const qd_tree *tree = join->tree;
    const qdi_root_list *root_list = &tree->root_list;
    qdi_family_index children = tree->nodes[QDI_ROOT].children;
    uint64_t *tests = &join->pairs->buffers[join->worker].tests;
    for (size_t i = begin; i < end; ++i) {
        root_list_join context = {join, i, true};
        if (!qdi_root_list_search(root_list, root_list->box[i], join->shift, 0, join_root_list_hit, &context,
                                  tests))
            return false;
        for (unsigned q = 0; q < 4 && children != QDI_NO_CHILD; ++q) {
            if (!qdi_join_image_below(join, root_list->order[i], 4 * children + q, false)) return false;
            if (!qdi_join_image_below(join, root_list->order[i], 4 * children + q, true)) return false;
        }
    }
    return true;
}
