#include "sim/rundir/compare_fields.h"

#include "core/base/assert.h"
#include "sim/text/number.h"
#include "sim/world/fields.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

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

/// Compared runs: writes the name of a place: "touch.0.point.x". Returns its length.
static size_t write_name(const place *at, char text[QDI_FIELD_ROOM]) {
    size_t used = at->up ? write_name(at->up, text) : 0;
    int more = 0;
    if (at->name) more = snprintf(text + used, QDI_FIELD_ROOM - used, "%s%s", used > 0 ? "." : "", at->name);
    used += (size_t)more;
    if (at->number > 0) used += (size_t)snprintf(text + used, QDI_FIELD_ROOM - used, ".%zu", at->number - 1);
    QD_ASSERT(used < QDI_FIELD_ROOM);
    return used;
}

// A double of a compared field.
static double field_real(const void *at) {
    double value;
    memcpy(&value, at, sizeof value);
    return value;
}

// Compared runs: whether a field is the same in two worlds; NaN equals NaN.
static bool fields_equal(const qdi_field *field, const void *first, const void *second) {
    if (memcmp(first, second, qdi_field_size(field)) == 0) return true;
    return field->kind == QDI_FIELD_REAL && isnan(field_real(first)) && isnan(field_real(second));
}

// Compared runs: writes an enumerated field as its word.
static void write_field_word(const qdi_field *field, const void *at, char text[QDI_FIELD_ROOM]) {
    unsigned value, known = 0;
    memcpy(&value, at, sizeof value);
    while (field->words[known]) ++known;
    if (value < known)
        snprintf(text, QDI_FIELD_ROOM, "%s", field->words[value]);
    else
        snprintf(text, QDI_FIELD_ROOM, "%u", value);
}

// Compared runs: writes the value of a field as people read it.
static void write_field_value(const qdi_field *field, const void *at, char text[QDI_FIELD_ROOM]) {
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
        (void)qdi_number_write(field_real(at), text);
        return;
    }
    if (field->kind == QDI_FIELD_WORD) {
        write_field_word(field, at, text);
        return;
    }
    memcpy(&value, at, qdi_field_size(field));
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

// Compared runs: tells a field in which two worlds differ.
static bool tell_field(const visitor *who, const qdi_field *field, const place *at, const void *first,
                       const void *second) {
    char name[QDI_FIELD_ROOM], one[QDI_FIELD_ROOM], two[QDI_FIELD_ROOM];
    (void)write_name(at, name);
    write_field_value(field, first, one);
    write_field_value(field, second, two);
    return who->visit(who->context, name, one, two, field->work);
}

static bool compare_all_fields(const qdi_fields *fields, const void *first, const void *second,
                               const place *up, const visitor *who);

// Compares the elements of a field that is a list or a struct.
static bool compare_field_parts(const qdi_field *field, const char *first, const char *second, place *at,
                                const visitor *who) {
    for (size_t k = 0; k == 0 || k < field->count; ++k) {
        at->number = field->count > 0 ? k + 1 : 0;
        if (!compare_all_fields(field->part, first + k * field->stride, second + k * field->stride, at, who))
            return false;
    }
    return true;
}

/// Fields that only say how the work is done, or the others.
static bool compare_at(const qdi_fields *fields, bool work, const void *first, const void *second,
                       const place *up, const visitor *who) {
    for (size_t i = 0; i < fields->count; ++i) {
        const qdi_field *field = &fields->field[i];
        place at = {up, field->name, 0};
        const char *p = (const char *)first + field->offset, *q = (const char *)second + field->offset;
        if (field->work != work) continue;
        if (field->kind == QDI_FIELD_PART) {
            if (!compare_field_parts(field, p, q, &at, who)) return false;
        } else if (!fields_equal(field, p, q) && !tell_field(who, field, &at, p, q)) {
            return false;
        }
    }
    return true;
}

// Compares the fields of a table in two records: plain ones, then those that follow from them.
static bool compare_all_fields(const qdi_fields *fields, const void *first, const void *second,
                               const place *up, const visitor *who) {
    return compare_at(fields, false, first, second, up, who) &&
           compare_at(fields, true, first, second, up, who);
}

bool qdi_fields_compare(const qdi_fields *fields, const void *first, const void *second,
                        qdi_field_visit visit, void *context) {
    const visitor who = {visit, context};
    return compare_all_fields(fields, first, second, NULL, &who);
}
