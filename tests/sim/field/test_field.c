// Fields of worlds: their sums are those of the bodies and of the metrics, for any threads.
#include "tests/support/harness.h"
#include "tests/support/worlds.h"

#include <math.h>
#include <quadrille/field.h>
#include <quadrille/metrics.h>
#include <string.h>

QD_OWN_POINTER(qd_field, qd_field_destroy)

static qd_field *make_field(uint32_t nx, uint32_t ny) {
    qd_field *field = NULL;
    ck_assert_int_eq(qd_field_create(nx, ny, NULL, &field), QD_OK);
    return field;
}

/// Sum over the cells of a quantity times the area of a cell.
static double integral(const qd_field *field, qd_field_quantity quantity) {
    const qd_field_grid grid = qd_field_grid_of(field);
    const double *values = qd_field_values(field, quantity);
    double sum = 0;
    for (size_t c = 0; c < (size_t)grid.nx * grid.ny; ++c) sum += values[c];
    return sum * grid.width * grid.height;
}

/// Twice the kinetic energy of the cells' mean velocities.
static double flow(const qd_field *field) {
    const qd_field_grid grid = qd_field_grid_of(field);
    const double *mass = qd_field_values(field, QD_FIELD_MASS_DENSITY),
                 *x = qd_field_values(field, QD_FIELD_VELOCITY_X),
                 *y = qd_field_values(field, QD_FIELD_VELOCITY_Y);
    double sum = 0;
    for (size_t c = 0; c < (size_t)grid.nx * grid.ny; ++c)
        if (mass[c] > 0) sum += mass[c] * (x[c] * x[c] + y[c] * y[c]);
    return sum * grid.width * grid.height;
}

/// What bodies carry on average is the temperature of the metrics, and what contacts carry their virial.
static void check_stress(const qd_field *field, const qd_world *world) {
    const qd_metrics m = qd_test_measure(world);
    const double own = integral(field, QD_FIELD_KINETIC_XX) + integral(field, QD_FIELD_KINETIC_YY),
                 all = (m.momentum_x * m.momentum_x + m.momentum_y * m.momentum_y) /
                       integral(field, QD_FIELD_MASS_DENSITY);
    ck_assert_double_eq_tol(0.5 * (own + flow(field) - all), (double)m.dynamic * m.temperature,
                            1e-9 * m.translation);
    const double carried = integral(field, QD_FIELD_CONTACT_XX) + integral(field, QD_FIELD_CONTACT_YY);
    ck_assert_double_eq_tol(carried, m.virial, 1e-9 * (fabs(m.virial) + m.translation));
    ck_assert_double_eq_tol((0.5 * (own + flow(field) - all) + 0.5 * carried) / m.area, m.pressure,
                            1e-9 * (fabs(m.pressure) + m.translation / m.area));
}

/// Bodies of all shapes and kinds, in random worlds of all boundaries: the field has the bodies that are
/// inside, and all of their contacts.
static void check_sums(uint64_t seed) {
    qd_random random_state = qd_random_at(seed, 0, 8), *random = &random_state;
    qd_world_def def = qd_test_random_def(random);
    if (def.contact == QD_CONTACT_NONE) def.contact = QD_CONTACT_IMPULSE;
    def.friction = qd_test_between(random, 0, 1);
    if (def.boundary_x == QD_BOUNDARY_OPEN) def.boundary_x = QD_BOUNDARY_PERIODIC;
    if (def.boundary_y == QD_BOUNDARY_OPEN) def.boundary_y = QD_BOUNDARY_REFLECT;
    qd_own(qd_world) world = qd_test_world(&def);
    qd_test_scatter_shapes(world, random, 120);
    qd_own(qd_field) field = make_field(1 + (uint32_t)qd_test_between(random, 0, 20),
                                        1 + (uint32_t)qd_test_between(random, 0, 20));
    bool touched = false;
    for (int step = 0; step < 12; ++step) {
        ck_assert_int_eq(qd_world_watch_stress(world), QD_OK);
        qd_test_step(world, 0.01, 1);
        ck_assert_int_eq(qd_field_measure(field, world), QD_OK);
        const qd_metrics m = qd_test_measure(world);
        const qd_world_sums sums = qd_world_sum(world);
        ck_assert_double_eq_tol(integral(field, QD_FIELD_NUMBER_DENSITY), (double)m.dynamic,
                                1e-12 * (double)m.dynamic);
        ck_assert_double_eq_tol(integral(field, QD_FIELD_MASS_DENSITY), sums.mass, 1e-12 * sums.mass);
        ck_assert_double_eq_tol(integral(field, QD_FIELD_AREA_FRACTION), sums.area, 1e-12 * sums.area);
        check_stress(field, world);
        touched = touched || m.virial != 0;
    }
    ck_assert(touched);
}

QD_TEST(sums_are_those_of_the_metrics) {
    const uint64_t first = qd_test_seed(1);
    const size_t cases = qd_test_replaying() ? 1 : qd_test_effort(40);
    for (uint64_t seed = first; seed < first + cases; ++seed) check_sums(seed);
}

/// Fast bodies whose impacts come on the way through a step.
QD_TEST(impacts_carry_stress) {
    qd_world_def def = qd_world_def_default();
    def.boundary_x = def.boundary_y = QD_BOUNDARY_PERIODIC;
    def.continuous = QD_CONTINUOUS_ON;
    qd_test_gas_def(&def, 12, 12);
    def.boundary_x = def.boundary_y = QD_BOUNDARY_PERIODIC;
    qd_own(qd_world) world = qd_test_world(&def);
    qd_test_gas_fill(world, 12, 12, 7);
    qd_own(qd_field) field = make_field(9, 4);
    uint64_t impacts = 0;
    for (int step = 0; step < 40; ++step) {
        ck_assert_int_eq(qd_world_watch_stress(world), QD_OK);
        qd_test_step(world, 0.05, 1);
        ck_assert_int_eq(qd_field_measure(field, world), QD_OK);
        check_stress(field, world);
        impacts = qd_test_measure(world).impacts;
    }
    ck_assert_uint_gt(impacts, 20);
}

/// Two disks pressed together across lines between cells: each cell gets the part of their branch that lies
/// in it.
QD_TEST(branch_is_shared_by_length) {
    qd_world_def def = qd_test_def(8, 8);
    def.boundary_x = def.boundary_y = QD_BOUNDARY_PERIODIC;
    def.contact = QD_CONTACT_SPRING;
    def.spring.kn = 100;
    qd_own(qd_world) world = qd_test_world(&def);
    qd_test_disk(world, 7.25, 3.5, 0, 0, 1, 1); // the image of the other is at 9
    qd_test_disk(world, 1, 3.5, 0, 0, 1, 1);
    qd_test_step(world, 1e-6, 1);
    qd_own(qd_field) field = make_field(8, 8);
    ck_assert_int_eq(qd_field_measure(field, world), QD_OK);
    const double *xx = qd_field_values(field, QD_FIELD_CONTACT_XX),
                 *yy = qd_field_values(field, QD_FIELD_CONTACT_YY);
    const double force = 100 * 0.25;
    for (size_t c = 0; c < 64; ++c) {
        const double length = c == 8 * 3 + 7 ? 0.75 : c == 8 * 3 ? 1 : 0;
        ck_assert_double_eq_tol(xx[c], force * length, 1e-6);
        ck_assert_double_eq_tol(yy[c], 0, 1e-6);
    }
    const double *number = qd_field_values(field, QD_FIELD_CONTACT_NUMBER);
    ck_assert(number[8 * 3 + 7] == 1 && isnan(number[0]));
}

/// A world of rigid bodies keeps no impulses: where nobody watched the step, the contact stress is unknown.
QD_TEST(stress_must_be_watched) {
    qd_world_def def = qd_world_def_default();
    qd_test_gas_def(&def, 4, 4);
    qd_own(qd_world) world = qd_test_world(&def);
    qd_test_gas_fill(world, 4, 4, 1);
    qd_own(qd_field) field = make_field(2, 2);
    ck_assert_int_eq(qd_field_measure(field, world), QD_OK);
    ck_assert(qd_field_values(field, QD_FIELD_CONTACT_XX)[0] == 0); // step 0: no step gave anything
    ck_assert_int_eq(qd_world_watch_stress(world), QD_OK);
    qd_test_step(world, 0.01, 1);
    ck_assert_int_eq(qd_field_measure(field, world), QD_OK);
    ck_assert(!isnan(qd_field_values(field, QD_FIELD_CONTACT_XX)[0]));
    qd_test_step(world, 0.01, 1);
    ck_assert_int_eq(qd_field_measure(field, world), QD_OK);
    ck_assert(isnan(qd_field_values(field, QD_FIELD_CONTACT_XX)[0]));
    ck_assert(!isnan(qd_field_values(field, QD_FIELD_MASS_DENSITY)[0]));
}

/// The values of a gas after some steps with so many threads; 2 by 3 cells, so that blocks share cells.
static void measure_with(int threads, double *values) {
    qd_world_def def = qd_world_def_default();
    qd_test_gas_def(&def, 90, 90);
    def.boundary_x = def.boundary_y = QD_BOUNDARY_PERIODIC;
    def.threads = threads;
    qd_own(qd_world) world = qd_test_world(&def);
    qd_test_gas_fill(world, 90, 90, 3);
    qd_test_step(world, 0.02, 5);
    ck_assert_int_eq(qd_world_watch_stress(world), QD_OK);
    qd_test_step(world, 0.02, 1);
    qd_own(qd_field) field = make_field(2, 3);
    ck_assert_int_eq(qd_field_measure(field, world), QD_OK);
    memcpy(values, qd_field_values(field, 0), (size_t)6 * QD_FIELD_QUANTITIES * sizeof *values);
}

QD_TEST(threads_change_no_bit) {
    double one[6 * QD_FIELD_QUANTITIES], more[6 * QD_FIELD_QUANTITIES];
    measure_with(1, one);
    for (int threads = 2; threads <= 5; threads += 3) {
        measure_with(threads, more);
        ck_assert_mem_eq(one, more, sizeof one);
    }
}

QD_TEST(grids_that_are_none_are_refused) {
    qd_field *field = NULL;
    ck_assert_int_eq(qd_field_create(0, 4, NULL, &field), QD_ERR_VALUE);
    ck_assert_int_eq(qd_field_create(1024, 65, NULL, &field), QD_ERR_VALUE);
    ck_assert_int_eq(qd_field_create(4, 4, NULL, NULL), QD_ERR_ARGUMENT);
    ck_assert_int_eq(qd_field_measure(NULL, NULL), QD_ERR_ARGUMENT);
    ck_assert_int_eq(qd_world_watch_stress(NULL), QD_ERR_ARGUMENT);
    ck_assert_ptr_null(qd_field_name(QD_FIELD_QUANTITIES));
    for (int q = 0; q < QD_FIELD_QUANTITIES; ++q)
        ck_assert(qd_field_name((qd_field_quantity)q) && qd_field_unit((qd_field_quantity)q));
}

QD_TEST_MAIN("field", 120, NULL, NULL)
