#include "tools/cmd/command.h"

#include "sim/text/suggest.h"
#include "tools/host/console.h"
#include "tools/host/exit_codes.h"

#include <string.h>

const qdi_command *qdi_command_at(size_t number) {
    static const qdi_command *const commands[] = {
        &qdi_command_run,    &qdi_command_resume, &qdi_command_scenes, &qdi_command_verify,
        &qdi_command_diff,   &qdi_command_render, &qdi_command_video,  &qdi_command_report,
        &qdi_command_export, &qdi_command_sweep,  &qdi_command_bench,  &qdi_command_scale,
        &qdi_command_help};
    return number < sizeof commands / sizeof commands[0] ? commands[number] : NULL;
}

const qdi_command *qdi_command_find(const char *name) {
    qdi_suggestion nearest = {NULL, 0};
    const qdi_command *command;
    for (size_t i = 0; (command = qdi_command_at(i)) != NULL; ++i) {
        const char *known = command->syntax->command;
        if (strcmp(known, name) == 0) return command;
        qdi_suggest(&nearest, name, strlen(name), known, strlen(known));
    }
    if (nearest.word)
        qdi_complain("there is no command '%.80s'; did you mean %s?", name, nearest.word);
    else
        qdi_complain("there is no command '%.80s'; `quadrille help` lists them", name);
    return NULL;
}

void qdi_help_program(FILE *out) {
    fprintf(out, "quadrille: 2D collision simulation on many cores\n\n"
                 "Examples\n"
                 "  quadrille run                       simulate the built-in scene pool, with pictures\n"
                 "  quadrille scenes                    list the built-in scenes\n"
                 "  quadrille scenes pool > my.yaml     a scene to start from\n"
                 "  quadrille run my.yaml -o out        simulate it into the directory out\n"
                 "  quadrille resume out                go on with it after Ctrl-C or a crash\n"
                 "\n"
                 "Commands\n");
    const qdi_command *command;
    for (size_t i = 0; (command = qdi_command_at(i)) != NULL; ++i)
        fprintf(out, "  %-18s %s\n", command->syntax->command, command->about);
    fprintf(
        out,
        "\n`quadrille help COMMAND` says more about one of them; `quadrille --version` shows the version.\n"
        "\n"
        "Exit codes\n"
        "  0 done, 1 failed, 2 wrong command line, 3 scene missing or not valid, 4 output cannot be "
        "written,\n"
        "  5 a limit of the scene was passed, or what should be equal differs (verify, diff, bench, scale),\n"
        "  75 stopped early: `quadrille resume` goes on; 128 + n killed by signal n, as by a second Ctrl-C "
        "(130)\n");
}

typedef struct help_settings {
    qdi_common common;
    const char *command, *key;
} help_settings;

// `quadrille help`: of the program, a command or the scene keys.
static int help_command(void *context) {
    const help_settings *settings = context;
    if (!settings->command) {
        qdi_help_program(stdout);
        return QDI_EXIT_DONE;
    }
    if (strcmp(settings->command, "scene") == 0) return qdi_help_scene(stdout, settings->key);
    const qdi_command *command = qdi_command_find(settings->command);
    if (!command) return QDI_EXIT_USAGE;
    if (settings->key) {
        qdi_complain("help takes a KEY after scene only: '%.80s'", settings->key);
        return QDI_EXIT_USAGE;
    }
    qdi_help_command(stdout, command);
    return QDI_EXIT_DONE;
}

const qdi_command qdi_command_help = {
    &(const qdi_syntax){
        .command = "help", .word = "COMMAND KEY", .word_offset = offsetof(help_settings, command)},
    "show help",
    "  quadrille help\n"
    "  quadrille help run\n"
    "  quadrille help scene                all keys of a scene\n"
    "  quadrille help scene contact        one key, or a section\n",
    "a command's name; or scene, and a KEY of it",
    sizeof(help_settings),
    help_command,
    NULL,
};
