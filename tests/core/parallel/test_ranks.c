#include "core/parallel/ranks.h"
#include "tests/support/harness.h"

#include <stdbool.h>
#include <string.h>
#include <time.h>

enum { ROUNDS = 40 };

/// What the ranks of a test share; each writes its own place.
struct crew {
    uint64_t sums[QDI_RANKS_MAX], letters[QDI_RANKS_MAX];
    qd_status said[QDI_RANKS_MAX][ROUNDS];
    size_t calls[QDI_RANKS_MAX];
};

/// Lets so many ranks work, the caller as one of them.
static qd_status run(const qd_allocator *allocator, int count, qdi_ranks_work work, void *context) {
    qdi_ranks *ranks = NULL;
    const qd_status status = qdi_ranks_start(allocator, count, work, context, &ranks);
    if (status == QD_OK) work(ranks, context);
    qdi_ranks_end(ranks);
    return status;
}

/// Some ranks are late, others in other rounds.
static void dawdle(int rank, int round) {
    if ((rank * 7 + round * 3) % 11 == 0) (void)nanosleep(&(struct timespec){0, 300000}, NULL);
}

static void add(void *sum, const void *other, size_t bytes) {
    uint64_t *all = sum;
    const uint64_t *more = other;
    for (size_t i = 0; i < bytes / sizeof *all; ++i) all[i] = 3 * all[i] + more[i]; // order counts
}

static uint64_t number(int rank, int round) {
    return (uint64_t)rank * 1000 + (uint64_t)round;
}

static void merge_in_turn(qdi_ranks *ranks, void *context) {
    struct crew *crew = context;
    const int me = qdi_ranks_me(ranks), count = qdi_ranks_count(ranks);
    for (int round = 0; round < ROUNDS; ++round) {
        dawdle(me, round);
        const uint64_t mine = number(me, round);
        uint64_t all = 0, expected = number(0, round);
        ck_assert_int_eq(qdi_ranks_merged(ranks, &mine, &all, sizeof all, add), QD_OK);
        for (int q = 1; q < count; ++q) expected = 3 * expected + number(q, round);
        crew->sums[me] += all == expected ? 1 : 0;
    }
}

QD_TEST_LOOP(merged_in_the_order_of_ranks, 1, 9) {
    struct crew crew = {{0}, {0}, {{0}}, {0}};
    ck_assert_int_eq(run(qd_allocator_default(), _i, merge_in_turn, &crew), QD_OK);
    for (int q = 0; q < _i; ++q) ck_assert_uint_eq(crew.sums[q], ROUNDS);
}

/// Rank p sends p + q + round letters to rank q, in even rounds; none to some.
static size_t letters(int from, int to, int round) {
    return (from + to + round) % 3 == 0 ? 0 : (size_t)(from + 2 * to + round);
}

static void exchange_in_turn(qdi_ranks *ranks, void *context) {
    struct crew *crew = context;
    const int me = qdi_ranks_me(ranks), count = qdi_ranks_count(ranks);
    static _Thread_local char text[QDI_RANKS_MAX][512];
    for (int round = 0; round < ROUNDS; ++round) {
        qdi_message to[QDI_RANKS_MAX], from[QDI_RANKS_MAX];
        for (int q = 0; q < count; ++q) {
            to[q] = (qdi_message){text[q], letters(me, q, round)};
            memset(text[q], 'a' + (me * 5 + q + round) % 26, to[q].bytes);
        }
        dawdle(me, round);
        ck_assert_int_eq(qdi_ranks_exchange(ranks, to, from), QD_OK);
        for (int q = 0; q < count; ++q)
            if (q != me) memset(text[q], '-', sizeof text[q]); // what was received is the receiver's
        for (int q = 0; q < count; ++q) {
            bool right = from[q].bytes == letters(q, me, round);
            const char *at = from[q].data;
            for (size_t i = 0; right && i < from[q].bytes; ++i)
                right = at[i] == 'a' + (q * 5 + me + round) % 26;
            crew->letters[me] += right ? 1 : 0;
        }
    }
}

QD_TEST_LOOP(letters_arrive, 1, 9) {
    struct crew crew = {{0}, {0}, {{0}}, {0}};
    ck_assert_int_eq(run(qd_allocator_default(), _i, exchange_in_turn, &crew), QD_OK);
    for (int q = 0; q < _i; ++q) ck_assert_uint_eq(crew.letters[q], (uint64_t)ROUNDS * (uint64_t)_i);
}

/// A piece of work: some calls, of which one rank makes fewer in some rounds, and fails.
static qd_status piece(qdi_ranks *ranks, int round, size_t *calls) {
    const int me = qdi_ranks_me(ranks), count = qdi_ranks_count(ranks);
    const bool fails = round % 3 == 1 && me == round % count;
    qdi_message to[QDI_RANKS_MAX], from[QDI_RANKS_MAX];
    for (int q = 0; q < count; ++q) to[q] = (qdi_message){&round, sizeof round};
    qd_status status = QD_OK;
    for (int call = 0; call < 4 && status == QD_OK; ++call) {
        const uint64_t one = 1;
        uint64_t all = 0;
        if (fails && call == round / 3 % 4) return QD_ERR_LIMIT;
        if (fails && round % 2 && me == 0 && call == 3) return QD_ERR_MEMORY;
        dawdle(me, round + call);
        status = call % 2 ? qdi_ranks_exchange(ranks, to, from)
                          : qdi_ranks_merged(ranks, &one, &all, sizeof all, add);
        *calls += status == QD_OK;
    }
    return status;
}

static void fail_in_turn(qdi_ranks *ranks, void *context) {
    struct crew *crew = context;
    const int me = qdi_ranks_me(ranks);
    for (int round = 0; round < ROUNDS; ++round)
        crew->said[me][round] = qdi_ranks_agree(ranks, piece(ranks, round, &crew->calls[me]));
}

// What one rank fails at all fail at, and go on from there; nobody waits for a call that does not come.
QD_TEST_LOOP(failures_are_everybodys, 1, 9) {
    struct crew crew = {{0}, {0}, {{0}}, {0}};
    ck_assert_int_eq(run(qd_allocator_default(), _i, fail_in_turn, &crew), QD_OK);
    for (int q = 0; q < _i; ++q) {
        for (int round = 0; round < ROUNDS; ++round)
            ck_assert_int_eq(crew.said[q][round], round % 3 == 1 ? QD_ERR_LIMIT : QD_OK);
        ck_assert_uint_eq(crew.calls[q], crew.calls[0]);
    }
}

static void nothing(qdi_ranks *ranks, void *context) {
    size_t *calls = context;
    if (qdi_ranks_me(ranks) == 0) *calls += 1;
}

QD_TEST(without_memory_nobody_works) {
    qd_test_allocator failing;
    size_t calls = 0, fail = 1;
    for (;; ++fail) {
        failing = qd_test_allocator_of(&failing, fail);
        const qd_status status = run(&failing.allocator, 4, nothing, &calls);
        if (qd_test_had_memory(&failing, status)) break;
        ck_assert_uint_eq(calls, 0);
    }
    ck_assert_uint_gt(fail, 4);
    ck_assert_uint_eq(calls, 1);
    ck_assert_int_eq(run(qd_allocator_default(), 0, nothing, &calls), QD_ERR_VALUE);
    ck_assert_int_eq(run(qd_allocator_default(), QDI_RANKS_MAX + 1, nothing, &calls), QD_ERR_VALUE);
}

QD_TEST_MAIN("ranks", 60, NULL, NULL)
