// Clusters: bodies that edges join, found by union and find. What nothing moves joins nobody. Serial, but for
// the solving: edges are few. Each cluster's work is its own: its courses, edges, legs and the flags and
// boxes of its bodies.

#include "sim/rigid/ccd.h"

/// Gives the dynamic bodies of new edges a course.
static qd_status add_courses(const qdi_step *step) {
    qdi_ccd *fast = step->fast;
    const qd_world *world = step->world;
    qd_status status = qdi_reserve(world->allocator, &fast->courses, &fast->course_room, fast->course_count,
                                   fast->course_count + 2 * fast->edge_count, sizeof *fast->courses);
    if (status != QD_OK) return status;
    for (size_t i = 0; i < fast->edge_count; ++i) {
        qdi_edge *edge = &fast->edges[i];
        if (!edge->fresh) continue;
        const uint32_t row[2] = {edge->row_a, edge->row_b};
        uint32_t course[2] = {QDI_NONE_YET, QDI_NONE_YET};
        for (int k = 0; k < 2; ++k) {
            if (row[k] == QDI_NO_ROW || world->kind[row[k]] != QD_BODY_DYNAMIC) continue;
            uint32_t *known = &fast->course_of[row[k]];
            if (*known == QDI_NONE_YET) {
                *known = (uint32_t)fast->course_count++;
                fast->courses[*known] = (qdi_course){.row = row[k], .first = QDI_NONE_YET};
            }
            course[k] = *known;
        }
        edge->course_a = course[0];
        edge->course_b = course[1];
    }
    return QD_OK;
}

static uint32_t find(qdi_course *courses, uint32_t i) {
    while (courses[i].root != i) {
        courses[i].root = courses[courses[i].root].root;
        i = courses[i].root;
    }
    return i;
}

/// The lowest course of a cluster becomes its root; then roots are replaced by the clusters' numbers.
static void unite(qdi_ccd *fast) {
    qdi_course *courses = fast->courses;
    for (uint32_t i = 0; i < fast->course_count; ++i) courses[i].root = i;
    for (size_t i = 0; i < fast->edge_count; ++i) {
        const qdi_edge *edge = &fast->edges[i];
        if (edge->course_a == QDI_NONE_YET || edge->course_b == QDI_NONE_YET) continue;
        uint32_t a = find(courses, edge->course_a), b = find(courses, edge->course_b);
        courses[a > b ? a : b].root = a > b ? b : a;
    }
    for (uint32_t i = 0; i < fast->course_count; ++i) courses[i].root = find(courses, i);
    uint32_t clusters = 0;
    for (uint32_t i = 0; i < fast->course_count; ++i) // a root comes before all others of its cluster
        courses[i].root = courses[i].root == i ? clusters++ : courses[courses[i].root].root;
    fast->cluster_count = clusters;
}

static uint32_t cluster_of(const qdi_ccd *fast, const qdi_edge *edge) {
    return fast->courses[edge->course_a != QDI_NONE_YET ? edge->course_a : edge->course_b].root;
}

static qd_status reserve(const qdi_step *step) {
    qdi_ccd *fast = step->fast;
    const qd_allocator *allocator = step->world->allocator;
    qd_status status = qdi_reserve(allocator, &fast->clusters, &fast->cluster_room, 0, fast->cluster_count,
                                   sizeof *fast->clusters);
    if (status == QD_OK)
        status = qdi_reserve(allocator, &fast->by_cluster, &fast->by_cluster_room, 0, fast->course_count,
                             sizeof *fast->by_cluster);
    if (status == QD_OK)
        status = qdi_reserve(allocator, &fast->edge_by_cluster, &fast->edge_by_cluster_room, 0,
                             fast->edge_count, sizeof *fast->edge_by_cluster);
    if (status == QD_OK)
        status = qdi_reserve(allocator, &fast->incident, &fast->incident_room, 0, 2 * fast->edge_count,
                             sizeof *fast->incident);
    if (status == QD_OK)
        status = qdi_reserve(allocator, &fast->winner, &fast->winner_room, 0, 2 * fast->edge_count,
                             sizeof *fast->winner);
    return status;
}

/// Courses and edges by cluster, in order.
static void deal(qdi_ccd *fast) {
    qdi_cluster *clusters = fast->clusters;
    for (size_t k = 0; k < fast->cluster_count; ++k) clusters[k] = (qdi_cluster){0};
    for (size_t i = 0; i < fast->course_count; ++i) {
        qdi_cluster *cluster = &clusters[fast->courses[i].root];
        ++cluster->courses;
        if (fast->courses[i].given_up) cluster->given_up = true;
    }
    for (size_t i = 0; i < fast->edge_count; ++i) {
        qdi_cluster *cluster = &clusters[cluster_of(fast, &fast->edges[i])];
        ++cluster->edges;
        if (fast->edges[i].fresh) cluster->fresh = true;
        if (fast->edges[i].stop) cluster->given_up = true;
    }
    uint32_t courses = 0, edges = 0;
    for (size_t k = 0; k < fast->cluster_count; ++k) {
        clusters[k].first_course = courses;
        clusters[k].first_edge = edges;
        courses += clusters[k].courses;
        edges += clusters[k].edges;
        clusters[k].courses = clusters[k].edges = 0;
    }
    for (uint32_t i = 0; i < fast->course_count; ++i) {
        qdi_cluster *cluster = &clusters[fast->courses[i].root];
        fast->by_cluster[cluster->first_course + cluster->courses++] = i;
    }
    for (uint32_t i = 0; i < fast->edge_count; ++i) {
        qdi_cluster *cluster = &clusters[cluster_of(fast, &fast->edges[i])];
        fast->edges[i].place = cluster->edges;
        fast->edge_by_cluster[cluster->first_edge + cluster->edges++] = i;
    }
}

/// The edges of each course.
static void join(qdi_ccd *fast) {
    for (size_t i = 0; i < fast->course_count; ++i) fast->courses[i].count = 0;
    for (size_t i = 0; i < fast->edge_count; ++i) {
        const qdi_edge *edge = &fast->edges[i];
        if (edge->course_a != QDI_NONE_YET) ++fast->courses[edge->course_a].count;
        if (edge->course_b != QDI_NONE_YET) ++fast->courses[edge->course_b].count;
    }
    uint32_t first = 0;
    for (size_t i = 0; i < fast->course_count; ++i) {
        fast->courses[i].edges = first;
        first += fast->courses[i].count;
        fast->courses[i].count = 0;
    }
    for (uint32_t i = 0; i < fast->edge_count; ++i) {
        const uint32_t course[2] = {fast->edges[i].course_a, fast->edges[i].course_b};
        for (int k = 0; k < 2; ++k) {
            if (course[k] == QDI_NONE_YET) continue;
            qdi_course *mine = &fast->courses[course[k]];
            fast->incident[mine->edges + mine->count++] = i;
        }
    }
}

/// The legs so far become those of the round before.
static void turn_over(qdi_ccd *fast) {
    qdi_leg *legs = fast->legs;
    qd_impact *blows = fast->blows;
    size_t leg_room = fast->leg_room, blow_room = fast->blow_room;
    fast->legs = fast->old_legs;
    fast->blows = fast->old_blows;
    fast->leg_room = fast->old_leg_room;
    fast->blow_room = fast->old_blow_room;
    fast->old_legs = legs;
    fast->old_blows = blows;
    fast->old_leg_room = leg_room;
    fast->old_blow_room = blow_room;
}

/// The legs of a course that stays as it is, from the round before.
static void keep_legs(qdi_ccd *fast, qdi_course *course) {
    uint32_t leg = course->first, *link = &course->first;
    while (leg != QDI_NONE_YET) {
        uint32_t place = (uint32_t)fast->leg_count++;
        fast->legs[place] = fast->old_legs[leg];
        if (fast->legs[place].blow) fast->blows[place] = fast->old_blows[leg];
        course->last = place;
        *link = place;
        link = &fast->legs[place].next;
        leg = *link;
    }
    if (course->given_up) fast->leg_count = course->first + 2; // it may be stopped
}

/// Room for the legs of this round: those of clusters that stay as they are are kept; of the others each
/// course needs a first one, each impact two, and each course a last one where all stay where they are.
static qd_status reserve_legs(const qdi_step *step) {
    qdi_ccd *fast = step->fast;
    turn_over(fast);
    size_t legs = fast->leg_count; // at least as many as are kept
    for (size_t k = 0; k < fast->cluster_count; ++k) {
        const qdi_cluster *cluster = &fast->clusters[k];
        if (cluster->fresh) legs += 2 * (size_t)cluster->courses + 2 * QDI_IMPACTS((size_t)cluster->edges);
    }
    if (legs >= QDI_NONE_YET) return QD_ERR_MEMORY;
    const qd_allocator *allocator = step->world->allocator;
    qd_status status = qdi_reserve(allocator, &fast->legs, &fast->leg_room, 0, legs, sizeof *fast->legs);
    if (status == QD_OK)
        status = qdi_reserve(allocator, &fast->blows, &fast->blow_room, 0, legs, sizeof *fast->blows);
    if (status != QD_OK) return status;
    fast->leg_count = 0;
    for (size_t i = 0; i < fast->course_count; ++i)
        if (!fast->clusters[fast->courses[i].root].fresh) keep_legs(fast, &fast->courses[i]);
    for (size_t k = 0; k < fast->cluster_count; ++k) {
        qdi_cluster *cluster = &fast->clusters[k];
        if (!cluster->fresh) continue;
        cluster->first_leg = cluster->next_leg = (uint32_t)fast->leg_count;
        fast->leg_count += 2 * (size_t)cluster->courses + 2 * QDI_IMPACTS((size_t)cluster->edges);
    }
    return QD_OK;
}

static void relist(const qdi_step *step, qdi_cluster *cluster) {
    const qdi_ccd *fast = step->fast;
    for (uint32_t k = 0; k < cluster->courses; ++k)
        qdi_ccd_relist(step, fast->courses[fast->by_cluster[cluster->first_course + k]].row, cluster);
}

static void solve_range(void *context, size_t begin, size_t end, int worker) {
    (void)worker;
    const qdi_step *step = context;
    for (size_t k = begin; k < end; ++k) {
        qdi_cluster *cluster = &step->fast->clusters[k];
        if (!cluster->fresh) continue;
        if (!qdi_cluster_solve(step, cluster)) return;
        relist(step, cluster);
    }
}

qd_status qdi_ccd_solve(const qdi_step *step, bool *outside, bool *wide) {
    qdi_ccd *fast = step->fast;
    *outside = *wide = false;
    qd_status status = add_courses(step);
    if (status != QD_OK) return status;
    for (size_t i = 0; i < fast->course_count; ++i)
        fast->flags[fast->courses[i].row] &= (uint8_t) ~(unsigned)QDI_FRESH;
    unite(fast);
    status = reserve(step);
    if (status != QD_OK) return status;
    deal(fast);
    join(fast);
    status = reserve_legs(step);
    if (status != QD_OK) return status;
    qdi_step job = *step;
    qdi_team_for(step->world->team, fast->cluster_count, 4, solve_range, &job);
    for (size_t k = 0; k < fast->cluster_count; ++k) {
        const qdi_cluster *cluster = &fast->clusters[k];
        *outside = *outside || cluster->outside;
        *wide = *wide || cluster->wide;
        if (cluster->fresh && cluster->given_up) fast->stopping = true;
    }
    return qdi_stopping(step->world) ? QD_ERR_STOPPED : QD_OK;
}
