// The rows of a part of a line on processors with AVX2: LANES pixels at a time, of one row, or, where half of
// them are enough, of two. The portable ones say what is worked out.
#include <immintrin.h>

// What all pixels of a part have in common.
typedef struct part_lanes {
    __m256i half, less, scale, fade, hue;
} part_lanes;

// Pixels of a part that are so far from its middle along it and across, over those that are there.
static inline __m256i cover_lanes(const part_lanes *part, __m256i along, __m256i across, __m256i cells) {
    const __m256i far = _mm256_set1_epi16(FAR), past = _mm256_abs_epi16(along);
    const __m256i end = _mm256_slli_epi16(_mm256_min_epi16(_mm256_subs_epu16(past, part->half), far),
                                          FAR_SHIFT),
                  side = _mm256_slli_epi16(_mm256_min_epi16(_mm256_abs_epi16(across), far), FAR_SHIFT);
    const __m256i squares = _mm256_add_epi16(_mm256_mulhi_epu16(end, end), _mm256_mulhi_epu16(side, side)),
                  left = _mm256_subs_epu16(_mm256_set1_epi16(2 * SQUARE), squares),
                  cover = _mm256_slli_epi16(_mm256_min_epi16(left, _mm256_set1_epi16(EDGE)), EDGE_SHIFT);
    const __m256i inside = _mm256_min_epi16(_mm256_max_epi16(along, part->less), part->half),
                  here = _mm256_add_epi16(part->scale, _mm256_mulhi_epi16(inside, part->fade));
    const __m256i level = _mm256_add_epi16(_mm256_mulhi_epu16(cover, here), _mm256_set1_epi16(128));
    return _mm256_max_epi16(cells,
                            _mm256_or_si256(_mm256_and_si256(level, _mm256_set1_epi16(0x7f00)), part->hue));
}

// Draws so many rows of a part, of LANES pixels each, or twice as many of half of them.
static inline void draw_rows(int16_t *cells, const trail_parts *parts, int i, int rows, bool narrow) {
    const part_lanes part = {.half = _mm256_set1_epi16((int16_t)parts->half[i]),
                             .less = _mm256_set1_epi16((int16_t)-parts->half[i]),
                             .scale = _mm256_set1_epi16((int16_t)parts->scale[i]),
                             .fade = _mm256_set1_epi16((int16_t)parts->fade[i]),
                             .hue = _mm256_set1_epi16(parts->hue[i])};
    const __m256i row_along = _mm256_set1_epi16((int16_t)parts->row_along[i]),
                  row_across = _mm256_set1_epi16((int16_t)parts->row_across[i]),
                  step_along = _mm256_set1_epi16((int16_t)parts->step_along[i]),
                  step_across = _mm256_set1_epi16((int16_t)parts->step_across[i]);
    __m256i along = _mm256_set1_epi16((int16_t)parts->along[i]),
            across = _mm256_set1_epi16((int16_t)parts->across[i]);
    if (!narrow) {
        const __m256i lane = _mm256_setr_epi16(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
        along = _mm256_add_epi16(along, _mm256_mullo_epi16(lane, step_along));
        across = _mm256_add_epi16(across, _mm256_mullo_epi16(lane, step_across));
        for (; rows > 0; --rows, cells += QDI_TRAIL_STRIDE) {
            __m256i *here = (__m256i *)(void *)cells;
            _mm256_storeu_si256(here, cover_lanes(&part, along, across, _mm256_loadu_si256(here)));
            along = _mm256_add_epi16(along, row_along);
            across = _mm256_add_epi16(across, row_across);
        }
        return;
    }
    const __m256i lane = _mm256_setr_epi16(0, 1, 2, 3, 4, 5, 6, 7, 0, 1, 2, 3, 4, 5, 6, 7),
                  second = _mm256_setr_epi16(0, 0, 0, 0, 0, 0, 0, 0, -1, -1, -1, -1, -1, -1, -1, -1);
    along = _mm256_add_epi16(
        along, _mm256_add_epi16(_mm256_mullo_epi16(lane, step_along), _mm256_and_si256(second, row_along)));
    across = _mm256_add_epi16(across, _mm256_add_epi16(_mm256_mullo_epi16(lane, step_across),
                                                       _mm256_and_si256(second, row_across)));
    const __m256i two_along = _mm256_add_epi16(row_along, row_along),
                  two_across = _mm256_add_epi16(row_across, row_across);
    for (; rows > 0; --rows, cells += 2 * QDI_TRAIL_STRIDE) {
        __m128i *here = (__m128i *)(void *)cells, *below = (__m128i *)(void *)(cells + QDI_TRAIL_STRIDE);
        const __m256i both = cover_lanes(&part, along, across, _mm256_loadu2_m128i(below, here));
        _mm_storeu_si128(here, _mm256_castsi256_si128(both));
        _mm_storeu_si128(below, _mm256_extracti128_si256(both, 1));
        along = _mm256_add_epi16(along, two_along);
        across = _mm256_add_epi16(across, two_across);
    }
}
