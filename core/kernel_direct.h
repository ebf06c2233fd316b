// A sink that writes pairs at once, hit by hit: for instruction sets that cannot move chosen lanes together.
// No include guard: each instruction set has its own copy. The block knows its `slots`, and `at`, its first slot.
#include "core/kernel.h"

typedef struct sink {
    qd_pairs *pairs;
    qdi_pair_buffer *buffer;
    qd_pair *to;
    int worker;
} sink;

static inline void sink_open(sink *to, qd_pairs *pairs, int worker) {
    qdi_pair_buffer *buffer = &pairs->buffers[worker];
    *to = (sink){pairs, buffer, buffer->items + buffer->count, worker};
}

static inline bool sink_close(sink *to) {
    to->buffer->count = (size_t)(to->to - to->buffer->items);
    return true;
}

static inline bool sink_room(sink *to) {
    const size_t most = (size_t)QDI_PAIR_BLOCK * QDI_PAIR_BLOCK;
    qdi_pair_buffer *buffer = to->buffer;
    buffer->count = (size_t)(to->to - buffer->items);
    if (buffer->room - buffer->count >= most) return true;
    if (!qdi_pairs_room(to->pairs, to->worker, most)) return false;
    to->to = buffer->items + buffer->count;
    return true;
}

// Whether a row hits anything is beyond guessing, so branches are paid for four rows at once.
static inline void sink_put(sink *to, const block *here, const qd_body_index rows[4],
                            const unsigned hits[4]) {
    uint64_t all = 0;
    for (unsigned i = 0; i < 4; ++i) all |= (uint64_t)hits[i] << (QDI_PAIR_BLOCK * i);
    qd_pair *at = to->to;
    for (; all != 0; all &= all - 1) {
        const unsigned bit = (unsigned)__builtin_ctzll(all);
        const qd_body_index row = rows[bit / QDI_PAIR_BLOCK],
                            other = here->slots->index[here->at + bit % QDI_PAIR_BLOCK];
        at->a = row < other ? row : other;
        at->b = row < other ? other : row;
        at->image = (qd_image){0, 0};
        ++at;
    }
    to->to = at;
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
