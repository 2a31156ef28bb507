// SPDX-License-Identifier: BSD-3-Clause
// The arguments of the topology constructors as data, the same from C and from Fortran, whose
// LOGICALs are false where all bits are 0 with every compiler. Nothing where the MPI library would
// refuse them, or where there is nothing to order.
#pragma once

#include <mpi.h>

#include <optional>
#include <vector>

#include "mpi/communicator/reordered_parent.h"

namespace quadrille {

std::optional<Grid> grid_of(MPI_Comm comm, int dimensions, const int* sizes, const int* periods);

std::optional<std::vector<Exchange>> graph_edges_of(MPI_Comm comm, int nodes, const int* index,
                                                    const int* edges);

// What MPI_Dist_graph_create takes. `weights` null: all 1.
struct DistributedEdges {
  int sources = 0;
  const int* source = nullptr;
  const int* degrees = nullptr;
  const int* destinations = nullptr;
  const int* weights = nullptr;
};
std::optional<std::vector<GraphEdge>> edges_of(MPI_Comm comm, const DistributedEdges& given);

// One side of what MPI_Dist_graph_create_adjacent takes. `weights` null: all 1.
struct Neighbours {
  int degree = 0;
  const int* ranks = nullptr;
  const int* weights = nullptr;
};
// The edges from this process to `to`: those that come in are told where they go out.
std::optional<std::vector<GraphEdge>> edges_to(MPI_Comm comm, const Neighbours& to);

// The neighbours of another rank, as handed over to the process that takes its place.
class Adjacency {
 public:
  // REQUIRES: degrees not negative.
  Adjacency(const Neighbours& in, const Neighbours& out);

  // Those of the process whose place this one takes. Collective. Its arrays are never null.
  static Adjacency handed_over(const Adjacency& mine, const ReorderedParent& parent);

  int degree(bool out) const { return numbers_[out ? 1 : 0]; }
  const int* ranks(bool out) const { return numbers_.data() + 2 + (out ? 2 * numbers_[0] : 0); }
  const int* weights(bool out) const { return ranks(out) + degree(out); }

 private:
  Adjacency() = default;
  std::vector<int> numbers_;  // both degrees; sources, their weights; destinations, their weights
};

}  // namespace quadrille
