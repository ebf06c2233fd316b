#ifndef QD_EXPORT_CAPTION_H
#define QD_EXPORT_CAPTION_H

#include "export/picture.h"
#include "export/text.h"

/// The text below the world, on a ground of its own: step, time, bodies, contacts and nodes in columns that
/// stay where they are from frame to frame, and the colour bar where bodies are coloured by speed.

#define QDI_CAPTION_COLUMNS 5

typedef struct qdi_caption {
    qdi_font font;
    qdi_area band;  ///< empty where there is no room for text, or none is wanted
    qdi_area world; ///< the rest of the picture
    int columns;    ///< that fit
    int label_x[QDI_CAPTION_COLUMNS], value_x[QDI_CAPTION_COLUMNS];
    int baseline[QDI_CAPTION_COLUMNS]; ///< of each column, from the picture's top
    int end_x;                         ///< behind the last column
    bool colour_bar;
} qdi_caption;

/// Lays out the text for pictures of a view's size: as large as fits into one line; where that would be too
/// small to read, in several lines, but never on more than a third of the picture: columns that do not fit
/// then are left out. Errors: QD_ERR_MEMORY, QD_ERR_INTERNAL (font).
QD_MUST_USE qd_status qdi_caption_create(const qd_allocator *allocator, const qd_view *view,
                                         qdi_caption *caption);

void qdi_caption_destroy(qdi_caption *caption);

/// Draws it. `speed_top` is for the colour bar.
void qdi_caption_draw(const qdi_caption *caption, qdi_raster *raster, const qdi_facts *facts,
                      double speed_top);

#endif
