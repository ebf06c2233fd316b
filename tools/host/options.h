#pragma once

#include "core/parallel/ranks.h"

#include <quadrille/status.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// Command lines by table: the same rows parse, complain and print the help.

/// Highest step: the highest whole number that a scene can say exactly.
#define QDI_MOST_STEPS (UINT64_C(1) << 53)

typedef enum qdi_option_kind {
    QDI_OPTION_FLAG,   ///< bool
    QDI_OPTION_TEXT,   ///< const char *
    QDI_OPTION_NUMBER, ///< qdi_option_number
    QDI_OPTION_LIST,   ///< qdi_option_list: may be given many times
} qdi_option_kind;

/// A whole number, and whether there was one.
typedef struct qdi_option_number {
    bool given;
    uint64_t value;
} qdi_option_number;

/// Texts in the order given. `items` is the caller's, with room for as many as there are arguments.
typedef struct qdi_option_list {
    const char **items;
    size_t count;
} qdi_option_list;

/// One flag.
typedef struct qdi_option {
    const char *name; ///< "--steps", or "-o" where there is only a letter
    char letter;      ///< 'o' for -o, or 0
    qdi_option_kind kind;
    const char *value;    ///< what the help calls the value: "N"; NULL for a flag
    uint64_t least, most; ///< of a number
    size_t offset;        ///< where the value goes in the command's settings
    const char *about;    ///< for the help
} qdi_option;

/// What every command takes. Every command's settings begin with it.
typedef struct qdi_common {
    bool help, version, quiet, verbose, no_progress, no_colour;
    qdi_ranks *processes; ///< not of the command line: see qdi_program
} qdi_common;

/// The flags of qdi_common; `*count` gets their number.
const qdi_option *qdi_common_options(size_t *count);

/// What a command's line is made of: the common flags, its own, and words that are none.
typedef struct qdi_syntax {
    const char *command;       ///< "run"
    const qdi_option *options; ///< its own
    size_t option_count;
    /// What the help calls the word ("SCENE"), or the words one by one ("DIR1 DIR2"), or any number of one
    /// word ("DIR..."); NULL: takes none.
    const char *word;
    size_t word_offset; ///< in the settings: a const char * for each of them, side by side; of "DIR..." a
                        ///< qdi_option_list
    bool needed;        ///< it does not go without them
} qdi_syntax;

/// Reads `count` arguments (without program and command name) into `settings`, which holds the defaults.
/// `--flag value` and `--flag=value` are the same, of a flag given twice the last counts, `--` ends the
/// flags. Errors: QD_ERR_ARGUMENT, with one line in `error`: what is wrong, and the nearest flag.
QD_MUST_USE qd_status qdi_options_parse(const qdi_syntax *syntax, int count, char *const *arguments,
                                        void *settings, qd_error *error);

/// Options of the command line: number `number` of the words that a command takes, and its length; NULL past
/// the last.
const char *qdi_syntax_word(const qdi_syntax *syntax, size_t number, int *length);

/// Options of the command line: a whole decimal number within bounds, also as 1e6 or 2.5e3, as scenes take
/// it; false for anything else, an empty text and signs included.
bool qdi_read_whole(const char *text, uint64_t least, uint64_t most, uint64_t *value);
