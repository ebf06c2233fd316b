#include "tools/verify/step_choice.h"

#include "tools/host/console.h"
#include "tools/host/exit_codes.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

// ---- which ----

/// Chosen steps of a recorded run: reads one end of "A:B": a number, or nothing.
static bool read_end(const char *text, size_t length, uint64_t missing, uint64_t *value) {
    char number[24];
    if (length >= sizeof number) return false;
    memcpy(number, text, length);
    number[length] = '\0';
    *value = missing;
    return length == 0 || qdi_read_whole(number, 0, UINT64_MAX - 1, value);
}

int qdi_step_choice_read(const char *frames, uint64_t *first, uint64_t *last) {
    *first = 0;
    *last = UINT64_MAX;
    if (!frames) return QDI_EXIT_DONE;
    const char *colon = strchr(frames, ':');
    size_t length = colon ? (size_t)(colon - frames) : strlen(frames);
    bool read = *frames && read_end(frames, length, 0, first);
    if (read && colon) read = read_end(colon + 1, strlen(colon + 1), UINT64_MAX, last);
    if (read && !colon) *last = *first;
    if (read && *first <= *last) return QDI_EXIT_DONE;
    qdi_complain("--frames: '%.80s' is not a range of frames, as 10:20, 10: or 10", frames);
    return QDI_EXIT_USAGE;
}

// ---- one after the other ----

/// Chosen steps of a recorded run: loads the next snapshot. Errors: QD_ERR_NOT_FOUND after the last.
static qd_status next_snapshot(qdi_step_choice *moments, qd_error *error) {
    uint64_t step = 0;
    qd_status status = qdi_replay_next_snapshot(&moments->replay, moments->step_from, &step, error);
    if (status == QD_OK) moments->step_from = step + 1;
    return status;
}

/// Chosen steps of a recorded run: the next snapshot, by this thread or from those that load them.
static qd_status next_loaded(qdi_step_choice *moments, qd_error *error) {
    if (moments->jobs < 2) return next_snapshot(moments, error);
    qdi_replay *replay = &moments->replay;
    if (!moments->ahead) {
        const uint64_t more = moments->last - moments->first - moments->given; // than this one
        const int threads = replay->threads / moments->jobs;
        const qdi_ahead_plan plan = {.past = replay->past,
                                     .from = moments->step_from,
                                     .more = more,
                                     .jobs = moments->jobs,
                                     .threads = threads > 0 ? threads : 1};
        qd_status status = qdi_ahead_start(&plan, &moments->ahead, error);
        if (status != QD_OK) return status;
    }
    qdi_replay_end(replay);
    return qdi_ahead_next(moments->ahead, &replay->world, error);
}

qd_status qdi_step_choice_begin(qdi_step_choice *moments, qd_error *error) {
    if (moments->every.given) return qdi_replay_begin(&moments->replay, error);
    qd_status status = next_snapshot(moments, error);
    if (status != QD_ERR_NOT_FOUND) return status;
    snprintf(
        error->text, sizeof error->text,
        "%.300s has no snapshots: --every E simulates it again and takes every E-th step (or run it with "
        "--snapshots E)",
        moments->replay.past->directory);
    return status;
}

/// Chosen steps of a recorded run: from the beginning to the first moment that is wanted.
static qd_status go_to_first(qdi_step_choice *moments, qd_error *error) {
    qd_status status = QD_OK;
    if (moments->first == 0) return QD_OK;
    if (!moments->every.given) {
        for (uint64_t i = 1; i < moments->first && status == QD_OK; ++i) {
            status = qd_store_snapshot_step(moments->replay.past->store, moments->step_from,
                                            &moments->step_from, error);
            moments->step_from += 1;
        }
        return status == QD_OK ? next_loaded(moments, error) : status;
    }
    uint64_t every = moments->every.value, most = moments->replay.past->last_step / every;
    if (moments->first > most) return QD_ERR_NOT_FOUND;
    // Who watches the step to a moment cannot begin with that moment's checkpoint.
    const uint64_t step = moments->first * every;
    const bool watched = moments->replay.watch || moments->replay.watch_stress;
    status = qdi_replay_begin_near(&moments->replay, watched ? step - 1 : step, error);
    return status == QD_OK ? qdi_replay_go(&moments->replay, step, error) : status;
}

// Goes to the next moment of a run that was asked for.
static qd_status next_moment(qdi_step_choice *moments, qd_error *error) {
    if (moments->first + moments->given - 1 == moments->last) return QD_ERR_NOT_FOUND;
    if (!moments->every.given) return next_loaded(moments, error);
    uint64_t step = qd_world_steps(moments->replay.world), every = moments->every.value;
    if (every > moments->replay.past->last_step - step) return QD_ERR_NOT_FOUND;
    return qdi_replay_go(&moments->replay, step + every, error);
}

qd_status qdi_step_choice_next(qdi_step_choice *moments, qd_error *error) {
    qd_status status = moments->given == 0 ? go_to_first(moments, error) : next_moment(moments, error);
    if (status == QD_OK) moments->given += 1;
    return status;
}

void qdi_step_choice_end(qdi_step_choice *moments) {
    qdi_ahead_end(moments->ahead);
    moments->ahead = NULL;
    qdi_replay_end(&moments->replay);
}
