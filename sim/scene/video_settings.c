#include <quadrille/video_settings.h>

#include <stddef.h>

qd_video_settings qd_video_settings_default(void) {
    return (qd_video_settings){.fps = 60, .crf = 18, .preset = QD_VIDEO_VERYFAST};
}

const char *qd_video_preset_name(qd_video_preset preset) {
    static const char *const names[] = {"ultrafast", "superfast", "veryfast", "faster",  "fast",
                                        "medium",    "slow",      "slower",   "veryslow"};
    size_t number = (size_t)preset;
    return number < sizeof names / sizeof names[0] ? names[number] : NULL;
}
