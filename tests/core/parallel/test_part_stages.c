// Stages of parts that wait for their neighbours only: what each reads of them in a stage is what they wrote
// in the one before, whatever the graph and the team, also where threads have no processor; beside one
// thread that goes stage by stage over all parts.
#include "core/parallel/parallel.h"
#include "core/parallel/stages.h"
#include "tests/support/harness.h"
#include "tests/support/teams.h"

#include <quadrille/hash.h>
#include <quadrille/random.h>
#include <stdbool.h>
#include <string.h>

enum { STAGES_MOST = 40 };

/// Each part has a value for even stages and one for odd ones.
typedef struct web {
    size_t parts, stages;
    uint64_t neighbours[QDI_PARTS_MAX];
    uint64_t value[QDI_PARTS_MAX][2];
    unsigned done[QDI_PARTS_MAX];
    bool slow; // some stages take longer than others wait
} web;

static size_t below(qd_random *random, size_t count) {
    return (size_t)(qd_random_bits(random) % count);
}

/// A part's next value comes of its last one and of those of its neighbours.
static void weave(void *context, size_t part, size_t stage) {
    web *w = context;
    uint64_t value = w->value[part][(stage + 1) % 2];
    for (size_t n = 0; n < w->parts; ++n)
        if (w->neighbours[part] >> n & 1) value = qd_hash_mix(value, w->value[n][(stage + 1) % 2]);
    w->value[part][stage % 2] = qd_hash_mix(value, stage);
    w->done[part] += 1;
    for (uint64_t until = qdi_clock_ns() + 20000; w->slow && value % 16 == 0 && qdi_clock_ns() < until;) {
    }
}

static web make_web(qd_random *random, size_t parts) {
    web made = {.parts = parts, .stages = 1 + below(random, STAGES_MOST)};
    const size_t links = below(random, 3 * parts + 1);
    for (size_t k = 0; k < links; ++k) {
        const size_t a = below(random, parts), b = below(random, parts);
        made.neighbours[a] |= UINT64_C(1) << b;
        made.neighbours[b] |= UINT64_C(1) << a;
    }
    for (size_t p = 0; p < parts; ++p) made.value[p][1] = qd_random_bits(random);
    return made;
}

static void check_web(uint64_t seed) {
    qd_random random = qd_random_at(seed, 0, 0);
    web plain = make_web(&random, 1 + below(&random, QDI_PARTS_MAX));
    web shared = plain;
    shared.slow = below(&random, 4) == 0;
    for (size_t stage = 0; stage < plain.stages; ++stage)
        for (size_t part = 0; part < plain.parts; ++part) weave(&plain, part, stage);
    qd_own(qd_team) team = make_team(1 + (int)below(&random, 9));
    for (int again = 0; again < 3; ++again) {
        web here = shared;
        qdi_team_stages(team, here.parts, here.stages, here.neighbours, weave, &here);
        for (size_t part = 0; part < plain.parts; ++part) {
            ck_assert_msg(here.done[part] == here.stages, "seed %llu: part %zu did %u of %zu stages",
                          (unsigned long long)seed, part, here.done[part], here.stages);
            ck_assert_msg(memcmp(here.value[part], plain.value[part], sizeof plain.value[part]) == 0,
                          "seed %llu: part %zu of %zu saw another stage of its neighbours with %d threads",
                          (unsigned long long)seed, part, plain.parts, qd_team_threads(team));
        }
    }
}

QD_TEST(neighbours_are_seen_as_they_were_in_the_stage_before) {
    qd_test_seeds(400, 3, check_web);
}

QD_TEST(no_stages_do_nothing_and_one_part_does_all) {
    qd_own(qd_team) team = make_team(3);
    web none = {.parts = 5}, one = {.parts = 1, .stages = 7, .neighbours = {1}};
    qdi_team_stages(team, none.parts, none.stages, none.neighbours, weave, &none);
    for (size_t part = 0; part < none.parts; ++part) ck_assert_uint_eq(none.done[part], 0);
    qdi_team_stages(team, one.parts, one.stages, one.neighbours, weave, &one);
    ck_assert_uint_eq(one.done[0], 7);
}

QD_TEST_MAIN("part_stages", 120, NULL, NULL)
