// A fleet as rank 0 has it, and as others see it.

#include "sim/ranks/fleet_impl.h"

#include "core/base/arithmetic.h"
#include "core/base/memory.h"
#include "sim/text/reason.h"
#include "sim/world/compress.h"

#include <math.h>

/// What threads that are ranks know from the beginning.
typedef struct thread_start {
    const qd_allocator *allocator;
    qdi_fleet_maker maker;
} thread_start;

struct qdi_fleet {
    qdi_fleet_rank rank; ///< 0
    thread_start start;  ///< of the threads
    bool threads;        ///< the ranks are the fleet's own
};

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

// Fleet: what the thread of a rank other than 0 does.
static void serve_as_thread(qdi_ranks *ranks, void *context) {
    const thread_start *start = context;
    qdi_fleet_rank rank = {.allocator = start->allocator, .ranks = ranks, .maker = start->maker};
    qdi_fleet_obey(&rank);
}

void qdi_fleet_serve(qdi_ranks *ranks, qdi_fleet_maker maker) {
    qdi_fleet_rank rank = {.allocator = qd_allocator_default(), .ranks = ranks, .maker = maker};
    qdi_fleet_obey(&rank);
}

void qdi_fleet_dismiss(qdi_ranks *ranks) {
    qdi_fleet_rank rank = {.allocator = qd_allocator_default(), .ranks = ranks};
    const qd_status status = qdi_fleet_tell(&rank, QDI_FLEET_LEAVE, QDI_REALM_CUT, 0);
    (void)status; // nothing is done that could fail
}

/// Where the bodies of a fleet come from; nothing: rank 0 has them.
typedef struct origin {
    const qdi_fleet_seed *seed;
    const qdi_fleet_source *source;
    qdi_saved saved;
    double dt; ///< of the steps to come; 0: the first one says it
} origin;

// Fleet: makes one of ranks that are there, or of as many threads; with an origin one that is apart.
static qd_status make(qd_world *whole, int count, qdi_ranks *ranks, qdi_realm_rule rule, const origin *from,
                      qdi_fleet **fleet) {
    const qd_allocator *allocator = whole->allocator;
    *fleet = NULL;
    qdi_fleet *made = qdi_allocate(allocator, 1, sizeof *made);
    if (!made) return QD_ERR_MEMORY;
    *made = (qdi_fleet){.rank = {.allocator = allocator,
                                 .ranks = ranks,
                                 .whole = whole,
                                 .apart = from->seed || from->source,
                                 .loads = from->source != NULL,
                                 .saved = from->saved,
                                 .maker = from->seed ? from->seed->maker : NULL,
                                 .seed = from->seed,
                                 .source = from->source,
                                 .bodies = whole->count,
                                 .totals = whole->totals},
                        .start = {allocator, from->seed ? from->seed->maker : NULL},
                        .threads = !ranks};
    qd_status status = qdi_fleet_find_small(NULL, whole, &made->rank.small);
    if (status == QD_OK && !ranks)
        status = qdi_ranks_start(allocator, count, serve_as_thread, &made->start, &made->rank.ranks);
    if (status != QD_OK) {
        qdi_release(allocator, made, 1, sizeof *made);
        return status;
    }
    status = qdi_fleet_tell(&made->rank, QDI_FLEET_BEGIN, rule, from->dt);
    made->rank.seed = NULL;
    made->rank.source = NULL;
    if (status == QD_OK)
        *fleet = made;
    else
        qdi_fleet_destroy(made);
    whole->led = status == QD_OK;
    return status;
}

qd_status qdi_fleet_make(qd_world *whole, int ranks, qdi_realm_rule rule, qdi_fleet **fleet) {
    QDI_RESTORED qdi_arithmetic caller = qdi_arithmetic_standard();
    return make(whole, ranks, NULL, rule, &(origin){.seed = NULL}, fleet);
}

qd_status qdi_fleet_make_of(qd_world *whole, qdi_ranks *ranks, qdi_realm_rule rule, qdi_fleet **fleet) {
    QDI_RESTORED qdi_arithmetic caller = qdi_arithmetic_standard();
    return make(whole, 0, ranks, rule, &(origin){.seed = NULL}, fleet);
}

qd_status qdi_fleet_make_apart(qd_world *hollow, qdi_ranks *ranks, int count, qdi_realm_rule rule,
                               const qdi_fleet_seed *seed, qdi_fleet **fleet) {
    QDI_RESTORED qdi_arithmetic caller = qdi_arithmetic_standard();
    return make(hollow, count, ranks, rule, &(origin){.seed = seed, .dt = seed->dt}, fleet);
}

bool qdi_fleet_can_load(const qd_world *hollow, const qdi_saved *saved) {
    return saved->indices == saved->bodies && saved->emitters == 0 && saved->sinks == 0 &&
           saved->homes == 0 && !hollow->changed && !unknown_feature(hollow);
}

qd_status qdi_fleet_make_loaded(qd_world *hollow, qdi_ranks *ranks, int count, qdi_realm_rule rule,
                                const qdi_fleet_source *source, const qdi_saved *saved, qdi_fleet **fleet) {
    QDI_RESTORED qdi_arithmetic caller = qdi_arithmetic_standard();
    return make(hollow, count, ranks, rule, &(origin){.source = source, .saved = *saved, .dt = source->dt},
                fleet);
}

bool qdi_fleet_is_apart(const qdi_fleet *fleet) {
    return fleet && fleet->rank.apart;
}

uint64_t qdi_fleet_bodies(const qdi_fleet *fleet) {
    return fleet->rank.bodies;
}

double qdi_fleet_contact_time(const qdi_fleet *fleet) {
    return fleet->rank.contact_time;
}

bool qdi_fleet_led(const qd_world *world) {
    return world->led;
}

void qdi_fleet_mark(qd_world *world) {
    world->led = true;
}

void qdi_fleet_destroy(qdi_fleet *fleet) {
    if (!fleet) return;
    const qd_allocator *allocator = fleet->rank.allocator;
    const qd_status status = qdi_fleet_tell(&fleet->rank, fleet->threads ? QDI_FLEET_LEAVE : QDI_FLEET_END,
                                            QDI_REALM_CUT, 0);
    (void)status; // nothing is done that could fail
    if (fleet->threads) qdi_ranks_end(fleet->rank.ranks);
    qdi_release(allocator, fleet, 1, sizeof *fleet);
}

qd_status qdi_fleet_step(qdi_fleet *fleet, double dt, qd_profile *profile) {
    QDI_RESTORED qdi_arithmetic caller = qdi_arithmetic_standard();
    const uint64_t steps = profile ? profile->steps : 0, body_steps = profile ? profile->body_steps : 0;
    fleet->rank.profile = profile;
    const qd_status status = qdi_fleet_tell(&fleet->rank, QDI_FLEET_STEP, QDI_REALM_CUT, dt);
    if (profile) profile->body_steps = body_steps + (profile->steps - steps) * fleet->rank.bodies;
    return status;
}

// Fleet: whether the whole world is at the moment that the parts are at.
static bool is_gathered(const qdi_fleet *fleet) {
    const qd_world *part = fleet->rank.world;
    return !fleet->rank.apart && (!part || part->clock.step == fleet->rank.whole->clock.step);
}

qd_status qdi_fleet_gather(qdi_fleet *fleet) {
    QDI_RESTORED qdi_arithmetic caller = qdi_arithmetic_standard();
    if (fleet->rank.apart) return QD_ERR_STATE;
    return is_gathered(fleet) ? QD_OK : qdi_fleet_tell(&fleet->rank, QDI_FLEET_GATHER, QDI_REALM_CUT, 0);
}

qd_status qdi_fleet_save(qdi_fleet *fleet, const qdi_saved_sink *sink) {
    QDI_RESTORED qdi_arithmetic caller = qdi_arithmetic_standard();
    fleet->rank.sink = sink;
    const qd_status status = qdi_fleet_tell(&fleet->rank, QDI_FLEET_SAVE, QDI_REALM_CUT, 0);
    fleet->rank.sink = NULL;
    return status;
}

qd_status qdi_fleet_hash(qdi_fleet *fleet, uint64_t *hash) {
    QDI_RESTORED qdi_arithmetic caller = qdi_arithmetic_standard();
    fleet->rank.hash = hash;
    if (!is_gathered(fleet)) return qdi_fleet_tell(&fleet->rank, QDI_FLEET_HASH, QDI_REALM_CUT, 0);
    *hash = qd_world_hash(fleet->rank.whole);
    return QD_OK;
}

qd_status qdi_fleet_measure(qdi_fleet *fleet, qd_metrics *metrics) {
    QDI_RESTORED qdi_arithmetic caller = qdi_arithmetic_standard();
    fleet->rank.metrics = metrics;
    if (!is_gathered(fleet)) return qdi_fleet_tell(&fleet->rank, QDI_FLEET_MEASURE, QDI_REALM_CUT, 0);
    qd_world_measure(fleet->rank.whole, metrics);
    return QD_OK;
}

qd_status qdi_fleet_profile(qdi_fleet *fleet, qd_profile *profile) {
    fleet->rank.profile = profile;
    return qdi_fleet_tell(&fleet->rank, QDI_FLEET_PROFILE, QDI_REALM_CUT, 0);
}

qd_status qdi_fleet_count(qdi_fleet *fleet, qdi_fleet_counts *counts) {
    fleet->rank.counts = counts;
    return qdi_fleet_tell(&fleet->rank, QDI_FLEET_COUNT, QDI_REALM_CUT, 0);
}
