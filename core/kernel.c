#include "core/kernel.h"

#include <string.h>

enum { LANES = 16 };

// One byte per lane: 1 where the slot's box overlaps. Compilers turn the loop into vector code.
static inline void test_lanes(const qdi_slots *slots, qd_box box, size_t at, uint8_t hits[LANES]) {
    const float *min_x = slots->min_x + at;
    const float *min_y = slots->min_y + at;
    const float *max_x = slots->max_x + at;
    const float *max_y = slots->max_y + at;
    int32_t wide[LANES];
    for (int i = 0; i < LANES; ++i) {
        wide[i] = (min_x[i] <= box.max_x) & (max_x[i] >= box.min_x) & (min_y[i] <= box.max_y) &
                  (max_y[i] >= box.min_y);
    }
    for (int i = 0; i < LANES; ++i) hits[i] = (uint8_t)wide[i];
}

static inline qd_pair *push(qd_pair *to, qd_body_index a, qd_body_index b) {
    *to = (qd_pair){a < b ? a : b, a < b ? b : a, {0, 0}};
    return to + 1;
}

bool qdi_kernel_box_list(const qdi_slots *slots, qd_box box, qd_body_index index, size_t begin, size_t end,
                         qd_pairs *pairs, int worker) {
    qdi_pair_buffer *buffer = &pairs->buffers[worker];
    if (buffer->room - buffer->count < end - begin && !qdi_pairs_room(pairs, worker, end - begin))
        return false;
    qd_pair *to = buffer->items + buffer->count;
    size_t s = begin;
    for (; s + LANES <= end; s += LANES) {
        uint8_t hits[LANES];
        uint64_t words[2];
        test_lanes(slots, box, s, hits);
        memcpy(words, hits, sizeof words);
        for (size_t w = 0; w < 2; ++w) {
            while (words[w] != 0) {
                size_t lane = 8 * w + (size_t)__builtin_ctzll(words[w]) / 8;
                words[w] &= words[w] - 1;
                to = push(to, index, slots->index[s + lane]);
            }
        }
    }
    for (; s < end; ++s) {
        if (qd_box_overlap(box, qdi_slot_box(slots, s))) to = push(to, index, slots->index[s]);
    }
    buffer->count = (size_t)(to - buffer->items);
    return true;
}
