#pragma once

#include <quadrille/metrics.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// What a run says of itself while it goes on: a table on stderr, a line every so many steps.

typedef struct qdi_step_log {
    uint64_t every;      ///< steps from line to line; 0: none
    bool begun;          ///< the line with the names is there
    uint64_t shown_step; ///< of the line before; at first, where the run begins
    uint64_t shown_ns;   ///< and when it was
} qdi_step_log;

/// So many steps from line to line that a run of `steps` steps has about twenty.
uint64_t qdi_step_log_period(uint64_t steps);

/// True where the step has a line: every `every` steps, and the last.
bool qdi_step_log_due(const qdi_step_log *log, uint64_t step, uint64_t last);

/// Prints the line of a step of which this was measured, and before the first one the names.
void qdi_step_log_print(qdi_step_log *log, const qd_metrics *metrics);

/// The line with the names of the columns, and that of a moment; `rate`: steps in a second, 0: not known. No
/// line breaks.
void qdi_step_log_names(char *text, size_t bytes);
void qdi_step_log_words(const qd_metrics *metrics, double rate, char *text, size_t bytes);
