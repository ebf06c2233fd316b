#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// What the processor itself counts, where the system lets this process see it (perf_event_open).

typedef enum qdi_counter {
    QDI_COUNTER_CYCLES,
    QDI_COUNTER_INSTRUCTIONS,
    QDI_COUNTER_CACHE_MISSES, ///< of the last cache before memory, as the processor defines it
    QDI_COUNTERS
} qdi_counter;

/// "cycles", ...
const char *qdi_counter_name(qdi_counter counter);

/// Counters of this thread and of those that it starts from now on, their own and outside of the system's
/// kernel.
typedef struct qdi_counters {
    int descriptors[QDI_COUNTERS]; ///< -1: there is none
} qdi_counters;

/// Values of a moment, or of the time between two.
typedef struct qdi_counts {
    bool known[QDI_COUNTERS];
    double value[QDI_COUNTERS]; ///< 0 where it is not known
} qdi_counts;

/// Starts those that there are. `why`, of `bytes` bytes, says in one clause why not all could be had; ""
/// where all are there.
void qdi_counters_start(qdi_counters *counters, char *why, size_t bytes);
void qdi_counters_stop(qdi_counters *counters);

/// Now. Where the processor has had to count other things in turns, for the whole time by proportion; not
/// known where it has not counted at all.
qdi_counts qdi_counters_now(const qdi_counters *counters);

/// What was counted between two moments: known where it was in both.
qdi_counts qdi_counts_between(const qdi_counts *first, const qdi_counts *last);

/// Starts counting an event by the system's numbers for its type and itself; -1 with errno set where the
/// system refuses.
int qdi_counter_open(uint32_t type, uint64_t event);
/// Its value now; false where it has none.
bool qdi_counter_read(int descriptor, double *value);
