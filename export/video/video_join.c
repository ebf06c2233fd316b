// The end of a video: its segments become one file, which takes its name only when all frames are in it.

#include "core/base/arithmetic.h"
#include "export/video/matroska.h"
#include "export/video/video_impl.h"
#include "export/video/video_segments.h"
#include "sim/files/os.h"

#include <inttypes.h>
#include <math.h>
#include <quadrille/hash.h>
#include <stdio.h>
#include <string.h>

enum { JOIN_SECONDS = 24 * 3600 };

/// In the folder of the segments.
static const char list[] = "segments.ffconcat", palette[] = "palette.png";

/// Joined video: when a frame is shown.
/// When a frame begins, in millionths of a second. Each segment's length is the difference of two of these,
/// so that roundings never add up.
static uint64_t frame_begin_time(const qd_video *video, uint64_t frame) {
    const qdi_rate rate = video->encoding.rate;
    return (uint64_t)floor((double)frame * 1e6 * rate.den / rate.num + 0.5);
}

/// Writes the list of segments for ffmpeg.
static qd_status write_segment_list(const qd_video *video, const qdi_segments *segments, const char *path,
                                    qd_error *error) {
    static const char header[] = "ffconcat version 1.0\n";
    qdi_file file = QDI_FILE_NONE;
    qd_status status = qdi_file_create(path, &file, error);
    if (status != QD_OK) return status;
    status = qdi_file_write(file, path, header, sizeof header - 1, error);
    for (size_t i = 0; status == QD_OK && i < segments->count; ++i) {
        const qdi_segment segment = segments->items[i];
        char line[200];
        uint64_t length = frame_begin_time(video, segment.last + 1) - frame_begin_time(video, segment.first);
        int bytes = snprintf(line, sizeof line, "file %s\nduration %" PRIu64 ".%06" PRIu64 "\n",
                             qdi_segment_name_of(segment, "mkv").text, length / 1000000, length % 1000000);
        status = qdi_file_write(file, path, line, (size_t)bytes, error);
    }
    qd_error late = {""};
    qd_status closed = qdi_file_close(file, path, false, &late);
    if (status == QD_OK && closed != QD_OK) {
        status = closed;
        if (error) *error = late;
    }
    return status;
}

/// Runs the program of the command line, in the folder of the segments: the names in a list, which are parts
/// of an address, are plain ones then, whatever the folder's is.
static qd_status run_join_program(qd_video *video, const char *doing, qd_error *error) {
    if (video->line.full) return QD_ERR_VALUE;
    qd_status status = qdi_child_start(video->line.items, video->directory, NULL, 0, &video->child, error);
    if (status != QD_OK) return QD_ERR_STATE;
    bool content = qdi_child_end(&video->child, JOIN_SECONDS);
    char why[400];
    status = qdi_video_encoder_fault(&video->child, why, sizeof why);
    if (content && status != QD_ERR_IO) return QD_OK;
    if (error) (void)snprintf(error->text, sizeof error->text, "the video could not be %s: %s", doing, why);
    return status;
}

/// Joined video: chooses the 256 colours of a GIF whose frames are in true colour, from all frames.
static qd_status make_gif_palette(qd_video *video, qd_error *error) {
    char path[QDI_PATH_MAX];
    qd_status status = qdi_path_join(video->directory, palette, path);
    if (status != QD_OK) return status;
    qdi_file_remove(path);
    qdi_palette_line(list, palette, &video->line);
    return run_join_program(video, "given its colours", error);
}

/// Checks that the joined video has all frames.
static qd_status check_joined_count(const qd_video *video, qd_error *error) {
    uint64_t found = 0;
    qd_status status = qdi_video_count(video->part, &found, error);
    if (status == QD_OK && found != video->frames) {
        if (error)
            (void)snprintf(error->text, sizeof error->text,
                           "the video would have %" PRIu64 " of %" PRIu64 " frames", found, video->frames);
        status = QD_ERR_STATE;
    }
    return status == QD_OK || status == QD_ERR_IO ? status : QD_ERR_STATE;
}

/// Checks that one decoder can read all segments one after the other. Those of another ffmpeg, with which the
/// run was begun, may differ, and a video of both would be broken from there on.
static qd_status check_segment_setups(const qd_video *video, const qdi_segments *segments, qd_error *error) {
    qdi_matroska first = {0, 0};
    for (size_t i = 0; i < segments->count; ++i) {
        char path[QDI_PATH_MAX];
        qdi_matroska found;
        qd_status status = qdi_path_join(video->directory,
                                         qdi_segment_name_of(segments->items[i], "mkv").text, path);
        if (status == QD_OK) status = qdi_matroska_inspect(path, &found, error);
        if (status != QD_OK) return QD_ERR_STATE;
        if (i == 0) first = found;
        if (found.setup == first.setup) continue;
        if (error)
            (void)snprintf(error->text, sizeof error->text,
                           "the video could not be joined: its parts are of different ffmpegs (%.300s)",
                           path);
        return QD_ERR_STATE;
    }
    return QD_OK;
}

/// Joins the segments with ffmpeg.
static qd_status join_with_ffmpeg(qd_video *video, const qdi_segments *segments, qd_error *error) {
    char path[QDI_PATH_MAX];
    qd_status status = qdi_path_join(video->directory, list, path);
    if (status == QD_OK) status = check_segment_setups(video, segments, error);
    if (status == QD_OK) status = write_segment_list(video, segments, path, error);
    bool colours = video->encoding.format->kind == QDI_VIDEO_GIF && video->rgb;
    if (status == QD_OK && colours) status = make_gif_palette(video, error);
    if (status != QD_OK) return status;
    qdi_join_line(&video->encoding, list, colours ? palette : NULL, &video->provenance, video->part,
                  &video->line);
    status = run_join_program(video, "joined", error);
    if (status == QD_OK) status = check_joined_count(video, error);
    return status == QD_OK ? qdi_file_sync(video->part, error) : status;
}

/// Joins segments that are animated PNGs.
static qd_status join_apng_segments(const qd_video *video, const qdi_segments *segments, qd_error *error) {
    qdi_apng_joint joint;
    qd_status status = qdi_apng_join_begin(video->allocator, video->part, video->frames, &joint, error);
    if (status != QD_OK) return status;
    for (size_t i = 0; status == QD_OK && i < segments->count; ++i) {
        char path[QDI_PATH_MAX];
        status = qdi_path_join(video->directory, qdi_segment_name_of(segments->items[i], "png").text, path);
        if (status == QD_OK) status = qdi_apng_join_add(&joint, path, error);
    }
    if (status == QD_OK) return qdi_apng_join_end(&joint, error);
    qdi_apng_join_discard(&joint);
    return status;
}

/// True where the segments have all frames, each once.
static bool segments_are_whole(const qd_video *video, const qdi_segments *segments) {
    uint64_t next = 0;
    for (size_t i = 0; i < segments->count; ++i) {
        if (segments->items[i].first != next) return false;
        next = segments->items[i].last + 1;
    }
    return next == video->frames;
}

// ---- its name ----

static const char joined_name[] = "joined.txt";

/// Joined video: the hash of all bytes of a file.
static qd_status hash_file(const char *path, uint64_t *hash, qd_error *why) {
    unsigned char data[1 << 16];
    FILE *file = NULL;
    qd_status status = qdi_os_open(path, QDI_OS_OWN, &file, why);
    *hash = 0;
    if (status != QD_OK) return status;
    for (size_t got; (got = fread(data, 1, sizeof data, file)) > 0;) *hash = qd_hash_seeded(data, got, *hash);
    bool read = !ferror(file);
    (void)fclose(file);
    return read ? QD_OK : QD_ERR_IO;
}

bool qdi_video_is_joined(const char *directory, const char *file, uint64_t *frames) {
    char path[QDI_PATH_MAX];
    FILE *note = NULL;
    if (qdi_path_join(directory, joined_name, path) != QD_OK ||
        qdi_os_open(path, QDI_OS_OWN, &note, NULL) != QD_OK)
        return false;
    uint64_t count = 0, noted = 0, hash = 0;
    bool good = fscanf(note, "%20" SCNu64 " %16" SCNx64, &count, &noted) == 2;
    (void)fclose(note);
    if (!good || hash_file(file, &hash, NULL) != QD_OK || hash != noted) return false;
    if (frames) *frames = count;
    return true;
}

/// Notes what the video is, before it takes its name: a run that is resumed after a kill between that and the
/// end of the run knows it again.
static qd_status note_joined_video(const qd_video *video, qd_error *error) {
    char path[QDI_PATH_MAX], part[QDI_PATH_MAX], line[64];
    uint64_t hash = 0;
    qd_status status = qdi_path_join(video->directory, joined_name, path);
    if (status == QD_OK) status = qdi_path_join(video->directory, "joined.txt.part", part);
    if (status == QD_OK) status = hash_file(video->part, &hash, error);
    if (status != QD_OK) return status;
    int bytes = snprintf(line, sizeof line, "%" PRIu64 " %016" PRIx64 "\n", video->frames, hash);
    return qdi_os_write_file(part, path, line, (size_t)bytes, error);
}

/// Gives the joined video its name. A file of that name stays, unless it may be replaced.
static qd_status name_joined_video(const qd_video *video, qd_error *error) {
    if (!video->replace) return qdi_os_rename_new(video->part, video->file, error);
    qd_status status = qdi_file_rename(video->part, video->file, error);
    return status == QD_OK ? qdi_os_sync_parent(video->file, error) : status;
}

/// Joins the segments to a video.
static qd_status join_segments(qd_video *video, const qdi_segments *segments, qd_error *error) {
    if (!segments_are_whole(video, segments)) {
        if (error)
            (void)snprintf(error->text, sizeof error->text, "%.300s does not hold all of the video's frames",
                           video->directory);
        return QD_ERR_STATE;
    }
    uint64_t there = 0;
    if (!video->replace && qdi_video_is_joined(video->directory, video->file, &there) &&
        there == video->frames)
        return QD_OK; // a process that was killed then has come so far
    // Whom a killed process has left behind at this may still write to it: not to the one that is made now.
    qdi_file_remove(video->part);
    qd_status status = video->encoding.format->kind == QDI_VIDEO_APNG
                           ? join_apng_segments(video, segments, error)
                           : join_with_ffmpeg(video, segments, error);
    if (status == QD_OK) status = note_joined_video(video, error);
    if (status == QD_OK) status = name_joined_video(video, error);
    if (status != QD_OK) qdi_file_remove(video->part);
    return status;
}

/// Finds out whether a lossless segment is in true colour. Its frames are PNG files as they are: the first
/// one's header says it, behind its sizes and depth.
static qd_status segment_is_true_colour(const char *path, bool *rgb, qd_error *error) {
    enum { LOOK = 1 << 15, KIND = 13, TRUE_COLOUR = 2 };
    unsigned char data[LOOK];
    FILE *file = NULL;
    size_t bytes = qdi_os_open(path, QDI_OS_OWN, &file, NULL) == QD_OK ? fread(data, 1, sizeof data, file)
                                                                       : 0;
    if (file) (void)fclose(file);
    for (size_t i = 0; i + KIND < bytes; ++i) {
        if (memcmp(data + i, "IHDR", 4) != 0) continue;
        *rgb = data[i + KIND] == TRUE_COLOUR;
        return QD_OK;
    }
    if (error) (void)snprintf(error->text, sizeof error->text, "%.400s is damaged", path);
    return QD_ERR_STATE;
}

/// Finds the kind of the first segment's frames: this process may have made none.
static qd_status detect_segment_kind(qd_video *video, const qdi_segments *segments, qd_error *error) {
    if (video->encoding.format->kind != QDI_VIDEO_GIF || segments->count == 0) return QD_OK;
    char path[QDI_PATH_MAX];
    qd_status status = qdi_path_join(video->directory, qdi_segment_name_of(segments->items[0], "mkv").text,
                                     path);
    return status == QD_OK ? segment_is_true_colour(path, &video->rgb, error) : status;
}

qd_status qd_video_finish(qd_video *video, uint64_t *frames, qd_error *error) {
    QDI_RESTORED qdi_arithmetic caller = qdi_arithmetic_standard();
    qd_status status = qd_video_cut(video, error);
    if (status != QD_OK) return status;
    qd_error reason = {""};
    qdi_segments segments;
    if (video->frames == 0) {
        status = QD_ERR_VALUE;
        (void)snprintf(reason.text, sizeof reason.text, "a video needs a frame");
    } else {
        status = qdi_segments_find(video->allocator, video->directory, &segments, &reason);
    }
    if (status == QD_OK) {
        status = detect_segment_kind(video, &segments, &reason);
        if (status == QD_OK) status = join_segments(video, &segments, &reason);
        qdi_segments_free(&segments);
    }
    if (status != QD_OK) (void)qdi_video_fail(video, status, reason.text);
    if (status != QD_OK && error) *error = video->reason;
    if (frames) *frames = video->frames;
    return status;
}
