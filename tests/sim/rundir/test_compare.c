#include "core/base/bytes.h"
#include "sim/text/number.h"
#include "tests/support/harness.h"
#include "tests/support/scenes.h"
#include "tests/support/worlds.h"

#include <quadrille/compare.h>
#include <quadrille/hash.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { KINDS = 4, CHECKSUM = 8 };

/// A world as bytes, and a forged copy of it.
typedef struct saved {
    qd_world *world;
    unsigned char *data, *forged;
    size_t bytes;
} saved;

// ---- worlds that have everything between them ----

static void add_sources(qd_world *world) {
    qd_emitter_def source = qd_emitter_def_default();
    source.low = (qd_vec2){60, 20};
    source.high = (qd_vec2){80, 40};
    source.rate = 16;
    ck_assert_int_eq(qd_world_add_emitter(world, &source, NULL), QD_OK);
    source.body.shape = qd_shape_rect(2, 1);
    source.scale_high = 2;
    source.total = 3;
    ck_assert_int_eq(qd_world_add_emitter(world, &source, NULL), QD_OK);
    qd_test_sink(world, 70, 20, 5, 20, UINT64_MAX);
}

static void add_shapes(qd_world *world) {
    qd_body_def body = qd_body_def_default();
    const qd_material surface = {0.5, 0.25, 0.125, 0};
    ck_assert_int_eq(qd_world_add_material(world, "steel", &surface, NULL, NULL), QD_OK);
    ck_assert_int_eq(qd_world_pair_materials(world, 1, 1, &surface, NULL), QD_OK);
    body.shape = qd_shape_rect(2, 1);
    body.position = (qd_vec2){30, 0.45};
    body.material.friction = 0.5;
    body.material.of = 1;
    (void)qd_test_add(world, &body);
    const qd_vec2 points[] = {{0, 0}, {1, 0}, {0, 1}};
    ck_assert_int_eq(qd_shape_polygon(points, 3, &body.shape, NULL, NULL), QD_OK);
    body.position = (qd_vec2){30, 1.2};
    body.filter.category = 3;
    (void)qd_test_add(world, &body);
    body = qd_body_def_default();
    const qd_vec2 line[] = {{33, 0.2}, {31, 0.2}, {20, 0.1}};
    ck_assert_int_eq(qd_world_add_polyline(world, line, 3, false, &body, NULL, NULL), QD_OK);
    body.kind = QD_BODY_KINEMATIC;
    body.shape = qd_shape_capsule(1, 0.5);
    body.position = (qd_vec2){28.5, 1};
    body.pivot = (qd_vec2){28, 2};
    body.spin = 0.25;
    (void)qd_test_add(world, &body);
}

/// Kind 0: disks. 1: shapes and materials at rest on each other. 2: all that acts from afar, and who comes
/// and goes. 3: fat boxes.
static qd_world *make_world(int kind) {
    qd_world_def def = qd_world_def_default();
    def.gravity = (qd_vec2){0, -1};
    if (kind < 2) def.boundary_x = QD_BOUNDARY_PERIODIC;
    if (kind == 2) {
        def.attraction = (qd_attraction){QD_PULL_INVERSE, {50, 50}, 2, 1};
        def.drag = (qd_drag){0.1, 0.2, 0.3, {1, 0}, 0.125};
        def.wall_motion[2] = (qd_wall_motion){0.5, 0.25, 1, 2, 3};
        def.boundary_x = QD_BOUNDARY_OPEN;
        def.removal = 0.25;
    }
    if (kind == 3) def.margin = 2;
    qd_world *world = qd_test_world(&def);
    if (kind == 1) add_shapes(world);
    if (kind == 2) add_sources(world);
    (void)qd_test_disk(world, 0.5, 0.25, 0, 0, 0.5, 0);
    qd_id gone = qd_test_disk(world, 9, 9, 0, 0, 0.5, 0);
    (void)qd_test_disk(world, 99.75, 0.25, 1.2345, 0, 0.5, 0);
    (void)qd_test_disk(world, 50, 0.5, 0, 0, 0.5, 0);
    ck_assert_int_eq(qd_world_remove(world, gone), QD_OK);
    qd_test_step(world, 0.0625, 4);
    return world;
}

static saved save_of(qd_world *world) {
    saved s = {.world = world};
    ck_assert_int_eq(qd_world_save(world, &s.data, &s.bytes), QD_OK);
    s.forged = qd_test_memory(s.bytes);
    return s;
}

static void forget(saved *s) {
    free(s->forged);
    qd_world_save_free(s->world, s->data, s->bytes);
    qd_world_destroy(s->world);
}

/// The saved world with one bit turned, behind a good checksum; NULL where that is refused.
static qd_world *with_bit_turned(const saved *s, size_t at, int bit) {
    memcpy(s->forged, s->data, s->bytes);
    s->forged[at] = (unsigned char)(s->forged[at] ^ (1 << bit));
    unsigned char *end = s->forged + s->bytes - CHECKSUM;
    qdi_put_u64(&end, qd_hash_bytes(s->forged, s->bytes - CHECKSUM));
    qd_world *copy = NULL;
    qd_status status = qd_world_load(s->forged, s->bytes, 1, NULL, &copy, NULL);
    ck_assert(status == QD_OK || status == QD_ERR_CORRUPT);
    return copy;
}

static qd_comparison compare(const qd_world *first, const qd_world *second) {
    qd_comparison found = {0, 0, 0, 0};
    ck_assert_int_eq(qd_world_compare(first, second, NULL, NULL, &found), QD_OK);
    return found;
}

static bool saved_alike(const qd_world *first, const qd_world *second) {
    unsigned char *one = NULL, *two = NULL;
    size_t one_bytes = 0, two_bytes = 0;
    ck_assert_int_eq(qd_world_save(first, &one, &one_bytes), QD_OK);
    ck_assert_int_eq(qd_world_save(second, &two, &two_bytes), QD_OK);
    bool same = one_bytes == two_bytes && memcmp(one, two, one_bytes) == 0;
    qd_world_save_free(first, one, one_bytes);
    qd_world_save_free(second, two, two_bytes);
    return same;
}

// ---- tests ----

// Whatever bit of a saved world is turned: where it is loaded and that shows in the state's hash, or in what
// would be saved, some field is told.
QD_TEST_LOOP(no_field_is_left_out, 0, KINDS) {
    saved s = save_of(make_world(_i));
    qd_world *same = NULL;
    ck_assert_int_eq(qd_world_load(s.data, s.bytes, 2, NULL, &same, NULL), QD_OK);
    qd_comparison none = compare(s.world, same);
    ck_assert_uint_eq(none.fields + none.work + none.bodies + none.contacts, 0);
    uint64_t hash = qd_world_hash(same);
    size_t hashed = 0, loaded = 0;
    const int stride = qd_test_effort(10) < 10 ? 4 : 1; // small effort: two bits of each byte
    for (size_t at = 0; at < s.bytes - CHECKSUM; ++at) {
        for (int bit = (int)(at % (size_t)stride); bit < 8; bit += stride) {
            qd_own(qd_world) copy = with_bit_turned(&s, at, bit);
            if (!copy) continue;
            qd_comparison found = compare(same, copy);
            bool other = qd_world_hash(copy) != hash;
            ck_assert_msg(!other || found.fields > 0, "byte %zu bit %d: the hash differs", at, bit);
            ck_assert_msg(saved_alike(same, copy) || found.fields + found.work > 0,
                          "byte %zu bit %d: saved otherwise", at, bit);
            hashed += other;
            loaded += 1;
        }
    }
    ck_assert_uint_gt(hashed, 500 / (size_t)stride);
    ck_assert_uint_gt(loaded, hashed);
    qd_world_destroy(same);
    forget(&s);
}

/// What a comparison told.
typedef struct told {
    size_t count, most;
    char subject[8][96], field[8][64], first[8][64], second[8][64];
    uint64_t label[8];
    qd_difference_of of[8];
} told;

static bool note(void *context, const qd_difference *difference) {
    told *all = context;
    if (difference->work) return true;
    ck_assert_uint_lt(all->count, 8);
    size_t k = all->count++;
    snprintf(all->subject[k], sizeof all->subject[k], "%s", difference->subject);
    snprintf(all->field[k], sizeof all->field[k], "%s", difference->field);
    snprintf(all->first[k], sizeof all->first[k], "%s", difference->first);
    snprintf(all->second[k], sizeof all->second[k], "%s", difference->second);
    all->label[k] = difference->label;
    all->of[k] = difference->of;
    return all->count < all->most;
}

static told tell(const qd_world *first, const qd_world *second, qd_comparison *found) {
    told all = {.count = 0, .most = 8};
    ck_assert_int_eq(qd_world_compare(first, second, note, &all, found), QD_OK);
    return all;
}

// One bit of one number: body, field and both values, to the bit.
QD_TEST(one_bit_is_named) {
    saved s = save_of(make_world(0));
    // Where the number is.
    double vx = 0, seen = 0;
    size_t at = 0;
    qd_body_view view = qd_world_view(s.world);
    for (size_t r = 0; r < view.count; ++r)
        if (view.label[r] == 1) vx = view.vx[r];
    for (size_t i = 0; i + 8 < s.bytes && at == 0; ++i) {
        const unsigned char *from = s.data + i;
        seen = qdi_get_f64(&from);
        if (memcmp(&seen, &vx, sizeof seen) == 0) at = i;
    }
    ck_assert(vx > 0.5);
    ck_assert_uint_gt(at, 0);
    qd_world *other = with_bit_turned(&s, at, 0);
    ck_assert_ptr_nonnull(other);
    qd_comparison found;
    told all = tell(s.world, other, &found);
    ck_assert_uint_eq(all.count, 1);
    ck_assert_uint_eq(found.fields, 1);
    ck_assert_uint_eq(found.bodies, 1);
    ck_assert_uint_eq(found.contacts, 0);
    ck_assert_str_eq(all.subject[0], "body 1");
    ck_assert_uint_eq(all.label[0], 1);
    ck_assert_int_eq(all.of[0], QD_DIFFERENCE_BODY);
    ck_assert_str_eq(all.field[0], "velocity.x");
    double one = 0, two = 0;
    ck_assert(qdi_number_read(all.first[0], strlen(all.first[0]), &one));
    ck_assert(qdi_number_read(all.second[0], strlen(all.second[0]), &two));
    ck_assert_mem_eq(&one, &vx, sizeof one);
    uint64_t one_bits, two_bits;
    memcpy(&one_bits, &one, sizeof one_bits);
    memcpy(&two_bits, &two, sizeof two_bits);
    ck_assert_uint_eq(one_bits ^ two_bits, 1);
    qd_world_destroy(other);
    forget(&s);
}

QD_TEST(bodies_and_contacts_of_one_world_only) {
    qd_world_def def = qd_world_def_default();
    qd_own(qd_world) first = qd_test_world(&def), second = qd_test_world(&def);
    (void)qd_test_disk(first, 10, 10, 0, 0, 1, 0);
    (void)qd_test_disk(first, 11, 10, 0, 0, 1, 0);
    ck_assert_int_eq(qd_world_remove(first, qd_test_disk(first, 30, 10, 0, 0, 1, 0)), QD_OK);
    (void)qd_test_disk(second, 10, 10, 0, 0, 1, 0);
    qd_id gone = qd_test_disk(second, 30, 10, 0, 0, 1, 0);
    (void)qd_test_disk(second, 0.5, 90, 0, 0, 1, 0);
    ck_assert_int_eq(qd_world_remove(second, gone), QD_OK);
    ck_assert_int_eq(qd_world_detect(first), QD_OK);
    ck_assert_int_eq(qd_world_detect(second), QD_OK);
    told all = tell(first, second, NULL);
    const char *const expected[][3] = {
        // The totals are the same: one contact each.
        {"body 2", "there", "none"},
        {"body 3", "none", "there"},
        {"contact of body 1 and body 2", "there", "none"},
        {"contact of body 3 and wall left", "none", "there"},
    };
    ck_assert_uint_eq(all.count, 4);
    for (size_t k = 0; k < all.count; ++k) {
        ck_assert_str_eq(all.subject[k], expected[k][0]);
        ck_assert_str_eq(all.field[k], "");
        ck_assert_str_eq(all.first[k], expected[k][1]);
        ck_assert_str_eq(all.second[k], expected[k][2]);
    }
}

// A free index remembers how often it was used: the next body's id follows from it.
QD_TEST(free_indices_count) {
    qd_world_def def = qd_world_def_default();
    qd_own(qd_world) first = qd_test_world(&def), second = qd_test_world(&def);
    ck_assert_int_eq(qd_world_remove(first, qd_test_disk(first, 10, 10, 0, 0, 1, 0)), QD_OK);
    ck_assert_int_eq(qd_world_remove(second, qd_test_disk(second, 10, 10, 0, 0, 1, 0)), QD_OK);
    ck_assert_int_eq(qd_world_remove(second, qd_test_disk(second, 10, 10, 0, 0, 1, 0)), QD_OK);
    told all = tell(first, second, NULL);
    ck_assert_uint_eq(all.count, 2);
    ck_assert_str_eq(all.subject[0], "the world");
    ck_assert_str_eq(all.field[0], "last_label");
    ck_assert_str_eq(all.subject[1], "free index 0");
    ck_assert_str_eq(all.field[1], "generation");
    ck_assert_str_ne(all.first[1], all.second[1]);
}

QD_TEST(settings_have_names_and_words) {
    qd_world_def def = qd_world_def_default();
    qd_own(qd_world) first = qd_test_world(&def);
    def.boundary_y = QD_BOUNDARY_OPEN;
    def.wall_motion[1].velocity = 0.1;
    def.margin = 0;
    qd_own(qd_world) second = qd_test_world(&def);
    qd_comparison found;
    told all = tell(first, second, &found);
    ck_assert_uint_eq(all.count, 2);
    ck_assert_str_eq(all.subject[0], "the world");
    ck_assert_str_eq(all.field[0], "boundary_y");
    ck_assert_str_eq(all.first[0], "reflect");
    ck_assert_str_eq(all.second[0], "open");
    ck_assert_str_eq(all.field[1], "wall_motion.1.velocity");
    ck_assert_str_eq(all.first[1], "0");
    ck_assert_str_eq(all.second[1], "0.1");
    ck_assert_uint_eq(found.work, 1); // the margin
    ck_assert_uint_eq(found.bodies, 0);
}

QD_TEST(a_visitor_may_stop) {
    qd_own(qd_world) first = make_world(0), second = make_world(1);
    told all = {.count = 0, .most = 1};
    qd_comparison found;
    ck_assert_int_eq(qd_world_compare(first, second, note, &all, &found), QD_OK);
    ck_assert_uint_eq(all.count, 1);
    ck_assert_uint_eq(found.fields, 1);
    ck_assert_int_eq(qd_world_compare(first, NULL, note, &all, &found), QD_ERR_ARGUMENT);
    ck_assert_int_eq(qd_world_compare(NULL, second, note, &all, NULL), QD_ERR_ARGUMENT);
}

// Random worlds: a loaded copy has no difference; after a step it has as soon as the hash says so.
QD_TEST(random_worlds) {
    uint64_t first = qd_test_seed(50);
    size_t cases = qd_test_replaying() ? 1 : qd_test_effort(60);
    for (uint64_t seed = first; seed < first + cases; ++seed) {
        qd_random random = qd_random_at(seed, 0, 4);
        qd_world_def def = qd_test_random_def(&random);
        saved s = {.world = qd_test_world(&def)};
        qd_test_scatter_shapes(s.world, &random, 60);
        qd_test_step(s.world, 0.02, 5);
        s = save_of(s.world);
        qd_world *copy = NULL;
        ck_assert_int_eq(qd_world_load(s.data, s.bytes, 1, NULL, &copy, NULL), QD_OK);
        for (int k = 0; k < 3; ++k) {
            qd_comparison found = compare(s.world, copy);
            ck_assert_msg(found.fields == 0, "seed %llu, step %d", (unsigned long long)seed, k);
            qd_test_step(s.world, 0.02, 1);
            found = compare(s.world, copy);
            ck_assert_msg(found.fields > 0, "seed %llu, step %d", (unsigned long long)seed, k);
            qd_test_step(copy, 0.02, 1);
        }
        qd_world_destroy(copy);
        forget(&s);
    }
}

/// Keys that were told.
typedef struct keys {
    size_t count, most;
    char text[16][160];
} keys;

static bool note_key(void *context, const char *key, const char *first, const char *second) {
    keys *all = context;
    ck_assert_uint_lt(all->count, 16);
    snprintf(all->text[all->count], sizeof all->text[0], "%s: %s, %s", key, first ? first : "-",
             second ? second : "-");
    return ++all->count < all->most;
}

QD_TEST(scenes_key_by_key) {
    qd_own(qd_scene) one = qd_test_scene("name: one\nrun: {steps: 10}\nworld: {gravity: [0, -1]}\n"
                                         "bodies:\n- disks: {count: 20}\n- disks: {count: 5}\n",
                                         NULL);
    qd_own(qd_scene) two = qd_test_scene("name: one\nrun: {steps: 12}\nworld: {gravity: [0, -2]}\n"
                                         "bodies:\n- disks: {count: 30}\n",
                                         NULL);
    keys all = {.most = 100};
    uint64_t count = 0;
    ck_assert_int_eq(qd_scene_compare(one, one, note_key, &all, &count), QD_OK);
    ck_assert_uint_eq(all.count + count, 0);
    all.most = 4;
    ck_assert_int_eq(qd_scene_compare(one, two, note_key, &all, &count), QD_OK);
    ck_assert_uint_eq(all.count, 4);
    ck_assert_uint_eq(count, 4);
    const char *const expected[] = {"world.gravity.1: -1, -2", "run.steps: 10, 12",
                                    "bodies.0.disks.count: 20, 30", "bodies.1.disks.count: 5, -"};
    for (size_t k = 0; k < 4; ++k) ck_assert_str_eq(all.text[k], expected[k]);
    ck_assert_int_eq(qd_scene_compare(two, one, NULL, NULL, &count), QD_OK);
    ck_assert_uint_gt(count, 4); // every key of what is in one only
    ck_assert_int_eq(qd_scene_compare(two, NULL, NULL, NULL, &count), QD_ERR_ARGUMENT);
}

QD_TEST_MAIN("compare", 240, NULL, NULL)
