#include "tools/host/simd_choice.h"

#include <stdio.h>

qd_status qdi_simd_choose(const char *name, qd_simd *simd, qd_error *error) {
    *simd = QD_SIMD_AUTO;
    if (name && !qd_simd_named(name, simd)) {
        snprintf(error->text, sizeof error->text,
                 "--simd: '%.60s' is none of auto, portable, sse2, avx2, avx512, neon", name);
        return QD_ERR_ARGUMENT;
    }
    if (!qd_simd_available(*simd)) {
        snprintf(error->text, sizeof error->text, "--simd: this processor or build has no %s", name);
        return QD_ERR_ARGUMENT;
    }
    if (*simd == QD_SIMD_AUTO) *simd = qd_simd_best();
    return QD_OK;
}
