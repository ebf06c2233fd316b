// What became of energy as bytes: part of a saved world, see save.c.

#include "sim/account.h"
#include "sim/bytes.h"

#include <math.h>

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

static bool get_finite(const unsigned char **at, double *value) {
    *value = qdi_get_f64(at);
    return isfinite(*value);
}

bool qdi_ledger_get(const unsigned char **at, qd_world *world) {
    qdi_ledger *all = &world->ledger;
    bool fine = true;
    for (int k = 0; k < 4; ++k) fine = get_finite(at, &all->lost[k / 2][k % 2]) && fine;
    fine = get_finite(at, &all->virial) && fine;
    fine = get_finite(at, &all->kinematic) && fine;
    fine = get_finite(at, &all->drag) && fine;
    fine = get_finite(at, &all->force) && fine;
    fine = get_finite(at, &all->compression) && fine;
    fine = get_finite(at, &all->drift) && fine;
    for (int wall = 0; wall < QDI_WALLS; ++wall) fine = get_finite(at, &all->push[wall]) && fine;
    fine = get_finite(at, &world->rates.virial) && fine;
    fine = get_finite(at, &world->rates.push) && fine;
    fine = get_finite(at, &world->entered) && fine;
    return get_finite(at, &world->pressed) && fine;
}
