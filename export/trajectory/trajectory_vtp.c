#include "export/trajectory/trajectory_vtp.h"

#include "core/base/bytes.h"

#include <inttypes.h>

char *qdi_vtp_put_real(char *at, double value) {
    unsigned char *place = (unsigned char *)at;
    qdi_put_f64(&place, value);
    return (char *)place;
}

char *qdi_vtp_put_whole(char *at, uint64_t value) {
    unsigned char *place = (unsigned char *)at;
    qdi_put_u64(&place, value);
    return (char *)place;
}

/// Bytes of an entry of an array.
static size_t vtp_tuple_bytes(const qdi_vtp_array *array) {
    return (array->type == QDI_VTP_UINT8 ? 1U : 8U) * (size_t)array->components;
}

/// Declares an array; `*offset` is where its bytes are, and then where the next one's are.
static void declare_vtp_array(qdi_out *out, const qdi_vtp_array *array, uint64_t *offset) {
    static const char *const types[] = {"Float64", "UInt64", "Int64", "UInt8"};
    qdi_out_format(out, "<DataArray type=\"%s\" Name=\"%s\"", types[array->type], array->name);
    if (array->section == QDI_VTP_FIELD)
        qdi_out_format(out, " NumberOfTuples=\"%zu\"", array->tuples);
    else
        qdi_out_format(out, " NumberOfComponents=\"%d\"", array->components);
    qdi_out_format(out, " format=\"appended\" offset=\"%" PRIu64 "\"/>\n", *offset);
    *offset += 8 + (uint64_t)array->tuples * vtp_tuple_bytes(array);
}

/// Declares a section with all its arrays, which may be none.
static void declare_vtp_section(qdi_out *out, const qdi_vtp_piece *piece, qdi_vtp_section section,
                                uint64_t *offset) {
    static const char *const names[] = {"FieldData", "Points", "PointData", "CellData",
                                        "Verts",     "Lines",  "Polys"};
    qdi_out_format(out, "<%s>\n", names[section]);
    for (size_t i = 0; i < piece->array_count; ++i)
        if (piece->arrays[i].section == section) declare_vtp_array(out, &piece->arrays[i], offset);
    qdi_out_format(out, "</%s>\n", names[section]);
}

/// Declares what a VTK file is: of an image where its cells are.
static void declare_vtp_form(qdi_out *out, const qdi_vtp_piece *piece, const char *form) {
    const qd_field_grid *grid = piece->image;
    qdi_out_format(out,
                   "<?xml version=\"1.0\"?>\n"
                   "<VTKFile type=\"%s\" version=\"1.0\" byte_order=\"LittleEndian\" "
                   "header_type=\"UInt64\">\n<%s",
                   form, form);
    if (grid) {
        const double corner[] = {grid->x, grid->y, 0}, spacing[] = {grid->width, grid->height, 1};
        qdi_out_format(out, " WholeExtent=\"0 %u 0 %u 0 0\" Origin=\"", grid->nx, grid->ny);
        for (int i = 0; i < 3; ++i) {
            qdi_out_text(out, i > 0 ? " " : "");
            qdi_out_real(out, corner[i]);
        }
        qdi_out_text(out, "\" Spacing=\"");
        for (int i = 0; i < 3; ++i) {
            qdi_out_text(out, i > 0 ? " " : "");
            qdi_out_real(out, spacing[i]);
        }
        qdi_out_text(out, "\"");
    }
    qdi_out_text(out, ">\n");
}

/// Declares the piece of a VTK file and its arrays.
static void declare_vtp_piece(qdi_out *out, const qdi_vtp_piece *piece, uint64_t *offset) {
    if (piece->image) {
        qdi_out_format(out, "<Piece Extent=\"0 %u 0 %u 0 0\">\n", piece->image->nx, piece->image->ny);
        declare_vtp_section(out, piece, QDI_VTP_POINT_DATA, offset);
        declare_vtp_section(out, piece, QDI_VTP_CELL_DATA, offset);
        return;
    }
    qdi_out_format(out,
                   "<Piece NumberOfPoints=\"%zu\" NumberOfVerts=\"%zu\" NumberOfLines=\"%zu\" "
                   "NumberOfStrips=\"0\" NumberOfPolys=\"%zu\">\n",
                   piece->points, piece->verts, piece->lines, piece->polys);
    for (int section = QDI_VTP_POINTS; section <= QDI_VTP_POLYS; ++section)
        declare_vtp_section(out, piece, (qdi_vtp_section)section, offset);
}

void qdi_vtp_write(qdi_out *out, const qdi_vtp_piece *piece) {
    const char *form = piece->image ? "ImageData" : "PolyData";
    uint64_t offset = 0;
    declare_vtp_form(out, piece, form);
    declare_vtp_section(out, piece, QDI_VTP_FIELD, &offset);
    declare_vtp_piece(out, piece, &offset);
    qdi_out_format(out, "</Piece>\n</%s>\n<AppendedData encoding=\"raw\">\n_", form);
    for (size_t i = 0; i < piece->array_count; ++i) {
        const qdi_vtp_array *array = &piece->arrays[i];
        char head[8];
        (void)qdi_vtp_put_whole(head, (uint64_t)array->tuples * vtp_tuple_bytes(array));
        qdi_out_bytes(out, head, sizeof head);
        qdi_out_rows(out, array->tuples, vtp_tuple_bytes(array), array->tuple, piece->context);
    }
    qdi_out_text(out, "\n</AppendedData>\n</VTKFile>\n");
}
