// The pair kernels, for a file that defines before including this:
//   block                                  QDI_PAIR_BLOCK slots' boxes, in registers where they fit
//   block block_load(slots, at)
//   unsigned block_overlap(const block *, qd_box)
//       one bit per slot of the block, set where it overlaps the box
//   size_t pick_block(const block *, hits, to, at)
//       copies the slots of the block that `hits` names to `to` from slot `at` on, and may write up to
//       QDI_PAIR_BLOCK slots; returns the slot after the last
//   void window_put(qdi_window *, unsigned to, slots, at, unsigned count)
//       makes block `to` of the window of the `count` slots from `at` on, coarse boxes too
//   void window_test(qdi_window *, unsigned rows, unsigned lanes, const uint64_t among[4])
//       notes the pairs of two of its blocks that may overlap, of those that `among` names (as in
//       qdi_window_note)
//   size_t window_pairs(const qdi_window *, qd_pair *to)
//       writes those of the window's pairs that overlap; returns how many did, and may write QDI_PAIR_BLOCK
//       more
//
// No include guard: each instruction set has its own copy. The order of pairs is the same for all, since
// blocks are equally long.
#include "core/tree/kernel.h"

// A bit for each slot of a block below `count`.
static inline unsigned lanes_below(size_t count) {
    return count >= QDI_PAIR_BLOCK ? QDI_PAIR_BLOCK_ALL : (1U << count) - 1U;
}

// Finds the pairs of a box with the slots [begin, end).
static bool kernel_box_list(const qdi_slots *slots, qd_box box, qd_body_index index, size_t begin, size_t end,
                            qd_pairs *pairs, int worker) {
    qdi_pair_buffer *buffer = &pairs->buffers[worker];
    for (size_t at = begin; at < end; at += QDI_PAIR_BLOCK) {
        if (!qdi_pairs_room(pairs, worker, QDI_PAIR_BLOCK)) return false;
        const block here = block_load(slots, at);
        for (unsigned hits = block_overlap(&here, box) & lanes_below(end - at); hits != 0; hits &= hits - 1)
            qdi_put_pair(&buffer->items[buffer->count++], index,
                         slots->index[at + (unsigned)__builtin_ctz(hits)]);
    }
    return true;
}

// Begins a window of slots with these bounds.
static inline void window_open(qdi_window *window, qd_box bounds) {
    qdi_window_axis(bounds.min_x, bounds.max_x, &window->origin_x, &window->scale_x);
    qdi_window_axis(bounds.min_y, bounds.max_y, &window->origin_y, &window->scale_y);
    window->used = 0;
}

// Writes those pairs of a window of slots that overlap.
static bool window_write_pairs(qdi_window *window, qd_pairs *pairs, int worker) {
    if (!qdi_pairs_room(pairs, worker, window->used + QDI_PAIR_BLOCK)) return false;
    qdi_pair_buffer *buffer = &pairs->buffers[worker];
    buffer->count += window_pairs(window, buffer->items + buffer->count);
    window->used = 0;
    return true;
}

// Tests two blocks of a window of slots for pairs.
// The rows of one block with the lanes of another; of a block with itself, each row with the lanes after it.
static inline bool window_test_blocks(qdi_window *window, unsigned rows, unsigned lanes, qd_pairs *pairs,
                                      int worker) {
    static const uint64_t all[4] = {~UINT64_C(0), ~UINT64_C(0), ~UINT64_C(0), ~UINT64_C(0)};
    if (window->used > QDI_WINDOW_PAIRS - QDI_PAIR_BLOCK * QDI_PAIR_BLOCK &&
        !window_write_pairs(window, pairs, worker)) {
        return false;
    }
    if (rows == lanes)
        window_test(window, rows, lanes, qdi_later_rows);
    else
        window_test(window, rows, lanes, all);
    return true;
}

// Makes blocks of the slots [begin, end), from block `to` on; returns the block after the last.
static inline unsigned window_fill(qdi_window *window, unsigned to, const qdi_slots *slots, size_t begin,
                                   size_t end) {
    for (size_t at = begin; at < end; at += QDI_PAIR_BLOCK, ++to) {
        const unsigned count = qdi_block_count(end - at);
        window_put(window, to, slots, at, count);
        window->fours[to] = (uint8_t)((count + 3) / 4);
    }
    window->blocks = to;
    return to;
}

// Tree's kernel: a block of lanes, which is block 0 of the window, with rows that do not fit in it all at
// once.
static bool window_stream(qdi_window *window, const qdi_slots *rows, size_t begin, size_t end,
                          qd_pairs *pairs, int worker) {
    const size_t most = QDI_WINDOW - QDI_PAIR_BLOCK;
    for (size_t from = begin; from < end; from += most) {
        // Pairs that wait mean the rows that were there before.
        if (!window_write_pairs(window, pairs, worker)) return false;
        const unsigned stop = window_fill(window, 1, rows, from, end - from < most ? end : from + most);
        for (unsigned b = 1; b < stop; ++b)
            if (!window_test_blocks(window, b, 0, pairs, worker)) return false;
    }
    return true;
}

// Tree's kernel: block by block: the others' rows, those of the list before the block, and those in it.
static bool list_long(qdi_window *window, const qdi_slots *slots, size_t begin, size_t end,
                      const qdi_slots *rows, size_t rows_begin, size_t rows_end, qd_pairs *pairs,
                      int worker) {
    for (size_t at = begin; at < end; at += QDI_PAIR_BLOCK) {
        if (!window_write_pairs(window, pairs, worker)) return false;
        (void)window_fill(window, 0, slots, at, at + qdi_block_count(end - at));
        if (!window_stream(window, rows, rows_begin, rows_end, pairs, worker) ||
            !window_stream(window, slots, begin, at, pairs, worker) ||
            !window_test_blocks(window, 0, 0, pairs, worker)) {
            return false;
        }
    }
    return window_write_pairs(window, pairs, worker);
}

// The same where all of them fit in the window.
static bool kernel_list(const qdi_slots *slots, size_t begin, size_t end, qd_box bounds,
                        const qdi_slots *rows, size_t rows_begin, size_t rows_end, qd_pairs *pairs,
                        int worker) {
    qdi_window window;
    window_open(&window, bounds);
    if (end - begin + (rows_end - rows_begin) > QDI_WINDOW - 2 * QDI_PAIR_BLOCK)
        return list_long(&window, slots, begin, end, rows, rows_begin, rows_end, pairs, worker);
    const unsigned own = window_fill(&window, 0, slots, begin, end);
    const unsigned all = window_fill(&window, own, rows, rows_begin, rows_end);
    for (unsigned b = 0; b < own; ++b) {
        for (unsigned r = own; r < all; ++r)
            if (!window_test_blocks(&window, r, b, pairs, worker)) return false;
        for (unsigned r = 0; r <= b; ++r)
            if (!window_test_blocks(&window, r, b, pairs, worker)) return false;
    }
    return window_write_pairs(&window, pairs, worker);
}

// Copies those of the slots [begin, end) that overlap a box.
static size_t kernel_pick(const qdi_slots *slots, size_t begin, size_t end, qd_box box, const qdi_slots *to,
                          size_t at) {
    const qdi_slots source = *slots, target = *to; // copies, which no store to a slot can change
    for (size_t from = begin; from < end; from += QDI_PAIR_BLOCK) {
        const block here = block_load(&source, from);
        at = pick_block(&here, block_overlap(&here, box) & lanes_below(end - from), &target, at);
    }
    return at;
}

// Says which of the slots [begin, end) overlap a box, as bits.
static void kernel_hits(const qdi_slots *slots, size_t begin, size_t end, qd_box box, unsigned *hits) {
    const qdi_slots source = *slots; // a copy, as above
    for (size_t at = begin; at < end; at += QDI_PAIR_BLOCK) {
        const block here = block_load(&source, at);
        *hits++ = block_overlap(&here, box) & lanes_below(end - at);
    }
}
