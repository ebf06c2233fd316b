#include "sim/sweep/sweep.h"

#include "tests/support/harness.h"
#include "tests/support/scratch.h"

#include <quadrille/random.h>

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

QD_OWN_POINTER(qdi_sweep, qdi_sweep_destroy)
QD_OWN_VALUE(qdi_sweep_plan, qdi_sweep_plan_free)

// From the text of a sweep to its points: values, order, seeds, names; and what is said of one that is no
// good.

static qd_status parse(const char *text, qdi_sweep **sweep, qd_error *error) {
    memset(error->text, 'x', sizeof error->text);
    return qdi_sweep_parse(qd_allocator_default(), text, strlen(text), "s.yaml", sweep, error);
}

/// A sweep that is good.
static qdi_sweep *read(const char *text) {
    qdi_sweep *sweep = NULL;
    qd_error error;
    qd_status status = parse(text, &sweep, &error);
    ck_assert_msg(status == QD_OK, "is refused: %s\n%s", error.text, text);
    return sweep;
}

/// One with a single axis, "key: ..." and what stands behind it.
static qdi_sweep *read_axis(const char *axis) {
    char text[512];
    snprintf(text, sizeof text, "scene: gas\naxes: [{%s}]\n", axis);
    return read(text);
}

/// The values of a column, over points that differ in the last axis alone, with a space between.
static void expect_values(const qdi_sweep *sweep, const char *expected) {
    char got[1024] = "";
    for (uint64_t i = 0; i < qdi_sweep_count(sweep); ++i)
        snprintf(got + strlen(got), sizeof got - strlen(got), "%s%s", i > 0 ? " " : "",
                 qdi_sweep_value(sweep, i, 0));
    ck_assert_str_eq(got, expected);
}

static void expect_axis(const char *axis, const char *expected) {
    qd_own(qdi_sweep) sweep = read_axis(axis);
    expect_values(sweep, expected);
}

QD_TEST(values_of_every_form) {
    expect_axis("key: contact.friction, list: [0.1, 1e-3, 2]", "0.1 1e-3 2");
    expect_axis("key: contact.model, list: [impulse, spring]", "impulse spring");
    expect_axis("key: world.size, list: [[10, 20], [3e1, 4.5]]", "[10, 20] [3e1, 4.5]");
    expect_axis("key: bodies.0.disks.velocity, list: [{normal: 2}, [1, 0]]", "{\"normal\": 2} [1, 0]");
    expect_axis("key: name, list: [a-b, \"c\"]", "a-b \"c\"");
    // Sums of a step are what people write.
    expect_axis("key: contact.friction, range: {start: 0, stop: 0.5, step: 0.1}", "0 0.1 0.2 0.3 0.4 0.5");
    expect_axis("key: contact.friction, range: {start: 0, stop: 0.35, step: 0.1}", "0 0.1 0.2 0.3");
    expect_axis("key: world.gravity, list: [[0, -1]]", "[0, -1]");
    expect_axis("key: contact.friction, range: {start: 1, stop: 0, step: -0.25}", "1 0.75 0.5 0.25 0");
    expect_axis("key: contact.friction, range: {start: 0, stop: 1, count: 4}",
                "0 0.333333333333333 0.666666666666667 1");
    expect_axis("key: contact.friction, range: {start: 0.5, stop: 1, count: 1}", "0.5");
    expect_axis("key: contact.friction, range: {start: 0.5, stop: 0.5, step: 1}", "0.5");
    expect_axis("key: run.dt, log: {start: 1e-4, stop: 0.1, count: 4}", "0.0001 0.001 0.01 0.1");
    expect_axis("key: run.dt, log: {start: 8, stop: 1, count: 4}", "8 4 2 1");
    // Where a key takes whole numbers it gets them.
    expect_axis("key: run.steps, log: {start: 10, stop: 1000, count: 5}", "10 32 100 316 1000");
    expect_axis("key: run.seed, range: {start: 1, stop: 4, step: 1}", "1 2 3 4");
    expect_axis("key: bodies, log: {start: 100, stop: 10000, count: 3}", "100 1000 10000");
    expect_axis("key: bodies.0.disks.count, range: {start: 5, stop: 10, count: 3}", "5 8 10");
}

// ---- samples ----

QD_TEST(samples_stay_when_there_are_more_of_them) {
    qd_own(qdi_sweep)
        few = read("scene: gas\naxes: [{key: run.dt, uniform: [1, 3], count: 5, seed: 4}]"),
        many = read("scene: gas\naxes:\n- {key: contact.friction, list: [1]}\n"
                    "- {key: run.dt, uniform: [1, 3], count: 50, seed: 4}"),
        other = read("scene: gas\naxes: [{key: run.dt, uniform: [1, 3], count: 5, seed: 5}]"),
        sister = read("scene: gas\naxes: [{key: contact.friction, uniform: [1, 3], count: 5, seed: 4}]");
    for (uint64_t i = 0; i < 5; ++i) {
        const char *value = qdi_sweep_value(few, i, 0);
        ck_assert_str_eq(value, qdi_sweep_value(many, i, 1));
        ck_assert_str_ne(value, qdi_sweep_value(other, i, 0));
        ck_assert_str_ne(value, qdi_sweep_value(sister, i, 0)); // keys are independent of each other
    }
}

/// Mean and deviation of a column of samples, of their logarithms where asked for; all within bounds.
static void measure(const char *axis, bool logarithms, double low, double high, double *mean,
                    double *deviation) {
    qdi_sweep *sweep = read_axis(axis);
    uint64_t count = qdi_sweep_count(sweep);
    double sum = 0, squares = 0;
    for (uint64_t i = 0; i < count; ++i) {
        double value = strtod(qdi_sweep_value(sweep, i, 0), NULL);
        ck_assert_msg(value >= low && value <= high, "%s: %g", axis, value);
        if (logarithms) value = log(value);
        sum += value;
        squares += value * value;
    }
    *mean = sum / (double)count;
    *deviation = sqrt(squares / (double)count - *mean * *mean);
    qdi_sweep_destroy(sweep);
}

QD_TEST(samples_are_spread_as_they_should_be) {
    // 4000 samples: six standard errors of the mean are 0.095 deviations, of the deviation 0.07.
    double mean = 0, deviation = 0;
    measure("key: run.dt, uniform: [2, 6], count: 4000", false, 2, 6, &mean, &deviation);
    ck_assert_double_eq_tol(mean, 4, 0.095 * 1.1547);
    ck_assert_double_eq_tol(deviation, 1.1547, 0.07 * 1.1547);
    measure("key: run.dt, normal: [10, 0.5], count: 4000", false, 7, 13, &mean, &deviation);
    ck_assert_double_eq_tol(mean, 10, 0.095 * 0.5);
    ck_assert_double_eq_tol(deviation, 0.5, 0.07 * 0.5);
    measure("key: run.dt, loguniform: [0.01, 1], count: 4000", true, 0.01, 1, &mean, &deviation);
    ck_assert_double_eq_tol(mean, log(0.1), 0.095 * 1.3295);
    ck_assert_double_eq_tol(deviation, 1.3295, 0.07 * 1.3295);
    measure("key: run.steps, uniform: [1, 3], count: 4000", false, 1, 3, &mean, &deviation);
    ck_assert_double_eq_tol(mean, 2, 0.095 * 0.8165);
    ck_assert_double_eq_tol(deviation, 0.8165, 0.07 * 0.8165); // each of the three as often
}

// ---- order ----

QD_TEST(the_last_axis_changes_fastest_and_replicas_within) {
    qd_own(qdi_sweep) sweep = read("name: order\n"
                                   "scene: gas\n"
                                   "axes:\n"
                                   "  - {key: contact.restitution, list: [0.1, 0.2]}\n"
                                   "  - zip:\n"
                                   "      - {key: run.dt, list: [1, 2, 3]}\n"
                                   "      - {key: run.steps, range: {start: 30, stop: 10, step: -10}}\n"
                                   "replicas: 2\n");
    static const char *const expected[] = {"0.1 1 30 1", "0.1 1 30 2", "0.1 2 20 1", "0.1 2 20 2",
                                           "0.1 3 10 1", "0.1 3 10 2", "0.2 1 30 1", "0.2 1 30 2",
                                           "0.2 2 20 1", "0.2 2 20 2", "0.2 3 10 1", "0.2 3 10 2"};
    ck_assert_uint_eq(qdi_sweep_count(sweep), 12);
    ck_assert_uint_eq(qdi_sweep_replicas(sweep), 2);
    ck_assert_str_eq(qdi_sweep_name(sweep), "order");
    ck_assert_str_eq(qdi_sweep_key(sweep, 0), "contact.restitution");
    ck_assert_str_eq(qdi_sweep_key(sweep, 2), "run.steps");
    ck_assert_ptr_null(qdi_sweep_key(sweep, 3));
    for (uint64_t i = 0; i < 12; ++i) {
        char got[64];
        snprintf(got, sizeof got, "%s %s %s %" PRIu64, qdi_sweep_value(sweep, i, 0),
                 qdi_sweep_value(sweep, i, 1), qdi_sweep_value(sweep, i, 2), qdi_sweep_replica(sweep, i));
        ck_assert_str_eq(got, expected[i]);
    }
    char words[128];
    qdi_sweep_words(sweep, 3, words, sizeof words);
    ck_assert_str_eq(words, "contact.restitution=0.1, run.dt=2, run.steps=20, replica 2");
    qdi_sweep_words(sweep, 3, words, 12); // cut, not overrun
    ck_assert_str_eq(words, "contact.res");
}

QD_TEST(counts_that_no_number_holds) {
    char text[4096] = "scene: gas\naxes:\n";
    static const char *const keys[] = {"run.dt", "contact.friction", "contact.restitution",
                                       "contact.threshold"};
    for (size_t i = 0; i < 4; ++i)
        snprintf(text + strlen(text), sizeof text - strlen(text),
                 "  - {key: %s, range: {start: 0.1, stop: 1, count: 500000}}\n", keys[i]);
    qd_own(qdi_sweep) sweep = read(text);
    ck_assert_uint_eq(qdi_sweep_count(sweep), UINT64_MAX);
    ck_assert_uint_eq(qdi_sweep_limit(sweep), QDI_SWEEP_LIMIT);
    qdi_sweep_destroy(sweep);
    sweep = read("scene: gas\nreplicas: 7\nlimit: 1e5\n");
    ck_assert_uint_eq(qdi_sweep_count(sweep), 7);
    ck_assert_uint_eq(qdi_sweep_limit(sweep), 100000);
}

// ---- points ----

static qdi_sweep_plan plan_of(const qdi_sweep *sweep, uint64_t first, uint64_t every) {
    qdi_sweep_plan plan;
    qd_error error = {""};
    qd_status status = qdi_sweep_plan_make(sweep, first, every, &plan, &error);
    ck_assert_msg(status == QD_OK, "%s", error.text);
    return plan;
}

static uint64_t hash_of(const char *const *sets, size_t count, uint64_t bodies) {
    const qd_scene_changes changes = {sets, count, bodies};
    qd_scene *scene = NULL;
    qd_error error = {""};
    qd_status status = qd_scene_builtin("gas", &changes, &scene, &error);
    ck_assert_msg(status == QD_OK, "%s", error.text);
    uint64_t hash = qd_scene_hash(scene);
    qd_scene_destroy(scene);
    return hash;
}

QD_TEST(a_point_is_the_scene_that_the_command_line_would_make) {
    qd_own(qdi_sweep) sweep = read("scene: gas\n"
                                   "set: {frames.every: 0, bodies: 50, \"view.size\": [64, 32]}\n"
                                   "axes:\n"
                                   "  - {key: contact.restitution, list: [0.5, 1.0]}\n"
                                   "  - {key: world.drag.linear, list: [0, 0.25]}\n");
    qd_own(qdi_sweep_plan) plan = plan_of(sweep, 0, 1);
    static const char *const last[] = {"frames.every=0", "view.size=[64, 32]", "contact.restitution=1",
                                       "world.drag.linear=0.25"};
    ck_assert_uint_eq(plan.count, 4);
    ck_assert_uint_eq(plan.points[3].id, hash_of(last, 4, 50));
    ck_assert_uint_eq(plan.points[3].bodies, 50);
    ck_assert_uint_eq(plan.points[3].pixels, 2048);
    ck_assert_uint_eq(plan.points[3].run.seed, 1);
    for (size_t i = 0; i < 4; ++i) ck_assert(plan.points[i].valid && plan.points[i].number == i + 1);
    // A share has every fourth, and the same ones.
    qd_own(qdi_sweep_plan) share = plan_of(sweep, 3, 4);
    ck_assert_uint_eq(share.count, 1);
    ck_assert_uint_eq(share.points[0].number, 4);
    ck_assert_uint_eq(share.points[0].id, plan.points[3].id);
}

QD_TEST(replicas_have_seeds_of_their_own) {
    qd_own(qdi_sweep) sweep = read("scene: gas\nset: {bodies: 9}\n"
                                   "axes: [{key: contact.restitution, list: [0.5, 1]}]\nreplicas: 4\n"),
                      longer = read("scene: gas\nset: {bodies: 9}\n"
                                    "axes: [{key: contact.restitution, list: [0.5, 1]}]\nreplicas: 6\n");
    qd_own(qdi_sweep_plan) plan = plan_of(sweep, 0, 1), more = plan_of(longer, 0, 1);
    for (size_t r = 0; r < 4; ++r) {
        const qdi_sweep_point *point = &plan.points[r];
        ck_assert_uint_eq(point->replica, r + 1);
        ck_assert_uint_eq(plan.points[4 + r].run.seed, point->run.seed); // the same for each value
        ck_assert_uint_eq(more.points[r].id, point->id);                 // and whatever their number
        ck_assert_uint_lt(point->run.seed, UINT64_C(1) << 48);
        for (size_t other = 0; other < r; ++other)
            ck_assert_uint_ne(plan.points[other].run.seed, point->run.seed);
    }
    ck_assert_uint_eq(plan.points[0].run.seed, 1); // the scene's own
    // A share that begins within the replicas finds the same seeds.
    qd_own(qdi_sweep_plan) share = plan_of(sweep, 2, 5);
    ck_assert_uint_eq(share.points[0].id, plan.points[2].id);
    ck_assert_uint_eq(share.points[1].id, plan.points[7].id);
}

QD_TEST(points_that_are_the_same_or_no_scene) {
    qd_own(qdi_sweep)
        sweep = read("scene: gas\nset: {bodies: 9}\n"
                     "axes: [{key: contact.restitution, list: [0.5, 1.5, 1, 0.50, 1.0, 5e-1]}]\n");
    qd_own(qdi_sweep_plan) plan = plan_of(sweep, 0, 1);
    static const uint64_t twins[] = {0, 0, 0, 1, 3, 1};
    for (size_t i = 0; i < 6; ++i) {
        ck_assert_uint_eq(plan.points[i].twin, twins[i]);
        ck_assert_int_eq(plan.points[i].valid, i != 1);
    }
    ck_assert_ptr_nonnull(strstr(plan.points[1].reason, "from 0 to 1"));
    ck_assert_ptr_null(plan.points[0].reason);
}

// ---- files ----

QD_TEST(the_scene_lies_beside_the_sweep) {
    qd_scratch scratch = qd_scratch_make();
    qd_scratch_path path = qd_scratch_at(&scratch, "s.yaml"), scene = qd_scratch_at(&scratch, "my.yaml");
    qd_scratch_write(path.text, "scene: my.yaml\nreplicas: 2\n");
    qdi_sweep *sweep = NULL;
    qd_error error = {""};
    ck_assert_int_eq(qdi_sweep_read(path.text, &sweep, &error), QD_ERR_INVALID);
    ck_assert_ptr_nonnull(
        strstr(error.text, "s.yaml:1: scene: \"my.yaml\" is neither a built-in scene nor a file"));
    qd_scratch_write(scene.text, "bodies: [{disks: {count: 3, radius: 0.1}}]\n");
    ck_assert_int_eq(qdi_sweep_read(path.text, &sweep, &error), QD_OK);
    ck_assert_str_eq(qdi_sweep_scene(sweep), scene.text);
    size_t bytes = 0;
    ck_assert_str_eq(qdi_sweep_text(sweep, &bytes), "scene: my.yaml\nreplicas: 2\n");
    ck_assert_uint_eq(bytes, 27);
    qdi_sweep_plan plan = plan_of(sweep, 0, 1);
    ck_assert_uint_eq(plan.points[1].bodies, 3);
    qdi_sweep_plan_free(&plan);
    // The scene is gone by the time that points are looked at: that is nobody's point's fault.
    ck_assert_int_eq(remove(scene.text), 0);
    ck_assert_int_eq(qdi_sweep_plan_make(sweep, 0, 1, &plan, &error), QD_ERR_NOT_FOUND);
    qdi_sweep_destroy(sweep);
    ck_assert_int_eq(qdi_sweep_read(qd_scratch_at(&scratch, "none.yaml").text, &sweep, &error),
                     QD_ERR_NOT_FOUND);
    ck_assert_int_eq(qdi_sweep_read(scratch.path, &sweep, &error), QD_ERR_IO);
    qd_scratch_remove(&scratch);
}

// ---- what is refused ----

#define AXES "scene: gas\naxes:\n  - "

// Sweeps, and what is said of them; NULL: what libyaml says.
static const struct {
    const char *text, *reason;
} wrong_sweeps[] = {
    {"", "s.yaml: is empty"},
    {"[1, 2]", "s.yaml:1: a sweep must be a mapping (key: value)"},
    {"scene: gas", "s.yaml:1: a sweep needs axes, or replicas, or both"},
    {"replicas: 2", "s.yaml:1: a sweep needs a scene: a built-in name or a file"},
    {"scene: gass\nreplicas: 2",
     "s.yaml:1: scene: \"gass\" is neither a built-in scene nor a file; did you mean \"gas\"?"},
    {"scene: [gas]\nreplicas: 2", "s.yaml:1: scene must be some text"},
    {"scene: gas\nreplica: 2", "s.yaml:2: unknown key \"replica\" in a sweep; did you mean \"replicas\"?"},
    {"scene: gas\nworld: 2", "s.yaml:2: unknown key \"world\" in a sweep, which has name scene set axes "
                             "replicas limit columns"},
    {"scene: gas\nreplicas: 2\nreplicas: 3", "s.yaml:3: a sweep: \"replicas\" is given twice"},
    {"scene: gas\nreplicas: 0", "s.yaml:2: replicas must be a whole number from 1 to 1000000"},
    {"scene: gas\nreplicas: 1.5", "s.yaml:2: replicas must be a whole number from 1 to 1000000"},
    {"scene: gas\nreplicas: 2\nlimit: none",
     "s.yaml:3: limit must be a whole number from 1 to 9007199254740992"},
    {"scene: gas\naxes: {key: run.dt}", "s.yaml:2: axes must be a list (- key: ...)"},
    {"scene: gas\nset: [1]\nreplicas: 2", "s.yaml:2: set must be a mapping (key of the scene: value)"},
    {"scene: gas\nset: {run.step: 2}\nreplicas: 2",
     "s.yaml:2: no key of a scene is called \"run.step\"; did you mean \"run.steps\"?"},
    {"scene: gas\nset:\n  run.steps:\nreplicas: 2", "s.yaml:3: a value is missing"},
    {"scene: gas\nset: {run.steps: 2}\naxes: [{key: run.steps, list: [1]}]",
     "s.yaml:3: run.steps is on another axis, or in set, already"},
    {AXES "{list: [1]}", "s.yaml:3: an axis needs the key of the scene: key: contact.friction"},
    {AXES "5", "s.yaml:3: an axis must be a mapping (key: value)"},
    {AXES "{key: run.seed, values: [1]}",
     "s.yaml:3: unknown key \"values\" in an axis; did you mean \"list\"?"},
    {AXES "{key: run.seed, step: 1}", "s.yaml:3: unknown key \"step\" in an axis, which has key list range "
                                      "log uniform normal loguniform count seed zip"},
    {AXES "{key: contact.frictoin, list: [1]}",
     "s.yaml:3: no key of a scene is called \"contact.frictoin\"; did you mean \"contact.friction\"?"},
    {AXES "{key: restitution, list: [1]}",
     "s.yaml:3: no key of a scene is called \"restitution\"; did you mean \"contact.restitution\"?"},
    {AXES "{key: bodies.0.disks.cuont, list: [1]}",
     "s.yaml:3: no key of a scene is called \"bodies.0.disks.cuont\"; did you mean "
     "\"bodies.0.disks.count\"?"},
    {AXES "{key: contact.friction}",
     "s.yaml:3: an axis needs exactly one of list, range, log, uniform, normal, loguniform"},
    {AXES "{key: contact.friction, list: [1], log: 2}",
     "s.yaml:3: an axis needs exactly one of list, range, log, uniform, normal, loguniform"},
    {AXES "{key: contact.friction, lst: [1]}",
     "s.yaml:3: unknown key \"lst\" in an axis; did you mean \"list\"?"},
    {AXES "{key: contact.friction, list: 1}", "s.yaml:3: list must be a list of values: [1, 2, 3]"},
    {AXES "{key: contact.friction, list: []}", "s.yaml:3: list must be a list of values: [1, 2, 3]"},
    {AXES "{key: contact.friction, list: [1, ~]}", "s.yaml:3: a value is missing"},
    {AXES "{key: contact.friction, list: [1], count: 2}", "s.yaml:3: list has no count beside it"},
    {AXES "{key: contact.friction, range: {start: 0, stop: 1}, count: 2}",
     "s.yaml:3: range has no count beside it: it stands within"},
    {AXES "{key: contact.friction, range: [0, 1]}", "s.yaml:3: range must be a mapping (key: value)"},
    {AXES "{key: contact.friction, range: {start: 0, stop: 1}}",
     "s.yaml:3: range needs start, stop and either step or count"},
    {AXES "{key: contact.friction, range: {start: 0, stop: 1, step: 1, count: 3}}",
     "s.yaml:3: range needs start, stop and either step or count"},
    {AXES "{key: contact.friction, range: {start: 0, end: 1, step: 1}}",
     "s.yaml:3: unknown key \"end\" in range, which has start stop step count"},
    {AXES "{key: contact.friction, range: {start: 0, stop: 1, step: -1}}",
     "s.yaml:3: range: step must lead from start to stop, and not be 0"},
    {AXES "{key: contact.friction, range: {start: 0, stop: 1, step: 0}}",
     "s.yaml:3: range: step must lead from start to stop, and not be 0"},
    {AXES "{key: contact.friction, range: {start: 0, stop: 1, step: 1e-9}}",
     "s.yaml:3: range: has more than 1000000 values"},
    {AXES "{key: contact.friction, range: {start: zero, stop: 1, step: 1}}",
     "s.yaml:3: start must be a number"},
    {AXES "{key: contact.friction, range: {start: 0, stop: .inf, count: 3}}",
     "s.yaml:3: stop must be a number"},
    {AXES "{key: contact.friction, log: {start: 0, stop: 1, count: 3}}",
     "s.yaml:3: log: start and stop must be > 0"},
    {AXES "{key: contact.friction, log: {start: 1, stop: 2, step: 1}}",
     "s.yaml:3: unknown key \"step\" in log; did you mean \"stop\"?"},
    {AXES "{key: world.size, range: {start: 1, stop: 2, step: 1}}",
     "s.yaml:3: world.size takes two numbers > 0 and no single number: give it a list"},
    {AXES "{key: contact.model, uniform: [0, 1], count: 3}",
     "s.yaml:3: contact.model takes none, impulse or spring and no single number: give it a list"},
    {AXES "{key: contact.friction, uniform: [0, 1]}", "s.yaml:3: uniform needs a count of samples beside it"},
    {AXES "{key: contact.friction, uniform: [1, 0], count: 2}",
     "s.yaml:3: uniform: the first number must be below the second"},
    {AXES "{key: contact.friction, uniform: 1, count: 2}",
     "s.yaml:3: uniform must be two numbers: [lowest, highest]"},
    {AXES "{key: contact.friction, normal: [1, 0], count: 2}", "s.yaml:3: normal: the deviation must be > 0"},
    {AXES "{key: contact.friction, loguniform: [0, 1], count: 2}",
     "s.yaml:3: loguniform: the first number must be > 0 and below the second"},
    {AXES "{key: run.steps, uniform: [0.5, 2], count: 2}",
     "s.yaml:3: uniform: the key takes whole numbers, so both must be whole"},
    {AXES "{key: contact.friction, uniform: [0, 1], count: 2, seed: -1}",
     "s.yaml:3: seed must be a whole number from 0 to 18446744073709551615"},
    {AXES "{key: contact.friction, list: [1]}\n  - {key: contact.friction, list: [2]}",
     "s.yaml:4: contact.friction is on another axis, or in set, already"},
    {AXES "zip: [{key: run.dt, list: [1]}]", "s.yaml:3: zip must be a list of at least two axes"},
    {AXES "zip: [{key: run.dt, list: [1]}, {key: run.steps, list: [1, 2]}]",
     "s.yaml:3: zip: run.dt has 1 values and run.steps has 2"},
    {AXES "{zip: [], key: run.dt}", "s.yaml:3: zip stands alone: its axes are inside"},
    {AXES "zip: [{zip: []}, {key: run.dt, list: [1]}]",
     "s.yaml:3: zip within zip says nothing new: make it one"},
    {"scene: gas\naxes: [", NULL},
    {"scene: \"gas\nreplicas: 2", NULL},
    {"scene: gas\nreplicas: 2\n---\nscene: gas", NULL},
    {"\xff\xfe", NULL},
};

QD_TEST(says_in_one_line_what_is_wrong) {
    for (size_t i = 0; i < sizeof wrong_sweeps / sizeof wrong_sweeps[0]; ++i) {
        qdi_sweep *sweep = NULL;
        qd_error error;
        qd_status status = parse(wrong_sweeps[i].text, &sweep, &error);
        ck_assert_msg(status == QD_ERR_INVALID && !sweep, "was read: %s", wrong_sweeps[i].text);
        ck_assert_msg(strncmp(error.text, "s.yaml:", 7) == 0 && !strchr(error.text, '\n'), "%s", error.text);
        if (wrong_sweeps[i].reason) ck_assert_str_eq(error.text, wrong_sweeps[i].reason);
    }
}

/// Every sweep that docs/sweep.md shows is read, and all its points are scenes.
QD_TEST(the_sweeps_of_the_docs) {
    qd_own_memory char *text = qd_scratch_read(QD_SOURCE_DIR "/docs/sweep.md", NULL);
    static const uint64_t counts[] = {36, 72, 3, 100};
    static const char opens[] = "```yaml\n", closes[] = "\n```";
    size_t found = 0;
    ck_assert_ptr_nonnull(text);
    for (const char *at = text; (at = strstr(at, opens)) != NULL; ++found) {
        qd_own(qdi_sweep) sweep = NULL;
        qd_error error = {""};
        at += sizeof opens - 1;
        size_t bytes = (size_t)(strstr(at, closes) - at);
        ck_assert_msg(qdi_sweep_parse(qd_allocator_default(), at, bytes, "sweep.md", &sweep, &error) == QD_OK,
                      "%s", error.text);
        ck_assert_uint_lt(found, sizeof counts / sizeof counts[0]);
        ck_assert_uint_eq(qdi_sweep_count(sweep), counts[found]);
        qd_own(qdi_sweep_plan) plan = plan_of(sweep, 0, 1);
        for (size_t i = 0; i < plan.count; ++i)
            ck_assert_msg(plan.points[i].valid && !plan.points[i].twin, "%s", plan.points[i].reason);
    }
    ck_assert_uint_eq(found, sizeof counts / sizeof counts[0]);
}

/// Cuts and changes a good sweep anywhere: whatever comes out is read or refused, and points are made of it
/// or not.
QD_TEST(damaged_text_is_read_or_refused) {
    static const char good[] =
        "name: a\nscene: gas\nset: {bodies: 5, run.steps: 3}\naxes:\n"
        "  - {key: contact.friction, range: {start: 0, stop: 1, count: 2}}\n"
        "  - zip: [{key: run.dt, list: [1, 2]}, {key: contact.restitution, list: [1, 0]}]\n"
        "  - {key: world.drag.linear, uniform: [0, 1], count: 2, seed: 3}\nreplicas: 2\n";
    static const char letters[] = "0123456789.-+eE[]{}:, \n\t\"'#&*abckeyslitrngz";
    uint64_t seed = qd_test_seed(7);
    size_t read_too = 0;
    for (uint64_t round = 0; round < qd_test_effort(3000); ++round) {
        char text[sizeof good];
        qd_random random = qd_random_at(seed, round, 0);
        size_t bytes = sizeof good - 1;
        memcpy(text, good, sizeof good);
        for (uint64_t n = qd_random_bits(&random) % 3 + 1; n > 0; --n)
            text[qd_random_bits(&random) % bytes] = letters[qd_random_bits(&random) % (sizeof letters - 1)];
        if (round % 4 == 0) bytes = (size_t)(qd_random_bits(&random) % bytes);
        qd_own(qdi_sweep) sweep = NULL;
        qd_error error = {""};
        qd_status status = qdi_sweep_parse(qd_allocator_default(), text, bytes, "s.yaml", &sweep, &error);
        ck_assert_msg((status == QD_OK) == (sweep != NULL), "seed %" PRIu64 ", round %" PRIu64, seed, round);
        if (status != QD_OK)
            ck_assert_msg(strchr(error.text, '\n') == NULL && error.text[0], "%s", error.text);
        if (sweep && qdi_sweep_count(sweep) < 100 && ++read_too % 20 == 0) {
            qdi_sweep_plan plan;
            if (qdi_sweep_plan_make(sweep, 0, 1, &plan, &error) == QD_OK) qdi_sweep_plan_free(&plan);
        }
    }
    ck_assert_uint_gt(read_too, 0);
}

QD_TEST(memory_that_is_not_there) {
    static const char text[] =
        "scene: gas\nset: {bodies: 5}\naxes:\n"
        "  - {key: contact.friction, range: {start: 0, stop: 1, count: 3}}\n"
        "  - zip: [{key: run.dt, list: [1, 1]}, {key: contact.restitution, list: [1, 2]}]\n"
        "replicas: 2\n";
    bool whole = false;
    for (size_t fail = 1; !whole; ++fail) {
        qd_test_allocator allocator = qd_test_allocator_of(&allocator, fail);
        qdi_sweep *sweep = NULL;
        qd_error error = {""};
        qdi_sweep_plan plan = {0};
        qd_status status = qdi_sweep_parse(&allocator.allocator, text, strlen(text), "s.yaml", &sweep,
                                           &error);
        if (status == QD_OK) {
            status = qdi_sweep_plan_make(sweep, 0, 1, &plan, &error);
            whole = status == QD_OK && allocator.calls < fail;
            if (status == QD_OK) qdi_sweep_plan_free(&plan);
        }
        ck_assert_msg(status == QD_OK || status == QD_ERR_MEMORY, "%zu: %s", fail, error.text);
        ck_assert(status == QD_OK || error.text[0]);
        qdi_sweep_destroy(sweep);
        ck_assert_uint_eq(allocator.live, 0);
        ck_assert_uint_lt(fail, 10000);
    }
}

QD_TEST_MAIN("sweep_spec", 120, NULL, NULL)
