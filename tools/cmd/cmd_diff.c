#include "tools/cmd/command.h"
#include "tools/host/console.h"
#include "tools/host/exit_codes.h"
#include "tools/host/json.h"
#include "tools/host/threads_here.h"
#include "tools/verify/diff.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

typedef struct diff_settings {
    qdi_common common;
    const char *directories[2];
    bool json;
} diff_settings;

typedef struct diff_job {
    diff_settings settings;
    qdi_diff diff;
    qdi_json json;
    uint64_t keys; ///< that differ
} diff_job;

/// A line of what was found, unless it goes elsewhere.
static void say_difference(const diff_job *job, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
static void say_difference(const diff_job *job, const char *format, ...) {
    if (job->settings.json || job->settings.common.quiet) return;
    va_list arguments;
    va_start(arguments, format);
    vprintf(format, arguments);
    va_end(arguments);
}

// ---- scenes ----

// Tells a scene key in which two runs differ.
static bool diff_key(void *context, const char *key, const char *first, const char *second) {
    diff_job *job = context;
    const char *const *names = job->settings.directories;
    job->keys += 1;
    say_difference(job, "scene: %s: %s in %s, %s in %s\n", key, first ? first : "not there", names[0],
                   second ? second : "not there", names[1]);
    if (!job->settings.json) return true;
    qdi_json_open(&job->json, NULL, '{');
    qdi_json_text(&job->json, "key", key);
    if (first) qdi_json_text(&job->json, "first", first);
    if (second) qdi_json_text(&job->json, "second", second);
    qdi_json_close(&job->json, '}');
    return true;
}

// Compares the scenes of two runs, key by key.
static qd_status diff_scenes(diff_job *job) {
    qdi_json *json = &job->json;
    if (job->settings.json) {
        qdi_json_open(json, NULL, '{');
        qdi_json_text(json, "first", job->settings.directories[0]);
        qdi_json_text(json, "second", job->settings.directories[1]);
        qdi_json_open(json, "keys", '[');
    }
    qd_status status = qd_scene_compare(job->diff.side[0].past.scene, job->diff.side[1].past.scene, diff_key,
                                        job, NULL);
    if (job->settings.json) qdi_json_close(json, ']');
    return status;
}

// ---- states ----

// Command diff: tells a row of the hashes in which two runs differ.
static bool diff_hash_row(void *context, const char *directory, uint64_t step, const char *words) {
    diff_job *job = context;
    say_difference(job, "hashes: step %" PRIu64 ": %s%s%s\n", step, directory ? directory : "",
                   directory ? ": " : "", words);
    if (!job->settings.json) return true;
    qdi_json_open(&job->json, NULL, '{');
    qdi_json_whole(&job->json, "step", step);
    if (directory) qdi_json_text(&job->json, "directory", directory);
    qdi_json_text(&job->json, "what", words);
    qdi_json_close(&job->json, '}');
    return true;
}

// Command diff: writes the verdict of the comparison as JSON.
static void put_diff_json(diff_job *job) {
    qdi_json *json = &job->json;
    const qdi_diff *diff = &job->diff;
    qdi_json_whole(json, "steps_compared", diff->compared);
    if (diff->has_equal) qdi_json_whole(json, "equal_at", diff->equal_at);
    if (diff->differs) qdi_json_whole(json, "differs_at", diff->differs_at);
    if (diff->named) {
        qdi_json_open(json, "difference", '{');
        qdi_json_whole(json, "step", diff->step);
        qdi_json_text(json, "subject", diff->gap.subject);
        if (diff->gap.label > 0) qdi_json_whole(json, "body", diff->gap.label);
        qdi_json_text(json, "field", diff->gap.field);
        qdi_json_text(json, "first", diff->gap.first);
        qdi_json_text(json, "second", diff->gap.second);
        qdi_json_whole(json, "fields", diff->gap.all.fields);
        qdi_json_whole(json, "bodies", diff->gap.all.bodies);
        qdi_json_whole(json, "contacts", diff->gap.all.contacts);
        qdi_json_close(json, '}');
    }
    qdi_json_close(json, '}');
    if (json->status == QD_OK) fputs(json->text, stdout);
}

// Command diff: compares the state hashes of two runs, and finds where they part.
static qd_status diff_states(diff_job *job, qd_error *error) {
    if (job->settings.json) qdi_json_open(&job->json, "rows", '[');
    qd_status status = qdi_diff_hashes(&job->diff, diff_hash_row, job, error);
    if (job->settings.json) qdi_json_close(&job->json, ']');
    const qdi_common *common = &job->settings.common;
    bool list = common->verbose && !common->quiet && !job->settings.json;
    if (status == QD_OK && job->diff.differs) status = qdi_diff_name(&job->diff, common, list, error);
    return status;
}

// Command diff: tells that two runs are equal as far as both go.
static int say_runs_equal(const diff_job *job) {
    const qdi_diff *diff = &job->diff;
    const char *const *names = job->settings.directories;
    if (diff->form[0] != diff->form[1]) {
        qdi_complain(
            "%s has state hashes of form %d, %s of form %d, which cannot be compared: begin the older "
            "one anew",
            names[0], diff->form[0], names[1], diff->form[1]);
        return QDI_EXIT_FAILED;
    }
    if (diff->compared == 0) {
        qdi_complain("%s and %s have no step with a hash in common", names[0], names[1]);
        return QDI_EXIT_FAILED;
    }
    if (diff->damaged > 0) {
        qdi_complain(
            "%s and %s: the states are equal, but not all rows of hashes are sound; `quadrille verify` "
            "tells which",
            names[0], names[1]);
        return QDI_EXIT_INVARIANT;
    }
    say_difference(
        job, "state: equal at all %" PRIu64 " steps that both have a hash of, the last is %" PRIu64 "\n",
        diff->compared, diff->equal_at);
    return QDI_EXIT_DONE;
}

// Command diff: tells the first difference between two runs.
static int say_diff_verdict(const diff_job *job) {
    const qdi_diff *diff = &job->diff;
    const char *const *names = job->settings.directories;
    if (!diff->differs) return say_runs_equal(job);
    char equal[64] = "", words[640], line[1024];
    if (diff->has_equal) snprintf(equal, sizeof equal, "equal at step %" PRIu64 ", ", diff->equal_at);
    if (diff->named)
        qdi_gap_words(&diff->gap, names[0], names[1], words, sizeof words);
    else
        snprintf(words, sizeof words,
                 "neither can be replayed nor is a snapshot or checkpoint stored from there "
                 "on in both, so body and field cannot be told");
    if (diff->named && diff->step != diff->differs_at)
        snprintf(line, sizeof line, "%sthe hashes differ at step %" PRIu64 "; at step %" PRIu64 " %s", equal,
                 diff->differs_at, diff->step, words);
    else
        snprintf(line, sizeof line, "%sdiffer at step %" PRIu64 ": %s", equal, diff->differs_at, words);
    say_difference(job, "state: %s\n", line);
    qdi_complain("%s and %s: %s", names[0], names[1], line);
    return QDI_EXIT_INVARIANT;
}

// `quadrille diff`: compares two run directories.
static int diff_command(void *context) {
    diff_job *job = context;
    job->json.allocator = qd_allocator_default();
    int exit_code = QDI_EXIT_DONE;
    for (int k = 0; k < 2 && exit_code == QDI_EXIT_DONE; ++k)
        exit_code = qdi_recorded_open(&job->diff.side[k].past, job->settings.directories[k]);
    if (exit_code != QDI_EXIT_DONE) return exit_code;
    const qdi_thread_choice choice = qdi_threads_here(0, job->settings.common.quiet);
    job->diff.threads = choice.threads;
    job->diff.adapt_threads = choice.adapts;
    qd_error error = {""};
    qd_status status = diff_scenes(job);
    if (status == QD_OK) status = diff_states(job, &error);
    if (status != QD_OK) return qdi_recorded_fail(status, &error);
    if (job->settings.json) put_diff_json(job);
    return job->json.status == QD_OK ? say_diff_verdict(job) : qdi_recorded_fail(job->json.status, &error);
}

// Command diff: frees what `quadrille diff` worked with.
static void diff_end(void *context) {
    diff_job *job = context;
    qdi_diff_end(&job->diff);
    qdi_json_free(&job->json);
}

static const qdi_option diff_options[] = {
    {"--json", 0, QDI_OPTION_FLAG, NULL, 0, 0, offsetof(diff_settings, json),
     "print what was found as JSON on the standard output"},
};

const qdi_command qdi_command_diff = {
    &(const qdi_syntax){.command = "diff",
                        .options = diff_options,
                        .option_count = sizeof diff_options / sizeof diff_options[0],
                        .word = "DIR1 DIR2",
                        .word_offset = offsetof(diff_settings, directories),
                        .needed = true},
    "compare two runs: keys, first step, body and field that differ",
    "  quadrille diff out-here out-there                 where two machines part\n"
    "  quadrille diff pool-1a2b3c4d pool-5e6f7a8b -v     and every field that differs there\n",
    "two run directories; nothing in them is changed",
    sizeof(diff_job),
    diff_command,
    diff_end,
};
