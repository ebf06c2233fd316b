#include "tools/cmd/program.h"

#include "tools/cmd/command.h"
#include "tools/host/console.h"
#include "tools/host/exit_codes.h"
#include "tools/host/os.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

/// What stands before the command: help and version only.
static int answer_flag(const char *flag) {
    if (strcmp(flag, "-h") == 0 || strcmp(flag, "--help") == 0) {
        qdi_help_program(stdout);
        return QDI_EXIT_DONE;
    }
    if (strcmp(flag, "--version") == 0) {
        printf("quadrille %s\n", QD_VERSION);
        return QDI_EXIT_DONE;
    }
    qdi_complain("%.80s comes before the command; flags follow it, as in `quadrille run -q`", flag);
    return QDI_EXIT_USAGE;
}

// Whether a command makes sense where several processes were started: only a run's work is shared by them.
static bool is_for_many(const qdi_command *command) {
    return command == &qdi_command_run || command == &qdi_command_resume || command == &qdi_command_help ||
           command == &qdi_command_scenes;
}

// Finds the command on the command line, and runs it.
static int run_program(int argc, char **argv, qdi_ranks *processes) {
    if (argc < 2) {
        qdi_complain("a command is missing; try `quadrille run`, or `quadrille help` for all commands");
        return QDI_EXIT_USAGE;
    }
    if (argv[1][0] == '-') return answer_flag(argv[1]);
    const qdi_command *command = qdi_command_find(argv[1]);
    if (command && processes && !is_for_many(command)) {
        qdi_complain(
            "%s: %d processes were started, and only `run` and `resume` know what to do with more than "
            "one",
            command->syntax->command, qdi_ranks_count(processes));
        return QDI_EXIT_USAGE;
    }
    return command ? qdi_command_run_with(command, argc - 2, argv + 2, processes) : QDI_EXIT_USAGE;
}

int qdi_program(int argc, char **argv, qdi_ranks *processes) {
    qdi_host_spare_addresses();
    int exit_code = run_program(argc, argv, processes);
    // What was meant for a file or a pipe must have got there. A full disk may show only when it is flushed.
    errno = 0;
    if ((fflush(stdout) != 0 || ferror(stdout)) && exit_code == QDI_EXIT_DONE) {
        qdi_complain("cannot write to the standard output%s%s", errno ? ": " : "",
                     errno ? strerror(errno) : "");
        exit_code = QDI_EXIT_OUTPUT;
    }
    return exit_code;
}
