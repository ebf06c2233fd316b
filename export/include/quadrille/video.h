#ifndef QUADRILLE_VIDEO_H
#define QUADRILLE_VIDEO_H

#include <quadrille/frame.h>
#include <quadrille/status.h>
#include <quadrille/video_settings.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

QD_BEGIN_DECLS

/// Makes a video of frames, through the program ffmpeg, or, as an animated PNG, by itself. Frames come from a
/// frame writer (its def's `video`) or from files (qd_video_add_file).
///
/// The video is made of segments: each is a file of its own in `directory`, whole once it is cut, and named
/// after the first and last frame in it. So a process that is killed loses no more than the segment that it
/// was at. In the end they are joined without being encoded again; the video's own name is taken only when
/// all frames are in it, counted again from what was written.
///
/// A failure of the encoder stays: later frames are counted and dropped, so that the caller can continue, and
/// qd_video_cut and qd_video_finish return it.
///
/// One thread at a time: a frame writer uses it until it is drained (flushed, finished or destroyed).

/// What a video is to be.
typedef struct qd_video_def {
    uint32_t cookie;       ///< set by qd_video_def_default; a def without it is refused
    const char *file;      ///< the video; its ending says what it is: qd_video_endings
    const char *directory; ///< for the segments; need not be there before the first frame comes
    int width, height;     ///< of the frames: 1..16384
    qd_video_settings settings;
    qd_provenance provenance; ///< goes into the video; `scene` NULL: nothing is known
    /// An encoder's name: no other will do, for the segments that are there are its; NULL: the best that
    /// there is.
    const char *encoder;
    bool av1; ///< AV1 rather than the format's usual encoder: .mp4, .mkv and .webm
    /// The background is left out, and edges that were blended to it have an alpha: .webm, .mov, .png and
    /// .apng. Frames must have a palette of this library.
    bool transparent;
    bool replace; ///< a file of that name may be there, and is replaced in the end; else it must be one that
                  ///< was joined of these segments
    bool folder_comes; ///< the folder that the file is to lie in is made before the video is finished
    bool true_colour;  ///< frames have several palettes: files become true colour, and so do other frames
                       ///< of an animated PNG or GIF, which has one for all
    const qd_allocator *allocator; ///< NULL: the C heap; called from the frame writer's threads too
} qd_video_def;

/// 60 frames a second, crf 18, veryfast; no file, no size.
QD_API qd_video_def qd_video_def_default(void);

/// ".mp4, .m4v, ...", for messages.
QD_API const char *qd_video_endings(void);

/// Whether a file's ending is one of them.
QD_API bool qd_video_is_known(const char *file);

/// Why a file cannot be a video in AV1, or a transparent one; NULL: it can. The ending must be known.
QD_API const char *qd_video_refused(const char *file, bool av1, bool transparent);

/// Finds an encoder and tries it with a picture of that size: what comes back can start. Nothing is written.
/// Errors: QD_ERR_VALUE (the ending, a size, a setting), QD_ERR_NOT_FOUND (no ffmpeg, or none with a usable
/// encoder: the reason names the ways out), QD_ERR_EXISTS, QD_ERR_IO (the video could not be written where it
/// is to be), QD_ERR_ARGUMENT, QD_ERR_MEMORY.
QD_API QD_MUST_USE qd_status qd_video_create(const qd_video_def *def, qd_video **video, qd_error *error);

/// The encoder, as ffmpeg calls it; "apng" is that of this library.
QD_API const char *qd_video_encoder(const qd_video *video);
/// Frames in a second: those of the settings, unless the format has no such rate.
QD_API double qd_video_fps(const qd_video *video);
/// The whole path of the file.
QD_API const char *qd_video_file(const qd_video *video);
/// What users should know, one sentence per line: another encoder than usual, a border, another rate; ""
/// where there is nothing.
QD_API const char *qd_video_note(const qd_video *video);

/// Says, before the first frame is added, how many there are in segments already.
QD_API void qd_video_begin_at(qd_video *video, uint64_t frames);

/// Adds a PNG file, of 8 bits indexed or in true colour. Errors: QD_ERR_NOT_FOUND, QD_ERR_CORRUPT (damaged,
/// or of another size), QD_ERR_MEMORY, and those of qd_video_cut.
QD_API QD_MUST_USE qd_status qd_video_add_file(qd_video *video, const char *path, qd_error *error);

/// Ends the present segment: all frames that were added are on the device then, and a run can be
/// resumed from them. Errors, which stay: QD_ERR_IO (the disk is full, ...), QD_ERR_STATE (the encoder
/// failed), QD_ERR_MEMORY; the reason in `error`.
QD_API QD_MUST_USE qd_status qd_video_cut(qd_video *video, qd_error *error);

/// Joins the segments, counts the frames of what came out and gives it its name. The segments stay. `frames`
/// (may be NULL) gets their number. Errors: those of qd_video_cut; QD_ERR_VALUE where there is no frame,
/// QD_ERR_EXISTS where a file of that name has come meanwhile and the def does not let it be replaced.
QD_API QD_MUST_USE qd_status qd_video_finish(qd_video *video, uint64_t *frames, qd_error *error);

/// Stops ffmpeg, deletes an unfinished segment and frees; NULL is fine.
QD_API void qd_video_destroy(qd_video *video);

/// How many frames, from 0 on, the segments of a directory hold without a gap, up to the last end of a
/// segment that is not beyond `most`. 0 where there are none, or no directory.
QD_API uint64_t qd_video_whole(const char *directory, uint64_t most);

/// Checks that a PNG file exists and is whole: a few bytes are read. Errors: QD_ERR_NOT_FOUND,
/// QD_ERR_CORRUPT, with the reason.
QD_API QD_MUST_USE qd_status qd_video_file_check(const char *path, qd_error *error);

/// Width and height of a PNG file that qd_video_add_file would take. Errors: as there.
QD_API QD_MUST_USE qd_status qd_video_file_size(const char *path, int *width, int *height, qd_error *error);

/// Deletes what a video was made of, and the directory where nothing else is in it. Errors: QD_ERR_IO,
/// QD_ERR_MEMORY.
QD_API QD_MUST_USE qd_status qd_video_clear(const char *directory, qd_error *error);

/// Deletes all segments with frames from number `frames` on, and those in the making. Errors: QD_ERR_IO (also
/// where the directory is a link: it may belong to another program), QD_ERR_MEMORY.
QD_API QD_MUST_USE qd_status qd_video_keep(const char *directory, uint64_t frames, qd_error *error);

QD_END_DECLS

#endif
