#include "tools/host/json.h"
#include "tools/physics/physics.h"

#include <stdio.h>

/// As wide as the longest name of a row.
enum { NAME_WIDTH = 20 };

void qdi_report_head(void) {
    printf("%-*s %12s %12s %10s %10s  %-4s  %s\n", NAME_WIDTH, "case", "measured", "reference", "std error",
           "tolerance", "pass", "twin, which must fail");
}

// Physics report: prints a row of the validation's table.
static void print_validation_row(const qdi_row *row) {
    printf("%-*s %12.6g %12.6g %10.2g %10.2g  %-4s", NAME_WIDTH, row->name, row->measured, row->reference,
           row->error, row->tolerance, row->pass ? "yes" : "NO");
    if (row->planted[0]) {
        printf("  %s: %.6g +- %.2g, %.1f tolerances off: %s", row->planted, row->twin, row->twin_error,
               (row->twin - row->reference) / row->tolerance, row->twin_fails ? "fails" : "PASSES");
    }
    printf("\n");
    if (row->note[0]) printf("%-*s   %s\n", NAME_WIDTH, "", row->note);
}

void qdi_report_rows(const qdi_rows *rows, size_t first) {
    for (size_t i = first; i < rows->count; ++i) print_validation_row(&rows->rows[i]);
    (void)fflush(stdout);
}

// Physics report: writes a row of the validation as JSON.
static void put_validation_row(qdi_json *json, const qdi_row *row) {
    qdi_json_open(json, NULL, '{');
    qdi_json_text(json, "case", row->name);
    qdi_json_real(json, "measured", row->measured);
    qdi_json_real(json, "reference", row->reference);
    qdi_json_real(json, "stderr", row->error);
    qdi_json_real(json, "tolerance", row->tolerance);
    qdi_json_truth(json, "pass", row->pass);
    if (row->planted[0]) {
        qdi_json_open(json, "twin", '{');
        qdi_json_text(json, "planted", row->planted);
        qdi_json_real(json, "measured", row->twin);
        qdi_json_real(json, "stderr", row->twin_error);
        qdi_json_truth(json, "pass", !row->twin_fails);
        qdi_json_close(json, '}');
    } else {
        qdi_json_null(json, "twin");
    }
    qdi_json_close(json, '}');
}

qd_status qdi_report_json(const qdi_rows *rows) {
    qdi_json json = {.allocator = qd_allocator_default()};
    qdi_json_open(&json, NULL, '[');
    for (size_t i = 0; i < rows->count; ++i) put_validation_row(&json, &rows->rows[i]);
    qdi_json_close(&json, ']');
    return qdi_json_print(&json);
}
