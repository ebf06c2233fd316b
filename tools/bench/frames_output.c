#include "tools/bench/frames.h"

#include <inttypes.h>
#include <math.h>

enum { OUTPUT_SCHEMA = 1 };

/// Milliseconds with three decimals, in whole microseconds so that no locale has a say.
static void put_ms(FILE *out, double ms) {
    uint64_t microseconds = (uint64_t)(ms * 1000.0 + 0.5);
    fprintf(out, ",%" PRIu64 ".%03" PRIu64, microseconds / 1000, microseconds % 1000);
}

static double rounded(double value) {
    return floor(value * 1000.0 + 0.5) / 1000.0;
}

void qdi_frames_print(FILE *out, const qdi_frames_plan *plan, const qdi_frames_row *rows, size_t count) {
    fprintf(out, "frames of %dx%d pixels, scene %s; %zu of each\n", plan->width, plan->height,
            plan->scene->name, plan->frames);
    fputs("milliseconds, medians; copying holds up the simulation, the rest is another thread's;\n"
          "cpu: mean time of all processors together, which others on this machine do not change\n",
          out);
    fprintf(out, "%-10s %-7s %8s %8s %8s %8s %8s %7s %8s %10s\n", "bodies", "style", "copy", "draw", "encode",
            "whole", "least", "spread", "cpu", "bytes");
    for (size_t i = 0; i < count; ++i) {
        const qdi_frames_row *row = &rows[i];
        fprintf(out, "%-10zu %-7s", row->bodies, qdi_frames_style_name(row->style));
        if (row->style == QDI_FRAMES_LAMMPS)
            fprintf(out, " %8s %8s %8s %8.2f %8s %7s", "-", "-", "-", row->whole, "-", "-");
        else
            fprintf(out, " %8.2f %8.2f %8.2f %8.2f %8.2f %6.1f%%", row->copy, row->draw, row->encode,
                    row->whole, row->least, 100.0 * row->spread);
        fprintf(out, " %8.2f %10zu\n", row->cpu, row->bytes);
    }
}

void qdi_frames_write_csv(FILE *out, const qdi_bench_origin *origin, const qdi_frames_plan *plan,
                          const qdi_frames_row *rows, size_t count) {
    fputs("style,scene,bodies,width,height,threads,frames,copy_ms,draw_ms,encode_ms,whole_ms,least_ms,cpu_ms,"
          "bytes,pixels," QDI_BENCH_LAST_NAMES,
          out);
    for (size_t i = 0; i < count; ++i) {
        const qdi_frames_row *row = &rows[i];
        fprintf(out, "%s,%s,%zu,%d,%d,%d,%zu", qdi_frames_style_name(row->style), plan->scene->name,
                row->bodies, plan->width, plan->height, plan->threads, plan->frames);
        const double times[] = {row->copy, row->draw, row->encode, row->whole, row->least, row->cpu};
        for (size_t k = 0; k < sizeof times / sizeof times[0]; ++k) {
            bool known = row->style != QDI_FRAMES_LAMMPS || k == 3 || k == 5; // whole and cpu
            if (known)
                put_ms(out, times[k]);
            else
                fputc(',', out);
        }
        fprintf(out, ",%zu,", row->bytes);
        if (row->style != QDI_FRAMES_LAMMPS) fprintf(out, "%016" PRIx64, row->pixels);
        qdi_bench_put_last(out, origin);
    }
}

qd_status qdi_frames_write_json(qdi_json *json, const qdi_bench_origin *origin, const qdi_frames_plan *plan,
                                const qdi_frames_row *rows, size_t count) {
    qdi_json_open(json, NULL, '{');
    qdi_json_whole(json, "schema", OUTPUT_SCHEMA);
    qdi_json_text(json, "version", QD_VERSION);
    qdi_json_text(json, "scene", plan->scene->name);
    qdi_json_whole(json, "width", (uint64_t)plan->width);
    qdi_json_whole(json, "height", (uint64_t)plan->height);
    qdi_json_whole(json, "threads", (uint64_t)plan->threads);
    qdi_json_whole(json, "frames", plan->frames);
    qdi_bench_json_origin(json, origin);
    qdi_json_open(json, "rows", '[');
    for (size_t i = 0; i < count; ++i) {
        const qdi_frames_row *row = &rows[i];
        char pixels[20];
        (void)snprintf(pixels, sizeof pixels, "%016" PRIx64, row->pixels);
        qdi_json_open(json, NULL, '{');
        qdi_json_text(json, "style", qdi_frames_style_name(row->style));
        qdi_json_whole(json, "bodies", row->bodies);
        qdi_json_real(json, "whole_ms", rounded(row->whole));
        qdi_json_real(json, "cpu_ms", rounded(row->cpu));
        qdi_json_whole(json, "bytes", row->bytes);
        if (row->style != QDI_FRAMES_LAMMPS) {
            qdi_json_real(json, "copy_ms", rounded(row->copy));
            qdi_json_real(json, "draw_ms", rounded(row->draw));
            qdi_json_real(json, "encode_ms", rounded(row->encode));
            qdi_json_real(json, "least_ms", rounded(row->least));
            qdi_json_text(json, "pixels", pixels);
        }
        qdi_json_close(json, '}');
    }
    qdi_json_close(json, ']');
    qdi_json_close(json, '}');
    return json->status;
}
