#ifndef QUADRILLE_ALLOC_H
#define QUADRILLE_ALLOC_H

#include <quadrille/api.h>
#include <stddef.h>

QD_BEGIN_DECLS

/// The functions that an object allocates and frees memory with. Defs hold a pointer to one; NULL means the C
/// heap. The allocator must outlive every object made with it. The functions are called from the thread that
/// calls the library, except where a function says otherwise.
typedef struct qd_allocator {
    /// Returns `bytes` (> 0) bytes aligned to 64, or NULL.
    void *(*allocate)(void *context, size_t bytes);
    /// Frees what `allocate` returned; `memory` is never NULL, `bytes` is the size that was requested.
    void (*release)(void *context, void *memory, size_t bytes);
    void *context;
} qd_allocator;

/// The C heap. Any thread.
QD_API const qd_allocator *qd_allocator_default(void);

QD_END_DECLS

#endif
