// A step that is stopped on its way leaves the world as it was, wherever that happens; made again it is the
// same step.
#include "tests/support/harness.h"
#include "tests/support/worlds.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <string.h>

/// Says stop from question number `at` on; 0: never. Asked by several threads.
typedef struct stopper {
    atomic_size_t asked;
    size_t at;
} stopper;

static bool ask(void *context) {
    stopper *stop = context;
    size_t number = atomic_fetch_add(&stop->asked, 1) + 1;
    return stop->at > 0 && number >= stop->at;
}

/// Bodies of all shapes, some of them so fast that their ways are followed, falling on each other.
static qd_world *make(uint64_t seed, int threads, qd_contact_model contact) {
    qd_random random = qd_random_at(seed, 0, 31);
    qd_world_def def = qd_test_random_def(&random);
    def.size = (qd_vec2){30, 24};
    def.contact = contact;
    if (contact == QD_CONTACT_SPRING) def.spring.contact_time = 0.1;
    def.continuous = QD_CONTINUOUS_ON;
    def.gravity = (qd_vec2){0, -400};
    def.threads = threads;
    qd_world *world = qd_test_world(&def);
    qd_test_scatter_shapes(world, &random, 150);
    return world;
}

/// True where the step was made; else it was stopped.
static bool step(qd_world *world, stopper *stop, size_t at) {
    atomic_store(&stop->asked, 0);
    stop->at = at;
    qd_status status = qd_world_step(world, 0.02, NULL);
    ck_assert_msg(status == QD_OK || status == QD_ERR_STOPPED, "%s", qd_status_text(status));
    return status == QD_OK;
}

static void check_same(const qd_world *a, const qd_world *b, size_t k, size_t at) {
    qd_world_totals p = qd_world_total(a), q = qd_world_total(b);
    bool same = qd_world_hash(a) == qd_world_hash(b) && memcmp(&p, &q, sizeof p) == 0;
    ck_assert_msg(same, "step %zu, stopped at question %zu: another world", k, at);
}

static const struct {
    qd_contact_model contact;
    int threads;
} cases[] = {{QD_CONTACT_IMPULSE, 1}, {QD_CONTACT_IMPULSE, 3}, {QD_CONTACT_SPRING, 2}, {QD_CONTACT_NONE, 1}};

QD_TEST_LOOP(a_stopped_step_leaves_all_as_it_was, 0, (int)(sizeof cases / sizeof cases[0])) {
    size_t stops = 0, questions = 0;
    for (uint64_t seed = 1; seed <= 4; ++seed) {
        stopper stop = {.at = 0};
        qd_own(qd_world) quiet = make(seed, cases[_i].threads, cases[_i].contact);
        qd_own(qd_world) stopped = make(seed, cases[_i].threads, cases[_i].contact);
        ck_assert_int_eq(qd_world_set_stop(stopped, ask, &stop), QD_OK);
        ck_assert_int_eq(qd_world_detect(stopped), QD_OK);
        ck_assert_int_eq(qd_world_detect(quiet), QD_OK);
        for (size_t k = 0; k < 12; ++k) {
            // One after the other at first, then further and further apart.
            for (size_t at = 1; !step(stopped, &stop, at); at += at / 8 + 1) {
                check_same(stopped, quiet, k, at);
                stops += 1;
            }
            size_t asked = atomic_load(&stop.asked);
            if (asked > questions) questions = asked;
            qd_test_step(quiet, 0.02, 1);
            check_same(stopped, quiet, k, 0);
        }
    }
    ck_assert_uint_ge(stops, 4 * 12 * 3); // there are three phases at least
    if (cases[_i].contact == QD_CONTACT_IMPULSE) ck_assert_uint_ge(questions, 8); // and in each sub-step
}

QD_TEST(nobody_asks_any_longer) {
    stopper stop = {.at = 1};
    qd_own(qd_world) world = make(5, 2, QD_CONTACT_IMPULSE);
    ck_assert_int_eq(qd_world_set_stop(NULL, ask, &stop), QD_ERR_ARGUMENT);
    ck_assert_int_eq(qd_world_set_stop(world, ask, &stop), QD_OK);
    ck_assert_int_eq(qd_world_step(world, 0.02, NULL), QD_ERR_STOPPED);
    ck_assert_uint_eq(qd_world_steps(world), 0);
    ck_assert_int_eq(qd_world_set_stop(world, NULL, NULL), QD_OK);
    ck_assert_int_eq(qd_world_step(world, 0.02, NULL), QD_OK);
    ck_assert_uint_eq(qd_world_steps(world), 1);
}

QD_TEST_MAIN("stop", 120, NULL, NULL)
