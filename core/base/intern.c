#include "core/base/intern.h"

#include "core/base/memory.h"

#include <string.h>

/// Makes room in an intern table for one more number.
static qd_status grow_intern_arrays(qdi_intern *intern) {
    const qd_allocator *allocator = intern->allocator;
    size_t used = intern->count, need = used + 1;
    qd_status status = qdi_reserve(allocator, &intern->hash, &intern->room[0], used, need,
                                   sizeof *intern->hash);
    if (status == QD_OK)
        status = qdi_reserve(allocator, &intern->uses, &intern->room[1], used, need, sizeof *intern->uses);
    if (status == QD_OK)
        status = qdi_reserve(allocator, &intern->next, &intern->room[2], used, need, sizeof *intern->next);
    return status;
}

/// The bucket of a hash.
static uint32_t *intern_bucket(const qdi_intern *intern, uint64_t hash) {
    return &intern->bucket[hash & (intern->bucket_count - 1)];
}

/// Rebuilds the buckets of an intern table when there are too few.
/// Twice as many buckets as there may be numbers; a power of two.
static qd_status rehash_intern_buckets(qdi_intern *intern) {
    if (intern->bucket_count > intern->live) return QD_OK;
    size_t count = intern->bucket_count > 0 ? 2 * intern->bucket_count : 16;
    uint32_t *bucket = qdi_allocate(intern->allocator, count, sizeof *bucket);
    if (!bucket) return QD_ERR_MEMORY;
    memset(bucket, 0, count * sizeof *bucket);
    qdi_release(intern->allocator, intern->bucket, intern->bucket_count, sizeof *bucket);
    intern->bucket = bucket;
    intern->bucket_count = count;
    for (size_t i = 0; i < intern->count; ++i) {
        if (intern->uses[i] == 0) continue;
        uint32_t *first = intern_bucket(intern, intern->hash[i]);
        intern->next[i] = *first;
        *first = (uint32_t)i + 1;
    }
    return QD_OK;
}

qd_status qdi_intern_take(qdi_intern *intern, uint64_t hash, qdi_same same, const void *context,
                          uint32_t *number, bool *fresh) {
    *fresh = false;
    if (intern->bucket_count > 0) {
        for (uint32_t at = *intern_bucket(intern, hash); at; at = intern->next[at - 1]) {
            if (intern->hash[at - 1] != hash || !same(context, at - 1)) continue;
            intern->uses[at - 1] += 1;
            *number = at - 1;
            return QD_OK;
        }
    }
    qd_status status = rehash_intern_buckets(intern);
    if (status == QD_OK && !intern->free) status = grow_intern_arrays(intern);
    if (status != QD_OK) return status;
    uint32_t taken = intern->free ? intern->free - 1 : (uint32_t)intern->count++;
    if (intern->free) intern->free = intern->next[taken];
    uint32_t *first = intern_bucket(intern, hash);
    intern->hash[taken] = hash;
    intern->uses[taken] = 1;
    intern->next[taken] = *first;
    *first = taken + 1;
    intern->live += 1;
    *number = taken;
    *fresh = true;
    return QD_OK;
}

bool qdi_intern_drop(qdi_intern *intern, uint32_t number) {
    if (--intern->uses[number] > 0) return false;
    uint32_t *link = intern_bucket(intern, intern->hash[number]);
    while (*link != number + 1) link = &intern->next[*link - 1];
    *link = intern->next[number];
    intern->next[number] = intern->free;
    intern->free = number + 1;
    intern->live -= 1;
    return true;
}

// Releases a table of interned records.
void qdi_intern_release(qdi_intern *intern) {
    qdi_release(intern->allocator, intern->hash, intern->room[0], sizeof *intern->hash);
    qdi_release(intern->allocator, intern->uses, intern->room[1], sizeof *intern->uses);
    qdi_release(intern->allocator, intern->next, intern->room[2], sizeof *intern->next);
    qdi_release(intern->allocator, intern->bucket, intern->bucket_count, sizeof *intern->bucket);
    *intern = (qdi_intern){.allocator = intern->allocator};
}
