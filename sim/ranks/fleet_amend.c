// A part amended in place: bodies that get another owner, ghosts that come and that are not needed any more.
// What stays keeps its row, its node in the tree and its contacts; as indices follow names, all of it gets
// new indices, in passes that the team shares.
//
// First all is made that can fail, where nobody looks; when all ranks have agreed that it has not, the rest
// only has to be put in place. So a renewal without memory leaves all parts as they were.

#include "core/base/memory.h"
#include "core/parallel/parallel.h"
#include "core/parallel/sort.h"
#include "core/tree/rename.h"
#include "sim/ranks/fleet_contacts.h"
#include "sim/ranks/fleet_needs.h"
#include "sim/world/bodies.h"
#include "sim/world/contact_list.h"
#include "sim/world/grain.h"
#include "sim/world/names.h"
#include "sim/world/spots.h"

#include <string.h>

/// A body that another rank has sent.
typedef struct arrival {
    uint64_t name, needed;
    uint32_t old;          ///< its index so far; UINT32_MAX: it comes
    uint32_t shape, trait; ///< of one that comes
    uint8_t owner;
} arrival;

/// Own bodies that others need, or get.
typedef struct edge_list {
    size_t count;
    uint64_t *index, *spare; ///< growing
    uint32_t *row, *row_spare;
    uint64_t *needed;
} edge_list;

/// An amendment on one rank; arrays are in the world's arena.
typedef struct amendment {
    qdi_fleet_rank *rank;
    qd_world *world;
    int me, ranks;
    qdi_fleet_needs needs;
    qdi_post post;
    uint8_t *home, *fate; ///< by index: INNER, EDGE or whose it was; QDI_FATE_...
    uint32_t *rows;       ///< while the edge is looked for
    size_t *found;        ///< per range of rows: how many of them
    uint32_t *hits;       ///< the same for contacts, by number; those of springs that meet by place
    edge_list edge;
    qdi_contact_mail *contacts; ///< that come
    size_t contact_count;
    qdi_message from[QDI_RANKS_MAX]; ///< bodies
    arrival *arrivals;
    size_t arrival_count;
    qdi_splice bodies; ///< by index: where they are then
    uint32_t *before;
    uint64_t *names; ///< then
    qdi_part *part;
    uint64_t migrations;
} amendment;

/// What a body was: own and of no matter to others, or own, or else the number of its owner.
enum { EDGE = 0xfe, INNER = 0xff };

// Amending: an array in the arena; sets `missing` where there is no memory.
static void *take(const amendment *job, size_t count, size_t size, bool *missing) {
    void *array = qdi_arena_take(&job->world->scratch.arena, count, size);
    *missing = *missing || (count > 0 && !array);
    return array;
}

// ---- who goes and who is needed elsewhere ----

// Amending: lists the own bodies of a range of rows that others need, or get.
static void look_range(void *context, size_t begin, size_t end) {
    const amendment *job = context;
    const qd_world *world = job->world;
    const uint64_t mine = UINT64_C(1) << job->me;
    size_t found = begin;
    for (size_t r = begin; r < end; ++r) {
        const uint32_t index = world->index[r];
        job->fate[index] = QDI_FATE_OWN;
        job->home[index] = INNER;
        if (qdi_is_ghost(world, r) || qdi_fleet_is_inner(&job->needs, world, (uint32_t)r)) continue;
        if (qdi_fleet_needed_by(&job->needs, world, (uint32_t)r) == mine) continue;
        job->home[index] = EDGE;
        job->rows[found++] = (uint32_t)r;
    }
    job->found[begin / QDI_BODY_GRAIN] = found - begin;
}

// Amending: what lists of ranges hold, one behind the other.
static size_t gather_found(const size_t *found, size_t ranges, size_t grain, uint32_t *list) {
    size_t count = 0;
    for (size_t k = 0; k < ranges; ++k) {
        memmove(list + count, list + k * grain, found[k] * sizeof *list);
        count += found[k];
    }
    return count;
}

// Amending: puts the edge in the order of indices, with who needs each.
static qd_status sort_edge(amendment *job) {
    const qd_world *world = job->world;
    edge_list *edge = &job->edge;
    bool missing = false;
    edge->row = job->rows;
    edge->index = take(job, edge->count, sizeof *edge->index, &missing);
    edge->spare = take(job, edge->count, sizeof *edge->spare, &missing);
    edge->row_spare = take(job, edge->count, sizeof *edge->row_spare, &missing);
    if (missing) return QD_ERR_MEMORY;
    for (size_t k = 0; k < edge->count; ++k) edge->index[k] = world->index[edge->row[k]];
    int bits = 1;
    while (bits < 32 && world->index_count >> bits > 0) ++bits;
    const qd_status status = qdi_team_sort(world->team, edge->index, edge->row, edge->spare, edge->row_spare,
                                           edge->count, bits);
    edge->needed = edge->spare;
    for (size_t k = 0; k < edge->count && status == QD_OK; ++k)
        edge->needed[k] = qdi_fleet_needed_by(&job->needs, world, edge->row[k]);
    return status;
}

// Amending: looks at all bodies.
static qd_status look(amendment *job) {
    const qd_world *world = job->world;
    const qdi_part *part = world->part;
    const size_t ranges = qdi_range_count(world->count, QDI_BODY_GRAIN);
    bool missing = false;
    job->home = take(job, world->index_count, 1, &missing);
    job->fate = take(job, world->index_count, 1, &missing);
    job->rows = take(job, world->count, sizeof *job->rows, &missing);
    job->found = take(job, ranges, sizeof *job->found, &missing);
    if (missing) return QD_ERR_MEMORY;
    qdi_team_for(world->team, world->count, QDI_BODY_GRAIN, look_range, job);
    job->edge.count = gather_found(job->found, ranges, QDI_BODY_GRAIN, job->rows);
    for (int q = 0; q < job->ranks; ++q)
        for (size_t i = part->receive_first[q]; i < part->receive_first[q + 1]; ++i) {
            job->home[part->receive[i]] = (uint8_t)q;
            job->fate[part->receive[i]] = QDI_FATE_GONE; // unless it is sent again
        }
    return sort_edge(job);
}

// Amending: the owner from now on of a body of the edge.
static int owner_of_edge(const amendment *job, size_t k) {
    return qdi_fleet_owner_of(&job->needs, job->world, job->edge.row[k]);
}

// ---- mail ----

// Amending: lists the contacts of a range, by number or place, that others may have to get: they have a body
// of the edge or another's.
static void choose_range(void *context, size_t begin, size_t end) {
    const amendment *job = context;
    const qd_world *world = job->world;
    size_t found = begin;
    for (size_t i = begin; i < end; ++i) {
        const qdi_meeting rows = qdi_fleet_rows_of(world, world->present.met, i);
        const uint8_t a = job->home[world->index[rows.a]];
        const uint8_t b = rows.b == QDI_NO_ROW ? (uint8_t)INNER : job->home[world->index[rows.b]];
        if ((a == INNER && b == INNER) || a < EDGE) continue;
        job->hits[found++] = (uint32_t)i;
    }
    job->found[begin / QDI_CONTACT_GRAIN] = found - begin;
}

// Amending: sends contacts to those who have not got them, and keeps those that are received: the next
// message takes their place.
static qd_status exchange_contacts(amendment *job) {
    const qd_world *world = job->world;
    const size_t count = qdi_constraint_count(&world->present);
    const size_t ranges = qdi_range_count(count, QDI_CONTACT_GRAIN);
    qdi_message from[QDI_RANKS_MAX];
    bool missing = false;
    job->hits = take(job, count, sizeof *job->hits, &missing);
    job->found = take(job, ranges, sizeof *job->found, &missing);
    if (missing) return QD_ERR_MEMORY;
    qdi_team_for(world->team, count, QDI_CONTACT_GRAIN, choose_range, job);
    const qdi_contact_choice choice = {
        .needs = &job->needs,
        .past = world,
        .placed = world->present.met,
        .numbers = job->hits,
        .count = gather_found(job->found, ranges, QDI_CONTACT_GRAIN, job->hits),
        .home = job->home};
    const qd_status status = qdi_contacts_post(&choice, &job->post, from);
    if (status != QD_OK) return status;
    qdi_contact_pile pile = qdi_contacts_of(from, job->ranks);
    job->contact_count = qdi_contacts_left(&pile);
    job->contacts = take(job, job->contact_count, sizeof *job->contacts, &missing);
    if (missing) return QD_ERR_MEMORY;
    const qdi_contact_mail *one;
    for (size_t k = 0; (one = qdi_contacts_take(&pile)) != NULL; ++k) job->contacts[k] = *one;
    return QD_OK;
}

// Amending: adds the edge to the letters of those who need it.
static void write_letters(const amendment *job, qdi_body_letter *letters) {
    for (size_t k = 0; k < job->edge.count; ++k) {
        const int owner = owner_of_edge(job, k);
        for (int q = 0; q < job->ranks; ++q)
            if (q != job->me && job->edge.needed[k] >> q & 1)
                qdi_letter_add(&letters[q], job->world, job->edge.row[k], job->edge.needed[k], owner,
                               owner != job->me);
    }
}

// Amending: sends bodies of the edge, and receives those of others.
static qd_status exchange_bodies(amendment *job) {
    qdi_body_letter letters[QDI_RANKS_MAX] = {{.bodies = 0}};
    qdi_message to[QDI_RANKS_MAX];
    write_letters(job, letters);
    const qd_status status = qdi_letters_begin(job->rank->allocator, &job->post, letters, job->ranks, to);
    if (status != QD_OK) return status;
    write_letters(job, letters);
    return qdi_ranks_exchange(job->rank->ranks, to, job->from);
}

// ---- the bodies then ----

// Amending: a body that was sent: a ghost that is here already, or one that comes.
static qd_status sort_arrival(amendment *job, const qdi_body_mail *one, const qd_body_state *state) {
    qd_world *world = job->world;
    arrival *to = &job->arrivals[job->arrival_count];
    *to = (arrival){.name = one->name, .needed = one->needed, .old = UINT32_MAX, .owner = one->owner};
    const size_t index = qdi_names_from(world, one->name);
    job->migrations += one->owner == job->me && one->moved;
    if (index < world->index_count && qdi_name_of(world, (qd_body_index)index) == one->name) {
        to->old = (uint32_t)index;
        job->fate[index] = one->owner == job->me ? QDI_FATE_OWN : QDI_FATE_GHOST;
    } else {
        const qd_status status = qdi_body_intern(world, state, &to->shape, &to->trait);
        if (status != QD_OK) return status;
        job->before[job->bodies.coming++] = (uint32_t)index;
    }
    job->arrival_count += 1; // what was taken for it is given back by release_arrivals
    return QD_OK;
}

// Amending: what becomes of each body.
static qd_status sort_bodies(amendment *job) {
    for (size_t k = 0; k < job->edge.count; ++k) {
        const bool own = owner_of_edge(job, k) == job->me, stays = job->edge.needed[k] >> job->me & 1;
        job->fate[job->edge.index[k]] = own ? QDI_FATE_OWN : stays ? QDI_FATE_GHOST : QDI_FATE_GONE;
    }
    qdi_body_pile pile = qdi_pile_of(job->from, job->ranks);
    const size_t count = qdi_pile_count(&pile);
    bool missing = false;
    job->arrivals = take(job, count, sizeof *job->arrivals, &missing);
    job->before = take(job, count, sizeof *job->before, &missing);
    qd_status status = missing ? QD_ERR_MEMORY : QD_OK;
    qd_body_state state = {.label = 0};
    const qdi_body_mail *one;
    while (status == QD_OK && (one = qdi_pile_take(&pile, &state)) != NULL)
        status = sort_arrival(job, one, &state);
    return status;
}

// Amending: gives back what was taken for bodies that do not come after all.
static void release_arrivals(amendment *job) {
    for (size_t k = 0; k < job->arrival_count; ++k) {
        if (job->arrivals[k].old != UINT32_MAX) continue;
        qdi_shapes_drop(&job->world->shapes, job->arrivals[k].shape);
        qdi_traits_drop(&job->world->traits, job->arrivals[k].trait);
    }
}

// Amending: names by new index, of a range of old ones.
static void name_range(void *context, size_t begin, size_t end) {
    const amendment *job = context;
    for (size_t i = begin; i < end; ++i)
        if (job->bodies.to[i] != UINT32_MAX)
            job->names[job->bodies.to[i]] = qdi_name_of(job->world, (qd_body_index)i);
}

// Amending: indices and names then, and room for who comes.
static qd_status index_bodies(amendment *job) {
    qd_world *world = job->world;
    qdi_splice *bodies = &job->bodies;
    bodies->fate = job->fate;
    bodies->count = world->index_count;
    bodies->before = job->before;
    qd_status status = qdi_splice_find(world->team, &world->scratch.arena, bodies);
    const size_t indices = bodies->count + bodies->coming; // some have both their old index and a new one
    if (status == QD_OK) status = qdi_bodies_reserve(world, bodies->all, indices);
    if (status != QD_OK) return status;
    job->names = qdi_allocate(world->allocator, bodies->all, sizeof *job->names);
    if (bodies->all > 0 && !job->names) return QD_ERR_MEMORY;
    qdi_team_for(world->team, bodies->count, QDI_BODY_GRAIN, name_range, job);
    for (size_t k = 0, come = 0; k < job->arrival_count; ++k)
        if (job->arrivals[k].old == UINT32_MAX) job->names[bodies->place[come++]] = job->arrivals[k].name;
    return QD_OK;
}

// ---- who sends whom ----

/// A body that is sent or received from now on.
typedef struct shared_body {
    uint64_t needed;
    uint32_t index; ///< the new one; UINT32_MAX: it is gone
    int owner;
} shared_body;

/// A walk over the edge and the arrivals in the order of names.
typedef struct shared_walk {
    size_t edge, arrival, come;
} shared_walk;

// Amending: the next one; false: there is none.
static bool next_shared(const amendment *job, shared_walk *at, shared_body *one) {
    const bool edge = at->edge < job->edge.count, arrives = at->arrival < job->arrival_count;
    if (!edge && !arrives) return false;
    const arrival *other = &job->arrivals[at->arrival];
    const uint32_t index = edge ? (uint32_t)job->edge.index[at->edge] : 0;
    if (edge && (!arrives || qdi_name_of(job->world, index) < other->name)) {
        *one = (shared_body){job->edge.needed[at->edge], job->bodies.to[index], owner_of_edge(job, at->edge)};
        at->edge += 1;
        return true;
    }
    const bool comes = other->old == UINT32_MAX;
    *one = (shared_body){other->needed, comes ? job->bodies.place[at->come] : job->bodies.to[other->old],
                         other->owner};
    at->come += comes;
    at->arrival += 1;
    return true;
}

// Amending: counts what is sent to and received from each rank, from the second place on; where there is a
// part, writes it, and counts on.
static void plan_exchange(const amendment *job, qdi_part *part, size_t *send, size_t *receive) {
    shared_walk at = {0, 0, 0};
    for (shared_body one; next_shared(job, &at, &one);) {
        if (one.index == UINT32_MAX) continue;
        if (one.owner != job->me) {
            if (part) part->receive[receive[one.owner]] = one.index;
            receive[one.owner] += 1;
            continue;
        }
        for (int q = 0; q < job->ranks; ++q) {
            if (q == job->me || !(one.needed >> q & 1)) continue;
            if (part) part->send[send[q]] = one.index;
            send[q] += 1;
        }
    }
}

// Amending: what the part needs to exchange ghosts, but for where bodies are.
static qd_status make_part(amendment *job) {
    const qdi_part *before = job->world->part;
    size_t send[QDI_RANKS_MAX + 1] = {0}, receive[QDI_RANKS_MAX + 1] = {0};
    plan_exchange(job, NULL, send, receive);
    const size_t sent = qdi_exclusive_scan(send, QDI_RANKS_MAX + 1);
    const size_t received = qdi_exclusive_scan(receive, QDI_RANKS_MAX + 1);
    const qd_status status = qdi_part_make(job->world->allocator, job->bodies.all, before->alone, sent,
                                           received, &job->part);
    if (status != QD_OK) return status;
    qdi_part *part = job->part;
    memcpy(part->send_first, send, sizeof send);
    memcpy(part->receive_first, receive, sizeof receive);
    plan_exchange(job, part, send, receive);
    part->ghosts = received;
    part->slack = job->needs.slack;
    part->shaped = before->shaped;
    part->traits = before->traits;
    part->speed = before->speed;
    part->contacts = before->contacts;
    part->begins = before->begins;
    part->ends = before->ends;
    return QD_OK;
}

// Amending: the contacts then.
static qd_status make_contacts(const amendment *job) {
    const qdi_contact_splice splice = {.world = job->world,
                                       .fate = job->fate,
                                       .to = job->bodies.to,
                                       .names = job->names,
                                       .bodies = job->bodies.all,
                                       .come = job->contacts,
                                       .come_count = job->contact_count};
    return qdi_contacts_splice(&splice);
}

// ---- in place ----

// Amending: takes a body out of the rows.
static void remove_body(amendment *job, uint32_t index) {
    if (job->fate[index] != QDI_FATE_GONE) return;
    qdi_body_hide(job->world, job->world->row_of_index[index]);
    qdi_body_forget(job->world, (uint32_t)job->world->count);
}

// Amending: a ghost moves as its owner says: here it lacks what its other partners gave it.
static void move_body(const qd_world *world, uint32_t row, const qd_body_state *state) {
    const qdi_motion *now = &world->now;
    now->x[row] = state->position.x;
    now->y[row] = state->position.y;
    now->vx[row] = state->velocity.x;
    now->vy[row] = state->velocity.y;
    now->c[row] = state->turn.x;
    now->s[row] = state->turn.y;
    now->spin[row] = state->spin;
}

// Amending: those that go, and those that come, which are the last rows with indices behind all.
static void change_rows(amendment *job) {
    qd_world *world = job->world;
    const qdi_part *part = world->part;
    const bool turning = world->turning;
    const size_t behind = world->index_count;
    world->changed = true; // and springs are not weighed for it
    for (size_t k = 0; k < job->edge.count; ++k) remove_body(job, (uint32_t)job->edge.index[k]);
    for (size_t k = 0; k < part->receive_first[job->ranks]; ++k) remove_body(job, part->receive[k]);
    qdi_body_pile pile = qdi_pile_of(job->from, job->ranks);
    qd_body_state state = {.label = 0};
    const qdi_body_mail *one;
    for (size_t k = 0, come = 0; (one = qdi_pile_take(&pile, &state)) != NULL; ++k) {
        const arrival *body = &job->arrivals[k];
        if (body->old != UINT32_MAX) {
            move_body(world, world->row_of_index[body->old], &state);
            continue;
        }
        const qd_id id = {(qd_body_index)(behind + come++), one->generation};
        qdi_body_enter_again(world, &state, id, body->shape, body->trait);
    }
    world->turning = turning;
    world->changed = false;
}

// Amending: new indices of a range of rows, and all that lies by them.
static void index_range(void *context, size_t begin, size_t end) {
    const amendment *job = context;
    qd_world *world = job->world;
    const qdi_splice *bodies = &job->bodies;
    for (size_t r = begin; r < end; ++r) {
        const uint32_t old = world->index[r];
        const uint32_t index = old < bodies->count ? bodies->to[old] : bodies->place[old - bodies->count];
        world->index[r] = index;
        world->row_of_index[index] = (uint32_t)r;
        world->generation_of_index[index] = world->generation[r];
        job->part->from_x[r] = world->now.x[r];
        job->part->from_y[r] = world->now.y[r];
    }
}

// Amending: puts the contacts in place; no list of what the step before found holds any more.
static void put_contacts(qd_world *world) {
    const qdi_contact_state before = world->present;
    world->present = world->following;
    world->following = before;
    if (world->present.met && !world->present.whole) // what callers see lies where it did
        qdi_contacts_trade(&world->present, &world->following, world->present.contact_count);
    world->scratch.slots_of = 0;
    world->scratch.accelerations_present = false;
    world->scratch.link_count = 0;
    qdi_fleet_find_rows(world);
    qdi_touching_mark(world);
    world->margin.held = world->margin.near = false;
    world->margin.edited = true; // the tree is not asked before it is refreshed
}

// Amending: puts all in place.
static void commit(amendment *job) {
    qd_world *world = job->world;
    change_rows(job);
    qdi_tree_rename(world->tree, world->team, job->bodies.to, job->bodies.count);
    qdi_team_for(world->team, world->count, QDI_BODY_GRAIN, index_range, job);
    world->index_count = world->count;
    world->free_count = 0;
    qdi_names_release(world);
    world->names = job->names;
    world->name_count = job->bodies.all;
    qdi_part_release(world->allocator, world->part);
    world->part = job->part;
    for (size_t i = 0; i < job->part->ghosts; ++i)
        job->part->ghost[world->row_of_index[job->part->receive[i]]] = 1;
    put_contacts(world);
    job->rank->migrations += job->migrations;
    job->rank->renewals += 1;
    job->rank->steps = 0;
}

// Amending: all that can fail, without the ranks' agreement.
static qd_status prepare(amendment *job) {
    if (!job->world->present.met) qdi_contacts_need(job->world);
    qd_status status = qdi_fleet_find_needs(job->rank, job->world, &job->needs);
    if (status == QD_OK) status = look(job);
    if (status == QD_OK) status = exchange_contacts(job);
    if (status == QD_OK) status = exchange_bodies(job);
    if (status == QD_OK) status = sort_bodies(job);
    if (status == QD_OK) status = index_bodies(job);
    if (status == QD_OK) status = make_part(job);
    return status == QD_OK ? make_contacts(job) : status;
}

qd_status qdi_fleet_amend(qdi_fleet_rank *rank) {
    amendment job = {.rank = rank,
                     .world = rank->world,
                     .me = qdi_ranks_me(rank->ranks),
                     .ranks = qdi_ranks_count(rank->ranks),
                     .needs = {.rank = rank}};
    const qd_status status = qdi_ranks_agree(rank->ranks, prepare(&job));
    if (status == QD_OK) {
        commit(&job);
    } else {
        release_arrivals(&job);
        qdi_part_release(rank->allocator, job.part);
        qdi_release(rank->allocator, job.names, job.bodies.all, sizeof *job.names);
    }
    qdi_arena_empty(&rank->world->scratch.arena);
    qdi_fleet_forget_needs(&job.needs);
    qdi_post_release(rank->allocator, &job.post);
    return status;
}
