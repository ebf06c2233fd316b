#pragma once

#include <stddef.h>

/// A scene that is part of the program: one of sim/scenes.
typedef struct qdi_builtin {
    const char *name;
    const char *about; ///< one line; the file's first line is the same as a comment
    const char *text;
    size_t bytes;
} qdi_builtin;

/// Fills `builtin` with scene `number` and returns 1, or returns 0 past the last.
int qdi_builtin_get(size_t number, qdi_builtin *builtin);
