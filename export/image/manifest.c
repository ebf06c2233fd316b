#include "export/image/manifest.h"

#include "export/picture/view_check.h"
#include "sim/text/number.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

qd_status qdi_path_join(const char *directory, const char *name, char path[QDI_PATH_MAX]) {
    size_t length = strlen(directory);
    const char *slash = length > 0 && directory[length - 1] == '/' ? "" : "/";
    int written = snprintf(path, QDI_PATH_MAX, "%s%s%s", directory, slash, name);
    return written > 0 && written < QDI_PATH_MAX ? QD_OK : QD_ERR_VALUE;
}

qd_status qdi_manifest_open(qdi_manifest *manifest, const char *directory, const char *stages,
                            qd_error *error) {
    const char *header = stages ? "index,step,time,pixels,stage\n" : "index,step,time,pixels\n";
    manifest->file = QDI_FILE_NONE;
    qd_status status = qdi_path_join(directory, "manifest.csv", manifest->path);
    if (status == QD_OK) status = qdi_path_join(directory, "manifest.csv.part", manifest->part);
    if (status != QD_OK) return status;
    status = qdi_file_create(manifest->part, &manifest->file, error);
    if (status == QD_OK)
        status = qdi_file_write(manifest->file, manifest->part, header, strlen(header), error);
    if (status != QD_OK) qdi_manifest_discard(manifest);
    return status;
}

qd_status qdi_manifest_add(qdi_manifest *manifest, const qd_frame_row *row, const char *stages,
                           qd_error *error) {
    char time[QDI_NUMBER_ROOM], line[256 + QDI_NUMBER_ROOM];
    (void)qdi_number_write(row->time, time);
    int bytes = snprintf(line, sizeof line, "%" PRIu64 ",%" PRIu64 ",%s,%016" PRIx64 "%s%s\n", row->index,
                         row->step, time, row->pixels, stages ? "," : "",
                         qdi_view_stage_name(stages, row->stage).text);
    return qdi_file_write(manifest->file, manifest->part, line, (size_t)bytes, error);
}

qd_status qdi_manifest_publish(qdi_manifest *manifest, qd_error *error) {
    qd_status status = qdi_file_close(manifest->file, manifest->part, true, error);
    manifest->file = QDI_FILE_NONE;
    if (status == QD_OK) status = qdi_file_rename(manifest->part, manifest->path, error);
    if (status != QD_OK) qdi_file_remove(manifest->part);
    return status;
}

void qdi_manifest_discard(qdi_manifest *manifest) {
    if (manifest->file == QDI_FILE_NONE) return;
    qd_error ignored;
    qd_status status = qdi_file_close(manifest->file, manifest->part, false, &ignored);
    (void)status; // the list is given up, whatever the system says
    manifest->file = QDI_FILE_NONE;
    qdi_file_remove(manifest->part);
}
