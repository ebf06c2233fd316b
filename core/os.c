#define _GNU_SOURCE // madvise, RUSAGE_THREAD
#include "core/os.h"

#include "core/arithmetic.h"
#include "core/memory.h"

#include <pthread.h>
#include <signal.h>

#ifdef __linux__
#    include <sys/mman.h>
#    include <sys/resource.h>
#endif

void qdi_os_large_pages(void *memory, size_t bytes) {
#if defined(__linux__) && defined(MADV_HUGEPAGE)
    (void)madvise(memory, bytes, MADV_HUGEPAGE); // refused: small pages do as well
#else
    (void)memory;
    (void)bytes;
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

uint64_t qdi_os_preemptions(void) {
#if defined(__linux__) && defined(RUSAGE_THREAD)
    struct rusage usage;
    if (getrusage(RUSAGE_THREAD, &usage) == 0) return (uint64_t)usage.ru_nivcsw;
#endif
    return 0;
}

struct qdi_thread {
    const qd_allocator *allocator;
    pthread_t handle;
    void (*run)(void *context);
    void *context;
};

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
