// The pairs of four leaves that are siblings. Not a header of its own: the end of kernel_avx2.c.
//
// Most of what a leaf is tested against lies in its siblings. So the boxes of all four, and those of others
// that overlap any of them, are put in one window, and made coarse, once:
//
//   places   | list 0 . | list 1 | list 2 . . | list 3 . | others after . | others nearer to the root . |
//
// Every list begins a block, and '.' is the rest of one, which overlaps nothing. A leaf's rows are picked
// from there: of the others nearer to the root, of the siblings after it, of the others after, then its own;
// and its lanes are its own list. That is what kernel_list compares too, in the same order, so the pairs come
// in the same order.
//
// How many of sixteen boxes a test hits is beyond guessing, and a wrong guess costs as much as many tests. So
// groups that hit anything are kept in a list, and one loop goes over the hits of all of them.

/// Boxes in the window; the leaves' rows, their own and those picked.
enum {
    FAMILY_ROOM = QDI_FAMILY_ROOM,
    FAMILY_ROWS = 4 * (FAMILY_ROOM + QDI_FAMILY_LIST + QDI_PAIR_BLOCK),
    FAMILY_PIECE = 128, ///< rows that are tested at a time
    FAMILY_GROUPS = 256 ///< of four rows and sixteen lanes whose pairs wait for an exact test
};

typedef struct family_window {
    _Alignas(32) float min_x[FAMILY_ROOM]; ///< +inf where nothing is
    float min_y[FAMILY_ROOM], max_x[FAMILY_ROOM], max_y[FAMILY_ROOM];
    qd_box box[FAMILY_ROOM]; ///< the same once more
    qd_body_index index[FAMILY_ROOM];
    uint8_t coarse[4][FAMILY_ROOM]; ///< as qdi_coarse has them
    uint8_t row[4][FAMILY_ROWS];    ///< leaf by leaf: those picked, then its own
    uint16_t place[FAMILY_ROWS];    ///< of rows in the window
    uint64_t hits[FAMILY_GROUPS];   ///< of four rows and sixteen lanes, bit 16 (r % 4) + l
    uint32_t first[FAMILY_GROUPS];  ///< 65536 p + 16 r: the first of these lanes is at place p, of the rows r
    unsigned rows, groups, used;    ///< rows; groups that hit, and pairs
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
    const __m256i lane = _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7);
    __m256i half[2];
    for (unsigned p = 0; p < 2; ++p) {
        const size_t from = at + p * WIDTH, to = place + p * WIDTH;
        const __m256 beyond = _mm256_castsi256_ps(
            _mm256_cmpgt_epi32(lane, _mm256_set1_epi32((int)count - (int)(p * WIDTH) - 1)));
        const __m256 min_x = v_pick(beyond, v_set(__builtin_inff()), v_load(slots->min_x + from));
        const __m256 min_y = v_load(slots->min_y + from);
        const __m256 max_x = v_load(slots->max_x + from), max_y = v_load(slots->max_y + from);
        _mm256_storeu_si256((__m256i *)(window->index + to),
                            _mm256_loadu_si256((const __m256i *)(slots->index + from)));
        store_boxes(window->box + to, min_x, min_y, max_x, max_y);
        _mm256_store_ps(window->min_x + to, min_x);
        _mm256_store_ps(window->min_y + to, min_y);
        _mm256_store_ps(window->max_x + to, max_x);
        _mm256_store_ps(window->max_y + to, max_y);
        half[p] = coarse_half(family_lower(min_x, x, by_x), family_lower(min_y, y, by_y),
                              family_upper(max_x, x, by_x), family_upper(max_y, y, by_y));
    }
    const __m256i low = _mm256_unpacklo_epi64(half[0], half[1]),
                  high = _mm256_unpackhi_epi64(half[0], half[1]);
    const __m128i lanes = _mm_setr_epi8(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
    const __m128i none = _mm_cmpgt_epi8(lanes, _mm_set1_epi8((char)((int)count - 1)));
    _mm_storeu_si128((__m128i *)(window->coarse[0] + place), _mm_or_si128(_mm256_castsi256_si128(low), none));
    _mm_storeu_si128((__m128i *)(window->coarse[1] + place), _mm256_castsi256_si128(high));
    _mm_storeu_si128((__m128i *)(window->coarse[2] + place), _mm256_extracti128_si256(low, 1));
    _mm_storeu_si128((__m128i *)(window->coarse[3] + place), _mm256_extracti128_si256(high, 1));
}

// Tree's AVX2 kernel: puts the slots [begin, end) in a family's window; returns the place after them.
static inline unsigned family_fill(family_window *window, unsigned place, const qdi_slots *slots,
                                   size_t begin, size_t end) {
    for (size_t at = begin; at < end; at += QDI_PAIR_BLOCK, place += QDI_PAIR_BLOCK)
        family_put(window, place, slots, at, qdi_block_count(end - at));
    return place;
}

/// Sixteen places of a window, or slots, after the other, and a bit for each that was picked.
typedef struct family_picks {
    uint32_t hits[QDI_FAMILY_BLOCKS + QDI_FAMILY_LIST / QDI_PAIR_BLOCK + 1];
    uint32_t place[QDI_FAMILY_BLOCKS + QDI_FAMILY_LIST / QDI_PAIR_BLOCK + 1];
    unsigned groups, used;
} family_picks;

// Tree's AVX2 kernel: picks those of the places [begin, end) of a window that overlap a box.
static inline void family_pick(family_window *window, family_picks *picks, unsigned begin, unsigned end,
                               qd_box box) {
    const qdi_slots here = {
        .min_x = window->min_x, .min_y = window->min_y, .max_x = window->max_x, .max_y = window->max_y};
    unsigned groups = picks->groups, used = picks->used;
    for (unsigned place = begin; place < end; place += QDI_PAIR_BLOCK) {
        const unsigned hits = slots_overlap(&here, place, box);
        picks->hits[groups] = hits;
        picks->place[groups] = place;
        groups += hits != 0;
        used += (unsigned)__builtin_popcount(hits);
    }
    picks->groups = groups;
    picks->used = used;
}

// Tree's AVX2 kernel: the hits of group `*group` without the lowest, or those of the next group where it was
// the last: without a branch.
static inline uint64_t family_next_hits(uint64_t hits, uint64_t next, unsigned *group) {
    hits &= hits - 1;
    *group += hits == 0;
    return hits | (next & (UINT64_C(0) - (uint64_t)(hits == 0)));
}

// Tree's AVX2 kernel: puts those boxes of the lists after a family that overlap it in the window, from
// `place` on, as columns and index alone. Returns how many; nothing is put where they are more than `most`.
static inline unsigned family_put_after(family_window *window, unsigned place, const qdi_slots *slots,
                                        const qdi_leaf_family *family, unsigned most) {
    const qdi_slots from = *slots; // a copy, which no store to the window can change
    family_picks picks;
    picks.groups = picks.used = 0;
    for (unsigned b = 0; b < family->blocks; ++b) {
        const unsigned hits = slots_overlap(&from, family->block[b], family->bounds) & family->lanes[b];
        picks.hits[picks.groups] = hits;
        picks.place[picks.groups] = family->block[b];
        picks.groups += hits != 0;
        picks.used += (unsigned)__builtin_popcount(hits);
    }
    if (picks.used > most) return picks.used;
    picks.hits[picks.groups] = 0;
    uint64_t hits = picks.hits[0];
    const unsigned end = place + picks.used;
    for (unsigned g = 0; place < end; ++place) {
        const size_t at = picks.place[g] + (uint32_t)_tzcnt_u64(hits);
        hits = family_next_hits(hits, picks.hits[g + 1], &g);
        window->min_x[place] = from.min_x[at];
        window->min_y[place] = from.min_y[at];
        window->max_x[place] = from.max_x[at];
        window->max_y[place] = from.max_y[at];
        window->index[place] = from.index[at];
    }
    return picks.used;
}

// Tree's AVX2 kernel: makes rows of what was picked, from `rows` on; returns the row after the last.
static inline unsigned family_pick_rows(family_window *window, family_picks *picks, unsigned rows) {
    const unsigned end = rows + picks->used;
    picks->hits[picks->groups] = 0;
    uint64_t hits = picks->hits[0];
    for (unsigned g = 0; rows < end; ++rows) {
        const uint32_t place = picks->place[g] + (uint32_t)_tzcnt_u64(hits);
        hits = family_next_hits(hits, picks->hits[g + 1], &g);
        for (unsigned c = 0; c < 4; ++c) window->row[c][rows] = window->coarse[c][place];
        window->place[rows] = (uint16_t)place;
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

// Tree's AVX2 kernel: writes those pairs of a family's window that overlap. Neither which do nor how many
// hits a group has can be guessed: so all are written, each over the last that did not, and the next group
// begins where a mask says that one is at an end.
static bool family_write_pairs(family_window *window, qd_pairs *pairs, int worker) {
    if (!qdi_pairs_room(pairs, worker, window->used + QDI_PAIR_BLOCK)) return false;
    qdi_pair_buffer *buffer = &pairs->buffers[worker];
    qd_pair *to = buffer->items + buffer->count;
    qd_pair *const begin = to;
    const unsigned used = window->used;
    window->hits[window->groups] = 0;
    uint64_t hits = window->hits[0];
    for (unsigned i = 0, g = 0; i < used; ++i) {
        const uint32_t pair = window->first[g] + (uint32_t)_tzcnt_u64(hits);
        hits = family_next_hits(hits, window->hits[g + 1], &g);
        const uint32_t row = window->place[pair / QDI_PAIR_BLOCK % 4096];
        const uint32_t lane = (pair >> 16) + pair % QDI_PAIR_BLOCK;
        qdi_put_pair(to, window->index[row], window->index[lane]);
        to += qdi_boxes_overlap(&window->box[row], &window->box[lane]);
    }
    buffer->count += (size_t)(to - begin);
    window->groups = window->used = 0;
    return true;
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
    unsigned groups = window->groups, used = window->used;
    for (unsigned row = begin; row < end; row += 4) {
        uint64_t hits = family_hits(window, &lanes, row, first) |
                        (uint64_t)family_hits(window, &lanes, row, second) << 32;
        if (row >= self) hits &= qdi_later_rows[(row - self) / 4];
        window->hits[groups] = hits;
        window->first[groups] = (place << 16) + row * QDI_PAIR_BLOCK;
        groups += hits != 0;
        used += (unsigned)__builtin_popcountll(hits);
    }
    window->groups = groups;
    window->used = used;
}

// Finds the pairs of leaf q of a family, whose boxes are in the window; the places of the lists are `lists`.
static bool family_join_leaf(family_window *window, const qdi_leaf_family *family, unsigned q,
                             const unsigned lists[7], qd_pairs *pairs, int worker) {
    const unsigned count = family->count[q], begin = window->rows;
    family_picks picks;
    picks.groups = picks.used = 0;
    family_pick(window, &picks, lists[5], lists[6], family->box[q]);
    family_pick(window, &picks, lists[q + 1], lists[5], family->box[q]);
    unsigned rows = family_pick_rows(window, &picks, begin);
    qdi_pairs_tested(pairs, worker, (uint64_t)count * (count - 1) / 2 + (uint64_t)count * (rows - begin));
    memset(window->row[0] + rows, 0xff, 4);
    rows = (rows + 3) / 4 * 4;
    family_own_rows(window, rows, lists[q], lists[q + 1]);
    window->rows = rows + lists[q + 1] - lists[q];
    for (unsigned at = 0; at < count; at += QDI_PAIR_BLOCK) {
        const unsigned stop = rows + (count < at + QDI_PAIR_BLOCK ? count : at + QDI_PAIR_BLOCK);
        for (unsigned from = begin; from < stop; from += FAMILY_PIECE) {
            if (window->groups > FAMILY_GROUPS - FAMILY_PIECE / 4 - 2 &&
                !family_write_pairs(window, pairs, worker))
                return false;
            family_test(window, from, stop < from + FAMILY_PIECE ? stop : from + FAMILY_PIECE, rows + at,
                        lists[q] + at);
        }
    }
    return true;
}

// Tree's AVX2 kernel: what is in a window, as slots.
static inline qdi_slots family_columns(family_window *window) {
    return (qdi_slots){.min_x = window->min_x,
                       .min_y = window->min_y,
                       .max_x = window->max_x,
                       .max_y = window->max_y,
                       .index = window->index};
}

// Finds the pairs of four leaves that are siblings.
static bool kernel_family(const qdi_slots *slots, const qdi_leaf_family *family, const qdi_slots *others,
                          qd_pairs *pairs, int worker, bool *done) {
    family_window window;
    qdi_window_axis(family->bounds.min_x, family->bounds.max_x, &window.origin_x, &window.scale_x);
    qdi_window_axis(family->bounds.min_y, family->bounds.max_y, &window.origin_y, &window.scale_y);
    window.groups = window.used = window.rows = 0;
    unsigned lists[7] = {0};
    for (unsigned q = 0; q < 4; ++q) lists[q + 1] = lists[q] + qdi_whole_blocks(family->count[q]);
    const unsigned before = (unsigned)(family->end - family->begin) + 2 * QDI_PAIR_BLOCK;
    const unsigned most = FAMILY_ROOM - lists[4] - before;
    const unsigned after = family_put_after(&window, lists[4], slots, family, most);
    *done = after <= most;
    if (!*done) return true;
    for (unsigned q = 0; q < 4; ++q)
        (void)family_fill(&window, lists[q], slots, family->first[q],
                          (size_t)family->first[q] + family->count[q]);
    const qdi_slots columns = family_columns(&window);
    lists[5] = family_fill(&window, lists[4], &columns, lists[4], lists[4] + after);
    lists[6] = family_fill(&window, lists[5], others, family->begin, family->end);
    for (unsigned q = 0; q < 4; ++q) {
        if (family->count[q] > 0 && !family_join_leaf(&window, family, q, lists, pairs, worker)) return false;
    }
    return family_write_pairs(&window, pairs, worker);
}
