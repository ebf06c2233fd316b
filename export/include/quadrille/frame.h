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

typedef struct qd_frame_writer_def {
    uint32_t cookie;       ///< set by qd_frame_writer_def_default; a def without it is refused
    const char *directory; ///< must exist; gets frame_000000.png, ... and manifest.csv
    qd_view view;
    qd_provenance provenance;
    int queue;                     ///< frames that may wait, 1..64, default 4
    const qd_allocator *allocator; ///< NULL: the C heap; called from the writer's thread too
} qd_frame_writer_def;

QD_API qd_frame_writer_def qd_frame_writer_def_default(void);

/// Starts a writer. Errors: QD_ERR_ARGUMENT, QD_ERR_VALUE (view, queue), QD_ERR_IO, QD_ERR_MEMORY.
QD_API QD_MUST_USE qd_status qd_frame_writer_create(const qd_frame_writer_def *def, qd_frame_writer **writer,
                                                    qd_error *error);

/// Hands in the world's present moment as the next frame. Once a frame failed, every later call returns that
/// failure. Errors: QD_ERR_IO, QD_ERR_MEMORY.
QD_API QD_MUST_USE qd_status qd_frame_writer_push(qd_frame_writer *writer, const qd_world *world);

/// Waits until all frames are written and manifest.csv is complete; `frames` gets their number (NULL is
/// fine). Errors: those of push; the reason in `error`.
QD_API QD_MUST_USE qd_status qd_frame_writer_finish(qd_frame_writer *writer, uint64_t *frames,
                                                    qd_error *error);

/// Finishes if need be, stops the thread and frees; NULL is fine.
QD_API void qd_frame_writer_destroy(qd_frame_writer *writer);

#endif
