// Compiled for AVX2 and called only where the processor has it.
enum { WIDTH = 4 };
#ifdef __AVX2__
#    include <immintrin.h>
#    define QDI_MEET_ANY(lanes) (_mm256_movemask_pd((__m256d)(lanes)) != 0)
#    define QDI_MEET_MORE(a, b) _mm256_max_pd(a, b)
#    define QDI_MEET_PUT        put_lanes

/// Springs that meet: stores vectors of four numbers and of two, those of a lane side by side.
static inline void put_lanes(double *to, __m256d x, __m256d y, __m256d push, __m256d rubs, double *to_shear,
                             __m256d shear_x, __m256d shear_y) {
    const __m256d low = _mm256_unpacklo_pd(x, y), high = _mm256_unpackhi_pd(x, y);
    const __m256d low_rest = _mm256_unpacklo_pd(push, rubs), high_rest = _mm256_unpackhi_pd(push, rubs);
    const __m256d low_shear = _mm256_unpacklo_pd(shear_x, shear_y),
                  high_shear = _mm256_unpackhi_pd(shear_x, shear_y);
    // Halves are stored as they lie: to bring them together first takes some processors eight times as long.
    _mm_storeu_pd(to, _mm256_castpd256_pd128(low));
    _mm_storeu_pd(to + 2, _mm256_castpd256_pd128(low_rest));
    _mm_storeu_pd(to + 4, _mm256_castpd256_pd128(high));
    _mm_storeu_pd(to + 6, _mm256_castpd256_pd128(high_rest));
    _mm_storeu_pd(to + 8, _mm256_extractf128_pd(low, 1));
    _mm_storeu_pd(to + 10, _mm256_extractf128_pd(low_rest, 1));
    _mm_storeu_pd(to + 12, _mm256_extractf128_pd(high, 1));
    _mm_storeu_pd(to + 14, _mm256_extractf128_pd(high_rest, 1));
    _mm_storeu_pd(to_shear, _mm256_castpd256_pd128(low_shear));
    _mm_storeu_pd(to_shear + 2, _mm256_castpd256_pd128(high_shear));
    _mm_storeu_pd(to_shear + 4, _mm256_extractf128_pd(low_shear, 1));
    _mm_storeu_pd(to_shear + 6, _mm256_extractf128_pd(high_shear, 1));
}
#endif
#define QDI_MEET_KERNEL qdi_meet_lanes_avx2
#include "sim/spring/meet_lanes_kernel.h"
