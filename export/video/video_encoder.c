#include "export/video/video_encoder.h"

#include <ctype.h>
#include <inttypes.h>
#include <math.h>
#include <quadrille/video.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static const qdi_video_format formats[] = {
    {".mp4", "mp4", QDI_VIDEO_STREAM, "libx264 libvpx-vp9 mpeg4 ", NULL, true, true},
    {".m4v", "mp4", QDI_VIDEO_STREAM, "libx264 mpeg4 ", NULL, false, true},
    {".mov", "mov", QDI_VIDEO_STREAM, "libx264 mpeg4 ", "prores_ks qtrle ", false, true},
    {".mkv", "matroska", QDI_VIDEO_STREAM, "libx264 libvpx-vp9 mpeg4 ", NULL, true, false},
    {".webm", "webm", QDI_VIDEO_STREAM, "libvpx-vp9 libvpx ", "libvpx-vp9 libvpx ", true, false},
    {".gif", "gif", QDI_VIDEO_GIF, "gif ", NULL, false, false},
    {".png", "apng", QDI_VIDEO_APNG, "", "", false, false},
    {".apng", "apng", QDI_VIDEO_APNG, "", "", false, false},
};

const char *qdi_encoder_names(const qdi_encoding *encoding) {
    if (encoding->av1) return "libsvtav1 libaom-av1 ";
    return encoding->transparent ? encoding->format->clear : encoding->format->encoders;
}

const char *qd_video_refused(const char *file, bool av1, bool transparent) {
    const qdi_video_format *format = qdi_video_format_of(file);
    if (av1 && transparent) return "AV1 has no transparent background";
    if (av1 && !format->av1) return "AV1 goes into .mp4, .mkv or .webm";
    if (transparent && !format->clear) return "a transparent background goes into .webm, .mov, .png or .apng";
    return NULL;
}

const char *qd_video_endings(void) {
    return ".mp4, .m4v, .mov, .mkv, .webm, .gif, .png or .apng";
}

/// Video's encoder: true where two words are the same but for capitals.
static bool same_ignoring_case(const char *a, const char *b) {
    while (*a && tolower((unsigned char)*a) == tolower((unsigned char)*b)) ++a, ++b;
    return *a == *b;
}

const qdi_video_format *qdi_video_format_of(const char *file) {
    const char *slash = strrchr(file, '/'), *name = slash ? slash + 1 : file, *dot = strrchr(name, '.');
    if (!dot || dot == name) return NULL;
    for (size_t i = 0; i < sizeof formats / sizeof formats[0]; ++i)
        if (same_ignoring_case(dot, formats[i].ending)) return &formats[i];
    return NULL;
}

bool qd_video_is_known(const char *file) {
    return file && qdi_video_format_of(file) != NULL;
}

/// Video's encoder: a continued fraction, as far as both numbers stay below 65536.
qdi_rate qdi_rate_of(double fps) {
    const double most = 65535;
    double num = 1, den = 0, num_before = 0, den_before = 1, rest = fps;
    for (int i = 0; i < 32; ++i) {
        double whole = floor(rest), n = whole * num + num_before, d = whole * den + den_before;
        if (n > most || d > most) break;
        num_before = num;
        den_before = den;
        num = n;
        den = d;
        if (rest - whole < 1e-9 || fabs(num / den - fps) <= 1e-12 * fps) break;
        rest = 1 / (rest - whole);
    }
    if (num < 1) return (qdi_rate){1, 65535};
    return (qdi_rate){(uint32_t)num, (uint32_t)den};
}

// Adds an argument for ffmpeg.
void qdi_arguments_add(qdi_arguments *arguments, const char *text) {
    qdi_arguments_format(arguments, "%s", text);
}

// Adds a formatted argument for ffmpeg.
void qdi_arguments_format(qdi_arguments *arguments, const char *format, ...) {
    const size_t most = sizeof arguments->items / sizeof arguments->items[0];
    size_t room = sizeof arguments->text - arguments->used;
    va_list values;
    va_start(values, format);
    int length = vsnprintf(arguments->text + arguments->used, room, format, values);
    va_end(values);
    if (length < 0 || (size_t)length >= room || arguments->count + 1 >= most) {
        arguments->full = true;
        return;
    }
    arguments->items[arguments->count++] = arguments->text + arguments->used;
    arguments->items[arguments->count] = NULL;
    arguments->used += (size_t)length + 1;
}

/// Video's encoder: adds several arguments at once: words with a blank between.
static void add_argument_words(qdi_arguments *line, const char *words) {
    while (*words) {
        int length = (int)strcspn(words, " ");
        qdi_arguments_format(line, "%.*s", length, words);
        words += length;
        words += strspn(words, " ");
    }
}

/// Begins a command line of ffmpeg.
static void start_ffmpeg_line(qdi_arguments *line) {
    line->count = line->used = 0;
    line->full = false;
    add_argument_words(line, "ffmpeg -hide_banner -nostdin -nostats -loglevel error");
}

/// Video's encoder: adds the arguments of x264.
static void add_x264_arguments(const qdi_encoding *encoding, qdi_arguments *line) {
    qdi_arguments_add(line, "-preset");
    qdi_arguments_add(line, qd_video_preset_name(encoding->settings.preset));
    qdi_arguments_add(line, "-crf");
    qdi_arguments_format(line, "%d", encoding->settings.crf);
}

/// Video's encoder: adds the arguments of libvpx.
/// Its scale goes to 63 and begins to show losses later. As slow as asked for: 0 is the slowest.
static void add_vpx_arguments(const qdi_encoding *encoding, qdi_arguments *line) {
    int crf = encoding->settings.crf, preset = (int)encoding->settings.preset;
    bool live = preset <= QD_VIDEO_SUPERFAST;
    int speed = live ? 8 - preset : preset >= QD_VIDEO_SLOWER ? 0 : 7 - preset;
    qdi_arguments_add(line, "-crf");
    qdi_arguments_format(line, "%d", crf == 0 ? 4 : crf + 12 > 63 ? 63 : crf + 12);
    // The rate that must not be passed; 0 is "none" to the newer of the two only.
    add_argument_words(line, strcmp(encoding->encoder, "libvpx") == 0 ? "-b:v 100M" : "-b:v 0 -row-mt 1");
    add_argument_words(line, live ? "-deadline realtime" : "-deadline good");
    qdi_arguments_add(line, "-cpu-used");
    qdi_arguments_format(line, "%d", speed);
}

/// Video's encoder: adds the arguments of MPEG-4, whose scale of quality is 2 to 31.
static void add_mpeg4_arguments(const qdi_encoding *encoding, qdi_arguments *line) {
    int quality = encoding->settings.crf / 6;
    qdi_arguments_add(line, "-q:v");
    qdi_arguments_format(line, "%d", quality < 2 ? 2 : quality);
}

/// Adds the arguments of AV1. SVT counts its speeds to 13, libaom to 8.
static void add_av1_arguments(const qdi_encoding *encoding, qdi_arguments *line) {
    const bool svt = strcmp(encoding->encoder, "libsvtav1") == 0;
    const int slow = (int)encoding->settings.preset, crf = encoding->settings.crf;
    qdi_arguments_add(line, svt ? "-preset" : "-cpu-used");
    qdi_arguments_format(line, "%d", svt ? 12 - slow : slow < 2 ? 8 : 10 - slow);
    if (!svt) add_argument_words(line, "-b:v 0 -row-mt 1");
    qdi_arguments_add(line, "-crf");
    qdi_arguments_format(line, "%d", crf == 0 ? 4 : crf + 12 > 63 ? 63 : crf + 12);
}

/// Adds the arguments that convert colours to those of a video and say so in the file: players otherwise
/// guess by the picture's size.
static void add_yuv_arguments(const char *format, qdi_arguments *line) {
    qdi_arguments_add(line, "-vf");
    qdi_arguments_format(line, "scale=out_color_matrix=bt709:out_range=tv,format=%s", format);
    add_argument_words(line, "-color_primaries bt709 -color_trc bt709 -colorspace bt709 -color_range tv");
}

/// Adds the arguments of the encoder, and of its colours.
static void add_encoder_arguments(const qdi_encoding *encoding, qdi_arguments *line) {
    const char *encoder = encoding->encoder;
    qdi_arguments_add(line, encoder);
    if (strcmp(encoder, "qtrle") == 0) {
        add_argument_words(line, "-vf format=argb");
        return;
    }
    if (strcmp(encoder, "prores_ks") == 0) {
        add_argument_words(line, "-profile:v 4444 -alpha_bits 16 -vendor apl0");
        add_yuv_arguments("yuva444p10le", line);
        return;
    }
    if (encoding->av1)
        add_av1_arguments(encoding, line);
    else if (strcmp(encoder, "libx264") == 0)
        add_x264_arguments(encoding, line);
    else if (strcmp(encoder, "mpeg4") == 0)
        add_mpeg4_arguments(encoding, line);
    else
        add_vpx_arguments(encoding, line);
    if (encoding->transparent) add_argument_words(line, "-auto-alt-ref 0");
    add_yuv_arguments(encoding->transparent ? "yuva420p" : "yuv420p", line);
}

void qdi_encode_line(const qdi_encoding *encoding, bool rgb, const char *path, qdi_arguments *line) {
    start_ffmpeg_line(line);
    add_argument_words(line, "-f rawvideo -pixel_format");
    qdi_arguments_add(line, rgb ? "rgb24" : "pal8");
    qdi_arguments_add(line, "-video_size");
    qdi_arguments_format(line, "%dx%d", encoding->width, encoding->height);
    qdi_arguments_add(line, "-framerate");
    qdi_arguments_format(line, "%" PRIu32 "/%" PRIu32, encoding->rate.num, encoding->rate.den);
    add_argument_words(line, "-i pipe:0 -c:v");
    if (encoding->format->kind == QDI_VIDEO_GIF)
        qdi_arguments_add(line, "png");
    else
        add_encoder_arguments(encoding, line);
    add_argument_words(line, "-y -f matroska");
    if (path)
        qdi_arguments_format(line, "file:%s", path);
    else
        qdi_arguments_add(line, "pipe:1");
}

/// Adds the arguments that read a list of segments.
static void add_list_arguments(const char *list, qdi_arguments *line) {
    start_ffmpeg_line(line);
    add_argument_words(line, "-f concat -i");
    qdi_arguments_format(line, "file:%s", list);
}

/// Adds the arguments that write the video's origin into the file.
static void add_provenance_arguments(const qd_provenance *provenance, qdi_arguments *line) {
    if (!provenance->scene) return;
    qdi_arguments_add(line, "-metadata");
    qdi_arguments_format(line, "title=%.200s", provenance->scene);
    qdi_arguments_add(line, "-metadata");
    qdi_arguments_format(line, "comment=Quadrille %s, scene %.200s, scene hash %016" PRIx64 ", seed %" PRIu64,
                         QD_VERSION, provenance->scene, provenance->scene_hash, provenance->seed);
}

void qdi_join_line(const qdi_encoding *encoding, const char *list, const char *palette,
                   const qd_provenance *provenance, const char *path, qdi_arguments *line) {
    const qdi_video_format *format = encoding->format;
    add_list_arguments(list, line);
    if (palette) {
        qdi_arguments_add(line, "-i");
        qdi_arguments_format(line, "file:%s", palette);
        add_argument_words(line, "-lavfi paletteuse");
    }
    add_argument_words(line, format->kind == QDI_VIDEO_GIF ? "-c:v gif -loop 0" : "-map 0:v:0 -c copy");
    // Segments count in milliseconds; the nearest frame to each is the one that was meant.
    if (format->exact) {
        qdi_arguments_add(line, "-video_track_timescale");
        qdi_arguments_format(line, "%" PRIu32, encoding->rate.num);
        add_argument_words(line, "-movflags +faststart");
    }
    add_provenance_arguments(provenance, line);
    add_argument_words(line, "-y -f");
    qdi_arguments_add(line, format->muxer);
    qdi_arguments_format(line, "file:%s", path);
}

void qdi_palette_line(const char *list, const char *path, qdi_arguments *line) {
    add_list_arguments(list, line);
    add_argument_words(
        line,
        "-vf palettegen=stats_mode=full:reserve_transparent=0 -frames:v 1 -y -c:v png -f image2 -update 1");
    qdi_arguments_format(line, "file:%s", path);
}
