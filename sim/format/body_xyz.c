// Extended XYZ, as ASE and OVITO write it:
//
//   2
//   Lattice="20 0 0 0 10 0 0 0 1" pbc="T F F" Step=100 Properties=species:S:1:pos:R:3:radius:R:1
//   X 0.5 1.5 0 0.5
//   X 2.5 1.5 0 0.5
//
// once per frame. The line behind the number of bodies may be anything: what is not KEY=VALUE, or unknown, is
// passed over. Loading counts lines and keeps the text of one frame; reading looks at every line of that one.

#include "sim/format/body_columns.h"
#include "sim/text/number.h"

#include <inttypes.h>
#include <string.h>

/// A part of a line.
typedef struct span {
    const char *text;
    size_t bytes;
} span;

// Whether a word of an XYZ file is this one.
static bool span_is(span word, const char *text) {
    return qdi_word_is(word.text, word.bytes, text);
}

// Whether a line of an XYZ file is empty.
static bool is_xyz_blank(const qdi_lines *lines) {
    size_t at = 0, length = 0;
    const char *word = NULL;
    return !qdi_word_next(lines->text, lines->bytes, &at, &word, &length);
}

// ---- the second line ----

/// XYZ of bodies: goes to the next KEY=VALUE; a value in quotes, braces or brackets may hold spaces. Words
/// without = are left out.
static bool next_pair(span line, size_t *at, span *key, span *value) {
    static const char open[] = "\"'{[", close[] = "\"'}]";
    for (;;) {
        while (*at < line.bytes && (line.text[*at] == ' ' || line.text[*at] == '\t')) ++*at;
        if (*at >= line.bytes) return false;
        size_t from = *at;
        while (*at < line.bytes && line.text[*at] != '=' && line.text[*at] != ' ' && line.text[*at] != '\t')
            ++*at;
        *key = (span){line.text + from, *at - from};
        if (*at >= line.bytes || line.text[*at] != '=') continue;
        from = ++*at;
        const char *kind = from < line.bytes ? strchr(open, line.text[from]) : NULL;
        const char *end = kind && *kind
                              ? memchr(line.text + from + 1, close[kind - open], line.bytes - from - 1)
                              : NULL;
        if (end) {
            *value = (span){line.text + from + 1, (size_t)(end - line.text) - from - 1};
            *at = (size_t)(end - line.text) + 1;
            return true;
        }
        while (*at < line.bytes && line.text[*at] != ' ' && line.text[*at] != '\t') ++*at;
        *value = (span){line.text + from, *at - from};
        return true;
    }
}

// Whether a key in the head of an XYZ frame is its step.
static bool is_step_key(span key) {
    return span_is(key, "Step") || span_is(key, "step") || span_is(key, "Timestep") ||
           span_is(key, "timestep");
}

// ---- loading ----

// Reads the number of bodies of an XYZ frame.
static qd_status read_xyz_count(const qdi_body_reader *reader, uint64_t *count) {
    return qdi_line_whole(reader, "the number of bodies", (1U << 28) - 1, count);
}

// XYZ of bodies: keeps a line of the frame that is searched for.
static qd_status keep_frame_line(const qdi_frame_search *search) {
    return search->keep ? qdi_body_part_add(search->file, search->from, search->error) : QD_OK;
}

/// XYZ of bodies: the line with the number of bodies, with which a frame begins.
static qd_status begin_frame(qdi_frame_search *search, uint64_t *count) {
    const qdi_body_reader reader = {.lines = *search->from, .error = search->error};
    qd_status status = read_xyz_count(&reader, count);
    if (status != QD_OK) return status;
    qdi_frame_begin(search);
    return keep_frame_line(search);
}

/// XYZ of bodies: whether it is the step in question shows in the second line.
static void look_at_step(qdi_frame_search *search) {
    span line = {search->from->text, search->from->bytes}, key, value;
    uint64_t step = 0;
    search->keep = false;
    for (size_t at = 0; next_pair(line, &at, &key, &value);)
        if (is_step_key(key) && qdi_integer_read(value.text, value.bytes, &step) &&
            step == search->options->frame)
            search->keep = true;
}

/// XYZ of bodies: the lines of a frame behind its first.
static qd_status take_frame(qdi_frame_search *search, uint64_t count) {
    for (uint64_t i = 0; i <= count; ++i) {
        bool more = false;
        qd_status status = qdi_lines_next(search->from, &more, search->error);
        if (status == QD_OK && !more)
            return qdi_lines_reason(search->from->path, search->from->number, search->error,
                                    "the frame has %" PRIu64 " of %" PRIu64 " bodies: it was cut off",
                                    i > 0 ? i - 1 : 0, count);
        if (i == 0 && status == QD_OK && search->options->frame_form == QDI_FRAME_TIMESTEP)
            look_at_step(search);
        if (status == QD_OK) status = keep_frame_line(search);
        if (status != QD_OK) return status;
    }
    search->found = search->keep && search->options->frame != QDI_FRAME_LAST;
    return QD_OK;
}

qd_status qdi_body_xyz_load(qdi_lines *from, const qdi_body_options *options, qdi_body_file *file,
                            qd_error *error) {
    qdi_frame_search search = {.options = options, .file = file, .from = from, .error = error};
    for (bool more = true; more && !search.found;) {
        uint64_t count = 0;
        qd_status status = qdi_lines_next(from, &more, error);
        if (status == QD_OK && (!more || is_xyz_blank(from))) continue; // between frames and behind the last
        // By step the second line decides; by then the first is kept, in case it is the one.
        if (status == QD_OK) status = begin_frame(&search, &count);
        if (status == QD_OK) status = take_frame(&search, count);
        if (status != QD_OK) return status;
    }
    return qdi_frame_search_end(&search, "says Step=");
}

// ---- reading ----

/// What a property with so many components is; its roles by component.
typedef struct known_property {
    const char *name;
    int components;
    qdi_role role[3];
} known_property;

static const known_property properties[] = {
    {"pos", 3, {QDI_ROLE_X, QDI_ROLE_Y, QDI_ROLE_Z}},
    {"pos", 2, {QDI_ROLE_X, QDI_ROLE_Y, QDI_ROLE_NONE}},
    {"positions", 3, {QDI_ROLE_X, QDI_ROLE_Y, QDI_ROLE_Z}},
    {"id", 1, {QDI_ROLE_ID, QDI_ROLE_NONE, QDI_ROLE_NONE}},
    {"radius", 1, {QDI_ROLE_RADIUS, QDI_ROLE_NONE, QDI_ROLE_NONE}},
    {"diameter", 1, {QDI_ROLE_DIAMETER, QDI_ROLE_NONE, QDI_ROLE_NONE}},
    {"velo", 3, {QDI_ROLE_VX, QDI_ROLE_VY, QDI_ROLE_VZ}},
    {"velo", 2, {QDI_ROLE_VX, QDI_ROLE_VY, QDI_ROLE_NONE}},
    {"vel", 3, {QDI_ROLE_VX, QDI_ROLE_VY, QDI_ROLE_VZ}},
    {"vel", 2, {QDI_ROLE_VX, QDI_ROLE_VY, QDI_ROLE_NONE}},
    {"velocities", 3, {QDI_ROLE_VX, QDI_ROLE_VY, QDI_ROLE_VZ}},
    {"mass", 1, {QDI_ROLE_MASS, QDI_ROLE_NONE, QDI_ROLE_NONE}},
    {"masses", 1, {QDI_ROLE_MASS, QDI_ROLE_NONE, QDI_ROLE_NONE}},
    {"density", 1, {QDI_ROLE_DENSITY, QDI_ROLE_NONE, QDI_ROLE_NONE}},
    {"angle", 1, {QDI_ROLE_ANGLE, QDI_ROLE_NONE, QDI_ROLE_NONE}},
    {"rounding", 1, {QDI_ROLE_ROUNDING, QDI_ROLE_NONE, QDI_ROLE_NONE}},
    {"size", 2, {QDI_ROLE_WIDTH, QDI_ROLE_HEIGHT, QDI_ROLE_NONE}},
    {"spin", 1, {QDI_ROLE_SPIN, QDI_ROLE_NONE, QDI_ROLE_NONE}},
    {"omega", 3, {QDI_ROLE_SPIN_X, QDI_ROLE_SPIN_Y, QDI_ROLE_SPIN}},
    {"omega", 1, {QDI_ROLE_SPIN, QDI_ROLE_NONE, QDI_ROLE_NONE}},
};

// The property of extended XYZ with this name.
static const known_property *find_property(span name, uint64_t components) {
    for (size_t i = 0; i < sizeof properties / sizeof properties[0]; ++i)
        if (span_is(name, properties[i].name) && (uint64_t)properties[i].components == components)
            return &properties[i];
    return NULL;
}

/// XYZ of bodies: the next of the parts that colons separate.
static bool next_part(span list, size_t *at, span *part) {
    if (*at >= list.bytes) return false;
    const char *from = list.text + *at, *colon = memchr(from, ':', list.bytes - *at);
    *part = (span){from, colon ? (size_t)(colon - from) : list.bytes - *at};
    *at += part->bytes + 1;
    return true;
}

/// XYZ of bodies: the role of a property of words.
static qdi_role role_of_word(span name, uint64_t components) {
    if (components != 1) return QDI_ROLE_NONE;
    if (span_is(name, "shape")) return QDI_ROLE_SHAPE;
    if (span_is(name, "kind")) return QDI_ROLE_KIND;
    return span_is(name, "points") ? QDI_ROLE_POINTS : QDI_ROLE_NONE;
}

// Adds a property of extended XYZ as columns.
static qd_status add_xyz_property(qdi_body_reader *reader, span name, span type, uint64_t components) {
    const known_property *known = find_property(name, components);
    for (uint64_t i = 0; i < components; ++i) {
        qdi_role role = span_is(type, "S") ? role_of_word(name, components)
                        : known            ? known->role[i]
                                           : QDI_ROLE_NONE;
        qd_status status = qdi_columns_add(reader, role, name.text, name.bytes);
        if (status != QD_OK) return status;
    }
    return QD_OK;
}

/// Names the columns after "species:S:1:pos:R:3:...".
static qd_status read_properties(qdi_body_reader *reader, span list) {
    span name, type, number;
    char quote[QDI_QUOTE_ROOM];
    for (size_t at = 0; next_part(list, &at, &name);) {
        uint64_t components = 0;
        bool read = next_part(list, &at, &type) && next_part(list, &at, &number) &&
                    qdi_integer_read(number.text, number.bytes, &components) && components > 0 &&
                    components <= 100;
        if (!read)
            return QDI_BLAME(reader,
                             "Properties: \"%s\" is not followed by a letter and a number, as in pos:R:3",
                             qdi_quote(quote, name.text, name.bytes));
        qd_status status = add_xyz_property(reader, name, type, components);
        if (status != QD_OK) return status;
    }
    return qdi_columns_settle(reader);
}

/// XYZ of bodies: `count` numbers, as many as the value must have.
static qd_status read_numbers(const qdi_body_reader *reader, const char *name, span value, size_t count,
                              double *numbers) {
    size_t at = 0, length = 0, used = 0;
    const char *word = NULL;
    while (qdi_word_next(value.text, value.bytes, &at, &word, &length)) {
        if (used == count) break;
        qd_status status = qdi_field_number(reader, name, word, length, &numbers[used++]);
        if (status != QD_OK) return status;
        word = NULL;
    }
    return used == count && !word ? QD_OK : QDI_BLAME(reader, "%s: must be %zu numbers", name, count);
}

/// XYZ of bodies: the box: three vectors, which must lie along the axes, and its corner.
static qd_status read_lattice(const qdi_body_reader *reader, span value, double size[2]) {
    double lattice[9] = {0};
    qd_status status = read_numbers(reader, "Lattice", value, 9, lattice);
    if (status != QD_OK) return status;
    for (int i = 0; i < 9; ++i)
        if (i % 4 != 0 && lattice[i] != 0)
            return QDI_BLAME(reader, "Lattice: the box is tilted; only upright ones can be read");
    if (!(lattice[0] > 0 && lattice[4] > 0))
        return QDI_BLAME(reader, "Lattice: width and height must be above 0");
    size[0] = lattice[0];
    size[1] = lattice[4];
    return QD_OK;
}

/// XYZ of bodies: "T F F": periodic where it says T.
static void read_periodic(qdi_body_reader *reader, span value) {
    size_t at = 0, length = 0;
    const char *word = NULL;
    for (int axis = 0; axis < 2 && qdi_word_next(value.text, value.bytes, &at, &word, &length); ++axis) {
        if (*word != 'T' && *word != 't' && *word != '1') continue;
        reader->file->side[axis].has_boundary = true;
        reader->file->side[axis].boundary = QD_BOUNDARY_PERIODIC;
    }
}

// Reads the second line of an XYZ frame: box and properties.
static qd_status read_xyz_head(qdi_body_reader *reader) {
    static const char plain[] = "species:S:1:pos:R:3";
    span line = {reader->lines.text, reader->lines.bytes}, key, value, list = {plain, sizeof plain - 1};
    double size[2] = {0, 0}, origin[3] = {0, 0, 0};
    qd_status status = QD_OK;
    for (size_t at = 0; status == QD_OK && next_pair(line, &at, &key, &value);) {
        if (span_is(key, "Properties") || span_is(key, "properties")) list = value;
        if (span_is(key, "Lattice") || span_is(key, "lattice")) status = read_lattice(reader, value, size);
        if (span_is(key, "Origin") || span_is(key, "origin"))
            status = read_numbers(reader, "Origin", value, 3, origin);
        if (span_is(key, "pbc")) read_periodic(reader, value);
    }
    for (int axis = 0; axis < 2 && size[0] > 0; ++axis) {
        qdi_body_side *side = &reader->file->side[axis];
        side->has_bounds = true;
        side->low = origin[axis];
        side->high = origin[axis] + size[axis];
    }
    return status == QD_OK ? read_properties(reader, list) : status;
}

qd_status qdi_body_xyz_read(qdi_body_reader *reader) {
    bool more = false;
    uint64_t count = 0;
    // Loading has seen that all these lines are there.
    qd_status status = qdi_lines_next(&reader->lines, &more, reader->error);
    if (status == QD_OK) status = read_xyz_count(reader, &count);
    if (status == QD_OK) status = qdi_lines_next(&reader->lines, &more, reader->error);
    if (status == QD_OK) status = read_xyz_head(reader);
    for (uint64_t i = 0; i < count && status == QD_OK; ++i) {
        status = qdi_lines_next(&reader->lines, &more, reader->error);
        if (status == QD_OK) status = qdi_record_line(reader);
    }
    return status;
}
