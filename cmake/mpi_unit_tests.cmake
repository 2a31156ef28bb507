# SPDX-License-Identifier: BSD-3-Clause
# Unit tests of src/mpi, on a fake MPI library within the process (src/mpi/fake), compiled against MPICH's mpi.h. The
# test program holds the core's objects, and loads the core library once a rank.
if(NOT TARGET quadrille-mpich)
  return()
endif()

file(GLOB fake_sources CONFIGURE_DEPENDS src/mpi/fake/*.cpp)
file(GLOB mpi_unit_tests CONFIGURE_DEPENDS src/mpi/*/*_test.cpp)
list(APPEND mpi_unit_tests ${fake_sources})
list(REMOVE_DUPLICATES mpi_unit_tests)
add_executable(quadrille_mpi_test ${mpi_unit_tests} $<TARGET_OBJECTS:quadrille-mpich>)
target_include_directories(quadrille_mpi_test PRIVATE src)
target_include_directories(quadrille_mpi_test SYSTEM PRIVATE ${QUADRILLE_MPICH_INCLUDE})
target_compile_definitions(quadrille_mpi_test PRIVATE MPICH_SKIP_MPICXX
                           QUADRILLE_CORE_LIBRARY="$<TARGET_FILE:quadrille-mpich>")
target_compile_options(quadrille_mpi_test PRIVATE $<$<CONFIG:RelWithDebInfo>:-O1>)
# The copies of the core library find the fake's functions in the program.
target_link_options(quadrille_mpi_test PRIVATE -Wl,--export-dynamic-symbol=PMPI_* -Wl,--export-dynamic-symbol=MPI_*)
set_target_properties(quadrille_mpi_test PROPERTIES UNITY_BUILD OFF CXX_VISIBILITY_PRESET default)
target_link_libraries(quadrille_mpi_test PRIVATE quadrille_planner quadrille_mapping quadrille_executor
                      quadrille_probe_measure quadrille_trace GTest::gtest_main ${CMAKE_DL_LIBS})
add_dependencies(quadrille_mpi_test quadrille-mpich)
quadrille_suites(quadrille_mpi_test mpi)
