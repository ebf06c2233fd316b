#pragma once

#include "tools/host/json.h"
#include "tools/verify/replay.h"

/// Recorded distributions for the page of a run: at most so many steps, spread over all, the last one among
/// them.
enum { QDI_PAGE_DISTRIBUTIONS = 6 };

/// Page's distributions: adds the list. Errors: those of reading the store.
QD_MUST_USE qd_status qdi_page_distributions(qdi_json *json, const qdi_recorded *past, qd_error *error);
