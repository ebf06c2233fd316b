#pragma once

#include <quadrille/alloc.h>
#include <quadrille/scene.h>
#include <quadrille/status.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// A sweep: a base scene, what is changed in it for all runs, and axes along which keys of the scene take
/// values. Its points are all combinations: the last axis changes fastest, and within a point its replicas.
/// docs/sweep.md has the file's form.
///
/// A value of an axis depends on that axis alone: when an axis is added, or made longer, the values that were
/// there stay.
typedef struct qdi_sweep qdi_sweep;

/// Points that a sweep may have where neither its `limit` nor the caller says more.
#define QDI_SWEEP_LIMIT 10000
/// Most values of one axis, and most replicas.
#define QDI_SWEEP_LONGEST 1000000
/// Longest name of a base scene's file.
#define QDI_SWEEP_PATH 4096

/// Reads a sweep's file. Errors: QD_ERR_NOT_FOUND, QD_ERR_IO, QD_ERR_INVALID (one line with file, line and,
/// for an unknown key, the nearest known one), QD_ERR_MEMORY. That the points are good scenes is not looked
/// at.
QD_MUST_USE qd_status qdi_sweep_read(const char *path, qdi_sweep **sweep, qd_error *error);

/// The same for the copy that the directory of a sweep keeps: its base scene is not looked for, since its
/// path begins elsewhere, and stays as it is in the file.
QD_MUST_USE qd_status qdi_sweep_read_kept(const char *path, qdi_sweep **sweep, qd_error *error);

/// The same for text in memory; `name` stands for the file in messages, and the base scene's path begins at
/// its folder.
QD_MUST_USE qd_status qdi_sweep_parse(const qd_allocator *allocator, const char *text, size_t bytes,
                                      const char *name, qdi_sweep **sweep, qd_error *error);

/// Frees it; NULL is fine.
void qdi_sweep_destroy(qdi_sweep *sweep);

const char *qdi_sweep_name(const qdi_sweep *sweep);
/// The file's text as it was read.
const char *qdi_sweep_text(const qdi_sweep *sweep, size_t *bytes);
/// The base scene: a built-in name, or a path that opens from here.
const char *qdi_sweep_scene(const qdi_sweep *sweep);
/// Points, replicas included; UINT64_MAX where that is too large a number.
uint64_t qdi_sweep_count(const qdi_sweep *sweep);
/// The file's `limit`, or QDI_SWEEP_LIMIT.
uint64_t qdi_sweep_limit(const qdi_sweep *sweep);
uint64_t qdi_sweep_replicas(const qdi_sweep *sweep);

/// Keys that take values, in the order of the file; NULL past the last. Zipped axes have several.
const char *qdi_sweep_key(const qdi_sweep *sweep, size_t column);
/// What the key of `column` is at point `point` (from 0): YAML on one line.
const char *qdi_sweep_value(const qdi_sweep *sweep, uint64_t point, size_t column);
/// Which replica of its kind point `point` is, from 1.
uint64_t qdi_sweep_replica(const qdi_sweep *sweep, uint64_t point);

/// The changes that make a point of the base scene, as `quadrille run` takes them.
typedef struct qdi_sweep_changes {
    const qd_allocator *allocator;
    qd_scene_changes changes;
    const char **items;
    char *chars;
    size_t item_room, char_room;
} qdi_sweep_changes;

/// Makes them. `seed`: the last of them is run.seed, where the point's replica is not the first. Errors:
/// QD_ERR_MEMORY.
QD_MUST_USE qd_status qdi_sweep_changes_make(const qdi_sweep *sweep, uint64_t point, uint64_t seed,
                                             qdi_sweep_changes *changes);
void qdi_sweep_changes_free(qdi_sweep_changes *changes);

/// A point, looked at.
typedef struct qdi_sweep_point {
    uint64_t number;  ///< from 1
    uint64_t replica; ///< from 1
    /// Hash of its scene, which names its directory; of its changes where it is no good scene.
    uint64_t id;
    uint64_t twin; ///< number of an earlier point that is the same run, 0: none
    bool valid;
    char *reason;     ///< why it is no good scene; NULL where it is one
    qd_scene_run run; ///< the seed is the replica's
    uint64_t bodies;  ///< that the scene begins with
    uint64_t pixels;  ///< of a frame
} qdi_sweep_point;

typedef struct qdi_sweep_plan {
    const qd_allocator *allocator;
    qdi_sweep_point *points; ///< in the order of their numbers
    size_t count, room;
} qdi_sweep_plan;

/// Looks at the points `first`, `first` + `every`, ... (from 0) and at the scene of each; a point that is no
/// good scene is no error, but a base scene that cannot be read is. Replica 1 has the seed that the scene
/// says; replica r > 1 one that is derived from it and r, the same for all points that have the same seed.
/// Errors: those of qd_scene_read, QD_ERR_MEMORY.
QD_MUST_USE qd_status qdi_sweep_plan_make(const qdi_sweep *sweep, uint64_t first, uint64_t every,
                                          qdi_sweep_plan *plan, qd_error *error);
void qdi_sweep_plan_free(qdi_sweep_plan *plan);

/// The point in words: "contact.restitution=0.5, contact.friction=0.2, replica 3".
void qdi_sweep_words(const qdi_sweep *sweep, uint64_t point, char *text, size_t bytes);
