// What acts on bodies from afar. Velocities are taken over from the moment before, contacts bounce with these (the
// speeds at which they really met), and only then do forces act for the whole of the step. So a bounce turns round
// exactly the speed that a body had, and with restitution 1 a ball under gravity comes back as high as it fell.
// A range writes its own rows.

#include "sim/world_impl.h"

#include <string.h>

static void copy_range(void *context, size_t begin, size_t end, int worker) {
    (void)worker;
    qd_world *world = context;
    const qdi_motion *now = &world->now, *next = &world->next;
    size_t bytes = (end - begin) * sizeof(double);
    memcpy(next->vx + begin, now->vx + begin, bytes);
    memcpy(next->vy + begin, now->vy + begin, bytes);
    if (world->turning) memcpy(next->spin + begin, now->spin + begin, bytes);
}

void qdi_forces_begin(qd_world *world) {
    qdi_team_for(world->team, world->count, QDI_BODY_GRAIN, copy_range, world);
}

typedef struct kick_job {
    const qd_world *world;
    double dx, dy;
} kick_job;

static void kick_range(void *context, size_t begin, size_t end, int worker) {
    (void)worker;
    const kick_job *job = context;
    const qd_world *world = job->world;
    double *vx = world->next.vx, *vy = world->next.vy;
    if (world->fixed == 0) {
        for (size_t r = begin; r < end; ++r) vx[r] += job->dx;
        for (size_t r = begin; r < end; ++r) vy[r] += job->dy;
        return;
    }
    for (size_t r = begin; r < end; ++r) {
        if (world->kind[r] != QD_BODY_DYNAMIC) continue;
        vx[r] += job->dx;
        vy[r] += job->dy;
    }
}

void qdi_forces_kick(qd_world *world, double dt) {
    qd_vec2 gravity = world->def.gravity;
    if (gravity.x == 0 && gravity.y == 0) return;
    kick_job job = {world, gravity.x * dt, gravity.y * dt};
    qdi_team_for(world->team, world->count, QDI_BODY_GRAIN, kick_range, &job);
}
