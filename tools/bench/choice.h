#pragma once

#include "tools/bench/run.h"

/// What the bench's flags name. All of these fill `error` with one line where they return false.

/// Adds a word to a list of words in so many bytes, with a comma in between.
void qdi_bench_add_word(char *list, size_t bytes, const char *word);

/// The scene of this name.
bool qdi_bench_choose_scene(const char *name, const qdi_bench_scene **scene, qd_error *error);

/// Methods by name, with commas between them; "all" is every one. Puts them into `methods` in the order
/// named, each once.
bool qdi_bench_choose_methods(const char *names, const qdi_bench_method **methods, size_t *count,
                              qd_error *error);

/// A number that is not below 0, or NaN for "auto".
bool qdi_bench_choose_margin(const char *text, double *margin, qd_error *error);

/// How many times as fast as the scene says bodies are: from 0 to 1000.
bool qdi_bench_choose_speed(const char *text, double *speed, qd_error *error);

/// Numbers of bodies with commas between them, 1e6 being one; at most `room`. `flag` is for the error.
bool qdi_bench_choose_bodies(const char *flag, const char *numbers, size_t *bodies, size_t room,
                             size_t *count, qd_error *error);
