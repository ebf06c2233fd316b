#ifndef QD_SIM_WORLD_IMPL_H
#define QD_SIM_WORLD_IMPL_H

#include <quadrille/world.h>

#include "core/base/memory.h"
#include "core/parallel/parallel.h"
#include "sim/base/bounds.h"
#include "sim/base/reason.h"
#include "sim/shape/collide.h"
#include "sim/shape/shapes.h"
#include "sim/world/ledger.h"
#include "sim/world/scratch.h"

#include <math.h>
#include <stdatomic.h>

/// What the files of the world share.
///
/// **Rows and indices.** The state of the bodies lies in plain arrays by row; rows are dense. A body's index
/// is its name and never changes, its row may: removing a body moves the last row into the hole, and now and
/// then all rows are put in tree order. So no result may depend on rows: whatever has an order is ordered by
/// index.
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
/// The same of passes that spend much on a contact and meet few: a thread joins for every two ranges.
#define QDI_TOUCH_GRAIN 256
/// Constraints per range of a sweep of bounces, of whose colours most are small.
#define QDI_BOUNCE_GRAIN 256
/// Rigid contacts are made and solved by one thread where there are fewer of them, and of bodies: to share
/// some ten short loops would cost more than they take.
#define QDI_FEW 512
/// Indices (or contacts) per block of an ordered sum or hash.
#define QDI_BLOCK 4096
/// The highest label that a body is given by itself: those above are words of views (QD_VIEW_NOBODY).
#define QDI_LABEL_MAX (UINT64_MAX - 16)
/// row_of_index of an index that no body has.
#define QDI_NO_ROW UINT32_MAX
/// Walls of a reflecting world.
#define QDI_WALLS 4

typedef struct qdi_population qdi_population;

/// What moves, by row. Where nothing turns (`turning` of the world) the last three belong to both moments and
/// nobody writes them.
typedef struct qdi_motion {
    double *x, *y, *vx, *vy;
    double *c, *s, *spin; ///< cosine and sine of the angle; angular velocity
} qdi_motion;

/// A contact by its place in the order in which the tree told the candidates, where neighbours in the world
/// are neighbours in memory. No result may depend on that order.
typedef struct qdi_spot {
    uint32_t contact;      ///< its number
    uint32_t row_a, row_b; ///< of its bodies; row_b QDI_NO_ROW: a wall
    uint32_t rank;         ///< in the order of (a, b) among all, whether they touch or are speculative
    uint32_t geometry;     ///< place of its geometry
    qd_image image;        ///< as in the contact
    uint8_t touches;       ///< the same; 0 for sensors
    uint8_t wall;          ///< which one, from QD_WALL_LEFT on, if it is one
} qdi_spot;

/// What the rigid solver needs of a contact: a line of the cache, in the order of the spots, which is the one
/// in which they are worked on.
typedef struct qdi_geometry {
    _Alignas(64) qd_vec2 normal;
    qd_vec2 point[2];
    double depth[2];
} qdi_geometry;

/// Contacts of a moment, and the events that led to them. Behind the contacts lie the speculative ones, in
/// the same order of (a, b): pairs that do not touch, but whose gap is within the solver's reach
/// (qdi_speculative). Nobody outside of the solver sees them; what they hold is state all the same.
typedef struct qdi_moment {
    qd_contact *contacts;
    qdi_spot *spots; ///< one for each, speculative ones too; those of walls come last
    size_t first_wall, spot_room;
    qdi_geometry *geometry; ///< in the order of the spots, with gaps
    size_t geometry_room;
    qdi_warm_start *holds; ///< by contact
    qdi_pull *pulls;       ///< by contact, with springs only
    size_t pull_room;
    qd_vec2 wall_lost; ///< with springs: energy lost to walls in the step that led here, normal and friction
    qd_vec2
        wall_pull[4]; ///< with springs: what each wall gives to the bodies in all, in the order of qd_wall
    size_t contact_count, contact_room, hold_room;
    size_t near_count; ///< speculative ones
    qd_event *events;
    size_t event_count, event_room;
    qd_contact *ended; ///< as they were, with their last impulses: the events point at them
    size_t ended_room;
    uint64_t begins, ends;
    qd_impact *impacts; ///< on the way to the moment
    size_t impact_count, impact_room;
    uint64_t unfollowed; ///< bodies with too many impacts to follow on the way to the moment
} qdi_moment;

/// Contacts and speculative ones.
static inline size_t qdi_constraint_count(const qdi_moment *moment) {
    return moment->contact_count + moment->near_count;
}

/// A wall or the edge of a period, along one axis.
typedef struct qdi_axis {
    qd_boundary boundary;
    double low, high, length;
} qdi_axis;

/// Fat boxes, see margin.c. Everything here but `edited`, `near`, `left` and `behind` is saved.
typedef struct qdi_margin {
    bool held;   ///< every body is in its fat box, and tree and candidates are those of the fat boxes
    bool edited; ///< the tree was told of single bodies since it was refreshed
    bool near; ///< bodies' own boxes are in their fat ones where there are such, if not at the present places
    uint32_t horizon; ///< automatic: steps that boxes are made for, 0: not fattened
    uint32_t age;     ///< steps since fat boxes were made, or since it was found that they would not pay
    uint32_t lasted;  ///< steps that the fat boxes before did last
    double pairs; ///< candidates per body when all were retrieved last, or, of fat boxes, about what there
                  ///< were without fat
    double slack; ///< automatic: part of its size that each body is given for a step, whatever its speed
    size_t left;  ///< bodies that the last motion brought out of their fat boxes
    bool behind;  ///< not all of the bodies' own boxes are at the places of the last motion
} qdi_margin;

/// Steps after which it is looked again whether fat boxes would pay, once they did not.
enum { QDI_MARGIN_AGAIN = 8 };

/// What a search for candidates did.
typedef struct qdi_found {
    qd_tree_counts counts;
    uint64_t rebuilds; ///< 1 where all candidates were retrieved
    uint64_t amended;  ///< bodies whose candidates were
} qdi_found;

/// Time: `base_time` at step `base_step`, `dt` per step since.
typedef struct qdi_clock {
    uint64_t step, base_step;
    double base_time, dt;
} qdi_clock;

/// A world's size, see compress.h. `scale` and `done` are state.
typedef struct qdi_compress {
    qd_vec2 scale;  ///< of the size in the def
    qd_vec2 before; ///< as the step on its way found it
    qd_vec2 factor; ///< of that step
    bool done;      ///< it stays as it is
    bool ends;      ///< from the step on its way on
} qdi_compress;

struct qd_world {
    qd_world_def def;
    const qd_allocator *allocator;
    qd_team *team;
    qd_tree *tree;
    qd_pairs *candidates; ///< as the tree told them last
    qdi_meeting *met;     ///< the candidates
    size_t met_count, met_room;
    qdi_margin margin;
    qdi_axis axis[2];
    qd_vec2 centre;
    qdi_clock clock;

    size_t count, row_room;
    size_t gone; ///< rows behind the last that still say whom the last step took; 0 after a change by hand
    qd_body_index *index;
    uint32_t *generation;
    uint64_t *label;
    uint64_t last_label;             ///< the highest that a body has had
    double *radius, *mass, *inertia; ///< radius: the largest distance from the centroid
    uint32_t *shape, *trait;         ///< numbers in the two tables
    uint8_t *kind;                   ///< qd_body_kind
    qdi_motion now, next;
    qd_box *boxes; ///< of the bodies, as motion made them last
    qd_box *fat;   ///< around them, while margin.held
    _Atomic uint8_t *touching;

    size_t index_count, index_room;
    uint32_t *row_of_index, *generation_of_index;
    qd_body_index *free_heap; ///< free indices, lowest on top
    size_t free_count;
    uint64_t *block_hash; ///< qd_world_hash: per block of indices
    qd_world_sums *block_sums;
    qdi_contact_look *block_looks; ///< qd_world_measure
    size_t block_room;

    qdi_moment present, following;
    struct qdi_thread_note *thread_notes; ///< by index, see thread_notes.h; nothing where nobody asks
    size_t thread_note_count, thread_note_room;
    bool threads_noted;
    size_t moved_since_order; ///< bodies that came to another node since rows were put in tree order
    bool changed;             ///< bodies were added, removed or placed: tree and contacts are behind
    bool tree_lost;           ///< the tree has lost its bodies for want of memory
    bool turning;             ///< some body is turned, or may come to turn; once true it stays so
    qdi_shapes shapes;
    qdi_traits traits;
    qd_material walls; ///< as it is used
    bool walls_move;
    qdi_compress compress;
    qd_vec2 wall_speed[QDI_WALLS]; ///< velocities of the walls' surfaces now
    qd_vec2 wall_mean[QDI_WALLS];  ///< and their means over the step on its way
    qd_force_function force;
    void *force_context;
    qd_stop_function stop; ///< NULL: nobody stops a step
    void *stop_context;
    atomic_bool stopping;       ///< the step on its way is to end: it has been asked for
    qdi_population *population; ///< emitters and sinks; NULL where there are none
    size_t shaped;              ///< bodies that are no disks
    size_t fixed;               ///< bodies that are not dynamic
    size_t bullets;             ///< bodies with that flag
    size_t fast;                ///< during a step: bodies whose ways are to be followed
    qdi_scratch scratch;
    qd_world_totals totals;
    qdi_ledger ledger;
    qdi_rates rates;
    double entered; ///< energy of bodies that were added, less that of bodies that went
    double pressed; ///< energy of springs before they were changed, while `changed`; else 0
    qd_limit_report report;
};

/// Adds the time since the last call to a phase. `profile` NULL: does nothing.
typedef struct qdi_lap {
    qd_profile *profile;
    const qd_team *team;
    uint64_t last;
    uint64_t busy[64];
    qdi_team_times times;
} qdi_lap;
void qdi_lap_start(qdi_lap *lap, qd_profile *profile, const qd_team *team);
void qdi_lap_end(qdi_lap *lap, qd_phase phase);

// ---- stepper.c ----

/// True where the step on its way is to end. Once true it stays so until the step's end, so what was left out
/// after one question is not taken for done at the next. Any thread of the team.
bool qdi_stopping(qd_world *world);

// ---- world.c ----

/// Makes an empty world from a checked def; the tree and the team with it.
QD_MUST_USE qd_status qdi_world_make(const qd_world_def *def, qd_world **world);
/// Makes a tree such as the world's own, for other boxes in it.
QD_MUST_USE qd_status qdi_world_make_tree(const qd_world *world, qd_tree **tree);
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
/// Takes a body out of the rows that count: it gets the row after the last, keeps its index and can come back
/// (qdi_body_show: the one hidden last) as long as no row was added since, or be forgotten for good.
void qdi_body_hide(qd_world *world, uint32_t row);
void qdi_body_show(qd_world *world);
void qdi_body_forget(qd_world *world, uint32_t row);
/// The form of a body.
static inline qdi_form qdi_form_of_row(const qd_world *world, uint32_t row) {
    uint32_t shape = world->shape[row];
    return shape ? world->shapes.form[shape] : qdi_form_disk(world->radius[row]);
}
/// Distance from a body's centroid to the nearest point of its border.
static inline double qdi_inner_of_row(const qd_world *world, uint32_t row) {
    uint32_t shape = world->shape[row];
    return shape ? world->shapes.inner[shape] : world->radius[row];
}
/// That of the smaller of two bodies, of those that move; row_b QDI_NO_ROW: a wall.
static inline double qdi_smaller_inner(const qd_world *world, uint32_t a, uint32_t b) {
    if (b == QDI_NO_ROW || world->kind[b] != QD_BODY_DYNAMIC) return qdi_inner_of_row(world, a);
    double inner_b = qdi_inner_of_row(world, b);
    if (world->kind[a] != QD_BODY_DYNAMIC) return inner_b;
    double inner_a = qdi_inner_of_row(world, a);
    return inner_a < inner_b ? inner_a : inner_b;
}
/// The solver's reach: the largest gap of a speculative contact, as a part of the distance from centroid to
/// border of the smaller body that moves. Next to nothing where what is apart bounces, once it has met: only
/// what was stopped on its way, just before it touched.
static inline double qdi_speculative(const qd_world *world) {
    const qd_world_def *def = &world->def;
    bool falls = def->gravity.x != 0 || def->gravity.y != 0 || def->attraction.strength != 0;
    bool bounces = def->restitution > 0 && (def->threshold == 0 || (isnan(def->threshold) && !falls));
    return def->contact != QD_CONTACT_IMPULSE ? 0 : bounces ? 1e-5 : 0.05;
}
/// Part of that distance, and most, that a box is fattened by so that speculative contacts are candidates.
typedef struct qdi_reach {
    double part, most;
} qdi_reach;
/// In a periodic world a box is at most half a period long: bodies that leave no room for it have less reach.
static inline double qdi_reach_of(const qdi_reach *reach, double inner, double radius) {
    double far = reach->part * inner, room = reach->most - 0.9 * radius;
    room = room > 0 ? room : 0;
    return far < room ? far : room;
}
static inline double qdi_reach_of_row(const qd_world *world, const qdi_reach *reach, uint32_t row) {
    return qdi_reach_of(reach, qdi_inner_of_row(world, row), world->radius[row]);
}
/// The surface of a body.
static inline const qd_material *qdi_surface_of_row(const qd_world *world, uint32_t row) {
    return &world->traits.trait[world->trait[row]].surface;
}

/// The friction of two surfaces together: the geometric mean, exactly theirs where they are equal.
static inline double qdi_mixed_friction(double a, double b) {
    if (a == b) return a;
    return a == 0 || b == 0 ? 0 : sqrt(a) * sqrt(b); // infinity times 0 is none
}

// ---- bodies_add.c ----

/// What a body is given when it is added, placed or loaded.
typedef struct qdi_placing {
    qd_body_kind kind;
    const qd_shape *shape; ///< in order
    double mass, inertia;
    qd_vec2 position, turn, velocity;
    double spin;
    qd_vec2 pivot; ///< NaN: none; of a fresh body what turns about it has the velocity that follows
    /// Added or placed just now: its centre must be within reflecting sides, its shape fit between them, and
    /// it must be larger than rounding at its place.
    bool fresh;
    bool sizeless; ///< it need not fit between periodic sides as they are now
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
/// Adds a body just as it is, or was, in another world: shape, pose, motion, mass, traits and label, bit for
/// bit. Errors: as qd_world_add.
QD_MUST_USE qd_status qdi_body_add_again(qd_world *world, const qd_body_state *state, qd_error *error);
/// Cosine and sine of an angle; exactly (1, 0) for none.
qd_vec2 qdi_turn_of(double angle);
/// The traits that a def asks for.
qdi_trait qdi_trait_of(const qd_body_def *body);
/// Why a body whose shape is in order would be refused at a position, walls apart and, where it is
/// `sizeless`, its size too; or QD_OK.
QD_MUST_USE qd_status qdi_body_def_check(const qd_world *world, const qd_body_def *body, qd_vec2 position,
                                         bool sizeless, qd_error *error);

// ---- limits.c ----

/// Checks what a body is given; a loaded one's numbers too.
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
void qdi_limit_report_walls(qd_world *world);
void qdi_limit_report_scaled(qd_world *world, uint32_t row);
void qdi_limit_report_size(qd_world *world);
void qdi_limit_report_sums(qd_world *world, uint64_t step);

// ---- motion.c ----

/// Next positions, boundaries, boxes (see motion.c). QD_ERR_LIMIT: reported. `mirrored` is what mirroring
/// walls gave to the bodies. The walls are where they are at the end of the step.
QD_MUST_USE qd_status qdi_motion_move(qd_world *world, double dt, qdi_wall_gain *mirrored);
// ---- metrics.c ----

/// The pressure of qd_metrics.
double qdi_pressure(const qd_world *world);
/// Energy of springs in the present contacts.
double qdi_contact_energy(const qd_world *world);

// ---- margin.c ----

/// True where a body's box is no longer in its fat box, nor is any image of it.
bool qdi_margin_left(const qd_world *world, size_t row, qd_vec2 period);
/// The image of a body that is in the box which the tree holds for it.
qd_image qdi_margin_image(const qd_world *world, size_t row);
/// Finds all that may touch: `boxes` and `margin.left` are those of the bodies at `motion`, `dt` is the
/// step's. What fat boxes there are may be changed even where it fails. QD_ERR_LIMIT: more pairs than
/// limits.pairs allows.
QD_MUST_USE qd_status qdi_candidates_find(qd_world *world, const qdi_motion *motion, double dt,
                                          qdi_found *found, qdi_lap *lap);
/// Files the fat boxes that were loaded, and finds their candidates again. QD_ERR_CORRUPT: they do not hold
/// the bodies.
QD_MUST_USE qd_status qdi_candidates_restore(qd_world *world);
/// Files the bodies' own boxes at their present places; nothing else changes.
QD_MUST_USE qd_status qdi_tree_restore(qd_world *world);
// ---- rows.c ----

/// Puts the rows in tree order; the tree must have them all. Changes no result. QD_ERR_MEMORY: as before.
QD_MUST_USE qd_status qdi_rows_order(qd_world *world);

// ---- narrow.c ----

/// From here on (until qdi_team_use gives the whole team back) loops are over so many contacts, and what is
/// made of them.
static inline void qdi_contacts_share(const qd_world *world, size_t count) {
    bool few = world->def.contact == QD_CONTACT_IMPULSE && count < QDI_FEW && world->count < QDI_FEW;
    qdi_team_use(world->team, few ? 1 : 0);
}

/// True where two bodies may touch at all.
bool qdi_may_touch(const qd_world *world, uint32_t row_a, uint32_t row_b);

/// Exact tests of the candidates and of the walls at the positions of `motion`; contacts in order to
/// `moment`.
QD_MUST_USE qd_status qdi_narrow(qd_world *world, const qdi_motion *motion, qdi_moment *moment);
/// Makes the spots of contacts that come from elsewhere.
QD_MUST_USE qd_status qdi_spots_make(qd_world *world, qdi_moment *moment);
/// Rows have changed: finds those of the spots again.
void qdi_spots_find_rows(qd_world *world, qdi_moment *moment);

// ---- events.c ----

/// What became of the contacts of `before` in `after`; `before` may hold contacts of bodies that are gone.
/// Contacts that persist take over impulses and holds: those of the `outcomes` (of the contacts of `before`),
/// or where that is NULL, because no step lies in between or there is no contact model, those that `before`
/// has. With springs there is nothing to take over any more.
QD_MUST_USE qd_status qdi_events(qd_world *world, const qdi_moment *before, const qdi_outcome *outcomes,
                                 qdi_moment *after);

/// Only the taking over, of what `before` has: with springs, whose forces come of it and belong to the
/// events.
QD_MUST_USE qd_status qdi_events_take_over(qd_world *world, const qdi_moment *before, qdi_moment *after);

// ---- rigid/colour.c ----

/// Puts the `count` links of the scratch into colours whose links share no body that moves. `changed`: some
/// are others than the call before had, in bodies, rank or who moves.
QD_MUST_USE qd_status qdi_colour(qd_world *world, size_t count, bool changed, qdi_colours *colours);

// ---- forces.c, forces_fields.c ----

/// Velocities of `next` as those of `now`.
void qdi_forces_begin(qd_world *world);
/// Adds to the velocities of `next` what forces give in `dt`; where more than gravity acts, notes the
/// flights.
QD_MUST_USE qd_status qdi_forces_kick(qd_world *world, double dt);
/// After the move: gives to bodies that met nothing what the forces at their new places differ from those at
/// the old ones. Puts the lowest index that breaks a limit into `lowest_bad`, per range of QDI_BODY_GRAIN,
/// where it is lower.
void qdi_forces_finish(qd_world *world, double dt, uint32_t *lowest_bad);
/// True where forces depend on the place.
bool qdi_forces_vary(const qd_world *world);
/// True where a medium or a callback takes or gives energy.
bool qdi_forces_settle(const qd_world *world);
/// Why attraction or drag are refused, or QD_OK.
QD_MUST_USE qd_status qdi_forces_check(const qd_world_def *def, qd_error *error);
/// Acceleration by the attraction at a place, and its potential energy per mass.
qd_vec2 qdi_attraction_at(const qd_world *world, double x, double y);
double qdi_attraction_energy(const qd_world *world, double x, double y);

// ---- walls.c ----

/// Why motions of walls are refused, or QD_OK.
QD_MUST_USE qd_status qdi_walls_check(const qd_world_def *def, qd_error *error);
/// Puts the walls where they are at a time. False where two have met, or one is nowhere: then they are as
/// before.
bool qdi_walls_put(qd_world *world, double time);
/// The mean velocity of a wall in the step on its way, to the right or up.
static inline double qdi_wall_speed(const qd_world *world, int wall) {
    return wall / 2 == 0 ? world->wall_mean[wall].x : world->wall_mean[wall].y;
}
/// Works out their mean velocities from one time to another.
void qdi_walls_aim(qd_world *world, double from, double to);

// ---- population.c ----

/// Removes and adds the bodies that go and come with the step that leads to `time`, in the moment `next`; or,
/// where it fails, changes nothing. QD_ERR_LIMIT: no room for another body.
QD_MUST_USE qd_status qdi_population_change(qd_world *world, double time);
/// True where that change was one.
bool qdi_population_changed(const qd_world *world);
/// Makes that change last, or takes it back.
void qdi_population_commit(qd_world *world);
void qdi_population_revert(qd_world *world);
void qdi_population_release(qd_world *world);

// ---- rigid/rigid.c, rigid/bounce.c, rigid/solver.c ----

/// From the velocities of `now` to those of `next`: contacts that bounce, forces, contacts at rest. Leaves
/// what each present contact gave in the outcomes, and the ways of bodies at rest in the movers. `walls` is
/// what the walls gave.
QD_MUST_USE qd_status qdi_impulse(qd_world *world, double dt, qdi_wall_gain *walls);

/// The speed that tells what bounces from what rests, where nothing but gravity acts.
double qdi_impulse_threshold(const qd_world *world, double dt);
/// The speed at which a touch of a constraint approaches.
static inline double qdi_constraint_approach(const qdi_constraint *constraint, const qdi_motion *m,
                                             int touch) {
    uint32_t a = constraint->row_a, b = constraint->row_b;
    bool wall = b == QDI_NO_ROW;
    double ux = m->vx[a] - (wall ? constraint->wx : m->vx[b]),
           uy = m->vy[a] - (wall ? constraint->wy : m->vy[b]);
    double approach = ux * constraint->nx + uy * constraint->ny;
    if (constraint->plain) return approach;
    approach += m->spin[a] * constraint->across_a[touch];
    return wall ? approach : approach - m->spin[b] * constraint->across_b[touch];
}
/// A gap up to which a constraint bounces: what was stopped on its way ends this near.
static inline double qdi_bounce_gap(const qdi_constraint *constraint) {
    return 3e-6 * constraint->size;
}
/// What two surfaces make together.
void qdi_constraint_mix(const qd_material *a, const qd_material *b, qdi_constraint *constraint);
/// Bounces one constraint, if some touch of it approaches faster than the threshold; what it lost goes to
/// `account`.
bool qdi_constraint_bounce(qdi_constraint *constraint, const qdi_motion *motion, double threshold,
                           qdi_account *account);
/// Nothing has been stirred in this step.
void qdi_bounce_begin(qd_world *world);
/// Notes that a constraint's bodies need a look by visit `visit` of their constraints (rigid/bounce.c).
static inline void qdi_bounce_stir(const qd_world *world, const qdi_constraint *constraint, uint32_t visit) {
    _Atomic uint32_t *stirred = world->scratch.stirred;
    if (constraint->moves_a) atomic_store_explicit(&stirred[constraint->row_a], visit, memory_order_relaxed);
    if (constraint->moves_b) atomic_store_explicit(&stirred[constraint->row_b], visit, memory_order_relaxed);
}
/// True where a bounce has changed a body's velocity in visit `since` or later, or it approaches something
/// fast (1).
static inline bool qdi_is_stirred(const qd_world *world, uint32_t row, uint32_t since) {
    if (row == QDI_NO_ROW) return false;
    return atomic_load_explicit(&world->scratch.stirred[row], memory_order_relaxed) >= since;
}
/// Bounces: all constraints, colour by colour, until none approaches faster than its threshold.
void qdi_bounce(qd_world *world, const qdi_colours *colours);

// ---- order.c ----

/// Makes room for `count` keys and values.
QD_MUST_USE qd_status qdi_keys_reserve(const qd_allocator *allocator, qdi_keys *keys, size_t count);
void qdi_keys_release(const qd_allocator *allocator, qdi_keys *keys);
/// Puts the numbers of a moment's contacts with walls into the scratch's keys, in their order.
QD_MUST_USE qd_status qdi_wall_contacts(qd_world *world, const qdi_moment *moment);
/// Sums term(context, i) for i below `count`, by blocks of QDI_BLOCK combined in order: the same for any
/// team.
typedef qd_vec2 (*qdi_term)(const void *context, size_t i);
QD_MUST_USE qd_status qdi_sum(qd_world *world, size_t count, qdi_term term, const void *context,
                              qd_vec2 *sum);

// ---- rigid/ccd.c ----

/// Part of the distance from its centroid to its border that a body may move in a step without being
/// followed.
double qdi_ccd_part(const qd_world *world);
/// True where some body is pressed so deep into what cannot move that it has to be followed.
/// qsort's order of impacts: by time, then by (a, b).
int qdi_impact_order(const void *p, const void *q);
/// Follows the ways of bodies through the step on its way, from `now` to `next`, and puts into `next` where
/// they really go, their boxes with them. The world's tree must still be that of `now`, and is not changed.
/// `walls` gets added what walls gave. Impacts go to `following`.
QD_MUST_USE qd_status qdi_ccd_follow(qd_world *world, double dt, qdi_wall_gain *walls, qdi_lap *lap);

// ---- stepper.c ----

/// Bodies are about to be added, removed or placed: tree and contacts will be behind.
void qdi_change_begin(qd_world *world);
/// Makes the touching flags those of the present contacts.
void qdi_touching_mark(qd_world *world);

// ---- save.c ----

/// qd_world_save into an array of the caller's, as qdi_reserve makes it grow, with room for `extra` bytes
/// behind.
QD_MUST_USE qd_status qdi_world_save_into(const qd_world *world, size_t extra, const qd_allocator *allocator,
                                          unsigned char **data, size_t *room, size_t *bytes);

#endif
