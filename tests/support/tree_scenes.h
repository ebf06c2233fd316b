#pragma once

#include <quadrille/random.h>
#include <quadrille/tree.h>

/// Random scenes of boxes for the tests of the tree: every awkward thing that LINEAGE's systems got wrong,
/// mixed.

enum { QD_SCENE_MOST = 1024 };

typedef struct qd_test_scene {
    qd_random random;
    qd_tree_def def;
    int place, size, motion; ///< which of the habits below
    size_t count;            ///< bodies alive
    qd_box boxes[QD_SCENE_MOST];
    qd_body_index indices[QD_SCENE_MOST]; ///< in row order
    qd_body_index next;                   ///< lowest index never used
} qd_test_scene;

/// A new scene from a seed: world, habits, up to 400 bodies.
void qd_test_scene_make(qd_test_scene *scene, uint64_t seed);
/// Moves some or all bodies, a little or far.
void qd_test_scene_move(qd_test_scene *scene);
/// Adds and removes some bodies and sometimes shuffles the rows.
void qd_test_scene_change(qd_test_scene *scene);
/// A box as the scene makes them.
qd_box qd_test_scene_box(qd_test_scene *scene);
/// A new scene from a seed and a tree that has followed some steps of it, brought up to date.
qd_tree *qd_test_scene_grow(qd_test_scene *scene, uint64_t seed);
/// A number in [0, count).
uint32_t qd_test_scene_below(qd_test_scene *scene, uint32_t count);
