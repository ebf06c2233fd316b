#include "tools/bench/choice.h"

#include "sim/text/number.h"
#include "sim/text/suggest.h"

#include <math.h>
#include <quadrille/pairs.h>
#include <stdio.h>
#include <string.h>

/// Bench's choice: says that a word is unknown, and which known one is near.
static bool unknown(const char *kind, const char *word, size_t length, const qdi_suggestion *nearest,
                    const char *known, qd_error *error) {
    int shown = length < 60 ? (int)length : 60;
    if (nearest->word)
        snprintf(error->text, sizeof error->text, "'%.*s' is no %s; did you mean %s?", shown, word, kind,
                 nearest->word);
    else
        snprintf(error->text, sizeof error->text, "'%.*s' is no %s; there are: %s", shown, word, kind, known);
    return false;
}

void qdi_bench_add_word(char *list, size_t bytes, const char *word) {
    size_t used = strlen(list);
    snprintf(list + used, bytes - used, "%s%s", used ? ", " : "", word);
}

bool qdi_bench_choose_scene(const char *name, const qdi_bench_scene **scene, qd_error *error) {
    qdi_suggestion nearest = {NULL, 0};
    char known[200] = "";
    for (size_t i = 0; (*scene = qdi_bench_scene_at(i)) != NULL; ++i) {
        const char *word = (*scene)->name;
        if (strcmp(word, name) == 0) return true;
        qdi_suggest(&nearest, name, strlen(name), word, strlen(word));
        qdi_bench_add_word(known, sizeof known, word);
    }
    return unknown("scene of the bench", name, strlen(name), &nearest, known, error);
}

// Adds a method to those that the bench measures, once.
static void add_bench_method(const qdi_bench_method *method, const qdi_bench_method **methods,
                             size_t *count) {
    for (size_t i = 0; i < *count; ++i)
        if (methods[i] == method) return;
    if (*count < QDI_BENCH_MOST_METHODS) methods[(*count)++] = method;
}

/// Adds the method of one name.
static bool choose_method(const char *name, size_t length, const qdi_bench_method **methods, size_t *count,
                          qd_error *error) {
    const bool all = length == 3 && memcmp(name, "all", 3) == 0;
    qdi_suggestion nearest = {NULL, 0};
    char known[300] = "";
    const qdi_bench_method *method;
    for (size_t i = 0; (method = qdi_bench_method_at(i)) != NULL; ++i) {
        bool same = strlen(method->name) == length && memcmp(method->name, name, length) == 0;
        if (same || all) add_bench_method(method, methods, count);
        if (same) return true;
        qdi_suggest(&nearest, name, length, method->name, strlen(method->name));
        qdi_bench_add_word(known, sizeof known, method->name);
    }
    return all || unknown("method of this build", name, length, &nearest, known, error);
}

bool qdi_bench_choose_methods(const char *names, const qdi_bench_method **methods, size_t *count,
                              qd_error *error) {
    *count = 0;
    for (const char *name = names;; ++name) {
        size_t length = strcspn(name, ",");
        if (!choose_method(name, length, methods, count, error)) return false;
        name += length;
        if (*name == '\0') return true;
    }
}

bool qdi_bench_choose_margin(const char *text, double *margin, qd_error *error) {
    *margin = (double)NAN;
    if (strcmp(text, "auto") == 0) return true;
    if (qdi_number_read(text, strlen(text), margin) && *margin >= 0 && isfinite(*margin)) return true;
    snprintf(error->text, sizeof error->text, "--margin: '%.60s' is not a number >= 0, or auto", text);
    return false;
}

bool qdi_bench_choose_speed(const char *text, double *speed, qd_error *error) {
    const double most = 1000;
    if (qdi_number_read(text, strlen(text), speed) && *speed >= 0 && *speed <= most) return true;
    snprintf(error->text, sizeof error->text, "--speed: '%.60s' is not a number from 0 to %g", text, most);
    return false;
}

bool qdi_bench_choose_bodies(const char *flag, const char *numbers, size_t *bodies, size_t room,
                             size_t *count, qd_error *error) {
    const uint64_t most = QD_BODY_INDEX_MAX - 1;
    *count = 0;
    for (const char *number = numbers;; ++number) {
        size_t length = strcspn(number, ",");
        uint64_t value = 0;
        if (!qdi_integer_read(number, length, &value) || value < 1 || value > most) {
            snprintf(error->text, sizeof error->text,
                     "%s: '%.*s' is not a whole number from 1 to %llu (1e6 is one)", flag,
                     length < 60 ? (int)length : 60, number, (unsigned long long)most);
            return false;
        }
        if (*count == room) {
            if (room == 1)
                snprintf(error->text, sizeof error->text, "%s takes one number; --sweep-bodies takes a list",
                         flag);
            else
                snprintf(error->text, sizeof error->text, "%s takes at most %zu numbers", flag, room);
            return false;
        }
        bodies[(*count)++] = (size_t)value;
        number += length;
        if (*number == '\0') return true;
    }
}
