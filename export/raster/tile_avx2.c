// Tiles on processors with AVX2: splats and rows by the portable loops, and small disks a row of a stencil at
// a time, as qdi_tile_add does it pixel by pixel.
#include "export/raster/tile.h"

#ifdef __x86_64__
#    define SPLIT_SPLATS qdi_split_splats_avx2
#    include "export/raster/split_splats.h"

#    define PUT_ROW qdi_tile_row_avx2
#    include "export/raster/tile_rows.h"

#    include <immintrin.h>

void qdi_tile_stencil_avx2(qdi_tile *tile, const qdi_stencil *stencil, int cell, int low, int high,
                           qdi_brush brush) {
    const __m256i index = _mm256_set1_epi32((int)brush.index), one = _mm256_set1_epi32(1);
    const __m128i hue = _mm_set1_epi8((char)brush.hue), full = _mm_set1_epi8(QDI_TONE_FULL);
    for (int j = low; j < high; ++j) {
        const int at = cell + j * QDI_TILE_SIDE;
        __m256i *ranks = (__m256i *)(void *)(tile->rank + at);
        __m128i *covers = (__m128i *)(void *)(tile->cover + at), *hues = (__m128i *)(void *)(tile->hue + at),
                *tones = (__m128i *)(void *)(tile->tone + at);
        const __m128i level = _mm_loadl_epi64((const __m128i *)(const void *)stencil->level[j]);
        _mm_storel_epi64(covers, _mm_adds_epu8(_mm_loadl_epi64(covers), level));
        const __m256i levels = _mm256_cvtepu8_epi32(level), old = _mm256_loadu_si256(ranks);
        const __m256i asked = _mm256_add_epi32(_mm256_or_si256(_mm256_slli_epi32(levels, 28), index), one);
        const __m256i drawn = _mm256_and_si256(asked, _mm256_cmpgt_epi32(levels, _mm256_setzero_si256()));
        const __m256i rank = _mm256_max_epu32(old, drawn), kept = _mm256_cmpeq_epi32(rank, old);
        _mm256_storeu_si256(ranks, rank);
        const __m128i halves = _mm_packs_epi32(_mm256_castsi256_si128(kept),
                                               _mm256_extracti128_si256(kept, 1));
        const __m128i keep = _mm_packs_epi16(halves, halves);
        _mm_storel_epi64(hues, _mm_blendv_epi8(hue, _mm_loadl_epi64(hues), keep));
        _mm_storel_epi64(tones, _mm_blendv_epi8(full, _mm_loadl_epi64(tones), keep));
    }
}

#endif
