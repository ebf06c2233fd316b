#pragma once

#include "sim/format/body_file.h"
#include "tests/support/harness.h"

#include <check.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>

QD_OWN_VALUE(qdi_body_file, qdi_body_file_release)

/// Rows that are read from the text of a body file, and what they should be.

/// Reads a text, which must be good.
static inline qdi_body_file parse_bytes(const char *text, size_t bytes, const char *path,
                                        const qdi_body_options *options) {
    qdi_body_file file = {.allocator = qd_allocator_default()};
    qdi_body_options usual = qdi_body_options_default();
    qd_error error = {""};
    qd_status status = qdi_body_file_parse(text, bytes, path, options ? options : &usual, &file, &error);
    ck_assert_msg(status == QD_OK, "%s\n%.3000s", error.text, text);
    ck_assert_str_eq(error.text, "");
    return file;
}

static inline qdi_body_file parse(const char *text, const char *path) {
    return parse_bytes(text, strlen(text), path, NULL);
}

static inline bool same(double a, double b) {
    return a == b || (isnan(a) && isnan(b));
}

static inline bool same_row(const qdi_disk_row *a, const qdi_disk_row *b) {
    return a->label == b->label && a->x == b->x && a->y == b->y && a->vx == b->vx && a->vy == b->vy &&
           a->spin == b->spin && a->radius == b->radius && same(a->mass, b->mass);
}

/// Ends the test unless the file has these rows.
static inline void check_rows(const qdi_body_file *file, const qdi_disk_row *rows, size_t count,
                              const char *text) {
    ck_assert_msg(file->count == count, "%zu of %zu rows from\n%s", file->count, count, text);
    for (size_t i = 0; i < count; ++i)
        ck_assert_msg(same_row(&file->rows[i], &rows[i]),
                      "row %zu: id %" PRIu64 " at (%g, %g), v (%g, %g), spin %g, radius %g, mass %g\n%s", i,
                      file->rows[i].label, file->rows[i].x, file->rows[i].y, file->rows[i].vx,
                      file->rows[i].vy, file->rows[i].spin, file->rows[i].radius, file->rows[i].mass, text);
}
