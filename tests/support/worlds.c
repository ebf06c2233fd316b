#include "tests/support/worlds.h"

#include "tests/support/harness.h"

#include <math.h>
#include <quadrille/hash.h>
#include <string.h>

qd_world *qd_test_world(const qd_world_def *def) {
    qd_world *world = NULL;
    const qd_world_def usual = qd_world_def_default();
    qd_status status = qd_world_create(def ? def : &usual, &world);
    ck_assert_msg(status == QD_OK, "create: %s", qd_status_text(status));
    return world;
}

qd_world_def qd_test_def(double width, double height) {
    qd_world_def def = qd_world_def_default();
    def.size = (qd_vec2){width, height};
    return def;
}

qd_world_def qd_test_open_def(void) {
    qd_world_def def = qd_world_def_default();
    def.boundary_x = def.boundary_y = QD_BOUNDARY_OPEN;
    return def;
}

qd_body_def qd_test_body_at(qd_shape shape, double x, double y) {
    qd_body_def body = qd_body_def_default();
    body.shape = shape;
    body.position = (qd_vec2){x, y};
    return body;
}

void qd_test_room(qd_world *world, qd_vec2 middle, double half, double thick, qd_vec2 velocity, double spin) {
    const double length = 2 * half + thick;
    for (int side = 0; side < 4; ++side) {
        const bool stands = side % 2 != 0;
        const double at = side < 2 ? -half : half;
        qd_body_def wall = qd_test_body_at(stands ? qd_shape_rect(thick, length)
                                                  : qd_shape_rect(length, thick),
                                           middle.x + (stands ? at : 0), middle.y + (stands ? 0 : at));
        wall.kind = QD_BODY_KINEMATIC;
        wall.velocity = velocity;
        wall.spin = spin;
        if (spin != 0) wall.pivot = middle;
        (void)qd_test_add(world, &wall);
    }
}

qd_id qd_test_add(qd_world *world, const qd_body_def *body) {
    qd_id id = {0, 0};
    qd_error error = {""};
    qd_status status = qd_world_add(world, body, &id, &error);
    ck_assert_msg(status == QD_OK, "add: %s: %s", qd_status_text(status), error.text);
    return id;
}

qd_world *qd_test_gap(bool refilled) {
    qd_world_def def = qd_world_def_default();
    qd_world *world = qd_test_world(&def);
    qd_body_def body = qd_body_def_default();
    qd_id row[3];
    for (int i = 0; i < 3; ++i) {
        body.position = (qd_vec2){49 + 0.9 * i, 50};
        body.label = 101 + (uint64_t)i;
        row[i] = qd_test_add(world, &body);
    }
    ck_assert_int_eq(qd_world_detect(world), QD_OK);
    size_t count = 0;
    (void)qd_world_contacts(world, &count);
    ck_assert_uint_eq(count, 2);
    ck_assert_int_eq(qd_world_remove(world, row[1]), QD_OK);
    body.position = (qd_vec2){50, 45};
    body.label = 104;
    if (refilled) ck_assert_uint_eq(qd_test_add(world, &body).index, row[1].index);
    return world;
}

qd_id qd_test_disk(qd_world *world, double x, double y, double vx, double vy, double radius, double mass) {
    qd_body_def body = qd_body_def_default();
    body.shape.radius = radius;
    body.position = (qd_vec2){x, y};
    body.velocity = (qd_vec2){vx, vy};
    if (mass > 0) body.mass = mass;
    return qd_test_add(world, &body);
}

qd_body_state qd_test_body(const qd_world *world, qd_id id) {
    qd_body_state state;
    memset(&state, 0, sizeof state);
    ck_assert_int_eq(qd_world_body(world, id, &state), QD_OK);
    return state;
}

void qd_test_step(qd_world *world, double dt, size_t steps) {
    for (size_t k = 0; k < steps; ++k) {
        qd_status status = qd_world_step(world, dt, NULL);
        qd_limit_report report = qd_world_limit_report(world);
        ck_assert_msg(status == QD_OK, "step %zu: %s %s", k, qd_status_text(status), report.reason);
    }
}

void qd_test_near(double value, double expected, double tolerance, const char *what) {
    ck_assert_msg(fabs(value - expected) <= tolerance, "%s: %.17g, not %.17g", what, value, expected);
}

void qd_test_sink(qd_world *world, double x, double y, double width, double height, uint64_t total) {
    qd_sink_def sink = qd_sink_def_default();
    sink.low = (qd_vec2){x, y};
    sink.high = (qd_vec2){x + width, y + height};
    sink.total = total;
    ck_assert_int_eq(qd_world_add_sink(world, &sink, NULL), QD_OK);
}

qd_world_def qd_test_random_def(qd_random *random) {
    qd_world_def def = qd_world_def_default();
    def.size = (qd_vec2){qd_test_between(random, 20, 50), qd_test_between(random, 20, 50)};
    def.origin = (qd_vec2){qd_test_between(random, -100, 100), qd_test_between(random, -100, 100)};
    def.boundary_x = (qd_boundary)(qd_random_bits(random) % 3);
    def.boundary_y = (qd_boundary)(qd_random_bits(random) % 3);
    def.contact = (qd_contact_model)(qd_random_bits(random) % 2);
    def.retrieve = (qd_retrieve_mode)(qd_random_bits(random) % 2);
    def.restitution = qd_test_between(random, 0, 1);
    if (qd_random_bits(random) % 2) def.friction = qd_test_between(random, 0, 1);
    if (qd_random_bits(random) % 4 == 0) def.tangential = qd_test_between(random, 0, 1);
    if (qd_random_bits(random) % 4 == 0) def.walls.restitution = qd_test_between(random, 0, 1);
    if (qd_random_bits(random) % 4 == 0) def.threshold = qd_test_between(random, 0, 0.5);
    def.substeps = 1 + (int)(qd_random_bits(random) % 5);
    def.iterations = 1 + (int)(qd_random_bits(random) % 8);
    def.capacity = 1 + (uint32_t)(qd_random_bits(random) % 40);
    if (qd_random_bits(random) % 2)
        def.gravity = (qd_vec2){qd_test_between(random, -5, 5), qd_test_between(random, -5, 5)};
    return def;
}

void qd_test_scatter(qd_world *world, qd_random *random, size_t count) {
    qd_world_def def = qd_world_definition(world);
    for (size_t i = 0; i < count; ++i) {
        double x = qd_test_between(random, def.origin.x, def.origin.x + def.size.x);
        double y = qd_test_between(random, def.origin.y, def.origin.y + def.size.y);
        double vx = qd_test_between(random, -3.5, 3.5), vy = qd_test_between(random, -3.5, 3.5);
        qd_test_disk(world, x, y, vx, vy, qd_test_between(random, 0.2, 1), 0);
    }
}

static qd_shape random_shape(qd_random *random) {
    double size = qd_test_between(random, 0.2, 1), part = qd_test_between(random, 0.2, 1);
    qd_vec2 points[3] = {{0, 0}, {2 * size, 0}, {part, size}};
    qd_shape shape = qd_shape_disk(size);
    switch (qd_random_bits(random) % 5) {
    case 0: return qd_shape_rect(2 * size, size * part);
    case 1: return qd_shape_rect(1, 0.5); // shared by many
    case 2: return qd_shape_capsule(size, 0.5 * size * part);
    case 3: ck_assert_int_eq(qd_shape_polygon(points, 3, &shape, NULL, NULL), QD_OK); return shape;
    default: return shape;
    }
}

static void random_traits(qd_random *random, qd_body_def *body) {
    if (qd_random_bits(random) % 6 == 0)
        body->kind = qd_random_bits(random) % 2 ? QD_BODY_STATIC : QD_BODY_KINEMATIC;
    if (body->kind == QD_BODY_KINEMATIC && qd_random_bits(random) % 2)
        body->pivot = (qd_vec2){body->position.x + 1, body->position.y};
    if (qd_random_bits(random) % 8 == 0) body->sensor = true;
    if (qd_random_bits(random) % 4 == 0) body->filter.category = 1 + (uint32_t)(qd_random_bits(random) % 3);
    if (qd_random_bits(random) % 4 == 0) body->filter.mask = 1 + (uint32_t)(qd_random_bits(random) % 3);
    if (qd_random_bits(random) % 4 == 0) body->filter.group = (int32_t)(qd_random_bits(random) % 3) - 1;
    if (qd_random_bits(random) % 4 == 0)
        body->material.friction = 0.25 * (double)(qd_random_bits(random) % 4);
    if (qd_random_bits(random) % 4 == 0) body->material.restitution = 0.5;
}

void qd_test_scatter_shapes(qd_world *world, qd_random *random, size_t count) {
    qd_world_def def = qd_world_definition(world);
    for (size_t i = 0; i < count; ++i) {
        qd_body_def body = qd_body_def_default();
        body.shape = random_shape(random);
        body.position.x = qd_test_between(random, def.origin.x + 2, def.origin.x + def.size.x - 2);
        body.position.y = qd_test_between(random, def.origin.y + 2, def.origin.y + def.size.y - 2);
        body.velocity = (qd_vec2){qd_test_between(random, -3.5, 3.5), qd_test_between(random, -3.5, 3.5)};
        body.angle = qd_test_between(random, -4, 4);
        body.spin = qd_test_between(random, -2, 2);
        random_traits(random, &body);
        (void)qd_test_add(world, &body);
    }
}

static const double gas_spacing = 1.6180215937964152; // sqrt(pi / 4 / 0.3)

void qd_test_gas_def(qd_world_def *def, size_t nx, size_t ny) {
    def->size = (qd_vec2){gas_spacing * (double)nx, gas_spacing * (double)ny};
}

void qd_test_gas_fill(qd_world *world, size_t nx, size_t ny, uint64_t seed) {
    for (size_t i = 0; i < nx * ny; ++i) {
        qd_random random = qd_random_at(seed, i, 77);
        double x = ((double)(i % nx) + 0.5) * gas_spacing, y = ((double)(i / nx) + 0.5) * gas_spacing;
        double vx = qd_random_normal(&random), vy = qd_random_normal(&random);
        qd_test_disk(world, x, y, vx, vy, 0.5, 1);
    }
}

static uint64_t contact_hash(const qd_contact *contact, uint64_t hash) {
    double numbers[] = {contact->normal.x, contact->normal.y, contact->approach};
    int64_t names[] = {contact->a.index, contact->a.generation, contact->b.index, contact->b.generation,
                       contact->image.x, contact->image.y,      contact->count,   contact->sensor};
    hash = qd_hash_seeded(numbers, sizeof numbers, hash);
    for (int k = 0; k < contact->count; ++k) {
        const qd_touch *touch = &contact->touch[k];
        double of_touch[] = {touch->point.x, touch->point.y,  touch->depth,
                             touch->impulse, touch->friction, touch->feature};
        hash = qd_hash_seeded(of_touch, sizeof of_touch, hash);
    }
    return qd_hash_seeded(names, sizeof names, hash);
}

uint64_t qd_test_events_hash(const qd_world *world) {
    size_t count;
    uint64_t hash = 1;
    const qd_contact *contacts = qd_world_contacts(world, &count);
    for (size_t i = 0; i < count; ++i) hash = contact_hash(&contacts[i], hash);
    const qd_event *events = qd_world_events(world, &count);
    for (size_t i = 0; i < count; ++i) {
        uint32_t kind = (uint32_t)events[i].kind;
        hash = contact_hash(events[i].contact, qd_hash_seeded(&kind, sizeof kind, hash));
    }
    return hash;
}

double qd_test_energy(const qd_world *world) {
    const qd_world_sums sums = qd_world_sum(world);
    return sums.kinetic + sums.potential;
}

qd_metrics qd_test_measure(const qd_world *world) {
    qd_metrics m;
    memset(&m, 0xff, sizeof m); // all of it is written
    qd_world_measure(world, &m);
    return m;
}

qd_world *qd_test_copy(const qd_world *world, int threads) {
    unsigned char *data = NULL;
    size_t bytes = 0;
    qd_world *copy = NULL;
    qd_error error = {""};
    ck_assert_int_eq(qd_world_save(world, &data, &bytes), QD_OK);
    qd_status status = qd_world_load(data, bytes, threads, NULL, &copy, &error);
    ck_assert_msg(status == QD_OK, "load at step %llu: %s", (unsigned long long)qd_world_steps(world),
                  error.text);
    qd_world_save_free(world, data, bytes);
    ck_assert_uint_eq(qd_test_measure(world).saved_bytes, bytes);
    ck_assert_uint_eq(qd_world_hash(world), qd_world_hash(copy));
    return copy;
}

qd_world *qd_test_reload(qd_world *world, int threads) {
    qd_world *copy = qd_test_copy(world, threads);
    qd_world_destroy(world);
    return copy;
}

void qd_test_same_lives(size_t seeds, uint64_t (*life)(uint64_t seed, int threads, bool halfway)) {
    const int threads[] = {1, 2, 3, 8};
    for (uint64_t seed = 1; seed <= seeds; ++seed) {
        const uint64_t one = life(seed, 1, false);
        for (int k = 0; k < 4; ++k)
            ck_assert_msg(life(seed, threads[k], k < 2) == one, "seed %llu: other results with %d threads",
                          (unsigned long long)seed, threads[k]);
    }
}

size_t qd_test_failing_steps(qd_world *(*make)(const qd_allocator *allocator, int which), int which,
                             void (*same)(const qd_world *world)) {
    for (size_t n = 1;; ++n) {
        qd_test_allocator allocator = qd_test_allocator_of(&allocator, 0);
        qd_world *world = make(&allocator.allocator, which);
        ck_assert_int_eq(qd_world_detect(world), QD_OK);
        const uint64_t hash = qd_world_hash(world);
        allocator.fail_at = allocator.calls + n;
        const qd_status status = qd_world_step(world, 0.01, NULL);
        if (status != QD_OK) {
            ck_assert_int_eq(status, QD_ERR_MEMORY);
            ck_assert_uint_eq(qd_world_hash(world), hash);
            if (same) same(world);
            qd_test_step(world, 0.01, 1);
        }
        qd_world_destroy(world);
        ck_assert_uint_eq(allocator.live, 0);
        if (status == QD_OK) return n - 1;
    }
}
