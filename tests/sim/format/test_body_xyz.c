#include "sim/format/body_file.h"

#include "tests/support/harness.h"

#include <quadrille/random.h>

#include <inttypes.h>
#include <string.h>

QD_OWN_VALUE(qdi_body_file, qdi_body_file_release)

// Disks from extended XYZ.

static qdi_body_file parse(const char *text, const qdi_body_options *options) {
    qdi_body_file file = {.allocator = qd_allocator_default()};
    qdi_body_options usual = qdi_body_options_default();
    qd_error error = {""};
    qd_status status = qdi_body_file_parse(text, strlen(text), "a.xyz", options ? options : &usual, &file,
                                           &error);
    ck_assert_msg(status == QD_OK, "%s\n%s", error.text, text);
    ck_assert_int_eq(file.format, QDI_BODY_XYZ);
    return file;
}

static void refuse(const char *text, const qdi_body_options *options, const char *reason) {
    qdi_body_file file = {.allocator = qd_allocator_default()};
    qdi_body_options usual = qdi_body_options_default();
    qd_error error = {""};
    qd_status status = qdi_body_file_parse(text, strlen(text), "a.xyz", options ? options : &usual, &file,
                                           &error);
    ck_assert_msg(status == QD_ERR_INVALID, "status %d of\n%s", (int)status, text);
    ck_assert_str_eq(error.text, reason);
    ck_assert_uint_eq(file.count, 0);
}

QD_TEST(reads_every_column) {
    qd_own(qdi_body_file) file = parse(
        "2\n"
        "Lattice=\"20 0 0 0 10 0 0 0 1\" Origin=\"-10 5 0\" pbc=\"T F F\" Time=0.5 Step=7 note='two words' "
        "alone "
        "Properties=species:S:1:id:I:1:pos:R:3:velo:R:3:radius:R:1:mass:R:1:force:R:3:omega:R:3:shape:S:1\n"
        "X 9 0.5 1.5 0 3 -4 0 0.25 2 1 1 1 0 0 -6 disk\n"
        "  X\t4 2.5 1e-3 0  0 0 0 0.5 3 1 1 1 0 0 6 disk  \n",
        NULL);
    ck_assert_uint_eq(file.count, 2);
    const qdi_disk_row *four = &file.rows[0], *nine = &file.rows[1]; // in the order of the ids
    ck_assert_uint_eq(four->label, 4);
    ck_assert(four->x == 2.5 && four->y == 1e-3 && four->radius == 0.5 && four->mass == 3 && four->spin == 6);
    ck_assert_uint_eq(nine->label, 9);
    ck_assert(nine->vx == 3 && nine->vy == -4 && nine->radius == 0.25 && nine->mass == 2 && nine->spin == -6);
    const qdi_body_side *x = &file.side[0], *y = &file.side[1];
    ck_assert(x->has_bounds && x->low == -10 && x->high == 10 && x->has_boundary &&
              x->boundary == QD_BOUNDARY_PERIODIC);
    ck_assert(y->has_bounds && y->low == 5 && y->high == 15 && !y->has_boundary);
}

QD_TEST(reads_plain_xyz) {
    qdi_body_options options = qdi_body_options_default();
    options.radius = 0.5;
    qdi_body_file file = parse("2\r\nwater=\"yes\r\nO 1 2 3\r\nH 4 5 3", &options);
    ck_assert_uint_eq(file.count, 2);
    ck_assert(file.rows[1].x == 4 && file.rows[1].y == 5 && file.rows[1].radius == 0.5 &&
              file.rows[1].label == 0);
    ck_assert(!file.side[0].has_bounds && !file.side[0].has_boundary);
    qdi_body_file_release(&file);
    // By its first line, whatever it is called.
    qd_error error = {""};
    const char *text = "1\n\nX 1 2 0\n";
    ck_assert_int_eq(qdi_body_file_parse(text, strlen(text), "things", &options, &file, &error), QD_OK);
    ck_assert_int_eq(file.format, QDI_BODY_XYZ);
    qdi_body_file_release(&file);
}

#define HEAD "Properties=species:S:1:pos:R:2:radius:R:1"

static const char frames[] = "1\nStep=10 " HEAD "\nX 1 0 1\n"
                             "\n2\nStep=20 " HEAD "\nX 2 0 1\nX 2 1 1\n"
                             "0\nStep=25 " HEAD "\n"
                             "1\nstep=\"30\" " HEAD "\nX 3 0 1\n\n \n";

QD_TEST(picks_a_frame) {
    static const struct {
        qdi_frame_form form;
        uint64_t frame;
        size_t count;
        double x;
    } cases[] = {{QDI_FRAME_NUMBER, 0, 1, 1},
                 {QDI_FRAME_NUMBER, 1, 2, 2},
                 {QDI_FRAME_NUMBER, 2, 0, 0},
                 {QDI_FRAME_NUMBER, 3, 1, 3},
                 {QDI_FRAME_TIMESTEP, 10, 1, 1},
                 {QDI_FRAME_TIMESTEP, 20, 2, 2},
                 {QDI_FRAME_TIMESTEP, 25, 0, 0},
                 {QDI_FRAME_TIMESTEP, 30, 1, 3},
                 {QDI_FRAME_NUMBER, QDI_FRAME_LAST, 1, 3}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
        qdi_body_options options = qdi_body_options_default();
        options.frame_form = cases[i].form;
        options.frame = cases[i].frame;
        qd_own(qdi_body_file) file = parse(frames, &options);
        ck_assert_msg(file.count == cases[i].count, "case %zu: %zu rows", i, file.count);
        if (file.count > 0) ck_assert_double_eq(file.rows[0].x, cases[i].x);
        // What is kept is that frame, and gives the same again.
        qd_own_memory char *part = qd_test_memory(file.part.used + 1);
        memcpy(part, file.part.chars, file.part.used);
        part[file.part.used] = '\0';
        qd_own(qdi_body_file) again = parse(part, NULL);
        ck_assert_uint_eq(again.count, file.count);
        ck_assert(again.count == 0 || memcmp(&again.rows[0].x, &file.rows[0].x, sizeof(double)) == 0);
    }
    qdi_body_options options = qdi_body_options_default();
    options.frame = 4;
    refuse(frames, &options, "a.xyz:15: ends after 4 frames (they count from 0): there is no frame 4");
    options.frame_form = QDI_FRAME_TIMESTEP;
    refuse(frames, &options, "a.xyz:15: ends after 4 frames: none says Step=4");
}

QD_TEST(says_what_is_wrong) {
    static const char *const cases[][2] = {
        {"", "a.xyz: is empty"},
        {"\n\n", "a.xyz: holds no frame"},
        {"two\n\n", "a.xyz:1: the number of bodies: must be a whole number, not \"two\""},
        {"2 3\n\n", "a.xyz:1: the number of bodies: must be one number"},
        {"-1\n\n", "a.xyz:1: the number of bodies: must be a whole number, not \"-1\""},
        {"999999999999\n\n", "a.xyz:1: the number of bodies: must be at most 268435455"},
        {"2\n" HEAD "\nX 1 2 3\n", "a.xyz:3: the frame has 1 of 2 bodies: it was cut off"},
        {"2\n", "a.xyz:1: the frame has 0 of 2 bodies: it was cut off"},
        {"1\n" HEAD "\nX 1 2 3\nX 1 2 3\n",
         "a.xyz:4: the number of bodies: must be a whole number, not \"X\""},
        {"1\n" HEAD "\nX 1 2\n", "a.xyz:3: has 3 fields, not 4"},
        {"1\n" HEAD "\nX 1 2 3 4\n", "a.xyz:3: has 5 fields, not 4"},
        {"1\n" HEAD "\nX 1 two 3\n", "a.xyz:3: pos: must be a number, not \"two\""},
        {"1\n" HEAD "\nX 1 2 0\n", "a.xyz:3: radius: must be above 0, not 0"},
        {"1\n\nX 1 2 3\n",
         "a.xyz:2: no column gives radius (radius or diameter; or give one radius for all in the scene)"},
        {"1\nProperties=species:S:1:radius:R:1\nX 1\n", "a.xyz:2: no column gives x"},
        {"1\nProperties=species:S:1:pos\nX 1\n",
         "a.xyz:2: Properties: \"pos\" is not followed by a letter and a number, as in pos:R:3"},
        {"1\nProperties=pos:R:2:radius:R:1:mass:R:1:masses:R:1\n1 1 1 1 1\n",
         "a.xyz:2: columns 4 (mass) and 5 (masses) say the same"},
        {"1\nLattice=\"1 0 0 0 1 0 0 0\" " HEAD "\nX 1 2 3\n", "a.xyz:2: Lattice: must be 9 numbers"},
        {"1\nLattice=\"1 0 0 0 1 0 0 0 1 1\" " HEAD "\nX 1 2 3\n", "a.xyz:2: Lattice: must be 9 numbers"},
        {"1\nLattice=\"1 0 0 0.5 1 0 0 0 1\" " HEAD "\nX 1 2 3\n",
         "a.xyz:2: Lattice: the box is tilted; only upright ones can be read"},
        {"1\nLattice=\"1 0 0 0 -1 0 0 0 1\" " HEAD "\nX 1 2 3\n",
         "a.xyz:2: Lattice: width and height must be above 0"},
        {"1\nProperties=pos:R:2:radius:R:1:shape:S:1\n1 1 1 rect\n",
         "a.xyz:3: a rect or capsule needs points, or width and height"},
        {"1\nProperties=pos:R:2:radius:R:1:shape:S:1\n1 1 1 star\n",
         "a.xyz:3: shape: must be disk, rect, capsule or polygon, not \"star\""},
        {"1\nProperties=pos:R:2:rounding:R:1:points:S:1:shape:S:1\n1 1 0 0:0/1:0 polygon\n",
         "a.xyz:3: a polygon needs 3 points or more"},
        {"1\nProperties=pos:R:2:rounding:R:1:points:S:1:shape:S:1\n1 1 0 0:0/1:0/2 polygon\n",
         "a.xyz:3: points: must be points as in 1:2/3:4/5:6"},
        {"1\nProperties=pos:R:2:rounding:R:1:points:S:1:shape:S:1\n1 1 0 0:0/1:0/x:1 polygon\n",
         "a.xyz:3: points: must be a number, not \"x\""},
        {"1\nProperties=pos:R:2:rounding:R:1:points:S:1:shape:S:1\n1 1 0 0:0/1:0/2:0 polygon\n",
         "a.xyz:3: a polygon's points are all on a line"},
        {"1\nProperties=pos:R:2:radius:R:1:masses:R:1:kind:S:1\n1 1 1 inf dynamic\n",
         "a.xyz:3: a mass of inf cannot be"},
        {"1\nProperties=pos:R:2:radius:R:1:masses:R:1:kind:S:1\n1 1 1 1 fixed\n",
         "a.xyz:3: kind: must be dynamic, static or kinematic, not \"fixed\""},
        {"2\nProperties=pos:R:3:radius:R:1\n1 1 0 1\n3 3 1 1\n",
         "a.xyz:4: pos differs from that of the first body: only two-dimensional files can be read"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) refuse(cases[i][0], NULL, cases[i][1]);
}

QD_TEST(survives_any_bytes) {
    size_t cases = qd_test_effort(20000);
    uint64_t seed = qd_test_seed(1);
    qd_random random = qd_random_at(seed, 0, 0);
    size_t good = 0;
    for (size_t i = 0; i < cases; ++i) {
        char text[sizeof frames];
        memcpy(text, frames, sizeof frames);
        size_t bytes = sizeof frames - 1;
        for (int k = 0; k < 3; ++k)
            text[qd_random_bits(&random) % bytes] =
                "0123456789 \n\"=:{[.-XRSe\t"[qd_random_bits(&random) % 24];
        bytes -= qd_random_bits(&random) % 8;
        qd_own(qdi_body_file) file = {.allocator = qd_allocator_default()};
        qdi_body_options options = qdi_body_options_default();
        options.frame = i % 5 == 4 ? QDI_FRAME_LAST : i % 5;
        qd_error error = {""};
        qd_status status = qdi_body_file_parse(text, bytes, "a.xyz", &options, &file, &error);
        ck_assert_msg(status == QD_OK || (status == QD_ERR_INVALID && error.text[0] != '\0'),
                      "seed %" PRIu64 ", case %zu", seed, i);
        good += status == QD_OK;
    }
    ck_assert_uint_gt(good, cases / 100);
    ck_assert_uint_lt(good, cases);
}

QD_TEST(without_memory) {
    qd_status status = QD_ERR_MEMORY;
    for (size_t fail_at = 1; status != QD_OK; ++fail_at) {
        qd_test_allocator allocator = qd_test_allocator_of(&allocator, fail_at);
        qdi_body_file file = {.allocator = &allocator.allocator};
        qdi_body_options options = qdi_body_options_default();
        status = qdi_body_file_parse(frames, sizeof frames - 1, "a.xyz", &options, &file, NULL);
        ck_assert(status == QD_OK || status == QD_ERR_MEMORY);
        qdi_body_file_release(&file);
        ck_assert_uint_eq(allocator.live, 0);
    }
}

QD_TEST_MAIN("body_xyz", 120, NULL, NULL)
