#include "sim/files/os.h"
#include "tools/cmd/command.h"
#include "tools/host/console.h"
#include "tools/host/exit_codes.h"
#include "tools/host/os.h"
#include "tools/report/page_job.h"

#include <stdio.h>

// Command report: whether a directory has this file.
static bool has_file(const char *directory, const char *name) {
    char path[QDI_PAGE_PATH + 64];
    int length = snprintf(path, sizeof path, "%s/%s", directory, name);
    return length > 0 && (size_t)length < sizeof path && qdi_os_is_file(path);
}

typedef int (*maker)(qdi_page_job *job);

/// Command report: what makes the page: the directory's own files say what it is. One that is nothing of it
/// is taken for a run's, whose reader says what is wrong.
static maker find_maker(const char *directory) {
    if (has_file(directory, "scene.yaml")) return qdi_page_run;
    if (has_file(directory, "sweep.yaml")) return qdi_page_sweep;
    if (has_file(directory, "scale.json") || has_file(directory, "scale.csv")) return qdi_page_scale;
    return qdi_page_run;
}

typedef struct report_job {
    qdi_page_wishes wishes;
    qdi_page_job page;
} report_job;

// `quadrille report`: writes a page about a run, a sweep or a scaling test.
static int report_command(void *context) {
    report_job *job = context;
    const qdi_page_wishes *wishes = &job->wishes;
    int exit_code = qdi_page_job_begin(&job->page, wishes, wishes->directory, wishes->output);
    if (exit_code != QDI_EXIT_DONE) return exit_code;
    maker make = find_maker(wishes->directory);
    if (wishes->runs && make != qdi_page_sweep && qdi_os_is_directory(wishes->directory)) {
        qdi_complain("--runs is for the directory of a sweep, and %.500s is none", wishes->directory);
        return QDI_EXIT_USAGE;
    }
    qdi_host_watch_signals(); // writing past a limit fails instead of ending the program
    return make(&job->page);
}

static const qdi_option report_options[] = {
    {"-o", 'o', QDI_OPTION_TEXT, "FILE", 0, 0, offsetof(qdi_page_wishes, output),
     "the page; default DIR/report.html"},
    {"--max-size", 0, QDI_OPTION_NUMBER, "MB", 1, 100000, offsetof(qdi_page_wishes, most),
     "room for frames in the page, default 64; else every second, third, ... is taken"},
    {"--runs", 0, QDI_OPTION_FLAG, NULL, 0, 0, offsetof(qdi_page_wishes, runs),
     "of a sweep: make the pages of its runs too, where they are missing or old"},
    {"--force", 0, QDI_OPTION_FLAG, NULL, 0, 0, offsetof(qdi_page_wishes, force),
     "replace a file that is no page of quadrille report"},
};

const qdi_command qdi_command_report = {
    &(const qdi_syntax){.command = "report",
                        .options = report_options,
                        .option_count = sizeof report_options / sizeof report_options[0],
                        .word = "DIR",
                        .word_offset = offsetof(qdi_page_wishes, directory),
                        .needed = true},
    "make a page of a run, a sweep or a scaling test",
    "  quadrille report out                              out/report.html, which needs nothing else\n"
    "  quadrille report out -o pages/out.html --max-size 200\n"
    "  quadrille report swept --runs                     a table of the runs, and a page of each\n",
    "a directory of quadrille run, sweep or scale",
    sizeof(report_job),
    report_command,
    NULL,
};
