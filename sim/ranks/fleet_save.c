// A saved world (sim/world/save.c) from its parts, piece by piece: for each list of a saved world all ranks
// send rank 0 what they have of a window of names, one window after the other, as it is going to be saved.
// Rank 0 puts that in order and hands it on. So no rank ever holds more of others' bodies than those of one
// window, and the bytes are those of the whole world.

#include "core/base/bytes.h"
#include "core/base/memory.h"
#include "sim/ranks/fleet_looks.h"
#include "sim/world/contact_list.h"
#include "sim/world/fields.h"
#include "sim/world/names.h"
#include "sim/world/saver.h"
#include "sim/world/spring_terms.h"

#include <string.h>

/// Names of a window.
enum { WINDOW = 1 << 14 };

/// Lists of a saved world, in its order.
typedef enum saved_list {
    GENERATIONS,
    SHAPES,
    TRAITS,
    BODIES,
    TOUCHING,
    NEAR,
    TOUCHING_FORCES,
    NEAR_FORCES,
    SAVED_LISTS
} saved_list;

/// A window of a list.
typedef struct window {
    saved_list list;
    uint64_t first;    ///< name
    size_t low, high;  ///< items of this rank's world, not all of which are due
    size_t item_bytes; ///< when it is saved
} window;

/// What all ranks have of a world.
typedef struct saved_counts {
    uint64_t bodies, touching, near;
} saved_counts;

/// A saving on one rank.
typedef struct saving {
    const qdi_fleet_rank *rank;
    const qd_world *part;
    saved_counts counts;
    qdi_looks shapes, traits;
    unsigned char *mail; ///< a number of items, the name of each less the window's, then they themselves
    size_t mail_room;
    // Of rank 0:
    unsigned char *out;
    size_t out_room;
    uint32_t *next; ///< by name of the window: where its next item goes
    const qdi_saved_sink *sink;
    qdi_saver saver;
} saving;

// ---- what each rank has of a window ----

// Fleet's saving: whether a list is one of contacts or their forces.
static bool is_of_contacts(saved_list list) {
    return list >= TOUCHING;
}

// Fleet's saving: whether item `k` of a list is this rank's to save.
static bool is_due(const saving *job, saved_list list, size_t k) {
    const qd_world *part = job->part;
    if (is_of_contacts(list)) return qdi_part_has(part, &part->present.contacts[k]);
    if (qdi_is_ghost(part, part->row_of_index[k])) return false;
    const uint32_t row = part->row_of_index[k];
    if (list == SHAPES)
        return job->shapes.leads[part->shape[row]] &&
               job->shapes.first[part->shape[row]] == qdi_name_of(part, (qd_body_index)k);
    if (list == TRAITS)
        return job->traits.leads[part->trait[row]] &&
               job->traits.first[part->trait[row]] == qdi_name_of(part, (qd_body_index)k);
    return true;
}

// Fleet's saving: the name that says where item `k` goes.
static uint64_t name_of_item(const saving *job, saved_list list, size_t k) {
    return qdi_name_of(job->part,
                       is_of_contacts(list) ? job->part->present.contacts[k].a.index : (qd_body_index)k);
}

// Fleet's saving: a window of a list from a name on.
static window window_from(const saving *job, saved_list list, uint64_t first) {
    const qd_world *part = job->part;
    const qdi_contact_state *state = &part->present;
    const size_t bytes[SAVED_LISTS] = {QDI_SAVED_INDEX,
                                       QDI_SHAPE_BYTES,
                                       QDI_TRAIT_BYTES,
                                       QDI_SAVED_BODY,
                                       qdi_saved_contact_bytes(),
                                       qdi_saved_contact_bytes(),
                                       qdi_fields_bytes(&qdi_fields_contact_force),
                                       qdi_fields_bytes(&qdi_fields_contact_force)};
    window made = {list, first, qdi_names_from(part, first), qdi_names_from(part, first + WINDOW),
                   bytes[list]};
    if (!is_of_contacts(list)) return made;
    const bool near = list == NEAR || list == NEAR_FORCES;
    const size_t from = near ? state->contact_count : 0,
                 to = near ? qdi_constraint_count(state) : state->contact_count;
    made.low = qdi_contacts_find(state, from, to, (uint64_t)made.low << 32);
    made.high = qdi_contacts_find(state, from, to, (uint64_t)made.high << 32);
    return made;
}

// Fleet's saving: a contact of the whole world.
static void put_contact(const saving *job, size_t k, unsigned char **at) {
    const qd_world *part = job->part;
    const qdi_contact_state *state = &part->present;
    qd_contact named = state->contacts[k];
    named.a.index = (qd_body_index)qdi_name_of(part, named.a.index);
    named.b.index = (qd_body_index)qdi_name_of_id(part, named.b);
    qdi_saved_contacts(at, &named, &state->warm_starts[qdi_place_of(state, k)], 1);
}

// Fleet's saving: writes item `k` of a list as it is saved.
static void put_item(const saving *job, saved_list list, size_t k, unsigned char **at) {
    const qd_world *part = job->part;
    const uint32_t row = is_of_contacts(list) ? 0 : part->row_of_index[k];
    switch (list) {
    case GENERATIONS: qdi_put_u32(at, part->generation_of_index[k]); break;
    case SHAPES: qdi_shape_put(part->shapes.shape[part->shape[row]], at); break;
    case TRAITS: qdi_trait_put(&part->traits.trait[part->trait[row]], at); break;
    case BODIES:
        qdi_saved_body(at, part, row, (uint32_t)qdi_name_of(part, (qd_body_index)k),
                       job->shapes.number[part->shape[row]], job->traits.number[part->trait[row]]);
        break;
    case TOUCHING:
    case NEAR: put_contact(job, k, at); break;
    case TOUCHING_FORCES:
    case NEAR_FORCES: qdi_fields_put(&qdi_fields_contact_force, qdi_force_of(&part->present, k), at); break;
    case SAVED_LISTS: break;
    }
}

// Fleet's saving: bytes of a message before its items.
static size_t bytes_before(uint64_t count) {
    return sizeof count + (size_t)(count + count % 2) * sizeof(uint32_t);
}

// Fleet's saving: writes what this rank has of a window.
static qd_status write_window(saving *job, const window *now, qdi_message *message) {
    uint64_t count = 0;
    for (size_t k = now->low; k < now->high; ++k) count += is_due(job, now->list, k);
    const size_t bytes = bytes_before(count) + (size_t)count * now->item_bytes;
    *message = (qdi_message){NULL, 0};
    if (count == 0) return QD_OK;
    const qd_status status = qdi_reserve(job->rank->allocator, &job->mail, &job->mail_room, 0, bytes, 1);
    if (status != QD_OK) return status;
    *message = (qdi_message){job->mail, bytes};
    memset(job->mail, 0, bytes_before(count));
    memcpy(job->mail, &count, sizeof count);
    unsigned char *key = job->mail + sizeof count, *at = job->mail + bytes_before(count);
    for (size_t k = now->low; k < now->high; ++k) {
        if (!is_due(job, now->list, k)) continue;
        const uint32_t name = (uint32_t)(name_of_item(job, now->list, k) - now->first);
        memcpy(key, &name, sizeof name);
        key += sizeof name;
        put_item(job, now->list, k, &at);
    }
    return QD_OK;
}

// ---- what rank 0 makes of it ----

// Fleet's saving: goes through the items of a message: counts them by their names, or, where there is room,
// puts them where they belong.
static void sort_items(const saving *job, const qdi_message *message, size_t item_bytes, bool placed) {
    if (message->bytes == 0) return;
    uint64_t count;
    const unsigned char *data = message->data, *key = data + sizeof count;
    memcpy(&count, data, sizeof count);
    const unsigned char *item = data + bytes_before(count);
    for (uint64_t k = 0; k < count; ++k, key += sizeof(uint32_t), item += item_bytes) {
        uint32_t name;
        memcpy(&name, key, sizeof name);
        if (placed) memcpy(job->out + job->next[name] * item_bytes, item, item_bytes);
        job->next[name] += 1;
    }
}

// Fleet's saving: the one message that has items, which are in order by themselves; NULL: there are several.
static const qdi_message *only_one(const qdi_message *from, int ranks) {
    const qdi_message *one = NULL;
    for (int q = 0; q < ranks; ++q) {
        if (from[q].bytes == 0) continue;
        if (one) return NULL;
        one = &from[q];
    }
    return one;
}

// Fleet's saving: puts a window in order and hands it on.
static qd_status finish_window(saving *job, const window *now, const qdi_message *from) {
    const int ranks = qdi_ranks_count(job->rank->ranks);
    const qdi_message *one = only_one(from, ranks);
    if (one) {
        uint64_t count;
        memcpy(&count, one->data, sizeof count);
        return qdi_saver_add(&job->saver, (const unsigned char *)one->data + bytes_before(count),
                             (size_t)count * now->item_bytes);
    }
    memset(job->next, 0, WINDOW * sizeof *job->next);
    for (int q = 0; q < ranks; ++q) sort_items(job, &from[q], now->item_bytes, false);
    uint32_t all = 0;
    for (size_t k = 0; k < WINDOW; ++k) {
        const uint32_t here = job->next[k];
        job->next[k] = all;
        all += here;
    }
    const size_t bytes = all * now->item_bytes;
    const qd_status status = qdi_reserve(job->rank->allocator, &job->out, &job->out_room, 0, bytes, 1);
    if (status != QD_OK || bytes == 0) return status;
    for (int q = 0; q < ranks; ++q) sort_items(job, &from[q], now->item_bytes, true);
    return qdi_saver_add(&job->saver, job->out, bytes);
}

// ---- all ranks ----

// Fleet's saving: whether a list has nothing.
static bool is_empty(const saving *job, saved_list list) {
    const bool springs = qdi_springs(job->part);
    switch (list) {
    case SHAPES: return job->shapes.count == 0;
    case TRAITS: return job->traits.count == 0;
    case TOUCHING: return job->counts.touching == 0;
    case NEAR: return job->counts.near == 0;
    case TOUCHING_FORCES: return !springs || job->counts.touching == 0;
    case NEAR_FORCES: return !springs || job->counts.near == 0;
    case GENERATIONS:
    case BODIES:
    case SAVED_LISTS: break;
    }
    return false;
}

// Fleet's saving: sends a list to rank 0, which hands it on.
static qd_status save_list(saving *job, saved_list list) {
    qdi_message from[QDI_RANKS_MAX];
    qd_status status = QD_OK;
    for (uint64_t first = 0; first < job->counts.bodies && status == QD_OK; first += WINDOW) {
        qdi_message to[QDI_RANKS_MAX] = {{NULL, 0}};
        const window now = window_from(job, list, first);
        status = write_window(job, &now, &to[0]);
        if (status == QD_OK) status = qdi_ranks_exchange(job->rank->ranks, to, from);
        if (status == QD_OK && job->sink) status = finish_window(job, &now, from);
    }
    return status;
}

// Fleet's saving: what all ranks have.
static qd_status count_all(saving *job) {
    const qd_world *part = job->part;
    const qdi_contact_state *state = &part->present;
    saved_counts mine = {.bodies = part->count - part->part->ghosts};
    for (size_t i = 0; i < qdi_constraint_count(state); ++i)
        if (qdi_part_has(part, &state->contacts[i]))
            *(i < state->contact_count ? &mine.touching : &mine.near) += 1;
    return qdi_ranks_merged(job->rank->ranks, &mine, &job->counts, sizeof mine, qdi_ranks_add_counts);
}

// Fleet's saving: rank 0 hands on what comes before all lists.
static qd_status save_head(saving *job) {
    const qd_world *whole = job->rank->whole;
    const saved_counts *all = &job->counts;
    const uint64_t contacts = all->touching + all->near;
    const qdi_saved n = {.indices = all->bodies,
                         .bodies = all->bodies,
                         .contacts = contacts,
                         .near = all->near,
                         .shapes = job->shapes.count,
                         .traits = job->traits.count,
                         .materials = whole->traits.materials.count,
                         .pairs = whole->traits.materials.pair_count,
                         .forces = qdi_springs(whole) ? contacts : 0};
    job->next = qdi_allocate(job->rank->allocator, WINDOW, sizeof *job->next);
    return job->next ? qdi_saver_begin(&job->saver, job->sink, whole, &n) : QD_ERR_MEMORY;
}

// Fleet's saving: all of it.
static qd_status save_all(saving *job) {
    qd_status status = count_all(job);
    if (status == QD_OK)
        status = qdi_looks_make(job->rank, QDI_LOOKS_SHAPES, job->counts.bodies, &job->shapes);
    if (status == QD_OK)
        status = qdi_looks_make(job->rank, QDI_LOOKS_TRAITS, job->counts.bodies, &job->traits);
    if (status == QD_OK && job->sink) status = save_head(job);
    for (saved_list list = GENERATIONS; list < SAVED_LISTS && status == QD_OK; ++list)
        if (!is_empty(job, list)) status = save_list(job, list);
    return status == QD_OK && job->sink ? qdi_saver_end(&job->saver) : status;
}

qd_status qdi_fleet_save_parts(const qdi_fleet_rank *rank) {
    const qd_allocator *allocator = rank->allocator;
    saving job = {.rank = rank, .part = rank->world, .sink = rank->sink};
    job.shapes.allocator = job.traits.allocator = allocator;
    qdi_contacts_need(rank->world);
    qd_status status = qdi_fleet_bring_common(rank);
    if (status == QD_OK) status = save_all(&job);
    qdi_looks_release(&job.shapes);
    qdi_looks_release(&job.traits);
    qdi_release(allocator, job.mail, job.mail_room, 1);
    qdi_release(allocator, job.out, job.out_room, 1);
    qdi_release(allocator, job.next, WINDOW, sizeof *job.next);
    qdi_saver_release(&job.saver);
    return status;
}
