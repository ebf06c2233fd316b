// Rows on their way to the writer: they are copied into batches, and a batch that is full goes in line. What
// is shared with the writer's thread is said at qd_store; the queue orders it.

#include "core/arithmetic.h"
#include "core/assert.h"
#include "core/memory.h"
#include "sim/store_impl.h"
#include "sim/world_impl.h"

#include <string.h>

/// Puts the present batch in line.
static void hand_in(qd_store *store) {
    if (store->batch == QDI_BATCHES) return;
    qdi_queue_put(store->queue, store->batch);
    store->batch = QDI_BATCHES;
}

/// Makes the present batch one with room for so many bytes.
static qd_status make_room(qd_store *store, size_t bytes) {
    QD_ASSERT(bytes <= QDI_BATCH_BYTES);
    if (store->batch < QDI_BATCHES && store->batches[store->batch].used + bytes > QDI_BATCH_BYTES)
        hand_in(store);
    return store->batch < QDI_BATCHES ? QD_OK : qdi_queue_take(store->queue, &store->batch);
}

/// Adds a row; `lasting`: with it the batch ends, and is to survive a power cut.
static qd_status put(qd_store *store, qdi_row_kind kind, const void *row, size_t bytes, bool lasting) {
    const qdi_row_header header = {(uint32_t)kind, (uint32_t)((bytes + 7) & ~(size_t)7)};
    qd_status status = make_room(store, sizeof header + header.bytes);
    if (status != QD_OK) return status;
    qdi_batch *batch = &store->batches[store->batch];
    memcpy(batch->rows + batch->used, &header, sizeof header);
    memcpy(batch->rows + batch->used + sizeof header, row, bytes);
    batch->used += sizeof header + header.bytes;
    batch->lasting = lasting;
    if (lasting) hand_in(store);
    return QD_OK;
}

/// QD_OK for a store that can be written to, and a number that it can keep.
static qd_status check(const qd_store *store, uint64_t step) {
    if (!store) return QD_ERR_ARGUMENT;
    if (!store->writes) return QD_ERR_STATE;
    return step <= QDI_STORE_STEP_MAX ? QD_OK : QD_ERR_VALUE;
}

qd_status qdi_store_settle(qd_store *store, qd_error *error) {
    if (!store->queue) return QD_OK;
    hand_in(store);
    qd_status status = qdi_queue_drain(store->queue);
    if (status != QD_OK && error) *error = store->failure;
    return status;
}

qd_status qd_store_flush(qd_store *store, qd_error *error) {
    if (!store) return QD_ERR_ARGUMENT;
    return qdi_store_settle(store, error);
}

qd_status qd_store_put_hash(qd_store *store, uint64_t step, uint64_t hash) {
    qd_status status = check(store, step);
    const qdi_hash_row row = {step, hash};
    return status == QD_OK ? put(store, QDI_ROW_HASH, &row, sizeof row, false) : status;
}

qd_status qd_store_put_metrics(qd_store *store, const qd_metrics *metrics,
                               const uint64_t phase_ns[QD_PHASE_COUNT]) {
    QDI_RESTORED qdi_arithmetic caller = qdi_arithmetic_standard();
    if (!metrics) return QD_ERR_ARGUMENT;
    qd_status status = check(store, metrics->step);
    qdi_metrics_row row = {.metrics = *metrics, .timed = phase_ns != NULL};
    if (phase_ns) memcpy(row.phase_ns, phase_ns, sizeof row.phase_ns);
    return status == QD_OK ? put(store, QDI_ROW_METRICS, &row, sizeof row, false) : status;
}

qd_status qd_store_put_frame(qd_store *store, const qd_store_frame *frame) {
    QDI_RESTORED qdi_arithmetic caller = qdi_arithmetic_standard();
    if (!frame) return QD_ERR_ARGUMENT;
    qd_status status = check(store, frame->step > frame->number ? frame->step : frame->number);
    return status == QD_OK ? put(store, QDI_ROW_FRAME, frame, sizeof *frame, false) : status;
}

qd_status qd_store_put_failure(qd_store *store, const qd_limit_report *report) {
    QDI_RESTORED qdi_arithmetic caller = qdi_arithmetic_standard();
    if (!report) return QD_ERR_ARGUMENT;
    qd_status status = check(store, report->step);
    return status == QD_OK ? put(store, QDI_ROW_FAILURE, report, sizeof *report, false) : status;
}

// ---- worlds ----

/// Saves the world, and the session behind it, into the store's `state`, and puts the row that says so in
/// line. The batch ends with it: before it is written nobody may fill the state again.
static qd_status put_state(qd_store *store, qdi_row_kind kind, const qd_world *world, const void *session,
                           size_t session_bytes, uint64_t keep) {
    qd_status status = check(store, qd_world_steps(world));
    if (status == QD_OK) status = qdi_store_settle(store, NULL);
    size_t bytes = 0;
    if (status == QD_OK)
        status = qdi_world_save_into(world, session_bytes, store->allocator, &store->state,
                                     &store->state_room, &bytes);
    if (status != QD_OK) return status;
    if (session_bytes > 0) memcpy(store->state + bytes, session, session_bytes);
    const qdi_state_row row = {qd_world_steps(world), qd_world_time(world), bytes, session_bytes, keep};
    status = put(store, kind, &row, sizeof row, kind == QDI_ROW_CHECKPOINT);
    if (status == QD_OK) hand_in(store);
    return status;
}

qd_status qd_store_put_snapshot(qd_store *store, const qd_world *world) {
    QDI_RESTORED qdi_arithmetic caller = qdi_arithmetic_standard();
    if (!store || !world) return QD_ERR_ARGUMENT;
    return put_state(store, QDI_ROW_SNAPSHOT, world, NULL, 0, 0);
}

qd_status qd_store_put_checkpoint(qd_store *store, const qd_world *world, const void *session,
                                  size_t session_bytes, uint64_t keep) {
    QDI_RESTORED qdi_arithmetic caller = qdi_arithmetic_standard();
    if (!store || !world || (!session && session_bytes > 0)) return QD_ERR_ARGUMENT;
    if (keep < 1 || keep > QDI_STORE_STEP_MAX) return QD_ERR_VALUE;
    return put_state(store, QDI_ROW_CHECKPOINT, world, session, session_bytes, keep);
}

// ---- events ----
//
// An event that ends a contact may name a body that is gone, and with it its label. All such bodies touched
// something at the step before, when they were alive and an event named them. So labels are kept from when a
// body is first named; those that are index + 1, as most are, need no keeping.

/// Keeps the label of a body, which need not live any more.
static qd_status keep_label(qd_store *store, const qd_body_view *view, uint32_t row) {
    size_t index = view->index[row];
    if (row < view->count && view->label[row] == (uint64_t)index + 1 && index >= store->label_count)
        return QD_OK;
    qd_status status = qdi_reserve(store->allocator, &store->labels, &store->label_room, store->label_count,
                                   index + 1, sizeof *store->labels);
    if (status != QD_OK) return status;
    while (store->label_count <= index) store->labels[store->label_count++] = (qdi_label){0};
    store->labels[index] = (qdi_label){view->label[row], view->generation[row]};
    return QD_OK;
}

qd_status qdi_labels_take(qd_store *store, const qd_world *world) {
    const qd_body_view view = qd_world_view(world);
    qd_status status = QD_OK;
    for (uint32_t row = 0; row < view.count && status == QD_OK; ++row) status = keep_label(store, &view, row);
    return status;
}

/// Those that live still; of the others it is kept already.
static qd_status keep_labels_of(qd_store *store, const qd_body_view *view, const qd_contact *contact) {
    uint32_t a = qd_body_view_row(view, contact->a), b = qd_body_view_row(view, contact->b);
    qd_status status = a == UINT32_MAX ? QD_OK : keep_label(store, view, a);
    return status != QD_OK || b == UINT32_MAX ? status : keep_label(store, view, b);
}

static bool is_kept(const qd_store *store, qd_id id) {
    return id.index < store->label_count && store->labels[id.index].generation == id.generation;
}

static uint64_t label_of(const qd_store *store, const qd_body_view *view, qd_id id) {
    uint32_t row = qd_body_view_row(view, id);
    if (row != UINT32_MAX) return view->label[row];
    return is_kept(store, id) ? store->labels[id.index].label : (uint64_t)id.index + 1;
}

static bool is_known(const qd_store *store, const qd_body_view *view, qd_id id) {
    return qd_id_is_wall(id) || qd_body_view_row(view, id) != UINT32_MAX || is_kept(store, id);
}

/// All that touch or met something on their way can be named: they live, or are kept. Else bodies were removed since, and
/// others added.
static bool all_known(const qd_store *store, const qd_world *world, const qd_body_view *view) {
    size_t events = 0, impacts = 0;
    const qd_event *event = qd_world_events(world, &events);
    const qd_impact *impact = qd_world_impacts(world, &impacts);
    bool known = true;
    for (size_t i = 0; i < events && known; ++i)
        known = event[i].kind == QD_EVENT_END ||
                (is_known(store, view, event[i].contact->a) && is_known(store, view, event[i].contact->b));
    for (size_t i = 0; i < impacts && known; ++i)
        known = is_known(store, view, impact[i].a) && is_known(store, view, impact[i].b);
    return known;
}

/// Fills in who takes part.
static void name_both(const qd_store *store, const qd_body_view *view, qd_id a, qd_id b, qdi_event_row *row) {
    row->a = label_of(store, view, a);
    if (qd_id_is_wall(b))
        row->side = 1 + (b.index - (uint32_t)QD_WALL_LEFT);
    else
        row->b = label_of(store, view, b);
}

static qdi_event_row row_of_event(const qd_event *event) {
    const qd_contact *contact = event->contact;
    const qd_touch *touch = contact->touch;
    bool two = contact->count > 1;
    return (qdi_event_row){.kind = (uint32_t)event->kind,
                           .point = touch->point,
                           .normal = contact->normal,
                           .impulse = two ? touch[0].impulse + touch[1].impulse : touch->impulse,
                           .friction = two ? touch[0].friction + touch[1].friction : touch->friction,
                           .approach = contact->approach,
                           .rest = touch->depth};
}

static qdi_event_row row_of_impact(const qd_impact *impact) {
    return (qdi_event_row){.kind = QDI_EVENT_IMPACT,
                           .point = impact->point,
                           .normal = impact->normal,
                           .impulse = impact->impulse,
                           .friction = impact->friction,
                           .approach = impact->approach,
                           .rest = impact->time};
}

static qd_status put_events(qd_store *store, const qd_world *world, bool persist) {
    const qd_body_view view = qd_world_view(world);
    size_t events = 0, impacts = 0;
    const qd_event *event = qd_world_events(world, &events);
    const qd_impact *impact = qd_world_impacts(world, &impacts);
    uint64_t step = qd_world_steps(world), number = 0;
    qd_status status = QD_OK;
    for (size_t i = 0; i < world->gone && status == QD_OK; ++i)
        status = keep_label(store, &view, (uint32_t)(world->count + i));
    if (status == QD_OK && world->changed && !all_known(store, world, &view)) status = QD_ERR_STALE;
    for (size_t i = 0; i < events && status == QD_OK; ++i) {
        if (event[i].kind == QD_EVENT_PERSIST && !persist) continue;
        qdi_event_row row = row_of_event(&event[i]);
        row.step = step;
        row.number = number++;
        name_both(store, &view, event[i].contact->a, event[i].contact->b, &row);
        status = put(store, QDI_ROW_EVENT, &row, sizeof row, false);
    }
    for (size_t i = 0; i < impacts && status == QD_OK; ++i) {
        qdi_event_row row = row_of_impact(&impact[i]);
        row.step = step;
        row.number = number++;
        name_both(store, &view, impact[i].a, impact[i].b, &row);
        status = put(store, QDI_ROW_EVENT, &row, sizeof row, false);
    }
    // Only now: ends of this step may still need what a new body of the same index would replace.
    for (size_t i = 0; i < events && status == QD_OK; ++i)
        if (event[i].kind == QD_EVENT_BEGIN) status = keep_labels_of(store, &view, event[i].contact);
    return status;
}

qd_status qd_store_put_events(qd_store *store, const qd_world *world, bool persist) {
    QDI_RESTORED qdi_arithmetic caller = qdi_arithmetic_standard();
    if (!world) return QD_ERR_ARGUMENT;
    qd_status status = check(store, qd_world_steps(world));
    return status == QD_OK ? put_events(store, world, persist) : status;
}
