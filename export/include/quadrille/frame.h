#ifndef QUADRILLE_FRAME_H
#define QUADRILLE_FRAME_H

#include <quadrille/status.h>
#include <quadrille/view.h>
#include <quadrille/world.h>
#include <stddef.h>
#include <stdint.h>

/// Writes pictures of a world as PNG files, off the caller's thread: qd_frame_writer_push copies what the
/// picture needs and returns; a thread of the writer's own draws, encodes and renames the file into place.
/// The queue is bounded and blocks rather than drops. Files are written as NAME.part first. Pixels and bytes
/// depend on the world, the view and the provenance alone.
typedef struct qd_frame_writer qd_frame_writer;

/// What is written into every PNG as text: who made it, from what.
typedef struct qd_provenance {
    const char *scene; ///< name
    uint64_t scene_hash;
    uint64_t seed;
} qd_provenance;

/// A frame that is in place, as manifest.csv lists it.
typedef struct qd_frame_row {
    uint64_t index, step;
    double time;
    uint64_t pixels; ///< hash of the picture's pixels and palette
} qd_frame_row;

typedef struct qd_frame_writer_def {
    uint32_t cookie;       ///< set by qd_frame_writer_def_default; a def without it is refused
    const char *directory; ///< must exist; gets frame_000000.png, ... and manifest.csv
    qd_view view;
    qd_provenance provenance;
    int queue; ///< frames that may wait, 1..64, default 4
    /// Frames that an earlier writer has left in the directory, in order from index 0: they are listed again, and the
    /// next frame is number `row_count`. Default none. For pictures as the earlier writer's, `view.speed` is to be what
    /// its qd_frame_writer_speed said.
    const qd_frame_row *rows;
    size_t row_count;
    const qd_allocator *allocator; ///< NULL: the C heap; called from the writer's thread too
} qd_frame_writer_def;

QD_API qd_frame_writer_def qd_frame_writer_def_default(void);

/// Starts a writer. Errors: QD_ERR_ARGUMENT, QD_ERR_VALUE (view, queue), QD_ERR_IO, QD_ERR_MEMORY.
QD_API QD_MUST_USE qd_status qd_frame_writer_create(const qd_frame_writer_def *def, qd_frame_writer **writer,
                                                    qd_error *error);

/// Hands in the world's present moment as the next frame. Once a frame failed, every later call returns that
/// failure. Errors: QD_ERR_IO, QD_ERR_MEMORY.
QD_API QD_MUST_USE qd_status qd_frame_writer_push(qd_frame_writer *writer, const qd_world *world);

/// Waits until all frames handed in are in place under their own names. `rows` and `count` get those that came into place
/// since the last flush; they are valid until the next call. Both NULL: not asked. Errors: those of push; the reason in
/// `error`.
QD_API QD_MUST_USE qd_status qd_frame_writer_flush(qd_frame_writer *writer, const qd_frame_row **rows,
                                                   size_t *count, qd_error *error);

/// The speed at the top of the colour map: the view's, or, where that is `auto`, the one that frame 0 fixed; NaN before.
QD_API double qd_frame_writer_speed(const qd_frame_writer *writer);

/// Waits until all frames are written and manifest.csv is complete; `frames` gets their number, those of
/// the def's `rows` included (NULL is fine). Errors: those of push; the reason in `error`.
QD_API QD_MUST_USE qd_status qd_frame_writer_finish(qd_frame_writer *writer, uint64_t *frames,
                                                    qd_error *error);

/// Finishes if need be, stops the thread and frees; NULL is fine.
QD_API void qd_frame_writer_destroy(qd_frame_writer *writer);

/// Reads a frame's file and tells the hash of its pixels and palette, which is that of its qd_frame_row as long as nobody has
/// changed the file. `allocator` may be NULL. Errors: QD_ERR_NOT_FOUND, QD_ERR_CORRUPT (damaged, or no picture of a frame), the
/// reason in `error`; QD_ERR_MEMORY, QD_ERR_ARGUMENT. Any thread.
QD_API QD_MUST_USE qd_status qd_frame_read_pixels(const char *path, const qd_allocator *allocator,
                                                  uint64_t *pixels, qd_error *error);

/// Looks whether the first `count` frames of a directory are there and have their end; returns how many are, up to the first
/// that is not, whose reason is in `error`. Reads a few bytes of each.
QD_API uint64_t qd_frames_whole(const char *directory, uint64_t count, qd_error *error);

#endif
