#pragma once

#include "core/tree/tree_impl.h"

/// The first half of a refresh: every body gets its new box where it is, and those that no longer belong
/// there are taken out.

typedef struct qdi_update {
    const qd_box *boxes; // by row
    size_t bad;          // out: lowest row with a bad box, SIZE_MAX where all are good
    size_t insertions;   // out: bodies taken out to be filed elsewhere, in scratch.insertions
    size_t filed;        // out: bodies that were put in another list already
    size_t removed;      // out: bodies taken out for good
} qdi_update;

/// Updates all lists. Slots with row QDI_NONE are of bodies that are no longer there. Own bounds, `fit` and
/// counts are those of the bodies that stay; `rings` is not kept.
QD_MUST_USE qd_status qdi_tree_update(qd_tree *tree, qd_team *team, qdi_update *update);

/// Counts tree->rings: the bodies in lists and the insertions.
QD_MUST_USE qd_status qdi_tree_count_rings(qd_tree *tree, qd_team *team, size_t insertion_count);
