// What all commands share: reading their arguments, and the help of one.

#include "tools/cmd/command.h"

#include "core/base/memory.h"
#include "tools/host/console.h"
#include "tools/host/exit_codes.h"

#include <string.h>

/// True where the command is to go on; otherwise everything is said and `*exit_code` set.
static bool start(const qdi_command *command, int count, char *const *arguments, void *settings,
                  int *exit_code) {
    qd_error error = {""};
    *exit_code = QDI_EXIT_DONE;
    if (qdi_options_parse(command->syntax, count, arguments, settings, &error) != QD_OK) {
        qdi_complain("%s", error.text);
        *exit_code = QDI_EXIT_USAGE;
        return false;
    }
    qdi_common common;
    memcpy(&common, settings, sizeof common);
    if (common.help)
        qdi_help_command(stdout, command);
    else if (common.version)
        printf("quadrille %s\n", QD_VERSION);
    else
        return true;
    return false;
}

/// Gives each list of a command its part of `items`: those of its options and of its words. Returns how many
/// there are; `items` NULL: only counts.
static size_t give_lists(const qdi_syntax *syntax, char *settings, const char **items, size_t room) {
    size_t count = 0;
    for (size_t i = 0; i <= syntax->option_count; ++i) {
        const bool is_word = i == syntax->option_count;
        if (is_word ? !syntax->word || !strstr(syntax->word, "...")
                    : syntax->options[i].kind != QDI_OPTION_LIST)
            continue;
        const qdi_option_list list = {items ? items + count * room : NULL, 0};
        count += 1;
        if (items)
            memcpy(settings + (is_word ? syntax->word_offset : syntax->options[i].offset), &list,
                   sizeof list);
    }
    return count;
}

int qdi_command_run_with(const qdi_command *command, int count, char *const *arguments,
                         qdi_ranks *processes) {
    const qd_allocator *allocator = qd_allocator_default();
    const size_t room = (size_t)count + QDI_COMMAND_SPARE;
    const size_t all = room * (1 + give_lists(command->syntax, NULL, NULL, room));
    int exit_code = QDI_EXIT_FAILED;
    void *job = qdi_allocate(allocator, 1, command->job_bytes);
    const char **items = qdi_allocate(allocator, all, sizeof *items);
    if (!job || !items) {
        qdi_complain("%s", qd_status_text(QD_ERR_MEMORY));
    } else {
        memset(job, 0, command->job_bytes);
        memcpy(job, &(qdi_common){.processes = processes}, sizeof(qdi_common)); // every job begins with one
        (void)give_lists(command->syntax, job, items, room);
        if (start(command, count, arguments, job, &exit_code)) {
            exit_code = command->run(job);
            if (command->end) command->end(job);
        }
    }
    qdi_release(allocator, items, all, sizeof *items);
    qdi_release(allocator, job, 1, command->job_bytes);
    return exit_code;
}

// Prints options of a command for its help.
static void print_options(FILE *out, const qdi_option *options, size_t count) {
    for (size_t i = 0; i < count; ++i) {
        const qdi_option *row = &options[i];
        char flag[64];
        bool both = row->letter && row->name[1] == '-';
        snprintf(flag, sizeof flag, "%c%c%s%s%s%s", both ? '-' : ' ', both ? row->letter : ' ',
                 both ? ", " : "", row->name, row->value ? " " : "", row->value ? row->value : "");
        fprintf(out, "  %-18s %s\n", flag[0] == ' ' ? flag + 2 : flag, row->about);
    }
}

void qdi_help_command(FILE *out, const qdi_command *command) {
    const qdi_syntax *syntax = command->syntax;
    size_t common_count;
    const qdi_option *common = qdi_common_options(&common_count);
    fprintf(out, "quadrille %s: %s\n\nExamples\n%s\nUsage\n  quadrille %s", syntax->command, command->about,
            command->examples, syntax->command);
    if (syntax->word) fprintf(out, syntax->needed ? " %s" : " [%s]", syntax->word);
    fprintf(out, " [flags]\n");
    if (command->word_about) fprintf(out, "  %-18s %s\n", syntax->word, command->word_about);
    fprintf(out, "\nFlags\n");
    print_options(out, syntax->options, syntax->option_count);
    print_options(out, common, common_count);
}
