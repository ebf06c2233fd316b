// Shapes and kinds of the bodies of a file.

#include "sim/format/body_columns.h"

#include <string.h>

/// Shape in a body file: the number of a word in a list that a NULL ends, or -1.
static int number_of(const char *const *words, const char *text, size_t bytes) {
    for (int i = 0; words[i]; ++i)
        if (strlen(words[i]) == bytes && memcmp(words[i], text, bytes) == 0) return i;
    return -1;
}

/// Shape in a body file: the part of a text up to a sign, or all that is left; `*at` goes behind it.
static size_t part_of(const char *text, size_t bytes, size_t *at, char sign) {
    const char *end = memchr(text + *at, sign, bytes - *at);
    size_t length = end ? (size_t)(end - (text + *at)) : bytes - *at;
    *at += length + (end ? 1 : 0);
    return length;
}

/// Shape in a body file: "X:Y/X:Y/..."; "-" or nothing: none.
static qd_status read_points(const qdi_body_reader *reader, qdi_record *record, const char *name,
                             const char *text, size_t bytes) {
    record->point_count = 0;
    if (bytes == 0 || (bytes == 1 && *text == '-')) return QD_OK;
    for (size_t at = 0; at < bytes;) {
        if (record->point_count == QD_POLYGON_MAX)
            return QDI_BLAME(reader, "%s: more than %d points", name, QD_POLYGON_MAX);
        const char *point = text + at;
        size_t length = part_of(text, bytes, &at, '/'), middle = 0;
        size_t first = part_of(point, length, &middle, ':');
        if (middle == length) return QDI_BLAME(reader, "%s: must be points as in 1:2/3:4/5:6", name);
        qd_vec2 *made = &record->points[record->point_count++];
        qd_status status = qdi_field_number(reader, name, point, first, &made->x);
        if (status == QD_OK)
            status = qdi_field_number(reader, name, point + middle, length - middle, &made->y);
        if (status != QD_OK) return status;
    }
    return QD_OK;
}

qd_status qdi_record_word(const qdi_body_reader *reader, qdi_record *record, const qdi_column *column,
                          const char *text, size_t bytes) {
    static const char *const shapes[] = {"disk", "rect", "capsule", "polygon", NULL}, *const kinds[] = {
                                                                                          "dynamic", "static",
                                                                                          "kinematic", NULL};
    char quote[QDI_QUOTE_ROOM];
    if (column->role == QDI_ROLE_POINTS) return read_points(reader, record, column->name, text, bytes);
    bool shape = column->role == QDI_ROLE_SHAPE;
    int number = number_of(shape ? shapes : kinds, text, bytes);
    if (number < 0)
        return QDI_BLAME(reader, "%s: must be %s, not \"%s\"", column->name,
                         shape ? "disk, rect, capsule or polygon" : "dynamic, static or kinematic",
                         qdi_quote(quote, text, bytes));
    if (shape)
        record->shape = (qd_shape_kind)number;
    else
        record->kind = (qd_body_kind)number;
    return QD_OK;
}

qd_status qdi_record_shape(const qdi_body_reader *reader, const qdi_record *record, double radius,
                           qd_shape *shape) {
    bool rounded = reader->columns.given >> QDI_ROLE_ROUNDING & 1U;
    bool sized = reader->columns.given >> QDI_ROLE_WIDTH & 1U &&
                 reader->columns.given >> QDI_ROLE_HEIGHT & 1U;
    double x = 0.5 * record->value[QDI_ROLE_WIDTH], y = 0.5 * record->value[QDI_ROLE_HEIGHT];
    *shape = qd_shape_disk(radius);
    if (record->shape == QD_SHAPE_DISK) return QD_OK;
    *shape = (qd_shape){.kind = record->shape, .radius = record->value[QDI_ROLE_ROUNDING]};
    if (record->shape == QD_SHAPE_CAPSULE && !rounded) shape->radius = y;
    if (record->shape == QD_SHAPE_POLYGON) {
        if (record->point_count < 3) return QDI_BLAME(reader, "a polygon needs 3 points or more");
        shape->count = (int)record->point_count;
        memcpy(shape->points, record->points, record->point_count * sizeof *record->points);
        return QD_OK;
    }
    if (record->point_count == 0 && !sized)
        return QDI_BLAME(reader, "a rect or capsule needs points, or width and height");
    shape->half = record->point_count > 0 ? record->points[0]
                                          : (qd_vec2){x - shape->radius, y - shape->radius};
    if (record->shape == QD_SHAPE_RECT) return QD_OK;
    shape->half.y = 0;
    if (record->point_count == 3) { // an edge of a polyline, with its neighbours
        shape->count = 2;
        memcpy(shape->points, record->points + 1, 2 * sizeof *record->points);
    }
    return QD_OK;
}
