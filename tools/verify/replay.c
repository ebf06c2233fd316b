#include "tools/verify/replay.h"

#include "sim/files/os.h"
#include "sim/rundir/run_files.h"
#include "tools/host/console.h"
#include "tools/host/exit_codes.h"
#include "tools/host/failure.h"
#include "tools/host/os.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PATH_SIZE = 4096 };

// ---- a run directory ----

int qdi_recorded_fail(qd_status status, const qd_error *error) {
    bool scene = status == QD_ERR_INVALID || status == QD_ERR_VALUE;
    return qdi_fail(status, error, scene ? QDI_EXIT_SCENE : QDI_EXIT_OUTPUT);
}

/// Whether the run is complete, and how far it has come. It may get complete meanwhile: so its result is
/// looked for first, and what is said is true of that moment.
static qd_status look_how_far(qdi_recorded *past, qd_error *error) {
    char path[PATH_SIZE];
    snprintf(path, sizeof path, "%s/result.json", past->directory);
    past->complete = qdi_os_is_file(path);
    past->last_step = past->plan.steps;
    qd_until_rule rule;
    const bool fixed = !qd_scene_until(past->scene, 0, &rule) && qd_scene_stages(past->scene) == 0;
    if (past->complete && fixed) return QD_OK;
    if (past->complete) { // a rule or the end of a stage may have ended it sooner; its last step is a
                          // checkpoint
        qd_status status = qd_store_last_step(past->store, &past->last_step, error);
        if (past->last_step < past->plan.steps) past->plan.steps = past->last_step;
        return status;
    }
    snprintf(path, sizeof path, "%s/lock", past->directory);
    past->going_on = qdi_os_lock_is_held(path);
    return qd_store_last_step(past->store, &past->last_step, error);
}

int qdi_recorded_open(qdi_recorded *past, const char *directory) {
    char path[PATH_SIZE];
    qd_error error = {""};
    past->directory = directory;
    if (strlen(directory) + sizeof "/scene.yaml" > sizeof path) {
        qdi_complain("the name of the run directory is longer than %d characters", PATH_SIZE - 20);
        return QDI_EXIT_SCENE;
    }
    if (!qdi_os_is_directory(directory)) {
        qdi_complain("there is no run directory %s", directory);
        return QDI_EXIT_SCENE;
    }
    qd_status status = qdi_run_files_check(directory, &error);
    if (status != QD_OK) return qdi_fail(status, &error, QDI_EXIT_OUTPUT);
    snprintf(path, sizeof path, "%s/scene.yaml", directory);
    status = qd_scene_read(path, NULL, &past->scene, &error);
    if (status != QD_OK) return qdi_fail(status, &error, QDI_EXIT_SCENE);
    past->plan = qd_scene_run_settings(past->scene);
    snprintf(path, sizeof path, "%s/run.db", directory);
    status = qd_store_open(path, QD_STORE_READ, NULL, &past->store, &error);
    if (status == QD_OK) status = qd_store_read_run(past->store, &past->run, &error);
    if (status == QD_OK) status = qdi_course_read(past->store, &past->course, &error);
    if (status == QD_OK) status = look_how_far(past, &error);
    return status == QD_OK ? QDI_EXIT_DONE : qdi_fail(status, &error, QDI_EXIT_OUTPUT);
}

void qdi_recorded_words(const qdi_recorded *past, char *text, size_t bytes) {
    text[0] = '\0';
    if (past->complete) return;
    const size_t stages = past->course.count;
    snprintf(text, bytes, "%.300s %s: it is recorded up to step %" PRIu64 " of %" PRIu64 "%s%s",
             past->directory, past->going_on ? "is going on" : "is not complete", past->last_step,
             past->plan.steps, stages > 0 ? ", in stage " : "",
             stages > 0 ? past->course.row[qdi_course_stage(&past->course, past->last_step)].name : "");
}

void qdi_recorded_say(const qdi_recorded *past, const qdi_common *common) {
    char text[PATH_SIZE];
    qdi_recorded_words(past, text, sizeof text);
    if (text[0] && !common->quiet) fprintf(stderr, "note     %s\n", text);
}

void qdi_recorded_close(qdi_recorded *past) {
    if (past->store) qd_store_run_free(past->store, &past->run);
    qd_status status = qd_store_close(past->store, NULL);
    (void)status; // nothing was written
    qd_scene_destroy(past->scene);
    *past = (qdi_recorded){.directory = past->directory};
}

qd_status qdi_recorded_hash(const qdi_recorded *past, uint64_t step, uint64_t *hash) {
    uint64_t found;
    qd_status status = qd_store_next_hash(past->store, step, &found, hash, NULL);
    return status == QD_OK && found != step ? QD_ERR_NOT_FOUND : status;
}

// ---- stepping it again ----

// Drops the world of a replay, so that it starts over.
static void restart_replay(qdi_replay *replay) {
    qd_world_destroy(replay->world);
    replay->world = NULL;
}

/// Replayed run: a limit that was passed, in one line.
static qd_status limit_reason(const qd_world *world, qd_error *error) {
    qd_limit_report report = qd_world_limit_report(world);
    if (report.has_body)
        snprintf(error->text, sizeof error->text, "step %" PRIu64 ": body %" PRIu64 ": %s", report.step,
                 report.label, report.reason);
    else
        snprintf(error->text, sizeof error->text, "step %" PRIu64 ": %s", report.step, report.reason);
    return QD_ERR_LIMIT;
}

uint64_t qdi_replay_hash(const qdi_replay *replay) {
    return qd_world_hash_as(replay->world, qd_store_hash_form(replay->past->store));
}

qd_status qdi_replay_begin(qdi_replay *replay, qd_error *error) {
    restart_replay(replay);
    qd_world_def def = qd_scene_world(replay->past->scene);
    def.threads = replay->threads;
    qd_status status = qd_world_create(&def, &replay->world);
    if (status == QD_OK) status = qd_world_adapt_threads(replay->world, replay->adapt_threads);
    if (status == QD_OK) status = qd_scene_populate(replay->past->scene, replay->world, error);
    if (status == QD_OK) status = qd_world_detect(replay->world);
    return status == QD_ERR_LIMIT ? limit_reason(replay->world, error) : status;
}

qd_status qdi_replay_load(qdi_replay *replay, const unsigned char *data, size_t bytes, qd_error *error) {
    restart_replay(replay);
    qd_status status = qd_world_load(data, bytes, replay->threads, NULL, &replay->world, error);
    return status == QD_OK ? qd_world_adapt_threads(replay->world, replay->adapt_threads) : status;
}

qd_status qdi_replay_next_snapshot(qdi_replay *replay, uint64_t from, uint64_t *step, qd_error *error) {
    qd_store *store = replay->past->store;
    qd_store_state moment;
    qd_status status = qd_store_next_snapshot(store, from, &moment, error);
    if (status != QD_OK) return status;
    *step = moment.step;
    status = qdi_replay_load(replay, moment.world, moment.world_bytes, error);
    if (status == QD_ERR_CORRUPT) {
        qd_error reason = *error;
        snprintf(error->text, sizeof error->text, "the snapshot of step %" PRIu64 ": %.400s", moment.step,
                 qdi_failure_reason(status, &reason));
    }
    qd_store_state_free(store, &moment);
    return status;
}

qd_status qdi_replay_begin_near(qdi_replay *replay, uint64_t most, qd_error *error) {
    qd_store_state moment;
    qd_store *store = replay->past->store;
    qd_status status = qd_store_last_checkpoint(store, most, &moment, NULL);
    if (status == QD_OK) {
        status = qdi_replay_load(replay, moment.world, moment.world_bytes, error);
        qd_store_state_free(store, &moment);
        if (status != QD_ERR_CORRUPT) return status;
    }
    // No checkpoint, or none that is any good: all that it takes is in the scene.
    return status == QD_ERR_NOT_FOUND || status == QD_ERR_CORRUPT ? qdi_replay_begin(replay, error) : status;
}

// Begins the stage that is due before the next step of a replay, if one is.
static qd_status begin_replayed_stage(const qdi_replay *replay, qd_error *error) {
    const qdi_course *course = &replay->past->course;
    if (!qdi_course_due(course, replay->world)) return QD_OK;
    qd_status status = QD_OK;
    if (replay->change) status = replay->change(replay->context, replay->world, false);
    if (status == QD_OK) status = qdi_course_begin(course, replay->past->scene, replay->world, error);
    return status == QD_OK && replay->change ? replay->change(replay->context, replay->world, true) : status;
}

qd_status qdi_replay_go(qdi_replay *replay, uint64_t step, qd_error *error) {
    qd_status status = qd_world_set_stop(replay->world, qdi_host_asked_to_stop, NULL);
    if (status == QD_OK && replay->note_threads) status = qd_world_note_threads(replay->world, true);
    while (status == QD_OK && qd_world_steps(replay->world) < step) {
        const bool last = qd_world_steps(replay->world) + 1 == step;
        status = begin_replayed_stage(replay, error);
        if (status == QD_OK && last && replay->watch_stress) status = qd_world_watch_stress(replay->world);
        if (status == QD_OK && last && replay->watch) status = replay->watch(replay->context, replay->world);
        if (status == QD_OK) status = qd_world_step(replay->world, replay->past->plan.dt, NULL);
        if (status == QD_OK && replay->progress)
            qdi_progress_step(replay->progress, qd_world_steps(replay->world));
    }
    return status == QD_ERR_LIMIT ? limit_reason(replay->world, error) : status;
}

void qdi_replay_end(qdi_replay *replay) {
    restart_replay(replay);
}

qdi_progress qdi_replay_progress(const qdi_common *common, uint64_t steps) {
    const char *no_colour = getenv("NO_COLOR");
    qdi_progress_style style = qdi_host_stderr_is_terminal() ? QDI_PROGRESS_BAR : QDI_PROGRESS_LINES;
    if (common->quiet || common->no_progress) style = QDI_PROGRESS_NONE;
    return qdi_progress_start(style, !common->no_colour && !(no_colour && *no_colour), 0, steps);
}

// ---- what two worlds differ in ----

typedef struct gap_search {
    qdi_gap *gap;
    bool sums, list, found;
    uint64_t passed_over; ///< sums
} gap_search;

/// Whether a field of the world is a sum over bodies or contacts.
static bool is_sum(const qd_difference *difference) {
    static const char *const sums[] = {"balance.", "rates.", "totals.wall_", "entered", "pressed"};
    for (size_t i = 0; difference->of == QD_DIFFERENCE_WORLD && i < sizeof sums / sizeof sums[0]; ++i)
        if (strncmp(difference->field, sums[i], strlen(sums[i])) == 0) return true;
    return false;
}

/// How much a difference tells: a body's more than what follows from it.
static int difference_weight(qd_difference_of of) {
    switch (of) {
    case QD_DIFFERENCE_BODY: return 4;
    case QD_DIFFERENCE_EMITTER:
    case QD_DIFFERENCE_SINK: return 3;
    case QD_DIFFERENCE_CONTACT: return 2;
    case QD_DIFFERENCE_WORLD: break;
    }
    return 1;
}

// Notes or prints a difference between the recorded and the replayed world.
static bool visit_difference(void *context, const qd_difference *difference) {
    gap_search *search = context;
    qdi_gap *gap = search->gap;
    if (difference->work) return true;
    if (!search->sums && is_sum(difference)) {
        search->passed_over += 1;
        return true;
    }
    if (search->list)
        printf("  %s: %s%s%s, %s\n", difference->subject, difference->field, difference->field[0] ? ": " : "",
               difference->first, difference->second);
    if (search->found && difference_weight(difference->of) <= difference_weight(gap->of)) return true;
    search->found = true;
    gap->of = difference->of;
    gap->label = difference->label;
    snprintf(gap->subject, sizeof gap->subject, "%s", difference->subject);
    snprintf(gap->field, sizeof gap->field, "%s", difference->field);
    snprintf(gap->first, sizeof gap->first, "%s", difference->first);
    snprintf(gap->second, sizeof gap->second, "%s", difference->second);
    return true;
}

qd_status qdi_gap_find(const qd_world *first, const qd_world *second, bool sums, bool list, qdi_gap *gap) {
    memset(gap, 0, sizeof *gap);
    gap_search search = {.gap = gap, .sums = sums, .list = list};
    qd_status status = qd_world_compare(first, second, visit_difference, &search, &gap->all);
    gap->all.fields -= search.passed_over;
    return status;
}

bool qdi_recorded_sums(const qdi_recorded *past) {
    return qd_store_hash_form(past->store) > 1;
}

// Replayed run: the letter that makes a word a plural.
static const char *plural_end(uint64_t count) {
    return count == 1 ? "" : "s";
}

void qdi_gap_words(const qdi_gap *gap, const char *name, const char *other, char *text, size_t bytes) {
    const qd_comparison *all = &gap->all;
    int used = snprintf(text, bytes, "%s%s%s is %s in %s, %s in %s", gap->subject, gap->field[0] ? ": " : "",
                        gap->field, gap->first, name, gap->second, other);
    if (used < 0 || (size_t)used >= bytes || all->fields == 1) return;
    snprintf(text + used, bytes - (size_t)used,
             " (%" PRIu64 " fields differ, of %" PRIu64 " bod%s and %" PRIu64 " contact%s)", all->fields,
             all->bodies, all->bodies == 1 ? "y" : "ies", all->contacts, plural_end(all->contacts));
}
