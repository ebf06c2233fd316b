#include "tests/support/lives.h"

#include "tests/support/harness.h"
#include "tests/support/worlds.h"

#include <math.h>
#include <quadrille/compare.h>
#include <quadrille/metrics.h>
#include <quadrille/world.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { LIVES = 4 };

typedef struct lives {
    uint64_t seed;
    size_t step;
    qd_world *world[LIVES];
    bool forced; ///< a callback acts on them
    qd_test_dice dice;
    qd_test_allocator dirty; ///< life 1 gets memory from it that is not zero
} lives;

#define FAIL(all, ...) fail_at(all, __LINE__, __VA_ARGS__)

static void fail_at(const lives *all, int line, const char *form, ...) {
    char text[512];
    va_list args;
    va_start(args, form);
    vsnprintf(text, sizeof text, form, args);
    va_end(args);
    ck_abort_msg("seed %llu, step %zu: %s (line %d)", (unsigned long long)all->seed, all->step, text, line);
}

// ---- comparing ----

static bool tell_first(void *context, const qd_difference *difference) {
    if (difference->work) return true;
    snprintf(context, 256, "%s, %s: %s and %s", difference->subject, difference->field, difference->first,
             difference->second);
    return false;
}

static bool same_number(const char *p, const char *q, const qd_metric_field *field) {
    if (memcmp(p + field->offset, q + field->offset, 8) == 0) return true;
    return strncmp(field->name, "tree_", 5) == 0 || strcmp(field->name, "saved_bytes") == 0;
}

/// Fails where two worlds differ in anything but how the work was done.
static void check_same(const lives *all, const qd_world *p, const qd_world *q, const char *what) {
    char first[256] = "";
    qd_comparison found;
    ck_assert_int_eq(qd_world_compare(p, q, tell_first, first, &found), QD_OK);
    if (found.fields > 0) FAIL(all, "%s: %s", what, first);
    if (qd_world_hash(p) != qd_world_hash(q)) FAIL(all, "%s: other hash", what);
    qd_metrics one, two;
    size_t count;
    const qd_metric_field *fields = qd_metric_fields(&count);
    qd_world_measure(p, &one);
    qd_world_measure(q, &two);
    for (size_t i = 0; i < count; ++i)
        if (!same_number((const char *)&one, (const char *)&two, &fields[i]))
            FAIL(all, "%s: other metric %s", what, fields[i].name);
}

static void check_all(const lives *all, bool events) {
    for (size_t k = 1; k < LIVES; ++k) {
        char what[32];
        snprintf(what, sizeof what, "life %zu", k);
        check_same(all, all->world[0], all->world[k], what);
        if (events && qd_test_events_hash(all->world[0]) != qd_test_events_hash(all->world[k]))
            FAIL(all, "%s: other events", what);
    }
}

/// Metrics are finite, as they say.
static void check_finite(const lives *all) {
    qd_metrics metrics;
    size_t count;
    const qd_metric_field *fields = qd_metric_fields(&count);
    qd_world_measure(all->world[0], &metrics);
    for (size_t i = 0; i < count; ++i) {
        double value;
        memcpy(&value, (const char *)&metrics + fields[i].offset, sizeof value);
        if (fields[i].kind == QD_METRIC_REAL && !isfinite(value))
            FAIL(all, "metric %s is %g", fields[i].name, value);
    }
}

// ---- forces ----

static void push(void *context, const qd_force_range *range) {
    const double unit = *(const double *)context;
    for (size_t i = 0; i < range->count; ++i) {
        range->force_x[i] += 0.5 * unit * range->mass[i] * range->turn_c[i] - range->mass[i] * range->vx[i];
        range->force_y[i] += unit * range->mass[i] * range->turn_s[i] * range->time;
        range->torque[i] += 0.01 * unit * unit * range->mass[i];
    }
}

static void set_force(const lives *all, qd_world *world) {
    ck_assert_int_eq(qd_world_set_force(world, all->forced ? push : NULL, (void *)(uintptr_t)&all->dice.unit),
                     QD_OK);
}

// ---- saving and loading ----

/// The world again, from what it saves; what that saves is the same.
static qd_world *copy_of(const lives *all, const qd_world *world, int threads) {
    unsigned char *data[2] = {NULL, NULL};
    size_t bytes[2] = {0, 0};
    qd_error error = {""};
    qd_world *copy = NULL;
    ck_assert_int_eq(qd_world_save(world, &data[0], &bytes[0]), QD_OK);
    if (qd_world_load(data[0], bytes[0], threads, NULL, &copy, &error) != QD_OK)
        FAIL(all, "load: %s", error.text);
    ck_assert_int_eq(qd_world_save(copy, &data[1], &bytes[1]), QD_OK);
    size_t at = 0;
    while (at < bytes[0] && at < bytes[1] && data[0][at] == data[1][at]) ++at;
    if (at < bytes[0] || bytes[0] != bytes[1])
        FAIL(all, "a copy saves other bytes, from %zu of %zu on", at, bytes[0]);
    qd_world_save_free(world, data[0], bytes[0]);
    qd_world_save_free(copy, data[1], bytes[1]);
    set_force(all, copy);
    return copy;
}

static void check_loads(const lives *all) {
    qd_own(qd_world) copy = copy_of(all, all->world[0], 1);
    check_same(all, all->world[0], copy, "a copy");
}

static void reload(lives *all, size_t k) {
    qd_world *copy = copy_of(all, all->world[k], 1 + (int)qd_test_dice_below(&all->dice, 2));
    qd_world_destroy(all->world[k]);
    all->world[k] = copy;
}

// ---- what is done to all ----

/// All worlds must say the same.
static qd_status agree(const lives *all, const qd_status status[LIVES], const char *what) {
    for (size_t k = 1; k < LIVES; ++k)
        if (status[k] != status[0])
            FAIL(all, "%s: %s, but life %zu: %s", what, qd_status_text(status[0]), k,
                 qd_status_text(status[k]));
    return status[0];
}

/// A living body, or an id that is nobody's.
static qd_id somebody(lives *all) {
    qd_body_view view = qd_world_view(all->world[0]);
    if (view.count == 0) return (qd_id){0, 1};
    size_t at = qd_test_dice_below(&all->dice, view.index_count);
    while (view.row_of_index[at] == QD_NO_BODY) at = (at + 1) % view.index_count;
    uint32_t row = view.row_of_index[at];
    return (qd_id){view.index[row], view.generation[row]};
}

static void add_body(lives *all) {
    qd_body_def body = qd_test_dice_body(&all->dice);
    qd_status status[LIVES];
    for (size_t k = 0; k < LIVES; ++k) status[k] = qd_world_add(all->world[k], &body, NULL, NULL);
    (void)agree(all, status, "add");
}

static void add_polyline(lives *all) {
    qd_test_dice *dice = &all->dice;
    qd_vec2 points[8];
    size_t count = 2 + qd_test_dice_below(dice, 7);
    bool closed = qd_test_dice_hit(dice, 2);
    for (size_t i = 0; i < count; ++i) points[i] = qd_test_dice_place(dice);
    qd_body_def like = qd_test_dice_body(dice);
    qd_status status[LIVES];
    for (size_t k = 0; k < LIVES; ++k)
        status[k] = qd_world_add_polyline(all->world[k], points, count, closed, &like, NULL, NULL);
    (void)agree(all, status, "polyline");
}

static void add_source(lives *all) {
    qd_status status[LIVES];
    qd_emitter_def emitter = qd_test_dice_emitter(&all->dice);
    qd_sink_def sink = qd_test_dice_sink(&all->dice);
    bool emits = qd_test_dice_hit(&all->dice, 2);
    for (size_t k = 0; k < LIVES; ++k)
        status[k] = emits ? qd_world_add_emitter(all->world[k], &emitter, NULL)
                          : qd_world_add_sink(all->world[k], &sink, NULL);
    (void)agree(all, status, emits ? "emitter" : "sink");
}

static void place_body(lives *all) {
    qd_status status[LIVES];
    qd_id id = somebody(all);
    qd_vec2 at = qd_test_dice_place(&all->dice), velocity = qd_test_dice_velocity(&all->dice);
    for (size_t k = 0; k < LIVES; ++k) status[k] = qd_world_place(all->world[k], id, at, velocity, NULL);
    (void)agree(all, status, "place");
}

static void turn_body(lives *all) {
    qd_status status[LIVES];
    qd_id id = somebody(all);
    double angle = qd_test_dice_number(&all->dice, -9, 9), spin = qd_test_dice_number(&all->dice, -9, 9);
    for (size_t k = 0; k < LIVES; ++k) status[k] = qd_world_turn(all->world[k], id, angle, spin, NULL);
    (void)agree(all, status, "turn");
}

static void remove_body(lives *all) {
    qd_status status[LIVES];
    qd_id id = somebody(all);
    for (size_t k = 0; k < LIVES; ++k) status[k] = qd_world_remove(all->world[k], id);
    (void)agree(all, status, "remove");
}

static qd_status detect(const lives *all) {
    qd_status status[LIVES];
    for (size_t k = 0; k < LIVES; ++k) status[k] = qd_world_detect(all->world[k]);
    return agree(all, status, "detect");
}

static void change(lives *all) {
    switch (qd_test_dice_below(&all->dice, 12)) {
    case 0:
    case 1:
    case 2: add_body(all); break;
    case 3:
    case 4: remove_body(all); break;
    case 5:
    case 6: place_body(all); break;
    case 7: turn_body(all); break;
    case 8: add_polyline(all); break;
    case 9: add_source(all); break;
    case 10:
        if (detect(all) == QD_OK) check_all(all, false);
        break;
    default:
        all->forced = !all->forced;
        for (size_t k = 0; k < LIVES; ++k) set_force(all, all->world[k]);
    }
}

// ---- a case ----

/// The same world, found in another way.
static void vary(qd_test_dice *dice, size_t life, qd_world_def *def) {
    const double margins[LIVES] = {(double)NAN, 0, 0.2 * dice->unit, (double)NAN};
    def->margin = margins[life];
    def->threads = 1 + (int)(life % 2);
    if (life == 0) return;
    def->retrieve = (qd_retrieve_mode)qd_test_dice_below(dice, 3);
    def->capacity = 1 + (uint32_t)qd_test_dice_below(dice, 70);
}

static bool create_all(lives *all) {
    const qd_world_def def = qd_test_dice_def(&all->dice);
    qd_status status[LIVES];
    for (size_t k = 0; k < LIVES; ++k) {
        qd_world_def own = def;
        vary(&all->dice, k, &own);
        if (k == 1) own.allocator = &all->dirty.allocator;
        status[k] = qd_world_create(&own, &all->world[k]);
    }
    return agree(all, status, "create") == QD_OK;
}

static void populate(lives *all) {
    size_t bodies = qd_test_dice_below(&all->dice, 40);
    if (all->dice.crowd) bodies = 2000 + qd_test_dice_below(&all->dice, 3000);
    for (size_t i = 0; i < bodies; ++i) add_body(all);
    if (qd_test_dice_hit(&all->dice, 4)) add_polyline(all);
    while (qd_test_dice_hit(&all->dice, 2)) add_source(all);
}

/// False where a limit stopped the step.
static bool step_all(lives *all) {
    double dt = 0.02;
    if (qd_test_dice_hit(&all->dice, 5)) dt = fabs(qd_test_dice_number(&all->dice, 0.001, 0.2));
    qd_status status[LIVES];
    bool detected = qd_test_dice_hit(&all->dice, 2) && detect(all) == QD_OK;
    uint64_t before = qd_world_hash(all->world[0]);
    for (size_t k = 0; k < LIVES; ++k) status[k] = qd_world_step(all->world[k], dt, NULL);
    if (agree(all, status, "step") == QD_OK) return true;
    if (detected && qd_world_hash(all->world[0]) != before) FAIL(all, "a refused step left a trace");
    qd_limit_report first = qd_world_limit_report(all->world[0]);
    if (!all->dice.wild && strstr(first.reason, "beyond what a world can hold"))
        FAIL(all, "%s", first.reason);
    if (status[0] != QD_ERR_LIMIT) return false; // the report of an older refusal is not saved
    for (size_t k = 1; k < LIVES; ++k) {
        qd_limit_report report = qd_world_limit_report(all->world[k]);
        if (strcmp(report.reason, first.reason) != 0 || report.label != first.label)
            FAIL(all, "life %zu: %s, not %s", k, report.reason, first.reason);
    }
    return false;
}

void qd_test_live(uint64_t seed, const qd_test_dice *dice) {
    lives all = {.seed = seed, .dice = *dice};
    all.dirty = qd_test_allocator_of(&all.dirty, 0);
    if (create_all(&all)) {
        populate(&all);
        check_loads(&all);
        size_t steps = 3 + qd_test_dice_below(&all.dice, 20), refused = 0;
        if (all.dice.crowd) steps = 3;
        for (; all.step < steps && refused < 3; ++all.step) {
            while (qd_test_dice_hit(&all.dice, 3)) change(&all);
            while (qd_test_dice_hit(&all.dice, 4)) reload(&all, 1 + qd_test_dice_below(&all.dice, LIVES - 1));
            bool stepped = step_all(&all);
            refused += !stepped;
            check_all(&all, stepped);
            check_finite(&all);
            check_loads(&all);
        }
    }
    for (size_t k = 0; k < LIVES; ++k) qd_world_destroy(all.world[k]);
}
