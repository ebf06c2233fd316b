#include "sim/base/intern.h"

#include "core/base/memory.h"

#include <string.h>

/// Makes room for one number more.
static qd_status grow(qdi_numbers *numbers) {
    const qd_allocator *allocator = numbers->allocator;
    size_t used = numbers->count, need = used + 1;
    qd_status status = qdi_reserve(allocator, &numbers->hash, &numbers->room[0], used, need,
                                   sizeof *numbers->hash);
    if (status == QD_OK)
        status = qdi_reserve(allocator, &numbers->uses, &numbers->room[1], used, need, sizeof *numbers->uses);
    if (status == QD_OK)
        status = qdi_reserve(allocator, &numbers->next, &numbers->room[2], used, need, sizeof *numbers->next);
    return status;
}

static uint32_t *bucket_of(const qdi_numbers *numbers, uint64_t hash) {
    return &numbers->bucket[hash & (numbers->bucket_count - 1)];
}

/// Twice as many buckets as there may be numbers; a power of two.
static qd_status spread(qdi_numbers *numbers) {
    if (numbers->bucket_count > numbers->live) return QD_OK;
    size_t count = numbers->bucket_count > 0 ? 2 * numbers->bucket_count : 16;
    uint32_t *bucket = qdi_allocate(numbers->allocator, count, sizeof *bucket);
    if (!bucket) return QD_ERR_MEMORY;
    memset(bucket, 0, count * sizeof *bucket);
    qdi_release(numbers->allocator, numbers->bucket, numbers->bucket_count, sizeof *bucket);
    numbers->bucket = bucket;
    numbers->bucket_count = count;
    for (size_t i = 0; i < numbers->count; ++i) {
        if (numbers->uses[i] == 0) continue;
        uint32_t *first = bucket_of(numbers, numbers->hash[i]);
        numbers->next[i] = *first;
        *first = (uint32_t)i + 1;
    }
    return QD_OK;
}

qd_status qdi_numbers_take(qdi_numbers *numbers, uint64_t hash, qdi_same same, const void *context,
                           uint32_t *number, bool *fresh) {
    *fresh = false;
    if (numbers->bucket_count > 0) {
        for (uint32_t at = *bucket_of(numbers, hash); at; at = numbers->next[at - 1]) {
            if (numbers->hash[at - 1] != hash || !same(context, at - 1)) continue;
            numbers->uses[at - 1] += 1;
            *number = at - 1;
            return QD_OK;
        }
    }
    qd_status status = spread(numbers);
    if (status == QD_OK && !numbers->free) status = grow(numbers);
    if (status != QD_OK) return status;
    uint32_t taken = numbers->free ? numbers->free - 1 : (uint32_t)numbers->count++;
    if (numbers->free) numbers->free = numbers->next[taken];
    uint32_t *first = bucket_of(numbers, hash);
    numbers->hash[taken] = hash;
    numbers->uses[taken] = 1;
    numbers->next[taken] = *first;
    *first = taken + 1;
    numbers->live += 1;
    *number = taken;
    *fresh = true;
    return QD_OK;
}

bool qdi_numbers_drop(qdi_numbers *numbers, uint32_t number) {
    if (--numbers->uses[number] > 0) return false;
    uint32_t *link = bucket_of(numbers, numbers->hash[number]);
    while (*link != number + 1) link = &numbers->next[*link - 1];
    *link = numbers->next[number];
    numbers->next[number] = numbers->free;
    numbers->free = number + 1;
    numbers->live -= 1;
    return true;
}

void qdi_numbers_release(qdi_numbers *numbers) {
    qdi_release(numbers->allocator, numbers->hash, numbers->room[0], sizeof *numbers->hash);
    qdi_release(numbers->allocator, numbers->uses, numbers->room[1], sizeof *numbers->uses);
    qdi_release(numbers->allocator, numbers->next, numbers->room[2], sizeof *numbers->next);
    qdi_release(numbers->allocator, numbers->bucket, numbers->bucket_count, sizeof *numbers->bucket);
    *numbers = (qdi_numbers){.allocator = numbers->allocator};
}
