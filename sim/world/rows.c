// Rows in tree order.
//
// Every pass of a step goes over rows or over the tree; when rows lie in tree order, a pass that needs both
// goes through memory once, and what one thread writes it also reads. Order decays as bodies move, so it is
// made again when as many bodies have changed their node as there are. No result depends on it.

#include "sim/world/rows.h"

#include "core/base/memory.h"
#include "sim/world/grain.h"
#include "sim/world/part.h"
#include "sim/world/scratch.h"
#include "sim/world/spots.h"
#include "sim/world/world_impl.h"

typedef struct rows_job {
    qd_world *world;
    const uint32_t *from; ///< by new row: the old one
    uint32_t *narrow;     ///< room for two columns of four bytes
    uint8_t *small;       ///< room for a column of bytes
    uint32_t **number;    ///< the column of four bytes in work
    const double *old_wide;
    double *new_wide;
} rows_job;

// Gathers a column of 8 bytes per body in the new order of rows.
static void gather_wide(void *context, size_t begin, size_t end) {
    const rows_job *job = context;
    for (size_t r = begin; r < end; ++r) job->new_wide[r] = job->old_wide[job->from[r]];
}

/// World's rows: puts a column of doubles in order into a spare one; the two change places.
static void order_wide(rows_job *job, double **column, double **spare) {
    job->old_wide = *column;
    job->new_wide = *spare;
    qdi_team_for(job->world->team, job->world->count, QDI_BODY_GRAIN, gather_wide, job);
    double *old = *column;
    *column = *spare;
    *spare = old;
}

// Gathers index, generation and the like in the new order of rows.
static void gather_small(void *context, size_t begin, size_t end) {
    const rows_job *job = context;
    const qd_world *world = job->world;
    size_t n = world->count;
    for (size_t r = begin; r < end; ++r) {
        uint32_t from = job->from[r];
        job->narrow[r] = world->index[from];
        job->narrow[n + r] = world->generation[from];
        unsigned touching = atomic_load_explicit(&world->touching[from], memory_order_relaxed);
        job->small[r] = (uint8_t)(touching | (unsigned)world->kind[from] << 1);
    }
}

// World's rows: writes what gather_small gathered back to the columns of bodies.
static void spread_small(void *context, size_t begin, size_t end) {
    const rows_job *job = context;
    qd_world *world = job->world;
    size_t n = world->count;
    for (size_t r = begin; r < end; ++r) {
        world->index[r] = job->narrow[r];
        world->generation[r] = job->narrow[n + r];
        atomic_store_explicit(&world->touching[r], job->small[r] & 1U, memory_order_relaxed);
        const uint8_t kind = job->small[r] >> 1;
        qdi_put_rare(&world->kind[r], &kind, sizeof kind);
        world->row_of_index[world->index[r]] = (uint32_t)r;
    }
}

// Gathers a column of 4 bytes per body in the new order of rows.
static void gather_numbers(void *context, size_t begin, size_t end) {
    const rows_job *job = context;
    for (size_t r = begin; r < end; ++r) job->narrow[r] = (*job->number)[job->from[r]];
}

// World's rows: writes what gather_numbers gathered back to its column.
static void spread_numbers(void *context, size_t begin, size_t end) {
    const rows_job *job = context;
    for (size_t r = begin; r < end; ++r)
        qdi_put_rare(&(*job->number)[r], &job->narrow[r], sizeof *job->narrow);
}

// Puts a column of 4 bytes per body into the new order of rows.
static void order_numbers(rows_job *job, uint32_t **column) {
    job->number = column;
    qdi_team_for(job->world->team, job->world->count, QDI_BODY_GRAIN, gather_numbers, job);
    qdi_team_for(job->world->team, job->world->count, QDI_BODY_GRAIN, spread_numbers, job);
}

// Gathers labels of bodies in the new order of rows.
static void gather_labels(void *context, size_t begin, size_t end) {
    const rows_job *job = context;
    for (size_t r = begin; r < end; ++r) {
        uint64_t label = job->world->label[job->from[r]];
        job->narrow[2 * r] = (uint32_t)label;
        job->narrow[2 * r + 1] = (uint32_t)(label >> 32);
    }
}

// World's rows: writes gathered labels of bodies back to their column.
static void spread_labels(void *context, size_t begin, size_t end) {
    const rows_job *job = context;
    for (size_t r = begin; r < end; ++r)
        job->world->label[r] = job->narrow[2 * r] | (uint64_t)job->narrow[2 * r + 1] << 32;
}

// Gathers fat boxes of bodies in the new order of rows.
static void gather_fat(void *context, size_t begin, size_t end) {
    const rows_job *job = context;
    qd_world *world = job->world;
    for (size_t r = begin; r < end; ++r) world->boxes[r] = world->fat[job->from[r]];
}

/// World's rows: fat boxes; the bodies' own are made anew in each step, so their column is the spare.
static void order_fat(rows_job *job) {
    qd_world *world = job->world;
    qdi_team_for(world->team, world->count, QDI_BODY_GRAIN, gather_fat, job);
    qd_box *boxes = world->fat;
    world->fat = world->boxes;
    world->boxes = boxes;
}

// ---- candidates ----

// Names candidate pairs by index, while rows of bodies change.
static void name_meetings(void *context, size_t begin, size_t end) {
    const qd_world *world = context;
    for (size_t i = begin; i < end; ++i)
        world->met[i] = (qdi_meeting){world->index[world->met[i].a], world->index[world->met[i].b]};
}

// Names candidate pairs by row again.
static void place_meetings(void *context, size_t begin, size_t end) {
    const qd_world *world = context;
    for (size_t i = begin; i < end; ++i)
        world->met[i] = (qdi_meeting){world->row_of_index[world->met[i].a],
                                      world->row_of_index[world->met[i].b]};
}

qd_status qdi_rows_order(qd_world *world) {
    qdi_scratch *scratch = &world->scratch;
    size_t n = world->count;
    uint32_t *order = qdi_arena_take(&scratch->arena, n, sizeof *order);
    uint32_t *narrow = qdi_arena_take(&scratch->arena, 2 * n, sizeof *narrow);
    uint8_t *small = qdi_arena_take(&scratch->arena, n, 1);
    if (!order || !narrow || !small) return QD_ERR_MEMORY;
    qd_status status = qd_tree_order(world->tree, world->team, order);
    if (status != QD_OK) return status;
    if (world->margin.held)
        qdi_team_for(world->team, world->met_count, QDI_CANDIDATE_GRAIN, name_meetings, world);
    qdi_spots_name(world, false);
    rows_job job = {.world = world, .from = order, .narrow = narrow, .small = small};
    // `next` holds nothing between steps: its columns are the spares. Not those of velocities, which may
    // never have been written to (forces.c).
    order_wide(&job, &world->now.x, &world->next.x);
    order_wide(&job, &world->now.y, &world->next.y);
    order_wide(&job, &world->now.vx, &world->next.x);
    order_wide(&job, &world->now.vy, &world->next.y);
    order_wide(&job, &world->radius, &world->next.x);
    order_wide(&job, &world->mass, &world->next.y);
    order_wide(&job, &world->inertia, &world->next.x);
    if (world->turning) {
        order_wide(&job, &world->now.c, &world->next.c);
        order_wide(&job, &world->now.s, &world->next.s);
        order_wide(&job, &world->now.spin, &world->next.spin);
        if (world->def.contact == QD_CONTACT_IMPULSE) order_wide(&job, &world->now.lean, &world->next.lean);
    }
    if (world->shaped > 0) order_numbers(&job, &world->shape);
    if (world->traits.numbers.live > 0) order_numbers(&job, &world->trait);
    if (world->part) qdi_part_order_rows(world, order, world->next.x);
    if (world->margin.held) order_fat(&job);
    qdi_team_for(world->team, n, QDI_BODY_GRAIN, gather_labels, &job);
    qdi_team_for(world->team, n, QDI_BODY_GRAIN, spread_labels, &job);
    qdi_team_for(world->team, n, QDI_BODY_GRAIN, gather_small, &job);
    qdi_team_for(world->team, n, QDI_BODY_GRAIN, spread_small, &job);
    if (world->margin.held)
        qdi_team_for(world->team, world->met_count, QDI_CANDIDATE_GRAIN, place_meetings, world);
    qdi_spots_name(world, true);
    scratch->accelerations_present = false;
    scratch->slots_of = 0;
    scratch->hits_layout = 0;
    world->margin.near = false;
    world->moved_since_order = 0;
    return QD_OK;
}
