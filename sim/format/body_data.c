// LAMMPS data files, as write_data makes them and read_data takes them: a line of the user's, a header of
// counts and bounds, then sections of rows. The sections that matter are Masses, Atoms and Velocities; they
// are found first, since they may come in other orders.

#include "sim/format/body_columns.h"

#include "core/base/memory.h"
#include "sim/text/number.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

/// Most atom types whose masses are kept.
enum { TYPES_MAX = 1 << 20 };

/// Columns of the atom styles that can be read: "-" is not looked at. Three more, the image flags, may
/// follow.
static const struct {
    const char *name;
    const char *columns;
} styles[] = {
    {"atomic", "id type x y z"},   {"sphere", "id type diameter density x y z"},
    {"charge", "id type - x y z"}, {"bond", "id - type x y z"},
    {"angle", "id - type x y z"},  {"molecular", "id - type x y z"},
    {"full", "id - type - x y z"}, {"bpm/sphere", "id - type diameter density x y z"},
};

typedef enum section_name { SECTION_MASSES, SECTION_ATOMS, SECTION_VELOCITIES, SECTIONS } section_name;
static const char *const section_words[SECTIONS] = {"Masses", "Atoms", "Velocities"};

typedef struct data_file {
    qdi_body_reader *reader;
    bool has_count;
    uint64_t count, types;
    bool has_section[SECTIONS];
    qdi_lines section[SECTIONS]; ///< at the line with the section's name
    double *masses;              ///< by type, from 1; NaN where there is none
    bool by_type;                ///< masses come from the types
} data_file;

/// LAMMPS data of bodies: the line at hand without its comment.
static size_t code_length(const qdi_lines *lines) {
    const char *comment = memchr(lines->text, '#', lines->bytes);
    return comment ? (size_t)(comment - lines->text) : lines->bytes;
}

/// LAMMPS data of bodies: takes a line apart: up to `room` words. Returns how many it has, comments left out.
static size_t split_words(const qdi_lines *lines, const char **words, size_t *lengths, size_t room) {
    size_t at = 0, length = 0, count = 0, bytes = code_length(lines);
    const char *word = NULL;
    while (qdi_word_next(lines->text, bytes, &at, &word, &length)) {
        if (count < room) {
            words[count] = word;
            lengths[count] = length;
        }
        ++count;
    }
    return count;
}

/// LAMMPS data of bodies: true for a line that names a section: rows begin with numbers.
static bool names_section(const qdi_lines *lines) {
    const char *word = NULL;
    size_t length = 0, at = 0;
    if (!qdi_word_next(lines->text, code_length(lines), &at, &word, &length)) return false;
    return (*word >= 'A' && *word <= 'Z') || (*word >= 'a' && *word <= 'z');
}

/// LAMMPS data of bodies: goes to the next row of a section; `*more` is false at its end. Words beyond `room`
/// are counted only.
static qd_status next_row(qdi_body_reader *reader, const char **words, size_t *lengths, size_t room,
                          size_t *count, bool *more) {
    for (;;) {
        qd_status status = qdi_lines_next(&reader->lines, more, reader->error);
        if (status != QD_OK || !*more) return status;
        if (names_section(&reader->lines)) {
            *more = false;
            return QD_OK;
        }
        *count = split_words(&reader->lines, words, lengths, room);
        if (*count > 0) return QD_OK;
    }
}

// ---- the header ----

enum { HEADER_WORDS = 6 };

// Reads the bounds of the box in a LAMMPS data file.
static qd_status read_data_bounds(const qdi_body_reader *reader, int axis, const char *const *words,
                                  const size_t *lengths) {
    qdi_body_side *side = &reader->file->side[axis];
    qd_status status = qdi_field_number(reader, words[2], words[0], lengths[0], &side->low);
    if (status == QD_OK) status = qdi_field_number(reader, words[2], words[1], lengths[1], &side->high);
    if (status == QD_OK && !(side->low < side->high))
        return QDI_BLAME(reader, "the bounds of the box: the first must be the smaller one");
    side->has_bounds = status == QD_OK;
    return status;
}

// Reads the tilt of the box in a LAMMPS data file, which must be none.
static qd_status read_data_tilt(const qdi_body_reader *reader, const char *const *words,
                                const size_t *lengths) {
    for (int i = 0; i < 3; ++i) {
        double value = 0;
        qd_status status = qdi_field_number(reader, "the tilt of the box", words[i], lengths[i], &value);
        if (status != QD_OK) return status;
        if (value != 0) return QDI_BLAME(reader, "the box is tilted; only upright ones can be read");
    }
    return QD_OK;
}

/// LAMMPS data of bodies: a line of the header. What it does not know has nothing to do with disks.
static qd_status read_header_line(data_file *data) {
    const qdi_body_reader *reader = data->reader;
    const char *words[HEADER_WORDS];
    size_t lengths[HEADER_WORDS];
    size_t count = split_words(&reader->lines, words, lengths, HEADER_WORDS);
    if (count == 2 && qdi_word_is(words[1], lengths[1], "atoms")) {
        data->has_count = true;
        return qdi_field_whole(reader, "atoms", words[0], lengths[0], (1U << 28) - 1, &data->count);
    }
    if (count == 3 && qdi_word_is(words[1], lengths[1], "atom") && qdi_word_is(words[2], lengths[2], "types"))
        return qdi_field_whole(reader, "atom types", words[0], lengths[0], TYPES_MAX, &data->types);
    if (count == 6 && qdi_word_is(words[3], lengths[3], "xy")) return read_data_tilt(reader, words, lengths);
    if (count != 4) return QD_OK;
    static const char *const ends[2][2] = {{"xlo", "xhi"}, {"ylo", "yhi"}};
    for (int axis = 0; axis < 2; ++axis) {
        if (!qdi_word_is(words[2], lengths[2], ends[axis][0]) ||
            !qdi_word_is(words[3], lengths[3], ends[axis][1]))
            continue;
        words[2] = ends[axis][0]; // closed by a zero
        return read_data_bounds(reader, axis, words, lengths);
    }
    return QD_OK;
}

// Notes where a section of a LAMMPS data file begins.
static qd_status note_data_section(data_file *data) {
    const qdi_body_reader *reader = data->reader;
    const char *words[2];
    size_t lengths[2];
    if (split_words(&reader->lines, words, lengths, 2) != 1) return QD_OK; // "Pair Coeffs" and the like
    for (int i = 0; i < SECTIONS; ++i) {
        if (!qdi_word_is(words[0], lengths[0], section_words[i])) continue;
        if (data->has_section[i]) return QDI_BLAME(reader, "section %s comes twice", section_words[i]);
        data->has_section[i] = true;
        data->section[i] = reader->lines;
    }
    return QD_OK;
}

/// Reads the header and finds the sections.
static qd_status survey_data_file(data_file *data) {
    qdi_body_reader *reader = data->reader;
    bool more = false, header = true;
    qd_status status = qdi_lines_next(&reader->lines, &more, reader->error); // says whatever its author liked
    while (status == QD_OK && more) {
        status = qdi_lines_next(&reader->lines, &more, reader->error);
        if (status != QD_OK || !more) break;
        if (names_section(&reader->lines)) {
            header = false;
            status = note_data_section(data);
        } else if (header) {
            status = read_header_line(data);
        }
    }
    if (status != QD_OK) return status;
    if (!data->has_count) return QDI_BLAME(reader, "the file ends and no line says how many (\"N atoms\")");
    if (data->count > 0 && !data->has_section[SECTION_ATOMS])
        return QDI_BLAME(reader, "the file ends and has no section Atoms");
    return QD_OK;
}

// ---- sections ----

// Reads the section Masses of a LAMMPS data file.
static qd_status read_data_masses(data_file *data) {
    qdi_body_reader *reader = data->reader;
    reader->lines = data->section[SECTION_MASSES];
    for (size_t i = 0; i <= data->types; ++i) data->masses[i] = (double)NAN;
    for (;;) {
        const char *words[2];
        size_t lengths[2], count = 0;
        bool more = false;
        uint64_t type = 0;
        double mass = 0;
        qd_status status = next_row(reader, words, lengths, 2, &count, &more);
        if (status != QD_OK || !more) return status;
        if (count != 2) return QDI_BLAME(reader, "Masses: must be a type and its mass");
        status = qdi_field_whole(reader, "type", words[0], lengths[0], data->types, &type);
        if (status == QD_OK) status = qdi_field_mass(reader, "mass", words[1], lengths[1], &mass);
        if (status != QD_OK) return status;
        if (type == 0) return QDI_BLAME(reader, "type: must be a whole number from 1 on");
        if (!(mass > 0)) return QDI_BLAME(reader, "mass: must be above 0");
        data->masses[type] = mass;
    }
}

/// The style that stands behind "Atoms #", or that the first row's number of columns tells.
static qd_status find_style(const data_file *data, size_t *style) {
    const qdi_body_reader *reader = data->reader;
    qdi_lines lines = data->section[SECTION_ATOMS];
    size_t at = code_length(&lines), length = 0;
    const char *word = NULL;
    if (at < lines.bytes) ++at; // the sign
    if (qdi_word_next(lines.text, lines.bytes, &at, &word, &length)) {
        for (*style = 0; *style < sizeof styles / sizeof styles[0]; ++*style)
            if (qdi_word_is(word, length, styles[*style].name)) return QD_OK;
        char quote[QDI_QUOTE_ROOM];
        return qdi_lines_reason(
            lines.path, lines.number, reader->error,
            "atom style \"%s\" cannot be read (sphere, atomic, charge, bond, angle, molecular, "
            "full and bpm/sphere can)",
            qdi_quote(quote, word, length));
    }
    qdi_body_reader ahead = {.lines = lines, .error = reader->error};
    size_t count = 0;
    bool more = false;
    qd_status status = next_row(&ahead, NULL, NULL, 0, &count, &more);
    if (status != QD_OK) return status;
    *style = count == 7 || count == 10 ? 1 : 0;
    if (!more || *style == 1 || count == 5 || count == 8) return QD_OK;
    return qdi_lines_reason(lines.path, lines.number, reader->error,
                            "must say its atom style: Atoms # sphere, Atoms # atomic, ...");
}

/// What a word of a style's columns stands for.
static qdi_role role_of(const data_file *data, const char *word, size_t length) {
    if (qdi_word_is(word, length, "type")) return data->by_type ? QDI_ROLE_TYPE : QDI_ROLE_NONE;
    if (qdi_word_is(word, length, "density")) return QDI_ROLE_SOLID;
    return qdi_role_named(word, length, true);
}

// Names the columns of the section Atoms by its style.
static qd_status name_data_columns(data_file *data, size_t style) {
    qdi_body_reader *reader = data->reader;
    const char *columns = styles[style].columns, *word = NULL;
    size_t at = 0, length = 0;
    bool own = isnan(reader->options->mass) && isnan(reader->options->density);
    data->by_type = own && data->has_section[SECTION_MASSES] && !strstr(columns, "density");
    while (qdi_word_next(columns, strlen(columns), &at, &word, &length)) {
        qd_status status = qdi_columns_add(reader, role_of(data, word, length), word, length);
        if (status != QD_OK) return status;
    }
    return qdi_columns_settle(reader);
}

enum { ROW_WORDS = 16 };

// Reads a body from the section Atoms of a LAMMPS data file.
static qd_status read_data_atom(data_file *data, const char *const *words, const size_t *lengths,
                                size_t count, size_t width) {
    qdi_body_reader *reader = data->reader;
    reader->columns.width = count == width + 3 ? width + 3 : width; // image flags
    qdi_record record = qdi_record_start();
    for (size_t i = 0; i < count; ++i) {
        if (i >= ROW_WORDS) ++record.column;
        if (i >= ROW_WORDS) continue;
        qd_status status = qdi_record_field(reader, &record, words[i], lengths[i]);
        if (status != QD_OK) return status;
    }
    qd_status status = qdi_record_end(reader, &record);
    if (status != QD_OK || !data->by_type) return status;
    double type = record.value[QDI_ROLE_TYPE];
    bool known = type >= 1 && type <= (double)data->types && type == floor(type);
    double mass = known ? data->masses[(size_t)type] : (double)NAN;
    if (isnan(mass)) return QDI_BLAME(reader, "type: Masses has none of type %.9g", type);
    reader->file->rows[reader->file->count - 1].mass = mass;
    return QD_OK;
}

// Reads the section Atoms of a LAMMPS data file.
static qd_status read_data_atoms(data_file *data) {
    qdi_body_reader *reader = data->reader;
    size_t style = 0;
    qd_status status = find_style(data, &style);
    reader->lines = data->section[SECTION_ATOMS];
    if (status == QD_OK) status = name_data_columns(data, style);
    size_t width = reader->columns.width;
    while (status == QD_OK) {
        const char *words[ROW_WORDS];
        size_t lengths[ROW_WORDS], count = 0;
        bool more = false;
        status = next_row(reader, words, lengths, ROW_WORDS, &count, &more);
        if (status != QD_OK || !more) break;
        if (reader->file->count == data->count)
            return QDI_BLAME(reader, "the header says %" PRIu64 " atoms, and more follow", data->count);
        status = read_data_atom(data, words, lengths, count, width);
    }
    if (status == QD_OK && reader->file->count < data->count)
        return QDI_BLAME(reader, "section Atoms has %zu of %" PRIu64 " atoms: it was cut off",
                         reader->file->count, data->count);
    return status;
}

// The body of a label among those read.
static qdi_disk_row *find_body_row(const qdi_body_file *file, uint64_t label) {
    size_t low = 0, high = file->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (file->rows[middle].label < label)
            low = middle + 1;
        else
            high = middle;
    }
    return low < file->count && file->rows[low].label == label ? &file->rows[low] : NULL;
}

/// LAMMPS data of bodies: a row: id vx vy vz, and for spheres omegax omegay omegaz.
static qd_status read_velocity(const qdi_body_reader *reader, const char *const *words, const size_t *lengths,
                               size_t count) {
    static const char *const names[] = {"id", "vx", "vy", "vz", "omegax", "omegay", "omegaz"};
    enum { VX = 1, VY, VZ, SPIN_X, SPIN_Y, SPIN, WORDS };
    uint64_t label = 0;
    double value[WORDS] = {0};
    if (count != 4 && count != WORDS) return QDI_BLAME(reader, "has %zu fields, not 4 or 7", count);
    qd_status status = qdi_field_whole(reader, names[0], words[0], lengths[0], UINT64_MAX, &label);
    for (size_t i = 1; i < count && status == QD_OK; ++i)
        status = qdi_field_number(reader, names[i], words[i], lengths[i], &value[i]);
    if (status != QD_OK) return status;
    static const int flat[] = {VZ, SPIN_X, SPIN_Y};
    for (size_t i = 0; i < sizeof flat / sizeof flat[0]; ++i)
        if (value[flat[i]] != 0)
            return QDI_BLAME(reader, "%s is not 0: only two-dimensional files can be read", names[flat[i]]);
    qdi_disk_row *row = find_body_row(reader->file, label);
    if (!row) return QDI_BLAME(reader, "id %" PRIu64 " is no atom's", label);
    if (!isnan(row->vx)) return QDI_BLAME(reader, "id %" PRIu64 " has a velocity already", label);
    row->vx = value[VX];
    row->vy = value[VY];
    row->spin = value[SPIN];
    return QD_OK;
}

// Reads the section Velocities of a LAMMPS data file.
static qd_status read_data_velocities(data_file *data) {
    qdi_body_reader *reader = data->reader;
    qdi_body_file *file = reader->file;
    qd_status status = qdi_rows_settle(reader); // so that ids can be looked up
    for (size_t i = 0; i < file->count; ++i) file->rows[i].vx = (double)NAN;
    reader->lines = data->section[SECTION_VELOCITIES];
    size_t given = 0;
    while (status == QD_OK) {
        const char *words[7];
        size_t lengths[7], count = 0;
        bool more = false;
        status = next_row(reader, words, lengths, 7, &count, &more);
        if (status != QD_OK || !more) break;
        status = read_velocity(reader, words, lengths, count);
        ++given;
    }
    if (status == QD_OK && given < file->count)
        return QDI_BLAME(reader, "section Velocities has %zu of %zu atoms: it was cut off", given,
                         file->count);
    return status;
}

qd_status qdi_body_data_read(qdi_body_reader *reader) {
    data_file data = {.reader = reader};
    qd_status status = survey_data_file(&data);
    if (status != QD_OK) return status;
    const qd_allocator *allocator = reader->file->allocator;
    size_t room = (size_t)data.types + 1;
    data.masses = qdi_allocate(allocator, room, sizeof *data.masses);
    if (!data.masses) return QD_ERR_MEMORY;
    if (data.has_section[SECTION_MASSES]) status = read_data_masses(&data);
    if (status == QD_OK && data.has_section[SECTION_ATOMS]) status = read_data_atoms(&data);
    if (status == QD_OK && data.has_section[SECTION_VELOCITIES]) status = read_data_velocities(&data);
    qdi_release(allocator, data.masses, room, sizeof *data.masses);
    return status;
}
