#include "export/picture/picture.h"
#include "export/picture/refiled.h"
#include "export/raster/palette.h"
#include "tests/support/golden.h"
#include "tests/support/harness.h"
#include "tests/support/scratch.h"
#include "tests/support/worlds.h"

#include <math.h>
#include <quadrille/frame.h>
#include <string.h>

enum { FADE = 5, BODIES = 150 };

static qd_world *small_nodes(uint64_t seed, int threads, double margin) {
    qd_world_def def = qd_test_def(40, 40);
    def.capacity = 2;
    def.margin = margin;
    def.threads = threads;
    def.contact = QD_CONTACT_NONE;
    qd_world *world = qd_test_world(&def);
    qd_random random = qd_random_at(seed, 0, 0);
    qd_test_scatter(world, &random, BODIES);
    ck_assert_int_eq(qd_world_detect(world), QD_OK);
    return world;
}

static qdi_refiled notes_of(uint32_t fade) {
    return (qdi_refiled){.allocator = qd_allocator_default(), .fade = fade};
}

// ---- by brute force ----

// The deepest node for a box, by the rule of tree.h: it holds the box's centre and is as long.
typedef struct place_search {
    float x, y, longest;
    double cell[3];
    int depth;
} place_search;

static bool look_at_node(void *context, const qd_tree_node_info *node) {
    place_search *search = context;
    const bool holds = (double)search->x >= node->min_x && (double)search->x < node->min_x + node->side &&
                       (double)search->y >= node->min_y && (double)search->y < node->min_y + node->side &&
                       (double)search->longest <= node->side;
    if (node->depth > 0 && (!holds || node->depth <= search->depth)) return true;
    search->depth = node->depth;
    search->cell[0] = node->side;
    search->cell[1] = node->min_x;
    search->cell[2] = node->min_y;
    return true;
}

typedef struct expected {
    double cell[3];
    uint32_t generation, age;
} expected;

static void expect_next(const qd_world *world, expected *all) {
    const qd_body_view bodies = qd_world_view(world);
    for (size_t i = 0; i < bodies.index_count; ++i) {
        const uint32_t row = bodies.row_of_index[i];
        qd_box box;
        if (row == UINT32_MAX) {
            all[i] = (expected){.generation = 0};
            continue;
        }
        ck_assert_int_eq(qd_tree_box(qd_world_tree(world), (qd_body_index)i, &box), QD_OK);
        place_search search = {0.5F * box.min_x + 0.5F * box.max_x,
                               0.5F * box.min_y + 0.5F * box.max_y,
                               fmaxf(box.max_x - box.min_x, box.max_y - box.min_y),
                               {0},
                               -1};
        qd_tree_visit_nodes(qd_world_tree(world), look_at_node, &search);
        expected next = {.generation = bodies.generation[row], .age = FADE};
        memcpy(next.cell, search.cell, sizeof next.cell);
        if (next.generation == all[i].generation) {
            const bool same = memcmp(next.cell, all[i].cell, sizeof next.cell) == 0;
            next.age = !same ? 0 : (all[i].age < FADE ? all[i].age + 1 : FADE);
        }
        all[i] = next;
    }
}

// Some go, and others come in their place.
static void exchange_bodies(qd_world *world, qd_random *random) {
    const qd_body_view bodies = qd_world_view(world);
    const size_t index = qd_random_bits(random) % bodies.index_count;
    const uint32_t row = bodies.row_of_index[index];
    if (row != UINT32_MAX)
        ck_assert_int_eq(qd_world_remove(world, (qd_id){(uint32_t)index, bodies.generation[row]}), QD_OK);
    if (qd_random_bits(random) % 4 > 0) qd_test_scatter(world, random, 1 + qd_random_bits(random) % 2);
    ck_assert_int_eq(qd_world_detect(world), QD_OK);
}

QD_TEST(ages_are_brute_force) {
    static const double margins[] = {0, 0.3, (double)NAN};
    for (uint64_t seed = 1; seed <= 6; ++seed) {
        qd_own(qd_world) world = small_nodes(seed, 1 + (int)(seed % 3), margins[seed % 3]);
        qd_random random = qd_random_at(seed, 1, 0);
        qdi_refiled notes = notes_of(FADE);
        expected want[2 * BODIES] = {{{0}, 0, 0}};
        size_t ages[FADE + 1] = {0};
        for (int frame = 0; frame < 30; ++frame) {
            if (frame > 0) qd_test_step(world, 0.1, 1);
            if (frame % 3 == 2) exchange_bodies(world, &random);
            expect_next(world, want);
            ck_assert_int_eq(qdi_refiled_note_frame(&notes, world), QD_OK);
            ck_assert_uint_eq(notes.count, qd_world_view(world).index_count);
            ck_assert_uint_le(notes.count, 2 * BODIES);
            uint64_t lit = 0;
            for (size_t i = 0; i < notes.count; ++i) {
                ck_assert_uint_eq(notes.notes[i].generation, want[i].generation);
                if (want[i].generation == 0) continue;
                ck_assert_uint_eq(notes.notes[i].age, want[i].age);
                const unsigned hue = (unsigned)floor((FADE - want[i].age) * QDI_HUE_LIT / (double)FADE + 0.5);
                ck_assert_uint_eq(notes.hues[i], hue);
                ages[want[i].age] += 1;
                lit += want[i].age == 0;
            }
            ck_assert_uint_eq(notes.lit, lit);
            ck_assert(frame > 0 || lit == 0);
        }
        for (int age = 0; age <= FADE; ++age) ck_assert_uint_gt(ages[age], 20);
        qdi_refiled_destroy(&notes);
    }
}

// What is saved gives the frames that come after; what is damaged is refused.
QD_TEST(saved_and_taken_up) {
    qd_own(qd_world) world = small_nodes(3, 1, 0);
    qdi_refiled notes = notes_of(FADE), none = notes_of(0);
    size_t used = 0, size = qdi_refiled_save(&notes, NULL);
    ck_assert_uint_eq(size, 8);
    ck_assert_uint_eq(qdi_refiled_save(&none, NULL), 0);
    for (int frame = 0; frame < 8; ++frame) {
        ck_assert_int_eq(qdi_refiled_note_frame(&notes, world), QD_OK);
        size = qdi_refiled_save(&notes, NULL);
        ck_assert_uint_eq(size, 8 + 32 * BODIES);
        unsigned char bytes[8 + 32 * BODIES + 1];
        ck_assert_uint_eq(qdi_refiled_save(&notes, bytes), size);
        qd_test_step(world, 0.1, 1);
        qdi_refiled other = notes_of(FADE);
        ck_assert_int_eq(qdi_refiled_load(&other, bytes, size + 1, &used), QD_OK);
        ck_assert_uint_eq(used, size);
        ck_assert_int_eq(qdi_refiled_note_frame(&other, world), QD_OK);
        ck_assert_int_eq(qdi_refiled_note_frame(&notes, world), QD_OK);
        ck_assert_uint_eq(other.lit, notes.lit);
        ck_assert_mem_eq(other.hues, notes.hues, BODIES);
        qdi_refiled_destroy(&other);

        other = notes_of(FADE);
        ck_assert_int_eq(qdi_refiled_load(&other, bytes, size - 1, &used), QD_ERR_CORRUPT);
        ck_assert_int_eq(qdi_refiled_load(&other, bytes, 7, &used), QD_ERR_CORRUPT);
        bytes[8 + 28] = FADE + 1;
        ck_assert_int_eq(qdi_refiled_load(&other, bytes, size, &used), QD_ERR_CORRUPT);
        qdi_refiled_destroy(&other);
    }
    qdi_refiled_destroy(&notes);
}

QD_TEST(no_memory) {
    qd_own(qd_world) world = small_nodes(1, 1, 0);
    bool finished = false;
    for (size_t n = 1; !finished; ++n) {
        qd_test_allocator memory = qd_test_allocator_of(&memory, n);
        qdi_refiled notes = {.allocator = &memory.allocator, .fade = FADE};
        const qd_status status = qdi_refiled_note_frame(&notes, world);
        ck_assert(status == QD_OK || status == QD_ERR_MEMORY);
        finished = status == QD_OK;
        if (finished) ck_assert_uint_eq(n, 3); // notes and hues
        qdi_refiled_destroy(&notes);
        ck_assert_uint_eq(memory.live, 0);
    }
}

// The manifest of frames 4 to 9. `first`: that of the writer which makes them; one before it leaves its past
// of those before. `trails` are in that past, too.
static char *manifest_from(int first, int trails, int threads) {
    qd_scratch scratch = qd_scratch_make();
    qd_world *world = small_nodes(5, threads, 0);
    qd_own_memory unsigned char *past = NULL;
    qd_frame_writer_def def = qd_frame_writer_def_default();
    def.directory = scratch.path;
    def.view.width = def.view.height = 200;
    def.view.colour = QD_VIEW_REFILED;
    def.view.fade = 3;
    def.view.trails = trails;
    def.workers = threads;
    qd_frame_writer *writer = NULL;
    ck_assert_int_eq(qd_frame_writer_create(&def, &writer, NULL), QD_OK);
    for (int frame = 0; frame < 10; ++frame) {
        if (frame > 0) qd_test_step(world, 0.1, 2);
        if (frame == first) {
            def.past_bytes = qd_frame_writer_past(writer, NULL);
            past = qd_test_memory(def.past_bytes + 1);
            ck_assert_uint_eq(qd_frame_writer_past(writer, past), def.past_bytes);
            def.past = past;
            qd_frame_writer_destroy(writer);
            ck_assert_int_eq(qd_frame_writer_create(&def, &writer, NULL), QD_OK);
        }
        ck_assert_int_eq(
            frame < 4 ? qd_frame_writer_remember(writer, world) : qd_frame_writer_push(writer, world), QD_OK);
    }
    ck_assert_int_eq(qd_frame_writer_finish(writer, NULL, NULL), QD_OK);
    qd_frame_writer_destroy(writer);
    qd_world_destroy(world);
    char *list = qd_scratch_read(qd_scratch_at(&scratch, "manifest.csv").text, NULL);
    qd_scratch_remove(&scratch);
    ck_assert_ptr_nonnull(list);
    return list;
}

QD_TEST(frames_of_a_later_writer) {
    for (int trails = 0; trails <= 3; trails += 3) {
        qd_own_memory char *whole = manifest_from(-1, trails, 1);
        for (int first = 0; first <= 4; ++first) {
            qd_own_memory char *later = manifest_from(first, trails, 1 + first % 3);
            ck_assert_str_eq(whole, later);
        }
    }
}

// Bodies beyond those that are noted, and pictures without notes, have the colour of what has faded.
QD_TEST(without_a_past) {
    qd_own(qd_world) world = small_nodes(2, 1, 0);
    qd_view view = qd_view_default();
    view.colour = QD_VIEW_REFILED;
    qdi_picture picture = {.allocator = qd_allocator_default()};
    const qdi_area area = {0, 0, 400, 400};
    ck_assert_int_eq(qdi_picture_copy(&picture, world, &view, area, 1.0, NULL), QD_OK);
    ck_assert_uint_eq(picture.disk_count, BODIES);
    ck_assert_uint_eq(picture.facts.refiled, 0);
    for (size_t i = 0; i < picture.disk_count; ++i) ck_assert_uint_eq(picture.disks[i].hue, 0);
    qdi_picture_destroy(&picture);
}

QD_TEST_LOOP(golden_refiled, 0, 2) {
    const char *const sets[] = {"view.size=[320, 200]",
                                "view.colour=refiled",
                                "view.fade=6",
                                "stepper.capacity=4",
                                "stepper.margin=0",
                                "view.camera.zoom=2.5",
                                _i == 0 ? "view.theme=dark" : "view.theme=light"};
    qd_test_golden_scene(_i == 0 ? "style_refiled" : "style_refiled_light", "pool", 12, 1, sets, 7);
}

QD_TEST_MAIN("refiled", 120, NULL, NULL)
