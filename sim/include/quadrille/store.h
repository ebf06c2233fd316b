#ifndef QUADRILLE_STORE_H
#define QUADRILLE_STORE_H

#include <quadrille/alloc.h>
#include <quadrille/distribution.h>
#include <quadrille/field.h>
#include <quadrille/metrics.h>
#include <quadrille/profile.h>
#include <quadrille/scene.h>
#include <quadrille/simd.h>
#include <quadrille/status.h>
#include <quadrille/world.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

QD_BEGIN_DECLS

/// What a run leaves behind as rows: where it came from, metrics, state hashes, events, snapshots,
/// checkpoints, frames, failures. It is one SQLite database, run.db; docs/run-store.md has every table and
/// column.
///
/// Rows are handed to a thread of the store's own through a queue that blocks and never drops. They are
/// committed in batches; a checkpoint commits everything that was put before it. The store reads worlds
/// through const functions only: what is recorded never changes a run.
///
/// One thread at a time may use a store. SQLite has memory of its own beside the allocator's.
typedef struct qd_store qd_store;

/// What a store says of where its run came from.
typedef struct qd_store_def {
    uint32_t cookie;       ///< set by qd_store_def_default; a def without it is refused
    const qd_scene *scene; ///< required; not looked at after qd_store_create
    uint64_t bodies;       ///< at step 0
    int threads;           ///< that the run was begun with
    qd_simd simd;          ///< the same
    /// Commit that the program was built from; compiler and its flags; the processor's name. NULL (the
    /// default): "".
    const char *source, *compiler, *flags, *cpu;
    const qd_allocator *allocator; ///< NULL: the C heap
} qd_store_def;

/// A def without a scene.
QD_API qd_store_def qd_store_def_default(void);

/// How a store that exists is opened.
typedef enum qd_store_mode {
    QD_STORE_READ,  ///< to read; any number of readers, also beside a writer: they see what it has committed
    QD_STORE_GO_ON, ///< to read and write; no other writer meanwhile
} qd_store_mode;

/// Makes a store: it is there whole, with its table `run`, or not at all. Errors: QD_ERR_EXISTS (something
/// has that name), QD_ERR_ARGUMENT, QD_ERR_IO, QD_ERR_STATE (another process is at it), QD_ERR_MEMORY; the
/// reason in `error`.
QD_API QD_MUST_USE qd_status qd_store_create(const char *path, const qd_store_def *def, qd_store **store,
                                             qd_error *error);

/// Opens a store, also one whose writer was killed; one of an older schema is brought up to date first.
/// `allocator` may be NULL. Errors: QD_ERR_NOT_FOUND, QD_ERR_INVALID (no run store, or of a newer schema),
/// QD_ERR_CORRUPT (damaged), QD_ERR_STATE (another process writes to it, or to read: has it for itself for
/// longer than a second), QD_ERR_IO, QD_ERR_MEMORY; the reason in `error`.
QD_API QD_MUST_USE qd_status qd_store_open(const char *path, qd_store_mode mode,
                                           const qd_allocator *allocator, qd_store **store, qd_error *error);

/// Commits what was put, closes and frees, in any case; NULL is fine. A writer's store becomes one file, for
/// which it waits up to a second where others read. Returns the first failure of the
/// writer, if any, with its reason; what was committed before it is there.
QD_API QD_MUST_USE qd_status qd_store_close(qd_store *store, qd_error *error);

/// One line that people should know, such as that nobody can read beside the writer on this file system; ""
/// where there is nothing. Freed with the store.
QD_API const char *qd_store_note(const qd_store *store);

// ---- writing: QD_ERR_STATE where the store was opened to read ----
//
// Whatever is put appears in the order in which it was put. All calls may wait for the writer. Once it has
// failed (the disk is full, ...) they return its status, and qd_store_flush and qd_store_close tell the
// reason.

/// What qd_world_measure says of a step. `phase_ns` is the time that each phase took since the row before, or
/// NULL: not known.
QD_API QD_MUST_USE qd_status qd_store_put_metrics(qd_store *store, const qd_metrics *metrics,
                                                  const uint64_t phase_ns[QD_PHASE_COUNT]);

/// A field as it was measured last: a row for each quantity.
QD_API QD_MUST_USE qd_status qd_store_put_field(qd_store *store, const qd_field *field);

/// Distributions as their mean was made last: a row for each.
QD_API QD_MUST_USE qd_status qd_store_put_distributions(qd_store *store, const qd_distributions *all);

/// The form that the state hashes of the run have (qd_world_hash_as): that of the version that began it.
QD_API int qd_store_hash_form(const qd_store *store);

/// The state hash of a step, in that form.
QD_API QD_MUST_USE qd_status qd_store_put_hash(qd_store *store, uint64_t step, uint64_t hash);

/// The world's events (qd_world_events: begins and ends, with `persist` also what persists) and then its
/// impacts, in their order. To be called after every step, since a world keeps them for one step only, and at
/// step 0, before bodies are removed: QD_ERR_STALE, and nothing is put, where a body that touches or met
/// another was removed since, and its label is not known from earlier events.
QD_API QD_MUST_USE qd_status qd_store_put_events(qd_store *store, const qd_world *world, bool persist);

/// Where bodies are removed, changed or added between two steps, as when a stage begins: before it, notes
/// what bodies are called. Cost: O(bodies). Errors: QD_ERR_MEMORY and those of all puts.
QD_API QD_MUST_USE qd_status qd_store_note_bodies(qd_store *store, const qd_world *world);

/// And after it, when contacts were found (qd_world_detect): keeps those that ended or began by it. They are
/// put with the events of the next step, as its first, without impulses, for no time has passed.
QD_API QD_MUST_USE qd_status qd_store_note_changes(qd_store *store, const qd_world *world);

/// The world as it is, as qd_world_save writes it, but piece by piece: it is never in memory as a whole. The
/// caller waits until the writer has taken all but the last megabyte.
QD_API QD_MUST_USE qd_status qd_store_put_snapshot(qd_store *store, const qd_world *world);

/// A frame: number, step, time and hash of the pixels.
typedef struct qd_store_frame {
    uint64_t number, step;
    double time;
    uint64_t pixels;
} qd_store_frame;

/// A frame that is on the disk under its name.
QD_API QD_MUST_USE qd_status qd_store_put_frame(qd_store *store, const qd_store_frame *frame);

/// The world and whatever the caller needs to go on from here, which is copied (`session` may be NULL where
/// there are no bytes). Commits everything put so far; once it is on the device, which qd_store_flush waits
/// for, it survives a power cut. Of the checkpoints, that of step 0 and the last `keep` (at least 1) stay.
/// One of the same step is replaced. Cost: as a snapshot's.
QD_API QD_MUST_USE qd_status qd_store_put_checkpoint(qd_store *store, const qd_world *world,
                                                     const void *session, size_t session_bytes,
                                                     uint64_t keep);

/// Where a stage of a run began, and what the run had come to then.
typedef struct qd_store_stage {
    uint64_t number, step; ///< the step after which it began
    double time;
    uint64_t first_id; ///< the id after the highest, qd_world_last_id
    char name[80];
    char before[32]; ///< what ended the stage before: "steps", "until.0"; "" for stage 0
    uint64_t bodies;
    uint64_t contacts, begins, impacts, emitted, removed; ///< since step 0, see qd_world_totals
    double kinetic, potential;                            ///< energies
} qd_store_stage;

/// A stage that begins after the world's present step, in the order of their numbers.
QD_API QD_MUST_USE qd_status qd_store_put_stage(qd_store *store, const qd_store_stage *stage);

/// Why a run ended early (qd_world_limit_report).
QD_API QD_MUST_USE qd_status qd_store_put_failure(qd_store *store, const qd_limit_report *report);

/// Waits until everything put is committed. Errors: the writer's, with its reason.
QD_API QD_MUST_USE qd_status qd_store_flush(qd_store *store, qd_error *error);

/// Goes back to the state of `world`, which came from a checkpoint: deletes every row of a later step. Rows
/// of its own step stay, they were committed with the checkpoint. To be called before the first put after
/// qd_store_open. Errors: those of SQLite; nothing is deleted then.
QD_API QD_MUST_USE qd_status qd_store_rewind(qd_store *store, const qd_world *world, qd_error *error);

/// The run gets the scene that it has from now on, which differs from the one before in its number of steps,
/// a higher one, or in `run.at_least`. What stands there of the old last step only because it was the last, a
/// state hash, is deleted. To be called before the first put after qd_store_open. `scene` is not looked at
/// afterwards. Errors: QD_ERR_ARGUMENT, QD_ERR_STATE (opened to read), those of SQLite; nothing is changed
/// then.
QD_API QD_MUST_USE qd_status qd_store_extend(qd_store *store, const qd_scene *scene, qd_error *error);

// ---- reading: in both modes; where rows were put, waits until they are committed ----
//
// Errors of all: QD_ERR_NOT_FOUND (there is no such row; `error` stays as it is), QD_ERR_CORRUPT (what is
// stored is damaged; the reason names table and step), QD_ERR_IO, QD_ERR_MEMORY.

/// The row of `run`, as docs/run-store.md has it.
typedef struct qd_store_run {
    char *version, *scene, *scene_text, *simd, *source, *compiler, *flags, *cpu, *created;
    uint64_t scene_hash, seed, steps, bodies;
    double dt;
    int threads;
} qd_store_run;

/// Reads it; free it with qd_store_run_free. QD_ERR_CORRUPT also where there is none.
QD_API QD_MUST_USE qd_status qd_store_read_run(qd_store *store, qd_store_run *run, qd_error *error);
QD_API void qd_store_run_free(qd_store *store, qd_store_run *run);

/// The last step of which there is a row that is no failure: how far a run has come that is not complete. It
/// is 0 where nothing was recorded.
QD_API QD_MUST_USE qd_status qd_store_last_step(qd_store *store, uint64_t *step, qd_error *error);

/// The first hash of a step >= `from`. QD_ERR_CORRUPT where its text is no hash: `step` says which it is.
QD_API QD_MUST_USE qd_status qd_store_next_hash(qd_store *store, uint64_t from, uint64_t *step,
                                                uint64_t *hash, qd_error *error);

/// The first row of metrics of a step >= `from`, phases left out. What it has no value for (a program that
/// knew fewer numbers wrote it) is NaN, or UINT64_MAX.
QD_API QD_MUST_USE qd_status qd_store_next_metrics(qd_store *store, uint64_t from, qd_metrics *metrics,
                                                   qd_error *error);

/// The fields of a step, quantity by quantity, each nx * ny values row by row from the bottom.
typedef struct qd_store_fields {
    uint64_t step;
    double time;
    qd_field_grid grid;
    double *values; ///< freed with qd_store_fields_free; NaN in a quantity that is not stored
} qd_store_fields;

/// Reads those of the first step >= `from` that has any; free them with qd_store_fields_free. QD_ERR_CORRUPT
/// where a row has not as many values as the grid has cells.
QD_API QD_MUST_USE qd_status qd_store_next_fields(qd_store *store, uint64_t from, qd_store_fields *fields,
                                                  qd_error *error);
QD_API void qd_store_fields_free(qd_store *store, qd_store_fields *fields);

/// The distributions of a step.
typedef struct qd_store_distributions {
    uint64_t step;
    double time;
    qd_curve curves[QD_DISTRIBUTION_KINDS]; ///< of one that is not stored, `values` is NULL
    double *values;                         ///< of all of them; freed with qd_store_distributions_free
    size_t room;
} qd_store_distributions;

/// Reads those of the first step >= `from` that has any; free them with qd_store_distributions_free.
/// QD_ERR_CORRUPT where a row has not as many values as bins.
QD_API QD_MUST_USE qd_status qd_store_next_distributions(qd_store *store, uint64_t from,
                                                         qd_store_distributions *found, qd_error *error);
QD_API void qd_store_distributions_free(qd_store *store, qd_store_distributions *found);

/// What became of a contact, or a bounce that leaves none.
typedef enum qd_store_event_kind {
    QD_STORE_EVENT_BEGIN,
    QD_STORE_EVENT_PERSIST,
    QD_STORE_EVENT_END,
    QD_STORE_EVENT_IMPACT,
} qd_store_event_kind;

/// A row of `events`, as docs/run-store.md has it.
typedef struct qd_store_event {
    uint64_t step, number;
    qd_store_event_kind kind;
    uint64_t a, b; ///< ids; `b` 0 where `wall` is not
    int wall;      ///< 0: a body; else 1 to 4, left, right, bottom, top
    qd_vec2 point, normal;
    double impulse, friction, approach;
    double depth;  ///< NaN for an impact
    double within; ///< NaN for all others
} qd_store_event;

/// Called for each event; returns false to stop.
typedef bool (*qd_store_visit_event)(void *context, const qd_store_event *event);

/// Every event of the steps from `from` to `to`, both included, in order; where there is none, nothing is
/// called and the result is QD_OK. QD_ERR_CORRUPT where a word of a row is none that there is.
QD_API QD_MUST_USE qd_status qd_store_visit_events(qd_store *store, uint64_t from, uint64_t to,
                                                   qd_store_visit_event visit, void *context,
                                                   qd_error *error);

/// The first failure of a step >= `from`, as qd_store_put_failure got it; of its body only label, position
/// and velocity are kept.
QD_API QD_MUST_USE qd_status qd_store_next_failure(qd_store *store, uint64_t from, qd_limit_report *report,
                                                   qd_error *error);

/// The first stage with a number >= `from`.
QD_API QD_MUST_USE qd_status qd_store_next_stage(qd_store *store, uint64_t from, qd_store_stage *stage,
                                                 qd_error *error);

/// The first row of metrics of a step >= `from` that has times: its step, and how long each phase took since
/// the row before, in nanoseconds, 0 where the row has no such phase.
QD_API QD_MUST_USE qd_status qd_store_next_phases(qd_store *store, uint64_t from, uint64_t *step,
                                                  uint64_t phase_ns[QD_PHASE_COUNT], qd_error *error);

/// The first frame with a number >= `from`.
QD_API QD_MUST_USE qd_status qd_store_next_frame(qd_store *store, uint64_t from, qd_store_frame *frame,
                                                 qd_error *error);

/// A stored world, for qd_world_load; and what the caller gave with a checkpoint.
typedef struct qd_store_state {
    uint64_t step;
    unsigned char *world, *session; ///< freed with qd_store_state_free; session NULL: none
    size_t world_bytes, session_bytes;
} qd_store_state;

/// Frees both; what is freed already is fine.
QD_API void qd_store_state_free(qd_store *store, qd_store_state *state);

/// The first snapshot, or checkpoint, of a step >= `from`. QD_ERR_CORRUPT where its checksum differs:
/// `state` has its step and nothing to free then.
QD_API QD_MUST_USE qd_status qd_store_next_snapshot(qd_store *store, uint64_t from, qd_store_state *state,
                                                    qd_error *error);
QD_API QD_MUST_USE qd_status qd_store_next_checkpoint(qd_store *store, uint64_t from, qd_store_state *state,
                                                      qd_error *error);

/// The step of the first snapshot of a step >= `from`, which is not read. Errors: QD_ERR_NOT_FOUND.
QD_API QD_MUST_USE qd_status qd_store_snapshot_step(qd_store *store, uint64_t from, uint64_t *step,
                                                    qd_error *error);

/// How many bytes the largest snapshot says that it has; 0 where there is none.
QD_API QD_MUST_USE qd_status qd_store_largest_snapshot(qd_store *store, uint64_t *bytes, qd_error *error);

/// The last checkpoint of a step <= `most` that is sound; `skipped` (may be NULL) gets one line about those
/// that are damaged and were passed over, "" where there are none, and the reason of an error.
QD_API QD_MUST_USE qd_status qd_store_last_checkpoint(qd_store *store, uint64_t most, qd_store_state *state,
                                                      qd_error *skipped);

/// The world that is stored of a step, or the last one (`step` UINT64_MAX): a snapshot, or a checkpoint where
/// there is none. `state` has no session. QD_ERR_NOT_FOUND with the steps nearest to it in `error`.
QD_API QD_MUST_USE qd_status qd_store_find_world(qd_store *store, uint64_t step, qd_store_state *state,
                                                 qd_error *error);

/// Looks at the whole database with SQLite's own check. QD_ERR_CORRUPT with the first finding.
QD_API QD_MUST_USE qd_status qd_store_check(qd_store *store, qd_error *error);

QD_END_DECLS

#endif
