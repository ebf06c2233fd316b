#pragma once

#include "tools/host/json.h"
#include "tools/host/topology.h"

#include <quadrille/team.h>
#include <stddef.h>

/// Which processor each thread of a team is bound to: --pin.

typedef enum qdi_pin_policy {
    QDI_PIN_OFF,    ///< threads run wherever the system likes
    QDI_PIN_CLOSE,  ///< on neighbouring cores: they share caches and one node's memory
    QDI_PIN_SPREAD, ///< evenly over nodes, and over the cores of each: they have all memory's bandwidth
} qdi_pin_policy;

typedef struct qdi_pin {
    qdi_pin_policy policy;
    int threads; ///< 0 where nothing is bound
    int cores;   ///< that there were to choose from
    int nodes;
    int processors[QD_TEAM_MAX]; ///< of each thread, by the system's numbers
    int node[QD_TEAM_MAX];       ///< that it is part of
} qdi_pin;

/// Reads the value of --pin; NULL is off. Errors: QD_ERR_ARGUMENT, with one line in `error`: no such policy,
/// or none can be had without hwloc.
QD_MUST_USE qd_status qdi_pin_read(const char *text, qdi_pin_policy *policy, qd_error *error);

/// "close", ...
const char *qdi_pin_name(qdi_pin_policy policy);

/// The rule. A core gets a second thread only when all have one, and then each as many as the others, on its
/// processors in turn. Threads that follow each other are neighbours: they work on neighbouring ranges.
/// `topology` has at least one processor. Errors: QD_ERR_MEMORY.
QD_MUST_USE qd_status qdi_pin_place(const qdi_topology *topology, qdi_pin_policy policy, int threads,
                                    qdi_pin *pin);

/// The same for this machine and process: of the processors that it may run on, and tried out. Where there
/// are more threads than cores, and not `quiet`, a warning says so. Off, nothing is looked at. Errors:
/// QD_ERR_ARGUMENT, QD_ERR_IO (one line in `error`): no hwloc, or the system refuses a processor;
/// QD_ERR_MEMORY.
QD_MUST_USE qd_status qdi_pin_here(qdi_pin_policy policy, int threads, bool quiet, qdi_pin *pin,
                                   qd_error *error);

/// Tries out whether the system lets this thread run on all of them. Errors: QD_ERR_IO, with the first that
/// it refuses in `error`.
QD_MUST_USE qd_status qdi_pin_try(const qdi_pin *pin, qd_error *error);

/// Binds a team's threads so. NULL, or where nothing is bound: they stay as they are. Errors: QD_ERR_MEMORY.
QD_MUST_USE qd_status qdi_pin_team(const qdi_pin *pin, qd_team *team);

/// For people: "spread: threads on processors 0-3,8-11, 2 nodes".
void qdi_pin_words(const qdi_pin *pin, char *text, size_t bytes);

/// The members "pin" and, where something is bound, "processors" and "nodes" (of each thread).
void qdi_pin_json(qdi_json *json, const qdi_pin *pin);
