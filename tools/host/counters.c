#define _GNU_SOURCE // syscall
#include "tools/host/counters.h"

#include "tools/host/os.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#ifdef __linux__
#    include <linux/perf_event.h>
#    include <sys/syscall.h>
#endif

static const char *const names[QDI_COUNTERS] = {"cycles", "instructions", "cache_misses"};

const char *qdi_counter_name(qdi_counter counter) {
    return names[counter];
}

#ifdef __linux__

int qdi_counter_open(uint32_t type, uint64_t event) {
    struct perf_event_attr attributes;
    memset(&attributes, 0, sizeof attributes);
    attributes.type = type;
    attributes.size = sizeof attributes;
    attributes.config = event;
    attributes.inherit = 1; // threads that this one starts
    attributes.exclude_kernel = 1;
    attributes.exclude_hv = 1;
    attributes.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING;
    return (int)syscall(SYS_perf_event_open, &attributes, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
}

// Hardware counters: opens one of ours.
static int open_counter(qdi_counter counter) {
    static const uint64_t events[QDI_COUNTERS] = {PERF_COUNT_HW_CPU_CYCLES, PERF_COUNT_HW_INSTRUCTIONS,
                                                  PERF_COUNT_HW_CACHE_MISSES};
    return qdi_counter_open(PERF_TYPE_HARDWARE, events[counter]);
}

#else

int qdi_counter_open(uint32_t type, uint64_t event) {
    (void)type;
    (void)event;
    errno = ENOSYS;
    return -1;
}

// Hardware counters: opens one of ours.
static int open_counter(qdi_counter counter) {
    return qdi_counter_open(0, (uint64_t)counter);
}

#endif

bool qdi_counter_read(int descriptor, double *value) {
    struct {
        uint64_t value, enabled, running;
    } found = {0, 0, 0};
    *value = 0;
    if (descriptor < 0 || read(descriptor, &found, sizeof found) != (ssize_t)sizeof found) return false;
    if (found.running == 0) return false;
    *value = (double)found.value * ((double)found.enabled / (double)found.running);
    return true;
}

// Hardware counters: why the system gave none, by its error.
static void say_why(int error, char *why, size_t bytes) {
    char level[32];
    switch (error) {
    case EACCES:
    case EPERM:
        qdi_host_first_line("/proc/sys/kernel/perf_event_paranoid", level, sizeof level);
        (void)snprintf(why, bytes, "the system does not let this process see them%s%s%s",
                       level[0] ? " (kernel.perf_event_paranoid is " : "", level, level[0] ? ")" : "");
        break;
    case ENOENT:
    case ENODEV:
    case EOPNOTSUPP: (void)snprintf(why, bytes, "this processor, or its virtual machine, has none"); break;
    case ENOSYS: (void)snprintf(why, bytes, "this system has no such call"); break;
    default: (void)snprintf(why, bytes, "the system refuses them (error %d)", error); break;
    }
}

void qdi_counters_start(qdi_counters *counters, char *why, size_t bytes) {
    why[0] = '\0';
    for (int i = 0; i < QDI_COUNTERS; ++i) {
        counters->descriptors[i] = open_counter((qdi_counter)i);
        if (counters->descriptors[i] < 0 && !why[0]) say_why(errno, why, bytes);
    }
}

void qdi_counters_stop(qdi_counters *counters) {
    for (int i = 0; i < QDI_COUNTERS; ++i) {
        if (counters->descriptors[i] >= 0) (void)close(counters->descriptors[i]);
        counters->descriptors[i] = -1;
    }
}

qdi_counts qdi_counters_now(const qdi_counters *counters) {
    qdi_counts counts;
    for (int i = 0; i < QDI_COUNTERS; ++i)
        counts.known[i] = qdi_counter_read(counters->descriptors[i], &counts.value[i]);
    return counts;
}

qdi_counts qdi_counts_between(const qdi_counts *first, const qdi_counts *last) {
    qdi_counts between;
    for (int i = 0; i < QDI_COUNTERS; ++i) {
        between.known[i] = first->known[i] && last->known[i] && last->value[i] >= first->value[i];
        between.value[i] = between.known[i] ? last->value[i] - first->value[i] : 0;
    }
    return between;
}
