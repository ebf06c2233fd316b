// Rows on their way to the writer: they are copied into batches, and a batch that is full goes in line. What
// is shared with the writer's thread is said at qd_store; the queue orders it.

#include "core/base/arithmetic.h"
#include "core/base/memory.h"
#include "sim/store/store_impl.h"
#include "sim/store/store_pieces.h"
#include "sim/world/save.h"

#include <string.h>

void qdi_store_hand_in(qd_store *store) {
    if (store->batch == QDI_BATCHES) return;
    qdi_row_batch *batch = &store->batches[store->batch];
    batch->goes_on = store->goes_on;
    batch->lasting = store->lasting;
    qdi_queue_put(store->queue, store->batch);
    store->batch = QDI_BATCHES;
}

void qdi_store_drop_batch(qd_store *store) {
    if (store->batch == QDI_BATCHES) return;
    store->batches[store->batch].used = 0;
    qdi_queue_return(store->queue, store->batch);
    store->batch = QDI_BATCHES;
}

/// Store's writer: makes the present batch one with room for so many bytes.
static qd_status make_room(qd_store *store, size_t bytes) {
    if (store->batch < QDI_BATCHES && store->batches[store->batch].used + bytes > QDI_BATCH_BYTES)
        qdi_store_hand_in(store);
    if (store->batch < QDI_BATCHES) return QD_OK;
    qd_status status = qdi_queue_take(store->queue, &store->batch);
    if (status != QD_OK) return status;
    qdi_row_batch *batch = &store->batches[store->batch];
    batch->is_part = false;
    status = qdi_reserve(store->allocator, &batch->rows, &batch->room, 0, bytes, 1);
    if (status != QD_OK) qdi_store_drop_batch(store);
    return status;
}

qd_status qdi_store_put_row(qd_store *store, qdi_row_kind kind, const void *row, size_t bytes,
                            const void *more, size_t more_bytes) {
    const qdi_row_header header = {kind, (bytes + more_bytes + 7) & ~(size_t)7};
    qd_status status = make_room(store, sizeof header + header.bytes);
    if (status != QD_OK) return status;
    qdi_row_batch *batch = &store->batches[store->batch];
    memcpy(batch->rows + batch->used, &header, sizeof header);
    memcpy(batch->rows + batch->used + sizeof header, row, bytes);
    if (more_bytes > 0) memcpy(batch->rows + batch->used + sizeof header + bytes, more, more_bytes);
    batch->used += sizeof header + header.bytes;
    return QD_OK;
}

// Adds a row of one struct.
static qd_status put_row(qd_store *store, qdi_row_kind kind, const void *row, size_t bytes) {
    return qdi_store_put_row(store, kind, row, bytes, NULL, 0);
}

/// QD_OK for a store that can be written to, and a number that it can keep.
static qd_status check_writable(const qd_store *store, uint64_t step) {
    if (!store) return QD_ERR_ARGUMENT;
    if (!store->writes) return QD_ERR_STATE;
    return step <= QDI_STORE_STEP_MAX ? QD_OK : QD_ERR_VALUE;
}

qd_status qdi_store_settle(qd_store *store, qd_error *error) {
    if (!store->queue) return QD_OK;
    qdi_store_hand_in(store);
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
    return status == QD_OK ? put_row(store, QDI_ROW_HASH, &row, sizeof row) : status;
}

qd_status qd_store_put_metrics(qd_store *store, const qd_metrics *metrics,
                               const uint64_t phase_ns[QD_PHASE_COUNT]) {
    QDI_RESTORED qdi_arithmetic caller = qdi_arithmetic_standard();
    if (!metrics) return QD_ERR_ARGUMENT;
    qd_status status = check_writable(store, metrics->step);
    qdi_metrics_row row = {.metrics = *metrics, .timed = phase_ns != NULL};
    if (phase_ns) memcpy(row.phase_ns, phase_ns, sizeof row.phase_ns);
    return status == QD_OK ? put_row(store, QDI_ROW_METRICS, &row, sizeof row) : status;
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
        status = qdi_store_put_row(store, QDI_ROW_FIELD, &row, sizeof row,
                                   qd_field_values(field, (qd_field_quantity)q), cells * sizeof(double));
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
        status = qdi_store_put_row(store, QDI_ROW_DISTRIBUTION, &row, sizeof row, curve.values,
                                   curve.bins * sizeof *curve.values);
    }
    return status;
}

qd_status qd_store_put_frame(qd_store *store, const qd_store_frame *frame) {
    QDI_RESTORED qdi_arithmetic caller = qdi_arithmetic_standard();
    if (!frame) return QD_ERR_ARGUMENT;
    qd_status status = check_writable(store, frame->step > frame->number ? frame->step : frame->number);
    return status == QD_OK ? put_row(store, QDI_ROW_FRAME, frame, sizeof *frame) : status;
}

qd_status qd_store_put_stage(qd_store *store, const qd_store_stage *stage) {
    QDI_RESTORED qdi_arithmetic caller = qdi_arithmetic_standard();
    if (!stage) return QD_ERR_ARGUMENT;
    qd_status status = check_writable(store, stage->step);
    return status == QD_OK ? put_row(store, QDI_ROW_STAGE, stage, sizeof *stage) : status;
}

qd_status qd_store_put_failure(qd_store *store, const qd_limit_report *report) {
    QDI_RESTORED qdi_arithmetic caller = qdi_arithmetic_standard();
    if (!report) return QD_ERR_ARGUMENT;
    qd_status status = check_writable(store, report->step);
    return status == QD_OK ? put_row(store, QDI_ROW_FAILURE, report, sizeof *report) : status;
}

// ---- worlds ----

// A saved world has as many pieces as it likes.
static qd_status begin_world(void *context, uint64_t bytes) {
    (void)context;
    (void)bytes;
    return QD_OK;
}

// Takes a piece of a saved world.
static qd_status take_piece(void *context, const void *data, size_t bytes) {
    return qdi_pieces_add(context, data, bytes);
}

/// Store's writer: puts a saved world and the session.
static qd_status put_world(qd_store *store, bool checkpoint, const qd_world *world, const void *session,
                           size_t session_bytes, uint64_t keep) {
    qdi_store_pieces pieces;
    const qdi_saved_sink sink = {&pieces, begin_world, take_piece};
    qd_status status = check_writable(store, qd_world_steps(world));
    if (status == QD_OK)
        status = qdi_pieces_begin(store, checkpoint, qd_world_steps(world), qd_world_time(world), &pieces);
    if (status != QD_OK) return status;
    status = qdi_world_save_to(world, &sink);
    if (status == QD_OK) return qdi_pieces_end(&pieces, session, session_bytes, keep);
    qdi_pieces_abandon(&pieces);
    return status;
}

qd_status qd_store_put_snapshot(qd_store *store, const qd_world *world) {
    QDI_RESTORED qdi_arithmetic caller = qdi_arithmetic_standard();
    if (!store || !world) return QD_ERR_ARGUMENT;
    return put_world(store, false, world, NULL, 0, 0);
}

qd_status qd_store_put_checkpoint(qd_store *store, const qd_world *world, const void *session,
                                  size_t session_bytes, uint64_t keep) {
    QDI_RESTORED qdi_arithmetic caller = qdi_arithmetic_standard();
    if (!store || !world || (!session && session_bytes > 0)) return QD_ERR_ARGUMENT;
    if (keep < 1 || keep > QDI_STORE_STEP_MAX) return QD_ERR_VALUE;
    return put_world(store, true, world, session, session_bytes, keep);
}

// ---- events ----

// Puts the row of an event into the queue of run.db's writer.
static qd_status put_event_row(void *context, const qdi_event_row *row) {
    return put_row(context, QDI_ROW_EVENT, row, sizeof *row);
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
