// What rank 0 tells all ranks, and what each does then. Rank 0 does the same as the others; between two tasks
// these wait for the next one. Every task ends with a status that all ranks have agreed on, so what has
// failed on one is over for all when the next one comes.

#include "sim/ranks/fleet_impl.h"

#include "core/base/arithmetic.h"
#include "core/base/memory.h"
#include "core/base/os.h"
#include "sim/world/lap.h"
#include "sim/world/names.h"

#include <string.h>

/// What is told.
typedef struct order {
    uint64_t task, rule;
    double dt;
    uint64_t clocked; ///< a step's profile is wanted
} order;

// ---- a step ----

// Fleet: renews a part in a step, which is time of its refresh.
static qd_status renew_in_step(qdi_fleet_rank *rank, qd_profile *profile) {
    qdi_lap lap;
    qdi_lap_start(&lap, profile, rank->world->team);
    const qd_status status = qdi_fleet_renew(rank);
    qdi_lap_end(&lap, QD_PHASE_REFRESH);
    return status;
}

// Fleet: a step of one rank: with new ghosts where there are none, or where they are not enough.
static qd_status step_rank(qdi_fleet_rank *rank, double dt, qd_profile *profile) {
    qd_status status = rank->world ? QD_OK : qdi_fleet_renew(rank);
    while (status == QD_OK) {
        qd_world *world = rank->world;
        world->stop = rank->whole->stop;
        world->stop_context = rank->whole->stop_context;
        status = qd_world_step(world, dt, profile);
        if (status != QD_ERR_STOPPED || !world->part->stale) break;
        status = renew_in_step(rank, profile);
    }
    rank->steps += status == QD_OK;
    if (status == QD_OK && rank->apart) rank->whole->clock = rank->world->clock;
    return status;
}

/// A body that broke a limit, or none; as the whole world reports it.
typedef struct limit_mail {
    uint64_t name; ///< of the body; UINT64_MAX: nothing happened here
    qd_limit_report report;
} limit_mail;

// Fleet: keeps the body of the lower name.
static void keep_lower(void *sum, const void *other, size_t bytes) {
    limit_mail *lowest = sum;
    const limit_mail *next = other;
    if (next->name < lowest->name) memcpy(lowest, next, bytes);
}

// Fleet: of the bodies that broke a limit, that of the lowest name.
static qd_status report_limit(qdi_fleet_rank *rank) {
    const qd_world *part = rank->world;
    limit_mail mine, lowest;
    memset(&mine, 0, sizeof mine); // it is sent
    mine.name = UINT64_MAX;
    if (part->report.reason[0] && part->report.step == part->clock.step + 1) {
        mine.report = part->report;
        mine.name = UINT64_MAX - 1;
        if (mine.report.has_body) mine.name = qdi_name_of(part, mine.report.body.id.index);
        if (mine.report.has_body) mine.report.body.id.index = (qd_body_index)mine.name;
    }
    const qd_status status = qdi_ranks_merged(rank->ranks, &mine, &lowest, sizeof mine, keep_lower);
    if (status == QD_OK && lowest.name < UINT64_MAX) rank->whole->report = lowest.report;
    return status;
}

// Fleet: a step, and who broke a limit in it.
static qd_status make_step(qdi_fleet_rank *rank, const order *given) {
    qd_profile *others = given->clocked ? &rank->clocked : NULL;
    if (rank->world) qdi_team_join(rank->world->team, rank->ranks);
    const qd_status status = step_rank(rank, given->dt,
                                       qdi_ranks_me(rank->ranks) == 0 ? rank->profile : others);
    if (rank->world) qdi_team_join(rank->world->team, NULL); // what is done till the next step it does alone
    if (status != QD_ERR_LIMIT || !rank->world) return status;
    const qd_status reported = qdi_ranks_agree(rank->ranks, report_limit(rank));
    return reported == QD_OK ? status : reported;
}

// ---- counts ----

// Fleet: sends rank 0 what was done.
static qd_status send_counts(qdi_fleet_rank *rank) {
    const qdi_ranks_sent sent = qdi_ranks_count_sent(rank->ranks);
    qdi_fleet_counts mine = {.renewals = rank->renewals,
                             .migrations = rank->migrations,
                             .gathers = rank->gathers,
                             .messages = sent.messages,
                             .bytes = sent.bytes,
                             .notes = sent.notes,
                             .note_bytes = sent.note_bytes,
                             .memory = qdi_os_peak_memory()};
    if (rank->world) mine.ghosts = rank->world->part->ghosts;
    if (rank->world) mine.bodies = rank->world->count - mine.ghosts;
    qdi_message to[QDI_RANKS_MAX] = {{&mine, sizeof mine}}, from[QDI_RANKS_MAX];
    const qd_status status = qdi_ranks_exchange(rank->ranks, to, from);
    if (status != QD_OK || !rank->counts) return status;
    for (int q = 0; q < qdi_ranks_count(rank->ranks); ++q)
        memcpy(&rank->counts[q], from[q].data, sizeof rank->counts[q]);
    return QD_OK;
}

// Fleet: sends rank 0 how long this rank's threads were busy; that puts them behind its own.
static qd_status send_profile(const qdi_fleet_rank *rank) {
    enum { CLOCKED = sizeof rank->clocked.busy_ns[0] / sizeof rank->clocked.busy_ns[0][0] };
    qdi_message to[QDI_RANKS_MAX] = {{&rank->clocked, sizeof rank->clocked}}, from[QDI_RANKS_MAX];
    const qd_status status = qdi_ranks_exchange(rank->ranks, to, from);
    if (status != QD_OK || qdi_ranks_me(rank->ranks) > 0) return status;
    const size_t threads = (size_t)rank->whole->def.threads;
    for (size_t q = 1; q < (size_t)qdi_ranks_count(rank->ranks) && q * threads < CLOCKED; ++q) {
        qd_profile other;
        memcpy(&other, from[q].data, sizeof other);
        const size_t room = CLOCKED - q * threads;
        for (size_t phase = 0; phase < QD_PHASE_COUNT; ++phase)
            memcpy(&rank->profile->busy_ns[phase][q * threads], other.busy_ns[phase],
                   (threads < room ? threads : room) * sizeof other.busy_ns[0][0]);
    }
    return QD_OK;
}

// ---- tasks ----

// Fleet: forgets all that is known of the world; rank 0's whole is not the fleet's.
static void forget(qdi_fleet_rank *rank) {
    const qd_allocator *allocator = rank->allocator;
    qdi_ranks *ranks = rank->ranks;
    qd_world_destroy(rank->world);
    qd_world_destroy(rank->seeds);
    if (qdi_ranks_me(ranks) > 0) qd_world_destroy(rank->whole);
    qdi_realm_release(&rank->realm);
    qdi_release(allocator, rank->mail, rank->mail_room, 1);
    *rank = (qdi_fleet_rank){.allocator = allocator, .ranks = ranks, .maker = rank->maker};
}

// Fleet: does what all ranks were told.
static qd_status do_task(qdi_fleet_rank *rank, const order *given) {
    if (given->dt > 0) rank->dt = given->dt;
    switch ((qdi_fleet_task)given->task) {
    case QDI_FLEET_BEGIN: return qdi_fleet_take_over(rank, (qdi_realm_rule)given->rule);
    case QDI_FLEET_STEP: return make_step(rank, given);
    case QDI_FLEET_GATHER: return qdi_ranks_agree(rank->ranks, qdi_fleet_collect(rank));
    case QDI_FLEET_HASH: return qdi_ranks_agree(rank->ranks, qdi_fleet_add_hashes(rank));
    case QDI_FLEET_MEASURE: return qdi_ranks_agree(rank->ranks, qdi_fleet_add_shares(rank));
    case QDI_FLEET_SAVE: return qdi_ranks_agree(rank->ranks, qdi_fleet_save_parts(rank));
    case QDI_FLEET_COUNT: return qdi_ranks_agree(rank->ranks, send_counts(rank));
    case QDI_FLEET_PROFILE: return qdi_ranks_agree(rank->ranks, send_profile(rank));
    case QDI_FLEET_END:
    case QDI_FLEET_LEAVE: forget(rank); break;
    }
    return QD_OK;
}

// Fleet: of what all ranks say, what rank 0 does.
static void keep_first(void *sum, const void *other, size_t bytes) {
    (void)sum;
    (void)other;
    (void)bytes;
}

qd_status qdi_fleet_tell(qdi_fleet_rank *rank, qdi_fleet_task task, qdi_realm_rule rule, double dt) {
    const order mine = {task, rule, dt, rank->profile != NULL};
    order given;
    const qd_status status = qdi_ranks_merged(rank->ranks, &mine, &given, sizeof mine, keep_first);
    return status == QD_OK ? do_task(rank, &given) : qdi_ranks_agree(rank->ranks, status);
}

void qdi_fleet_obey(qdi_fleet_rank *rank) {
    QDI_RESTORED qdi_arithmetic caller = qdi_arithmetic_standard();
    const order nothing = {QDI_FLEET_END, 0, 0, 0};
    order given = nothing;
    do {
        qd_status status = qdi_ranks_merged(rank->ranks, &nothing, &given, sizeof given, keep_first);
        status = status == QD_OK ? do_task(rank, &given) : qdi_ranks_agree(rank->ranks, status);
        (void)status; // rank 0 has it too, and says what comes of it
    } while (given.task != QDI_FLEET_LEAVE);
}
