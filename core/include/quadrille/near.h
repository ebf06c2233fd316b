#ifndef QUADRILLE_NEAR_H
#define QUADRILLE_NEAR_H

#include <quadrille/tree.h>

QD_BEGIN_DECLS

/// Bodies by their distance from a point: all within a circle, or the nearest few.
///
/// The distance of a box that holds the point is 0, and so is that of a shape. In a periodic world each body
/// counts once, with the image that is nearest. Points beyond the range of float32, or more than some 32000
/// periods away, are refused. Like all queries these change nothing and take no memory, and may run on any
/// number of threads between refreshes.

/// What is near a point.
typedef struct qd_near {
    double distance; ///< from the point, >= 0
    qd_body_index body;
    qd_image image; ///< to be added to the body's box
} qd_near;

/// The distance of the body's real shape, `image` periods away, from the point. The shape must lie in the
/// box, so it is not nearer than that. Distances beyond `most` are of no use and need not be exact; negative
/// ones count as 0, and a body whose distance is infinite or NaN is left out.
typedef double (*qd_distance_test)(void *context, qd_body_index body, qd_image image, double most);

/// Called for each body found; returns false to stop.
typedef bool (*qd_near_visit)(void *context, const qd_near *near);

/// Every body at most `radius` >= 0 (it may be infinite) from a point, each once, in no order of distance.
/// `distance` NULL: that of the box. It and `visit` get the same context. Cost: the nodes that the circle
/// touches.
/// Errors: QD_ERR_ARGUMENT, QD_ERR_VALUE. Any thread.
QD_API QD_MUST_USE qd_status qd_tree_circle(const qd_tree *tree, qd_vec2 point, double radius,
                                            qd_distance_test distance, qd_near_visit visit, void *context);

/// The `most` bodies nearest to a point, and at most `within` >= 0 (it may be infinite) from it, in order of
/// distance and then of index, to nearest[0, *count). `distance` NULL: that of the box. `nearest` needs room
/// for `most`; it is all the memory that is used, beside some 8 KiB on the stack.
/// Cost: about (most + the bodies of a few nodes) * log(most): nodes are opened in order of their distance,
/// and none that is further than the last body found. Where more than some 250 nodes wait to be opened, the
/// nearest of them are searched to their end, one after the other, which opens a few more than needed and
/// finds the same.
/// Errors: QD_ERR_ARGUMENT, QD_ERR_VALUE. Any thread.
QD_API QD_MUST_USE qd_status qd_tree_nearest(const qd_tree *tree, qd_vec2 point, double within,
                                             qd_distance_test distance, void *context, size_t most,
                                             qd_near *nearest, size_t *count);

QD_END_DECLS

#endif
