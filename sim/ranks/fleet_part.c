// The part of a rank, made anew from bodies and contacts that ranks have sent each other: as a saved world is
// loaded, but for what never changes in it.

#include "sim/ranks/fleet_impl.h"

#include "core/base/memory.h"
#include "sim/contact/margin.h"
#include "sim/world/bodies.h"
#include "sim/world/contact_state.h"
#include "sim/world/names.h"
#include "sim/world/spots.h"
#include "sim/world/spring_terms.h"
#include "sim/world/world_make.h"

#include <math.h>
#include <string.h>

// Part of a rank: gives it the materials of the whole, by the same numbers.
static qd_status copy_materials(const qd_world *whole, qd_world *world) {
    const qdi_materials *all = &whole->traits.materials;
    qd_status status = QD_OK;
    for (uint32_t k = 0; k < all->count && status == QD_OK; ++k)
        status = qd_world_add_material(world, all->list[k].name, &all->list[k].surface, NULL, NULL);
    for (uint32_t a = 0, b = 0; status == QD_OK && qdi_materials_next(all, &a, &b);)
        status = qd_world_pair_materials(world, a, b, qdi_materials_pair_of(all, a, b), NULL);
    return status;
}

qdi_fleet_common qdi_fleet_common_of(const qd_world *world) {
    qdi_fleet_common common;
    memset(&common, 0, sizeof common); // it is sent
    common.clock = world->clock;
    common.totals = world->totals;
    common.balance = world->balance;
    common.rates = world->rates;
    common.entered = world->entered;
    common.stage = world->stage;
    common.turning = world->turning;
    common.walls_move = world->walls_move;
    memcpy(common.axis, world->axis, sizeof common.axis);
    memcpy(common.wall_begun, world->wall_begun, sizeof common.wall_begun);
    memcpy(common.wall_speed, world->wall_speed, sizeof common.wall_speed);
    memcpy(common.wall_mean, world->wall_mean, sizeof common.wall_mean);
    memcpy(common.wall_force, world->present.wall_force, sizeof common.wall_force);
    common.wall_lost = world->present.wall_lost;
    common.margin = world->margin;
    return common;
}

void qdi_fleet_put_common(qd_world *world, const qdi_fleet_common *common) {
    world->clock = common->clock;
    world->totals = common->totals;
    world->balance = common->balance;
    world->rates = common->rates;
    world->entered = common->entered;
    world->stage = common->stage;
    world->turning = common->turning;
    world->walls_move = common->walls_move;
    memcpy(world->axis, common->axis, sizeof world->axis);
    memcpy(world->wall_begun, common->wall_begun, sizeof world->wall_begun);
    memcpy(world->wall_speed, common->wall_speed, sizeof world->wall_speed);
    memcpy(world->wall_mean, common->wall_mean, sizeof world->wall_mean);
    memcpy(world->present.wall_force, common->wall_force, sizeof common->wall_force);
    world->present.wall_lost = common->wall_lost;
    world->margin = common->margin;
    world->margin.held = world->margin.edited = false;
}

// Part of a rank: room for bodies, and where there are others for those that come and go at
// renewals: where bodies begin at rest first parts have few ghosts, all others have some 30 times the root of
// their bodies. To make room later would take as much memory again for a while.
static qd_status reserve_bodies(qd_world *world, size_t count, bool alone) {
    const size_t more = alone ? count : count + (size_t)(50 * sqrt((double)count)) + 64;
    return count > 0 ? qdi_bodies_reserve(world, more, more) : QD_OK;
}

qd_status qdi_fleet_empty_part(const qdi_fleet_rank *rank, const qd_world *past, size_t count,
                               qd_world **world) {
    qd_world_def def = rank->whole->def;
    def.limits.pairs = HUGE_VAL; // a part may be denser than the whole
    qd_status status = qdi_world_make(&def, world);
    if (status == QD_OK) status = copy_materials(rank->whole, *world);
    if (status == QD_OK) status = reserve_bodies(*world, count, qdi_ranks_count(rank->ranks) == 1);
    if (status != QD_OK) return status;
    const qdi_fleet_common common = qdi_fleet_common_of(past);
    qdi_fleet_put_common(*world, &common);
    return QD_OK;
}

qd_status qdi_fleet_reserve_contacts(qd_world *world, qdi_contact_state *state, size_t count) {
    qd_status status = qdi_contacts_reserve(world->allocator, state, count);
    if (status == QD_OK && qdi_springs(world))
        status = qdi_reserve(world->allocator, &state->forces, &state->force_room, 0, count,
                             sizeof *state->forces);
    return status;
}

qd_status qdi_fleet_put_contact(const qd_world *world, qdi_contact_state *state, size_t number,
                                const qdi_contact_mail *one, const uint64_t *names, size_t count) {
    qd_contact *contact = &state->contacts[number];
    *contact = one->contact;
    contact->a.index = qdi_names_find(names, count, one->a);
    if (!qd_id_is_wall(contact->b)) contact->b.index = qdi_names_find(names, count, one->b);
    if (contact->a.index == QDI_NO_ROW || contact->b.index == QDI_NO_ROW) return QD_ERR_INTERNAL;
    state->warm_starts[number] = one->warm_start;
    state->persists[number] = one->persists;
    if (qdi_springs(world)) state->forces[number] = one->force;
    return QD_OK;
}

qd_status qdi_fleet_put_contacts(qd_world *world, qdi_contact_pile *pile) {
    qdi_contact_state *state = &world->present;
    qd_status status = qdi_fleet_reserve_contacts(world, state, qdi_contacts_left(pile));
    if (status != QD_OK) return status;
    const qdi_contact_mail *one;
    for (size_t i = 0; (one = qdi_contacts_take(pile)) != NULL; ++i) {
        status = qdi_fleet_put_contact(world, state, i, one, world->names, world->index_count);
        if (status != QD_OK) return status;
        state->contact_count += !one->near;
        state->near_count += one->near;
    }
    state->whole = true;
    status = qdi_spots_make(world, state);
    if (status != QD_OK) return status;
    qdi_touching_mark(world);
    world->changed = false;
    world->pressed = 0;
    world->moved_since_order = world->count; // the next step puts rows in tree order
    return qdi_tree_restore(world);
}
