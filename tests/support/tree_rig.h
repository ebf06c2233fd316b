#pragma once

#include "tests/support/harness.h"

#include <quadrille/tree.h>

/// A tree with all that belongs to it, and boxes to put into it: for tests whose scenes are made by hand.

typedef struct qd_rig {
    qd_tree_def def;
    qd_team *team;
    qd_tree *tree;
    qd_pairs *pairs; ///< of the last qd_rig_pairs
    qd_box *boxes;
    qd_body_index *indices; ///< in row order; 0, 1, 2, ... unless a test changes them
    size_t count, room;
    qd_tree_counts counts; ///< of the last qd_rig_refresh
} qd_rig;

/// A world `width` by `height`, not periodic, with this capacity.
qd_tree_def qd_rig_def(double width, double height, uint32_t capacity);

qd_rig qd_rig_start(qd_tree_def def, int threads);
void qd_rig_stop(qd_rig *rig);
QD_OWN_VALUE(qd_rig, qd_rig_stop)

/// Appends a body; returns its row.
size_t qd_rig_put(qd_rig *rig, qd_box box);
/// A square, or with `half` 0 a point.
size_t qd_rig_square(qd_rig *rig, double x, double y, double half);
/// Moves the body in row `row`.
void qd_rig_move(qd_rig *rig, size_t row, double x, double y);

/// Refreshes the tree with all rows; fails the test where that fails.
void qd_rig_refresh(qd_rig *rig);
/// Finds all pairs; their number.
size_t qd_rig_pairs(qd_rig *rig);
/// True where qd_rig_pairs found a and b, once and in this order.
bool qd_rig_has_pair(const qd_rig *rig, qd_body_index a, qd_body_index b);
/// The order of pairs, for qsort.
int qd_rig_compare_pairs(const void *left, const void *right);
/// Fails the test unless `rig->pairs` holds exactly what brute force finds.
void qd_rig_compare(const qd_rig *rig);
/// Everything at once: the structure is valid and that of a fresh build; both kinds of pairs are those of
/// brute force; each body retrieves what its pairs say.
void qd_rig_check(qd_rig *rig);
/// The first of these alone.
void qd_rig_validate(const qd_rig *rig);
/// Bodies that a box retrieves.
size_t qd_rig_retrieve(const qd_rig *rig, qd_box box, qd_body_index self);

/// Squares about the origin and, with `strays`, every other one far beyond any root.
void qd_rig_crowd(qd_rig *rig, int n, bool strays);
