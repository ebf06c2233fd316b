#include <quadrille/simd.h>

#include <string.h>

static const char *const names[] = {"auto", "portable", "sse2", "avx2", "avx512", "neon"};

const char *qd_simd_name(qd_simd simd) {
    return (unsigned)simd < sizeof names / sizeof names[0] ? names[simd] : "unknown";
}

bool qd_simd_named(const char *name, qd_simd *simd) {
    for (unsigned i = 0; i < sizeof names / sizeof names[0]; ++i) {
        if (strcmp(name, names[i]) != 0) continue;
        *simd = (qd_simd)i;
        return true;
    }
    return false;
}

bool qd_simd_available(qd_simd simd) {
    if (simd == QD_SIMD_AUTO || simd == QD_SIMD_PORTABLE) return true;
#ifdef __x86_64__
    if (simd == QD_SIMD_SSE2) return true;
    // Whatever has AVX2 has the bit instructions too, but for emulators.
    const bool bits = __builtin_cpu_supports("bmi") && __builtin_cpu_supports("popcnt");
    if (simd == QD_SIMD_AVX2) return bits && __builtin_cpu_supports("avx2");
    if (simd == QD_SIMD_AVX512) {
        return bits && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
               __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl") &&
               __builtin_cpu_supports("avx512vbmi2");
    }
#endif
#ifdef __AARCH64EL__
    if (simd == QD_SIMD_NEON) return true;
#endif
    return false;
}

qd_simd qd_simd_best(void) {
    qd_simd best = QD_SIMD_PORTABLE;
    for (int simd = QD_SIMD_SSE2; simd <= QD_SIMD_NEON; ++simd) {
        if (qd_simd_available((qd_simd)simd)) best = (qd_simd)simd;
    }
    return best;
}
