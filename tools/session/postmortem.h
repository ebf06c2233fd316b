#pragma once

#include <quadrille/frame.h>
#include <quadrille/status.h>
#include <quadrille/view.h>
#include <quadrille/world.h>

/// The place where most bodies are: middle and half the side of a square of the world, found by halving.
/// Where bodies are spread evenly it is any such square.
typedef struct qdi_crowd {
    qd_vec2 centre;
    double reach;
} qdi_crowd;
qdi_crowd qdi_crowd_find(const qd_world *world);

/// Draws, into the file `path`, what surrounds the body that broke a limit, as it was at the end of the step
/// before; for a limit that is no body's, the place where most bodies are. Errors: those of qd_still_write.
QD_MUST_USE qd_status qdi_postmortem_draw(const qd_world *world, const qd_limit_report *report,
                                          const qd_view *view, const qd_provenance *provenance,
                                          const char *path, qd_error *error);
