#include <quadrille/frame.h>

#include "tests/support/harness.h"
#include "tests/support/scratch.h"
#include "tests/support/worlds.h"

#include <math.h>
#include <quadrille/random.h>
#include <stdio.h>

static qd_world *make_world(size_t bodies, int threads) {
    qd_world_def def = qd_world_def_default();
    def.size = (qd_vec2){60, 40};
    def.threads = threads;
    qd_world *world = NULL;
    ck_assert_int_eq(qd_world_create(&def, &world), QD_OK);
    qd_random random = qd_random_at(11, 0, 0);
    for (size_t i = 0; i < bodies; ++i) {
        qd_body_def body = qd_body_def_default();
        body.shape.radius = 0.2 + 0.6 * qd_random_uniform(&random);
        body.position = (qd_vec2){1.0 + 58.0 * qd_random_uniform(&random),
                                  1.0 + 38.0 * qd_random_uniform(&random)};
        body.velocity = (qd_vec2){qd_random_normal(&random), qd_random_normal(&random)};
        ck_assert_int_eq(qd_world_add(world, &body, NULL, NULL), QD_OK);
    }
    ck_assert_int_eq(qd_world_detect(world), QD_OK);
    return world;
}

static qd_frame_writer_def make_def(const qd_scratch *scratch) {
    qd_frame_writer_def def = qd_frame_writer_def_default();
    def.directory = scratch->path;
    def.view.width = 320;
    def.view.height = 240;
    def.provenance = (qd_provenance){"pool", UINT64_C(0x0123456789abcdef), 42};
    return def;
}

// Pushes `frames` moments, one step apart.
static qd_status push_frames(qd_frame_writer *writer, qd_world *world, int frames) {
    qd_status status = QD_OK;
    for (int i = 0; i < frames && status == QD_OK; ++i) {
        if (i > 0) ck_assert_int_eq(qd_world_step(world, 0.1, NULL), QD_OK);
        status = qd_frame_writer_push(writer, world);
    }
    return status;
}

// A view that changes on the way: its frames are those of a writer that has it from the start, also on ever
// new palettes; what `auto` is stays where colours stand for the same, and is fixed anew where they do not.
START_TEST(another_view_from_a_frame_on) {
    for (int workers = 1; workers <= 4; workers += 3) {
        qd_scratch one, other;
        qd_scratch_make(&one);
        qd_scratch_make(&other);
        qd_error error = {""};
        double top = 0;
        for (int run = 0; run < 2; ++run) {
            qd_world *world = make_world(150, 1);
            qd_frame_writer_def def = make_def(run == 0 ? &one : &other);
            def.workers = workers;
            if (run == 1) def.view.colour = QD_VIEW_SPEED;
            if (run == 1) def.view.theme = QD_VIEW_LIGHT;
            qd_view view = def.view;
            qd_frame_writer *writer = NULL;
            ck_assert_int_eq(qd_frame_writer_create(&def, &writer, &error), QD_OK);
            if (run == 0) ck_assert_int_eq(push_frames(writer, world, 3), QD_OK);
            if (run == 1) qd_test_step(world, 0.1, 2);
            view.colour = QD_VIEW_SPEED;
            view.theme = QD_VIEW_LIGHT;
            ck_assert_int_eq(qd_frame_writer_set_view(writer, &view, &error), QD_OK);
            ck_assert(isnan(qd_frame_writer_speed(writer)));
            ck_assert_int_eq(push_frames(writer, world, 2), QD_OK);
            if (run == 0) top = qd_frame_writer_speed(writer);
            ck_assert(qd_frame_writer_speed(writer) == top);
            view.nodes = QD_VIEW_NODES_NONE;
            view.field = QD_VIEW_FIELD_VELOCITY;
            ck_assert_int_eq(qd_frame_writer_set_view(writer, &view, &error), QD_OK);
            ck_assert(qd_frame_writer_speed(writer) == top);
            ck_assert_int_eq(push_frames(writer, world, 2), QD_OK);
            view.width += 2;
            ck_assert_int_eq(qd_frame_writer_set_view(writer, &view, &error), QD_ERR_VALUE);
            ck_assert_str_eq(error.text, "frames of one writer have one size");
            view.width = 0;
            ck_assert_int_eq(qd_frame_writer_set_view(writer, &view, &error), QD_ERR_VALUE);
            ck_assert_int_eq(qd_frame_writer_set_view(NULL, &view, &error), QD_ERR_ARGUMENT);
            ck_assert_int_eq(qd_frame_writer_finish(writer, NULL, &error), QD_OK);
            qd_frame_writer_destroy(writer);
            qd_world_destroy(world);
        }
        for (int i = 0; i < 4; ++i) {
            char name[40], same[40];
            uint64_t first = 0, second = 0;
            snprintf(name, sizeof name, "frame_%06d.png", 3 + i);
            snprintf(same, sizeof same, "frame_%06d.png", i);
            ck_assert_int_eq(qd_frame_read_pixels(qd_scratch_at(&one, name).text, NULL, &first, NULL), QD_OK);
            ck_assert_int_eq(qd_frame_read_pixels(qd_scratch_at(&other, same).text, NULL, &second, NULL),
                             QD_OK);
            ck_assert_uint_eq(first, second);
        }
        qd_scratch_remove(&one);
        qd_scratch_remove(&other);
    }
}
END_TEST

int main(void) {
    TCase *tests = qd_test_case("frame_view", 60, NULL, NULL);
    tcase_add_test(tests, another_view_from_a_frame_on);
    return qd_test_run_case("frame_view", tests);
}
