#pragma once

#include <quadrille/status.h>
#include <stddef.h>

/// Relative difference: the way from the folder of `file` to the directory `to`, for links: "", or parts with
/// a slash after each
/// ("../out/"). Links of the file system are not looked through, as browsers do not either. Errors:
/// QD_ERR_IO, QD_ERR_VALUE (too long).
QD_MUST_USE qd_status qdi_relative_path(const char *file, const char *to, char *way, size_t bytes,
                                        qd_error *error);
