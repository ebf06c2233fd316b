// Pictures that are made by hand, not of a world: they change only when drawing does.
#include "export/image/png_sink.h"
#include "export/picture/caption.h"
#include "export/picture/picture.h"
#include "tests/support/golden.h"
#include "tests/support/harness.h"
#include "tests/support/pictures.h"

static void draw_golden(const char *name, const qd_view *view, qdi_side side) {
    qdi_disk disks[160];
    qdi_line lines[] = {{120, 0, 120, 200, 1, QDI_INK_NODE + 1},
                        {0, 72, 260, 72, 1, QDI_INK_NODE + 1},
                        {60, 0, 60, 72, 2, QDI_INK_NODE + 2},
                        {0, 36, 120, 36, 2, QDI_INK_NODE + 2},
                        {30, 0, 30, 36, 3, QDI_INK_NODE + 3}};
    qdi_mark marks[] = {{46.0F, 40.0F, 0.8F, 0.6F, 12.0F, -1.0F},
                        {100.5F, 60.2F, 1.0F, 0.0F, 4.0F, -1.0F},
                        {180.0F, 30.0F, 0.0F, -1.0F, 30.0F, -1.0F}};
    qdi_caption caption;
    qdi_raster raster;
    const qd_allocator *heap = qd_allocator_default();
    ck_assert_int_eq(qdi_caption_create(heap, view, "scene", &caption), QD_OK);
    ck_assert_int_eq(qdi_raster_create(heap, view->width, view->height, &raster), QD_OK);
    for (int i = 0; i < 160; ++i) {
        float radius = 0.2F + (float)(i * i % 97) * (float)(i % 7 == 0 ? 0.2 : 0.05);
        disks[i] = (qdi_disk){.x = 7.3F + (float)(i * 53 % 241) * (float)view->width / 256.0F,
                              .y = 6.1F + (float)(i * 31 % 127),
                              .radius = radius,
                              .index = (uint32_t)i,
                              .hue = (uint8_t)(i % QDI_HUES),
                              .wide = true};
        if (view->colour == QD_VIEW_CONTACT) disks[i].hue %= 2;
    }
    qdi_picture picture = {.facts = {1234, 20.5667, 160, 3, 17, 0, 0, 0, 0, 8.5, 0, {0}, {0}, {0, 0}, 0},
                           .side_x = side,
                           .side_y = side};
    picture.world = picture.clip = (qdi_area){6, 6, view->width - 6, caption.world.max_y - 6};
    picture.disks = disks;
    picture.disk_count = 160;
    picture.lines = lines;
    picture.line_count = sizeof lines / sizeof lines[0];
    picture.marks = marks;
    picture.mark_count = sizeof marks / sizeof marks[0];
    qd_test_draw(&picture, &raster);
    qdi_caption_draw(&caption, &raster, &picture.facts, 12.5);

    qdi_palette palette = qdi_palette_make(view);
    qdi_png_image image = {view->width, view->height, raster.pixels, &palette, NULL, 0};
    qdi_bytes bytes = {0};
    qd_error error;
    ck_assert_int_eq(qdi_png_encode(heap, &image, &bytes, &error), QD_OK);
    qd_test_golden(name, bytes.data, bytes.size);
    qdi_bytes_release(heap, &bytes);
    qdi_raster_destroy(&raster);
    qdi_caption_destroy(&caption);
}

/// Part of a heap's pixels, in thousandths, that contact marks cover: disks of a radius in rows, each
/// touching its neighbours.
static int covered_by_marks(float radius) {
    enum { SIDE = 200, MOST = 2 * SIDE * SIDE / 16 };
    static qdi_mark marks[MOST];
    qdi_picture picture = {.clip = {0, 0, SIDE, SIDE}, .world = {0, 0, SIDE, SIDE}, .marks = marks};
    for (float y = radius; y < SIDE; y += 2 * radius) {
        for (float x = radius; x < SIDE && picture.mark_count + 2 <= MOST; x += 2 * radius) {
            marks[picture.mark_count++] = (qdi_mark){x + radius, y, 1, 0, radius, -1};
            marks[picture.mark_count++] = (qdi_mark){x, y + radius, 0, 1, radius, -1};
        }
    }
    qd_own(qdi_raster) raster;
    ck_assert_int_eq(qdi_raster_create(qd_allocator_default(), SIDE, SIDE, &raster), QD_OK);
    qd_test_draw(&picture, &raster);
    int covered = 0;
    for (int p = 0; p < SIDE * SIDE; ++p)
        covered += raster.pixels[p] >= QDI_INK_MARK && raster.pixels[p] < QDI_INK_BAND;
    return covered * 1000 / (SIDE * SIDE);
}

QD_TEST(marks_leave_heaps_their_colours) {
    for (int radius = 3; radius <= 20; ++radius) {
        int covered = covered_by_marks((float)radius);
        ck_assert_msg(covered > 10 && covered < 260, "radius %d: %d", radius, covered);
    }
}

// Contacts, speeds, and a picture without text.
QD_TEST_LOOP(golden_pictures, 0, 3) {
    static const struct {
        const char *name;
        int width, height;
        qdi_side side;
    } of[] = {{"contact", 256, 160, QDI_SIDE_WALL},
              {"speed", 960, 160, QDI_SIDE_PERIODIC},
              {"plain", 97, 61, QDI_SIDE_OPEN}};
    qd_view view = qd_view_default();
    view.width = of[_i].width, view.height = of[_i].height;
    if (_i == 1) view.colour = QD_VIEW_SPEED;
    if (_i == 2) view.text = false;
    draw_golden(of[_i].name, &view, of[_i].side);
}

QD_TEST_MAIN("picture_golden", 120, NULL, NULL)
