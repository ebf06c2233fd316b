#include "sim/format/body_columns.h"

#include "core/base/memory.h"
#include "sim/text/number.h"
#include "sim/text/scene_text.h"
#include "sim/world/bounds.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/// Heights of a file that may differ by this part of a radius, and still all be the same plane.
static const double flat = 1e-6;

typedef struct known_name {
    const char *name;
    qdi_role role;
} known_name;

/// Columns of dumps.
static const known_name lammps_names[] = {
    {"id", QDI_ROLE_ID},       {"x", QDI_ROLE_X},           {"xu", QDI_ROLE_XU},
    {"xs", QDI_ROLE_XS},       {"xsu", QDI_ROLE_XSU},       {"y", QDI_ROLE_Y},
    {"yu", QDI_ROLE_YU},       {"ys", QDI_ROLE_YS},         {"ysu", QDI_ROLE_YSU},
    {"z", QDI_ROLE_Z},         {"zu", QDI_ROLE_Z},          {"zs", QDI_ROLE_Z},
    {"zsu", QDI_ROLE_Z},       {"vx", QDI_ROLE_VX},         {"vy", QDI_ROLE_VY},
    {"vz", QDI_ROLE_VZ},       {"omegax", QDI_ROLE_SPIN_X}, {"omegay", QDI_ROLE_SPIN_Y},
    {"omegaz", QDI_ROLE_SPIN}, {"radius", QDI_ROLE_RADIUS}, {"diameter", QDI_ROLE_DIAMETER},
    {"mass", QDI_ROLE_MASS},
};

/// Columns of tables: small letters, without spaces and signs.
static const known_name table_names[] = {
    {"id", QDI_ROLE_ID},
    {"label", QDI_ROLE_ID},
    {"x", QDI_ROLE_X},
    {"posx", QDI_ROLE_X},
    {"xpos", QDI_ROLE_X},
    {"positionx", QDI_ROLE_X},
    {"centerx", QDI_ROLE_X},
    {"centrex", QDI_ROLE_X},
    {"points0", QDI_ROLE_X},
    {"y", QDI_ROLE_Y},
    {"posy", QDI_ROLE_Y},
    {"ypos", QDI_ROLE_Y},
    {"positiony", QDI_ROLE_Y},
    {"centery", QDI_ROLE_Y},
    {"centrey", QDI_ROLE_Y},
    {"points1", QDI_ROLE_Y},
    {"z", QDI_ROLE_Z},
    {"posz", QDI_ROLE_Z},
    {"zpos", QDI_ROLE_Z},
    {"positionz", QDI_ROLE_Z},
    {"centerz", QDI_ROLE_Z},
    {"centrez", QDI_ROLE_Z},
    {"points2", QDI_ROLE_Z},
    {"vx", QDI_ROLE_VX},
    {"velx", QDI_ROLE_VX},
    {"velocityx", QDI_ROLE_VX},
    {"velocity0", QDI_ROLE_VX},
    {"vy", QDI_ROLE_VY},
    {"vely", QDI_ROLE_VY},
    {"velocityy", QDI_ROLE_VY},
    {"velocity1", QDI_ROLE_VY},
    {"vz", QDI_ROLE_VZ},
    {"velz", QDI_ROLE_VZ},
    {"velocityz", QDI_ROLE_VZ},
    {"velocity2", QDI_ROLE_VZ},
    {"omega", QDI_ROLE_SPIN},
    {"omegaz", QDI_ROLE_SPIN},
    {"spin", QDI_ROLE_SPIN},
    {"angularvelocity", QDI_ROLE_SPIN},
    {"angle", QDI_ROLE_ANGLE},
    {"shape", QDI_ROLE_SHAPE},
    {"kind", QDI_ROLE_KIND},
    {"points", QDI_ROLE_POINTS},
    {"rounding", QDI_ROLE_ROUNDING},
    {"width", QDI_ROLE_WIDTH},
    {"height", QDI_ROLE_HEIGHT},
    {"radius", QDI_ROLE_RADIUS},
    {"r", QDI_ROLE_RADIUS},
    {"diameter", QDI_ROLE_DIAMETER},
    {"d", QDI_ROLE_DIAMETER},
    {"mass", QDI_ROLE_MASS},
    {"m", QDI_ROLE_MASS},
    {"density", QDI_ROLE_DENSITY},
};

/// Body file's columns: the name without capitals, spaces, signs, and what stands in brackets; its length, 0
/// where it is longer than any that is known.
static size_t plain_name(const char *name, size_t bytes, char plain[QDI_COLUMN_NAME]) {
    size_t used = 0;
    for (size_t i = 0; i < bytes && name[i] != '[' && name[i] != '('; ++i) {
        char c = name[i];
        if (c == ' ' || c == '\t' || c == '_' || c == '-' || c == '.' || c == ':') continue;
        if (used == QDI_COLUMN_NAME) return 0;
        plain[used++] = (char)(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c);
    }
    return used;
}

// The role of a column with this name.
static qdi_role find_column_name(const known_name *names, size_t count, const char *name, size_t bytes) {
    for (size_t i = 0; i < count; ++i)
        if (strlen(names[i].name) == bytes && memcmp(names[i].name, name, bytes) == 0) return names[i].role;
    return QDI_ROLE_NONE;
}

qdi_role qdi_role_named(const char *name, size_t bytes, bool lammps) {
    if (lammps)
        return find_column_name(lammps_names, sizeof lammps_names / sizeof lammps_names[0], name, bytes);
    char plain[QDI_COLUMN_NAME];
    size_t length = plain_name(name, bytes, plain);
    return find_column_name(table_names, sizeof table_names / sizeof table_names[0], plain, length);
}

// ---- columns that the scene names ----

static const known_name nameable[QDI_BODY_COLUMNS] = {
    {"id", QDI_ROLE_ID},
    {"shape", QDI_ROLE_SHAPE},
    {"kind", QDI_ROLE_KIND},
    {"x", QDI_ROLE_X},
    {"y", QDI_ROLE_Y},
    {"angle", QDI_ROLE_ANGLE},
    {"vx", QDI_ROLE_VX},
    {"vy", QDI_ROLE_VY},
    {"spin", QDI_ROLE_SPIN},
    {"radius", QDI_ROLE_RADIUS},
    {"diameter", QDI_ROLE_DIAMETER},
    {"mass", QDI_ROLE_MASS},
    {"density", QDI_ROLE_DENSITY},
};

bool qdi_column_is_named(const qdi_body_options *options, size_t number) {
    const char *name = options->columns[number];
    return name[0] && strcmp(name, "auto") != 0;
}

qdi_role qdi_role_of_column(const qdi_body_options *options, const char *name, size_t bytes) {
    char plain[QDI_COLUMN_NAME], wanted[QDI_COLUMN_NAME];
    size_t length = plain_name(name, bytes, plain);
    qdi_role role = qdi_role_named(name, bytes, false);
    for (size_t i = 0; i < QDI_BODY_COLUMNS; ++i) {
        if (!qdi_column_is_named(options, i)) continue;
        const char *said = options->columns[i];
        if (strlen(said) == bytes && memcmp(said, name, bytes) == 0) return nameable[i].role;
        size_t other = plain_name(said, strlen(said), wanted);
        if (length > 0 && length == other && memcmp(plain, wanted, length) == 0) return nameable[i].role;
        if (nameable[i].role == role) role = QDI_ROLE_NONE; // another column is
    }
    return role;
}

// ---- columns ----

// Whether a body file has a column of this role.
static bool has_column(const qdi_columns *columns, qdi_role role) {
    return columns->given >> role & 1U;
}

// Keeps the name of a column for messages.
static void keep_column_name(char kept[QDI_COLUMN_NAME], const char *name, size_t bytes) {
    char quote[QDI_QUOTE_ROOM];
    qdi_quote(quote, name, bytes);
    size_t length = strlen(quote);
    if (length >= QDI_COLUMN_NAME) {
        length = QDI_COLUMN_NAME - 1;
        while (length > 0 && ((unsigned char)quote[length] & 0xc0U) == 0x80U) --length; // whole characters
    }
    memcpy(kept, quote, length);
    kept[length] = 0;
}

qd_status qdi_columns_add(qdi_body_reader *reader, qdi_role role, const char *name, size_t bytes) {
    qdi_columns *columns = &reader->columns;
    size_t place = columns->width++;
    if (role == QDI_ROLE_NONE) return QD_OK;
    char kept[QDI_COLUMN_NAME];
    keep_column_name(kept, name, bytes);
    if (has_column(columns, role) && role == QDI_ROLE_Z) return QD_OK; // z and zu say the same
    if (has_column(columns, role))
        return QDI_BLAME(reader, "columns %zu (%s) and %zu (%s) say the same", columns->place[role] + 1,
                         columns->spare[role], place + 1, kept);
    columns->given |= 1U << role;
    columns->place[role] = place;
    memcpy(columns->spare[role], kept, sizeof kept);
    return QD_OK;
}

qd_status qdi_columns_check_named(const qdi_body_reader *reader) {
    for (size_t i = 0; i < QDI_BODY_COLUMNS; ++i)
        if (qdi_column_is_named(reader->options, i) && !has_column(&reader->columns, nameable[i].role))
            return QDI_BLAME(reader, "no column is called \"%s\", which the scene names for %s",
                             reader->options->columns[i], nameable[i].name);
    return QD_OK;
}

/// Inserts a column in order of place.
static void use_column(qdi_columns *columns, qdi_role role) {
    if (!has_column(columns, role)) return;
    size_t at = columns->count++;
    for (; at > 0 && columns->used[at - 1].place > columns->place[role]; --at)
        columns->used[at] = columns->used[at - 1];
    columns->used[at].place = columns->place[role];
    columns->used[at].role = role;
    memcpy(columns->used[at].name, columns->spare[role], QDI_COLUMN_NAME);
}

/// Body file's columns: the first of four forms of a coordinate that is there, or NONE.
static qdi_role pick_coordinate_form(const qdi_columns *columns, qdi_role first) {
    for (int i = 0; i < 4; ++i)
        if (has_column(columns, (qdi_role)((int)first + i))) return (qdi_role)((int)first + i);
    return QDI_ROLE_NONE;
}

// Body file's columns: whether a coordinate is given as a share of the box.
static bool is_scaled_role(qdi_role role) {
    return role == QDI_ROLE_XS || role == QDI_ROLE_XSU || role == QDI_ROLE_YS || role == QDI_ROLE_YSU;
}

qd_status qdi_columns_settle(qdi_body_reader *reader) {
    qdi_columns *columns = &reader->columns;
    columns->x = pick_coordinate_form(columns, QDI_ROLE_X);
    columns->y = pick_coordinate_form(columns, QDI_ROLE_Y);
    bool round = has_column(columns, QDI_ROLE_RADIUS) || has_column(columns, QDI_ROLE_DIAMETER) ||
                 !isnan(reader->options->radius) ||
                 (has_column(columns, QDI_ROLE_SHAPE) &&
                  (has_column(columns, QDI_ROLE_WIDTH) || has_column(columns, QDI_ROLE_ROUNDING)));
    if (columns->x == QDI_ROLE_NONE || columns->y == QDI_ROLE_NONE)
        return QDI_BLAME(reader, "no column gives %s", columns->x == QDI_ROLE_NONE ? "x" : "y");
    if (!round)
        return QDI_BLAME(
            reader, "no column gives radius (radius or diameter; or give one radius for all in the scene)");
    const qdi_body_side *side = reader->file->side;
    if ((is_scaled_role(columns->x) && !side[0].has_bounds) ||
        (is_scaled_role(columns->y) && !side[1].has_bounds))
        return QDI_BLAME(reader, "columns are in parts of the box, but nothing says how large it is");
    static const qdi_role always[] = {QDI_ROLE_ID,   QDI_ROLE_Z,      QDI_ROLE_VX,     QDI_ROLE_VY,
                                      QDI_ROLE_VZ,   QDI_ROLE_SPIN_X, QDI_ROLE_SPIN_Y, QDI_ROLE_SPIN,
                                      QDI_ROLE_TYPE, QDI_ROLE_ANGLE,  QDI_ROLE_KIND,   QDI_ROLE_SHAPE};
    static const qdi_role shaped[] = {QDI_ROLE_POINTS, QDI_ROLE_ROUNDING, QDI_ROLE_WIDTH, QDI_ROLE_HEIGHT};
    for (size_t i = 0; i < sizeof always / sizeof always[0]; ++i) use_column(columns, always[i]);
    for (size_t i = 0; has_column(columns, QDI_ROLE_SHAPE) && i < sizeof shaped / sizeof shaped[0]; ++i)
        use_column(columns, shaped[i]);
    use_column(columns, columns->x);
    use_column(columns, columns->y);
    if (isnan(reader->options->radius))
        use_column(columns, has_column(columns, QDI_ROLE_RADIUS) ? QDI_ROLE_RADIUS : QDI_ROLE_DIAMETER);
    if (isnan(reader->options->mass) && isnan(reader->options->density)) {
        qdi_role heavy = has_column(columns, QDI_ROLE_MASS) ? QDI_ROLE_MASS : QDI_ROLE_DENSITY;
        use_column(columns, has_column(columns, heavy) ? heavy : QDI_ROLE_SOLID);
    }
    return QD_OK;
}

// The usual name of a column.
static const char *column_word(qdi_role role) {
    static const char *const words[QDI_ROLES] = {[QDI_ROLE_ID] = "id",
                                                 [QDI_ROLE_TYPE] = "type",
                                                 [QDI_ROLE_X] = "x",
                                                 [QDI_ROLE_Y] = "y",
                                                 [QDI_ROLE_Z] = "z",
                                                 [QDI_ROLE_VX] = "vx",
                                                 [QDI_ROLE_VY] = "vy",
                                                 [QDI_ROLE_VZ] = "vz",
                                                 [QDI_ROLE_SPIN] = "spin",
                                                 [QDI_ROLE_RADIUS] = "radius",
                                                 [QDI_ROLE_DIAMETER] = "diameter",
                                                 [QDI_ROLE_MASS] = "mass",
                                                 [QDI_ROLE_DENSITY] = "density"};
    return words[role] ? words[role] : "";
}

void qdi_columns_words(qdi_body_reader *reader) {
    const qdi_columns *columns = &reader->columns;
    qdi_text *text = &reader->file->columns;
    for (size_t i = 0; i < columns->count; ++i) {
        const char *name = columns->used[i].name, *role = column_word(columns->used[i].role);
        qdi_text_add(text, i > 0 ? ", " : "");
        qdi_text_add(text, name);
        if (!*role || strcmp(name, role) == 0) continue;
        qdi_text_add(text, " as ");
        qdi_text_add(text, role);
    }
}

bool qdi_columns_uses(const qdi_columns *columns, size_t place) {
    for (size_t i = 0; i < columns->count; ++i)
        if (columns->used[i].place == place) return true;
    return false;
}

// ---- fields ----

/// Body file's columns: reads a number that may have a decimal comma instead of a point.
static bool read_number(const qdi_body_reader *reader, const char *text, size_t bytes, double *value) {
    char copy[64];
    const char *comma = reader->decimal_comma ? memchr(text, ',', bytes) : NULL;
    if (!comma || bytes > sizeof copy) return qdi_number_read(text, bytes, value);
    if (memchr(text, '.', bytes)) return false;
    memcpy(copy, text, bytes);
    copy[comma - text] = '.';
    return qdi_number_read(copy, bytes, value);
}

/// Body file's columns: a number of at most `most`, either way.
static qd_status read_within(const qdi_body_reader *reader, const char *name, const char *text, size_t bytes,
                             double most, double *value) {
    char quote[QDI_QUOTE_ROOM];
    if (bytes == 0) return QDI_BLAME(reader, "%s: is empty", name);
    if (!read_number(reader, text, bytes, value) || !isfinite(*value))
        return QDI_BLAME(reader, "%s: must be a number, not \"%s\"", name, qdi_quote(quote, text, bytes));
    if (!(fabs(*value) <= most))
        return QDI_BLAME(reader, "%s: %s is beyond what a world can hold", name,
                         qdi_quote(quote, text, bytes));
    *value += 0.0; // zero without its sign
    return QD_OK;
}

qd_status qdi_field_number(const qdi_body_reader *reader, const char *name, const char *text, size_t bytes,
                           double *value) {
    return read_within(reader, name, text, bytes, QDI_FURTHEST, value);
}

qd_status qdi_field_mass(const qdi_body_reader *reader, const char *name, const char *text, size_t bytes,
                         double *value) {
    return read_within(reader, name, text, bytes, QDI_HEAVIEST, value);
}

qd_status qdi_field_whole(const qdi_body_reader *reader, const char *name, const char *text, size_t bytes,
                          uint64_t most, uint64_t *value) {
    char quote[QDI_QUOTE_ROOM];
    if (!qdi_integer_read(text, bytes, value))
        return QDI_BLAME(reader, "%s: must be a whole number, not \"%s\"", name,
                         qdi_quote(quote, text, bytes));
    if (*value > most) return QDI_BLAME(reader, "%s: must be at most %" PRIu64, name, most);
    return QD_OK;
}

// A body of a file before its fields are read.
qdi_record qdi_record_start(void) {
    return (qdi_record){.label = 0};
}

// Reads the label of a body from its field.
static qd_status read_body_label(const qdi_body_reader *reader, const char *name, const char *text,
                                 size_t bytes, uint64_t *label) {
    qd_status status = qdi_field_whole(reader, name, text, bytes, UINT64_MAX, label);
    if (status == QD_OK && *label == 0)
        return QDI_BLAME(reader, "%s: must be a whole number from 1 on", name);
    return status;
}

qd_status qdi_record_field(qdi_body_reader *reader, qdi_record *record, const char *text, size_t bytes) {
    const qdi_columns *columns = &reader->columns;
    size_t place = record->column++;
    if (record->next == columns->count || columns->used[record->next].place != place) return QD_OK;
    const qdi_column *column = &columns->used[record->next++];
    if (column->role == QDI_ROLE_ID)
        return read_body_label(reader, column->name, text, bytes, &record->label);
    bool word = column->role == QDI_ROLE_SHAPE || column->role == QDI_ROLE_KIND ||
                column->role == QDI_ROLE_POINTS;
    if (word) return qdi_record_word(reader, record, column, text, bytes);
    double *value = &record->value[column->role];
    if (column->role == QDI_ROLE_MASS && bytes == 3 && memcmp(text, "inf", 3) == 0 &&
        has_column(columns, QDI_ROLE_KIND)) {
        *value = HUGE_VAL; // of what nothing pushes; whether it is, another column says
        return QD_OK;
    }
    qd_status status = column->role == QDI_ROLE_MASS
                           ? qdi_field_mass(reader, column->name, text, bytes, value)
                           : qdi_field_number(reader, column->name, text, bytes, value);
    if (status != QD_OK) return status;
    bool above_zero = column->role >= QDI_ROLE_RADIUS;
    if (above_zero && !(*value > 0)) {
        char quote[QDI_QUOTE_ROOM];
        return QDI_BLAME(reader, "%s: must be above 0, not %s", column->name, qdi_quote(quote, text, bytes));
    }
    return QD_OK;
}

// ---- rows ----

// A coordinate of a body, unscaled.
static double record_coordinate(const qdi_record *record, qdi_role role, const qdi_body_side *side) {
    double value = record->value[role];
    return is_scaled_role(role) ? side->low + value * (side->high - side->low) : value;
}

/// Body file's columns: refuses what a plane has no place for.
static qd_status check_flat(qdi_body_reader *reader, const qdi_record *record, double radius) {
    const qdi_columns *columns = &reader->columns;
    static const qdi_role zero[] = {QDI_ROLE_VZ, QDI_ROLE_SPIN_X, QDI_ROLE_SPIN_Y};
    for (size_t i = 0; i < sizeof zero / sizeof zero[0]; ++i)
        if (has_column(columns, zero[i]) && record->value[zero[i]] != 0)
            return QDI_BLAME(reader, "%s is not 0: only two-dimensional files can be read",
                             columns->spare[zero[i]]);
    if (!has_column(columns, QDI_ROLE_Z)) return QD_OK;
    if (!reader->has_z) reader->z = record->value[QDI_ROLE_Z];
    reader->has_z = true;
    if (fabs(record->value[QDI_ROLE_Z] - reader->z) <= flat * radius) return QD_OK;
    return QDI_BLAME(reader, "%s differs from that of the first body: only two-dimensional files can be read",
                     columns->spare[QDI_ROLE_Z]);
}

/// Body file's columns: the mass that a row says, or NaN where the density is to be taken.
static double mass_of(const qdi_body_reader *reader, const qdi_record *record, double radius, double area) {
    const double pi = 3.14159265358979323846;
    const qdi_columns *columns = &reader->columns;
    if (!isnan(reader->options->mass)) return reader->options->mass;
    if (!isnan(reader->options->density)) return (double)NAN;
    if (has_column(columns, QDI_ROLE_MASS)) return record->value[QDI_ROLE_MASS];
    if (has_column(columns, QDI_ROLE_DENSITY)) return record->value[QDI_ROLE_DENSITY] * area;
    if (has_column(columns, QDI_ROLE_SOLID))
        return record->value[QDI_ROLE_SOLID] * (4.0 / 3.0 * pi * radius * radius * radius);
    return (double)NAN;
}

/// Whether a row has as many fields as there are columns. One more, and empty, is what a separator at the end
/// leaves.
static qd_status check_width(const qdi_body_reader *reader, const qdi_record *record) {
    size_t width = reader->columns.width;
    if (record->column == width) return QD_OK;
    return QDI_BLAME(reader, "has %zu field%s, not %zu", record->column, record->column == 1 ? "" : "s",
                     width);
}

/// Body file's columns: the radius that a row says, of a disk or of the circle about what is none.
static double radius_of(const qdi_body_reader *reader, const qdi_record *record) {
    const qdi_columns *columns = &reader->columns;
    if (!isnan(reader->options->radius)) return reader->options->radius;
    if (has_column(columns, QDI_ROLE_RADIUS)) return record->value[QDI_ROLE_RADIUS];
    if (has_column(columns, QDI_ROLE_DIAMETER)) return 0.5 * record->value[QDI_ROLE_DIAMETER];
    return has_column(columns, QDI_ROLE_ROUNDING) ? record->value[QDI_ROLE_ROUNDING]
                                                  : 0.5 * record->value[QDI_ROLE_WIDTH];
}

/// Body file's columns: keeps the shape of what is no disk; `*number` is its number then, else 0, and
/// `*radius` its reach.
static qd_status add_shape(const qdi_body_reader *reader, const qdi_record *record, double *radius,
                           double *area, uint32_t *number) {
    const double pi = 3.14159265358979323846;
    qdi_body_file *file = reader->file;
    *number = 0;
    *area = pi * *radius * *radius;
    if (record->shape == QD_SHAPE_DISK) return QD_OK;
    qd_shape shape, settled;
    qd_status status = qdi_record_shape(reader, record, *radius, &shape);
    if (status != QD_OK) return status;
    settled = shape;
    qd_error reason = {""};
    if (qd_shape_normalise(&settled, NULL, &reason) != QD_OK) return QDI_BLAME(reader, "%.200s", reason.text);
    *radius = qd_shape_reach(&settled);
    *area = qd_shape_area(&settled);
    status = qdi_reserve(file->allocator, &file->shapes, &file->shape_room, file->shape_count,
                         file->shape_count + 1, sizeof *file->shapes);
    if (status != QD_OK) return status;
    file->shapes[file->shape_count++] = shape;
    *number = (uint32_t)file->shape_count;
    return QD_OK;
}

qd_status qdi_record_end(qdi_body_reader *reader, const qdi_record *record) {
    qdi_body_file *file = reader->file;
    const qdi_columns *columns = &reader->columns;
    qd_status status = check_width(reader, record);
    if (status != QD_OK) return status;
    double radius = radius_of(reader, record), area = 0;
    if (record->shape == QD_SHAPE_DISK && !(radius > 0))
        return QDI_BLAME(reader, "the radius must be above 0");
    uint32_t shape = 0;
    status = add_shape(reader, record, &radius, &area, &shape);
    if (status == QD_OK) status = check_flat(reader, record, radius);
    if (status != QD_OK) return status;
    double mass = mass_of(reader, record, radius, area);
    if (record->kind != QD_BODY_DYNAMIC) mass = (double)NAN; // nothing pushes it
    if (!isnan(mass) && !qdi_is_mass(mass)) return QDI_BLAME(reader, "a mass of %.9g cannot be", mass);
    if (file->count >= ((size_t)1 << 28) - 1) return QDI_BLAME(reader, "more bodies than a world takes");
    status = qdi_reserve(file->allocator, &file->rows, &file->room, file->count, file->count + 1,
                         sizeof *file->rows);
    if (status != QD_OK) return status;
    file->rows[file->count++] = (qdi_disk_row){.label = record->label,
                                               .line = reader->lines.number,
                                               .x = record_coordinate(record, columns->x, &file->side[0]),
                                               .y = record_coordinate(record, columns->y, &file->side[1]),
                                               .vx = record->value[QDI_ROLE_VX],
                                               .vy = record->value[QDI_ROLE_VY],
                                               .spin = record->value[QDI_ROLE_SPIN],
                                               .radius = radius,
                                               .mass = mass,
                                               .angle = record->value[QDI_ROLE_ANGLE],
                                               .shape = shape,
                                               .kind = record->kind};
    return QD_OK;
}

// Order of bodies in a file: by label, then by line.
static int compare_body_rows(const void *left, const void *right) {
    const qdi_disk_row *a = left, *b = right;
    if (a->label != b->label) return a->label < b->label ? -1 : 1;
    return a->line < b->line ? -1 : a->line > b->line;
}

qd_status qdi_rows_settle(qdi_body_reader *reader) {
    const qdi_body_file *file = reader->file;
    if (!has_column(&reader->columns, QDI_ROLE_ID) || file->count < 2) return QD_OK;
    bool sorted = true;
    for (size_t i = 1; i < file->count && sorted; ++i) sorted = file->rows[i - 1].label < file->rows[i].label;
    if (sorted) return QD_OK;
    qsort(file->rows, file->count, sizeof *file->rows, compare_body_rows);
    for (size_t i = 1; i < file->count; ++i) {
        const qdi_disk_row *a = &file->rows[i - 1], *b = &file->rows[i];
        if (a->label == b->label)
            return qdi_lines_reason(reader->lines.path, b->line, reader->error,
                                    "%s %" PRIu64 " is that of line %" PRIu64 ", too",
                                    reader->columns.spare[QDI_ROLE_ID], b->label, a->line);
    }
    return QD_OK;
}

qd_status qdi_record_line(qdi_body_reader *reader) {
    qd_status status = QD_OK;
    qdi_record record = qdi_record_start();
    size_t at = 0, length = 0;
    const char *word = NULL;
    while (status == QD_OK && qdi_word_next(reader->lines.text, reader->lines.bytes, &at, &word, &length))
        status = qdi_record_field(reader, &record, word, length);
    return status == QD_OK ? qdi_record_end(reader, &record) : status;
}

qd_status qdi_line_whole(const qdi_body_reader *reader, const char *name, uint64_t most, uint64_t *value) {
    size_t at = 0, length = 0;
    const char *word = NULL;
    if (!qdi_word_next(reader->lines.text, reader->lines.bytes, &at, &word, &length))
        return QDI_BLAME(reader, "%s: is empty", name);
    qd_status status = qdi_field_whole(reader, name, word, length, most, value);
    if (status != QD_OK) return status;
    if (qdi_word_next(reader->lines.text, reader->lines.bytes, &at, &word, &length))
        return QDI_BLAME(reader, "%s: must be one number", name);
    return QD_OK;
}
