#include "export/raster/text.h"

#include "core/base/block.h"
#include "core/base/memory.h"

#include <ft2build.h>
#include FT_FREETYPE_H
#include FT_MODULE_H
#include FT_SYSTEM_H
#include <stdbool.h>

/// The font file, embedded by the build.
extern const unsigned char qdi_font_file[];
extern const unsigned long qdi_font_file_size;

// What freetype's memory comes from. It says nothing of a lack of memory in some places (a module is silently
// left out), so the lack is noted here.
typedef struct font_source {
    const qd_allocator *allocator;
    bool no_memory;
} font_source;

/// Memory for the font library, from the caller's allocator.
static void *font_allocate(FT_Memory memory, long bytes) {
    font_source *source = memory->user;
    if (bytes <= 0) return NULL;
    void *block = qdi_block_allocate(source->allocator, (size_t)bytes);
    if (!block) source->no_memory = true;
    return block;
}

/// Frees memory of the font library.
static void font_free(FT_Memory memory, void *block) {
    const font_source *source = memory->user;
    qdi_block_release(source->allocator, block);
}

/// Resizes memory of the font library.
static void *font_resize(FT_Memory memory, long before, long bytes, void *block) {
    font_source *source = memory->user;
    (void)before;
    if (bytes <= 0) return NULL;
    void *moved = qdi_block_resize(source->allocator, block, (size_t)bytes);
    if (!moved) source->no_memory = true;
    return moved;
}

/// The level of ink of a shade of grey.
static uint8_t ink_level_of_grey(unsigned grey) {
    return (uint8_t)((grey * QDI_TEXT_LEVELS + 127U) / 255U);
}

// Copies the character that the face has just drawn.
static qd_status keep_glyph(qdi_font *font, FT_GlyphSlot slot, size_t *used, qdi_glyph *glyph) {
    const FT_Bitmap *bitmap = &slot->bitmap;
    *glyph = (qdi_glyph){.advance = (int)((slot->advance.x + 32) / 64),
                         .left = slot->bitmap_left,
                         .top = slot->bitmap_top,
                         .width = (int)bitmap->width,
                         .height = (int)bitmap->rows,
                         .first = *used};
    size_t count = (size_t)bitmap->width * bitmap->rows;
    qd_status status = qdi_reserve(font->allocator, &font->levels, &font->levels_room, *used, *used + count,
                                   1);
    if (status != QD_OK) return status;
    for (size_t y = 0; y < bitmap->rows; ++y) {
        const unsigned char *row = bitmap->buffer + (ptrdiff_t)y * bitmap->pitch;
        for (size_t x = 0; x < bitmap->width; ++x) font->levels[(*used)++] = ink_level_of_grey(row[x]);
    }
    return QD_OK;
}

/// Keeps all glyphs of a font.
static qd_status keep_font_face(qdi_font *font, FT_Face face) {
    size_t used = 0;
    if (FT_Set_Pixel_Sizes(face, 0, (FT_UInt)font->size) != 0) return QD_ERR_INTERNAL;
    for (int c = QDI_GLYPH_FIRST; c <= QDI_GLYPH_LAST; ++c) {
        qdi_glyph *glyph = &font->glyphs[c - QDI_GLYPH_FIRST];
        FT_Error failed = FT_Load_Char(face, (FT_ULong)c,
                                       FT_LOAD_RENDER | FT_LOAD_NO_HINTING | FT_LOAD_TARGET_NORMAL);
        if (failed != 0 || face->glyph->bitmap.pixel_mode != FT_PIXEL_MODE_GRAY) return QD_ERR_INTERNAL;
        qd_status status = keep_glyph(font, face->glyph, &used, glyph);
        if (status != QD_OK) return status;
        if (glyph->top > font->ascent) font->ascent = glyph->top;
        if (glyph->height - glyph->top > font->descent) font->descent = glyph->height - glyph->top;
    }
    return QD_OK;
}

qd_status qdi_font_create(const qd_allocator *allocator, int size, qdi_font *font) {
    *font = (qdi_font){.allocator = allocator, .size = size};
    font_source source = {allocator, false};
    struct FT_MemoryRec_ memory = {&source, font_allocate, font_free, font_resize};
    FT_Library library = NULL;
    FT_Face face = NULL;
    if (FT_New_Library(&memory, &library) != 0) return source.no_memory ? QD_ERR_MEMORY : QD_ERR_INTERNAL;
    FT_Add_Default_Modules(library);
    FT_Error failed = FT_New_Memory_Face(library, qdi_font_file, (FT_Long)qdi_font_file_size, 0, &face);
    qd_status status = failed ? QD_ERR_INTERNAL : keep_font_face(font, face);
    if (face) (void)FT_Done_Face(face);
    (void)FT_Done_Library(library);
    if (source.no_memory) status = QD_ERR_MEMORY;
    if (status != QD_OK) qdi_font_destroy(font);
    return status;
}

void qdi_font_destroy(qdi_font *font) {
    if (font->levels) qdi_release(font->allocator, font->levels, font->levels_room, 1);
    font->levels = NULL;
    font->levels_room = 0;
}

/// The glyph of a character.
static const qdi_glyph *glyph_of_character(const qdi_font *font, char c) {
    if (c < QDI_GLYPH_FIRST || c > QDI_GLYPH_LAST) c = '?';
    return &font->glyphs[c - QDI_GLYPH_FIRST];
}

int qdi_font_width(const qdi_font *font, const char *text) {
    int width = 0;
    for (; *text; ++text) width += glyph_of_character(font, *text)->advance;
    return width;
}

/// Draws a glyph.
static void draw_glyph(const qdi_font *font, qdi_raster *raster, const qdi_glyph *glyph, int x, int y,
                       uint8_t ink) {
    const qdi_area clip = raster->clip;
    for (int j = 0; j < glyph->height; ++j) {
        if (y + j < clip.min_y || y + j >= clip.max_y) continue;
        uint8_t *row = raster->pixels + (size_t)(y + j) * (size_t)raster->width;
        const uint8_t *levels = font->levels + glyph->first + (size_t)j * (size_t)glyph->width;
        for (int i = 0; i < glyph->width; ++i) {
            if (levels[i] == 0 || x + i < clip.min_x || x + i >= clip.max_x) continue;
            row[x + i] = (uint8_t)(ink + levels[i] - 1);
        }
    }
}

int qdi_font_draw(const qdi_font *font, qdi_raster *raster, int x, int baseline, const char *text,
                  uint8_t ink) {
    for (; *text; ++text) {
        const qdi_glyph *glyph = glyph_of_character(font, *text);
        draw_glyph(font, raster, glyph, x + glyph->left, baseline - glyph->top, ink);
        x += glyph->advance;
    }
    return x;
}
