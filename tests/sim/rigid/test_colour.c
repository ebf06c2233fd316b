#include "sim/rigid/colour.h"
#include "sim/rigid/rigid_step.h"
#include "sim/world/contact_state.h"
#include "sim/world/scratch.h"
#include "sim/world/world_impl.h"
#include "tests/support/harness.h"
#include "tests/support/worlds.h"

#include <math.h>
#include <quadrille/math.h>
#include <quadrille/world.h>
#include <stdlib.h>

// Every link is in exactly one colour, and within a colour (but for a serial last one) no body occurs twice.
// Links of a colour keep the order of the spots; a serial one has that of the contacts.
static void check_colours(const qd_world *world, size_t count, const qdi_colours *colours) {
    const qdi_link *links = world->scratch.links, *coloured = world->scratch.coloured;
    qd_own_memory size_t *seen = qd_test_zeros(count + 1, sizeof *seen);
    qd_own_memory size_t *body_colour = qd_test_zeros(world->count, sizeof *body_colour);
    ck_assert_uint_eq(colours->start[0], 0);
    ck_assert_uint_eq(colours->start[colours->count], count);
    for (size_t c = 0; c < colours->count; ++c) {
        bool serial = c + 1 == colours->count && colours->last_is_serial;
        ck_assert_uint_lt(colours->start[c], colours->start[c + 1]);
        for (size_t i = colours->start[c]; i < colours->start[c + 1]; ++i) {
            const qdi_link *link = &coloured[i];
            ck_assert_uint_lt(link->place, count);
            ck_assert_uint_eq(seen[link->place]++, 0);
            const qdi_link *made = &links[link->place];
            ck_assert(made->row_a == link->row_a && made->row_b == link->row_b);
            if (i > colours->start[c]) {
                const qdi_link *before = &coloured[i - 1];
                ck_assert(serial ? before->rank < link->rank : before->place < link->place);
            }
            ck_assert(serial || !link->moves_a || body_colour[link->row_a] != c + 1);
            body_colour[link->row_a] = c + 1;
            if (!link->moves_b) continue;
            ck_assert(serial || body_colour[link->row_b] != c + 1);
            body_colour[link->row_b] = c + 1;
        }
    }
}

// The impulse solver leaves its links in the scratch; colour them again.
static qdi_colours colour(qd_world *world) {
    qdi_wall_gain walls;
    qdi_colours colours = {.count = 0};
    ck_assert_int_eq(qd_world_detect(world), QD_OK);
    ck_assert_int_eq(qdi_impulse(world, 1e-3, &walls), QD_OK);
    size_t count = qdi_constraint_count(&world->present);
    ck_assert_int_eq(qdi_colour(world, count, true, &colours), QD_OK);
    check_colours(world, count, &colours);
    return colours;
}

static qd_world *dense_world(int threads, size_t bodies) {
    qd_world_def def = qd_world_def_default();
    def.threads = threads;
    def.size = (qd_vec2){1.2 * sqrt((double)bodies), 1.2 * sqrt((double)bodies)};
    qd_world *world = qd_test_world(&def);
    qd_random random = qd_random_at(qd_test_seed(2), 1, 1);
    qd_test_scatter(world, &random, bodies);
    return world;
}

QD_TEST(dense_world_is_coloured) {
    qd_own(qd_world) world = dense_world(1, 4000);
    qdi_colours colours = colour(world);
    ck_assert_uint_gt(world->present.contact_count, 4000);
    ck_assert_uint_gt(colours.count, 3);
    ck_assert_uint_lt(colours.count, 60);
    ck_assert(!colours.last_is_serial);
}

// A link by what decides when its turn comes.
typedef struct turn {
    uint32_t hash, rank;
    const qdi_link *link;
} turn;

static int compare_turns(const void *left, const void *right) {
    const turn *a = left, *b = right;
    if (a->hash != b->hash) return a->hash > b->hash ? -1 : 1;
    return a->rank > b->rank ? -1 : a->rank < b->rank;
}

// The colours are those of one list of all links, by the upper 12 bits of their hashes and then by rank, in
// which each takes the smallest that is free at both of its bodies.
static void check_greedy(const qd_world *world, size_t count, const qdi_colours *colours) {
    qd_own_memory turn *turns = qd_test_memory((count + 1) * sizeof *turns);
    qd_own_memory uint64_t *used = qd_test_zeros(world->count, sizeof *used);
    qd_own_memory size_t *expected = qd_test_memory((count + 1) * sizeof *expected);
    for (size_t i = 0; i < count; ++i) {
        const qdi_link *link = &world->scratch.links[i];
        turns[i] = (turn){link->hash >> 20, link->rank, link};
    }
    qsort(turns, count, sizeof *turns, compare_turns);
    for (size_t i = 0; i < count; ++i) {
        const qdi_link *link = turns[i].link;
        size_t colour = 0;
        while (colour < QDI_COLOURS_MAX && ((link->moves_a && used[link->row_a] >> colour & 1) ||
                                            (link->moves_b && used[link->row_b] >> colour & 1)))
            ++colour;
        expected[link->place] = colour;
        if (colour == QDI_COLOURS_MAX) continue;
        if (link->moves_a) used[link->row_a] |= UINT64_C(1) << colour;
        if (link->moves_b) used[link->row_b] |= UINT64_C(1) << colour;
    }
    for (size_t c = 0; c < colours->count; ++c)
        for (size_t i = colours->start[c]; i < colours->start[c + 1]; ++i)
            if (expected[world->scratch.coloured[i].place] != c)
                ck_abort_msg("link %zu: not of colour %zu", i, c);
}

// So many contacts that ranges go together twice.
QD_TEST_LOOP(colours_are_those_of_one_list, 0, 2) {
    static const int threads[] = {1, 5};
    qd_own(qd_world) world = dense_world(threads[_i], 60000);
    qdi_colours colours = colour(world);
    const size_t count = qdi_constraint_count(&world->present);
    ck_assert_uint_gt(count, 40000);
    check_greedy(world, count, &colours);
}

QD_TEST(colours_are_the_same_for_any_team) {
    const int threads[] = {2, 16, 24};
    qd_own(qd_world) one = dense_world(1, 4000);
    qdi_colours expected = colour(one);
    size_t count = one->present.contact_count;
    for (size_t t = 0; t < 3; ++t) {
        qd_own(qd_world) world = dense_world(threads[t], 4000);
        for (int again = 0; again < 5; ++again) {
            qdi_colours colours = colour(world);
            ck_assert_uint_eq(colours.count, expected.count);
            for (size_t c = 0; c <= colours.count; ++c)
                ck_assert_uint_eq(colours.start[c], expected.start[c]);
            for (size_t i = 0; i < count; ++i)
                ck_assert_uint_eq(world->scratch.coloured[i].place, one->scratch.coloured[i].place);
        }
    }
}

// One large disk with many small ones around it: each joint needs a colour of its own. Those that find none
// free are solved serially.
static void check_hub(int small, size_t colours_expected) {
    qd_world_def def = qd_test_def(300, 300);
    qd_own(qd_world) world = qd_test_world(&def);
    qd_test_disk(world, 150, 150, 0, 0, 100, 0);
    for (int i = 0; i < small; ++i) {
        double x = qd_cos(6.283185307179586 * i / small), y = qd_sin(6.283185307179586 * i / small);
        qd_test_disk(world, 150 + 100.3 * x, 150 + 100.3 * y, -x, -y, 0.4, 0);
    }
    qdi_colours colours = colour(world);
    ck_assert_uint_eq(world->present.contact_count, (size_t)small);
    ck_assert_uint_eq(colours.count, colours_expected);
    ck_assert_int_eq(colours.last_is_serial, colours_expected != (size_t)small);
    qd_world_sums before = qd_world_sum(world);
    qd_test_step(world, 1e-3, 20);
    qd_world_sums after = qd_world_sum(world);
    ck_assert_double_eq_tol(after.kinetic, before.kinetic, 1e-9 * before.kinetic);
    ck_assert_double_eq_tol(after.momentum.x, before.momentum.x, 1e-9 * before.momentum_scale);
    qd_vec2 hub = qd_test_body(world, (qd_id){0, 1}).velocity;
    ck_assert(hub.x != 0 || hub.y != 0);
}

// So many at one body that all but its own links wait until the parts are one, and hashes are often alike.
QD_TEST(hub_of_many_is_coloured) {
    enum { SMALL = 70000 };
    const double radius = 22000;
    qd_world_def def = qd_test_def(3 * radius, 3 * radius);
    def.threads = 3;
    qd_own(qd_world) world = qd_test_world(&def);
    ck_assert_int_eq(qd_world_reserve(world, SMALL + 1), QD_OK);
    qd_test_disk(world, 1.5 * radius, 1.5 * radius, 0, 0, radius, 0);
    for (int i = 0; i < SMALL; ++i) {
        const double angle = 6.283185307179586 * i / SMALL, away = radius + 0.9;
        qd_test_disk(world, 1.5 * radius + away * qd_cos(angle), 1.5 * radius + away * qd_sin(angle), 0, 0,
                     0.95, 0);
    }
    qdi_colours colours = colour(world);
    ck_assert_uint_ge(qdi_constraint_count(&world->present), SMALL);
    ck_assert(colours.last_is_serial);
    check_greedy(world, qdi_constraint_count(&world->present), &colours);
}

QD_TEST(hub_ends_in_a_serial_colour) {
    check_hub(50, 50);
    check_hub(QDI_COLOURS_MAX, QDI_COLOURS_MAX);
    check_hub(350, QDI_COLOURS_MAX + 1);
}

// Order and colours are kept while the pairs stay the same. A world that was loaded has none to keep, and
// must come to the same: of a heap that comes to rest, in which contacts begin and end less and less often,
// while pairs of it come to touch or part by a little in many steps.
QD_TEST_LOOP(kept_colours_are_those_of_a_fresh_world, 0, 2) {
    qd_world_def def = qd_test_def(14, 40);
    def.gravity = (qd_vec2){0, -9.81};
    def.restitution = 0;
    def.friction = 0.5;
    def.threads = 1 + _i;
    qd_own(qd_world) world = qd_test_world(&def);
    qd_random random = qd_random_at(qd_test_seed(9), 1, 1);
    for (int k = 0; k < 120; ++k) {
        qd_body_def body = qd_body_def_default();
        double size = qd_test_between(&random, 0.5, 1);
        body.shape = k % 3 ? qd_shape_rect(size, 0.8) : qd_shape_disk(0.5 * size);
        body.position = (qd_vec2){1.5 + 1.2 * (k % 10), 1 + 1.2 * (k / 10)};
        (void)qd_test_add(world, &body);
    }
    size_t kept = 0, flips = 0;
    for (int step = 0; step < 400; ++step) {
        qd_own(qd_world) fresh = NULL;
        unsigned char *data = NULL;
        size_t bytes = 0;
        ck_assert_int_eq(qd_world_save(world, &data, &bytes), QD_OK);
        ck_assert_int_eq(qd_world_load(data, bytes, 1, NULL, &fresh, NULL), QD_OK);
        qd_world_save_free(world, data, bytes);
        const size_t pairs = qdi_constraint_count(&world->present), touching = world->present.contact_count;
        qd_test_step(world, 1.0 / 120, 1);
        qd_test_step(fresh, 1.0 / 120, 1);
        ck_assert_uint_eq(qd_world_hash(world), qd_world_hash(fresh));
        kept += pairs == qdi_constraint_count(&world->present);
        flips += pairs == qdi_constraint_count(&world->present) && touching != world->present.contact_count;
    }
    ck_assert_uint_gt(kept, 100); // there was something to keep, and something to tell apart
    ck_assert_uint_gt(flips, 5);
}

QD_TEST_MAIN("colour", 120, NULL, NULL)
