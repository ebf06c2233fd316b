// A sink that holds hits back and writes pairs many at a time, for instruction sets that can move chosen lanes together. For whoever
// defines before including this:
//   unsigned stage_put(uint32_t *a, uint32_t *b, const block *, row, hits): `row` to a[0, 16), and the indices of the slots that
//                                          were hit to b[0, ...); returns their number
//   FLUSH_LANES                            pairs that are written together
//   void stage_write(qd_pair *to, const uint32_t *a, const uint32_t *b): that many pairs, lower index first
// No branch depends on who hits whom, which no processor can guess. No include guard: each instruction set has its own copy.
#include "core/kernel.h"

enum { STAGE = 1024 };

typedef struct sink {
    qd_pairs *pairs;
    qdi_pair_buffer *buffer;
    int worker;
    unsigned held;
    uint32_t a[STAGE + QDI_PAIR_BLOCK], b[STAGE + QDI_PAIR_BLOCK];
} sink;

static inline void sink_open(sink *to, qd_pairs *pairs, int worker) {
    to->pairs = pairs;
    to->buffer = &pairs->buffers[worker];
    to->worker = worker;
    to->held = 0;
}

static inline bool sink_close(sink *to) {
    qdi_pair_buffer *buffer = to->buffer;
    const size_t most = to->held + FLUSH_LANES; // the last write goes past what is held
    if (buffer->room - buffer->count < most && !qdi_pairs_room(to->pairs, to->worker, most)) return false;
    qd_pair *at = buffer->items + buffer->count;
    for (unsigned i = 0; i < to->held; i += FLUSH_LANES) stage_write(at + i, to->a + i, to->b + i);
    buffer->count += to->held;
    to->held = 0;
    return true;
}

static inline bool sink_room(sink *to) {
    return to->held + QDI_PAIR_BLOCK * QDI_PAIR_BLOCK <= STAGE || sink_close(to);
}

static inline void sink_put(sink *to, const block *here, const qd_body_index rows[4],
                            const unsigned hits[4]) {
    unsigned held =
        to->held; // a local: stores to the stage might change the other, for all that compilers know
    for (unsigned i = 0; i < 4; ++i) held += stage_put(to->a + held, to->b + held, here, rows[i], hits[i]);
    to->held = held;
}
