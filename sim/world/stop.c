// Steps that are stopped on their way.

#include "sim/world/stop.h"

#include "sim/world/world_impl.h"

qd_status qd_world_set_stop(qd_world *world, qd_stop_function asked, void *context) {
    if (!world) return QD_ERR_ARGUMENT;
    world->stop = asked;
    world->stop_context = context;
    return QD_OK;
}

bool qdi_stopping(qd_world *world) {
    if (!world->stop) return false;
    if (atomic_load_explicit(&world->stopping, memory_order_relaxed)) return true;
    if (!world->stop(world->stop_context)) return false;
    atomic_store_explicit(&world->stopping, true, memory_order_relaxed);
    return true;
}
