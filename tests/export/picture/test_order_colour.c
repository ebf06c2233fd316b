// Bodies coloured by their hexatic order.
#include "export/picture/picture.h"
#include "export/raster/palette.h"
#include "tests/support/golden.h"
#include "tests/support/harness.h"
#include "tests/support/worlds.h"

#include <math.h>
#include <quadrille/hexatic.h>

QD_OWN_VALUE(qdi_picture, qdi_picture_destroy)

static const qdi_area area = {0, 0, 400, 400};

static qd_world *make_world(qd_boundary boundary, double side, int threads) {
    qd_world_def def = qd_world_def_default();
    def.contact = QD_CONTACT_NONE;
    def.boundary_x = def.boundary_y = boundary;
    def.size = (qd_vec2){side, side};
    def.threads = threads;
    return qd_test_world(&def);
}

/// The hue of a body in a picture by its order.
static unsigned hue_in(const qdi_picture *picture, uint32_t index) {
    for (size_t i = 0; i < picture->disk_count; ++i)
        if (picture->disks[i].index == index) return picture->disks[i].hue;
    ck_abort_msg("body %u is not in the picture", index);
}

static qdi_picture picture_of(const qd_world *world) {
    qd_view view = qd_view_default();
    view.colour = QD_VIEW_PSI6;
    qdi_picture picture = {.allocator = qd_allocator_default()};
    ck_assert_int_eq(qdi_picture_copy(&picture, world, &view, area, 1.0, NULL), QD_OK);
    return picture;
}

QD_TEST_LOOP(hues_are_those_of_the_order, 0, 2) {
    enum { BODIES = 150 };
    for (uint64_t seed = 1; seed <= 10; ++seed) {
        qd_own(qd_world)
            world = make_world(seed % 2 ? QD_BOUNDARY_PERIODIC : QD_BOUNDARY_REFLECT, 20, 1 + _i);
        qd_random random = qd_random_at(seed, 0, 0);
        for (int i = 0; i < BODIES; ++i)
            (void)qd_test_disk(world, qd_test_between(&random, 1, 19), qd_test_between(&random, 1, 19), 0, 0,
                               qd_test_between(&random, 0.4, 0.7), 1);
        ck_assert_int_eq(qd_world_detect(world), QD_OK);
        qd_vec2 psi6[BODIES];
        ck_assert_int_eq(qd_hexatic_measure(world, QD_HEXATIC_REACH, psi6), QD_OK);
        qd_own(qdi_picture) picture = picture_of(world);
        const qd_body_view bodies = qd_world_view(world);
        size_t seen = 0;
        for (size_t row = 0; row < BODIES; ++row) {
            const unsigned hue = qdi_hue_of_value(sqrt(psi6[row].x * psi6[row].x + psi6[row].y * psi6[row].y),
                                                  0, 1);
            ck_assert_uint_eq(hue_in(&picture, bodies.index[row]), hue);
            seen += hue > 0;
        }
        ck_assert_uint_gt(seen, BODIES / 2);
    }
}

QD_TEST(a_flower_is_lit_in_its_middle) {
    qd_own(qd_world) world = make_world(QD_BOUNDARY_REFLECT, 10, 1);
    const qd_id middle = qd_test_disk(world, 5, 5, 0, 0, 0.5, 1),
                lone = qd_test_disk(world, 1, 1, 0, 0, 0.5, 1);
    for (int i = 0; i < 6; ++i)
        (void)qd_test_disk(world, 5 + cos(1.0471975511965976 * i), 5 + sin(1.0471975511965976 * i), 0, 0, 0.5,
                           1);
    ck_assert_int_eq(qd_world_detect(world), QD_OK);
    qd_own(qdi_picture) picture = picture_of(world);
    ck_assert_uint_eq(hue_in(&picture, middle.index), qdi_hue_of_value(1, 0, 1));
    ck_assert_uint_eq(hue_in(&picture, lone.index), qdi_hue_of_value(0, 0, 1));
}

// Neighbours through two images: there is no order to be had.
QD_TEST(a_world_that_is_too_small_has_none) {
    qd_own(qd_world) world = make_world(QD_BOUNDARY_PERIODIC, 2.5, 1);
    const qd_id one = qd_test_disk(world, 1, 1, 0, 0, 0.5, 1);
    (void)qd_test_disk(world, 2, 1, 0, 0, 0.5, 1);
    ck_assert_int_eq(qd_world_detect(world), QD_OK);
    qd_own(qdi_picture) picture = picture_of(world);
    ck_assert_uint_eq(hue_in(&picture, one.index), qdi_hue_of_value(0, 0, 1));
}

QD_TEST_LOOP(golden_order, 0, 2) {
    const char *sets[] = {"view.size=[400, 320]", "view.colour=psi6", "view.nodes=none",
                          "view.contacts=false", _i == 0 ? "view.theme=dark" : "view.theme=light"};
    qd_test_golden_scene(_i == 0 ? "order" : "order_light", "compress", 1, 2400, sets, 5);
}

QD_TEST_MAIN("order_colour", 120, NULL, NULL)
