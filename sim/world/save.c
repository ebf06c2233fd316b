// A world as bytes, little-endian (load.c reads them):
//
//   magic (8), version (4), length of all (8)
//   of bodies, shapes, traits and contacts: where they are (8), how many (8), bytes of each (4)
//   def, clock, totals, what became of energy (energy_balance_state.h), "changed" flag, highest label
//   number of indices, bodies, contacts, speculative ones of these, shapes, traits, emitters, sinks,
//   materials, pairs of these (8 each)
//   materials and pairs (materials.h)
//   generation of each index; shapes and traits that are used, in the order in which bodies name them
//   bodies by index; where they come from, if they are followed (displacement.h)
//   contacts with their warm starts, in order; with springs, their forces
//   emitters and sinks (save_population.c)
//   fat boxes in the order of the bodies, where there are some
//   XXH3-64 of everything before (8)
//
// Shapes and traits get new numbers from 1 on, in that order. The tree is not stored: it is a
// function of the boxes, and so are the candidates. Nor are free indices: they are those that no body has.

#include "sim/world/save.h"

#include "core/base/arithmetic.h"
#include "core/base/assert.h"
#include "core/base/bytes.h"
#include "sim/world/contact_list.h"
#include "sim/world/contact_state.h"
#include "sim/world/displacement.h"
#include "sim/world/fields.h"
#include "sim/world/population.h"
#include "sim/world/save_impl.h"
#include "sim/world/saver.h"
#include "sim/world/spring_terms.h"
#include "sim/world/world_impl.h"

enum { COUNTS = 80 };

/// Saved world: where the counts begin.
static size_t counts_at(void) {
    return QDI_SAVE_HEADER + qdi_fields_bytes(&qdi_fields_world);
}

size_t qdi_saved_contact_bytes(void) {
    return qdi_fields_bytes(&qdi_fields_pair_of_bodies) +
           2 * (qdi_fields_bytes(&qdi_fields_touch) + QDI_SAVED_HOLD);
}

/// Saved world: bytes of materials and their pairs.
static size_t material_bytes(const qdi_saved *n) {
    return n->materials * QDI_MATERIAL_BYTES + n->pairs * QDI_PAIR_BYTES;
}

size_t qdi_saved_size(const qdi_saved *n) {
    return counts_at() + COUNTS + material_bytes(n) + n->indices * QDI_SAVED_INDEX +
           n->shapes * QDI_SHAPE_BYTES + n->traits * QDI_TRAIT_BYTES + n->bodies * QDI_SAVED_BODY +
           n->homes * QDI_HOME_BYTES + n->contacts * qdi_saved_contact_bytes() +
           n->forces * qdi_fields_bytes(&qdi_fields_contact_force) +
           n->fats * qdi_fields_bytes(&qdi_fields_fat) + n->emitters * qdi_emitter_bytes() +
           n->sinks * qdi_fields_bytes(&qdi_fields_sink) + QDI_SAVE_CHECKSUM;
}

void qdi_saved_lists(const qdi_saved *n, qdi_saved_list lists[QDI_SAVED_LISTS]) {
    const uint64_t shapes = counts_at() + COUNTS + material_bytes(n) + n->indices * QDI_SAVED_INDEX;
    const uint64_t traits = shapes + n->shapes * QDI_SHAPE_BYTES;
    const uint64_t bodies = traits + n->traits * QDI_TRAIT_BYTES;
    const uint64_t contacts = bodies + n->bodies * QDI_SAVED_BODY + n->homes * QDI_HOME_BYTES;
    lists[QDI_SAVED_BODIES] = (qdi_saved_list){bodies, n->bodies, QDI_SAVED_BODY};
    lists[QDI_SAVED_SHAPES] = (qdi_saved_list){shapes, n->shapes, QDI_SHAPE_BYTES};
    lists[QDI_SAVED_TRAITS] = (qdi_saved_list){traits, n->traits, QDI_TRAIT_BYTES};
    lists[QDI_SAVED_CONTACTS] = (qdi_saved_list){contacts, n->contacts - n->near,
                                                 (uint32_t)qdi_saved_contact_bytes()};
}

/// Fat boxes are saved only while they count.
static bool fats_count(const qd_world *world) {
    return world->margin.held && !world->changed;
}

void qdi_saved_body(unsigned char **at, const qd_world *world, size_t row, uint32_t index, uint32_t shape,
                    uint32_t trait) {
    const qdi_motion *now = &world->now;
    qdi_put_u32(at, index);
    qdi_put_u64(at, world->label[row]);
    qdi_put_u32(at, shape);
    qdi_put_u32(at, trait);
    qdi_put_f64(at, world->radius[row]);
    qdi_put_f64(at, world->mass[row]);
    qdi_put_f64(at, world->inertia[row]);
    qdi_put_f64(at, now->x[row]);
    qdi_put_f64(at, now->y[row]);
    qdi_put_f64(at, now->c[row]);
    qdi_put_f64(at, now->s[row]);
    qdi_put_f64(at, now->vx[row]);
    qdi_put_f64(at, now->vy[row]);
    qdi_put_f64(at, now->spin[row]);
    qdi_put_f64(at, now->lean[row]);
}

void qdi_saved_contacts(unsigned char **at, const qd_contact *contact, const qdi_warm_start *warm_start,
                        size_t count) {
    qdi_records to = {.at = *at, .bytes = qdi_saved_contact_bytes(), .count = count};
    qdi_fields_put_each(&qdi_fields_pair_of_bodies, contact, sizeof *contact, &to);
    for (int k = 0; k < 2; ++k) {
        qdi_fields_put_each(&qdi_fields_touch, &contact->touch[k], sizeof *contact, &to);
        qdi_fields_put_each(&qdi_fields_number, &warm_start->normal[k], sizeof *warm_start, &to);
        qdi_fields_put_each(&qdi_fields_number, &warm_start->tangent[k], sizeof *warm_start, &to);
    }
    *at += count * to.bytes;
}

/// Numbers of shapes or traits in the order in which bodies, by index, name them first.
typedef struct ranking {
    uint32_t *rank;   ///< by number less 1: from 1 on, 0 where no body has it
    uint32_t *number; ///< less 1, by rank less 1
    uint32_t used;
} ranking;

/// Rows are the world's own business and change in time; the file has an order of its own, so that worlds of
/// one state are the same bytes.
typedef struct ranks {
    ranking shapes, traits;
} ranks;

// Ranks a shape or trait by its first use, as a saved world lists it.
static void rank_interned(ranking *all, uint32_t number) {
    if (number == 0 || all->rank[number - 1] != 0) return;
    all->number[all->used++] = number - 1;
    all->rank[number - 1] = all->used;
}

// Ranks shapes and traits as a saved world lists them.
static void rank_world(const qd_world *world, ranks *all) {
    if (world->shapes.numbers.live == 0 && world->traits.numbers.live == 0) return;
    memset(all->shapes.rank, 0, world->shapes.numbers.count * sizeof *all->shapes.rank);
    memset(all->traits.rank, 0, world->traits.numbers.count * sizeof *all->traits.rank);
    for (size_t i = 0; i < world->index_count; ++i) {
        const uint32_t row = world->row_of_index[i];
        if (row == QDI_NO_ROW) continue;
        rank_interned(&all->shapes, world->shape[row]);
        rank_interned(&all->traits, world->trait[row]);
    }
}

size_t qdi_saved_head_bytes(const qdi_saved *n) {
    return counts_at() + COUNTS + material_bytes(n);
}

void qdi_saved_head(const qd_world *world, const qdi_saved *n, unsigned char *start) {
    unsigned char *at = start;
    memcpy(at, QDI_SAVE_MAGIC, QDI_SAVE_MAGIC_BYTES);
    at += QDI_SAVE_MAGIC_BYTES;
    qdi_put_u32(&at, QDI_SAVE_VERSION);
    qdi_put_u64(&at, qdi_saved_size(n));
    qdi_saved_list lists[QDI_SAVED_LISTS];
    qdi_saved_lists(n, lists);
    for (int i = 0; i < QDI_SAVED_LISTS; ++i) {
        qdi_put_u64(&at, lists[i].at);
        qdi_put_u64(&at, lists[i].count);
        qdi_put_u32(&at, lists[i].bytes);
    }
    QD_ASSERT(at == start + QDI_SAVE_HEADER);
    qdi_margin margin = world->margin;
    margin.held = fats_count(world);
    qdi_fields_put(&qdi_fields_def, &world->def, &at);
    qdi_fields_put(&qdi_fields_past, world, &at);
    qdi_fields_put(&qdi_fields_margin, &margin, &at);
    const uint64_t counts[] = {n->indices, n->bodies,   n->contacts, n->near,      n->shapes,
                               n->traits,  n->emitters, n->sinks,    n->materials, n->pairs};
    for (size_t i = 0; i < sizeof counts / sizeof counts[0]; ++i) qdi_put_u64(&at, counts[i]);
    qdi_materials_put(&world->traits.materials, &at);
    QD_ASSERT(at == start + qdi_saved_head_bytes(n));
}

// How many bodies, contacts and so on a saved world will hold.
static qdi_saved counts_of_world(const qd_world *world) {
    const qdi_population *all = world->population;
    return (qdi_saved){.indices = world->index_count,
                       .bodies = world->count,
                       .contacts = qdi_constraint_count(&world->present),
                       .near = world->present.near_count,
                       .shapes = world->shapes.numbers.live,
                       .traits = world->traits.numbers.live,
                       .emitters = all ? all->emitter_count : 0,
                       .sinks = all ? all->sink_count : 0,
                       .materials = world->traits.materials.count,
                       .pairs = world->traits.materials.pair_count,
                       .homes = world->follows ? world->count : 0,
                       .fats = fats_count(world) ? world->count : 0,
                       .forces = qdi_springs(world) ? qdi_constraint_count(&world->present) : 0};
}

size_t qdi_saved_bytes(const qd_world *world) {
    const qdi_saved n = counts_of_world(world);
    return qdi_saved_size(&n);
}

// ---- piece by piece ----

/// Bytes that are put together before the saver gets them: they stay in the processor's cache.
enum { WINDOW_BYTES = 1 << 17 };

/// A saving of a world.
typedef struct saving {
    const qd_world *world;
    qdi_saved n;
    ranks all;
    qdi_saver saver;
    unsigned char *window, *at; ///< where the next bytes go
    qd_status status;           ///< once it is not QD_OK nothing more is handed on
} saving;

// Saved world: hands on what is in the window.
static void hand_on(saving *job) {
    if (job->status == QD_OK)
        job->status = qdi_saver_add(&job->saver, job->window, (size_t)(job->at - job->window));
    job->at = job->window;
}

// Saved world: where the next bytes go, at most as many as WINDOW_BYTES.
static inline unsigned char **room_for(saving *job, size_t bytes) {
    if (WINDOW_BYTES - (size_t)(job->at - job->window) < bytes) hand_on(job);
    return &job->at;
}

// Saved world: generations of all indices, then shapes and traits.
static void save_looks(saving *job) {
    const qd_world *world = job->world;
    const ranks *all = &job->all;
    for (size_t i = 0; i < job->n.indices; ++i)
        qdi_put_u32(room_for(job, QDI_SAVED_INDEX), world->generation_of_index[i]);
    for (size_t i = 0; i < job->n.shapes; ++i)
        qdi_shape_put(world->shapes.shape[all->shapes.number[i] + 1], room_for(job, QDI_SHAPE_BYTES));
    for (size_t i = 0; i < job->n.traits; ++i)
        qdi_trait_put(&world->traits.trait[all->traits.number[i] + 1], room_for(job, QDI_TRAIT_BYTES));
}

// Saved world: bodies, and where they come from, in order of index.
static void save_bodies(saving *job) {
    const qd_world *world = job->world;
    const ranks *all = &job->all;
    for (size_t i = 0; i < job->n.indices && job->status == QD_OK; ++i) {
        const uint32_t row = world->row_of_index[i];
        if (row == QDI_NO_ROW) continue;
        const uint32_t shape = world->shape[row], trait = world->trait[row];
        qdi_saved_body(room_for(job, QDI_SAVED_BODY), world, row, (uint32_t)i,
                       shape ? all->shapes.rank[shape - 1] : 0, trait ? all->traits.rank[trait - 1] : 0);
    }
    for (size_t i = 0; world->follows && i < job->n.indices; ++i)
        if (world->row_of_index[i] != QDI_NO_ROW) qdi_home_put(world, i, room_for(job, QDI_HOME_BYTES));
}

// Saved world: contacts with their warm starts, then forces of springs. Contacts that nobody has asked for
// are made as they are saved.
static void save_contacts(saving *job) {
    const qdi_contact_state *state = &job->world->present;
    qdi_warm_start warm_start[QDI_SAVED_TOGETHER];
    qd_contact contact[QDI_SAVED_TOGETHER];
    for (size_t i = 0; i < job->n.contacts && job->status == QD_OK; i += QDI_SAVED_TOGETHER) {
        const size_t left = job->n.contacts - i, some = left < QDI_SAVED_TOGETHER ? left : QDI_SAVED_TOGETHER;
        for (size_t k = 0; k < some; ++k) {
            const size_t place = qdi_place_of(state, i + k);
            warm_start[k] = state->warm_starts[place];
            if (state->parts) qdi_contact_at(job->world, state, place, &contact[k]);
        }
        qdi_saved_contacts(room_for(job, some * qdi_saved_contact_bytes()),
                           state->parts ? contact : &state->contacts[i], warm_start, some);
    }
    const size_t bytes = qdi_fields_bytes(&qdi_fields_contact_force);
    for (size_t i = 0; i < job->n.forces && job->status == QD_OK; ++i)
        qdi_fields_put(&qdi_fields_contact_force, qdi_force_of(state, i), room_for(job, bytes));
}

// Saved world: emitters and sinks.
static void save_population(saving *job) {
    const qdi_population *all = job->world->population;
    for (size_t i = 0; i < job->n.emitters; ++i)
        qdi_emitter_put(room_for(job, qdi_emitter_bytes()), &all->emitters[i]);
    for (size_t i = 0; i < job->n.sinks; ++i)
        qdi_fields_put(&qdi_fields_sink, &all->sinks[i], room_for(job, qdi_fields_bytes(&qdi_fields_sink)));
}

// Saved world: fat boxes of bodies, in order of index.
static void save_fat_boxes(saving *job) {
    const qd_world *world = job->world;
    const size_t bytes = qdi_fields_bytes(&qdi_fields_fat);
    for (size_t i = 0; job->n.fats > 0 && i < job->n.indices && job->status == QD_OK; ++i)
        if (world->row_of_index[i] != QDI_NO_ROW)
            qdi_fields_put(&qdi_fields_fat, &world->fat[world->row_of_index[i]], room_for(job, bytes));
}

// Saved world: saves all of it.
static qd_status save_all(saving *job, const qdi_saved_sink *sink) {
    size_t touching;
    if (job->world->present.parts)
        qdi_contacts_need_numbers(job->world);
    else
        (void)qdi_contacts_read(job->world, &touching);
    rank_world(job->world, &job->all);
    job->status = qdi_saver_begin(&job->saver, sink, job->world, &job->n);
    job->at = job->window;
    save_looks(job);
    save_bodies(job);
    save_contacts(job);
    save_population(job);
    save_fat_boxes(job);
    hand_on(job);
    if (job->status == QD_OK) job->status = qdi_saver_end(&job->saver);
    qdi_saver_release(&job->saver);
    return job->status;
}

qd_status qdi_world_save_to(const qd_world *world, const qdi_saved_sink *sink) {
    const size_t shapes = world->shapes.numbers.count, traits = world->traits.numbers.count;
    const size_t places = 2 * (shapes + traits) + 1;
    saving job = {.world = world, .n = counts_of_world(world)};
    uint32_t *place = qdi_allocate(world->allocator, places, sizeof *place);
    job.window = qdi_allocate(world->allocator, WINDOW_BYTES, 1);
    qd_status status = place && job.window ? QD_OK : QD_ERR_MEMORY;
    if (status == QD_OK) {
        job.all.shapes = (ranking){.rank = place, .number = place + shapes};
        job.all.traits = (ranking){.rank = place + 2 * shapes, .number = place + 2 * shapes + traits};
        status = save_all(&job, sink);
    }
    qdi_release(world->allocator, job.window, WINDOW_BYTES, 1);
    qdi_release(world->allocator, place, places, sizeof *place);
    return status;
}

// ---- into memory ----

/// A saved world in memory.
typedef struct saved_copy {
    const qd_allocator *allocator;
    unsigned char *data;
    size_t used, bytes;
} saved_copy;

// Saved world: makes room for all of it.
static qd_status begin_copy(void *context, uint64_t bytes) {
    saved_copy *copy = context;
    copy->data = bytes <= SIZE_MAX ? qdi_allocate(copy->allocator, (size_t)bytes, 1) : NULL;
    copy->bytes = (size_t)bytes;
    return copy->data ? QD_OK : QD_ERR_MEMORY;
}

// Saved world: takes a piece.
static qd_status take_copy(void *context, const void *data, size_t bytes) {
    saved_copy *copy = context;
    QD_ASSERT(bytes <= copy->bytes - copy->used);
    memcpy(copy->data + copy->used, data, bytes);
    copy->used += bytes;
    return QD_OK;
}

qd_status qd_world_save(const qd_world *world, unsigned char **data, size_t *bytes) {
    QDI_RESTORED qdi_arithmetic caller = qdi_arithmetic_standard();
    if (!world || !data || !bytes) return QD_ERR_ARGUMENT;
    saved_copy copy = {.allocator = world->allocator};
    const qdi_saved_sink sink = {&copy, begin_copy, take_copy};
    const qd_status status = qdi_world_save_to(world, &sink);
    if (status != QD_OK) {
        qdi_release(world->allocator, copy.data, copy.bytes, 1);
        return status;
    }
    QD_ASSERT(copy.used == copy.bytes);
    *data = copy.data;
    *bytes = copy.bytes;
    return QD_OK;
}

void qd_world_save_free(const qd_world *world, unsigned char *data, size_t bytes) {
    if (world) qdi_release(world->allocator, data, bytes, 1);
}
