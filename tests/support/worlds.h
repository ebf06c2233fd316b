#pragma once

#include "tests/support/harness.h"

#include <quadrille/metrics.h>
#include <quadrille/random.h>
#include <quadrille/world.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

QD_OWN_POINTER(qd_world, qd_world_destroy)

/// Worlds for the tests of sim/. All fail the running test where something is refused.

/// NULL: the default def.
qd_world *qd_test_world(const qd_world_def *def);

/// The default def, of this size.
qd_world_def qd_test_def(double width, double height);

/// The default def, with open sides.
qd_world_def qd_test_open_def(void);

/// The default body in this shape at a place.
qd_body_def qd_test_body_at(qd_shape shape, double x, double y);

qd_id qd_test_add(qd_world *world, const qd_body_def *body);

/// Adds a room of four kinematic rects that move together and, if `spin` is not 0, turn about its middle, of
/// which each lies on a side of the square of half side `half`, `thick` in all.
void qd_test_room(qd_world *world, qd_vec2 middle, double half, double thick, qd_vec2 velocity, double spin);

/// Adds a disk; mass 0: density 1.
qd_id qd_test_disk(qd_world *world, double x, double y, double vx, double vy, double radius, double mass);

/// The world that a save of it loads, on so many threads; has the same hash.
qd_world *qd_test_copy(const qd_world *world, int threads);
/// The same, and the world itself is gone.
qd_world *qd_test_reload(qd_world *world, int threads);

/// Ends the test unless lives of seeds 1 to `seeds` have the same hash with 1, 2, 3 and 8 threads, those with
/// 1 and 2 of them also where their world is saved and loaded halfway.
void qd_test_same_lives(size_t seeds, uint64_t (*life)(uint64_t seed, int threads, bool halfway));

/// Lets one allocation after another of a step by 0.01 fail, each in a new world: it must stay as it was,
/// `same` (may be NULL) says what else of it, and go on. Returns how many have failed.
size_t qd_test_failing_steps(qd_world *(*make)(const qd_allocator *allocator, int which), int which,
                             void (*same)(const qd_world *world));

qd_body_state qd_test_body(const qd_world *world, qd_id id);
void qd_test_step(qd_world *world, double dt, size_t steps);

/// Three disks in a row, labelled 101 to 103, each of which touches the next; the middle one is removed and
/// nothing detected since. `refilled`: another, labelled 104, has taken its index, and would touch none of
/// them.
qd_world *qd_test_gap(bool refilled);

/// Ends the test unless a value is so close to what it should be.
void qd_test_near(double value, double expected, double tolerance, const char *what);

/// Adds a sink of a place, which takes no more than `total` bodies.
void qd_test_sink(qd_world *world, double x, double y, double width, double height, uint64_t total);

/// A def with boundaries, contact model, restitution, gravity, retrieve mode, origin and size drawn at
/// random; the sides are 20 to 50 long.
qd_world_def qd_test_random_def(qd_random *random);

/// Adds `count` disks at random places (overlaps are fine) of radius 0.2 to 1 and speed up to 5.
void qd_test_scatter(qd_world *world, qd_random *random, size_t count);

/// The same of disks, rects, capsules and polygons, some static, kinematic, filtered or sensors.
void qd_test_scatter_shapes(qd_world *world, qd_random *random, size_t count);

/// A monodisperse gas of nx * ny disks of radius 0.5 on a grid, no overlaps, 30 % of the area, normal
/// velocities of sigma 1; its size goes to the def.
void qd_test_gas_def(qd_world_def *def, size_t nx, size_t ny);
void qd_test_gas_fill(qd_world *world, size_t nx, size_t ny, uint64_t seed);

/// A hash of the present contacts and events, bit by bit.
uint64_t qd_test_events_hash(const qd_world *world);

/// Kinetic and potential energy.
double qd_test_energy(const qd_world *world);
/// All that is measured of a world.
qd_metrics qd_test_measure(const qd_world *world);
