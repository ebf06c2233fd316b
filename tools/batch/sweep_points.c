// Which points there are, which of them are this process's, and what they may use.

#include "core/base/memory.h"
#include "tools/batch/batch.h"
#include "tools/host/cgroup.h"
#include "tools/host/console.h"
#include "tools/host/exit_codes.h"
#include "tools/host/failure.h"
#include "tools/host/forecast.h"
#include "tools/host/os.h"
#include "tools/host/threads.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/// What a run takes beside frames, moments and rows: the tables of its database, logs, result and scene.
enum { RUN_BYTES = 200000 };
/// About: a picture has so many pixels for each byte, a body so many bytes in a checkpoint.
enum { PIXELS_PER_BYTE = 3, BODY_BYTES = 110 };
/// Most shares of a sweep.
#define SHARES_MAX UINT64_C(1000000)

bool qdi_batch_path(const qdi_batch *batch, char *path, size_t bytes, const char *format, ...) {
    int used = snprintf(path, bytes, "%s/", batch->directory);
    if (used < 0 || (size_t)used >= bytes) return false;
    va_list arguments;
    va_start(arguments, format);
    int more = vsnprintf(path + used, bytes - (size_t)used, format, arguments);
    va_end(arguments);
    return more >= 0 && (size_t)more < bytes - (size_t)used;
}

bool qdi_batch_run_path(const qdi_batch *batch, size_t item, char *path, size_t bytes) {
    return qdi_batch_path(batch, path, bytes, "runs/%016" PRIx64, batch->plan.points[item].id);
}

bool qdi_batch_log_path(const qdi_batch *batch, size_t item, char *path, size_t bytes) {
    return qdi_batch_path(batch, path, bytes, "logs/%016" PRIx64 ".log", batch->plan.points[item].id);
}

bool qdi_batch_failure_path(const qdi_batch *batch, size_t item, char *path, size_t bytes) {
    return qdi_batch_path(batch, path, bytes, "logs/%016" PRIx64 ".failed", batch->plan.points[item].id);
}

bool qdi_batch_has_result(const qdi_batch *batch, size_t item) {
    char path[QDI_BATCH_PATH + 128];
    return qdi_batch_path(batch, path, sizeof path, "runs/%016" PRIx64 "/result.json",
                          batch->plan.points[item].id) &&
           qdi_os_is_file(path);
}

void qdi_batch_settle(qdi_batch *batch, size_t item, qdi_item_state state, int code, const char *reason) {
    const qd_allocator *allocator = qd_allocator_default();
    qdi_batch_item *here = &batch->items[item];
    char *earlier = here->reason; // `reason` may be it
    size_t bytes = reason ? strlen(reason) + 1 : 0;
    here->reason = bytes > 0 ? qdi_allocate(allocator, bytes, 1) : NULL;
    if (here->reason) memcpy(here->reason, reason, bytes); // without memory it goes without words
    if (earlier) qdi_release(allocator, earlier, strlen(earlier) + 1, 1);
    here->state = state;
    here->code = code;
}

// Counts points of a sweep by their states.
qdi_batch_counts qdi_batch_count(const qdi_batch *batch) {
    qdi_batch_counts counts = {0};
    for (size_t i = 0; i < batch->plan.count; ++i) {
        const qdi_batch_item *item = &batch->items[i];
        if (item->state == QDI_ITEM_TWIN) continue;
        ++counts.points;
        counts.to_do += item->state == QDI_ITEM_TO_DO;
        counts.running += item->state == QDI_ITEM_RUNNING;
        counts.done += item->state == QDI_ITEM_DONE;
        counts.failed += item->state == QDI_ITEM_FAILED;
        counts.done_before += item->state == QDI_ITEM_DONE && item->before;
        counts.failed_before += item->state == QDI_ITEM_FAILED && item->before;
        if (item->state == QDI_ITEM_TO_DO)
            counts.disk = counts.disk > UINT64_MAX - item->disk ? UINT64_MAX : counts.disk + item->disk;
    }
    return counts;
}

// ---- shares ----

/// Sweep's points: "3/8". False for anything else.
static bool read_share(const char *text, uint64_t *shard, uint64_t *shards) {
    char first[24] = "";
    const char *slash = strchr(text, '/');
    size_t length = slash ? (size_t)(slash - text) : sizeof first;
    if (length >= sizeof first) return false;
    memcpy(first, text, length);
    return qdi_read_whole(slash + 1, 1, SHARES_MAX, shards) && qdi_read_whole(first, 1, *shards, shard);
}

/// Sweep's points: a variable that holds a whole number.
static bool read_variable(const char *name, uint64_t *value) {
    const char *text = getenv(name);
    return text && qdi_read_whole(text, 0, UINT32_MAX, value);
}

/// --shard, or what a job array of Slurm's says. A script that was made for shares says them itself.
static int choose_share(qdi_batch *batch) {
    const char *text = batch->wishes.shard;
    batch->shard = batch->shards = 1;
    if (text) {
        batch->sharded = true;
        if (read_share(text, &batch->shard, &batch->shards)) return QDI_EXIT_DONE;
        qdi_complain("--shard: '%.80s' is not I/N with I from 1 to N, and N up to %" PRIu64, text,
                     SHARES_MAX);
        return QDI_EXIT_USAGE;
    }
    uint64_t task = 0, count = 0, least = 0, most = 0, step = 1;
    bool whole = batch->wishes.merge || batch->wishes.emit;
    if (whole || !read_variable("SLURM_ARRAY_TASK_ID", &task) ||
        !read_variable("SLURM_ARRAY_TASK_COUNT", &count) || count == 0)
        return QDI_EXIT_DONE;
    bool known = read_variable("SLURM_ARRAY_TASK_MIN", &least) &&
                 read_variable("SLURM_ARRAY_TASK_MAX", &most);
    if (!known) { // an array from 1 on, as --emit slurm makes them
        least = 1;
        most = count;
    }
    if (read_variable("SLURM_ARRAY_TASK_STEP", &step) && step == 0) step = 1;
    if (task < least || task > most || (most - least) / step + 1 != count || (task - least) % step != 0) {
        qdi_complain(
            "the tasks of this job array are not numbered evenly: say which share of the points this one has "
            "with --shard I/N");
        return QDI_EXIT_USAGE;
    }
    batch->sharded = true;
    batch->shard = (task - least) / step + 1;
    batch->shards = count;
    return QDI_EXIT_DONE;
}

// ---- points ----

// Refuses a sweep of more points than its limit.
static int check_point_count(const qdi_batch *batch) {
    uint64_t count = qdi_sweep_count(batch->sweep), limit = qdi_sweep_limit(batch->sweep);
    if (batch->wishes.most.given) limit = batch->wishes.most.value;
    if (count <= limit) return QDI_EXIT_DONE;
    char words[32] = "more than can be counted";
    if (count < UINT64_MAX) snprintf(words, sizeof words, "%" PRIu64, count);
    qdi_complain("%.300s has %s points, and %" PRIu64
                 " is the limit: `limit: N` in the sweep, or --max-runs N, allows more",
                 batch->wishes.sweep, words, limit);
    return QDI_EXIT_SCENE;
}

/// Sweep's points: bytes that a run is going to leave, about: before it has begun nobody knows better.
static uint64_t disk_of(const qdi_sweep_point *point) {
    const qd_scene_run *run = &point->run;
    uint64_t frames = run->frames_every > 0 ? run->steps / run->frames_every + 1 : 0;
    const qdi_forecast forecast = {
        .frames = frames,
        .frame_bytes = point->pixels / PIXELS_PER_BYTE,
        .snapshots = run->record_snapshots > 0 ? run->steps / run->record_snapshots + 1 : 0,
        .snapshot_bytes = point->bodies * BODY_BYTES / 2,
        .checkpoints = run->checkpoint_every > 0 || run->checkpoint_seconds > 0 ? run->checkpoint_keep + 1
                                                                                : 1,
        .checkpoint_bytes = point->bodies * BODY_BYTES,
        .rows = frames + (run->record_metrics > 0 ? 4 * (run->steps / run->record_metrics + 1) : 0) +
                (run->record_hashes > 0 ? run->steps / run->record_hashes + 1 : 0),
    };
    uint64_t total = qdi_forecast_total(&forecast);
    return total > UINT64_MAX - RUN_BYTES ? UINT64_MAX : total + RUN_BYTES;
}

// Makes the list of points with their states.
static int make_point_items(qdi_batch *batch) {
    const qdi_sweep_plan *plan = &batch->plan;
    batch->items = plan->count > 0 ? qdi_allocate(qd_allocator_default(), plan->count, sizeof *batch->items)
                                   : NULL;
    if (plan->count > 0 && !batch->items) return qdi_fail(QD_ERR_MEMORY, &(qd_error){""}, QDI_EXIT_FAILED);
    for (size_t i = 0; i < plan->count; ++i) {
        batch->items[i] = (qdi_batch_item){.state = plan->points[i].twin ? QDI_ITEM_TWIN : QDI_ITEM_TO_DO,
                                           .cells = {.allocator = qd_allocator_default()}};
        if (plan->points[i].valid) batch->items[i].disk = disk_of(&plan->points[i]);
    }
    return QDI_EXIT_DONE;
}

/// Where no point is any good it is the sweep that is wrong.
static int check_points(const qdi_batch *batch) {
    const qdi_sweep_plan *plan = &batch->plan;
    for (size_t i = 0; i < plan->count; ++i)
        if (plan->points[i].valid) return QDI_EXIT_DONE;
    if (plan->count == 0 || batch->shards > 1) return QDI_EXIT_DONE;
    qdi_complain("%.200s: no point of it is a valid scene: %.250s", batch->wishes.sweep,
                 plan->points[0].reason);
    return QDI_EXIT_SCENE;
}

int qdi_batch_plan(qdi_batch *batch) {
    if (strlen(batch->wishes.directory) + 128 >= sizeof batch->directory) {
        qdi_complain("the name of the output directory is too long");
        return QDI_EXIT_OUTPUT;
    }
    snprintf(batch->directory, sizeof batch->directory, "%s", batch->wishes.directory);
    int exit_code = choose_share(batch);
    if (exit_code != QDI_EXIT_DONE) return exit_code;
    qd_error error = {""};
    qd_status status = qdi_sweep_read(batch->wishes.sweep, &batch->sweep, &error);
    if (status != QD_OK) return qdi_fail(status, &error, QDI_EXIT_SCENE);
    exit_code = check_point_count(batch);
    if (exit_code != QDI_EXIT_DONE) return exit_code;
    status = qdi_sweep_plan_make(batch->sweep, batch->shard - 1, batch->shards, &batch->plan, &error);
    if (status != QD_OK) return qdi_fail(status, &error, QDI_EXIT_SCENE);
    exit_code = make_point_items(batch);
    return exit_code == QDI_EXIT_DONE ? check_points(batch) : exit_code;
}

// ---- processors ----

// How many cores the jobs of a sweep may use together.
static void choose_allowed_cores(qdi_batch *batch) {
    const qdi_thread_facts facts = {.slurm = getenv("SLURM_CPUS_PER_TASK"),
                                    .cores = qdi_host_cores(),
                                    .affinity = qdi_host_affinity(),
                                    .quota = qdi_cgroup_quota("")};
    const qdi_thread_choice choice = qdi_threads_choose(&facts);
    batch->allowed = choice.threads;
    snprintf(batch->allowed_reason, sizeof batch->allowed_reason, "%s", choice.reason);
}

/// Sweep's points: fills what of --jobs and --threads was not given. Where runs are few they share the
/// processors.
static void choose_jobs(qdi_batch *batch, size_t to_do) {
    const qdi_batch_wishes *wishes = &batch->wishes;
    int most = to_do < (size_t)batch->allowed ? (int)to_do : batch->allowed;
    if (most < 1) most = 1;
    batch->threads = wishes->threads.given ? (int)wishes->threads.value : 0;
    batch->job_count = wishes->jobs.given ? (int)wishes->jobs.value : 0;
    if (batch->threads == 0)
        batch->threads = batch->allowed / (batch->job_count > 0 ? batch->job_count : most);
    if (batch->threads < 1) batch->threads = 1;
    if (batch->job_count == 0) batch->job_count = batch->allowed / batch->threads;
    if (batch->job_count < 1) batch->job_count = 1;
    if ((size_t)batch->job_count > to_do && to_do > 0) batch->job_count = (int)to_do;
    long long wanted = (long long)batch->job_count * batch->threads;
    if (wanted > batch->allowed && !wishes->common.quiet)
        qdi_warn("%d runs with %d threads each are more than can run at once here (%d: %s); expect no gain, "
                 "results are "
                 "the same",
                 batch->job_count, batch->threads, batch->allowed, batch->allowed_reason);
}

/// Sweep's points: gives each job processors of its own where together they take all: then nobody else is in
/// the way. A share of a sweep does not know what its sisters on the same machine take.
static void pin_jobs(qdi_batch *batch) {
    size_t wanted = (size_t)batch->job_count * (size_t)batch->threads;
    size_t there = qdi_host_processors(batch->processors, batch->processor_room);
    batch->pinned = !batch->sharded && there == (size_t)batch->allowed && wanted <= there &&
                    wanted + (size_t)batch->threads > there;
    for (int i = 0; i < batch->job_count && batch->pinned; ++i) {
        batch->jobs[i].processors = batch->processors + (size_t)i * (size_t)batch->threads;
        batch->jobs[i].processor_count = (size_t)batch->threads;
    }
    // Threads that share a processor with others should sleep when they wait.
    if (!batch->pinned) qdi_host_variable_default("OMP_WAIT_POLICY", "passive");
}

int qdi_batch_share_out(qdi_batch *batch) {
    const qd_allocator *allocator = qd_allocator_default();
    choose_allowed_cores(batch);
    choose_jobs(batch, qdi_batch_count(batch).to_do);
    batch->processor_room = (size_t)batch->allowed + 1;
    batch->jobs = qdi_allocate(allocator, (size_t)batch->job_count, sizeof *batch->jobs);
    batch->processors = qdi_allocate(allocator, batch->processor_room, sizeof *batch->processors);
    if (!batch->jobs || !batch->processors) return qdi_fail(QD_ERR_MEMORY, &(qd_error){""}, QDI_EXIT_FAILED);
    for (int i = 0; i < batch->job_count; ++i) batch->jobs[i] = (qdi_batch_job){.child = 0};
    pin_jobs(batch);
    return QDI_EXIT_DONE;
}

void qdi_batch_free(qdi_batch *batch) {
    const qd_allocator *allocator = qd_allocator_default();
    for (size_t i = 0; batch->items && i < batch->plan.count; ++i) {
        qdi_batch_settle(batch, i, QDI_ITEM_TO_DO, 0, NULL);
        qdi_text_release(&batch->items[i].cells);
    }
    qdi_release(allocator, batch->items, batch->plan.count, sizeof *batch->items);
    qdi_release(allocator, batch->jobs, (size_t)batch->job_count, sizeof *batch->jobs);
    qdi_release(allocator, batch->processors, batch->processor_room, sizeof *batch->processors);
    if (batch->plan.allocator) qdi_sweep_plan_free(&batch->plan);
    qdi_sweep_destroy(batch->sweep);
}
