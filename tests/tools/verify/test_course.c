#include "tests/support/harness.h"
#include "tools/verify/course.h"

#include <quadrille/random.h>
#include <stdio.h>
#include <string.h>

// Which frames a run through stages has, held against going through its steps one by one.

enum { STAGES = 5, STEPS = 400 };

// A scene with stages, each with a frame every so many steps; 0: none. One in four says nothing of frames.
static qd_scene *make_scene(const qd_random *seed, uint64_t every[STAGES]) {
    char text[1024] = "name: many\nframes: {every: 7}\nstages:\n";
    qd_random random = *seed;
    uint64_t before = 7;
    for (int k = 0; k < STAGES; ++k) {
        const size_t used = strlen(text);
        if (qd_random_uniform(&random) < 0.75) before = (uint64_t)(12 * qd_random_uniform(&random));
        every[k] = before;
        snprintf(text + used, sizeof text - used, "  - {name: s%d, steps: 100, frames: {every: %d}}\n", k,
                 (int)before);
    }
    qd_scene *scene = NULL;
    qd_error error;
    ck_assert_msg(qd_scene_parse(text, strlen(text), "many", NULL, &scene, &error) == QD_OK, "%s",
                  error.text);
    return scene;
}

QD_TEST_LOOP(test_frames_of_stages, 0, (int)qd_test_effort(100)) {
    qd_random random = qd_random_at(qd_test_seed(1) + (uint64_t)_i, 0, 0);
    uint64_t every[STAGES], frames = 0;
    qd_scene *scene = make_scene(&random, every);
    qdi_course course = {.count = 1 + (size_t)(STAGES * qd_random_uniform(&random))};
    for (size_t k = 1; k < course.count; ++k)
        course.row[k].step = course.row[k - 1].step + 1 + (uint64_t)(90 * qd_random_uniform(&random));
    for (uint64_t step = 0; step < STEPS; ++step) {
        const uint64_t distance = every[qdi_course_stage(&course, step)];
        if (distance > 0 && step % distance == 0) {
            uint64_t found = UINT64_MAX;
            ck_assert(qdi_course_frame_step(&course, scene, frames, &found));
            ck_assert_msg(found == step, "seed %d: frame %d is of step %d, not %d", _i, (int)frames,
                          (int)found, (int)step);
            ++frames;
        }
        const uint64_t counted = qdi_course_frames(&course, scene, step);
        ck_assert_msg(counted == frames, "seed %d: %d frames up to step %d, not %d", _i, (int)counted,
                      (int)step, (int)frames);
    }
    uint64_t found;
    if (every[course.count - 1] == 0) ck_assert(!qdi_course_frame_step(&course, scene, frames, &found));
    qd_scene_destroy(scene);
}

// Stages to come are as long as they can be; a run without stages is one.
QD_TEST(test_longest) {
    static const char staged[] =
        "name: s\nframes: {every: 10}\nstages:\n  - {name: a, steps: 25}\n"
        "  - {name: b, until: [{rest: {speed: 1}}], at_most: 30, frames: {every: 0}}\n"
        "  - {name: c, steps: 7, frames: {every: 2}}\n";
    static const char plain[] = "name: p\nframes: {every: 10}\n", none[] = "name: n\nframes: {every: 0}\n";
    const qdi_course nothing = {.count = 0};
    qd_scene *scene = NULL;
    ck_assert_int_eq(qd_scene_parse(staged, strlen(staged), "s", NULL, &scene, NULL), QD_OK);
    const qdi_course longest = qdi_course_longest(&nothing, scene);
    ck_assert_uint_eq(longest.count, 3);
    ck_assert(longest.row[1].step == 25 && longest.row[2].step == 55);
    ck_assert_uint_eq(qdi_course_frames(&longest, scene, 62), 3 + 4); // 0, 10, 20; 56, 58, 60, 62
    ck_assert(qdi_course_has_frames(scene));
    qd_scene_destroy(scene);
    ck_assert_int_eq(qd_scene_parse(plain, strlen(plain), "p", NULL, &scene, NULL), QD_OK);
    ck_assert_uint_eq(qdi_course_frames(&nothing, scene, 99), 10);
    qd_scene_destroy(scene);
    ck_assert_int_eq(qd_scene_parse(none, strlen(none), "n", NULL, &scene, NULL), QD_OK);
    ck_assert_uint_eq(qdi_course_frames(&nothing, scene, 99), 0);
    ck_assert(!qdi_course_has_frames(scene));
    qd_scene_destroy(scene);
}

QD_TEST_MAIN("course", 60, NULL, NULL)
