#pragma once

/// What the program was built from and how. CMake writes the values.
extern const char
    qdi_build_commit[]; ///< with "-dirty" where files differ from it; "unknown" outside a checkout
extern const char qdi_build_compiler[]; ///< "GNU 12.2.0"
extern const char qdi_build_flags[];
