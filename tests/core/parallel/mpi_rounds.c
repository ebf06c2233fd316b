// A rank of several that `mpirun` starts: says by its exit code whether what ranks that are processes tell
// each other arrives, in short pieces too, and whether what one fails at all fail at. Run by test_ranks_mpi.

#include "core/parallel/ranks_mpi.h"

#include <quadrille/alloc.h>

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

enum { ROUNDS = 30, PIECE = 1000, MOST = 20000, NUMBERS = 700 };

// Rounds of ranks: order counts.
static void add(void *sum, const void *other, size_t bytes) {
    uint64_t *all = sum;
    const uint64_t *more = other;
    for (size_t i = 0; i < bytes / sizeof *all; ++i) all[i] = 3 * all[i] + more[i];
}

// Rounds of ranks: number i of what a rank says in a round.
static uint64_t number(int rank, int round, size_t i) {
    return (uint64_t)rank * 1000 + (uint64_t)round + 7 * i;
}

// Rounds of ranks: merges so many numbers; those that came out wrong.
static size_t merge_numbers(qdi_ranks *ranks, int round, size_t count) {
    uint64_t mine[NUMBERS], all[NUMBERS];
    size_t wrong = 0;
    for (size_t i = 0; i < count; ++i) mine[i] = number(qdi_ranks_me(ranks), round, i);
    if (qdi_ranks_merged(ranks, mine, all, count * sizeof *mine, add) != QD_OK) return 1;
    for (size_t i = 0; i < count; ++i) {
        uint64_t expected = number(0, round, i);
        for (int q = 1; q < qdi_ranks_count(ranks); ++q) expected = 3 * expected + number(q, round, i);
        wrong += all[i] != expected;
    }
    return wrong;
}

// Rounds of ranks: letters that one sends to another; none to some, and to some more than a piece.
static size_t letters(int from, int to, int round) {
    return (from + to + round) % 3 == 0 ? 0 : (size_t)((from + 2 * to + 1) * round * 97) % MOST;
}

// Rounds of ranks: a letter that one sends to another.
static unsigned char letter(int from, int to, int round) {
    return (unsigned char)(from * 5 + to * 3 + round);
}

// Rounds of ranks: exchanges letters; those that came out wrong.
static size_t exchange_letters(qdi_ranks *ranks, int round) {
    static unsigned char text[QDI_RANKS_MAX][MOST];
    qdi_message to[QDI_RANKS_MAX], from[QDI_RANKS_MAX];
    const int me = qdi_ranks_me(ranks), count = qdi_ranks_count(ranks);
    size_t wrong = 0;
    for (int q = 0; q < count; ++q) {
        to[q] = (qdi_message){text[q], letters(me, q, round)};
        memset(text[q], letter(me, q, round), to[q].bytes);
    }
    if (qdi_ranks_exchange(ranks, to, from) != QD_OK) return 1;
    for (int q = 0; q < count; ++q)
        if (q != me) memset(text[q], 0, sizeof text[q]); // what was received is the receiver's
    for (int q = 0; q < count; ++q) {
        const unsigned char *at = from[q].data;
        wrong += from[q].bytes != letters(q, me, round);
        for (size_t i = 0; i < from[q].bytes; ++i) wrong += at[i] != letter(q, me, round);
    }
    return wrong;
}

// Rounds of ranks: a piece of work that one rank breaks off; what it says in the end on all.
static qd_status fail_in_turn(qdi_ranks *ranks, int round, size_t *wrong) {
    for (int call = 0; call < 4; ++call) {
        if (qdi_ranks_me(ranks) == round % qdi_ranks_count(ranks) && call == round % 4) return QD_ERR_LIMIT;
        const uint64_t one = 1;
        uint64_t all = 0;
        qdi_message to[QDI_RANKS_MAX], from[QDI_RANKS_MAX];
        for (int q = 0; q < qdi_ranks_count(ranks); ++q) to[q] = (qdi_message){&one, sizeof one};
        const qd_status status = call % 2 ? qdi_ranks_exchange(ranks, to, from)
                                          : qdi_ranks_merged(ranks, &one, &all, sizeof all, add);
        *wrong += (status == QD_OK) != (call < round % 4);
        if (status != QD_OK) return status;
    }
    return QD_OK;
}

/// What notes say: a status, a length, and how much comes for each of some ranks.
enum { WORD = 8 };

// Rounds of ranks: whether so many notes to each other rank were sent since a moment, so long all together.
static bool noted(const qdi_ranks *ranks, qdi_ranks_sent since, size_t notes, size_t bytes) {
    const uint64_t others = (uint64_t)qdi_ranks_count(ranks) - 1;
    const qdi_ranks_sent now = qdi_ranks_count_sent(ranks);
    return now.notes - since.notes == notes * others && now.note_bytes - since.note_bytes == bytes * others;
}

// Rounds of ranks: makes one call of each kind; how many sent another note than one that says what there is
// to say. There is room for what is received.
static size_t count_notes(qdi_ranks *ranks) {
    const uint64_t mine[3] = {1, 2, 3};
    uint64_t all[3];
    const size_t count = (size_t)qdi_ranks_count(ranks);
    qdi_message to[QDI_RANKS_MAX], from[QDI_RANKS_MAX];
    for (size_t q = 0; q < count; ++q) to[q] = (qdi_message){mine, sizeof mine};
    qdi_ranks_sent before = qdi_ranks_count_sent(ranks);
    size_t wrong = qdi_ranks_agree(ranks, QD_OK) != QD_OK;
    wrong += !noted(ranks, before, 1, WORD);
    before = qdi_ranks_count_sent(ranks);
    wrong += qdi_ranks_merged(ranks, mine, all, sizeof mine, add) != QD_OK;
    wrong += !noted(ranks, before, 1, WORD + sizeof mine);
    before = qdi_ranks_count_sent(ranks);
    wrong += qdi_ranks_exchange(ranks, to, from) != QD_OK;
    return wrong + !noted(ranks, before, 1, 2 * WORD + count * WORD);
}

int main(int argc, char **argv) {
    qdi_ranks *ranks = NULL;
    if (qdi_ranks_mpi_begin(&argc, &argv, PIECE, &ranks) != QD_OK) return 3;
    const int me = qdi_ranks_me(ranks), count = qdi_ranks_count(ranks);
    uint64_t wrong = 0, all = 0;
    for (int round = 0; round < ROUNDS; ++round) {
        wrong += merge_numbers(ranks, round, 1 + (size_t)round);
        wrong += merge_numbers(ranks, round, NUMBERS);
        wrong += exchange_letters(ranks, round);
        size_t others = 0;
        wrong += qdi_ranks_agree(ranks, fail_in_turn(ranks, round, &others)) != QD_ERR_LIMIT;
        wrong += others;
    }
    wrong += count_notes(ranks);
    if (qdi_ranks_merged(ranks, &wrong, &all, sizeof all, add) != QD_OK) all = 1;
    if (me == 0) printf("%d ranks, %llu wrong\n", count, (unsigned long long)all);
    qdi_ranks_mpi_end(ranks);
    return me == 0 && all > 0 ? 1 : 0;
}
