#pragma once

#include "tools/report/page_run_data.h"

/// Worlds that the run has stored of the frames that its page shows: those frames can be asked.

typedef struct qdi_frame_world {
    size_t frame; ///< of the page
    qdi_json json;
} qdi_frame_world;

typedef struct qdi_page_moments {
    const qd_allocator *allocator;
    qdi_frame_world *worlds;
    size_t count, room;
    uint64_t bytes;
} qdi_page_moments;

/// Makes them from snapshots, or checkpoints where there are none. Where all take more than a quarter of the
/// page's room (--max-size), every second, fourth, ... is left, and the job gets a note; so it does of
/// damaged ones, which are left out. Zero `moments` but for the allocator before, free them in any case.
/// Errors: those of qd_store_find_world and qd_world_load but for damage, QD_ERR_STOPPED (a signal has come),
/// QD_ERR_MEMORY.
QD_MUST_USE qd_status qdi_page_moments_make(qdi_page_job *job, const qdi_recorded *past,
                                            const qdi_page_frame *frames, size_t frame_count,
                                            qdi_page_moments *moments, qd_error *error);
void qdi_page_moments_free(qdi_page_moments *moments);
