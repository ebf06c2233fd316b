#include "core/kernel.h"

#ifdef __SSE2__
#    include <emmintrin.h>
#endif

// One bit per lane of the block at slot `at` (a multiple of QDI_LANES): set where the box there overlaps.
static inline unsigned overlap_mask(const qdi_slots *slots, size_t at, qd_box box) {
#ifdef __SSE2__
    unsigned mask = 0;
    const __m128 min_x = _mm_set1_ps(box.min_x), min_y = _mm_set1_ps(box.min_y);
    const __m128 max_x = _mm_set1_ps(box.max_x), max_y = _mm_set1_ps(box.max_y);
    for (unsigned half = 0; half < QDI_LANES; half += 4) {
        __m128 x = _mm_and_ps(_mm_cmple_ps(_mm_load_ps(slots->min_x + at + half), max_x),
                              _mm_cmpge_ps(_mm_load_ps(slots->max_x + at + half), min_x));
        __m128 y = _mm_and_ps(_mm_cmple_ps(_mm_load_ps(slots->min_y + at + half), max_y),
                              _mm_cmpge_ps(_mm_load_ps(slots->max_y + at + half), min_y));
        mask |= (unsigned)_mm_movemask_ps(_mm_and_ps(x, y)) << half;
    }
    return mask;
#else
    unsigned mask = 0;
    for (unsigned lane = 0; lane < QDI_LANES; ++lane) {
        mask |= (unsigned)qd_box_overlap(box, qdi_slot_box(slots, at + lane)) << lane;
    }
    return mask;
#endif
}

static inline bool box_list(const qdi_slots *slots, qd_box box, qd_body_index index, size_t begin, size_t end,
                            qd_pairs *pairs, int worker) {
    qdi_pair_buffer *buffer = &pairs->buffers[worker];
    if (buffer->room - buffer->count < end - begin && !qdi_pairs_room(pairs, worker, end - begin))
        return false;
    qd_pair *to = buffer->items + buffer->count;
    size_t at = begin / QDI_LANES * QDI_LANES;
    unsigned lanes = (QDI_ALL_LANES << (begin - at)) & QDI_ALL_LANES;
    for (; at < end; at += QDI_LANES, lanes = QDI_ALL_LANES) {
        if (end - at < QDI_LANES) lanes &= (1U << (end - at)) - 1U;
        unsigned hits = overlap_mask(slots, at, box) & lanes;
        for (; hits != 0; hits &= hits - 1) {
            qd_body_index other = slots->index[at + (unsigned)__builtin_ctz(hits)];
            *to++ = (qd_pair){index < other ? index : other, index < other ? other : index, {0, 0}};
        }
    }
    buffer->count = (size_t)(to - buffer->items);
    return true;
}

bool qdi_kernel_box_list(const qdi_slots *slots, qd_box box, qd_body_index index, size_t begin, size_t end,
                         qd_pairs *pairs, int worker) {
    return box_list(slots, box, index, begin, end, pairs, worker);
}

bool qdi_kernel_list_self(const qdi_slots *slots, size_t begin, size_t end, qd_pairs *pairs, int worker) {
    for (size_t s = begin; s + 1 < end; ++s) {
        if (!box_list(slots, qdi_slot_box(slots, s), slots->index[s], s + 1, end, pairs, worker))
            return false;
    }
    return true;
}

bool qdi_kernel_list_list(const qdi_slots *slots, const qdi_node *a, const qdi_node *b, qd_pairs *pairs,
                          int worker) {
    size_t end = (size_t)b->first + b->count;
    for (size_t at = a->first; at < (size_t)a->first + a->count; at += QDI_LANES) {
        size_t left = (size_t)a->first + a->count - at;
        unsigned rows = overlap_mask(slots, at, b->own);
        if (left < QDI_LANES) rows &= (1U << left) - 1U;
        for (; rows != 0; rows &= rows - 1) {
            size_t s = at + (unsigned)__builtin_ctz(rows);
            if (!box_list(slots, qdi_slot_box(slots, s), slots->index[s], b->first, end, pairs, worker))
                return false;
        }
    }
    return true;
}
