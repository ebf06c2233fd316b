#define _GNU_SOURCE // sched_getaffinity
#include "tools/os.h"

#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <unistd.h>

/// The one thing at file scope that changes in this program: a signal handler can reach nothing else.
static volatile sig_atomic_t noted_signal;

int qdi_host_cores(void) {
    long cores = sysconf(_SC_NPROCESSORS_ONLN);
    return cores > 0 ? (int)cores : 1;
}

int qdi_host_affinity(void) {
    // The kernel refuses a set that is too small for its processors: try larger ones.
    for (int processors = 1024; processors <= 1 << 20; processors *= 4) {
        cpu_set_t *set = CPU_ALLOC((size_t)processors);
        if (!set) return 0;
        size_t bytes = CPU_ALLOC_SIZE((size_t)processors);
        int count = sched_getaffinity(0, bytes, set) == 0 ? CPU_COUNT_S(bytes, set) : 0;
        CPU_FREE(set);
        if (count > 0) return count;
    }
    return 0;
}

size_t qdi_host_peak_memory(void) {
    struct rusage usage;
    return getrusage(RUSAGE_SELF, &usage) == 0 ? (size_t)usage.ru_maxrss * 1024 : 0;
}

bool qdi_host_stderr_is_terminal(void) {
    const char *kind = getenv("TERM");
    return isatty(STDERR_FILENO) && kind && *kind && strcmp(kind, "dumb") != 0;
}

int qdi_host_terminal_width(void) {
    struct winsize size;
    return ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? (int)size.ws_col : 80;
}

static void note_signal(int number) {
    noted_signal = number;
}

void qdi_host_watch_signals(void) {
    static const int watched[] = {SIGINT, SIGTERM, SIGHUP};
    for (size_t i = 0; i < sizeof watched / sizeof watched[0]; ++i) {
        struct sigaction action, earlier;
        memset(&action, 0, sizeof action);
        action.sa_handler = note_signal;
        action.sa_flags = SA_RESTART | (int)SA_RESETHAND;
        sigemptyset(&action.sa_mask);
        if (sigaction(watched[i], NULL, &earlier) == 0 && earlier.sa_handler != SIG_IGN)
            sigaction(watched[i], &action, NULL);
    }
    signal(SIGXFSZ, SIG_IGN);
    signal(SIGPIPE, SIG_IGN);
}

int qdi_host_signal(void) {
    return noted_signal;
}

const char *qdi_host_signal_name(int number) {
    switch (number) {
    case SIGINT: return "SIGINT";
    case SIGTERM: return "SIGTERM";
    case SIGHUP: return "SIGHUP";
    default: return "a signal";
    }
}
