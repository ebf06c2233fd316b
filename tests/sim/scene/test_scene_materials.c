// Materials of a scene: read, written, used everywhere, changed from outside.
#include "tests/support/harness.h"
#include "tests/support/scenes.h"

#include <math.h>
#include <string.h>

static const char everything[] =
    "world: {size: [40, 30]}\n"
    "contact: {friction: 0.25, walls: {material: rubber}}\n"
    "bodies:\n"
    "  - disks: {count: 1, material: steel}\n"
    "  - disks: {count: 1, material: steel, density: 2, friction: 0.75}\n"
    "  - rects: {count: 1, material: rubber, mass: 5}\n"
    "  - capsules: {count: 1, material: steel, density: auto}\n"
    "  - polygons: {count: 1, material: none}\n"
    "  - polyline: {points: [[1, 1], [5, 3]], material: rubber}\n"
    "  - list:\n"
    "      - {at: [10, 28], material: steel, restitution: auto}\n"
    "      - {at: [20, 28], shape: rect, static: true, material: rubber}\n"
    "materials:\n"
    "  steel: {density: 7.5, restitution: 0.875, friction: 0.5}\n"
    "  rubber: {friction: 1}\n"
    "  pairs:\n"
    "    - {of: [rubber, steel], friction: 0.7}\n"
    "    - {of: [steel, steel], restitution: 0.5, tangential_restitution: 0.125}\n"
    "emitters: [{region: [10, 20, 5, 5], rate: 1, material: steel}]\n";

static qd_body_state body_of(const qd_world *world, uint32_t index) {
    return qd_test_body(world, (qd_id){index, 1});
}

QD_TEST(scenes_say_all_of_materials) {
    qd_own(qd_scene) scene = qd_test_scene(everything, NULL),
                     again = qd_test_scene(qd_scene_text(scene), NULL);
    ck_assert_str_eq(qd_scene_text(again), qd_scene_text(scene));
    qd_own(qd_world) world = qd_test_scene_world(again);
    qd_named_material named;
    ck_assert_int_eq(qd_world_material(world, 1, &named), QD_OK);
    ck_assert_str_eq(named.name, "steel");
    ck_assert(named.surface.restitution == 0.875 && named.surface.friction == 0.5);
    ck_assert(isnan(named.surface.tangential));
    qd_material pair;
    ck_assert_int_eq(qd_world_material_pair(world, 1, 2, &pair), QD_OK);
    ck_assert(pair.friction == 0.7 && isnan(pair.restitution));
    ck_assert_int_eq(qd_world_material_pair(world, 1, 1, &pair), QD_OK);
    ck_assert(pair.restitution == 0.5 && pair.tangential == 0.125 && isnan(pair.friction));
    ck_assert_uint_eq(qd_world_definition(world).walls.of, 2);
    static const uint32_t of[] = {1, 1, 2, 1, 0, 2, 1, 2};
    for (uint32_t k = 0; k < 8; ++k) ck_assert_msg(body_of(world, k).material.of == of[k], "%u", k);
    static const double density[] = {7.5, 2, 0, 7.5, 1, 0, 7.5};
    for (uint32_t k = 0; k < 7; ++k) {
        const qd_body_state state = body_of(world, k);
        if (density[k] > 0)
            ck_assert_double_eq_tol(state.mass / qd_shape_area(&state.shape) / density[k], 1, 1e-14);
    }
    ck_assert_double_eq(body_of(world, 1).material.friction, 0.75);
    ck_assert_double_eq(body_of(world, 2).mass, 5);
    qd_own(qd_world) other = qd_test_scene_world(scene);
    for (int k = 0; k < 90; ++k) {
        qd_test_step(world, 0.02, 1);
        qd_test_step(other, 0.02, 1);
        ck_assert_uint_eq(qd_world_hash(world), qd_world_hash(other));
    }
    const qd_body_state made = body_of(world, 8); // by the emitter
    ck_assert_uint_eq(made.material.of, 1);
    ck_assert_double_eq_tol(made.mass / qd_shape_area(&made.shape), 7.5, 1e-14);
}

// From outside, of a scene as of a resolved one: also what materials only stand for.
QD_TEST(materials_are_set_from_outside) {
    static const char *const sets[] = {"materials.steel.friction=.25", "materials.steel.density=3",
                                       "materials.pairs.0.friction=0.125", "materials.new.friction=2",
                                       "bodies.2.rects.material=new"};
    const qd_scene_changes changes = {.sets = sets, .set_count = sizeof sets / sizeof *sets};
    qd_own(qd_scene) plain = qd_test_scene(everything, NULL);
    for (int resolved = 0; resolved < 2; ++resolved) {
        qd_own(qd_scene) scene = qd_test_scene(resolved ? qd_scene_text(plain) : everything, &changes);
        qd_own(qd_world) world = qd_test_scene_world(scene);
        qd_named_material named;
        qd_material pair;
        ck_assert_int_eq(qd_world_material(world, 1, &named), QD_OK);
        ck_assert_double_eq(named.surface.friction, 0.25);
        ck_assert_int_eq(qd_world_material_pair(world, 1, 2, &pair), QD_OK);
        ck_assert_double_eq(pair.friction, 0.125);
        const qd_body_state state = body_of(world, 0);
        ck_assert_double_eq_tol(state.mass / qd_shape_area(&state.shape), 3, 1e-14);
        ck_assert_uint_eq(body_of(world, 2).material.of, 3);
    }
}

QD_TEST(unused_materials_are_noted) {
    qd_own(qd_scene)
        scene = qd_test_scene("materials: {steel: {}, stone: {}, wood: {}, pairs: [{of: [wood, wood]}]}\n"
                              "bodies: [disks: {count: 1, material: steel}]\n",
                              NULL);
    ck_assert_str_eq(qd_scene_notes(scene), "test.yaml: nothing is of the material stone\n"
                                            "test.yaml: nothing is of the material wood\n");
}

QD_TEST(wrong_materials_are_refused) {
    static const struct {
        const char *text, *why;
    } cases[] = {
        {"materials: {steel: {}}\nbodies: [disks: {count: 1, material: steal}]",
         "test.yaml:2: bodies.0.disks.material: there is no material \"steal\"; did you mean \"steel\"?"},
        {"bodies: [list: [{at: [1, 1], material: glass}]]",
         "test.yaml:1: bodies.0.list.0.material: there is no material \"glass\""},
        {"bodies: [disks: {count: 1, material: [a]}]",
         "test.yaml:1: bodies.0.disks.material: must be the name of a material"},
        {"materials: 3", "test.yaml:1: materials: must be a mapping (name: values)"},
        {"materials: {steel: 3}", "test.yaml:1: materials.steel: must be a mapping (key: value)"},
        {"materials: {steel: {frictoin: 1}}",
         "test.yaml:1: unknown key \"frictoin\" in materials.steel; did you mean \"friction\"?"},
        {"materials: {steel: {friction: -1}}",
         "test.yaml:1: materials.steel.friction: must be a number >= 0, or auto, not \"-1\""},
        {"materials: {none: {}}",
         "test.yaml:1: materials: a name must be 1 to 31 letters, digits, \"_\" or \"-\", "
         "and not none, not \"none\""},
        {"materials: {a b: {}}",
         "test.yaml:1: materials: a name must be 1 to 31 letters, digits, \"_\" or \"-\", "
         "and not none, not \"a b\""},
        {"materials:\n  a: {}\n  a: {}\n", "test.yaml:3: materials.a is given twice"},
        {"materials: {a: {}, pairs: [{friction: 1}]}", "test.yaml:1: materials.pairs.0: \"of\" is missing"},
        {"materials: {a: {}, pairs: [{of: [a]}]}",
         "test.yaml:1: materials.pairs.0.of: must be the names of two materials"},
        {"materials: {a: {}, pairs: [{of: [a, none]}]}",
         "test.yaml:1: materials.pairs.0.of: must be the names of two materials"},
        {"materials: {a: {}, b: {}, pairs: [{of: [a, b]}, {of: [b, a]}]}",
         "test.yaml:1: materials.pairs.1.of: the pair is given twice"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        qd_scene *scene = NULL;
        qd_error error = {""};
        ck_assert_int_eq(
            qd_scene_parse(cases[i].text, strlen(cases[i].text), "test.yaml", NULL, &scene, &error),
            QD_ERR_INVALID);
        ck_assert_str_eq(error.text, cases[i].why);
    }
}

QD_TEST_MAIN("scene_materials", 60, NULL, NULL)
