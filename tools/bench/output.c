#include "tools/bench/output.h"

#include "sim/text/number.h"
#include "tools/host/build.h"

#include <inttypes.h>
#include <math.h>

enum { OUTPUT_SCHEMA = 1 };

qdi_bench_origin qdi_bench_origin_here(const char *cpu, const char *unreliable) {
    return (qdi_bench_origin){qdi_build_commit, qdi_build_compiler, qdi_build_flags, cpu, unreliable, NULL};
}

// Whether nothing disturbed the bench.
static bool is_origin_reliable(const qdi_bench_origin *origin) {
    return !origin->unreliable || !origin->unreliable[0];
}

void qdi_bench_print_reliability(FILE *out, const qdi_bench_origin *origin) {
    if (is_origin_reliable(origin)) return;
    fprintf(out, "\nNot reliable: %s. Measure again on a quiet machine.\n", origin->unreliable);
}

// ---- fields ----

/// Bench's output: where the next field of the CSV file goes; NULL where it is told already, or goes
/// elsewhere.
static FILE *csv_field(qdi_bench_sheet *sheet, qdi_bench_scope scope, const char *name) {
    if (!sheet->csv || !((unsigned)scope & sheet->scopes)) return NULL;
    if (sheet->begun) fputc(',', sheet->csv);
    sheet->begun = true;
    if (sheet->names) fputs(name, sheet->csv);
    return sheet->names ? NULL : sheet->csv;
}

// Bench's output: the JSON that a member of this scope goes into; NULL for none.
static qdi_json *json_member(const qdi_bench_sheet *sheet, qdi_bench_scope scope) {
    return (unsigned)scope & sheet->scopes ? sheet->json : NULL;
}

// Writes a text into the bench's CSV and JSON.
void qdi_bench_put_text(qdi_bench_sheet *sheet, qdi_bench_scope scope, const char *name, const char *value) {
    FILE *csv = csv_field(sheet, scope, name);
    if (csv) fputs(value, csv);
    qdi_json *json = json_member(sheet, scope);
    if (json) qdi_json_text(json, name, value);
}

// Writes a whole number into the bench's CSV and JSON.
void qdi_bench_put_whole(qdi_bench_sheet *sheet, qdi_bench_scope scope, const char *name, uint64_t value) {
    FILE *csv = csv_field(sheet, scope, name);
    if (csv) fprintf(csv, "%" PRIu64, value);
    qdi_json *json = json_member(sheet, scope);
    if (json) qdi_json_whole(json, name, value);
}

// Writes a hash into the bench's CSV and JSON.
void qdi_bench_put_hash(qdi_bench_sheet *sheet, qdi_bench_scope scope, const char *name, uint64_t value) {
    char digits[20];
    (void)snprintf(digits, sizeof digits, "%016" PRIx64, value);
    qdi_bench_put_text(sheet, scope, name, digits);
}

void qdi_bench_put_real(qdi_bench_sheet *sheet, qdi_bench_scope scope, const char *name, double value) {
    char digits[QDI_NUMBER_ROOM];
    FILE *csv = csv_field(sheet, scope, name);
    if (csv) {
        (void)qdi_number_write(value, digits);
        fputs(digits, csv);
    }
    qdi_json *json = json_member(sheet, scope);
    if (json) qdi_json_real(json, name, value);
}

void qdi_bench_put_short(qdi_bench_sheet *sheet, qdi_bench_scope scope, const char *name, double value) {
    qdi_bench_put_real(sheet, scope, name, floor(value * 1000.0 + .5) / 1000.0);
}

void qdi_bench_put_known(qdi_bench_sheet *sheet, qdi_bench_scope scope, const char *name, bool known,
                         double value) {
    if (known)
        qdi_bench_put_short(sheet, scope, name, value);
    else
        (void)csv_field(sheet, scope, name);
}

void qdi_bench_put_statistics(qdi_bench_sheet *sheet, const qdi_statistics *ns) {
    qdi_bench_put_short(sheet, QDI_BENCH_OWN, "ns_per_body", ns->median);
    qdi_bench_put_short(sheet, QDI_BENCH_OWN, "min", ns->min);
    qdi_bench_put_short(sheet, QDI_BENCH_OWN, "median", ns->median);
    qdi_bench_put_short(sheet, QDI_BENCH_OWN, "mean", ns->mean);
    qdi_bench_put_short(sheet, QDI_BENCH_OWN, "spread", ns->spread);
}

void qdi_bench_put_phases(qdi_bench_sheet *sheet, qdi_bench_scope scope, const char *(*name_of)(int phase),
                          const double *ns, int count, bool known) {
    qdi_json *json = known ? json_member(sheet, scope) : NULL;
    if (json) qdi_json_open(json, "phases", '{');
    for (int phase = 0; phase < count; ++phase) {
        char name[64];
        (void)snprintf(name, sizeof name, "%s%s", name_of(phase), sheet->csv ? "_ns" : "");
        qdi_bench_put_known(sheet, scope, name, known, ns[phase]);
    }
    if (json) qdi_json_close(json, '}');
}

// ---- files ----

/// Bench's output: a text in quotes, those in it doubled.
static void put_quoted(FILE *out, const char *text) {
    fputs(",\"", out);
    for (; *text; ++text) {
        if (*text == '"') fputc('"', out);
        fputc(*text, out);
    }
    fputc('"', out);
}

void qdi_bench_put_origin(FILE *out, const qdi_bench_origin *origin) {
    put_quoted(out, origin->commit);
    put_quoted(out, origin->compiler);
    put_quoted(out, origin->flags);
    put_quoted(out, origin->cpu);
}

void qdi_bench_write_csv(FILE *out, const qdi_bench_origin *origin, const qdi_bench_results *results) {
    qdi_bench_sheet heading = {
        .csv = out, .names = true, .scopes = QDI_BENCH_SHARED | QDI_BENCH_OWN | QDI_BENCH_CSV};
    results->fields(&heading, results->report, 0);
    fputs(",commit,compiler,flags,cpu,reliable\n", out);
    for (size_t i = 0; i < results->count; ++i) {
        qdi_bench_sheet line = heading;
        line.names = line.begun = false;
        results->fields(&line, results->report, i);
        qdi_bench_put_origin(out, origin);
        fputs(is_origin_reliable(origin) ? ",yes\n" : ",no\n", out);
    }
}

// Writes commit, compiler and machine of a bench as JSON.
static void put_bench_origin(qdi_json *json, const qdi_bench_origin *origin) {
    qdi_json_text(json, "commit", origin->commit);
    qdi_json_text(json, "compiler", origin->compiler);
    qdi_json_text(json, "flags", origin->flags);
    qdi_json_text(json, "cpu", origin->cpu);
    if (origin->pin) qdi_json_text(json, "pin", origin->pin);
    qdi_json_truth(json, "reliable", is_origin_reliable(origin));
    if (!is_origin_reliable(origin)) qdi_json_text(json, "unreliable", origin->unreliable);
}

qd_status qdi_bench_write_json(qdi_json *json, const qdi_bench_origin *origin,
                               const qdi_bench_results *results) {
    qdi_bench_sheet shared = {.json = json, .scopes = QDI_BENCH_SHARED},
                    start = {.json = json, .scopes = QDI_BENCH_START},
                    own = {.json = json, .scopes = QDI_BENCH_OWN | QDI_BENCH_JSON};
    qdi_json_open(json, NULL, '{');
    qdi_json_whole(json, "schema", OUTPUT_SCHEMA);
    qdi_json_text(json, "version", QD_VERSION);
    results->fields(&shared, results->report, 0);
    if (!results->apart) put_bench_origin(json, origin);
    if (results->start) {
        qdi_json_open(json, "start", '{');
        results->fields(&start, results->report, 0);
        qdi_json_close(json, '}');
    }
    qdi_json_open(json, "rows", '[');
    for (size_t i = 0; i < results->count; ++i) {
        qdi_json_open(json, NULL, '{');
        results->fields(&own, results->report, i);
        if (results->apart) put_bench_origin(json, origin);
        qdi_json_close(json, '}');
    }
    qdi_json_close(json, ']');
    qdi_json_close(json, '}');
    return json->status;
}
