// What became of energy as bytes: part of a saved world, see save.c.

#include "sim/base/bytes.h"
#include "sim/world/account.h"
#include "sim/world/ledger.h"
#include "sim/world/world_impl.h"

void qdi_ledger_put(const qd_world *world, unsigned char **at) {
    const qdi_ledger *all = &world->ledger;
    for (int k = 0; k < 4; ++k) qdi_put_f64(at, all->lost[k / 2][k % 2]);
    qdi_put_f64(at, all->virial);
    qdi_put_f64(at, all->kinematic);
    qdi_put_f64(at, all->drag);
    qdi_put_f64(at, all->force);
    qdi_put_f64(at, all->compression);
    qdi_put_f64(at, all->drift);
    for (int wall = 0; wall < QDI_WALLS; ++wall) qdi_put_f64(at, all->push[wall]);
    qdi_put_f64(at, world->rates.virial);
    qdi_put_f64(at, world->rates.push);
    qdi_put_f64(at, world->entered);
    qdi_put_f64(at, world->pressed);
}

void qdi_ledger_get(const unsigned char **at, qd_world *world) {
    qdi_ledger *all = &world->ledger;
    for (int k = 0; k < 4; ++k) all->lost[k / 2][k % 2] = qdi_get_f64(at);
    all->virial = qdi_get_f64(at);
    all->kinematic = qdi_get_f64(at);
    all->drag = qdi_get_f64(at);
    all->force = qdi_get_f64(at);
    all->compression = qdi_get_f64(at);
    all->drift = qdi_get_f64(at);
    for (int wall = 0; wall < QDI_WALLS; ++wall) all->push[wall] = qdi_get_f64(at);
    world->rates.virial = qdi_get_f64(at);
    world->rates.push = qdi_get_f64(at);
    world->entered = qdi_get_f64(at);
    world->pressed = qdi_get_f64(at);
}
