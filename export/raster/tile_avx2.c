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

/// Tile: the levels of the first `count` of eight pixels on a disk's edge. Rounding carries over to the next
/// one: the level of a pixel is by how many whole levels the sum of all parts up to it is more than that
/// before it.
static inline __m128i edge_levels(float dx, float dy, float radius, int count, int *carry) {
    int32_t parts[QDI_COVER_BLOCK] = {0};
    qdi_cover_half(dx, dy, radius, 0, parts);
    if (count > QDI_COVER_BLOCK / 2) // edges are as long as this near the top and the bottom alone
        qdi_cover_half(dx, dy, radius, QDI_COVER_BLOCK / 2, parts + QDI_COVER_BLOCK / 2);
    const __m128i *halves = (const __m128i *)(const void *)parts;
    const __m128i places = _mm_setr_epi16(0, 1, 2, 3, 4, 5, 6, 7);
    __m128i sum = _mm_and_si128(_mm_packs_epi32(_mm_loadu_si128(halves), _mm_loadu_si128(halves + 1)),
                                _mm_cmplt_epi16(places, _mm_set1_epi16((short)count)));
    sum = _mm_add_epi16(sum, _mm_slli_si128(sum, 2));
    sum = _mm_add_epi16(sum, _mm_slli_si128(sum, 4));
    sum = _mm_add_epi16(sum, _mm_slli_si128(sum, 8));
    sum = _mm_add_epi16(sum, _mm_set1_epi16((short)*carry));
    *carry = _mm_extract_epi16(sum, 7) % QDI_COVER_PARTS;
    const __m128i whole = _mm_srli_epi16(sum, 8), levels = _mm_sub_epi16(whole, _mm_slli_si128(whole, 2));
    return _mm_packus_epi16(levels, levels);
}

void qdi_tile_disk_rows_avx2(qdi_tile *tile, float x, float y, float radius, const qdi_disk_span *rows,
                             int count, qdi_brush brush) {
    const wide_brush wide = widen_brush(brush);
    const __m128i full = _mm_set1_epi8(QDI_LEVELS), none = _mm_setzero_si128();
    uint8_t levels[QDI_DISK_ROWS][4 * QDI_DISK_ROWS]; // first all rows: what was just stored is slow to read
    int carry[] = {QDI_COVER_PARTS / 2, QDI_COVER_PARTS / 2};
    for (int j = 0; j < count; ++j) {
        const qdi_disk_span *row = &rows[j];
        const float dy = (float)row->y + 0.5F - y;
        const __m128i left = edge_levels((float)row->from + 0.5F - x, dy, radius, row->full_from - row->from,
                                         &carry[0]);
        const __m128i right = edge_levels((float)row->full_to + 0.5F - x, dy, radius, row->to - row->full_to,
                                          &carry[1]);
        uint8_t *level = levels[j], *last = level + row->full_to - row->from;
        _mm_storel_epi64((__m128i *)(void *)level, left);
        _mm_storeu_si128((__m128i *)(void *)(level + row->full_from - row->from), full);
        _mm_storel_epi64((__m128i *)(void *)last, right);
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
