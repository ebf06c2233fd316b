#include "export/image/png_file.h"

#include "export/image/manifest.h"

#include <inttypes.h>
#include <stdio.h>

void qdi_labels_fill(qdi_labels *labels, const qd_provenance *provenance, const qdi_facts *facts,
                     const char *comment) {
    (void)snprintf(labels->hash, sizeof labels->hash, "%016" PRIx64, provenance->scene_hash);
    (void)snprintf(labels->seed, sizeof labels->seed, "%" PRIu64, provenance->seed);
    (void)snprintf(labels->step, sizeof labels->step, "%" PRIu64, facts->step);
    (void)qdi_number_write(facts->time, labels->time);
    const qdi_png_text texts[QDI_LABELS_MAX] = {
        {"Software", "Quadrille " QD_VERSION},
        {"Scene", provenance->scene ? provenance->scene : ""},
        {"Scene hash", labels->hash},
        {"Seed", labels->seed},
        {"Step", labels->step},
        {"Time", labels->time},
        {"Comment", comment},
    };
    labels->count = comment ? QDI_LABELS_MAX : QDI_LABELS_MAX - 1;
    for (size_t i = 0; i < labels->count; ++i) labels->texts[i] = texts[i];
}

qd_status qdi_png_write(const qdi_bytes *bytes, const char *path, qd_error *error) {
    char part[QDI_PATH_MAX + 8];
    (void)snprintf(part, sizeof part, "%s.part", path);
    qdi_file file = QDI_FILE_NONE;
    qd_status status = qdi_file_create(part, &file, error);
    if (status != QD_OK) return status;
    status = qdi_file_write(file, part, bytes->data, bytes->size, error);
    qd_error late;
    qd_status closed = qdi_file_close(file, part, false, &late);
    if (status == QD_OK && closed != QD_OK) {
        if (error) *error = late;
        status = closed;
    }
    if (status == QD_OK) status = qdi_file_rename(part, path, error);
    if (status != QD_OK) qdi_file_remove(part);
    return status;
}
