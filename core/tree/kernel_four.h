// What kernels of four lanes share, for a file that defines before including this what kernel_update.h asks
// for but v_store, v_load_first, v_store_first and v_rows, and, in vectors of the same size:
//   void v_store_all(float *, vec)
//   wholes v_round(vec)                the nearest whole numbers
//   octets b_pack(const wholes[4])      sixteen of them, of 0 to 255, as bytes
//   octets b_load(const uint8_t *), b_or(octets, octets), void b_store(uint8_t *, octets)
//
// After it the file defines window_test, and includes kernel_pairs.h. No include guard: each instruction set
// has its own copy.
#include "core/tree/kernel_window.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#define WIDTH 4U

// Tree's four lanes: writes the boxes' coordinates of one vector.
static inline void v_store(float *to, unsigned lanes, vec value) {
    (void)lanes;
    v_store_all(to, value);
}

// Tree's four lanes: stores the first `count` lanes of a vector.
static inline void v_store_first(float *to, size_t count, vec value) {
    if (count >= WIDTH) {
        v_store_all(to, value);
        return;
    }
    float lanes[WIDTH];
    v_store_all(lanes, value);
    memcpy(to, lanes, count * sizeof *to); // which may be whole numbers
}

// Tree's four lanes: loads the first `count` lanes, fewer than all.
static inline vec v_load_first(const float *from, size_t count) {
    float lanes[WIDTH] = {0};
    memcpy(lanes, from, count * sizeof *from); // which may be whole numbers
    return v_load(lanes);
}

// Loads the rows of a vector of slots; NULL where a slot has no row.
static inline const uint32_t *v_rows(const uint32_t *row, size_t left, uint32_t rows[WIDTH]) {
    bool known = true;
    for (unsigned i = 0; i < WIDTH; ++i) {
        rows[i] = row[i < left ? i : 0];
        known &= rows[i] != UINT32_MAX;
    }
    return known ? rows : NULL;
}

#include "core/tree/kernel_update.h"

// Removes slots of a list, by bit, and moves the others together.
static void kernel_drop(const qdi_slots *slots, size_t begin, size_t end, uint64_t which) {
    qdi_drop_runs(slots, begin, end, which, kernel_shift);
}

// Puts a body in a list.
static void kernel_insert(const qdi_slots *slots, size_t begin, size_t end, const qdi_insertion *insertion) {
    qdi_insert_by_shift(slots, begin, end, insertion, kernel_shift);
}

typedef struct block {
    vec min_x[4], min_y[4], max_x[4], max_y[4];
    const qdi_slots *slots;
    size_t at;
} block;

// Loads a block of slots' boxes.
static inline block block_load(const qdi_slots *slots, size_t at) {
    block made;
    for (unsigned p = 0; p < 4; ++p) {
        made.min_x[p] = v_load(slots->min_x + at + p * WIDTH);
        made.min_y[p] = v_load(slots->min_y + at + p * WIDTH);
        made.max_x[p] = v_load(slots->max_x + at + p * WIDTH);
        made.max_y[p] = v_load(slots->max_y + at + p * WIDTH);
    }
    made.slots = slots;
    made.at = at;
    return made;
}

// Which boxes of a block of slots overlap a box, as bits.
static inline unsigned block_overlap(const block *these, qd_box box) {
    unsigned hits = 0;
    for (unsigned p = 0; p < 4; ++p) {
        const chosen x = m_and(m_le(these->min_x[p], v_set(box.max_x)),
                               m_le(v_set(box.min_x), these->max_x[p]));
        const chosen y = m_and(m_le(these->min_y[p], v_set(box.max_y)),
                               m_le(v_set(box.min_y), these->max_y[p]));
        hits |= m_bits(m_and(x, y)) << (p * WIDTH);
    }
    return hits;
}

// Tree's four lanes: makes coarse coordinates of a column of a window.
static inline void window_column(float *to, uint8_t *coarse, const vec from[4], float origin, float scale) {
    wholes whole[4];
    for (unsigned p = 0; p < 4; ++p) {
        v_store_all(to + p * WIDTH, from[p]);
        const vec moved = v_mul(v_sub(from[p], v_set(origin)), v_set(scale));
        whole[p] = v_round(v_max(v_min(moved, v_set(254.0F)), v_set(0.0F)));
    }
    b_store(coarse, b_pack(whole));
}

// Puts a block of slots into a window, coarse boxes too.
static inline void window_put(qdi_window *window, unsigned to, const qdi_slots *slots, size_t at,
                              unsigned count) {
    static const uint8_t none[2 * QDI_PAIR_BLOCK] = {[16] = 255, 255, 255, 255, 255, 255, 255, 255,
                                                     255,        255, 255, 255, 255, 255, 255, 255};
    const block here = block_load(slots, at);
    const size_t place = (size_t)to * QDI_PAIR_BLOCK;
    qdi_coarse *coarse = &window->coarse[to];
    window_column(window->min_x + place, coarse->column[0], here.min_x, window->origin_x, window->scale_x);
    window_column(window->min_y + place, coarse->column[1], here.min_y, window->origin_y, window->scale_y);
    window_column(window->max_x + place, coarse->column[2], here.max_x, window->origin_x, window->scale_x);
    window_column(window->max_y + place, coarse->column[3], here.max_y, window->origin_y, window->scale_y);
    memcpy(window->index + place, slots->index + at, QDI_PAIR_BLOCK * sizeof *window->index);
    b_store(coarse->column[0], b_or(b_load(coarse->column[0]), b_load(none + QDI_PAIR_BLOCK - count)));
}

// Tree's four lanes: writes the pairs of a window whose boxes overlap.
static inline size_t window_pairs(const qdi_window *window, qd_pair *to) {
    return qdi_window_pairs(window, to);
}

// Copies the slots of a block that `hits` names.
static inline size_t pick_block(const block *here, unsigned hits, const qdi_slots *to, size_t at) {
    return qdi_pick_slots(here->slots, here->at, hits, to, at);
}
