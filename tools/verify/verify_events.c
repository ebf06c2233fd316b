#include "tools/verify/verify_events.h"

#include "core/base/memory.h"
#include "sim/text/number.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

// Which events the run recorded at a step.
static qd_record_events events_of_step(const qdi_recorded *past, uint64_t step) {
    return qd_scene_stage_run(past->scene, qdi_course_stage(&past->course, step)).record_events;
}

bool qdi_event_check_is_due(const qdi_recorded *past) {
    bool due = past->plan.record_events != QD_RECORD_EVENTS_NONE;
    for (size_t k = 0; k < past->course.count && !due; ++k)
        due = qd_scene_stage_run(past->scene, k).record_events != QD_RECORD_EVENTS_NONE;
    return due;
}

// Keeps an event of the replay until it is compared.
static qd_status keep_event_row(void *context, const qdi_event_row *row) {
    qdi_event_check *check = context;
    qd_status status = qdi_reserve(qd_allocator_default(), &check->rows, &check->room, check->count,
                                   check->count + 1, sizeof *check->rows);
    if (status == QD_OK) check->rows[check->count++] = qdi_event_of_row(row);
    return status;
}

qd_status qdi_event_check_change(void *context, const qd_world *world, bool after) {
    qdi_event_check *check = context;
    check->names.allocator = qd_allocator_default();
    return after ? qdi_event_rows_hold(&check->names, world) : qdi_event_names_take(&check->names, world);
}

// Verified events: the word for a kind of event.
static const char *event_kind_word(qd_store_event_kind kind) {
    static const char *const words[] = {"begin", "persist", "end", "impact"};
    return words[kind];
}

/// Verified events: "begin of bodies 3 and 5", "impact of body 3 and a wall".
static void event_words(const qd_store_event *event, char *text, size_t bytes) {
    if (event->wall)
        snprintf(text, bytes, "%s of body %" PRIu64 " and a wall", event_kind_word(event->kind), event->a);
    else
        snprintf(text, bytes, "%s of bodies %" PRIu64 " and %" PRIu64, event_kind_word(event->kind), event->a,
                 event->b);
}

// Whether a number is the one that run.db holds.
static bool same_stored_real(double x, double y) {
    return x == y || (isnan(x) && isnan(y)); // -0 is stored as 0
}

// Says how a number of an event differs.
static void describe_real_difference(const char *name, double x, double y, char *words, size_t bytes) {
    char one[QDI_NUMBER_ROOM], two[QDI_NUMBER_ROOM];
    (void)qdi_number_write(x, one);
    (void)qdi_number_write(y, two);
    snprintf(words, bytes, "%s is %s, %s in the replay", name, one, two);
}

/// The first column in which two rows differ; "" where they are the same.
static void compare_rows(const qd_store_event *stored, const qd_store_event *here, char *words,
                         size_t bytes) {
    const struct {
        const char *name;
        double stored, here;
    } reals[] = {
        {"x", stored->point.x, here->point.x},          {"y", stored->point.y, here->point.y},
        {"normal_x", stored->normal.x, here->normal.x}, {"normal_y", stored->normal.y, here->normal.y},
        {"impulse", stored->impulse, here->impulse},    {"friction", stored->friction, here->friction},
        {"approach", stored->approach, here->approach}, {"depth", stored->depth, here->depth},
        {"within", stored->within, here->within}};
    words[0] = '\0';
    if (stored->number != here->number) {
        snprintf(words, bytes, "it is number %" PRIu64 ", %" PRIu64 " in the replay", stored->number,
                 here->number);
        return;
    }
    if (stored->kind != here->kind || stored->a != here->a || stored->b != here->b ||
        stored->wall != here->wall) {
        char one[96], two[96];
        event_words(stored, one, sizeof one);
        event_words(here, two, sizeof two);
        bool sides = strcmp(one, two) == 0; // of the wall
        snprintf(words, bytes, "it is the %s, the %s%s in the replay", one, two,
                 sides ? " of another side" : "");
        return;
    }
    for (size_t i = 0; i < sizeof reals / sizeof reals[0]; ++i) {
        if (same_stored_real(reals[i].stored, reals[i].here)) continue;
        describe_real_difference(reals[i].name, reals[i].stored, reals[i].here, words, bytes);
        return;
    }
}

/// The stored rows of one step on their way past those of the replay.
typedef struct comparison {
    qdi_event_check *check;
    size_t at;
    char *words;
    size_t bytes;
} comparison;

// Compares an event in run.db with the next one of the replay.
static bool compare_next_event(void *context, const qd_store_event *stored) {
    comparison *job = context;
    qdi_event_check *check = job->check;
    char difference[256], what[96];
    check->seen += 1;
    if (job->at < check->count) {
        compare_rows(stored, &check->rows[job->at++], difference, sizeof difference);
    } else {
        event_words(stored, what, sizeof what);
        snprintf(difference, sizeof difference, "the replay has no such %s", what);
    }
    if (difference[0]) snprintf(job->words, job->bytes, "event %" PRIu64 ": %s", stored->number, difference);
    return !difference[0];
}

/// A run that was killed may lack rows of its last step.
static bool may_lack_rows(const qdi_recorded *past, uint64_t step) {
    return !past->complete && step >= past->last_step;
}

qd_status qdi_event_check_step(qdi_event_check *check, const qd_world *world, char *words, size_t bytes,
                               qd_error *error) {
    const qdi_recorded *past = check->past;
    uint64_t step = qd_world_steps(world);
    const qd_record_events recorded = events_of_step(past, step);
    words[0] = '\0';
    check->count = 0;
    if (recorded == QD_RECORD_EVENTS_NONE) return QD_OK;
    check->names.allocator = qd_allocator_default();
    qd_status status = qdi_event_rows(&check->names, world, recorded == QD_RECORD_EVENTS_ALL, keep_event_row,
                                      check);
    if (status != QD_OK) return status;
    comparison job = {check, 0, words, bytes};
    qd_error reason = {""};
    status = qd_store_visit_events(past->store, step, step, compare_next_event, &job, &reason);
    if (status == QD_ERR_CORRUPT) {
        snprintf(words, bytes, "%.400s", reason.text);
        return QD_OK;
    }
    if (status != QD_OK) {
        *error = reason;
        return status;
    }
    if (words[0] || job.at == check->count || may_lack_rows(past, step)) return QD_OK;
    char what[96];
    event_words(&check->rows[job.at], what, sizeof what);
    snprintf(words, bytes, "event %" PRIu64 " is not stored, the %s in the replay",
             check->rows[job.at].number, what);
    return QD_OK;
}

// Frees what the comparison of events worked with.
void qdi_event_check_end(qdi_event_check *check) {
    if (check->names.allocator) qdi_event_names_free(&check->names);
    qdi_release(qd_allocator_default(), check->rows, check->room, sizeof *check->rows);
    check->rows = NULL;
    check->count = check->room = 0;
}

void qdi_failure_compare(const qd_limit_report *stored, const qd_limit_report *here, char *words,
                         size_t bytes) {
    const qd_body_state *p = &stored->body, *q = &here->body;
    const struct {
        const char *name;
        double stored, here;
    } reals[] = {{"x", p->position.x, q->position.x},
                 {"y", p->position.y, q->position.y},
                 {"vx", p->velocity.x, q->velocity.x},
                 {"vy", p->velocity.y, q->velocity.y}};
    words[0] = '\0';
    if (strcmp(stored->reason, here->reason) != 0) {
        snprintf(words, bytes, "reason is '%s', '%s' in the replay", stored->reason, here->reason);
    } else if (stored->has_body != here->has_body || (here->has_body && stored->label != here->label)) {
        snprintf(words, bytes, "label is %" PRIu64 ", %" PRIu64 " in the replay", stored->label, here->label);
    } else if (here->has_body) {
        for (size_t i = 0; i < sizeof reals / sizeof reals[0] && !words[0]; ++i)
            if (!same_stored_real(reals[i].stored, reals[i].here))
                describe_real_difference(reals[i].name, reals[i].stored, reals[i].here, words, bytes);
    }
}
