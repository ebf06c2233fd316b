// The join of the tree with a copy of itself that is moved by whole periods. Few bodies are near a border, so
// all of it is plain.
#include "core/tree/image.h"
#include "core/tree/join.h"

// Body at slot a, and the image of body at slot b.
bool qdi_join_image_pair(const qdi_join *join, size_t a, size_t b) {
    const qdi_slots *slots = &join->tree->slots;
    qd_box box_a = qdi_slot_box(slots, a);
    qd_image image;
    if (!qdi_image_overlap(box_a, qdi_slot_box(slots, b), join->tree->period, (qd_image){0, 0}, &image))
        return true;
    if (image.x != join->image.x || image.y != join->image.y) return true; // nearer through another image
    qd_pair pair = {slots->index[a], slots->index[b], image};
    if (pair.a > pair.b) {
        pair = (qd_pair){pair.b, pair.a, {(int16_t)-image.x, (int16_t)-image.y}};
    }
    return qdi_pairs_push(join->pairs, join->worker, pair);
}

// True where B, a subtree's bounds or a box of the copy, overlaps A.
static bool image_within_reach(const qdi_join *join, qd_box a, qd_box b) {
    return qdi_shift_overlap(a, b, join->shift);
}

// One body against the copy's subtree, or, `mirrored`, one body of the copy against a subtree.
bool qdi_join_image_below(const qdi_join *join, size_t slot, qdi_node_index index, bool mirrored) {
    const qd_tree *tree = join->tree;
    const qdi_node *node = &tree->nodes[index];
    qd_box box = qdi_slot_box(&tree->slots, slot);
    qd_box bounds = qdi_family_box(&tree->families[qdi_family_of(index)], qdi_sibling(index));
    if (!(mirrored ? image_within_reach(join, bounds, box) : image_within_reach(join, box, bounds)))
        return true;
    qdi_pairs_tested(join->pairs, join->worker, node->count);
    for (size_t s = node->first; s < (size_t)node->first + node->count; ++s) {
        qd_box other = qdi_slot_box(&tree->slots, s);
        if (!(mirrored ? image_within_reach(join, other, box) : image_within_reach(join, box, other)))
            continue;
        if (!(mirrored ? qdi_join_image_pair(join, s, slot) : qdi_join_image_pair(join, slot, s)))
            return false;
    }
    for (unsigned q = 0; q < 4 && !qdi_is_leaf(node); ++q) {
        if (!qdi_join_image_below(join, slot, 4 * node->children + q, mirrored)) return false;
    }
    return true;
}

bool qdi_join_image(const qdi_join *join, qdi_node_index a, qdi_node_index b) {
    const qd_tree *tree = join->tree;
    const qdi_node *na = &tree->nodes[a];
    const qdi_node *nb = &tree->nodes[b];
    if (!image_within_reach(join, qdi_family_box(&tree->families[qdi_family_of(a)], qdi_sibling(a)),
                            qdi_family_box(&tree->families[qdi_family_of(b)], qdi_sibling(b)))) {
        return true;
    }
    for (size_t s = na->first; s < (size_t)na->first + na->count; ++s) {
        if (!qdi_join_image_below(join, s, b, false)) return false;
    }
    for (size_t s = nb->first; s < (size_t)nb->first + nb->count; ++s) {
        for (unsigned q = 0; q < 4 && !qdi_is_leaf(na); ++q) {
            if (!qdi_join_image_below(join, s, 4 * na->children + q, true)) return false;
        }
    }
    if (qdi_is_leaf(na) || qdi_is_leaf(nb)) return true;
    for (unsigned i = 0; i < 16; ++i) {
        if (!qdi_join_image(join, 4 * na->children + i / 4, 4 * nb->children + i % 4)) return false;
    }
    return true;
}
