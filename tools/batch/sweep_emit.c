// The sweep as work for others: a job script for Slurm, or a list of commands for GNU parallel and its like.
// Both run shares of the sweep, so that failures are kept and exit codes are the program's own.

#include "sim/text/scene_text.h"
#include "tools/batch/batch.h"
#include "tools/host/exit_codes.h"
#include "tools/host/os.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/// Array tasks where nobody says how many: what Slurm allows where nobody has changed it.
enum { TASKS_MAX = 1000 };

/// Sweep's job script: a path for a shell, as one word that is no flag.
static void put_path(const char *word) {
    static const char safe[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_./+-=:,@%";
    if (*word == '-') fputs("./", stdout);
    if (*word && strspn(word, safe) == strlen(word)) {
        fputs(word, stdout);
        return;
    }
    putchar('\'');
    for (const char *c = word; *c; ++c)
        if (*c == '\'')
            fputs("'\\''", stdout);
        else
            putchar(*c);
    putchar('\'');
}

/// "PROGRAM sweep FILE -o DIR".
static void put_command(const qdi_batch *batch) {
    char program[QDI_BATCH_PATH];
    bool known = qdi_host_program_path(program, sizeof program) && !qdi_text_has_control(program);
    put_path(known ? program : "quadrille");
    fputs(" sweep ", stdout);
    put_path(batch->wishes.sweep);
    fputs(" -o ", stdout);
    put_path(batch->directory);
    if (batch->wishes.retry) fputs(" --retry", stdout);
    if (batch->wishes.most.given) printf(" --max-runs %" PRIu64, batch->wishes.most.value);
}

/// A line for each point that is to do.
static void emit_commands(const qdi_batch *batch) {
    int threads = batch->wishes.threads.given ? (int)batch->wishes.threads.value : 1;
    for (size_t i = 0; i < batch->plan.count; ++i) {
        if (batch->items[i].state != QDI_ITEM_TO_DO) continue;
        put_command(batch);
        printf(" --shard %" PRIu64 "/%" PRIu64 " --jobs 1 --threads %d -q\n", batch->plan.points[i].number,
               qdi_sweep_count(batch->sweep), threads);
    }
}

/// Sweep's job script: a name of letters, digits, "_" and "-" for the queue's lists.
static void put_job_name(const char *name) {
    for (const char *c = name; *c; ++c) {
        bool plain = (*c >= 'a' && *c <= 'z') || (*c >= 'A' && *c <= 'Z') || (*c >= '0' && *c <= '9') ||
                     *c == '_';
        putchar(plain ? *c : '-');
    }
}

// Prints a job script that runs the sweep as an array of tasks.
static void print_slurm_script(const qdi_batch *batch) {
    const qdi_batch_counts counts = qdi_batch_count(batch);
    uint64_t tasks = counts.points < TASKS_MAX ? counts.points : TASKS_MAX;
    int threads = batch->wishes.threads.given ? (int)batch->wishes.threads.value : 1;
    if (batch->wishes.jobs.given && batch->wishes.jobs.value < tasks) tasks = batch->wishes.jobs.value;
    printf("#!/bin/bash\n#SBATCH --job-name=");
    put_job_name(qdi_sweep_name(batch->sweep));
    printf("\n#SBATCH --array=1-%" PRIu64 "\n#SBATCH --ntasks=1\n#SBATCH --cpus-per-task=%d\n", tasks,
           threads);
    printf("#SBATCH --signal=USR1@120\n#SBATCH --requeue\n"
           "# %zu points in %" PRIu64
           " tasks. Two minutes before its time is up a task stops its runs with a checkpoint, and\n"
           "# queues itself again. When all have ended, this gathers their rows:\n#   ",
           counts.points, tasks);
    put_command(batch);
    printf(" --merge\nsrun ");
    put_command(batch);
    printf(" --shard \"$SLURM_ARRAY_TASK_ID/%" PRIu64 "\" --jobs 1 --threads %d --no-progress\ncode=$?\n",
           tasks, threads);
    printf("[ \"$code\" -ne 75 ] || scontrol requeue \"${SLURM_ARRAY_JOB_ID}_$SLURM_ARRAY_TASK_ID\"\n"
           "exit \"$code\"\n");
}

int qdi_batch_emit(const qdi_batch *batch) {
    if (strcmp(batch->wishes.emit, "parallel") == 0)
        emit_commands(batch);
    else
        print_slurm_script(batch);
    if (!batch->wishes.common.quiet && strcmp(batch->wishes.emit, "parallel") == 0)
        fprintf(stderr, "afterwards, `quadrille sweep ... --merge` gathers the rows of all\n");
    return QDI_EXIT_DONE;
}
