#ifndef QUADRILLE_QUADRILLE_H
#define QUADRILLE_QUADRILLE_H

// All of the library. Each header stands alone too.
#include <quadrille/alloc.h>
#include <quadrille/api.h>
#include <quadrille/body.h>
#include <quadrille/box.h>
#include <quadrille/brute.h>
#include <quadrille/compare.h>
#include <quadrille/compression.h>
#include <quadrille/contact.h>
#include <quadrille/emitter.h>
#include <quadrille/force.h>
#include <quadrille/frame.h>
#include <quadrille/hash.h>
#include <quadrille/math.h>
#include <quadrille/metrics.h>
#include <quadrille/near.h>
#include <quadrille/pairs.h>
#include <quadrille/profile.h>
#include <quadrille/query.h>
#include <quadrille/random.h>
#include <quadrille/ray.h>
#include <quadrille/rundir.h>
#include <quadrille/scene.h>
#include <quadrille/shape.h>
#include <quadrille/simd.h>
#include <quadrille/spring.h>
#include <quadrille/status.h>
#include <quadrille/still.h>
#include <quadrille/store.h>
#include <quadrille/team.h>
#include <quadrille/trajectory.h>
#include <quadrille/tree.h>
#include <quadrille/vec.h>
#include <quadrille/video.h>
#include <quadrille/video_settings.h>
#include <quadrille/view.h>
#include <quadrille/world.h>

#endif
