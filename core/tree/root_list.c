#include "core/tree/root_list.h"

#include "core/base/memory.h"

// Bounding node i covers a run of the order; its children 2 i + 1 and 2 i + 2 cover its halves.

static size_t half_of(size_t begin, size_t end) {
    return begin + (end - begin) / 2;
}

void qdi_outer_release(qdi_outer *outer, const qd_allocator *allocator) {
    qdi_release(allocator, outer->order, outer->room, sizeof *outer->order);
    qdi_release(allocator, outer->box, outer->box_room, sizeof *outer->box);
    qdi_release(allocator, outer->bounds, outer->bounds_room, sizeof *outer->bounds);
}

size_t qdi_outer_bytes(const qdi_outer *outer) {
    return outer->room * sizeof *outer->order + (outer->box_room + outer->bounds_room) * sizeof(qd_box);
}

// Sorting by the centre on one axis; slots of the list are in order of index, so they settle ties.
static bool before(const qd_tree *tree, bool by_y, uint32_t a, uint32_t b) {
    const qdi_slots *slots = &tree->slots;
    float ca = by_y ? qdi_box_centre(slots->min_y[a], slots->max_y[a])
                    : qdi_box_centre(slots->min_x[a], slots->max_x[a]);
    float cb = by_y ? qdi_box_centre(slots->min_y[b], slots->max_y[b])
                    : qdi_box_centre(slots->min_x[b], slots->max_x[b]);
    return ca < cb || (ca == cb && a < b);
}

static void exchange(uint32_t *order, size_t a, size_t b) {
    uint32_t kept = order[a];
    order[a] = order[b];
    order[b] = kept;
}

// Orders [begin, end) so that what is before `nth` is smaller and what is after it larger (Hoare's selection,
// the pivot being the median of three).
static void select_nth(const qd_tree *tree, bool by_y, size_t begin, size_t end, size_t nth) {
    uint32_t *order = tree->outer.order;
    while (end - begin > 2) {
        size_t middle = half_of(begin, end);
        if (before(tree, by_y, order[middle], order[begin])) exchange(order, middle, begin);
        if (before(tree, by_y, order[end - 1], order[middle])) exchange(order, end - 1, middle);
        if (before(tree, by_y, order[middle], order[begin])) exchange(order, middle, begin);
        uint32_t pivot = order[middle];
        size_t low = begin;
        size_t high = end - 1;
        for (;;) {
            while (before(tree, by_y, order[low], pivot)) ++low;
            while (before(tree, by_y, pivot, order[high])) --high;
            if (low >= high) break;
            exchange(order, low++, high--);
        }
        if (nth < low) {
            end = low;
        } else {
            begin = low;
        }
    }
    if (end - begin == 2 && before(tree, by_y, order[begin + 1], order[begin]))
        exchange(order, begin, begin + 1);
}

static void build(qd_tree *tree, size_t at, size_t begin, size_t end) {
    qdi_outer *outer = &tree->outer;
    qd_box bounds = qdi_box_empty();
    const float inf = __builtin_inff();
    qd_box centres = {inf, inf, -inf, -inf};
    for (size_t i = begin; i < end; ++i) {
        qd_box box = qdi_slot_box(&tree->slots, outer->order[i]);
        float x = qdi_box_centre(box.min_x, box.max_x);
        float y = qdi_box_centre(box.min_y, box.max_y);
        bounds = qdi_box_union(bounds, box);
        centres = qdi_box_union(centres, (qd_box){x, y, x, y});
    }
    outer->bounds[at] = bounds;
    if (end - begin <= QDI_OUTER_LEAF) return;
    size_t middle = half_of(begin, end);
    select_nth(tree, centres.max_y - centres.min_y > centres.max_x - centres.min_x, begin, end, middle);
    build(tree, 2 * at + 1, begin, middle);
    build(tree, 2 * at + 2, middle, end);
}

static size_t bounds_needed(size_t count) {
    size_t nodes = 1;
    for (size_t runs = 1; (count + runs - 1) / runs > QDI_OUTER_LEAF; runs *= 2) nodes = 4 * runs - 1;
    return nodes;
}

qd_status qdi_outer_build(qd_tree *tree) {
    qdi_outer *outer = &tree->outer;
    const qdi_node *root = &tree->nodes[QDI_ROOT];
    outer->count = 0;
    if (root->count <= QDI_OUTER_MIN) return QD_OK;
    const qd_allocator *allocator = tree->allocator;
    size_t count = root->count;
    qd_status status = qdi_reserve(allocator, &outer->order, &outer->room, 0, count, sizeof *outer->order);
    if (status == QD_OK)
        status = qdi_reserve(allocator, &outer->box, &outer->box_room, 0, count, sizeof *outer->box);
    if (status == QD_OK) {
        status = qdi_reserve(allocator, &outer->bounds, &outer->bounds_room, 0, bounds_needed(count),
                             sizeof *outer->bounds);
    }
    if (status != QD_OK) return status;
    for (size_t i = 0; i < count; ++i) outer->order[i] = root->first + (uint32_t)i;
    build(tree, 0, 0, count);
    for (size_t i = 0; i < count; ++i) outer->box[i] = qdi_slot_box(&tree->slots, outer->order[i]);
    outer->count = count;
    return QD_OK;
}

typedef struct outer_search {
    const qdi_outer *outer;
    qd_box box;
    qd_vec2 shift;
    size_t from;
    qdi_outer_visit visit;
    void *context;
} outer_search;

static bool search(const outer_search *job, size_t at, size_t begin, size_t end) {
    if (end <= job->from || !qdi_shift_overlap(job->box, job->outer->bounds[at], job->shift)) return true;
    if (end - begin > QDI_OUTER_LEAF) {
        size_t middle = half_of(begin, end);
        return search(job, 2 * at + 1, begin, middle) && search(job, 2 * at + 2, middle, end);
    }
    for (size_t i = begin < job->from ? job->from : begin; i < end; ++i) {
        if (qdi_shift_overlap(job->box, job->outer->box[i], job->shift) && !job->visit(job->context, i))
            return false;
    }
    return true;
}

bool qdi_outer_search(const qdi_outer *outer, qd_box box, qd_vec2 shift, size_t from, qdi_outer_visit visit,
                      void *context) {
    outer_search job = {outer, box, shift, from, visit, context};
    return search(&job, 0, 0, outer->count);
}
