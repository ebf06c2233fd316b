#pragma once

#include <quadrille/alloc.h>
#include <quadrille/shape.h>
#include <quadrille/status.h>

#include "sim/scene/schema.h"

/// Bodies made by a scene's generators, in the order of the generators. Every number of body i comes from the
/// scene's seed, i and what the number is for, so it does not depend on the compiler, the machine or the
/// other bodies; a position depends also on where the bodies before it (larger ones first) were placed.
typedef struct qdi_generated {
    const qd_allocator *allocator;
    double *x, *y, *vx, *vy, *radius; ///< radius: of the disk around a body
    size_t count;
} qdi_generated;

/// What random numbers are for, in a scene: the `use` of qd_random_at. The stream is the body's number.
enum {
    QDI_USE_RADIUS = 0x5c01,
    QDI_USE_VELOCITY,
    QDI_USE_POSITION,
    QDI_USE_SCALE,
    QDI_USE_ANGLE,
    QDI_USE_SPIN,
    QDI_USE_CORNERS,
    QDI_USE_CLUSTER ///< the stream is the item's number << 32 | the cluster's
};

/// Draws all that does not depend on other bodies, and takes over what is in its place already.
void qdi_generate_draw(const qdi_settings *settings, qdi_generated *bodies);

/// Tries to find a free place for one body before a random placement is given up.
#define QDI_PLACE_TRIES 20000

/// What the list of the items is called: "bodies", or "add" of a stage.
const char *qdi_items_word(const qdi_settings *settings);
/// The key of an item that makes bodies by rule.
const char *qdi_generator_word(qdi_item_kind kind);
/// True for an item whose bodies are put into rows.
bool qdi_place_in_rows(const qdi_body_item *item);
/// True for an item that makes bodies by rule.
bool qdi_item_is_generator(const qdi_body_item *item);
/// Angle and spin of body number `body`, which a generator makes.
double qdi_item_angle(const qdi_body_item *item, uint64_t seed, size_t body);
double qdi_item_spin(const qdi_body_item *item, uint64_t seed, size_t body);
/// Generator's values: its shape, in order; of disks, `radius` is the radius.
qd_shape qdi_item_shape(const qdi_body_item *item, uint64_t seed, size_t body, double radius);

/// Generator's values: radius of the disk around body number `body`, and its velocity.
double qdi_item_reach(const qdi_body_item *item, uint64_t seed, size_t body);
qd_vec2 qdi_item_velocity(const qdi_body_item *item, uint64_t seed, size_t body);
/// Generator's rows: width and height of its box, with its centroid in the middle; of disks from `radius`.
qd_vec2 qdi_item_box(const qdi_body_item *item, uint64_t seed, size_t body, double radius);

/// Makes the bodies of a complete scene. No two overlap; all lie in their generator's region, within walls.
/// Errors: QD_ERR_INVALID (what cannot be placed and how many were), QD_ERR_MEMORY. Release the bodies in any
/// case.
QD_MUST_USE qd_status qdi_generate(const qdi_settings *settings, qdi_generated *bodies, qd_error *error);

void qdi_generated_release(qdi_generated *bodies);
