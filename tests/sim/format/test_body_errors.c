#include "sim/format/body_file.h"

#include "tests/support/harness.h"
#include "tests/support/scratch.h"

#include <quadrille/random.h>

#include <inttypes.h>
#include <string.h>

// What is wrong with a file is one line with its path and line; nothing of it is kept.

/// Checks that a refusal is one line that begins with the path, and that nothing is left.
static void check_refusal(qd_status status, const qdi_body_file *file, const qd_error *error,
                          const char *path) {
    ck_assert_msg(status == QD_ERR_INVALID, "status %d: %s", (int)status, error->text);
    ck_assert(file->count == 0 && !file->rows && !file->part.chars);
    ck_assert_msg(strncmp(error->text, path, strlen(path)) == 0 && error->text[strlen(path)] == ':', "%s",
                  error->text);
    for (const char *at = error->text; *at; ++at)
        ck_assert_msg((unsigned char)*at >= 0x20 && *at != 0x7f, "control character in: %s", error->text);
}

static void check(const char *text, const char *path, const qdi_body_options *options, const char *reason) {
    qdi_body_file file = {.allocator = qd_allocator_default()};
    qd_error error = {""};
    qd_status status = qdi_body_file_parse(text, strlen(text), path, options, &file, &error);
    ck_assert_msg(status != QD_OK, "was read: %s", text);
    check_refusal(status, &file, &error, path);
    ck_assert_str_eq(error.text + strlen(path), reason);
}

QD_TEST(names_line_and_column_of_tables) {
    static const struct {
        const char *text, *reason;
    } cases[] = {
        {"", ": is empty"},
        {"\n\n# only a comment about nothing\n", ":3: no column gives x"},
        {"\n  \n", ":2: holds no line that names the columns (x, y, radius, ...)"},
        {"1,2,3\n4,5,6\n", ":1: the first line must name the columns (x, y, radius, ...)"},
        {"# the bodies of today\n1,2,3\n", ":1: no column gives x"},
        {"y,radius\n", ":1: no column gives x"},
        {"\nx,radius\n", ":2: no column gives y"},
        {"x,y\n", ":1: no column gives radius (radius or diameter; or give one radius for all in the scene)"},
        {"x,y,r,pos_x\n", ":1: columns 1 (x) and 4 (pos_x) say the same"},
        {"x,y,radius\n1,2,3\n1,two,3\n", ":3: y: must be a number, not \"two\""},
        {"X [m],y,radius\n,2,3\n", ":2: X [m]: is empty"},
        {"x,y,radius\n1,2\n", ":2: has 2 fields, not 3"},
        {"x,y,radius\n1\n", ":2: has 1 field, not 3"},
        {"x,y,radius\n1,2,3,4\n", ":2: has 4 fields, not 3"},
        {"x,y,radius\n1,2,0\n", ":2: radius: must be above 0, not 0"},
        {"x,y,r\n1,2,1\n\n1,2,-0.5\n", ":4: r: must be above 0, not -0.5"},
        {"x,y,d\n1,2,-1e-300\n", ":2: d: must be above 0, not -1e-300"},
        {"x,y,radius\n1,nan,1\n", ":2: y: must be a number, not \"nan\""},
        {"x,y,radius\n1,.inf,1\n", ":2: y: must be a number, not \".inf\""},
        {"x,y,radius\n1,1e400,1\n", ":2: y: must be a number, not \"1e400\""},
        {"x,y,radius\n1,-1e31,1\n", ":2: y: -1e31 is beyond what a world can hold"},
        {"x,y,radius\n1,1e-400,1e-400\n", ":2: radius: must be above 0, not 1e-400"},
        {"x,y,vx,radius\n1,2,0x10,1\n", ":2: vx: must be a number, not \"0x10\""},
        {"x,y,radius\n1;2;3\n", ":2: x: must be a number, not \"1;2;3\""},
        {"x;y;radius\n1,5;1.000,5;3\n", ":2: y: must be a number, not \"1.000,5\""},
        {"x;y;radius\n1,5,5;1;3\n", ":2: x: must be a number, not \"1,5,5\""},
        {"x,y,radius,mass\n1,2,1,0\n", ":2: mass: must be above 0, not 0"},
        {"x,y,radius,density\n1,2,1e-200,1\n", ":2: a mass of 0 cannot be"},
        {"id,x,y,r\n1,0,0,1\n2,0,0,1\n\n1,3,3,1\n", ":5: id 1 is that of line 2, too"},
        {"id,x,y,r\n0,0,0,1\n", ":2: id: must be a whole number from 1 on"},
        {"id,x,y,r\n-1,0,0,1\n", ":2: id: must be a whole number, not \"-1\""},
        {"id,x,y,r\n1.5,0,0,1\n", ":2: id: must be a whole number, not \"1.5\""},
        {"id,x,y,r\n18446744073709551616,0,0,1\n",
         ":2: id: must be a whole number, not \"18446744073709551616\""},
        {"x,y,z,r\n1,2,3,1\n1,2,3,1\n1,2,4,1\n",
         ":4: z differs from that of the first body: only two-dimensional files can be read"},
        {"x,y,vz,r\n1,2,1e-9,1\n", ":2: vz is not 0: only two-dimensional files can be read"},
        {"x,y,\"radius\n1,2,3\n", ":1: a quote does not end on its line"},
        {"name,x,y,r\n\"a,1,2,3\n", ":2: a quote does not end on its line"},
        {"name,x,y,r\n\"a\"b,1,2,3\n", ":2: something follows a quote"},
        {"x,y,radius\n1,2,3\n\x1b[31m,2,3\n", ":3: x: must be a number, not \"\\x1b[31m\""},
    };
    qdi_body_options options = qdi_body_options_default();
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i)
        check(cases[i].text, "some folder/a.csv", &options, cases[i].reason);
    options.frame = 1;
    check("x,y,r\n", "a.csv", &options, ": only dumps and extended XYZ have frames: leave `frame` out");
    options.frame_form = QDI_FRAME_TIMESTEP;
    options.frame = 0;
    check("x,y,r\n", "a.csv", &options, ": only dumps and extended XYZ have frames: leave `frame` out");
}

#define STEP     "ITEM: TIMESTEP\n0\n"
#define COUNT(n) "ITEM: NUMBER OF ATOMS\n" n "\n"
#define BOX      "ITEM: BOX BOUNDS pp ff pp\n0 1\n0 1\n0 1\n"
#define ATOMS    "ITEM: ATOMS id x y radius\n"

static const struct {
    const char *text, *reason;
} dump_faults[] = {
    {"\n", ": holds no frame"},
    {"x y radius\n1 2 3\n", ":1: a dump must begin with ITEM: TIMESTEP"},
    {"ITEM: TIMESTEP\n", ":1: the file ends where the timestep should follow"},
    {"ITEM: TIMESTEP\n\n", ":2: ITEM: TIMESTEP: is empty"},
    {"ITEM: TIMESTEP\nfive\n", ":2: ITEM: TIMESTEP: must be a whole number, not \"five\""},
    {"ITEM: TIMESTEP\n5 6\n", ":2: ITEM: TIMESTEP: must be one number"},
    {STEP, ":2: the file ends where ITEM: ATOMS should follow"},
    {STEP COUNT("1"), ":4: the file ends where ITEM: ATOMS should follow"},
    {STEP COUNT("1") BOX ATOMS, ":9: the frame has 0 of 1 atoms: it was cut off"},
    {STEP COUNT("3") BOX ATOMS "1 0 0 1\n2 0 0 1\n", ":11: the frame has 2 of 3 atoms: it was cut off"},
    {STEP COUNT("3") BOX ATOMS "1 0 0 1\n2 0 0 1", ":11: the frame has 2 of 3 atoms: it was cut off"},
    {STEP COUNT("1") BOX ATOMS "1 0 0 1\n2 0 0 1\n",
     ":11: the frame says that it has 1 atoms, and more follow"},
    {STEP COUNT("-1") BOX ATOMS, ":4: ITEM: NUMBER OF ATOMS: must be a whole number, not \"-1\""},
    {STEP COUNT("1000000000000") BOX ATOMS, ":4: ITEM: NUMBER OF ATOMS: must be at most 268435455"},
    {STEP COUNT("99999999999999999999") BOX ATOMS,
     ":4: ITEM: NUMBER OF ATOMS: must be a whole number, not \"99999999999999999999\""},
    {STEP COUNT("268435455") BOX ATOMS "1 0 0 1\n",
     ":10: the frame has 1 of 268435455 atoms: it was cut off"},
    {STEP BOX ATOMS, ":7: the frame does not say its number of atoms"},
    {STEP COUNT("0") ATOMS, ":5: the frame does not say its box"},
    {COUNT("0") BOX ATOMS, ":7: the frame does not say its timestep"},
    {STEP COUNT("1") "ITEM: BOX BOUNDS xx ff pp\n",
     ":5: ITEM: BOX BOUNDS: \"xx\" is no boundary (pp, ff, fs, ...)"},
    {STEP COUNT("1") "ITEM: BOX BOUNDS pf ff pp\n",
     ":5: ITEM: BOX BOUNDS: \"pf\" is no boundary (pp, ff, fs, ...)"},
    {STEP COUNT("1") "ITEM: BOX BOUNDS pp ff\n", ":5: ITEM: BOX BOUNDS: must name three boundaries"},
    {STEP COUNT("1") "ITEM: BOX BOUNDS\n1 0\n",
     ":6: the bounds of the box: the first must be the smaller one"},
    {STEP COUNT("1") "ITEM: BOX BOUNDS\n1\n", ":6: the bounds of the box: must be 2 numbers"},
    {STEP COUNT("1") "ITEM: BOX BOUNDS\n1 2 3\n", ":6: the bounds of the box: must be 2 numbers"},
    {STEP COUNT("1") "ITEM: BOX BOUNDS\n0 inf\n", ":6: the bounds of the box: must be a number, not \"inf\""},
    {STEP COUNT("1") "ITEM: BOX BOUNDS xy xz yz\n0 1 0.5\n",
     ":6: the box is tilted; only upright ones can be read"},
    {STEP COUNT("1") BOX "ITEM: ATOMS\n1 2 3\n", ":9: ITEM: ATOMS names no columns"},
    {STEP COUNT("1") BOX "ITEM: ATOMS id type x y\n1 1 2 3\n",
     ":9: no column gives radius (radius or diameter; or give one radius for all in the scene)"},
    {STEP COUNT("1") BOX "ITEM: ATOMS id X Y radius\n", ":9: no column gives x"},
    {STEP COUNT("1") BOX "ITEM: ATOMS id x x y radius\n", ":9: columns 2 (x) and 3 (x) say the same"},
    {STEP COUNT("1") BOX ATOMS "1 0 0\n", ":10: has 3 fields, not 4"},
    {STEP COUNT("1") BOX ATOMS "1 0 0 1 2\n", ":10: has 5 fields, not 4"},
    {STEP COUNT("1") BOX ATOMS "1 0 zero 1\n", ":10: y: must be a number, not \"zero\""},
    {STEP COUNT("1") BOX ATOMS "1 -nan 0 1\n", ":10: x: must be a number, not \"-nan\""},
    {STEP COUNT("2") BOX ATOMS "3 0 0 1\n3 0 0 1\n", ":11: id 3 is that of line 10, too"},
    {STEP COUNT("2") BOX "ITEM: ATOMS x y zu radius\n0 0 0 1\n0 0 .1 1\n",
     ":11: zu differs from that of the first body: only two-dimensional files can be read"},
    {STEP COUNT("1") BOX "ITEM: ATOMS x y omegax radius\n0 0 1 1\n",
     ":10: omegax is not 0: only two-dimensional files can be read"},
    {"ITEM: TIMESTEP\n0\nITEM: NUMBER OF ENTRIES\n5\n",
     ":3: \"ITEM: NUMBER OF ENTRIES\" is no part of a dump of atoms"},
    {STEP COUNT("1") "some words\n", ":5: \"some words\" is no part of a dump of atoms"},
};

QD_TEST(names_the_line_of_dumps) {
    qdi_body_options options = qdi_body_options_default();
    for (size_t i = 0; i < sizeof dump_faults / sizeof dump_faults[0]; ++i)
        check(dump_faults[i].text, "a.dump", &options, dump_faults[i].reason);
#define WHOLE STEP COUNT("1") BOX ATOMS "1 0 0 1\n"
    options.frame = 2;
    check(WHOLE WHOLE, "a.dump", &options,
          ":20: ends after 2 frames (they count from 0): there is no frame 2");
    check(WHOLE, "a.dump", &options, ":10: ends after 1 frame (they count from 0): there is no frame 2");
    options.frame = 1;
    check(WHOLE STEP COUNT("1") BOX ATOMS "1 0 0\n", "a.dump", &options, ":20: has 3 fields, not 4");
    options.frame_form = QDI_FRAME_TIMESTEP;
    check(WHOLE, "a.dump", &options, ":10: ends after 1 frame (timesteps 0 to 0): none is of timestep 1");
    check(WHOLE "ITEM: TIMESTEP\nx\n", "a.dump", &options,
          ":12: ITEM: TIMESTEP: must be a whole number, not \"x\"");
}

#define TOP  "title\n\n2 atoms\n1 atom types\n0 1 xlo xhi\n0 1 ylo yhi\n\n"
#define ROWS "1 1 1 1 0 0 0\n2 1 1 1 0.5 0.5 0\n"

QD_TEST(names_the_line_of_data_files) {
    static const struct {
        const char *text, *reason;
    } cases[] = {
        {"title\n", ":1: the file ends and no line says how many (\"N atoms\")"},
        {"title\n2 atoms\n", ":2: the file ends and has no section Atoms"},
        {"title\n-2 atoms\n", ":2: atoms: must be a whole number, not \"-2\""},
        {"title\n999999999999 atoms\n", ":2: atoms: must be at most 268435455"},
        {"title\n2 atoms\n1e9 atom types\n", ":3: atom types: must be at most 1048576"},
        {"title\n2 atoms\n1 0 xlo xhi\n", ":3: the bounds of the box: the first must be the smaller one"},
        {"title\n2 atoms\nx 0 xlo xhi\n", ":3: the file ends and has no section Atoms"},
        {"title\n2 atoms\n0 1x xlo xhi\n", ":3: xlo: must be a number, not \"1x\""},
        {"title\n2 atoms\n0.1 0 0 xy xz yz\n", ":3: the box is tilted; only upright ones can be read"},
        {TOP "Atoms # ellipsoid\n\n" ROWS, ":8: atom style \"ellipsoid\" cannot be read (sphere, atomic, "
                                           "charge, bond, angle, molecular, full and "
                                           "bpm/sphere can)"},
        {TOP "Atoms\n\n1 1 1 1 0 0\n", ":8: must say its atom style: Atoms # sphere, Atoms # atomic, ..."},
        {TOP "Atoms # atomic\n\n1 1 0 0 0\n2 1 1 1 0\n",
         ":8: no column gives radius (radius or diameter; or give one radius for all in the scene)"},
        {TOP "Atoms # sphere\n\n1 1 1 1 0 0 0\n", ":10: section Atoms has 1 of 2 atoms: it was cut off"},
        {TOP "Atoms # sphere\n\n1 1 1 1 0 0 0\n\nVelocities\n\n",
         ":12: section Atoms has 1 of 2 atoms: it was cut off"},
        {TOP "Atoms # sphere\n\n" ROWS "3 1 1 1 0 0 0\n", ":12: the header says 2 atoms, and more follow"},
        {TOP "Atoms # sphere\n\n1 1 1 1 0 0\n", ":10: has 6 fields, not 7"},
        {TOP "Atoms # sphere\n\n1 1 1 1 0 0 0 0\n", ":10: has 8 fields, not 7"},
        {TOP "Atoms # sphere\n\n1 1 0 1 0 0 0\n", ":10: diameter: must be above 0, not 0"},
        {TOP "Atoms # sphere\n\n1 1 1 0 0 0 0\n", ":10: density: must be above 0, not 0"},
        {TOP "Atoms # sphere\n\n2 1 1 1 0 0 0\n2 1 1 1 0 0 0\n", ":11: id 2 is that of line 10, too"},
        {TOP "Atoms # sphere\n\n" ROWS "Atoms # sphere\n\n" ROWS, ":12: section Atoms comes twice"},
        {TOP "Atoms # sphere\n\n" ROWS "\nVelocities\n\n1 0 0 0\n",
         ":15: section Velocities has 1 of 2 atoms: it was cut off"},
        {TOP "Atoms # sphere\n\n" ROWS "\nVelocities\n\n1 0 0 0\n1 0 0 0\n",
         ":16: id 1 has a velocity already"},
        {TOP "Atoms # sphere\n\n" ROWS "\nVelocities\n\n1 0 0 0\n3 0 0 0\n", ":16: id 3 is no atom's"},
        {TOP "Atoms # sphere\n\n" ROWS "\nVelocities\n\n1 0 0\n", ":15: has 3 fields, not 4 or 7"},
        {TOP "Atoms # sphere\n\n" ROWS "\nVelocities\n\n1 0 x 0\n", ":15: vy: must be a number, not \"x\""},
        {TOP "Atoms # sphere\n\n" ROWS "\nVelocities\n\n1 0 0 2\n",
         ":15: vz is not 0: only two-dimensional files can be read"},
        {TOP "Masses\n\n1 0\n\nAtoms # sphere\n\n" ROWS, ":10: mass: must be above 0"},
        {TOP "Masses\n\n2 1\n\nAtoms # sphere\n\n" ROWS, ":10: type: must be at most 1"},
        {TOP "Masses\n\n0 1\n\nAtoms # sphere\n\n" ROWS, ":10: type: must be a whole number from 1 on"},
        {TOP "Masses\n\n1\n\nAtoms # sphere\n\n" ROWS, ":10: Masses: must be a type and its mass"},
    };
    qdi_body_options options = qdi_body_options_default();
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i)
        check(cases[i].text, "a.data", &options, cases[i].reason);
    options.radius = 1;
    check(TOP "Masses\n\n1 2\n\nAtoms # atomic\n\n1 2 0 0 0\n2 1 1 1 0\n", "a.data", &options,
          ":14: type: Masses has none of type 2");
    check(TOP "Masses\n\n1 2\n\nAtoms # atomic\n\n1 C 0 0 0\n2 1 1 1 0\n", "a.data", &options,
          ":14: type: must be a number, not \"C\"");
}

static qd_status read_path(const char *path, qd_error *error) {
    qdi_body_file file = {.allocator = qd_allocator_default()};
    qdi_body_options options = qdi_body_options_default();
    error->text[0] = 0;
    qd_status status = qdi_body_file_read(path, &options, &file, error);
    ck_assert(status != QD_OK && file.count == 0 && !file.rows && !file.part.chars);
    return status;
}

QD_TEST(tells_files_that_cannot_be_read) {
    qd_error error;
    ck_assert_int_eq(read_path("no/such.csv", &error), QD_ERR_NOT_FOUND);
    ck_assert_str_eq(error.text, "no/such.csv: cannot be opened: No such file or directory");
    ck_assert_int_eq(read_path(QD_SOURCE_DIR "/tests", &error), QD_ERR_IO);
    ck_assert_msg(strstr(error.text, "cannot be read: Is a directory"), "%s", error.text);
    ck_assert_int_eq(read_path("/dev/null", &error), QD_ERR_INVALID);
    ck_assert_str_eq(error.text, "/dev/null: is empty");
    ck_assert_int_eq(read_path("/dev/zero", &error), QD_ERR_INVALID);
    ck_assert_str_eq(error.text, "/dev/zero:1: holds a NUL byte: this is no text");
}

// ---- damage ----

static const char table_text[] = "id,x,y,vx,vy,radius,mass,note\n3,1,2,0.5,-0.5,0.25,1,\"a, "
                                 "b\"\n1,4,5,0,0,0.5,2,\n\n# the end\n2,7,8,1e-3,2,0.125,3,c\n";
static const char dump_text[] = "ITEM: TIMESTEP\n0\nITEM: NUMBER OF ATOMS\n2\nITEM: BOX BOUNDS pp ff pp\n0 "
                                "10\n0 10\n-0.5 0.5\nITEM: ATOMS id x ys "
                                "radius z\n2 1 0.5 0.5 0\n1 2 0.25 0.25 0\nITEM: TIMESTEP\n100\nITEM: NUMBER "
                                "OF ATOMS\n1\nITEM: BOX BOUNDS pp ff pp\n"
                                "0 10\n0 10\n-0.5 0.5\nITEM: ATOMS id x y radius\n1 5 5 1\n";
static const char data_text[] =
    "title\n\n2 atoms\n2 atom types\n-1 9 xlo xhi\n0 5 ylo yhi\n-0.5 0.5 zlo zhi\n\nMasses\n\n1 3\n2 "
    "4\n\nAtoms # sphere\n\n"
    "2 1 1 2 3 4 0 0 0 0\n1 2 0.5 1 1 2 0\n\nVelocities\n\n1 5 6 0 0 0 7\n2 0 0 0 0 0 0\n";

static const struct {
    const char *text, *path;
} whole_files[] = {{table_text, "a.csv"}, {dump_text, "a.dump"}, {data_text, "a.data"},
                   {table_text, "a"},     {dump_text, "a"},      {data_text, "a"}};
enum { WHOLE_FILES = sizeof whole_files / sizeof whole_files[0] };

/// Reads what may be damaged: rows or one line. True where it was read.
static bool survive(const char *text, size_t bytes, const char *path, const qdi_body_options *options) {
    qd_test_allocator allocator = qd_test_allocator_of(&allocator, 0);
    // In memory of its own size, so that reading past it is found.
    qd_own_memory char *copy = qd_test_memory(bytes > 0 ? bytes : 1);
    memcpy(copy, text, bytes);
    qdi_body_file file = {.allocator = &allocator.allocator};
    qd_error error = {""};
    qd_status status = qdi_body_file_parse(copy, bytes, path, options, &file, &error);
    if (status != QD_OK) check_refusal(status, &file, &error, path);
    if (status == QD_OK) ck_assert_str_eq(error.text, "");
    for (size_t i = 0; i < file.count; ++i) {
        ck_assert(file.rows[i].radius > 0 && file.rows[i].x - file.rows[i].x == 0 && file.rows[i].line > 0);
        ck_assert(file.rows[i].vx - file.rows[i].vx == 0);
    }
    qdi_body_file_release(&file);
    ck_assert_uint_eq(allocator.live, 0);
    return status == QD_OK;
}

QD_TEST(survives_truncation) {
    for (size_t f = 0; f < WHOLE_FILES; ++f)
        for (uint64_t frame = 0; frame < 2; ++frame) {
            qdi_body_options options = qdi_body_options_default();
            if (f % 3 == 1 && frame == 0) options.frame = 0;
            size_t length = strlen(whole_files[f].text);
            for (size_t i = 0; i < length; ++i)
                survive(whole_files[f].text, i, whole_files[f].path, &options);
            ck_assert(survive(whole_files[f].text, length, whole_files[f].path, &options));
        }
}

/// A file cut off between its lines is refused, but where it is whole: a table says nothing of its length.
QD_TEST(refuses_what_was_cut_off) {
    qdi_body_options options = qdi_body_options_default();
    static const char *const texts[] = {dump_text, data_text};
    for (size_t f = 0; f < 2; ++f) {
        const char *text = texts[f], *path = f == 0 ? "a.dump" : "a.data";
        const char *frame = strstr(text + 1, "ITEM: TIMESTEP"), *velocities = strstr(text, "\nVelocities");
        for (const char *end = strchr(text, '\n'); end && end[1]; end = strchr(end + 1, '\n')) {
            size_t bytes = (size_t)(end - text) + 1;
            bool whole = (frame && text + bytes == frame) ||
                         (velocities && (text + bytes == velocities || text + bytes == velocities + 1));
            ck_assert_msg(survive(text, bytes, path, &options) == whole, "%.*s", (int)bytes, text);
        }
    }
}

static char *mutate(qd_random *random, const char *text, size_t length, size_t *bytes) {
    static const char *const pieces[] = {"ITEM:",
                                         "ITEM: ATOMS x y radius\n",
                                         "\n",
                                         "\r",
                                         "\"",
                                         ",",
                                         ";",
                                         "\t",
                                         " ",
                                         "#",
                                         "0",
                                         "-",
                                         ".",
                                         "e9",
                                         "1e308",
                                         "99999999999",
                                         "nan",
                                         "\xff",
                                         "\xef\xbb\xbf",
                                         "Atoms\n\n",
                                         "2 atoms\n",
                                         "x,y,r\n",
                                         "\x1b",
                                         "sep=;\n",
                                         "Velocities\n"};
    size_t room = length * 3 + 200;
    char *copy = qd_test_memory(room);
    memcpy(copy, text, length);
    for (uint64_t k = 1 + qd_random_bits(random) % 4; k > 0; --k) {
        size_t at = (size_t)(qd_random_bits(random) % (length + 1)), end = at;
        switch (qd_random_bits(random) % 4) {
        case 0: // one byte is another
            if (at < length) copy[at] = (char)(qd_random_bits(random) & 0xff);
            break;
        case 1: // a part is gone
            end += (size_t)(qd_random_bits(random) % 20);
            if (end > length) end = length;
            memmove(copy + at, copy + end, length - end);
            length -= end - at;
            break;
        case 2: { // something is put in
            const char *piece = pieces[qd_random_bits(random) % (sizeof pieces / sizeof pieces[0])];
            memmove(copy + at + strlen(piece), copy + at, length - at);
            for (const char *from = piece; *from; ++from, ++length) copy[at + (size_t)(from - piece)] = *from;
            break;
        }
        default: // a part comes twice
            end += (size_t)(qd_random_bits(random) % 40);
            if (end > length || length + (end - at) > room - 150) break;
            memmove(copy + end + (end - at), copy + end, length - end);
            memcpy(copy + end, copy + at, end - at);
            length += end - at;
        }
    }
    *bytes = length;
    return copy;
}

QD_TEST(survives_damage) {
    uint64_t seed = qd_test_seed(33);
    size_t read = 0, rounds = qd_test_effort(30000);
    for (size_t i = 0; i < rounds; ++i) {
        qd_random random = qd_random_at(seed, i, 0);
        size_t f = i % WHOLE_FILES, bytes = 0;
        qdi_body_options options = qdi_body_options_default();
        if (qd_random_bits(&random) % 3 == 0) options.frame = qd_random_bits(&random) % 3;
        if (qd_random_bits(&random) % 8 == 0) options.frame_form = QDI_FRAME_TIMESTEP;
        if (qd_random_bits(&random) % 8 == 0) options.radius = 1;
        if (qd_random_bits(&random) % 8 == 0) options.format = (qdi_body_format)(qd_random_bits(&random) % 4);
        qd_own_memory char *text = mutate(&random, whole_files[f].text, strlen(whole_files[f].text), &bytes);
        read += survive(text, bytes, whole_files[f].path, &options);
    }
    ck_assert_msg(read > rounds / 50 && read < rounds, "%zu of %zu", read, rounds);
}

QD_TEST(fails_cleanly_without_memory) {
    qd_scratch scratch = qd_scratch_make();
    for (size_t f = 0; f < 3; ++f) {
        qd_scratch_path path = qd_scratch_at(&scratch, whole_files[f].path);
        qd_scratch_write(path.text, whole_files[f].text);
        qd_status status = QD_ERR_MEMORY;
        size_t fail_at = 0;
        while (status == QD_ERR_MEMORY) {
            qd_test_allocator allocator = qd_test_allocator_of(&allocator, ++fail_at);
            qdi_body_file file = {.allocator = &allocator.allocator};
            qdi_body_options options = qdi_body_options_default();
            qd_error error = {""};
            status = qdi_body_file_read(path.text, &options, &file, &error);
            if (status == QD_ERR_MEMORY) ck_assert_str_eq(error.text, "out of memory");
            ck_assert(status == QD_OK ? file.count > 0 : file.count == 0);
            qdi_body_file_release(&file);
            ck_assert_uint_eq(allocator.live, 0);
        }
        ck_assert_int_eq(status, QD_OK);
        ck_assert_uint_gt(fail_at, 3);
    }
    qd_scratch_remove(&scratch);
}

QD_TEST_MAIN("body_errors", 240, NULL, NULL)
