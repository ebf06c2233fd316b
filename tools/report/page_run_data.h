#pragma once

#include "tools/report/page_job.h"
#include "tools/verify/replay.h"

/// What the page of a run shows, as JSON: title, facts, provenance, the scene, result.json, frames, rows of
/// metrics, phases.

/// A frame of the page.
typedef struct qdi_page_frame {
    uint64_t number, step;
    double time;
} qdi_page_frame;

typedef struct qdi_page_source {
    const qdi_recorded *past;
    const char *result; ///< the text of result.json; NULL where the run is not complete
    const qdi_page_frame *frames;
    size_t frame_count;
} qdi_page_source;

/// Adds the whole object to `json`. Errors: those of reading the store, QD_ERR_MEMORY.
QD_MUST_USE qd_status qdi_page_run_data(const qdi_page_job *job, const qdi_page_source *source,
                                        qdi_json *json, qd_error *error);
