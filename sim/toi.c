#include "sim/toi.h"

#include "sim/distance.h"
#include "sim/vec.h"

#include <quadrille/math.h>

enum { MOST_ROUNDS = 200 };

qdi_pose qdi_sweep_at(const qdi_sweep *sweep, double time) {
    qd_vec2 at = qdi_along(sweep->from, qdi_minus(sweep->to, sweep->from), time);
    if (sweep->turn == 0) return (qdi_pose){at.x, at.y, sweep->c, sweep->s};
    double c, s;
    qd_sincos(sweep->turn * time, &s, &c);
    return (qdi_pose){at.x, at.y, sweep->c * c - sweep->s * s, sweep->s * c + sweep->c * s};
}

bool qdi_time_of_impact(const qdi_form *a, const qdi_sweep *sweep_a, const qdi_form *b,
                        const qdi_sweep *sweep_b, double target, double tolerance, qdi_impact *impact) {
    qd_vec2 way_a = qdi_minus(sweep_a->to, sweep_a->from), way_b = qdi_minus(sweep_b->to, sweep_b->from);
    qd_vec2 closing = qdi_minus(way_a, way_b);
    double turning = fabs(sweep_a->turn) * qdi_form_core_reach(a) +
                     fabs(sweep_b->turn) * qdi_form_core_reach(b);
    double time = 0;
    for (int round = 0; round < MOST_ROUNDS; ++round) {
        qdi_pose pa = qdi_sweep_at(sweep_a, time), pb = qdi_sweep_at(sweep_b, time);
        qdi_nearest nearest = qdi_distance(a, &pa, b, &pb);
        *impact = (qdi_impact){time, nearest.distance, nearest.normal};
        if (nearest.distance <= target + tolerance) return true;
        // No point of either comes nearer along the present normal than at this rate, until time 1.
        double rate = qdi_dot(closing, nearest.normal) + turning;
        double left = nearest.distance - target;
        if (!(rate * (1 - time) >= left)) return false;
        double later = time + left / rate;
        if (!(later > time)) return true; // so near that time cannot tell
        if (later > 1) later = 1;
        time = later;
    }
    return true;
}
