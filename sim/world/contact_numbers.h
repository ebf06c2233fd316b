#pragma once

#include "sim/world/contact_state.h"
#include "sim/world/world_impl.h"

/// World's contacts: sorts `count` orders with their places, on the calling thread; `spare` is memory for as
/// many qd_contact, of which nothing is kept. Cannot fail.
void qdi_orders_sort(uint64_t *order, uint32_t *place, size_t count, qd_contact *spare);

/// World's contacts: gives numbers to those of a state that have none yet, on a team, or where that is NULL
/// on the calling thread. Springs that meet lose what `contacts` held. Cannot fail.
void qdi_contacts_number(const qd_world *world, qdi_contact_state *state, qd_team *team);
