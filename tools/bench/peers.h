#pragma once

#include "tools/bench/method.h"
#include "tools/bench/rigid.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Other people's libraries as methods of the bench. Each exists only where its library was found when this
/// was built; QD_HAVE_BOX2D (2.4), QD_HAVE_BOX2D3, QD_HAVE_CHIPMUNK and QD_HAVE_CGAL say so
/// (tools/cmake/QuadrillePeers.cmake).

extern const qdi_bench_method qdi_bench_box2d;         ///< where QD_HAVE_BOX2D is defined
extern const qdi_bench_method qdi_bench_chipmunk_tree; ///< where QD_HAVE_CHIPMUNK is defined
extern const qdi_bench_method qdi_bench_chipmunk_hash; ///< where QD_HAVE_CHIPMUNK is defined
extern const qdi_bench_method qdi_bench_cgal;          ///< where QD_HAVE_CGAL is defined

/// Whole steps of rigid bodies (rigid.h); Chipmunk's with either broad phase.
extern const qdi_rigid_method qdi_rigid_box2d;         ///< where QD_HAVE_BOX2D3 is defined
extern const qdi_rigid_method qdi_rigid_chipmunk_hash; ///< where QD_HAVE_CHIPMUNK is defined
extern const qdi_rigid_method qdi_rigid_chipmunk_tree; ///< where QD_HAVE_CHIPMUNK is defined

#ifdef __cplusplus
}
#endif
