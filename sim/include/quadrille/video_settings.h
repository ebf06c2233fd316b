#ifndef QUADRILLE_VIDEO_SETTINGS_H
#define QUADRILLE_VIDEO_SETTINGS_H

#include <quadrille/api.h>

QD_BEGIN_DECLS

/// How a video is made of frames, as the scene's `video:` says. Plain data; videos are made elsewhere.

/// How much work the encoder takes upon itself: slower ones make smaller files. The words are x264's; for
/// other encoders they are translated.
typedef enum qd_video_preset {
    QD_VIDEO_ULTRAFAST,
    QD_VIDEO_SUPERFAST,
    QD_VIDEO_VERYFAST,
    QD_VIDEO_FASTER,
    QD_VIDEO_FAST,
    QD_VIDEO_MEDIUM,
    QD_VIDEO_SLOW,
    QD_VIDEO_SLOWER,
    QD_VIDEO_VERYSLOW,
} qd_video_preset;

/// Highest value of `crf` and of `fps`.
#define QD_VIDEO_CRF_MAX 51
#define QD_VIDEO_FPS_MAX 1000

/// How frames become a video.
typedef struct qd_video_settings {
    double fps; ///< frames in a second, above 0, at most QD_VIDEO_FPS_MAX; default 60
    int crf; ///< x264's constant rate factor: 0 (nothing is lost but fine colour) to 51 (least); default 18
    qd_video_preset preset; ///< default QD_VIDEO_VERYFAST
} qd_video_settings;

/// 60, 18, veryfast.
QD_API qd_video_settings qd_video_settings_default(void);

/// "ultrafast", ... in order; NULL past the last.
QD_API const char *qd_video_preset_name(qd_video_preset preset);

QD_END_DECLS

#endif
