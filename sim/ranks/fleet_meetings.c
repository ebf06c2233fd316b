#include "sim/ranks/fleet_meetings.h"

#include "core/parallel/parallel.h"
#include "sim/ranks/fleet_impl.h"
#include "sim/world/grain.h"
#include "sim/world/names.h"

/// What passes over contacts work with; places are those in the present state.
typedef struct meeting_job {
    const qdi_contact_splice *splice;
    uint32_t *before, *coming;
    qdi_splice all;
} meeting_job;

// Fleet's contacts: lists those that come: disks that meet each other behind those that do already, and so
// those in walls.
static void order_coming(const meeting_job *job) {
    const qdi_contact_splice *splice = job->splice;
    size_t at = 0;
    for (int walls = 0; walls <= 1; ++walls)
        for (size_t k = 0; k < splice->come_count; ++k) {
            if (((splice->come[k].b & QDI_FLEET_WALL) != 0) != walls) continue;
            job->coming[at] = (uint32_t)k;
            job->before[at++] = (uint32_t)(walls ? job->all.count : splice->world->present.first_wall);
        }
}

// Fleet's contacts: puts a disk in a wall, by index.
static void put_wall(qdi_contact_state *state, size_t place, uint32_t index, uint32_t wall,
                     const qdi_wall_touch *touch) {
    state->spots[place] = (qdi_spot){.row_a = index, .row_b = QDI_NO_ROW, .wall = wall};
    state->walls[place - state->first_wall] = *touch;
}

// Fleet's contacts: copies those of a range that stay.
static void copy_range(void *context, size_t begin, size_t end) {
    const meeting_job *job = context;
    qd_world *world = job->splice->world;
    const qdi_contact_state *from = &world->present;
    qdi_contact_state *state = &world->following;
    for (size_t p = begin; p < end; ++p) {
        const uint32_t to = job->all.to[p];
        if (to == UINT32_MAX) continue;
        const qdi_meeting rows = qdi_rows_at(from, p);
        const uint32_t a = job->splice->to[world->index[rows.a]];
        state->persists[to] = from->persists[p];
        if (p >= from->first_wall)
            put_wall(state, to, a, from->spots[p].wall, &from->walls[p - from->first_wall]);
        else
            state->pairs_met[to] = (qdi_meeting){a, job->splice->to[world->index[rows.b]]};
        if (p < from->first_wall && from->thin) {
            state->approaches[to] = from->approaches[p];
            state->shears[to] = from->shears[p];
            state->thin_forces[to] = from->thin_forces[p];
            continue;
        }
        state->disks[to] = from->disks[p];
        state->warm_starts[to] = from->warm_starts[p];
        state->forces[to] = from->forces[p];
    }
}

// Fleet's contacts: puts one that comes at its place.
static qd_status put_coming(const meeting_job *job, const qdi_contact_mail *one, size_t place) {
    qdi_contact_state *state = &job->splice->world->following;
    const qd_touch *touch = &one->contact.touch[0];
    const uint32_t a = qdi_names_find(job->splice->names, job->splice->bodies, one->a);
    uint32_t b = 0;
    state->persists[place] = one->persists;
    if (one->b & QDI_FLEET_WALL) {
        put_wall(state, place, a, one->contact.b.index - (uint32_t)QD_WALL_LEFT,
                 &(qdi_wall_touch){touch->point, touch->depth});
    } else {
        b = qdi_names_find(job->splice->names, job->splice->bodies, one->b);
        state->pairs_met[place] = (qdi_meeting){a, b};
    }
    if (a == QDI_NO_ROW || b == QDI_NO_ROW) return QD_ERR_INTERNAL;
    if (state->thin && place < state->first_wall) {
        state->approaches[place] = one->contact.approach;
        state->shears[place] = (qd_vec2){one->warm_start.normal[0], one->warm_start.tangent[0]};
        state->thin_forces[place] = one->thin_force;
        return QD_OK;
    }
    state->disks[place] = (qdi_disk_contact){one->contact.approach, touch->impulse, touch->friction};
    state->warm_starts[place] = one->warm_start;
    state->forces[place] = one->force;
    return QD_OK;
}

// Fleet's contacts: disks that meet each other, of those that stay and those that come.
static size_t count_pairs(const meeting_job *job) {
    const qdi_contact_splice *splice = job->splice;
    size_t count = 0, last = splice->world->present.first_wall;
    for (size_t k = 0; k < splice->come_count; ++k) count += !(splice->come[k].b & QDI_FLEET_WALL);
    while (last > 0 && job->all.to[last - 1] == UINT32_MAX) --last;
    return last > 0 ? count + job->all.to[last - 1] + 1 : count;
}

// Fleet's contacts: a state for them, of the kind of the present one.
static qd_status begin_state(const meeting_job *job, size_t pairs) {
    qd_world *world = job->splice->world;
    qdi_contact_state *state = &world->following;
    const qdi_contact_state *from = &world->present;
    qd_status status = qdi_fleet_reserve_contacts(world, state, job->all.all);
    if (status == QD_OK)
        status = qdi_meetings_reserve(world->allocator, state, from->thin, pairs, job->all.all - pairs);
    if (status != QD_OK) return status;
    qdi_fleet_begin_state(from, job->all.all, job->all.all, state);
    state->parts = state->whole = state->numbered = false;
    state->met = true;
    state->thin = from->thin;
    state->period = from->period;
    state->dt = from->dt;
    state->first_wall = pairs;
    state->pairs = state->layout = 0;
    if (state->thin) state->thin_forces[pairs] = (qdi_thin_force){0, 0, 0, 0};
    return QD_OK;
}

qd_status qdi_meetings_splice(const qdi_contact_splice *splice, const uint8_t *fate) {
    qd_world *world = splice->world;
    qdi_arena *arena = &world->scratch.arena;
    const size_t count = world->present.contact_count;
    meeting_job job = {.splice = splice};
    job.before = qdi_arena_take(arena, splice->come_count, sizeof *job.before);
    job.coming = qdi_arena_take(arena, splice->come_count, sizeof *job.coming);
    if (splice->come_count > 0 && (!job.before || !job.coming)) return QD_ERR_MEMORY;
    job.all = (qdi_splice){.fate = fate, .count = count, .before = job.before, .coming = splice->come_count};
    order_coming(&job);
    qd_status status = qdi_splice_find(world->team, arena, &job.all);
    if (status == QD_OK) status = begin_state(&job, count_pairs(&job));
    if (status != QD_OK) return status;
    qdi_team_for(world->team, count, QDI_CANDIDATE_GRAIN, copy_range, &job);
    for (size_t k = 0; k < job.all.coming && status == QD_OK; ++k)
        status = put_coming(&job, &splice->come[job.coming[k]], job.all.place[k]);
    return status;
}
