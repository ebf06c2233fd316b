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
