# SPDX-License-Identifier: BSD-3-Clause
# quadrille_aegis: libaegis (MIT), as scripts/fetch_libaegis.sh has put it there, without what it exports, so that a
# program's own is another. Each instruction set has a file, which says for itself what it is compiled for.
set(QUADRILLE_LIBAEGIS ${CMAKE_SOURCE_DIR}/.libaegis/0.3.1 CACHE PATH "Sources of libaegis")
if(NOT EXISTS ${QUADRILLE_LIBAEGIS}/include/aegis.h)
  message(FATAL_ERROR "There is no libaegis in ${QUADRILLE_LIBAEGIS}: `make .libaegis/0.3.1/LICENSE` fetches it")
endif()
set(aegis_sources)
foreach(room common aegis128l aegis128x2 aegis128x4 aegis256 aegis256x2 aegis256x4)
  file(GLOB in_room ${QUADRILLE_LIBAEGIS}/${room}/*.c)
  list(APPEND aegis_sources ${in_room})
endforeach()
add_library(quadrille_aegis STATIC ${aegis_sources})
set_target_properties(quadrille_aegis PROPERTIES UNITY_BUILD OFF C_EXTENSIONS ON)
target_include_directories(quadrille_aegis SYSTEM PUBLIC ${QUADRILLE_LIBAEGIS}/include)
target_include_directories(quadrille_aegis PRIVATE ${QUADRILLE_LIBAEGIS}/common)
# Another project's code, whose warnings are not ours.
target_compile_options(quadrille_aegis PRIVATE -O3 -w)
