#ifndef QD_TOOLS_PAGE_DATA_H
#define QD_TOOLS_PAGE_DATA_H

#include "sim/scene_text.h"
#include "tools/replay.h"

#include <stdint.h>

/// What the page of a run shows, as JSON: title, facts, provenance, the scene, result.json, frames, rows of metrics, phases.

/// A frame of the page.
typedef struct qdi_page_frame {
    uint64_t number, step;
    double time;
} qdi_page_frame;

typedef struct qdi_page_source {
    const qdi_past *past;
    const char *result; ///< the text of result.json; NULL where the run is not complete
    const qdi_page_frame *frames;
    size_t frame_count;
    const char *notes[4]; ///< what the reader should know; NULL ends them
} qdi_page_source;

/// Adds the whole object to `json`. Errors: those of reading the store, QD_ERR_MEMORY.
QD_MUST_USE qd_status qdi_page_data_write(const qdi_page_source *source, qdi_text *json, qd_error *error);

#endif
