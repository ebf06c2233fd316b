#include "tools/host/others.h"

#include "core/parallel/parallel.h"
#include "tools/host/os.h"

#include <stdio.h>

/// The system counts each processor's time in ticks of so many nanoseconds; a tick too many is nobody's work.
static const double tick_ns = 1e7;

// Begins to watch how busy other processes keep the machine.
qdi_others_start qdi_others_begin(void) {
    return (qdi_others_start){qdi_clock_ns(), qdi_host_machine_ns(), qdi_host_family_ns()};
}

qdi_others_reason qdi_others_judge(double others, int cores, int threads) {
    qdi_others_reason reason = {""};
    int at_once = threads < cores ? threads : cores;
    if (others > cores - at_once + QDI_OTHERS_PART * at_once)
        (void)snprintf(reason.text, sizeof reason.text,
                       "other programs kept %.2g of %d processor%s busy meanwhile", others, cores,
                       cores == 1 ? "" : "s");
    return reason;
}

qdi_others_reason qdi_others_end(const qdi_others_start *start, int threads) {
    qdi_others_start now = qdi_others_begin();
    int cores = qdi_host_affinity() > 0 ? qdi_host_affinity() : qdi_host_cores();
    double elapsed = (double)(now.clock_ns - start->clock_ns), own = (double)(now.own_ns - start->own_ns);
    double all = (double)(now.machine_ns - start->machine_ns);
    if (now.machine_ns <= start->machine_ns || !(elapsed > 0)) return (qdi_others_reason){""};
    return qdi_others_judge((all - own - cores * tick_ns) / elapsed, cores, threads);
}
