// Scenes with overrides: lines that begin with "#set " are what `--set` is given, one "#bodies " what
// `--bodies` is. A scene that is read says itself again and gives the same scene; its world steps, and is
// saved and loaded.
#include "tests/fuzz/fuzz.h"

#include <quadrille/scene.h>
#include <stdlib.h>
#include <string.h>

enum { SETS_MOST = 16, BODIES_MOST = 300, BODIES_FEW = 40 };

typedef struct flags {
    char *sets[SETS_MOST];
    qd_scene_changes changes;
} flags;

// Takes the flags out of the text; they stay in it as comments.
static void take_flags(const uint8_t *data, size_t size, flags *all) {
    qd_fuzz_input input = {data, size};
    while (input.left > 0) {
        char *line = qd_fuzz_line(&input, 4096);
        if (strncmp(line, "#bodies ", 8) == 0) all->changes.bodies = strtoull(line + 8, NULL, 10);
        if (strncmp(line, "#set ", 5) == 0 && all->changes.set_count < SETS_MOST) {
            memmove(line, line + 5, strlen(line + 5) + 1);
            all->sets[all->changes.set_count++] = line;
            continue;
        }
        free(line);
    }
    all->changes.sets = (const char *const *)all->sets;
}

// The resolved scene reads back as the same.
static void check_resolved(const qd_scene *scene) {
    qd_scene_file file;
    if (qd_scene_file_at(scene, 0, &file)) return; // does not lie beside it
    const char *text = qd_scene_text(scene);
    qd_scene *again = NULL;
    qd_error error = {""};
    qd_status status = qd_scene_parse(text, strlen(text), "resolved.yaml", NULL, &again, &error);
    if (status != QD_OK) qd_fuzz_fail("the resolved scene is refused: %s\n%s", error.text, text);
    if (strcmp(text, qd_scene_text(again)) != 0)
        qd_fuzz_fail("resolved twice it differs:\n%s\n---\n%s", text, qd_scene_text(again));
    if (qd_scene_hash(scene) != qd_scene_hash(again)) qd_fuzz_fail("another hash");
    qd_scene_destroy(again);
}

// A world of the scene steps twice, and a copy of it does the same.
static void check_world(const qd_scene *scene) {
    qd_world_def def = qd_scene_world(scene);
    qd_world *world = NULL, *copy = NULL;
    qd_error error = {""};
    unsigned char *data = NULL;
    size_t bytes = 0;
    qd_scene_run run = qd_scene_run_settings(scene);
    if (qd_world_create(&def, &world) != QD_OK) return;
    qd_status status = qd_scene_populate(scene, world, &error);
    if (status == QD_OK) status = qd_world_step(world, run.dt, NULL);
    if (status == QD_OK) {
        if (qd_world_save(world, &data, &bytes) != QD_OK) qd_fuzz_fail("save");
        status = qd_world_load(data, bytes, 2, NULL, &copy, &error);
        if (status != QD_OK) qd_fuzz_fail("load: %s", error.text);
        status = qd_world_step(world, run.dt, NULL);
        if (status != qd_world_step(copy, run.dt, NULL)) qd_fuzz_fail("the copy steps otherwise");
        if (qd_world_hash(world) != qd_world_hash(copy)) qd_fuzz_fail("the copy has another hash");
        qd_world_save_free(world, data, bytes);
    }
    qd_world_destroy(copy);
    qd_world_destroy(world);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    flags all = {{NULL}, {NULL, 0, 0}};
    take_flags(data, size, &all);
    qd_scene *scene = NULL;
    qd_error error = {""};
    qd_status status = qd_scene_parse((const char *)data, size, "fuzz.yaml", &all.changes, &scene, &error);
    if (status == QD_OK && all.changes.bodies == 0 && qd_scene_bodies(scene) > BODIES_MOST) { // fewer
        qd_scene_destroy(scene);
        scene = NULL;
        all.changes.bodies = BODIES_FEW;
        status = qd_scene_parse((const char *)data, size, "fuzz.yaml", &all.changes, &scene, &error);
    }
    if (status == QD_OK) {
        check_resolved(scene);
        if (qd_scene_bodies(scene) <= BODIES_MOST && !qd_scene_grows(scene)) check_world(scene);
    } else if (scene || !error.text[0] || strchr(error.text, '\n')) {
        qd_fuzz_fail("refused with '%s'", error.text);
    }
    qd_scene_destroy(scene);
    for (size_t i = 0; i < all.changes.set_count; ++i) free(all.sets[i]);
    return 0;
}
