#include <quadrille/scene.h>
#include <quadrille/trajectory.h>

#include "tests/support/harness.h"
#include "tests/support/trajectories.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// What the writers of trajectories leave, read back by readers that take nothing but what is expected.

/// The rows of a world's bodies in the order of files; free() it.
static uint32_t *rows_of(const qd_body_view *view) {
    uint32_t *rows = qd_test_memory((view->count + 1) * sizeof *rows);
    size_t count = 0;
    for (size_t i = 0; i < view->index_count; ++i)
        if (view->row_of_index[i] != UINT32_MAX) rows[count++] = view->row_of_index[i];
    ck_assert_uint_eq(count, view->count);
    return rows;
}

// ---- text ----

/// A text that is gone through from its beginning.
typedef struct cursor {
    char *text, *at;
} cursor;

static cursor open_text(const char *name) {
    char *text = qd_scratch_read(at(name).text, NULL);
    ck_assert_msg(text != NULL, "%s is not there", name);
    return (cursor){text, text};
}

/// Exactly this text comes next.
static void want(cursor *from, const char *text) {
    ck_assert_msg(strncmp(from->at, text, strlen(text)) == 0, "\"%.60s\" instead of \"%s\"", from->at, text);
    from->at += strlen(text);
}

/// The next number is this one to the last bit (NaN is NaN), in no more than 17 digits, and `end` follows.
static void want_real(cursor *from, double value, const char *end) {
    char *next = NULL;
    double read = strtod(from->at, &next);
    ck_assert_msg(next > from->at && *from->at != ' ', "no number at \"%.60s\"", from->at);
    ck_assert_msg(read == value || (isnan(read) && isnan(value)), "%.17g, not %.17g", read, value);
    size_t digits = 0;
    for (const char *c = from->at; c < next && *c != 'e'; ++c) digits += *c >= '0' && *c <= '9';
    ck_assert_uint_le(digits, 22); // 17, and zeros before or behind them
    from->at = next;
    want(from, end);
}

static void want_whole(cursor *from, uint64_t value, const char *end) {
    char text[32];
    snprintf(text, sizeof text, "%" PRIu64, value);
    want(from, text);
    want(from, end);
}

static void close_text(cursor *from) {
    ck_assert_msg(*from->at == '\0', "more follows: \"%.60s\"", from->at);
    free(from->text);
}

static double angle_of(const qd_body_view *view, uint32_t row) {
    return atan2(view->turn_s[row], view->turn_c[row]);
}

/// As want_real, but for rounding.
static void want_near(cursor *from, double value, const char *end) {
    char *next = NULL;
    double read = strtod(from->at, &next);
    ck_assert_msg(next > from->at && fabs(read - value) <= 1e-14 * (1 + fabs(value)), "%.17g, not %.17g",
                  read, value);
    from->at = next;
    want(from, end);
}

static qd_shape shape_of(const qd_body_view *view, uint32_t row) {
    return view->shape[row] ? *view->shapes[view->shape[row]] : qd_shape_disk(view->radius[row]);
}

static qd_vec2 size_of(const qd_body_view *view, uint32_t row) {
    qd_shape shape = shape_of(view, row);
    qd_vec2 low, high;
    qd_shape_bounds(&shape, (qd_vec2){0, 0}, (qd_vec2){1, 0}, &low, &high);
    return (qd_vec2){high.x - low.x, high.y - low.y};
}

static const char *const shapes[] = {"disk", "rect", "capsule", "polygon"};
/// Rounding and points.
static void want_core(cursor *file, const qd_body_view *view, uint32_t row, const char *between) {
    qd_shape shape = shape_of(view, row);
    want_real(file, shape.kind == QD_SHAPE_DISK ? view->radius[row] : shape.radius, between);
    if (shape.kind == QD_SHAPE_DISK) {
        want(file, "-");
        return;
    }
    bool polygon = shape.kind == QD_SHAPE_POLYGON;
    if (!polygon) {
        want_real(file, shape.half.x, ":");
        want_real(file, shape.half.y, shape.count > 0 ? "/" : "");
    }
    for (int i = 0; i < shape.count; ++i) {
        want_real(file, shape.points[i].x, ":");
        want_real(file, shape.points[i].y, i + 1 < shape.count ? "/" : "");
    }
}

static const char *const kinds[] = {"dynamic", "static", "kinematic"};

static void want_lammps_moment(cursor *file, const qd_world *world) {
    qd_world_def def = qd_world_definition(world);
    qd_body_view view = qd_world_view(world);
    static const char *const flags[] = {"ff", "pp", "ss"};
    qd_vec2 low, high;
    qd_world_sides(world, &low, &high);
    want(file, "ITEM: TIME\n");
    want_real(file, qd_world_time(world), "\nITEM: TIMESTEP\n");
    want_whole(file, qd_world_steps(world), "\nITEM: NUMBER OF ATOMS\n");
    want_whole(file, view.count, "\nITEM: BOX BOUNDS ");
    want(file, flags[def.boundary_x]);
    want(file, " ");
    want(file, flags[def.boundary_y]);
    want(file, " pp\n");
    want_real(file, low.x, " ");
    want_real(file, high.x, "\n");
    want_real(file, low.y, " ");
    want_real(file, high.y, "\n-0.5 0.5\n");
    want(file, "ITEM: ATOMS id type x y radius vx vy omegaz mass angle sizex sizey\n");
    qd_own_memory uint32_t *rows = rows_of(&view);
    for (size_t i = 0; i < view.count; ++i) {
        uint32_t row = rows[i];
        want_whole(file, view.label[row], " ");
        want_whole(file, (uint64_t)shape_of(&view, row).kind + 1, " ");
        want_real(file, view.x[row], " ");
        want_real(file, view.y[row], " ");
        want_real(file, view.radius[row], " ");
        want_real(file, view.vx[row], " ");
        want_real(file, view.vy[row], " ");
        want_real(file, view.spin[row], " ");
        want_real(file, view.mass[row], " ");
        want_near(file, angle_of(&view, row), " ");
        want_near(file, size_of(&view, row).x, " ");
        want_near(file, size_of(&view, row).y, "\n");
    }
}

QD_TEST_LOOP(lammps_dumps, 0, 3) {
    qd_own(qd_world) world = mixed_world(qd_test_seed(1) + (uint64_t)_i);
    qd_trajectory *trajectory = start(QD_TRAJECTORY_LAMMPS, 1 + _i);
    qd_world *moments[3];
    for (int k = 0; k < 3; ++k) {
        add(trajectory, world);
        unsigned char *data = NULL;
        size_t bytes = 0;
        ck_assert_int_eq(qd_world_save(world, &data, &bytes), QD_OK);
        ck_assert_int_eq(qd_world_load(data, bytes, 1, NULL, &moments[k], NULL), QD_OK);
        qd_world_save_free(world, data, bytes);
        qd_test_step(world, 0.01, 7);
    }
    ck_assert(!qd_scratch_exists(at("bodies.lammpstrj").text)); // not before it is whole
    qd_trajectory_totals totals = finish(trajectory);
    ck_assert_uint_eq(totals.states, 3);
    ck_assert_uint_eq(totals.files, 1);
    ck_assert_uint_eq(qd_scratch_count(scratch.path), 1);
    cursor file = open_text("bodies.lammpstrj");
    ck_assert_uint_eq(strlen(file.text), totals.bytes);
    for (int k = 0; k < 3; ++k) {
        want_lammps_moment(&file, moments[k]);
        qd_world_destroy(moments[k]);
    }
    close_text(&file);
}

// Bodies have come and gone for a while. A scene reads the dump of those that are there, each with its id.
QD_TEST(lammps_dumps_are_read_back) {
    static const char text[] = "bodies:\n- file: {path: bodies.lammpstrj}\n";
    qd_world_def def = qd_world_def_default();
    def.gravity.y = -10;
    qd_own(qd_world) world = qd_test_world(&def), again = NULL;
    qd_emitter_def source = qd_emitter_def_default();
    source.low = (qd_vec2){5, 50};
    source.high = (qd_vec2){80, 95};
    source.rate = 100;
    ck_assert_int_eq(qd_world_add_emitter(world, &source, NULL), QD_OK);
    qd_sink_def sink = qd_sink_def_default();
    sink.high = (qd_vec2){90, 10};
    ck_assert_int_eq(qd_world_add_sink(world, &sink, NULL), QD_OK);
    qd_body_def body = qd_body_def_default();
    body.position = (qd_vec2){98, 3};
    body.filter.mask = 0; // walls only
    body.label = 40;
    (void)qd_test_add(world, &body);
    qd_test_step(world, 0.05, 200);
    qd_trajectory *trajectory = start(QD_TRAJECTORY_LAMMPS, 1);
    add(trajectory, world);
    finish(trajectory);
    qd_scratch_write(at("my.yaml").text, text);
    qd_scene *scene = NULL;
    qd_error error = {""};
    ck_assert_msg(qd_scene_read(at("my.yaml").text, NULL, &scene, &error) == QD_OK, "%s", error.text);
    def = qd_scene_world(scene);
    again = qd_test_world(&def);
    ck_assert_msg(qd_scene_populate(scene, again, &error) == QD_OK, "%s", error.text);
    qd_body_view p = qd_world_view(world), q = qd_world_view(again);
    ck_assert_uint_eq(p.count, q.count);
    ck_assert_uint_gt(p.count, 50);
    for (size_t i = 0; i < p.count; ++i) {
        size_t k = 0;
        while (k < q.count && q.label[k] != p.label[i]) ++k;
        ck_assert_uint_lt(k, q.count);
        ck_assert(p.x[i] == q.x[k] && p.vy[i] == q.vy[k]);
    }
    qd_scene_destroy(scene);
}

QD_TEST(extended_xyz) {
    qd_own(qd_world) world = mixed_world(qd_test_seed(2));
    qd_world_def def = qd_world_definition(world);
    qd_trajectory *trajectory = start(QD_TRAJECTORY_EXTXYZ, 2);
    add(trajectory, world);
    finish(trajectory);
    qd_body_view view = qd_world_view(world);
    cursor file = open_text("bodies.xyz");
    want_whole(&file, view.count, "\nLattice=\"");
    qd_vec2 low, high;
    qd_world_sides(world, &low, &high);
    want_real(&file, high.x - low.x, " 0 0 0 ");
    want_real(&file, high.y - low.y, " 0 0 0 1\" Origin=\"");
    want_real(&file, low.x, " ");
    want_real(&file, low.y, " 0\" pbc=\"T ");
    want(&file, def.boundary_y == QD_BOUNDARY_PERIODIC ? "T" : "F");
    want(&file,
         " F\" Time=0 Step=0 Scene=\"mixed\" Scene_hash=\"0000000000abcdef\" Seed=7 Properties=species:S:1:"
         "pos:R:3:id:I:1:radius:R:1:velo:R:3:angle:R:1:spin:R:1:masses:R:1:size:R:2:shape:S:1:kind:S:1:"
         "rounding:R:1:points:S:1\n");
    qd_own_memory uint32_t *rows = rows_of(&view);
    for (size_t i = 0; i < view.count; ++i) {
        uint32_t row = rows[i];
        want(&file, "X ");
        want_real(&file, view.x[row], " ");
        want_real(&file, view.y[row], " 0 ");
        want_whole(&file, view.label[row], " ");
        want_real(&file, view.radius[row], " ");
        want_real(&file, view.vx[row], " ");
        want_real(&file, view.vy[row], " 0 ");
        want_near(&file, angle_of(&view, row), " ");
        want_real(&file, view.spin[row], " ");
        want_real(&file, view.mass[row], " ");
        want_near(&file, size_of(&view, row).x, " ");
        want_near(&file, size_of(&view, row).y, " ");
        want(&file, shapes[shape_of(&view, row).kind]);
        want(&file, " ");
        want(&file, kinds[view.kind[row]]);
        want(&file, " ");
        want_core(&file, &view, row, " ");
        want(&file, "\n");
    }
    close_text(&file);
}

// ---- tables ----

static uint64_t label_of(const qd_body_view *view, qd_id id) {
    return view->label[view->row_of_index[id.index]];
}

static void want_contacts(const qd_world *world) {
    static const char *const sides[] = {"left", "right", "bottom", "top"};
    qd_body_view view = qd_world_view(world);
    size_t count = 0, walls = 0;
    const qd_contact *contacts = qd_world_contacts(world, &count);
    cursor file = open_text("contacts.csv");
    want(&file, "step,time,a,b,side,touch,x,y,normal_x,normal_y,depth,impulse,friction,approach,sensor\n");
    for (size_t i = 0; i < count; ++i)
        for (int k = 0; k < contacts[i].count; ++k) {
            const qd_contact *contact = &contacts[i];
            const qd_touch *touch = &contact->touch[k];
            want_whole(&file, qd_world_steps(world), ",");
            want_real(&file, qd_world_time(world), ",");
            want_whole(&file, label_of(&view, contact->a), ",");
            if (!qd_id_is_wall(contact->b)) want_whole(&file, label_of(&view, contact->b), ",");
            if (qd_id_is_wall(contact->b)) {
                want(&file, ",");
                want(&file, sides[contact->b.index - (uint32_t)QD_WALL_LEFT]);
                ++walls;
            }
            want(&file, ",");
            want_whole(&file, (uint64_t)k, ",");
            want_real(&file, touch->point.x, ",");
            want_real(&file, touch->point.y, ",");
            want_real(&file, contact->normal.x, ",");
            want_real(&file, contact->normal.y, ",");
            want_real(&file, touch->depth, ",");
            want_real(&file, touch->impulse, ",");
            want_real(&file, touch->friction, ",");
            want_real(&file, contact->approach, ",");
            want(&file, contact->sensor ? "1\n" : "0\n");
        }
    ck_assert_uint_gt(count, 10);
    close_text(&file);
}

typedef struct node_reader {
    cursor file;
    const qd_world *world;
    size_t count;
} node_reader;

static bool want_node(void *context, const qd_tree_node_info *node) {
    node_reader *reader = context;
    qd_world_def def = qd_world_definition(reader->world);
    cursor *file = &reader->file;
    want_whole(file, qd_world_steps(reader->world), ",");
    want_real(file, qd_world_time(reader->world), ",");
    want_whole(file, (uint64_t)node->depth, ",");
    want_real(file, node->min_x + (def.origin.x + 0.5 * def.size.x), ",");
    want_real(file, node->min_y + (def.origin.y + 0.5 * def.size.y), ",");
    want_real(file, node->side, ",");
    want_whole(file, node->bodies, ",");
    want_whole(file, node->subtree, node->leaf ? ",1\n" : ",0\n");
    ++reader->count;
    return true;
}

QD_TEST_LOOP(tables, 0, 3) {
    qd_own(qd_world) world = mixed_world(qd_test_seed(3) + (uint64_t)_i);
    qd_test_step(world, 0.01, 5);
    qd_trajectory *trajectory = start(QD_TRAJECTORY_CSV, 3);
    add(trajectory, world);
    ck_assert_uint_eq(finish(trajectory).files, 5);
    want_contacts(world);
    node_reader reader = {open_text("nodes.csv"), world, 0};
    want(&reader.file, "step,time,depth,x,y,side,bodies,subtree,leaf\n");
    qd_tree_visit_nodes(qd_world_tree(world), want_node, &reader);
    close_text(&reader.file);
    ck_assert_uint_gt(reader.count, 4);
    cursor file = open_text("bodies.csv");
    qd_body_view view = qd_world_view(world);
    qd_own_memory uint32_t *rows = rows_of(&view);
    want(&file,
         "step,time,id,shape,kind,x,y,angle,vx,vy,spin,radius,mass,width,height,touching,rounding,points\n");
    for (size_t i = 0; i < view.count; ++i) {
        uint32_t row = rows[i];
        want_whole(&file, 5, ",");
        want_real(&file, qd_world_time(world), ",");
        want_whole(&file, view.label[row], ",");
        want(&file, shapes[shape_of(&view, row).kind]);
        want(&file, ",");
        want(&file, kinds[view.kind[row]]);
        want(&file, ",");
        want_real(&file, view.x[row], ",");
        want_real(&file, view.y[row], ",");
        want_near(&file, angle_of(&view, row), ",");
        want_real(&file, view.vx[row], ",");
        want_real(&file, view.vy[row], ",");
        want_real(&file, view.spin[row], ",");
        want_real(&file, view.radius[row], ",");
        want_real(&file, view.mass[row], ",");
        want_near(&file, size_of(&view, row).x, ",");
        want_near(&file, size_of(&view, row).y, view.touching[row] ? ",1," : ",0,");
        want_core(&file, &view, row, ",");
        want(&file, "\n");
    }
    close_text(&file);
}

// What is left of the contacts of a body that is gone is in no table.
QD_TEST_LOOP(contacts_of_removed_bodies, 0, 2) {
    qd_own(qd_world) world = qd_test_gap(_i == 1);
    qd_trajectory *trajectory = start(QD_TRAJECTORY_CSV, 1);
    add(trajectory, world);
    finish(trajectory);
    cursor file = open_text("contacts.csv");
    want(&file, "step,time,a,b,side,touch,x,y,normal_x,normal_y,depth,impulse,friction,approach,sensor\n");
    close_text(&file);
}

QD_TEST(rows_of_a_store) {
    qd_trajectory *trajectory = start(QD_TRAJECTORY_CSV, 1);
    const qd_store_event events[] = {
        {3, 0, QD_STORE_EVENT_BEGIN, 7, 9, 0, {1, 2}, {0, 1}, 0, 0, 0.5, 0.25, (double)NAN},
        {3, 1, QD_STORE_EVENT_IMPACT, UINT64_MAX, 0, 4, {1, 2}, {0, 1}, 0.1, 0, 3, (double)NAN, 1e-7},
    };
    for (size_t i = 0; i < 2; ++i)
        ck_assert_int_eq(qd_trajectory_add_event(trajectory, &events[i], NULL), QD_OK);
    qd_metrics metrics = {.step = 4, .time = 0.5, .bodies = UINT64_MAX, .kinetic = (double)NAN};
    ck_assert_int_eq(qd_trajectory_add_metrics(trajectory, &metrics, NULL), QD_OK);
    finish(trajectory);
    cursor file = open_text("events.csv");
    want(&file, "step,number,kind,a,b,side,x,y,normal_x,normal_y,impulse,friction,approach,depth,within\n"
                "3,0,begin,7,9,,1,2,0,1,0,0,0.5,0.25,\n"
                "3,1,impact,18446744073709551615,,top,1,2,0,1,0.1,0,3,,1e-7\n");
    close_text(&file);
    file = open_text("metrics.csv");
    want(&file, "step,time,bodies,dynamic,contacts,kinetic,");
    file.at = strchr(file.at, '\n');
    want(&file, "\n4,0.5,,0,0,,0,0,"); // what a row does not know is empty
    size_t count = 0, commas = 0;
    (void)qd_metric_fields(&count);
    for (const char *c = strchr(file.text, '\n') + 1; *c; ++c) commas += *c == ',';
    ck_assert_uint_eq(commas, count - 1);
    free(file.text);
    trajectory = start(QD_TRAJECTORY_LAMMPS, 1);
    ck_assert_int_eq(qd_trajectory_add_event(trajectory, &events[0], NULL), QD_ERR_STATE);
    ck_assert_int_eq(qd_trajectory_add_metrics(trajectory, &metrics, NULL), QD_ERR_STATE);
    qd_trajectory_destroy(trajectory);
}

QD_TEST_MAIN("export_formats", 300, setup, teardown)
