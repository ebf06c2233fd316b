#ifndef QD_CORE_KERNEL_H
#define QD_CORE_KERNEL_H

#include "core/pairs_impl.h"
#include "core/tree_impl.h"

/// The innermost loops of the pair search: boxes against lists of boxes.

/// Pushes a pair for every slot in [begin, end) whose box overlaps `box`, which is body `index`'s. Returns false when the search
/// should stop.
bool qdi_kernel_box_list(const qdi_slots *slots, qd_box box, qd_body_index index, size_t begin, size_t end,
                         qd_pairs *pairs, int worker);

#endif
