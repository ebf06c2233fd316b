#include "tools/host/output_place.h"

#include "export/process/os.h"
#include "sim/files/os.h"
#include "sim/rundir/run_place.h"
#include "tools/host/console.h"
#include "tools/host/exit_codes.h"
#include "tools/host/failure.h"

#include <string.h>

enum { PATH_SIZE = 4096 };

// Host: why what is at the place of a file is never replaced; NULL where it may be.
static const char *find_fault(qdi_os_found found, bool streams) {
    switch (found) {
    case QDI_OS_FOUND_NOTHING:
    case QDI_OS_FOUND_FILE: return NULL;
    case QDI_OS_FOUND_STREAM: return streams ? NULL : "is not a regular file";
    case QDI_OS_FOUND_LINK: return "is a link";
    case QDI_OS_FOUND_DIRECTORY: return "is a directory";
    default: return "is not a regular file";
    }
}

int qdi_output_check_file(const char *path, const qdi_output_rule *rule) {
    const qdi_os_found found = qdi_os_look(path);
    const char *fault = find_fault(found, rule->streams);
    if (fault) {
        qdi_complain("%.300s %s: it is not replaced", path, fault);
        return QDI_EXIT_OUTPUT;
    }
    if (found == QDI_OS_FOUND_STREAM) return QDI_EXIT_DONE;
    qd_error error = {""};
    qd_status status = qdi_run_place_check_file(path, &error);
    if (status != QD_OK) return qdi_fail(status, &error, QDI_EXIT_OUTPUT);
    if (found == QDI_OS_FOUND_NOTHING || rule->force || (rule->is_ours && rule->is_ours(path)))
        return QDI_EXIT_DONE;
    qdi_complain("%.300s exists; --force replaces it", path);
    return QDI_EXIT_OUTPUT;
}

int qdi_output_check_folder(const char *path) {
    char folder[PATH_SIZE] = ".";
    const char *slash = strrchr(path, '/');
    if (slash && (size_t)(slash - path) + 2 > sizeof folder) {
        qdi_complain("%.300s... is longer than %d characters", path, PATH_SIZE - 1);
        return QDI_EXIT_OUTPUT;
    }
    if (slash) snprintf(folder, sizeof folder, "%.*s", slash == path ? 1 : (int)(slash - path), path);
    qd_error error = {""};
    qd_status status = qdi_os_make_parents(path, &error);
    if (status == QD_OK) status = qdi_directory_check(folder, &error);
    return status == QD_OK ? QDI_EXIT_DONE : qdi_fail(status, &error, QDI_EXIT_OUTPUT);
}

int qdi_output_check_directory(const char *path, const char *own) {
    qd_error error = {""};
    qd_status status = qdi_run_place_check_directory(path, own, &error);
    return status == QD_OK ? QDI_EXIT_DONE : qdi_fail(status, &error, QDI_EXIT_OUTPUT);
}

qd_status qdi_output_open(const char *path, FILE **file, qd_error *error) {
    return qdi_os_look(path) == QDI_OS_FOUND_STREAM ? qdi_file_open_stream(path, file, error)
                                                    : qdi_file_create_stream(path, file, error);
}
