// A library that is loaded before all others (LD_PRELOAD) and makes one call of the program fail, so that
// tests can have a full disk, no memory or a power cut at any moment they like. What it does is said by
// variables of the environment:
//
//   QD_FAULT_FILE=N     call number N (from 1) that writes to the file system fails
//   QD_FAULT_ERROR=E    and so: an errno, ENOSPC where it is not given
//   QD_FAULT_STAY=1     and all after it do, too: the disk stays full
//   QD_FAULT_BELOW=DIR  only calls on files in this directory, an absolute path, count
//   QD_FAULT_KILL=N     before that call the program is killed
//   QD_FAULT_MEMORY=N   allocation number N fails
//   QD_FAULT_FLOCK=E    the file system does not know flock, which fails with this errno,
//   QD_FAULT_LOCKS=1    nor locks of ranges that belong to an open file
//   QD_FAULT_REPORT=F   at the end file F gets the number of file calls, of allocations, and of those of the
//                       program's own code (not of libraries) that nobody has freed
//
//   QD_FAULT_PLAN=S     faults by the dice, seed S: one call in QD_FAULT_RARE (100) reads or writes less,
//                       is interrupted or fails in one of its ways; there are no descriptors left, threads
//                       and children cannot be started, children die, the clock jumps, memory is refused,
//                       and the program gets a signal or is killed. A child has another plan, which follows
//   QD_FAULT_LOG=F      what is done to files below the working directory, by children too, is added to
//                       file F, which power_cut.h reads
//   QD_FAULT_UNSYNCED=N sync number N from 1 is forgotten (0: all are), though it is said to be done
//
// Calls on stdout and stderr do not count, nor do files that are only read, nor shared memory: LLVM's OpenMP
// has some of its own and ends the program where it gets none.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static atomic_long file_calls, memory_calls;
static long fail_file, fail_memory, kill_at;
static int fail_error;
static bool stay;
static const char *below;
static uintptr_t text_low, text_high; ///< the program's own code

static void begin_log(void);
static bool plan;
static uint64_t plan_seed;
static long rare;

static long number(const char *name) {
    const char *text = getenv(name);
    return text ? strtol(text, NULL, 10) : 0;
}

static int find_program(struct dl_phdr_info *info, size_t size, void *context) {
    (void)size;
    (void)context;
    for (int i = 0; i < info->dlpi_phnum; ++i) {
        const ElfW(Phdr) *part = &info->dlpi_phdr[i];
        if (part->p_type != PT_LOAD || !(part->p_flags & PF_X)) continue;
        text_low = info->dlpi_addr + part->p_vaddr;
        text_high = text_low + part->p_memsz;
    }
    return 1; // the program comes first
}

__attribute__((constructor)) static void begin(void) {
    dl_iterate_phdr(find_program, NULL);
    fail_error = (int)number("QD_FAULT_ERROR");
    if (fail_error == 0) fail_error = ENOSPC;
    stay = number("QD_FAULT_STAY") != 0;
    below = getenv("QD_FAULT_BELOW");
    kill_at = number("QD_FAULT_KILL");
    fail_file = number("QD_FAULT_FILE");
    fail_memory = number("QD_FAULT_MEMORY");
    plan = getenv("QD_FAULT_PLAN") != NULL;
    plan_seed = (uint64_t)number("QD_FAULT_PLAN");
    rare = number("QD_FAULT_RARE");
    if (rare <= 0) rare = 100;
    begin_log();
}

// ---- plans ----

/// Each thread throws dice of its own: a plan does not depend on whose turn it is. Memory of a thread's own
/// that needs no allocation.
#define OWN static _Thread_local __attribute__((tls_model("initial-exec")))
OWN uint64_t dice, thrown, threads_made;

static uint64_t mix(uint64_t bits) {
    bits = (bits ^ bits >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    bits = (bits ^ bits >> 27) * UINT64_C(0x94d049bb133111eb);
    return bits ^ bits >> 31;
}

/// Bits for this call where the plan has a fault for it, else 0.
static uint64_t plan_strikes(long times_rarer) {
    if (!plan) return 0;
    uint64_t bits = mix((plan_seed ^ dice) * UINT64_C(0x9e3779b97f4a7c15) + thrown++);
    return bits % (uint64_t)(rare * times_rarer) == 0 ? bits >> 20 | 1 : 0;
}

/// Children that were started, of which some have ended.
static atomic_int children[8];
static atomic_uint child_count;

/// A child dies, where one is left that nobody has waited for: its number is nobody else's then.
static void plan_kills_child(uint64_t bits) {
    siginfo_t facts;
    int child = atomic_load(&children[(bits >> 8) % (sizeof children / sizeof children[0])]);
    if (child > 0 && waitid(P_PID, (id_t)child, &facts, WEXITED | WNOHANG | WNOWAIT) == 0)
        (void)kill(child, SIGKILL);
}

static void note_child(int child) {
    if (child > 0)
        atomic_store(&children[atomic_fetch_add(&child_count, 1) % (sizeof children / sizeof children[0])],
                     child);
}

/// At any call there may be a signal, and a child may die. errno stays.
static void plan_signals(void) {
    static const int signals[] = {SIGTERM, SIGINT, SIGUSR1, SIGKILL};
    int before = errno;
    uint64_t bits = plan_strikes(10);
    if (bits) (void)kill(getpid(), signals[(bits >> 16) % (sizeof signals / sizeof signals[0])]);
    bits = plan_strikes(4);
    if (bits) plan_kills_child(bits);
    errno = before;
}

/// Fails a call in a way that the dice say, which are not all there for calls that only read.
static bool plan_fails(bool writes) {
    static const int errors[] = {EIO, EINTR, EMFILE, ENFILE, ENOSPC, EDQUOT};
    plan_signals();
    uint64_t bits = plan_strikes(1);
    if (bits == 0) return false;
    errno = errors[(bits >> 16) % (writes ? sizeof errors / sizeof errors[0] : 4)];
    return true;
}

/// As many bytes as are read or written, of `bytes`.
static size_t plan_bytes(size_t bytes) {
    uint64_t bits = bytes > 1 ? plan_strikes(2) : 0;
    return bits ? 1 + (size_t)(bits >> 8) % (bytes - 1) : bytes;
}

/// The next child has a plan of its own.
static void plan_for_child(void) {
    char seed[24];
    if (!plan) return;
    (void)snprintf(seed, sizeof seed, "%lu", (unsigned long)(mix(plan_seed + ++threads_made) >> 34));
    (void)setenv("QD_FAULT_PLAN", seed, 1);
}

// ---- the log ----

// See power_cut.h: a record begins with these numbers, then come both paths and the data.
enum { LOG_OPEN, LOG_WRITE, LOG_CUT, LOG_RENAME, LOG_DELETE, LOG_FOLDER, LOG_SYNC, LOG_SYNC_ALL };
typedef struct log_record {
    uint32_t what, path_bytes, other_bytes;
    int32_t descriptor;
    uint64_t at, bytes, process;
} log_record;

static int log_file = -1;
static char log_root[512]; ///< the working directory, with a slash
static pthread_mutex_t log_lock = PTHREAD_MUTEX_INITIALIZER;
static long unsynced = -1, syncs;

/// The function that this one stands before.
#define NEXT(name) ((__typeof__(&(name)))(uintptr_t)dlsym(RTLD_NEXT, #name))

static void begin_log(void) {
    const char *path = getenv("QD_FAULT_LOG");
    if (!path || !getcwd(log_root, sizeof log_root - 2)) return;
    log_root[strlen(log_root)] = '/'; // zeros follow
    log_file = NEXT(open)(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
    if (getenv("QD_FAULT_UNSYNCED")) unsynced = number("QD_FAULT_UNSYNCED");
}

/// The path as it is below the working directory; NULL where it is elsewhere.
static const char *log_path(const char *path) {
    size_t root = strlen(log_root);
    if (strncmp(path, log_root, root) == 0) return path + root;
    return path[0] == '/' ? NULL : path;
}

/// Adds a record. Nothing comes between it and what it tells of: the caller has the lock.
static void log_it(log_record record, const char *path, const char *other, const void *data) {
    const char *parts[2] = {path ? log_path(path) : "", other ? log_path(other) : ""};
    if (!parts[0] || !parts[1]) return;
    record.path_bytes = (uint32_t)strlen(parts[0]);
    record.other_bytes = (uint32_t)strlen(parts[1]);
    record.process = (uint64_t)getpid();
    const struct iovec all[] = {{&record, sizeof record},
                                {(void *)(uintptr_t)parts[0], record.path_bytes},
                                {(void *)(uintptr_t)parts[1], record.other_bytes},
                                {(void *)(uintptr_t)data, data ? (size_t)record.bytes : 0}};
    (void)!writev(log_file, all, 4);
}

static void log_begin(void) {
    if (log_file >= 0) pthread_mutex_lock(&log_lock);
}

/// Ends what log_begin began; `done`: the call succeeded. errno stays.
static void log_end(bool done, log_record record, const char *path, const char *other, const void *data) {
    if (log_file < 0) return;
    int error = errno;
    if (done) log_it(record, path, other, data);
    pthread_mutex_unlock(&log_lock);
    errno = error;
}

/// Whether a sync is one that is forgotten.
static bool forgets_sync(void) {
    return unsynced >= 0 && (++syncs == unsynced || unsynced == 0);
}

// ---- files ----

/// True where this call is to fail; errno is set then.
static bool fault(void) {
    long call = atomic_fetch_add(&file_calls, 1) + 1;
    if (call == kill_at) (void)kill(getpid(), SIGKILL);
    if (fail_file == 0 || (stay ? call < fail_file : call != fail_file)) return plan_fails(true);
    errno = fail_error;
    return true;
}

static bool told(int descriptor) {
    return descriptor == STDOUT_FILENO || descriptor == STDERR_FILENO;
}

static bool is_shared_memory(const char *path) {
    return strncmp(path, "/dev/shm/", sizeof "/dev/shm/" - 1) == 0;
}

/// Whether a file's calls do not count because it lies where no faults are.
static bool is_elsewhere(const char *path) {
    return below && strncmp(path, below, strlen(below)) != 0;
}

/// The file of a descriptor is one of those that `which` tells of.
static bool is_such(int descriptor, bool (*which)(const char *)) {
    char link[64], path[512];
    (void)snprintf(link, sizeof link, "/proc/self/fd/%d", descriptor);
    ssize_t length = readlink(link, path, sizeof path - 1);
    if (length < 0) return false;
    path[length] = '\0';
    return which(path);
}

/// As fault, of a call on a descriptor or on a path.
static bool fault_of(int descriptor) {
    return !(below && is_such(descriptor, is_elsewhere)) && fault();
}

static bool fault_at(const char *path) {
    return !is_elsewhere(path) && fault();
}

// Headers name parameters in a way that is theirs alone.
// NOLINTBEGIN(readability-inconsistent-declaration-parameter-name)

ssize_t write(int descriptor, const void *data, size_t bytes) {
    if (told(descriptor)) return NEXT(write)(descriptor, data, bytes);
    if (fault_of(descriptor)) return -1;
    log_begin();
    ssize_t done = NEXT(write)(descriptor, data, plan_bytes(bytes));
    off_t end = log_file >= 0 && done > 0 ? lseek(descriptor, 0, SEEK_CUR) : -1; // -1: a pipe
    log_end(end >= done,
            (log_record){.what = LOG_WRITE,
                         .descriptor = descriptor,
                         .at = (uint64_t)(end - done),
                         .bytes = (uint64_t)done},
            NULL, NULL, data);
    return done;
}

ssize_t pwrite64(int descriptor, const void *data, size_t bytes, off64_t at) {
    if (fault_of(descriptor)) return -1;
    log_begin();
    ssize_t done = NEXT(pwrite64)(descriptor, data, plan_bytes(bytes), at);
    log_end(done > 0,
            (log_record){
                .what = LOG_WRITE, .descriptor = descriptor, .at = (uint64_t)at, .bytes = (uint64_t)done},
            NULL, NULL, data);
    return done;
}

ssize_t pwrite(int descriptor, const void *data, size_t bytes, off_t at) __attribute__((alias("pwrite64")));

ssize_t read(int descriptor, void *data, size_t bytes) {
    return plan_fails(false) ? -1 : NEXT(read)(descriptor, data, plan_bytes(bytes));
}

ssize_t pread64(int descriptor, void *data, size_t bytes, off64_t at) {
    return plan_fails(false) ? -1 : NEXT(pread64)(descriptor, data, plan_bytes(bytes), at);
}

ssize_t pread(int descriptor, void *data, size_t bytes, off_t at) __attribute__((alias("pread64")));

/// What was not written shows when a file is closed, which it is all the same.
int close(int descriptor) {
    int failed = NEXT(close)(descriptor);
    uint64_t bits = failed ? 0 : plan_strikes(4);
    if (bits) errno = bits >> 8 & 1 ? EIO : EINTR;
    return bits ? -1 : failed;
}

int pipe(int ends[2]) {
    return plan_fails(false) ? -1 : NEXT(pipe)(ends);
}

int pipe2(int ends[2], int flags) {
    return plan_fails(false) ? -1 : NEXT(pipe2)(ends, flags);
}

int flock(int descriptor, int operation) {
    errno = (int)number("QD_FAULT_FLOCK");
    return errno ? -1 : NEXT(flock)(descriptor, operation);
}

int fcntl(int descriptor, int command, ...) {
    va_list rest;
    va_start(rest, command);
    void *argument = va_arg(rest, void *);
    va_end(rest);
    bool fails = command == F_OFD_SETLK && number("QD_FAULT_LOCKS") != 0;
    if (fails) errno = EINVAL;
    if (command == F_DUPFD_CLOEXEC) fails = plan_fails(false);
    return fails ? -1 : NEXT(fcntl)(descriptor, command, argument);
}

/// Syncs by the function `next`.
static int sync_file(int descriptor, int (*next)(int), uint32_t what) {
    if (fault_of(descriptor)) return -1;
    log_begin();
    bool forgotten = forgets_sync();
    int failed = log_file >= 0 ? 0 : next(descriptor); // nobody cuts the power of this machine
    log_end(!failed && !forgotten, (log_record){.what = what, .descriptor = descriptor}, NULL, NULL, NULL);
    return failed;
}

int fsync(int descriptor) {
    return sync_file(descriptor, NEXT(fsync), LOG_SYNC);
}

int fdatasync(int descriptor) {
    return sync_file(descriptor, NEXT(fdatasync), LOG_SYNC);
}

int syncfs(int descriptor) {
    return sync_file(descriptor, NEXT(syncfs), LOG_SYNC_ALL);
}

int ftruncate64(int descriptor, off64_t size) {
    if (!is_such(descriptor, is_shared_memory) && fault_of(descriptor)) return -1;
    log_begin();
    int failed = NEXT(ftruncate64)(descriptor, size);
    log_end(!failed, (log_record){.what = LOG_CUT, .descriptor = descriptor, .at = (uint64_t)size}, NULL,
            NULL, NULL);
    return failed;
}

int ftruncate(int descriptor, off_t size) {
    return ftruncate64(descriptor, size);
}

int rename(const char *from, const char *to) {
    if (fault_at(to)) return -1;
    log_begin();
    int failed = NEXT(rename)(from, to);
    log_end(!failed, (log_record){.what = LOG_RENAME}, from, to, NULL);
    return failed;
}

int unlink(const char *path) {
    log_begin();
    int failed = NEXT(unlink)(path);
    log_end(!failed, (log_record){.what = LOG_DELETE}, path, NULL, NULL);
    return failed;
}

int rmdir(const char *path) {
    log_begin();
    int failed = NEXT(rmdir)(path);
    log_end(!failed, (log_record){.what = LOG_DELETE}, path, NULL, NULL);
    return failed;
}

int mkdir(const char *path, mode_t mode) {
    if (fault_at(path)) return -1;
    log_begin();
    int failed = NEXT(mkdir)(path, mode);
    log_end(!failed, (log_record){.what = LOG_FOLDER}, path, NULL, NULL);
    return failed;
}

static mode_t mode_of(int flags, va_list rest) {
    return flags & O_CREAT ? (mode_t)va_arg(rest, int) : 0;
}

static bool writes(int flags) {
    return (flags & O_ACCMODE) != O_RDONLY;
}

/// Opens by the function `next`.
static int open_file(const char *path, int flags, mode_t mode, int (*next)(const char *, int, ...)) {
    if (writes(flags) ? !is_shared_memory(path) && fault_at(path) : plan_fails(false)) return -1;
    log_begin();
    int descriptor = next(path, flags, mode);
    log_end(descriptor >= 0,
            (log_record){.what = LOG_OPEN, .descriptor = descriptor, .at = flags & O_TRUNC ? 1 : 0}, path,
            NULL, NULL);
    return descriptor;
}

int open(const char *path, int flags, ...) {
    va_list rest;
    va_start(rest, flags);
    mode_t mode = mode_of(flags, rest);
    va_end(rest);
    return open_file(path, flags, mode, NEXT(open));
}

int open64(const char *path, int flags, ...) __attribute__((alias("open")));

// ---- threads, children, the clock ----

typedef struct thread_start {
    void *(*run)(void *);
    void *context;
    uint64_t dice;
} thread_start;

void *__libc_malloc(size_t bytes);
void __libc_free(void *memory);

/// Begins a thread with dice of its own.
static void *begin_thread(void *given) {
    thread_start start = *(thread_start *)given;
    __libc_free(given);
    dice = start.dice;
    return start.run(start.context);
}

int pthread_create(pthread_t *thread, const pthread_attr_t *how, void *(*run)(void *), void *context) {
    if (!plan) return NEXT(pthread_create)(thread, how, run, context);
    thread_start *start = plan_strikes(1) ? NULL : __libc_malloc(sizeof *start);
    if (!start) return EAGAIN;
    *start = (thread_start){run, context, mix(dice + ++threads_made)};
    int failed = NEXT(pthread_create)(thread, how, begin_thread, start);
    if (failed) __libc_free(start);
    return failed;
}

pid_t fork(void) {
    if (plan_strikes(1)) {
        errno = EAGAIN;
        return -1;
    }
    plan_for_child();
    pid_t child = NEXT(fork)();
    note_child(child);
    return child;
}

int posix_spawnp(pid_t *child, const char *name, const posix_spawn_file_actions_t *actions,
                 const posix_spawnattr_t *how, char *const arguments[], char *const variables[]) {
    if (plan_strikes(1)) return EAGAIN;
    plan_for_child();
    int failed = NEXT(posix_spawnp)(child, name, actions, how, arguments, plan ? environ : variables);
    if (!failed) note_child(*child);
    return failed;
}

/// Whether a call that waits is interrupted.
static bool plan_interrupts(void) {
    plan_signals();
    if (!plan_strikes(4)) return false;
    errno = EINTR;
    return true;
}

int poll(struct pollfd *ends, nfds_t count, int milliseconds) {
    return plan_interrupts() ? -1 : NEXT(poll)(ends, count, milliseconds);
}

pid_t waitpid(pid_t child, int *state, int options) {
    return plan_interrupts() ? -1 : NEXT(waitpid)(child, state, options);
}

int clock_gettime(clockid_t clock, struct timespec *time) {
    static atomic_long leap; // seconds: the clock that tells time of day goes back, too
    int failed = NEXT(clock_gettime)(clock, time);
    uint64_t bits = plan_strikes(1);
    if (bits) atomic_fetch_add(&leap, (long)(bits >> 8) % 100000);
    if (plan)
        time->tv_sec += clock == CLOCK_REALTIME && (atomic_load(&leap) & 1) ? -atomic_load(&leap)
                                                                            : atomic_load(&leap);
    return failed;
}

// ---- memory ----

// The C library's own names of what is replaced here.
void *__libc_calloc(size_t count, size_t bytes);
void *__libc_realloc(void *memory, size_t bytes);
void *__libc_memalign(size_t alignment, size_t bytes);

/// Allocations of the program's own code, in an open table.
enum { TABLE = 1 << 20 };
static void *table[TABLE];
static long own_live;
static pthread_mutex_t table_lock = PTHREAD_MUTEX_INITIALIZER;

static size_t place_of(const void *memory) {
    return (size_t)(((uintptr_t)memory >> 4) * UINT64_C(0x9e3779b97f4a7c15) >> 44) & (TABLE - 1);
}

#define GONE ((void *)(uintptr_t)1)

static void keep(void *memory, const void *caller) {
    uintptr_t from = (uintptr_t)caller;
    if (!memory || from < text_low || from >= text_high) return;
    pthread_mutex_lock(&table_lock);
    size_t at = place_of(memory);
    while (table[at] && table[at] != GONE) at = (at + 1) & (TABLE - 1);
    table[at] = memory;
    own_live += 1;
    pthread_mutex_unlock(&table_lock);
}

static void forget(const void *memory) {
    if (!memory) return;
    pthread_mutex_lock(&table_lock);
    for (size_t at = place_of(memory); table[at]; at = (at + 1) & (TABLE - 1)) {
        if (table[at] != memory) continue;
        table[at] = GONE;
        own_live -= 1;
        break;
    }
    pthread_mutex_unlock(&table_lock);
}

static bool no_memory(void) {
    if (atomic_fetch_add(&memory_calls, 1) + 1 != fail_memory && !plan_strikes(100)) return false;
    errno = ENOMEM;
    return true;
}

void *malloc(size_t bytes) {
    void *memory = no_memory() ? NULL : __libc_malloc(bytes);
    keep(memory, __builtin_return_address(0));
    return memory;
}

void *calloc(size_t count, size_t bytes) {
    void *memory = no_memory() ? NULL : __libc_calloc(count, bytes);
    keep(memory, __builtin_return_address(0));
    return memory;
}

void *realloc(void *old, size_t bytes) {
    if (no_memory()) return NULL;
    forget(old);
    void *memory = __libc_realloc(old, bytes);
    keep(memory, __builtin_return_address(0));
    return memory;
}

void *aligned_alloc(size_t alignment, size_t bytes) {
    void *memory = no_memory() ? NULL : __libc_memalign(alignment, bytes);
    keep(memory, __builtin_return_address(0));
    return memory;
}

int posix_memalign(void **memory, size_t alignment, size_t bytes) {
    *memory = no_memory() ? NULL : __libc_memalign(alignment, bytes);
    keep(*memory, __builtin_return_address(0));
    return *memory ? 0 : ENOMEM;
}

void free(void *memory) {
    forget(memory);
    __libc_free(memory);
}

// NOLINTEND(readability-inconsistent-declaration-parameter-name)

// ---- the end ----

__attribute__((destructor)) static void report(void) {
    const char *path = getenv("QD_FAULT_REPORT");
    if (!path) return;
    long files = atomic_load(&file_calls), allocations = atomic_load(&memory_calls);
    fail_file = kill_at = fail_memory = 0;
    plan = false;
    FILE *to = fopen(path, "w");
    if (!to) return;
    fprintf(to, "%ld %ld %ld\n", files, allocations, own_live);
    fclose(to);
}
