#include "tools/verify/frame_list.h"
#include "core/base/memory.h"
#include "sim/files/os.h"
#include "sim/text/number.h"

#include <inttypes.h>
#include <quadrille/video.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Verified list of frames: adds a frame's number to the list.
static qd_status add(qdi_frame_list *list, uint64_t number, double time) {
    qd_status status = qdi_reserve(qd_allocator_default(), &list->entries, &list->room, list->count,
                                   list->count + 1, sizeof *list->entries);
    if (status == QD_OK) list->entries[list->count++] = (qdi_frame_entry){number, time};
    return status;
}

typedef struct search {
    qdi_frame_list *list;
    qd_status status;
} search;

/// Verified list of frames: frame_<digits>.png.
static bool visit(void *context, const char *name) {
    static const char head[] = "frame_", tail[] = ".png";
    search *job = context;
    size_t length = strlen(name), around = sizeof head + sizeof tail - 2;
    uint64_t number = 0;
    if (length <= around || memcmp(name, head, sizeof head - 1) != 0 ||
        strcmp(name + length - (sizeof tail - 1), tail) != 0 ||
        !qdi_integer_read(name + sizeof head - 1, length - around, &number))
        return true;
    job->status = add(job->list, number, (double)number);
    return job->status == QD_OK;
}

// Verified list of frames: order of two frame numbers.
static int by_number(const void *a, const void *b) {
    const qdi_frame_entry *x = a, *y = b;
    return (x->number > y->number) - (x->number < y->number);
}

// Verified list of frames: lists the frames that lie in a directory.
static qd_status list_files(qdi_frame_list *list, qd_error *error) {
    search job = {list, QD_OK};
    qd_status status = qdi_os_list(list->directory, visit, &job, error);
    if (status == QD_OK) status = job.status;
    if (status == QD_OK && list->count > 1)
        qsort(list->entries, list->count, sizeof *list->entries, by_number);
    return status;
}

/// Verified list of frames: the third of a row's columns, where it is a number.
static bool read_time(const char *line, double *time) {
    for (int i = 0; i < 2 && line; ++i) {
        line = strchr(line, ',');
        if (line) ++line;
    }
    return line && qdi_number_read(line, strcspn(line, ",\r\n"), time);
}

/// Rows of index,step,time,pixels after a header. Where the times are not in order, there are none.
static qd_status read_manifest(qdi_frame_list *list, FILE *file, qd_error *error) {
    char line[512];
    qd_status status = fgets(line, sizeof line, file) ? QD_OK : QD_ERR_INVALID;
    list->timed = true;
    while (status == QD_OK && fgets(line, sizeof line, file)) {
        uint64_t number;
        double time = 0;
        bool timed = read_time(line, &time);
        if (!timed || (list->count > 0 && time <= list->entries[list->count - 1].time)) list->timed = false;
        status = qdi_integer_read(line, strcspn(line, ",\r\n"), &number) ? add(list, number, time)
                                                                         : QD_ERR_INVALID;
    }
    for (size_t i = 0; i < list->count && !list->timed; ++i)
        list->entries[i].time = (double)list->entries[i].number;
    if (status == QD_ERR_INVALID)
        snprintf(error->text, sizeof error->text, "%.300s/manifest.csv has lines that are none of frames",
                 list->directory);
    return status;
}

/// Verified list of frames: leaves the frames that are asked for.
static void select_frames(qdi_frame_list *list, uint64_t first, uint64_t last) {
    size_t kept = 0;
    for (size_t i = 0; i < list->count; ++i)
        if (list->entries[i].number >= first && list->entries[i].number <= last)
            list->entries[kept++] = list->entries[i];
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
    if (list->count > 0) return QD_OK;
    snprintf(error->text, sizeof error->text,
             any ? "%.300s holds none of these frames" : "%.300s holds no frames", list->directory);
    return QD_ERR_NOT_FOUND;
}

qd_status qdi_frame_list_check(const qdi_frame_list *list, size_t from, size_t to, qd_error *error) {
    for (size_t i = from + 1; i <= to; ++i) {
        uint64_t wanted = list->entries[i - 1].number + 1;
        if (list->entries[i].number == wanted) continue;
        snprintf(error->text, sizeof error->text,
                 "%.300s lacks frame_%06" PRIu64 ".png; --frames A:B takes those before or behind the gap",
                 list->directory, wanted);
        return QD_ERR_INVALID;
    }
    qd_status status = QD_OK;
    for (size_t i = from; i <= to && status == QD_OK; ++i)
        status = qd_video_file_check(qdi_frame_list_path(list, i).text, error);
    return status;
}

void qdi_frame_list_free(qdi_frame_list *list) {
    qdi_release(qd_allocator_default(), list->entries, list->room, sizeof *list->entries);
    list->entries = NULL;
    list->count = list->room = 0;
}

qdi_frame_path qdi_frame_list_path(const qdi_frame_list *list, size_t place) {
    qdi_frame_path path;
    snprintf(path.text, sizeof path.text, "%s/frame_%06" PRIu64 ".png", list->directory,
             list->entries[place].number);
    return path;
}
