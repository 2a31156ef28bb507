// SPDX-License-Identifier: BSD-3-Clause
// The communication of a step of CHARMM as B. Lowekamp and A. Beguelin, ECO, IPPS 1996,
// doi:10.1109/IPPS.1996.508087, section 6.2, names it: reduce-to-all, gather-to-all, broadcast.
// They give neither sizes nor counts. Here a vector (forces) is summed over all ranks, one of the
// same length (coordinates) is gathered from all, and, as if every tenth step did so, a tenth of it
// is broadcast. Ranks do not meet between the calls, so that one may begin before another has
// ended.
//
// send: vector, own block. receive: sum, all blocks, what is broadcast.
#include "apps/bench/mpi/operations_mixed.h"

namespace quadrille::bench {
namespace {

constexpr int kStepsABroadcast = 10;
constexpr std::uint64_t kBroadcast = ~std::uint64_t{0};  // as the destination of what goes to all

int block_count(const Call& call) { return call.count / call.ranks; }
int broadcast_count(const Call& call) { return call.count / kStepsABroadcast; }
std::size_t bytes_of_elements(const Call& call, int count) {
  return static_cast<std::size_t>(count) * size_of(call.type);
}
// Where the own block begins behind the vector, and all blocks behind the sum.
std::size_t blocks_at(const Call& call) { return bytes_of_elements(call, call.count); }
std::size_t broadcast_at(const Call& call) {
  return blocks_at(call) +
         bytes_of_elements(call, block_count(call)) * static_cast<std::size_t>(call.ranks);
}

std::uint64_t block_of(std::uint64_t number, int source) {
  return block_key(number, static_cast<std::uint64_t>(source), 0);
}
std::uint64_t broadcast_of(std::uint64_t number, int root) {
  return block_key(number, static_cast<std::uint64_t>(root), kBroadcast);
}

template <auto Allreduce, auto Allgather, auto Bcast>
int call_charmm_step(Call& call) {
  const int summed = Allreduce(call.send.data(), call.receive.data(), call.count, call.datatype,
                               call.operation, call.communicator);
  if (summed != MPI_SUCCESS) return summed;
  if (call.made_one) call.made_one();
  const int gathered = Allgather(call.send.data() + blocks_at(call), block_count(call),
                                 call.datatype, call.receive.data() + blocks_at(call),
                                 block_count(call), call.datatype, call.communicator);
  if (gathered != MPI_SUCCESS) return gathered;
  if (call.made_one) call.made_one();
  return Bcast(call.receive.data() + broadcast_at(call), broadcast_count(call), call.datatype,
               call.root, call.communicator);
}

void prepare_charmm_step(Call& call) {
  call.send.resize(blocks_at(call) + bytes_of_elements(call, block_count(call)));
  call.receive.resize(broadcast_at(call) + bytes_of_elements(call, broadcast_count(call)));
}

void fill_charmm_step(Call& call, std::uint64_t number) {
  fill_reducible(call.send.data(), 0, static_cast<std::size_t>(call.count), call.type, number,
                 rank_weight(call.type, static_cast<std::uint32_t>(call.rank)));
  fill_block(call.send.data() + blocks_at(call), bytes_of_elements(call, block_count(call)),
             block_of(number, call.rank));
  if (call.is_root()) {
    fill_block(call.receive.data() + broadcast_at(call),
               bytes_of_elements(call, broadcast_count(call)), broadcast_of(number, call.root));
  }
}

bool check_charmm_step(const Call& call, std::uint64_t number) {
  const std::uint32_t weight = combined_weight(call.type, static_cast<std::uint32_t>(call.ranks));
  if (!reducible_holds(call.receive.data(), 0, static_cast<std::size_t>(call.count), call.type,
                       number, weight))
    return false;
  const std::size_t block_bytes = bytes_of_elements(call, block_count(call));
  for (int source = 0; source < call.ranks; ++source) {
    const std::byte* block =
        call.receive.data() + blocks_at(call) + static_cast<std::size_t>(source) * block_bytes;
    if (!block_holds(block, block_bytes, block_of(number, source))) return false;
  }
  return block_holds(call.receive.data() + broadcast_at(call),
                     bytes_of_elements(call, broadcast_count(call)),
                     broadcast_of(number, call.root));
}

}  // namespace

std::vector<Operation> mixed_operations() {
  return {
      {"charmm_step",
       "the vector of each rank: it is summed, a vector as long gathered, a tenth of it broadcast",
       Receipt::unrooted, true, false, call_charmm_step<MPI_Allreduce, MPI_Allgather, MPI_Bcast>,
       call_charmm_step<PMPI_Allreduce, PMPI_Allgather, PMPI_Bcast>, prepare_charmm_step,
       fill_charmm_step, check_charmm_step},
  };
}

}  // namespace quadrille::bench
