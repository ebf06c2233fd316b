// All overlapping pairs at once: the self-join of the tree.
//
//   self(N)      N's list with itself, with all lists below N, then self of each child and cross of each two children
//   cross(A, B)  of two subtrees side by side: A's list with B's, each list with what is below the other, then cross of
//                their children
//
// Subtrees whose tight bounds do not overlap are passed over, and each two nodes meet once. In a periodic world the tree is
// joined with its own copies one period to the right, above, and on the two diagonals; the other four are the same
// pairs seen from the other side.
//
// For many threads the recursion is cut off where the work left is small: what is cut off becomes a task, numbered in the order of the
// recursion. The pairs of a task are one part of the result (pairs_impl.h), so the order of pairs is that of the recursion,
// wherever it was cut. Everything is read only, but for the workers' own buffers.
#include "core/kernel.h"
#include "core/memory.h"
#include "core/outer.h"

typedef struct join_state {
    const qd_tree *tree;
    qd_pairs *pairs;
    int worker;
    qd_image image; // of the copy that is joined with
    qd_vec2 shift;
} join_state;

// ---- without images

static bool list_self(const join_state *join, const qdi_node *node) {
    return join->tree->kernels->list_self(&join->tree->slots, node->first, (size_t)node->first + node->count,
                                          join->pairs, join->worker);
}

static bool box_below(const join_state *join, qd_box box, qd_body_index index, qdi_family_index family) {
    const qd_tree *tree = join->tree;
    unsigned mask = qdi_family_overlap(&tree->families[family], box);
    for (; mask != 0; mask &= mask - 1) {
        const qdi_node *node = &tree->nodes[4 * family + (unsigned)__builtin_ctz(mask)];
        if (node->count > 0 && qd_box_overlap(box, node->own) &&
            !tree->kernels->box_list(&tree->slots, box, index, node->first, (size_t)node->first + node->count,
                                     join->pairs, join->worker)) {
            return false;
        }
        if (!qdi_is_leaf(node) && !box_below(join, box, index, node->children)) return false;
    }
    return true;
}

static bool list_below(const join_state *join, const qdi_node *node, qdi_family_index family) {
    const qdi_slots *slots = &join->tree->slots;
    for (size_t s = node->first; s < (size_t)node->first + node->count; ++s) {
        if (!box_below(join, qdi_slot_box(slots, s), slots->index[s], family)) return false;
    }
    return true;
}

static bool list_list(const join_state *join, const qdi_node *a, const qdi_node *b) {
    if (a->count == 0 || b->count == 0 || !qd_box_overlap(a->own, b->own)) return true;
    return join->tree->kernels->list_list(&join->tree->slots, a, b, join->pairs, join->worker);
}

// The lists of two nodes with each other and with what is below the other.
static bool cross_lists(const join_state *join, const qdi_node *a, const qdi_node *b) {
    return list_list(join, a, b) && (qdi_is_leaf(b) || list_below(join, a, b->children)) &&
           (qdi_is_leaf(a) || list_below(join, b, a->children));
}

static bool cross(const join_state *join, qdi_node_index a, qdi_node_index b) {
    const qd_tree *tree = join->tree;
    const qdi_node *na = &tree->nodes[a];
    const qdi_node *nb = &tree->nodes[b];
    if (!cross_lists(join, na, nb)) return false;
    if (qdi_is_leaf(na) || qdi_is_leaf(nb)) return true;
    for (unsigned i = 0; i < 4; ++i) {
        unsigned mask = qdi_family_overlap(&tree->families[nb->children],
                                           qdi_family_box(&tree->families[na->children], i));
        for (; mask != 0; mask &= mask - 1) {
            if (!cross(join, 4 * na->children + i, 4 * nb->children + (unsigned)__builtin_ctz(mask)))
                return false;
        }
    }
    return true;
}

// The siblings after `q` whose subtrees overlap that of `q`, as bits.
static unsigned later_siblings(const qd_tree *tree, qdi_family_index family, unsigned q) {
    unsigned mask = qdi_family_overlap(&tree->families[family], qdi_family_box(&tree->families[family], q));
    return mask & ~((2U << q) - 1U);
}

static bool self_join(const join_state *join, qdi_node_index index) {
    const qd_tree *tree = join->tree;
    const qdi_node *node = &tree->nodes[index];
    if (!list_self(join, node)) return false;
    if (qdi_is_leaf(node)) return true;
    if (!list_below(join, node, node->children)) return false;
    for (unsigned q = 0; q < 4; ++q) {
        if (!self_join(join, 4 * node->children + q)) return false;
        for (unsigned mask = later_siblings(tree, node->children, q); mask != 0; mask &= mask - 1) {
            if (!cross(join, 4 * node->children + q, 4 * node->children + (unsigned)__builtin_ctz(mask)))
                return false;
        }
    }
    return true;
}

// ---- with a copy of the tree, moved by whole periods

// Body at slot a, and the image of body at slot b.
static bool push_image(const join_state *join, size_t a, size_t b) {
    const qdi_slots *slots = &join->tree->slots;
    qd_box box_a = qdi_slot_box(slots, a);
    qd_image image;
    if (!qdi_image_overlap(box_a, qdi_slot_box(slots, b), join->tree->period, (qd_image){0, 0}, &image))
        return true;
    if (image.x != join->image.x || image.y != join->image.y) return true; // nearer through another image
    qd_pair pair = {slots->index[a], slots->index[b], image};
    if (pair.a > pair.b) {
        pair = (qd_pair){pair.b, pair.a, {(int16_t)-image.x, (int16_t)-image.y}};
    }
    return qdi_pairs_push(join->pairs, join->worker, pair);
}

// Is B, a subtree's bounds or a box of the copy, within reach of A?
static bool near(const join_state *join, qd_box a, qd_box b) {
    return qdi_shift_overlap(a, b, join->shift);
}

// One body against the copy's subtree, or, `mirrored`, one body of the copy against a subtree.
static bool image_below(const join_state *join, size_t slot, qdi_node_index index, bool mirrored) {
    const qd_tree *tree = join->tree;
    const qdi_node *node = &tree->nodes[index];
    qd_box box = qdi_slot_box(&tree->slots, slot);
    qd_box bounds = qdi_family_box(&tree->families[qdi_family_of(index)], qdi_sibling(index));
    if (!(mirrored ? near(join, bounds, box) : near(join, box, bounds))) return true;
    for (size_t s = node->first; s < (size_t)node->first + node->count; ++s) {
        qd_box other = qdi_slot_box(&tree->slots, s);
        if (!(mirrored ? near(join, other, box) : near(join, box, other))) continue;
        if (!(mirrored ? push_image(join, s, slot) : push_image(join, slot, s))) return false;
    }
    for (unsigned q = 0; q < 4 && !qdi_is_leaf(node); ++q) {
        if (!image_below(join, slot, 4 * node->children + q, mirrored)) return false;
    }
    return true;
}

static bool image_cross(const join_state *join, qdi_node_index a, qdi_node_index b) {
    const qd_tree *tree = join->tree;
    const qdi_node *na = &tree->nodes[a];
    const qdi_node *nb = &tree->nodes[b];
    if (!near(join, qdi_family_box(&tree->families[qdi_family_of(a)], qdi_sibling(a)),
              qdi_family_box(&tree->families[qdi_family_of(b)], qdi_sibling(b)))) {
        return true;
    }
    for (size_t s = na->first; s < (size_t)na->first + na->count; ++s) {
        if (!image_below(join, s, b, false)) return false;
    }
    for (size_t s = nb->first; s < (size_t)nb->first + nb->count; ++s) {
        for (unsigned q = 0; q < 4 && !qdi_is_leaf(na); ++q) {
            if (!image_below(join, s, 4 * na->children + q, true)) return false;
        }
    }
    if (qdi_is_leaf(na) || qdi_is_leaf(nb)) return true;
    for (unsigned i = 0; i < 16; ++i) {
        if (!image_cross(join, 4 * na->children + i / 4, 4 * nb->children + i % 4)) return false;
    }
    return true;
}

// ---- the root's list, when it is long

typedef struct outer_join {
    const join_state *join;
    size_t place;
    bool image;
} outer_join;

static bool outer_hit(void *context, size_t place) {
    const outer_join *outer = context;
    const join_state *join = outer->join;
    const uint32_t *order = join->tree->outer.order;
    if (outer->image) return push_image(join, order[outer->place], order[place]);
    qd_body_index a = join->tree->slots.index[order[outer->place]];
    qd_body_index b = join->tree->slots.index[order[place]];
    return qdi_pairs_push(join->pairs, join->worker, (qd_pair){a < b ? a : b, a < b ? b : a, {0, 0}});
}

// Bodies [begin, end) of the root's list with those after them, and with everything below the root.
static bool outer_range(const join_state *join, size_t begin, size_t end) {
    const qd_tree *tree = join->tree;
    const qdi_outer *outer = &tree->outer;
    qdi_family_index children = tree->nodes[QDI_ROOT].children;
    for (size_t i = begin; i < end; ++i) {
        outer_join context = {join, i, false};
        if (!qdi_outer_search(outer, outer->box[i], (qd_vec2){0.0, 0.0}, i + 1, outer_hit, &context))
            return false;
        if (children != QDI_NO_CHILD &&
            !box_below(join, outer->box[i], tree->slots.index[outer->order[i]], children)) {
            return false;
        }
    }
    return true;
}

static bool outer_image_range(const join_state *join, size_t begin, size_t end) {
    const qd_tree *tree = join->tree;
    const qdi_outer *outer = &tree->outer;
    qdi_family_index children = tree->nodes[QDI_ROOT].children;
    for (size_t i = begin; i < end; ++i) {
        outer_join context = {join, i, true};
        if (!qdi_outer_search(outer, outer->box[i], join->shift, 0, outer_hit, &context)) return false;
        for (unsigned q = 0; q < 4 && children != QDI_NO_CHILD; ++q) {
            if (!image_below(join, outer->order[i], 4 * children + q, false)) return false;
            if (!image_below(join, outer->order[i], 4 * children + q, true)) return false;
        }
    }
    return true;
}

// ---- tasks

typedef enum task_kind { TASK_SELF, TASK_LIST, TASK_CROSS, TASK_LISTS, TASK_OUTER } task_kind;

typedef struct plan_state {
    const qd_tree *tree;
    qd_pairs *pairs;
    size_t grain, count;
    qd_image image;
    qd_status status;
} plan_state;

static void plan_task(plan_state *planner, task_kind kind, uint32_t a, uint32_t b) {
    if (planner->status != QD_OK) return;
    planner->status = qdi_pairs_task(planner->pairs, planner->count++,
                                     (qdi_pair_task){a, b, planner->image, (uint32_t)kind});
}

static void plan_cross(plan_state *planner, qdi_node_index a, qdi_node_index b) {
    const qd_tree *tree = planner->tree;
    const qdi_node *na = &tree->nodes[a];
    const qdi_node *nb = &tree->nodes[b];
    if (na->total + nb->total <= planner->grain || qdi_is_leaf(na) || qdi_is_leaf(nb)) {
        plan_task(planner, TASK_CROSS, a, b);
        return;
    }
    plan_task(planner, TASK_LISTS, a, b);
    for (unsigned i = 0; i < 4; ++i) {
        unsigned mask = qdi_family_overlap(&tree->families[nb->children],
                                           qdi_family_box(&tree->families[na->children], i));
        for (; mask != 0; mask &= mask - 1) {
            plan_cross(planner, 4 * na->children + i, 4 * nb->children + (unsigned)__builtin_ctz(mask));
        }
    }
}

static void plan_outer(plan_state *planner) {
    size_t count = planner->tree->outer.count;
    for (size_t begin = 0; begin < count; begin += 256) {
        plan_task(planner, TASK_OUTER, (uint32_t)begin,
                  (uint32_t)(count - begin < 256 ? count : begin + 256));
    }
}

static void plan_self(plan_state *planner, qdi_node_index index) {
    const qd_tree *tree = planner->tree;
    const qdi_node *node = &tree->nodes[index];
    bool outer = index == QDI_ROOT && qdi_outer_used(tree);
    if (!outer && (node->total <= planner->grain || qdi_is_leaf(node))) {
        plan_task(planner, TASK_SELF, index, 0);
        return;
    }
    if (outer) {
        plan_outer(planner);
    } else {
        plan_task(planner, TASK_LIST, index, 0);
    }
    for (unsigned q = 0; q < 4 && !qdi_is_leaf(node); ++q) {
        plan_self(planner, 4 * node->children + q);
        for (unsigned mask = later_siblings(tree, node->children, q); mask != 0; mask &= mask - 1) {
            plan_cross(planner, 4 * node->children + q, 4 * node->children + (unsigned)__builtin_ctz(mask));
        }
    }
}

// The copy to the right, above, and diagonal. Few bodies are near a border, so a copy is one task for each child of the root.
static void plan_images(plan_state *planner) {
    const qd_tree *tree = planner->tree;
    static const qd_image copies[4] = {{1, 0}, {0, 1}, {1, 1}, {1, -1}};
    const qdi_node *root = &tree->nodes[QDI_ROOT];
    for (int i = 0; i < 4; ++i) {
        if ((copies[i].x != 0 && tree->period.x == 0.0) || (copies[i].y != 0 && tree->period.y == 0.0))
            continue;
        planner->image = copies[i];
        if (!qdi_outer_used(tree)) {
            plan_task(planner, TASK_CROSS, QDI_ROOT, QDI_ROOT);
            continue;
        }
        plan_outer(planner);
        for (unsigned c = 0; c < 16 && !qdi_is_leaf(root); ++c) {
            plan_task(planner, TASK_CROSS, 4 * root->children + c / 4, 4 * root->children + c % 4);
        }
    }
}

static void run_task(const join_state *join, const qdi_pair_task *task) {
    const qdi_node *nodes = join->tree->nodes;
    bool image = task->image.x != 0 || task->image.y != 0;
    switch ((task_kind)task->kind) {
    case TASK_SELF: (void)self_join(join, task->a); break;
    case TASK_LIST:
        (void)(list_self(join, &nodes[task->a]) &&
               list_below(join, &nodes[task->a], nodes[task->a].children));
        break;
    case TASK_CROSS:
        (void)(image ? image_cross(join, task->a, task->b) : cross(join, task->a, task->b));
        break;
    case TASK_LISTS: (void)cross_lists(join, &nodes[task->a], &nodes[task->b]); break;
    case TASK_OUTER:
        (void)(image ? outer_image_range(join, task->a, task->b) : outer_range(join, task->a, task->b));
        break;
    }
}

typedef struct join_job {
    const qd_tree *tree;
    qd_pairs *pairs;
} join_job;

static void run_tasks(void *context, size_t begin, size_t end, int worker) {
    const join_job *job = context;
    for (size_t t = begin; t < end; ++t) {
        if (qdi_pairs_stopped(job->pairs)) return;
        const qdi_pair_task *task = &job->pairs->tasks[t];
        join_state join = {.tree = job->tree, .pairs = job->pairs, .worker = worker, .image = task->image};
        join.shift = (qd_vec2){task->image.x * job->tree->period.x, task->image.y * job->tree->period.y};
        qdi_pairs_part_begin(job->pairs, worker, t);
        run_task(&join, task);
        qdi_pairs_part_end(job->pairs, worker, t);
    }
}

qd_status qd_tree_pairs(const qd_tree *tree, qd_team *team, qd_pairs *pairs) {
    if (!tree || !team || !pairs) return QD_ERR_ARGUMENT;
    size_t threads = (size_t)qd_team_threads(team);
    size_t grain = qdi_task_grain(tree->count, team, 2048);
    plan_state planner = {.tree = tree, .pairs = pairs, .grain = grain, .status = QD_OK};
    plan_self(&planner, QDI_ROOT);
    plan_images(&planner);
    if (planner.status == QD_OK) planner.status = qdi_pairs_begin(pairs, threads, planner.count);
    if (planner.status != QD_OK) return planner.status;
    join_job job = {tree, pairs};
    qdi_team_for(team, planner.count, 1, run_tasks, &job);
    return qdi_pairs_gather(pairs, team);
}
