// Bytes that a step moves: the table of passes, the items it goes over, and what real worlds come to.
#include "tests/support/harness.h"
#include "tests/support/worlds.h"
#include "tools/scale/traffic.h"

#include <stdint.h>
#include <string.h>

static uint64_t moved(const qdi_traffic *traffic, qd_phase phase) {
    return traffic->reads[phase] + traffic->writes[phase];
}

QD_TEST(every_pass_moves_something_in_some_step) {
    size_t count = 0;
    for (const qdi_traffic_pass *pass; (pass = qdi_traffic_pass_at(count)) != NULL; ++count) {
        ck_assert_msg(pass->name && pass->name[0], "pass %zu", count);
        ck_assert_msg(pass->reads + pass->writes > 0 && pass->reads + pass->writes < 2048, "%s", pass->name);
        ck_assert_msg(pass->phase < QD_PHASE_EXPORT, "%s", pass->name);
        ck_assert_msg(pass->when & (QDI_TRAFFIC_NONE | QDI_TRAFFIC_IMPULSE | QDI_TRAFFIC_SPRING), "%s",
                      pass->name);
        for (size_t k = 0; k < count; ++k)
            ck_assert_msg(strcmp(qdi_traffic_pass_at(k)->name, pass->name) != 0 ||
                              qdi_traffic_pass_at(k)->phase != pass->phase,
                          "%s is there twice", pass->name);
    }
    ck_assert_uint_gt(count, 30);
}

// A thousand free disks, by hand: x, y, vx, vy and radius are read, x, y and a box of four floats written.
QD_TEST(disks_that_meet_nobody) {
    const qdi_work before = {.contact = QD_CONTACT_NONE, .plain = true, .bodies = 1000};
    qdi_work after = before;
    qdi_traffic traffic = {{0}, {0}};
    qdi_traffic_add(&traffic, &before, &after);
    ck_assert_uint_eq(traffic.reads[QD_PHASE_MOVE], 1000 * 5 * 8);
    ck_assert_uint_eq(traffic.writes[QD_PHASE_MOVE], 1000 * (2 * 8 + 4 * 4));
    ck_assert_uint_eq(moved(&traffic, QD_PHASE_RESOLVE), 0); // velocities stay what they are
    ck_assert_uint_eq(moved(&traffic, QD_PHASE_REFRESH), 0); // nothing was rebuilt
    ck_assert_uint_eq(moved(&traffic, QD_PHASE_RETRIEVE), 0);
    ck_assert_uint_eq(moved(&traffic, QD_PHASE_EXPORT), 0);
    after.pushed = true;
    qdi_traffic pushed = {{0}, {0}};
    qdi_traffic_add(&pushed, &before, &after);
    ck_assert_uint_eq(pushed.reads[QD_PHASE_RESOLVE], 1000 * 2 * 8); // velocities are copied
    ck_assert_uint_eq(pushed.writes[QD_PHASE_RESOLVE], 1000 * 2 * 8);
    after.rebuilds = 1;
    after.candidates = 500;
    qdi_traffic again = {{0}, {0}};
    qdi_traffic_add(&again, &before, &after);
    ck_assert_uint_eq(again.writes[QD_PHASE_REFRESH], 1000 * 4 * 4);
    ck_assert_uint_eq(again.writes[QD_PHASE_RETRIEVE],
                      500 * (12 + 8)); // a pair by index with its image, and by row
    ck_assert_uint_eq(moved(&again, QD_PHASE_MOVE), moved(&traffic, QD_PHASE_MOVE));
}

// Sub-steps count as often as there are; what is made once a step does not.
QD_TEST(substeps_count_each) {
    qdi_work after = {.contact = QD_CONTACT_IMPULSE,
                      .plain = true,
                      .bodies = 100,
                      .contacts = 90,
                      .solved = 80,
                      .movers = 70,
                      .substeps = 4};
    const qdi_work before = after;
    uint64_t in_substeps[2] = {0, 0}, other[2] = {0, 0};
    for (int round = 0; round < 2; ++round, after.substeps = 12) {
        const qdi_traffic_pass *pass;
        for (size_t i = 0; (pass = qdi_traffic_pass_at(i)) != NULL; ++i) {
            const uint64_t times = qdi_traffic_times(pass, &before, &after);
            *(pass->each_substep ? &in_substeps[round] : &other[round]) += times *
                                                                           (pass->reads + pass->writes);
            if (pass->item == QDI_TRAFFIC_TOUCHED) ck_assert(times == 0 || times == 30);
        }
    }
    ck_assert_uint_gt(in_substeps[0], 0);
    ck_assert_uint_eq(in_substeps[1], 3 * in_substeps[0]);
    ck_assert_uint_eq(other[1], other[0]);
}

// Disks side by side in `rows` rows: those of a row touch, those below lie on the ground.
static qd_world *make_rows(qd_contact_model model, int rows, int columns, double apart) {
    qd_world_def def = qd_test_def(columns + 2, rows + 2);
    def.gravity.y = -10;
    def.contact = model;
    def.spring.kn = 1e4;
    qd_world *world = qd_test_world(&def);
    qd_body_def body = qd_body_def_default();
    body.shape.radius = .5;
    for (int i = 0; i < rows * columns; ++i) {
        body.position = (qd_vec2){.6 + apart * (i % columns), .5 + apart * (double)(i / columns)};
        (void)qd_test_add(world, &body);
    }
    return world;
}

// Steps a world and counts.
static qdi_work step_and_count(qd_world *world, int steps, double dt, qdi_traffic *traffic) {
    qdi_work work = qdi_world_work(world);
    for (int k = 0; k < steps; ++k) {
        const qdi_work before = work;
        ck_assert_int_eq(qd_world_step(world, dt, NULL), QD_OK);
        work = qdi_world_work(world);
        qdi_traffic_add(traffic, &before, &work);
    }
    return work;
}

QD_TEST(a_pile_is_solved) {
    qd_own(qd_world) world = make_rows(QD_CONTACT_IMPULSE, 3, 20, .999);
    qdi_traffic traffic = {{0}, {0}};
    const qdi_work work = step_and_count(world, 20, .01, &traffic);
    size_t contacts = 0;
    (void)qd_world_contacts(world, &contacts);
    ck_assert_uint_eq(work.bodies, 60);
    ck_assert_uint_ge(work.contacts, contacts);
    ck_assert_uint_ge(work.candidates, contacts - 20); // walls are none
    ck_assert(work.solved > 0 && work.solved <= work.contacts + 20);
    ck_assert_uint_eq(work.movers, 60);
    ck_assert(work.walls && work.gravity && !work.mirrors && !work.met);
    for (int phase = 0; phase < QD_PHASE_EXPORT; ++phase)
        ck_assert_msg(moved(&traffic, (qd_phase)phase) > 0, "%s", qd_phase_name((qd_phase)phase));
    ck_assert_uint_gt(moved(&traffic, QD_PHASE_RESOLVE), moved(&traffic, QD_PHASE_MOVE));
}

QD_TEST(disks_far_apart_are_not_solved) {
    qd_own(qd_world) world = make_rows(QD_CONTACT_IMPULSE, 3, 20, 1.0);
    qd_own(qd_world) apart = make_rows(QD_CONTACT_NONE, 3, 20, 1.0);
    qdi_traffic traffic = {{0}, {0}}, none = {{0}, {0}};
    (void)step_and_count(world, 5, .001, &traffic);
    const qdi_work work = step_and_count(apart, 5, .001, &none);
    ck_assert(work.solved == 0 && work.movers == 0 && work.mirrors && !work.walls);
    ck_assert_uint_lt(moved(&none, QD_PHASE_RESOLVE), moved(&traffic, QD_PHASE_RESOLVE));
}

QD_TEST(springs_make_their_contacts) {
    qd_own(qd_world) world = make_rows(QD_CONTACT_SPRING, 3, 20, .99);
    qdi_traffic traffic = {{0}, {0}};
    const qdi_work work = step_and_count(world, 5, 1e-4, &traffic);
    ck_assert(work.met && work.plain && work.contacts > 40);
    ck_assert_uint_eq(work.solved, 0);
    ck_assert_uint_gt(moved(&traffic, QD_PHASE_NARROW), 5 * work.contacts * 200);
    ck_assert_uint_eq(moved(&traffic, QD_PHASE_RESOLVE), 0); // forces are those of the last step's end
}

QD_TEST_MAIN("traffic", 60, NULL, NULL)
