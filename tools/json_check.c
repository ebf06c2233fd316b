#include "tools/json_check.h"

#include <stddef.h>
#include <string.h>

enum { DEEPEST = 64 };

// Each of these returns where what it looked at ends, or NULL where it is not sound.

static const char *skip_space(const char *at) {
    return at + strspn(at, " \t\r\n");
}

static const char *skip_digits(const char *at) {
    size_t count = strspn(at, "0123456789");
    return count > 0 ? at + count : NULL;
}

static const char *skip_number(const char *at) {
    if (*at == '-') ++at;
    at = *at == '0' ? at + 1 : skip_digits(at);
    if (at && *at == '.') at = skip_digits(at + 1);
    if (!at || (*at != 'e' && *at != 'E')) return at;
    ++at;
    if (*at == '+' || *at == '-') ++at;
    return skip_digits(at);
}

static const char *skip_string(const char *at) {
    if (*at++ != '"') return NULL;
    for (; *at != '"'; ++at) {
        if ((unsigned char)*at < ' ') return NULL; // the end of the text too
        if (*at != '\\') continue;
        ++at;
        if (*at == 'u' && strspn(at + 1, "0123456789abcdefABCDEF") >= 4)
            at += 4;
        else if (!*at || !strchr("\"\\/bfnrt", *at))
            return NULL;
    }
    return at + 1;
}

static const char *skip_word(const char *at) {
    static const char *const words[] = {"true", "false", "null"};
    for (size_t i = 0; i < sizeof words / sizeof words[0]; ++i)
        if (strncmp(at, words[i], strlen(words[i])) == 0) return at + strlen(words[i]);
    return NULL;
}

/// A number, a string or a word.
static const char *skip_plain(const char *at) {
    return *at == '"' ? skip_string(at) : *at == '-' || skip_digits(at) ? skip_number(at) : skip_word(at);
}

/// `"name":` and the space around it.
static const char *skip_name(const char *at) {
    at = skip_string(skip_space(at));
    if (at) at = skip_space(at);
    return at && *at == ':' ? skip_space(at + 1) : NULL;
}

/// A value with all that is in it.
static const char *skip_value(const char *at) {
    char open[DEEPEST];
    size_t depth = 0;
    at = skip_space(at);
    for (;;) {
        if (*at == '{' || *at == '[') {
            if (depth == DEEPEST) return NULL;
            open[depth++] = *at;
            at = skip_space(at + 1);
            if (*at != open[depth - 1] + 2) { // in ASCII the closing brackets come two after the opening ones
                if (open[depth - 1] == '{') at = skip_name(at);
                if (!at) return NULL;
                continue;
            }
        } else {
            at = skip_plain(at);
            if (!at) return NULL;
        }
        while (depth > 0 && *(at = skip_space(at)) == open[depth - 1] + 2) {
            ++at;
            --depth;
        }
        if (depth == 0) return at;
        if (*at++ != ',') return NULL;
        at = open[depth - 1] == '{' ? skip_name(at) : skip_space(at);
        if (!at) return NULL;
    }
}

bool qdi_json_sound(const char *text) {
    const char *end = skip_value(text);
    return end && *skip_space(end) == '\0';
}

const char *qdi_json_member(const char *text, const char *name) {
    const char *at = skip_space(text);
    size_t length = strlen(name);
    if (*at != '{') return NULL;
    for (at = skip_space(at + 1); *at == '"'; at = skip_space(at + 1)) {
        bool found = strncmp(at + 1, name, length) == 0 && at[length + 1] == '"';
        at = skip_name(at);
        if (found || !at) return at;
        at = skip_value(at);
        if (!at || *(at = skip_space(at)) != ',') return NULL;
    }
    return NULL;
}
