#include "tools/page_data.h"

#include <inttypes.h>
#include <math.h>
#include <quadrille/metrics.h>
#include <quadrille/scene.h>
#include <stdio.h>
#include <string.h>

static void put(qdi_text *json, const char *text) {
    qdi_text_add(json, text);
}

static void put_string(qdi_text *json, const char *text) {
    put(json, "\"");
    for (const char *c = text; *c; ++c) {
        char escape[8];
        if (*c == '"' || *c == '\\')
            snprintf(escape, sizeof escape, "\\%c", *c);
        else if ((unsigned char)*c < ' ')
            snprintf(escape, sizeof escape, "\\u%04x", (unsigned)(unsigned char)*c);
        else
            snprintf(escape, sizeof escape, "%c", *c);
        put(json, escape);
    }
    put(json, "\"");
}

static void put_key(qdi_text *json, const char *name) {
    put(json, ",\n");
    put_string(json, name);
    put(json, ":");
}

static void put_real(qdi_text *json, double value) {
    if (isfinite(value))
        qdi_text_add_number(json, value);
    else
        put(json, "null");
}

// ---- what the run is ----

static void put_fact(qdi_text *json, const char *name, const char *value, bool *first) {
    put(json, *first ? "[" : ",[");
    *first = false;
    put_string(json, name);
    put(json, ",");
    put_string(json, value && *value ? value : "-");
    put(json, "]");
}

static void put_count(qdi_text *json, const char *name, uint64_t value, bool *first) {
    put(json, *first ? "[" : ",[");
    *first = false;
    put_string(json, name);
    put(json, ",");
    qdi_text_add_integer(json, value);
    put(json, "]");
}

static void put_provenance(qdi_text *json, const qdi_past *past) {
    const qd_store_run *run = &past->run;
    char hash[24], dt[32];
    snprintf(hash, sizeof hash, "%016" PRIx64, run->scene_hash);
    snprintf(dt, sizeof dt, "%.17g", run->dt);
    bool first = true;
    put_key(json, "provenance");
    put(json, "[");
    put_fact(json, "scene", run->scene, &first);
    put_fact(json, "scene hash", hash, &first);
    put_count(json, "seed", run->seed, &first);
    put_count(json, "bodies at step 0", run->bodies, &first);
    put_count(json, "steps", run->steps, &first);
    put_fact(json, "dt", dt, &first);
    put_count(json, "threads", (uint64_t)run->threads, &first);
    put_fact(json, "kernels", run->simd, &first);
    put_fact(json, "processor", run->cpu, &first);
    put_fact(json, "version", run->version, &first);
    put_fact(json, "source", run->source, &first);
    put_fact(json, "compiler", run->compiler, &first);
    put_fact(json, "flags", run->flags, &first);
    put_fact(json, "begun", run->created, &first);
    put(json, "]");
}

static void put_head(qdi_text *json, const qdi_page_source *source) {
    const qd_store_run *run = &source->past->run;
    char facts[256];
    snprintf(facts, sizeof facts, "%" PRIu64 " bodies, %" PRIu64 " steps, seed %" PRIu64 ", in %.120s",
             run->bodies, run->steps, run->seed, source->past->directory);
    put(json, "{\"schema\":1");
    put_key(json, "title");
    put_string(json, run->scene);
    put_key(json, "facts");
    put_string(json, facts);
    put_key(json, "notes");
    put(json, "[");
    for (size_t i = 0; i < 4 && source->notes[i]; ++i) {
        if (i > 0) put(json, ",");
        put_string(json, source->notes[i]);
    }
    put(json, "]");
    put_provenance(json, source->past);
    put_key(json, "scene");
    put_string(json, run->scene_text);
    put_key(json, "result");
    put(json, source->result ? source->result : "null");
}

// ---- what it recorded ----

static void put_frames(qdi_text *json, const qdi_page_source *source) {
    put_key(json, "frames");
    put(json, "[");
    for (size_t i = 0; i < source->frame_count; ++i) {
        const qdi_page_frame *frame = &source->frames[i];
        put(json, i > 0 ? ",\n{\"number\":" : "{\"number\":");
        qdi_text_add_integer(json, frame->number);
        put(json, ",\"step\":");
        qdi_text_add_integer(json, frame->step);
        put(json, ",\"time\":");
        put_real(json, frame->time);
        put(json, "}");
    }
    put(json, "]");
}

static void put_metric(qdi_text *json, const qd_metric_field *field, const qd_metrics *metrics) {
    const char *place = (const char *)metrics + field->offset;
    if (field->kind == QD_METRIC_REAL) {
        double value;
        memcpy(&value, place, sizeof value);
        put_real(json, value);
    } else {
        uint64_t value;
        memcpy(&value, place, sizeof value);
        if (value == UINT64_MAX) // the row has no such number
            put(json, "null");
        else
            qdi_text_add_integer(json, value);
    }
}

static qd_status put_metrics(qdi_text *json, const qdi_past *past, qd_error *error) {
    size_t count = 0;
    const qd_metric_field *fields = qd_metric_fields(&count);
    put_key(json, "metrics");
    put(json, "{\"names\":[");
    for (size_t i = 0; i < count; ++i) {
        if (i > 0) put(json, ",");
        put_string(json, fields[i].name);
    }
    put(json, "],\n\"rows\":[");
    uint64_t next = 0;
    for (qd_metrics metrics;; next = metrics.step + 1) {
        qd_status status = qd_store_next_metrics(past->store, next, &metrics, error);
        if (status == QD_ERR_NOT_FOUND) break;
        if (status != QD_OK) return status;
        put(json, next > 0 ? ",\n[" : "\n[");
        for (size_t i = 0; i < count; ++i) {
            if (i > 0) put(json, ",");
            put_metric(json, &fields[i], &metrics);
        }
        put(json, "]");
    }
    put(json, "]}");
    return QD_OK;
}

static qd_status put_phases(qdi_text *json, const qdi_past *past, qd_error *error) {
    put_key(json, "phases");
    put(json, "{\"names\":[");
    for (int phase = 0; phase < QD_PHASE_COUNT; ++phase) {
        if (phase > 0) put(json, ",");
        put_string(json, qd_phase_name((qd_phase)phase));
    }
    put(json, "],\n\"rows\":[");
    uint64_t next = 0, step = 0, phase_ns[QD_PHASE_COUNT];
    for (;; next = step + 1) {
        qd_status status = qd_store_next_phases(past->store, next, &step, phase_ns, error);
        if (status == QD_ERR_NOT_FOUND) break;
        if (status != QD_OK) return status;
        put(json, next > 0 ? ",\n[" : "\n[");
        qdi_text_add_integer(json, step);
        for (int phase = 0; phase < QD_PHASE_COUNT; ++phase) {
            put(json, ",");
            qdi_text_add_integer(json, phase_ns[phase]);
        }
        put(json, "]");
    }
    put(json, "]}");
    return QD_OK;
}

qd_status qdi_page_data_write(const qdi_page_source *source, qdi_text *json, qd_error *error) {
    put_head(json, source);
    put_frames(json, source);
    qd_status status = put_metrics(json, source->past, error);
    if (status == QD_OK) status = put_phases(json, source->past, error);
    put(json, "}\n");
    return status == QD_OK ? json->status : status;
}
