#pragma once

#include "sim/rigid/ccd.h"

/// A body's path, segment by segment, and how it goes on where it was stopped in a round before: it stands,
/// and from `carried` on it goes along with what carries it.
typedef struct qdi_walk {
    qdi_path_segment segment;
    double end, stop, carried;
    uint32_t row;
} qdi_walk;

/// Begins a walk along a body's path.
qdi_walk qdi_walk_begin(const qdi_step *step, uint32_t row);
/// Goes on to the next segment of a body's path; false at its end.
bool qdi_walk_on(const qdi_step *step, qdi_walk *w);

/// Where two meet on their first ways, as far as that is known.
typedef struct qdi_first_meeting {
    bool known;
    double time;
    qd_vec2 normal;
} qdi_first_meeting;

/// Where impacts are followed, two on their first ways have an edge if they meet on these.
qdi_first_meeting qdi_first_meeting_of(const qdi_step *step, uint32_t row_a, const qdi_path_segment *a,
                                       uint32_t row_b, const qdi_path_segment *b);
/// The first time before `last` at which two meet on their paths, or infinity or a later one. `first` may be
/// NULL.
double qdi_meeting_of(const qdi_step *step, uint32_t row_a, qdi_party *a, uint32_t row_b, qdi_party *b,
                      qd_vec2 shift, double last, const qdi_first_meeting *first, qd_vec2 *normal);
