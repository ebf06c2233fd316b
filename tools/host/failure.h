#pragma once

#include <quadrille/status.h>

/// Failure on the console: the reason in `error`, or what the status says where nothing filled it in.
const char *qdi_failure_reason(qd_status status, const qd_error *error);

/// The exit code of a failure that has one of its own: no memory and our own bugs are no stage's fault.
int qdi_failure_code(qd_status status, int exit_code);

/// Says why a stage failed and gives its exit code.
int qdi_fail(qd_status status, const qd_error *error, int exit_code);
