#include "tests/support/harness.h"
#include "tools/host/options.h"

#include <string.h>

typedef struct settings {
    qdi_common common;
    const char *word, *words[2], *directory;
    qdi_option_number steps, threads;
    qdi_option_list sets, many;
    bool force;
} settings;

static const qdi_option options[] = {
    {"-o", 'o', QDI_OPTION_TEXT, "DIR", 0, 0, offsetof(settings, directory), ""},
    {"--steps", 0, QDI_OPTION_NUMBER, "N", 0, UINT64_MAX, offsetof(settings, steps), ""},
    {"--threads", 0, QDI_OPTION_NUMBER, "N", 1, 1024, offsetof(settings, threads), ""},
    {"--set", 0, QDI_OPTION_LIST, "KEY=VALUE", 0, 0, offsetof(settings, sets), ""},
    {"--force", 0, QDI_OPTION_FLAG, NULL, 0, 0, offsetof(settings, force), ""},
};
static const qdi_syntax syntax = {.command = "run",
                                  .options = options,
                                  .option_count = sizeof options / sizeof options[0],
                                  .word = "SCENE",
                                  .word_offset = offsetof(settings, word)};
static const qdi_syntax wordless = {.command = "list"};
static const qdi_syntax two_words = {
    .command = "diff", .word = "DIR1 DIR2", .word_offset = offsetof(settings, words), .needed = true};
static const qdi_syntax many_words = {.command = "video",
                                      .options = options,
                                      .option_count = sizeof options / sizeof options[0],
                                      .word = "DIR...",
                                      .word_offset = offsetof(settings, many),
                                      .needed = true};

enum { MOST_ARGUMENTS = 8 };

/// What one command line gave.
typedef struct parsed {
    settings values;
    const char *items[MOST_ARGUMENTS], *words[MOST_ARGUMENTS];
    qd_error error;
    qd_status status;
} parsed;

/// Reads up to eight arguments, the last one NULL.
static void parse(parsed *result, const qdi_syntax *with, const char *const *arguments) {
    int count = 0;
    while (arguments[count]) ++count;
    char *given[MOST_ARGUMENTS] = {NULL}; // as main gets them
    memcpy(given, arguments, (size_t)count * sizeof *given);
    memset(result, 0, sizeof *result);
    result->values.sets.items = result->items;
    result->values.many.items = result->words;
    result->status = qdi_options_parse(with, count, given, &result->values, &result->error);
}

#define PARSE(result, ...) parse(result, &syntax, (const char *const[]){__VA_ARGS__, NULL})

QD_TEST(test_values) {
    parsed p;
    PARSE(&p, "pool", "-o", "out", "--steps", "18446744073709551615", "--threads=3", "--force");
    ck_assert_int_eq(p.status, QD_OK);
    ck_assert_str_eq(p.values.word, "pool");
    ck_assert_str_eq(p.values.directory, "out");
    ck_assert(p.values.steps.given && p.values.steps.value == UINT64_MAX);
    ck_assert(p.values.threads.given && p.values.threads.value == 3);
    ck_assert(p.values.force);
    ck_assert(!p.values.common.quiet && !p.values.common.help);
    ck_assert_uint_eq(p.values.sets.count, 0);
}

/// Scenes take 1e4 where a whole number is due, so the flags do.
QD_TEST(test_whole_numbers_in_other_forms) {
    parsed p;
    PARSE(&p, "--steps", "1e4", "--threads=2.0");
    ck_assert_msg(p.status == QD_OK, "%s", p.error.text);
    ck_assert_uint_eq(p.values.steps.value, 10000);
    ck_assert_uint_eq(p.values.threads.value, 2);
    PARSE(&p, "--steps", "2.5E3");
    ck_assert_msg(p.status == QD_OK && p.values.steps.value == 2500, "%s", p.error.text);
}

QD_TEST(test_nothing_given) {
    parsed p;
    parse(&p, &syntax, (const char *const[]){NULL});
    ck_assert_int_eq(p.status, QD_OK);
    ck_assert_ptr_null(p.values.word);
    ck_assert(!p.values.steps.given);
}

QD_TEST(test_lists_keep_their_order_and_the_last_value_counts) {
    parsed p;
    PARSE(&p, "--set", "a.b=1", "--steps=1", "--set=c=x=y", "--steps=2");
    ck_assert_int_eq(p.status, QD_OK);
    ck_assert_uint_eq(p.values.sets.count, 2);
    ck_assert_str_eq(p.values.sets.items[0], "a.b=1");
    ck_assert_str_eq(p.values.sets.items[1], "c=x=y");
    ck_assert_uint_eq(p.values.steps.value, 2);
}

QD_TEST(test_letters_and_end_of_flags) {
    parsed p;
    PARSE(&p, "-qv", "--no-progress", "--no-color", "--", "-o");
    ck_assert_int_eq(p.status, QD_OK);
    ck_assert(p.values.common.quiet && p.values.common.verbose);
    ck_assert(p.values.common.no_progress && p.values.common.no_colour);
    ck_assert_str_eq(p.values.word, "-o");
    PARSE(&p, "-h");
    ck_assert(p.status == QD_OK && p.values.common.help);
    PARSE(&p, "--version");
    ck_assert(p.status == QD_OK && p.values.common.version);
    PARSE(&p, "-qo", "out", "-");
    ck_assert(p.status == QD_OK && p.values.common.quiet);
    ck_assert_str_eq(p.values.directory, "out");
    ck_assert_str_eq(p.values.word, "-");
}

/// Wrong command lines and what the answer must name.
static const struct {
    const char *arguments[4];
    const char *named;
} wrong[] = {
    {{"--step", "3"}, "did you mean --steps?"},
    {{"--stesp", "3"}, "did you mean --steps?"},
    {{"--thread=3"}, "did you mean --threads?"},
    {{"--colour"}, "quadrille help run"},
    {{"--nocolor"}, "did you mean --no-color?"},
    {{"--resume"}, "--resume"},
    {{"--x"}, "quadrille help run"},
    {{"-x"}, "has no flag -x"},
    {{"-qx"}, "has no flag -x"},
    {{"-steps", "3"}, "did you mean --steps?"},
    {{"-output", "dir"}, "write -o DIR"},
    {{"--steps"}, "--steps needs a value (N)"},
    {{"--steps", "--force"}, "--steps needs a value (N)"},
    {{"--steps", "-q"}, "--steps needs a value (N)"},
    {{"-o"}, "-o needs a value (DIR)"},
    {{"-o", ""}, "-o needs a value (DIR)"},
    {{"--set"}, "--set needs a value (KEY=VALUE)"},
    {{"--steps", "abc"}, "'abc' is not a whole number"},
    {{"--steps", "-1"}, "'-1' is not a whole number"},
    {{"--steps", "+1"}, "'+1' is not a whole number"},
    {{"--steps", "1.5"}, "'1.5' is not a whole number"},
    {{"--steps", "1e-3"}, "'1e-3' is not a whole number"},
    {{"--steps", "1e17"}, "'1e17' is not a whole number"},
    {{"--threads", "1e4"}, "'1e4' is not a whole number from 1 to 1024"},
    {{"--steps", ".inf"}, "'.inf' is not a whole number"},
    {{"--steps", " 1"}, "' 1' is not a whole number"},
    {{"--steps="}, "'' is not a whole number"},
    {{"--steps", "18446744073709551616"}, "not a whole number"},
    {{"--threads", "0"}, "'0' is not a whole number from 1 to 1024"},
    {{"--threads", "1025"}, "'1025' is not a whole number from 1 to 1024"},
    {{"--threads", "-1"}, "'-1' is not a whole number from 1 to 1024"},
    {{"--threads", "abc"}, "'abc' is not a whole number from 1 to 1024"},
    {{"--force=yes"}, "--force takes no value"},
    {{"a", "b"}, "'a' and 'b' are two"},
    {{""}, "not an empty one"},
};

QD_TEST_LOOP(test_wrong_lines, 0, (int)(sizeof wrong / sizeof wrong[0])) {
    parsed p;
    parse(&p, &syntax, wrong[_i].arguments);
    ck_assert_int_eq(p.status, QD_ERR_ARGUMENT);
    ck_assert_msg(strstr(p.error.text, wrong[_i].named) != NULL, "'%s' does not say '%s'", p.error.text,
                  wrong[_i].named);
    ck_assert_ptr_null(strchr(p.error.text, '\n'));
}

QD_TEST(test_a_command_without_a_word) {
    parsed p;
    parse(&p, &wordless, (const char *const[]){"pool", NULL});
    ck_assert_int_eq(p.status, QD_ERR_ARGUMENT);
    ck_assert_str_eq(p.error.text, "list takes no 'pool'");
    parse(&p, &wordless, (const char *const[]){"-q", NULL});
    ck_assert_int_eq(p.status, QD_OK);
}

QD_TEST(test_two_words_that_are_needed) {
    parsed p;
    parse(&p, &two_words, (const char *const[]){"one", "-q", "two", NULL});
    ck_assert_msg(p.status == QD_OK, "%s", p.error.text);
    ck_assert_str_eq(p.values.words[0], "one");
    ck_assert_str_eq(p.values.words[1], "two");
    parse(&p, &two_words, (const char *const[]){"one", NULL});
    ck_assert_int_eq(p.status, QD_ERR_ARGUMENT);
    ck_assert_str_eq(p.error.text, "diff needs a DIR2; `quadrille help diff` says more");
    parse(&p, &two_words, (const char *const[]){"one", "", NULL});
    ck_assert_str_eq(p.error.text, "diff needs a DIR2, not an empty one");
    parse(&p, &two_words, (const char *const[]){"one", "two", "three", NULL});
    ck_assert_str_eq(p.error.text, "diff takes DIR1 DIR2 and no more: 'three'");
    parse(&p, &two_words, (const char *const[]){"--help", NULL});
    ck_assert_int_eq(p.status, QD_OK);
    int length;
    ck_assert_ptr_nonnull(qdi_syntax_word(&two_words, 1, &length));
    ck_assert_int_eq(length, 4);
    ck_assert_ptr_null(qdi_syntax_word(&two_words, 2, &length));
    ck_assert_ptr_null(qdi_syntax_word(&wordless, 0, &length));
}

QD_TEST(test_any_number_of_words) {
    parsed p;
    parse(&p, &many_words, (const char *const[]){"one", "--set", "a=1", "two", "--", "-o", NULL});
    ck_assert_msg(p.status == QD_OK, "%s", p.error.text);
    ck_assert_uint_eq(p.values.many.count, 3);
    ck_assert_str_eq(p.values.many.items[0], "one");
    ck_assert_str_eq(p.values.many.items[1], "two");
    ck_assert_str_eq(p.values.many.items[2], "-o");
    ck_assert_uint_eq(p.values.sets.count, 1);
    parse(&p, &many_words, (const char *const[]){"-q", NULL});
    ck_assert_int_eq(p.status, QD_ERR_ARGUMENT);
    ck_assert_str_eq(p.error.text, "video needs a DIR; `quadrille help video` says more");
    parse(&p, &many_words, (const char *const[]){"one", "", NULL});
    ck_assert_str_eq(p.error.text, "video needs a DIR, not an empty one");
    parse(&p, &many_words, (const char *const[]){"one", "t\nwo", NULL});
    ck_assert_int_eq(p.status, QD_ERR_ARGUMENT);
    parse(&p, &many_words, (const char *const[]){"--help", NULL});
    ck_assert_int_eq(p.status, QD_OK);
}

QD_TEST(test_a_long_unknown_flag_is_cut) {
    char flag[600];
    memset(flag, 'x', sizeof flag);
    flag[0] = flag[1] = '-';
    flag[sizeof flag - 1] = '\0';
    char *arguments[] = {flag};
    settings values;
    memset(&values, 0, sizeof values);
    qd_error error = {""};
    ck_assert_int_eq(qdi_options_parse(&syntax, 1, arguments, &values, &error), QD_ERR_ARGUMENT);
    ck_assert_uint_lt(strlen(error.text), 200);
}

QD_TEST_MAIN("options", 0, NULL, NULL)
