# SPDX-License-Identifier: BSD-3-Clause
# The programs of tests/mpi, in BUILD/tests: NAME-ompi, -mpich and -abi of each C program; of the Fortran ones -ompi, and
# -mpich4 where Debian's MPICH development files are there. tests/mpi/test_*.py start them.
set(QUADRILLE_TEST_PROGRAMS ${CMAKE_SOURCE_DIR}/tests/mpi/programs)

# Sees no MPI.
add_library(executed OBJECT ${QUADRILLE_TEST_PROGRAMS}/executed.c)
set_target_properties(executed PROPERTIES C_EXTENSIONS ON)

function(quadrille_test_program target)
  set_target_properties(${target} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/tests UNITY_BUILD OFF
                        Fortran_MODULE_DIRECTORY ${CMAKE_BINARY_DIR}/tests/${target}.modules)
  add_dependencies(quadrille-tests ${target})
endfunction()

# What a CUDA driver looks like to a process, with memory that the processor cannot read: no device is needed.
add_library(stand_in_driver MODULE ${QUADRILLE_TEST_PROGRAMS}/driver/stand_in_driver.c)
set_target_properties(stand_in_driver PROPERTIES LIBRARY_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/tests/driver
                      OUTPUT_NAME cuda SUFFIX .so.1 LINK_FLAGS -Wl,-soname,libcuda.so.1 C_EXTENSIONS ON
                      C_VISIBILITY_PRESET default)

# Only the launcher decides which MPI library a program finds: no path to one is built in.
function(quadrille_c_tests abi include_directory library)
  file(GLOB sources CONFIGURE_DEPENDS ${QUADRILLE_TEST_PROGRAMS}/*.c ${QUADRILLE_TEST_PROGRAMS}/*.cpp)
  list(FILTER sources EXCLUDE REGEX "/executed\\.c$")
  foreach(source ${sources})
    get_filename_component(name ${source} NAME_WE)
    add_executable(${name}-${abi} ${source} $<TARGET_OBJECTS:executed>)
    list(APPEND programs ${name}-${abi})
  endforeach()
  file(GLOB collectives CONFIGURE_DEPENDS ${QUADRILLE_TEST_PROGRAMS}/collectives/*.c)
  add_executable(collectives-${abi} ${collectives} $<TARGET_OBJECTS:executed>)
  # Preloaded, it has the MPI library contradict itself.
  add_library(liar-${abi} MODULE ${QUADRILLE_TEST_PROGRAMS}/liar/liar.c)
  set_target_properties(liar-${abi} PROPERTIES LIBRARY_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/tests C_EXTENSIONS ON
                        C_VISIBILITY_PRESET default)
  target_include_directories(liar-${abi} SYSTEM PRIVATE ${include_directory})
  target_link_libraries(liar-${abi} PRIVATE dl)
  add_dependencies(quadrille-tests liar-${abi})
  foreach(program ${programs} collectives-${abi})
    quadrille_test_program(${program})
    set_target_properties(${program} PROPERTIES C_EXTENSIONS ON SKIP_BUILD_RPATH TRUE)
    target_include_directories(${program} SYSTEM PRIVATE ${include_directory})
    target_compile_definitions(${program} PRIVATE OMPI_SKIP_MPICXX MPICH_SKIP_MPICXX)
    target_link_libraries(${program} PRIVATE ${library} Threads::Threads dl)
  endforeach()
endfunction()

function(quadrille_fortran_tests mpi include_directories libraries)
  set(fortran_mpif_definitions "")
  set(fortran_mpif_source fortran_mpif)
  set(fortran_use_mpi_definitions USE_MPI)
  set(fortran_use_mpi_source fortran_mpif)
  set(fortran_f08_definitions "")
  set(fortran_f08_source fortran_f08)
  set(fortran_topology_definitions "")
  set(fortran_topology_source fortran_topology)
  set(fortran_topology_f08_definitions USE_F08)
  set(fortran_topology_f08_source fortran_topology)
  # Open MPI 4 has no persistent collectives for Fortran: what is preloaded has them.
  set(fortran_nonblocking_definitions PERSISTENT)
  set(fortran_nonblocking_also "")
  if(mpi STREQUAL "ompi")
    list(APPEND fortran_nonblocking_definitions PRELOADED)
    set(fortran_nonblocking_also ${QUADRILLE_TEST_PROGRAMS}/preloaded/persistent_names.c)
  endif()
  set(fortran_nonblocking_source fortran_nonblocking)
  set(fortran_nonblocking_f08_definitions USE_F08)
  if(mpi STREQUAL "mpich4")
    list(APPEND fortran_nonblocking_f08_definitions SECTIONS PERSISTENT)
  endif()
  set(fortran_nonblocking_f08_source fortran_nonblocking)
  foreach(name fortran_mpif fortran_use_mpi fortran_f08 fortran_topology fortran_topology_f08 fortran_nonblocking
          fortran_nonblocking_f08)
    set(program ${name}-${mpi})
    add_executable(${program} ${QUADRILLE_TEST_PROGRAMS}/fortran_checks.f90
                   ${QUADRILLE_TEST_PROGRAMS}/${${name}_source}.f90 ${${name}_also} $<TARGET_OBJECTS:executed>)
    quadrille_test_program(${program})
    set_target_properties(${program} PROPERTIES SKIP_BUILD_RPATH TRUE)
    # mpif.h declares no choice buffers: arguments of unlike types are how it is used.
    set_target_properties(${program} PROPERTIES
      COMPILE_OPTIONS "-cpp;-ffree-line-length-none;-fallow-argument-mismatch;-w")
    target_compile_definitions(${program} PRIVATE ${${name}_definitions})
    target_include_directories(${program} PRIVATE ${include_directories})
    target_link_libraries(${program} PRIVATE ${libraries} dl)
  endforeach()
  set(module libfortran_module-${mpi})
  add_library(${module} MODULE ${QUADRILLE_TEST_PROGRAMS}/fortran_module.f90)
  set_target_properties(${module} PROPERTIES LIBRARY_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/tests PREFIX "" SUFFIX ""
                        COMPILE_OPTIONS "-fallow-argument-mismatch;-w" SKIP_BUILD_RPATH TRUE)
  target_include_directories(${module} PRIVATE ${include_directories})
  target_link_libraries(${module} PRIVATE ${libraries})
endfunction()

if(QUADRILLE_OMPI_INCLUDE AND QUADRILLE_OMPI_LIBRARY)
  quadrille_c_tests(ompi ${QUADRILLE_OMPI_INCLUDE} ${QUADRILLE_OMPI_LIBRARY})
endif()
if(QUADRILLE_MPICH_INCLUDE AND QUADRILLE_MPICH_LIBRARY)
  quadrille_c_tests(mpich ${QUADRILLE_MPICH_INCLUDE} ${QUADRILLE_MPICH_LIBRARY})
endif()
if(QUADRILLE_MPICH_INCLUDE AND QUADRILLE_ABI_LIBRARY)
  quadrille_c_tests(abi "${CMAKE_BINARY_DIR}/standard_abi;${QUADRILLE_MPICH_INCLUDE}" ${QUADRILLE_ABI_LIBRARY})
endif()

include(CheckLanguage)
check_language(Fortran)
if(CMAKE_Fortran_COMPILER)
  enable_language(Fortran)
  get_filename_component(ompi_libraries "${QUADRILLE_OMPI_LIBRARY}" DIRECTORY)
  find_library(QUADRILLE_OMPI_MPIFH mpi_mpifh HINTS ${ompi_libraries} NO_DEFAULT_PATH)
  find_library(QUADRILLE_OMPI_USEMPIF08 mpi_usempif08 HINTS ${ompi_libraries} NO_DEFAULT_PATH)
  find_library(QUADRILLE_OMPI_USEMPI mpi_usempi_ignore_tkr HINTS ${ompi_libraries} NO_DEFAULT_PATH)
  find_path(QUADRILLE_OMPI_MODULES mpi_f08.mod NO_DEFAULT_PATH HINTS ${ompi_libraries}
            /usr/lib/${CMAKE_LIBRARY_ARCHITECTURE}/fortran/gfortran-mod-15/openmpi)
  if(QUADRILLE_OMPI_MODULES AND QUADRILLE_OMPI_MPIFH AND QUADRILLE_OMPI_USEMPIF08 AND QUADRILLE_OMPI_USEMPI)
    quadrille_fortran_tests(ompi "${QUADRILLE_OMPI_INCLUDE};${QUADRILLE_OMPI_MODULES}"
      "${QUADRILLE_OMPI_USEMPIF08};${QUADRILLE_OMPI_USEMPI};${QUADRILLE_OMPI_MPIFH};${QUADRILLE_OMPI_LIBRARY}")
  endif()
  set(QUADRILLE_MPICH4_ROOT "/" CACHE PATH "Where Debian's libmpich-dev (4.0) is unpacked")
  set(mpich4_libraries ${QUADRILLE_MPICH4_ROOT}/usr/lib/${CMAKE_LIBRARY_ARCHITECTURE})
  find_path(QUADRILLE_MPICH4_INCLUDE mpif.h NO_DEFAULT_PATH
            HINTS ${QUADRILLE_MPICH4_ROOT}/usr/include/${CMAKE_LIBRARY_ARCHITECTURE}/mpich)
  find_library(QUADRILLE_MPICH4_FORTRAN mpichfort HINTS ${mpich4_libraries} NO_DEFAULT_PATH)
  find_library(QUADRILLE_MPICH4_LIBRARY mpich HINTS ${mpich4_libraries} NO_DEFAULT_PATH)
  if(QUADRILLE_MPICH4_INCLUDE AND QUADRILLE_MPICH4_FORTRAN AND QUADRILLE_MPICH4_LIBRARY)
    quadrille_fortran_tests(mpich4 ${QUADRILLE_MPICH4_INCLUDE}
      "${QUADRILLE_MPICH4_FORTRAN};${QUADRILLE_MPICH4_LIBRARY}")
  endif()
endif()
