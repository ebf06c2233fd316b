#include "export/image/apng.h"
#include "tests/support/golden.h"
#include "tests/support/harness.h"
#include "tests/support/one_scratch.h"

#include <inttypes.h>
#include <quadrille/random.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

// Animated PNGs, read back by a decoder of this file's own, which knows the format and nothing of the writer.

enum { WIDTH = 37, HEIGHT = 23, MOST = 64 };

// ---- a decoder ----

typedef struct animation {
    uint32_t width, height, frames, plays;
    int kind; ///< 2: RGB, 3: indexed
    int colours;
    uint32_t found; ///< frame controls
    uint32_t num[MOST], den[MOST], areas[MOST];
    uint8_t *pictures[MOST]; ///< pixels after each frame, as the file has them
} animation;

static uint32_t get32(const uint8_t *p) {
    return (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8 | p[3];
}

typedef struct canvas {
    uint8_t *pixels;
    uint32_t x, y, width, height;
    uint8_t *packed;
    size_t packed_bytes;
} canvas;

/// Unpacks a frame's data onto the canvas, and keeps a copy of that.
static void draw_frame(animation *film, canvas *on) {
    size_t depth = film->kind == 2 ? 3 : 1, row = on->width * depth, raw_bytes = (row + 1) * on->height;
    ck_assert(on->pixels && on->width > 0 && on->height > 0);
    qd_own_memory uint8_t *raw = qd_test_memory(raw_bytes);
    uLongf got = (uLongf)raw_bytes;
    ck_assert_int_eq(uncompress(raw, &got, on->packed, (uLong)on->packed_bytes), Z_OK);
    ck_assert_uint_eq(got, raw_bytes);
    ck_assert_uint_le(on->x + on->width, film->width);
    ck_assert_uint_le(on->y + on->height, film->height);
    for (uint32_t y = 0; y < on->height; ++y) {
        uint8_t *line = raw + y * (row + 1), *above = y > 0 ? line - row : NULL;
        int filter = *line++;
        ck_assert_int_le(filter, 2);
        for (size_t i = 0; i < row; ++i) {
            if (filter == 1 && i >= depth) line[i] = (uint8_t)(line[i] + line[i - depth]);
            if (filter == 2 && above) line[i] = (uint8_t)(line[i] + above[i]);
        }
        memcpy(on->pixels + ((size_t)(on->y + y) * film->width + on->x) * depth, line, row);
    }
    size_t bytes = (size_t)film->width * film->height * depth;
    film->pictures[film->found - 1] = qd_test_zeros(bytes, 1);
    memcpy(film->pictures[film->found - 1], on->pixels, bytes);
    free(on->packed);
    on->packed = NULL;
    on->packed_bytes = 0;
}

static void begin_frame(animation *film, canvas *on, const uint8_t *data) {
    ck_assert_uint_lt(film->found, MOST);
    on->width = get32(data + 4);
    on->height = get32(data + 8);
    on->x = get32(data + 12);
    on->y = get32(data + 16);
    film->num[film->found] = (uint32_t)data[20] << 8 | data[21];
    film->den[film->found] = (uint32_t)data[22] << 8 | data[23];
    film->areas[film->found] = on->width * on->height;
    ck_assert_int_eq(data[24], 0);
    ck_assert_int_eq(data[25], 0);
    film->found += 1;
}

static void take_data(canvas *on, const uint8_t *data, size_t bytes) {
    on->packed = realloc(on->packed, on->packed_bytes + bytes);
    ck_assert_ptr_nonnull(on->packed);
    memcpy(on->packed + on->packed_bytes, data, bytes);
    on->packed_bytes += bytes;
}

static void take_chunk(animation *film, canvas *on, uint32_t *sequence, const uint8_t *chunk,
                       uint32_t bytes) {
    const uint8_t *data = chunk + 8;
    if (memcmp(chunk + 4, "IHDR", 4) == 0) {
        film->width = get32(data);
        film->height = get32(data + 4);
        film->kind = data[9];
        ck_assert_ptr_null(on->pixels);
        on->pixels = qd_test_zeros((size_t)film->width * film->height, 3);
    } else if (memcmp(chunk + 4, "PLTE", 4) == 0) {
        film->colours = (int)(bytes / 3);
    } else if (memcmp(chunk + 4, "acTL", 4) == 0) {
        film->frames = get32(data);
        film->plays = get32(data + 4);
        ck_assert_uint_eq(film->found, 0);
    } else if (memcmp(chunk + 4, "fcTL", 4) == 0) {
        if (on->packed) draw_frame(film, on);
        ck_assert_uint_eq(get32(data), (*sequence)++);
        begin_frame(film, on, data);
    } else if (memcmp(chunk + 4, "IDAT", 4) == 0) {
        ck_assert_uint_eq(film->found, 1);
        take_data(on, data, bytes);
    } else if (memcmp(chunk + 4, "fdAT", 4) == 0) {
        ck_assert_uint_gt(film->found, 1);
        ck_assert_uint_eq(get32(data), (*sequence)++);
        take_data(on, data + 4, bytes - 4);
    } else if (memcmp(chunk + 4, "IEND", 4) == 0) {
        draw_frame(film, on);
    }
}

static animation decode(const char *path) {
    size_t bytes = 0;
    qd_own_memory uint8_t *file = (uint8_t *)qd_scratch_read(path, &bytes);
    animation film = {.width = 0};
    canvas on = {.pixels = NULL};
    uint32_t sequence = 0;
    ck_assert_ptr_nonnull(file);
    ck_assert_int_eq(memcmp(file, "\x89PNG\r\n\x1a\n", 8), 0);
    size_t place = 8;
    while (place < bytes) {
        uint32_t length = get32(file + place);
        ck_assert_uint_le(place + length + 12, bytes);
        ck_assert_uint_eq(crc32(0, file + place + 4, length + 4), get32(file + place + 8 + length));
        take_chunk(&film, &on, &sequence, file + place, length);
        place += length + 12;
    }
    ck_assert_uint_eq(film.found, film.frames);
    free(on.pixels);
    free(on.packed);
    return film;
}

static void forget(animation *film) {
    for (uint32_t i = 0; i < film->found; ++i) free(film->pictures[i]);
}

// ---- films to write ----

typedef struct film {
    qdi_apng_format format;
    size_t bytes; ///< of a picture
    uint8_t *pictures[MOST];
    int count;
} film;

/// Blocks of a colour come and go; some pictures are as the one before.
static film make_film(int colours, int count, uint64_t seed) {
    qd_random random = qd_random_at(seed, 7, 0);
    film made = {
        .format = {.width = WIDTH, .height = HEIGHT, .colours = colours, .delay_num = 100, .delay_den = 2997},
        .count = count};
    for (int i = 0; i < colours; ++i)
        for (int k = 0; k < 3; ++k) made.format.rgb[i][k] = (uint8_t)(i * (k + 3) * 7);
    size_t depth = colours > 0 ? 1 : 3;
    made.bytes = WIDTH * HEIGHT * depth;
    for (int i = 0; i < count; ++i) {
        made.pictures[i] = qd_test_zeros(made.bytes, 1);
        if (i > 0) memcpy(made.pictures[i], made.pictures[i - 1], made.bytes);
        if (i % 5 == 4) continue;
        size_t x = qd_random_bits(&random) % WIDTH, y = qd_random_bits(&random) % HEIGHT;
        size_t right = x + 1 + qd_random_bits(&random) % (WIDTH - x),
               low = y + 1 + qd_random_bits(&random) % (HEIGHT - y);
        uint64_t ink = qd_random_bits(&random);
        for (size_t v = y; v < low; ++v)
            for (size_t u = x * depth; u < right * depth; ++u)
                made.pictures[i][v * WIDTH * depth + u] = (uint8_t)(colours > 0 ? ink % (uint64_t)colours
                                                                                : (ink >> u % 3 * 8) + u);
    }
    return made;
}

static void free_film(film *made) {
    for (int i = 0; i < made->count; ++i) free(made->pictures[i]);
}

static qd_status write_film(const qd_allocator *allocator, const film *made, int from, int to,
                            const char *path) {
    qdi_apng *apng = NULL;
    qd_error error = {""};
    qd_status status = qdi_apng_create(allocator, path, &made->format, &apng, &error);
    for (int i = from; status == QD_OK && i < to; ++i) {
        status = qdi_apng_add(apng, made->pictures[i], &error);
        if (status != QD_OK) qdi_apng_discard(apng);
    }
    return status == QD_OK ? qdi_apng_finish(apng, &error) : status;
}

static void expect_film(const char *path, const film *made) {
    animation read = decode(path);
    ck_assert_uint_eq(read.frames, (unsigned)made->count);
    ck_assert_uint_eq(read.plays, 0);
    ck_assert(read.width == WIDTH && read.height == HEIGHT);
    ck_assert_int_eq(read.kind, made->format.colours > 0 ? 3 : 2);
    ck_assert_int_eq(read.colours, made->format.colours);
    for (int i = 0; i < made->count; ++i) {
        ck_assert(read.pictures[i] && made->pictures[i]);
        ck_assert_msg(memcmp(read.pictures[i], made->pictures[i], made->bytes) == 0, "frame %d differs", i);
        ck_assert(read.num[i] == made->format.delay_num && read.den[i] == made->format.delay_den);
    }
    forget(&read);
}

QD_TEST_LOOP(gives_back_every_frame, 0, 4) {
    static const int colours[] = {0, 1, 2, 256};
    film made = make_film(colours[_i], 40, qd_test_seed(3));
    ck_assert_int_eq(write_film(qd_allocator_default(), &made, 0, made.count, at("a.png").text), QD_OK);
    expect_film(at("a.png").text, &made);
    uint64_t frames = 0;
    ck_assert_int_eq(qdi_apng_count(qd_allocator_default(), at("a.png").text, &frames, NULL), QD_OK);
    ck_assert_uint_eq(frames, 40);
    free_film(&made);
}

// Whoever knows nothing of animation sees frame 0, as libpng does here.
QD_TEST(is_a_picture_to_everybody) {
    film made = make_film(9, 3, 5);
    ck_assert_int_eq(write_film(qd_allocator_default(), &made, 0, 3, at("a.png").text), QD_OK);
    qd_test_image image = qd_test_image_read(at("a.png").text);
    ck_assert(image.width == WIDTH && image.height == HEIGHT);
    for (size_t i = 0; i < made.bytes; ++i)
        ck_assert_int_eq(memcmp(image.rgb + 3 * i, made.format.rgb[made.pictures[0][i]], 3), 0);
    free(image.rgb);
    free_film(&made);
}

// Only the rectangle that changed is written: one pixel where nothing has.
QD_TEST(writes_what_has_changed) {
    film made = make_film(4, 5, 1);
    for (int i = 1; i < 5; ++i) memcpy(made.pictures[i], made.pictures[0], made.bytes);
    made.pictures[2][5 * WIDTH + 7] ^= 1;
    made.pictures[2][9 * WIDTH + 3] ^= 1;
    memcpy(made.pictures[3], made.pictures[2], made.bytes);
    made.pictures[4][HEIGHT * WIDTH - 1] ^= 1;
    ck_assert_int_eq(write_film(qd_allocator_default(), &made, 0, 5, at("a.png").text), QD_OK);
    expect_film(at("a.png").text, &made);
    animation read = decode(at("a.png").text);
    ck_assert_uint_eq(read.areas[0], WIDTH * HEIGHT);
    ck_assert_uint_eq(read.areas[1], 1);
    ck_assert_uint_eq(read.areas[2], 5 * 5);
    ck_assert_uint_eq(read.areas[3], 1);
    ck_assert_uint_eq(read.areas[4], (WIDTH - 3) * (HEIGHT - 5)); // back to the first, and the last corner
    forget(&read);
    free_film(&made);
}

static qd_status join_parts(const qd_allocator *allocator, uint32_t frames, int parts) {
    qdi_apng_joint joint;
    char name[32];
    qd_error error = {""};
    qd_status status = qdi_apng_join_begin(allocator, at("whole.png").text, frames, &joint, &error);
    if (status != QD_OK) return status;
    for (int i = 0; status == QD_OK && i < parts; ++i) {
        snprintf(name, sizeof name, "part%d.png", i);
        status = qdi_apng_join_add(&joint, at(name).text, &error);
    }
    if (status == QD_OK) return qdi_apng_join_end(&joint, &error);
    if (status != QD_ERR_MEMORY) ck_assert_ptr_nonnull(strstr(error.text, name));
    qdi_apng_join_discard(&joint);
    return status;
}

QD_TEST(parts_become_one) {
    static const int cuts[] = {0, 1, 2, 9, 25, 30};
    for (int kind = 0; kind < 2; ++kind) {
        film made = make_film(kind ? 17 : 0, 30, qd_test_seed(4));
        for (int i = 0; i < 5; ++i) {
            char name[32];
            snprintf(name, sizeof name, "part%d.png", i);
            ck_assert_int_eq(write_film(qd_allocator_default(), &made, cuts[i], cuts[i + 1], at(name).text),
                             QD_OK);
        }
        ck_assert_int_eq(join_parts(qd_allocator_default(), 30, 5), QD_OK);
        expect_film(at("whole.png").text, &made);
        ck_assert_int_eq(join_parts(qd_allocator_default(), 31, 5), QD_ERR_CORRUPT);
        for (size_t n = 1;; ++n) {
            qd_test_allocator allocator = qd_test_allocator_of(&allocator, n);
            qd_status status = join_parts(&allocator.allocator, 30, 5);
            if (qd_test_had_memory(&allocator, status)) break;
            ck_assert_uint_lt(n, 1000);
        }
        free_film(&made);
    }
}

// A part with another palette, size or kind is not of this video, and any bit of it turned is noticed.
QD_TEST(other_parts_are_refused) {
    film made = make_film(17, 4, 1), other = make_film(17, 4, 1), plain = make_film(0, 4, 1),
         few = make_film(16, 4, 1);
    other.format.rgb[3][1] ^= 1;
    const film *strangers[] = {&other, &plain, &few};
    ck_assert_int_eq(write_film(qd_allocator_default(), &made, 0, 4, at("part0.png").text), QD_OK);
    for (int i = 0; i < 3; ++i) {
        ck_assert_int_eq(write_film(qd_allocator_default(), strangers[i], 0, 4, at("part1.png").text), QD_OK);
        ck_assert_int_eq(join_parts(qd_allocator_default(), 8, 2), QD_ERR_CORRUPT);
    }
    ck_assert_int_eq(write_film(qd_allocator_default(), &made, 0, 4, at("part1.png").text), QD_OK);
    ck_assert_int_eq(join_parts(qd_allocator_default(), 8, 2), QD_OK);
    size_t bytes = 0;
    qd_own_memory char *data = qd_scratch_read(at("part1.png").text, &bytes);
    for (size_t i = 0; i <= bytes; i += 1 + bytes / 300) {
        FILE *file = fopen(at("part1.png").text, "wb");
        if (i < bytes) data[i] = (char)(data[i] ^ 1 << i % 8);
        ck_assert_uint_eq(fwrite(data, 1, i < bytes ? bytes : bytes - 1, file),
                          i < bytes ? bytes : bytes - 1);
        ck_assert_int_eq(fclose(file), 0);
        uint64_t frames = 0;
        ck_assert_msg(join_parts(qd_allocator_default(), 8, 2) == QD_ERR_CORRUPT, "bit in byte %zu of %zu", i,
                      bytes);
        ck_assert_int_eq(qdi_apng_count(qd_allocator_default(), at("part1.png").text, &frames, NULL),
                         QD_ERR_CORRUPT);
        if (i < bytes) data[i] = (char)(data[i] ^ 1 << i % 8);
    }
    free_film(&made);
    free_film(&other);
    free_film(&plain);
    free_film(&few);
}

QD_TEST(no_memory_and_no_room) {
    film made = make_film(5, 6, 1);
    for (size_t n = 1;; ++n) {
        qd_test_allocator allocator = qd_test_allocator_of(&allocator, n);
        qd_status status = write_film(&allocator.allocator, &made, 0, 6, at("a.png").text);
        if (qd_test_had_memory(&allocator, status)) break;
        ck_assert_uint_lt(n, 1000);
    }
    ck_assert_int_eq(write_film(qd_allocator_default(), &made, 0, 6, at("none/a.png").text), QD_ERR_IO);
    ck_assert_int_eq(write_film(qd_allocator_default(), &made, 0, 6, "/dev/full"), QD_ERR_IO);
    free_film(&made);
}

// ---- large files ----

enum { NOISE_WIDTH = 1024, NOISE_HEIGHT = 2048, NOISE = NOISE_WIDTH * NOISE_HEIGHT, MORE = 3 };

/// A picture that nobody can pack.
static void make_noise(uint8_t *pixels, uint64_t number) {
    qd_random random = qd_random_at(number, 11, 0);
    for (size_t i = 0; i < NOISE; i += sizeof(uint64_t)) {
        uint64_t bits = qd_random_bits(&random);
        memcpy(pixels + i, &bits, sizeof bits);
    }
}

/// Writes pictures of noise, from one number to another.
static void write_noise(const char *path, uint64_t from, uint64_t to) {
    static uint8_t pixels[NOISE];
    qdi_apng_format format = {
        .width = NOISE_WIDTH, .height = NOISE_HEIGHT, .colours = 256, .delay_num = 1, .delay_den = 30};
    qdi_apng *apng = NULL;
    ck_assert_int_eq(qdi_apng_create(qd_allocator_default(), path, &format, &apng, NULL), QD_OK);
    for (uint64_t i = from; i < to; ++i) {
        make_noise(pixels, i);
        ck_assert_int_eq(qdi_apng_add(apng, pixels, NULL), QD_OK);
    }
    ck_assert_int_eq(qdi_apng_finish(apng, NULL), QD_OK);
}

/// Reads the file chunk by chunk: all pictures of noise are there, one after the other. Returns its bytes.
static uint64_t expect_noise(const char *path, uint64_t count) {
    static uint8_t chunk[2 * NOISE], raw[NOISE + NOISE_HEIGHT], pixels[NOISE];
    uint64_t bytes = 8, frames = 0, sequence = 0;
    FILE *file = fopen(path, "rb");
    ck_assert(file && fread(chunk, 1, 8, file) == 8);
    while (fread(chunk, 1, 8, file) == 8) {
        size_t length = get32(chunk);
        bytes += length + 12;
        ck_assert_uint_le(length + 12, sizeof chunk);
        ck_assert_uint_eq(fread(chunk + 8, 1, length + 4, file), length + 4);
        ck_assert_uint_eq(crc32(0, chunk + 4, (uInt)length + 4), get32(chunk + 8 + length));
        bool later = memcmp(chunk + 4, "fdAT", 4) == 0, control = memcmp(chunk + 4, "fcTL", 4) == 0;
        if (later || control) ck_assert_uint_eq(get32(chunk + 8), sequence++);
        if (memcmp(chunk + 4, "acTL", 4) == 0) ck_assert_uint_eq(get32(chunk + 8), count);
        if (!later && memcmp(chunk + 4, "IDAT", 4) != 0) continue;
        uLongf got = sizeof raw;
        size_t skip = later ? 4 : 0;
        ck_assert_int_eq(uncompress(raw, &got, chunk + 8 + skip, (uLong)(length - skip)), Z_OK);
        ck_assert_uint_eq(got, sizeof raw);
        make_noise(pixels, frames++);
        for (size_t y = 0; y < NOISE_HEIGHT; ++y)
            ck_assert_int_eq(memcmp(raw + y * (NOISE_WIDTH + 1) + 1, pixels + y * NOISE_WIDTH, NOISE_WIDTH),
                             0);
    }
    ck_assert_int_eq(fclose(file), 0);
    ck_assert_uint_eq(frames, count);
    return bytes;
}

QD_TEST(more_frames_than_can_be_numbered) {
    qdi_apng_joint joint;
    qd_error error = {""};
    const qd_scratch_path whole = at("whole.png");
    const char *path = whole.text;
    ck_assert_int_eq(qdi_apng_join_begin(qd_allocator_default(), path, QDI_APNG_FRAMES + 1, &joint, &error),
                     QD_ERR_VALUE);
    ck_assert_ptr_nonnull(strstr(error.text, "more frames than an animated PNG can number"));
    ck_assert(!qd_scratch_exists(path));
    ck_assert_int_eq(qdi_apng_join_begin(qd_allocator_default(), path, QDI_APNG_FRAMES, &joint, &error),
                     QD_OK);
    qdi_apng_join_discard(&joint);
}

// Some megabytes, and at large effort more than an offset of 32 bits can say, by the first part alone.
QD_TEST(large_files_are_whole) {
    const uint64_t count = qd_test_effort(1) > 1 ? 2080 : 4;
    write_noise(at("part0.png").text, 0, count);
    write_noise(at("part1.png").text, count, count + MORE);
    ck_assert_uint_gt(expect_noise(at("part0.png").text, count), count * NOISE);
    ck_assert_int_eq(join_parts(qd_allocator_default(), (uint32_t)count + MORE, 2), QD_OK);
    ck_assert_uint_gt(expect_noise(at("whole.png").text, count + MORE), (count + MORE) * NOISE);
    uint64_t frames = 0;
    ck_assert_int_eq(qdi_apng_count(qd_allocator_default(), at("whole.png").text, &frames, NULL), QD_OK);
    ck_assert_uint_eq(frames, count + MORE);
}

QD_TEST_MAIN("apng", 3600, setup, teardown)
