#ifndef QUADRILLE_SIMD_H
#define QUADRILLE_SIMD_H

#include <quadrille/api.h>
#include <stdbool.h>

QD_BEGIN_DECLS

/// The vector instructions that kernels are written for: of the tree, of motion and of contacts at rest. All
/// of them give the same bits; a library built with default flags has all that its architecture knows and
/// takes the best that the processor has.
typedef enum qd_simd {
    QD_SIMD_AUTO,     ///< the best there is
    QD_SIMD_PORTABLE, ///< plain C, as the compiler makes it
    QD_SIMD_SSE2,     ///< every x86-64
    QD_SIMD_AVX2,
    QD_SIMD_AVX512, ///< F, BW, DQ, VL and VBMI2: processors since 2019
    QD_SIMD_NEON,   ///< every arm64 whose bytes lie lowest first
} qd_simd;

/// "auto", "portable", "sse2", "avx2", "avx512", "neon". Any thread.
QD_API const char *qd_simd_name(qd_simd simd);

/// The one of this name; false where there is none.
QD_API bool qd_simd_named(const char *name, qd_simd *simd);

/// True where this build and this processor have it.
QD_API bool qd_simd_available(qd_simd simd);

/// What QD_SIMD_AUTO stands for here.
QD_API qd_simd qd_simd_best(void);

QD_END_DECLS

#endif
