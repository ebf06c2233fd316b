// The whole world from its parts: bodies by name, and contacts, which every part has in the order of their
// first bodies' names, and which belong to the owner of that one. So a count of contacts by first body says
// where each of them goes.

#include "core/base/arithmetic.h"
#include "core/base/memory.h"
#include "sim/contact/margin.h"
#include "sim/ranks/fleet_impl.h"
#include "sim/world/contact_list.h"
#include "sim/world/contact_state.h"
#include "sim/world/names.h"
#include "sim/world/spots.h"
#include "sim/world/spring_terms.h"

#include <string.h>

/// Lists of contacts: that touch, that are near, that have ended.
enum { TOUCHING, NEAR, ENDED, LISTS };

/// What is put together.
typedef struct gathering {
    qd_world *whole;
    const qd_world *part; ///< at whose contacts one is
    size_t *place[LISTS]; ///< by name of the first body: where its next contact goes
    size_t total[LISTS];
} gathering;

typedef void (*contact_visit)(gathering *job, int list, size_t number, const qd_contact *contact);

// Gathering: the contacts of a part that are its own, list by list.
static void visit_contacts(gathering *job, const qd_world *part, contact_visit visit) {
    const qdi_contact_state *state = &part->present;
    job->part = part;
    for (size_t i = 0; i < qdi_constraint_count(state); ++i)
        if (qdi_part_owns(part->part, qdi_contact_order_at(state, i)))
            visit(job, i < state->contact_count ? TOUCHING : NEAR, i, &state->contacts[i]);
    for (size_t i = 0; i < state->ends; ++i)
        if (qdi_part_owns(part->part, qdi_contact_order(state->ended[i].a, state->ended[i].b)))
            visit(job, ENDED, i, &state->ended[i]);
}

// Gathering: visits the contacts of all parts.
static void visit_all_contacts(const qdi_fleet *fleet, gathering *job, contact_visit visit) {
    for (int q = 0; q < fleet->count; ++q) visit_contacts(job, fleet->rank[q].world, visit);
}

// Gathering: counts a contact.
static void count_contact(gathering *job, int list, size_t number, const qd_contact *contact) {
    (void)number;
    job->place[list][qdi_name_of(job->part, contact->a.index)] += 1;
}

// Gathering: puts a contact where it belongs.
static void put_contact(gathering *job, int list, size_t number, const qd_contact *contact) {
    qdi_contact_state *to = &job->whole->present;
    const qdi_contact_state *from = &job->part->present;
    const uint64_t name = qdi_name_of(job->part, contact->a.index);
    const size_t place = job->place[list][name]++ + (list == NEAR ? job->total[TOUCHING] : 0);
    qd_contact *put = list == ENDED ? &to->ended[place] : &to->contacts[place];
    *put = *contact;
    put->a.index = (qd_body_index)name;
    put->b.index = (qd_body_index)qdi_name_of_id(job->part, contact->b);
    if (list == ENDED) return;
    to->warm_starts[place] = from->warm_starts[qdi_place_of(from, number)];
    to->persists[place] = from->persists[qdi_place_of(from, number)];
    if (qdi_springs(job->whole)) to->forces[place] = *qdi_force_of(from, number);
}

// Gathering: makes room for contacts and events.
static qd_status reserve_contacts(gathering *job) {
    qd_world *whole = job->whole;
    qdi_contact_state *state = &whole->present;
    qd_status status = qdi_fleet_reserve_contacts(whole, job->total[TOUCHING] + job->total[NEAR]);
    if (status == QD_OK)
        status = qdi_reserve(whole->allocator, &state->ended, &state->ended_room, 0, job->total[ENDED],
                             sizeof *state->ended);
    if (status == QD_OK)
        status = qdi_reserve(whole->allocator, &state->events, &state->event_room, 0,
                             job->total[TOUCHING] + job->total[ENDED], sizeof *state->events);
    return status;
}

// Gathering: contacts of all parts in the order of the whole.
static qd_status gather_listed(const qdi_fleet *fleet, gathering *job) {
    qdi_contact_state *state = &job->whole->present;
    visit_all_contacts(fleet, job, count_contact);
    for (int list = 0; list < LISTS; ++list)
        job->total[list] = qdi_exclusive_scan(job->place[list], job->whole->index_count);
    const qd_status status = reserve_contacts(job);
    if (status != QD_OK) return status;
    state->parts = false;
    visit_all_contacts(fleet, job, put_contact);
    const qdi_contact_state *any = &fleet->rank[0].world->present;
    memcpy(state->wall_force, any->wall_force, sizeof state->wall_force);
    state->wall_lost = any->wall_lost;
    state->contact_count = job->total[TOUCHING];
    state->near_count = job->total[NEAR];
    state->ends = job->total[ENDED];
    state->begins = 0;
    for (size_t i = 0; i < state->contact_count; ++i) state->begins += !state->persists[i];
    state->impact_count = state->unfollowed = 0;
    state->event_count = 0;
    state->listed = QDI_TELLS_NOTHING;
    state->whole = true;
    return qdi_spots_make(job->whole, state);
}

// Gathering: contacts and events.
static qd_status gather_contacts(const qdi_fleet *fleet) {
    gathering job = {.whole = fleet->whole};
    const size_t names = fleet->whole->index_count;
    size_t *places = qdi_allocate(fleet->whole->allocator, names + 1, LISTS * sizeof *places);
    if (!places) return QD_ERR_MEMORY;
    memset(places, 0, names * LISTS * sizeof *places);
    for (int list = 0; list < LISTS; ++list) job.place[list] = places + (size_t)list * names;
    for (int q = 0; q < fleet->count; ++q) qdi_contacts_need(fleet->rank[q].world);
    const qd_status status = gather_listed(fleet, &job);
    qdi_release(fleet->whole->allocator, places, names + 1, LISTS * sizeof *places);
    return status;
}

// Gathering: where the bodies of a part are.
static void gather_bodies(const qd_world *part, qd_world *whole) {
    for (size_t r = 0; r < part->count; ++r) {
        if (qdi_is_ghost(part, r)) continue;
        const uint32_t row = whole->row_of_index[qdi_name_of(part, part->index[r])];
        whole->now.x[row] = part->now.x[r];
        whole->now.y[row] = part->now.y[r];
        whole->now.vx[row] = part->now.vx[r];
        whole->now.vy[row] = part->now.vy[r];
        if (!whole->turning) continue;
        whole->now.c[row] = part->now.c[r];
        whole->now.s[row] = part->now.s[r];
        whole->now.spin[row] = part->now.spin[r];
    }
}

// Gathering: what all parts have in common.
static void gather_common(const qdi_fleet *fleet) {
    const qd_world *any = fleet->rank[0].world;
    qd_world *whole = fleet->whole;
    whole->clock = any->clock;
    whole->balance = any->balance;
    whole->rates = any->rates;
    memcpy(whole->axis, any->axis, sizeof whole->axis);
    memcpy(whole->wall_speed, any->wall_speed, sizeof whole->wall_speed);
    memcpy(whole->wall_mean, any->wall_mean, sizeof whole->wall_mean);
    whole->totals = fleet->totals;
    whole->totals.wall_impulse = any->totals.wall_impulse;
    whole->totals.wall_work = any->totals.wall_work;
    for (int q = 0; q < fleet->count; ++q) {
        const qdi_fleet_rank *rank = &fleet->rank[q];
        whole->totals.contacts += rank->contacts + rank->world->part->contacts;
        whole->totals.begins += rank->begins + rank->world->part->begins;
        whole->totals.ends += rank->ends + rank->world->part->ends;
    }
    whole->margin.held = whole->margin.edited = false;
}

qd_status qdi_fleet_gather(qdi_fleet *fleet) {
    QDI_RESTORED qdi_arithmetic caller = qdi_arithmetic_standard();
    qd_world *whole = fleet->whole;
    const qd_world *any = fleet->rank[0].world;
    if (!any || any->clock.step == whole->clock.step) return QD_OK; // it is there
    for (int q = 0; q < fleet->count; ++q) gather_bodies(fleet->rank[q].world, whole);
    gather_common(fleet);
    qd_status status = gather_contacts(fleet);
    if (status != QD_OK) return status;
    qdi_touching_mark(whole);
    whole->scratch.slots_of = 0;
    whole->scratch.accelerations_present = false;
    whole->scratch.pair_count = 0;
    return qdi_tree_restore(whole);
}
