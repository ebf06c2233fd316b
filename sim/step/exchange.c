#include "sim/step/exchange.h"

#include "sim/contact/margin.h"
#include "sim/world/bodies.h"
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

// Exchange of ghosts: writes the bodies that other ranks have as ghosts, rank by rank.
static void pack(const qd_world *world, int count, qdi_message *to) {
    const qdi_part *part = world->part;
    const qdi_motion *next = &world->next;
    const size_t numbers = numbers_of(world);
    double *at = part->buffer;
    for (int q = 0; q < count; ++q) {
        const size_t bodies = part->send_first[q + 1] - part->send_first[q];
        to[q] = (qdi_message){at, bodies * numbers * sizeof *at};
        for (size_t i = part->send_first[q]; i < part->send_first[q + 1]; ++i, at += numbers) {
            const uint32_t row = world->row_of_index[part->send[i]];
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
}

// Exchange of ghosts: puts ghosts, and their boxes, where their owners have them.
static qd_status unpack(qd_world *world, int count, const qdi_message *from) {
    const qdi_part *part = world->part;
    const qdi_motion *next = &world->next;
    const size_t numbers = numbers_of(world);
    for (int q = 0; q < count; ++q) {
        const double *at = from[q].data;
        const size_t bodies = part->receive_first[q + 1] - part->receive_first[q];
        if (from[q].bytes != bodies * numbers * sizeof *at) return QD_ERR_INTERNAL;
        for (size_t i = part->receive_first[q]; i < part->receive_first[q + 1]; ++i, at += numbers) {
            const uint32_t row = world->row_of_index[part->receive[i]];
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
    }
    return QD_OK;
}

// Exchange of ghosts: the shorter way between two coordinates.
static double way_along(double from, double to, double period) {
    const double way = fabs(to - from);
    return period > 0 && way > 0.5 * period ? fabs(period - way) : way;
}

typedef struct way_job {
    const qd_world *world;
    double *most; ///< by range
} way_job;

// Exchange of ghosts: how far the furthest own body of a range is from where it was when ghosts were chosen.
static void see_ways(void *context, size_t begin, size_t end) {
    const way_job *job = context;
    const qd_world *world = job->world;
    const qdi_part *part = world->part;
    const qd_vec2 period = qdi_world_period(world);
    double most = 0;
    for (size_t r = begin; r < end; ++r) {
        const double x = way_along(part->from_x[r], world->next.x[r], period.x);
        const double y = way_along(part->from_y[r], world->next.y[r], period.y);
        const double squared = part->ghost[r] ? 0 : x * x + y * y;
        most = squared > most ? squared : most;
    }
    job->most[begin / QDI_BODY_GRAIN] = most;
}

// Exchange of ghosts: the furthest of all own bodies.
static qd_status furthest(qd_world *world, double *most) {
    const size_t ranges = qdi_range_count(world->count, QDI_BODY_GRAIN);
    way_job job = {world, qdi_arena_take(&world->scratch.arena, ranges, sizeof(double))};
    *most = 0;
    if (ranges > 0 && !job.most) return QD_ERR_MEMORY;
    qdi_team_for(world->team, world->count, QDI_BODY_GRAIN, see_ways, &job);
    for (size_t k = 0; k < ranges; ++k)
        if (job.most[k] > *most) *most = job.most[k];
    *most = sqrt(*most);
    return QD_OK;
}

// Exchange of ghosts: the larger of two lengths.
static void keep_larger(void *sum, const void *other, size_t bytes) {
    double *most = sum;
    const double *more = other;
    (void)bytes;
    if (*more > *most) *most = *more;
}

// Hook of the step: ghosts follow their owners.
static qd_status exchange_ghosts(qd_world *world, qdi_step_context *step) {
    qdi_part *part = world->part;
    if (!part) return QD_OK;
    (void)step;
    qdi_ranks *ranks = qdi_team_ranks(world->team);
    part->stale = false;
    if (qdi_ranks_count(ranks) == 1) return QD_OK;
    double most;
    qd_status status = furthest(world, &most);
    if (status == QD_OK) status = qdi_ranks_merged(ranks, &most, &part->way, sizeof most, keep_larger);
    if (status != QD_OK) return status;
    part->stale = !(part->way <= 0.5 * part->slack);
    if (part->stale) return QD_ERR_STOPPED;
    qdi_message to[QDI_RANKS_MAX], from[QDI_RANKS_MAX];
    const int count = qdi_ranks_count(ranks);
    pack(world, count, to);
    status = qdi_ranks_exchange(ranks, to, from);
    return status == QD_OK ? unpack(world, count, from) : status;
}

// Hook of the step: counts the contacts that are the part's own.
static void count_contacts(qd_world *world, const qdi_step_context *step) {
    qdi_part *part = world->part;
    if (!part) return;
    (void)step;
    const qdi_contact_state *state = &world->following;
    const qdi_part_count own = qdi_part_count_of(world, state);
    part->present = own.contacts;
    part->contacts += own.contacts;
    part->begins += own.begins;
    for (size_t i = 0; i < state->ends; ++i) part->ends += qdi_part_has(world, &state->ended[i]);
}

const qdi_feature qdi_exchange_feature = {.at = {[QDI_STAGE_FOLLOW] = exchange_ghosts},
                                          .commit = count_contacts};
