// The table of cases, and the scenes after those of Box2D's own benchmark program: the same numbers of
// bodies, lengths, masses, speeds and steps. What turns there on a motor turns here about a pivot, because
// Quadrille has no joints.
#include "tools/bench/rigid_scenes.h"

#include <math.h>
#include <quadrille/math.h>

/// What all drums turn about, and how fast: 25 degrees per unit of time.
static const qd_vec2 drum_pivot = {0, 10};
static const double pi = 3.141592653589793, drum_spin = 25 * 3.141592653589793 / 180;

// Adds a static body to a case of the bench.
static qd_status add_static_body(qdi_rigid_setting *setting, qd_shape shape, qd_vec2 position) {
    return qdi_rigid_add(setting, &shape, position, 0) ? QD_OK : QD_ERR_MEMORY;
}

/// Bench of rigid piles: a square grid of small rects with `step` between them, the first in its lower left
/// corner.
static qd_status add_grid(qdi_rigid_setting *setting, size_t side, qd_vec2 first, double step, double width) {
    const qd_shape square = qd_shape_rect(width, width);
    for (size_t i = 0; i < side * side; ++i) {
        qd_vec2 place = {first.x + step * (double)(i % side), first.y + step * (double)(i / side)};
        if (!qdi_rigid_add(setting, &square, place, 1)) return QD_ERR_MEMORY;
    }
    return QD_OK;
}

/// Bench of rigid piles: part of a drum, about its place in the drum at rest.
static qd_status add_turning(qdi_rigid_setting *setting, const qd_shape *shape, qd_vec2 position) {
    qdi_rigid_body *body = qdi_rigid_add(setting, shape, position, 0);
    if (!body) return QD_ERR_MEMORY;
    body->kind = QD_BODY_KINEMATIC;
    body->spin = drum_spin;
    body->pivot = drum_pivot;
    return QD_OK;
}

// ---- pyramids of unit squares that touch ----

/// Bench of rigid piles: `base` is the lower left corner.
static qd_status add_pyramid(qdi_rigid_setting *setting, size_t rows, qd_vec2 base) {
    const qd_shape square = qd_shape_rect(1, 1);
    for (size_t row = 0; row < rows; ++row)
        for (size_t k = 0; k < rows - row; ++k) {
            qd_vec2 place = {base.x + 0.5 * (double)(row + 1) + (double)k, base.y + (double)row + 0.5};
            if (!qdi_rigid_add(setting, &square, place, 1)) return QD_ERR_MEMORY;
        }
    return QD_OK;
}

// Makes the case `large_pyramid` of the bench of rigid contacts.
static qd_status make_large_pyramid(qdi_rigid_setting *setting, size_t count) {
    size_t rows = 1;
    while ((rows + 1) * (rows + 2) / 2 <= count) ++rows;
    double width = 2 * (double)rows;
    setting->origin = (qd_vec2){-0.5 * width - 10, -10};
    setting->size = (qd_vec2){width + 20, (double)rows + 20};
    setting->pyramid = rows * (rows + 1) / 2;
    qd_status status = add_pyramid(setting, rows, (qd_vec2){-0.5 * (double)rows, 0});
    return status == QD_OK ? add_static_body(setting, qd_shape_rect(width, 2), (qd_vec2){0, -1}) : status;
}

/// Bench of rigid piles: pyramids of ten rows beside and above each other, each row of them on a segment of
/// its own.
static qd_status make_many_pyramids(qdi_rigid_setting *setting, size_t count) {
    enum { ROWS = 10, EACH = ROWS * (ROWS + 1) / 2, ROOM = ROWS + 1 };
    size_t all = count / EACH > 1 ? count / EACH : 1, across = (size_t)ceil(sqrt((double)all));
    size_t high = (all + across - 1) / across;
    double width = (double)(across * ROOM);
    setting->origin = (qd_vec2){-0.5 * width - 10, -10};
    setting->size = (qd_vec2){width + 20, (double)(high * ROOM) + 20};
    setting->pyramid = EACH;
    qd_status status = QD_OK;
    for (size_t i = 0; i < all && status == QD_OK; ++i) {
        double x = -0.5 * width + 0.5 + (double)(i % across * ROOM);
        status = add_pyramid(setting, ROWS, (qd_vec2){x, (double)(i / across * ROOM)});
    }
    for (size_t i = 0; i < high && status == QD_OK; ++i)
        status = add_static_body(setting, qd_shape_capsule(width, 0), (qd_vec2){0, (double)(i * ROOM)});
    return status;
}

// ---- a heavy square flies into a wall of small ones ----

// Makes the case `smash` of the bench of rigid contacts.
static qd_status make_smash(qdi_rigid_setting *setting, size_t count) {
    const double width = 0.4;
    const qd_shape large = qd_shape_rect(8, 8), square = qd_shape_rect(width, width);
    size_t small = count > 1 ? count - 1 : 1, high = (size_t)sqrt((double)small / 1.5);
    if (high == 0) high = 1;
    setting->origin = (qd_vec2){-200, -300};
    setting->size = (qd_vec2){600, 600};
    qdi_rigid_body *body = qdi_rigid_add(setting, &large, (qd_vec2){-20, 0}, 8);
    if (!body) return QD_ERR_MEMORY;
    body->velocity = (qd_vec2){40, 0};
    for (size_t i = 0; i < small / high * high; ++i) {
        qd_vec2 place = {30 + width * (double)(i / high), width * ((double)(i % high) - 0.5 * (double)high)};
        if (!qdi_rigid_add(setting, &square, place, 1)) return QD_ERR_MEMORY;
    }
    return QD_OK;
}

// ---- drums ----

// Makes the case `tumbler` of the bench of rigid contacts.
static qd_status make_tumbler(qdi_rigid_setting *setting, size_t count) {
    size_t side = (size_t)sqrt((double)count);
    setting->origin = (qd_vec2){-20, -10};
    setting->size = (qd_vec2){40, 40};
    qd_vec2 first = {-0.2 * (double)side, drum_pivot.y - 0.2 * (double)side};
    qd_status status = add_grid(setting, side, first, 0.4, 0.25);
    const qd_shape upright = qd_shape_rect(1, 20), level = qd_shape_rect(20, 1);
    const double far = 10;
    if (status == QD_OK) status = add_turning(setting, &upright, (qd_vec2){far, drum_pivot.y});
    if (status == QD_OK) status = add_turning(setting, &upright, (qd_vec2){-far, drum_pivot.y});
    if (status == QD_OK) status = add_turning(setting, &level, (qd_vec2){0, drum_pivot.y + far});
    if (status == QD_OK) status = add_turning(setting, &level, (qd_vec2){0, drum_pivot.y - far});
    return status;
}

/// Bench of rigid piles: the part of a ring between two radii and two angles, with straight sides.
static qd_status add_ring_part(qdi_rigid_setting *setting, double inner, double outer, double from,
                               double to) {
    const double radii[] = {inner, outer}, angles[] = {from, to};
    qd_vec2 points[4], centroid;
    for (int i = 0; i < 4; ++i)
        points[i] = (qd_vec2){drum_pivot.x + radii[i % 2] * qd_cos(angles[i / 2]),
                              drum_pivot.y + radii[i % 2] * qd_sin(angles[i / 2])};
    qd_shape shape;
    qd_status status = qd_shape_polygon(points, 4, &shape, &centroid, NULL);
    return status == QD_OK ? add_turning(setting, &shape, centroid) : status;
}

/// Bench of rigid piles: a ring of 36 quadrangles that overlap, with four paddles.
static qd_status make_washer(qdi_rigid_setting *setting, size_t count) {
    enum { PARTS = 36, PER_PADDLE = 9 };
    size_t side = (size_t)sqrt((double)count);
    setting->origin = (qd_vec2){-25, -15};
    setting->size = (qd_vec2){50, 50};
    qd_vec2 first = {-0.11 * (double)side, drum_pivot.y - 0.11 * (double)side};
    qd_status status = add_grid(setting, side, first, 0.21, 0.2);
    for (int i = 0; i < PARTS && status == QD_OK; ++i) {
        double part = 2 * pi / PARTS, from = i * part, overlap = 0.1 * part;
        status = add_ring_part(setting, 16, 18, from - overlap, from + part + overlap);
        if (status == QD_OK && i % PER_PADDLE == 0)
            status = add_ring_part(setting, 14, 16, from, from + part);
    }
    return status;
}

// ---- a heap that a pusher goes through ----

// Bench of rigid piles: adds the floor and walls of the case `junkyard`.
static qd_status add_junkyard_walls(qdi_rigid_setting *setting) {
    enum { HALF = 80, HEIGHT = 50 };
    qd_status status = QD_OK;
    for (int x = -HALF; x <= HALF && status == QD_OK; ++x)
        status = add_static_body(setting, qd_shape_rect(1.1, 1), (qd_vec2){x, 0});
    for (int i = 0; i < 2 * HEIGHT && status == QD_OK; ++i)
        status = add_static_body(setting, qd_shape_rect(1, 1.1), (qd_vec2){i % 2 ? HALF : -HALF, 1 + i / 2});
    return status;
}

// Makes the case `junkyard` of the bench of rigid contacts.
static qd_status make_junkyard(qdi_rigid_setting *setting, size_t count) {
    enum { ACROSS = 200, CORNERS = 5 };
    const double radius = 0.25, aside = 0.1;
    qd_vec2 points[CORNERS], centroid;
    for (int i = 0; i < CORNERS; ++i) { // irregular: steps of the golden angle, but of pi instead of 2 pi
        double angle = pi * (sqrt(5.0) - 1) * i;
        points[i] = (qd_vec2){radius * qd_cos(angle), radius * qd_sin(angle)};
    }
    qd_shape junk;
    const qd_shape pusher = qd_shape_rect(4, 8);
    setting->origin = (qd_vec2){-90, -5};
    setting->size = (qd_vec2){180, 80};
    qd_status status = qd_shape_polygon(points, CORNERS, &junk, &centroid, NULL);
    size_t across = count < ACROSS ? count : ACROSS, high = count / across;
    for (size_t i = 0; i < across * high && status == QD_OK; ++i) {
        double x = 1.5 * radius * (2 * (double)(i / high) - (double)across) + (i % 2 ? aside : -aside);
        qd_vec2 place = {x + centroid.x, 4 * radius * (double)(i % high) + 15 + centroid.y};
        if (!qdi_rigid_add(setting, &junk, place, 1)) status = QD_ERR_MEMORY;
    }
    if (status == QD_OK) status = add_junkyard_walls(setting);
    qdi_rigid_body *body = status == QD_OK ? qdi_rigid_add(setting, &pusher, (qd_vec2){0, 4}, 0) : NULL;
    if (body) body->kind = QD_BODY_KINEMATIC;
    return status == QD_OK && !body ? QD_ERR_MEMORY : status;
}

/// Bench of rigid piles: the pusher is at 60 sin(t / 5), nearly: it goes straight on for ten steps each time.
static bool drive_pusher(size_t step, double dt, qd_vec2 *velocity) {
    enum { STRAIGHT = 10 };
    if (step % STRAIGHT != 0) return false;
    double from = 60 * qd_sin(0.2 * dt * (double)step),
           to = 60 * qd_sin(0.2 * dt * (double)(step + STRAIGHT));
    *velocity = (qd_vec2){(to - from) / (STRAIGHT * dt), 0};
    return true;
}

#define LIKE_BOX2D .gravity = 10, .restitution = 0, .friction = 0.6
static const qdi_rigid_case cases[] = {
    {.name = "gas", .restitution = 1, .walls = true, .bodies = 100000, .make = qdi_rigid_make_gas},
    {.name = "pile",
     LIKE_BOX2D,
     .walls = true,
     .bodies = 20000,
     .make = qdi_rigid_make_pile,
     .settles = true},
    {.name = "large_pyramid", LIKE_BOX2D, .bodies = 5050, .steps = 500, .make = make_large_pyramid},
    {.name = "many_pyramids", LIKE_BOX2D, .bodies = 22000, .steps = 200, .make = make_many_pyramids},
    {.name = "smash", .friction = 0.6, .bodies = 9601, .steps = 300, .make = make_smash},
    {.name = "tumbler", LIKE_BOX2D, .bodies = 2025, .steps = 750, .make = make_tumbler},
    {.name = "washer", LIKE_BOX2D, .bodies = 8100, .steps = 500, .make = make_washer},
    {.name = "junkyard",
     LIKE_BOX2D,
     .bodies = 8000,
     .steps = 800,
     .make = make_junkyard,
     .drive = drive_pusher},
};

const qdi_rigid_case *qdi_rigid_case_at(size_t number) {
    return number < sizeof cases / sizeof cases[0] ? &cases[number] : NULL;
}
