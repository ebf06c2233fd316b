#pragma once

#include "export/trajectory/trajectory_out.h"

#include <quadrille/field.h>
#include <stddef.h>
#include <stdint.h>

/// VTK PolyData, or ImageData, as XML with the numbers appended as they are in memory (little-endian): a list
/// of arrays, each with a function that writes its tuples, and how many points and cells there are. ParaView
/// reads it without loss, and with no time spent on text.

typedef enum qdi_vtp_type { QDI_VTP_FLOAT64, QDI_VTP_UINT64, QDI_VTP_INT64, QDI_VTP_UINT8 } qdi_vtp_type;

/// Where an array stands in the file.
typedef enum qdi_vtp_section {
    QDI_VTP_FIELD,
    QDI_VTP_POINTS,
    QDI_VTP_POINT_DATA,
    QDI_VTP_CELL_DATA,
    QDI_VTP_VERTS,
    QDI_VTP_LINES,
    QDI_VTP_POLYS, ///< the last
} qdi_vtp_section;

typedef struct qdi_vtp_array {
    qdi_vtp_section section;
    const char *name;
    qdi_vtp_type type;
    int components;
    size_t tuples;
    qdi_row_function tuple; ///< writes tuple `i` in as many bytes as it has
} qdi_vtp_array;

/// Cells of each kind; each kind that is not 0 has the arrays `connectivity` and `offsets`. An image has a
/// grid instead, and arrays of its cells.
typedef struct qdi_vtp_piece {
    size_t points, verts, lines, polys;
    const qd_field_grid *image;  ///< NULL: PolyData
    const qdi_vtp_array *arrays; ///< in order of section
    size_t array_count;
    const void *context; ///< of the arrays' functions
} qdi_vtp_piece;

/// Writes the whole of a file. Failures show in its `status`.
void qdi_vtp_write(qdi_out *out, const qdi_vtp_piece *piece);

/// Values as bytes; each returns its end.
char *qdi_vtp_put_real(char *at, double value);
char *qdi_vtp_put_whole(char *at, uint64_t value);
