# The bench's peers: other people's libraries, each a method of `quadrille bench` where it is found. None is needed.
# Debian: apt-get install libbox2d-dev chipmunk-dev libcgal-dev g++. CGAL's part is under the GPL, so a program built
# with it may be passed on under the GPL only; -DQD_PEERS="box2d;chipmunk" leaves it out, -DQD_PEERS= leaves out all.
#
# How to use it: the top CMakeLists.txt includes this file before the folders (C++, where it is needed, counts for the
# folder that enables it and those below it), after QuadrilleFlags. Then tools/CMakeLists.txt, below quadrille_tools,
# says
#   qd_add_peers(quadrille_peers bench/peer_box2d.cpp bench/peer_chipmunk.c ... bench/peer_cgal.cpp)
#   target_link_libraries(quadrille_tools PUBLIC quadrille_peers)
# The library exists in any case. Whoever links it is compiled with QD_HAVE_BOX2D, QD_HAVE_CHIPMUNK and QD_HAVE_CGAL
# (=1), as they were found, and may use what tools/bench/peers.h declares.
set(QD_PEERS "box2d;chipmunk;cgal" CACHE STRING "Peers of the bench to look for")
set(qd_peers_found "")
set(qd_peers_missing "")

# The C++ compiler that belongs to the C compiler: sanitizers and OpenMP must be of one kind in a program.
if(QD_PEERS MATCHES "box2d|cgal" AND NOT CMAKE_CXX_COMPILER)
  unset(CMAKE_CXX_COMPILER CACHE) # it may have been installed since
  if(CMAKE_C_COMPILER_ID MATCHES "Clang" AND NOT DEFINED ENV{CXX})
    get_filename_component(qd_cc "${CMAKE_C_COMPILER}" NAME)
    get_filename_component(qd_cc_folder "${CMAKE_C_COMPILER}" DIRECTORY)
    string(REPLACE "clang" "clang++" qd_cxx "${qd_cc}")
    find_program(CMAKE_CXX_COMPILER "${qd_cxx}" HINTS "${qd_cc_folder}" NO_CACHE)
  else()
    include(CheckLanguage)
    set(qd_log_level "${CMAKE_MESSAGE_LOG_LEVEL}")
    set(CMAKE_MESSAGE_LOG_LEVEL NOTICE) # it says nothing that the line below does not say
    check_language(CXX)
    set(CMAKE_MESSAGE_LOG_LEVEL "${qd_log_level}")
  endif()
endif()

# Each is looked for by the header and the library that its package installs.
foreach(peer IN LISTS QD_PEERS)
  set(qd_peer_reason "")
  if(peer STREQUAL "box2d")
    find_path(QD_BOX2D_INCLUDE box2d/b2_dynamic_tree.h) # 2.4; version 3 has another interface
    find_library(QD_BOX2D_LIBRARY box2d)
    set(qd_peer_needs QD_BOX2D_INCLUDE QD_BOX2D_LIBRARY CMAKE_CXX_COMPILER)
  elseif(peer STREQUAL "chipmunk")
    find_path(QD_CHIPMUNK_INCLUDE chipmunk/chipmunk.h)
    find_library(QD_CHIPMUNK_LIBRARY chipmunk)
    set(qd_peer_needs QD_CHIPMUNK_INCLUDE QD_CHIPMUNK_LIBRARY)
  elseif(peer STREQUAL "cgal")
    find_path(QD_CGAL_INCLUDE CGAL/box_intersection_d.h)
    find_path(QD_BOOST_INCLUDE boost/config.hpp)
    set(qd_peer_needs QD_CGAL_INCLUDE QD_BOOST_INCLUDE CMAKE_CXX_COMPILER)
  else()
    message(FATAL_ERROR "QD_PEERS: there is no peer '${peer}'; there are box2d, chipmunk and cgal")
  endif()
  foreach(need IN LISTS qd_peer_needs)
    if(NOT ${need})
      set(qd_peer_reason missing)
    endif()
  endforeach()
  if(qd_peer_reason)
    list(APPEND qd_peers_missing "${peer}")
  else()
    list(APPEND qd_peers_found "${peer}")
  endif()
endforeach()

if("box2d" IN_LIST qd_peers_found OR "cgal" IN_LIST qd_peers_found)
  enable_language(CXX)
  set(CMAKE_CXX_STANDARD 17)
  set(CMAKE_CXX_STANDARD_REQUIRED ON)
  set(CMAKE_CXX_EXTENSIONS OFF)
  set(CMAKE_CXX_VISIBILITY_PRESET hidden)
  set(CMAKE_CXX_FLAGS_RELEASE "-O3 -DNDEBUG") # without the foreign headers' own checks
  set(CMAKE_CXX_FLAGS_RELWITHDEBINFO "-O2 -g -DNDEBUG")
endif()
list(JOIN qd_peers_found ", " qd_peers_text)
if(qd_peers_text STREQUAL "")
  set(qd_peers_text "none")
endif()
if(qd_peers_missing)
  list(JOIN qd_peers_missing ", " qd_peers_rest)
  string(APPEND qd_peers_text "; not found: ${qd_peers_rest}")
endif()
message(STATUS "Peers of the bench: ${qd_peers_text}")

# qd_add_peers(TARGET SOURCES...): a static library of those sources peer_<name>[_<part>].c or .cpp whose peer was found; one
# without any code where none was.
function(qd_add_peers target)
  set(chosen "")
  foreach(source IN LISTS ARGN)
    get_filename_component(name "${source}" NAME_WE)
    string(REGEX REPLACE "^peer_([^_]+).*" "\\1" name "${name}")
    if(name IN_LIST qd_peers_found)
      list(APPEND chosen "${source}")
    endif()
  endforeach()
  if(NOT chosen)
    add_library(${target} INTERFACE)
    return()
  endif()

  add_library(${target} STATIC ${chosen})
  target_include_directories(${target} PUBLIC "${PROJECT_SOURCE_DIR}")
  target_link_libraries(${target} PRIVATE quadrille_tools) # each needs the other: lineage.c is there
  # Our own flags; two of them are for C alone. Foreign headers are system headers, which are not warned about.
  get_target_property(options quadrille_flags INTERFACE_COMPILE_OPTIONS)
  list(REMOVE_ITEM options -Wstrict-prototypes -Wmissing-prototypes)
  target_compile_options(${target} PRIVATE ${options})
  foreach(name IN LISTS qd_peers_found)
    string(TOUPPER "${name}" peer)
    target_compile_definitions(${target} PUBLIC QD_HAVE_${peer}=1)
    target_include_directories(${target} SYSTEM PRIVATE "${QD_${peer}_INCLUDE}")
    if(QD_${peer}_LIBRARY)
      target_link_libraries(${target} PRIVATE "${QD_${peer}_LIBRARY}")
    endif()
  endforeach()
  if("box2d" IN_LIST qd_peers_found)
    target_compile_definitions(${target} PRIVATE B2_SHARED)
  endif()
  if("cgal" IN_LIST qd_peers_found)
    target_include_directories(${target} SYSTEM PRIVATE "${QD_BOOST_INCLUDE}")
  endif()
endfunction()
