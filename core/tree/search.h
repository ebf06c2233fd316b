#pragma once

#include <quadrille/tree.h>
#include <stdint.h>

/// What searches of the tree cost, in numbers that depend on the tree and on the question alone, not on
/// threads or kernels: a *box test* compares the box of a body with another box. A search compares all bodies
/// of a list whose bounds overlap what is looked for, and none of any other.

/// As qd_tree_retrieve, whose arguments it does not check; `tests` grows by the boxes that were compared, in
/// a periodic world those of each copy that was searched. A visit that stops leaves the list's rest counted.
QD_MUST_USE qd_status qdi_tree_retrieve(const qd_tree *tree, qd_box box, qd_body_index self,
                                        qd_tree_visit visit, void *context, uint64_t *tests);
