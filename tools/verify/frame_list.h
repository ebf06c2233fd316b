#pragma once

#include <quadrille/status.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct qdi_frame_entry {
    uint64_t number;
    double time; ///< in the run, where the list has times; else the number
} qdi_frame_entry;

/// Which frames a directory holds.
typedef struct qdi_frame_list {
    char directory[4096];     ///< where the files are
    qdi_frame_entry *entries; ///< in order, also of their times
    size_t count, room;
    bool timed; ///< manifest.csv says when each of them is
} qdi_frame_list;

/// Finds the frames of a run directory, or of a directory of frames: those that its manifest.csv lists, or
/// where there is none (a run that is not complete) the files themselves. Only those from `first` to `last`
/// count. Free the list in any case. Errors: QD_ERR_NOT_FOUND (no frames), QD_ERR_INVALID (a manifest.csv
/// that makes no sense), QD_ERR_IO, QD_ERR_MEMORY, with the reason.
QD_MUST_USE qd_status qdi_frame_list_find(const char *directory, uint64_t first, uint64_t last,
                                          qdi_frame_list *list, qd_error *error);
/// Verified list of frames: makes sure that the frames from place `from` to place `to`, both included, are
/// there, whole and without a gap. Errors: QD_ERR_INVALID (a gap), those of qd_video_file_check, with the
/// reason.
QD_MUST_USE qd_status qdi_frame_list_check(const qdi_frame_list *list, size_t from, size_t to,
                                           qd_error *error);
void qdi_frame_list_free(qdi_frame_list *list);

/// "DIRECTORY/frame_000000.png", of the frame at that place in the list.
typedef struct qdi_frame_path {
    char text[4096 + 64];
} qdi_frame_path;
qdi_frame_path qdi_frame_list_path(const qdi_frame_list *list, size_t place);
