// One replay beside what is stored. Rows are met in order of their steps; one that does not agree is a
// suspect until the next one that does: then it was the row that is wrong, else the state is.
//
//   step     0   10   20   30   40   50
//   hash     =    =    !    =              20 is a damaged row
//   hash     =    =    =    !    !    !    the state differs from 30 on
//   snapshot =              !    .    .    and this names body and field
//
// Two runs whose states differ do not find back to each other, so a few rows are enough to tell.

#include "tools/verify/verify.h"
#include "tools/verify/verify_distributions.h"
#include "tools/verify/verify_events.h"
#include "tools/verify/verify_fields.h"

#include "sim/text/number.h"

#include <inttypes.h>
#include <math.h>
#include <quadrille/metrics.h>
#include <stdio.h>
#include <string.h>

enum {
    SUSPECTS_MAX = 8, // that are named one by one
    SURE_AFTER = 3    // hashes in a row
};

/// A table of stored worlds, and its next row.
typedef struct states {
    const char *table, *one;
    qd_status (*next)(qd_store *, uint64_t, qd_store_state *, qd_error *);
    bool there;
    qd_store_state moment;
    uint64_t *count;
} states;

enum { TABLES = 2 };

typedef struct suspect {
    const char *table;
    uint64_t step;
    char words[512];
    qdi_gap gap;
    bool has_gap;
} suspect;

typedef struct walk {
    const qdi_recorded *past;
    qdi_findings *findings;
    qdi_verified *verified;
    qdi_replay replay;
    qd_error *error;
    bool list;
    bool hash_there; ///< the next row of hashes
    uint64_t hash_step, hash;
    bool metrics_there; ///< and of metrics
    qd_metrics metrics;
    states states[TABLES];
    qdi_event_check events;
    qdi_field_check fields;
    qdi_distribution_check distributions;
    bool agreed; ///< at `agreed_step`, for the last time
    uint64_t agreed_step;
    suspect suspects[SUSPECTS_MAX];
    size_t suspect_count; ///< of all; the first SUSPECTS_MAX are kept
    size_t hashes_off;    ///< of them
    size_t events_off;    ///< and rows of events, which tell of the state only together with others
    bool result_off;      ///< the state at the end differs
    const suspect *named; ///< the first one that names a field
} walk;

// Adds a finding about a step of the run.
static qd_status add_replay_finding(walk *job, const char *table, uint64_t step, const char *words,
                                    const qdi_gap *gap) {
    const qdi_finding finding = {table, step, words, gap};
    qdi_findings_add(job->findings, &finding);
    return job->findings->status;
}

// ---- the next rows ----

/// Verified replay: what a reason says behind the name of the file, which is said anyway.
static const char *behind_file(const char *reason) {
    static const char name[] = "/run.db: ";
    const char *at = strstr(reason, name);
    return at ? at + sizeof name - 1 : reason;
}

/// A row of a step that the run does not have: what comes after it in its table is not looked at.
static qd_status tell_beyond(walk *job, const char *table, uint64_t step) {
    char words[96];
    snprintf(words, sizeof words, "the run has only %" PRIu64 " steps", job->past->plan.steps);
    return add_replay_finding(job, table, step, words, NULL);
}

// Reads the next state hash from run.db.
static qd_status next_stored_hash(walk *job, uint64_t from) {
    qd_error error = {""};
    qd_status status = qd_store_next_hash(job->past->store, from, &job->hash_step, &job->hash, &error);
    while (status == QD_ERR_CORRUPT && job->hash_step >= from) {
        status = add_replay_finding(job, "hashes", job->hash_step, behind_file(error.text), NULL);
        if (status != QD_OK) return status;
        from = job->hash_step + 1;
        status = qd_store_next_hash(job->past->store, from, &job->hash_step, &job->hash, &error);
    }
    job->hash_there = status == QD_OK && job->hash_step <= job->past->plan.steps;
    if (status == QD_OK && !job->hash_there) return tell_beyond(job, "hashes", job->hash_step);
    if (status == QD_OK || status == QD_ERR_NOT_FOUND) return QD_OK;
    *job->error = error;
    return status;
}

// Reads the next snapshot or checkpoint from run.db.
static qd_status next_stored_state(walk *job, states *of, uint64_t from) {
    qd_error error = {""};
    qd_store *store = job->past->store;
    qd_status status = of->next(store, from, &of->moment, &error);
    while (status == QD_ERR_CORRUPT && of->moment.step >= from && error.text[0]) {
        status = add_replay_finding(job, of->table, of->moment.step, behind_file(error.text), NULL);
        if (status != QD_OK) return status;
        from = of->moment.step + 1;
        status = of->next(store, from, &of->moment, &error);
    }
    of->there = status == QD_OK && of->moment.step <= job->past->plan.steps;
    if (status == QD_OK && !of->there) {
        qd_store_state_free(store, &of->moment);
        return tell_beyond(job, of->table, of->moment.step);
    }
    if (status == QD_OK || status == QD_ERR_NOT_FOUND) return QD_OK;
    *job->error = error;
    return status;
}

// Reads the next row of metrics from run.db.
static qd_status next_stored_metrics(walk *job, uint64_t from) {
    qd_status status = qd_store_next_metrics(job->past->store, from, &job->metrics, job->error);
    job->metrics_there = status == QD_OK && job->metrics.step <= job->past->plan.steps;
    if (status == QD_OK && !job->metrics_there) return tell_beyond(job, "metrics", job->metrics.step);
    return status == QD_ERR_NOT_FOUND ? QD_OK : status;
}

// Reads the next fields from run.db; a row that cannot be read is a finding, and ends the table.
static qd_status next_stored_fields(walk *job, uint64_t from) {
    qd_error error = {""};
    qd_status status = qdi_field_check_next(&job->fields, from, &error);
    if (status == QD_ERR_CORRUPT)
        return add_replay_finding(job, "fields", from, behind_file(error.text), NULL);
    if (status != QD_OK) *job->error = error;
    if (status != QD_OK || !job->fields.there || job->fields.next.step <= job->past->plan.steps)
        return status;
    job->fields.there = false;
    return tell_beyond(job, "fields", job->fields.next.step);
}

// Reads the next distributions from run.db; a row that cannot be read is a finding, and ends the table.
static qd_status next_stored_distributions(walk *job, uint64_t from) {
    qd_error error = {""};
    qd_status status = qdi_distribution_check_next(&job->distributions, from, &error);
    if (status == QD_ERR_CORRUPT)
        return add_replay_finding(job, "distributions", from, behind_file(error.text), NULL);
    if (status != QD_OK) *job->error = error;
    const uint64_t step = job->distributions.next.step;
    if (status != QD_OK || !job->distributions.there || step <= job->past->plan.steps) return status;
    job->distributions.there = false;
    return tell_beyond(job, "distributions", step);
}

/// Verified replay: the step of the next row; false where there are no more.
static bool next_step(const walk *job, uint64_t *step) {
    bool there = job->hash_there || job->metrics_there || job->fields.there || job->distributions.there;
    *step = job->hash_there ? job->hash_step : UINT64_MAX;
    if (job->fields.there && job->fields.next.step < *step) *step = job->fields.next.step;
    if (job->distributions.there && job->distributions.next.step < *step)
        *step = job->distributions.next.step;
    if (job->metrics_there && job->metrics.step < *step) *step = job->metrics.step;
    for (int k = 0; k < TABLES; ++k) {
        if (!job->states[k].there) continue;
        there = true;
        if (job->states[k].moment.step < *step) *step = job->states[k].moment.step;
    }
    return there;
}

// ---- suspects ----

/// Verified replay: what follows agrees: so it is the rows that are wrong.
static qd_status trust_state(walk *job, uint64_t step) {
    qd_status status = QD_OK;
    for (size_t i = 0; i < job->suspect_count && i < SUSPECTS_MAX && status == QD_OK; ++i) {
        const suspect *row = &job->suspects[i];
        char words[600];
        if (row->step == step)
            snprintf(words, sizeof words, "%s; other rows of this step agree, so this one is damaged",
                     row->words);
        else
            snprintf(words, sizeof words, "%s; step %" PRIu64 " agrees again, so the row is damaged",
                     row->words, step);
        status = add_replay_finding(job, row->table, row->step, words, row->has_gap ? &row->gap : NULL);
    }
    job->suspect_count = job->hashes_off = job->events_off = 0;
    job->named = NULL;
    job->agreed = true;
    job->agreed_step = step;
    return status;
}

// Notes a row of run.db that differs from the replay, until it is clear which side is wrong.
static suspect *add_suspect_row(walk *job, const char *table, uint64_t step) {
    size_t number = job->suspect_count++;
    // Where there is no more room, the last one is as good as any: all that counts is how many there are, and
    // which names a field.
    suspect *row = &job->suspects[number < SUSPECTS_MAX ? number : SUSPECTS_MAX - 1];
    if (row == job->named) row = &job->suspects[SUSPECTS_MAX - 2];
    *row = (suspect){.table = table, .step = step};
    return row;
}

// Compares a state hash in run.db with the replay.
static qd_status verify_hash(walk *job) {
    uint64_t step = job->hash_step, here = qdi_replay_hash(&job->replay);
    job->verified->hashes += 1;
    qd_status status = QD_OK;
    if (here == job->hash) {
        status = trust_state(job, step);
    } else {
        suspect *row = add_suspect_row(job, "hashes", step);
        snprintf(row->words, sizeof row->words, "%016" PRIx64 " is stored, the replay has %016" PRIx64,
                 job->hash, here);
        job->hashes_off += 1;
    }
    return status == QD_OK ? next_stored_hash(job, step + 1) : status;
}

/// A stored world beside the replay's. `hash_agreed`: the step's hash said that they are the same.
static qd_status compare_state(walk *job, const states *of, const qd_world *stored, bool hash_agreed) {
    uint64_t step = of->moment.step;
    qdi_gap gap;
    if (job->list && job->replay.progress) qdi_progress_end(job->replay.progress);
    qd_status status = qdi_gap_find(stored, job->replay.world, qdi_recorded_sums(job->past), job->list, &gap);
    if (status != QD_OK) return status;
    if (gap.all.fields == 0) return trust_state(job, step);
    char name[64], words[512];
    snprintf(name, sizeof name, "the %s of step %" PRIu64, of->one, step);
    qdi_gap_words(&gap, name, "the replay", words, sizeof words);
    if (hash_agreed) return add_replay_finding(job, of->table, step, words, &gap);
    suspect *row = add_suspect_row(job, of->table, step);
    snprintf(row->words, sizeof row->words, "%s", words);
    row->gap = gap;
    row->has_gap = true;
    if (!job->named) job->named = row;
    return QD_OK;
}

// Compares a stored state in run.db with the replay.
static qd_status verify_state(walk *job, states *of, bool hash_agreed) {
    qd_store_state *moment = &of->moment;
    uint64_t step = moment->step;
    *of->count += 1;
    qd_world *stored = NULL;
    qd_error error = {""};
    qd_status status = qd_world_load(moment->world, moment->world_bytes, 1, NULL, &stored, &error);
    qd_store_state_free(job->past->store, moment);
    if (status == QD_ERR_CORRUPT)
        status = add_replay_finding(job, of->table, step, error.text, NULL);
    else if (status == QD_OK)
        status = compare_state(job, of, stored, hash_agreed);
    qd_world_destroy(stored);
    return status == QD_OK ? next_stored_state(job, of, step + 1) : status;
}

/// How far two sums of one unit may be apart in a run of an earlier version, which added them up in another
/// order: that depends on what is added, which is as large as the largest number of the unit, or as what
/// follows from the energy: per area a pressure, by the highest speed a momentum.
static double rounding_of(const qd_metrics *here, const char *unit) {
    size_t count = 0;
    const qd_metric_field *fields = qd_metric_fields(&count);
    double most = 0;
    if (strcmp(unit, "mass / time^2") == 0) most = here->kinetic / here->area;
    if (strncmp(unit, "mass length", 11) == 0 && here->fastest > 0) most = here->kinetic / here->fastest;
    if (strcmp(unit, "mass length^2 / time") == 0) most *= sqrt(here->area);
    for (size_t i = 0; i < count; ++i) {
        double value;
        if (fields[i].kind != QD_METRIC_REAL || strcmp(fields[i].unit, unit) != 0) continue;
        memcpy(&value, (const char *)here + fields[i].offset, sizeof value);
        if (fabs(value) > most) most = fabs(value);
    }
    return 1e-9 * most;
}

/// Which numbers of a row of metrics differ; the first one in words. Those that the row has no value for are
/// passed over. `sums`: to the last digit.
static size_t compare_metrics(const qd_metrics *stored, const qd_metrics *here, bool sums, char *words,
                              size_t bytes) {
    size_t count = 0, differ = 0;
    const qd_metric_field *fields = qd_metric_fields(&count);
    for (size_t i = 0; i < count; ++i) {
        const char *p = (const char *)stored + fields[i].offset, *q = (const char *)here + fields[i].offset;
        double x, y;
        uint64_t m, n;
        memcpy(&x, p, sizeof x);
        memcpy(&y, q, sizeof y);
        memcpy(&m, p, sizeof m);
        memcpy(&n, q, sizeof n);
        bool real = fields[i].kind == QD_METRIC_REAL;
        if (real ? x == y || isnan(x) : m == n || m == UINT64_MAX) continue; // -0 is stored as 0
        if (real && !sums && fabs(x - y) <= rounding_of(here, fields[i].unit)) continue;
        if (differ++ > 0) continue;
        char one[QDI_NUMBER_ROOM], two[QDI_NUMBER_ROOM];
        if (real) {
            (void)qdi_number_write(x, one);
            (void)qdi_number_write(y, two);
        } else {
            snprintf(one, sizeof one, "%" PRIu64, m);
            snprintf(two, sizeof two, "%" PRIu64, n);
        }
        snprintf(words, bytes, "%s is %s, %s in the replay", fields[i].name, one, two);
    }
    return differ;
}

// Compares metrics in run.db with the replay.
static qd_status verify_metrics(walk *job, bool hash_agreed) {
    uint64_t step = job->metrics.step;
    qd_metrics here;
    qd_world_measure(job->replay.world, &here);
    job->verified->metrics += 1;
    char words[256], line[320];
    size_t differ = compare_metrics(&job->metrics, &here, qdi_recorded_sums(job->past), words, sizeof words);
    if (differ > 0) {
        snprintf(line, sizeof line, "%s (%zu number%s differ%s)", words, differ, differ == 1 ? "" : "s",
                 differ == 1 ? "s" : "");
        if (hash_agreed) {
            qd_status status = add_replay_finding(job, "metrics", step, line, NULL);
            if (status != QD_OK) return status;
        } else {
            suspect *row = add_suspect_row(job, "metrics", step);
            snprintf(row->words, sizeof row->words, "%s", line);
        }
    }
    return next_stored_metrics(job, step + 1);
}

/// Verified replay: what differs in a row that follows from the state.
static qd_status judge_words(walk *job, const char *table, uint64_t step, const char *words,
                             bool hash_agreed) {
    if (words[0] && hash_agreed) return add_replay_finding(job, table, step, words, NULL);
    if (words[0]) {
        suspect *row = add_suspect_row(job, table, step);
        snprintf(row->words, sizeof row->words, "%s", words);
    }
    return QD_OK;
}

// Compares fields in run.db with what is measured of the replay.
static qd_status verify_fields(walk *job, bool hash_agreed) {
    const uint64_t step = job->fields.next.step;
    char words[320];
    qd_status status = qdi_field_check_step(&job->fields, job->replay.world, words, sizeof words);
    job->verified->fields = job->fields.seen;
    if (status == QD_OK) status = judge_words(job, "fields", step, words, hash_agreed);
    return status == QD_OK ? next_stored_fields(job, step + 1) : status;
}

// Compares distributions in run.db with what is counted in the replay.
static qd_status verify_distributions(walk *job, bool hash_agreed) {
    const uint64_t step = job->distributions.next.step;
    char words[320];
    qd_status status = qdi_distribution_check_step(&job->distributions, job->replay.world, words,
                                                   sizeof words);
    job->verified->distributions += 1;
    if (status == QD_OK) status = judge_words(job, "distributions", step, words, hash_agreed);
    return status == QD_OK ? next_stored_distributions(job, step + 1) : status;
}

// ---- the walk ----

/// The state differs, and what tells most of it.
static qd_status report_state(walk *job) {
    const suspect *first = &job->suspects[0], *named = job->named;
    char since[64] = "", words[640];
    if (job->agreed) snprintf(since, sizeof since, ", equal at step %" PRIu64, job->agreed_step);
    snprintf(words, sizeof words, "differs from here on%s (%d thread%s): %s%s", since, job->replay.threads,
             job->replay.threads == 1 ? "" : "s", named ? named->words : first->words,
             named ? ""
                   : "; no snapshot or checkpoint is stored from here on, so body and field cannot be told");
    return add_replay_finding(job, "state", first->step, words, named ? &named->gap : NULL);
}

/// The rows of a step, which the replay is at.
static qd_status judge_step(walk *job, uint64_t step) {
    qd_status status = QD_OK;
    bool had_hash = job->hash_there && job->hash_step == step;
    if (had_hash) status = verify_hash(job);
    bool agreed = had_hash && job->agreed && job->agreed_step == step;
    for (int k = 0; k < TABLES && status == QD_OK; ++k)
        if (job->states[k].there && job->states[k].moment.step == step)
            status = verify_state(job, &job->states[k], agreed);
    if (status == QD_OK && job->metrics_there && job->metrics.step == step)
        status = verify_metrics(job, job->agreed && job->agreed_step == step);
    if (status == QD_OK && job->fields.there && job->fields.next.step == step)
        status = verify_fields(job, job->agreed && job->agreed_step == step);
    if (status == QD_OK && job->distributions.there && job->distributions.next.step == step)
        status = verify_distributions(job, job->agreed && job->agreed_step == step);
    return status;
}

/// The rows of events of the step that the replay is at.
static qd_status judge_events(walk *job) {
    if (!qdi_event_check_is_due(job->past)) return QD_OK;
    char words[512];
    qd_status status = qdi_event_check_step(&job->events, job->replay.world, words, sizeof words, job->error);
    job->verified->events = job->events.seen;
    if (status != QD_OK || !words[0]) return status;
    suspect *row = add_suspect_row(job, "events", qd_world_steps(job->replay.world));
    snprintf(row->words, sizeof row->words, "%s", behind_file(words));
    job->events_off += 1;
    return QD_OK;
}

/// Verified replay: true where another row would tell nothing more.
static bool is_sure(const walk *job) {
    bool ahead = job->states[0].there || job->states[1].there;
    return job->hashes_off >= SURE_AFTER && (job->named || !ahead);
}

/// Verified replay: steps to a step, and looks at the events on the way.
static qd_status go_to(walk *job, uint64_t step) {
    const bool sampled = qdi_field_check_samples(job->past),
               counted = qdi_distribution_check_samples(job->past),
               each = sampled || counted || qdi_event_check_is_due(job->past);
    qd_status status = QD_OK;
    for (uint64_t at; status == QD_OK && (at = qd_world_steps(job->replay.world)) < step;) {
        const uint64_t next = each ? at + 1 : step;
        job->replay.watch_stress = sampled || (job->fields.there && job->fields.next.step == next);
        status = qdi_replay_go(&job->replay, next, job->error);
        if (status == QD_OK) status = judge_events(job);
        if (status == QD_OK && sampled) status = qdi_field_check_sample(&job->fields, job->replay.world);
        if (status == QD_OK && counted)
            status = qdi_distribution_check_moment(&job->distributions, job->replay.world);
    }
    return status;
}

/// The same; false where the replay cannot get there, which is a finding.
static bool replay_to(walk *job, uint64_t step, qd_status *status) {
    *status = go_to(job, step);
    if (*status != QD_ERR_LIMIT) return *status == QD_OK;
    char words[640];
    snprintf(words, sizeof words, "the replay stops, %s; the run went on", job->error->text);
    *status = add_replay_finding(job, "state", qd_world_steps(job->replay.world) + 1, words, NULL);
    return false;
}

/// Verified replay: what result.json says of the end.
static qd_status judge_result(walk *job, const qdi_verify_result *result) {
    qd_status status = QD_OK;
    if (!result->there || !replay_to(job, result->steps, &status)) return status;
    uint64_t here = qdi_replay_hash(&job->replay);
    if (here == result->state_hash) return trust_state(job, result->steps);
    job->result_off = true;
    if (job->suspect_count > 0) return QD_OK;
    char words[128];
    snprintf(words, sizeof words, "state_hash is %016" PRIx64 ", the replay has %016" PRIx64,
             result->state_hash, here);
    return add_replay_finding(job, "result.json", result->steps, words, NULL);
}

// Verified replay: notes the step of the first event.
static bool note_event_step(void *context, const qd_store_event *event) {
    *(uint64_t *)context = event->step;
    return false;
}

/// Verified replay: the events behind the last row of any other table, and those that there cannot be.
static qd_status judge_last_events(walk *job) {
    const qdi_recorded *past = job->past;
    qd_status status = QD_OK;
    if (!qdi_event_check_is_due(past)) return QD_OK;
    uint64_t last = past->last_step < past->plan.steps ? past->last_step : past->plan.steps, beyond = 0;
    if (!replay_to(job, last, &status)) return status;
    qd_error error = {""};
    status = qd_store_visit_events(past->store, past->plan.steps + 1, UINT64_MAX, note_event_step, &beyond,
                                   &error);
    if (status == QD_ERR_CORRUPT)
        return add_replay_finding(job, "events", QDI_NO_STEP, behind_file(error.text), NULL);
    if (status != QD_OK) *job->error = error;
    return status == QD_OK && beyond > 0 ? tell_beyond(job, "events", beyond) : status;
}

/// A failure: the replay, which is at the step before, must stop as the run did.
static qd_status judge_failure(walk *job, const qd_limit_report *stored) {
    char words[256];
    job->verified->failures += 1;
    qd_world *world = job->replay.world;
    qd_status status = QD_OK;
    if (stored->step == 0 || stored->step > job->past->plan.steps || qd_world_steps(world) >= stored->step)
        return add_replay_finding(job, "failures", stored->step, "the run went on past this step", NULL);
    if (!replay_to(job, stored->step - 1, &status)) return status;
    status = qdi_course_begin(&job->past->course, job->past->scene, world, job->error);
    if (status == QD_OK) status = qd_world_step(world, job->past->plan.dt, NULL);
    if (status == QD_OK) return add_replay_finding(job, "failures", stored->step, "the replay goes on", NULL);
    if (status != QD_ERR_LIMIT) return status;
    const qd_limit_report here = qd_world_limit_report(world);
    qdi_failure_compare(stored, &here, words, sizeof words);
    return words[0] ? add_replay_finding(job, "failures", stored->step, words, NULL) : QD_OK;
}

// Compares the failures in run.db with the replay.
static qd_status verify_failures(walk *job) {
    qd_status status = QD_OK;
    for (uint64_t from = 0; status == QD_OK;) {
        qd_limit_report report;
        status = qd_store_next_failure(job->past->store, from, &report, job->error);
        if (status == QD_OK) status = judge_failure(job, &report);
        from = report.step + 1;
    }
    return status == QD_ERR_NOT_FOUND ? QD_OK : status;
}

/// Only rows of events differ, and nothing that was recorded later says whether the state does.
static qd_status tell_events(walk *job) {
    qd_status status = QD_OK;
    for (size_t i = 0; i < job->suspect_count && i < SUSPECTS_MAX && status == QD_OK; ++i)
        status = add_replay_finding(job, job->suspects[i].table, job->suspects[i].step,
                                    job->suspects[i].words, NULL);
    return status;
}

// Decides at the end of a replay which rows of run.db are wrong.
static qd_status conclude_verify(walk *job) {
    if (job->suspect_count == 0) return job->result_off ? QD_OK : verify_failures(job);
    return job->suspect_count == job->events_off && !job->result_off ? tell_events(job) : report_state(job);
}

// Replays a run and compares all that run.db has of it.
static qd_status verify_all_steps(walk *job, const qdi_verify_result *result) {
    qd_status status = qdi_replay_begin(&job->replay, job->error);
    if (status == QD_OK) status = judge_events(job);
    if (status == QD_OK) status = next_stored_hash(job, 0);
    if (status == QD_OK) status = next_stored_metrics(job, 0);
    if (status == QD_OK) status = next_stored_fields(job, 0);
    if (status == QD_OK) status = next_stored_distributions(job, 0);
    for (int k = 0; k < TABLES && status == QD_OK; ++k) status = next_stored_state(job, &job->states[k], 0);
    uint64_t step;
    while (status == QD_OK && !is_sure(job) && next_step(job, &step)) {
        if (!replay_to(job, step, &status)) return status;
        status = judge_step(job, step);
    }
    if (status == QD_OK && !is_sure(job)) status = judge_last_events(job);
    if (status == QD_OK && !is_sure(job)) status = judge_result(job, result);
    return status == QD_OK ? conclude_verify(job) : status;
}

qd_status qdi_verify_replay(const qdi_recorded *past, int threads, const qdi_verify_result *result, bool list,
                            const qdi_common *common, qdi_findings *findings, qdi_verified *verified,
                            qd_error *error) {
    qdi_progress progress = qdi_replay_progress(common, past->plan.steps);
    walk job = {.past = past,
                .findings = findings,
                .verified = verified,
                .replay = {.past = past, .threads = threads, .progress = &progress},
                .events = {.past = past},
                .fields = {.past = past},
                .distributions = {.past = past},
                .error = error,
                .list = list,
                .states = {{.table = "snapshots",
                            .one = "snapshot",
                            .next = qd_store_next_snapshot,
                            .count = &verified->snapshots},
                           {.table = "checkpoints",
                            .one = "checkpoint",
                            .next = qd_store_next_checkpoint,
                            .count = &verified->checkpoints}}};
    job.replay.change = qdi_event_check_change;
    job.replay.context = &job.events;
    findings->progress = &progress;
    verified->hashes = verified->metrics = verified->snapshots = verified->checkpoints = 0;
    verified->events = verified->failures = verified->fields = verified->distributions = 0;
    qd_status status = verify_all_steps(&job, result);
    qdi_progress_end(&progress);
    findings->progress = NULL;
    for (int k = 0; k < TABLES; ++k)
        if (job.states[k].there) qd_store_state_free(past->store, &job.states[k].moment);
    qdi_event_check_end(&job.events);
    qdi_field_check_end(&job.fields);
    qdi_distribution_check_end(&job.distributions);
    qdi_replay_end(&job.replay);
    return status;
}
