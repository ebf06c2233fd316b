// Chipmunk's two broad phases, used the way its space uses them: one call that brings the index up to date
// and reports every pair that may touch, once. The tree keeps boxes with margins and their pairs from step to
// step; the hash is emptied and filled again in the very pass that finds the pairs.
#include "core/base/memory.h"
#include "tools/bench/lineage.h"
#include "tools/bench/peers.h"

#include <chipmunk/chipmunk.h>

/// What the index knows by its address.
typedef struct object {
    qd_box box;
    float vx, vy;
} object;

typedef struct space {
    qdi_lineage_bodies bodies;
    object *objects; ///< by body
    cpSpatialIndex *index;
    qdi_lineage_pairs pairs;
    qd_status status;
} space;

/// The tree's margin allows for a tenth of a second at the velocity it is told; its users make about 60 steps
/// in one.
#define STEPS_PER_SECOND 60.0F

// The box of a body, as Chipmunk's index asks for it.
static cpBB box_of(void *item) {
    const object *o = item;
    return cpBBNew((cpFloat)o->box.min_x, (cpFloat)o->box.min_y, (cpFloat)o->box.max_x,
                   (cpFloat)o->box.max_y);
}

// The velocity of a body, as Chipmunk's index asks for it.
static cpVect velocity_of(void *item) {
    const object *o = item;
    return cpv((cpFloat)(o->vx * STEPS_PER_SECOND), (cpFloat)(o->vy * STEPS_PER_SECOND));
}

// Copies boxes and velocities to what Chipmunk's index points at.
static void hand_over(space *s) {
    for (size_t i = 0; i < s->bodies.count; ++i)
        s->objects[i] = (object){s->bodies.boxes[i], (float)s->bodies.vx[i], (float)s->bodies.vy[i]};
}

// Called by Chipmunk's index for two bodies that may overlap.
static cpCollisionID meet(void *first, void *second, cpCollisionID id, void *context) {
    space *s = context;
    const object *a = first, *b = second;
    if (s->status == QD_OK && qd_box_overlap(a->box, b->box))
        s->status = qdi_lineage_pairs_add(&s->pairs, (uint32_t)(a - s->objects), (uint32_t)(b - s->objects));
    return id;
}

// Frees an index of Chipmunk.
static void chipmunk_destroy(void *state) {
    space *s = state;
    if (!s) return;
    if (s->index) cpSpatialIndexFree(s->index);
    qdi_release(qd_allocator_default(), s->objects, s->bodies.count, sizeof *s->objects);
    qdi_lineage_pairs_free(&s->pairs);
    qdi_lineage_bodies_free(&s->bodies);
    qdi_release(qd_allocator_default(), s, 1, sizeof *s);
}

// Makes an index of Chipmunk for the bench.
static qd_status chipmunk_create(const qdi_bench_bodies *bodies, cpSpatialIndex *index, void **state) {
    *state = NULL;
    space *s = qdi_allocate(qd_allocator_default(), 1, sizeof *s);
    if (!s) {
        cpSpatialIndexFree(index);
        return QD_ERR_MEMORY;
    }
    *s = (space){.index = index};
    qd_status status = qdi_lineage_bodies_init(&s->bodies, bodies);
    s->objects = qdi_allocate(qd_allocator_default(), bodies->count, sizeof *s->objects);
    if (!s->objects && bodies->count > 0) status = QD_ERR_MEMORY;
    if (status != QD_OK) {
        chipmunk_destroy(s);
        return status;
    }
    hand_over(s);
    for (size_t i = 0; i < bodies->count; ++i) cpSpatialIndexInsert(index, &s->objects[i], (cpHashValue)i);
    *state = s;
    return QD_OK;
}

// Makes Chipmunk's tree of boxes.
static qd_status tree_create(const qdi_bench_bodies *bodies, const qdi_bench_options *options, void **state) {
    (void)options;
    cpSpatialIndex *index = cpBBTreeNew(box_of, NULL);
    cpBBTreeSetVelocityFunc(index, velocity_of);
    return chipmunk_create(bodies, index, state);
}

/// Bench of Chipmunk: the header asks for cells about as large as the objects and about ten times as many as
/// objects, then for trials: two diameters and three cells per object were fastest in the bench's scenes.
static qd_status hash_create(const qdi_bench_bodies *bodies, const qdi_bench_options *options, void **state) {
    (void)options;
    const double least_side = 1e-30;
    double sum = 0.0;
    for (size_t i = 0; i < bodies->count; ++i) sum += bodies->radius[i];
    double side = bodies->count > 0 ? 4.0 * sum / (double)bodies->count : 1.0;
    size_t cells = bodies->count < 16 ? 16 : 3 * bodies->count;
    cpSpatialIndex *index = cpSpaceHashNew(side > least_side ? side : 1.0, (int)cells, box_of, NULL);
    return chipmunk_create(bodies, index, state);
}

// One step of an index of Chipmunk: move, update, find pairs.
static qd_status chipmunk_step(void *state, qdi_bench_step *step) {
    space *s = state;
    uint64_t clock = 0;
    (void)qdi_lineage_lap(&clock);
    qdi_lineage_bodies_move(&s->bodies);
    step->ns[QDI_BENCH_MOVE] = qdi_lineage_lap(&clock);
    hand_over(s);
    step->ns[QDI_BENCH_STRUCTURE] = qdi_lineage_lap(&clock);
    s->pairs.count = 0;
    s->status = QD_OK;
    cpSpatialIndexReindexQuery(s->index, meet, s); // both at once: most of "structure" is in "pairs"
    step->ns[QDI_BENCH_PAIRS] = qdi_lineage_lap(&clock);
    qdi_lineage_report(step, &s->pairs, 0); // an index does not say how much it holds
    return s->status;
}

const qdi_bench_method qdi_bench_chipmunk_tree = {
    .name = "chipmunk-tree",
    .about = "Chipmunk: tree of boxes with margins, pairs of margins kept",
    .parallel = false,
    .most_bodies = 1000000,
    .create = tree_create,
    .step = chipmunk_step,
    .destroy = chipmunk_destroy,
};

const qdi_bench_method qdi_bench_chipmunk_hash = {
    .name = "chipmunk-hash",
    .about = "Chipmunk: spatial hash, filled anew each step",
    .parallel = false,
    .most_bodies = 0,
    .create = hash_create,
    .step = chipmunk_step,
    .destroy = chipmunk_destroy,
};
