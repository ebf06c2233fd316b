// Hexatic order of packings that are known, and against sums over all pairs.
#include "tests/support/harness.h"
#include "tests/support/worlds.h"

#include <math.h>
#include <quadrille/hexatic.h>

/// A hexagonal packing of touching disks in a periodic world, turned by nothing.
static qd_world *make_packing(uint32_t nx, uint32_t ny, int threads) {
    qd_world_def def = qd_world_def_default();
    def.contact = QD_CONTACT_NONE;
    def.boundary_x = def.boundary_y = QD_BOUNDARY_PERIODIC;
    def.size = (qd_vec2){nx, ny * sqrt(0.75)};
    def.threads = threads;
    qd_world *world = qd_test_world(&def);
    for (uint32_t j = 0; j < ny; ++j)
        for (uint32_t i = 0; i < nx; ++i)
            qd_test_disk(world, 0.25 + i + 0.5 * (j % 2), (j + 0.5) * sqrt(0.75), 0, 0, 0.5, 1);
    ck_assert_int_eq(qd_world_detect(world), QD_OK);
    return world;
}

QD_TEST_LOOP(a_hexagonal_packing_has_order_one, 0, 3) {
    qd_own(qd_world) world = make_packing(20, 24, 1 + _i);
    qd_vec2 psi6[480];
    ck_assert_int_eq(qd_hexatic_measure(world, QD_HEXATIC_REACH, psi6), QD_OK);
    for (size_t r = 0; r < 480; ++r) {
        ck_assert_double_le(fabs(psi6[r].x - 1), 1e-12);
        ck_assert_double_le(fabs(psi6[r].y), 1e-12);
    }
}

// Four neighbours at right angles: 6 * 90 degrees is half a turn more each time, so they cancel in pairs.
QD_TEST(a_square_packing_has_none) {
    qd_world_def def = qd_world_def_default();
    def.contact = QD_CONTACT_NONE;
    def.boundary_x = def.boundary_y = QD_BOUNDARY_PERIODIC;
    def.size = (qd_vec2){10, 10};
    qd_own(qd_world) world = qd_test_world(&def);
    for (int i = 0; i < 100; ++i) qd_test_disk(world, i % 10 + 0.5, i / 10 + 0.5, 0, 0, 0.5, 1);
    ck_assert_int_eq(qd_world_detect(world), QD_OK);
    qd_vec2 psi6[100];
    ck_assert_int_eq(qd_hexatic_measure(world, 1.2, psi6), QD_OK);
    for (size_t r = 0; r < 100; ++r) ck_assert_double_le(hypot(psi6[r].x, psi6[r].y), 1e-12);
}

static bool is_sensor(const qd_world *world, uint32_t row) {
    const qd_body_view view = qd_world_view(world);
    return qd_test_body(world, (qd_id){view.index[row], view.generation[row]}).sensor;
}

/// The order of a row by the definition, with angles.
static qd_vec2 brute(const qd_world *world, uint32_t a, qd_vec2 period, double reach) {
    const qd_body_view view = qd_world_view(world);
    double x = 0, y = 0;
    int count = 0;
    for (uint32_t b = 0; b < view.count; ++b) {
        double dx = view.x[b] - view.x[a], dy = view.y[b] - view.y[a];
        if (period.x > 0) dx -= period.x * round(dx / period.x);
        if (period.y > 0) dy -= period.y * round(dy / period.y);
        if (b == a || view.kind[b] != QD_BODY_DYNAMIC || is_sensor(world, b) ||
            hypot(dx, dy) > reach * (view.radius[a] + view.radius[b]))
            continue;
        x += cos(6 * atan2(dy, dx));
        y += sin(6 * atan2(dy, dx));
        count += 1;
    }
    if (count == 0 || view.kind[a] != QD_BODY_DYNAMIC || is_sensor(world, a)) return (qd_vec2){0, 0};
    return (qd_vec2){x / count, y / count};
}

QD_TEST(order_is_that_of_all_pairs) {
    for (uint64_t seed = qd_test_seed(1), end = seed + qd_test_effort(20); seed < end; ++seed) {
        qd_random random = qd_random_at(seed, 0, 0);
        qd_world_def def = qd_test_random_def(&random);
        def.threads = 1 + (int)(seed % 3);
        qd_own(qd_world) world = qd_test_world(&def);
        qd_test_scatter_shapes(world, &random, 200);
        qd_test_step(world, 0.01, 3);
        const qd_vec2 period = {def.boundary_x == QD_BOUNDARY_PERIODIC ? def.size.x : 0,
                                def.boundary_y == QD_BOUNDARY_PERIODIC ? def.size.y : 0};
        const double reach = qd_test_between(&random, 0.5, 2);
        const size_t count = qd_world_count(world);
        qd_own_memory qd_vec2 *psi6 = qd_test_zeros(count + 1, sizeof *psi6);
        ck_assert_int_eq(qd_hexatic_measure(world, reach, psi6), QD_OK);
        for (uint32_t r = 0; r < count; ++r) {
            const qd_vec2 want = brute(world, r, period, reach);
            ck_assert_msg(fabs(psi6[r].x - want.x) < 1e-9 && fabs(psi6[r].y - want.y) < 1e-9,
                          "row %u: %g %g for %g %g, seed %llu", r, psi6[r].x, psi6[r].y, want.x, want.y,
                          (unsigned long long)seed);
        }
    }
}

QD_TEST(what_cannot_be_measured_is_refused) {
    qd_own(qd_world) world = make_packing(20, 24, 1);
    qd_vec2 psi6[481];
    ck_assert_int_eq(qd_hexatic_measure(NULL, 1, psi6), QD_ERR_ARGUMENT);
    ck_assert_int_eq(qd_hexatic_measure(world, 1, NULL), QD_ERR_ARGUMENT);
    ck_assert_int_eq(qd_hexatic_measure(world, 0, psi6), QD_ERR_VALUE);
    ck_assert_int_eq(qd_hexatic_measure(world, (double)NAN, psi6), QD_ERR_VALUE);
    ck_assert_int_eq(qd_hexatic_measure(world, 30, psi6), QD_ERR_VALUE); // further than the period allows
    qd_test_disk(world, 3, 3, 0, 0, 0.1, 1);
    ck_assert_int_eq(qd_hexatic_measure(world, 1, psi6), QD_ERR_STATE);
}

QD_TEST_MAIN("hexatic", 60, NULL, NULL)
