#pragma once

#include <quadrille/simd.h>
#include <quadrille/status.h>

/// Host's instruction set: what --simd NAME asks for, NULL being the best that there is; never QD_SIMD_AUTO.
/// Errors: QD_ERR_ARGUMENT: no such name, or not on this processor (one line in `error`).
QD_MUST_USE qd_status qdi_simd_choose(const char *name, qd_simd *simd, qd_error *error);
