// Which encoder there is, found out by asking ffmpeg and then by letting it work.

#include "core/base/memory.h"
#include "export/process/os.h"
#include "export/video/video_encoder.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ANSWER_ROOM = 1 << 16, PROBE_SECONDS = 60, COUNT_SECONDS = 3600, REASON_ROOM = 256 };

/// Writes why there is no encoder, and both ways out.
static qd_status no_encoder_reason(const qdi_encoding *encoding, const char *why, qd_error *error) {
    const char *names = qdi_encoder_names(encoding);
    if (error)
        (void)snprintf(
            error->text, sizeof error->text,
            "%.250s: install ffmpeg with %.*s, or let the video's name end in .png: an animated PNG needs no "
            "ffmpeg",
            why, (int)strcspn(names, " "), names);
    return QD_ERR_NOT_FOUND;
}

/// Video's probe: runs a program to its end. False: it could not be started or failed; why is in `reason`.
static bool run_probe_program(const char *const *arguments, char *answer, char *reason, size_t bytes) {
    qdi_child child;
    qd_error error = {""};
    if (qdi_child_start(arguments, NULL, answer, ANSWER_ROOM, &child, &error) != QD_OK) {
        (void)snprintf(reason, bytes, "%.200s", error.text);
        return false;
    }
    if (qdi_child_end(&child, PROBE_SECONDS)) return true;
    char words[REASON_ROOM];
    qdi_child_reason(&child, words, sizeof words);
    (void)snprintf(reason, bytes, "%s: %.200s", arguments[0], words);
    return false;
}

/// True where the list that `ffmpeg -encoders` prints has a name: it is second in its line.
static bool encoder_is_listed(const char *answer, const char *name, size_t length) {
    for (const char *line = answer; *line; line += strcspn(line, "\n"), line += *line == '\n') {
        const char *word = line + strspn(line, " ");
        word += strcspn(word, " \n");
        word += strspn(word, " ");
        if (strncmp(word, name, length) == 0 && word[length] == ' ') return true;
    }
    return false;
}

/// Tries an encoder: ffmpeg encodes one black picture, and the result is thrown away.
static bool try_encoder(const qdi_encoding *encoding, qdi_arguments *line, char *reason, size_t bytes) {
    static const unsigned char black[1 << 16];
    qdi_child child;
    qd_error error = {""};
    qdi_encode_line(encoding, false, NULL, line);
    if (qdi_child_start(line->items, NULL, NULL, 0, &child, &error) != QD_OK) {
        (void)snprintf(reason, bytes, "%.200s", error.text);
        return false;
    }
    size_t left = (size_t)encoding->width * (size_t)encoding->height + 1024;
    qd_status status = QD_OK;
    while (left > 0 && status == QD_OK) {
        size_t part = left < sizeof black ? left : sizeof black;
        status = qdi_child_write(&child, black, part);
        left -= part;
    }
    bool content = qdi_child_end(&child, PROBE_SECONDS);
    if (content && status == QD_OK) return true;
    char words[REASON_ROOM];
    qdi_child_reason(&child, words, sizeof words);
    (void)snprintf(reason, bytes, "ffmpeg cannot start %s: %.150s", encoding->encoder, words);
    return false;
}

/// Tries the encoders that would do, the best first.
static qd_status choose_encoder(qdi_encoding *encoding, const char *wanted, const char *answer,
                                qdi_arguments *line, char found[32], qd_error *error) {
    char reason[REASON_ROOM] = "";
    bool listed = false;
    const char *names = qdi_encoder_names(encoding);
    for (size_t length; *names; names += length + 1) {
        length = strcspn(names, " ");
        if (wanted && (strlen(wanted) != length || strncmp(wanted, names, length) != 0)) continue;
        if (!encoder_is_listed(answer, names, length)) continue;
        if (encoding->format->kind == QDI_VIDEO_GIF && !encoder_is_listed(answer, "png", 3)) continue;
        (void)snprintf(found, 32, "%.*s", (int)length, names);
        encoding->encoder = found;
        listed = true;
        if (try_encoder(encoding, line, reason, sizeof reason)) return QD_OK;
    }
    encoding->encoder = NULL;
    if (!listed)
        (void)snprintf(reason, sizeof reason, "ffmpeg has no encoder for %s%s (%.*s)",
                       encoding->av1           ? "AV1 in "
                       : encoding->transparent ? "transparent "
                                               : "",
                       encoding->format->ending, (int)strlen(qdi_encoder_names(encoding)) - 1,
                       qdi_encoder_names(encoding));
    if (!listed && wanted) (void)snprintf(reason, sizeof reason, "ffmpeg has no %.60s", wanted);
    return no_encoder_reason(encoding, reason, error);
}

typedef struct probe_room {
    char answer[ANSWER_ROOM];
    qdi_arguments line;
} probe_room;

qd_status qdi_encoder_find(const qd_allocator *allocator, qdi_encoding *encoding, const char *wanted,
                           char found[32], qd_error *error) {
    static const char *const question[] = {"ffmpeg", "-hide_banner", "-loglevel", "error", "-encoders", NULL};
    char reason[REASON_ROOM];
    probe_room *room = qdi_allocate(allocator, 1, sizeof *room);
    if (!room) return QD_ERR_MEMORY;
    qd_status status = run_probe_program(question, room->answer, reason, sizeof reason)
                           ? choose_encoder(encoding, wanted, room->answer, &room->line, found, error)
                           : no_encoder_reason(encoding, reason, error);
    qdi_release(allocator, room, 1, sizeof *room);
    return status;
}

/// Reads ffprobe's number of frames; the last of ffmpeg's progress reports has "frame=N" among others.
static bool read_frame_count(const char *answer, const char *key, uint64_t *frames) {
    const char *at = answer, *last = key[0] ? NULL : answer;
    while (key[0] && (at = strstr(at, key)) != NULL) last = at += strlen(key);
    if (!last) return false;
    char *end;
    unsigned long long value = strtoull(last, &end, 10);
    *frames = value;
    return end > last;
}

/// Counts a video's frames with a program.
static qd_status count_frames_with(const char *const *arguments, const char *key, uint64_t *frames,
                                   qd_error *error) {
    char answer[64], words[REASON_ROOM] = "it says no number";
    qdi_child child;
    qd_status status = qdi_child_start(arguments, NULL, answer, sizeof answer, &child, error);
    if (status != QD_OK) return status;
    bool content = qdi_child_end(&child, COUNT_SECONDS);
    if (content && read_frame_count(key[0] ? child.words : answer, key, frames)) return QD_OK;
    if (!content) qdi_child_reason(&child, words, sizeof words);
    if (error)
        (void)snprintf(error->text, sizeof error->text, "%s cannot count the frames: %.200s", arguments[0],
                       words);
    return QD_ERR_STATE;
}

qd_status qdi_video_count(const char *path, uint64_t *frames, qd_error *error) {
    char file[QDI_PATH_MAX + 16];
    (void)snprintf(file, sizeof file, "file:%s", path);
    const char *const first[] = {"ffprobe",
                                 "-v",
                                 "error",
                                 "-select_streams",
                                 "v:0",
                                 "-count_packets",
                                 "-show_entries",
                                 "stream=nb_read_packets",
                                 "-of",
                                 "csv=p=0",
                                 file,
                                 NULL};
    const char *const second[] = {"ffmpeg",    "-hide_banner", "-nostdin", "-nostats", "-loglevel", "error",
                                  "-progress", "pipe:2",       "-i",       file,       "-map",      "0:v:0",
                                  "-c",        "copy",         "-f",       "null",     "-",         NULL};
    qd_status status = count_frames_with(first, "", frames, error);
    if (status != QD_ERR_NOT_FOUND) return status;
    if (error) error->text[0] = '\0';
    return count_frames_with(second, "frame=", frames, error);
}
