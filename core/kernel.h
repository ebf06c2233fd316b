#ifndef QD_CORE_KERNEL_H
#define QD_CORE_KERNEL_H

#include "core/pairs_impl.h"
#include "core/tree_impl.h"

/// The innermost loops of the pair search: boxes against lists of boxes. Lists begin at a multiple of QDI_LANES slots and own
/// their room up to the next multiple, so whole blocks of lanes can be read and the lanes past the end masked. All
/// push their pairs in order of slot and return false when the search should stop.

/// `box`, body `index`'s, against the slots [begin, end), where a list of `begin`'s block ends at `end`.
bool qdi_kernel_box_list(const qdi_slots *slots, qd_box box, qd_body_index index, size_t begin, size_t end,
                         qd_pairs *pairs, int worker);

/// Each of the slots [begin, end) against those after it.
bool qdi_kernel_list_self(const qdi_slots *slots, size_t begin, size_t end, qd_pairs *pairs, int worker);

/// Each slot of a's list against b's.
bool qdi_kernel_list_list(const qdi_slots *slots, const qdi_node *a, const qdi_node *b, qd_pairs *pairs,
                          int worker);

#endif
