// The pair kernels, for whoever defines before including this:
//   block                                  QDI_PAIR_BLOCK slots' boxes, in registers where they fit
//   block block_load(slots, at)
//   unsigned block_overlap(const block *, slots, row): one bit per slot of the block, set where it overlaps slot `row`
//   unsigned block_overlap_box(const block *, qd_box): the same for a box
// No include guard: each instruction set has its own copy. The order of pairs is the same for all, since blocks are equally long.
#include "core/kernel.h"

static inline unsigned lanes_below(size_t count) {
    return count >= QDI_PAIR_BLOCK ? QDI_PAIR_BLOCK_ALL : (1U << count) - 1U;
}

// Writes the pairs of up to four rows with the slots others[0..15] that `hits` names, sixteen bits a row. Whether a
// row hits anything is beyond guessing, so branches are paid for four rows at once.
static inline qd_pair *push_hits(qd_pair *to, const qd_body_index *others, const qd_body_index *rows,
                                 uint64_t hits) {
    for (; hits != 0; hits &= hits - 1) {
        unsigned bit = (unsigned)__builtin_ctzll(hits);
        qd_body_index row = rows[bit / QDI_PAIR_BLOCK], other = others[bit % QDI_PAIR_BLOCK];
        to->a = row < other ? row : other;
        to->b = row < other ? other : row;
        to->image = (qd_image){0, 0};
        ++to;
    }
    return to;
}

static inline bool room_for(qdi_pair_buffer *buffer, qd_pairs *pairs, int worker, size_t more) {
    return buffer->room - buffer->count >= more || qdi_pairs_room(pairs, worker, more);
}

static bool kernel_box_list(const qdi_slots *slots, qd_box box, qd_body_index index, size_t begin, size_t end,
                            qd_pairs *pairs, int worker) {
    qdi_pair_buffer *buffer = &pairs->buffers[worker];
    if (!room_for(buffer, pairs, worker, end - begin)) return false;
    qd_pair *to = buffer->items + buffer->count;
    for (size_t at = begin; at < end; at += QDI_PAIR_BLOCK) {
        const block here = block_load(slots, at);
        unsigned hits = block_overlap_box(&here, box) & lanes_below(end - at);
        to = push_hits(to, slots->index + at, &index, hits);
    }
    buffer->count = (size_t)(to - buffer->items);
    return true;
}

// Block by block: the rows before a block, then those in it, four at a time. Rows past the end hit nothing.
static bool kernel_list_self(const qdi_slots *slots, size_t begin, size_t end, qd_pairs *pairs, int worker) {
    qdi_pair_buffer *buffer = &pairs->buffers[worker];
    for (size_t at = begin; at < end; at += QDI_PAIR_BLOCK) {
        const block here = block_load(slots, at);
        const unsigned lanes = lanes_below(end - at);
        for (size_t from = begin; from <= at; from += QDI_PAIR_BLOCK) {
            if (!room_for(buffer, pairs, worker, QDI_PAIR_BLOCK * QDI_PAIR_BLOCK)) return false;
            qd_pair *to = buffer->items + buffer->count;
            unsigned later = from < at ? QDI_PAIR_BLOCK_ALL
                                       : QDI_PAIR_BLOCK_ALL - 1U; // slots that come after the row
            for (size_t s = from; s < from + QDI_PAIR_BLOCK && s < end; s += 4) {
                uint64_t hits = 0;
                for (unsigned r = 0; r < 4; ++r) {
                    hits |= (uint64_t)(block_overlap(&here, slots, s + r) & lanes & later)
                            << (QDI_PAIR_BLOCK * r);
                    if (from == at) later &= later << 1;
                }
                to = push_hits(to, slots->index + at, slots->index + s, hits);
            }
            buffer->count = (size_t)(to - buffer->items);
        }
    }
    return true;
}

// Block by block of both lists: those rows of a's block that reach b's bounds against b's block.
static bool kernel_list_list(const qdi_slots *slots, const qdi_node *a, const qdi_node *b, qd_pairs *pairs,
                             int worker) {
    qdi_pair_buffer *buffer = &pairs->buffers[worker];
    const size_t a_end = (size_t)a->first + a->count, b_end = (size_t)b->first + b->count;
    for (size_t a_at = a->first; a_at < a_end; a_at += QDI_PAIR_BLOCK) {
        const block rows_block = block_load(slots, a_at);
        const unsigned rows = block_overlap_box(&rows_block, b->own) & lanes_below(a_end - a_at);
        if (rows == 0) continue;
        for (size_t b_at = b->first; b_at < b_end; b_at += QDI_PAIR_BLOCK) {
            if (!room_for(buffer, pairs, worker, QDI_PAIR_BLOCK * QDI_PAIR_BLOCK)) return false;
            qd_pair *to = buffer->items + buffer->count;
            const block here = block_load(slots, b_at);
            const unsigned lanes = lanes_below(b_end - b_at);
            for (unsigned left = rows; left != 0;) {
                qd_body_index index[4];
                uint64_t hits = 0;
                for (unsigned r = 0; r < 4; ++r) {
                    // Past the last row, one that is not asked about takes part with no lanes.
                    const unsigned asked = left != 0 ? lanes : 0;
                    const size_t s = a_at + (unsigned)__builtin_ctz(left | 1U << (QDI_PAIR_BLOCK - 1));
                    hits |= (uint64_t)(block_overlap(&here, slots, s) & asked) << (QDI_PAIR_BLOCK * r);
                    index[r] = slots->index[s];
                    left &= left - 1;
                }
                to = push_hits(to, slots->index + b_at, index, hits);
            }
            buffer->count = (size_t)(to - buffer->items);
        }
    }
    return true;
}
