#define _GNU_SOURCE // sched_getaffinity
#include "tools/os.h"

#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <time.h>
#include <unistd.h>

/// The two things at file scope that change in this program: a signal handler can reach nothing else. The second is when
/// the first SIGINT came, in nanoseconds of the clock, 0 before.
static volatile sig_atomic_t noted_signal;
static _Atomic uint64_t interrupted_ns;

/// Two SIGINTs closer than this are one.
static const uint64_t one_interrupt_ns = 250000000U;

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

void qdi_host_processor(char *text, size_t bytes) {
    static const char key[] = "model name";
    snprintf(text, bytes, "unknown");
    FILE *file = fopen("/proc/cpuinfo", "r");
    if (!file) return;
    char line[512];
    while (fgets(line, sizeof line, file)) {
        const char *value = strchr(line, ':');
        if (!value || strncmp(line, key, sizeof key - 1) != 0) continue;
        value += strspn(value, ": \t");
        snprintf(text, bytes, "%.*s", (int)strcspn(value, "\n"), value);
        break;
    }
    fclose(file);
}

bool qdi_host_has_program(const char *name) {
    char command[128];
    snprintf(command, sizeof command, "command -v %.64s >/dev/null 2>&1", name);
    return system(command) == 0; // NOLINT(cert-env33-c): the name is ours, not a user's
}

FILE *qdi_host_program_open(const char *name) {
    signal(SIGPIPE, SIG_IGN);
    return popen(name, "w"); // NOLINT(cert-env33-c): the name is ours, not a user's
}

bool qdi_host_program_close(FILE *program) {
    bool written = fflush(program) == 0 && !ferror(program);
    return pclose(program) == 0 && written;
}

bool qdi_host_stderr_is_terminal(void) {
    const char *kind = getenv("TERM");
    return isatty(STDERR_FILENO) && kind && *kind && strcmp(kind, "dumb") != 0;
}

int qdi_host_terminal_width(void) {
    struct winsize size;
    return ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? (int)size.ws_col : 80;
}

/// Calls only what a handler may: clock_gettime, signal and raise.
static void note_signal(int number) {
    if (number == SIGINT) {
        struct timespec now;
        clock_gettime(CLOCK_MONOTONIC, &now);
        uint64_t ns = (uint64_t)now.tv_sec * 1000000000U + (uint64_t)now.tv_nsec, first = 0;
        if (!atomic_compare_exchange_strong(&interrupted_ns, &first, ns) && ns - first >= one_interrupt_ns) {
            signal(SIGINT, SIG_DFL);
            raise(SIGINT); // comes when this handler has ended
        }
    }
    noted_signal = number;
}

int qdi_host_stdout_away(void) {
    fflush(stdout);
    int kept = dup(STDOUT_FILENO);
    if (kept >= 0) dup2(STDERR_FILENO, STDOUT_FILENO);
    return kept;
}

void qdi_host_stdout_back(int kept) {
    if (kept < 0) return;
    fflush(stdout);
    dup2(kept, STDOUT_FILENO);
    close(kept);
}

void qdi_host_watch_signals(void) {
    static const int watched[] = {SIGINT, SIGTERM, SIGUSR1, SIGHUP};
    for (size_t i = 0; i < sizeof watched / sizeof watched[0]; ++i) {
        struct sigaction action, earlier;
        memset(&action, 0, sizeof action);
        action.sa_handler = note_signal;
        action.sa_flags = SA_RESTART;
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
    case SIGUSR1: return "SIGUSR1";
    case SIGHUP: return "SIGHUP";
    default: return "a signal";
    }
}

uint64_t qdi_host_disk_free(const char *path) {
    struct statvfs facts;
    if (statvfs(path, &facts) != 0) return UINT64_MAX;
    uint64_t size = facts.f_frsize, most = UINT64_MAX / (size ? size : 1);
    return facts.f_bavail < most ? facts.f_bavail * size : UINT64_MAX;
}

uint64_t qdi_host_file_size(const char *path) {
    struct stat facts;
    return stat(path, &facts) == 0 && facts.st_size > 0 ? (uint64_t)facts.st_size : 0;
}
