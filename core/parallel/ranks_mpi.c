// Ranks as processes. Whoever makes a call sends all others a note: how this rank fares, and either all that
// it has to say, where that is little, or how much it is about to send to each. A note is as long as what it
// says, and whoever receives one has room for the longest: so a rank that has failed, and says no more than
// that, and one that has not understand each other in whatever call either is. All know all sizes: also
// whether one of them has no room yet for what it is to receive. Only then they meet a second time.
//
// **Waiting.** Nobody waits in MPI, which would keep a processor busy, but asks again and again, gives way to
// others in between, and sleeps when it takes long: so ranks may be more than there are processors, and those
// that are told nothing for a while cost nothing.

#define _POSIX_C_SOURCE 200809L // nanosleep, sched_yield
#include "core/parallel/ranks_mpi.h"

#include "core/base/memory.h"
#include "core/parallel/ranks_impl.h"

#include <mpi.h>
#include <sched.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <time.h>

/// What a rank says in a call where all exchange messages: those to each follow.
typedef struct announcement {
    uint64_t room; ///< for what is received
    uint64_t sizes[QDI_RANKS_MAX];
} announcement;

/// What a rank says in each call; of what comes behind the status as much is sent as there is.
typedef struct note {
    int64_t status;
    union {
        announcement announced;
        unsigned char words[sizeof(announcement)]; ///< to be merged
    };
} note;

/// Lengths of notes: that say how a rank fares, and that announce messages to so many ranks.
#define NOTE_OF_STATUS offsetof(note, words)
#define NOTE_TO(ranks) (offsetof(note, announced.sizes) + (size_t)(ranks) * sizeof(uint64_t))

/// What a message of MPI is: a piece of one from rank to rank, or a note.
enum { TAG_PIECE, TAG_NOTE };

/// What was received, one message after the other.
typedef struct mailbox {
    unsigned char *mail;
    size_t room, used;
} mailbox;

/// This process.
typedef struct mpi_rank {
    qdi_ranks ranks; ///< first: it is what others know of it
    const qd_allocator *allocator;
    size_t piece;
    mailbox exchanged, merged;
    note notes[QDI_RANKS_MAX]; ///< of the present call
} mpi_rank;

/// How often to ask before sleeping, first for short, then for longer.
enum { ASK_AGAIN = 200, ASK_SLOWLY = 4000, SHORT_NS = 50000, LONG_NS = 1000000 };

// Ranks: what a rank is to this backend.
static mpi_rank *of(qdi_ranks *ranks) {
    return (mpi_rank *)ranks;
}

// Ranks: waits for the end of what has been begun.
static void await(MPI_Request *requests, int count) {
    int done = 0;
    for (unsigned asked = 0;; asked += asked < ASK_SLOWLY) {
        MPI_Testall(count, requests, &done, MPI_STATUSES_IGNORE);
        if (done) return;
        const struct timespec moment = {0, asked < ASK_SLOWLY ? SHORT_NS : LONG_NS};
        if (asked < ASK_AGAIN)
            (void)sched_yield();
        else
            (void)nanosleep(&moment, NULL);
    }
}

// Ranks: the worst status in the notes.
static qd_status worst_of(const mpi_rank *rank) {
    int64_t worst = QD_OK;
    for (int q = 0; q < rank->ranks.count; ++q)
        if (rank->notes[q].status > worst) worst = rank->notes[q].status;
    return (qd_status)worst;
}

// Ranks: hands the first bytes of the own note to all; returns the worst status that one came with.
static qd_status pass_notes(mpi_rank *rank, qd_status status, size_t bytes) {
    MPI_Request requests[2 * QDI_RANKS_MAX];
    const int me = rank->ranks.me;
    int count = 0;
    rank->notes[me].status = status;
    for (int q = 0; q < rank->ranks.count; ++q)
        if (q != me)
            MPI_Irecv(&rank->notes[q], (int)sizeof *rank->notes, MPI_BYTE, q, TAG_NOTE, MPI_COMM_WORLD,
                      &requests[count++]);
    for (int q = 0; q < rank->ranks.count; ++q) {
        if (q == me) continue;
        MPI_Isend(&rank->notes[me], (int)bytes, MPI_BYTE, q, TAG_NOTE, MPI_COMM_WORLD, &requests[count++]);
        rank->ranks.sent.notes += 1;
        rank->ranks.sent.note_bytes += bytes;
    }
    if (count > 0) await(requests, count);
    return worst_of(rank); // NOLINT(clang-analyzer-optin.mpi.MPI-Checker): it knows of no list that is tested
}

// Ranks: waits for all; returns the worst status that one came with.
static qd_status meet(qdi_ranks *ranks, qd_status status) {
    return pass_notes(of(ranks), status, NOTE_OF_STATUS);
}

// Ranks: bytes that a rank is about to receive, as the notes say.
static size_t expected(const mpi_rank *rank, int receiver) {
    size_t bytes = 0;
    for (int q = 0; q < rank->ranks.count; ++q)
        bytes += qdi_ranks_aligned((size_t)rank->notes[q].announced.sizes[receiver]);
    return bytes;
}

// Ranks: makes room for what is about to be received. All know whether one of them needs more than it has.
static qd_status make_room(mpi_rank *rank, mailbox *box) {
    bool enough = true;
    for (int q = 0; q < rank->ranks.count; ++q)
        enough = enough && expected(rank, q) <= rank->notes[q].announced.room;
    if (enough) return QD_OK;
    const qd_status status = qdi_reserve(rank->allocator, &box->mail, &box->room, 0,
                                         expected(rank, rank->ranks.me), 1);
    return pass_notes(rank, status, NOTE_OF_STATUS); // the notes still have the sizes
}

// Ranks: the part of a message that goes in a round; of no bytes where it has all gone.
static size_t part_of(const mpi_rank *rank, size_t bytes, size_t round) {
    const size_t from = round * rank->piece;
    if (from >= bytes) return 0;
    return bytes - from < rank->piece ? bytes - from : rank->piece;
}

// Ranks: sends and receives one piece of each message; false where all have gone.
static bool transfer_round(const mpi_rank *rank, const qdi_message *to, const mailbox *box, size_t round) {
    MPI_Request requests[2 * QDI_RANKS_MAX];
    int count = 0;
    unsigned char *at = box->mail;
    for (int q = 0; q < rank->ranks.count; ++q) {
        const size_t incoming = (size_t)rank->notes[q].announced.sizes[rank->ranks.me];
        const size_t bytes = q == rank->ranks.me ? 0 : part_of(rank, incoming, round);
        if (bytes > 0)
            MPI_Irecv(at + round * rank->piece, (int)bytes, MPI_BYTE, q, TAG_PIECE, MPI_COMM_WORLD,
                      &requests[count++]);
        if (incoming > 0) at += qdi_ranks_aligned(incoming);
    }
    for (int q = 0; q < rank->ranks.count; ++q) {
        const size_t bytes = q == rank->ranks.me ? 0 : part_of(rank, to[q].bytes, round);
        if (bytes > 0)
            MPI_Isend((const unsigned char *)to[q].data + round * rank->piece, (int)bytes, MPI_BYTE, q,
                      TAG_PIECE, MPI_COMM_WORLD, &requests[count++]);
    }
    if (count > 0) await(requests, count);
    return count > 0; // NOLINT(clang-analyzer-optin.mpi.MPI-Checker): it knows of no list that is tested
}

// Ranks: a message for each, into a mailbox.
static qd_status swap(mpi_rank *rank, const qdi_message *to, qdi_message *from, mailbox *box) {
    const int me = rank->ranks.me;
    announcement *mine = &rank->notes[me].announced;
    if (qdi_ranks_forgets(box->room, box->used)) {
        qdi_release(rank->allocator, box->mail, box->room, 1);
        *box = (mailbox){.mail = NULL};
    }
    mine->room = box->room;
    for (int q = 0; q < rank->ranks.count; ++q) mine->sizes[q] = q == me ? 0 : to[q].bytes;
    qd_status status = pass_notes(rank, QD_OK, NOTE_TO(rank->ranks.count));
    if (status == QD_OK) status = make_room(rank, box);
    if (status != QD_OK) return status;
    unsigned char *at = box->mail;
    for (int q = 0; q < rank->ranks.count; ++q) {
        from[q] = (qdi_message){at, (size_t)rank->notes[q].announced.sizes[me]};
        if (from[q].bytes > 0) at += qdi_ranks_aligned(from[q].bytes);
    }
    from[me] = to[me];
    box->used = (size_t)(at - box->mail);
    for (size_t round = 0; transfer_round(rank, to, box, round);) ++round;
    return QD_OK;
}

// Ranks: a message for each.
static qd_status exchange(qdi_ranks *ranks, const qdi_message *to, qdi_message *from) {
    return swap(of(ranks), to, from, &of(ranks)->exchanged);
}

// Ranks: each merges what all have said: in their notes, or where that is too much in messages.
static qd_status merged(qdi_ranks *ranks, const void *mine, void *all, size_t bytes, qdi_ranks_merge merge) {
    mpi_rank *rank = of(ranks);
    qdi_message to[QDI_RANKS_MAX] = {{mine, bytes}}, from[QDI_RANKS_MAX] = {{mine, bytes}};
    qd_status status;
    if (bytes <= sizeof rank->notes[0].words) {
        memcpy(rank->notes[ranks->me].words, mine, bytes);
        status = pass_notes(rank, QD_OK, NOTE_OF_STATUS + bytes);
        for (int q = 0; q < ranks->count; ++q) from[q] = (qdi_message){rank->notes[q].words, bytes};
    } else {
        for (int q = 0; q < ranks->count; ++q) to[q] = (qdi_message){mine, bytes};
        status = swap(rank, to, from, &rank->merged);
    }
    if (status != QD_OK) return status;
    memcpy(all, from[0].data, bytes);
    for (int q = 1; q < ranks->count; ++q) merge(all, from[q].data, bytes);
    return QD_OK;
}

static const qdi_ranks_backend backend = {meet, merged, exchange};

qd_status qdi_ranks_mpi_begin(int *argc, char ***argv, size_t piece, qdi_ranks **ranks) {
    int given = MPI_THREAD_SINGLE, me = 0, count = 1;
    const qd_allocator *allocator = qd_allocator_default();
    *ranks = NULL;
    MPI_Init_thread(argc, argv, MPI_THREAD_FUNNELED, &given);
    MPI_Comm_rank(MPI_COMM_WORLD, &me);
    MPI_Comm_size(MPI_COMM_WORLD, &count);
    mpi_rank *made = qdi_allocate(allocator, 1, sizeof *made);
    qd_status status = made ? QD_OK : QD_ERR_MEMORY;
    if (given < MPI_THREAD_FUNNELED) status = QD_ERR_STATE;
    if (count > QDI_RANKS_MAX) status = QD_ERR_VALUE;
    const int mine = (int)status;
    int worst = mine;
    MPI_Allreduce(&mine, &worst, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    if (worst != QD_OK || !made) {
        qdi_release(allocator, made, 1, sizeof *made);
        MPI_Finalize();
        return (qd_status)worst;
    }
    *made = (mpi_rank){.allocator = allocator};
    made->ranks = (qdi_ranks){.backend = &backend, .me = me, .count = count};
    made->piece = piece > 0 ? piece : (size_t)1 << 30;
    *ranks = &made->ranks;
    return QD_OK;
}

void qdi_ranks_mpi_end(qdi_ranks *ranks) {
    if (!ranks) return;
    mpi_rank *rank = of(ranks);
    MPI_Finalize();
    qdi_release(rank->allocator, rank->exchanged.mail, rank->exchanged.room, 1);
    qdi_release(rank->allocator, rank->merged.mail, rank->merged.room, 1);
    qdi_release(rank->allocator, rank, 1, sizeof *rank);
}
