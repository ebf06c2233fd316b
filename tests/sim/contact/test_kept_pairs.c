// Heaps whose pairs stay the same for many steps, which is where contacts keep what they are: several lives
// of one world, that are read, measured, saved, and worked on in different ways, and all edited by hand
// alike, are one.
#include "sim/world/world_impl.h"
#include "tests/support/harness.h"
#include "tests/support/worlds.h"

#include <math.h>
#include <quadrille/shape.h>
#include <quadrille/world.h>
#include <stddef.h>
#include <string.h>

enum { SILENT, READ, SAVED, THREE, EIGHT, WHIM, LIVES, SETTLES = 700, STEPS = 120, ACROSS = 22 };
static const int threads[LIVES] = {1, 1, 2, 3, 8, 2};

typedef struct heap {
    uint64_t seed;
    qd_random random;
    qd_world *world[LIVES];
} heap;

static const double dt = 1.0 / 100;

#define CHECK(all, condition, life)                                                                          \
    QD_TEST_CHECK(condition, (all)->seed, "life", (int)(life), "step %llu",                                  \
                  (unsigned long long)qd_world_steps((all)->world[SILENT]))

static bool hit(heap *all, size_t of) {
    return qd_test_below(&all->random, of) == 0;
}

static qd_body_def body_of(heap *all, double x, double y) {
    const double r = qd_test_between(&all->random, 0.2, 0.24);
    qd_vec2 corners[3] = {{-r, -r}, {r, -r}, {0, r}};
    qd_shape shape = qd_shape_disk(r);
    const size_t form = qd_test_below(&all->random, 4);
    if (form == 1) shape = qd_shape_rect(2 * r, 1.8 * r);
    if (form == 2) shape = qd_shape_capsule(r, 0.5 * r);
    if (form == 3) ck_assert_int_eq(qd_shape_polygon(corners, 3, &shape, NULL, NULL), QD_OK);
    qd_body_def body = qd_test_body_at(shape, x, y);
    if (hit(all, 15)) body.filter.group = -1;
    if (hit(all, 20)) body.kind = hit(all, 2) ? QD_BODY_STATIC : QD_BODY_KINEMATIC;
    body.sensor = body.kind != QD_BODY_DYNAMIC && hit(all, 2); // others would fall through all
    if (body.kind == QD_BODY_KINEMATIC && hit(all, 2)) body.slide = 0.02;
    if (hit(all, 5)) body.material.friction = qd_test_between(&all->random, 0, 1);
    return body;
}

static void add_all(heap *all, const qd_body_def *body) {
    for (int k = 0; k < LIVES; ++k) (void)qd_test_add(all->world[k], body);
}

static void make(heap *all) {
    qd_world_def def = qd_test_def(0.5 * ACROSS, 12);
    def.gravity = (qd_vec2){0, -10};
    def.restitution = 0;
    def.friction = 0.8;
    def.drag = (qd_drag){.linear = 1, .spin = 10}; // it comes to rest soon
    if (all->seed % 3 == 0) def.boundary_x = QD_BOUNDARY_PERIODIC;
    if (all->seed % 5 == 4) {
        def.contact = hit(all, 2) ? QD_CONTACT_SPRING : QD_CONTACT_NONE;
        def.spring.kn = 200;
        def.restitution = 0.5;
        if (def.contact == QD_CONTACT_NONE) def.gravity.y = 0;
    }
    for (int k = 0; k < LIVES; ++k) {
        def.threads = threads[k];
        all->world[k] = qd_test_world(&def);
    }
    const size_t rows = 8 + qd_test_below(&all->random, 6);
    for (size_t k = 0; k < rows * ACROSS; ++k) {
        const double x = 0.25 + 0.49 * (double)(k % ACROSS), y = 0.7 + 0.46 * (double)(k / ACROSS);
        const qd_body_def body = body_of(all, x, y);
        add_all(all, &body);
    }
    const qd_vec2 floor[4] = {{0.1, 0.4}, {3, 0.2}, {7, 0.2}, {0.5 * ACROSS - 0.1, 0.4}};
    const qd_body_def like = qd_body_def_default();
    for (int k = 0; k < LIVES; ++k)
        ck_assert_int_eq(qd_world_add_polyline(all->world[k], floor, 4, false, &like, NULL, NULL), QD_OK);
}

/// The state of somebody; the first world has it, and so have the others.
static qd_body_state somebody(heap *all) {
    const qd_body_view view = qd_world_view(all->world[SILENT]);
    size_t at = qd_test_below(&all->random, view.index_count);
    while (view.row_of_index[at] == UINT32_MAX) at = (at + 1) % view.index_count;
    const uint32_t row = view.row_of_index[at];
    return qd_test_body(all->world[SILENT], (qd_id){view.index[row], view.generation[row]});
}

static void agree(const heap *all, const qd_status status[LIVES]) {
    for (int k = 1; k < LIVES; ++k) CHECK(all, status[k] == status[0], k);
}

/// Somebody goes, and another one comes in the same place, of the same index: alike but for one thing.
static void replace(heap *all, const qd_body_state *old) {
    qd_body_def body = body_of(all, old->position.x, old->position.y);
    if (hit(all, 2) && !(old->shape.kind == QD_SHAPE_CAPSULE && old->shape.count > 0)) {
        body.shape = old->shape;
        body.angle = atan2(old->turn.y, old->turn.x);
    }
    qd_status status[LIVES];
    for (int k = 0; k < LIVES; ++k) ck_assert_int_eq(qd_world_remove(all->world[k], old->id), QD_OK);
    if (hit(all, 3))
        for (int k = 0; k < LIVES; ++k) ck_assert_int_eq(qd_world_detect(all->world[k]), QD_OK);
    for (int k = 0; k < LIVES; ++k) status[k] = qd_world_add(all->world[k], &body, NULL, NULL);
    agree(all, status);
}

/// What changes of the world.
static void change(heap *all) {
    qd_world_def def = qd_world_definition(all->world[SILENT]);
    qd_status status[LIVES];
    def.friction = qd_test_between(&all->random, 0.3, 0.6);
    if (hit(all, 2)) def.substeps = 2 + (int)qd_test_below(&all->random, 4);
    const double least = def.contact == QD_CONTACT_SPRING ? 0.5 : 0.1; // as far as the step is short enough
    if (hit(all, 2)) def.restitution = least + (hit(all, 2) ? 0.1 : 0);
    if (hit(all, 2)) def.gravity.x = qd_test_between(&all->random, -0.1, 0.1);
    if (hit(all, 4)) def.wall_motion[3] = (qd_wall_motion){.amplitude = 0.01, .frequency = 2};
    for (int k = 0; k < LIVES; ++k) status[k] = qd_world_change(all->world[k], &def, NULL);
    agree(all, status);
}

static void edit(heap *all) {
    const qd_body_state old = somebody(all);
    const double hair = qd_test_between(&all->random, -1e-4, 1e-4);
    const qd_vec2 at = {old.position.x + hair, old.position.y};
    const size_t what = qd_test_below(&all->random, 5);
    qd_status status[LIVES] = {QD_OK};
    if (what == 0) replace(all, &old);
    if (what == 1) change(all);
    for (int k = 0; k < LIVES && what == 2; ++k)
        status[k] = qd_world_place(all->world[k], old.id, at, old.velocity, NULL);
    for (int k = 0; k < LIVES && what == 3; ++k)
        status[k] = qd_world_turn(all->world[k], old.id, hair, old.spin, NULL);
    for (int k = 0; k < LIVES && what == 4; ++k) status[k] = qd_world_detect(all->world[k]);
    if (what >= 2) agree(all, status);
}

/// What one life does that others do not.
static void live(heap *all) {
    (void)qd_test_events_hash(all->world[READ]);
    if (hit(all, 6)) all->world[SAVED] = qd_test_reload(all->world[SAVED], threads[SAVED]);
    size_t count;
    if (hit(all, 3)) (void)qd_world_contacts(all->world[WHIM], &count);
    if (hit(all, 3)) (void)qd_test_measure(all->world[WHIM]);
    if (hit(all, 5)) qd_world_destroy(qd_test_copy(all->world[WHIM], 1));
}

/// All of it; the first life only now and then, for what is read there is made there.
static void compare(heap *all) {
    const uint64_t hash = qd_world_hash(all->world[SILENT]);
    for (int k = 1; k < LIVES; ++k) CHECK(all, qd_world_hash(all->world[k]) == hash, k);
    if (!hit(all, 10)) return;
    const int first = hit(all, 4) ? SILENT : READ;
    const uint64_t events = qd_test_events_hash(all->world[first]);
    const qd_metrics one = qd_test_measure(all->world[first]);
    for (int k = 1; k < LIVES; ++k) {
        CHECK(all, qd_test_events_hash(all->world[k]) == events, k);
        qd_metrics other = qd_test_measure(all->world[k]);
        CHECK(all, memcmp(&one, &other, offsetof(qd_metrics, tree_nodes)) == 0, k);
    }
}

static size_t pairs_kept, laid_out, steps_made;

static void run(uint64_t seed) {
    heap all = {.seed = seed, .random = qd_random_at(seed, 0, 43)};
    make(&all);
    size_t kept = 0, all_kept = 0;
    for (int k = 0; k < LIVES; ++k) qd_test_step(all.world[k], dt, SETTLES);
    for (size_t step = 0; step < STEPS; ++step) {
        if (hit(&all, 16)) edit(&all);
        const qdi_contact_state *present = &all.world[SILENT]->present;
        const uint64_t pairs = present->pairs, layout = present->layout;
        for (int k = 0; k < LIVES; ++k) qd_test_step(all.world[k], dt, 1);
        kept += pairs > 0 && present->pairs == pairs;
        all_kept += layout > 0 && present->layout == layout;
        compare(&all);
        live(&all);
    }
    if (qd_world_definition(all.world[SILENT]).contact == QD_CONTACT_IMPULSE) {
        pairs_kept += kept;
        laid_out += all_kept;
        steps_made += STEPS;
    }
    for (int k = 0; k < LIVES; ++k) qd_world_destroy(all.world[k]);
}

QD_TEST(lives_of_a_heap_are_alike) {
    qd_test_seeds(10, 0, run);
    if (qd_test_replaying() || steps_made < 6 * (size_t)STEPS) return;
    ck_assert_uint_gt(2 * pairs_kept, steps_made);
    ck_assert_uint_gt(2 * laid_out, steps_made);
}

QD_TEST_MAIN("kept_pairs", 240, NULL, NULL)
