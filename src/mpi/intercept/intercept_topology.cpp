// SPDX-License-Identifier: BSD-3-Clause
// The C entries that create communicators with a topology. Where the program allows its ranks to be
// reordered, and an order is known that loads the network less, the MPI library builds the topology
// on the reordered processes; else the call goes on untouched.
#include <mpi.h>

#include <new>

#include "mpi/communicator/reordered_parent.h"
#include "mpi/intercept/next.h"
#include "mpi/intercept/symbols.h"
#include "mpi/intercept/topology_arguments.h"

namespace quadrille {
namespace {

int left_out(MPI_Comm* made) {
  *made = MPI_COMM_NULL;
  return MPI_SUCCESS;
}

const int* weights_of(const int* weights) {
  return weights == MPI_UNWEIGHTED || weights == MPI_WEIGHTS_EMPTY ? nullptr : weights;
}

template <bool profiling>
int cart_create(MPI_Comm comm, int dimensions, const int sizes[], const int periods[], int reorder,
                MPI_Comm* made) {
  if (reorder != 0) {
    const auto parent = ReorderedParent::by_grid(comm, "MPI_Cart_create",
                                                 grid_of(comm, dimensions, sizes, periods));
    if (parent.gains()) {
      if (parent.handle() == MPI_COMM_NULL) return left_out(made);
      return NEXT_OF(profiling, MPI_Cart_create)(parent.handle(), dimensions, sizes, periods, 0,
                                                 made);
    }
    if (parent.decided()) reorder = 0;
  }
  return NEXT_OF(profiling, MPI_Cart_create)(comm, dimensions, sizes, periods, reorder, made);
}

template <bool profiling>
int graph_create(MPI_Comm comm, int nodes, const int index[], const int edges[], int reorder,
                 MPI_Comm* made) {
  if (reorder != 0) {
    const auto parent = ReorderedParent::by_graph(comm, "MPI_Graph_create", nodes,
                                                  graph_edges_of(comm, nodes, index, edges));
    if (parent.gains()) {
      if (parent.handle() == MPI_COMM_NULL) return left_out(made);
      return NEXT_OF(profiling, MPI_Graph_create)(parent.handle(), nodes, index, edges, 0, made);
    }
    if (parent.decided()) reorder = 0;
  }
  return NEXT_OF(profiling, MPI_Graph_create)(comm, nodes, index, edges, reorder, made);
}

template <bool profiling>
int dist_graph_create(MPI_Comm comm, int sources, const int source[], const int degrees[],
                      const int destinations[], const int weights[], MPI_Info info, int reorder,
                      MPI_Comm* made) {
  if (reorder != 0) {
    const auto parent = ReorderedParent::by_edges(
        comm, "MPI_Dist_graph_create",
        edges_of(comm, {sources, source, degrees, destinations, weights_of(weights)}));
    // Edges name ranks of the topology: whoever tells them.
    if (parent.gains()) {
      return NEXT_OF(profiling, MPI_Dist_graph_create)(parent.handle(), sources, source, degrees,
                                                       destinations, weights, info, 0, made);
    }
    if (parent.decided()) reorder = 0;
  }
  return NEXT_OF(profiling, MPI_Dist_graph_create)(comm, sources, source, degrees, destinations,
                                                   weights, info, reorder, made);
}

template <bool profiling>
int dist_graph_create_adjacent(MPI_Comm comm, int sources, const int source[],
                               const int source_weights[], int destinations,
                               const int destination[], const int destination_weights[],
                               MPI_Info info, int reorder, MPI_Comm* made) {
  if (reorder != 0) {
    const Neighbours in{sources, source, weights_of(source_weights)};
    const Neighbours out{destinations, destination, weights_of(destination_weights)};
    // A process tells its own neighbours: both sides have to be readable to be handed over.
    const auto edges = edges_to(comm, in) ? edges_to(comm, out) : std::nullopt;
    const auto parent = ReorderedParent::by_edges(comm, "MPI_Dist_graph_create_adjacent", edges);
    if (parent.gains()) {
      const auto now = Adjacency::handed_over(Adjacency(in, out), parent);
      const auto weights = [&](const int* given, bool outgoing) {
        return given == MPI_UNWEIGHTED ? given : now.weights(outgoing);
      };
      return NEXT_OF(profiling, MPI_Dist_graph_create_adjacent)(
          parent.handle(), now.degree(false), now.ranks(false), weights(source_weights, false),
          now.degree(true), now.ranks(true), weights(destination_weights, true), info, 0, made);
    }
    if (parent.decided()) reorder = 0;
  }
  return NEXT_OF(profiling, MPI_Dist_graph_create_adjacent)(
      comm, sources, source, source_weights, destinations, destination, destination_weights, info,
      reorder, made);
}

// The entry itself, which returns MPI_ERR_NO_MEM instead of throwing std::bad_alloc.
template <auto entry>
struct Guarded;
template <typename... Arguments, int (*entry)(MPI_Comm, Arguments...)>
struct Guarded<entry> {
  static int call(MPI_Comm comm, Arguments... arguments) try {
    return entry(comm, arguments...);
  } catch (const std::bad_alloc&) {
    PMPI_Comm_call_errhandler(comm, MPI_ERR_NO_MEM);
    return MPI_ERR_NO_MEM;
  }
};

}  // namespace

void add_topology_symbols(SymbolTable& table) {
#define ADD(symbol, function)                                                 \
  table[#symbol] = reinterpret_cast<void*>(&Guarded<&function<false>>::call); \
  table["P" #symbol] = reinterpret_cast<void*>(&Guarded<&function<true>>::call)
  ADD(MPI_Cart_create, cart_create);
  ADD(MPI_Graph_create, graph_create);
  ADD(MPI_Dist_graph_create, dist_graph_create);
  ADD(MPI_Dist_graph_create_adjacent, dist_graph_create_adjacent);
#undef ADD
}

}  // namespace quadrille
