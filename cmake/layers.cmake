# SPDX-License-Identifier: BSD-3-Clause
# quadrille_layer(FOLDER DEPENDENCIES... [ROOMS FOLDERS...]): a static library out of src/FOLDER/*.cpp, one test program out of its
# *_test.cpp, one benchmark program out of its *_benchmark.cpp; named after the folder, '_' for '/'. ROOMS are folders in
# it that belong to it.
#
# A target's files are compiled joined, ten at a time: most of a file's time goes into the standard headers and into what it
# instantiates of them, both of which are then done once. So names in anonymous namespaces of one folder must differ.
# Tests are compiled alone: many of their files call what they need alike, with other parameters, and an overload of another
# file's may fit better than what was meant. -DCMAKE_UNITY_BUILD=OFF compiles each file alone.
set(CMAKE_UNITY_BUILD ON CACHE BOOL "Compile the files of a target joined")
set(CMAKE_UNITY_BUILD_BATCH_SIZE 10)

function(quadrille_layer folder)
  string(REPLACE "/" "_" name ${folder})
  cmake_parse_arguments(PARSE_ARGV 1 layer "" "" ROOMS)
  set(dependencies ${layer_UNPARSED_ARGUMENTS})
  file(GLOB sources CONFIGURE_DEPENDS src/${folder}/*.cpp)
  foreach(room IN LISTS layer_ROOMS)
    file(GLOB in_room CONFIGURE_DEPENDS src/${folder}/${room}/*.cpp)
    list(APPEND sources ${in_room})
  endforeach()
  set(tests ${sources})
  list(FILTER tests INCLUDE REGEX "_test\\.cpp$")
  set(benchmarks ${sources})
  list(FILTER benchmarks INCLUDE REGEX "_benchmark\\.cpp$")
  list(FILTER sources EXCLUDE REGEX "_(test|benchmark)\\.cpp$")
  if(sources)
    add_library(quadrille_${name} STATIC ${sources})
    set(scope PUBLIC)
  else()
    add_library(quadrille_${name} INTERFACE)
    set(scope INTERFACE)
  endif()
  target_include_directories(quadrille_${name} ${scope} ${CMAKE_SOURCE_DIR}/src)
  target_link_libraries(quadrille_${name} ${scope} ${dependencies} Threads::Threads)
  if(tests AND QUADRILLE_TESTS)
    add_executable(quadrille_${name}_test ${tests})
    target_link_libraries(quadrille_${name}_test quadrille_${name} nlohmann_json::nlohmann_json GTest::gmock
                          GTest::gtest_main)
    # Tests need not be fast, but quick to compile: what each of them includes is parsed once. GCC 12 then warns of
    # its own std::string.
    target_compile_options(quadrille_${name}_test PRIVATE $<$<CONFIG:RelWithDebInfo>:-O1> -Wno-array-bounds
                           -Wno-stringop-overflow)
    target_compile_definitions(quadrille_${name}_test PRIVATE QUADRILLE_SOURCE_DIR="${CMAKE_SOURCE_DIR}")
    if(name STREQUAL base)
      target_precompile_headers(quadrille_${name}_test PRIVATE <gmock/gmock.h> <gtest/gtest.h> <algorithm> <deque>
                                <functional> <map> <nlohmann/json.hpp> <numeric> <optional> <random> <set> <span>
                                <unordered_map>)
    else()
      target_precompile_headers(quadrille_${name}_test REUSE_FROM quadrille_base_test)
    endif()
    set_target_properties(quadrille_${name}_test PROPERTIES UNITY_BUILD OFF)
    quadrille_suites(quadrille_${name}_test ${name})
  endif()
  if(benchmarks AND TARGET benchmark::benchmark)
    add_executable(quadrille_${name}_benchmark ${benchmarks})
    target_link_libraries(quadrille_${name}_benchmark quadrille_${name} benchmark::benchmark_main)
  endif()
endfunction()
