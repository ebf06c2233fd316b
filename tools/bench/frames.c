#include "tools/bench/frames.h"

#include "core/base/memory.h"
#include "core/parallel/parallel.h"
#include "export/image/png_sink.h"
#include "export/picture/caption.h"
#include "export/picture/picture.h"
#include "export/picture/tile_bins.h"
#include "export/picture/trails.h"
#include "export/raster/shade.h"
#include "sim/world/world_team.h"
#include "tools/host/pin.h"

#include <quadrille/hash.h>
#include <string.h>
#include <time.h>

enum { COPY, DRAW, ENCODE, WHOLE, MOVES };

/// Frames that trails go back, where a run may keep so many.
enum { TRAIL_FRAMES = 100 };

/// Everything of one style that is kept from frame to frame, as a writer of frames keeps it.
typedef struct frames_job {
    qd_view view;
    double speed_top;
    qdi_caption caption;
    qdi_palette palette;
    qdi_picture picture;
    qdi_trails trails; ///< none in other styles than that of trails
    qdi_raster raster;
    qdi_tile_bins bins;
    qdi_bytes bytes;
    double *samples; ///< by move, then frame
    double cpu;      ///< seconds of all measured frames
} frames_job;

const char *qdi_frames_style_name(qdi_frames_style style) {
    static const char *const names[] = {"bodies", "full", "trails", "lammps"};
    return names[style];
}

size_t qdi_frames_trails(size_t bodies) {
    const size_t most = QDI_TRAIL_PLACES_MAX / (bodies > 0 ? bodies : 1);
    return most < TRAIL_FRAMES ? most : TRAIL_FRAMES;
}

int qdi_frames_style_count(size_t bodies) {
    return qdi_frames_trails(bodies) > 0 ? QDI_FRAMES_STYLES : QDI_FRAMES_TRAILS;
}

// Makes the world whose frames the bench draws.
static qd_status make_frames_world(const qdi_frames_plan *plan, qd_contact_model contact, qd_world **world) {
    qdi_bench_setting setting;
    qd_status status = qdi_bench_setting_make(plan->scene, 1, plan->bodies, plan->seed,
                                              qd_allocator_default(), &setting);
    if (status != QD_OK) return status;
    const qdi_bench_bodies *from = &setting.bodies;
    qd_world_def def = qd_world_def_default();
    def.size = (qd_vec2){from->side, from->side};
    def.origin = (qd_vec2){-0.5 * from->side, -0.5 * from->side};
    def.contact = contact;
    def.threads = plan->threads;
    def.seed = plan->seed;
    status = qd_world_create(&def, world);
    if (status == QD_OK) status = qdi_pin_team(plan->pin, qdi_world_team(*world));
    for (size_t i = 0; status == QD_OK && i < from->count; ++i) {
        qd_body_def body = qd_body_def_default();
        body.shape.radius = from->radius[i];
        body.position = (qd_vec2){from->x[i], from->y[i]};
        body.velocity = (qd_vec2){from->vx[i], from->vy[i]};
        status = qd_world_add(*world, &body, NULL, NULL);
    }
    qdi_bench_setting_free(&setting);
    // A step puts the bodies into the order that they have in a run.
    if (status == QD_OK) status = qd_world_step(*world, 1e-3, NULL);
    return status;
}

// Prepares the bench of one style of frames.
static qd_status make_frames_job(const qdi_frames_plan *plan, qdi_frames_style style, const qd_world *world,
                                 frames_job *job) {
    const qd_allocator *allocator = qd_allocator_default();
    job->view = qd_view_default();
    job->view.width = plan->width;
    job->view.height = plan->height;
    if (style != QDI_FRAMES_FULL) {
        job->view.colour = QD_VIEW_SPEED;
        job->view.nodes = QD_VIEW_NODES_NONE;
        job->view.contacts = job->view.text = false;
    }
    if (style == QDI_FRAMES_TRAILS) job->view.trails = (int)qdi_frames_trails(plan->bodies);
    job->speed_top = qdi_shade_top(&job->view, world);
    job->palette = qdi_palette_make(&job->view);
    job->picture = (qdi_picture){.allocator = allocator};
    job->samples = qdi_allocate(allocator, MOVES * (plan->frames + 1), sizeof *job->samples);
    if (!job->samples) return QD_ERR_MEMORY;
    qd_status status = qdi_trails_create(allocator, job->view.trails, &job->trails);
    if (job->view.trails > 0) job->picture.past = &job->trails;
    if (status == QD_OK) status = qdi_raster_create(allocator, plan->width, plan->height, &job->raster);
    if (status == QD_OK) status = qdi_tile_bins_create(allocator, NULL, &job->bins);
    return status == QD_OK ? qdi_caption_create(allocator, &job->view, NULL, &job->caption) : status;
}

// Frees what the bench of frames worked with.
static void free_frames_job(const qdi_frames_plan *plan, frames_job *job) {
    const qd_allocator *allocator = qd_allocator_default();
    qdi_release(allocator, job->samples, MOVES * (plan->frames + 1), sizeof *job->samples);
    qdi_bytes_release(allocator, &job->bytes);
    qdi_trails_destroy(&job->trails);
    qdi_raster_destroy(&job->raster);
    qdi_tile_bins_destroy(&job->bins);
    qdi_caption_destroy(&job->caption);
    if (job->picture.allocator) qdi_picture_destroy(&job->picture);
}

/// One frame; its times go to place `number` of each move.
static qd_status make_frame(const qdi_frames_plan *plan, const qd_world *world, size_t number,
                            frames_job *job) {
    double times[MOVES];
    const clock_t before = clock();
    uint64_t start = qdi_clock_ns();
    qd_status status = qdi_trails_note(&job->trails, world); // also holds up the simulation
    if (status == QD_OK)
        status = qdi_picture_copy(&job->picture, world, &job->view, job->caption.world, job->speed_top, NULL);
    if (status != QD_OK) return status;
    uint64_t copied = qdi_clock_ns();
    qdi_raster *raster = &job->raster;
    memset(raster->pixels, QDI_INK_BACKGROUND, (size_t)raster->width * (size_t)raster->height);
    status = qdi_picture_draw(&job->picture, &job->bins, raster);
    if (status != QD_OK) return status;
    qdi_caption_draw(&job->caption, raster, &job->picture.facts, job->speed_top);
    uint64_t drawn = qdi_clock_ns();
    const qdi_png_image image = {
        .width = raster->width, .height = raster->height, .pixels = raster->pixels, .palette = &job->palette};
    qd_error error;
    status = qdi_png_encode(qd_allocator_default(), &image, &job->bytes, &error);
    uint64_t done = qdi_clock_ns();
    if (number > 0) job->cpu += (double)(clock() - before) / CLOCKS_PER_SEC;
    times[COPY] = (double)(copied - start);
    times[DRAW] = (double)(drawn - copied);
    times[ENCODE] = (double)(done - drawn);
    times[WHOLE] = (double)(done - start);
    for (size_t move = 0; move < MOVES; ++move)
        job->samples[move * (plan->frames + 1) + number] = times[move];
    return status;
}

// Medians of the times of frames.
static qdi_frames_row evaluate_frames(const qdi_frames_plan *plan, qdi_frames_style style,
                                      const frames_job *job) {
    qdi_statistics found[MOVES];
    // The first frame finds its memory.
    for (size_t move = 0; move < MOVES; ++move)
        found[move] = qdi_statistics_of(job->samples + move * (plan->frames + 1) + 1, plan->frames);
    const qdi_raster *raster = &job->raster;
    return (qdi_frames_row){
        .style = style,
        .bodies = plan->bodies,
        .trails = job->trails.frames,
        .copy = found[COPY].median * 1e-6,
        .draw = found[DRAW].median * 1e-6,
        .encode = found[ENCODE].median * 1e-6,
        .whole = found[WHOLE].median * 1e-6,
        .least = found[WHOLE].min * 1e-6,
        .spread = found[WHOLE].spread,
        .cpu = job->cpu * 1e3 / (double)plan->frames,
        .bytes = job->bytes.size,
        .pixels = qd_hash_bytes(raster->pixels, (size_t)raster->width * (size_t)raster->height)};
}

// Moves the bodies of the bench of frames until their trails are as long as they get.
static qd_status fill_trails(qd_world *world, frames_job *job) {
    qd_status status = QD_OK;
    for (size_t i = 0; status == QD_OK && i < job->trails.frames; ++i) {
        status = qdi_trails_note(&job->trails, world);
        if (status == QD_OK) status = qd_world_step(world, 1.0, NULL);
    }
    return status;
}

/// Bench of frames: draws some styles in turns, and moves the world between where `moves`.
static qd_status make_frames(const qdi_frames_plan *plan, qd_world *world, bool moves, frames_job *jobs,
                             size_t count, bool *stopped) {
    qd_status status = QD_OK;
    for (size_t frame = 0; status == QD_OK && !*stopped && frame <= plan->frames; ++frame) {
        if (moves && frame > 0) status = qd_world_step(world, 1.0, NULL);
        for (size_t i = 0; status == QD_OK && !*stopped && i < count; ++i) {
            status = make_frame(plan, world, frame, &jobs[i]);
            *stopped = plan->tick && !plan->tick(plan->context);
        }
    }
    return status;
}

// Measures the styles of frames [first, end), all of one world.
static qd_status run_frames_styles(const qdi_frames_plan *plan, int first, int end, qdi_frames_row *rows,
                                   bool *stopped) {
    const bool moves = first == QDI_FRAMES_TRAILS;
    frames_job jobs[QDI_FRAMES_STYLES];
    memset(jobs, 0, sizeof jobs);
    qd_world *world = NULL;
    qd_status status = make_frames_world(plan, moves ? QD_CONTACT_IMPULSE : QD_CONTACT_NONE, &world);
    for (int style = first; status == QD_OK && style < end; ++style)
        status = make_frames_job(plan, (qdi_frames_style)style, world, &jobs[style]);
    if (status == QD_OK && moves) status = fill_trails(world, &jobs[first]);
    if (status == QD_OK)
        status = make_frames(plan, world, moves, jobs + first, (size_t)(end - first), stopped);
    for (int style = first; style < end; ++style) {
        if (status == QD_OK && !*stopped)
            rows[style] = evaluate_frames(plan, (qdi_frames_style)style, &jobs[style]);
        free_frames_job(plan, &jobs[style]);
    }
    qd_world_destroy(world);
    return status;
}

qd_status qdi_frames_run(const qdi_frames_plan *plan, qdi_frames_row rows[QDI_FRAMES_STYLES], bool *stopped) {
    const int end = qdi_frames_style_count(plan->bodies);
    *stopped = false;
    qd_status status = run_frames_styles(plan, 0, QDI_FRAMES_TRAILS, rows, stopped);
    if (status == QD_OK && !*stopped && end > QDI_FRAMES_TRAILS)
        status = run_frames_styles(plan, QDI_FRAMES_TRAILS, end, rows, stopped);
    return status;
}
