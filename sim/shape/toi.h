#pragma once

#include "sim/shape/form.h"

/// A form's path through a step: straight from one place to another, turning evenly.
typedef struct qdi_swept_path {
    qd_vec2 from, to; ///< position at time 0 and 1
    double c, s;      ///< cosine and sine of the angle at time 0
    double turn;      ///< angle it turns by until time 1
} qdi_swept_path;

/// Time of impact: where a path is at a time in [0, 1].
qdi_pose qdi_swept_path_at(const qdi_swept_path *path, double time);

/// A meeting of two swept forms.
typedef struct qdi_impact {
    double time;    ///< in [0, 1]
    double gap;     ///< distance then
    qd_vec2 normal; ///< unit vector from a to b then
    int rounds;     ///< that the search took
} qdi_impact;

/// The first time in [0, 1] at which two forms are within `target` of each other, to within `tolerance` > 0
/// of distance: true, and `impact` says when and how. Already within target at the start (overlapping too):
/// time 0. It is never later than the first time at which the distance is `target`, and the distance then is
/// at most target + tolerance; only forms that turn many times near each other may use up its 200 rounds, and
/// then it stops where it is, still before any contact. False: they stay further apart than `target` the
/// whole time. By conservative advancement (Mirtich, "Impulse-based dynamic simulation of rigid body
/// systems", 1996): time goes forward for as long as no corner can have come that far along the present
/// normal. Both paths in one frame. Any thread.
bool qdi_time_of_impact(const qdi_form *a, const qdi_swept_path *path_a, const qdi_form *b,
                        const qdi_swept_path *path_b, double target, double tolerance, qdi_impact *impact);
