// The loop of a sweep: starts runs where a job is free, takes in those that end, and stops in order when it
// is told to.

#include "core/parallel/parallel.h"
#include "tools/batch/batch.h"
#include "tools/host/console.h"
#include "tools/host/exit_codes.h"
#include "tools/host/failure.h"
#include "tools/host/os.h"

#include <inttypes.h>
#include <stdio.h>

enum { PATH_ROOM = QDI_BATCH_PATH + 128 };

/// With less room than this on the disk every run would fail for the same reason.
static const uint64_t room_to_go_on = 8000000U;
/// Nanoseconds: between two looks at a run that another process works on, and how long that may last with
/// nothing else to do; between two writings of the tables.
static const uint64_t look_again = 200000000U, patience = 60000000000U, table_every = 2000000000U;
/// Seconds to wait for a child before looking around.
static const double look_around = 0.1;

/// The loop's own.
typedef struct looper {
    qdi_batch *batch;
    qdi_batch_show show;
    size_t next;        ///< the points before are not to do any more
    size_t put_off;     ///< points that another process works on
    uint64_t looked_ns; ///< when they were looked at last
    uint64_t idle_ns;   ///< since when nothing else has been to do; 0: there is
    bool stopping;      ///< no new runs
    bool told;          ///< the children know
    bool table_old;     ///< there are rows that the tables do not have
    uint64_t table_ns, table_took_ns;
    int running;
} looper;

/// Running sweep: something that concerns all runs is broken.
static void break_off(looper *loop, const char *reason) {
    if (!loop->batch->broken[0]) snprintf(loop->batch->broken, sizeof loop->batch->broken, "%s", reason);
    loop->stopping = true;
}

/// True where another process has the run's directory: one that a killed sweep has left is still writing its
/// checkpoint.
static bool is_in_use(const qdi_batch *batch, size_t item) {
    char path[PATH_ROOM], lock[PATH_ROOM + 8];
    (void)qdi_batch_run_path(batch, item, path, sizeof path);
    (void)snprintf(lock, sizeof lock, "%s/lock", path);
    return qdi_os_lock_is_held(lock);
}

// Tells on the terminal that a point of a sweep failed.
static void say_point_failed(looper *loop, size_t item) {
    const qdi_batch *batch = loop->batch;
    if (batch->wishes.common.quiet) return;
    char words[256];
    qdi_sweep_words(batch->sweep, batch->plan.points[item].number - 1, words, sizeof words);
    qdi_batch_show_clear(&loop->show);
    qdi_warn("point %" PRIu64 " (%s) failed: exit %d: %s", batch->plan.points[item].number, words,
             batch->items[item].code,
             batch->items[item].reason ? batch->items[item].reason : "out of memory");
}

/// Running sweep: a run has failed: its file, and a line.
static void bury_failed_run(looper *loop, size_t item, int code, const char *reason) {
    qdi_batch *batch = loop->batch;
    qd_error error = {""};
    qd_status status = qdi_batch_keep_failure(batch, item, code, reason, &error);
    batch->items[item].before = false;
    if (status != QD_OK) break_off(loop, qdi_failure_reason(status, &error));
    loop->table_old = true;
    say_point_failed(loop, item);
}

/// Running sweep: true where the disk is so full that it is nobody's fault.
static bool disk_is_full(const looper *loop, int code) {
    return code == QDI_EXIT_OUTPUT && qdi_host_disk_free(loop->batch->directory) < room_to_go_on;
}

// Takes in the result of a point whose process ended.
static void take_finished_point(looper *loop, size_t item) {
    qdi_batch *batch = loop->batch;
    qd_error error = {""};
    qd_status status = qdi_batch_take_result(batch, item, &error);
    loop->table_old = true;
    if (status == QD_OK) {
        batch->items[item].before = false;
        return;
    }
    const char *reason = qdi_failure_reason(status, &error);
    if (status == QD_ERR_NOT_FOUND || status == QD_ERR_INVALID)
        bury_failed_run(loop, item, QDI_EXIT_FAILED, reason);
    else
        break_off(loop, reason);
    if (batch->items[item].state == QDI_ITEM_RUNNING) qdi_batch_settle(batch, item, QDI_ITEM_TO_DO, 0, NULL);
}

/// Running sweep: judges a child that has ended.
static void take_in(looper *loop, qdi_batch_job *job, int code) {
    qdi_batch *batch = loop->batch;
    size_t item = job->item;
    char reason[400];
    qdi_batch_child_reason(batch, job, code, reason, sizeof reason);
    job->child = 0;
    --loop->running;
    if (code == QDI_EXIT_DONE) {
        take_finished_point(loop, item);
    } else if (code == QDI_EXIT_STOPPED || (loop->stopping && code > QDI_EXIT_SIGNAL)) {
        qdi_batch_settle(batch, item, QDI_ITEM_TO_DO, 0, NULL);
        batch->items[item].stopped = true; // whoever stopped it wanted it stopped
    } else if (code == QDI_EXIT_OUTPUT && is_in_use(batch, item)) {
        qdi_batch_settle(batch, item, QDI_ITEM_TO_DO, 0, NULL);
        batch->items[item].put_off = true;
        ++loop->put_off;
    } else if (disk_is_full(loop, code)) {
        qdi_batch_settle(batch, item, QDI_ITEM_TO_DO, 0, NULL);
        break_off(loop, reason);
    } else {
        bury_failed_run(loop, item, code, reason);
    }
}

// Waits for a child process of the sweep to end, and takes its result in.
static bool await_any_child(looper *loop, double seconds) {
    int64_t child = 0;
    int code = 0;
    if (!qdi_host_child_await(seconds, &child, &code)) return false;
    for (int i = 0; i < loop->batch->job_count; ++i)
        if (loop->batch->jobs[i].child == child) take_in(loop, &loop->batch->jobs[i], code);
    return true;
}

// ---- what to do next ----

/// The next point to do; false where there is none now.
static bool choose_point(looper *loop, size_t *item) {
    qdi_batch *batch = loop->batch;
    for (; loop->next < batch->plan.count; ++loop->next) {
        qdi_batch_item *here = &batch->items[loop->next];
        if (here->state != QDI_ITEM_TO_DO || here->put_off || here->stopped) continue;
        *item = loop->next;
        if (!is_in_use(batch, *item)) return true;
        here->put_off = true;
        ++loop->put_off;
    }
    uint64_t now = qdi_clock_ns();
    if (loop->put_off == 0 || now - loop->looked_ns < look_again) return false;
    loop->looked_ns = now;
    for (size_t i = 0; i < batch->plan.count; ++i) {
        qdi_batch_item *here = &batch->items[i];
        if (here->state != QDI_ITEM_TO_DO || !here->put_off || is_in_use(batch, i)) continue;
        here->put_off = false;
        --loop->put_off;
        *item = i;
        return true;
    }
    return false;
}

/// Running sweep: a run that another process has finished meanwhile needs no child. A result that is of no
/// use is a failure, and what a failure leaves is replaced when it is to be tried again.
static bool is_done_meanwhile(looper *loop, size_t item) {
    if (!qdi_batch_has_result(loop->batch, item) || loop->batch->items[item].code != 0) return false;
    take_finished_point(loop, item);
    return loop->batch->items[item].state != QDI_ITEM_TO_DO;
}

// Starts points of a sweep in the jobs that are free.
static void start_free_jobs(looper *loop) {
    qdi_batch *batch = loop->batch;
    for (int i = 0; i < batch->job_count && !loop->stopping; ++i) {
        qdi_batch_job *job = &batch->jobs[i];
        size_t item = 0;
        while (!loop->stopping && job->child == 0 && choose_point(loop, &item)) {
            if (is_done_meanwhile(loop, item)) continue;
            if (qdi_batch_start(batch, job, item))
                ++loop->running;
            else
                bury_failed_run(loop, item, QDI_EXIT_FAILED,
                                batch->items[item].reason ? batch->items[item].reason : "");
        }
    }
}

// Stops the child processes of a sweep, once.
static void stop_sweep_children(looper *loop) {
    if (loop->told) return;
    loop->told = true;
    for (int i = 0; i < loop->batch->job_count; ++i)
        if (loop->batch->jobs[i].child != 0) qdi_host_child_stop(loop->batch->jobs[i].child);
}

// Writes sweep.db and sweep.csv where that is due.
static void write_sweep_table(looper *loop, bool now) {
    uint64_t start = qdi_clock_ns();
    // A large table is written less often: a twentieth of the time at most.
    uint64_t wait = table_every > 20 * loop->table_took_ns ? table_every : 20 * loop->table_took_ns;
    if (!loop->table_old || (!now && start - loop->table_ns < wait)) return;
    qd_error error = {""};
    qd_status status = qdi_batch_write_table(loop->batch, &error);
    if (status != QD_OK) break_off(loop, qdi_failure_reason(status, &error));
    loop->table_old = false;
    loop->table_ns = qdi_clock_ns();
    loop->table_took_ns = loop->table_ns - start;
}

/// Running sweep: true while there is something to do, or to wait for.
static bool go_on(looper *loop) {
    if (qdi_host_signal() != 0) loop->stopping = true;
    if (loop->stopping) stop_sweep_children(loop);
    if (loop->running > 0) loop->idle_ns = 0;
    if (loop->running > 0) return true;
    if (loop->stopping) return false;
    if (loop->next < loop->batch->plan.count) return true;
    if (loop->put_off == 0) return false;
    if (loop->idle_ns == 0) loop->idle_ns = qdi_clock_ns();
    return qdi_clock_ns() - loop->idle_ns < patience;
}

int qdi_batch_run(qdi_batch *batch) {
    looper loop = {.batch = batch, .table_ns = qdi_clock_ns()};
    qdi_host_watch_signals();
    qdi_host_children_begin();
    loop.show = qdi_batch_show_start(batch);
    do {
        if (qdi_host_signal() != 0) loop.stopping = true;
        start_free_jobs(&loop);
        qdi_batch_show_now(batch, &loop.show);
        if (loop.running > 0 || loop.put_off > 0) {
            bool ended = await_any_child(&loop, look_around);
            while (ended) ended = await_any_child(&loop, 0);
        }
        write_sweep_table(&loop, false);
    } while (go_on(&loop));
    write_sweep_table(&loop, true);
    qdi_batch_show_clear(&loop.show);
    if (batch->broken[0]) {
        qdi_complain("%s; what is done is kept, and the same command goes on when that has changed",
                     batch->broken);
        return QDI_EXIT_OUTPUT;
    }
    return qdi_batch_report(batch, loop.stopping);
}
