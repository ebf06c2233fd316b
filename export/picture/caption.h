#pragma once

#include "export/picture/picture.h"
#include "export/raster/text.h"

/// The text below the world, on a ground of its own: the title, numbers in columns that stay where they are
/// from frame to frame, what the colours mean, and a scale, as far as the view's text has them.

/// The columns are the first bits of qd_view_text, in their order.
#define QDI_CAPTION_COLUMNS 9

/// What is told of a search: each what was asked, or looked at, or found, and how many of these there are.
#define QDI_CAPTION_SEARCH 5

/// The items of the caption, in this order.
typedef enum qdi_caption_item {
    QDI_CAPTION_TITLE,
    QDI_CAPTION_STAGE,
    QDI_CAPTION_COLUMN,                                              ///< the first of the columns
    QDI_CAPTION_RETRIEVE = QDI_CAPTION_COLUMN + QDI_CAPTION_COLUMNS, ///< of the view's retrieve, the first
    QDI_CAPTION_QUERY = QDI_CAPTION_RETRIEVE + QDI_CAPTION_SEARCH,   ///< the same of the view's query
    QDI_CAPTION_COLOURS = QDI_CAPTION_QUERY + QDI_CAPTION_SEARCH,    ///< colour bar or legend
    QDI_CAPTION_FIELD,                                               ///< colour bar of the view's field
    QDI_CAPTION_SCALE,
    QDI_CAPTION_ITEMS
} qdi_caption_item;

/// Where an item is.
typedef struct qdi_caption_place {
    bool shown;
    int x, width; ///< the room that it may use
    int baseline;
} qdi_caption_place;

typedef struct qdi_caption {
    qdi_font font;
    qdi_area band;  ///< empty where there is no room for text, or none is wanted
    qdi_area world; ///< the rest of the picture
    qd_view view;
    char title[65];
    qdi_caption_place place[QDI_CAPTION_ITEMS];
} qdi_caption;

/// Lays out the text for pictures of a view's size: as large as fits into one line; where that would be too
/// small to read, in several lines, but never on more than a third of the picture: items that do not fit
/// then are left out. `title` is shown where the view has one; it may be NULL. Errors: QD_ERR_MEMORY,
/// QD_ERR_INTERNAL (font).
QD_MUST_USE qd_status qdi_caption_create(const qd_allocator *allocator, const qd_view *view,
                                         const char *title, qdi_caption *caption);

void qdi_caption_destroy(qdi_caption *caption);

/// Draws it. `top` is that of the colour map where the view's range is auto.
void qdi_caption_draw(const qdi_caption *caption, qdi_raster *raster, const qdi_facts *facts, double top);

/// The longest of the lengths 1, 2 and 5 times a power of ten that is at most `most` > 0 long; it is written
/// to `text` too.
double qdi_caption_round(double most, char text[32]);
