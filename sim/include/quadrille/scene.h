#ifndef QUADRILLE_SCENE_H
#define QUADRILLE_SCENE_H

#include <quadrille/alloc.h>
#include <quadrille/status.h>
#include <quadrille/video_settings.h>
#include <quadrille/view.h>
#include <quadrille/world.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

QD_BEGIN_DECLS

/// A scene: everything that decides a run, read from YAML (or JSON), checked against one schema table, and
/// complete: what the file leaves out has its default. docs/scene.md lists every key.
typedef struct qd_scene qd_scene;

/// What to change in a scene while it is read.
typedef struct qd_scene_changes {
    const char *const *sets; ///< "key=value", as `--set` takes them: any key, list items by number
    size_t set_count;
    uint64_t bodies; ///< 0 = as the scene says; else scale every generator's count, and the world at constant
                     ///< density, to this many bodies in all
} qd_scene_changes;

/// Which events a run keeps.
typedef enum qd_record_events {
    QD_RECORD_EVENTS_NONE,
    QD_RECORD_EVENTS_CHANGES, ///< begins, ends and impacts
    QD_RECORD_EVENTS_ALL,     ///< and what persists
} qd_record_events;

/// What can end a run before its last step.
typedef enum qd_until_kind {
    QD_UNTIL_NONE,
    QD_UNTIL_BELOW,   ///< a metric is below `value`
    QD_UNTIL_ABOVE,   ///< a metric is above `value`
    QD_UNTIL_STEADY,  ///< a metric's mean over `window` steps is that over those before, but for a part
                      ///< `value`
    QD_UNTIL_REST,    ///< no point of a dynamic body was as fast as `value` for `window` steps
    QD_UNTIL_CONTACT, ///< bodies `first` and `last` touch
    QD_UNTIL_GONE,    ///< no body with an id from `first` to `last` is left, and no emitter will make one
} qd_until_kind;

/// One rule of `run.until`. Any of them ends the run; where several hold at a step it is the first.
typedef struct qd_until_rule {
    qd_until_kind kind;
    int metric; ///< number of qd_metric_fields
    double value;
    uint64_t window;      ///< steps
    uint64_t first, last; ///< ids
    char emitter[65];     ///< QD_UNTIL_GONE: the emitters' name, "": it goes by ids
    uint32_t source;      ///< and what their bodies have as their qd_body_def.source
} qd_until_rule;

/// Most rules of a scene.
#define QD_UNTIL_MAX 16
/// As `first` of a rule: the first id that an emitter gives.
#define QD_UNTIL_EMITTED UINT64_MAX

/// Most stages of a scene.
#define QD_STAGES_MAX 64

/// A stage of a run.
typedef struct qd_scene_stage {
    const char *name; ///< freed with the scene
    uint64_t most;    ///< steps after which it ends in any case; 0: it lasts until the run ends
    size_t rules;     ///< rules that end it sooner
} qd_scene_stage;

/// What a scene asks of a run. "Every E steps" is at steps 0, E, 2E, ...; 0: never.
typedef struct qd_scene_run {
    uint64_t steps; ///< at most, where there are rules that end it sooner (qd_scene_until)
    double dt;      ///< > 0
    uint64_t seed;
    uint64_t frames_every;
    bool frames_files; ///< each frame is a PNG file too, not only a part of a video
    uint64_t record_metrics, record_hashes, record_snapshots; ///< every so many steps
    qd_record_events record_events;
    bool record_structure;  ///< bodies are followed (qd_world_follow)
    uint64_t record_fields; ///< every so many steps
    uint64_t field_sample;  ///< a row is the mean over moments so many steps apart; 0: it is one moment
    int field_cells[2];     ///< of the fields' grid; its length below has been made cells already
    double field_length;    ///< side of a cell that was asked for; NaN: none was
    uint64_t record_distributions; ///< every so many steps
    uint64_t distribution_sample;  ///< as field_sample
    int distribution_bins;         ///< with the next two a qd_distribution_def
    double distribution_reach, distribution_speed;
    uint64_t checkpoint_every; ///< a checkpoint every so many steps; in any case at step 0 and at the end
    double checkpoint_seconds; ///< and whenever so much time has passed since the last; 0: not by the clock
    uint64_t at_least;         ///< no rule, nor the end of the last stage, ends the run before this step
    uint64_t until_every;      ///< how often rules are looked at that end the run, >= 1
    uint64_t checkpoint_keep;  ///< how many are kept beside that of step 0, >= 1
} qd_scene_run;

/// Reads a scene file, and the body files that it names; their paths begin at its folder. `changes` may be
/// NULL. Errors: QD_ERR_NOT_FOUND, QD_ERR_IO, QD_ERR_INVALID (one line with file, line and, for an unknown
/// key, the nearest known one), QD_ERR_ARGUMENT (a `sets` or `bodies` that does not fit the scene: the
/// caller's flags are wrong), QD_ERR_MEMORY.
QD_API QD_MUST_USE qd_status qd_scene_read(const char *path, const qd_scene_changes *changes,
                                           qd_scene **scene, qd_error *error);

/// The same for a built-in scene. Errors: QD_ERR_NOT_FOUND (with the nearest name), and as above.
QD_API QD_MUST_USE qd_status qd_scene_builtin(const char *name, const qd_scene_changes *changes,
                                              qd_scene **scene, qd_error *error);

/// The same for text in memory; `name` stands for the file in messages, and paths of body files begin at its
/// folder.
QD_API QD_MUST_USE qd_status qd_scene_parse(const char *text, size_t bytes, const char *name,
                                            const qd_scene_changes *changes, qd_scene **scene,
                                            qd_error *error);

/// Frees a scene; NULL is fine.
QD_API void qd_scene_destroy(qd_scene *scene);

/// Names and one-line descriptions of the built-in scenes, in order; NULL past the last.
QD_API const char *qd_scene_builtin_name(size_t number);
QD_API const char *qd_scene_builtin_about(size_t number);
/// The YAML of a built-in scene as it was written, or NULL.
QD_API const char *qd_scene_builtin_text(const char *name);

/// The scene's `name`. The scene's, as long as it lives.
QD_API const char *qd_scene_name(const qd_scene *scene);
/// What the scene asks of a run.
QD_API qd_scene_run qd_scene_run_settings(const qd_scene *scene);
/// Gives rule `number`, from 0, of those that end the run; false past the last one. Any thread.
QD_API bool qd_scene_until(const qd_scene *scene, size_t number, qd_until_rule *rule);
/// How many stages the run goes through, one after the other; 0: it has none. Any thread.
QD_API size_t qd_scene_stages(const qd_scene *scene);
/// Gives stage `number`, from 0; false past the last one. And rule `rule` of those that end it. Any thread.
QD_API bool qd_scene_stage_at(const qd_scene *scene, size_t number, qd_scene_stage *stage);
QD_API bool qd_scene_stage_until(const qd_scene *scene, size_t number, size_t rule, qd_until_rule *until);
/// What the scene asks of a run while it is in stage `number`: what is recorded, and how often there is a
/// frame, may change. Any thread.
QD_API qd_scene_run qd_scene_stage_run(const qd_scene *scene, size_t number);
/// What frames of stage `number` show: all but their size may change. The scene's view, where it has no such
/// stage. Any thread.
QD_API qd_view qd_scene_stage_view(const qd_scene *scene, size_t number);
/// Makes a world that has gone through the stages before number `number`, which is at least 1, one of that
/// stage: bodies are removed, changed and added, the world gets its values. To be called between two steps;
/// contacts follow with qd_world_detect or the next step. `first_ids` has, for each of the stages from 0 on
/// up to this one, the id after the highest (qd_world_last_id) when it began. The same world gives the same
/// one, bit for bit. Errors: QD_ERR_INVALID (what cannot be, in `error`), QD_ERR_ARGUMENT, QD_ERR_LIMIT,
/// QD_ERR_MEMORY; the world may have been changed in part then.
QD_API QD_MUST_USE qd_status qd_scene_begin_stage(const qd_scene *scene, size_t number,
                                                  const uint64_t *first_ids, qd_world *world,
                                                  qd_error *error);
/// What its frames show. It must not outlive the scene, which has the names of its stages.
QD_API qd_view qd_scene_view(const qd_scene *scene);
QD_API qd_video_settings qd_scene_video(const qd_scene *scene);
/// The world's def; `threads` and `allocator` are left at their defaults.
QD_API qd_world_def qd_scene_world(const qd_scene *scene);
/// Bodies that the scene asks for.
QD_API uint64_t qd_scene_bodies(const qd_scene *scene);
/// True where emitters may add bodies to them in later steps.
QD_API bool qd_scene_grows(const qd_scene *scene);

/// The resolved scene as YAML: every key with its value; reading it gives the same scene, where the files
/// that it names (qd_scene_file_at) lie beside it. Free with the scene.
QD_API const char *qd_scene_text(const qd_scene *scene);

/// A file that the resolved scene names: what was read of the body file that the scene came with.
typedef struct qd_scene_file {
    const char *name; ///< without a folder
    const char *data; ///< freed with the scene
    size_t bytes;
} qd_scene_file;

/// Gives file `number`, from 0; false past the last one.
QD_API bool qd_scene_file_at(const qd_scene *scene, size_t number, qd_scene_file *file);

/// What people should know of how the scene was read, one sentence per line; "" where there is nothing.
QD_API const char *qd_scene_notes(const qd_scene *scene);

/// XXH3-64 of the resolved text, which names hashes of the body files.
QD_API uint64_t qd_scene_hash(const qd_scene *scene);

/// Adds the scene's bodies to an empty world made from qd_scene_world. Errors: QD_ERR_INVALID (what cannot be
/// placed, how many were), and those of qd_world_add.
QD_API QD_MUST_USE qd_status qd_scene_populate(const qd_scene *scene, qd_world *world, qd_error *error);

QD_END_DECLS

#endif
