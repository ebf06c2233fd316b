#include "sim/store/store_pieces.h"

#include "core/base/arithmetic.h"
#include "core/base/hash_stream.h"
#include "core/base/memory.h"
#include "sim/store/store_impl.h"

#include <quadrille/hash.h>
#include <string.h>

/// Bytes of a row: SQLite copies each of them in memory.
#define ROW_BYTES ((size_t)4 << 20)

struct qdi_store_pieces {
    qd_store *store;
    uint64_t step, rows, bytes;
    double time;
    qdi_hash_stream *hash;
    unsigned char *row; ///< of ROW_BYTES
    size_t used;
};

// Store's pieces: frees.
static void release(qdi_store_pieces *pieces) {
    const qd_allocator *allocator = pieces->store->allocator;
    qdi_hash_stream_free(pieces->hash);
    qdi_release(allocator, pieces->row, ROW_BYTES, 1);
    qdi_release(allocator, pieces, 1, sizeof *pieces);
}

// Store's pieces: begins the transaction, which is to survive a power cut.
static int begin(const qdi_store_pieces *pieces) {
    const qd_store *store = pieces->store;
    int code = qdi_sql_run(store->db, "PRAGMA synchronous=FULL");
    if (code == SQLITE_OK) code = qdi_sql_run(store->db, "BEGIN");
    if (code == SQLITE_OK) code = qdi_sql_bind(store->drop_parts, 1, "su", "checkpoint", pieces->step);
    return code == SQLITE_OK ? qdi_rows_run(store->drop_parts) : code;
}

qd_status qdi_pieces_begin(qd_store *store, uint64_t step, double time, qdi_store_pieces **pieces,
                           qd_error *error) {
    *pieces = NULL;
    qd_status status = step <= QDI_STORE_STEP_MAX ? qdi_store_settle(store, error) : QD_ERR_VALUE;
    if (status != QD_OK) return status;
    qdi_store_pieces *made = qdi_allocate(store->allocator, 1, sizeof *made);
    if (!made) return QD_ERR_MEMORY;
    *made = (qdi_store_pieces){.store = store, .step = step, .time = time};
    made->row = qdi_allocate(store->allocator, ROW_BYTES, 1);
    status = made->row ? qdi_hash_stream_make(&made->hash) : QD_ERR_MEMORY;
    if (status != QD_OK) {
        release(made);
        return status;
    }
    const int code = begin(made);
    if (code == SQLITE_OK)
        *pieces = made;
    else
        qdi_pieces_abandon(made);
    return code == SQLITE_OK ? QD_OK : qdi_sql_fail(store, "write", code, error);
}

// Store's pieces: writes the row that has been filled.
static int write_row(qdi_store_pieces *pieces) {
    sqlite3_stmt *put = pieces->store->put_part;
    int code = qdi_sql_bind(put, 1, "suu", "checkpoint", pieces->step, pieces->rows++);
    if (code == SQLITE_OK) code = sqlite3_bind_blob64(put, 4, pieces->row, pieces->used, SQLITE_STATIC);
    if (code == SQLITE_OK) code = qdi_rows_run(put);
    pieces->used = 0;
    return code;
}

qd_status qdi_pieces_add(qdi_store_pieces *pieces, const void *data, size_t bytes, qd_error *error) {
    const unsigned char *at = data;
    int code = SQLITE_OK;
    qdi_hash_stream_add(pieces->hash, data, bytes);
    pieces->bytes += bytes;
    while (bytes > 0 && code == SQLITE_OK) {
        const size_t room = ROW_BYTES - pieces->used, some = bytes < room ? bytes : room;
        memcpy(pieces->row + pieces->used, at, some);
        pieces->used += some;
        at += some;
        bytes -= some;
        if (pieces->used == ROW_BYTES) code = write_row(pieces);
    }
    return code == SQLITE_OK ? QD_OK : qdi_sql_fail(pieces->store, "write", code, error);
}

// Store's pieces: writes the row of the checkpoint itself, and ends the transaction.
static int commit(qdi_store_pieces *pieces, const void *session, size_t session_bytes, uint64_t keep) {
    qd_store *store = pieces->store;
    sqlite3_stmt *put = store->inserts[QDI_ROW_CHECKPOINT];
    const uint64_t checksum = qd_hash_seeded(session, session_bytes, qdi_hash_stream_value(pieces->hash));
    int code = pieces->used > 0 ? write_row(pieces) : SQLITE_OK;
    if (code == SQLITE_OK)
        code = qdi_sql_bind(put, 1, "uduh", pieces->step, pieces->time, pieces->bytes, checksum);
    if (code == SQLITE_OK) code = sqlite3_bind_blob64(put, 5, session, session_bytes, SQLITE_STATIC);
    if (code == SQLITE_OK) code = qdi_rows_run(put);
    if (code == SQLITE_OK) code = qdi_rows_prune(store, keep);
    if (code == SQLITE_OK) code = qdi_sql_run(store->db, "COMMIT");
    if (code != SQLITE_OK) return code;
    qdi_store_empty_log(store);
    return qdi_sql_run(store->db, "PRAGMA synchronous=NORMAL");
}

qd_status qdi_pieces_end(qdi_store_pieces *pieces, const void *session, size_t session_bytes, uint64_t keep,
                         qd_error *error) {
    QDI_RESTORED qdi_arithmetic caller = qdi_arithmetic_standard();
    const int code = commit(pieces, session, session_bytes, keep);
    if (code == SQLITE_OK) {
        release(pieces);
        return QD_OK;
    }
    const qd_status status = qdi_sql_fail(pieces->store, "write", code, error);
    qdi_pieces_abandon(pieces);
    return status;
}

void qdi_pieces_abandon(qdi_store_pieces *pieces) {
    if (!pieces) return;
    sqlite3 *db = pieces->store->db;
    if (!sqlite3_get_autocommit(db)) (void)qdi_sql_run(db, "ROLLBACK");
    (void)qdi_sql_run(db, "PRAGMA synchronous=NORMAL");
    release(pieces);
}
