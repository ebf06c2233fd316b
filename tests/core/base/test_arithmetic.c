// Results do not depend on the mode of floating-point arithmetic that the caller has set, and its mode is
// left as it was.
#include "core/base/arithmetic.h"
#include "tests/support/harness.h"
#include "tests/support/worlds.h"

#include <quadrille/hash.h>
#include <quadrille/metrics.h>
#include <quadrille/ray.h>
#include <quadrille/scene.h>
#include <stdbool.h>
#include <string.h>

// Bits of the processor's own registers, as the modes below have them: everything that is not the standard.
#if defined(__x86_64__)
static const uint64_t modes[] = {
    UINT64_C(0x037f) << 32 | 0x1f80, // the standard
    UINT64_C(0x0b7f) << 32 | 0x5f80, // round upward, as fesetround does
    UINT64_C(0x077f) << 32 | 0x3f80, // downward
    UINT64_C(0x0f7f) << 32 | 0x7f80, // towards zero
    UINT64_C(0x037f) << 32 | 0x9fc0, // flush to zero, denormals are zero
    UINT64_C(0x037f) << 32 | 0x1900, // division by zero, overflow and invalid operations trap
};
#elif defined(__aarch64__)
static const uint64_t modes[] = {0, 1 << 22, 2 << 22, 3 << 22, 1 << 24};
#else
static const uint64_t modes[] = {FE_TONEAREST, FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO};
#endif
#ifdef __x86_64__
enum { FLAGS = 0x3f }; // of what has happened, in the same register
#else
enum { FLAGS = 0 };
#endif
enum { MODES = sizeof modes / sizeof modes[0] };

/// All that a life of a world gives, as one number.
typedef struct digest {
    uint64_t value;
} digest;

static void mix(digest *all, const void *data, size_t bytes) {
    all->value = qd_hash_seeded(data, bytes, all->value);
}

static void mix_queries(digest *all, const qd_world *world) {
    double time = qd_world_time(world), spring = qd_world_contact_time(world);
    qd_world_sums sums = qd_world_sum(world);
    qd_metrics metrics;
    memset(&metrics, 0, sizeof metrics);
    qd_world_measure(world, &metrics);
    mix(all, &time, sizeof time);
    mix(all, &spring, sizeof spring);
    mix(all, &sums, sizeof sums);
    size_t count = 0;
    const qd_metric_field *fields = qd_metric_fields(&count);
    for (size_t k = 0; k < count; ++k) mix(all, (const char *)&metrics + fields[k].offset, sizeof(double));
    uint64_t numbers[] = {qd_world_hash(world), qd_test_events_hash(world)};
    mix(all, numbers, sizeof numbers);
    qd_ray ray = qd_ray_between((qd_vec2){1.1, 2.3}, (qd_vec2){30.7, 17.9});
    mix(all, &ray, sizeof ray);
    unsigned char *data = NULL;
    size_t bytes = 0;
    ck_assert_int_eq(qd_world_save(world, &data, &bytes), QD_OK);
    mix(all, data, bytes);
    qd_world *again = NULL;
    ck_assert_int_eq(qd_world_load(data, bytes, 2, NULL, &again, NULL), QD_OK);
    uint64_t hash = qd_world_hash(again);
    mix(all, &hash, sizeof hash);
    qd_world_destroy(again);
    qd_world_save_free(world, data, bytes);
}

/// A life in which every public call is made in the caller's mode. `late`: the mode is set only when the team
/// has its threads.
static digest live(uint64_t mode, int threads, bool late) {
    static const char scene[] =
        "name: s\nworld: {size: [40, 30], gravity: [0, -3]}\n"
        "contact: {friction: 0.4, restitution: 0.3}\n"
        "bodies:\n  - disks: {count: 200, radius: {uniform: [0.3, 0.7]}, place: random,"
        " velocity: {normal: 3.3}, density: 1.1}\n"
        "  - rects: {count: 40, size: [1.1, 0.7], place: random, density: 0.3}\n";
    digest all = {1};
    uint64_t before = qdi_arithmetic_read();
    if (!late) qdi_arithmetic_write(mode);
    qd_scene *read = NULL;
    qd_error error = {""};
    ck_assert_msg(qd_scene_parse(scene, sizeof scene - 1, "s", NULL, &read, &error) == QD_OK, "%s",
                  error.text);
    qd_world_def def = qd_scene_world(read);
    def.threads = threads;
    qd_world *world = qd_test_world(&def);
    ck_assert_int_eq(qd_scene_populate(read, world, NULL), QD_OK);
    qd_body_def tiny = qd_body_def_default();
    tiny.position = (qd_vec2){1.3, 28.9};
    tiny.velocity = (qd_vec2){1e-310, 3e-320}; // denormal
    tiny.shape = qd_shape_disk(0.1);
    ck_assert_int_eq(qd_world_add(world, &tiny, NULL, NULL), QD_OK);
    for (int k = 0; k < 40; ++k) {
        qd_status status = qd_world_step(world, 1.0 / 61, NULL);
        ck_assert_int_eq(status, QD_OK);
        if (k == 3 && late) qdi_arithmetic_write(mode);
    }
    mix_queries(&all, world);
    qd_world_destroy(world);
    qd_scene_destroy(read);
    uint64_t now = qdi_arithmetic_read();
    qdi_arithmetic_write(before);
    ck_assert_msg((now | FLAGS) == (mode | FLAGS), "mode %llx came back as %llx", (unsigned long long)mode,
                  (unsigned long long)now);
    return all;
}

QD_TEST_LOOP(any_mode_gives_the_same, 0, MODES) {
    digest expected = live(modes[0], 1, false);
    for (int late = 0; late < 2; ++late)
        for (int threads = 1; threads <= 3; ++threads) {
            digest found = live(modes[_i], threads, late);
            ck_assert_msg(found.value == expected.value, "mode %d, %d threads%s: another life", _i, threads,
                          late ? ", set late" : "");
        }
}

QD_TEST_LOOP(shapes_are_the_same, 0, MODES) {
    static const qd_vec2 points[] = {{0, 0}, {1.7, 0.1}, {1.9, 1.3}, {0.3, 1.1}};
    digest found[2] = {{1}, {1}};
    for (int k = 0; k < 2; ++k) {
        uint64_t before = qdi_arithmetic_read();
        if (k == 1) qdi_arithmetic_write(modes[_i]);
        qd_shape shape;
        memset(&shape, 0, sizeof shape);
        qd_status status = qd_shape_polygon(points, 4, &shape, NULL, NULL);
        double area = qd_shape_area(&shape), inertia = qd_shape_inertia(&shape),
               reach = qd_shape_reach(&shape);
        qd_box box = qd_box_of_disk(0.1, 0.2, 0.3);
        qdi_arithmetic_write(before);
        ck_assert_int_eq(status, QD_OK);
        mix(&found[k], &area, sizeof area);
        mix(&found[k], &inertia, sizeof inertia);
        mix(&found[k], &reach, sizeof reach);
        mix(&found[k], &box, sizeof box);
        mix(&found[k], shape.points, (size_t)shape.count * sizeof *shape.points);
    }
    ck_assert_uint_eq(found[0].value, found[1].value);
}

QD_TEST_MAIN("arithmetic", 120, NULL, NULL)
