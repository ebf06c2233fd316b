// What is measured of the present contacts. Blocks of them fill their own slots; energies are added up
// exactly (tally.h), so contacts may lie in any order.

#include "sim/world/contact_sums.h"
#include "sim/world/bodies.h"
#include "sim/world/contact_list.h"
#include "sim/world/energy_balance_state.h"
#include "sim/world/grain.h"
#include "sim/world/spring_terms.h"
#include "sim/world/world_impl.h"

// Looks at the contacts of one block: ends on bodies that can move, deepest overlap, largest spring energy.
static void see_block_contacts(void *context, size_t begin, size_t end) {
    const qdi_contact_range *job = context;
    const qd_world *world = job->world;
    qdi_contact_sums sums = {0, 0, 0};
    qdi_tally_most most = {{0}};
    const bool springs = qdi_springs(world);
    for (size_t i = begin; i < end; ++i) {
        const qd_contact *contact = &world->present.contacts[job->first + i];
        if (contact->sensor) continue;
        bool wall = qd_id_is_wall(contact->b);
        if (springs) {
            const double energy[QDI_TALLY_LANES] = {
                qdi_spring_energy(world, &world->present, job->first + i)};
            qdi_tally_see(&most, energy);
        }
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
    world->block_contacts[begin / QDI_BLOCK] = (qdi_contact_block){.sums = sums, .most = most};
}

typedef struct energy_job {
    qdi_contact_range range;
    qdi_tally_cut cut;
} energy_job;

// Adds up the spring energy of one block of contacts.
static void add_block_energy(void *context, size_t begin, size_t end) {
    const energy_job *job = context;
    const qd_world *world = job->range.world;
    const qdi_contact_state *state = &world->present;
    qdi_tally tally = {{0}, {0}};
    for (size_t i = begin; i < end; ++i) {
        if (state->contacts[job->range.first + i].sensor) continue;
        const double energy[QDI_TALLY_LANES] = {qdi_spring_energy(world, state, job->range.first + i)};
        qdi_tally_add(&tally, &job->cut, energy);
    }
    world->block_contacts[begin / QDI_BLOCK].tally = tally;
}

size_t qdi_next_contacts(qdi_range_function pass, qdi_contact_range *range, void *job, size_t *first,
                         size_t count) {
    const size_t step = range->world->block_room * QDI_BLOCK, left = count - *first;
    const size_t here = left < step ? left : step;
    if (here == 0) return 0;
    range->first = *first;
    *first += here;
    qdi_team_for(range->world->team, here, QDI_BLOCK, pass, job);
    return qdi_range_count(here, QDI_BLOCK);
}

// World's sums over contacts.
qdi_contact_sums qdi_sum_contacts(const qd_world *world) {
    qdi_contact_sums all = {0, 0, 0};
    qdi_tally_most most = {{0}};
    qdi_contact_range range = {world, 0};
    const size_t count = qdi_springs(world) ? qdi_constraint_count(&world->present)
                                            : world->present.contact_count;
    qdi_contacts_need(world);
    size_t first = 0, blocks;
    while ((blocks = qdi_next_contacts(see_block_contacts, &range, &range, &first, count)) > 0) {
        for (size_t b = 0; b < blocks; ++b) {
            const qdi_contact_block *block = &world->block_contacts[b];
            all.ends += block->sums.ends;
            qdi_tally_see(&most, block->most.lane);
            if (block->sums.deepest > all.deepest) all.deepest = block->sums.deepest;
        }
    }
    if (!qdi_springs(world)) return all;
    energy_job job = {.range = range, .cut = qdi_tally_cut_for(&most, count)};
    qdi_tally tally = {{0}, {0}};
    first = 0;
    while ((blocks = qdi_next_contacts(add_block_energy, &job.range, &job, &first, count)) > 0)
        for (size_t b = 0; b < blocks; ++b) qdi_tally_merge(&tally, &world->block_contacts[b].tally);
    all.energy = tally.first[0] + tally.second[0];
    return all;
}

double qdi_contact_energy(const qd_world *world) {
    return qdi_sum_contacts(world).energy;
}
