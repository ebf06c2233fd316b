#include "tools/batch/batch.h"
#include "tools/cmd/command.h"
#include "tools/host/console.h"
#include "tools/host/exit_codes.h"

#include <inttypes.h>
#include <quadrille/team.h>
#include <stdio.h>
#include <string.h>

/// Most runs at a time, and most points.
enum { JOBS_MAX = 4096 };
#define POINTS_MAX UINT64_C(1000000000)

/// Command sweep: flags that cannot go together, and values that are none.
static int check_wishes(const qdi_batch_wishes *wishes) {
    const char *why = NULL;
    if (!wishes->directory) why = "sweep needs -o DIR, the directory for its runs";
    if (wishes->emit && strcmp(wishes->emit, "slurm") != 0 && strcmp(wishes->emit, "parallel") != 0)
        why = "--emit: slurm or parallel";
    if (wishes->emit && (wishes->dry_run || wishes->merge || wishes->shard))
        why = "--emit goes without --dry-run, --merge and --shard";
    if (wishes->merge && (wishes->shard || wishes->retry || wishes->dry_run))
        why = "--merge gathers the rows of all shares and runs nothing: it goes without --shard, --retry and "
              "--dry-run";
    if (!why) return QDI_EXIT_DONE;
    qdi_complain("%s", why);
    return QDI_EXIT_USAGE;
}

/// Command sweep: names what is left out because it is there already.
static void say_twins(const qdi_batch *batch) {
    enum { MOST = 5 };
    size_t twins = 0;
    if (batch->wishes.common.quiet) return;
    for (size_t i = 0; i < batch->plan.count; ++i) {
        const qdi_sweep_point *point = &batch->plan.points[i];
        char words[256];
        if (point->twin == 0 || ++twins > MOST) continue;
        qdi_sweep_words(batch->sweep, point->number - 1, words, sizeof words);
        qdi_warn("point %" PRIu64 " (%s) is the same run as point %" PRIu64 " and is left out", point->number,
                 words, point->twin);
    }
    if (twins > MOST) qdi_warn("%zu more points are the same as others", twins - MOST);
}

/// Command sweep: true where both points have failed for the same reason.
static bool failed_alike(const qdi_batch *batch, size_t a, size_t b) {
    const qdi_batch_item *one = &batch->items[a], *other = &batch->items[b];
    if (one->state != QDI_ITEM_FAILED || other->state != QDI_ITEM_FAILED || one->code != other->code)
        return false;
    return one->reason && other->reason && strcmp(one->reason, other->reason) == 0;
}

/// Command sweep: "; 3 more for the same reason: 6, 7, 8", or nothing.
static void alike_words(const qdi_batch *batch, size_t first, char *text, size_t bytes) {
    enum { NAMED = 8 };
    char numbers[NAMED * 24 + 8] = "";
    size_t more = 0;
    for (size_t i = first + 1; i < batch->plan.count; ++i) {
        if (!failed_alike(batch, first, i)) continue;
        size_t used = strlen(numbers);
        if (++more <= NAMED)
            snprintf(numbers + used, sizeof numbers - used, "%s%" PRIu64, more > 1 ? ", " : "",
                     batch->plan.points[i].number);
    }
    text[0] = '\0';
    if (more > 0)
        snprintf(text, bytes, "; %zu more for the same reason: %s%s", more, numbers,
                 more > NAMED ? ", ..." : "");
}

/// Command sweep: names those that had failed before and are not tried again, in the words of then; each
/// reason once.
static void say_failed_before(const qdi_batch *batch) {
    enum { MOST = 20 };
    size_t lines[MOST], told = 0, others = 0;
    for (size_t i = 0; i < batch->plan.count; ++i) {
        const qdi_batch_item *item = &batch->items[i];
        char words[256], alike[320];
        size_t earlier = 0;
        if (item->state != QDI_ITEM_FAILED) continue;
        while (earlier < told && !failed_alike(batch, lines[earlier], i)) ++earlier;
        if (earlier < told || told == MOST) {
            others += earlier == told;
            continue;
        }
        lines[told++] = i;
        qdi_sweep_words(batch->sweep, batch->plan.points[i].number - 1, words, sizeof words);
        alike_words(batch, i, alike, sizeof alike);
        qdi_warn("point %" PRIu64 " (%s) %s: exit %d: %s%s", batch->plan.points[i].number, words,
                 batch->plan.points[i].valid ? "has failed before" : "is no valid scene", item->code,
                 item->reason ? item->reason : "", alike);
    }
    if (others > 0) qdi_warn("%zu more points have failed before", others);
}

/// Command sweep: the sweep itself: with a directory, a lock and a store.
static int run_sweep(qdi_batch *batch) {
    int exit_code = qdi_batch_open(batch);
    if (exit_code == QDI_EXIT_DONE) exit_code = qdi_batch_look(batch);
    if (exit_code == QDI_EXIT_DONE) exit_code = qdi_batch_share_out(batch);
    if (exit_code != QDI_EXIT_DONE) return exit_code;
    if (!batch->wishes.common.quiet) {
        qdi_batch_header(batch);
        say_failed_before(batch);
    }
    return batch->wishes.merge ? qdi_batch_report(batch, false) : qdi_batch_run(batch);
}

// `quadrille sweep`: runs all points of a sweep.
static int sweep_command(void *context) {
    qdi_batch *batch = context;
    int exit_code = check_wishes(&batch->wishes);
    if (exit_code == QDI_EXIT_DONE) exit_code = qdi_batch_plan(batch);
    if (exit_code != QDI_EXIT_DONE) return exit_code;
    say_twins(batch);
    if (!batch->wishes.dry_run && !batch->wishes.emit) return run_sweep(batch);
    exit_code = qdi_batch_look(batch);
    if (exit_code != QDI_EXIT_DONE) return exit_code;
    if (batch->wishes.emit) return qdi_batch_emit(batch);
    exit_code = qdi_batch_share_out(batch);
    if (exit_code != QDI_EXIT_DONE) return exit_code;
    if (!batch->wishes.common.quiet) qdi_batch_header(batch);
    return qdi_batch_list(batch);
}

// Command sweep: closes a sweep.
static void sweep_end(void *context) {
    qdi_batch *batch = context;
    qdi_batch_close(batch);
    qdi_batch_free(batch);
}

static const qdi_option sweep_options[] = {
    {"-o", 'o', QDI_OPTION_TEXT, "DIR", 0, 0, offsetof(qdi_batch_wishes, directory),
     "directory of the sweep; what is done in it is not done again"},
    {"--jobs", 0, QDI_OPTION_NUMBER, "N", 1, JOBS_MAX, offsetof(qdi_batch_wishes, jobs),
     "N runs at a time; default: as many as the processors take"},
    {"--threads", 0, QDI_OPTION_NUMBER, "N", 1, QD_TEAM_MAX, offsetof(qdi_batch_wishes, threads),
     "threads of each run; default 1, more where runs are few"},
    {"--shard", 0, QDI_OPTION_TEXT, "I/N", 0, 0, offsetof(qdi_batch_wishes, shard),
     "only share I of N; default in a job array of Slurm: its task"},
    {"--dry-run", 0, QDI_OPTION_FLAG, NULL, 0, 0, offsetof(qdi_batch_wishes, dry_run),
     "print the points and what became of them; run nothing"},
    {"--retry", 0, QDI_OPTION_FLAG, NULL, 0, 0, offsetof(qdi_batch_wishes, retry),
     "run again what failed before"},
    {"--merge", 0, QDI_OPTION_FLAG, NULL, 0, 0, offsetof(qdi_batch_wishes, merge),
     "gather the rows of all shares; run nothing"},
    {"--max-runs", 0, QDI_OPTION_NUMBER, "N", 1, POINTS_MAX, offsetof(qdi_batch_wishes, most),
     "refuse sweeps with more points; default: its limit, or 10000"},
    {"--emit", 0, QDI_OPTION_TEXT, "slurm|parallel", 0, 0, offsetof(qdi_batch_wishes, emit),
     "print a job script or a list of commands; run nothing"},
    {"--json", 0, QDI_OPTION_FLAG, NULL, 0, 0, offsetof(qdi_batch_wishes, json),
     "counts and failures (or all points) as JSON on stdout"},
};

const qdi_command qdi_command_sweep = {
    &(const qdi_syntax){.command = "sweep",
                        .options = sweep_options,
                        .option_count = sizeof sweep_options / sizeof sweep_options[0],
                        .word = "SWEEP.yaml",
                        .word_offset = offsetof(qdi_batch_wishes, sweep),
                        .needed = true},
    "run many variants of a scene, side by side",
    "  quadrille sweep friction.yaml -o out --dry-run      the points, and what they will need\n"
    "  quadrille sweep friction.yaml -o out                run what is not done; see out/sweep.csv\n"
    "  quadrille sweep friction.yaml -o out --jobs 4 --threads 2\n"
    "  quadrille sweep friction.yaml -o out --shard 2/8    one of eight machines; --merge afterwards\n"
    "  quadrille sweep friction.yaml -o out --emit parallel | parallel --joblog log\n",
    "the base scene and its axes, see docs/sweep.md",
    sizeof(qdi_batch),
    sweep_command,
    sweep_end,
};
