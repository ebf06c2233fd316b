#pragma once

#include "export/process/os.h"

#include <quadrille/frame.h>
#include <quadrille/status.h>

/// Longest path of a file that is written, the closing zero included.
#define QDI_PATH_MAX 4096

/// Frame list: puts `directory/name` into `path`. Errors: QD_ERR_VALUE where it is longer than QDI_PATH_MAX.
QD_MUST_USE qd_status qdi_path_join(const char *directory, const char *name, char path[QDI_PATH_MAX]);

/// The list of a directory's frames, manifest.csv. Rows are appended to `manifest.csv.part` as frames come
/// into place, so that file is current whatever happens to the program; the list gets its own name when it is
/// complete.
typedef struct qdi_manifest {
    qdi_file file;
    char part[QDI_PATH_MAX], path[QDI_PATH_MAX];
} qdi_manifest;

/// Starts the list with its header `index,step,time,pixels`, and `,stage` where there are names of `stages`
/// (as in a view; NULL: none). Errors: QD_ERR_IO, QD_ERR_VALUE (path too long).
QD_MUST_USE qd_status qdi_manifest_open(qdi_manifest *manifest, const char *directory, const char *stages,
                                        qd_error *error);

/// Appends a row, with the same `stages`. Errors: QD_ERR_IO.
QD_MUST_USE qd_status qdi_manifest_add(qdi_manifest *manifest, const qd_frame_row *row, const char *stages,
                                       qd_error *error);

/// Brings the list to the device and renames it into place. On QD_ERR_IO the unfinished list is removed.
QD_MUST_USE qd_status qdi_manifest_publish(qdi_manifest *manifest, qd_error *error);

/// Removes the unfinished list, if there is one.
void qdi_manifest_discard(qdi_manifest *manifest);
