// LAMMPS dumps as text (dump custom, dump atom with named columns):
//
//   ITEM: TIMESTEP
//   2000
//   ITEM: NUMBER OF ATOMS
//   303
//   ITEM: BOX BOUNDS ff ff pp
//   0 160
//   0 160
//   -0.5 0.5
//   ITEM: ATOMS id x y radius
//   1 0.79 0.79 0.44
//   ...
//
// once per frame; UNITS and TIME may come before. Loading goes through the frames without looking at the
// atoms and keeps the text of one; reading looks at every line of that one.

#include "sim/format/body_columns.h"

#include <inttypes.h>
#include <string.h>

// Whether a line of a LAMMPS dump begins like this.
static bool line_begins(const qdi_lines *lines, const char *with) {
    size_t length = strlen(with);
    return lines->bytes >= length && memcmp(lines->text, with, length) == 0;
}

/// LAMMPS dump of bodies: true where the line is `with` and nothing but spaces behind it.
static bool is_line(const qdi_lines *lines, const char *with) {
    if (!line_begins(lines, with)) return false;
    for (size_t i = strlen(with); i < lines->bytes; ++i)
        if (lines->text[i] != ' ' && lines->text[i] != '\t') return false;
    return true;
}

// Whether a line of a LAMMPS dump is empty.
static bool is_blank_line(const qdi_lines *lines) {
    return is_line(lines, "");
}

// ---- loading ----

/// A search for a frame.
typedef struct dump_search {
    qdi_frame_search frame;
    bool in_atoms;  ///< the present frame's atoms have begun
    bool step_next; ///< the next line is a timestep
} dump_search;

// Reads the step of a frame in a LAMMPS dump.
static qd_status take_dump_timestep(dump_search *search) {
    qdi_frame_search *frame = &search->frame;
    const qdi_body_reader reader = {.lines = *frame->from, .error = frame->error};
    qd_status status = qdi_line_whole(&reader, "ITEM: TIMESTEP", UINT64_MAX - 1, &frame->timestep);
    if (status != QD_OK) return status;
    search->step_next = false;
    if (frame->frames == 1) frame->first = frame->timestep;
    if (frame->options->frame_form == QDI_FRAME_TIMESTEP)
        frame->keep = frame->timestep == frame->options->frame;
    return QD_OK;
}

// Takes a line of a LAMMPS dump into the frame that is searched for.
static qd_status take_dump_line(dump_search *search) {
    qdi_frame_search *frame = &search->frame;
    const qdi_lines *from = frame->from;
    bool head = line_begins(from, "ITEM:");
    if (frame->frames == 0 && !head)
        return qdi_lines_reason(from->path, from->number, frame->error,
                                "a dump must begin with ITEM: TIMESTEP");
    if (head && (frame->frames == 0 || search->in_atoms)) {
        frame->found = frame->frames > 0 && frame->keep && frame->options->frame != QDI_FRAME_LAST;
        if (frame->found) return QD_OK;
        qdi_frame_begin(frame);
        search->in_atoms = false;
    }
    qd_status status = search->step_next ? take_dump_timestep(search) : QD_OK;
    if (is_line(from, "ITEM: TIMESTEP")) search->step_next = true;
    if (line_begins(from, "ITEM: ATOMS")) search->in_atoms = true;
    if (status == QD_OK && frame->keep) status = qdi_body_part_add(frame->file, from, frame->error);
    return status;
}

qd_status qdi_body_dump_load(qdi_lines *from, const qdi_body_options *options, qdi_body_file *file,
                             qd_error *error) {
    dump_search search = {.frame = {.options = options, .file = file, .from = from, .error = error}};
    for (bool more = true; more && !search.frame.found;) {
        qd_status status = qdi_lines_next(from, &more, error);
        // Empty lines before the first frame are nobody's fault.
        bool nothing = search.frame.frames == 0 && more && is_blank_line(from);
        if (status == QD_OK && more && !nothing) status = take_dump_line(&search);
        if (status != QD_OK) return status;
    }
    return qdi_frame_search_end(&search.frame, NULL);
}

// ---- reading ----

/// What the blocks before the atoms said.
typedef struct frame_head {
    bool has_step, has_count, has_box;
    uint64_t count;
} frame_head;

/// LAMMPS dump of bodies: goes to a line that must be there.
static qd_status need_line(qdi_body_reader *reader, const char *what) {
    bool more = false;
    qd_status status = qdi_lines_next(&reader->lines, &more, reader->error);
    if (status == QD_OK && !more) return QDI_BLAME(reader, "the file ends where %s should follow", what);
    return status;
}

/// LAMMPS dump of bodies: walls where something is fixed; nothing where both ends follow the atoms.
static bool boundary_named(const char *word, size_t length, qd_boundary *boundary) {
    if (length != 2 || !strchr("pfsm", word[0]) || !strchr("pfsm", word[1])) return false;
    bool fixed = word[0] == 'f' || word[1] == 'f';
    *boundary = word[0] == 'p' && word[1] == 'p' ? QD_BOUNDARY_PERIODIC
                : fixed                          ? QD_BOUNDARY_REFLECT
                                                 : QD_BOUNDARY_OPEN;
    return (word[0] == 'p') == (word[1] == 'p');
}

/// LAMMPS dump of bodies: reads what stands behind ITEM: BOX BOUNDS: nothing, three boundaries, or xy xz yz
/// and three boundaries.
static qd_status read_box_names(qdi_body_reader *reader, bool *tilted) {
    size_t at = strlen("ITEM: BOX BOUNDS"), length = 0, count = 0;
    const char *word = NULL;
    *tilted = false;
    while (qdi_word_next(reader->lines.text, reader->lines.bytes, &at, &word, &length)) {
        if (count == 0 && length == 2 && memcmp(word, "xy", 2) == 0) *tilted = true;
        bool tilt = *tilted && (memcmp(word, "x", 1) == 0 || memcmp(word, "y", 1) == 0);
        if (tilt && length == 2) continue;
        qd_boundary boundary;
        char quote[QDI_QUOTE_ROOM];
        if (count == 3 || !boundary_named(word, length, &boundary))
            return QDI_BLAME(reader, "ITEM: BOX BOUNDS: \"%s\" is no boundary (pp, ff, fs, ...)",
                             qdi_quote(quote, word, length));
        if (count < 2) {
            reader->file->side[count].has_boundary = true;
            reader->file->side[count].boundary = boundary;
        }
        ++count;
    }
    return count == 0 || count == 3 ? QD_OK
                                    : QDI_BLAME(reader, "ITEM: BOX BOUNDS: must name three boundaries");
}

// Reads the bounds of the box along one axis of a LAMMPS dump.
static qd_status read_dump_bounds(qdi_body_reader *reader, int axis, bool tilted) {
    qd_status status = need_line(reader, "the bounds of the box");
    size_t at = 0, length = 0, count = 0, wanted = tilted ? 3 : 2;
    const char *word = NULL;
    double value[3] = {0};
    while (status == QD_OK && qdi_word_next(reader->lines.text, reader->lines.bytes, &at, &word, &length)) {
        if (count == wanted) return QDI_BLAME(reader, "the bounds of the box: must be %zu numbers", wanted);
        status = qdi_field_number(reader, "the bounds of the box", word, length, &value[count++]);
    }
    if (status != QD_OK) return status;
    if (count < wanted) return QDI_BLAME(reader, "the bounds of the box: must be %zu numbers", wanted);
    if (value[2] != 0) return QDI_BLAME(reader, "the box is tilted; only upright ones can be read");
    if (axis == 2) return QD_OK;
    if (!(value[0] < value[1]))
        return QDI_BLAME(reader, "the bounds of the box: the first must be the smaller one");
    qdi_body_side *side = &reader->file->side[axis];
    side->has_bounds = true;
    side->low = value[0];
    side->high = value[1];
    return QD_OK;
}

// Reads the box of a frame in a LAMMPS dump.
static qd_status read_dump_box(qdi_body_reader *reader) {
    bool tilted = false;
    qd_status status = read_box_names(reader, &tilted);
    for (int axis = 0; axis < 3 && status == QD_OK; ++axis) status = read_dump_bounds(reader, axis, tilted);
    return status;
}

// Reads the names of columns of a frame in a LAMMPS dump.
static qd_status read_dump_columns(qdi_body_reader *reader) {
    size_t at = strlen("ITEM: ATOMS"), length = 0;
    const char *word = NULL;
    while (qdi_word_next(reader->lines.text, reader->lines.bytes, &at, &word, &length)) {
        qd_status status = qdi_columns_add(reader, qdi_role_named(word, length, true), word, length);
        if (status != QD_OK) return status;
    }
    if (reader->columns.width == 0) return QDI_BLAME(reader, "ITEM: ATOMS names no columns");
    return qdi_columns_settle(reader);
}

// Reads the bodies of a frame in a LAMMPS dump.
static qd_status read_dump_atoms(qdi_body_reader *reader, uint64_t count) {
    qd_status status = read_dump_columns(reader);
    for (uint64_t i = 0; i < count && status == QD_OK; ++i) {
        bool more = false;
        status = qdi_lines_next(&reader->lines, &more, reader->error);
        if (status != QD_OK) break;
        if (!more || line_begins(&reader->lines, "ITEM:"))
            return QDI_BLAME(reader, "the frame has %" PRIu64 " of %" PRIu64 " atoms: it was cut off", i,
                             count);
        status = qdi_record_line(reader);
    }
    for (bool more = true; more && status == QD_OK;) {
        status = qdi_lines_next(&reader->lines, &more, reader->error);
        if (status == QD_OK && more && !is_blank_line(&reader->lines))
            return QDI_BLAME(reader, "the frame says that it has %" PRIu64 " atoms, and more follow", count);
    }
    return status;
}

/// LAMMPS dump of bodies: a block before the atoms.
static qd_status read_block(qdi_body_reader *reader, frame_head *head) {
    uint64_t step = 0;
    char quote[QDI_QUOTE_ROOM];
    qd_status status = QD_OK;
    if (is_line(&reader->lines, "ITEM: UNITS") || is_line(&reader->lines, "ITEM: TIME"))
        return need_line(reader, "its value");
    if (is_line(&reader->lines, "ITEM: TIMESTEP")) {
        status = need_line(reader, "the timestep");
        if (status == QD_OK) status = qdi_line_whole(reader, "ITEM: TIMESTEP", UINT64_MAX - 1, &step);
        head->has_step = true;
    } else if (is_line(&reader->lines, "ITEM: NUMBER OF ATOMS")) {
        status = need_line(reader, "the number of atoms");
        if (status == QD_OK)
            status = qdi_line_whole(reader, "ITEM: NUMBER OF ATOMS", (1U << 28) - 1, &head->count);
        head->has_count = true;
    } else if (line_begins(&reader->lines, "ITEM: BOX BOUNDS")) {
        status = read_dump_box(reader);
        head->has_box = true;
    } else {
        return QDI_BLAME(reader, "\"%s\" is no part of a dump of atoms",
                         qdi_quote(quote, reader->lines.text, reader->lines.bytes));
    }
    return status;
}

qd_status qdi_body_dump_read(qdi_body_reader *reader) {
    frame_head head = {.has_step = false};
    for (;;) {
        qd_status status = need_line(reader, "ITEM: ATOMS");
        if (status != QD_OK) return status;
        if (line_begins(&reader->lines, "ITEM: ATOMS")) break;
        status = read_block(reader, &head);
        if (status != QD_OK) return status;
    }
    if (!head.has_step || !head.has_count || !head.has_box)
        return QDI_BLAME(reader, "the frame does not say its %s",
                         !head.has_step    ? "timestep"
                         : !head.has_count ? "number of atoms"
                                           : "box");
    return read_dump_atoms(reader, head.count);
}
