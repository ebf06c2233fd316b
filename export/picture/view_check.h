#ifndef QD_EXPORT_VIEW_CHECK_H
#define QD_EXPORT_VIEW_CHECK_H

#include <quadrille/view.h>

/// What is wrong with a view, in words, or NULL.
const char *qdi_view_check(const qd_view *view);

#endif
