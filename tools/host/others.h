#pragma once

#include <stdint.h>

/// Whether other programs were at work on the machine while something was measured.

/// Part of the threads' time that other programs may have taken before a measurement is not reliable.
#define QDI_OTHERS_PART .05

/// When the measurement began.
typedef struct qdi_others_start {
    uint64_t clock_ns, machine_ns, own_ns;
} qdi_others_start;

/// Why a measurement is not reliable, as one clause; "" where nothing speaks against it.
typedef struct qdi_others_reason {
    char text[160];
} qdi_others_reason;

qdi_others_start qdi_others_begin(void);

/// Other programs on the host: judges what was measured since `start` with at most `threads` threads, by this
/// process and by children that have ended. Where the system does not count the processors' time, nothing
/// speaks against it.
qdi_others_reason qdi_others_end(const qdi_others_start *start, int threads);

/// The rule: other programs kept `others` of `cores` processors busy, and the rest is not enough for
/// `threads` threads.
qdi_others_reason qdi_others_judge(double others, int cores, int threads);
