// What the published quadtrees miss: each fault of theirs that loses a pair, given back to the bench's mended
// tree, loses that pair in a scene made for it; mended, and with our tree, the pair is found. docs/tree.md
// shows these scenes.
#include "tests/support/harness.h"
#include "tools/bench/lineage.h"
#include "tools/bench/scenes.h"

#include <quadrille/simd.h>
#include <string.h>

enum { MOST = 64, FILLERS = 12 };

typedef struct column_set {
    double x[MOST], y[MOST], vx[MOST], vy[MOST], radius[MOST];
    size_t count;
} column_set;

static void put(column_set *set, double x, double y, double vx, double radius) {
    size_t i = set->count++;
    ck_assert_uint_lt(i, MOST);
    set->x[i] = x, set->y[i] = y, set->vx[i] = vx, set->vy[i] = 0, set->radius[i] = radius;
}

/// Small bodies in the lower left, off all lines, more than a node holds: the root has children then.
static void put_fillers(column_set *set) {
    for (int i = 0; i < FILLERS; ++i) put(set, -30.3 + 2.1 * i, -29.7 + 1.9 * i, 0, 0.2);
}

static void across_the_line(column_set *set) {
    put(set, 0, 8, 0, 2);
    put(set, 3, 8, 0, 1.5);
    put_fillers(set);
}

static void after_a_split(column_set *set) {
    put_fillers(set);
    put(set, 0, 8, 0, 2);
    put(set, 3, 8, 0, 1.5);
}

static void crowded_line(column_set *set) {
    put(set, 10, 10, 0, 1);
    put(set, 11, 10, 0, 1);
    put_fillers(set);
    for (int i = 0; i < FILLERS; ++i) put(set, 0, -30 + 5 * i, 0, 0.5);
}

static void in_a_child(column_set *set) {
    put(set, 10, 10, 0, 1);
    put(set, 11, 10, 0, 1);
    put_fillers(set);
}

static void in_a_row(column_set *set) {
    put(set, 20, 8, 0, 1);
    put(set, 21.5, 8, 0, 1); // the second and the third are the pair
    put(set, 23, 8, 0, 1);
}

static void large_and_small(column_set *set) {
    put(set, 0, 0, 0, 20);
    put(set, 10.3, 10.3, 0, 0.1);
    for (int i = 0; i < FILLERS; ++i) put(set, 8.7 + 0.5 * i, 12.1 + 0.2 * i, 0, 0.1);
    put_fillers(set);
}

static void reaching_over(column_set *set) {
    put(set, -1, 8, 0, 3);
    put(set, 3, 8, 0, 1.5);
    put_fillers(set);
}

static void onto_the_line(column_set *set) {
    put(set, 2, 16, -2, 1); // in the step it comes to lie on the line
    put(set, -1.5, 16, 0, 1);
    put_fillers(set);
}

static void two_balls(column_set *set) {
    put(set, 5, 5, 0, 1);
    put(set, 6.5, 5, 0, 1);
}

typedef struct miss {
    const char *name;
    unsigned faults;
    const qdi_bench_method *method;
    void (*place)(column_set *set);
    uint32_t a, b; ///< the pair
} miss;

static const miss misses[] = {
    {"A: one quadrant", QDI_A_ONE_QUADRANT, &qdi_bench_lineage_a, across_the_line, 0, 1},
    {"A: split again", QDI_A_SPLIT_AGAIN, &qdi_bench_lineage_a, crowded_line, 0, 1},
    {"A: all", QDI_A_FAULTS, &qdi_bench_lineage_a, crowded_line, 0, 1},
    {"B: lost below", QDI_B_LOST_BELOW, &qdi_bench_lineage_b, in_a_child, 0, 1},
    {"C: hit already", QDI_C_SKIP_HIT, &qdi_bench_lineage_c, in_a_row, 1, 2},
    {"C: two levels", QDI_C_TWO_LEVELS, &qdi_bench_lineage_c, large_and_small, 0, 1},
    {"C: other half", QDI_C_OTHER_HALF, &qdi_bench_lineage_c, reaching_over, 0, 1},
    {"C: dropped", QDI_C_DROPPED, &qdi_bench_lineage_c, after_a_split, FILLERS, FILLERS + 1},
    {"C: shared code", QDI_C_SHARED_CODE, &qdi_bench_lineage_c, onto_the_line, 0, 1},
    {"E: not widened", QDI_E_NOT_WIDENED, &qdi_bench_lineage_e, two_balls, 0, 1},
};

enum { MISSES = sizeof misses / sizeof misses[0] };

static bool has_pair(const qdi_bench_step *step, uint32_t a, uint32_t b) {
    for (size_t i = 0; i < step->pair_count; ++i) {
        uint32_t ends[2];
        memcpy(ends, (const unsigned char *)step->pairs + i * step->pair_stride, sizeof ends);
        if ((ends[0] == a && ends[1] == b) || (ends[0] == b && ends[1] == a)) return true;
    }
    return false;
}

typedef struct finding {
    size_t pairs;
    uint64_t tests;
    bool the_pair;
} finding;

/// One step from these bodies.
static finding find(const qdi_bench_method *method, unsigned faults, const qdi_bench_bodies *bodies,
                    uint32_t a, uint32_t b) {
    const qdi_bench_options options = {.threads = 1, .simd = QD_SIMD_AUTO, .faults = faults};
    void *state = NULL;
    ck_assert(method->create(bodies, &options, &state) == QD_OK);
    qdi_bench_step step;
    memset(&step, 0, sizeof step);
    ck_assert(method->step(state, &step) == QD_OK);
    const finding found = {step.pair_count, step.tests, has_pair(&step, a, b)};
    method->destroy(state);
    return found;
}

static qdi_bench_bodies bodies_of(const column_set *set) {
    qdi_bench_bodies bodies = {set->count, 64, set->x, set->y, set->vx, set->vy, set->radius, 0};
    for (size_t i = 0; i < set->count; ++i)
        if (set->radius[i] > bodies.largest) bodies.largest = set->radius[i];
    return bodies;
}

START_TEST(the_published_tree_misses_the_pair) {
    const miss *of = &misses[_i];
    column_set set = {.count = 0};
    of->place(&set);
    const qdi_bench_bodies bodies = bodies_of(&set);
    const finding all = find(&qdi_bench_brute, 0, &bodies, of->a, of->b);
    const finding published = find(of->method, of->faults, &bodies, of->a, of->b);
    const finding mended = find(of->method, 0, &bodies, of->a, of->b);
    const finding ours = find(&qdi_bench_quadtree, 0, &bodies, of->a, of->b);
    ck_assert_msg(all.the_pair, "%s: there is no such pair", of->name);
    ck_assert_msg(!published.the_pair && published.pairs < all.pairs, "%s is found", of->name);
    ck_assert_msg(mended.the_pair && mended.pairs == all.pairs, "%s, mended", of->name);
    ck_assert_msg(ours.the_pair && ours.pairs == all.pairs, "%s, ours", of->name);
}
END_TEST

/// A query that sees one quadrant only loses no pair where both of a pair ask, for the deeper one sees the
/// other. It is a node that is split again that loses them.
START_TEST(when_both_ask_the_deeper_one_sees) {
    const unsigned unsplit = QDI_A_FAULTS & ~(unsigned)QDI_A_SPLIT_AGAIN;
    qdi_bench_setting setting;
    const size_t count = 500 + qd_test_effort(1500);
    ck_assert(qdi_bench_setting_make(qdi_bench_scene_at(0), 1, count, qd_test_seed(3), qd_allocator_default(),
                                     &setting) == QD_OK);
    const finding all = find(&qdi_bench_brute, 0, &setting.bodies, 0, 1);
    const finding copies = find(&qdi_bench_lineage_a, unsplit, &setting.bodies, 0, 1);
    const finding published = find(&qdi_bench_published, 0, &setting.bodies, 0, 1);
    ck_assert_uint_eq(copies.pairs, all.pairs);
    ck_assert_uint_lt(2 * published.pairs, all.pairs);
    qdi_bench_setting_free(&setting);
}
END_TEST

/// What is counted as a test: all of a node that holds everybody, once or from both sides.
START_TEST(tests_are_counted) {
    column_set set = {.count = 0};
    for (int i = 0; i < 4; ++i) put(&set, 5 + 0.1 * i, 5, 0, 1);
    const qdi_bench_bodies bodies = bodies_of(&set);
    static const struct {
        const qdi_bench_method *method;
        uint64_t tests;
    } wanted[] = {{&qdi_bench_brute, 6},     {&qdi_bench_lineage_a, 6}, {&qdi_bench_published, 16},
                  {&qdi_bench_lineage_b, 6}, {&qdi_bench_lineage_c, 6}, {&qdi_bench_lineage_e, 16 + 6},
                  {&qdi_bench_quadtree, 6},  {&qdi_bench_each, 16},     {&qdi_bench_grid, 0}};
    for (size_t i = 0; i < sizeof wanted / sizeof wanted[0]; ++i) {
        const finding found = find(wanted[i].method, 0, &bodies, 0, 1);
        ck_assert_msg(found.pairs == 6 && found.tests == wanted[i].tests, "%s: %zu pairs, %llu tests",
                      wanted[i].method->name, found.pairs, (unsigned long long)found.tests);
    }
}
END_TEST

int main(void) {
    TCase *tests = qd_test_case("published", 60, NULL, NULL);
    tcase_add_loop_test(tests, the_published_tree_misses_the_pair, 0, MISSES);
    tcase_add_test(tests, when_both_ask_the_deeper_one_sees);
    tcase_add_test(tests, tests_are_counted);
    return qd_test_run_case("bench_published", tests);
}
