// The pairs of four leaves that are siblings, for kernel_avx2.c, which has what this uses.
//
// Leaves are small, and most of what a leaf is tested against lies in its siblings. So the boxes of all four,
// and of all else that overlaps any of them, are put in one window, and made coarse, once. A leaf's rows are
// picked from there, as coarse boxes, and tested against its list. Pairs come in the same order as those of
// one leaf after the other.

/// Boxes in the window, rows of a leaf, and pairs that wait for an exact test.
enum { FAMILY_ROOM = QDI_FAMILY_ROOM, FAMILY_ROWS = FAMILY_ROOM + 64, FAMILY_PAIRS = 1024 };

typedef struct family_window {
    _Alignas(64) float min_x[FAMILY_ROOM];
    float min_y[FAMILY_ROOM], max_x[FAMILY_ROOM], max_y[FAMILY_ROOM];
    qd_body_index index[FAMILY_ROOM];
    qd_box box[FAMILY_ROOM];
    uint8_t coarse[4][FAMILY_ROOM];   ///< as qdi_coarse has them
    uint8_t row[4][FAMILY_ROWS];      ///< of the leaf at hand: its own, in whole blocks, and those picked
    uint16_t place[FAMILY_ROWS];      ///< of rows in the window
    uint16_t pair[FAMILY_PAIRS + 64]; ///< 16384 b + 16 r + l: lane l of block b of the leaf, and row r
    unsigned used;                    ///< pairs
    uint64_t keep; ///< 0 where most tests find nothing: then those that did not are left at once
    unsigned own;  ///< place of the leaf's first lane
    float origin_x, origin_y, scale_x, scale_y;
} family_window;

// Tree's AVX2 kernel: stores the boxes of eight bodies one after the other.
static inline void store_boxes(qd_box *to, __m256 min_x, __m256 min_y, __m256 max_x, __m256 max_y) {
    const __m256 low = _mm256_unpacklo_ps(min_x, min_y), low_next = _mm256_unpackhi_ps(min_x, min_y);
    const __m256 high = _mm256_unpacklo_ps(max_x, max_y), high_next = _mm256_unpackhi_ps(max_x, max_y);
    const __m256 box[4] = {_mm256_shuffle_ps(low, high, 0x44), _mm256_shuffle_ps(low, high, 0xee),
                           _mm256_shuffle_ps(low_next, high_next, 0x44),
                           _mm256_shuffle_ps(low_next, high_next, 0xee)};
    for (unsigned i = 0; i < 4; ++i) {
        _mm_store_ps(&to[i].min_x, _mm256_castps256_ps128(box[i]));
        _mm_store_ps(&to[i + 4].min_x, _mm256_extractf128_ps(box[i], 1));
    }
}

// Tree's AVX2 kernel: puts a block of slots in a family's window, coarse boxes too.
static inline void family_put(family_window *window, unsigned place, const qdi_slots *slots, size_t at,
                              unsigned count) {
    const block here = block_load(slots, at);
    __m256i half[2];
    for (unsigned p = 0; p < 2; ++p) {
        const size_t first = place + p * WIDTH;
        _mm256_store_ps(window->min_x + first, here.min_x[p]);
        _mm256_store_ps(window->min_y + first, here.min_y[p]);
        _mm256_store_ps(window->max_x + first, here.max_x[p]);
        _mm256_store_ps(window->max_y + first, here.max_y[p]);
        _mm256_store_si256((__m256i *)(window->index + first), here.index[p]);
        store_boxes(window->box + first, here.min_x[p], here.min_y[p], here.max_x[p], here.max_y[p]);
        half[p] = coarse_half(&here, p, window->origin_x, window->origin_y, window->scale_x, window->scale_y);
    }
    const __m256i x = _mm256_unpacklo_epi64(half[0], half[1]), y = _mm256_unpackhi_epi64(half[0], half[1]);
    const __m128i lane = _mm_setr_epi8(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
    const __m128i none = _mm_cmpgt_epi8(lane, _mm_set1_epi8((char)((int)count - 1)));
    _mm_store_si128((__m128i *)(window->coarse[0] + place), _mm_or_si128(_mm256_castsi256_si128(x), none));
    _mm_store_si128((__m128i *)(window->coarse[1] + place), _mm256_castsi256_si128(y));
    _mm_store_si128((__m128i *)(window->coarse[2] + place), _mm256_extracti128_si256(x, 1));
    _mm_store_si128((__m128i *)(window->coarse[3] + place), _mm256_extracti128_si256(y, 1));
}

// Tree's AVX2 kernel: puts the slots [begin, end) in a family's window; returns the place after them.
static inline unsigned family_fill(family_window *window, unsigned place, const qdi_slots *slots,
                                   size_t begin, size_t end) {
    for (size_t at = begin; at < end; at += QDI_PAIR_BLOCK, place += QDI_PAIR_BLOCK)
        family_put(window, place, slots, at, block_count(end - at));
    return place;
}

// Tree's AVX2 kernel: appends those rows of eight that `kept`, eight lanes, names.
static inline void family_keep(family_window *window, unsigned rows, unsigned place, __m256i low,
                               __m256i high, __m128i kept) {
    const __m256i both = _mm256_broadcastsi128_si256(kept);
    const __m256i a = _mm256_shuffle_epi8(low, both), b = _mm256_shuffle_epi8(high, both);
    _mm_storel_epi64((__m128i *)(window->row[0] + rows), _mm256_castsi256_si128(a));
    _mm_storel_epi64((__m128i *)(window->row[1] + rows), _mm256_extracti128_si256(a, 1));
    _mm_storel_epi64((__m128i *)(window->row[2] + rows), _mm256_castsi256_si128(b));
    _mm_storel_epi64((__m128i *)(window->row[3] + rows), _mm256_extracti128_si256(b, 1));
    _mm_storeu_si128((__m128i *)(window->place + rows),
                     _mm_add_epi16(_mm_cvtepu8_epi16(kept), _mm_set1_epi16((short)place)));
}

// Tree's AVX2 kernel: two columns of sixteen coarse coordinates, one in each half.
static inline __m256i family_columns(const uint8_t *one, const uint8_t *other) {
    return _mm256_inserti128_si256(_mm256_castsi128_si256(_mm_load_si128((const __m128i *)one)),
                                   _mm_load_si128((const __m128i *)other), 1);
}

// Tree's AVX2 kernel: appends those of the window's places [begin, end), whole blocks, that overlap a box to
// the rows; returns how many rows there are. Places without a body may hold anything, but have a coarse min x
// of 255.
static inline unsigned family_pick(family_window *window, unsigned begin, unsigned end, qd_box box,
                                   unsigned rows) {
    const __m256 min_x = v_set(box.min_x), min_y = v_set(box.min_y), max_x = v_set(box.max_x),
                 max_y = v_set(box.max_y);
    for (unsigned at = begin; at < end; at += QDI_PAIR_BLOCK) {
        unsigned hits = 0;
        for (unsigned p = 0; p < 2; ++p) {
            const unsigned i = at + p * WIDTH;
            const __m256 x = _mm256_and_ps(
                _mm256_cmp_ps(_mm256_load_ps(window->min_x + i), max_x, _CMP_LE_OQ),
                _mm256_cmp_ps(_mm256_load_ps(window->max_x + i), min_x, _CMP_GE_OQ));
            const __m256 y = _mm256_and_ps(
                _mm256_cmp_ps(_mm256_load_ps(window->min_y + i), max_y, _CMP_LE_OQ),
                _mm256_cmp_ps(_mm256_load_ps(window->max_y + i), min_y, _CMP_GE_OQ));
            hits |= (unsigned)_mm256_movemask_ps(_mm256_and_ps(x, y)) << (p * WIDTH);
        }
        const __m128i coarse_x = _mm_load_si128((const __m128i *)(window->coarse[0] + at));
        hits &= ~(unsigned)_mm_movemask_epi8(_mm_cmpeq_epi8(coarse_x, _mm_set1_epi8(-1)));
        if (hits == 0) continue;
        const __m256i low = family_columns(window->coarse[0] + at, window->coarse[1] + at);
        const __m256i high = family_columns(window->coarse[2] + at, window->coarse[3] + at);
        const __m128i first = _mm_cvtsi64_si128((int64_t)lanes_of[hits & 0xffU]);
        const __m128i second = _mm_cvtsi64_si128(
            (int64_t)(lanes_of[hits >> 8] + UINT64_C(0x0808080808080808)));
        family_keep(window, rows, at, low, high, first);
        rows += (unsigned)__builtin_popcount(hits & 0xffU);
        family_keep(window, rows, at, low, high, second);
        rows += (unsigned)__builtin_popcount(hits >> 8);
    }
    return rows;
}

// Tree's AVX2 kernel: writes those pairs of a family's window that overlap. Which do is beyond guessing, so
// all are written, each over the last that did not.
static bool family_write_pairs(family_window *window, qd_pairs *pairs, int worker) {
    if (!qdi_pairs_room(pairs, worker, window->used + QDI_PAIR_BLOCK)) return false;
    qdi_pair_buffer *buffer = &pairs->buffers[worker];
    qd_pair *to = buffer->items + buffer->count;
    qd_pair *const begin = to;
    for (unsigned i = 0; i < window->used; ++i) {
        const unsigned pair = window->pair[i], row = window->place[pair / QDI_PAIR_BLOCK % 1024];
        const unsigned lane = window->own + pair / 16384 * QDI_PAIR_BLOCK + pair % QDI_PAIR_BLOCK;
        qdi_put_pair(to, window->index[row], window->index[lane]);
        const __m128 a = _mm_load_ps(&window->box[row].min_x), b = _mm_load_ps(&window->box[lane].min_x);
        to += _mm_movemask_ps(_mm_cmple_ps(_mm_movelh_ps(a, b), _mm_shuffle_ps(b, a, 0xee))) == 0xf;
    }
    buffer->count += (size_t)(to - begin);
    window->used = 0;
    return true;
}

// Tree's AVX2 kernel: notes pairs of four rows and sixteen lanes; see qdi_window_note.
static inline void family_note(family_window *window, uint64_t hits, unsigned base) {
    uint16_t *to = window->pair + window->used;
    window->used += (unsigned)__builtin_popcountll(hits);
    for (unsigned i = 0; i < 4; ++i, hits &= hits - 1) *to++ = (uint16_t)(base + (unsigned)_tzcnt_u64(hits));
    for (; hits != 0; hits &= hits - 1) *to++ = (uint16_t)(base + (unsigned)_tzcnt_u64(hits));
}

/// Some lanes of a leaf, their coarse coordinates once in each part of a vector, for as many rows at a time.
typedef struct family_lanes {
    __m256i min_x, min_y, max_x, max_y;
} family_lanes;

// Tree's AVX2 kernel: which lanes may overlap rows of a family's window, from `row` on; `splat` makes of four
// rows' bytes those of the rows that are beside the lanes.
static inline uint32_t family_hits(const family_window *window, const family_lanes *lanes, unsigned row,
                                   __m256i splat) {
    __m256i rows[4];
    for (unsigned c = 0; c < 4; ++c) {
        int32_t four;
        memcpy(&four, window->row[c] + row, sizeof four);
        rows[c] = _mm256_shuffle_epi8(_mm256_set1_epi32(four), splat);
    }
    const __m256i x = _mm256_or_si256(_mm256_subs_epu8(lanes->min_x, rows[2]),
                                      _mm256_subs_epu8(rows[0], lanes->max_x));
    const __m256i y = _mm256_or_si256(_mm256_subs_epu8(lanes->min_y, rows[3]),
                                      _mm256_subs_epu8(rows[1], lanes->max_y));
    const __m256i hit = _mm256_cmpeq_epi8(_mm256_or_si256(x, y), _mm256_setzero_si256());
    return (uint32_t)_mm256_movemask_epi8(hit);
}

// Tree's AVX2 kernel: notes the pairs of the rows [begin, end) of a family's window and the sixteen lanes
// from place `at` of the leaf on that may overlap, of those that `among`, by four rows, names.
static inline bool family_test(family_window *window, unsigned begin, unsigned end, unsigned at,
                               const uint64_t *among, qd_pairs *pairs, int worker) {
    const unsigned place = window->own + at;
    const family_lanes lanes = {
        repeat_table(window->coarse[0] + place), repeat_table(window->coarse[1] + place),
        repeat_table(window->coarse[2] + place), repeat_table(window->coarse[3] + place)};
    const __m256i first = _mm256_inserti128_si256(_mm256_setzero_si256(), _mm_set1_epi8(1), 1);
    const __m256i second = _mm256_add_epi8(first, _mm256_set1_epi8(2));
    const uint64_t keep = window->keep;
    for (unsigned row = begin; row < end; row += 4) {
        uint64_t hits = family_hits(window, &lanes, row, first) |
                        (uint64_t)family_hits(window, &lanes, row, second) << 32;
        if (among) hits &= among[(row - begin) / 4];
        if ((hits | keep) == 0) continue;
        if (window->used > FAMILY_PAIRS - 64 && !family_write_pairs(window, pairs, worker)) return false;
        family_note(window, hits, at * 1024 + row * QDI_PAIR_BLOCK);
    }
    return true;
}

// Tree's AVX2 kernel: finds the pairs of a leaf of a family, whose list is at the window's places from `own`
// on; of the rows those from `picked` on are others'.
static bool family_join_leaf(family_window *window, unsigned count, unsigned picked, unsigned rows,
                             qd_pairs *pairs, int worker) {
    for (unsigned at = 0; at < count; at += QDI_PAIR_BLOCK) {
        const unsigned stop = count < at + QDI_PAIR_BLOCK ? count : at + QDI_PAIR_BLOCK;
        if (!family_test(window, 0, at, at, NULL, pairs, worker) ||
            !family_test(window, at, stop, at, later_rows, pairs, worker) ||
            !family_test(window, picked, rows, at, NULL, pairs, worker))
            return false;
    }
    return family_write_pairs(window, pairs, worker);
}

// Finds the pairs of four leaves that are siblings.
static bool kernel_family(const qdi_slots *slots, const qdi_leaf_family *family, const qdi_slots *others,
                          qd_pairs *pairs, int worker) {
    family_window window;
    window_axis(family->bounds.min_x, family->bounds.max_x, &window.origin_x, &window.scale_x);
    window_axis(family->bounds.min_y, family->bounds.max_y, &window.origin_y, &window.scale_y);
    window.used = 0;
    const qdi_pair_buffer *buffer = &pairs->buffers[worker];
    window.keep = 256 * (uint64_t)(buffer->before + buffer->count) >= buffer->tests;
    unsigned lists[5] = {0};
    for (unsigned q = 0; q < 4; ++q)
        lists[q + 1] = family_fill(&window, lists[q], slots, family->first[q],
                                   (size_t)family->first[q] + family->count[q]);
    const unsigned after = family_fill(&window, lists[4], others, family->begin, family->after);
    const unsigned end = family_fill(&window, after, others, family->after, family->end);
    const __m128i lane = _mm_setr_epi16(0, 1, 2, 3, 4, 5, 6, 7);
    for (unsigned q = 0; q < 4; ++q) {
        const unsigned count = family->count[q], picked = lists[q + 1] - lists[q];
        if (count == 0) continue;
        window.own = lists[q];
        for (unsigned c = 0; c < 4; ++c)
            for (unsigned at = 0; at < picked; at += QDI_PAIR_BLOCK)
                _mm_storeu_si128((__m128i *)(window.row[c] + at),
                                 _mm_load_si128((const __m128i *)(window.coarse[c] + lists[q] + at)));
        for (unsigned at = 0; at < picked; at += 8)
            _mm_storeu_si128((__m128i *)(window.place + at),
                             _mm_add_epi16(lane, _mm_set1_epi16((short)(lists[q] + at))));
        unsigned rows = family_pick(&window, lists[4], after, family->box[q], picked);
        rows = family_pick(&window, lists[q + 1], lists[4], family->box[q], rows);
        rows = family_pick(&window, after, end, family->box[q], rows);
        memset(window.row[0] + rows, 0xff, 4);
        qdi_pairs_tested(pairs, worker,
                         (uint64_t)count * (count - 1) / 2 + (uint64_t)count * (rows - picked));
        if (!family_join_leaf(&window, count, picked, rows, pairs, worker)) return false;
    }
    return true;
}
