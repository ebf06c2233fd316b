// Plain C, written so that compilers make vector code of it.
#include "core/kernel.h"

typedef struct block {
    const qdi_slots *slots;
    size_t at;
} block;

static inline block block_load(const qdi_slots *slots, size_t at) {
    return (block){slots, at};
}

static inline unsigned block_overlap(const block *these, qd_box box) {
    static const uint32_t bit[QDI_PAIR_BLOCK] = {1U << 0,  1U << 1,  1U << 2,  1U << 3, 1U << 4,  1U << 5,
                                                 1U << 6,  1U << 7,  1U << 8,  1U << 9, 1U << 10, 1U << 11,
                                                 1U << 12, 1U << 13, 1U << 14, 1U << 15};
    const float *min_x = these->slots->min_x + these->at, *max_x = these->slots->max_x + these->at;
    const float *min_y = these->slots->min_y + these->at, *max_y = these->slots->max_y + these->at;
    uint32_t mask = 0;
    for (unsigned i = 0; i < QDI_PAIR_BLOCK; ++i) {
        uint32_t hit = (uint32_t)(min_x[i] <= box.max_x) & (uint32_t)(max_x[i] >= box.min_x) &
                       (uint32_t)(min_y[i] <= box.max_y) & (uint32_t)(max_y[i] >= box.min_y);
        mask |= (0U - hit) & bit[i];
    }
    return mask;
}

#include "core/kernel_direct.h"

#include "core/kernel_pairs.h"

const qdi_kernels qdi_kernels_portable = {kernel_box_list, kernel_list,     kernel_pick,
                                          kernel_hits,     qdi_shift_slots, qdi_update_slots};
