#include "tools/bench/output.h"

#include "sim/base/number.h"
#include "tools/host/build.h"

#include <inttypes.h>
#include <math.h>

static const char *const phase_names[QDI_BENCH_PHASES] = {"move", "structure", "pairs"};

enum { OUTPUT_SCHEMA = 1 };

qdi_bench_origin qdi_bench_origin_here(const char *cpu, const char *unreliable) {
    return (qdi_bench_origin){qdi_build_commit, qdi_build_compiler, qdi_build_flags, cpu, unreliable};
}

static bool is_reliable(const qdi_bench_origin *origin) {
    return !origin->unreliable || !origin->unreliable[0];
}

const char *qdi_bench_row_simd(const qdi_bench_row *row) {
    return qdi_bench_has_kernels(row->method) ? qd_simd_name(row->simd) : "none";
}

/// Three decimals say enough.
static double rounded(double value) {
    return floor(value * 1000.0 + .5) / 1000.0;
}

static void put_real(FILE *out, double value) {
    char digits[QDI_NUMBER_ROOM];
    qdi_number_write(rounded(value), digits);
    fprintf(out, ",%s", digits);
}

/// Nothing where it is not known.
static void put_known(FILE *out, bool known, double value) {
    if (known)
        put_real(out, value);
    else
        fputc(',', out);
}

/// A text in quotes, those in it doubled.
static void put_text(FILE *out, const char *text) {
    fputs(",\"", out);
    for (; *text; ++text) {
        if (*text == '"') fputc('"', out);
        fputc(*text, out);
    }
    fputc('"', out);
}

void qdi_bench_put_origin(FILE *out, const qdi_bench_origin *origin) {
    put_text(out, origin->commit);
    put_text(out, origin->compiler);
    put_text(out, origin->flags);
    put_text(out, origin->cpu);
}

void qdi_bench_put_last(FILE *out, const qdi_bench_origin *origin) {
    qdi_bench_put_origin(out, origin);
    fputs(is_reliable(origin) ? ",yes\n" : ",no\n", out);
}

void qdi_bench_json_origin(qdi_json *json, const qdi_bench_origin *origin) {
    qdi_json_text(json, "commit", origin->commit);
    qdi_json_text(json, "compiler", origin->compiler);
    qdi_json_text(json, "flags", origin->flags);
    qdi_json_text(json, "cpu", origin->cpu);
    qdi_json_truth(json, "reliable", is_reliable(origin));
    if (!is_reliable(origin)) qdi_json_text(json, "unreliable", origin->unreliable);
}

void qdi_bench_print_reliability(FILE *out, const qdi_bench_origin *origin) {
    if (is_reliable(origin)) return;
    fprintf(out, "\nNot reliable: %s. Measure again on a quiet machine.\n", origin->unreliable);
}

void qdi_bench_write_csv(FILE *out, const qdi_bench_origin *origin, const qdi_bench_row *rows, size_t count) {
    fputs(
        "method,scene,speed,bodies,threads,simd,steps,repeats,ns_per_body,min,median,mean,spread,pairs,hash",
        out);
    for (size_t phase = 0; phase < QDI_BENCH_PHASES; ++phase) fprintf(out, ",%s_ns", phase_names[phase]);
    fputs(",leavers,bytes_per_body," QDI_BENCH_LAST_NAMES, out);
    for (size_t i = 0; i < count; ++i) {
        const qdi_bench_row *row = &rows[i];
        fprintf(out, "%s,%s", row->method->name, row->scene->name);
        put_real(out, row->speed);
        fprintf(out, ",%zu,%d,%s,%zu,%zu", row->bodies, row->threads, qdi_bench_row_simd(row), row->steps,
                row->repeats);
        put_real(out, row->median);
        put_real(out, row->min);
        put_real(out, row->median);
        put_real(out, row->mean);
        put_real(out, row->spread);
        fprintf(out, ",%zu,%016" PRIx64, row->pairs, row->hash);
        for (size_t phase = 0; phase < QDI_BENCH_PHASES; ++phase) put_real(out, row->phases[phase]);
        put_known(out, row->leavers >= 0, row->leavers);
        put_known(out, row->bytes_per_body > 0, row->bytes_per_body);
        qdi_bench_put_last(out, origin);
    }
}

static void put_row(qdi_json *json, const qdi_bench_origin *origin, const qdi_bench_row *row) {
    qdi_json_open(json, NULL, '{');
    qdi_json_text(json, "method", row->method->name);
    qdi_json_text(json, "scene", row->scene->name);
    qdi_json_real(json, "speed", rounded(row->speed));
    qdi_json_whole(json, "bodies", row->bodies);
    qdi_json_whole(json, "threads", (uint64_t)row->threads);
    qdi_json_text(json, "simd", qdi_bench_row_simd(row));
    qdi_json_whole(json, "steps", row->steps);
    qdi_json_whole(json, "repeats", row->repeats);
    qdi_json_real(json, "ns_per_body", rounded(row->median));
    qdi_json_real(json, "min", rounded(row->min));
    qdi_json_real(json, "median", rounded(row->median));
    qdi_json_real(json, "mean", rounded(row->mean));
    qdi_json_real(json, "spread", rounded(row->spread));
    qdi_json_whole(json, "pairs", row->pairs);
    qdi_json_hash(json, "hash", row->hash);
    qdi_json_open(json, "phases", '{');
    for (size_t phase = 0; phase < QDI_BENCH_PHASES; ++phase)
        qdi_json_real(json, phase_names[phase], rounded(row->phases[phase]));
    qdi_json_close(json, '}');
    if (row->leavers >= 0) qdi_json_real(json, "leavers", rounded(row->leavers));
    if (row->bytes_per_body > 0) qdi_json_real(json, "bytes_per_body", rounded(row->bytes_per_body));
    qdi_bench_json_origin(json, origin);
    qdi_json_close(json, '}');
}

qd_status qdi_bench_write_json(qdi_json *json, const qdi_bench_origin *origin, const qdi_bench_row *rows,
                               size_t count) {
    qdi_json_open(json, NULL, '{');
    qdi_json_whole(json, "schema", OUTPUT_SCHEMA);
    qdi_json_text(json, "version", QD_VERSION);
    qdi_json_open(json, "rows", '[');
    for (size_t i = 0; i < count; ++i) put_row(json, origin, &rows[i]);
    qdi_json_close(json, ']');
    qdi_json_close(json, '}');
    return json->status;
}
