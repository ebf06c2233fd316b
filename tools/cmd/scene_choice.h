#pragma once

#include <quadrille/scene.h>
#include <stdbool.h>
#include <stddef.h>

/// Reads the scene that a command was given: a file, where it looks like one or is one, else a built-in one.
/// Returns an exit code, and has said why where it is not 0. The scene is the caller's to free.
int qdi_scene_choose(const char *name, const qd_scene_changes *changes, qd_scene **scene);

/// The whole of the standard input, for the scene `-`; NULL with the reason said. The caller frees `room`
/// bytes.
char *qdi_scene_take_input(size_t *bytes, size_t *room);

/// qdi_scene_choose for such a text. Files that it names are looked for in the current directory.
int qdi_scene_choose_text(const char *text, size_t bytes, const qd_scene_changes *changes, qd_scene **scene);

/// Whether frames tell numbers of the tree only because the scene does not say what they tell (view.text).
bool qdi_scene_tells_tree_unasked(const qd_scene *scene);
