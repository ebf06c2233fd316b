#include "tools/session/result.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

/// A form that only grows: what is there keeps its name and meaning within one number.
enum { RESULT_SCHEMA = 1 };

double qdi_result_ns_per_body_step(const qdi_result *result, uint64_t ns) {
    uint64_t body_steps = result->profile.body_steps;
    return body_steps > 0 ? (double)ns / (double)body_steps : 0;
}

// What ended a run that could end before its last step.
static void put_end(const qdi_result *result, qdi_json *json) {
    char rule[48] = "steps";
    if (result->ended_by > 0 && result->ended_stage)
        snprintf(rule, sizeof rule, "stages.%zu.until.%" PRIu64, result->stage_count - 1,
                 result->ended_by - 1);
    else if (result->ended_by > 0)
        snprintf(rule, sizeof rule, "until.%" PRIu64, result->ended_by - 1);
    qdi_json_text(json, "ended_by", rule);
    if (result->ended_by > 0) qdi_json_text(json, "ended_words", result->ended_words);
}

// What each rank has at the end, and has sent.
static void put_ranks(const qdi_result *result, qdi_json *json) {
    qdi_json_open(json, "ranks", '[');
    for (int q = 0; q < result->ranks; ++q) {
        const qdi_fleet_counts *rank = &result->rank[q];
        qdi_json_open(json, NULL, '{');
        qdi_json_whole(json, "bodies", rank->bodies);
        qdi_json_whole(json, "ghosts", rank->ghosts);
        qdi_json_whole(json, "renewals", rank->renewals);
        qdi_json_whole(json, "migrations", rank->migrations);
        qdi_json_whole(json, "gathers", rank->gathers);
        qdi_json_whole(json, "messages", rank->messages);
        qdi_json_whole(json, "bytes", rank->bytes);
        qdi_json_whole(json, "notes", rank->notes);
        qdi_json_whole(json, "note_bytes", rank->note_bytes);
        if (rank->memory > 0) qdi_json_whole(json, "peak_rss_bytes", rank->memory);
        qdi_json_close(json, '}');
    }
    qdi_json_close(json, ']');
}

// What came of the stages.
static void put_stages(const qdi_result *result, qdi_json *json) {
    qdi_json_open(json, "stages", '[');
    for (size_t k = 0; k < result->stage_count; ++k) {
        const qdi_result_stage *stage = &result->stages[k];
        qdi_json_open(json, NULL, '{');
        qdi_json_text(json, "name", stage->name);
        qdi_json_whole(json, "after", stage->after);
        qdi_json_whole(json, "steps", stage->steps);
        qdi_json_real(json, "time", stage->time);
        qdi_json_text(json, "ended_by", stage->ended_by);
        qdi_json_whole(json, "bodies", stage->bodies);
        qdi_json_whole(json, "contacts_total", stage->contacts);
        qdi_json_whole(json, "begins_total", stage->begins);
        qdi_json_whole(json, "impacts_total", stage->impacts);
        qdi_json_whole(json, "emitted_total", stage->emitted);
        qdi_json_whole(json, "removed_total", stage->removed);
        qdi_json_real(json, "kinetic", stage->kinetic);
        qdi_json_real(json, "potential", stage->potential);
        qdi_json_close(json, '}');
    }
    qdi_json_close(json, ']');
}

qd_status qdi_result_json(const qdi_result *result, qdi_json *json) {
    const qd_world_totals *totals = &result->totals;
    qdi_json_open(json, NULL, '{');
    qdi_json_whole(json, "schema", RESULT_SCHEMA);
    qdi_json_text(json, "version", QD_VERSION);
    qdi_json_text(json, "scene", result->scene);
    qdi_json_hash(json, "scene_hash", result->scene_hash);
    qdi_json_whole(json, "seed", result->seed);
    qdi_json_whole(json, "bodies", result->bodies);
    qdi_json_whole(json, "steps", result->steps);
    if (result->has_rules) put_end(result, json);
    if (result->stage_count > 0) put_stages(result, json);
    qdi_json_real(json, "dt", result->dt);
    qdi_json_whole(json, "threads", (uint64_t)result->threads);
    qdi_json_whole(json, "threads_used", (uint64_t)result->threads_used);
    if (result->pin && result->pin->threads > 0) qdi_pin_json(json, result->pin);
    qdi_json_text(json, "simd", result->simd);
    qdi_json_hash(json, "state_hash", result->state_hash);
    qdi_json_whole(json, "contacts_total", totals->contacts);
    qdi_json_whole(json, "events_total", totals->begins + totals->ends);
    qdi_json_whole(json, "impacts_total", totals->impacts);
    qdi_json_whole(json, "unfollowed_total", totals->unfollowed);
    qdi_json_whole(json, "emitted_total", totals->emitted);
    qdi_json_whole(json, "removed_total", totals->departed + totals->sunk);
    qdi_json_open(json, "energy", '{');
    qdi_json_real(json, "first", result->energy_first);
    qdi_json_real(json, "last", result->energy_last);
    qdi_json_real(json, "balance_error", result->balance_error);
    qdi_json_close(json, '}');
    qdi_json_whole(json, "frames", result->frames);
    if (result->video.file) {
        qdi_json_open(json, "video", '{');
        qdi_json_text(json, "file", result->video.file);
        qdi_json_text(json, "encoder", result->video.encoder);
        qdi_json_real(json, "fps", result->video.fps);
        qdi_json_whole(json, "frames", result->video.frames);
        qdi_json_whole(json, "bytes", result->video.bytes);
        qdi_json_close(json, '}');
    }
    qdi_json_real(json, "wall_seconds", (double)result->wall_ns / 1e9);
    // Without a step of a body there is nothing to divide by, and the key is left out. Three decimals say
    // enough.
    if (result->profile.body_steps > 0)
        qdi_json_real(json, "ns_per_body_step",
                      floor(qdi_result_ns_per_body_step(result, result->wall_ns) * 1000 + 0.5) / 1000);
    qdi_json_open(json, "phases", '{');
    for (int phase = 0; phase < QD_PHASE_COUNT; ++phase)
        qdi_json_real(json, qd_phase_name((qd_phase)phase), (double)result->profile.wall_ns[phase] / 1e9);
    qdi_json_close(json, '}');
    qdi_json_open(json, "refresh", '{');
    qdi_json_whole(json, "rebuilds", totals->rebuilds);
    qdi_json_whole(json, "amended", totals->amended);
    qdi_json_whole(json, "box_tests", totals->box_tests);
    qdi_json_whole(json, "in_place", totals->refresh_in_place);
    qdi_json_whole(json, "refiled", totals->refresh_refiled);
    qdi_json_whole(json, "splits", totals->splits);
    qdi_json_whole(json, "merges", totals->merges);
    qdi_json_close(json, '}');
    if (result->ranks > 0) put_ranks(result, json);
    if (result->peak_memory > 0) qdi_json_whole(json, "peak_rss_bytes", result->peak_memory);
    qdi_json_close(json, '}');
    return json->status;
}
