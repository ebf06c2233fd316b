#include "tools/report/page_moments.h"

#include "core/base/memory.h"
#include "export/picture/caption.h"
#include "tools/host/os.h"
#include "tools/report/page_world.h"

#include <inttypes.h>

typedef struct moments_job {
    qdi_page_job *page;
    qdi_page_moments *moments;
    const qdi_recorded *past;
    uint64_t stage; ///< whose view it is
    qd_view view;
    qdi_area area; ///< where the world is in a picture
    uint64_t room; ///< for all of them
    size_t stride; ///< one in so many is kept
    size_t found;  ///< frames that have a world, so far
    size_t damaged;
    uint64_t bodies; ///< the most that a world had
} moments_job;

/// Moments of a report's page: where the world is in the frames: what the text below it leaves.
static qd_status find_area(moments_job *job) {
    qdi_caption caption;
    qd_status status = qdi_caption_create(job->page->allocator, &job->view, job->past->run.scene, &caption);
    job->area = caption.world;
    qdi_caption_destroy(&caption);
    return status;
}

/// Moments of a report's page: loads the world of a step. QD_ERR_NOT_FOUND where the run has none,
/// QD_ERR_CORRUPT where it is damaged.
static qd_status load_world(const moments_job *job, uint64_t step, qd_world **world, qd_error *error) {
    qd_store_state stored;
    qd_status status = qd_store_find_world(job->past->store, step, &stored, error);
    if (status != QD_OK) return status;
    status = qd_world_load(stored.world, stored.world_bytes, 1, NULL, world, error);
    qd_store_state_free(job->past->store, &stored);
    return status;
}

/// Moments of a report's page: leaves every second of those that there are, which frees half of the room. A
/// single one goes, too.
static void thin_out(moments_job *job) {
    qdi_page_moments *moments = job->moments;
    size_t kept = 0;
    moments->bytes = 0;
    for (size_t i = 0; i < moments->count; ++i) {
        if (i % 2 == 1 || moments->count == 1) {
            qdi_json_free(&moments->worlds[i].json);
            continue;
        }
        moments->bytes += moments->worlds[i].json.length;
        moments->worlds[kept++] = moments->worlds[i];
    }
    moments->count = kept;
    job->stride *= 2;
}

/// Moments of a report's page: adds the world of a frame.
static qd_status add_moment(moments_job *job, size_t frame, const qd_world *world) {
    qdi_page_moments *moments = job->moments;
    qd_status status = qdi_reserve(moments->allocator, &moments->worlds, &moments->room, moments->count,
                                   moments->count + 1, sizeof *moments->worlds);
    if (status != QD_OK) return status;
    if (status == QD_OK && qd_world_stage(world) != job->stage) {
        job->stage = qd_world_stage(world);
        job->view = qd_scene_stage_view(job->past->scene, (size_t)job->stage);
        status = find_area(job);
    }
    if (status != QD_OK) return status;
    qdi_frame_world *moment = &moments->worlds[moments->count++];
    *moment = (qdi_frame_world){frame, {.allocator = moments->allocator, .dense = true}};
    status = qdi_page_world(world, &job->view, job->area, &moment->json);
    moments->bytes += moment->json.length;
    if (qd_world_count(world) > job->bodies) job->bodies = qd_world_count(world);
    while (moments->bytes > job->room && moments->count > 0) thin_out(job);
    return status;
}

/// Moments of a report's page: adds the world of a frame if there is one, and it is its turn.
static qd_status visit_frame(moments_job *job, size_t frame, uint64_t step, qd_error *error) {
    qd_world *world = NULL;
    if (qdi_host_signal() != 0) return QD_ERR_STOPPED;
    if (job->found % job->stride != 0) { // whether there is one can be said without loading it
        const size_t stage = qdi_course_stage(&job->past->course, step);
        const uint64_t every = qd_scene_stage_run(job->past->scene, stage).record_snapshots;
        job->found += every > 0 && step % every == 0;
        return QD_OK;
    }
    qd_status status = load_world(job, step, &world, error);
    if (status == QD_ERR_NOT_FOUND) return QD_OK;
    if (status == QD_ERR_CORRUPT) {
        job->damaged += 1;
        return QD_OK;
    }
    job->found += 1;
    if (status == QD_OK) status = add_moment(job, frame, world);
    qd_world_destroy(world);
    return status;
}

/// Says which worlds of the run are not in the page.
static void note_what_is_missing(const moments_job *job) {
    const size_t kept = job->moments->count;
    if (job->stride > 1)
        qdi_page_job_note(
            job->page,
            "%zu of %zu frames that have a snapshot can be asked, one in %zu: there is room for %" PRIu64
            " MB of them (--max-size)",
            kept, job->found, job->stride, job->room / 1000000);
    if (job->bodies > QDI_PAGE_BODIES)
        qdi_page_job_note(
            job->page, "A frame of %" PRIu64 " bodies can be asked for %d of them, those that it shows first",
            job->bodies, QDI_PAGE_BODIES);
    if (job->damaged > 0)
        qdi_page_job_note(job->page, "%zu snapshot%s of run.db %s damaged: %s cannot be asked", job->damaged,
                          job->damaged == 1 ? "" : "s", job->damaged == 1 ? "is" : "are",
                          job->damaged == 1 ? "its frame" : "their frames");
}

qd_status qdi_page_moments_make(qdi_page_job *page, const qdi_recorded *past, const qdi_page_frame *frames,
                                size_t frame_count, qdi_page_moments *moments, qd_error *error) {
    moments_job job = {.page = page,
                       .moments = moments,
                       .past = past,
                       .view = qd_scene_view(past->scene),
                       .room = qdi_page_job_room(page) / 4,
                       .stride = 1};
    qd_status status = find_area(&job);
    for (size_t i = 0; i < frame_count && status == QD_OK; ++i)
        status = visit_frame(&job, i, frames[i].step, error);
    if (status == QD_OK) note_what_is_missing(&job);
    return status;
}

void qdi_page_moments_free(qdi_page_moments *moments) {
    for (size_t i = 0; i < moments->count; ++i) qdi_json_free(&moments->worlds[i].json);
    qdi_release(moments->allocator, moments->worlds, moments->room, sizeof *moments->worlds);
    moments->worlds = NULL;
    moments->count = moments->room = 0;
}
