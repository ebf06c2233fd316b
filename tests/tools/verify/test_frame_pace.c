#include "tests/support/harness.h"
#include "tools/verify/frame_pace.h"

#include <inttypes.h>
#include <quadrille/random.h>

// Which frames go together, held against the rule in its plainest form.

enum { MOST = 64, LISTS = 3 };

typedef struct times {
    qdi_frame_entry entries[MOST];
    qdi_frame_list list;
} times;

/// Frames at first, first + every, ...
static const qdi_frame_list *make_times(times *made, double first, double every, size_t count) {
    for (size_t i = 0; i < count; ++i) made->entries[i] = (qdi_frame_entry){i, first + (double)i * every};
    made->list.entries = made->entries;
    made->list.count = count;
    return &made->list;
}

static void expect_places(const qdi_frame_pace *pace, const qdi_frame_list *list, const size_t *places) {
    for (size_t i = 0; i < pace->count; ++i)
        ck_assert_msg(qdi_frame_pace_place(pace, list, i) == places[i], "picture %zu has frame %zu, not %zu",
                      i, qdi_frame_pace_place(pace, list, i), places[i]);
}

QD_TEST(test_equal_times) {
    static times one, two;
    const qdi_frame_list *lists[] = {make_times(&one, 0, 0.1, 5), make_times(&two, 0, 0.1 * (1 + 1e-12), 5)};
    qdi_frame_pace pace;
    ck_assert_int_eq(qdi_frame_pace_find(lists, 2, &pace), QD_OK);
    ck_assert_uint_eq(pace.count, 5);
    for (size_t i = 0; i < 2; ++i) expect_places(&pace, lists[i], (const size_t[]){0, 1, 2, 3, 4});
    ck_assert(!qdi_frame_pace_is_over(&pace, lists[0], 4) && !qdi_frame_pace_is_over(&pace, lists[1], 4));
}

/// The closest frames lead, wherever they stand in the list; the last frame of a shorter run stays.
QD_TEST(test_other_strides_and_ends) {
    static times slow, fast;
    const qdi_frame_list *lists[] = {make_times(&slow, 0, 0.5, 4), make_times(&fast, 0, 0.25, 4)};
    qdi_frame_pace pace;
    ck_assert_int_eq(qdi_frame_pace_find(lists, 2, &pace), QD_OK);
    ck_assert_ptr_eq(pace.leader, lists[1]);
    ck_assert_uint_eq(pace.count, 7);
    expect_places(&pace, lists[0], (const size_t[]){0, 0, 1, 1, 2, 2, 3});
    expect_places(&pace, lists[1], (const size_t[]){0, 1, 2, 3, 3, 3, 3});
    for (size_t i = 0; i < pace.count; ++i) {
        ck_assert_int_eq(qdi_frame_pace_is_over(&pace, lists[1], i), i > 3);
        ck_assert(!qdi_frame_pace_is_over(&pace, lists[0], i));
    }
}

QD_TEST(test_other_beginnings) {
    static times early, late;
    const qdi_frame_list *lists[] = {make_times(&late, 1, 0.25, 3), make_times(&early, 0, 0.5, 4)};
    qdi_frame_pace pace;
    ck_assert_int_eq(qdi_frame_pace_find(lists, 2, &pace), QD_OK);
    ck_assert_uint_eq(pace.lead, 4);
    ck_assert_uint_eq(pace.count, 7);
    expect_places(&pace, lists[0], (const size_t[]){0, 0, 0, 0, 0, 1, 2});
    expect_places(&pace, lists[1], (const size_t[]){0, 0, 1, 1, 2, 2, 3});
}

QD_TEST(test_single_frames) {
    static times one, two;
    const qdi_frame_list *lists[] = {make_times(&one, 0, 1, 1), make_times(&two, 0, 1, 1)};
    qdi_frame_pace pace;
    ck_assert_int_eq(qdi_frame_pace_find(lists, 2, &pace), QD_OK);
    ck_assert_uint_eq(pace.count, 1);
    lists[1] = make_times(&two, 0, 1, 3);
    ck_assert_int_eq(qdi_frame_pace_find(lists, 2, &pace), QD_OK);
    ck_assert_uint_eq(pace.count, 3);
    expect_places(&pace, lists[0], (const size_t[]){0, 0, 0});
}

QD_TEST(test_times_far_apart_are_refused) {
    static times one, two;
    const qdi_frame_list *lists[] = {make_times(&one, 0, 1e-6, 2), make_times(&two, 0, 1e6, 2)};
    qdi_frame_pace pace;
    ck_assert_int_eq(qdi_frame_pace_find(lists, 2, &pace), QD_ERR_VALUE);
}

/// Random runs: the leader shows each of its frames in turn, every run shows its last frame in the end and
/// never goes back, and no frame is later than the leader's (but for a run's first).
QD_TEST(test_random_runs) {
    uint64_t first = qd_test_seed(1);
    size_t cases = qd_test_replaying() ? 1 : qd_test_effort(1000);
    for (uint64_t seed = first; seed < first + cases; ++seed) {
        static times made[LISTS];
        const qdi_frame_list *lists[LISTS];
        qd_random random = qd_random_at(seed, 0, 0);
        for (size_t i = 0; i < LISTS; ++i) {
            double begin = 0.125 * (double)(qd_random_bits(&random) % 4);
            double every = 0.125 * (double)(1 + qd_random_bits(&random) % 6);
            lists[i] = make_times(&made[i], begin, every, 2 + qd_random_bits(&random) % (MOST - 2));
        }
        qdi_frame_pace pace;
        ck_assert_int_eq(qdi_frame_pace_find(lists, LISTS, &pace), QD_OK);
        for (size_t i = 0; i < LISTS; ++i) {
            const qdi_frame_list *list = lists[i];
            for (size_t k = 0; k < pace.count; ++k) {
                double now = pace.leader->entries[0].time + ((double)k - (double)pace.lead) * pace.interval;
                size_t place = qdi_frame_pace_place(&pace, list, k), wanted = 0;
                while (wanted + 1 < list->count && list->entries[wanted + 1].time <= now) ++wanted;
                ck_assert_msg(place == wanted, "seed %" PRIu64 ": list %zu, picture %zu: %zu, not %zu", seed,
                              i, k, place, wanted);
            }
            ck_assert_uint_eq(qdi_frame_pace_place(&pace, list, pace.count - 1), list->count - 1);
        }
    }
}

QD_TEST_MAIN("frame_pace", 0, NULL, NULL)
