#pragma once

#include <quadrille/world.h>

#include "sim/world/bodies.h"

/// World's limits: checks what a body is given; a loaded one's numbers too.
QD_MUST_USE qd_status qdi_body_check(const qd_world *world, const qdi_placing *placing, qd_error *error);
/// World's limits: checks a material: NaN is fine, `what` names it.
QD_MUST_USE qd_status qdi_material_check(const qd_material *material, const char *what, qd_error *error);
/// The largest distance from the world's centre, per axis, and the square of the largest speed.
double qdi_limit_distance(const qd_limits *limits);
double qdi_limit_speed_squared(const qd_limits *limits);
/// The most pairs that so many bodies may have.
size_t qdi_limit_pairs(const qd_limits *limits, size_t bodies);
/// Reports that a body may not go from `now` to `next`; the step counter is still that of the step before.
void qdi_limit_report_body(qd_world *world, uint32_t row);
void qdi_limit_report_scaled(qd_world *world, uint32_t row);
/// Reports what no single body did, in a step.
void qdi_limit_report_pairs(qd_limit_report *report, uint64_t step, const qd_limits *limits);
void qdi_limit_report_walls(qd_limit_report *report, uint64_t step, const qd_limits *limits);
void qdi_limit_report_size(qd_limit_report *report, uint64_t step, const qd_limits *limits);
void qdi_limit_report_sums(qd_limit_report *report, uint64_t step);
/// Whether what is compressed at these rates is so across a seam: no static or kinematic body may be there.
bool qdi_compresses_seam(qd_vec2 rate, qd_boundary x, qd_boundary y);
