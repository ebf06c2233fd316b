// Trails on processors with AVX2: a vector for what the portable draw_trail_lanes does one by one, in the
// same order, so that pixels are the same.
#include "export/raster/trail_plane.h"

#ifdef __x86_64__
#    include "export/raster/pixel_math.h"

#    include <immintrin.h>
#    include <math.h>
#    include <stdbool.h>

enum { LANES = QDI_TRAIL_LANES };

// Draws LANES pixels of a row, the first one's centre being at (left, y).
// False, and nothing drawn, where a level is open.
static inline bool draw_trail_lanes(uint16_t *restrict cells, float left, float y,
                                    const qdi_trail_line *line) {
    const __m256 zero = _mm256_setzero_ps(), one = _mm256_set1_ps(1.0F);
    const __m256 places = _mm256_setr_ps(0, 1, 2, 3, 4, 5, 6, 7);
    const __m256 ax = _mm256_set1_ps(line->along_x), ay = _mm256_set1_ps(line->along_y);
    const __m256 high = _mm256_set1_ps(y - line->y0), slack = _mm256_set1_ps(line->slack);
    const __m256 px = _mm256_sub_ps(_mm256_add_ps(_mm256_set1_ps(left), places), _mm256_set1_ps(line->x0));
    const __m256 dot = _mm256_add_ps(_mm256_mul_ps(px, ax), _mm256_mul_ps(high, ay));
    __m256 part = _mm256_div_ps(dot, _mm256_set1_ps(line->square));
    part = _mm256_min_ps(_mm256_max_ps(part, zero), one);
    const __m256 dx = _mm256_sub_ps(px, _mm256_mul_ps(part, ax));
    const __m256 dy = _mm256_sub_ps(high, _mm256_mul_ps(part, ay));
    const __m256 far = _mm256_sqrt_ps(_mm256_add_ps(_mm256_mul_ps(dx, dx), _mm256_mul_ps(dy, dy)));
    __m256 cover = _mm256_max_ps(_mm256_min_ps(_mm256_sub_ps(_mm256_set1_ps(line->reach), far), one), zero);
    cover = _mm256_add_ps(_mm256_mul_ps(cover, _mm256_set1_ps(line->level)), _mm256_set1_ps(0.5F));
    const __m256i seen = _mm256_slli_epi32(_mm256_cvttps_epi32(_mm256_sub_ps(cover, slack)), 8);
    const __m256i most = _mm256_slli_epi32(_mm256_cvttps_epi32(_mm256_add_ps(cover, slack)), 8);
    const __m256i old = _mm256_cvtepu16_epi32(_mm_loadu_si128((const __m128i *)(const void *)cells));
    const __m256i open = _mm256_andnot_si256(_mm256_cmpeq_epi32(seen, most), _mm256_cmpgt_epi32(most, old));
    if (_mm256_movemask_epi8(open)) return false;
    const __m256i drawn = _mm256_add_epi32(seen, _mm256_set1_epi32(line->hue));
    const __m256i chosen = _mm256_blendv_epi8(old, drawn, _mm256_cmpgt_epi32(seen, old));
    const __m256i packed = _mm256_permute4x64_epi64(_mm256_packus_epi32(chosen, chosen), 0x08);
    _mm_storeu_si128((__m128i *)(void *)cells, _mm256_castsi256_si128(packed));
    return true;
}

#    define TRAIL_PIECES qdi_trail_pieces_avx2
#    include "export/raster/trail_pieces.h"
#endif
