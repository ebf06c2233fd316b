#include "export/caption.h"

#include "sim/os.h"

#include <inttypes.h>
#include <stdio.h>

enum { SMALLEST_SIZE = 9, COMMON_SIZE = 12, LARGEST_SIZE = 48 };

// Names of the columns, and the widest value that each has room for.
static const char *const labels[QDI_CAPTION_COLUMNS] = {"step", "time", "bodies", "contacts", "nodes"};
static const char *const widest[QDI_CAPTION_COLUMNS] = {"00000000", "00000.000", "00000000", "0000000",
                                                        "000000"};

static int column_width(const qdi_font *font, int column) {
    return qdi_font_width(font, labels[column]) + font->size / 2 + 1 + qdi_font_width(font, widest[column]);
}

static int line_width(const qdi_font *font) {
    int width = font->size;
    for (int i = 0; i < QDI_CAPTION_COLUMNS; ++i) width += column_width(font, i) + font->size;
    return width;
}

// Places columns from left to right, in as many lines as it takes, as long as they fit into `height`;
// baselines are relative to the band's top. Returns the band's height.
static int place_columns(qdi_caption *caption, int width, int height) {
    const qdi_font *font = &caption->font;
    int pad = font->size, line = font->ascent + font->descent;
    int x = pad, y = pad / 2, band = 0;
    for (int i = 0; i < QDI_CAPTION_COLUMNS; ++i) {
        int wide = column_width(font, i);
        if (x > pad && x + wide + pad / 2 > width) {
            x = pad;
            y += line + pad / 4;
        }
        if (x + wide > width || y + line + pad / 2 > height) break;
        band = y + line + pad / 2;
        caption->label_x[i] = x;
        caption->value_x[i] = x + qdi_font_width(font, labels[i]) + font->size / 2 + 1;
        caption->baseline[i] = y + font->ascent;
        caption->columns = i + 1;
        x += wide;
        caption->end_x = x;
        x += pad;
    }
    return band;
}

qd_status qdi_caption_create(const qd_allocator *allocator, const qd_view *view, qdi_caption *caption) {
    *caption = (qdi_caption){.world = {0, 0, view->width, view->height}};
    if (!view->text) return QD_OK;
    int size = view->height / 45 < view->width / 75 ? view->height / 45 : view->width / 75;
    if (size < COMMON_SIZE) size = COMMON_SIZE;
    if (size > LARGEST_SIZE) size = LARGEST_SIZE;
    qd_status status = qdi_font_create(allocator, size, &caption->font);
    if (status != QD_OK) return status;
    int need = line_width(&caption->font);
    if (need > view->width) {
        size = size * view->width / need;
        if (size < SMALLEST_SIZE) size = SMALLEST_SIZE;
        qdi_font_destroy(&caption->font);
        status = qdi_font_create(allocator, size, &caption->font);
        if (status != QD_OK) return status;
    }
    int band = place_columns(caption, view->width, view->height / 3);
    caption->band = (qdi_area){0, view->height - band, view->width, view->height};
    caption->world.max_y = view->height - band;
    for (int i = 0; i < caption->columns; ++i) caption->baseline[i] += caption->band.min_y;
    caption->colour_bar = view->colour == QD_VIEW_SPEED && caption->columns == QDI_CAPTION_COLUMNS;
    return QD_OK;
}

void qdi_caption_destroy(qdi_caption *caption) {
    qdi_font_destroy(&caption->font);
}

// Time with as many decimals as one step of the mean length needs, and one more, so that their number does
// not change from frame to frame. Made of whole numbers: a decimal point is a point in every locale.
static void time_text(const qdi_facts *facts, char *text, size_t bytes) {
    uint64_t unit = 1;
    if (facts->step > 0 && facts->time > 0.0) {
        double step = facts->time / (double)facts->step;
        for (unit = 10; step < 0.999 && unit < 1000000000; unit *= 10) step *= 10.0;
    }
    double scaled = facts->time * (double)unit + 0.5;
    if (unit == 1 || scaled > 9e18) {
        (void)qdi_os_print_double(text, bytes, 9, facts->time);
        return;
    }
    uint64_t units = (uint64_t)scaled;
    int used = snprintf(text, bytes, "%" PRIu64 ".", units / unit);
    for (uint64_t rest = units % unit; unit > 1; rest %= unit) {
        unit /= 10;
        text[used++] = (char)('0' + rest / unit);
    }
    text[used] = '\0';
}

static void draw_colour_bar(const qdi_caption *caption, qdi_raster *raster, double speed_top) {
    const qdi_font *font = &caption->font;
    char top[32];
    (void)qdi_os_print_double(top, sizeof top, 3, speed_top);
    int baseline = caption->baseline[QDI_CAPTION_COLUMNS - 1];
    int gap = font->size / 2 + 1, step = font->size / 2 + 1;
    int label = qdi_font_width(font, "speed 0"), number = qdi_font_width(font, top);
    int x = caption->band.max_x - font->size - number - gap - step * QDI_HUES - gap - label;
    if (x < caption->end_x + font->size) return;
    x = qdi_font_draw(font, raster, x, baseline, "speed ", QDI_INK_LABEL);
    x = qdi_font_draw(font, raster, x, baseline, "0", QDI_INK_VALUE) + gap;
    for (unsigned hue = 0; hue < QDI_HUES; ++hue, x += step) {
        qdi_area area = {x, baseline - font->size * 3 / 4, x + step, baseline};
        qdi_raster_fill(raster, area, qdi_ink_of_hue(hue));
    }
    (void)qdi_font_draw(font, raster, x + gap, baseline, top, QDI_INK_VALUE);
}

void qdi_caption_draw(const qdi_caption *caption, qdi_raster *raster, const qdi_facts *facts,
                      double speed_top) {
    if (caption->band.max_y == caption->band.min_y) return;
    char values[QDI_CAPTION_COLUMNS][48];
    (void)snprintf(values[0], sizeof values[0], "%" PRIu64, facts->step);
    time_text(facts, values[1], sizeof values[1]);
    (void)snprintf(values[2], sizeof values[2], "%" PRIu64, facts->bodies);
    (void)snprintf(values[3], sizeof values[3], "%" PRIu64, facts->contacts);
    (void)snprintf(values[4], sizeof values[4], "%" PRIu64, facts->nodes);
    qdi_raster_fill(raster, caption->band, QDI_INK_BAND);
    for (int i = 0; i < caption->columns; ++i) {
        (void)qdi_font_draw(&caption->font, raster, caption->label_x[i], caption->baseline[i], labels[i],
                            QDI_INK_LABEL);
        (void)qdi_font_draw(&caption->font, raster, caption->value_x[i], caption->baseline[i], values[i],
                            QDI_INK_VALUE);
    }
    if (caption->colour_bar) draw_colour_bar(caption, raster, speed_top);
}
