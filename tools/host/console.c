#include "tools/host/console.h"

#include <stdarg.h>
#include <stdio.h>

// Console: prints one line on stderr, without control characters in it.
static void print_line(const char *prefix, const char *format, va_list arguments) {
    char line[1024];
    vsnprintf(line, sizeof line, format, arguments);
    for (char *c = line; *c; ++c)
        if ((unsigned char)*c < ' ' || *c == 127) *c = '?';
    fprintf(stderr, "quadrille: %s%s\n", prefix, line);
}

void qdi_complain(const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    print_line("", format, arguments);
    va_end(arguments);
}

void qdi_warn(const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    print_line("warning: ", format, arguments);
    va_end(arguments);
}

qdi_words qdi_words_count(double count) {
    static const struct {
        double size;
        const char *letter;
    } units[] = {{1e9, "G"}, {1e6, "M"}, {1e4, "k"}};
    qdi_words words;
    for (size_t i = 0; i < sizeof units / sizeof units[0]; ++i) {
        if (count < units[i].size) continue;
        double value = count / (units[i].size < 1e6 ? 1e3 : units[i].size);
        snprintf(words.text, sizeof words.text, "%.*f%s",
                 value < 10    ? 2
                 : value < 100 ? 1
                               : 0,
                 value, units[i].letter);
        return words;
    }
    snprintf(words.text, sizeof words.text, "%.*f", count < 10 && count > 0 ? 1 : 0, count);
    return words;
}

qdi_words qdi_words_bytes(double bytes) {
    static const char *const units[] = {"B", "kB", "MB", "GB", "TB", "PB", "EB"};
    size_t unit = 0;
    while (bytes >= 999.5 && unit + 1 < sizeof units / sizeof units[0]) {
        bytes /= 1e3;
        ++unit;
    }
    qdi_words words;
    int digits = unit == 0 || bytes >= 99.95 ? 0 : bytes < 9.995 ? 2 : 1;
    snprintf(words.text, sizeof words.text, "%.*f %s", digits, bytes, units[unit]);
    return words;
}

qdi_words qdi_words_duration(double seconds) {
    qdi_words words;
    if (!(seconds < 1e9)) { // not known, or longer than anyone waits
        snprintf(words.text, sizeof words.text, "?");
        return words;
    }
    long whole = seconds > 0 ? (long)(seconds + 0.5) : 0;
    if (whole >= 100 * 3600)
        snprintf(words.text, sizeof words.text, "%ld d %ld h", whole / 86400, whole % 86400 / 3600);
    else if (whole >= 3600)
        snprintf(words.text, sizeof words.text, "%ld:%02ld:%02ld", whole / 3600, whole % 3600 / 60,
                 whole % 60);
    else
        snprintf(words.text, sizeof words.text, "%ld:%02ld", whole / 60, whole % 60);
    return words;
}
