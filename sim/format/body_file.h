#pragma once

#include <quadrille/alloc.h>
#include <quadrille/status.h>
#include <quadrille/world.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sim/text/scene_text.h"

/// Bodies that somebody else wrote: disks from LAMMPS dumps and data files, and bodies of any shape and kind
/// from tables of separated values and extended XYZ, as `export` writes them.
///
/// A file is read in two steps. First the part that is wanted comes to memory: the whole file, or of a
/// trajectory the chosen frame, so that a trajectory of any length costs no more than its largest frame. Then
/// that part is read. What is kept is both, the rows and the very bytes that they come from, so that a run
/// can keep a copy that cannot differ from what it used.
///
/// Whatever a file holds, the answer is all of its bodies or one line that says where and why: "PATH:LINE:
/// reason".

typedef enum qdi_body_format {
    QDI_BODY_AUTO,
    QDI_BODY_CSV,
    QDI_BODY_DUMP,
    QDI_BODY_DATA,
    QDI_BODY_XYZ
} qdi_body_format;

/// Which frame of a dump or of extended XYZ; the other formats have one, number 0. 0 is the plain form of the
/// scene's key.
typedef enum qdi_frame_form { QDI_FRAME_NUMBER, QDI_FRAME_TIMESTEP } qdi_frame_form;
/// As a number: the last frame.
#define QDI_FRAME_LAST UINT64_MAX

/// Columns of a table that may be named, in the order of the keys below bodies[].file.columns, and room for a
/// name.
enum { QDI_BODY_COLUMNS = 13, QDI_BODY_COLUMN_ROOM = 65 };

/// What is asked of a file. A number that is not NaN holds for all bodies, whatever the file says.
typedef struct qdi_body_options {
    qdi_body_format format;
    qdi_frame_form frame_form;
    uint64_t frame;                                       ///< number from 0, QDI_FRAME_LAST, or the timestep
    double radius, density, mass;                         ///< NaN: the file's
    char columns[QDI_BODY_COLUMNS][QDI_BODY_COLUMN_ROOM]; ///< of a table; "auto" or "": by their usual names
} qdi_body_options;

qdi_body_options qdi_body_options_default(void);

/// A body.
typedef struct qdi_disk_row {
    uint64_t label; ///< the id that the file gave, or 0
    uint64_t line;  ///< of the file
    double x, y, vx, vy, spin;
    double radius; ///< of what is no disk, the largest distance of a point from the centre
    double mass;   ///< NaN: from the density
    double angle;
    uint32_t shape; ///< number in the file's shapes, from 1; 0: a disk
    qd_body_kind kind;
} qdi_disk_row;

/// What a file says of the world along one axis.
typedef struct qdi_body_side {
    bool has_bounds, has_boundary;
    double low, high;
    qd_boundary boundary;
} qdi_body_side;

typedef struct qdi_body_file {
    const qd_allocator *allocator;
    qdi_body_format format; ///< never QDI_BODY_AUTO
    qdi_text part;          ///< the bytes that were read
    uint64_t first_line;    ///< of the part, in its file
    qdi_disk_row *rows;     ///< in order of label where the file has ids, else of line
    size_t count, room;
    qd_shape *shapes; ///< not settled: the world does that
    size_t shape_count, shape_room;
    qdi_body_side side[2];
    double density;   ///< of the rows without a mass
    qdi_text columns; ///< of a table: as what its columns were read, and which were left out, in a line
} qdi_body_file;

/// Reads a file. `file->allocator` is set by the caller, all else is zero; release it in any case. Errors:
/// QD_ERR_NOT_FOUND, QD_ERR_IO, QD_ERR_INVALID, QD_ERR_MEMORY; there are no rows then.
QD_MUST_USE qd_status qdi_body_file_read(const char *path, const qdi_body_options *options,
                                         qdi_body_file *file, qd_error *error);
/// The same for the content of a file; `path` is for messages and for its ending.
QD_MUST_USE qd_status qdi_body_file_parse(const char *text, size_t bytes, const char *path,
                                          const qdi_body_options *options, qdi_body_file *file,
                                          qd_error *error);
void qdi_body_file_release(qdi_body_file *file);

/// The ending that a copy of a file of this format gets: ".csv", ".lammpstrj", ".data", ".xyz". By it, and
/// whatever the copy holds, the format is known again.
const char *qdi_body_format_ending(qdi_body_format format);
