// The stress that contacts carry: each branch is cut where it crosses lines between cells, and a cell gets
// the part of the contact that lies in it. The parts of a branch add up to it, so the sum over the cells is
// that over the contacts.
#include "sim/field/field_impl.h"

#include "core/base/memory.h"
#include "sim/world/contact_state.h"
#include "sim/world/grain.h"
#include "sim/world/pose.h"
#include "sim/world/spring_terms.h"

#include <math.h>

/// A branch in units of cells along one axis: where it begins, how far it goes, and the next line it crosses.
typedef struct crossing {
    double from, along, line, at; ///< at: part of the way at which that is, 2: never
} crossing;

// The part of the way at which a branch crosses its next line.
static void find_crossing(crossing *c) {
    c->at = c->along != 0 ? (c->line - c->from) / c->along : 2;
    if (!(c->at < 1)) c->at = 2;
    if (c->at < 0) c->at = 0;
}

// Begins to follow a branch along an axis.
static crossing begin_crossing(const qdi_axis *axis, uint32_t cells, double from, double along) {
    const double scale = cells / axis->length;
    crossing c = {.from = (from - axis->low) * scale, .along = along * scale};
    c.line = c.along > 0 ? floor(c.from) + 1 : ceil(c.from) - 1;
    find_crossing(&c);
    return c;
}

// The cell of the middle of a piece along an axis; `cells` outside of the world.
static uint64_t cell_of_middle(const qdi_axis *axis, uint32_t cells, const crossing *c, double middle) {
    double at = floor(c->from + middle * c->along);
    if (axis->boundary == QD_BOUNDARY_PERIODIC) at -= floor(at / cells) * cells;
    if (axis->boundary == QD_BOUNDARY_REFLECT) at = at < 0 ? 0 : at >= cells ? cells - 1.0 : at;
    return at >= 0 && at < cells ? (uint64_t)at : cells;
}

/// Stress of a field: what a part of a branch adds: branch times impulse, xx, xy, yx, yy.
static void term_of_branch(const qdi_branch *branch, double part, double lanes[QDI_CELL_LANES]) {
    const double x = part * branch->along.x, y = part * branch->along.y;
    lanes[0] = x * branch->impulse.x;
    lanes[1] = x * branch->impulse.y;
    lanes[2] = y * branch->impulse.x;
    lanes[3] = y * branch->impulse.y;
}

/// Adds the pieces of a branch to the cells that they lie in.
static void cut_branch(const qdi_field_job *job, const qdi_branch *branch, int worker) {
    const qd_field *field = job->field;
    const qdi_axis *axis = job->world->axis;
    crossing x = begin_crossing(&axis[0], field->grid.nx, branch->from.x, branch->along.x),
             y = begin_crossing(&axis[1], field->grid.ny, branch->from.y, branch->along.y);
    double lanes[QDI_CELL_LANES] = {0};
    for (double from = 0; from < 1;) {
        crossing *next = x.at <= y.at ? &x : &y;
        double to = next->at < 1 ? next->at : 1;
        if (to < from) to = from;
        const double middle = 0.5 * (from + to);
        const uint64_t i = cell_of_middle(&axis[0], field->grid.nx, &x, middle),
                       j = cell_of_middle(&axis[1], field->grid.ny, &y, middle);
        term_of_branch(branch, to - from, lanes);
        if (i < field->grid.nx && j < field->grid.ny)
            qdi_cell_sums_add(&field->parts, worker, j * field->grid.nx + i, lanes);
        next->line += next->along > 0 ? 1 : -1;
        find_crossing(next);
        from = to;
    }
}

/// Stress of a field: true for a branch along which nothing was given.
static bool is_idle(const qdi_branch *branch) {
    return branch->impulse.x == 0 && branch->impulse.y == 0;
}

// Sees how large the terms of a range of branches are, and how many pieces there are at most.
static void see_branches(void *context, size_t begin, size_t end) {
    const qdi_field_job *job = context;
    const qd_field_grid *grid = &job->field->grid;
    qdi_cell_most most = {.terms = 0};
    double lanes[QDI_CELL_LANES] = {0};
    for (size_t i = begin; i < end; ++i) {
        const qdi_branch *branch = &job->branches[i];
        if (is_idle(branch)) continue;
        term_of_branch(branch, 1, lanes);
        qdi_cell_see(&most, lanes);
        most.terms += 4 +
                      (size_t)(fabs(branch->along.x) / grid->width + fabs(branch->along.y) / grid->height);
    }
    job->field->most[begin / QDI_CONTACT_GRAIN] = most;
}

// Adds a range of branches to the cells that they cross.
static void add_branches(void *context, size_t begin, size_t end, int worker) {
    const qdi_field_job *job = context;
    for (size_t i = begin; i < end; ++i)
        if (!is_idle(&job->branches[i])) cut_branch(job, &job->branches[i], worker);
}

// The branches of a range of contacts of springs, with the forces of the present state.
static void fill_springs(void *context, size_t begin, size_t end) {
    const qdi_field_job *job = context;
    const qd_world *world = job->world;
    const qdi_motion *m = &world->now;
    const qd_vec2 period = qdi_world_period(world);
    for (size_t i = begin; i < end; ++i) {
        const qd_contact *contact = &world->present.contacts[i];
        const qdi_contact_force *force = qdi_force_of(&world->present, i);
        qdi_branch *branch = &job->field->branches[i];
        uint32_t row[2];
        *branch = (qdi_branch){0};
        if (contact->sensor || !qdi_branch_rows(world, contact->a, contact->b, row)) continue;
        branch->from = (qd_vec2){m->x[row[0]], m->y[row[0]]};
        branch->along = (qd_vec2){m->x[row[1]] + contact->image.x * period.x - branch->from.x,
                                  m->y[row[1]] + contact->image.y * period.y - branch->from.y};
        branch->impulse = (qd_vec2){-force->x, -force->y};
    }
}

// Finds the branches of a world: those of the last step, or of springs those of now.
static qd_status find_branches(qdi_field_job *job) {
    const qd_world *world = job->world;
    qd_field *field = job->field;
    job->stressed = true;
    if (world->clock.step == 0 || world->def.contact == QD_CONTACT_NONE) return QD_OK;
    if (!qdi_springs(world)) {
        job->stressed = world->branches.held && world->branches.step == world->clock.step;
        job->branches = world->branches.at;
        job->count = job->stressed ? world->branches.count : 0;
        job->part = 1 / world->clock.dt;
        return QD_OK;
    }
    job->count = world->present.contact_count;
    job->part = 1;
    qd_status status = qdi_reserve(field->allocator, &field->branches, &field->branch_room, 0, job->count,
                                   sizeof *field->branches);
    job->branches = field->branches;
    if (status == QD_OK) qdi_team_for(world->team, job->count, QDI_CONTACT_GRAIN, fill_springs, job);
    return status;
}

qd_status qdi_field_stress(qdi_field_job *job) {
    qd_field *field = job->field;
    qd_team *team = job->world->team;
    qd_status status = find_branches(job);
    const size_t ranges = qdi_range_count(job->count, QDI_CONTACT_GRAIN);
    if (status == QD_OK)
        status = qdi_reserve(field->allocator, &field->most, &field->most_room, 0, ranges,
                             sizeof *field->most);
    if (status != QD_OK) return status;
    qdi_team_for(team, job->count, QDI_CONTACT_GRAIN, see_branches, job);
    status = qdi_cell_sums_begin(&field->parts, team, field->cells, field->most, ranges);
    if (status != QD_OK) return status;
    qdi_team_for_workers(team, job->count, QDI_CONTACT_GRAIN, add_branches, job);
    qdi_cell_sums_end(&field->parts, team, field->stress);
    return QD_OK;
}
