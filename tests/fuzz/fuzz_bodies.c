// Body files of all formats. The first line says how it is read: format (auto, csv, dump, data, xyz), frame
// (a number, "last", or "t" and a timestep), and columns as NAME... for a table; the rest is the file.
#include "tests/fuzz/fuzz.h"

#include "sim/format/body_file.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FROM_THE_DISK = 16 }; // a file costs more than all else: so many lengths share one reading

static const char *const formats[] = {"auto", "csv", "dump", "data", "xyz"};
static const char *const names[] = {"bodies", "bodies.csv", "bodies.lammpstrj", "bodies.data", "bodies.xyz"};

// Reads the first line.
static qdi_body_options take_options(char *line) {
    qdi_body_options options = qdi_body_options_default();
    size_t column = 0;
    char *rest = NULL;
    for (char *word = strtok_r(line, " ", &rest); word; word = strtok_r(NULL, " ", &rest)) {
        bool known = false;
        for (size_t i = 0; i < sizeof formats / sizeof formats[0]; ++i)
            if (strcmp(word, formats[i]) == 0) options.format = (qdi_body_format)i, known = true;
        if (known) continue;
        if (strcmp(word, "last") == 0)
            options.frame = QDI_FRAME_LAST;
        else if (word[0] == 't' && word[1] >= '0' && word[1] <= '9')
            options.frame_form = QDI_FRAME_TIMESTEP, options.frame = strtoull(word + 1, NULL, 10);
        else if (word[0] >= '0' && word[0] <= '9')
            options.frame = strtoull(word, NULL, 10);
        else if (word[0] == 'r' && word[1] == '=')
            options.radius = strtod(word + 2, NULL);
        else if (column < QDI_BODY_COLUMNS)
            (void)snprintf(options.columns[column++], QDI_BODY_COLUMN_ROOM, "%s", word);
    }
    return options;
}

// What was read is in order.
static void check_rows(const qdi_body_file *file) {
    if (file->format == QDI_BODY_AUTO) qd_fuzz_fail("no format");
    for (size_t i = 0; i < file->count; ++i) {
        const qdi_disk_row *row = &file->rows[i];
        if (!isfinite(row->x) || !isfinite(row->y) || !isfinite(row->vx) || !isfinite(row->vy) ||
            !isfinite(row->spin) || !isfinite(row->angle) || !isfinite(row->radius))
            qd_fuzz_fail("row %zu is not finite", i);
        if (row->shape > file->shape_count)
            qd_fuzz_fail("row %zu has shape %u of %zu", i, row->shape, file->shape_count);
        if (!(row->mass > 0 || isnan(row->mass))) qd_fuzz_fail("row %zu has mass %g", i, row->mass);
    }
}

// Two readings are the same.
static void check_same(const qdi_body_file *a, const qdi_body_file *b) {
    if (a->count != b->count || a->shape_count != b->shape_count || a->format != b->format)
        qd_fuzz_fail("what was kept reads otherwise: %zu and %zu bodies", a->count, b->count);
    for (size_t i = 0; i < a->count; ++i) {
        qdi_disk_row p = a->rows[i], q = b->rows[i];
        p.line = q.line = 0;
        if (p.label != q.label || memcmp(&p.x, &q.x, 5 * sizeof p.x) != 0 || p.radius != q.radius ||
            p.shape != q.shape || p.kind != q.kind || (p.mass != q.mass && !isnan(p.mass)) ||
            p.angle != q.angle)
            qd_fuzz_fail("what was kept reads otherwise in row %zu", i);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    qd_fuzz_input input = {data, size};
    char *line = qd_fuzz_line(&input, 512);
    qdi_body_options options = take_options(line);
    const char *name = names[options.format];
    qdi_body_file file = {.allocator = qd_allocator_default()}, again = file, read = file;
    qd_error error = {""};
    qd_status status = qdi_body_file_parse((const char *)input.at, input.left, name, &options, &file, &error);
    if (status == QD_OK) {
        check_rows(&file);
        qdi_body_options kept = options;
        kept.format = file.format;
        kept.frame_form = QDI_FRAME_NUMBER;
        kept.frame = 0;
        qd_status second = qdi_body_file_parse(file.part.chars ? file.part.chars : "", file.part.used, name,
                                               &kept, &again, &error);
        if (second != QD_OK) qd_fuzz_fail("what was kept is refused: %s", error.text);
        check_same(&file, &again);
    } else if (file.count > 0 || !error.text[0] || strchr(error.text, '\n')) {
        qd_fuzz_fail("refused with '%s'", error.text);
    }
    if (size % FROM_THE_DISK == 0) { // it is the same
        const char *path = qd_fuzz_file(name, input.at, input.left);
        if (qdi_body_file_read(path, &options, &read, &error) != status)
            qd_fuzz_fail("from the disk: %s", error.text);
        if (status == QD_OK) check_same(&file, &read);
    }
    qdi_body_file_release(&file);
    qdi_body_file_release(&again);
    qdi_body_file_release(&read);
    free(line);
    return 0;
}
