// A saved world (sim/world/save.c) to its parts: rank 0 reads it window by window. Of the bodies each rank
// gets a range of indices, as if it had made them, with those shapes and traits that they have; then they are
// given to their owners as at any renewal. Contacts are shown to all ranks, and each keeps those of bodies
// that it owns. So no rank ever holds more of others' than a window.

#include "core/base/bytes.h"
#include "core/base/memory.h"
#include "sim/ranks/fleet_impl.h"
#include "sim/ranks/fleet_mail.h"
#include "sim/spring/spring.h"
#include "sim/step/load.h"
#include "sim/world/bodies.h"
#include "sim/world/fields.h"
#include "sim/world/names.h"
#include "sim/world/spring_terms.h"

#include <string.h>

/// Items of a window.
enum { WINDOW = 1 << 15 };

/// A list of the saved world: where it begins, items, bytes of each.
typedef struct saved_part {
    uint64_t at, count;
    size_t item_bytes;
} saved_part;

/// A loading on one rank.
typedef struct loading {
    qdi_fleet_rank *rank;
    unsigned char *window; ///< of rank 0
    size_t window_room;
} loading;

/// What is done with items of a list, from number `first` on.
typedef qd_status (*item_taker)(void *context, const unsigned char *items, uint64_t first, size_t count);

// ---- windows ----

// Fleet's loading: rank 0 reads some items of a list.
static qd_status read_window(loading *job, const saved_part *part, uint64_t first, size_t count) {
    const size_t bytes = count * part->item_bytes;
    const qd_status status = qdi_reserve(job->rank->allocator, &job->window, &job->window_room, 0, bytes, 1);
    const qdi_fleet_source *source = job->rank->source;
    return status == QD_OK
               ? source->read(source->context, part->at + first * part->item_bytes, job->window, bytes)
               : status;
}

// Fleet's loading: sends items from `first` to `last` to one rank, or, where `to` is negative, to all; who
// gets them takes them.
static qd_status send_items(loading *job, const saved_part *part, uint64_t first, uint64_t last, int to,
                            item_taker take, void *context) {
    qdi_ranks *ranks = job->rank->ranks;
    qd_status status = QD_OK;
    for (uint64_t at = first; at < last && status == QD_OK; at += WINDOW) {
        const size_t count = last - at < WINDOW ? (size_t)(last - at) : WINDOW;
        qdi_message mail[QDI_RANKS_MAX] = {{NULL, 0}}, from[QDI_RANKS_MAX];
        if (job->rank->source) status = read_window(job, part, at, count);
        for (int q = 0; job->rank->source && q < qdi_ranks_count(ranks); ++q)
            if (to < 0 || to == q) mail[q] = (qdi_message){job->window, count * part->item_bytes};
        if (status == QD_OK) status = qdi_ranks_exchange(ranks, mail, from);
        if (status == QD_OK && (to < 0 || to == qdi_ranks_me(ranks)))
            status = take(context, from[0].data, at, count);
    }
    return status;
}

// Fleet's loading: the first index of a rank.
static uint64_t first_of(const qdi_fleet_rank *rank, int q) {
    const uint64_t all = rank->saved.indices, ranks = (uint64_t)qdi_ranks_count(rank->ranks);
    return all / ranks * (uint64_t)q + all % ranks * (uint64_t)q / ranks;
}

// Fleet's loading: sends each rank its range of a list that has an item for each index.
static qd_status send_ranges(loading *job, const saved_part *part, item_taker take, void *context) {
    qd_status status = QD_OK;
    for (int q = 0; q < qdi_ranks_count(job->rank->ranks) && status == QD_OK; ++q)
        status = send_items(job, part, first_of(job->rank, q), first_of(job->rank, q + 1), q, take, context);
    return status;
}

// Fleet's loading: shows a list to all ranks.
static qd_status show(loading *job, const saved_part *part, item_taker take, void *context) {
    return send_items(job, part, 0, part->count, -1, take, context);
}

// ---- looks ----

/// Shapes or traits that bodies of this rank have, by growing number.
typedef struct looks {
    const qdi_fleet_rank *rank;
    uint8_t *wanted; ///< by number less 1, by bit
    size_t wanted_bytes;
    uint32_t *number;
    qdi_look_mail *look; ///< of which only one half counts
    size_t count, number_room, look_room;
} looks;

// Fleet's loading: begins to list looks of which there are so many.
static qd_status begin_looks(looks *all, const qdi_fleet_rank *rank, uint64_t count) {
    *all = (looks){.rank = rank, .wanted_bytes = (size_t)(count / 8 + 1)};
    all->wanted = qdi_allocate(rank->allocator, all->wanted_bytes, 1);
    if (!all->wanted) return QD_ERR_MEMORY;
    memset(all->wanted, 0, all->wanted_bytes);
    return QD_OK;
}

// Fleet's loading: frees.
static void release_looks(const looks *all) {
    if (!all->rank) return;
    const qd_allocator *allocator = all->rank->allocator;
    qdi_release(allocator, all->wanted, all->wanted_bytes, 1);
    qdi_release(allocator, all->number, all->number_room, sizeof *all->number);
    qdi_release(allocator, all->look, all->look_room, sizeof *all->look);
}

// Fleet's loading: notes that a look is wanted; 0 is none.
static void want_look(const looks *all, uint32_t number) {
    if (number > 0) all->wanted[(number - 1) / 8] |= (uint8_t)(1U << (number - 1) % 8);
}

// Fleet's loading: keeps looks that are wanted.
static qd_status keep_looks(looks *all, const unsigned char *items, uint64_t first, size_t count,
                            bool shapes) {
    qd_status status = QD_OK;
    for (size_t k = 0; k < count && status == QD_OK; ++k) {
        const uint64_t number = first + k;
        if (!(all->wanted[number / 8] >> number % 8 & 1)) continue;
        const qd_allocator *allocator = all->rank->allocator;
        const size_t more = all->count + 1;
        status = qdi_reserve(allocator, &all->number, &all->number_room, all->count, more,
                             sizeof *all->number);
        if (status == QD_OK)
            status = qdi_reserve(allocator, &all->look, &all->look_room, all->count, more, sizeof *all->look);
        if (status != QD_OK) break;
        const unsigned char *at = items + k * (size_t)(shapes ? QDI_SHAPE_BYTES : QDI_TRAIT_BYTES);
        status = shapes ? qdi_load_shape(&at, &all->look[all->count].shape)
                        : qdi_load_trait(&at, all->rank->whole, &all->look[all->count].trait);
        all->number[all->count++] = (uint32_t)number + 1;
    }
    return status;
}

// Fleet's loading: taker of shapes.
static qd_status take_shapes(void *context, const unsigned char *items, uint64_t first, size_t count) {
    return keep_looks(context, items, first, count, true);
}

// Fleet's loading: taker of traits.
static qd_status take_traits(void *context, const unsigned char *items, uint64_t first, size_t count) {
    return keep_looks(context, items, first, count, false);
}

// Fleet's loading: the look of a number that was wanted.
static const qdi_look_mail *look_of(const looks *all, uint32_t number) {
    size_t low = 0, high = all->count;
    while (low + 1 < high) {
        const size_t middle = (low + high) / 2;
        *(all->number[middle] <= number ? &low : &high) = middle;
    }
    return &all->look[low];
}

// ---- bodies ----

/// The bodies of this rank as they are saved.
typedef struct rows {
    looks shapes, traits;
    const qdi_saved *saved;
    uint64_t first;
    size_t count, room;
    qdi_saved_row *row;
    uint32_t *generation;
} rows;

// Fleet's loading: taker of bodies.
static qd_status take_rows(void *context, const unsigned char *items, uint64_t first, size_t count) {
    rows *all = context;
    const unsigned char *at = items;
    for (size_t k = 0; k < count; ++k) {
        qdi_saved_row *row = &all->row[first - all->first + k];
        qdi_load_row(&at, row);
        if (row->index != first + k || row->shape > all->saved->shapes || row->trait > all->saved->traits)
            return QD_ERR_CORRUPT;
        want_look(&all->shapes, row->shape);
        want_look(&all->traits, row->trait);
    }
    return QD_OK;
}

// Fleet's loading: taker of generations.
static qd_status take_generations(void *context, const unsigned char *items, uint64_t first, size_t count) {
    const rows *all = context;
    const unsigned char *at = items;
    for (size_t k = 0; k < count; ++k) all->generation[first - all->first + k] = qdi_get_u32(&at);
    return QD_OK;
}

// Fleet's loading: adds the bodies of this rank to the seeds.
static qd_status add_rows(const rows *all, qd_world *seeds) {
    qd_status status = QD_OK;
    for (size_t i = 0; i < all->count && status == QD_OK; ++i) {
        const qdi_saved_row *row = &all->row[i];
        qdi_look_mail look;
        memset(&look, 0, sizeof look);
        look.trait = row->trait ? look_of(&all->traits, row->trait)->trait : qdi_trait_default();
        look.shape = row->shape ? look_of(&all->shapes, row->shape)->shape : qd_shape_disk(row->radius);
        qd_body_state state = {.label = row->label,
                               .position = row->position,
                               .turn = row->turn,
                               .velocity = row->velocity,
                               .spin = row->spin,
                               .mass = row->mass,
                               .inertia = row->inertia};
        qdi_look_put(&look, &state);
        status = qdi_body_add_again(seeds, &state, false, NULL);
        if (status != QD_OK) break;
        seeds->generation_of_index[i] = all->generation[i];
        seeds->generation[seeds->row_of_index[i]] = all->generation[i];
    }
    return status == QD_ERR_VALUE || status == QD_ERR_LIMIT ? QD_ERR_CORRUPT : status;
}

// Fleet's loading: receives the bodies of this rank, and what they look like.
static qd_status receive_rows(loading *job, rows *all) {
    const qdi_saved *n = all->saved;
    qdi_saved_list lists[QDI_SAVED_LISTS];
    qdi_saved_lists(n, lists);
    const qdi_saved_list *shapes = &lists[QDI_SAVED_SHAPES], *traits = &lists[QDI_SAVED_TRAITS];
    const saved_part bodies = {lists[QDI_SAVED_BODIES].at, n->bodies, QDI_SAVED_BODY};
    const saved_part generations = {shapes->at - n->indices * QDI_SAVED_INDEX, n->indices, QDI_SAVED_INDEX};
    const saved_part of_shapes = {shapes->at, n->shapes, QDI_SHAPE_BYTES};
    const saved_part of_traits = {traits->at, n->traits, QDI_TRAIT_BYTES};
    qd_status status = send_ranges(job, &bodies, take_rows, all);
    if (status == QD_OK) status = send_ranges(job, &generations, take_generations, all);
    if (status == QD_OK) status = show(job, &of_shapes, take_shapes, &all->shapes);
    return status == QD_OK ? show(job, &of_traits, take_traits, &all->traits) : status;
}

qd_status qdi_fleet_load_bodies(qdi_fleet_rank *rank) {
    const qd_allocator *allocator = rank->allocator;
    const int me = qdi_ranks_me(rank->ranks);
    loading job = {.rank = rank};
    rows all = {.saved = &rank->saved, .first = first_of(rank, me)};
    all.count = (size_t)(first_of(rank, me + 1) - all.first);
    all.room = all.count + 1;
    all.row = qdi_allocate(allocator, all.room, sizeof *all.row);
    all.generation = qdi_allocate(allocator, all.room, sizeof *all.generation);
    qd_status status = all.row && all.generation ? QD_OK : QD_ERR_MEMORY;
    if (status == QD_OK) status = begin_looks(&all.shapes, rank, rank->saved.shapes);
    if (status == QD_OK) status = begin_looks(&all.traits, rank, rank->saved.traits);
    if (status == QD_OK) status = receive_rows(&job, &all);
    if (status == QD_OK) status = qdi_fleet_empty_part(rank, rank->whole, 0, &rank->seeds);
    if (status == QD_OK) status = add_rows(&all, rank->seeds);
    if (status == QD_OK) status = qdi_fleet_name_seeds(rank->seeds, all.first);
    qdi_release(allocator, all.row, all.room, sizeof *all.row);
    qdi_release(allocator, all.generation, all.room, sizeof *all.generation);
    release_looks(&all.shapes);
    release_looks(&all.traits);
    qdi_release(allocator, job.window, job.window_room, 1);
    return status;
}

// ---- contacts ----

/// Contacts of bodies that this rank owns, in their order.
typedef struct kept_contacts {
    const qdi_fleet_rank *rank;
    qdi_contact_mail *mail;
    uint64_t *number; ///< in the saved world
    size_t count, mail_room, number_room;
    size_t forces; ///< so many have theirs
} kept_contacts;

/// Whether a body is there, and whose it is.
typedef enum belonging { NOT_HERE, A_GHOST, OWN } belonging;

// Fleet's loading: what a body is to this rank.
static belonging body_here(const qd_world *part, uint64_t name) {
    const uint32_t index = qdi_names_find(part->names, part->index_count, name);
    if (index == QDI_NO_ROW) return NOT_HERE;
    return qdi_is_ghost(part, part->row_of_index[index]) ? A_GHOST : OWN;
}

// Fleet's loading: keeps a contact if it is of a body that this rank owns.
static qd_status keep_contact(kept_contacts *all, const qd_contact *contact, const qdi_warm_start *warm_start,
                              uint64_t number) {
    const qd_world *part = all->rank->world;
    const bool wall = qd_id_is_wall(contact->b);
    const belonging a = body_here(part, contact->a.index), b = wall ? a : body_here(part, contact->b.index);
    if (a != OWN && b != OWN) return QD_OK;
    if (a == NOT_HERE || b == NOT_HERE || !qdi_load_contact_fits(contact, warm_start)) return QD_ERR_CORRUPT;
    const qd_allocator *allocator = all->rank->allocator;
    const size_t more = all->count + 1;
    qd_status status = qdi_reserve(allocator, &all->mail, &all->mail_room, all->count, more,
                                   sizeof *all->mail);
    if (status == QD_OK)
        status = qdi_reserve(allocator, &all->number, &all->number_room, all->count, more,
                             sizeof *all->number);
    if (status != QD_OK) return status;
    const qdi_saved *n = &all->rank->saved;
    all->number[all->count] = number;
    all->mail[all->count++] = (qdi_contact_mail){.a = contact->a.index,
                                                 .b = contact->b.index,
                                                 .near = number >= n->contacts - n->near,
                                                 .contact = *contact,
                                                 .warm_start = *warm_start};
    return QD_OK;
}

// Fleet's loading: taker of contacts.
static qd_status take_contacts(void *context, const unsigned char *items, uint64_t first, size_t count) {
    qd_contact contact[QDI_SAVED_TOGETHER];
    qdi_warm_start warm_start[QDI_SAVED_TOGETHER];
    const unsigned char *at = items;
    qd_status status = QD_OK;
    for (size_t k = 0; k < count && status == QD_OK; k += QDI_SAVED_TOGETHER) {
        const size_t some = count - k < QDI_SAVED_TOGETHER ? count - k : QDI_SAVED_TOGETHER;
        if (!qdi_load_contacts(&at, contact, warm_start, some)) return QD_ERR_CORRUPT;
        for (size_t i = 0; i < some && status == QD_OK; ++i)
            status = keep_contact(context, &contact[i], &warm_start[i], first + k + i);
    }
    return status;
}

// Fleet's loading: taker of forces.
static qd_status take_forces(void *context, const unsigned char *items, uint64_t first, size_t count) {
    kept_contacts *all = context;
    const size_t bytes = qdi_fields_bytes(&qdi_fields_contact_force);
    for (; all->forces < all->count && all->number[all->forces] < first + count; ++all->forces) {
        const unsigned char *at = items + (size_t)(all->number[all->forces] - first) * bytes;
        if (!qdi_load_force(&at, &all->mail[all->forces].force)) return QD_ERR_CORRUPT;
    }
    return QD_OK;
}

// Fleet's loading: receives the contacts of bodies that this rank owns.
static qd_status receive_contacts(loading *job, kept_contacts *all) {
    const qdi_saved *n = &job->rank->saved;
    qdi_saved_list lists[QDI_SAVED_LISTS];
    qdi_saved_lists(n, lists);
    const saved_part contacts = {lists[QDI_SAVED_CONTACTS].at, n->contacts, qdi_saved_contact_bytes()};
    const saved_part forces = {contacts.at + contacts.count * contacts.item_bytes, n->forces,
                               qdi_fields_bytes(&qdi_fields_contact_force)};
    const qd_status status = show(job, &contacts, take_contacts, all);
    return status == QD_OK ? show(job, &forces, take_forces, all) : status;
}

// Fleet's loading: gives the part its contacts.
static qd_status put_contacts(const kept_contacts *all) {
    qd_world *world = all->rank->world;
    const qdi_message mail = {all->mail, all->count * sizeof *all->mail};
    qdi_contact_pile pile = qdi_contacts_of(&mail, 1);
    const qd_status status = qdi_fleet_put_contacts(world, &pile);
    return status == QD_OK && qdi_springs(world) ? qdi_spring_walls(world, &world->present, 0, false)
                                                 : status;
}

qd_status qdi_fleet_load_contacts(qdi_fleet_rank *rank) {
    const qd_allocator *allocator = rank->allocator;
    loading job = {.rank = rank};
    kept_contacts all = {.rank = rank};
    qd_status status = receive_contacts(&job, &all);
    if (status == QD_OK) status = put_contacts(&all);
    qdi_team_join(rank->world->team, NULL); // till the first step it does alone what it does
    rank->whole->changed = false;
    qdi_release(allocator, all.mail, all.mail_room, sizeof *all.mail);
    qdi_release(allocator, all.number, all.number_room, sizeof *all.number);
    qdi_release(allocator, job.window, job.window_room, 1);
    return status;
}
