#include "sim/rundir/run_files.h"

#include "sim/files/os.h"
#include "sim/rundir/own_files.h"
#include "sim/text/scene_text.h"

#include <stddef.h>
#include <stdio.h>
#include <string.h>

enum { PATH_SIZE = 4096 + 16 };

/// Run directory's files: length of a name without `.part`.
static size_t whole_length(const char *name) {
    size_t length = strlen(name);
    return qdi_ends_with(name, length, QDI_RUN_PART) ? length - strlen(QDI_RUN_PART) : length;
}

// Run directory's files: whether a name is in a list of names.
static bool is_one_of_names(const char *name, size_t length, const char *const *names, size_t count) {
    for (size_t i = 0; i < count; ++i)
        if (length == strlen(names[i]) && memcmp(name, names[i], length) == 0) return true;
    return false;
}

bool qdi_run_files_is_top(const char *name) {
    static const char *const names[] = {"result.json", "scene.yaml",     "run.db",         "run.db-wal",
                                        "run.db-shm",  "run.db-journal", "postmortem.png", "report.html"};
    return is_one_of_names(name, whole_length(name), names, sizeof names / sizeof names[0]);
}

bool qdi_run_files_is_body(const char *name) {
    static const char *const endings[] = {".csv", ".lammpstrj", ".data", ".xyz", ".qdworld"};
    size_t length = whole_length(name), head = strlen("bodies_"), at = head;
    if (length <= head || memcmp(name, "bodies_", head) != 0) return false;
    while (at < length && name[at] >= '0' && name[at] <= '9') ++at;
    return at > head && is_one_of_names(name + at, length - at, endings, sizeof endings / sizeof endings[0]);
}

bool qdi_run_files_is_video(const char *name) {
    static const char segment[] = "segment_";
    static const char *const names[] = {"failed.txt", "joined.txt", "segments.ffconcat", "palette.png"};
    size_t length = whole_length(name);
    if (length > sizeof segment - 1 && memcmp(name, segment, sizeof segment - 1) == 0) return true;
    return is_one_of_names(name, length, names, sizeof names / sizeof names[0]);
}

// What an entry at the top of a run directory is.
static qdi_own_kind run_entry_kind(const char *name) {
    static const char *const folders[] = {"frames", "render", "export", "video"};
    if (is_one_of_names(name, strlen(name), folders, sizeof folders / sizeof folders[0]))
        return QDI_OWN_DIRECTORY;
    bool file = strcmp(name, "lock") == 0 || qdi_run_files_is_top(name) || qdi_run_files_is_body(name);
    return file ? QDI_OWN_FILE : QDI_OWN_NONE;
}

bool qdi_run_files_is_kept(const char *name) {
    return run_entry_kind(name) != QDI_OWN_NONE;
}

qd_status qdi_run_files_find_mark(const char *path, qd_error *error) {
    char start[sizeof QDI_RUN_SCENE_MARK] = "";
    FILE *file = NULL;
    qd_error why;
    qd_status status = qdi_os_open(path, QDI_OS_OWN, &file, &why);
    if (status == QD_ERR_IO && error)
        snprintf(error->text, sizeof error->text, "cannot read %.300s: %.180s", path, why.text);
    if (status != QD_OK) return status;
    size_t got = fread(start, 1, sizeof start - 1, file);
    (void)fclose(file);
    return got == sizeof start - 1 && memcmp(start, QDI_RUN_SCENE_MARK, got) == 0 ? QD_OK : QD_ERR_NOT_FOUND;
}

// What an entry of a run's export directory is.
static qdi_own_kind export_entry_kind(const char *name) {
    static const char *const folders[] = {"lammps", "extxyz", "vtp", "csv"};
    bool folder = is_one_of_names(name, strlen(name), folders, sizeof folders / sizeof folders[0]);
    return folder ? QDI_OWN_DIRECTORY : QDI_OWN_NONE;
}

qd_status qdi_run_files_check(const char *directory, qd_error *error) {
    char path[PATH_SIZE];
    qd_status status = qdi_own_files_check(directory, run_entry_kind, error);
    if (status != QD_OK) return status;
    (void)snprintf(path, sizeof path, "%s/export", directory);
    return qdi_own_files_check(path, export_entry_kind, error);
}
