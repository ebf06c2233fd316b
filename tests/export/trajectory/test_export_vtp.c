#include <quadrille/trajectory.h>

#include "export/trajectory/trajectory_impl.h"
#include "tests/support/harness.h"
#include "tests/support/one_scratch.h"
#include "tests/support/worlds.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// The VTK files, read back by a reader of their one form.

// ---- the reader ----

enum { ARRAYS_MAX = 24 };

typedef struct vtp_array {
    char section[16], name[32], type[16];
    unsigned components;
    size_t bytes;
    const unsigned char *data;
} vtp_array;

typedef struct vtp_file {
    char *text;
    size_t points, verts, lines, polys, count;
    vtp_array arrays[ARRAYS_MAX];
} vtp_file;

static uint64_t whole_at(const unsigned char *bytes) {
    uint64_t value = 0;
    for (int k = 0; k < 8; ++k) value |= (uint64_t)bytes[k] << (8 * k);
    return value;
}

static double real_at(const unsigned char *bytes) {
    uint64_t bits = whole_at(bytes);
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

/// Reads a file: every array lies where it says, right behind the one before, and is as long as its tuples
/// are.
static vtp_file read_vtp(const char *name) {
    vtp_file file = {.count = 0};
    size_t bytes = 0;
    file.text = qd_scratch_read(at(name).text, &bytes);
    ck_assert_msg(file.text != NULL, "%s", name);
    static const char head[] = "<?xml version=\"1.0\"?>\n<VTKFile type=\"PolyData\" version=\"1.0\" "
                               "byte_order=\"LittleEndian\" header_type=\"UInt64\">\n<PolyData>\n";
    static const char tail[] = "\n</AppendedData>\n</VTKFile>\n";
    ck_assert_int_eq(strncmp(file.text, head, sizeof head - 1), 0);
    ck_assert_int_eq(memcmp(file.text + bytes - (sizeof tail - 1), tail, sizeof tail - 1), 0);
    const char *appended = strstr(file.text, "<AppendedData encoding=\"raw\">\n_");
    ck_assert_ptr_nonnull(appended);
    const unsigned char *data = (const unsigned char *)strchr(appended, '_') + 1;
    size_t offset = 0;
    char section[16] = "";
    for (char *line = file.text; line < appended; line = strchr(line, '\n') + 1) {
        unsigned long long where;
        vtp_array *array = &file.arrays[file.count];
        if (strncmp(line, "<Piece", 6) == 0)
            ck_assert_int_eq(
                sscanf(line,
                       "<Piece NumberOfPoints=\"%zu\" NumberOfVerts=\"%zu\" NumberOfLines=\"%zu\" "
                       "NumberOfStrips=\"0\" NumberOfPolys=\"%zu\">",
                       &file.points, &file.verts, &file.lines, &file.polys),
                4);
        if (strncmp(line, "<DataArray", 10) != 0) {
            sscanf(line, "<%15[A-Za-z]>", section);
            continue;
        }
        ck_assert_uint_lt(file.count, ARRAYS_MAX);
        array->components = 1;
        if (sscanf(line,
                   "<DataArray type=\"%15[A-Za-z0-9]\" Name=\"%31[A-Za-z]\" NumberOfTuples=\"1\" "
                   "format=\"appended\" offset=\"%llu\"/>",
                   array->type, array->name, &where) != 3)
            ck_assert_msg(sscanf(line,
                                 "<DataArray type=\"%15[A-Za-z0-9]\" Name=\"%31[A-Za-z]\" "
                                 "NumberOfComponents=\"%u\" format=\"appended\" offset=\"%llu\"/>",
                                 array->type, array->name, &array->components, &where) == 4,
                          "%.100s", line);
        memcpy(array->section, section, sizeof section);
        ck_assert_uint_eq(where, offset);
        array->bytes = (size_t)whole_at(data + offset);
        array->data = data + offset + 8;
        offset += 8 + array->bytes;
        file.count++;
    }
    ck_assert_ptr_eq(data + offset, file.text + bytes - (sizeof tail - 1));
    return file;
}

/// The array, with as many tuples as there should be.
static const vtp_array *find(const vtp_file *file, const char *section, const char *name, size_t tuples) {
    for (size_t i = 0; i < file->count; ++i) {
        const vtp_array *array = &file->arrays[i];
        if (strcmp(array->section, section) != 0 || strcmp(array->name, name) != 0) continue;
        size_t size = strcmp(array->type, "UInt8") == 0 ? 1 : 8;
        ck_assert_msg(array->bytes == tuples * array->components * size, "%s: %zu bytes", name, array->bytes);
        return array;
    }
    ck_abort_msg("no %s in %s", name, section);
    return NULL;
}

static double real_of(const vtp_array *array, size_t tuple, unsigned component) {
    ck_assert_str_eq(array->type, "Float64");
    return real_at(array->data + 8 * (tuple * array->components + component));
}

static uint64_t whole_of(const vtp_array *array, size_t i) {
    if (strcmp(array->type, "UInt8") == 0) return array->data[i];
    ck_assert(strcmp(array->type, "UInt64") == 0 || strcmp(array->type, "Int64") == 0);
    return whole_at(array->data + 8 * i);
}

static void check_moment(const vtp_file *file, const qd_world *world) {
    ck_assert_double_eq(real_of(find(file, "FieldData", "TimeValue", 1), 0, 0), qd_world_time(world));
    ck_assert_uint_eq(whole_of(find(file, "FieldData", "Step", 1), 0), qd_world_steps(world));
}

// ---- a world ----

static void add_shapes(qd_world *world) {
    qd_body_def body = qd_test_body_at(qd_shape_rect(2, 1), 5, 5);
    body.angle = 0.5;
    qd_test_add(world, &body);
    body.position = (qd_vec2){10, 5};
    body.shape = qd_shape_capsule(2, 0.5);
    body.angle = -2;
    qd_test_add(world, &body);
    body.position = (qd_vec2){15, 5};
    const qd_vec2 corners[] = {{0, 0}, {2, 0}, {2.5, 1.5}, {1, 2.5}, {-0.5, 1.5}};
    ck_assert_int_eq(qd_shape_polygon(corners, 5, &body.shape, NULL, NULL), QD_OK);
    body.angle = 1;
    qd_test_add(world, &body);
    body.position = (qd_vec2){5, 12};
    body.shape.radius = 0.25;
    qd_test_add(world, &body);
    body.position = (qd_vec2){10, 12};
    body.shape = qd_shape_rect(2, 1);
    body.shape.radius = 0.5;
    qd_test_add(world, &body);
}

/// Shapes, segments, disks in a heap on the floor and across the seam.
static qd_world *make_world(void) {
    qd_world_def def = qd_test_def(20, 20);
    def.boundary_x = QD_BOUNDARY_PERIODIC;
    qd_world *world = qd_test_world(&def);
    add_shapes(world);
    qd_body_def line = qd_body_def_default();
    line.shape = qd_shape_capsule(1, 0);
    const qd_vec2 points[] = {{1, 1}, {4, 1.5}, {7, 1}};
    ck_assert_int_eq(qd_world_add_polyline(world, points, 3, false, &line, NULL, NULL), QD_OK);
    qd_test_disk(world, 19.8, 8, 0, 0, 0.5, 0); // it touches the next one through the side
    qd_test_disk(world, 0.7, 8, 1, 2, 0.5, 0);
    qd_test_disk(world, 12, 0.4, -1, 0, 0.5, 0); // and this one the floor
    qd_test_disk(world, 4, 1.9, 0, 0, 0.5, 0);   // and this one the line
    ck_assert_int_eq(qd_world_detect(world), QD_OK);
    return world;
}

static void write_moments(qd_world *world, int count) {
    qd_trajectory_def def = qd_trajectory_def_default();
    def.directory = scratch.path;
    def.format = QD_TRAJECTORY_VTP;
    def.threads = 2;
    qd_trajectory *trajectory = NULL;
    qd_error error = {""};
    ck_assert_msg(qd_trajectory_create(&def, &trajectory, &error) == QD_OK, "%s", error.text);
    for (int k = 0; k < count; ++k) {
        if (k > 0) qd_test_step(world, 0.1, 1);
        ck_assert_msg(qd_trajectory_add(trajectory, world, &error) == QD_OK, "%s", error.text);
    }
    qd_trajectory_totals totals;
    ck_assert_msg(qd_trajectory_finish(trajectory, &totals, &error) == QD_OK, "%s", error.text);
    ck_assert_uint_eq(totals.files, 4 * (unsigned)count + 4);
    ck_assert_uint_eq(qd_scratch_count(scratch.path), totals.files);
    qd_trajectory_destroy(trajectory);
}

QD_TEST(bodies_are_points) {
    qd_own(qd_world) world = make_world();
    write_moments(world, 2);
    vtp_file file = read_vtp("bodies_000001.vtp");
    check_moment(&file, world);
    qd_body_view view = qd_world_view(world);
    size_t n = view.count;
    ck_assert(file.points == n && file.verts == n && file.lines == 0 && file.polys == 0);
    const vtp_array *place = find(&file, "Points", "Points", n), *id = find(&file, "PointData", "id", n),
                    *radius = find(&file, "PointData", "radius", n),
                    *velocity = find(&file, "PointData", "velocity", n),
                    *angle = find(&file, "PointData", "angle", n),
                    *spin = find(&file, "PointData", "spin", n), *mass = find(&file, "PointData", "mass", n),
                    *shape = find(&file, "PointData", "shape", n),
                    *kind = find(&file, "PointData", "kind", n),
                    *touching = find(&file, "PointData", "touching", n),
                    *connectivity = find(&file, "Verts", "connectivity", n),
                    *offsets = find(&file, "Verts", "offsets", n);
    for (size_t i = 0; i < n; ++i) {
        uint32_t row = view.row_of_index[i];
        ck_assert(real_of(place, i, 0) == view.x[row] && real_of(place, i, 1) == view.y[row] &&
                  real_of(place, i, 2) == 0);
        ck_assert(real_of(velocity, i, 0) == view.vx[row] && real_of(velocity, i, 1) == view.vy[row] &&
                  real_of(velocity, i, 2) == 0);
        ck_assert(real_of(radius, i, 0) == view.radius[row] && real_of(spin, i, 0) == view.spin[row] &&
                  real_of(mass, i, 0) == view.mass[row]);
        ck_assert_double_eq_tol(real_of(angle, i, 0), atan2(view.turn_s[row], view.turn_c[row]), 1e-14);
        ck_assert_uint_eq(whole_of(id, i), view.label[row]);
        ck_assert_uint_eq(whole_of(kind, i), view.kind[row]);
        ck_assert_uint_eq(whole_of(touching, i), view.touching[row]);
        uint32_t number = view.shape[row];
        ck_assert_uint_eq(whole_of(shape, i), number ? (unsigned)view.shapes[number]->kind : 0);
        ck_assert_uint_eq(whole_of(connectivity, i), i);
        ck_assert_uint_eq(whole_of(offsets, i), i + 1);
    }
    free(file.text);
}

/// Twice the area of the polygon between two places of the points, > 0 counter-clockwise.
static double area_of(const vtp_array *points, const vtp_array *order, size_t from, size_t to) {
    double sum = 0;
    for (size_t i = from; i < to; ++i) {
        size_t a = (size_t)whole_of(order, i), b = (size_t)whole_of(order, i + 1 < to ? i + 1 : from);
        sum += real_of(points, a, 0) * real_of(points, b, 1) - real_of(points, b, 0) * real_of(points, a, 1);
    }
    return 0.5 * sum;
}

QD_TEST(shapes_are_polygons_and_lines) {
    qd_own(qd_world) world = make_world();
    write_moments(world, 1);
    vtp_file file = read_vtp("shapes_000000.vtp");
    ck_assert(file.verts == 0 && file.lines == 2 && file.polys == 5);
    const vtp_array *points = find(&file, "Points", "Points", file.points),
                    *id = find(&file, "CellData", "id", 7), *lines = find(&file, "Lines", "connectivity", 4),
                    *order = find(&file, "Polys", "connectivity", file.points - 4),
                    *ends = find(&file, "Polys", "offsets", 5);
    // Lines first: bodies 6 and 7, from corner to corner.
    static const double corners[4][2] = {{1, 1}, {4, 1.5}, {4, 1.5}, {7, 1}};
    for (size_t i = 0; i < 4; ++i)
        for (unsigned k = 0; k < 2; ++k)
            ck_assert_double_eq_tol(real_of(points, (size_t)whole_of(lines, i), k), corners[i][k], 1e-12);
    ck_assert(whole_of(id, 0) == 6 && whole_of(id, 1) == 7);
    qd_body_view view = qd_world_view(world);
    size_t from = 0;
    for (size_t i = 0; i < 5; ++i) {
        ck_assert_uint_eq(whole_of(id, 2 + i), i + 1);
        const qd_shape *shape = view.shapes[view.shape[view.row_of_index[i]]];
        size_t to = (size_t)whole_of(ends, i);
        double whole = qd_shape_area(shape), drawn = area_of(points, order, from, to);
        // Chords of arcs of 15 degrees lose at most 1.2 % of a disk, and sharp corners nothing.
        double lost = shape->kind == QD_SHAPE_CAPSULE || shape->radius > 0 ? 0.012 * whole : 1e-12 * whole;
        ck_assert_msg(drawn <= whole * (1 + 1e-12) && drawn >= whole - lost, "%zu: %g of %g", i, drawn,
                      whole);
        // No point is outside, and every one is on the border.
        qd_vec2 at = {view.x[view.row_of_index[i]], view.y[view.row_of_index[i]]};
        qd_vec2 turn = {view.turn_c[view.row_of_index[i]], view.turn_s[view.row_of_index[i]]};
        for (size_t k = from; k < to; ++k) {
            size_t p = (size_t)whole_of(order, k);
            qd_vec2 out = {real_of(points, p, 0) - at.x, real_of(points, p, 1) - at.y};
            qd_vec2 nearer = {at.x + out.x * (1 - 1e-9), at.y + out.y * (1 - 1e-9)};
            qd_vec2 further = {at.x + out.x * (1 + 1e-9), at.y + out.y * (1 + 1e-9)};
            ck_assert(qd_shape_contains(shape, at, turn, nearer));
            ck_assert(!qd_shape_contains(shape, at, turn, further));
        }
        from = to;
    }
    free(file.text);
}

QD_TEST(outlines_of_any_shape_fit) {
    size_t cases = qd_test_effort(3000);
    uint64_t seed = qd_test_seed(3);
    qd_random random = qd_random_at(seed, 0, 0);
    for (size_t i = 0; i < cases; ++i) {
        qd_vec2 points[QD_POLYGON_MAX], outline[QDI_OUTLINE_MAX];
        for (int k = 0; k < QD_POLYGON_MAX; ++k) {
            double angle = 6.283185307179586 * (k + 0.9 * qd_random_uniform(&random)) / QD_POLYGON_MAX;
            points[k] = (qd_vec2){cos(angle), sin(angle)};
        }
        size_t count = i % 4 == 0 ? 3 : QD_POLYGON_MAX;
        qd_shape shape;
        if (qd_shape_polygon(points, count, &shape, NULL, NULL) != QD_OK) continue;
        shape.radius = i % 2 ? 0.1 : 3;
        if (qd_shape_normalise(&shape, NULL, NULL) != QD_OK) continue;
        size_t used = qdi_shape_outline(&shape, outline);
        ck_assert_msg(used > 24 && used <= QDI_OUTLINE_MAX, "seed %" PRIu64 ", case %zu: %zu points", seed, i,
                      used);
        double area = 0;
        for (size_t k = 0; k < used; ++k) {
            qd_vec2 a = outline[k], b = outline[(k + 1) % used];
            area += 0.5 * (a.x * b.y - b.x * a.y);
        }
        ck_assert_double_eq_tol(area, qd_shape_area(&shape), 0.012 * qd_shape_area(&shape));
    }
}

typedef struct node_check {
    const vtp_file *file;
    size_t i;
} node_check;

static bool check_node(void *context, const qd_tree_node_info *node) {
    node_check *check = context;
    const vtp_file *file = check->file;
    size_t n = file->polys, i = check->i++;
    ck_assert_uint_lt(i, n);
    const vtp_array *points = find(file, "Points", "Points", 4 * n);
    double x = node->min_x + 10, y = node->min_y + 10; // the world's centre
    const double corner[4][2] = {
        {x, y}, {x + node->side, y}, {x + node->side, y + node->side}, {x, y + node->side}};
    for (size_t k = 0; k < 4; ++k)
        ck_assert(real_of(points, 4 * i + k, 0) == corner[k][0] &&
                  real_of(points, 4 * i + k, 1) == corner[k][1]);
    ck_assert_uint_eq(whole_of(find(file, "CellData", "depth", n), i), (unsigned)node->depth);
    ck_assert_uint_eq(whole_of(find(file, "CellData", "bodies", n), i), node->bodies);
    ck_assert_uint_eq(whole_of(find(file, "CellData", "subtree", n), i), node->subtree);
    ck_assert_uint_eq(whole_of(find(file, "CellData", "leaf", n), i), node->leaf);
    ck_assert_uint_eq(whole_of(find(file, "Polys", "offsets", n), i), 4 * i + 4);
    return true;
}

QD_TEST(nodes_are_squares) {
    qd_own(qd_world) world = make_world();
    qd_random random = qd_random_at(1, 0, 0);
    qd_test_scatter(world, &random, 300);
    ck_assert_int_eq(qd_world_detect(world), QD_OK);
    write_moments(world, 1);
    vtp_file file = read_vtp("nodes_000000.vtp");
    node_check check = {&file, 0};
    qd_tree_visit_nodes(qd_world_tree(world), check_node, &check);
    ck_assert_uint_eq(check.i, file.polys);
    ck_assert_uint_gt(check.i, 4);
    free(file.text);
}

/// Where the line of touch `number` of the file goes.
static void check_line(const vtp_file *file, size_t number, const double from[2], const double to[2]) {
    const vtp_array *points = find(file, "Points", "Points", file->points);
    for (unsigned k = 0; k < 2; ++k) {
        ck_assert_double_eq_tol(real_of(points, 2 * number, k), from[k], 1e-12);
        ck_assert_double_eq_tol(real_of(points, 2 * number + 1, k), to[k], 1e-12);
    }
}

QD_TEST(contacts_are_lines) {
    qd_own(qd_world) world = make_world();
    write_moments(world, 1);
    size_t count = 0, touch = 0;
    const qd_contact *contacts = qd_world_contacts(world, &count);
    vtp_file file = read_vtp("contacts_000000.vtp");
    size_t n = file.lines;
    bool wall = false, seam = false, line = false;
    for (size_t i = 0; i < count; ++i)
        for (int k = 0; k < contacts[i].count; ++k, ++touch) {
            const qd_contact *contact = &contacts[i];
            const qd_touch *own = &contact->touch[k];
            qd_body_state a, b;
            ck_assert_int_eq(qd_world_body(world, contact->a, &a), QD_OK);
            bool at_wall = qd_id_is_wall(contact->b);
            if (!at_wall) ck_assert_int_eq(qd_world_body(world, contact->b, &b), QD_OK);
            ck_assert_uint_eq(whole_of(find(&file, "CellData", "a", n), touch), a.label);
            ck_assert_uint_eq(whole_of(find(&file, "CellData", "b", n), touch), at_wall ? 0 : b.label);
            ck_assert_uint_eq(whole_of(find(&file, "CellData", "side", n), touch),
                              at_wall ? contact->b.index - (uint32_t)QD_WALL_LEFT + 1 : 0);
            ck_assert_uint_eq(whole_of(find(&file, "CellData", "touch", n), touch), (unsigned)k);
            const vtp_array *point = find(&file, "CellData", "point", n);
            ck_assert(real_of(point, touch, 0) == own->point.x && real_of(point, touch, 1) == own->point.y);
            const vtp_array *normal = find(&file, "CellData", "normal", n);
            ck_assert(real_of(normal, touch, 0) == contact->normal.x &&
                      real_of(normal, touch, 1) == contact->normal.y);
            ck_assert(real_of(find(&file, "CellData", "depth", n), touch, 0) == own->depth);
            ck_assert(real_of(find(&file, "CellData", "impulse", n), touch, 0) == own->impulse);
            ck_assert(real_of(find(&file, "CellData", "friction", n), touch, 0) == own->friction);
            ck_assert(real_of(find(&file, "CellData", "approach", n), touch, 0) == contact->approach);
            const double middle[2] = {a.position.x, a.position.y}, spot[2] = {own->point.x, own->point.y};
            if (at_wall) check_line(&file, touch, middle, spot);
            if (!at_wall && a.kind == QD_BODY_STATIC)
                check_line(&file, touch, spot, (double[]){b.position.x, b.position.y});
            if (!at_wall && a.kind == QD_BODY_DYNAMIC && contact->image.x != 0) {
                check_line(&file, touch, middle,
                           (double[]){b.position.x + 20 * contact->image.x, b.position.y});
                seam = true;
            }
            wall |= at_wall;
            line |= a.kind == QD_BODY_STATIC;
        }
    ck_assert_uint_eq(touch, n);
    ck_assert(wall && seam && line);
    free(file.text);
}

QD_TEST_LOOP(contacts_of_removed_bodies_are_none, 0, 2) {
    qd_own(qd_world) world = qd_test_gap(_i == 1);
    write_moments(world, 1);
    vtp_file file = read_vtp("contacts_000000.vtp");
    ck_assert_uint_eq(file.lines, 0);
    free(file.text);
}

QD_TEST(lists_say_the_times) {
    qd_own(qd_world) world = make_world();
    write_moments(world, 3);
    static const char *const names[] = {"bodies", "shapes", "nodes", "contacts"};
    for (size_t i = 0; i < 4; ++i) {
        char name[32], expected[600];
        snprintf(name, sizeof name, "%s.pvd", names[i]);
        qd_own_memory char *text = qd_scratch_read(at(name).text, NULL);
        snprintf(expected, sizeof expected,
                 "<?xml version=\"1.0\"?>\n<VTKFile type=\"Collection\" version=\"1.0\" "
                 "byte_order=\"LittleEndian\">\n<Collection>\n"
                 "<DataSet timestep=\"0\" part=\"0\" file=\"%s_000000.vtp\"/>\n"
                 "<DataSet timestep=\"0.1\" part=\"0\" file=\"%s_000001.vtp\"/>\n"
                 "<DataSet timestep=\"0.2\" part=\"0\" file=\"%s_000002.vtp\"/>\n</Collection>\n</VTKFile>\n",
                 names[i], names[i], names[i]);
        ck_assert_str_eq(text, expected);
    }
}

QD_TEST(an_empty_world) {
    qd_own(qd_world) world = qd_test_world(NULL);
    ck_assert_int_eq(qd_world_detect(world), QD_OK);
    write_moments(world, 1);
    vtp_file file = read_vtp("bodies_000000.vtp");
    ck_assert_uint_eq(file.points, 0);
    free(file.text);
    file = read_vtp("contacts_000000.vtp");
    ck_assert_uint_eq(file.lines, 0);
    free(file.text);
}

QD_TEST_MAIN("export_vtp", 120, setup, teardown)
