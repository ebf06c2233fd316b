#include "sim/format/body_file.h"
#include "tests/support/body_rows.h"
#include "tests/support/harness.h"

#include <quadrille/random.h>

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

// Tables and dumps of random bodies in random dress are read back as they were.

/// A file on its way, and the dress that it wears.
typedef struct outfit {
    qd_random random;
    qdi_text text;
    const char *separator, *end;
    bool comma, quotes;
} outfit;

static uint64_t below(outfit *o, uint64_t most) {
    return qd_random_bits(&o->random) % most;
}

static void add_field(outfit *o, const char *field, bool first) {
    if (!first) qdi_text_add(&o->text, o->separator);
    bool quoted = o->quotes && below(o, 3) == 0;
    if (quoted) qdi_text_add(&o->text, "\"");
    qdi_text_add(&o->text, field);
    if (quoted) qdi_text_add(&o->text, "\"");
}

static void add_value(outfit *o, double value, bool first) {
    qdi_text number = {.allocator = qd_allocator_default()};
    qdi_text_add_number(&number, value);
    char *point = strchr(number.chars, '.');
    if (o->comma && point && below(o, 2)) *point = ',';
    add_field(o, number.chars, first);
    qdi_text_release(&number);
}

static void add_line(outfit *o, const char *line) {
    qdi_text_add(&o->text, line);
    qdi_text_add(&o->text, o->end);
}

/// Lines that mean nothing.
static void add_noise(outfit *o) {
    static const char *const noise[] = {"", "   ", "# 1,2,3", "#", "\t"};
    while (below(o, 6) == 0) add_line(o, noise[below(o, 5)]);
}

enum { IDS = 0, X, Y, SIZE, VX, VY, SPIN, MASS, JUNK, KINDS = JUNK + 3 };

static void shuffle(outfit *o, uint64_t *items, size_t count) {
    for (size_t i = count; i > 1; --i) {
        size_t k = (size_t)below(o, i);
        uint64_t kept = items[i - 1];
        items[i - 1] = items[k];
        items[k] = kept;
    }
}

static double drawn(outfit *o) {
    double u = qd_random_uniform(&o->random) * 200 - 100;
    return below(o, 2) ? floor(u) : u;
}

/// What one random file holds.
typedef struct sample {
    qdi_disk_row rows[40];
    size_t count;
    uint64_t columns[KINDS];
    size_t width;
    bool has[KINDS];
    bool diameter;
} sample;

static void draw_sample(outfit *o, sample *s, bool table) {
    s->count = (size_t)below(o, 40);
    s->width = 0;
    for (uint64_t kind = 0; kind < KINDS; ++kind) {
        s->has[kind] = kind == X || kind == Y || kind == SIZE || below(o, 2) || (kind == IDS && !table);
        if (s->has[kind]) s->columns[s->width++] = kind;
    }
    shuffle(o, s->columns, s->width);
    s->diameter = below(o, 2);
    for (size_t i = 0; i < s->count; ++i) {
        uint64_t label = i > 0 ? s->rows[i - 1].label + 1 + below(o, 5) : 1 + below(o, 1000);
        s->rows[i] = (qdi_disk_row){.label = s->has[IDS] ? label : 0,
                                    .x = drawn(o),
                                    .y = drawn(o),
                                    .vx = s->has[VX] ? drawn(o) : 0,
                                    .vy = s->has[VY] ? drawn(o) : 0,
                                    .spin = s->has[SPIN] ? drawn(o) : 0,
                                    .radius = 1e-3 + qd_random_uniform(&o->random),
                                    .mass = s->has[MASS] ? 1e-3 + qd_random_uniform(&o->random)
                                                         : (double)NAN};
    }
}

static void add_row(outfit *o, const sample *s, const qdi_disk_row *row) {
    char label[24];
    snprintf(label, sizeof label, "%" PRIu64, row->label);
    const double values[] = {0,       row->x,  row->y,    s->diameter ? 2 * row->radius : row->radius,
                             row->vx, row->vy, row->spin, row->mass};
    static const char *const junk[] = {"red", "nan", "-", "0x10", "1e999"};
    for (size_t c = 0; c < s->width; ++c) {
        if (s->columns[c] == IDS)
            add_field(o, label, c == 0);
        else if (s->columns[c] >= JUNK)
            add_field(o, junk[below(o, 5)], c == 0);
        else
            add_value(o, values[s->columns[c]], c == 0);
    }
    add_line(o, "");
}

static void add_rows(outfit *o, const sample *s, bool noise) {
    uint64_t order[40];
    for (size_t i = 0; i < s->count; ++i) order[i] = i;
    if (s->has[IDS]) shuffle(o, order, s->count);
    for (size_t i = 0; i < s->count; ++i) {
        if (noise) add_noise(o);
        add_row(o, s, &s->rows[order[i]]);
    }
}

static void add_header(outfit *o, const sample *s, bool table) {
    static const char *const names[][3] = {
        {"id", "Label", "ID"},           {"x", "pos_x", "X [m]"},          {"y", "Position Y", "y(m)"},
        {"radius", "R", "Radius (mm)"},  {"vx", "vel.x", "Velocity-X"},    {"vy", "VelY", "velocity_y"},
        {"omegaz", "Spin", "omega"},     {"mass", "m", "Mass [kg]"},       {"type", "colour", ""},
        {"c_stress[1]", "name", "type"}, {"fx", "temperature", "comment"},
    };
    static const char *const wide[] = {"diameter", "D", "Diameter (mm)"};
    size_t most = table && *o->separator != ' ' ? 3 : 1; // names with spaces in them are for tables
    for (size_t c = 0; c < s->width; ++c) {
        uint64_t kind = s->columns[c];
        size_t form = (size_t)below(o, most);
        add_field(o, kind == SIZE && s->diameter ? wide[form] : names[kind][form], c == 0);
    }
    add_line(o, "");
}

static void dress(outfit *o, uint64_t seed, size_t number) {
    static const char *const separators[] = {",", ";", "\t", " ", ", ", "   "};
    static const char *const ends[] = {"\n", "\r\n", "\r"};
    *o = (outfit){.random = qd_random_at(seed, number, 5), .text = {.allocator = qd_allocator_default()}};
    o->separator = separators[below(o, 6)];
    o->end = ends[below(o, 3)];
    o->comma = (*o->separator == ';' || *o->separator == '\t') && below(o, 2);
    o->quotes = below(o, 2);
}

QD_TEST(reads_back_random_tables) {
    uint64_t seed = qd_test_seed(21);
    for (size_t i = 0; i < qd_test_effort(4000); ++i) {
        outfit o;
        sample s;
        dress(&o, seed, i);
        draw_sample(&o, &s, true);
        if (below(&o, 3) == 0) qdi_text_add(&o.text, "\xef\xbb\xbf");
        add_noise(&o);
        add_header(&o, &s, true);
        add_rows(&o, &s, true);
        if (s.count > 0 && below(&o, 2)) o.text.used -= strlen(o.end);
        qd_own(qdi_body_file) file = parse_bytes(o.text.chars, o.text.used, "r.csv", NULL);
        char what[80];
        snprintf(what, sizeof what, "QD_TEST_SEED=%" PRIu64 ", table %zu", seed, i);
        check_rows(&file, s.rows, s.count, what);
        qdi_text_release(&o.text);
    }
}

QD_TEST(reads_back_random_dumps) {
    uint64_t seed = qd_test_seed(22);
    for (size_t i = 0; i < qd_test_effort(3000); ++i) {
        outfit o;
        dress(&o, seed, i);
        o.separator = " ";
        o.quotes = o.comma = false;
        size_t frames = 1 + (size_t)below(&o, 4), wanted = (size_t)below(&o, frames);
        sample s, kept = {.count = 0};
        for (size_t f = 0; f < frames; ++f) {
            draw_sample(&o, &s, false);
            char number[24];
            snprintf(number, sizeof number, "%zu", s.count);
            add_line(&o, "ITEM: TIMESTEP");
            add_line(&o, f == 0 ? "0" : "100");
            add_line(&o, "ITEM: NUMBER OF ATOMS");
            add_line(&o, number);
            add_line(&o, "ITEM: BOX BOUNDS pp ss pp");
            add_line(&o, "-100 100");
            add_line(&o, "-1e2 1.0e+02");
            add_line(&o, "-0.5 0.5");
            qdi_text_add(&o.text, "ITEM: ATOMS ");
            add_header(&o, &s, false);
            add_rows(&o, &s, false);
            if (f == wanted) kept = s;
        }
        qdi_body_options options = qdi_body_options_default();
        options.frame = wanted + 1 == frames && below(&o, 2) ? QDI_FRAME_LAST : wanted;
        qd_own(qdi_body_file) file = parse_bytes(o.text.chars, o.text.used, "r.dump", &options);
        char what[80];
        snprintf(what, sizeof what, "QD_TEST_SEED=%" PRIu64 ", dump %zu", seed, i);
        check_rows(&file, kept.rows, kept.count, what);
        qdi_text_release(&o.text);
    }
}

QD_TEST_MAIN("body_random", 240, NULL, NULL)
