#include <quadrille/world.h>

#include "sim/world/bodies.h"

#include "core/base/arithmetic.h"
#include "core/base/assert.h"
#include "core/base/memory.h"
#include "sim/world/body_sums.h"
#include "sim/world/contact_sums.h"
#include "sim/world/displacement.h"
#include "sim/world/energy_balance.h"
#include "sim/world/grain.h"
#include "sim/world/names.h"
#include "sim/world/order_sums.h"
#include "sim/world/part.h"
#include "sim/world/population.h"
#include "sim/world/spring_terms.h"
#include "sim/world/world_impl.h"

#include <string.h>

/// What is in a column's items, and so what there is to do about them when it grows.
typedef enum column_life {
    BORN, ///< they are written when a body comes: made by the team, so that memory lies near who uses it
    RARE, ///< the same, but zero for most: no memory goes where all are (qdi_clear)
    LATE, ///< only when something happens, and never read before: no memory goes to those that never are
    BRIEF ///< as late ones, and they hold nothing between two steps, but while fat boxes are held
} column_life;

/// One array of a group that grows together: the address of its pointer, and the size of an item.
typedef struct column {
    void *array;
    size_t size;
    column_life life;
} column;

enum { COLUMNS_MAX = 32 };

/// A column that grows, by ranges of items.
typedef struct growth {
    char *fresh;
    const char *old;
    size_t size, copied;
} growth;

enum { GROWN_GRAIN = 1 << 16, RARE_BYTES = 4096 };

// World's bodies: copies a range of items to the grown column, which is zero, where they are not.
static void copy_rare_items(void *context, size_t begin, size_t end) {
    const growth *job = context;
    const size_t stop = end * job->size;
    for (size_t at = begin * job->size; at < stop;) {
        const size_t bytes = stop - at < RARE_BYTES ? stop - at : RARE_BYTES;
        qdi_put_rare(job->fresh + at, job->old + at, bytes);
        at += bytes;
    }
}

// World's bodies: copies a range of items to the grown column, and zeroes those that there were none of.
static void fill_grown_column(void *context, size_t begin, size_t end) {
    const growth *job = context;
    const size_t size = job->size, stop = end < job->copied ? end : job->copied;
    const size_t from = stop > begin ? stop : begin;
    if (from > begin) memcpy(job->fresh + begin * size, job->old + begin * size, (from - begin) * size);
    memset(job->fresh + from * size, 0, (end - from) * size);
}

/// World's bodies: grows all columns of a group from `room` to `grown` items, or none of them. Memory that
/// nobody writes to is only promised by the system: so columns are filled and given back one by one, and no
/// further than to the `need` items that are asked for, and all of them together are never there twice. The
/// team fills them: a page of memory lies near the processor that writes to it first, so each thread's share
/// of the rows should be written first by about that thread.
static qd_status columns_grow(const qd_world *world, const column *columns, size_t count, size_t room,
                              size_t need, size_t grown) {
    const qd_allocator *allocator = world->allocator;
    void *fresh[COLUMNS_MAX];
    for (size_t i = 0; i < count; ++i) {
        fresh[i] = qdi_allocate(allocator, grown, columns[i].size);
        if (fresh[i]) continue;
        while (i-- > 0) qdi_release(allocator, fresh[i], grown, columns[i].size);
        return QD_ERR_MEMORY;
    }
    const bool used = world->margin.held || (world->population && world->population->under_way);
    for (size_t i = 0; i < count; ++i) {
        void *old = NULL;
        memcpy(&old, columns[i].array, sizeof old); // pointers to all types look alike, as in qdi_reserve
        growth job = {fresh[i], old, columns[i].size, room};
        const column_life life = columns[i].life;
        const size_t filled = life == BORN ? need : life != BRIEF || used ? room : 0;
        if (life == RARE) qdi_clear(allocator, fresh[i], grown * columns[i].size);
        qdi_team_for(world->team, filled, GROWN_GRAIN, life == RARE ? copy_rare_items : fill_grown_column,
                     &job);
        qdi_release(allocator, old, room, columns[i].size);
        memcpy(columns[i].array, &fresh[i], sizeof old);
    }
    return QD_OK;
}

// World's bodies: releases the arrays of a group of body columns.
static void release_columns(const qd_allocator *allocator, const column *columns, size_t count, size_t room) {
    for (size_t i = 0; i < count; ++i) {
        void *old = NULL;
        memcpy(&old, columns[i].array, sizeof old);
        qdi_release(allocator, old, room, columns[i].size);
    }
}

// Lists the columns that hold one entry per row (a body where it lies now).
static size_t row_columns(qd_world *world, column *columns) {
    size_t n = 0;
    columns[n++] = (column){&world->index, sizeof *world->index, BORN};
    columns[n++] = (column){&world->generation, sizeof *world->generation, BORN};
    columns[n++] = (column){&world->label, sizeof *world->label, BORN};
    columns[n++] = (column){&world->radius, sizeof *world->radius, BORN};
    columns[n++] = (column){&world->mass, sizeof *world->mass, BORN};
    columns[n++] = (column){&world->inertia, sizeof *world->inertia, BORN};
    columns[n++] = (column){&world->shape, sizeof *world->shape, RARE};
    columns[n++] = (column){&world->trait, sizeof *world->trait, RARE};
    columns[n++] = (column){&world->kind, sizeof *world->kind, RARE};
    for (int k = 0; k < 2; ++k) {
        qdi_motion *motion = k == 0 ? &world->now : &world->next;
        const column_life life = k == 0 ? BORN : BRIEF;
        columns[n++] = (column){&motion->x, sizeof *motion->x, life};
        columns[n++] = (column){&motion->y, sizeof *motion->y, life};
        columns[n++] = (column){&motion->vx, sizeof *motion->vx, life};
        columns[n++] = (column){&motion->vy, sizeof *motion->vy, life};
        columns[n++] = (column){&motion->c, sizeof *motion->c, life};
        columns[n++] = (column){&motion->s, sizeof *motion->s, RARE}; // of both: they change places
        columns[n++] = (column){&motion->spin, sizeof *motion->spin, RARE};
        columns[n++] = (column){&motion->lean, sizeof *motion->lean, RARE};
    }
    columns[n++] = (column){&world->boxes, sizeof *world->boxes, BRIEF};
    columns[n++] = (column){&world->fat, sizeof *world->fat, BRIEF};
    columns[n++] = (column){&world->touching, sizeof *world->touching, BORN};
    return n;
}

// Lists the columns that hold one entry per body index.
static size_t index_columns(qd_world *world, column *columns) {
    size_t n = 0;
    columns[n++] = (column){&world->row_of_index, sizeof *world->row_of_index, BORN};
    columns[n++] = (column){&world->generation_of_index, sizeof *world->generation_of_index, BORN};
    columns[n++] = (column){&world->free_heap, sizeof *world->free_heap, LATE};
    return n;
}

// World's bodies: lists the columns that hold one entry per block of bodies, for sums and hashes.
static size_t block_columns(qd_world *world, column *columns) {
    columns[0] = (column){&world->block_digest, sizeof *world->block_digest, BORN};
    columns[1] = (column){&world->block_sums, sizeof *world->block_sums, BORN};
    columns[2] = (column){&world->block_contacts, sizeof *world->block_contacts, BORN};
    columns[3] = (column){&world->block_order, sizeof *world->block_order, BORN};
    return 4;
}

// World's bodies: room for bodies after growing: half as much again, or what is needed.
static size_t grown_room(size_t room, size_t need) {
    size_t grown = room + room / 2;
    return grown < need ? need : grown;
}

// World's bodies: grows a group of body columns together.
static qd_status reserve_columns(const qd_world *world, const column *columns, size_t count, size_t *room,
                                 size_t need) {
    if (need <= *room) return QD_OK;
    size_t grown = grown_room(*room, need < 16 ? 16 : need);
    qd_status status = columns_grow(world, columns, count, *room, need, grown);
    if (status == QD_OK) *room = grown;
    return status;
}

qd_status qdi_bodies_reserve(qd_world *world, size_t rows, size_t indices) {
    if (rows <= world->row_room && indices <= world->index_room && indices <= world->block_room * QDI_BLOCK)
        return qdi_homes_reserve(world, indices);
    column columns[COLUMNS_MAX];
    size_t count = row_columns(world, columns);
    qd_status status = reserve_columns(world, columns, count, &world->row_room, rows);
    if (status != QD_OK) return status;
    count = index_columns(world, columns);
    status = reserve_columns(world, columns, count, &world->index_room, indices);
    if (status == QD_OK) status = qdi_homes_reserve(world, indices);
    if (status != QD_OK) return status;
    count = block_columns(world, columns);
    return reserve_columns(world, columns, count, &world->block_room, qdi_range_count(indices, QDI_BLOCK));
}

qd_status qd_world_reserve(qd_world *world, size_t bodies) {
    if (!world) return QD_ERR_ARGUMENT;
    if (bodies > QD_BODY_INDEX_MAX) return QD_ERR_LIMIT;
    const size_t more = bodies > world->count ? bodies - world->count : 0;
    const size_t fresh = more > world->free_count ? more - world->free_count : 0;
    return qdi_bodies_reserve(world, world->count + more, world->index_count + fresh);
}

void qdi_bodies_release(qd_world *world) {
    qdi_homes_release(world);
    qdi_names_release(world);
    qdi_part_release(world->allocator, world->part);
    column columns[COLUMNS_MAX];
    release_columns(world->allocator, columns, row_columns(world, columns), world->row_room);
    release_columns(world->allocator, columns, index_columns(world, columns), world->index_room);
    release_columns(world->allocator, columns, block_columns(world, columns), world->block_room);
}

// ---- free indices: a binary heap with the lowest on top ----

// Puts an index of a removed body on the heap of free ones, the lowest on top.
static void push_free_index(qd_world *world, qd_body_index index) {
    qd_body_index *heap = world->free_heap;
    size_t at = world->free_count++;
    while (at > 0 && heap[(at - 1) / 2] > index) {
        heap[at] = heap[(at - 1) / 2];
        at = (at - 1) / 2;
    }
    heap[at] = index;
}

// Takes the lowest free index of a body off the heap.
static void pop_free_index(qd_world *world) {
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

qd_body_index qdi_body_take_index(qd_world *world) {
    if (world->free_count == 0) {
        QD_ASSERT(!world->names); // nobody knows how the whole calls it
        world->generation_of_index[world->index_count] = 0;
        return (qd_body_index)world->index_count++;
    }
    qd_body_index index = world->free_heap[0];
    pop_free_index(world);
    return index;
}

// ---- looking, removing ----

qd_status qd_world_body(const qd_world *world, qd_id id, qd_body_state *state) {
    QDI_RESTORED qdi_arithmetic caller = qdi_arithmetic_standard();
    if (!world || !state) return QD_ERR_ARGUMENT;
    uint32_t row = qdi_body_row(world, id);
    if (row == QDI_NO_ROW) return QD_ERR_STALE;
    *state = qdi_body_state_of_row(world, row);
    return QD_OK;
}

/// Two rows change places.
static void swap_rows(qd_world *world, size_t p, size_t q) {
    column columns[COLUMNS_MAX];
    size_t count = row_columns(world, columns);
    for (size_t i = 0; i < count && p != q; ++i) {
        char *start = NULL, kept[sizeof(qd_box)]; // the widest
        size_t size = columns[i].size;
        memcpy(&start, columns[i].array, sizeof start);
        memcpy(kept, start + p * size, size);
        const bool rare = columns[i].life == RARE; // all items of these have been written
        if (rare && qdi_same_bytes(kept, start + q * size, size)) continue;
        memcpy(start + p * size, start + q * size, size);
        memcpy(start + q * size, kept, size);
    }
}

void qdi_body_hide(qd_world *world, uint32_t row) {
    world->shaped -= world->shape[row] != 0;
    world->fixed -= world->kind[row] != QD_BODY_DYNAMIC;
    world->bullets -= world->traits.trait[world->trait[row]].bullet;
    uint32_t last = (uint32_t)--world->count;
    world->row_of_index[world->index[last]] = row; // the hole is filled with the last row
    world->row_of_index[world->index[row]] = QDI_NO_ROW;
    swap_rows(world, row, last);
}

void qdi_body_show(qd_world *world) {
    uint32_t row = (uint32_t)world->count++;
    world->row_of_index[world->index[row]] = row;
    world->shaped += world->shape[row] != 0;
    world->fixed += world->kind[row] != QD_BODY_DYNAMIC;
    world->bullets += world->traits.trait[world->trait[row]].bullet;
}

void qdi_body_forget(qd_world *world, uint32_t row) {
    qdi_shapes_drop(&world->shapes, world->shape[row]);
    qdi_traits_drop(&world->traits, world->trait[row]);
    push_free_index(world, world->index[row]);
}

qd_status qd_world_remove(qd_world *world, qd_id id) {
    QDI_RESTORED qdi_arithmetic caller = qdi_arithmetic_standard();
    if (!world) return QD_ERR_ARGUMENT;
    uint32_t row = qdi_body_row(world, id);
    if (row == QDI_NO_ROW) return QD_ERR_STALE;
    qdi_change_begin(world);
    world->entered -= qdi_energy_of_row(world, row);
    qdi_body_hide(world, row);
    qdi_body_forget(world, (uint32_t)world->count);
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
        .turn_c = world->now.c,
        .turn_s = world->now.s,
        .spin = world->now.spin,
        .radius = world->radius,
        .mass = world->mass,
        .inertia = world->inertia,
        .kind = world->kind,
        .touching = touching,
        .row_of_index = world->row_of_index,
        .index_count = world->index_count,
        .shape = world->shape,
        .shapes = world->shapes.shape,
        .shape_count = world->shapes.count,
    };
}

void qdi_change_begin(qd_world *world) {
    const bool by_hand = !world->population || !world->population->under_way;
    if (!world->changed && by_hand && qdi_springs(world)) world->pressed = qdi_contact_energy(world);
    if (by_hand) world->gone = 0;
    world->changed = true;
}
