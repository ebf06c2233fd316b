// From candidates to contacts, shears and forces where all are disks on springs. Such disks go on touching
// for some fifty steps at least, and candidates stay for as long as the margin lasts: so a slot is kept for
// every candidate that says which contact it was in the moment before. Nothing is sorted but what begins, and
// a contact is made in one go while its bodies are in the cache:
//
//   test     candidates and walls: hits, each with the number that it had, or as one that begins
//   number   what begins is put in order of (a, b); numbers of all follow from what ended and begins before
//   make     by hit: spot, contact, shear of the moment before, force
//
// Most candidates are far apart for many steps: a slot says how far everybody has to come, at the speed of
// the fastest, before its two are worth a test.
//
// Contacts, their order and their events are those of the narrow phase (narrow.h), which does the same for
// all else. Slots of candidates that are new, or others than before, are asked for by a search in the old
// contacts.

#include "sim/spring/spring.h"

#include "sim/spring/meet_job.h"
#include "sim/spring/spring_force.h"
#include "sim/world/compress.h"
#include "sim/world/contact_state.h"
#include "sim/world/grain.h"
#include "sim/world/order.h"
#include "sim/world/population.h"
#include "sim/world/pose.h"
#include "sim/world/reach.h"
#include "sim/world/scratch.h"
#include "sim/world/spring_terms.h"
#include "sim/world/world_impl.h"

#include <string.h>

// ---- numbers ----

// Springs that meet: writes the key of a hit that begins.
static void put_fresh(const qdi_meet_job *job, size_t k, uint32_t hit) {
    const bool wall = hit >= job->pairs;
    const qdi_meeting pair = wall ? (qdi_meeting){0, 0} : job->narrow.pairs[job->hits[hit]];
    job->keys->key[k] = wall ? qdi_meet_wall_order(job, &job->walls[job->hits[hit]])
                             : qdi_meet_order(job, pair);
    job->keys->value[k] = hit;
}

// Writes the keys of what begins in a range of candidates.
static void put_fresh_pairs(void *context, size_t begin, size_t end) {
    const qdi_meet_job *job = context;
    const size_t range = begin / QDI_CONTACT_GRAIN, ranges = qdi_range_count(job->pairs, QDI_CONTACT_GRAIN);
    size_t k = job->fresh_count[range];
    const size_t stop = range + 1 < ranges ? job->fresh_count[range + 1] : job->fresh_count[ranges];
    (void)end;
    for (size_t at = begin; k < stop; ++k, ++at) put_fresh(job, k, job->fresh[at]);
}

// Says for what begins before which old contact it comes.
static void place_fresh(void *context, size_t begin, size_t end) {
    const qdi_meet_job *job = context;
    for (size_t k = begin; k < end; ++k)
        job->before_begun[k] = (uint32_t)qdi_contacts_find(job->before, 0, job->before->contact_count,
                                                           job->keys->key[k]);
}

// Counts the old contacts of a range that go on.
static void count_going(void *context, size_t begin, size_t end) {
    const qdi_meet_job *job = context;
    size_t going = 0;
    for (size_t i = begin; i < end; ++i) going += job->goes_on[i];
    job->going[begin / QDI_CONTACT_GRAIN] = going;
}

// Springs that meet: the first of what begins that comes before none of the old contacts below one.
static size_t first_begun(const qdi_meet_job *job, size_t old) {
    size_t low = 0, high = job->begun;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (job->before_begun[middle] < old)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

// Gives their new numbers to a range of old contacts and to what begins among them; notes for events what
// goes on.
static void number_range(void *context, size_t begin, size_t end) {
    const qdi_meet_job *job = context;
    uint8_t *persists = job->after->persists;
    size_t k = first_begun(job, begin);
    size_t number = job->going[begin / QDI_CONTACT_GRAIN] + k;
    const size_t last = job->before->contact_count;
    for (size_t i = begin; i < end; ++i) {
        for (; k < job->begun && job->before_begun[k] == i; ++k, ++number) {
            persists[number] = false;
            job->numbers[job->keys->value[k]] = QDI_MEET_BEGUN | (uint32_t)number;
        }
        if (i == last) break;
        job->renamed[i] = (uint32_t)number;
        if (job->goes_on[i]) persists[number++] = true;
    }
}

// Puts what begins in order, by keys for which there is room, and gives numbers to all.
static qd_status number_by_keys(qdi_meet_job *job, size_t fresh_walls) {
    qd_team *team = job->world->team;
    qdi_arena *arena = &job->world->scratch.arena;
    const size_t old = job->before->contact_count;
    job->before_begun = qdi_arena_take(arena, job->begun, sizeof *job->before_begun);
    job->going = qdi_arena_take(arena, qdi_range_count(old + 1, QDI_CONTACT_GRAIN), sizeof *job->going);
    if (!job->before_begun || !job->going) return QD_ERR_MEMORY;
    qdi_team_for(team, job->pairs, QDI_CONTACT_GRAIN, put_fresh_pairs, job);
    for (size_t k = 0; k < fresh_walls; ++k)
        put_fresh(job, job->begun - fresh_walls + k, job->fresh[job->pairs + k]);
    const qd_status status = qdi_keys_sort(team, job->keys, job->begun, 63);
    if (status != QD_OK) return status;
    qdi_team_for(team, job->begun, QDI_CONTACT_GRAIN, place_fresh, job);
    job->going[qdi_range_count(old + 1, QDI_CONTACT_GRAIN) - 1] = 0; // may have none
    qdi_team_for(team, old, QDI_CONTACT_GRAIN, count_going, job);
    (void)qdi_exclusive_scan(job->going, qdi_range_count(old + 1, QDI_CONTACT_GRAIN));
    qdi_team_for(team, old + 1, QDI_CONTACT_GRAIN, number_range, job);
    return QD_OK;
}

// Puts what begins in order and gives numbers to all.
static qd_status number_all(qdi_meet_job *job, size_t fresh_walls) {
    qdi_keys keys;
    qd_status status = qdi_keys_take(&job->world->scratch.arena, job->begun, &keys);
    if (status != QD_OK) return status;
    job->keys = &keys;
    status = number_by_keys(job, fresh_walls);
    job->keys = NULL; // it is gone with this call
    return status;
}

// ---- all of it ----

bool qdi_spring_meets(const qd_world *world, double dt) {
    const qdi_reach reach = qdi_world_reach(world);
    return dt > 0 && qdi_springs(world) && world->shaped == 0 && world->fixed == 0 &&
           world->traits.numbers.live == 0 && !qdi_reaches(&reach);
}

// Takes arrays for testing from the arena, and makes room for slots.
static qd_status reserve_tests(qdi_meet_job *job) {
    qdi_scratch *scratch = &job->world->scratch;
    qdi_arena *arena = &scratch->arena;
    const size_t old = job->before->contact_count, ranges = qdi_range_count(job->pairs, QDI_CONTACT_GRAIN);
    const qd_allocator *allocator = job->world->allocator;
    qd_status status = qdi_reserve(allocator, &scratch->slot_pair, &scratch->slot_pair_room, job->kept,
                                   job->pairs, sizeof *scratch->slot_pair);
    if (status == QD_OK)
        status = qdi_reserve(allocator, &scratch->slot_number, &scratch->slot_number_room, job->kept,
                             job->pairs, sizeof *scratch->slot_number);
    if (status == QD_OK)
        status = qdi_reserve(allocator, &scratch->slot_apart, &scratch->slot_apart_room, job->kept,
                             job->pairs, sizeof *scratch->slot_apart);
    job->count = qdi_arena_take(arena, ranges, sizeof *job->count);
    job->fresh_count = qdi_arena_take(arena, ranges + 1, sizeof *job->fresh_count);
    job->goes_on = qdi_arena_take(arena, old, sizeof *job->goes_on);
    job->renamed = qdi_arena_take(arena, old, sizeof *job->renamed);
    scratch->goes_on = job->goes_on;
    const bool good = job->count && job->fresh_count && job->goes_on && job->renamed;
    if (good) memset(job->goes_on, 0, old);
    return good ? status : QD_ERR_MEMORY;
}

// Makes room for `count` contacts and what springs know of them.
static qd_status reserve_contacts(qdi_meet_job *job, const qdi_motion *motion, double dt, size_t count) {
    qdi_contact_state *after = job->after;
    qd_status status = qdi_contacts_reserve(job->world->allocator, after, count);
    after->parts = false; // what lies by place lies by number
    if (status == QD_OK) status = qdi_spring_prepare(job->world, motion, dt, after, count, &job->force);
    job->force.by_spot = true;
    return status;
}

qd_status qdi_spring_meet(qd_world *world, const qdi_motion *motion, double dt, bool same) {
    qdi_scratch *scratch = &world->scratch;
    const uint64_t moment = world->clock.step + 1; // counted from 1
    const bool held = scratch->slots_of == moment && !qdi_population_changed(world);
    qdi_meet_job job = {.world = world,
                        .narrow = qdi_narrow_job_of(world, motion),
                        .before = &world->present,
                        .after = &world->following,
                        .simple = qdi_spring_simple(world),
                        .pairs = world->met_count,
                        .kept = held ? scratch->slot_count : 0,
                        .same = held && same};
    size_t fresh_walls = 0;
    scratch->slots_of = 0;
    qd_status status = qdi_meet_way(&job, dt);
    job.float_way = (float)(job.way * (1 + 0x1p-22));
    if (status == QD_OK) status = reserve_tests(&job);
    if (status == QD_OK) status = qdi_meet_test(&job, &fresh_walls);
    const size_t count = job.wall_first + job.wall_total;
    if (status == QD_OK) status = reserve_contacts(&job, motion, dt, count);
    if (status == QD_OK) status = number_all(&job, fresh_walls);
    if (status != QD_OK) return status;
    qdi_meet_make(&job);
    world->following.contact_count = count;
    world->following.near_count = 0;
    world->following.begins = job.begun;
    world->following.whole = true;
    world->following.first_wall = job.wall_first;
    scratch->slot_count = job.pairs;
    scratch->slots_of = moment + 1;
    scratch->way = job.way;
    return QD_OK;
}
