// Trails on processors with AVX2: the same source, for which a compiler finds longer vectors.
#ifdef __x86_64__
#    define TRAIL_TILE_ADD qdi_trail_tile_add_avx2
#    include "export/raster/trail_lanes.h"
#endif
