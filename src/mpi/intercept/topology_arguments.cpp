// SPDX-License-Identifier: BSD-3-Clause
// Checked as far as reading them safely and mapping by them needs.
#include "mpi/intercept/topology_arguments.h"

#include <cstdint>

namespace quadrille {
namespace {

int ranks_of(MPI_Comm comm) {
  int size = 0;
  return comm != MPI_COMM_NULL && PMPI_Comm_size(comm, &size) == MPI_SUCCESS ? size : 0;
}

bool is_rank(int rank, int size) { return rank >= 0 && rank < size; }

void append(std::vector<int>& numbers, const Neighbours& neighbours) {
  numbers.insert(numbers.end(), neighbours.ranks, neighbours.ranks + neighbours.degree);
  for (int i = 0; i < neighbours.degree; ++i)
    numbers.push_back(neighbours.weights == nullptr ? 1 : neighbours.weights[i]);
}

}  // namespace

std::optional<Grid> grid_of(MPI_Comm comm, int dimensions, const int* sizes, const int* periods) {
  if (dimensions < 1 || sizes == nullptr || periods == nullptr) return std::nullopt;
  Grid grid;
  std::int64_t cells = 1;
  for (int i = 0; i < dimensions; ++i) {
    cells *= sizes[i];
    if (sizes[i] < 1 || cells > ranks_of(comm)) return std::nullopt;
    grid.sizes.push_back(sizes[i]);
    grid.periodic.push_back(periods[i] != 0);
  }
  return grid;
}

std::optional<std::vector<Exchange>> graph_edges_of(MPI_Comm comm, int nodes, const int* index,
                                                    const int* edges) {
  if (nodes < 1 || nodes > ranks_of(comm) || index == nullptr || edges == nullptr)
    return std::nullopt;
  std::vector<Exchange> exchanges;
  int edge = 0;
  for (int node = 0; node < nodes; ++node) {
    if (index[node] < edge) return std::nullopt;
    for (; edge < index[node]; ++edge) {
      if (!is_rank(edges[edge], nodes)) return std::nullopt;
      exchanges.push_back({node, edges[edge], 1});
    }
  }
  return exchanges;
}

std::optional<std::vector<GraphEdge>> edges_of(MPI_Comm comm, const DistributedEdges& given) {
  const int ranks = ranks_of(comm);
  if (given.sources < 0) return std::nullopt;
  if (given.sources > 0 && (given.source == nullptr || given.degrees == nullptr))
    return std::nullopt;
  std::vector<GraphEdge> edges;
  std::size_t at = 0;
  for (int i = 0; i < given.sources; ++i) {
    if (!is_rank(given.source[i], ranks) || given.degrees[i] < 0) return std::nullopt;
    if (given.degrees[i] > 0 && given.destinations == nullptr) return std::nullopt;
    for (int k = 0; k < given.degrees[i]; ++k, ++at) {
      const int weight = given.weights == nullptr ? 1 : given.weights[at];
      if (!is_rank(given.destinations[at], ranks) || weight < 0) return std::nullopt;
      edges.push_back({given.source[i], given.destinations[at], weight});
    }
  }
  return edges;
}

std::optional<std::vector<GraphEdge>> edges_to(MPI_Comm comm, const Neighbours& to) {
  int rank = 0;
  if (ranks_of(comm) == 0) return std::nullopt;
  PMPI_Comm_rank(comm, &rank);
  const int degrees = to.degree;
  return edges_of(comm, {1, &rank, &degrees, to.ranks, to.weights});
}

Adjacency::Adjacency(const Neighbours& in, const Neighbours& out)
    : numbers_{in.degree, out.degree} {
  append(numbers_, in);
  append(numbers_, out);
}

Adjacency Adjacency::handed_over(const Adjacency& mine, const ReorderedParent& parent) {
  Adjacency theirs;
  theirs.numbers_ = parent.handed_over(mine.numbers_);
  return theirs;
}

}  // namespace quadrille
