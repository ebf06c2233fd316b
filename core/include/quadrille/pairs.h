#ifndef QUADRILLE_PAIRS_H
#define QUADRILLE_PAIRS_H

#include <quadrille/alloc.h>
#include <quadrille/status.h>
#include <stddef.h>
#include <stdint.h>

QD_BEGIN_DECLS

/// A body's place in its owner's table.
typedef uint32_t qd_body_index;

/// No body.
#define QD_NO_BODY UINT32_MAX

/// Indices are below this.
#define QD_BODY_INDEX_MAX (UINT32_C(1) << 28)

/// Which periodic image of a body takes part: (x, y) periods are to be added to its position. (0, 0) where
/// the world is not periodic.
typedef struct qd_image {
    int16_t x, y;
} qd_image;

/// Two bodies a < b whose boxes overlap. `image` is that of b: b's position plus image times period lies
/// beside a's.
typedef struct qd_pair {
    qd_body_index a, b;
    qd_image image;
} qd_pair;

/// A growing array of pairs, filled by qd_tree_pairs. It keeps its memory from call to call, so a steady
/// state allocates nothing. One call at a time; each thread that searches needs its own.
typedef struct qd_pairs qd_pairs;

/// Makes an empty array; at most `limit` pairs are ever accepted (0 < limit). `allocator` NULL: the C heap;
/// its functions are called from the team's threads, one at a time. Errors: QD_ERR_MEMORY, QD_ERR_VALUE.
QD_API QD_MUST_USE qd_status qd_pairs_create(size_t limit, const qd_allocator *allocator, qd_pairs **pairs);

/// Frees it; NULL is fine.
QD_API void qd_pairs_destroy(qd_pairs *pairs);

/// Changes the limit for later calls.
QD_API void qd_pairs_set_limit(qd_pairs *pairs, size_t limit);

/// The pairs and their number, valid until the next call that fills or frees them.
QD_API const qd_pair *qd_pairs_data(const qd_pairs *pairs, size_t *count);

/// How many box tests the last search made: comparisons of a body's box with another's. The same for any team
/// and any kernels (which may decide several at once). 0 where it failed.
QD_API uint64_t qd_pairs_tests(const qd_pairs *pairs);

/// Memory held.
QD_API size_t qd_pairs_bytes(const qd_pairs *pairs);

QD_END_DECLS

#endif
