// Sixteen lanes; compiled for AVX-512 (F, BW, DQ, VL) and called only where the processor has it.
#ifdef __x86_64__
#    include <quadrille/box.h>

#    include "core/tree/kernel_window.h"

#    include <immintrin.h>
#    include <stdint.h>

#    define WIDTH 16U

typedef __m512 vec;
typedef __mmask16 chosen;

// Tree's AVX-512 kernel: loads a vector of consecutive box coordinates.
static inline vec v_load(const float *from) {
    return _mm512_loadu_ps(from);
}
// Tree's AVX-512 kernel: a vector with one coordinate in every lane.
static inline vec v_set(float value) {
    return _mm512_set1_ps(value);
}
// Tree's AVX-512 kernel: adds two vectors of box coordinates.
static inline vec v_add(vec a, vec b) {
    return _mm512_add_ps(a, b);
}
// Tree's AVX-512 kernel: subtracts vectors of box coordinates.
static inline vec v_sub(vec a, vec b) {
    return _mm512_sub_ps(a, b);
}
// Tree's AVX-512 kernel: multiplies two vectors of box coordinates.
static inline vec v_mul(vec a, vec b) {
    return _mm512_mul_ps(a, b);
}
// Tree's AVX-512 kernel: the lower coordinates of two vectors of boxes.
static inline vec v_min(vec a, vec b) {
    return _mm512_min_ps(a, b);
}
// Tree's AVX-512 kernel: the higher coordinates of two vectors of boxes.
static inline vec v_max(vec a, vec b) {
    return _mm512_max_ps(a, b);
}
// Tree's AVX-512 kernel: a mask of the boxes of a vector whose coordinate is at most the other's.
static inline chosen m_le(vec a, vec b) {
    return _mm512_cmp_ps_mask(a, b, _CMP_LE_OQ);
}
// Tree's AVX-512 kernel: a mask of the boxes of a vector whose coordinate is below the other's.
static inline chosen m_lt(vec a, vec b) {
    return _mm512_cmp_ps_mask(a, b, _CMP_LT_OQ);
}
// Tree's AVX-512 kernel: the boxes that two masks have.
static inline chosen m_and(chosen a, chosen b) {
    return _kand_mask16(a, b);
}
// Tree's AVX-512 kernel: the boxes of a mask that another one does not have.
static inline chosen m_and_not(chosen a, chosen b) {
    return _kandn_mask16(b, a);
}
// Tree's AVX-512 kernel: a bit for each box of a mask.
static inline unsigned m_bits(chosen boxes) {
    return boxes;
}
// Tree's AVX-512 kernel: of each lane the coordinate of `a` where it is chosen, else of `b`.
static inline vec v_pick(chosen set, vec a, vec b) {
    return _mm512_mask_blend_ps(set, b, a);
}
// Tree's AVX-512 kernel: writes the boxes' coordinates of one vector, those of the mask only.
static inline void v_store(float *to, unsigned mask, vec value) {
    _mm512_mask_storeu_ps(to, (__mmask16)mask, value);
}

// Tree's AVX-512 kernel: stores the first `count` lanes of a vector.
static inline void v_store_first(float *to, size_t count, vec value) {
    const __mmask16 lanes = (__mmask16)(count >= WIDTH ? 0xffffU : (1U << count) - 1U);
    _mm512_mask_storeu_ps(to, lanes, value);
}

// Tree's AVX-512 kernel: loads the first `count` lanes, fewer than all.
static inline vec v_load_first(const float *from, size_t count) {
    return _mm512_maskz_loadu_ps((__mmask16)((1U << count) - 1U), from);
}

// Loads the rows of a vector of slots; NULL where a slot has no row.
static inline const uint32_t *v_rows(const uint32_t *row, size_t left, uint32_t rows[WIDTH]) {
    const __mmask16 lanes = (__mmask16)(left >= WIDTH ? 0xffffU : (1U << left) - 1U);
    const __m512i all = _mm512_mask_loadu_epi32(_mm512_set1_epi32((int)row[0]), lanes, row);
    _mm512_storeu_si512(rows, all);
    return _mm512_cmpeq_epi32_mask(all, _mm512_set1_epi32(-1)) == 0 ? rows : NULL;
}

// Tree's AVX-512 kernel: loads the boxes of several rows, one column to a vector.
// Bodies i, i + 4, i + 8 and i + 12 share a vector, one in each quarter; transposing the quarters puts body j
// in lane j.
static inline void v_boxes(const qd_box *boxes, const uint32_t rows[WIDTH], vec out[4]) {
    __m512 body[4];
    for (unsigned i = 0; i < 4; ++i) {
        body[i] = _mm512_castps128_ps512(_mm_loadu_ps(&boxes[rows[i]].min_x));
        body[i] = _mm512_insertf32x4(body[i], _mm_loadu_ps(&boxes[rows[i + 4]].min_x), 1);
        body[i] = _mm512_insertf32x4(body[i], _mm_loadu_ps(&boxes[rows[i + 8]].min_x), 2);
        body[i] = _mm512_insertf32x4(body[i], _mm_loadu_ps(&boxes[rows[i + 12]].min_x), 3);
    }
    __m512 a = _mm512_unpacklo_ps(body[0], body[1]), b = _mm512_unpackhi_ps(body[0], body[1]);
    __m512 c = _mm512_unpacklo_ps(body[2], body[3]), d = _mm512_unpackhi_ps(body[2], body[3]);
    out[0] = _mm512_shuffle_ps(a, c, 0x44);
    out[1] = _mm512_shuffle_ps(a, c, 0xee);
    out[2] = _mm512_shuffle_ps(b, d, 0x44);
    out[3] = _mm512_shuffle_ps(b, d, 0xee);
}

// Tree's AVX-512 kernel: the lowest coordinate of a vector of boxes.
static inline float v_lowest(vec a) {
    return _mm512_reduce_min_ps(a);
}
// Tree's AVX-512 kernel: the highest coordinate of a vector of boxes.
static inline float v_highest(vec a) {
    return _mm512_reduce_max_ps(a);
}

#    include "core/tree/kernel_update.h"

// Tree's AVX-512 kernel: the lanes of a set, lowest first. One permutation is less work than moving chosen
// lanes together, and serves all columns.
static inline __m512i lanes_together(__mmask16 set) {
    return _mm512_maskz_compress_epi32(
        set, _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15));
}

// Tree's AVX-512 kernel: removes numbers from a column, by bit.
static inline void drop_column(uint32_t *column, size_t at, __m512i lanes, size_t to, __mmask16 kept) {
    const __m512i together = _mm512_permutexvar_epi32(lanes, _mm512_loadu_si512(column + at));
    _mm512_mask_storeu_epi32(column + to, kept, together);
}

// Removes slots of a list, by bit, and moves the others together.
static void kernel_drop(const qdi_slots *slots, size_t begin, size_t end, uint64_t which) {
    size_t at = begin + (unsigned)__builtin_ctzll(which) / WIDTH * WIDTH, to = at;
    for (; at < end; at += WIDTH) {
        const __mmask16 stay = (__mmask16)(~(which >> (at - begin)) & width_below(end - at));
        const unsigned count = (unsigned)__builtin_popcount(stay);
        const __m512i lanes = lanes_together(stay);
        const __mmask16 kept = (__mmask16)((1U << count) - 1U);
        drop_column((uint32_t *)slots->min_x, at, lanes, to, kept);
        drop_column((uint32_t *)slots->min_y, at, lanes, to, kept);
        drop_column((uint32_t *)slots->max_x, at, lanes, to, kept);
        drop_column((uint32_t *)slots->max_y, at, lanes, to, kept);
        drop_column(slots->row, at, lanes, to, kept);
        drop_column(slots->index, at, lanes, to, kept);
        to += count;
    }
}

// Puts a body in a list.
static void kernel_insert(const qdi_slots *slots, size_t begin, size_t end, const qdi_insertion *insertion) {
    qdi_insert_by_shift(slots, begin, end, insertion, kernel_shift);
}

typedef struct block {
    __m512 min_x, min_y, max_x, max_y;
    __m512i index;
} block;

// Loads a block of slots' boxes.
static inline block block_load(const qdi_slots *slots, size_t at) {
    return (block){_mm512_loadu_ps(slots->min_x + at), _mm512_loadu_ps(slots->min_y + at),
                   _mm512_loadu_ps(slots->max_x + at), _mm512_loadu_ps(slots->max_y + at),
                   _mm512_loadu_si512(slots->index + at)};
}

// Which boxes of a block of slots overlap a box, as bits.
static inline unsigned block_overlap(const block *these, qd_box box) {
    __mmask16 hits = _mm512_cmp_ps_mask(these->min_x, _mm512_set1_ps(box.max_x), _CMP_LE_OQ);
    hits = _mm512_mask_cmp_ps_mask(hits, these->max_x, _mm512_set1_ps(box.min_x), _CMP_GE_OQ);
    hits = _mm512_mask_cmp_ps_mask(hits, these->min_y, _mm512_set1_ps(box.max_y), _CMP_LE_OQ);
    return _mm512_mask_cmp_ps_mask(hits, these->max_y, _mm512_set1_ps(box.min_y), _CMP_GE_OQ);
}

// Tree's AVX-512 kernel: makes coarse coordinates of a column of boxes.
static inline __m512i coarse_column(__m512 value, float origin, float scale) {
    const __m512 moved = _mm512_mul_ps(_mm512_sub_ps(value, _mm512_set1_ps(origin)), _mm512_set1_ps(scale));
    const __m512 within = _mm512_max_ps(_mm512_min_ps(moved, _mm512_set1_ps(254.0F)), _mm512_setzero_ps());
    return _mm512_cvtps_epi32(within);
}

// Of sixteen bytes in each quarter: byte r in all of quarter r, then the same of the next four.
#    define BYTE(i)  i, i, i, i, i, i, i, i, i, i, i, i, i, i, i, i
#    define BYTES(i) BYTE(i), BYTE((i) + 1), BYTE((i) + 2), BYTE((i) + 3)
static const _Alignas(64) uint8_t splats[256] = {BYTES(0), BYTES(4), BYTES(8), BYTES(12)};

#    define EIGHT(i) i, (i) + 1, (i) + 2, (i) + 3, (i) + 4, (i) + 5, (i) + 6, (i) + 7
static const _Alignas(64) uint8_t numbers[64] = {EIGHT(0),  EIGHT(8),  EIGHT(16), EIGHT(24),
                                                 EIGHT(32), EIGHT(40), EIGHT(48), EIGHT(56)};

// Puts a block of slots into a window, coarse boxes too.
static inline void window_put(qdi_window *window, unsigned to, const qdi_slots *slots, size_t at,
                              unsigned count) {
    const block here = block_load(slots, at);
    const size_t place = (size_t)to * QDI_PAIR_BLOCK;
    _mm512_store_ps(window->min_x + place, here.min_x);
    _mm512_store_ps(window->min_y + place, here.min_y);
    _mm512_store_ps(window->max_x + place, here.max_x);
    _mm512_store_ps(window->max_y + place, here.max_y);
    _mm512_store_si512(window->index + place, here.index);
    const float x = window->origin_x, y = window->origin_y, by_x = window->scale_x, by_y = window->scale_y;
    const __m512i low = _mm512_packs_epi32(coarse_column(here.min_x, x, by_x),
                                           coarse_column(here.min_y, y, by_y));
    const __m512i high = _mm512_packs_epi32(coarse_column(here.max_x, x, by_x),
                                            coarse_column(here.max_y, y, by_y));
    // Each quarter has four bodies' bytes: four of min x, of min y, of max x, of max y.
    const __m512i order = _mm512_setr_epi32(0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15);
    const __m512i coarse = _mm512_permutexvar_epi32(order, _mm512_packus_epi16(low, high));
    const __mmask64 none = 0xffffU & ~((1U << count) - 1U);
    const __m512i columns = _mm512_mask_set1_epi8(coarse, none, -1);
    const __m512i four[4] = {
        _mm512_shuffle_i32x4(columns, columns, 0x00), _mm512_shuffle_i32x4(columns, columns, 0x55),
        _mm512_shuffle_i32x4(columns, columns, 0xaa), _mm512_shuffle_i32x4(columns, columns, 0xff)};
    const __m512i *splat = (const __m512i *)splats;
    for (unsigned column = 0; column < 4; ++column) {
        _mm512_store_si512(window->lanes[to][column], four[column]);
        for (unsigned g = 0; g < 4; ++g)
            _mm512_store_si512(window->rows[to][g][column],
                               _mm512_shuffle_epi8(four[column], _mm512_load_si512(splat + g)));
    }
}

// Tree's AVX-512 kernel: notes those pairs of four rows and a block of lanes that may overlap, all at once:
// the bits that are set, moved together, and what they begin at. More than sixteen are rare. Returns how many
// there are now.
static inline unsigned note_pairs(qdi_window *window, unsigned used, __mmask64 hits, __m512i base) {
    const __m512i bits = _mm512_maskz_compress_epi8(hits, _mm512_load_si512(&numbers));
    uint8_t *more = window->more + used;
    uint16_t *pair = window->pair + used;
    const unsigned count = (unsigned)__builtin_popcountll(hits);
    if (__builtin_expect(count > 16, 0)) {
        _mm512_storeu_si512(more, bits);
        _mm512_storeu_si512(pair, base);
        _mm512_storeu_si512(pair + 32, base);
    } else {
        _mm_storeu_si128((__m128i *)more, _mm512_castsi512_si128(bits));
        _mm256_storeu_si256((__m256i *)pair, _mm512_castsi512_si256(base));
    }
    return used + count;
}

// Tree's AVX-512 kernel: tests two blocks of a window for pairs, by coarse boxes.
static inline void window_test(qdi_window *window, unsigned rows, unsigned lanes, const uint64_t among[4]) {
    const __m512i *lane = (const __m512i *)window->lanes[lanes];
    const __m512i min_x = _mm512_load_si512(lane), min_y = _mm512_load_si512(lane + 1);
    const __m512i max_x = _mm512_load_si512(lane + 2), max_y = _mm512_load_si512(lane + 3);
    __m512i base = _mm512_set1_epi16((short)(lanes * 4096 + rows * QDI_PAIR_BLOCK * QDI_PAIR_BLOCK));
    unsigned used = window->used;
    const unsigned fours = window->fours[rows] <= 2 ? 2 : 4; // others' rows are mostly few
    for (unsigned g = 0; g < fours; ++g) {
        const __m512i *row = (const __m512i *)window->rows[rows][g];
        const __m512i x = _mm512_or_si512(_mm512_subs_epu8(min_x, _mm512_load_si512(row + 2)),
                                          _mm512_subs_epu8(_mm512_load_si512(row), max_x));
        const __m512i miss = _mm512_ternarylogic_epi32(x, _mm512_subs_epu8(min_y, _mm512_load_si512(row + 3)),
                                                       _mm512_subs_epu8(_mm512_load_si512(row + 1), max_y),
                                                       0xfe);
        used = note_pairs(window, used, _mm512_mask_testn_epi8_mask(among[g], miss, miss), base);
        base = _mm512_add_epi16(base, _mm512_set1_epi16(64));
    }
    window->used = used;
}

// Tree's AVX-512 kernel: reads numbers of a column by lane.
// Number i of a column of the window for each lane, 32 of them at a time.
static inline __m512i gather_column(const void *column, __m512i at, unsigned blocks) {
    const __m512i *from = column;
    __m512i found = _mm512_permutex2var_epi32(_mm512_load_si512(from), at, _mm512_load_si512(from + 1));
    const __m512i span = _mm512_srli_epi32(at, 5);
    for (unsigned b = 2; b < blocks; b += 2) {
        const __mmask16 here = _mm512_cmpeq_epi32_mask(span, _mm512_set1_epi32((int)b / 2));
        const __m512i other = _mm512_permutex2var_epi32(_mm512_load_si512(from + b), at,
                                                        _mm512_load_si512(from + b + 1));
        found = _mm512_mask_mov_epi32(found, here, other);
    }
    return found;
}

// Gathers coordinates of boxes from one column of the slots.
static inline __m512 gather_float_column(const float *column, __m512i at, unsigned blocks) {
    return _mm512_castsi512_ps(gather_column(column, at, blocks));
}

// Tree's AVX-512 kernel: pair i is the words 3 i to 3 i + 2: lower index, higher index, no image. Sixteen of
// each make three vectors.
static inline void write_pairs(qd_pair *to, __m512i low, __m512i high) {
    _Static_assert(sizeof(qd_pair) == 3 * sizeof(uint32_t), "a pair is three words");
    const __m512i first = _mm512_setr_epi32(0, 16, 0, 1, 17, 0, 2, 18, 0, 3, 19, 0, 4, 20, 0, 5);
    const __m512i second = _mm512_setr_epi32(21, 0, 6, 22, 0, 7, 23, 0, 8, 24, 0, 9, 25, 0, 10, 26);
    const __m512i third = _mm512_setr_epi32(0, 11, 27, 0, 12, 28, 0, 13, 29, 0, 14, 30, 0, 15, 31, 0);
    uint32_t *words = &to->a;
    _mm512_storeu_si512(words, _mm512_maskz_permutex2var_epi32(0xb6db, low, first, high));
    _mm512_storeu_si512(words + 16, _mm512_maskz_permutex2var_epi32(0xdb6d, low, second, high));
    _mm512_storeu_si512(words + 32, _mm512_maskz_permutex2var_epi32(0x6db6, low, third, high));
}

// Tree's AVX-512 kernel: writes the pairs of a window whose boxes overlap.
static inline size_t window_pairs(const qdi_window *window, qd_pair *to) {
    qd_pair *const begin = to;
    const unsigned blocks = window->blocks;
    for (unsigned i = 0; i < window->used; i += QDI_PAIR_BLOCK) {
        const __m512i pair = _mm512_add_epi32(
            _mm512_cvtepu16_epi32(_mm256_loadu_si256((const __m256i *)(window->pair + i))),
            _mm512_cvtepu8_epi32(_mm_loadu_si128((const __m128i *)(window->more + i))));
        const __m512i row = _mm512_and_si512(_mm512_srli_epi32(pair, 4), _mm512_set1_epi32(QDI_WINDOW - 1));
        const __m512i lane = _mm512_or_si512(_mm512_slli_epi32(_mm512_srli_epi32(pair, 12), 4),
                                             _mm512_and_si512(pair, _mm512_set1_epi32(0xf)));
        const unsigned left = window->used - i;
        __mmask16 hits = (__mmask16)(left < QDI_PAIR_BLOCK ? (1U << left) - 1U : QDI_PAIR_BLOCK_ALL);
        hits = _mm512_mask_cmp_ps_mask(hits, gather_float_column(window->min_x, row, blocks),
                                       gather_float_column(window->max_x, lane, blocks), _CMP_LE_OQ);
        hits = _mm512_mask_cmp_ps_mask(hits, gather_float_column(window->min_x, lane, blocks),
                                       gather_float_column(window->max_x, row, blocks), _CMP_LE_OQ);
        hits = _mm512_mask_cmp_ps_mask(hits, gather_float_column(window->min_y, row, blocks),
                                       gather_float_column(window->max_y, lane, blocks), _CMP_LE_OQ);
        hits = _mm512_mask_cmp_ps_mask(hits, gather_float_column(window->min_y, lane, blocks),
                                       gather_float_column(window->max_y, row, blocks), _CMP_LE_OQ);
        const __m512i one = gather_column(window->index, row, blocks),
                      other = gather_column(window->index, lane, blocks);
        write_pairs(to, _mm512_maskz_compress_epi32(hits, _mm512_min_epu32(one, other)),
                    _mm512_maskz_compress_epi32(hits, _mm512_max_epu32(one, other)));
        to += __builtin_popcount(hits);
    }
    return (size_t)(to - begin);
}

// Copies the slots of a block that `hits` names.
static inline size_t pick_block(const block *here, unsigned hits, const qdi_slots *to, size_t at) {
    const __m512i lanes = lanes_together((__mmask16)hits);
    _mm512_storeu_ps(to->min_x + at, _mm512_permutexvar_ps(lanes, here->min_x));
    _mm512_storeu_ps(to->min_y + at, _mm512_permutexvar_ps(lanes, here->min_y));
    _mm512_storeu_ps(to->max_x + at, _mm512_permutexvar_ps(lanes, here->max_x));
    _mm512_storeu_ps(to->max_y + at, _mm512_permutexvar_ps(lanes, here->max_y));
    _mm512_storeu_si512(to->index + at, _mm512_permutexvar_epi32(lanes, here->index));
    return at + (unsigned)__builtin_popcount(hits);
}

#    include "core/tree/kernel_pairs.h"

const qdi_kernels qdi_kernels_avx512 = {kernel_box_list, kernel_list,   kernel_pick,
                                        kernel_hits,     kernel_shift,  kernel_drop,
                                        kernel_insert,   kernel_update, NULL};
#endif
