// SPDX-License-Identifier: BSD-3-Clause
// The sizes of a parallel sort: n vectors of m doubles on p processes, of which each process has
// n/p, and exchanges n/p^2 with every process. N. Mistry et al., Throughput Studies on the
// InfiniBand Interconnect via All-to-All Communications, UMBC, tables 3.1, 4.1 and 4.3. Pure.
#pragma once

#include <cstdint>

#include "base/error.h"

namespace quadrille::bench {

struct SortSize {
  std::uint64_t vectors = 0;  // n
  std::uint64_t doubles = 0;  // m
  std::uint64_t processes = 1;

  std::uint64_t local_vectors() const { return vectors / processes; }
  std::uint64_t block_vectors() const { return local_vectors() / processes; }
  std::uint64_t vector_bytes() const { return doubles * sizeof(double); }
  // Of one array, `unsorted` or `sorted`: on all processes, on one, and what goes to one other.
  std::uint64_t global_bytes() const { return vectors * vector_bytes(); }
  std::uint64_t local_bytes() const { return local_vectors() * vector_bytes(); }
  std::uint64_t block_bytes() const { return block_vectors() * vector_bytes(); }
};

// The multiple of processes^2 that is nearest to `vectors`, at least one of them.
std::uint64_t nearest_vectors(std::uint64_t vectors, std::uint64_t processes);

// Refuses what cannot be sorted: no vectors or doubles, n that p^2 does not divide (it names the
// nearest that it does), more doubles of a process than MPI counts.
Result<SortSize> sort_size(std::uint64_t vectors, std::uint64_t doubles, std::uint64_t processes);

}  // namespace quadrille::bench
