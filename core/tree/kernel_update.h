// The update of an instruction set with vectors, for a file that defines before including this:
//   WIDTH, vec                              lanes, and a vector of that many floats
//   vec v_load(const float *), v_set(float), v_add, v_sub, v_mul, v_min, v_max
//   chosen                                  of lanes
//   chosen m_le(vec a, vec b), m_lt(a, b)   those with a <= b, a < b
//   chosen m_and(chosen, chosen)            those of both
//   chosen m_and_not(chosen a, chosen b)    those of a alone
//   unsigned m_bits(chosen)                 one bit per lane
//   vec v_pick(chosen, vec a, vec b)        a where the lane is chosen, else b
//   void v_store(float *, unsigned mask, vec)
//       may write all lanes up to QDI_LANES, only those of the mask beyond
//   const uint32_t *v_rows(const uint32_t *row, size_t left, uint32_t room[WIDTH])
//       where WIDTH rows are, the first `left` of them, all where there are fewer, and the first again and
//       again; NULL where one is QDI_NONE
//   void v_boxes(const qd_box *, const uint32_t rows[WIDTH], vec out[4])
//       min x, min y, max x, max y of the rows
//   float v_lowest(vec), v_highest(vec)
//   vec v_load_first(const float *, size_t count)
//       the first `count` lanes, fewer than all: what lies behind a list another thread may be writing
//   void v_store_first(float *, size_t count, vec)
//       the first `count` lanes, all where there are fewer
//
// No include guard: each instruction set has its own copy.
#include "core/tree/kernel.h"

#include <float.h>

// Tree's kernel: moves at most a vector of a column, also of whole numbers: nothing is done to the bits.
static inline void shift_lanes(float *column, size_t to, size_t from, size_t count) {
    v_store_first(column + to, count,
                  count < WIDTH ? v_load_first(column + from, count) : v_load(column + from));
}

// Tree's kernel: moves at most a vector of slots.
static inline void shift_vector(const qdi_slots *slots, size_t to, size_t from, size_t count) {
    shift_lanes(slots->min_x, to, from, count);
    shift_lanes(slots->min_y, to, from, count);
    shift_lanes(slots->max_x, to, from, count);
    shift_lanes(slots->max_y, to, from, count);
    shift_lanes((float *)slots->row, to, from, count);
    shift_lanes((float *)slots->index, to, from, count);
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

// Tree's kernel: lanes whose box is plainly good: qdi_box_acceptable may still accept others. Sides that are
// infinite, or no numbers, make widths that are.
static inline chosen plainly_good(vec x, vec y, vec width, vec height, vec longest,
                                  const qdi_node_test *test) {
    const vec none = v_set(0.0F);
    chosen good = m_and(m_and(m_le(none, width), m_le(none, height)), m_le(longest, v_set(FLT_MAX)));
    if (test->period.x > 0.0) {
        const vec half = v_set((float)(0.4999 * test->period.x));
        good = m_and(good, m_and(m_le(width, half), m_and(m_le(x, half), m_le(v_sub(v_set(0.0F), half), x))));
    }
    if (test->period.y > 0.0) {
        const vec half = v_set((float)(0.4999 * test->period.y));
        good = m_and(good,
                     m_and(m_le(height, half), m_and(m_le(y, half), m_le(v_sub(v_set(0.0F), half), y))));
    }
    return good;
}

// Tree's kernel: the lanes whose box stays in the node's list, and `fit` those of them that could go deeper,
// as they would where there are children.
static inline chosen lanes_that_stay(vec x, vec y, vec longest, const qdi_node_test *test, chosen *fit) {
    const chosen here = m_and(m_and(m_and(m_le(v_set(test->low_x), x), m_lt(x, v_set(test->high_x))),
                                    m_and(m_le(v_set(test->low_y), y), m_lt(y, v_set(test->high_y)))),
                              m_le(longest, v_set(test->side)));
    *fit = m_and(here, m_le(longest, v_set(test->half)));
    if (test->leaf && !test->root) return here;
    const chosen stay = m_and_not(test->root ? m_le(x, x) : here, *fit);
    if (!test->leaf) *fit = m_and(*fit, stay);
    return test->leaf ? m_le(x, x) : stay;
}

// Tree's kernel: counts in a tally the bodies of a vector of slots that leave the list.
static inline void tally_lanes_gone(qdi_update_tally *tally, size_t at, unsigned gone) {
    if (tally->gone == 0) tally->first_gone = at + (unsigned)__builtin_ctz(gone);
    tally->gone += (uint32_t)__builtin_popcount(gone);
    if (at - tally->base < 64) tally->which |= (uint64_t)gone << (at - tally->base);
}

// Gives the slots [begin, end) of a list their new boxes and finds those that leave it, up to the first
// vector with anything out of the ordinary; returns where that begins. Lanes past the end repeat the first.
static inline size_t update_plain_slots(const qdi_slots *slots, const qd_box *boxes,
                                        const qdi_node_test *test, size_t begin, size_t end,
                                        qdi_update_tally *tally) {
    const vec none_low = v_set(__builtin_inff()), none_high = v_set(-__builtin_inff()), half = v_set(0.5F);
    const qdi_slots own_slots = *slots; // copies, which no store to a slot can change
    const qdi_node_test own_test = *test;
    vec own[4] = {none_low, none_low, none_high, none_high};
    uint32_t fits = 0;
    size_t at = begin;
    for (; at < end; at += WIDTH) {
        const size_t left = end - at;
        const unsigned lanes = width_below(left);
        uint32_t room[WIDTH];
        vec box[4];
        const uint32_t *rows = v_rows(own_slots.row + at, left, room);
        if (!rows) break;
        v_boxes(boxes, rows, box);
        const vec x = v_add(v_mul(half, box[0]), v_mul(half, box[2]));
        const vec y = v_add(v_mul(half, box[1]), v_mul(half, box[3]));
        const vec width = v_sub(box[2], box[0]), height = v_sub(box[3], box[1]);
        const vec longest = v_max(width, height);
        if (m_bits(plainly_good(x, y, width, height, longest, &own_test)) != width_below(WIDTH)) break;
        v_store(own_slots.min_x + at, lanes, box[0]);
        v_store(own_slots.min_y + at, lanes, box[1]);
        v_store(own_slots.max_x + at, lanes, box[2]);
        v_store(own_slots.max_y + at, lanes, box[3]);
        chosen fit;
        const chosen stay = lanes_that_stay(x, y, longest, &own_test, &fit);
        fits += (uint32_t)__builtin_popcount(m_bits(fit) & lanes);
        const unsigned gone = lanes & ~m_bits(stay);
        if (gone != 0) {
            tally_lanes_gone(tally, at, gone);
            box[0] = v_pick(stay, box[0], none_low);
            box[1] = v_pick(stay, box[1], none_low);
            box[2] = v_pick(stay, box[2], none_high);
            box[3] = v_pick(stay, box[3], none_high);
        }
        own[0] = v_min(own[0], box[0]);
        own[1] = v_min(own[1], box[1]);
        own[2] = v_max(own[2], box[2]);
        own[3] = v_max(own[3], box[3]);
    }
    const qd_box found = {v_lowest(own[0]), v_lowest(own[1]), v_highest(own[2]), v_highest(own[3])};
    tally->own = qdi_box_union(tally->own, found);
    tally->fit += fits;
    return at;
}

// Gives the slots [begin, end) of a list their new boxes and finds those that leave it.
static void kernel_update(const qdi_slots *slots, const qd_box *boxes, const qdi_node_test *test,
                          size_t begin, size_t end, qdi_update_tally *tally) {
    for (;;) {
        const size_t at = update_plain_slots(slots, boxes, test, begin, end, tally);
        if (at >= end) return;
        begin = end - at < WIDTH ? end : at + WIDTH;
        qdi_update_slots(slots, boxes, test, at, begin, tally);
        if (begin >= end) return;
    }
}
