#pragma once

#include "core/tree/pairs_impl.h"
#include "core/tree/tree_impl.h"

/// The searches that the self-join of a tree is made of. All return false when the search should stop
/// (qdi_pairs_room), and write to the worker's own buffers only.

typedef struct qdi_join {
    const qd_tree *tree;
    qd_pairs *pairs;
    int worker;
    qd_image image; // of the copy that is joined with
    qd_vec2 shift;  // the same in the world's units
} qdi_join;

// tree_join.c

/// The pairs of a subtree: with itself, with lists of nodes nearer to the root, and with nodes of the same
/// level that come after.
bool qdi_join_subtree(const qdi_join *join, qdi_node_index index);
/// The same of a node's own list only.
bool qdi_join_node(const qdi_join *join, qdi_node_index index);

// tree_join_root_list.c

/// Bodies [begin, end) of the order of the root's long list with those after them, and with everything below
/// the root.
bool qdi_join_root_list(const qdi_join *join, size_t begin, size_t end);
/// The same with the copy: with all of its list, and with everything below its root, seen from either side.
bool qdi_join_root_list_image(const qdi_join *join, size_t begin, size_t end);

// tree_join_image.c

/// Body at slot a, and the image of body at slot b, where this image is the one that counts.
bool qdi_join_image_pair(const qdi_join *join, size_t a, size_t b);
/// One body against the copy's subtree, or, `mirrored`, one body of the copy against a subtree.
bool qdi_join_image_below(const qdi_join *join, size_t slot, qdi_node_index index, bool mirrored);
/// A subtree against a subtree of the copy.
bool qdi_join_image(const qdi_join *join, qdi_node_index a, qdi_node_index b);
