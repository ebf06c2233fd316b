#pragma once

#include "tools/bench/method.h"

#ifdef __cplusplus
extern "C" {
#endif

/// What the lineage's methods (and the peers, which need a home for their bodies too) have in common: bodies
/// by index and their motion, growing arrays, and the quadrant rule that trees A, B and C share. All of it is
/// serial.

/// Most objects in a node and most levels below the root, in trees A, B and C alike.
#define QDI_LINEAGE_OBJECTS 10
#define QDI_LINEAGE_LEVELS  5
/// Nodes in a full tree of that many levels.
#define QDI_LINEAGE_NODES 1365

typedef struct qdi_lineage_bodies {
    size_t count;
    double half; ///< of the world's side
    double *x, *y, *vx, *vy, *radius;
    qd_box *boxes;
} qdi_lineage_bodies;

/// Copies the bodies and makes their boxes. Errors: QD_ERR_MEMORY; `bodies` is then fit for _free.
QD_MUST_USE qd_status qdi_lineage_bodies_init(qdi_lineage_bodies *bodies, const qdi_bench_bodies *from);
void qdi_lineage_bodies_free(qdi_lineage_bodies *bodies);
/// One step of dt = 1, and the new boxes.
void qdi_lineage_bodies_move(qdi_lineage_bodies *bodies);
size_t qdi_lineage_bodies_bytes(const qdi_lineage_bodies *bodies);

/// A growing array of body indices.
typedef struct qdi_lineage_list {
    uint32_t *items;
    size_t count, room;
} qdi_lineage_list;

/// Room for `more` further items. Errors: QD_ERR_MEMORY, nothing changed.
QD_MUST_USE qd_status qdi_lineage_list_grow(qdi_lineage_list *list, size_t more);
void qdi_lineage_list_free(qdi_lineage_list *list);

/// Adds an item to a list of a published quadtree.
static inline QD_MUST_USE qd_status qdi_lineage_list_add(qdi_lineage_list *list, uint32_t item) {
    if (list->count == list->room) {
        qd_status status = qdi_lineage_list_grow(list, 1);
        if (status != QD_OK) return status;
    }
    list->items[list->count++] = item;
    return QD_OK;
}

/// Takes item number `slot` out; the last one takes its place.
static inline void qdi_lineage_list_take(qdi_lineage_list *list, size_t slot) {
    list->items[slot] = list->items[--list->count];
}

/// A growing array of pairs.
typedef struct qdi_lineage_pairs {
    qdi_bench_pair *items;
    size_t count, room;
} qdi_lineage_pairs;

/// Room for one more pair. Errors: QD_ERR_MEMORY, nothing changed.
QD_MUST_USE qd_status qdi_lineage_pairs_grow(qdi_lineage_pairs *pairs);
void qdi_lineage_pairs_free(qdi_lineage_pairs *pairs);

/// Adds a pair that a published quadtree found.
static inline QD_MUST_USE qd_status qdi_lineage_pairs_add(qdi_lineage_pairs *pairs, uint32_t a, uint32_t b) {
    if (pairs->count == pairs->room) {
        qd_status status = qdi_lineage_pairs_grow(pairs);
        if (status != QD_OK) return status;
    }
    qdi_bench_pair *pair = &pairs->items[pairs->count++];
    pair->a = a;
    pair->b = b;
    return QD_OK;
}

/// Faults of the originals, which a tree can be given again one by one (qdi_bench_options.faults), to show
/// what they miss.
typedef enum qdi_lineage_fault {
    QDI_A_ONE_QUADRANT = 1,  ///< a query follows only the quadrant that holds all of it
    QDI_A_SPLIT_AGAIN = 2,   ///< a node that has children already is split again, and drops what is in them
    QDI_A_WHOLE_HALVES = 4,  ///< half sizes are cut to whole numbers
    QDI_A_SELF = 8,          ///< a body is its own candidate, and each of two tests the other
    QDI_A_FAULTS = 15,       ///< all of these
    QDI_B_LOST_BELOW = 16,   ///< what a query finds in children is lost
    QDI_C_SKIP_HIT = 32,     ///< a body that was hit already is not asked for
    QDI_C_TWO_LEVELS = 64,   ///< a query looks at its node and the one above only
    QDI_C_OTHER_HALF = 128,  ///< what lies in the other half of a node above is skipped
    QDI_C_DROPPED = 256,     ///< a body on a middle line of a node with children is filed nowhere
    QDI_C_SHARED_CODE = 512, ///< paths of different length are the same code
    QDI_E_NOT_WIDENED = 1024 ///< the rectangle asked for is the body's own
} qdi_lineage_fault;

/// What trees A, B, C and E do alike: each begins with a qdi_lineage.
typedef struct qdi_lineage_kind {
    size_t bytes;                     ///< of the tree, which is zeroed at first
    qd_status (*begin)(void *tree);   ///< the bodies are there
    qd_status (*refresh)(void *tree); ///< they have moved
    qd_status (*pair)(void *tree);    ///< finds all pairs
    size_t (*held)(const void *tree); ///< bytes of what it has allocated itself
    void (*end)(void *tree);          ///< frees that; `begin` may have failed
} qdi_lineage_kind;

typedef struct qdi_lineage {
    const qdi_lineage_kind *kind;
    qdi_lineage_bodies bodies;
    qdi_lineage_list found; ///< by a query
    qdi_lineage_pairs pairs;
    uint64_t tests;  ///< in this step, see qdi_bench_step
    unsigned faults; ///< of qdi_lineage_fault
} qdi_lineage;

/// Adds a pair for every candidate whose box overlaps that of `self`. `all` false: only those with a higher
/// index are tested; of the two bodies of a pair that retrieve each other the lower one then writes it, and
/// no body meets itself.
QD_MUST_USE qd_status qdi_lineage_test(qdi_lineage *tree, uint32_t self, const qdi_lineage_list *candidates,
                                       bool all);

/// The functions of their methods, `create` with the kind and its faults in front. Errors: QD_ERR_MEMORY.
QD_MUST_USE qd_status qdi_lineage_create(const qdi_lineage_kind *kind, unsigned faults,
                                         const qdi_bench_bodies *bodies, void **state);
QD_MUST_USE qd_status qdi_lineage_step(void *state, qdi_bench_step *step);
void qdi_lineage_destroy(void *state);

/// Puts the pairs and the memory held into a step's report.
void qdi_lineage_report(qdi_bench_step *step, const qdi_lineage_pairs *pairs, size_t bytes);

/// Nanoseconds since `*since`, which becomes now. The first call's result means nothing.
uint64_t qdi_lineage_lap(uint64_t *since);

/// The quadrant, numbered counter-clockwise from the upper right, that holds the whole box with room to both
/// middle lines; -1 where the box touches a line. Outward a quadrant has no end, so that a body outside the
/// world is filed with what lies in the same direction.
static inline int qdi_lineage_quadrant(qd_box box, double mid_x, double mid_y) {
    int right = (double)box.min_x > mid_x, left = (double)box.max_x < mid_x;
    int upper = (double)box.min_y > mid_y, lower = (double)box.max_y < mid_y;
    if ((!right && !left) || (!upper && !lower)) return -1;
    return upper ? left : 2 + right;
}

/// The middle of quadrant number `quadrant` of a square with this middle, `half` being half the square's
/// side.
static inline double qdi_lineage_middle_x(double mid_x, double half, int quadrant) {
    return quadrant == 0 || quadrant == 3 ? mid_x + 0.5 * half : mid_x - 0.5 * half;
}
/// The middle of a quadrant of a node.
static inline double qdi_lineage_middle_y(double mid_y, double half, int quadrant) {
    return quadrant < 2 ? mid_y + 0.5 * half : mid_y - 0.5 * half;
}

#ifdef __cplusplus
}
#endif
