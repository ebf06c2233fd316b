# The bench's peers: other people's libraries, each a method of `quadrille bench` where it is found. None is needed.
# Debian: apt-get install libbox2d-dev chipmunk-dev libcgal-dev g++ (Box2D 2.4, for its tree). Box2D 3.2, for whole steps, is not
# packaged there: -DCMAKE_PREFIX_PATH=<where it is installed> or -Dbox2d_DIR=<its lib/cmake/box2d>. CGAL's part is under the GPL, so a program built
# with it may be passed on under the GPL only; -DQD_PEERS="box2d;box2d3;chipmunk" leaves it out, -DQD_PEERS= leaves out all.
#
# How to use it: the top CMakeLists.txt includes this file before the folders (C++, where it is needed, counts for the
# folder that enables it and those below it), after QuadrilleFlags. Then tools/CMakeLists.txt, below quadrille_tools,
# says
#   qd_add_peers(quadrille_peers bench/peer_box2d.cpp bench/peer_box2d3.c bench/peer_chipmunk.c ... bench/peer_cgal.cpp)
#   target_link_libraries(quadrille_tools PUBLIC quadrille_peers)
# The library exists in any case. Whoever links it is compiled with QD_HAVE_BOX2D, QD_HAVE_BOX2D3, QD_HAVE_CHIPMUNK and
# QD_HAVE_CGAL (=1), as they were found, and may use what tools/bench/peers.h declares.
set(QD_PEERS "box2d;box2d3;chipmunk;cgal" CACHE STRING "Peers of the bench to look for")
set(qd_peers_found "")
set(qd_peers_missing "")

# The C++ compiler that belongs to the C compiler: sanitizers and OpenMP must be of one kind in a program.
if(QD_PEERS MATCHES "box2d(;|$)|cgal" AND NOT CMAKE_CXX_COMPILER)
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

# Before 3.2 Box2D has no threads of its own. It comes first: its library has the name of 2.4's, which is not to be taken for it.
set(qd_box2d3_library "")
if("box2d3" IN_LIST QD_PEERS)
  find_package(box2d 3.2 CONFIG QUIET)
  if(TARGET box2d::box2d)
    get_target_property(qd_box2d3_library box2d::box2d LOCATION)
  endif()
endif()
function(qd_is_box2d_24 result candidate)
  if(candidate STREQUAL qd_box2d3_library)
    set(${result} FALSE PARENT_SCOPE)
  endif()
endfunction()

# The others are looked for by the header and the library that their packages install.
foreach(peer IN LISTS QD_PEERS)
  set(qd_peer_reason "")
  if(peer STREQUAL "box2d")
    find_path(QD_BOX2D_INCLUDE box2d/b2_dynamic_tree.h) # 2.4; version 3 has another interface
    find_library(QD_BOX2D_LIBRARY box2d VALIDATOR qd_is_box2d_24)
    set(qd_peer_needs QD_BOX2D_INCLUDE QD_BOX2D_LIBRARY CMAKE_CXX_COMPILER)
  elseif(peer STREQUAL "box2d3")
    set(qd_peer_needs qd_box2d3_library)
  elseif(peer STREQUAL "chipmunk")
    find_path(QD_CHIPMUNK_INCLUDE chipmunk/chipmunk.h)
    find_library(QD_CHIPMUNK_LIBRARY chipmunk)
    set(qd_peer_needs QD_CHIPMUNK_INCLUDE QD_CHIPMUNK_LIBRARY)
  elseif(peer STREQUAL "cgal")
    find_path(QD_CGAL_INCLUDE CGAL/box_intersection_d.h)
    find_path(QD_BOOST_INCLUDE boost/config.hpp)
    set(qd_peer_needs QD_CGAL_INCLUDE QD_BOOST_INCLUDE CMAKE_CXX_COMPILER)
  else()
    message(FATAL_ERROR "QD_PEERS: there is no peer '${peer}'; there are box2d, box2d3, chipmunk and cgal")
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

# qd_add_peers(TARGET SOURCES...): a static library TARGET_<name> of the sources peer_<name>[_<part>].c or .cpp of each peer that
# was found, and TARGET, which stands for all of them. Each has the headers of its own peer only: two of them have box2d/box2d.h.
function(qd_add_peers target)
  add_library(${target} INTERFACE)
  get_target_property(options quadrille_flags INTERFACE_COMPILE_OPTIONS)
  list(REMOVE_ITEM options -Wstrict-prototypes -Wmissing-prototypes) # for C alone
  foreach(name IN LISTS qd_peers_found)
    set(sources ${ARGN})
    list(FILTER sources INCLUDE REGEX "(^|/)peer_${name}[_.]")
    set(library ${target}_${name})
    string(TOUPPER "${name}" peer)
    add_library(${library} STATIC ${sources})
    target_include_directories(${library} PUBLIC "${PROJECT_SOURCE_DIR}")
    target_link_libraries(${library} PRIVATE quadrille_tools) # each needs the other: lineage.c is there
    target_compile_options(${library} PRIVATE ${options})
    # Foreign headers are system headers, which are not warned about.
    if(QD_${peer}_INCLUDE)
      target_include_directories(${library} SYSTEM PRIVATE "${QD_${peer}_INCLUDE}")
    endif()
    if(QD_${peer}_LIBRARY)
      target_link_libraries(${library} PRIVATE "${QD_${peer}_LIBRARY}")
    endif()
    target_compile_definitions(${target} INTERFACE QD_HAVE_${peer}=1)
    target_link_libraries(${target} INTERFACE ${library})
  endforeach()
  if("box2d" IN_LIST qd_peers_found)
    target_compile_definitions(${target}_box2d PRIVATE B2_SHARED)
  endif()
  if("box2d3" IN_LIST qd_peers_found)
    target_link_libraries(${target}_box2d3 PRIVATE box2d::box2d)
  endif()
  if("cgal" IN_LIST qd_peers_found)
    target_include_directories(${target}_cgal SYSTEM PRIVATE "${QD_BOOST_INCLUDE}")
  endif()
endfunction()
