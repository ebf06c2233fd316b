#pragma once

#include <quadrille/world.h>

#include "core/base/memory.h"
#include "core/parallel/parallel.h"
#include "core/parallel/thread_trial.h"
#include "sim/shape/shapes.h"
#include "sim/text/reason.h"
#include "sim/world/bounds.h"
#include "sim/world/branches.h"
#include "sim/world/contact_state.h"
#include "sim/world/energy_balance_state.h"
#include "sim/world/scratch.h"
#include "sim/world/thread_notes.h"
#include "sim/world/world_team.h"

#include <stdatomic.h>

/// What the files of the world share.
///
/// **Rows and indices.** The state of the bodies lies in plain arrays by row; rows are dense. A body's index
/// is its name and never changes, its row may: removing a body moves the last row into the hole, and now and
/// then all rows are put in tree order. So no result may depend on rows: whatever has an order is ordered by
/// index. What depends on the number itself, and not on the order alone, goes by a body's name (names.h).
///
/// **Two states.** Positions, velocities, contacts and events exist twice. A step reads `now`, writes
/// `next`, and the two change places once everything has succeeded; a step that is refused leaves `now` as it
/// was.
///
/// **Threads.** Passes over bodies, candidates and contacts go through qdi_team_for: a range writes only its
/// own rows or slots. Two places are shared between ranges, and both are atomic with a result that does not
/// depend on the order: `touching` (every writer stores the same value) and the priorities of the colouring
/// (a maximum).

/// The highest label that a body is given by itself: those above are words of views (QD_VIEW_NOBODY).
#define QDI_LABEL_MAX (UINT64_MAX - 16)
/// row_of_index of an index that no body has.
#define QDI_NO_ROW UINT32_MAX
/// Walls of a reflecting world.
#define QDI_WALLS 4

typedef struct qdi_population qdi_population;

/// What moves, by row. Where nothing turns (`turning` of the world) the last three of the present state
/// belong to both, and nobody writes them; those of the next one are not there to be read.
typedef struct qdi_motion {
    double *x, *y, *vx, *vy;
    double *c, *s, *spin; ///< cosine and sine of the angle; angular velocity
    double *lean;         ///< rigid/lean.h
} qdi_motion;

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
    size_t left;  ///< bodies that the last motion brought out of their fat boxes, or QDI_MARGIN_MANY and more
    bool behind;  ///< not all of the bodies' own boxes are at the places of the last motion
} qdi_margin;

/// Bodies out of their fat boxes that were not counted, as they are more than would be looked after one by
/// one.
#define QDI_MARGIN_MANY ((size_t)1 << 40)

/// Steps after which it is looked again whether fat boxes would pay, once they did not.
enum { QDI_MARGIN_AGAIN = 32 };

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

/// From where and since when a reflecting side moves as the def says.
typedef struct qdi_wall_begun {
    double at;   ///< how far it had gone then
    double time; ///< what its motion's time counts from
} qdi_wall_begun;

struct qd_world {
    qd_world_def def;
    double loss; ///< qdi_spring_loss of its restitution
    const qd_allocator *allocator;
    qd_team *team;
    qdi_thread_trial trial; ///< of threads for steps, where they adapt
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
    uint64_t *names; ///< by index: see names.h; NULL: the same as the index
    size_t name_count;
    struct qdi_part *part;    ///< of what larger world: see part.h; NULL: of none
    qd_body_index *free_heap; ///< free indices, lowest on top
    bool follows;             ///< displacements are counted: from `home`, see displacement.h
    qd_vec2 *home, *home_next;
    size_t home_room, home_next_room;
    size_t free_count;
    uint64_t *block_digest;              ///< qd_world_hash: per block
    struct qdi_body_sums *block_sums;    ///< qd_world_sum
    struct qdi_order_block *block_order; ///< qd_world_measure
    struct qdi_contact_block *block_contacts;
    size_t block_room;

    qdi_contact_state present, following;
    struct qdi_monitor *reading;          ///< held by who makes contacts or events that are asked for
    struct qdi_thread_note *thread_notes; ///< by index, see thread_notes.h; nothing where nobody asks
    size_t thread_note_count, thread_note_room;
    bool threads_noted;
    qdi_branches branches;
    size_t moved_since_order; ///< bodies that came to another node since rows were put in tree order
    bool changed;             ///< bodies were added, removed or placed: tree and contacts are behind
    bool tree_lost;           ///< the tree has lost its bodies for want of memory
    bool turning;             ///< some body is turned, or may come to turn; once true it stays so
    qdi_shapes shapes;
    qdi_traits traits;
    qd_material walls; ///< as it is used
    bool walls_move;   ///< some side does, or has been moved
    qdi_wall_begun wall_begun[QDI_WALLS];
    uint64_t stage; ///< qd_world_set_stage
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
    qdi_energy_balance balance;
    qdi_rates rates;
    qdi_searched searched;
    bool led; ///< ranks step it, or have (sim/ranks/fleet.h): what comes of looking for contacts is not known
    double entered; ///< energy of bodies that were added, less that of bodies that went
    double pressed; ///< energy of springs before they were changed, while `changed`; else 0
    qd_limit_report report;
};
