#ifndef QUADRILLE_WORLD_H
#define QUADRILLE_WORLD_H

#include <quadrille/alloc.h>
#include <quadrille/body.h>
#include <quadrille/compression.h>
#include <quadrille/contact.h>
#include <quadrille/emitter.h>
#include <quadrille/force.h>
#include <quadrille/profile.h>
#include <quadrille/spring.h>
#include <quadrille/status.h>
#include <quadrille/tree.h>
#include <quadrille/vec.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

QD_BEGIN_DECLS

/// A world: bodies, the tree over them, their contacts, and the time they are at. Bodies, tree and contacts
/// are always of one moment: contacts are found when they are first asked for after a change
/// (qd_world_detect) and at the end of every step.
///
/// One thread at a time may change a world; any number may read it between changes, but qd_world_hash and
/// qd_world_sum work on the world's team: one such call at a time. The world's own threads are its team's.
typedef struct qd_world qd_world;

/// What happens at the sides of the world.
typedef enum qd_boundary {
    QD_BOUNDARY_REFLECT,  ///< walls
    QD_BOUNDARY_PERIODIC, ///< what leaves at one side comes in at the other
    QD_BOUNDARY_OPEN,     ///< nothing there
} qd_boundary;

/// What bodies that touch do to each other.
typedef enum qd_contact_model {
    QD_CONTACT_NONE, ///< contacts are found and reported; bodies pass through each other, walls mirror them
    QD_CONTACT_IMPULSE, ///< rigid: what approaches bounces, with restitution and friction; what rests, rests
    QD_CONTACT_SPRING,  ///< soft: what overlaps is pushed apart by springs and dashpots (spring.h)
} qd_contact_model;

/// How candidates are found; results are the same.
typedef enum qd_retrieve_mode {
    QD_RETRIEVE_JOIN, ///< self-join of the tree
    QD_RETRIEVE_EACH, ///< one retrieve per body; the same results
    /// Every box against every other, as if there were no tree; the same results, at a cost that grows with
    /// the square of the number of bodies: for comparison.
    QD_RETRIEVE_BRUTE,
} qd_retrieve_mode;

/// Which bodies have their way through a step followed (contact model impulse only), so that they pass
/// through nothing. With `auto` and `off` such a body stops where it meets something, with the velocity that
/// it has then, and bounces in the next step: cheap, however many bodies there are, but a fast body loses the
/// rest of its step's way at each impact. With `on` it bounces there and then, and goes on: exact, as
/// collisions of hard disks are, and dear where many touch: bodies that would have too many impacts with one
/// another in a step are stopped as with `auto`, and counted (qd_world_totals). The others are looked at
/// where a step ends. Bodies with the flag `bullet` (qd_body_def) are always followed.
typedef enum qd_continuous {
    QD_CONTINUOUS_AUTO, ///< those that could pass through something: see qd_body_def's `bullet`
    QD_CONTINUOUS_ON,   ///< all that move, from impact to impact
    QD_CONTINUOUS_OFF,  ///< bullets only
} qd_continuous;

/// What stops a step (QD_ERR_LIMIT). Infinity turns a limit off.
typedef struct qd_limits {
    double speed; ///< fastest body allowed; default infinity
    /// Furthest from the world's centre, per axis; NaN (the default): 1e6 times the world's longer side. At
    /// most 1e30, whatever is given.
    double distance;
    double pairs; ///< candidate pairs per body, of 10,000 bodies at least; 1000 in all; default 100
} qd_limits;

/// How a world is made.
typedef struct qd_world_def {
    uint32_t cookie; ///< set by qd_world_def_default; a def without it is refused
    qd_vec2 size;    ///< width and height, > 0; default 100, 100
    qd_vec2 origin;  ///< lower left corner, at most 1e9 times as far off as the world is long; default 0, 0
    qd_boundary boundary_x; ///< default reflect
    qd_boundary boundary_y;
    qd_vec2 gravity;               ///< acceleration of dynamic bodies; default 0, 0
    qd_attraction attraction;      ///< and this is added; default none
    qd_drag drag;                  ///< default none
    qd_wall_motion wall_motion[4]; ///< of reflecting sides, in the order of qd_wall; default at rest
    qd_compression compression;    ///< default none
    /// How far outside of open sides the whole box of a body that is not static must be for the body to be
    /// removed at the end of a step; >= 0, default infinity: never.
    double removal;
    qd_contact_model contact; ///< default impulse
    double restitution;       ///< 0..1, default 1: of surfaces that have none of their own (qd_material)
    double friction;          ///< >= 0, default 0: the same
    double tangential;        ///< 0..1, default 0: the same
    qd_material walls; ///< of reflecting sides; default NaN: as the three above. Its material may be one
                       ///< that is added later
    qd_spring spring;  ///< contact model spring only: one of kn and contact_time is needed there
    /// What approaches slower than this does not bounce but comes to rest; NaN (the default): 2 |gravity| dt,
    /// twice what a body that rests gains in a step, attraction included. 0 or more.
    double threshold;
    int iterations; ///< most sweeps over the contacts for what bounces, 1..1000, default 8
    /// Parts that a step is solved in for what rests, 1..100, default 4. What rests sinks into what it rests
    /// on by a length that falls with the square of this number and grows with the load: 16 hold 1,000 times
    /// a body's own mass within a twentieth of its size.
    int substeps;
    qd_retrieve_mode retrieve; ///< default join
    qd_continuous continuous;  ///< default auto
    /// How much larger the boxes in the tree are than the bodies, so that they last for several steps: a
    /// length on every side; 0: they are the bodies' own and the tree is refreshed in every step; NaN (the
    /// default): chosen from what the bodies do, 0 where that is best. Changes no result.
    double margin;
    uint32_t capacity;             ///< of the tree's nodes, default 128
    qd_limits limits;              ///< see there
    int threads;                   ///< 1..QD_TEAM_MAX, default 1; changes no result
    qd_simd simd;                  ///< of all kernels, default QD_SIMD_AUTO; changes no result
    uint64_t seed;                 ///< kept with the world and saved; default 1
    const qd_allocator *allocator; ///< NULL: the C heap
} qd_world_def;

/// The body that broke a limit, as it was at the end of the step before.
typedef struct qd_limit_report {
    char reason[96]; ///< "faster than limits.speed (10)"; "" while nothing happened
    uint64_t step;   ///< the step that was refused
    bool has_body;   ///< false for limits.pairs
    uint64_t label;  ///< of the body
    qd_body_state body;
} qd_limit_report;

/// Sums over the dynamic bodies, which do not depend on their order: the same for any thread count.
typedef struct qd_world_sums {
    double kinetic;               ///< energy of motion, rotation included
    double translation, rotation; ///< its two parts
    double potential;             ///< - sum m g . (x - origin), and that of the attraction
    qd_vec2 momentum;             ///< sum m v
    double momentum_scale;        ///< sum m |v|
    double angular;               ///< angular momentum about the world's centre, spin included
    double mass, area;            ///< sum m; sum of the areas of the shapes
    double fastest;               ///< largest speed
} qd_world_sums;

/// What happened since the world was made.
typedef struct qd_world_totals {
    uint64_t contacts;     ///< sum over the steps of the contacts at their end, step 0 included
    uint64_t begins, ends; ///< events
    uint64_t impacts;      ///< bounces on the way through a step (qd_world_impacts)
    /// Bodies, over the steps, that were not followed in one: they had too many of these, and were stopped;
    /// or their path was longer than half a period, and they went on as if they met nobody; or a kinematic
    /// body passed them where there was no room ahead of it.
    uint64_t unfollowed;
    uint64_t refresh_in_place, refresh_refiled, splits, merges;
    uint64_t rebuilds;    ///< how often the tree was refreshed and all candidates were retrieved
    uint64_t amended;     ///< bodies that left the margin alone, and had theirs retrieved one by one
    uint64_t box_tests;   ///< comparisons of two boxes that these took (qd_pairs_tests)
    qd_vec2 wall_impulse; ///< sum of the impulses that the walls gave to the bodies
    double
        wall_work; ///< energy that moving walls gave: sum of impulse times velocity of the wall in its step
    uint64_t emitted, blocked; ///< bodies that emitters made, and that found no place
    uint64_t departed, sunk;   ///< bodies that were removed outside of open sides, and by sinks
} qd_world_totals;

/// 100 x 100 with walls that reflect, contact model `impulse`, restitution 1, one thread, seed 1.
QD_API qd_world_def qd_world_def_default(void);

/// Makes an empty world at step 0. Errors: QD_ERR_ARGUMENT, QD_ERR_VALUE, QD_ERR_MEMORY.
QD_API QD_MUST_USE qd_status qd_world_create(const qd_world_def *def, qd_world **world);

/// Frees a world; NULL is fine.
QD_API void qd_world_destroy(qd_world *world);

/// Adds a material by name, with the next number, from 1; they are saved with the world. `number` may be
/// NULL. Errors: QD_ERR_ARGUMENT; QD_ERR_VALUE: a name that is too long, empty, has other characters or is
/// taken, or values out of range (the reason in `error`, which may be NULL); QD_ERR_LIMIT (QD_MATERIALS_MAX);
/// QD_ERR_MEMORY. Nothing changes then.
QD_API QD_MUST_USE qd_status qd_world_add_material(qd_world *world, const char *name,
                                                   const qd_material *surface, uint32_t *number,
                                                   qd_error *error);

/// Sets what two materials, or two bodies of one, are to each other from the next step on, instead of what
/// follows from their surfaces, whatever these are; NaN: that follows. The order of the two does not matter.
/// Errors: QD_ERR_ARGUMENT, QD_ERR_NOT_FOUND, QD_ERR_VALUE, QD_ERR_MEMORY.
QD_API QD_MUST_USE qd_status qd_world_pair_materials(qd_world *world, uint32_t a, uint32_t b,
                                                     const qd_material *surface, qd_error *error);

/// Material number `number`, from 1; and what two of them are to each other, NaN where that is not said.
/// Errors: QD_ERR_ARGUMENT, QD_ERR_NOT_FOUND.
QD_API QD_MUST_USE qd_status qd_world_material(const qd_world *world, uint32_t number,
                                               qd_named_material *material);
QD_API QD_MUST_USE qd_status qd_world_material_pair(const qd_world *world, uint32_t a, uint32_t b,
                                                    qd_material *surface);
/// The number of the material of a name; 0: there is none.
QD_API uint32_t qd_world_find_material(const qd_world *world, const char *name);

/// Makes room for so many bodies in all, without which it grows by half whenever it is full: then it is
/// larger than it has to be, and some of it there twice for a while. A hint: fewer or more may come. Errors:
/// QD_ERR_ARGUMENT, QD_ERR_LIMIT (above 2^28), QD_ERR_MEMORY; the world is as it was then.
QD_API QD_MUST_USE qd_status qd_world_reserve(qd_world *world, size_t bodies);

/// Adds a body; takes the lowest free index. `id` may be NULL. On a periodic axis the position is wrapped.
/// Errors: QD_ERR_ARGUMENT; QD_ERR_VALUE: something not finite, a shape that qd_shape_normalise refuses, mass
/// or inertia not > 0, a shape without area for a dynamic body; for bodies that are not static a centre
/// outside a reflecting side or a shape longer than the world there; for all a diameter above half the
/// world's size on a periodic axis, or past a limit (the reason in `error`, which may be NULL); QD_ERR_LIMIT
/// (2^28 bodies, or no label left), QD_ERR_MEMORY. Nothing changes then.
QD_API QD_MUST_USE qd_status qd_world_add(qd_world *world, const qd_body_def *body, qd_id *id,
                                          qd_error *error);

/// Removes a body; its contacts end with the next detection. Errors: QD_ERR_STALE.
QD_API QD_MUST_USE qd_status qd_world_remove(qd_world *world, qd_id id);

/// A body's state. Errors: QD_ERR_STALE.
QD_API QD_MUST_USE qd_status qd_world_body(const qd_world *world, qd_id id, qd_body_state *state);

/// Adds a polyline: a body for each of its edges, in order, one end of an edge being the start of the next
/// (qd_shape_chain). `like` tells what the edges have in common: material, filter, sensor, label; its shape's
/// radius is theirs where that is a capsule, else 0. Where it is kinematic, the polyline moves as a whole,
/// with its velocity or, about its pivot, with its spin (there must be a pivot then); else all edges are
/// static. `closed`: the last point is joined to the first. `ids` may be NULL, else it has room for one id
/// for each edge. Errors: as qd_world_add and qd_shape_chain; no edge is added then.
QD_API QD_MUST_USE qd_status qd_world_add_polyline(qd_world *world, const qd_vec2 *points, size_t count,
                                                   bool closed, const qd_body_def *like, qd_id *ids,
                                                   qd_error *error);

/// Sets position (of the centroid) and velocity (not looked at for static bodies and those that turn about a
/// pivot); the same rules and errors as qd_world_add, and QD_ERR_STALE.
QD_API QD_MUST_USE qd_status qd_world_place(qd_world *world, qd_id id, qd_vec2 position, qd_vec2 velocity,
                                            qd_error *error);

/// Sets angle and spin (not looked at for static bodies); the same rules and errors.
QD_API QD_MUST_USE qd_status qd_world_turn(qd_world *world, qd_id id, double angle, double spin,
                                           qd_error *error);

/// Brings tree and contacts up to date with bodies added, removed or placed since the last step; does nothing
/// where they are. Called by qd_world_step when needed; whoever wants to see the events of such changes calls
/// it before the step. Errors: QD_ERR_LIMIT (pairs), QD_ERR_MEMORY: contacts are as before, the next call
/// tries again.
QD_API QD_MUST_USE qd_status qd_world_detect(qd_world *world);

/// Lets `force` act on the bodies from the next step on (see force.h); NULL: no longer. It is not saved with
/// the world: whoever loads one says it again. Errors: QD_ERR_ARGUMENT.
QD_API QD_MUST_USE qd_status qd_world_set_force(qd_world *world, qd_force_function force, void *context);

/// Whether a step is to stop. Called by any thread of the world's team, by several at once, up to a million
/// times per second: it should do no more than read an atomic flag, such as one that a signal handler sets.
typedef bool (*qd_stop_function)(void *context);

/// From the next step on, `asked` is asked between the phases of a step and within those that can last; NULL:
/// no longer. Once it says true, qd_world_step returns QD_ERR_STOPPED soon, and the world is as before the
/// step, the counts of its totals included. What takes one pass over bodies or pairs is not interrupted. It
/// is not saved with the world. Errors: QD_ERR_ARGUMENT.
QD_API QD_MUST_USE qd_status qd_world_set_stop(qd_world *world, qd_stop_function asked, void *context);

/// Adds an emitter or a sink (see emitter.h), which works from the next step on; they are saved with the
/// world. They work in the order in which they were added, sinks before emitters. Errors: QD_ERR_ARGUMENT,
/// QD_ERR_VALUE (the reason in `error`, which may be NULL), QD_ERR_LIMIT (QD_EMITTERS_MAX), QD_ERR_MEMORY.
QD_API QD_MUST_USE qd_status qd_world_add_emitter(qd_world *world, const qd_emitter_def *def,
                                                  qd_error *error);
QD_API QD_MUST_USE qd_status qd_world_add_sink(qd_world *world, const qd_sink_def *def, qd_error *error);

/// Takes all emitters, or all sinks, away: what they have done stays in the world's totals. Those that are
/// added next are numbered from 0 again. Errors: QD_ERR_ARGUMENT.
QD_API QD_MUST_USE qd_status qd_world_clear_emitters(qd_world *world);
QD_API QD_MUST_USE qd_status qd_world_clear_sinks(qd_world *world);

/// From the next step on the world is as `def` says: gravity, attraction, drag, motions of its sides,
/// compression, removal, surfaces of what has none of its own and of its sides, springs, threshold,
/// iterations, substeps, continuous. Begin with qd_world_definition. Size, origin, boundaries, contact model
/// and seed must be as they are; retrieve, margin, capacity, limits, threads, simd and allocator are not
/// looked at. A side whose motion differs begins it now, from where it is: its time counts from here. A
/// compression that differs begins with the size as it is. What bodies and springs gain or lose in potential
/// energy counts as `entered` of the metrics. Errors: QD_ERR_ARGUMENT, QD_ERR_VALUE and QD_ERR_NOT_FOUND (the
/// reason in `error`, which may be NULL), QD_ERR_MEMORY; nothing changes then. Cost: a pass over the bodies.
QD_API QD_MUST_USE qd_status qd_world_change(qd_world *world, const qd_world_def *def, qd_error *error);

/// A number that the world keeps for its user, who may count with it the parts of a run: it is saved, and
/// among the metrics, and nothing depends on it but the random numbers of emitters; default 0.
QD_API void qd_world_set_stage(qd_world *world, uint64_t stage);
QD_API uint64_t qd_world_stage(const qd_world *world);

/// What emitter or sink number `number`, from 0, has done. Errors: QD_ERR_NOT_FOUND.
QD_API QD_MUST_USE qd_status qd_world_emitter(const qd_world *world, size_t number,
                                              qd_emitter_counts *counts);
QD_API QD_MUST_USE qd_status qd_world_sink(const qd_world *world, size_t number, uint64_t *taken);

/// Lower left and upper right corner of the world as its sides are now: those that do not move are where
/// `size` and `origin` say.
QD_API void qd_world_sides(const qd_world *world, qd_vec2 *low, qd_vec2 *high);

/// One step of `dt` > 0: resolve, move, refresh, retrieve, narrow (see profile.h). `profile` gets what this
/// step took added on top; NULL is fine. On QD_ERR_LIMIT (see qd_world_limit_report), QD_ERR_MEMORY and
/// QD_ERR_STOPPED (qd_world_set_stop) the world is as before the step (but a detection that was due has been
/// made). Other errors: QD_ERR_VALUE (dt).
QD_API QD_MUST_USE qd_status qd_world_step(qd_world *world, double dt, qd_profile *profile);

/// From the next step on (or no longer) steps use fewer of the world's threads where that is faster, as it is
/// found by trial, now and then anew: small worlds are slower with many threads than with few. By default
/// they use all, as far as there is work for them, and so they do while qd_world_note_threads asks which
/// thread did what. Changes no result. Errors: QD_ERR_ARGUMENT.
QD_API QD_MUST_USE qd_status qd_world_adapt_threads(qd_world *world, bool adapt);

/// From the next step on (or no longer) the world keeps which of its threads moved which body, for pictures
/// that show it (QD_VIEW_THREAD). No state, hash or event depends on it. Not asked for, it costs nothing;
/// else a few bytes written for each body and step. It is not saved with the world. Errors: QD_ERR_ARGUMENT.
QD_API QD_MUST_USE qd_status qd_world_note_threads(qd_world *world, bool note);

/// From the next step on the world works with these kernels, as qd_world_def.simd says of a new one. No
/// result depends on it. It is not saved with the world. Errors: QD_ERR_ARGUMENT, QD_ERR_VALUE (the processor
/// or this build lacks them).
QD_API QD_MUST_USE qd_status qd_world_set_simd(qd_world *world, qd_simd simd);

/// Steps done, and the time they add up to: step * dt where dt never changed, the sum otherwise.
QD_API uint64_t qd_world_steps(const qd_world *world);
QD_API double qd_world_time(const qd_world *world);

/// The highest id that a body has had; the next one that is not given gets the one after it.
QD_API uint64_t qd_world_last_id(const qd_world *world);
/// Number of bodies.
QD_API size_t qd_world_count(const qd_world *world);
/// What the world was made with, and the kernels that it works with.
QD_API qd_world_def qd_world_definition(const qd_world *world);

/// Bodies as rows of plain arrays, for drawing and analysis; row order is the world's own business and may
/// change with any call that changes the world. The arrays are valid until then.
QD_API qd_body_view qd_world_view(const qd_world *world);

/// Contacts of the present moment, ordered by (a, b), a < b by index; walls come after bodies. Valid until a
/// change. Cost: they are made by the first who asks after a step, some 10 ns each.
QD_API const qd_contact *qd_world_contacts(const qd_world *world, size_t *count);

/// Events between the last time that contacts were found (by a step or qd_world_detect) and the present
/// moment, ordered by (a, b); an end comes before a begin where other bodies took the same indices. Every
/// contact of the present moment is in it as begin or persist. None after qd_world_load. Valid until a
/// change. Cost: as of qd_world_contacts.
QD_API const qd_event *qd_world_events(const qd_world *world, size_t *count);

/// Bounces on the way through the step that led to the present moment, and what bodies gave each other in it
/// that touch neither before nor after it, in order of time, then of (a, b). Such a bounce has begun and
/// ended within the step, so it is no contact and no event. None after qd_world_load, or where no step was
/// made since a change. Valid until a change.
QD_API const qd_impact *qd_world_impacts(const qd_world *world, size_t *count);

/// The tree, whose indices are the bodies' and whose origin is the world's centre. Its boxes hold the bodies,
/// but may be larger than they are (qd_world_def.margin), and on a periodic axis lie a period beside them.
/// Valid until a change.
QD_API const qd_tree *qd_world_tree(const qd_world *world);

/// Mass, momentum and energy of all bodies. Cost: O(bodies).
QD_API qd_world_sums qd_world_sum(const qd_world *world);
/// What was counted since step 0.
QD_API qd_world_totals qd_world_total(const qd_world *world);
/// Which limit stopped the last step; all zero where none did.
QD_API qd_limit_report qd_world_limit_report(const qd_world *world);

/// How long the shortest collision lasts, head-on, between two bodies as light as the lightest that is there
/// or that an emitter makes: a step should be a twentieth of that or less, for small errors a fiftieth.
/// Infinity where the contact model is not QD_CONTACT_SPRING or nothing is dynamic. Cost: a look at every
/// body.
QD_API double qd_world_contact_time(const qd_world *world);

/// The state in 64 bits: equal hashes, equal states. The XXH3-64 of each body (id, shape, what it is made of,
/// pose, velocity) and of each contact (what keeps a resting one at rest; shear and force of springs), added
/// up, and hashed with the step and what emitters and sinks have done. The same for any thread count, SIMD
/// level, compiler and optimization level. Cost: 8 to 10 ns for each body
/// and each contact.
QD_API uint64_t qd_world_hash(const qd_world *world);

/// The form of that hash. Earlier versions had another one, form 1: XXH3-64 over the hashes of blocks of 4096
/// indices and of 4096 contacts.
#define QD_HASH_FORM 2
/// The hash in a form from 1 on that a recorded run has (qd_store_hash_form). Form 1 takes two to three times
/// as long.
QD_API uint64_t qd_world_hash_as(const qd_world *world, int form);

/// Writes everything that decides the world's future to memory: portable between builds and machines,
/// versioned, with a checksum. `*data` comes from the world's allocator; give it back with
/// qd_world_save_free. Errors: QD_ERR_MEMORY.
QD_API QD_MUST_USE qd_status qd_world_save(const qd_world *world, unsigned char **data, size_t *bytes);
QD_API void qd_world_save_free(const qd_world *world, unsigned char *data, size_t bytes);

/// Makes a world from what qd_world_save wrote: the next steps are bit for bit the same. `threads` and
/// `allocator` are the new world's. Errors: QD_ERR_CORRUPT (truncated, damaged, foreign or of another
/// version: the reason in `error`), QD_ERR_VALUE (threads), QD_ERR_MEMORY.
QD_API QD_MUST_USE qd_status qd_world_load(const unsigned char *data, size_t bytes, int threads,
                                           const qd_allocator *allocator, qd_world **world, qd_error *error);

QD_END_DECLS

#endif
