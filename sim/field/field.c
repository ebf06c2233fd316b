// Fields of a world, see field.h: bodies by the cell of their centre, contacts by the part of their branch
// that lies in each cell (field_stress.c).
#include "sim/field/field_impl.h"

#include "core/base/arithmetic.h"
#include "core/base/memory.h"
#include "sim/world/bodies.h"
#include "sim/world/contact_list.h"
#include "sim/world/grain.h"

#include <math.h>
#include <string.h>

static const struct {
    const char *name, *unit;
} quantities[QD_FIELD_QUANTITIES] = {
    [QD_FIELD_NUMBER_DENSITY] = {"number_density", "1 / length^2"},
    [QD_FIELD_MASS_DENSITY] = {"mass_density", "mass / length^2"},
    [QD_FIELD_AREA_FRACTION] = {"area_fraction", "1"},
    [QD_FIELD_VELOCITY_X] = {"velocity_x", "length / time"},
    [QD_FIELD_VELOCITY_Y] = {"velocity_y", "length / time"},
    [QD_FIELD_TEMPERATURE] = {"temperature", "mass length^2 / time^2"},
    [QD_FIELD_KINETIC_XX] = {"kinetic_xx", "mass / time^2"},
    [QD_FIELD_KINETIC_XY] = {"kinetic_xy", "mass / time^2"},
    [QD_FIELD_KINETIC_YY] = {"kinetic_yy", "mass / time^2"},
    [QD_FIELD_CONTACT_XX] = {"contact_xx", "mass / time^2"},
    [QD_FIELD_CONTACT_XY] = {"contact_xy", "mass / time^2"},
    [QD_FIELD_CONTACT_YX] = {"contact_yx", "mass / time^2"},
    [QD_FIELD_CONTACT_YY] = {"contact_yy", "mass / time^2"},
    [QD_FIELD_CONTACT_NUMBER] = {"contact_number", "1"},
};

const char *qd_field_name(qd_field_quantity quantity) {
    return (unsigned)quantity < QD_FIELD_QUANTITIES ? quantities[quantity].name : NULL;
}

const char *qd_field_unit(qd_field_quantity quantity) {
    return (unsigned)quantity < QD_FIELD_QUANTITIES ? quantities[quantity].unit : NULL;
}

// ---- a field ----

qd_status qd_field_create(uint32_t nx, uint32_t ny, const qd_allocator *allocator, qd_field **field) {
    if (!field) return QD_ERR_ARGUMENT;
    if (nx < 1 || ny < 1 || nx > QD_FIELD_SIDE_MAX || ny > QD_FIELD_SIDE_MAX ||
        (uint64_t)nx * ny > QD_FIELD_CELLS_MAX)
        return QD_ERR_VALUE;
    allocator = qdi_allocator_or_default(allocator);
    qd_field *made = qdi_allocate(allocator, 1, sizeof *made);
    if (!made) return QD_ERR_MEMORY;
    *made = (qd_field){.allocator = allocator, .grid = {.nx = nx, .ny = ny}, .cells = (size_t)nx * ny};
    made->parts.allocator = allocator;
    made->sums = qdi_allocate(allocator, made->cells * QDI_CELL_LANES, sizeof *made->sums);
    made->stress = qdi_allocate(allocator, made->cells * QDI_CELL_LANES, sizeof *made->stress);
    made->values = qdi_allocate(allocator, made->cells * QD_FIELD_QUANTITIES, sizeof *made->values);
    made->ends = qdi_allocate(allocator, made->cells, sizeof *made->ends);
    if (made->sums && made->stress && made->values && made->ends) {
        memset(made->values, 0, made->cells * QD_FIELD_QUANTITIES * sizeof *made->values);
        *field = made;
        return QD_OK;
    }
    qd_field_destroy(made);
    return QD_ERR_MEMORY;
}

void qd_field_destroy(qd_field *field) {
    if (!field) return;
    const qd_allocator *allocator = field->allocator;
    qdi_cell_sums_release(&field->parts);
    qdi_release(allocator, field->most, field->most_room, sizeof *field->most);
    qdi_release(allocator, field->branches, field->branch_room, sizeof *field->branches);
    qdi_release(allocator, field->sums, field->cells * QDI_CELL_LANES, sizeof *field->sums);
    qdi_release(allocator, field->stress, field->cells * QDI_CELL_LANES, sizeof *field->stress);
    qdi_release(allocator, field->values, field->cells * QD_FIELD_QUANTITIES, sizeof *field->values);
    if (field->added)
        qdi_release(allocator, field->added, field->cells * QD_FIELD_QUANTITIES, sizeof *field->added);
    qdi_release(allocator, field->ends, field->cells, sizeof *field->ends);
    qdi_release(allocator, field, 1, sizeof *field);
}

qd_field_grid qd_field_grid_of(const qd_field *field) {
    return field->grid;
}

uint64_t qd_field_step(const qd_field *field) {
    return field->step;
}

double qd_field_time(const qd_field *field) {
    return field->time;
}

const double *qd_field_values(const qd_field *field, qd_field_quantity quantity) {
    return (unsigned)quantity < QD_FIELD_QUANTITIES ? field->values + (size_t)quantity * field->cells : NULL;
}

// ---- bodies ----

/// The column or row of cells that a coordinate is in; -1 outside of open sides. What is a rounding error
/// past a wall is in the last cell before it.
static int64_t cell_along(const qdi_axis *axis, uint32_t cells, double x) {
    const bool open = axis->boundary == QD_BOUNDARY_OPEN;
    if (open && (x < axis->low || x > axis->high)) return -1;
    const double at = floor((x - axis->low) / axis->length * cells);
    if (!(at > 0)) return 0;
    return at < cells ? (int64_t)at : (int64_t)cells - 1;
}

uint64_t qdi_field_cell(const qd_field *field, const qd_world *world, double x, double y) {
    const int64_t i = cell_along(&world->axis[0], field->grid.nx, x),
                  j = cell_along(&world->axis[1], field->grid.ny, y);
    return i < 0 || j < 0 ? field->cells : (uint64_t)j * field->grid.nx + (uint64_t)i;
}

enum { NUMBER, MASS, AREA, MOMENTUM_X, MOMENTUM_Y, FLOW_XX, FLOW_XY, FLOW_YY };

// What a body adds to its cell.
static void term_of_body(const qd_world *world, size_t r, double lanes[QDI_CELL_LANES]) {
    const double pi = 3.14159265358979323846;
    const uint32_t shape = world->shaped > 0 ? world->shape[r] : 0;
    const double mass = world->mass[r], vx = world->now.vx[r], vy = world->now.vy[r];
    lanes[NUMBER] = 1;
    lanes[MASS] = mass;
    lanes[AREA] = shape ? qd_shape_area(world->shapes.shape[shape])
                        : pi * world->radius[r] * world->radius[r];
    lanes[MOMENTUM_X] = mass * vx;
    lanes[MOMENTUM_Y] = mass * vy;
    lanes[FLOW_XX] = mass * vx * vx;
    lanes[FLOW_XY] = mass * vx * vy;
    lanes[FLOW_YY] = mass * vy * vy;
}

// Sees how large the terms of a range of bodies are, at most.
static void see_bodies(void *context, size_t begin, size_t end) {
    const qdi_field_job *job = context;
    const qd_world *world = job->world;
    const double *vx = world->now.vx, *vy = world->now.vy, pi = 3.14159265358979323846;
    double mass = 0, squared = 0, radius = 0;
    for (size_t r = begin; r < end; ++r) {
        if (world->kind[r] != QD_BODY_DYNAMIC) continue;
        const double speed = vx[r] * vx[r] + vy[r] * vy[r];
        if (world->mass[r] > mass) mass = world->mass[r];
        if (world->radius[r] > radius) radius = world->radius[r];
        if (speed > squared) squared = speed;
    }
    const double flow = mass * squared, momentum = mass * sqrt(squared);
    qdi_cell_most most = {.terms = end - begin};
    const double lanes[QDI_CELL_LANES] = {[NUMBER] = 1,
                                          [MASS] = mass,
                                          [AREA] = pi * radius * radius,
                                          [MOMENTUM_X] = momentum,
                                          [MOMENTUM_Y] = momentum,
                                          [FLOW_XX] = flow,
                                          [FLOW_XY] = flow,
                                          [FLOW_YY] = flow};
    qdi_cell_see(&most, lanes);
    job->field->most[begin / QDI_BODY_GRAIN] = most;
}

// Adds a range of bodies to their cells.
static void add_bodies(void *context, size_t begin, size_t end, int worker) {
    const qdi_field_job *job = context;
    const qd_world *world = job->world;
    double lanes[QDI_CELL_LANES];
    for (size_t r = begin; r < end; ++r) {
        if (world->kind[r] != QD_BODY_DYNAMIC) continue;
        term_of_body(world, r, lanes);
        qdi_cell_sums_add(&job->field->parts, worker,
                          qdi_field_cell(job->field, world, world->now.x[r], world->now.y[r]), lanes);
    }
}

// Adds up all bodies by cell.
static qd_status sum_bodies(qdi_field_job *job) {
    qd_field *field = job->field;
    const qd_world *world = job->world;
    const size_t ranges = qdi_range_count(world->count, QDI_BODY_GRAIN);
    qd_status status = qdi_reserve(field->allocator, &field->most, &field->most_room, 0, ranges,
                                   sizeof *field->most);
    if (status != QD_OK) return status;
    qdi_team_for(world->team, world->count, QDI_BODY_GRAIN, see_bodies, job);
    status = qdi_cell_sums_begin(&field->parts, world->team, field->cells, field->most, ranges);
    if (status != QD_OK) return status;
    qdi_team_for_workers(world->team, world->count, QDI_BODY_GRAIN, add_bodies, job);
    qdi_cell_sums_end(&field->parts, world->team, field->sums);
    return QD_OK;
}

// Turns the sums of a range of cells into the quantities.
static void finish_cells(void *context, size_t begin, size_t end) {
    const qdi_field_job *job = context;
    const qd_field *field = job->field;
    const size_t cells = field->cells;
    const double area = field->grid.width * field->grid.height, nan = (double)NAN;
    for (size_t c = begin; c < end; ++c) {
        const double *sum = field->sums + c * QDI_CELL_LANES, *stress = field->stress + c * QDI_CELL_LANES;
        double *to = field->values + c;
        const double number = sum[NUMBER], mass = sum[MASS], x = sum[MOMENTUM_X], y = sum[MOMENTUM_Y];
        const bool any = number > 0;
        double xx = any ? sum[FLOW_XX] - x * x / mass : 0, yy = any ? sum[FLOW_YY] - y * y / mass : 0;
        double xy = any ? sum[FLOW_XY] - x * y / mass : 0;
        if (!(xx > 0) || number == 1) xx = 0; // what is left of one body is rounding
        if (!(yy > 0) || number == 1) yy = 0;
        if (number == 1) xy = 0;
        to[QD_FIELD_NUMBER_DENSITY * cells] = number / area;
        to[QD_FIELD_MASS_DENSITY * cells] = mass / area;
        to[QD_FIELD_AREA_FRACTION * cells] = sum[AREA] / area;
        to[QD_FIELD_VELOCITY_X * cells] = any ? x / mass : nan;
        to[QD_FIELD_VELOCITY_Y * cells] = any ? y / mass : nan;
        to[QD_FIELD_TEMPERATURE * cells] = any ? 0.5 * (xx + yy) / number : nan;
        to[QD_FIELD_KINETIC_XX * cells] = xx / area;
        to[QD_FIELD_KINETIC_XY * cells] = xy / area;
        to[QD_FIELD_KINETIC_YY * cells] = yy / area;
        for (size_t k = 0; k < 4; ++k)
            to[(QD_FIELD_CONTACT_XX + k) * cells] = job->stressed ? stress[k] * job->part / area : nan;
        to[QD_FIELD_CONTACT_NUMBER * cells] = any ? (double)field->ends[c] / number : nan;
    }
}

// Counts the contacts of a range at the cells of their bodies. Whole numbers: the order decides nothing.
static void count_ends(void *context, size_t begin, size_t end) {
    const qdi_field_job *job = context;
    const qd_world *world = job->world;
    for (size_t i = begin; i < end; ++i) {
        const qd_contact *contact = &world->present.contacts[i];
        if (contact->sensor) continue;
        const qd_id ids[2] = {contact->a, contact->b};
        for (int k = 0; k < (qd_id_is_wall(contact->b) ? 1 : 2); ++k) {
            const uint32_t r = qdi_body_row(world, ids[k]);
            if (r == QDI_NO_ROW || world->kind[r] != QD_BODY_DYNAMIC) continue;
            const uint64_t cell = qdi_field_cell(job->field, world, world->now.x[r], world->now.y[r]);
            if (cell < job->field->cells)
                atomic_fetch_add_explicit(&job->field->ends[cell], 1, memory_order_relaxed);
        }
    }
}

// Where the cells of a world lie now.
static void lay_grid(qd_field *field, const qd_world *world) {
    field->grid.x = world->axis[0].low;
    field->grid.y = world->axis[1].low;
    field->grid.width = world->axis[0].length / field->grid.nx;
    field->grid.height = world->axis[1].length / field->grid.ny;
    field->step = qd_world_steps(world);
    field->time = qd_world_time(world);
}

qd_status qd_field_measure(qd_field *field, const qd_world *world) {
    QDI_RESTORED qdi_arithmetic caller = qdi_arithmetic_standard();
    if (!field || !world) return QD_ERR_ARGUMENT;
    lay_grid(field, world);
    qdi_field_job job = {.field = field, .world = world};
    qdi_contacts_need(world);
    qd_status status = sum_bodies(&job);
    if (status == QD_OK) status = qdi_field_stress(&job);
    if (status != QD_OK) return status;
    for (size_t c = 0; c < field->cells; ++c) atomic_init(&field->ends[c], 0);
    qdi_team_for(world->team, world->present.contact_count, QDI_CONTACT_GRAIN, count_ends, &job);
    qdi_team_for(world->team, field->cells, QDI_BODY_GRAIN, finish_cells, &job);
    return QD_OK;
}
