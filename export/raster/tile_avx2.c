// Tiles on processors with AVX2: splats and rows by the portable loops, and small disks eight pixels of a row
// at a time, as qdi_tile_add does it pixel by pixel.
#include "export/raster/tile.h"

#ifdef __x86_64__
#    define SPLIT_SPLATS qdi_split_splats_avx2
#    include "export/raster/split_splats.h"

#    define PUT_ROW qdi_tile_row_avx2
#    include "export/raster/tile_rows.h"

#    include "export/raster/cover.h"

#    include <immintrin.h>

/// What all pixels of a body have in common.
typedef struct wide_brush {
    __m256i index;
    __m128i hue;
} wide_brush;

/// Tile: a brush for eight pixels.
static inline wide_brush widen_brush(qdi_brush brush) {
    return (wide_brush){_mm256_set1_epi32((int)brush.index), _mm_set1_epi8((char)brush.hue)};
}

/// Tile: adds levels to eight pixels from a cell on, as qdi_tile_add does; those of level 0 stay as they are.
static inline void add_eight(qdi_tile *tile, int at, __m128i level, const wide_brush *brush) {
    const __m256i one = _mm256_set1_epi32(1);
    const __m128i full = _mm_set1_epi8(QDI_TONE_FULL);
    __m256i *ranks = (__m256i *)(void *)(tile->rank + at);
    __m128i *covers = (__m128i *)(void *)(tile->cover + at), *hues = (__m128i *)(void *)(tile->hue + at),
            *tones = (__m128i *)(void *)(tile->tone + at);
    _mm_storel_epi64(covers, _mm_adds_epu8(_mm_loadl_epi64(covers), level));
    const __m256i levels = _mm256_cvtepu8_epi32(level), old = _mm256_loadu_si256(ranks);
    const __m256i asked = _mm256_add_epi32(_mm256_or_si256(_mm256_slli_epi32(levels, 28), brush->index), one);
    const __m256i drawn = _mm256_and_si256(asked, _mm256_cmpgt_epi32(levels, _mm256_setzero_si256()));
    const __m256i rank = _mm256_max_epu32(old, drawn), kept = _mm256_cmpeq_epi32(rank, old);
    _mm256_storeu_si256(ranks, rank);
    const __m128i halves = _mm_packs_epi32(_mm256_castsi256_si128(kept), _mm256_extracti128_si256(kept, 1));
    const __m128i keep = _mm_packs_epi16(halves, halves);
    _mm_storel_epi64(hues, _mm_blendv_epi8(brush->hue, _mm_loadl_epi64(hues), keep));
    _mm_storel_epi64(tones, _mm_blendv_epi8(full, _mm_loadl_epi64(tones), keep));
}

void qdi_tile_stencil_avx2(qdi_tile *tile, const qdi_stencil *stencil, int cell, int low, int high,
                           qdi_brush brush) {
    const wide_brush wide = widen_brush(brush);
    for (int j = low; j < high; ++j)
        add_eight(tile, cell + j * QDI_TILE_SIDE,
                  _mm_loadl_epi64((const __m128i *)(const void *)stencil->level[j]), &wide);
}

/// Tile: coverage of half a block of pixels, the first so far from `left` on, and of as many from `right` on.
static inline void cover_edges(float left, float right, float dy, float radius, int first,
                               int32_t *restrict parts) {
    enum { HALF = QDI_COVER_BLOCK / 2 };
    for (int k = 0; k < QDI_COVER_BLOCK; ++k)
        parts[k] = qdi_cover(fabsf((k < HALF ? left : right) + (float)(first + k % HALF)), fabsf(dy), radius);
}

/// Tile: the levels of the first pixels, as many as `counts` has, of both edges of a row. Rounding carries
/// over to the next one: the level of a pixel is by how many whole levels the sum of all parts up to it is
/// more than that before it.
static inline __m256i edge_levels(__m256i parts, __m256i counts, __m256i *carry) {
    const __m256i places = _mm256_setr_epi16(0, 1, 2, 3, 4, 5, 6, 7, 0, 1, 2, 3, 4, 5, 6, 7),
                  last = _mm256_set1_epi16(0x0f0e), rest = _mm256_set1_epi16(QDI_COVER_PARTS - 1);
    __m256i sum = _mm256_and_si256(parts, _mm256_cmpgt_epi16(counts, places));
    sum = _mm256_add_epi16(sum, _mm256_slli_si256(sum, 2));
    sum = _mm256_add_epi16(sum, _mm256_slli_si256(sum, 4));
    sum = _mm256_add_epi16(sum, _mm256_slli_si256(sum, 8));
    sum = _mm256_add_epi16(sum, *carry);
    *carry = _mm256_and_si256(_mm256_shuffle_epi8(sum, last), rest);
    const __m256i whole = _mm256_srli_epi16(sum, 8),
                  levels = _mm256_sub_epi16(whole, _mm256_slli_si256(whole, 2));
    return _mm256_packus_epi16(levels, levels);
}

void qdi_tile_disk_rows_avx2(qdi_tile *tile, float x, float y, float radius, const qdi_disk_span *rows,
                             int count, qdi_brush brush) {
    const wide_brush wide = widen_brush(brush);
    const __m128i full = _mm_set1_epi8(QDI_LEVELS), none = _mm_setzero_si128();
    uint8_t levels[QDI_DISK_ROWS][4 * QDI_DISK_ROWS]; // first all rows: what was just stored is slow to read
    __m256i carry = _mm256_set1_epi16(QDI_COVER_PARTS / 2);
    for (int j = 0; j < count; ++j) {
        const qdi_disk_span *row = &rows[j];
        const float dy = (float)row->y + 0.5F - y;
        const float at_left = (float)row->from + 0.5F - x, at_right = (float)row->full_to + 0.5F - x;
        const int left_count = row->full_from - row->from, right_count = row->to - row->full_to;
        int32_t parts[2][QDI_COVER_BLOCK] = {{0}};
        cover_edges(at_left, at_right, dy, radius, 0, parts[0]);
        if (left_count > QDI_COVER_BLOCK / 2 ||
            right_count > QDI_COVER_BLOCK / 2) // near the top and the bottom
            cover_edges(at_left, at_right, dy, radius, QDI_COVER_BLOCK / 2, parts[1]);
        const __m256i both = _mm256_packs_epi32(_mm256_loadu_si256((const __m256i *)(const void *)parts[0]),
                                                _mm256_loadu_si256((const __m256i *)(const void *)parts[1]));
        const __m256i counts = _mm256_set_m128i(_mm_set1_epi16((short)right_count),
                                                _mm_set1_epi16((short)left_count));
        const __m256i edges = edge_levels(both, counts, &carry);
        uint8_t *level = levels[j], *last = level + row->full_to - row->from;
        _mm_storel_epi64((__m128i *)(void *)level, _mm256_castsi256_si128(edges));
        _mm_storeu_si128((__m128i *)(void *)(level + row->full_from - row->from), full);
        _mm_storel_epi64((__m128i *)(void *)last, _mm256_extracti128_si256(edges, 1));
        _mm_storeu_si128((__m128i *)(void *)(last + 8), none);
    }
    for (int j = 0; j < count; ++j) {
        const qdi_disk_span *row = &rows[j];
        const int at = (row->y - tile->area.min_y) * QDI_TILE_SIDE + row->from - tile->area.min_x;
        for (int k = 0; k < row->to - row->from; k += 8)
            add_eight(tile, at + k, _mm_loadl_epi64((const __m128i *)(const void *)(levels[j] + k)), &wide);
    }
}

#endif
