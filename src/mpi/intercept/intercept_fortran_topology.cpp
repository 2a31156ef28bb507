// SPDX-License-Identifier: BSD-3-Clause
// The Fortran entries that create communicators with a topology: as those of C, see
// intercept_topology.cpp. The MPI library's own Fortran entry goes on with the arguments; only the
// communicator, the leave to reorder and neighbours that were handed over are others'.
#include <mpi.h>

#include "mpi/communicator/reordered_parent.h"
#include "mpi/intercept/fortran_binding.h"
#include "mpi/intercept/fortran_handles.h"
#include "mpi/intercept/fortran_names.h"
#include "mpi/intercept/fortran_weights.h"
#include "mpi/intercept/next.h"
#include "mpi/intercept/symbols.h"
#include "mpi/intercept/topology_arguments.h"

namespace quadrille {
namespace {

using Integers = const int*;  // one or an array

constexpr int kNotReordered = 0;  // .false. of every compiler

// LOGICALs are passed on as they are; only .false. has all bits 0.
bool may_reorder(Integers reorder) { return fortran_is_readable() && *reorder != 0; }

// mpi_f08 programs may leave the error argument out.
struct ErrorArgument {
  int* given;
  int code = MPI_SUCCESS;
  explicit ErrorArgument(int* user) : given(user) {}
  ErrorArgument(const ErrorArgument&) = delete;
  ErrorArgument& operator=(const ErrorArgument&) = delete;
  ~ErrorArgument() {
    if (given != nullptr) *given = code;
  }
};

// The handle that the MPI library's Fortran entry is to be called with.
struct Parent {
  Parent(const ReorderedParent& reordered, int given)
      : handle(reordered.gains() ? fortran_handle_of(reordered.handle()) : given),
        left_out(reordered.gains() && reordered.handle() == MPI_COMM_NULL) {}
  int handle;
  bool left_out;
};

// `next` calls the MPI library's entry with a communicator and a leave to reorder.
template <typename Next>
void create(const ReorderedParent& reordered, Integers comm, Integers reorder, int* made,
            const Next& next) {
  const Parent parent(reordered, *comm);
  if (parent.left_out) {
    *made = fortran_handle_of(MPI_COMM_NULL);
    return;
  }
  next(&parent.handle, reordered.decided() ? &kNotReordered : reorder);
}

template <FortranInterface, SymbolName symbol>
struct CartCreate {
  static void entry(Integers comm, Integers dimensions, Integers sizes, Integers periods,
                    Integers reorder, int* made, int* user_error) {
    ErrorArgument error(user_error);
    const auto parent =
        may_reorder(reorder)
            ? ReorderedParent::by_grid(communicator_of(comm), "MPI_Cart_create",
                                       grid_of(communicator_of(comm), *dimensions, sizes, periods))
            : ReorderedParent();
    create(parent, comm, reorder, made, [&](Integers on, Integers again) {
      reinterpret_cast<decltype(&entry)>(next_symbol<symbol>())(on, dimensions, sizes, periods,
                                                                again, made, &error.code);
    });
  }
};

template <FortranInterface, SymbolName symbol>
struct GraphCreate {
  static void entry(Integers comm, Integers nodes, Integers index, Integers edges, Integers reorder,
                    int* made, int* user_error) {
    ErrorArgument error(user_error);
    const auto parent =
        may_reorder(reorder)
            ? ReorderedParent::by_graph(communicator_of(comm), "MPI_Graph_create", *nodes,
                                        graph_edges_of(communicator_of(comm), *nodes, index, edges))
            : ReorderedParent();
    create(parent, comm, reorder, made, [&](Integers on, Integers again) {
      reinterpret_cast<decltype(&entry)>(next_symbol<symbol>())(on, nodes, index, edges, again,
                                                                made, &error.code);
    });
  }
};

template <FortranInterface interface, SymbolName symbol>
struct DistGraphCreate {
  static void entry(Integers comm, Integers sources, Integers source, Integers degrees,
                    Integers destinations, Integers weights, Integers info, Integers reorder,
                    int* made, int* user_error) {
    ErrorArgument error(user_error);
    const FortranWeights& constants = FortranWeights::of(interface);
    const auto ordered = [&] {
      const MPI_Comm handle = communicator_of(comm);
      return ReorderedParent::by_edges(
          handle, "MPI_Dist_graph_create",
          edges_of(handle, {*sources, source, degrees, destinations, constants.values(weights)}));
    };
    const auto parent = may_reorder(reorder) && constants.known() ? ordered() : ReorderedParent();
    create(parent, comm, reorder, made, [&](Integers on, Integers again) {
      reinterpret_cast<decltype(&entry)>(next_symbol<symbol>())(
          on, sources, source, degrees, destinations, weights, info, again, made, &error.code);
    });
  }
};

template <FortranInterface interface, SymbolName symbol>
struct DistGraphCreateAdjacent {
  static void entry(Integers comm, Integers sources, Integers source, Integers source_weights,
                    Integers destinations, Integers destination, Integers destination_weights,
                    Integers info, Integers reorder, int* made, int* user_error) {
    ErrorArgument error(user_error);
    const FortranWeights& constants = FortranWeights::of(interface);
    const auto next = [&](Integers on, const Neighbours& in, const Neighbours& out,
                          Integers again) {
      reinterpret_cast<decltype(&entry)>(next_symbol<symbol>())(
          on, &in.degree, in.ranks, in.weights, &out.degree, out.ranks, out.weights, info, again,
          made, &error.code);
    };
    if (may_reorder(reorder) && constants.known()) {
      const MPI_Comm handle = communicator_of(comm);
      const Neighbours in{*sources, source, constants.values(source_weights)};
      const Neighbours out{*destinations, destination, constants.values(destination_weights)};
      const auto edges = edges_to(handle, in) ? edges_to(handle, out) : std::nullopt;
      const auto parent =
          ReorderedParent::by_edges(handle, "MPI_Dist_graph_create_adjacent", edges);
      if (parent.gains()) {
        const auto now = Adjacency::handed_over(Adjacency(in, out), parent);
        const auto side = [&](bool outgoing, Integers given) {
          return Neighbours{now.degree(outgoing), now.ranks(outgoing),
                            constants.unweighted(given) ? given : now.weights(outgoing)};
        };
        const int on = fortran_handle_of(parent.handle());
        next(&on, side(false, source_weights), side(true, destination_weights), &kNotReordered);
        return;
      }
      if (parent.decided()) reorder = &kNotReordered;
    }
    next(comm, {*sources, source, source_weights},
         {*destinations, destination, destination_weights}, reorder);
  }
};

}  // namespace

void add_fortran_topology_symbols(SymbolTable& table) {
#define ADD_ONE(Binding, symbol, Entry) \
  table[symbol] = reinterpret_cast<void*>(&Entry<Binding::constants, symbol>::entry)
#define ADD(Entry, lower, upper) QUADRILLE_FORTRAN_NAMES(ADD_ONE, lower, upper, Entry)
  ADD(CartCreate, "cart_create", "CART_CREATE");
  ADD(GraphCreate, "graph_create", "GRAPH_CREATE");
  ADD(DistGraphCreate, "dist_graph_create", "DIST_GRAPH_CREATE");
  ADD(DistGraphCreateAdjacent, "dist_graph_create_adjacent", "DIST_GRAPH_CREATE_ADJACENT");
#undef ADD
#undef ADD_ONE
}

}  // namespace quadrille
