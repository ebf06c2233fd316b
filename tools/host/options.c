#include "tools/host/options.h"

#include "sim/text/number.h"
#include "sim/text/scene_text.h"
#include "sim/text/suggest.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static const qdi_option common_options[] = {
    {"--help", 'h', QDI_OPTION_FLAG, NULL, 0, 0, offsetof(qdi_common, help), "show this help"},
    {"--version", 0, QDI_OPTION_FLAG, NULL, 0, 0, offsetof(qdi_common, version), "show the version"},
    {"-q", 'q', QDI_OPTION_FLAG, NULL, 0, 0, offsetof(qdi_common, quiet), "say nothing but errors"},
    {"-v", 'v', QDI_OPTION_FLAG, NULL, 0, 0, offsetof(qdi_common, verbose), "say more"},
    {"--no-progress", 0, QDI_OPTION_FLAG, NULL, 0, 0, offsetof(qdi_common, no_progress), "show no progress"},
    {"--no-color", 0, QDI_OPTION_FLAG, NULL, 0, 0, offsetof(qdi_common, no_colour),
     "use no colour (also: NO_COLOR in the environment)"},
};

const qdi_option *qdi_common_options(size_t *count) {
    *count = sizeof common_options / sizeof common_options[0];
    return common_options;
}

bool qdi_read_whole(const char *text, uint64_t least, uint64_t most, uint64_t *value) {
    uint64_t read;
    if (*text == '+' || *text == '-' || !qdi_integer_read(text, strlen(text), &read)) return false;
    if (read < least || read > most) return false;
    *value = read;
    return true;
}

/// Row `i` of a command's own flags and the common ones after them.
static const qdi_option *row_at(const qdi_syntax *syntax, const qdi_option *common, size_t i) {
    return i < syntax->option_count ? &syntax->options[i] : &common[i - syntax->option_count];
}

/// Options of the command line: the row whose long name is the first `length` letters of `name`.
static const qdi_option *find_long(const qdi_syntax *syntax, const char *name, size_t length) {
    size_t common_count;
    const qdi_option *common = qdi_common_options(&common_count);
    for (size_t i = 0; i < syntax->option_count + common_count; ++i) {
        const qdi_option *row = row_at(syntax, common, i);
        if (strlen(row->name) == length && memcmp(row->name, name, length) == 0) return row;
    }
    return NULL;
}

// The option that has this letter.
static const qdi_option *find_letter(const qdi_syntax *syntax, char letter) {
    size_t common_count;
    const qdi_option *common = qdi_common_options(&common_count);
    for (size_t i = 0; i < syntax->option_count + common_count; ++i) {
        const qdi_option *row = row_at(syntax, common, i);
        if (row->letter == letter) return row;
    }
    return NULL;
}

// Whether an argument is a flag rather than a value.
static bool is_flag(const qdi_syntax *syntax, const char *argument) {
    if (argument[0] != '-' || argument[1] == '\0') return false;
    if (argument[1] != '-') return argument[2] == '\0' && find_letter(syntax, argument[1]) != NULL;
    return find_long(syntax, argument, strcspn(argument, "=")) != NULL;
}

// Refuses a flag that is not known, and suggests one that is.
static qd_status unknown_flag(const qdi_syntax *syntax, const char *flag, size_t length, qd_error *error) {
    if (length > 80) length = 80;
    qdi_suggestion nearest = {NULL, 0};
    size_t common_count;
    const qdi_option *common = qdi_common_options(&common_count);
    for (size_t i = 0; i < syntax->option_count + common_count; ++i) {
        const char *name = row_at(syntax, common, i)->name;
        if (name[1] == '-') // every letter is near to every other
            qdi_suggest(&nearest, flag, length, name, strlen(name));
    }
    if (nearest.word)
        snprintf(error->text, sizeof error->text, "%s has no flag %.*s; did you mean %s?", syntax->command,
                 (int)length, flag, nearest.word);
    else
        snprintf(error->text, sizeof error->text,
                 "%s has no flag %.*s; `quadrille help %s` lists what it has", syntax->command, (int)length,
                 flag, syntax->command);
    return QD_ERR_ARGUMENT;
}

/// Options of the command line: names go to other programs and into scripts and files of ours, line by line.
static qd_status check_text(const char *flag, const char *value, qd_error *error) {
    char quote[QDI_QUOTE_ROOM];
    if (!qdi_text_has_control(value)) return QD_OK;
    snprintf(error->text, sizeof error->text, "%s%s'%s' has a control character", flag ? flag : "",
             flag ? ": " : "", qdi_quote(quote, value, strlen(value)));
    return QD_ERR_ARGUMENT;
}

/// Options of the command line: the list that lies `at` so many bytes into the settings.
static qdi_option_list given_list(const void *settings, size_t at) {
    qdi_option_list list;
    memcpy(&list, (const unsigned char *)settings + at, sizeof list);
    return list;
}

/// Options of the command line: adds a text to the list that lies at `place`.
static void append(unsigned char *place, const char *value) {
    qdi_option_list list = given_list(place, 0);
    list.items[list.count++] = value;
    memcpy(place, &list, sizeof list);
}

/// Options of the command line: puts a value where its row says.
static qd_status store(const qdi_option *row, const char *value, void *settings, qd_error *error) {
    unsigned char *place = (unsigned char *)settings + row->offset;
    if (row->kind == QDI_OPTION_TEXT) {
        if (*value == '\0') {
            snprintf(error->text, sizeof error->text, "%s needs a value (%s), not an empty one", row->name,
                     row->value);
            return QD_ERR_ARGUMENT;
        }
        if (check_text(row->name, value, error) != QD_OK) return QD_ERR_ARGUMENT;
        memcpy(place, &value, sizeof value);
    } else if (row->kind == QDI_OPTION_LIST) {
        append(place, value);
    } else {
        qdi_option_number number = {true, 0};
        if (!qdi_read_whole(value, row->least, row->most, &number.value)) {
            snprintf(error->text, sizeof error->text,
                     "%s: '%.80s' is not a whole number from %" PRIu64 " to %" PRIu64, row->name, value,
                     row->least, row->most);
            return QD_ERR_ARGUMENT;
        }
        memcpy(place, &number, sizeof number);
    }
    return QD_OK;
}

/// What is left to read.
typedef struct reader {
    const qdi_syntax *syntax;
    int next, count;
    char *const *arguments;
    void *settings;
    qd_error *error;
} reader;

/// The value of a flag is `attached`, or else the next argument.
static qd_status read_value(reader *in, const qdi_option *row, const char *attached) {
    if (!attached) {
        if (in->next >= in->count || is_flag(in->syntax, in->arguments[in->next])) {
            snprintf(in->error->text, sizeof in->error->text, "%s needs a value (%s)", row->name, row->value);
            return QD_ERR_ARGUMENT;
        }
        attached = in->arguments[in->next++];
    }
    return store(row, attached, in->settings, in->error);
}

// Sets an option that takes no value.
static void raise_flag(const reader *in, const qdi_option *row) {
    const bool yes = true;
    memcpy((unsigned char *)in->settings + row->offset, &yes, sizeof yes);
}

// Reads an option with a long name.
static qd_status read_long(reader *in, const char *argument) {
    size_t length = strcspn(argument, "=");
    const qdi_option *row = find_long(in->syntax, argument, length);
    if (!row) return unknown_flag(in->syntax, argument, length, in->error);
    const char *attached = argument[length] == '=' ? argument + length + 1 : NULL;
    if (row->kind != QDI_OPTION_FLAG) return read_value(in, row, attached);
    if (attached) {
        snprintf(in->error->text, sizeof in->error->text, "%s takes no value", row->name);
        return QD_ERR_ARGUMENT;
    }
    raise_flag(in, row);
    return QD_OK;
}

/// Options of the command line: -q, -qv, -o DIR.
static qd_status read_letters(reader *in, const char *argument) {
    for (const char *letter = argument + 1; *letter; ++letter) {
        const qdi_option *row = find_letter(in->syntax, *letter);
        if (!row) {
            const char name[3] = {'-', *letter, '\0'};
            return unknown_flag(in->syntax, letter == argument + 1 ? argument : name,
                                letter == argument + 1 ? strlen(argument) : 2, in->error);
        }
        if (row->kind != QDI_OPTION_FLAG && letter[1]) {
            // `-oDIR` would be the custom elsewhere, but there `-output x` makes a directory "utput" in
            // silence.
            snprintf(in->error->text, sizeof in->error->text, "'%.80s': write %s %s, with a space between",
                     argument, row->name, row->value);
            return QD_ERR_ARGUMENT;
        }
        if (row->kind != QDI_OPTION_FLAG) return read_value(in, row, NULL);
        raise_flag(in, row);
    }
    return QD_OK;
}

const char *qdi_syntax_word(const qdi_syntax *syntax, size_t number, int *length) {
    const char *at = syntax->word;
    for (; at && number > 0; --number) {
        at = strchr(at, ' ');
        if (at) ++at;
    }
    if (at) *length = (int)strcspn(at, " ");
    return at;
}

/// Options of the command line: whether the command takes any number of its word; the length of its name
/// without the dots that say so.
static bool takes_many_words(const qdi_syntax *syntax, int *length) {
    const size_t all = syntax->word ? strlen(syntax->word) : 0;
    const bool many = all > 3 && strcmp(syntax->word + all - 3, "...") == 0;
    *length = (int)all - (many ? 3 : 0);
    return many;
}

/// Options of the command line: the word of that number as it was given, or NULL; `at` is where it goes.
static const char *given_word(const qdi_syntax *syntax, const void *settings, size_t number, size_t *at) {
    const char *word;
    *at = syntax->word_offset + number * sizeof word;
    memcpy(&word, (const unsigned char *)settings + *at, sizeof word);
    return word;
}

/// Options of the command line: puts a word where it goes; `length` letters of `name` are what it is called.
/// It is not an empty one, and has no control characters.
static qd_status keep_word(const reader *in, const char *argument, const char *name, int length, size_t at) {
    unsigned char *place = (unsigned char *)in->settings + at;
    if (*argument == '\0') {
        snprintf(in->error->text, sizeof in->error->text, "%s needs a %.*s, not an empty one",
                 in->syntax->command, length, name);
        return QD_ERR_ARGUMENT;
    }
    if (check_text(NULL, argument, in->error) != QD_OK) return QD_ERR_ARGUMENT;
    if (takes_many_words(in->syntax, &length))
        append(place, argument);
    else
        memcpy(place, &argument, sizeof argument);
    return QD_OK;
}

// Reads an argument that is no flag.
static qd_status read_word(const reader *in, const char *argument) {
    const qdi_syntax *syntax = in->syntax;
    qd_error *error = in->error;
    if (!syntax->word) {
        snprintf(error->text, sizeof error->text, "%s takes no '%.80s'", syntax->command, argument);
        return QD_ERR_ARGUMENT;
    }
    const char *earlier = NULL, *name, *given;
    size_t number = 0, at;
    int length;
    if (takes_many_words(syntax, &length))
        return keep_word(in, argument, syntax->word, length, syntax->word_offset);
    while ((name = qdi_syntax_word(syntax, number, &length)) != NULL &&
           (given = given_word(syntax, in->settings, number, &at)) != NULL) {
        earlier = given;
        ++number;
    }
    if (name) return keep_word(in, argument, name, length, at);
    if (number == 1)
        snprintf(error->text, sizeof error->text, "%s takes one %s: '%.80s' and '%.80s' are two",
                 syntax->command, syntax->word, earlier, argument);
    else
        snprintf(error->text, sizeof error->text, "%s takes %s and no more: '%.80s'", syntax->command,
                 syntax->word, argument);
    return QD_ERR_ARGUMENT;
}

/// Options of the command line: whether the words are there that a command does not go without; to be asked
/// for help it needs none.
static qd_status words_check(const qdi_syntax *syntax, const void *settings, qd_error *error) {
    qdi_common common;
    memcpy(&common, settings, sizeof common);
    if (!syntax->needed || common.help || common.version) return QD_OK;
    const char *name;
    size_t at;
    int length;
    bool many = takes_many_words(syntax, &length);
    for (size_t number = 0; (name = qdi_syntax_word(syntax, number, &length)) != NULL; ++number) {
        bool given = many ? given_list(settings, syntax->word_offset).count > 0
                          : given_word(syntax, settings, number, &at) != NULL;
        if (given) continue;
        snprintf(error->text, sizeof error->text, "%s needs a %.*s; `quadrille help %s` says more",
                 syntax->command, length - (many ? 3 : 0), name, syntax->command);
        return QD_ERR_ARGUMENT;
    }
    return QD_OK;
}

qd_status qdi_options_parse(const qdi_syntax *syntax, int count, char *const *arguments, void *settings,
                            qd_error *error) {
    reader in = {syntax, 0, count, arguments, settings, error};
    qd_status status = QD_OK;
    bool flags = true;
    while (status == QD_OK && in.next < count) {
        const char *argument = arguments[in.next++];
        if (flags && strcmp(argument, "--") == 0)
            flags = false;
        else if (flags && argument[0] == '-' && argument[1] == '-')
            status = read_long(&in, argument);
        else if (flags && argument[0] == '-' && argument[1] != '\0')
            status = read_letters(&in, argument);
        else
            status = read_word(&in, argument);
    }
    return status == QD_OK ? words_check(syntax, settings, error) : status;
}
