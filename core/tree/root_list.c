#include "core/tree/root_list.h"

#include "core/base/memory.h"

// Bounding node i covers a run of the order; its children 2 i + 1 and 2 i + 2 cover its halves.

// The place where a run of the root's list is halved.
static size_t middle_place(size_t begin, size_t end) {
    return begin + (end - begin) / 2;
}

// Releases the tree over the root list.
void qdi_root_list_release(qdi_root_list *root_list, const qd_allocator *allocator) {
    qdi_release(allocator, root_list->order, root_list->room, sizeof *root_list->order);
    qdi_release(allocator, root_list->box, root_list->box_room, sizeof *root_list->box);
    qdi_release(allocator, root_list->bounds, root_list->bounds_room, sizeof *root_list->bounds);
}

// Bytes that the tree over the root list takes.
size_t qdi_root_list_bytes(const qdi_root_list *root_list) {
    return root_list->room * sizeof *root_list->order +
           (root_list->box_room + root_list->bounds_room) * sizeof(qd_box);
}

// True where a slot's box has its centre before another's on one axis; slots are in order of index, which
// decides ties.
static bool centre_before(const qd_tree *tree, bool by_y, uint32_t a, uint32_t b) {
    const qdi_slots *slots = &tree->slots;
    float ca = by_y ? qdi_box_centre(slots->min_y[a], slots->max_y[a])
                    : qdi_box_centre(slots->min_x[a], slots->max_x[a]);
    float cb = by_y ? qdi_box_centre(slots->min_y[b], slots->max_y[b])
                    : qdi_box_centre(slots->min_x[b], slots->max_x[b]);
    return ca < cb || (ca == cb && a < b);
}

// Exchanges two places of the order of the root's list.
static void exchange_places(uint32_t *order, size_t a, size_t b) {
    uint32_t kept = order[a];
    order[a] = order[b];
    order[b] = kept;
}

// Root list: orders [begin, end) so that what is before `nth` is smaller and what is after it larger (Hoare's
// selection, the pivot being the median of three).
static void select_nth_centre(const qd_tree *tree, bool by_y, size_t begin, size_t end, size_t nth) {
    uint32_t *order = tree->root_list.order;
    while (end - begin > 2) {
        size_t middle = middle_place(begin, end);
        if (centre_before(tree, by_y, order[middle], order[begin])) exchange_places(order, middle, begin);
        if (centre_before(tree, by_y, order[end - 1], order[middle])) exchange_places(order, end - 1, middle);
        if (centre_before(tree, by_y, order[middle], order[begin])) exchange_places(order, middle, begin);
        uint32_t pivot = order[middle];
        size_t low = begin;
        size_t high = end - 1;
        for (;;) {
            while (centre_before(tree, by_y, order[low], pivot)) ++low;
            while (centre_before(tree, by_y, pivot, order[high])) --high;
            if (low >= high) break;
            exchange_places(order, low++, high--);
        }
        if (nth < low) {
            end = low;
        } else {
            begin = low;
        }
    }
    if (end - begin == 2 && centre_before(tree, by_y, order[begin + 1], order[begin]))
        exchange_places(order, begin, begin + 1);
}

// Builds the tree of bounding boxes over places [begin, end) of the root's list.
static void build_bounds_below(qd_tree *tree, size_t at, size_t begin, size_t end) {
    qdi_root_list *root_list = &tree->root_list;
    qd_box bounds = qdi_box_empty();
    const float inf = __builtin_inff();
    qd_box centres = {inf, inf, -inf, -inf};
    for (size_t i = begin; i < end; ++i) {
        qd_box box = qdi_slot_box(&tree->slots, root_list->order[i]);
        float x = qdi_box_centre(box.min_x, box.max_x);
        float y = qdi_box_centre(box.min_y, box.max_y);
        bounds = qdi_box_union(bounds, box);
        centres = qdi_box_union(centres, (qd_box){x, y, x, y});
    }
    root_list->bounds[at] = bounds;
    if (end - begin <= QDI_ROOT_LIST_LEAF) return;
    size_t middle = middle_place(begin, end);
    select_nth_centre(tree, centres.max_y - centres.min_y > centres.max_x - centres.min_x, begin, end,
                      middle);
    build_bounds_below(tree, 2 * at + 1, begin, middle);
    build_bounds_below(tree, 2 * at + 2, middle, end);
}

// How many bounding boxes the tree over a root's list of `count` bodies has.
static size_t bounds_needed(size_t count) {
    size_t nodes = 1;
    for (size_t runs = 1; (count + runs - 1) / runs > QDI_ROOT_LIST_LEAF; runs *= 2) nodes = 4 * runs - 1;
    return nodes;
}

qd_status qdi_root_list_build(qd_tree *tree) {
    qdi_root_list *root_list = &tree->root_list;
    const qdi_node *root = &tree->nodes[QDI_ROOT];
    root_list->count = 0;
    if (root->count <= QDI_ROOT_LIST_MIN) return QD_OK;
    const qd_allocator *allocator = tree->allocator;
    size_t count = root->count;
    qd_status status = qdi_reserve(allocator, &root_list->order, &root_list->room, 0, count,
                                   sizeof *root_list->order);
    if (status == QD_OK)
        status = qdi_reserve(allocator, &root_list->box, &root_list->box_room, 0, count,
                             sizeof *root_list->box);
    if (status == QD_OK) {
        status = qdi_reserve(allocator, &root_list->bounds, &root_list->bounds_room, 0, bounds_needed(count),
                             sizeof *root_list->bounds);
    }
    if (status != QD_OK) return status;
    for (size_t i = 0; i < count; ++i) root_list->order[i] = root->first + (uint32_t)i;
    build_bounds_below(tree, 0, 0, count);
    for (size_t i = 0; i < count; ++i) root_list->box[i] = qdi_slot_box(&tree->slots, root_list->order[i]);
    root_list->count = count;
    return QD_OK;
}

typedef struct root_list_search {
    const qdi_root_list *root_list;
    qd_box box;
    qd_vec2 shift;
    size_t from;
    qdi_root_list_visit visit;
    void *context;
    uint64_t tests;
} root_list_search;

// Visits places [begin, end) of the root's list whose boxes overlap the box that is searched for.
static bool search_bounds_below(root_list_search *job, size_t at, size_t begin, size_t end) {
    if (end <= job->from || !qdi_shift_overlap(job->box, job->root_list->bounds[at], job->shift)) return true;
    if (end - begin > QDI_ROOT_LIST_LEAF) {
        size_t middle = middle_place(begin, end);
        return search_bounds_below(job, 2 * at + 1, begin, middle) &&
               search_bounds_below(job, 2 * at + 2, middle, end);
    }
    size_t first = begin < job->from ? job->from : begin;
    job->tests += end - first;
    for (size_t i = first; i < end; ++i) {
        if (qdi_shift_overlap(job->box, job->root_list->box[i], job->shift) && !job->visit(job->context, i))
            return false;
    }
    return true;
}

bool qdi_root_list_search(const qdi_root_list *root_list, qd_box box, qd_vec2 shift, size_t from,
                          qdi_root_list_visit visit, void *context, uint64_t *tests) {
    root_list_search job = {root_list, box, shift, from, visit, context, 0};
    const bool going = search_bounds_below(&job, 0, 0, root_list->count);
    *tests += job.tests;
    return going;
}
