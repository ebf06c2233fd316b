// Sorts of one thread and of teams, against qsort.
#include "core/parallel/sort.h"

#include "core/parallel/parallel.h"
#include "tests/support/harness.h"
#include "tests/support/teams.h"

#include <quadrille/random.h>
#include <stdlib.h>

static const int teams[] = {1, 2, 7, 20};
enum { TEAMS = sizeof teams / sizeof teams[0] };

typedef struct item {
    uint64_t key;
    uint32_t value;
    size_t place; // before
} item;

static int compare_items(const void *left, const void *right) {
    const item *a = left;
    const item *b = right;
    if (a->key != b->key) return a->key < b->key ? -1 : 1;
    return a->place < b->place ? -1 : a->place > b->place;
}

// `high` is common to all keys, above the `bits` bits in which they differ; `kinds` how many different keys
// there are, 0 = any.
static void sort_case(qd_team *team, size_t n, int bits, uint64_t high, uint64_t kinds, bool with_values) {
    qd_random random = qd_random_at(n, (uint64_t)bits, 2);
    qd_own_memory uint64_t *keys = qd_test_memory((n + 1) * sizeof *keys);
    qd_own_memory uint64_t *keys_spare = qd_test_memory((n + 1) * sizeof *keys);
    qd_own_memory uint32_t *values = qd_test_memory((n + 1) * sizeof *values);
    qd_own_memory uint32_t *values_spare = qd_test_memory((n + 1) * sizeof *values);
    qd_own_memory item *items = qd_test_memory((n + 1) * sizeof *items);
    uint64_t mask = bits == 64 ? UINT64_MAX : (UINT64_C(1) << bits) - 1;
    for (size_t i = 0; i < n; ++i) {
        uint64_t key = qd_random_bits(&random);
        if (kinds > 0) key = key % kinds * (mask / kinds);
        keys[i] = (key & mask) | (high & ~mask);
        values[i] = (uint32_t)qd_random_bits(&random);
        items[i] = (item){keys[i], values[i], i};
    }
    keys[n] = keys_spare[n] = 12345; // fences
    values[n] = values_spare[n] = 54321;
    qsort(items, n, sizeof *items, compare_items);
    ck_assert_int_eq(qdi_team_sort(team, keys, with_values ? values : NULL, keys_spare,
                                   with_values ? values_spare : NULL, n, bits),
                     QD_OK);
    for (size_t i = 0; i < n; ++i) { // an assertion for each would take longer than the sort
        if (keys[i] != items[i].key) ck_abort_msg("%zu keys of %d bits: place %zu", n, bits, i);
        if (with_values && values[i] != items[i].value)
            ck_abort_msg("%zu keys of %d bits: value at %zu", n, bits, i);
    }
    ck_assert(keys[n] == 12345 && keys_spare[n] == 12345 && values[n] == 54321 && values_spare[n] == 54321);
}

QD_TEST_LOOP(sorts_like_qsort_and_stably, 0, TEAMS) {
    static const size_t counts[] = {0,    1,    2,    3,     63,    64,    65,    1000,
                                    2047, 2048, 9000, 40000, 65535, 65536, 100000};
    static const int bits[] = {0, 1, 11, 12, 23, 40, 64};
    qd_own(qd_team) team = make_team(teams[_i]);
    for (size_t c = 0; c < sizeof counts / sizeof counts[0]; ++c) {
        sort_case(team, counts[c], 30, 0, 1, true); // all equal
        for (size_t b = 0; b < sizeof bits / sizeof bits[0]; ++b) {
            if (counts[c] > 2000 && b % 3 != 0) continue;
            uint64_t high = UINT64_C(0xa5a5a5a5a5a5a5a5);
            sort_case(team, counts[c], bits[b], high, 0, true);
            sort_case(team, counts[c], bits[b], 0, 0, false);
            sort_case(team, counts[c], bits[b], high, 5, true); // many equal ones
        }
    }
}

// By the upper bits alone, then what is left.
QD_TEST(sorts_by_some_bits) {
    static const size_t counts[] = {0, 1, 2, 63, 64, 1000, 5000};
    for (size_t c = 0; c < sizeof counts / sizeof counts[0]; ++c) {
        const size_t n = counts[c];
        qd_own_memory uint64_t *keys = qd_test_memory((n + 1) * sizeof *keys);
        qd_own_memory uint64_t *spare = qd_test_memory((n + 1) * sizeof *spare);
        qd_own_memory uint32_t *values = qd_test_memory((n + 1) * sizeof *values);
        qd_own_memory uint32_t *values_spare = qd_test_memory((n + 1) * sizeof *values);
        qd_random random = qd_random_at(n, 3, 2);
        for (size_t i = 0; i < n; ++i) {
            keys[i] = qd_random_bits(&random) >> 40;
            values[i] = (uint32_t)i;
        }
        qdi_sort(keys, values, spare, values_spare, n, 17);
        for (size_t i = 1; i < n; ++i) {
            ck_assert_uint_le(keys[i - 1] >> 17, keys[i] >> 17);
            if (keys[i - 1] >> 17 == keys[i] >> 17) ck_assert_uint_lt(values[i - 1], values[i]);
        }
        qdi_sort_near(keys, values, n);
        for (size_t i = 1; i < n; ++i) ck_assert_uint_le(keys[i - 1], keys[i]);
        random = qd_random_at(n, 3, 2);
        for (size_t i = 0; i < n; ++i) spare[i] = qd_random_bits(&random) >> 40;
        for (size_t i = 0; i < n; ++i) ck_assert_uint_eq(keys[i], spare[values[i]]);
    }
}

QD_TEST(sort_without_memory_moves_nothing) {
    enum { N = 70000 };
    static uint64_t keys[N], spare[N];
    static uint32_t values[N], values_spare[N];
    size_t sorts_refused = 0;
    bool done = false;
    for (size_t fail_at = 1; !done; ++fail_at) {
        qd_test_allocator memory = qd_test_allocator_of(&memory, fail_at);
        qd_team_def def = qd_team_def_default();
        def.threads = 2;
        def.allocator = &memory.allocator;
        qd_team *team = NULL;
        qd_status status = qd_team_create(&def, &team);
        ck_assert_int_eq(status, memory.calls >= fail_at ? QD_ERR_MEMORY : QD_OK);
        ck_assert_int_eq(team == NULL, status != QD_OK);
        if (status == QD_OK) {
            for (size_t i = 0; i < N; ++i) keys[i] = N - i, values[i] = (uint32_t)i;
            status = qdi_team_sort(team, keys, values, spare, values_spare, N, 20);
            done = status == QD_OK;
            sorts_refused += !done;
            ck_assert_int_eq(status, memory.calls >= fail_at ? QD_ERR_MEMORY : QD_OK);
            for (size_t i = 0; i < N; ++i) ck_assert_uint_eq(keys[i], done ? i + 1 : N - i);
            for (size_t i = 0; i < N; ++i) ck_assert_uint_eq(values[i], done ? N - 1 - i : i);
        }
        qd_team_destroy(team);
        ck_assert_uint_eq(memory.live, 0);
    }
    ck_assert_uint_gt(sorts_refused, 0);
}

QD_TEST_MAIN("sort", 240, NULL, NULL)
