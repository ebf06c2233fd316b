#define _GNU_SOURCE // fork, kill, pipe
#include "sim/store/store_impl.h"
#include "tests/support/faulty_vfs.h"
#include "tests/support/harness.h"
#include "tests/support/stores.h"
#include "tests/support/worlds.h"

#include <signal.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/// Worlds are in several parts, so that each of them takes the writer a few batches.
enum { LAST = 24, PART = 3000 };

/// A run of LAST steps that may fail anywhere.
typedef struct attempt {
    const qd_store_rig *rig; ///< its scene and path; its own store is closed
    const qd_allocator *allocator;
    qd_store *store;
    qd_world *world;
    bool saved;    ///< some checkpoint is on the device for sure
    uint64_t step; ///< of the last such
    qd_error error;
} attempt;

/// Everything of a step but what only tests can fail on.
static qd_status record(attempt *run) {
    uint64_t step = qd_world_steps(run->world);
    qd_metrics metrics;
    qd_world_measure(run->world, &metrics);
    const qd_store_frame frame = {step, step, qd_world_time(run->world), step};
    qd_status status = qd_store_put_metrics(run->store, &metrics, NULL);
    if (status == QD_OK) status = qd_store_put_hash(run->store, step, qd_world_hash(run->world));
    if (status == QD_OK) status = qd_store_put_events(run->store, run->world, true);
    if (status == QD_OK) status = qd_store_put_frame(run->store, &frame);
    if (status == QD_OK && step % 8 == 0) status = qd_store_put_snapshot(run->store, run->world);
    if (status != QD_OK || step % 6 != 0) return status;
    status = qd_store_put_checkpoint(run->store, run->world, "session", 7, 2);
    if (status == QD_OK) status = qd_store_flush(run->store, &run->error);
    if (status == QD_OK) run->saved = true;
    if (status == QD_OK) run->step = step;
    return status;
}

static qd_status begin(attempt *run) {
    qd_store_def def = qd_store_def_default();
    def.scene = run->rig->scene;
    def.bodies = qd_world_count(run->world);
    def.allocator = run->allocator;
    qd_status status = qd_store_create(run->rig->path.text, &def, &run->store, &run->error);
    if (status != QD_OK) return status;
    run->store->part_bytes = PART;
    return record(run);
}

/// From the step that is recorded already to step `last`.
static qd_status go(attempt *run, uint64_t last) {
    qd_status status = QD_OK;
    while (status == QD_OK && qd_world_steps(run->world) < last) {
        qd_test_step(run->world, 0.02, 1);
        status = record(run);
    }
    return status;
}

/// Begins, goes to the end, closes; what fails first counts. Nothing stays open.
static qd_status try(attempt *run) {
    run->world = qd_store_rig_world(run->rig);
    qd_error error = {""};
    qd_status status = begin(run);
    if (status == QD_OK) status = go(run, LAST);
    qd_status closed = qd_store_close(run->store, &error);
    if (error.text[0]) run->error = error;
    run->store = NULL;
    qd_world_destroy(run->world);
    run->world = NULL;
    return status == QD_OK ? closed : status;
}

/// What an undisturbed run leaves. free() it.
static char *expect(const qd_store_rig *rig) {
    attempt run = {.rig = rig};
    ck_assert_int_eq(try(&run), QD_OK);
    char *content = qd_test_store_content(rig->path.text);
    ck_assert_int_eq(unlink(rig->path.text), 0);
    return content;
}

/// Goes on with what a failed attempt has left, and compares.
static void resume(const attempt *failed, const char *expected, size_t number) {
    attempt run = {.rig = failed->rig};
    qd_store_state moment = {.step = 0};
    qd_status status = qd_store_open(failed->rig->path.text, QD_STORE_GO_ON, NULL, &run.store, &run.error);
    if (status == QD_ERR_NOT_FOUND) {
        ck_assert_msg(!failed->saved, "fault %zu: there is no store any more", number);
        return;
    }
    ck_assert_msg(status == QD_OK, "fault %zu: %s", number, run.error.text);
    run.store->part_bytes = PART;
    status = qd_store_last_checkpoint(run.store, UINT64_MAX, &moment, &run.error);
    ck_assert_msg(run.error.text[0] == 0, "fault %zu: %s", number, run.error.text);
    ck_assert_msg(status == (moment.world ? QD_OK : QD_ERR_NOT_FOUND), "fault %zu: %d", number, (int)status);
    ck_assert_msg(moment.step >= failed->step && (moment.world || !failed->saved),
                  "fault %zu: the checkpoint is lost", number);
    if (moment.world) {
        ck_assert_int_eq(qd_world_load(moment.world, moment.world_bytes, 1, NULL, &run.world, NULL), QD_OK);
        qd_store_state_free(run.store, &moment);
        ck_assert_int_eq(qd_store_rewind(run.store, run.world, NULL), QD_OK);
        ck_assert_int_eq(go(&run, LAST), QD_OK);
        qd_test_store_close(&run.store);
        qd_own_memory char *content = qd_test_store_content(failed->rig->path.text);
        ck_assert_msg(strcmp(content, expected) == 0, "fault %zu: other rows", number);
        qd_world_destroy(run.world);
    } else {
        qd_test_store_close(&run.store);
    }
    ck_assert_int_eq(unlink(failed->rig->path.text), 0);
}

static qd_store_rig make(void) {
    qd_store_rig rig = qd_store_rig_make();
    qd_test_store_close(&rig.store);
    ck_assert_int_eq(unlink(rig.path.text), 0);
    return rig;
}

// ---- memory ----

/// SQLite's memory, which is not the allocator's.
typedef struct sqlite_memory {
    size_t calls, fail_at;
    sqlite3_mem_methods below;
} sqlite_memory;
static sqlite_memory memory;

static bool memory_fails(void) {
    return __atomic_add_fetch(&memory.calls, 1, __ATOMIC_RELAXED) == memory.fail_at;
}

static void *sqlite_malloc(int bytes) {
    return memory_fails() ? NULL : memory.below.xMalloc(bytes);
}

static void *sqlite_realloc(void *old, int bytes) {
    return memory_fails() ? NULL : memory.below.xRealloc(old, bytes);
}

QD_TEST(no_memory_for_sqlite) {
    // With CK_FORK=no, too, this needs SQLite not to have begun: it is the first test of this file.
    (void)sqlite3_shutdown();
    ck_assert_int_eq(sqlite3_config(SQLITE_CONFIG_GETMALLOC, &memory.below), SQLITE_OK);
    sqlite3_mem_methods faulty = memory.below;
    faulty.xMalloc = sqlite_malloc;
    faulty.xRealloc = sqlite_realloc;
    ck_assert_int_eq(sqlite3_config(SQLITE_CONFIG_MALLOC, &faulty), SQLITE_OK);
    qd_own(qd_store_rig) rig = make();
    memory.calls = 0;
    qd_own_memory char *expected = expect(&rig);
    size_t calls = memory.calls, cases = qd_test_effort(120), failures = 0;
    for (size_t k = 0; k < cases; ++k) {
        attempt run = {.rig = &rig};
        memory.calls = 0;
        memory.fail_at = 1 + k * calls / cases;
        size_t fault = memory.fail_at;
        qd_status status = try(&run);
        memory.fail_at = 0;
        // Some allocations SQLite can do without.
        ck_assert_msg(status == QD_OK || status == QD_ERR_MEMORY, "allocation %zu: %s: %s", fault,
                      qd_status_text(status), run.error.text);
        ck_assert_int_eq(sqlite3_memory_used(), 0);
        failures += status != QD_OK;
        resume(&run, expected, fault);
    }
    ck_assert_uint_gt(failures, cases / 4);
}

QD_TEST(no_memory_at_any_allocation) {
    qd_own(qd_store_rig) rig = make();
    qd_own_memory char *expected = expect(&rig);
    for (size_t n = 1;; ++n) {
        qd_test_allocator allocator = qd_test_allocator_of(&allocator, n);
        attempt run = {.rig = &rig, .allocator = &allocator.allocator};
        qd_status status = try(&run);
        if (qd_test_had_memory(&allocator, status)) {
            ck_assert_uint_gt(n, 8);
            break;
        }
        resume(&run, expected, n);
    }
    unlink(rig.path.text);
}

/// The same when a store is opened, read and rewound.
QD_TEST(no_memory_while_reading) {
    qd_own(qd_store_rig) rig = make();
    free(expect(&rig));
    attempt whole = {.rig = &rig};
    ck_assert_int_eq(try(&whole), QD_OK);
    for (size_t n = 1, failures = 0;; ++n) {
        qd_test_allocator allocator = qd_test_allocator_of(&allocator, n);
        qd_store *store = NULL;
        qd_store_run run;
        qd_store_state moment;
        qd_error error = {""};
        qd_status status = qd_store_open(rig.path.text, QD_STORE_GO_ON, &allocator.allocator, &store, &error);
        if (status == QD_OK) status = qd_store_read_run(store, &run, &error);
        if (status == QD_OK) qd_store_run_free(store, &run);
        if (status == QD_OK) status = qd_store_last_checkpoint(store, UINT64_MAX, &moment, &error);
        if (status == QD_OK) qd_store_state_free(store, &moment);
        if (status == QD_OK) status = qd_store_rewind(store, rig.world, &error);
        ck_assert_msg(status == QD_OK || (status == QD_ERR_MEMORY && error.text[0]), "allocation %zu: %s", n,
                      error.text);
        bool done = status == QD_OK;
        failures += !done;
        ck_assert_int_eq(qd_store_close(store, &error), QD_OK);
        ck_assert_uint_eq(allocator.live, 0);
        if (done) {
            ck_assert_uint_gt(failures, 12);
            break;
        }
    }
}

// ---- disk ----

/// Every write fails in turn (or one of `stride`), and all that follow, as on a disk that is full or broken.
static void check_writes(int code, const char *named, size_t stride) {
    qd_faulty_vfs *vfs = qd_faulty_vfs_get();
    qd_own(qd_store_rig) rig = make();
    vfs->writes = 0;
    qd_own_memory char *expected = expect(&rig);
    size_t writes = vfs->writes;
    if (qd_test_effort(10) < 10) stride *= 7;
    ck_assert_uint_gt(writes, 30);
    vfs->code = code;
    for (size_t n = 1; n <= writes; n += stride) {
        attempt run = {.rig = &rig};
        vfs->writes = 0;
        vfs->fail_at = n;
        qd_status status = try(&run);
        vfs->fail_at = 0;
        ck_assert_msg(status == QD_ERR_IO, "write %zu: %s", n, qd_status_text(status));
        ck_assert_msg(strstr(run.error.text, named) && strstr(run.error.text, "run.db"), "write %zu: %s", n,
                      run.error.text);
        resume(&run, expected, n);
    }
}

QD_TEST(a_disk_that_is_full) {
    check_writes(SQLITE_FULL, "database or disk is full", 1);
}

QD_TEST(a_disk_that_is_broken) {
    check_writes(SQLITE_IOERR_WRITE, "disk I/O error", 3);
}

QD_TEST(a_file_system_that_shares_no_memory) {
    qd_faulty_vfs *vfs = qd_faulty_vfs_get();
    qd_own(qd_store_rig) rig = make();
    qd_own_memory char *expected = expect(&rig);
    vfs->no_share = true;
    attempt run = {.rig = &rig, .world = qd_store_rig_world(&rig)};
    qd_status status = begin(&run);
    ck_assert_msg(status == QD_OK, "%s", run.error.text);
    ck_assert_msg(strstr(qd_store_note(run.store), "run.db cannot be read while the run goes on"), "%s",
                  qd_store_note(run.store));
    ck_assert(!strchr(qd_store_note(run.store), '\n'));
    ck_assert_int_eq(go(&run, 13), QD_OK);
    qd_test_store_close(&run.store);
    qd_world_destroy(run.world);
    resume(&run, expected, 0);
}

/// Where writing takes long the caller waits: nothing is dropped, and all is in order.
QD_TEST(a_disk_that_is_slow) {
    qd_faulty_vfs *vfs = qd_faulty_vfs_get();
    qd_own(qd_store_rig) rig = make();
    qd_own_memory char *expected = expect(&rig);
    vfs->delay = 2000000;
    attempt run = {.rig = &rig};
    ck_assert_int_eq(try(&run), QD_OK);
    qd_own_memory char *content = qd_test_store_content(rig.path.text);
    ck_assert_str_eq(content, expected);
}

// ---- processes ----

/// A child that runs `work` once it gets a byte, and its end of the pipe.
typedef struct child {
    pid_t process;
    int to, from; ///< descriptors: bytes for it, bytes from it
} child;

typedef void (*child_work)(const qd_store_rig *rig, int from, int to);

static child start(const qd_store_rig *rig, child_work work) {
    int down[2], up[2];
    ck_assert_int_eq(pipe(down), 0);
    ck_assert_int_eq(pipe(up), 0);
    pid_t process = fork();
    ck_assert_int_ge(process, 0);
    if (process == 0) {
        close(down[1]);
        close(up[0]);
        work(rig, down[0], up[1]);
        _exit(0);
    }
    close(down[0]);
    close(up[1]);
    return (child){process, down[1], up[0]};
}

/// Its wait status.
static int finish(child *other) {
    int status = 0;
    close(other->to);
    close(other->from);
    ck_assert_int_eq(waitpid(other->process, &status, 0), other->process);
    return status;
}

/// Opens the store in both modes, and says how that ends: status and text.
static void open_elsewhere(const qd_store_rig *rig, int from, int to) {
    char byte;
    while (read(from, &byte, 1) == 1) {
        for (int mode = QD_STORE_READ; mode <= QD_STORE_GO_ON; ++mode) {
            qd_store *store = NULL;
            qd_error error = {""};
            char line[600];
            qd_status status = qd_store_open(rig->path.text, (qd_store_mode)mode, NULL, &store, &error);
            if (qd_store_close(store, NULL) != QD_OK) _exit(3);
            memset(line, 0, sizeof line);
            snprintf(line, sizeof line, "%d %s", (int)status, error.text);
            if (write(to, line, sizeof line) != (ssize_t)sizeof line) _exit(4);
        }
    }
}

/// What the child says of both modes.
static void check_elsewhere(const child *other, qd_status read_status, qd_status go_on_status) {
    const qd_status expected[] = {read_status, go_on_status};
    ck_assert_int_eq(write(other->to, "", 1), 1);
    for (int mode = 0; mode < 2; ++mode) {
        char line[600] = "";
        ck_assert_int_eq(read(other->from, line, sizeof line), (ssize_t)sizeof line);
        ck_assert_msg(atoi(line) == (int)expected[mode], "mode %d: %s", mode, line);
        if (expected[mode] == QD_ERR_STATE)
            ck_assert_msg(strstr(line, "run.db is in use by another process"), "%s", line);
    }
}

QD_TEST(two_processes_do_not_write_at_once) {
    qd_own(qd_store_rig) rig = make();
    child other = start(&rig, open_elsewhere);
    attempt run = {.rig = &rig, .world = qd_store_rig_world(&rig)};
    ck_assert_int_eq(begin(&run), QD_OK);
    check_elsewhere(&other, QD_OK, QD_ERR_STATE);
    ck_assert_int_eq(go(&run, 12), QD_OK);
    check_elsewhere(&other, QD_OK, QD_ERR_STATE);
    qd_test_store_close(&run.store);
    check_elsewhere(&other, QD_OK, QD_OK);
    run.store = qd_test_store_open(rig.path.text, QD_STORE_READ);
    check_elsewhere(&other, QD_OK, QD_OK); // whoever reads holds nothing between two calls
    ck_assert_int_eq(finish(&other), 0);
    qd_test_store_close(&run.store);
    qd_world_destroy(run.world);
}

/// The last step and the last state hash that a reader sees.
static void check_seen(qd_store *reader, uint64_t expected) {
    uint64_t step = 0, hash_step, hash;
    ck_assert_int_eq(qd_store_last_step(reader, &step, NULL), QD_OK);
    ck_assert_uint_eq(step, expected);
    ck_assert_int_eq(qd_store_next_hash(reader, expected, &hash_step, &hash, NULL), QD_OK);
    ck_assert_uint_eq(hash_step, expected);
    qd_store_state moment;
    ck_assert_int_eq(qd_store_last_checkpoint(reader, UINT64_MAX, &moment, NULL), QD_OK);
    ck_assert_uint_eq(moment.step, expected);
    qd_store_state_free(reader, &moment);
    ck_assert_int_eq(qd_store_check(reader, NULL), QD_OK);
}

QD_TEST(a_reader_sees_what_is_committed) {
    qd_own(qd_store_rig) rig = make();
    qd_own_memory char *expected = expect(&rig);
    attempt run = {.rig = &rig, .world = qd_store_rig_world(&rig)};
    ck_assert_int_eq(begin(&run), QD_OK);
    ck_assert_int_eq(go(&run, 6), QD_OK);
    qd_store *reader = qd_test_store_open(rig.path.text, QD_STORE_READ);
    check_seen(reader, 6);
    ck_assert_int_eq(go(&run, LAST), QD_OK);
    check_seen(reader, LAST);
    // It stays open when the writer ends, and reads on. All is in the one file then, and the next writer puts
    // it away.
    qd_test_store_close(&run.store);
    check_seen(reader, LAST);
    qd_test_store_close(&reader);
    qd_own_memory char *content = qd_test_store_content(rig.path.text);
    ck_assert_str_eq(content, expected);
    run.store = qd_test_store_open(rig.path.text, QD_STORE_GO_ON);
    qd_test_store_close(&run.store);
    ck_assert_uint_eq(qd_scratch_count(rig.scratch.path), 1);
    qd_world_destroy(run.world);
}

/// Runs to the end and says each step that is saved for sure.
static void run_until_killed(const qd_store_rig *rig, int from, int to) {
    (void)from;
    attempt run = {.rig = rig, .world = qd_store_rig_world(rig)};
    if (begin(&run) != QD_OK) _exit(5);
    for (uint64_t step = 0; step <= LAST; ++step) {
        if (go(&run, step) != QD_OK) _exit(6);
        unsigned char saved = (unsigned char)run.step;
        if (run.saved && write(to, &saved, 1) != 1) _exit(7);
    }
    if (qd_store_close(run.store, NULL) != QD_OK) _exit(8);
}

/// Somebody who only reads finds what was committed, and changes nothing of it.
static void check_readable(const attempt *killed) {
    qd_store_state moment;
    qd_store *store = qd_test_store_open(killed->rig->path.text, QD_STORE_READ);
    ck_assert_int_eq(qd_store_last_checkpoint(store, UINT64_MAX, &moment, NULL), QD_OK);
    ck_assert_uint_ge(moment.step, killed->step);
    qd_store_state_free(store, &moment);
    qd_test_store_close(&store);
}

QD_TEST(a_killed_process_loses_nothing) {
    qd_own(qd_store_rig) rig = make();
    qd_own_memory char *expected = expect(&rig);
    for (size_t round = 0; round < qd_test_effort(LAST); ++round) {
        child other = start(&rig, run_until_killed);
        attempt killed = {.rig = &rig};
        unsigned char saved = 0;
        for (size_t i = 0; i <= round && read(other.from, &saved, 1) == 1; ++i) {
            killed.saved = true;
            killed.step = saved;
        }
        ck_assert(killed.saved);
        ck_assert_int_eq(kill(other.process, SIGKILL), 0);
        (void)finish(&other);
        check_readable(&killed);
        resume(&killed, expected, round);
    }
}

/// Changes every page of the database and is gone before it says that this was meant.
static void write_half(const qd_store_rig *rig, int from, int to) {
    (void)from;
    (void)to;
    sqlite3 *db = NULL;
    if (sqlite3_open(rig->path.text, &db) != SQLITE_OK) _exit(5);
    const char *sql = "PRAGMA journal_mode=DELETE; PRAGMA cache_size=1; BEGIN IMMEDIATE;"
                      "UPDATE hashes SET hash = 1; DELETE FROM frames;"
                      "CREATE TABLE much (bytes BLOB); INSERT INTO much VALUES (zeroblob(1000000))";
    if (sqlite3_exec(db, sql, NULL, NULL, NULL) != SQLITE_OK) _exit(6);
    _exit(0);
}

QD_TEST(a_reader_takes_back_what_was_not_finished) {
    qd_own(qd_store_rig) rig = make();
    qd_own_memory char *expected = expect(&rig);
    attempt run = {.rig = &rig, .world = qd_store_rig_world(&rig)};
    ck_assert_int_eq(begin(&run), QD_OK);
    ck_assert_int_eq(go(&run, LAST), QD_OK);
    qd_test_store_close(&run.store);
    child other = start(&rig, write_half);
    ck_assert_int_eq(finish(&other), 0);
    ck_assert_uint_eq(qd_scratch_count(rig.scratch.path), 2); // with the journal
    qd_store *reader = qd_test_store_open(rig.path.text, QD_STORE_READ);
    check_seen(reader, LAST);
    qd_test_store_close(&reader);
    qd_own_memory char *content = qd_test_store_content(rig.path.text);
    ck_assert_str_eq(content, expected);
    ck_assert_uint_eq(qd_scratch_count(rig.scratch.path), 1);
    qd_world_destroy(run.world);
}

QD_TEST_MAIN("store_faults", 240, NULL, NULL)
