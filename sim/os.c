#define _GNU_SOURCE // flock, F_OFD_SETLK, newlocale
#include "sim/os.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <locale.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

/// "cannot VERB PATH: what errno says".
static qd_status failed(const char *verb, const char *path, int number, qd_error *error) {
    if (error) {
        char reason[128];
        // The GNU form gives back where the text is, which need not be the buffer.
        const char *text = strerror_r(number, reason, sizeof reason);
        snprintf(error->text, sizeof error->text, "cannot %s %.300s: %s", verb, path, text);
    }
    return QD_ERR_IO;
}

qd_status qdi_os_make_directory(const char *path, qd_error *error) {
    if (mkdir(path, 0777) == 0) return QD_OK;
    int number = errno;
    qd_status status = failed("make the directory", path, number, error);
    return number == EEXIST ? QD_ERR_EXISTS : status;
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
    if (!directory) return failed("read the directory", path, errno, error);
    qd_status status = QD_OK;
    for (bool more = true; more;) {
        errno = 0;
        const struct dirent *found = readdir(directory);
        if (!found) {
            if (errno != 0) status = failed("read the directory", path, errno, error);
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
    return failed("delete", path, errno, error);
}

qd_status qdi_os_remove_directory_if_empty(const char *path, qd_error *error) {
    if (rmdir(path) == 0 || errno == ENOENT || errno == ENOTEMPTY || errno == EEXIST) return QD_OK;
    return failed("delete the directory", path, errno, error);
}

/// 0, or the error's number.
static int write_all(int descriptor, const unsigned char *data, size_t bytes) {
    while (bytes > 0) {
        ssize_t wrote = write(descriptor, data, bytes);
        if (wrote < 0) {
            if (errno == EINTR) continue;
            return errno;
        }
        data += wrote;
        bytes -= (size_t)wrote;
    }
    return 0;
}

qd_status qdi_os_write_file(const char *temporary, const char *path, const void *data, size_t bytes,
                            qd_error *error) {
    int descriptor = open(temporary, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    if (descriptor < 0) return failed("write", path, errno, error);
    int number = write_all(descriptor, data, bytes);
    // Full disks often show only now. A file system that cannot sync (EINVAL, ENOTSUP) is not at fault.
    if (number == 0 && fsync(descriptor) != 0 && errno != EINVAL && errno != ENOTSUP) number = errno;
    if (close(descriptor) != 0 && number == 0 && errno != EINTR) number = errno;
    if (number == 0 && rename(temporary, path) != 0) number = errno;
    if (number == 0) return QD_OK;
    unlink(temporary);
    return failed("write", path, number, error);
}

void qdi_os_discard(const char *path) {
    (void)unlink(path);
}

bool qdi_os_exists(const char *path) {
    struct stat info;
    return lstat(path, &info) == 0;
}

qd_status qdi_os_rename_new(const char *from, const char *path, qd_error *error) {
    if (qdi_os_exists(path)) {
        (void)failed("make", path, EEXIST, error);
        return QD_ERR_EXISTS;
    }
    if (rename(from, path) != 0) return failed("make", path, errno, error);
    char folder[PATH_MAX];
    const char *slash = strrchr(path, '/');
    size_t length = slash ? (size_t)(slash - path) + (slash == path) : 0;
    if (length >= sizeof folder) return QD_OK; // it was renamed all the same
    memcpy(folder, slash ? path : ".", slash ? length : 1);
    folder[slash ? length : 1] = 0;
    qdi_os_sync_directory(folder);
    return QD_OK;
}

void qdi_os_sync_directory(const char *path) {
    int descriptor = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (descriptor < 0) return;
    (void)fsync(descriptor);
    close(descriptor);
}

/// True where `path` still names the open file: between opening and locking, the lock's last holder may have deleted it.
static bool still_named(int descriptor, const char *path) {
    struct stat opened, named;
    return fstat(descriptor, &opened) == 0 && stat(path, &named) == 0 && opened.st_dev == named.st_dev &&
           opened.st_ino == named.st_ino;
}

/// Locks an open file: 0, EWOULDBLOCK where another has it, or what is wrong. Where the file system does not know flock it may
/// know locks of ranges; they are let go of with the file, too.
static int lock_descriptor(int descriptor, int operation) {
    if (flock(descriptor, operation | LOCK_NB) == 0) return 0;
    int number = errno;
    if (number != ENOLCK && number != ENOSYS && number != ENOTSUP && number != EINVAL) return number;
    struct flock whole = {.l_type = operation == LOCK_EX ? F_WRLCK : F_RDLCK, .l_whence = SEEK_SET};
    if (fcntl(descriptor, F_OFD_SETLK, &whole) == 0) return 0;
    return errno == EAGAIN || errno == EACCES ? EWOULDBLOCK : number;
}

/// `operation`: LOCK_EX or LOCK_SH.
static qd_status lock_file(const char *path, int operation, qdi_os_lock *lock, qd_error *error) {
    for (;;) {
        bool made = true;
        int descriptor = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
        if (descriptor < 0 && errno == EEXIST) {
            made = false;
            descriptor = open(path, O_RDWR | O_CLOEXEC);
            if (descriptor < 0 && errno == ENOENT) continue; // its holder has just let go of it
        }
        if (descriptor < 0) return failed("write", path, errno, error);
        int number = lock_descriptor(descriptor, operation);
        if (number != 0) {
            close(descriptor);
            if (number == EINTR) continue;
            bool held = number == EWOULDBLOCK;
            if (made && !held) unlink(path);
            qd_status status = failed("lock", path, number, error);
            if (held) return QD_ERR_STATE;
            size_t used = error ? strlen(error->text) : 0;
            if (error)
                snprintf(error->text + used, sizeof error->text - used,
                         "; a place on another file system may have locks");
            return status;
        }
        if (still_named(descriptor, path)) {
            *lock = (qdi_os_lock){descriptor, made};
            return QD_OK;
        }
        close(descriptor);
    }
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

/// Switches this thread to the C locale; what it was is to be handed to leave_c_locale.
static locale_t enter_c_locale(locale_t *c) {
    *c = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    return uselocale(*c); // with no memory for a locale this only asks for the present one
}

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
