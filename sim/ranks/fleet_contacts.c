#include "sim/ranks/fleet_contacts.h"

#include "core/base/memory.h"
#include "core/parallel/parallel.h"
#include "sim/ranks/fleet_meetings.h"
#include "sim/world/contact_list.h"
#include "sim/world/contact_state.h"
#include "sim/world/grain.h"
#include "sim/world/names.h"
#include "sim/world/spots.h"
#include "sim/world/spring_terms.h"

#include <string.h>

// ---- mail ----

/// Contacts to each rank; then where the next one goes.
typedef struct contact_slots {
    size_t at[QDI_RANKS_MAX + 1];
} contact_slots;

// Fleet's contacts: a contact as it is sent, but for what the kind of its state says.
static void begin_mail(const qd_world *past, const qd_contact *contact, qdi_contact_mail *one) {
    one->a = qdi_name_of(past, contact->a.index);
    one->b = qdi_name_of_id(past, contact->b);
    if (qd_id_is_wall(contact->b)) one->b |= QDI_FLEET_WALL;
    one->contact = *contact;
}

// Fleet's contacts: one by number, as it is sent.
static void write_contact(const qd_world *past, size_t i, qdi_contact_mail *one) {
    const qdi_contact_state *state = &past->present;
    begin_mail(past, &state->contacts[i], one);
    one->near = i >= state->contact_count;
    one->persists = state->persists[qdi_place_of(state, i)];
    one->warm_start = state->warm_starts[qdi_place_of(state, i)];
    if (qdi_springs(past)) one->force = *qdi_force_of(state, i);
}

// Fleet's contacts: one of springs that meet, by place, as it is sent.
static void write_meeting(const qd_world *past, size_t place, qdi_contact_mail *one) {
    const qdi_contact_state *state = &past->present;
    qd_contact contact;
    qdi_contact_at(past, state, place, &contact);
    begin_mail(past, &contact, one);
    one->persists = state->persists[place];
    one->warm_start = qdi_shear_met(state, place);
    one->force = qdi_force_met(past, state, place);
    if (state->thin && place < state->first_wall) one->thin_force = state->thin_forces[place];
}

qdi_meeting qdi_fleet_rows_of(const qd_world *world, bool placed, size_t i) {
    if (placed) return qdi_rows_at(&world->present, i);
    const qd_contact *contact = &world->present.contacts[i];
    return (qdi_meeting){world->row_of_index[contact->a.index],
                         qd_id_is_wall(contact->b) ? QDI_NO_ROW : world->row_of_index[contact->b.index]};
}

// Fleet's contacts: who is to have a contact, by bit.
static uint64_t receivers(const qdi_contact_choice *choice, size_t i) {
    const qd_world *past = choice->past;
    const qdi_meeting rows = qdi_fleet_rows_of(past, choice->placed, i);
    if (qdi_is_ghost(past, rows.a)) return 0;
    uint64_t mask = UINT64_C(1) << qdi_fleet_owner_of(choice->needs, past, rows.a), known = 0;
    if (choice->home) known = UINT64_C(1) << qdi_ranks_me(choice->needs->rank->ranks);
    if (rows.b != QDI_NO_ROW) {
        mask |= UINT64_C(1) << qdi_fleet_owner_of(choice->needs, past, rows.b);
        if (choice->home && qdi_is_ghost(past, rows.b))
            known |= UINT64_C(1) << choice->home[past->index[rows.b]];
    }
    return mask & ~known;
}

// Fleet's contacts: counts those for each rank, or, where there is room, writes them.
static void post_contacts(const qdi_contact_choice *choice, contact_slots *slots, qdi_contact_mail *mail) {
    const qd_world *past = choice->past;
    for (size_t k = 0; k < choice->count; ++k) {
        const size_t i = choice->numbers ? choice->numbers[k] : k;
        uint64_t mask = receivers(choice, i);
        for (int q = 0; mask; ++q, mask >>= 1) {
            if (!(mask & 1)) continue;
            qdi_contact_mail *one = mail ? &mail[slots->at[q]] : NULL;
            if (one) memset(one, 0, sizeof *one); // it is sent
            if (one) choice->placed ? write_meeting(past, i, one) : write_contact(past, i, one);
            slots->at[q] += 1;
        }
    }
}

qd_status qdi_contacts_post(const qdi_contact_choice *choice, qdi_post *post, qdi_message *from) {
    const qdi_fleet_rank *rank = choice->needs->rank;
    contact_slots slots = {{0}};
    qdi_message to[QDI_RANKS_MAX];
    post_contacts(choice, &slots, NULL);
    const size_t all = qdi_exclusive_scan(slots.at, QDI_RANKS_MAX + 1);
    const qd_status status = qdi_reserve(rank->allocator, &post->memory, &post->room, 0,
                                         all * sizeof(qdi_contact_mail), 1);
    if (status != QD_OK) return status;
    void *room = post->memory;
    qdi_contact_mail *mail = all > 0 ? room : NULL;
    if (mail) post_contacts(choice, &slots, mail);
    for (int q = 0; q < qdi_ranks_count(rank->ranks); ++q) {
        const size_t begin = q > 0 && mail ? slots.at[q - 1] : 0;
        to[q] = (qdi_message){mail ? mail + begin : NULL, mail ? (slots.at[q] - begin) * sizeof *mail : 0};
    }
    return qdi_ranks_exchange(rank->ranks, to, from);
}

// ---- those that stay, and those that come ----

/// What passes over contacts work with.
typedef struct contact_job {
    const qdi_contact_splice *splice;
    uint8_t *fate; ///< by number, or where springs meet by place: as of qdi_splice
    const uint32_t *to;
} contact_job;

// Fleet's contacts: which contacts of a range have no own body any more.
static void judge_range(void *context, size_t begin, size_t end) {
    const contact_job *job = context;
    const qd_world *world = job->splice->world;
    const uint8_t *fate = job->splice->fate;
    for (size_t i = begin; i < end; ++i) {
        const qdi_meeting rows = qdi_fleet_rows_of(world, world->present.met, i);
        const bool own = fate[world->index[rows.a]] == QDI_FATE_OWN ||
                         (rows.b != QDI_NO_ROW && fate[world->index[rows.b]] == QDI_FATE_OWN);
        job->fate[i] = own ? 0 : QDI_SPLICE_GOES;
    }
}

// Fleet's contacts: whether a present contact comes before one that comes: those that touch do, then by
// names.
static bool is_before(const qd_world *world, size_t i, const qdi_contact_mail *other) {
    const qd_contact *contact = &world->present.contacts[i];
    const bool near = i >= world->present.contact_count;
    if (near != other->near) return other->near;
    const uint64_t a = qdi_name_of(world, contact->a.index);
    if (a != other->a) return a < other->a;
    const uint64_t wall = qd_id_is_wall(contact->b) ? QDI_FLEET_WALL : 0;
    return (qdi_name_of_id(world, contact->b) | wall) < other->b;
}

// Fleet's contacts: the present contact, or as many as there are, before which one comes.
static uint32_t find_before(const qd_world *world, const qdi_contact_mail *one) {
    size_t low = 0, high = qdi_constraint_count(&world->present);
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (is_before(world, middle, one))
            low = middle + 1;
        else
            high = middle;
    }
    return (uint32_t)low;
}

// Fleet's contacts: copies those of a range that stay.
static void copy_range(void *context, size_t begin, size_t end) {
    const contact_job *job = context;
    qd_world *world = job->splice->world;
    const qdi_contact_state *from = &world->present;
    qdi_contact_state *state = &world->following;
    const bool springs = qdi_springs(world);
    for (size_t i = begin; i < end; ++i) {
        const uint32_t to = job->to[i];
        if (to == UINT32_MAX) continue;
        const size_t place = qdi_place_of(from, i);
        qd_contact *contact = &state->contacts[to];
        *contact = from->contacts[i];
        contact->a.index = job->splice->to[contact->a.index];
        if (!qd_id_is_wall(contact->b)) contact->b.index = job->splice->to[contact->b.index];
        state->warm_starts[to] = from->warm_starts[place];
        state->persists[to] = from->persists[place];
        if (springs) state->forces[to] = *qdi_force_of(from, i);
    }
}

// Fleet's contacts: puts those that come where they belong.
static qd_status put_coming(const qdi_contact_splice *job, const uint32_t *place) {
    qd_status status = QD_OK;
    for (size_t k = 0; k < job->come_count && status == QD_OK; ++k)
        status = qdi_fleet_put_contact(job->world, &job->world->following, place[k], &job->come[k],
                                       job->names, job->bodies);
    return status;
}

// Fleet's contacts: how many of them touch: those come first.
static size_t touching_then(const qdi_contact_splice *job, const qdi_splice *all) {
    size_t last = job->world->present.contact_count, come = job->come_count, count = 0;
    while (last > 0 && all->to[last - 1] == UINT32_MAX) --last;
    while (come > 0 && job->come[come - 1].near) --come;
    if (last > 0) count = all->to[last - 1] + (size_t)1;
    if (come > 0 && all->place[come - 1] >= count) count = all->place[come - 1] + (size_t)1;
    return count;
}

void qdi_fleet_begin_state(const qdi_contact_state *from, size_t touching, size_t all,
                           qdi_contact_state *state) {
    state->contact_count = touching;
    state->near_count = all - touching;
    state->begins = state->ends = 0;
    state->event_count = state->impact_count = 0;
    state->unfollowed = 0;
    state->listed = QDI_TELLS_NOTHING;
    state->wall_lost = from->wall_lost;
    memcpy(state->wall_force, from->wall_force, sizeof state->wall_force);
}

// Fleet's contacts: makes them by number.
static qd_status splice_contacts(contact_job *pass, size_t count) {
    const qdi_contact_splice *job = pass->splice;
    qd_world *world = job->world;
    qdi_arena *arena = &world->scratch.arena;
    uint32_t *before = qdi_arena_take(arena, job->come_count, sizeof *before);
    if (job->come_count > 0 && !before) return QD_ERR_MEMORY;
    for (size_t k = 0; k < job->come_count; ++k) before[k] = find_before(world, &job->come[k]);
    qdi_splice all = {.fate = pass->fate, .count = count, .before = before, .coming = job->come_count};
    qd_status status = qdi_splice_find(world->team, arena, &all);
    if (status == QD_OK) status = qdi_fleet_reserve_contacts(world, &world->following, all.all);
    if (status != QD_OK) return status;
    pass->to = all.to;
    qdi_team_for(world->team, count, QDI_CONTACT_GRAIN, copy_range, pass);
    qdi_fleet_begin_state(&world->present, touching_then(job, &all), all.all, &world->following);
    world->following.whole = true;
    status = put_coming(job, all.place);
    return status == QD_OK ? qdi_spots_make_apart(world, &world->following) : status;
}

qd_status qdi_contacts_splice(const qdi_contact_splice *job) {
    qd_world *world = job->world;
    const size_t count = qdi_constraint_count(&world->present);
    contact_job pass = {job, qdi_arena_take(&world->scratch.arena, count, 1), NULL};
    if (count > 0 && !pass.fate) return QD_ERR_MEMORY;
    qdi_team_for(world->team, count, QDI_CONTACT_GRAIN, judge_range, &pass);
    return world->present.met ? qdi_meetings_splice(job, pass.fate) : splice_contacts(&pass, count);
}

void qdi_fleet_find_rows(qd_world *world) {
    if (world->present.met && !world->present.whole)
        qdi_spots_name(world, true);
    else
        qdi_spots_find_rows(world, &world->present);
}
