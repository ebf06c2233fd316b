// Pieces of a saved world fill batches of their own, each of which becomes a row of `parts`; one transaction
// goes on from the first of them to the row that says that all of the world is there.

#include "sim/store/store_pieces.h"

#include "sim/store/store_impl.h"

#include <string.h>

qd_status qdi_pieces_begin(qd_store *store, bool checkpoint, uint64_t step, double time,
                           qdi_store_pieces *pieces) {
    *pieces = (qdi_store_pieces){.store = store, .checkpoint = checkpoint, .step = step, .time = time};
    if (step > QDI_STORE_STEP_MAX) return QD_ERR_VALUE;
    qdi_store_hand_in(store);
    store->goes_on = true;
    store->lasting = checkpoint;
    return QD_OK;
}

// Store's pieces: begins a part.
static qd_status begin_part(qdi_store_pieces *pieces) {
    qd_store *store = pieces->store;
    const qd_status status = qdi_queue_take(store->queue, &store->batch);
    if (status != QD_OK) return status;
    qdi_row_batch *batch = &store->batches[store->batch];
    batch->is_part = true;
    batch->step = pieces->step;
    batch->part = pieces->parts++;
    return QD_OK;
}

qd_status qdi_pieces_add(qdi_store_pieces *pieces, const void *data, size_t bytes) {
    qd_store *store = pieces->store;
    const unsigned char *at = data;
    pieces->bytes += bytes;
    while (bytes > 0) {
        const qd_status status = store->batch == QDI_BATCHES ? begin_part(pieces) : QD_OK;
        if (status != QD_OK) return status;
        qdi_row_batch *batch = &store->batches[store->batch];
        const size_t room = store->part_bytes - batch->used, some = bytes < room ? bytes : room;
        memcpy(batch->rows + batch->used, at, some);
        batch->used += some;
        at += some;
        bytes -= some;
        if (batch->used == store->part_bytes) qdi_store_hand_in(store);
    }
    return QD_OK;
}

qd_status qdi_pieces_end(qdi_store_pieces *pieces, const void *session, size_t session_bytes, uint64_t keep) {
    qd_store *store = pieces->store;
    const qdi_state_row row = {pieces->step, pieces->time, pieces->bytes, session_bytes, keep};
    qdi_store_hand_in(store);
    const qd_status status = qdi_store_put_row(store,
                                               pieces->checkpoint ? QDI_ROW_CHECKPOINT : QDI_ROW_SNAPSHOT,
                                               &row, sizeof row, session, session_bytes);
    if (status != QD_OK) {
        qdi_pieces_abandon(pieces);
        return status;
    }
    store->goes_on = false;
    qdi_store_hand_in(store);
    store->lasting = false;
    return QD_OK;
}

void qdi_pieces_abandon(qdi_store_pieces *pieces) {
    qd_store *store = pieces->store;
    if (!store) return;
    qdi_store_drop_batch(store);
    store->goes_on = store->lasting = false;
    // Where the writer has failed it has taken everything back by itself.
    if (qdi_queue_drain(store->queue) == QD_OK) qdi_rows_undo(store);
}
