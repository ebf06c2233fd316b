# The tests of the core alone, with what is there: the example always, the others where check is there, `math` where MPFR is too.
if(NOT CHECK_FOUND)
  set(qd_core_tests "")
elseif(NOT QD_MPFR_INCLUDE OR NOT QD_MPFR_LIBRARY OR NOT QD_GMP_LIBRARY)
  list(REMOVE_ITEM qd_core_tests math)
endif()
if(CHECK_FOUND)
  add_library(quadrille_test_support STATIC support/harness.c support/tree_rig.c support/tree_scenes.c)
  target_include_directories(quadrille_test_support PUBLIC "${PROJECT_SOURCE_DIR}" "$<$<BOOL:${QD_MPFR_INCLUDE}>:${QD_MPFR_INCLUDE}>")
  target_link_libraries(
    quadrille_test_support
    PUBLIC quadrille_core PkgConfig::CHECK Threads::Threads
    PRIVATE quadrille_flags)
endif()
foreach(name IN LISTS qd_core_tests)
  add_executable(test_${name} ${qd_test_file_${name}})
  target_link_libraries(test_${name} PRIVATE quadrille_test_support quadrille_flags PkgConfig::XXHASH)
  add_test(NAME ${name} COMMAND test_${name})
  set_tests_properties(${name} PROPERTIES TIMEOUT 1800)
endforeach()
if(TARGET test_math)
  target_link_libraries(test_math PRIVATE ${QD_MPFR_LIBRARY} ${QD_GMP_LIBRARY})
endif()

add_executable(example_tree "${PROJECT_SOURCE_DIR}/docs/example_tree.c")
target_link_libraries(example_tree PRIVATE quadrille_core quadrille_flags)
add_test(NAME example_tree COMMAND example_tree)
