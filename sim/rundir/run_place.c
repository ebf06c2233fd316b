#include "sim/rundir/run_place.h"

#include "sim/files/os.h"
#include "sim/rundir/frame_files.h"
#include "sim/rundir/run_files.h"
#include "sim/text/reason.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

enum { PATH_SIZE = 4096 + 16, NAME_SIZE = 256 };

/// Run directory: whether a run keeps `name` in its directory for itself, or what is under `rest` in it.
typedef bool (*kept_test)(const char *name, const char *rest, const char *own);

// Run directory: whether a directory is a run's.
static bool is_run_directory(const char *path) {
    char file[PATH_SIZE + 16];
    (void)snprintf(file, sizeof file, "%s/run.db", path);
    if (qdi_os_is_file(file)) return true;
    (void)snprintf(file, sizeof file, "%s/scene.yaml", path);
    return qdi_run_files_find_mark(file, NULL) == QD_OK;
}

// Run directory: whether one of the directories that a full path leads through is a run's and keeps what
// comes next for itself; with its name.
static bool is_in_run(char *full, kept_test keeps, const char *own, char name[NAME_SIZE]) {
    for (char *slash = full; slash; slash = strchr(slash + 1, '/')) {
        const char *next = slash + 1;
        const size_t length = strcspn(next, "/");
        if (length >= NAME_SIZE) continue;
        memcpy(name, next, length);
        name[length] = '\0';
        if (!keeps(name, next[length] ? next + length + 1 : "", own)) continue;
        *slash = '\0';
        const bool run = is_run_directory(full);
        *slash = '/';
        if (run) return true;
    }
    return false;
}

// Run directory: whether a directory of this name is kept, but for the command's own.
static bool keeps_directory(const char *name, const char *rest, const char *own) {
    (void)rest;
    return qdi_run_files_is_kept(name) && strcmp(name, own) != 0;
}

// Run directory: whether a file is kept: one at the top of the directory, or one of a folder's.
static bool keeps_file(const char *name, const char *rest, const char *own) {
    (void)own;
    if (!rest[0]) return qdi_run_files_is_kept(name) && strcmp(name, "report.html") != 0;
    if (strcmp(name, "frames") == 0 || strcmp(name, "render") == 0) return qdi_frame_files_is(rest);
    return strcmp(name, "video") == 0 && qdi_run_files_is_video(rest);
}

qd_status qdi_run_place_check_directory(const char *path, const char *own, qd_error *error) {
    char full[PATH_SIZE], name[NAME_SIZE];
    // Of a path that has no full name the call that makes it says why.
    if (!qdi_os_full_path(path, full, PATH_SIZE)) return QD_OK;
    if (is_run_directory(full))
        return qdi_reason(error, QD_ERR_INVALID, "%.300s is a run directory; -o DIR writes elsewhere", path);
    if (!is_in_run(full, keeps_directory, own, name)) return QD_OK;
    return qdi_reason(error, QD_ERR_INVALID, "%.300s: a run keeps %.40s for itself; -o DIR writes elsewhere",
                      path, name);
}

qd_status qdi_run_place_check_file(const char *path, qd_error *error) {
    char full[PATH_SIZE], name[NAME_SIZE];
    if (!qdi_os_full_path(path, full, PATH_SIZE) || !is_in_run(full, keeps_file, "", name)) return QD_OK;
    return qdi_reason(error, QD_ERR_INVALID, "%.300s is one of a run's own files and never replaced", path);
}
