// Springs held against LAMMPS: the same disks in both, from the same state, step by step. Its program is run
// where it is found; else its numbers are those that are kept in tests/data/lammps, with the scripts that
// made them.
#include "tools/physics/lammps_case.h"

#include "core/base/memory.h"
#include "tools/physics/lammps_scenes.h"
#include "tools/physics/physics.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/// What a job leaves in its first series.
enum { WORST, SECOND, CONTACTS, SLIDING, COLLISIONS, LAST_COLLISIONS };
/// Collisions of a disk, on average, up to which places are compared at least.
static const double comparable = 2;

/// Ours beside theirs.
typedef struct duel {
    const qdi_lammps_match *match;
    qdi_lammps_scene scene; ///< ours, with what is planted in it
    qdi_lammps_fault fault;
    const qdi_lammps_result *theirs;
    qd_world *world;
    uint64_t begins;                   ///< of contacts in worlds that are gone
    double (*now)[QDI_LAMMPS_COLUMNS]; ///< as ours are
    double *left;                      ///< numbers of the job
} duel;

// ---- our side, step by step ----

// Collisions per disk in our side of the comparison with LAMMPS.
static double duel_collisions(const duel *both) {
    double begins = (double)(both->begins + qd_world_total(both->world).begins);
    return 2 * begins / (double)both->scene.count;
}

/// LAMMPS case: the same disks in a new world, which knows nothing of their shear.
static qd_status forget_history(duel *both, qd_error *error) {
    const qd_body_view view = qd_world_view(both->world);
    for (size_t i = 0; i < both->scene.count; ++i) {
        const uint32_t row = view.row_of_index[i];
        qdi_lammps_disk *disk = &both->scene.disks[i];
        disk->position = (qd_vec2){view.x[row], view.y[row]};
        disk->velocity = (qd_vec2){view.vx[row], view.vy[row]};
        disk->spin = view.spin[row];
    }
    qd_world_destroy(both->world);
    return qdi_lammps_world(&both->scene, 1, QD_SIMD_AUTO, &both->world, error);
}

/// LAMMPS case: takes back what half the overlap, as a lever, has given to spins in a step.
static qd_status shorten_levers(duel *both, qd_error *error) {
    size_t count = 0;
    const qd_contact *contacts = qd_world_contacts(both->world, &count);
    qd_status status = QD_OK;
    double gain[8] = {0};
    qd_id ids[8];
    for (size_t i = 0; i < count && i < 4; ++i) {
        const qd_touch *touch = &contacts[i].touch[0];
        gain[2 * i] = gain[2 * i + 1] = 0.5 * touch->depth * touch->friction;
        ids[2 * i] = contacts[i].a;
        ids[2 * i + 1] = contacts[i].b;
    }
    for (size_t i = 0; i < 2 * count && i < 8 && status == QD_OK; ++i) {
        const qdi_lammps_disk *disk = &both->scene.disks[ids[i].index];
        qd_body_state state;
        status = qd_world_body(both->world, ids[i], &state);
        double inertia = 0.5 * disk->mass * disk->radius * disk->radius;
        if (status == QD_OK)
            status = qd_world_turn(both->world, ids[i], 0, state.spin + gain[i] / inertia, error);
    }
    return status;
}

/// LAMMPS case: counts contacts, and those of them that slide, in the present moment.
static void count_contacts(duel *both) {
    size_t count = 0;
    const qd_contact *contacts = qd_world_contacts(both->world, &count);
    both->left[CONTACTS] += (double)count;
    for (size_t i = 0; i < count; ++i) {
        double most = both->scene.friction * fabs(contacts[i].touch[0].impulse);
        both->left[SLIDING] += most > 0 && fabs(contacts[i].touch[0].friction) > (1 - 1e-9) * most;
    }
}

/// LAMMPS case: torques as they would be with levers that are too short, in the moment that was looked at.
static void read_short_levers(const duel *both) {
    size_t count = 0;
    const qd_contact *contacts = qd_world_contacts(both->world, &count);
    for (size_t i = 0; i < count; ++i) {
        const qd_touch *touch = &contacts[i].touch[0];
        double less = 0.5 * touch->depth * touch->friction / both->scene.dt;
        both->now[contacts[i].a.index][QDI_LAMMPS_TORQUE] += less;
        both->now[contacts[i].b.index][QDI_LAMMPS_TORQUE] += less;
    }
}

// ---- comparisons ----

// Keeps the largest difference from LAMMPS.
static void keep_worst(double *worst, double found) {
    if (!(found <= *worst)) *worst = found; // NaN stays
}

/// LAMMPS case: a frame of theirs beside ours of the same step.
static void compare_frame(const duel *both, const qdi_lammps_frame *frame) {
    const qdi_lammps_scene *scene = &both->scene;
    qdi_lammps_look(scene, both->world, both->now);
    if (both->match->columns[0] == 'f') {
        if (both->fault == QDI_LAMMPS_SHORT_LEVER) read_short_levers(both);
        double force = qdi_lammps_largest(scene, frame, QDI_LAMMPS_FX, QDI_LAMMPS_FY);
        double torque = qdi_lammps_largest(scene, frame, QDI_LAMMPS_TORQUE, QDI_LAMMPS_TORQUE);
        keep_worst(&both->left[WORST],
                   qdi_lammps_difference(scene, frame, both->now, QDI_LAMMPS_FX, QDI_LAMMPS_FY, force));
        keep_worst(&both->left[SECOND], qdi_lammps_difference(scene, frame, both->now, QDI_LAMMPS_TORQUE,
                                                              QDI_LAMMPS_TORQUE, torque));
        both->left[CONTACTS] = both->left[SLIDING] = 0; // of this moment
        return;
    }
    both->left[COLLISIONS] = duel_collisions(both);
    keep_worst(&both->left[WORST],
               qdi_lammps_difference(scene, frame, both->now, QDI_LAMMPS_X, QDI_LAMMPS_SPIN, 1));
}

// Compares a step of ours with what LAMMPS wrote.
static void compare_step(const duel *both, size_t step, size_t *energy) {
    const qdi_lammps_result *theirs = both->theirs;
    const qdi_lammps_frame *frame = qdi_lammps_frame_at(theirs, step);
    if (frame) compare_frame(both, frame);
    while (*energy < theirs->energy_count && theirs->energies[*energy][0] < (double)step) *energy += 1;
    if (*energy == theirs->energy_count || theirs->energies[*energy][0] != (double)step) return;
    double expected = theirs->energies[*energy][1];
    keep_worst(&both->left[SECOND], fabs(qdi_lammps_motion(&both->scene, both->world) - expected) / expected);
}

// Does our steps and compares them with those of LAMMPS.
static qd_status run_duel_steps(duel *both, qd_error *error) {
    qd_status status = QD_OK;
    size_t energy = 0;
    for (size_t step = 1; status == QD_OK && step <= both->match->steps; ++step) {
        status = qd_world_step(both->world, both->scene.dt, NULL);
        if (status != QD_OK) return status;
        compare_step(both, step, &energy);
        count_contacts(both);
        if (both->fault == QDI_LAMMPS_NO_HISTORY) status = forget_history(both, error);
        if (both->fault == QDI_LAMMPS_SHORT_LEVER && both->scene.count < 4)
            status = shorten_levers(both, error);
    }
    both->left[LAST_COLLISIONS] = duel_collisions(both);
    if (both->match->energy_every > 0 && both->left[COLLISIONS] < comparable) both->left[WORST] = (double)NAN;
    return status;
}

// Simulates our side of the comparison with LAMMPS.
static qd_status run_our_side(duel *both, qd_error *error) {
    const qd_allocator *allocator = qd_allocator_default();
    both->now = qdi_allocate(allocator, both->scene.count, sizeof *both->now);
    if (!both->now) return QD_ERR_MEMORY;
    if (both->fault == QDI_LAMMPS_NO_FIRST_KICK)
        for (size_t i = 0; i < both->scene.count; ++i)
            both->scene.disks[i].velocity.y += 0.5 * both->scene.gravity * both->scene.dt;
    qd_status status = qdi_lammps_world(&both->scene, 1, QD_SIMD_AUTO, &both->world, error);
    if (status == QD_OK) status = run_duel_steps(both, error);
    qd_world_destroy(both->world);
    qdi_release(allocator, both->now, both->scene.count, sizeof *both->now);
    return status;
}

// ---- jobs ----

// Case of the validation: gets the side of LAMMPS, from the program or from kept files.
static qd_status run_their_side(qdi_lammps_way way, const qdi_lammps_match *match,
                                const qdi_lammps_scene *scene, qdi_lammps_result *result, qd_error *error) {
    static const char kept[] = QD_SOURCE_DIR "/tests/data/lammps";
    const qdi_lammps_task task = {.ranks = 1,
                                  .steps = match->steps,
                                  .every = match->every,
                                  .energy_every = match->energy_every,
                                  .columns = match->columns};
    if (way == QDI_LAMMPS_KEPT) return qdi_lammps_read(kept, scene, result, error);
    return qdi_lammps_run(scene, &task, way == QDI_LAMMPS_RENEW ? kept : NULL, result, error);
}

// Job of the validation: the same scene in LAMMPS and here.
static qd_status run_match(qdi_job *job, qd_error *error) {
    const size_t number = (size_t)job->setting;
    duel both = {.match = qdi_lammps_match_at(number),
                 .fault = (qdi_lammps_fault)(int)job->planted,
                 .left = job->series[0]};
    qdi_lammps_way way = (qdi_lammps_way)(int)job->heavier;
    if (way == QDI_LAMMPS_RENEW && both.fault != QDI_LAMMPS_SOUND) way = QDI_LAMMPS_LIVE;
    qdi_lammps_result theirs;
    qdi_lammps_scene scene;
    qd_status status = qdi_lammps_scene_make(number, &scene);
    if (status != QD_OK) return status;
    status = run_their_side(way, both.match, &scene, &theirs, error);
    if (status == QD_OK) {
        both.scene = qdi_lammps_scene_with(&scene, both.fault);
        both.theirs = &theirs;
        snprintf(job->error.text, sizeof job->error.text, "%s, %s", theirs.version,
                 way == QDI_LAMMPS_KEPT ? "kept" : "run now");
        status = run_our_side(&both, error);
        qdi_lammps_result_free(&theirs);
    }
    qdi_lammps_scene_free(&scene);
    return status;
}

// Plans the comparison with LAMMPS and its planted error.
static void plan_match(const qdi_case *self, qdi_plan *plan) {
    const qdi_lammps_match *match = qdi_lammps_match_at((size_t)self->value);
    qdi_lammps_way way = (qdi_lammps_way)plan->lammps;
    if (way == QDI_LAMMPS_AUTO) way = qdi_lammps_found(1) ? QDI_LAMMPS_LIVE : QDI_LAMMPS_KEPT;
    qdi_job job = {.work = run_match, .setting = self->value, .heavier = (double)(int)way};
    qdi_plan_add(plan, &job, 1);
    job.planted = match->fault;
    qdi_plan_add(plan, &job, 1);
    if (!qdi_lammps_is_state((size_t)self->value)) return;
    job.planted = QDI_LAMMPS_NO_HISTORY;
    qdi_plan_add(plan, &job, 1);
}

int qdi_lammps_way_of(const char *name) {
    static const char *const names[] = {"auto", "live", "kept", "renew"};
    for (int i = 0; i < 4; ++i)
        if (strcmp(name, names[i]) == 0) return i;
    return -1;
}

// ---- rows ----

/// A row of one of the numbers that a match has left; `twin`: the job of its twin.
static qdi_row *add_row(const qdi_plan *plan, qdi_rows *rows, const char *name, int number, double tolerance,
                        size_t twin, const char *planted) {
    qdi_row *row = qdi_rows_add(rows, name, qdi_exactly(plan->jobs[0].series[0][number]), 0, tolerance);
    qdi_row_twin(row, planted, qdi_exactly(plan->jobs[twin].series[0][number]));
    return row;
}

// Notes beside a row where the side of LAMMPS came from.
static void note_lammps(qdi_row *row, const qdi_plan *plan, const char *text) {
    qdi_row_note(row, "%.105s; %.50s", text, plan->jobs[0].error.text);
}

// Compares few disks with LAMMPS: trajectories.
static void judge_few(const qdi_case *self, const qdi_plan *plan, qdi_rows *rows) {
    const qdi_lammps_match *match = qdi_lammps_match_at((size_t)self->value);
    const double *left = plan->jobs[0].series[0];
    char text[160];
    snprintf(text, sizeof text, "%s; touching %.0f times, sliding %.0f", match->note, left[CONTACTS],
             left[SLIDING]);
    note_lammps(add_row(plan, rows, match->name, WORST, 1e-9, 1, match->planted), plan, text);
}

// Compares a state of many disks with that of LAMMPS.
static void judge_lammps_state(const qdi_case *self, const qdi_plan *plan, qdi_rows *rows) {
    const qdi_lammps_match *match = qdi_lammps_match_at((size_t)self->value);
    const double *left = plan->jobs[0].series[0];
    char text[160];
    snprintf(text, sizeof text, "over the largest; %.0f contacts, %.0f sliding, after %zu steps",
             left[CONTACTS], left[SLIDING], match->steps);
    static const char lost[] = "history not carried";
    const bool sticky = self->value == QDI_LAMMPS_STICKY, grains = self->value == QDI_LAMMPS_GRAINS;
    const char *forces = grains ? "lammps_grain_forces" : sticky ? "lammps_sticky_forces" : "lammps_forces";
    const char *torques = grains   ? "lammps_grain_torques"
                          : sticky ? "lammps_sticky_torques"
                                   : "lammps_torques";
    const size_t own = sticky ? 1 : 2; // adhesion gives no torque: its twin is that of the forces
    note_lammps(add_row(plan, rows, forces, WORST, 5e-13, own, sticky ? match->planted : lost), plan, text);
    note_lammps(add_row(plan, rows, torques, SECOND, 5e-13, 3 - own, sticky ? lost : match->planted), plan,
                text);
}

// Compares a gas with that of LAMMPS: averages.
static void judge_lammps_gas(const qdi_case *self, const qdi_plan *plan, qdi_rows *rows) {
    const qdi_lammps_match *match = qdi_lammps_match_at((size_t)self->value);
    const double *left = plan->jobs[0].series[0];
    char text[160];
    snprintf(text, sizeof text, "1000 disks after %.2f collisions of each", left[COLLISIONS]);
    note_lammps(add_row(plan, rows, match->name, WORST, 1e-9, 1, match->planted), plan, text);
    snprintf(text, sizeof text, "energy of motion, up to %.2f collisions", left[LAST_COLLISIONS]);
    note_lammps(add_row(plan, rows, "lammps_energy", SECOND, 1e-6, 1, match->planted), plan, text);
}

const qdi_case qdi_cases_lammps[] = {
    {"lammps_head_on", "two disks head-on, as LAMMPS has them", 0, plan_match, judge_few, false},
    {"lammps_limited", "the same without pull", 1, plan_match, judge_few, false},
    {"lammps_oblique", "two disks that stick, as LAMMPS has them", 2, plan_match, judge_few, false},
    {"lammps_sliding", "two disks that slide, as LAMMPS has them", 3, plan_match, judge_few, false},
    {"lammps_chain", "three disks in a row, as LAMMPS has them", 4, plan_match, judge_few, false},
    {"lammps_trio", "three spinning disks, as LAMMPS has them", 5, plan_match, judge_few, false},
    {"lammps_floor", "three disks between walls, as LAMMPS has them", 6, plan_match, judge_few, false},
    {"lammps_state", "forces and torques of 1000 disks beside LAMMPS's", 7, plan_match, judge_lammps_state,
     false},
    {"lammps_gas", "1000 disks, as LAMMPS has them", 8, plan_match, judge_lammps_gas, false},
    {"lammps_hertz", "two disks by the law of Hertz, as LAMMPS has them", 9, plan_match, judge_few, false},
    {"lammps_rolling", "two disks that resist rolling, as LAMMPS has them", 10, plan_match, judge_few, false},
    {"lammps_adhesion", "two disks that adhere, as LAMMPS has them", 11, plan_match, judge_few, false},
    {"lammps_grains", "forces and torques of 1000 disks by Hertz that resist rolling", 12, plan_match,
     judge_lammps_state, false},
    {"lammps_sticky", "forces and torques of 1000 disks by Hertz that adhere", 13, plan_match,
     judge_lammps_state, false},
    {.name = NULL},
};
