// SPDX-License-Identifier: BSD-3-Clause
// In a Cartesian dimension of one or two processes that is periodic, the neighbours on both sides
// are the same process. By the standard (MPI 4.1, 8.6) what is sent to the lower side arrives from
// the upper one. Not all libraries do so in all their calls; a program gets what it would get from
// its own.
#include "mpi/communicator/neighbourhood.h"

#include <array>
#include <cstddef>
#include <utility>

#include "mpi/job/runtime.h"

namespace quadrille {
namespace {

int exchange(MPI_Comm comm, bool nonblocking, const std::array<int, 2>& sent,
             std::array<int, 2>& received) {
  if (!nonblocking)
    return PMPI_Neighbor_alltoall(sent.data(), 1, MPI_INT, received.data(), 1, MPI_INT, comm);
  MPI_Request request = MPI_REQUEST_NULL;
  const int code =
      PMPI_Ineighbor_alltoall(sent.data(), 1, MPI_INT, received.data(), 1, MPI_INT, comm, &request);
  return code == MPI_SUCCESS ? PMPI_Wait(&request, MPI_STATUS_IGNORE) : code;
}

// This process is its own neighbour on both sides of a ring.
bool sides_are_crossed(bool nonblocking) {
  constexpr std::array size{1};
  constexpr std::array is_periodic{1};
  MPI_Comm ring = MPI_COMM_NULL;
  if (PMPI_Cart_create(Runtime::active()->self_shadow(), 1, size.data(), is_periodic.data(), 0,
                       &ring) != MPI_SUCCESS)
    return true;
  constexpr std::array sent{0, 1};
  std::array received{1, 0};
  exchange(ring, nonblocking, sent, received);
  PMPI_Comm_free(&ring);
  return received[0] == 1;
}

bool library_crosses(bool nonblocking) {
  static const bool blocking_calls = sides_are_crossed(false);
  static const bool nonblocking_calls = sides_are_crossed(true);
  return nonblocking ? nonblocking_calls : blocking_calls;
}

std::vector<Neighbour> in_order(const std::vector<int>& ranks) {
  std::vector<Neighbour> neighbours;
  for (std::size_t i = 0; i < ranks.size(); ++i) {
    if (ranks[i] != MPI_PROC_NULL) neighbours.push_back({ranks[i], static_cast<int>(i)});
  }
  return neighbours;
}

Neighbourhood neighbours_of(const std::vector<int>& sources, const std::vector<int>& targets) {
  return {in_order(targets), in_order(sources), static_cast<int>(targets.size()),
          static_cast<int>(sources.size())};
}

Neighbourhood on_grid(MPI_Comm comm, bool in_nonblocking_calls) {
  int dimensions = 0;
  PMPI_Cartdim_get(comm, &dimensions);
  std::vector<int> ranks;
  for (int dimension = 0; dimension < dimensions; ++dimension) {
    int lower = MPI_PROC_NULL;
    int upper = MPI_PROC_NULL;
    PMPI_Cart_shift(comm, dimension, 1, &lower, &upper);
    ranks.push_back(lower);
    ranks.push_back(upper);
  }
  Neighbourhood found = neighbours_of(ranks, ranks);
  if (!library_crosses(in_nonblocking_calls)) return found;
  for (std::size_t i = 0; i + 1 < found.sources.size(); ++i) {
    Neighbour& lower = found.sources[i];
    Neighbour& upper = found.sources[i + 1];
    const bool is_one_dimension = lower.block % 2 == 0 && upper.block == lower.block + 1;
    if (is_one_dimension && lower.rank == upper.rank) std::swap(lower.block, upper.block), ++i;
  }
  return found;
}

Neighbourhood on_graph(MPI_Comm comm) {
  int rank = 0;
  int number = 0;
  PMPI_Comm_rank(comm, &rank);
  PMPI_Graph_neighbors_count(comm, rank, &number);
  std::vector<int> ranks(static_cast<std::size_t>(number));
  PMPI_Graph_neighbors(comm, rank, number, ranks.data());
  return neighbours_of(ranks, ranks);
}

Neighbourhood on_distributed_graph(MPI_Comm comm) {
  int sources_number = 0;
  int targets_number = 0;
  int is_weighted = 0;
  PMPI_Dist_graph_neighbors_count(comm, &sources_number, &targets_number, &is_weighted);
  std::vector<int> sources(static_cast<std::size_t>(sources_number));
  std::vector<int> targets(static_cast<std::size_t>(targets_number));
  std::vector<int> source_weights(sources.size());
  std::vector<int> target_weights(targets.size());
  PMPI_Dist_graph_neighbors(comm, sources_number, sources.data(),
                            is_weighted != 0 ? source_weights.data() : MPI_UNWEIGHTED,
                            targets_number, targets.data(),
                            is_weighted != 0 ? target_weights.data() : MPI_UNWEIGHTED);
  return neighbours_of(sources, targets);
}

}  // namespace

std::optional<Neighbourhood> neighbourhood_on(MPI_Comm comm, bool in_nonblocking_calls) {
  int topology = MPI_UNDEFINED;
  if (PMPI_Topo_test(comm, &topology) != MPI_SUCCESS) return std::nullopt;
  if (topology == MPI_CART) return on_grid(comm, in_nonblocking_calls);
  if (topology == MPI_GRAPH) return on_graph(comm);
  if (topology == MPI_DIST_GRAPH) return on_distributed_graph(comm);
  return std::nullopt;
}

}  // namespace quadrille
