#include "core/base/memory.h"
#include "tools/cmd/command.h"
#include "tools/cmd/scene_choice.h"
#include "tools/host/console.h"
#include "tools/host/exit_codes.h"
#include "tools/host/failure.h"
#include "tools/host/os.h"
#include "tools/host/simd_choice.h"
#include "tools/host/threads_here.h"
#include "tools/session/session.h"

#include <inttypes.h>
#include <math.h>
#include <quadrille/scene.h>
#include <stdio.h>
#include <string.h>

/// Highest number of bodies that the tree can hold.
#define MOST_BODIES ((UINT64_C(1) << 28) - 1)

/// Flags that stand for a key of the scene: --steps, --seed, --frames, --snapshots.
/// And the two that a video brings along where the scene has no frames, and the one of --ranks.
enum { KEY_FLAGS = 4, KEY_SET_SIZE = 64, VIDEO_SETS = 2, RANK_SETS = 1 };
_Static_assert(KEY_FLAGS + VIDEO_SETS + RANK_SETS <= QDI_COMMAND_SPARE,
               "the list of sets has room for these");

typedef struct run_settings {
    qdi_common common;
    const char *scene;
    const char *directory;
    const char *simd;
    const char *video;
    const char *pin;
    qdi_option_number steps, threads, ranks, seed, bodies, frames, snapshots, log;
    qdi_option_list sets;
    bool scatter, force, resume, json;
    const char *left_out; ///< the change by which frames leave out the tree, or NULL
    char *input;          ///< the scene as it came from the standard input, or NULL
    size_t input_bytes, input_room;
} run_settings;

typedef struct run_job {
    run_settings settings;
    qdi_session session;
} run_job;

// Reads the scene of a run with the changes of --set in it.
static int read_scene_with_sets(const run_settings *settings, qdi_session *session) {
    qd_scene_changes changes = {settings->sets.items, settings->sets.count,
                                settings->bodies.given ? settings->bodies.value : 0};
    qd_scene_destroy(session->scene);
    session->scene = NULL;
    int exit_code = settings->input ? qdi_scene_choose_text(settings->input, settings->input_bytes, &changes,
                                                            &session->scene)
                                    : qdi_scene_choose(settings->scene, &changes, &session->scene);
    if (exit_code == QDI_EXIT_DONE) session->plan = qd_scene_run_settings(session->scene);
    return exit_code;
}

/// A video needs frames. Where the scene has none it gets as many as make a second of its time a second of
/// the video, and none of them as a file.
static int add_frames(run_settings *settings, qdi_session *session) {
    char every[KEY_SET_SIZE];
    double fps = qd_scene_video(session->scene).fps, steps = floor(1 / (fps * session->plan.dt) + 0.5);
    uint64_t most = session->plan.steps > 1 ? session->plan.steps : 1, distance = most;
    if (steps < (double)most) distance = steps > 1 ? (uint64_t)steps : 1;
    snprintf(every, sizeof every, "frames.every=%" PRIu64, distance);
    settings->sets.items[settings->sets.count++] = every;
    settings->sets.items[settings->sets.count++] = "frames.files=false";
    if (!settings->common.quiet)
        fprintf(stderr,
                "video    frames.every is 0: a frame every %" PRIu64 " steps for the video, none as a file\n",
                distance);
    return read_scene_with_sets(settings, session);
}

/// Ranks do not know the tree that the whole world would have. What frames tell of it only by default they
/// leave out.
static int leave_out_tree(run_settings *settings, qdi_session *session) {
    static const char text[] = "view.text=[step, time, bodies, contacts, legend, scale]";
    if (!qdi_scene_tells_tree_unasked(session->scene)) return QDI_EXIT_DONE;
    settings->sets.items[settings->sets.count++] = text;
    settings->left_out = text;
    return read_scene_with_sets(settings, session);
}

// Command run: whether ranks know the scene; what is left out for them is told where they do.
static int check_ranks(const run_settings *settings, const qdi_session *session) {
    const int exit_code = qdi_session_check_ranks(session);
    if (exit_code == QDI_EXIT_DONE && settings->left_out && !settings->common.quiet)
        fprintf(stderr, "frames   leave out the tree's nodes, which ranks do not know, as with --set '%s'\n",
                settings->left_out);
    return exit_code;
}

// Reads the scene of a run and applies flags to it.
static int read_run_scene(run_settings *settings, qdi_session *session) {
    const struct {
        const char *key;
        qdi_option_number number;
    } flags[KEY_FLAGS] = {{"run.steps", settings->steps},
                          {"run.seed", settings->seed},
                          {"frames.every", settings->frames},
                          {"record.snapshots", settings->snapshots}};
    char texts[KEY_FLAGS][KEY_SET_SIZE];
    for (size_t i = 0; i < KEY_FLAGS; ++i) {
        if (!flags[i].number.given) continue;
        snprintf(texts[i], sizeof texts[i], "%s=%" PRIu64, flags[i].key, flags[i].number.value);
        settings->sets.items[settings->sets.count++] = texts[i];
    }
    if (strcmp(settings->scene, "-") == 0 && !settings->input) {
        settings->input = qdi_scene_take_input(&settings->input_bytes, &settings->input_room);
        if (!settings->input) return QDI_EXIT_SCENE;
    }
    int exit_code = read_scene_with_sets(settings, session);
    if (exit_code == QDI_EXIT_DONE && settings->video && !qdi_course_has_frames(session->scene))
        exit_code = add_frames(settings, session);
    if (exit_code == QDI_EXIT_DONE && session->ranks > 0 && qdi_course_has_frames(session->scene))
        exit_code = leave_out_tree(settings, session);
    return exit_code;
}

// Command run: the number of threads of a run, and where they are.
static int choose_run_threads(const run_settings *settings, qdi_session *session) {
    session->threads = qdi_threads_here(settings->threads.given ? (int)settings->threads.value : 0,
                                        settings->common.quiet);
    qdi_session_fit_threads(session);
    qd_error error = {""};
    qd_status status = qdi_pin_here(session->pin.policy, session->threads.threads, settings->common.quiet,
                                    &session->pin, &error);
    return status == QD_OK ? QDI_EXIT_DONE : qdi_fail(status, &error, QDI_EXIT_USAGE);
}

/// --pin. Ranks have the processors that their launcher gives each of them, or share those of one process.
static int choose_run_pin(const run_settings *settings, qdi_session *session) {
    qd_error error = {""};
    if (qdi_pin_read(settings->pin, &session->pin.policy, &error) != QD_OK)
        return qdi_fail(QD_ERR_ARGUMENT, &error, QDI_EXIT_USAGE);
    if (session->pin.policy == QDI_PIN_OFF || session->ranks == 0) return QDI_EXIT_DONE;
    qdi_complain("--pin does not go with ranks: what starts them binds them (mpirun --bind-to core)");
    return QDI_EXIT_USAGE;
}

/// --scatter.
static int choose_run_realm(const run_settings *settings, qdi_session *session) {
    session->realm = settings->scatter ? QDI_REALM_SCATTER : QDI_REALM_CUT;
    if (!settings->scatter || session->ranks > 0) return QDI_EXIT_DONE;
    qdi_complain("--scatter is for ranks: how many (--ranks)?");
    return QDI_EXIT_USAGE;
}

/// --simd, or the best that the processor has.
static int choose_simd(const run_settings *settings, qdi_session *session) {
    qd_error error = {""};
    qd_status status = qdi_simd_choose(settings->simd, &session->simd, &error);
    session->simd_asked = settings->simd != NULL;
    return status == QD_OK ? QDI_EXIT_DONE : qdi_fail(status, &error, QDI_EXIT_USAGE);
}

/// -o, or ./NAME-<8 hex digits of the scene's hash>. A scene's name is letters, digits, `_` and `-`.
static int choose_directory(const run_settings *settings, qdi_session *session) {
    if (settings->directory && strlen(settings->directory) >= sizeof session->directory) {
        qdi_complain("the name of the output directory is longer than %d characters", QDI_SESSION_PATH - 1);
        return QDI_EXIT_OUTPUT;
    }
    if (settings->directory)
        snprintf(session->directory, sizeof session->directory, "%s", settings->directory);
    else
        snprintf(session->directory, sizeof session->directory, "%s-%08" PRIx64,
                 qd_scene_name(session->scene), qd_scene_hash(session->scene) >> 32);
    return QDI_EXIT_DONE;
}

/// A complete run of the same scene: there is nothing to do but to say so.
static int tell_complete(const qdi_session *session) {
    if (!session->common.quiet) fprintf(stderr, "%s is complete\n", session->directory);
    return session->json ? qdi_session_print_result(session) : QDI_EXIT_DONE;
}

/// Command run: a run from step 0. Before the world is there, the default is right for signals: nothing would
/// have to be finished.
static int begin_run(const run_settings *settings, qdi_session *session) {
    int exit_code = choose_run_threads(settings, session);
    if (exit_code == QDI_EXIT_DONE) exit_code = qdi_session_plan_video(session, settings->force);
    if (exit_code == QDI_EXIT_DONE) exit_code = qdi_session_make_world(session);
    if (exit_code == QDI_EXIT_DONE) exit_code = check_ranks(settings, session);
    if (exit_code != QDI_EXIT_DONE) return exit_code;
    qdi_host_watch_signals();
    exit_code = qdi_session_begin(session, settings->force);
    return exit_code == QDI_EXIT_DONE ? qdi_session_run(session) : exit_code;
}

/// --resume: goes on with what is there, if it is this scene's.
static int go_on(const run_settings *settings, qdi_session *session) {
    uint64_t hash = qd_scene_hash(session->scene);
    bool there, complete;
    int exit_code = qdi_session_open(session, &hash, &there, &complete);
    if (exit_code != QDI_EXIT_DONE) return exit_code;
    if (!there) return begin_run(settings, session);
    if (complete) return tell_complete(session);
    exit_code = choose_run_threads(settings, session);
    qdi_host_watch_signals();
    if (exit_code == QDI_EXIT_DONE) exit_code = qdi_session_restore(session);
    if (exit_code == QDI_EXIT_DONE) exit_code = check_ranks(settings, session);
    return exit_code == QDI_EXIT_DONE ? qdi_session_run(session) : exit_code;
}

// `quadrille run`: simulates a scene into a run directory.
static int run_command(void *context) {
    run_job *job = context;
    run_settings *settings = &job->settings;
    qdi_session *session = &job->session;
    if (!settings->scene) settings->scene = "pool";
    if (settings->force && settings->resume) {
        qdi_complain("--force replaces an earlier run and --resume goes on with it: one of them, please");
        return QDI_EXIT_USAGE;
    }
    session->common = settings->common;
    session->label = strcmp(settings->scene, "-") == 0 ? "stdin" : settings->scene;
    session->json = settings->json;
    session->log = settings->log;
    session->video_file = settings->video;
    if (settings->video && !qd_video_is_known(settings->video)) {
        qdi_complain("--video %s: a video's name ends in %s", settings->video, qd_video_endings());
        return QDI_EXIT_USAGE;
    }
    int exit_code = qdi_session_choose_ranks(session, settings->ranks);
    if (exit_code == QDI_EXIT_DONE) exit_code = choose_run_realm(settings, session);
    if (exit_code == QDI_EXIT_DONE) exit_code = choose_run_pin(settings, session);
    if (exit_code == QDI_EXIT_DONE) exit_code = choose_simd(settings, session);
    if (exit_code == QDI_EXIT_DONE) exit_code = read_run_scene(settings, session);
    if (exit_code == QDI_EXIT_DONE) exit_code = choose_directory(settings, session);
    if (exit_code != QDI_EXIT_DONE) return exit_code;
    return settings->resume ? go_on(settings, session) : begin_run(settings, session);
}

// Command run: closes the session of a run.
static void run_end(void *context) {
    run_job *job = context;
    qdi_session_close(&job->session);
    qdi_release(qd_allocator_default(), job->settings.input, job->settings.input_room, 1);
}

static const qdi_option run_options[] = {
    {"-o", 'o', QDI_OPTION_TEXT, "DIR", 0, 0, offsetof(run_settings, directory),
     "run directory; default ./NAME-<8 digits of the scene's hash>"},
    {"--steps", 0, QDI_OPTION_NUMBER, "N", 0, QDI_MOST_STEPS, offsetof(run_settings, steps),
     "simulate N steps (the same as --set run.steps=N)"},
    {"--threads", 0, QDI_OPTION_NUMBER, "N", 1, QD_TEAM_MAX, offsetof(run_settings, threads),
     "work with N threads; results are the same for any N, the default is explained"},
    {"--pin", 0, QDI_OPTION_TEXT, "HOW", 0, 0, offsetof(run_settings, pin),
     "bind threads to cores: close, spread (over nodes) or off (default)"},
    {"--ranks", 0, QDI_OPTION_NUMBER, "N", 1, QDI_RANKS_MAX, offsetof(run_settings, ranks),
     "step with N ranks, of --threads threads each; same results (docs/ranks.md)"},
    {"--scatter", 0, QDI_OPTION_FLAG, NULL, 0, 0, offsetof(run_settings, scatter),
     "give places to ranks by chance: slow, to show that results are the same"},
    {"--simd", 0, QDI_OPTION_TEXT, "NAME", 0, 0, offsetof(run_settings, simd),
     "kernels: auto (default), portable, sse2, avx2, avx512, neon; same results"},
    {"--seed", 0, QDI_OPTION_NUMBER, "N", 0, UINT64_MAX, offsetof(run_settings, seed),
     "seed of all random numbers (run.seed)"},
    {"--bodies", 0, QDI_OPTION_NUMBER, "N", 1, MOST_BODIES, offsetof(run_settings, bodies),
     "scale the scene to N bodies, and its world with them at constant density"},
    {"--frames", 0, QDI_OPTION_NUMBER, "E", 0, QDI_MOST_STEPS, offsetof(run_settings, frames),
     "a picture every E steps, 0 = none (frames.every)"},
    {"--snapshots", 0, QDI_OPTION_NUMBER, "E", 0, QDI_MOST_STEPS, offsetof(run_settings, snapshots),
     "keep the whole state every E steps, 0 = never (record.snapshots)"},
    {"--log", 0, QDI_OPTION_NUMBER, "E", 1, QDI_MOST_STEPS, offsetof(run_settings, log),
     "print a line of figures every E steps (-v: about twenty in all)"},
    {"--video", 0, QDI_OPTION_TEXT, "FILE", 0, 0, offsetof(run_settings, video),
     "a video of the frames: .mp4, .mov, .mkv, .webm, .gif, .png (no ffmpeg)"},
    {"--set", 0, QDI_OPTION_LIST, "KEY=VALUE", 0, 0, offsetof(run_settings, sets),
     "change any key of the scene; may be given many times"},
    {"--force", 0, QDI_OPTION_FLAG, NULL, 0, 0, offsetof(run_settings, force),
     "replace an earlier run in the same directory"},
    {"--resume", 0, QDI_OPTION_FLAG, NULL, 0, 0, offsetof(run_settings, resume),
     "go on with the earlier run in the directory, if it is of the same scene"},
    {"--json", 0, QDI_OPTION_FLAG, NULL, 0, 0, offsetof(run_settings, json),
     "print the content of result.json on the standard output"},
};

const qdi_command qdi_command_run = {
    &(const qdi_syntax){.command = "run",
                        .options = run_options,
                        .option_count = sizeof run_options / sizeof run_options[0],
                        .word = "SCENE",
                        .word_offset = offsetof(run_settings, scene)},
    "simulate a scene into a run directory",
    "  quadrille run                                     the scene pool, with pictures\n"
    "  quadrille run gas --bodies 100000 --frames 0      100,000 bodies, no pictures\n"
    "  quadrille run my.yaml -o out --set contact.restitution=0.9\n"
    "  quadrille run pool --steps 100 --json -q          result.json on the standard output, nothing else\n",
    "a built-in scene (default pool), a YAML file, or - for the standard input",
    sizeof(run_job),
    run_command,
    run_end,
};
