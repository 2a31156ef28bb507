# SPDX-License-Identifier: BSD-3-Clause
# quadrille_suites(TARGET PREFIX): one test for ctest of each suite of a GoogleTest program, named PREFIX.SUITE. Listed anew
# whenever the program is linked; a program that is not built is a test that cannot start.
#
# One of each case would start the program a thousand times, which costs more than most cases do.
add_custom_target(quadrille-tests)

function(quadrille_suites target prefix)
  add_dependencies(quadrille-tests ${target})
  if(CMAKE_CROSSCOMPILING)
    return()  # it cannot be asked for them here
  endif()
  set(list ${CMAKE_BINARY_DIR}/${target}_suites.cmake)
  if(NOT EXISTS ${list})
    file(WRITE ${list} "add_test(${prefix}.not_built ${target}_not_built)\n")
  endif()
  add_custom_command(TARGET ${target} POST_BUILD
                     COMMAND bash ${CMAKE_SOURCE_DIR}/cmake/list_suites.sh $<TARGET_FILE:${target}> ${prefix} ${list} VERBATIM)
  set_property(DIRECTORY APPEND PROPERTY TEST_INCLUDE_FILES ${list})
endfunction()
