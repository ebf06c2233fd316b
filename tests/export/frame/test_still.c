#include <quadrille/still.h>

#include "tests/support/golden.h"
#include "tests/support/harness.h"
#include "tests/support/one_scratch.h"
#include "tests/support/worlds.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

// Single pictures of a part of a world.

/// A world of 100 x 60 with one disk of radius 2 at (70, 40).
static qd_world *make_world(void) {
    qd_world_def def = qd_test_def(100, 60);
    qd_world *world = qd_test_world(&def);
    qd_body_def body = qd_body_def_default();
    body.shape.radius = 2;
    body.position = (qd_vec2){70, 40};
    ck_assert_int_eq(qd_world_add(world, &body, NULL, NULL), QD_OK);
    ck_assert_int_eq(qd_world_detect(world), QD_OK);
    return world;
}

/// 200 x 200 pixels without text: with a margin of 6 on every side, the part is 188 pixels wide.
static qd_still make_still(const char *path) {
    qd_still still = {.path = path, .view = qd_view_default(), .centre = {70, 40}, .reach = 10};
    still.view.width = still.view.height = 200;
    still.view.text = false;
    still.view.nodes = QD_VIEW_NODES_NONE;
    still.provenance = (qd_provenance){"pool", 7, 42};
    return still;
}

static bool same_colour(const qd_test_image *image, int x, int y, int as_x, int as_y) {
    const uint8_t *a = image->rgb + 3 * (y * image->width + x),
                  *b = image->rgb + 3 * (as_y * image->width + as_x);
    return memcmp(a, b, 3) == 0;
}

QD_TEST(the_part_is_in_the_middle) {
    qd_scratch_path path = at("a.png");
    qd_own(qd_world) world = make_world();
    qd_still still = make_still(path.text);
    qd_error error = {""};
    uint64_t before = qd_world_hash(world);
    ck_assert_int_eq(qd_still_write(&still, world, &error), QD_OK);
    ck_assert_uint_eq(qd_world_hash(world), before);
    ck_assert(!qd_scratch_exists(at("a.png.part").text));
    qd_test_image image = qd_test_image_read(path.text);
    ck_assert(image.width == 200 && image.height == 200);
    // The disk's radius is 18.8 pixels, and its rim 2 wide.
    ck_assert(same_colour(&image, 100, 100, 100, 114) && same_colour(&image, 100, 100, 87, 100));
    ck_assert(!same_colour(&image, 100, 100, 100, 121) && !same_colour(&image, 100, 100, 79, 100));
    ck_assert(same_colour(&image, 100, 140, 30, 30)); // nothing else is there
    free(image.rgb);
}

// Sides of the world are drawn where they are, and nothing where they are far off.
QD_TEST(walls_are_where_they_are) {
    qd_scratch_path path = at("a.png");
    qd_own(qd_world) world = make_world();
    qd_still still = make_still(path.text);
    still.centre = (qd_vec2){98, 57};
    ck_assert_int_eq(qd_still_write(&still, world, NULL), QD_OK);
    qd_test_image image = qd_test_image_read(path.text);
    // 9.4 pixels for a unit: x = 100 is 18.8 pixels right of the middle, y = 60 28.2 above it.
    int x = 119, y = 71;
    bool right = false, top = false;
    for (int k = -2; k <= 2; ++k) {
        right = right || !same_colour(&image, x + k, 150, 20, 150);
        top = top || !same_colour(&image, 50, y + k, 50, 150);
    }
    ck_assert(right && top);
    ck_assert(same_colour(&image, x + 40, 150, 20, 150) && same_colour(&image, 50, y - 40, 20, 150));
    ck_assert(same_colour(&image, 1, 150, 20, 150) && same_colour(&image, 50, 198, 20, 150));
    free(image.rgb);
}

QD_TEST(marks_and_words) {
    qd_scratch_path plain = at("a.png"), marked = at("b.png");
    qd_own(qd_world) world = make_world();
    qd_still still = make_still(plain.text);
    ck_assert_int_eq(qd_still_write(&still, world, NULL), QD_OK);
    still.path = marked.text;
    still.mark = 3;
    still.heading = (qd_vec2){0, -2};
    still.comment = "Before step 7: too fast";
    ck_assert_int_eq(qd_still_write(&still, world, NULL), QD_OK);
    qd_test_image a = qd_test_image_read(plain.text), b = qd_test_image_read(marked.text);
    int differing = 0;
    for (int y = 0; y < 200; ++y) {
        for (int x = 0; x < 200; ++x) {
            const uint8_t *p = a.rgb + 3 * (y * 200 + x), *q = b.rgb + 3 * (y * 200 + x);
            if (memcmp(p, q, 3) == 0) continue;
            ++differing;
            // The finder is 2 x 28.2 pixels wide; the line goes down from its lower side, 60 pixels long.
            bool finder = abs(x - 100) <= 32 && abs(y - 100) <= 32;
            bool line = abs(x - 100) <= 3 && y >= 126 && y <= 192;
            ck_assert_msg(finder || line, "(%d, %d)", x, y);
        }
    }
    ck_assert_int_gt(differing, 200);
    ck_assert(!same_colour(&b, 100, 150, 100, 199) && !same_colour(&b, 70, 70, 100, 199));
    size_t bytes = 0;
    qd_own_memory char *file = qd_scratch_read(marked.text, &bytes);
    static const char want[] = "tEXtComment\0Before step 7: too fast";
    bool found = false;
    for (size_t at = 0; at + sizeof want - 1 <= bytes; ++at)
        found = found || memcmp(file + at, want, sizeof want - 1) == 0;
    ck_assert(found);
    free(a.rgb);
    free(b.rgb);
}

QD_TEST(bad_values_are_refused) {
    qd_scratch_path path = at("a.png");
    qd_own(qd_world) world = make_world();
    qd_error error = {""};
    ck_assert_int_eq(qd_still_write(NULL, world, &error), QD_ERR_ARGUMENT);
    for (int kind = 0; kind < 7; ++kind) {
        qd_still still = make_still(path.text);
        switch (kind) {
        case 0: still.reach = 0; break;
        case 1: still.reach = (double)NAN; break;
        case 2: still.centre.x = (double)INFINITY; break;
        case 3: still.view.width = 15; break;
        case 4: still.view.height = 16385; break;
        case 5: still.mark = (double)INFINITY; break;
        default: still.path = NULL; break;
        }
        qd_status status = qd_still_write(&still, world, &error);
        ck_assert_int_eq(status, kind < 6 ? QD_ERR_VALUE : QD_ERR_ARGUMENT);
        if (kind < 6) ck_assert_str_ne(error.text, "");
    }
    qd_still still = make_still("no/such/directory/a.png");
    ck_assert_int_eq(qd_still_write(&still, world, &error), QD_ERR_IO);
    ck_assert_ptr_nonnull(strstr(error.text, "no/such/directory/a.png"));
    still = make_still(path.text);
    still.heading = (qd_vec2){(double)NAN, 1}; // no line then
    ck_assert_int_eq(qd_still_write(&still, world, &error), QD_OK);
}

QD_TEST_MAIN("still", 120, setup, teardown)
