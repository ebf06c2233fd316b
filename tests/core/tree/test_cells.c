// The grid of cells against plain arithmetic: the squares R0 .. R20 are built here one from the other, as
// tree.h describes them, and a place is worked out by cutting, not by floor.
#include "core/tree/cells.h"
#include "tests/support/harness.h"

#include <float.h>
#include <math.h>
#include <quadrille/random.h>

static const double sizes[] = {0x1p-60, 1e-15, 0.7, 1.0, 3.0, 64.0, 100.0, 1e9, 0x1p60};
enum { SIZES = sizeof sizes / sizeof sizes[0], ROOTS = QD_TREE_MAX_GROWTH + 1 };

typedef struct square {
    double x, side; // the lower left corner is (x, x)
} square;

static double side_of(double size) {
    int exponent;
    double fraction = frexp(size, &exponent); // in [0.5, 1)
    return ldexp(1.0, fraction == 0.5 ? exponent - 1 : exponent);
}

static void squares_of(double size, square roots[ROOTS]) {
    double side = side_of(size);
    roots[0] = (square){-0.5 * side, side};
    for (int k = 0; k + 1 < ROOTS; ++k) {
        // Rk is the upper right child of R(k+1) for k = 0, 2, 4, ..., its lower left child for k = 1, 3, 5,
        // ...
        roots[k + 1] = (square){k % 2 == 0 ? roots[k].x - roots[k].side : roots[k].x, 2.0 * roots[k].side};
    }
}

static qdi_grid grid_of(double size) {
    qdi_grid grid;
    ck_assert(qdi_grid_init(&grid, (qd_vec2){size, 0.3 * size}));
    return grid;
}

// Units of side(R0) / 2^40 from R20's corner; false outside R20.
static bool plain_place(double size, float centre, uint64_t *place) {
    square roots[ROOTS];
    squares_of(size, roots);
    const square *largest = &roots[ROOTS - 1];
    double c = (double)centre;
    if (!(c >= largest->x && c < largest->x + largest->side)) return false;
    double unit = roots[0].side * 0x1p-40;
    // In two parts that are exact: from the middle of the world, and from R20's corner to there.
    double from_middle = c / unit;
    int64_t whole = (int64_t)from_middle;
    if ((double)whole > from_middle) whole -= 1;
    *place = (uint64_t)(whole + (int64_t)(-largest->x / unit));
    return true;
}

// Its centre, which is what a place is of, is not always itself: half the lowest denormal is rounded to zero.
static float centre_of(float x) {
    return 0.5F * x + 0.5F * x;
}

static qd_box point(float x, float y) {
    return (qd_box){x, y, x, y};
}

// Floats worth a look for a world: zero and its neighbours, denormals, borders and their neighbours, the
// ends, and random ones.
static size_t awkward_floats(double size, float *out, size_t most) {
    square roots[ROOTS];
    squares_of(size, roots);
    size_t n = 0;
    static const float fixed[] = {0.0F,     -0.0F,  1e-45F,          -1e-45F, FLT_MIN,
                                  -FLT_MIN, 1e-40F, -1e-40F,         FLT_MAX, -FLT_MAX,
                                  1.0F,     -1.0F,  0.333333333333F, 1e20F,   -1e20F};
    for (size_t i = 0; i < sizeof fixed / sizeof fixed[0]; ++i) out[n++] = fixed[i];
    for (int k = 0; k < ROOTS; ++k) {
        for (int quarter = 0; quarter <= 4; ++quarter) {
            float border = (float)(roots[k].x + 0.25 * quarter * roots[k].side);
            out[n++] = border;
            out[n++] = nextafterf(border, INFINITY);
            out[n++] = nextafterf(border, -INFINITY);
        }
    }
    for (int level = 1; level <= QD_TREE_MAX_LEVEL; ++level) {
        float border = (float)ldexp(side_of(size), -level);
        for (int sign = -1; sign <= 1; sign += 2) {
            out[n++] = (float)sign * border;
            out[n++] = nextafterf((float)sign * border, INFINITY);
            out[n++] = nextafterf((float)sign * border, -INFINITY);
        }
    }
    qd_random random = qd_random_at(17, 0, 1);
    while (n < most) {
        double scale = ldexp(size, (int)(qd_random_bits(&random) % 63) - 41);
        out[n++] = (float)((2.0 * qd_random_uniform(&random) - 1.0) * scale);
    }
    return n;
}

enum { FLOATS = 2000 };

QD_TEST_LOOP(places_are_floors, 0, SIZES) {
    double size = sizes[_i];
    qdi_grid grid = grid_of(size);
    float values[FLOATS];
    size_t n = awkward_floats(size, values, FLOATS);
    size_t inside = 0;
    for (size_t i = 0; i < n; ++i) {
        uint64_t expected = 0;
        bool in = plain_place(size, centre_of(values[i]), &expected);
        qdi_grid_point place = {1, 1};
        ck_assert_int_eq(qdi_grid_point_of(&grid, point(values[i], 0.0F), &place), in);
        if (in)
            ck_assert_msg(place.x == expected, "%a: %llx, not %llx", (double)values[i],
                          (unsigned long long)place.x, (unsigned long long)expected);
        ck_assert_int_eq(qdi_grid_point_of(&grid, point(0.0F, values[i]), &place), in);
        if (in) ck_assert_uint_eq(place.y, expected);
        inside += in;
    }
    ck_assert_uint_gt(inside, n / 2);
    ck_assert_uint_lt(inside, n);
}

QD_TEST_LOOP(rings_are_those_of_the_squares, 0, SIZES) {
    double size = sizes[_i];
    qdi_grid grid = grid_of(size);
    square roots[ROOTS];
    squares_of(size, roots);
    float values[FLOATS];
    size_t n = awkward_floats(size, values, FLOATS);
    for (size_t i = 0; i < n; ++i) {
        float x = centre_of(values[i]);
        float y = centre_of(values[(i * 7 + 3) % n]);
        int ring = 0;
        for (; ring < ROOTS; ++ring) {
            const square *r = &roots[ring];
            if ((double)x >= r->x && (double)x < r->x + r->side && (double)y >= r->x &&
                (double)y < r->x + r->side)
                break;
        }
        ck_assert_int_eq(qdi_grid_ring_of_box(&grid, point(x, y)), ring);
        qdi_grid_point place;
        if (qdi_grid_point_of(&grid, point(x, y), &place))
            ck_assert_int_eq(qdi_grid_ring(&grid, place), ring);
    }
}

QD_TEST_LOOP(roots_alternate, 0, SIZES) {
    double size = sizes[_i];
    qdi_grid grid = grid_of(size);
    square roots[ROOTS];
    squares_of(size, roots);
    for (int k = 0; k < ROOTS; ++k) {
        qdi_cell cell = qdi_grid_root(&grid, k);
        ck_assert_int_eq(cell.level, -k);
        qd_vec2 corner = qdi_grid_corner(&grid, cell);
        ck_assert_double_eq(corner.x, roots[k].x);
        ck_assert_double_eq(corner.y, roots[k].x);
        ck_assert(qdi_grid_side(&grid, -k) == (float)roots[k].side);
        ck_assert(qdi_grid_border(&grid, cell.x, -k) == (float)roots[k].x);
        ck_assert(qdi_grid_border(&grid, cell.x + 1, -k) == (float)(roots[k].x + roots[k].side));
        if (k + 1 < ROOTS) ck_assert_uint_eq(qdi_grid_root_quadrant(&grid, k), k % 2 == 0 ? 3 : 0);
    }
    for (int level = 0; level <= QD_TREE_MAX_LEVEL; ++level)
        ck_assert(qdi_grid_side(&grid, level) == (float)ldexp(roots[0].side, -level));
}

// border(i) is the lowest float of cell i or above.
static void check_border(const qdi_grid *grid, double size, uint64_t cell, int level) {
    uint64_t first = cell << (QDI_CELL_BITS - level);
    float border = qdi_grid_border(grid, cell, level);
    uint64_t place = 0;
    if (plain_place(size, border, &place)) {
        ck_assert_msg(place >= first, "level %d cell %llx: border %a is below", level,
                      (unsigned long long)cell, (double)border);
    } else {
        // No float is in this cell or above it: then the border is R20's upper end.
        square roots[ROOTS];
        squares_of(size, roots);
        ck_assert(border == (float)(roots[ROOTS - 1].x + roots[ROOTS - 1].side));
    }
    if (plain_place(size, nextafterf(border, -INFINITY), &place)) {
        ck_assert_msg(place < first, "level %d cell %llx: a float below %a is in the cell", level,
                      (unsigned long long)cell, (double)border);
    } else {
        ck_assert_uint_eq(first, 0);
    }
}

QD_TEST_LOOP(borders_are_the_lowest_floats, 0, SIZES) {
    double size = sizes[_i];
    qdi_grid grid = grid_of(size);
    float values[FLOATS];
    size_t n = awkward_floats(size, values, FLOATS);
    for (size_t i = 0; i < n; ++i) {
        qdi_grid_point place;
        if (!qdi_grid_point_of(&grid, point(values[i], values[i]), &place)) continue;
        for (int level = -QD_TREE_MAX_GROWTH; level <= QD_TREE_MAX_LEVEL; level += 1 + (int)(i % 5)) {
            qdi_cell cell = qdi_cell_of(place, level);
            check_border(&grid, size, cell.x, level);
            check_border(&grid, size, cell.x + 1, level);
            // So comparing with borders and comparing places is one and the same.
            ck_assert(centre_of(values[i]) >= qdi_grid_border(&grid, cell.x, level));
            ck_assert(centre_of(values[i]) < qdi_grid_border(&grid, cell.x + 1, level));
        }
    }
}

QD_TEST(cells_nest) {
    qdi_grid grid = grid_of(64.0);
    qd_random random = qd_random_at(18, 0, 1);
    for (int i = 0; i < 2000; ++i) {
        float x = (float)(100.0 * qd_random_uniform(&random) - 50.0);
        float y = (float)(100.0 * qd_random_uniform(&random) - 50.0);
        qdi_grid_point place;
        ck_assert(qdi_grid_point_of(&grid, point(x, y), &place));
        for (int level = -QD_TREE_MAX_GROWTH; level < QD_TREE_MAX_LEVEL; ++level) {
            qdi_cell cell = qdi_cell_of(place, level);
            qdi_cell child = qdi_cell_of(place, level + 1);
            unsigned q = qdi_quadrant(place, level + 1);
            ck_assert_uint_eq(child.x, 2 * cell.x + (q & 1U));
            ck_assert_uint_eq(child.y, 2 * cell.y + (q >> 1));
            ck_assert(!qdi_cell_equal(cell, child));
            qd_vec2 corner = qdi_grid_corner(&grid, cell);
            double side = (double)qdi_grid_side(&grid, level);
            if (level > 20) continue; // beyond, a corner has more bits than the comparison below
            ck_assert_double_ge((double)x, corner.x);
            ck_assert_double_lt((double)x, corner.x + side);
            ck_assert_uint_eq(q & 1U, (double)x >= corner.x + 0.5 * side);
            ck_assert_uint_eq(q >> 1, (double)y >= corner.y + 0.5 * side);
        }
    }
}

QD_TEST(sizes_are_checked) {
    qdi_grid grid;
    static const double bad[] = {0.0, -1.0, (double)NAN, (double)INFINITY, 0x1.000001p60};
    for (size_t b = 0; b < sizeof bad / sizeof bad[0]; ++b) {
        ck_assert(!qdi_grid_init(&grid, (qd_vec2){bad[b], 1.0}));
        ck_assert(!qdi_grid_init(&grid, (qd_vec2){1.0, bad[b]}));
    }
    ck_assert(!qdi_grid_init(&grid, (qd_vec2){0x1p-61, 0x1p-61}));
    ck_assert(qdi_grid_init(&grid, (qd_vec2){0x1p-61, 1.0})); // thin is fine
    ck_assert(qdi_grid_side(&grid, 0) == 1.0F);
    ck_assert(qdi_grid_init(&grid, (qd_vec2){1.0, 1.0000001}));
    ck_assert(qdi_grid_side(&grid, 0) == 2.0F);
}

QD_TEST(longest_side) {
    ck_assert(qdi_longest((qd_box){0, 0, 2, 1}) == 2.0F);
    ck_assert(qdi_longest((qd_box){0, 0, 1, 2}) == 2.0F);
    ck_assert(qdi_longest((qd_box){3, 3, 3, 3}) == 0.0F);
    ck_assert(isinf(qdi_longest((qd_box){-FLT_MAX, 0, FLT_MAX, 0})));
}

QD_TEST_MAIN("cells", 120, NULL, NULL)
