# What is installed: the program with its manual pages and completions, the library as one file, shared and static, its
# headers, and the files by which pkg-config and CMake find it. Nothing is compiled again for it: the library is made of the
# floors' objects. With QD_CORE_ONLY it is the library alone, under the same name: those of its headers that core has.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

# Before 1.0 a minor version may change the binary interface.
if(PROJECT_VERSION_MAJOR EQUAL 0)
  set(qd_soversion "0.${PROJECT_VERSION_MINOR}")
else()
  set(qd_soversion "${PROJECT_VERSION_MAJOR}")
endif()

# The floors that the library is made of, and the libraries that these need: name of the target=name for pkg-config.
set(qd_floors core)
set(qd_libraries core)
set(qd_parts XXHASH=libxxhash)
if(NOT QD_CORE_ONLY)
  list(APPEND qd_floors sim export)
  list(APPEND qd_libraries sim run export)
  list(APPEND qd_parts YAML=yaml-0.1 SQLITE=sqlite3 PNG=libpng ISAL=libisal ZLIB=zlib FREETYPE=freetype2)
endif()
list(TRANSFORM qd_libraries REPLACE "(.+)" "$<TARGET_OBJECTS:quadrille_\\1>" OUTPUT_VARIABLE qd_objects)
list(TRANSFORM qd_parts REPLACE "=.*" "" OUTPUT_VARIABLE qd_part_targets)
list(TRANSFORM qd_part_targets PREPEND "PkgConfig::")
list(TRANSFORM qd_parts REPLACE ".*=" "" OUTPUT_VARIABLE qd_part_modules)
list(JOIN qd_parts " " qd_parts_text)
list(JOIN qd_part_modules " " qd_part_modules_text)

foreach(kind IN ITEMS shared static)
  string(TOUPPER "${kind}" qd_library_type)
  add_library(quadrille_${kind} ${qd_library_type} ${qd_objects})
  set_target_properties(
    quadrille_${kind}
    PROPERTIES OUTPUT_NAME quadrille
               EXPORT_NAME ${kind}
               LINKER_LANGUAGE C
               VERSION ${PROJECT_VERSION}
               SOVERSION ${qd_soversion})
  target_include_directories(quadrille_${kind} INTERFACE "$<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>")
  target_link_libraries(quadrille_${kind} PRIVATE OpenMP::OpenMP_C Threads::Threads ${qd_part_targets} m)
  if(QD_SANITIZE)
    target_link_options(quadrille_${kind} PRIVATE -fsanitize=${QD_SANITIZE})
  endif()
endforeach()

install(
  TARGETS quadrille_shared quadrille_static
  EXPORT quadrille
  LIBRARY DESTINATION "${CMAKE_INSTALL_LIBDIR}"
  ARCHIVE DESTINATION "${CMAKE_INSTALL_LIBDIR}")
foreach(floor IN LISTS qd_floors)
  install(DIRECTORY "${PROJECT_SOURCE_DIR}/${floor}/include/quadrille" DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}")
endforeach()
install(FILES "${PROJECT_SOURCE_DIR}/README.md" "${PROJECT_SOURCE_DIR}/CHANGELOG.md" "${PROJECT_SOURCE_DIR}/SECURITY.md" "${PROJECT_SOURCE_DIR}/LICENSE"
        DESTINATION "${CMAKE_INSTALL_DOCDIR}")
install(DIRECTORY "${PROJECT_SOURCE_DIR}/docs/" DESTINATION "${CMAKE_INSTALL_DOCDIR}/docs" PATTERN "man" EXCLUDE)

# For CMake: find_package(quadrille), targets quadrille::quadrille (shared) and quadrille::static.
set(qd_config_folder "${CMAKE_INSTALL_LIBDIR}/cmake/quadrille")
configure_package_config_file(
  "${CMAKE_CURRENT_LIST_DIR}/quadrille-config.cmake.in" "${PROJECT_BINARY_DIR}/quadrille-config.cmake"
  INSTALL_DESTINATION "${qd_config_folder}"
  NO_SET_AND_CHECK_MACRO)
write_basic_package_version_file("${PROJECT_BINARY_DIR}/quadrille-config-version.cmake"
                                 COMPATIBILITY SameMinorVersion)
install(EXPORT quadrille NAMESPACE quadrille:: FILE quadrille-targets.cmake DESTINATION "${qd_config_folder}")
install(FILES "${PROJECT_BINARY_DIR}/quadrille-config.cmake" "${PROJECT_BINARY_DIR}/quadrille-config-version.cmake"
        DESTINATION "${qd_config_folder}")

# For pkg-config. Paths are relative to the file, so that the installed tree can be moved.
file(RELATIVE_PATH qd_pc_prefix "/prefix/${CMAKE_INSTALL_LIBDIR}/pkgconfig" "/prefix")
string(REGEX REPLACE "/$" "" qd_pc_prefix "${qd_pc_prefix}")
configure_file("${CMAKE_CURRENT_LIST_DIR}/quadrille.pc.in" "${PROJECT_BINARY_DIR}/quadrille.pc" @ONLY)
install(FILES "${PROJECT_BINARY_DIR}/quadrille.pc" DESTINATION "${CMAKE_INSTALL_LIBDIR}/pkgconfig")

if(QD_CORE_ONLY)
  return()
endif()

install(TARGETS quadrille RUNTIME DESTINATION "${CMAKE_INSTALL_BINDIR}")
if(QD_MPI)
  install(TARGETS quadrille_mpi RUNTIME DESTINATION "${CMAKE_INSTALL_BINDIR}")
endif()
install(DIRECTORY "${PROJECT_SOURCE_DIR}/sim/scenes" DESTINATION "${CMAKE_INSTALL_DATADIR}/quadrille"
        FILES_MATCHING PATTERN "*.yaml")

# The module for Python, where Debian's python3 looks below the prefix: /usr, $HOME/.local and others have different places.
# Which prefix it is, is known when it is installed.
find_program(QD_PYTHON NAMES python3 PATHS /usr/bin NO_DEFAULT_PATH)
set(qd_python_version python3)
if(QD_PYTHON)
  execute_process(COMMAND "${QD_PYTHON}" -c "import sys; print('python%d.%d' % sys.version_info[:2])"
                  OUTPUT_VARIABLE qd_python_version OUTPUT_STRIP_TRAILING_WHITESPACE)
endif()
install(CODE "
  set(folder \"lib/${qd_python_version}/dist-packages\")
  if(CMAKE_INSTALL_PREFIX STREQUAL \"/usr\")
    set(folder lib/python3/dist-packages)
  elseif(CMAKE_INSTALL_PREFIX STREQUAL \"\$ENV{HOME}/.local\")
    set(folder \"lib/${qd_python_version}/site-packages\")
  endif()
  file(INSTALL DESTINATION \"\${CMAKE_INSTALL_PREFIX}/\${folder}\" TYPE DIRECTORY
       FILES \"${PROJECT_SOURCE_DIR}/tools/python/quadrille\" FILES_MATCHING PATTERN \"*.py\" PATTERN __pycache__ EXCLUDE)")

# Manual pages and completions are written by a program of ours from the tables that the commands are parsed by.
set(qd_manual_folder "${PROJECT_BINARY_DIR}/manual")
file(GLOB qd_manual_texts CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/docs/man/*.txt")
add_custom_command(
  OUTPUT "${qd_manual_folder}/done"
  COMMAND "${CMAKE_COMMAND}" -E rm -rf "${qd_manual_folder}"
  COMMAND "${CMAKE_COMMAND}" -E make_directory "${qd_manual_folder}/man1" "${qd_manual_folder}/man5"
  COMMAND quadrille_manual "${PROJECT_SOURCE_DIR}/docs/man" "${qd_manual_folder}" $<$<BOOL:${QD_MPI}>:mpi>
  COMMAND "${CMAKE_COMMAND}" -E touch "${qd_manual_folder}/done"
  DEPENDS quadrille_manual ${qd_manual_texts}
  COMMAND_EXPAND_LISTS VERBATIM)
add_custom_target(quadrille_pages ALL DEPENDS "${qd_manual_folder}/done")
# All that `cmake --install` copies, and no tests: a tree in which less is built cannot be installed.
add_custom_target(quadrille_installed DEPENDS quadrille quadrille_shared quadrille_static quadrille_pages)
install(DIRECTORY "${qd_manual_folder}/man1" "${qd_manual_folder}/man5" DESTINATION "${CMAKE_INSTALL_MANDIR}")
install(FILES "${qd_manual_folder}/quadrille.bash" RENAME quadrille
        DESTINATION "${CMAKE_INSTALL_DATADIR}/bash-completion/completions")
install(FILES "${qd_manual_folder}/_quadrille" DESTINATION "${CMAKE_INSTALL_DATADIR}/zsh/vendor-completions")
install(FILES "${qd_manual_folder}/quadrille.fish" DESTINATION "${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d")

# `cpack` in the build folder makes a Debian package.
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME quadrille)
set(CPACK_PACKAGE_VENDOR "The Quadrille authors")
set(CPACK_PACKAGE_CONTACT "The Quadrille authors")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "2D collision simulation on many cores: program and library")
set(CPACK_PACKAGE_DESCRIPTION
    "Quadrille moves disks, rects, capsules and polygons, finds what touches through a quadtree that is kept up to date, and \
writes frames and a database of each run. Results are the same for any number of threads. This package has the program \
quadrille, the C library and its headers.")
set(CPACK_PACKAGING_INSTALL_PREFIX "/usr")
set(CPACK_STRIP_FILES ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION science)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_GENERATE_SHLIBS ON)
set(CPACK_DEBIAN_PACKAGE_RECOMMENDS "ffmpeg, gnuplot-nox")
set(CPACK_DEBIAN_PACKAGE_SUGGESTS "libpng-dev, zlib1g-dev, libisal-dev, libfreetype-dev, libyaml-dev, libsqlite3-dev, libxxhash-dev")
include(CPack)
