// What is due at a step, in this order: the frame, metrics, hash, events, snapshot; then the checkpoint, once
// all frames before it are in place. So rows of a step are all there before a checkpoint of that step.

#include "core/base/memory.h"
#include "core/parallel/parallel.h"
#include "tools/session/session.h"
#include "tools/session/session_state.h"

#include <math.h>
#include <quadrille/hash.h>
#include <quadrille/metrics.h>
#include <stdio.h>
#include <string.h>

// Whether something is due at this step of a run.
static bool is_due(uint64_t step, uint64_t every) {
    return every > 0 && step % every == 0;
}

bool qdi_session_note(qdi_session *session, qdi_session_part part, qd_status status) {
    if (session->failed != QDI_PART_NONE) return false;
    session->failed = part;
    qd_status again = QD_OK;
    const bool told = session->error.text[0] != '\0'; // by who failed
    if (told)
        again = status;
    else if (part == QDI_PART_FRAMES)
        again = qd_frame_writer_flush(session->writer, NULL, NULL, &session->error);
    else if (part == QDI_PART_STORE)
        again = qd_store_flush(session->store, &session->error);
    if (again == QD_OK || !session->error.text[0])
        snprintf(session->error.text, sizeof session->error.text, "%s", qd_status_text(status));
    if (status == QD_ERR_MEMORY || status == QD_ERR_INTERNAL) session->failed = QDI_PART_STEP;
    return false;
}

// Records the metrics of this step in run.db.
static qd_status record_metrics(qdi_session *session) {
    uint64_t now[QD_PHASE_COUNT], since[QD_PHASE_COUNT];
    memcpy(now, session->result.profile.wall_ns, sizeof now);
    for (int phase = 0; phase < QD_PHASE_COUNT; ++phase)
        since[phase] = now[phase] - session->recorded_ns[phase];
    memcpy(session->recorded_ns, now, sizeof now);
    qd_metrics metrics;
    const qd_status status = qdi_session_measure(session, &metrics);
    return status == QD_OK ? qd_store_put_metrics(session->store, &metrics, since) : status;
}

// Records the hash of this step in run.db.
static qd_status record_hash(qdi_session *session) {
    uint64_t hash = 0;
    const qd_status status = qdi_session_hash(session, &hash);
    return status == QD_OK ? qd_store_put_hash(session->store, session->steps_done, hash) : status;
}

// Whether fields are measured at this step of a run: for a row, or for the mean that a row is.
static bool measures_fields(const qd_scene_run *plan, uint64_t step) {
    return is_due(step, plan->record_fields) || (plan->record_fields > 0 && is_due(step, plan->field_sample));
}

qd_status qdi_session_make_field(qdi_session *session) {
    const int *cells = session->plan.field_cells;
    if (session->field) return QD_OK;
    return qd_field_create((uint32_t)cells[0], (uint32_t)cells[1], NULL, &session->field);
}

// Measures the fields of this step, and records them, or the mean that is due, in run.db.
static qd_status record_fields(qdi_session *session) {
    const qd_scene_run *plan = &session->plan;
    const bool row = is_due(session->steps_done, plan->record_fields);
    qd_status status = qdi_session_make_field(session);
    if (status == QD_OK) status = qd_field_measure(session->field, session->world);
    if (plan->field_sample > 0 && session->steps_done > 0) {
        if (status == QD_OK) status = qd_field_add(session->field);
        if (status == QD_OK && row) status = qd_field_average(session->field);
    }
    return status == QD_OK && row ? qd_store_put_field(session->store, session->field) : status;
}

qd_status qdi_session_make_distributions(qdi_session *session) {
    const qd_scene_run *plan = &session->plan;
    const qd_distribution_def def = {(uint32_t)plan->distribution_bins, plan->distribution_reach,
                                     plan->distribution_speed};
    if (session->distributions) return QD_OK;
    return qd_distributions_create(&def, NULL, &session->distributions);
}

// Adds this step's moment to the mean of distributions, and records it in run.db where that is due.
static qd_status record_distributions(qdi_session *session) {
    const qd_scene_run *plan = &session->plan;
    const bool row = is_due(session->steps_done, plan->record_distributions);
    if (plan->record_distributions == 0 || !(row || is_due(session->steps_done, plan->distribution_sample)))
        return QD_OK;
    qd_status status = qdi_session_make_distributions(session);
    if (status == QD_OK) status = qd_distributions_add(session->distributions, session->world);
    if (status != QD_OK || !row) return status;
    status = qd_distributions_average(session->distributions);
    return status == QD_OK ? qd_store_put_distributions(session->store, session->distributions) : status;
}

// Records in run.db what is due at this step.
static qd_status record_rows(qdi_session *session) {
    const qd_scene_run *plan = &session->plan;
    uint64_t step = session->steps_done;
    qd_status status = QD_OK;
    if (is_due(step, plan->record_metrics)) status = record_metrics(session);
    if (status == QD_OK && measures_fields(plan, step)) status = record_fields(session);
    if (status == QD_OK) status = record_distributions(session);
    if (status == QD_OK && plan->record_hashes > 0 &&
        (is_due(step, plan->record_hashes) || step == plan->steps))
        status = record_hash(session);
    if (status == QD_OK && plan->record_events != QD_RECORD_EVENTS_NONE)
        status = qd_store_put_events(session->store, session->world,
                                     plan->record_events == QD_RECORD_EVENTS_ALL);
    if (status == QD_OK && is_due(step, plan->record_snapshots))
        status = qd_store_put_snapshot(session->store, session->world);
    return status;
}

bool qdi_session_watch(qdi_session *session) {
    const bool framed = session->writer && is_due(session->steps_done + 1, session->plan.frames_every);
    if (measures_fields(&session->plan, session->steps_done + 1) ||
        (framed && qd_frame_writer_wants_stress(session->writer))) {
        qd_status watched = qd_world_watch_stress(session->world);
        if (watched != QD_OK) return qdi_session_note(session, QDI_PART_STORE, watched);
    }
    if (!framed) return true;
    qd_status status = qd_frame_writer_watch(session->writer, session->world);
    return status == QD_OK || qdi_session_note(session, QDI_PART_FRAMES, status);
}

/// What is due in a session: tells the next frame how fast the steps since the last one were, without what
/// was recorded and drawn.
static void tell_pace(qdi_session *session) {
    const qd_profile *profile = &session->result.profile;
    qdi_session_pace now = {.steps = profile->steps, .body_steps = profile->body_steps};
    for (int phase = 0; phase < QD_PHASE_EXPORT; ++phase) now.ns += profile->wall_ns[phase];
    const double ns = (double)(now.ns - session->pace.ns), steps = (double)(now.steps - session->pace.steps),
                 body_steps = (double)(now.body_steps - session->pace.body_steps);
    if (steps > 0 && ns > 0)
        qd_frame_writer_pace(session->writer, steps / ns * 1e9,
                             body_steps > 0 ? ns / body_steps : (double)NAN);
    session->pace = now;
}

bool qdi_session_record(qdi_session *session) {
    const qd_scene_run *plan = &session->plan;
    uint64_t before = qdi_clock_ns();
    if (session->writer && is_due(session->steps_done, plan->frames_every)) {
        tell_pace(session);
        qd_status status = qd_frame_writer_push(session->writer, session->world);
        if (status != QD_OK) return qdi_session_note(session, QDI_PART_FRAMES, status);
        session->frames += 1;
    }
    qd_status status = record_rows(session);
    session->result.profile.wall_ns[QD_PHASE_EXPORT] += qdi_clock_ns() - before;
    return status == QD_OK || qdi_session_note(session, QDI_PART_STORE, status);
}

bool qdi_session_checkpoint_due(const qdi_session *session) {
    const qd_scene_run *plan = &session->plan;
    if (is_due(session->steps_done, plan->checkpoint_every)) return true;
    return plan->checkpoint_seconds > 0 &&
           (double)(qdi_clock_ns() - session->checkpoint_ns) * 1e-9 >= plan->checkpoint_seconds;
}

bool qdi_session_flush(qdi_session *session) {
    const qd_frame_row *rows = NULL;
    size_t count = 0;
    if (session->writer) {
        qd_status status = qd_frame_writer_flush(session->writer, &rows, &count, NULL);
        if (status != QD_OK) return qdi_session_note(session, QDI_PART_FRAMES, status);
    }
    for (size_t i = 0; i < count; ++i) {
        const qd_store_frame frame = {rows[i].index, rows[i].step, rows[i].time, rows[i].pixels};
        qd_status status = qd_store_put_frame(session->store, &frame);
        if (status != QD_OK) return qdi_session_note(session, QDI_PART_STORE, status);
    }
    return true;
}

// Writes a checkpoint: the saved world and how far the run is.
static qd_status write_checkpoint(qdi_session *session) {
    qdi_session_state state = {
        .frames = session->frames,
        .view_speed = session->writer ? qd_frame_writer_speed(session->writer) : 0,
        .energy_first = session->result.energy_first,
        .wall_ns = session->wall_before + (qdi_clock_ns() - session->start_ns),
        .ended = session->until.ended,
        .stage_ended = session->stage_until.ended,
        .led = qdi_fleet_led(session->world),
        .profile = session->result.profile,
    };
    memcpy(state.until, session->until.memory, sizeof state.until);
    memcpy(state.stage_until, session->stage_until.memory, sizeof state.stage_until);
    memcpy(state.recorded_ns, session->recorded_ns, sizeof state.recorded_ns);
    const qd_allocator *allocator = qd_allocator_default();
    const size_t frame_bytes = qd_frame_writer_past(session->writer, NULL);
    state.field_bytes = qd_field_save_sums(session->field, NULL);
    state.distribution_bytes = qd_distributions_save(session->distributions, NULL);
    state.past_bytes = frame_bytes + state.field_bytes + state.distribution_bytes;
    size_t size = QDI_SESSION_STATE_BYTES + (size_t)state.past_bytes;
    unsigned char *bytes = qdi_allocate(allocator, size, 1);
    if (!bytes) return QD_ERR_MEMORY;
    (void)qd_frame_writer_past(session->writer, bytes + QDI_SESSION_STATE_BYTES);
    unsigned char *means = bytes + QDI_SESSION_STATE_BYTES + frame_bytes;
    (void)qd_field_save_sums(session->field, means);
    (void)qd_distributions_save(session->distributions, means + state.field_bytes);
    if (state.past_bytes > 0)
        state.past_hash = qd_hash_bytes(bytes + QDI_SESSION_STATE_BYTES, (size_t)state.past_bytes);
    qdi_session_state_write(&state, bytes);
    qd_status status = qdi_fleet_is_apart(session->fleet)
                           ? qdi_session_save_apart(session, bytes, size)
                           : qd_store_put_checkpoint(session->store, session->world, bytes, size,
                                                     session->plan.checkpoint_keep);
    qdi_release(allocator, bytes, size, 1);
    return status;
}

bool qdi_session_checkpoint(qdi_session *session) {
    uint64_t before = qdi_clock_ns();
    if (!qdi_session_flush(session) || !qdi_session_cut_video(session)) return false;
    qd_status status = qdi_session_gather(session);
    if (status == QD_OK) status = write_checkpoint(session);
    if (status == QD_OK) status = qd_store_flush(session->store, NULL);
    if (status != QD_OK) return qdi_session_note(session, QDI_PART_STORE, status);
    session->checkpoint_ns = qdi_clock_ns();
    session->result.profile.wall_ns[QD_PHASE_EXPORT] += session->checkpoint_ns - before;
    session->checkpointed = true;
    session->checkpoint_step = session->steps_done;
    return true;
}
