#include "tools/verify/frame_list.h"
#include "core/base/memory.h"
#include "sim/base/number.h"
#include "sim/base/os.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Adds a frame's number to the list.
static qd_status add(qdi_frame_list *list, uint64_t number) {
    qd_status status = qdi_reserve(qd_allocator_default(), &list->numbers, &list->room, list->count,
                                   list->count + 1, sizeof *list->numbers);
    if (status == QD_OK) list->numbers[list->count++] = number;
    return status;
}

typedef struct search {
    qdi_frame_list *list;
    qd_status status;
} search;

/// frame_<digits>.png.
static bool visit(void *context, const char *name) {
    static const char head[] = "frame_", tail[] = ".png";
    search *job = context;
    size_t length = strlen(name), around = sizeof head + sizeof tail - 2;
    uint64_t number = 0;
    if (length <= around || memcmp(name, head, sizeof head - 1) != 0 ||
        strcmp(name + length - (sizeof tail - 1), tail) != 0 ||
        !qdi_integer_read(name + sizeof head - 1, length - around, &number))
        return true;
    job->status = add(job->list, number);
    return job->status == QD_OK;
}

// Order of two frame numbers.
static int by_number(const void *a, const void *b) {
    const uint64_t *x = a, *y = b;
    return (*x > *y) - (*x < *y);
}

// Lists the frames that lie in a directory.
static qd_status list_files(qdi_frame_list *list, qd_error *error) {
    search job = {list, QD_OK};
    qd_status status = qdi_os_list(list->directory, visit, &job, error);
    if (status == QD_OK) status = job.status;
    if (status == QD_OK && list->count > 1)
        qsort(list->numbers, list->count, sizeof *list->numbers, by_number);
    return status;
}

/// Rows of index,step,time,pixels after a header.
static qd_status read_manifest(qdi_frame_list *list, FILE *file, qd_error *error) {
    char line[512];
    qd_status status = fgets(line, sizeof line, file) ? QD_OK : QD_ERR_INVALID;
    while (status == QD_OK && fgets(line, sizeof line, file)) {
        uint64_t number;
        status = qdi_integer_read(line, strcspn(line, ",\r\n"), &number) ? add(list, number) : QD_ERR_INVALID;
    }
    if (status == QD_ERR_INVALID)
        snprintf(error->text, sizeof error->text, "%.300s/manifest.csv has lines that are none of frames",
                 list->directory);
    return status;
}

// Refuses a list of frames with a gap, or an empty one.
static qd_status check_order(const qdi_frame_list *list, qd_error *error) {
    if (list->count == 0) {
        snprintf(error->text, sizeof error->text, "%.300s holds no frames", list->directory);
        return QD_ERR_NOT_FOUND;
    }
    for (size_t i = 1; i < list->count; ++i) {
        uint64_t wanted = list->numbers[i - 1] + 1;
        if (list->numbers[i] == wanted) continue;
        snprintf(error->text, sizeof error->text,
                 "%.300s lacks frame_%06" PRIu64 ".png; --frames A:B takes those before or behind the gap",
                 list->directory, wanted);
        return QD_ERR_INVALID;
    }
    return QD_OK;
}

/// Leaves the frames that are asked for.
static void select_frames(qdi_frame_list *list, uint64_t first, uint64_t last) {
    size_t kept = 0;
    for (size_t i = 0; i < list->count; ++i)
        if (list->numbers[i] >= first && list->numbers[i] <= last) list->numbers[kept++] = list->numbers[i];
    list->count = kept;
}

qd_status qdi_frame_list_find(const char *directory, uint64_t first, uint64_t last, qdi_frame_list *list,
                              qd_error *error) {
    char path[sizeof list->directory + 32];
    *list = (qdi_frame_list){.count = 0};
    if (strlen(directory) + sizeof "/frames" > sizeof list->directory) return QD_ERR_VALUE;
    snprintf(list->directory, sizeof list->directory, "%s/frames", directory);
    if (!qdi_os_is_directory(list->directory))
        snprintf(list->directory, sizeof list->directory, "%s", directory);
    snprintf(path, sizeof path, "%s/manifest.csv", list->directory);
    FILE *file = NULL;
    qd_status status = qdi_os_open(path, QDI_OS_DATA, &file, NULL);
    status = status == QD_OK ? read_manifest(list, file, error) : list_files(list, error);
    if (file) (void)fclose(file);
    if (status != QD_OK) return status;
    bool any = list->count > 0;
    select_frames(list, first, last);
    if (any && list->count == 0) {
        snprintf(error->text, sizeof error->text, "%.300s holds none of these frames", list->directory);
        return QD_ERR_NOT_FOUND;
    }
    return check_order(list, error);
}

void qdi_frame_list_free(qdi_frame_list *list) {
    qdi_release(qd_allocator_default(), list->numbers, list->room, sizeof *list->numbers);
    list->numbers = NULL;
    list->count = list->room = 0;
}

bool qdi_frame_list_path(const qdi_frame_list *list, uint64_t number, char *path, size_t bytes) {
    int length = snprintf(path, bytes, "%s/frame_%06" PRIu64 ".png", list->directory, number);
    return length > 0 && (size_t)length < bytes;
}
