#include "sim/format/body_file.h"

#include "tests/support/body_rows.h"
#include "tests/support/harness.h"
#include "tests/support/scratch.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

static const double pi = 3.14159265358979323846;

// ---- tables ----

QD_TEST(reads_tables_in_any_dress) {
    static const qdi_disk_row rows[] = {
        {.label = 0, .x = 1, .y = 2.5, .radius = 0.5, .mass = (double)NAN},
        {.label = 0, .x = -3, .y = 4, .radius = 0.25, .mass = (double)NAN},
    };
    static const char *const same[] = {
        "x,y,radius\n1,2.5,0.5\n-3,4,0.25\n",
        "x,y,radius\n1,2.5,0.5\n-3,4,0.25",
        "\xef\xbb\xbfx,y,radius\r\n1,2.5,0.5\r\n-3,4,0.25\r\n",
        "x,y,radius\r1,2.5,0.5\r-3,4,0.25\r",
        "y;x;r\n2,5;1;,5\n4;-3;0,25\n",
        "sep=;\nX;Y;Radius\n1;2,5;0,5\n-3;4;0,25\n",
        "x\ty\td\n1\t2.5\t1\n-3\t4\t0.5\n",
        "  x   y  radius\n   1  2.5 0.5\n-3 4    .25  \n",
        "# x y radius\n1.000e+00 2.500e+00 5.000e-01\n-3.0 4.0 0.25\n",
        "# made by hand\n\n# units: m\nx, y, radius\n# the first\n1, 2.5, 0.5\n\n-3, +4, 25e-2\n#end\n",
        "\"x\",\"y\",\"radius\"\n\"1\",\"2.5\",\"0.5\"\n\"-3\",4,\"0.25\"\n",
        "name,x,y,radius\n\"a, \"\"b\"\"\",1,2.5,0.5\n\"x;y\",-3,4,0.25\n",
        ",x [m],y [m],Diameter (m),colour\n0,1,2.5,1,red\n1,-3,4,0.5,\n",
        "Position.X,Position.Y,Position.Z,Radius\n1,2.5,0,0.5\n-3,4,0,0.25\n",
        "\"Points:0\",\"Points:1\",\"Points:2\",\"Velocity:2\",r\n1,2.5,7,0,.5\n-3,4,7,0,.25\n",
        "pos_x,pos_y,r,\n1,2.5,0.5,\n-3,4,0.25,\n",
        "x,y,r\n1,2.5,0.5,\n-3,4,0.25,\n",
        "x;y;note;r\n1;2.5;1,5,7;0.5\n-3;4;;0.25\n",
    };
    for (size_t i = 0; i < sizeof same / sizeof same[0]; ++i) {
        qd_own(qdi_body_file) file = parse(same[i], "bodies.csv");
        ck_assert_int_eq(file.format, QDI_BODY_CSV);
        ck_assert(!file.side[0].has_bounds && !file.side[1].has_boundary);
        check_rows(&file, rows, 2, same[i]);
        ck_assert_uint_gt(file.rows[1].line, file.rows[0].line);
    }
    qd_own(qdi_body_file) none = parse("x,y,radius\n", "none.csv");
    ck_assert_uint_eq(none.count, 0);
    qdi_body_file_release(&none);
    none = parse("# x y radius\n", "none.csv");
    ck_assert_uint_eq(none.count, 0);
}

QD_TEST(reads_columns_that_the_scene_names) {
    qdi_body_options options = qdi_body_options_default();
    strcpy(options.columns[3], "X_mm");
    strcpy(options.columns[9], "size");
    const char *text = "x,X mm [1],y,size,radius\n9,1,2,3,8\n";
    qdi_body_file file = parse_bytes(text, strlen(text), "a.csv", &options);
    const qdi_disk_row row = {.x = 1, .y = 2, .radius = 3, .mass = (double)NAN};
    check_rows(&file, &row, 1, text);
    qdi_body_file_release(&file);
    qd_error error = {""};
    file = (qdi_body_file){.allocator = qd_allocator_default()};
    strcpy(options.columns[6], "speed");
    ck_assert(qdi_body_file_parse(text, strlen(text), "a.csv", &options, &file, &error) == QD_ERR_INVALID);
    ck_assert_str_eq(error.text, "a.csv:1: no column is called \"speed\", which the scene names for vx");
    qdi_body_file_release(&file);
    ck_assert(qdi_body_file_parse("0\n\n", 3, "a.xyz", &options, &file, &error) == QD_ERR_INVALID);
    ck_assert_str_eq(error.text, "a.xyz: only the columns of tables can be named: leave `columns` out");
    qdi_body_file_release(&file);
}

QD_TEST(reads_every_column_of_a_table) {
    qd_own(qdi_body_file)
        file = parse("id,x,y,vx,vy,omega,radius,mass\n7,1,2,3,4,5,6,7.5\n3,8,9,0,-0,1e-3,2,1\n", "a.txt");
    const qdi_disk_row rows[] = {
        {.label = 3, .x = 8, .y = 9, .spin = 1e-3, .radius = 2, .mass = 1},
        {.label = 7, .x = 1, .y = 2, .vx = 3, .vy = 4, .spin = 5, .radius = 6, .mass = 7.5}};
    check_rows(&file, rows, 2, "in order of id");
    ck_assert(file.rows[0].line == 3 && file.rows[1].line == 2);
    ck_assert(!signbit(file.rows[0].vy));
}

QD_TEST(takes_masses_as_asked) {
    static const char text[] = "x,y,r,mass,density\n0,0,2,3,4\n";
    qdi_body_options options = qdi_body_options_default();
    qdi_body_file file = parse_bytes(text, strlen(text), "m.csv", &options);
    ck_assert(file.rows[0].mass == 3 && file.density == 1);
    qdi_body_file_release(&file);
    options.density = 5;
    file = parse_bytes(text, strlen(text), "m.csv", &options);
    ck_assert(isnan(file.rows[0].mass) && file.density == 5);
    qdi_body_file_release(&file);
    options.mass = 6;
    file = parse_bytes(text, strlen(text), "m.csv", &options);
    ck_assert(file.rows[0].mass == 6);
    qdi_body_file_release(&file);
    static const char dense[] = "x,y,r,density\n0,0,2,4\n";
    options = qdi_body_options_default();
    file = parse_bytes(dense, strlen(dense), "m.csv", &options);
    ck_assert_double_eq_tol(file.rows[0].mass, 16 * pi, 1e-12);
    qdi_body_file_release(&file);
    // What is given for all need not be in the file, and what the file says of it need not be right.
    static const char bare[] = "x,y,mass\n0,0,0\n";
    options.radius = 0.25;
    options.mass = 9;
    file = parse_bytes(bare, strlen(bare), "m.csv", &options);
    ck_assert(file.rows[0].mass == 9 && file.rows[0].radius == 0.25);
    qdi_body_file_release(&file);
}

// ---- dumps ----

static qdi_body_file read_frame(qdi_frame_form form, uint64_t frame) {
    qdi_body_file file = {.allocator = qd_allocator_default()};
    qdi_body_options options = qdi_body_options_default();
    options.frame_form = form;
    options.frame = frame;
    qd_error error = {""};
    qd_status status = qdi_body_file_read(QD_SOURCE_DIR "/tests/data/gran.lammpstrj", &options, &file,
                                          &error);
    ck_assert_msg(status == QD_OK, "%s", error.text);
    ck_assert_int_eq(file.format, QDI_BODY_DUMP);
    return file;
}

/// The file of the tests, each of its frames by number and by timestep.
QD_TEST(reads_the_frames_of_a_dump) {
    for (uint64_t k = 0; k < 3; ++k) {
        qd_own(qdi_body_file) file = read_frame(QDI_FRAME_NUMBER, k);
        ck_assert_uint_eq(file.count, 303);
        ck_assert_uint_eq(file.first_line, 1 + k * 312);
        char head[40];
        snprintf(head, sizeof head, "ITEM: TIMESTEP\n%d\n", (int)k * 2000);
        ck_assert_int_eq(strncmp(file.part.chars, head, strlen(head)), 0);
        for (int axis = 0; axis < 2; ++axis) {
            ck_assert(file.side[axis].has_bounds && file.side[axis].low == 0 && file.side[axis].high == 160);
            ck_assert(file.side[axis].has_boundary && file.side[axis].boundary == QD_BOUNDARY_REFLECT);
        }
        for (size_t i = 0; i < file.count; ++i) {
            const qdi_disk_row *row = &file.rows[i];
            ck_assert(row->label == i + 1 && row->line == file.first_line + 9 + i && isnan(row->mass));
            ck_assert(row->radius >= 0.3 && row->radius <= 0.7);
        }
        qd_own(qdi_body_file) by_step = read_frame(QDI_FRAME_TIMESTEP, k * 2000);
        check_rows(&by_step, file.rows, file.count, "by timestep");
        ck_assert_uint_eq(by_step.part.used, file.part.used);
        ck_assert_int_eq(memcmp(by_step.part.chars, file.part.chars, file.part.used), 0);
        if (k == 2) {
            qd_own(qdi_body_file) last = read_frame(QDI_FRAME_NUMBER, QDI_FRAME_LAST);
            check_rows(&last, file.rows, file.count, "the last");
        }
        // The part alone is a dump of one frame.
        qd_own(qdi_body_file) again = parse_bytes(file.part.chars, file.part.used, "copy.lammpstrj", NULL);
        check_rows(&again, file.rows, file.count, "the copy");
    }
    qd_own(qdi_body_file) file = read_frame(QDI_FRAME_NUMBER, 0);
    const qdi_disk_row first = {.label = 1,
                                .x = 0.790569415,
                                .y = 0.790569415,
                                .vx = 2.51345435,
                                .vy = -1.68198525,
                                .radius = 0.445571375,
                                .mass = (double)NAN};
    ck_assert(same_row(&file.rows[0], &first));
}

#define BOX(flags)          "ITEM: BOX BOUNDS" flags "\n-10 10\n100 140\n-0.5 0.5\n"
#define FRAME(flags, atoms) "ITEM: TIMESTEP\n5\nITEM: NUMBER OF ATOMS\n2\n" BOX(flags) "ITEM: ATOMS " atoms

QD_TEST(reads_dumps_of_any_columns) {
    static const char *const same[] = {
        FRAME(" ff pp pp", "id x y radius\n1 5 110 0.5\n2 -5 130 1\n"),
        FRAME(" ff pp pp",
              "radius diameter mol id type x y z fx c_a[1]\n1 9 0 2 1 -5 130 0 .5 nan\n.5 9 0 1 2 5 110 "
              "0 inf x\n"),
        FRAME(" ff pp pp", "id xs ys diameter \n2 0.25 0.75 2\n1 0.75 0.25 1\n"),
        FRAME(" ff pp pp", "id xsu ysu diameter\n2 0.25 0.75 2\n1 0.75 0.25 1\n\n"),
        FRAME(" ff pp pp", "id xu yu zu radius\r\n2 -5 130 0 1\r\n1 5 110 0 .5\r\n"),
        FRAME(" xy xz yz ff pp pp", "id x y radius\n1 5 110 0.5\n2 -5 130 1\n"),
        "ITEM: UNITS\nlj\nITEM: TIME\n0.25\n" FRAME(" ff pp pp",
                                                    "id x y z vz radius\n1 5 110 3 0 0.5\n2 -5 130 3 0 1\n"),
        "\n\n" FRAME(" ff pp pp", "id x xs y ys radius\n1 5 0 110 0 0.5\n2 -5 0 130 0 1\n"),
    };
    const qdi_disk_row rows[] = {{.label = 1, .x = 5, .y = 110, .radius = 0.5, .mass = (double)NAN},
                                 {.label = 2, .x = -5, .y = 130, .radius = 1, .mass = (double)NAN}};
    for (size_t i = 0; i < sizeof same / sizeof same[0]; ++i) {
        const char *text = same[i];
        char tilted[1000];
        if (strstr(text, "xy xz yz")) { // such boxes have a third column
            snprintf(tilted, sizeof tilted, "%s", text);
            static const char *const bounds[][2] = {
                {"-10 10\n", "-10 10 0\n"}, {"100 140\n", "100 140 0\n"}, {"-0.5 0.5\n", "-0.5 0.5 0\n"}};
            for (size_t k = 0; k < 3; ++k) {
                char *at = strstr(tilted, bounds[k][0]), rest[1000];
                snprintf(rest, sizeof rest, "%s", at + strlen(bounds[k][0]));
                snprintf(at, sizeof tilted - (size_t)(at - tilted), "%s%s", bounds[k][1], rest);
            }
            text = tilted;
        }
        qd_own(qdi_body_file) file = parse(text, i % 2 ? "a.dump" : "no ending");
        ck_assert_int_eq(file.format, QDI_BODY_DUMP);
        check_rows(&file, rows, 2, text);
        ck_assert(file.side[0].boundary == QD_BOUNDARY_REFLECT &&
                  file.side[1].boundary == QD_BOUNDARY_PERIODIC);
        ck_assert(file.side[0].low == -10 && file.side[0].high == 10 && file.side[1].low == 100);
    }
}

QD_TEST(reads_the_sides_of_a_dump) {
    static const struct {
        const char *flags;
        bool known;
        qd_boundary x, y;
    } cases[] = {
        {"", false, QD_BOUNDARY_REFLECT, QD_BOUNDARY_REFLECT},
        {" pp ff pp", true, QD_BOUNDARY_PERIODIC, QD_BOUNDARY_REFLECT},
        {" ss mm pp", true, QD_BOUNDARY_OPEN, QD_BOUNDARY_OPEN},
        {" fs sf ff", true, QD_BOUNDARY_REFLECT, QD_BOUNDARY_REFLECT},
        {" sm fm pp", true, QD_BOUNDARY_OPEN, QD_BOUNDARY_REFLECT},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
        char text[400];
        snprintf(text, sizeof text,
                 "ITEM: TIMESTEP\n0\nITEM: NUMBER OF ATOMS\n0\nITEM: BOX BOUNDS%s\n0 1\n0 2\n0 1\nITEM: "
                 "ATOMS x y radius\n",
                 cases[i].flags);
        qd_own(qdi_body_file) file = parse(text, "a");
        ck_assert(file.count == 0 && file.side[1].high == 2);
        ck_assert(file.side[0].has_boundary == cases[i].known && file.side[1].has_boundary == cases[i].known);
        ck_assert(file.side[0].boundary == cases[i].x && file.side[1].boundary == cases[i].y);
    }
}

/// More frames than fit the reader's memory, from a file; a frame that is too short does not matter where
/// another is asked for.
QD_TEST(finds_frames_in_long_dumps) {
    qd_scratch scratch = qd_scratch_make();
    qd_scratch_path path = qd_scratch_at(&scratch, "long");
    FILE *stream = fopen(path.text, "wb");
    ck_assert_ptr_nonnull(stream);
    enum { FRAMES = 300, ATOMS = 200 };
    for (int k = 0; k < FRAMES; ++k) {
        fprintf(stream,
                "ITEM: TIMESTEP\n%d\nITEM: NUMBER OF ATOMS\n%d\n" BOX("") "ITEM: ATOMS id x y radius\n",
                k * 10, ATOMS);
        for (int i = 0; i < ATOMS - (k == 7); ++i) fprintf(stream, "%d %d.%03d 0.5 0.25\n", i + 1, k, i);
    }
    ck_assert_int_eq(fclose(stream), 0);
    static const uint64_t wanted[] = {0, 6, 8, 131, 298, 299, QDI_FRAME_LAST};
    for (size_t w = 0; w < sizeof wanted / sizeof wanted[0]; ++w)
        for (int by_step = 0; by_step < 2; ++by_step) {
            uint64_t k = wanted[w] == QDI_FRAME_LAST ? FRAMES - 1 : wanted[w];
            qdi_body_options options = qdi_body_options_default();
            options.frame_form = by_step ? QDI_FRAME_TIMESTEP : QDI_FRAME_NUMBER;
            options.frame = by_step ? k * 10 : wanted[w];
            qd_own(qdi_body_file) file = {.allocator = qd_allocator_default()};
            qd_error error = {""};
            qd_status status = qdi_body_file_read(path.text, &options, &file, &error);
            ck_assert_msg(status == QD_OK, "%s", error.text);
            ck_assert_uint_eq(file.count, ATOMS);
            ck_assert_double_eq(file.rows[0].x, (double)k);
            ck_assert_double_eq_tol(file.rows[ATOMS - 1].x, (double)k + 0.199, 1e-9);
            ck_assert_uint_lt(file.part.used, 8000);
        }
    qd_scratch_remove(&scratch);
}

// ---- data files ----

static void check_data_rows(const qdi_body_file *file, bool round) {
    ck_assert_int_eq(file->format, QDI_BODY_DATA);
    ck_assert_uint_eq(file->count, 2);
    ck_assert(file->side[0].has_bounds && file->side[0].low == -1 && file->side[0].high == 9);
    ck_assert(file->side[1].has_bounds && file->side[1].high == 5 && !file->side[0].has_boundary);
    const qdi_disk_row *a = &file->rows[0], *b = &file->rows[1];
    ck_assert(a->label == 1 && a->x == 1 && a->y == 2 && a->vx == 5 && a->vy == 6);
    ck_assert(b->label == 2 && b->x == 3 && b->y == 4 && b->vx == 0);
    ck_assert(a->radius == (round ? 0.25 : 0.125) && b->radius == (round ? 0.5 : 0.125));
}

QD_TEST(reads_data_files_of_every_style) {
    const double small = pi / 6 / 8, large = 2 * pi / 6; // balls of diameter 0.5 and 1, of density 1 and 2
#define HEAD                                                                                                 \
    "LAMMPS data file via write_data, version 29 Sep 2021, timestep = 0\n\n2 atoms\n2 atom types\n\n-1 9 "   \
    "xlo xhi\n"                                                                                              \
    "0 5 ylo yhi\n-0.5 0.5 zlo zhi\n\n"
    const struct {
        const char *text;
        bool round; ///< the file has radii
        double mass[2];
    } cases[] = {
        {HEAD "Atoms # sphere\n\n2 1 1 2 3 4 0 0 0 0\n1 2 0.5 1 1 2 0\n\nVelocities\n\n1 5 6 0 0 0 7\n2 0 0 "
              "0 0 0 0\n",
         true,
         {small, large}},
        {HEAD "Atoms\n\n2 1 1 2 3 4 0 0 0 0\n1 2 0.5 1 1 2 0\n\nVelocities # sphere\n\n1 5 6 0 0 0 7\n2 0 0 "
              "0 0 0 0\n",
         true,
         {small, large}},
        {HEAD "Masses\n\n1 3 # heavy\n2 4\n\nPair Coeffs # lj/cut\n\n1 1 1\n2 1 1\n\nAtoms # atomic\n\n1 2 1 "
              "2 0\n2 1 3 4 0\n"
              "\nVelocities\n\n2 0 0 0\n1 5 6 0\n\nBonds\n\n1 1 1 2\n",
         false,
         {4, 3}},
        {HEAD "Atoms  # charge\n\n1 2 0.5 1 2 0 1 1 1\n2 1 0 3 4 0 0 0 0\n\nVelocities\n\n1 5 6 0 0 0 7\n2 0 "
              "0 0 0 0 0\n\n"
              "Masses\n\n2 4\n1 3\n",
         false,
         {4, 3}},
        {HEAD "Atoms # full\n\n1 9 2 0.5 1 2 0\n2 9 1 0 3 4 0\n\nVelocities\n\n1 5 6 0\n2 0 0 0\n",
         false,
         {(double)NAN, (double)NAN}},
        {HEAD "Atoms # molecular\n\n1 9 2 1 2 0\n2 9 1 3 4 0\n\nVelocities\n\n1 5 6 0\n2 0 0 0\n",
         false,
         {(double)NAN, (double)NAN}},
        {HEAD "Atoms # bpm/sphere\n\n1 9 2 .5 1 1 2 0\n2 9 1 1 2 3 4 0\n\nVelocities\n\n1 5 6 0\n2 0 0 0\n",
         true,
         {small, large}},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
        qdi_body_options options = qdi_body_options_default();
        if (!cases[i].round) options.radius = 0.125;
        qd_own(qdi_body_file)
            file = parse_bytes(cases[i].text, strlen(cases[i].text), i % 2 ? "data.x" : "a.data", &options);
        check_data_rows(&file, cases[i].round);
        for (int k = 0; k < 2; ++k)
            ck_assert_msg(same(cases[i].mass[k], file.rows[k].mass) ||
                              fabs(cases[i].mass[k] - file.rows[k].mass) < 1e-12,
                          "%zu: mass %g", i, file.rows[k].mass);
        if (strstr(cases[i].text, " 7\n")) ck_assert_double_eq(file.rows[0].spin, 7);
    }
}

QD_TEST_MAIN("body_file", 240, NULL, NULL)
