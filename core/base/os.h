#pragma once

#include <quadrille/alloc.h>
#include <quadrille/status.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// What this floor asks of the operating system beyond ISO C and OpenMP: large pages, and threads that do one
/// thing beside the team.

/// Bytes of a large page; memory of several of them is worth asking for.
#define QDI_LARGE_PAGE ((size_t)2 << 20)

/// Memory from the system, beginning at a multiple of QDI_LARGE_PAGE, in large pages where there are any. It
/// is zero, and a page of it is only there once something is written to it. NULL: there is none.
void *qdi_os_map(size_t bytes);
/// Gives it back to the system, which the C heap does not always do with what is freed.
void qdi_os_unmap(void *memory, size_t bytes);
/// Zeroes it from its beginning on, and gives the pages that lie in there back.
void qdi_os_clear(void *memory, size_t bytes);

/// Gives back to the system what the C heap keeps of what was freed, where it can be asked to.
void qdi_os_trim(void);

/// A lock with one condition: a thread that holds it may wait until another wakes all that wait.
typedef struct qdi_monitor qdi_monitor;

/// Errors: QD_ERR_MEMORY.
QD_MUST_USE qd_status qdi_monitor_create(const qd_allocator *allocator, qdi_monitor **monitor);
/// NULL is fine; no thread may hold it or wait.
void qdi_monitor_destroy(qdi_monitor *monitor);
void qdi_monitor_enter(qdi_monitor *monitor);
void qdi_monitor_leave(qdi_monitor *monitor);
/// Leaves, waits to be woken (or, rarely, for nothing: look again), enters.
void qdi_monitor_wait(qdi_monitor *monitor);
void qdi_monitor_wake_all(qdi_monitor *monitor);

/// System: a moment of nothing, for a thread that looks again and again.
static inline void qdi_os_relax(void) {
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    __asm__ volatile("yield");
#endif
}

/// System: lets other threads have this one's processor, if any wait for one.
void qdi_os_give_way(void);

/// System: how often this thread was made to leave its processor to another one; 0 where that cannot be
/// known.
uint64_t qdi_os_preemptions(void);

/// System: the processors that a thread may run on.
typedef struct qdi_os_affinity {
    unsigned long words[(1 << 14) / (8 * sizeof(unsigned long))]; ///< a bit each, more than Linux ever has
} qdi_os_affinity;

/// System: from now on this thread runs on that processor alone, by the system's number; `before` gets those
/// that it could run on. False, and nothing changed, where the system refuses it or knows no such thing.
bool qdi_os_bind(int processor, qdi_os_affinity *before);
/// System: takes that back.
void qdi_os_unbind(const qdi_os_affinity *before);

/// System: this thread continues on that processor, where it is not there already. The system may move it on
/// later: those that it may run on stay what they are, also for threads and programs that it starts.
void qdi_os_move(int processor);

/// System: the most memory this process has had in use, in bytes; 0 where that cannot be known.
size_t qdi_os_peak_memory(void);

/// A running thread. Signals meant for the process (interrupt, terminate, ...) never interrupt it: they go to
/// the program's own threads.
typedef struct qdi_thread qdi_thread;

/// Errors: QD_ERR_MEMORY (also where the system has no thread to give).
QD_MUST_USE qd_status qdi_thread_start(const qd_allocator *allocator, void (*run)(void *context),
                                       void *context, qdi_thread **thread);
/// System: how many of `wanted` threads the system would give at once, beside those that there are: so many
/// are started, and ended again. For a runtime that ends the program where it is refused one. Cost: some 20
/// microseconds for each.
int qdi_os_threads_to_be_had(int wanted);

/// System: waits for its end and frees it; NULL is fine.
void qdi_thread_join(qdi_thread *thread);
