#define _GNU_SOURCE // posix_spawn_file_actions_addchdir_np

#include "export/process/os.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/// Child process: writes "cannot VERB PATH: reason" into the error; returns QD_ERR_IO.
static qd_status call_failed(const char *verb, const char *path, qd_error *error) {
    char reason[128] = "";
    int number = errno;
    const char *why = qdi_os_error_text(number, reason, sizeof reason);
    if (error) (void)snprintf(error->text, sizeof error->text, "cannot %s %.300s: %s", verb, path, why);
    return QD_ERR_IO;
}

qd_status qdi_directory_check(const char *path, qd_error *error) {
    struct stat facts;
    if (stat(path, &facts) != 0) return call_failed("write to", path, error);
    if (!S_ISDIR(facts.st_mode))
        errno = ENOTDIR;
    else if (access(path, W_OK | X_OK) == 0)
        return QD_OK;
    return call_failed("write to", path, error);
}

qd_status qdi_path_from_root(const char *path, char *whole, size_t bytes, qd_error *error) {
    whole[0] = '\0';
    if (path[0] != '/' && (!getcwd(whole, bytes) || strlen(whole) + 1 >= bytes))
        return call_failed("find", path, error);
    size_t length = strlen(whole);
    const char *slash = length > 0 && whole[length - 1] != '/' ? "/" : "";
    if (length + strlen(slash) + strlen(path) + 1 > bytes) {
        errno = ENAMETOOLONG;
        return call_failed("find", path, error);
    }
    (void)snprintf(whole + length, bytes - length, "%s%s", slash, path);
    return QD_OK;
}

// ---- programs ----

enum { STALL_MS = 120000, TICK_MS = 20 };

/// Child process: closes an end of a pipe.
static void close_pipe_end(int *end) {
    if (*end >= 0) (void)close(*end);
    *end = -1;
}

/// Opens a pipe to a child process.
/// Both ends stay out of other programs, and away from the numbers of the standard streams, which may be
/// closed here.
static bool open_pipe(int ends[2]) {
    int made[2];
    ends[0] = ends[1] = -1;
    if (pipe(made) != 0) return false;
    for (int i = 0; i < 2; ++i) {
        ends[i] = fcntl(made[i], F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
        (void)close(made[i]);
    }
    return ends[0] >= 0 && ends[1] >= 0;
}

/// Gives a child process the usual signals and a process group of its own.
static void set_child_signals(posix_spawnattr_t *attributes) {
    static const int usual[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGUSR1, SIGPIPE};
    sigset_t none, reset;
    sigemptyset(&none);
    sigemptyset(&reset);
    for (size_t i = 0; i < sizeof usual / sizeof usual[0]; ++i) sigaddset(&reset, usual[i]);
    (void)posix_spawnattr_setsigmask(attributes, &none);
    (void)posix_spawnattr_setsigdefault(attributes, &reset);
    (void)posix_spawnattr_setpgroup(attributes, 0);
    (void)posix_spawnattr_setflags(attributes,
                                   POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
}

/// The arguments of a program without const: posix_spawn takes them so and only reads them.
static char *const *arguments_without_const(const char *const *texts) {
    union {
        const char *const *given;
        char *const *taken;
    } pointer = {texts};
    return pointer.taken;
}

/// Starts a program whose standard streams are the given descriptors; 0, or the error's number.
static int spawn_child(const char *const *arguments, const char *folder, const int theirs[3],
                       pid_t *process) {
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    if (posix_spawn_file_actions_init(&actions) != 0) return ENOMEM;
    if (posix_spawnattr_init(&attributes) != 0) {
        (void)posix_spawn_file_actions_destroy(&actions);
        return ENOMEM;
    }
    int number = 0;
    for (int i = 0; i < 3 && number == 0; ++i)
        number = posix_spawn_file_actions_adddup2(&actions, theirs[i], i);
    if (number == 0 && folder) number = posix_spawn_file_actions_addchdir_np(&actions, folder);
    set_child_signals(&attributes);
    if (number == 0)
        number = posix_spawnp(process, arguments[0], &actions, &attributes,
                              arguments_without_const(arguments), environ);
    (void)posix_spawnattr_destroy(&attributes);
    (void)posix_spawn_file_actions_destroy(&actions);
    return number;
}

qd_status qdi_child_start(const char *const *arguments, const char *folder, char *answer, size_t answer_room,
                          qdi_child *child, qd_error *error) {
    *child = (qdi_child){.in = -1, .out = -1, .err = -1, .answer = answer, .answer_room = answer_room};
    if (answer) answer[0] = '\0';
    int pipes[3][2] = {{-1, -1}, {-1, -1}, {-1, -1}};
    bool open = open_pipe(pipes[0]) && open_pipe(pipes[1]) && open_pipe(pipes[2]);
    int number = open ? 0 : errno;
    const int theirs[3] = {pipes[0][0], pipes[1][1], pipes[2][1]};
    pid_t process = 0;
    if (open) number = spawn_child(arguments, folder, theirs, &process);
    close_pipe_end(&pipes[0][0]);
    close_pipe_end(&pipes[1][1]);
    close_pipe_end(&pipes[2][1]);
    child->in = pipes[0][1];
    child->out = pipes[1][0];
    child->err = pipes[2][0];
    if (number == 0) {
        child->process = process;
        const int ours[3] = {child->in, child->out, child->err};
        for (int i = 0; i < 3; ++i) (void)fcntl(ours[i], F_SETFL, O_NONBLOCK);
        return QD_OK;
    }
    qdi_child_kill(child);
    errno = number;
    (void)call_failed("start", arguments[0], error);
    return number == ENOENT ? QD_ERR_NOT_FOUND : QD_ERR_IO;
}

/// Keeps what a child wrote to its standard output, as far as there is room.
static void keep_child_output(qdi_child *child, const char *data, size_t bytes) {
    if (!child->answer) return;
    size_t room = child->answer_room - 1 - child->answer_size;
    size_t kept = bytes < room ? bytes : room;
    memcpy(child->answer + child->answer_size, data, kept);
    child->answer_size += kept;
    child->answer[child->answer_size] = '\0';
}

/// Keeps the last of what a child wrote to its standard error.
static void keep_child_errors(qdi_child *child, const char *data, size_t bytes) {
    const size_t room = sizeof child->words - 1;
    size_t kept = bytes < room ? bytes : room, stay = room - kept;
    if (stay > child->word_count) stay = child->word_count;
    memmove(child->words, child->words + child->word_count - stay, stay);
    memcpy(child->words + stay, data + bytes - kept, kept);
    child->word_count = stay + kept;
    child->words[child->word_count] = '\0';
}

/// Reads what is in a child's pipe, and closes it at its end.
static void read_child_pipe(qdi_child *child, int *end) {
    char data[4096];
    while (*end >= 0) {
        ssize_t got = read(*end, data, sizeof data);
        if (got < 0 && errno == EINTR) continue;
        if (got < 0 && errno == EAGAIN) return;
        if (got <= 0) {
            close_pipe_end(end);
        } else if (end == &child->out) {
            keep_child_output(child, data, (size_t)got);
        } else {
            keep_child_errors(child, data, (size_t)got);
        }
    }
}

/// write() without SIGPIPE, whatever the program has decided about that signal.
static ssize_t write_quietly(int end, const void *data, size_t bytes) {
    sigset_t pipe_signal, before, pending;
    sigemptyset(&pipe_signal);
    sigaddset(&pipe_signal, SIGPIPE);
    (void)sigpending(&pending);
    (void)pthread_sigmask(SIG_BLOCK, &pipe_signal, &before);
    ssize_t done = write(end, data, bytes);
    int number = errno;
    if (done < 0 && number == EPIPE && !sigismember(&pending, SIGPIPE)) {
        const struct timespec now = {0, 0};
        while (sigtimedwait(&pipe_signal, NULL, &now) < 0 && errno == EINTR) {
        }
    }
    (void)pthread_sigmask(SIG_SETMASK, &before, NULL);
    errno = number;
    return done;
}

qd_status qdi_child_write(qdi_child *child, const void *data, size_t bytes) {
    static const char stalled[] = "\nit has read nothing for two minutes\n";
    const unsigned char *next = data;
    while (bytes > 0) {
        if (child->in < 0) return QD_ERR_STATE;
        struct pollfd ends[3] = {{child->in, POLLOUT, 0}, {child->out, POLLIN, 0}, {child->err, POLLIN, 0}};
        int ready = poll(ends, 3, STALL_MS);
        if (ready < 0 && errno == EINTR) continue;
        if (ready == 0) keep_child_errors(child, stalled, sizeof stalled - 1);
        if (ready <= 0) return QD_ERR_STATE;
        if (ends[1].revents) read_child_pipe(child, &child->out);
        if (ends[2].revents) read_child_pipe(child, &child->err);
        if (!ends[0].revents) continue;
        ssize_t done = write_quietly(child->in, next, bytes);
        if (done < 0 && (errno == EINTR || errno == EAGAIN)) continue;
        if (done < 0) return QD_ERR_STATE;
        next += done;
        bytes -= (size_t)done;
    }
    return QD_OK;
}

/// True once a child process has ended; its exit status goes into `child`.
static bool child_has_ended(qdi_child *child, int options) {
    int status = 0;
    pid_t process = (pid_t)child->process, got;
    do {
        got = waitpid(process, &status, options);
    } while (got < 0 && errno == EINTR);
    if (got == 0) return false;
    child->process = 0;
    child->signal = got == process && WIFSIGNALED(status) ? WTERMSIG(status) : 0;
    child->code = got == process && WIFEXITED(status) ? WEXITSTATUS(status) : -1;
    return true;
}

/// Child process: seconds of a clock that never goes back.
static double seconds_now(void) {
    struct timespec now;
    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

bool qdi_child_end(qdi_child *child, int seconds) {
    close_pipe_end(&child->in);
    double until = seconds_now() + seconds;
    bool killed = false;
    while (child->process != 0 && !child_has_ended(child, WNOHANG)) {
        // Where it has closed both, this waits for nothing but the time.
        struct pollfd ends[2] = {{child->out, POLLIN, 0}, {child->err, POLLIN, 0}};
        if (poll(ends, 2, TICK_MS) > 0) {
            read_child_pipe(child, &child->out);
            read_child_pipe(child, &child->err);
        }
        if (killed || seconds_now() < until) continue;
        killed = true;
        (void)kill(-(pid_t)child->process, SIGKILL);
    }
    read_child_pipe(child, &child->out);
    read_child_pipe(child, &child->err);
    // A process that the child started may still have them open.
    close_pipe_end(&child->out);
    close_pipe_end(&child->err);
    return child->code == 0 && child->signal == 0;
}

void qdi_child_kill(qdi_child *child) {
    if (child->process != 0) {
        (void)kill(-(pid_t)child->process, SIGKILL);
        (void)child_has_ended(child, 0);
    }
    close_pipe_end(&child->in);
    close_pipe_end(&child->out);
    close_pipe_end(&child->err);
}

void qdi_child_reason(const qdi_child *child, char *text, size_t bytes) {
    size_t end = child->word_count;
    while (end > 0 && strchr(" \r\n", child->words[end - 1])) --end;
    size_t start = end;
    while (start > 0 && child->words[start - 1] != '\n') --start;
    if (end > start)
        (void)snprintf(text, bytes, "%.*s", (int)(end - start < 300 ? end - start : 300),
                       child->words + start);
    else if (child->signal != 0)
        (void)snprintf(text, bytes, "it was killed by signal %d", child->signal);
    else if (child->process != 0)
        (void)snprintf(text, bytes, "it does not go on");
    else
        (void)snprintf(text, bytes, "it ended with exit status %d", child->code);
}
