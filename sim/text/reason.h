#pragma once

#include <quadrille/status.h>

/// Puts a reason into `error` (may be NULL) and returns `status`.
qd_status qdi_reason(qd_error *error, qd_status status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
