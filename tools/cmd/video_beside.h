#pragma once

#include "export/image/montage.h"
#include "tools/host/options.h"
#include "tools/verify/frame_pace.h"

#include <quadrille/scene.h>
#include <quadrille/video.h>

/// Several runs in one picture, for `quadrille video`.

/// One of them.
typedef struct qdi_beside_run {
    const char *directory;
    qd_scene *scene; ///< or NULL
    qdi_frame_list list;
    size_t shown; ///< place of the frame that the montage has
    bool over;    ///< and the caption says that it is its last
    char caption[256];
} qdi_beside_run;

typedef struct qdi_beside {
    qdi_beside_run runs[QDI_MONTAGE_MOST];
    size_t count;
    qdi_montage_plan plan;
    qdi_frame_pace pace;
    size_t first, pictures; ///< those of the pace that are wanted
    qdi_montage montage;
    char names[192]; ///< scenes with their hashes, for the video's provenance
} qdi_beside;

/// The scene of a run directory; NULL of a directory of frames, which has none. What is wrong is said, and
/// the result is the exit code.
int qdi_beside_scene(const char *directory, qd_scene **scene);

/// Finds scenes, frames and captions of the directories. `titles` has none, or one for each. What is wrong is
/// said, and the result is the exit code. Zero `beside` before, end it in any case.
int qdi_beside_open(qdi_beside *beside, const qdi_option_list *directories, const qdi_option_list *titles,
                    uint64_t first, uint64_t last, bool quiet);
/// Lays out the montage, anew where there is one. What is wrong is said, and the result is the exit code.
int qdi_beside_begin(qdi_beside *beside, bool true_colour);
/// Adds picture `number` of those that are wanted to the video. Errors: those of qd_video_add_file.
QD_MUST_USE qd_status qdi_beside_add(qdi_beside *beside, qd_video *video, size_t number, qd_error *error);
void qdi_beside_end(qdi_beside *beside);
