// Plain C, written so that compilers make vector code of it.
#include "core/tree/kernel.h"
#include "core/tree/kernel_window.h"

#include <string.h>

typedef struct block {
    const qdi_slots *slots;
    size_t at;
} block;

// Loads a block of slots' boxes.
static inline block block_load(const qdi_slots *slots, size_t at) {
    return (block){slots, at};
}

// Which boxes of a block of slots overlap a box, as bits.
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

// Coarse coordinates of 0 to 126: bytes that leave their highest bit free.
// Not inlined, and pointers that say that they are apart: or gcc makes no vectors of it.
__attribute__((noinline)) static void window_column(float *restrict to, uint8_t *restrict coarse,
                                                    const float *restrict from, float origin, float scale) {
    const float half = 0.5F * scale;
    memcpy(to, from, QDI_PAIR_BLOCK * sizeof *to);
    for (unsigned i = 0; i < QDI_PAIR_BLOCK; ++i) {
        const float moved = (from[i] - origin) * half, low = moved > 0.0F ? moved : 0.0F;
        coarse[i] = (uint8_t)(int32_t)(low < 126.0F ? low : 126.0F);
    }
}

// Puts a block of slots into a window, coarse boxes too.
static void window_put(qdi_window *window, unsigned to, const qdi_slots *slots, size_t at, unsigned count) {
    const size_t place = (size_t)to * QDI_PAIR_BLOCK;
    qdi_coarse *coarse = &window->coarse[to];
    const float x = window->origin_x, y = window->origin_y, by_x = window->scale_x, by_y = window->scale_y;
    window_column(window->min_x + place, coarse->column[0], slots->min_x + at, x, by_x);
    window_column(window->min_y + place, coarse->column[1], slots->min_y + at, y, by_y);
    window_column(window->max_x + place, coarse->column[2], slots->max_x + at, x, by_x);
    window_column(window->max_y + place, coarse->column[3], slots->max_y + at, y, by_y);
    memcpy(window->index + place, slots->index + at, QDI_PAIR_BLOCK * sizeof *window->index);
    for (unsigned i = count; i < QDI_PAIR_BLOCK; ++i) coarse->column[0][i] = 127;
}

// Tree's portable kernel: eight bytes, the first one lowest.
static inline uint64_t word_of(const uint8_t *bytes) {
    uint64_t word;
    memcpy(&word, bytes, sizeof word);
#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    word = __builtin_bswap64(word);
#endif
    return word;
}

#define TOPS  UINT64_C(0x8080808080808080)
#define BYTES UINT64_C(0x0101010101010101)

// Tree's portable kernel: bit i is set where byte i of four words is not below that of four others: no byte's
// difference borrows from the next one's.
static inline unsigned not_below(const uint64_t high[4], const uint64_t low[4]) {
    const uint64_t hits = ((high[0] | TOPS) - low[0]) & ((high[1] | TOPS) - low[1]) &
                          ((high[2] | TOPS) - low[2]) & ((high[3] | TOPS) - low[3]) & TOPS;
    return (unsigned)((hits >> 7) * UINT64_C(0x0102040810204080) >> 56);
}

// Tree's portable kernel: tests two blocks of a window for pairs, by coarse boxes.
static void window_test(qdi_window *window, unsigned row_block, unsigned lane_block,
                        const uint64_t among[4]) {
    const unsigned base = lane_block * 4096 + row_block * QDI_PAIR_BLOCK * QDI_PAIR_BLOCK;
    const qdi_coarse *rows = &window->coarse[row_block], *lanes = &window->coarse[lane_block];
    uint64_t lane[4][2];
    for (unsigned c = 0; c < 4; ++c)
        for (unsigned half = 0; half < 2; ++half) lane[c][half] = word_of(lanes->column[c] + 8 * half);
    for (unsigned g = 0; g < window->fours[row_block]; ++g) {
        uint64_t hits = 0;
        for (unsigned r = 0; r < 4; ++r) {
            uint64_t row[4]; // its coordinates, each in every byte
            for (unsigned c = 0; c < 4; ++c) row[c] = rows->column[c][4 * g + r] * BYTES;
            for (unsigned half = 0; half < 2; ++half) {
                const uint64_t high[4] = {row[2], lane[2][half], row[3], lane[3][half]};
                const uint64_t low[4] = {lane[0][half], row[0], lane[1][half], row[1]};
                hits |= (uint64_t)not_below(high, low) << (QDI_PAIR_BLOCK * r + 8 * half);
            }
        }
        qdi_window_note(window, hits & among[g], base + 64 * g);
    }
}

// Tree's portable kernel: writes the pairs of a window whose boxes overlap.
static inline size_t window_pairs(const qdi_window *window, qd_pair *to) {
    return qdi_window_pairs(window, to);
}

// Copies the slots of a block that `hits` names.
static inline size_t pick_block(const block *here, unsigned hits, const qdi_slots *to, size_t at) {
    return qdi_pick_slots(here->slots, here->at, hits, to, at);
}

#include "core/tree/kernel_pairs.h"

const qdi_kernels qdi_kernels_portable = {kernel_box_list, kernel_list,      kernel_pick,
                                          kernel_hits,     qdi_shift_slots,  qdi_drop_slots,
                                          qdi_insert_slot, qdi_update_slots, NULL};
