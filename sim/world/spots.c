// Spots of contacts that came by another way than from the candidates: those of a loaded world, and those
// whose rows have changed.

#include "sim/world/spots.h"

#include "core/base/memory.h"
#include "sim/world/contact_list.h"
#include "sim/world/contact_state.h"
#include "sim/world/grain.h"
#include "sim/world/scratch.h"
#include "sim/world/world_impl.h"

#include <string.h>

typedef struct spots_job {
    const qd_world *world;
    qdi_contact_state *state;
} spots_job;

// World's contacts by row: puts the rows of a contact wherever it has them.
static inline void put_rows(const qdi_contact_state *state, size_t place, qdi_meeting rows) {
    if (state->met && place < state->first_wall) state->pairs_met[place] = rows;
    if (qdi_met_at(state, place)) return;
    state->spots[place].row_a = rows.a;
    state->spots[place].row_b = rows.b;
}

// Finds the rows of the two bodies of each contact.
static void find_spot_rows(void *context, size_t begin, size_t end) {
    const spots_job *job = context;
    for (size_t i = begin; i < end; ++i) {
        const qdi_contact_state *state = job->state;
        const uint64_t order = qdi_contact_order_placed(job->world, state, i);
        const bool wall = (uint32_t)order >= (uint32_t)QD_WALL_LEFT;
        put_rows(state, i,
                 (qdi_meeting){job->world->row_of_index[order >> 32],
                               wall ? QDI_NO_ROW : job->world->row_of_index[(uint32_t)order]});
    }
}

void qdi_spots_find_rows(qd_world *world, qdi_contact_state *state) {
    if (!state->parts && !state->whole) return; // there are no others than rows
    spots_job job = {world, state};
    qdi_team_for(world->team, qdi_constraint_count(state), QDI_CONTACT_GRAIN, find_spot_rows, &job);
}

// World's contacts by row: names the bodies of present contacts by index, while rows change.
static void name_spots(void *context, size_t begin, size_t end) {
    const qd_world *world = context;
    const qdi_contact_state *state = &world->present;
    const uint32_t *index = world->index;
    for (size_t i = begin; i < end; ++i) {
        const qdi_meeting rows = qdi_rows_at(state, i);
        const qdi_meeting named = {index[rows.a], rows.b == QDI_NO_ROW ? rows.b : index[rows.b]};
        put_rows(state, i, named);
    }
}

// World's contacts by row: names them by row again.
static void place_spots(void *context, size_t begin, size_t end) {
    const qd_world *world = context;
    const qdi_contact_state *state = &world->present;
    const uint32_t *row = world->row_of_index;
    for (size_t i = begin; i < end; ++i) {
        const qdi_meeting named = qdi_rows_at(state, i);
        put_rows(state, i, (qdi_meeting){row[named.a], named.b == QDI_NO_ROW ? named.b : row[named.b]});
    }
}

void qdi_spots_name(qd_world *world, bool by_row) {
    qdi_team_for(world->team, qdi_constraint_count(&world->present), QDI_CONTACT_GRAIN,
                 by_row ? place_spots : name_spots, world);
}

typedef struct part_job {
    const qdi_contact_state *state;
    // By place:
    qdi_warm_start *warm_starts;
    uint8_t *persists;
} part_job;

// World's contacts by row: makes the parts of a range of contacts.
static void part_range(void *context, size_t begin, size_t end) {
    const part_job *job = context;
    const qdi_contact_state *state = job->state;
    for (size_t p = begin; p < end; ++p) {
        qdi_spot *spot = &state->spots[p];
        const uint32_t number = state->number[p];
        const qd_contact *contact = &state->contacts[number];
        const qd_touch *touch = contact->touch;
        spot->wall = qd_id_is_wall(contact->b) ? contact->b.index - (uint32_t)QD_WALL_LEFT : 0;
        spot->geometry = (uint32_t)p;
        state->geometry[p] = (qdi_geometry){.normal = contact->normal,
                                            .point = {touch[0].point, touch[1].point},
                                            .depth = {touch[0].depth, touch[1].depth}};
        state->found[p] = (qdi_found_pair){.approach = contact->approach,
                                           .nx = (float)contact->normal.x,
                                           .ny = (float)contact->normal.y,
                                           .feature = {touch[0].feature, touch[1].feature},
                                           .image = contact->image,
                                           .count = contact->count,
                                           .sensor = contact->sensor,
                                           .near = number >= state->contact_count};
        state->partners[p] = (qdi_partners){contact->a, contact->b};
        state->given[p] = (qdi_given){{touch[0].impulse, touch[1].impulse},
                                      {touch[0].friction, touch[1].friction}};
        state->ranked[spot->rank] = (uint32_t)p;
        state->order[spot->rank] = qdi_contact_order(contact->a, contact->b);
        const size_t held = qdi_contacts_placed(state) ? p : number;
        job->warm_starts[p] = state->warm_starts[held];
        job->persists[p] = state->persists[held];
        state->place[number] = (uint32_t)p;
        state->marks[p] = qdi_marks_of(&state->found[p], &job->warm_starts[p]);
    }
}

// World's contacts by row: puts back a range of what lay by number, in its new order.
static void put_back(void *context, size_t begin, size_t end) {
    const part_job *job = context;
    const size_t count = end - begin;
    memcpy(job->state->warm_starts + begin, job->warm_starts + begin, count * sizeof *job->warm_starts);
    memcpy(job->state->persists + begin, job->persists + begin, count);
}

qd_status qdi_spots_part(qd_world *world, qdi_contact_state *state) {
    const qd_allocator *allocator = world->allocator;
    const size_t count = qdi_constraint_count(state);
    if (state->parts || count == 0) return QD_OK;
    if (state->met) qdi_contacts_fill(world, state);
    qd_status status = qdi_geometry_reserve(allocator, state, 0, count);
    if (status != QD_OK) return status;
    part_job job = {state, qdi_allocate(allocator, count, sizeof *job.warm_starts),
                    qdi_allocate(allocator, count, 1)};
    const bool room = job.warm_starts && job.persists;
    if (room) {
        qdi_team_for(world->team, count, QDI_CONTACT_GRAIN, part_range, &job);
        qdi_team_for(world->team, count, QDI_CONTACT_GRAIN, put_back, &job);
        state->parts = state->numbered = true;
    }
    qdi_release(allocator, job.warm_starts, count, sizeof *job.warm_starts);
    qdi_release(allocator, job.persists, count, 1);
    return room ? QD_OK : QD_ERR_MEMORY;
}

/// World's contacts by row: the ranks of contacts by number: both parts lie in order already.
static void rank_contacts(const qdi_contact_state *state, uint32_t *rank_of) {
    const size_t touching = state->contact_count, all = qdi_constraint_count(state);
    size_t p = 0, q = touching;
    for (uint32_t r = 0; p < touching || q < all; ++r) {
        bool first = q == all ||
                     (p < touching && qdi_contact_order_at(state, p) < qdi_contact_order_at(state, q));
        rank_of[first ? p++ : q++] = r;
    }
}

qd_status qdi_spots_make_apart(qd_world *world, qdi_contact_state *state) {
    const size_t count = qdi_constraint_count(state);
    size_t place = 0, rank_room = 0;
    uint32_t *ranks = NULL;
    qd_status status = qdi_reserve(world->allocator, &ranks, &rank_room, 0, count, sizeof *ranks);
    if (status != QD_OK) return status;
    state->parts = state->met = state->thin = false;
    rank_contacts(state, ranks);
    for (size_t i = 0; i < count; ++i)
        if (!qd_id_is_wall(state->contacts[i].b)) state->number[place++] = (uint32_t)i;
    state->first_wall = place;
    state->pairs = state->layout = 0;
    for (size_t i = 0; i < count; ++i)
        if (qd_id_is_wall(state->contacts[i].b)) state->number[place++] = (uint32_t)i;
    for (size_t p = 0; p < count; ++p) state->spots[p].rank = ranks[state->number[p]];
    qdi_release(world->allocator, ranks, rank_room, sizeof *ranks);
    return qdi_spots_part(world, state);
}

qd_status qdi_spots_make(qd_world *world, qdi_contact_state *state) {
    const qd_status status = qdi_spots_make_apart(world, state);
    if (status == QD_OK) qdi_spots_find_rows(world, state);
    return status;
}

// ---- touching flags ----

// World's contacts by row: unmarks bodies, before those that touch are marked.
static void unmark_touching(void *context, size_t begin, size_t end) {
    const qd_world *world = context;
    void *flags = world->touching + begin; // bytes, at which nobody else is now
    memset(flags, 0, end - begin);
}

// World's contacts by row: marks the bodies of contacts as touching.
static void mark_touching(void *context, size_t begin, size_t end) {
    const qd_world *world = context;
    for (size_t i = begin; i < end; ++i) {
        const qdi_contact_state *state = &world->present;
        if (qdi_near_at(state, i)) continue;
        const qdi_meeting rows = qdi_rows_at(state, i);
        atomic_store_explicit(&world->touching[rows.a], 1, memory_order_relaxed);
        if (rows.b != QDI_NO_ROW) atomic_store_explicit(&world->touching[rows.b], 1, memory_order_relaxed);
    }
}

// World's contacts by row: the same where springs have listed who touches somebody.
static void mark_listed(void *context, size_t begin, size_t end) {
    const qd_world *world = context;
    const qdi_scratch *scratch = &world->scratch;
    const size_t count = scratch->touched_count[begin / QDI_BODY_GRAIN];
    void *flags = world->touching + begin;
    memset(flags, count == end - begin, end - begin);
    for (size_t k = begin; k < begin + count && count < end - begin; ++k)
        atomic_store_explicit(&world->touching[scratch->touched[k]], 1, memory_order_relaxed);
}

void qdi_touching_mark(qd_world *world) {
    if (world->present.met && world->scratch.accelerations_present) {
        qdi_team_for(world->team, world->count, QDI_BODY_GRAIN, mark_listed, world);
        return;
    }
    qdi_team_for(world->team, world->count, QDI_BODY_GRAIN, unmark_touching, world);
    qdi_team_for(world->team, qdi_constraint_count(&world->present), QDI_CONTACT_GRAIN, mark_touching, world);
}
