// A video is used by one thread at a time. A frame writer's worker adds frames; its owner cuts and finishes,
// but only after the writer was drained, which orders the two.

#include "core/base/arithmetic.h"
#include "export/video/video_impl.h"

#include "core/base/cookie.h"
#include "core/base/memory.h"
#include "export/raster/palette.h"
#include "export/video/matroska.h"
#include "export/video/video_segments.h"
#include "sim/files/os.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { SIDE_MAX = 16384, SEGMENT_SECONDS = 600, PALETTE_BYTES = 1024 };

/// Viewers show no GIF faster than this: they take a shorter delay for a mistake, and make it a tenth of a
/// second.
static const double gif_fps_max = 50;

qd_video_def qd_video_def_default(void) {
    return (qd_video_def){.cookie = QDI_COOKIE, .settings = qd_video_settings_default()};
}

/// Writes why a video is refused: `what` and, before it, the path that it is about, if any.
static qd_status refuse_video(qd_status status, qd_error *error, const char *path, const char *what) {
    if (error) (void)snprintf(error->text, sizeof error->text, "%.300s%s%s", path, path[0] ? " " : "", what);
    return status;
}

/// True where a video's settings are within their ranges.
static bool video_settings_valid(const qd_video_settings *settings) {
    return settings->fps > 0 && settings->fps <= QD_VIDEO_FPS_MAX && settings->crf >= 0 &&
           settings->crf <= QD_VIDEO_CRF_MAX && qd_video_preset_name(settings->preset);
}

/// Checks the def of a video.
static qd_status check_video_def(const qd_video_def *def, qd_error *error) {
    if (!def || def->cookie != QDI_COOKIE || !def->file || !def->directory) return QD_ERR_ARGUMENT;
    if (!qdi_video_format_of(def->file)) {
        if (error)
            (void)snprintf(error->text, sizeof error->text, "%.300s: a video's name ends in %s", def->file,
                           qd_video_endings());
        return QD_ERR_VALUE;
    }
    if (def->width < 1 || def->width > SIDE_MAX || def->height < 1 || def->height > SIDE_MAX)
        return refuse_video(QD_ERR_VALUE, error, "", "a video's frames are 1 to 16384 pixels wide and high");
    if (!video_settings_valid(&def->settings))
        return refuse_video(QD_ERR_VALUE, error, "",
                            "a video's rate is above 0 and at most 1000, its crf 0 to 51");
    const char *refused = qd_video_refused(def->file, def->av1, def->transparent);
    if (refused) return refuse_video(QD_ERR_VALUE, error, def->file, refused);
    if (strlen(def->file) > QDI_PATH_MAX - 64 || strlen(def->directory) > QDI_PATH_MAX - 64)
        return refuse_video(QD_ERR_VALUE, error, "", "the video's path is too long");
    return QD_OK;
}

/// Checks that the video's file can be made where it is to be, before any work is done for it.
static qd_status check_video_place(const qd_video *video, qd_error *error) {
    if (!video->replace && qdi_os_exists(video->file) &&
        !qdi_video_is_joined(video->directory, video->file, NULL))
        return refuse_video(QD_ERR_EXISTS, error, video->file, "exists; --force replaces it");
    if (qdi_os_is_directory(video->file))
        return refuse_video(QD_ERR_IO, error, video->file, "is a directory");
    if (video->folder_comes) return QD_OK;
    qd_status status = qdi_os_make_parents(video->file, error);
    if (status != QD_OK) return status;
    char folder[QDI_PATH_MAX];
    (void)snprintf(folder, sizeof folder, "%s", video->file);
    char *slash = strrchr(folder, '/');
    slash[slash == folder ? 1 : 0] = '\0';
    return qdi_directory_check(folder, error);
}

/// Adds a line to what is to be said about the video.
static void add_video_note(qd_video *video, const char *text) {
    size_t length = strlen(video->note);
    (void)snprintf(video->note + length, sizeof video->note - length, "%s%s", length > 0 ? "\n" : "", text);
}

/// Chooses the rate, the size that is encoded and the encoder, and notes what to say about them.
static qd_status plan_encoding(qd_video *video, const qd_video_def *def, qd_error *error) {
    qdi_encoding *encoding = &video->encoding;
    const qdi_video_format *format = encoding->format;
    char text[160];
    if (format->kind == QDI_VIDEO_GIF && encoding->settings.fps > gif_fps_max) {
        (void)snprintf(text, sizeof text, "a GIF shows at most 50 frames in a second: %.6g become 50",
                       encoding->settings.fps);
        add_video_note(video, text);
        encoding->settings.fps = gif_fps_max;
    }
    encoding->rate = qdi_rate_of(encoding->settings.fps);
    if (format->kind == QDI_VIDEO_APNG) {
        (void)snprintf(video->encoder, sizeof video->encoder, "apng");
        encoding->encoder = video->encoder;
        return QD_OK;
    }
    if (format->kind == QDI_VIDEO_STREAM) {
        encoding->width = (video->width + 1) & ~1;
        encoding->height = (video->height + 1) & ~1;
    }
    if (encoding->width != video->width || encoding->height != video->height) {
        (void)snprintf(text, sizeof text, "the video is %d x %d: sizes must be even, and a border is added",
                       encoding->width, encoding->height);
        add_video_note(video, text);
    }
    qd_status status = qdi_encoder_find(video->allocator, encoding, def->encoder, video->encoder, error);
    const char *names = qdi_encoder_names(encoding);
    size_t best = strcspn(names, " ");
    if (status == QD_OK && !def->encoder && strncmp(video->encoder, names, best) != 0) {
        (void)snprintf(text, sizeof text, "ffmpeg has no usable %.*s: the video is encoded by %s", (int)best,
                       names, video->encoder);
        add_video_note(video, text);
    }
    return status;
}

/// Copies what the video says of its origin.
static qd_status copy_provenance(qd_video *video, const qd_provenance *provenance) {
    video->provenance = *provenance;
    if (!provenance->scene) return QD_OK;
    video->scene_bytes = strlen(provenance->scene) + 1;
    video->scene = qdi_allocate(video->allocator, video->scene_bytes, 1);
    if (!video->scene) return QD_ERR_MEMORY;
    memcpy(video->scene, provenance->scene, video->scene_bytes);
    video->provenance.scene = video->scene;
    return QD_OK;
}

/// Makes all that a video needs.
static qd_status prepare_video(qd_video *video, const qd_video_def *def, qd_error *error) {
    qd_status status = qdi_path_from_root(def->file, video->file, sizeof video->file - 16, error);
    if (status != QD_OK) return status;
    (void)snprintf(video->part, sizeof video->part, "%.*s.part", QDI_PATH_MAX - 16, video->file);
    (void)snprintf(video->directory, sizeof video->directory, "%s", def->directory);
    video->stage_bytes = 3 * (size_t)(video->width + 1) * (size_t)(video->height + 1) + PALETTE_BYTES;
    video->stage = qdi_allocate(video->allocator, video->stage_bytes, 1);
    if (!video->stage) return QD_ERR_MEMORY;
    status = copy_provenance(video, &def->provenance);
    if (status == QD_OK) status = check_video_place(video, error);
    if (status == QD_OK) status = plan_encoding(video, def, error);
    return status;
}

qd_status qd_video_create(const qd_video_def *def, qd_video **result, qd_error *error) {
    QDI_RESTORED qdi_arithmetic caller = qdi_arithmetic_standard();
    if (error) error->text[0] = '\0';
    if (!result) return QD_ERR_ARGUMENT;
    *result = NULL;
    qd_status status = check_video_def(def, error);
    if (status != QD_OK) return status;
    const qd_allocator *allocator = qdi_allocator_or_default(def->allocator);
    qd_video *video = qdi_allocate(allocator, 1, sizeof *video);
    if (!video) return QD_ERR_MEMORY;
    memset(video, 0, sizeof *video);
    video->allocator = allocator;
    video->encoding = (qdi_encoding){.format = qdi_video_format_of(def->file),
                                     .width = def->width,
                                     .height = def->height,
                                     .settings = def->settings,
                                     .av1 = def->av1,
                                     .transparent = def->transparent};
    video->width = def->width;
    video->height = def->height;
    video->replace = def->replace;
    video->true_colour = def->true_colour;
    video->folder_comes = def->folder_comes;
    video->child = (qdi_child){.in = -1, .out = -1, .err = -1};
    status = prepare_video(video, def, error);
    if (status == QD_OK)
        *result = video;
    else
        qd_video_destroy(video);
    return status;
}

void qd_video_begin_at(qd_video *video, uint64_t frames) {
    video->frames = frames;
}

const char *qd_video_encoder(const qd_video *video) {
    return video->encoder;
}

double qd_video_fps(const qd_video *video) {
    return video->encoding.settings.fps;
}

const char *qd_video_file(const qd_video *video) {
    return video->file;
}

const char *qd_video_note(const qd_video *video) {
    return video->note;
}

// ---- failing ----

qd_status qdi_video_fail(qd_video *video, qd_status status, const char *why) {
    if (video->failure != QD_OK) return video->failure;
    video->failure = status;
    (void)snprintf(video->reason.text, sizeof video->reason.text, "%s",
                   why[0] ? why : qd_status_text(status));
    return status;
}

qd_status qdi_video_encoder_fault(const qdi_child *child, char *why, size_t bytes) {
    static const char *const full[] = {"No space left on device", "Disk quota exceeded", "File too large"};
    char reason[320];
    qdi_child_reason(child, reason, sizeof reason);
    (void)snprintf(why, bytes, "ffmpeg: %s", reason);
    for (size_t i = 0; i < sizeof full / sizeof full[0]; ++i) {
        if (!strstr(child->words, full[i])) continue;
        (void)snprintf(why, bytes, "ffmpeg cannot write: %s", full[i]);
        return QD_ERR_IO;
    }
    return QD_ERR_STATE;
}

/// Ends an encoder that failed and keeps its reason.
static void fail_encoder(qd_video *video) {
    char why[400], line[480];
    (void)qdi_child_end(&video->child, 1);
    qd_status status = qdi_video_encoder_fault(&video->child, why, sizeof why);
    (void)snprintf(line, sizeof line, "the video failed at frame %" PRIu64 ": %s", video->frames, why);
    (void)qdi_video_fail(video, status, line);
}

// ---- adding frames ----

const char *qdi_video_segment_ending(const qd_video *video) {
    return video->encoding.format->kind == QDI_VIDEO_APNG ? "png" : "mkv";
}

/// Opens a segment as an animated PNG.
static qd_status open_apng_segment(qd_video *video, const qdi_video_picture *picture, qd_error *error) {
    const qdi_rate rate = video->encoding.rate;
    qdi_apng_format *format = &video->apng_format;
    char hash[24], seed[24];
    (void)snprintf(hash, sizeof hash, "%016" PRIx64, video->provenance.scene_hash);
    (void)snprintf(seed, sizeof seed, "%" PRIu64, video->provenance.seed);
    const qdi_png_text texts[] = {{"Software", "Quadrille " QD_VERSION},
                                  {"Scene", video->provenance.scene},
                                  {"Scene hash", hash},
                                  {"Seed", seed}};
    *format = (qdi_apng_format){.width = picture->width,
                                .height = picture->height,
                                .colours = picture->rgb ? picture->colours : 0,
                                .delay_num = (uint16_t)rate.den,
                                .delay_den = (uint16_t)rate.num,
                                .texts = texts,
                                .text_count = video->provenance.scene ? 4 : 1};
    if (picture->rgb) memcpy(format->rgb, picture->rgb, (size_t)picture->colours * 3);
    format->transparent = picture->alpha != NULL;
    if (picture->alpha) memcpy(format->alpha, picture->alpha, (size_t)picture->colours);
    return qdi_apng_create(video->allocator, video->segment, format, &video->apng, error);
}

/// Opens a segment of the video.
static qd_status open_segment(qd_video *video, const qdi_video_picture *picture) {
    char name[64];
    qd_error error = {""};
    (void)snprintf(name, sizeof name, "segment_%06" PRIu64 ".part", video->frames);
    qd_status status = qdi_os_make_directories(video->directory, &error);
    if (status == QD_ERR_EXISTS) status = qdi_os_check(video->directory, QDI_OS_DIRECTORY, &error);
    if (status == QD_OK) status = qdi_path_join(video->directory, name, video->segment);
    if (status != QD_OK) return qdi_video_fail(video, status, error.text);
    qdi_file_remove(video->segment); // the child of a killed process may still write to it
    video->rgb = !picture->rgb;
    video->first = video->frames;
    if (video->encoding.format->kind == QDI_VIDEO_APNG) {
        status = open_apng_segment(video, picture, &error);
    } else {
        qdi_encode_line(&video->encoding, video->rgb, video->segment, &video->line);
        status = video->line.full ? QD_ERR_VALUE
                                  : qdi_child_start(video->line.items, NULL, NULL, 0, &video->child, &error);
        if (status == QD_ERR_NOT_FOUND || (status == QD_ERR_IO && error.text[0])) status = QD_ERR_STATE;
    }
    if (status != QD_OK) return qdi_video_fail(video, status, error.text);
    video->open = true;
    return QD_OK;
}

/// Prepares a frame for ffmpeg.
/// A frame as ffmpeg gets it: with a border where the size is odd, and behind indices the palette, blue
/// first. Returns its size.
static size_t stage_frame(qd_video *video, const qdi_video_picture *picture) {
    const size_t depth = picture->rgb ? 1 : 3, width = (size_t)video->encoding.width * depth,
                 row = (size_t)picture->width * depth;
    uint8_t *to = video->stage;
    for (int y = 0; y < video->encoding.height; ++y, to += width) {
        // The border continues the picture's edge.
        int from = y < picture->height ? y : picture->height - 1;
        memcpy(to, picture->pixels + (size_t)from * row, row);
        if (width > row) memcpy(to + row, to + row - depth, depth);
    }
    if (!picture->rgb) return (size_t)(to - video->stage);
    memset(to, 0, PALETTE_BYTES);
    for (int i = 0; i < picture->colours; ++i) {
        const uint8_t *rgb = picture->rgb[i];
        const uint8_t entry[4] = {rgb[2], rgb[1], rgb[0], picture->alpha ? picture->alpha[i] : 255};
        memcpy(to + 4 * i, entry, sizeof entry);
    }
    return (size_t)(to - video->stage) + PALETTE_BYTES;
}

/// Video: adds a frame to an animated PNG.
static void push_apng_frame(qd_video *video, const qdi_video_picture *picture) {
    const qdi_apng_format *format = &video->apng_format;
    qd_error error = {""};
    bool same = (picture->rgb ? picture->colours : 0) == format->colours &&
                (!picture->rgb || memcmp(picture->rgb, format->rgb, (size_t)format->colours * 3) == 0);
    qd_status status = QD_ERR_VALUE;
    if (same)
        status = qdi_apng_add(video->apng, picture->pixels, &error);
    else
        (void)snprintf(error.text, sizeof error.text, "frame %" PRIu64 " has other colours than those before",
                       video->frames);
    if (status != QD_OK) (void)qdi_video_fail(video, status, error.text);
}

/// Takes the background out of a frame's palette.
static void clear_background(qd_video *video, qdi_video_picture *picture) {
    if (picture->rgb && qdi_palette_clear(picture->rgb, picture->colours, video->clear, video->alpha)) {
        picture->rgb = (const uint8_t(*)[3])video->clear;
        picture->alpha = video->alpha;
        return;
    }
    char line[128];
    (void)snprintf(line, sizeof line,
                   "frame %" PRIu64 " has not the palette of a frame: its background is not known",
                   video->frames);
    (void)qdi_video_fail(video, QD_ERR_CORRUPT, line);
}

/// Turns a frame with a palette into true colour, where frames have several palettes and the format has one
/// for all of them.
static void widen_frame(qd_video *video, qdi_video_picture *picture) {
    const size_t pixels = (size_t)picture->width * (size_t)picture->height;
    if (!video->wide) video->wide = qdi_allocate(video->allocator, 3 * pixels, 1);
    if (!video->wide) {
        (void)qdi_video_fail(video, QD_ERR_MEMORY, qd_status_text(QD_ERR_MEMORY));
        return;
    }
    for (size_t i = 0; i < pixels; ++i) memcpy(video->wide + 3 * i, picture->rgb[picture->pixels[i]], 3);
    picture->pixels = video->wide;
    picture->rgb = NULL;
    picture->colours = 0;
}

/// Whether a video has one palette for all frames.
static bool has_one_palette(const qd_video *video) {
    const qdi_video_kind kind = video->encoding.format->kind;
    return kind == QDI_VIDEO_APNG || kind == QDI_VIDEO_GIF;
}

void qdi_video_push(qd_video *video, const qdi_video_picture *picture) {
    qdi_video_picture clear = *picture;
    if (video->failure == QD_OK && video->encoding.transparent) {
        clear_background(video, &clear);
        picture = &clear;
    }
    if (video->failure == QD_OK && (picture->width != video->width || picture->height != video->height))
        (void)qdi_video_fail(video, QD_ERR_VALUE, "a frame has another size than the video");
    if (video->failure == QD_OK && video->true_colour && picture->rgb && has_one_palette(video)) {
        widen_frame(video, &clear);
        picture = &clear;
    }
    if (video->failure == QD_OK && !video->open) (void)open_segment(video, picture);
    if (video->failure == QD_OK && video->apng) {
        push_apng_frame(video, picture);
    } else if (video->failure == QD_OK) {
        size_t bytes = stage_frame(video, picture);
        if (!picture->rgb != video->rgb)
            (void)qdi_video_fail(video, QD_ERR_VALUE, "frames in true colour follow others");
        else if (qdi_child_write(&video->child, video->stage, bytes) != QD_OK)
            fail_encoder(video);
    }
    video->frames += 1;
}

// ---- cutting ----

/// Checks that a segment has all its frames: an encoder may report success when it has not.
static qd_status check_segment_frames(qd_video *video, qd_error *error) {
    uint64_t wanted = video->frames - video->first;
    qdi_matroska found;
    qd_error reason = {""};
    qd_status status = qdi_matroska_inspect(video->segment, &found, &reason);
    if (status == QD_OK && found.frames == wanted) return QD_OK;
    if (status == QD_OK)
        (void)snprintf(reason.text, sizeof reason.text, "ffmpeg wrote %" PRIu64 " of %" PRIu64 " frames",
                       found.frames, wanted);
    if (error) (void)snprintf(error->text, sizeof error->text, "the video failed: %.450s", reason.text);
    return QD_ERR_STATE;
}

/// Ends the encoder of a segment.
static qd_status end_segment_encoder(qd_video *video, qd_error *error) {
    char why[400];
    bool content = qdi_child_end(&video->child, SEGMENT_SECONDS);
    qd_status status = qdi_video_encoder_fault(&video->child, why, sizeof why);
    // It may say that it found no room, and be content all the same.
    if (content && status != QD_ERR_IO) return check_segment_frames(video, error);
    if (error)
        (void)snprintf(error->text, sizeof error->text, "the video failed at frame %" PRIu64 ": %s",
                       video->frames, why);
    return status;
}

/// Gives a whole segment its own name.
static qd_status name_segment(const qd_video *video, qd_error *error) {
    char path[QDI_PATH_MAX];
    const qdi_segment_name name = qdi_segment_name_of((qdi_segment){video->first, video->frames - 1},
                                                      qdi_video_segment_ending(video));
    qd_status status = qdi_path_join(video->directory, name.text, path);
    if (status == QD_OK) status = qdi_file_rename(video->segment, path, error);
    return status == QD_OK ? qdi_os_sync_directory(video->directory, error) : status;
}

/// Closes a segment of the video.
static qd_status close_segment(qd_video *video, qd_error *error) {
    qd_status status = QD_OK;
    video->open = false;
    if (video->apng) {
        status = qdi_apng_finish(video->apng, error);
        video->apng = NULL;
    } else {
        status = end_segment_encoder(video, error);
        if (status == QD_OK) status = qdi_file_sync(video->segment, error);
    }
    if (status == QD_OK) status = name_segment(video, error);
    if (status != QD_OK) qdi_file_remove(video->segment);
    return status;
}

qd_status qd_video_cut(qd_video *video, qd_error *error) {
    QDI_RESTORED qdi_arithmetic caller = qdi_arithmetic_standard();
    if (error) error->text[0] = '\0';
    if (!video) return QD_ERR_ARGUMENT;
    qd_error reason = {""};
    if (video->failure == QD_OK && video->open) {
        qd_status status = close_segment(video, &reason);
        if (status != QD_OK) (void)qdi_video_fail(video, status, reason.text);
    }
    if (video->failure != QD_OK && error) *error = video->reason;
    return video->failure;
}

void qd_video_destroy(qd_video *video) {
    if (!video) return;
    bool left = video->open;
    qdi_child_kill(&video->child);
    qdi_apng_discard(video->apng);
    if (left) qdi_file_remove(video->segment);
    qdi_release(video->allocator, video->stage, video->stage_bytes, 1);
    qdi_release(video->allocator, video->wide, 3 * (size_t)video->width * (size_t)video->height, 1);
    qdi_release(video->allocator, video->scene, video->scene_bytes, 1);
    qdi_release(video->allocator, video, 1, sizeof *video);
}
