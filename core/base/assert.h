#pragma once

/// Assertions are for our own bugs, never for bad input. QD_ASSERT costs O(1), QD_ASSERT_FULL may cost O(n).
/// Both are off in release builds.
#ifdef QD_DEBUG
#    include <stdio.h>
#    include <stdlib.h>
#    define QD_ASSERT(condition)                                                                             \
        ((condition) ? (void)0                                                                               \
                     : (fprintf(stderr, "%s:%d: broken: %s\n", __FILE__, __LINE__, #condition), abort()))
#    define QD_ASSERT_FULL(condition) QD_ASSERT(condition)
#else
#    define QD_ASSERT(condition)      ((void)0)
#    define QD_ASSERT_FULL(condition) ((void)0)
#endif
