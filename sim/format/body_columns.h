#pragma once

#include "sim/format/body_file.h"
#include "sim/text/lines.h"

/// From the columns of a table, whatever their order, to bodies. A reader names the columns one by one, and
/// then hands in the fields of each row; what no column gives has its default.

typedef enum qdi_role {
    QDI_ROLE_NONE, ///< a column that nobody asked for
    QDI_ROLE_ID,
    QDI_ROLE_TYPE,
    QDI_ROLE_X,
    QDI_ROLE_XU, ///< not wrapped into the period
    QDI_ROLE_XS, ///< in parts of the box
    QDI_ROLE_XSU,
    QDI_ROLE_Y,
    QDI_ROLE_YU,
    QDI_ROLE_YS,
    QDI_ROLE_YSU,
    QDI_ROLE_Z, ///< must be the same for all bodies
    QDI_ROLE_VX,
    QDI_ROLE_VY,
    QDI_ROLE_VZ, ///< must be 0
    QDI_ROLE_SPIN,
    QDI_ROLE_SPIN_X, ///< must be 0
    QDI_ROLE_SPIN_Y,
    QDI_ROLE_ANGLE,
    QDI_ROLE_SHAPE,  ///< a word
    QDI_ROLE_KIND,   ///< a word
    QDI_ROLE_POINTS, ///< of the shape before it is rounded: X:Y/X:Y/...
    QDI_ROLE_ROUNDING,
    QDI_ROLE_WIDTH,
    QDI_ROLE_HEIGHT,
    QDI_ROLE_RADIUS, ///< this and the following are above 0
    QDI_ROLE_DIAMETER,
    QDI_ROLE_MASS,
    QDI_ROLE_DENSITY, ///< mass per area
    QDI_ROLE_SOLID,   ///< density of a ball: mass per volume
    QDI_ROLES,
} qdi_role;

/// Room for the name of a column as messages show it.
#define QDI_COLUMN_NAME 32

/// One column that is used.
typedef struct qdi_column {
    size_t place; ///< in the row, from 0
    qdi_role role;
    char name[QDI_COLUMN_NAME]; ///< as the file writes it
} qdi_column;

typedef struct qdi_columns {
    qdi_column used[QDI_ROLES]; ///< in order of place
    size_t count;
    size_t width;                           ///< columns in all
    uint32_t given;                         ///< bit r: some column has role r
    qdi_role x, y;                          ///< which of the forms the positions come from
    char spare[QDI_ROLES][QDI_COLUMN_NAME]; ///< by role, while columns are being named
    size_t place[QDI_ROLES];
} qdi_columns;

/// A row on its way, by role.
typedef struct qdi_record {
    double value[QDI_ROLES];
    uint64_t label;
    size_t column; ///< place of the next field
    size_t next;   ///< in `used`
    qd_shape_kind shape;
    qd_body_kind kind;
    qd_vec2 points[QD_POLYGON_MAX];
    size_t point_count;
} qdi_record;

/// A table of a file while it is being read.
typedef struct qdi_body_reader {
    qdi_body_file *file;
    const qdi_body_options *options;
    qdi_lines lines;
    qdi_columns columns;
    bool decimal_comma; ///< "1,5" is a number
    bool has_z;
    double z; ///< of the first body
    qd_error *error;
} qdi_body_reader;

/// "PATH:LINE: reason" about the line that was read last.
#define QDI_BLAME(reader, ...)                                                                               \
    qdi_lines_reason((reader)->lines.path, (reader)->lines.number, (reader)->error, __VA_ARGS__)

/// The role of a column called `name`, as people spell it: capitals, spaces, underscores and units in
/// brackets do not matter. `lammps`: names are those of dumps, to the letter.
qdi_role qdi_role_named(const char *name, size_t bytes, bool lammps);

/// Whether the scene names the column number `number` of those that may be named.
bool qdi_column_is_named(const qdi_body_options *options, size_t number);
/// The role of a column of a table: what the scene says, else what its name says.
qdi_role qdi_role_of_column(const qdi_body_options *options, const char *name, size_t bytes);
/// Refuses a table that lacks a column that the scene names. Errors: QD_ERR_INVALID.
QD_MUST_USE qd_status qdi_columns_check_named(const qdi_body_reader *reader);

/// Takes the next column. Errors: QD_ERR_INVALID (two columns of one role).
QD_MUST_USE qd_status qdi_columns_add(qdi_body_reader *reader, qdi_role role, const char *name, size_t bytes);
/// Checks that what a disk needs is there, and picks where its position comes from. Errors: QD_ERR_INVALID.
QD_MUST_USE qd_status qdi_columns_settle(qdi_body_reader *reader);

/// Adds "x, R as radius" to the file's words, of the columns that are used.
void qdi_columns_words(qdi_body_reader *reader);

/// True for a column, by its place in the row, that is used.
bool qdi_columns_uses(const qdi_columns *columns, size_t place);

qdi_record qdi_record_start(void);
/// Takes the next field of a row. Errors: QD_ERR_INVALID.
QD_MUST_USE qd_status qdi_record_field(qdi_body_reader *reader, qdi_record *record, const char *text,
                                       size_t bytes);
/// Makes the row a body. Errors: QD_ERR_INVALID (fields are missing or too many, or say what cannot be),
/// QD_ERR_MEMORY.
QD_MUST_USE qd_status qdi_record_end(qdi_body_reader *reader, const qdi_record *record);

/// Makes the line at hand, whose fields are words, a body. Errors: as the two above.
QD_MUST_USE qd_status qdi_record_line(qdi_body_reader *reader);

/// Body file's columns: the number that a field holds: finite, within what a world can hold. Errors:
/// QD_ERR_INVALID.
QD_MUST_USE qd_status qdi_field_number(const qdi_body_reader *reader, const char *name, const char *text,
                                       size_t bytes, double *value);
/// Body file's columns: the same of a mass.
QD_MUST_USE qd_status qdi_field_mass(const qdi_body_reader *reader, const char *name, const char *text,
                                     size_t bytes, double *value);
/// Body file's columns: a whole number. Errors: QD_ERR_INVALID.
QD_MUST_USE qd_status qdi_field_whole(const qdi_body_reader *reader, const char *name, const char *text,
                                      size_t bytes, uint64_t most, uint64_t *value);

/// Body file's columns: the only word of the line at hand, as a whole number. Errors: QD_ERR_INVALID.
QD_MUST_USE qd_status qdi_line_whole(const qdi_body_reader *reader, const char *name, uint64_t most,
                                     uint64_t *value);

/// Body file, of any shape: takes the field of a shape, a kind or points. Errors: QD_ERR_INVALID.
QD_MUST_USE qd_status qdi_record_word(const qdi_body_reader *reader, qdi_record *record,
                                      const qdi_column *column, const char *text, size_t bytes);
/// The shape that a record with a column for it says; `radius`: of a disk. Errors: QD_ERR_INVALID.
QD_MUST_USE qd_status qdi_record_shape(const qdi_body_reader *reader, const qdi_record *record, double radius,
                                       qd_shape *shape);

/// Body file's columns: puts the rows in order of their labels, where they have any, and refuses a label that
/// comes twice.
QD_MUST_USE qd_status qdi_rows_settle(qdi_body_reader *reader);

/// The formats: each brings the wanted part of its file to `file->part`, and reads that part.
typedef struct qdi_body_format_row {
    qdi_body_format format;
    const char *ending; ///< of copies
    qd_status (*load)(qdi_lines *from, const qdi_body_options *options, qdi_body_file *file, qd_error *error);
    qd_status (*read)(qdi_body_reader *reader);
} qdi_body_format_row;

/// A search for a frame, in formats of many.
typedef struct qdi_frame_search {
    const qdi_body_options *options;
    qdi_body_file *file;
    qdi_lines *from;
    qd_error *error;
    uint64_t frames;          ///< seen so far, the present one included
    uint64_t first, timestep; ///< timesteps of the first and the present one, where frames have any
    bool keep;                ///< lines of the present frame go to the part
    bool found;               ///< the frame that was asked for is whole in the part
} qdi_frame_search;

/// body_file.c: a frame begins with the line at hand. By timestep it is kept until that is read.
void qdi_frame_begin(qdi_frame_search *search);
/// Body file: ends a search: QD_OK where the frame is in the part, else why it is not. `saying`: what a frame
/// says of its step ("says Step="); NULL: each has a timestep.
QD_MUST_USE qd_status qdi_frame_search_end(const qdi_frame_search *search, const char *saying);

/// body_file.c: all lines, for formats of one frame.
qd_status qdi_body_load_all(qdi_lines *from, const qdi_body_options *options, qdi_body_file *file,
                            qd_error *error);
/// Adds a line with its end to the part.
QD_MUST_USE qd_status qdi_body_part_add(qdi_body_file *file, const qdi_lines *lines, qd_error *error);
/// Body file: reads the rows of a table with a head, after its first line.
qd_status qdi_body_csv_read(qdi_body_reader *reader);
/// Body file: reads a frame of a dump of atoms.
qd_status qdi_body_dump_load(qdi_lines *from, const qdi_body_options *options, qdi_body_file *file,
                             qd_error *error);
qd_status qdi_body_dump_read(qdi_body_reader *reader);
/// Body file: reads a data file.
qd_status qdi_body_data_read(qdi_body_reader *reader);
/// Body file: reads a frame of extended XYZ.
qd_status qdi_body_xyz_load(qdi_lines *from, const qdi_body_options *options, qdi_body_file *file,
                            qd_error *error);
qd_status qdi_body_xyz_read(qdi_body_reader *reader);
