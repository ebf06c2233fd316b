#pragma once

#include "export/image/apng.h"
#include "export/image/manifest.h"
#include "export/process/os.h"
#include "export/video/video_encoder.h"

#include <quadrille/video.h>

/// Inside of a video in the making, for the files that make it.

enum { QDI_VIDEO_NOTE = 512 };

struct qd_video {
    const qd_allocator *allocator;
    char file[QDI_PATH_MAX], part[QDI_PATH_MAX]; ///< the video, and its name while it is written
    char directory[QDI_PATH_MAX];
    qdi_encoding encoding;
    char encoder[32];
    bool replace, true_colour, folder_comes;
    char note[QDI_VIDEO_NOTE];
    char *scene; ///< its name, or NULL
    size_t scene_bytes;
    qd_provenance provenance;
    int width, height; ///< of a frame
    uint64_t frames;   ///< that were added, dropped ones too
    qd_status failure; ///< sticks
    qd_error reason;

    // The segment that is being written.
    bool open;
    uint64_t first; ///< its first frame
    bool rgb;       ///< of what its frames are
    char segment[QDI_PATH_MAX];
    qdi_child child;
    qdi_apng *apng;
    qdi_apng_format apng_format;
    uint8_t clear[256][3], alpha[256]; ///< the last frame's palette without its background
    uint8_t *stage;                    ///< a frame as ffmpeg gets it, or as red, green, blue
    size_t stage_bytes;
    uint8_t *wide; ///< a frame with a palette in true colour; NULL until one is needed
    qdi_arguments line;
};

/// A frame in memory. Rows come top first, without gaps; a pixel is an index of `rgb`, or where that is NULL
/// three bytes.
typedef struct qdi_video_picture {
    int width, height;
    const uint8_t *pixels;
    const uint8_t (*rgb)[3];
    int colours;
    const uint8_t *alpha; ///< of the colours; NULL: all are opaque
} qdi_video_picture;

/// Adds a frame. A failure stays and is returned by qd_video_cut. Meant for a frame writer, which calls it
/// in the order of the frames.
void qdi_video_push(qd_video *video, const qdi_video_picture *picture);

/// The same for others: returns the failure at once, with its reason (`error` may be NULL).
QD_MUST_USE qd_status qdi_video_add(qd_video *video, const qdi_video_picture *picture, qd_error *error);

/// Notes why nothing more can be done, once. Returns the failure.
qd_status qdi_video_fail(qd_video *video, qd_status status, const char *why);

/// What ffmpeg's words mean: QD_ERR_IO where it found no room, else QD_ERR_STATE; with "ffmpeg: ..." in
/// `why`.
qd_status qdi_video_encoder_fault(const qdi_child *child, char *why, size_t bytes);

/// Whether `file` is, byte for byte, a video that was joined from the segments in `directory`: a process that
/// was killed after it has left its number of frames (`frames` may be NULL) and a hash there. A link is none.
/// Reads the whole file.
bool qdi_video_is_joined(const char *directory, const char *file, uint64_t *frames);

/// "mkv" or "png".
const char *qdi_video_segment_ending(const qd_video *video);
