#include "sim/ranks/fleet_looks.h"

#include "core/base/memory.h"
#include "sim/world/names.h"

#include <quadrille/hash.h>
#include <stdlib.h>
#include <string.h>

/// A shape or trait that some rank has: its bytes' hash, of 128 bits, and the name of the first body there.
typedef struct claim {
    uint64_t hash[2], first;
} claim;

/// Numbering on one rank.
typedef struct numbering {
    const qdi_fleet_rank *rank;
    qdi_looks_kind kind;
    qdi_looks *looks;
    claim *claims; ///< rank by rank, of those that decide
    size_t claimed, room;
    size_t first[QDI_RANKS_MAX + 1]; ///< where those to each begin
    uint32_t *of;                    ///< by claim: number in this rank's world
} numbering;

// Fleet's looks: the number of a row's shape or trait in this rank's world.
static uint32_t look_of(const numbering *job, size_t row) {
    const qd_world *part = job->rank->world;
    return job->kind == QDI_LOOKS_SHAPES ? part->shape[row] : part->trait[row];
}

// Fleet's looks: notes which own body has each first.
static void find_first(const numbering *job) {
    const qd_world *part = job->rank->world;
    for (size_t k = 0; k < job->looks->room; ++k) job->looks->first[k] = UINT64_MAX;
    for (size_t i = 0; i < part->index_count; ++i) {
        const uint32_t row = part->row_of_index[i];
        uint64_t *first = &job->looks->first[look_of(job, row)];
        if (*first == UINT64_MAX && !qdi_is_ghost(part, row)) *first = qdi_name_of(part, (qd_body_index)i);
    }
}

// Fleet's looks: what a rank claims of number `k`.
static claim claim_of(const numbering *job, size_t k) {
    const qd_world *part = job->rank->world;
    unsigned char bytes[QDI_SHAPE_BYTES > QDI_TRAIT_BYTES ? QDI_SHAPE_BYTES : QDI_TRAIT_BYTES], *at = bytes;
    if (job->kind == QDI_LOOKS_SHAPES)
        qdi_shape_put(part->shapes.shape[k], &at);
    else
        qdi_trait_put(&part->traits.trait[k], &at);
    const size_t size = (size_t)(at - bytes);
    return (claim){{qd_hash_bytes(bytes, size), qd_hash_seeded(bytes, size, 1)}, job->looks->first[k]};
}

// Fleet's looks: who decides about a claim.
static size_t judge_of(const numbering *job, const claim *one) {
    return (size_t)(one->hash[0] % (uint64_t)qdi_ranks_count(job->rank->ranks));
}

// Fleet's looks: lists the claims by who decides.
static qd_status list_claims(numbering *job) {
    qdi_looks *looks = job->looks;
    for (size_t k = 1; k < looks->room; ++k) job->claimed += looks->first[k] != UINT64_MAX;
    job->room = job->claimed + 1;
    job->claims = qdi_allocate(looks->allocator, job->room, sizeof *job->claims);
    job->of = qdi_allocate(looks->allocator, job->room, sizeof *job->of);
    if (!job->claims || !job->of) return QD_ERR_MEMORY;
    size_t next[QDI_RANKS_MAX + 1] = {0};
    for (int pass = 0; pass < 2; ++pass) {
        for (size_t k = 1; k < looks->room; ++k) {
            if (looks->first[k] == UINT64_MAX) continue;
            const claim one = claim_of(job, k);
            const size_t at = next[judge_of(job, &one)]++;
            if (pass == 0) continue;
            job->claims[at] = one;
            job->of[at] = (uint32_t)k;
        }
        if (pass > 0) break;
        (void)qdi_exclusive_scan(next, QDI_RANKS_MAX + 1);
        memcpy(job->first, next, sizeof next);
    }
    return QD_OK;
}

// Fleet's looks: the order of claims: of one thing, the first body first.
static int compare_claims(const void *p, const void *q) {
    const claim *a = p, *b = q;
    for (int k = 0; k < 2; ++k)
        if (a->hash[k] != b->hash[k]) return a->hash[k] < b->hash[k] ? -1 : 1;
    return a->first < b->first ? -1 : a->first > b->first;
}

// Fleet's looks: the first body of all that have what a claim is about; of claims in order.
static uint64_t first_of(const claim *claims, size_t count, const claim *one) {
    const claim least = {{one->hash[0], one->hash[1]}, 0};
    size_t low = 0, high = count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (compare_claims(&claims[middle], &least) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return claims[low].first;
}

// Fleet's looks: decides the claims that this rank was sent, and sends back who is first.
static qd_status judge(const numbering *job, const qdi_message *claims, claim *all, uint64_t *answers,
                       qdi_message *from) {
    const int ranks = qdi_ranks_count(job->rank->ranks);
    size_t count = 0, at = 0;
    for (int q = 0; q < ranks; ++q) {
        if (claims[q].bytes > 0) memcpy(all + count, claims[q].data, claims[q].bytes);
        count += claims[q].bytes / sizeof *all;
    }
    if (count > 1) qsort(all, count, sizeof *all, compare_claims);
    qdi_message to[QDI_RANKS_MAX];
    for (int q = 0; q < ranks; ++q) {
        const claim *asked = claims[q].data;
        const size_t here = claims[q].bytes / sizeof *asked;
        to[q] = (qdi_message){answers + at, here * sizeof *answers};
        for (size_t k = 0; k < here; ++k) answers[at++] = first_of(all, count, &asked[k]);
    }
    return qdi_ranks_exchange(job->rank->ranks, to, from);
}

// Fleet's looks: hands claims to those who decide; `from` gets who is first, in the order of the claims.
static qd_status settle(const numbering *job, uint64_t *least) {
    qdi_message to[QDI_RANKS_MAX], from[QDI_RANKS_MAX], answers[QDI_RANKS_MAX];
    const int ranks = qdi_ranks_count(job->rank->ranks);
    for (int q = 0; q < ranks; ++q)
        to[q] = (qdi_message){job->claims + job->first[q],
                              (job->first[q + 1] - job->first[q]) * sizeof *job->claims};
    qd_status status = qdi_ranks_exchange(job->rank->ranks, to, from);
    if (status != QD_OK) return status;
    size_t count = 1;
    for (int q = 0; q < ranks; ++q) count += from[q].bytes / sizeof *job->claims;
    const qd_allocator *allocator = job->looks->allocator;
    claim *all = qdi_allocate(allocator, count, sizeof *all);
    uint64_t *said = qdi_allocate(allocator, count, sizeof *said);
    status = all && said ? judge(job, from, all, said, answers) : QD_ERR_MEMORY;
    for (int q = 0; status == QD_OK && q < ranks; ++q)
        if (answers[q].bytes > 0) memcpy(least + job->first[q], answers[q].data, answers[q].bytes);
    qdi_release(allocator, all, count, sizeof *all);
    qdi_release(allocator, said, count, sizeof *said);
    return status;
}

// Fleet's looks: a bit is set where one rank has set it.
static void merge_bits(void *sum, const void *other, size_t bytes) {
    uint64_t *all = sum;
    const uint64_t *more = other;
    for (size_t k = 0; k < bytes / sizeof *all; ++k) all[k] |= more[k];
}

// Fleet's looks: counts bits.
static uint64_t ones(uint64_t mask) {
    uint64_t count = 0;
    for (; mask; mask &= mask - 1) ++count;
    return count;
}

/// Fleet's looks: numbers by the order of the names that were found. `bits`, twice `words`: by name, whether
/// something is first there.
static qd_status number_by(const numbering *job, const uint64_t *least, uint64_t *bits, size_t words) {
    qdi_looks *looks = job->looks;
    uint64_t *all = bits + words;
    memset(bits, 0, words * sizeof *bits);
    for (size_t c = 0; c < job->claimed; ++c) {
        const uint32_t k = job->of[c];
        looks->leads[k] = least[c] == looks->first[k];
        if (looks->leads[k]) bits[least[c] / 64] |= UINT64_C(1) << least[c] % 64;
    }
    const qd_status status = qdi_ranks_merged(job->rank->ranks, bits, all, words * sizeof *bits, merge_bits);
    if (status != QD_OK) return status;
    for (size_t w = 0; w < words; ++w) {
        bits[w] = looks->count; // before this word
        looks->count += ones(all[w]);
    }
    for (size_t c = 0; c < job->claimed; ++c) {
        const uint64_t w = least[c] / 64, below = (UINT64_C(1) << least[c] % 64) - 1;
        looks->number[job->of[c]] = (uint32_t)(1 + bits[w] + ones(all[w] & below));
    }
    return QD_OK;
}

// Fleet's looks: all of it, once there is room for it.
static qd_status number_looks(numbering *job, uint64_t bodies) {
    const qd_allocator *allocator = job->looks->allocator;
    const size_t words = (size_t)(bodies / 64 + 1);
    find_first(job);
    qd_status status = list_claims(job);
    uint64_t *least = qdi_allocate(allocator, job->room, sizeof *least);
    uint64_t *bits = qdi_allocate(allocator, 2 * words, sizeof *bits);
    if (status == QD_OK && (!least || !bits)) status = QD_ERR_MEMORY;
    if (status == QD_OK) status = settle(job, least);
    if (status == QD_OK) status = number_by(job, least, bits, words);
    qdi_release(allocator, job->claims, job->room, sizeof *job->claims);
    qdi_release(allocator, job->of, job->room, sizeof *job->of);
    qdi_release(allocator, least, job->room, sizeof *least);
    qdi_release(allocator, bits, 2 * words, sizeof *bits);
    return status;
}

qd_status qdi_looks_make(const qdi_fleet_rank *rank, qdi_looks_kind kind, uint64_t bodies, qdi_looks *looks) {
    const qd_world *part = rank->world;
    const uint64_t mine = kind == QDI_LOOKS_SHAPES ? part->shapes.numbers.live : part->traits.numbers.live;
    *looks = (qdi_looks){.allocator = rank->allocator};
    uint64_t any = 0;
    qd_status status = qdi_ranks_merged(rank->ranks, &mine, &any, sizeof any, qdi_ranks_add_counts);
    if (status != QD_OK) return status;
    looks->room = 1 + (kind == QDI_LOOKS_SHAPES ? part->shapes.numbers.count : part->traits.numbers.count);
    looks->first = qdi_allocate(rank->allocator, looks->room, sizeof *looks->first);
    looks->number = qdi_allocate(rank->allocator, looks->room, sizeof *looks->number);
    looks->leads = qdi_allocate(rank->allocator, looks->room, sizeof *looks->leads);
    if (!looks->first || !looks->number || !looks->leads) return QD_ERR_MEMORY;
    memset(looks->number, 0, looks->room * sizeof *looks->number);
    memset(looks->leads, 0, looks->room * sizeof *looks->leads);
    numbering job = {.rank = rank, .kind = kind, .looks = looks};
    return any > 0 ? number_looks(&job, bodies) : QD_OK; // else all have the default
}

void qdi_looks_release(qdi_looks *looks) {
    qdi_release(looks->allocator, looks->first, looks->room, sizeof *looks->first);
    qdi_release(looks->allocator, looks->number, looks->room, sizeof *looks->number);
    qdi_release(looks->allocator, looks->leads, looks->room, sizeof *looks->leads);
    *looks = (qdi_looks){.allocator = looks->allocator};
}
