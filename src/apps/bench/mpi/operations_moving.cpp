// SPDX-License-Identifier: BSD-3-Clause
// Blocks are keyed (call, source, destination); where one block goes to everybody the destination
// is kEverybody.
#include "apps/bench/mpi/operations_moving.h"

namespace quadrille::bench {
namespace {

constexpr std::uint64_t kEverybody = ~std::uint64_t{0};

std::byte* block(std::vector<std::byte>& buffer, const Call& call, int index) {
  return buffer.data() + static_cast<std::size_t>(index) * call.block_bytes();
}
const std::byte* block(const std::vector<std::byte>& buffer, const Call& call, int index) {
  return buffer.data() + static_cast<std::size_t>(index) * call.block_bytes();
}
std::uint64_t key(std::uint64_t number, int source, int destination) {
  return block_key(number, static_cast<std::uint64_t>(source),
                   static_cast<std::uint64_t>(destination));
}
std::uint64_t key_to_all(std::uint64_t number, int source) {
  return block_key(number, static_cast<std::uint64_t>(source), kEverybody);
}

void no_buffers(Call&) {}
void fill_nothing(Call&, std::uint64_t) {}
bool nothing_to_check(const Call&, std::uint64_t) { return true; }

template <auto Function>
int call_barrier(Call& call) {
  return Function(call.communicator);
}

template <auto Function>
int call_bcast(Call& call) {
  return Function(call.receive.data(), call.count, call.datatype, call.root, call.communicator);
}
void prepare_bcast(Call& call) { call.receive.resize(call.block_bytes()); }
void fill_bcast(Call& call, std::uint64_t number) {
  if (call.is_root())
    fill_block(call.receive.data(), call.block_bytes(), key_to_all(number, call.root));
}
bool check_bcast(const Call& call, std::uint64_t number) {
  return block_holds(call.receive.data(), call.block_bytes(), key_to_all(number, call.root));
}

template <auto Function>
int call_allgather(Call& call) {
  return Function(call.send_argument(call.in_place), call.count, call.datatype, call.receive.data(),
                  call.count, call.datatype, call.communicator);
}
void prepare_allgather(Call& call) {
  call.send.resize(call.block_bytes());
  call.receive.resize(call.block_bytes() * static_cast<std::size_t>(call.ranks));
}
void fill_allgather(Call& call, std::uint64_t number) {
  std::byte* own = call.in_place ? block(call.receive, call, call.rank) : call.send.data();
  fill_block(own, call.block_bytes(), key_to_all(number, call.rank));
}
bool check_allgather(const Call& call, std::uint64_t number) {
  for (int source = 0; source < call.ranks; ++source) {
    if (!block_holds(block(call.receive, call, source), call.block_bytes(),
                     key_to_all(number, source)))
      return false;
  }
  return true;
}

template <auto Function>
int call_alltoall(Call& call) {
  return Function(call.send_argument(call.in_place), call.count, call.datatype, call.receive.data(),
                  call.count, call.datatype, call.communicator);
}
void prepare_alltoall(Call& call) {
  call.receive.resize(call.block_bytes() * static_cast<std::size_t>(call.ranks));
  call.send.resize(call.receive.size());
}
void fill_alltoall(Call& call, std::uint64_t number) {
  auto& from = call.in_place ? call.receive : call.send;
  for (int to = 0; to < call.ranks; ++to) {
    fill_block(block(from, call, to), call.block_bytes(), key(number, call.rank, to));
  }
}
bool check_alltoall(const Call& call, std::uint64_t number) {
  for (int from = 0; from < call.ranks; ++from) {
    if (!block_holds(block(call.receive, call, from), call.block_bytes(),
                     key(number, from, call.rank)))
      return false;
  }
  return true;
}

template <auto Function>
int call_gather(Call& call) {
  return Function(call.send_argument(call.in_place && call.is_root()), call.count, call.datatype,
                  call.receive.data(), call.count, call.datatype, call.root, call.communicator);
}
void prepare_gather(Call& call) {
  call.send.resize(call.block_bytes());
  if (call.is_root())
    call.receive.resize(call.block_bytes() * static_cast<std::size_t>(call.ranks));
}
void fill_gather(Call& call, std::uint64_t number) {
  std::byte* own =
      call.in_place && call.is_root() ? block(call.receive, call, call.rank) : call.send.data();
  fill_block(own, call.block_bytes(), key(number, call.rank, call.root));
}
bool check_gather(const Call& call, std::uint64_t number) {
  for (int from = 0; call.is_root() && from < call.ranks; ++from) {
    if (!block_holds(block(call.receive, call, from), call.block_bytes(),
                     key(number, from, call.root)))
      return false;
  }
  return true;
}

template <auto Function>
int call_scatter(Call& call) {
  void* into = call.in_place && call.is_root() ? MPI_IN_PLACE : call.receive.data();
  return Function(call.send.data(), call.count, call.datatype, into, call.count, call.datatype,
                  call.root, call.communicator);
}
void prepare_scatter(Call& call) {
  call.receive.resize(call.block_bytes());
  if (call.is_root()) call.send.resize(call.block_bytes() * static_cast<std::size_t>(call.ranks));
}
void fill_scatter(Call& call, std::uint64_t number) {
  for (int to = 0; call.is_root() && to < call.ranks; ++to) {
    fill_block(block(call.send, call, to), call.block_bytes(), key(number, call.root, to));
  }
}
bool check_scatter(const Call& call, std::uint64_t number) {
  if (call.in_place && call.is_root()) return true;
  return block_holds(call.receive.data(), call.block_bytes(), key(number, call.root, call.rank));
}

std::size_t rank_of(const Call& call) { return static_cast<std::size_t>(call.rank); }
std::size_t bytes_of(const Call& call, int count) {
  return static_cast<std::size_t>(count) * size_of(call.type);
}

template <auto Function>
int call_allgatherv(Call& call) {
  return Function(call.send_argument(call.in_place), call.receive_counts[rank_of(call)],
                  call.datatype, call.receive.data(), call.receive_counts.data(),
                  call.receive_offsets.data(), call.datatype, call.communicator);
}
void prepare_allgatherv(Call& call) {
  int total = 0;
  for (int source = 0; source < call.ranks; ++source) {
    call.receive_counts.push_back(uneven_count(call.count, source, 0));
    call.receive_offsets.push_back(total);
    total += call.receive_counts.back();
  }
  call.receive.resize(bytes_of(call, total));
  call.send.resize(bytes_of(call, call.receive_counts[rank_of(call)]));
}
void fill_allgatherv(Call& call, std::uint64_t number) {
  std::byte* own = call.in_place
                       ? call.receive.data() + bytes_of(call, call.receive_offsets[rank_of(call)])
                       : call.send.data();
  fill_block(own, bytes_of(call, call.receive_counts[rank_of(call)]),
             key_to_all(number, call.rank));
}
bool check_allgatherv(const Call& call, std::uint64_t number) {
  for (int source = 0; source < call.ranks; ++source) {
    const auto at = static_cast<std::size_t>(source);
    if (!block_holds(call.receive.data() + bytes_of(call, call.receive_offsets[at]),
                     bytes_of(call, call.receive_counts[at]), key_to_all(number, source)))
      return false;
  }
  return true;
}

template <auto Function>
int call_alltoallv(Call& call) {
  return Function(call.send_argument(call.in_place), call.send_counts.data(),
                  call.send_offsets.data(), call.datatype, call.receive.data(),
                  call.receive_counts.data(), call.receive_offsets.data(), call.datatype,
                  call.communicator);
}
void prepare_alltoallv(Call& call) {
  int total = 0;
  for (int peer = 0; peer < call.ranks; ++peer) {
    call.send_counts.push_back(uneven_count(call.count, call.rank, peer));
    call.send_offsets.push_back(total);
    total += call.send_counts.back();
  }
  call.receive_counts = call.send_counts;
  call.receive_offsets = call.send_offsets;
  call.send.resize(bytes_of(call, total));
  call.receive.resize(call.send.size());
}
void fill_alltoallv(Call& call, std::uint64_t number) {
  auto& from = call.in_place ? call.receive : call.send;
  for (int to = 0; to < call.ranks; ++to) {
    const auto at = static_cast<std::size_t>(to);
    fill_block(from.data() + bytes_of(call, call.send_offsets[at]),
               bytes_of(call, call.send_counts[at]), key(number, call.rank, to));
  }
}
bool check_alltoallv(const Call& call, std::uint64_t number) {
  for (int from = 0; from < call.ranks; ++from) {
    const auto at = static_cast<std::size_t>(from);
    if (!block_holds(call.receive.data() + bytes_of(call, call.receive_offsets[at]),
                     bytes_of(call, call.receive_counts[at]), key(number, from, call.rank)))
      return false;
  }
  return true;
}

// Of gatherv and scatterv: the root's blocks lie in `root_buffer`, a rank's own in `own_buffer`.
void prepare_root_blocks(Call& call, std::vector<int>& counts, std::vector<int>& offsets,
                         std::vector<std::byte>& root_buffer, std::vector<std::byte>& own_buffer) {
  int total = 0;
  for (int rank = 0; rank < call.ranks; ++rank) {
    counts.push_back(uneven_count(call.count, rank, 0));
    offsets.push_back(total);
    total += counts.back();
  }
  if (call.is_root()) root_buffer.resize(bytes_of(call, total));
  own_buffer.resize(bytes_of(call, counts[rank_of(call)]));
}

template <auto Function>
int call_gatherv(Call& call) {
  return Function(call.send_argument(call.in_place && call.is_root()),
                  call.receive_counts[rank_of(call)], call.datatype, call.receive.data(),
                  call.receive_counts.data(), call.receive_offsets.data(), call.datatype, call.root,
                  call.communicator);
}
void prepare_gatherv(Call& call) {
  prepare_root_blocks(call, call.receive_counts, call.receive_offsets, call.receive, call.send);
}
void fill_gatherv(Call& call, std::uint64_t number) {
  std::byte* own = call.in_place && call.is_root()
                       ? call.receive.data() + bytes_of(call, call.receive_offsets[rank_of(call)])
                       : call.send.data();
  fill_block(own, bytes_of(call, call.receive_counts[rank_of(call)]),
             key(number, call.rank, call.root));
}
bool check_gatherv(const Call& call, std::uint64_t number) {
  for (int from = 0; call.is_root() && from < call.ranks; ++from) {
    const auto at = static_cast<std::size_t>(from);
    if (!block_holds(call.receive.data() + bytes_of(call, call.receive_offsets[at]),
                     bytes_of(call, call.receive_counts[at]), key(number, from, call.root)))
      return false;
  }
  return true;
}

template <auto Function>
int call_scatterv(Call& call) {
  void* into = call.in_place && call.is_root() ? MPI_IN_PLACE : call.receive.data();
  return Function(call.send.data(), call.send_counts.data(), call.send_offsets.data(),
                  call.datatype, into, call.send_counts[rank_of(call)], call.datatype, call.root,
                  call.communicator);
}
void prepare_scatterv(Call& call) {
  prepare_root_blocks(call, call.send_counts, call.send_offsets, call.send, call.receive);
}
void fill_scatterv(Call& call, std::uint64_t number) {
  for (int to = 0; call.is_root() && to < call.ranks; ++to) {
    const auto at = static_cast<std::size_t>(to);
    fill_block(call.send.data() + bytes_of(call, call.send_offsets[at]),
               bytes_of(call, call.send_counts[at]), key(number, call.root, to));
  }
}
bool check_scatterv(const Call& call, std::uint64_t number) {
  if (call.in_place && call.is_root()) return true;
  return block_holds(call.receive.data(), bytes_of(call, call.send_counts[rank_of(call)]),
                     key(number, call.root, call.rank));
}

}  // namespace

std::vector<Operation> moving_operations() {
  return {
      {"barrier", "none: a barrier carries no data", Receipt::unrooted, false, false,
       call_barrier<MPI_Barrier>, call_barrier<PMPI_Barrier>, no_buffers, fill_nothing,
       nothing_to_check},
      {"bcast", "the message", Receipt::at_others, false, false, call_bcast<MPI_Bcast>,
       call_bcast<PMPI_Bcast>, prepare_bcast, fill_bcast, check_bcast},
      {"allgather", "contributed by each rank", Receipt::unrooted, false, true,
       call_allgather<MPI_Allgather>, call_allgather<PMPI_Allgather>, prepare_allgather,
       fill_allgather, check_allgather},
      {"allgatherv",
       "nominal, of a rank; ranks contribute half of it, all of it, or half as much again",
       Receipt::unrooted, false, true, call_allgatherv<MPI_Allgatherv>,
       call_allgatherv<PMPI_Allgatherv>, prepare_allgatherv, fill_allgatherv, check_allgatherv},
      {"alltoall", "from each rank to each other rank", Receipt::unrooted, false, true,
       call_alltoall<MPI_Alltoall>, call_alltoall<PMPI_Alltoall>, prepare_alltoall, fill_alltoall,
       check_alltoall},
      {"alltoallv",
       "nominal, a pair of ranks; pairs carry half of it, all of it, or half as much again",
       Receipt::unrooted, false, true, call_alltoallv<MPI_Alltoallv>,
       call_alltoallv<PMPI_Alltoallv>, prepare_alltoallv, fill_alltoallv, check_alltoallv},
      {"gather", "contributed by each rank", Receipt::at_root, false, true, call_gather<MPI_Gather>,
       call_gather<PMPI_Gather>, prepare_gather, fill_gather, check_gather},
      {"scatter", "to each rank", Receipt::at_others, false, true, call_scatter<MPI_Scatter>,
       call_scatter<PMPI_Scatter>, prepare_scatter, fill_scatter, check_scatter},
      {"gatherv",
       "nominal, of a rank; ranks contribute half of it, all of it, or half as much again",
       Receipt::at_root, false, true, call_gatherv<MPI_Gatherv>, call_gatherv<PMPI_Gatherv>,
       prepare_gatherv, fill_gatherv, check_gatherv},
      {"scatterv", "nominal, to a rank; ranks get half of it, all of it, or half as much again",
       Receipt::at_others, false, true, call_scatterv<MPI_Scatterv>, call_scatterv<PMPI_Scatterv>,
       prepare_scatterv, fill_scatterv, check_scatterv},
  };
}

}  // namespace quadrille::bench
