// The built-in scenes as they run: the same for any team and after a save, nobody where he should not be, and
// each one does what it says.
#include "tests/support/harness.h"
#include "tests/support/worlds.h"

#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <quadrille/scene.h>
#include <string.h>

QD_OWN_POINTER(qd_scene, qd_scene_destroy)

/// A scene, cut down so that a test of it takes little time but has all that the whole has.
typedef struct cut {
    const char *name;
    size_t steps;
    uint64_t bodies;
    const char *sets[3];
} cut;

static const cut cuts[] = {
    {"pool", 200, 300, {NULL}},
    {"gas", 200, 400, {NULL}},
    {"sizes", 200, 400, {NULL}},
    {"rain", 300, 0, {"bodies.2.disks.count=150", "bodies.3.rects.count=100", NULL}},
    {"clusters", 200, 400, {NULL}},
    {"pyramid", 200, 55, {NULL}},
    {"tumbler", 300, 0, {"bodies.2.disks.count=60", "bodies.3.rects.count=50", "bodies.4.polygons.count=50"}},
    {"billiard", 700, 0, {NULL}},
    {"cradle", 1000, 0, {NULL}},
    {"hopper", 300, 0, {"bodies.2.disks.count=250", NULL}},
    {"bullets", 40, 0, {NULL}},
    {"brownian", 200, 0, {"bodies.3.disks.count=300", NULL}},
    {"cooling", 200, 400, {NULL}},
    {"compress", 200, 300, {NULL}},
    {"silo", 400, 0, {"emitters.0.rate=300", "emitters.0.start=-0.5", NULL}},
    {"shaker", 300, 0, {"bodies.1.disks.count=300", NULL}},
    {"cells", 200, 0, {NULL}},
    {"refresh", 200, 300, {NULL}},
    {"pairs", 200, 300, {NULL}},
    {"retrieve", 200, 0, {NULL}},
    {"query", 200, 300, {NULL}},
    {"gate", 250, 0, {NULL}}, // of its first stage
};

enum { CUTS = sizeof cuts / sizeof cuts[0] };

static qd_scene *scene_of(const char *name, uint64_t bodies, const char *const *sets) {
    qd_scene_changes changes = {.sets = sets, .bodies = bodies};
    while (changes.set_count < 3 && sets && sets[changes.set_count]) ++changes.set_count;
    qd_scene *scene = NULL;
    qd_error error = {""};
    ck_assert_msg(qd_scene_builtin(name, &changes, &scene, &error) == QD_OK, "%s: %s", name, error.text);
    return scene;
}

static qd_world *world_of(const qd_scene *scene, int threads) {
    qd_world_def def = qd_scene_world(scene);
    def.threads = threads;
    qd_world *world = qd_test_world(&def);
    qd_error error = {""};
    ck_assert_msg(qd_scene_populate(scene, world, &error) == QD_OK, "%s", error.text);
    return world;
}

static uint64_t hash_and_end(qd_world *world) {
    uint64_t hash = qd_world_hash(world) ^ qd_test_events_hash(world);
    qd_world_destroy(world);
    return hash;
}

static qd_world *saved_and_loaded(qd_world *world, int threads) {
    unsigned char *data = NULL;
    size_t bytes = 0;
    qd_world *loaded = NULL;
    qd_error error = {""};
    ck_assert_int_eq(qd_world_save(world, &data, &bytes), QD_OK);
    ck_assert_msg(qd_world_load(data, bytes, threads, NULL, &loaded, &error) == QD_OK, "%s", error.text);
    qd_world_save_free(world, data, bytes);
    qd_world_destroy(world);
    return loaded;
}

QD_TEST(every_scene_is_here) {
    size_t count = 0;
    for (const char *name; (name = qd_scene_builtin_name(count)) != NULL; ++count) {
        ck_assert_uint_lt(count, CUTS);
        ck_assert_str_eq(name, cuts[count].name);
    }
    ck_assert_uint_eq(count, CUTS);
}

QD_TEST_LOOP(same_for_any_team_and_after_a_save, 0, CUTS) {
    const cut *c = &cuts[_i];
    const int threads[] = {1, 2, 3, 8};
    qd_own(qd_scene) scene = scene_of(c->name, c->bodies, c->sets);
    double dt = qd_scene_run_settings(scene).dt;
    size_t least = qd_test_effort(4 * c->steps), steps = least < c->steps ? least : c->steps;
    uint64_t hash = 0;
    for (int k = 0; k < 4; ++k) {
        qd_world *world = world_of(scene, threads[k]);
        ck_assert_int_eq(qd_world_detect(world), QD_OK);
        uint64_t start = qd_world_hash(world);
        qd_test_step(world, dt, steps);
        ck_assert_uint_ne(qd_world_hash(world), start);
        uint64_t end = hash_and_end(world);
        if (k == 0) hash = end;
        ck_assert_msg(end == hash, "%s differs with %d threads", c->name, threads[k]);
    }
    qd_world *world = world_of(scene, 1);
    qd_test_step(world, dt, steps / 2);
    world = saved_and_loaded(world, 2);
    qd_test_step(world, dt, steps - steps / 2);
    ck_assert_msg(hash_and_end(world) == hash, "%s differs after a save", c->name);
}

// State hashes that must never change between compilers, optimization levels, processors and releases without
// a line in the changelog.
QD_TEST_LOOP(golden_hashes, 0, CUTS) {
    static const uint64_t golden[CUTS][2] = {
        // of form 1, and of the present one
        {UINT64_C(0xd27bb230ca7c472c), UINT64_C(0x48512155ea1baff7)}, // pool
        {UINT64_C(0x76ffaba8bee8e409), UINT64_C(0x0283ccb07336ba7e)}, // gas
        {UINT64_C(0xed7d1ff486fd95f8), UINT64_C(0xce2740237f4915c2)}, // sizes
        {UINT64_C(0x13b279596080ab6a), UINT64_C(0xdcba8da0fa2782f3)}, // rain
        {UINT64_C(0x93ef024bee116c7b), UINT64_C(0xe6a124fbb84fcbf3)}, // clusters
        {UINT64_C(0xfe6a9176083c2f78), UINT64_C(0xd6f50732176c9b6d)}, // pyramid
        {UINT64_C(0xb2dc3d3bc837a218), UINT64_C(0xa219c2f98860b135)}, // tumbler
        {UINT64_C(0xa210ca9262fe08f6), UINT64_C(0x70828a24a31dcb9d)}, // billiard
        {UINT64_C(0x108084899afa5876), UINT64_C(0x90ce49af47b828c3)}, // cradle
        {UINT64_C(0x498a76dfdb5ec77e), UINT64_C(0xeb52813262c5c70e)}, // hopper
        {UINT64_C(0x0737bb55b2aa7018), UINT64_C(0xb9a9ead9db633fa2)}, // bullets
        {UINT64_C(0x7793b2a95942ccc6), UINT64_C(0x79ea9f072485dbb4)}, // brownian
        {UINT64_C(0xc196043c9f26823b), UINT64_C(0x38d1f0412aac05cc)}, // cooling
        {UINT64_C(0x32a320550cf3244a), UINT64_C(0xe95815314e381875)}, // compress
        {UINT64_C(0xd1a310ce96b3e405), UINT64_C(0x1f34b1563c21402c)}, // silo
        {UINT64_C(0xd5723b5da98ee5b7), UINT64_C(0x6e0db16bf4ae6eec)}, // shaker
        {UINT64_C(0x2395a4132ec7c367), UINT64_C(0x32394984857c4177)}, // cells
        {UINT64_C(0x44e6ccd004fb9468), UINT64_C(0xf8a550c0463d46da)}, // refresh
        {UINT64_C(0x26398c35c9be091c), UINT64_C(0x1d7d1818a32ab866)}, // pairs
        {UINT64_C(0x41abeb7f9ab89dff), UINT64_C(0xfa7fe6110dcea635)}, // retrieve
        {UINT64_C(0xd27bb230ca7c472c), UINT64_C(0x48512155ea1baff7)}, // query, the bodies of pool
        {UINT64_C(0x5bb66f17930f5ebb), UINT64_C(0xb6a0382549a798a6)}, // gate
    };
    const cut *c = &cuts[_i];
    qd_own(qd_scene) scene = scene_of(c->name, c->bodies, c->sets);
    qd_own(qd_world) world = world_of(scene, 1);
    qd_test_step(world, qd_scene_run_settings(scene).dt, c->steps < 200 ? c->steps : 200);
    uint64_t first = qd_world_hash_as(world, 1), hash = qd_world_hash(world);
    ck_assert_msg(first == golden[_i][0], "%s: form 1 gives 0x%016" PRIx64, c->name, first);
    ck_assert_msg(hash == golden[_i][1], "%s: 0x%016" PRIx64, c->name, hash);
}

/// How far a body's box reaches out of the walls; below 0: it does not.
static double beyond_walls(const qd_world *world, const qd_body_state *s) {
    qd_world_def def = qd_world_definition(world);
    qd_vec2 low, high, left, right; // of the body; of the world's sides, which may move
    qd_shape_bounds(&s->shape, s->position, s->turn, &low, &high);
    qd_world_sides(world, &left, &right);
    double out = -DBL_MAX;
    if (def.boundary_x == QD_BOUNDARY_REFLECT) out = fmax(left.x - low.x, high.x - right.x);
    if (def.boundary_y == QD_BOUNDARY_REFLECT) out = fmax(out, fmax(left.y - low.y, high.y - right.y));
    return out;
}

/// How far outside of the hopper or of the drum a body's centre is; below 0: it is inside.
static double outside_of(const char *name, qd_vec2 at) {
    if (strcmp(name, "tumbler") == 0) return sqrt((at.x - 40) * (at.x - 40) + (at.y - 25) * (at.y - 25)) - 22;
    if (strcmp(name, "hopper") != 0 || at.y < 48) return -1;
    double half = at.y < 74 ? 3.5 + (at.y - 48) * 26.5 / 26 : 30;
    return fabs(at.x - 40) - half;
}

// A body may be in a wall by as much as it moves in a step, and a little deeper where it is pressed on.
QD_TEST_LOOP(nobody_leaves, 0, CUTS) {
    const cut *c = &cuts[_i];
    qd_own(qd_scene) scene = scene_of(c->name, c->bodies, c->sets);
    qd_own(qd_world) world = world_of(scene, 2);
    double dt = qd_scene_run_settings(scene).dt;
    for (size_t k = 0; k < qd_test_effort(40); ++k) {
        qd_test_step(world, dt, 50);
        qd_body_view view = qd_world_view(world);
        ck_assert_uint_ge(view.count, qd_scene_bodies(scene)); // emitters add some
        double fastest = qd_world_sum(world).fastest * dt;
        const double give = qd_world_definition(world).contact == QD_CONTACT_SPRING
                                ? 0.6
                                : 0.1; // springs do, under a large grain
        for (size_t r = 0; r < view.count; ++r) {
            if (view.kind[r] != QD_BODY_DYNAMIC) continue;
            qd_body_state s = qd_test_body(world, (qd_id){view.index[r], view.generation[r]});
            double out = beyond_walls(world, &s);
            if (!(out <= fastest + give * view.radius[r]))
                ck_abort_msg("%s, step %zu: body %u is outside by %g", c->name, 50 * (k + 1), view.index[r],
                             out);
            if (!(outside_of(c->name, s.position) < 0))
                ck_abort_msg("%s, step %zu: body %u is through", c->name, 50 * (k + 1), view.index[r]);
        }
    }
}

// 20 rows, 60 units of time where QD_TEST_EFFORT is large: nothing moves by more than 1 % of a box, all in
// all.
QD_TEST_LOOP(pyramid_stands, 0, QD_TEST_THREAD_SANITIZER ? 0 : 1) {
    qd_own(qd_scene) scene = scene_of("pyramid", 0, NULL);
    qd_own(qd_world) world = world_of(scene, 1);
    qd_vec2 at[210];
    for (uint32_t i = 0; i < 210; ++i) at[i] = qd_test_body(world, (qd_id){i, 1}).position;
    ck_assert_double_eq_tol(at[209].y, 19.5, 1e-12);
    ck_assert_double_eq_tol(at[209].x, 20, 1e-12);
    for (size_t k = 0; k < qd_test_effort(10); ++k) {
        qd_test_step(world, qd_scene_run_settings(scene).dt, 36);
        for (uint32_t i = 0; i < 210; ++i) {
            qd_body_state s = qd_test_body(world, (qd_id){i, 1});
            double x = s.position.x - at[i].x, y = s.position.y - at[i].y, way = sqrt(x * x + y * y);
            if (!(way < 0.01)) ck_abort_msg("box %u moved by %g after %zu steps", i, way, 36 * (k + 1));
            if (!(fabs(s.turn.y) < 0.005)) ck_abort_msg("box %u turned by %g", i, s.turn.y);
        }
    }
    ck_assert_double_lt(qd_world_sum(world).fastest, 0.05);
}

QD_TEST_LOOP(energy_does_not_grow, 0, 4) {
    const char *const names[] = {"billiard", "cradle", "clusters", "cooling"};
    const bool keeps[] = {false, true, true, false};
    qd_own(qd_scene) scene = scene_of(names[_i], _i >= 2 ? 500 : 0, NULL);
    qd_own(qd_world) world = world_of(scene, 1);
    double first = qd_world_sum(world).kinetic, last = first;
    for (size_t k = 0; k < 1500; ++k) {
        qd_test_step(world, qd_scene_run_settings(scene).dt, 1);
        double now = qd_world_sum(world).kinetic;
        if (!(now <= last * (1 + 1e-13))) ck_abort_msg("step %zu: %.17g after %.17g", k + 1, now, last);
        last = now;
    }
    if (keeps[_i])
        ck_assert_double_eq_tol(last, first, 1e-11 * first);
    else
        ck_assert_double_lt(last, 0.7 * first);
}

// The medium keeps bodies of every size at its temperature, 4 per component.
QD_TEST_LOOP(brownian_is_warm, 0, QD_TEST_THREAD_SANITIZER ? 0 : 1) {
    qd_own(qd_scene) scene = scene_of("brownian", 0, NULL);
    qd_own(qd_world) world = world_of(scene, 2);
    double large = 0, small = 0, larges = 0, smalls = 0, dt = qd_scene_run_settings(scene).dt;
    qd_test_step(world, dt, 200);
    for (int k = 0; k < 20; ++k) {
        qd_test_step(world, dt, 40);
        qd_body_view view = qd_world_view(world);
        for (size_t r = 0; r < view.count; ++r) {
            double energy = view.mass[r] * (view.vx[r] * view.vx[r] + view.vy[r] * view.vy[r]) / 2;
            *(view.radius[r] > 0.4 ? &large : &small) += energy;
            *(view.radius[r] > 0.4 ? &larges : &smalls) += 1;
        }
    }
    ck_assert_double_eq_tol(large / larges, 4, 0.6);
    ck_assert_double_eq_tol(small / smalls, 4, 0.25);
}

// As many leave a row as run into it, with their speed; the others stand still.
QD_TEST(cradle_passes_on_what_comes_in) {
    qd_own(qd_scene) scene = scene_of("cradle", 0, NULL);
    qd_own(qd_world) world = world_of(scene, 1);
    qd_test_step(world, qd_scene_run_settings(scene).dt,
                 1000); // the last balls have left, none is at the wall
    for (uint32_t i = 0; i < 20; ++i) {
        qd_body_state s = qd_test_body(world, (qd_id){i, 1});
        // A row's five are numbered from the left, and nobody passes anybody: the last ones leave.
        bool leaves = i % 5 >= 4 - i / 5;
        ck_assert_double_eq_tol(s.velocity.x, leaves ? 20 : 0, 1e-9);
        ck_assert_double_eq(s.velocity.y, 0);
    }
}

/// How many contacts of two bodies are deeper than 0.6 of the smaller one's radius.
static size_t deep_contacts(const qd_world *world) {
    qd_body_view view = qd_world_view(world);
    size_t count, deep = 0;
    const qd_contact *contact = qd_world_contacts(world, &count);
    for (size_t i = 0; i < count; ++i) {
        double a = view.radius[view.row_of_index[contact[i].a.index]];
        double b = view.radius[view.row_of_index[contact[i].b.index]];
        deep += contact[i].touch[0].depth > 0.6 * (a < b ? a : b);
    }
    return deep;
}

// What is pressed together in a heap does not stay in each other: not even where a push has just made it
// part.
QD_TEST_LOOP(heap_does_not_sink_into_itself, 0, QD_TEST_THREAD_SANITIZER ? 0 : 1) {
    qd_own(qd_scene) scene = scene_of("tumbler", 0, NULL);
    qd_own(qd_world) world = world_of(scene, 2);
    size_t deep = 0;
    for (int k = 0; k < 700; ++k) {
        qd_test_step(world, qd_scene_run_settings(scene).dt, 1);
        deep += deep_contacts(world);
    }
    ck_assert_uint_le(deep, 5); // a fall of 20 per second goes 0.2 into another body, once
}

QD_TEST_LOOP(rain_comes_to_rest, 0, QD_TEST_THREAD_SANITIZER ? 0 : 1) {
    const char *const sets[] = {"bodies.2.disks.count=100", "bodies.3.rects.count=100", NULL};
    qd_own(qd_scene) scene = scene_of("rain", 0, sets);
    qd_own(qd_world) world = world_of(scene, 2);
    double dt = qd_scene_run_settings(scene).dt, most = 0;
    for (int k = 0; k < 80; ++k) {
        qd_test_step(world, dt, 50);
        double now = qd_world_sum(world).kinetic;
        if (now > most) most = now;
    }
    // What still rolls on the floor (nothing slows down what rolls) has next to nothing of that.
    ck_assert_double_lt(qd_world_sum(world).kinetic, 2e-3 * most);
}

QD_TEST_MAIN("scenes_builtin", 300, NULL, NULL)
