#ifndef QD_SIM_WORLD_IMPL_H
#define QD_SIM_WORLD_IMPL_H

#include <quadrille/world.h>

#include "core/memory.h"
#include "core/verbs.h"
#include "sim/collide.h"
#include "sim/reason.h"
#include "sim/shapes.h"

#include <stdatomic.h>

/// What the files of the world share.
///
/// **Rows and indices.** The state of the bodies lies in plain arrays by row; rows are dense. A body's index
/// is its name and never changes, its row may: removing a body moves the last row into the hole, and now and
/// then all rows are put in tree order. So no result may depend on rows: whatever has an order is ordered by index.
///
/// **Two moments.** Positions, velocities, contacts and events exist twice. A step reads `now`, writes
/// `next`, and the two change places once everything has succeeded; a step that is refused leaves `now` as it
/// was.
///
/// **Threads.** Passes over bodies, candidates and contacts go through qdi_team_for: a range writes only its
/// own rows or slots. Two places are shared between ranges, and both are atomic with a result that does not
/// depend on the order: `touching` (every writer stores the same value) and the priorities of the colouring
/// (a maximum).

/// Bodies per range of a parallel pass.
#define QDI_BODY_GRAIN 2048
/// Contacts (or candidates) per range.
#define QDI_CONTACT_GRAIN 1024
/// Indices (or contacts) per block of an ordered sum or hash.
#define QDI_BLOCK 4096
/// Positions and radii stay below this, so that float32 boxes are finite.
#define QDI_FURTHEST 1e30
/// row_of_index of an index that no body has.
#define QDI_NO_ROW UINT32_MAX
/// Walls of a reflecting world.
#define QDI_WALLS 4
/// Most colours that are found in parallel; what is left then (or where a round finds next to nothing) is one
/// more, solved serially.
#define QDI_COLOURS_MAX 200

/// What moves, by row. Where nothing turns (`turning` of the world) the last three belong to both moments and
/// nobody writes them.
typedef struct qdi_motion {
    double *x, *y, *vx, *vy;
    double *c, *s, *spin; ///< cosine and sine of the angle; angular velocity
} qdi_motion;

/// What keeps a contact at rest: the impulses of the last sub-step, by touch. Zero where it does not rest. They are
/// what the next step starts from, so they are part of the state.
typedef struct qdi_hold {
    double normal[2], tangent[2];
} qdi_hold;

/// A contact by its place in the order in which the tree told the candidates, where neighbours in the world are neighbours in
/// memory. No result may depend on that order.
typedef struct qdi_spot {
    uint32_t contact;      ///< its number
    uint32_t row_a, row_b; ///< of its bodies; row_b QDI_NO_ROW: a wall
} qdi_spot;

/// Contacts of a moment, and the events that led to them.
typedef struct qdi_moment {
    qd_contact *contacts;
    qdi_spot *spots; ///< as many; those of walls come last
    size_t first_wall, spot_room;
    qdi_hold *holds; ///< by contact
    size_t contact_count, contact_room, hold_room;
    qd_event *events;
    size_t event_count, event_room;
    uint64_t begins, ends;
} qdi_moment;

/// A wall or the edge of a period, along one axis.
typedef struct qdi_axis {
    qd_boundary boundary;
    double low, high, length;
} qdi_axis;

/// Keys to be put in order, with room to do it.
typedef struct qdi_keys {
    uint64_t *key, *key_spare;
    uint32_t *value, *value_spare;
    size_t room[4];
} qdi_keys;

/// What the colouring needs of a contact, by spot.
typedef struct qdi_link {
    uint32_t row_a, row_b; ///< row_b QDI_NO_ROW: a wall
    uint32_t hash;         ///< priority
    uint32_t contact;
    bool moves_a, moves_b; ///< dynamic; the others take no part
} qdi_link;

/// A contact as the impulse solver works with it. The arms are those of the touches, from the centroid of a (or b) to
/// the touch: `across` is arm x normal (0 for a disk), `along` is arm . normal, which is arm x tangent.
typedef struct qdi_joint {
    uint32_t row_a, row_b; ///< row_b QDI_NO_ROW: a wall
    uint32_t contact;
    uint8_t count;               ///< of touches; 0: nothing comes of it (a sensor)
    bool moves_a, moves_b;       ///< dynamic
    bool plain;                  ///< no impulse turns anybody: neither friction nor a lever
    double nx, ny;               ///< from a to b
    double inverse_a, inverse_b; ///< 1 / mass
    double turn_a, turn_b;       ///< 1 / inertia
    double across_a[2], across_b[2], along_a[2], along_b[2];
    double restitution, friction, tangential;
    double depth[2];
    double impulse[2], rub[2]; ///< given so far: along the normal, along the tangent
    qdi_hold hold;             ///< of the last sub-step
} qdi_joint;

/// A contact at rest, see impulse_rest.c.
typedef struct qdi_rest qdi_rest;
/// A body with such contacts, while a step is solved in parts.
typedef struct qdi_mover {
    double vx, vy, spin;
    double dx, dy, angle; ///< moved and turned by since the step began
    double c, s;          ///< of that angle
} qdi_mover;
/// What forces add to such a body's velocities in a sub-step.
typedef struct qdi_push {
    double x, y, spin;
} qdi_push;

/// Working memory of a step, kept from step to step.
typedef struct qdi_scratch {
    size_t *range_count; ///< per range
    size_t range_room;
    uint32_t *hits; ///< narrow: positions of touching candidates, each range from its own begin on
    size_t hit_room;
    qdi_manifold *found; ///< narrow: how they touch, at the same places; only where not all bodies are disks
    size_t found_room;
    uint8_t *wall_mask; ///< by row: walls touched (narrow) or axes mirrored (motion)
    size_t wall_room;
    qdi_keys keys;
    uint32_t *end_rank; ///< events: ended contacts before each old contact
    size_t end_room;
    qdi_link *links; ///< by spot
    size_t link_room;
    qdi_joint *joints; ///< in order of colour
    size_t joint_room;
    uint32_t *order; ///< links by colour
    size_t order_room;
    uint32_t *place; ///< of each contact: where its joint is
    size_t place_room;
    _Atomic uint32_t *stirred; ///< by row: when a bounce changed its velocity last, see impulse_bounce.c
    size_t stirred_room;
    uint32_t *pending[2]; ///< links without a colour
    size_t pending_room[2];
    uint8_t *won; ///< by place in `pending`
    size_t won_room;
    qd_vec2 *partial; ///< per block of an ordered sum
    size_t partial_room;
    // What rests: see impulse_rest.c.
    _Atomic uint32_t
        *slot; ///< by row: place in `movers`, 0 for bodies that move freely; nothing where mover_count is 0
    size_t slot_room;
    qdi_mover *movers; ///< number 0 stands for all that does not move
    qdi_push *pushes;
    size_t mover_count, mover_room, push_room;
    qdi_rest *rests;
    size_t rest_room;
} qdi_scratch;

/// The colours that a colouring found: colour c is order[start[c]] to order[start[c + 1] - 1], and so are its joints.
typedef struct qdi_colours {
    size_t count;
    bool last_is_serial; ///< contacts of the last colour may share bodies
    size_t start[QDI_COLOURS_MAX + 2];
} qdi_colours;

/// Time: `base_time` at step `base_step`, `dt` per step since.
typedef struct qdi_clock {
    uint64_t step, base_step;
    double base_time, dt;
} qdi_clock;

struct qd_world {
    qd_world_def def;
    const qd_allocator *allocator;
    qd_team *team;
    qd_tree *tree;
    qd_pairs *candidates;
    qdi_axis axis[2];
    qd_vec2 centre;
    qdi_clock clock;

    size_t count, row_room;
    qd_body_index *index;
    uint32_t *generation;
    uint64_t *label;
    double *radius, *mass, *inertia; ///< radius: the largest distance from the centroid
    uint32_t *shape, *trait;         ///< numbers in the two tables
    uint8_t *kind;                   ///< qd_body_kind
    qdi_motion now, next;
    qd_box *boxes; ///< what the tree is told
    _Atomic uint8_t *touching;
    _Atomic uint64_t *priority; ///< colouring: highest priority of a joint of this body

    size_t index_count, index_room;
    uint32_t *row_of_index, *generation_of_index;
    qd_body_index *free_heap; ///< free indices, lowest on top
    size_t free_count;
    uint64_t *block_hash; ///< qd_world_hash: per block of indices
    qd_world_sums *block_sums;
    size_t block_room;

    qdi_moment present, following;
    size_t moved_since_order; ///< bodies that came to another node since rows were put in tree order
    bool changed;             ///< bodies were added, removed or placed: tree and contacts are behind
    bool tree_lost;           ///< the tree has lost its bodies for want of memory
    bool turning;             ///< some body is turned, or may come to turn; once true it stays so
    qdi_shapes shapes;
    qdi_traits traits;
    qd_material walls; ///< as it is used
    size_t shaped;     ///< bodies that are no disks
    size_t fixed;      ///< bodies that are not dynamic
    qdi_scratch scratch;
    qd_world_totals totals;
    qd_limit_report report;
};

/// Adds the time since the last call to a phase. `profile` NULL: does nothing.
typedef struct qdi_lap {
    qd_profile *profile;
    const qd_team *team;
    uint64_t last;
    uint64_t busy[64];
} qdi_lap;
void qdi_lap_start(qdi_lap *lap, qd_profile *profile, const qd_team *team);
void qdi_lap_end(qdi_lap *lap, qd_phase phase);

// ---- world.c ----

/// Makes an empty world from a checked def; the tree and the team with it.
QD_MUST_USE qd_status qdi_world_make(const qd_world_def *def, qd_world **world);
/// Why a def is refused, or QD_OK.
QD_MUST_USE qd_status qdi_world_def_check(const qd_world_def *def, qd_error *error);

// ---- bodies.c ----

/// Makes room for `rows` bodies and `indices` indices, or leaves everything as it was.
QD_MUST_USE qd_status qdi_bodies_reserve(qd_world *world, size_t rows, size_t indices);
void qdi_bodies_release(qd_world *world);
/// Fills the heap of free indices from row_of_index.
void qdi_bodies_refill_free(qd_world *world);
/// Takes the lowest free index; there is room for it.
qd_body_index qdi_body_take_index(qd_world *world);
/// The row of a living body, or QDI_NO_ROW.
uint32_t qdi_body_row(const qd_world *world, qd_id id);
qd_body_state qdi_body_state_of_row(const qd_world *world, uint32_t row);
/// The form of a body.
static inline qdi_form qdi_form_of_row(const qd_world *world, uint32_t row) {
    uint32_t shape = world->shape[row];
    return shape ? world->shapes.form[shape] : qdi_form_disk(world->radius[row]);
}
/// The surface of a body.
static inline const qd_material *qdi_surface_of_row(const qd_world *world, uint32_t row) {
    return &world->traits.trait[world->trait[row]].surface;
}

// ---- bodies_add.c ----

/// What a body is given when it is added, placed or loaded.
typedef struct qdi_placing {
    qd_body_kind kind;
    const qd_shape *shape; ///< in order
    double mass, inertia;
    qd_vec2 position, turn, velocity;
    double spin;
    bool
        fresh; ///< added or placed just now: its centre must be within reflecting sides, its shape fit between them
} qdi_placing;

/// What a row gets when a body is added or loaded.
typedef struct qdi_birth {
    qd_id id;
    uint64_t label;
    qdi_placing placing;
    uint32_t shape, trait; ///< numbers that were taken for it
} qdi_birth;
/// Puts a body into the row after the last; there is room for it.
void qdi_body_enter(qd_world *world, const qdi_birth *birth);

// ---- limits.c ----

/// Checks what a body is given.
QD_MUST_USE qd_status qdi_body_check(const qd_world *world, const qdi_placing *placing, qd_error *error);
/// Checks a material: NaN is fine, `what` names it.
QD_MUST_USE qd_status qdi_material_check(const qd_material *material, const char *what, qd_error *error);
/// The largest distance from the world's centre, per axis, and the square of the largest speed.
double qdi_limit_distance(const qd_world *world);
double qdi_limit_speed_squared(const qd_world *world);
size_t qdi_limit_pairs(const qd_world *world);
/// Reports that a body may not go from `now` to `next`; the step counter is still that of the step before.
void qdi_limit_report_body(qd_world *world, uint32_t row);
void qdi_limit_report_pairs(qd_world *world, uint64_t step);

// ---- motion.c ----

/// From a pivot (its nearest image in a periodic world) to a position.
qd_vec2 qdi_pivot_arm(const qd_world *world, qd_vec2 pivot, double x, double y);
/// Brings a coordinate on a periodic axis into [low, high).
double qdi_axis_wrap(const qdi_axis *axis, double x);
/// Next positions, boundaries, boxes (see motion.c). QD_ERR_LIMIT: reported. `mirrored` is what mirroring walls gave to
/// the bodies.
QD_MUST_USE qd_status qdi_motion_move(qd_world *world, double dt, qd_vec2 *mirrored);
/// Boxes of the present positions.
void qdi_motion_boxes(qd_world *world);

// ---- rows.c ----

/// Puts the rows in tree order; the tree must have them all. Changes no result. QD_ERR_MEMORY: as before.
QD_MUST_USE qd_status qdi_rows_order(qd_world *world);

// ---- narrow.c ----

/// Exact tests of the candidates and of the walls at the positions of `motion`; contacts in order to
/// `moment`.
QD_MUST_USE qd_status qdi_narrow(qd_world *world, const qdi_motion *motion, qdi_moment *moment);
/// Makes the spots of contacts that come from elsewhere.
QD_MUST_USE qd_status qdi_spots_make(qd_world *world, qdi_moment *moment);
/// Rows have changed: finds those of the spots again.
void qdi_spots_find_rows(qd_world *world, qdi_moment *moment);

// ---- events.c ----

/// What became of the contacts of `before` in `after`; `before` may hold contacts of bodies that are gone. Contacts that
/// persist take over impulses and holds: those of the `joints` (of the contacts of `before`), or where that is NULL,
/// because no step lies in between or there is no contact model, those that `before` has.
QD_MUST_USE qd_status qdi_events(qd_world *world, const qdi_moment *before, const qdi_joint *joints,
                                 qdi_moment *after);

// ---- colour.c ----

/// Puts the `count` links of the scratch into colours whose links share no body that moves.
QD_MUST_USE qd_status qdi_colour(qd_world *world, size_t count, qdi_colours *colours);

// ---- forces.c ----

/// Velocities of `next` as those of `now`.
void qdi_forces_begin(qd_world *world);
/// Adds to the velocities of `next` what gravity gives in `dt`.
void qdi_forces_kick(qd_world *world, double dt);

// ---- impulse.c, impulse_bounce.c, impulse_rest.c ----

/// From the velocities of `now` to those of `next`: contacts that bounce, forces, contacts at rest. Leaves what each
/// present contact gave in the joints, and the ways of bodies at rest in the movers. `walls` is what the walls gave.
QD_MUST_USE qd_status qdi_impulse(qd_world *world, double dt, qd_vec2 *walls);

/// The speed that tells what bounces from what rests.
double qdi_impulse_threshold(const qd_world *world, double dt);
/// The speed at which a touch of a joint approaches.
static inline double qdi_joint_approach(const qdi_joint *joint, const qdi_motion *m, int touch) {
    uint32_t a = joint->row_a, b = joint->row_b;
    bool wall = b == QDI_NO_ROW;
    double ux = m->vx[a] - (wall ? 0 : m->vx[b]), uy = m->vy[a] - (wall ? 0 : m->vy[b]);
    double approach = ux * joint->nx + uy * joint->ny;
    if (joint->plain) return approach;
    approach += m->spin[a] * joint->across_a[touch];
    return wall ? approach : approach - m->spin[b] * joint->across_b[touch];
}
/// Nothing has been stirred in this step.
void qdi_bounce_begin(qd_world *world);
/// Notes that a joint's bodies need a look by visit `visit` of their joints (impulse_bounce.c).
static inline void qdi_bounce_stir(const qd_world *world, const qdi_joint *joint, uint32_t visit) {
    _Atomic uint32_t *stirred = world->scratch.stirred;
    if (joint->moves_a) atomic_store_explicit(&stirred[joint->row_a], visit, memory_order_relaxed);
    if (joint->moves_b) atomic_store_explicit(&stirred[joint->row_b], visit, memory_order_relaxed);
}
/// Bounces: all joints, colour by colour, until none approaches faster than the threshold.
void qdi_bounce(qd_world *world, const qdi_colours *colours, double threshold);
/// Finds the joints at rest and the movers; their velocities are those of `next` before the forces.
QD_MUST_USE qd_status qdi_rest_find(qd_world *world, const qdi_colours *colours, double dt,
                                    qdi_colours *at_rest);
/// Frees the joints at rest.
void qdi_rest_release(const qd_allocator *allocator, qdi_scratch *scratch);
/// Solves them in sub-steps; afterwards the velocities of `next` are theirs.
void qdi_rest_solve(qd_world *world, const qdi_colours *at_rest, double dt);

// ---- order.c ----

/// Makes room for `count` keys and values.
QD_MUST_USE qd_status qdi_keys_reserve(const qd_allocator *allocator, qdi_keys *keys, size_t count);
void qdi_keys_release(const qd_allocator *allocator, qdi_keys *keys);
/// Sums term(context, i) for i below `count`, by blocks of QDI_BLOCK combined in order: the same for any
/// team.
typedef qd_vec2 (*qdi_term)(const void *context, size_t i);
QD_MUST_USE qd_status qdi_sum(qd_world *world, size_t count, qdi_term term, const void *context,
                              qd_vec2 *sum);

// ---- stepper.c ----

/// Makes the touching flags those of the present contacts.
void qdi_touching_mark(qd_world *world);
/// Files the bodies at their present places; nothing else changes.
QD_MUST_USE qd_status qdi_tree_restore(qd_world *world);

#endif
