#pragma once

#include "tools/cmd/command.h"

#include <stdbool.h>
#include <stdio.h>

/// Manual pages and shell completions, written from the tables that the commands are parsed by, so that none
/// can lack a flag.

/// What a word or a flag's value stands for, by the name that the help gives it.
typedef enum qdi_value_kind {
    QDI_VALUE_ANY,       ///< numbers, lists, names: nothing to offer
    QDI_VALUE_SCENE,     ///< a built-in scene or a file
    QDI_VALUE_DIRECTORY, ///< a run directory, or one to make
    QDI_VALUE_FILE,
    QDI_VALUE_COMMAND,  ///< one of ours, or a help on scenes
    QDI_VALUE_KEY,      ///< of a scene, with an = behind it
    QDI_VALUE_VIEW_KEY, ///< of its view
    QDI_VALUE_FORMAT,   ///< of an export
    QDI_VALUE_PRESET,   ///< of an encoder
} qdi_value_kind;

/// Completions of a shell: "DIR", "DIR1 DIR2", "SCENE", "FILE", ... NULL is QDI_VALUE_ANY.
qdi_value_kind qdi_value_kind_of(const char *name);

/// The page of a command, in roff. `text` is what it says under DESCRIPTION: paragraphs, parted by empty
/// lines; lines that begin with two spaces are shown as they are. `exits` is the same for EXIT STATUS. `mpi`:
/// there is a page of quadrille-mpi to see.
void qdi_manual_page(FILE *out, const qdi_command *command, const char *text, const char *exits, bool mpi);
/// The page of the program.
void qdi_manual_program(FILE *out, const char *text, const char *exits, bool mpi);
/// The page of quadrille-mpi.
void qdi_manual_mpi(FILE *out, const char *text, const char *exits);

/// The page of the keys of a scene, section 5.
void qdi_manual_scene(FILE *out);

void qdi_complete_bash(FILE *out);
void qdi_complete_zsh(FILE *out);
void qdi_complete_fish(FILE *out);
