// Rows on their way to the writer: they are copied into batches, and a batch that is full goes in line. What
// is shared with the writer's thread is said at qd_store; the queue orders it.

#include "core/base/arithmetic.h"
#include "core/base/assert.h"
#include "sim/store/store_impl.h"
#include "sim/world/save.h"

#include <string.h>

/// Store's writer: puts the present batch in line.
static void hand_in(qd_store *store) {
    if (store->batch == QDI_BATCHES) return;
    qdi_queue_put(store->queue, store->batch);
    store->batch = QDI_BATCHES;
}

/// Store's writer: makes the present batch one with room for so many bytes.
static qd_status make_room(qd_store *store, size_t bytes) {
    QD_ASSERT(bytes <= QDI_BATCH_BYTES);
    if (store->batch < QDI_BATCHES && store->batches[store->batch].used + bytes > QDI_BATCH_BYTES)
        hand_in(store);
    return store->batch < QDI_BATCHES ? QD_OK : qdi_queue_take(store->queue, &store->batch);
}

/// Store's writer: adds a row, and behind it values where it has any, for which `bytes` is a multiple of 8;
/// `lasting`: with it the batch ends, and is to survive a power cut.
static qd_status put_row_with(qd_store *store, qdi_row_kind kind, const void *row, size_t bytes,
                              const double *values, size_t count, bool lasting) {
    const size_t all = bytes + count * sizeof *values;
    const qdi_row_header header = {(uint32_t)kind, (uint32_t)((all + 7) & ~(size_t)7)};
    qd_status status = make_room(store, sizeof header + header.bytes);
    if (status != QD_OK) return status;
    qdi_row_batch *batch = &store->batches[store->batch];
    memcpy(batch->rows + batch->used, &header, sizeof header);
    memcpy(batch->rows + batch->used + sizeof header, row, bytes);
    if (count > 0) memcpy(batch->rows + batch->used + sizeof header + bytes, values, count * sizeof *values);
    batch->used += sizeof header + header.bytes;
    batch->lasting = lasting;
    if (lasting) hand_in(store);
    return QD_OK;
}

// Adds a row of one struct.
static qd_status put_row(qd_store *store, qdi_row_kind kind, const void *row, size_t bytes, bool lasting) {
    return put_row_with(store, kind, row, bytes, NULL, 0, lasting);
}

/// QD_OK for a store that can be written to, and a number that it can keep.
static qd_status check_writable(const qd_store *store, uint64_t step) {
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
    qd_status status = check_writable(store, step);
    const qdi_hash_row row = {step, hash};
    return status == QD_OK ? put_row(store, QDI_ROW_HASH, &row, sizeof row, false) : status;
}

qd_status qd_store_put_metrics(qd_store *store, const qd_metrics *metrics,
                               const uint64_t phase_ns[QD_PHASE_COUNT]) {
    QDI_RESTORED qdi_arithmetic caller = qdi_arithmetic_standard();
    if (!metrics) return QD_ERR_ARGUMENT;
    qd_status status = check_writable(store, metrics->step);
    qdi_metrics_row row = {.metrics = *metrics, .timed = phase_ns != NULL};
    if (phase_ns) memcpy(row.phase_ns, phase_ns, sizeof row.phase_ns);
    return status == QD_OK ? put_row(store, QDI_ROW_METRICS, &row, sizeof row, false) : status;
}

qd_status qd_store_put_field(qd_store *store, const qd_field *field) {
    QDI_RESTORED qdi_arithmetic caller = qdi_arithmetic_standard();
    if (!field) return QD_ERR_ARGUMENT;
    qd_status status = check_writable(store, qd_field_step(field));
    qdi_field_row row = {
        .step = qd_field_step(field), .time = qd_field_time(field), .grid = qd_field_grid_of(field)};
    const size_t cells = (size_t)row.grid.nx * row.grid.ny;
    for (int q = 0; q < QD_FIELD_QUANTITIES && status == QD_OK; ++q) {
        row.number = (uint64_t)q;
        status = put_row_with(store, QDI_ROW_FIELD, &row, sizeof row,
                              qd_field_values(field, (qd_field_quantity)q), cells, false);
    }
    return status;
}

qd_status qd_store_put_distributions(qd_store *store, const qd_distributions *all) {
    QDI_RESTORED qdi_arithmetic caller = qdi_arithmetic_standard();
    if (!all) return QD_ERR_ARGUMENT;
    qdi_distribution_row row = {.step = qd_distributions_step(all), .time = qd_distributions_time(all)};
    qd_status status = check_writable(store, row.step);
    for (int kind = 0; kind < QD_DISTRIBUTION_KINDS && status == QD_OK; ++kind) {
        const qd_curve curve = qd_distributions_curve(all, (qd_distribution)kind);
        row.number = (uint64_t)kind;
        row.first = curve.first;
        row.width = curve.width;
        row.bins = curve.bins;
        status = put_row_with(store, QDI_ROW_DISTRIBUTION, &row, sizeof row, curve.values, curve.bins, false);
    }
    return status;
}

qd_status qd_store_put_frame(qd_store *store, const qd_store_frame *frame) {
    QDI_RESTORED qdi_arithmetic caller = qdi_arithmetic_standard();
    if (!frame) return QD_ERR_ARGUMENT;
    qd_status status = check_writable(store, frame->step > frame->number ? frame->step : frame->number);
    return status == QD_OK ? put_row(store, QDI_ROW_FRAME, frame, sizeof *frame, false) : status;
}

qd_status qd_store_put_stage(qd_store *store, const qd_store_stage *stage) {
    QDI_RESTORED qdi_arithmetic caller = qdi_arithmetic_standard();
    if (!stage) return QD_ERR_ARGUMENT;
    qd_status status = check_writable(store, stage->step);
    return status == QD_OK ? put_row(store, QDI_ROW_STAGE, stage, sizeof *stage, false) : status;
}

qd_status qd_store_put_failure(qd_store *store, const qd_limit_report *report) {
    QDI_RESTORED qdi_arithmetic caller = qdi_arithmetic_standard();
    if (!report) return QD_ERR_ARGUMENT;
    qd_status status = check_writable(store, report->step);
    return status == QD_OK ? put_row(store, QDI_ROW_FAILURE, report, sizeof *report, false) : status;
}

// ---- worlds ----

/// Saves the world, and the session behind it, into the store's `state`, and puts the row that says so in
/// line. The batch ends with it: before it is written nobody may fill the state again.
static qd_status put_state(qd_store *store, qdi_row_kind kind, const qd_world *world, const void *session,
                           size_t session_bytes, uint64_t keep) {
    qd_status status = check_writable(store, qd_world_steps(world));
    if (status == QD_OK) status = qdi_store_settle(store, NULL);
    size_t bytes = 0;
    if (status == QD_OK)
        status = qdi_world_save_into(world, session_bytes, store->allocator, &store->state,
                                     &store->state_room, &bytes);
    if (status != QD_OK) return status;
    if (session_bytes > 0) memcpy(store->state + bytes, session, session_bytes);
    const qdi_state_row row = {qd_world_steps(world), qd_world_time(world), bytes, session_bytes, keep};
    status = put_row(store, kind, &row, sizeof row, kind == QDI_ROW_CHECKPOINT);
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

// Puts the row of an event into the queue of run.db's writer.
static qd_status put_event_row(void *context, const qdi_event_row *row) {
    return put_row(context, QDI_ROW_EVENT, row, sizeof *row, false);
}

qd_status qd_store_put_events(qd_store *store, const qd_world *world, bool persist) {
    QDI_RESTORED qdi_arithmetic caller = qdi_arithmetic_standard();
    if (!world) return QD_ERR_ARGUMENT;
    qd_status status = check_writable(store, qd_world_steps(world));
    return status == QD_OK ? qdi_event_rows(&store->names, world, persist, put_event_row, store) : status;
}

qd_status qd_store_note_bodies(qd_store *store, const qd_world *world) {
    if (!world) return QD_ERR_ARGUMENT;
    qd_status status = check_writable(store, qd_world_steps(world));
    return status == QD_OK ? qdi_event_names_take(&store->names, world) : status;
}

qd_status qd_store_note_changes(qd_store *store, const qd_world *world) {
    if (!world) return QD_ERR_ARGUMENT;
    qd_status status = check_writable(store, qd_world_steps(world));
    return status == QD_OK ? qdi_event_rows_hold(&store->names, world) : status;
}
