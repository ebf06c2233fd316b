#include <quadrille/scene.h>

#include "sim/scene/scene_impl.h"
#include "tests/support/harness.h"
#include "tests/support/scenes.h"

#include <quadrille/hash.h>
#include <quadrille/random.h>

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

static qd_scene *parse(const char *text) {
    return qd_test_scene(text, NULL);
}

/// Reading the resolved text gives the same text, and so the same hash.
static void check_resolved(const qd_scene *scene) {
    qd_own(qd_scene) again = parse(qd_scene_text(scene));
    ck_assert_str_eq(qd_scene_text(again), qd_scene_text(scene));
    ck_assert_uint_eq(qd_scene_hash(again), qd_scene_hash(scene));
    ck_assert_uint_eq(qd_scene_hash(scene),
                      qd_hash_bytes(qd_scene_text(scene), strlen(qd_scene_text(scene))));
}

static qd_scene *builtin(const char *name, const char *set, uint64_t bodies) {
    qd_scene *scene = NULL;
    qd_error error;
    qd_scene_changes changes = {&set, set ? 1 : 0, bodies};
    qd_status status = qd_scene_builtin(name, &changes, &scene, &error);
    ck_assert_msg(status == QD_OK, "%s: %s", name, error.text);
    return scene;
}

QD_TEST(lists_the_builtin_scenes) {
    static const char *const names[] = {"pool",    "gas",      "sizes",  "rain",   "clusters", "pyramid",
                                        "tumbler", "billiard", "cradle", "hopper", "bullets",  "brownian",
                                        "cooling", "compress", "silo",   "shaker", "cells",    "refresh",
                                        "pairs",   "retrieve", "query",  "gate"};
    const size_t count = sizeof names / sizeof names[0];
    for (size_t i = 0; i < count; ++i) {
        ck_assert_str_eq(qd_scene_builtin_name(i), names[i]);
        const char *about = qd_scene_builtin_about(i), *text = qd_scene_builtin_text(names[i]);
        char first[200];
        snprintf(first, sizeof first, "# %s\n", about);
        ck_assert_msg(strncmp(text, first, strlen(first)) == 0, "%s does not begin with %s", names[i], first);
        qd_own(qd_scene) scene = builtin(names[i], NULL, 0);
        ck_assert_str_eq(qd_scene_name(scene), names[i]);
        check_resolved(scene);
    }
    ck_assert_ptr_null(qd_scene_builtin_name(count));
    ck_assert_ptr_null(qd_scene_builtin_about(count));
    ck_assert_ptr_null(qd_scene_builtin_text("poo"));
    ck_assert_ptr_null(qd_scene_builtin_text(NULL));
}

QD_TEST(gives_what_the_file_says) {
    qd_own(qd_scene) scene = parse(
        "name: a-b_C9\n"
        "world: {size: [3, 4e1], origin: [-1, 2.5], boundary: {x: periodic}, gravity: [0, -9.81]}\n"
        "run: {steps: 1e3, dt: 1e-3, seed: 9223372036854775807}\n"
        "stepper: {retrieve: each, margin: 0.25, capacity: 7, iterations: 20, substeps: 3}\n"
        "contact: {model: none, restitution: 0.5, friction: 0.25}\n"
        "limits: {speed: 10, distance: .inf, pairs: 2.5}\n"
        "bodies:\n"
        "- disks: {count: 3}\n"
        "- disks: {count: 4, radius: 0.25}\n"
        "view: {size: [640, 480], colour: speed, speed: 3, nodes: none, contacts: false, text: False}\n"
        "frames: {every: 0}\n"
        "record: {metrics: 3, hashes: 0, events: persist, snapshots: 50}\n"
        "checkpoint: {every: 1000, seconds: 0.5, keep: 7}\n");
    qd_world_def world = qd_scene_world(scene);
    qd_scene_run run = qd_scene_run_settings(scene);
    qd_view view = qd_scene_view(scene);
    ck_assert_str_eq(qd_scene_name(scene), "a-b_C9");
    ck_assert(world.size.x == 3 && world.size.y == 40 && world.origin.x == -1 && world.origin.y == 2.5);
    ck_assert(world.boundary_x == QD_BOUNDARY_PERIODIC && world.boundary_y == QD_BOUNDARY_REFLECT);
    ck_assert(world.gravity.x == 0 && world.gravity.y == -9.81);
    ck_assert(run.steps == 1000 && run.dt == 1e-3 && run.seed == INT64_MAX && run.frames_every == 0);
    ck_assert(run.record_metrics == 3 && run.record_hashes == 0 && run.record_snapshots == 50);
    ck_assert(run.record_events == QD_RECORD_EVENTS_ALL && run.checkpoint_every == 1000);
    ck_assert(run.checkpoint_seconds == 0.5 && run.checkpoint_keep == 7);
    ck_assert(world.seed == run.seed && world.retrieve == QD_RETRIEVE_EACH && world.capacity == 7);
    ck_assert(world.contact == QD_CONTACT_NONE && world.restitution == 0.5 && world.iterations == 20);
    ck_assert(world.margin == 0.25);
    ck_assert(world.substeps == 3 && world.friction == 0.25);
    ck_assert(world.limits.speed == 10 && isinf(world.limits.distance) && world.limits.pairs == 2.5);
    ck_assert(view.width == 640 && view.height == 480 && view.colour == QD_VIEW_SPEED && view.speed == 3);
    ck_assert(view.nodes == QD_VIEW_NODES_NONE && !view.contacts && !view.text);
    ck_assert_uint_eq(qd_scene_bodies(scene), 7);
    check_resolved(scene);
}

QD_TEST(fills_in_defaults) {
    qd_own(qd_scene) scene = parse("{}");
    qd_world_def world = qd_scene_world(scene), usual = qd_world_def_default();
    ck_assert(world.cookie == usual.cookie && world.size.x == 100 && world.restitution == usual.restitution);
    ck_assert(world.limits.distance == 1e8 && isinf(world.limits.speed));
    ck_assert_uint_eq(qd_scene_bodies(scene), 0);
    ck_assert(isnan(qd_scene_view(scene).speed));
    check_resolved(scene);
}

QD_TEST(reads_the_same_scene_in_any_dress) {
    qd_own(qd_scene) plain = parse(
        "world:\n  boundary: open\nbodies:\n  - disks: {count: 2, velocity: 0, radius: 2.50}\n");
    static const char *const same[] = {
        "{\"world\": {\"boundary\": \"open\"}, \"bodies\": [{\"disks\": {\"radius\": 25e-1, \"count\": 2}}]}",
        "bodies: [disks: {velocity: [-0.0, 0], count: +2, radius: 2.5}]\nworld: {boundary: {x: open, y: "
        "open}}\n",
        "%YAML 1.1\n--- # a comment\nworld: {boundary: &side open}\nbodies:\n- disks: &d {count: 2.0, "
        "radius: 2.5}\n...\n",
        "\xef\xbb\xbfworld: {boundary: {x: &side open, y: *side}}\r\nbodies:\r\n- disks: {count: 2, radius: "
        "2.5}\r\n",
        "world: {boundary: open, gravity: [0, 0], size: [1e2, 100.0]}\nbodies:\n- disks: {count: 2, radius: "
        "2.5, region: [0, 0, 100, 100]}\n",
    };
    for (size_t i = 0; i < sizeof same / sizeof same[0]; ++i) {
        qd_own(qd_scene) scene = parse(same[i]);
        ck_assert_str_eq(qd_scene_text(scene), qd_scene_text(plain));
        ck_assert_uint_eq(qd_scene_hash(scene), qd_scene_hash(plain));
    }
    qd_own(qd_scene)
        other = parse("world: {boundary: open}\nbodies: [disks: {count: 2, radius: 2.5000000000000004}]\n");
    ck_assert_uint_ne(qd_scene_hash(other), qd_scene_hash(plain));
}

QD_TEST(lists_bodies_one_by_one) {
    qd_scene *scene = parse("world: {size: [10, 10], boundary: {x: periodic, y: reflect}}\nbodies:\n- list:\n"
                            "  - {at: [12.5, 3], radius: 2, velocity: [1, -1], mass: 7}\n  - {shape: disk, "
                            "at: [5, 3], density: 2}\n"
                            "- disks: {count: 20, radius: 0.3}\n- list: []\n");
    ck_assert_uint_eq(qd_scene_bodies(scene), 22);
    check_resolved(scene);
    qd_world_def def = qd_scene_world(scene);
    qd_world *world = NULL;
    qd_error error = {""};
    ck_assert_int_eq(qd_world_create(&def, &world), QD_OK);
    ck_assert_msg(qd_scene_populate(scene, world, &error) == QD_OK, "%s", error.text);
    qd_body_state state;
    ck_assert_int_eq(qd_world_body(world, (qd_id){0, 1}, &state), QD_OK);
    ck_assert(state.position.x == 2.5 && state.shape.radius == 2 && state.velocity.y == -1 &&
              state.mass == 7);
    ck_assert_int_eq(qd_world_body(world, (qd_id){1, 1}, &state), QD_OK);
    ck_assert(state.position.x == 5 && state.shape.radius == 0.5 && state.label == 2);
    ck_assert_double_eq_tol(state.mass, 2 * 3.14159265358979323846 * 0.25, 1e-15);
    ck_assert_int_eq(qd_world_detect(world), QD_OK);
    size_t contacts = 0; // of the two that were listed: they touch
    qd_world_contacts(world, &contacts);
    ck_assert_uint_eq(contacts, 1);
    qd_world_destroy(world);
    qd_scene_destroy(scene);
    const char *sets[] = {"bodies.0.list.1.radius=0.25"};
    qd_scene_changes changes = {sets, 1, 0};
    scene = qd_test_scene("bodies: [list: [{at: [1, 1]}, {at: [2, 2]}]]", &changes);
    ck_assert_ptr_nonnull(strstr(qd_scene_text(scene), "radius: 0.25\n"));
    qd_scene_destroy(scene);
}

QD_TEST(copies_aliases) {
    qd_scene *scene = parse(
        "bodies:\n- &first\n  disks: &d {count: 2, radius: {uniform: [1, 2]}}\n- *first\n- disks: *d\n");
    ck_assert_uint_eq(qd_scene_bodies(scene), 6);
    qd_scene_destroy(scene);
    const char *sets[] = {"bodies.0.disks.count=10"};
    qd_scene_changes changes = {sets, 1, 0};
    scene = qd_test_scene("bodies:\n- &first\n  disks: {count: 2}\n- *first\n", &changes);
    ck_assert_uint_eq(qd_scene_bodies(scene), 12);
    qd_scene_destroy(scene);
}

static bool contains(const qd_scene *scene, const char *part) {
    return strstr(qd_scene_text(scene), part) != NULL;
}

QD_TEST(sets_any_key) {
    static const struct {
        const char *set, *part;
    } cases[] = {
        {"contact.restitution=0.9", "restitution: 0.9\n"},
        {"bodies.0.disks.count=17", "count: 17\n"},
        {"world.boundary.x=periodic", "x: periodic\n    y: reflect\n"},
        {"world.boundary={x: open, y: periodic}", "x: open\n    y: periodic\n"},
        {"world.size.1=61", "size: [100, 61]\n"},
        {"bodies.0.disks.radius=0.25", "radius: 0.25\n"},
        {"bodies.0.disks.radius.uniform.0=0.2", "uniform: [0.2, 0.6]\n"},
        {"bodies.0.disks.radius.power={min: 1, max: 2, exponent: 0}",
         "min: 1\n          max: 2\n          exponent: 0\n"},
        {"bodies.0.disks.velocity.uniform=3", "velocity:\n        uniform: 3\n"},
        {"bodies=[{disks: {count: 5, place: grid}}]", "count: 5\n      radius: 0.5\n      place: grid\n"},
        {"limits={speed: 5}", "speed: 5\n"},
        {"view.speed=auto", "speed: auto\n"},
        {"view.range=[-1, 2.5]", "range: [-1, 2.5]\n"},
        {"view.range=auto", "range: auto\n"},
        {"view.contacts=impulse", "contacts: impulse\n"},
        {"view.retrieve=17", "retrieve: 17\n"},
        {"view.text=[scale, tests, tests, step]", "text: [step, tests, scale]\n"},
        {"view.text=[step, time, bodies, contacts, nodes, legend, scale, stage]", "text: true\n"},
        {"view.text=[]", "text: false\n"},
        {"view.text=TRUE", "text: true\n"},
        {"view.camera.follow=mass", "follow: mass\n"},
        {"view.query={region: [1, 2, 3, 4], follow: 3}", "query:\n    region: [1, 2, 3, 4]\n    follow: 3\n"},
        {"view.query.region=auto", "query:\n    region: auto\n"},
        {"view.camera.region=[1, 2, 3, 4]", "region: [1, 2, 3, 4]\n"},
        {"view.camera.path=[[0, 5, 5, 1], [2, 7, 5, 4]]", "path: [[0, 5, 5, 1], [2, 7, 5, 4]]\n"},
        {"name='other'", "name: other\n"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
        qd_own(qd_scene) scene = builtin("pool", cases[i].set, 0);
        ck_assert_msg(contains(scene, cases[i].part), "%s gave\n%s", cases[i].set, qd_scene_text(scene));
        check_resolved(scene);
    }
    const char *sets[] = {"run.seed=2", "run.seed=3", "world.boundary=open", "world.boundary.y=periodic"};
    qd_scene_changes changes = {sets, 4, 0};
    qd_own(qd_scene) scene = qd_test_scene("run: {seed: 1}", &changes);
    ck_assert_uint_eq(qd_scene_run_settings(scene).seed, 3);
    ck_assert(contains(scene, "x: open\n    y: periodic\n"));
}

QD_TEST(scales_bodies_at_constant_density) {
    qd_scene *scene = builtin("pool", NULL, 8000);
    ck_assert_uint_eq(qd_scene_bodies(scene), 8000);
    ck_assert(qd_scene_world(scene).size.x == 200 && qd_scene_world(scene).size.y == 120);
    ck_assert(qd_scene_world(scene).limits.distance == 2e8);
    check_resolved(scene);
    qd_scene_destroy(scene);
    const char *text =
        "world: {size: [10, 10], origin: [1, 2]}\n"
        "bodies:\n- disks: {count: 1, radius: 0.1, region: [6, 2, 5, 5]}\n- disks: {count: 2, radius: 0.1}\n"
        "- disks: {count: 0}\n- disks: {count: 4, radius: 0.1}\n";
    for (uint64_t n = 1; n <= 50; ++n) {
        qd_scene_changes changes = {NULL, 0, n};
        scene = qd_test_scene(text, &changes);
        ck_assert_uint_eq(qd_scene_bodies(scene), n);
        double side = qd_scene_world(scene).size.x;
        ck_assert_double_eq_tol(side * side, 100.0 * (double)n / 7, 1e-9 * side * side);
        ck_assert(qd_scene_world(scene).origin.x == 1 && qd_scene_world(scene).origin.y == 2);
        const qdi_region *region = &scene->settings.items[0].region;
        ck_assert_double_eq_tol(region->x, 1 + side / 2, 1e-12 * side);
        ck_assert_double_eq_tol(region->height, side / 2, 1e-12 * side);
        check_resolved(scene);
        qd_scene_destroy(scene);
    }
}

static void add_random_radius(qdi_text *text, qd_random *random) {
    double low = qd_random_uniform(random) * 3 + 1e-3, high = low * (1 + qd_random_uniform(random));
    uint64_t form = qd_random_bits(random) % 3;
    qdi_text_add(text, form == 0   ? ", radius: "
                       : form == 1 ? ", radius: {uniform: ["
                                   : ", radius: {power: {min: ");
    qdi_text_add_number(text, low);
    if (form == 0) return;
    qdi_text_add(text, form == 1 ? ", " : ", max: ");
    qdi_text_add_number(text, high);
    qdi_text_add(text, form == 1 ? "]}" : ", exponent: 2.5}}");
}

/// Whatever a scene says, its resolved text says the same.
QD_TEST(resolves_random_scenes_to_themselves) {
    uint64_t seed = qd_test_seed(11);
    static const char *const boundaries[] = {"reflect", "periodic", "open"};
    for (size_t i = 0; i < qd_test_effort(2000); ++i) {
        qd_random random = qd_random_at(seed, i, 1);
        qdi_text text = {.allocator = qd_allocator_default()};
        qdi_text_add(&text, "world: {size: [");
        qdi_text_add_number(&text, qd_random_uniform(&random) * 1e3 + 1e-3);
        qdi_text_add(&text, ", ");
        qdi_text_add_number(&text, qd_random_uniform(&random) * 1e-3 + 1e-9);
        qdi_text_add(&text, "], boundary: ");
        qdi_text_add(&text, boundaries[qd_random_bits(&random) % 3]);
        qdi_text_add(&text, "}\nrun: {seed: ");
        qdi_text_add_integer(&text, qd_random_bits(&random));
        qdi_text_add(&text, "}\nbodies:\n");
        for (uint64_t k = qd_random_bits(&random) % 4; k > 0; --k) {
            qdi_text_add(&text, "- disks: {count: ");
            qdi_text_add_integer(&text, qd_random_bits(&random) % 1000 + 1);
            add_random_radius(&text, &random);
            if (qd_random_bits(&random) % 2)
                qdi_text_add(&text, ", velocity: {normal: 0.1}, mass: 3, place: grid");
            qdi_text_add(&text, "}\n");
        }
        if (text.chars[text.used - 2] == ':') qdi_text_add(&text, " []\n");
        ck_assert_int_eq(text.status, QD_OK);
        qd_scene_changes changes = {NULL, 0,
                                    strstr(text.chars, "count") ? qd_random_bits(&random) % 5000 : 0};
        qd_own(qd_scene) scene = qd_test_scene(text.chars, &changes);
        check_resolved(scene);
        qdi_text_release(&text);
    }
}

/// The examples of the documentation are scenes.
QD_TEST(reads_the_documented_example) {
    FILE *file = fopen(QD_SOURCE_DIR "/docs/scene.md", "rb");
    ck_assert_ptr_nonnull(file);
    static char text[1 << 18];
    size_t bytes = fread(text, 1, sizeof text - 1, file);
    fclose(file);
    text[bytes] = 0;
    char *begin = strstr(text, "```yaml\n");
    ck_assert_ptr_nonnull(begin);
    begin += strlen("```yaml\n");
    *strstr(begin, "```") = 0;
    qd_own(qd_scene) scene = parse(begin);
    ck_assert_uint_eq(qd_scene_bodies(scene), 410);
    check_resolved(scene);
    qd_world_def def = qd_scene_world(scene);
    qd_own(qd_world) world = NULL;
    qd_error error;
    ck_assert_int_eq(qd_world_create(&def, &world), QD_OK);
    ck_assert_msg(qd_scene_populate(scene, world, &error) == QD_OK, "%s", error.text);
    ck_assert_uint_eq(qd_world_count(world), 410);
}

/// The scenes of disks alone (pool, gas and sizes) fill a world: no contact at the start, and the same bodies
/// each time.
QD_TEST(populates_worlds) {
    for (size_t i = 0; i < 3; ++i) {
        uint64_t hash[3];
        for (int k = 0; k < 3; ++k) {
            qd_own(qd_scene) scene = builtin(qd_scene_builtin_name(i), k == 2 ? "run.seed=2" : NULL, 0);
            qd_world_def def = qd_scene_world(scene);
            qd_own(qd_world) world = NULL;
            qd_error error;
            ck_assert_int_eq(qd_world_create(&def, &world), QD_OK);
            ck_assert_msg(qd_scene_populate(scene, world, &error) == QD_OK, "%s", error.text);
            ck_assert_uint_eq(qd_world_count(world), qd_scene_bodies(scene));
            ck_assert_int_eq(qd_world_detect(world), QD_OK);
            size_t contacts = 1;
            qd_world_contacts(world, &contacts);
            ck_assert_uint_eq(contacts, 0);
            qd_world_sums sums = qd_world_sum(world);
            double fraction = sums.area / (def.size.x * def.size.y);
            double least = strcmp(qd_scene_builtin_name(i), "bullets") == 0 ? 0.08
                                                                            : 0.2; // half of it is empty
            ck_assert_msg(fraction > least && fraction < 0.4, "%s: %g", qd_scene_builtin_name(i), fraction);
            hash[k] = qd_world_hash(world);
        }
        ck_assert_uint_eq(hash[0], hash[1]);
        ck_assert_uint_ne(hash[0], hash[2]);
    }
}

QD_TEST(populates_with_nobody) {
    static const char *const none[] = {"{}", "bodies: []", "bodies: [disks: {count: 0, radius: 1000}]"};
    for (size_t i = 0; i < sizeof none / sizeof none[0]; ++i) {
        qd_own(qd_scene) scene = parse(none[i]);
        qd_world_def def = qd_scene_world(scene);
        qd_own(qd_world) world = qd_test_world(&def);
        ck_assert_int_eq(qd_scene_populate(scene, world, NULL), QD_OK);
        ck_assert_uint_eq(qd_world_count(world), 0);
    }
}

QD_TEST_MAIN("scene", 120, NULL, NULL)
