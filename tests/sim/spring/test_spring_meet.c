#include "sim/world/grain.h"
#include "sim/world/world_impl.h"
#include "tests/support/harness.h"
#include "tests/support/worlds.h"

#include <math.h>
#include <quadrille/world.h>
#include <string.h>

// Where all bodies are disks, springs find their contacts by slots that last as long as the candidates do.
// They are to be those of the narrow phase: which finds them where one body more, that nobody ever meets, is
// no disk.

typedef struct way {
    uint64_t seed;
    int threads;
    bool other; ///< there is a body that is no disk
} way;

/// Which numbers of a spring are given, and which follow from others.
static void choose_spring(qd_world_def *def, uint64_t seed) {
    qd_random random = qd_random_at(seed, 0, 8);
    const uint64_t bits = qd_random_bits(&random);
    def->restitution = bits & 1 ? 0.7 : bits & 2 ? 1 : 0;
    def->spring.contact_time = bits & 4 ? 0.1 : (double)NAN;
    if (!(bits & 4)) def->spring.kn = 40 + 400 * qd_random_uniform(&random);
    if (bits & 8) def->spring.gamman = qd_random_uniform(&random);
    if (bits & 16) def->spring.kt = 40 * qd_random_uniform(&random);
    if (bits & 32) def->spring.gammat = qd_random_uniform(&random);
    def->spring.limit_damping = (bits & 64) != 0;
}

static qd_world *disks(const way *of) {
    qd_random random = qd_random_at(of->seed, 0, 7);
    qd_world_def def = qd_test_def(30, 24);
    def.contact = QD_CONTACT_SPRING;
    choose_spring(&def, of->seed);
    def.friction = of->seed % 5 ? 0.4 : 0;
    def.gravity = (qd_vec2){0.5, -2};
    def.boundary_x = of->seed % 2 ? QD_BOUNDARY_PERIODIC : QD_BOUNDARY_REFLECT;
    def.boundary_y = of->seed % 3 ? QD_BOUNDARY_REFLECT : QD_BOUNDARY_PERIODIC;
    def.threads = of->threads;
    def.margin = of->seed % 4 ? (double)NAN : 0;
    if (of->seed % 7 == 3) def.spring.rolling = 0.2;
    if (of->seed % 7 == 5) def.spring.adhesion = 0.3;
    if (of->seed % 8 == 6) def.compression.rate = (qd_vec2){0.02, 0};
    if (of->seed % 11 == 4) def.drag = (qd_drag){.linear = 0.05};
    qd_world *world = qd_test_world(&def);
    qd_test_scatter(world, &random, 100 + of->seed * 37 % 300);
    return world;
}

/// A rect that rests in the middle, where no disk may touch it: of a group of filters with none.
static void add_other(qd_world *world) {
    qd_body_def body = qd_body_def_default();
    body.shape = qd_shape_rect(0.5, 0.5);
    body.kind = QD_BODY_STATIC;
    body.position = (qd_vec2){15, 12};
    body.filter.category = 0;
    body.filter.mask = 0;
    ck_assert_int_eq(qd_world_add(world, &body, NULL, NULL), QD_OK);
}

static void expect_same_contacts(const qd_world *one, const qd_world *two, uint64_t seed, size_t step) {
    size_t count, others, events, other_events;
    const qd_contact *p = qd_world_contacts(one, &count), *q = qd_world_contacts(two, &others);
    const qd_event *e = qd_world_events(one, &events), *f = qd_world_events(two, &other_events);
    ck_assert_msg(count == others && events == other_events, "seed %llu, step %zu: %zu contacts and %zu",
                  (unsigned long long)seed, step, count, others);
    for (size_t i = 0; i < count; ++i) {
        const qdi_contact_force *r = qdi_force_of(&one->present, i), *s = qdi_force_of(&two->present, i);
        const qdi_warm_start *t = &one->present.warm_starts[qdi_place_of(&one->present, i)],
                             *u = &two->present.warm_starts[qdi_place_of(&two->present, i)];
        const bool same = memcmp(&p[i].a, &q[i].a, sizeof p->a) == 0 &&
                          memcmp(&p[i].b, &q[i].b, sizeof p->b) == 0 &&
                          memcmp(&p[i].normal, &q[i].normal, sizeof p->normal) == 0 &&
                          memcmp(&p[i].touch[0].point, &q[i].touch[0].point, sizeof p->normal) == 0 &&
                          p[i].touch[0].depth == q[i].touch[0].depth &&
                          p[i].touch[0].impulse == q[i].touch[0].impulse &&
                          p[i].touch[0].friction == q[i].touch[0].friction &&
                          p[i].approach == q[i].approach && p[i].image.x == q[i].image.x &&
                          p[i].image.y == q[i].image.y && p[i].count == q[i].count && r->x == s->x &&
                          r->y == s->y && r->turn_a == s->turn_a && r->turn_b == s->turn_b &&
                          memcmp(t, u, sizeof *t) == 0;
        ck_assert_msg(same, "seed %llu, step %zu, contact %zu", (unsigned long long)seed, step, i);
    }
    for (size_t i = 0; i < events; ++i)
        ck_assert_msg(e[i].kind == f[i].kind && e[i].contact->a.index == f[i].contact->a.index &&
                          e[i].contact->b.index == f[i].contact->b.index,
                      "seed %llu, step %zu, event %zu", (unsigned long long)seed, step, i);
}

static void expect_same_balance(const qd_world *one, const qd_world *two, uint64_t seed) {
    ck_assert_msg(memcmp(&one->balance, &two->balance, sizeof one->balance) == 0, "seed %llu",
                  (unsigned long long)seed);
}

/// Now and then a body goes by hand, and now and then another one comes in its place.
static void change(qd_world *world, size_t step, uint64_t seed) {
    if (step % 60 != 59) return;
    const uint32_t row = world->row_of_index[(step + seed) % 50];
    if (row == QDI_NO_ROW) return;
    const qd_id id = {world->index[row], world->generation[row]};
    ck_assert_int_eq(qd_world_remove(world, id), QD_OK);
    if (step % 120 == 59) qd_test_disk(world, 7, 9, 1, 1, 0.6, 0);
}

QD_TEST(slots_find_what_the_narrow_phase_finds) {
    const uint64_t first = qd_test_seed(1), last = qd_test_replaying() ? first : 24;
    const size_t steps = qd_test_effort(240);
    for (uint64_t seed = first; seed <= last; ++seed) {
        const way ways[2] = {{seed, 1 + (int)(seed % 3), false}, {seed, 1, true}};
        qd_own(qd_world) plain = disks(&ways[0]), mixed = disks(&ways[1]);
        add_other(mixed);
        for (size_t k = 0; k < steps; ++k) {
            qd_test_step(plain, 2e-3, 1);
            qd_test_step(mixed, 2e-3, 1);
            expect_same_contacts(plain, mixed, seed, k);
            change(plain, k, seed);
            change(mixed, k, seed);
        }
        expect_same_balance(plain, mixed, seed);
    }
}

/// A heap that falls together and rests: its candidates last, and most of them touch.
static qd_world *heap(const way *of) {
    qd_random random = qd_random_at(of->seed, 0, 8);
    qd_world_def def = qd_test_def(30, 24);
    def.contact = QD_CONTACT_SPRING;
    def.spring.contact_time = 0.05;
    def.restitution = 0.1;
    def.friction = of->seed % 4 ? 0.5 : 0;
    def.gravity.y = -5;
    def.boundary_x = of->seed % 2 ? QD_BOUNDARY_PERIODIC : QD_BOUNDARY_REFLECT;
    def.boundary_y = QD_BOUNDARY_REFLECT;
    def.threads = of->threads;
    if (of->seed % 3 == 1) def.spring.rolling = 0.2;
    qd_world *world = qd_test_world(&def);
    for (size_t i = 0; i < 90; ++i) { // apart, and large ones among them
        const double x = 1.2 + 3 * (double)(i % 9) + 0.2 * qd_random_uniform(&random);
        qd_test_disk(world, x, 0.9 + 2.3 * (double)(i / 9), 0, 0,
                     i % 7 ? 0.5 + 0.4 * qd_random_uniform(&random) : 1.1, 0);
    }
    return world;
}

/// Candidates that touch, and need no test for as long as bodies come no further than by now.
static size_t untested(const qd_world *world) {
    const qdi_scratch *scratch = &world->scratch;
    size_t count = 0;
    for (size_t i = 0; scratch->slots_of > 0 && i < scratch->slot_count; ++i)
        count += scratch->slot_place[i] < world->present.contact_count &&
                 (double)scratch->slot_apart[i] > scratch->slot_way[i / QDI_CANDIDATE_GRAIN].way;
    return count;
}

QD_TEST(lists_of_ends_add_up_what_chains_do) {
    const uint64_t first = qd_test_seed(1), last = qd_test_replaying() ? first : 4;
    for (uint64_t seed = first; seed <= last; ++seed) {
        const way ways[2] = {{seed, 1 + (int)(seed % 3), false}, {seed, 1, true}};
        qd_own(qd_world) plain = heap(&ways[0]), mixed = heap(&ways[1]);
        add_other(mixed);
        size_t listed = 0, left = 0;
        for (size_t k = 0; k < 2500; ++k) {
            qd_test_step(plain, 2e-3, 1);
            qd_test_step(mixed, 2e-3, 1);
            listed += plain->scratch.ends_listed;
            left += untested(plain);
            if (k % 8 == 7 || k < 40) expect_same_contacts(plain, mixed, seed, k);
        }
        ck_assert_msg(listed > 200, "seed %llu: %zu steps with lists", (unsigned long long)seed, listed);
        ck_assert_msg(left > 10000, "seed %llu: only %zu contacts without a test", (unsigned long long)seed,
                      left);
        expect_same_balance(plain, mixed, seed);
    }
}

/// Many slow disks in several ranges, with a few fast ones among them, which come from range to range.
static qd_world *crowd(const way *of) {
    qd_random random = qd_random_at(of->seed, 0, 9);
    qd_world_def def = qd_test_def(70, 70);
    def.contact = QD_CONTACT_SPRING;
    def.spring.contact_time = 0.05;
    def.friction = 0.3;
    def.boundary_x = of->seed % 2 ? QD_BOUNDARY_PERIODIC : QD_BOUNDARY_REFLECT;
    def.boundary_y = of->seed % 3 ? QD_BOUNDARY_REFLECT : QD_BOUNDARY_PERIODIC;
    def.threads = of->threads;
    qd_world *world = qd_test_world(&def);
    for (size_t i = 0; i < 4900; ++i) {
        const double speed = i % 601 == 7 ? 30 : 0.4, x = qd_random_uniform(&random),
                     y = qd_random_uniform(&random);
        qd_test_disk(world, (double)(i % 70) + 0.4 + 0.2 * x, (double)(i / 70) + 0.4 + 0.2 * y,
                     speed * qd_random_normal(&random), speed * qd_random_normal(&random), 0.4, 0);
    }
    return world;
}

/// Ranges of candidates in which two have come less than half as far as the fastest of all may have.
static size_t slow_ranges(const qd_world *world) {
    const qdi_scratch *scratch = &world->scratch;
    size_t count = 0;
    for (size_t i = 0; scratch->slots_of > 0 && i < scratch->slot_count; i += QDI_CANDIDATE_GRAIN)
        count += scratch->slot_way[i / QDI_CANDIDATE_GRAIN].way < 0.5 * scratch->way;
    return count;
}

QD_TEST(ranges_wait_for_the_fastest_of_their_own) {
    const uint64_t first = qd_test_seed(1), last = qd_test_replaying() ? first : 3;
    for (uint64_t seed = first; seed <= last; ++seed) {
        const way ways[2] = {{seed, 1 + (int)(seed % 3), false}, {seed, 1, true}};
        qd_own(qd_world) plain = crowd(&ways[0]), mixed = crowd(&ways[1]);
        add_other(mixed);
        size_t slow = 0;
        for (size_t k = 0; k < 200; ++k) {
            qd_test_step(plain, 2e-3, 1);
            qd_test_step(mixed, 2e-3, 1);
            slow += slow_ranges(plain);
            if (k % 4 == 3) expect_same_contacts(plain, mixed, seed, k);
        }
        ck_assert_msg(slow > 50, "seed %llu: only %zu slow ranges", (unsigned long long)seed, slow);
        expect_same_balance(plain, mixed, seed);
    }
}

QD_TEST_MAIN("spring_meet", 300, NULL, NULL)
