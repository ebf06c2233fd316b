#ifndef QUADRILLE_VEC_H
#define QUADRILLE_VEC_H
#include <quadrille/api.h>

QD_BEGIN_DECLS

/// A point or direction of the world, float64. x points right, y up.
typedef struct qd_vec2 {
    double x, y;
} qd_vec2;

QD_END_DECLS

#endif
