#include <quadrille/world.h>

#include "core/base/arithmetic.h"
#include "core/base/cookie.h"
#include "core/base/memory.h"
#include "core/base/os.h"
#include "core/tree/fat_box.h"
#include "sim/world/bodies.h"
#include "sim/world/compress.h"
#include "sim/world/contact_list.h"
#include "sim/world/contact_state.h"
#include "sim/world/energy_balance.h"
#include "sim/world/forces.h"
#include "sim/world/limits.h"
#include "sim/world/population.h"
#include "sim/world/pose.h"
#include "sim/world/scratch.h"
#include "sim/world/spring_terms.h"
#include "sim/world/walls.h"
#include "sim/world/world_impl.h"
#include "sim/world/world_make.h"
#include "sim/world/world_team.h"

#include <math.h>
#include <string.h>

qd_world_def qd_world_def_default(void) {
    return (qd_world_def){
        .cookie = QDI_COOKIE,
        .size = {100, 100},
        .boundary_x = QD_BOUNDARY_REFLECT,
        .boundary_y = QD_BOUNDARY_REFLECT,
        .contact = QD_CONTACT_IMPULSE,
        .restitution = 1,
        .compression = {.fraction = HUGE_VAL, .pressure = HUGE_VAL},
        .removal = HUGE_VAL,
        .walls = {(double)NAN, (double)NAN, (double)NAN, 0},
        .spring = qd_spring_default(),
        .threshold = (double)NAN,
        .iterations = 8,
        .substeps = 4,
        .retrieve = QD_RETRIEVE_JOIN,
        .margin = (double)NAN,
        .capacity = 128,
        .limits = {.speed = HUGE_VAL, .distance = (double)NAN, .pairs = 100},
        .threads = 1,
        .seed = 1,
    };
}

// Whether a number of the world's def lies in a range.
static bool in_range(double value, double low, double high) {
    return value >= low && value <= high;
}

// Checks the enumerations of a world's def.
static qd_status enums_check(const qd_world_def *def, qd_error *error) {
    if ((unsigned)def->boundary_x > QD_BOUNDARY_OPEN || (unsigned)def->boundary_y > QD_BOUNDARY_OPEN)
        return qdi_reason(error, QD_ERR_VALUE, "unknown boundary");
    if ((unsigned)def->contact > QD_CONTACT_SPRING)
        return qdi_reason(error, QD_ERR_VALUE, "unknown contact model");
    if ((unsigned)def->continuous > QD_CONTINUOUS_OFF)
        return qdi_reason(error, QD_ERR_VALUE, "unknown way to follow fast bodies");
    if ((unsigned)def->retrieve > QD_RETRIEVE_BRUTE)
        return qdi_reason(error, QD_ERR_VALUE, "unknown way to retrieve");
    return QD_OK;
}

// Checks the limits of a world's def.
static qd_status limits_check(const qd_limits *limits, qd_error *error) {
    if (!(limits->speed > 0)) return qdi_reason(error, QD_ERR_VALUE, "limits.speed must be above 0");
    if (!(limits->distance > 0 || isnan(limits->distance)))
        return qdi_reason(error, QD_ERR_VALUE, "limits.distance must be above 0");
    if (!(limits->pairs > 0)) return qdi_reason(error, QD_ERR_VALUE, "limits.pairs must be above 0");
    return QD_OK;
}

// Checks restitution, friction and the contact model of a world's def.
static qd_status contact_check(const qd_world_def *def, qd_error *error) {
    if (!in_range(def->restitution, 0, 1))
        return qdi_reason(error, QD_ERR_VALUE, "restitution must be in 0..1");
    if (!(def->friction >= 0)) return qdi_reason(error, QD_ERR_VALUE, "friction must not be below 0");
    if (!in_range(def->tangential, 0, 1))
        return qdi_reason(error, QD_ERR_VALUE, "tangential restitution must be in 0..1");
    if (!(def->threshold >= 0 || isnan(def->threshold)))
        return qdi_reason(error, QD_ERR_VALUE, "threshold must not be below 0");
    if (def->iterations < 1 || def->iterations > 1000)
        return qdi_reason(error, QD_ERR_VALUE, "iterations must be in 1..1000");
    if (def->substeps < 1 || def->substeps > 100)
        return qdi_reason(error, QD_ERR_VALUE, "substeps must be in 1..100");
    qd_status spring = qdi_spring_check(def, error);
    return spring == QD_OK ? qdi_material_check(&def->walls, "the walls'", error) : spring;
}

/// Where the origin is far off, places in the world are so much coarser. Of 52 bits this leaves 22 to tell
/// places apart.
static bool has_places(double origin, double size) {
    return fabs(origin) <= 1e9 * size;
}

qd_status qdi_world_def_check(const qd_world_def *def, qd_error *error) {
    const double smallest = 1e-18, largest = 1e18; // what the tree can divide into cells
    if (!in_range(def->size.x, smallest, largest) || !in_range(def->size.y, smallest, largest))
        return qdi_reason(error, QD_ERR_VALUE, "a world's width and height must be in 1e-18..1e18");
    if (!qdi_is_sane(def->origin.x) || !qdi_is_sane(def->origin.y))
        return qdi_reason(error, QD_ERR_VALUE, "a world's origin must be finite and within 1e30");
    if (!has_places(def->origin.x, def->size.x) || !has_places(def->origin.y, def->size.y))
        return qdi_reason(error, QD_ERR_VALUE,
                          "a world's origin must not be further off than 1e9 times its size");
    if (!(def->removal >= 0)) return qdi_reason(error, QD_ERR_VALUE, "removal must not be below 0");
    qd_status contact = qdi_forces_check(def, error);
    if (contact == QD_OK) contact = contact_check(def, error);
    if (contact != QD_OK) return contact;
    if (!(def->margin >= 0 || isnan(def->margin)))
        return qdi_reason(error, QD_ERR_VALUE, "margin must not be below 0");
    if (def->capacity < 1 || def->capacity > 65535)
        return qdi_reason(error, QD_ERR_VALUE, "capacity must be in 1..65535");
    if (def->threads < 1 || def->threads > QD_TEAM_MAX)
        return qdi_reason(error, QD_ERR_VALUE, "threads must be in 1..%d", QD_TEAM_MAX);
    if (!qd_simd_available(def->simd))
        return qdi_reason(error, QD_ERR_VALUE, "this processor does not have the kernels %s",
                          qd_simd_name(def->simd));
    qd_status status = enums_check(def, error);
    if (status == QD_OK) status = qdi_walls_check(def, error);    // of which sides reflect
    if (status == QD_OK) status = qdi_compress_check(def, error); // of which walls move
    return status == QD_OK ? limits_check(&def->limits, error) : status;
}

// Fills the surfaces of bodies and walls from the world's def.
static qd_status make_surfaces(qd_world *world) {
    const qd_world_def *def = &world->def;
    const qd_material surface = {def->restitution, def->friction, def->tangential, 0};
    world->shapes.numbers.allocator = world->allocator;
    world->turning = surface.friction > 0 || (def->drag.temperature > 0 && def->drag.spin > 0);
    qd_status status = qdi_traits_init(&world->traits, world->allocator, surface);
    if (status == QD_OK) qdi_world_make_walls(world);
    return status;
}

/// Makes an empty tree of the world.
static qd_status make_tree(const qd_world *world, qd_tree **tree) {
    const qd_world_def *def = &world->def;
    qd_tree_def tree_def = qd_tree_def_default();
    tree_def.size = def->size;
    tree_def.period.x = def->boundary_x == QD_BOUNDARY_PERIODIC ? def->size.x : 0;
    tree_def.period.y = def->boundary_y == QD_BOUNDARY_PERIODIC ? def->size.y : 0;
    tree_def.capacity = def->capacity;
    tree_def.simd = def->simd;
    tree_def.allocator = world->allocator;
    qd_status status = qd_tree_create(&tree_def, tree);
    return status == QD_OK ? qd_tree_set_period(*tree, qdi_world_period(world)) : status;
}

// Makes the team, the lock, the tree and the pairs of a world.
static qd_status make_parts(qd_world *world) {
    const qd_world_def *def = &world->def;
    qd_team_def team_def = qd_team_def_default();
    team_def.threads = def->threads;
    team_def.allocator = world->allocator;
    qd_status status = qd_team_create(&team_def, &world->team);
    if (status == QD_OK) status = qdi_monitor_create(world->allocator, &world->reading);
    if (status != QD_OK) return status;
    status = make_tree(world, &world->tree);
    if (status != QD_OK) return status;
    return qd_pairs_create(qdi_limit_pairs(&world->def.limits, world->count), world->allocator,
                           &world->candidates);
}

/// World: the kernels that it has from now on; those that choose one know no QD_SIMD_AUTO.
static void note_simd(qd_world *world, qd_simd simd) {
    world->def.simd = simd == QD_SIMD_AUTO ? qd_simd_best() : simd;
}

qd_status qdi_world_make(const qd_world_def *def, qd_world **result) {
    const qd_allocator *allocator = qdi_allocator_or_default(def->allocator);
    qd_world *world = qdi_allocate(allocator, 1, sizeof *world);
    if (!world) return QD_ERR_MEMORY;
    memset(world, 0, sizeof *world);
    world->def = *def;
    world->loss = qdi_spring_loss(def->restitution);
    note_simd(world, def->simd);
    world->allocator = allocator;
    world->scratch.arena.allocator = world->scratch.plan_arena.allocator = allocator;
    world->axis[0] = (qdi_axis){def->boundary_x, def->origin.x, def->origin.x + def->size.x, def->size.x};
    world->axis[1] = (qdi_axis){def->boundary_y, def->origin.y, def->origin.y + def->size.y, def->size.y};
    world->compress.scale = (qd_vec2){1, 1};
    world->centre = (qd_vec2){def->origin.x + 0.5 * def->size.x, def->origin.y + 0.5 * def->size.y};
    qdi_walls_note(world);
    (void)qdi_walls_put(world, 0); // at time 0 they are where the world's borders are
    world->changed = true;         // step 0 has contacts too, found when they are first asked for
    // Where nothing pushes them, bodies stay in boxes that were made for how fast they are.
    const bool free = world->def.contact == QD_CONTACT_NONE;
    world->margin = (qdi_margin){.age = QDI_MARGIN_AGAIN, .lasted = free ? QDI_MARGIN_LONGEST : 4};
    qd_status status = make_surfaces(world);
    if (status == QD_OK) status = make_parts(world);
    if (status == QD_OK && def->removal < HUGE_VAL) status = qdi_population_ensure(world);
    if (status == QD_OK) status = qdi_bodies_reserve(world, 1, 1);
    if (status == QD_OK)
        *result = world;
    else
        qd_world_destroy(world);
    return status;
}

qd_status qd_world_create(const qd_world_def *def, qd_world **world) {
    QDI_RESTORED qdi_arithmetic caller = qdi_arithmetic_standard();
    if (!def || !world || def->cookie != QDI_COOKIE) return QD_ERR_ARGUMENT;
    qd_world_def resolved = *def;
    if (isnan(def->limits.distance))
        resolved.limits.distance = 1e6 * (def->size.x > def->size.y ? def->size.x : def->size.y);
    qd_status status = qdi_world_def_check(&resolved, NULL);
    return status == QD_OK ? qdi_world_make(&resolved, world) : status;
}

// Releases what the steps of a world worked with.
static void scratch_release(const qd_allocator *allocator, qdi_scratch *scratch) {
    qdi_arena_release(&scratch->arena);
    qdi_arena_release(&scratch->plan_arena);
    qdi_release(allocator, scratch->left, scratch->left_room, sizeof *scratch->left);
    qdi_release(allocator, scratch->hits, scratch->hit_room, sizeof *scratch->hits);
    qdi_release(allocator, scratch->unit_of, scratch->unit_of_room, sizeof *scratch->unit_of);
    qdi_release(allocator, scratch->links, scratch->link_room, sizeof *scratch->links);
    qdi_release(allocator, scratch->colour_order, scratch->colour_order_room, sizeof *scratch->colour_order);
    const qdi_outcomes *outcomes = &scratch->outcomes;
    qdi_release(allocator, outcomes->given, outcomes->room[0], sizeof *outcomes->given);
    qdi_release(allocator, outcomes->warm_starts, outcomes->room[1], sizeof *outcomes->warm_starts);
    qdi_release(allocator, scratch->slot, scratch->slot_room, sizeof *scratch->slot);
    qdi_release(allocator, scratch->movers, scratch->mover_room, sizeof *scratch->movers);
    qdi_release(allocator, scratch->flights, scratch->flight_room, sizeof *scratch->flights);
    for (int k = 0; k < 3; ++k)
        qdi_release(allocator, scratch->force[k], scratch->force_room[k], sizeof(double));
    qdi_release(allocator, scratch->heads, scratch->head_room, sizeof *scratch->heads);
    qdi_release(allocator, scratch->slot_pair, scratch->slot_pair_room, sizeof *scratch->slot_pair);
    qdi_release(allocator, scratch->slot_place, scratch->slot_place_room, sizeof *scratch->slot_place);
    qdi_release(allocator, scratch->slot_apart, scratch->slot_apart_room, sizeof *scratch->slot_apart);
    qdi_release(allocator, scratch->slot_hits, scratch->slot_hits_room, sizeof *scratch->slot_hits);
    qdi_release(allocator, scratch->slot_touch, scratch->slot_touch_room, sizeof *scratch->slot_touch);
    qdi_release(allocator, scratch->slot_own, scratch->slot_own_room, sizeof *scratch->slot_own);
    qdi_release(allocator, scratch->slot_shift, scratch->slot_shift_room, sizeof *scratch->slot_shift);
    qdi_release(allocator, scratch->touch_list, scratch->touch_list_room, sizeof *scratch->touch_list);
    qdi_release(allocator, scratch->touch_stale, scratch->touch_stale_room, sizeof *scratch->touch_stale);
    qdi_release(allocator, scratch->slot_way, scratch->slot_way_room, sizeof *scratch->slot_way);
    qdi_release(allocator, scratch->range_fastest, scratch->range_fastest_room,
                sizeof *scratch->range_fastest);
    qdi_release(allocator, scratch->wall_blocks, scratch->wall_block_room, sizeof *scratch->wall_blocks);
    qdi_release(allocator, scratch->end_first, scratch->end_first_room, sizeof *scratch->end_first);
    qdi_release(allocator, scratch->end_list, scratch->end_list_room, sizeof *scratch->end_list);
    qdi_release(allocator, scratch->chain, scratch->chain_room, sizeof *scratch->chain);
    qdi_release(allocator, scratch->touched, scratch->touched_room, sizeof *scratch->touched);
    qdi_release(allocator, scratch->spot_forces, scratch->spot_force_room, sizeof *scratch->spot_forces);
    qdi_release(allocator, scratch->touched_count, scratch->touched_count_room,
                sizeof *scratch->touched_count);
    qdi_release(allocator, scratch->accelerations, scratch->acceleration_room,
                sizeof *scratch->accelerations);
    if (scratch->release_ccd) scratch->release_ccd(allocator, scratch);
    qdi_balance_release(allocator, &scratch->balance);
}

void qdi_world_slim(qd_world *world) {
    const qd_allocator *allocator = world->allocator;
    qd_tree *tree = NULL;
    if (make_tree(world, &tree) == QD_OK) {
        qd_tree_destroy(world->tree);
        world->tree = tree;
        world->tree_lost = true;
    }
    world->margin.held = false;
    scratch_release(allocator, &world->scratch);
    memset(&world->scratch, 0, sizeof world->scratch);
    world->scratch.arena.allocator = world->scratch.plan_arena.allocator = allocator;
    qdi_contacts_release(allocator, &world->following);
    memset(&world->following, 0, sizeof world->following);
    qdi_release(allocator, world->met, world->met_room, sizeof *world->met);
    world->met = NULL;
    world->met_count = world->met_room = 0;
}

qd_status qd_world_set_simd(qd_world *world, qd_simd simd) {
    if (!world) return QD_ERR_ARGUMENT;
    qd_status status = qd_tree_set_simd(world->tree, simd);
    if (status == QD_OK) note_simd(world, simd);
    return status;
}

void qd_world_destroy(qd_world *world) {
    if (!world) return;
    const qd_allocator *allocator = world->allocator;
    scratch_release(allocator, &world->scratch);
    qdi_population_release(world);
    qdi_contacts_release(allocator, &world->present);
    qdi_contacts_release(allocator, &world->following);
    qdi_bodies_release(world);
    qdi_shapes_release(&world->shapes);
    qdi_traits_release(&world->traits);
    qd_pairs_destroy(world->candidates);
    qdi_release(allocator, world->met, world->met_room, sizeof *world->met);
    qdi_release(allocator, world->branches.at, world->branches.room, sizeof *world->branches.at);
    qdi_release(allocator, world->thread_notes, world->thread_note_room, sizeof *world->thread_notes);
    qd_tree_destroy(world->tree);
    qd_team_destroy(world->team);
    qdi_monitor_destroy(world->reading);
    qdi_release(allocator, world, 1, sizeof *world);
}

size_t qd_world_count(const qd_world *world) {
    return world->count;
}

qd_world_def qd_world_definition(const qd_world *world) {
    return world->def;
}

const qd_contact *qd_world_contacts(const qd_world *world, size_t *count) {
    return qdi_contacts_read(world, count);
}

const qd_event *qd_world_events(const qd_world *world, size_t *count) {
    return qdi_events_read(world, count);
}

const qd_impact *qd_world_impacts(const qd_world *world, size_t *count) {
    *count = world->present.impact_count;
    return world->present.impacts;
}

const qd_tree *qd_world_tree(const qd_world *world) {
    return world->tree;
}

qd_world_totals qd_world_total(const qd_world *world) {
    return world->totals;
}

qd_limit_report qd_world_limit_report(const qd_world *world) {
    return world->report;
}

/// What the searches of a step compared.
qdi_searched qdi_world_searched(const qd_world *world) {
    return world->searched;
}

qd_status qd_world_adapt_threads(qd_world *world, bool adapt) {
    if (!world) return QD_ERR_ARGUMENT;
    qdi_thread_trial_begin(&world->trial, adapt ? qd_team_threads(world->team) : 0);
    return QD_OK;
}

int qdi_world_step_threads(const qd_world *world) {
    return world->trial.most > 1 ? world->trial.used : qd_team_threads(world->team);
}

qd_team *qdi_world_team(const qd_world *world) {
    return world->team;
}
