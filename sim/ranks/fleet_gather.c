// The whole world from its parts. Each rank sends rank 0 what is its own: bodies, and the contacts whose
// first body is its own, in the order of these bodies' names. So a count of contacts by first body says where
// each of them goes.

#include "core/base/memory.h"
#include "sim/contact/margin.h"
#include "sim/ranks/fleet_impl.h"
#include "sim/world/contact_list.h"
#include "sim/world/contact_state.h"
#include "sim/world/names.h"
#include "sim/world/spots.h"
#include "sim/world/spring_terms.h"

#include <string.h>

/// Lists of contacts: that touch, that are near, that have ended.
enum { TOUCHING, NEAR, ENDED, LISTS };

/// How a rank's message begins; then come bodies, and contacts list by list.
typedef struct gathered_head {
    uint64_t bodies, listed[LISTS];
    qdi_fleet_tally tally;
} gathered_head;

typedef struct gathered_body {
    uint64_t name;
    double x, y, vx, vy, c, s, spin;
} gathered_body;

/// A contact, with names where bodies' indices were. Those that have ended are a contact and no more.
typedef struct gathered_contact {
    qd_contact contact;
    uint64_t persists;
    qdi_warm_start warm_start;
    qdi_contact_force force;
} gathered_contact;

/// A message that was received.
typedef struct gathered {
    const gathered_head *head;
    const gathered_body *bodies;
    const gathered_contact *contacts; ///< that touch, then that are near
    const qd_contact *ended;
} gathered;

// ---- what a rank sends ----

/// A message that is being written; `at` NULL: only counted.
typedef struct packing {
    const qd_world *part;
    gathered_head head;
    unsigned char *at;
} packing;

// Gathering: adds bytes to a message.
static void pack(packing *job, const void *item, size_t bytes) {
    memcpy(job->at, item, bytes);
    job->at += bytes;
}

// Gathering: a contact as the whole world has it.
static qd_contact named_contact(const qd_world *part, const qd_contact *contact) {
    qd_contact named = *contact;
    named.a.index = (qd_body_index)qdi_name_of(part, contact->a.index);
    named.b.index = (qd_body_index)qdi_name_of_id(part, contact->b);
    return named;
}

// Gathering: the contacts of a part that are its own, list by list.
static void pack_contacts(packing *job) {
    const qd_world *part = job->part;
    const qdi_contact_state *state = &part->present;
    for (size_t i = 0; i < qdi_constraint_count(state); ++i) {
        if (!qdi_part_has(part, &state->contacts[i])) continue;
        job->head.listed[i < state->contact_count ? TOUCHING : NEAR] += 1;
        if (!job->at) continue;
        gathered_contact one;
        memset(&one, 0, sizeof one);
        one.contact = named_contact(part, &state->contacts[i]);
        one.warm_start = state->warm_starts[qdi_place_of(state, i)];
        one.persists = state->persists[qdi_place_of(state, i)];
        if (qdi_springs(part)) one.force = *qdi_force_of(state, i);
        pack(job, &one, sizeof one);
    }
    for (size_t i = 0; i < state->ends; ++i) {
        const qd_contact *ended = qdi_ended_at(state, i);
        if (!qdi_part_has(part, ended)) continue;
        job->head.listed[ENDED] += 1;
        const qd_contact one = named_contact(part, ended);
        if (job->at) pack(job, &one, sizeof one);
    }
}

// Gathering: where the own bodies of a part are.
static void pack_bodies(packing *job) {
    const qd_world *part = job->part;
    const qdi_motion *now = &part->now;
    for (size_t r = 0; r < part->count; ++r) {
        if (qdi_is_ghost(part, r)) continue;
        const gathered_body one = {qdi_name_of(part, part->index[r]),
                                   now->x[r],
                                   now->y[r],
                                   now->vx[r],
                                   now->vy[r],
                                   now->c[r],
                                   now->s[r],
                                   now->spin[r]};
        pack(job, &one, sizeof one);
    }
}

// Gathering: writes a rank's message.
static qd_status write_mail(qdi_fleet_rank *rank, size_t *bytes) {
    packing job = {.part = rank->world, .head = {.tally = qdi_fleet_tally_of(rank)}};
    job.head.bodies = rank->world->count - rank->world->part->ghosts;
    pack_contacts(&job);
    const gathered_head head = job.head;
    *bytes = sizeof head + head.bodies * sizeof(gathered_body) +
             (head.listed[TOUCHING] + head.listed[NEAR]) * sizeof(gathered_contact) +
             head.listed[ENDED] * sizeof(qd_contact);
    const qd_status status = qdi_reserve(rank->allocator, &rank->mail, &rank->mail_room, 0, *bytes, 1);
    if (status != QD_OK) return status;
    job.at = rank->mail;
    pack(&job, &head, sizeof head);
    pack_bodies(&job);
    pack_contacts(&job);
    return QD_OK;
}

// ---- what rank 0 makes of it ----

// Gathering: what lies where in a message.
static gathered read_mail(const qdi_message *message) {
    gathered mail = {.head = message->data};
    const void *bodies = mail.head + 1;
    mail.bodies = bodies;
    const void *contacts = mail.bodies + mail.head->bodies;
    mail.contacts = contacts;
    const void *ended = mail.contacts + mail.head->listed[TOUCHING] + mail.head->listed[NEAR];
    mail.ended = ended;
    return mail;
}

/// What is put together.
typedef struct gathering {
    qd_world *whole;
    const gathered *mail; ///< of all ranks
    int count;
    size_t *place[LISTS]; ///< by name of the first body: where its next contact goes
    size_t total[LISTS];
} gathering;

// Gathering: which list a contact of a message is in.
static int list_of(const gathered *mail, size_t number) {
    return number < mail->head->listed[TOUCHING] ? TOUCHING : NEAR;
}

// Gathering: how many contacts of a message have not ended.
static size_t constraints_of(const gathered *mail) {
    return mail->head->listed[TOUCHING] + mail->head->listed[NEAR];
}

// Gathering: counts contacts by their first bodies.
static void count_contacts(gathering *job, const gathered *mail) {
    for (size_t i = 0; i < constraints_of(mail); ++i)
        job->place[list_of(mail, i)][mail->contacts[i].contact.a.index] += 1;
    for (size_t i = 0; i < mail->head->listed[ENDED]; ++i) job->place[ENDED][mail->ended[i].a.index] += 1;
}

// Gathering: puts contacts where they belong.
static void put_contacts(gathering *job, const gathered *mail) {
    qdi_contact_state *to = &job->whole->present;
    for (size_t i = 0; i < constraints_of(mail); ++i) {
        const gathered_contact *one = &mail->contacts[i];
        const int list = list_of(mail, i);
        const size_t place = job->place[list][one->contact.a.index]++ +
                             (list == NEAR ? job->total[TOUCHING] : 0);
        to->contacts[place] = one->contact;
        to->warm_starts[place] = one->warm_start;
        to->persists[place] = one->persists != 0;
        if (qdi_springs(job->whole)) to->forces[place] = one->force;
    }
    for (size_t i = 0; i < mail->head->listed[ENDED]; ++i)
        to->ended[job->place[ENDED][mail->ended[i].a.index]++] = mail->ended[i];
}

// Gathering: makes room for contacts and events.
static qd_status reserve_contacts(gathering *job) {
    qd_world *whole = job->whole;
    qdi_contact_state *state = &whole->present;
    qd_status status = qdi_fleet_reserve_contacts(whole, &whole->present,
                                                  job->total[TOUCHING] + job->total[NEAR]);
    if (status == QD_OK)
        status = qdi_reserve(whole->allocator, &state->ended, &state->ended_room, 0, job->total[ENDED],
                             sizeof *state->ended);
    if (status == QD_OK)
        status = qdi_reserve(whole->allocator, &state->ended_order, &state->ended_order_room, 0,
                             job->total[ENDED], sizeof *state->ended_order);
    if (status == QD_OK)
        status = qdi_reserve(whole->allocator, &state->events, &state->event_room, 0,
                             job->total[TOUCHING] + job->total[ENDED], sizeof *state->events);
    return status;
}

// Gathering: contacts of all parts in the order of the whole. `any`: one of the parts.
static qd_status gather_listed(gathering *job, const qd_world *any) {
    qdi_contact_state *state = &job->whole->present;
    for (int q = 0; q < job->count; ++q) count_contacts(job, &job->mail[q]);
    for (int list = 0; list < LISTS; ++list)
        job->total[list] = qdi_exclusive_scan(job->place[list], job->whole->index_count);
    const qd_status status = reserve_contacts(job);
    if (status != QD_OK) return status;
    state->parts = false;
    for (int q = 0; q < job->count; ++q) put_contacts(job, &job->mail[q]);
    memcpy(state->wall_force, any->present.wall_force, sizeof state->wall_force);
    state->wall_lost = any->present.wall_lost;
    state->contact_count = job->total[TOUCHING];
    state->near_count = job->total[NEAR];
    state->ends = job->total[ENDED];
    for (size_t k = 0; k < state->ends; ++k) state->ended_order[k] = (uint32_t)k; // they lie in order
    state->begins = 0;
    for (size_t i = 0; i < state->contact_count; ++i) state->begins += !state->persists[i];
    state->impact_count = state->unfollowed = 0;
    state->event_count = 0;
    state->listed = QDI_TELLS_NOTHING;
    state->whole = true;
    return qdi_spots_make(job->whole, state);
}

// Gathering: contacts and events.
static qd_status gather_contacts(const qdi_fleet_rank *rank, gathering *job) {
    const size_t names = rank->whole->index_count;
    size_t *places = qdi_allocate(rank->allocator, names + 1, LISTS * sizeof *places);
    if (!places) return QD_ERR_MEMORY;
    memset(places, 0, names * LISTS * sizeof *places);
    for (int list = 0; list < LISTS; ++list) job->place[list] = places + (size_t)list * names;
    const qd_status status = gather_listed(job, rank->world);
    qdi_release(rank->allocator, places, names + 1, LISTS * sizeof *places);
    return status;
}

// Gathering: where the bodies of a rank are.
static void put_bodies(const gathered *mail, qd_world *whole) {
    for (size_t i = 0; i < mail->head->bodies; ++i) {
        const gathered_body *body = &mail->bodies[i];
        const uint32_t row = whole->row_of_index[body->name];
        whole->now.x[row] = body->x;
        whole->now.y[row] = body->y;
        whole->now.vx[row] = body->vx;
        whole->now.vy[row] = body->vy;
        if (!whole->turning) continue;
        whole->now.c[row] = body->c;
        whole->now.s[row] = body->s;
        whole->now.spin[row] = body->spin;
    }
}

// Gathering: gives rank 0's world what all parts have in common; `tally` is that of all ranks.
static void put_common(const qdi_fleet_rank *rank, const qdi_fleet_tally *tally) {
    const qd_world *any = rank->world;
    qd_world *whole = rank->whole;
    whole->clock = any->clock;
    whole->balance = any->balance;
    whole->rates = any->rates;
    memcpy(whole->axis, any->axis, sizeof whole->axis);
    memcpy(whole->wall_speed, any->wall_speed, sizeof whole->wall_speed);
    memcpy(whole->wall_mean, any->wall_mean, sizeof whole->wall_mean);
    whole->totals = qdi_fleet_totals(rank);
    qdi_fleet_add_tally(&whole->totals, tally);
    whole->margin.held = whole->margin.edited = false;
}

qd_status qdi_fleet_bring_common(const qdi_fleet_rank *rank) {
    const qdi_fleet_tally mine = qdi_fleet_tally_of(rank);
    qdi_fleet_tally all;
    const qd_status status = qdi_ranks_merged(rank->ranks, &mine, &all, sizeof mine, qdi_ranks_add_counts);
    if (status == QD_OK && rank->apart && qdi_ranks_me(rank->ranks) == 0) put_common(rank, &all);
    return status;
}

// Gathering: puts the whole world together.
static qd_status put_together(const qdi_fleet_rank *rank, const qdi_message *from) {
    qd_world *whole = rank->whole;
    gathered mail[QDI_RANKS_MAX];
    gathering job = {.whole = whole, .mail = mail, .count = qdi_ranks_count(rank->ranks)};
    qdi_fleet_tally tally = {0, 0, 0};
    for (int q = 0; q < job.count; ++q) {
        mail[q] = read_mail(&from[q]);
        put_bodies(&mail[q], whole);
        qdi_ranks_add_counts(&tally, &mail[q].head->tally, sizeof tally);
    }
    put_common(rank, &tally);
    const qd_status status = gather_contacts(rank, &job);
    if (status != QD_OK) return status;
    qdi_touching_mark(whole);
    whole->scratch.slots_of = 0;
    whole->scratch.accelerations_present = false;
    return qdi_tree_restore(whole);
}

qd_status qdi_fleet_collect(qdi_fleet_rank *rank) {
    qdi_message to[QDI_RANKS_MAX] = {{NULL, 0}}, from[QDI_RANKS_MAX];
    rank->gathers += 1;
    qdi_contacts_need(rank->world);
    qd_status status = write_mail(rank, &to[0].bytes);
    if (status != QD_OK) return status;
    to[0].data = rank->mail;
    status = qdi_ranks_exchange(rank->ranks, to, from);
    return status == QD_OK && qdi_ranks_me(rank->ranks) == 0 ? put_together(rank, from) : status;
}
