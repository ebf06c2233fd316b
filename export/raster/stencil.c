#include "export/raster/stencil.h"
#include "export/raster/cover.h"

#include "core/base/memory.h"

#include <math.h>
#include <string.h>

enum { SIZES = (int)((QDI_STENCIL_MOST - QDI_STENCIL_LEAST) * QDI_STENCIL_STEPS) + 1 };

struct qdi_stencils {
    qdi_stencil of[SIZES][QDI_STENCIL_PLACES][QDI_STENCIL_PLACES]; // by size, row, column
};

// Pixels from the stencil's corner to the pixel of the centre.
static const int middle = QDI_STENCIL_SIDE / 2 - 1;

qd_status qdi_stencils_create(const qd_allocator *allocator, qdi_stencils **stencils) {
    *stencils = qdi_allocate(allocator, 1, sizeof **stencils);
    if (!*stencils) return QD_ERR_MEMORY;
    memset(*stencils, 0, sizeof **stencils);
    return QD_OK;
}

void qdi_stencils_destroy(const qd_allocator *allocator, qdi_stencils *stencils) {
    if (stencils) qdi_release(allocator, stencils, 1, sizeof *stencils);
}

// Makes the stencil of a small disk.
static void make_stencil(qdi_stencil *stencil, int size, int row, int column) {
    float radius = QDI_STENCIL_LEAST + (float)size / QDI_STENCIL_STEPS;
    float x = (float)middle + (float)column / QDI_STENCIL_PLACES,
          y = (float)middle + (float)row / QDI_STENCIL_PLACES;
    float drawn = sqrtf(radius * radius - 1.0F / 12.0F);
    stencil->left = stencil->first = QDI_STENCIL_SIDE;
    for (int j = 0; j < QDI_STENCIL_SIDE; ++j) {
        int32_t parts[QDI_COVER_BLOCK];
        qdi_cover_block(0.5F - x, (float)j + 0.5F - y, drawn, parts);
        for (int k = 0; k < QDI_STENCIL_SIDE; ++k) {
            int level = (parts[k] + QDI_COVER_PARTS / 2) / QDI_COVER_PARTS;
            stencil->level[j][k] = (uint8_t)level;
            if (level == 0) continue;
            if (k < stencil->left) stencil->left = (uint8_t)k;
            if (k >= stencil->right) stencil->right = (uint8_t)(k + 1);
            if (j < stencil->first) stencil->first = (uint8_t)j;
            stencil->last = (uint8_t)(j + 1);
        }
    }
    stencil->made = true;
}

// Stencil of a disk: the nearest whole number; the values are far inside int's range.
static int round_to_int(float value) {
    int whole = (int)(value + (value < 0.0F ? -0.5F : 0.5F));
    return whole;
}

const qdi_stencil *qdi_stencil_of(qdi_stencils *stencils, float x, float y, float radius, int *corner_x,
                                  int *corner_y) {
    int at_x = round_to_int(x * QDI_STENCIL_PLACES), at_y = round_to_int(y * QDI_STENCIL_PLACES);
    int size = round_to_int((radius - QDI_STENCIL_LEAST) * QDI_STENCIL_STEPS);
    // Of negative numbers too: the pixel is the next whole one below.
    int column = at_x & (QDI_STENCIL_PLACES - 1), row = at_y & (QDI_STENCIL_PLACES - 1);
    *corner_x = (at_x - column) / QDI_STENCIL_PLACES - middle;
    *corner_y = (at_y - row) / QDI_STENCIL_PLACES - middle;
    if (size < 0) size = 0;
    if (size >= SIZES) size = SIZES - 1;
    qdi_stencil *stencil = &stencils->of[size][row][column];
    if (!stencil->made) make_stencil(stencil, size, row, column);
    return stencil;
}
