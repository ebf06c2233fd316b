// Where two runs part. Their hashes tell between which two recorded steps. In between each is replayed from
// the last step at which they are equal: where both replays come to the hashes that are stored, the first
// step that differs, and what differs in it, are seen by stepping the two side by side. A run that does not
// replay (another program made it, or it was not undisturbed) is known at its snapshots and checkpoints only.

#include "tools/verify/diff.h"

#include "core/base/memory.h"

#include <inttypes.h>
#include <stdio.h>

// ---- hashes ----

/// diff of two runs: the next hash of a side from a step on; rows that are no hash are told and passed over.
static qd_status next_hash(qdi_diff *diff, int side, uint64_t from, uint64_t *step, uint64_t *hash,
                           qdi_diff_row row, void *context, qd_error *error) {
    const qdi_recorded *past = &diff->side[side].past;
    for (;;) {
        qd_error reason = {""};
        qd_status status = qd_store_next_hash(past->store, from, step, hash, &reason);
        if (status == QD_OK || status == QD_ERR_NOT_FOUND) return status;
        if (status != QD_ERR_CORRUPT || *step < from) {
            *error = reason;
            return status;
        }
        diff->damaged += 1;
        (void)row(context, past->directory, *step, "what is stored is no hash");
        from = *step + 1;
    }
}

qd_status qdi_diff_hashes(qdi_diff *diff, qdi_diff_row row, void *context, qd_error *error) {
    uint64_t from[2] = {0, 0}, step[2], hash[2];
    bool due[2] = {true, true};
    for (int k = 0; k < 2; ++k) diff->form[k] = qd_store_hash_form(diff->side[k].past.store);
    if (diff->form[0] != diff->form[1]) return QD_OK; // nothing can be compared
    for (;;) {
        for (int k = 0; k < 2; ++k) {
            if (!due[k]) continue;
            step[k] = 0;
            qd_status status = next_hash(diff, k, from[k], &step[k], &hash[k], row, context, error);
            if (status != QD_OK) return status == QD_ERR_NOT_FOUND ? QD_OK : status;
        }
        uint64_t most = step[0] > step[1] ? step[0] : step[1];
        bool common = step[0] == step[1];
        for (int k = 0; k < 2; ++k) {
            due[k] = common || step[k] < most;
            from[k] = common ? most + 1 : most;
        }
        if (!common) continue;
        diff->compared += 1;
        if (hash[0] != hash[1]) {
            if (!diff->differs) diff->differs_at = most;
            diff->differs = true;
            continue;
        }
        if (diff->differs) {
            char words[128];
            snprintf(words, sizeof words,
                     "the two differ, but are equal again at step %" PRIu64 ": a row is damaged", most);
            (void)row(context, NULL, diff->differs_at, words);
            diff->damaged += 1;
            diff->differs = false;
        }
        diff->has_equal = true;
        diff->equal_at = most;
    }
}

// ---- what differs ----

/// What a replay may say that only means that it does not come to where the run came.
static bool is_no_replay(qd_status status) {
    return status == QD_ERR_LIMIT || status == QD_ERR_CORRUPT || status == QD_ERR_INVALID ||
           status == QD_ERR_VALUE;
}

/// The replay is at a step; true where its hash is the run's, or the run has none.
static bool hash_agrees(const qdi_diff_side *side, uint64_t step) {
    uint64_t stored;
    qd_status status = qdi_recorded_hash(&side->past, step, &stored);
    return status == QD_ERR_NOT_FOUND || (status == QD_OK && stored == qdi_replay_hash(&side->replay));
}

/// Replays a side up to the step that differs and keeps its state at the last one that is equal.
static qd_status prepare_side(const qdi_diff *diff, qdi_diff_side *side, qd_error *error) {
    uint64_t from = diff->has_equal ? diff->equal_at : 0;
    qd_error reason = {""};
    qdi_replay *replay = &side->replay;
    qd_status status = diff->has_equal ? qdi_replay_begin_near(replay, from, &reason)
                                       : qdi_replay_begin(replay, &reason);
    if (status == QD_OK) status = qdi_replay_go(replay, from, &reason);
    if (status == QD_OK) status = qd_world_save(replay->world, &side->kept, &side->kept_bytes);
    bool good = status == QD_OK && (!diff->has_equal || hash_agrees(side, from));
    if (good) status = qdi_replay_go(replay, diff->differs_at, &reason);
    side->replayable = good && status == QD_OK && hash_agrees(side, diff->differs_at);
    if (status == QD_OK || is_no_replay(status)) return QD_OK;
    *error = reason;
    return status;
}

/// Both replays from the last equal step on, side by side.
static qd_status step_both(qdi_diff *diff, bool list, qd_error *error) {
    qd_status status = QD_OK;
    for (int k = 0; k < 2 && status == QD_OK; ++k)
        status = qdi_replay_load(&diff->side[k].replay, diff->side[k].kept, diff->side[k].kept_bytes, error);
    qdi_replay *p = &diff->side[0].replay, *q = &diff->side[1].replay;
    while (status == QD_OK && qd_world_hash(p->world) == qd_world_hash(q->world) &&
           qd_world_steps(p->world) < diff->differs_at) {
        uint64_t next = qd_world_steps(p->world) + 1;
        status = qdi_replay_go(p, next, error);
        if (status == QD_OK) status = qdi_replay_go(q, next, error);
    }
    if (status != QD_OK) return status;
    diff->step = qd_world_steps(p->world);
    status = qdi_gap_find(p->world, q->world, true, list, &diff->gap);
    diff->named = diff->gap.all.fields > 0;
    return status;
}

/// The first sound state that a run has stored at a step >= `from`; the replay is put there.
/// QD_ERR_NOT_FOUND: there is none.
static qd_status load_next(qdi_diff_side *side, uint64_t from, qd_error *error) {
    qd_store *store = side->past.store;
    for (;;) {
        qd_store_state snapshot, checkpoint;
        qd_status one = qd_store_next_snapshot(store, from, &snapshot, error);
        qd_status two = qd_store_next_checkpoint(store, from, &checkpoint, error);
        bool first = one != QD_ERR_NOT_FOUND && (two == QD_ERR_NOT_FOUND || snapshot.step <= checkpoint.step);
        qd_store_state *moment = first ? &snapshot : &checkpoint;
        qd_status status = first ? one : two;
        if (status == QD_OK)
            status = qdi_replay_load(&side->replay, moment->world, moment->world_bytes, error);
        uint64_t step = moment->step;
        if (one == QD_OK) qd_store_state_free(store, &snapshot);
        if (two == QD_OK) qd_store_state_free(store, &checkpoint);
        if (status != QD_ERR_CORRUPT || step < from) return status; // a damaged one is passed over
        from = step + 1;
    }
}

/// Puts a side at a step >= `from`, which becomes `*at`: one that replays to that very step.
/// QD_ERR_NOT_FOUND: that cannot be.
static qd_status put_at(qdi_diff_side *side, uint64_t from, uint64_t *at, qd_error *error) {
    if (from > side->past.plan.steps) return QD_ERR_NOT_FOUND;
    qd_status status = QD_OK;
    if (!side->replay.world || qd_world_steps(side->replay.world) < from) {
        status = side->replayable ? qdi_replay_go(&side->replay, from, error) : load_next(side, from, error);
        if (side->replayable && is_no_replay(status)) status = QD_ERR_NOT_FOUND;
    }
    if (status == QD_OK) *at = qd_world_steps(side->replay.world);
    return status;
}

/// diff of two runs: from the last equal step on, at steps of which a state is known in both.
static qd_status search_states(qdi_diff *diff, bool list, qd_error *error) {
    qd_status status = QD_OK;
    for (int k = 0; k < 2 && status == QD_OK; ++k) {
        qdi_diff_side *side = &diff->side[k];
        qdi_replay_end(&side->replay);
        if (side->replayable) status = qdi_replay_load(&side->replay, side->kept, side->kept_bytes, error);
    }
    uint64_t from = diff->has_equal ? diff->equal_at + 1 : 0, at[2] = {0, 0};
    while (status == QD_OK && !diff->named) {
        status = put_at(&diff->side[0], from, &at[0], error);
        if (status == QD_OK) status = put_at(&diff->side[1], at[0] > from ? at[0] : from, &at[1], error);
        if (status != QD_OK) break;
        from = at[0] > at[1] ? at[0] : at[1];
        if (at[0] != at[1]) continue;
        status = qdi_gap_find(diff->side[0].replay.world, diff->side[1].replay.world, true, list, &diff->gap);
        diff->step = from++;
        diff->named = diff->gap.all.fields > 0;
    }
    return status == QD_ERR_NOT_FOUND ? QD_OK : status;
}

qd_status qdi_diff_name(qdi_diff *diff, const qdi_common *common, bool list, qd_error *error) {
    qdi_progress progress = qdi_replay_progress(common, diff->differs_at);
    qd_status status = QD_OK;
    for (int k = 0; k < 2 && status == QD_OK; ++k) {
        qdi_diff_side *side = &diff->side[k];
        side->replay = (qdi_replay){.past = &side->past,
                                    .threads = diff->threads,
                                    .adapt_threads = diff->adapt_threads,
                                    .progress = &progress};
        status = prepare_side(diff, side, error);
        side->replay.progress = NULL;
    }
    qdi_progress_end(&progress);
    if (status != QD_OK) return status;
    return diff->side[0].replayable && diff->side[1].replayable ? step_both(diff, list, error)
                                                                : search_states(diff, list, error);
}

void qdi_diff_end(qdi_diff *diff) {
    for (int k = 0; k < 2; ++k) {
        qdi_diff_side *side = &diff->side[k];
        qdi_release(qd_allocator_default(), side->kept, side->kept_bytes, 1);
        qdi_replay_end(&side->replay);
        qdi_recorded_close(&side->past);
    }
}
