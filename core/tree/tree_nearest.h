#pragma once

#include <quadrille/near.h>

/// Where qdi_tree_nearest puts what it finds: `most` structs of `stride` bytes, each of which begins with a
/// qd_near. The rest of them is left as it is.
typedef struct qdi_near_places {
    void *first;
    size_t stride, most;
} qdi_near_places;

/// qd_tree_nearest for callers that keep more about each body.
QD_MUST_USE qd_status qdi_tree_nearest(const qd_tree *tree, qd_vec2 point, double within,
                                       qd_distance_test distance, void *context, qdi_near_places places,
                                       size_t *count);
