#include <quadrille/rundir.h>

#include "core/base/memory.h"
#include "sim/files/os.h"
#include "sim/rundir/export_files.h"
#include "sim/rundir/frame_files.h"
#include "sim/rundir/run_files.h"
#include "sim/text/scene_text.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

struct qd_rundir {
    const qd_allocator *allocator;
    char *path;
    char *lock_path;
    qdi_os_lock lock;
};

// Run directory: bytes of a text with its end.
static size_t string_size(const char *text) {
    return strlen(text) + 1;
}

/// Run directory: the texts in a row, up to a NULL; NULL where there is no memory.
static char *join_texts(const qd_allocator *allocator, const char *first, ...) {
    va_list parts;
    size_t bytes = 1;
    va_start(parts, first);
    for (const char *part = first; part; part = va_arg(parts, const char *)) bytes += strlen(part);
    va_end(parts);
    char *text = qdi_allocate(allocator, bytes, 1);
    if (!text) return NULL;
    size_t used = 0;
    va_start(parts, first);
    for (const char *part = first; part; part = va_arg(parts, const char *)) {
        size_t length = strlen(part);
        memcpy(text + used, part, length);
        used += length;
    }
    va_end(parts);
    text[used] = '\0';
    return text;
}

// Releases a text of a run directory.
static void release_string(const qd_allocator *allocator, char *text) {
    if (text) qdi_release(allocator, text, string_size(text), 1);
}

// Run directory: tells that memory ran out.
static qd_status report_no_memory(qd_error *error) {
    if (error) snprintf(error->text, sizeof error->text, "out of memory");
    return QD_ERR_MEMORY;
}

// Tells what is wrong with a path of a run directory.
static qd_status refuse_path(qd_status status, qd_error *error, const char *path, const char *why) {
    if (error) snprintf(error->text, sizeof error->text, "%.300s %s", path, why);
    return status;
}

/// What a look into a directory that is there says.
typedef struct contents {
    bool scene;  ///< some scene.yaml
    bool lock;   ///< some lock
    bool others; ///< what is neither of these nor a file in the making
} contents;

// Notes what lies in a directory that is to become a run directory.
static bool note_run_entry(void *context, const char *name) {
    contents *found = context;
    if (strcmp(name, "lock") == 0)
        found->lock = true;
    else if (strcmp(name, "scene.yaml") == 0)
        found->scene = true;
    else if (!qdi_run_files_is_top(name) || !qdi_ends_with(name, strlen(name), QDI_RUN_PART))
        found->others = true;
    return true;
}

/// Deletes the entries of one directory that belong to a run.
typedef struct sweep {
    const qd_allocator *allocator;
    const char *path;
    bool (*ours)(const char *name);
    const qd_scene *scene; ///< its files stay; may be NULL
    qd_status status;
    qd_error *error;
} sweep;

// Whether the scene of a run names this file.
static bool scene_names_file(const qd_scene *scene, const char *name) {
    qd_scene_file file;
    for (size_t i = 0; scene && qd_scene_file_at(scene, i, &file); ++i)
        if (strcmp(file.name, name) == 0) return true;
    return false;
}

// Deletes a file that an earlier run left.
static bool delete_run_entry(void *context, const char *name) {
    sweep *job = context;
    if (!job->ours(name) || scene_names_file(job->scene, name)) return true;
    char *path = join_texts(job->allocator, job->path, "/", name, NULL);
    job->status = path ? qdi_os_remove_file(path, job->error) : report_no_memory(job->error);
    release_string(job->allocator, path);
    return job->status == QD_OK;
}

// Deletes the files that an earlier run left in a directory.
static qd_status delete_run_entries(const qd_allocator *allocator, const char *path,
                                    bool (*ours)(const char *), const qd_scene *scene, qd_error *error) {
    sweep job = {allocator, path, ours, scene, QD_OK, error};
    qd_status status = qdi_os_list(path, delete_run_entry, &job, error);
    return status == QD_OK ? job.status : status;
}

/// A run's top-level files but scene.yaml, which the new one replaces in one move: so a directory whose run
/// was deleted halfway is still known as a run's. Body files are replaced in the same way: they may be what
/// the new run reads.
static bool is_top_file_to_delete(const char *name) {
    return qdi_run_files_is_top(name) && strcmp(name, "scene.yaml") != 0;
}

// Deletes a file of a run directory.
static qd_status delete_run_file(const qd_rundir *rundir, const char *name, qd_error *error) {
    char *path = join_texts(rundir->allocator, rundir->path, "/", name, NULL);
    if (!path) return report_no_memory(error);
    qd_status status = qdi_os_remove_file(path, error);
    release_string(rundir->allocator, path);
    return status;
}

/// Deletes the pictures in a folder of the run, and the folder where nothing else is in it.
static qd_status delete_frames(const qd_rundir *rundir, const char *folder, qd_error *error) {
    char *path = join_texts(rundir->allocator, rundir->path, folder, NULL);
    if (!path) return report_no_memory(error);
    qd_status status = QD_OK;
    if (qdi_os_is_directory(path)) {
        status = qdi_frame_files_keep(path, 0, error);
        if (status == QD_OK) status = qdi_os_remove_directory_if_empty(path, error);
    }
    release_string(rundir->allocator, path);
    return status;
}

/// Run directory: deletes what was exported into the folder that is the default, with the folders that are
/// empty then.
static qd_status delete_exports(const qd_rundir *rundir, qd_error *error) {
    static const char *const folders[] = {"/export/lammps", "/export/extxyz", "/export/vtp", "/export/csv",
                                          "/export"};
    qd_status status = QD_OK;
    for (size_t i = 0; status == QD_OK && i < sizeof folders / sizeof folders[0]; ++i) {
        char *path = join_texts(rundir->allocator, rundir->path, folders[i], NULL);
        if (!path) return report_no_memory(error);
        bool last = i + 1 == sizeof folders / sizeof folders[0];
        if (!last) status = qdi_export_files_clear(path, error);
        if (status == QD_OK) status = qdi_os_remove_directory_if_empty(path, error);
        release_string(rundir->allocator, path);
    }
    return status;
}

/// Run directory: deletes what a video was to be made of.
static qd_status delete_video(const qd_rundir *rundir, qd_error *error) {
    char *path = join_texts(rundir->allocator, rundir->path, "/video", NULL);
    if (!path) return report_no_memory(error);
    qd_status status = QD_OK;
    if (qdi_os_is_directory(path)) {
        status = delete_run_entries(rundir->allocator, path, qdi_run_files_is_video, NULL, error);
        if (status == QD_OK) status = qdi_os_remove_directory_if_empty(path, error);
    }
    release_string(rundir->allocator, path);
    return status;
}

/// Deletes an earlier run: result.json goes first, for what is left is no longer complete.
static qd_status delete_run(const qd_rundir *rundir, qd_error *error) {
    qd_status status = delete_run_file(rundir, "result.json", error);
    if (status == QD_OK)
        status = delete_run_entries(rundir->allocator, rundir->path, is_top_file_to_delete, NULL, error);
    if (status != QD_OK) return status;
    static const char *const folders[] = {"/frames", "/render"};
    for (size_t i = 0; status == QD_OK && i < sizeof folders / sizeof folders[0]; ++i)
        status = delete_frames(rundir, folders[i], error);
    if (status == QD_OK) status = delete_exports(rundir, error);
    return status == QD_OK ? delete_video(rundir, error) : status;
}

/// QD_OK where the directory's scene.yaml is one that a run wrote, and nothing of the run is a link.
static qd_status find_run(const qd_rundir *rundir, qd_error *error) {
    char *scene = join_texts(rundir->allocator, rundir->path, "/scene.yaml", NULL);
    if (!scene) return report_no_memory(error);
    qd_status status = qdi_run_files_find_mark(scene, error);
    release_string(rundir->allocator, scene);
    if (status == QD_OK) return qdi_run_files_check(rundir->path, error);
    if (status != QD_ERR_NOT_FOUND) return status;
    return refuse_path(QD_ERR_NOT_FOUND, error, rundir->path,
                       qdi_os_is_directory(rundir->path) ? "holds no run" : "is no directory");
}

/// QD_OK where a run may start in a directory that is there.
static qd_status check_directory_free(const qd_rundir *rundir, bool force, qd_error *error) {
    contents found = {false, false, false};
    qd_status status = qdi_os_list(rundir->path, note_run_entry, &found, error);
    if (status != QD_OK || (!found.scene && !found.others)) return status;
    status = find_run(rundir, error);
    if (status == QD_ERR_NOT_FOUND)
        return refuse_path(QD_ERR_INVALID, error, rundir->path,
                           "is not empty and holds no run: nothing in it was touched");
    if (status != QD_OK) return status;
    return force ? QD_OK : refuse_path(QD_ERR_EXISTS, error, rundir->path, "holds an earlier run");
}

/// Locks the directory. One that was there is looked at first, so that nothing is made in a directory of the
/// user's.
static qd_status enter_rundir(qd_rundir *rundir, bool made, bool force, qd_error *error) {
    contents found = {false, false, false};
    if (!made) {
        if (!qdi_os_is_directory(rundir->path))
            return refuse_path(QD_ERR_INVALID, error, rundir->path, "is there and is not a directory");
        qd_status status = qdi_os_list(rundir->path, note_run_entry, &found, error);
        // Where there is a lock, it decides first: the directory may be another run's at this moment.
        if (status == QD_OK && !found.lock) status = check_directory_free(rundir, force, error);
        if (status != QD_OK) return status;
    }
    qd_status status = qdi_os_lock_take(rundir->lock_path, &rundir->lock, error);
    if (status == QD_ERR_STATE) return refuse_path(status, error, rundir->path, "is in use by another run");
    if (status != QD_OK) return status;
    status = check_directory_free(rundir, force,
                                  error); // again: it may have changed before the lock was ours
    // Beside a run the lock is a run's: if we have not made it, then one that was killed, or another that
    // came too late as well and cannot delete it while we have it.
    bool ours = rundir->lock.made || status == QD_ERR_EXISTS;
    if (status != QD_OK) qdi_os_lock_drop(ours ? rundir->lock_path : NULL, rundir->lock);
    return status;
}

// Frees a run directory's record.
static void free_rundir(qd_rundir *rundir) {
    const qd_allocator *allocator = rundir->allocator;
    release_string(allocator, rundir->path);
    release_string(allocator, rundir->lock_path);
    qdi_release(allocator, rundir, 1, sizeof *rundir);
}

// Writes scene.yaml of a run.
static qd_status write_run_scene(qd_rundir *rundir, const char *scene_text, qd_error *error) {
    char *marked = join_texts(rundir->allocator, QDI_RUN_SCENE_MARK, scene_text, NULL);
    if (!marked) return report_no_memory(error);
    qd_status status = qd_rundir_write(rundir, "scene.yaml", marked, strlen(marked), error);
    release_string(rundir->allocator, marked);
    return status;
}

// Empties a run directory where that was asked for, and writes the scene.
static qd_status fill_rundir(qd_rundir *rundir, bool made, bool force, const char *scene_text,
                             qd_error *error) {
    qd_status status = QD_OK;
    if (!made && force) status = delete_run(rundir, error);
    return status == QD_OK ? write_run_scene(rundir, scene_text, error) : status;
}

/// A directory that is not locked yet; NULL where there is no memory.
static qd_rundir *make_rundir(const char *path) {
    const qd_allocator *allocator = qd_allocator_default();
    qd_rundir *rundir = qdi_allocate(allocator, 1, sizeof *rundir);
    if (!rundir) return NULL;
    *rundir = (qd_rundir){.allocator = allocator};
    rundir->path = join_texts(allocator, path, NULL);
    rundir->lock_path = join_texts(allocator, path, "/lock", NULL);
    if (rundir->path && rundir->lock_path) return rundir;
    free_rundir(rundir);
    return NULL;
}

qd_status qd_rundir_create(const char *path, const char *scene_text, bool force, qd_rundir **result,
                           qd_error *error) {
    if (!path || !scene_text || !result) return QD_ERR_ARGUMENT;
    *result = NULL;
    qd_rundir *rundir = make_rundir(path);
    if (!rundir) return report_no_memory(error);
    qd_status status = qdi_os_make_directories(path, error);
    bool made = status == QD_OK;
    if (status == QD_ERR_EXISTS) status = QD_OK;
    if (made) status = qdi_os_sync_parent(path, error);
    bool locked = false;
    if (status == QD_OK) {
        status = enter_rundir(rundir, made, force, error);
        locked = status == QD_OK;
    }
    if (locked) status = fill_rundir(rundir, made, force, scene_text, error);
    if (status == QD_OK) {
        *result = rundir;
        return QD_OK;
    }
    if (locked) qdi_os_lock_drop(rundir->lock_path, rundir->lock);
    if (made) {
        qd_status removed = qdi_os_remove_directory_if_empty(path, NULL);
        (void)removed; // the first reason counts; a directory that cannot even be deleted again stays
    }
    free_rundir(rundir);
    return status;
}

qd_status qd_rundir_open(const char *path, qd_rundir **result, qd_error *error) {
    if (!path || !result) return QD_ERR_ARGUMENT;
    *result = NULL;
    qd_rundir *rundir = make_rundir(path);
    if (!rundir) return report_no_memory(error);
    qd_status status = find_run(rundir, error); // before a lock is made in a directory of the user's
    if (status == QD_OK) {
        status = qdi_os_lock_take(rundir->lock_path, &rundir->lock, error);
        if (status == QD_ERR_STATE) status = refuse_path(status, error, path, "is in use by another run");
    }
    if (status == QD_OK) {
        *result = rundir;
        return QD_OK;
    }
    free_rundir(rundir);
    return status;
}

bool qd_rundir_complete(const qd_rundir *rundir) {
    char *path = join_texts(rundir->allocator, rundir->path, "/result.json", NULL);
    bool there = path && qdi_os_is_file(path);
    release_string(rundir->allocator, path);
    return there;
}

qd_status qd_rundir_clear(qd_rundir *rundir, qd_error *error) {
    return rundir ? delete_run(rundir, error) : QD_ERR_ARGUMENT;
}

qd_status qd_rundir_extend(qd_rundir *rundir, const char *scene_text, qd_error *error) {
    if (!rundir || !scene_text) return QD_ERR_ARGUMENT;
    qd_status status = delete_run_file(rundir, "result.json", error);
    if (status == QD_OK) status = qdi_os_sync_directory(rundir->path, error);
    return status == QD_OK ? write_run_scene(rundir, scene_text, error) : status;
}

/// What a run leaves only where it ended early.
static bool is_leftover(const char *name) {
    bool part = qdi_ends_with(name, strlen(name), QDI_RUN_PART) &&
                (qdi_run_files_is_top(name) || qdi_run_files_is_body(name));
    return part || strcmp(name, "postmortem.png") == 0;
}

qd_status qd_rundir_keep_frames(qd_rundir *rundir, uint64_t frames, qd_error *error) {
    if (!rundir) return QD_ERR_ARGUMENT;
    qd_status status = delete_run_entries(rundir->allocator, rundir->path, is_leftover, NULL, error);
    char *path = join_texts(rundir->allocator, rundir->path, "/frames", NULL);
    if (status == QD_OK && !path) status = report_no_memory(error);
    if (status == QD_OK) status = qdi_frame_files_keep(path, frames, error);
    release_string(rundir->allocator, path);
    return status;
}

const char *qd_rundir_path(const qd_rundir *rundir) {
    return rundir->path;
}

qd_status qd_rundir_write(qd_rundir *rundir, const char *name, const void *data, size_t bytes,
                          qd_error *error) {
    if (!rundir || !name || (!data && bytes > 0)) return QD_ERR_ARGUMENT;
    char *path = join_texts(rundir->allocator, rundir->path, "/", name, NULL);
    char *part = join_texts(rundir->allocator, rundir->path, "/", name, QDI_RUN_PART, NULL);
    qd_status status = path && part ? qdi_os_write_file(part, path, data, bytes, error)
                                    : report_no_memory(error);
    release_string(rundir->allocator, part);
    release_string(rundir->allocator, path);
    return status;
}

qd_status qd_rundir_write_scene_files(qd_rundir *rundir, const qd_scene *scene, qd_error *error) {
    if (!rundir || !scene) return QD_ERR_ARGUMENT;
    qd_scene_file file;
    for (size_t i = 0; qd_scene_file_at(scene, i, &file); ++i) {
        qd_status status = qd_rundir_write(rundir, file.name, file.data, file.bytes, error);
        if (status != QD_OK) return status;
    }
    return delete_run_entries(rundir->allocator, rundir->path, qdi_run_files_is_body, scene, error);
}

qd_status qd_rundir_subdir(qd_rundir *rundir, const char *name, qd_error *error) {
    if (!rundir || !name) return QD_ERR_ARGUMENT;
    char *path = join_texts(rundir->allocator, rundir->path, "/", name, NULL);
    if (!path) return report_no_memory(error);
    qd_status status = qdi_os_make_directory(path, error);
    if (status == QD_OK) status = qdi_os_sync_directory(rundir->path, error);
    if (status == QD_ERR_EXISTS) status = qdi_os_check(path, QDI_OS_DIRECTORY, error);
    release_string(rundir->allocator, path);
    return status;
}

void qd_rundir_close(qd_rundir *rundir) {
    if (!rundir) return;
    qdi_os_lock_drop(rundir->lock_path, rundir->lock);
    free_rundir(rundir);
}
