// Going on with a run. Where it can be gone on from is decided here: the last checkpoint that is sound and
// before which no frame is missing. Everything later than that, rows and files, is deleted; then the run is
// as it was at that moment.

#include "core/base/cookie.h"
#include "core/base/memory.h"
#include "core/parallel/parallel.h"
#include "sim/step/load.h"
#include "sim/store/store_ranges.h"
#include "sim/world/world_team.h"
#include "tools/host/console.h"
#include "tools/host/exit_codes.h"
#include "tools/host/failure.h"
#include "tools/session/session.h"
#include "tools/session/session_state.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/// Resumed session: the scene of the directory, changed, and whether it is the one that is wanted.
static int read_scene(qdi_session *session, const qd_scene_changes *changes, const uint64_t *wanted) {
    char path[QDI_SESSION_PATH + 16];
    qd_error error = {""};
    (void)qdi_session_path(session, "scene.yaml", path, sizeof path);
    qd_scene *scene = NULL;
    qd_status status = qd_scene_read(path, changes, &scene, &error);
    if (status != QD_OK) return qdi_fail(status, &error, QDI_EXIT_SCENE);
    qd_scene_destroy(session->scene);
    session->scene = scene;
    session->plan = qd_scene_run_settings(scene);
    uint64_t hash = qd_scene_hash(scene);
    if (!wanted || *wanted == hash) return QDI_EXIT_DONE;
    qdi_complain("%s holds a run of another scene: its hash is %016" PRIx64 ", not %016" PRIx64
                 "; --force replaces it, -o DIR writes elsewhere",
                 session->directory, hash, *wanted);
    return QDI_EXIT_OUTPUT;
}

int qdi_session_open(qdi_session *session, const uint64_t *wanted, bool *there, bool *complete) {
    qd_error error = {""};
    *complete = false;
    qd_status status = qd_rundir_open(session->directory, &session->rundir, &error);
    *there = status != QD_ERR_NOT_FOUND;
    if (!*there) {
        session->error = error;
        return QDI_EXIT_DONE;
    }
    if (status != QD_OK) return qdi_fail(status, &error, QDI_EXIT_OUTPUT);
    int exit_code = read_scene(session, NULL, wanted);
    if (exit_code != QDI_EXIT_DONE) return exit_code;
    *complete = qd_rundir_complete(session->rundir);
    if (!*complete) return qdi_session_find_video(session);
    qdi_session_clear_joined_video(session);
    return QDI_EXIT_DONE;
}

/// Writes the scene with more steps. The store follows when the run is restored: it knows its scene but for
/// the steps.
static int write_longer(qdi_session *session) {
    qd_error error = {""};
    size_t bytes = 0;
    char *text = qdi_session_scene_text(session, &bytes);
    qd_status status = text ? qd_rundir_extend(session->rundir, text, &error) : QD_ERR_MEMORY;
    qdi_release(qd_allocator_default(), text, bytes, 1);
    return status == QD_OK ? QDI_EXIT_DONE : qdi_fail(status, &error, QDI_EXIT_OUTPUT);
}

/// Whether a complete run was ended by a rule or by its last stage, not by `run.steps`; and its last step.
static int find_early_end(const qdi_session *session, bool *early, uint64_t *last) {
    char path[QDI_SESSION_PATH + 16];
    qd_error error = {""};
    qd_until_rule rule;
    qd_scene_stage stage = {.name = NULL};
    const size_t stages = qd_scene_stages(session->scene);
    if (stages > 0) (void)qd_scene_stage_at(session->scene, stages - 1, &stage);
    *early = false;
    if (!qd_scene_until(session->scene, 0, &rule) && stages == 0) return QDI_EXIT_DONE;
    (void)qdi_session_path(session, "run.db", path, sizeof path);
    qd_store *store = NULL;
    qd_status status = qd_store_open(path, QD_STORE_READ, NULL, &store, &error);
    if (status == QD_OK) status = qd_store_last_step(store, last, &error);
    qdi_course course;
    if (status == QD_OK) status = qdi_course_read(store, &course, &error);
    qd_status closed = qd_store_close(store, NULL);
    (void)closed; // nothing was written
    if (status != QD_OK) return qdi_fail(status, &error, QDI_EXIT_OUTPUT);
    const bool over = stages > 0 && course.count == stages && stage.most > 0 &&
                      *last - course.row[stages - 1].step >= stage.most;
    *early = *last < session->plan.steps || over;
    return QDI_EXIT_DONE;
}

/// The scene with so many steps; `past`: whatever rules and the last stage say.
static int read_longer(qdi_session *session, uint64_t steps, bool past) {
    char set[64], least[64];
    snprintf(set, sizeof set, "run.steps=%" PRIu64, steps);
    snprintf(least, sizeof least, "run.at_least=%" PRIu64, steps);
    const char *sets[] = {set, least};
    return read_scene(session, &(qd_scene_changes){sets, past ? 2 : 1, 0}, NULL);
}

int qdi_session_extend(qdi_session *session, uint64_t steps, bool *complete) {
    uint64_t before = session->plan.steps, last = 0;
    bool past = false;
    int exit_code = *complete ? find_early_end(session, &past, &last) : QDI_EXIT_DONE;
    if (exit_code != QDI_EXIT_DONE || (steps == before && !past)) return exit_code;
    if (steps < before) {
        qdi_complain("--steps %" PRIu64 ": %s has %" PRIu64 " steps already, and a run gets no shorter",
                     steps, session->directory, before);
        return QDI_EXIT_USAGE;
    }
    exit_code = read_longer(session, steps, past);
    if (exit_code == QDI_EXIT_DONE && *complete) exit_code = qdi_session_find_video(session);
    if (exit_code != QDI_EXIT_DONE) return exit_code;
    if (past && !session->common.quiet)
        fprintf(stderr,
                "note     %s was ended at step %" PRIu64 " by a rule or its last stage; it goes on to step "
                "%" PRIu64 " whatever these say (run.at_least)\n",
                session->directory, last, steps);
    if (*complete && session->video_file) {
        if (!session->common.quiet)
            qdi_warn("%s ends at step %" PRIu64
                     " and stays as it is; `quadrille video %s -o FILE` makes one of "
                     "all frames",
                     session->video_file, past ? last : before, session->directory);
        session->video_file = NULL;
    }
    *complete = false;
    return write_longer(session);
}

/// A checkpoint that was looked at.
typedef struct candidate {
    qd_world *world;
    qdi_store_ranges *ranges; ///< the world is read by ranks, each a part, and `world` has no bodies
    qdi_saved saved;          ///< what they read
    qdi_session_state state;
    size_t bytes;        ///< of the world's
    unsigned char *past; ///< state.past_bytes
} candidate;

// Frees a checkpoint that a run does not resume from.
static void drop_candidate(candidate *found) {
    qd_world_destroy(found->world);
    qdi_ranges_close(found->ranges);
    if (found->past) qdi_release(qd_allocator_default(), found->past, (size_t)found->state.past_bytes, 1);
    found->world = NULL;
    found->ranges = NULL;
    found->past = NULL;
}

/// Copies the bytes behind the session's state. Errors: QD_ERR_MEMORY.
static qd_status read_past(const qd_store_state *moment, candidate *found) {
    size_t size = (size_t)found->state.past_bytes;
    if (size == 0) return QD_OK;
    found->past = qdi_allocate(qd_allocator_default(), size, 1);
    if (!found->past) return QD_ERR_MEMORY;
    memcpy(found->past, moment->session + QDI_SESSION_STATE_BYTES, size);
    return QD_OK;
}

// Resumed session: makes a world without bodies of the head of a saved one, with its materials.
static qd_status read_head(const qdi_session *session, candidate *found, qd_error *error) {
    unsigned char *head = NULL;
    size_t room = 0, fixed = qdi_load_head_bytes();
    qd_world_def def = {.cookie = QDI_COOKIE, .threads = session->threads.threads};
    qd_status status = qdi_reserve(qd_allocator_default(), &head, &room, 0, fixed, 1);
    if (status == QD_OK) status = qdi_ranges_read(found->ranges, 0, head, fixed, error);
    if (status == QD_OK)
        status = qdi_load_head(head, found->bytes, &def, &found->world, &found->saved, error);
    const size_t all = status == QD_OK ? qdi_saved_head_bytes(&found->saved) : fixed;
    if (status == QD_OK) status = qdi_reserve(qd_allocator_default(), &head, &room, 0, all, 1);
    if (status == QD_OK) status = qdi_ranges_read(found->ranges, fixed, head + fixed, all - fixed, error);
    const unsigned char *at = head + fixed;
    if (status == QD_OK) status = qdi_load_materials(&at, found->world, &found->saved);
    qdi_release(qd_allocator_default(), head, room, 1);
    return status;
}

/// Resumed session: reads a stored moment. Errors: QD_ERR_CORRUPT, QD_ERR_MEMORY, ...
static qd_status read_moment(const qdi_session *session, const qd_store_state *moment, candidate *found,
                             qd_error *error) {
    found->bytes = found->ranges ? (size_t)qdi_ranges_bytes(found->ranges) : moment->world_bytes;
    qd_status status = qdi_session_state_read(moment->session, moment->session_bytes, &found->state, error);
    if (status == QD_OK) status = read_past(moment, found);
    if (status == QD_OK && found->ranges)
        status = read_head(session, found, error);
    else if (status == QD_OK)
        status = qd_world_load(moment->world, moment->world_bytes, session->threads.threads, NULL,
                               &found->world, error);
    if (status == QD_OK) status = qdi_pin_team(&session->pin, qdi_world_team(found->world));
    if (status == QD_OK) status = qdi_session_adapt_threads(session, found->world);
    if (status != QD_OK) return status;
    const uint64_t frames = qdi_course_frames(&session->course, session->scene, moment->step);
    if (qd_world_steps(found->world) == moment->step && found->state.frames == frames) return QD_OK;
    snprintf(error->text, sizeof error->text, "it is of step %" PRIu64 " and frame %" PRIu64,
             qd_world_steps(found->world), found->state.frames);
    return QD_ERR_CORRUPT;
}

/// How many of the frames before a checkpoint are there, and the reason where not all are.
static uint64_t whole_frames(const qdi_session *session, const candidate *found, qd_error *error) {
    char path[QDI_SESSION_PATH + 16];
    uint64_t frames = found->state.frames;
    if (frames == 0) return 0;
    (void)qdi_session_path(session, "frames", path, sizeof path);
    if (session->plan.frames_files) frames = qd_frames_whole(path, frames, error);
    return frames == found->state.frames ? qdi_session_whole_video(session, frames, error) : frames;
}

// Resumed session: whether ranks are to read the world, each a part.
static bool reads_parts(const qdi_session *session) {
    return session->hash_form == QD_HASH_FORM && qdi_session_can_be_apart(session);
}

/// Looks for a place to go on from, from the last checkpoint back. Errors: QD_ERR_NOT_FOUND, with the reasons
/// why those that there are cannot be used, "" where there are none; others.
static qd_status find_checkpoint(qdi_session *session, candidate *found, qd_error *reasons) {
    uint64_t most = UINT64_MAX;
    bool parts = reads_parts(session);
    reasons->text[0] = '\0';
    for (;;) {
        qd_store_state moment;
        qd_error error = {""};
        *found = (candidate){.world = NULL};
        qd_status status = parts ? qdi_ranges_last(session->store, most, &moment, &found->ranges, &error)
                                 : qd_store_last_checkpoint(session->store, most, &moment, &error);
        if (error.text[0]) *reasons = error;
        if (status != QD_OK) return status;
        uint64_t step = moment.step, whole = 0;
        status = read_moment(session, &moment, found, &error);
        qd_store_state_free(session->store, &moment);
        if (status != QD_OK && status != QD_ERR_CORRUPT) {
            drop_candidate(found);
            *reasons = error;
            return status;
        }
        if (status == QD_OK && parts && !qdi_fleet_can_load(found->world, &found->saved)) {
            drop_candidate(found);
            parts = false; // this one as a whole
            most = step;
            continue;
        }
        if (status == QD_OK) whole = whole_frames(session, found, &error);
        if (status == QD_OK && whole == found->state.frames) return QD_OK;
        drop_candidate(found);
        if (status == QD_OK) { // before the frame that is missing
            *reasons = error;
            (void)qdi_course_frame_step(&session->course, session->scene, whole, &step);
        } else {
            snprintf(reasons->text, sizeof reasons->text, "the checkpoint of step %" PRIu64 ": %.400s", step,
                     qdi_failure_reason(status, &error));
        }
        if (step == 0) return QD_ERR_NOT_FOUND;
        most = step - 1;
    }
}

/// The frames that the store lists, which must be those that the checkpoint counted. `rows` has room for
/// them.
static qd_status read_frames(qdi_session *session, qd_frame_row *rows, uint64_t count, qd_error *error) {
    for (uint64_t i = 0; i < count; ++i) {
        qd_store_frame frame;
        qd_status status = qd_store_next_frame(session->store, i, &frame, error);
        if (status == QD_ERR_NOT_FOUND || (status == QD_OK && frame.number != i)) {
            snprintf(error->text, sizeof error->text, "%.300s/run.db does not list frame %" PRIu64,
                     session->directory, i);
            return QD_ERR_CORRUPT;
        }
        if (status != QD_OK) return status;
        rows[i] = (qd_frame_row){frame.number, frame.step, frame.time, frame.pixels,
                                 qdi_course_stage(&session->course, frame.step)};
    }
    return QD_OK;
}

// Goes on with means of fields and of distributions that were on their way.
static qd_status take_means(qdi_session *session, const qdi_session_state *state,
                            const unsigned char *bytes) {
    const size_t fields = (size_t)state->field_bytes, distributions = (size_t)state->distribution_bytes;
    qd_status status = fields > 0 ? qdi_session_make_field(session) : QD_OK;
    if (status == QD_OK && fields > 0) status = qd_field_load_sums(session->field, bytes, fields);
    if (status == QD_OK && distributions > 0) status = qdi_session_make_distributions(session);
    if (status == QD_OK && distributions > 0)
        status = qd_distributions_load(session->distributions, bytes + fields, distributions);
    return status;
}

/// Deletes all that is later than the checkpoint, and makes the writer of frames go on behind those that
/// stay.
static int go_back(qdi_session *session, const candidate *found) {
    const qdi_session_state *state = &found->state;
    const qd_allocator *allocator = qd_allocator_default();
    qd_error error = {""};
    qd_frame_row *rows = qdi_allocate(allocator, (size_t)state->frames + 1, sizeof *rows);
    qd_status status = rows ? read_frames(session, rows, state->frames, &error) : QD_ERR_MEMORY;
    if (status == QD_OK) status = qd_store_rewind(session->store, session->world, &error);
    if (status == QD_OK) status = qd_rundir_keep_frames(session->rundir, state->frames, &error);
    if (status == QD_OK) status = qdi_session_rewind_video(session, state->frames, &error);
    const size_t frame_bytes = (size_t)(state->past_bytes - state->field_bytes - state->distribution_bytes);
    if (status == QD_OK && state->past_bytes > frame_bytes)
        status = take_means(session, state, found->past + frame_bytes);
    const qdi_session_frames before = {rows, (size_t)state->frames, state->view_speed, found->past,
                                       frame_bytes};
    int exit_code = status == QD_OK ? qdi_session_make_writer(session, &before)
                                    : qdi_fail(status, &error, QDI_EXIT_OUTPUT);
    qdi_release(allocator, rows, (size_t)state->frames + 1, sizeof *rows);
    return exit_code;
}

// Gives the rules that end a run what they remembered at a checkpoint.
static qd_status resume_rules(qdi_session *session, const qdi_session_state *state, qd_error *error) {
    const uint64_t emitted = session->course.count > 0 ? session->course.row[0].first_id : 0;
    qd_status status = qdi_until_begin(&session->until, session->scene, QDI_UNTIL_RUN, 0, emitted,
                                       session->world, error);
    memcpy(session->until.memory, state->until, sizeof session->until.memory);
    const bool ended = session->steps_done >= session->plan.at_least;
    session->until.ended = ended && state->ended <= session->until.count ? state->ended : 0;
    if (status == QD_OK) status = qdi_session_take_stage(session, error);
    qdi_until *stage = &session->stage_until;
    memcpy(stage->memory, state->stage_until, sizeof stage->memory);
    stage->ended = session->steps_done >= stage->least && state->stage_ended <= stage->count
                       ? state->stage_ended
                       : 0;
    if (session->until.ended > 0 || qdi_session_last_stage_is_over(session))
        session->plan.steps = session->steps_done;
    return status;
}

/// A checkpoint that ranks read.
typedef struct range_source {
    qdi_store_ranges *ranges;
    qd_error *error;
} range_source;

// Resumed session: reads for ranks.
static qd_status read_range(void *context, uint64_t at, void *to, size_t bytes) {
    const range_source *source = context;
    return qdi_ranges_read(source->ranges, at, to, bytes, source->error);
}

// Resumed session: makes the ranks, which read the world.
static int load_parts(qdi_session *session, candidate *found) {
    qd_error error = {""};
    range_source from = {found->ranges, &error};
    const qdi_fleet_source source = {&from, read_range, session->plan.dt};
    const qd_status status = found->ranges ? qdi_fleet_make_loaded(session->world, session->common.processes,
                                                                   session->ranks, session->realm, &source,
                                                                   &found->saved, &session->fleet)
                                           : QD_OK;
    qdi_ranges_close(found->ranges);
    found->ranges = NULL;
    return status == QD_OK ? QDI_EXIT_DONE : qdi_fail(status, &error, QDI_EXIT_FAILED);
}

// Makes a loaded checkpoint the state of the session.
static int resume_candidate(qdi_session *session, candidate *found) {
    const qdi_session_state *state = &found->state;
    session->world = found->world;
    if (state->led) qdi_fleet_mark(session->world);
    // As every world that was loaded it has the best ones; which it has changes no result.
    if (qd_world_set_simd(session->world, session->simd) != QD_OK) session->simd = qd_simd_best();
    session->moment_bytes = found->bytes;
    session->steps_done = session->checkpoint_step = qd_world_steps(found->world);
    session->checkpointed = true;
    session->frames = state->frames;
    session->wall_before = state->wall_ns;
    session->result.energy_first = state->energy_first;
    session->result.profile = state->profile;
    memcpy(session->recorded_ns, state->recorded_ns, sizeof session->recorded_ns);
    qd_error error = {""};
    int exit_code = load_parts(session, found);
    if (exit_code == QDI_EXIT_DONE) exit_code = go_back(session, found);
    qd_status status = QD_OK;
    if (exit_code == QDI_EXIT_DONE) status = qdi_course_read(session->store, &session->course, &error);
    if (exit_code == QDI_EXIT_DONE && status == QD_OK) status = resume_rules(session, state, &error);
    if (status != QD_OK) exit_code = qdi_fail(status, &error, QDI_EXIT_OUTPUT);
    found->world = NULL; // the session's
    drop_candidate(found);
    if (exit_code != QDI_EXIT_DONE) return exit_code;
    session->start_ns = session->checkpoint_ns = qdi_clock_ns();
    if (session->common.quiet) return QDI_EXIT_DONE;
    qdi_session_header(session);
    qdi_session_forecast(session);
    return QDI_EXIT_DONE;
}

/// The run was killed before it had written step 0: nothing can be lost.
static int start_again(qdi_session *session) {
    qd_error error = {""};
    qd_status status = qd_store_close(session->store, &error);
    session->store = NULL;
    if (status == QD_OK) status = qd_rundir_clear(session->rundir, &error);
    if (status != QD_OK) return qdi_fail(status, &error, QDI_EXIT_OUTPUT);
    int exit_code = qdi_session_make_world(session);
    return exit_code == QDI_EXIT_DONE ? qdi_session_start(session) : exit_code;
}

/// Whether the directory's scene is the one that the run was begun with, but for a higher number of steps.
static bool has_more_steps(const qdi_session *session, const qd_store_run *run) {
    if (session->plan.steps < run->steps) return false;
    char path[QDI_SESSION_PATH + 16], set[64], least[64];
    (void)qdi_session_path(session, "scene.yaml", path, sizeof path); // body files lie beside it
    snprintf(set, sizeof set, "run.steps=%" PRIu64, session->plan.steps);
    snprintf(least, sizeof least, "run.at_least=%" PRIu64, session->plan.at_least);
    const char *sets[] = {set, least};
    qd_scene *scene = NULL;
    qd_status status = qd_scene_parse(run->scene_text, strlen(run->scene_text), path,
                                      &(qd_scene_changes){sets, 2, 0}, &scene, NULL);
    bool same = status == QD_OK && qd_scene_hash(scene) == qd_scene_hash(session->scene);
    qd_scene_destroy(scene);
    return same;
}

/// Takes the kernels that the run was begun with, where this processor has them and no others were asked for.
static void keep_simd(qdi_session *session, const qd_store_run *run) {
    qd_simd begun;
    if (session->simd_asked || !qd_simd_named(run->simd, &begun) || begun == QD_SIMD_AUTO ||
        !qd_simd_available(begun))
        return;
    session->simd = begun;
    session->simd_kept = begun != qd_simd_best();
}

/// Whether the store is that of the directory's scene; a run that got more steps since is told so.
static int check_store(qdi_session *session) {
    qd_store_run run;
    qd_error error = {""};
    qd_status status = qd_store_read_run(session->store, &run, &error);
    if (status != QD_OK) return qdi_fail(status, &error, QDI_EXIT_OUTPUT);
    uint64_t begun = run.scene_hash, hash = qd_scene_hash(session->scene);
    keep_simd(session, &run);
    bool longer = begun != hash && has_more_steps(session, &run);
    qd_store_run_free(session->store, &run);
    if (longer) status = qd_store_extend(session->store, session->scene, &error);
    if (status != QD_OK) return qdi_fail(status, &error, QDI_EXIT_OUTPUT);
    if (longer || begun == hash) return QDI_EXIT_DONE;
    qdi_complain("%s/scene.yaml is not the scene that the run was begun with: its hash is %016" PRIx64
                 ", not %016" PRIx64,
                 session->directory, hash, begun);
    return QDI_EXIT_OUTPUT;
}

int qdi_session_restore(qdi_session *session) {
    char path[QDI_SESSION_PATH + 16];
    qd_error error = {""};
    int video = qdi_session_prepare_video(session);
    if (video != QDI_EXIT_DONE) return video;
    (void)qdi_session_path(session, "run.db", path, sizeof path);
    qd_status status = qd_store_open(path, QD_STORE_GO_ON, NULL, &session->store, &error);
    session->hash_form = qd_store_hash_form(session->store);
    if (status == QD_ERR_NOT_FOUND) return start_again(session);
    if (status != QD_OK) return qdi_fail(status, &error, QDI_EXIT_OUTPUT);
    int exit_code = check_store(session);
    if (exit_code != QDI_EXIT_DONE) return exit_code;
    candidate found;
    status = qdi_course_read(session->store, &session->course, &error);
    if (status == QD_OK) status = find_checkpoint(session, &found, &error);
    if (status == QD_ERR_NOT_FOUND && !error.text[0]) return start_again(session);
    if (status == QD_ERR_NOT_FOUND || status == QD_ERR_CORRUPT) {
        qdi_complain("%s cannot be gone on with: %s; `quadrille run` with --force begins again",
                     session->directory, error.text);
        return QDI_EXIT_OUTPUT;
    }
    if (status != QD_OK) return qdi_fail(status, &error, QDI_EXIT_OUTPUT);
    if (error.text[0] && !session->common.quiet)
        qdi_warn("%s: going on from step %" PRIu64, error.text, qd_world_steps(found.world));
    return resume_candidate(session, &found);
}
