#include "tools/scale/analysis.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

/// Bodies from which on every thread of the world's loops over bodies has work: two ranges each.
enum { BODIES_PER_THREAD = 4096 };

/// What a triad must gain at least, as a part of the ideal, before memory is no excuse.
static const double bandwidth_part = .8;
/// What gains nearly as much as it could is not limited by anything worth a name.
static const double good_part = .95;

/// Thread time per step that is lost on the way to more threads, in all and by its causes.
typedef struct loss {
    double all;
    qdi_scale_share by;
} loss;

/// `scale`: how many times the work of `base` the work is.
static loss loss_of(const qdi_scale_part *base, const qdi_scale_part *part, double scale) {
    loss lost = {.by = {.busy = part->share.busy - scale * base->share.busy,
                        .serial = part->share.serial - scale * base->share.serial,
                        .alone = part->share.alone - scale * base->share.alone,
                        .waiting = part->share.waiting - scale * base->share.waiting}};
    lost.all = lost.by.busy + lost.by.serial + lost.by.alone + lost.by.waiting;
    return lost;
}

// Scaling test's verdict: says that each thread works slower than one alone did, and why.
static void say_thread_slower(const qdi_scale_result *base, const qdi_scale_result *result, double inflation,
                              char *text, size_t bytes) {
    double more = (double)result->config->threads / base->config->threads;
    double triad = base->triad.median > 0 ? result->triad.median / base->triad.median : 0;
    size_t used = (size_t)snprintf(text, bytes, "the same work takes %.2f times the thread time", inflation);
    if (used >= bytes) return;
    if (triad > 0 && triad < bandwidth_part * more)
        snprintf(
            text + used, bytes - used,
            ": memory bandwidth, of which a triad gets only %.2f times as much on %.3g times the threads",
            triad, more);
    else if (triad > 0)
        snprintf(text + used, bytes - used,
                 ", though a triad gets %.2f times the bandwidth: caches that are shared, or slower clocks",
                 triad);
}

// Says which phase limits scaling, and by what.
static void say_loss_cause(const qdi_scale_result *base, const qdi_scale_result *result,
                           const qdi_scale_part *from, const qdi_scale_part *to, const loss *lost,
                           double scale, char *text, size_t bytes) {
    double threads = result->config->threads;
    const qdi_scale_share *by = &lost->by;
    double most = fmax(fmax(by->busy, by->serial), fmax(by->alone, by->waiting));
    if (most == by->serial && result->config->ranks > 0)
        snprintf(text, bytes,
                 "%.3g ms of it are messages, waiting for other ranks, and what a rank does on one thread",
                 to->share.serial / threads / 1e6);
    else if (most == by->serial)
        snprintf(text, bytes, "%.3g ms of it run on one thread (serial part)",
                 to->share.serial / threads / 1e6);
    else if (most == by->alone)
        snprintf(text, bytes, "its loops are too short to be shared: too few bodies for so many threads");
    else if (most == by->waiting && to->imbalance > 1.1)
        snprintf(text, bytes, "its threads wait for the busiest (imbalance %.2f)", to->imbalance);
    else if (most == by->waiting)
        snprintf(text, bytes,
                 "its threads wait to start and for each other at the ends of its loops, %.3g ms each",
                 to->share.waiting / threads / 1e6);
    else
        say_thread_slower(base, result, to->share.busy / (scale * from->share.busy), text, bytes);
}

void qdi_scale_verdict(const qdi_scale_result *base, const qdi_scale_result *result, bool strong, char *text,
                       size_t bytes) {
    double scale = strong || !(base->body_steps > 0) ? 1 : result->body_steps / base->body_steps;
    qdi_scale_gain whole = strong ? qdi_scale_strong_gain(base, result, QDI_SCALE_PHASES)
                                  : qdi_scale_weak_gain(base, result, QDI_SCALE_PHASES);
    const int ranks = result->config->ranks, workers = ranks > 0 ? ranks : result->config->threads;
    const char *words = ranks > 0 ? "ranks" : "threads";
    double sum = 0, lost_most = 0;
    size_t worst = QDI_SCALE_PHASES;
    loss worst_loss = {.all = 0};
    for (size_t phase = 0; phase < QDI_SCALE_PHASES; ++phase) {
        loss lost = loss_of(&base->phases[phase], &result->phases[phase], scale);
        sum += fmax(lost.all, 0);
        if (lost.all <= lost_most) continue;
        lost_most = lost.all;
        worst = phase;
        worst_loss = lost;
    }
    if (worst == QDI_SCALE_PHASES || whole.efficiency >= good_part) {
        snprintf(text, bytes, "With %d %s nothing limits: the efficiency is %.0f %%.", workers, words,
                 100 * whole.efficiency);
        return;
    }
    char cause[256] = "";
    say_loss_cause(base, result, &base->phases[worst], &result->phases[worst], &worst_loss, scale, cause,
                   sizeof cause);
    snprintf(text, bytes, "With %d %s %s limits, with %.0f %% of the time lost: %s.", workers, words,
             qd_phase_name((qd_phase)worst), 100 * lost_most / sum, cause);
}

void qdi_scale_advice(const qdi_scale_result *result, char *text, size_t bytes) {
    text[0] = '\0';
    int threads = result->config->threads;
    uint64_t need = (uint64_t)threads * BODIES_PER_THREAD;
    if (threads < 2 || result->config->ranks > 0 || result->bodies >= need) return;
    uint64_t fit = result->bodies / BODIES_PER_THREAD;
    snprintf(text, bytes,
             "%" PRIu64
             " bodies are too few for %d threads: work is handed out by 2048 bodies at a time, and "
             "every thread has some from %" PRIu64 " bodies on; for so few take --threads %" PRIu64,
             result->bodies, threads, need, fit < 1 ? 1 : fit);
}
