#include "core/base/bytes.h"
#include "sim/world/save_impl.h"
#include "tests/support/harness.h"
#include "tests/support/worlds.h"

#include <math.h>
#include <quadrille/compare.h>
#include <quadrille/hash.h>
#include <quadrille/world.h>
#include <stdio.h>
#include <string.h>

static void check_same(const qd_world *p, const qd_world *q, uint64_t seed, bool with_events) {
    unsigned long long s = (unsigned long long)seed;
    ck_assert_msg(qd_world_hash(p) == qd_world_hash(q), "seed %llu: other state", s);
    if (with_events)
        ck_assert_msg(qd_test_events_hash(p) == qd_test_events_hash(q), "seed %llu: other events", s);
    qd_world_totals a = qd_world_total(p), b = qd_world_total(q);
    ck_assert_msg(a.contacts == b.contacts && a.begins == b.begins && a.ends == b.ends &&
                      a.wall_impulse.x == b.wall_impulse.x && a.wall_impulse.y == b.wall_impulse.y,
                  "seed %llu: other totals", s);
    ck_assert_uint_eq(qd_world_steps(p), qd_world_steps(q));
    ck_assert_double_eq(qd_world_time(p), qd_world_time(q));
}

static void mix_bodies(qd_world *world, uint64_t seed) {
    qd_random random = qd_random_at(seed, qd_world_steps(world), 9);
    for (int k = 0; k < 5; ++k) {
        qd_body_view view = qd_world_view(world);
        if (view.count == 0) break;
        // By index: the two worlds may keep their rows in different orders.
        uint32_t row = QD_NO_BODY;
        while (row == QD_NO_BODY) row = view.row_of_index[qd_random_bits(&random) % view.index_count];
        ck_assert_int_eq(qd_world_remove(world, (qd_id){view.index[row], view.generation[row]}), QD_OK);
    }
    qd_test_scatter(world, &random, 4);
}

/// Equal worlds are saved as equal bytes, whatever order their rows are in.
static void check_same_bytes(const qd_world *p, const qd_world *q, uint64_t seed) {
    unsigned char *data[2] = {NULL, NULL};
    size_t bytes[2] = {0, 0};
    ck_assert_int_eq(qd_world_save(p, &data[0], &bytes[0]), QD_OK);
    ck_assert_int_eq(qd_world_save(q, &data[1], &bytes[1]), QD_OK);
    bool same = bytes[0] == bytes[1] && memcmp(data[0], data[1], bytes[0]) == 0;
    ck_assert_msg(same, "seed %llu: other bytes", (unsigned long long)seed);
    qd_world_save_free(p, data[0], bytes[0]);
    qd_world_save_free(q, data[1], bytes[1]);
}

// One life: random world, random step to save at, bodies coming and going; goes on twice and must end alike.
static void check_life(uint64_t seed) {
    qd_random random = qd_random_at(seed, 0, 8);
    qd_world_def def = qd_test_random_def(&random);
    def.threads = 1 + (int)(seed % 2);
    qd_own(qd_world) world = qd_test_world(&def), copy = NULL;
    bool shapes = seed % 2 == 1;
    size_t bodies = qd_random_bits(&random) % 150;
    if (shapes)
        qd_test_scatter_shapes(world, &random, bodies);
    else
        qd_test_scatter(world, &random, bodies);
    size_t steps = 20 + qd_random_bits(&random) % 30, save_at = qd_random_bits(&random) % steps;
    bool changed = qd_random_bits(&random) % 3 == 0; // save between a change and its detection
    for (size_t k = 0; k < steps; ++k) {
        if (k % 7 == 3 || (k == save_at && changed)) {
            mix_bodies(world, seed);
            if (copy) mix_bodies(copy, seed);
        }
        if (k == save_at) copy = qd_test_copy(world, 1 + (int)(seed % 3));
        double dt = k < 10 ? 0.02 : 0.015625;
        qd_test_step(world, dt, 1);
        if (copy) {
            qd_test_step(copy, dt, 1);
            check_same(world, copy, seed, true);
        }
    }
    // Where bodies had been changed just before, the copy's tree had more to file, and margins may be others.
    if (!changed && save_at % 7 != 3) check_same_bytes(world, copy, seed);
}

QD_TEST(saved_worlds_go_on_the_same) {
    uint64_t first = qd_test_seed(1000);
    size_t cases = qd_test_replaying() ? 1 : qd_test_effort(200);
    for (uint64_t seed = first; seed < first + cases; ++seed) check_life(seed);
}

// How fat boxes will be, too: the same whether a world was loaded on its way or not, slow or fast.
QD_TEST_LOOP(margins_go_on_the_same, 0, 4) {
    const double dt[] = {0.002, 0.02, 0.1, 0.3};
    qd_world_def def = qd_world_def_default();
    qd_test_gas_def(&def, 14, 14);
    def.margin = (double)NAN;
    qd_own(qd_world) world = qd_test_world(&def);
    qd_test_gas_fill(world, 14, 14, 5);
    for (size_t at = 0; at < 30; ++at) {
        qd_own(qd_world) copy = qd_test_copy(world, 1);
        qd_test_step(world, dt[_i], 1);
        qd_test_step(copy, dt[_i], 1);
        check_same_bytes(world, copy, at);
    }
}

QD_TEST(a_copy_is_whole) {
    qd_world_def def = qd_test_def(20, 20);
    def.seed = 77;
    def.restitution = 0.25;
    qd_own(qd_world) world = qd_test_world(&def);
    qd_random random = qd_random_at(3, 0, 0);
    qd_test_scatter(world, &random, 120);
    qd_test_step(world, 0.02, 10);
    qd_own(qd_world) copy = qd_test_copy(world, 3);
    check_same(world, copy, 3, false);
    qd_world_def read = qd_world_definition(copy);
    ck_assert_uint_eq(read.seed, 77);
    ck_assert_double_eq(read.restitution, 0.25);
    ck_assert_int_eq(read.threads, 3);
    size_t n, m;
    const qd_contact *p = qd_world_contacts(world, &n), *q = qd_world_contacts(copy, &m);
    ck_assert_uint_eq(n, m);
    for (size_t i = 0; i < n; ++i) {
        ck_assert_uint_eq(p[i].b.index, q[i].b.index);
        ck_assert_double_eq(p[i].touch[0].depth, q[i].touch[0].depth);
    }
    qd_body_view a = qd_world_view(world), b = qd_world_view(copy);
    ck_assert_uint_eq(a.count, b.count);
    for (size_t i = 0; i < a.index_count; ++i)
        ck_assert_int_eq(a.touching[a.row_of_index[i]], b.touching[b.row_of_index[i]]);
    ck_assert_uint_eq(qd_tree_count(qd_world_tree(copy)), 120);
}

static void check_refused(const unsigned char *data, size_t bytes, const char *what, size_t at) {
    qd_world *world = NULL;
    qd_error error = {""};
    qd_status status = qd_world_load(data, bytes, 1, NULL, &world, &error);
    ck_assert_msg(status == QD_ERR_CORRUPT && world == NULL, "%s at %zu: %s", what, at,
                  qd_status_text(status));
    ck_assert_msg(strlen(error.text) > 5 && !strchr(error.text, '\n'), "reason: %s", error.text);
}

/// Two emitters and a sink.
static void add_sources(qd_world *world) {
    qd_emitter_def source = qd_emitter_def_default();
    source.low = (qd_vec2){60, 20};
    source.high = (qd_vec2){80, 40};
    source.rate = 16;
    source.tries = 2;
    ck_assert_int_eq(qd_world_add_emitter(world, &source, NULL), QD_OK);
    source.body.shape = qd_shape_rect(2, 1);
    source.scale_high = 2;
    source.total = 3;
    ck_assert_int_eq(qd_world_add_emitter(world, &source, NULL), QD_OK);
    qd_test_sink(world, 70, 20, 5, 20, UINT64_MAX);
}

/// Kind 1: with a rect, a polygon and an edge at rest on each other, and traits. Kind 2: with all that acts
/// from afar, and with who comes and goes.
static void small_save(qd_world **world, unsigned char **data, size_t *bytes, int kind) {
    bool shapes = kind == 1;
    qd_world_def def = qd_world_def_default();
    def.boundary_x = QD_BOUNDARY_PERIODIC;
    if (kind == 2) {
        def.attraction = (qd_attraction){QD_PULL_INVERSE, {50, 50}, 2, 1};
        def.drag = (qd_drag){0.1, 0.2, 0.3, {1, 0}, 0.4};
        def.wall_motion[2] = (qd_wall_motion){0.5, 0.25, 1, 2, 3};
        def.boundary_x = QD_BOUNDARY_OPEN;
        def.removal = 0.25;
    }
    *world = qd_test_world(&def);
    if (kind == 2) add_sources(*world);
    qd_body_def body = qd_body_def_default();
    if (shapes) {
        body.shape = qd_shape_rect(2, 1);
        body.position = (qd_vec2){30, 0.45};
        body.material.friction = 0.5;
        (void)qd_test_add(*world, &body);
        const qd_vec2 points[] = {{0, 0}, {1, 0}, {0, 1}};
        ck_assert_int_eq(qd_shape_polygon(points, 3, &body.shape, NULL, NULL), QD_OK);
        body.position = (qd_vec2){30, 1.2};
        body.filter.category = 3;
        (void)qd_test_add(*world, &body);
        body = qd_body_def_default();
        const qd_vec2 line[] = {{33, 0.2}, {31, 0.2}, {20, 0.1}};
        ck_assert_int_eq(qd_world_add_polyline(*world, line, 3, false, &body, NULL, NULL), QD_OK);
        body.kind = QD_BODY_KINEMATIC;
        body.shape = qd_shape_capsule(1, 0.5);
        body.position = (qd_vec2){28.5, 1};
        body.pivot = (qd_vec2){28, 2};
        body.spin = 0.25;
        (void)qd_test_add(*world, &body);
    }
    qd_test_disk(*world, 0.5, 0.25, 0, 0, 0.5, 0);
    qd_id gone = qd_test_disk(*world, 9, 9, 0, 0, 0.5, 0);
    qd_test_disk(*world, 99.75, 0.25, 1, 0, 0.5, 0);
    ck_assert_int_eq(qd_world_remove(*world, gone), QD_OK);
    qd_test_step(*world, 0.125, 2);
    ck_assert_int_eq(qd_world_save(*world, data, bytes), QD_OK);
}

QD_TEST_LOOP(damage_is_noticed, 0, 3) {
    qd_own(qd_world) world;
    unsigned char *data;
    size_t bytes;
    small_save(&world, &data, &bytes, _i);
    qd_own_memory unsigned char *broken = qd_test_memory(bytes + 1);
    for (size_t at = 0; at < bytes; ++at) {
        memcpy(broken, data, bytes);
        for (int bit = 0; bit < 8; ++bit) {
            broken[at] = (unsigned char)(data[at] ^ (1 << bit));
            check_refused(broken, bytes, "flipped", at);
        }
        broken[at] = (unsigned char)~data[at];
        check_refused(broken, bytes, "inverted", at);
        qd_own_memory unsigned char *cut = qd_test_memory(
            at + 1); // as long as the data, so that a sanitizer sees a read past its end
        memcpy(cut, data, at);
        check_refused(cut, at, "cut", at);
    }
    memcpy(broken, data, bytes);
    broken[bytes] = 0;
    check_refused(broken, bytes + 1, "longer", bytes);
    qd_world_save_free(world, data, bytes);
}

// Behind a good checksum: whatever one byte is set to, loading either refuses or gives a world that steps.
QD_TEST_LOOP(forged_data_does_no_harm, 0, 3) {
    qd_own(qd_world) world;
    unsigned char *data;
    size_t bytes, refused = 0;
    small_save(&world, &data, &bytes, _i);
    qd_own_memory unsigned char *forged = qd_test_memory(bytes);
    const unsigned char values[] = {0, 1, 2, 0x7f, 0x80, 0xff};
    for (size_t at = 0; at < bytes - 8; ++at) {
        for (size_t v = 0; v < sizeof values; ++v) {
            memcpy(forged, data, bytes);
            forged[at] = values[v];
            unsigned char *end = forged + bytes - 8;
            qdi_put_u64(&end, qd_hash_bytes(forged, bytes - 8));
            qd_own(qd_world) copy = NULL;
            qd_status status = qd_world_load(forged, bytes, 1, NULL, &copy, NULL);
            refused += status != QD_OK;
            if (status != QD_OK) {
                ck_assert_int_eq(status, QD_ERR_CORRUPT);
                ck_assert_ptr_null(copy);
                continue;
            }
            status = qd_world_step(copy, 0.125, NULL);
            ck_assert_msg(status == QD_OK || status == QD_ERR_LIMIT, "byte %zu = %u: %s", at, values[v],
                          qd_status_text(status));
            (void)qd_world_hash(copy);
        }
    }
    ck_assert_uint_gt(refused, bytes);
    qd_world_save_free(world, data, bytes);
}

/// Loads data after the generation of the second body of the first of two contacts, which end the data, was
/// set.
static qd_status load_with(unsigned char *data, size_t bytes, uint32_t generation, qd_world **world) {
    const size_t contact = 4 * 4 + 3 * 8 + 2 * 4 + 2 * (5 * 8 + 4 + 2 * 8);
    unsigned char *at = data + bytes - 8 - 2 * contact + 12;
    qdi_put_u32(&at, generation);
    at = data + bytes - 8;
    qdi_put_u64(&at, qd_hash_bytes(data, bytes - 8));
    return qd_world_load(data, bytes, 1, NULL, world, NULL);
}

// Where bodies were removed and nothing detected since, contacts name them; but nobody who has never been.
QD_TEST_LOOP(contacts_of_removed_bodies, 0, 2) {
    qd_world *world = qd_test_gap(_i == 1), *copy = NULL;
    unsigned char *data;
    size_t bytes;
    ck_assert_int_eq(qd_world_save(world, &data, &bytes), QD_OK);
    ck_assert_int_eq(load_with(data, bytes, 1, &copy), QD_OK);
    ck_assert_int_eq(qd_world_detect(world), QD_OK);
    ck_assert_int_eq(qd_world_detect(copy), QD_OK);
    ck_assert_uint_eq(qd_test_events_hash(world), qd_test_events_hash(copy));
    qd_world_destroy(copy);
    ck_assert_int_eq(load_with(data, bytes, _i == 1 ? 3 : 2, &copy), QD_ERR_CORRUPT);
    ck_assert_int_eq(load_with(data, bytes, 0, &copy), QD_ERR_CORRUPT);
    qd_world_save_free(world, data, bytes);
    qd_world_destroy(world);
}

/// Puts a number into data, behind a good checksum.
static void forge(unsigned char *data, size_t bytes, size_t at, uint64_t value) {
    unsigned char *to = data + at;
    qdi_put_u64(&to, value);
    to = data + bytes - 8;
    qdi_put_u64(&to, qd_hash_bytes(data, bytes - 8));
}

// Steps are whole numbers that a double holds, and a file that says more is refused.
QD_TEST(steps_have_an_end) {
    qd_world_def def = qd_world_def_default();
    qd_world *world = qd_test_world(&def), *copy = NULL;
    qd_test_step(world, 0.25, 3);
    unsigned char *data, mark[32], *to = mark;
    size_t bytes, at = 0;
    ck_assert_int_eq(qd_world_save(world, &data, &bytes), QD_OK);
    qdi_put_u64(&to, 3);
    qdi_put_u64(&to, 0);
    qdi_put_f64(&to, 0);
    qdi_put_f64(&to, 0.25);
    while (memcmp(data + at, mark, sizeof mark) != 0) ck_assert_uint_lt(++at, bytes - sizeof mark);
    const uint64_t last = UINT64_C(1) << 53, refused[] = {last + 1, UINT64_MAX - 1, UINT64_MAX};
    for (size_t k = 0; k < sizeof refused / sizeof refused[0]; ++k) {
        forge(data, bytes, at, refused[k]);
        ck_assert_int_eq(qd_world_load(data, bytes, 1, NULL, &copy, NULL), QD_ERR_CORRUPT);
    }
    forge(data, bytes, at, last - 1);
    ck_assert_int_eq(qd_world_load(data, bytes, 1, NULL, &copy, NULL), QD_OK);
    qd_test_step(copy, 0.25, 1);
    ck_assert_uint_eq(qd_world_steps(copy), last);
    qd_world_destroy(copy);
    qd_world_save_free(world, data, bytes);
    qd_world_destroy(world);
}

// What springs were worth before a change is nobody's business once the change was detected.
QD_TEST(changes_of_springs_are_forgotten) {
    qd_world_def def = qd_world_def_default();
    def.contact = QD_CONTACT_SPRING;
    def.spring.kn = 1000;
    qd_own(qd_world) world = qd_test_world(&def);
    (void)qd_test_disk(world, 50, 50, 0, 0, 0.5, 0);
    (void)qd_test_disk(world, 50.9, 50, 0, 0, 0.5, 0);
    qd_test_step(world, 1e-3, 2);
    (void)qd_test_disk(world, 51.8, 50, 0, 0, 0.5, 0);
    qd_test_step(world, 1e-3, 2);
    qd_own(qd_world) copy = qd_test_copy(world, 1);
    qd_comparison found;
    ck_assert_int_eq(qd_world_compare(world, copy, NULL, NULL, &found), QD_OK);
    ck_assert_uint_eq(found.fields, 0);
}

// What an older program wrote is refused, and it says so.
QD_TEST(older_versions_are_named) {
    qd_world *world, *copy = NULL;
    unsigned char *data;
    size_t bytes;
    small_save(&world, &data, &bytes, 0);
    for (uint32_t version = 1; version < QDI_SAVE_VERSION; ++version) {
        unsigned char *at = data + 8;
        qdi_put_u32(&at, version);
        qd_error error = {""};
        char expected[80];
        snprintf(expected, sizeof expected, "a saved world of version %u; this program reads version %d",
                 version, QDI_SAVE_VERSION);
        ck_assert_int_eq(qd_world_load(data, bytes, 1, NULL, &copy, &error), QD_ERR_CORRUPT);
        ck_assert_str_eq(error.text, expected);
    }
    qd_world_save_free(world, data, bytes);
    qd_world_destroy(world);
}

// Kernels are no part of the state: they may change at any step.
QD_TEST(kernels_may_change) {
    qd_world *world, *copy;
    unsigned char *data;
    size_t bytes;
    small_save(&world, &data, &bytes, 0);
    ck_assert_int_eq(qd_world_load(data, bytes, 1, NULL, &copy, NULL), QD_OK);
    for (int simd = QD_SIMD_AUTO; simd <= QD_SIMD_NEON; ++simd) {
        qd_status expected = qd_simd_available((qd_simd)simd) ? QD_OK : QD_ERR_VALUE;
        ck_assert_int_eq(qd_world_set_simd(copy, (qd_simd)simd), expected);
        qd_test_step(world, 0.02, 3);
        qd_test_step(copy, 0.02, 3);
        check_same(world, copy, (uint64_t)simd, true);
    }
    ck_assert_int_eq(qd_world_set_simd(copy, (qd_simd)99), QD_ERR_VALUE);
    ck_assert_int_eq(qd_world_set_simd(NULL, QD_SIMD_AUTO), QD_ERR_ARGUMENT);
    ck_assert_int_eq(qd_tree_set_simd(NULL, QD_SIMD_AUTO), QD_ERR_ARGUMENT);
    qd_world_destroy(copy);
    qd_world_save_free(world, data, bytes);
    qd_world_destroy(world);
}

QD_TEST(arguments_are_checked) {
    qd_world *world, *copy = NULL;
    unsigned char *data;
    size_t bytes;
    small_save(&world, &data, &bytes, 0);
    ck_assert_int_eq(qd_world_load(NULL, 0, 1, NULL, &copy, NULL), QD_ERR_ARGUMENT);
    ck_assert_int_eq(qd_world_load(data, bytes, 1, NULL, NULL, NULL), QD_ERR_ARGUMENT);
    ck_assert_int_eq(qd_world_load(data, bytes, 0, NULL, &copy, NULL), QD_ERR_VALUE);
    ck_assert_int_eq(qd_world_load(data, bytes, 100000, NULL, &copy, NULL), QD_ERR_VALUE);
    ck_assert_int_eq(qd_world_save(world, NULL, &bytes), QD_ERR_ARGUMENT);
    qd_world_save_free(world, data, bytes);
    qd_world_destroy(world);
}

QD_TEST_LOOP(memory_may_fail, 0, 3) {
    qd_own(qd_world) world;
    unsigned char *data;
    size_t bytes;
    small_save(&world, &data, &bytes, _i);
    size_t failures = 0;
    for (size_t n = 1;; ++n) {
        qd_test_allocator allocator = qd_test_allocator_of(&allocator, n);
        qd_world *copy = NULL;
        qd_status status = qd_world_load(data, bytes, 2, &allocator.allocator, &copy, NULL);
        if (status == QD_OK) {
            unsigned char *again = NULL;
            size_t length = 0;
            allocator.fail_at = allocator.calls + 1;
            ck_assert_int_eq(qd_world_save(copy, &again, &length), QD_ERR_MEMORY);
            ck_assert_ptr_null(again);
        } else {
            ck_assert_int_eq(status, QD_ERR_MEMORY);
            ++failures;
        }
        qd_world_destroy(copy);
        ck_assert_uint_eq(allocator.live, 0);
        ck_assert_uint_eq(allocator.live_bytes, 0);
        if (status == QD_OK) break;
    }
    ck_assert_uint_gt(failures, 10);
    qd_world_save_free(world, data, bytes);
}

QD_TEST_MAIN("save", 240, NULL, NULL)
