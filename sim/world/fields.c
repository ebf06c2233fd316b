// The table, and its use for saving. compare_fields.c compares by it.

#include "sim/world/fields.h"

#include "core/base/bytes.h"
#include "sim/world/contact_state.h"
#include "sim/world/energy_balance_state.h"
#include "sim/world/population.h"
#include "sim/world/world_impl.h"

#include <math.h>

// ---- tables: a new field is one line ----

/// The kind of a plain member.
#define KIND(type, member)                                                                                   \
    _Generic(((const type *)0)->member, double                                                               \
             : QDI_FIELD_REAL, float                                                                         \
             : QDI_FIELD_FLOAT, uint64_t                                                                     \
             : QDI_FIELD_U64, uint32_t                                                                       \
             : QDI_FIELD_U32, int32_t                                                                        \
             : QDI_FIELD_I32, int16_t                                                                        \
             : QDI_FIELD_I16, uint8_t                                                                        \
             : QDI_FIELD_U8, bool                                                                            \
             : QDI_FIELD_BOOL)
/// A member under its own name; one with a word for each value.
#define FIELD(type, member) .name = #member, .kind = KIND(type, member), .offset = offsetof(type, member)
#define WORD(type, member, list)                                                                             \
    .name = #member, .kind = QDI_FIELD_WORD, .offset = offsetof(type, member), .words = (list)
/// A member that is a struct, and an array of such.
#define PART(type, member, table)                                                                            \
    .name = #member, .kind = QDI_FIELD_PART, .offset = offsetof(type, member), .part = &(table)
#define PARTS(type, member, table, number)                                                                   \
    PART(type, member, table), .count = (number), .stride = sizeof(((const type *)0)->member[0])
/// The same without a name in front of its fields' names; and a table of the same struct.
#define SAME(type, member, table) .kind = QDI_FIELD_PART, .offset = offsetof(type, member), .part = &(table)
#define ALL_OF(table)             .kind = QDI_FIELD_PART, .part = &(table)
#define TABLE(lines)                                                                                         \
    { (lines), sizeof(lines) / sizeof *(lines) }

static const char *const boundaries[] = {"reflect", "periodic", "open", NULL};
static const char *const models[] = {"none", "impulse", "spring", NULL};
static const char *const retrieves[] = {"join", "each", "brute", NULL};
static const char *const continuous[] = {"auto", "on", "off", NULL};
static const char *const spring_laws[] = {"hooke", "hertz", NULL};
static const char *const laws[] = {"constant", "inverse", "inverse-square", NULL};
static const char *const kinds[] = {"dynamic", "static", "kinematic", NULL};
static const char *const shapes[] = {"disk", "rect", "capsule", "polygon", NULL};

static const qdi_field vec_lines[] = {{FIELD(qd_vec2, x)}, {FIELD(qd_vec2, y)}};
static const qdi_fields vec = TABLE(vec_lines);

static const qdi_field number_lines[] = {{.name = NULL, .kind = QDI_FIELD_REAL}};
const qdi_fields qdi_fields_number = TABLE(number_lines);

static const qdi_field shape_lines[] = {
    {WORD(qd_shape, kind, shapes)},
    {FIELD(qd_shape, radius)},
    {PART(qd_shape, half, vec)},
    {FIELD(qd_shape, count)},
    {PARTS(qd_shape, points, vec, QD_POLYGON_MAX)},
};
static const qdi_fields shape = TABLE(shape_lines);

static const qdi_field material_lines[] = {
    {FIELD(qd_material, restitution)},
    {FIELD(qd_material, friction)},
    {FIELD(qd_material, tangential)},
    {FIELD(qd_material, of)},
};
const qdi_fields qdi_fields_material = TABLE(material_lines);

static const qdi_field filter_lines[] = {
    {FIELD(qd_filter, category)},
    {FIELD(qd_filter, mask)},
    {FIELD(qd_filter, group)},
};
static const qdi_fields filter = TABLE(filter_lines);

static const qdi_field attraction_lines[] = {
    {WORD(qd_attraction, law, laws)},
    {PART(qd_attraction, at, vec)},
    {FIELD(qd_attraction, strength)},
    {FIELD(qd_attraction, softening)},
};
static const qdi_fields attraction = TABLE(attraction_lines);

static const qdi_field drag_lines[] = {
    {FIELD(qd_drag, linear)},     {FIELD(qd_drag, quadratic)},   {FIELD(qd_drag, spin)},
    {PART(qd_drag, medium, vec)}, {FIELD(qd_drag, temperature)},
};
static const qdi_fields drag = TABLE(drag_lines);

static const qdi_field wall_lines[] = {
    {FIELD(qd_wall_motion, velocity)}, {FIELD(qd_wall_motion, amplitude)}, {FIELD(qd_wall_motion, frequency)},
    {FIELD(qd_wall_motion, phase)},    {FIELD(qd_wall_motion, slide)},
};
static const qdi_fields wall = TABLE(wall_lines);

static const qdi_field limit_lines[] = {
    {FIELD(qd_limits, speed)},
    {FIELD(qd_limits, distance)},
    {FIELD(qd_limits, pairs)},
};
static const qdi_fields limits = TABLE(limit_lines);

static const qdi_field spring_lines[] = {
    {FIELD(qd_spring, contact_time)},
    {FIELD(qd_spring, kn)},
    {FIELD(qd_spring, gamman)},
    {FIELD(qd_spring, kt)},
    {FIELD(qd_spring, gammat)},
    {FIELD(qd_spring, limit_damping), .bytes = 4},
    {WORD(qd_spring, law, spring_laws)},
    {FIELD(qd_spring, rolling)},
    {FIELD(qd_spring, kr)},
    {FIELD(qd_spring, gammar)},
    {FIELD(qd_spring, adhesion)},
    {FIELD(qd_spring, range)},
};
static const qdi_fields spring = TABLE(spring_lines);

static const qdi_field compression_lines[] = {
    {PART(qd_compression, rate, vec)},
    {FIELD(qd_compression, fraction)},
    {FIELD(qd_compression, pressure)},
};
static const qdi_fields compression = TABLE(compression_lines);

static const qdi_field def_lines[] = {
    {PART(qd_world_def, size, vec)},
    {PART(qd_world_def, origin, vec)},
    {WORD(qd_world_def, boundary_x, boundaries)},
    {WORD(qd_world_def, boundary_y, boundaries)},
    {PART(qd_world_def, gravity, vec)},
    {PART(qd_world_def, attraction, attraction)},
    {PART(qd_world_def, drag, drag)},
    {PARTS(qd_world_def, wall_motion, wall, QDI_WALLS)},
    {PART(qd_world_def, compression, compression)},
    {FIELD(qd_world_def, removal)},
    {WORD(qd_world_def, contact, models)},
    {WORD(qd_world_def, retrieve, retrieves), .work = true},
    {FIELD(qd_world_def, restitution)},
    {FIELD(qd_world_def, friction)},
    {FIELD(qd_world_def, tangential)},
    {PART(qd_world_def, walls, qdi_fields_material)},
    {PART(qd_world_def, spring, spring)},
    {FIELD(qd_world_def, threshold)},
    {FIELD(qd_world_def, iterations)},
    {FIELD(qd_world_def, substeps)},
    {WORD(qd_world_def, continuous, continuous)},
    {FIELD(qd_world_def, margin), .work = true},
    {FIELD(qd_world_def, capacity), .work = true},
    {PART(qd_world_def, limits, limits)},
    {FIELD(qd_world_def, seed)},
};
const qdi_fields qdi_fields_def = TABLE(def_lines);

static const qdi_field clock_lines[] = {
    {FIELD(qdi_clock, step)},
    {FIELD(qdi_clock, base_step)},
    {FIELD(qdi_clock, base_time)},
    {FIELD(qdi_clock, dt)},
};
static const qdi_fields clock_fields = TABLE(clock_lines);

static const qdi_field total_lines[] = {
    {FIELD(qd_world_totals, contacts)},
    {FIELD(qd_world_totals, begins)},
    {FIELD(qd_world_totals, ends)},
    {FIELD(qd_world_totals, impacts)},
    {FIELD(qd_world_totals, unfollowed)},
    {FIELD(qd_world_totals, refresh_in_place), .work = true},
    {FIELD(qd_world_totals, refresh_refiled), .work = true},
    {FIELD(qd_world_totals, splits), .work = true},
    {FIELD(qd_world_totals, merges), .work = true},
    {FIELD(qd_world_totals, rebuilds), .work = true},
    {FIELD(qd_world_totals, amended), .work = true},
    {FIELD(qd_world_totals, box_tests), .work = true},
    {PART(qd_world_totals, wall_impulse, vec)},
    {FIELD(qd_world_totals, wall_work)},
    {FIELD(qd_world_totals, emitted)},
    {FIELD(qd_world_totals, blocked)},
    {FIELD(qd_world_totals, departed)},
    {FIELD(qd_world_totals, sunk)},
};
static const qdi_fields totals = TABLE(total_lines);

static const qdi_field margin_lines[] = {
    {FIELD(qdi_margin, held), .bytes = 8, .work = true},
    {FIELD(qdi_margin, horizon), .bytes = 8, .work = true},
    {FIELD(qdi_margin, age), .bytes = 8, .work = true},
    {FIELD(qdi_margin, lasted), .bytes = 8, .work = true},
    {FIELD(qdi_margin, pairs), .work = true},
    {FIELD(qdi_margin, slack), .work = true},
};
const qdi_fields qdi_fields_margin = TABLE(margin_lines);

static const qdi_field pair_lines[] = {
    {.kind = QDI_FIELD_PART, .part = &qdi_fields_number, .count = 2, .stride = sizeof(double)}};
static const qdi_fields pair = TABLE(pair_lines);

static const qdi_field balance_lines[] = {
    {PARTS(qdi_energy_balance, lost, pair, 2)},
    {FIELD(qdi_energy_balance, virial)},
    {FIELD(qdi_energy_balance, kinematic)},
    {FIELD(qdi_energy_balance, drag)},
    {FIELD(qdi_energy_balance, force)},
    {FIELD(qdi_energy_balance, compression)},
    {FIELD(qdi_energy_balance, drift)},
    {PARTS(qdi_energy_balance, push, qdi_fields_number, QDI_WALLS)},
};
static const qdi_fields balance = TABLE(balance_lines);

static const qdi_field rate_lines[] = {{FIELD(qdi_rates, virial)}, {FIELD(qdi_rates, push)}};
static const qdi_fields rates = TABLE(rate_lines);

static const qdi_field searched_lines[] = {
    {FIELD(qdi_searched, candidates), .work = true},
    {FIELD(qdi_searched, tests), .work = true},
};
static const qdi_fields searched = TABLE(searched_lines);

static const qdi_field compress_lines[] = {
    {PART(qdi_compress, scale, vec)},
    {FIELD(qdi_compress, done), .bytes = 8},
};
const qdi_fields qdi_fields_compress = TABLE(compress_lines);

static const qdi_field begun_lines[] = {{FIELD(qdi_wall_begun, at)}, {FIELD(qdi_wall_begun, time)}};
static const qdi_fields begun = TABLE(begun_lines);

static const qdi_field past_lines[] = {
    {PART(qd_world, clock, clock_fields)},
    {PART(qd_world, totals, totals)},
    {PART(qd_world, balance, balance)},
    {PART(qd_world, rates, rates)},
    {PART(qd_world, searched, searched)},
    {FIELD(qd_world, entered)},
    {FIELD(qd_world, pressed)},
    {PART(qd_world, compress, qdi_fields_compress)},
    {FIELD(qd_world, changed), .bytes = 8},
    {FIELD(qd_world, turning), .bytes = 8},
    {FIELD(qd_world, last_label)},
    {PARTS(qd_world, wall_begun, begun, QDI_WALLS)},
    {FIELD(qd_world, stage)},
    {FIELD(qd_world, follows), .bytes = 8, .work = true},
};
const qdi_fields qdi_fields_past = TABLE(past_lines);

static const qdi_field world_lines[] = {
    {SAME(qd_world, def, qdi_fields_def)},
    {ALL_OF(qdi_fields_past)},
    {PART(qd_world, margin, qdi_fields_margin)},
};
const qdi_fields qdi_fields_world = TABLE(world_lines);

static const qdi_field id_lines[] = {{FIELD(qd_id, index)}, {FIELD(qd_id, generation)}};
static const qdi_fields id = TABLE(id_lines);

static const qdi_field body_lines[] = {
    {SAME(qd_body_state, id, id)},         {FIELD(qd_body_state, label)},
    {WORD(qd_body_state, kind, kinds)},    {PART(qd_body_state, shape, shape)},
    {PART(qd_body_state, position, vec)},  {PART(qd_body_state, turn, vec)},
    {PART(qd_body_state, velocity, vec)},  {FIELD(qd_body_state, spin)},
    {FIELD(qd_body_state, lean)},          {FIELD(qd_body_state, mass)},
    {FIELD(qd_body_state, inertia)},       {PART(qd_body_state, pivot, vec)},
    {FIELD(qd_body_state, slide)},         {PART(qd_body_state, material, qdi_fields_material)},
    {PART(qd_body_state, filter, filter)}, {FIELD(qd_body_state, sensor)},
    {FIELD(qd_body_state, bullet)},        {FIELD(qd_body_state, source)},
};
const qdi_fields qdi_fields_body = TABLE(body_lines);

static const qdi_field box_lines[] = {
    {FIELD(qd_box, min_x), .work = true},
    {FIELD(qd_box, min_y), .work = true},
    {FIELD(qd_box, max_x), .work = true},
    {FIELD(qd_box, max_y), .work = true},
};
static const qdi_fields box = TABLE(box_lines);
static const qdi_field fat_lines[] = {{.name = "fat", .kind = QDI_FIELD_PART, .part = &box}};
const qdi_fields qdi_fields_fat = TABLE(fat_lines);

static const qdi_field touch_lines[] = {
    {PART(qd_touch, point, vec)}, {FIELD(qd_touch, depth)},   {FIELD(qd_touch, impulse)},
    {FIELD(qd_touch, friction)},  {FIELD(qd_touch, feature)},
};
const qdi_fields qdi_fields_touch = TABLE(touch_lines);

static const qdi_field image_lines[] = {{FIELD(qd_image, x)}, {FIELD(qd_image, y)}};
static const qdi_fields image = TABLE(image_lines);

static const qdi_field pair_of_bodies_lines[] = {
    {PART(qd_contact, a, id)},
    {PART(qd_contact, b, id)},
    {PART(qd_contact, normal, vec)},
    {FIELD(qd_contact, approach)},
    {PART(qd_contact, image, image)},
    {FIELD(qd_contact, count)},
    {FIELD(qd_contact, sensor), .bytes = 3},
};
const qdi_fields qdi_fields_pair_of_bodies = TABLE(pair_of_bodies_lines);

static const qdi_field contact_lines[] = {
    {ALL_OF(qdi_fields_pair_of_bodies)},
    {PARTS(qd_contact, touch, qdi_fields_touch, 2)},
};
static const qdi_fields contact = TABLE(contact_lines);

static const qdi_field warm_start_lines[] = {
    {PARTS(qdi_warm_start, normal, qdi_fields_number, 2)},
    {PARTS(qdi_warm_start, tangent, qdi_fields_number, 2)},
};
static const qdi_fields warm_start = TABLE(warm_start_lines);

static const qdi_field force_lines[] = {
    {FIELD(qdi_contact_force, x)},
    {FIELD(qdi_contact_force, y)},
    {FIELD(qdi_contact_force, turn_a)},
    {FIELD(qdi_contact_force, turn_b)},
};
const qdi_fields qdi_fields_contact_force = TABLE(force_lines);

static const qdi_field held_lines[] = {
    {SAME(qdi_held_contact, contact, contact)},
    {PART(qdi_held_contact, warm_start, warm_start)},
    {PART(qdi_held_contact, force, qdi_fields_contact_force)},
};
const qdi_fields qdi_fields_contact = TABLE(held_lines);

static const qdi_field made_lines[] = {
    {WORD(qd_body_def, kind, kinds), .elsewhere = true},
    {PART(qd_body_def, shape, shape), .elsewhere = true},
    {FIELD(qd_body_def, angle)},
    {PART(qd_body_def, velocity, vec)},
    {FIELD(qd_body_def, spin)},
    {PART(qd_body_def, pivot, vec), .elsewhere = true},
    {FIELD(qd_body_def, density)},
    {FIELD(qd_body_def, mass)},
    {FIELD(qd_body_def, inertia)},
    {PART(qd_body_def, material, qdi_fields_material), .elsewhere = true},
    {PART(qd_body_def, filter, filter), .elsewhere = true},
    {FIELD(qd_body_def, sensor), .elsewhere = true},
    {FIELD(qd_body_def, bullet), .elsewhere = true},
    {FIELD(qd_body_def, source), .elsewhere = true},
};
static const qdi_fields made = TABLE(made_lines);

static const qdi_field source_lines[] = {
    {PART(qd_emitter_def, body, made)},
    {PART(qd_emitter_def, low, vec)},
    {PART(qd_emitter_def, high, vec)},
    {FIELD(qd_emitter_def, scale_low)},
    {FIELD(qd_emitter_def, scale_high)},
    {FIELD(qd_emitter_def, turn)},
    {FIELD(qd_emitter_def, spread)},
    {FIELD(qd_emitter_def, rate)},
    {FIELD(qd_emitter_def, start)},
    {FIELD(qd_emitter_def, stop)},
    {FIELD(qd_emitter_def, total)},
    {FIELD(qd_emitter_def, alive)},
    {FIELD(qd_emitter_def, tries), .elsewhere = true},
    {FIELD(qd_emitter_def, overlap), .elsewhere = true},
};
const qdi_fields qdi_fields_source = TABLE(source_lines);

static const qdi_field done_lines[] = {{FIELD(qd_emitter_counts, due)}, {FIELD(qd_emitter_counts, emitted)}};
const qdi_fields qdi_fields_done = TABLE(done_lines);

static const qdi_field emitter_lines[] = {{SAME(qdi_emitter, def, qdi_fields_source)},
                                          {SAME(qdi_emitter, counts, qdi_fields_done)}};
const qdi_fields qdi_fields_emitter = TABLE(emitter_lines);

static const qdi_field drain_lines[] = {
    {PART(qd_sink_def, low, vec)},
    {PART(qd_sink_def, high, vec)},
    {FIELD(qd_sink_def, total)},
};
static const qdi_fields drain = TABLE(drain_lines);

static const qdi_field sink_lines[] = {{SAME(qdi_sink, def, drain)}, {FIELD(qdi_sink, taken)}};
const qdi_fields qdi_fields_sink = TABLE(sink_lines);

// ---- saving by table ----

// World's fields: bytes of a field of this kind in memory.
static size_t member_size(qdi_field_kind kind) {
    switch (kind) {
    case QDI_FIELD_REAL:
    case QDI_FIELD_U64: return 8;
    case QDI_FIELD_FLOAT:
    case QDI_FIELD_U32:
    case QDI_FIELD_I32: return 4;
    case QDI_FIELD_I16: return 2;
    case QDI_FIELD_U8: return 1;
    case QDI_FIELD_BOOL: return sizeof(bool);
    case QDI_FIELD_WORD: return sizeof(qd_body_kind);
    case QDI_FIELD_PART: break;
    }
    return 0;
}

size_t qdi_field_size(const qdi_field *field) {
    return member_size(field->kind);
}

// Bytes of a field in a saved world.
static size_t saved_size(const qdi_field *field) {
    return field->bytes ? field->bytes : member_size(field->kind);
}

// World's fields: how many values a field holds.
static size_t times(const qdi_field *field) {
    return field->count ? field->count : 1;
}

size_t qdi_fields_bytes(const qdi_fields *fields) {
    size_t sum = 0;
    for (size_t i = 0; i < fields->count; ++i) {
        const qdi_field *field = &fields->field[i];
        if (field->elsewhere) continue;
        sum += field->kind == QDI_FIELD_PART ? times(field) * qdi_fields_bytes(field->part)
                                             : saved_size(field);
    }
    return sum;
}

/// World's fields: loops that a compiler makes short: over the same member of many structs. `member` and `to`
/// are those of the first.
static void put_wide(const char *member, size_t stride, const qdi_records *to) {
    for (size_t k = 0; k < to->count; ++k) {
        unsigned char *at = to->at + k * to->bytes;
        uint64_t bits;
        memcpy(&bits, member + k * stride, sizeof bits);
        qdi_put_u64(&at, bits);
    }
}

// World's fields: saves 32-bit fields of records.
static void put_word(const char *member, size_t stride, const qdi_records *to) {
    for (size_t k = 0; k < to->count; ++k) {
        unsigned char *at = to->at + k * to->bytes;
        uint32_t bits;
        memcpy(&bits, member + k * stride, sizeof bits);
        qdi_put_u32(&at, bits);
    }
}

/// World's fields: a member as a number of 64 bits, whatever the byte order.
static uint64_t bits_of(const qdi_field *field, const char *member) {
    uint32_t word;
    uint16_t half;
    bool flag;
    switch (field->kind) {
    case QDI_FIELD_I16: memcpy(&half, member, sizeof half); return half;
    case QDI_FIELD_U8: return *(const unsigned char *)member;
    case QDI_FIELD_BOOL: memcpy(&flag, member, sizeof flag); return flag;
    default: memcpy(&word, member, sizeof word); return word;
    }
}

// World's fields: saves fields of any kind of records.
static void put_any(const qdi_field *field, const char *member, size_t stride, const qdi_records *to) {
    for (size_t k = 0; k < to->count; ++k) {
        const uint64_t bits = bits_of(field, member + k * stride);
        unsigned char *at = to->at + k * to->bytes;
        for (size_t byte = 0; byte < saved_size(field); ++byte)
            at[byte] = (unsigned char)(bits >> (8 * byte));
    }
}

void qdi_fields_put_each(const qdi_fields *fields, const void *from, size_t stride, qdi_records *to) {
    for (size_t i = 0; i < fields->count; ++i) {
        const qdi_field *field = &fields->field[i];
        const char *member = (const char *)from + field->offset;
        const size_t size = member_size(field->kind);
        if (field->elsewhere) continue;
        if (field->kind == QDI_FIELD_PART) {
            for (size_t k = 0; k < times(field); ++k)
                qdi_fields_put_each(field->part, member + k * field->stride, stride, to);
            continue;
        }
        if (size == 8)
            put_wide(member, stride, to);
        else if (size == 4 && saved_size(field) == 4)
            put_word(member, stride, to);
        else
            put_any(field, member, stride, to);
        to->at += saved_size(field);
    }
}

void qdi_fields_put(const qdi_fields *fields, const void *from, unsigned char **at) {
    qdi_records one = {.at = *at, .count = 1};
    qdi_fields_put_each(fields, from, 0, &one);
    *at = one.at;
}

/// World's fields: any NaN is read as the same one. False where a member cannot hold the number.
static bool set_bits(const qdi_field *field, uint64_t bits, char *member) {
    const uint32_t word = (uint32_t)bits;
    const uint16_t half = (uint16_t)bits;
    const uint8_t byte = (uint8_t)bits;
    const bool flag = bits != 0;
    switch (field->kind) {
    case QDI_FIELD_BOOL: memcpy(member, &flag, sizeof flag); return bits <= 1;
    case QDI_FIELD_U64: memcpy(member, &bits, sizeof bits); return true;
    case QDI_FIELD_I16: memcpy(member, &half, sizeof half); return half == bits;
    case QDI_FIELD_U8: memcpy(member, &byte, sizeof byte); return byte == bits;
    default: memcpy(member, &word, sizeof word); return word == bits;
    }
}

// World's fields: loads doubles of records; a NaN becomes the usual one.
static void get_reals(const qdi_saved_records *from, char *member, size_t stride) {
    for (size_t k = 0; k < from->count; ++k) {
        const unsigned char *at = from->at + k * from->bytes;
        double real = qdi_get_f64(&at);
        if (isnan(real)) real = (double)NAN;
        memcpy(member + k * stride, &real, sizeof real);
    }
}

// World's fields: loads fields of any kind of records; false if a value does not fit.
static bool get_any(const qdi_field *field, const qdi_saved_records *from, char *member, size_t stride) {
    bool fits = true;
    for (size_t k = 0; k < from->count; ++k) {
        const unsigned char *at = from->at + k * from->bytes;
        uint64_t bits = 0;
        for (size_t byte = 0; byte < saved_size(field); ++byte) bits |= (uint64_t)at[byte] << (8 * byte);
        fits = set_bits(field, bits, member + k * stride) && fits;
    }
    return fits;
}

bool qdi_fields_get_each(const qdi_fields *fields, qdi_saved_records *from, void *to, size_t stride) {
    bool fits = true;
    for (size_t i = 0; i < fields->count; ++i) {
        const qdi_field *field = &fields->field[i];
        char *member = (char *)to + field->offset;
        if (field->elsewhere) continue;
        if (field->kind == QDI_FIELD_PART) {
            for (size_t k = 0; k < times(field); ++k)
                fits = qdi_fields_get_each(field->part, from, member + k * field->stride, stride) && fits;
            continue;
        }
        if (field->kind == QDI_FIELD_REAL)
            get_reals(from, member, stride);
        else
            fits = get_any(field, from, member, stride) && fits;
        from->at += saved_size(field);
    }
    return fits;
}

bool qdi_fields_get(const qdi_fields *fields, const unsigned char **at, void *to) {
    qdi_saved_records one = {.at = *at, .count = 1};
    const bool fits = qdi_fields_get_each(fields, &one, to, 0);
    *at = one.at;
    return fits;
}
