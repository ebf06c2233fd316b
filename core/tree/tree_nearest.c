// The nearest bodies, best first (Hjaltason and Samet, "Distance browsing in spatial databases", 1999): parts
// of the tree wait in a queue by the least distance that a body in them may have; the nearest part is opened,
// until it is further than the last of the bodies found. Those are a heap in the caller's array, the last one
// on top. Only reads, so any number of threads may be here at once.
#include "core/tree/tree_nearest.h"
#include "core/base/arithmetic.h"
#include "core/tree/near_point.h"
#include "core/tree/root_list.h"

enum { QUEUE_ROOM = 256, PARTS = 5 };

typedef enum part_kind { PART_SUBTREE, PART_LIST, PART_ROOT_LIST } part_kind;

typedef struct part {
    double least;
    uint32_t at, begin, end; // a node; or a bounding node of the tree over the root list and its places
    uint8_t kind, copy;
} part;

typedef struct search {
    const qd_tree *tree;
    qdi_near_point origin;
    double within;
    qdi_near_places found; // heap, the furthest on top
    size_t count;
    part queue[QUEUE_ROOM]; // heap, the nearest on top
    unsigned waiting;
} search;

// ---- bodies found

// Tree's nearest: true where a found body is further than another, or as far and of higher index.
static bool near_is_further(const qd_near *a, const qd_near *b) {
    return a->distance > b->distance || (a->distance == b->distance && a->body > b->body);
}

// Tree's nearest: the i-th place of the heap of found bodies.
static qd_near *found_place(const search *job, size_t i) {
    return (qd_near *)((char *)job->found.first + i * job->found.stride);
}

// Tree's nearest: puts a body at the top of the heap's first `count` places and lets it sink to where it
// belongs.
static void sink_found(const search *job, size_t count, qd_near body) {
    size_t at = 0;
    for (size_t child; (child = 2 * at + 1) < count; at = child) {
        if (child + 1 < count && near_is_further(found_place(job, child + 1), found_place(job, child)))
            ++child;
        if (!near_is_further(found_place(job, child), &body)) break;
        *found_place(job, at) = *found_place(job, child);
    }
    *found_place(job, at) = body;
}

// Tree's nearest: keeps a body among the nearest found, in place of the furthest where there are enough.
static void keep_found(search *job, const qd_near *near) {
    if (job->count == job->found.most) {
        if (near_is_further(found_place(job, 0), near)) sink_found(job, job->count, *near);
        return;
    }
    size_t at = job->count++;
    for (; at > 0 && near_is_further(near, found_place(job, (at - 1) / 2)); at = (at - 1) / 2)
        *found_place(job, at) = *found_place(job, (at - 1) / 2);
    *found_place(job, at) = *near;
}

// Tree's nearest: sorts the heap of found bodies by distance.
static void sort_found(const search *job) {
    for (size_t last = job->count; last-- > 1;) {
        const qd_near raised = *found_place(job, last);
        *found_place(job, last) = *found_place(job, 0);
        sink_found(job, last, raised);
    }
}

// Tree's nearest: how far a body may be to be of use; one that is just as far is where its index is lower.
static double nearest_bound(const search *job) {
    return job->count == job->found.most ? found_place(job, 0)->distance : job->within;
}

// Tree's nearest: keeps a body where it is among the nearest.
static void nearest_test_body(search *job, unsigned copy, qd_box box, size_t slot) {
    if (qdi_near_point_to_box(&job->origin, copy, box) * QDI_NEAR_POINT_NEARER > nearest_bound(job)) return;
    qd_near near;
    if (qdi_near_point_measure(&job->origin, copy, box, job->tree->slots.index[slot], nearest_bound(job),
                               &near))
        keep_found(job, &near);
}

// ---- parts of the tree

// Tree's nearest: appends a part to `parts` where it may hold a body that is near enough.
static void nearest_add_part(const search *job, part *parts, unsigned *count, part new, qd_box bounds) {
    new.least = qdi_near_point_to_box(&job->origin, new.copy, bounds) * QDI_NEAR_POINT_NEARER;
    if (new.least <= nearest_bound(job)) parts[(*count)++] = new;
}

// Tests all bodies of a node's list for being among the nearest.
static void nearest_search_list(search *job, unsigned copy, const qdi_node *node) {
    for (size_t s = node->first; s < (size_t)node->first + node->count; ++s)
        nearest_test_body(job, copy, qdi_slot_box(&job->tree->slots, s), s);
}

// Opens a subtree: its list and its children become parts of their own.
static unsigned nearest_open_subtree(search *job, part opened, part parts[PARTS]) {
    const qd_tree *tree = job->tree;
    const qdi_node *node = &tree->nodes[opened.at];
    if (qdi_is_leaf(node) && !(opened.at == QDI_ROOT && qdi_root_list_used(tree))) {
        nearest_search_list(job, opened.copy, node);
        return 0;
    }
    unsigned count = 0;
    if (opened.at == QDI_ROOT && qdi_root_list_used(tree)) {
        const part root_list = {
            .kind = PART_ROOT_LIST, .end = (uint32_t)tree->root_list.count, .copy = opened.copy};
        nearest_add_part(job, parts, &count, root_list, tree->root_list.bounds[0]);
    } else {
        const part list = {.kind = PART_LIST, .at = opened.at, .copy = opened.copy};
        nearest_add_part(job, parts, &count, list, node->own);
    }
    for (unsigned q = 0; q < 4 && !qdi_is_leaf(node); ++q) {
        const part child = {.kind = PART_SUBTREE, .at = 4 * node->children + q, .copy = opened.copy};
        nearest_add_part(job, parts, &count, child, qdi_family_box(&tree->families[node->children], q));
    }
    return count;
}

// Opens a bounding box over the root's list: its halves become parts, or its bodies are tested.
static unsigned nearest_open_root_list(search *job, part opened, part parts[PARTS]) {
    const qdi_root_list *root_list = &job->tree->root_list;
    const qdi_root_list_node node = {opened.at, opened.begin, opened.end};
    unsigned count = 0;
    for (unsigned half = 0; half < 2 && !qdi_root_list_is_leaf(node); ++half) {
        const qdi_root_list_node below = qdi_root_list_half(node, half);
        const part new = {.kind = PART_ROOT_LIST,
                          .at = (uint32_t)below.at,
                          .begin = (uint32_t)below.begin,
                          .end = (uint32_t)below.end,
                          .copy = opened.copy};
        nearest_add_part(job, parts, &count, new, root_list->bounds[below.at]);
    }
    for (size_t i = opened.begin; i < opened.end && qdi_root_list_is_leaf(node); ++i)
        nearest_test_body(job, opened.copy, root_list->box[i], root_list->order[i]);
    return count;
}

// Opens a part of the tree: tests its bodies, or finds what parts it has.
static unsigned nearest_open_part(search *job, part opened, part parts[PARTS]) {
    if (opened.kind == PART_SUBTREE) return nearest_open_subtree(job, opened, parts);
    if (opened.kind == PART_ROOT_LIST) return nearest_open_root_list(job, opened, parts);
    nearest_search_list(job, opened.copy, &job->tree->nodes[opened.at]);
    return 0;
}

// ---- the queue

// Puts a part of the tree into the queue by its least distance.
static void nearest_queue_push(search *job, part new) {
    unsigned at = job->waiting++;
    for (; at > 0 && new.least < job->queue[(at - 1) / 2].least; at = (at - 1) / 2)
        job->queue[at] = job->queue[(at - 1) / 2];
    job->queue[at] = new;
}

// Takes the nearest part of the tree out of the queue.
static part nearest_queue_pop(search *job) {
    const part nearest = job->queue[0], last = job->queue[--job->waiting];
    unsigned at = 0;
    for (unsigned child; (child = 2 * at + 1) < job->waiting; at = child) {
        if (child + 1 < job->waiting && job->queue[child + 1].least < job->queue[child].least) ++child;
        if (!(job->queue[child].least < last.least)) break;
        job->queue[at] = job->queue[child];
    }
    job->queue[at] = last;
    return nearest;
}

// Searches parts of the tree to their end, the nearest first, when the queue is full.
static void nearest_search_down(search *job, part parts[PARTS], unsigned count) {
    for (unsigned i = 1; i < count; ++i) {
        const part moved = parts[i];
        unsigned at = i;
        for (; at > 0 && moved.least < parts[at - 1].least; --at) parts[at] = parts[at - 1];
        parts[at] = moved;
    }
    for (unsigned i = 0; i < count && parts[i].least <= nearest_bound(job); ++i) {
        part below[PARTS];
        nearest_search_down(job, below, nearest_open_part(job, parts[i], below));
    }
}

// Opens parts of the tree, the nearest first, until none can hold a nearer body.
static void nearest_search_best_first(search *job) {
    while (job->waiting > 0 && job->queue[0].least <= nearest_bound(job)) {
        part parts[PARTS];
        const unsigned count = nearest_open_part(job, nearest_queue_pop(job), parts);
        if (job->waiting + count > QUEUE_ROOM) {
            nearest_search_down(job, parts, count);
            continue;
        }
        for (unsigned i = 0; i < count; ++i) nearest_queue_push(job, parts[i]);
    }
}

qd_status qdi_tree_nearest(const qd_tree *tree, qd_vec2 point, double within, qd_distance_test distance,
                           void *context, qdi_near_places places, size_t *count) {
    *count = 0;
    search job;
    if (!(within >= 0.0) || !qdi_near_point_init(&job.origin, tree, point, distance, context))
        return QD_ERR_VALUE;
    if (places.most == 0) return QD_OK;
    job.tree = tree;
    job.within = within < DBL_MAX ? within : DBL_MAX; // bounds of nothing are infinitely far
    job.found = places;
    job.count = job.waiting = 0;
    for (unsigned k = 0; k < job.origin.copies; ++k) {
        unsigned one = 0;
        part root = {.kind = PART_SUBTREE, .at = QDI_ROOT, .copy = (uint8_t)k};
        nearest_add_part(&job, &root, &one, root, qdi_family_box(&tree->families[0], 0));
        if (one > 0) nearest_queue_push(&job, root);
    }
    nearest_search_best_first(&job);
    sort_found(&job);
    *count = job.count;
    return QD_OK;
}

qd_status qd_tree_nearest(const qd_tree *tree, qd_vec2 point, double within, qd_distance_test distance,
                          void *context, size_t most, qd_near *nearest, size_t *count) {
    QDI_RESTORED qdi_arithmetic caller = qdi_arithmetic_standard();
    if (!tree || !count || (most > 0 && !nearest)) return QD_ERR_ARGUMENT;
    const qdi_near_places places = {nearest, sizeof *nearest, most};
    return qdi_tree_nearest(tree, point, within, distance, context, places, count);
}
