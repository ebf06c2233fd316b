// The stages of a run, and what ends them and the run. Which stage comes next is decided by the state of a
// step and kept in run.db with that step's rows; the world is changed right before the step after it. So a
// checkpoint of a step is the same whether the stage ends there or not.

#include "tools/session/session.h"

#include <inttypes.h>
#include <quadrille/metrics.h>
#include <stdio.h>
#include <string.h>

// What the run has come to, as the row of a stage that begins after the present step.
static qd_store_stage row_of(const qdi_session *session, size_t number) {
    const qd_world_totals totals = qd_world_total(session->world);
    const qd_world_sums sums = qd_world_sum(session->world);
    qd_scene_stage stage = {.name = ""};
    (void)qd_scene_stage_at(session->scene, number, &stage);
    qd_store_stage row = {.number = number,
                          .step = session->steps_done,
                          .time = qd_world_time(session->world),
                          .first_id = qd_world_last_id(session->world) + 1,
                          .bodies = qd_world_count(session->world),
                          .contacts = totals.contacts,
                          .begins = totals.begins,
                          .impacts = totals.impacts,
                          .emitted = totals.emitted,
                          .removed = totals.departed + totals.sunk,
                          .kinetic = sums.kinetic,
                          .potential = sums.potential};
    snprintf(row.name, sizeof row.name, "%s", stage.name);
    return row;
}

// Puts the row of a stage that begins after the present step.
static qd_status put_stage(qdi_session *session, size_t number, const char *before) {
    qd_store_stage *row = &session->course.row[number];
    *row = row_of(session, number);
    snprintf(row->before, sizeof row->before, "%s", before);
    session->course.count = number + 1;
    return qd_store_put_stage(session->store, row);
}

qd_status qdi_session_first_stage(qdi_session *session) {
    return qd_scene_stages(session->scene) == 0 ? QD_OK : put_stage(session, 0, "");
}

// Takes what a stage asks of the run: how long it is has been decided already.
static void take_plan(qdi_session *session, size_t stage) {
    qd_scene_run next = qd_scene_stage_run(session->scene, stage);
    next.steps = session->plan.steps;
    session->plan = next;
}

// Shows frames to come as a stage wants them.
static qd_status take_view(qdi_session *session, size_t stage, qd_error *error) {
    const qd_view view = qd_scene_stage_view(session->scene, stage);
    qd_status status = QD_OK;
    if (session->writer) status = qd_frame_writer_set_view(session->writer, &view, error);
    if (session->writer && status == QD_OK)
        status = qd_world_note_threads(session->world, view.colour == QD_VIEW_THREAD);
    return status;
}

qd_status qdi_session_take_stage(qdi_session *session, qd_error *error) {
    const size_t stage = (size_t)qd_world_stage(session->world);
    if (qd_scene_stages(session->scene) == 0) return QD_OK;
    take_plan(session, stage);
    const uint64_t origin = stage < session->course.count ? session->course.row[stage].step : 0;
    const uint64_t emitted = session->course.count > 0 ? session->course.row[0].first_id : 0;
    session->until.emitted = emitted;
    return qdi_until_begin(&session->stage_until, session->scene, stage, origin, emitted, session->world,
                           error);
}

bool qdi_session_enter_stage(qdi_session *session) {
    qd_error error = {""};
    qd_status status = qd_store_note_bodies(session->store, session->world);
    if (status == QD_OK) {
        status = qdi_course_begin(&session->course, session->scene, session->world, &error);
        session->stuck = status == QD_ERR_INVALID || status == QD_ERR_LIMIT; // else there was no memory
    }
    if (status == QD_OK) status = take_view(session, (size_t)qd_world_stage(session->world), &error);
    if (status == QD_OK) status = qdi_session_take_stage(session, &error);
    if (status == QD_OK) status = qd_store_note_changes(session->store, session->world);
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

// What has ended the stage that the run is in, as a word; NULL: it goes on.
static const char *stage_end(const qdi_session *session, char word[32]) {
    const size_t count = session->course.count;
    qd_scene_stage stage;
    if (count == 0 || !qd_scene_stage_at(session->scene, count - 1, &stage)) return NULL;
    if (session->stage_until.ended > 0) {
        snprintf(word, 32, "until.%" PRIu64, session->stage_until.ended - 1);
        return word;
    }
    const bool over = stage.most > 0 &&
                      session->steps_done - session->course.row[count - 1].step >= stage.most;
    return over && session->steps_done >= session->stage_until.least ? "steps" : NULL;
}

bool qdi_session_last_stage_is_over(const qdi_session *session) {
    char word[32];
    return session->course.count == qd_scene_stages(session->scene) && stage_end(session, word);
}

qd_status qdi_session_look(qdi_session *session) {
    const uint64_t step = session->steps_done;
    qd_metrics metrics;
    const bool needed = qdi_until_needs_of(&session->until, step).metrics ||
                        (session->course.count > 0 &&
                         qdi_until_needs_of(&session->stage_until, step).metrics);
    const qd_status status = needed ? qdi_session_measure(session, &metrics) : QD_OK;
    if (status != QD_OK) return status;
    const qd_metrics *measured = needed ? &metrics : NULL;
    if (qdi_until_look(&session->until, step, session->world, measured)) session->plan.steps = step;
    if (session->course.count == 0) return QD_OK;
    (void)qdi_until_look(&session->stage_until, step, session->world, measured);
    char word[32];
    const char *ended = stage_end(session, word);
    if (!ended) return QD_OK;
    // Even where the run ends here: it may get more steps.
    if (session->course.count < qd_scene_stages(session->scene))
        return put_stage(session, session->course.count, ended);
    session->plan.steps = session->steps_done;
    return QD_OK;
}

// ---- what came of them ----

// What ended the last stage of a run that has ended.
static void last_end(const qdi_session *session, char word[32]) {
    const char *ended = stage_end(session, word);
    if (session->until.ended > 0)
        snprintf(word, 32, "run.until.%" PRIu64, session->until.ended - 1);
    else if (!ended || strcmp(ended, "steps") == 0)
        snprintf(word, 32, ended ? "steps" : "run.steps");
}

size_t qdi_session_stage_results(const qdi_session *session, qdi_result_stage stages[QD_STAGES_MAX]) {
    const qdi_course *course = &session->course;
    const qd_store_stage end = row_of(session, course->count);
    size_t made = 0;
    for (size_t k = 0; k < course->count; ++k) {
        const qd_store_stage *from = &course->row[k],
                             *to = k + 1 < course->count ? &course->row[k + 1] : &end;
        if (k > 0 && from->step == end.step) break; // it has no step
        qdi_result_stage *stage = &stages[made++];
        *stage = (qdi_result_stage){.name = from->name,
                                    .after = from->step,
                                    .steps = to->step - from->step,
                                    .time = to->time - from->time,
                                    .bodies = to->bodies,
                                    .contacts = to->contacts - from->contacts,
                                    .begins = to->begins - from->begins,
                                    .impacts = to->impacts - from->impacts,
                                    .emitted = to->emitted - from->emitted,
                                    .removed = to->removed - from->removed,
                                    .kinetic = to->kinetic,
                                    .potential = to->potential};
        snprintf(stage->ended_by, sizeof stage->ended_by, "%s", to->before);
        if (to == &end) last_end(session, stage->ended_by);
    }
    return made;
}

void qdi_session_stage_names(const qdi_session *session, char *text, size_t bytes) {
    qd_scene_stage stage;
    text[0] = '\0';
    for (size_t k = 0; qd_scene_stage_at(session->scene, k, &stage); ++k) {
        const size_t used = strlen(text);
        snprintf(text + used, bytes - used, "%s%s", k > 0 ? ", " : "", stage.name);
    }
}
