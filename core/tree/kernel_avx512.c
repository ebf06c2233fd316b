// The pairs of four leaves that are siblings, for AVX-512 (F, BW, DQ, VL, VBMI2). Lists are short, and
// sixteen lanes serve them no better than eight: all other kernels are those for AVX2.
//
// Most of what a leaf is tested against lies in its siblings. So the boxes of all four, and those of others
// that overlap any of them, are put in one window, and made coarse, once:
//
//   places   | others nearer to the root . | list 0 . | list 1 | list 2 . . | list 3 . | others after . |
//
// Every list begins a block, and '.' is the rest of one, which overlaps nothing. While a block is in
// registers, each leaf notes which places it is to be tested against: of the others nearer to the root, of
// the siblings after it, of the others after. These are its rows, and then its own list; its lanes are its
// own list. That is what kernel_list compares too, in the same order, so the pairs come in the same order.
//
// Four rows and sixteen lanes are tested at once. How many hits they have is beyond guessing, and a wrong
// guess costs as much as many tests: so the hits of all are kept, moved together without a branch, and then
// looked at one by one with the boxes themselves.
#ifdef __x86_64__
#    include "core/tree/kernel.h"
#    include "core/tree/kernel_window.h"

#    include <immintrin.h>
#    include <stdint.h>

enum {
    FAMILY_ROOM = QDI_FAMILY_ROOM,
    FAMILY_NONE = QDI_FAMILY_ROOM,                   ///< a place where nothing is
    FAMILY_LANES = QDI_FAMILY_LIST / QDI_PAIR_BLOCK, ///< blocks of a leaf
    FAMILY_ROWS = QDI_FAMILY_ROOM + QDI_FAMILY_LIST + QDI_PAIR_BLOCK,
    FAMILY_GROUPS = 4160, ///< of four rows and sixteen lanes: four full leaves in a full window
    FAMILY_PAIRS = 1024   ///< that wait for an exact test
};

typedef struct family_window {
    _Alignas(64) qd_box box[FAMILY_ROOM];
    qd_body_index index[FAMILY_ROOM];
    uint32_t coarse[FAMILY_ROOM + QDI_PAIR_BLOCK];                  ///< as qdi_coarse, four bytes to a box
    uint8_t lanes[FAMILY_ROOM / QDI_PAIR_BLOCK][4][QDI_PAIR_BLOCK]; ///< the same by column
    uint16_t row[4][FAMILY_ROWS];                                   ///< by leaf: places of its rows
    unsigned picked[4];                                             ///< of them, without its own
    uint64_t hits[FAMILY_GROUPS];                                   ///< bit 16 r + l: row r and lane l
    uint32_t first[FAMILY_GROUPS];                  ///< of each: number of row 0 << 4 | place of lane 0 << 16
    _Alignas(64) uint32_t pair[FAMILY_PAIRS + 128]; ///< number of the row << 4 | lane | place << 16, as above
    uint32_t lane[FAMILY_PAIRS + 128];              ///< places
    unsigned groups;
    float origin_x, origin_y, scale_x, scale_y;
} family_window;

/// Boxes by column: min x, min y, max x, max y.
typedef struct family_block {
    __m512 column[4];
} family_block;

// Tree's AVX-512 kernel: loads sixteen slots' boxes.
static inline family_block family_load(const qdi_slots *slots, size_t at) {
    return (family_block){{_mm512_loadu_ps(slots->min_x + at), _mm512_loadu_ps(slots->min_y + at),
                           _mm512_loadu_ps(slots->max_x + at), _mm512_loadu_ps(slots->max_y + at)}};
}

// Tree's AVX-512 kernel: which of a set of sixteen boxes overlap a box.
static inline __mmask16 family_overlap(const family_block *here, __mmask16 set, qd_box box) {
    set = _mm512_mask_cmp_ps_mask(set, here->column[0], _mm512_set1_ps(box.max_x), _CMP_LE_OQ);
    set = _mm512_mask_cmp_ps_mask(set, here->column[2], _mm512_set1_ps(box.min_x), _CMP_GE_OQ);
    set = _mm512_mask_cmp_ps_mask(set, here->column[1], _mm512_set1_ps(box.max_y), _CMP_LE_OQ);
    return _mm512_mask_cmp_ps_mask(set, here->column[3], _mm512_set1_ps(box.min_y), _CMP_GE_OQ);
}

// Tree's AVX-512 kernel: one of every four lanes, four times.
static inline __m512i every_fourth(void) {
    return _mm512_setr_epi32(0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15);
}

// Tree's AVX-512 kernel: stores sixteen boxes one after the other.
static inline void store_boxes(qd_box *to, const family_block *from) {
    __m512 column[4];
    for (unsigned c = 0; c < 4; ++c) column[c] = _mm512_permutexvar_ps(every_fourth(), from->column[c]);
    const __m512 low = _mm512_unpacklo_ps(column[0], column[1]);
    const __m512 low_next = _mm512_unpackhi_ps(column[0], column[1]);
    const __m512 high = _mm512_unpacklo_ps(column[2], column[3]);
    const __m512 high_next = _mm512_unpackhi_ps(column[2], column[3]);
    _mm512_store_ps(&to[0].min_x, _mm512_shuffle_ps(low, high, 0x44));
    _mm512_store_ps(&to[4].min_x, _mm512_shuffle_ps(low, high, 0xee));
    _mm512_store_ps(&to[8].min_x, _mm512_shuffle_ps(low_next, high_next, 0x44));
    _mm512_store_ps(&to[12].min_x, _mm512_shuffle_ps(low_next, high_next, 0xee));
}

// Tree's AVX-512 kernel: coarse coordinates of a column. All boxes overlap the bounds of the window: lower
// sides are not above them, and those below become 0 when they are made bytes.
static inline __m512i coarse_column(__m512 value, float origin, float scale) {
    const __m512 moved = _mm512_mul_ps(_mm512_sub_ps(value, _mm512_set1_ps(origin)), _mm512_set1_ps(scale));
    return _mm512_cvtps_epi32(_mm512_min_ps(moved, _mm512_set1_ps(254.0F)));
}

// Tree's AVX-512 kernel: stores the coarse boxes of a set of sixteen, the others as such that overlap
// nothing.
static inline void store_coarse(family_window *window, unsigned place, const family_block *here,
                                __mmask16 set) {
    const float x = window->origin_x, y = window->origin_y, by_x = window->scale_x, by_y = window->scale_y;
    const __m512i low = _mm512_packs_epi32(coarse_column(here->column[0], x, by_x),
                                           coarse_column(here->column[1], y, by_y));
    const __m512i high = _mm512_packs_epi32(coarse_column(here->column[2], x, by_x),
                                            coarse_column(here->column[3], y, by_y));
    // Each quarter has four boxes, by column.
    const __m512i four = _mm512_packus_epi16(low, high);
    const __m128i turned = _mm_setr_epi8(0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15);
    const __m512i boxes = _mm512_shuffle_epi8(four, _mm512_broadcast_i32x4(turned));
    const __m512i columns = _mm512_permutexvar_epi32(every_fourth(), four);
    _mm512_store_si512(window->coarse + place, _mm512_mask_blend_epi32(set, _mm512_set1_epi32(255), boxes));
    _mm512_store_si512(window->lanes[place / QDI_PAIR_BLOCK],
                       _mm512_mask_set1_epi8(columns, 0xffffU & ~(__mmask64)set, -1));
}

// Tree's AVX-512 kernel: numbers that begin with one.
static inline __m256i numbers_from(unsigned first) {
    return _mm256_add_epi16(_mm256_setr_epi16(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15),
                            _mm256_set1_epi16((short)first));
}

// Tree's AVX-512 kernel: puts the slots [begin, end) in a family's window, and those of them that overlap one
// of the first `leaves` leaves in its rows; returns the place after them.
static inline unsigned family_fill(family_window *window, unsigned place, const qdi_slots *slots,
                                   size_t begin, size_t end, const qd_box *leaf, unsigned leaves) {
    for (size_t at = begin; at < end; at += QDI_PAIR_BLOCK, place += QDI_PAIR_BLOCK) {
        const family_block here = family_load(slots, at);
        const __mmask16 set = (__mmask16)((1U << qdi_block_count(end - at)) - 1U);
        for (unsigned q = 0; q < leaves; ++q) {
            const __mmask16 hits = family_overlap(&here, set, leaf[q]);
            _mm256_storeu_si256((__m256i *)(window->row[q] + window->picked[q]),
                                _mm256_maskz_compress_epi16(hits, numbers_from(place)));
            window->picked[q] += (unsigned)__builtin_popcount(hits);
        }
        _mm512_store_si512(window->index + place, _mm512_loadu_si512(slots->index + at));
        store_boxes(window->box + place, &here);
        store_coarse(window, place, &here, set);
    }
    return place;
}

// Tree's AVX-512 kernel: copies those boxes of the lists after a family that overlap it to `to`; returns how
// many, more than there is room for where they are too many.
static unsigned family_find_after(const qdi_slots *to, const qdi_slots *slots,
                                  const qdi_leaf_family *family) {
    const qdi_slots from = *slots, own = *to; // copies, which no store to a slot can change
    unsigned count = 0;
    for (unsigned b = 0; b < family->blocks; ++b) {
        if (count + QDI_PAIR_BLOCK > FAMILY_ROOM) return FAMILY_ROOM + 1;
        const family_block here = family_load(&from, family->block[b]);
        const __m512i index = _mm512_loadu_si512(from.index + family->block[b]);
        const __mmask16 hits = family_overlap(&here, (__mmask16)family->lanes[b], family->bounds);
        // One permutation is less work than moving the hits together, and serves all columns.
        const __m512i lanes = _mm512_maskz_compress_epi32(
            hits, _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15));
        _mm512_storeu_ps(own.min_x + count, _mm512_permutexvar_ps(lanes, here.column[0]));
        _mm512_storeu_ps(own.min_y + count, _mm512_permutexvar_ps(lanes, here.column[1]));
        _mm512_storeu_ps(own.max_x + count, _mm512_permutexvar_ps(lanes, here.column[2]));
        _mm512_storeu_ps(own.max_y + count, _mm512_permutexvar_ps(lanes, here.column[3]));
        _mm512_storeu_si512(own.index + count, _mm512_permutexvar_epi32(lanes, index));
        count += (unsigned)__builtin_popcount(hits);
    }
    return count;
}

// Tree's AVX-512 kernel: spreads four coarse boxes, which are in every quarter: each column of box r over
// quarter r.
static inline void spread_rows(__m512i four, __m512i rows[4]) {
    const __m512i quarter = _mm512_setr_epi32(0, 0, 0, 0, 0x04040404, 0x04040404, 0x04040404, 0x04040404,
                                              0x08080808, 0x08080808, 0x08080808, 0x08080808, 0x0c0c0c0c,
                                              0x0c0c0c0c, 0x0c0c0c0c, 0x0c0c0c0c);
    for (unsigned c = 0; c < 4; ++c)
        rows[c] = _mm512_shuffle_epi8(four, _mm512_add_epi8(quarter, _mm512_set1_epi8((char)c)));
}

// Tree's AVX-512 kernel: which of sixteen lanes may overlap each of four rows, bit 16 r + l.
static inline uint64_t rows_hit_lanes(const __m512i rows[4], const __m512i lanes[4]) {
    const __m512i x = _mm512_or_si512(_mm512_subs_epu8(lanes[0], rows[2]),
                                      _mm512_subs_epu8(rows[0], lanes[2]));
    const __m512i miss = _mm512_ternarylogic_epi32(x, _mm512_subs_epu8(lanes[1], rows[3]),
                                                   _mm512_subs_epu8(rows[1], lanes[3]), 0xfe);
    return _mm512_testn_epi8_mask(miss, miss);
}

// Tree's AVX-512 kernel: the coarse boxes of four rows, in every quarter.
static inline __m512i gather_rows(const uint32_t *coarse, const uint16_t *place) {
    __m128i four = _mm_cvtsi32_si128((int)coarse[place[0]]);
    four = _mm_insert_epi32(four, (int)coarse[place[1]], 1);
    four = _mm_insert_epi32(four, (int)coarse[place[2]], 2);
    four = _mm_insert_epi32(four, (int)coarse[place[3]], 3);
    return _mm512_broadcast_i32x4(four);
}

// Tree's AVX-512 kernel: tests the rows of leaf q, of so many bodies from a place on, which fill so many
// blocks: block by block of lanes those picked, and then its own up to the block. All blocks are tested while
// rows are at hand, and their groups kept where they belong.
static inline __attribute__((always_inline)) void family_test(family_window *window, unsigned q,
                                                              unsigned place, unsigned count,
                                                              const unsigned blocks) {
    const unsigned picked = (window->picked[q] + 3) / 4;
    uint16_t *row = window->row[q];
    __m512i lanes[FAMILY_LANES][4], rows[4];
    uint64_t *hits[FAMILY_LANES];
    uint32_t *first[FAMILY_LANES], base[FAMILY_LANES];
    for (unsigned i = window->picked[q]; i < 4 * picked; ++i) row[i] = FAMILY_NONE;
    for (unsigned b = 0; b < blocks; ++b) {
        const unsigned at = place + b * QDI_PAIR_BLOCK, group = window->groups + b * picked + 2 * b * (b + 1);
        for (unsigned c = 0; c < 4; ++c)
            lanes[b][c] = _mm512_broadcast_i32x4(
                _mm_load_si128((const __m128i *)window->lanes[at / QDI_PAIR_BLOCK][c]));
        hits[b] = window->hits + group;
        first[b] = window->first + group;
        base[b] = at << 16 | q * FAMILY_ROWS << 4;
        _mm256_storeu_si256((__m256i *)(row + 4 * picked + b * QDI_PAIR_BLOCK), numbers_from(at));
    }
    for (unsigned g = 0; g < picked; ++g) {
        spread_rows(gather_rows(window->coarse, row + 4 * g), rows);
        for (unsigned b = 0; b < blocks; ++b) {
            hits[b][g] = rows_hit_lanes(rows, lanes[b]);
            first[b][g] = base[b] + (g << 6);
        }
    }
    for (unsigned r = 0; r < blocks; ++r) {
        for (unsigned i = 0, g = picked + 4 * r; i < 4; ++i, ++g) {
            const uint32_t *four = window->coarse + place + r * QDI_PAIR_BLOCK + 4 * i;
            spread_rows(_mm512_broadcast_i32x4(_mm_load_si128((const __m128i *)four)), rows);
            hits[r][g] = rows_hit_lanes(rows, lanes[r]) & qdi_later_rows[i];
            first[r][g] = base[r] + (g << 6);
            for (unsigned b = r + 1; b < blocks; ++b) {
                hits[b][g] = rows_hit_lanes(rows, lanes[b]);
                first[b][g] = base[b] + (g << 6);
            }
        }
    }
    window->groups += blocks * picked + 2 * blocks * (blocks - 1) + (count + 3) / 4;
}

// Tree's AVX-512 kernel: writes those of the first `used` pairs of a window that overlap. Which do cannot be
// guessed: so all are written, each over the last that did not.
static bool family_write_pairs(family_window *window, unsigned used, qd_pairs *pairs, int worker) {
    _Static_assert(sizeof(qd_pair) == 3 * sizeof(uint32_t), "a pair is two indices and an image");
    if (!qdi_pairs_room(pairs, worker, used + QDI_PAIR_BLOCK)) return false;
    for (unsigned i = 0; i < used; i += QDI_PAIR_BLOCK) {
        const __m512i pair = _mm512_load_si512(window->pair + i);
        const __m512i lane = _mm512_and_si512(pair, _mm512_set1_epi32(0xf));
        _mm512_store_si512(window->lane + i, _mm512_or_si512(_mm512_srli_epi32(pair, 16), lane));
        _mm512_store_si512(window->pair + i,
                           _mm512_and_si512(_mm512_srli_epi32(pair, 4), _mm512_set1_epi32(0xfff)));
    }
    qdi_pair_buffer *buffer = &pairs->buffers[worker];
    qd_pair *to = buffer->items + buffer->count;
    qd_pair *const begin = to;
    const uint16_t *rows = window->row[0];
    for (unsigned i = 0; i < used; ++i) {
        const unsigned row = rows[window->pair[i]], lane = window->lane[i];
        const __m128i one = _mm_cvtsi32_si128((int)window->index[row]);
        const __m128i other = _mm_cvtsi32_si128((int)window->index[lane]);
        const __m128i pair = _mm_unpacklo_epi32(_mm_min_epu32(one, other), _mm_max_epu32(one, other));
        _mm_storeu_si128((__m128i *)to, pair); // no image, and a word that the next pair writes over
        to += qdi_boxes_overlap(&window->box[row], &window->box[lane]);
    }
    buffer->count += (size_t)(to - begin);
    return true;
}

// Tree's AVX-512 kernel: writes the pairs of all groups that overlap.
static bool family_write_groups(family_window *window, qd_pairs *pairs, int worker) {
    static const _Alignas(64) uint8_t numbers[64] = {
        0,  1,  2,  3,  4,  5,  6,  7,  8,  9,  10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21,
        22, 23, 24, 25, 26, 27, 28, 29, 30, 31, 32, 33, 34, 35, 36, 37, 38, 39, 40, 41, 42, 43,
        44, 45, 46, 47, 48, 49, 50, 51, 52, 53, 54, 55, 56, 57, 58, 59, 60, 61, 62, 63};
    unsigned used = 0;
    for (unsigned g = 0; g < window->groups; ++g) {
        const uint64_t hits = window->hits[g];
        const __m512i first = _mm512_set1_epi32((int)window->first[g]);
        const __m512i bits = _mm512_maskz_compress_epi8(hits, _mm512_load_si512(numbers));
        const unsigned count = (unsigned)__builtin_popcountll(hits);
        uint32_t *to = window->pair + used;
        _mm256_storeu_si256((__m256i *)to,
                            _mm256_add_epi32(_mm512_castsi512_si256(first),
                                             _mm256_cvtepu8_epi32(_mm512_castsi512_si128(bits))));
        if (__builtin_expect(count > 8, 0)) {
            uint8_t all[64];
            _mm512_storeu_si512(all, bits);
            for (unsigned i = 8; i < count; ++i) to[i] = window->first[g] + all[i];
        }
        used += count;
        if (__builtin_expect(used > FAMILY_PAIRS, 0)) {
            if (!family_write_pairs(window, used, pairs, worker)) return false;
            used = 0;
        }
    }
    return family_write_pairs(window, used, pairs, worker);
}

// Tree's AVX-512 kernel: finds what may overlap of leaf q, whose list begins at a place.
static void family_join_leaf(family_window *window, unsigned q, unsigned place, unsigned count,
                             qd_pairs *pairs, int worker) {
    qdi_pairs_tested(pairs, worker, (uint64_t)count * (count - 1) / 2 + (uint64_t)count * window->picked[q]);
    switch (qdi_whole_blocks(count) / QDI_PAIR_BLOCK) {
    case 1: family_test(window, q, place, count, 1); break;
    case 2: family_test(window, q, place, count, 2); break;
    case 3: family_test(window, q, place, count, 3); break;
    case 4: family_test(window, q, place, count, 4); break;
    case 5: family_test(window, q, place, count, 5); break;
    case 6: family_test(window, q, place, count, 6); break;
    case 7: family_test(window, q, place, count, 7); break;
    default: family_test(window, q, place, count, FAMILY_LANES); break;
    }
}

_Static_assert(FAMILY_LANES == 8, "family_join_leaf knows leaves of up to eight blocks");
_Static_assert(4 * FAMILY_ROWS <= 4096, "a row's number has twelve bits");

bool qdi_family_avx512(const qdi_slots *slots, const qdi_leaf_family *family, const qdi_slots *others,
                       qd_pairs *pairs, int worker, bool *done) {
    family_window window;
    float column[4][FAMILY_ROOM];
    qd_body_index index[FAMILY_ROOM];
    const qdi_slots after = {
        .min_x = column[0], .min_y = column[1], .max_x = column[2], .max_y = column[3], .index = index};
    const unsigned after_count = family_find_after(&after, slots, family);
    unsigned own = 0, lists[5] = {0};
    for (unsigned q = 0; q < 4; ++q) own += qdi_whole_blocks(family->count[q]);
    *done = qdi_whole_blocks((unsigned)(family->end - family->begin)) + own + after_count <= FAMILY_ROOM;
    if (!*done) return true;
    qdi_window_axis(family->bounds.min_x, family->bounds.max_x, &window.origin_x, &window.scale_x);
    qdi_window_axis(family->bounds.min_y, family->bounds.max_y, &window.origin_y, &window.scale_y);
    window.groups = 0;
    window.coarse[FAMILY_NONE] = 255;
    for (unsigned q = 0; q < 4; ++q) window.picked[q] = 0;
    lists[0] = family_fill(&window, 0, others, family->begin, family->end, family->box, 4);
    for (unsigned q = 0; q < 4; ++q)
        lists[q + 1] = family_fill(&window, lists[q], slots, family->first[q],
                                   (size_t)family->first[q] + family->count[q], family->box, q);
    (void)family_fill(&window, lists[4], &after, 0, after_count, family->box, 4);
    for (unsigned q = 0; q < 4; ++q)
        if (family->count[q] > 0) family_join_leaf(&window, q, lists[q], family->count[q], pairs, worker);
    return family_write_groups(&window, pairs, worker);
}
#endif
