# SPDX-License-Identifier: BSD-3-Clause
# One core library, one benchmark program, one prober, one ping-pong, exchanges of messages, solvers and a soak for each MPI ABI whose mpi.h is found. The core is compiled
# against that header and linked to no MPI library: its undefined symbols are those of the library that the process has
# loaded, which the shim has made global before.
#
# QUADRILLE_MPI_DIR holds the MPIs that the Makefile installs, each in a folder of its own.
set(QUADRILLE_MPI_DIR ${CMAKE_SOURCE_DIR}/.mpi CACHE PATH "Folder of the installed MPI environments")

function(quadrille_mpi_abi abi include_directory library extra_definitions)
  file(GLOB core_sources CONFIGURE_DEPENDS src/mpi/*/*.cpp)
  list(FILTER core_sources EXCLUDE REGEX "_test\\.cpp$|/mpi/fake/")
  add_library(quadrille-${abi} SHARED ${core_sources})
  target_include_directories(quadrille-${abi} PRIVATE src)
  target_include_directories(quadrille-${abi} SYSTEM PRIVATE ${include_directory})
  set_target_properties(quadrille-${abi} PROPERTIES BUILD_RPATH "$ORIGIN")
  target_compile_definitions(quadrille-${abi} PRIVATE QUADRILLE_VERSION="${PROJECT_VERSION}" ${extra_definitions})
  target_link_libraries(quadrille-${abi} PRIVATE quadrille_planner quadrille_mapping quadrille_executor quadrille_probe_measure
                        quadrille_trace)

  file(GLOB bench_sources CONFIGURE_DEPENDS src/apps/bench/mpi/*.cpp src/apps/bench_main.cpp src/mpi/start/clock_alignment.cpp)
  add_executable(quadrille-bench-${abi} ${bench_sources})
  target_include_directories(quadrille-bench-${abi} SYSTEM PRIVATE ${include_directory})
  target_compile_definitions(quadrille-bench-${abi} PRIVATE QUADRILLE_VERSION="${PROJECT_VERSION}" ${extra_definitions})
  target_link_libraries(quadrille-bench-${abi} PRIVATE quadrille_apps_bench CLI11::CLI11 ${library} dl)

  file(GLOB prober_sources CONFIGURE_DEPENDS src/apps/probe/mpi/*.cpp)
  add_executable(quadrille-probe-${abi} src/apps/probe_main.cpp ${prober_sources} src/mpi/start/mpi_control_channel.cpp)
  target_include_directories(quadrille-probe-${abi} SYSTEM PRIVATE ${include_directory})
  target_compile_definitions(quadrille-probe-${abi} PRIVATE QUADRILLE_VERSION="${PROJECT_VERSION}" ${extra_definitions})
  target_link_libraries(quadrille-probe-${abi} PRIVATE quadrille_apps_probe ${library})

  add_executable(quadrille-pingpong-${abi} src/apps/pingpong_main.cpp src/apps/pingpong/mpi/mpi_way.cpp)
  target_include_directories(quadrille-pingpong-${abi} SYSTEM PRIVATE ${include_directory})
  target_compile_definitions(quadrille-pingpong-${abi} PRIVATE ${extra_definitions})
  target_link_libraries(quadrille-pingpong-${abi} PRIVATE quadrille_apps_pingpong quadrille_fabric
                        nlohmann_json::nlohmann_json CLI11::CLI11 ${library})

  add_executable(quadrille-messages-${abi} src/apps/messages_main.cpp)
  target_include_directories(quadrille-messages-${abi} SYSTEM PRIVATE ${include_directory})
  target_compile_definitions(quadrille-messages-${abi} PRIVATE ${extra_definitions})
  target_link_libraries(quadrille-messages-${abi} PRIVATE quadrille_apps_messages nlohmann_json::nlohmann_json ${library})

  file(GLOB solver_sources CONFIGURE_DEPENDS src/apps/solvers/mpi/*.cpp)
  add_executable(quadrille-solver-${abi} src/apps/solver_main.cpp ${solver_sources})
  target_include_directories(quadrille-solver-${abi} SYSTEM PRIVATE ${include_directory})
  target_compile_definitions(quadrille-solver-${abi} PRIVATE ${extra_definitions})
  target_link_libraries(quadrille-solver-${abi} PRIVATE quadrille_apps_solvers quadrille_apps_bench
                        nlohmann_json::nlohmann_json CLI11::CLI11 ${library})

  add_executable(quadrille-soak-${abi} src/apps/soak_main.cpp src/apps/soak/mpi/traffic.cpp)
  target_include_directories(quadrille-soak-${abi} SYSTEM PRIVATE ${include_directory})
  target_compile_definitions(quadrille-soak-${abi} PRIVATE ${extra_definitions})
  target_link_libraries(quadrille-soak-${abi} PRIVATE quadrille_apps_soak nlohmann_json::nlohmann_json CLI11::CLI11
                        ${library})
endfunction()

# Open MPI 4 and 5 share one ABI (libmpi.so.40): compiled against Debian's 4.1.
find_path(QUADRILLE_OMPI_INCLUDE mpi.h
          HINTS /usr/lib/${CMAKE_LIBRARY_ARCHITECTURE}/openmpi/include NO_DEFAULT_PATH)
find_library(QUADRILLE_OMPI_LIBRARY mpi HINTS /usr/lib/${CMAKE_LIBRARY_ARCHITECTURE}/openmpi/lib NO_DEFAULT_PATH)
if(QUADRILLE_OMPI_INCLUDE AND QUADRILLE_OMPI_LIBRARY)
  quadrille_mpi_abi(ompi ${QUADRILLE_OMPI_INCLUDE} ${QUADRILLE_OMPI_LIBRARY} OMPI_SKIP_MPICXX)
  if(TARGET benchmark::benchmark)
    add_executable(quadrille-call-benchmark src/apps/call_benchmark.cpp)
    target_include_directories(quadrille-call-benchmark SYSTEM PRIVATE ${QUADRILLE_OMPI_INCLUDE})
    target_compile_definitions(quadrille-call-benchmark PRIVATE OMPI_SKIP_MPICXX)
    target_link_libraries(quadrille-call-benchmark PRIVATE benchmark::benchmark ${QUADRILLE_OMPI_LIBRARY})
  endif()
else()
  message(WARNING "Open MPI's mpi.h is missing: no library for its ABI")
endif()

# MPICH and Intel MPI share one ABI (libmpi.so.12); MPICH 5 brings the standard ABI too.
find_path(QUADRILLE_MPICH_INCLUDE mpi.h HINTS ${QUADRILLE_MPI_DIR}/mpich/include NO_DEFAULT_PATH)
find_library(QUADRILLE_MPICH_LIBRARY NAMES libmpi.so.12 HINTS ${QUADRILLE_MPI_DIR}/mpich/lib NO_DEFAULT_PATH)
find_library(QUADRILLE_ABI_LIBRARY NAMES libmpi_abi.so.1 HINTS ${QUADRILLE_MPI_DIR}/mpich/lib NO_DEFAULT_PATH)
if(QUADRILLE_MPICH_INCLUDE AND QUADRILLE_MPICH_LIBRARY)
  quadrille_mpi_abi(mpich ${QUADRILLE_MPICH_INCLUDE} ${QUADRILLE_MPICH_LIBRARY} MPICH_SKIP_MPICXX)
else()
  message(WARNING "MPICH's mpi.h is missing: no library for its ABI (run `make build`)")
endif()
if(QUADRILLE_MPICH_INCLUDE AND QUADRILLE_ABI_LIBRARY)
  file(WRITE ${CMAKE_BINARY_DIR}/standard_abi/mpi.h "#include <mpi_abi.h>\n")
  quadrille_mpi_abi(abi "${CMAKE_BINARY_DIR}/standard_abi;${QUADRILLE_MPICH_INCLUDE}" ${QUADRILLE_ABI_LIBRARY} MPICH_SKIP_MPICXX)
endif()
