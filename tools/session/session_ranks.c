// A run whose world several ranks step: what such a run cannot have yet, and when the whole world is needed.

#include "sim/scene/scene_apart.h"
#include "sim/store/store_pieces.h"
#include "tools/host/console.h"
#include "tools/host/exit_codes.h"
#include "tools/session/session.h"

#include <math.h>
#include <quadrille/metrics.h>
#include <string.h>

// Ranks of a session: whether a metric is one that depends on how contacts were looked for.
static bool depends_on_search(int metric) {
    size_t count = 0;
    const char *name = qd_metric_fields(&count)[metric].name;
    return strncmp(name, "tree_", 5) == 0 || strcmp(name, "saved_bytes") == 0;
}

// Ranks of a session: whether a rule that ends the run looks at such a metric.
static bool ends_by_search(const qdi_session *session) {
    qd_until_rule rule;
    for (size_t i = 0; qd_scene_until(session->scene, i, &rule); ++i) {
        const bool metric = rule.kind == QD_UNTIL_BELOW || rule.kind == QD_UNTIL_ABOVE ||
                            rule.kind == QD_UNTIL_STEADY;
        if (metric && depends_on_search(rule.metric)) return true;
    }
    return false;
}

// Ranks of a session: what frames show that ranks do not know, or NULL: the tree that the whole world would
// have, and what is kept of a step besides its state.
static const char *refused_view(const qd_view *view) {
    const uint32_t of_tree = QD_VIEW_TEXT_NODES | QD_VIEW_TEXT_CANDIDATES | QD_VIEW_TEXT_TESTS;
    if (view->nodes != QD_VIEW_NODES_NONE) return "view.nodes (none is known)";
    if (view->text & of_tree) return "nodes, candidates and tests of view.text";
    if (view->retrieve != QD_VIEW_NOBODY) return "view.retrieve";
    if (!isnan(view->query.x)) return "view.query";
    if (view->field == QD_VIEW_FIELD_PRESSURE) return "view.field: pressure";
    if (view->colour == QD_VIEW_DEPTH) return "view.colour: depth";
    if (view->colour == QD_VIEW_REFILED) return "view.colour: refiled";
    if (view->colour == QD_VIEW_THREAD) return "view.colour: thread";
    return NULL;
}

// Ranks of a session: the key of the scene, of those that ask for what ranks do not know, or NULL.
static const char *refused_key(const qdi_session *session) {
    const qd_scene_run *plan = &session->plan;
    const qd_view view = qd_scene_view(session->scene);
    if (qd_scene_stages(session->scene) > 0) return "stages";
    if (plan->record_structure) return "record.structure";
    if (plan->record_fields > 0) return "record.fields";
    if (ends_by_search(session)) return "run.until of a metric of the tree";
    return qdi_course_has_frames(session->scene) ? refused_view(&view) : NULL;
}

int qdi_session_choose_ranks(qdi_session *session, qdi_option_number asked) {
    const int processes = session->common.processes ? qdi_ranks_count(session->common.processes) : 0;
    session->ranks = asked.given ? (int)asked.value : processes;
    if (processes == 0 || session->ranks == processes) return QDI_EXIT_DONE;
    qdi_complain("--ranks %d: %d processes were started, and each is a rank", session->ranks, processes);
    return QDI_EXIT_USAGE;
}

int qdi_session_check_ranks(const qdi_session *session) {
    qd_error error = {""};
    if (session->ranks == 0) return QDI_EXIT_DONE;
    const char *key = session->only_steps ? NULL : refused_key(session);
    if (key)
        qdi_complain("%d ranks: ranks do not know %s yet", session->ranks, key);
    else if (qdi_fleet_check(session->world, &error) != QD_OK)
        qdi_complain("%d ranks: %s", session->ranks, error.text);
    else
        return QDI_EXIT_DONE;
    return QDI_EXIT_USAGE;
}

// Ranks of a session: whether some rule that ends the run looks at bodies.
static bool ends_by_bodies(const qdi_session *session) {
    qd_until_rule rule;
    for (size_t i = 0; qd_scene_until(session->scene, i, &rule); ++i)
        if (rule.kind != QD_UNTIL_BELOW && rule.kind != QD_UNTIL_ABOVE && rule.kind != QD_UNTIL_STEADY)
            return true;
    return false;
}

// Ranks of a session: whether nothing is made of the whole world but its checkpoints.
static bool needs_no_world(const qdi_session *session) {
    const qd_scene_run *plan = &session->plan;
    return !qdi_course_has_frames(session->scene) && plan->record_snapshots == 0 &&
           plan->record_distributions == 0 && plan->record_events == QD_RECORD_EVENTS_NONE &&
           !ends_by_bodies(session);
}

bool qdi_session_can_be_apart(const qdi_session *session) {
    const bool needless = session->only_steps || (!refused_key(session) && needs_no_world(session));
    return session->ranks > 0 && needless && qdi_scene_can_be_apart(session->scene);
}

qd_status qdi_session_make_apart(qdi_session *session) {
    const char *text = qd_scene_text(session->scene);
    const qdi_fleet_seed seed = {qdi_scene_make_apart, text, text ? strlen(text) : 0, session->plan.dt};
    if (!text) return QD_ERR_MEMORY;
    if (qdi_fleet_check(session->world, NULL) != QD_OK) return QD_ERR_INVALID;
    const qd_status status = qdi_scene_begin_apart(session->scene, session->world);
    if (status != QD_OK) return status;
    return qdi_fleet_make_apart(session->world, session->common.processes, session->ranks, session->realm,
                                &seed, &session->fleet);
}

uint64_t qdi_session_bodies(const qdi_session *session) {
    return qdi_fleet_is_apart(session->fleet) ? qdi_fleet_bodies(session->fleet)
                                              : qd_world_count(session->world);
}

double qdi_session_contact_time(const qdi_session *session) {
    return qdi_fleet_is_apart(session->fleet) ? qdi_fleet_contact_time(session->fleet)
                                              : qd_world_contact_time(session->world);
}

/// A checkpoint on its way from ranks to the store.
typedef struct checkpoint_sink {
    qdi_session *session;
    qdi_store_pieces pieces;
} checkpoint_sink;

// Ranks of a session: begins a checkpoint of so many bytes; only now does the world know its time.
static qd_status begin_checkpoint(void *context, uint64_t bytes) {
    checkpoint_sink *to = context;
    qdi_session *session = to->session;
    session->moment_bytes = bytes;
    return qdi_pieces_begin(session->store, true, session->steps_done, qd_world_time(session->world),
                            &to->pieces);
}

// Ranks of a session: takes a piece of it.
static qd_status take_piece(void *context, const void *data, size_t bytes) {
    checkpoint_sink *to = context;
    return qdi_pieces_add(&to->pieces, data, bytes);
}

qd_status qdi_session_save_apart(qdi_session *session, const void *state, size_t bytes) {
    checkpoint_sink to = {.session = session};
    const qdi_saved_sink sink = {&to, begin_checkpoint, take_piece};
    const qd_status status = qdi_fleet_save(session->fleet, &sink);
    if (status == QD_OK) return qdi_pieces_end(&to.pieces, state, bytes, session->plan.checkpoint_keep);
    qdi_pieces_abandon(&to.pieces);
    return status;
}

qd_status qdi_session_launch(qdi_session *session) {
    if (session->ranks == 0 || session->fleet) return QD_OK;
    qdi_ranks *processes = session->common.processes;
    return processes ? qdi_fleet_make_of(session->world, processes, session->realm, &session->fleet)
                     : qdi_fleet_make(session->world, session->ranks, session->realm, &session->fleet);
}

// Ranks of a session: whether something is made of the world at this step.
static bool wants_world(const qdi_session *session) {
    const qd_scene_run *plan = &session->plan;
    const uint64_t step = session->steps_done;
    const uint64_t every[] = {session->writer ? plan->frames_every : 0, plan->record_snapshots,
                              plan->record_distributions,
                              plan->record_distributions > 0 ? plan->distribution_sample : 0};
    bool wants = qdi_until_needs_of(&session->until, step).world ||
                 plan->record_events != QD_RECORD_EVENTS_NONE || step >= plan->steps;
    for (size_t i = 0; i < sizeof every / sizeof every[0]; ++i)
        wants = wants || (every[i] > 0 && step % every[i] == 0);
    return wants;
}

qd_status qdi_session_step(qdi_session *session) {
    qd_profile *profile = &session->result.profile;
    qd_status status;
    if (!session->fleet) {
        status = qd_world_step(session->world, session->plan.dt, profile);
        session->steps_done += status == QD_OK;
        return status;
    }
    status = qdi_fleet_step(session->fleet, session->plan.dt, profile);
    session->steps_done += status == QD_OK;
    const bool gathers = !qdi_fleet_is_apart(session->fleet) && wants_world(session);
    return status == QD_OK && gathers ? qdi_fleet_gather(session->fleet) : status;
}

qd_status qdi_session_gather(const qdi_session *session) {
    const bool apart = qdi_fleet_is_apart(session->fleet); // nobody has the world
    return session->fleet && !apart ? qdi_fleet_gather(session->fleet) : QD_OK;
}

qd_status qdi_session_measure(const qdi_session *session, qd_metrics *metrics) {
    if (session->fleet) return qdi_fleet_measure(session->fleet, metrics);
    qd_world_measure(session->world, metrics);
    return QD_OK;
}

qd_status qdi_session_hash(const qdi_session *session, uint64_t *hash) {
    if (session->fleet && session->hash_form == QD_HASH_FORM) return qdi_fleet_hash(session->fleet, hash);
    const qd_status status = qdi_session_gather(session); // hashes of an earlier form are no sums
    if (status == QD_OK) *hash = qd_world_hash_as(session->world, session->hash_form);
    return status;
}

qd_status qdi_session_land(qdi_session *session, qd_status status) {
    qd_status gathered = qdi_session_gather(session);
    if (session->fleet && gathered == QD_OK) {
        gathered = qdi_fleet_count(session->fleet, session->result.rank);
        if (gathered == QD_OK) session->result.ranks = session->ranks;
    }
    if (qdi_fleet_is_apart(session->fleet)) return gathered == QD_OK ? status : gathered;
    qdi_fleet_destroy(session->fleet);
    session->fleet = NULL;
    return gathered == QD_OK ? status : gathered;
}
