#pragma once

#include "sim/world/world_impl.h"

/// Bodies by row and by index: room, lookup, adding, hiding and removing.

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

/// What a body is given when it is added, placed or loaded.
typedef struct qdi_placing {
    qd_body_kind kind;
    const qd_shape *shape; ///< in order
    double mass, inertia;
    qd_vec2 position, turn, velocity;
    double spin, lean;
    qd_vec2 pivot; ///< NaN: none; of a fresh body what turns about it has the velocity that follows
    /// Added or placed just now: its centre must be within reflecting sides, its shape fit between them, and
    /// it must be larger than rounding at its place.
    bool fresh;
    /// It was in a world as it is: reflecting sides are asked of what they stop alone, so not where static
    /// and kinematic bodies and sensors are, and of others whether they are out, or too large, by more than
    /// their reach.
    bool again;
    bool sensor;   ///< of what is there again
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
/// bit. `fresh`: as of qdi_placing; it is there again. Errors: as qd_world_add.
QD_MUST_USE qd_status qdi_body_add_again(qd_world *world, const qd_body_state *state, bool fresh,
                                         qd_error *error);
/// The same in two: takes what does not go without memory (Errors: QD_ERR_MEMORY, nothing taken; to be given
/// back with qdi_shapes_drop and qdi_traits_drop, unless the body enters), and puts the body into the row
/// after the last, for which there is room, with an id of the caller's.
QD_MUST_USE qd_status qdi_body_intern(qd_world *world, const qd_body_state *state, uint32_t *shape,
                                      uint32_t *trait);
void qdi_body_enter_again(qd_world *world, const qd_body_state *state, qd_id id, uint32_t shape,
                          uint32_t trait);
/// Takes a body out and puts it back with the same id (label) as `state` has it: kind, velocity, spin,
/// material. `density` is for what becomes dynamic, or NaN for one that was: it keeps its mass. Its contacts
/// begin anew. Walls are asked as of what is there again (qdi_placing). Errors: as qd_world_add; the body is
/// as it was then, QD_ERR_MEMORY apart.
QD_MUST_USE qd_status qdi_body_replace(qd_world *world, const qd_body_state *state, double density,
                                       qd_error *error);
/// Bodies added to a world: cosine and sine of an angle; exactly (1, 0) for none.
qd_vec2 qdi_turn_of(double angle);
/// Bodies added to a world: the traits that a def asks for.
qdi_trait qdi_trait_of(const qd_body_def *body);
/// Why a body whose shape is in order would be refused at a position, walls apart and, where it is
/// `sizeless`, its size too; or QD_OK.
QD_MUST_USE qd_status qdi_body_def_check(const qd_world *world, const qd_body_def *body, qd_vec2 position,
                                         bool sizeless, qd_error *error);

/// World's bodies: bodies are about to be added, removed or placed: tree and contacts will be behind.
void qdi_change_begin(qd_world *world);
