#include "tools/manual/manual.h"

#include "sim/scene/schema.h"

#include <quadrille/scene.h>
#include <string.h>

qdi_value_kind qdi_value_kind_of(const char *name) {
    static const struct {
        const char *name;
        qdi_value_kind kind;
    } names[] = {{"SCENE", QDI_VALUE_SCENE},
                 {"DIR", QDI_VALUE_DIRECTORY},
                 {"DIR1", QDI_VALUE_DIRECTORY},
                 {"DIR2", QDI_VALUE_DIRECTORY},
                 {"DIR1 DIR2", QDI_VALUE_DIRECTORY},
                 {"DIR...", QDI_VALUE_DIRECTORY},
                 {"FILE", QDI_VALUE_FILE},
                 {"SWEEP.yaml", QDI_VALUE_FILE},
                 {"COMMAND KEY", QDI_VALUE_COMMAND},
                 {"KEY=VALUE", QDI_VALUE_KEY},
                 {"view.KEY=VALUE", QDI_VALUE_VIEW_KEY},
                 {"FORMAT", QDI_VALUE_FORMAT},
                 {"PRESET", QDI_VALUE_PRESET}};
    for (size_t i = 0; name && i < sizeof names / sizeof names[0]; ++i)
        if (strcmp(names[i].name, name) == 0) return names[i].kind;
    return QDI_VALUE_ANY;
}

/// Completions of a shell: calls `visit` for each flag of a command, its own first.
static void each_flag(FILE *out, const qdi_command *command,
                      void (*visit)(FILE *, const qdi_command *, const qdi_option *)) {
    for (size_t i = 0; i < command->syntax->option_count; ++i)
        visit(out, command, &command->syntax->options[i]);
    size_t count;
    const qdi_option *common = qdi_common_options(&count);
    for (size_t i = 0; i < count; ++i) visit(out, command, &common[i]);
}

// Writes the names of all commands into a completion.
static void put_commands(FILE *out) {
    const qdi_command *command;
    for (size_t i = 0; (command = qdi_command_at(i)) != NULL; ++i)
        fprintf(out, "%s%s", i > 0 ? " " : "", command->syntax->command);
}

// Writes the names of the built-in scenes into a completion.
static void put_scenes(FILE *out) {
    const char *name;
    for (size_t i = 0; (name = qd_scene_builtin_name(i)) != NULL; ++i)
        fprintf(out, "%s%s", i > 0 ? " " : "", name);
}

/// Completions of a shell: keys of a scene with the = that follows, the first items of lists where there are
/// lists.
static void put_keys(FILE *out, const char *beginning) {
    const qdi_key *key;
    const char *comma = "";
    for (size_t i = 0; (key = qdi_schema_at(i)) != NULL; ++i) {
        if (qdi_schema_is_group(key) || key->planned || strncmp(key->path, beginning, strlen(beginning)) != 0)
            continue;
        fputs(comma, out);
        for (const char *at = key->path; *at; ++at) {
            if (*at == '[') fputs(".0", out);
            if (*at != '[' && *at != ']') fputc(*at, out);
        }
        fputc('=', out);
        comma = " ";
    }
}

// Writes the names of the video presets into a completion.
static void put_presets(FILE *out) {
    for (int i = 0; qd_video_preset_name((qd_video_preset)i); ++i)
        fprintf(out, "%s%s", i > 0 ? " " : "", qd_video_preset_name((qd_video_preset)i));
}

/// Completions of a shell: what there is to choose from for a value of this kind; false where that is no list
/// of words.
static bool put_choices(FILE *out, qdi_value_kind kind) {
    switch (kind) {
    case QDI_VALUE_KEY: put_keys(out, ""); return true;
    case QDI_VALUE_VIEW_KEY: put_keys(out, "view."); return true;
    case QDI_VALUE_FORMAT: fputs("lammps extxyz vtp csv", out); return true;
    case QDI_VALUE_PRESET: put_presets(out); return true;
    default: return false;
    }
}

// Whether a value completes to words of a fixed list.
static bool is_choice(qdi_value_kind kind) {
    return kind == QDI_VALUE_KEY || kind == QDI_VALUE_VIEW_KEY || kind == QDI_VALUE_FORMAT ||
           kind == QDI_VALUE_PRESET;
}

/// Completions of a shell: a sentence in single quotes, as all three shells read it; `hard` are characters
/// that get a backslash.
static void put_quoted(FILE *out, const char *text, const char *hard) {
    for (; *text; ++text) {
        if (*text == '\'')
            fputs("'\\''", out);
        else
            fprintf(out, "%s%c", strchr(hard, *text) ? "\\" : "", *text);
    }
}

// ---- bash ----

// Writes a flag into the completion of bash.
static void bash_flag(FILE *out, const qdi_command *command, const qdi_option *row) {
    (void)command;
    if (row->letter && row->name[1] == '-') fprintf(out, "-%c ", row->letter);
    fprintf(out, "%s ", row->name);
}

// What bash completes a value of this kind with.
static const char *bash_action(qdi_value_kind kind) {
    switch (kind) {
    case QDI_VALUE_SCENE: return "_quadrille_scenes";
    case QDI_VALUE_DIRECTORY: return "_quadrille_directories";
    case QDI_VALUE_FILE: return "_quadrille_files";
    case QDI_VALUE_COMMAND: return "_quadrille_commands";
    default: break;
    }
    return ":";
}

// Writes the completion of a flag's value for bash.
static void bash_value(FILE *out, const qdi_command *command, const qdi_option *row) {
    if (!row->value) return;
    qdi_value_kind kind = qdi_value_kind_of(row->value);
    fprintf(out, "    '%s %s') ", command->syntax->command, row->name);
    if (is_choice(kind)) {
        bool keys = kind == QDI_VALUE_KEY || kind == QDI_VALUE_VIEW_KEY;
        fprintf(out, "%smapfile -t COMPREPLY < <(compgen -W '",
                keys ? "compopt -o nospace 2>/dev/null; " : "");
        (void)put_choices(out, kind);
        fputs("' -- \"$current\"); return ;;\n", out);
    } else {
        fprintf(out, "%s; return ;;\n", bash_action(kind));
    }
}

// Writes the completion of bash.
void qdi_complete_bash(FILE *out) {
    fputs("# bash completion for quadrille\n\n_quadrille_commands() {\n    mapfile -t COMPREPLY < <(compgen "
          "-W '",
          out);
    put_commands(out);
    fputs("' -- \"$current\")\n}\n\n_quadrille_files() {\n    mapfile -t COMPREPLY < <(compgen -f -- "
          "\"$current\")\n"
          "}\n\n_quadrille_directories() {\n    mapfile -t COMPREPLY < <(compgen -d -- \"$current\")\n}\n\n"
          "_quadrille_scenes() {\n    mapfile -t COMPREPLY < <(compgen -W '",
          out);
    put_scenes(out);
    fputs("' -- \"$current\"; compgen -f -X '!*.@(yaml|yml|json)' -- \"$current\"; compgen -d -- "
          "\"$current\")\n}\n\n"
          "_quadrille() {\n    local current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD-1]}\n"
          "    local command=${COMP_WORDS[1]-}\n    COMPREPLY=()\n"
          "    if [ \"$COMP_CWORD\" -eq 1 ]; then\n        _quadrille_commands\n        return\n    fi\n"
          "    case \"$command $previous\" in\n",
          out);
    const qdi_command *command;
    for (size_t i = 0; (command = qdi_command_at(i)) != NULL; ++i) each_flag(out, command, bash_value);
    fputs("    esac\n    local flags=''\n    case $command in\n", out);
    for (size_t i = 0; (command = qdi_command_at(i)) != NULL; ++i) {
        fprintf(out, "    %s) flags='", command->syntax->command);
        each_flag(out, command, bash_flag);
        fputs("' ;;\n", out);
    }
    fputs("    esac\n    if [ \"${current#-}\" != \"$current\" ]; then\n"
          "        mapfile -t COMPREPLY < <(compgen -W \"$flags\" -- \"$current\")\n        return\n    fi\n"
          "    case $command in\n",
          out);
    for (size_t i = 0; (command = qdi_command_at(i)) != NULL; ++i)
        fprintf(out, "    %s) %s ;;\n", command->syntax->command,
                bash_action(qdi_value_kind_of(command->syntax->word)));
    fputs("    esac\n}\n\ncomplete -o filenames -F _quadrille quadrille\n", out);
}

// ---- zsh ----

// What zsh completes a value of this kind with.
static const char *zsh_action(qdi_value_kind kind) {
    switch (kind) {
    case QDI_VALUE_SCENE: return "_quadrille_scenes";
    case QDI_VALUE_DIRECTORY: return "_files -/";
    case QDI_VALUE_FILE: return "_files";
    case QDI_VALUE_COMMAND: return "_quadrille_commands";
    default: break;
    }
    return " ";
}

// Writes a flag into the completion of zsh.
static void zsh_flag(FILE *out, const qdi_command *command, const qdi_option *row) {
    (void)command;
    const bool many = row->kind == QDI_OPTION_LIST;
    char letter[3] = {'-', row->letter, '\0'};
    const char *const names[2] = {row->name, row->letter && row->name[1] == '-' ? letter : NULL};
    for (size_t i = 0; i < 2 && names[i]; ++i) {
        fprintf(out, "        '%s%s[", many ? "*" : "", names[i]);
        put_quoted(out, row->about, "[]:\\");
        fputs("]", out);
        if (row->value) {
            fputs(":", out);
            put_quoted(out, row->value, ":\\");
            qdi_value_kind kind = qdi_value_kind_of(row->value);
            fputs(is_choice(kind) ? ":(" : ":", out);
            if (put_choices(out, kind))
                fputs(")", out);
            else
                fputs(zsh_action(kind), out);
        }
        fputs("' \\\n", out);
    }
}

// Writes the completion of zsh.
void qdi_complete_zsh(FILE *out) {
    const qdi_command *command;
    fputs("#compdef quadrille\n# zsh completion for quadrille\n\n_quadrille_commands() {\n    local -a "
          "commands=(\n",
          out);
    for (size_t i = 0; (command = qdi_command_at(i)) != NULL; ++i) {
        fprintf(out, "        '%s:", command->syntax->command);
        put_quoted(out, command->about, ":\\");
        fputs("'\n", out);
    }
    fputs("    )\n    _describe command commands\n}\n\n_quadrille_scenes() {\n    local -a scenes=(", out);
    put_scenes(out);
    fputs(")\n    _describe scene scenes\n    _files -g '*.(yaml|yml|json)'\n}\n\n_quadrille() {\n"
          "    if (( CURRENT == 2 )); then\n        _quadrille_commands\n        return\n    fi\n"
          "    local command=$words[2]\n    shift words\n    (( CURRENT-- ))\n    case $command in\n",
          out);
    for (size_t i = 0; (command = qdi_command_at(i)) != NULL; ++i) {
        fprintf(out, "    %s) _arguments \\\n", command->syntax->command);
        each_flag(out, command, zsh_flag);
        fprintf(out, "        '*:%s:%s' ;;\n", command->syntax->word ? command->syntax->word : "argument",
                zsh_action(qdi_value_kind_of(command->syntax->word)));
    }
    fputs("    esac\n}\n\n_quadrille \"$@\"\n", out);
}

// ---- fish ----

/// Completions of a shell: a text in single quotes.
static void put_fish_text(FILE *out, const char *text) {
    fputc('\'', out);
    for (; *text; ++text) fprintf(out, "%s%c", *text == '\'' || *text == '\\' ? "\\" : "", *text);
    fputc('\'', out);
}

// Writes a flag into the completion of fish.
static void fish_flag(FILE *out, const qdi_command *command, const qdi_option *row) {
    fprintf(out, "complete -c quadrille -n '__fish_seen_subcommand_from %s'", command->syntax->command);
    if (row->letter) fprintf(out, " -s %c", row->letter);
    if (row->name[1] == '-') fprintf(out, " -l %s", row->name + 2);
    qdi_value_kind kind = qdi_value_kind_of(row->value);
    if (row->value && !is_choice(kind)) fputs(kind == QDI_VALUE_ANY ? " -x" : " -r", out);
    if (kind == QDI_VALUE_DIRECTORY) fputs(" -a '(__fish_complete_directories)'", out);
    if (is_choice(kind)) {
        fputs(" -x -a '", out);
        (void)put_choices(out, kind);
        fputs("'", out);
    }
    fputs(" -d ", out);
    put_fish_text(out, row->about);
    fputc('\n', out);
}

// Writes the completion of fish.
void qdi_complete_fish(FILE *out) {
    const qdi_command *command;
    fputs("# fish completion for quadrille\ncomplete -c quadrille -n __fish_use_subcommand -f\n", out);
    for (size_t i = 0; (command = qdi_command_at(i)) != NULL; ++i) {
        fprintf(out, "complete -c quadrille -n __fish_use_subcommand -a %s -d ", command->syntax->command);
        put_fish_text(out, command->about);
        fputc('\n', out);
    }
    for (size_t i = 0; (command = qdi_command_at(i)) != NULL; ++i) {
        const char *name = command->syntax->command;
        qdi_value_kind kind = qdi_value_kind_of(command->syntax->word);
        fprintf(out, "complete -c quadrille -n '__fish_seen_subcommand_from %s' ", name);
        if (kind == QDI_VALUE_SCENE) {
            fputs("-a '", out);
            put_scenes(out);
            fputs("'\n", out);
        } else if (kind == QDI_VALUE_COMMAND) {
            fputs("-f -a '", out);
            put_commands(out);
            fputs("'\n", out);
        } else {
            fputs(kind == QDI_VALUE_DIRECTORY ? "-f -a '(__fish_complete_directories)'\n"
                  : kind == QDI_VALUE_FILE    ? "-F\n"
                                              : "-f\n",
                  out);
        }
        each_flag(out, command, fish_flag);
    }
}
