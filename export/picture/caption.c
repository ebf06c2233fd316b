#include "export/picture/caption.h"
#include "export/picture/view_check.h"

#include "export/raster/shade.h"
#include "sim/files/os.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { SMALLEST_SIZE = 9, COMMON_SIZE = 12, LARGEST_SIZE = 48 };

// The scale is at most so many times as long as the text is high.
enum { SCALE_SIZES = 6 };

// Names of the columns, and the widest value that each has room for.
static const char *const labels[QDI_CAPTION_COLUMNS] = {
    "step", "time", "bodies", "contacts", "nodes", "candidates/body", "tests/step", "steps/s", "ns/body"};
static const char *const widest[QDI_CAPTION_COLUMNS] = {
    "00000000", "00000.000", "00000000", "0000000", "000000", "00.00", "00000000", "0000000.0", "00000.0"};

// A colour's meaning.
typedef struct meaning {
    const char *name;
    unsigned hue;
} meaning;

static const meaning contact_meanings[] = {{"free", QDI_HUE_REST}, {"touching", QDI_HUE_TOUCHING}};

// What a search looked at and found: names, how many there are, and the ink of their outlines (0: none).
typedef struct search_meaning {
    const char *name;
    uint8_t ink;
    size_t count; // in qdi_search_facts; NOT_COUNTED
} search_meaning;
#define NOT_COUNTED SIZE_MAX
static const search_meaning retrieve_meanings[QDI_CAPTION_SEARCH] = {
    {"asked", QDI_INK_ASKED, NOT_COUNTED},
    {"looked at", QDI_INK_VISITED, offsetof(qdi_search_facts, nodes)},
    {"box tests", 0, offsetof(qdi_search_facts, tests)},
    {"candidates", QDI_INK_CANDIDATE, offsetof(qdi_search_facts, candidates)},
    {"hits", QDI_INK_HIT, offsetof(qdi_search_facts, hits)}};
static const search_meaning query_meanings[QDI_CAPTION_SEARCH] = {
    {"query", QDI_INK_HIT, NOT_COUNTED},
    {"looked at", QDI_INK_VISITED, offsetof(qdi_search_facts, nodes)},
    {"box tests", 0, offsetof(qdi_search_facts, tests)},
    {"candidates", QDI_INK_CANDIDATE, offsetof(qdi_search_facts, candidates)},
    {"inside", 0, offsetof(qdi_search_facts, hits)}};
static const char widest_count[] = "00000";

static const char widest_number[] = "-0.000e-000";

// The side of a caption's swatches of colour.
static int swatch_size(const qdi_font *font) {
    return font->size / 2 + 1;
}

// The gap between a caption's items.
static int gap_width(const qdi_font *font) {
    return font->size / 2 + 1;
}

typedef struct short_text {
    char text[32];
} short_text;

// Caption of a picture: how long a body takes to fade.
static short_text fade_text(int frames) {
    short_text made;
    (void)snprintf(made.text, sizeof made.text, frames == 1 ? "%d frame ago" : "%d frames ago", frames);
    return made;
}

// How wide a colour bar with a name and the numbers at its ends is.
static int colour_bar_width(const qdi_font *font, const char *name, int steps) {
    return qdi_font_width(font, name) + gap_width(font) +
           2 * (qdi_font_width(font, widest_number) + gap_width(font)) + steps * swatch_size(font);
}

// Name and unit of the view's field.
static const char *field_name(qd_view_field field) {
    static const char *const names[] = {"",         "number density", "mass density", "area fraction",
                                        "velocity", "temperature",    "pressure",     "contacts/body"};
    return names[field];
}

// How wide the caption's explanation of colours is.
static int colours_item_width(const qdi_font *font, const qd_view *view) {
    int gap = gap_width(font), swatch = swatch_size(font), width = 0;
    if (view->colour == QD_VIEW_PLAIN || view->colour == QD_VIEW_HIDDEN) return 0;
    if (view->colour == QD_VIEW_CONTACT) {
        for (size_t i = 0; i < sizeof contact_meanings / sizeof contact_meanings[0]; ++i)
            width += swatch + gap / 2 + qdi_font_width(font, contact_meanings[i].name) + gap;
        return width - gap;
    }
    width = qdi_font_width(font, qdi_shade_name(view->colour)) + gap;
    if (view->colour == QD_VIEW_REFILED)
        return width + qdi_font_width(font, widest_count) + QDI_MAP_HUES * swatch + 2 * gap +
               qdi_font_width(font, fade_text(view->fade).text);
    if (!qd_view_is_continuous(view->colour)) return width + QDI_CATEGORIES * (swatch + 2) - 2;
    return colour_bar_width(font, qdi_shade_name(view->colour), QDI_MAP_HUES);
}

// Caption of a picture: what an item tells of a search; NULL where it is no such item.
static const search_meaning *search_item(int item) {
    const int retrieve = item - QDI_CAPTION_RETRIEVE, query = item - QDI_CAPTION_QUERY;
    if (retrieve >= 0 && retrieve < QDI_CAPTION_SEARCH) return &retrieve_meanings[retrieve];
    return query >= 0 && query < QDI_CAPTION_SEARCH ? &query_meanings[query] : NULL;
}

// Caption of a picture: how wide an item that tells of a search is.
static int search_item_width(const qdi_caption *caption, int item) {
    const qdi_font *font = &caption->font;
    const search_meaning *told = search_item(item);
    const int gap = gap_width(font);
    if (item < QDI_CAPTION_QUERY ? caption->view.retrieve == QD_VIEW_NOBODY : isnan(caption->view.query.x))
        return 0;
    return (told->ink ? swatch_size(font) + gap / 2 : 0) + qdi_font_width(font, told->name) +
           (told->count != NOT_COUNTED ? gap + qdi_font_width(font, widest_count) : 0);
}

// True where the view's text has an item.
static bool has_item(const qd_view *view, int item) {
    if (item == QDI_CAPTION_TITLE) return true;
    if (item == QDI_CAPTION_STAGE) return view->stages && view->text & QD_VIEW_TEXT_STAGE;
    if (item < QDI_CAPTION_RETRIEVE) return view->text >> (item - QDI_CAPTION_COLUMN) & 1;
    return view->text & (item == QDI_CAPTION_SCALE ? QD_VIEW_TEXT_SCALE : QD_VIEW_TEXT_LEGEND);
}

static const char stage_label[] = "stage";

// How wide the caption's name of the stage may get.
static int stage_item_width(const qdi_font *font, const qd_view *view) {
    int widest_name = 0;
    for (uint64_t k = 0;; ++k) {
        const qdi_stage_name name = qdi_view_stage_name(view->stages, k);
        if (!name.text[0]) break;
        if (qdi_font_width(font, name.text) > widest_name) widest_name = qdi_font_width(font, name.text);
    }
    return qdi_font_width(font, stage_label) + gap_width(font) + widest_name;
}

// How wide an item of the caption is; 0 where it is not there.
static int caption_item_width(const qdi_caption *caption, int item) {
    const qdi_font *font = &caption->font;
    if (!has_item(&caption->view, item)) return 0;
    if (item == QDI_CAPTION_TITLE) return qdi_font_width(font, caption->title);
    if (item == QDI_CAPTION_STAGE) return stage_item_width(font, &caption->view);
    if (search_item(item)) return search_item_width(caption, item);
    if (item == QDI_CAPTION_COLOURS) return colours_item_width(font, &caption->view);
    if (item == QDI_CAPTION_FIELD)
        return caption->view.field == QD_VIEW_FIELD_NONE
                   ? 0
                   : colour_bar_width(font, field_name(caption->view.field),
                                      qdi_field_inks_of(&caption->view).steps);
    if (item == QDI_CAPTION_SCALE)
        return SCALE_SIZES * font->size + gap_width(font) + qdi_font_width(font, "5e-300");
    int column = item - QDI_CAPTION_COLUMN;
    return qdi_font_width(font, labels[column]) + gap_width(font) + qdi_font_width(font, widest[column]);
}

// How wide the caption is in one line, by which the size of its text is chosen.
static int caption_line_width(const qdi_caption *caption) {
    int width = caption->font.size;
    for (int item = QDI_CAPTION_STAGE; item < QDI_CAPTION_RETRIEVE; ++item)
        if (has_item(&caption->view, item)) width += caption_item_width(caption, item) + caption->font.size;
    return width;
}

// Moves the items that explain the picture to the right end of their line.
static void align_items_right(qdi_caption *caption, int width) {
    const int pad = caption->font.size;
    const qdi_caption_place *next = NULL;
    for (int item = QDI_CAPTION_SCALE; item >= QDI_CAPTION_COLOURS; --item) {
        qdi_caption_place *place = &caption->place[item];
        if (!place->shown || place->width > width - 2 * pad) continue;
        const int end = next && next->baseline == place->baseline ? next->x : width;
        place->x = end - pad - place->width;
        next = place;
    }
}

// Places items from left to right, in as many lines as it takes, as long as they fit into `height`;
// baselines are relative to the band's top. Returns the band's height.
static int place_caption_items(qdi_caption *caption, int width, int height) {
    const qdi_font *font = &caption->font;
    int pad = font->size, line = font->ascent + font->descent;
    int x = pad, y = pad / 2, band = 0;
    for (int item = 0; item < QDI_CAPTION_ITEMS; ++item) {
        int wide = caption_item_width(caption, item);
        if (wide == 0) continue;
        if (x > pad && x + wide + pad / 2 > width) {
            x = pad;
            y += line + pad / 4;
        }
        if (x + wide > width || y + line + pad / 2 > height) {
            if (item == QDI_CAPTION_TITLE || x + wide > width) continue;
            break;
        }
        band = y + line + pad / 2;
        caption->place[item] = (qdi_caption_place){true, x, wide, y + font->ascent};
        x += wide + pad;
    }
    align_items_right(caption, width);
    return band;
}

qd_status qdi_caption_create(const qd_allocator *allocator, const qd_view *view, const char *title,
                             qdi_caption *caption) {
    *caption = (qdi_caption){.world = {0, 0, view->width, view->height}, .view = *view};
    if (!view->text) return QD_OK;
    if (view->title && title) (void)snprintf(caption->title, sizeof caption->title, "%s", title);
    int size = view->height / 45 < view->width / 75 ? view->height / 45 : view->width / 75;
    if (size < COMMON_SIZE) size = COMMON_SIZE;
    if (size > LARGEST_SIZE) size = LARGEST_SIZE;
    qd_status status = qdi_font_create(allocator, size, &caption->font);
    if (status != QD_OK) return status;
    int need = caption_line_width(caption);
    if (need > view->width) {
        size = size * view->width / need;
        if (size < SMALLEST_SIZE) size = SMALLEST_SIZE;
        qdi_font_destroy(&caption->font);
        status = qdi_font_create(allocator, size, &caption->font);
        if (status != QD_OK) return status;
    }
    int band = place_caption_items(caption, view->width, view->height / 3);
    caption->band = (qdi_area){0, view->height - band, view->width, view->height};
    caption->world.max_y = view->height - band;
    for (int i = 0; i < QDI_CAPTION_ITEMS; ++i) caption->place[i].baseline += caption->band.min_y;
    return QD_OK;
}

// Releases the font of a caption.
void qdi_caption_destroy(qdi_caption *caption) {
    qdi_font_destroy(&caption->font);
}

// Time with as many decimals as one step of the mean length needs, and one more, so that their number does
// not change from frame to frame. Made of whole numbers: a decimal point is a point in every locale.
static void exact_time_text(const qdi_facts *facts, char *text, size_t bytes) {
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

// Time with as many digits as there is room for.
static void caption_time_text(const qdi_facts *facts, char *text, size_t bytes) {
    exact_time_text(facts, text, bytes);
    for (int digits = 9; digits > 3 && strlen(text) > strlen(widest[1]) + 1; --digits)
        (void)qdi_os_print_double(text, bytes, digits, facts->time);
}

// Caption of a picture: a number >= 0 with so many decimals, made of whole numbers as time is; "-" where it
// is not known.
static void fixed_text(double value, int decimals, char *text, size_t bytes) {
    uint64_t unit = 1;
    for (int i = 0; i < decimals; ++i) unit *= 10;
    if (!(value >= 0 && value * (double)unit < 9e18)) {
        (void)snprintf(text, bytes, "-");
        return;
    }
    const uint64_t units = (uint64_t)(value * (double)unit + 0.5);
    (void)snprintf(text, bytes, "%" PRIu64 ".%0*" PRIu64, units / unit, decimals, units % unit);
}

// Caption of a picture: draws a square of an ink.
static void draw_ink_swatch(const qdi_font *font, qdi_raster *raster, int x, int baseline, uint8_t ink) {
    qdi_area area = {x, baseline - font->size * 3 / 4, x + swatch_size(font), baseline};
    qdi_raster_fill(raster, area, ink);
}

// Caption of a picture: draws a square of a colour of bodies.
static void draw_swatch(const qdi_font *font, qdi_raster *raster, int x, int baseline, unsigned hue) {
    draw_ink_swatch(font, raster, x, baseline, qdi_ink_of_hue(hue));
}

// Caption of a picture: draws a bar of colours with a name and what its ends stand for.
static void draw_colour_bar(const qdi_font *font, qdi_raster *raster, const qdi_caption_place *place,
                            const char *name, qd_vec2 range, qdi_field_inks inks) {
    int x = place->x, baseline = place->baseline;
    char low[32], high[32];
    (void)qdi_os_print_double(low, sizeof low, 3, range.x);
    (void)qdi_os_print_double(high, sizeof high, 3, range.y);
    // The numbers need less than there is room for: what is left goes to the left, so that the bar's end
    // stays where it is.
    int numbers = qdi_font_width(font, low) + qdi_font_width(font, high);
    x += 2 * qdi_font_width(font, widest_number) - numbers;
    x = qdi_font_draw(font, raster, x, baseline, name, QDI_INK_LABEL) + gap_width(font);
    x = qdi_font_draw(font, raster, x, baseline, low, QDI_INK_VALUE) + gap_width(font);
    for (int step = 0; step < inks.steps; ++step, x += swatch_size(font))
        draw_ink_swatch(font, raster, x, baseline, qdi_ink_of_field(inks, (unsigned)step));
    (void)qdi_font_draw(font, raster, x + gap_width(font), baseline, high, QDI_INK_VALUE);
}

// Caption of a picture: draws how many bodies came into another node, and how they fade.
static void draw_fading_item(const qdi_caption *caption, qdi_raster *raster, int x, int baseline,
                             uint64_t count) {
    const qdi_font *font = &caption->font;
    char text[24];
    (void)snprintf(text, sizeof text, "%" PRIu64, count);
    x = qdi_font_draw(font, raster, x, baseline, qdi_shade_name(caption->view.colour), QDI_INK_LABEL);
    x += gap_width(font);
    (void)qdi_font_draw(font, raster, x, baseline, text, QDI_INK_VALUE);
    x += qdi_font_width(font, widest_count) + gap_width(font);
    for (unsigned i = 0; i < QDI_MAP_HUES; ++i, x += swatch_size(font))
        draw_swatch(font, raster, x, baseline, QDI_HUE_LIT - i);
    (void)qdi_font_draw(font, raster, x + gap_width(font), baseline, fade_text(caption->view.fade).text,
                        QDI_INK_LABEL);
}

// Draws the caption's explanation of colours.
static void draw_colours_item(const qdi_caption *caption, qdi_raster *raster, const qdi_facts *facts,
                              double top) {
    const qdi_font *font = &caption->font;
    const qdi_caption_place *place = &caption->place[QDI_CAPTION_COLOURS];
    int x = place->x, baseline = place->baseline;
    if (qd_view_is_continuous(caption->view.colour)) {
        draw_colour_bar(font, raster, place, qdi_shade_name(caption->view.colour),
                        qdi_shade_range(&caption->view, top), (qdi_field_inks){0, QDI_MAP_HUES, QDI_LEVELS});
    } else if (caption->view.colour == QD_VIEW_REFILED) {
        draw_fading_item(caption, raster, x, baseline, facts->refiled);
    } else if (caption->view.colour == QD_VIEW_CONTACT) {
        for (size_t i = 0; i < sizeof contact_meanings / sizeof contact_meanings[0]; ++i) {
            draw_swatch(font, raster, x, baseline, contact_meanings[i].hue);
            x += swatch_size(font) + gap_width(font) / 2;
            x = qdi_font_draw(font, raster, x, baseline, contact_meanings[i].name, QDI_INK_LABEL) +
                gap_width(font);
        }
    } else {
        x = qdi_font_draw(font, raster, x, baseline, qdi_shade_name(caption->view.colour), QDI_INK_LABEL);
        x += gap_width(font);
        for (unsigned hue = 0; hue < QDI_CATEGORIES; ++hue, x += swatch_size(font) + 2)
            draw_swatch(font, raster, x, baseline, hue);
    }
}

// Caption of a picture: draws an item that tells of a search: a swatch of the outlines' colour, what they
// are, and how many there are.
static void draw_search_item(const qdi_caption *caption, qdi_raster *raster, int item,
                             const qdi_facts *facts) {
    const qdi_font *font = &caption->font;
    const qdi_caption_place *place = &caption->place[item];
    const qdi_search_facts *found = item < QDI_CAPTION_QUERY ? &facts->retrieve : &facts->query;
    const search_meaning *told = search_item(item);
    int x = place->x, wide = swatch_size(font);
    if (!place->shown) return;
    if (told->ink) {
        const qdi_area swatch = {x, place->baseline - wide, x + wide, place->baseline};
        qdi_raster_fill(raster, swatch, told->ink);
        x += wide + gap_width(font) / 2;
    }
    x = qdi_font_draw(font, raster, x, place->baseline, told->name, QDI_INK_LABEL) + gap_width(font);
    if (told->count == NOT_COUNTED) return;
    char text[24];
    const uint64_t *count = (const uint64_t *)(const void *)((const char *)found + told->count);
    (void)snprintf(text, sizeof text, "%" PRIu64, *count);
    (void)qdi_font_draw(font, raster, x, place->baseline, text, QDI_INK_VALUE);
}

double qdi_caption_round(double most, char text[32]) {
    double unit = 1.0;
    while (unit * 10.0 <= most && unit < 1e30) unit *= 10.0;
    while (unit > most && unit > 1e-30) unit /= 10.0;
    double length = 5.0 * unit <= most ? 5.0 * unit : (2.0 * unit <= most ? 2.0 * unit : unit);
    (void)qdi_os_print_double(text, 32, 3, length);
    return length;
}

// Draws the caption's scale: a length between two ticks, and how long it is in the world.
static void draw_scale_item(const qdi_caption *caption, qdi_raster *raster, double scale) {
    const qdi_font *font = &caption->font;
    const qdi_caption_place *place = &caption->place[QDI_CAPTION_SCALE];
    if (!(scale > 0.0)) return;
    char text[32];
    int long_at_most = SCALE_SIZES * font->size, thick = font->size / 12 + 1;
    double length = qdi_caption_round(long_at_most / scale, text);
    int pixels = (int)floor(length * scale + 0.5), tall = font->size / 2;
    if (pixels < 2) return;
    int end = place->x + place->width - qdi_font_width(font, text) - gap_width(font), from = end - pixels;
    int middle = place->baseline - font->size * 3 / 8;
    uint8_t ink = QDI_INK_LABEL + QDI_TEXT_LEVELS - 1;
    qdi_raster_fill(raster, (qdi_area){from, middle, end, middle + thick}, ink);
    qdi_raster_fill(raster, (qdi_area){from, middle - tall / 2, from + thick, middle + tall / 2 + thick},
                    ink);
    qdi_raster_fill(raster, (qdi_area){end - thick, middle - tall / 2, end, middle + tall / 2 + thick}, ink);
    (void)qdi_font_draw(font, raster, end + gap_width(font), place->baseline, text, QDI_INK_VALUE);
}

// Draws the name of the run's stage.
static void draw_stage_item(const qdi_caption *caption, qdi_raster *raster, uint64_t stage) {
    const qdi_font *font = &caption->font;
    const qdi_caption_place *place = &caption->place[QDI_CAPTION_STAGE];
    const qdi_stage_name name = qdi_view_stage_name(caption->view.stages, stage);
    const int x = qdi_font_draw(font, raster, place->x, place->baseline, stage_label, QDI_INK_LABEL);
    (void)qdi_font_draw(font, raster, x + gap_width(font), place->baseline, name.text, QDI_INK_VALUE);
}

// Draws the caption's columns of numbers.
static void draw_caption_columns(const qdi_caption *caption, qdi_raster *raster, const qdi_facts *facts) {
    char values[QDI_CAPTION_COLUMNS][48];
    (void)snprintf(values[0], sizeof values[0], "%" PRIu64, facts->step);
    caption_time_text(facts, values[1], sizeof values[1]);
    (void)snprintf(values[2], sizeof values[2], "%" PRIu64, facts->bodies);
    (void)snprintf(values[3], sizeof values[3], "%" PRIu64, facts->contacts);
    (void)snprintf(values[4], sizeof values[4], "%" PRIu64, facts->nodes);
    fixed_text(facts->candidates, 2, values[5], sizeof values[5]);
    (void)snprintf(values[6], sizeof values[6], "%" PRIu64, facts->tests);
    fixed_text(facts->rate, 1, values[7], sizeof values[7]);
    fixed_text(facts->cost, 1, values[8], sizeof values[8]);
    for (int i = 0; i < QDI_CAPTION_COLUMNS; ++i) {
        const qdi_caption_place *place = &caption->place[QDI_CAPTION_COLUMN + i];
        if (!place->shown) continue;
        int x = qdi_font_draw(&caption->font, raster, place->x, place->baseline, labels[i], QDI_INK_LABEL);
        (void)qdi_font_draw(&caption->font, raster, x + gap_width(&caption->font), place->baseline, values[i],
                            QDI_INK_VALUE);
    }
}

void qdi_caption_draw(const qdi_caption *caption, qdi_raster *raster, const qdi_facts *facts, double top) {
    if (caption->band.max_y == caption->band.min_y) return;
    const qdi_caption_place *title = &caption->place[QDI_CAPTION_TITLE];
    qdi_raster_fill(raster, caption->band, QDI_INK_BAND);
    if (title->shown)
        (void)qdi_font_draw(&caption->font, raster, title->x, title->baseline, caption->title, QDI_INK_VALUE);
    if (caption->place[QDI_CAPTION_STAGE].shown) draw_stage_item(caption, raster, facts->stage);
    draw_caption_columns(caption, raster, facts);
    for (int item = QDI_CAPTION_RETRIEVE; item < QDI_CAPTION_COLOURS; ++item)
        draw_search_item(caption, raster, item, facts);
    if (caption->place[QDI_CAPTION_COLOURS].shown) draw_colours_item(caption, raster, facts, top);
    if (caption->place[QDI_CAPTION_FIELD].shown)
        draw_colour_bar(&caption->font, raster, &caption->place[QDI_CAPTION_FIELD],
                        field_name(caption->view.field), facts->field, qdi_field_inks_of(&caption->view));
    if (caption->place[QDI_CAPTION_SCALE].shown) draw_scale_item(caption, raster, facts->scale);
}
