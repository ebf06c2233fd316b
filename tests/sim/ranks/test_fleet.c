#include "core/parallel/ranks_impl.h"
#include "sim/ranks/fleet_impl.h"
#include "sim/world/world_impl.h"
#include "tests/support/fleets.h"
#include "tests/support/harness.h"
#include "tests/support/worlds.h"

#include <inttypes.h>
#include <math.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

// A world stepped by ranks beside one that is not: after every step, state, contacts, events and all that is
// measured but of the tree are the same, bit for bit.

/// A world to be stepped twice.
typedef struct plant {
    qd_world *plain, *whole;
    qdi_fleet *fleet;
    uint64_t seed;
    int ranks;
} plant;

static plant plant_of(qd_world *world, uint64_t seed, int ranks, qdi_realm_rule rule) {
    plant made = {.plain = world, .seed = seed, .ranks = ranks};
    qd_error error = {""};
    ck_assert_int_eq(qd_world_detect(world), QD_OK);
    made.whole = qd_test_copy(world, 1);
    ck_assert_int_eq(qdi_fleet_check(made.whole, &error), QD_OK);
    ck_assert_int_eq(qdi_fleet_make(made.whole, ranks, rule, &made.fleet), QD_OK);
    return made;
}

static void uproot(plant *all) {
    qdi_fleet_destroy(all->fleet);
    qd_world_destroy(all->whole);
    qd_world_destroy(all->plain);
}

/// `stepped`: the last step was made, and not refused: only then are there its events.
static void expect_same(const plant *all, uint64_t step, bool stepped) {
    const qd_metrics plain = qd_test_measure(all->plain), whole = qd_test_measure(all->whole);
    QD_TEST_CHECK(qd_world_hash(all->plain) == qd_world_hash(all->whole), all->seed, "ranks", all->ranks,
                  "step %" PRIu64 ": another state", step);
    QD_TEST_CHECK(!stepped || qd_test_events_hash(all->plain) == qd_test_events_hash(all->whole), all->seed,
                  "ranks", all->ranks, "step %" PRIu64 ": other contacts or events", step);
    qd_fleet_same_metrics(all->seed, all->ranks, step, plain, whole);
}

/// Steps both; ends the test unless both say the same and are the same. False where the step was refused.
static bool step_both(plant *all, double dt, bool compared) {
    const qd_status plain = qd_world_step(all->plain, dt, NULL);
    const qd_status fleet = qdi_fleet_step(all->fleet, dt, NULL);
    const uint64_t step = qd_world_steps(all->plain);
    QD_TEST_CHECK(plain == fleet, all->seed, "ranks", all->ranks, "step %" PRIu64 ": %s and %s", step,
                  qd_status_text(plain), qd_status_text(fleet));
    if (!compared && plain == QD_OK) return true;
    qd_fleet_same_sums(all->seed, all->ranks, all->plain, all->fleet);
    ck_assert_int_eq(qdi_fleet_gather(all->fleet), QD_OK);
    expect_same(all, step, plain == QD_OK);
    if (plain == QD_OK) return true;
    const qd_limit_report p = qd_world_limit_report(all->plain), q = qd_world_limit_report(all->whole);
    QD_TEST_CHECK(strcmp(p.reason, q.reason) == 0 && p.step == q.step && p.has_body == q.has_body &&
                      (!p.has_body || (p.label == q.label && p.body.id.index == q.body.id.index)),
                  all->seed, "ranks", all->ranks, "\"%s\" of body %u and \"%s\" of body %u", p.reason,
                  p.body.id.index, q.reason, q.body.id.index);
    return false;
}

// ---- ten thousand disks ----

/// Counts of all ranks, added up; but for renewals, which are the same on all.
static qdi_fleet_counts counted(const plant *all) {
    qdi_fleet_counts counts[QDI_RANKS_MAX], sum;
    ck_assert_int_eq(qdi_fleet_count(all->fleet, counts), QD_OK);
    sum = counts[0];
    for (int q = 1; q < all->ranks; ++q) {
        ck_assert_uint_eq(counts[q].renewals, sum.renewals);
        sum.migrations += counts[q].migrations;
        sum.bodies += counts[q].bodies;
        sum.ghosts += counts[q].ghosts;
        sum.messages += counts[q].messages;
        sum.bytes += counts[q].bytes;
    }
    return sum;
}

/// 200 steps of a gas of disks on springs, or through each other.
static void run_gas(int ranks, qdi_realm_rule rule, qd_contact_model model, size_t side) {
    qd_world_def def = qd_world_def_default();
    qd_test_gas_def(&def, side, side);
    def.contact = model;
    def.spring.contact_time = 0.2;
    def.restitution = 0.8;
    def.friction = 0.4;
    def.gravity = (qd_vec2){0, -0.5};
    def.boundary_x = QD_BOUNDARY_PERIODIC;
    qd_world *world = qd_test_world(&def);
    qd_test_gas_fill(world, side, side, 5);
    plant all = plant_of(world, 5, ranks, rule);
    for (size_t k = 0; k < 200; ++k) ck_assert(step_both(&all, 0.02, true));
    const qdi_fleet_counts counts = counted(&all);
    ck_assert_uint_eq(counts.bodies, qd_world_count(all.whole));
    if (ranks > 1) ck_assert_uint_gt(counts.messages, 200);
    if (ranks > 1) ck_assert_uint_ge(counts.renewals, 3);
    if (ranks > 1) ck_assert_uint_ge(counts.migrations, 100);
    if (ranks > 1) ck_assert_uint_gt(counts.ghosts, 0);
    uproot(&all);
}

/// Bodies along a side: ten thousand in all; under sanitizers a thousand.
static size_t gas_side(void) {
    return qd_test_effort(100) < 100 ? 32 : 100;
}

static const int rank_counts[] = {1, 2, 3, 4, 8};

QD_TEST_LOOP(springs_are_the_same_for_any_ranks, 0, 5) {
    run_gas(rank_counts[_i], QDI_REALM_CUT, QD_CONTACT_SPRING, gas_side());
}

QD_TEST_LOOP(no_contact_is_the_same_for_any_ranks, 0, 5) {
    run_gas(rank_counts[_i], QDI_REALM_CUT, QD_CONTACT_NONE, gas_side());
}

QD_TEST_LOOP(scattered_places_are_the_same, 0, 2) {
    run_gas(8, QDI_REALM_SCATTER, _i ? QD_CONTACT_SPRING : QD_CONTACT_NONE, gas_side());
}

// ---- a planted fault ----

/// A rank that gets other messages than were sent, the next time when it is `armed`: the last bit of
/// the velocity of a ghost is another, each time of the next one.
typedef struct liar {
    const qdi_ranks_backend *honest;
    qdi_ranks_backend backend;
    atomic_bool armed;
    size_t lies;
} liar;

/// What the ranks of such a fleet share.
static liar the_liar;

// In a step that new ghosts are chosen in, the first messages are of giants, and there are none.
static qd_status lie(qdi_ranks *ranks, const qdi_message *to, qdi_message *from) {
    enum { BODY = 4 * sizeof(double), SPEED = 2 * sizeof(double) };
    const qd_status status = the_liar.honest->exchange(ranks, to, from);
    if (!atomic_exchange(&the_liar.armed, false) || status != QD_OK) return status;
    size_t number = the_liar.lies++;
    int q = 0;
    for (; q < ranks->count; ++q) {
        const size_t bodies = q == ranks->me ? 0 : from[q].bytes / BODY;
        if (number < bodies) break;
        number -= bodies;
    }
    if (q == ranks->count) return status;
    uint64_t bits;
    unsigned char *received;
    memcpy(&received, &from[q].data, sizeof received); // it is this rank's own memory
    received += number * BODY + SPEED;
    memcpy(&bits, received, sizeof bits);
    bits ^= 1;
    memcpy(received, &bits, sizeof bits);
    return status;
}

static void serve_and_lie(qdi_ranks *ranks, void *context) {
    (void)context;
    if (qdi_ranks_me(ranks) == 3) {
        the_liar.honest = ranks->backend;
        the_liar.backend = *ranks->backend;
        the_liar.backend.exchange = lie;
        ranks->backend = &the_liar.backend;
    }
    qdi_fleet_serve(ranks, NULL);
}

// Boxes at one side that drift to the other, or disks there that do not move, or are sensors: ranks that have
// none step as those do that have some, and as the plain world does, which knows of all.
QD_TEST_LOOP(bodies_of_other_parts_matter, 0, 6) {
    enum { SIDE = 32, KINDS = 3 };
    qd_world_def def = qd_world_def_default();
    qd_test_gas_def(&def, SIDE, SIDE);
    def.contact = QD_CONTACT_SPRING;
    def.spring.contact_time = 0.2;
    def.spring.adhesion = _i < KINDS ? 0 : 0.01; // then contacts are not thin
    def.restitution = 0.8;
    def.friction = 0.4;
    def.gravity = (qd_vec2){0, -0.5};
    qd_world *world = qd_test_world(&def);
    qd_test_gas_fill(world, SIDE, SIDE, 9);
    for (size_t row = 0; row < SIDE; ++row) {
        qd_body_def one = qd_body_def_default();
        one.shape = _i % KINDS == 0 ? qd_shape_rect(0.3, 0.2) : qd_shape_disk(0.15);
        one.kind = _i % KINDS == 1 ? QD_BODY_STATIC : QD_BODY_DYNAMIC;
        one.sensor = _i % KINDS == 2;
        one.position = (qd_vec2){1, ((double)row + 1) * def.size.y / (SIDE + 1)};
        one.velocity = (qd_vec2){_i % KINDS == 1 ? 0 : 4, 0};
        (void)qd_test_add(world, &one);
    }
    plant all = plant_of(world, 9, 4, QDI_REALM_CUT);
    for (size_t k = 0; k < 240; ++k) ck_assert(step_both(&all, 0.02, k % 5 == 0 || k > 200));
    const qdi_fleet_counts counts = counted(&all);
    ck_assert_uint_ge(counts.renewals, 3);
    ck_assert_uint_ge(counts.migrations, 50);
    uproot(&all);
}

// A ghost of which one bit is another: the state is another soon. And ranks that were there before the fleet
// serve two of them, one after the other.
QD_TEST(a_changed_ghost_is_noticed) {
    qd_world_def def = qd_world_def_default();
    qd_test_gas_def(&def, 20, 20);
    def.contact = QD_CONTACT_SPRING;
    def.spring.contact_time = 0.2;
    def.restitution = 0.5; // of forces that velocities have a say in
    qdi_ranks *ranks = NULL;
    ck_assert_int_eq(qdi_ranks_start(qd_allocator_default(), 4, serve_and_lie, NULL, &ranks), QD_OK);
    for (int lies = 0; lies <= 1; ++lies) {
        qd_own(qd_world) plain = qd_test_world(&def);
        qd_test_gas_fill(plain, 20, 20, 5);
        ck_assert_int_eq(qd_world_detect(plain), QD_OK);
        qd_own(qd_world) whole = qd_test_copy(plain, 1);
        qdi_fleet *fleet = NULL;
        ck_assert_int_eq(qdi_fleet_make_of(whole, ranks, QDI_REALM_SCATTER, &fleet), QD_OK);
        bool noticed = false;
        for (size_t k = 0; k < 100 && !noticed; ++k) {
            ck_assert_int_eq(qd_world_step(plain, 0.02, NULL), QD_OK);
            atomic_store(&the_liar.armed, lies && k >= 50);
            ck_assert_int_eq(qdi_fleet_step(fleet, 0.02, NULL), QD_OK);
            atomic_store(&the_liar.armed, false);
            ck_assert_int_eq(qdi_fleet_gather(fleet), QD_OK);
            noticed = qd_world_hash(plain) != qd_world_hash(whole);
            ck_assert(!noticed || k >= 50);
        }
        ck_assert_int_eq(noticed, lies);
        qdi_fleet_destroy(fleet);
    }
    qdi_fleet_dismiss(ranks);
    qdi_ranks_end(ranks);
}

// ---- fat boxes ----

static void serve(qdi_ranks *ranks, void *context) {
    (void)context;
    qdi_fleet_serve(ranks, NULL);
}

// A renewal soon after fat boxes were made says nothing about how long they last: a part goes on with them.
QD_TEST_LOOP(renewals_do_not_end_fat_boxes, 0, 2) {
    enum { STEPS = 400 };
    qd_world_def def = qd_world_def_default();
    qd_test_gas_def(&def, 40, 40);
    def.contact = _i ? QD_CONTACT_SPRING : QD_CONTACT_NONE;
    def.spring.contact_time = 0.2;
    qd_own(qd_world) plain = qd_test_world(&def);
    qd_test_gas_fill(plain, 40, 40, 5);
    ck_assert_int_eq(qd_world_detect(plain), QD_OK);
    qd_own(qd_world) whole = qd_test_copy(plain, 1);
    qdi_fleet_rank rank = {.allocator = qd_allocator_default(), .whole = whole, .bodies = whole->count};
    ck_assert_int_eq(qdi_ranks_start(rank.allocator, 3, serve, NULL, &rank.ranks), QD_OK);
    ck_assert_int_eq(qdi_fleet_find_small(NULL, whole, &rank.small), QD_OK);
    ck_assert_int_eq(qdi_fleet_tell(&rank, QDI_FLEET_BEGIN, QDI_REALM_CUT, 0), QD_OK);
    for (size_t k = 0; k < STEPS; ++k) {
        ck_assert_int_eq(qd_world_step(plain, 0.004, NULL), QD_OK);
        ck_assert_int_eq(qdi_fleet_tell(&rank, QDI_FLEET_STEP, QDI_REALM_CUT, 0.004), QD_OK);
    }
    const uint64_t undisturbed = qd_world_total(plain).rebuilds,
                   rebuilds = qd_world_total(rank.world).rebuilds;
    ck_assert_uint_ge(rank.renewals, 8);
    ck_assert_msg(rebuilds <= 2 * undisturbed + 2 * rank.renewals, "%d rebuilds", (int)rebuilds);
    ck_assert_int_eq(qdi_fleet_tell(&rank, QDI_FLEET_END, QDI_REALM_CUT, 0), QD_OK);
    qdi_fleet_dismiss(rank.ranks);
    qdi_ranks_end(rank.ranks);
}

// ---- random worlds ----

static void run_random(uint64_t seed) {
    plant all = plant_of(qd_fleet_world(seed), seed, 1 + (int)(seed % 8),
                         seed % 3 == 1 ? QDI_REALM_CUT : QDI_REALM_SCATTER);
    for (size_t k = 0; k < 60; ++k)
        if (!step_both(&all, 0.01, k % 7 == 0 || k > 50)) break;
    uproot(&all);
}

QD_TEST(random_worlds_are_the_same) {
    qd_test_seeds(40, 0, run_random);
}

// ---- fleets that are apart ----

/// The world that is saved in pieces is that of the plain one, and its bytes are those that a world by itself
/// saves in this state.
static void expect_same_pieces(const plant *all, uint64_t step) {
    qd_pieces got;
    const qdi_saved_sink sink = {&got, qd_pieces_begin, qd_pieces_take};
    ck_assert_int_eq(qdi_fleet_save(all->fleet, &sink), QD_OK);
    ck_assert_uint_eq(got.used, got.all);
    qd_world *loaded = NULL;
    qd_error error = {""};
    ck_assert_msg(qd_world_load(got.data, got.used, 1, NULL, &loaded, &error) == QD_OK, "%s", error.text);
    QD_TEST_CHECK(qd_world_hash(loaded) == qd_world_hash(all->plain), all->seed, "ranks", all->ranks,
                  "step %" PRIu64 ": another world was saved", step);
    unsigned char *data = NULL;
    size_t bytes = 0;
    ck_assert_int_eq(qd_world_save(loaded, &data, &bytes), QD_OK);
    QD_TEST_CHECK(bytes == got.used && memcmp(data, got.data, bytes) == 0, all->seed, "ranks", all->ranks,
                  "step %" PRIu64 ": saved in pieces it is other bytes", step);
    qd_world_save_free(loaded, data, bytes);
    qd_world_destroy(loaded);
    free(got.data);
}

static void run_apart(uint64_t seed) {
    plant all = {.plain = qd_fleet_world(seed), .seed = seed, .ranks = 1 + (int)(seed % 8)};
    const qd_world_def def = qd_world_definition(all.plain);
    const void *plain = all.plain;
    const qdi_fleet_seed how = {qd_fleet_copy, &plain, sizeof plain, 0};
    all.whole = qd_test_world(&def);
    ck_assert_int_eq(qd_world_detect(all.plain), QD_OK);
    ck_assert_int_eq(qdi_fleet_make_apart(all.whole, NULL, all.ranks,
                                          seed % 3 == 1 ? QDI_REALM_CUT : QDI_REALM_SCATTER, &how,
                                          &all.fleet),
                     QD_OK);
    ck_assert(qdi_fleet_is_apart(all.fleet));
    ck_assert_uint_eq(qdi_fleet_bodies(all.fleet), qd_world_count(all.plain));
    for (uint64_t k = 0; k < 50; ++k) {
        qd_fleet_same_sums(all.seed, all.ranks, all.plain, all.fleet);
        if (k % 12 == 0) expect_same_pieces(&all, k);
        const qd_status status = qd_world_step(all.plain, 0.01, NULL);
        ck_assert_int_eq(qdi_fleet_step(all.fleet, 0.01, NULL), status);
        if (status != QD_OK) break;
    }
    expect_same_pieces(&all, 50);
    ck_assert_int_eq(qdi_fleet_gather(all.fleet), QD_ERR_STATE);
    uproot(&all);
}

QD_TEST(worlds_that_nobody_has_are_the_same) {
    qd_test_seeds(40, 0, run_apart);
}

// ---- limits ----

// Two bodies on different ranks break a limit in one step: the one of the lower index is reported.
QD_TEST_LOOP(limits_name_the_same_body, 0, 2) {
    qd_world_def def = qd_world_def_default();
    qd_test_gas_def(&def, 20, 20);
    def.contact = QD_CONTACT_SPRING;
    def.spring.contact_time = 0.2;
    def.limits.speed = 12;
    def.gravity = (qd_vec2){0, _i ? -10 : 10};
    qd_world *world = qd_test_world(&def);
    qd_test_gas_fill(world, 20, 20, 9);
    plant all = plant_of(world, 9, 5, QDI_REALM_SCATTER);
    bool fine = true;
    for (size_t k = 0; k < 200 && fine; ++k) fine = step_both(&all, 0.02, false);
    ck_assert(!fine);
    ck_assert(qd_world_limit_report(all.whole).has_body);
    uproot(&all);
}

static bool always(void *context) {
    (void)context;
    return true;
}

static bool never(void *context) {
    (void)context;
    return false;
}

// A step that is stopped is not made, and can be made later.
QD_TEST(stopped_steps_can_be_made_later) {
    qd_world_def def = qd_world_def_default();
    qd_test_gas_def(&def, 20, 20);
    def.contact = QD_CONTACT_SPRING;
    def.spring.contact_time = 0.2;
    qd_world *world = qd_test_world(&def);
    qd_test_gas_fill(world, 20, 20, 3);
    plant all = plant_of(world, 3, 3, QDI_REALM_CUT);
    for (size_t k = 0; k < 40; ++k) {
        ck_assert_int_eq(qd_world_set_stop(all.whole, k % 4 ? never : always, NULL), QD_OK);
        if (k % 4 == 0)
            ck_assert_int_eq(qdi_fleet_step(all.fleet, 0.02, NULL), QD_ERR_STOPPED);
        else
            ck_assert(step_both(&all, 0.02, true));
    }
    uproot(&all);
}

// ---- what is refused ----

static void expect_refused(const qd_world_def *def, const char *words) {
    qd_error error = {""};
    qd_own(qd_world) world = qd_test_world(def);
    ck_assert_int_eq(qdi_fleet_check(world, &error), QD_ERR_VALUE);
    ck_assert_msg(strstr(error.text, words) != NULL, "%s", error.text);
}

QD_TEST(what_ranks_do_not_know_is_named) {
    qd_world_def def = qd_world_def_default();
    expect_refused(&def, "contact.model impulse");
    def.contact = QD_CONTACT_NONE;
    def.boundary_x = QD_BOUNDARY_OPEN;
    def.removal = 3;
    expect_refused(&def, "world.removal");
    def.removal = HUGE_VAL;
    def.boundary_x = QD_BOUNDARY_REFLECT;
    def.contact = QD_CONTACT_SPRING;
    def.spring.contact_time = 0.1;
    def.compression.rate = (qd_vec2){0.1, 0};
    expect_refused(&def, "world.compress");
}

// ---- memory ----

/// A fleet of which allocations fail one after the other: each such step is not made on any rank.
QD_TEST(steps_without_memory_can_be_made_later) {
    qd_test_allocator failing = qd_test_allocator_of(&failing, 0);
    qd_world_def def = qd_world_def_default();
    qd_test_gas_def(&def, 8, 8);
    def.contact = QD_CONTACT_SPRING;
    def.spring.contact_time = 0.2;
    def.allocator = &failing.allocator;
    qd_world *whole = qd_test_world(&def);
    qd_test_gas_fill(whole, 8, 8, 3);
    ck_assert_int_eq(qd_world_detect(whole), QD_OK);
    qd_world *plain = qd_test_copy(whole, 1);
    qdi_fleet *fleet = NULL;
    size_t failures = 0;
    for (size_t fail = 1;; ++fail) {
        failing.fail_at = failing.calls + fail;
        const qd_status status = qdi_fleet_make(whole, 3, QDI_REALM_SCATTER, &fleet);
        failing.fail_at = 0;
        if (status == QD_OK) break;
        ck_assert_int_eq(status, QD_ERR_MEMORY);
        ck_assert_ptr_null(fleet);
        failures += 1;
    }
    ck_assert_uint_gt(failures, 20);
    failures = 0;
    for (size_t k = 0; k < 25; ++k) {
        ck_assert_int_eq(qd_world_step(plain, 0.05, NULL), QD_OK);
        for (size_t fail = 1;; fail += 1 + fail / 8) {
            failing.fail_at = failing.calls + fail;
            const qd_status status = qdi_fleet_step(fleet, 0.05, NULL);
            failing.fail_at = 0;
            if (status == QD_OK) break;
            ck_assert_int_eq(status, QD_ERR_MEMORY);
            failures += 1;
        }
    }
    ck_assert_uint_gt(failures, 40);
    ck_assert_int_eq(qdi_fleet_gather(fleet), QD_OK);
    ck_assert_uint_eq(qd_world_hash(plain), qd_world_hash(whole));
    qdi_fleet_destroy(fleet);
    qd_world_destroy(whole);
    qd_world_destroy(plain);
    ck_assert_uint_eq(failing.live, 0);
}

/// The same of making a fleet that is apart, and of what it saves.
QD_TEST(nothing_is_left_without_memory) {
    qd_test_allocator failing = qd_test_allocator_of(&failing, 0);
    qd_own(qd_world) plain = qd_fleet_world(2);
    qd_world_def def = qd_world_definition(plain);
    def.allocator = &failing.allocator;
    const void *from = plain;
    const qdi_fleet_seed how = {qd_fleet_copy, &from, sizeof from, 0};
    size_t failures = 0;
    bool made = false;
    for (size_t fail = 1; !made; fail += 1 + fail / 16, failures += !made) {
        qd_own(qd_world) hollow = qd_test_world(&def);
        qdi_fleet *fleet = NULL;
        qd_pieces got = {NULL, 0, 0};
        const qdi_saved_sink sink = {&got, qd_pieces_begin, qd_pieces_take};
        failing.fail_at = failing.calls + fail;
        qd_status status = qdi_fleet_make_apart(hollow, NULL, 3, QDI_REALM_CUT, &how, &fleet);
        if (status == QD_OK) status = qdi_fleet_save(fleet, &sink);
        failing.fail_at = 0;
        made = status == QD_OK;
        ck_assert(made || status == QD_ERR_MEMORY);
        free(got.data);
        qdi_fleet_destroy(fleet);
    }
    ck_assert_uint_gt(failures, 20);
    ck_assert_uint_eq(failing.live, 0);
}

QD_TEST_MAIN("fleet", 300, NULL, NULL)
