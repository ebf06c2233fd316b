// What the published quadtrees miss: each fault of theirs that loses a pair, given back to the bench's mended
// tree, loses that pair in a scene made for it; mended, and with our tree, the pair is found. docs/tree.md
// shows these scenes.
#include "tests/support/harness.h"
#include "tests/support/worlds.h"
#include "tools/bench/lineage.h"
#include "tools/bench/scenes.h"

#include <quadrille/scene.h>
#include <quadrille/simd.h>
#include <stdio.h>
#include <string.h>

enum { MOST = 64 };

typedef struct column_set {
    double x[MOST], y[MOST], vx[MOST], vy[MOST], radius[MOST];
    size_t count;
} column_set;

static void put(column_set *set, qd_vec2 at, qd_vec2 velocity, double radius) {
    size_t i = set->count++;
    ck_assert_uint_lt(i, MOST);
    set->x[i] = at.x, set->y[i] = at.y, set->vx[i] = velocity.x, set->vy[i] = velocity.y,
    set->radius[i] = radius;
}

/// The bodies of docs/tree/NAME.yaml, in the order of the file.
static column_set read_scene(const char *name) {
    char path[512];
    (void)snprintf(path, sizeof path, "%s/docs/tree/%s.yaml", QD_SOURCE_DIR, name);
    qd_scene *scene = NULL;
    qd_own(qd_world) world = NULL;
    qd_error error = {""};
    ck_assert_msg(qd_scene_read(path, NULL, &scene, &error) == QD_OK, "%s", error.text);
    const qd_world_def def = qd_scene_world(scene);
    ck_assert(def.size.x == 64 && def.size.y == 64 && def.origin.x == -32 && def.origin.y == -32);
    ck_assert_int_eq(qd_world_create(&def, &world), QD_OK);
    ck_assert_msg(qd_scene_populate(scene, world, &error) == QD_OK, "%s", error.text);
    column_set set = {.count = 0};
    const qd_body_view view = qd_world_view(world);
    for (size_t i = 0; i < view.count; ++i) {
        const uint32_t row = view.row_of_index[i];
        ck_assert_uint_eq(view.label[row], i + 1);
        put(&set, (qd_vec2){view.x[row], view.y[row]}, (qd_vec2){view.vx[row], view.vy[row]},
            view.radius[row]);
    }
    qd_scene_destroy(scene);
    return set;
}

typedef struct miss {
    const char *scene;
    unsigned faults;
    const qdi_bench_method *method;
    uint32_t a, b; ///< the pair
} miss;

static const miss misses[] = {
    {"a-one-quadrant", QDI_A_ONE_QUADRANT, &qdi_bench_lineage_a, 0, 1},
    {"a-split-again", QDI_A_SPLIT_AGAIN, &qdi_bench_lineage_a, 0, 1},
    {"a-split-again", QDI_A_FAULTS, &qdi_bench_lineage_a, 0, 1},
    {"b-lost-below", QDI_B_LOST_BELOW, &qdi_bench_lineage_b, 0, 1},
    {"c-hit-already", QDI_C_SKIP_HIT, &qdi_bench_lineage_c, 1, 2},
    {"c-two-levels", QDI_C_TWO_LEVELS, &qdi_bench_lineage_c, 0, 1},
    {"c-other-half", QDI_C_OTHER_HALF, &qdi_bench_lineage_c, 0, 1},
    {"c-dropped", QDI_C_DROPPED, &qdi_bench_lineage_c, 12, 13},
    {"c-shared-code", QDI_C_SHARED_CODE, &qdi_bench_lineage_c, 0, 1},
    {"e-not-widened", QDI_E_NOT_WIDENED, &qdi_bench_lineage_e, 0, 1},
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

QD_TEST_LOOP(the_published_tree_misses_the_pair, 0, MISSES) {
    const miss *of = &misses[_i];
    const column_set set = read_scene(of->scene);
    const qdi_bench_bodies bodies = bodies_of(&set);
    const finding all = find(&qdi_bench_brute, 0, &bodies, of->a, of->b);
    const finding published = find(of->method, of->faults, &bodies, of->a, of->b);
    const finding mended = find(of->method, 0, &bodies, of->a, of->b);
    const finding ours = find(&qdi_bench_quadtree, 0, &bodies, of->a, of->b);
    ck_assert_msg(all.the_pair, "%s: there is no such pair", of->scene);
    ck_assert_msg(!published.the_pair && published.pairs < all.pairs, "%s is found", of->scene);
    ck_assert_msg(mended.the_pair && mended.pairs == all.pairs, "%s, mended", of->scene);
    ck_assert_msg(ours.the_pair && ours.pairs == all.pairs, "%s, ours", of->scene);
}

/// A query that sees one quadrant only loses no pair where both of a pair ask, for the deeper one sees the
/// other. It is a node that is split again that loses them.
QD_TEST(when_both_ask_the_deeper_one_sees) {
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

/// What is counted as a test: all of a node that holds everybody, once or from both sides.
QD_TEST(tests_are_counted) {
    column_set set = {.count = 0};
    for (int i = 0; i < 4; ++i) put(&set, (qd_vec2){5 + 0.1 * i, 5}, (qd_vec2){0, 0}, 1);
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

QD_TEST_MAIN("bench_published", 60, NULL, NULL)
