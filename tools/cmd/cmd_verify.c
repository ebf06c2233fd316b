#include "tools/cmd/command.h"
#include "tools/host/console.h"
#include "tools/host/exit_codes.h"
#include "tools/host/threads_here.h"
#include "tools/verify/verify.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { THREADS_MOST = 64 };

typedef struct verify_settings {
    qdi_common common;
    const char *directory;
    const char *threads;
    bool json;
} verify_settings;

typedef struct verify_job {
    verify_settings settings;
    int threads[THREADS_MOST];
    size_t replays;
    qdi_recorded past;
    qdi_json json;
    qdi_findings findings;
    qdi_verified verified;
} verify_job;

/// Command verify: reads "1,2,3".
static bool read_threads(verify_job *job, const char *text) {
    for (const char *at = text;; ++at) {
        size_t length = strcspn(at, ",");
        char number[24];
        uint64_t value;
        if (length >= sizeof number || job->replays == THREADS_MOST) return false;
        memcpy(number, at, length);
        number[length] = '\0';
        if (!qdi_read_whole(number, 1, QD_TEAM_MAX, &value)) return false;
        job->threads[job->replays++] = (int)value;
        at += length;
        if (*at == '\0') return true;
    }
}

// Command verify: the numbers of threads that `quadrille verify` replays a run with.
static int choose_replay_threads(verify_job *job) {
    const verify_settings *settings = &job->settings;
    if (!settings->threads) {
        job->threads[job->replays++] = qdi_threads_here(0, settings->common.quiet).threads;
        return QDI_EXIT_DONE;
    }
    if (read_threads(job, settings->threads)) return QDI_EXIT_DONE;
    qdi_complain("--threads: '%.80s' is not a list of at most %d numbers of threads, as 1,2,4",
                 settings->threads, THREADS_MOST);
    return QDI_EXIT_USAGE;
}

/// scene.yaml and the files beside it must be what the run was made from.
static void check_scene(verify_job *job) {
    uint64_t here = qd_scene_hash(job->past.scene), stored = job->past.run.scene_hash;
    if (here == stored) return;
    char words[160];
    snprintf(words, sizeof words, "run.db has %016" PRIx64 ", scene.yaml and its files have %016" PRIx64,
             stored, here);
    const qdi_finding finding = {"scene hash", QDI_NO_STEP, words, NULL};
    qdi_findings_add(&job->findings, &finding);
}

// Command verify: checks run.db of the run that is verified.
static qd_status verify_database(verify_job *job, qd_error *error) {
    qd_error reason = {""};
    qd_status status = qd_store_check(job->past.store, &reason);
    if (status == QD_ERR_CORRUPT) {
        const qdi_finding finding = {"run.db", QDI_NO_STEP, reason.text, NULL};
        qdi_findings_add(&job->findings, &finding);
        return QD_OK;
    }
    if (status != QD_OK) *error = reason;
    return status;
}

// Checks scene, database, result and frames of a run without replaying it.
static qd_status verify_files(verify_job *job, qd_error *error) {
    const qdi_common *common = &job->settings.common;
    check_scene(job);
    qd_status status = verify_database(job, error);
    const qdi_verify_result result = qdi_verify_read_result(&job->past, &job->findings);
    if (status == QD_OK)
        status = qdi_verify_frames(&job->past, result.there, &job->findings, &job->verified, error);
    bool list = common->verbose && !job->settings.json;
    for (size_t i = 0; i < job->replays && status == QD_OK; ++i)
        status = qdi_verify_replay(&job->past, job->threads[i], &result, list, common, &job->findings,
                                   &job->verified, error);
    return status == QD_OK ? job->findings.status : status;
}

// Command verify: begins the JSON of `quadrille verify`.
static void open_verify_json(verify_job *job) {
    qdi_json *json = &job->json;
    qdi_json_open(json, NULL, '{');
    qdi_json_text(json, "directory", job->settings.directory);
    qdi_json_hash(json, "scene_hash", job->past.run.scene_hash);
    qdi_json_open(json, "threads", '[');
    for (size_t i = 0; i < job->replays; ++i) qdi_json_whole(json, NULL, (uint64_t)job->threads[i]);
    qdi_json_close(json, ']');
    qdi_json_open(json, "findings", '[');
}

// Command verify: ends the JSON of `quadrille verify`.
static qd_status close_verify_json(verify_job *job) {
    qdi_json *json = &job->json;
    qdi_json_close(json, ']');
    qdi_json_truth(json, "complete", job->past.complete);
    qdi_json_whole(json, "last_step", job->past.last_step);
    qdi_json_whole(json, "hashes", job->verified.hashes);
    qdi_json_whole(json, "metrics", job->verified.metrics);
    qdi_json_whole(json, "fields", job->verified.fields);
    qdi_json_whole(json, "distributions", job->verified.distributions);
    qdi_json_whole(json, "snapshots", job->verified.snapshots);
    qdi_json_whole(json, "checkpoints", job->verified.checkpoints);
    qdi_json_whole(json, "frames", job->verified.frames);
    qdi_json_whole(json, "events", job->verified.events);
    qdi_json_whole(json, "failures", job->verified.failures);
    qdi_json_close(json, '}');
    if (json->status == QD_OK) fputs(json->text, stdout);
    return json->status;
}

/// Command verify: "1, 2 and 3 threads".
static void write_threads(const verify_job *job, char *text, size_t bytes) {
    size_t used = 0;
    for (size_t i = 0; i < job->replays && used < bytes; ++i) {
        const char *before = i == 0 ? "" : i + 1 < job->replays ? ", " : " and ";
        used += (size_t)snprintf(text + used, bytes - used, "%s%d", before, job->threads[i]);
    }
    if (used < bytes)
        snprintf(text + used, bytes - used, " thread%s",
                 job->replays == 1 && job->threads[0] == 1 ? "" : "s");
}

// Command verify: prints whether a run is as it was recorded.
static int say_verify_verdict(const verify_job *job) {
    const qdi_findings *findings = &job->findings;
    const qdi_verified *verified = &job->verified;
    if (findings->count > 0) {
        if (findings->count == 1)
            qdi_complain("%s is not as it was recorded: %s", job->settings.directory, findings->first);
        else
            qdi_complain("%s is not as it was recorded: %zu findings, the first: %s", job->settings.directory,
                         findings->count, findings->first);
        return QDI_EXIT_INVARIANT;
    }
    if (job->settings.common.quiet || job->settings.json) return QDI_EXIT_DONE;
    char threads[320], far[96] = "";
    write_threads(job, threads, sizeof threads);
    if (!job->past.complete)
        snprintf(far, sizeof far, " up to step %" PRIu64 " of %" PRIu64 ", where the run is not complete",
                 job->past.last_step, job->past.plan.steps);
    const struct {
        uint64_t count;
        const char *one, *many;
    } rows[] = {{verified->hashes, "hash", "hashes"},
                {verified->metrics, "row of metrics", "rows of metrics"},
                {verified->snapshots, "snapshot", "snapshots"},
                {verified->checkpoints, "checkpoint", "checkpoints"},
                {verified->frames, "frame", "frames"},
                {verified->events, "event", "events"},
                {verified->failures, "failure", "failures"},
                {verified->fields, "step of fields", "steps of fields"},
                {verified->distributions, "step of distributions", "steps of distributions"}};
    enum { ALWAYS = 7 }; // the others only where there are some
    printf("%s: all as recorded%s, replayed with %s", job->settings.directory, far, threads);
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; ++i) {
        if (i >= ALWAYS && rows[i].count == 0) continue;
        printf("%s %" PRIu64 " %s", i == 0 ? ":" : ",", rows[i].count,
               rows[i].count == 1 ? rows[i].one : rows[i].many);
    }
    printf("\n");
    return QDI_EXIT_DONE;
}

// `quadrille verify`: checks a run directory and replays it.
static int verify_command(void *context) {
    verify_job *job = context;
    job->json.allocator = job->findings.allocator = qd_allocator_default();
    int exit_code = choose_replay_threads(job);
    if (exit_code == QDI_EXIT_DONE) exit_code = qdi_recorded_open(&job->past, job->settings.directory);
    if (exit_code != QDI_EXIT_DONE) return exit_code;
    if (job->past.going_on) {
        qdi_complain("%s is in use by another run: what is not complete can be verified when it has stopped",
                     job->settings.directory);
        return QDI_EXIT_OUTPUT;
    }
    job->findings.directory = job->settings.directory;
    if (job->settings.json) {
        job->findings.json = &job->json;
        open_verify_json(job);
    }
    qd_error error = {""};
    qd_status status = verify_files(job, &error);
    if (status == QD_OK && job->settings.json) status = close_verify_json(job);
    return status == QD_OK ? say_verify_verdict(job) : qdi_recorded_fail(status, &error);
}

// Command verify: frees what `quadrille verify` worked with.
static void verify_end(void *context) {
    verify_job *job = context;
    qdi_findings_free(&job->findings);
    qdi_json_free(&job->json);
    qdi_recorded_close(&job->past);
}

static const qdi_option verify_options[] = {
    {"--threads", 0, QDI_OPTION_TEXT, "LIST", 0, 0, offsetof(verify_settings, threads),
     "replay with each of these numbers of threads, as 1,2,4; default one replay"},
    {"--json", 0, QDI_OPTION_FLAG, NULL, 0, 0, offsetof(verify_settings, json),
     "print what was found as JSON on the standard output"},
};

const qdi_command qdi_command_verify = {
    &(const qdi_syntax){.command = "verify",
                        .options = verify_options,
                        .option_count = sizeof verify_options / sizeof verify_options[0],
                        .word = "DIR",
                        .word_offset = offsetof(verify_settings, directory),
                        .needed = true},
    "replay a run and compare it with what was recorded",
    "  quadrille verify pool-1a2b3c4d                    all that it recorded\n"
    "  quadrille verify out --threads 1,2,4              the same with each number of threads\n"
    "  quadrille verify out -v                           and every field that differs\n",
    "a run directory; nothing in it is changed",
    sizeof(verify_job),
    verify_command,
    verify_end,
};
