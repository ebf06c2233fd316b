// The pressure that is measured of a world: against what its walls feel, and equations of state; against
// events: test_impulses.c.
#include "tests/support/harness.h"
#include "tests/support/worlds.h"

#include <math.h>
#include <quadrille/metrics.h>

// One disk in a box hits the walls as often as unfolding its path says.
QD_TEST(walls_feel_every_hit) {
    qd_world_def def = qd_world_def_default();
    def.continuous = QD_CONTINUOUS_ON;
    def.size = (qd_vec2){10, 6};
    qd_own(qd_world) world = qd_test_world(&def);
    qd_test_disk(world, 2, 3, 1.3, 0.7, 0.5, 2);
    qd_test_step(world, 1, 99);
    qd_test_step(world, 0.9, 1); // the last hit comes at 100 just so
    qd_metrics m = qd_test_measure(world);
    double hits_x = floor((1.5 + 1.3 * 99.9) / 9), hits_y = floor((2.5 + 0.7 * 99.9) / 5);
    ck_assert_double_eq_tol(m.push_left + m.push_right, hits_x * 2 * 2 * 1.3, 1e-10);
    ck_assert_double_eq_tol(m.push_bottom + m.push_top, hits_y * 2 * 2 * 0.7, 1e-10);
    ck_assert_uint_eq(m.collisions, (uint64_t)(hits_x + hits_y));
    ck_assert_double_eq_tol(m.area, 60, 1e-12);
}

// Disks that pass through each other: the hits of each follow from unfolding its path, and with enough of
// them the walls feel the pressure N kT / A of an ideal gas in the room that the centres have.
QD_TEST(an_ideal_gas_presses_on_the_walls) {
    enum { COUNT = 60 };
    const double width = 40, height = 30, length = 200;
    qd_world_def def = qd_world_def_default();
    def.continuous = QD_CONTINUOUS_ON;
    def.size = (qd_vec2){width, height};
    qd_own(qd_world) world = qd_test_world(&def);
    double push_x = 0, push_y = 0, slack_x = 0, slack_y = 0, energy_x = 0, energy_y = 0;
    for (int k = 0; k < COUNT; ++k) {
        qd_random random = qd_random_at(4, (uint64_t)k, 5);
        qd_body_def body = qd_body_def_default();
        body.mass = 2;
        body.filter.group = -1;
        body.position.x = qd_test_between(&random, 1, width - 1);
        body.position.y = qd_test_between(&random, 1, height - 1);
        double vx = body.velocity.x = 3 * qd_random_normal(&random);
        double vy = body.velocity.y = 3 * qd_random_normal(&random);
        qd_test_add(world, &body);
        push_x += 4 * fabs(vx) * fabs(floor((body.position.x - 0.5 + vx * length) / (width - 1)));
        push_y += 4 * fabs(vy) * fabs(floor((body.position.y - 0.5 + vy * length) / (height - 1)));
        slack_x += 4 * fabs(vx);
        slack_y += 4 * fabs(vy);
        energy_x += vx * vx;
        energy_y += vy * vy;
    }
    qd_test_step(world, 0.1, (size_t)(length / 0.1 + 0.5));
    qd_metrics m = qd_test_measure(world);
    ck_assert_double_eq_tol(m.push_left + m.push_right, push_x, 1e-9 * push_x);
    ck_assert_double_eq_tol(m.push_bottom + m.push_top, push_y, 1e-9 * push_y);
    // The mean force of a disk on both walls together is 4 Ex / (width - 1); each may be half a hit away from
    // that.
    ck_assert_double_eq_tol(push_x, 4 * energy_x * length / (width - 1), slack_x);
    ck_assert_double_eq_tol(push_y, 4 * energy_y * length / (height - 1), slack_y);
    ck_assert(slack_x < 0.1 * push_x);
    ck_assert(m.virial_impulse == 0 && m.lost == 0);
}

/// What a gas of hard disks of some radius in a periodic world of 30 % (at radius 1/2) tells of its equation
/// of state.
typedef struct gas {
    double z, error; ///< P A / (N kT), and its standard error by blocks
    double rate;     ///< collisions per disk and time, in units of those that z goes with
} gas;

static gas run_gas(double radius, size_t steps) {
    enum { SIDE = 30, COUNT = SIDE * SIDE, BLOCKS = 20 };
    qd_world_def def = qd_world_def_default();
    qd_test_gas_def(&def, SIDE, SIDE);
    def.boundary_x = def.boundary_y = QD_BOUNDARY_PERIODIC;
    def.continuous = QD_CONTINUOUS_ON; // collisions happen where they do, not at the end of a step
    def.threads = 2;
    qd_own(qd_world) world = qd_test_world(&def);
    for (int i = 0; i < COUNT; ++i) {
        qd_random random = qd_random_at(2, (uint64_t)i, 77);
        double x = (i % SIDE + 0.5) * def.size.x / SIDE, y = (int)(i / SIDE) + 0.5;
        double vx = qd_random_normal(&random), vy = qd_random_normal(&random);
        qd_test_disk(world, x, y * def.size.y / SIDE, vx, vy, radius, 1);
    }
    const double dt = 0.05;
    qd_test_step(world, dt, 100);
    qd_metrics first = qd_test_measure(world), m = first;
    double sum = 0, squares = 0, kt = first.temperature * COUNT / (COUNT - 1);
    for (int k = 0; k < BLOCKS; ++k) {
        double before = m.virial_impulse, time = m.time;
        qd_test_step(world, dt, steps / BLOCKS);
        m = qd_test_measure(world);
        double z = 1 + 0.5 * (m.virial_impulse - before) / (m.time - time) / (COUNT * kt);
        sum += z;
        squares += z * z;
    }
    ck_assert(m.lost == 0 && m.temperature > 0.5);
    gas result = {.z = sum / BLOCKS};
    result.error = sqrt((squares / BLOCKS - result.z * result.z) / (BLOCKS - 1));
    double rate = 2 * (double)(m.impacts - first.impacts) / COUNT / (m.time - first.time) / sqrt(kt);
    result.rate = rate * 2 * radius * sqrt(3.14159265358979324) / 4 / (result.z - 1);
    return result;
}

// The virial coefficients up to the tenth (N. Clisby and B. McCoy, J. Stat. Phys. 122, 15 (2006)) give Z
// = 2.06326(3) at 30 % of the area; and each collision adds sqrt(pi) / 4 to Z - 1, whatever the density.
QD_TEST(hard_disks_have_their_equation_of_state) {
    const double reference = 2.06326, effort = (double)qd_test_effort(10) / 10;
    const double tolerance = 0.01 * reference / (effort < 1 ? sqrt(effort) : 1);
    size_t steps = qd_test_effort(1600);
    gas right = run_gas(0.5, steps), wrong = run_gas(0.515, steps);
    ck_assert_msg(fabs(right.z - reference) <= fmax(tolerance, 6 * right.error), "Z = %g +- %g", right.z,
                  right.error);
    ck_assert_msg(right.error <= tolerance / 3, "standard error %g", right.error);
    ck_assert_msg(fabs(wrong.z - reference) > tolerance, "3 %% more diameter, but Z = %g", wrong.z);
    ck_assert_double_eq_tol(right.rate, 1, 0.01 / (effort < 1 ? sqrt(effort) : 1));
}

QD_TEST_MAIN("pressure", 240, NULL, NULL)
