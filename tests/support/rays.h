#pragma once

#include "tests/support/tree_rig.h"

#include <quadrille/ray.h>

/// What rays meet in a tree, for its tests.

static inline qd_ray_hit first_hit(const qd_rig *rig, qd_ray ray) {
    qd_ray_hit hit;
    ck_assert_int_eq(qd_tree_ray(rig->tree, &ray, NULL, NULL, &hit), QD_OK);
    return hit;
}

static inline bool count_hit(void *context, const qd_ray_hit *hit) {
    (void)hit;
    size_t *left = context;
    return (*left)-- > 1;
}
