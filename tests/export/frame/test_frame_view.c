#include <quadrille/frame.h>

#include "tests/support/frames.h"
#include "tests/support/harness.h"
#include "tests/support/worlds.h"

#include <math.h>
#include <stdio.h>

// A view that changes on the way: its frames are those of a writer that has it from the start, also on ever
// new palettes; what `auto` is stays where colours stand for the same, and is fixed anew where they do not.
QD_TEST(another_view_from_a_frame_on) {
    for (int workers = 1; workers <= 4; workers += 3) {
        qd_scratch one = qd_scratch_make(), other = qd_scratch_make();
        qd_error error = {""};
        double top = 0;
        for (int run = 0; run < 2; ++run) {
            qd_own(qd_world) world = make_world(150, 1);
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

QD_TEST_MAIN("frame_view", 60, NULL, NULL)
