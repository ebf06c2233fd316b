// What is measured of the present contacts, by fixed blocks that are combined in order.

#include "sim/world/bodies.h"
#include "sim/world/grain.h"
#include "sim/world/ledger.h"
#include "sim/world/portion.h"
#include "sim/world/spring_terms.h"
#include "sim/world/world_impl.h"

static void look_at_block(void *context, size_t begin, size_t end, int worker) {
    (void)worker;
    const qdi_portion *job = context;
    const qd_world *world = job->world;
    qdi_contact_look look = {0, 0, 0};
    const bool springs = qdi_springs(world);
    for (size_t i = begin; i < end; ++i) {
        const qd_contact *contact = &world->present.contacts[job->first + i];
        if (contact->sensor) continue;
        bool wall = qd_id_is_wall(contact->b);
        if (springs) look.energy += qdi_spring_energy(world, &world->present, job->first + i);
        look.ends += wall ? 1 : 2;
        if (world->fixed >
            0) { // a body that was removed is no longer anybody's end, but then the contact is old
            uint32_t a = qdi_body_row(world, contact->a),
                     b = wall ? QDI_NO_ROW : qdi_body_row(world, contact->b);
            look.ends -= a != QDI_NO_ROW && world->kind[a] != QD_BODY_DYNAMIC;
            look.ends -= b != QDI_NO_ROW && world->kind[b] != QD_BODY_DYNAMIC;
        }
        for (int k = 0; k < contact->count; ++k)
            if (contact->touch[k].depth > look.deepest) look.deepest = contact->touch[k].depth;
    }
    world->block_looks[begin / QDI_BLOCK] = look;
}

// By portions of as many blocks as there are slots.
qdi_contact_look qdi_look_at_contacts(const qd_world *world) {
    qdi_contact_look all = {0, 0, 0};
    size_t count = world->present.contact_count, portion = world->block_room * QDI_BLOCK;
    for (size_t first = 0; first < count; first += portion) {
        qdi_portion job = {world, first};
        size_t here = count - first < portion ? count - first : portion;
        qdi_team_for(world->team, here, QDI_BLOCK, look_at_block, &job);
        for (size_t b = 0; b < qdi_range_count(here, QDI_BLOCK); ++b) {
            const qdi_contact_look *look = &world->block_looks[b];
            all.ends += look->ends;
            all.energy += look->energy;
            if (look->deepest > all.deepest) all.deepest = look->deepest;
        }
    }
    return all;
}

double qdi_contact_energy(const qd_world *world) {
    return qdi_look_at_contacts(world).energy;
}
