// The self-join of the tree, cut into tasks for a team.
#include "core/base/arithmetic.h"
#include "core/tree/join.h"
#include "core/tree/root_list.h"

typedef enum task_kind {
    TASK_SUBTREE,
    TASK_NODE,
    TASK_ROOT_LIST,
    TASK_IMAGE,
    TASK_ROOT_LIST_IMAGE
} task_kind;

typedef struct plan_state {
    const qd_tree *tree;
    qd_pairs *pairs;
    size_t grain, count;
    qd_image image;
    qd_status status;
} plan_state;

// Tree's pairs: adds a task to the plan of the self-join.
static void plan_join_task(plan_state *planner, task_kind kind, uint32_t a, uint32_t b) {
    if (planner->status != QD_OK) return;
    planner->status = qdi_pairs_task(planner->pairs, planner->count++,
                                     (qdi_pair_task){a, b, planner->image, (uint32_t)kind});
}

// Plans tasks for pieces of the root's list.
static void plan_root_list_tasks(plan_state *planner, task_kind kind) {
    size_t count = planner->tree->root_list.count;
    for (size_t begin = 0; begin < count; begin += 256) {
        plan_join_task(planner, kind, (uint32_t)begin, (uint32_t)(count - begin < 256 ? count : begin + 256));
    }
}

// Plans the self-join of a subtree: as one task, or its list and then its children.
static void plan_join_subtree(plan_state *planner, qdi_node_index index) {
    const qd_tree *tree = planner->tree;
    const qdi_node *node = &tree->nodes[index];
    bool root_list = index == QDI_ROOT && qdi_root_list_used(tree);
    if (!root_list && (node->total <= planner->grain || qdi_is_leaf(node))) {
        if (node->total > 0) plan_join_task(planner, TASK_SUBTREE, index, 0);
        return;
    }
    if (root_list) {
        plan_root_list_tasks(planner, TASK_ROOT_LIST);
    } else if (node->count > 0) {
        plan_join_task(planner, TASK_NODE, index, 0);
    }
    for (unsigned q = 0; q < 4 && !qdi_is_leaf(node); ++q) plan_join_subtree(planner, 4 * node->children + q);
}

// Plans the joins of the tree with its periodic copies.
// The copy to the right, above, and diagonal. Few bodies are near a border, so a copy is one task for each
// child of the root.
static void plan_image_tasks(plan_state *planner) {
    const qd_tree *tree = planner->tree;
    static const qd_image copies[4] = {{1, 0}, {0, 1}, {1, 1}, {1, -1}};
    const qdi_node *root = &tree->nodes[QDI_ROOT];
    for (int i = 0; i < 4; ++i) {
        if ((copies[i].x != 0 && tree->period.x == 0.0) || (copies[i].y != 0 && tree->period.y == 0.0))
            continue;
        planner->image = copies[i];
        if (!qdi_root_list_used(tree)) {
            plan_join_task(planner, TASK_IMAGE, QDI_ROOT, QDI_ROOT);
            continue;
        }
        plan_root_list_tasks(planner, TASK_ROOT_LIST_IMAGE);
        for (unsigned c = 0; c < 16 && !qdi_is_leaf(root); ++c) {
            plan_join_task(planner, TASK_IMAGE, 4 * root->children + c / 4, 4 * root->children + c % 4);
        }
    }
}

// Tree's pairs: runs a task of the self-join.
static void run_join_task(const qdi_join *join, const qdi_pair_task *task) {
    // Whether the search was stopped is known to the pairs.
    switch ((task_kind)task->kind) {
    case TASK_SUBTREE: (void)qdi_join_subtree(join, task->a); break;
    case TASK_NODE: (void)qdi_join_node(join, task->a); break;
    case TASK_ROOT_LIST: (void)qdi_join_root_list(join, task->a, task->b); break;
    case TASK_IMAGE: (void)qdi_join_image(join, task->a, task->b); break;
    case TASK_ROOT_LIST_IMAGE: (void)qdi_join_root_list_image(join, task->a, task->b); break;
    }
}

typedef struct join_job {
    const qd_tree *tree;
    qd_pairs *pairs;
} join_job;

// Tree's pairs: runs tasks [begin, end) of the self-join.
static void run_join_tasks_range(void *context, size_t begin, size_t end, int worker) {
    const join_job *job = context;
    for (size_t t = begin; t < end; ++t) {
        if (qdi_pairs_stopped(job->pairs)) return;
        const qdi_pair_task *task = &job->pairs->tasks[t];
        qdi_join join = {.tree = job->tree, .pairs = job->pairs, .worker = worker, .image = task->image};
        join.shift = (qd_vec2){task->image.x * job->tree->period.x, task->image.y * job->tree->period.y};
        qdi_pairs_part_begin(job->pairs, worker, t);
        run_join_task(&join, task);
        qdi_pairs_part_end(job->pairs, worker, t);
    }
}

qd_status qd_tree_pairs(const qd_tree *tree, qd_team *team, qd_pairs *pairs) {
    QDI_RESTORED qdi_arithmetic caller = qdi_arithmetic_standard();
    if (!tree || !team || !pairs) return QD_ERR_ARGUMENT;
    size_t threads = (size_t)qd_team_threads(team);
    size_t grain = qdi_task_grain(tree->count, team, 512);
    plan_state planner = {.tree = tree, .pairs = pairs, .grain = grain, .status = QD_OK};
    plan_join_subtree(&planner, QDI_ROOT);
    plan_image_tasks(&planner);
    if (planner.status == QD_OK) planner.status = qdi_pairs_begin(pairs, threads, planner.count);
    if (planner.status != QD_OK) return planner.status;
    join_job job = {tree, pairs};
    qdi_team_for_workers(team, planner.count, 1, run_join_tasks_range, &job);
    return qdi_pairs_gather(pairs, team);
}
