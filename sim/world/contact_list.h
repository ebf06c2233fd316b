#pragma once

#include "sim/world/contact_state.h"
#include "sim/world/world_impl.h"

/// Contacts and events as callers see them, made from the parts that a step works with (contact_state.h): a
/// step itself has no use for them, and they are most of what it would write. All of it is made in memory
/// that the step has reserved, so nothing here can fail.

/// World's contacts: who takes part in the one at a place of a state, the present one or that on its way.
qdi_partners qdi_partners_at(const qd_world *world, const qdi_contact_state *state, size_t place);

/// World's contacts: its place in the order of contacts.
static inline uint64_t qdi_contact_order_placed(const qd_world *world, const qdi_contact_state *state,
                                                size_t place) {
    const qdi_partners with = qdi_partners_at(world, state, place);
    return qdi_contact_order(with.a, with.b);
}

/// World's contacts: what one with parts gave. Of speculative ones an impact tells it.
static inline const qdi_given *qdi_given_at(const qd_world *world, const qdi_contact_state *state,
                                            size_t place) {
    static const qdi_given nothing = {{0, 0}, {0, 0}};
    const bool told = world->def.contact == QD_CONTACT_IMPULSE && qdi_near_at(state, place);
    return told ? &nothing : &state->given[place];
}

/// World's contacts: all there is of it, from its parts, or as springs that meet keep it.
void qdi_contact_at(const qd_world *world, const qdi_contact_state *state, size_t place, qd_contact *contact);

/// World's contacts: the force of one of springs that meet, at a place.
qdi_contact_force qdi_force_met(const qd_world *world, const qdi_contact_state *state, size_t place);

/// World's contacts: makes the contacts of a state on its way, on the world's team, unless they are there.
void qdi_contacts_fill(qd_world *world, qdi_contact_state *state);

/// World's contacts: the same of the present ones, for readers on the thread that steps the world: on its
/// team.
void qdi_contacts_need(const qd_world *world);

/// World's contacts: gives the present ones their numbers, unless they have them; for any thread.
void qdi_contacts_need_numbers(const qd_world *world);

/// World's contacts: the same for any thread, by itself; and the events.
const qd_contact *qdi_contacts_read(const qd_world *world, size_t *count);
const qd_event *qdi_events_read(const qd_world *world, size_t *count);

/// World's contacts: the events of contacts that begin and end, or, if the others have been read, all of
/// them; for one thread. They live until all are read, or the next step.
const qd_event *qdi_changes_read(const qd_world *world, size_t *count);
