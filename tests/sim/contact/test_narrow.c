#include "tests/support/harness.h"
#include "tests/support/worlds.h"

#include <math.h>
#include <quadrille/world.h>

static qd_world *open_world(void) {
    qd_world_def def = qd_test_open_def();
    return qd_test_world(&def);
}

static const qd_contact *detect(qd_world *world, size_t expected) {
    ck_assert_int_eq(qd_world_detect(world), QD_OK);
    size_t count;
    const qd_contact *contacts = qd_world_contacts(world, &count);
    ck_assert_uint_eq(count, expected);
    return contacts;
}

static void check_contact(const qd_contact *c, double px, double py, double nx, double ny, double depth) {
    ck_assert_double_eq_tol(c->touch[0].point.x, px, 1e-12);
    ck_assert_double_eq_tol(c->touch[0].point.y, py, 1e-12);
    ck_assert_double_eq_tol(c->normal.x, nx, 1e-12);
    ck_assert_double_eq_tol(c->normal.y, ny, 1e-12);
    ck_assert_double_eq_tol(c->touch[0].depth, depth, 1e-12);
}

QD_TEST(touching_counts) {
    qd_own(qd_world) world = open_world();
    qd_test_disk(world, 0, 0, 0, 0, 2, 0);
    qd_test_disk(world, 3, 4, 0, 0, 3, 0); // 3, 4, 5: a gap of exactly zero
    qd_test_disk(world, 20, 0, 0, 0, 0.5, 0);
    qd_test_disk(world, nextafter(21, 22), 0, 0, 0, 0.5, 0); // the smallest gap there is
    const qd_contact *c = detect(world, 1);
    ck_assert_uint_eq(c->a.index, 0);
    ck_assert_uint_eq(c->b.index, 1);
    check_contact(c, 1.2, 1.6, 0.6, 0.8, 0);
    qd_body_view view = qd_world_view(world);
    for (uint32_t i = 0; i < 4; ++i) ck_assert_int_eq(view.touching[view.row_of_index[i]], i < 2);
}

QD_TEST(overlap_has_depth_and_a_point_midway) {
    qd_own(qd_world) world = open_world();
    qd_test_disk(world, 10, 10, 0, 0, 2, 0);
    qd_test_disk(world, 10, 7.5, 0, 0, 1, 0); // surfaces at 8 and 8.5
    check_contact(detect(world, 1), 10, 8.25, 0, -1, 0.5);
}

QD_TEST(coincident_centres_have_a_normal) {
    qd_own(qd_world) world = open_world();
    qd_test_disk(world, 10, 10, 0, 0, 2, 0);
    qd_test_disk(world, 10, 10, 0, 0, 1, 0);
    const qd_contact *c = detect(world, 1);
    check_contact(c, 10.5, 10, 1, 0, 3);
}

QD_TEST(periodic_contact_goes_through_the_image) {
    qd_world_def def = qd_test_def(10, 10);
    def.boundary_x = def.boundary_y = QD_BOUNDARY_PERIODIC;
    qd_own(qd_world) world = qd_test_world(&def);
    qd_test_disk(world, 9.75, 9.75, 0, 0, 0.5, 0);
    qd_test_disk(world, 0.25, 9.75, 0, 0, 0.5, 0);
    qd_test_disk(world, 9.75, 0.25, 0, 0, 0.5, 0);
    qd_test_disk(world, 0.25, 0.25, 0, 0, 0.5, 0);
    const qd_contact *c = detect(world, 6);
    ck_assert_int_eq(c[0].image.x, 1); // 0-1
    ck_assert_int_eq(c[0].image.y, 0);
    check_contact(&c[0], 10, 9.75, 1, 0, 0.5);
    ck_assert_int_eq(c[2].image.x, 1); // 0-3, corner to corner
    ck_assert_int_eq(c[2].image.y, 1);
    check_contact(&c[2], 10, 10, sqrt(0.5), sqrt(0.5), 1 - sqrt(0.5));
    ck_assert_int_eq(c[3].image.x, -1); // 1-2
    ck_assert_int_eq(c[3].image.y, 1);
}

QD_TEST(walls_touch_after_bodies) {
    qd_world_def def = qd_test_def(10, 8);
    def.origin = (qd_vec2){-5, 100};
    qd_own(qd_world) world = qd_test_world(&def);
    qd_test_disk(world, -4.5, 107.25, 0, 0, 0.75, 0); // in the upper left corner
    qd_test_disk(world, -4.5, 106, 0, 0, 0.5, 0);     // touches the left wall and the first
    qd_test_disk(world, 4, 101, 0, 0, 1, 0);          // exactly at right and bottom
    const qd_contact *c = detect(world, 6);
    const uint32_t expected[6][2] = {{0, 1},
                                     {0, QD_WALL_LEFT},
                                     {0, QD_WALL_TOP},
                                     {1, QD_WALL_LEFT},
                                     {2, QD_WALL_RIGHT},
                                     {2, QD_WALL_BOTTOM}};
    for (int i = 0; i < 6; ++i) {
        ck_assert_uint_eq(c[i].a.index, expected[i][0]);
        ck_assert_uint_eq(c[i].b.index, expected[i][1]);
        ck_assert_int_eq(qd_id_is_wall(c[i].b), i > 0);
        if (i > 0) ck_assert_uint_eq(c[i].b.generation, 0);
    }
    check_contact(&c[1], -5.125, 107.25, -1, 0, 0.25);
    check_contact(&c[2], -4.5, 108, 0, 1, 0);
    check_contact(&c[4], 5, 101, 1, 0, 0);
    check_contact(&c[5], 4, 100, 0, -1, 0);
}

QD_TEST(without_a_contact_model_walls_do_not_touch) {
    qd_world_def def = qd_world_def_default();
    def.contact = QD_CONTACT_NONE;
    qd_own(qd_world) world = qd_test_world(&def);
    qd_test_disk(world, 0.25, 50, 0, 0, 0.5, 0);
    detect(world, 0);
}

// Contacts of a random world against every body with every other, in the same order, and the touching flags.
static size_t check_against_all(const qd_world *world, uint64_t seed) {
    qd_world_def def = qd_world_definition(world);
    bool px = def.boundary_x == QD_BOUNDARY_PERIODIC, py = def.boundary_y == QD_BOUNDARY_PERIODIC;
    qd_body_view v = qd_world_view(world);
    size_t count, at = 0;
    const qd_contact *contacts = qd_world_contacts(world, &count);
    static uint8_t touching[1000];
    for (size_t i = 0; i < v.index_count; ++i) touching[i] = 0;
    for (uint32_t a = 0; a < v.index_count; ++a) {
        uint32_t p = v.row_of_index[a];
        for (uint32_t b = a + 1; b < v.index_count && p != UINT32_MAX; ++b) {
            uint32_t q = v.row_of_index[b];
            if (q == UINT32_MAX) continue;
            double dx = v.x[q] - v.x[p], dy = v.y[q] - v.y[p], reach = v.radius[p] + v.radius[q];
            double sx = px && fabs(dx) > def.size.x / 2 ? (dx > 0 ? -1 : 1) : 0;
            double sy = py && fabs(dy) > def.size.y / 2 ? (dy > 0 ? -1 : 1) : 0;
            dx += sx * def.size.x;
            dy += sy * def.size.y;
            if (dx * dx + dy * dy > reach * reach) continue;
            ck_assert_msg(at < count && contacts[at].a.index == a && contacts[at].b.index == b,
                          "seed %llu: contact %u-%u is missing", (unsigned long long)seed, a, b);
            ck_assert_uint_eq(contacts[at].a.generation, v.generation[p]);
            ck_assert_int_eq(contacts[at].image.x, (int)sx);
            ck_assert_int_eq(contacts[at].image.y, (int)sy);
            ck_assert_double_eq_tol(contacts[at].touch[0].depth, reach - sqrt(dx * dx + dy * dy), 1e-12);
            touching[a] = touching[b] = 1;
            ++at;
        }
        while (at < count && contacts[at].a.index == a && qd_id_is_wall(contacts[at].b))
            touching[contacts[at++].a.index] = 1;
    }
    ck_assert_uint_eq(at, count);
    for (size_t i = 0; i < v.index_count; ++i)
        if (v.row_of_index[i] != UINT32_MAX) ck_assert_int_eq(v.touching[v.row_of_index[i]], touching[i]);
    return count;
}

QD_TEST(random_worlds_equal_brute_force) {
    uint64_t first = qd_test_seed(100);
    size_t cases = qd_test_replaying() ? 1 : qd_test_effort(200), contacts = 0;
    for (uint64_t seed = first; seed < first + cases; ++seed) {
        qd_random random = qd_random_at(seed, 0, 3);
        qd_world_def def = qd_test_random_def(&random);
        def.threads = 1 + (int)(seed % 3);
        qd_own(qd_world) world = qd_test_world(&def);
        qd_test_scatter(world, &random, qd_random_bits(&random) % 300);
        ck_assert_int_eq(qd_world_detect(world), QD_OK);
        for (int k = 0; k < 5; ++k) {
            contacts += check_against_all(world, seed) > 0;
            qd_test_step(world, 0.05, 1);
            qd_body_view view = qd_world_view(world);
            for (int j = 0; j < 10 && view.count > 0; ++j) {
                uint32_t row = (uint32_t)(qd_random_bits(&random) % view.count);
                qd_id id = {view.index[row], view.generation[row]};
                ck_assert_int_eq(qd_world_remove(world, id), QD_OK);
                view = qd_world_view(world);
            }
            qd_test_scatter(world, &random, 8);
            ck_assert_int_eq(qd_world_detect(world), QD_OK);
        }
    }
    ck_assert_uint_gt(contacts, 0);
}

QD_TEST_MAIN("narrow", 120, NULL, NULL)
