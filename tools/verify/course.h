#pragma once

#include <quadrille/scene.h>
#include <quadrille/store.h>
#include <quadrille/world.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// The stages that a run has come to, as its table `stages` has them. A stage begins after the step that its
/// row names: whatever is recorded or saved of that step still is the stage's before. What changes then is
/// done to the world right before the next step.
typedef struct qdi_course {
    size_t count; ///< stages that have begun or are about to; 0: the scene has none
    qd_store_stage row[QD_STAGES_MAX];
} qdi_course;

/// Reads them. Errors: those of qd_store_next_stage, QD_ERR_CORRUPT where they are none.
QD_MUST_USE qd_status qdi_course_read(qd_store *store, qdi_course *course, qd_error *error);

/// The stage that the state of a step belongs to.
size_t qdi_course_stage(const qdi_course *course, uint64_t step);

/// How many frames there are up to a step, that one included: the first stage's at the multiples of its
/// `frames.every` from step 0 on, each other one's at those of its own behind the step with which the one
/// before ended. `course` may be that of a later step. A scene without stages counts as one.
uint64_t qdi_course_frames(const qdi_course *course, const qd_scene *scene, uint64_t step);
/// The step of frame `number`, from 0; false where none of the stages so far has it.
bool qdi_course_frame_step(const qdi_course *course, const qd_scene *scene, uint64_t number, uint64_t *step);
/// The stages to come, too, each as long as it can be.
qdi_course qdi_course_longest(const qdi_course *course, const qd_scene *scene);
/// Whether there are frames in any stage.
bool qdi_course_has_frames(const qd_scene *scene);

/// Whether a stage begins before the world's next step.
bool qdi_course_due(const qdi_course *course, const qd_world *world);
/// Begins it, where one is due, and finds the contacts. Errors: those of qd_scene_begin_stage and
/// qd_world_detect.
QD_MUST_USE qd_status qdi_course_begin(const qdi_course *course, const qd_scene *scene, qd_world *world,
                                       qd_error *error);
