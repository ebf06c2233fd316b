// What a search of the tree meets: the nodes whose bounds it opens, the boxes that overlap, those of bodies
// that are hit, and what was asked for, one over the other. A retrieve asks for one body's box, a query for a
// rectangle.
#include "core/base/memory.h"
#include "core/tree/search.h"
#include "export/picture/picture_impl.h"
#include "sim/world/world_team.h"

#include <math.h>
#include <quadrille/query.h>
#include <string.h>

typedef struct search_job {
    qdi_copy *copier;
    qd_box box;
    qdi_search_facts *facts;
    qd_body_index self;  // of a retrieve
    qd_body_index found; // of a query: the candidate whose shape is looked at now, or QD_NO_BODY
} search_job;

// Adds a rectangle of the tree, which counts from the world's centre, to the picture.
static void add_tree_rect(qdi_copy *copier, const double from[4], int thick, uint8_t ink, bool held) {
    const qd_world_def *world = &copier->world;
    double x = world->origin.x + 0.5 * world->size.x, y = world->origin.y + 0.5 * world->size.y;
    const double rect[4] = {
        qdi_camera_x(&copier->camera, from[0] + x), qdi_camera_y(&copier->camera, from[3] + y),
        qdi_camera_x(&copier->camera, from[2] + x), qdi_camera_y(&copier->camera, from[1] + y)};
    qdi_overlay_frame(copier, rect, thick, ink, held);
}

// Adds a box of the tree to the picture.
static void add_tree_box(qdi_copy *copier, qd_box box, int thick, uint8_t ink) {
    const double from[4] = {(double)box.min_x, (double)box.min_y, (double)box.max_x, (double)box.max_y};
    add_tree_rect(copier, from, thick, ink, false);
}

// Overlay of a search: true where two ranges overlap, or any images of them where there is a period.
static bool ranges_overlap(double a0, double a1, double b0, double b1, double period) {
    const double between = period > 0.0 ? floor((b0 - a0) / period + 0.5) * period : 0.0;
    for (int i = period > 0.0 ? -2 : 0; i <= (period > 0.0 ? 2 : 0); ++i)
        if (a0 + between <= b1 + i * period && b0 + i * period <= a1 + between) return true;
    return false;
}

// Overlay of a search: shows a node that a search would visit.
static bool visit_searched_node(void *context, const qd_tree_node_info *node) {
    const search_job *job = context;
    const qd_world_def *world = &job->copier->world;
    const qd_box box = job->box, bounds = node->bounds;
    double period_x = world->boundary_x == QD_BOUNDARY_PERIODIC ? world->size.x : 0.0;
    double period_y = world->boundary_y == QD_BOUNDARY_PERIODIC ? world->size.y : 0.0;
    if (!ranges_overlap((double)box.min_x, (double)box.max_x, (double)bounds.min_x, (double)bounds.max_x,
                        period_x) ||
        !ranges_overlap((double)box.min_y, (double)box.max_y, (double)bounds.min_y, (double)bounds.max_y,
                        period_y))
        return true;
    job->facts->nodes += 1;
    const double cell[4] = {node->min_x, node->min_y, node->min_x + node->side, node->min_y + node->side};
    add_tree_rect(job->copier, cell, 1, QDI_INK_VISITED, true);
    return true;
}

// ---- a body's retrieve

// Overlay of a search: true where two bodies are in contact.
static bool bodies_are_in_contact(const qdi_copy *copier, qd_body_index a, qd_body_index b) {
    const qd_body_index low = a < b ? a : b, high = a < b ? b : a;
    for (size_t i = 0; i < copier->contact_count; ++i)
        if (copier->contacts[i].a.index == low && copier->contacts[i].b.index == high) return true;
    return false;
}

// Overlay of a search: outlines the box of a body that a retrieve finds.
static bool visit_retrieved_body(void *context, qd_body_index body, qd_image image) {
    const search_job *job = context;
    qd_box box;
    (void)image; // every image that is seen is outlined
    if (qd_tree_box(job->copier->tree, body, &box) != QD_OK) return true;
    bool hit = bodies_are_in_contact(job->copier, job->self, body);
    job->facts->candidates += 1;
    job->facts->hits += hit;
    add_tree_box(job->copier, box, hit ? 2 : 1, hit ? QDI_INK_HIT : QDI_INK_CANDIDATE);
    return job->copier->status == QD_OK;
}

void qdi_overlay_retrieve(qdi_copy *copier) {
    const qd_body_view *bodies = &copier->bodies;
    if (qdi_world_is_behind(copier->from)) return; // it may not even have the body
    for (size_t i = 0; i < bodies->index_count; ++i) {
        uint32_t row = bodies->row_of_index[i];
        if (row == UINT32_MAX || bodies->label[row] != copier->view->retrieve) continue;
        search_job job = {
            .copier = copier, .facts = &copier->picture->facts.retrieve, .self = (qd_body_index)i};
        if (qd_tree_box(copier->tree, job.self, &job.box) != QD_OK) return;
        qd_tree_visit_nodes(copier->tree, visit_searched_node, &job);
        if (copier->status == QD_OK)
            copier->status = qdi_tree_retrieve(copier->tree, job.box, job.self, visit_retrieved_body, &job,
                                               &job.facts->tests);
        add_tree_box(copier, job.box, 2, QDI_INK_ASKED);
        return;
    }
}

// ---- a rectangle

// Overlay of a search: outlines the box of the last candidate, whose shape turned out not to be in the
// rectangle.
static void end_candidate(search_job *job) {
    qd_box box;
    if (job->found != QD_NO_BODY && qd_tree_box(job->copier->tree, job->found, &box) == QD_OK)
        add_tree_box(job->copier, box, 1, QDI_INK_CANDIDATE);
    job->found = QD_NO_BODY;
}

/// Overlay of a search: begins to look at a candidate of the body that asks.
static bool begin_candidate(void *context, qd_id body) {
    search_job *job = context;
    end_candidate(job);
    job->found = body.index;
    return true;
}

/// Overlay of a search: lights up a body that the search found.
static bool light_body(void *context, qd_id body, qd_image image) {
    search_job *job = context;
    (void)image;
    job->found = QD_NO_BODY;
    job->facts->hits += 1;
    job->copier->picture->lit[body.index] = 1;
    return job->copier->status == QD_OK;
}

void qdi_overlay_query(qdi_copy *copier) {
    qdi_picture *picture = copier->picture;
    if (isnan(copier->view->query.x) || qdi_world_is_behind(copier->from)) return;
    const size_t count = copier->bodies.index_count;
    copier->status = qdi_reserve(picture->allocator, &picture->lit, &picture->lit_room, 0, count + 1,
                                 sizeof *picture->lit);
    if (copier->status != QD_OK) return;
    memset(picture->lit, 0, count);
    copier->shade.lit = picture->lit;
    const qdi_camera_part part = qdi_camera_part_of(&copier->view->query, copier->from);
    const qd_vec2 low = part.origin, high = {low.x + part.size.x, low.y + part.size.y};
    const double x = copier->world.origin.x + 0.5 * copier->world.size.x,
                 y = copier->world.origin.y + 0.5 * copier->world.size.y;
    search_job job = {.copier = copier, .facts = &picture->facts.query, .found = QD_NO_BODY};
    job.box = (qd_box){qd_float_below(low.x - x), qd_float_below(low.y - y), qd_float_above(high.x - x),
                       qd_float_above(high.y - y)};
    qd_world_rect_cost cost;
    qd_tree_visit_nodes(copier->tree, visit_searched_node, &job);
    // Nothing is in a rectangle that is further away than the tree can tell.
    if (qd_world_rect(copier->from, low, high, begin_candidate, light_body, &job, &cost) == QD_OK) {
        end_candidate(&job);
        job.facts->tests = cost.tests;
        job.facts->candidates = cost.candidates;
    }
    add_tree_rect(copier, (double[4]){low.x - x, low.y - y, high.x - x, high.y - y}, 2, QDI_INK_HIT, false);
}
