#pragma once

#include "sim/world/work.h"

#include <quadrille/profile.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// The bytes that the phases of a step read and write, counted from its data structures: of each pass what it
/// reads and writes per item, times the items that there were. Every array counts once per pass, as if a
/// processor kept what it needs of it until the pass is over; index tables, sorts' further rounds, ends of
/// vectors and rare work are left out. So it is a lower bound of what passes between processor and caches. Of
/// what comes from memory it is one only where a pass's arrays are larger than the caches.

/// What a pass goes over.
typedef enum qdi_traffic_item {
    QDI_TRAFFIC_BODY,
    QDI_TRAFFIC_TOUCHED, ///< body that has a contact: at least a third as many as there are contacts
    QDI_TRAFFIC_NEAR,    ///< body that has a candidate: the same
    QDI_TRAFFIC_CANDIDATE,
    QDI_TRAFFIC_CONTACT, ///< speculative ones included
    QDI_TRAFFIC_SOLVED,  ///< constraint of the rigid solver
    QDI_TRAFFIC_MOVER,   ///< body that has one
    QDI_TRAFFIC_ITEMS
} qdi_traffic_item;

/// When a pass takes place; all must hold.
enum {
    QDI_TRAFFIC_NONE = 1,    ///< contact model none
    QDI_TRAFFIC_IMPULSE = 2, ///< contact model impulse
    QDI_TRAFFIC_SPRING = 4,  ///< contact model spring; of these three one must hold
    QDI_TRAFFIC_TURNING = 8, ///< bodies turn
    QDI_TRAFFIC_GRAVITY = 16,
    QDI_TRAFFIC_BOUNCES = 32,   ///< surfaces give something back
    QDI_TRAFFIC_WALLS = 64,     ///< contacts with walls are looked for
    QDI_TRAFFIC_MIRRORS = 128,  ///< walls mirror
    QDI_TRAFFIC_HELD = 256,     ///< bodies are in fat boxes
    QDI_TRAFFIC_FREE = 512,     ///< they are not
    QDI_TRAFFIC_REBUILT = 1024, ///< this step gave all boxes to the tree
    QDI_TRAFFIC_SORTED = 2048,  ///< this step put contacts in order anew
    QDI_TRAFFIC_MET = 4096,     ///< springs make contacts and forces in one go
    QDI_TRAFFIC_LISTED = 8192,  ///< the narrow phase makes them
    QDI_TRAFFIC_PLAIN = 16384,  ///< all bodies are dynamic disks without traits of their own
    QDI_TRAFFIC_MIXED = 32768, ///< not all bodies are such disks, or without springs they turn or have movers
    QDI_TRAFFIC_ENDS = 65536,  ///< springs go through lists of the ends of candidates
    QDI_TRAFFIC_CHAINS = 131072, ///< they hang the ends of contacts into chains
    QDI_TRAFFIC_PUSHED = 262144, ///< velocities change
};

/// A pass of a step.
typedef struct qdi_traffic_pass {
    qd_phase phase;
    const char *name;
    qdi_traffic_item item;
    unsigned when;
    bool each_substep;    ///< once in each sub-step
    size_t reads, writes; ///< bytes per item
} qdi_traffic_pass;

/// Traffic: pass number `number`, NULL past the last.
const qdi_traffic_pass *qdi_traffic_pass_at(size_t number);

/// Bytes by phase, over steps.
typedef struct qdi_traffic {
    uint64_t reads[QD_PHASE_COUNT], writes[QD_PHASE_COUNT];
} qdi_traffic;

/// Traffic: how often a pass took its item in the step that led from `before` to `after`.
uint64_t qdi_traffic_times(const qdi_traffic_pass *pass, const qdi_work *before, const qdi_work *after);

/// Traffic: adds the bytes of that step.
void qdi_traffic_add(qdi_traffic *traffic, const qdi_work *before, const qdi_work *after);
