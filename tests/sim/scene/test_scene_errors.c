#include <quadrille/scene.h>

#include "sim/scene/scene_impl.h"
#include "tests/support/harness.h"

#include <quadrille/random.h>

#include <stdio.h>
#include <string.h>

#define TEXT_WORDS                                                                                           \
    "true, false, or a list of step, time, bodies, contacts, nodes, candidates, tests, rate, cost, legend, " \
    "scale or stage"

/// Parses text that is refused; checks that the reason is one line.
static qd_status refused(const char *text, size_t bytes, const qd_scene_changes *changes, qd_error *error) {
    qd_scene *scene = NULL;
    memset(error->text, 'x', sizeof error->text);
    qd_status status = qd_scene_parse(text, bytes, "pool.yaml", changes, &scene, error);
    ck_assert_msg(status != QD_OK && !scene, "was read: %s", text);
    ck_assert_ptr_nonnull(memchr(error->text, 0, sizeof error->text));
    ck_assert_uint_gt(strlen(error->text), 10);
    for (const char *at = error->text; *at; ++at)
        ck_assert_msg((unsigned char)*at >= 0x20 && *at != 0x7f, "control character in: %s", error->text);
    return status;
}

static void check_invalid(const char *text, const char *reason) {
    qd_error error;
    ck_assert_int_eq(refused(text, strlen(text), NULL, &error), QD_ERR_INVALID);
    ck_assert_str_eq(error.text, reason);
}

/// What is said of a key that is like none.
#define ALL_KNOWN                                                                                            \
    "; known are name, world, run, stepper, contact, materials, limits, bodies, emitters, sinks, view, "     \
    "frames, video, record, checkpoint and stages"

QD_TEST(names_file_line_and_nearest_key) {
    check_invalid("name: a\ncontact:\n  restituton: 1\n",
                  "pool.yaml:3: unknown key \"restituton\" in contact; did you mean \"restitution\"?");
    check_invalid("wrold: {size: [1, 1]}", "pool.yaml:1: unknown key \"wrold\"; did you mean \"world\"?");
    check_invalid("\n\nrestitution: 1",
                  "pool.yaml:3: unknown key \"restitution\"; did you mean \"contact.restitution\"?");
    check_invalid("view: {color: speed}",
                  "pool.yaml:1: unknown key \"color\" in view; did you mean \"colour\"?");
    check_invalid("bodies:\n- disks:\n    cuont: 3\n",
                  "pool.yaml:3: unknown key \"cuont\" in bodies.0.disks; did you mean \"count\"?");
    check_invalid("bodies: [{disks: {count: 1}}, {disc: 3}]",
                  "pool.yaml:1: unknown key \"disc\" in bodies.1; did you mean \"disks\"? Known are "
                  "disks, rects, capsules, polygons, polyline, file, run and list");
    check_invalid("qqqqqq: 1", "pool.yaml:1: unknown key \"qqqqqq\"" ALL_KNOWN);
    check_invalid("<<: {a: 1}", "pool.yaml:1: unknown key \"<<\"" ALL_KNOWN);
    check_invalid("\"a\\nb\\e[31m\\u2028\": 1",
                  "pool.yaml:1: unknown key \"a\\x0ab\\x1b[31m\\xe2\\x80\\xa8\"" ALL_KNOWN);
    check_invalid(
        "bodies: [{list: [{velocitee_x: 1}]}]",
        "pool.yaml:1: unknown key \"velocitee_x\" in bodies.0.list.0; known are name, shape, at, radius, "
        "size, length, points, angle, velocity, spin, static, kinematic, pivot, slide, density, mass, "
        "inertia, sensor, bullet, material and 4 more");
}

// Texts, and what is said of the value in them.
static const struct {
    const char *text, *reason;
} wrong_values[] = {
    {"world: {size: 5}", "world.size: must be two numbers > 0, not \"5\""},
    {"world: {size: [5]}", "world.size: must be two numbers > 0"},
    {"world: {size: [5, -5]}", "world.size: must be two numbers > 0"},
    {"world: {size: [0, 1]}", "world.size: must be two numbers > 0"},
    {"world: {size: [1, .inf]}", "world.size: must be two numbers > 0, at most 1000000000000000000"},
    {"world: {size: [1e30, 1]}", "world.size: must be two numbers > 0, at most 1000000000000000000"},
    {"world: {gravity: [0, -1e200]}", "world.gravity: must be two numbers from -1e30 to 1e30"},
    {"bodies: [{list: [{at: [1, 1], velocity: [1e31, 0]}]}]",
     "bodies.0.list.0.velocity: must be two numbers, or 0, each from -1e30 to 1e30"},
    {"contact: {model: spring, spring: {kn: 1e200}}",
     "contact.spring.kn: must be a number > 0, at most 1e30, or auto, not \"1e200\""},
    {"world: {size: [1, .nan]}", "world.size: must be two numbers > 0"},
    {"world: {size: [1, \"2\"]}", "world.size: must be two numbers > 0; remove the quotes of \"2\""},
    {"world: {gravity: [.inf, 0]}", "world.gravity: must be two numbers from -1e30 to 1e30"},
    {"world: {boundary: walls}", "world.boundary: must be reflect, periodic or open, not \"walls\""},
    {"world: {boundary: {x: [1]}}", "world.boundary.x: must be reflect, periodic or open"},
    {"world: 3", "world: must be a mapping (key: value)"},
    {"world:", "world has no value"},
    {"world: ~", "world has no value"},
    {"run: {dt: 0}", "run.dt: must be a number >= 1e-30, not \"0\""},
    {"run: {dt: -1}", "run.dt: must be a number >= 1e-30, not \"-1\""},
    {"run: {dt: .inf}", "run.dt: must be a number from 1e-30 to 1e30, not \".inf\""},
    {"run: {dt: .nan}", "run.dt: must be a number >= 1e-30, not \".nan\""},
    {"run: {dt: 1/60}", "run.dt: must be a number >= 1e-30, not \"1/60\""},
    {"run: {dt: \"0.1\"}", "run.dt: must be a number >= 1e-30; remove the quotes of \"0.1\""},
    {"run: {steps: '5'}",
     "run.steps: must be a whole number from 0 to 9007199254740992; remove the quotes of "
     "\"5\""},
    {"run: {dt: \"fast\"}", "run.dt: must be a number >= 1e-30, not \"fast\""},
    {"view: {title: \"true\"}", "view.title: must be true or false; remove the quotes of \"true\""},
    {"view: {text: \"true\"}", "view.text: must be " TEXT_WORDS "; remove the quotes of \"true\""},
    {"bodies: [circles: {count: 3}]", "unknown key \"circles\" in bodies.0; did you mean \"disks\"? "
                                      "Known are disks, rects, capsules, polygons, "
                                      "polyline, file, run and list"},
    {"bodies: [boxes: {count: 3}]", "unknown key \"boxes\" in bodies.0; did you mean \"rects\"? Known "
                                    "are disks, rects, capsules, polygons, "
                                    "polyline, file, run and list"},
    {"bodies: [zebras: {count: 3}]", "unknown key \"zebras\" in bodies.0; known are disks, rects, "
                                     "capsules, polygons, polyline, file, run and "
                                     "list"},
    {"bodies: [disks: {count: 3, radius: [0.4, 0.5]}]",
     "bodies.0.disks.radius: must be a number > 0; between two numbers: {uniform: [0.4, 0.5]}"},
    {"bodies: [rects: {count: 3, scale: [1, 2e0]}]",
     "bodies.0.rects.scale: must be a number > 0; between two numbers: {uniform: [1, 2]}"},
    {"bodies: [disks: {count: 3, radius: [0.5, 0.4]}]", "bodies.0.disks.radius: must be a number > 0"},
    {"bodies: [disks: {count: 3, radius: {speed: [1, 2]}}]",
     "unknown key \"speed\" in bodies.0.disks.radius; known are uniform, power, normal and lognormal"},
    {"contact: {kn: 3}", "unknown key \"kn\" in contact; did you mean \"contact.spring.kn\"?"},
    {"view: {region: [0, 0, 1, 1]}",
     "unknown key \"region\" in view; did you mean \"view.query.region\" or \"view.camera.region\"?"},
    {"view: {steps: 3}", "unknown key \"steps\" in view; there is \"run.steps\""},
    {"stepper: {dt: 0.1}", "unknown key \"dt\" in stepper; there is \"run.dt\""},
    {"stepper: {count: 3}", "unknown key \"count\" in stepper; known are retrieve, margin, continuous, "
                            "capacity, iterations and substeps"},
    {"run:\n\tsteps: 3", "a tab begins the line: YAML takes spaces only"},
    {"run:\n  steps: 3\n\tdt: 1", "a tab begins the line: YAML takes spaces only"},
    {"run:\n  steps: 3\n \tdt: 1", "a tab begins the line: YAML takes spaces only"},
    {"run: {steps: -1}", "run.steps: must be a whole number from 0 to 9007199254740992, not \"-1\""},
    {"run: {steps: 1.5}", "run.steps: must be a whole number from 0 to 9007199254740992, not \"1.5\""},
    {"run: {seed: 18446744073709551616}",
     "run.seed: must be a whole number >= 0, not \"18446744073709551616\""},
    {"contact: {restitution: 1.01}", "contact.restitution: must be a number from 0 to 1, not \"1.01\""},
    {"contact: {model: hard}", "contact.model: must be none, impulse or spring, not \"hard\""},
    {"contact: {model: spring}",
     "the contact model spring needs either contact.spring.kn or contact.spring.contact_time"},
    {"contact: {spring: {kn: 0}}", "contact.spring.kn: must be a number > 0, or auto, not \"0\""},
    {"contact: {friction: -0.5}", "contact.friction: must be a number >= 0, not \"-0.5\""},
    {"contact: {walls: {restitution: 2}}",
     "contact.walls.restitution: must be a number from 0 to 1, or auto, not \"2\""},
    {"stepper: {margin: -1}", "stepper.margin: must be a number >= 0, or auto, not \"-1\""},
    {"stepper: {iterations: 0}", "stepper.iterations: must be a whole number from 1 to 1000, not \"0\""},
    {"stepper: {substeps: 101}", "stepper.substeps: must be a whole number from 1 to 100, not \"101\""},
    {"stepper: {margin: wide}", "stepper.margin: must be a number >= 0, or auto, not \"wide\""},
    {"stepper: {capacity: 65536}", "stepper.capacity: must be a whole number from 1 to 65535, not \"65536\""},
    {"limits: {pairs: 0}", "limits.pairs: must be a number > 0, not \"0\""},
    {"limits: {speed: -.inf}", "limits.speed: must be a number > 0, not \"-.inf\""},
    {"record: {metrics: -1}",
     "record.metrics: must be a whole number from 0 to 9007199254740992, not \"-1\""},
    {"record: {events: all}", "record.events: must be false, true or persist, not \"all\""},
    {"record: {event: true}", "unknown key \"event\" in record; did you mean \"events\"?"},
    {"checkpoint: {keep: 0}", "checkpoint.keep: must be a whole number from 1 to 1000000, not \"0\""},
    {"checkpoint: {seconds: -1}", "checkpoint.seconds: must be a number from 0 to 1000000000, not \"-1\""},
    {"view: {size: [8, 8]}", "view.size: must be two whole numbers from 16 to 16384"},
    {"view: {colour: threads}", "view.colour: must be contact, speed, size, spin, depth, id, material, "
                                "plain, thread, refiled, hidden or psi6, not \"threads\""},
    {"view: {range: [2, 2]}", "view.range: must be two numbers, the smaller one first, or auto"},
    {"view: {contacts: 3}", "view.contacts: must be false, true or impulse, not \"3\""},
    {"view: {retrieve: all}", "view.retrieve: must be a body's id, or none, not \"all\""},
    {"view: {query: {follow: 3}}",
     "view.query.follow and view.query.path need the size that view.query.region has"},
    {"record: {fields: {every: 1, cells: [1000, 66]}}",
     "record.fields has 1000 x 66 cells, at most 32000 are kept, 16384 along a side"},
    {"world: {size: [100, 10]}\nrecord: {fields: {length: 0.01}}",
     "record.fields has 10000 x 1000 cells, at most 32000 are kept, 16384 along a side"},
    {"view: {field: psi}", "view.field: must be none, number_density, mass_density, area_fraction, velocity, "
                           "temperature, pressure or contact_number, not \"psi\""},
    {"world: {size: [100, 10]}\nview: {field_length: 0.01}",
     "view.field has 10000 x 1000 cells, at most 32000 are kept, 16384 along a side"},
    {"view: {field: velocity, colour: refiled}",
     "view.field and view.colour: refiled cannot be seen together"},
    {"view: {camera: {follow: -1}}", "view.camera.follow: must be a body's id, none or mass, not \"-1\""},
    {"view: {camera: {region: [0, 0, 0, 1]}}",
     "view.camera.region: must be four numbers: x, y, width > 0, height > 0, or auto"},
    {"view: {camera: {zoom: 0}}", "view.camera.zoom: must be a number > 0, at most 1000000, not \"0\""},
    {"view: {camera: {path: [[1, 0, 0, 1], [1, 2, 2, 2]]}}",
     "view.camera.path: must be at most 32 keys [time >= 0, x, y, zoom > 0], times rising"},
    {"view: {title: yes}", "view.title: must be true or false, not \"yes\""},
    {"view: {text: yes}", "view.text: must be " TEXT_WORDS ", not \"yes\""},
    {"view: {text: [step, steps]}", "view.text: must be " TEXT_WORDS},
    {"view: {text: [[step]]}", "view.text: must be " TEXT_WORDS},
    {"view: {speed: 0}", "view.speed: must be a number > 0, or auto, not \"0\""},
    {"name: a b", "name: must be 1 to 64 letters, digits, \"_\" or \"-\", not \"a b\""},
    {"name: ../x", "name: must be 1 to 64 letters, digits, \"_\" or \"-\", not \"../x\""},
    {"bodies: {}", "bodies: must be a list"},
    {"bodies: [3]", "bodies.0: must be a mapping (key: value)"},
    {"bodies: [{}]",
     "bodies.0: must be exactly one of disks, rects, capsules, polygons, polyline, file, run, list"},
    {"bodies: [list: {}]", "bodies.0.list: must be a list"},
    {"bodies: [list: [3]]", "bodies.0.list.0: must be a mapping (key: value)"},
    {"bodies: [list: [{}]]", "bodies.0.list.0: \"at\" is missing"},
    {"bodies: [list: [{at: [1, 2]}, {at: 3}]]", "bodies.0.list.1.at: must be two numbers, not \"3\""},
    {"bodies: [list: [{position: [1, 2], shape: disk}]]",
     "unknown key \"position\" in bodies.0.list.0; did you mean \"at\"?"},
    {"bodies: [list: [{at: [1, 2], shape: rect, height: 2}]]",
     "unknown key \"height\" in bodies.0.list.0; did you mean \"size\"?"},
    {"bodies: [list: [{at: [1, 2], linearVelocity: [1, 2]}]]",
     "unknown key \"linearVelocity\" in bodies.0.list.0; did you mean \"velocity\"?"},
    {"bodies: [list: [{at: [1, 2], angvel: 3}]]",
     "unknown key \"angvel\" in bodies.0.list.0; did you mean \"spin\"?"},
    {"run: {time_step: 0.1}", "unknown key \"time_step\" in run; did you mean \"dt\"?"},
    {"world: {time_step: 0.1}",
     "unknown key \"time_step\" in world; known are size, origin, boundary, removal, walls, "
     "compress, gravity and drag"},
    {"bodies: [list: [{at: [1, 2], shape: ball}]]",
     "bodies.0.list.0.shape: must be disk, rect, capsule or polygon, not \"ball\""},
    {"bodies: [list: [{at: [1, 2], shape: polyline}]]",
     "bodies.0.list.0.shape: must be disk, rect, capsule or polygon, not \"polyline\"; there is "
     "\"bodies[].polyline\""},
    {"bodies: [list: [{at: [1, 2], raduis: 2}]]",
     "unknown key \"raduis\" in bodies.0.list.0; did you mean \"radius\"?"},
    {"bodies: [list: [{at: [1, 2], radius: -1}]]",
     "bodies.0.list.0.radius: must be a number >= 0, or auto, not \"-1\""},
    {"bodies: [list: [{at: [1, 2], static: true, kinematic: true}]]",
     "bodies.0.list.0: static or kinematic, not both"},
    {"bodies: [list: [{at: [1, 2], pivot: 3}]]",
     "bodies.0.list.0.pivot: must be two numbers, or auto, not \"3\""},
    {"bodies: [list: [{at: [1, 2], filter: {group: 1.5}}]]",
     "bodies.0.list.0.filter.group: must be a whole number from -2147483648 to 2147483647, not \"1.5\""},
    {"bodies: [polyline: {points: [[1, 2]]}]", "bodies.0.polyline: needs at least 2 points"},
    {"bodies: [polyline: {points: []}]", "bodies.0.polyline: needs at least 2 points"},
    {"bodies: [polyline: {points: [[1, 2], 3]}]",
     "bodies.0.polyline.points: must be a list of points [x, y], not \"3\""},
    {"bodies: [rects: {count: 2, region: [0, 0, 200, 2]}]",
     "bodies.0.rects.region: reaches outside the world by 100 in x (0 to 200; the world: 0 to 100); a "
     "region is "
     "[x, y, width, height]"},
    {"bodies: [disks: {count: 2, region: [-1, 99, 20, 3]}]",
     "bodies.0.disks.region: reaches outside the world by 1 in x (-1 to 19; the world: 0 to 100) and by "
     "2 in y (99 "
     "to 102; the world: 0 to 100); a region is [x, y, width, height]"},
    {"bodies: [disks: {}]", "bodies.0.disks: \"count\" is missing"},
    {"bodies: [disks: {count: -1}]",
     "bodies.0.disks.count: must be a whole number from 0 to 268435455, not \"-1\""},
    {"bodies: [disks: {count: 1, radius: 0}]", "bodies.0.disks.radius: must be a number > 0, not \"0\""},
    {"bodies: [disks: {count: 1, radius: {uniform: [2, 1]}}]",
     "bodies.0.disks.radius.uniform: must be two numbers > 0, the smaller one first"},
    {"bodies: [disks: {count: 1, radius: {uniform: [1, 2], power: {min: 1, max: 2, exponent: 1}}}]",
     "bodies.0.disks.radius: must be exactly one of uniform, power, normal, lognormal"},
    {"bodies: [disks: {count: 1, radius: {normal: {mean: 1, deviation: 1, min: 2, max: 1}}}]",
     "bodies.0.disks.radius.normal: min must not be above max"},
    {"bodies: [disks: {count: 1, radius: {normal: {mean: 3, deviation: 1, min: 1, max: 2}}}]",
     "bodies.0.disks.radius.normal: mean must be from min to max"},
    {"bodies: [disks: {count: 1, radius: {lognormal: {median: .5, sigma: 1, min: 1, max: 2}}}]",
     "bodies.0.disks.radius.lognormal: median must be from min to max"},
    {"bodies: [disks: {count: 1, radius: {lognormal: {median: 1, min: 1, max: 2}}}]",
     "bodies.0.disks.radius.lognormal: \"sigma\" is missing"},
    {"bodies: [disks: {count: 1, spacing: [1, 0]}]",
     "bodies.0.disks.spacing: must be two numbers > 0, or auto"},
    {"bodies: [disks: {count: 1, radius: {power: {min: 2, max: 1, exponent: 1}}}]",
     "bodies.0.disks.radius.power: min must not be above max"},
    {"bodies: [disks: {count: 1, radius: {power: {min: 2}}}]",
     "bodies.0.disks.radius.power: \"max\" is missing"},
    {"bodies: [disks: {count: 1, velocity: 3}]",
     "bodies.0.disks.velocity: must be two numbers, or 0, not \"3\""},
    {"bodies: [disks: {count: 1, velocity: {normal: -1}}]",
     "bodies.0.disks.velocity.normal: must be a number >= 0, not \"-1\""},
    {"bodies: [disks: {count: 1, region: [0, 0, 1, 0]}]",
     "bodies.0.disks.region: must be four numbers: x, y, width > 0, height > 0"},
    {"bodies: [disks: {count: 1, region: [0, 0, 101, 1]}]",
     "bodies.0.disks.region: reaches outside the world by 1 in x (0 to 101; the world: 0 to 100); a "
     "region is "
     "[x, y, width, height]"},
    {"bodies: [{disks: {count: 200000000}}, {disks: {count: 200000000}}]",
     "bodies: more than 268435455 in all"},
    {"run: {dt: 1, steps: 2, dt: 3}", "run.dt is given twice"},
    {"5", "a scene must be a mapping (key: value)"},
    {"[a, b]", "a scene must be a mapping (key: value)"},
    {"world: {[1, 2]: 3}", "a key must be a word"},
    {"? {a: 1}\n: 3", "a key must be a word"},
    {"name: !!str a", "tags (\"!...\") have no meaning here"},
    {"name: *nobody", "an alias (\"*...\") names an anchor that is not there"},
    {"world: &w {size: *w}", "an alias stands inside its own anchor"},
    {"world: {size: [1, 2}",
     "did not find expected ',' or ']' (while parsing a flow sequence that begins on line 1)"},
    {"world: {size: [1, 2]",
     "did not find expected ',' or '}' (while parsing a flow mapping that begins on line 1)"},
    {"name: 'abc", "found unexpected end of stream (while scanning a quoted scalar that begins on line 1)"},
};

QD_TEST(says_what_is_wrong_with_a_value) {
    for (size_t i = 0; i < sizeof wrong_values / sizeof wrong_values[0]; ++i) {
        qd_error error;
        ck_assert_int_eq(refused(wrong_values[i].text, strlen(wrong_values[i].text), NULL, &error),
                         QD_ERR_INVALID);
        const char *colon = strstr(error.text, ": ");
        ck_assert_msg(colon && strncmp(error.text, "pool.yaml:", 10) == 0, "%s", error.text);
        ck_assert_str_eq(colon + 2, wrong_values[i].reason);
    }
}

QD_TEST(refuses_what_is_no_scene) {
    check_invalid("", "pool.yaml: is empty");
    check_invalid("# nothing\n\n", "pool.yaml: is empty");
    check_invalid("---\n...\n", "pool.yaml: is empty");
    check_invalid("name: a\n---\nname: b\n", "pool.yaml:2: holds more than one document (\"---\")");
    qd_error error;
    static const char binary[] = "\x89PNG\r\n\x1a\n\0\0\0\rIHDR";
    ck_assert_int_eq(refused(binary, sizeof binary, NULL, &error), QD_ERR_INVALID);
    ck_assert_msg(strstr(error.text, "is not text in UTF-8"), "%s", error.text);
    check_invalid("name: \"a\xff\"\n",
                  "pool.yaml: is not text in UTF-8: invalid leading UTF-8 octet (byte 8)");
}

/// Time and memory stay bounded whatever a file holds.
QD_TEST(survives_hostile_text) {
    enum { BYTES = 4 << 20 };
    qd_own_memory char *text = qd_test_memory(BYTES);
    qd_error error;
    static const char *const fillers[] = {
        "[", "{", "- ", "[{a: ", "{? ", "a", "\"", "a: ", "&a ", "- a\n", "!", "%", "'", "\t", "? "};
    for (size_t i = 0; i < sizeof fillers / sizeof fillers[0]; ++i) {
        size_t length = strlen(fillers[i]);
        for (size_t at = 0; at < BYTES; ++at) text[at] = fillers[i][at % length];
        ck_assert_int_eq(refused(text, BYTES, NULL, &error), QD_ERR_INVALID);
    }
    check_invalid("a: &a [1,2,3,4,5,6,7,8,9,10]\nb: &b [*a,*a,*a,*a,*a,*a,*a,*a,*a,*a]\n"
                  "c: &c [*b,*b,*b,*b,*b,*b,*b,*b,*b,*b]\nd: &d [*c,*c,*c,*c,*c,*c,*c,*c,*c,*c]\n"
                  "e: &e [*d,*d,*d,*d,*d,*d,*d,*d,*d,*d]\nf: &f [*e,*e,*e,*e,*e,*e,*e,*e,*e,*e]\n",
                  "pool.yaml:1: holds too many values");
}

/// Every beginning of a scene, and every scene with one byte changed, is read or refused with a reason.
QD_TEST(survives_truncation_and_damage) {
    const char *whole = qd_scene_builtin_text("pool");
    size_t length = strlen(whole);
    ck_assert_uint_gt(length, 500);
    qd_own_memory char *copy = qd_test_memory(length + 1);
    uint64_t seed = qd_test_seed(3);
    size_t read = 0;
    for (size_t i = 0; i < length + qd_test_effort(5000); ++i) {
        memcpy(copy, whole, length + 1);
        size_t bytes = i < length ? i : length;
        qd_random random = qd_random_at(seed, i, 0);
        if (i >= length) copy[qd_random_bits(&random) % length] = (char)(qd_random_bits(&random) & 0xff);
        qd_scene *scene = NULL;
        qd_error error;
        qd_status status = qd_scene_parse(copy, bytes, "damaged", NULL, &scene, &error);
        ck_assert_msg(status == QD_OK || status == QD_ERR_INVALID, "case %zu: status %d", i, (int)status);
        ck_assert((status == QD_OK) == (error.text[0] == 0));
        read += status == QD_OK ? 1 : 0;
        qd_scene_destroy(scene);
    }
    ck_assert_uint_gt(read, 0);
}

static void check_set(const char *set, const char *reason) {
    const char *text = "world: {size: [10, 10]}\nbodies: [disks: {count: 3}]\n";
    qd_scene_changes changes = {&set, 1, 0};
    qd_error error;
    ck_assert_int_eq(refused(text, strlen(text), &changes, &error), QD_ERR_ARGUMENT);
    ck_assert_str_eq(error.text, reason);
}

QD_TEST(blames_the_flag_for_a_wrong_set) {
    check_set(
        "contact.restituton=1",
        "--set contact.restituton=1: unknown key \"restituton\" in contact; did you mean \"restitution\"?");
    check_set("wrold.size=[1, 1]", "--set wrold.size=[1, 1]: unknown key \"wrold\"; did you mean \"world\"?");
    check_set("world.size=[1, 0]", "--set world.size=[1, 0]: world.size: must be two numbers > 0");
    check_set("world.size.2=3",
              "--set world.size.2=3: the list has no item of this number (they count from 0)");
    check_set("bodies.1.disks.count=3",
              "--set bodies.1.disks.count=3: the list has no item of this number (they count from 0)");
    check_set("bodies.x.disks.count=3",
              "--set bodies.x.disks.count=3: the list has no item of this number (they count from 0)");
    check_set("world.size", "--set world.size: must be KEY=VALUE");
    check_set("=3", "--set =3: must be KEY=VALUE");
    check_set("run.dt=", "--set run.dt=: has no value");
    check_set("run.dt=~", "--set run.dt=~: run.dt has no value");
    check_set("run..dt=1",
              "--set run..dt=1: unknown key \"\" in run; known are steps, dt, seed, until_every, "
              "at_least and until");
    check_set("run.dt.x=0", "--set run.dt.x=0: run.dt: must be a number >= 1e-30");
    check_set("run.dt=[1",
              "--set run.dt=[1: did not find expected ',' or ']' (while parsing a flow sequence that "
              "begins on line 1)");
    check_set("bodies.0.disks.radius.power.min=1",
              "--set bodies.0.disks.radius.power.min=1: bodies.0.disks.radius.power: \"max\" is missing");
    check_set("name=\"a\nb\"",
              "--set name=\"a\\x0ab\": name: must be 1 to 64 letters, digits, \"_\" or \"-\", not \"a b\"");
}

/// Keys that say what a body of its kind does not have.
static const struct {
    const char *item, *reason;
} unused[] = {
    {"list: [{at: [5, 5], size: [3, 1]}]", "bodies.0.list.0.size: goes with `shape: rect`"},
    {"list: [{at: [5, 5]}, {shape: capsule, at: [5, 5],\n    size: [3, 1]}]",
     "bodies.0.list.1.size: goes with `shape: rect`"},
    {"list: [{shape: rect, at: [5, 5], length: 3}]", "bodies.0.list.0.length: goes with `shape: capsule`"},
    {"list: [{at: [5, 5], points: [[0, 0], [1, 0], [0, 1]]}]",
     "bodies.0.list.0.points: goes with `shape: polygon`"},
    {"list: [{at: [5, 5], static: true, velocity: [1, 0]}]",
     "bodies.0.list.0.velocity: a static body has none; `kinematic: true` lets it move"},
    {"list: [{at: [5, 5], static: true, spin: -2}]",
     "bodies.0.list.0.spin: a static body has none; `kinematic: true` lets it turn"},
    {"list: [{at: [5, 5], mass: 3, density: 2}]", "bodies.0.list.0.mass: mass or density, not both"},
    {"disks: {count: 3, mass: 3, density: 2}", "bodies.0.disks.mass: mass or density, not both"},
    {"rects: {count: 3, mass: 3, density: 2}", "bodies.0.rects.mass: mass or density, not both"},
    {"capsules: {count: 3, mass: 3, density: 2}", "bodies.0.capsules.mass: mass or density, not both"},
    {"polygons: {count: 3, mass: 3, density: 2}", "bodies.0.polygons.mass: mass or density, not both"},
};

QD_TEST(names_what_has_no_effect) {
    char text[512], reason[256];
    for (size_t i = 0; i < sizeof unused / sizeof unused[0]; ++i) {
        snprintf(text, sizeof text, "world: {size: [90, 90]}\nbodies:\n  - %s\n", unused[i].item);
        snprintf(reason, sizeof reason, "pool.yaml:%d: %s", i == 1 ? 4 : 3, unused[i].reason);
        check_invalid(text, reason);
    }
    check_invalid("emitters: [{region: [1, 1, 9, 9], size: [2, 1]}]",
                  "pool.yaml:1: emitters.0.size: goes with `shape: rect`");
    check_invalid("emitters: [{region: [1, 1, 9, 9], mass: 2, density: 5}]",
                  "pool.yaml:1: emitters.0.mass: mass or density, not both");
    check_invalid("stages:\n- {name: a, steps: 1}\n- name: b\n  steps: 1\n"
                  "  add: [{list: [{at: [5, 5], length: 2}]}]\n",
                  "pool.yaml:5: stages.1.add.0.list.0.length: goes with `shape: capsule`");
}

/// Items of every kind with keys that do fit; and what the program writes of them, with every key.
QD_TEST(takes_what_has_an_effect) {
    static const char text[] =
        "materials: {steel: {density: 7}}\nbodies:\n"
        "  - disks: {count: 2, place: cells, spacing: [3, 3], mass: 4, density: auto}\n"
        "  - rects: {count: 2, place: grid, spacing: [3, 3], region: [40, 0, 9, 9], mass: 4}\n"
        "  - capsules: {count: 2, place: clusters, clusters: {count: 2, spread: [0.2, 0.2]}, density: 3}\n"
        "  - polygons: {count: 2, material: steel, mass: 3}\n"
        "  - polyline: {points: [[80, 80], [90, 80]], spin: 1}\n"
        "  - list:\n"
        "      - {at: [70, 70], radius: 2, static: true, velocity: 0, spin: 0, density: 2}\n"
        "      - {shape: rect, at: [76, 70], size: [2, 1], radius: 0.2, velocity: [1, 1], mass: 4}\n"
        "      - {shape: capsule, at: [70, 76], length: 2, radius: 0.3, kinematic: true, spin: 2}\n"
        "      - {shape: polygon, at: [76, 76], points: [[0, 0], [2, 0], [0, 2]], material: steel, mass: 2}\n"
        "emitters:\n"
        "  - {region: [1, 90, 5, 5], shape: rect, size: [2, 1], mass: 3}\n"
        "stages:\n"
        "  - {name: a, steps: 1}\n"
        "  - {name: b, steps: 1, add: [{list: [{shape: rect, at: [5, 95], size: [2, 1]}]}]}\n";
    qd_scene *scene = NULL, *again = NULL;
    qd_error error = {""};
    qd_status status = qd_scene_parse(text, strlen(text), "all.yaml", NULL, &scene, &error);
    ck_assert_msg(status == QD_OK, "%s", error.text);
    const char *resolved = qd_scene_text(scene);
    status = qd_scene_parse(resolved, strlen(resolved), "scene.yaml", NULL, &again, &error);
    ck_assert_msg(status == QD_OK, "%s", error.text);
    ck_assert_str_eq(qd_scene_text(again), resolved);
    qd_scene_destroy(again);
    qd_scene_destroy(scene);
}

QD_TEST(blames_the_flag_for_wrong_bodies) {
    qd_error error;
    qd_scene_changes changes = {NULL, 0, 10};
    ck_assert_int_eq(refused("bodies: []", 10, &changes, &error), QD_ERR_ARGUMENT);
    ck_assert_str_eq(error.text, "--bodies: the scene has no generator to scale");
    changes.bodies = (uint64_t)1 << 40;
    const char *text = "bodies: [disks: {count: 3}]";
    ck_assert_int_eq(refused(text, strlen(text), &changes, &error), QD_ERR_ARGUMENT);
    ck_assert_str_eq(error.text, "--bodies: at most 268435455");
}

QD_TEST(tells_files_that_cannot_be_read) {
    qd_scene *scene = NULL;
    qd_error error;
    ck_assert_int_eq(qd_scene_read("no/such\nscene.yaml", NULL, &scene, &error), QD_ERR_NOT_FOUND);
    ck_assert_str_eq(error.text, "no/such\\x0ascene.yaml: cannot be opened: No such file or directory");
    ck_assert_int_eq(qd_scene_read(QD_SOURCE_DIR "/docs", NULL, &scene, &error), QD_ERR_IO);
    ck_assert_msg(strstr(error.text, "cannot be read: Is a directory"), "%s", error.text);
    ck_assert_int_eq(qd_scene_read("/dev/zero", NULL, &scene, &error), QD_ERR_INVALID);
    ck_assert_str_eq(error.text, "/dev/zero: is larger than 64 MB");
    ck_assert_int_eq(qd_scene_read("/dev/null", NULL, &scene, &error), QD_ERR_INVALID);
    ck_assert_str_eq(error.text, "/dev/null: is empty");
    ck_assert_int_eq(qd_scene_read(QD_SOURCE_DIR "/sim/scenes/pool.yaml", NULL, &scene, &error), QD_OK);
    qd_scene_destroy(scene);
    scene = NULL;
    ck_assert_int_eq(qd_scene_builtin("sises", NULL, &scene, &error), QD_ERR_NOT_FOUND);
    ck_assert_str_eq(error.text, "no built-in scene \"sises\"; did you mean \"sizes\"?");
    ck_assert_int_eq(qd_scene_builtin("quicksand", NULL, &scene, NULL), QD_ERR_NOT_FOUND);
    ck_assert_int_eq(qd_scene_read(NULL, NULL, &scene, NULL), QD_ERR_ARGUMENT);
    ck_assert_int_eq(qd_scene_parse("{}", 2, NULL, NULL, &scene, &error), QD_ERR_ARGUMENT);
    ck_assert_ptr_null(scene);
    qd_scene_destroy(NULL);
}

/// A scene is read whole, or nothing is left of it, whichever allocation fails.
QD_TEST(fails_cleanly_without_memory) {
    const char *sets[] = {"bodies.0.disks.count=5", "world.boundary.x=open"};
    qd_scene_changes changes = {sets, 2, 100};
    const char *text = qd_scene_builtin_text("sizes");
    size_t fail_at = 0;
    qd_status status = QD_ERR_MEMORY;
    while (status == QD_ERR_MEMORY) {
        qd_test_allocator allocator = qd_test_allocator_of(&allocator, ++fail_at);
        qd_scene *scene = NULL;
        qd_error error;
        status = qdi_scene_parse_with(&allocator.allocator, text, strlen(text), "sizes", &changes, &scene,
                                      &error);
        if (status == QD_ERR_MEMORY) ck_assert_str_eq(error.text, "out of memory");
        qd_scene_destroy(scene);
        ck_assert_uint_eq(allocator.live, 0);
    }
    ck_assert_int_eq(status, QD_OK);
    ck_assert_uint_gt(fail_at, 5);
}

QD_TEST_MAIN("scene_errors", 240, NULL, NULL)
