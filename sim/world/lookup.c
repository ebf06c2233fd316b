// What is looked up in a world without any work: its time, a body's row and state.

#include "core/base/arithmetic.h"
#include "sim/world/bodies.h"
#include "sim/world/world_impl.h"

uint64_t qd_world_steps(const qd_world *world) {
    return world->clock.step;
}

// Simulated time of the world's clock.
static double clock_time(const qdi_clock *clock) {
    return clock->base_time + (double)(clock->step - clock->base_step) * clock->dt;
}

double qd_world_time(const qd_world *world) {
    QDI_RESTORED qdi_arithmetic caller = qdi_arithmetic_standard();
    double result = clock_time(&world->clock);
    QDI_SETTLE(result);
    return result;
}

uint32_t qdi_body_row(const qd_world *world, qd_id id) {
    const qd_body_view view = {.generation = world->generation,
                               .row_of_index = world->row_of_index,
                               .index_count = world->index_count};
    return qd_body_view_row(&view, id);
}

qd_body_state qdi_body_state_of_row(const qd_world *world, uint32_t row) {
    const qdi_trait *trait = &world->traits.trait[world->trait[row]];
    uint32_t shape = world->shape[row];
    return (qd_body_state){
        .id = {world->index[row], world->generation[row]},
        .label = world->label[row],
        .kind = trait->kind,
        .shape = shape ? *world->shapes.shape[shape] : qd_shape_disk(world->radius[row]),
        .position = {world->now.x[row], world->now.y[row]},
        .turn = {world->now.c[row], world->now.s[row]},
        .velocity = {world->now.vx[row], world->now.vy[row]},
        .spin = world->now.spin[row],
        .lean = world->now.lean[row],
        .mass = world->mass[row],
        .inertia = world->inertia[row],
        .pivot = trait->pivot,
        .slide = trait->slide,
        .material = trait->material,
        .filter = trait->filter,
        .sensor = trait->sensor,
        .bullet = trait->bullet,
        .source = trait->source,
    };
}

bool qdi_world_is_behind(const qd_world *world) {
    return world->changed || world->tree_lost;
}
