// Other indices for the bodies of a tree. Lists stay in the order of indices, for a body that comes before
// another still does. Bounds, totals and the counts of rings stay behind where bodies leave: a refresh, which
// is next, works them out anew.
//
// A range of families belongs to one thread, with its nodes and slots; node_of has one place for each body.

#include "core/tree/rename.h"

#include "core/tree/tree_impl.h"

#include <string.h>

enum { GRAIN = 2048, FAMILY_GRAIN = 32 };

typedef struct rename_job {
    qd_tree *tree;
    const uint32_t *index_of;
    size_t *gone; ///< by range of families: bodies that left
} rename_job;

// Tree's names: forgets the nodes of bodies [begin, end).
static void forget_nodes_range(void *context, size_t begin, size_t end) {
    const rename_job *job = context;
    memset(job->tree->node_of + begin, 0xff, (end - begin) * sizeof *job->tree->node_of);
}

// Tree's names: the bodies of a node's list; returns how many leave.
static size_t rename_list(const rename_job *job, size_t n) {
    const qdi_slots *slots = &job->tree->slots;
    qdi_node *node = &job->tree->nodes[n];
    const size_t end = (size_t)node->first + node->count;
    size_t to = node->first;
    for (size_t s = node->first; s < end; ++s) {
        const uint32_t index = job->index_of[slots->index[s]];
        if (index == QDI_NONE) continue;
        if (to < s) qdi_slot_move(slots, to, s);
        slots->index[to++] = index;
        job->tree->node_of[index] = (uint32_t)n;
    }
    node->count = (uint32_t)(to - node->first);
    if (to < end) qdi_node_measure(job->tree, (qdi_node_index)n);
    return end - to;
}

// Tree's names: the bodies of families [begin, end).
static void rename_families_range(void *context, size_t begin, size_t end) {
    const rename_job *job = context;
    size_t gone = 0;
    for (size_t n = 4 * begin; n < 4 * end; ++n) gone += rename_list(job, n);
    job->gone[begin / FAMILY_GRAIN] = gone;
}

void qdi_tree_rename(qd_tree *tree, qd_team *team, const uint32_t *index_of, size_t indices) {
    const size_t ranges = qdi_range_count(tree->family_used, FAMILY_GRAIN);
    size_t needed = 0; // new indices are below
    for (size_t i = indices; i-- > 0 && needed == 0;) needed = index_of[i] == QDI_NONE ? 0 : index_of[i] + 1;
    qd_status status = qdi_node_of_reserve(tree, needed);
    if (status == QD_OK) status = qdi_buffer_need(tree, &tree->scratch.ranges, 0, ranges, sizeof(size_t));
    tree->rows_known = false;
    tree->revision += 1;
    if (status != QD_OK) {
        qdi_tree_clear(tree);
        return;
    }
    rename_job job = {tree, index_of, tree->scratch.ranges.items};
    qdi_team_for(team, tree->node_of_room, GRAIN, forget_nodes_range, &job);
    qdi_team_for(team, tree->family_used, FAMILY_GRAIN, rename_families_range, &job);
    for (size_t k = 0; k < ranges; ++k) tree->count -= job.gone[k];
}
