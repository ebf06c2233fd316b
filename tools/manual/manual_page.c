#include "tools/manual/manual.h"

#include <quadrille/api.h>
#include <string.h>

/// Text as roff shows it: backslashes and hyphens as they are. `first`: at the beginning of a line, where
/// dots and quotes are requests.
static void put_text(FILE *out, const char *text, size_t length, bool first) {
    if (first && length > 0 && (text[0] == '.' || text[0] == '\'')) fputs("\\&", out);
    for (size_t i = 0; i < length; ++i) {
        if (text[i] == '\\')
            fputs("\\e", out);
        else if (text[i] == '-')
            fputs("\\-", out);
        else
            fputc(text[i], out);
    }
}

// Writes a text into a manual page.
static void put_roff(FILE *out, const char *text) {
    put_text(out, text, strlen(text), false);
}

/// Manual page: paragraphs; what is indented is shown as it is.
static void put_paragraphs(FILE *out, const char *text) {
    bool plain = false, begun = false;
    while (*text) {
        size_t length = strcspn(text, "\n");
        bool indented = length > 2 && text[0] == ' ' && text[1] == ' ';
        if (indented != plain) fputs(indented ? ".nf\n" : ".fi\n", out);
        plain = indented;
        if (length == 0)
            fputs(begun ? ".PP\n" : "", out);
        else {
            put_text(out, text, length, true);
            fputc('\n', out);
            begun = true;
        }
        text += length + (text[length] == '\n');
    }
    if (plain) fputs(".fi\n", out);
}

// Writes the head of a manual page.
static void put_page_head(FILE *out, const char *command, const char *about) {
    char upper[64];
    size_t i = 0;
    for (; command[i] && i + 1 < sizeof upper; ++i)
        upper[i] = command[i] >= 'a' && command[i] <= 'z' ? (char)(command[i] - 'a' + 'A') : command[i];
    upper[i] = '\0';
    fprintf(out, ".TH QUADRILLE%s%s 1 \"\" \"quadrille %s\" \"Quadrille\"\n", *command ? "\\-" : "", upper,
            QD_VERSION);
    fprintf(out, ".SH NAME\nquadrille%s%s \\- ", *command ? "\\-" : "", command);
    put_roff(out, about);
    fputc('\n', out);
}

// Writes the options of a command into its manual page.
static void put_page_options(FILE *out, const qdi_option *options, size_t count) {
    for (size_t i = 0; i < count; ++i) {
        const qdi_option *row = &options[i];
        fputs(".TP\n", out);
        if (row->letter && row->name[1] == '-') fprintf(out, "\\fB\\-%c\\fR, ", row->letter);
        fputs("\\fB", out);
        put_roff(out, row->name);
        fputs("\\fR", out);
        if (row->value) {
            fputs(" \\fI", out);
            put_roff(out, row->value);
            fputs("\\fR", out);
        }
        fputc('\n', out);
        put_text(out, row->about, strlen(row->about), true);
        fputs(".\n", out);
    }
}

// Writes the examples of a command into its manual page.
static void put_page_examples(FILE *out, const char *examples) {
    fputs(".SH EXAMPLES\n.nf\n", out);
    while (*examples) {
        size_t length = strcspn(examples, "\n");
        put_text(out, examples, length, true);
        fputc('\n', out);
        examples += length + (examples[length] == '\n');
    }
    fputs(".fi\n", out);
}

// Writes the names of the other manual pages; `mpi`: also that of quadrille-mpi.
static void put_page_see_also(FILE *out, const char *but, bool mpi) {
    fputs(".SH SEE ALSO\n", out);
    if (*but) fputs(".BR quadrille (1)", out);
    const qdi_command *command;
    bool begun = *but != '\0';
    for (size_t i = 0; (command = qdi_command_at(i)) != NULL; ++i) {
        if (strcmp(command->syntax->command, but) == 0) continue;
        fprintf(out, "%s.BR quadrille\\-%s (1)", begun ? " ,\n" : "", command->syntax->command);
        begun = true;
    }
    if (mpi) fputs(" ,\n.BR quadrille\\-mpi (1)", out);
    fputc('\n', out);
}

void qdi_manual_page(FILE *out, const qdi_command *command, const char *text, const char *exits, bool mpi) {
    const qdi_syntax *syntax = command->syntax;
    put_page_head(out, syntax->command, command->about);
    fprintf(out, ".SH SYNOPSIS\n\\fBquadrille %s\\fR", syntax->command);
    if (syntax->word) {
        fputs(syntax->needed ? " \\fI" : " [\\fI", out);
        put_roff(out, syntax->word);
        fputs(syntax->needed ? "\\fR" : "\\fR]", out);
    }
    fputs(" [\\fIflags\\fR]\n.SH DESCRIPTION\n", out);
    put_paragraphs(out, text);
    if (command->word_about && syntax->word) {
        fputs(".TP\n\\fI", out);
        put_roff(out, syntax->word);
        fputs("\\fR\n", out);
        put_text(out, command->word_about, strlen(command->word_about), true);
        fputs(".\n", out);
    }
    fputs(".SH OPTIONS\n", out);
    put_page_options(out, syntax->options, syntax->option_count);
    size_t common_count;
    const qdi_option *common = qdi_common_options(&common_count);
    put_page_options(out, common, common_count);
    put_page_examples(out, command->examples);
    fputs(".SH EXIT STATUS\n", out);
    put_paragraphs(out, exits);
    put_page_see_also(out, syntax->command, mpi);
}

void qdi_manual_program(FILE *out, const char *text, const char *exits, bool mpi) {
    put_page_head(out, "", "2D collision simulation on many cores");
    fputs(".SH SYNOPSIS\n\\fBquadrille\\fR \\fICOMMAND\\fR [\\fIarguments\\fR] [\\fIflags\\fR]\n.SH "
          "DESCRIPTION\n",
          out);
    put_paragraphs(out, text);
    fputs(".SH COMMANDS\n", out);
    const qdi_command *command;
    for (size_t i = 0; (command = qdi_command_at(i)) != NULL; ++i) {
        fprintf(out, ".TP\n\\fB%s\\fR\n", command->syntax->command);
        put_text(out, command->about, strlen(command->about), true);
        fputs(".\n", out);
    }
    fputs(".SH EXIT STATUS\n", out);
    put_paragraphs(out, exits);
    put_page_see_also(out, "", mpi);
}

void qdi_manual_mpi(FILE *out, const char *text, const char *exits) {
    put_page_head(out, "mpi", "2D collision simulation on several processes");
    fputs(".SH SYNOPSIS\n\\fBmpirun\\fR \\fB\\-n\\fR \\fIN\\fR \\fBquadrille\\-mpi run\\fR [\\fISCENE\\fR] "
          "[\\fIflags\\fR]\n.br\n\\fBmpirun\\fR \\fB\\-n\\fR \\fIN\\fR \\fBquadrille\\-mpi resume\\fR "
          "\\fIDIR\\fR [\\fIflags\\fR]\n.SH DESCRIPTION\n",
          out);
    put_paragraphs(out, text);
    put_page_examples(out, "mpirun -n 4 quadrille-mpi run gas --set contact.model=none -o out\n"
                           "mpirun -n 2 quadrille-mpi resume out\n"
                           "mpirun -n 8 --map-by slot:PE=4 quadrille-mpi run scene.yaml --threads 4 -o out");
    fputs(".SH EXIT STATUS\n", out);
    put_paragraphs(out, exits);
    put_page_see_also(out, "mpi", false);
}

void qdi_manual_scene(FILE *out) {
    const qdi_key *key;
    fprintf(out, ".TH QUADRILLE\\-SCENE 5 \"\" \"quadrille %s\" \"Quadrille\"\n", QD_VERSION);
    fputs(".SH NAME\nquadrille\\-scene \\- keys of a scene\n.SH DESCRIPTION\nA scene is a YAML file. What is "
          "left out "
          "has its default; a key that is not known is an error. \\fBquadrille help scene\\fR \\fIKEY\\fR "
          "shows a part of "
          "these keys, \\fBquadrille scenes pool\\fR a scene to start from.\n.SH KEYS\n",
          out);
    for (size_t i = 0; (key = qdi_schema_at(i)) != NULL; ++i) {
        qdi_text words = {.allocator = qd_allocator_default()};
        qdi_help_key(key, &words);
        fputs(".TP\n\\fB", out);
        put_roff(out, key->path);
        fputs(qdi_schema_is_group(key) ? "\\fR" : "\\fR ", out);
        if (words.status == QD_OK) put_roff(out, words.chars);
        qdi_text_release(&words);
        fputs("\n", out);
        if (key->about) put_text(out, key->about, strlen(key->about), true);
        fputs("\n", out);
    }
    fputs(".SH SEE ALSO\n.BR quadrille (1) ,\n.BR quadrille\\-run (1)\n", out);
}
