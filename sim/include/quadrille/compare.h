#ifndef QUADRILLE_COMPARE_H
#define QUADRILLE_COMPARE_H

#include <quadrille/api.h>
#include <quadrille/scene.h>
#include <quadrille/status.h>
#include <quadrille/world.h>
#include <stdbool.h>
#include <stdint.h>

QD_BEGIN_DECLS

/// What two worlds differ in, field by field: everything that a saved world holds (qd_world_save); and two
/// scenes, key by key.

/// What a field belongs to.
typedef enum qd_difference_of {
    QD_DIFFERENCE_WORLD,   ///< settings, clock, totals
    QD_DIFFERENCE_BODY,    ///< a body, or an index that nobody has now
    QD_DIFFERENCE_CONTACT, ///< a contact of the present moment, and what keeps it at rest
    QD_DIFFERENCE_EMITTER,
    QD_DIFFERENCE_SINK,
} qd_difference_of;

/// One field that differs. The texts live as long as the call that they are given to.
typedef struct qd_difference {
    qd_difference_of of;
    /// It only tells how the work is done (margin, fat boxes, counts of the tree's work) and changes no
    /// result.
    bool work;
    uint64_t label;      ///< of the body (of a contact: of its first one); 0 where there is none
    const char *subject; ///< "the world", "body 12", "contact of body 3 and wall left", "emitter 0"
    const char *field;   ///< "velocity.x", "touch.0.depth"; "" where one world has no such body or contact
    const char
        *first; ///< the value in each; numbers read back equal to the bit. "there" or "none" for a whole
    const char *second;
} qd_difference;

/// Gets each difference; false: no more of them, please.
typedef bool (*qd_difference_visit)(void *context, const qd_difference *difference);

/// How much two worlds differ.
typedef struct qd_comparison {
    uint64_t fields; ///< that differ, but those that only tell how the work is done
    uint64_t work;   ///< those
    uint64_t bodies; ///< that have such fields, or are in one world only; not those that differ in work alone
    uint64_t contacts; ///< the same
} qd_comparison;

/// Compares two worlds: the world's own fields, then bodies by index, contacts in their order, emitters,
/// sinks. Numbers are compared bit by bit, but any NaN equals any other. Which row a body has is not
/// compared, nor number of threads and kernels, nor anything that follows from the rest. `visit` may be NULL.
/// `comparison` (may be NULL) counts what was found, until the visitor stopped. Errors: QD_ERR_ARGUMENT.
/// Neither world may be changed meanwhile; any thread. Cost: as reading all of both worlds.
QD_API QD_MUST_USE qd_status qd_world_compare(const qd_world *first, const qd_world *second,
                                              qd_difference_visit visit, void *context,
                                              qd_comparison *comparison);

/// Gets a key that differs ("world.size.0", "bodies.0.disks.count") with its value in each scene, NULL where
/// it is not there; false: no more of them, please. The texts live as long as the call; of a long value they
/// are the beginning.
typedef bool (*qd_scene_difference_visit)(void *context, const char *key, const char *first,
                                          const char *second);

/// Compares two resolved scenes (qd_scene_text) key by key, in their order. `count` (may be NULL) gets how
/// many keys differ, up to where the visitor stopped; `visit` may be NULL. Errors: QD_ERR_ARGUMENT,
/// QD_ERR_MEMORY.
QD_API QD_MUST_USE qd_status qd_scene_compare(const qd_scene *first, const qd_scene *second,
                                              qd_scene_difference_visit visit, void *context,
                                              uint64_t *count);

QD_END_DECLS

#endif
