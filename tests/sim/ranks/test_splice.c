// Lists from which some items go and into which others come: places beside a list that is put together item
// by item.
#include "core/base/memory.h"
#include "sim/ranks/splice.h"
#include "tests/support/harness.h"

#include <quadrille/random.h>

static void run_splice(uint64_t seed) {
    qd_random random = qd_random_at(seed, 0, 3);
    const size_t count = qd_test_below(&random, seed % 4 ? 40 : 20000);
    const size_t coming = qd_test_below(&random, seed % 3 ? 20 : 9000);
    const size_t gone = qd_test_below(&random, 9);
    qd_own_memory uint8_t *fate = qd_test_memory(count + 1);
    qd_own_memory uint32_t *before = qd_test_memory((coming + 1) * sizeof *before);
    for (size_t i = 0; i < count; ++i)
        fate[i] = (uint8_t)(qd_test_below(&random, 8) < gone ? QDI_SPLICE_GOES
                                                             : 2 * qd_test_below(&random, 2));
    size_t at = 0;
    for (size_t k = 0; k < coming; ++k) { // growing, some at one place
        at += qd_test_below(&random, 2 + 2 * count / (coming + 1));
        before[k] = (uint32_t)(at < count ? at : count);
    }
    qd_team *team = NULL;
    qd_team_def def = qd_team_def_default();
    def.threads = 1 + (int)(seed % 3);
    ck_assert_int_eq(qd_team_create(&def, &team), QD_OK);
    qdi_arena arena = {.allocator = qdi_allocator_or_default(NULL)};
    qdi_splice splice = {.fate = fate, .count = count, .before = before, .coming = coming};
    ck_assert_int_eq(qdi_splice_find(team, &arena, &splice), QD_OK);
    uint32_t place = 0;
    for (size_t i = 0, k = 0; i <= count; ++i) {
        for (; k < coming && before[k] == i; ++k)
            QD_TEST_CHECK(splice.place[k] == place++, seed, "newcomer", (int)k, "is at %u", splice.place[k]);
        if (i == count) break;
        const uint32_t expected = fate[i] & QDI_SPLICE_GOES ? UINT32_MAX : place++;
        QD_TEST_CHECK(splice.to[i] == expected, seed, "item", (int)i, "is at %u", splice.to[i]);
    }
    ck_assert_uint_eq(splice.all, place);
    qdi_arena_release(&arena);
    qd_team_destroy(team);
}

QD_TEST(places_are_those_of_the_list) {
    qd_test_seeds(80, 0, run_splice);
}

QD_TEST_MAIN("splice", 60, NULL, NULL)
