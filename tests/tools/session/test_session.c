#include "sim/world/world_impl.h"
#include "tests/support/harness.h"
#include "tests/support/worlds.h"
#include "tools/host/console.h"
#include "tools/host/forecast.h"
#include "tools/host/threads.h"
#include "tools/session/postmortem.h"
#include "tools/session/session.h"
#include "tools/session/session_state.h"

#include <math.h>
#include <quadrille/random.h>
#include <string.h>

// What a session keeps with a checkpoint, what it foretells, and where its post-mortem looks.

/// A state in which every number is another.
static qdi_session_state sample(void) {
    qdi_session_state state = {
        .frames = 3, .view_speed = 12.5, .energy_first = -0.1, .wall_ns = 1234567890123U, .ended = 3};
    for (int rule = 0; rule < QD_UNTIL_MAX; ++rule) {
        state.until[rule] = (qdi_until_memory){rule + 0.5, -1e300 * rule, 7U + (uint64_t)rule, UINT64_MAX};
        state.stage_until[rule] = (qdi_until_memory){rule - 0.5, 1e300 * rule, 70U + (uint64_t)rule, 1};
    }
    state.stage_ended = 2;
    state.profile.steps = 77;
    state.profile.body_steps = UINT64_MAX;
    for (int phase = 0; phase < QD_PHASE_COUNT; ++phase) {
        state.profile.wall_ns[phase] = 1000U + (uint64_t)phase;
        state.recorded_ns[phase] = 2000U + (uint64_t)phase;
        state.profile.loop_ns[phase] = 3000U + (uint64_t)phase;
        state.profile.alone_ns[phase] = 4000U + (uint64_t)phase;
        for (int thread = 0; thread < QDI_SESSION_THREADS; ++thread)
            state.profile.busy_ns[phase][thread] = 10000U + 100U * (uint64_t)phase + (uint64_t)thread;
    }
    return state;
}

QD_TEST(test_state_goes_to_bytes_and_back) {
    const qdi_session_state state = sample();
    unsigned char bytes[QDI_SESSION_STATE_BYTES];
    qdi_session_state_write(&state, bytes);
    qdi_session_state read;
    memset(&read, 0, sizeof read);
    qd_error error = {""};
    ck_assert_int_eq(qdi_session_state_read(bytes, sizeof bytes, &read, &error), QD_OK);
    ck_assert_uint_eq(read.frames, 3);
    ck_assert(read.view_speed == 12.5 && read.energy_first == -0.1);
    ck_assert_uint_eq(read.wall_ns, 1234567890123U);
    ck_assert_uint_eq(read.ended, 3);
    ck_assert_uint_eq(read.stage_ended, 2);
    ck_assert_mem_eq(read.until, state.until, sizeof state.until);
    ck_assert_mem_eq(read.stage_until, state.stage_until, sizeof state.stage_until);
    ck_assert_mem_eq(&read.profile, &state.profile, sizeof state.profile);
    ck_assert_mem_eq(read.recorded_ns, state.recorded_ns, sizeof state.recorded_ns);
    // The same bytes on every machine.
    static const unsigned char start[] = {'Q', 'D', 'S', 'S', 7, 0, 0, 0, 3, 0, 0, 0, 0, 0, 0, 0};
    ck_assert_mem_eq(bytes, start, sizeof start);
}

QD_TEST(test_damaged_state_is_refused) {
    const qdi_session_state state = sample();
    unsigned char bytes[QDI_SESSION_STATE_BYTES + 1] = {0};
    qdi_session_state_write(&state, bytes);
    qdi_session_state read;
    qd_error error = {""};
    ck_assert_int_eq(qdi_session_state_read(NULL, 0, &read, &error), QD_ERR_CORRUPT);
    ck_assert_ptr_nonnull(strstr(error.text, "is truncated"));
    for (size_t size = 0; size <= sizeof bytes; ++size) {
        qd_status status = qdi_session_state_read(bytes, size, &read, &error);
        ck_assert_int_eq(status, size == QDI_SESSION_STATE_BYTES ? QD_OK : QD_ERR_CORRUPT);
    }
    ck_assert_ptr_nonnull(strstr(error.text, "is too long"));
    qdi_session_state more = state;
    more.field_bytes = 1; // of none behind
    qdi_session_state_write(&more, bytes);
    ck_assert_int_eq(qdi_session_state_read(bytes, QDI_SESSION_STATE_BYTES, &read, &error), QD_ERR_CORRUPT);
    ck_assert_ptr_nonnull(strstr(error.text, "is damaged"));
    qdi_session_state_write(&state, bytes);
    for (size_t at = 0; at < QDI_SESSION_STATE_BYTES; ++at) {
        bytes[at] ^= 4;
        ck_assert_int_eq(qdi_session_state_read(bytes, QDI_SESSION_STATE_BYTES, &read, &error),
                         QD_ERR_CORRUPT);
        const char *why = at < 4 ? "is foreign" : at < 8 ? "is of another version" : "is damaged";
        ck_assert_msg(strstr(error.text, why) != NULL, "byte %zu: %s", at, error.text);
        bytes[at] ^= 4;
    }
}

QD_TEST(test_words_of_the_forecast) {
    qdi_forecast forecast = {.frames = 600,
                             .frame_bytes = 20000,
                             .snapshots = 10,
                             .snapshot_bytes = 50000,
                             .checkpoints = 3,
                             .checkpoint_bytes = 100000,
                             .rows = 1000,
                             .free = 12960000};
    ck_assert_uint_eq(qdi_forecast_total(&forecast), 12960000);
    ck_assert(qdi_forecast_fits(&forecast));
    char words[300];
    qdi_forecast_words(&forecast, words, sizeof words);
    ck_assert_str_eq(words,
                     "about 13.0 MB (frames 12.0 MB, snapshots 500 kB, checkpoints 300 kB, rows 160 kB); "
                     "13.0 MB are free");
    forecast.free -= 1;
    ck_assert(!qdi_forecast_fits(&forecast));
    forecast.frames = UINT64_MAX / 2; // more than can be counted
    ck_assert_uint_eq(qdi_forecast_total(&forecast), UINT64_MAX);
    qdi_forecast none = {.checkpoints = 1, .checkpoint_bytes = 999, .events = true, .free = UINT64_MAX};
    qdi_forecast_words(&none, words, sizeof words);
    ck_assert_str_eq(words, "about 999 B (checkpoints 999 B) and the events");
    qdi_forecast_words(&none, words, 12); // cut, not overrun
    ck_assert_str_eq(words, "about 999 B");
}

QD_TEST(test_words_of_bytes) {
    static const struct {
        double bytes;
        const char *words;
    } cases[] = {{0, "0 B"},        {999, "999 B"},       {1000, "1.00 kB"},   {9990, "9.99 kB"},
                 {9996, "10.0 kB"}, {99960, "100 kB"},    {123456, "123 kB"},  {999499, "999 kB"},
                 {1e6, "1.00 MB"},  {4.56e12, "4.56 TB"}, {1.8e19, "18.0 EB"}, {1e24, "1000000 EB"}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i)
        ck_assert_str_eq(qdi_words_bytes(cases[i].bytes).text, cases[i].words);
}

QD_TEST(test_the_crowd_is_found) {
    qd_world_def def = qd_test_def(200, 100);
    def.origin = (qd_vec2){-50, 10};
    qd_own(qd_world) world = qd_test_world(&def);
    qd_random random = qd_random_at(qd_test_seed(5), 0, 0);
    for (int i = 0; i < 3000; ++i) {
        qd_body_def body = qd_body_def_default();
        body.shape.radius = 0.01;
        // Half of them everywhere, half within 2 of (120, 80).
        bool crowd = i % 2 == 0;
        double x = qd_random_uniform(&random), y = qd_random_uniform(&random);
        body.position = crowd ? (qd_vec2){118 + 4 * x, 78 + 4 * y} : (qd_vec2){-49 + 198 * x, 11 + 98 * y};
        ck_assert_int_eq(qd_world_add(world, &body, NULL, NULL), QD_OK);
    }
    qdi_crowd crowd = qdi_crowd_find(world);
    ck_assert_msg(fabs(crowd.centre.x - 120) < 4 && fabs(crowd.centre.y - 80) < 4, "found (%g, %g)",
                  crowd.centre.x, crowd.centre.y);
    ck_assert(crowd.reach > 0.5 && crowd.reach < 8);
}

QD_TEST(test_a_crowd_of_one_place_or_of_nobody) {
    qd_own(qd_world) world = qd_test_world(NULL);
    qdi_crowd crowd = qdi_crowd_find(world); // nobody: all of the world
    ck_assert(crowd.centre.x == 50 && crowd.centre.y == 50 && crowd.reach == 50);
    for (int i = 0; i < 1000; ++i) {
        qd_body_def body = qd_body_def_default();
        body.shape.radius = 1;
        body.position = (qd_vec2){30.3, 70.7};
        ck_assert_int_eq(qd_world_add(world, &body, NULL, NULL), QD_OK);
    }
    crowd = qdi_crowd_find(world);
    ck_assert(crowd.reach > 0 && fabs(crowd.centre.x - 30.3) <= crowd.reach &&
              fabs(crowd.centre.y - 70.7) <= crowd.reach);
}

// What measures how a machine scales makes a session of its own: it has the threads that it names.
QD_TEST(test_only_threads_that_nobody_asked_for_adapt) {
    const qdi_thread_facts facts[] = {{.cores = 2}, {.cores = 2, .asked = 2}, {.cores = 2, .omp = "2"}};
    for (size_t i = 0; i <= sizeof facts / sizeof *facts; ++i) {
        qdi_session session;
        memset(&session, 0, sizeof session);
        session.threads.threads = 2;
        if (i > 0) session.threads = qdi_threads_choose(&facts[i - 1]);
        ck_assert_int_eq(session.threads.threads, 2);
        const qd_world_def def = qd_test_def(10, 10);
        qd_own(qd_world) world = qd_test_world(&def);
        ck_assert_int_eq(qdi_session_adapt_threads(&session, world), QD_OK);
        ck_assert_int_eq(world->trial.most, i == 1 ? qd_team_threads(world->team) : 0);
        session.ranks = 2;
        ck_assert_int_eq(qdi_session_adapt_threads(&session, world), QD_OK);
        ck_assert_int_eq(world->trial.most, 0);
    }
}

QD_TEST_MAIN("session", 120, NULL, NULL)
