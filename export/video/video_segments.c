#include "export/video/video_segments.h"

#include "core/base/memory.h"
#include "sim/files/os.h"

#include <inttypes.h>
#include <quadrille/video.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char head[] = "segment_";

qdi_segment_name qdi_segment_name_of(qdi_segment segment, const char *ending) {
    qdi_segment_name name;
    (void)snprintf(name.text, sizeof name.text, "%s%06" PRIu64 "_%06" PRIu64 ".%s", head, segment.first,
                   segment.last, ending);
    return name;
}

/// Reads the name of a whole segment; false for any other name.
static bool read_segment_name(const char *name, qdi_segment *segment) {
    char *end;
    if (strncmp(name, head, sizeof head - 1) != 0) return false;
    const char *at = name + sizeof head - 1;
    if (*at < '0' || *at > '9') return false;
    segment->first = strtoull(at, &end, 10);
    if (*end != '_' || end[1] < '0' || end[1] > '9') return false;
    segment->last = strtoull(end + 1, &end, 10);
    return segment->last >= segment->first && (strcmp(end, ".mkv") == 0 || strcmp(end, ".png") == 0);
}

typedef struct search {
    qdi_segments *segments;
    qd_status status;
} search;

/// Notes a segment of a folder.
static bool note_segment(void *context, const char *name) {
    search *job = context;
    qdi_segments *segments = job->segments;
    qdi_segment segment;
    if (!read_segment_name(name, &segment)) return true;
    job->status = qdi_reserve(segments->allocator, &segments->items, &segments->room, segments->count,
                              segments->count + 1, sizeof *segments->items);
    if (job->status == QD_OK) segments->items[segments->count++] = segment;
    return job->status == QD_OK;
}

/// Orders segments by their first frame.
static int compare_segments(const void *a, const void *b) {
    const qdi_segment *x = a, *y = b;
    return (x->first > y->first) - (x->first < y->first);
}

qd_status qdi_segments_find(const qd_allocator *allocator, const char *directory, qdi_segments *segments,
                            qd_error *error) {
    *segments = (qdi_segments){.allocator = allocator};
    if (!qdi_os_is_directory(directory)) return QD_OK;
    search job = {segments, QD_OK};
    qd_status status = qdi_os_list(directory, note_segment, &job, error);
    if (status == QD_OK) status = job.status;
    if (status == QD_OK && segments->count > 1)
        qsort(segments->items, segments->count, sizeof *segments->items, compare_segments);
    if (status != QD_OK) qdi_segments_free(segments);
    return status;
}

void qdi_segments_free(qdi_segments *segments) {
    qdi_release(segments->allocator, segments->items, segments->room, sizeof *segments->items);
    segments->items = NULL;
    segments->count = segments->room = 0;
}

uint64_t qd_video_whole(const char *directory, uint64_t most) {
    qdi_segments segments;
    if (!directory || qdi_segments_find(qd_allocator_default(), directory, &segments, NULL) != QD_OK)
        return 0;
    uint64_t next = 0;
    for (size_t i = 0; i < segments.count; ++i) {
        const qdi_segment segment = segments.items[i];
        if (segment.first != next || segment.last >= most) break;
        next = segment.last + 1;
    }
    qdi_segments_free(&segments);
    return next;
}

typedef struct keeping {
    const char *directory;
    uint64_t frames;
    qd_status status;
    qd_error *error;
} keeping;

/// Deletes a segment with frames past the last that are to stay, and one that is not whole.
static bool remove_later_segment(void *context, const char *name) {
    keeping *job = context;
    qdi_segment segment;
    if (strncmp(name, head, sizeof head - 1) != 0) return true;
    if (read_segment_name(name, &segment) && segment.last < job->frames) return true;
    char path[QDI_PATH_MAX];
    job->status = qdi_path_join(job->directory, name, path);
    if (job->status == QD_OK) job->status = qdi_os_remove_file(path, job->error);
    return job->status == QD_OK;
}

qd_status qd_video_keep(const char *directory, uint64_t frames, qd_error *error) {
    if (!directory) return QD_ERR_ARGUMENT;
    if (!qdi_os_is_directory(directory)) return QD_OK;
    keeping job = {directory, frames, QD_OK, error};
    qd_status status = qdi_os_check(directory, QDI_OS_DIRECTORY, error);
    if (status == QD_OK) status = qdi_os_list(directory, remove_later_segment, &job, error);
    return status == QD_OK ? job.status : status;
}

qd_status qd_video_clear(const char *directory, qd_error *error) {
    static const char *const others[] = {"segments.ffconcat", "palette.png", "failed.txt", "joined.txt"};
    qd_status status = qd_video_keep(directory, 0, error);
    for (size_t i = 0; status == QD_OK && i < sizeof others / sizeof others[0]; ++i) {
        char path[QDI_PATH_MAX];
        status = qdi_path_join(directory, others[i], path);
        if (status == QD_OK) status = qdi_os_remove_file(path, error);
    }
    return status == QD_OK ? qdi_os_remove_directory_if_empty(directory, error) : status;
}
