// The pair kernels, for whoever defines before including this:
//   block                                  QDI_PAIR_BLOCK slots' boxes, in registers where they fit
//   block block_load(slots, at)
//   unsigned block_overlap(const block *, qd_box): one bit per slot of the block, set where it overlaps the box
//   sink                                   where pairs go; it may hold some of them back
//   void sink_open(sink *, pairs, worker)
//   bool sink_room(sink *)                 makes room for a block times a block; false when the search should stop
//   void sink_put(sink *, const block *, const qd_body_index rows[4], const unsigned hits[4]): four bodies with the slots
//                                          of the block that their hits name, body by body
//   bool sink_close(sink *)                writes what was held back; false as above
//   size_t pick_block(const block *, hits, to, at): copies the slots of the block that `hits` names to `to` from slot `at` on, and
//                                          may write up to QDI_PAIR_BLOCK slots; returns the slot after the last
// No include guard: each instruction set has its own copy. The order of pairs is the same for all, since blocks are equally long.
#include "core/kernel.h"

static inline unsigned lanes_below(size_t count) {
    return count >= QDI_PAIR_BLOCK ? QDI_PAIR_BLOCK_ALL : (1U << count) - 1U;
}

static bool kernel_box_list(const qdi_slots *slots, qd_box box, qd_body_index index, size_t begin, size_t end,
                            qd_pairs *pairs, int worker) {
    sink to;
    sink_open(&to, pairs, worker);
    const qd_body_index rows[4] = {index, index, index, index};
    for (size_t at = begin; at < end; at += QDI_PAIR_BLOCK) {
        if (!sink_room(&to)) return false;
        const block here = block_load(slots, at);
        const unsigned hits[4] = {block_overlap(&here, box) & lanes_below(end - at), 0, 0, 0};
        sink_put(&to, &here, rows, hits);
    }
    return sink_close(&to);
}

// The rows [begin, end) against those lanes of a block, four rows at a time; rows past the end hit nothing.
static inline bool rows_block(sink *to, const block *here, unsigned lanes, const qdi_slots *rows,
                              size_t begin, size_t end) {
    for (size_t from = begin; from < end; from += QDI_PAIR_BLOCK) {
        if (!sink_room(to)) return false;
        const size_t stop = end - from < QDI_PAIR_BLOCK ? end : from + QDI_PAIR_BLOCK;
        for (size_t r = from; r < stop; r += 4) {
            unsigned hits[4];
            for (unsigned i = 0; i < 4; ++i) {
                const unsigned asked = r + i < end ? lanes : 0;
                hits[i] = block_overlap(here, qdi_slot_box(rows, r + i)) & asked;
            }
            sink_put(to, here, rows->index + r, hits);
        }
    }
    return true;
}

// The slots of one block with each other: each row against the lanes after it.
static inline bool block_self(sink *to, const block *here, unsigned lanes, const qdi_slots *slots, size_t at,
                              size_t end) {
    if (!sink_room(to)) return false;
    const size_t stop = end - at < QDI_PAIR_BLOCK ? end : at + QDI_PAIR_BLOCK;
    for (size_t s = at; s < stop; s += 4) {
        unsigned hits[4];
        for (unsigned i = 0; i < 4; ++i) {
            const unsigned later = (QDI_PAIR_BLOCK_ALL - 1U) << (s + i - at);
            hits[i] = block_overlap(here, qdi_slot_box(slots, s + i)) & lanes & later;
        }
        sink_put(to, here, slots->index + s, hits);
    }
    return true;
}

// Block by block: the rows of the list before the block, those in it, and the others'.
static bool kernel_list(const qdi_slots *slots, size_t begin, size_t end, const qdi_slots *rows,
                        size_t rows_begin, size_t rows_end, qd_pairs *pairs, int worker) {
    sink to;
    sink_open(&to, pairs, worker);
    for (size_t at = begin; at < end; at += QDI_PAIR_BLOCK) {
        const block here = block_load(slots, at);
        const unsigned lanes = lanes_below(end - at);
        if (!rows_block(&to, &here, lanes, slots, begin, at) ||
            !block_self(&to, &here, lanes, slots, at, end) ||
            !rows_block(&to, &here, lanes, rows, rows_begin, rows_end)) {
            return false;
        }
    }
    return sink_close(&to);
}

static size_t kernel_pick(const qdi_slots *slots, size_t begin, size_t end, qd_box box, const qdi_slots *to,
                          size_t at) {
    const qdi_slots source = *slots, target = *to; // copies, which no store to a slot can change
    for (size_t from = begin; from < end; from += QDI_PAIR_BLOCK) {
        const block here = block_load(&source, from);
        at = pick_block(&here, block_overlap(&here, box) & lanes_below(end - from), &target, at);
    }
    return at;
}

static void kernel_hits(const qdi_slots *slots, size_t begin, size_t end, qd_box box, unsigned *hits) {
    const qdi_slots source = *slots; // a copy, as above
    for (size_t at = begin; at < end; at += QDI_PAIR_BLOCK) {
        const block here = block_load(&source, at);
        *hits++ = block_overlap(&here, box) & lanes_below(end - at);
    }
}
