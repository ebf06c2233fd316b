#pragma once

#include "tools/verify/frame_list.h"

/// Which frames of several runs are seen together. The run whose frames follow each other closest in time
/// sets the pace: the pictures have the times of its frames, and go on at that interval before its first and
/// behind its last one until the times of all runs are covered. Of every other run a picture has the last
/// frame that is not later; before a run's first frame that one, and behind its last one that one.

typedef struct qdi_frame_pace {
    const qdi_frame_list *leader;
    double interval; ///< of the leader's frames; 0 where there is one frame only
    size_t lead;     ///< pictures before the leader's first frame
    size_t count;    ///< pictures in all
} qdi_frame_pace;

enum { QDI_FRAME_PACE_MOST = 1000000 }; ///< pictures

/// Pace of verified frames: finds it for lists that all have frames. Errors: QD_ERR_VALUE, where there would
/// be more than QDI_FRAME_PACE_MOST pictures.
QD_MUST_USE qd_status qdi_frame_pace_find(const qdi_frame_list *const *lists, size_t count,
                                          qdi_frame_pace *pace);

/// Pace of verified frames: the place in a list of the frame that picture `picture` has.
size_t qdi_frame_pace_place(const qdi_frame_pace *pace, const qdi_frame_list *list, size_t picture);

/// Pace of verified frames: whether that picture is later than the list's last frame, so that the frame only
/// stays.
bool qdi_frame_pace_is_over(const qdi_frame_pace *pace, const qdi_frame_list *list, size_t picture);
