#pragma once

#include "export/image/png_read.h"
#include "export/raster/text.h"

#include <stdbool.h>

/// One picture made of several: side by side or one above the other, each with its caption above it. Pixels
/// are copied, never scaled: a picture that is smaller than the largest lies in the middle of its place.
///
/// Where all palettes together have at most 256 colours the montage has a palette too, which is the same for
/// all its frames; else it is in true colour.

enum { QDI_MONTAGE_MOST = 16 /* pictures in one */, QDI_MONTAGE_SIDE = 16384 /* pixels */ };

/// The place of one of the pictures.
typedef struct qdi_montage_cell {
    qdi_area picture, caption;
    int colours;           ///< of the palette that `index_of` is for; 0: true colour
    uint8_t rgb[256][3];   ///< that palette
    uint8_t index_of[256]; ///< of its colours: where they are in the montage's palette
} qdi_montage_cell;

typedef struct qdi_montage {
    const qd_allocator *allocator;
    int width, height;
    int colours; ///< 0: true colour
    uint8_t rgb[256][3];
    uint8_t *pixels; ///< as those of a qdi_png_loaded
    size_t bytes;
    size_t count;
    qdi_montage_cell cells[QDI_MONTAGE_MOST];
    qdi_font font;       ///< of the captions, where there are any
    qdi_palette palette; ///< theirs
} qdi_montage;

/// How it is to be.
typedef struct qdi_montage_plan {
    bool above;       ///< one above the other instead of side by side
    bool captions;    ///< there is room for them
    bool true_colour; ///< whatever the palettes are
} qdi_montage_plan;

/// Lays out places for pictures of these sizes and palettes, 1 to QDI_MONTAGE_MOST of them. They are empty
/// until qdi_montage_put. Errors: QD_ERR_VALUE (it would have more than 16384 pixels a side; the reason in
/// `error`), QD_ERR_MEMORY, QD_ERR_INTERNAL (font).
QD_MUST_USE qd_status qdi_montage_create(const qd_allocator *allocator, const qdi_montage_plan *plan,
                                         const qdi_png_loaded *pictures, size_t count, qdi_montage *montage,
                                         qd_error *error);
/// Frees it; one that is all zero is fine.
void qdi_montage_destroy(qdi_montage *montage);

/// Writes the caption of a cell: what does not fit ends in "...". Nothing where there is no room for
/// captions. Errors: QD_ERR_MEMORY.
QD_MUST_USE qd_status qdi_montage_caption(qdi_montage *montage, size_t cell, const char *text);

/// Copies a picture into its cell. Errors: QD_ERR_CORRUPT (it is of another size than the cell),
/// QD_ERR_VALUE (it has other colours than the one before, and the montage a palette).
QD_MUST_USE qd_status qdi_montage_put(qdi_montage *montage, size_t cell, const qdi_png_loaded *picture);
