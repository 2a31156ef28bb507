// SPDX-License-Identifier: BSD-3-Clause
// Which Quadrille and which MPI library this is.
#pragma once

#include <mpi.h>

#include <array>
#include <string>

namespace quadrille {

inline constexpr char version[] = QUADRILLE_VERSION;

// The first line of what the MPI library calls itself.
inline std::string library_version() {
  std::array<char, MPI_MAX_LIBRARY_VERSION_STRING> text{};
  int length = 0;
  PMPI_Get_library_version(text.data(), &length);
  const std::string whole(text.data());
  return whole.substr(0, whole.find_first_of("\n,"));
}

}  // namespace quadrille
