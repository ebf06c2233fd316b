#include "tests/support/random_worlds.h"

#include <float.h>
#include <math.h>

/// Numbers that nobody asks for, or only by mistake.
static const double odd[] = {
    0.0,    -0.0,  1e-300,  DBL_MIN,     1e-30,           1e-18, 1e-9,  1e9,    1e18,    1e29,
    1e30,   -1e30, 1.1e30,  1e60,        1e100,           1e150, 1e200, -1e200, DBL_MAX, -9e15,
    0x1p53, -1,    -1e-300, (double)NAN, (double)INFINITY};

/// So many bytes of the tape, or, where it has ended, random ones.
static uint64_t draw(qd_test_dice *dice, size_t bytes) {
    uint64_t bits = 0;
    if (dice->tape_left == 0) return qd_random_bits(&dice->random);
    for (; bytes > 0 && dice->tape_left > 0; --bytes, --dice->tape_left) bits = bits << 8 | *dice->tape++;
    return bits;
}

uint64_t qd_test_dice_bits(qd_test_dice *dice) {
    return draw(dice, 8);
}

/// A number from 0 to 1.
static double uniform(qd_test_dice *dice) {
    return dice->tape_left > 0 ? (double)draw(dice, 2) / 65536 : qd_random_uniform(&dice->random);
}

bool qd_test_dice_hit(qd_test_dice *dice, uint64_t of) {
    return draw(dice, 1) % of == 0;
}

size_t qd_test_dice_below(qd_test_dice *dice, size_t below) {
    return (size_t)(draw(dice, below > 256 ? 2 : 1) % below);
}

double qd_test_dice_number(qd_test_dice *dice, double low, double high) {
    double plain = low + (high - low) * uniform(dice);
    if (!dice->wild || !qd_test_dice_hit(dice, 100)) return plain;
    return odd[qd_test_dice_below(dice, sizeof odd / sizeof odd[0])];
}

qd_test_dice qd_test_dice_of(uint64_t seed) {
    static const double units[] = {1e-12, 1e-3, 1e3, 1e6, 1e12};
    qd_test_dice dice = {.random = qd_random_at(seed, 0, 41), .unit = 1};
    dice.crowd = qd_test_dice_hit(&dice, 200);
    dice.wild = !dice.crowd && qd_test_dice_hit(&dice, 4);
    if (qd_test_dice_hit(&dice, 5)) dice.unit = units[qd_test_dice_below(&dice, 5)];
    return dice;
}

/// A length, or a velocity: times are about 1.
static double length(qd_test_dice *dice, double low, double high) {
    return qd_test_dice_number(dice, low * dice->unit, high * dice->unit);
}

static qd_vec2 vec(qd_test_dice *dice, double most) {
    double x = length(dice, -most, most);
    return (qd_vec2){x, length(dice, -most, most)};
}

qd_vec2 qd_test_dice_velocity(qd_test_dice *dice) {
    return vec(dice, qd_test_dice_hit(dice, 8) ? 60 : 4);
}

qd_vec2 qd_test_dice_place(qd_test_dice *dice) {
    double x = qd_test_dice_number(dice, dice->low.x, dice->high.x);
    return (qd_vec2){x, qd_test_dice_number(dice, dice->low.y, dice->high.y)};
}

// ---- definitions ----

static void surface(qd_test_dice *dice, qd_material *material) {
    if (qd_test_dice_hit(dice, 2)) material->restitution = qd_test_dice_number(dice, 0, 1);
    if (qd_test_dice_hit(dice, 2)) material->friction = qd_test_dice_number(dice, 0, 1);
    if (qd_test_dice_hit(dice, 20)) material->friction = HUGE_VAL;
    if (qd_test_dice_hit(dice, 3)) material->tangential = qd_test_dice_number(dice, 0, 1);
}

static void forces(qd_test_dice *dice, qd_world_def *def) {
    if (qd_test_dice_hit(dice, 2)) def->gravity = vec(dice, 5);
    if (qd_test_dice_hit(dice, 5)) {
        qd_attraction *pull = &def->attraction;
        pull->law = (qd_pull_law)qd_test_dice_below(dice, 3);
        pull->at = qd_test_dice_place(dice);
        pull->strength = length(dice, -4, 4);
        for (int k = 0; k < (int)pull->law; ++k) pull->strength *= dice->unit;
        if (qd_test_dice_hit(dice, 2)) pull->softening = length(dice, 0, 2);
    }
    if (!qd_test_dice_hit(dice, 4)) return;
    qd_drag *drag = &def->drag;
    if (qd_test_dice_hit(dice, 2)) drag->linear = qd_test_dice_number(dice, 0, 2);
    if (qd_test_dice_hit(dice, 2)) drag->quadratic = qd_test_dice_number(dice, 0, 1) / dice->unit;
    if (qd_test_dice_hit(dice, 2)) drag->spin = qd_test_dice_number(dice, 0, 2);
    if (qd_test_dice_hit(dice, 2)) drag->medium = vec(dice, 2);
    if (qd_test_dice_hit(dice, 2))
        drag->temperature = qd_test_dice_number(dice, 0, 1) * dice->unit * dice->unit;
}

static void sides(qd_test_dice *dice, qd_world_def *def) {
    def->boundary_x = (qd_boundary)qd_test_dice_below(dice, 3);
    def->boundary_y = (qd_boundary)qd_test_dice_below(dice, 3);
    const qd_boundary of[2] = {def->boundary_x, def->boundary_y};
    if (qd_test_dice_hit(dice, 3)) {
        double *rate[2] = {&def->compression.rate.x, &def->compression.rate.y};
        for (int k = 0; k < 2; ++k)
            if (of[k] != QD_BOUNDARY_OPEN && qd_test_dice_hit(dice, 2))
                *rate[k] = qd_test_dice_number(dice, -0.5, qd_test_dice_hit(dice, 2) ? 6 : 1.5);
        if (qd_test_dice_hit(dice, 3)) def->compression.fraction = qd_test_dice_number(dice, 0.01, 0.9);
        if (qd_test_dice_hit(dice, 5)) def->compression.pressure = qd_test_dice_number(dice, 0.01, 5);
    } else {
        for (int wall = 0; wall < 4; ++wall) {
            if (of[wall / 2] != QD_BOUNDARY_REFLECT || !qd_test_dice_hit(dice, 5)) continue;
            qd_wall_motion *motion = &def->wall_motion[wall];
            if (qd_test_dice_hit(dice, 2)) motion->velocity = length(dice, -1, 1);
            if (qd_test_dice_hit(dice, 2)) motion->amplitude = length(dice, -1, 1);
            if (qd_test_dice_hit(dice, 2)) motion->frequency = qd_test_dice_number(dice, 0, 3);
            if (qd_test_dice_hit(dice, 2)) motion->phase = qd_test_dice_number(dice, -4, 4);
            if (qd_test_dice_hit(dice, 2)) motion->slide = length(dice, -1, 1);
        }
    }
    if (qd_test_dice_hit(dice, 3)) def->removal = length(dice, 0, 2);
}

static void contacts(qd_test_dice *dice, qd_world_def *def) {
    def->contact = (qd_contact_model)qd_test_dice_below(dice, 3);
    def->restitution = qd_test_dice_number(dice, 0, 1);
    if (qd_test_dice_hit(dice, 2)) def->friction = qd_test_dice_number(dice, 0, 1);
    if (qd_test_dice_hit(dice, 4)) def->tangential = qd_test_dice_number(dice, 0, 1);
    if (qd_test_dice_hit(dice, 3)) surface(dice, &def->walls);
    if (qd_test_dice_hit(dice, 4)) def->threshold = length(dice, 0, 0.5);
    def->iterations = 1 + (int)qd_test_dice_below(dice, 10);
    def->substeps = 1 + (int)qd_test_dice_below(dice, 6);
    def->continuous = (qd_continuous)qd_test_dice_below(dice, 3);
    qd_spring *spring = &def->spring;
    if (def->contact != QD_CONTACT_SPRING) return;
    if (qd_test_dice_hit(dice, 2))
        spring->contact_time = qd_test_dice_number(dice, 0.1, 1);
    else
        spring->kn = qd_test_dice_number(dice, 1, 200) * dice->unit * dice->unit;
    if (qd_test_dice_hit(dice, 3)) spring->gamman = qd_test_dice_number(dice, 0, 5);
    if (qd_test_dice_hit(dice, 3)) spring->kt = qd_test_dice_number(dice, 0, 100) * dice->unit * dice->unit;
    if (qd_test_dice_hit(dice, 3)) spring->gammat = qd_test_dice_number(dice, 0, 5);
    spring->limit_damping = qd_test_dice_hit(dice, 2);
}

qd_world_def qd_test_dice_def(qd_test_dice *dice) {
    qd_world_def def = qd_world_def_default();
    const double wide = dice->crowd ? 12 : 1;
    def.size.x = wide * length(dice, 4, 20);
    def.size.y = wide * length(dice, 4, 20);
    def.origin = vec(dice, 100);
    if (qd_test_dice_hit(dice, 4)) def.origin = (qd_vec2){0, 0};
    dice->low = def.origin;
    dice->high = (qd_vec2){def.origin.x + def.size.x, def.origin.y + def.size.y};
    sides(dice, &def);
    forces(dice, &def);
    contacts(dice, &def);
    def.retrieve = (qd_retrieve_mode)qd_test_dice_below(dice, 3);
    def.capacity = 1 + (uint32_t)qd_test_dice_below(dice, 70);
    if (qd_test_dice_hit(dice, 8)) def.limits.speed = length(dice, 5, 50);
    if (qd_test_dice_hit(dice, 8)) def.limits.distance = length(dice, 10, 50);
    if (qd_test_dice_hit(dice, 8)) def.limits.pairs = qd_test_dice_number(dice, 0, 3);
    def.seed = qd_test_dice_bits(dice);
    return def;
}

// ---- bodies ----

static qd_shape polygon(qd_test_dice *dice, double size) {
    qd_vec2 points[8];
    size_t count = 3 + qd_test_dice_below(dice, 6);
    double first = qd_test_dice_number(dice, 0, 6);
    for (size_t i = 0; i < count; ++i) {
        double angle = first + 6.283185307179586 * (double)i / (double)count;
        points[i] = (qd_vec2){size * cos(angle), size * sin(angle)};
    }
    qd_shape shape = qd_shape_disk(size);
    qd_status status = qd_shape_polygon(points, count, &shape, NULL, NULL);
    return status == QD_OK ? shape : qd_shape_disk(size);
}

static qd_shape shape_of(qd_test_dice *dice) {
    double size = length(dice, 0.1, qd_test_dice_hit(dice, 6) ? 2 : 0.8);
    double part = size * qd_test_dice_number(dice, 0.2, 1);
    qd_shape shape = qd_shape_disk(size);
    switch (qd_test_dice_below(dice, 7)) {
    case 0: shape = qd_shape_rect(2 * size, part); break;
    case 1: return qd_shape_rect(dice->unit, 0.5 * dice->unit); // shared by many
    case 2: return qd_shape_capsule(size, qd_test_dice_hit(dice, 6) ? 0 : 0.5 * part);
    case 3: shape = polygon(dice, size); break;
    default: return shape;
    }
    if (qd_test_dice_hit(dice, 3)) shape.radius = length(dice, 0.02, 0.2);
    return shape;
}

static void kind_of(qd_test_dice *dice, qd_body_def *body) {
    size_t kind = qd_test_dice_below(dice, 16);
    if (kind == 0) body->kind = QD_BODY_STATIC;
    if (kind == 1) body->kind = QD_BODY_KINEMATIC;
    if (kind == 1 && qd_test_dice_hit(dice, 2)) body->pivot = qd_test_dice_place(dice);
    body->sensor = qd_test_dice_hit(dice, 12);
    body->bullet = qd_test_dice_hit(dice, 12);
}

qd_body_def qd_test_dice_body(qd_test_dice *dice) {
    qd_body_def body = qd_body_def_default();
    body.shape = shape_of(dice);
    body.position = qd_test_dice_place(dice);
    body.velocity = qd_test_dice_velocity(dice);
    if (qd_test_dice_hit(dice, 2)) body.angle = qd_test_dice_number(dice, -4, 4);
    if (qd_test_dice_hit(dice, 2)) body.spin = qd_test_dice_number(dice, -3, 3);
    kind_of(dice, &body);
    if (qd_test_dice_hit(dice, 4)) body.density = qd_test_dice_number(dice, 0.1, 10);
    if (qd_test_dice_hit(dice, 8)) body.mass = qd_test_dice_number(dice, 0.1, 10) * dice->unit * dice->unit;
    if (qd_test_dice_hit(dice, 16)) body.inertia = HUGE_VAL;
    if (qd_test_dice_hit(dice, 4)) surface(dice, &body.material);
    if (qd_test_dice_hit(dice, 6)) body.filter.category = 1 + (uint32_t)qd_test_dice_below(dice, 3);
    if (qd_test_dice_hit(dice, 6)) body.filter.mask = (uint32_t)qd_test_dice_below(dice, 4);
    if (qd_test_dice_hit(dice, 6)) body.filter.group = (int32_t)qd_test_dice_below(dice, 3) - 1;
    if (qd_test_dice_hit(dice, 8)) body.label = qd_test_dice_bits(dice);
    return body;
}

// ---- who comes and goes ----

/// Two corners of a region.
static void region(qd_test_dice *dice, qd_vec2 *low, qd_vec2 *high) {
    *low = qd_test_dice_place(dice);
    *high = (qd_vec2){low->x + length(dice, 0, 4), low->y + length(dice, 0, 4)};
}

qd_emitter_def qd_test_dice_emitter(qd_test_dice *dice) {
    qd_emitter_def def = qd_emitter_def_default();
    def.body = qd_test_dice_body(dice);
    region(dice, &def.low, &def.high);
    if (qd_test_dice_hit(dice, 2)) def.scale_low = qd_test_dice_number(dice, 0.3, 1);
    if (qd_test_dice_hit(dice, 2)) def.scale_high = qd_test_dice_number(dice, 1, 3);
    if (qd_test_dice_hit(dice, 2)) def.turn = qd_test_dice_number(dice, 0, 3);
    if (qd_test_dice_hit(dice, 2)) def.spread = length(dice, 0, 3);
    def.rate = 1 + 100 * uniform(dice); // as fast as allowed it takes long
    if (qd_test_dice_hit(dice, 3)) def.start = qd_test_dice_number(dice, 0, 0.5);
    if (qd_test_dice_hit(dice, 3)) def.stop = qd_test_dice_number(dice, 0, 1);
    def.total = qd_test_dice_below(dice, 30);
    if (qd_test_dice_hit(dice, 3)) def.alive = qd_test_dice_below(dice, 40);
    def.tries = 1 + (int)qd_test_dice_below(dice, 5);
    def.overlap = qd_test_dice_hit(dice, 3);
    return def;
}

qd_sink_def qd_test_dice_sink(qd_test_dice *dice) {
    qd_sink_def def = qd_sink_def_default();
    region(dice, &def.low, &def.high);
    if (qd_test_dice_hit(dice, 2)) def.total = qd_test_dice_below(dice, 6);
    return def;
}
