#define _POSIX_C_SOURCE 200809L

#include "export/os.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

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
