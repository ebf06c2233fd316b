// Spots of contacts that came by another way than from the candidates: those of a loaded world, and those
// whose rows have changed.

#include "sim/world/spots.h"

#include "sim/world/contact_state.h"
#include "sim/world/grain.h"
#include "sim/world/world_impl.h"

#include <string.h>

typedef struct spots_job {
    const qd_world *world;
    qdi_contact_state *state;
} spots_job;

// Finds the rows of the two bodies of each contact.
static void find_spot_rows(void *context, size_t begin, size_t end) {
    const spots_job *job = context;
    for (size_t i = begin; i < end; ++i) {
        qdi_spot *spot = &job->state->spots[i];
        const qd_contact *contact = &job->state->contacts[spot->contact];
        spot->row_a = job->world->row_of_index[contact->a.index];
        spot->row_b = qd_id_is_wall(contact->b) ? QDI_NO_ROW : job->world->row_of_index[contact->b.index];
    }
}

void qdi_spots_find_rows(qd_world *world, qdi_contact_state *state) {
    spots_job job = {world, state};
    qdi_team_for(world->team, qdi_constraint_count(state), QDI_CONTACT_GRAIN, find_spot_rows, &job);
}

// World's contacts by row: normal, points and depths of a contact.
static qdi_geometry contact_geometry(const qd_contact *contact) {
    return (qdi_geometry){.normal = contact->normal,
                          .point = {contact->touch[0].point, contact->touch[1].point},
                          .depth = {contact->touch[0].depth, contact->touch[1].depth}};
}

/// World's contacts by row: copies to a spot what it has of its contact.
static void describe_spot(qdi_spot *spot, const qd_contact *contact) {
    spot->image = contact->image;
    spot->touches = contact->sensor ? 0 : contact->count;
    spot->wall = qd_id_is_wall(contact->b) ? (uint8_t)(contact->b.index - (uint32_t)QD_WALL_LEFT) : 0;
}

/// World's contacts by row: the ranks of contacts by number: both parts lie in order already.
static void rank_contacts(const qdi_contact_state *state, uint32_t *rank_of) {
    const qd_contact *contacts = state->contacts;
    const size_t touching = state->contact_count, all = qdi_constraint_count(state);
    size_t p = 0, q = touching;
    for (uint32_t r = 0; p < touching || q < all; ++r) {
        bool first = q == all ||
                     (p < touching && qdi_contact_order(&contacts[p]) < qdi_contact_order(&contacts[q]));
        rank_of[first ? p++ : q++] = r;
    }
}

qd_status qdi_spots_make(qd_world *world, qdi_contact_state *state) {
    size_t count = qdi_constraint_count(state), place = 0;
    qd_status status = qdi_reserve(world->allocator, &state->spots, &state->spot_room, 0, count,
                                   sizeof *state->spots);
    if (status == QD_OK)
        status = qdi_reserve(world->allocator, &state->geometry, &state->geometry_room, 0, count,
                             sizeof *state->geometry);
    uint32_t *ranks = NULL;
    size_t rank_room = 0;
    if (status == QD_OK) status = qdi_reserve(world->allocator, &ranks, &rank_room, 0, count, sizeof *ranks);
    if (status != QD_OK) return status;
    rank_contacts(state, ranks);
    for (size_t i = 0; i < count; ++i)
        if (!qd_id_is_wall(state->contacts[i].b)) state->spots[place++].contact = (uint32_t)i;
    state->first_wall = place;
    state->pairs = 0;
    for (size_t i = 0; i < count; ++i)
        if (qd_id_is_wall(state->contacts[i].b)) state->spots[place++].contact = (uint32_t)i;
    for (size_t i = 0; i < count; ++i) {
        qdi_spot *spot = &state->spots[i];
        spot->rank = ranks[spot->contact];
        describe_spot(spot, &state->contacts[spot->contact]);
        spot->geometry = (uint32_t)i;
        state->geometry[i] = contact_geometry(&state->contacts[spot->contact]);
    }
    qdi_release(world->allocator, ranks, rank_room, sizeof *ranks);
    qdi_spots_find_rows(world, state);
    return QD_OK;
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
        const qdi_spot *spot = &world->present.spots[i];
        if (spot->contact >= world->present.contact_count) continue; // a speculative one
        atomic_store_explicit(&world->touching[spot->row_a], 1, memory_order_relaxed);
        if (spot->row_b != QDI_NO_ROW)
            atomic_store_explicit(&world->touching[spot->row_b], 1, memory_order_relaxed);
    }
}

void qdi_touching_mark(qd_world *world) {
    qdi_team_for(world->team, world->count, QDI_BODY_GRAIN, unmark_touching, world);
    qdi_team_for(world->team, qdi_constraint_count(&world->present), QDI_CONTACT_GRAIN, mark_touching, world);
}
