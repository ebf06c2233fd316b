#include "tools/scale/plan.h"

#include "core/base/memory.h"
#include "core/parallel/ranks.h"
#include "sim/text/number.h"

#include <inttypes.h>
#include <quadrille/random.h>
#include <quadrille/team.h>
#include <quadrille/tree.h>
#include <stdio.h>
#include <string.h>

enum { USE_ORDER = 101 }; // of random numbers

/// The most bodies that a tree can hold.
static const uint64_t most_bodies = QD_BODY_INDEX_MAX - 1;

// ---- the lists ----

/// Scaling test's plan: puts a number where it belongs; false where there is no room. One that is there
/// already is fine.
static bool insert_threads(qdi_scale_plan *plan, int threads) {
    size_t at = 0;
    while (at < plan->thread_count && plan->threads[at] < threads) ++at;
    if (at < plan->thread_count && plan->threads[at] == threads) return true;
    if (plan->thread_count == QDI_SCALE_MOST_THREADS) return false;
    memmove(&plan->threads[at + 1], &plan->threads[at], (plan->thread_count - at) * sizeof plan->threads[0]);
    plan->threads[at] = threads;
    plan->thread_count += 1;
    return true;
}

/// Scaling test's plan: the whole number from 1 to `most` that is all of `text`, or 0.
static int read_count(const char *text, size_t length, int most) {
    uint64_t value = 0;
    return qdi_integer_read(text, length, &value) && value <= (uint64_t)most ? (int)value : 0;
}

// Scaling test's plan: reads the list of a flag, of numbers from 1 to `most`; each stands for `each` threads.
static bool read_list(const char *flag, const char *text, int most, int each, qdi_scale_plan *plan,
                      qd_error *error) {
    plan->thread_count = 0;
    for (const char *part = text;; ++part) {
        size_t length = strcspn(part, ","), first = strcspn(part, ",-");
        int from = read_count(part, first, most);
        int to = first < length ? read_count(part + first + 1, length - first - 1, most) : from;
        if (from < 1 || to < from) {
            snprintf(error->text, sizeof error->text,
                     "%s: '%.*s' is neither a whole number from 1 to %d nor a range of them, as 4-8", flag,
                     length < 60 ? (int)length : 60, part, most);
            return false;
        }
        for (int number = from; number <= to; ++number) {
            if (insert_threads(plan, number * each)) continue;
            snprintf(error->text, sizeof error->text, "%s takes at most %d numbers", flag,
                     QDI_SCALE_MOST_THREADS);
            return false;
        }
        part += length;
        if (*part == '\0') return true;
    }
}

bool qdi_scale_read_threads(const char *text, qdi_scale_plan *plan, qd_error *error) {
    return read_list("--threads", text, QD_TEAM_MAX, 1, plan, error);
}

bool qdi_scale_read_ranks(const char *text, int rank_threads, qdi_scale_plan *plan, qd_error *error) {
    plan->rank_threads = rank_threads;
    return read_list("--ranks", text, QDI_RANKS_MAX, rank_threads, plan, error);
}

void qdi_scale_default_threads(qdi_scale_plan *plan) {
    plan->thread_count = 0;
    for (int threads = 1; threads < plan->available; threads *= 2) (void)insert_threads(plan, threads);
    (void)insert_threads(plan, plan->available);
}

// Adds a number of bodies to a scaling test, in order, each once.
static bool insert_plan_bodies(qdi_scale_plan *plan, uint64_t bodies) {
    size_t at = 0;
    while (at < plan->bodies_count && plan->bodies[at] < bodies) ++at;
    if (at < plan->bodies_count && plan->bodies[at] == bodies) return true;
    if (plan->bodies_count == QDI_SCALE_MOST_BODIES) return false;
    memmove(&plan->bodies[at + 1], &plan->bodies[at], (plan->bodies_count - at) * sizeof plan->bodies[0]);
    plan->bodies[at] = bodies;
    plan->bodies_count += 1;
    return true;
}

bool qdi_scale_read_bodies(const char *text, qdi_scale_plan *plan, qd_error *error) {
    plan->bodies_count = 0;
    for (const char *part = text;; ++part) {
        size_t length = strcspn(part, ",");
        uint64_t bodies = 0;
        if (!qdi_integer_read(part, length, &bodies) || bodies < 1 || bodies > most_bodies) {
            snprintf(error->text, sizeof error->text,
                     "--bodies: '%.*s' is not a whole number from 1 to %" PRIu64 " (1e6 is one)",
                     length < 60 ? (int)length : 60, part, most_bodies);
            return false;
        }
        if (!insert_plan_bodies(plan, bodies)) {
            snprintf(error->text, sizeof error->text, "--bodies takes at most %d numbers",
                     QDI_SCALE_MOST_BODIES);
            return false;
        }
        part += length;
        if (*part == '\0') return true;
    }
}

// ---- configurations ----

const qdi_scale_config *qdi_scale_find(const qdi_scale_plan *plan, uint64_t bodies, int threads) {
    for (size_t i = 0; i < plan->config_count; ++i)
        if (plan->configs[i].bodies == bodies && plan->configs[i].threads == threads)
            return &plan->configs[i];
    return NULL;
}

/// Scaling test's plan: the configuration, made if it is not there.
static qdi_scale_config *provide_config(qdi_scale_plan *plan, uint64_t bodies, int threads) {
    for (size_t i = 0; i < plan->config_count; ++i)
        if (plan->configs[i].bodies == bodies && plan->configs[i].threads == threads)
            return &plan->configs[i];
    qdi_scale_config *config = &plan->configs[plan->config_count++];
    *config = (qdi_scale_config){.bodies = bodies, .threads = threads};
    config->ranks = plan->rank_threads > 0 ? threads / plan->rank_threads : 0;
    config->beyond = threads > plan->available;
    config->repeats = 1;
    return config;
}

// Scaling test's plan: adds the configurations of the strong series: the same bodies on more threads.
static void plan_strong(qdi_scale_plan *plan) {
    for (size_t b = 0; b < plan->bodies_count; ++b)
        for (size_t t = 0; t < plan->thread_count; ++t) {
            qdi_scale_config *config = provide_config(plan, plan->bodies[b], plan->threads[t]);
            config->strong = true;
            config->repeats = plan->repeats;
        }
}

// Scaling test's plan: adds the configurations of the weak series: more bodies on more threads.
static qd_status plan_weak(qdi_scale_plan *plan, qd_error *error) {
    for (size_t b = 0; b < plan->bodies_count; ++b)
        for (size_t t = 0; t < plan->thread_count; ++t) {
            uint64_t threads = (uint64_t)plan->threads[t];
            if (plan->bodies[b] > most_bodies / threads) {
                snprintf(error->text, sizeof error->text,
                         "--weak: %" PRIu64 " bodies for each of %" PRIu64 " threads are more than %" PRIu64,
                         plan->bodies[b], threads, most_bodies);
                return QD_ERR_VALUE;
            }
            qdi_scale_config *config = provide_config(plan, plan->bodies[b] * threads, plan->threads[t]);
            config->weak = true;
            config->repeats = plan->repeats;
        }
    size_t measured = plan->config_count;
    for (size_t i = 0; i < measured; ++i)
        if (plan->configs[i].weak) (void)provide_config(plan, plan->configs[i].bodies, plan->threads[0]);
    return QD_OK;
}

const char *qdi_scale_series(const qdi_scale_config *config) {
    if (config->strong) return config->weak ? "strong+weak" : "strong";
    return config->weak ? "weak" : "check";
}

// ---- the order ----

// Shuffles the runs of one repeat of a scaling test.
static void shuffle_turns(qdi_scale_turn *turns, size_t count, uint64_t seed, size_t repeat) {
    qd_random random = qd_random_at(seed, repeat, USE_ORDER);
    for (size_t left = count; left > 1; --left) {
        size_t other = (size_t)(qd_random_uniform(&random) * (double)left);
        qdi_scale_turn last = turns[left - 1];
        turns[left - 1] = turns[other];
        turns[other] = last;
    }
}

qd_status qdi_scale_plan_make(qdi_scale_plan *plan, qd_error *error) {
    plan->config_count = 0;
    plan_strong(plan);
    qd_status status = plan->weak ? plan_weak(plan, error) : QD_OK;
    if (status != QD_OK) return status;
    plan->turn_count = 0;
    for (size_t i = 0; i < plan->config_count; ++i) plan->turn_count += plan->configs[i].repeats;
    plan->turns = qdi_allocate(qd_allocator_default(), plan->turn_count, sizeof *plan->turns);
    if (!plan->turns) return QD_ERR_MEMORY;
    size_t made = 0;
    for (size_t repeat = 0; repeat < plan->repeats; ++repeat) {
        size_t first = made;
        for (size_t i = 0; i < plan->config_count; ++i)
            if (repeat < plan->configs[i].repeats) plan->turns[made++] = (qdi_scale_turn){i, repeat};
        shuffle_turns(plan->turns + first, made - first, plan->seed, repeat);
    }
    return QD_OK;
}

void qdi_scale_plan_free(qdi_scale_plan *plan) {
    qdi_release(qd_allocator_default(), plan->turns, plan->turn_count, sizeof *plan->turns);
    plan->turns = NULL;
}
