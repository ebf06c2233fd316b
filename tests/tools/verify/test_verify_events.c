#include "tests/support/harness.h"
#include "tests/support/recorded.h"
#include "tests/support/runs.h"

#include <stdio.h>
#include <string.h>

// What `verify` says of rows of events and failures.

static const char scene[] = "name: small\n"
                            "world: {size: [20, 12], gravity: [0, -40]}\n"
                            "run: {steps: 40, dt: 0.02, seed: 3}\n"
                            "contact: {restitution: 0.9}\n"
                            "bodies:\n"
                            "- disks: {count: 80, radius: {uniform: [0.3, 0.6]}, velocity: {normal: 3}}\n"
                            "frames: {every: 0}\n"
                            "record: {hashes: 5, snapshots: 10, metrics: 10, events: persist}\n"
                            "checkpoint: {every: 20, keep: 4, seconds: 0}\n";

static void make(const char *name, const qd_recording *how) {
    make_run(name, scene, how);
}

/// A run with all of its events; `step` gets one that has at least three rows.
static void make_eventful(uint64_t *step) {
    make("out", &(qd_recording){.scene = NULL});
    *step = (uint64_t)qd_runs_number(at("out").text, "SELECT step FROM events WHERE step BETWEEN 11 AND 14"
                                                     " GROUP BY step HAVING count(*) >= 3 LIMIT 1");
    ck_assert_uint_le(*step, 14);
}

/// Changes the store, expects that it is found as a damaged row of events, and changes it back.
static void expect_event(uint64_t step, const char *damage, const char *repair, const char *named) {
    char sql[400], line[128];
    snprintf(sql, sizeof sql, damage, (unsigned long long)step);
    qd_recording_sql(at("out").text, sql);
    snprintf(line, sizeof line, "events: step %llu: event ", (unsigned long long)step);
    qd_program_outcome result = RUN("verify", "out", "--threads", "1");
    ck_assert_msg(!strstr(result.out, "state: "), "%s", result.out);
    EXPECT_FOUND(result, line, named, "step 15 agrees again, so the row is damaged");
    snprintf(sql, sizeof sql, repair, (unsigned long long)step);
    qd_recording_sql(at("out").text, sql);
}

QD_TEST(any_column_of_an_event) {
    static const char *const columns[] = {"x",       "y",        "normal_x", "normal_y",
                                          "impulse", "friction", "approach", "depth"};
    uint64_t step;
    make_eventful(&step);
    for (size_t i = 0; i < sizeof columns / sizeof columns[0]; ++i) {
        char damage[200], repair[200], named[64];
        snprintf(damage, sizeof damage,
                 "UPDATE events SET within = %s, %s = 1e9 WHERE step = %%llu AND number = 1", columns[i],
                 columns[i]);
        snprintf(repair, sizeof repair,
                 "UPDATE events SET %s = within, within = NULL WHERE step = %%llu AND number = 1",
                 columns[i]);
        snprintf(named, sizeof named, "event 1: %s is 1000000000, ", columns[i]);
        expect_event(step, damage, repair, named);
    }
    expect_event(step, "UPDATE events SET a = a + 1000 WHERE step = %llu AND number = 2",
                 "UPDATE events SET a = a - 1000 WHERE step = %llu AND number = 2", "event 2: it is the ");
    expect_event(step, "UPDATE events SET number = 1000 WHERE step = %llu AND number = 0",
                 "UPDATE events SET number = 0 WHERE step = %llu AND number = 1000",
                 "event 1: it is number 1, 0 in the replay");
    expect_event(step, "INSERT INTO events (step, number, kind, a, b) VALUES (%llu, 100000, 'begin', 1, 2)",
                 "DELETE FROM events WHERE step = %llu AND number = 100000",
                 "event 100000: the replay has no such begin of bodies 1 and 2");
    qd_program_outcome result = SUCCEED("verify", "out", "--threads", "1,2");
    char rows[64];
    snprintf(rows, sizeof rows, ", %lld events, 0 failures\n",
             (long long)qd_runs_number(at("out").text, "SELECT count(*) FROM events"));
    ck_assert_msg(strstr(result.out, rows) != NULL, "%s: %s", rows, result.out);
}

QD_TEST(events_that_are_not_there) {
    uint64_t step;
    make_eventful(&step);
    char sql[200];
    qd_recording_sql(at("out").text,
                     "INSERT INTO events (step, number, kind, a, b) VALUES (41, 0, 'end', 1, 2)");
    EXPECT_FOUND(RUN("verify", "out", "--threads", "1"), "events: step 41: the run has only 40 steps");
    qd_recording_sql(at("out").text, "DELETE FROM events WHERE step = 41");
    snprintf(sql, sizeof sql,
             "DELETE FROM events WHERE step = %llu AND number = (SELECT max(number) FROM events WHERE step = "
             "%llu)",
             (unsigned long long)step, (unsigned long long)step);
    qd_recording_sql(at("out").text, sql);
    EXPECT_FOUND(RUN("verify", "out", "--threads", "1"), "events: step ", " is not stored, the ");
    qd_recording_sql(at("out").text, "UPDATE events SET kind = 'bang' WHERE step = 30 AND number = 0");
    EXPECT_FOUND(RUN("verify", "out", "--threads", "1"), "events: step ",
                 "number 0 of step 30 has a kind or side that there is not");
}

// What a batch had of the last step when the run was killed is all that there can be.
QD_TEST(events_of_a_killed_run) {
    make("out", &(qd_recording){.stop_at = 31});
    ck_assert_int_ge(qd_runs_number(at("out").text, "SELECT count(*) FROM events WHERE step = 31"), 2);
    qd_recording_sql(at("out").text, "DELETE FROM events WHERE step = 31 AND number > 0");
    SUCCEED("verify", "out", "--threads", "1");
    // Nothing behind it says whether it is the row or the state.
    qd_recording_sql(at("out").text, "UPDATE events SET impulse = 1e9 WHERE step = 31");
    qd_program_outcome result = RUN("verify", "out", "--threads", "1");
    ck_assert_msg(!strstr(result.out, "state: "), "%s", result.out);
    EXPECT_FOUND(result, "events: step 31: event 0: impulse is 1000000000, ");
    qd_recording_sql(at("out").text, "DELETE FROM events WHERE step = 30");
    EXPECT_FOUND(RUN("verify", "out", "--threads", "1"), "events: step 30: event 0 is not stored, the ");
}

// Where the state differs its events do, too: it is told once, of the step where it shows first.
QD_TEST(events_tell_of_the_state) {
    make("out", &(qd_recording){.sets = {"record.snapshots=0", "checkpoint.every=0"},
                                .plant = {.there = true, .step = 21, .label = 5, .bit = 51}});
    qd_program_outcome result = RUN("verify", "out", "--threads", "1");
    ck_assert_msg(!strstr(result.out, "events: "), "%s", result.out);
    EXPECT_FOUND(result, "state: step 2", "differs from here on, equal at step 20 (1 thread): ");
}

QD_TEST(failures_are_compared) {
    static const char *const damages[] = {"x = x + 1", "y = -y", "vx = 1", "vy = vy * 2", "label = 7"};
    static const char *const named[] = {"x is ", "y is ", "vx is ", "vy is ", "label is 7, 1 in the replay"};
    qd_scratch_write(at("fall.yaml").text,
                     "name: fall\nworld: {size: [10, 100], gravity: [0, -10]}\n"
                     "run: {steps: 100, dt: 0.1}\nlimits: {speed: 5}\nframes: {every: 0}\n"
                     "bodies:\n  - disks: {count: 1, radius: 1, place: grid, region: [4, 89, 2, 2]}\n");
    for (size_t i = 0; i < sizeof damages / sizeof damages[0]; ++i) {
        qd_program_expect(RUN("run", "fall.yaml", "-o", "out", "-q", "--force"), 5, NULL, NULL);
        qd_program_expect(RUN("verify", "out", "--threads", "1"), 0, NULL, ", 1 failure\n");
        char sql[96];
        snprintf(sql, sizeof sql, "UPDATE failures SET %s", damages[i]);
        qd_recording_sql(at("out").text, sql);
        EXPECT_FOUND(RUN("verify", "out", "--threads", "1"), "failures: step ", named[i]);
    }
    qd_recording_sql(at("out").text, "UPDATE failures SET reason = 'why not'");
    EXPECT_FOUND(RUN("verify", "out", "--threads", "1"), "failures: step ",
                 "reason is 'why not', 'faster than ");
    qd_recording_sql(at("out").text, "UPDATE failures SET step = 3");
    EXPECT_FOUND(RUN("verify", "out", "--threads", "1"), "failures: step 3: the run went on past this step");
}

QD_TEST_MAIN("verify_events", 300, setup, teardown)
