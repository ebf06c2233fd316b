// A library that is loaded before all others (LD_PRELOAD) and makes one call of the program fail, so that
// tests can have a full disk, no memory or a power cut at any moment they like. What it does is said by
// variables of the environment:
//
//   QD_FAULT_FILE=N     call number N (from 1) that writes to the file system fails
//   QD_FAULT_ERROR=E    and so: an errno, ENOSPC where it is not given
//   QD_FAULT_STAY=1     and all after it do, too: the disk stays full
//   QD_FAULT_KILL=N     before that call the program is killed
//   QD_FAULT_MEMORY=N   allocation number N fails
//   QD_FAULT_FLOCK=E    the file system does not know flock, which fails with this errno,
//   QD_FAULT_LOCKS=1    nor locks of ranges that belong to an open file
//   QD_FAULT_REPORT=F   at the end file F gets the number of file calls, of allocations, and of those of the
//                       program's own code (not of libraries) that nobody has freed
//
// Calls on stdout and stderr do not count, nor do files that are only read, nor shared memory: LLVM's OpenMP
// has some of its own and ends the program where it gets none.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <pthread.h>
#include <signal.h>
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
#include <unistd.h>

static atomic_long file_calls, memory_calls;
static long fail_file, fail_memory, kill_at;
static int fail_error;
static bool stay;
static uintptr_t text_low, text_high; ///< the program's own code

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
    kill_at = number("QD_FAULT_KILL");
    fail_file = number("QD_FAULT_FILE");
    fail_memory = number("QD_FAULT_MEMORY");
}

// ---- files ----

/// True where this call is to fail; errno is set then.
static bool fault(void) {
    long call = atomic_fetch_add(&file_calls, 1) + 1;
    if (call == kill_at) (void)kill(getpid(), SIGKILL);
    if (fail_file == 0 || (stay ? call < fail_file : call != fail_file)) return false;
    errno = fail_error;
    return true;
}

/// The function that this one stands before.
#define NEXT(name) ((__typeof__(&(name)))(uintptr_t)dlsym(RTLD_NEXT, #name))

static bool told(int descriptor) {
    return descriptor == STDOUT_FILENO || descriptor == STDERR_FILENO;
}

static bool is_shared_memory(const char *path) {
    return strncmp(path, "/dev/shm/", sizeof "/dev/shm/" - 1) == 0;
}

static bool shares_memory(int descriptor) {
    char link[64], path[256];
    (void)snprintf(link, sizeof link, "/proc/self/fd/%d", descriptor);
    ssize_t length = readlink(link, path, sizeof path - 1);
    if (length < 0) return false;
    path[length] = '\0';
    return is_shared_memory(path);
}

// Headers name parameters in a way that is theirs alone.
// NOLINTBEGIN(readability-inconsistent-declaration-parameter-name)

ssize_t write(int descriptor, const void *data, size_t bytes) {
    if (!told(descriptor) && fault()) return -1;
    return NEXT(write)(descriptor, data, bytes);
}

ssize_t pwrite(int descriptor, const void *data, size_t bytes, off_t at) {
    return fault() ? -1 : NEXT(pwrite)(descriptor, data, bytes, at);
}

ssize_t pwrite64(int descriptor, const void *data, size_t bytes, off64_t at) {
    return fault() ? -1 : NEXT(pwrite64)(descriptor, data, bytes, at);
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
    return fails ? -1 : NEXT(fcntl)(descriptor, command, argument);
}

int fsync(int descriptor) {
    return fault() ? -1 : NEXT(fsync)(descriptor);
}

int fdatasync(int descriptor) {
    return fault() ? -1 : NEXT(fdatasync)(descriptor);
}

int ftruncate(int descriptor, off_t size) {
    return !shares_memory(descriptor) && fault() ? -1 : NEXT(ftruncate)(descriptor, size);
}

int ftruncate64(int descriptor, off64_t size) {
    return !shares_memory(descriptor) && fault() ? -1 : NEXT(ftruncate64)(descriptor, size);
}

int rename(const char *from, const char *to) {
    return fault() ? -1 : NEXT(rename)(from, to);
}

int mkdir(const char *path, mode_t mode) {
    return fault() ? -1 : NEXT(mkdir)(path, mode);
}

static mode_t mode_of(int flags, va_list rest) {
    return flags & O_CREAT ? (mode_t)va_arg(rest, int) : 0;
}

static bool writes(int flags) {
    return (flags & O_ACCMODE) != O_RDONLY;
}

int open(const char *path, int flags, ...) {
    va_list rest;
    va_start(rest, flags);
    mode_t mode = mode_of(flags, rest);
    va_end(rest);
    return writes(flags) && !is_shared_memory(path) && fault() ? -1 : NEXT(open)(path, flags, mode);
}

int open64(const char *path, int flags, ...) {
    va_list rest;
    va_start(rest, flags);
    mode_t mode = mode_of(flags, rest);
    va_end(rest);
    return writes(flags) && !is_shared_memory(path) && fault() ? -1 : NEXT(open64)(path, flags, mode);
}

// ---- memory ----

// The C library's own names of what is replaced here.
void *__libc_malloc(size_t bytes);
void *__libc_calloc(size_t count, size_t bytes);
void *__libc_realloc(void *memory, size_t bytes);
void *__libc_memalign(size_t alignment, size_t bytes);
void __libc_free(void *memory);

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
    if (atomic_fetch_add(&memory_calls, 1) + 1 != fail_memory) return false;
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
    FILE *to = fopen(path, "w");
    if (!to) return;
    fprintf(to, "%ld %ld %ld\n", files, allocations, own_live);
    fclose(to);
}
