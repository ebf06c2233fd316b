// Tables of separated values, as spreadsheets and scripts write them: one line that names the columns, then
// one line per body. The separator is the header's: a tab, a semicolon, a comma, or else spaces. With
// semicolons and tabs, numbers may have a decimal comma. Fields may stand in quotes. Lines that are empty or
// begin with # are left out; a header that is such a comment, as numpy writes it, is found there.

#include "sim/format/body_columns.h"
#include "sim/text/number.h"

#include <string.h>

/// A line on its way, field by field.
typedef struct field_walk {
    const char *text;
    size_t bytes, at;
    char separator; ///< ' ': spaces and tabs
    bool over;
} field_walk;

typedef struct field {
    const char *text;
    size_t bytes;
} field;

// Whether a character of a CSV line separates words.
static bool is_csv_blank(char c) {
    return c == ' ' || c == '\t';
}

// A field of a CSV line without blanks around it.
static field trim_field(const char *text, size_t bytes) {
    while (bytes > 0 && is_csv_blank(text[0])) ++text, --bytes;
    while (bytes > 0 && is_csv_blank(text[bytes - 1])) --bytes;
    return (field){text, bytes};
}

/// CSV of bodies: goes behind a quoted field and what follows up to the separator. False where the quote does
/// not end.
static bool take_quoted(field_walk *walk, field *taken) {
    size_t start = ++walk->at;
    for (;; ++walk->at) {
        if (walk->at >= walk->bytes) return false;
        if (walk->text[walk->at] != '"') continue;
        bool doubled = walk->at + 1 < walk->bytes && walk->text[walk->at + 1] == '"';
        if (!doubled) break;
        ++walk->at;
    }
    *taken = trim_field(walk->text + start, walk->at - start);
    ++walk->at;
    while (walk->at < walk->bytes && is_csv_blank(walk->text[walk->at]) && walk->separator != '\t')
        ++walk->at;
    return true;
}

// Takes a field that ends at a blank.
static void take_csv_word(field_walk *walk, field *taken) {
    size_t start = walk->at;
    while (walk->at < walk->bytes && !is_csv_blank(walk->text[walk->at])) ++walk->at;
    *taken = (field){walk->text + start, walk->at - start};
}

// Takes a field without quotes that ends at a separator.
static void take_csv_field(field_walk *walk, field *taken) {
    const char *end = memchr(walk->text + walk->at, walk->separator, walk->bytes - walk->at);
    size_t length = end ? (size_t)(end - (walk->text + walk->at)) : walk->bytes - walk->at;
    *taken = trim_field(walk->text + walk->at, length);
    walk->at += length;
}

/// CSV of bodies: the next field; false past the last one, or with `*reason` where the line is malformed.
static bool next_field(field_walk *walk, field *taken, const char **reason) {
    bool words = walk->separator == ' ';
    while (walk->at < walk->bytes && is_csv_blank(walk->text[walk->at]) &&
           walk->text[walk->at] != walk->separator)
        ++walk->at;
    while (words && walk->at < walk->bytes && is_csv_blank(walk->text[walk->at])) ++walk->at;
    if (walk->over || (words && walk->at == walk->bytes)) return false;
    if (walk->at < walk->bytes && walk->text[walk->at] == '"') {
        if (!take_quoted(walk, taken)) *reason = "a quote does not end on its line";
    } else if (words) {
        take_csv_word(walk, taken);
    } else {
        take_csv_field(walk, taken);
    }
    if (*reason) return false;
    walk->over = walk->at >= walk->bytes;
    if (words || walk->over) return true;
    if (walk->text[walk->at] != walk->separator) *reason = "something follows a quote";
    ++walk->at;
    return *reason == NULL;
}

/// CSV of bodies: what separates the fields of a header. Signs in quotes do not count.
static char separator_of(const char *text, size_t bytes) {
    bool quoted = false, semicolon = false, comma = false;
    for (size_t i = 0; i < bytes; ++i) {
        if (text[i] == '"') quoted = !quoted;
        if (quoted) continue;
        if (text[i] == '\t') return '\t';
        semicolon |= text[i] == ';';
        comma |= text[i] == ',';
    }
    return semicolon ? ';' : comma ? ',' : ' ';
}

// Starts at the first field of a CSV line.
static field_walk field_walk_of(const qdi_lines *lines, char separator) {
    field line = trim_field(lines->text, lines->bytes);
    // Empty fields at the ends of a line with tabs are fields.
    if (separator == '\t') line = (field){lines->text, lines->bytes};
    return (field_walk){.text = line.text, .bytes = line.bytes, .separator = separator};
}

/// CSV of bodies: true where a line says what separates the fields, as spreadsheets do: "sep=;".
static bool says_separator(field line, char *separator) {
    if (line.bytes != 5 || memcmp(line.text, "sep=", 4) != 0) return false;
    *separator = line.text[4];
    return true;
}

/// Names the columns after the line at hand.
static qd_status read_names(qdi_body_reader *reader, char separator) {
    reader->columns = (qdi_columns){0};
    field_walk walk = field_walk_of(&reader->lines, separator);
    while (walk.bytes > 0 && *walk.text == '#') ++walk.text, --walk.bytes;
    field name;
    const char *reason = NULL;
    while (next_field(&walk, &name, &reason)) {
        qd_status status = qdi_columns_add(reader, qdi_role_of_column(reader->options, name.text, name.bytes),
                                           name.text, name.bytes);
        if (status != QD_OK) return status;
    }
    return reason ? QDI_BLAME(reader, "%s", reason) : qdi_columns_check_named(reader);
}

/// Columns that are left out and named.
enum { SHOWN_LEFT = 12 };

/// As what the columns were read, and which of the line of names were left out.
static qd_status tell_columns(qdi_body_reader *reader, char separator) {
    qdi_text *text = &reader->file->columns;
    field_walk walk = field_walk_of(&reader->lines, separator);
    field name;
    const char *reason = NULL;
    while (walk.bytes > 0 && *walk.text == '#') ++walk.text, --walk.bytes;
    text->allocator = reader->file->allocator;
    qdi_columns_words(reader);
    size_t left = 0;
    for (size_t place = 0; next_field(&walk, &name, &reason); ++place) {
        char quote[QDI_QUOTE_ROOM];
        if (qdi_columns_uses(&reader->columns, place) || name.bytes == 0) continue;
        if (left++ >= SHOWN_LEFT) continue;
        qdi_text_add(text, left > 1 ? ", " : "; left out: ");
        qdi_text_add(text, qdi_quote(quote, name.text, name.bytes));
    }
    if (left > SHOWN_LEFT) {
        qdi_text_add(text, " and ");
        qdi_text_add_integer(text, left - SHOWN_LEFT);
        qdi_text_add(text, " more");
    }
    return text->status;
}

// Reads a body from a CSV line.
static qd_status read_csv_row(qdi_body_reader *reader, char separator) {
    field_walk walk = field_walk_of(&reader->lines, separator);
    qdi_record record = qdi_record_start();
    field value;
    const char *reason = NULL;
    while (next_field(&walk, &value, &reason)) {
        // What a separator at the end of the line leaves behind it is no field.
        if (walk.over && value.bytes == 0 && record.column == reader->columns.width && record.column > 0)
            break;
        qd_status status = qdi_record_field(reader, &record, value.text, value.bytes);
        if (status != QD_OK) return status;
    }
    if (reason) return QDI_BLAME(reader, "%s", reason);
    return qdi_record_end(reader, &record);
}

// Reads the bodies of a CSV file.
static qd_status read_csv_rows(qdi_body_reader *reader, char separator, bool at_first) {
    for (bool more = true; more; at_first = false) {
        qd_status status = at_first ? QD_OK : qdi_lines_next(&reader->lines, &more, reader->error);
        if (status != QD_OK || !more) return status;
        field line = trim_field(reader->lines.text, reader->lines.bytes);
        if (line.bytes == 0 || *line.text == '#') continue;
        status = read_csv_row(reader, separator);
        if (status != QD_OK) return status;
    }
    return QD_OK;
}

/// True where the first field of a line is a number: no line that names columns.
static bool begins_with_number(const qdi_lines *lines, char separator) {
    field_walk walk = field_walk_of(lines, separator);
    field first;
    const char *reason = NULL;
    double value = 0;
    return next_field(&walk, &first, &reason) && qdi_number_read(first.text, first.bytes, &value);
}

/// Where the header was found.
typedef struct header {
    qdi_lines line; ///< at the header
    bool found;
    char separator; ///< 0: not known yet
} header;

/// Finds the line that names the columns, and leaves the reader at the first line behind the comments.
static qd_status find_header(qdi_body_reader *reader, header *head, bool *more) {
    qdi_lines *lines = &reader->lines;
    for (;;) {
        qd_status status = qdi_lines_next(lines, more, reader->error);
        if (status != QD_OK || !*more) return status;
        field line = trim_field(lines->text, lines->bytes);
        if (line.bytes == 0 || (head->separator == 0 && says_separator(line, &head->separator))) continue;
        if (*line.text != '#') return QD_OK;
        head->line = *lines;
        head->found = true;
    }
}

qd_status qdi_body_csv_read(qdi_body_reader *reader) {
    header head = {.found = false};
    bool more = false;
    qd_status status = find_header(reader, &head, &more);
    if (status != QD_OK) return status;
    if (!more && !head.found)
        return QDI_BLAME(reader, "holds no line that names the columns (x, y, radius, ...)");
    char separator = head.separator;
    if (!separator && more) separator = separator_of(reader->lines.text, reader->lines.bytes);
    bool bare = !more || begins_with_number(&reader->lines, separator);
    if (bare && !head.found)
        return QDI_BLAME(reader, "the first line must name the columns (x, y, radius, ...)");
    qdi_lines first = reader->lines;
    if (bare) reader->lines = head.line;
    if (!head.separator) separator = separator_of(reader->lines.text, reader->lines.bytes);
    reader->decimal_comma = separator != ',' && separator != ' ';
    status = read_names(reader, separator);
    if (status == QD_OK) status = qdi_columns_settle(reader);
    if (status == QD_OK) status = tell_columns(reader, separator);
    if (status != QD_OK) return status;
    if (bare) reader->lines = first;
    return more ? read_csv_rows(reader, separator, bare) : QD_OK;
}
