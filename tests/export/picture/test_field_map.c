#include "export/picture/picture.h"
#include "export/picture/picture_impl.h"
#include "export/picture/view_check.h"
#include "export/raster/palette.h"
#include "tests/support/golden.h"
#include "tests/support/harness.h"
#include "tests/support/worlds.h"

#include <math.h>
#include <quadrille/field.h>
#include <quadrille/frame.h>
#include <string.h>

QD_OWN_VALUE(qdi_picture, qdi_picture_destroy)
QD_OWN_POINTER(qd_field, qd_field_destroy)

enum { CELLS_X = 5, CELLS_Y = 4, CELLS = CELLS_X * CELLS_Y, BODIES = 60 };

static const qdi_area area = {0, 0, 500, 400};

static qd_world *crowd(qd_boundary boundary, int threads, uint64_t seed) {
    qd_world_def def = qd_test_def(50, 40);
    def.origin = (qd_vec2){-7, 3};
    def.boundary_x = def.boundary_y = boundary;
    def.threads = threads;
    def.contact = QD_CONTACT_NONE;
    qd_world *world = qd_test_world(&def);
    qd_random random = qd_random_at(seed, 0, 0);
    for (int i = 0; i < BODIES; ++i)
        (void)qd_test_disk(world, qd_test_between(&random, -6, 42), qd_test_between(&random, 4, 42),
                           qd_test_between(&random, -5, 5), qd_test_between(&random, -5, 5), 0.4,
                           qd_test_between(&random, 1, 3));
    ck_assert_int_eq(qd_world_detect(world), QD_OK);
    return world;
}

static qd_view view_of(qd_view_field field) {
    qd_view view = qd_view_default();
    view.field = field;
    view.field_cells[0] = CELLS_X;
    view.field_cells[1] = CELLS_Y;
    return view;
}

static qdi_picture picture_of(const qd_world *world, const qd_view *view, qd_field *field) {
    qdi_picture picture = {.allocator = qd_allocator_default()};
    picture.measured = field;
    ck_assert_int_eq(qdi_picture_copy(&picture, world, view, area, 1.0, NULL), QD_OK);
    return picture;
}

static qd_field *field_of(int x, int y) {
    qd_field *field = NULL;
    ck_assert_int_eq(qd_field_create((uint32_t)x, (uint32_t)y, NULL, &field), QD_OK);
    return field;
}

// ---- by brute force ----

typedef struct cell_sum {
    double number, mass, x, y, energy, contacts;
} cell_sum;

static int cell_of(const qd_body_view *bodies, size_t row) {
    return (int)((bodies->y[row] - 3) / 40 * CELLS_Y) * CELLS_X + (int)((bodies->x[row] + 7) / 50 * CELLS_X);
}

static void sum_bodies(const qd_world *world, cell_sum sums[CELLS]) {
    const qd_body_view bodies = qd_world_view(world);
    memset(sums, 0, CELLS * sizeof *sums);
    for (size_t row = 0; row < bodies.count; ++row) {
        cell_sum *sum = &sums[cell_of(&bodies, row)];
        const double mass = bodies.mass[row], vx = bodies.vx[row], vy = bodies.vy[row];
        sum->number += 1;
        sum->mass += mass;
        sum->x += mass * vx;
        sum->y += mass * vy;
        sum->energy += mass * (vx * vx + vy * vy);
    }
    size_t count = 0;
    const qd_contact *contacts = qd_world_contacts(world, &count);
    for (size_t i = 0; i < count; ++i) {
        const qd_id ids[] = {contacts[i].a, contacts[i].b};
        for (int k = 0; k < (qd_id_is_wall(ids[1]) ? 1 : 2); ++k)
            sums[cell_of(&bodies, bodies.row_of_index[ids[k].index])].contacts += 1;
    }
}

// What a quantity is in a cell, NaN where there is nobody. Without contacts pressure is the kinetic one.
static double expected_value(const cell_sum *sum, qd_view_field field) {
    const double size = 100, nan = (double)NAN; // of a cell
    if (sum->number == 0) return nan;
    const double rest = sum->energy - (sum->x * sum->x + sum->y * sum->y) / sum->mass;
    switch (field) {
    case QD_VIEW_FIELD_NUMBER_DENSITY: return sum->number / size;
    case QD_VIEW_FIELD_MASS_DENSITY: return sum->mass / size;
    case QD_VIEW_FIELD_AREA_FRACTION: return sum->number * 3.14159265358979 * 0.16 / size;
    case QD_VIEW_FIELD_VELOCITY: return sqrt(sum->x * sum->x + sum->y * sum->y) / sum->mass;
    case QD_VIEW_FIELD_TEMPERATURE: return rest / (2 * sum->number);
    case QD_VIEW_FIELD_PRESSURE: return rest / 2 / size;
    case QD_VIEW_FIELD_CONTACT_NUMBER: return sum->contacts / sum->number;
    case QD_VIEW_FIELD_NONE: break;
    }
    return nan;
}

// The patch whose middle is in a cell; NULL: it has none. The camera shows the whole world in the middle of
// the area, one scale for both axes.
static const qdi_patch *patch_of(const qdi_picture *picture, int cell) {
    const qdi_patch *found = NULL;
    const double wide = (picture->world.max_x - picture->world.min_x) / (double)CELLS_X,
                 high = (picture->world.max_y - picture->world.min_y) / (double)CELLS_Y;
    for (size_t i = 0; i < picture->patch_count; ++i) {
        const qdi_area *at = &picture->patches[i].area;
        const int column = (int)((0.5 * (at->min_x + at->max_x) - picture->world.min_x) / wide),
                  row = (int)((picture->world.max_y - 0.5 * (at->min_y + at->max_y)) / high);
        if (row * CELLS_X + column != cell) continue;
        ck_assert_msg(!found, "cell %d is drawn twice", cell);
        found = &picture->patches[i];
    }
    return found;
}

static void expect_patches(const qd_world *world, const qd_view *view, const qdi_picture *picture) {
    cell_sum sums[CELLS];
    sum_bodies(world, sums);
    const qdi_field_inks inks = qdi_field_inks_of(view);
    const qd_vec2 range = picture->facts.field;
    double most = 0;
    for (int cell = 0; cell < CELLS; ++cell) {
        const double value = expected_value(&sums[cell], view->field);
        const qdi_patch *patch = patch_of(picture, cell);
        ck_assert_msg((patch != NULL) == !isnan(value), "cell %d", cell);
        if (!patch) continue;
        most = fmax(most, value);
        // A value at the border of two steps may be in either, for it is summed up in another order.
        bool known = false;
        for (int side = -1; side <= 1; ++side) {
            const double step = floor((value * (1 + side * 1e-9) - range.x) / (range.y - range.x) *
                                      inks.steps);
            const int held = step < 0 ? 0 : (step < inks.steps ? (int)step : inks.steps - 1);
            known = known || patch->ink == qdi_ink_of_field(inks, (unsigned)held);
        }
        ck_assert_msg(known, "cell %d, value %g of %g: ink %d", cell, value, range.y, patch->ink);
    }
    if (isnan(view->field_range.x)) {
        ck_assert_double_eq(range.x, 0);
        ck_assert_double_eq_tol(range.y, qdi_field_map_top(most), 1e-9 * range.y);
    }
}

QD_TEST_LOOP(colours_are_those_of_brute_force, 0, QD_VIEW_FIELD_CONTACT_NUMBER) {
    const qd_view_field shown = (qd_view_field)(QD_VIEW_FIELD_NUMBER_DENSITY + _i);
    qd_own(qd_field) field = field_of(CELLS_X, CELLS_Y);
    for (uint64_t seed = 1; seed <= 8; ++seed) {
        qd_own(qd_world) world = crowd(QD_BOUNDARY_REFLECT, 1 + (int)(seed % 3), seed);
        qd_view view = view_of(shown);
        view.colour = seed % 2 ? QD_VIEW_CONTACT : (seed % 4 ? QD_VIEW_ID : QD_VIEW_HIDDEN);
        if (seed == 5) view.field_range = (qd_vec2){0.01, 1.5};
        qd_own(qdi_picture) picture = picture_of(world, &view, field);
        expect_patches(world, &view, &picture);
        ck_assert_uint_eq(picture.disk_count, view.colour == QD_VIEW_HIDDEN ? 0 : BODIES);
    }
}

// Arrows begin and end about the middle of their cells, along the mean velocity, and are never longer than a
// cell.
QD_TEST(arrows_point_along_the_velocity) {
    qd_own(qd_field) field = field_of(CELLS_X, CELLS_Y);
    qd_own(qd_world) world = crowd(QD_BOUNDARY_REFLECT, 1, 3);
    const qd_view view = view_of(QD_VIEW_FIELD_VELOCITY);
    qd_own(qdi_picture) picture = picture_of(world, &view, field);
    cell_sum sums[CELLS];
    sum_bodies(world, sums);
    const double side = (picture.world.max_x - picture.world.min_x) / (double)CELLS_X;
    ck_assert_uint_gt(picture.arrow_count, CELLS / 2);
    for (size_t i = 0; i < picture.arrow_count; ++i) {
        const qdi_arrow *arrow = &picture.arrows[i];
        const double x = (double)arrow->tip.x - (double)arrow->tail.x,
                     y = (double)arrow->tail.y - (double)arrow->tip.y;
        const int column = (int)((0.5 * (double)(arrow->tip.x + arrow->tail.x) - picture.world.min_x) / side),
                  row = (int)((picture.world.max_y - 0.5 * (double)(arrow->tip.y + arrow->tail.y)) / side);
        const cell_sum *sum = &sums[row * CELLS_X + column];
        const double length = sqrt(x * x + y * y), speed = sqrt(sum->x * sum->x + sum->y * sum->y);
        ck_assert_double_ge(length, 3 - 1e-3);
        ck_assert_double_lt(length, side);
        ck_assert_double_gt((x * sum->x + y * sum->y) / (length * speed), 0.9999);
        const double part = length / (speed / sum->mass) * picture.facts.field.y;
        ck_assert_double_eq_tol(part, 0.85 * side, 0.02 * side);
        for (int k = 0; k < 2; ++k) { // barbs lie behind the tip, on both sides
            const double bx = (double)arrow->barb[k].x - (double)arrow->tip.x,
                         by = (double)arrow->tip.y - (double)arrow->barb[k].y;
            ck_assert_double_lt(bx * x + by * y, 0);
            ck_assert((x * by - y * bx > 0) == (k == 1));
        }
    }
}

// Around a periodic world seen from afar each cell has as many images as fit, without a gap between them.
QD_TEST(images_fill_the_picture) {
    qd_own(qd_field) field = field_of(CELLS_X, CELLS_Y);
    qd_own(qd_world) world = crowd(QD_BOUNDARY_PERIODIC, 1, 4);
    qd_view view = view_of(QD_VIEW_FIELD_NUMBER_DENSITY);
    view.camera.zoom = 0.4;
    qd_own(qdi_picture) picture = picture_of(world, &view, field);
    cell_sum sums[CELLS];
    sum_bodies(world, sums);
    static unsigned char drawn[400][500];
    memset(drawn, 0, sizeof drawn);
    for (size_t i = 0; i < picture.patch_count; ++i) {
        const qdi_area *at = &picture.patches[i].area;
        for (int y = at->min_y; y < at->max_y; ++y)
            for (int x = at->min_x; x < at->max_x; ++x) drawn[y][x] += 1;
    }
    size_t empty = 0, twice = 0, covered = 0, holes = 0;
    for (int cell = 0; cell < CELLS; ++cell) empty += sums[cell].number == 0;
    for (int y = 0; y < 400; ++y) {
        for (int x = 0; x < 500; ++x) {
            twice += drawn[y][x] > 1;
            covered += drawn[y][x] == 1;
        }
    }
    holes = 400 * 500 - covered;
    ck_assert_uint_eq(twice, 0);
    ck_assert_double_eq_tol((double)holes / (400 * 500), (double)empty / CELLS, 0.03);
}

QD_TEST(any_number_of_threads) {
    qd_own(qd_field) field = field_of(CELLS_X, CELLS_Y);
    const qd_view view = view_of(QD_VIEW_FIELD_VELOCITY);
    qd_own(qd_world) first = crowd(QD_BOUNDARY_PERIODIC, 1, 6);
    qd_own(qdi_picture) one = picture_of(first, &view, field);
    for (int threads = 2; threads <= 8; threads *= 2) {
        qd_own(qd_world) world = crowd(QD_BOUNDARY_PERIODIC, threads, 6);
        qd_own(qdi_picture) other = picture_of(world, &view, field);
        ck_assert_uint_eq(other.patch_count, one.patch_count);
        ck_assert_uint_eq(other.arrow_count, one.arrow_count);
        for (size_t i = 0; i < one.patch_count; ++i) {
            ck_assert_mem_eq(&other.patches[i].area, &one.patches[i].area, sizeof(qdi_area));
            ck_assert_int_eq(other.patches[i].ink, one.patches[i].ink);
        }
        ck_assert_mem_eq(other.arrows, one.arrows, one.arrow_count * sizeof *one.arrows);
        ck_assert_mem_eq(&other.facts.field, &one.facts.field, sizeof(qd_vec2));
    }
}

QD_TEST(the_top_is_round) {
    static const double most[] = {0, 1, 1.01, 2, 2.1, 5, 7, 10, 0.13, 0.03, 1234, 3e-7};
    static const double want[] = {1, 1, 2, 2, 5, 5, 10, 10, 0.2, 0.05, 2000, 5e-7};
    for (size_t i = 0; i < sizeof most / sizeof most[0]; ++i)
        ck_assert_double_eq_tol(qdi_field_map_top(most[i]), want[i], 1e-12 * want[i]);
    ck_assert_double_eq(qdi_field_map_top((double)NAN), 1);
    ck_assert_double_eq(qdi_field_map_top(-3), 1);
    ck_assert_double_eq(qdi_field_map_top((double)INFINITY), 1);
}

// No body has an ink of the field, but where both lie along the map.
QD_TEST(inks_are_the_fields_own) {
    for (int colour = QD_VIEW_CONTACT; colour <= QD_VIEW_PSI6; ++colour) {
        qd_view view = view_of(QD_VIEW_FIELD_VELOCITY);
        view.colour = (qd_view_colour)colour;
        if (colour == QD_VIEW_REFILED) {
            ck_assert_ptr_nonnull(qdi_view_check(&view));
            continue;
        }
        ck_assert_ptr_null(qdi_view_check(&view));
        const qdi_field_inks inks = qdi_field_inks_of(&view);
        const bool map = qd_view_is_continuous(view.colour) || colour == QD_VIEW_HIDDEN;
        ck_assert_int_eq(inks.first + inks.steps, QDI_MAP_HUES);
        ck_assert_int_ge(inks.steps, 7);
        ck_assert(map ? inks.first == 0
                      : inks.first > (colour == QD_VIEW_CONTACT || colour == QD_VIEW_PLAIN ? QDI_HUE_TOUCHING
                                                                                           : QDI_CATEGORIES));
        const qdi_palette with = qdi_palette_make(&view);
        view.field = QD_VIEW_FIELD_NONE;
        const qdi_palette without = qdi_palette_make(&view);
        for (unsigned hue = 0; hue < QDI_HUES; ++hue) {
            const bool fields = (int)hue >= inks.first && (int)hue < QDI_MAP_HUES && !map;
            if (!fields && colour != QD_VIEW_HIDDEN)
                ck_assert_mem_eq(with.rgb[qdi_ink_of_hue(hue)], without.rgb[qdi_ink_of_hue(hue)], 3);
        }
        // The ends of the map are those of the map of speeds.
        view.colour = QD_VIEW_SPEED;
        const qdi_palette speeds = qdi_palette_make(&view);
        ck_assert_mem_eq(with.rgb[qdi_ink_of_hue((unsigned)inks.first)], speeds.rgb[qdi_ink_of_hue(0)], 3);
        ck_assert_mem_eq(with.rgb[qdi_ink_of_hue(QDI_MAP_HUES - 1)],
                         speeds.rgb[qdi_ink_of_hue(QDI_MAP_HUES - 1)], 3);
    }
}

QD_TEST(what_is_refused) {
    qd_view view = view_of((qd_view_field)(QD_VIEW_FIELD_CONTACT_NUMBER + 1));
    ck_assert_str_eq(qdi_view_check(&view), "unknown field");
    view = view_of(QD_VIEW_FIELD_VELOCITY);
    view.field_range = (qd_vec2){1, 1};
    ck_assert_str_eq(qdi_view_check(&view), "the range of the field's colours must rise");
    view = view_of(QD_VIEW_FIELD_VELOCITY);
    view.field_cells[1] = QD_FIELD_SIDE_MAX;
    ck_assert_str_eq(qdi_view_check(&view), "a field must have 1 to 32000 cells");
}

QD_TEST(no_memory) {
    qd_own(qd_world) world = crowd(QD_BOUNDARY_REFLECT, 1, 2);
    bool finished = false;
    for (size_t n = 1; !finished; ++n) {
        qd_test_allocator memory = qd_test_allocator_of(&memory, n);
        qd_frame_writer_def def = qd_frame_writer_def_default();
        def.allocator = &memory.allocator;
        def.view = view_of(QD_VIEW_FIELD_VELOCITY);
        def.view.width = def.view.height = 64;
        qd_frame_writer *writer = NULL;
        qd_status status = qd_frame_writer_create(&def, &writer, NULL);
        if (status == QD_OK) status = qd_frame_writer_push(writer, world);
        if (status == QD_OK) status = qd_frame_writer_finish(writer, NULL, NULL);
        ck_assert(status == QD_OK || status == QD_ERR_MEMORY);
        finished = status == QD_OK;
        qd_frame_writer_destroy(writer);
        ck_assert_uint_eq(memory.live, 0);
    }
}

// ---- golden pictures, on both grounds ----

static const char *theme_of(int number) {
    return number == 0 ? "view.theme=dark" : "view.theme=light";
}

QD_TEST_LOOP(golden_velocity, 0, 2) {
    const char *sets[] = {
        "view.size=[320, 420]", "view.field=velocity", "view.colour=hidden", "view.field_length=3.5",
        "view.nodes=none",      "view.contacts=false", theme_of(_i)};
    qd_test_golden_scene(_i == 0 ? "field_velocity" : "field_velocity_light", "hopper", 1, 200, sets, 7);
}

QD_TEST_LOOP(golden_pressure, 0, 2) {
    const char *sets[] = {
        "view.size=[480, 320]", "view.field=pressure", "view.colour=speed", "view.field_length=4",
        "view.nodes=none",      "view.contacts=false", theme_of(_i)};
    qd_test_golden_scene(_i == 0 ? "field_pressure" : "field_pressure_light", "pool", 1, 12, sets, 7);
}

QD_TEST_LOOP(golden_fraction, 0, 2) {
    const char *sets[] = {"view.size=[480, 320]",      "view.field=area_fraction",
                          "view.field_range=[0, 0.6]", "view.field_length=6",
                          "view.nodes=none",           "view.map=magma",
                          "view.colour=plain",         theme_of(_i)};
    qd_test_golden_scene(_i == 0 ? "field_fraction" : "field_fraction_light", "clusters", 1, 3, sets, 8);
}

QD_TEST_MAIN("field_map", 120, NULL, NULL)
