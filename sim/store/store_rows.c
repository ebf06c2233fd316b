// The writer's side: batches of rows become rows of the database, one transaction each, but for saved worlds,
// which are one of several batches. All of this runs on
// the queue's thread; what it touches of the store (see qd_store) is its own while the queue is not empty.

#include <quadrille/hash.h>

#include "core/base/assert.h"
#include "sim/store/store_impl.h"

#include <string.h>

/// Binds a row's values; returns SQLite's code.
typedef int (*binder)(const qd_store *store, sqlite3_stmt *statement, const void *row);

// Binds a row of state hashes for run.db.
static int bind_hash_row(const qd_store *store, sqlite3_stmt *statement, const void *data) {
    (void)store;
    const qdi_hash_row *row = data;
    return qdi_sql_bind(statement, 1, "uh", row->step, row->hash);
}

// Binds a row of events for run.db.
static int bind_event_row(const qd_store *store, sqlite3_stmt *statement, const void *data) {
    static const char *const kinds[] = {"begin", "persist", "end", "impact"};
    static const char *const sides[] = {"left", "right", "bottom", "top"};
    (void)store;
    const qdi_event_row *row = data;
    const char *kind = kinds[row->kind];
    int code = row->side ? qdi_sql_bind(statement, 1, "uusuns", row->step, row->number, kind, row->a,
                                        sides[row->side - 1])
                         : qdi_sql_bind(statement, 1, "uusuun", row->step, row->number, kind, row->a, row->b);
    if (code != SQLITE_OK) return code;
    return qdi_sql_bind(statement, 7, row->kind == QDI_EVENT_IMPACT ? "dddddddnd" : "ddddddddn", row->point.x,
                        row->point.y, row->normal.x, row->normal.y, row->impulse, row->friction,
                        row->approach, row->rest);
}

/// What both kinds of stored worlds have in common: step, time, bytes, checksum, and of a checkpoint the
/// session.
static int bind_state(const qd_store *store, sqlite3_stmt *statement, const void *data) {
    const qdi_state_row *row = data;
    const void *session = row + 1;
    uint64_t checksum = qdi_hash_stream_value(store->hash);
    bool more = sqlite3_bind_parameter_count(statement) > 4;
    if (more) checksum = qd_hash_seeded(session, row->session_bytes, checksum);
    int code = qdi_sql_bind(statement, 1, "uduh", row->step, row->time, row->world_bytes, checksum);
    if (code == SQLITE_OK && more)
        code = sqlite3_bind_blob64(statement, 5, session, row->session_bytes, SQLITE_STATIC);
    return code;
}

// Binds a row of frames for run.db.
static int bind_frame_row(const qd_store *store, sqlite3_stmt *statement, const void *data) {
    (void)store;
    const qd_store_frame *row = data;
    return qdi_sql_bind(statement, 1, "uudh", row->number, row->step, row->time, row->pixels);
}

// Binds a row of failures for run.db.
static int bind_failure_row(const qd_store *store, sqlite3_stmt *statement, const void *data) {
    (void)store;
    const qd_limit_report *row = data;
    int code = qdi_sql_bind(statement, 1, "us", row->step, row->reason);
    if (code != SQLITE_OK || !row->has_body) return code;
    return qdi_sql_bind(statement, 3, "udddd", row->label, row->body.position.x, row->body.position.y,
                        row->body.velocity.x, row->body.velocity.y);
}

// Binds a row of stages for run.db.
static int bind_stage_row(const qd_store *store, sqlite3_stmt *statement, const void *data) {
    (void)store;
    const qd_store_stage *row = data;
    int code = qdi_sql_bind(statement, 1, "uudsus", row->number, row->step, row->time, row->name,
                            row->first_id, row->before);
    if (code != SQLITE_OK) return code;
    return qdi_sql_bind(statement, 7, "uuuuuudd", row->bodies, row->contacts, row->begins, row->impacts,
                        row->emitted, row->removed, row->kinetic, row->potential);
}

// Binds a row of fields for run.db.
static int bind_field_row(const qd_store *store, sqlite3_stmt *statement, const void *data) {
    (void)store;
    const qdi_field_row *row = data;
    const qd_field_grid *grid = &row->grid;
    int code = qdi_sql_bind(statement, 1, "uusdddddu", row->step, row->number,
                            qd_field_name((qd_field_quantity)row->number), row->time, grid->x, grid->y,
                            grid->width, grid->height, (uint64_t)grid->nx);
    if (code == SQLITE_OK) code = qdi_sql_bind_step(statement, 10, grid->ny);
    const sqlite3_uint64 bytes = (sqlite3_uint64)grid->nx * grid->ny * sizeof(double);
    return code == SQLITE_OK ? sqlite3_bind_blob64(statement, 11, row + 1, bytes, SQLITE_STATIC) : code;
}

// Binds a row of distributions for run.db.
static int bind_distribution_row(const qd_store *store, sqlite3_stmt *statement, const void *data) {
    (void)store;
    const qdi_distribution_row *row = data;
    const int code = qdi_sql_bind(statement, 1, "uusdddu", row->step, row->number,
                                  qd_distribution_name((qd_distribution)row->number), row->time, row->first,
                                  row->width, row->bins);
    if (code != SQLITE_OK) return code;
    return sqlite3_bind_blob64(statement, 8, row + 1, row->bins * sizeof(double), SQLITE_STATIC);
}

static const struct {
    const char *sql;
    binder bind;
} writers[QDI_ROW_KINDS] = {
    [QDI_ROW_HASH] = {"INSERT INTO hashes (step, hash) VALUES (?,?)", bind_hash_row},
    [QDI_ROW_EVENT] =
        {"INSERT INTO events (step, number, kind, a, b, side, x, y, normal_x, normal_y, impulse,"
         " friction, approach, depth, within) VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)",
         bind_event_row},
    [QDI_ROW_SNAPSHOT] = {"INSERT INTO snapshots (step, time, bytes, checksum) VALUES (?,?,?,?)", bind_state},
    [QDI_ROW_CHECKPOINT] = {"INSERT OR REPLACE INTO checkpoints (step, time, bytes, checksum, session,"
                            " created_wall) VALUES (?,?,?,?,?, strftime('%Y-%m-%dT%H:%M:%SZ', 'now'))",
                            bind_state},
    [QDI_ROW_FRAME] = {"INSERT INTO frames (number, step, time, pixels) VALUES (?,?,?,?)", bind_frame_row},
    [QDI_ROW_FAILURE] = {"INSERT INTO failures (step, reason, label, x, y, vx, vy) VALUES (?,?,?,?,?,?,?)",
                         bind_failure_row},
    [QDI_ROW_FIELD] = {"INSERT INTO fields (step, number, name, time, x, y, width, height, nx, ny, data)"
                       " VALUES (?,?,?,?,?,?,?,?,?,?,?)",
                       bind_field_row},
    [QDI_ROW_DISTRIBUTION] = {"INSERT INTO distributions (step, number, name, time, first, width, bins, data)"
                              " VALUES (?,?,?,?,?,?,?,?)",
                              bind_distribution_row},
    [QDI_ROW_STAGE] = {"INSERT INTO stages (number, step, time, name, first_id, before, bodies, contacts,"
                       " begins, impacts, emitted, removed, kinetic, potential)"
                       " VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?,?)",
                       bind_stage_row},
    [QDI_ROW_METRICS] = {NULL, qdi_metrics_bind}, // as many columns as there are metrics
};

// Prepares an SQL statement that run.db keeps.
static int prepare_statement(qd_store *store, const char *sql, sqlite3_stmt **statement) {
    return sqlite3_prepare_v3(store->db, sql, -1, SQLITE_PREPARE_PERSISTENT, statement, NULL);
}

int qdi_rows_prepare(qd_store *store) {
    int code = SQLITE_OK;
    for (int kind = 0; kind < QDI_ROW_KINDS && code == SQLITE_OK; ++kind)
        code = writers[kind].sql ? prepare_statement(store, writers[kind].sql, &store->inserts[kind])
                                 : qdi_metrics_prepare(store, &store->inserts[kind]);
    if (code == SQLITE_OK)
        code = prepare_statement(store, "INSERT INTO parts (owner, step, part, data) VALUES (?,?,?,?)",
                                 &store->put_part);
    if (code == SQLITE_OK)
        code = prepare_statement(store, "DELETE FROM parts WHERE owner = ? AND step = ?", &store->drop_parts);
    if (code == SQLITE_OK)
        code = prepare_statement(store,
                                 "DELETE FROM checkpoints WHERE step > 0 AND step NOT IN"
                                 " (SELECT step FROM checkpoints ORDER BY step DESC LIMIT ?)",
                                 &store->prune);
    if (code == SQLITE_OK)
        code = prepare_statement(store,
                                 "DELETE FROM parts WHERE owner = 'checkpoint' AND step NOT IN"
                                 " (SELECT step FROM checkpoints)",
                                 &store->prune_parts);
    return code;
}

void qdi_rows_finish(qd_store *store) {
    sqlite3_stmt **const others[] = {&store->put_part, &store->drop_parts, &store->prune,
                                     &store->prune_parts};
    for (int kind = 0; kind < QDI_ROW_KINDS; ++kind) {
        (void)sqlite3_finalize(store->inserts[kind]);
        store->inserts[kind] = NULL;
    }
    for (size_t i = 0; i < sizeof others / sizeof others[0]; ++i) {
        (void)sqlite3_finalize(*others[i]);
        *others[i] = NULL;
    }
}

// Runs a statement whose values are bound.
static int run_statement(sqlite3_stmt *statement) {
    int code = sqlite3_step(statement);
    int reset = sqlite3_reset(statement);
    return code == SQLITE_DONE ? reset : code;
}

/// Store's rows: a part of the world of a snapshot or checkpoint; the first removes those that are there.
static int write_part(qd_store *store, const qdi_row_batch *batch) {
    const char *owner = batch->lasting ? "checkpoint" : "snapshot";
    int code = SQLITE_OK;
    if (batch->part == 0) {
        qdi_hash_stream_reset(store->hash);
        code = qdi_sql_bind(store->drop_parts, 1, "su", owner, batch->step);
        if (code == SQLITE_OK) code = run_statement(store->drop_parts);
    }
    qdi_hash_stream_add(store->hash, batch->rows, batch->used);
    if (code == SQLITE_OK) code = qdi_sql_bind(store->put_part, 1, "suu", owner, batch->step, batch->part);
    if (code == SQLITE_OK)
        code = sqlite3_bind_blob64(store->put_part, 4, batch->rows, batch->used, SQLITE_STATIC);
    return code == SQLITE_OK ? run_statement(store->put_part) : code;
}

/// Store's rows: deletes all checkpoints but the first and the last `keep`, with their parts.
static int prune(const qd_store *store, uint64_t keep) {
    int code = qdi_sql_bind_step(store->prune, 1, keep);
    if (code == SQLITE_OK) code = run_statement(store->prune);
    return code == SQLITE_OK ? run_statement(store->prune_parts) : code;
}

// Writes one row into run.db.
static int write_store_row(qd_store *store, qdi_row_kind kind, const void *row) {
    sqlite3_stmt *statement = store->inserts[kind];
    if (kind == QDI_ROW_FAILURE) (void)sqlite3_clear_bindings(statement); // some stay without value
    int code = writers[kind].bind(store, statement, row);
    if (code == SQLITE_OK) code = run_statement(statement);
    if (code != SQLITE_OK || kind != QDI_ROW_CHECKPOINT) return code;
    return prune(store, ((const qdi_state_row *)row)->keep);
}

// Writes a batch of rows into run.db.
static int write_store_rows(qd_store *store, const qdi_row_batch *batch) {
    int code = SQLITE_OK;
    for (size_t at = 0; at < batch->used && code == SQLITE_OK;) {
        qdi_row_header header;
        memcpy(&header, batch->rows + at, sizeof header);
        QD_ASSERT(header.kind < QDI_ROW_KINDS);
        code = write_store_row(store, (qdi_row_kind)header.kind, batch->rows + at + sizeof header);
        at += sizeof header + header.bytes;
    }
    return code;
}

// How lasting a transaction is can be said between two of them only.
static int set_lasting(const qd_store *store, bool lasting) {
    return qdi_sql_run(store->db, lasting ? "PRAGMA synchronous=FULL" : "PRAGMA synchronous=NORMAL");
}

// Begins the transaction of a batch, unless it goes on from the one before.
static int begin_batch(const qd_store *store, const qdi_row_batch *batch) {
    if (!sqlite3_get_autocommit(store->db)) return SQLITE_OK;
    const int code = batch->lasting ? set_lasting(store, true) : SQLITE_OK;
    return code == SQLITE_OK ? qdi_sql_run(store->db, "BEGIN") : code;
}

// Ends the transaction of a batch, unless it goes on in the next one.
static int end_batch(qd_store *store, const qdi_row_batch *batch) {
    if (batch->goes_on) return SQLITE_OK;
    const int code = qdi_sql_run(store->db, "COMMIT");
    if (code != SQLITE_OK || !batch->lasting) return code;
    qdi_store_empty_log(store);
    return set_lasting(store, false);
}

// Takes back the transaction that was begun, if any.
static void roll_back(const qd_store *store) {
    if (!sqlite3_get_autocommit(store->db)) (void)qdi_sql_run(store->db, "ROLLBACK");
}

qd_status qdi_rows_work(void *context, size_t slot) {
    qd_store *store = context;
    qdi_row_batch *batch = &store->batches[slot];
    int code = begin_batch(store, batch);
    if (code == SQLITE_OK) code = batch->is_part ? write_part(store, batch) : write_store_rows(store, batch);
    if (code == SQLITE_OK) code = end_batch(store, batch);
    batch->used = 0;
    if (code == SQLITE_OK) return QD_OK;
    qd_status status = qdi_sql_fail(store, "write", code, &store->failure);
    roll_back(store);
    return status;
}

void qdi_rows_undo(qd_store *store) {
    roll_back(store);
    (void)set_lasting(store, false);
}
