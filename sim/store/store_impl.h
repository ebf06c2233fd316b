#pragma once

#include <quadrille/store.h>

#include "core/base/hash_stream.h"
#include "core/parallel/queue.h"
#include "sim/store/event_rows.h"
#include "sim/text/scene_text.h"

#include <sqlite3.h>

/// What the files of the store share. store.c opens and closes, store_create.c makes new ones, store_tables.c
/// has the tables and brings older ones up to date, store_write.c takes rows in and store_pieces.c worlds,
/// store_rows.c is the writer's side, store_read.c reads, store_sql.c speaks with SQLite.

/// "QDrn", in the header of every run.db.
#define QDI_STORE_APPLICATION 0x5144726e
/// Steps and numbers that SQLite can hold.
#define QDI_STORE_STEP_MAX ((uint64_t)INT64_MAX)

typedef enum qdi_row_kind {
    QDI_ROW_HASH,
    QDI_ROW_EVENT,
    QDI_ROW_SNAPSHOT,
    QDI_ROW_CHECKPOINT,
    QDI_ROW_FRAME,
    QDI_ROW_FAILURE,
    QDI_ROW_METRICS,
    QDI_ROW_FIELD,
    QDI_ROW_DISTRIBUTION,
    QDI_ROW_STAGE,
    QDI_ROW_KINDS
} qdi_row_kind;

/// Bytes of a page of the database.
#define QDI_STORE_PAGE "16384"

/// Batches that go round between the two threads, and bytes of each.
enum { QDI_BATCHES = 4, QDI_BATCH_BYTES = 1 << 18 };

/// Most bytes of a stored world that one row holds, which are those of a batch.
#define QDI_STORE_PART ((size_t)QDI_BATCH_BYTES)

/// Rows on their way, a header and its row, one after the other; or a part of a saved world.
typedef struct qdi_row_batch {
    unsigned char *rows;
    size_t room, used; ///< bytes
    bool lasting;      ///< is to survive a power cut, as checkpoints are
    bool goes_on;      ///< the next batch is of the same transaction
    bool is_part;
    uint64_t step, part; ///< of a part: of which step, and its number
} qdi_row_batch;

typedef struct qdi_row_header {
    uint64_t kind, bytes; ///< bytes of the row that follows, a multiple of 8
} qdi_row_header;

typedef struct qdi_metrics_row {
    qd_metrics metrics;
    uint64_t phase_ns[QD_PHASE_COUNT];
    uint64_t timed; ///< the phases are known
} qdi_metrics_row;

/// Of a quantity of a field; its values lie behind.
typedef struct qdi_field_row {
    uint64_t step, number;
    double time;
    qd_field_grid grid;
} qdi_field_row;

/// Of a distribution; its values lie behind.
typedef struct qdi_distribution_row {
    uint64_t step, number;
    double time, first, width;
    uint64_t bins;
} qdi_distribution_row;

typedef struct qdi_hash_row {
    uint64_t step, hash;
} qdi_hash_row;

/// Of a snapshot or checkpoint whose parts went before; the session's bytes lie behind.
typedef struct qdi_state_row {
    uint64_t step;
    double time;
    uint64_t world_bytes, session_bytes, keep;
} qdi_state_row;

struct qd_store {
    const qd_allocator *allocator;
    sqlite3 *db;
    char *path;
    size_t path_bytes;
    qd_error note;
    bool writes;      ///< opened to write
    int hash_form;    ///< of the run's hashes
    qdi_queue *queue; ///< NULL where it only reads
    qdi_row_batch batches[QDI_BATCHES];
    size_t batch;          ///< that is being filled, QDI_BATCHES: none
    bool goes_on, lasting; ///< of the transaction that batches are filled for
    size_t part_bytes;     ///< QDI_STORE_PART
    qdi_event_names names;
    // The writer's; others look at them when the queue is empty.
    sqlite3_stmt *inserts[QDI_ROW_KINDS];
    sqlite3_stmt *put_part, *drop_parts, *prune, *prune_parts;
    qdi_hash_stream *hash; ///< of the saved world whose parts are being written
    qd_error failure;      ///< why the writer stopped
};

// ---- store.c ----

/// A store without a database.
QD_MUST_USE qd_status qdi_store_make(const char *path, const qd_allocator *allocator, qd_store **store,
                                     qd_error *error);

/// Opens the database at `path`, which need not be the store's own; with SQLITE_OPEN_READWRITE among the
/// flags for nobody else.
QD_MUST_USE qd_status qdi_store_connect(qd_store *store, const char *path, int flags, qd_error *error);

/// Closes the database, if one is open.
void qdi_store_disconnect(qd_store *store);

/// Everything that writing takes: the lock, the log, statements, batches and the thread.
QD_MUST_USE qd_status qdi_store_get_ready(qd_store *store, qd_error *error);

/// Puts what is in the write-ahead log into the database and makes the log short: else it takes more of the
/// disk than all it is about. Where that fails, what was committed stays in the log, and the next time may be
/// better.
void qdi_store_empty_log(qd_store *store);

/// Frees everything. The queue has ended.
void qdi_store_destroy(qd_store *store);

// ---- store_sql.c ----

/// What a code of SQLite's means to us.
qd_status qdi_sql_status(int code);

/// A code, or SQLITE_IOERR_READ where SQLite calls a file malformed because the device failed to read it: it
/// takes EIO for damage, and what it would have read may be whole.
int qdi_sql_cause(sqlite3 *db, int code);

/// Puts "cannot VERB PATH: what SQLite says" into `error` and returns the status of `code`.
qd_status qdi_sql_fail(const qd_store *store, const char *verb, int code, qd_error *error);
/// Ends a transaction that went as `code` says.
QD_MUST_USE qd_status qdi_sql_commit(qd_store *store, int code, qd_error *error);
/// The same of any database; `db` may be NULL.
qd_status qdi_sql_fail_at(sqlite3 *db, const char *path, const char *verb, int code, qd_error *error);

/// Keeps what a database brings along from doing anything: its views and triggers do not run, its schema
/// calls no function that has an effect, and no statement can damage the file. To be called before anything
/// is read. Returns SQLite's code.
int qdi_sql_guard(sqlite3 *db);

/// Whether the database has a table that was made by `head`, which begins with "CREATE TABLE NAME ", any
/// number of plain columns, and `tail`. SQLite keeps that statement as it was and goes by it, so such a table
/// is neither a view nor computed, and its keys are what they are meant to be: a query by key is fast and
/// gives rows in order. Errors: QD_ERR_CORRUPT where there is none.
QD_MUST_USE qd_status qdi_sql_check_table(sqlite3 *db, const char *path, const char *head, const char *tail,
                                          qd_error *error);

/// Opens a database. The path is a file's and nothing else ("file:x" and ":memory:" too), and neither the
/// file nor what SQLite keeps beside it may be a link or no regular file. With SQLITE_OPEN_READONLY or
/// _READWRITE without _CREATE it must be there. Errors: QD_ERR_IO, QD_ERR_MEMORY and what SQLite says; the
/// reason in `error`, and no connection is left.
QD_MUST_USE qd_status qdi_sql_open(const char *path, int flags, sqlite3 **db, qd_error *error);

/// A path as SQLite is to get it, so that it takes it for a file's; `text` is to be released.
void qdi_sql_path(const char *path, qdi_text *text);

/// Runs statements that give no rows. Returns SQLite's code.
int qdi_sql_run(sqlite3 *db, const char *sql);

/// Runs one statement and gives the first column of its first row as a number; 0 where there is none. Returns
/// SQLite's code.
int qdi_sql_number(sqlite3 *db, const char *sql, int64_t *number);

/// Binds a step or number.
int qdi_sql_bind_step(sqlite3_stmt *statement, int at, uint64_t step);

/// Binds values from place `at` on, as the letters of `kinds` say: u a uint64_t, d a double, h a hash
/// (uint64_t) as its 16 digits, s a text that stays until the statement has run (NULL: an empty one), n
/// nothing, which takes no argument. Returns SQLite's code, as do the two below.
int qdi_sql_bind(sqlite3_stmt *statement, int at, const char *kinds, ...);
/// Makes a statement and binds all its values. The caller finalizes it in any case.
int qdi_sql_prepare(sqlite3 *db, const char *sql, sqlite3_stmt **statement, const char *kinds, ...);
/// Runs a statement with values that gives no rows.
int qdi_sql_do(sqlite3 *db, const char *sql, const char *kinds, ...);

/// Whether a row's first column is a whole number from `least` to `most`, as its query asked for: a damaged
/// file can give any other, and who goes on from there would come by it for ever. Errors: QD_ERR_CORRUPT.
QD_MUST_USE qd_status qdi_sql_check_step(const qd_store *store, sqlite3_stmt *statement, const char *table,
                                         uint64_t least, uint64_t most, qd_error *error);

/// A text of a row as it lies there: not ended by a zero, for which SQLite would have to copy it, and give
/// nothing where it has no memory, as if there were none. NULL where the column holds no text.
typedef struct qdi_sql_chars {
    const char *at;
    size_t bytes;
} qdi_sql_chars;
qdi_sql_chars qdi_sql_text(sqlite3_stmt *statement, int column);

/// Reads 16 hexadecimal digits; false where the column holds anything else.
bool qdi_sql_hash(sqlite3_stmt *statement, int column, uint64_t *hash);

// ---- store_tables.c ----

/// Makes the tables, or brings them up to date: every change that the schema has seen since `version` (0:
/// none yet), in one transaction. On an error the database is as it was.
QD_MUST_USE qd_status qdi_tables_update(qd_store *store, int64_t version, qd_error *error);
/// Reads in which form the run records. QD_ERR_INVALID: in one of a newer program.
QD_MUST_USE qd_status qdi_tables_forms(qd_store *store, qd_error *error);

/// QD_OK for a run store of this schema, with all of its tables, or an older one; `version` gets which.
QD_MUST_USE qd_status qdi_tables_check(qd_store *store, int64_t *version, qd_error *error);

/// The version that this program writes.
int64_t qdi_tables_version(void);

/// The tables with rows by step, NULL past the last.
const char *qdi_tables_stepped(size_t number);

// ---- store_metrics.c ----

/// Gives the table `metrics` the columns that it lacks: all in a new store, those that came since in an older
/// one.
int qdi_metrics_columns(qd_store *store);

/// Prepares the statement that inserts a qdi_metrics_row, and binds one.
int qdi_metrics_prepare(qd_store *store, sqlite3_stmt **statement);
int qdi_metrics_bind(const qd_store *store, sqlite3_stmt *statement, const void *data);

// ---- store_rows.c ----

/// Store's rows: prepares what the writer needs, and frees it.
int qdi_rows_prepare(qd_store *store);
void qdi_rows_finish(qd_store *store);

/// Writes a batch; on the writer's thread. `context`: the store.
qd_status qdi_rows_work(void *context, size_t slot);

/// Store's rows: takes back a transaction that went on from batch to batch. The queue is empty.
void qdi_rows_undo(qd_store *store);

// ---- store_write.c ----

/// Adds a row, and behind it more bytes where it has any. Errors: the writer's, QD_ERR_MEMORY.
QD_MUST_USE qd_status qdi_store_put_row(qd_store *store, qdi_row_kind kind, const void *row, size_t bytes,
                                        const void *more, size_t more_bytes);
/// Puts the present batch in line, if there is one, or forgets what is in it.
void qdi_store_hand_in(qd_store *store);
void qdi_store_drop_batch(qd_store *store);

/// Puts what is on its way in line and waits until all is written; does nothing where the store only reads.
/// Errors: the writer's, with its reason.
QD_MUST_USE qd_status qdi_store_settle(qd_store *store, qd_error *error);
