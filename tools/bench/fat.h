#pragma once

#include "tools/bench/method.h"

#include <quadrille/tree.h>

/// What the methods that use this library's quadtree keep.
typedef enum qdi_bench_tree_way { QDI_BENCH_JOIN, QDI_BENCH_EACH, QDI_BENCH_REBUILD } qdi_bench_tree_way;

enum { QDI_BENCH_TREE_COLUMNS = 6 };

typedef struct qdi_bench_fat qdi_bench_fat;

typedef struct qdi_bench_tree {
    const qd_allocator *allocator;
    qdi_bench_tree_way way;
    qd_tree_def def;
    qd_team *team;
    qd_tree *tree; ///< NULL between the steps of QDI_BENCH_REBUILD
    qd_pairs *pairs;
    size_t count;
    double half;
    double *wide; ///< the block of the six columns below
    double *x, *y, *vx, *vy, *radius, *spare;
    uint32_t *narrow; ///< the block of the three columns below
    uint32_t *index, *spare_index, *places;
    qd_box *boxes;
    bool ordered;     ///< rows are no longer in the order given
    uint64_t changed; ///< bodies that changed their node since rows were put in order
    size_t refiled;   ///< bodies that changed their node in this step
    uint64_t orders;  ///< how often that was done
    const double *from;
    double *to;
    qdi_bench_fat *fat; ///< NULL: without a margin
} qdi_bench_tree;

/// Moves the bodies and makes their boxes.
void qdi_bench_tree_move(qdi_bench_tree *state);

/// Brings the tree up to date with `boxes`, and puts the rows in its order where that is due: then the boxes
/// are still in the order of before.
QD_MUST_USE qd_status qdi_bench_tree_refresh(qdi_bench_tree *state);

/// The quadtree with a margin: the tree holds fat boxes, made with the rules of core/tree/fat_box.h, and as
/// long as all bodies are in theirs a step only tests the pairs of fat boxes for those whose own boxes
/// overlap.
QD_MUST_USE qd_status qdi_bench_fat_create(const qdi_bench_tree *state, const qdi_bench_options *options,
                                           qdi_bench_fat **made);
void qdi_bench_fat_destroy(qdi_bench_fat *fat); ///< NULL is fine

/// False where the automatic margin has none for this step.
bool qdi_bench_fat_pays(qdi_bench_tree *state);

/// A step. The phases: `move` is motion, the test whether all bodies are in their fat boxes, and, while their
/// own are in the cache, pairs of bodies near by; `pairs` is the others.
QD_MUST_USE qd_status qdi_bench_fat_step(qdi_bench_tree *state, qdi_bench_step *step);
