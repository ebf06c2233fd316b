// Bodies to their owners, ghosts to those who may need them. Who needs a body as a ghost is a matter of its
// place, of the realm and of where giants are, which all ranks know: so whoever owns a body from now on knows
// to whom it has to send it, without being asked.
//
// A body is needed by whoever owns a place so near that a body there could touch it before ghosts are chosen
// anew. That is reckoned with the largest body that is no giant; giants are known everywhere, and who owns
// one needs all that are near it.

#include "core/base/memory.h"
#include "sim/ranks/fleet_impl.h"
#include "sim/world/bodies.h"
#include "sim/world/contact_list.h"
#include "sim/world/names.h"
#include "sim/world/pose.h"
#include "sim/world/spring_terms.h"

#include <math.h>
#include <stdlib.h>
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
    const qd_world *past; ///< the part before; at first the whole, that has bodies only on rank 0
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

// Renewal: lists the giants that this rank owned.
static qd_status list_own_giants(renewal *job) {
    qd_status status = QD_OK;
    job->giant_count = 0;
    for (size_t r = 0; r < job->past->count && status == QD_OK; ++r) {
        const double reach = qdi_fleet_reach(job->past, (uint32_t)r);
        if (!owned(job, r) || !is_giant(job, reach)) continue;
        status = qdi_reserve(job->allocator, &job->giants, &job->giant_room, job->giant_count,
                             job->giant_count + 1, sizeof *job->giants);
        if (status != QD_OK) break;
        const qd_vec2 place = place_of(job->past, r);
        job->giants[job->giant_count++] = (giant){place, reach, qdi_realm_owner(&job->rank->realm, place)};
    }
    return status;
}

// Renewal: lists the giants of all ranks.
static qd_status list_giants(renewal *job) {
    const int count = qdi_ranks_count(job->ranks);
    qdi_message to[QDI_RANKS_MAX], from[QDI_RANKS_MAX];
    qd_status status = list_own_giants(job);
    if (status != QD_OK) return status;
    for (int q = 0; q < count; ++q)
        to[q] = (qdi_message){job->giants, job->giant_count * sizeof *job->giants};
    status = qdi_ranks_exchange(job->ranks, to, from);
    if (status != QD_OK) return status;
    job->giant_count = 0;
    for (int q = 0; q < count; ++q) {
        const size_t more = from[q].bytes / sizeof *job->giants;
        if (more == 0) continue;
        status = qdi_reserve(job->allocator, &job->giants, &job->giant_room, job->giant_count,
                             job->giant_count + more, sizeof *job->giants);
        if (status != QD_OK) return status;
        memcpy(job->giants + job->giant_count, from[q].data, from[q].bytes);
        job->giant_count += more;
    }
    return QD_OK;
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
    if (is_giant(job, reach)) return all;
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

/// Bytes to each rank; then where those to each begin.
typedef struct mail_sizes {
    size_t at[QDI_RANKS_MAX + 1];
} mail_sizes;

// Renewal: adds an item of mail to those that are in a mask: its size, or, where there is room, itself.
static void post(renewal *job, mail_sizes *sizes, uint64_t mask, const void *item, size_t bytes, bool sized) {
    for (int q = 0; mask; ++q, mask >>= 1) {
        if (!(mask & 1)) continue;
        if (sized) memcpy(job->mail + sizes->at[q], item, bytes);
        sizes->at[q] += bytes;
    }
}

// Renewal: from sizes to where each rank's mail begins, with room for all.
static qd_status place_mail(renewal *job, mail_sizes *sizes) {
    const size_t all = qdi_exclusive_scan(sizes->at, QDI_RANKS_MAX + 1);
    return qdi_reserve(job->allocator, &job->mail, &job->mail_room, 0, all, 1);
}

// Renewal: sends what was posted: `sizes` says where each rank's mail ends.
static qd_status send_mail(const renewal *job, const mail_sizes *sizes, qdi_message *from) {
    qdi_message to[QDI_RANKS_MAX];
    for (int q = 0; q < qdi_ranks_count(job->ranks); ++q) {
        const size_t begin = q > 0 ? sizes->at[q - 1] : 0;
        to[q] = (qdi_message){job->mail ? job->mail + begin : NULL, sizes->at[q] - begin};
    }
    return qdi_ranks_exchange(job->ranks, to, from);
}

// Renewal: posts own bodies.
static void post_bodies(renewal *job, mail_sizes *sizes, bool sized) {
    const qd_world *past = job->past;
    const int me = qdi_ranks_me(job->ranks);
    for (size_t r = 0; r < job->past->count; ++r) {
        if (!owned(job, r)) continue;
        const qd_vec2 place = place_of(past, r);
        const uint64_t mask = needed_by(job, place, qdi_fleet_reach(past, (uint32_t)r));
        qdi_body_mail one;
        if (sized) {
            memset(&one, 0, sizeof one);
            one.state = qdi_body_state_of_row(past, (uint32_t)r);
            one.name = qdi_name_of(past, past->index[r]);
            one.generation = past->generation[r];
            one.owner = (uint8_t)qdi_realm_owner(&job->rank->realm, place);
            one.moved = one.owner != me;
        }
        post(job, sizes, mask, &one, sizeof one, sized);
    }
}

// Renewal: posts own contacts, to the owners of both bodies.
static void post_contacts(renewal *job, mail_sizes *sizes, bool sized) {
    const qd_world *past = job->past;
    const qdi_contact_state *state = &past->present;
    const size_t count = job->past->count > 0 ? qdi_constraint_count(state) : 0;
    for (size_t i = 0; i < count; ++i) {
        const qd_contact *contact = &state->contacts[i];
        const uint32_t row = past->row_of_index[contact->a.index];
        const bool wall = qd_id_is_wall(contact->b);
        if (!owned(job, row)) continue;
        uint64_t mask = UINT64_C(1) << qdi_realm_owner(&job->rank->realm, place_of(past, row));
        if (!wall)
            mask |= UINT64_C(1) << qdi_realm_owner(&job->rank->realm,
                                                   place_of(past, past->row_of_index[contact->b.index]));
        qdi_contact_mail one;
        if (sized) {
            memset(&one, 0, sizeof one);
            one.a = qdi_name_of(past, contact->a.index);
            one.b = qdi_name_of_id(past, contact->b);
            if (wall) one.b |= UINT64_C(1) << 63; // behind all names
            one.near = i >= state->contact_count;
            one.persists = state->persists[qdi_place_of(state, i)];
            one.contact = *contact;
            one.warm_start = state->warm_starts[qdi_place_of(state, i)];
            if (qdi_springs(past)) one.force = *qdi_force_of(state, i);
        }
        post(job, sizes, mask, &one, sizeof one, sized);
    }
}

typedef void (*poster)(renewal *job, mail_sizes *sizes, bool sized);

// Renewal: sends and receives mail of one kind.
static qd_status hand_out(renewal *job, poster post_all, qdi_message *from) {
    mail_sizes sizes = {{0}};
    post_all(job, &sizes, false);
    qd_status status = place_mail(job, &sizes);
    if (status != QD_OK) return status;
    post_all(job, &sizes, true);
    return send_mail(job, &sizes, from);
}

// ---- the new part ----

// Renewal: the order of bodies: by name.
static int compare_bodies(const void *p, const void *q) {
    const qdi_body_mail *a = *(const qdi_body_mail *const *)p, *b = *(const qdi_body_mail *const *)q;
    return a->name < b->name ? -1 : a->name > b->name;
}

// Renewal: says for each body of the new part whose ghost it is, or whose owner is another.
static void plan_exchange(const renewal *job, const qdi_body_mail *const *mail, const uint64_t *needed) {
    qd_world *world = job->made;
    qdi_part *part = world->part;
    const int me = qdi_ranks_me(job->ranks);
    size_t send = 0, receive = 0;
    for (int q = 0; q < QDI_RANKS_MAX; ++q) {
        part->send_first[q] = send;
        part->receive_first[q] = receive;
        for (size_t i = 0; i < world->index_count; ++i) {
            const bool own = mail[i]->owner == me;
            if (own && q != me && (needed[i] >> q & 1)) part->send[send++] = (qd_body_index)i;
            if (!own && mail[i]->owner == q) part->receive[receive++] = (qd_body_index)i;
        }
    }
    for (size_t i = 0; i < world->index_count; ++i) {
        part->ghost[i] = mail[i]->owner != me;
        part->from[i] = mail[i]->state.position;
    }
    part->ghosts = receive;
}

// Renewal: counts bits.
static size_t ones(uint64_t mask) {
    size_t count = 0;
    for (; mask; mask &= mask - 1) ++count;
    return count;
}

// Renewal: makes what a part needs to exchange ghosts; `needed` has room for one mask for each body.
static qd_status make_part(const renewal *job, const qdi_body_mail *const *mail, uint64_t *needed) {
    qd_world *world = job->made;
    const int me = qdi_ranks_me(job->ranks);
    size_t send = 0, receive = 0;
    for (size_t i = 0; i < world->index_count; ++i) {
        const bool own = mail[i]->owner == me;
        const uint32_t row = world->row_of_index[i];
        needed[i] = own ? needed_by(job, place_of(world, row), qdi_fleet_reach(world, row)) : 0;
        send += ones(needed[i] & ~(UINT64_C(1) << me));
        receive += !own;
        job->rank->migrations += own && mail[i]->moved;
    }
    const qd_status status = qdi_part_make(world, world->index_count, send, receive);
    if (status != QD_OK) return status;
    plan_exchange(job, mail, needed);
    world->part->slack = job->slack;
    return QD_OK;
}

/// Bytes of a pointer in a list of mail.
#define POINTER sizeof(void *)

// Renewal: makes the new part's bodies of the mail of all ranks.
static qd_status make_bodies(renewal *job, const qdi_message *from) {
    size_t count = 0, at = 0;
    for (int q = 0; q < qdi_ranks_count(job->ranks); ++q) count += from[q].bytes / sizeof(qdi_body_mail);
    const qdi_body_mail **mail = qdi_allocate(job->allocator, count + 1, POINTER);
    uint64_t *needed = qdi_allocate(job->allocator, count + 1, sizeof *needed);
    qd_status status = mail && needed ? QD_OK : QD_ERR_MEMORY;
    if (status == QD_OK) {
        for (int q = 0; q < qdi_ranks_count(job->ranks); ++q)
            for (size_t i = 0; i < from[q].bytes / sizeof(qdi_body_mail); ++i)
                mail[at++] = (const qdi_body_mail *)from[q].data + i;
        qsort(mail, count, POINTER, compare_bodies);
        status = qdi_fleet_empty_part(job->rank, job->past, &job->made);
    }
    if (status == QD_OK) status = qdi_fleet_put_bodies(job->made, mail, count);
    if (status == QD_OK) status = make_part(job, mail, needed);
    qdi_release(job->allocator, mail, count + 1, POINTER);
    qdi_release(job->allocator, needed, count + 1, sizeof *needed);
    return status;
}

// Renewal: gives the new part the contacts in the mail of all ranks.
static qd_status make_contacts(renewal *job, const qdi_message *from) {
    size_t count = 0, at = 0;
    for (int q = 0; q < qdi_ranks_count(job->ranks); ++q) count += from[q].bytes / sizeof(qdi_contact_mail);
    qdi_contact_mail *mail = qdi_allocate(job->allocator, count + 1, sizeof *mail);
    if (!mail) return QD_ERR_MEMORY;
    for (int q = 0; q < qdi_ranks_count(job->ranks); ++q) {
        if (from[q].bytes > 0) memcpy(mail + at, from[q].data, from[q].bytes);
        at += from[q].bytes / sizeof *mail;
    }
    const qd_status status = qdi_fleet_put_contacts(job->made, mail, count);
    qdi_release(job->allocator, mail, count + 1, sizeof *mail);
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

// Renewal: all of it, without the ranks' agreement.
static qd_status renew(renewal *job) {
    qdi_message from[QDI_RANKS_MAX];
    if (job->past->count > 0) qdi_contacts_need(job->past);
    qd_status status = deal(job);
    if (status == QD_OK) status = list_giants(job);
    if (status == QD_OK) status = hand_out(job, post_bodies, from);
    if (status == QD_OK) status = make_bodies(job, from);
    if (status == QD_OK) status = hand_out(job, post_contacts, from);
    return status == QD_OK ? make_contacts(job, from) : status;
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
                   .past = rank->world ? rank->world : rank->whole,
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
