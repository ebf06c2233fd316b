// Queries of one box, and walks over the nodes. All of them only read, so any number of threads may be here
// at once.
#include "core/base/arithmetic.h"
#include "core/tree/kernel.h"
#include "core/tree/root_list.h"
#include "core/tree/search.h"
#include "core/tree/tree_impl.h"

typedef struct query_state {
    const qd_tree *tree;
    qd_box box;
    qd_image base, image; // of the box, and of the copy of the world that is searched now
    qd_vec2 shift;        // that image in the world's units
    bool shifted;         // it is not (0, 0)
    bool periodic;
    qd_body_index self;
    qd_tree_visit visit;
    void *context;
    uint64_t tests; // boxes of bodies that were compared
} query_state;

// Visits a slot whose box overlaps in the copy that is searched, unless a nearer image overlaps too.
static bool retrieve_hit(const query_state *query, size_t slot) {
    qd_body_index body = query->tree->slots.index[slot];
    if (body == query->self) return true;
    qd_image image = {0, 0};
    if (query->periodic) {
        qd_box box = qdi_slot_box(&query->tree->slots, slot);
        if (!qdi_image_overlap(query->box, box, query->tree->period, query->base, &image)) return true;
        if (image.x != query->image.x || image.y != query->image.y) return true;
    }
    return query->visit(query->context, body, image);
}

// Visits a body of the root's list whose box overlaps.
static bool retrieve_root_list_hit(void *context, size_t place) {
    const query_state *query = context;
    return retrieve_hit(query, query->tree->root_list.order[place]);
}

/// Blocks of slots that are compared at once.
enum { BLOCKS = 16 };

/// Tree's query: searches a list that overlaps the box, where the copy that is searched is the world itself.
static bool retrieve_from_list_unshifted(const query_state *query, const qdi_node *node) {
    const size_t end = (size_t)node->first + node->count, step = (size_t)BLOCKS * QDI_PAIR_BLOCK;
    unsigned hits[BLOCKS];
    for (size_t begin = node->first; begin < end; begin += step) {
        const size_t stop = end - begin < step ? end : begin + step;
        query->tree->kernels->hits(&query->tree->slots, begin, stop, query->box, hits);
        for (size_t at = begin, k = 0; at < stop; at += QDI_PAIR_BLOCK, ++k)
            for (unsigned left = hits[k]; left != 0; left &= left - 1)
                if (!retrieve_hit(query, at + (unsigned)__builtin_ctz(left))) return false;
    }
    return true;
}

// Searches a node's list for boxes that overlap.
static bool retrieve_from_list(query_state *query, const qdi_node *node) {
    if (node->count == 0 || !qdi_shift_overlap(query->box, node->own, query->shift)) return true;
    query->tests += node->count;
    if (!query->shifted) return retrieve_from_list_unshifted(query, node);
    for (size_t s = node->first; s < (size_t)node->first + node->count; ++s) {
        if (qdi_shift_overlap(query->box, qdi_slot_box(&query->tree->slots, s), query->shift) &&
            !retrieve_hit(query, s)) {
            return false;
        }
    }
    return true;
}

/// Which of the four children's subtrees overlap the box, by bit.
static unsigned children_overlapping(const query_state *query, const qdi_family *family) {
    if (!query->shifted) return qdi_family_overlap(family, query->box);
    unsigned hits = 0;
    for (unsigned q = 0; q < 4; ++q)
        hits |= (unsigned)qdi_shift_overlap(query->box, qdi_family_box(family, q), query->shift) << q;
    return hits;
}

// Searches the subtrees of a family for boxes that overlap.
static bool retrieve_from_children(query_state *query, qdi_family_index index) {
    const qdi_family *family = &query->tree->families[index];
    for (unsigned hits = children_overlapping(query, family); hits != 0; hits &= hits - 1) {
        const qdi_node *node = &query->tree->nodes[4 * index + (unsigned)__builtin_ctz(hits)];
        if (!retrieve_from_list(query, node)) return false;
        if (!qdi_is_leaf(node) && !retrieve_from_children(query, node->children)) return false;
    }
    return true;
}

// Searches one periodic copy of the tree for boxes that overlap.
static bool retrieve_from_copy(query_state *query) {
    const qd_tree *tree = query->tree;
    const qdi_node *root = &tree->nodes[QDI_ROOT];
    query->shift = (qd_vec2){query->image.x * tree->period.x, query->image.y * tree->period.y};
    query->shifted = query->shift.x != 0 || query->shift.y != 0;
    if (!qdi_shift_overlap(query->box, qdi_family_box(&tree->families[0], 0), query->shift)) return true;
    bool going = qdi_root_list_used(tree)
                     ? qdi_root_list_search(&tree->root_list, query->box, query->shift, 0,
                                            retrieve_root_list_hit, query, &query->tests)
                     : retrieve_from_list(query, root);
    return going && (qdi_is_leaf(root) || retrieve_from_children(query, root->children));
}

qd_status qdi_tree_retrieve(const qd_tree *tree, qd_box box, qd_body_index self, qd_tree_visit visit,
                            void *context, uint64_t *tests) {
    query_state query = {.tree = tree, .box = box, .self = self, .visit = visit, .context = context};
    if (!qd_box_valid(box) || !qdi_image_base(box, tree->period, &query.base)) return QD_ERR_VALUE;
    query.periodic = tree->period.x > 0.0 || tree->period.y > 0.0;
    static const int order[3] = {0, -1, 1};
    int copies_x = tree->period.x > 0.0 ? 3 : 1;
    int copies_y = tree->period.y > 0.0 ? 3 : 1;
    for (int i = 0; i < copies_x * copies_y; ++i) {
        query.image.x = (int16_t)(query.base.x + order[i % copies_x]);
        query.image.y = (int16_t)(query.base.y + order[i / copies_x]);
        if (!retrieve_from_copy(&query)) break;
    }
    *tests += query.tests;
    return QD_OK;
}

qd_status qd_tree_retrieve(const qd_tree *tree, qd_box box, qd_body_index self, qd_tree_visit visit,
                           void *context) {
    QDI_RESTORED qdi_arithmetic caller = qdi_arithmetic_standard();
    uint64_t tests = 0;
    return tree && visit ? qdi_tree_retrieve(tree, box, self, visit, context, &tests) : QD_ERR_ARGUMENT;
}

qd_status qd_tree_range(const qd_tree *tree, qd_box box, qd_tree_visit visit, void *context) {
    QDI_RESTORED qdi_arithmetic caller = qdi_arithmetic_standard();
    return qd_tree_retrieve(tree, box, QD_NO_BODY, visit, context);
}

qd_status qd_tree_point(const qd_tree *tree, float x, float y, qd_tree_visit visit, void *context) {
    QDI_RESTORED qdi_arithmetic caller = qdi_arithmetic_standard();
    return qd_tree_range(tree, (qd_box){x, y, x, y}, visit, context);
}

// What callers are shown of a node.
static qd_tree_node_info node_info(const qd_tree *tree, qdi_node_index index) {
    const qdi_node *node = &tree->nodes[index];
    const qdi_cell cell = qdi_node_cell(tree, index);
    const qd_vec2 corner = qdi_grid_corner(&tree->grid, cell);
    return (qd_tree_node_info){.min_x = corner.x,
                               .min_y = corner.y,
                               .side = (double)qdi_grid_side(&tree->grid, cell.level),
                               .level = cell.level,
                               .depth = cell.level - qdi_node_level(tree, QDI_ROOT),
                               .bodies = node->count,
                               .subtree = node->total,
                               .bounds = qdi_family_box(&tree->families[index / 4], index % 4),
                               .leaf = qdi_is_leaf(node)};
}

qd_status qd_tree_node(const qd_tree *tree, qd_body_index body, qd_tree_node_info *node) {
    if (body >= tree->node_of_room || tree->node_of[body] == QDI_NONE) return QD_ERR_STALE;
    *node = node_info(tree, tree->node_of[body]);
    return QD_OK;
}

// Visits the nodes of a subtree, parents first.
static bool visit_subtree_nodes(const qd_tree *tree, qdi_node_index index, qd_tree_visit_node visit,
                                void *context) {
    const qdi_node *node = &tree->nodes[index];
    const qd_tree_node_info info = node_info(tree, index);
    if (!visit(context, &info)) return false;
    for (unsigned q = 0; q < 4 && !qdi_is_leaf(node); ++q) {
        if (!visit_subtree_nodes(tree, 4 * node->children + q, visit, context)) return false;
    }
    return true;
}

void qd_tree_visit_nodes(const qd_tree *tree, qd_tree_visit_node visit, void *context) {
    QDI_RESTORED qdi_arithmetic caller = qdi_arithmetic_standard();
    (void)visit_subtree_nodes(tree, QDI_ROOT, visit, context);
}
