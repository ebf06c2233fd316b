// All pairs by one retrieve per body: the plain parallel loop, in tree order so that the result has an order
// of its own.
#include "core/base/arithmetic.h"
#include "core/tree/pairs_impl.h"
#include "core/tree/search.h"
#include "core/tree/tree_impl.h"

enum { SLOTS_PER_TASK = 512 };
typedef enum each_kind { EACH_SUBTREE, EACH_SLOTS } each_kind;

typedef struct each_plan {
    const qd_tree *tree;
    qd_pairs *pairs;
    size_t grain, count;
    qd_status status;
} each_plan;

// Tree's retrieve for each: adds a task to the plan of a search by one retrieve per body.
static void plan_each_task(each_plan *plan, each_kind kind, uint32_t a, uint32_t b) {
    if (plan->status != QD_OK) return;
    plan->status = qdi_pairs_task(plan->pairs, plan->count++, (qdi_pair_task){a, b, {0, 0}, (uint32_t)kind});
}

// Plans the tasks of a subtree: whole, or its list in pieces and then its children.
static void plan_each_subtree(each_plan *plan, qdi_node_index index) {
    const qdi_node *node = &plan->tree->nodes[index];
    if (node->total <= plan->grain) {
        plan_each_task(plan, EACH_SUBTREE, index, 0);
        return;
    }
    uint32_t end = node->first + node->count;
    for (uint32_t at = node->first; at < end; at += SLOTS_PER_TASK) {
        plan_each_task(plan, EACH_SLOTS, at, end - at < SLOTS_PER_TASK ? end : at + SLOTS_PER_TASK);
    }
    for (unsigned q = 0; q < 4 && !qdi_is_leaf(node); ++q) plan_each_subtree(plan, 4 * node->children + q);
}

typedef struct each_job {
    const qd_tree *tree;
    qd_pairs *pairs;
    int worker;
    qd_body_index self;
} each_job;

// Tree's retrieve for each: takes a body that a retrieve found as a pair; one of lower index finds the pair
// itself.
static bool push_pair_with_later(void *context, qd_body_index body, qd_image image) {
    const each_job *job = context;
    if (body < job->self) return true; // the other body's retrieve reports this pair
    return qdi_pairs_push(job->pairs, job->worker, (qd_pair){job->self, body, image});
}

// Retrieves what overlaps each of the slots [begin, end).
static void retrieve_for_slots(each_job *job, size_t begin, size_t end) {
    const qdi_slots *slots = &job->tree->slots;
    uint64_t tests = 0;
    for (size_t s = begin; s < end && !qdi_pairs_stopped(job->pairs); ++s) {
        job->self = slots->index[s];
        // Boxes of the tree are valid, so there is nothing to fail.
        qd_status status = qdi_tree_retrieve(job->tree, qdi_slot_box(slots, s), job->self,
                                             push_pair_with_later, job, &tests);
        (void)status;
    }
    qdi_pairs_tested(job->pairs, job->worker, tests);
}

// Retrieves what overlaps each body of a subtree.
static void retrieve_for_subtree(each_job *job, qdi_node_index index) {
    const qdi_node *node = &job->tree->nodes[index];
    retrieve_for_slots(job, node->first, (size_t)node->first + node->count);
    for (unsigned q = 0; q < 4 && !qdi_is_leaf(node); ++q) retrieve_for_subtree(job, 4 * node->children + q);
}

// Tree's retrieve for each: runs tasks [begin, end) of the search by one retrieve per body.
static void run_each_tasks(void *context, size_t begin, size_t end, int worker) {
    each_job job = *(const each_job *)context;
    job.worker = worker;
    for (size_t t = begin; t < end && !qdi_pairs_stopped(job.pairs); ++t) {
        const qdi_pair_task *task = &job.pairs->tasks[t];
        qdi_pairs_part_begin(job.pairs, worker, t);
        if (task->kind == EACH_SUBTREE) {
            retrieve_for_subtree(&job, task->a);
        } else {
            retrieve_for_slots(&job, task->a, task->b);
        }
        qdi_pairs_part_end(job.pairs, worker, t);
    }
}

qd_status qd_tree_pairs_each(const qd_tree *tree, qd_team *team, qd_pairs *pairs) {
    QDI_RESTORED qdi_arithmetic caller = qdi_arithmetic_standard();
    if (!tree || !team || !pairs) return QD_ERR_ARGUMENT;
    size_t threads = (size_t)qd_team_threads(team);
    size_t grain = qdi_task_grain(tree->count, team, 1024);
    each_plan plan = {.tree = tree, .pairs = pairs, .grain = grain, .status = QD_OK};
    plan_each_subtree(&plan, QDI_ROOT);
    if (plan.status == QD_OK) plan.status = qdi_pairs_begin(pairs, threads, plan.count);
    if (plan.status != QD_OK) return plan.status;
    each_job job = {.tree = tree, .pairs = pairs};
    qdi_team_for_workers(team, plan.count, 1, run_each_tasks, &job);
    return qdi_pairs_gather(pairs, team);
}
