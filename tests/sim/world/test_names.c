// What a body is called decides results, not where a world keeps it: bodies that have sparse indices in one
// world, and dense ones with names in another, have the same states, contacts and events in both.
#include "sim/world/contact_state.h"
#include "sim/world/names.h"
#include "tests/support/harness.h"
#include "tests/support/worlds.h"

#include <quadrille/hash.h>
#include <quadrille/world.h>

enum { BODIES = 300, STRIDE = 3, STEPS = 150 };

typedef struct variant {
    const char *name;
    qd_contact_model contact;
    qd_boundary boundary;
    double margin;
    bool shapes; ///< of all kinds; some static or kinematic
    bool medium; ///< pushes bodies at random
} variant;

static const variant variants[] = {
    {"detection", QD_CONTACT_NONE, QD_BOUNDARY_REFLECT, 0, true, false},
    {"springs", QD_CONTACT_SPRING, QD_BOUNDARY_PERIODIC, (double)NAN, false, false},
    {"springs of shapes", QD_CONTACT_SPRING, QD_BOUNDARY_REFLECT, 0, true, false},
    {"medium", QD_CONTACT_SPRING, QD_BOUNDARY_REFLECT, 0.1, false, true},
    {"impulses", QD_CONTACT_IMPULSE, QD_BOUNDARY_REFLECT, (double)NAN, true, false},
    {"impulses of disks", QD_CONTACT_IMPULSE, QD_BOUNDARY_PERIODIC, 0, false, true},
};

static qd_world_def def_of(const variant *v, int threads) {
    qd_world_def def = qd_test_def(24, 24);
    def.boundary_x = v->boundary;
    def.contact = v->contact;
    def.restitution = 0.5;
    def.friction = 0.4;
    def.gravity = (qd_vec2){0.5, -4};
    def.margin = v->margin;
    def.spring.contact_time = 0.1;
    def.threads = threads;
    def.limits.pairs = 1000;
    if (!v->medium) return def;
    def.drag.linear = 1;
    def.drag.temperature = 2;
    return def;
}

// Body number i, the same in every world.
static qd_body_def body_of(const variant *v, size_t i) {
    qd_random random = qd_random_at(31, i, 0);
    qd_body_def body = qd_body_def_default();
    const double radius = qd_test_between(&random, 0.3, 0.7);
    body.shape = qd_shape_disk(radius);
    if (v->shapes && i % 4 == 1) body.shape = qd_shape_rect(2 * radius, radius);
    if (v->shapes && i % 4 == 2) body.shape = qd_shape_capsule(radius, 0.4 * radius);
    if (v->shapes && i % 29 == 0) body.kind = QD_BODY_STATIC;
    body.position = (qd_vec2){qd_test_between(&random, 1, 23), qd_test_between(&random, 1, 23)};
    body.velocity = (qd_vec2){qd_test_between(&random, -2, 2), qd_test_between(&random, -2, 2)};
    body.angle = v->shapes ? qd_test_between(&random, 0, 6) : 0;
    body.label = 1000 + i;
    return body;
}

// One body in STRIDE has stayed, with the index that it had among all.
static qd_world *sparse_world(const variant *v, int threads) {
    const qd_world_def def = def_of(v, threads);
    qd_world *world = qd_test_world(&def);
    static qd_id ids[BODIES * STRIDE];
    for (size_t i = 0; i < (size_t)BODIES * STRIDE; ++i) {
        const qd_body_def body = body_of(v, i);
        ids[i] = qd_test_add(world, &body);
    }
    for (size_t i = 0; i < (size_t)BODIES * STRIDE; ++i)
        if (i % STRIDE != 1) ck_assert_int_eq(qd_world_remove(world, ids[i]), QD_OK);
    return world;
}

// The same bodies alone, with those indices for names, or without names.
static qd_world *dense_world(const variant *v, int threads, uint64_t first, bool named) {
    const qd_world_def def = def_of(v, threads);
    qd_world *world = qd_test_world(&def);
    uint64_t names[BODIES];
    for (size_t k = 0; k < BODIES; ++k) {
        names[k] = first + k * STRIDE + 1;
        const qd_body_def body = body_of(v, k * STRIDE + 1);
        (void)qd_test_add(world, &body);
    }
    if (named) ck_assert_int_eq(qdi_names_give(world, names), QD_OK);
    return world;
}

// A hash of the events by names, in their order.
static uint64_t events_by_name(const qd_world *world) {
    size_t count;
    const qd_event *event = qd_world_events(world, &count);
    uint64_t hash = count;
    for (size_t i = 0; i < count; ++i) {
        const qd_contact *contact = event[i].contact;
        hash = qd_hash_mix(hash, qdi_name_of_id(world, contact->a));
        hash = qd_hash_mix(hash, qdi_name_of_id(world, contact->b));
        hash = qd_hash_mix(hash, (uint64_t)event[i].kind);
        hash = qd_hash_seeded(&contact->touch[0].impulse, sizeof(double), hash);
    }
    return hash;
}

QD_TEST_LOOP(names_decide, 0, sizeof variants / sizeof variants[0]) {
    const variant *v = &variants[_i];
    qd_own(qd_world) sparse = sparse_world(v, 1), dense = dense_world(v, 3, 0, true),
                     plain = dense_world(v, 1, 0, false);
    uint64_t contacts = 0;
    ck_assert_uint_ne(qd_world_hash(plain), qd_world_hash(sparse)); // it knows nobody's name
    for (size_t step = 0; step < STEPS; ++step) {
        ck_assert_int_eq(qd_world_detect(sparse), QD_OK);
        ck_assert_int_eq(qd_world_detect(dense), QD_OK);
        ck_assert_msg(qd_world_hash(dense) == qd_world_hash(sparse), "%s: step %zu", v->name, step);
        ck_assert_msg(events_by_name(dense) == events_by_name(sparse), "%s: events of step %zu", v->name,
                      step);
        contacts += qdi_constraint_count(&dense->present);
        qd_test_step(sparse, 0.01, 1);
        qd_test_step(dense, 0.01, 1);
    }
    ck_assert_uint_gt(contacts, STEPS * 20);
    const qd_metrics p = qd_test_measure(sparse), q = qd_test_measure(dense);
    ck_assert_double_eq(p.kinetic, q.kinetic);
    ck_assert_double_eq(p.potential, q.potential);
    ck_assert_double_eq(p.lost, q.lost);
    ck_assert_double_eq(p.contact_energy, q.contact_energy);
    ck_assert_double_eq(p.angular_momentum, q.angular_momentum);
    ck_assert_double_eq(p.push_left, q.push_left);
    ck_assert_double_eq(p.push_bottom, q.push_bottom);
    ck_assert_double_eq(p.virial_impulse, q.virial_impulse);
}

// Names are 64 bits wide, and every bit counts: for the hash and for what happens.
QD_TEST(names_are_long) {
    const variant *v = &variants[3];
    qd_own(qd_world) low = dense_world(v, 1, 0, true), high = dense_world(v, 1, UINT64_C(1) << 40, true);
    ck_assert_uint_ne(qd_world_hash(low), qd_world_hash(high));
    qd_test_step(low, 0.01, 1);
    qd_test_step(high, 0.01, 1);
    size_t others = 0;
    for (size_t r = 0; r < BODIES; ++r)
        others += low->now.vx[low->row_of_index[r]] != high->now.vx[high->row_of_index[r]];
    ck_assert_uint_eq(others, BODIES); // the medium pushes them otherwise
}

QD_TEST(names_grow) {
    qd_own(qd_world) world = dense_world(&variants[1], 1, 5, true);
    const uint64_t hash = qd_world_hash(world);
    uint64_t names[BODIES];
    for (size_t k = 0; k < BODIES; ++k) names[k] = 2 * k;
    names[7] = names[6];
    ck_assert_int_eq(qdi_names_give(world, names), QD_ERR_VALUE);
    ck_assert_uint_eq(qd_world_hash(world), hash);
    names[7] = 13;
    ck_assert_int_eq(qdi_names_give(world, names), QD_OK);
    ck_assert_uint_ne(qd_world_hash(world), hash);
    ck_assert_int_eq(qdi_names_give(world, NULL), QD_OK);
    qd_own(qd_world) plain = dense_world(&variants[1], 1, 5, false);
    ck_assert_uint_eq(qd_world_hash(world), qd_world_hash(plain));
}

QD_TEST_MAIN("names", 240, NULL, NULL)
