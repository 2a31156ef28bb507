// SPDX-License-Identifier: BSD-3-Clause
// The processes of a communicator in the order in which a topology's ranks load the network least,
// for the creating calls that allow the MPI library to reorder. The call then goes to the MPI
// library with this communicator instead of the user's, and without leave to reorder.
//
// The rank 0 of the user's communicator maps and tells the others, so all act alike. It has
// the user's error handler, to hand it on; attributes, info and names are inherited by no
// communicator but a duplicate (MPI 4.1, 7.4.2, 7.7).
#pragma once

#include <mpi.h>

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "mapping/communication_graph.h"
#include "mapping/rank_mapping.h"

namespace quadrille {

// One edge that a process tells of a distributed graph; what travels between processes.
struct GraphEdge {
  int from = 0;
  int to = 0;
  int weight = 1;
};

class ReorderedParent {
 public:
  // All are collective over `parent`. `operation` is the call's name, for the log.
  // `grid` and `edges` are the same on all ranks, of `new_ranks` ranks of the topology; nothing:
  // the arguments cannot be read, the MPI library shall see them.
  static ReorderedParent by_grid(MPI_Comm parent, const char* operation,
                                 const std::optional<Grid>& grid);
  static ReorderedParent by_graph(MPI_Comm parent, const char* operation, int new_ranks,
                                  const std::optional<std::vector<Exchange>>& edges);
  // Each process gives the edges it knows, or nothing. Only where the user has asked for it: the
  // standard lets the nodes of the graph be remapped to other processes (MPI 4.1, 8.5.4), but Open
  // MPI 5 and many programs take a node for a process, whose neighbours stay the same processes
  // (https://github.com/open-mpi/ompi/issues/11756).
  static ReorderedParent by_edges(MPI_Comm parent, const char* operation,
                                  const std::optional<std::vector<GraphEdge>>& edges);

  ReorderedParent() = default;
  ReorderedParent(ReorderedParent&& other) noexcept;
  ReorderedParent& operator=(ReorderedParent&&) = delete;
  ~ReorderedParent();

  // Whether the ranks were mapped, be it that they stay: the MPI library shall not order them.
  bool decided() const { return decided_; }
  // Whether the call shall go on with this communicator: where an order is known that gains
  // something.
  bool gains() const { return !old_rank_.empty(); }
  // MPI_COMM_NULL in a process that has no place in the topology.
  MPI_Comm handle() const { return handle_; }

  // What the process that had this one's new rank as its old rank has as `mine`. Collective.
  // REQUIRES: gains(), and every process has a place.
  std::vector<int> handed_over(std::span<const int> mine) const;

 private:
  using Told = std::function<std::optional<RankMapping>(const TopologyView&)>;

  // `map` is asked on rank 0 only.
  static ReorderedParent told_by_rank_0(MPI_Comm parent, const char* operation, int new_ranks,
                                        const Told& map);

  MPI_Comm handle_ = MPI_COMM_NULL;
  bool decided_ = false;
  std::vector<int> old_rank_;  // [ranks of the parent], by new rank; empty: nothing gained
};

}  // namespace quadrille
