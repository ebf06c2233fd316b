#include "sim/rundir/compare_fields.h"

#include "core/base/assert.h"
#include "sim/base/number.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

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
/// A member under its own name; one that only says how the work is done; one with a word for each value.
#define FIELD(type, member)                                                                                  \
    { .name = #member, .kind = KIND(type, member), .offset = offsetof(type, member) }
#define WORK(type, member)                                                                                   \
    { .name = #member, .kind = KIND(type, member), .work = true, .offset = offsetof(type, member) }
#define WORD(type, member, list)                                                                             \
    { .name = #member, .kind = QDI_FIELD_WORD, .offset = offsetof(type, member), .words = (list) }
/// A member that is a struct, and an array of such.
#define PART(type, member, table)                                                                            \
    { .name = #member, .kind = QDI_FIELD_PART, .offset = offsetof(type, member), .part = &(table) }
#define PARTS(type, member, table, number)                                                                   \
    {                                                                                                        \
        .name = #member, .kind = QDI_FIELD_PART, .offset = offsetof(type, member), .part = &(table),         \
        .count = (number), .stride = sizeof(((const type *)0)->member[0])                                    \
    }
/// The same without a name in front of its fields' names.
#define SAME(type, member, table)                                                                            \
    { .kind = QDI_FIELD_PART, .offset = offsetof(type, member), .part = &(table) }
#define TABLE(lines)                                                                                         \
    { (lines), sizeof(lines) / sizeof *(lines) }

static const char *const boundaries[] = {"reflect", "periodic", "open", NULL};
static const char *const models[] = {"none", "impulse", "spring", NULL};
static const char *const retrieves[] = {"join", "each", NULL};
static const char *const continuous[] = {"auto", "on", "off", NULL};
static const char *const laws[] = {"constant", "inverse", "inverse-square", NULL};
static const char *const kinds[] = {"dynamic", "static", "kinematic", NULL};
static const char *const shapes[] = {"disk", "rect", "capsule", "polygon", NULL};

static const qdi_field vec_lines[] = {FIELD(qd_vec2, x), FIELD(qd_vec2, y)};
static const qdi_fields vec = TABLE(vec_lines);

static const qdi_field number_lines[] = {{.name = NULL, .kind = QDI_FIELD_REAL}};
static const qdi_fields number = TABLE(number_lines);

static const qdi_field shape_lines[] = {
    WORD(qd_shape, kind, shapes),
    FIELD(qd_shape, radius),
    PART(qd_shape, half, vec),
    FIELD(qd_shape, count),
    PARTS(qd_shape, points, vec, QD_POLYGON_MAX),
};
static const qdi_fields shape = TABLE(shape_lines);

static const qdi_field material_lines[] = {
    FIELD(qd_material, restitution),
    FIELD(qd_material, friction),
    FIELD(qd_material, tangential),
};
static const qdi_fields material = TABLE(material_lines);

static const qdi_field filter_lines[] = {
    FIELD(qd_filter, category),
    FIELD(qd_filter, mask),
    FIELD(qd_filter, group),
};
static const qdi_fields filter = TABLE(filter_lines);

static const qdi_field attraction_lines[] = {
    WORD(qd_attraction, law, laws),
    PART(qd_attraction, at, vec),
    FIELD(qd_attraction, strength),
    FIELD(qd_attraction, softening),
};
static const qdi_fields attraction = TABLE(attraction_lines);

static const qdi_field drag_lines[] = {
    FIELD(qd_drag, linear),     FIELD(qd_drag, quadratic),   FIELD(qd_drag, spin),
    PART(qd_drag, medium, vec), FIELD(qd_drag, temperature),
};
static const qdi_fields drag = TABLE(drag_lines);

static const qdi_field wall_lines[] = {
    FIELD(qd_wall_motion, velocity), FIELD(qd_wall_motion, amplitude), FIELD(qd_wall_motion, frequency),
    FIELD(qd_wall_motion, phase),    FIELD(qd_wall_motion, slide),
};
static const qdi_fields wall = TABLE(wall_lines);

static const qdi_field limit_lines[] = {
    FIELD(qd_limits, speed),
    FIELD(qd_limits, distance),
    FIELD(qd_limits, pairs),
};
static const qdi_fields limits = TABLE(limit_lines);

static const qdi_field spring_lines[] = {
    FIELD(qd_spring, contact_time), FIELD(qd_spring, kn),     FIELD(qd_spring, gamman),
    FIELD(qd_spring, kt),           FIELD(qd_spring, gammat), FIELD(qd_spring, limit_damping),
};
static const qdi_fields spring = TABLE(spring_lines);

static const qdi_field compression_lines[] = {
    PART(qd_compression, rate, vec),
    FIELD(qd_compression, fraction),
    FIELD(qd_compression, pressure),
};
static const qdi_fields compression = TABLE(compression_lines);

static const qdi_field def_lines[] = {
    PART(qd_world_def, size, vec),
    PART(qd_world_def, origin, vec),
    WORD(qd_world_def, boundary_x, boundaries),
    WORD(qd_world_def, boundary_y, boundaries),
    PART(qd_world_def, gravity, vec),
    PART(qd_world_def, attraction, attraction),
    PART(qd_world_def, drag, drag),
    PARTS(qd_world_def, wall_motion, wall, QDI_WALLS),
    PART(qd_world_def, compression, compression),
    FIELD(qd_world_def, removal),
    WORD(qd_world_def, contact, models),
    FIELD(qd_world_def, restitution),
    FIELD(qd_world_def, friction),
    FIELD(qd_world_def, tangential),
    PART(qd_world_def, walls, material),
    PART(qd_world_def, spring, spring),
    FIELD(qd_world_def, threshold),
    FIELD(qd_world_def, iterations),
    FIELD(qd_world_def, substeps),
    WORD(qd_world_def, continuous, continuous),
    PART(qd_world_def, limits, limits),
    FIELD(qd_world_def, seed),
    {.name = "retrieve",
     .kind = QDI_FIELD_WORD,
     .work = true,
     .offset = offsetof(qd_world_def, retrieve),
     .words = retrieves},
    WORK(qd_world_def, margin),
    WORK(qd_world_def, capacity),
};
static const qdi_fields def = TABLE(def_lines);

static const qdi_field clock_lines[] = {
    FIELD(qdi_clock, step),
    FIELD(qdi_clock, base_step),
    FIELD(qdi_clock, base_time),
    FIELD(qdi_clock, dt),
};
static const qdi_fields clock_fields = TABLE(clock_lines);

static const qdi_field total_lines[] = {
    FIELD(qd_world_totals, contacts),       FIELD(qd_world_totals, begins),
    FIELD(qd_world_totals, ends),           FIELD(qd_world_totals, impacts),
    FIELD(qd_world_totals, unfollowed),     PART(qd_world_totals, wall_impulse, vec),
    FIELD(qd_world_totals, wall_work),      FIELD(qd_world_totals, emitted),
    FIELD(qd_world_totals, blocked),        FIELD(qd_world_totals, departed),
    FIELD(qd_world_totals, sunk),           WORK(qd_world_totals, refresh_in_place),
    WORK(qd_world_totals, refresh_refiled), WORK(qd_world_totals, splits),
    WORK(qd_world_totals, merges),          WORK(qd_world_totals, rebuilds),
    WORK(qd_world_totals, amended),
};
static const qdi_fields totals = TABLE(total_lines);

static const qdi_field margin_lines[] = {
    WORK(qdi_margin, held),   WORK(qdi_margin, horizon), WORK(qdi_margin, age),
    WORK(qdi_margin, lasted), WORK(qdi_margin, pairs),   WORK(qdi_margin, slack),
};
static const qdi_fields margin = TABLE(margin_lines);

static const qdi_field pair_lines[] = {
    {.kind = QDI_FIELD_PART, .part = &number, .count = 2, .stride = sizeof(double)}};
static const qdi_fields pair = TABLE(pair_lines);

static const qdi_field ledger_lines[] = {
    PARTS(qdi_ledger, lost, pair, 2), FIELD(qdi_ledger, virial),
    FIELD(qdi_ledger, kinematic),     FIELD(qdi_ledger, drag),
    FIELD(qdi_ledger, force),         FIELD(qdi_ledger, compression),
    FIELD(qdi_ledger, drift),         PARTS(qdi_ledger, push, number, QDI_WALLS),
};
static const qdi_fields ledger = TABLE(ledger_lines);

static const qdi_field rate_lines[] = {FIELD(qdi_rates, virial), FIELD(qdi_rates, push)};
static const qdi_fields rates = TABLE(rate_lines);

static const qdi_field compress_lines[] = {
    PART(qdi_compress, scale, vec),
    FIELD(qdi_compress, done),
};
static const qdi_fields compress = TABLE(compress_lines);

static const qdi_field world_lines[] = {
    SAME(qd_world, def, def),           PART(qd_world, clock, clock_fields),
    PART(qd_world, totals, totals),     PART(qd_world, ledger, ledger),
    PART(qd_world, compress, compress), FIELD(qd_world, pressed),
    PART(qd_world, rates, rates),       FIELD(qd_world, entered),
    FIELD(qd_world, changed),           FIELD(qd_world, turning),
    PART(qd_world, margin, margin),     FIELD(qd_world, last_label),
};
const qdi_fields qdi_fields_world = TABLE(world_lines);

static const qdi_field id_lines[] = {FIELD(qd_id, generation)};
static const qdi_fields id = TABLE(id_lines);

static const qdi_field body_lines[] = {
    SAME(qd_body_state, id, id),         FIELD(qd_body_state, label),
    WORD(qd_body_state, kind, kinds),    PART(qd_body_state, shape, shape),
    PART(qd_body_state, position, vec),  PART(qd_body_state, turn, vec),
    PART(qd_body_state, velocity, vec),  FIELD(qd_body_state, spin),
    FIELD(qd_body_state, mass),          FIELD(qd_body_state, inertia),
    PART(qd_body_state, pivot, vec),     PART(qd_body_state, material, material),
    PART(qd_body_state, filter, filter), FIELD(qd_body_state, sensor),
    FIELD(qd_body_state, bullet),
};
const qdi_fields qdi_fields_body = TABLE(body_lines);

static const qdi_field box_lines[] = {
    WORK(qd_box, min_x),
    WORK(qd_box, min_y),
    WORK(qd_box, max_x),
    WORK(qd_box, max_y),
};
static const qdi_fields box = TABLE(box_lines);
static const qdi_field fat_lines[] = {{.name = "fat", .kind = QDI_FIELD_PART, .part = &box}};
const qdi_fields qdi_fields_fat = TABLE(fat_lines);

static const qdi_field touch_lines[] = {
    PART(qd_touch, point, vec), FIELD(qd_touch, depth),   FIELD(qd_touch, impulse),
    FIELD(qd_touch, friction),  FIELD(qd_touch, feature),
};
static const qdi_fields touch = TABLE(touch_lines);

static const qdi_field image_lines[] = {FIELD(qd_image, x), FIELD(qd_image, y)};
static const qdi_fields image = TABLE(image_lines);

static const qdi_field contact_lines[] = {
    PART(qd_contact, a, id),       PART(qd_contact, b, id),
    PART(qd_contact, normal, vec), PARTS(qd_contact, touch, touch, 2),
    FIELD(qd_contact, approach),   PART(qd_contact, image, image),
    FIELD(qd_contact, count),      FIELD(qd_contact, sensor),
};
static const qdi_fields contact = TABLE(contact_lines);

static const qdi_field hold_lines[] = {
    PARTS(qdi_warm_start, normal, number, 2),
    PARTS(qdi_warm_start, tangent, number, 2),
};
static const qdi_fields hold = TABLE(hold_lines);

static const qdi_field pull_lines[] = {
    FIELD(qdi_pull, x),
    FIELD(qdi_pull, y),
    FIELD(qdi_pull, turn_a),
    FIELD(qdi_pull, turn_b),
};
static const qdi_fields pull = TABLE(pull_lines);

static const qdi_field held_lines[] = {
    SAME(qdi_held_contact, contact, contact),
    PART(qdi_held_contact, hold, hold),
    PART(qdi_held_contact, pull, pull),
};
const qdi_fields qdi_fields_contact = TABLE(held_lines);

static const qdi_field made_lines[] = {
    WORD(qd_body_def, kind, kinds),    PART(qd_body_def, shape, shape),
    FIELD(qd_body_def, angle),         PART(qd_body_def, velocity, vec),
    FIELD(qd_body_def, spin),          PART(qd_body_def, pivot, vec),
    FIELD(qd_body_def, density),       FIELD(qd_body_def, mass),
    FIELD(qd_body_def, inertia),       PART(qd_body_def, material, material),
    PART(qd_body_def, filter, filter), FIELD(qd_body_def, sensor),
    FIELD(qd_body_def, bullet),
};
static const qdi_fields made = TABLE(made_lines);

static const qdi_field source_lines[] = {
    PART(qd_emitter_def, body, made), PART(qd_emitter_def, low, vec),    PART(qd_emitter_def, high, vec),
    FIELD(qd_emitter_def, scale_low), FIELD(qd_emitter_def, scale_high), FIELD(qd_emitter_def, turn),
    FIELD(qd_emitter_def, spread),    FIELD(qd_emitter_def, rate),       FIELD(qd_emitter_def, start),
    FIELD(qd_emitter_def, stop),      FIELD(qd_emitter_def, total),      FIELD(qd_emitter_def, alive),
    FIELD(qd_emitter_def, tries),     FIELD(qd_emitter_def, overlap),
};
static const qdi_fields source = TABLE(source_lines);

static const qdi_field done_lines[] = {FIELD(qd_emitter_counts, due), FIELD(qd_emitter_counts, emitted)};
static const qdi_fields done = TABLE(done_lines);

static const qdi_field emitter_lines[] = {SAME(qdi_emitter, def, source), SAME(qdi_emitter, counts, done)};
const qdi_fields qdi_fields_emitter = TABLE(emitter_lines);

static const qdi_field drain_lines[] = {
    PART(qd_sink_def, low, vec),
    PART(qd_sink_def, high, vec),
    FIELD(qd_sink_def, total),
};
static const qdi_fields drain = TABLE(drain_lines);

static const qdi_field sink_lines[] = {SAME(qdi_sink, def, drain), FIELD(qdi_sink, taken)};
const qdi_fields qdi_fields_sink = TABLE(sink_lines);

// ---- comparing by table ----

/// Where a comparison is: the names from the innermost to the outermost.
typedef struct place {
    const struct place *up;
    const char *name;
    size_t number; ///< + 1; 0: has none
} place;

typedef struct visitor {
    qdi_field_visit visit;
    void *context;
} visitor;

/// Writes the name of a place: "touch.0.point.x". Returns its length.
static size_t write_name(const place *at, char text[QDI_FIELD_ROOM]) {
    size_t used = at->up ? write_name(at->up, text) : 0;
    int more = 0;
    if (at->name) more = snprintf(text + used, QDI_FIELD_ROOM - used, "%s%s", used > 0 ? "." : "", at->name);
    used += (size_t)more;
    if (at->number > 0) used += (size_t)snprintf(text + used, QDI_FIELD_ROOM - used, ".%zu", at->number - 1);
    QD_ASSERT(used < QDI_FIELD_ROOM);
    return used;
}

static size_t size_of(qdi_field_kind kind) {
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

static double real_at(const void *at) {
    double value;
    memcpy(&value, at, sizeof value);
    return value;
}

static bool equal(const qdi_field *field, const void *first, const void *second) {
    if (memcmp(first, second, size_of(field->kind)) == 0) return true;
    return field->kind == QDI_FIELD_REAL && isnan(real_at(first)) && isnan(real_at(second));
}

static void write_word(const qdi_field *field, const void *at, char text[QDI_FIELD_ROOM]) {
    unsigned value, known = 0;
    memcpy(&value, at, sizeof value);
    while (field->words[known]) ++known;
    if (value < known)
        snprintf(text, QDI_FIELD_ROOM, "%s", field->words[value]);
    else
        snprintf(text, QDI_FIELD_ROOM, "%u", value);
}

static void write_value(const qdi_field *field, const void *at, char text[QDI_FIELD_ROOM]) {
    union {
        float f;
        uint64_t u64;
        uint32_t u32;
        int32_t i32;
        int16_t i16;
        uint8_t u8;
        bool flag;
    } value = {.u64 = 0};
    if (field->kind == QDI_FIELD_REAL) {
        (void)qdi_number_write(real_at(at), text);
        return;
    }
    if (field->kind == QDI_FIELD_WORD) {
        write_word(field, at, text);
        return;
    }
    memcpy(&value, at, size_of(field->kind));
    switch (field->kind) {
    case QDI_FIELD_FLOAT: (void)qdi_number_write((double)value.f, text); break;
    case QDI_FIELD_U64: snprintf(text, QDI_FIELD_ROOM, "%" PRIu64, value.u64); break;
    case QDI_FIELD_U32: snprintf(text, QDI_FIELD_ROOM, "%" PRIu32, value.u32); break;
    case QDI_FIELD_I32: snprintf(text, QDI_FIELD_ROOM, "%" PRId32, value.i32); break;
    case QDI_FIELD_I16: snprintf(text, QDI_FIELD_ROOM, "%d", value.i16); break;
    case QDI_FIELD_U8: snprintf(text, QDI_FIELD_ROOM, "%u", value.u8); break;
    case QDI_FIELD_BOOL: snprintf(text, QDI_FIELD_ROOM, "%s", value.flag ? "true" : "false"); break;
    case QDI_FIELD_REAL:
    case QDI_FIELD_WORD:
    case QDI_FIELD_PART: break;
    }
}

static bool tell(const visitor *who, const qdi_field *field, const place *at, const void *first,
                 const void *second) {
    char name[QDI_FIELD_ROOM], one[QDI_FIELD_ROOM], two[QDI_FIELD_ROOM];
    (void)write_name(at, name);
    write_value(field, first, one);
    write_value(field, second, two);
    return who->visit(who->context, name, one, two, field->work);
}

static bool compare_at(const qdi_fields *fields, const void *first, const void *second, const place *up,
                       const visitor *who) {
    const char *one = first, *two = second;
    for (size_t i = 0; i < fields->count; ++i) {
        const qdi_field *field = &fields->field[i];
        place at = {up, field->name, 0};
        const char *p = one + field->offset, *q = two + field->offset;
        if (field->kind != QDI_FIELD_PART) {
            if (!equal(field, p, q) && !tell(who, field, &at, p, q)) return false;
            continue;
        }
        for (size_t k = 0; k == 0 || k < field->count; ++k) {
            at.number = field->count > 0 ? k + 1 : 0;
            if (!compare_at(field->part, p + k * field->stride, q + k * field->stride, &at, who))
                return false;
        }
    }
    return true;
}

bool qdi_fields_compare(const qdi_fields *fields, const void *first, const void *second,
                        qdi_field_visit visit, void *context) {
    const visitor who = {visit, context};
    return compare_at(fields, first, second, NULL, &who);
}
