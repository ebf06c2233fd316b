// Clusters: bodies that edges join, found by union and find. What nothing moves joins nobody. Serial, but for
// the solving: edges are few. Each cluster's work is its own: its trajectories, edges, segments and the flags
// and boxes of its bodies.

#include "sim/rigid/ccd.h"
#include "sim/world/scratch.h"
#include "sim/world/world_impl.h"

/// Gives the dynamic bodies of new edges a trajectory.
static qd_status add_courses(const qdi_step *step) {
    qdi_ccd *ccd = step->ccd;
    const qd_world *world = step->world;
    qd_status status = qdi_reserve(world->allocator, &ccd->trajectories, &ccd->trajectory_room,
                                   ccd->trajectory_count, ccd->trajectory_count + 2 * ccd->edge_count,
                                   sizeof *ccd->trajectories);
    if (status != QD_OK) return status;
    for (size_t i = 0; i < ccd->edge_count; ++i) {
        qdi_edge *edge = &ccd->edges[i];
        if (!edge->fresh) continue;
        const uint32_t row[2] = {edge->row_a, edge->row_b};
        uint32_t trajectory[2] = {QDI_NONE_YET, QDI_NONE_YET};
        for (int k = 0; k < 2; ++k) {
            if (row[k] == QDI_NO_ROW || world->kind[row[k]] != QD_BODY_DYNAMIC) continue;
            uint32_t *known = &ccd->trajectory_of[row[k]];
            if (*known == QDI_NONE_YET) {
                *known = (uint32_t)ccd->trajectory_count++;
                ccd->trajectories[*known] = (qdi_trajectory){.row = row[k], .first = QDI_NONE_YET};
            }
            trajectory[k] = *known;
        }
        edge->trajectory_a = trajectory[0];
        edge->trajectory_b = trajectory[1];
    }
    return QD_OK;
}

/// The root of a trajectory's cluster; shortens the path there.
static uint32_t find(qdi_trajectory *trajectories, uint32_t i) {
    while (trajectories[i].root != i) {
        trajectories[i].root = trajectories[trajectories[i].root].root;
        i = trajectories[i].root;
    }
    return i;
}

/// The lowest trajectory of a cluster becomes its root; then roots are replaced by the clusters' numbers.
static void unite(qdi_ccd *ccd) {
    qdi_trajectory *trajectories = ccd->trajectories;
    for (uint32_t i = 0; i < ccd->trajectory_count; ++i) trajectories[i].root = i;
    for (size_t i = 0; i < ccd->edge_count; ++i) {
        const qdi_edge *edge = &ccd->edges[i];
        if (edge->trajectory_a == QDI_NONE_YET || edge->trajectory_b == QDI_NONE_YET) continue;
        uint32_t a = find(trajectories, edge->trajectory_a), b = find(trajectories, edge->trajectory_b);
        trajectories[a > b ? a : b].root = a > b ? b : a;
    }
    for (uint32_t i = 0; i < ccd->trajectory_count; ++i) trajectories[i].root = find(trajectories, i);
    uint32_t clusters = 0;
    for (uint32_t i = 0; i < ccd->trajectory_count; ++i) // a root comes before all others of its cluster
        trajectories[i].root = trajectories[i].root == i ? clusters++
                                                         : trajectories[trajectories[i].root].root;
    ccd->cluster_count = clusters;
}

/// The cluster of a trajectory.
static uint32_t cluster_of(const qdi_ccd *ccd, const qdi_edge *edge) {
    return ccd->trajectories[edge->trajectory_a != QDI_NONE_YET ? edge->trajectory_a : edge->trajectory_b]
        .root;
}

/// Makes room for the clusters of a round.
static qd_status reserve(const qdi_step *step) {
    qdi_ccd *ccd = step->ccd;
    qdi_arena *arena = &step->world->scratch.arena;
    ccd->clusters = qdi_arena_take(arena, ccd->cluster_count, sizeof *ccd->clusters);
    ccd->by_cluster = qdi_arena_take(arena, ccd->trajectory_count, sizeof *ccd->by_cluster);
    ccd->edge_by_cluster = qdi_arena_take(arena, ccd->edge_count, sizeof *ccd->edge_by_cluster);
    ccd->incident = qdi_arena_take(arena, 2 * ccd->edge_count, sizeof *ccd->incident);
    ccd->winner = qdi_arena_take(arena, 2 * ccd->edge_count, sizeof *ccd->winner);
    const bool all = ccd->clusters && ccd->by_cluster && ccd->edge_by_cluster && ccd->incident && ccd->winner;
    return all ? QD_OK : QD_ERR_MEMORY;
}

/// Courses and edges by cluster, in order.
static void deal(qdi_ccd *ccd) {
    qdi_cluster *clusters = ccd->clusters;
    for (size_t k = 0; k < ccd->cluster_count; ++k) clusters[k] = (qdi_cluster){0};
    for (size_t i = 0; i < ccd->trajectory_count; ++i) {
        qdi_cluster *cluster = &clusters[ccd->trajectories[i].root];
        ++cluster->trajectories;
        if (ccd->trajectories[i].given_up) cluster->given_up = true;
    }
    for (size_t i = 0; i < ccd->edge_count; ++i) {
        qdi_cluster *cluster = &clusters[cluster_of(ccd, &ccd->edges[i])];
        ++cluster->edges;
        if (ccd->edges[i].fresh) cluster->fresh = true;
        if (ccd->edges[i].stop) cluster->given_up = true;
    }
    uint32_t trajectories = 0, edges = 0;
    for (size_t k = 0; k < ccd->cluster_count; ++k) {
        clusters[k].first_trajectory = trajectories;
        clusters[k].first_edge = edges;
        trajectories += clusters[k].trajectories;
        edges += clusters[k].edges;
        clusters[k].trajectories = clusters[k].edges = 0;
    }
    for (uint32_t i = 0; i < ccd->trajectory_count; ++i) {
        qdi_cluster *cluster = &clusters[ccd->trajectories[i].root];
        ccd->by_cluster[cluster->first_trajectory + cluster->trajectories++] = i;
    }
    for (uint32_t i = 0; i < ccd->edge_count; ++i) {
        qdi_cluster *cluster = &clusters[cluster_of(ccd, &ccd->edges[i])];
        ccd->edges[i].place = cluster->edges;
        ccd->edge_by_cluster[cluster->first_edge + cluster->edges++] = i;
    }
}

/// The edges of each trajectory.
static void join(qdi_ccd *ccd) {
    for (size_t i = 0; i < ccd->trajectory_count; ++i) ccd->trajectories[i].count = 0;
    for (size_t i = 0; i < ccd->edge_count; ++i) {
        const qdi_edge *edge = &ccd->edges[i];
        if (edge->trajectory_a != QDI_NONE_YET) ++ccd->trajectories[edge->trajectory_a].count;
        if (edge->trajectory_b != QDI_NONE_YET) ++ccd->trajectories[edge->trajectory_b].count;
    }
    uint32_t first = 0;
    for (size_t i = 0; i < ccd->trajectory_count; ++i) {
        ccd->trajectories[i].edges = first;
        first += ccd->trajectories[i].count;
        ccd->trajectories[i].count = 0;
    }
    for (uint32_t i = 0; i < ccd->edge_count; ++i) {
        const uint32_t trajectory[2] = {ccd->edges[i].trajectory_a, ccd->edges[i].trajectory_b};
        for (int k = 0; k < 2; ++k) {
            if (trajectory[k] == QDI_NONE_YET) continue;
            qdi_trajectory *mine = &ccd->trajectories[trajectory[k]];
            ccd->incident[mine->edges + mine->count++] = i;
        }
    }
}

/// Ccd: the segments so far become those of the round before.
static void turn_over(qdi_ccd *ccd) {
    qdi_path_segment *segments = ccd->segments;
    qd_impact *impacts = ccd->impacts;
    size_t segment_room = ccd->segment_room, impact_room = ccd->impact_room;
    ccd->segments = ccd->old_segments;
    ccd->impacts = ccd->old_impacts;
    ccd->segment_room = ccd->old_segment_room;
    ccd->impact_room = ccd->old_impact_room;
    ccd->old_segments = segments;
    ccd->old_impacts = impacts;
    ccd->old_segment_room = segment_room;
    ccd->old_impact_room = impact_room;
}

/// The segments of a trajectory that stays as it is, from the round before.
static void keep_segments(qdi_ccd *ccd, qdi_trajectory *trajectory) {
    uint32_t segment = trajectory->first, *link = &trajectory->first;
    while (segment != QDI_NONE_YET) {
        uint32_t place = (uint32_t)ccd->segment_count++;
        ccd->segments[place] = ccd->old_segments[segment];
        if (ccd->segments[place].impact) ccd->impacts[place] = ccd->old_impacts[segment];
        trajectory->last = place;
        *link = place;
        link = &ccd->segments[place].next;
        segment = *link;
    }
    if (trajectory->given_up) ccd->segment_count = trajectory->first + 2; // it may be stopped
}

/// Room for the segments of this round: those of clusters that stay as they are are kept; of the others each
/// trajectory needs a first one, each impact two, and each trajectory a last one where all stay where they
/// are.
static qd_status reserve_segments(const qdi_step *step) {
    qdi_ccd *ccd = step->ccd;
    turn_over(ccd);
    size_t segments = ccd->segment_count; // at least as many as are kept
    for (size_t k = 0; k < ccd->cluster_count; ++k) {
        const qdi_cluster *cluster = &ccd->clusters[k];
        if (cluster->fresh)
            segments += 2 * (size_t)cluster->trajectories + 2 * QDI_IMPACTS((size_t)cluster->edges);
    }
    if (segments >= QDI_NONE_YET) return QD_ERR_MEMORY;
    const qd_allocator *allocator = step->world->allocator;
    qd_status status = qdi_reserve(allocator, &ccd->segments, &ccd->segment_room, 0, segments,
                                   sizeof *ccd->segments);
    if (status == QD_OK)
        status = qdi_reserve(allocator, &ccd->impacts, &ccd->impact_room, 0, segments, sizeof *ccd->impacts);
    if (status != QD_OK) return status;
    ccd->segment_count = 0;
    for (size_t i = 0; i < ccd->trajectory_count; ++i)
        if (!ccd->clusters[ccd->trajectories[i].root].fresh) keep_segments(ccd, &ccd->trajectories[i]);
    for (size_t k = 0; k < ccd->cluster_count; ++k) {
        qdi_cluster *cluster = &ccd->clusters[k];
        if (!cluster->fresh) continue;
        cluster->first_segment = cluster->next_segment = (uint32_t)ccd->segment_count;
        ccd->segment_count += 2 * (size_t)cluster->trajectories + 2 * QDI_IMPACTS((size_t)cluster->edges);
    }
    return QD_OK;
}

/// Clusters of ccd: the flags of a body that has a new path.
static void relist_row(const qdi_step *step, const qdi_trajectory *trajectory, qdi_cluster *cluster) {
    const uint32_t row = trajectory->row;
    uint8_t *flags = &step->ccd->flags[row];
    if (*flags & QDI_LOST && !cluster->given_up) return; // who was given up goes as at first
    const bool as_at_first = !trajectory->hit && !trajectory->strayed;
    *flags = (uint8_t)((*flags & QDI_MISSED) | (as_at_first ? 0 : QDI_FRESH));
    qdi_path_segment segment = qdi_path_begin(step, row);
    do {
        if (qdi_segment_followed(step, row, &segment)) *flags |= QDI_FOLLOWED;
    } while (qdi_path_next(step, &segment));
    qd_box box;
    if (!qdi_path_box(step, row, &box)) {
        *flags = (uint8_t)(QDI_LOST | (*flags & QDI_MISSED));
        return;
    }
    if (qdi_ccd_holds(step, row, box)) return;
    *flags |= QDI_STRAY;
    cluster->outside = true;
}

/// Clusters of ccd: the same of all bodies of a cluster that was solved.
static void relist(const qdi_step *step, qdi_cluster *cluster) {
    const qdi_ccd *ccd = step->ccd;
    for (uint32_t k = 0; k < cluster->trajectories; ++k)
        relist_row(step, &ccd->trajectories[ccd->by_cluster[cluster->first_trajectory + k]], cluster);
}

/// Solves a range of clusters.
static void solve_range(void *context, size_t begin, size_t end) {
    const qdi_step *step = context;
    for (size_t k = begin; k < end; ++k) {
        qdi_cluster *cluster = &step->ccd->clusters[k];
        if (!cluster->fresh) continue;
        qdi_cluster_solve(step, cluster);
        relist(step, cluster);
    }
}

/// Clusters of ccd: see qdi_ccd_solve, which gives back what is taken from the arena.
static qd_status solve(const qdi_step *step, bool *outside) {
    qdi_ccd *ccd = step->ccd;
    *outside = false;
    qd_status status = add_courses(step);
    if (status != QD_OK) return status;
    for (size_t i = 0; i < ccd->trajectory_count; ++i)
        ccd->flags[ccd->trajectories[i].row] &= (uint8_t) ~(unsigned)QDI_FRESH;
    unite(ccd);
    status = reserve(step);
    if (status != QD_OK) return status;
    deal(ccd);
    join(ccd);
    status = reserve_segments(step);
    if (status != QD_OK) return status;
    qdi_step job = *step;
    qdi_team_for(step->world->team, ccd->cluster_count, 4, solve_range, &job);
    for (size_t k = 0; k < ccd->cluster_count; ++k) {
        const qdi_cluster *cluster = &ccd->clusters[k];
        *outside = *outside || cluster->outside;
        if (cluster->fresh && cluster->given_up) ccd->stopping = true;
    }
    return QD_OK;
}

qd_status qdi_ccd_solve(const qdi_step *step, bool *outside) {
    qdi_arena *arena = &step->world->scratch.arena;
    const qdi_arena_mark mark = qdi_arena_mark_of(arena);
    const qd_status status = solve(step, outside);
    qdi_arena_give_back(arena, mark);
    return status;
}
