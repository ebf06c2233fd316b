// The impulses of a step between bodies, with the places where they were given: they are known while the
// contacts that gave them are still there. Contact i writes slot i.
#include "sim/world/branches.h"
#include "core/base/memory.h"
#include "sim/world/bodies.h"
#include "sim/world/contact_state.h"
#include "sim/world/feature.h"
#include "sim/world/grain.h"
#include "sim/world/pose.h"
#include "sim/world/world_impl.h"

#include <quadrille/field.h>

qd_status qd_world_watch_stress(qd_world *world) {
    if (!world) return QD_ERR_ARGUMENT;
    world->branches.asked = true;
    return QD_OK;
}

bool qdi_branch_rows(const qd_world *world, qd_id a, qd_id b, uint32_t row[2]) {
    if (qd_id_is_wall(b)) return false;
    row[0] = qdi_body_row(world, a);
    row[1] = qdi_body_row(world, b);
    return row[0] != QDI_NO_ROW && row[1] != QDI_NO_ROW && world->kind[row[0]] == QD_BODY_DYNAMIC &&
           world->kind[row[1]] == QD_BODY_DYNAMIC;
}

typedef struct branch_job {
    const qd_world *world;
    const qdi_given *given; ///< by contacts
    qd_vec2 period;
    size_t contacts;
} branch_job;

// The branch of the contact at a place in the state that the step began with.
static qdi_branch contact_branch(const branch_job *job, size_t place) {
    const qd_world *world = job->world;
    const qdi_contact_state *state = &world->present;
    const qdi_spot *spot = &state->spots[place];
    const qd_image image = state->found[spot->geometry].image;
    const qdi_given *given = &job->given[place];
    const qdi_partners *both = &state->partners[place];
    uint32_t row[2];
    if ((state->marks[place] & QDI_MARK_TOUCHES) == 0 || !qdi_branch_rows(world, both->a, both->b, row))
        return (qdi_branch){0};
    const qdi_motion *m = &world->now;
    const double push = given->impulse[0] + given->impulse[1],
                 across = given->friction[0] + given->friction[1];
    const qd_vec2 n = state->geometry[spot->geometry].normal;
    return (qdi_branch){
        .from = {m->x[row[0]], m->y[row[0]]},
        .along = {m->x[row[1]] + image.x * job->period.x - m->x[row[0]],
                  m->y[row[1]] + image.y * job->period.y - m->y[row[0]]},
        .impulse = {push * n.x - across * n.y, push * n.y + across * n.x},
    };
}

// The branch of an impact on the way through the step. Its line is laid through the point, as of two disks.
static qdi_branch impact_branch(const branch_job *job, size_t i) {
    const qd_world *world = job->world;
    const qd_impact *impact = &world->following.impacts[i];
    const qd_vec2 n = impact->normal, along = impact->between;
    uint32_t row[2];
    if ((along.x == 0 && along.y == 0) || !qdi_branch_rows(world, impact->a, impact->b, row))
        return (qdi_branch){0};
    const double part = world->radius[row[0]] / (world->radius[row[0]] + world->radius[row[1]]);
    return (qdi_branch){
        .from = {impact->point.x - part * along.x, impact->point.y - part * along.y},
        .along = along,
        .impulse = {impact->impulse * n.x - impact->friction * n.y,
                    impact->impulse * n.y + impact->friction * n.x},
    };
}

// Fills the branches of a range of contacts and impacts.
static void fill_branches(void *context, size_t begin, size_t end) {
    const branch_job *job = context;
    for (size_t i = begin; i < end; ++i)
        job->world->branches.at[i] = i < job->contacts ? contact_branch(job, i)
                                                       : impact_branch(job, i - job->contacts);
}

// Hook of the step: collects the branches, before bodies come and go.
static qd_status collect_branches(qd_world *world, qdi_step_context *step) {
    qdi_branches *branches = &world->branches;
    branches->held = false;
    if (!branches->asked || world->def.contact != QD_CONTACT_IMPULSE) return QD_OK;
    const size_t contacts = step->outcomes.given ? qdi_constraint_count(&world->present) : 0,
                 count = contacts + world->following.impact_count;
    qd_status status = qdi_reserve(world->allocator, &branches->at, &branches->room, 0, count,
                                   sizeof *branches->at);
    if (status != QD_OK) return status;
    const branch_job job = {world, step->outcomes.given, qdi_world_period(world), contacts};
    qdi_team_for(world->team, count, QDI_CONTACT_GRAIN, fill_branches, (void *)(uintptr_t)&job);
    branches->count = count;
    branches->step = world->clock.step + 1;
    branches->held = true;
    return QD_OK;
}

// Hook of the step: it has been made, and nobody has asked for the next one yet.
static void commit_branches(qd_world *world, const qdi_step_context *step) {
    (void)step;
    world->branches.asked = false;
}

// Hook of the step: what was collected is of a step that was not made.
static void revert_branches(qd_world *world, const qdi_step_context *step) {
    (void)step;
    world->branches.held = false;
}

const qdi_feature qdi_branches_feature = {
    .at = {[QDI_STAGE_FOLLOW] = collect_branches}, .commit = commit_branches, .revert = revert_branches};
