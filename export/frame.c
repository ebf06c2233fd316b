// Two threads: the caller's, which copies pictures, and the queue's worker, which draws and writes them.
//
//   caller: take slot -> copy world into pictures[slot] -> put slot in line
//   worker: draw pictures[slot] -> encode -> write and rename -> list in the manifest
//
// A picture belongs to whoever holds its slot. `worker_*` below belongs to the worker; the caller reads it
// only after the queue told it that the worker has failed for good or has nothing left to do. All else is the
// caller's, or never changes once the writer is made.

#include <quadrille/frame.h>

#include "core/cookie.h"
#include "core/memory.h"
#include "core/os.h"
#include "core/queue.h"
#include "export/caption.h"
#include "export/manifest.h"
#include "export/picture.h"
#include "export/png_file.h"
#include "export/png_read.h"
#include "export/png_sink.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { QUEUE_MAX = 64, SIDE_MIN = 16, SIDE_MAX = 16384 };

typedef struct frame_shot {
    qdi_picture picture;
    uint64_t index;
    double speed_top;
} frame_shot;

struct qd_frame_writer {
    const qd_allocator *allocator;
    char directory[QDI_PATH_MAX];
    char *scene;
    size_t scene_bytes;
    qd_provenance provenance;
    qd_view view;
    qdi_caption caption;
    qdi_palette palette;
    double speed_top; // NaN until known
    frame_shot *shots;
    size_t slots;
    qdi_queue *queue;
    uint64_t pushed;
    qd_status failure;
    bool finished;

    qdi_raster worker_raster;
    qdi_bytes worker_bytes;
    qdi_manifest worker_manifest;
    bool worker_manifest_broken; // a row may be there in part
    uint64_t worker_written;
    qd_frame_row *worker_rows; // in place since the last flush
    size_t worker_row_count, worker_row_room;
    qd_error worker_error;
};

qd_frame_writer_def qd_frame_writer_def_default(void) {
    return (qd_frame_writer_def){.cookie = QDI_COOKIE, .view = qd_view_default(), .queue = 4};
}

static qd_status refuse(const char *reason, qd_error *error) {
    if (error) (void)snprintf(error->text, sizeof error->text, "%s", reason);
    return QD_ERR_VALUE;
}

static qd_status check_def(const qd_frame_writer_def *def, qd_error *error) {
    const qd_view *view = &def->view;
    if (view->width < SIDE_MIN || view->width > SIDE_MAX || view->height < SIDE_MIN ||
        view->height > SIDE_MAX) {
        return refuse("a picture's width and height must be 16 to 16384 pixels", error);
    }
    if (view->colour != QD_VIEW_CONTACT && view->colour != QD_VIEW_SPEED)
        return refuse("unknown colouring", error);
    if (view->nodes != QD_VIEW_NODES_NONE && view->nodes != QD_VIEW_NODES_DEPTH) {
        return refuse("unknown drawing of nodes", error);
    }
    if (!isnan(view->speed) && !(view->speed > 0.0 && isfinite(view->speed))) {
        return refuse("the speed at the top of the colour map must be positive", error);
    }
    if (def->queue < 1 || def->queue > QUEUE_MAX) return refuse("the queue must hold 1 to 64 frames", error);
    if (strlen(def->directory) > QDI_PATH_MAX - 64) return refuse("the directory's path is too long", error);
    return QD_OK;
}

static qd_status draw_shot(qd_frame_writer *writer, const frame_shot *shot) {
    qdi_raster *raster = &writer->worker_raster;
    memset(raster->pixels, QDI_INK_BACKGROUND, (size_t)raster->width * (size_t)raster->height);
    qdi_picture_draw(&shot->picture, raster);
    qdi_caption_draw(&writer->caption, raster, &shot->picture.facts, shot->speed_top);

    qdi_labels labels;
    qd_provenance provenance = writer->provenance;
    provenance.scene = writer->scene;
    qdi_labels_fill(&labels, &provenance, &shot->picture.facts, NULL);
    const qdi_png_image image = {.width = raster->width,
                                 .height = raster->height,
                                 .pixels = raster->pixels,
                                 .palette = &writer->palette,
                                 .texts = labels.texts,
                                 .text_count = labels.count};
    return qdi_png_encode(writer->allocator, &image, &writer->worker_bytes, &writer->worker_error);
}

static uint64_t hash_pixels(const qd_frame_writer *writer) {
    const qdi_raster *raster = &writer->worker_raster;
    return qdi_pixels_hash(raster->pixels, (size_t)raster->width * (size_t)raster->height,
                           writer->palette.rgb[0], QDI_INK_COUNT);
}

static qd_status frame_path(const char *directory, uint64_t index, char path[QDI_PATH_MAX]) {
    char name[40];
    (void)snprintf(name, sizeof name, "frame_%06" PRIu64 ".png", index);
    return qdi_path_join(directory, name, path);
}

static qd_status work(void *context, size_t slot) {
    qd_frame_writer *writer = context;
    const frame_shot *shot = &writer->shots[slot];
    qd_status status = draw_shot(writer, shot);
    if (status != QD_OK) return status;
    char path[QDI_PATH_MAX];
    status = frame_path(writer->directory, shot->index, path);
    if (status == QD_OK)
        status = qdi_reserve(writer->allocator, &writer->worker_rows, &writer->worker_row_room,
                             writer->worker_row_count, writer->worker_row_count + 1,
                             sizeof *writer->worker_rows);
    if (status == QD_OK) status = qdi_png_write(&writer->worker_bytes, path, &writer->worker_error);
    if (status != QD_OK) return status;
    const qd_frame_row row = {shot->index, shot->picture.facts.step, shot->picture.facts.time,
                              hash_pixels(writer)};
    status = qdi_manifest_add(&writer->worker_manifest, &row, &writer->worker_error);
    if (status != QD_OK) {
        // A frame that the list does not know of would be a puzzle.
        writer->worker_manifest_broken = true;
        qdi_file_remove(path);
        return status;
    }
    writer->worker_rows[writer->worker_row_count++] = row;
    writer->worker_written += 1;
    return QD_OK;
}

static void release(qd_frame_writer *writer) {
    qdi_queue_destroy(writer->queue);
    qdi_manifest_discard(&writer->worker_manifest);
    for (size_t i = 0; writer->shots && i < writer->slots; ++i)
        qdi_picture_destroy(&writer->shots[i].picture);
    qdi_release(writer->allocator, writer->shots, writer->slots, sizeof *writer->shots);
    qdi_release(writer->allocator, writer->worker_rows, writer->worker_row_room, sizeof *writer->worker_rows);
    qdi_bytes_release(writer->allocator, &writer->worker_bytes);
    qdi_raster_destroy(&writer->worker_raster);
    qdi_caption_destroy(&writer->caption);
    qdi_release(writer->allocator, writer->scene, writer->scene_bytes, 1);
    qdi_release(writer->allocator, writer, 1, sizeof *writer);
}

// The list of frames, beginning with those that are there.
static qd_status open_manifest(qd_frame_writer *writer, const qd_frame_writer_def *def, qd_error *error) {
    qd_status status = qdi_manifest_open(&writer->worker_manifest, writer->directory, error);
    for (size_t i = 0; status == QD_OK && i < def->row_count; ++i)
        status = qdi_manifest_add(&writer->worker_manifest, &def->rows[i], error);
    return status;
}

// The manifest comes after all memory is there, and the thread last, so that nothing has to be undone on disk
// for want of memory.
static qd_status prepare(qd_frame_writer *writer, const qd_frame_writer_def *def, qd_error *error) {
    const char *scene = def->provenance.scene ? def->provenance.scene : "";
    writer->scene_bytes = strlen(scene) + 1;
    writer->scene = qdi_allocate(writer->allocator, writer->scene_bytes, 1);
    writer->shots = qdi_allocate(writer->allocator, writer->slots, sizeof *writer->shots);
    for (size_t i = 0; writer->shots && i < writer->slots; ++i) {
        qdi_picture_init(&writer->shots[i].picture, writer->allocator);
    }
    if (!writer->scene || !writer->shots) return QD_ERR_MEMORY;
    memcpy(writer->scene, scene, writer->scene_bytes);
    qd_status status = qdi_raster_create(writer->allocator, writer->view.width, writer->view.height,
                                         &writer->worker_raster);
    if (status == QD_OK) status = qdi_caption_create(writer->allocator, &writer->view, &writer->caption);
    if (status == QD_OK) status = qdi_directory_check(writer->directory, error);
    if (status == QD_OK) status = open_manifest(writer, def, error);
    if (status == QD_OK)
        status = qdi_queue_create(writer->allocator, writer->slots, work, writer, &writer->queue);
    return status;
}

qd_status qd_frame_writer_create(const qd_frame_writer_def *def, qd_frame_writer **writer, qd_error *error) {
    if (error) error->text[0] = '\0';
    if (writer) *writer = NULL;
    if (!def || !writer || def->cookie != QDI_COOKIE || !def->directory || (!def->rows && def->row_count)) {
        if (error) (void)snprintf(error->text, sizeof error->text, "%s", qd_status_text(QD_ERR_ARGUMENT));
        return QD_ERR_ARGUMENT;
    }
    qd_status status = check_def(def, error);
    if (status != QD_OK) return status;
    const qd_allocator *allocator = qdi_allocator_or_default(def->allocator);
    qd_frame_writer *made = qdi_allocate(allocator, 1, sizeof *made);
    if (made) {
        *made = (qd_frame_writer){.allocator = allocator,
                                  .provenance = def->provenance,
                                  .view = def->view,
                                  .palette = qdi_palette_make(def->view.colour),
                                  .speed_top = def->view.speed,
                                  .slots = (size_t)def->queue + 1,
                                  .pushed = def->row_count,
                                  .worker_written = def->row_count,
                                  .worker_manifest = {.file = QDI_FILE_NONE}};
        (void)snprintf(made->directory, sizeof made->directory, "%s", def->directory);
    }
    status = made ? prepare(made, def, error) : QD_ERR_MEMORY;
    if (status != QD_OK) {
        if (error && !error->text[0])
            (void)snprintf(error->text, sizeof error->text, "%s", qd_status_text(status));
        if (made) release(made);
        return status;
    }
    *writer = made;
    return QD_OK;
}

qd_status qd_frame_writer_push(qd_frame_writer *writer, const qd_world *world) {
    if (!writer || !world) return QD_ERR_ARGUMENT;
    if (writer->failure != QD_OK) return writer->failure;
    if (writer->finished) return QD_ERR_STATE;
    size_t slot = 0;
    writer->failure = qdi_queue_take(writer->queue, &slot);
    if (writer->failure != QD_OK) return writer->failure;
    if (isnan(writer->speed_top)) writer->speed_top = qdi_speed_top(world);
    frame_shot *shot = &writer->shots[slot];
    shot->index = writer->pushed;
    shot->speed_top = writer->speed_top;
    writer->failure = qdi_picture_copy(&shot->picture, world, &writer->view, writer->caption.world,
                                       writer->speed_top);
    if (writer->failure != QD_OK) {
        qdi_queue_return(writer->queue, slot);
        return writer->failure;
    }
    qdi_queue_put(writer->queue, slot);
    writer->pushed += 1;
    return QD_OK;
}

static void give_reason(const qd_frame_writer *writer, qd_error *error) {
    if (!error || writer->failure == QD_OK) return;
    *error = writer->worker_error;
    if (!error->text[0])
        (void)snprintf(error->text, sizeof error->text, "%s", qd_status_text(writer->failure));
}

qd_status qd_frame_writer_flush(qd_frame_writer *writer, const qd_frame_row **rows, size_t *count,
                                qd_error *error) {
    if (error) error->text[0] = '\0';
    if (!writer || !rows != !count) return QD_ERR_ARGUMENT;
    qd_status drained = qdi_queue_drain(writer->queue);
    if (writer->failure == QD_OK) writer->failure = drained;
    if (rows) {
        // They stay where they are until the worker has a new one.
        *rows = writer->worker_rows;
        *count = writer->worker_row_count;
        writer->worker_row_count = 0;
    }
    give_reason(writer, error);
    return writer->failure;
}

double qd_frame_writer_speed(const qd_frame_writer *writer) {
    return writer->speed_top;
}

qd_status qd_frame_writer_finish(qd_frame_writer *writer, uint64_t *frames, qd_error *error) {
    if (error) error->text[0] = '\0';
    if (!writer) return QD_ERR_ARGUMENT;
    if (!writer->finished) {
        qd_status drained = qdi_queue_drain(writer->queue);
        if (writer->failure == QD_OK) writer->failure = drained;
        // Also after a failure: the frames that are in place are listed.
        qd_status listed = QD_OK;
        qd_error reason = {""};
        if (writer->worker_manifest_broken)
            qdi_manifest_discard(&writer->worker_manifest);
        else
            listed = qdi_manifest_publish(&writer->worker_manifest, &reason);
        if (writer->failure == QD_OK && listed != QD_OK) {
            writer->failure = listed;
            writer->worker_error = reason;
        }
        writer->finished = true;
    }
    if (frames) *frames = writer->worker_written;
    give_reason(writer, error);
    return writer->failure;
}

void qd_frame_writer_destroy(qd_frame_writer *writer) {
    if (!writer) return;
    qd_status status = qd_frame_writer_finish(writer, NULL, NULL);
    (void)status; // nobody is left to be told
    release(writer);
}

uint64_t qd_frames_whole(const char *directory, uint64_t count, qd_error *error) {
    static const char png_end[] = "\0\0\0\0IEND\xae\x42\x60\x82";
    if (error) error->text[0] = '\0';
    if (!directory) return 0;
    for (uint64_t i = 0; i < count; ++i) {
        char path[QDI_PATH_MAX], tail[sizeof png_end - 1];
        qd_status status = frame_path(directory, i, path);
        if (status == QD_OK) status = qdi_file_tail(path, tail, sizeof tail, error);
        if (status == QD_OK && memcmp(tail, png_end, sizeof tail) == 0) continue;
        if (error && !error->text[0])
            (void)snprintf(error->text, sizeof error->text, "%.400s is damaged", path);
        return i;
    }
    return count;
}
