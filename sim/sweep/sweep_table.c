// The table of a sweep: its columns, its lines, and the CSV file and the database that are made of them.

#include "sim/sweep/sweep_table.h"

#include "core/base/memory.h"
#include "sim/files/os.h"
#include "sim/store/store_impl.h"
#include "sim/sweep/sweep_field.h"
#include "sim/text/number.h"
#include "sim/text/reason.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/// "QDsw", in the header of every sweep.db.
#define SWEEP_APPLICATION 0x51447377
#define SWEEP_SCHEMA      2

#define ABOUT "CREATE TABLE about (version TEXT, name TEXT, text TEXT, planned_wall TEXT)"
#define HEAD  "CREATE TABLE sweep (point INTEGER PRIMARY KEY"
#define TAIL  ", id TEXT)"

// ---- columns ----

/// A column of the table. `always`: its value is text whatever it looks like, also where it is empty; other
/// values are numbers where they look like one and are not in a column of text, and nothing where they are
/// empty.
typedef struct column {
    const char *name, *type;
    bool always;
    char made[QDI_SWEEP_NAME];
} column;

/// All columns: the point, the sweep's keys, what follows them, the cells of a result, and the last ones.
typedef struct columns {
    column *items;
    size_t count, keys, room;
} columns;

static const column middle[] = {{"replica", " INTEGER", false, ""},
                                {"seed", "", false, ""},
                                {"status", " TEXT", true, ""}},
                    last[] = {{"directory", " TEXT", true, ""},
                              {"code", " INTEGER", false, ""},
                              {"reason", " TEXT", true, ""},
                              {"id", " TEXT", true, ""}};

enum { MIDDLE = sizeof middle / sizeof middle[0], LAST = sizeof last / sizeof last[0] };

// How many cells the result of a point has in the sweep's table.
static size_t result_cell_count(const qdi_sweep *sweep) {
    char name[QDI_SWEEP_NAME];
    qdi_sweep_kind kind;
    size_t count = 0;
    while (qdi_sweep_table_column(sweep, count, name, &kind)) ++count;
    return count;
}

// Adds a column to the sweep's table.
static void add_table_column(columns *all, column added) {
    all->items[all->count++] = added;
}

// Makes the columns of the sweep's table.
static qd_status make_table_columns(const qdi_sweep *sweep, columns *all) {
    static const char *const types[] = {
        [QDI_SWEEP_REAL] = " REAL", [QDI_SWEEP_WHOLE] = " INTEGER", [QDI_SWEEP_TEXT] = " TEXT"};
    qdi_sweep_kind kind = QDI_SWEEP_REAL;
    column cell = {.type = ""};
    *all = (columns){0};
    while (qdi_sweep_key(sweep, all->keys)) ++all->keys;
    all->room = 1 + all->keys + MIDDLE + result_cell_count(sweep) + LAST;
    all->items = qdi_allocate(qd_allocator_default(), all->room, sizeof *all->items);
    if (!all->items) return QD_ERR_MEMORY;
    add_table_column(all, (column){.name = "point", .type = " INTEGER"});
    for (size_t i = 0; i < all->keys; ++i)
        add_table_column(all, (column){.name = qdi_sweep_key(sweep, i), .type = ""});
    for (size_t i = 0; i < MIDDLE; ++i) add_table_column(all, middle[i]);
    for (size_t i = 0; qdi_sweep_table_column(sweep, i, cell.made, &kind); ++i) {
        cell.type = types[kind];
        add_table_column(all, cell);
        all->items[all->count - 1].name = all->items[all->count - 1].made;
    }
    for (size_t i = 0; i < LAST; ++i) add_table_column(all, last[i]);
    return QD_OK;
}

// Frees the columns of the sweep's table.
static void free_table_columns(columns *all) {
    qdi_release(qd_allocator_default(), all->items, all->room, sizeof *all->items);
}

// ---- lines ----

/// Sweep's table: a cell: its text and a zero.
static void add_cell(qdi_text *line, const char *text) {
    qdi_text_add_bytes(line, text, strlen(text) + 1);
}

// Adds a whole number to a row of the sweep's table.
static void add_whole_cell(qdi_text *line, uint64_t value) {
    char text[24];
    (void)snprintf(text, sizeof text, "%" PRIu64, value);
    add_cell(line, text);
}

/// Sweep's table: a number as the program writes it, anything else as it is.
static void add_value(qdi_text *line, const char *text) {
    char number[QDI_NUMBER_ROOM];
    double real = 0;
    uint64_t whole = 0;
    size_t bytes = strlen(text);
    if (qdi_integer_read(text, bytes, &whole) && whole <= INT64_MAX) {
        add_whole_cell(line, whole);
    } else if (qdi_number_read(text, bytes, &real)) {
        number[qdi_number_write(real, number)] = '\0';
        add_cell(line, number);
    } else {
        add_cell(line, text);
    }
}

/// All cells of a point's line.
static void add_line(const qdi_sweep_table *table, size_t place, size_t cells, const qdi_sweep_row *row,
                     qdi_text *line) {
    static const char *const states[] = {"to do", "failed", "done"};
    const qdi_sweep_point *point = &table->plan->points[place];
    char directory[32];
    (void)snprintf(directory, sizeof directory, "runs/%016" PRIx64, point->id);
    add_whole_cell(line, point->number);
    for (size_t i = 0; qdi_sweep_key(table->sweep, i); ++i)
        add_value(line, qdi_sweep_value(table->sweep, point->number - 1, i));
    add_whole_cell(line, point->replica);
    if (point->valid)
        add_whole_cell(line, point->run.seed);
    else
        add_cell(line, "");
    add_cell(line, states[row->state]);
    const char *cell = row->cells;
    for (; cells > 0; --cells) {
        add_cell(line, cell ? cell : "");
        if (cell) cell += strlen(cell) + 1;
    }
    add_cell(line, point->valid ? directory : "");
    if (row->state == QDI_SWEEP_TO_DO)
        add_cell(line, "");
    else
        add_whole_cell(line, (uint64_t)row->code);
    add_cell(line, row->reason ? row->reason : "");
    add_cell(line, directory + strlen("runs/"));
}

// ---- the CSV file ----

/// Sweep's table: a field of RFC 4180: in quotes where it has to be.
static void add_field(qdi_text *csv, const char *field) {
    if (!strpbrk(field, ",\"\r\n")) {
        qdi_text_add(csv, field);
        return;
    }
    qdi_text_add(csv, "\"");
    for (const char *c = field; *c; ++c) qdi_text_add_bytes(csv, *c == '"' ? "\"\"" : c, *c == '"' ? 2 : 1);
    qdi_text_add(csv, "\"");
}

// Adds a row to sweep.csv.
static void add_csv_row(const qdi_text *line, qdi_text *csv) {
    for (const char *cell = line->chars; cell < line->chars + line->used; cell += strlen(cell) + 1) {
        if (cell > line->chars) qdi_text_add(csv, ",");
        add_field(csv, cell);
    }
    qdi_text_add(csv, "\n");
}

// ---- the database ----

/// Sweep's table: the statement that makes the table. Of two columns with the same name, a key of a scene and
/// our own, ours gets ":1" behind it.
static void add_statement(const columns *all, qdi_text *sql) {
    qdi_text_add(sql, HEAD);
    for (size_t i = 1; i + 1 < all->count; ++i) {
        bool twice = false;
        for (size_t k = 1; k <= all->keys && i > all->keys; ++k)
            twice = twice || sqlite3_stricmp(all->items[i].name, all->items[k].name) == 0;
        qdi_text_add(sql, ", \"");
        qdi_text_add(sql, all->items[i].name);
        qdi_text_add(sql, twice ? ":1\"" : "\"");
        qdi_text_add(sql, all->items[i].type);
    }
    qdi_text_add(sql, TAIL);
}

// Binds a cell of the sweep's table for sweep.db.
static int bind_table_cell(sqlite3_stmt *statement, int at, const column *of, const char *text) {
    double real = 0;
    uint64_t whole = 0;
    size_t bytes = strlen(text);
    if (of->always) return sqlite3_bind_text(statement, at, text, -1, SQLITE_TRANSIENT);
    if (bytes == 0) return sqlite3_bind_null(statement, at);
    if (strcmp(of->type, " TEXT") != 0) {
        if (qdi_integer_read(text, bytes, &whole) && whole <= INT64_MAX)
            return qdi_sql_bind_step(statement, at, whole);
        // SQLite's whole numbers end at 2^63; one beyond is kept as text.
        if (whole == 0 && qdi_number_read(text, bytes, &real))
            return sqlite3_bind_double(statement, at, real);
    }
    return sqlite3_bind_text(statement, at, text, -1, SQLITE_TRANSIENT);
}

// Puts a row into sweep.db.
static int put_table_row(const columns *all, sqlite3_stmt *statement, const qdi_text *line) {
    const char *cell = line->chars;
    int code = SQLITE_OK;
    for (size_t i = 0; code == SQLITE_OK && i < all->count; ++i, cell += strlen(cell) + 1)
        code = bind_table_cell(statement, (int)i + 1, &all->items[i], cell);
    if (code == SQLITE_OK) code = sqlite3_step(statement);
    (void)sqlite3_reset(statement);
    return code == SQLITE_DONE ? SQLITE_OK : code;
}

/// Sweep's table: makes the tables, in memory, and the statement that puts a line into them.
static int make_tables(sqlite3 *db, const qdi_sweep *sweep, const columns *all, sqlite3_stmt **insert) {
    char mark[96];
    size_t bytes = 0;
    qdi_text sql = {.allocator = qd_allocator_default()};
    (void)snprintf(mark, sizeof mark, "PRAGMA application_id=%d; PRAGMA user_version=%d; BEGIN",
                   SWEEP_APPLICATION, SWEEP_SCHEMA);
    int code = qdi_sql_run(db, mark);
    add_statement(all, &sql);
    if (code == SQLITE_OK) code = sql.status == QD_OK ? qdi_sql_run(db, sql.chars) : SQLITE_NOMEM;
    if (code == SQLITE_OK) code = qdi_sql_run(db, ABOUT);
    if (code == SQLITE_OK)
        code = qdi_sql_do(db, "INSERT INTO about VALUES (?, ?, ?, strftime('%Y-%m-%dT%H:%M:%SZ', 'now'))",
                          "sss", QD_VERSION, qdi_sweep_name(sweep), qdi_sweep_text(sweep, &bytes));
    sql.used = 0;
    qdi_text_add(&sql, "INSERT INTO sweep VALUES (?");
    for (size_t i = 1; i < all->count; ++i) qdi_text_add(&sql, ",?");
    qdi_text_add(&sql, ")");
    if (code == SQLITE_OK)
        code = sql.status == QD_OK ? sqlite3_prepare_v2(db, sql.chars, -1, insert, NULL) : SQLITE_NOMEM;
    qdi_text_release(&sql);
    return code;
}

// ---- writing ----

/// Sweep's table: PATH with an ending.
static qdi_text path_with_ending(const char *path, const char *ending) {
    qdi_text name = {.allocator = qd_allocator_default()};
    qdi_text_add(&name, path);
    qdi_text_add(&name, ending);
    return name;
}

/// What is written to both at once.
typedef struct writing {
    const qdi_sweep_table *table;
    columns columns;
    sqlite3 *db;
    qdi_text csv;
} writing;

// Adds the names of columns to sweep.csv.
static void add_csv_names(const columns *all, qdi_text *csv) {
    for (size_t i = 0; i < all->count; ++i) {
        if (i > 0) qdi_text_add(csv, ",");
        add_field(csv, all->items[i].name);
    }
    qdi_text_add(csv, "\n");
}

/// Sweep's table: returns SQLite's code.
static int put_lines(writing *job) {
    const qdi_sweep_table *table = job->table;
    sqlite3_stmt *insert = NULL;
    qdi_text line = {.allocator = qd_allocator_default()};
    const size_t cells = result_cell_count(table->sweep);
    int code = make_tables(job->db, table->sweep, &job->columns, &insert);
    add_csv_names(&job->columns, &job->csv);
    for (size_t i = 0; i < table->plan->count && code == SQLITE_OK; ++i) {
        if (table->plan->points[i].twin) continue;
        const qdi_sweep_row row = table->row(table->context, i);
        line.used = 0;
        add_line(table, i, cells, &row, &line);
        code = line.status == QD_OK ? put_table_row(&job->columns, insert, &line) : SQLITE_NOMEM;
        if (code == SQLITE_OK && row.state != QDI_SWEEP_TO_DO) add_csv_row(&line, &job->csv);
    }
    (void)sqlite3_finalize(insert);
    qdi_text_release(&line);
    if (code == SQLITE_OK && job->csv.status != QD_OK) code = SQLITE_NOMEM;
    return code == SQLITE_OK ? qdi_sql_run(job->db, "COMMIT") : code;
}

// Writes sweep.db or sweep.csv beside the old one, then in its place.
static qd_status write_table_file(const char *path, const char *ending, const void *data, size_t bytes,
                                  qd_error *error) {
    qdi_text name = path_with_ending(path, ending), part = path_with_ending(path, ending);
    qdi_text_add(&part, ".part");
    qd_status status = name.status == QD_OK ? part.status : name.status;
    status = status == QD_OK ? qdi_os_write_file(part.chars, name.chars, data, bytes, error)
                             : qdi_reason(error, status, "%s", qd_status_text(status));
    qdi_text_release(&name);
    qdi_text_release(&part);
    return status;
}

qd_status qdi_sweep_table_write(const qdi_sweep_table *table, const char *path, qd_error *error) {
    writing job = {.table = table, .csv = {.allocator = qd_allocator_default()}};
    sqlite3_int64 bytes = 0;
    int code = make_table_columns(table->sweep, &job.columns) == QD_OK ? sqlite3_open(":memory:", &job.db)
                                                                       : SQLITE_NOMEM;
    if (code == SQLITE_OK) code = put_lines(&job);
    unsigned char *data = code == SQLITE_OK ? sqlite3_serialize(job.db, "main", &bytes, 0) : NULL;
    if (code == SQLITE_OK && !data) code = SQLITE_NOMEM;
    qd_status status = code == SQLITE_OK ? write_table_file(path, ".csv", job.csv.chars, job.csv.used, error)
                                         : qdi_sql_fail_at(job.db, path, "write", code, error);
    if (status == QD_OK) status = write_table_file(path, ".db", data, (size_t)bytes, error);
    sqlite3_free(data);
    (void)sqlite3_close(job.db);
    qdi_text_release(&job.csv);
    free_table_columns(&job.columns);
    return status;
}

// ---- what is there ----

/// Sweep's table: renames what is no database.
static qd_status put_aside(const char *path, qd_error *note, qd_error *error) {
    qdi_text aside = path_with_ending(path, ".damaged");
    qd_status status = aside.status == QD_OK ? qdi_os_remove_file(aside.chars, error) : aside.status;
    if (status == QD_OK) status = qdi_os_rename_new(path, aside.chars, error);
    if (status == QD_OK)
        (void)qdi_reason(note, QD_OK, "%.200s was damaged and is now %.200s; it is made again", path,
                         aside.chars);
    qdi_text_release(&aside);
    return status;
}

// Sweep's table: a 32-bit number in the head of an SQLite file.
static uint32_t read_big_endian(const unsigned char *bytes) {
    return (uint32_t)bytes[0] << 24 | (uint32_t)bytes[1] << 16 | (uint32_t)bytes[2] << 8 | bytes[3];
}

/// Sweep's table: looks at the head of a file.
static qd_status judge_head(const char *path, FILE *file, qd_error *note, qd_error *error) {
    static const char magic[16] = "SQLite format 3";
    enum { HEADER = 100, VERSION_AT = 60, APPLICATION_AT = 68 }; // of SQLite's own format
    unsigned char header[HEADER] = {0};
    size_t got = fread(header, 1, HEADER, file);
    if (got < HEADER || memcmp(header, magic, sizeof magic) != 0) return put_aside(path, note, error);
    uint32_t version = read_big_endian(header + VERSION_AT);
    if (read_big_endian(header + APPLICATION_AT) != SWEEP_APPLICATION)
        return qdi_reason(error, QD_ERR_INVALID, "%.300s is no sweep's database", path);
    if (version > SWEEP_SCHEMA)
        return qdi_reason(error, QD_ERR_INVALID, "%.300s has schema %" PRIu32 ", of a newer Quadrille", path,
                          version);
    return QD_OK;
}

qd_status qdi_sweep_table_judge(const char *path, qd_error *note, qd_error *error) {
    FILE *file = NULL;
    qd_error why;
    note->text[0] = '\0';
    qd_status status = qdi_os_open(path, QDI_OS_OWN, &file, &why);
    if (status == QD_ERR_NOT_FOUND) return QD_OK;
    if (status != QD_OK) return qdi_reason(error, status, "cannot read %.300s: %.150s", path, why.text);
    status = judge_head(path, file, note, error);
    (void)fclose(file);
    if (status != QD_OK) return status;
    // An older Quadrille that was killed has left one, which SQLite would apply to what takes its place.
    qdi_text journal = path_with_ending(path, "-journal");
    status = journal.status == QD_OK ? qdi_os_remove_file(journal.chars, error) : journal.status;
    qdi_text_release(&journal);
    return status;
}

// ---- reading ----

/// What is read of a database.
typedef struct reading {
    sqlite3 *db;
    const char *path;
    const qdi_sweep *sweep;
    columns columns;
    int *places; ///< by number of our column: where the database has it, -1: nowhere
    qdi_text line;
} reading;

/// Sweep's table: QD_OK where it is as this program writes it.
static qd_status check_table(const reading *job, qd_error *error) {
    int64_t application = 0, version = 0, sound = 0;
    int code = qdi_sql_guard(job->db);
    if (code == SQLITE_OK) code = qdi_sql_number(job->db, "PRAGMA application_id", &application);
    if (code == SQLITE_OK) code = qdi_sql_number(job->db, "PRAGMA user_version", &version);
    if (code != SQLITE_OK) return qdi_sql_fail_at(job->db, job->path, "read", code, error);
    if (application != SWEEP_APPLICATION)
        return qdi_reason(error, QD_ERR_INVALID, "%.300s is no sweep's database", job->path);
    if (version != SWEEP_SCHEMA)
        return qdi_reason(
            error, QD_ERR_INVALID, "%.300s has schema %lld, of %s", job->path, (long long)version,
            version > SWEEP_SCHEMA ? "a newer Quadrille"
                                   : "an older Quadrille: `quadrille sweep` brings it up to date");
    code = qdi_sql_number(job->db, "SELECT quick_check = 'ok' FROM pragma_quick_check(1)", &sound);
    if (code != SQLITE_OK) return qdi_sql_fail_at(job->db, job->path, "read", code, error);
    if (!sound) return qdi_reason(error, QD_ERR_CORRUPT, "%.300s is damaged", job->path);
    qd_status status = qdi_sql_check_table(job->db, job->path, ABOUT, "", error);
    return status == QD_OK ? qdi_sql_check_table(job->db, job->path, HEAD, TAIL, error) : status;
}

/// Finds our columns behind the sweep's keys, also those that have a key's name: a program that knew fewer
/// numbers has made fewer columns.
static void find_places(reading *job, sqlite3_stmt *statement) {
    int there = sqlite3_column_count(statement);
    for (size_t i = 0; i < job->columns.count; ++i) {
        const char *name = job->columns.items[i].name;
        size_t length = strlen(name);
        job->places[i] = i == 0 ? 0 : -1;
        for (int c = 1 + (int)job->columns.keys; i > job->columns.keys && c < there; ++c) {
            const char *here = sqlite3_column_name(statement, c);
            if (strncmp(here, name, length) == 0 && (!here[length] || strcmp(here + length, ":1") == 0))
                job->places[i] = c;
        }
    }
}

/// Sweep's table: adds a column's value to the line and returns where it begins there.
static size_t take_cell(reading *job, sqlite3_stmt *statement, size_t number) {
    int place = job->places[number];
    size_t begin = job->line.used;
    const char *text = NULL;
    char real[QDI_NUMBER_ROOM];
    if (place >= 0 && sqlite3_column_type(statement, place) == SQLITE_FLOAT) {
        real[qdi_number_write(sqlite3_column_double(statement, place), real)] = '\0';
        text = real;
    } else if (place >= 0) {
        text = (const char *)sqlite3_column_text(statement, place);
    }
    add_cell(&job->line, text ? text : "");
    return begin;
}

// Hands a row of sweep.db to a visitor.
static qd_status visit_table_row(reading *job, sqlite3_stmt *statement, qdi_sweep_visit visit,
                                 void *context) {
    const size_t keys = job->columns.keys, cells = 1 + keys + MIDDLE, end = job->columns.count - LAST;
    job->line.used = 0;
    size_t seed = take_cell(job, statement, 2 + keys), state = take_cell(job, statement, 3 + keys),
           directory = take_cell(job, statement, end), code = take_cell(job, statement, end + 1),
           reason = take_cell(job, statement, end + 2), first = job->line.used;
    for (size_t i = cells; i < end; ++i) (void)take_cell(job, statement, i);
    if (job->line.status != QD_OK) return job->line.status;
    const char *text = job->line.chars;
    const qdi_sweep_line line = {.point = (uint64_t)sqlite3_column_int64(statement, 0),
                                 .state = strcmp(text + state, "done") == 0     ? QDI_SWEEP_DONE
                                          : strcmp(text + state, "failed") == 0 ? QDI_SWEEP_FAILED
                                                                                : QDI_SWEEP_TO_DO,
                                 .seed = text + seed,
                                 .directory = text + directory,
                                 .code = text + code,
                                 .reason = text + reason,
                                 .cells = text + first};
    return visit(context, &line);
}

/// Returns SQLite's code.
static int compare_sweep(const reading *job, bool *other) {
    sqlite3_stmt *statement = NULL;
    size_t bytes = 0;
    const char *own = qdi_sweep_text(job->sweep, &bytes);
    int code = sqlite3_prepare_v2(job->db, "SELECT text FROM about", -1, &statement, NULL);
    if (code == SQLITE_OK) code = sqlite3_step(statement);
    const char *text = code == SQLITE_ROW ? (const char *)sqlite3_column_text(statement, 0) : NULL;
    *other = !text || (size_t)sqlite3_column_bytes(statement, 0) != bytes || memcmp(text, own, bytes) != 0;
    (void)sqlite3_finalize(statement);
    return code == SQLITE_ROW || code == SQLITE_DONE ? SQLITE_OK : code;
}

// Reads the rows of sweep.db in order of points.
static qd_status read_table_rows(reading *job, qdi_sweep_visit visit, void *context, qd_error *error) {
    sqlite3_stmt *statement = NULL;
    qd_status status = QD_OK;
    int code = sqlite3_prepare_v2(job->db, "SELECT * FROM sweep ORDER BY point", -1, &statement, NULL);
    if (code == SQLITE_OK) find_places(job, statement);
    while (code == SQLITE_OK && status == QD_OK && (code = sqlite3_step(statement)) == SQLITE_ROW) {
        status = visit_table_row(job, statement, visit, context);
        code = SQLITE_OK;
    }
    (void)sqlite3_finalize(statement);
    if (code != SQLITE_OK && code != SQLITE_DONE)
        return qdi_sql_fail_at(job->db, job->path, "read", code, error);
    return status;
}

qd_status qdi_sweep_table_read(const char *path, const qdi_sweep *sweep, bool *other, qdi_sweep_visit visit,
                               void *context, qd_error *error) {
    const qd_allocator *allocator = qd_allocator_default();
    reading job = {.path = path, .sweep = sweep, .line = {.allocator = allocator}};
    *other = false;
    if (!qdi_os_is_file(path)) return qdi_reason(error, QD_ERR_NOT_FOUND, "there is no %.300s", path);
    qd_status status = qdi_sql_open(path, SQLITE_OPEN_READONLY, &job.db, error);
    if (status == QD_OK) status = check_table(&job, error);
    int code = status == QD_OK ? compare_sweep(&job, other) : SQLITE_OK;
    if (code != SQLITE_OK) status = qdi_sql_fail_at(job.db, path, "read", code, error);
    if (status == QD_OK) status = make_table_columns(sweep, &job.columns);
    if (status == QD_OK) {
        job.places = qdi_allocate(allocator, job.columns.count, sizeof *job.places);
        if (!job.places) status = QD_ERR_MEMORY;
    }
    if (status == QD_OK && !*other) status = read_table_rows(&job, visit, context, error);
    (void)sqlite3_close(job.db);
    qdi_release(allocator, job.places, job.columns.count, sizeof *job.places);
    free_table_columns(&job.columns);
    qdi_text_release(&job.line);
    return status;
}
