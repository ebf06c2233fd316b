#include "export/image/montage.h"

#include "core/base/memory.h"

#include <stdio.h>
#include <string.h>

enum { GAP = 4, SMALLEST_TEXT = 10, LARGEST_TEXT = 32, LINES_IN_A_PICTURE = 32 };

// ---- where things are ----

/// Montage of images: the size of the largest picture in one direction.
static int largest_side(const qdi_png_loaded *pictures, size_t count, bool height) {
    int most = 0;
    for (size_t i = 0; i < count; ++i) {
        int side = height ? pictures[i].height : pictures[i].width;
        if (side > most) most = side;
    }
    return most;
}

/// Gives each picture its place, and the montage its size. Side by side each place is as wide as its picture
/// and as high as the highest, above each other the other way round.
static void lay_out_cells(qdi_montage *montage, const qdi_png_loaded *pictures, bool above, int caption) {
    const int wide = largest_side(pictures, montage->count, false);
    const int high = largest_side(pictures, montage->count, true);
    int at = 0;
    for (size_t i = 0; i < montage->count; ++i) {
        const int width = pictures[i].width, height = pictures[i].height;
        const int x = above ? 0 : at, y = above ? at : 0, room = above ? wide : width;
        const int left = x + (room - width) / 2;
        const int top = y + caption + (above ? 0 : (high - height) / 2);
        montage->cells[i].caption = (qdi_area){x, y, x + room, y + caption};
        montage->cells[i].picture = (qdi_area){left, top, left + width, top + height};
        at += (above ? caption + height : width) + GAP;
    }
    montage->width = above ? wide : at - GAP;
    montage->height = above ? at - GAP : caption + high;
}

// ---- colours ----

/// The place of a colour among the montage's, to which it is added where it is new; -1 where there is no room
/// for it.
static int colour_place(qdi_montage *montage, const uint8_t rgb[3]) {
    for (int i = 0; i < montage->colours; ++i)
        if (memcmp(montage->rgb[i], rgb, 3) == 0) return i;
    if (montage->colours == 256) return -1;
    memcpy(montage->rgb[montage->colours], rgb, 3);
    return montage->colours++;
}

/// Montage of images: puts the colours of all pictures and captions into one palette; false where they are
/// too many for one. The ground is its first.
static bool merge_palettes(qdi_montage *montage, const qdi_png_loaded *pictures) {
    bool fits = colour_place(montage, montage->palette.rgb[QDI_INK_BAND]) >= 0;
    for (int ink = QDI_INK_VALUE; fits && ink < QDI_INK_VALUE + QDI_TEXT_LEVELS; ++ink)
        fits = colour_place(montage, montage->palette.rgb[ink]) >= 0;
    for (size_t i = 0; fits && i < montage->count; ++i) {
        qdi_montage_cell *cell = &montage->cells[i];
        fits = pictures[i].colours > 0;
        cell->colours = pictures[i].colours;
        memcpy(cell->rgb, pictures[i].rgb, sizeof cell->rgb);
        for (int k = 0; fits && k < cell->colours; ++k) {
            int place = colour_place(montage, cell->rgb[k]);
            fits = place >= 0;
            cell->index_of[k] = (uint8_t)(fits ? place : 0);
        }
    }
    return fits;
}

/// Montage of images: captions are dark where the first picture's ground is, which is its first colour, or
/// its first pixel.
static qd_view_theme ground_theme(const qdi_png_loaded *first) {
    const uint8_t *rgb = first->colours > 0 ? first->rgb[0] : first->pixels;
    return rgb[0] + rgb[1] + rgb[2] > 3 * 128 ? QD_VIEW_LIGHT : QD_VIEW_DARK;
}

/// Montage of images: makes the pixels, all of the ground's colour.
static qd_status make_ground(qdi_montage *montage) {
    const size_t area = (size_t)montage->width * (size_t)montage->height;
    montage->bytes = area * (montage->colours > 0 ? 1 : 3);
    montage->pixels = qdi_allocate(montage->allocator, montage->bytes, 1);
    if (!montage->pixels) return QD_ERR_MEMORY;
    if (montage->colours > 0)
        memset(montage->pixels, 0, montage->bytes);
    else
        for (size_t i = 0; i < area; ++i)
            memcpy(montage->pixels + 3 * i, montage->palette.rgb[QDI_INK_BAND], 3);
    return QD_OK;
}

qd_status qdi_montage_create(const qd_allocator *allocator, const qdi_montage_plan *plan,
                             const qdi_png_loaded *pictures, size_t count, qdi_montage *montage,
                             qd_error *error) {
    *montage = (qdi_montage){.allocator = allocator, .count = count};
    qd_view view = qd_view_default();
    view.theme = ground_theme(&pictures[0]);
    montage->palette = qdi_palette_make(&view);
    int caption = 0;
    if (plan->captions) {
        int size = largest_side(pictures, count, true) / LINES_IN_A_PICTURE;
        size = size < SMALLEST_TEXT ? SMALLEST_TEXT : size;
        qd_status status = qdi_font_create(allocator, size > LARGEST_TEXT ? LARGEST_TEXT : size,
                                           &montage->font);
        if (status != QD_OK) return status;
        caption = montage->font.ascent + montage->font.descent + montage->font.size / 2;
        caption += caption % 2; // most videos have even sizes, and so have the pictures as a rule
    }
    lay_out_cells(montage, pictures, plan->above, caption);
    if (montage->width > QDI_MONTAGE_SIDE || montage->height > QDI_MONTAGE_SIDE) {
        snprintf(error->text, sizeof error->text,
                 "together they would be %d x %d pixels: at most %d are possible", montage->width,
                 montage->height, QDI_MONTAGE_SIDE);
        qdi_montage_destroy(montage);
        return QD_ERR_VALUE;
    }
    if (plan->true_colour || !merge_palettes(montage, pictures)) montage->colours = 0;
    qd_status status = make_ground(montage);
    if (status != QD_OK) qdi_montage_destroy(montage);
    return status;
}

void qdi_montage_destroy(qdi_montage *montage) {
    if (montage->pixels) qdi_release(montage->allocator, montage->pixels, montage->bytes, 1);
    qdi_font_destroy(&montage->font);
    *montage = (qdi_montage){.count = 0};
}

// ---- what is in it ----

/// Copies rows of pixels to a place. A pixel becomes `index_of` it where the montage has a palette, else its
/// colour in `rgb`, or where that is NULL it has three bytes already.
static void copy_rows(qdi_montage *montage, qdi_area to, const uint8_t *from, const uint8_t *index_of,
                      const uint8_t (*rgb)[3]) {
    const size_t width = (size_t)(to.max_x - to.min_x), depth = montage->colours > 0 ? 1 : 3;
    for (int y = to.min_y; y < to.max_y; ++y, from += width * (rgb ? 1 : 3)) {
        uint8_t *row = montage->pixels + ((size_t)y * (size_t)montage->width + (size_t)to.min_x) * depth;
        if (montage->colours > 0)
            for (size_t x = 0; x < width; ++x) row[x] = index_of[from[x]];
        else if (rgb)
            for (size_t x = 0; x < width; ++x) memcpy(row + 3 * x, rgb[from[x]], 3);
        else
            memcpy(row, from, 3 * width);
    }
}

/// Montage of images: copies a text that is no wider than `room` pixels: of a longer one the beginning and
/// "...".
static void cut_text(const qdi_font *font, const char *text, int room, char *cut, size_t bytes) {
    int kept = snprintf(cut, bytes, "%s", text);
    while (kept > 0 && (kept >= (int)bytes || qdi_font_width(font, cut) > room)) {
        if (kept >= (int)bytes) kept = (int)bytes - 4;
        (void)snprintf(cut, bytes, "%.*s...", --kept, text);
    }
    if (kept <= 0) cut[0] = '\0';
}

qd_status qdi_montage_caption(qdi_montage *montage, size_t cell, const char *text) {
    const qdi_area to = montage->cells[cell].caption;
    const qdi_font *font = &montage->font;
    const int width = to.max_x - to.min_x, height = to.max_y - to.min_y;
    if (height == 0) return QD_OK;
    qdi_raster strip;
    qd_status status = qdi_raster_create(montage->allocator, width, height, &strip);
    if (status != QD_OK) return status;
    char cut[256];
    cut_text(font, text, width - font->size, cut, sizeof cut);
    memset(strip.pixels, QDI_INK_BAND, (size_t)width * (size_t)height);
    int x = (width - qdi_font_width(font, cut)) / 2;
    (void)qdi_font_draw(font, &strip, x, font->size / 4 + font->ascent, cut, QDI_INK_VALUE);
    uint8_t index_of[256] = {0};
    for (int ink = QDI_INK_VALUE; montage->colours > 0 && ink < QDI_INK_VALUE + QDI_TEXT_LEVELS; ++ink)
        index_of[ink] = (uint8_t)colour_place(montage, montage->palette.rgb[ink]);
    copy_rows(montage, to, strip.pixels, index_of, montage->palette.rgb);
    qdi_raster_destroy(&strip);
    return QD_OK;
}

qd_status qdi_montage_put(qdi_montage *montage, size_t number, const qdi_png_loaded *picture) {
    const qdi_montage_cell *cell = &montage->cells[number];
    const qdi_area to = cell->picture;
    if (picture->width != to.max_x - to.min_x || picture->height != to.max_y - to.min_y)
        return QD_ERR_CORRUPT;
    if (montage->colours > 0 &&
        (picture->colours != cell->colours ||
         memcmp(picture->rgb, cell->rgb, (size_t)cell->colours * sizeof cell->rgb[0]) != 0))
        return QD_ERR_VALUE;
    copy_rows(montage, to, picture->pixels, cell->index_of, picture->colours > 0 ? picture->rgb : NULL);
    return QD_OK;
}
