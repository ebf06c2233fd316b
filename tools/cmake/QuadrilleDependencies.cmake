# Finds every library we build on. A missing one stops the configuration with the name of its Debian package.
find_package(PkgConfig QUIET)
if(NOT PKG_CONFIG_FOUND)
  message(FATAL_ERROR "pkg-config is missing. On Debian: apt-get install pkg-config")
endif()

function(qd_need name module package)
  pkg_check_modules(${name} QUIET IMPORTED_TARGET ${module})
  if(NOT ${name}_FOUND)
    message(FATAL_ERROR "${module} is missing. On Debian: apt-get install ${package}")
  endif()
endfunction()

find_package(OpenMP QUIET COMPONENTS C)
if(NOT OpenMP_C_FOUND)
  message(FATAL_ERROR "OpenMP is missing for ${CMAKE_C_COMPILER}. On Debian: apt-get install libgomp1 (gcc) "
                      "or libomp-dev (clang)")
endif()
find_package(Threads REQUIRED)
qd_need(XXHASH libxxhash libxxhash-dev)
qd_need(YAML yaml-0.1 libyaml-dev)
qd_need(JANSSON jansson libjansson-dev)
qd_need(SQLITE "sqlite3>=3.35" libsqlite3-dev)
qd_need(PNG libpng libpng-dev)
qd_need(ZLIB zlib zlib1g-dev)
qd_need(DEFLATE libdeflate libdeflate-dev)
qd_need(FREETYPE freetype2 libfreetype-dev)
if(QD_BUILD_TESTS)
  qd_need(CHECK check check)
  find_path(QD_MPFR_INCLUDE mpfr.h)
  find_library(QD_MPFR_LIBRARY mpfr)
  find_library(QD_GMP_LIBRARY gmp)
  if(NOT QD_MPFR_INCLUDE OR NOT QD_MPFR_LIBRARY OR NOT QD_GMP_LIBRARY)
    message(FATAL_ERROR "MPFR is missing. On Debian: apt-get install libmpfr-dev")
  endif()
endif()

find_file(QD_FONT DejaVuSans.ttf PATHS /usr/share/fonts/truetype/dejavu /usr/share/fonts/dejavu /usr/share/fonts/TTF
          NO_DEFAULT_PATH)
if(NOT QD_FONT)
  message(FATAL_ERROR "DejaVuSans.ttf is missing. On Debian: apt-get install fonts-dejavu-core "
                      "(elsewhere: -DQD_FONT=/path/to/DejaVuSans.ttf)")
endif()

# The charts of a report.
find_path(QD_DYGRAPHS_FOLDER dygraph.min.js PATHS /usr/share/javascript/dygraphs NO_DEFAULT_PATH)
set(QD_DYGRAPHS "${QD_DYGRAPHS_FOLDER}/dygraph.min.js")
set(QD_DYGRAPHS_STYLE "${QD_DYGRAPHS_FOLDER}/dygraph.min.css")
if(NOT EXISTS "${QD_DYGRAPHS}" OR NOT EXISTS "${QD_DYGRAPHS_STYLE}")
  message(FATAL_ERROR "dygraphs is missing. On Debian: apt-get install libjs-dygraphs "
                      "(elsewhere: -DQD_DYGRAPHS_FOLDER=/path/to/its/dist)")
endif()
