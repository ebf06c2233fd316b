#include "sim/step/exchange.h"

#include "sim/contact/margin.h"
#include "sim/world/contact_state.h"
#include "sim/world/grain.h"
#include "sim/world/part.h"
#include "sim/world/pose.h"
#include "sim/world/world_impl.h"

#include <math.h>

// Exchange of ghosts: numbers of a body in a message.
static size_t numbers_of(const qd_world *world) {
    return world->turning ? 7 : 4;
}

typedef struct ghost_job {
    qd_world *world;
    const qdi_message *from; ///< of each rank; where they are received
} ghost_job;

// Exchange of ghosts: writes a range of the bodies that other ranks have as ghosts, which lie rank by rank.
static void pack(void *context, size_t begin, size_t end) {
    const qd_world *world = ((const ghost_job *)context)->world;
    const qdi_motion *next = &world->next;
    const size_t numbers = numbers_of(world);
    double *at = world->part->buffer + begin * numbers;
    for (size_t i = begin; i < end; ++i, at += numbers) {
        const uint32_t row = world->row_of_index[world->part->send[i]];
        at[0] = next->x[row];
        at[1] = next->y[row];
        at[2] = next->vx[row];
        at[3] = next->vy[row];
        if (!world->turning) continue;
        at[4] = next->c[row];
        at[5] = next->s[row];
        at[6] = next->spin[row];
    }
}

// Exchange of ghosts: puts a ghost, and its box, where its owner has it.
static void put_ghost(qd_world *world, uint32_t row, const double *at) {
    const qdi_motion *next = &world->next;
    next->x[row] = at[0];
    next->y[row] = at[1];
    next->vx[row] = at[2];
    next->vy[row] = at[3];
    if (world->turning) {
        next->c[row] = at[4];
        next->s[row] = at[5];
        next->spin[row] = at[6];
    }
    qdi_margin_box_again(world, row);
}

// Exchange of ghosts: the same for a range of them.
static void unpack(void *context, size_t begin, size_t end) {
    const ghost_job *job = context;
    const qdi_part *part = job->world->part;
    const size_t numbers = numbers_of(job->world);
    int q = 0;
    for (size_t i = begin; i < end; ++i) {
        while (i >= part->receive_first[q + 1]) ++q;
        const double *of_rank = job->from[q].data;
        put_ghost(job->world, job->world->row_of_index[part->receive[i]],
                  of_rank + (i - part->receive_first[q]) * numbers);
    }
}

// Exchange of ghosts: sends the bodies that other ranks have as ghosts, and takes theirs.
static qd_status exchange_bodies(qd_world *world, qdi_ranks *ranks) {
    const qdi_part *part = world->part;
    const int count = qdi_ranks_count(ranks);
    const size_t bytes = numbers_of(world) * sizeof *part->buffer;
    qdi_message to[QDI_RANKS_MAX], from[QDI_RANKS_MAX];
    ghost_job job = {world, from};
    qdi_team_for(world->team, part->send_first[count], QDI_BODY_GRAIN, pack, &job);
    for (int q = 0; q < count; ++q)
        to[q] = (qdi_message){part->buffer + part->send_first[q] * numbers_of(world),
                              (part->send_first[q + 1] - part->send_first[q]) * bytes};
    qd_status status = qdi_ranks_exchange(ranks, to, from);
    if (status != QD_OK) return status;
    for (int q = 0; q < count; ++q)
        if (from[q].bytes != (part->receive_first[q + 1] - part->receive_first[q]) * bytes)
            return QD_ERR_INTERNAL;
    qdi_team_for(world->team, part->receive_first[count], QDI_BODY_GRAIN, unpack, &job);
    return QD_OK;
}

// Exchange of ghosts: the shorter way between two coordinates.
static double way_along(double from, double to, double period) {
    const double way = fabs(to - from);
    return period > 0 && way > 0.5 * period ? fabs(period - way) : way;
}

/// The most of some own bodies, squared: how far one is from where it was when ghosts were chosen, and speed;
/// and for how many steps fat boxes lasted that are due (qdi_margin_due).
typedef struct way_most {
    double way, speed, due;
} way_most;

typedef struct way_job {
    const qd_world *world;
    way_most *most; ///< by range
} way_job;

// Exchange of ghosts: what is the most of two.
static way_most larger(way_most a, way_most b) {
    return (way_most){a.way > b.way ? a.way : b.way, a.speed > b.speed ? a.speed : b.speed,
                      a.due > b.due ? a.due : b.due};
}

// Exchange of ghosts: the most of a range of rows.
static void see_ways(void *context, size_t begin, size_t end) {
    const way_job *job = context;
    const qd_world *world = job->world;
    const qdi_part *part = world->part;
    const qd_vec2 period = qdi_world_period(world);
    way_most most = {0, 0, 0};
    for (size_t r = begin; r < end; ++r) {
        const double x = way_along(part->from_x[r], world->next.x[r], period.x);
        const double y = way_along(part->from_y[r], world->next.y[r], period.y);
        const double vx = world->next.vx[r], vy = world->next.vy[r];
        if (!part->ghost[r]) most = larger(most, (way_most){x * x + y * y, vx * vx + vy * vy, 0});
    }
    job->most[begin / QDI_BODY_GRAIN] = most;
}

// Exchange of ghosts: the most of all own bodies.
static qd_status look_at_all(qd_world *world, way_most *most) {
    const size_t ranges = qdi_range_count(world->count, QDI_BODY_GRAIN);
    way_job job = {world, qdi_arena_take(&world->scratch.arena, ranges, sizeof *job.most)};
    *most = (way_most){0, 0, 0};
    if (ranges > 0 && !job.most) return QD_ERR_MEMORY;
    qdi_team_for(world->team, world->count, QDI_BODY_GRAIN, see_ways, &job);
    for (size_t k = 0; k < ranges; ++k) *most = larger(*most, job.most[k]);
    return QD_OK;
}

// Exchange of ghosts: the most of two ranks.
static void keep_larger(void *sum, const void *other, size_t bytes) {
    way_most *most = sum;
    (void)bytes;
    *most = larger(*most, *(const way_most *)other);
}

// Exchange of ghosts: finds out how far bodies of all ranks may have come. They are looked at where what is
// known of their speeds would let one be too far, now or before fat boxes that are due fall due again.
static qd_status find_way(qd_world *world, qdi_ranks *ranks, double dt, double *ahead) {
    static const double faster = 1.05; // than any is now
    qdi_part *part = world->part;
    way_most mine = {part->bound + part->stride, 0, qdi_margin_due(world)}, all;
    qd_status status = qdi_ranks_merged(ranks, &mine, &all, sizeof mine, keep_larger);
    if (status != QD_OK) return status;
    const double due = all.due;
    part->due = (uint32_t)due;
    *ahead = due > 0 ? due * (all.way - part->bound) : 0;
    part->way = all.way;
    if (part->way + *ahead <= 0.5 * part->slack) return QD_OK;
    status = look_at_all(world, &mine);
    if (status == QD_OK) status = qdi_ranks_merged(ranks, &mine, &all, sizeof mine, keep_larger);
    if (status != QD_OK) return status;
    part->way = sqrt(all.way);
    part->speed = faster * sqrt(all.speed);
    *ahead = due * part->speed * dt;
    return QD_OK;
}

// Exchange of ghosts: whether these are to be chosen anew. Then all fat boxes are made anew, too: so where
// that is due in this step, and the ghosts would not last until it is again, it is better done now, unless
// they are good for long still.
static bool is_stale(const qdi_part *part, double ahead) {
    static const double long_still = 0.75; // as a part of all the way that they are good for
    const double most = 0.5 * part->slack;
    return !(part->way <= most) || (part->way > long_still * most && part->way + ahead > most);
}

// Hook of the step: ghosts follow their owners.
static qd_status exchange_ghosts(qd_world *world, qdi_step_context *step) {
    qdi_part *part = world->part;
    if (!part) return QD_OK;
    qdi_ranks *ranks = qdi_team_ranks(world->team);
    part->stale = false;
    if (qdi_ranks_count(ranks) == 1) return QD_OK;
    double ahead = 0;
    qd_status status = find_way(world, ranks, step->dt, &ahead);
    if (status != QD_OK) return status;
    part->stale = is_stale(part, ahead);
    if (part->stale) return QD_ERR_STOPPED;
    return exchange_bodies(world, ranks);
}

// Hook of the step: counts the contacts that are the part's own.
static void count_contacts(qd_world *world, const qdi_step_context *step) {
    qdi_part *part = world->part;
    if (!part) return;
    (void)step;
    part->bound = part->way;
    const qdi_contact_state *state = &world->following;
    const qdi_part_count own = qdi_part_count_of(world, state);
    part->present = own.contacts;
    part->contacts += own.contacts;
    part->begins += own.begins;
    part->ends += own.ends;
}

const qdi_feature qdi_exchange_feature = {.at = {[QDI_STAGE_FOLLOW] = exchange_ghosts},
                                          .commit = count_contacts};
