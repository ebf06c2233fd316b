#include <quadrille/world.h>

#include "core/cookie.h"
#include "core/memory.h"
#include "sim/world_impl.h"

#include <math.h>
#include <string.h>

static const double pi = 3.14159265358979323846;

qd_body_def qd_body_def_default(void) {
    return (qd_body_def){
        .cookie = QDI_COOKIE,
        .shape = {.kind = QD_SHAPE_DISK, .radius = 0.5},
        .density = 1,
        .mass = (double)NAN,
    };
}

/// One array of a group that grows together: the address of its pointer, and the size of an item.
typedef struct column {
    void *array;
    size_t size;
} column;

enum { COLUMNS_MAX = 18 };

/// Grows all columns of a group from `room` to `grown` items, or none of them.
static qd_status columns_grow(const qd_allocator *allocator, const column *columns, size_t count, size_t room,
                              size_t grown) {
    void *fresh[COLUMNS_MAX];
    for (size_t i = 0; i < count; ++i) {
        fresh[i] = qdi_allocate(allocator, grown, columns[i].size);
        if (fresh[i]) continue;
        while (i-- > 0) qdi_release(allocator, fresh[i], grown, columns[i].size);
        return QD_ERR_MEMORY;
    }
    for (size_t i = 0; i < count; ++i) {
        void *old = NULL;
        memcpy(&old, columns[i].array,
               sizeof old); // pointers to all object types look alike, as in qdi_reserve
        if (room > 0) memcpy(fresh[i], old, room * columns[i].size);
        memset((char *)fresh[i] + room * columns[i].size, 0, (grown - room) * columns[i].size);
        qdi_release(allocator, old, room, columns[i].size);
        memcpy(columns[i].array, &fresh[i], sizeof old);
    }
    return QD_OK;
}

static void columns_release(const qd_allocator *allocator, const column *columns, size_t count, size_t room) {
    for (size_t i = 0; i < count; ++i) {
        void *old = NULL;
        memcpy(&old, columns[i].array, sizeof old);
        qdi_release(allocator, old, room, columns[i].size);
    }
}

static size_t row_columns(qd_world *world, column *columns) {
    size_t n = 0;
    columns[n++] = (column){&world->index, sizeof *world->index};
    columns[n++] = (column){&world->generation, sizeof *world->generation};
    columns[n++] = (column){&world->label, sizeof *world->label};
    columns[n++] = (column){&world->radius, sizeof *world->radius};
    columns[n++] = (column){&world->mass, sizeof *world->mass};
    for (int k = 0; k < 2; ++k) {
        qdi_motion *motion = k == 0 ? &world->now : &world->next;
        columns[n++] = (column){&motion->x, sizeof *motion->x};
        columns[n++] = (column){&motion->y, sizeof *motion->y};
        columns[n++] = (column){&motion->vx, sizeof *motion->vx};
        columns[n++] = (column){&motion->vy, sizeof *motion->vy};
    }
    columns[n++] = (column){&world->boxes, sizeof *world->boxes};
    columns[n++] = (column){&world->touching, sizeof *world->touching};
    columns[n++] = (column){&world->priority, sizeof *world->priority};
    return n;
}

static size_t index_columns(qd_world *world, column *columns) {
    size_t n = 0;
    columns[n++] = (column){&world->row_of_index, sizeof *world->row_of_index};
    columns[n++] = (column){&world->generation_of_index, sizeof *world->generation_of_index};
    columns[n++] = (column){&world->free_heap, sizeof *world->free_heap};
    return n;
}

static size_t block_columns(qd_world *world, column *columns) {
    columns[0] = (column){&world->block_hash, sizeof *world->block_hash};
    columns[1] = (column){&world->block_sums, sizeof *world->block_sums};
    return 2;
}

static size_t grown_room(size_t room, size_t need) {
    size_t grown = room + room / 2;
    return grown < need ? need : grown;
}

static qd_status group_reserve(const qd_allocator *allocator, const column *columns, size_t count,
                               size_t *room, size_t need) {
    if (need <= *room) return QD_OK;
    size_t grown = grown_room(*room, need < 16 ? 16 : need);
    qd_status status = columns_grow(allocator, columns, count, *room, grown);
    if (status == QD_OK) *room = grown;
    return status;
}

qd_status qdi_bodies_reserve(qd_world *world, size_t rows, size_t indices) {
    column columns[COLUMNS_MAX];
    size_t count = row_columns(world, columns);
    qd_status status = group_reserve(world->allocator, columns, count, &world->row_room, rows);
    if (status != QD_OK) return status;
    count = index_columns(world, columns);
    status = group_reserve(world->allocator, columns, count, &world->index_room, indices);
    if (status != QD_OK) return status;
    count = block_columns(world, columns);
    return group_reserve(world->allocator, columns, count, &world->block_room,
                         qdi_range_count(indices, QDI_BLOCK));
}

void qdi_bodies_release(qd_world *world) {
    column columns[COLUMNS_MAX];
    columns_release(world->allocator, columns, row_columns(world, columns), world->row_room);
    columns_release(world->allocator, columns, index_columns(world, columns), world->index_room);
    columns_release(world->allocator, columns, block_columns(world, columns), world->block_room);
}

// ---- free indices: a binary heap with the lowest on top ----

static void free_push(qd_world *world, qd_body_index index) {
    qd_body_index *heap = world->free_heap;
    size_t at = world->free_count++;
    while (at > 0 && heap[(at - 1) / 2] > index) {
        heap[at] = heap[(at - 1) / 2];
        at = (at - 1) / 2;
    }
    heap[at] = index;
}

static void free_pop(qd_world *world) {
    qd_body_index *heap = world->free_heap;
    qd_body_index last = heap[--world->free_count];
    size_t at = 0;
    for (;;) {
        size_t child = 2 * at + 1;
        if (child >= world->free_count) break;
        if (child + 1 < world->free_count && heap[child + 1] < heap[child]) ++child;
        if (heap[child] >= last) break;
        heap[at] = heap[child];
        at = child;
    }
    heap[at] = last;
}

void qdi_bodies_refill_free(qd_world *world) {
    world->free_count = 0;
    for (size_t i = 0; i < world->index_count; ++i)
        if (world->row_of_index[i] == QDI_NO_ROW) world->free_heap[world->free_count++] = (qd_body_index)i;
}

// ---- adding, removing, placing ----

uint32_t qdi_body_row(const qd_world *world, qd_id id) {
    if (id.index >= world->index_count) return QDI_NO_ROW;
    uint32_t row = world->row_of_index[id.index];
    return row != QDI_NO_ROW && world->generation[row] == id.generation ? row : QDI_NO_ROW;
}

qd_body_state qdi_body_state_of_row(const qd_world *world, uint32_t row) {
    return (qd_body_state){
        .id = {world->index[row], world->generation[row]},
        .label = world->label[row],
        .shape = {.kind = QD_SHAPE_DISK, .radius = world->radius[row]},
        .position = {world->now.x[row], world->now.y[row]},
        .velocity = {world->now.vx[row], world->now.vy[row]},
        .mass = world->mass[row],
    };
}

static void set_motion(qd_world *world, uint32_t row, qd_vec2 position, qd_vec2 velocity) {
    world->now.x[row] = qdi_axis_wrap(&world->axis[0], position.x);
    world->now.y[row] = qdi_axis_wrap(&world->axis[1], position.y);
    world->now.vx[row] = velocity.x;
    world->now.vy[row] = velocity.y;
    world->changed = true;
}

static qd_id take_index(qd_world *world, uint32_t row) {
    qd_body_index index = (qd_body_index)world->index_count;
    if (world->free_count > 0) {
        index = world->free_heap[0];
        free_pop(world);
    } else {
        world->index_count += 1;
    }
    uint32_t *generation = &world->generation_of_index[index];
    *generation = *generation == UINT32_MAX ? 1 : *generation + 1;
    world->row_of_index[index] = row;
    return (qd_id){index, *generation};
}

qd_status qd_world_add(qd_world *world, const qd_body_def *body, qd_id *id, qd_error *error) {
    if (!world || !body || body->cookie != QDI_COOKIE || body->shape.kind != QD_SHAPE_DISK)
        return qdi_reason(error, QD_ERR_ARGUMENT, "no world, or no body from qd_body_def_default");
    double radius = body->shape.radius;
    bool from_density = isnan(body->mass);
    if (from_density && !(body->density > 0 && isfinite(body->density)))
        return qdi_reason(error, QD_ERR_VALUE, "density must be above 0 and finite, not %.15g",
                          body->density);
    double mass = from_density ? body->density * (pi * radius * radius) : body->mass;
    qd_status status = qdi_body_check(world, radius, mass, body->position, body->velocity, true, error);
    if (status != QD_OK) return status;
    if (world->free_count == 0 && world->index_count >= QD_BODY_INDEX_MAX)
        return qdi_reason(error, QD_ERR_LIMIT, "a world holds at most %u bodies", QD_BODY_INDEX_MAX);
    size_t indices = world->index_count + (world->free_count == 0);
    status = qdi_bodies_reserve(world, world->count + 1, indices);
    if (status != QD_OK) return qdi_reason(error, status, "no memory for another body");

    uint32_t row = (uint32_t)world->count++;
    qd_id taken = take_index(world, row);
    world->index[row] = taken.index;
    world->generation[row] = taken.generation;
    world->label[row] = body->label ? body->label : (uint64_t)taken.index + 1;
    world->radius[row] = radius;
    world->mass[row] = mass;
    atomic_store_explicit(&world->touching[row], 0, memory_order_relaxed);
    set_motion(world, row, body->position, body->velocity);
    if (id) *id = taken;
    return QD_OK;
}

qd_status qd_world_remove(qd_world *world, qd_id id) {
    if (!world) return QD_ERR_ARGUMENT;
    uint32_t row = qdi_body_row(world, id);
    if (row == QDI_NO_ROW) return QD_ERR_STALE;
    uint32_t last = (uint32_t)--world->count;
    world->row_of_index[world->index[last]] = row; // the hole is filled with the last row
    world->row_of_index[id.index] = QDI_NO_ROW;
    world->index[row] = world->index[last];
    world->generation[row] = world->generation[last];
    world->label[row] = world->label[last];
    world->radius[row] = world->radius[last];
    world->mass[row] = world->mass[last];
    world->now.x[row] = world->now.x[last];
    world->now.y[row] = world->now.y[last];
    world->now.vx[row] = world->now.vx[last];
    world->now.vy[row] = world->now.vy[last];
    uint8_t touching = atomic_load_explicit(&world->touching[last], memory_order_relaxed);
    atomic_store_explicit(&world->touching[row], touching, memory_order_relaxed);
    free_push(world, id.index);
    world->changed = true;
    return QD_OK;
}

qd_status qd_world_place(qd_world *world, qd_id id, qd_vec2 position, qd_vec2 velocity, qd_error *error) {
    if (!world) return qdi_reason(error, QD_ERR_ARGUMENT, "no world");
    uint32_t row = qdi_body_row(world, id);
    if (row == QDI_NO_ROW) return qdi_reason(error, QD_ERR_STALE, "the id names no living body");
    qd_status status = qdi_body_check(world, world->radius[row], world->mass[row], position, velocity, true,
                                      error);
    if (status == QD_OK) set_motion(world, row, position, velocity);
    return status;
}

qd_status qd_world_body(const qd_world *world, qd_id id, qd_body_state *state) {
    if (!world || !state) return QD_ERR_ARGUMENT;
    uint32_t row = qdi_body_row(world, id);
    if (row == QDI_NO_ROW) return QD_ERR_STALE;
    *state = qdi_body_state_of_row(world, row);
    return QD_OK;
}

qd_body_view qd_world_view(const qd_world *world) {
    const void *touching = world->touching; // bytes of a character type, which may look at any object
    return (qd_body_view){
        .count = world->count,
        .index = world->index,
        .generation = world->generation,
        .label = world->label,
        .x = world->now.x,
        .y = world->now.y,
        .vx = world->now.vx,
        .vy = world->now.vy,
        .radius = world->radius,
        .mass = world->mass,
        .touching = touching,
        .row_of_index = world->row_of_index,
        .index_count = world->index_count,
    };
}
