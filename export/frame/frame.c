// The caller's thread, which copies pictures, and the queue's workers, which draw and write them.
//
//   caller:   take slot -> copy world into shots[slot] -> put slot in line
//   worker i: draw shots[slot] -> encode -> (in its turn) write and rename -> list in the manifest
//
// A shot belongs to the thread that has its slot, workers[i] to worker i. `turn_*` below belongs to the
// worker whose turn it is; the caller reads it only after the queue reported that a worker has failed or that
// nothing is left to do. All else is the caller's, or never changes once the writer is made.

#include <quadrille/frame.h>

#include "core/base/arithmetic.h"
#include "core/base/cookie.h"
#include "core/base/memory.h"
#include "core/parallel/queue.h"
#include "export/image/manifest.h"
#include "export/image/png_file.h"
#include "export/image/png_read.h"
#include "export/image/png_sink.h"
#include "export/picture/caption.h"
#include "export/picture/changes.h"
#include "export/picture/picture.h"
#include "export/picture/refiled.h"
#include "export/picture/tile_bins.h"
#include "export/picture/trails.h"
#include "export/picture/view_check.h"
#include "export/raster/shade.h"
#include "export/video/video_impl.h"

#include <inttypes.h>
#include <math.h>
#include <quadrille/field.h>
#include <stdio.h>
#include <string.h>

enum { QUEUE_MAX = 64, WORKERS_MAX = 64 };

typedef struct frame_shot {
    qdi_picture picture;
    uint64_t index;
    double speed_top;
} frame_shot;

// What a worker draws with, and the picture that it has made.
typedef struct frame_worker {
    qdi_raster raster;
    qdi_tile_bins bins;
    qdi_bytes bytes;
    uint64_t pixels; // hash
    qd_error error;
} frame_worker;

struct qd_frame_writer {
    const qd_allocator *allocator;
    char directory[QDI_PATH_MAX]; // "": no files are written
    qd_video *video;              // the worker's until the queue is drained
    char *scene;
    size_t scene_bytes;
    qd_provenance provenance;
    const char *stages; // of the first view: names for the list of frames; NULL: it has no such column
    qd_view view;
    qdi_caption caption;
    qdi_palette palette;
    double speed_top;    // NaN until known
    double rate, cost;   // of the clock, for the next frame
    qdi_changes watched; // nodes before the step to the next frame
    uint64_t watched_step;
    bool watching;
    qdi_trails trails;
    qdi_refiled refiled;
    qd_field *field; // what the view's is measured with; NULL: none is shown
    qd_error reason; // of what failed on the caller's thread
    frame_shot *shots;
    size_t slots;
    qdi_queue *queue;
    uint64_t pushed, synced; // the first `synced` frames are on the device
    qd_status failure;
    bool finished;

    frame_worker *workers;
    size_t worker_count;
    qdi_manifest turn_manifest;
    bool turn_manifest_broken; // a row may be there in part
    uint64_t turn_written;
    qd_frame_row *turn_rows; // in place since the last flush
    size_t turn_row_count, turn_row_room;
    qd_error turn_error;
};

qd_frame_writer_def qd_frame_writer_def_default(void) {
    return (qd_frame_writer_def){
        .cookie = QDI_COOKIE, .view = qd_view_default(), .queue = 4, .workers = 1, .speed = (double)NAN};
}

/// Writes why the settings of a frame writer are refused.
static qd_status refuse_writer_def(const char *reason, qd_error *error) {
    if (error) (void)snprintf(error->text, sizeof error->text, "%s", reason);
    return QD_ERR_VALUE;
}

/// Checks the settings of a frame writer.
static qd_status check_writer_def(const qd_frame_writer_def *def, qd_error *error) {
    const char *wrong = qdi_view_check(&def->view);
    if (wrong) return refuse_writer_def(wrong, error);
    if (def->queue < 1 || def->queue > QUEUE_MAX)
        return refuse_writer_def("the queue must hold 1 to 64 frames", error);
    if (def->directory && (!def->directory[0] || strlen(def->directory) > QDI_PATH_MAX - 64))
        return refuse_writer_def("the directory's path is empty or too long", error);
    if (def->workers < 1 || def->workers > WORKERS_MAX)
        return refuse_writer_def("frames need 1 to 64 workers", error);
    return QD_OK;
}

/// Draws a frame and encodes it as PNG.
static qd_status draw_frame_shot(const qd_frame_writer *writer, const frame_shot *shot,
                                 frame_worker *worker) {
    qdi_raster *raster = &worker->raster;
    memset(raster->pixels, QDI_INK_BACKGROUND, (size_t)raster->width * (size_t)raster->height);
    qd_status status = qdi_picture_draw(&shot->picture, &worker->bins, raster);
    if (status != QD_OK) return status;
    qdi_caption_draw(&writer->caption, raster, &shot->picture.facts, shot->speed_top);
    if (!writer->directory[0]) return QD_OK;

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
    return qdi_png_encode(writer->allocator, &image, &worker->bytes, &worker->error);
}

/// The hash of a drawn frame's pixels and palette.
static uint64_t hash_frame_pixels(const qd_frame_writer *writer, const frame_worker *worker) {
    const qdi_raster *raster = &worker->raster;
    return qdi_pixels_hash(raster->pixels, (size_t)raster->width * (size_t)raster->height,
                           writer->palette.rgb[0], QDI_INK_COUNT);
}

/// The path of a frame's file.
static qd_status frame_path(const char *directory, uint64_t index, char path[QDI_PATH_MAX]) {
    char name[40];
    (void)snprintf(name, sizeof name, "frame_%06" PRIu64 ".png", index);
    return qdi_path_join(directory, name, path);
}

/// Draws the frame in a slot of the queue, on a worker's thread.
static qd_status draw_queued_frame(void *context, size_t slot, int number) {
    const qd_frame_writer *writer = context;
    frame_worker *worker = &writer->workers[number];
    qd_status status = draw_frame_shot(writer, &writer->shots[slot], worker);
    if (status == QD_OK) worker->pixels = hash_frame_pixels(writer, worker);
    return status;
}

/// Writes a frame as a file and a row of the list of frames.
static qd_status write_frame_file(qd_frame_writer *writer, const frame_worker *worker,
                                  const qd_frame_row *row) {
    char path[QDI_PATH_MAX];
    qd_status status = frame_path(writer->directory, row->index, path);
    if (status == QD_OK) status = qdi_png_write(&worker->bytes, path, &writer->turn_error);
    if (status != QD_OK) return status;
    status = qdi_manifest_add(&writer->turn_manifest, row, writer->stages, &writer->turn_error);
    if (status == QD_OK) return QD_OK;
    // A frame that the list does not have must not stay.
    writer->turn_manifest_broken = true;
    qdi_file_remove(path);
    return status;
}

/// Adds a frame to the video, which keeps its own failures.
static void push_frame_to_video(const qd_frame_writer *writer, const frame_worker *worker) {
    const qdi_raster *raster = &worker->raster;
    const qdi_video_picture picture = {.width = raster->width,
                                       .height = raster->height,
                                       .pixels = raster->pixels,
                                       .rgb = writer->palette.rgb,
                                       .colours = QDI_INK_COUNT};
    if (writer->video) qdi_video_push(writer->video, &picture);
}

/// Writes a drawn frame to its file and to the video, in the order of frames.
static qd_status publish_queued_frame(void *context, size_t slot, int number) {
    qd_frame_writer *writer = context;
    const frame_shot *shot = &writer->shots[slot];
    const frame_worker *worker = &writer->workers[number];
    qd_status status = qdi_reserve(writer->allocator, &writer->turn_rows, &writer->turn_row_room,
                                   writer->turn_row_count, writer->turn_row_count + 1,
                                   sizeof *writer->turn_rows);
    if (status != QD_OK) return status;
    const qd_frame_row row = {shot->index, shot->picture.facts.step, shot->picture.facts.time, worker->pixels,
                              shot->picture.facts.stage};
    if (writer->directory[0]) status = write_frame_file(writer, worker, &row);
    if (status != QD_OK) return status;
    push_frame_to_video(writer, worker);
    writer->turn_rows[writer->turn_row_count++] = row;
    writer->turn_written += 1;
    return QD_OK;
}

/// Frees a frame writer.
static void frame_writer_release(qd_frame_writer *writer) {
    qdi_queue_destroy(writer->queue);
    qdi_manifest_discard(&writer->turn_manifest);
    for (size_t i = 0; writer->shots && i < writer->slots; ++i)
        qdi_picture_destroy(&writer->shots[i].picture);
    qdi_release(writer->allocator, writer->shots, writer->slots, sizeof *writer->shots);
    qdi_release(writer->allocator, writer->turn_rows, writer->turn_row_room, sizeof *writer->turn_rows);
    for (size_t i = 0; writer->workers && i < writer->worker_count; ++i) {
        qdi_bytes_release(writer->allocator, &writer->workers[i].bytes);
        qdi_raster_destroy(&writer->workers[i].raster);
        qdi_tile_bins_destroy(&writer->workers[i].bins);
    }
    qdi_release(writer->allocator, writer->workers, writer->worker_count, sizeof *writer->workers);
    qdi_caption_destroy(&writer->caption);
    qdi_changes_release(&writer->watched);
    qdi_trails_destroy(&writer->trails);
    qdi_refiled_destroy(&writer->refiled);
    qd_field_destroy(writer->field);
    qdi_release(writer->allocator, writer->scene, writer->scene_bytes, 1);
    qdi_release(writer->allocator, writer, 1, sizeof *writer);
}

// Opens the list of frames, with the rows of those that exist already.
static qd_status open_frame_list(qd_frame_writer *writer, const qd_frame_writer_def *def, qd_error *error) {
    qd_status status = qdi_manifest_open(&writer->turn_manifest, writer->directory, writer->stages, error);
    for (size_t i = 0; status == QD_OK && i < def->row_count; ++i)
        status = qdi_manifest_add(&writer->turn_manifest, &def->rows[i], writer->stages, error);
    return status;
}

/// How far a view's fading colours go back, in frames; 0: they do not fade.
static uint32_t view_fade(const qd_view *view) {
    return view->colour == QD_VIEW_REFILED ? (uint32_t)view->fade : 0;
}

/// Takes up what an earlier writer left of the frames before: notes of nodes, then trails.
static qd_status load_frame_past(qd_frame_writer *writer, const unsigned char *past, size_t bytes) {
    size_t used = 0;
    writer->refiled.allocator = writer->allocator;
    writer->refiled.fade = view_fade(&writer->view);
    qd_status status = qdi_trails_create(writer->allocator, writer->view.trails, &writer->trails);
    if (status == QD_OK) status = qdi_refiled_load(&writer->refiled, past, bytes, &used);
    // There may be no place for no bytes.
    return status == QD_OK && used < bytes ? qdi_trails_load(&writer->trails, past + used, bytes - used)
                                           : status;
}

/// Makes what each worker draws with.
static qd_status make_frame_workers(qd_frame_writer *writer) {
    writer->workers = qdi_allocate(writer->allocator, writer->worker_count, sizeof *writer->workers);
    if (!writer->workers) return QD_ERR_MEMORY;
    memset(writer->workers, 0, writer->worker_count * sizeof *writer->workers);
    qd_status status = QD_OK;
    for (size_t i = 0; status == QD_OK && i < writer->worker_count; ++i) {
        frame_worker *worker = &writer->workers[i];
        status = qdi_raster_create(writer->allocator, writer->view.width, writer->view.height,
                                   &worker->raster);
        if (status == QD_OK) status = qdi_tile_bins_create(writer->allocator, NULL, &worker->bins);
    }
    return status;
}

/// Makes what the view's field is measured with, where it has one.
static qd_status make_view_field(qd_frame_writer *writer) {
    const qd_view *view = &writer->view;
    if (view->field == QD_VIEW_FIELD_NONE) return QD_OK;
    return qd_field_create((uint32_t)view->field_cells[0], (uint32_t)view->field_cells[1], writer->allocator,
                           &writer->field);
}

// Makes all that a frame writer needs.
// The manifest comes after all memory is there, and the thread last, so that nothing has to be undone on disk
// for want of memory.
static qd_status prepare_frame_writer(qd_frame_writer *writer, const qd_frame_writer_def *def,
                                      qd_error *error) {
    const char *scene = def->provenance.scene ? def->provenance.scene : "";
    writer->scene_bytes = strlen(scene) + 1;
    writer->scene = qdi_allocate(writer->allocator, writer->scene_bytes, 1);
    writer->shots = qdi_allocate(writer->allocator, writer->slots, sizeof *writer->shots);
    for (size_t i = 0; writer->shots && i < writer->slots; ++i) {
        writer->shots[i].picture = (qdi_picture){.allocator = writer->allocator};
    }
    if (!writer->scene || !writer->shots) return QD_ERR_MEMORY;
    memcpy(writer->scene, scene, writer->scene_bytes);
    qd_status status = make_frame_workers(writer);
    if (status == QD_OK)
        status = qdi_caption_create(writer->allocator, &writer->view, writer->scene, &writer->caption);
    if (status == QD_OK) status = load_frame_past(writer, def->past, def->past_bytes);
    if (status == QD_OK) status = make_view_field(writer);
    if (status == QD_OK && def->directory) status = qdi_directory_check(writer->directory, error);
    if (status == QD_OK && def->directory) status = open_frame_list(writer, def, error);
    if (status == QD_OK)
        status = qdi_queue_create_workers(writer->allocator, writer->slots, (int)writer->worker_count,
                                          draw_queued_frame, publish_queued_frame, writer, &writer->queue);
    return status;
}

// Whether a view knows of stages.
static bool has_stages(const qd_view *view) {
    return view->stages && view->stages[0];
}

qd_status qd_frame_writer_create(const qd_frame_writer_def *def, qd_frame_writer **writer, qd_error *error) {
    QDI_RESTORED qdi_arithmetic caller = qdi_arithmetic_standard();
    if (error) error->text[0] = '\0';
    if (writer) *writer = NULL;
    if (!def || !writer || def->cookie != QDI_COOKIE || (!def->rows && def->row_count) ||
        (!def->past && def->past_bytes)) {
        if (error) (void)snprintf(error->text, sizeof error->text, "%s", qd_status_text(QD_ERR_ARGUMENT));
        return QD_ERR_ARGUMENT;
    }
    qd_status status = check_writer_def(def, error);
    if (status != QD_OK) return status;
    const qd_allocator *allocator = qdi_allocator_or_default(def->allocator);
    qd_frame_writer *made = qdi_allocate(allocator, 1, sizeof *made);
    if (made) {
        *made = (qd_frame_writer){.allocator = allocator,
                                  .provenance = def->provenance,
                                  .stages = has_stages(&def->view) ? def->view.stages : NULL,
                                  .view = def->view,
                                  .palette = qdi_palette_make(&def->view),
                                  .speed_top = isnan(def->speed) ? def->view.speed : def->speed,
                                  .rate = (double)NAN,
                                  .cost = (double)NAN,
                                  .video = def->video,
                                  .watched = {.allocator = allocator},
                                  .slots = (size_t)def->queue + (size_t)def->workers,
                                  .worker_count = (size_t)def->workers,
                                  .pushed = def->row_count,
                                  .synced = def->row_count,
                                  .turn_written = def->row_count,
                                  .turn_manifest = {.file = QDI_FILE_NONE}};
        (void)snprintf(made->directory, sizeof made->directory, "%s", def->directory ? def->directory : "");
    }
    status = made ? prepare_frame_writer(made, def, error) : QD_ERR_MEMORY;
    if (status != QD_OK) {
        if (error && !error->text[0])
            (void)snprintf(error->text, sizeof error->text, "%s", qd_status_text(status));
        if (made) frame_writer_release(made);
        return status;
    }
    *writer = made;
    return QD_OK;
}

/// Makes a frame writer's view another one; no frame waits.
static qd_status change_view(qd_frame_writer *writer, const qd_view *view) {
    const qd_view old = writer->view;
    writer->view = *view;
    writer->palette = qdi_palette_make(view);
    if (!qdi_view_same_scale(&old, view)) writer->speed_top = view->speed;
    qdi_caption_destroy(&writer->caption);
    qd_field_destroy(writer->field);
    writer->field = NULL;
    qd_status status = qdi_caption_create(writer->allocator, view, writer->scene, &writer->caption);
    if (status == QD_OK) status = make_view_field(writer);
    if (view_fade(view) != writer->refiled.fade) {
        qdi_refiled_destroy(&writer->refiled);
        writer->refiled = (qdi_refiled){.allocator = writer->allocator, .fade = view_fade(view)};
    }
    if (status != QD_OK || view->trails == old.trails) return status;
    qdi_trails_destroy(&writer->trails);
    return qdi_trails_create(writer->allocator, view->trails, &writer->trails);
}

qd_status qd_frame_writer_set_view(qd_frame_writer *writer, const qd_view *view, qd_error *error) {
    QDI_RESTORED qdi_arithmetic caller = qdi_arithmetic_standard();
    if (error) error->text[0] = '\0';
    if (!writer || !view) return QD_ERR_ARGUMENT;
    if (writer->failure != QD_OK) return writer->failure;
    const char *wrong = qdi_view_check(view);
    if (wrong) return refuse_writer_def(wrong, error);
    if (view->width != writer->view.width || view->height != writer->view.height)
        return refuse_writer_def("frames of one writer have one size", error);
    writer->failure = qdi_queue_drain(writer->queue);
    if (writer->failure == QD_OK) writer->failure = change_view(writer, view);
    return writer->failure;
}

qd_status qd_frame_writer_watch(qd_frame_writer *writer, const qd_world *world) {
    QDI_RESTORED qdi_arithmetic caller = qdi_arithmetic_standard();
    if (!writer || !world) return QD_ERR_ARGUMENT;
    if (writer->failure != QD_OK) return writer->failure;
    if (writer->view.nodes != QD_VIEW_NODES_CHANGED) return QD_OK;
    writer->failure = qdi_changes_note(&writer->watched, qd_world_tree(world));
    writer->watched_step = qd_world_steps(world);
    writer->watching = writer->failure == QD_OK;
    return writer->failure;
}

bool qd_frame_writer_wants_stress(const qd_frame_writer *writer) {
    return writer && writer->view.field == QD_VIEW_FIELD_PRESSURE;
}

qd_status qd_frame_writer_prime(qd_frame_writer *writer, const qd_world *world) {
    QDI_RESTORED qdi_arithmetic caller = qdi_arithmetic_standard();
    if (!writer || !world) return QD_ERR_ARGUMENT;
    if (isnan(writer->speed_top)) writer->speed_top = qdi_shade_top(&writer->view, world);
    return QD_OK;
}

/// Keeps what later frames need of this one: the bodies' places for trails, where there are not too many, and
/// their nodes.
static qd_status note_frame(qd_frame_writer *writer, const qd_world *world) {
    if (writer->trails.count == 0 && !qdi_trails_fit(&writer->trails, world)) {
        (void)snprintf(writer->reason.text, sizeof writer->reason.text,
                       "view.trails: %zu frames of %zu bodies are more than %zu places",
                       writer->trails.frames, qd_world_count(world), QDI_TRAIL_PLACES_MAX);
        return QD_ERR_VALUE;
    }
    qd_status status = qdi_trails_note(&writer->trails, world);
    return status == QD_OK ? qdi_refiled_note_frame(&writer->refiled, world) : status;
}

qd_status qd_frame_writer_remember(qd_frame_writer *writer, const qd_world *world) {
    QDI_RESTORED qdi_arithmetic caller = qdi_arithmetic_standard();
    if (!writer || !world) return QD_ERR_ARGUMENT;
    if (writer->failure == QD_OK) writer->failure = note_frame(writer, world);
    return writer->failure;
}

size_t qd_frame_writer_past(const qd_frame_writer *writer, unsigned char *bytes) {
    if (!writer) return 0;
    const size_t used = qdi_refiled_save(&writer->refiled, bytes);
    return used + qdi_trails_save(&writer->trails, bytes ? bytes + used : NULL);
}

void qd_frame_writer_pace(qd_frame_writer *writer, double rate, double cost) {
    if (!writer) return;
    writer->rate = rate;
    writer->cost = cost;
}

qd_status qd_frame_writer_push(qd_frame_writer *writer, const qd_world *world) {
    QDI_RESTORED qdi_arithmetic caller = qdi_arithmetic_standard();
    if (!writer || !world) return QD_ERR_ARGUMENT;
    if (writer->failure != QD_OK) return writer->failure;
    if (writer->finished) return QD_ERR_STATE;
    writer->failure = note_frame(writer, world);
    if (writer->failure != QD_OK) return writer->failure;
    size_t slot = 0;
    writer->failure = qdi_queue_take(writer->queue, &slot);
    if (writer->failure != QD_OK) return writer->failure;
    if (isnan(writer->speed_top)) writer->speed_top = qdi_shade_top(&writer->view, world);
    frame_shot *shot = &writer->shots[slot];
    shot->index = writer->pushed;
    shot->speed_top = writer->speed_top;
    bool known = writer->watching && writer->watched_step + 1 == qd_world_steps(world);
    writer->watching = false;
    shot->picture.past = writer->trails.frames > 0 ? &writer->trails : NULL;
    shot->picture.refiled = writer->refiled.fade > 0 ? &writer->refiled : NULL;
    shot->picture.measured = writer->field;
    writer->failure = qdi_picture_copy(&shot->picture, world, &writer->view, writer->caption.world,
                                       writer->speed_top, known ? &writer->watched : NULL);
    if (writer->failure != QD_OK) {
        qdi_queue_return(writer->queue, slot);
        return writer->failure;
    }
    shot->picture.facts.rate = writer->rate;
    shot->picture.facts.cost = writer->cost;
    qd_frame_writer_pace(writer, (double)NAN, (double)NAN);
    qdi_queue_put(writer->queue, slot);
    writer->pushed += 1;
    return QD_OK;
}

/// Copies why a frame writer failed into the caller's error.
static void copy_failure_reason(const qd_frame_writer *writer, qd_error *error) {
    if (!error || writer->failure == QD_OK) return;
    *error = writer->reason.text[0] ? writer->reason : writer->turn_error;
    for (size_t i = 0; !error->text[0] && i < writer->worker_count; ++i) *error = writer->workers[i].error;
    if (!error->text[0])
        (void)snprintf(error->text, sizeof error->text, "%s", qd_status_text(writer->failure));
}

/// Brings a frame's file to the device; one that has been deleted is passed over.
static qd_status sync_frame(const qd_frame_writer *writer, uint64_t number, qd_error *error) {
    char path[QDI_PATH_MAX];
    qd_status status = frame_path(writer->directory, number, path);
    if (status == QD_OK) status = qdi_file_sync(path, error);
    return status == QD_ERR_NOT_FOUND ? QD_OK : status;
}

/// Brings the frames that are in place to the device, and their names: few one by one, many with all else
/// that is to be written to the disk. The queue is drained.
static qd_status sync_frames(qd_frame_writer *writer) {
    enum { FEW = 4 };
    uint64_t first = writer->synced, end = writer->turn_written;
    if (!writer->directory[0] || first == end) return QD_OK;
    writer->synced = end;
    qd_error error = {""};
    qd_status status = end - first > FEW ? qdi_os_sync_disk(writer->directory, &error) : QD_ERR_NOT_FOUND;
    if (status == QD_ERR_NOT_FOUND) {
        status = QD_OK;
        for (uint64_t i = first; i < end && status == QD_OK; ++i) status = sync_frame(writer, i, &error);
        if (status == QD_OK) status = qdi_os_sync_directory(writer->directory, &error);
    }
    if (status != QD_OK) writer->reason = error;
    return status;
}

qd_status qd_frame_writer_flush(qd_frame_writer *writer, const qd_frame_row **rows, size_t *count,
                                qd_error *error) {
    QDI_RESTORED qdi_arithmetic caller = qdi_arithmetic_standard();
    if (error) error->text[0] = '\0';
    if (!writer || !rows != !count) return QD_ERR_ARGUMENT;
    qd_status drained = qdi_queue_drain(writer->queue);
    if (writer->failure == QD_OK) writer->failure = drained;
    if (writer->failure == QD_OK) writer->failure = sync_frames(writer);
    if (rows) {
        // They stay where they are until the worker has a new one.
        *rows = writer->turn_rows;
        *count = writer->turn_row_count;
        writer->turn_row_count = 0;
    }
    copy_failure_reason(writer, error);
    return writer->failure;
}

void qd_frame_writer_forget_video(qd_frame_writer *writer) {
    if (writer) writer->video = NULL;
}

double qd_frame_writer_speed(const qd_frame_writer *writer) {
    return writer->speed_top;
}

qd_status qd_frame_writer_finish(qd_frame_writer *writer, uint64_t *frames, qd_error *error) {
    QDI_RESTORED qdi_arithmetic caller = qdi_arithmetic_standard();
    if (error) error->text[0] = '\0';
    if (!writer) return QD_ERR_ARGUMENT;
    if (!writer->finished) {
        qd_status drained = qdi_queue_drain(writer->queue);
        if (writer->failure == QD_OK) writer->failure = drained;
        if (writer->failure == QD_OK) writer->failure = sync_frames(writer);
        // Also after a failure: the frames that are in place are listed.
        qd_status listed = QD_OK;
        qd_error reason = {""};
        if (writer->turn_manifest_broken)
            qdi_manifest_discard(&writer->turn_manifest);
        else if (writer->directory[0])
            listed = qdi_manifest_publish(&writer->turn_manifest, &reason);
        if (writer->directory[0] && listed == QD_OK)
            listed = qdi_os_sync_directory(writer->directory, &reason);
        if (writer->failure == QD_OK && listed != QD_OK) {
            writer->failure = listed;
            writer->turn_error = reason;
        }
        writer->finished = true;
    }
    if (frames) *frames = writer->turn_written;
    copy_failure_reason(writer, error);
    return writer->failure;
}

void qd_frame_writer_destroy(qd_frame_writer *writer) {
    if (!writer) return;
    qd_status status = qd_frame_writer_finish(writer, NULL, NULL);
    (void)status; // there is no one to report it to
    frame_writer_release(writer);
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
