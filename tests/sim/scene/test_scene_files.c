#include <quadrille/scene.h>

#include "sim/scene/scene_impl.h"
#include "tests/support/harness.h"
#include "tests/support/one_scratch.h"
#include "tests/support/scenes.h"

#include <quadrille/hash.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

// Scenes whose bodies come from files.

static void write_file(const char *name, const char *text) {
    qd_scratch_write(at(name).text, text);
}

static qd_status try_scene(const char *text, const qd_scene_changes *changes, qd_scene **scene,
                           qd_error *error) {
    write_file("my.yaml", text);
    *scene = NULL;
    error->text[0] = 0;
    return qd_scene_read(at("my.yaml").text, changes, scene, error);
}

static qd_scene *read_scene(const char *text) {
    qd_scene *scene = NULL;
    qd_error error;
    qd_status status = try_scene(text, NULL, &scene, &error);
    ck_assert_msg(status == QD_OK, "%s", error.text);
    return scene;
}

/// Writes the resolved scene and its files side by side, as a run does, and reads them again.
static qd_scene *read_resolved(const qd_scene *scene) {
    qd_scene_file file;
    qd_scene *again = NULL;
    qd_error error = {""};
    for (size_t i = 0; qd_scene_file_at(scene, i, &file); ++i) {
        ck_assert_ptr_null(strchr(file.name, '/'));
        FILE *stream = fopen(at(file.name).text, "wb");
        ck_assert_ptr_nonnull(stream);
        ck_assert_uint_eq(fwrite(file.data, 1, file.bytes, stream), file.bytes);
        ck_assert_int_eq(fclose(stream), 0);
    }
    write_file("scene.yaml", qd_scene_text(scene));
    qd_status status = qd_scene_read(at("scene.yaml").text, NULL, &again, &error);
    ck_assert_msg(status == QD_OK, "%s\n%s", error.text, qd_scene_text(scene));
    return again;
}

/// The resolved scene with the copies gives the same scene and the same bodies.
static void check_resolved(const qd_scene *scene) {
    qd_own(qd_scene) again = read_resolved(scene);
    ck_assert_str_eq(qd_scene_text(again), qd_scene_text(scene));
    ck_assert_uint_eq(qd_scene_hash(again), qd_scene_hash(scene));
    qd_own(qd_world) a = qd_test_scene_world(scene), b = qd_test_scene_world(again);
    ck_assert_uint_eq(qd_world_hash(a), qd_world_hash(b));
}

#define GRAN QD_SOURCE_DIR "/tests/data/gran.lammpstrj"

QD_TEST(takes_bodies_and_world_from_a_dump) {
    qd_own(qd_scene)
        scene = read_scene("bodies:\n- file: {path: " GRAN ", frame: {timestep: 2000}, density: 2}\n");
    qd_world_def def = qd_scene_world(scene);
    ck_assert(def.size.x == 160 && def.size.y == 160 && def.origin.x == 0 && def.origin.y == 0);
    ck_assert(def.boundary_x == QD_BOUNDARY_REFLECT && def.boundary_y == QD_BOUNDARY_REFLECT);
    ck_assert_uint_eq(qd_scene_bodies(scene), 303);
    ck_assert_str_eq(qd_scene_notes(scene), "");
    qd_world *world = qd_test_scene_world(scene);
    qd_body_view view = qd_world_view(world);
    for (size_t i = 0; i < view.count; ++i) {
        ck_assert_uint_eq(view.label[i], view.index[i] + 1);
        ck_assert_double_eq_tol(view.mass[i], 2 * 3.14159265358979323846 * view.radius[i] * view.radius[i],
                                1e-12);
    }
    ck_assert_int_eq(qd_world_detect(world), QD_OK);
    size_t contacts = 0;
    qd_world_contacts(world, &contacts);
    ck_assert_uint_gt(contacts, 50);
    ck_assert_int_eq(qd_world_step(world, 0.001, NULL), QD_OK);
    qd_world_destroy(world);
    qd_scene_file file;
    ck_assert(qd_scene_file_at(scene, 0, &file) && !qd_scene_file_at(scene, 1, &file));
    ck_assert_str_eq(file.name, "bodies_0.lammpstrj");
    ck_assert_int_eq(strncmp(file.data, "ITEM: TIMESTEP\n2000\n", 20), 0);
    char hash[40];
    snprintf(hash, sizeof hash, "hash: \"%016llx\"\n",
             (unsigned long long)qd_hash_bytes(file.data, file.bytes));
    ck_assert_msg(strstr(qd_scene_text(scene), hash) != NULL, "%s", qd_scene_text(scene));
    check_resolved(scene);
}

#define DUMP(flags)                                                                                          \
    "ITEM: TIMESTEP\n5\nITEM: NUMBER OF ATOMS\n2\nITEM: BOX BOUNDS " flags                                   \
    "\n-10 10\n100 140\n-0.5 0.5\nITEM: ATOMS id x y radius\n7 5 110 0.5\n3 -5 130 1\n"

QD_TEST(takes_only_what_the_scene_leaves_out) {
    write_file("a.dump", DUMP("pp ss pp"));
    static const struct {
        const char *world;
        double width, height, x, y;
        qd_boundary boundary_x, boundary_y;
    } cases[] = {
        {"", 20, 40, -10, 100, QD_BOUNDARY_PERIODIC, QD_BOUNDARY_OPEN},
        {"world: {size: [200, 300]}\n", 200, 300, -10, 100, QD_BOUNDARY_PERIODIC, QD_BOUNDARY_OPEN},
        {"world: {origin: [-20, 90]}\n", 20, 40, -20, 90, QD_BOUNDARY_PERIODIC, QD_BOUNDARY_OPEN},
        {"world: {boundary: reflect}\n", 20, 40, -10, 100, QD_BOUNDARY_REFLECT, QD_BOUNDARY_REFLECT},
        {"world: {boundary: {y: reflect}}\n", 20, 40, -10, 100, QD_BOUNDARY_PERIODIC, QD_BOUNDARY_REFLECT},
        {"world: {boundary: {x: open}, gravity: [0, -1]}\n", 20, 40, -10, 100, QD_BOUNDARY_OPEN,
         QD_BOUNDARY_OPEN},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
        char text[300];
        snprintf(text, sizeof text, "%sbodies:\n- file: {path: a.dump}\n", cases[i].world);
        qd_own(qd_scene) scene = read_scene(text);
        qd_world_def def = qd_scene_world(scene);
        ck_assert_msg(def.size.x == cases[i].width && def.size.y == cases[i].height &&
                          def.origin.x == cases[i].x && def.origin.y == cases[i].y &&
                          def.boundary_x == cases[i].boundary_x && def.boundary_y == cases[i].boundary_y,
                      "%s gave\n%s", text, qd_scene_text(scene));
        check_resolved(scene);
    }
    // The first file that says something of the world is the one.
    write_file("b.csv", "x,y,r\n0,120,0.5\n");
    write_file("c.dump", DUMP("ff ff pp"));
    qd_own(qd_scene) scene = read_scene(
        "bodies:\n- file: {path: b.csv}\n- file: {path: a.dump}\n- file: {path: c.dump, radius: 0.25}\n");
    ck_assert_int_eq(qd_scene_world(scene).boundary_x, QD_BOUNDARY_PERIODIC);
    ck_assert_uint_eq(qd_scene_bodies(scene), 5);
    qd_scene_file file;
    ck_assert(qd_scene_file_at(scene, 2, &file));
    ck_assert_str_eq(file.name, "bodies_2.lammpstrj");
    check_resolved(scene);
}

QD_TEST(takes_what_the_file_says_of_each_body) {
    write_file("a.csv", "id,x,y,vx,vy,radius,mass\n20,1,2,3,4,0.5,6\n10,5,6,0,0,1,8\n");
    qd_own(qd_scene) scene = read_scene("bodies: [file: {path: a.csv}]\n");
    ck_assert(qd_scene_world(scene).size.x == 100);
    qd_world *world = qd_test_scene_world(scene);
    qd_body_state state;
    ck_assert_int_eq(qd_world_body(world, (qd_id){0, 1}, &state), QD_OK);
    ck_assert(state.label == 10 && state.position.x == 5 && state.shape.radius == 1 && state.mass == 8);
    ck_assert_int_eq(qd_world_body(world, (qd_id){1, 1}, &state), QD_OK);
    ck_assert(state.label == 20 && state.velocity.x == 3 && state.velocity.y == 4 && state.mass == 6);
    qd_world_destroy(world);
    check_resolved(scene);
    qd_scene_destroy(scene);
    scene = read_scene("bodies: [file: {path: a.csv, format: csv, frame: 0, radius: 0.25, mass: 2}]\n");
    world = qd_test_scene_world(scene);
    ck_assert_int_eq(qd_world_body(world, (qd_id){0, 1}, &state), QD_OK);
    ck_assert(state.shape.radius == 0.25 && state.mass == 2);
    qd_world_destroy(world);
    check_resolved(scene);
}

/// What was read as what, and what was not read, in one line.
QD_TEST(tells_columns) {
    static const struct {
        const char *text, *told;
    } cases[] = {
        {"x,y,radius\n5,5,1\n", ": columns x, y, radius\n"},
        {"colour;Pos X;Pos Y;d [mm];note\nred;5;5;1;a\n",
         ": columns Pos X as x, Pos Y as y, d [mm] as diameter; left out: colour, note\n"},
        {"# x y R vx temp\n5 5 1 0 300\n", ": columns x, y, R as radius, vx; left out: temp\n"},
        {"x,y,r,a1,a2,a3,a4,a5,a6,a7,a8,a9,b1,b2,b3,b4,b5\n5,5,1,,,,,,,,,,,,,,\n",
         "; left out: a1, a2, a3, a4, a5, a6, a7, a8, a9, b1, b2, b3 and 2 more\n"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
        write_file("a.csv", cases[i].text);
        qd_own(qd_scene) scene = read_scene("world: {size: [10, 10]}\nbodies: [file: {path: a.csv}]\n");
        const char *notes = qd_scene_notes(scene), *found = strstr(notes, cases[i].told);
        ck_assert_msg(found && strchr(notes, '\n') == notes + strlen(notes) - 1, "%s", notes);
    }
}

QD_TEST(settles_disks_at_the_walls) {
    write_file("a.csv", "x,y,r\n0.2,5,0.5\n-0.25,5,0.5\n10.5,10.125,0.5\n5,5,1\n");
    qd_scene *scene = read_scene("world: {size: [10, 10]}\nbodies: [file: {path: a.csv}]\n");
    ck_assert_msg(strstr(qd_scene_notes(scene),
                         "a.csv: 2 disks lay outside the walls, by 0.5 at most: moved onto them\n"),
                  "%s", qd_scene_notes(scene));
    qd_world *world = qd_test_scene_world(scene);
    static const double places[][2] = {{0.2, 5}, {0, 5}, {10, 10}, {5, 5}};
    for (uint32_t i = 0; i < 4; ++i) {
        qd_body_state state;
        ck_assert_int_eq(qd_world_body(world, (qd_id){i, 1}, &state), QD_OK);
        ck_assert(state.position.x == places[i][0] && state.position.y == places[i][1]);
    }
    qd_world_destroy(world);
    check_resolved(scene);
    qd_scene_destroy(scene);
    // Elsewhere there is nothing to settle: open sides hold nobody, periodic ones wrap.
    scene = read_scene(
        "world: {size: [10, 10], boundary: {x: periodic, y: open}}\nbodies: [file: {path: a.csv}]\n");
    ck_assert_ptr_null(strstr(qd_scene_notes(scene), "outside"));
    world = qd_test_scene_world(scene);
    qd_body_state state;
    ck_assert_int_eq(qd_world_body(world, (qd_id){2, 1}, &state), QD_OK);
    ck_assert(state.position.x == 0.5 && state.position.y == 10.125);
    qd_world_destroy(world);
    check_resolved(scene);
    qd_scene_destroy(scene);
}

/// Generated disks keep clear of those from files, wherever the items stand.
QD_TEST(generators_keep_clear_of_files) {
    write_file("a.csv", "x,y,r\n5,5,2.4\n-1,9,2\n");
    for (int order = 0; order < 2; ++order) {
        qd_own(qd_scene)
            scene = read_scene(order ? "world: {size: [10, 10], boundary: periodic}\nbodies:\n- file: "
                                       "{path: a.csv}\n- disks: {count: 60, "
                                       "radius: {uniform: [0.1, 0.3]}}\n"
                                     : "world: {size: [10, 10], boundary: periodic}\nbodies:\n- disks: "
                                       "{count: 60, radius: {uniform: [0.1, "
                                       "0.3]}}\n- file: {path: a.csv}\n");
        qd_own(qd_world) world = qd_test_scene_world(scene);
        ck_assert_uint_eq(qd_world_count(world), 62);
        ck_assert_int_eq(qd_world_detect(world), QD_OK);
        size_t contacts = 1;
        qd_world_contacts(world, &contacts);
        ck_assert_uint_eq(contacts, 0);
        qd_body_state state;
        ck_assert_int_eq(qd_world_body(world, (qd_id){order ? 1 : 61, 1}, &state), QD_OK);
        ck_assert(state.shape.radius == 2 && state.position.x == 9);
    }
    qd_own(qd_scene) scene = NULL;
    qd_error error;
    qd_status status = try_scene(
        "world: {size: [10, 10]}\nbodies:\n- file: {path: a.csv}\n- disks: {count: 100, radius: "
        "0.5, place: grid}\n",
        NULL, &scene, &error);
    ck_assert_msg(status == QD_OK, "%s", error.text);
    qd_world_def def = qd_scene_world(scene);
    qd_own(qd_world) world = qd_test_world(&def);
    ck_assert_int_eq(qd_scene_populate(scene, world, &error), QD_ERR_INVALID);
    ck_assert_str_eq(error.text, "bodies.1: its rows overlap the bodies of another item");
}

static void check_refused(const char *text, const qd_scene_changes *changes, qd_status wanted,
                          const char *reason) {
    qd_scene *scene = NULL;
    qd_error error;
    qd_status status = try_scene(text, changes, &scene, &error);
    ck_assert_msg(status == wanted && !scene, "status %d: %s", (int)status, error.text);
    ck_assert_msg(strstr(error.text, reason) != NULL, "%s", error.text);
    ck_assert_ptr_null(strchr(error.text, '\n'));
}

/// The ids of a world's bodies in order of index are these.
static void check_ids(const qd_world *world, const uint64_t *ids, size_t count) {
    qd_body_view view = qd_world_view(world);
    ck_assert_uint_eq(view.count, count);
    for (size_t i = 0; i < count; ++i) ck_assert_uint_eq(view.label[view.row_of_index[i]], ids[i]);
}

// Ids that files give stay; where a second file gives one again, its body gets another, as do those without:
// all above the highest.
QD_TEST(ids_are_unique) {
    write_file("a.csv", "id,x,y,radius\n3,10,10,1\n1,20,10,1\n");
    write_file("b.csv", "id,x,y,radius\n7,10,20,1\n1,20,20,1\n3,30,20,1\n");
    write_file("c.csv", "x,y,radius\n10,30,1\n20,30,1\n");
    static const uint64_t ids[] = {10, 11, 1, 3, 8, 9, 7, 12, 13, 14};
    qd_own(qd_scene) scene = read_scene("bodies:\n- disks: {count: 2, radius: 1}\n- file: {path: a.csv}\n"
                                        "- file: {path: b.csv}\n- file: {path: c.csv}\n"
                                        "- list: [{shape: disk, at: [50, 50]}]\n");
    check_resolved(scene);
    ck_assert_msg(strstr(qd_scene_notes(scene),
                         "b.csv: 2 ids are those of bodies before, which keep them; its own are 8 to 9"),
                  "%s", qd_scene_notes(scene));
    qd_own(qd_world) world = qd_test_scene_world(scene);
    check_ids(world, ids, sizeof ids / sizeof ids[0]);
}

QD_TEST(ids_may_come_to_their_end) {
    write_file("a.csv", "id,x,y,radius\n18446744073709551599,10,10,1\n");
    write_file("b.csv", "id,x,y,radius\n18446744073709551599,10,20,1\n");
    qd_scene *scene = read_scene("bodies:\n- file: {path: a.csv}\n- disks: {count: 2, radius: 1}\n");
    qd_world_def def = qd_scene_world(scene);
    qd_world *world = NULL;
    qd_error error = {""};
    ck_assert_int_eq(qd_world_create(&def, &world), QD_OK);
    ck_assert_int_eq(qd_scene_populate(scene, world, &error), QD_ERR_LIMIT);
    ck_assert_str_eq(error.text, "bodies.1: disk 0: no id is left above 18446744073709551599");
    qd_world_destroy(world);
    qd_scene_destroy(scene);
    ck_assert_int_eq(
        try_scene("bodies:\n- file: {path: a.csv}\n- file: {path: b.csv}\n", NULL, &scene, &error),
        QD_ERR_INVALID);
    ck_assert_ptr_nonnull(strstr(error.text, "b.csv: no id is left above 18446744073709551599"));
}

QD_TEST(says_what_is_wrong_with_files) {
    write_file("a.csv", "x,y,r\n5,5,3\n");
    write_file("bad.csv", "x,y,r\n5,5,3\n5,five,3\n");
    write_file("out.csv", "x,y,r\n5,5,3\n\n5,-3.5,3\n");
    write_file("large.csv", "x,y,r\n50,50,80\n");
    check_refused("bodies:\n- file: {path: b.csv}\n", NULL, QD_ERR_INVALID,
                  "my.yaml:2: bodies.0.file.path: ");
    check_refused("bodies:\n- file: {path: b.csv}\n", NULL, QD_ERR_INVALID,
                  "/b.csv: cannot be opened: No such file or directory");
    check_refused("bodies:\n- file: {path: .}\n", NULL, QD_ERR_INVALID, "cannot be read: Is a directory");
    check_refused("bodies:\n- file: {path: bad.csv}\n", NULL, QD_ERR_INVALID,
                  "/bad.csv:3: y: must be a number, not \"five\"");
    check_refused(
        "bodies:\n- file: {path: out.csv}\n", NULL, QD_ERR_INVALID,
        "/out.csv:4: a disk of radius 3 at (5, -3.5) is outside the walls (x 0 to 100, y 0 to 100); "
        "centres in the file: x 5 to 5, y -3.5 to 5");
    check_refused("bodies:\n- file: {}\n", NULL, QD_ERR_INVALID,
                  "my.yaml:2: bodies.0.file: \"path\" is missing");
    check_refused("bodies:\n- file: {path: ''}\n", NULL, QD_ERR_INVALID,
                  "bodies.0.file.path: must be some text");
    check_refused("bodies:\n- file: {path: \"a\\0b\"}\n", NULL, QD_ERR_INVALID,
                  "bodies.0.file.path: must be some text");
    check_refused("bodies:\n- file: {path: a.csv, frame: first}\n", NULL, QD_ERR_INVALID,
                  "bodies.0.file.frame: must be a whole number >= 0, or last, not \"first\"");
    check_refused("bodies:\n- file: {path: a.csv, frame: {step: 3}}\n", NULL, QD_ERR_INVALID,
                  "unknown key \"step\" in bodies.0.file.frame");
    check_refused("bodies:\n- file: {path: a.csv, frame: 3}\n", NULL, QD_ERR_INVALID,
                  "/a.csv: only dumps and extended XYZ have frames: leave `frame` out");
    check_refused("bodies:\n- file: {path: a.csv, format: pdb}\n", NULL, QD_ERR_INVALID,
                  "bodies.0.file.format: must be auto, csv, dump, data or xyz, not \"pdb\"");
    check_refused("bodies:\n- file: {path: a.csv, format: dump}\n", NULL, QD_ERR_INVALID,
                  "/a.csv:1: a dump must begin with ITEM: TIMESTEP");
    check_refused("bodies:\n- file: {path: a.csv, radius: 0}\n", NULL, QD_ERR_INVALID,
                  "bodies.0.file.radius: must be a number > 0, or auto, not \"0\"");
    check_refused("bodies:\n- file: {path: a.csv, hash: 12}\n", NULL, QD_ERR_INVALID,
                  "bodies.0.file.hash: must be 16 hexadecimal digits, not \"12\"");
    check_refused("bodies:\n- file:\n    path: a.csv\n    hash: 0123456789abcdef\n", NULL, QD_ERR_INVALID,
                  "my.yaml:4: bodies.0.file.hash: the file has changed: its hash is \"");
    check_refused("bodies:\n- file: {path: a.csv, densty: 3}\n", NULL, QD_ERR_INVALID,
                  "did you mean \"density\"?");
    const char *set = "bodies.0.file.path=b.csv";
    qd_scene_changes changes = {&set, 1, 0};
    check_refused("bodies:\n- file: {path: a.csv}\n", &changes, QD_ERR_ARGUMENT,
                  "--set bodies.0.file.path=b.csv: ");
    changes = (qd_scene_changes){NULL, 0, 10};
    check_refused("bodies:\n- file: {path: a.csv}\n", &changes, QD_ERR_ARGUMENT,
                  "--bodies: bodies.0 is no generator: it cannot be scaled");
    check_refused("bodies:\n- disks: {count: 1}\n- file: {path: a.csv}\n", &changes, QD_ERR_ARGUMENT,
                  "--bodies: bodies.1 is no generator: it cannot be scaled");
    // What only the world can say still names the line.
    qd_own(qd_scene) scene = read_scene("bodies:\n- file: {path: large.csv}\n");
    qd_world_def def = qd_scene_world(scene);
    qd_own(qd_world) world = NULL;
    qd_error error;
    ck_assert_int_eq(qd_world_create(&def, &world), QD_OK);
    ck_assert_int_ne(qd_scene_populate(scene, world, &error), QD_OK);
    ck_assert_msg(strstr(error.text, "/large.csv:2: a diameter of 160 is above the world's size"), "%s",
                  error.text);
}

QD_TEST(sets_keys_of_files) {
    write_file("a.csv", "x,y,r\n5,5,3\n");
    write_file("b.csv", "x,y,r\n5,5,2\n6,7,1\n");
    const char *sets[] = {"bodies.0.file.path=b.csv", "bodies.0.file.density=3"};
    qd_scene_changes changes = {sets, 2, 0};
    qd_scene *scene = NULL;
    qd_error error;
    ck_assert_int_eq(try_scene("bodies:\n- file: {path: a.csv}\n", &changes, &scene, &error), QD_OK);
    ck_assert_uint_eq(qd_scene_bodies(scene), 2);
    qd_scene_destroy(scene);
    // The hash tells what the bodies are, not where they came from.
    scene = read_scene("bodies:\n- file: {path: ./b.csv, density: 3}\n");
    uint64_t hash = qd_scene_hash(scene);
    qd_scene_destroy(scene);
    ck_assert_int_eq(try_scene("bodies:\n- file: {path: a.csv}\n", &changes, &scene, &error), QD_OK);
    ck_assert_uint_eq(qd_scene_hash(scene), hash);
    qd_scene_destroy(scene);
    write_file("b.csv", "x,y,r\n5,5,2\n6,7,1.5\n");
    scene = read_scene("bodies:\n- file: {path: ./b.csv, density: 3}\n");
    ck_assert_uint_ne(qd_scene_hash(scene), hash);
    qd_scene_destroy(scene);
}

/// What leaves reflecting walls: a kinematic body, a sensor, a line that turns until it is longer than the
/// world; and a disk that soft springs let out for a moment.
static const char leaving[] =
    "world: {size: [10, 10]}\ncontact: {model: spring, spring: {kn: 10}}\nbodies:\n"
    "- list:\n"
    "  - {shape: rect, at: [5, 5], kinematic: true, velocity: [500, 0], filter: {mask: 0}}\n"
    "  - {at: [5, 8], sensor: true, velocity: [0, 400]}\n"
    "  - {at: [2, 0.31], radius: 0.3, velocity: [0, -25]}\n"
    "- polyline: {points: [[12.4, 5], [5, 12.4], [-2.4, 5], [5, -2.4]], closed: true, spin: 39.26990817,\n"
    "    filter: {mask: 0}}\n";

/// Saves a world of the scene `leaving`, a few steps on, as left.qdworld.
static qd_world *save_leaving(void) {
    qd_own(qd_scene) scene = read_scene(leaving);
    qd_world *world = qd_test_scene_world(scene);
    qd_test_step(world, 0.001, 20);
    unsigned char *data = NULL;
    size_t bytes = 0;
    ck_assert_int_eq(qd_world_save(world, &data, &bytes), QD_OK);
    FILE *file = fopen(at("left.qdworld").text, "wb");
    ck_assert(file && fwrite(data, 1, bytes, file) == bytes && fclose(file) == 0);
    qd_world_save_free(world, data, bytes);
    return world;
}

// Bodies of another run stay where they are, bit for bit, where its walls did not stop them either.
QD_TEST(takes_what_has_left_the_walls) {
    qd_own(qd_world) before = save_leaving();
    qd_own(qd_scene) scene = read_scene("contact: {model: spring, spring: {kn: 10}}\n"
                                        "bodies: [{run: {path: left.qdworld}}]\n");
    check_resolved(scene);
    qd_own(qd_world) world = qd_test_scene_world(scene);
    ck_assert_uint_eq(qd_world_count(world), 7);
    for (uint32_t i = 0; i < 7; ++i) {
        const qd_body_state a = qd_test_body(before, (qd_id){i, 1}), b = qd_test_body(world, (qd_id){i, 1});
        ck_assert(a.position.x == b.position.x && a.position.y == b.position.y);
        ck_assert(a.turn.x == b.turn.x && a.turn.y == b.turn.y && a.label == b.label);
        ck_assert(a.velocity.x == b.velocity.x && a.velocity.y == b.velocity.y && a.spin == b.spin);
    }
    ck_assert_double_gt(qd_test_body(world, (qd_id){0, 1}).position.x, 14);
    ck_assert_double_gt(qd_test_body(world, (qd_id){1, 1}).position.y, 15);
    const double out = qd_test_body(world, (qd_id){2, 1}).position.y;
    ck_assert(out < 0 && out > -0.3);
    ck_assert_double_lt(
        fabs(qd_test_body(world, (qd_id){3, 1}).turn.x * qd_test_body(world, (qd_id){3, 1}).turn.y), 1e-6);
    qd_test_step(world, 0.001, 20);
    qd_own(qd_world) copy = qd_test_copy(world, 2);
    ck_assert_uint_eq(qd_world_hash(copy), qd_world_hash(world));
    // What walls stop is out by no more than its reach; and what is put there anew is not out at all.
    static const char *const far[] = {"world: {origin: [0, 0.2]}\n", "world: {origin: [2.5, -1]}\n"};
    static const char *const why[] = {"bodies.0.run: body 3: y -0.1", "bodies.0.run: body 3: x 2 is outside"};
    for (size_t i = 0; i < 2; ++i) {
        char text[200];
        qd_error error;
        snprintf(text, sizeof text, "%sbodies: [{run: {path: left.qdworld}}]\n", far[i]);
        qd_own(qd_scene) moved = read_scene(text);
        const qd_world_def def = qd_scene_world(moved);
        qd_own(qd_world) none = qd_test_world(&def);
        ck_assert_int_eq(qd_scene_populate(moved, none, &error), QD_ERR_VALUE);
        ck_assert_msg(strncmp(error.text, why[i], strlen(why[i])) == 0, "%s", error.text);
    }
}

/// A scene with a file is read whole, or nothing is left of it, whichever allocation fails.
QD_TEST(fails_cleanly_without_memory) {
    write_file("a.dump", DUMP("pp ff pp"));
    write_file("b.csv", "x,y,r\n0,99.75,0.5\n");
    static const char text[] =
        "bodies:\n- file: {path: a.dump}\n- file: {path: b.csv}\n- list: [{at: [1, 101]}]\n";
    qd_scratch_path name = at("my.yaml");
    size_t fail_at = 0;
    qd_status status = QD_ERR_MEMORY;
    while (status == QD_ERR_MEMORY) {
        qd_test_allocator allocator = qd_test_allocator_of(&allocator, ++fail_at);
        qd_scene *scene = NULL;
        qd_error error;
        status = qdi_scene_parse_with(&allocator.allocator, text, strlen(text), name.text, NULL, &scene,
                                      &error);
        if (status == QD_ERR_MEMORY) ck_assert_str_eq(error.text, "out of memory");
        qd_scene_destroy(scene);
        ck_assert_uint_eq(allocator.live, 0);
    }
    ck_assert_int_eq(status, QD_OK);
    ck_assert_uint_gt(fail_at, 15);
}

QD_TEST_MAIN("scene_files", 120, setup, teardown)
