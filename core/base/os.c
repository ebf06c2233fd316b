#define _GNU_SOURCE // madvise, RUSAGE_THREAD, sched_setaffinity
#include "core/base/os.h"

#include "core/base/arithmetic.h"
#include "core/base/memory.h"

#include <pthread.h>
#include <sched.h>
#ifdef __GLIBC__
#    include <malloc.h>
#endif
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#ifdef __linux__
#    include <sys/mman.h>
#    include <sys/resource.h>
#endif

// Memory checkers have to see each allocation; they know those of the C heap.
#if defined(__linux__) && !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#    define MAPPED 1
#endif
#ifdef __has_feature
#    if __has_feature(address_sanitizer) || __has_feature(memory_sanitizer) || __has_feature(thread_sanitizer)
#        undef MAPPED
#    endif
#endif

// System: the next multiple of a large page.
static size_t large_pages(size_t bytes) {
    return (bytes + QDI_LARGE_PAGE - 1) / QDI_LARGE_PAGE * QDI_LARGE_PAGE;
}

void *qdi_os_map(size_t bytes) {
    if (bytes > SIZE_MAX - 2 * QDI_LARGE_PAGE) return NULL;
    const size_t whole = large_pages(bytes);
#ifdef MAPPED
    char *memory = mmap(NULL, whole + QDI_LARGE_PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1,
                        0);
    if (memory == MAP_FAILED) return NULL;
    // What is before the first large page and behind the last one that is needed goes back.
    const size_t before = large_pages((uintptr_t)memory) - (uintptr_t)memory;
    if (before > 0) (void)munmap(memory, before);
    if (before < QDI_LARGE_PAGE) (void)munmap(memory + before + whole, QDI_LARGE_PAGE - before);
    // What is less than a large page at the end stays in small ones, of which only those are there that are
    // needed: of many arrays that is as much as some of them. Refused: small pages do as well.
    (void)madvise(memory + before, bytes / QDI_LARGE_PAGE * QDI_LARGE_PAGE, MADV_HUGEPAGE);
    return memory + before;
#else
    void *memory = aligned_alloc(QDI_LARGE_PAGE, whole);
    if (memory) memset(memory, 0, whole);
    return memory;
#endif
}

void qdi_os_unmap(void *memory, size_t bytes) {
#ifdef MAPPED
    (void)munmap(memory, large_pages(bytes));
#else
    (void)bytes;
    free(memory);
#endif
}

void qdi_os_clear(void *memory, size_t bytes) {
    size_t given = 0;
#ifdef MAPPED
    const size_t whole = bytes / QDI_LARGE_PAGE * QDI_LARGE_PAGE;
    if (madvise(memory, whole, MADV_DONTNEED) == 0) given = whole;
#endif
    memset((char *)memory + given, 0, bytes - given);
}

void qdi_os_trim(void) {
#if defined(__GLIBC__) && defined(MAPPED) // else the heap is a memory checker's
    (void)malloc_trim(0);
#endif
}

struct qdi_monitor {
    const qd_allocator *allocator;
    pthread_mutex_t mutex;
    pthread_cond_t condition;
};

qd_status qdi_monitor_create(const qd_allocator *allocator, qdi_monitor **monitor) {
    qdi_monitor *made = qdi_allocate(allocator, 1, sizeof *made);
    *monitor = NULL;
    if (!made) return QD_ERR_MEMORY;
    made->allocator = allocator;
    if (pthread_mutex_init(&made->mutex, NULL) != 0) {
        qdi_release(allocator, made, 1, sizeof *made);
        return QD_ERR_MEMORY;
    }
    if (pthread_cond_init(&made->condition, NULL) != 0) {
        (void)pthread_mutex_destroy(&made->mutex);
        qdi_release(allocator, made, 1, sizeof *made);
        return QD_ERR_MEMORY;
    }
    *monitor = made;
    return QD_OK;
}

void qdi_monitor_destroy(qdi_monitor *monitor) {
    if (!monitor) return;
    (void)pthread_cond_destroy(&monitor->condition);
    (void)pthread_mutex_destroy(&monitor->mutex);
    qdi_release(monitor->allocator, monitor, 1, sizeof *monitor);
}

void qdi_monitor_enter(qdi_monitor *monitor) {
    (void)pthread_mutex_lock(&monitor->mutex);
}

void qdi_monitor_leave(qdi_monitor *monitor) {
    (void)pthread_mutex_unlock(&monitor->mutex);
}

void qdi_monitor_wait(qdi_monitor *monitor) {
    (void)pthread_cond_wait(&monitor->condition, &monitor->mutex);
}

void qdi_monitor_wake_all(qdi_monitor *monitor) {
    (void)pthread_cond_broadcast(&monitor->condition);
}

void qdi_os_give_way(void) {
    (void)sched_yield();
}

uint64_t qdi_os_preemptions(void) {
#if defined(__linux__) && defined(RUSAGE_THREAD)
    struct rusage usage;
    if (getrusage(RUSAGE_THREAD, &usage) == 0) return (uint64_t)usage.ru_nivcsw;
#endif
    return 0;
}

bool qdi_os_bind(int processor, qdi_os_affinity *before) {
#ifdef __linux__
    const size_t bits = 8 * sizeof before->words[0];
    qdi_os_affinity one = {{0}};
    if (processor < 0 || (size_t)processor >= 8 * sizeof one) return false;
    one.words[(size_t)processor / bits] |= 1UL << (size_t)processor % bits;
    *before = (qdi_os_affinity){{0}};
    return sched_getaffinity(0, sizeof *before, (cpu_set_t *)before) == 0 &&
           sched_setaffinity(0, sizeof one, (const cpu_set_t *)&one) == 0;
#else
    (void)processor;
    (void)before;
    return false;
#endif
}

void qdi_os_unbind(const qdi_os_affinity *before) {
#ifdef __linux__
    (void)sched_setaffinity(0, sizeof *before, (const cpu_set_t *)before);
#else
    (void)before;
#endif
}

void qdi_os_move(int processor) {
    qdi_os_affinity before;
#ifdef __linux__
    if (sched_getcpu() == processor) return;
#endif
    if (qdi_os_bind(processor, &before)) qdi_os_unbind(&before);
}

size_t qdi_os_peak_memory(void) {
#ifdef __linux__
    struct rusage usage;
    if (getrusage(RUSAGE_SELF, &usage) == 0) return (size_t)usage.ru_maxrss * 1024;
#endif
    return 0;
}

struct qdi_thread {
    const qd_allocator *allocator;
    pthread_t handle;
    void (*run)(void *context);
    void *context;
};

// System: the first function of a new thread: restores signals and runs what the thread was started for.
static void *thread_main(void *argument) {
    qdi_thread *thread = argument;
    QDI_RESTORED qdi_arithmetic caller = qdi_arithmetic_standard(); // a thread begins in its maker's mode
    thread->run(thread->context);
    return NULL;
}

// A new thread inherits the mask of the one that starts it, so the mask is set around the start. Faults of
// the thread's own (and a profiler's clock) stay unblocked.
static void block_process_signals(sigset_t *before) {
    static const int own[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGTRAP, SIGPROF};
    sigset_t blocked;
    (void)sigfillset(&blocked);
    for (size_t i = 0; i < sizeof own / sizeof own[0]; ++i) (void)sigdelset(&blocked, own[i]);
    (void)pthread_sigmask(SIG_SETMASK, &blocked, before);
}

qd_status qdi_thread_start(const qd_allocator *allocator, void (*run)(void *context), void *context,
                           qdi_thread **thread) {
    qdi_thread *made = qdi_allocate(allocator, 1, sizeof *made);
    *thread = NULL;
    if (!made) return QD_ERR_MEMORY;
    made->allocator = allocator;
    made->run = run;
    made->context = context;
    sigset_t before;
    block_process_signals(&before);
    int failed = pthread_create(&made->handle, NULL, thread_main, made);
    (void)pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (failed) {
        qdi_release(allocator, made, 1, sizeof *made);
        return QD_ERR_MEMORY;
    }
    *thread = made;
    return QD_OK;
}

void qdi_thread_join(qdi_thread *thread) {
    if (!thread) return;
    (void)pthread_join(thread->handle, NULL);
    qdi_release(thread->allocator, thread, 1, sizeof *thread);
}

// ---- how many threads there are to be had ----

/// System: the function of a thread that is started only to count how many there can be.
static void *hold_counted_thread(void *argument) {
    qdi_monitor *gate = argument;
    qdi_monitor_enter(gate); // held by the thread that counts
    qdi_monitor_leave(gate);
    return NULL;
}

/// System: bytes of a thread's stack that an environment variable asks for: KiB, or as its letter says; 0
/// where it is not set.
static size_t stack_bytes_from_variable(const char *variable) {
    const char *text = getenv(variable);
    if (!text) return 0;
    char *end;
    unsigned long long size = strtoull(text, &end, 10);
    while (*end == ' ') ++end;
    switch (*end | 0x20) {
    case 'b': return (size_t)size;
    case 'm': return (size_t)size << 20;
    case 'g': return (size_t)size << 30;
    default: return (size_t)size << 10;
    }
}

/// What LLVM's runtime puts on top of a stack, by a thread's number, is less.
enum { STACK_MARGIN = 256 << 10 };

/// System: makes new threads' stacks as large as OpenMP's runtime makes them, and a little more: the C
/// library keeps them for the next threads, whose stacks must not be larger.
static void set_thread_stack_size(pthread_attr_t *attributes) {
    static const char *const variables[] = {"OMP_STACKSIZE", "GOMP_STACKSIZE", "KMP_STACKSIZE"};
    size_t least = 0;
    if (pthread_attr_getstacksize(attributes, &least) != 0) return;
    for (size_t i = 0; i < sizeof variables / sizeof variables[0]; ++i) {
        size_t asked = stack_bytes_from_variable(variables[i]);
        if (asked > least) least = asked;
    }
    (void)pthread_attr_setstacksize(attributes, least + STACK_MARGIN);
}

int qdi_os_threads_to_be_had(int wanted) {
    const qd_allocator *heap = qd_allocator_default();
    size_t room = wanted > 0 ? (size_t)wanted : 0;
    pthread_attr_t attributes;
    qdi_monitor *gate = NULL;
    pthread_t *threads = qdi_allocate(heap, room, sizeof *threads);
    if (!threads || pthread_attr_init(&attributes) != 0) {
        qdi_release(heap, threads, room, sizeof *threads);
        return 0;
    }
    set_thread_stack_size(&attributes);
    size_t count = 0;
    if (qdi_monitor_create(heap, &gate) == QD_OK) {
        qdi_monitor_enter(gate);
        while (count < room && pthread_create(&threads[count], &attributes, hold_counted_thread, gate) == 0)
            ++count;
        qdi_monitor_leave(gate);
        for (size_t i = 0; i < count; ++i) (void)pthread_join(threads[i], NULL);
    }
    qdi_monitor_destroy(gate);
    (void)pthread_attr_destroy(&attributes);
    qdi_release(heap, threads, room, sizeof *threads);
    return (int)count;
}
