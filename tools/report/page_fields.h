#pragma once

#include "tools/host/json.h"
#include "tools/verify/replay.h"

/// The fields that a run has recorded, as its page has them. Values have five digits; of many steps so many
/// are taken, evenly and with the last, that the page stays small.

enum { QDI_PAGE_FIELD_VALUES = 500000 }; ///< most values, unless one step has more

/// Adds the object `fields` to `json`. Errors: those of qd_store_next_fields, QD_ERR_MEMORY.
///
/// | key | is |
/// |---|---|
/// | names, units | of the quantities |
/// | all | how many steps were recorded |
/// | rows | of each step: step, time, grid (x, y, width, height of a cell, nx, ny) and values: a list for
/// each quantity, row by row from the bottom, null where there is none |
QD_MUST_USE qd_status qdi_page_fields(qdi_json *json, const qdi_recorded *past, qd_error *error);
