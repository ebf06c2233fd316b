#ifndef QUADRILLE_FRAME_H
#define QUADRILLE_FRAME_H

#include <quadrille/status.h>
#include <quadrille/view.h>
#include <quadrille/world.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

QD_BEGIN_DECLS

/// Writes pictures of a world as PNG files, off the caller's thread: qd_frame_writer_push copies what the
/// picture needs and returns; threads of the writer's own draw, encode and rename the files into place, in
/// order. The queue is bounded and blocks rather than drops. Files are written as NAME.part first. Pixels and
/// bytes depend on the world, the view and the provenance alone.
typedef struct qd_frame_writer qd_frame_writer;

/// See <quadrille/video.h>.
typedef struct qd_video qd_video;

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
    uint64_t stage;  ///< that the run was in, from 0; listed by its name where the view has `stages`
} qd_frame_row;

/// How a writer is made.
typedef struct qd_frame_writer_def {
    uint32_t cookie; ///< set by qd_frame_writer_def_default; a def without it is refused
    const char
        *directory;  ///< must exist; gets frame_000000.png, ... and manifest.csv; NULL: no files are written
    qd_video *video; ///< gets every frame, in order, until the writer is drained; NULL: none. Not the
                     ///< writer's to free
    qd_view view;
    qd_provenance provenance;
    int queue;   ///< frames that may wait, 1..64, default 4
    int workers; ///< threads that draw and encode, each a frame of its own, 1..64, default 1; changes no
                 ///< result
    /// Frames that an earlier writer has left in the directory, in order from index 0: they are listed again,
    /// and the next frame is number `row_count`. Default none. For pictures as the earlier writer's, `speed`
    /// is to be what its qd_frame_writer_speed said (NaN, the default: it is not fixed yet).
    const qd_frame_row *rows;
    size_t row_count;
    double speed;
    /// What the earlier writer's qd_frame_writer_past gave behind those frames, for trails and fading colours
    /// as it would have drawn them. Default none.
    const unsigned char *past;
    size_t past_bytes;
    const qd_allocator *allocator; ///< NULL: the C heap; called from the writer's threads too
} qd_frame_writer_def;

/// The default view, a queue of 4 frames, numbered from 0. The directory must be set.
QD_API qd_frame_writer_def qd_frame_writer_def_default(void);

/// Starts a writer. Errors: QD_ERR_ARGUMENT, QD_ERR_VALUE (view, queue), QD_ERR_CORRUPT (past), QD_ERR_IO,
/// QD_ERR_MEMORY.
QD_API QD_MUST_USE qd_status qd_frame_writer_create(const qd_frame_writer_def *def, qd_frame_writer **writer,
                                                    qd_error *error);

/// Frames from the next one on show something else, in the same size; waits for those before. What the view
/// leaves to frame 0 (`auto`) its first frame fixes anew, unless colour, range and speed are as before;
/// trails and fading colours begin anew where how far they go back changes. Errors: QD_ERR_VALUE (view, or
/// another size, in `error`), QD_ERR_MEMORY and those of push.
QD_API QD_MUST_USE qd_status qd_frame_writer_set_view(qd_frame_writer *writer, const qd_view *view,
                                                      qd_error *error);

/// To be called right before the step that leads to a frame, where the view shows which nodes a step splits
/// and merges: keeps the nodes of the tree. Does nothing for other views, and where it was not called no node
/// stands out. Errors: QD_ERR_MEMORY and those of push.
QD_API QD_MUST_USE qd_status qd_frame_writer_watch(qd_frame_writer *writer, const qd_world *world);

/// Whether frames show what contacts give in the step that leads to them: then qd_world_watch_stress is to be
/// called before that step, or it is not shown.
QD_API bool qd_frame_writer_wants_stress(const qd_frame_writer *writer);

/// Fixes what the view leaves to frame 0 (`auto`), as that frame would, from a world that is not drawn: so
/// that some frames of a run look as all of them do. Does nothing once it is fixed. Errors: QD_ERR_ARGUMENT.
QD_API QD_MUST_USE qd_status qd_frame_writer_prime(qd_frame_writer *writer, const qd_world *world);

/// Keeps where bodies are, as a frame does that is not drawn: trails and fading colours (QD_VIEW_REFILED) of
/// the frames to come go back to it. Does nothing where the view has neither. Errors: QD_ERR_MEMORY and those
/// of push.
QD_API QD_MUST_USE qd_status qd_frame_writer_remember(qd_frame_writer *writer, const qd_world *world);

/// Writes what trails and fading colours of frames to come need of those before, for a writer that continues
/// this one, and returns how many bytes that is; 0 where the view has neither. `bytes` NULL: only returns how
/// many. The bytes are the same on every machine.
QD_API size_t qd_frame_writer_past(const qd_frame_writer *writer, unsigned char *bytes);

/// What the next frame shows of the clock, where its text is to (QD_VIEW_TEXT_RATE, QD_VIEW_TEXT_COST): how
/// many steps were made in a second of late, and how many nanoseconds a step took for each body; NaN: not
/// known, which is shown as "-". The writer has no clock of its own.
QD_API void qd_frame_writer_pace(qd_frame_writer *writer, double rate, double cost);

/// Adds the world's present state as the next frame. Once a frame failed, every later call returns that
/// failure. Errors: QD_ERR_IO, QD_ERR_MEMORY; QD_ERR_VALUE where trails would need too many places (bodies
/// times frames) at the first frame.
QD_API QD_MUST_USE qd_status qd_frame_writer_push(qd_frame_writer *writer, const qd_world *world);

/// Waits until all frames added are in place under their own names, and on the device: they outlast a
/// power cut. `rows` and `count` get those that came into place since the last flush; they are valid until
/// the next call. Both NULL: not returned. Errors: those of push; the reason in `error`.
QD_API QD_MUST_USE qd_status qd_frame_writer_flush(qd_frame_writer *writer, const qd_frame_row **rows,
                                                   size_t *count, qd_error *error);

/// From now on frames are not given to the def's video, which may be destroyed. The writer is drained:
/// flushed, with no push since.
QD_API void qd_frame_writer_forget_video(qd_frame_writer *writer);

/// The speed (or what else colours tell) at the top of the colour map where the view's range is auto: the
/// view's, or, where that is `auto`, the one that frame 0 fixed; NaN before.
QD_API double qd_frame_writer_speed(const qd_frame_writer *writer);

/// Waits until all frames are on the device and manifest.csv is complete; `frames` gets their number, those
/// of the def's `rows` included (NULL is fine). Errors: those of push; the reason in `error`.
QD_API QD_MUST_USE qd_status qd_frame_writer_finish(qd_frame_writer *writer, uint64_t *frames,
                                                    qd_error *error);

/// Finishes if need be, stops the thread and frees; NULL is fine.
QD_API void qd_frame_writer_destroy(qd_frame_writer *writer);

/// Reads a frame's file and returns the hash of its pixels and palette, which is that of its qd_frame_row as
/// long as the file was not changed. `allocator` may be NULL. Errors: QD_ERR_NOT_FOUND, QD_ERR_CORRUPT
/// (damaged, or no picture of a frame), the reason in `error`; QD_ERR_MEMORY, QD_ERR_ARGUMENT. Any thread.
QD_API QD_MUST_USE qd_status qd_frame_read_pixels(const char *path, const qd_allocator *allocator,
                                                  uint64_t *pixels, qd_error *error);

/// Checks that the first `count` frames of a directory exist and are whole; returns how many are,
/// up to the first that is not, whose reason is in `error`. Reads a few bytes of each.
QD_API uint64_t qd_frames_whole(const char *directory, uint64_t count, qd_error *error);

QD_END_DECLS

#endif
