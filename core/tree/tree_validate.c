// What a tree must be, checked; and its hash.
#include "core/base/arithmetic.h"
#include "core/tree/root_list.h"
#include "core/tree/tree_impl.h"

#include <quadrille/hash.h>

#include <stdio.h>

typedef struct check_state {
    const qd_tree *tree;
    qd_error *error;
    size_t bodies, families, slots;
    uint64_t rings[QDI_RINGS];
} check_state;

// Writes what is wrong with a node into the error; returns false.
static bool report_broken_node(const check_state *check, qdi_node_index index, const char *what) {
    if (check->error) {
        qdi_cell cell = qdi_node_cell(check->tree, index);
        snprintf(check->error->text, sizeof check->error->text, "node %u (level %d, cell %llu, %llu): %s",
                 (unsigned)index, cell.level, (unsigned long long)cell.x, (unsigned long long)cell.y, what);
    }
    return false;
}

// Tree's check: true where two boxes are equal.
static bool box_equal(qd_box a, qd_box b) {
    return a.min_x == b.min_x && a.min_y == b.min_y && a.max_x == b.max_x && a.max_y == b.max_y;
}

// Checks one body of a node's list.
static bool validate_body(check_state *check, qdi_node_index index, size_t slot) {
    const qd_tree *tree = check->tree;
    const qdi_node *node = &tree->nodes[index];
    qd_box box = qdi_slot_box(&tree->slots, slot);
    qd_body_index body = tree->slots.index[slot];
    float side = qdi_grid_side(&tree->grid, qdi_node_level(tree, index));
    if (!qdi_box_acceptable(box, tree->period)) return report_broken_node(check, index, "a bad box");
    if (body >= tree->node_of_room || tree->node_of[body] != index)
        return report_broken_node(check, index, "a body is noted elsewhere");
    if (slot > node->first && tree->slots.index[slot - 1] >= body)
        return report_broken_node(check, index, "list not in order of index");
    if (qdi_tree_find(tree, box) != index)
        return report_broken_node(check, index, "a body belongs to another node");
    qdi_grid_point place;
    bool inside = qdi_grid_point_of(&tree->grid, box, &place);
    bool in_cell = inside && qdi_cell_equal(qdi_cell_of(place, qdi_node_level(tree, index)),
                                            qdi_node_cell(tree, index));
    if (in_cell != qdi_node_holds(tree, index, box))
        return report_broken_node(check, index, "borders and cell disagree");
    if (index != QDI_ROOT && (!in_cell || qdi_longest(box) > side))
        return report_broken_node(check, index, "a body does not fit its node");
    check->rings[qdi_grid_ring_of_box(&tree->grid, box)] += 1;
    return true;
}

// Checks a node's list.
static bool validate_list(check_state *check, qdi_node_index index, qd_box *own) {
    const qd_tree *tree = check->tree;
    const qdi_node *node = &tree->nodes[index];
    if (node->count > node->room || (size_t)node->first + node->room > tree->slots.used) {
        return report_broken_node(check, index, "list outside its room");
    }
    if (node->room > 0 && (node->first % QDI_LANES != 0 || node->room % QDI_LANES != 0))
        return report_broken_node(check, index, "list not in whole blocks of lanes");
    check->slots += node->room;
    float half = 0.5F * qdi_grid_side(&tree->grid, qdi_node_level(tree, index));
    uint32_t fit = 0;
    *own = qdi_box_empty();
    for (size_t s = node->first; s < (size_t)node->first + node->count; ++s) {
        if (!validate_body(check, index, s)) return false;
        qd_box box = qdi_slot_box(&tree->slots, s);
        *own = qdi_box_union(*own, box);
        fit += qdi_longest(box) <= half && qdi_node_holds(tree, index, box);
    }
    if (!box_equal(*own, node->own)) return report_broken_node(check, index, "own bounds are not tight");
    if (fit != node->fit)
        return report_broken_node(check, index, "wrong count of bodies that could go deeper");
    if (!qdi_is_leaf(node) && fit > 0) return report_broken_node(check, index, "a body could go deeper");
    check->bodies += node->count;
    return true;
}

// Checks a node and everything below it.
static bool validate_subtree(check_state *check, qdi_node_index index, qd_box *bounds) {
    const qd_tree *tree = check->tree;
    const qdi_node *node = &tree->nodes[index];
    if (!validate_list(check, index, bounds)) return false;
    if (qdi_must_split(tree, index)) return report_broken_node(check, index, "should be split");
    uint32_t total = node->count;
    if (!qdi_is_leaf(node)) {
        const qdi_family_info *info = &tree->infos[node->children];
        qdi_cell cell = qdi_node_cell(tree, index);
        check->families += 1;
        if (node->children >= tree->family_used || info->parent != index)
            return report_broken_node(check, index, "children of another");
        if (info->level != cell.level + 1 || info->x != cell.x << 1 || info->y != cell.y << 1) {
            return report_broken_node(check, index, "children have other cells");
        }
        for (unsigned q = 0; q < 4; ++q) {
            qd_box child;
            if (!validate_subtree(check, 4 * node->children + q, &child)) return false;
            *bounds = qdi_box_union(*bounds, child);
            total += tree->nodes[4 * node->children + q].total;
        }
    }
    if (total != node->total) return report_broken_node(check, index, "wrong total");
    if (qdi_must_merge(tree, index)) return report_broken_node(check, index, "should be merged");
    if (!box_equal(*bounds, qdi_family_box(&tree->families[qdi_family_of(index)], qdi_sibling(index)))) {
        return report_broken_node(check, index, "bounds of the subtree are not tight");
    }
    return true;
}

// Checks the tree over the root's list.
static bool validate_root_list(const check_state *check) {
    const qd_tree *tree = check->tree;
    const qdi_root_list *root_list = &tree->root_list;
    const qdi_node *root = &tree->nodes[QDI_ROOT];
    if ((root->count > QDI_ROOT_LIST_MIN) != qdi_root_list_used(tree))
        return report_broken_node(check, QDI_ROOT, "order of the root's list missing");
    for (size_t i = 0; i < root_list->count; ++i) {
        size_t slot = root_list->order[i];
        if (slot < root->first || slot >= (size_t)root->first + root->count ||
            !box_equal(root_list->box[i], qdi_slot_box(&tree->slots, slot))) {
            return report_broken_node(check, QDI_ROOT, "order of the root's list is stale");
        }
    }
    return root_list->count == 0 || root_list->count == root->count ||
           report_broken_node(check, QDI_ROOT, "order of the root's list is short");
}

qd_status qd_tree_validate(const qd_tree *tree, qd_error *error) {
    QDI_RESTORED qdi_arithmetic caller = qdi_arithmetic_standard();
    if (!tree) return QD_ERR_ARGUMENT;
    if (error) error->text[0] = '\0';
    check_state check = {.tree = tree, .error = error, .families = 1};
    qd_box bounds;
    bool right = validate_subtree(&check, QDI_ROOT, &bounds) && validate_root_list(&check);
    if (right && check.bodies != tree->count)
        right = report_broken_node(&check, QDI_ROOT, "wrong number of bodies");
    if (right && check.families + tree->free_count != tree->family_used)
        right = report_broken_node(&check, QDI_ROOT, "families are lost");
    if (right &&
        (check.slots + tree->slots.idle != tree->slots.used || tree->slot_allocator.slots > tree->slots.idle))
        right = report_broken_node(&check, QDI_ROOT, "slots are lost");
    const char *rooms = right ? qdi_slot_allocator_broken(tree) : NULL;
    if (rooms) right = report_broken_node(&check, QDI_ROOT, rooms);
    for (int k = 0; k < QDI_RINGS && right; ++k) {
        if (check.rings[k] != tree->rings[k])
            right = report_broken_node(&check, QDI_ROOT, "rings are counted wrong");
    }
    if (right && qdi_root_choose(tree, tree->count) != -qdi_node_level(tree, QDI_ROOT)) {
        right = report_broken_node(&check, QDI_ROOT, "another square should be the root");
    }
    return right ? QD_OK : QD_ERR_INTERNAL;
}

// The hash of a subtree, after that of what comes before it.
static uint64_t hash_subtree(const qd_tree *tree, qdi_node_index index, uint64_t hash) {
    const qdi_node *node = &tree->nodes[index];
    qdi_cell cell = qdi_node_cell(tree, index);
    uint64_t head[5] = {(uint64_t)(int64_t)cell.level, cell.x, cell.y, node->count, qdi_is_leaf(node)};
    hash = qd_hash_seeded(head, sizeof head, hash);
    const qdi_slots *slots = &tree->slots;
    hash = qd_hash_seeded(slots->index + node->first, node->count * sizeof *slots->index, hash);
    hash = qd_hash_seeded(slots->min_x + node->first, node->count * sizeof(float), hash);
    hash = qd_hash_seeded(slots->min_y + node->first, node->count * sizeof(float), hash);
    hash = qd_hash_seeded(slots->max_x + node->first, node->count * sizeof(float), hash);
    hash = qd_hash_seeded(slots->max_y + node->first, node->count * sizeof(float), hash);
    for (unsigned q = 0; q < 4 && !qdi_is_leaf(node); ++q)
        hash = hash_subtree(tree, 4 * node->children + q, hash);
    return hash;
}

uint64_t qd_tree_hash(const qd_tree *tree) {
    if (tree->count == 0) return qd_hash_seeded("", 0, 0); // the slots may not even exist
    return hash_subtree(tree, QDI_ROOT, 0);
}
