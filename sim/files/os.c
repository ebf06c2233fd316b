#define _GNU_SOURCE // flock, F_OFD_SETLK, newlocale, syncfs
#include "sim/files/os.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

// Files and folders: what strerror_r says: GNU's gives back where the text is, which need not be the buffer.
static const char *text_of_gnu(const char *text, const char *buffer) {
    (void)buffer;
    return text;
}

// Files and folders: the same of POSIX's, which fills the buffer.
static const char *text_of_posix(int failed, const char *buffer) {
    return failed == 0 ? buffer : "unknown error";
}

const char *qdi_os_error_text(int number, char *buffer, size_t bytes) {
    return _Generic(strerror_r(number, buffer, bytes), char *: text_of_gnu, int: text_of_posix)(
        strerror_r(number, buffer, bytes), buffer);
}

/// Writes "cannot VERB PATH: reason" into the error; returns QD_ERR_IO.
static qd_status file_call_failed(const char *verb, const char *path, int number, qd_error *error) {
    if (error) {
        char reason[128];
        const char *text = qdi_os_error_text(number, reason, sizeof reason);
        snprintf(error->text, sizeof error->text, "cannot %s %.300s: %s", verb, path, text);
    }
    return QD_ERR_IO;
}

// ---- files to read ----

static const char is_link[] = "it is a link", is_odd[] = "it is not a regular file",
                  is_pipe[] = "it is a pipe";

/// NULL where an open file is of the kind that its trust asks for; the reason where it is not.
static const char *file_kind_fault(int descriptor, qdi_os_trust trust) {
    struct stat info;
    if (trust == QDI_OS_GIVEN || fstat(descriptor, &info) != 0) return NULL;
    if (trust == QDI_OS_OWN) return S_ISREG(info.st_mode) ? NULL : is_odd;
    return S_ISFIFO(info.st_mode) ? is_pipe : NULL;
}

/// Opens a file; < 0 with the error's number, and with the reason in `*why` where it is not the system's.
/// What the user has not named himself is opened without waiting: a pipe would block until a process
/// writes to it.
static int open_trusted(const char *path, int flags, qdi_os_trust trust, int *number, const char **why) {
    if (trust == QDI_OS_OWN) flags |= O_NOFOLLOW;
    if (trust != QDI_OS_GIVEN) flags |= O_NONBLOCK;
    int descriptor = -1;
    do {
        descriptor = open(path, flags | O_CLOEXEC, 0666);
    } while (descriptor < 0 && errno == EINTR);
    struct stat info;
    *why = NULL;
    *number = errno;
    if (descriptor < 0 && *number == ELOOP && lstat(path, &info) == 0 && S_ISLNK(info.st_mode))
        *why = is_link;
    if (descriptor >= 0) *why = file_kind_fault(descriptor, trust);
    if (descriptor < 0 || !*why) return descriptor;
    *number = EINVAL;
    close(descriptor);
    return -1;
}

/// Opens a file that the program made, to change it; the reason, with the path, in `error`.
static int open_own_file(const char *verb, const char *path, int flags, int *number, qd_error *error) {
    const char *why;
    int descriptor = open_trusted(path, flags, QDI_OS_OWN, number, &why);
    if (descriptor >= 0) return descriptor;
    if (!why)
        (void)file_call_failed(verb, path, *number, error);
    else if (error)
        snprintf(error->text, sizeof error->text, "cannot %s %.300s: %s", verb, path, why);
    return -1;
}

qd_status qdi_os_open(const char *path, qdi_os_trust trust, FILE **file, qd_error *why) {
    const char *reason;
    int number, descriptor = open_trusted(path, O_RDONLY, trust, &number, &reason);
    *file = descriptor >= 0 ? fdopen(descriptor, "rb") : NULL;
    if (*file) return QD_OK;
    if (descriptor >= 0) {
        number = errno;
        close(descriptor);
    }
    char text[128];
    if (!reason) reason = qdi_os_error_text(number, text, sizeof text);
    if (why) snprintf(why->text, sizeof why->text, "%s", reason);
    return number == ENOENT || number == ENOTDIR ? QD_ERR_NOT_FOUND : QD_ERR_IO;
}

qd_status qdi_file_tail(const char *path, void *data, size_t bytes, qd_error *error) {
    const char *why;
    int number, descriptor = open_trusted(path, O_RDONLY, QDI_OS_DATA, &number, &why);
    if (descriptor < 0) return file_call_failed("read", path, number, error);
    struct stat facts;
    ssize_t got = -1;
    if (fstat(descriptor, &facts) == 0 && facts.st_size >= (off_t)bytes)
        got = pread(descriptor, data, bytes, facts.st_size - (off_t)bytes);
    (void)close(descriptor);
    return got == (ssize_t)bytes ? QD_OK : QD_ERR_IO;
}

// ---- files to write ----

/// Deletes a file, a link or a pipe; devices stay, and directories. 0, or the error's number.
static int clear_name(const char *path) {
    struct stat info;
    if (lstat(path, &info) != 0) return errno == ENOENT ? 0 : errno;
    if (!S_ISREG(info.st_mode) && !S_ISLNK(info.st_mode) && !S_ISFIFO(info.st_mode)) return EEXIST;
    return unlink(path) == 0 || errno == ENOENT ? 0 : errno;
}

qd_status qdi_file_create(const char *path, qdi_file *file, qd_error *error) {
    enum { ATTEMPTS = 8 };
    int number = EEXIST;
    for (int i = 0; i < ATTEMPTS; ++i) {
        *file = open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666);
        if (*file >= 0) return QD_OK;
        number = errno;
        if (number == EEXIST) number = clear_name(path);
        if (number != 0 && number != EINTR) break;
    }
    return file_call_failed("create", path, number, error);
}

qd_status qdi_file_create_stream(const char *path, FILE **file, qd_error *error) {
    qdi_file made = QDI_FILE_NONE;
    *file = NULL;
    qd_status status = qdi_file_create(path, &made, error);
    if (status != QD_OK) return status;
    *file = fdopen(made, "wb");
    if (*file) return QD_OK;
    status = file_call_failed("create", path, errno, error);
    close(made);
    return status;
}

qd_status qdi_file_append(const char *path, qdi_file *file, qd_error *error) {
    int number;
    *file = open_own_file("write", path, O_WRONLY | O_CREAT | O_APPEND, &number, error);
    return *file >= 0 ? QD_OK : QD_ERR_IO;
}

/// Files and folders: the standard stream that an open file is, or -1.
static int own_stream(const struct stat *facts) {
    static const int streams[] = {STDOUT_FILENO, STDERR_FILENO};
    for (size_t i = 0; i < sizeof streams / sizeof streams[0]; ++i) {
        struct stat own;
        if (fstat(streams[i], &own) == 0 && own.st_dev == facts->st_dev && own.st_ino == facts->st_ino)
            return streams[i];
    }
    return -1;
}

qd_status qdi_file_open_stream(const char *path, FILE **file, qd_error *error) {
    struct stat facts;
    const int own = stat(path, &facts) == 0 ? own_stream(&facts) : -1;
    const int descriptor = own >= 0 ? fcntl(own, F_DUPFD_CLOEXEC, 0)
                                    : open(path, O_WRONLY | O_APPEND | O_NOCTTY | O_CLOEXEC);
    *file = descriptor >= 0 ? fdopen(descriptor, "wb") : NULL;
    if (*file) return QD_OK;
    qd_status status = file_call_failed("write", path, errno, error);
    if (descriptor >= 0) close(descriptor);
    return status;
}

qd_status qdi_file_write(qdi_file file, const char *path, const void *data, size_t bytes, qd_error *error) {
    const unsigned char *next = data;
    while (bytes > 0) {
        ssize_t done = write(file, next, bytes);
        if (done < 0 && errno == EINTR) continue;
        if (done < 0) return file_call_failed("write", path, errno, error);
        next += done;
        bytes -= (size_t)done;
    }
    return QD_OK;
}

qd_status qdi_file_overwrite(qdi_file file, const char *path, size_t at, const void *data, size_t bytes,
                             qd_error *error) {
    const unsigned char *next = data;
    while (bytes > 0) {
        ssize_t done = pwrite(file, next, bytes, (off_t)at);
        if (done < 0 && errno == EINTR) continue;
        if (done < 0) return file_call_failed("write", path, errno, error);
        next += done;
        at += (size_t)done;
        bytes -= (size_t)done;
    }
    return QD_OK;
}

qd_status qdi_file_close(qdi_file file, const char *path, bool sync, qd_error *error) {
    qd_status status = QD_OK;
    // Full disks often show only now. A file that lies where nothing can be synced (EINVAL, ENOTSUP) is not
    // at fault.
    if (sync && fsync(file) != 0 && errno != EINVAL && errno != ENOTSUP)
        status = file_call_failed("write", path, errno, error);
    // The file is closed even where close was interrupted; trying again could close another file.
    if (close(file) != 0 && errno != EINTR && status == QD_OK)
        status = file_call_failed("write", path, errno, error);
    return status;
}

qd_status qdi_file_rename(const char *from, const char *to, qd_error *error) {
    return rename(from, to) == 0 ? QD_OK : file_call_failed("write", to, errno, error);
}

void qdi_file_remove(const char *path) {
    (void)unlink(path);
}

qd_status qdi_file_sync(const char *path, qd_error *error) {
    int number, descriptor = open_own_file("read", path, O_RDONLY, &number, error);
    if (descriptor < 0) return number == ENOENT ? QD_ERR_NOT_FOUND : QD_ERR_IO;
    return qdi_file_close(descriptor, path, true, error);
}

qd_status qdi_os_write_file(const char *temporary, const char *path, const void *data, size_t bytes,
                            qd_error *error) {
    qdi_file file = QDI_FILE_NONE;
    qd_error late = {""};
    qd_status status = qdi_file_create(temporary, &file, error);
    if (status != QD_OK) return status;
    status = qdi_file_write(file, path, data, bytes, error);
    qd_status closed = qdi_file_close(file, path, status == QD_OK, &late);
    if (status == QD_OK && closed != QD_OK) {
        status = closed;
        if (error) *error = late;
    }
    if (status == QD_OK) status = qdi_file_rename(temporary, path, error);
    if (status == QD_OK) return qdi_os_sync_parent(path, error);
    qdi_file_remove(temporary);
    return status;
}

// ---- directories and names ----

qd_status qdi_os_check(const char *path, qdi_os_kind kind, qd_error *error) {
    struct stat info;
    if (lstat(path, &info) != 0)
        return errno == ENOENT ? QD_OK : file_call_failed("look at", path, errno, error);
    const char *why = NULL;
    if (S_ISLNK(info.st_mode))
        why = "is a link; a directory of runs may be reached through one, but nothing in it";
    else if (kind == QDI_OS_DIRECTORY && !S_ISDIR(info.st_mode))
        why = "is not a directory";
    else if (kind == QDI_OS_FILE && !S_ISREG(info.st_mode))
        why = "is not a regular file";
    if (why && error) snprintf(error->text, sizeof error->text, "%.300s %s", path, why);
    return why ? QD_ERR_IO : QD_OK;
}

qdi_os_found qdi_os_look(const char *path) {
    struct stat named, reached;
    if (lstat(path, &named) != 0) return QDI_OS_FOUND_NOTHING;
    if (S_ISREG(named.st_mode)) return QDI_OS_FOUND_FILE;
    if (S_ISDIR(named.st_mode)) return QDI_OS_FOUND_DIRECTORY;
    if (stat(path, &reached) == 0 && (S_ISCHR(reached.st_mode) || S_ISFIFO(reached.st_mode) ||
                                      S_ISSOCK(reached.st_mode) || own_stream(&reached) >= 0))
        return QDI_OS_FOUND_STREAM;
    return S_ISLNK(named.st_mode) ? QDI_OS_FOUND_LINK : QDI_OS_FOUND_ODD;
}

qd_status qdi_os_make_directory(const char *path, qd_error *error) {
    if (mkdir(path, 0777) == 0) return QD_OK;
    int number = errno;
    qd_status status = file_call_failed("make the directory", path, number, error);
    return number == EEXIST ? QD_ERR_EXISTS : status;
}

qd_status qdi_os_make_parents(const char *path, qd_error *error) {
    char parent[PATH_MAX];
    size_t bytes = strlen(path);
    while (bytes > 1 && path[bytes - 1] == '/') --bytes; // "a/b/" is b in a
    if (bytes >= sizeof parent) return file_call_failed("make the directory", path, ENAMETOOLONG, error);
    memcpy(parent, path, bytes);
    parent[bytes] = '\0';
    for (char *slash = parent; (slash = strchr(slash + 1, '/')) != NULL; *slash = '/') {
        *slash = '\0';
        bool there = qdi_os_is_directory(parent);
        // Another process may have made it since; a file in its place is told as such by the call that needs
        // it.
        if (!there && mkdir(parent, 0777) != 0 && errno != EEXIST)
            return file_call_failed("make the directory", path, errno, error);
        qd_status status = there ? QD_OK : qdi_os_sync_parent(parent, error);
        if (status != QD_OK) return status;
    }
    return QD_OK;
}

qd_status qdi_os_make_directories(const char *path, qd_error *error) {
    qd_status status = qdi_os_make_parents(path, error);
    return status == QD_OK ? qdi_os_make_directory(path, error) : status;
}

bool qdi_os_is_directory(const char *path) {
    struct stat info;
    return stat(path, &info) == 0 && S_ISDIR(info.st_mode);
}

bool qdi_os_is_file(const char *path) {
    struct stat info;
    return stat(path, &info) == 0 && S_ISREG(info.st_mode);
}

qd_status qdi_os_list(const char *path, qdi_os_entry entry, void *context, qd_error *error) {
    DIR *directory = opendir(path);
    if (!directory) return file_call_failed("read the directory", path, errno, error);
    qd_status status = QD_OK;
    for (bool more = true; more;) {
        errno = 0;
        const struct dirent *found = readdir(directory);
        if (!found) {
            if (errno != 0) status = file_call_failed("read the directory", path, errno, error);
            break;
        }
        if (strcmp(found->d_name, ".") == 0 || strcmp(found->d_name, "..") == 0) continue;
        more = entry(context, found->d_name);
    }
    closedir(directory);
    return status;
}

qd_status qdi_os_remove_file(const char *path, qd_error *error) {
    if (unlink(path) == 0 || errno == ENOENT) return QD_OK;
    return file_call_failed("delete", path, errno, error);
}

qd_status qdi_os_remove_directory_if_empty(const char *path, qd_error *error) {
    if (rmdir(path) == 0 || errno == ENOENT || errno == ENOTEMPTY || errno == EEXIST) return QD_OK;
    return file_call_failed("delete the directory", path, errno, error);
}

bool qdi_os_exists(const char *path) {
    struct stat info;
    return lstat(path, &info) == 0;
}

size_t qdi_os_full_length(const char *path) {
    const char *slash = strrchr(path, '/');
    char folder[PATH_MAX] = ".", full[PATH_MAX];
    const char *name = slash ? slash + 1 : path;
    size_t length = (size_t)(name - path);
    if (length >= sizeof folder) return 0;
    if (length > 0) memcpy(folder, path, length);
    if (length > 0) folder[length] = 0;
    return realpath(folder, full) ? strlen(full) + 1 + strlen(name) : 0;
}

/// Files and folders: adds the parts of a path that do not exist yet to the full name of what exists.
static bool add_path_parts(const char *rest, char *full, size_t bytes) {
    size_t used = strlen(full);
    while (*rest) {
        const size_t length = strcspn(rest, "/");
        const bool stays = length == 0 || (length == 1 && rest[0] == '.');
        if (length == 2 && rest[0] == '.' && rest[1] == '.') {
            while (used > 0 && full[used - 1] != '/') --used;
            if (used > 1) --used; // the root keeps its slash
        } else if (!stays) {
            const char *slash = used > 0 && full[used - 1] == '/' ? "" : "/";
            if (used + length + 2 > bytes) return false;
            used += (size_t)snprintf(full + used, bytes - used, "%s%.*s", slash, (int)length, rest);
        }
        full[used] = '\0';
        rest += length;
        rest += *rest == '/';
    }
    return true;
}

bool qdi_os_full_path(const char *path, char *full, size_t bytes) {
    char head[PATH_MAX], found[PATH_MAX];
    size_t length = strlen(path);
    if (length == 0 || length >= sizeof head) return false;
    memcpy(head, path, length + 1);
    // The longest beginning that exists; of a relative path none may.
    while (!realpath(length > 0 ? head : ".", found)) {
        if (length == 0 || (errno != ENOENT && errno != ENOTDIR)) return false;
        while (length > 0 && head[length - 1] == '/') --length;
        while (length > 0 && head[length - 1] != '/') --length;
        head[length] = '\0';
    }
    if (strlen(found) >= bytes) return false;
    memcpy(full, found, strlen(found) + 1);
    return add_path_parts(path + length, full, bytes);
}

qd_status qdi_os_rename_new(const char *from, const char *path, qd_error *error) {
    if (qdi_os_exists(path)) {
        (void)file_call_failed("make", path, EEXIST, error);
        return QD_ERR_EXISTS;
    }
    if (rename(from, path) != 0) return file_call_failed("make", path, errno, error);
    return qdi_os_sync_parent(path, error);
}

qd_status qdi_os_sync_disk(const char *path, qd_error *error) {
    int descriptor = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (descriptor < 0) return file_call_failed("read the directory", path, errno, error);
#ifdef __linux__
    int number = syncfs(descriptor) == 0 ? 0 : errno;
#else
    int number = ENOSYS;
#endif
    close(descriptor);
    if (number == 0) return QD_OK;
    qd_status status = file_call_failed("write to", path, number, error);
    return number == ENOSYS || number == ENOTSUP || number == EINVAL ? QD_ERR_NOT_FOUND : status;
}

qd_status qdi_os_sync_parent(const char *path, qd_error *error) {
    char folder[PATH_MAX];
    size_t length = strlen(path);
    while (length > 1 && path[length - 1] == '/') --length;
    while (length > 0 && path[length - 1] != '/') --length;
    while (length > 1 && path[length - 1] == '/') --length;
    if (length >= sizeof folder) return file_call_failed("write to", path, ENAMETOOLONG, error);
    snprintf(folder, sizeof folder, "%.*s", (int)(length > 0 ? length : 1), length > 0 ? path : ".");
    return qdi_os_sync_directory(folder, error);
}

qd_status qdi_os_sync_directory(const char *path, qd_error *error) {
    int descriptor = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (descriptor < 0) return QD_OK;
    int number = fsync(descriptor) == 0 ? 0 : errno;
    close(descriptor);
    if (number == 0 || number == EINVAL || number == ENOSYS || number == ENOTSUP || number == EROFS)
        return QD_OK;
    return file_call_failed("write to", path, number, error);
}

// ---- locks ----

/// True where the path of a lock's file still names the open file.
/// True where `path` still names the open file: between opening and locking, the lock's last holder may have
/// deleted it.
static bool lock_file_still_named(int descriptor, const char *path) {
    struct stat opened, named;
    return fstat(descriptor, &opened) == 0 && lstat(path, &named) == 0 && opened.st_dev == named.st_dev &&
           opened.st_ino == named.st_ino;
}

/// Locks an open file: 0, EWOULDBLOCK where another has it, or what is wrong. Where the file system does not
/// know flock it may know locks of ranges; they end with the file, too.
static int lock_descriptor(int descriptor, int operation) {
    if (flock(descriptor, operation | LOCK_NB) == 0) return 0;
    int number = errno;
    if (number != ENOLCK && number != ENOSYS && number != ENOTSUP && number != EINVAL) return number;
    struct flock whole = {.l_type = operation == LOCK_EX ? F_WRLCK : F_RDLCK, .l_whence = SEEK_SET};
    if (fcntl(descriptor, F_OFD_SETLK, &whole) == 0) return 0;
    return errno == EAGAIN || errno == EACCES ? EWOULDBLOCK : number;
}

/// Opens the lock's file or makes it.
static int open_lock(const char *path, bool *made, int *number, qd_error *error) {
    int descriptor = open_own_file("lock", path, O_RDWR | O_CREAT | O_EXCL, number, error);
    *made = descriptor >= 0;
    if (descriptor >= 0 || *number != EEXIST) return descriptor;
    return open_own_file("lock", path, O_RDWR, number, error);
}

/// Locks a file, trying again for a while where another has it.
/// `operation`: LOCK_EX or LOCK_SH. The holder of the lock may delete its file at any time, and a process
/// that tests it holds it for a moment: each is a reason to try again, but not without end.
static qd_status lock_file(const char *path, int operation, qdi_os_lock *lock, qd_error *error) {
    enum { MOST_GONE = 1000, MOST_HELD = 10 };
    static const struct timespec moment = {.tv_nsec = 10000000};
    int number = 0;
    for (int gone = 0, held = 0; gone < MOST_GONE && held < MOST_HELD;) {
        bool made;
        int descriptor = open_lock(path, &made, &number, error);
        if (descriptor < 0 && number != ENOENT) return QD_ERR_IO;
        if (descriptor >= 0) {
            number = lock_descriptor(descriptor, operation);
            if (number == 0 && lock_file_still_named(descriptor, path)) {
                *lock = (qdi_os_lock){descriptor, made};
                return QD_OK;
            }
            if (number == 0)
                number = ENOENT;
            else if (made && number != EWOULDBLOCK && number != EINTR)
                unlink(path); // nothing can be locked here
        }
        if (descriptor >= 0) close(descriptor);
        if (number == ENOENT || number == EINTR) {
            ++gone;
        } else if (number == EWOULDBLOCK) {
            if (++held < MOST_HELD) nanosleep(&moment, NULL);
        } else {
            break;
        }
    }
    qd_status status = file_call_failed("lock", path, number, error);
    if (number == EWOULDBLOCK) return QD_ERR_STATE;
    size_t used = error ? strlen(error->text) : 0;
    if (error && number != ENOENT && number != EINTR)
        snprintf(error->text + used, sizeof error->text - used,
                 "; a place on another file system may have locks");
    return status;
}

bool qdi_os_lock_is_held(const char *path) {
    int number, descriptor = open_own_file("lock", path, O_RDONLY, &number, NULL);
    if (descriptor < 0) return false;
    bool held = lock_descriptor(descriptor, LOCK_SH) == EWOULDBLOCK;
    close(descriptor);
    return held;
}

qd_status qdi_os_lock_take(const char *path, qdi_os_lock *lock, qd_error *error) {
    return lock_file(path, LOCK_EX, lock, error);
}

qd_status qdi_os_lock_share(const char *path, qdi_os_lock *lock, qd_error *error) {
    return lock_file(path, LOCK_SH, lock, error);
}

void qdi_os_lock_drop(const char *path, qdi_os_lock lock) {
    if (path) unlink(path);
    close(lock.descriptor);
}

/// Files and folders: switches this thread to the C locale; what it was is to be handed to leave_c_locale.
static locale_t enter_c_locale(locale_t *c) {
    *c = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    return uselocale(*c); // with no memory for a locale this only asks for the present one
}

// Files and folders: switches this thread back to the locale that it had.
static void leave_c_locale(locale_t before, locale_t c) {
    uselocale(before);
    if (c) freelocale(c);
}

double qdi_os_read_double(const char *text, char **end) {
    locale_t c;
    locale_t before = enter_c_locale(&c);
    double value = strtod(text, end);
    leave_c_locale(before, c);
    return value;
}

int qdi_os_print_double(char *buffer, size_t bytes, int digits, double value) {
    locale_t c;
    locale_t before = enter_c_locale(&c);
    int length = snprintf(buffer, bytes, "%.*g", digits, value);
    leave_c_locale(before, c);
    return length;
}
