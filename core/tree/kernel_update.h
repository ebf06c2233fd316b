// The update of an instruction set with vectors, for a file that defines before including this:
//   WIDTH, vec                              lanes, and a vector of that many floats
//   vec v_load(const float *), v_set(float), v_add, v_sub, v_mul, v_min, v_max
//   unsigned v_le(vec a, vec b), v_lt(a, b) one bit per lane: a <= b, a < b
//   vec v_pick(unsigned mask, vec a, vec b) a where the lane's bit is set, else b
//   void v_store(float *, unsigned mask, vec)
//       may write all lanes up to QDI_LANES, only those of the mask beyond
//   bool v_rows(const uint32_t *row, size_t left, uint32_t rows[WIDTH])
//       the first `left` rows, all where there are fewer, and the first again and again; false where one is
//       QDI_NONE
//   void v_boxes(const qd_box *, const uint32_t rows[WIDTH], vec out[4])
//       min x, min y, max x, max y of the rows
//   float v_lowest(vec), v_highest(vec)
//   void v_store_first(float *, size_t count, vec)
//       the first `count` lanes, all where there are fewer
//
// No include guard: each instruction set has its own copy.
#include "core/tree/kernel.h"

#include <float.h>

// Tree's kernel: columns of whole numbers too: nothing is done to the bits.
static inline void shift_vector(const qdi_slots *slots, size_t to, size_t from, size_t count) {
    v_store_first(slots->min_x + to, count, v_load(slots->min_x + from));
    v_store_first(slots->min_y + to, count, v_load(slots->min_y + from));
    v_store_first(slots->max_x + to, count, v_load(slots->max_x + from));
    v_store_first(slots->max_y + to, count, v_load(slots->max_y + from));
    v_store_first((float *)slots->row + to, count, v_load((float *)slots->row + from));
    v_store_first((float *)slots->index + to, count, v_load((float *)slots->index + from));
}

// The vectors that go furthest are moved first.
static void kernel_shift(const qdi_slots *slots, size_t to, size_t from, size_t count) {
    if (to < from) {
        for (size_t i = 0; i < count; i += WIDTH) shift_vector(slots, to + i, from + i, count - i);
    } else {
        for (size_t end = (count + WIDTH - 1) / WIDTH * WIDTH; end > 0; end -= WIDTH)
            shift_vector(slots, to + end - WIDTH, from + end - WIDTH, count - (end - WIDTH));
    }
}

// Tree's kernel: a bit for each lane of a vector below `count`.
static inline unsigned width_below(size_t count) {
    return count >= WIDTH ? (unsigned)((UINT64_C(1) << WIDTH) - 1) : (1U << count) - 1U;
}

// Tree's kernel: lanes whose box is plainly good: qdi_box_acceptable may still accept others.
static inline unsigned plainly_good(const vec box[4], vec x, vec y, vec width, vec height,
                                    const qdi_node_test *test) {
    const vec big = v_set(FLT_MAX), small = v_set(-FLT_MAX);
    unsigned good = v_le(box[0], box[2]) & v_le(box[1], box[3]) & v_le(small, box[0]) & v_le(small, box[1]) &
                    v_le(box[2], big) & v_le(box[3], big);
    if (test->period.x > 0.0) {
        vec half = v_set((float)(0.4999 * test->period.x));
        good &= v_le(width, half) & v_le(x, half) & v_le(v_sub(v_set(0.0F), half), x);
    }
    if (test->period.y > 0.0) {
        vec half = v_set((float)(0.4999 * test->period.y));
        good &= v_le(height, half) & v_le(y, half) & v_le(v_sub(v_set(0.0F), half), y);
    }
    return good;
}

// Gives the slots [begin, end) of a list their new boxes and finds those that leave it.
static void kernel_update(const qdi_slots *slots, const qd_box *boxes, const qdi_node_test *test,
                          size_t begin, size_t end, qdi_update_tally *tally) {
    const float inf = __builtin_inff();
    const vec none_low = v_set(inf), none_high = v_set(-inf), half = v_set(0.5F);
    vec own[4] = {none_low, none_low, none_high, none_high};
    for (size_t at = begin; at < end; at += WIDTH) {
        const size_t left = end - at;
        const unsigned lanes = width_below(left);
        uint32_t rows[WIDTH];
        vec box[4];
        if (!v_rows(slots->row + at, left, rows)) {
            qdi_update_slots(slots, boxes, test, at, left < WIDTH ? end : at + WIDTH, tally);
            continue;
        }
        v_boxes(boxes, rows, box);
        const vec x = v_add(v_mul(half, box[0]), v_mul(half, box[2]));
        const vec y = v_add(v_mul(half, box[1]), v_mul(half, box[3]));
        const vec width = v_sub(box[2], box[0]), height = v_sub(box[3], box[1]);
        if ((plainly_good(box, x, y, width, height, test) & lanes) != lanes) {
            qdi_update_slots(slots, boxes, test, at, left < WIDTH ? end : at + WIDTH, tally);
            continue;
        }
        v_store(slots->min_x + at, lanes, box[0]);
        v_store(slots->min_y + at, lanes, box[1]);
        v_store(slots->max_x + at, lanes, box[2]);
        v_store(slots->max_y + at, lanes, box[3]);
        const vec longest = v_max(width, height);
        const unsigned here = v_le(v_set(test->low_x), x) & v_lt(x, v_set(test->high_x)) &
                              v_le(v_set(test->low_y), y) & v_lt(y, v_set(test->high_y)) &
                              v_le(longest, v_set(test->side));
        const unsigned fit = here & v_le(longest, v_set(test->half));
        const unsigned deep = test->leaf ? 0U : fit; // would belong to a child
        const unsigned stay = (test->root ? ~deep : here & ~deep) & lanes;
        own[0] = v_min(own[0], v_pick(stay, box[0], none_low));
        own[1] = v_min(own[1], v_pick(stay, box[1], none_low));
        own[2] = v_max(own[2], v_pick(stay, box[2], none_high));
        own[3] = v_max(own[3], v_pick(stay, box[3], none_high));
        tally->fit += (uint32_t)__builtin_popcount(fit & stay);
        const unsigned gone = lanes & ~stay;
        if (gone == 0) continue;
        if (tally->gone == 0) tally->first_gone = at + (unsigned)__builtin_ctz(gone);
        tally->gone += (uint32_t)__builtin_popcount(gone);
        if (at - tally->base < 64) tally->which |= (uint64_t)gone << (at - tally->base);
    }
    const qd_box found = {v_lowest(own[0]), v_lowest(own[1]), v_highest(own[2]), v_highest(own[3])};
    tally->own = qdi_box_union(tally->own, found);
}
