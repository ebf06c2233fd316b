#include "export/image/narrow_registers.h"
#include "export/image/png_sink.h"
#include "tests/support/harness.h"

#ifdef __x86_64__
#    include <cpuid.h>
#endif
#include <png.h>
#include <quadrille/random.h>
#include <string.h>

enum { WIDTH = 61, HEIGHT = 37 };

static const qdi_png_text texts[] = {{"Software", "Quadrille"}, {"Scene", "z\xc3\xbcrich"}, {"Time", "0.1"}};

struct sample {
    uint8_t pixels[WIDTH * HEIGHT];
    qdi_palette palette;
    qdi_png_image image;
};

static void make_sample(struct sample *sample) {
    qd_random random = qd_random_at(3, 0, 0);
    for (int p = 0; p < WIDTH * HEIGHT; ++p)
        sample->pixels[p] = (uint8_t)(qd_random_bits(&random) % QDI_INK_COUNT);
    qd_view view = qd_view_default();
    view.colour = QD_VIEW_SPEED;
    sample->palette = qdi_palette_make(&view);
    sample->image = (qdi_png_image){WIDTH, HEIGHT, sample->pixels, &sample->palette, texts, 3};
}

QD_TEST(pixels_come_back) {
    struct sample sample;
    make_sample(&sample);
    qdi_bytes bytes = {0};
    qd_error error;
    ck_assert_int_eq(qdi_png_encode(qd_allocator_default(), &sample.image, &bytes, &error), QD_OK);
    png_image image = {.version = PNG_IMAGE_VERSION};
    ck_assert(png_image_begin_read_from_memory(&image, bytes.data, bytes.size));
    ck_assert_uint_eq(image.width, WIDTH);
    ck_assert_uint_eq(image.height, HEIGHT);
    image.format = PNG_FORMAT_RGB;
    uint8_t rgb[WIDTH * HEIGHT][3];
    ck_assert(png_image_finish_read(&image, NULL, rgb, 0, NULL));
    for (int p = 0; p < WIDTH * HEIGHT; ++p) {
        ck_assert_int_eq(memcmp(rgb[p], sample.palette.rgb[sample.pixels[p]], 3), 0);
    }
    qdi_bytes_release(qd_allocator_default(), &bytes);
}

typedef struct reader {
    const qdi_bytes *bytes;
    size_t at;
} reader;

static void read_bytes(png_structp png, png_bytep data, size_t size) {
    reader *from = png_get_io_ptr(png);
    ck_assert_uint_le(from->at + size, from->bytes->size);
    memcpy(data, from->bytes->data + from->at, size);
    from->at += size;
}

QD_TEST(indexed_with_texts_and_no_clock) {
    struct sample sample;
    make_sample(&sample);
    qdi_bytes bytes = {0}, again = {0};
    qd_error error;
    ck_assert_int_eq(qdi_png_encode(qd_allocator_default(), &sample.image, &bytes, &error), QD_OK);
    ck_assert_int_eq(qdi_png_encode(qd_allocator_default(), &sample.image, &again, &error), QD_OK);
    ck_assert_uint_eq(bytes.size, again.size);
    ck_assert_int_eq(memcmp(bytes.data, again.data, bytes.size), 0);

    reader from = {&bytes, 0};
    png_structp png = png_create_read_struct(PNG_LIBPNG_VER_STRING, NULL, NULL, NULL);
    png_infop info = png_create_info_struct(png);
    png_set_read_fn(png, &from, read_bytes);
    png_read_png(png, info, PNG_TRANSFORM_IDENTITY, NULL);
    ck_assert_int_eq(png_get_bit_depth(png, info), 8);
    ck_assert_int_eq(png_get_color_type(png, info), PNG_COLOR_TYPE_PALETTE);
    ck_assert_int_eq(png_get_interlace_type(png, info), PNG_INTERLACE_NONE);
    ck_assert(!png_get_valid(png, info, PNG_INFO_tIME));
    png_textp found = NULL;
    int count = 0;
    ck_assert_int_eq(png_get_text(png, info, &found, &count), 3);
    for (int i = 0; i < 3; ++i) {
        ck_assert_str_eq(found[i].key, texts[i].key);
        ck_assert_str_eq(found[i].text, texts[i].value);
        ck_assert_int_eq(found[i].compression,
                         i == 1 ? PNG_ITXT_COMPRESSION_NONE : PNG_TEXT_COMPRESSION_NONE);
    }
    png_destroy_read_struct(&png, &info, NULL);
    qdi_bytes_release(qd_allocator_default(), &bytes);
    qdi_bytes_release(qd_allocator_default(), &again);
}

QD_TEST(no_memory_at_any_allocation) {
    struct sample sample;
    make_sample(&sample);
    for (size_t n = 1;; ++n) {
        qd_test_allocator allocator = qd_test_allocator_of(&allocator, n);
        qdi_bytes bytes = {0};
        qd_error error;
        qd_status status = qdi_png_encode(&allocator.allocator, &sample.image, &bytes, &error);
        qdi_bytes_release(&allocator.allocator, &bytes);
        ck_assert_uint_eq(allocator.live, 0);
        if (status == QD_OK && allocator.calls < n) {
            ck_assert_uint_gt(n, 2);
            break;
        }
        ck_assert_msg(status == QD_ERR_MEMORY, "allocation %zu: %s", n, qd_status_text(status));
    }
}

QD_TEST(what_cannot_be_is_told) {
    struct sample sample;
    make_sample(&sample);
    sample.image.width = 0;
    qdi_bytes bytes = {0};
    qd_error error = {""};
    ck_assert_int_eq(qdi_png_encode(qd_allocator_default(), &sample.image, &bytes, &error), QD_ERR_INTERNAL);
    ck_assert_ptr_nonnull(strstr(error.text, "cannot encode"));
    make_sample(&sample);
    const qdi_png_text nameless = {"", "text"};
    sample.image.texts = &nameless;
    sample.image.text_count = 1;
    ck_assert_int_eq(qdi_png_encode(qd_allocator_default(), &sample.image, &bytes, &error), QD_ERR_INTERNAL);
    qdi_bytes_release(qd_allocator_default(), &bytes);
}

#ifdef __x86_64__
/// True where the upper halves of vector registers are in use: bit 2 of what the processor says.
static bool registers_are_wide(void) {
    unsigned low, high;
    __asm__ volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(1));
    return low >> 2 & 1;
}

/// Code in SSE's instructions after an encoder that leaves them in use takes twice as long.
QD_TEST(registers_are_left_narrow) {
    unsigned a = 0, b = 0, c = 0, d = 0;
    // Saved by the system, and the processor says which are in use.
    if (!__builtin_cpu_supports("avx") || !__get_cpuid_count(0xd, 1, &a, &b, &c, &d) || !(a >> 2 & 1)) return;
    __asm__ volatile("vpcmpeqd %%xmm0, %%xmm0, %%xmm0\n\tvinsertf128 $1, %%xmm0, %%ymm0, %%ymm0" ::: "xmm0");
    ck_assert(registers_are_wide());
    qdi_narrow_registers();
    ck_assert(!registers_are_wide());
    static uint8_t pixels[1 << 20];
    struct sample sample;
    make_sample(&sample);
    sample.image.width = sample.image.height = 1024;
    sample.image.pixels = pixels;
    qdi_bytes bytes = {0};
    ck_assert_int_eq(qdi_png_encode(qd_allocator_default(), &sample.image, &bytes, NULL), QD_OK);
    const bool wide = registers_are_wide();
    qdi_bytes_release(qd_allocator_default(), &bytes);
    ck_assert(!wide);
}
#endif

QD_TEST_MAIN("png_sink", 120, NULL, NULL)
