// Eight lanes; compiled for AVX2 and called only where the processor has it.
#ifdef __x86_64__
#    include <quadrille/box.h>

#    include "core/tree/kernel_window.h"

#    include <immintrin.h>
#    include <stdint.h>
#    include <string.h>

#    define WIDTH 8U

typedef __m256 vec;
typedef __m256 chosen;

// Tree's AVX2 kernel: loads a vector of consecutive box coordinates.
static inline vec v_load(const float *from) {
    return _mm256_loadu_ps(from);
}
// Tree's AVX2 kernel: a vector with one coordinate in every lane.
static inline vec v_set(float value) {
    return _mm256_set1_ps(value);
}
// Tree's AVX2 kernel: adds two vectors of box coordinates.
static inline vec v_add(vec a, vec b) {
    return _mm256_add_ps(a, b);
}
// Tree's AVX2 kernel: subtracts vectors of box coordinates.
static inline vec v_sub(vec a, vec b) {
    return _mm256_sub_ps(a, b);
}
// Tree's AVX2 kernel: multiplies two vectors of box coordinates.
static inline vec v_mul(vec a, vec b) {
    return _mm256_mul_ps(a, b);
}
// Tree's AVX2 kernel: the lower coordinates of two vectors of boxes.
static inline vec v_min(vec a, vec b) {
    return _mm256_min_ps(a, b);
}
// Tree's AVX2 kernel: the higher coordinates of two vectors of boxes.
static inline vec v_max(vec a, vec b) {
    return _mm256_max_ps(a, b);
}
// Tree's AVX2 kernel: a mask of the boxes of a vector whose coordinate is at most the other's.
static inline chosen m_le(vec a, vec b) {
    return _mm256_cmp_ps(a, b, _CMP_LE_OQ);
}
// Tree's AVX2 kernel: a mask of the boxes of a vector whose coordinate is below the other's.
static inline chosen m_lt(vec a, vec b) {
    return _mm256_cmp_ps(a, b, _CMP_LT_OQ);
}
// Tree's AVX2 kernel: the boxes that two masks have.
static inline chosen m_and(chosen a, chosen b) {
    return _mm256_and_ps(a, b);
}
// Tree's AVX2 kernel: the boxes of a mask that another one does not have.
static inline chosen m_and_not(chosen a, chosen b) {
    return _mm256_andnot_ps(b, a);
}
// Tree's AVX2 kernel: a bit for each box of a mask.
static inline unsigned m_bits(chosen boxes) {
    return (unsigned)_mm256_movemask_ps(boxes);
}
// Tree's AVX2 kernel: of each lane the coordinate of `a` where it is chosen, else of `b`.
static inline vec v_pick(chosen set, vec a, vec b) {
    return _mm256_blendv_ps(b, a, set);
}

// Tree's AVX2 kernel: writes the boxes' coordinates of one vector.
static inline void v_store(float *to, unsigned mask, vec value) {
    (void)mask;
    _mm256_storeu_ps(to, value);
}

// Tree's AVX2 kernel: stores the first `count` lanes of a vector.
// By parts: a masked store takes a dozen cycles on some processors.
static inline void v_store_first(float *to, size_t count, vec value) {
    if (count >= WIDTH) {
        _mm256_storeu_ps(to, value);
        return;
    }
    __m128 rest = _mm256_castps256_ps128(value);
    if (count & 4) {
        _mm_storeu_ps(to, rest);
        rest = _mm256_extractf128_ps(value, 1);
        to += 4;
    }
    if (count & 2) {
        _mm_storel_pi((__m64 *)(void *)to, rest);
        rest = _mm_movehl_ps(rest, rest);
        to += 2;
    }
    if (count & 1) _mm_store_ss(to, rest);
}

// Tree's AVX2 kernel: loads the first `count` lanes, fewer than all.
static inline vec v_load_first(const float *from, size_t count) {
    const __m256i lane = _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7);
    return _mm256_maskload_ps(from, _mm256_cmpgt_epi32(_mm256_set1_epi32((int)count), lane));
}

// Finds the rows of a vector of slots, where they are if there are enough; NULL where a slot has no row.
static inline const uint32_t *v_rows(const uint32_t *row, size_t left, uint32_t room[WIDTH]) {
    __m256i all = _mm256_loadu_si256((const __m256i *)row);
    if (left < WIDTH) {
        const __m256i lane = _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7);
        all = _mm256_blendv_epi8(_mm256_set1_epi32((int)row[0]), all,
                                 _mm256_cmpgt_epi32(_mm256_set1_epi32((int)left), lane));
        _mm256_storeu_si256((__m256i *)room, all);
        row = room;
    }
    return _mm256_movemask_epi8(_mm256_cmpeq_epi32(all, _mm256_set1_epi32(-1))) == 0 ? row : NULL;
}

// Tree's AVX2 kernel: loads the boxes of several rows, one column to a vector.
// Bodies i and i + 4 share a vector, one in each half; transposing the halves puts body j in lane j.
static inline void v_boxes(const qd_box *boxes, const uint32_t rows[WIDTH], vec out[4]) {
    __m256 body[4];
    for (unsigned i = 0; i < 4; ++i) {
        __m128 low = _mm_loadu_ps(&boxes[rows[i]].min_x);
        body[i] = _mm256_insertf128_ps(_mm256_castps128_ps256(low), _mm_loadu_ps(&boxes[rows[i + 4]].min_x),
                                       1);
    }
    __m256 a = _mm256_unpacklo_ps(body[0], body[1]), b = _mm256_unpackhi_ps(body[0], body[1]);
    __m256 c = _mm256_unpacklo_ps(body[2], body[3]), d = _mm256_unpackhi_ps(body[2], body[3]);
    out[0] = _mm256_shuffle_ps(a, c, 0x44);
    out[1] = _mm256_shuffle_ps(a, c, 0xee);
    out[2] = _mm256_shuffle_ps(b, d, 0x44);
    out[3] = _mm256_shuffle_ps(b, d, 0xee);
}

// Tree's AVX2 kernel: the lowest coordinate of a vector of boxes.
static inline float v_lowest(vec a) {
    __m128 b = _mm_min_ps(_mm256_castps256_ps128(a), _mm256_extractf128_ps(a, 1));
    b = _mm_min_ps(b, _mm_movehl_ps(b, b));
    return _mm_cvtss_f32(_mm_min_ss(b, _mm_shuffle_ps(b, b, 1)));
}

// Tree's AVX2 kernel: the highest coordinate of a vector of boxes.
static inline float v_highest(vec a) {
    __m128 b = _mm_max_ps(_mm256_castps256_ps128(a), _mm256_extractf128_ps(a, 1));
    b = _mm_max_ps(b, _mm_movehl_ps(b, b));
    return _mm_cvtss_f32(_mm_max_ss(b, _mm_shuffle_ps(b, b, 1)));
}

#    include "core/tree/kernel_update.h"

typedef struct block {
    __m256 min_x[2], min_y[2], max_x[2], max_y[2];
    __m256i index[2];
} block;

// Loads a block of slots' boxes.
static inline block block_load(const qdi_slots *slots, size_t at) {
    block made;
    for (unsigned p = 0; p < 2; ++p) {
        made.min_x[p] = v_load(slots->min_x + at + p * WIDTH);
        made.min_y[p] = v_load(slots->min_y + at + p * WIDTH);
        made.max_x[p] = v_load(slots->max_x + at + p * WIDTH);
        made.max_y[p] = v_load(slots->max_y + at + p * WIDTH);
        made.index[p] = _mm256_loadu_si256((const __m256i *)(slots->index + at + p * WIDTH));
    }
    return made;
}

// Which boxes of a block of slots overlap a box, as bits.
static inline unsigned block_overlap(const block *these, qd_box box) {
    unsigned mask = 0;
    for (unsigned p = 0; p < 2; ++p) {
        const __m256 left = _mm256_cmp_ps(these->min_x[p], v_set(box.max_x), _CMP_LE_OQ);
        const __m256 right = _mm256_cmp_ps(these->max_x[p], v_set(box.min_x), _CMP_GE_OQ);
        const __m256 below = _mm256_cmp_ps(these->min_y[p], v_set(box.max_y), _CMP_LE_OQ);
        const __m256 above = _mm256_cmp_ps(these->max_y[p], v_set(box.min_y), _CMP_GE_OQ);
        const __m256 hits = _mm256_and_ps(_mm256_and_ps(left, right), _mm256_and_ps(below, above));
        mask |= (unsigned)_mm256_movemask_ps(hits) << (p * WIDTH);
    }
    return mask;
}

// Which of sixteen slots' boxes overlap a box, as bits.
static inline unsigned slots_overlap(const qdi_slots *slots, size_t at, qd_box box) {
    unsigned hits = 0;
    for (unsigned p = 0; p < 2; ++p, at += WIDTH) {
        const chosen x = m_and(m_le(v_load(slots->min_x + at), v_set(box.max_x)),
                               m_le(v_set(box.min_x), v_load(slots->max_x + at)));
        const chosen y = m_and(m_le(v_load(slots->min_y + at), v_set(box.max_y)),
                               m_le(v_set(box.min_y), v_load(slots->max_y + at)));
        hits |= m_bits(m_and(x, y)) << (p * WIDTH);
    }
    return hits;
}

// For each of the 256 sets of eight lanes, the lanes in it, lowest first, a byte each.
#    define HAS(set, i)        ((UINT64_C(0) + (set)) >> (i)&1U)
#    define LANE(set, i, rest) ((rest) * (1U + 255U * HAS(set, i)) + (i)*HAS(set, i))
#    define LANES_HIGH(set)    LANE(set, 4, LANE(set, 5, LANE(set, 6, LANE(set, 7, UINT64_C(0)))))
#    define LANES(set)         LANE(set, 0, LANE(set, 1, LANE(set, 2, LANE(set, 3, LANES_HIGH(set)))))
#    define LANES4(set)        LANES(set), LANES((set) + 1), LANES((set) + 2), LANES((set) + 3)
#    define LANES16(set)       LANES4(set), LANES4((set) + 4), LANES4((set) + 8), LANES4((set) + 12)
#    define LANES64(set)       LANES16(set), LANES16((set) + 16), LANES16((set) + 32), LANES16((set) + 48)
static const uint64_t lanes_of[256] = {LANES64(0), LANES64(64), LANES64(128), LANES64(192)};

// Tree's AVX2 kernel: moves the lanes of a set of a column together, to a place before or where they are.
static inline void drop_column(float *column, size_t to, size_t at, __m256i kept) {
    _mm256_storeu_ps(column + to, _mm256_permutevar8x32_ps(v_load(column + at), kept));
}

// Removes slots of a list, by bit, and moves the others together: vectors beside each other, whole ones, of
// which the last lanes are written over by the next or lie in the list's room.
static void kernel_drop(const qdi_slots *slots, size_t begin, size_t end, uint64_t which) {
    const qdi_slots own = *slots; // a copy, which no store to a slot can change
    const unsigned first = (unsigned)__builtin_ctzll(which) / WIDTH * WIDTH;
    size_t to = begin + first;
    which >>= first;
    for (size_t at = to; at < end; at += WIDTH, which >>= WIDTH) {
        const unsigned set = ~(unsigned)which & 0xffU;
        const __m256i kept = _mm256_cvtepu8_epi32(_mm_cvtsi64_si128((int64_t)lanes_of[set]));
        drop_column(own.min_x, to, at, kept);
        drop_column(own.min_y, to, at, kept);
        drop_column(own.max_x, to, at, kept);
        drop_column(own.max_y, to, at, kept);
        drop_column((float *)own.row, to, at, kept);
        drop_column((float *)own.index, to, at, kept);
        to += (unsigned)__builtin_popcount(set);
    }
}

/// Tree's AVX2 kernel: where a body goes in eight slots: `from` has the lane that each gets, `here` is the
/// body's.
typedef struct opening {
    __m256i from, here;
} opening;

// Tree's AVX2 kernel: makes room in eight slots of a column and writes a number there.
static inline void open_column(uint32_t *column, const opening *gap, uint32_t value) {
    const __m256i moved = _mm256_permutevar8x32_epi32(_mm256_loadu_si256((const __m256i *)column), gap->from);
    _mm256_storeu_si256((__m256i *)column,
                        _mm256_blendv_epi8(moved, _mm256_set1_epi32((int)value), gap->here));
}

// Tree's AVX2 kernel: moves eight slots on by one, to `at`.
static inline void move_on(const qdi_slots *slots, size_t at) {
    _mm256_storeu_ps(slots->min_x + at, v_load(slots->min_x + at - 1));
    _mm256_storeu_ps(slots->min_y + at, v_load(slots->min_y + at - 1));
    _mm256_storeu_ps(slots->max_x + at, v_load(slots->max_x + at - 1));
    _mm256_storeu_ps(slots->max_y + at, v_load(slots->max_y + at - 1));
    _mm256_storeu_ps((float *)slots->row + at, v_load((float *)slots->row + at - 1));
    _mm256_storeu_ps((float *)slots->index + at, v_load((float *)slots->index + at - 1));
}

// Tree's AVX2 kernel: the bits of a number.
static inline uint32_t bits_of(float value) {
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

// Puts a body in a list: whole vectors, the last ones first, which the list's room holds.
static void kernel_insert(const qdi_slots *slots, size_t begin, size_t end, const qdi_insertion *insertion) {
    if (end - begin >= 64) {
        qdi_insert_by_shift(slots, begin, end, insertion, kernel_shift);
        return;
    }
    const qdi_slots own = *slots; // a copy, which no store to a slot can change
    const __m256i index = _mm256_set1_epi32((int)insertion->index);
    uint64_t below = 0;
    for (size_t at = begin; at < end; at += WIDTH) {
        const __m256i here = _mm256_loadu_si256((const __m256i *)(own.index + at));
        const unsigned lower = (unsigned)_mm256_movemask_ps(
            _mm256_castsi256_ps(_mm256_cmpgt_epi32(index, here)));
        below |= (uint64_t)(lower & width_below(end - at)) << (at - begin);
    }
    const unsigned before = (unsigned)__builtin_popcountll(below), lane = before % WIDTH;
    const size_t first = begin + (before - lane);
    for (size_t at = begin + (end - begin) / WIDTH * WIDTH; at > first; at -= WIDTH) move_on(&own, at);
    const __m256i lanes = _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7), here = _mm256_set1_epi32((int)lane);
    const opening gap = {_mm256_add_epi32(lanes, _mm256_cmpgt_epi32(lanes, here)),
                         _mm256_cmpeq_epi32(lanes, here)};
    open_column((uint32_t *)own.min_x + first, &gap, bits_of(insertion->box.min_x));
    open_column((uint32_t *)own.min_y + first, &gap, bits_of(insertion->box.min_y));
    open_column((uint32_t *)own.max_x + first, &gap, bits_of(insertion->box.max_x));
    open_column((uint32_t *)own.max_y + first, &gap, bits_of(insertion->box.max_y));
    open_column(own.row + first, &gap, insertion->row);
    open_column(own.index + first, &gap, insertion->index);
}

// Tree's AVX2 kernel: the lanes of a set moved together; what follows them is of no use.
static inline __m256i kept_together(__m256i value, unsigned set) {
    return _mm256_permutevar8x32_epi32(value,
                                       _mm256_cvtepu8_epi32(_mm_cvtsi64_si128((int64_t)lanes_of[set])));
}

// Tree's AVX2 kernel: makes coarse coordinates of a column of boxes.
static inline __m256i coarse_column(__m256 value, float origin, float scale) {
    const __m256 moved = v_mul(v_sub(value, v_set(origin)), v_set(scale));
    return _mm256_cvtps_epi32(v_max(v_min(moved, v_set(254.0F)), _mm256_setzero_ps()));
}

// Tree's AVX2 kernel: coarse boxes of half a block as bytes: bodies 0 to 3 in one half, 4 to 7 in the other,
// four bytes of each column; then the bytes of a column together.
static inline __m256i coarse_half(__m256i min_x, __m256i min_y, __m256i max_x, __m256i max_y) {
    const __m256i low = _mm256_packs_epi32(min_x, min_y), high = _mm256_packs_epi32(max_x, max_y);
    const __m256i order = _mm256_setr_epi32(0, 4, 1, 5, 2, 6, 3, 7);
    return _mm256_permutevar8x32_epi32(_mm256_packus_epi16(low, high), order);
}

// Puts a block of slots into a window, coarse boxes too.
static inline void window_put(qdi_window *window, unsigned to, const qdi_slots *slots, size_t at,
                              unsigned count) {
    const block here = block_load(slots, at);
    const size_t place = (size_t)to * QDI_PAIR_BLOCK;
    const float from_x = window->origin_x, from_y = window->origin_y, by_x = window->scale_x,
                by_y = window->scale_y;
    __m256i half[2];
    for (unsigned p = 0; p < 2; ++p) {
        const size_t first = place + p * WIDTH;
        _mm256_store_ps(window->min_x + first, here.min_x[p]);
        _mm256_store_ps(window->min_y + first, here.min_y[p]);
        _mm256_store_ps(window->max_x + first, here.max_x[p]);
        _mm256_store_ps(window->max_y + first, here.max_y[p]);
        _mm256_store_si256((__m256i *)(window->index + first), here.index[p]);
        half[p] = coarse_half(
            coarse_column(here.min_x[p], from_x, by_x), coarse_column(here.min_y[p], from_y, by_y),
            coarse_column(here.max_x[p], from_x, by_x), coarse_column(here.max_y[p], from_y, by_y));
    }
    const __m256i x = _mm256_unpacklo_epi64(half[0], half[1]), y = _mm256_unpackhi_epi64(half[0], half[1]);
    const __m256i low = _mm256_permute2x128_si256(x, y, 0x20), high = _mm256_permute2x128_si256(x, y, 0x31);
    qdi_coarse *coarse = &window->coarse[to];
    _mm256_store_si256((__m256i *)coarse->column[0], low);
    _mm256_store_si256((__m256i *)coarse->column[2], high);
    const __m128i lane = _mm_setr_epi8(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
    const __m128i none = _mm_cmpgt_epi8(lane, _mm_set1_epi8((char)((int)count - 1)));
    const __m128i min_x = _mm_load_si128((const __m128i *)coarse->column[0]);
    _mm_store_si128((__m128i *)coarse->column[0], _mm_or_si128(min_x, none));
}

// Tree's AVX2 kernel: a table of 16 bytes for shuffles, in both halves of a vector.
static inline __m256i repeat_table(const uint8_t *from) {
    return _mm256_broadcastsi128_si256(_mm_load_si128((const __m128i *)from));
}

// Tree's AVX2 kernel: tests two blocks of a window for pairs, by coarse boxes.
static inline void window_test(qdi_window *window, unsigned row_block, unsigned lane_block,
                               const uint64_t among[4]) {
    const qdi_coarse *rows = &window->coarse[row_block], *lanes = &window->coarse[lane_block];
    const unsigned base = lane_block * 4096 + row_block * QDI_PAIR_BLOCK * QDI_PAIR_BLOCK;
    const __m256i min_x = repeat_table(lanes->column[0]), min_y = repeat_table(lanes->column[1]);
    const __m256i max_x = repeat_table(lanes->column[2]), max_y = repeat_table(lanes->column[3]);
    // A row's byte to one half, the next row's to the other.
    const __m256i first = _mm256_inserti128_si256(_mm256_setzero_si256(), _mm_set1_epi8(1), 1);
    for (unsigned g = 0; g < window->fours[row_block]; ++g) {
        uint64_t four = 0;
        for (unsigned p = 0; p < 2; ++p) {
            const __m256i splat = _mm256_add_epi8(first, _mm256_set1_epi8((char)(4 * g + 2 * p)));
            const __m256i row_min_x = _mm256_shuffle_epi8(repeat_table(rows->column[0]), splat);
            const __m256i row_min_y = _mm256_shuffle_epi8(repeat_table(rows->column[1]), splat);
            const __m256i row_max_x = _mm256_shuffle_epi8(repeat_table(rows->column[2]), splat);
            const __m256i row_max_y = _mm256_shuffle_epi8(repeat_table(rows->column[3]), splat);
            const __m256i miss_x = _mm256_or_si256(_mm256_subs_epu8(min_x, row_max_x),
                                                   _mm256_subs_epu8(row_min_x, max_x));
            const __m256i miss_y = _mm256_or_si256(_mm256_subs_epu8(min_y, row_max_y),
                                                   _mm256_subs_epu8(row_min_y, max_y));
            const __m256i hit = _mm256_cmpeq_epi8(_mm256_or_si256(miss_x, miss_y), _mm256_setzero_si256());
            four |= (uint64_t)(uint32_t)_mm256_movemask_epi8(hit) << (32 * p);
        }
        qdi_window_note(window, four & among[g], base + 64 * g);
    }
}

// Tree's AVX2 kernel: writes the pairs of a window whose boxes overlap.
static inline size_t window_pairs(const qdi_window *window, qd_pair *to) {
    return qdi_window_pairs(window, to);
}

// Tree's AVX2 kernel: moves the chosen numbers of a column together.
static inline void pick_column(float *to, unsigned first, const __m256 from[2], unsigned hits) {
    _mm256_storeu_si256((__m256i *)to, kept_together(_mm256_castps_si256(from[0]), hits & 0xffU));
    _mm256_storeu_si256((__m256i *)(to + first), kept_together(_mm256_castps_si256(from[1]), hits >> 8));
}

// Copies the slots of a block that `hits` names.
static inline size_t pick_block(const block *here, unsigned hits, const qdi_slots *to, size_t at) {
    const unsigned first = (unsigned)__builtin_popcount(hits & 0xffU);
    pick_column(to->min_x + at, first, here->min_x, hits);
    pick_column(to->min_y + at, first, here->min_y, hits);
    pick_column(to->max_x + at, first, here->max_x, hits);
    pick_column(to->max_y + at, first, here->max_y, hits);
    _mm256_storeu_si256((__m256i *)(to->index + at), kept_together(here->index[0], hits & 0xffU));
    _mm256_storeu_si256((__m256i *)(to->index + at + first), kept_together(here->index[1], hits >> 8));
    return at + (unsigned)__builtin_popcount(hits);
}

#    include "core/tree/kernel_pairs.h"

#    include "core/tree/kernel_family.h"

const qdi_kernels qdi_kernels_avx2 = {kernel_box_list, kernel_list,   kernel_pick,
                                      kernel_hits,     kernel_shift,  kernel_drop,
                                      kernel_insert,   kernel_update, kernel_family};

const qdi_kernels qdi_kernels_avx512 = {kernel_box_list, kernel_list,   kernel_pick,
                                        kernel_hits,     kernel_shift,  kernel_drop,
                                        kernel_insert,   kernel_update, qdi_family_avx512};
#endif
