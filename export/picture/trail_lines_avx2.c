// The lines of trails on processors with AVX2: the same source, for which a compiler finds longer vectors.
#ifdef __x86_64__
#    define TRAIL_LINES_GO qdi_trail_lines_go_avx2
#    include "export/picture/trail_lines_loops.h"
#endif
