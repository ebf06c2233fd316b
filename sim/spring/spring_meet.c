// From candidates to contacts, shears and forces where all are disks on springs. Such disks go on touching
// for some fifty steps at least, and candidates stay for as long as the margin lasts: so a slot is kept for
// every candidate that says at which place its contact was in the moment before. Nothing is sorted, contacts
// lie in the order of the candidates, and each is made in one go while its bodies are in the cache:
//
//   test     candidates and walls: hits, each with the place that it had, or as one that begins
//   make     by hit: spot, contact, shear of the moment before, force
//
// Most candidates are far apart for many steps, or deep in each other: a slot says how far all around have to
// come, at the speed of the fastest of them, before its two are worth a test. A range of candidates in which
// nothing begins or ends keeps its list of hits, whose contacts lie side by side as they did before.
//
// Contacts, the numbers that they get when somebody asks, and their events are those of the narrow phase
// (narrow.h), which does the same for all else. Slots of candidates that are new, or others than before, are
// asked for by a search in lists of the old contacts by their first body.

#include "sim/spring/spring.h"

#include "sim/spring/meet_ends.h"
#include "sim/spring/meet_job.h"
#include "sim/spring/spring_force.h"
#include "sim/world/contact_state.h"
#include "sim/world/grain.h"
#include "sim/world/part.h"
#include "sim/world/population.h"
#include "sim/world/pose.h"
#include "sim/world/reach.h"
#include "sim/world/scratch.h"
#include "sim/world/spots.h"
#include "sim/world/spring_terms.h"
#include "sim/world/world_impl.h"

#include <stdatomic.h>

bool qdi_spring_meets(const qd_world *world, double dt) {
    const qdi_reach reach = qdi_world_reach(world);
    return dt > 0 && qdi_springs(world) && qdi_all_are_disks(world) && qdi_none_has_traits(world) &&
           !qdi_reaches(&reach);
}

// Takes arrays for testing from the arena, and makes room for slots.
static qd_status reserve_tests(qdi_meet_job *job) {
    qdi_scratch *scratch = &job->world->scratch;
    qdi_arena *arena = &scratch->arena;
    const size_t ranges = qdi_range_count(job->pairs, QDI_CANDIDATE_GRAIN),
                 kept = qdi_range_count(job->kept, QDI_CANDIDATE_GRAIN);
    const qd_allocator *allocator = job->world->allocator;
    qd_status status = qdi_reserve(allocator, &scratch->slot_pair, &scratch->slot_pair_room, job->kept,
                                   job->pairs, sizeof *scratch->slot_pair);
    if (status == QD_OK)
        status = qdi_reserve(allocator, &scratch->slot_place, &scratch->slot_place_room, job->kept,
                             job->pairs, sizeof *scratch->slot_place);
    if (status == QD_OK)
        status = qdi_reserve(allocator, &scratch->slot_apart, &scratch->slot_apart_room, job->kept,
                             job->pairs, sizeof *scratch->slot_apart);
    if (status == QD_OK)
        status = qdi_reserve(allocator, &scratch->slot_hits, &scratch->slot_hits_room, job->kept, job->pairs,
                             sizeof *scratch->slot_hits);
    if (status == QD_OK)
        status = qdi_reserve(allocator, &scratch->slot_touch, &scratch->slot_touch_room, kept, ranges,
                             sizeof *scratch->slot_touch);
    if (status == QD_OK)
        status = qdi_reserve(allocator, &scratch->slot_own, &scratch->slot_own_room, kept, ranges,
                             sizeof *scratch->slot_own);
    if (status == QD_OK)
        status = qdi_reserve(allocator, &scratch->slot_shift, &scratch->slot_shift_room, 0, ranges,
                             sizeof *scratch->slot_shift);
    if (status == QD_OK)
        status = qdi_reserve(allocator, &scratch->slot_way, &scratch->slot_way_room, kept, ranges,
                             sizeof *scratch->slot_way);
    job->count = qdi_arena_take(arena, ranges, sizeof *job->count);
    job->stay = qdi_arena_take(arena, ranges, sizeof *job->stay);
    job->tallies = qdi_arena_take(arena, ranges, sizeof *job->tallies);
    job->begun = qdi_arena_take(arena, ranges, sizeof *job->begun);
    job->own = job->owned ? scratch->slot_own : NULL;
    return job->count && job->stay && job->tallies && job->begun ? status : QD_ERR_MEMORY;
}

// Makes room for `count` contacts and what springs know of them.
static qd_status reserve_contacts(qdi_meet_job *job, const qdi_motion *motion, double dt, size_t count) {
    qdi_contact_state *after = job->after;
    qd_status status = qdi_contacts_reserve(job->world->allocator, after, count);
    if (status == QD_OK)
        status = qdi_meetings_reserve(job->world->allocator, after, job->simple, job->wall_first,
                                      job->wall_total);
    after->parts = after->whole = after->numbered = false;
    after->met = true;
    after->layout = 0;
    after->thin = job->simple;
    after->period = job->narrow.period;
    after->dt = dt;
    after->first_wall = job->wall_first;
    if (status == QD_OK) status = qdi_spring_prepare(job->world, motion, dt, after, count, &job->force);
    return status;
}

/// Springs that meet: a search for a disk that is not as the first one.
typedef struct alike_job {
    const qd_world *world;
    _Atomic bool others;
} alike_job;

// Springs that meet: looks at a range of disks, unless one has been found.
static void look_at_likes(void *context, size_t begin, size_t end) {
    alike_job *job = context;
    const double *mass = job->world->mass, *radius = job->world->radius;
    if (atomic_load_explicit(&job->others, memory_order_relaxed)) return;
    size_t others = 0;
    for (size_t r = begin; r < end; ++r) others += (size_t)(mass[r] != mass[0]) | (radius[r] != radius[0]);
    if (others > 0) atomic_store_explicit(&job->others, true, memory_order_relaxed);
}

// Springs that meet: whether all disks have the same mass and the same radius.
static bool disks_are_alike(const qd_world *world) {
    alike_job job = {.world = world, .others = world->count == 0};
    qdi_team_for(world->team, world->count, QDI_BODY_GRAIN, look_at_likes, &job);
    return !atomic_load_explicit(&job.others, memory_order_relaxed);
}

qd_status qdi_spring_meet(qd_world *world, const qdi_motion *motion, double dt, bool same) {
    qdi_scratch *scratch = &world->scratch;
    const uint64_t moment = world->clock.step + 1; // counted from 1
    const bool held = scratch->slots_of == moment && !qdi_population_changed(world);
    qdi_meet_job *job = qdi_arena_take(&scratch->arena, 1, sizeof *job); // for as long as the step goes on
    if (!job) return QD_ERR_MEMORY;
    *job = (qdi_meet_job){.world = world,
                          .narrow = qdi_narrow_job_of(world, motion),
                          .kernel = qdi_meet_kernel_of(world->def.simd),
                          .before = &world->present,
                          .after = &world->following,
                          .dt = dt,
                          .simple = qdi_spring_simple(world),
                          .pairs = world->met_count,
                          .kept = held ? scratch->slot_count : 0,
                          .owned = qdi_spring_simple(world) && !qdi_has_no_ghosts(world)};
    job->ranges_stay = held && job->owned == scratch->slots_owned;
    job->same = same && job->ranges_stay;
    if (!held) scratch->alike = disks_are_alike(world);
    scratch->slots_of = 0;
    qd_status status = world->present.met ? QD_OK : qdi_spots_part(world, &world->present);
    qdi_meet_way(job);
    if (status == QD_OK) status = reserve_tests(job);
    if (status == QD_OK) status = qdi_meet_test(job);
    const size_t count = job->wall_first + job->wall_total;
    if (status == QD_OK) status = reserve_contacts(job, motion, dt, count);
    if (status != QD_OK) return status;
    qdi_meet_make(job);
    scratch->meeting = job->simple ? job : NULL;
    if (job->simple) world->following.thin_forces[job->wall_first] = (qdi_thin_force){0, 0, 0, 0};
    world->following.contact_count = count;
    world->following.near_count = 0;
    world->following.begins =
        qdi_exclusive_scan(job->begun, qdi_range_count(job->pairs, QDI_CANDIDATE_GRAIN)) + job->walls_begun;
    status = qdi_meet_ends_keep(world, job->same, count);
    if (status != QD_OK) return status;
    scratch->slot_count = job->pairs;
    scratch->slots_of = moment + 1;
    scratch->slots_owned = job->owned;
    scratch->way = job->way;
    return QD_OK;
}
