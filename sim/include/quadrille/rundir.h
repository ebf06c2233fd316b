#ifndef QUADRILLE_RUNDIR_H
#define QUADRILLE_RUNDIR_H

#include <quadrille/scene.h>
#include <quadrille/status.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

QD_BEGIN_DECLS

/// A run directory: made whole or not at all, locked while a run writes to it, complete when result.json is
/// there.
typedef struct qd_rundir qd_rundir;

/// Makes `path` and the folders above it, locks it and writes scene.yaml. A directory that exists is refused
/// unless it is empty or `force` is set. With `force` the files of an earlier run, and nothing else, are
/// deleted first; a directory that holds other things and no run's scene.yaml is refused even so. Errors:
/// QD_ERR_EXISTS (an earlier run is there), QD_ERR_INVALID (something else is there), QD_ERR_STATE (another
/// process holds the lock), QD_ERR_IO, QD_ERR_MEMORY; the reason is in `error`. After an error a directory
/// that was there is as it was, but for QD_ERR_IO and QD_ERR_MEMORY with `force`, and one that was not is
/// gone.
QD_API QD_MUST_USE qd_status qd_rundir_create(const char *path, const char *scene_text, bool force,
                                              qd_rundir **rundir, qd_error *error);

/// Opens the directory of an earlier run, so that it can go on, and locks it. Errors: QD_ERR_NOT_FOUND (there
/// is no such directory, or no run in it), QD_ERR_STATE (another process holds the lock), QD_ERR_IO,
/// QD_ERR_MEMORY; the reason is in `error`. Nothing in it is changed.
QD_API QD_MUST_USE qd_status qd_rundir_open(const char *path, qd_rundir **rundir, qd_error *error);

/// True where result.json is there.
QD_API bool qd_rundir_complete(const qd_rundir *rundir);

/// The run is no longer complete and has another scene: result.json goes first, then scene.yaml is replaced
/// in one move. Errors: QD_ERR_IO, QD_ERR_MEMORY.
QD_API QD_MUST_USE qd_status qd_rundir_extend(qd_rundir *rundir, const char *scene_text, qd_error *error);

/// Deletes what the run has made of its scene; the scene itself stays. Errors: QD_ERR_IO, QD_ERR_MEMORY.
QD_API QD_MUST_USE qd_status qd_rundir_clear(qd_rundir *rundir, qd_error *error);

/// Deletes the frames from number `frames` on, the list of frames, an earlier post-mortem, and all files in
/// the making. Errors: QD_ERR_IO, QD_ERR_MEMORY.
QD_API QD_MUST_USE qd_status qd_rundir_keep_frames(qd_rundir *rundir, uint64_t frames, qd_error *error);

/// The path it was made with.
QD_API const char *qd_rundir_path(const qd_rundir *rundir);

/// Writes a file of the directory under another name, syncs it and renames it into place: it is there whole
/// or not at all. Errors: QD_ERR_IO, QD_ERR_MEMORY.
QD_API QD_MUST_USE qd_status qd_rundir_write(qd_rundir *rundir, const char *name, const void *data,
                                             size_t bytes, qd_error *error);

/// Writes the files that the resolved scene names beside scene.yaml, and then deletes those of an earlier run
/// that it does not name. Errors: QD_ERR_IO, QD_ERR_MEMORY.
QD_API QD_MUST_USE qd_status qd_rundir_write_scene_files(qd_rundir *rundir, const qd_scene *scene,
                                                         qd_error *error);

/// Makes a subdirectory; one that is there is fine. Errors: QD_ERR_IO, QD_ERR_MEMORY.
QD_API QD_MUST_USE qd_status qd_rundir_subdir(qd_rundir *rundir, const char *name, qd_error *error);

/// Unlocks and frees; NULL is fine.
QD_API void qd_rundir_close(qd_rundir *rundir);

QD_END_DECLS

#endif
