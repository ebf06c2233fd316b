#include "sim/rundir/own_files.h"

#include "sim/files/os.h"
#include "sim/text/reason.h"

#include <stdio.h>
#include <string.h>

enum { PATH_SIZE = 4096, NAME_SIZE = 256 };

/// A look at a directory, or its cleaning.
typedef struct own_look {
    const qdi_own_files *kind;
    const char *directory;
    uint64_t kept;
    bool ours, others;
    qd_status status;
    qd_error *error;
} own_look;

// Run directory's files: notes whether a directory holds files of ours, and others.
static bool note_own_entry(void *context, const char *name) {
    own_look *look = context;
    if (look->kind->is_ours(name))
        look->ours = true;
    else
        look->others = true;
    return true;
}

// Removes a file of ours from a directory.
static bool remove_own_file(void *context, const char *name) {
    own_look *look = context;
    const qdi_own_files *kind = look->kind;
    if (!kind->is_ours(name) || (kind->stays && kind->stays(name, look->kept))) return true;
    char path[PATH_SIZE];
    snprintf(path, sizeof path, "%s/%s", look->directory, name);
    look->status = qdi_os_remove_file(path, look->error);
    return look->status == QD_OK;
}

// Run directory's files: refuses the name of a directory that is too long.
static qd_status check_directory_name(const char *directory, qd_error *error) {
    if (strlen(directory) + NAME_SIZE < PATH_SIZE) return QD_OK;
    return qdi_reason(error, QD_ERR_VALUE, "the name of the directory is longer than %d characters",
                      PATH_SIZE - NAME_SIZE - 1);
}

/// A look at what entries are.
typedef struct kind_look {
    const char *directory;
    qdi_own_kind (*kind)(const char *name);
    qd_status status;
    qd_error *error;
} kind_look;

// Run directory's files: checks that an entry of a directory is what its name says.
static bool check_own_entry(void *context, const char *name) {
    kind_look *look = context;
    qdi_own_kind kind = look->kind(name);
    if (kind == QDI_OWN_NONE) return true;
    char path[PATH_SIZE];
    snprintf(path, sizeof path, "%s/%s", look->directory, name);
    look->status = qdi_os_check(path, kind == QDI_OWN_FILE ? QDI_OS_FILE : QDI_OS_DIRECTORY, look->error);
    return look->status == QD_OK;
}

qd_status qdi_own_files_check(const char *directory, qdi_own_kind (*kind)(const char *name),
                              qd_error *error) {
    qd_status status = check_directory_name(directory, error);
    if (status != QD_OK || !qdi_os_is_directory(directory)) return status;
    kind_look look = {.directory = directory, .kind = kind, .error = error};
    status = qdi_os_list(directory, check_own_entry, &look, error);
    return status == QD_OK ? look.status : status;
}

qd_status qdi_own_files_clear(const qdi_own_files *kind, const char *directory, uint64_t kept,
                              qd_error *error) {
    qd_status status = check_directory_name(directory, error);
    if (status != QD_OK || !qdi_os_is_directory(directory)) return status;
    own_look look = {.kind = kind, .directory = directory, .kept = kept, .error = error};
    status = qdi_os_list(directory, remove_own_file, &look, error);
    return status == QD_OK ? look.status : status;
}

qd_status qdi_own_files_prepare(const qdi_own_files *kind, const char *directory, bool force,
                                qd_error *error) {
    qd_status status = check_directory_name(directory, error);
    if (status == QD_OK) status = qdi_os_make_directories(directory, error);
    if (status != QD_ERR_EXISTS) return status;
    if (!qdi_os_is_directory(directory)) return QD_ERR_IO; // with the reason of the call above
    own_look look = {.kind = kind, .directory = directory};
    status = qdi_os_list(directory, note_own_entry, &look, error);
    if (status != QD_OK) return status;
    if (look.others)
        return qdi_reason(error, QD_ERR_INVALID, "%.300s holds other things than %s", directory, kind->what);
    if (look.ours && !force)
        return qdi_reason(error, QD_ERR_EXISTS, "%.300s holds %s already", directory, kind->what);
    status = qdi_own_files_clear(kind, directory, 0, error);
    // Their list shall not come back with new files beside it.
    return status == QD_OK && look.ours ? qdi_os_sync_directory(directory, error) : status;
}
