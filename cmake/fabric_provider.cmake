# SPDX-License-Identifier: BSD-3-Clause
# libquadrille-fi.so, which libfabric loads out of FI_PROVIDER_PATH: compiled against libfabric's headers and linked to
# whichever libfabric.so.1 the process has loaded.
find_path(QUADRILLE_FABRIC_INCLUDE rdma/providers/fi_prov.h)
find_library(QUADRILLE_FABRIC_LIBRARY NAMES libfabric.so.1)
if(NOT QUADRILLE_FABRIC_INCLUDE OR NOT QUADRILLE_FABRIC_LIBRARY)
  message(WARNING "libfabric's headers are missing: no libfabric provider")
  return()
endif()

file(GLOB provider_sources CONFIGURE_DEPENDS src/fabric/provider/*.cpp)
set(provider_tests ${provider_sources})
list(FILTER provider_tests INCLUDE REGEX "_test\\.cpp$")
list(FILTER provider_sources EXCLUDE REGEX "_test\\.cpp$")
# Compiled once for the library and its tests.
add_library(quadrille_fabric_provider OBJECT ${provider_sources})
target_include_directories(quadrille_fabric_provider PUBLIC src)
target_include_directories(quadrille_fabric_provider SYSTEM PUBLIC ${QUADRILLE_FABRIC_INCLUDE})
target_link_libraries(quadrille_fabric_provider PUBLIC quadrille_fabric ${QUADRILLE_FABRIC_LIBRARY})

add_library(quadrille-fi SHARED)
set_target_properties(quadrille-fi PROPERTIES BUILD_RPATH "$ORIGIN" LINKER_LANGUAGE CXX)
target_link_libraries(quadrille-fi PRIVATE quadrille_fabric_provider)

if(NOT QUADRILLE_TESTS)
  return()
endif()
add_executable(quadrille_fabric_provider_test ${provider_tests})
target_compile_options(quadrille_fabric_provider_test PRIVATE $<$<CONFIG:RelWithDebInfo>:-O1>)
# Where memory ends: failed_allocation_test.cpp.
target_link_options(quadrille_fabric_provider_test PRIVATE -Wl,--wrap=calloc -Wl,--wrap=strdup)
target_link_libraries(quadrille_fabric_provider_test quadrille_fabric_provider GTest::gtest_main)
quadrille_suites(quadrille_fabric_provider_test fabric_provider)
