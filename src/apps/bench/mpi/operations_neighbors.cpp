// SPDX-License-Identifier: BSD-3-Clause
// Blocks are keyed (call, source, destination).
#include "apps/bench/mpi/operations_neighbors.h"

namespace quadrille::bench {
namespace {

// As square as the ranks allow; ranks count along the second dimension first, as MPI's do.
std::array<int, 2> torus_sides(int ranks) {
  std::array sides{0, 0};
  PMPI_Dims_create(ranks, 2, sides.data());
  return sides;
}

std::uint64_t key_of_pair(std::uint64_t number, int source, int destination) {
  return block_key(number, static_cast<std::uint64_t>(source),
                   static_cast<std::uint64_t>(destination));
}

template <auto Function>
int call_neighbors(Call& call) {
  return Function(call.send.data(), call.count, call.datatype, call.receive.data(), call.count,
                  call.datatype, call.communicator);
}

void prepare_neighbors(Call& call) {
  call.send.resize(call.block_bytes() * 4);
  call.receive.resize(call.send.size());
}

void fill_neighbors(Call& call, std::uint64_t number) {
  std::byte* block = call.send.data();
  for (const int neighbor : torus_neighbors(call.ranks, call.rank)) {
    fill_block(block, call.block_bytes(), key_of_pair(number, call.rank, neighbor));
    block += call.block_bytes();
  }
}

bool check_neighbors(const Call& call, std::uint64_t number) {
  const std::byte* block = call.receive.data();
  for (const int neighbor : torus_neighbors(call.ranks, call.rank)) {
    if (!block_holds(block, call.block_bytes(), key_of_pair(number, neighbor, call.rank)))
      return false;
    block += call.block_bytes();
  }
  return true;
}

}  // namespace

MPI_Comm torus_of(MPI_Comm original) {
  int ranks = 1;
  MPI_Comm_size(original, &ranks);
  const std::array sides = torus_sides(ranks);
  constexpr std::array is_periodic{1, 1};
  MPI_Comm torus = MPI_COMM_NULL;
  MPI_Cart_create(original, 2, sides.data(), is_periodic.data(), 0, &torus);
  return torus;
}

std::array<int, 4> torus_neighbors(int ranks, int rank) {
  const auto [rows, columns] = torus_sides(ranks);
  const int row = rank / columns;
  const int column = rank % columns;
  const auto at = [columns = columns](int its_row, int its_column) {
    return its_row * columns + its_column;
  };
  return {at((row + rows - 1) % rows, column), at((row + 1) % rows, column),
          at(row, (column + columns - 1) % columns), at(row, (column + 1) % columns)};
}

std::vector<Operation> neighboring_operations() {
  return {{.name = "neighbor_alltoallv",
           .bytes_meaning = "to each of a rank's four neighbours on a torus",
           .receipt = Receipt::unrooted,
           .reduces = false,
           .has_in_place = false,
           .library = call_neighbors<MPI_Neighbor_alltoall>,
           .native = call_neighbors<PMPI_Neighbor_alltoall>,
           .prepare = prepare_neighbors,
           .fill = fill_neighbors,
           .check = check_neighbors,
           .on_torus = true}};
}

}  // namespace quadrille::bench
