# One interface target carries the flags that every file of ours is compiled with.
#
# Results must not depend on the compiler or the optimization level, so a product and a sum are never fused behind
# our back (-ffp-contract=off) and no flag may trade exactness for speed.
foreach(flag IN ITEMS -ffast-math -Ofast -funsafe-math-optimizations -ffp-contract=fast -fassociative-math)
  string(TOUPPER "${CMAKE_BUILD_TYPE}" qd_type)
  if(" ${CMAKE_C_FLAGS} ${CMAKE_C_FLAGS_${qd_type}} " MATCHES " ${flag} ")
    message(FATAL_ERROR "${flag} is set: it changes results. Take it out of CMAKE_C_FLAGS.")
  endif()
endforeach()

set(QD_SANITIZE "" CACHE STRING "Sanitizers to build with, as in -fsanitize=LIST")

include(CheckCSourceCompiles)
add_library(quadrille_flags INTERFACE)
target_compile_options(
  quadrille_flags
  INTERFACE -ffp-contract=off
            -fno-math-errno
            -Wall
            -Wextra
            -Wshadow
            -Wconversion
            -Wsign-conversion
            -Wdouble-promotion
            -Wpointer-arith
            -Wcast-qual
            -Wstrict-prototypes
            -Wmissing-prototypes
            -Wvla
            -Wundef)
# gcc fuses a product and a sum in spite of -ffp-contract=off where it makes one vector instruction of code that
# subtracts in one lane and adds in the next (seen with gcc 12), once the flags given allow FMA. So it makes none there; the
# kernels, which have vectors of their own, do not suffer.
if(CMAKE_C_COMPILER_ID STREQUAL "GNU")
  check_c_source_compiles("
#ifndef __FMA__
#error none
#endif
int main(void) { return 0; }" QD_FLAGS_HAVE_FMA)
  if(QD_FLAGS_HAVE_FMA)
    target_compile_options(quadrille_flags INTERFACE -fno-tree-vectorize)
  endif()
endif()
# A float is computed as a float. ISO C lets gcc for s390x use double for what lies between, and that of an x87 does.
set(qd_float_test "
#include <float.h>
_Static_assert(FLT_EVAL_METHOD == 0, \"wider\");
int main(void) { return 0; }")
set(CMAKE_REQUIRED_FLAGS "-std=c17")
check_c_source_compiles("${qd_float_test}" QD_FLAGS_FLOAT_IS_FLOAT)
if(NOT QD_FLAGS_FLOAT_IS_FLOAT)
  set(CMAKE_REQUIRED_FLAGS "-std=c17 -fexcess-precision=fast")
  check_c_source_compiles("${qd_float_test}" QD_FLAGS_FLOAT_CAN_BE_FLOAT)
  if(NOT QD_FLAGS_FLOAT_CAN_BE_FLOAT)
    message(FATAL_ERROR "${CMAKE_C_COMPILER} computes floats with more digits (FLT_EVAL_METHOD): results would be others.")
  endif()
  target_compile_options(quadrille_flags INTERFACE -fexcess-precision=fast)
endif()
unset(CMAKE_REQUIRED_FLAGS)
if(QD_WERROR)
  target_compile_options(quadrille_flags INTERFACE -Werror)
endif()
if(QD_SANITIZE)
  target_compile_options(quadrille_flags INTERFACE -fsanitize=${QD_SANITIZE} -fno-omit-frame-pointer
                                                   -fno-sanitize-recover=all)
  target_link_options(quadrille_flags INTERFACE -fsanitize=${QD_SANITIZE})
endif()
