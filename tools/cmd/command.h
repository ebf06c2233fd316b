#pragma once

#include "sim/scene/schema.h"
#include "sim/text/scene_text.h"
#include "tools/host/options.h"

#include <stddef.h>
#include <stdio.h>

/// One of the program's commands: what it takes, what its help says and what it does.
typedef struct qdi_command {
    const qdi_syntax *syntax; ///< its name is here
    const char *about;        ///< one line
    const char *examples;     ///< whole lines
    const char *word_about;   ///< of the word it takes, or NULL
    /// Of the job that the command works on. The settings that its options fill come first in it, and in
    /// these a qdi_common. It is zeroed; each list of options or words has room for all arguments and
    /// QDI_COMMAND_SPARE more.
    size_t job_bytes;
    int (*run)(void *job);  ///< returns the exit code
    void (*end)(void *job); ///< gives back what `run` has taken, however that went; NULL: nothing
} qdi_command;

enum { QDI_COMMAND_SPARE = 8 };

extern const qdi_command qdi_command_run, qdi_command_resume, qdi_command_scenes, qdi_command_bench,
    qdi_command_help;
extern const qdi_command qdi_command_verify, qdi_command_diff, qdi_command_render, qdi_command_report;
extern const qdi_command qdi_command_sweep;
extern const qdi_command qdi_command_export, qdi_command_scale, qdi_command_video;

/// Number `number` of all commands in the order of the help, or NULL past the last.
const qdi_command *qdi_command_at(size_t number);

/// The command of this name; NULL, with the reason said on stderr, where there is none.
const qdi_command *qdi_command_find(const char *name);

/// Reads the arguments after the command's name, answers --help and --version, and runs it. Returns the exit
/// code; everything is said. `processes`: see qdi_program.
int qdi_command_run_with(const qdi_command *command, int count, char *const *arguments, qdi_ranks *processes);

/// The help of one command, and of the program.
void qdi_help_command(FILE *out, const qdi_command *command);
void qdi_help_program(FILE *out);

/// The keys of a scene: all of them where `wanted` is NULL, else the one with that path or last word, and
/// those below it. Returns the exit code, and has said on stderr where there is none.
int qdi_help_scene(FILE *out, const char *wanted);

/// Adds what a key expects and what it is where a scene leaves it out: "a number > 0; default: 1".
void qdi_help_key(const qdi_key *key, qdi_text *text);
