#define _GNU_SOURCE // sched_getaffinity, posix_spawn_file_actions_addchdir_np
#include "tools/host/os.h"

#include "sim/files/os.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <malloc.h>
#include <math.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <spawn.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/// The two things at file scope that change in this program: a signal handler can reach nothing else. The
/// second is when the first SIGINT came, in nanoseconds of the clock, 0 before.
static atomic_int noted_signal; // threads of a team read it in the midst of a step
static _Atomic uint64_t interrupted_ns;

/// Two SIGINTs closer than this are one.
static const uint64_t one_interrupt_ns = 250000000U;

void qdi_host_spare_addresses(void) {
#ifdef __GLIBC__
    struct rlimit limit;
    if (getrlimit(RLIMIT_AS, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY) (void)mallopt(M_ARENA_MAX, 1);
#endif
}

void qdi_host_keep_memory(void) {
#ifdef __GLIBC__
    (void)mallopt(M_MMAP_THRESHOLD, 32 << 20); // the most that it takes
    (void)mallopt(M_TRIM_THRESHOLD, INT_MAX);
    (void)mallopt(M_ARENA_MAX, 1); // others give what is free back whatever the threshold
#endif
}

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

/// Host's system: waits for a child's end; true where it was content.
static bool ends_well(pid_t child) {
    int result = -1;
    bool ended = true;
    while (ended && waitpid(child, &result, 0) < 0) ended = errno == EINTR;
    return ended && WIFEXITED(result) && WEXITSTATUS(result) == 0;
}

/// Host's system: starts a program that reads from descriptor `in`. -1 where that fails.
static pid_t spawn_program(char *const *arguments, const char *folder, int in, const char *output) {
    posix_spawn_file_actions_t actions;
    if (posix_spawn_file_actions_init(&actions) != 0) return -1;
    pid_t child = -1;
    bool good = posix_spawn_file_actions_adddup2(&actions, in, STDIN_FILENO) == 0 &&
                posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, output,
                                                 O_WRONLY | O_CREAT | O_TRUNC, 0666) == 0 &&
                (!folder || posix_spawn_file_actions_addchdir_np(&actions, folder) == 0) &&
                posix_spawnp(&child, arguments[0], &actions, NULL, arguments, environ) == 0;
    posix_spawn_file_actions_destroy(&actions);
    return good ? child : -1;
}

bool qdi_host_program_open(char *const *arguments, const char *folder, const char *output,
                           qdi_host_program *program) {
    int ends[2];
    signal(SIGPIPE, SIG_IGN);
    if (pipe2(ends, O_CLOEXEC) != 0) return false;
    pid_t child = spawn_program(arguments, folder, ends[0], output);
    close(ends[0]);
    FILE *in = child > 0 ? fdopen(ends[1], "w") : NULL;
    if (!in) close(ends[1]);
    if (!in && child > 0) (void)ends_well(child);
    *program = (qdi_host_program){in, child};
    return in != NULL;
}

bool qdi_host_program_close(qdi_host_program *program) {
    bool written = !ferror(program->in);
    written = fclose(program->in) == 0 && written;
    return ends_well((pid_t)program->process) && written;
}

bool qdi_host_make_scratch(char *path, size_t bytes) {
    const char *place = getenv("TMPDIR");
    int length = snprintf(path, bytes, "%s/quadrille-XXXXXX", place && *place ? place : "/tmp");
    return length > 0 && (size_t)length < bytes && mkdtemp(path);
}

bool qdi_host_run(char *const *arguments, const char *folder) {
    int nothing = open("/dev/null", O_RDONLY | O_CLOEXEC);
    if (nothing < 0) return false;
    pid_t child = spawn_program(arguments, folder, nothing, "/dev/null");
    close(nothing);
    return child > 0 && ends_well(child);
}

bool qdi_host_stderr_is_terminal(void) {
    const char *kind = getenv("TERM");
    return isatty(STDERR_FILENO) && kind && *kind && strcmp(kind, "dumb") != 0;
}

int qdi_host_terminal_width(void) {
    struct winsize size;
    return ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? (int)size.ws_col : 80;
}

/// Host's system: calls only what a handler may: clock_gettime, signal and raise.
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
    atomic_store(&noted_signal, number);
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
    return atomic_load(&noted_signal);
}

bool qdi_host_asked_to_stop(void *context) {
    (void)context;
    return qdi_host_signal() != 0;
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

int64_t qdi_host_file_time(const char *path) {
    struct stat facts;
    return stat(path, &facts) == 0 ? (int64_t)facts.st_mtim.tv_sec * 1000000000 + facts.st_mtim.tv_nsec : 0;
}

// Processor time of this process or its children.
static qdi_host_usage usage_of_who(int who) {
    struct rusage usage;
    if (getrusage(who, &usage) != 0) return (qdi_host_usage){0, 0};
    const struct timeval *user = &usage.ru_utime, *system = &usage.ru_stime;
    uint64_t seconds = (uint64_t)user->tv_sec + (uint64_t)system->tv_sec;
    uint64_t micros = (uint64_t)user->tv_usec + (uint64_t)system->tv_usec;
    return (qdi_host_usage){seconds * 1000000000U + micros * 1000U, (uint64_t)usage.ru_nivcsw};
}

qdi_host_usage qdi_host_usage_now(void) {
    return usage_of_who(RUSAGE_SELF);
}

uint64_t qdi_host_family_ns(void) {
    return usage_of_who(RUSAGE_SELF).processor_ns + usage_of_who(RUSAGE_CHILDREN).processor_ns;
}

/// Host's system: ticks that a line of /proc/stat has for programs: user, nice, system, irq, softirq, steal.
/// Guests are in user and nice already.
static uint64_t ticks_of(const char *at) {
    enum { FIELDS = 8, IDLE = 3, WAIT = 4 };
    uint64_t sum = 0;
    for (int field = 0; field < FIELDS; ++field) {
        char *end;
        uint64_t value = strtoull(at, &end, 10);
        if (end == at) break;
        if (field != IDLE && field != WAIT) sum += value;
        at = end;
    }
    return sum;
}

uint64_t qdi_host_machine_ns(void) {
    cpu_set_t allowed;
    long rate = sysconf(_SC_CLK_TCK);
    if (rate <= 0 || sched_getaffinity(0, sizeof allowed, &allowed) != 0) return 0;
    FILE *file = fopen("/proc/stat", "r");
    if (!file) return 0;
    uint64_t ticks = 0;
    char line[512];
    while (fgets(line, sizeof line, file) && strncmp(line, "cpu", 3) == 0) {
        char *end;
        unsigned long number = strtoul(line + 3, &end, 10);
        if (line[3] != ' ' && number < CPU_SETSIZE && CPU_ISSET(number, &allowed)) ticks += ticks_of(end);
    }
    (void)fclose(file);
    return ticks * (1000000000U / (uint64_t)rate);
}

double qdi_host_load(void) {
    double load;
    return getloadavg(&load, 1) == 1 ? load : -1;
}

void qdi_host_first_line(const char *path, char *text, size_t bytes) {
    text[0] = '\0';
    FILE *file = fopen(path, "r");
    if (!file) return;
    if (!fgets(text, (int)bytes, file)) text[0] = '\0';
    text[strcspn(text, "\n")] = '\0';
    (void)fclose(file);
}

const char *qdi_host_variable(size_t number) {
    for (size_t i = 0; environ && environ[i]; ++i)
        if (i == number) return environ[i];
    return NULL;
}

void qdi_host_system(char *text, size_t bytes) {
    struct utsname names;
    if (uname(&names) == 0)
        snprintf(text, bytes, "%s %s %s", names.sysname, names.release, names.machine);
    else
        snprintf(text, bytes, "unknown");
}

void qdi_host_date(char *text, size_t bytes) {
    time_t now = time(NULL);
    struct tm date;
    if (!gmtime_r(&now, &date) || strftime(text, bytes, "%Y-%m-%dT%H:%M:%SZ", &date) == 0) text[0] = '\0';
}

/// Host's system: reads until the other end is closed. What does not fit is dropped.
static size_t read_reply(int descriptor, pid_t child, unsigned char *data, size_t room) {
    enum { LOOK_MS = 100 };
    size_t got = 0;
    for (bool told = false;;) {
        struct pollfd wait = {.fd = descriptor, .events = POLLIN};
        int ready = poll(&wait, 1, LOOK_MS);
        if (qdi_host_signal() != 0 && !told) {
            told = true;
            kill(child, qdi_host_signal());
        }
        if (ready == 0 || (ready < 0 && errno == EINTR)) continue;
        unsigned char part[4096];
        ssize_t count = read(descriptor, part, sizeof part);
        if (count < 0 && errno == EINTR) continue;
        if (count <= 0) return got;
        size_t taken = (size_t)count < room - got ? (size_t)count : room - got;
        memcpy(data + got, part, taken);
        got += taken;
    }
}

/// Host's system: in the copy.
static _Noreturn void child_work(int (*work)(void *context, FILE *reply), void *context, int descriptor) {
    FILE *reply = fdopen(descriptor, "wb");
    int code = reply ? work(context, reply) : 1;
    if (reply && fclose(reply) != 0 && code == 0) code = 1;
    _exit(code); // what this process would do at its end, and what it has yet to write, is the other's
}

int qdi_host_child_run(int (*work)(void *context, FILE *reply), void *context, void *data, size_t room,
                       size_t *got) {
    int ends[2], state = 0;
    *got = 0;
    if (pipe(ends) != 0) return -1000;
    fflush(NULL);
    pid_t child = fork();
    if (child == 0) {
        close(ends[0]);
        child_work(work, context, ends[1]);
    }
    close(ends[1]);
    if (child > 0) *got = read_reply(ends[0], child, data, room);
    close(ends[0]);
    if (child < 0) return -1000;
    while (waitpid(child, &state, 0) < 0)
        if (errno != EINTR) return -1000;
    return WIFSIGNALED(state) ? -WTERMSIG(state) : WEXITSTATUS(state);
}

void qdi_host_become(const char *const *arguments, char *why, size_t bytes) {
    int nothing = open("/dev/null", O_RDWR | O_CLOEXEC);
    if (nothing >= 0 && dup2(nothing, STDIN_FILENO) >= 0 && dup2(nothing, STDOUT_FILENO) >= 0)
        (void)execvp(arguments[0], (char *const *)(uintptr_t)arguments);
    char text[128];
    snprintf(why, bytes, "%s", qdi_os_error_text(errno, text, sizeof text));
}

// ---- children ----

size_t qdi_host_processors(int *numbers, size_t most) {
    enum { PROCESSORS = 1 << 14 };
    cpu_set_t *set = CPU_ALLOC(PROCESSORS);
    size_t bytes = CPU_ALLOC_SIZE(PROCESSORS), count = 0;
    if (!set) return 0;
    if (sched_getaffinity(0, bytes, set) == 0)
        for (int i = 0; i < PROCESSORS && count < most; ++i)
            if (CPU_ISSET_S((size_t)i, bytes, set)) numbers[count++] = i;
    CPU_FREE(set);
    return count;
}

bool qdi_host_program_path(char *path, size_t bytes) {
    ssize_t length = readlink("/proc/self/exe", path, bytes - 1);
    if (length <= 0 || (size_t)length >= bytes - 1) return false;
    path[length] = '\0';
    return true;
}

void qdi_host_variable_default(const char *name, const char *value) {
    (void)setenv(name, value, 0);
}

void qdi_host_children_begin(void) {
    sigset_t child;
    signal(SIGCHLD, SIG_DFL); // whoever started us may have had it ignored, and with it the children's ends
    sigemptyset(&child);
    sigaddset(&child, SIGCHLD);
    (void)sigprocmask(SIG_BLOCK, &child, NULL);
}

/// Host's system: in the child, between fork and exec: only what may be called there.
static void become_child(const qdi_host_launch *launch, const cpu_set_t *set, size_t set_bytes, pid_t parent,
                         int log) {
    enum { CANNOT_START = 127 };
    sigset_t none;
    sigemptyset(&none);
    (void)sigprocmask(SIG_SETMASK, &none, NULL);
    (void)prctl(PR_SET_PDEATHSIG, SIGTERM);
    if (getppid() != parent) _exit(CANNOT_START); // it ended before we could ask for the signal
    int nothing = open("/dev/null", O_RDWR | O_CLOEXEC);
    if (nothing < 0 || dup2(nothing, STDIN_FILENO) < 0 || dup2(nothing, STDOUT_FILENO) < 0 ||
        dup2(log >= 0 ? log : nothing, STDERR_FILENO) < 0)
        _exit(CANNOT_START);
    if (set) (void)sched_setaffinity(0, set_bytes, set); // a pity where it fails, no more
    execv("/proc/self/exe", launch->arguments);
    _exit(CANNOT_START);
}

int64_t qdi_host_child_start(const qdi_host_launch *launch) {
    cpu_set_t *set = NULL;
    size_t bytes = 0;
    if (launch->processor_count > 0) {
        int most = launch->processors[launch->processor_count - 1] + 1;
        bytes = CPU_ALLOC_SIZE((size_t)most);
        set = CPU_ALLOC((size_t)most);
    }
    if (set) {
        CPU_ZERO_S(bytes, set);
        for (size_t i = 0; i < launch->processor_count; ++i)
            CPU_SET_S((size_t)launch->processors[i], bytes, set);
    }
    fflush(stdout);
    fflush(stderr);
    qdi_file log = QDI_FILE_NONE;
    qd_status logged = qdi_file_append(launch->log, &log, NULL);
    (void)logged; // a run needs no log
    pid_t parent = getpid(), child = fork();
    if (child == 0) become_child(launch, set, bytes, parent, log);
    int number = errno;
    if (log != QDI_FILE_NONE) close(log);
    if (set) CPU_FREE(set);
    errno = number;
    return child;
}

/// Host's system: a child that has ended already.
static bool reap_child(int64_t *child, int *code) {
    int status = 0;
    pid_t ended = waitpid(-1, &status, WNOHANG);
    if (ended <= 0) return false;
    *child = ended;
    *code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    return true;
}

bool qdi_host_child_await(double seconds, int64_t *child, int *code) {
    if (reap_child(child, code)) return true;
    sigset_t ended;
    sigemptyset(&ended);
    sigaddset(&ended, SIGCHLD);
    struct timespec wait = {(time_t)seconds, (long)((seconds - floor(seconds)) * 1e9)};
    // A child that ends from here on wakes us; a signal that is noted does so, too.
    (void)sigtimedwait(&ended, NULL, &wait);
    return reap_child(child, code);
}

void qdi_host_child_stop(int64_t child) {
    (void)kill((pid_t)child, SIGTERM);
}
