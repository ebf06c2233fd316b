// The pairs of four leaves that are siblings. Not a header of its own: the end of kernel_avx2.c.
//
// Most of what a leaf is tested against lies in its siblings. So the boxes of all four, and those of others
// that overlap any of them, are put in one window, and made coarse, once:
//
//   places   | list 0 . | list 1 | list 2 . . | list 3 . | others nearer to the root . | others after . |
//
// Every list begins a block, and '.' is the rest of one, which overlaps nothing. A leaf's rows are picked
// from there: of the others, of the siblings after it, of the others after, then its own; and its lanes are
// its own list. That is what kernel_list compares too, in the same order, so the pairs come in the same
// order.

/// Boxes in the window; a leaf's rows, its own and those picked; and pairs that may overlap.
enum {
    FAMILY_ROOM = QDI_FAMILY_ROOM,
    FAMILY_ROWS = FAMILY_ROOM + QDI_FAMILY_LIST,
    FAMILY_PIECE = 128, ///< rows that are tested at a time
    FAMILY_PAIRS = FAMILY_PIECE * QDI_PAIR_BLOCK,
    FAMILY_FULL = 1024 ///< pairs that wait for an exact test, about
};

typedef struct family_window {
    qd_box box[FAMILY_ROOM];
    qd_body_index index[FAMILY_ROOM];
    uint8_t coarse[4][FAMILY_ROOM];                 ///< as qdi_coarse has them
    uint8_t row[4][FAMILY_ROWS + QDI_PAIR_BLOCK];   ///< of the leaf at hand: those picked, then its own
    uint16_t place[FAMILY_ROWS + QDI_PAIR_BLOCK];   ///< of rows in the window
    uint32_t pair[FAMILY_FULL + FAMILY_PAIRS + 64]; ///< 65536 p + 16 r + l: lane l from place p on, and row r
    unsigned used;                                  ///< pairs
    uint64_t keep; ///< 0 where most tests find nothing: then those that did not are left at once
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
        _mm_storeu_ps(&to[i].min_x, _mm256_castps256_ps128(box[i]));
        _mm_storeu_ps(&to[i + 4].min_x, _mm256_extractf128_ps(box[i], 1));
    }
}

// Tree's AVX2 kernel: coarse coordinates of a column. All boxes overlap the bounds of the window, so lower
// sides are not above them; those below become 0 when they are made bytes.
static inline __m256i family_lower(__m256 value, float origin, float scale) {
    return _mm256_cvtps_epi32(v_mul(v_sub(value, v_set(origin)), v_set(scale)));
}

// Tree's AVX2 kernel: the same of upper sides, which are not below the bounds.
static inline __m256i family_upper(__m256 value, float origin, float scale) {
    return _mm256_cvtps_epi32(v_min(v_mul(v_sub(value, v_set(origin)), v_set(scale)), v_set(254.0F)));
}

// Tree's AVX2 kernel: puts a block of slots in a family's window, coarse boxes too.
static inline void family_put(family_window *window, unsigned place, const qdi_slots *slots, size_t at,
                              unsigned count) {
    const float x = window->origin_x, y = window->origin_y, by_x = window->scale_x, by_y = window->scale_y;
    __m256i half[2];
    for (unsigned p = 0; p < 2; ++p) {
        const size_t from = at + p * WIDTH, to = place + p * WIDTH;
        const __m256 min_x = v_load(slots->min_x + from), min_y = v_load(slots->min_y + from);
        const __m256 max_x = v_load(slots->max_x + from), max_y = v_load(slots->max_y + from);
        _mm256_storeu_si256((__m256i *)(window->index + to),
                            _mm256_loadu_si256((const __m256i *)(slots->index + from)));
        store_boxes(window->box + to, min_x, min_y, max_x, max_y);
        half[p] = coarse_half(family_lower(min_x, x, by_x), family_lower(min_y, y, by_y),
                              family_upper(max_x, x, by_x), family_upper(max_y, y, by_y));
    }
    const __m256i low = _mm256_unpacklo_epi64(half[0], half[1]),
                  high = _mm256_unpackhi_epi64(half[0], half[1]);
    const __m128i lane = _mm_setr_epi8(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
    const __m128i none = _mm_cmpgt_epi8(lane, _mm_set1_epi8((char)((int)count - 1)));
    _mm_storeu_si128((__m128i *)(window->coarse[0] + place), _mm_or_si128(_mm256_castsi256_si128(low), none));
    _mm_storeu_si128((__m128i *)(window->coarse[1] + place), _mm256_castsi256_si128(high));
    _mm_storeu_si128((__m128i *)(window->coarse[2] + place), _mm256_extracti128_si256(low, 1));
    _mm_storeu_si128((__m128i *)(window->coarse[3] + place), _mm256_extracti128_si256(high, 1));
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
    return _mm256_inserti128_si256(_mm256_castsi128_si256(_mm_loadu_si128((const __m128i *)one)),
                                   _mm_loadu_si128((const __m128i *)other), 1);
}

// Tree's AVX2 kernel: appends those of the slots [begin, end) that overlap a box to the rows; they are in the
// window from `place` on. Returns how many rows there are.
static inline unsigned family_pick(family_window *window, unsigned rows, unsigned place,
                                   const qdi_slots *slots, size_t begin, size_t end, qd_box box) {
    for (size_t at = begin; at < end; at += QDI_PAIR_BLOCK, place += QDI_PAIR_BLOCK) {
        const unsigned hits = slots_overlap(slots, at, box) & lanes_below(end - at);
        if (hits == 0) continue;
        const __m256i low = family_columns(window->coarse[0] + place, window->coarse[1] + place);
        const __m256i high = family_columns(window->coarse[2] + place, window->coarse[3] + place);
        const uint64_t second = lanes_of[hits >> 8] + UINT64_C(0x0808080808080808);
        family_keep(window, rows, place, low, high, _mm_cvtsi64_si128((int64_t)lanes_of[hits & 0xffU]));
        rows += (unsigned)__builtin_popcount(hits & 0xffU);
        family_keep(window, rows, place, low, high, _mm_cvtsi64_si128((int64_t)second));
        rows += (unsigned)__builtin_popcount(hits >> 8);
    }
    return rows;
}

// Tree's AVX2 kernel: appends a leaf's own blocks [begin, end) to the rows.
static inline void family_own_rows(family_window *window, unsigned rows, unsigned begin, unsigned end) {
    const __m256i lane = _mm256_setr_epi16(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
    for (unsigned at = begin; at < end; at += QDI_PAIR_BLOCK, rows += QDI_PAIR_BLOCK) {
        for (unsigned c = 0; c < 4; ++c)
            _mm_storeu_si128((__m128i *)(window->row[c] + rows),
                             _mm_loadu_si128((const __m128i *)(window->coarse[c] + at)));
        _mm256_storeu_si256((__m256i *)(window->place + rows),
                            _mm256_add_epi16(lane, _mm256_set1_epi16((short)at)));
    }
}

// Tree's AVX2 kernel: writes those pairs of a family's window that overlap. Which do is beyond guessing, so
// all are written, each over the last that did not.
static bool family_write_pairs(family_window *window, qd_pairs *pairs, int worker) {
    if (!qdi_pairs_room(pairs, worker, window->used + QDI_PAIR_BLOCK)) return false;
    qdi_pair_buffer *buffer = &pairs->buffers[worker];
    qd_pair *to = buffer->items + buffer->count;
    qd_pair *const begin = to;
    for (unsigned i = 0; i < window->used; ++i) {
        const uint32_t pair = window->pair[i], row = window->place[pair / QDI_PAIR_BLOCK % 4096];
        const uint32_t lane = (pair >> 16) + pair % QDI_PAIR_BLOCK;
        qdi_put_pair(to, window->index[row], window->index[lane]);
        const __m128 a = _mm_loadu_ps(&window->box[row].min_x), b = _mm_loadu_ps(&window->box[lane].min_x);
        const __m128 within = _mm_cmple_ps(_mm_movelh_ps(a, b), _mm_shuffle_ps(b, a, 0xee));
        to += ((unsigned)_mm_movemask_ps(within) + 1U) >> 4;
    }
    buffer->count += (size_t)(to - begin);
    window->used = 0;
    return true;
}

// Tree's AVX2 kernel: notes pairs of four rows and sixteen lanes; see qdi_window_note. Returns where the next
// ones go.
static inline uint32_t *family_note(uint32_t *to, uint64_t hits, uint32_t base) {
    uint32_t *const next = to + __builtin_popcountll(hits);
    for (unsigned i = 0; i < 3; ++i, hits &= hits - 1) *to++ = base + (uint32_t)_tzcnt_u64(hits);
    for (; hits != 0; hits &= hits - 1) *to++ = base + (uint32_t)_tzcnt_u64(hits);
    return next;
}

/// Sixteen lanes of a leaf, their coarse coordinates in each half of a vector, for two rows at a time.
typedef struct family_lanes {
    __m256i min_x, min_y, max_x, max_y;
} family_lanes;

// Tree's AVX2 kernel: which lanes may overlap two rows of a family's window, of the four from `row` on;
// `splat` names them.
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

// Tree's AVX2 kernel: notes the pairs of the first `rows` rows of a family's window and the sixteen lanes
// from place `at` of the leaf on that may overlap. The rows from `self` on are those lanes themselves: each
// is tested with those after it.
static inline void family_test(family_window *window, unsigned begin, unsigned end, unsigned self,
                               unsigned place) {
    const family_lanes lanes = {
        repeat_table(window->coarse[0] + place), repeat_table(window->coarse[1] + place),
        repeat_table(window->coarse[2] + place), repeat_table(window->coarse[3] + place)};
    const __m256i first = _mm256_inserti128_si256(_mm256_setzero_si256(), _mm_set1_epi8(1), 1);
    const __m256i second = _mm256_add_epi8(first, _mm256_set1_epi8(2));
    const uint64_t keep = window->keep;
    uint32_t *to = window->pair + window->used;
    for (unsigned row = begin; row < end; row += 4) {
        uint64_t hits = family_hits(window, &lanes, row, first) |
                        (uint64_t)family_hits(window, &lanes, row, second) << 32;
        if (row >= self) hits &= later_rows[(row - self) / 4];
        if ((hits | keep) == 0) continue;
        to = family_note(to, hits, (place << 16) + row * QDI_PAIR_BLOCK);
    }
    window->used = (unsigned)(to - window->pair);
}

// Finds the pairs of leaf q of a family, whose boxes are in the window; the places of the lists are `lists`.
static bool family_join_leaf(family_window *window, const qdi_slots *slots, const qdi_leaf_family *family,
                             unsigned q, const unsigned lists[6], const qdi_slots *others, qd_pairs *pairs,
                             int worker) {
    const qd_box box = family->box[q];
    const unsigned count = family->count[q];
    unsigned rows = family_pick(window, 0, lists[4], others, family->begin, family->after, box);
    for (unsigned r = q + 1; r < 4; ++r)
        rows = family_pick(window, rows, lists[r], slots, family->first[r],
                           (size_t)family->first[r] + family->count[r], box);
    rows = family_pick(window, rows, lists[5], others, family->after, family->end, box);
    qdi_pairs_tested(pairs, worker, (uint64_t)count * (count - 1) / 2 + (uint64_t)count * rows);
    memset(window->row[0] + rows, 0xff, 4);
    rows = (rows + 3) / 4 * 4;
    family_own_rows(window, rows, lists[q], lists[q + 1]);
    for (unsigned at = 0; at < count; at += QDI_PAIR_BLOCK) {
        const unsigned stop = rows + (count < at + QDI_PAIR_BLOCK ? count : at + QDI_PAIR_BLOCK);
        for (unsigned from = 0; from < stop; from += FAMILY_PIECE) {
            if (window->used > FAMILY_FULL && !family_write_pairs(window, pairs, worker)) return false;
            family_test(window, from, stop < from + FAMILY_PIECE ? stop : from + FAMILY_PIECE, rows + at,
                        lists[q] + at);
        }
    }
    return family_write_pairs(window, pairs, worker);
}

// Finds the pairs of four leaves that are siblings.
static bool kernel_family(const qdi_slots *slots, const qdi_leaf_family *family, const qdi_slots *others,
                          qd_pairs *pairs, int worker) {
    family_window window;
    const qdi_pair_buffer *buffer = &pairs->buffers[worker];
    window.keep = 256 * (uint64_t)(buffer->before + buffer->count) >= buffer->tests;
    window_axis(family->bounds.min_x, family->bounds.max_x, &window.origin_x, &window.scale_x);
    window_axis(family->bounds.min_y, family->bounds.max_y, &window.origin_y, &window.scale_y);
    window.used = 0;
    unsigned lists[6] = {0};
    for (unsigned q = 0; q < 4; ++q)
        lists[q + 1] = family_fill(&window, lists[q], slots, family->first[q],
                                   (size_t)family->first[q] + family->count[q]);
    lists[5] = family_fill(&window, lists[4], others, family->begin, family->after);
    (void)family_fill(&window, lists[5], others, family->after, family->end);
    for (unsigned q = 0; q < 4; ++q) {
        if (family->count[q] > 0 &&
            !family_join_leaf(&window, slots, family, q, lists, others, pairs, worker))
            return false;
    }
    return true;
}
