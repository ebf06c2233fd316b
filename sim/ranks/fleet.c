#include "sim/ranks/fleet_impl.h"

#include "core/base/arithmetic.h"
#include "core/base/memory.h"
#include "sim/text/reason.h"
#include "sim/world/compress.h"
#include "sim/world/names.h"
#include "sim/world/pose.h"
#include "sim/world/reach.h"

#include <math.h>

/// Of how many mean sizes a body is a giant.
enum { GIANT = 8 };

double qdi_fleet_reach(const qd_world *world, uint32_t row) {
    const qdi_reach reach = qdi_world_reach(world);
    return world->radius[row] + reach.length;
}

// Fleet: the world's feature, of those that ranks do not know, or NULL.
static const char *unknown_feature(const qd_world *world) {
    if (world->def.contact == QD_CONTACT_IMPULSE) return "contact.model impulse";
    if (isfinite(world->def.removal)) return "world.removal";
    if (qdi_compresses(world)) return "world.compress";
    if (world->population) return "emitters and sinks";
    if (world->follows) return "record.structure";
    if (world->force) return "a force of the caller";
    return NULL;
}

qd_status qdi_fleet_check(const qd_world *whole, qd_error *error) {
    const char *feature = unknown_feature(whole);
    if (!feature) return QD_OK;
    return qdi_reason(error, QD_ERR_VALUE, "ranks do not know %s yet", feature);
}

// Fleet: the largest body that is no giant.
static double largest_small(const qd_world *world) {
    double sum = 0, most = 0;
    for (uint32_t r = 0; r < world->count; ++r) sum += qdi_fleet_reach(world, r);
    const double giant = GIANT * (world->count > 0 ? sum / (double)world->count : 1);
    for (uint32_t r = 0; r < world->count; ++r) {
        const double reach = qdi_fleet_reach(world, r);
        if (reach <= giant && reach > most) most = reach;
    }
    return most;
}

qd_status qdi_fleet_make(qd_world *whole, int ranks, qdi_realm_rule rule, qdi_fleet **fleet) {
    QDI_RESTORED qdi_arithmetic caller = qdi_arithmetic_standard();
    *fleet = NULL;
    if (ranks < 1 || ranks > QDI_RANKS_MAX) return QD_ERR_VALUE;
    qdi_fleet *made = qdi_allocate(whole->allocator, 1, sizeof *made);
    if (!made) return QD_ERR_MEMORY;
    *made = (qdi_fleet){
        .whole = whole, .count = ranks, .small = largest_small(whole), .totals = whole->totals};
    const qd_vec2 size = {whole->axis[0].length, whole->axis[1].length};
    const bool periodic[2] = {whole->axis[0].boundary == QD_BOUNDARY_PERIODIC,
                              whole->axis[1].boundary == QD_BOUNDARY_PERIODIC};
    qd_status status = QD_OK;
    for (int q = 0; q < ranks && status == QD_OK; ++q)
        status = qdi_realm_make(whole->allocator, rule, ranks,
                                (qd_vec2){whole->axis[0].low, whole->axis[1].low}, size, periodic,
                                &made->rank[q].realm);
    if (status == QD_OK)
        *fleet = made;
    else
        qdi_fleet_destroy(made);
    whole->led = status == QD_OK;
    return status;
}

bool qdi_fleet_led(const qd_world *world) {
    return world->led;
}

void qdi_fleet_mark(qd_world *world) {
    world->led = true;
}

void qdi_fleet_destroy(qdi_fleet *fleet) {
    if (!fleet) return;
    for (int q = 0; q < fleet->count; ++q) {
        qd_world_destroy(fleet->rank[q].world);
        qdi_realm_release(&fleet->rank[q].realm);
    }
    qdi_release(fleet->whole->allocator, fleet, 1, sizeof *fleet);
}

// Fleet: a step of one rank: with new ghosts where there are none, or where they are not enough.
static qd_status step_rank(qdi_fleet *fleet, qdi_ranks *ranks) {
    qdi_fleet_rank *rank = &fleet->rank[qdi_ranks_me(ranks)];
    qd_profile *profile = qdi_ranks_me(ranks) == 0 ? fleet->profile : NULL;
    qd_status status = rank->world ? QD_OK : qdi_fleet_renew(fleet, ranks);
    while (status == QD_OK) {
        qd_world *world = rank->world;
        world->stop = fleet->whole->stop;
        world->stop_context = fleet->whole->stop_context;
        status = qd_world_step(world, fleet->dt, profile);
        if (status != QD_ERR_STOPPED || !world->part->stale) break;
        status = qdi_fleet_renew(fleet, ranks);
    }
    rank->steps += status == QD_OK;
    return status;
}

// Fleet: what the thread of a rank does in a step.
static void work(qdi_ranks *ranks, void *context) {
    qdi_fleet *fleet = context;
    qdi_fleet_rank *rank = &fleet->rank[qdi_ranks_me(ranks)];
    if (rank->world) qdi_team_join(rank->world->team, ranks);
    const qd_status status = step_rank(fleet, ranks);
    if (rank->world) qdi_team_join(rank->world->team, NULL); // these ranks end here
    if (qdi_ranks_me(ranks) == 0) fleet->status = status;
}

// Fleet: of the bodies that broke a limit, that of the lowest name, as the whole world reports it.
static void report_limit(const qdi_fleet *fleet) {
    const uint64_t step = fleet->rank[0].world->clock.step + 1;
    uint64_t lowest = UINT64_MAX;
    for (int q = 0; q < fleet->count; ++q) {
        const qd_world *part = fleet->rank[q].world;
        qd_limit_report report = part->report;
        if (!report.reason[0] || report.step != step) continue;
        const uint64_t name = report.has_body ? qdi_name_of(part, report.body.id.index) : UINT64_MAX - 1;
        if (name >= lowest) continue;
        lowest = name;
        if (report.has_body) report.body.id.index = (qd_body_index)name;
        fleet->whole->report = report;
    }
}

qd_status qdi_fleet_step(qdi_fleet *fleet, double dt, qd_profile *profile) {
    QDI_RESTORED qdi_arithmetic caller = qdi_arithmetic_standard();
    const uint64_t steps = profile ? profile->steps : 0, body_steps = profile ? profile->body_steps : 0;
    fleet->dt = dt;
    fleet->profile = profile;
    fleet->status = QD_OK;
    qd_status status = qdi_ranks_run(fleet->whole->allocator, fleet->count, work, fleet);
    if (status == QD_OK) status = fleet->status;
    if (status == QD_ERR_LIMIT) report_limit(fleet);
    if (profile) profile->body_steps = body_steps + (profile->steps - steps) * fleet->whole->count;
    return status;
}

qdi_fleet_counts qdi_fleet_count(const qdi_fleet *fleet) {
    qdi_fleet_counts counts = {.renewals = fleet->rank[0].renewals};
    for (int q = 0; q < fleet->count; ++q) {
        counts.migrations += fleet->rank[q].migrations;
        if (fleet->rank[q].world) counts.ghosts += fleet->rank[q].world->part->ghosts;
    }
    return counts;
}

qd_world *qdi_fleet_part(const qdi_fleet *fleet, int rank) {
    return fleet->rank[rank].world;
}
