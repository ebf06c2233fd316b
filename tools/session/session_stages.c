// The stages of a run, and what ends them and the run. Which stage comes next is decided by the state of a
// step and kept in run.db with that step's rows; the world is changed right before the step after it. So a
// checkpoint of a step is the same whether the stage ends there or not.

#include "tools/session/session.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

// Puts the row of a stage that begins after the present step.
static qd_status put_stage(qdi_session *session, size_t number, const char *before) {
    qdi_course *course = &session->course;
    qd_scene_stage stage;
    (void)qd_scene_stage_at(session->scene, number, &stage);
    course->step[number] = session->steps_done;
    course->first_id[number] = qd_world_last_id(session->world) + 1;
    course->count = number + 1;
    qd_store_stage row = {.number = number,
                          .step = session->steps_done,
                          .time = qd_world_time(session->world),
                          .first_id = course->first_id[number]};
    snprintf(row.name, sizeof row.name, "%s", stage.name);
    snprintf(row.before, sizeof row.before, "%s", before);
    return qd_store_put_stage(session->store, &row);
}

qd_status qdi_session_first_stage(qdi_session *session) {
    return qd_scene_stages(session->scene) == 0 ? QD_OK : put_stage(session, 0, "");
}

// Takes what a stage asks of the run: how long it is has been decided already.
static void take_plan(qdi_session *session, size_t stage) {
    const qd_scene_run *now = &session->plan;
    qd_scene_run next = qd_scene_stage_run(session->scene, stage);
    next.steps = now->steps;
    session->plan = next;
}

qd_status qdi_session_take_stage(qdi_session *session, qd_error *error) {
    const size_t stage = (size_t)qd_world_stage(session->world);
    if (qd_scene_stages(session->scene) == 0) return QD_OK;
    take_plan(session, stage);
    const uint64_t origin = stage < session->course.count ? session->course.step[stage] : 0;
    return qdi_until_begin(&session->stage_until, session->scene, stage, origin, session->world, error);
}

bool qdi_session_enter_stage(qdi_session *session) {
    if (!qdi_course_due(&session->course, session->world)) return true;
    qd_error error = {""};
    qd_status status = qdi_course_begin(&session->course, session->scene, session->world, &error);
    if (status == QD_OK) status = qdi_session_take_stage(session, &error);
    if (status == QD_OK) {
        qdi_until_find(&session->until, session->world);
        return true;
    }
    session->failed = QDI_PART_STEP;
    if (error.text[0])
        session->error = error;
    else
        snprintf(session->error.text, sizeof session->error.text, "stage %" PRIu64 ": %s",
                 qd_world_stage(session->world), qd_status_text(status));
    return false;
}

bool qdi_session_last_stage_is_over(const qdi_session *session) {
    const size_t count = session->course.count;
    qd_scene_stage stage;
    if (count == 0 || count < qd_scene_stages(session->scene) ||
        !qd_scene_stage_at(session->scene, count - 1, &stage))
        return false;
    return session->stage_until.ended > 0 ||
           (stage.most > 0 && session->steps_done - session->course.step[count - 1] >= stage.most);
}

/// What ended the present stage, as a word; NULL: it goes on.
static const char *stage_end(qdi_session *session, const qd_scene_stage *stage, char word[32]) {
    const uint64_t since = session->steps_done - session->course.step[session->course.count - 1];
    if (qdi_until_look(&session->stage_until, session->world)) {
        snprintf(word, 32, "until.%" PRIu64, session->stage_until.ended - 1);
        return word;
    }
    return stage->most > 0 && since >= stage->most ? "steps" : NULL;
}

qd_status qdi_session_look(qdi_session *session) {
    if (qdi_until_look(&session->until, session->world)) session->plan.steps = session->steps_done;
    qd_scene_stage stage;
    const size_t number = session->course.count - 1;
    if (session->course.count == 0 || !qd_scene_stage_at(session->scene, number, &stage)) return QD_OK;
    char word[32];
    const char *ended = stage_end(session, &stage, word);
    if (!ended) return QD_OK;
    // Even where the run ends here: it may get more steps.
    if (number + 1 < qd_scene_stages(session->scene)) return put_stage(session, number + 1, ended);
    session->plan.steps = session->steps_done;
    return QD_OK;
}
