// A world whose bodies move about for ever comes to need no more memory: after a while no step calls the
// allocator, on any number of threads, whoever of them is faster. What was called is counted for tree, pairs
// and team together.
#include "tests/support/harness.h"
#include "tests/support/worlds.h"

#include <math.h>
#include <quadrille/random.h>
#include <quadrille/tree.h>
#include <string.h>

enum { BODIES = 3000, WARM = 300, MEASURED = 200, ORDERED_EVERY = 40 };

typedef struct gas {
    double side;
    double x[BODIES], y[BODIES], vx[BODIES], vy[BODIES], radius[BODIES];
    qd_body_index index[BODIES];
    uint32_t places[BODIES];
    qd_box boxes[BODIES];
    qd_tree *tree;
    qd_team *team;
    qd_pairs *pairs;
} gas;

typedef struct kind {
    const char *name;
    double fill, speed;
    bool sizes;
    double period; // over the side: 0 or 1
} kind;

static const kind kinds[] = {
    {"slow", .3, .02, false, 0},
    {"fast", .3, .3, false, 0},
    {"sizes", .3, .1, true, 0},
    {"periodic", .3, .1, true, 1},
};
enum { KINDS = sizeof kinds / sizeof *kinds, MOST_THREADS = 2 };

static void gas_fill(gas *all, const kind *of) {
    double area = 0;
    qd_random random = qd_random_at(5, 0, 0);
    for (size_t i = 0; i < BODIES; ++i) {
        double u = 1.0 - qd_random_uniform(&random);
        all->radius[i] = of->sizes ? fmin(8.0, .5 / sqrt(u)) : .5;
        area += 3.14 * all->radius[i] * all->radius[i];
    }
    all->side = sqrt(area / of->fill);
    for (size_t i = 0; i < BODIES; ++i) {
        all->x[i] = (qd_random_uniform(&random) - .5) * all->side;
        all->y[i] = (qd_random_uniform(&random) - .5) * all->side;
        all->vx[i] = of->speed * qd_random_normal(&random);
        all->vy[i] = of->speed * qd_random_normal(&random);
        all->index[i] = (qd_body_index)i;
    }
}

static void gas_start(gas *all, const kind *of, int threads, const qd_allocator *allocator) {
    gas_fill(all, of);
    qd_team_def team = qd_team_def_default();
    team.threads = threads;
    team.allocator = allocator;
    ck_assert_int_eq(qd_team_create(&team, &all->team), QD_OK);
    qd_tree_def def = qd_tree_def_default();
    def.size = (qd_vec2){all->side, all->side};
    def.period = (qd_vec2){of->period * all->side, of->period * all->side};
    def.capacity = 16; // a deeper tree, with more that splits and merges
    def.allocator = allocator;
    ck_assert_int_eq(qd_tree_create(&def, &all->tree), QD_OK);
    ck_assert_int_eq(qd_pairs_create(100 * (size_t)BODIES, allocator, &all->pairs), QD_OK);
}

static void gas_stop(gas *all) {
    qd_pairs_destroy(all->pairs);
    qd_tree_destroy(all->tree);
    qd_team_destroy(all->team);
}

static void move_column(double *x, double *v, double half) {
    for (size_t i = 0; i < BODIES; ++i) {
        x[i] += v[i];
        if (x[i] > half || x[i] < -half) {
            x[i] = copysign(2 * half, x[i]) - x[i];
            v[i] = -v[i];
        }
    }
}

static void order_column(gas *all, double *column) {
    static double old[BODIES];
    memcpy(old, column, sizeof old);
    for (size_t r = 0; r < BODIES; ++r) column[r] = old[all->places[r]];
}

// Rows in tree order, as those do who keep their own arrays in it.
static void order_rows(gas *all) {
    static qd_body_index old[BODIES];
    ck_assert_int_eq(qd_tree_order(all->tree, all->team, all->places), QD_OK);
    order_column(all, all->x);
    order_column(all, all->y);
    order_column(all, all->vx);
    order_column(all, all->vy);
    order_column(all, all->radius);
    memcpy(old, all->index, sizeof old);
    for (size_t r = 0; r < BODIES; ++r) all->index[r] = old[all->places[r]];
}

static void gas_step(gas *all, int step, qd_tree_counts *sum) {
    move_column(all->x, all->vx, all->side / 2);
    move_column(all->y, all->vy, all->side / 2);
    for (size_t i = 0; i < BODIES; ++i) {
        const double r = all->radius[i];
        all->boxes[i] = (qd_box){(float)(all->x[i] - r), (float)(all->y[i] - r), (float)(all->x[i] + r),
                                 (float)(all->y[i] + r)};
    }
    qd_tree_counts counts;
    ck_assert_int_eq(qd_tree_refresh(all->tree, all->team, all->boxes, all->index, BODIES, &counts, NULL),
                     QD_OK);
    ck_assert_int_eq(qd_tree_pairs(all->tree, all->team, all->pairs), QD_OK);
    sum->refiled += counts.refiled;
    sum->splits += counts.splits;
    sum->merges += counts.merges;
    if (step % ORDERED_EVERY == 0) order_rows(all);
}

QD_TEST_LOOP(a_steady_step_allocates_nothing, 0, KINDS *MOST_THREADS) {
    static gas all;
    const kind *of = &kinds[_i / MOST_THREADS];
    const int threads = 1 + _i % MOST_THREADS;
    qd_test_allocator memory = qd_test_allocator_of(&memory, 0);
    gas_start(&all, of, threads, &memory.allocator);
    qd_tree_counts counts = {0};
    for (int step = 0; step < WARM; ++step) gas_step(&all, step, &counts);
    const size_t calls = memory.calls, bytes = memory.live_bytes;
    counts = (qd_tree_counts){0};
    for (int step = WARM; step < WARM + MEASURED; ++step) {
        gas_step(&all, step, &counts);
        // Who does what is a matter of chance: a thread that does more than ever needs more, now and then.
        const size_t grown = threads > 1 ? 3 * (size_t)threads : 0;
        ck_assert_msg(memory.calls <= calls + grown,
                      "%s, %d threads: step %d called the allocator, %zu times in all", of->name, threads,
                      step, memory.calls - calls);
    }
    if (threads == 1) ck_assert_uint_eq(memory.live_bytes, bytes);
    // There was something to do.
    ck_assert_uint_gt(counts.refiled, BODIES / 2);
    ck_assert_uint_gt(counts.splits, MEASURED / 10);
    ck_assert_uint_gt(counts.merges, MEASURED / 10);
    ck_assert_int_eq(qd_tree_validate(all.tree, NULL), QD_OK);
    gas_stop(&all);
    ck_assert_uint_eq(memory.live, 0);
}

// The same of a whole step. Contacts come and go, and now and then there are more of them at once than ever
// before.
QD_TEST_LOOP(a_steady_world_allocates_nothing, 1, 3) {
    qd_test_allocator memory = qd_test_allocator_of(&memory, 0);
    qd_world_def def = qd_world_def_default();
    def.allocator = &memory.allocator;
    def.threads = _i;
    qd_test_gas_def(&def, 40, 40);
    qd_world *world = qd_test_world(&def);
    qd_test_gas_fill(world, 40, 40, 1);
    qd_test_step(world, 0.01, 8000); // long, for boxes last for many steps: candidates are seldom found anew
    const size_t calls = memory.calls;
    qd_test_step(world, 0.01, 1000);
    ck_assert_uint_eq(memory.calls, calls);
    qd_world_destroy(world);
    ck_assert_uint_eq(memory.live, 0);
}

QD_TEST_MAIN("steady", 240, NULL, NULL)
