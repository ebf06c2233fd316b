#include "sim/world/work.h"

#include "sim/world/forces.h"
#include "sim/world/walls.h"
#include "sim/world/world_impl.h"

qdi_work qdi_world_work(const qd_world *world) {
    const qd_world_def *def = &world->def;
    const qdi_scratch *scratch = &world->scratch;
    const bool collides = def->contact != QD_CONTACT_NONE;
    return (qdi_work){
        .contact = def->contact,
        .plain = world->shaped == 0 && world->fixed == 0 && world->traits.numbers.live == 0,
        .turning = world->turning,
        .pushed = !qdi_forces_none(world),
        .gravity = def->gravity.x != 0 || def->gravity.y != 0,
        .bounces = def->restitution > 0 || def->tangential > 0,
        .walls = collides && qdi_has_walls(world),
        .mirrors = !collides && qdi_has_walls(world),
        .held = world->margin.held,
        .met = world->present.met,
        .listed = world->present.met && scratch->ends_listed,
        .rebuilds = world->totals.rebuilds,
        .sorted = scratch->pairs,
        .bodies = world->count,
        .candidates = world->met_count,
        .contacts = qdi_constraint_count(&world->present),
        .solved = scratch->solved,
        .movers = scratch->mover_count > 0 ? scratch->mover_count - 1 : 0,
        .substeps = def->substeps,
    };
}
