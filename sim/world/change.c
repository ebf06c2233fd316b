// What a world can be given while it lives. Most of its def is read anew in every step; here is what follows
// from it: surfaces, sides, and the books of its energy.

#include <quadrille/world.h>

#include "core/base/arithmetic.h"
#include "core/base/cookie.h"
#include "sim/world/bodies.h"
#include "sim/world/limits.h"
#include "sim/world/population.h"
#include "sim/world/spring_terms.h"
#include "sim/world/surface.h"
#include "sim/world/walls.h"
#include "sim/world/world_impl.h"
#include "sim/world/world_make.h"

// Why a world cannot get this def, or QD_OK: what it was made with for good must be as it is.
static qd_status check_lasting(const qd_world_def *now, const qd_world_def *def, qd_error *error) {
    if (def->size.x != now->size.x || def->size.y != now->size.y || def->origin.x != now->origin.x ||
        def->origin.y != now->origin.y)
        return qdi_reason(error, QD_ERR_VALUE,
                          "a world keeps its size and origin: moving walls and compression change its sides");
    if (def->boundary_x != now->boundary_x || def->boundary_y != now->boundary_y)
        return qdi_reason(error, QD_ERR_VALUE, "a world keeps its boundaries");
    if (def->contact != now->contact)
        return qdi_reason(error, QD_ERR_VALUE, "a world keeps its contact model");
    if (def->seed != now->seed) return qdi_reason(error, QD_ERR_VALUE, "a world keeps its seed");
    return QD_OK;
}

// Works out all surfaces anew after the world's own has changed.
static void change_surfaces(qd_world *world) {
    const qd_world_def *def = &world->def;
    qdi_traits *traits = &world->traits;
    traits->trait[0].surface = (qd_material){def->restitution, def->friction, def->tangential, 0};
    world->loss = qdi_spring_loss(def->restitution);
    for (size_t k = 1; k <= traits->numbers.count; ++k)
        traits->trait[k].surface = qdi_materials_resolve(&traits->materials, &traits->trait[k].material,
                                                         &traits->trait[0].surface);
    qdi_world_make_walls(world);
    world->turning = world->turning || def->friction > 0 || (def->drag.temperature > 0 && def->drag.spin > 0);
}

// Whether all bodies may be in the world as its def is now.
static qd_status check_bodies(const qd_world *world, qd_error *error) {
    qd_status status = QD_OK;
    for (size_t i = 0; i < world->index_count && status == QD_OK; ++i) {
        if (world->row_of_index[i] == QDI_NO_ROW) continue;
        const qd_body_state state = qdi_body_state_of_row(world, world->row_of_index[i]);
        const qdi_placing placing = {.kind = state.kind,
                                     .shape = &state.shape,
                                     .mass = state.mass,
                                     .inertia = state.inertia,
                                     .position = state.position,
                                     .turn = state.turn,
                                     .velocity = state.velocity,
                                     .spin = state.spin,
                                     .pivot = state.pivot};
        status = qdi_body_check(world, &placing, error);
    }
    return status;
}

// Whether two compressions are the same.
static bool same_compression(const qd_compression *one, const qd_compression *other) {
    return one->rate.x == other->rate.x && one->rate.y == other->rate.y && one->fraction == other->fraction &&
           one->pressure == other->pressure;
}

qd_status qd_world_change(qd_world *world, const qd_world_def *def, qd_error *error) {
    QDI_RESTORED qdi_arithmetic caller = qdi_arithmetic_standard();
    if (!world || !def || def->cookie != QDI_COOKIE)
        return qdi_reason(error, QD_ERR_ARGUMENT, "no world, or no def from qd_world_def_default");
    const qd_world_def now = world->def;
    qd_world_def next = *def;
    next.retrieve = now.retrieve;
    next.margin = now.margin;
    next.capacity = now.capacity;
    next.limits = now.limits;
    next.threads = now.threads;
    next.simd = now.simd;
    next.allocator = now.allocator;
    qd_status status = check_lasting(&now, &next, error);
    if (status == QD_OK) status = qdi_world_def_check(&next, error);
    if (status == QD_OK && next.walls.of > world->traits.materials.count)
        status = qdi_reason(error, QD_ERR_NOT_FOUND, "no material has the number of the walls'");
    if (status == QD_OK && next.removal < HUGE_VAL) status = qdi_population_ensure(world);
    if (status != QD_OK) return status;
    world->def = next;
    status = check_bodies(world, error);
    world->def = now;
    if (status != QD_OK) return status;
    qdi_change_begin(world); // springs are weighed as they were
    const double potential = qd_world_sum(world).potential;
    world->margin.held = false; // what can meet may reach further
    if (!same_compression(&now.compression, &next.compression)) world->compress.done = false;
    qdi_walls_change(world, next.wall_motion);
    world->def = next;
    change_surfaces(world);
    world->entered += qd_world_sum(world).potential - potential;
    return QD_OK;
}

uint64_t qd_world_last_id(const qd_world *world) {
    return world->last_label;
}

void qd_world_set_stage(qd_world *world, uint64_t stage) {
    world->stage = stage;
}

uint64_t qd_world_stage(const qd_world *world) {
    return world->stage;
}
