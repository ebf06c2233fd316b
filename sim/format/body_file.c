#include "sim/format/body_file.h"

#include "core/base/memory.h"
#include "sim/files/os.h"
#include "sim/format/body_columns.h"
#include "sim/text/number.h"
#include "sim/text/reason.h"
#include "sim/text/scene_text.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

/// Most bytes of a part: the bodies that a world takes, at 64 bytes each.
static const size_t part_bytes_max = (size_t)1 << 34;

static const qdi_body_format_row formats[] = {
    {QDI_BODY_CSV, ".csv", qdi_body_load_all, qdi_body_csv_read},
    {QDI_BODY_DUMP, ".lammpstrj", qdi_body_dump_load, qdi_body_dump_read},
    {QDI_BODY_DATA, ".data", qdi_body_load_all, qdi_body_data_read},
    {QDI_BODY_XYZ, ".xyz", qdi_body_xyz_load, qdi_body_xyz_read},
};

// The row of a body-file format in the table of formats.
static const qdi_body_format_row *format_row(qdi_body_format format) {
    for (size_t i = 0; i < sizeof formats / sizeof formats[0]; ++i)
        if (formats[i].format == format) return &formats[i];
    return NULL;
}

const char *qdi_body_format_ending(qdi_body_format format) {
    return format_row(format)->ending;
}

// How body files are read where nobody says otherwise.
qdi_body_options qdi_body_options_default(void) {
    qdi_body_options options = {
        .frame = QDI_FRAME_LAST, .radius = (double)NAN, .density = (double)NAN, .mass = (double)NAN};
    for (size_t i = 0; i < QDI_BODY_COLUMNS; ++i) memcpy(options.columns[i], "auto", sizeof "auto");
    return options;
}

/// Only tables have columns that somebody could have called as he liked.
static qd_status check_columns(const char *path, const qdi_body_options *options, qdi_body_format format,
                               qd_error *error) {
    for (size_t i = 0; i < QDI_BODY_COLUMNS && format != QDI_BODY_CSV; ++i)
        if (qdi_column_is_named(options, i))
            return qdi_lines_reason(path, 0, error,
                                    "only the columns of tables can be named: leave `columns` out");
    return QD_OK;
}

// ---- which format ----

/// The format that a file's name tells, or QDI_BODY_AUTO.
static qdi_body_format format_by_name(const char *path) {
    static const struct {
        const char *ending;
        qdi_body_format format;
    } endings[] = {{".csv", QDI_BODY_CSV},         {".tsv", QDI_BODY_CSV},     {".lammpstrj", QDI_BODY_DUMP},
                   {".lammpsdump", QDI_BODY_DUMP}, {".dump", QDI_BODY_DUMP},   {".data", QDI_BODY_DATA},
                   {".lmp", QDI_BODY_DATA},        {".lammps", QDI_BODY_DATA}, {".xyz", QDI_BODY_XYZ},
                   {".extxyz", QDI_BODY_XYZ}};
    for (size_t i = 0; i < sizeof endings / sizeof endings[0]; ++i)
        if (qdi_ends_with(path, strlen(path), endings[i].ending)) return endings[i].format;
    return QDI_BODY_AUTO;
}

/// True for a line such as "100 atoms", with which the header of a data file begins.
static bool counts_atoms(const char *text, size_t bytes) {
    size_t at = 0, length = 0;
    const char *word = NULL;
    uint64_t count = 0;
    if (!qdi_word_next(text, bytes, &at, &word, &length) || !qdi_integer_read(word, length, &count))
        return false;
    return qdi_word_next(text, bytes, &at, &word, &length) && length == strlen("atoms") &&
           memcmp(word, "atoms", length) == 0;
}

/// True where a line is a number and nothing else, as that which extended XYZ begins with.
static bool is_count(const char *text, size_t bytes) {
    size_t at = 0, length = 0;
    const char *word = NULL;
    uint64_t count = 0;
    if (!qdi_word_next(text, bytes, &at, &word, &length) || !qdi_integer_read(word, length, &count))
        return false;
    return !qdi_word_next(text, bytes, &at, &word, &length);
}

/// The format that a file's beginning tells.
static qdi_body_format format_by_content(const char *text, size_t bytes) {
    size_t at = 0;
    for (int line = 0; line < 100 && at < bytes; ++line) {
        const char *end = memchr(text + at, '\n', bytes - at);
        size_t length = end ? (size_t)(end - (text + at)) : bytes - at;
        if (length > 0 && text[at + length - 1] == '\r') --length;
        if (length >= 5 && memcmp(text + at, "ITEM:", 5) == 0) return QDI_BODY_DUMP;
        if (counts_atoms(text + at, length)) return QDI_BODY_DATA;
        if (line == 0 && is_count(text + at, length)) return QDI_BODY_XYZ;
        at = end ? (size_t)(end - text) + 1 : bytes;
    }
    return QDI_BODY_CSV;
}

// Finds the format of a body file by its name and first line.
static qd_status find_body_format(qdi_lines *lines, const qdi_body_options *options, const char *path,
                                  qdi_body_format *format, qd_error *error) {
    const char *text = NULL;
    size_t bytes = 0;
    qd_status status = qdi_lines_peek(lines, &text, &bytes, error);
    if (status != QD_OK) return status;
    if (bytes == 0) return qdi_lines_reason(path, 0, error, "is empty");
    *format = options->format;
    if (*format == QDI_BODY_AUTO) *format = format_by_name(path);
    if (*format == QDI_BODY_AUTO) *format = format_by_content(text, bytes);
    return QD_OK;
}

// ---- from the file to the part ----

qd_status qdi_body_part_add(qdi_body_file *file, const qdi_lines *lines, qd_error *error) {
    if (file->part.used + lines->raw_bytes > part_bytes_max)
        return qdi_lines_reason(lines->path, lines->number, error, "holds more than %zu GB of bodies",
                                part_bytes_max >> 30);
    qdi_text_add_bytes(&file->part, lines->raw, lines->raw_bytes);
    return file->part.status;
}

void qdi_frame_begin(qdi_frame_search *search) {
    const qdi_body_options *options = search->options;
    search->keep = options->frame_form != QDI_FRAME_NUMBER || options->frame == QDI_FRAME_LAST ||
                   options->frame == search->frames;
    search->frames += 1;
    search->file->part.used = 0;
    search->file->first_line = search->from->number;
}

qd_status qdi_frame_search_end(const qdi_frame_search *search, const char *saying) {
    const qdi_lines *from = search->from;
    const char *plural = search->frames == 1 ? "" : "s";
    if (search->frames == 0) return qdi_lines_reason(from->path, 0, search->error, "holds no frame");
    if (search->found || search->keep) return QD_OK;
    if (search->options->frame_form == QDI_FRAME_NUMBER)
        return qdi_lines_reason(from->path, from->number, search->error,
                                "ends after %" PRIu64
                                " frame%s (they count from 0): there is no frame %" PRIu64,
                                search->frames, plural, search->options->frame);
    if (saying)
        return qdi_lines_reason(from->path, from->number, search->error,
                                "ends after %" PRIu64 " frame%s: none %s%" PRIu64, search->frames, plural,
                                saying, search->options->frame);
    return qdi_lines_reason(from->path, from->number, search->error,
                            "ends after %" PRIu64 " frame%s (timesteps %" PRIu64 " to %" PRIu64
                            "): none is of timestep %" PRIu64,
                            search->frames, plural, search->first, search->timestep, search->options->frame);
}

qd_status qdi_body_load_all(qdi_lines *from, const qdi_body_options *options, qdi_body_file *file,
                            qd_error *error) {
    bool named_frame = options->frame_form == QDI_FRAME_TIMESTEP ||
                       (options->frame != QDI_FRAME_LAST && options->frame != 0);
    if (named_frame)
        return qdi_lines_reason(from->path, 0, error,
                                "only dumps and extended XYZ have frames: leave `frame` out");
    file->first_line = 1;
    for (bool more = true; more;) {
        qd_status status = qdi_lines_next(from, &more, error);
        if (status == QD_OK && more) status = qdi_body_part_add(file, from, error);
        if (status != QD_OK) return status;
    }
    return QD_OK;
}

/// Body file: from the part to the rows.
static qd_status read_part(const char *path, const qdi_body_options *options, qdi_body_file *file,
                           qd_error *error) {
    qdi_body_reader reader = {.file = file, .options = options, .error = error};
    qdi_lines_of_memory(&reader.lines, path, file->part.chars, file->part.used, file->first_line);
    qd_status status = format_row(file->format)->read(&reader);
    return status == QD_OK ? qdi_rows_settle(&reader) : status;
}

// Reads a body file of any format.
static qd_status read_body_lines(qdi_lines *from, const qdi_body_options *options, qdi_body_file *file,
                                 qd_error *error) {
    file->part.allocator = file->allocator;
    file->density = isnan(options->density) ? 1 : options->density;
    qd_status status = find_body_format(from, options, from->path, &file->format, error);
    if (status == QD_OK) status = check_columns(from->path, options, file->format, error);
    if (status == QD_OK) status = format_row(file->format)->load(from, options, file, error);
    if (status == QD_OK) status = read_part(from->path, options, file, error);
    if (status != QD_OK) qdi_body_file_release(file);
    return status == QD_ERR_MEMORY ? qdi_reason(error, status, "out of memory") : status;
}

qd_status qdi_body_file_parse(const char *text, size_t bytes, const char *path,
                              const qdi_body_options *options, qdi_body_file *file, qd_error *error) {
    qdi_lines lines;
    qdi_lines_of_memory(&lines, path, text, bytes, 1);
    return read_body_lines(&lines, options, file, error);
}

qd_status qdi_body_file_read(const char *path, const qdi_body_options *options, qdi_body_file *file,
                             qd_error *error) {
    FILE *stream = NULL;
    qd_error why;
    char shown[QDI_PATH_SHOWN];
    qd_status status = qdi_os_open(path, QDI_OS_DATA, &stream, &why);
    if (status != QD_OK)
        return qdi_reason(error, status, "%s: cannot be opened: %s", qdi_path_shown(shown, path), why.text);
    qdi_lines lines;
    status = qdi_lines_of_file(&lines, file->allocator, path, stream);
    if (status == QD_OK)
        status = read_body_lines(&lines, options, file, error);
    else
        qdi_reason(error, status, "out of memory");
    qdi_lines_release(&lines);
    (void)fclose(stream); // it was only read
    return status;
}

void qdi_body_file_release(qdi_body_file *file) {
    qdi_release(file->allocator, file->rows, file->room, sizeof *file->rows);
    qdi_release(file->allocator, file->shapes, file->shape_room, sizeof *file->shapes);
    if (file->allocator) qdi_text_release(&file->part);
    if (file->columns.allocator) qdi_text_release(&file->columns);
    *file = (qdi_body_file){.allocator = file->allocator, .part.allocator = file->allocator};
}
