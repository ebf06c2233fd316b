#include "core/parallel/ranks.h"
#include "tools/cmd/command.h"
#include "tools/host/console.h"
#include "tools/host/exit_codes.h"
#include "tools/host/failure.h"
#include "tools/host/os.h"
#include "tools/host/simd_choice.h"
#include "tools/host/threads_here.h"
#include "tools/session/session.h"

#include <stdio.h>
#include <string.h>

typedef struct resume_settings {
    qdi_common common;
    const char *directory;
    const char *simd;
    qdi_option_number threads, ranks, steps, log;
    bool force;
} resume_settings;

typedef struct resume_job {
    resume_settings settings;
    qdi_session session;
} resume_job;

/// Command resume: threads, ranks and kernels may be others than those that the run was begun with: results
/// are the same.
static int prepare_resume(const resume_settings *settings, qdi_session *session) {
    if (strlen(settings->directory) >= sizeof session->directory) {
        qdi_complain("the name of the run directory is longer than %d characters", QDI_SESSION_PATH - 1);
        return QDI_EXIT_OUTPUT;
    }
    session->common = settings->common;
    session->label = settings->directory;
    session->video_force = settings->force;
    session->log = settings->log;
    snprintf(session->directory, sizeof session->directory, "%s", settings->directory);
    qd_error error = {""};
    qd_status status = qdi_simd_choose(settings->simd, &session->simd, &error);
    session->simd_asked = settings->simd != NULL;
    if (status != QD_OK) return qdi_fail(status, &error, QDI_EXIT_USAGE);
    return qdi_session_choose_ranks(session, settings->ranks);
}

// `quadrille resume`: continues an interrupted run.
static int resume_command(void *context) {
    resume_job *job = context;
    const resume_settings *settings = &job->settings;
    qdi_session *session = &job->session;
    int exit_code = prepare_resume(settings, session);
    if (exit_code != QDI_EXIT_DONE) return exit_code;
    qdi_host_watch_signals();
    bool there, complete;
    exit_code = qdi_session_open(session, NULL, &there, &complete);
    if (exit_code != QDI_EXIT_DONE) return exit_code;
    if (!there) {
        qdi_complain("%s", session->error.text);
        return QDI_EXIT_OUTPUT;
    }
    if (settings->steps.given) exit_code = qdi_session_extend(session, settings->steps.value, &complete);
    if (exit_code != QDI_EXIT_DONE) return exit_code;
    if (complete) {
        if (!session->common.quiet) fprintf(stderr, "%s is complete\n", session->directory);
        return QDI_EXIT_DONE;
    }
    session->threads = qdi_threads_here(settings->threads.given ? (int)settings->threads.value : 0,
                                        session->common.quiet);
    qdi_session_fit_threads(session);
    exit_code = qdi_session_restore(session);
    if (exit_code == QDI_EXIT_DONE) exit_code = qdi_session_check_ranks(session);
    return exit_code == QDI_EXIT_DONE ? qdi_session_run(session) : exit_code;
}

// Command resume: closes the session that was resumed.
static void resume_end(void *context) {
    resume_job *job = context;
    qdi_session_close(&job->session);
}

static const qdi_option resume_options[] = {
    {"--steps", 0, QDI_OPTION_NUMBER, "N", 1, QDI_MOST_STEPS, offsetof(resume_settings, steps),
     "go on to step N: a complete run, too, becomes one with so many steps"},
    {"--threads", 0, QDI_OPTION_NUMBER, "N", 1, QD_TEAM_MAX, offsetof(resume_settings, threads),
     "work with N threads; results are the same for any N"},
    {"--ranks", 0, QDI_OPTION_NUMBER, "N", 1, QDI_RANKS_MAX, offsetof(resume_settings, ranks),
     "step with N ranks, whether it was begun with them or not; same results"},
    {"--simd", 0, QDI_OPTION_TEXT, "NAME", 0, 0, offsetof(resume_settings, simd),
     "kernels: auto, portable, sse2, avx2, avx512, neon; default as begun"},
    {"--log", 0, QDI_OPTION_NUMBER, "E", 1, QDI_MOST_STEPS, offsetof(resume_settings, log),
     "print a line of figures every E steps (-v: about twenty in all)"},
    {"--force", 0, QDI_OPTION_FLAG, NULL, 0, 0, offsetof(resume_settings, force),
     "replace a file that lies where the run's video is to be"},
};

const qdi_command qdi_command_resume = {
    &(const qdi_syntax){.command = "resume",
                        .options = resume_options,
                        .option_count = sizeof resume_options / sizeof resume_options[0],
                        .word = "DIR",
                        .word_offset = offsetof(resume_settings, directory),
                        .needed = true},
    "go on with a run that was stopped or killed, or to more steps",
    "  quadrille resume pool-1a2b3c4d                    from its last checkpoint to its end\n"
    "  quadrille resume out --threads 16                 with more threads than before\n"
    "  quadrille resume out --steps 2000                 a complete run of 1,000 steps gets 1,000 more\n",
    "the directory of the run",
    sizeof(resume_job),
    resume_command,
    resume_end,
};
