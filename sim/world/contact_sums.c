// What is measured of the present contacts. Blocks of them fill their own slots; energies are added up
// exactly (tally.h), so contacts may lie in any order.

#include "sim/world/contact_sums.h"
#include "sim/world/bodies.h"
#include "sim/world/contact_list.h"
#include "sim/world/grain.h"
#include "sim/world/part.h"
#include "sim/world/spring_terms.h"
#include "sim/world/world_impl.h"

// What a contact that touches shows besides its energy: ends on bodies that can move, and the deepest
// overlap.
static void see_touch(const qd_world *world, const qd_contact *contact, qdi_contact_sizes *sizes) {
    const bool wall = qd_id_is_wall(contact->b);
    sizes->ends += wall ? 1 : 2;
    if (world->fixed > 0) { // a body that was removed is no longer anybody's end, but then the contact is old
        const uint32_t a = qdi_body_row(world, contact->a),
                       b = wall ? QDI_NO_ROW : qdi_body_row(world, contact->b);
        sizes->ends -= a != QDI_NO_ROW && world->kind[a] != QD_BODY_DYNAMIC;
        sizes->ends -= b != QDI_NO_ROW && world->kind[b] != QD_BODY_DYNAMIC;
    }
    for (int k = 0; k < contact->count; ++k)
        if (contact->touch[k].depth > sizes->deepest) sizes->deepest = contact->touch[k].depth;
}

// Looks at the contacts of one block.
static void see_block_contacts(void *context, size_t begin, size_t end) {
    const qdi_contact_range *job = context;
    const qd_world *world = job->world;
    qdi_contact_sizes sizes = {.deepest = 0};
    const bool springs = qdi_springs(world);
    for (size_t i = begin; i < end; ++i) {
        const qd_contact *contact = &world->present.contacts[job->first + i];
        if (!qdi_part_has(world, contact)) continue;
        const bool touches = job->first + i < world->present.contact_count; // else apart, but adhesive
        sizes.terms += 1;
        sizes.contacts += touches;
        if (contact->sensor) continue;
        if (springs) {
            const double energy[QDI_TALLY_LANES] = {
                qdi_spring_energy(world, &world->present, job->first + i)};
            qdi_tally_see(&sizes.most, energy);
        }
        if (touches) see_touch(world, contact, &sizes);
    }
    world->block_contacts[begin / QDI_BLOCK].sizes = sizes;
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
        const qd_contact *contact = &state->contacts[job->range.first + i];
        if (contact->sensor || !qdi_part_has(world, contact)) continue;
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

void qdi_contact_sizes_merge(qdi_contact_sizes *all, const qdi_contact_sizes *other) {
    all->contacts += other->contacts;
    all->terms += other->terms;
    all->ends += other->ends;
    if (other->deepest > all->deepest) all->deepest = other->deepest;
    qdi_tally_see(&all->most, other->most.lane);
}

// How many contacts are looked at: the speculative ones only have energy.
static size_t count_of(const qd_world *world) {
    return qdi_springs(world) ? qdi_constraint_count(&world->present) : world->present.contact_count;
}

qdi_contact_sizes qdi_see_contacts(const qd_world *world) {
    qdi_contact_sizes all = {.deepest = 0};
    qdi_contact_range range = {world, 0};
    qdi_contacts_need(world);
    size_t first = 0, blocks;
    while ((blocks = qdi_next_contacts(see_block_contacts, &range, &range, &first, count_of(world))) > 0)
        for (size_t b = 0; b < blocks; ++b) qdi_contact_sizes_merge(&all, &world->block_contacts[b].sizes);
    return all;
}

qdi_tally qdi_add_contacts(const qd_world *world, const qdi_contact_sizes *sizes) {
    qdi_tally all = {{0}, {0}};
    if (!qdi_springs(world)) return all;
    energy_job job = {.range = {world, 0}, .cut = qdi_tally_cut_for(&sizes->most, (size_t)sizes->terms)};
    size_t first = 0, blocks;
    while ((blocks = qdi_next_contacts(add_block_energy, &job.range, &job, &first, count_of(world))) > 0)
        for (size_t b = 0; b < blocks; ++b) qdi_tally_merge(&all, &world->block_contacts[b].tally);
    return all;
}

double qdi_contact_energy(const qd_world *world) {
    const qdi_contact_sizes sizes = qdi_see_contacts(world);
    const qdi_tally tally = qdi_add_contacts(world, &sizes);
    return tally.first[0] + tally.second[0];
}
