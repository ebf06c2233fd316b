// Plain C, written so that compilers make vector code of it.
#include "core/kernel.h"
#include "core/kernel_window.h"

#include <string.h>

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

static void window_column(float *to, uint8_t *coarse, const float *from, float origin, float scale) {
    memcpy(to, from, QDI_PAIR_BLOCK * sizeof *to);
    for (unsigned i = 0; i < QDI_PAIR_BLOCK; ++i) {
        const float moved = (from[i] - origin) * scale, low = moved > 0.0F ? moved : 0.0F;
        coarse[i] = (uint8_t)(int32_t)(low < 254.0F ? low : 254.0F);
    }
}

static void window_put(qdi_window *window, unsigned to, const qdi_slots *slots, size_t at, unsigned count) {
    const size_t place = (size_t)to * QDI_PAIR_BLOCK;
    qdi_coarse *coarse = &window->coarse[to];
    const float x = window->origin_x, y = window->origin_y, by_x = window->scale_x, by_y = window->scale_y;
    window_column(window->min_x + place, coarse->column[0], slots->min_x + at, x, by_x);
    window_column(window->min_y + place, coarse->column[1], slots->min_y + at, y, by_y);
    window_column(window->max_x + place, coarse->column[2], slots->max_x + at, x, by_x);
    window_column(window->max_y + place, coarse->column[3], slots->max_y + at, y, by_y);
    memcpy(window->index + place, slots->index + at, QDI_PAIR_BLOCK * sizeof *window->index);
    for (unsigned i = count; i < QDI_PAIR_BLOCK; ++i) coarse->column[0][i] = 255;
}

// All bytes or'ed.
static inline unsigned fold(const uint8_t *bytes) {
    uint64_t word;
    memcpy(&word, bytes, sizeof word);
    word |= word >> 32;
    word |= word >> 16;
    word |= word >> 8;
    return (unsigned)(word & 0xffU);
}

// One row against all lanes.
static inline unsigned coarse_row(const qdi_coarse *lanes, const qdi_coarse *rows, unsigned row) {
    static const uint8_t bit[QDI_PAIR_BLOCK] = {1, 2, 4, 8, 16, 32, 64, 128, 1, 2, 4, 8, 16, 32, 64, 128};
    const uint8_t min_x = rows->column[0][row], min_y = rows->column[1][row];
    const uint8_t max_x = rows->column[2][row], max_y = rows->column[3][row];
    uint8_t hits[QDI_PAIR_BLOCK];
    for (unsigned i = 0; i < QDI_PAIR_BLOCK; ++i) {
        const uint8_t x = lanes->column[0][i] <= max_x ? bit[i] : 0,
                      over_x = lanes->column[2][i] >= min_x ? x : 0;
        const uint8_t y = lanes->column[1][i] <= max_y ? over_x : 0;
        hits[i] = lanes->column[3][i] >= min_y ? y : 0;
    }
    return fold(hits) | fold(hits + 8) << 8;
}

static void window_test(qdi_window *window, unsigned row_block, unsigned lane_block,
                        const uint64_t among[4]) {
    const qdi_coarse *rows = &window->coarse[row_block], *lanes = &window->coarse[lane_block];
    const unsigned base = lane_block * 4096 + row_block * QDI_PAIR_BLOCK * QDI_PAIR_BLOCK;
    for (unsigned g = 0; g < window->fours[row_block]; ++g) {
        uint64_t hits = 0;
        for (unsigned i = 0; i < 4; ++i)
            hits |= (uint64_t)coarse_row(lanes, rows, 4 * g + i) << (QDI_PAIR_BLOCK * i);
        qdi_window_note(window, hits & among[g], base + 64 * g);
    }
}

static inline size_t window_pairs(const qdi_window *window, qd_pair *to) {
    return qdi_window_pairs(window, to);
}

static inline size_t pick_block(const block *here, unsigned hits, const qdi_slots *to, size_t at) {
    const qdi_slots *slots = here->slots;
    for (; hits != 0; hits &= hits - 1) {
        const size_t s = here->at + (unsigned)__builtin_ctz(hits);
        to->min_x[at] = slots->min_x[s];
        to->min_y[at] = slots->min_y[s];
        to->max_x[at] = slots->max_x[s];
        to->max_y[at] = slots->max_y[s];
        to->index[at] = slots->index[s];
        ++at;
    }
    return at;
}

#include "core/kernel_pairs.h"

const qdi_kernels qdi_kernels_portable = {kernel_box_list, kernel_list,    kernel_pick,     kernel_hits,
                                          qdi_shift_slots, qdi_drop_slots, qdi_update_slots};
