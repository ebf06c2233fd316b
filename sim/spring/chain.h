#pragma once

#include "core/base/memory.h"
#include "sim/world/scratch.h"

/// Chains of the ends of contacts, or of candidates, at a body. Every contact has two ends, one at each body:
/// an atomic exchange makes an end the head of its body's chain, whatever head there was comes next. In which
/// order ends come to hang there is chance; so who goes through a chain puts it in order before. Heads are 0
/// (no end) outside of these passes:
///
///   head by row   | 0 | 5 | 0 | 2 |        end 2 s + 1: body a of the contact at s; 2 s + 2: body b
///   next by end   |   ...  5 -> 3 -> 8 -> 0

/// Springs' forces: makes room for the chains of so many rows, which begin empty, and their ends.
/// Errors: QD_ERR_MEMORY.
static inline QD_MUST_USE qd_status qdi_chain_reserve(const qd_allocator *allocator, qdi_scratch *scratch,
                                                      size_t rows, size_t ends) {
    qd_status status = qdi_reserve(allocator, &scratch->chain, &scratch->chain_room, 0, ends + 1,
                                   sizeof *scratch->chain);
    const size_t room = scratch->head_room;
    if (status == QD_OK)
        status = qdi_reserve(allocator, &scratch->heads, &scratch->head_room, 0, rows,
                             sizeof *scratch->heads);
    if (status == QD_OK && scratch->head_room > room)
        for (size_t r = 0; r < scratch->head_room; ++r) atomic_init(&scratch->heads[r], 0);
    return status;
}

/// Springs' forces: hangs an end into the chain of a body. `alone`: nobody else does.
static inline void qdi_chain_end(const qdi_scratch *scratch, bool alone, uint32_t row, uint32_t end,
                                 uint32_t key) {
    uint32_t next;
    if (alone) {
        next = atomic_load_explicit(&scratch->heads[row], memory_order_relaxed);
        atomic_store_explicit(&scratch->heads[row], end, memory_order_relaxed);
    } else {
        next = atomic_exchange_explicit(&scratch->heads[row], end, memory_order_relaxed);
    }
    scratch->chain[end] = (qdi_chain_link){next, key};
}

/// Springs' forces: takes the chain of a body from it; returns its first end, or 0.
static inline uint32_t qdi_chain_take(const qdi_scratch *scratch, size_t row) {
    const uint32_t head = atomic_load_explicit(&scratch->heads[row], memory_order_relaxed);
    if (head) atomic_store_explicit(&scratch->heads[row], 0, memory_order_relaxed);
    return head;
}

/// Springs' forces: two chains in order become one.
static inline uint32_t qdi_chain_merge(qdi_chain_link *links, uint32_t p, uint32_t q) {
    uint32_t first = 0, *tail = &first;
    while (p && q) {
        uint32_t *least = links[p].key < links[q].key ? &p : &q;
        *tail = *least;
        tail = &links[*least].next;
        *least = links[*least].next;
    }
    *tail = p ? p : q;
    return first;
}

/// Springs' forces: puts a chain in order: piece k holds 2^k ends in order, or none.
static inline uint32_t qdi_chain_sort(qdi_chain_link *links, uint32_t head) {
    enum { PIECES = 32 };
    uint32_t piece[PIECES] = {0};
    while (head) {
        uint32_t chain = head;
        head = links[head].next;
        links[chain].next = 0;
        int k = 0;
        for (; piece[k]; ++k) {
            chain = qdi_chain_merge(links, piece[k], chain);
            piece[k] = 0;
        }
        piece[k] = chain;
    }
    uint32_t all = 0;
    for (int k = 0; k < PIECES; ++k) all = qdi_chain_merge(links, piece[k], all);
    return all;
}
