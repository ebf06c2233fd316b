#include "tools/report/page_run_data.h"

#include "sim/text/number.h"
#include "tools/report/page_distributions.h"
#include "tools/report/page_fields.h"

#include <inttypes.h>
#include <quadrille/metrics.h>
#include <quadrille/scene.h>
#include <stdio.h>
#include <string.h>

// ---- what the run is ----

// Adds a fact about a run to its page.
static void put_page_fact(qdi_json *json, const char *name, const char *value) {
    qdi_json_open(json, NULL, '[');
    qdi_json_text(json, NULL, name);
    qdi_json_text(json, NULL, value && *value ? value : "-");
    qdi_json_close(json, ']');
}

// Adds a number about a run to its page.
static void put_page_count(qdi_json *json, const char *name, uint64_t value) {
    qdi_json_open(json, NULL, '[');
    qdi_json_text(json, NULL, name);
    qdi_json_whole(json, NULL, value);
    qdi_json_close(json, ']');
}

// Adds where a run came from to its page: version, scene, machine.
static void put_page_provenance(qdi_json *json, const qdi_recorded *past) {
    const qd_store_run *run = &past->run;
    char hash[24], dt[QDI_NUMBER_ROOM];
    snprintf(hash, sizeof hash, "%016" PRIx64, run->scene_hash);
    qdi_number_write(run->dt, dt);
    qdi_json_open(json, "provenance", '[');
    put_page_fact(json, "scene", run->scene);
    put_page_fact(json, "scene hash", hash);
    put_page_count(json, "seed", run->seed);
    put_page_count(json, "bodies at step 0", run->bodies);
    put_page_count(json, "steps", run->steps);
    put_page_fact(json, "dt", dt);
    put_page_count(json, "threads", (uint64_t)run->threads);
    put_page_fact(json, "kernels", run->simd);
    put_page_fact(json, "processor", run->cpu);
    put_page_fact(json, "version", run->version);
    put_page_fact(json, "source", run->source);
    put_page_fact(json, "compiler", run->compiler);
    put_page_fact(json, "flags", run->flags);
    put_page_fact(json, "begun", run->created);
    qdi_json_close(json, ']');
}

// Adds the head of a run's page.
static void put_run_head(qdi_json *json, const qdi_page_job *job, const qdi_recorded *past,
                         const char *result) {
    const qd_store_run *run = &past->run;
    char facts[256];
    snprintf(facts, sizeof facts, "%" PRIu64 " bodies%s, %" PRIu64 " steps, seed %" PRIu64 ", in %.120s",
             run->bodies, qd_scene_grows(past->scene) ? " at step 0" : "",
             past->complete ? past->last_step : run->steps, run->seed, past->directory);
    qdi_page_job_head(json, run->scene, facts);
    qdi_page_job_notes(job, json);
    put_page_provenance(json, past);
    qdi_json_text(json, "scene", run->scene_text);
    qdi_json_verbatim(json, "result", result ? result : "null");
}

// ---- what it recorded ----

// Adds the list of frames to a run's page.
static void put_page_frames(qdi_json *json, const qdi_page_source *source) {
    qdi_json_open(json, "frames", '[');
    for (size_t i = 0; i < source->frame_count; ++i) {
        const qdi_page_frame *frame = &source->frames[i];
        qdi_json_open(json, NULL, '{');
        qdi_json_whole(json, "number", frame->number);
        qdi_json_whole(json, "step", frame->step);
        qdi_json_real(json, "time", frame->time);
        qdi_json_close(json, '}');
    }
    qdi_json_close(json, ']');
}

// Adds where stages began to a run's page.
static void put_page_stages(qdi_json *json, const qdi_course *course) {
    qdi_json_open(json, "stages", '[');
    for (size_t k = 0; k < course->count; ++k) {
        qdi_json_open(json, NULL, '{');
        qdi_json_text(json, "name", course->row[k].name);
        qdi_json_whole(json, "after", course->row[k].step);
        qdi_json_close(json, '}');
    }
    qdi_json_close(json, ']');
}

// Adds one metric at one step to a run's page.
static void put_page_metric(qdi_json *json, const qd_metric_field *field, const qd_metrics *metrics) {
    const char *place = (const char *)metrics + field->offset;
    if (field->kind == QD_METRIC_REAL) {
        double value;
        memcpy(&value, place, sizeof value);
        qdi_json_real(json, NULL, value);
    } else {
        uint64_t value;
        memcpy(&value, place, sizeof value);
        if (value == UINT64_MAX) // the row has no such number
            qdi_json_null(json, NULL);
        else
            qdi_json_whole(json, NULL, value);
    }
}

// Adds the metrics in run.db to a run's page.
static qd_status put_page_metrics(qdi_json *json, const qdi_recorded *past, qd_error *error) {
    size_t count = 0;
    const qd_metric_field *fields = qd_metric_fields(&count);
    qdi_json_open(json, "metrics", '{');
    qdi_json_open(json, "names", '[');
    for (size_t i = 0; i < count; ++i) qdi_json_text(json, NULL, fields[i].name);
    qdi_json_close(json, ']');
    qdi_json_open(json, "rows", '[');
    uint64_t next = 0;
    for (qd_metrics metrics;; next = metrics.step + 1) {
        qd_status status = qd_store_next_metrics(past->store, next, &metrics, error);
        if (status == QD_ERR_NOT_FOUND) break;
        if (status != QD_OK) return status;
        qdi_json_open(json, NULL, '[');
        for (size_t i = 0; i < count; ++i) put_page_metric(json, &fields[i], &metrics);
        qdi_json_close(json, ']');
    }
    qdi_json_close(json, ']');
    qdi_json_close(json, '}');
    return QD_OK;
}

// Adds the times of the phases in run.db to a run's page.
static qd_status put_page_phases(qdi_json *json, const qdi_recorded *past, qd_error *error) {
    qdi_json_open(json, "phases", '{');
    qdi_json_open(json, "names", '[');
    for (int phase = 0; phase < QD_PHASE_COUNT; ++phase)
        qdi_json_text(json, NULL, qd_phase_name((qd_phase)phase));
    qdi_json_close(json, ']');
    qdi_json_open(json, "rows", '[');
    uint64_t next = 0, step = 0, phase_ns[QD_PHASE_COUNT];
    for (;; next = step + 1) {
        qd_status status = qd_store_next_phases(past->store, next, &step, phase_ns, error);
        if (status == QD_ERR_NOT_FOUND) break;
        if (status != QD_OK) return status;
        qdi_json_open(json, NULL, '[');
        qdi_json_whole(json, NULL, step);
        for (int phase = 0; phase < QD_PHASE_COUNT; ++phase) qdi_json_whole(json, NULL, phase_ns[phase]);
        qdi_json_close(json, ']');
    }
    qdi_json_close(json, ']');
    qdi_json_close(json, '}');
    return QD_OK;
}

qd_status qdi_page_run_data(const qdi_page_job *job, const qdi_page_source *source, qdi_json *json,
                            qd_error *error) {
    put_run_head(json, job, source->past, source->result);
    put_page_frames(json, source);
    put_page_stages(json, &source->past->course);
    qd_status status = put_page_metrics(json, source->past, error);
    if (status == QD_OK) status = put_page_phases(json, source->past, error);
    if (status == QD_OK) status = qdi_page_fields(json, source->past, error);
    if (status == QD_OK) status = qdi_page_distributions(json, source->past, error);
    qdi_json_close(json, '}');
    return status == QD_OK ? json->status : status;
}
