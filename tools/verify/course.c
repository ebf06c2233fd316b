#include "tools/verify/course.h"

#include <stdio.h>

qd_status qdi_course_read(qd_store *store, qdi_course *course, qd_error *error) {
    *course = (qdi_course){.count = 0};
    for (;;) {
        qd_store_stage row;
        qd_status status = qd_store_next_stage(store, course->count, &row, error);
        if (status != QD_OK) return status == QD_ERR_NOT_FOUND ? QD_OK : status;
        const bool first = course->count == 0;
        if (row.number != course->count || course->count >= QD_STAGES_MAX || (first && row.step != 0) ||
            (!first && row.step <= course->row[course->count - 1].step)) {
            snprintf(error->text, sizeof error->text, "the table stages is damaged at number %zu",
                     course->count);
            return QD_ERR_CORRUPT;
        }
        course->row[course->count++] = row;
    }
}

size_t qdi_course_stage(const qdi_course *course, uint64_t step) {
    size_t stage = course->count > 0 ? course->count - 1 : 0;
    while (stage > 0 && course->row[stage].step >= step) --stage;
    return stage;
}

/// The steps of a stage at which there may be a frame: from `first` on, the last one known is `last`.
typedef struct frame_span {
    uint64_t first, last, every;
} frame_span;

// The steps of stage `number`; all are the first one's where there are no stages.
static frame_span span_of(const qdi_course *course, const qd_scene *scene, size_t number) {
    frame_span span = {0, UINT64_MAX, qd_scene_stage_run(scene, number).frames_every};
    if (number > 0) span.first = course->row[number].step + 1;
    if (number + 1 < course->count) span.last = course->row[number + 1].step;
    return span;
}

// How many frames there are in a span up to a step.
static uint64_t count_frames(frame_span span, uint64_t step) {
    const uint64_t last = step < span.last ? step : span.last;
    if (span.every == 0 || last < span.first) return 0;
    return last / span.every + 1 - (span.first + span.every - 1) / span.every;
}

uint64_t qdi_course_frames(const qdi_course *course, const qd_scene *scene, uint64_t step) {
    uint64_t frames = 0;
    for (size_t k = 0; k == 0 || k < course->count; ++k)
        frames += count_frames(span_of(course, scene, k), step);
    return frames;
}

bool qdi_course_frame_step(const qdi_course *course, const qd_scene *scene, uint64_t number, uint64_t *step) {
    for (size_t k = 0; k == 0 || k < course->count; ++k) {
        const frame_span span = span_of(course, scene, k);
        const uint64_t frames = count_frames(span, UINT64_MAX - 1);
        if (number < frames) {
            *step = ((span.first + span.every - 1) / span.every + number) * span.every;
            return true;
        }
        number -= frames;
    }
    return false;
}

qdi_course qdi_course_longest(const qdi_course *course, const qd_scene *scene) {
    qdi_course all = *course;
    qd_scene_stage stage;
    if (all.count == 0 && qd_scene_stages(scene) > 0) all.count = 1; // before step 0
    for (; all.count > 0 && qd_scene_stage_at(scene, all.count, &stage); ++all.count) {
        (void)qd_scene_stage_at(scene, all.count - 1, &stage);
        all.row[all.count].step = all.row[all.count - 1].step + stage.most;
    }
    return all;
}

bool qdi_course_has_frames(const qd_scene *scene) {
    bool any = qd_scene_run_settings(scene).frames_every > 0;
    for (size_t k = 0; k < qd_scene_stages(scene) && !any; ++k)
        any = qd_scene_stage_run(scene, k).frames_every > 0;
    return any;
}

bool qdi_course_due(const qdi_course *course, const qd_world *world) {
    const uint64_t next = qd_world_stage(world) + 1;
    return next < course->count && course->row[next].step == qd_world_steps(world);
}

qd_status qdi_course_begin(const qdi_course *course, const qd_scene *scene, qd_world *world,
                           qd_error *error) {
    if (!qdi_course_due(course, world)) return QD_OK;
    const size_t stage = (size_t)qd_world_stage(world) + 1;
    uint64_t first_ids[QD_STAGES_MAX];
    for (size_t k = 0; k < course->count; ++k) first_ids[k] = course->row[k].first_id;
    qd_status status = qd_scene_begin_stage(scene, stage, first_ids, world, error);
    return status == QD_OK ? qd_world_detect(world) : status;
}
