// SPDX-License-Identifier: BSD-3-Clause
// Contributions are weight(rank) * base(call, element), so results are known without hearing from
// the others.
#include "apps/bench/mpi/operations_reducing.h"

#include <numeric>

namespace quadrille::bench {
namespace {

std::size_t elements(const Call& call) { return static_cast<std::size_t>(call.count); }
std::uint32_t own_weight(const Call& call) {
  return rank_weight(call.type, static_cast<std::uint32_t>(call.rank));
}
std::uint32_t weight_up_to(const Call& call, int rank) {
  return combined_weight(call.type, static_cast<std::uint32_t>(rank) + 1);
}

void prepare_vectors(Call& call) {
  call.send.resize(call.block_bytes());
  call.receive.resize(call.block_bytes());
}
void fill_vector(Call& call, std::uint64_t number) {
  auto& from = call.in_place ? call.receive : call.send;
  fill_reducible(from.data(), 0, elements(call), call.type, number, own_weight(call));
}
bool holds_vector(const Call& call, std::uint64_t number, std::uint32_t weight) {
  return reducible_holds(call.receive.data(), 0, elements(call), call.type, number, weight);
}

template <auto Function>
int call_reduce(Call& call) {
  return Function(call.send_argument(call.in_place && call.is_root()), call.receive.data(),
                  call.count, call.datatype, call.operation, call.root, call.communicator);
}
void fill_reduce(Call& call, std::uint64_t number) {
  auto& from = call.in_place && call.is_root() ? call.receive : call.send;
  fill_reducible(from.data(), 0, elements(call), call.type, number, own_weight(call));
}
bool check_reduce(const Call& call, std::uint64_t number) {
  return !call.is_root() || holds_vector(call, number, weight_up_to(call, call.ranks - 1));
}

// Allreduce, scan and exscan have the same arguments.
template <auto Function>
int call_vector(Call& call) {
  return Function(call.send_argument(call.in_place), call.receive.data(), call.count, call.datatype,
                  call.operation, call.communicator);
}
bool check_allreduce(const Call& call, std::uint64_t number) {
  return holds_vector(call, number, weight_up_to(call, call.ranks - 1));
}
bool check_scan(const Call& call, std::uint64_t number) {
  return holds_vector(call, number, weight_up_to(call, call.rank));
}

bool check_exscan(const Call& call, std::uint64_t number) {
  return call.rank == 0 || holds_vector(call, number, weight_up_to(call, call.rank - 1));
}

template <auto Function>
int call_reduce_scatter_block(Call& call) {
  return Function(call.send_argument(call.in_place), call.receive.data(), call.count, call.datatype,
                  call.operation, call.communicator);
}
void prepare_reduce_scatter_block(Call& call) {
  const std::size_t all = call.block_bytes() * static_cast<std::size_t>(call.ranks);
  call.send.resize(all);
  call.receive.resize(call.in_place ? all : call.block_bytes());
}
void fill_reduce_scatter_block(Call& call, std::uint64_t number) {
  auto& from = call.in_place ? call.receive : call.send;
  fill_reducible(from.data(), 0, elements(call) * static_cast<std::size_t>(call.ranks), call.type,
                 number, own_weight(call));
}
bool check_reduce_scatter_block(const Call& call, std::uint64_t number) {
  const std::size_t first = elements(call) * static_cast<std::size_t>(call.rank);
  return reducible_holds(call.receive.data(), first, elements(call), call.type, number,
                         weight_up_to(call, call.ranks - 1));
}

template <auto Function>
int call_reduce_scatter(Call& call) {
  return Function(call.send_argument(call.in_place), call.receive.data(),
                  call.receive_counts.data(), call.datatype, call.operation, call.communicator);
}
std::size_t elements_before(const Call& call, int rank) {
  return static_cast<std::size_t>(std::accumulate(
      call.receive_counts.begin(), call.receive_counts.begin() + rank, std::int64_t{0}));
}
std::size_t elements_of_own(const Call& call) {
  return static_cast<std::size_t>(call.receive_counts[static_cast<std::size_t>(call.rank)]);
}
void prepare_reduce_scatter(Call& call) {
  for (int rank = 0; rank < call.ranks; ++rank)
    call.receive_counts.push_back(uneven_count(call.count, rank, 0));
  call.send.resize(elements_before(call, call.ranks) * size_of(call.type));
  call.receive.resize(call.in_place ? call.send.size()
                                    : elements_of_own(call) * size_of(call.type));
}
void fill_reduce_scatter(Call& call, std::uint64_t number) {
  auto& from = call.in_place ? call.receive : call.send;
  fill_reducible(from.data(), 0, elements_before(call, call.ranks), call.type, number,
                 own_weight(call));
}
bool check_reduce_scatter(const Call& call, std::uint64_t number) {
  return reducible_holds(call.receive.data(), elements_before(call, call.rank),
                         elements_of_own(call), call.type, number,
                         weight_up_to(call, call.ranks - 1));
}

}  // namespace

std::vector<Operation> reducing_operations() {
  return {
      {"reduce", "the vector of each rank", Receipt::at_root, true, true, call_reduce<MPI_Reduce>,
       call_reduce<PMPI_Reduce>, prepare_vectors, fill_reduce, check_reduce},
      {"allreduce", "the vector of each rank", Receipt::unrooted, true, true,
       call_vector<MPI_Allreduce>, call_vector<PMPI_Allreduce>, prepare_vectors, fill_vector,
       check_allreduce},
      {"reduce_scatter_block", "the block each rank gets", Receipt::unrooted, true, true,
       call_reduce_scatter_block<MPI_Reduce_scatter_block>,
       call_reduce_scatter_block<PMPI_Reduce_scatter_block>, prepare_reduce_scatter_block,
       fill_reduce_scatter_block, check_reduce_scatter_block},
      {"reduce_scatter",
       "nominal, of the block a rank gets; ranks get half of it, all of it, or half as much again",
       Receipt::unrooted, true, true, call_reduce_scatter<MPI_Reduce_scatter>,
       call_reduce_scatter<PMPI_Reduce_scatter>, prepare_reduce_scatter, fill_reduce_scatter,
       check_reduce_scatter},
      {"scan", "the vector of each rank", Receipt::unrooted, true, true, call_vector<MPI_Scan>,
       call_vector<PMPI_Scan>, prepare_vectors, fill_vector, check_scan},
      {"exscan", "the vector of each rank before", Receipt::unrooted, true, true,
       call_vector<MPI_Exscan>, call_vector<PMPI_Exscan>, prepare_vectors, fill_vector,
       check_exscan},
  };
}

}  // namespace quadrille::bench
