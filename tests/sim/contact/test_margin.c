#include "core/tree/fat_box.h"
#include "sim/contact/margin.h"
#include "sim/world/part.h"
#include "tests/support/harness.h"
#include "tests/support/worlds.h"

#include <math.h>
#include <quadrille/hash.h>
#include <quadrille/scene.h>
#include <quadrille/world.h>
#include <string.h>

#define COUNT(array) (sizeof(array) / sizeof(array)[0])

static const double automatic = (double)NAN;

// ---- the rule ----

QD_TEST(boxes_are_made_for_as_long_as_pays) {
    ck_assert_double_eq(qdi_margin_horizon(0, 1, 64, 64), QDI_MARGIN_LONGEST); // nothing moves: the longest
    ck_assert_double_eq(qdi_margin_horizon(0, 1, 3, 3), 8);    // at most twice what lasted and two more
    ck_assert_double_eq(qdi_margin_horizon(2, 1, 64, 64), 0);  // too fast: none
    ck_assert_double_eq(qdi_margin_horizon(0.01, 1, 1, 4), 0); // the last ones were made in vain
    ck_assert_double_lt(qdi_margin_horizon(0.05, 1, 2, 4), qdi_margin_horizon(0.05, 1, 4, 4));
    double before = QDI_MARGIN_LONGEST;
    for (double growth = 0.001; growth < 2; growth *= 2) {
        double steps = qdi_margin_horizon(growth, 0.8, 64, 64);
        ck_assert_double_le(steps, before);                                // the faster, the shorter
        ck_assert_double_le(qdi_margin_horizon(growth, 8, 64, 64), steps); // so the more pairs there are
        before = steps;
    }
    ck_assert_double_eq(before, 0);
}

QD_TEST(fat_boxes_fit_their_world) {
    const qd_vec2 none = {0, 0}, period = {10, 0};
    qd_box box = {-1, -1, 1, 1}, fat = qdi_margin_fatten(box, 0.5, none);
    ck_assert(fat.min_x == -1.5F && fat.min_y == -1.5F && fat.max_x == 1.5F && fat.max_y == 1.5F);
    fat = qdi_margin_fatten(box, 5, period);
    ck_assert(qdi_box_acceptable(fat, period));
    ck_assert(fat.max_x - fat.min_x > 4.9F && fat.max_x - fat.min_x <= 5.0F); // half a period
    ck_assert(fat.max_y == 6.0F);                                             // no period
    box = (qd_box){-2.5F, 0, 2.5F, 1};
    fat = qdi_margin_fatten(box, 1, period);
    ck_assert(qdi_box_acceptable(fat, period) && qdi_margin_holds(fat, box) && fat.max_x == 2.5F);
    fat = qdi_margin_fatten(box, 1e39, none); // not finite: none at all
    ck_assert(memcmp(&fat, &box, sizeof box) == 0);
    ck_assert(!qdi_margin_holds((qd_box){4, 0, 6, 1}, (qd_box){-5.5F, 0, -4.5F, 1}));
    ck_assert(qdi_margin_holds_image((qd_box){4, 0, 6, 1}, (qd_box){-5.5F, 0, -4.5F, 1}, period));
    ck_assert(!qdi_margin_holds_image((qd_box){4, 0, 6, 1}, (qd_box){-6.5F, 0, -4.5F, 1}, period));
}

// ---- lives of random worlds ----

// Every body is inside the box that the tree holds for it, or an image of it is.
static void check_boxes(const qd_world *world, uint64_t seed) {
    qd_world_def def = qd_world_definition(world);
    qd_vec2 period = {def.boundary_x == QD_BOUNDARY_PERIODIC ? def.size.x : 0,
                      def.boundary_y == QD_BOUNDARY_PERIODIC ? def.size.y : 0};
    qd_body_view view = qd_world_view(world);
    qd_error error = {""};
    ck_assert_msg(qd_tree_validate(qd_world_tree(world), &error) == QD_OK, "%s", error.text);
    for (size_t r = 0; r < view.count; ++r) {
        float x = (float)(view.x[r] - def.origin.x - 0.5 * def.size.x);
        float y = (float)(view.y[r] - def.origin.y - 0.5 * def.size.y);
        qd_box box, at = {x, y, x, y};
        if (view.shape[r] == 0) {
            float inner = (float)(view.radius[r] * 0.999);
            at = (qd_box){x - inner, y - inner, x + inner, y + inner};
        }
        ck_assert_int_eq(qd_tree_box(qd_world_tree(world), view.index[r], &box), QD_OK);
        ck_assert_msg(qdi_margin_holds_image(box, at, period), "seed %llu: body %u is not in its box",
                      (unsigned long long)seed, view.index[r]);
    }
}

static uint32_t any_row(qd_world *world, qd_random *random) {
    qd_body_view view = qd_world_view(world);
    if (view.count == 0) return QD_NO_BODY;
    for (;;) {
        uint32_t row = view.row_of_index[qd_random_bits(random) % view.index_count];
        if (row != QD_NO_BODY) return row;
    }
}

static qd_id id_of(qd_world *world, uint32_t row) {
    qd_body_view view = qd_world_view(world);
    return (qd_id){view.index[row], view.generation[row]};
}

// Bodies are added, removed and placed, told by index, for rows may be in another order.
static void meddle(qd_world *world, uint64_t seed, bool shapes) {
    qd_random random = qd_random_at(seed, qd_world_steps(world), 5);
    for (int k = 0; k < 3; ++k) {
        uint32_t row = any_row(world, &random);
        if (row != QD_NO_BODY) ck_assert_int_eq(qd_world_remove(world, id_of(world, row)), QD_OK);
    }
    if (shapes)
        qd_test_scatter_shapes(world, &random, 3);
    else
        qd_test_scatter(world, &random, 3);
    uint32_t row = any_row(world, &random);
    qd_body_state state = qd_test_body(world, id_of(world, row));
    qd_vec2 velocity = {qd_test_between(&random, -40, 40), qd_test_between(&random, -40, 40)}; // and fast
    qd_status status = qd_world_place(world, id_of(world, row), state.position, velocity, NULL);
    ck_assert(status == QD_OK || status == QD_ERR_VALUE); // it may lie outside of its walls
}

typedef struct life {
    uint64_t hash;
    qd_world_totals totals;
    qd_metrics last;
} life;

static void check_same_search(const life *a, const life *b, uint64_t seed) {
    ck_assert_msg(a->totals.rebuilds == b->totals.rebuilds && a->totals.amended == b->totals.amended,
                  "seed %llu: other boxes", (unsigned long long)seed);
    ck_assert_msg(a->totals.box_tests == b->totals.box_tests && a->last.tree_tests == b->last.tree_tests,
                  "seed %llu: other tests", (unsigned long long)seed);
    ck_assert_double_eq(a->last.tree_candidates, b->last.tree_candidates);
}

static life live_by(qd_retrieve_mode retrieve, uint64_t seed, double margin, int threads, bool loads,
                    size_t bodies) {
    qd_random random = qd_random_at(seed, 0, 41);
    qd_world_def def = qd_test_random_def(&random);
    def.retrieve = retrieve;
    double side = 1.6 * sqrt((double)bodies) + 10;
    def.size = (qd_vec2){side, 0.8 * side};
    def.threads = threads;
    def.margin = margin;
    qd_world *world = qd_test_world(&def);
    bool shapes = seed % 2 == 1;
    if (shapes)
        qd_test_scatter_shapes(world, &random, bodies);
    else
        qd_test_scatter(world, &random, bodies);
    double dt = seed % 3 == 0 ? 0.002 : 0.02;
    life result = {.hash = seed};
    for (size_t k = 0; k < 40; ++k) {
        if (k == 12 || k == 27) meddle(world, seed, shapes);
        qd_test_step(world, dt, 1);
        uint64_t now[] = {qd_world_hash(world), qd_test_events_hash(world)};
        result.hash = qd_hash_seeded(now, sizeof now, result.hash);
        if (k % 9 == 5) check_boxes(world, seed);
        if (!loads || k % 4 != 3) continue;
        qd_world *copy = qd_test_copy(world, threads);
        qd_world_destroy(world);
        world = copy;
    }
    result.totals = qd_world_total(world);
    result.last = qd_test_measure(world);
    qd_world_destroy(world);
    return result;
}

static life live(uint64_t seed, double margin, int threads, bool loads, size_t bodies) {
    return live_by(seed % 4 < 3 ? QD_RETRIEVE_JOIN : QD_RETRIEVE_EACH, seed, margin, threads, loads, bodies);
}

// Brute force finds what the tree finds, for all bodies and for single ones, over periods that shrink too,
// and after loading.
QD_TEST(brute_force_gives_the_same) {
    uint64_t first = qd_test_seed(700), amended = 0;
    size_t cases = qd_test_replaying() ? 1 : qd_test_effort(20);
    for (uint64_t seed = first; seed < first + cases; ++seed) {
        const double margin = seed % 4 == 0 ? 0.3 : automatic;
        life join = live_by(QD_RETRIEVE_JOIN, seed, margin, 1, false, 200),
             brute = live_by(QD_RETRIEVE_BRUTE, seed, margin, 1 + (int)(seed % 3), seed % 5 == 0, 200);
        ck_assert_msg(join.hash == brute.hash, "seed %llu: another life", (unsigned long long)seed);
        ck_assert_uint_eq(join.totals.rebuilds, brute.totals.rebuilds);
        ck_assert_uint_eq(join.totals.amended, brute.totals.amended);
        ck_assert_uint_eq(join.totals.refresh_refiled, brute.totals.refresh_refiled);
        amended += join.totals.amended;
    }
    ck_assert_uint_gt(amended, cases);
}

// In a crowd with more pairs than allowed it stops as the tree does; where only its fat boxes have too many,
// it goes on without.
QD_TEST_LOOP(brute_force_stops_at_limits, 0, 2) {
    for (int retrieve = QD_RETRIEVE_JOIN; retrieve <= QD_RETRIEVE_BRUTE; ++retrieve) {
        qd_world_def def = qd_world_def_default();
        def.retrieve = (qd_retrieve_mode)retrieve;
        def.contact = QD_CONTACT_NONE;
        def.margin = _i == 0 ? 0 : 40;
        def.limits.pairs = .2;
        qd_own(qd_world) world = qd_test_world(&def);
        for (int i = 0; i < 100; ++i)
            qd_test_disk(world, 1 + (i % 10) * (_i == 0 ? 0.1 : 9.5), 1 + (i / 10) * (_i == 0 ? 0.1 : 9.5), 0,
                         0, 1, 0);
        ck_assert_int_eq(qd_world_detect(world), _i == 0 ? QD_ERR_LIMIT : QD_OK);
        ck_assert_int_eq(qd_world_step(world, 0.01, NULL), _i == 0 ? QD_ERR_LIMIT : QD_OK);
    }
}

// Each search compares all bodies with one another, and each body that left its fat box with all others.
QD_TEST(single_bodies_are_counted) {
    qd_world_def def = qd_world_def_default();
    def.retrieve = QD_RETRIEVE_BRUTE;
    def.contact = QD_CONTACT_NONE;
    def.margin = 1;
    qd_own(qd_world) world = qd_test_world(&def);
    enum { N = 101 };
    for (int i = 0; i < N - 1; ++i) qd_test_disk(world, 5 + i % 10 * 9, 5 + i / 10 * 9, 0, 0, 1, 0);
    qd_test_disk(world, 50, 50, 60, 20, 1, 0);
    qd_test_step(world, 0.02, 100);
    const qd_world_totals totals = qd_world_total(world);
    ck_assert_uint_gt(totals.amended, 20);
    ck_assert_uint_eq(totals.box_tests, totals.rebuilds * (N * (N - 1) / 2) + totals.amended * (N - 1));
}

QD_TEST(any_margin_gives_the_same) {
    const double margins[] = {automatic, 0.01, 0.2, 3, 1e18};
    uint64_t first = qd_test_seed(300);
    size_t cases = qd_test_replaying() ? 1 : qd_test_effort(30);
    uint64_t saved = 0;
    for (uint64_t seed = first; seed < first + cases; ++seed) {
        size_t bodies = seed % 10 == 0 ? 3000 : 150; // several ranges, and one
        life none = live(seed, 0, 1, false, bodies);
        for (size_t m = 0; m < COUNT(margins); ++m) {
            life with = live(seed, margins[m], 1 + (int)(m % 3), false, bodies);
            ck_assert_msg(with.hash == none.hash, "seed %llu, margin %g: another life",
                          (unsigned long long)seed, margins[m]);
            ck_assert_uint_eq(with.totals.contacts, none.totals.contacts);
            ck_assert_uint_eq(with.totals.begins, none.totals.begins);
            ck_assert_uint_eq(with.totals.ends, none.totals.ends);
            saved += none.totals.rebuilds - with.totals.rebuilds;
        }
    }
    ck_assert_uint_gt(saved, 20 * cases); // margins did spare something
}

QD_TEST(loading_changes_nothing) {
    uint64_t first = qd_test_seed(400);
    size_t cases = qd_test_replaying() ? 1 : qd_test_effort(20);
    for (uint64_t seed = first; seed < first + cases; ++seed) {
        double margin = seed % 4 == 0 ? 0.3 : automatic;
        life once = live(seed, margin, 1, false, 200), often = live(seed, margin, 2, true, 200);
        ck_assert_msg(once.hash == often.hash, "seed %llu: another life", (unsigned long long)seed);
        // Not only the state is the same, but when boxes were made again.
        check_same_search(&once, &often, seed);
    }
}

QD_TEST(any_team_makes_the_same_boxes) {
    for (uint64_t seed = 500; seed < 502; ++seed) {
        life one = live(seed, automatic, 1, false, 3000);
        const int threads[] = {2, 3, 8};
        for (size_t t = 0; t < COUNT(threads); ++t) {
            life many = live(seed, automatic, threads[t], false, 3000);
            ck_assert_uint_eq(one.hash, many.hash);
            check_same_search(&one, &many, seed);
            ck_assert_uint_eq(one.totals.refresh_refiled, many.totals.refresh_refiled);
        }
    }
}

// ---- scenes ----

static uint64_t play(const char *name, double margin, size_t steps) {
    qd_scene *scene = NULL;
    qd_error error = {""};
    ck_assert_msg(qd_scene_builtin(name, NULL, &scene, &error) == QD_OK, "%s", error.text);
    qd_world_def def = qd_scene_world(scene);
    def.margin = margin;
    qd_own(qd_world) world = qd_test_world(&def);
    ck_assert_msg(qd_scene_populate(scene, world, &error) == QD_OK, "%s", error.text);
    double dt = qd_scene_run_settings(scene).dt;
    uint64_t hash = 0;
    for (size_t k = 0; k < steps; ++k) {
        qd_test_step(world, dt, 1);
        uint64_t now[] = {qd_world_hash(world), qd_test_events_hash(world)};
        hash = qd_hash_seeded(now, sizeof now, hash);
    }
    qd_scene_destroy(scene);
    return hash;
}

QD_TEST(builtin_scenes_are_the_same) {
    const double margins[] = {automatic, 0.1};
    for (size_t i = 0; qd_scene_builtin_name(i); ++i) {
        const char *name = qd_scene_builtin_name(i);
        size_t steps = qd_test_effort(60);
        uint64_t none = play(name, 0, steps);
        for (size_t m = 0; m < COUNT(margins); ++m)
            ck_assert_msg(play(name, margins[m], steps) == none, "%s with margin %g", name, margins[m]);
    }
}

// ---- what it spares ----

static qd_world *gas(qd_world_def *def, size_t side, double margin) {
    qd_test_gas_def(def, side, side);
    def->margin = margin;
    qd_world *world = qd_test_world(def);
    qd_test_gas_fill(world, side, side, 3);
    return world;
}

QD_TEST(slow_bodies_need_few_rebuilds) {
    qd_world_def def = qd_world_def_default();
    qd_own(qd_world) world = gas(&def, 30, automatic);
    qd_test_step(world, 0.002, 200); // some hundredths of a diameter, 0.002 in the mean
    qd_world_totals totals = qd_world_total(world);
    ck_assert_uint_ge(totals.rebuilds, 2);
    ck_assert_uint_le(totals.rebuilds, 20);
}

QD_TEST(fast_bodies_have_no_margin) {
    qd_world_def def = qd_world_def_default();
    def.contact = QD_CONTACT_NONE;
    qd_own(qd_world) world = gas(&def, 30, automatic);
    qd_test_step(world, 5, 50); // five diameters a step: fat boxes would not last one
    ck_assert_uint_eq(qd_world_total(world).rebuilds, 51);
    for (qd_body_index i = 0; i < 900; ++i) {
        qd_box box;
        ck_assert_int_eq(qd_tree_box(qd_world_tree(world), i, &box), QD_OK);
        ck_assert(box.max_x - box.min_x <= 1.0001F);
    }
}

QD_TEST(a_few_fast_bodies_do_not_spoil_it) {
    for (int way = 0; way < 3; ++way) {
        qd_world_def def = qd_world_def_default();
        def.contact = QD_CONTACT_NONE;
        def.boundary_x = (qd_boundary)(way % 2);
        def.boundary_y = (qd_boundary)(way / 2);
        qd_own(qd_world) world = gas(&def, 30, automatic);
        for (int i = 0; i < 4; ++i) qd_test_disk(world, 5 + 3 * i, 7, 900, 450 - 300 * i, 0.5, 1);
        qd_test_step(world, 0.002, 200); // 1.8 diameters in each step
        qd_world_totals totals = qd_world_total(world);
        ck_assert_uint_le(totals.rebuilds, 20);
        ck_assert_uint_ge(totals.amended, 4 * 150);
        check_boxes(world, (uint64_t)way);
    }
}

QD_TEST(boxes_last_no_longer_than_bodies_stay) {
    qd_world_def def = qd_world_def_default();
    def.contact = QD_CONTACT_NONE;
    qd_own(qd_world) world = gas(&def, 30, 0.3);
    qd_body_view view = qd_world_view(world);
    for (size_t r = 0; r < view.count; ++r) {
        qd_body_state state = qd_test_body(world, id_of(world, (uint32_t)r));
        ck_assert_int_eq(
            qd_world_place(world, id_of(world, (uint32_t)r), state.position, (qd_vec2){1, 0}, NULL), QD_OK);
    }
    qd_test_step(world, 0.125, 12); // all leave together in every third step
    ck_assert_uint_eq(qd_world_total(world).rebuilds, 1 + 4);
}

// ---- worlds that are edited ----

/// Puts a body where it is: nothing changes, but the next step looks for all candidates anew.
static void edit(qd_world *world) {
    const qd_body_state state = qd_test_body(world, id_of(world, 0));
    ck_assert_int_eq(qd_world_place(world, id_of(world, 0), state.position, state.velocity, NULL), QD_OK);
}

/// Steps in which all candidates were looked for.
static uint64_t rebuilds_of(qd_world *world, size_t steps) {
    const uint64_t before = qd_world_total(world).rebuilds;
    qd_test_step(world, 0.002, steps);
    return qd_world_total(world).rebuilds - before;
}

// An edit soon after fat boxes were made says nothing about how long they last.
QD_TEST(an_edit_does_not_end_fat_boxes) {
    qd_world_def def = qd_world_def_default();
    qd_own(qd_world) world = gas(&def, 30, automatic);
    const uint64_t undisturbed = rebuilds_of(world, 300) / 5; // in 60 steps
    for (int times = 0; times < 8; ++times) {
        size_t steps = 0;
        while (rebuilds_of(world, 1) == 0) ck_assert_uint_lt(++steps, 200);
        qd_test_step(world, 0.002, 1 + (size_t)times % 3);
        edit(world);
        ck_assert_uint_le(rebuilds_of(world, 60), 4 + 2 * undisturbed);
    }
}

// Where there is an edit before every step fat boxes never pay.
QD_TEST(edits_in_all_steps_leave_no_fat_boxes) {
    qd_world_def def = qd_world_def_default();
    qd_own(qd_world) world = gas(&def, 30, automatic);
    qd_test_step(world, 0.002, 100);
    size_t fat = 0;
    for (int k = 0; k < 100; ++k) {
        qd_box box;
        edit(world);
        qd_test_step(world, 0.002, 1);
        ck_assert_int_eq(qd_tree_box(qd_world_tree(world), 0, &box), QD_OK);
        fat += box.max_x - box.min_x > 1.0001F;
    }
    ck_assert_uint_lt(fat, 20);
    qd_test_step(world, 0.002, 40);
    ck_assert_uint_le(rebuilds_of(world, 100), 20); // when nobody edits it any more they do
}

// ---- limits ----

static qd_status crowd(double margin, double limit, double *pairs) {
    qd_world_def def = qd_world_def_default();
    def.contact = QD_CONTACT_NONE;
    def.size = (qd_vec2){60, 60};
    def.margin = margin;
    def.limits.pairs = limit * 2000 / 10000; // per body of a world of 10,000
    qd_own(qd_world) world = qd_test_world(&def);
    qd_random random = qd_random_at(1, 1, 1);
    qd_test_scatter(world, &random, 2000);
    qd_status status = QD_OK;
    for (int k = 0; k < 20 && status == QD_OK; ++k) status = qd_world_step(world, 0.02, NULL);
    if (status != QD_OK) {
        ck_assert_int_eq(status, QD_ERR_LIMIT);
        qd_limit_report report = qd_world_limit_report(world);
        ck_assert_msg(strstr(report.reason, "limits.pairs") != NULL, "%s", report.reason);
    }
    *pairs = (double)qd_world_steps(world);
    return status;
}

QD_TEST(margins_do_not_count_towards_limits) {
    int stopped = 0, went_on = 0;
    for (double limit = 1; limit < 4; limit += 0.125) {
        double none, fixed, chosen;
        qd_status expected = crowd(0, limit, &none);
        ck_assert_int_eq(crowd(0.5, limit, &fixed), expected);
        ck_assert_int_eq(crowd(automatic, limit, &chosen), expected);
        ck_assert(none == fixed && none == chosen); // stopped in the same step
        stopped += expected != QD_OK;
        went_on += expected == QD_OK;
    }
    ck_assert_int_gt(stopped, 2);
    ck_assert_int_gt(went_on, 2);
}

QD_TEST(half_a_period_is_no_error) {
    qd_world_def def = qd_world_def_default();
    def.boundary_x = def.boundary_y = QD_BOUNDARY_PERIODIC;
    def.size = (qd_vec2){8, 8};
    uint64_t hash = 0;
    const double margins[] = {0, 0.5, 5, automatic};
    for (size_t m = 0; m < COUNT(margins); ++m) {
        def.margin = margins[m];
        qd_own(qd_world) world = qd_test_world(&def);
        qd_test_disk(world, 0, 0, 1, 0.5, 2, 0); // just as long as half a period
        qd_test_disk(world, 4, 4, -1, 0.25, 1, 0);
        qd_test_disk(world, 0, 4, 0.5, -3, 0.5, 0);
        qd_test_step(world, 0.02, 500);
        uint64_t now = qd_world_hash(world) ^ qd_world_total(world).begins;
        if (m == 0) hash = now;
        ck_assert_uint_eq(now, hash);
        ck_assert_uint_gt(qd_world_total(world).begins, 5);
    }
}

/// What is due in a search that would have nothing to do, where fat boxes of another part are due after so
/// many steps, and the boxes here are as old as they are after six.
static qdi_due due_with_others(uint32_t others) {
    qd_world_def def = qd_world_def_default();
    qd_test_gas_def(&def, 20, 20);
    def.contact = QD_CONTACT_NONE;
    qd_own(qd_world) world = qd_test_world(&def);
    qd_test_gas_fill(world, 20, 20, 5);
    qd_test_step(world, 0.001, 6);
    ck_assert_int_eq(qdi_part_make(world->allocator, world->count, true, 0, 0, &world->part), QD_OK);
    world->part->due = others;
    qdi_found found = {.rebuilds = 0};
    ck_assert_uint_eq(world->margin.left, 0);
    ck_assert_int_eq(qdi_candidates_refresh(world, &world->now, 0.001, &found), QD_OK);
    return found.due;
}

// Parts wait for each other, so they make their boxes anew in the same step; but for one that has just done
// so.
QD_TEST(boxes_are_made_when_other_parts_make_theirs) {
    ck_assert_int_eq(due_with_others(0), QDI_DUE_NOTHING);
    ck_assert_int_eq(due_with_others(5), QDI_DUE_ALL);
    ck_assert_int_eq(due_with_others(9), QDI_DUE_ALL);
    ck_assert_int_eq(due_with_others(40), QDI_DUE_NOTHING);
}

QD_TEST(bad_margins_are_refused) {
    qd_world_def def = qd_world_def_default();
    qd_world *world = NULL;
    def.margin = -0.1;
    ck_assert_int_eq(qd_world_create(&def, &world), QD_ERR_VALUE);
    ck_assert_ptr_null(world);
}

QD_TEST_MAIN("margin", 240, NULL, NULL)
