#include "sim/scene/generate.h"

#include "sim/scene/generate_cells.h"
#include "sim/scene/scene_impl.h"
#include "tests/support/harness.h"
#include "tests/support/scenes.h"

#include <quadrille/hash.h>
#include <quadrille/random.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

QD_OWN_VALUE(qdi_generated, qdi_generated_release)

static qdi_generated generate(const char *text) {
    qd_own(qd_scene) scene = qd_test_scene(text, NULL);
    qdi_generated bodies = {.allocator = qd_allocator_default()};
    qd_error error = {""};
    ck_assert_msg(qdi_generate(&scene->settings, &bodies, &error) == QD_OK, "%s\n%s", error.text, text);
    ck_assert_uint_eq(bodies.count, qd_scene_bodies(scene));
    return bodies;
}

static void check_refused(const char *text, const char *reason) {
    qd_own(qd_scene) scene = qd_test_scene(text, NULL);
    qd_own(qdi_generated) bodies = {.allocator = qd_allocator_default()};
    qd_error error = {""};
    ck_assert_int_eq(qdi_generate(&scene->settings, &bodies, &error), QD_ERR_INVALID);
    ck_assert_str_eq(error.text, reason);
}

static double gap(const qdi_generated *bodies, size_t i, size_t j, const qd_world_def *world) {
    double dx = fabs(bodies->x[i] - bodies->x[j]), dy = fabs(bodies->y[i] - bodies->y[j]);
    if (world->boundary_x == QD_BOUNDARY_PERIODIC) dx = fmin(dx, world->size.x - dx);
    if (world->boundary_y == QD_BOUNDARY_PERIODIC) dy = fmin(dy, world->size.y - dy);
    return sqrt(dx * dx + dy * dy) - bodies->radius[i] - bodies->radius[j];
}

/// No two overlap by more than rounding, nobody sticks out of a wall or, where the region is not the whole
/// period, of its region.
static void check_placed(const qd_scene *scene, const qdi_generated *bodies, double slack) {
    const qd_world_def *world = &scene->settings.world;
    // An assertion costs a system call, so only what fails gets one.
    for (size_t i = 0; i < bodies->count; ++i)
        for (size_t j = 0; j < i; ++j)
            if (!(gap(bodies, i, j, world) > -slack))
                ck_abort_msg("%zu and %zu overlap\n%s", i, j, qd_scene_text(scene));
    size_t body = 0;
    for (size_t k = 0; k < scene->settings.item_count; ++k) {
        const qdi_region *region = &scene->settings.items[k].region;
        bool seam_x = world->boundary_x == QD_BOUNDARY_PERIODIC && region->width == world->size.x;
        bool seam_y = world->boundary_y == QD_BOUNDARY_PERIODIC && region->height == world->size.y;
        for (size_t i = 0; i < scene->settings.items[k].count; ++i, ++body) {
            double r_x = seam_x ? 0 : bodies->radius[body], r_y = seam_y ? 0 : bodies->radius[body];
            ck_assert(bodies->x[body] - r_x >= region->x - slack &&
                      bodies->y[body] - r_y >= region->y - slack);
            ck_assert(bodies->x[body] + r_x <= region->x + region->width + slack);
            ck_assert(bodies->y[body] + r_y <= region->y + region->height + slack);
        }
    }
}

QD_TEST(places_without_overlap) {
    uint64_t seed = qd_test_seed(21);
    static const char *const boundaries[] = {"reflect", "periodic", "open"};
    static const char *const radii[] = {"0.5",
                                        "{uniform: [0.1, 0.9]}",
                                        "{power: {min: 0.05, max: 5, exponent: 2.667}}",
                                        "{power: {min: 0.1, max: 4, exponent: 1}}",
                                        "{power: {min: 0.2, max: 1, exponent: -2}}",
                                        "1e-3"};
    for (size_t i = 0; i < qd_test_effort(300); ++i) {
        qd_random random = qd_random_at(seed, i, 0);
        char text[1000];
        int used = snprintf(
            text, sizeof text,
            "world: {size: [%d, %d], origin: [%d, 7], boundary: {x: %s, y: %s}}\n"
            "run: {seed: %d}\nbodies:\n",
            60 + (int)(qd_random_bits(&random) % 40), 30 + (int)(qd_random_bits(&random) % 60),
            (int)(qd_random_bits(&random) % 1000) - 500, boundaries[qd_random_bits(&random) % 3],
            boundaries[qd_random_bits(&random) % 3], (int)(i + 1));
        for (int k = 0; k < 3; ++k)
            used += snprintf(text + used, sizeof text - (size_t)used, "- disks: {count: %d, radius: %s}\n",
                             (int)(qd_random_bits(&random) % 120), radii[qd_random_bits(&random) % 6]);
        qd_own(qd_scene) scene = qd_test_scene(text, NULL);
        qd_own(qdi_generated) bodies = generate(text);
        check_placed(scene, &bodies, 0);
    }
}

QD_TEST(keeps_regions_apart) {
    const char *text = "world: {size: [40, 40], boundary: {x: periodic, y: open}}\nbodies:\n"
                       "- disks: {count: 60, radius: 0.5, region: [0, 0, 10, 20], place: grid}\n"
                       "- disks: {count: 150, radius: {uniform: [0.2, 0.6]}, region: [5, 5, 20, 20]}\n"
                       "- disks: {count: 30, radius: 1, region: [0, -30, 40, 20]}\n"
                       "- disks: {count: 1, radius: 2, region: [30, 30, 5, 5]}\n";
    qd_own(qd_scene) scene = qd_test_scene(text, NULL);
    qd_own(qdi_generated) bodies = generate(text);
    check_placed(scene, &bodies, 0);
}

QD_TEST(lays_out_rows) {
    qdi_generated bodies = generate(
        "world: {size: [10, 5]}\nbodies: [disks: {count: 50, radius: 0.5, place: grid, velocity: [1, -2]}]");
    for (size_t i = 0; i < 50; ++i) {
        ck_assert(bodies.x[i] == 0.5 + (double)(i % 10) && bodies.y[i] == 0.5 + (double)(i / 10));
        ck_assert(bodies.vx[i] == 1 && bodies.vy[i] == -2);
    }
    qdi_generated_release(&bodies);
    for (size_t n = 1; n < 200; n += 3) {
        char text[200];
        snprintf(text, sizeof text,
                 "world: {size: [3, %d], boundary: periodic}\nbodies: [disks: {count: %zu, radius: 1e-2, "
                 "place: grid}]",
                 (int)(n % 7) * 5 + 1, n);
        qd_own(qd_scene) scene = qd_test_scene(text, NULL);
        bodies = generate(text);
        check_placed(scene, &bodies, 0);
        qdi_generated_release(&bodies);
    }
}

QD_TEST(says_what_does_not_fit) {
    check_refused("world: {size: [10, 10]}\nbodies: [disks: {count: 101, radius: 0.5, place: grid}]",
                  "bodies.0: rows of 101 disks leave 0.909 for each, the largest has diameter 1; ask for "
                  "fewer or smaller");
    check_refused("world: {size: [10, 10]}\nbodies: [{disks: {count: 1}}, {disks: {count: 1, radius: 6}}]",
                  "bodies.1: a disk of diameter 12 does not fit into the region (10)");
    check_refused("world: {size: [1e-6, 1e-6]}\nbodies: [disks: {count: 1, radius: 6.28318e-7}]",
                  "bodies.0: a disk of diameter 1.26e-6 does not fit into the region (1e-6)");
    check_refused("world: {size: [10, 10], boundary: periodic}\nbodies: [disks: {count: 1, radius: 2.6}]",
                  "bodies.0: a disk of diameter 5.2 is longer than half the periodic world");
    check_refused("world: {size: [10, 10]}\nbodies: [disks: {count: 200, radius: 0.5}]",
                  "bodies.0: the disks have 1.571 times the area of the region");
    check_refused("world: {size: [10, 10]}\nbodies: [disks: {count: 1e3, radius: {uniform: [0.2, 0.5]}}]",
                  "bodies.0: the disks have at least 1.257 times the area of the region");
    check_refused(
        "world: {size: [10, 10]}\nbodies: [rects: {count: 100, size: [1, 1]}]",
        "bodies.0: the disks about the bodies, which lie at any angle, have 1.571 times the area of "
        "the region");
    // Before there is memory for each of them.
    check_refused("world: {size: [10, 10]}\nbodies: [disks: {count: 268435455, radius: 0.5}]",
                  "bodies.0: the disks have 2108287.133 times the area of the region");
    check_refused("world: {size: [10, 10]}\nbodies: [{disks: {count: 4, place: grid, radius: 2}}, {disks: "
                  "{count: 4, place: grid, radius: 1}}]",
                  "bodies.1: its rows overlap the bodies of another item");
    qd_own(qd_scene)
        scene = qd_test_scene("world: {size: [30, 30]}\nbodies: [disks: {count: 1000, radius: 0.5}]", NULL);
    qd_own(qdi_generated) bodies = {.allocator = qd_allocator_default()};
    qd_error error = {""};
    ck_assert_int_eq(qdi_generate(&scene->settings, &bodies, &error), QD_ERR_INVALID);
    size_t placed = 0, asked = 0;
    double fraction = 0;
    ck_assert_int_eq(
        sscanf(error.text,
               "bodies.0: placed %zu of %zu disks without overlap (area fraction %lf of the region); "
               "ask for fewer or smaller",
               &placed, &asked, &fraction),
        3);
    ck_assert_uint_eq(asked, 1000);
    ck_assert_msg(placed > 500 && placed < 640, "%s", error.text); // jamming is at 0.547 of an endless plane
    ck_assert_double_eq_tol(fraction, (double)placed * 0.785398 / 900, 0.001);
}

/// Touching exactly is allowed to rows, and a disk as wide as the world can be placed.
QD_TEST(places_what_just_fits) {
    qd_own(qdi_generated) bodies = generate(
        "world: {size: [1, 1]}\nbodies: [disks: {count: 9, radius: 0.16666666666666666, place: grid}]");
    qdi_generated_release(&bodies);
    bodies = generate("world: {size: [4, 4]}\nbodies: [disks: {count: 1, radius: 2}]");
    ck_assert_double_eq_tol(bodies.x[0], 2, 1e-8);
}

/// Radii follow the law that was asked for: the empirical distribution stays within 6 standard errors of it
/// at several radii; the same test refuses a law with an exponent that is off by 0.2.
static bool follows_power_law(const qdi_generated *bodies, double low, double high, double exponent) {
    double a = 1 - exponent, n = (double)bodies->count;
    for (double at = low * 1.3; at < high; at *= 1.5) {
        size_t below = 0;
        for (size_t i = 0; i < bodies->count; ++i) below += bodies->radius[i] < at ? 1 : 0;
        double p = (pow(at, a) - pow(low, a)) / (pow(high, a) - pow(low, a));
        if (fabs((double)below / n - p) > 6 * sqrt(p * (1 - p) / n) + 1e-9) return false;
    }
    return true;
}

QD_TEST(draws_power_laws) {
    static const double exponents[] = {2.6666667, 0.5, -1.5, 4};
    for (size_t i = 0; i < 4; ++i) {
        char text[300];
        snprintf(text, sizeof text,
                 "world: {size: [1e5, 1e5]}\nbodies: [disks: {count: 20000, radius: {power: {min: 0.5, max: "
                 "50, exponent: %.8f}}}]",
                 exponents[i]);
        qd_own(qdi_generated) bodies = generate(text);
        ck_assert(follows_power_law(&bodies, 0.5, 50, exponents[i]));
        ck_assert(!follows_power_law(&bodies, 0.5, 50, exponents[i] + 0.2));
        for (size_t k = 0; k < bodies.count; ++k)
            if (!(bodies.radius[k] >= 0.5 && bodies.radius[k] <= 50))
                ck_abort_msg("body %zu is out of range", k);
    }
}

/// The same of a normal law that is cut off, of radii or of their logarithms.
static bool follows_normal_law(const qdi_generated *bodies, bool logarithm, double low, double high,
                               double middle, double deviation) {
    double n = (double)bodies->count, root = deviation * sqrt(2);
    double bottom = erf(((logarithm ? log(low / middle) : low - middle)) / root),
           top = erf((logarithm ? log(high / middle) : high - middle) / root);
    for (double part = 0.1; part < 0.95; part += 0.1) {
        double at = low + part * (high - low);
        size_t below = 0;
        for (size_t i = 0; i < bodies->count; ++i) below += bodies->radius[i] < at ? 1 : 0;
        double p = (erf((logarithm ? log(at / middle) : at - middle) / root) - bottom) / (top - bottom);
        if (fabs((double)below / n - p) > 6 * sqrt(p * (1 - p) / n) + 1e-9) return false;
    }
    return true;
}

QD_TEST(draws_normal_laws) {
    static const struct {
        double low, high, middle, deviation;
    } cases[] = {{0.5, 1.5, 1, 0.2}, {0.9, 3, 1, 0.6}, {1, 1.02, 1.01, 5}};
    for (int k = 0; k < 6; ++k) {
        double low = cases[k / 2].low, high = cases[k / 2].high, middle = cases[k / 2].middle,
               deviation = cases[k / 2].deviation;
        char text[300];
        snprintf(
            text, sizeof text,
            "world: {size: [1e5, 1e5]}\nbodies: [disks: {count: 20000, radius: {%s: %g, %s: %g, min: %g, "
            "max: %g}}}]",
            k % 2 ? "lognormal: {median" : "normal: {mean", middle, k % 2 ? "sigma" : "deviation", deviation,
            low, high);
        qd_own(qdi_generated) bodies = generate(text);
        ck_assert_msg(follows_normal_law(&bodies, k % 2, low, high, middle, deviation), "%s", text);
        ck_assert(!follows_normal_law(&bodies, k % 2, low, high, middle + 0.2 * (high - low),
                                      deviation < 1 ? 1.3 * deviation : 0.002));
        for (size_t i = 0; i < bodies.count; ++i)
            if (!(bodies.radius[i] >= low && bodies.radius[i] <= high)) ck_abort_msg("%zu is outside", i);
    }
}

/// True where mean and variance are within 6 standard errors of 0 and `variance`; `fourth` is the fourth
/// moment.
static bool has_moments(const double *values, size_t count, double variance, double fourth) {
    double n = (double)count, sum = 0, squares = 0;
    for (size_t i = 0; i < count; ++i) {
        sum += values[i];
        squares += values[i] * values[i];
    }
    return fabs(sum / n) <= 6 * sqrt(variance / n) &&
           fabs(squares / n - variance) <= 6 * sqrt((fourth - variance * variance) / n);
}

QD_TEST(draws_velocities) {
    qd_own(qdi_generated) bodies = generate(
        "world: {size: [1e5, 1e5]}\nbodies:\n- disks: {count: 20000, velocity: {normal: 3}}\n"
        "- disks: {count: 20000, velocity: {uniform: 2}}\n- disks: {count: 5}\n");
    const double *components[] = {bodies.vx, bodies.vy};
    for (int k = 0; k < 2; ++k) {
        ck_assert(has_moments(components[k], 20000, 9, 243));
        ck_assert(!has_moments(components[k], 20000, 9 * 1.3, 243 * 1.69)); // a planted error is seen
        ck_assert(has_moments(components[k] + 20000, 20000, 4.0 / 3, 3.2));
        ck_assert(!has_moments(components[k] + 20000, 20000, 4.0 / 3 * 1.3, 3.2 * 1.69));
        for (size_t i = 20000; i < 40000; ++i)
            if (!(fabs(components[k][i]) <= 2)) ck_abort_msg("body %zu is too fast", i);
        for (size_t i = 40000; i < 40005; ++i) ck_assert(components[k][i] == 0);
    }
    double cross[2] = {0, 0};
    for (size_t i = 0; i < 20000; ++i) {
        cross[0] += bodies.vx[i] * bodies.vy[i] / 20000;
        cross[1] += bodies.vx[i] * (bodies.vy[i] + 0.2 * bodies.vx[i]) / 20000;
    }
    double tolerance = 6 * 9 / sqrt(20000);
    ck_assert(fabs(cross[0]) <= tolerance && fabs(cross[1]) > tolerance); // the second: correlation planted
}

static uint64_t hash_of(const qdi_generated *bodies) {
    uint64_t hash = qd_hash_bytes(bodies->x, bodies->count * sizeof(double));
    hash = qd_hash_seeded(bodies->y, bodies->count * sizeof(double), hash);
    hash = qd_hash_seeded(bodies->vx, bodies->count * sizeof(double), hash);
    return qd_hash_seeded(bodies->radius, bodies->count * sizeof(double), hash);
}

/// The same on every machine and with every compiler: a number that was noted once.
QD_TEST(is_the_same_everywhere) {
    const char *text =
        "world: {size: [60, 60], boundary: {x: periodic}}\nbodies:\n"
        "- disks: {count: 300, radius: {power: {min: 0.1, max: 3, exponent: 2.667}}, velocity: {normal: 1}}\n"
        "- disks: {count: 100, radius: {uniform: [0.1, 0.5]}, velocity: {uniform: 1}, place: grid, region: "
        "[0, 0, 30, 30]}\n";
    qd_own(qdi_generated) bodies = generate(text);
    ck_assert_uint_eq(hash_of(&bodies), 2950750849201194792ULL);
}

static int compare_doubles(const void *left, const void *right) {
    double a = *(const double *)left, b = *(const double *)right;
    return (a > b) - (a < b);
}

/// True where the means of the first and second half differ by less than 6 standard errors.
static bool halves_agree(const double *radius) {
    double half[2] = {0, 0};
    for (size_t i = 0; i < 4000; ++i) half[i / 2000] += radius[i] / 2000;
    return fabs(half[0] - half[1]) <= 6 * 0.231 * sqrt(2.0 / 2000);
}

/// Ids say nothing about sizes, though large disks are placed first.
QD_TEST(does_not_order_bodies_by_size) {
    qd_own(qdi_generated) bodies = generate(
        "world: {size: [200, 200]}\nbodies: [disks: {count: 4000, radius: {uniform: [0.1, 0.9]}}]");
    ck_assert(halves_agree(bodies.radius));
    qsort(bodies.radius, 4000, sizeof(double), compare_doubles);
    ck_assert(!halves_agree(bodies.radius)); // a planted error is seen
}

QD_TEST(fails_cleanly_without_memory) {
    qd_own(qd_scene) scene = qd_test_scene("bodies: [disks: {count: 50, radius: {uniform: [0.1, 2]}}]", NULL);
    size_t fail_at = 0;
    qd_status status = QD_ERR_MEMORY;
    while (status == QD_ERR_MEMORY) {
        qd_test_allocator allocator = qd_test_allocator_of(&allocator, ++fail_at);
        qdi_generated bodies = {.allocator = &allocator.allocator};
        qd_error error = {""};
        status = qdi_generate(&scene->settings, &bodies, &error);
        if (status == QD_ERR_MEMORY) ck_assert_str_eq(error.text, "out of memory");
        qdi_generated_release(&bodies);
        ck_assert_uint_eq(allocator.live, 0);
    }
    ck_assert_int_eq(status, QD_OK);
    ck_assert_uint_gt(fail_at, 8);
}

/// Cells say "free" exactly where a look at every disk does.
QD_TEST(finds_every_neighbour) {
    enum { COUNT = 200 };
    uint64_t seed = qd_test_seed(5);
    for (size_t run = 0; run < qd_test_effort(200); ++run) {
        qd_random random = qd_random_at(seed, run, 0);
        double x[COUNT], y[COUNT], radius[COUNT];
        bool periodic = run % 2 == 1;
        qdi_cell_axis axis[2] = {{-3, 20, periodic}, {5, 1 + 30 * qd_random_uniform(&random), run % 4 >= 2}};
        for (size_t i = 0; i < COUNT; ++i) {
            double u = qd_random_uniform(&random);
            x[i] = axis[0].low + axis[0].length * qd_random_uniform(&random);
            y[i] = axis[1].low + axis[1].length * qd_random_uniform(&random);
            radius[i] = run % 3 == 0 ? 0.2 : 2 * u * u * u * u + 1e-4;
        }
        qdi_cells cells;
        ck_assert_int_eq(qdi_cells_init(&cells, qd_allocator_default(), axis, x, y, radius, COUNT), QD_OK);
        for (size_t i = 0; i < COUNT; ++i) {
            bool free = true;
            for (size_t j = 0; j < i; ++j) {
                double dx = fabs(x[i] - x[j]), dy = fabs(y[i] - y[j]), reach = radius[i] + radius[j];
                if (axis[0].periodic) dx = fmin(dx, axis[0].length - dx);
                if (axis[1].periodic) dy = fmin(dy, axis[1].length - dy);
                if (dx * dx + dy * dy < reach * reach) free = false;
            }
            ck_assert_msg(qdi_cells_free(&cells, x[i], y[i], radius[i], 1) == free,
                          "seed %zu run %zu disk %zu", (size_t)seed, run, i);
            qdi_cells_add(&cells, i);
        }
        qdi_cells_release(&cells);
    }
}

QD_TEST_MAIN("generate", 240, NULL, NULL)
