// What is measured of the present contacts, by fixed blocks that are combined in order.

#include "sim/world/contact_sums.h"
#include "sim/world/bodies.h"
#include "sim/world/energy_balance_state.h"
#include "sim/world/grain.h"
#include "sim/world/spring_terms.h"
#include "sim/world/world_impl.h"

// Adds up contacts of one block: ends on bodies that can move, deepest overlap, spring energy.
static void sum_block_contacts(void *context, size_t begin, size_t end) {
    const qdi_contact_range *job = context;
    const qd_world *world = job->world;
    qdi_contact_sums sums = {0, 0, 0};
    const bool springs = qdi_springs(world);
    for (size_t i = begin; i < end; ++i) {
        const qd_contact *contact = &world->present.contacts[job->first + i];
        if (contact->sensor) continue;
        bool wall = qd_id_is_wall(contact->b);
        if (springs) sums.energy += qdi_spring_energy(world, &world->present, job->first + i);
        if (job->first + i >= world->present.contact_count) continue; // apart, but adhesive
        sums.ends += wall ? 1 : 2;
        if (world->fixed >
            0) { // a body that was removed is no longer anybody's end, but then the contact is old
            uint32_t a = qdi_body_row(world, contact->a),
                     b = wall ? QDI_NO_ROW : qdi_body_row(world, contact->b);
            sums.ends -= a != QDI_NO_ROW && world->kind[a] != QD_BODY_DYNAMIC;
            sums.ends -= b != QDI_NO_ROW && world->kind[b] != QD_BODY_DYNAMIC;
        }
        for (int k = 0; k < contact->count; ++k)
            if (contact->touch[k].depth > sums.deepest) sums.deepest = contact->touch[k].depth;
    }
    world->block_contact_sums[begin / QDI_BLOCK] = sums;
}

// World's sums over contacts: by ranges of as many blocks as there are slots.
qdi_contact_sums qdi_sum_contacts(const qd_world *world) {
    qdi_contact_sums all = {0, 0, 0};
    const qdi_contact_state *state = &world->present;
    size_t count = qdi_springs(world) ? qdi_constraint_count(state) : state->contact_count,
           step = world->block_room * QDI_BLOCK;
    for (size_t first = 0; first < count; first += step) {
        qdi_contact_range job = {world, first};
        size_t here = count - first < step ? count - first : step;
        qdi_team_for(world->team, here, QDI_BLOCK, sum_block_contacts, &job);
        for (size_t b = 0; b < qdi_range_count(here, QDI_BLOCK); ++b) {
            const qdi_contact_sums *sums = &world->block_contact_sums[b];
            all.ends += sums->ends;
            all.energy += sums->energy;
            if (sums->deepest > all.deepest) all.deepest = sums->deepest;
        }
    }
    return all;
}

double qdi_contact_energy(const qd_world *world) {
    return qdi_sum_contacts(world).energy;
}
