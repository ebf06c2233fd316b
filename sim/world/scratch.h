#pragma once

#include <quadrille/alloc.h>
#include <quadrille/vec.h>
#include <quadrille/world.h>

#include "core/base/arena.h"
#include "sim/shape/collide.h"
#include "sim/world/contact_state.h"
#include "sim/world/energy_balance_state.h"
#include "sim/world/tally.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// What a step works with on its way from one state to the next. None of it is saved.

/// Most colours, one for each bit of a number; contacts that find none free are one more, solved serially.
#define QDI_COLOURS_MAX 64

/// Keys to be put in order, with room to do it.
typedef struct qdi_keys {
    uint64_t *key, *key_spare;
    uint32_t *value, *value_spare;
} qdi_keys;

/// Touches of a contact that the solver works on, by bit.
enum { QDI_TOUCHES_FIRST = 1, QDI_TOUCHES_SECOND = 2, QDI_TOUCHES_BOTH = 3 };

/// What the colouring needs of a contact, by spot; then the same in order of colour.
typedef struct qdi_link {
    uint32_t row_a, row_b;   ///< row_b QDI_NO_ROW: a wall
    uint32_t hash;           ///< priority
    uint32_t place;          ///< among the spots
    uint32_t rank, geometry; ///< what the spot has of it
    bool moves_a, moves_b;   ///< dynamic; the others take no part
    uint8_t touches;         ///< that the solver works on, QDI_TOUCHES_FIRST and so on; none of sensors
    bool loaded;             ///< gave something along the normal in the last sub-step of the step before
    bool pressed; ///< one moves and is so deep in the other, which does not, that little more would bring it
                  ///< through
} qdi_link;

/// The colours that a colouring found: colour c is order[start[c]] to order[start[c + 1] - 1], and so are its
/// constraints.
typedef struct qdi_colours {
    size_t count;
    bool last_is_serial; ///< contacts of the last colour may share bodies
    size_t start[QDI_COLOURS_MAX + 2];
} qdi_colours;

/// What the impulse solver needs of few contacts. The arms are those of the touches, from the centroid of a
/// (or b) to the touch: `across` is arm x normal (0 for a disk), `along` is arm . normal, which is arm x
/// tangent.
typedef struct qdi_constraint_rest {
    double wx, wy; ///< velocity of a wall in this step; only of a wall
    // Not where it is plain:
    double slide; ///< qdi_slide_of
    double friction, tangential;
    double turn_a, turn_b; ///< 1 / inertia
    double across_a[2], across_b[2], along_a[2], along_b[2];
} qdi_constraint_rest;
/// A contact as the impulse solver works with it.
typedef struct qdi_constraint {
    uint32_t row_a, row_b;       ///< row_b QDI_NO_ROW: a wall
    uint32_t place;              ///< of the contact
    uint8_t count;               ///< of touches; 0: nothing comes of it (a sensor)
    bool moves_a, moves_b;       ///< dynamic
    bool plain;                  ///< no impulse turns anybody: neither friction nor a lever
    double nx, ny;               ///< from a to b
    double threshold;            ///< what approaches faster bounces
    double size;                 ///< distance from centroid to border of the smaller body that moves
    double inverse_a, inverse_b; ///< 1 / mass
    double restitution;
    double depth[2];
    double impulse[2], tangent_impulse[2]; ///< given by bounces so far: along the normal, along the tangent
    qdi_constraint_rest *rest;             ///< what few ask for
} qdi_constraint;                          ///< two lines of the cache

/// Contacts that do not bounce, see rigid/solver.h.
typedef struct qdi_solver_group qdi_solver_group;
typedef struct qdi_solver_point qdi_solver_point;
typedef struct qdi_solver_second qdi_solver_second;
typedef struct qdi_solver_colours qdi_solver_colours;
typedef struct qdi_solver_units qdi_solver_units;
/// A body with such contacts, while a step is solved in parts.
typedef struct qdi_mover {
    double vx, vy, spin;
    double angle;         ///< turned by since the step began
    double dx, dy;        ///< and moved by
    double inverse, turn; ///< 1 / mass, 1 / inertia
} qdi_mover;              ///< a line of the cache
/// Where it is when the step begins, and what its contacts need of its shape.
typedef struct qdi_stance {
    double x, y;
    double inner; ///< qdi_inner_of_row
    double lean;  ///< rigid/lean.h; infinite where no impulse along a normal turns it
} qdi_stance;
/// What forces add to such a body's velocities in a sub-step; or a body's velocities when one began.
typedef struct qdi_push {
    double x, y, spin;
    double spin_change; ///< in the step, of what turned too fast: not by an impulse
} qdi_push;

/// What forces and drag do to a body in a step if it meets nothing.
typedef struct qdi_flight {
    double ax, ay, turn;  ///< acceleration and angular acceleration at its start, but for the medium's pushes
    double dx, dy, angle; ///< how far it moves and turns
} qdi_flight;

/// What walls gave to bodies.
typedef struct qdi_wall_gain {
    qd_vec2 impulse;
    double work;
} qdi_wall_gain;
/// Ways of bodies that are followed through a step, see rigid/ccd.h.
typedef struct qdi_ccd qdi_ccd;

/// Springs that meet: how far two of a range of candidates may have come towards each other since slots were
/// new, and in which ranges of bodies they lie.
enum { QDI_SLOT_BODIES = 7 };
typedef struct qdi_slot_way {
    double way;
    uint32_t count, bodies[QDI_SLOT_BODIES]; ///< count more than that: in too many
} qdi_slot_way;

/// Springs that meet: bodies side by side that are in walls, QDI_WALLS bits for each, and the way before some
/// of them may come into one or out of it.
enum { QDI_WALL_BLOCK = 16 };
typedef struct qdi_wall_block {
    uint64_t walls;
    float apart;
} qdi_wall_block;

/// Frees what a part of the step keeps in the scratch, whose types are its own.
/// An end of a contact in the chain of those on a body.
typedef struct qdi_chain_link {
    uint32_t next; ///< end; 0: the last
    uint32_t key;  ///< what ends are in order of: number of the contact, or where there are none yet index of
                   ///< the partner, which is the same order
} qdi_chain_link;

typedef struct qdi_scratch qdi_scratch;
typedef void (*qdi_scratch_release)(const qd_allocator *allocator, qdi_scratch *scratch);

/// Working memory of a step, kept from step to step. What a phase alone needs it takes from the arena.
struct qdi_scratch {
    qdi_arena arena; ///< empty when a phase begins
    size_t *left;    ///< per range of bodies: how many left their fat boxes
    size_t left_room;
    // Narrow: candidates within reach (narrow_job.h).
    uint32_t *hits;
    size_t hit_room;
    uint64_t hits_layout;    ///< of which spots they are, see qdi_contact_state; 0: candidates are others now
    uint64_t pairs, layouts; ///< the last numbers that pairs and spots got, see qdi_contact_state
    uint8_t *goes_on; ///< by place in the moment before: the contact touches now; in the arena; NULL: all do
    uint32_t *ended;  ///< places of those that do not and did, in order; in the arena
    qdi_link *links;  ///< by spot
    size_t link_room;
    uint32_t *colour_order; ///< which these are
    size_t colour_order_room;
    qdi_colours colours;  ///< of `link_count` links
    size_t link_count;    ///< 0: there are none from the step before
    uint64_t link_pairs;  ///< of which pairs they are, see qdi_contact_state
    uint64_t link_layout; ///< of which spots, and kinds of bodies; 0: of others
    qdi_outcomes outcomes;
    // Resolve, in the arena.
    qdi_link *coloured;          ///< links in order of colour
    qdi_constraint *constraints; ///< the same as constraints, where something may bounce
    _Atomic uint32_t *dirty;     ///< by row: when a bounce changed its velocity last, see rigid/bounce.c
    qdi_push *pushes, *began;    ///< by mover
    qdi_stance *stances;         ///< the same
    uint8_t *held;               ///< the same: 1 where two touches of a contact do, see rigid/lean.h
    qdi_solver_group *groups;
    qdi_solver_second *second;
    double *slides; ///< lanes by group, where surfaces slide
    // What rests: see rigid/solver.c.
    _Atomic uint32_t
        *slot; ///< by row: place in `movers`, 0 for bodies that move freely; nothing where mover_count is 0
    size_t slot_room;
    uint32_t *unit_of; ///< by row: rigid/solver_units.c; nothing where unit_count is 1
    size_t unit_of_room, unit_count;
    size_t unit_links;            ///< links of all units but the first
    unsigned unit_rest;           ///< steps until units are looked for again
    bool units_sought;            ///< they have been, for these links
    qdi_arena plan_arena;         ///< of the plan
    const qdi_solver_units *plan; ///< that held in the step before, of so many bodies; NULL: none
    size_t plan_bodies;
    qdi_mover *movers; ///< number 0 stands for all that does not move
    size_t mover_count, mover_room;
    size_t solved;                   ///< constraints that the sub-steps of the step on its way worked on
    qdi_ccd *ccd;                    ///< rigid/ccd.h; NULL until it is needed
    qdi_scratch_release release_ccd; ///< NULL where there is nothing of its
    size_t pressed;                  ///< links that are
    qdi_balance_scratch balance;     ///< energy_balance.h
    // What flies: see forces.c.
    qdi_flight *flights; ///< by row; nothing where `flown` is false
    size_t flight_room;
    double *force[3]; ///< by row: what the callback gives
    size_t force_room[3];
    bool flown;
    double *idle_vx, *idle_vy; ///< velocities of `next`, in a step in which it has those of `now`; else NULL
    // What springs do: see spring_accumulate.c.
    _Atomic uint32_t *heads; ///< by row: an end of a contact, or 0
    qdi_chain_link *chain;   ///< by end
    uint32_t *touched; ///< rows on which contacts act, in order; those of a range of bodies from its begin on
    size_t *touched_count;          ///< per range of bodies
    double (*accelerations)[3];     ///< by place in touched: x of a range of bodies, QDI_BODY_GRAIN numbers,
                                    ///< then y, then spin
    qdi_contact_force *spot_forces; ///< forces that were worked out last, by spot
    size_t head_room, chain_room, touched_room, touched_count_room, acceleration_room, spot_force_room;
    // Slots, one for each candidate, see spring_meet.c:
    qdi_meeting *slot_pair;      ///< whose it is
    uint32_t *slot_place;        ///< of its contact, or UINT32_MAX
    float *slot_apart;           ///< way of its range when they may touch, or no longer do
    uint32_t *slot_hits;         ///< slots of contacts, each range of candidates from its begin on
    uint32_t *slot_touch;        ///< per range of candidates: how many
    uint32_t *slot_own;          ///< the same of those that are a part's own (part.h), which come first
    bool slots_owned;            ///< that is known
    bool alike;                  ///< all disks have the same mass and the same radius
    uint32_t *slot_shift;        ///< the same: from the place of one among these to that of its contact
    qdi_slot_way *slot_way;      ///< per range of candidates
    double *range_fastest;       ///< `fastest`, per range of bodies
    qdi_wall_block *wall_blocks; ///< of bodies
    size_t slot_way_room, range_fastest_room, wall_block_room, slot_count, slot_pair_room, slot_place_room,
        slot_apart_room, slot_hits_room, slot_touch_room, slot_own_room, slot_shift_room;
    uint32_t *end_first, *end_list; ///< ends of candidates by row, see spring/meet_ends.h
    uint32_t *touch_list;           ///< those of contacts, likewise
    _Atomic uint8_t *touch_stale;   ///< per range of bodies: whether they are others
    size_t end_first_room, end_list_room, touch_list_room, touch_stale_room;
    unsigned slots_lasted;        ///< steps for which the slots were the same, up to some
    bool ends_listed;             ///< ends are those of the slots
    qdi_tally_cut meet_cut;       ///< with which the balances of contacts were added last
    struct qdi_meet_job *meeting; ///< in the arena: what this step's contacts of disks with each other were
                                  ///< made of, so that their balances can be added; NULL: these lie there
    double fastest;    ///< square of the highest speed in the step's move, before ghosts come; or infinity
    double way;        ///< the most that two bodies may have come towards each other since slots were new
    uint64_t slots_of; ///< 1 + the number of the step whose contacts these are; 0: of none
    bool accelerations_present; ///< accelerations are those by the present contacts, of their rows
};
