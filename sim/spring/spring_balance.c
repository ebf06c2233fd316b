// What becomes of the energy that passes through springs, and what walls give. A loss is booked where a force
// is worked out, with the velocities in the middle of the step; a contact that ends loses the shear that is
// left in it. A wall gives the mean of its forces at the two ends of a step.

#include "sim/spring/meet_job.h"
#include "sim/spring/spring.h"
#include "sim/world/bodies.h"
#include "sim/world/contact_list.h"
#include "sim/world/contact_state.h"
#include "sim/world/energy_balance.h"
#include "sim/world/energy_balance_state.h"
#include "sim/world/grain.h"
#include "sim/world/limits.h"
#include "sim/world/part.h"
#include "sim/world/population.h"
#include "sim/world/scratch.h"
#include "sim/world/spring_terms.h"
#include "sim/world/sum.h"
#include "sim/world/walls.h"
#include "sim/world/world_impl.h"

#include <math.h>
#include <string.h>

// ---- walls ----

typedef struct wall_list {
    const qdi_contact_state *state;
    bool by_spot; ///< balances lie by spot; else by contact
    uint32_t wall;
    qdi_contact_balance *contact_balances;
} wall_list;

// Springs' energy: the number of a contact with a wall.
static uint32_t number_on_wall(const wall_list *list, size_t i) {
    return list->state->number[list->state->first_wall + i];
}

// Term of a sum: the spring force of one contact on a wall.
static qd_vec2 wall_force_term(const void *context, size_t i) {
    const wall_list *list = context;
    const qdi_contact_state *state = list->state;
    const size_t place = state->first_wall + i;
    if (state->spots[place].wall != list->wall) return (qd_vec2){0, 0};
    const qdi_contact_force *force = &state->forces[state->met ? place : number_on_wall(list, i)];
    return (qd_vec2){force->x, force->y};
}

/// Springs' energy: the balance of a contact with a wall: these lie in the order of their spots.
static qdi_contact_balance *balance_of_wall(const wall_list *list, size_t i) {
    return &list->contact_balances[list->by_spot ? list->state->first_wall + i : number_on_wall(list, i)];
}

// Springs' energy: term of a sum: energy that one contact with a wall lost.
static qd_vec2 wall_loss_term(const void *context, size_t i) {
    const wall_list *list = context;
    const qdi_contact_balance *contact_balance = balance_of_wall(list, i);
    return (qd_vec2){contact_balance->lane[QDI_LOST_NORMAL], contact_balance->lane[QDI_LOST_FRICTION]};
}

qd_status qdi_spring_walls(qd_world *world, qdi_contact_state *state, double dt, bool by_spot) {
    qdi_arena *arena = &world->scratch.arena;
    size_t count = qdi_constraint_count(state) - state->first_wall;
    memset(state->wall_force, 0, sizeof state->wall_force);
    state->wall_lost = (qd_vec2){0, 0};
    if (count == 0 && (!world->part || !qdi_has_walls(world))) return QD_OK; // other parts may have some
    wall_list lists[QDI_WALLS + 1];
    qdi_sum_term terms[QDI_WALLS + 1];
    qd_vec2 sums[QDI_WALLS + 1] = {{0, 0}};
    for (uint32_t wall = 0; wall < QDI_WALLS; ++wall) {
        lists[wall] = (wall_list){.state = state, .wall = wall};
        terms[wall] = (qdi_sum_term){wall_force_term, &lists[wall]};
    }
    wall_list *losses = &lists[QDI_WALLS];
    *losses = (wall_list){
        .state = state, .by_spot = by_spot, .contact_balances = world->scratch.balance.contact_balances};
    terms[QDI_WALLS] = (qdi_sum_term){wall_loss_term, losses};
    const size_t count_of_terms = dt == 0 ? QDI_WALLS : QDI_WALLS + 1; // without a step nothing is lost
    const qd_status status = qdi_sum_each(world->team, arena, count, terms, count_of_terms, sums);
    memcpy(state->wall_force, sums, sizeof state->wall_force);
    state->wall_lost = sums[QDI_WALLS];
    for (size_t i = 0; i < count && dt != 0 && status == QD_OK; ++i)
        *balance_of_wall(losses, i) = (qdi_contact_balance){{0}};
    return status;
}

// ---- who comes and goes ----

typedef struct traffic_list {
    const qd_world *world;
    const qdi_contact_state *state;
    const uint8_t
        *fresh; ///< by row: 1 for new bodies, whose contacts count; NULL: those of bodies that go do
} traffic_list;

// Springs' energy: whether contacts of this body come into the world with it, or leave with it.
static bool in_traffic(const traffic_list *list, qd_id id) {
    const qd_world *world = list->world;
    uint32_t row = qd_id_is_wall(id) ? QDI_NO_ROW : qdi_body_row(world, id);
    if (row == QDI_NO_ROW) return false;
    return list->fresh ? list->fresh[row] : row >= world->count;
}

// Term of a sum: spring energy of contacts of bodies that come or go.
static qd_vec2 traffic_energy_term(const void *context, size_t i) {
    const traffic_list *list = context;
    const qd_contact *contact = &list->state->contacts[i];
    if (!in_traffic(list, contact->a) && !in_traffic(list, contact->b)) return (qd_vec2){0, 0};
    return (qd_vec2){qdi_spring_energy(list->world, list->state, i), 0};
}

// Springs' energy: lets bodies that leave with this step be found by their ids, or no longer.
static void find_leaving(qd_world *world, bool found) {
    for (size_t r = world->count; r < world->count + world->population->hidden; ++r)
        world->row_of_index[world->index[r]] = found ? (uint32_t)r : QDI_NO_ROW;
}

qd_status qdi_spring_population(qd_world *world) {
    if (!qdi_population_changed(world)) return QD_OK;
    const qdi_population *all = world->population;
    qd_vec2 come = {0, 0}, gone = {0, 0};
    uint8_t *fresh = qdi_arena_take(&world->scratch.arena, world->count, 1);
    if (!fresh) return QD_ERR_MEMORY;
    memset(fresh, 0, world->count);
    for (size_t i = 0; i < all->newborn_count; ++i) {
        uint32_t row = qdi_body_row(world, all->newborn[i].id);
        if (row < world->count) fresh[row] = 1;
    }
    qdi_contacts_fill(world, &world->following);
    qdi_contacts_fill(world, &world->present);
    traffic_list in = {world, &world->following, fresh}, out = {world, &world->present, NULL};
    qd_status status = qdi_sum(world->team, &world->scratch.arena, qdi_constraint_count(&world->following),
                               traffic_energy_term, &in, &come);
    find_leaving(world, true);
    if (status == QD_OK)
        status = qdi_sum(world->team, &world->scratch.arena, qdi_constraint_count(&world->present),
                         traffic_energy_term, &out, &gone);
    find_leaving(world, false);
    world->entered += come.x - gone.x; // taken back with the population where the step fails
    return status;
}

typedef struct strain_list {
    const qd_world *world;
    const qdi_contact_state *state;
    uint32_t *own; ///< of a part (part.h): its own contacts; else NULL: all are
} strain_list;

/// Springs' energy: the energy of a contact, and its force.
static qd_vec2 contact_strain(const void *context, size_t number) {
    const strain_list *list = context;
    const size_t i = list->own ? list->own[number] : number;
    const qdi_contact_force *force = qdi_force_of(list->state, i);
    double sum = fabs(force->x) + fabs(force->y) + fabs(force->turn_a) + fabs(force->turn_b);
    return (qd_vec2){qdi_spring_energy(list->world, list->state, i), sum};
}

// Springs' energy: lists the contacts that are a part's own; returns how many contacts count.
static qd_status list_own(qd_world *world, strain_list *list, size_t *count) {
    const size_t all = qdi_constraint_count(list->state);
    *count = all;
    if (!world->part || all == 0) return QD_OK;
    list->own = qdi_arena_take(&world->scratch.arena, all, sizeof *list->own);
    if (!list->own) return QD_ERR_MEMORY;
    *count = 0;
    for (size_t i = 0; i < all; ++i)
        if (qdi_part_has_at(world, list->state, i)) list->own[(*count)++] = (uint32_t)i;
    return QD_OK;
}

qd_status qdi_spring_change(qd_world *world) {
    strain_list list = {world, &world->following, NULL};
    qd_vec2 sum = {0, 0};
    size_t count = 0;
    qd_status status = list_own(world, &list, &count);
    if (status == QD_OK)
        status = qdi_sum(world->team, &world->scratch.arena, count, contact_strain, &list, &sum);
    if (status != QD_OK) return status;
    const double entered = world->entered + (sum.x - world->pressed);
    if (!qdi_is_sane_sum(sum.x) || !qdi_is_sane_sum(sum.y) || !qdi_is_sane_sum(entered)) {
        qdi_limit_report_sums(&world->report, world->clock.step);
        return QD_ERR_LIMIT;
    }
    world->entered = entered;
    world->pressed = 0; // only counts until contacts have been found
    return QD_OK;
}

// ---- balance ----

enum { ENDED_WITH_BODIES, ENDED_WITH_WALLS };

/// Springs' energy: a contact that ends keeps no shear: what was left in it is lost.
static void end_range(void *context, size_t begin, size_t end) {
    const qd_world *world = context;
    const uint32_t *places = world->scratch.ended;
    for (size_t i = begin; i < end; ++i) {
        qdi_contact_balance *contact_balance = &world->scratch.balance.contact_balances[i];
        *contact_balance = (qdi_contact_balance){{0}};
        const qd_contact *contact = &world->following.ended[i];
        const int lane = qd_id_is_wall(contact->b) ? ENDED_WITH_WALLS : ENDED_WITH_BODIES;
        const qdi_warm_start shear = qdi_shear_met(&world->present, places[i]);
        contact_balance->lane[lane] = qdi_spring_shear_energy(world, contact, &shear);
    }
}

/// Springs' energy: what contacts took that there are, and what those take along that have ended; the
/// balances serve both.
static qd_status add_losses(qd_world *world) {
    const qdi_contact_state *after = &world->following;
    qdi_balance_scratch *balance = &world->scratch.balance;
    qdi_energy_balance *all = &balance->sums;
    double sums[4];
    qd_status status = QD_OK;
    if (after->met && world->scratch.meeting) {
        status = qdi_meet_sum(world->scratch.meeting, sums);
    } else {
        const size_t terms = qdi_part_clear_balances(world, after, balance->contact_balances);
        status = qdi_balance_sum(world->team, &world->scratch.arena, balance->contact_balances,
                                 qdi_constraint_count(after), terms, sums);
    }
    if (status != QD_OK) return status;
    qdi_energy_balance_add_contacts(all, sums, after->wall_lost);
    if (!world->turning || (after->ends == 0 && !world->part)) return QD_OK;
    qdi_team_for(world->team, after->ends, QDI_CONTACT_GRAIN, end_range, world);
    qdi_part_clear_ended(world, after, balance->contact_balances);
    status = qdi_balance_sum(world->team, &world->scratch.arena, balance->contact_balances, after->ends,
                             qdi_part_contacts(world), sums);
    if (status != QD_OK) return status;
    all->lost[0][1] += sums[ENDED_WITH_BODIES];
    all->lost[1][1] += sums[ENDED_WITH_WALLS];
    return QD_OK;
}

qd_status qdi_spring_balance(qd_world *world, double dt, qdi_wall_gain *walls) {
    const qdi_contact_state *before = &world->present, *after = &world->following;
    double half = 0.5 * dt;
    for (int wall = 0; wall < QDI_WALLS; ++wall) {
        qd_vec2 given = {(before->wall_force[wall].x + after->wall_force[wall].x) * half,
                         (before->wall_force[wall].y + after->wall_force[wall].y) * half};
        walls->impulse.x += given.x;
        walls->impulse.y += given.y;
        if (world->walls_move)
            walls->work += given.x * world->wall_mean[wall].x + given.y * world->wall_mean[wall].y;
        double push = wall / 2 == 0 ? given.x : given.y;
        world->scratch.balance.sums.push[wall] += wall % 2 == 0 ? push : -push;
    }
    return add_losses(world);
}
