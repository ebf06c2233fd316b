#define _POSIX_C_SOURCE 200809L

#include "export/os.h"

#include "core/memory.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

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

struct qdi_thread {
    const qd_allocator *allocator;
    pthread_t handle;
    void (*run)(void *context);
    void *context;
};

static void *thread_main(void *argument) {
    qdi_thread *thread = argument;
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

static qd_status fail(const char *verb, const char *path, qd_error *error) {
    char reason[128] = "";
    int number = errno;
    if (strerror_r(number, reason, sizeof reason) != 0)
        (void)snprintf(reason, sizeof reason, "error %d", number);
    if (error) (void)snprintf(error->text, sizeof error->text, "cannot %s %.300s: %s", verb, path, reason);
    return QD_ERR_IO;
}

qd_status qdi_file_create(const char *path, qdi_file *file, qd_error *error) {
    do {
        *file = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    } while (*file < 0 && errno == EINTR);
    return *file < 0 ? fail("create", path, error) : QD_OK;
}

qd_status qdi_file_write(qdi_file file, const char *path, const void *data, size_t bytes, qd_error *error) {
    const unsigned char *next = data;
    while (bytes > 0) {
        ssize_t done = write(file, next, bytes);
        if (done < 0 && errno == EINTR) continue;
        if (done < 0) return fail("write", path, error);
        next += done;
        bytes -= (size_t)done;
    }
    return QD_OK;
}

qd_status qdi_file_close(qdi_file file, const char *path, bool sync, qd_error *error) {
    qd_status status = QD_OK;
    // EINVAL: the file lies where nothing can be synced (a pipe, some network file systems).
    if (sync && fsync(file) != 0 && errno != EINVAL) status = fail("write", path, error);
    // The file is closed even where close was interrupted; trying again could close somebody else's.
    if (close(file) != 0 && errno != EINTR && status == QD_OK) status = fail("write", path, error);
    return status;
}

qd_status qdi_file_rename(const char *from, const char *to, qd_error *error) {
    return rename(from, to) == 0 ? QD_OK : fail("write", to, error);
}

void qdi_file_remove(const char *path) {
    (void)unlink(path);
}

qd_status qdi_file_tail(const char *path, void *data, size_t bytes, qd_error *error) {
    int file = open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0) return fail("read", path, error);
    struct stat facts;
    ssize_t got = -1;
    if (fstat(file, &facts) == 0 && facts.st_size >= (off_t)bytes)
        got = pread(file, data, bytes, facts.st_size - (off_t)bytes);
    (void)close(file);
    return got == (ssize_t)bytes ? QD_OK : QD_ERR_IO;
}

qd_status qdi_directory_check(const char *path, qd_error *error) {
    struct stat facts;
    if (stat(path, &facts) != 0) return fail("write to", path, error);
    if (!S_ISDIR(facts.st_mode))
        errno = ENOTDIR;
    else if (access(path, W_OK | X_OK) == 0)
        return QD_OK;
    return fail("write to", path, error);
}
