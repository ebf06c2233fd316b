// What all commands share: reading their arguments, and the help of one.

#include "tools/cmd/command.h"

#include "tools/host/console.h"
#include "tools/host/exit_codes.h"

#include <string.h>

bool qdi_command_start(const qdi_command *command, int count, char *const *arguments, void *settings,
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
