// SPDX-License-Identifier: BSD-3-Clause
// The table, and calls built from its rows.
#include "apps/bench/mpi/operations.h"

#include <algorithm>
#include <limits>

#include "apps/bench/mpi/operations_mixed.h"
#include "apps/bench/mpi/operations_moving.h"
#include "apps/bench/mpi/operations_nbody.h"
#include "apps/bench/mpi/operations_neighbors.h"
#include "apps/bench/mpi/operations_reducing.h"
#include "apps/bench/mpi/operations_sorting.h"
#include "schedule/collective.h"

namespace quadrille::bench {
namespace {

MPI_Datatype datatype_of(ElementType type) {
  switch (type) {
    case ElementType::byte:
      return MPI_BYTE;
    case ElementType::int32:
      return MPI_INT;
    case ElementType::float64:
      return MPI_DOUBLE;
  }
  return MPI_BYTE;
}

ElementType element_type_of(std::uint64_t bytes, ElementType wanted) {
  return bytes % size_of(wanted) == 0 ? wanted : ElementType::byte;
}

}  // namespace

const std::vector<Operation>& operations() {
  static const std::vector<Operation> rows = [] {
    auto all = moving_operations();
    for (const auto& more : {reducing_operations(), mixed_operations(), nbody_operations(),
                             sorting_operations(), neighboring_operations()})
      all.insert(all.end(), more.begin(), more.end());
    return all;
  }();
  return rows;
}

const Operation* operation_named(std::string_view name) {
  const auto& rows = operations();
  const auto found =
      std::find_if(rows.begin(), rows.end(), [&](const auto& row) { return row.name == name; });
  return found == rows.end() ? nullptr : &*found;
}

int uneven_count(int count, int one, int other) {
  return static_cast<int>(count * (1LL + (one + other) % 3) / 2);
}

std::function<std::uint64_t(Rank, Rank)> block_bytes_of(const Operation& operation, int count,
                                                        std::size_t type_bytes, int ranks) {
  const auto collective = collective_named(operation.name);
  if (!collective || !has_counts(*collective)) return {};
  if (operation.on_torus) {
    return [=](Rank from, Rank to) {
      const auto edges = std::ranges::count(torus_neighbors(ranks, from), to);
      return static_cast<std::uint64_t>(edges * count) * type_bytes;
    };
  }
  const bool of_pairs = *collective == Collective::alltoallv;
  const bool of_receivers =
      *collective == Collective::scatterv || *collective == Collective::reduce_scatter;
  return [=](Rank from, Rank to) {
    const int one = of_receivers ? to : from;
    return static_cast<std::uint64_t>(uneven_count(count, one, of_pairs ? to : 0)) * type_bytes;
  };
}

bool fits_in_counts(const Operation& operation, std::uint64_t bytes, ElementType type, int ranks) {
  const std::size_t size = size_of(element_type_of(bytes, type));
  std::uint64_t elements = bytes / size;
  const auto collective = collective_named(operation.name);
  // Displacements are counts, too; see uneven_count().
  if (collective && has_counts(*collective))
    elements = elements * 3 / 2 * static_cast<std::uint64_t>(ranks);
  return elements <= static_cast<std::uint64_t>(std::numeric_limits<int>::max());
}

Call make_call(const Operation& operation, const Shape& shape, MPI_Comm communicator) {
  Call call;
  call.communicator = communicator;
  PMPI_Comm_rank(communicator, &call.rank);
  PMPI_Comm_size(communicator, &call.ranks);
  call.root = shape.root;
  call.in_place = shape.in_place && operation.has_in_place;
  call.computing_scale = shape.computing_scale;
  call.sort = shape.sort;
  call.type = element_type_of(shape.bytes, shape.type);
  call.count = static_cast<int>(shape.bytes / size_of(call.type));
  call.datatype = datatype_of(call.type);
  call.operation = call.type == ElementType::byte ? MPI_BXOR : MPI_SUM;
  operation.prepare(call);
  return call;
}

}  // namespace quadrille::bench
