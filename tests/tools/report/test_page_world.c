#include "tests/support/harness.h"
#include "tests/support/scenes.h"
#include "tools/report/page_world.h"

#include <inttypes.h>
#include <jansson.h>
#include <math.h>

// What a page has of a world, held against the world itself.

enum { FIELDS = 11, MOST_NODES = 4096, MOST_DEPTH = 64 };

static const qdi_area area = {0, 0, 320, 200};

static json_t *page_of(const qd_world *world, const qd_view *view) {
    qdi_json json = {.allocator = qd_allocator_default(), .dense = true};
    ck_assert_int_eq(qdi_page_world(world, view, area, &json), QD_OK);
    json_error_t why;
    json_t *read = json_loads(json.text, JSON_REJECT_DUPLICATES, &why);
    ck_assert_msg(read != NULL, "%s", why.text);
    qdi_json_free(&json);
    return read;
}

static double number_at(const json_t *list, size_t place) {
    const json_t *value = json_array_get(list, place);
    ck_assert(json_is_number(value));
    return json_number_value(value);
}

static const json_t *list_of(const json_t *page, const char *name) {
    const json_t *list = json_object_get(page, name);
    ck_assert_msg(json_is_array(list), "%s", name);
    return list;
}

/// A node as the page's program makes it of the numbers.
typedef struct unfolded {
    double x, y, side;
    int depth;
    int64_t own, met;
} unfolded;

typedef struct nodes {
    unfolded node[MOST_NODES];
    size_t count;
} nodes;

static void unfold(const json_t *marks, nodes *made, double x, double y, double side, int depth) {
    ck_assert_uint_lt(made->count, MOST_NODES);
    json_int_t mark = json_integer_value(json_array_get(marks, made->count));
    made->node[made->count++] = (unfolded){x, y, side, depth, mark < 0 ? -1 - mark : mark, 0};
    for (int k = 0; k < 4 && mark < 0; ++k)
        unfold(marks, made, x + (k & 1) * side / 2, y + (k >> 1) * side / 2, side / 2, depth + 1);
}

static qd_body_index index_of(const qd_body_view *bodies, uint64_t label) {
    for (size_t i = 0; i < bodies->index_count; ++i)
        if (bodies->row_of_index[i] != UINT32_MAX && bodies->label[bodies->row_of_index[i]] == label)
            return (qd_body_index)i;
    ck_abort_msg("no body %" PRIu64, label);
    return 0;
}

/// The page rounds to seven digits.
static void expect_near(double value, double wanted, uint64_t seed) {
    ck_assert_msg(fabs(value - wanted) <= 1e-6 * fabs(wanted) + 1e-30, "seed %" PRIu64 ": %.17g, not %.17g",
                  seed, value, wanted);
}

/// Each body is in the node that the tree has it in, and each node has so many.
static void check_bodies(const json_t *page, const qd_world *world, uint64_t seed) {
    static nodes made;
    made.count = 0;
    const json_t *root = list_of(page, "root"), *list = list_of(page, "bodies");
    unfold(list_of(page, "nodes"), &made, number_at(root, 0), number_at(root, 1), number_at(root, 2), 0);
    ck_assert_uint_eq(made.count, json_array_size(list_of(page, "nodes")));
    ck_assert_uint_eq(made.count, qd_tree_statistics(qd_world_tree(world)).nodes);
    const qd_body_view bodies = qd_world_view(world);
    const qd_world_def def = qd_world_definition(world);
    ck_assert_uint_eq(json_array_size(list), FIELDS * bodies.count);
    for (size_t i = 0; i < json_array_size(list); i += FIELDS) {
        qd_body_index body = index_of(&bodies, (uint64_t)number_at(list, i));
        const uint32_t row = bodies.row_of_index[body];
        unfolded *node = &made.node[(size_t)number_at(list, i + 1)];
        node->met += 1;
        int depth = -1;
        qd_box box;
        ck_assert_int_eq(qd_tree_depth(qd_world_tree(world), body, &depth), QD_OK);
        ck_assert_int_eq(qd_tree_box(qd_world_tree(world), body, &box), QD_OK);
        ck_assert_msg(node->depth == depth, "seed %" PRIu64 ": depth %d, not %d", seed, node->depth, depth);
        const double x = 0.5 * ((double)box.min_x + (double)box.max_x) + def.origin.x + 0.5 * def.size.x;
        const double y = 0.5 * ((double)box.min_y + (double)box.max_y) + def.origin.y + 0.5 * def.size.y;
        const double slack = 1e-4 * node->side;
        if (depth > 0)
            ck_assert_msg(x >= node->x - slack && x <= node->x + node->side + slack && y >= node->y - slack &&
                              y <= node->y + node->side + slack,
                          "seed %" PRIu64 ": a body is not in its node", seed);
        ck_assert_int_eq((int)number_at(list, i + 2), bodies.kind[row]);
        ck_assert_int_eq(number_at(list, i + 3) > 0, bodies.shape[row] > 0);
        expect_near(number_at(list, i + 4), bodies.radius[row], seed);
        expect_near(number_at(list, i + 5), bodies.x[row], seed);
        expect_near(number_at(list, i + 6), bodies.y[row], seed);
        ck_assert(fabs(cos(number_at(list, i + 7)) - bodies.turn_c[row]) < 2e-6);
        expect_near(number_at(list, i + 8), bodies.vx[row], seed);
        expect_near(number_at(list, i + 10), bodies.spin[row], seed);
    }
    for (size_t i = 0; i < made.count; ++i)
        ck_assert_msg(made.node[i].met == made.node[i].own, "seed %" PRIu64 ": node %zu", seed, i);
}

/// Every pair of boxes that overlap is there once. Along a periodic axis images count, which only the tree
/// knows: there each pair must be one that it finds.
static void check_pairs(const json_t *page, const qd_world *world, uint64_t seed) {
    const json_t *list = list_of(page, "pairs");
    const qd_body_view bodies = qd_world_view(world);
    const qd_world_def def = qd_world_definition(world);
    const bool periodic = def.boundary_x == QD_BOUNDARY_PERIODIC || def.boundary_y == QD_BOUNDARY_PERIODIC;
    size_t wanted = 0;
    for (size_t i = 0; i < bodies.index_count; ++i)
        for (size_t k = i + 1; k < bodies.index_count; ++k) {
            qd_box a, b;
            if (bodies.row_of_index[i] == UINT32_MAX || bodies.row_of_index[k] == UINT32_MAX) continue;
            ck_assert_int_eq(qd_tree_box(qd_world_tree(world), (qd_body_index)i, &a), QD_OK);
            ck_assert_int_eq(qd_tree_box(qd_world_tree(world), (qd_body_index)k, &b), QD_OK);
            if (!(a.min_x <= b.max_x && b.min_x <= a.max_x && a.min_y <= b.max_y && b.min_y <= a.max_y))
                continue;
            wanted += 1;
            size_t met = 0;
            for (size_t n = 0; n < json_array_size(list); n += 2)
                met += (uint64_t)number_at(list, n) == bodies.label[bodies.row_of_index[i]] &&
                       (uint64_t)number_at(list, n + 1) == bodies.label[bodies.row_of_index[k]];
            ck_assert_msg(met == 1, "seed %" PRIu64 ": a pair is there %zu times", seed, met);
        }
    if (!periodic) ck_assert_uint_eq(json_array_size(list), 2 * wanted);
    if (periodic) ck_assert_uint_ge(json_array_size(list), 2 * wanted);
}

static void check_contacts(const json_t *page, const qd_world *world, uint64_t seed) {
    const json_t *list = list_of(page, "contacts");
    const qd_body_view bodies = qd_world_view(world);
    size_t count = 0;
    const qd_contact *contacts = qd_world_contacts(world, &count);
    ck_assert_uint_eq(json_array_size(list), 5 * count);
    for (size_t i = 0; i < count; ++i) {
        const qd_contact *contact = &contacts[i];
        double impulse = 0;
        for (int k = 0; k < contact->count; ++k) impulse += contact->touch[k].impulse;
        ck_assert_uint_eq((uint64_t)number_at(list, 5 * i),
                          bodies.label[bodies.row_of_index[contact->a.index]]);
        if (qd_id_is_wall(contact->b))
            ck_assert_int_eq((int)number_at(list, 5 * i + 1),
                             -1 - (int)(contact->b.index - (uint32_t)QD_WALL_LEFT));
        else
            ck_assert_uint_eq((uint64_t)number_at(list, 5 * i + 1),
                              bodies.label[bodies.row_of_index[contact->b.index]]);
        expect_near(number_at(list, 5 * i + 2), impulse, seed);
        expect_near(number_at(list, 5 * i + 3), contact->touch[0].point.x, seed);
    }
}

/// Random worlds of all shapes and boundaries, also with gaps among the indices.
QD_TEST(test_random_worlds) {
    uint64_t first = qd_test_seed(1);
    size_t cases = qd_test_replaying() ? 1 : qd_test_effort(40);
    const qd_view view = qd_view_default();
    size_t contacts = 0, deep = 0;
    for (uint64_t seed = first; seed < first + cases; ++seed) {
        qd_random random = qd_random_at(seed, 0, 0);
        qd_world_def def = qd_test_random_def(&random);
        def.capacity = 1 + (uint32_t)(qd_random_bits(&random) % 8);
        qd_own(qd_world) world = qd_test_world(&def);
        qd_test_scatter_shapes(world, &random, 60);
        for (uint32_t i = 0; i < 60; i += 7) ck_assert_int_eq(qd_world_remove(world, (qd_id){i, 1}), QD_OK);
        qd_test_step(world, 1e-3, 1 + (size_t)(qd_random_bits(&random) % 4));
        json_t *page = page_of(world, &view);
        check_bodies(page, world, seed);
        check_pairs(page, world, seed);
        check_contacts(page, world, seed);
        contacts += json_array_size(list_of(page, "contacts"));
        deep += json_array_size(list_of(page, "nodes")) > 5;
        json_decref(page);
    }
    if (!qd_test_replaying()) ck_assert(contacts > 0 && deep > 0);
}

/// Where the page has the camera and the corners of shapes that the picture has.
QD_TEST(test_camera_and_shapes) {
    qd_world_def def = qd_test_def(40, 25);
    def.boundary_x = QD_BOUNDARY_PERIODIC;
    qd_own(qd_world) world = qd_test_world(&def);
    qd_body_def body = qd_test_body_at(qd_shape_capsule(2, 0.5), 10, 10);
    (void)qd_test_add(world, &body);
    body.position.x = 20;
    (void)qd_test_add(world, &body); // of the same shape
    body.position.x = 30;
    body.shape = qd_shape_rect(2, 1);
    (void)qd_test_add(world, &body);
    ck_assert_int_eq(qd_world_detect(world), QD_OK);
    qd_view view = qd_view_default();
    json_t *page = page_of(world, &view);
    json_t *wanted = json_loads("[[0.5, 2, -1, 0, 1, 0], [0, 1, -1, -0.5, 1, -0.5, 1, 0.5, -1, 0.5]]",
                                JSON_DECODE_INT_AS_REAL, NULL);
    const json_t *shapes = list_of(page, "shapes");
    ck_assert_uint_eq(json_array_size(shapes), 2);
    for (size_t i = 0; i < 2; ++i) {
        const json_t *one = json_array_get(wanted, i), *other = json_array_get(shapes, i);
        ck_assert_uint_eq(json_array_size(one), json_array_size(other));
        for (size_t k = 0; k < json_array_size(one); ++k) ck_assert(number_at(one, k) == number_at(other, k));
    }
    json_decref(wanted);
    const json_t *camera = list_of(page, "camera");
    double x = number_at(camera, 3) + (40 - number_at(camera, 0)) * number_at(camera, 2);
    double y = number_at(camera, 4) - (25 - number_at(camera, 1)) * number_at(camera, 2);
    ck_assert_msg(x > 300 && x <= 320 && y >= 0 && y < 20, "%g, %g", x, y); // the world's upper right corner
    ck_assert(number_at(list_of(page, "period"), 0) == 40 && number_at(list_of(page, "period"), 1) == 0);
    ck_assert(number_at(list_of(page, "area"), 2) == 320 && number_at(list_of(page, "area"), 3) == 200);
    json_decref(page);
}

/// Of too many bodies those that are seen come first.
QD_TEST(test_more_bodies_than_a_page_has) {
    qd_world_def def = qd_test_def(400, 100);
    qd_own(qd_world) world = qd_test_world(&def);
    for (int i = 0; i < 12000; ++i)
        (void)qd_test_disk(world, 1.5 + 1.9 * (i % 200), 1.5 + 1.5 * (double)(i / 200), 0, 0, 0.5, 0);
    ck_assert_int_eq(qd_world_detect(world), QD_OK);
    qd_view view = qd_view_default();
    view.camera.x = 300;
    view.camera.y = 20;
    view.camera.width = 60;
    view.camera.height = 40;
    json_t *page = page_of(world, &view);
    const json_t *list = list_of(page, "bodies");
    ck_assert_uint_eq(json_array_size(list), FIELDS * QDI_PAGE_BODIES);
    ck_assert_int_eq((int)json_integer_value(json_object_get(page, "all")), 12000);
    const qd_body_view bodies = qd_world_view(world);
    size_t seen = 0, there = 0;
    for (size_t row = 0; row < bodies.count; ++row)
        seen += bodies.x[row] > 300 && bodies.x[row] < 360 && bodies.y[row] > 20 && bodies.y[row] < 60;
    for (size_t i = 0; i < json_array_size(list); i += FIELDS)
        there += number_at(list, i + 5) > 300 && number_at(list, i + 5) < 360 &&
                 number_at(list, i + 6) > 20 && number_at(list, i + 6) < 60;
    ck_assert_uint_gt(seen, 500);
    ck_assert_uint_eq(there, seen);
    json_decref(page);
}

QD_TEST(test_lack_of_memory) {
    qd_random random = qd_random_at(3, 0, 0);
    qd_world_def def = qd_world_def_default();
    def.capacity = 4;
    qd_own(qd_world) world = qd_test_world(&def);
    qd_test_scatter_shapes(world, &random, 60);
    ck_assert_int_eq(qd_world_detect(world), QD_OK);
    const qd_view view = qd_view_default();
    size_t failed = 0;
    for (size_t n = 1;; ++n) {
        qd_test_allocator allocator = qd_test_allocator_of(&allocator, n);
        qdi_json json = {.allocator = &allocator.allocator, .dense = true};
        qd_status status = qdi_page_world(world, &view, area, &json);
        qdi_json_free(&json);
        if (qd_test_had_memory(&allocator, status)) break;
        failed += 1;
    }
    ck_assert_uint_gt(failed, 5);
}

QD_TEST_MAIN("page_world", 300, NULL, NULL)
