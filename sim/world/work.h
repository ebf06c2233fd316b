#pragma once

#include <quadrille/world.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// What the passes of a step went over, for whoever counts what a step costs (tools/scale/traffic.h).
typedef struct qdi_work {
    qd_contact_model contact;
    bool plain;   ///< all bodies are dynamic disks without traits of their own
    bool turning; ///< some body is turned, or may come to turn
    bool pushed;  ///< velocities change in steps
    bool gravity;
    bool bounces;      ///< surfaces give something back
    bool walls;        ///< the narrow phase tests bodies against walls
    bool mirrors;      ///< walls mirror what moves
    bool held;         ///< bodies are in fat boxes
    bool met;          ///< springs made their contacts themselves (sim/spring/spring_meet.c)
    bool listed;       ///< and went through lists of the ends of candidates (sim/spring/meet_ends.h)
    uint64_t rebuilds; ///< since the world was made: all boxes to the tree, all candidates from it
    uint64_t sorted;   ///< number of the order of contacts: another one after each sort
    size_t bodies;
    size_t candidates; ///< pairs whose shapes were looked at
    size_t contacts;   ///< at the end of the step, speculative ones included
    size_t solved;     ///< constraints that the sub-steps of the rigid solver worked on
    size_t movers;     ///< bodies of these
    int substeps;
} qdi_work;

/// World's work: of the step made last. Costs next to nothing and changes nothing.
qdi_work qdi_world_work(const qd_world *world);
