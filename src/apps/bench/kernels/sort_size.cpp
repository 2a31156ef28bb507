// SPDX-License-Identifier: BSD-3-Clause
// Arithmetic of the sizes, and what is refused.
#include "apps/bench/kernels/sort_size.h"

#include <algorithm>
#include <limits>
#include <string>

namespace quadrille::bench {
namespace {

// Counts and offsets of MPI_Alltoallv are ints, here of doubles.
constexpr std::uint64_t kMostDoubles = std::numeric_limits<int>::max();

Error refused(const std::string& message) { return {ErrorKind::invalid_argument, message}; }

}  // namespace

std::uint64_t nearest_vectors(std::uint64_t vectors, std::uint64_t processes) {
  const std::uint64_t square = processes * processes;
  return std::max<std::uint64_t>((vectors + square / 2) / square, 1) * square;
}

Result<SortSize> sort_size(std::uint64_t vectors, std::uint64_t doubles, std::uint64_t processes) {
  if (processes == 0) return refused("a sort on 0 processes: start at least one");
  if (doubles == 0) return refused("m = 0: vectors need at least one double, which is their key");
  const std::uint64_t square = processes * processes;
  if (vectors == 0 || vectors % square != 0) {
    return refused(
        "n = " + std::to_string(vectors) + " vectors on p = " + std::to_string(processes) +
        " processes: p^2 = " + std::to_string(square) + " has to divide n; the nearest such n is " +
        std::to_string(nearest_vectors(vectors, processes)));
  }
  const SortSize size{.vectors = vectors, .doubles = doubles, .processes = processes};
  if (doubles > kMostDoubles || size.local_vectors() > kMostDoubles / doubles) {
    return refused("n = " + std::to_string(vectors) + ", m = " + std::to_string(doubles) +
                   ": a process has more than 2^31 - 1 doubles, which MPI_Alltoallv cannot count; "
                   "lower m or n, or start more processes than " +
                   std::to_string(processes));
  }
  return size;
}

}  // namespace quadrille::bench
