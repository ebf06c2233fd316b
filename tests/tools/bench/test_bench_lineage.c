// The bench's historical trees and the peers that were found: each must see, step after step, exactly the
// pairs that a test of every body against every other sees, each once, also where their originals were wrong.
#include "core/math/outward.h"
#include "tests/support/harness.h"
#include "tools/bench/bench_motion.h"
#include "tools/bench/method.h"

#include <math.h>
#include <quadrille/random.h>
#include <stdlib.h>
#include <string.h>

#define STEPS 12

/// Bodies that are moved here, too, by the one motion that all share.
typedef struct crowd {
    qdi_bench_bodies view;
    double *x, *y, *vx, *vy, *radius;
    size_t room;
} crowd;

static crowd crowd_make(size_t room, double side) {
    crowd c = {.room = room};
    c.x = qd_test_zeros(room, sizeof *c.x);
    c.y = qd_test_zeros(room, sizeof *c.y);
    c.vx = qd_test_zeros(room, sizeof *c.vx);
    c.vy = qd_test_zeros(room, sizeof *c.vy);
    c.radius = qd_test_zeros(room, sizeof *c.radius);
    c.view = (qdi_bench_bodies){0, side, c.x, c.y, c.vx, c.vy, c.radius, 0.0};
    return c;
}

static void crowd_free(crowd *c) {
    free(c->x);
    free(c->y);
    free(c->vx);
    free(c->vy);
    free(c->radius);
}

static void put(crowd *c, double x, double y, double vx, double vy, double radius) {
    size_t i = c->view.count++;
    ck_assert_uint_lt(i, c->room);
    c->x[i] = x;
    c->y[i] = y;
    c->vx[i] = vx;
    c->vy[i] = vy;
    c->radius[i] = radius;
    c->view.largest = fmax(c->view.largest, radius);
}

static double within(qd_random *random, double half) {
    return half * (2.0 * qd_random_uniform(random) - 1.0);
}

/// A body at random, its draws in this order whatever the compiler does with arguments.
static void put_at_random(crowd *c, qd_random *random, double reach_x, double reach_y, double sigma,
                          double radius) {
    double x = within(random, reach_x);
    double y = within(random, reach_y);
    double vx = sigma * qd_random_normal(random);
    double vy = sigma * qd_random_normal(random);
    put(c, x, y, vx, vy, radius);
}

static crowd uniform(qd_random *random, double sigma) {
    size_t count = qd_test_effort(2000);
    crowd c = crowd_make(count, sqrt((double)count * 0.785 / 0.3));
    const double half = 0.5 * c.view.side;
    for (size_t i = 0; i < count; ++i) put_at_random(&c, random, half, half, sigma, 0.5);
    return c;
}

static crowd clusters(qd_random *random) {
    size_t count = qd_test_effort(2000);
    crowd c = crowd_make(count, sqrt((double)count * 0.785 / 0.02));
    const double half = 0.5 * c.view.side;
    double middles[8][2] = {{0}};
    for (int i = 0; i < 8; ++i) {
        middles[i][0] = within(random, half);
        middles[i][1] = within(random, half);
    }
    for (size_t i = 0; i < count; ++i) {
        const double *middle = middles[i % 8];
        double x = middle[0] + 0.03 * half * qd_random_normal(random);
        double y = middle[1] + 0.03 * half * qd_random_normal(random);
        double vx = 0.1 * qd_random_normal(random);
        double vy = 0.1 * qd_random_normal(random);
        put(&c, fmin(fmax(x, -half), half), fmin(fmax(y, -half), half), vx, vy, 0.5);
    }
    return c;
}

static crowd sizes(qd_random *random) {
    size_t count = qd_test_effort(1500);
    crowd c = crowd_make(count, sqrt((double)count * 14.0 / 0.3));
    for (size_t i = 0; i < count; ++i) {
        double u = 1.0 - qd_random_uniform(random);
        put_at_random(&c, random, 0.5 * c.view.side, 0.5 * c.view.side, 0.1, fmin(0.5 / sqrt(u), 50.0));
    }
    return c;
}

/// Bodies on, against and across the middle lines of every level, along both axes, most of them at rest.
static crowd middle_lines(qd_random *random) {
    crowd c = crowd_make(4 * 63 + 200, 64.0);
    for (int i = -31; i <= 31; ++i) {
        put(&c, i, 0.25 * i, 0.0, 0.0, 0.75);
        put(&c, 0.25 * i, i, 0.0, 0.0, 0.5);
        put(&c, i, 0.0, i % 2 ? 0.125 : 0.0, 0.0, 0.5);
        put(&c, 0.0, i, 0.0, i % 2 ? -0.125 : 0.0, 0.0);
    }
    for (int i = 0; i < 200; ++i) // enough small ones that the lines exist
        put_at_random(&c, random, 32.0, 32.0, 0.0, 0.125);
    return c;
}

/// Bodies far outside, among them some that stay outside for many steps, and bodies that reach across the
/// walls.
static crowd outside(qd_random *random) {
    crowd c = crowd_make(600, 20.0);
    for (int i = 0; i < 600; ++i) {
        double reach = i % 3 == 0 ? 10.0 : i % 3 == 1 ? 30.0 : 300.0;
        put_at_random(&c, random, reach, i % 2 ? 10.0 : reach, 0.5, i % 50 == 0 ? 15.0 : 1.0);
    }
    return c;
}

/// Bodies in one place, more than any node holds: on the crossing of the middle lines, elsewhere, and moving
/// together.
static crowd coincident(qd_random *random) {
    crowd c = crowd_make(180, 100.0);
    for (int i = 0; i < 60; ++i) {
        put(&c, 0.0, 0.0, 0.0, 0.0, 0.5);
        put(&c, 12.3, -45.6, 0.0, 0.0, i % 2 ? 0.5 : 0.0);
        put(&c, -40.0, 7.0, 3.3, -2.2, 0.1 + 0.1 * qd_random_uniform(random));
    }
    return c;
}

static int by_value(const void *a, const void *b) {
    uint64_t left = 0, right = 0;
    memcpy(&left, a, sizeof left);
    memcpy(&right, b, sizeof right);
    return left < right ? -1 : left > right;
}

typedef struct keys {
    uint64_t *items;
    size_t count, room;
} keys;

static void add_key(keys *k, uint32_t a, uint32_t b) {
    if (k->count == k->room) {
        k->room = 2 * k->room + 64;
        uint64_t *items = realloc(k->items, k->room * sizeof *items);
        ck_assert_ptr_nonnull(items);
        k->items = items;
    }
    k->items[k->count++] = a < b ? (uint64_t)a << 32 | b : (uint64_t)b << 32 | a;
}

static void move_all(crowd *c) {
    qdi_bench_move(c->x, c->vx, c->view.count, 0.5 * c->view.side);
    qdi_bench_move(c->y, c->vy, c->view.count, 0.5 * c->view.side);
}

static void all_pairs(const crowd *c, keys *k) {
    qd_own_memory qd_box *boxes = qd_test_memory((c->view.count + 1) * sizeof *boxes);
    for (size_t i = 0; i < c->view.count; ++i) boxes[i] = qdi_outward_disk(c->x[i], c->y[i], c->radius[i]);
    k->count = 0;
    for (uint32_t a = 0; a < c->view.count; ++a)
        for (uint32_t b = a + 1; b < c->view.count; ++b)
            if (qd_box_overlap(boxes[a], boxes[b])) add_key(k, a, b);
    if (k->count > 0) qsort(k->items, k->count, sizeof *k->items, by_value);
}

static void pairs_of(const qdi_bench_step *step, keys *k) {
    k->count = 0;
    for (size_t i = 0; i < step->pair_count; ++i) {
        uint32_t ab[2];
        memcpy(ab, (const unsigned char *)step->pairs + i * step->pair_stride, sizeof ab);
        add_key(k, ab[0], ab[1]);
    }
    if (k->count > 0) qsort(k->items, k->count, sizeof *k->items, by_value);
}

/// Runs a method beside the test of all against all; returns the number of pairs of all steps. Frees the
/// crowd.
static size_t follow(const qdi_bench_method *method, crowd *c, const char *scene, uint64_t seed) {
    const qdi_bench_options options = {.threads = 1, .simd = 0};
    void *state = NULL;
    ck_assert_int_eq(method->create(&c->view, &options, &state), QD_OK);
    ck_assert_ptr_nonnull(state);
    keys mine = {0}, theirs = {0};
    size_t total = 0;
    for (int i = 0; i < STEPS; ++i) {
        qdi_bench_step step = {.pairs = NULL};
        ck_assert_int_eq(method->step(state, &step), QD_OK);
        move_all(c);
        all_pairs(c, &mine);
        pairs_of(&step, &theirs);
        ck_assert_msg(mine.count == theirs.count, "%s, %s, seed %llu, step %d: %zu pairs instead of %zu",
                      method->name, scene, (unsigned long long)seed, i, theirs.count, mine.count);
        for (size_t j = 0; j < mine.count; ++j)
            ck_assert_msg(mine.items[j] == theirs.items[j],
                          "%s, %s, seed %llu, step %d: pair %llx instead of %llx", method->name, scene,
                          (unsigned long long)seed, i, (unsigned long long)theirs.items[j],
                          (unsigned long long)mine.items[j]);
        total += mine.count;
    }
    method->destroy(state);
    free(mine.items);
    free(theirs.items);
    crowd_free(c);
    return total;
}

/// The methods of this file among those of the build; NULL past the last.
static const qdi_bench_method *method_number(int wanted) {
    for (size_t i = 0;; ++i) {
        const qdi_bench_method *method = qdi_bench_method_at(i);
        if (!method) return NULL;
        bool ours = strncmp(method->name, "lineage-", 8) == 0 || strcmp(method->name, "box2d") == 0 ||
                    strncmp(method->name, "chipmunk-", 9) == 0 || strcmp(method->name, "cgal") == 0;
        if (ours && wanted-- == 0) return method;
    }
}

static int method_count(void) {
    int count = 0;
    while (method_number(count)) ++count;
    return count;
}

QD_TEST(all_four_trees_are_there) {
    const qdi_bench_method *const trees[] = {&qdi_bench_lineage_a, &qdi_bench_lineage_b, &qdi_bench_lineage_c,
                                             &qdi_bench_lineage_e};
    for (size_t i = 0; i < 4; ++i) {
        bool found = false;
        for (int j = 0; method_number(j); ++j) found = found || method_number(j) == trees[i];
        ck_assert_msg(found, "%s is not among the methods", trees[i]->name);
    }
}

QD_TEST_LOOP(random_scenes, 0, method_count()) {
    const qdi_bench_method *method = method_number(_i);
    for (uint64_t seed = qd_test_seed(1), last = seed + (qd_test_replaying() ? 0 : 1); seed <= last; ++seed) {
        qd_random random = qd_random_at(seed, 0, 0);
        crowd c = uniform(&random, 0.1);
        ck_assert_uint_gt(follow(method, &c, "uniform", seed), 0);
        c = uniform(&random, 3.0);
        ck_assert_uint_gt(follow(method, &c, "fast", seed), 0);
        c = clusters(&random);
        ck_assert_uint_gt(follow(method, &c, "clusters", seed), 0);
        c = sizes(&random);
        ck_assert_uint_gt(follow(method, &c, "sizes", seed), 0);
    }
}

QD_TEST_LOOP(awkward_scenes, 0, method_count()) {
    const qdi_bench_method *method = method_number(_i);
    uint64_t seed = qd_test_seed(7);
    qd_random random = qd_random_at(seed, 0, 0);
    crowd c = middle_lines(&random);
    ck_assert_uint_gt(follow(method, &c, "middle lines", seed), 0);
    c = outside(&random);
    ck_assert_uint_gt(follow(method, &c, "outside", seed), 0);
    c = coincident(&random);
    ck_assert_uint_ge(follow(method, &c, "coincident", seed), (size_t)STEPS * 3 * (60 * 59 / 2));
}

QD_TEST_LOOP(few_bodies, 0, method_count()) {
    const qdi_bench_method *method = method_number(_i);
    for (int count = 0; count <= 3; ++count) {
        crowd c = crowd_make(3, 10.0);
        for (int i = 0; i < count; ++i) put(&c, 0.5 * i, 0.25 * i, 0.01, 0.02 * i, 0.3);
        (void)follow(method, &c, "few bodies", 0);
    }
}

/// A tree that never merges or keeps stale places would show it when everybody goes and comes back.
QD_TEST_LOOP(wandering, 0, method_count()) {
    const qdi_bench_method *method = method_number(_i);
    crowd c = crowd_make(400, 40.0);
    for (int i = 0; i < 400; ++i)
        put(&c, -19.0 + 0.05 * (i % 20), -19.0 + 0.05 * (i / 20), 5.0 + 0.01 * (i % 7), 4.0 - 0.01 * (i % 11),
            0.04);
    ck_assert_uint_gt(follow(method, &c, "wandering", 0), 0);
}

QD_TEST_MAIN("bench_lineage", 240, NULL, NULL)
