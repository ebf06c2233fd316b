#include "tests/support/harness.h"
#include "tests/support/one_program.h"
#include "tools/bench/peers.h"
#include "tools/bench/rigid.h"
#include "tools/bench/rigid_output.h"

#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

QD_OWN_VALUE(qdi_rigid_setting, qdi_rigid_setting_free)

// The rigid bench: its bodies, what its judge sees, that all methods start from the same state, its flags and
// outputs.

static qdi_rigid_setting make(size_t which, size_t count) {
    qdi_rigid_setting setting;
    ck_assert(qdi_rigid_setting_make(qdi_rigid_case_at(which), count, 1, NULL, NULL, &setting) == QD_OK);
    return setting;
}

QD_TEST(test_gas_is_what_it_says) {
    qd_own(qdi_rigid_setting) gas = make(0, 2500);
    ck_assert_str_eq(gas.of->name, "gas");
    double area = 0, kinetic = 0;
    for (size_t i = 0; i < gas.count; ++i) {
        const qdi_rigid_body *body = &gas.bodies[i];
        area += 3.141592653589793 * body->shape.radius * body->shape.radius;
        kinetic += 0.5 * body->mass *
                   (body->velocity.x * body->velocity.x + body->velocity.y * body->velocity.y);
    }
    ck_assert_double_eq_tol(area / (gas.size.x * gas.size.y), 0.3, 1e-9);
    qdi_rigid_quality look;
    ck_assert(qdi_rigid_quality_of(&gas, gas.bodies, &look) == QD_OK);
    ck_assert_uint_eq(look.contacts, 0); // nobody touches anybody at the start
    ck_assert_double_eq_tol(look.kinetic, kinetic, 1e-9 * kinetic);
}

QD_TEST(test_pile_rests_on_the_floor) {
    qd_own(qdi_rigid_setting) pile = make(1, 120);
    qdi_rigid_quality look;
    ck_assert(qdi_rigid_quality_of(&pile, pile.bodies, &look) == QD_OK);
    double mass = 0, lowest = HUGE_VAL, highest = 0;
    for (size_t i = 0; i < pile.count; ++i) {
        mass += pile.bodies[i].mass;
        lowest = fmin(lowest, pile.bodies[i].position.y);
        highest = fmax(highest, pile.bodies[i].position.y);
    }
    ck_assert_uint_ge(look.contacts, pile.count); // each on another or on the floor
    ck_assert_double_lt(look.kinetic, 2e-3 * mass);
    ck_assert_double_lt(look.deepest, 0.05);
    ck_assert(lowest > 0.1 && lowest < 0.6 && highest > 2 * lowest && highest < pile.size.y);
}

static qdi_rigid_setting make_named(const char *name, size_t count) {
    const qdi_rigid_case *of;
    for (size_t i = 0; (of = qdi_rigid_case_at(i)) != NULL; ++i)
        if (strcmp(of->name, name) == 0) return make(i, count);
    ck_abort_msg("no case %s", name);
}

/// Numbers of bodies, contacts of touching neighbours, and what holds them, as in Box2D's benchmark.
QD_TEST(test_scenes_are_what_they_say) {
    static const struct {
        const char *name;
        size_t count, total, steps;
        double mass, gravity;
    } scenes[] = {
        {"large_pyramid", 5050, 5051, 500, 5050, 10},     {"many_pyramids", 22000, 22020, 200, 22000, 10},
        {"smash", 9601, 9601, 300, 512 + 9600 * 0.16, 0}, {"tumbler", 2025, 2029, 750, 2025 * 0.0625, 10},
        {"washer", 8100, 8140, 500, 8100 * 0.04, 10},     {"junkyard", 8000, 8262, 800, 0, 10},
    };
    for (size_t i = 0; i < sizeof scenes / sizeof scenes[0]; ++i) {
        qd_own(qdi_rigid_setting) setting = make(2 + i, qdi_rigid_case_at(2 + i)->bodies);
        ck_assert_str_eq(setting.of->name, scenes[i].name);
        ck_assert_uint_eq(setting.count, scenes[i].count);
        ck_assert_uint_eq(setting.total, scenes[i].total);
        ck_assert_uint_eq(setting.of->steps, scenes[i].steps);
        ck_assert(setting.of->gravity == scenes[i].gravity && setting.of->friction == 0.6 &&
                  setting.of->restitution == 0 && !setting.of->walls);
        double mass = 0;
        for (size_t k = 0; k < setting.total; ++k) {
            const qdi_rigid_body *body = &setting.bodies[k];
            ck_assert((body->kind == QD_BODY_DYNAMIC) == (k < setting.count));
            mass += k < setting.count ? body->mass : 0;
            double x = body->position.x - setting.origin.x, y = body->position.y - setting.origin.y;
            ck_assert(x >= 0 && y >= 0 && x <= setting.size.x && y <= setting.size.y);
        }
        if (scenes[i].mass > 0) ck_assert_double_eq_tol(mass, scenes[i].mass, 1e-6);
    }
    ck_assert_ptr_null(qdi_rigid_case_at(8));
}

/// Pyramids touch without overlap, and what has left its place is counted.
QD_TEST(test_pyramids_are_judged) {
    qd_own(qdi_rigid_setting) setting = make_named("many_pyramids", 4 * 55 + 54);
    ck_assert(setting.count == 4 * 55 && setting.total == 4 * 55 + 2 && setting.pyramid == 55);
    qdi_rigid_quality look;
    ck_assert(qdi_rigid_quality_of(&setting, setting.bodies, &look) == QD_OK);
    ck_assert(look.top == 9.5 && look.fallen == 0 && look.deepest < 1e-12);
    ck_assert_uint_ge(look.contacts, 4 * (10 + 45 + 90)); // ground, neighbours, two below each
    qdi_rigid_body *bodies = qd_test_memory(setting.total * sizeof *bodies);
    memcpy(bodies, setting.bodies, setting.total * sizeof *bodies);
    bodies[109].position.y -= 0.75; // the second one's top
    bodies[3].position.x -= 1.5;
    ck_assert(qdi_rigid_quality_of(&setting, bodies, &look) == QD_OK);
    ck_assert(look.top == 8.75 && look.fallen == 1);
    free(bodies);
    qdi_rigid_setting_free(&setting);
    setting = make_named("large_pyramid", 30);
    ck_assert(setting.count == 28 && setting.pyramid == 28);
    ck_assert(qdi_rigid_quality_of(&setting, setting.bodies, &look) == QD_OK && look.top == 6.5);
}

/// What turns about the pivot goes round with all methods, and the pusher goes its way.
QD_TEST(test_what_is_driven_moves) {
    enum { STEPS = 12 };
    static const struct {
        const char *name;
        double angle, x;
    } scenes[] = {{"tumbler", STEPS * 25 * 3.141592653589793 / 180 / 60, 0}, {"junkyard", 0, 60 * 0.2 * 0.2}};
    for (size_t i = 0; i < 2; ++i) {
        qd_own(qdi_rigid_setting) setting = make_named(scenes[i].name, 16);
        const qdi_rigid_options options = {1, QD_SIMD_AUTO, NULL};
        const qdi_rigid_method *method;
        for (size_t m = 0; (method = qdi_rigid_method_at(m)) != NULL; ++m) {
            if (method->boxed) continue;
            qd_own_memory qdi_rigid_body *bodies = qd_test_memory(setting.total * sizeof *bodies);
            memcpy(bodies, setting.bodies, setting.total * sizeof *bodies);
            void *state;
            ck_assert(method->create(&setting, &options, &state) == QD_OK);
            for (int k = 0; k < STEPS; ++k) ck_assert(method->step(state, &(qd_profile){0}) == QD_OK);
            method->read(state, bodies);
            const qdi_rigid_body *last = &bodies[setting.total - 1]; // the drum's lower side, the pusher
            double x = scenes[i].x + 10 * sin(scenes[i].angle),
                   y = i == 0 ? 10 - 10 * cos(scenes[i].angle) : 4;
            ck_assert_msg(fabs(last->position.x - x) < 1e-2 && fabs(last->position.y - y) < 1e-3 &&
                              fabs(last->turn.y - sin(scenes[i].angle)) < 1e-4,
                          "%s, %s: %g %g %g instead of %g %g", scenes[i].name, method->name, last->position.x,
                          last->position.y, last->turn.y, x, y);
            method->destroy(state);
        }
    }
}

/// Every method gives back the bodies as it got them, and after some steps as they went on. (Box2D's
/// numbers are single.)
QD_TEST(test_methods_start_from_the_same_state) {
    for (size_t which = 0; qdi_rigid_case_at(which); ++which) {
        qd_own(qdi_rigid_setting) setting = make(which, 90);
        const qdi_rigid_options options = {2, QD_SIMD_AUTO, NULL};
        const qdi_rigid_method *method, *single = NULL;
#ifdef QD_HAVE_BOX2D3
        single = &qdi_rigid_box2d;
#endif
        for (size_t m = 0; (method = qdi_rigid_method_at(m)) != NULL; ++m) {
            if (method->boxed && !setting.of->walls) continue;
            qd_own_memory qdi_rigid_body *bodies = qd_test_memory(setting.total * sizeof *bodies);
            memcpy(bodies, setting.bodies, setting.total * sizeof *bodies);
            void *state;
            ck_assert(method->create(&setting, &options, &state) == QD_OK);
            for (int after = 0; after < 2; ++after) {
                method->read(state, bodies);
                for (size_t i = 0; i < setting.count; ++i) {
                    const qdi_rigid_body *is = &bodies[i], *was = &setting.bodies[i];
                    double dx = is->position.x - (was->position.x + after * was->velocity.x * setting.dt);
                    double dy = is->position.y - (was->position.y + after * was->velocity.y * setting.dt);
                    double turned = fabs(is->turn.x - was->turn.x) + fabs(is->turn.y - was->turn.y);
                    double most = after              ? 0.02
                                  : method == single ? 1e-5
                                                     : 1e-12; // one step of gravity, or nothing
                    ck_assert_msg(fabs(dx) < most && fabs(dy) < most && turned < 10 * most,
                                  "%s, body %zu after %d steps: %g %g %g away", method->name, i, after, dx,
                                  dy, turned);
                }
                ck_assert(method->step(state, &(qd_profile){0}) == QD_OK);
            }
            method->destroy(state);
            method->destroy(NULL);
        }
    }
}

static bool stop_soon(void *context) {
    int *left = context;
    return --*left > 0;
}

QD_TEST(test_a_run_measures_and_can_be_stopped) {
    qd_own(qdi_rigid_setting) setting = make(0, 400);
    int left = 1000;
    qdi_rigid_plan plan = {.setting = &setting,
                           .methods = {&qdi_rigid_impulse},
                           .method_count = 1,
                           .options = {1, QD_SIMD_AUTO, NULL},
                           .steps = 4,
                           .repeats = 2,
                           .seed = 1,
                           .tick = stop_soon,
                           .context = &left};
    qdi_rigid_row row;
    bool stopped = true;
    const char *failed;
    ck_assert(qdi_rigid_run(&plan, &row, &stopped, &failed) == QD_OK && !stopped);
    ck_assert_int_eq(left, 1000 - 2 * (4 + QDI_RIGID_DROPPED));
    ck_assert(row.ns.median > 0 && row.ns.min <= row.ns.median && row.has_phases &&
              row.phases[QD_PHASE_MOVE] > 0);
    qdi_rigid_quality start;
    ck_assert(qdi_rigid_quality_of(&setting, setting.bodies, &start) == QD_OK);
    ck_assert_double_eq_tol(row.end.kinetic, start.kinetic, 1e-9 * start.kinetic);
    left = 5;
    ck_assert(qdi_rigid_run(&plan, &row, &stopped, &failed) == QD_OK && stopped);
}

QD_TEST(test_reference_is_the_fastest_peer) {
    const qdi_rigid_method peer = {.name = "peer", .peer = true};
    qdi_rigid_row rows[] = {{.method = &qdi_rigid_impulse, .ns.median = 1},
                            {.method = &peer, .ns.median = 8},
                            {.method = &peer, .ns.median = 5}};
    ck_assert_ptr_eq(qdi_rigid_reference(rows, 3), &rows[2]);
    ck_assert_ptr_eq(qdi_rigid_reference(rows, 1), &rows[0]);
}

QD_TEST(test_the_command_writes_rows) {
    json_t *whole = qd_program_json(RUN("bench", "--rigid", "gas", "--bodies", "300", "--steps", "2",
                                        "--repeats", "1", "-q", "--threads", "1", "--json", "--csv",
                                        "rigid.csv"),
                                    0);
    ck_assert_str_eq(json_string_value(json_object_get(whole, "rigid")), "gas");
    const json_t *rows = json_object_get(whole, "rows");
    size_t methods = 0;
    while (qdi_rigid_method_at(methods)) ++methods;
    ck_assert_uint_eq(json_array_size(rows), methods);
    qd_own_memory char *csv = qd_scratch_read(qd_scratch_at(&program.work, "rigid.csv").text, NULL);
    ck_assert_ptr_nonnull(csv);
    const char *line = csv;
    for (size_t i = 0; i < methods; ++i) {
        const json_t *row = json_array_get(rows, i);
        const char *name = qdi_rigid_method_at(i)->name;
        ck_assert_str_eq(json_string_value(json_object_get(row, "method")), name);
        ck_assert(json_number_value(json_object_get(row, "ns_per_body")) > 0);
        ck_assert(json_is_integer(json_object_get(row, "contacts")));
        line = strchr(line, '\n') + 1;
        ck_assert_msg(strncmp(line, name, strlen(name)) == 0, "%s", line);
    }
    ck_assert_uint_eq(json_object_size(json_object_get(json_array_get(rows, 0), "phases")), QD_PHASE_EXPORT);
    json_decref(whole);
}

QD_TEST(test_the_command_says_what_fell) {
    json_t *whole = qd_program_json(RUN("bench", "--rigid", "large_pyramid", "--bodies", "10", "--steps", "3",
                                        "--repeats", "2", "--json", "-q"),
                                    0);
    ck_assert(json_real_value(json_object_get(json_object_get(whole, "start"), "top")) == 3.5);
    const json_t *rows = json_object_get(whole, "rows");
    for (size_t i = 0; i < json_array_size(rows); ++i) {
        const json_t *row = json_array_get(rows, i);
        ck_assert_double_eq_tol(json_real_value(json_object_get(row, "top")), 3.5, 0.01);
        ck_assert_int_eq(json_integer_value(json_object_get(row, "fallen")), 0);
    }
    json_decref(whole);
}

QD_TEST(test_the_command_says_who_is_as_fast) {
    qd_program_outcome result = SUCCEED("bench", "--rigid", "tumbler", "--bodies", "16", "--steps", "2",
                                        "--repeats", "1", "--csv", "tumbler.csv");
    ck_assert(strstr(result.out, "impulse-off") && !strstr(result.out, "fallen"));
#ifdef QD_HAVE_BOX2D3
    ck_assert(strstr(result.out, "as fast as box2d") && !strstr(result.err, "nobody to compare with"));
#else
    ck_assert(strstr(result.out, "as fast as impulse") && strstr(result.err, "Box2D 3.2 was not found"));
#endif
    qd_own_memory char *csv = qd_scratch_read(qd_scratch_at(&program.work, "tumbler.csv").text, NULL);
    ck_assert(csv && strstr(csv, ",deepest,top,fallen,times_as_fast,") && strstr(csv, ",,,"));

    result = SUCCEED("bench", "--rigid", "pile", "--bodies", "40", "--steps", "1", "--repeats", "1",
                     "--methods", "impulse");
    ck_assert(strstr(result.out, "pile: 40 bodies, 8 iterations") && strstr(result.out, "impulse by phase"));
}

QD_TEST(test_what_is_wrong_is_said_in_one_line) {
    expect_refusal(RUN("bench", "--rigid", "soup"), 2,
                   "gas, pile, large_pyramid, many_pyramids, smash, tumbler");
    expect_refusal(RUN("bench", "--rigid", "gas", "--scene", "uniform"), 2, "does not go with");
    expect_refusal(RUN("bench", "--rigid", "gas", "--methods", "grid"), 2, "grid");
    expect_refusal(RUN("bench", "--rigid", "gas", "--bodies", "none"), 2, "--bodies");
}

QD_TEST_MAIN("bench_rigid", 120, setup, teardown)
