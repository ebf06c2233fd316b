#ifndef QD_TOOLS_FRAME_LIST_H
#define QD_TOOLS_FRAME_LIST_H

#include <quadrille/status.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// Which frames a directory holds.
typedef struct qdi_frame_list {
    char directory[4096]; ///< where the files are
    uint64_t *numbers;    ///< in order
    size_t count, room;
} qdi_frame_list;

/// Finds the frames of a run directory, or of a directory of frames: those that its manifest.csv lists, or
/// where there is none (a run that is not complete) the files themselves. Only those from `first` to `last`
/// count, and among them there is no gap. Free the list in any case. Errors: QD_ERR_NOT_FOUND (no frames),
/// QD_ERR_INVALID (a gap, or a manifest.csv that makes no sense), QD_ERR_IO, QD_ERR_MEMORY, with the reason.
QD_MUST_USE qd_status qdi_frame_list_find(const char *directory, uint64_t first, uint64_t last,
                                          qdi_frame_list *list, qd_error *error);
void qdi_frame_list_free(qdi_frame_list *list);

/// "DIRECTORY/frame_000000.png"; false where that is too long.
bool qdi_frame_list_path(const qdi_frame_list *list, uint64_t number, char *path, size_t bytes);

#endif
