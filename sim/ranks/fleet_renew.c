// Bodies to their owners, ghosts to those who may need them (fleet_needs.h): the first part of a rank is made
// here, of nothing; later on it is amended (fleet_amend.c).

#include "core/base/memory.h"
#include "core/base/os.h"
#include "sim/ranks/fleet_contacts.h"
#include "sim/ranks/fleet_impl.h"
#include "sim/ranks/fleet_mail.h"
#include "sim/ranks/fleet_needs.h"
#include "sim/world/bodies.h"
#include "sim/world/contact_list.h"

/// A renewal on one rank.
typedef struct renewal {
    qdi_ranks *ranks;
    qdi_fleet_rank *rank;
    const qd_allocator *allocator;
    const qd_world *past; ///< the part before; at first seeds, or the whole, whose bodies are on rank 0
    qdi_fleet_needs needs;
    qdi_post post; ///< to all, rank by rank
    qd_world *made;
} renewal;

// Renewal: whether a row of the part before is a body that this rank owned.
static bool owned(const renewal *job, size_t row) {
    return !qdi_is_ghost(job->past, row);
}

// ---- mail ----

// Renewal: adds own bodies to the letters of those who need them, in the order of names.
static void write_letters(const renewal *job, qdi_body_letter *letters) {
    const qd_world *past = job->past;
    const int me = qdi_ranks_me(job->ranks);
    for (size_t i = 0; i < past->index_count; ++i) {
        const uint32_t row = past->row_of_index[i];
        if (row == QDI_NO_ROW || !owned(job, row)) continue;
        const uint64_t needed = qdi_fleet_needed_by(&job->needs, past, row);
        const int owner = qdi_fleet_owner_of(&job->needs, past, row);
        for (int q = 0; q < qdi_ranks_count(job->ranks); ++q)
            if (needed >> q & 1) qdi_letter_add(&letters[q], past, row, needed, owner, owner != me);
    }
}

// Renewal: sends own bodies, and receives those that this rank is to have.
static qd_status hand_out_bodies(renewal *job, qdi_message *from) {
    qdi_body_letter letters[QDI_RANKS_MAX] = {{.bodies = 0}};
    qdi_message to[QDI_RANKS_MAX];
    const int count = qdi_ranks_count(job->ranks);
    write_letters(job, letters);
    const qd_status status = qdi_letters_begin(job->allocator, &job->post, letters, count, to);
    if (status != QD_OK) return status;
    write_letters(job, letters);
    return qdi_ranks_exchange(job->ranks, to, from);
}

// ---- the new part ----

/// What is known of each body of a new part, by index, while it is made.
typedef struct new_bodies {
    uint64_t *needed; ///< by whom, by bit; of ghosts nobody
    uint8_t *owner;
    size_t room;
} new_bodies;

// Renewal: says for each body of the new part whose ghost it is, or whose owner is another.
static void plan_exchange(const renewal *job, const new_bodies *known) {
    qd_world *world = job->made;
    qdi_part *part = world->part;
    const int me = qdi_ranks_me(job->ranks);
    size_t send = 0, receive = 0;
    for (int q = 0; q < QDI_RANKS_MAX; ++q) {
        part->send_first[q] = send;
        part->receive_first[q] = receive;
        if (q >= qdi_ranks_count(job->ranks) || q == me) continue;
        for (size_t i = 0; i < world->index_count; ++i) {
            if (known->needed[i] >> q & 1) part->send[send++] = (qd_body_index)i;
            if (known->owner[i] == q) part->receive[receive++] = (qd_body_index)i;
        }
    }
    for (size_t r = 0; r < world->count; ++r) {
        part->ghost[r] = known->owner[world->index[r]] != me;
        if (part->alone) continue;
        part->from_x[r] = world->now.x[r];
        part->from_y[r] = world->now.y[r];
    }
    part->ghosts = receive;
}

// Renewal: makes what a part needs to exchange ghosts.
static qd_status make_part(const renewal *job, const new_bodies *known) {
    qd_world *world = job->made;
    const int me = qdi_ranks_me(job->ranks);
    size_t send = 0, receive = 0;
    for (size_t i = 0; i < world->index_count; ++i) {
        send += qdi_fleet_others(known->needed[i], me);
        receive += known->owner[i] != me;
    }
    const bool alone = qdi_ranks_count(job->ranks) == 1;
    const qd_status status = qdi_part_make(world->allocator, world->index_count, alone, send, receive,
                                           &world->part);
    if (status != QD_OK) return status;
    plan_exchange(job, known);
    world->part->slack = job->needs.slack;
    return QD_OK;
}

// Renewal: takes bodies from the mail into the new part, with who owns each.
static qd_status take_bodies(const renewal *job, qdi_body_pile *pile, const new_bodies *known) {
    qd_world *world = job->made;
    const int me = qdi_ranks_me(job->ranks);
    const double entered = world->entered;
    const bool turning = world->turning;
    qd_status status = QD_OK;
    qd_body_state state = {.label = 0};
    const qdi_body_mail *one;
    for (size_t i = 0; status == QD_OK && (one = qdi_pile_take(pile, &state)) != NULL; ++i) {
        known->owner[i] = one->owner;
        known->needed[i] = one->owner == me ? one->needed : 0;
        job->rank->migrations += one->owner == me && one->moved;
        status = qdi_body_add_again(world, &state, false, NULL);
        if (status == QD_ERR_VALUE) status = QD_ERR_INTERNAL; // it was in order where it comes from
        if (status != QD_OK) break;
        if (world->names) world->names[i] = one->name;
        world->generation_of_index[i] = one->generation;
        world->generation[world->row_of_index[i]] = one->generation;
    }
    world->entered = entered;
    world->turning = turning;
    return status;
}

// Renewal: room for the names of the new part's bodies, where they are not their indices.
static qd_status reserve_names(qd_world *world, const qdi_body_pile *pile) {
    const size_t count = qdi_pile_count(pile);
    if (qdi_pile_is_indexed(pile)) return QD_OK;
    world->names = qdi_allocate(world->allocator, count, sizeof *world->names);
    if (!world->names) return QD_ERR_MEMORY;
    world->name_count = count;
    return QD_OK;
}

// Renewal: finds what bodies there are in all parts.
static qd_status agree_on_kinds(const renewal *job) {
    const qd_world *world = job->made;
    const uint64_t mine[2] = {world->shaped + world->fixed, world->traits.numbers.live};
    uint64_t all[2];
    const qd_status status = qdi_ranks_merged(job->ranks, mine, all, sizeof mine, qdi_ranks_add_counts);
    if (status != QD_OK) return status;
    world->part->shaped = all[0] > 0;
    world->part->traits = all[1] > 0;
    return QD_OK;
}

// Renewal: makes the new part's bodies of the mail of all ranks.
static qd_status make_bodies(renewal *job, const qdi_message *from) {
    qdi_body_pile pile = qdi_pile_of(from, qdi_ranks_count(job->ranks));
    const size_t count = qdi_pile_count(&pile);
    new_bodies known = {.room = count + 1};
    known.owner = qdi_allocate(job->allocator, known.room, sizeof *known.owner);
    known.needed = qdi_allocate(job->allocator, known.room, sizeof *known.needed);
    qd_status status = known.owner && known.needed ? QD_OK : QD_ERR_MEMORY;
    if (status == QD_OK) status = qdi_fleet_empty_part(job->rank, job->past, count, &job->made);
    if (status == QD_OK) status = reserve_names(job->made, &pile);
    if (status == QD_OK) status = take_bodies(job, &pile, &known);
    if (status == QD_OK) status = make_part(job, &known);
    qdi_release(job->allocator, known.owner, known.room, sizeof *known.owner);
    qdi_release(job->allocator, known.needed, known.room, sizeof *known.needed);
    return status;
}

// Renewal: bodies that were made only to be handed out are not needed any more; all else the world without
// bodies has, too.
static void forget_seeds(renewal *job) {
    qdi_fleet_rank *rank = job->rank;
    if (job->past != rank->seeds) return;
    job->past = rank->whole;
    qd_world_destroy(rank->seeds);
    rank->seeds = NULL;
}

// Renewal: the first part, without the ranks' agreement.
static qd_status make_first(renewal *job) {
    qdi_message from[QDI_RANKS_MAX];
    if (job->past->count > 0) qdi_contacts_need(job->past);
    qd_status status = qdi_fleet_find_needs(job->rank, job->past, &job->needs);
    if (status == QD_OK) status = hand_out_bodies(job, from);
    if (status == QD_OK) forget_seeds(job);
    if (status == QD_OK) status = make_bodies(job, from);
    if (status == QD_OK) status = agree_on_kinds(job);
    qdi_post_release(job->allocator, &job->post); // the bodies are there
    job->post = (qdi_post){.memory = NULL};
    qdi_contact_choice all = {.needs = &job->needs, .past = job->past};
    if (job->past->count > 0) all.count = qdi_constraint_count(&job->past->present);
    if (status == QD_OK) status = qdi_contacts_post(&all, &job->post, from);
    if (status != QD_OK) return status;
    qdi_contact_pile pile = qdi_contacts_of(from, qdi_ranks_count(job->ranks));
    return qdi_fleet_put_contacts(job->made, &pile);
}

// Renewal: makes the first part of a rank.
static qd_status begin_part(qdi_fleet_rank *rank) {
    renewal job = {.ranks = rank->ranks,
                   .rank = rank,
                   .allocator = rank->allocator,
                   .past = rank->seeds ? rank->seeds : rank->whole,
                   .needs = {.rank = rank}};
    const qd_status status = qdi_ranks_agree(rank->ranks, make_first(&job));
    rank->migrations = 0; // nobody came from another rank
    if (status == QD_OK) {
        rank->world = job.made;
        rank->steps = 0;
        qdi_team_join(rank->world->team, job.ranks);
    } else {
        qd_world_destroy(job.made);
    }
    qdi_fleet_forget_needs(&job.needs);
    qdi_post_release(job.allocator, &job.post);
    return status;
}

qd_status qdi_fleet_renew(qdi_fleet_rank *rank) {
    const qd_status status = rank->world ? qdi_fleet_amend(rank) : begin_part(rank);
    qdi_os_trim(); // of what a renewal works with holes are left
    return status;
}
