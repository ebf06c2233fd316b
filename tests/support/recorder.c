#include "tests/support/recorder.h"

#include "sim/world/world_impl.h"

#include <check.h>
#include <inttypes.h>
#include <quadrille/frame.h>
#include <quadrille/metrics.h>
#include <quadrille/rundir.h>
#include <quadrille/store.h>
#include <quadrille/world.h>
#include <sqlite3.h>
#include <stdio.h>
#include <string.h>

enum { PATH_SIZE = 1024 };

typedef struct recorder {
    const qd_recording *how;
    qd_scene *scene;
    qd_scene_run plan;
    qd_world *world;
    qd_rundir *rundir;
    qd_store *store;
    qd_frame_writer *writer; ///< NULL where there are no frames
} recorder;

static void expect(qd_status status, const qd_error *error, const char *what) {
    ck_assert_msg(status == QD_OK, "%s: %s: %s", what, qd_status_text(status), error ? error->text : "");
}

static void read_scene(recorder *job) {
    const qd_recording *how = job->how;
    qd_scene_changes changes = {.sets = how->sets, .bodies = how->bodies};
    while (how->sets[changes.set_count]) ++changes.set_count;
    qd_error error = {""};
    qd_status status = strchr(how->scene, ':') ? qd_scene_parse(how->scene, strlen(how->scene), "test.yaml",
                                                                &changes, &job->scene, &error)
                                               : qd_scene_builtin(how->scene, &changes, &job->scene, &error);
    expect(status, &error, "scene");
    job->plan = qd_scene_run_settings(job->scene);
}

static void make_world(recorder *job) {
    qd_world_def def = qd_scene_world(job->scene);
    def.threads = job->how->threads > 0 ? job->how->threads : 1;
    qd_error error = {""};
    expect(qd_world_create(&def, &job->world), NULL, "world");
    expect(qd_scene_populate(job->scene, job->world, &error), &error, "populate");
    expect(qd_world_detect(job->world), NULL, "detect");
}

static void make_directory(recorder *job, const char *path) {
    qd_error error = {""};
    expect(qd_rundir_create(path, qd_scene_text(job->scene), false, &job->rundir, &error), &error,
           "directory");
    expect(qd_rundir_write_scene_files(job->rundir, job->scene, &error), &error, "scene files");
    char name[PATH_SIZE];
    snprintf(name, sizeof name, "%s/run.db", path);
    qd_store_def def = qd_store_def_default();
    def.scene = job->scene;
    def.bodies = qd_world_count(job->world);
    def.threads = job->how->threads > 0 ? job->how->threads : 1;
    expect(qd_store_create(name, &def, &job->store, &error), &error, "store");
    if (job->plan.frames_every == 0) return;
    expect(qd_rundir_subdir(job->rundir, "frames", &error), &error, "frames");
    snprintf(name, sizeof name, "%s/frames", path);
    qd_frame_writer_def frames = qd_frame_writer_def_default();
    frames.directory = name;
    frames.view = qd_scene_view(job->scene);
    frames.provenance = (qd_provenance){qd_scene_name(job->scene), qd_scene_hash(job->scene), job->plan.seed};
    expect(qd_frame_writer_create(&frames, &job->writer, &error), &error, "frames");
}

static bool due(uint64_t step, uint64_t every) {
    return every > 0 && step % every == 0;
}

static void put_frame(recorder *job) {
    const qd_frame_row *rows = NULL;
    size_t count = 0;
    qd_error error = {""};
    expect(qd_frame_writer_push(job->writer, job->world), NULL, "push");
    expect(qd_frame_writer_flush(job->writer, &rows, &count, &error), &error, "flush");
    ck_assert_uint_eq(count, 1);
    const qd_store_frame frame = {rows->index, rows->step, rows->time, rows->pixels};
    expect(qd_store_put_frame(job->store, &frame), NULL, "frame");
}

static uint64_t state_hash(const recorder *job) {
    return qd_world_hash_as(job->world, job->how->earlier ? 1 : QD_HASH_FORM);
}

static void put_metrics(recorder *job) {
    const uint64_t phases[QD_PHASE_COUNT] = {0};
    qd_metrics metrics;
    qd_world_measure(job->world, &metrics);
    expect(qd_store_put_metrics(job->store, &metrics, phases), NULL, "metrics");
}

static void record(recorder *job, uint64_t step) {
    const qd_scene_run *plan = &job->plan;
    qd_store *store = job->store;
    if (due(step, plan->frames_every)) put_frame(job);
    if (due(step, plan->record_metrics)) put_metrics(job);
    if (due(step, plan->record_hashes) || (plan->record_hashes > 0 && step == plan->steps))
        expect(qd_store_put_hash(store, step, state_hash(job)), NULL, "hash");
    if (plan->record_events != QD_RECORD_EVENTS_NONE)
        expect(qd_store_put_events(store, job->world, plan->record_events == QD_RECORD_EVENTS_ALL), NULL,
               "events");
    if (due(step, plan->record_snapshots)) expect(qd_store_put_snapshot(store, job->world), NULL, "snapshot");
    if (step == 0 || due(step, plan->checkpoint_every))
        expect(qd_store_put_checkpoint(store, job->world, "session", 7, plan->checkpoint_keep), NULL,
               "checkpoint");
}

static void turn_bit(qd_world *world, const qd_plant *plant) {
    size_t found = 0;
    for (size_t r = 0; r < world->count; ++r) {
        if (world->label[r] != plant->label) continue;
        uint64_t bits;
        memcpy(&bits, &world->now.vx[r], sizeof bits);
        bits ^= UINT64_C(1) << plant->bit;
        memcpy(&world->now.vx[r], &bits, sizeof bits);
        ++found;
    }
    ck_assert_uint_eq(found, 1);
}

static void finish(recorder *job) {
    qd_error error = {""};
    expect(qd_store_close(job->store, &error), &error, "close");
    if (job->how->stop_at == 0) {
        char text[256];
        int bytes = snprintf(text, sizeof text,
                             "{\n  \"steps\": %" PRIu64 ",\n  \"state_hash\": \"%016" PRIx64 "\"\n}\n",
                             qd_world_steps(job->world), state_hash(job));
        if (job->writer) expect(qd_frame_writer_finish(job->writer, NULL, &error), &error, "frames");
        expect(qd_rundir_write(job->rundir, "result.json", text, (size_t)bytes, &error), &error, "result");
    }
    qd_frame_writer_destroy(job->writer);
    qd_rundir_close(job->rundir);
    qd_world_destroy(job->world);
    qd_scene_destroy(job->scene);
}

void qd_recording_make(const qd_recording *how, const char *path) {
    recorder job = {.how = how};
    read_scene(&job);
    make_world(&job);
    make_directory(&job, path);
    record(&job, 0);
    uint64_t steps = how->stop_at > 0 ? how->stop_at : job.plan.steps;
    for (uint64_t step = 1; step <= steps; ++step) {
        expect(qd_world_step(job.world, job.plan.dt, NULL), NULL, "step");
        if (how->plant.there && how->plant.step == step) turn_bit(job.world, &how->plant);
        record(&job, step);
    }
    finish(&job);
    if (how->earlier) qd_recording_sql(path, "DROP TABLE forms; PRAGMA user_version=3");
}

// ---- faults ----

static sqlite3 *open_database(const char *path) {
    char name[PATH_SIZE];
    snprintf(name, sizeof name, "%s/run.db", path);
    sqlite3 *db = NULL;
    ck_assert_int_eq(sqlite3_open_v2(name, &db, SQLITE_OPEN_READWRITE, NULL), SQLITE_OK);
    return db;
}

void qd_recording_sql(const char *path, const char *sql) {
    sqlite3 *db = open_database(path);
    char *reason = NULL;
    int code = sqlite3_exec(db, sql, NULL, NULL, &reason);
    ck_assert_msg(code == SQLITE_OK, "%s: %s", sql, reason ? reason : "");
    ck_assert_msg(strncmp(sql, "UPDATE", 6) != 0 || sqlite3_changes(db) > 0, "%s: nothing changed", sql);
    sqlite3_close(db);
}

/// The row that has the first part of a stored world.
static sqlite3_int64 part_of(sqlite3 *db, const char *table, uint64_t step) {
    char sql[160];
    snprintf(sql, sizeof sql,
             "SELECT rowid FROM parts WHERE owner || 's' = '%s' AND step = %" PRIu64 " AND part = "
             "(SELECT min(part) FROM parts WHERE step = %" PRIu64 ")",
             table, step, step);
    sqlite3_stmt *statement = NULL;
    ck_assert_int_eq(sqlite3_prepare_v2(db, sql, -1, &statement, NULL), SQLITE_OK);
    ck_assert_int_eq(sqlite3_step(statement), SQLITE_ROW);
    sqlite3_int64 row = sqlite3_column_int64(statement, 0);
    sqlite3_finalize(statement);
    return row;
}

void qd_recording_turn(const char *path, const char *table, const char *column, uint64_t step, long at,
                       int bit) {
    sqlite3 *db = open_database(path);
    sqlite3_blob *blob = NULL;
    bool world = strcmp(column, "world") == 0;
    sqlite3_int64 row = world ? part_of(db, table, step) : (sqlite3_int64)step;
    int code = sqlite3_blob_open(db, "main", world ? "parts" : table, world ? "data" : column, row, 1, &blob);
    ck_assert_msg(code == SQLITE_OK, "%s.%s of %" PRIu64 ": %s", table, column, step, sqlite3_errmsg(db));
    int bytes = sqlite3_blob_bytes(blob);
    if (at < 0) at += bytes;
    ck_assert(at >= 0 && at < bytes);
    unsigned char byte;
    ck_assert_int_eq(sqlite3_blob_read(blob, &byte, 1, (int)at), SQLITE_OK);
    byte = (unsigned char)(byte ^ (1 << bit));
    ck_assert_int_eq(sqlite3_blob_write(blob, &byte, 1, (int)at), SQLITE_OK);
    ck_assert_int_eq(sqlite3_blob_close(blob), SQLITE_OK);
    sqlite3_close(db);
}
