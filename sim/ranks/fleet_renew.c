// Bodies to their owners, ghosts to those who may need them. Who needs a body as a ghost is a matter of its
// place, of the realm and of where giants are, which all ranks know: so whoever owns a body from now on knows
// to whom it has to send it, without being asked.
//
// A body is needed by whoever owns a place so near that a body there could touch it before ghosts are chosen
// anew. That is reckoned with the largest body that is no giant; giants are known everywhere, and who owns
// one needs all that are near it.

#include "core/base/memory.h"
#include "sim/ranks/fleet_impl.h"
#include "sim/ranks/fleet_mail.h"
#include "sim/world/bodies.h"
#include "sim/world/contact_list.h"
#include "sim/world/names.h"
#include "sim/world/pose.h"
#include "sim/world/spring_terms.h"
#include "sim/world/world_make.h"

#include <math.h>
#include <string.h>

/// A body so large that it is known everywhere.
typedef struct giant {
    qd_vec2 place;
    double reach;
    int owner;
} giant;

/// A renewal on one rank.
typedef struct renewal {
    qdi_ranks *ranks;
    qdi_fleet_rank *rank;
    const qd_allocator *allocator;
    const qd_world *past; ///< the part before; at first seeds, or the whole, whose bodies are on rank 0
    double slack;
    giant *giants;
    size_t giant_count, giant_room;
    unsigned char *mail; ///< to all, rank by rank
    size_t mail_room;
    qd_world *made;
} renewal;

// Renewal: whether a row of the part before is a body that this rank owned.
static bool owned(const renewal *job, size_t row) {
    return !qdi_is_ghost(job->past, row);
}

// Renewal: where a body is.
static qd_vec2 place_of(const qd_world *world, size_t row) {
    return (qd_vec2){world->now.x[row], world->now.y[row]};
}

// ---- who needs whom ----

// Renewal: adds up how many bodies are in cells.
static void add_bodies(void *sum, const void *other, size_t bytes) {
    uint64_t *all = sum;
    const uint64_t *more = other;
    for (size_t c = 0; c < bytes / sizeof *all; ++c) all[c] += more[c];
}

// Renewal: deals the realm by where bodies are now.
static qd_status deal(renewal *job) {
    qdi_realm *realm = &job->rank->realm;
    const size_t cells = qdi_realm_cells(realm);
    uint64_t *counts = qdi_allocate(job->allocator, 2 * cells, sizeof *counts);
    if (!counts) return QD_ERR_MEMORY;
    memset(counts, 0, cells * sizeof *counts);
    for (size_t r = 0; r < job->past->count; ++r)
        counts[qdi_realm_cell(realm, place_of(job->past, r))] += owned(job, r);
    const qd_status status = qdi_ranks_merged(job->ranks, counts, counts + cells, cells * sizeof *counts,
                                              add_bodies);
    if (status == QD_OK) qdi_realm_deal(realm, counts + cells);
    qdi_release(job->allocator, counts, 2 * cells, sizeof *counts);
    return status;
}

// Renewal: whether a body that reaches so far is a giant.
static bool is_giant(const renewal *job, double reach) {
    return reach > job->rank->small;
}

/// Giants that are listed.
typedef struct giant_list {
    giant *at;
    size_t count, room;
} giant_list;

// Renewal: adds giants to a list.
static qd_status add_giants(const renewal *job, giant_list *list, const void *more, size_t bytes) {
    const size_t count = bytes / sizeof *list->at;
    if (count == 0) return QD_OK;
    const qd_status status = qdi_reserve(job->allocator, &list->at, &list->room, list->count,
                                         list->count + count, sizeof *list->at);
    if (status != QD_OK) return status;
    memcpy(list->at + list->count, more, bytes);
    list->count += count;
    return QD_OK;
}

// Renewal: lists the giants that this rank owned.
static qd_status list_own_giants(const renewal *job, giant_list *list) {
    qd_status status = QD_OK;
    for (size_t r = 0; r < job->past->count && status == QD_OK; ++r) {
        const double reach = qdi_fleet_reach(job->past, (uint32_t)r);
        if (!owned(job, r) || !is_giant(job, reach)) continue;
        const qd_vec2 place = place_of(job->past, r);
        const giant one = {place, reach, qdi_realm_owner(&job->rank->realm, place)};
        status = add_giants(job, list, &one, sizeof one);
    }
    return status;
}

// Renewal: lists the giants of all ranks.
static qd_status list_giants(renewal *job) {
    qdi_message to[QDI_RANKS_MAX], from[QDI_RANKS_MAX];
    giant_list own = {.count = 0}, all = {.count = 0};
    qd_status status = list_own_giants(job, &own);
    for (int q = 0; q < qdi_ranks_count(job->ranks); ++q)
        to[q] = (qdi_message){own.at, own.count * sizeof *own.at};
    if (status == QD_OK) status = qdi_ranks_exchange(job->ranks, to, from);
    for (int q = 0; q < qdi_ranks_count(job->ranks) && status == QD_OK; ++q)
        status = add_giants(job, &all, from[q].data, from[q].bytes);
    qdi_release(job->allocator, own.at, own.room, sizeof *own.at);
    job->giants = all.at;
    job->giant_count = all.count;
    job->giant_room = all.room;
    return status;
}

// Renewal: whether two coordinates are at most `far` apart, also round a period.
static bool is_near(double p, double q, double far, double period) {
    double apart = fabs(p - q);
    if (period > 0 && apart > 0.5 * period) apart = fabs(period - apart);
    return apart <= far;
}

// Renewal: who has to know a body, by bit: its owner, and those whose ghost it is.
static uint64_t needed_by(const renewal *job, qd_vec2 place, double reach) {
    const qdi_realm *realm = &job->rank->realm;
    const uint64_t all = UINT64_MAX >> (64 - realm->ranks);
    if (realm->ranks == 1 || is_giant(job, reach)) return all;
    uint64_t mask = qdi_realm_near(realm, place, reach + job->rank->small + job->slack);
    const qd_vec2 period = qdi_world_period(job->past);
    for (size_t k = 0; k < job->giant_count && mask != all; ++k) {
        const giant *one = &job->giants[k];
        const double far = reach + one->reach + job->slack;
        if (is_near(place.x, one->place.x, far, period.x) && is_near(place.y, one->place.y, far, period.y))
            mask |= UINT64_C(1) << one->owner;
    }
    return mask;
}

// ---- mail ----

// Renewal: room for what is sent in all.
static qd_status reserve_mail(renewal *job, size_t bytes) {
    return qdi_reserve(job->allocator, &job->mail, &job->mail_room, 0, bytes, 1);
}

// Renewal: adds own bodies to the letters of those who need them, in the order of names.
static void write_letters(const renewal *job, qdi_body_letter *letters) {
    const qd_world *past = job->past;
    const int me = qdi_ranks_me(job->ranks);
    for (size_t i = 0; i < past->index_count; ++i) {
        const uint32_t row = past->row_of_index[i];
        if (row == QDI_NO_ROW || !owned(job, row)) continue;
        const qd_vec2 place = place_of(past, row);
        uint64_t mask = needed_by(job, place, qdi_fleet_reach(past, row));
        const int owner = qdi_realm_owner(&job->rank->realm, place);
        for (int q = 0; mask; ++q, mask >>= 1)
            if (mask & 1) qdi_letter_add(&letters[q], past, row, owner, owner != me);
    }
}

// Renewal: sends own bodies, and receives those that this rank is to have.
static qd_status hand_out_bodies(renewal *job, qdi_message *from) {
    qdi_body_letter letters[QDI_RANKS_MAX] = {{.bodies = 0}};
    qdi_message to[QDI_RANKS_MAX];
    const int count = qdi_ranks_count(job->ranks);
    size_t bytes = 0;
    write_letters(job, letters);
    for (int q = 0; q < count; ++q) bytes += qdi_letter_bytes(&letters[q]);
    const qd_status status = reserve_mail(job, bytes);
    if (status != QD_OK) return status;
    unsigned char *at = job->mail;
    for (int q = 0; q < count; ++q) {
        to[q] = (qdi_message){at, qdi_letter_bytes(&letters[q])};
        qdi_letter_begin(&letters[q], at);
        if (to[q].bytes > 0) at += to[q].bytes;
    }
    write_letters(job, letters);
    return qdi_ranks_exchange(job->ranks, to, from);
}

/// Contacts to each rank; then where the next one goes.
typedef struct contact_slots {
    size_t at[QDI_RANKS_MAX + 1];
} contact_slots;

// Renewal: a contact as it is sent.
static void write_contact(const qd_world *past, size_t i, qdi_contact_mail *one) {
    const qdi_contact_state *state = &past->present;
    const qd_contact *contact = &state->contacts[i];
    memset(one, 0, sizeof *one); // it is sent
    one->a = qdi_name_of(past, contact->a.index);
    one->b = qdi_name_of_id(past, contact->b);
    if (qd_id_is_wall(contact->b)) one->b |= UINT64_C(1) << 63; // behind all names
    one->near = i >= state->contact_count;
    one->persists = state->persists[qdi_place_of(state, i)];
    one->contact = *contact;
    one->warm_start = state->warm_starts[qdi_place_of(state, i)];
    if (qdi_springs(past)) one->force = *qdi_force_of(state, i);
}

// Renewal: counts own contacts to the owners of both bodies, or, where there is room, writes them.
static void post_contacts(const renewal *job, contact_slots *slots, qdi_contact_mail *mail) {
    const qd_world *past = job->past;
    const qdi_contact_state *state = &past->present;
    const qdi_realm *realm = &job->rank->realm;
    const size_t count = past->count > 0 ? qdi_constraint_count(state) : 0;
    for (size_t i = 0; i < count; ++i) {
        const qd_contact *contact = &state->contacts[i];
        const uint32_t row = past->row_of_index[contact->a.index];
        if (!owned(job, row)) continue;
        uint64_t mask = UINT64_C(1) << qdi_realm_owner(realm, place_of(past, row));
        if (!qd_id_is_wall(contact->b))
            mask |= UINT64_C(1) << qdi_realm_owner(realm,
                                                   place_of(past, past->row_of_index[contact->b.index]));
        for (int q = 0; mask; ++q, mask >>= 1) {
            if (!(mask & 1)) continue;
            if (mail) write_contact(past, i, &mail[slots->at[q]]);
            slots->at[q] += 1;
        }
    }
}

// Renewal: sends own contacts, and receives those of bodies that this rank is to own.
static qd_status hand_out_contacts(renewal *job, qdi_message *from) {
    contact_slots slots = {{0}};
    qdi_message to[QDI_RANKS_MAX];
    post_contacts(job, &slots, NULL);
    const size_t all = qdi_exclusive_scan(slots.at, QDI_RANKS_MAX + 1);
    const qd_status status = reserve_mail(job, all * sizeof(qdi_contact_mail));
    if (status != QD_OK) return status;
    void *room = job->mail;
    qdi_contact_mail *mail = room;
    if (mail) post_contacts(job, &slots, mail);
    for (int q = 0; q < qdi_ranks_count(job->ranks); ++q) {
        const size_t begin = q > 0 ? slots.at[q - 1] : 0;
        to[q] = (qdi_message){mail ? mail + begin : NULL, (slots.at[q] - begin) * sizeof *mail};
    }
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
    for (size_t i = 0; i < world->index_count; ++i) {
        part->ghost[i] = known->owner[i] != me;
        if (part->from) part->from[i] = place_of(world, world->row_of_index[i]);
    }
    part->ghosts = receive;
}

// Renewal: counts bits.
static size_t ones(uint64_t mask) {
    size_t count = 0;
    for (; mask; mask &= mask - 1) ++count;
    return count;
}

// Renewal: makes what a part needs to exchange ghosts.
static qd_status make_part(const renewal *job, const new_bodies *known) {
    qd_world *world = job->made;
    const int me = qdi_ranks_me(job->ranks);
    size_t send = 0, receive = 0;
    for (size_t i = 0; i < world->index_count; ++i) {
        const bool own = known->owner[i] == me;
        const uint32_t row = world->row_of_index[i];
        known->needed[i] = own ? needed_by(job, place_of(world, row), qdi_fleet_reach(world, row)) : 0;
        send += ones(known->needed[i] & ~(UINT64_C(1) << me));
        receive += !own;
    }
    const qd_status status = qdi_part_make(world, world->index_count, qdi_ranks_count(job->ranks) == 1, send,
                                           receive);
    if (status != QD_OK) return status;
    plan_exchange(job, known);
    world->part->slack = job->slack;
    return QD_OK;
}

// Renewal: takes bodies from the mail into the new part, with who owns each.
static qd_status take_bodies(const renewal *job, qdi_body_pile *pile, uint8_t *owner) {
    qd_world *world = job->made;
    const int me = qdi_ranks_me(job->ranks);
    const double entered = world->entered;
    const bool turning = world->turning;
    qd_status status = QD_OK;
    qd_body_state state = {.label = 0};
    const qdi_body_mail *one;
    for (size_t i = 0; status == QD_OK && (one = qdi_pile_take(pile, &state)) != NULL; ++i) {
        owner[i] = one->owner;
        job->rank->migrations += one->owner == me && one->moved;
        status = qdi_body_add_again(world, &state, false, NULL);
        if (status == QD_ERR_VALUE) status = QD_ERR_INTERNAL; // it was in order where it comes from
        if (status != QD_OK) break;
        world->names[i] = one->name;
        world->generation_of_index[i] = one->generation;
        world->generation[world->row_of_index[i]] = one->generation;
    }
    world->entered = entered;
    world->turning = turning;
    return status;
}

// Renewal: makes the new part's bodies of the mail of all ranks.
static qd_status make_bodies(renewal *job, const qdi_message *from) {
    qdi_body_pile pile = qdi_pile_of(from, qdi_ranks_count(job->ranks));
    const size_t count = qdi_pile_count(&pile);
    new_bodies known = {.room = count + 1};
    known.owner = qdi_allocate(job->allocator, known.room, sizeof *known.owner);
    qd_status status = known.owner ? QD_OK : QD_ERR_MEMORY;
    if (status == QD_OK) status = qdi_fleet_empty_part(job->rank, job->past, count, &job->made);
    if (status == QD_OK) status = take_bodies(job, &pile, known.owner);
    if (status == QD_OK) {
        known.needed = qdi_allocate(job->allocator, known.room, sizeof *known.needed);
        status = known.needed ? make_part(job, &known) : QD_ERR_MEMORY;
    }
    qdi_release(job->allocator, known.owner, known.room, sizeof *known.owner);
    qdi_release(job->allocator, known.needed, known.room, sizeof *known.needed);
    return status;
}

/// Steps for which ghosts are to last.
enum { LASTING = 24 };

// Renewal: how far bodies may come from where they are now, from how far they came in the steps so far, of
// which the last was too far.
static double slack_for(const qdi_fleet_rank *rank) {
    if (!rank->world) return 0.25 * rank->small;
    return 2 * LASTING * (rank->world->part->way / (double)(rank->steps + 1));
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

// Renewal: all of it, without the ranks' agreement.
static qd_status renew(renewal *job) {
    qdi_message from[QDI_RANKS_MAX];
    if (job->past->count > 0) qdi_contacts_need(job->past);
    if (job->rank->world) qdi_world_slim(job->rank->world);
    qd_status status = deal(job);
    if (status == QD_OK) status = list_giants(job);
    if (status == QD_OK) status = hand_out_bodies(job, from);
    if (status == QD_OK) forget_seeds(job);
    if (status == QD_OK) status = make_bodies(job, from);
    if (status == QD_OK) status = hand_out_contacts(job, from);
    if (status != QD_OK) return status;
    qdi_contact_pile pile = qdi_contacts_of(from, qdi_ranks_count(job->ranks));
    return qdi_fleet_put_contacts(job->made, &pile);
}

// Renewal: the new part takes the place of the one before.
static void take_part(renewal *job) {
    qdi_fleet_rank *rank = job->rank;
    qd_world *before = rank->world;
    if (before) {
        rank->contacts += before->part->contacts;
        rank->begins += before->part->begins;
        rank->ends += before->part->ends;
        rank->renewals += 1;
    } else {
        rank->migrations = 0; // nobody came from another rank
    }
    qd_world_destroy(before);
    rank->world = job->made;
    rank->steps = 0;
    qdi_team_join(rank->world->team, job->ranks);
}

qd_status qdi_fleet_renew(qdi_fleet_rank *rank) {
    const uint64_t migrations = rank->migrations;
    renewal job = {.ranks = rank->ranks,
                   .rank = rank,
                   .allocator = rank->allocator,
                   .past = rank->world   ? rank->world
                           : rank->seeds ? rank->seeds
                                         : rank->whole,
                   .slack = slack_for(rank)};
    const qd_status status = qdi_ranks_agree(rank->ranks, renew(&job));
    if (status == QD_OK && job.made) {
        take_part(&job);
    } else {
        rank->migrations = migrations;
        qd_world_destroy(job.made);
    }
    qdi_release(job.allocator, job.giants, job.giant_room, sizeof *job.giants);
    qdi_release(job.allocator, job.mail, job.mail_room, 1);
    return status;
}
