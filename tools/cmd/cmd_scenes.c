#include "sim/text/suggest.h"
#include "tools/cmd/command.h"
#include "tools/host/console.h"
#include "tools/host/exit_codes.h"

#include <quadrille/scene.h>
#include <string.h>

typedef struct scenes_settings {
    qdi_common common;
    const char *name;
} scenes_settings;

// Prints the text of a built-in scene.
static int print_builtin_scene(const char *name) {
    const char *text = qd_scene_builtin_text(name);
    if (text) {
        fputs(text, stdout);
        return QDI_EXIT_DONE;
    }
    qdi_suggestion nearest = {NULL, 0};
    const char *known;
    for (size_t i = 0; (known = qd_scene_builtin_name(i)) != NULL; ++i)
        qdi_suggest(&nearest, name, strlen(name), known, strlen(known));
    if (nearest.word)
        qdi_complain("there is no built-in scene '%.80s'; did you mean %s?", name, nearest.word);
    else
        qdi_complain("there is no built-in scene '%.80s'; `quadrille scenes` lists them", name);
    return QDI_EXIT_SCENE;
}

// `quadrille scenes`: lists the built-in scenes or prints one.
static int scenes_command(void *context) {
    const scenes_settings *settings = context;
    if (settings->name) return print_builtin_scene(settings->name);
    const char *name;
    for (size_t i = 0; (name = qd_scene_builtin_name(i)) != NULL; ++i)
        printf("%-12s %s\n", name, qd_scene_builtin_about(i));
    return QDI_EXIT_DONE;
}

const qdi_command qdi_command_scenes = {
    &(const qdi_syntax){.command = "scenes", .word = "SCENE", .word_offset = offsetof(scenes_settings, name)},
    "list the built-in scenes, or print one",
    "  quadrille scenes                   names, one per line\n"
    "  quadrille scenes pool > my.yaml    a scene to change and run\n",
    "a built-in scene: its YAML is printed",
    sizeof(scenes_settings),
    scenes_command,
    NULL,
};
