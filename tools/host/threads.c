#include "tools/host/threads.h"

#include "tools/host/options.h"

#include <math.h>
#include <quadrille/team.h>
#include <stdio.h>
#include <string.h>

/// With fewer bodies than this for each thread, starting and joining them costs as much as their work.
enum { BODIES_PER_THREAD = 2000 };

/// Host's threads: the first of the numbers of OMP_NUM_THREADS ("4,2" is 4, then 2 for nested regions),
/// spaces left out; 0 where that is no number of threads. SLURM_CPUS_PER_TASK is one number alone, but reads
/// the same.
static int read_variable(const char *text) {
    char number[16] = "";
    text += strspn(text, " \t");
    size_t length = strcspn(text, " \t,");
    const char *rest = text + length + strspn(text + length, " \t");
    if (length == 0 || length >= sizeof number || (*rest != '\0' && *rest != ',')) return 0;
    memcpy(number, text, length);
    uint64_t value = 0;
    return qdi_read_whole(number, 1, QD_TEAM_MAX, &value) ? (int)value : 0;
}

/// What the process can really run at once, and in `reason` why.
static int processors_here(const qdi_thread_facts *facts, char *reason, size_t bytes) {
    int least = facts->cores;
    snprintf(reason, bytes, "%d core%s", facts->cores, facts->cores == 1 ? "" : "s");
    if (facts->affinity > 0 && facts->affinity < least) {
        least = facts->affinity;
        snprintf(reason, bytes, "affinity: %d of %d cores", facts->affinity, facts->cores);
    }
    if (facts->quota > 0 && ceil(facts->quota) < least) {
        least = (int)ceil(facts->quota);
        snprintf(reason, bytes, "control group's quota: %.4g of %d cores", facts->quota, facts->cores);
    }
    if (least > QD_TEAM_MAX) {
        least = QD_TEAM_MAX;
        snprintf(reason, bytes, "the most there can be; %d cores", facts->cores);
    }
    return least;
}

qdi_thread_choice qdi_threads_choose(const qdi_thread_facts *facts) {
    qdi_thread_choice choice = {.threads = 0};
    char limit[96];
    int available = processors_here(facts, limit, sizeof limit);
    const struct {
        const char *name, *text;
    } variables[2] = {{"OMP_NUM_THREADS", facts->omp}, {"SLURM_CPUS_PER_TASK", facts->slurm}};

    if (facts->asked > 0) {
        choice.threads = facts->asked;
        snprintf(choice.reason, sizeof choice.reason, "--threads");
    }
    for (size_t i = 0; i < 2 && choice.threads == 0; ++i) {
        if (!variables[i].text || variables[i].text[0] == '\0') continue;
        choice.threads = read_variable(variables[i].text);
        if (choice.threads > 0)
            snprintf(choice.reason, sizeof choice.reason, "%s", variables[i].name);
        else
            snprintf(choice.warnings[i], sizeof choice.warnings[i],
                     "%s is '%.40s', which is no whole number from 1 to %d; it is ignored", variables[i].name,
                     variables[i].text, QD_TEAM_MAX);
    }
    choice.adapts = choice.threads == 0;
    if (choice.adapts) {
        choice.threads = available;
        snprintf(choice.reason, sizeof choice.reason, "%s", limit);
    }
    if (choice.threads > available)
        snprintf(choice.warnings[2], sizeof choice.warnings[2],
                 "%d threads are more than can run at once here (%s); expect no gain, results are the same",
                 choice.threads, limit);
    return choice;
}

void qdi_threads_fit(qdi_thread_choice *choice, uint64_t bodies) {
    uint64_t most = bodies / BODIES_PER_THREAD;
    if (!choice->adapts || most >= (uint64_t)choice->threads || choice->threads == 1) return;
    choice->threads = most > 1 ? (int)most : 1;
    size_t used = strlen(choice->reason);
    (void)snprintf(choice->reason + used, sizeof choice->reason - used, "; so few bodies need no more");
}
