#pragma once

#include <quadrille/view.h>

/// What is wrong with a view, in words, or NULL.
const char *qdi_view_check(const qd_view *view);

/// Whether the bodies' colours stand for the same in two views: what a frame of one has fixed (`auto`) holds
/// for the other, too.
bool qdi_view_same_scale(const qd_view *a, const qd_view *b);

/// The name of a stage.
typedef struct qdi_stage_name {
    char text[80];
} qdi_stage_name;

/// View: the name of stage `number` of its list `stages`; "" where there is none, or no list.
qdi_stage_name qdi_view_stage_name(const char *stages, uint64_t number);
