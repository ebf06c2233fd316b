#ifndef QD_CORE_POOL_H
#define QD_CORE_POOL_H

#include <quadrille/alloc.h>
#include <quadrille/status.h>

#include <stddef.h>

/// Memory that workers take pieces of while they work together, all of which goes back at once: what each of
/// them will need depends on who is faster, what all of them need together does not. It lies in one block;
/// where that was too small, others are added, and next time there is one as large as all of them.
typedef struct qdi_pool {
    struct qdi_pool_block *block; // the last, which links to the others
    size_t used;                  // of it
    size_t taken;                 // in all, since the beginning
    int busy;
} qdi_pool;

/// Takes all pieces back, and sees that there is room for `least` bytes or more in one block. Errors:
/// QD_ERR_MEMORY; nothing is held then.
QD_MUST_USE qd_status qdi_pool_begin(qdi_pool *pool, const qd_allocator *allocator, size_t least);

/// A piece, aligned to 64; any worker may call, and waits for others. NULL where there is no memory.
void *qdi_pool_take(qdi_pool *pool, const qd_allocator *allocator, size_t bytes);

/// While one worker is between these two no other is, nor takes a piece: for whoever else calls the
/// allocator.
void qdi_pool_enter(qdi_pool *pool);
void qdi_pool_leave(qdi_pool *pool);

/// Memory held.
size_t qdi_pool_bytes(const qdi_pool *pool);

void qdi_pool_release(qdi_pool *pool, const qd_allocator *allocator);

#endif
