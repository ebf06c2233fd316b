// Run stores: the first byte says what is done to a good one, then it is read whole and gone on with. 's':
// the rest is SQL, other than a store's own; else bytes of the file are set, four of the input for each
// (where, 3; to what, 1).
#include "tests/fuzz/fuzz.h"

#include "tests/support/stores.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SQL_OPERATIONS = 200, SQL_LENGTH = 1 << 20, READ_MOST = 2000, PAGE_BYTES = 4096 + 512, PAGES = 256 };

static char *good;
static size_t good_bytes;

// Makes a good store, of which inputs make bad ones. SQLite keeps its pages, which under a sanitizer are dear
// to make.
static void make_good(void) {
    static _Alignas(16) char pages[PAGES][PAGE_BYTES];
    qd_store_rig rig;
    if (sqlite3_shutdown() != SQLITE_OK ||
        sqlite3_config(SQLITE_CONFIG_PAGECACHE, pages, PAGE_BYTES, PAGES) != SQLITE_OK ||
        sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0) != SQLITE_OK)
        qd_fuzz_fail("SQLite takes no pages");
    rig = qd_store_rig_make();
    qd_test_store_record(rig.store, rig.world);
    qd_test_store_checkpoint(rig.store, rig.world);
    qd_test_store_run(rig.store, rig.world, 20);
    qd_test_store_close(&rig.store);
    good = qd_scratch_read(rig.path.text, &good_bytes);
    qd_store_rig_end(&rig);
}

// Ends a statement that takes too long.
static int on_progress(void *left) {
    return --*(int *)left < 0;
}

// No other files, and nothing that waits.
static int authorize(void *context, int action, const char *first, const char *second, const char *base,
                     const char *by) {
    (void)context;
    (void)second;
    (void)base;
    (void)by;
    if (action == SQLITE_ATTACH) return SQLITE_DENY;
    if (action == SQLITE_PRAGMA)
        return strcmp(first, "user_version") == 0 || strcmp(first, "application_id") == 0 ||
                       strcmp(first, "writable_schema") == 0
                   ? SQLITE_OK
                   : SQLITE_DENY;
    return SQLITE_OK;
}

// Runs SQL on the file, as far as it goes.
static void change_by_sql(const char *path, const char *sql) {
    sqlite3 *db = NULL;
    int left = SQL_OPERATIONS;
    if (sqlite3_open(path, &db) == SQLITE_OK) {
        (void)sqlite3_limit(db, SQLITE_LIMIT_LENGTH, SQL_LENGTH);
        (void)sqlite3_set_authorizer(db, authorize, NULL);
        sqlite3_progress_handler(db, 1000, on_progress, &left);
        (void)sqlite3_exec(db, sql, NULL, NULL, NULL);
    }
    (void)sqlite3_close(db);
}

static bool count_event(void *context, const qd_store_event *event) {
    (void)event;
    return ++*(size_t *)context < READ_MOST;
}

// A failure has a reason on one line.
static qd_status explained(qd_status status, const qd_error *error) {
    bool told = status == QD_OK || status == QD_ERR_NOT_FOUND ||
                (error->text[0] && !strchr(error->text, '\n'));
    if (!told) qd_fuzz_fail("%s with '%s'", qd_status_text(status), error->text);
    return status;
}

/// Steps on from what was found; false at the end.
static bool next(uint64_t *from, uint64_t found) {
    if (found < *from)
        qd_fuzz_fail("found %llu below %llu", (unsigned long long)found, (unsigned long long)*from);
    *from = found + 1;
    return found != UINT64_MAX;
}

// Reads rows that come one by one.
static void read_rows(qd_store *store) {
    qd_error error = {""};
    uint64_t step = 0, hash, phases[QD_PHASE_COUNT];
    qd_metrics metrics;
    qd_limit_report report;
    qd_store_frame frame;
    size_t rows = 0;
    for (uint64_t from = 0;
         rows++ < READ_MOST &&
         explained(qd_store_next_hash(store, from, &step, &hash, &error), &error) == QD_OK;)
        if (!next(&from, step)) break;
    for (uint64_t from = 0; rows++ < READ_MOST &&
                            explained(qd_store_next_metrics(store, from, &metrics, &error), &error) == QD_OK;)
        if (!next(&from, metrics.step)) break;
    for (uint64_t from = 0;
         rows++ < READ_MOST &&
         explained(qd_store_next_phases(store, from, &step, phases, &error), &error) == QD_OK;)
        if (!next(&from, step)) break;
    for (uint64_t from = 0;
         rows++ < READ_MOST && explained(qd_store_next_frame(store, from, &frame, &error), &error) == QD_OK;)
        if (!next(&from, frame.number)) break;
    for (uint64_t from = 0; rows++ < READ_MOST &&
                            explained(qd_store_next_failure(store, from, &report, &error), &error) == QD_OK;)
        if (!next(&from, report.step)) break;
    qd_store_stage stage;
    for (uint64_t from = 0;
         rows++ < READ_MOST && explained(qd_store_next_stage(store, from, &stage, &error), &error) == QD_OK;)
        if (!next(&from, stage.number)) break;
    size_t events = 0;
    (void)explained(qd_store_visit_events(store, 0, UINT64_MAX, count_event, &events, &error), &error);
}

// Reads rows that are arrays.
static void read_arrays(qd_store *store) {
    qd_error error = {""};
    qd_store_fields fields;
    qd_store_distributions found;
    size_t rows = 0;
    for (uint64_t from = 0; rows++ < READ_MOST &&
                            explained(qd_store_next_fields(store, from, &fields, &error), &error) == QD_OK;) {
        uint64_t step = fields.step;
        qd_store_fields_free(store, &fields);
        if (!next(&from, step)) break;
    }
    for (uint64_t from = 0;
         rows++ < READ_MOST &&
         explained(qd_store_next_distributions(store, from, &found, &error), &error) == QD_OK;) {
        uint64_t step = found.step;
        qd_store_distributions_free(store, &found);
        if (!next(&from, step)) break;
    }
}

// Loads worlds that are stored.
static void read_worlds(qd_store *store) {
    qd_error error = {""};
    qd_store_state state;
    int rows = 0;
    for (uint64_t from = 0;
         rows++ < 16 && explained(qd_store_next_snapshot(store, from, &state, &error), &error) == QD_OK;) {
        qd_world *world = NULL;
        if (qd_world_load(state.world, state.world_bytes, 1, NULL, &world, NULL) == QD_OK)
            qd_world_destroy(world);
        uint64_t step = state.step;
        qd_store_state_free(store, &state);
        if (!next(&from, step)) break;
    }
    if (explained(qd_store_find_world(store, UINT64_MAX, &state, &error), &error) == QD_OK)
        qd_store_state_free(store, &state);
    qd_store_run run;
    if (explained(qd_store_read_run(store, &run, &error), &error) == QD_OK) qd_store_run_free(store, &run);
    uint64_t last;
    (void)explained(qd_store_last_step(store, &last, &error), &error);
    (void)explained(qd_store_check(store, &error), &error);
}

// Goes on from the last checkpoint, as `resume` does.
static void go_on(qd_store *store) {
    qd_error error = {""};
    qd_store_state state;
    if (qd_store_last_checkpoint(store, UINT64_MAX, &state, &error) != QD_OK) return;
    qd_world *world = NULL;
    if (qd_world_load(state.world, state.world_bytes, 1, NULL, &world, NULL) == QD_OK) {
        if (explained(qd_store_rewind(store, world, &error), &error) == QD_OK) {
            qd_status status = qd_store_put_hash(store, qd_world_steps(world) + 1, 5);
            if (status == QD_OK && qd_world_step(world, 0.02, NULL) == QD_OK)
                status = qd_store_put_checkpoint(store, world, "session", 7, 2);
            if (status == QD_OK) (void)explained(qd_store_flush(store, &error), &error);
        }
        qd_world_destroy(world);
    }
    qd_store_state_free(store, &state);
}

// Opens it and does all that can be done.
static void use_store(const char *path, qd_store_mode mode) {
    qd_store *store = NULL;
    qd_error error = {""};
    if (explained(qd_store_open(path, mode, NULL, &store, &error), &error) != QD_OK) {
        if (store) qd_fuzz_fail("refused, and yet open");
        return;
    }
    read_rows(store);
    read_arrays(store);
    read_worlds(store);
    if (mode == QD_STORE_GO_ON) go_on(store);
    (void)explained(qd_store_close(store, &error), &error);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    if (!good) make_good();
    static const char *const beside[] = {"run.db-wal", "run.db-shm", "run.db-journal"};
    for (size_t i = 0; i < 3; ++i) (void)qd_fuzz_path(beside[i]);
    qd_fuzz_input input = {data, size};
    bool sql = qd_fuzz_byte(&input) == 's';
    char *changed = malloc(good_bytes);
    if (!changed) return 0;
    memcpy(changed, good, good_bytes);
    while (!sql && input.left >= 4) {
        size_t at = qd_fuzz_short(&input);
        at = (at | (size_t)qd_fuzz_byte(&input) << 16) % good_bytes;
        changed[at] = (char)qd_fuzz_byte(&input);
    }
    char path[512];
    (void)snprintf(path, sizeof path, "%s", qd_fuzz_file("run.db", changed, good_bytes));
    free(changed);
    if (sql) {
        char *text = malloc(input.left + 1);
        if (!text) return 0;
        memcpy(text, input.at, input.left);
        text[input.left] = '\0';
        change_by_sql(path, text);
        free(text);
    }
    use_store(path, QD_STORE_READ);
    use_store(path, QD_STORE_GO_ON);
    return 0;
}
