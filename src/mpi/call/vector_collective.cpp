// SPDX-License-Identifier: BSD-3-Clause
// A side of a call is a list of the user's blocks and the bytes they become.
#include "mpi/call/vector_collective.h"

#include <algorithm>
#include <cstring>
#include <functional>
#include <utility>
#include <vector>

#include "algorithms/alltoall/count_exchange.h"
#include "mpi/call/call_buffers.h"
#include "mpi/call/call_memory.h"
#include "mpi/call/datatype.h"

namespace quadrille {
namespace {

struct UserBlock {
  std::byte* address = nullptr;
  std::uint64_t elements = 0;
  MPI_Datatype type = MPI_DATATYPE_NULL;
  Layout layout;  // of blocks with elements

  std::uint64_t bytes() const { return elements * layout.size; }
};

UserBlock block_at(std::byte* address, MPI_Count count, MPI_Datatype type, const Layout* known) {
  UserBlock block{address, static_cast<std::uint64_t>(count), type, {}};
  if (count > 0) block.layout = known != nullptr ? *known : layout_of(type);
  return block;
}

std::vector<UserBlock> blocks_of(const UserBuffer& buffer) {
  return {block_at(static_cast<std::byte*>(buffer.address), buffer.count, buffer.type, nullptr)};
}

std::vector<UserBlock> blocks_of(const UserBlocks& user, Rank ranks) {
  std::vector<UserBlock> blocks;
  const Rank number = user.number(ranks);
  blocks.reserve(static_cast<std::size_t>(number));
  auto* base = static_cast<std::byte*>(user.address);
  if (user.type_a_block) {
    for (Rank rank = 0; rank < number; ++rank) {
      blocks.push_back(
          block_at(base + user.displacement(rank), user.count(rank), user.type(rank), nullptr));
    }
    return blocks;
  }
  Layout layout;
  for (Rank rank = 0; rank < number; ++rank) {
    // The type need not be one where no block has elements.
    if (user.count(rank) > 0 && layout.size == 0) layout = layout_of(user.type(0));
    blocks.push_back(block_at(base + user.displacement(rank) * layout.extent, user.count(rank),
                              user.type(0), &layout));
  }
  return blocks;
}

// The bytes of a list of blocks: the user's own, or a staging copy with one block behind the other.
class BlockSide {
 public:
  // `base` is what displacements count from.
  BlockSide(std::vector<UserBlock> blocks, void* base)
      : blocks_(std::move(blocks)), base_(static_cast<std::byte*>(base)) {
    direct_ = std::all_of(blocks_.begin(), blocks_.end(), [&](const UserBlock& block) {
      return block.bytes() == 0 || (block.layout.contiguous && block.address >= base_);
    });
    stored_ = StoredBlocks::in_a_row(lengths());
    if (direct_) take_users_offsets();
  }

  // Where blocks overlap, which is an error in what is received but one that no library looks for,
  // a schedule over the user's memory would have each write wait for the others': they are received
  // one behind the other, and the last rank's stay.
  void keep_apart() {
    if (!direct_ || !overlap()) return;
    direct_ = false;
    stored_ = StoredBlocks::in_a_row(lengths());
  }

  bool direct() const { return direct_; }
  const StoredBlocks& stored() const { return stored_; }
  std::uint64_t staging_bytes() const { return direct_ ? 0 : stored_.view().end(); }
  // REQUIRES: `staging` has staging_bytes().
  void use(std::byte* staging) { bytes_ = direct_ ? base_ : staging; }
  std::byte* bytes() const { return bytes_; }

  // REQUIRES: use() was called.
  int pack_block(std::size_t index) const {
    const UserBlock& block = blocks_[index];
    if (direct_ || block.bytes() == 0) return MPI_SUCCESS;
    return pack(block.address, block.elements, block.type, block.layout,
                bytes_ + stored_.offsets[index]);
  }
  int pack_all() const {
    return for_each([this](std::size_t index) { return pack_block(index); });
  }
  int unpack_all() const {
    return for_each([this](std::size_t index) -> int {
      const UserBlock& block = blocks_[index];
      if (direct_ || block.bytes() == 0) return MPI_SUCCESS;
      return unpack(bytes_ + stored_.offsets[index], block.address, block.elements, block.type,
                    block.layout);
    });
  }

 private:
  std::vector<std::uint64_t> lengths() const {
    std::vector<std::uint64_t> lengths;
    lengths.reserve(blocks_.size());
    for (const UserBlock& block : blocks_) lengths.push_back(block.bytes());
    return lengths;
  }
  bool overlap() const {
    const auto is_in_order = [](const UserBlock& one, const UserBlock& next) {
      return one.address + one.bytes() <= next.address || next.bytes() == 0;
    };
    // As nearly all programs have them.
    if (std::ranges::adjacent_find(blocks_, std::not_fn(is_in_order)) == blocks_.end())
      return false;
    std::vector<const UserBlock*> sorted;
    for (const UserBlock& block : blocks_) {
      if (block.bytes() > 0) sorted.push_back(&block);
    }
    std::ranges::sort(sorted, {}, &UserBlock::address);
    return std::ranges::adjacent_find(sorted, [&](const UserBlock* one, const UserBlock* next) {
             return !is_in_order(*one, *next);
           }) != sorted.end();
  }
  void take_users_offsets() {
    for (std::size_t i = 0; i < blocks_.size(); ++i) {
      const UserBlock& block = blocks_[i];
      stored_.offsets[i] =
          block.bytes() == 0 ? 0 : static_cast<std::uint64_t>(block.address - base_);
    }
  }
  template <typename Visit>
  int for_each(const Visit& visit) const {
    for (std::size_t i = 0; i < blocks_.size(); ++i) {
      if (const int code = visit(i); code != MPI_SUCCESS) return code;
    }
    return MPI_SUCCESS;
  }

  std::vector<UserBlock> blocks_;
  std::byte* base_;
  bool direct_ = false;
  StoredBlocks stored_;
  std::byte* bytes_ = nullptr;
};

std::vector<Rank> ranks_of(const UserBlocks& blocks) {
  std::vector<Rank> ranks;
  if (blocks.neighbours == nullptr) return ranks;
  for (const Neighbour& one : *blocks.neighbours) ranks.push_back(one.rank);
  return ranks;
}

BlockSide no_side() { return {{UserBlock{}}, nullptr}; }

BlockSide send_side(const CallArguments& call, const Shape& shape, Rank rank) {
  const bool has_one_block =
      shape.collective == Collective::allgatherv || shape.collective == Collective::gatherv;
  if (has_one_block) {
    return contribution_in_place(shape, rank) ? no_side()
                                              : BlockSide(blocks_of(call.send), call.send.address);
  }
  if (shape.collective == Collective::scatterv && rank != shape.root) return no_side();
  // In place every block goes out of where its answer will come in: the schedule gets a copy.
  if (call.send_blocks.address == MPI_IN_PLACE) {
    std::vector<UserBlock> blocks = blocks_of(call.receive_blocks, shape.ranks);
    for (UserBlock& block : blocks) block.layout.contiguous = false;
    return {std::move(blocks), call.receive_blocks.address};
  }
  return {blocks_of(call.send_blocks, shape.ranks), call.send_blocks.address};
}

BlockSide receive_side(const CallArguments& call, const Shape& shape, Rank rank) {
  if (shape.collective == Collective::scatterv) {
    const bool stays = rank == shape.root && shape.in_place;
    return stays ? no_side() : BlockSide(blocks_of(call.receive), call.receive.address);
  }
  if (shape.collective == Collective::gatherv && rank != shape.root) return no_side();
  return {blocks_of(call.receive_blocks, shape.ranks), call.receive_blocks.address};
}

class CountedBlocks final : public CallData {
 public:
  CountedBlocks(const CallArguments& call, const Shape& shape, Rank rank, CallBuffers& buffers)
      : shape_(shape),
        rank_(rank),
        buffers_(buffers),
        send_(send_side(call, shape, rank)),
        receive_(receive_side(call, shape, rank)) {
    receive_.keep_apart();
    send_.use(buffers.send_staging(send_.staging_bytes()));
    receive_.use(buffers.receive_staging(receive_.staging_bytes()));
    counts_ = {.send = send_.stored(),
               .receive = receive_.stored(),
               .targets = ranks_of(call.send_blocks),
               .sources = ranks_of(call.receive_blocks)};
  }

  int fill() override {
    const int code = send_.pack_all();
    if (code != MPI_SUCCESS || !contribution_in_place(shape_, rank_)) return code;
    return receive_.pack_block(static_cast<std::size_t>(rank_));
  }
  // What the ranks of a host tell each other may be added before the schedule is made.
  StoredCounts& counts() { return counts_; }
  const SharedSchedule& schedule(Planner& planner, const Candidate& candidate) override {
    return planner.schedule(shape_, candidate, std::move(counts_));
  }
  CallMemory memory(std::uint64_t scratch_length) override {
    return memory_of_bytes(send_.bytes(), receive_.bytes(), buffers_.scratch(scratch_length));
  }
  int give_back() override { return receive_.unpack_all(); }

 private:
  const Shape& shape_;
  Rank rank_;
  CallBuffers& buffers_;
  BlockSide send_;
  BlockSide receive_;
  StoredCounts counts_;
};

Outcome run_movement(Communicator& communicator, const Candidate& candidate, const Shape& shape,
                     const CallArguments& call) {
  CountedBlocks data(call, shape, communicator.rank(), CallBuffers::of_this_thread());
  int code = data.fill();
  if (code == MPI_SUCCESS && needs_count_exchange(*candidate.algorithm))
    code = communicator.count_exchange().ask(communicator, data.counts(), call.name);
  if (code != MPI_SUCCESS) return {code};
  const PreparedSchedule& prepared = *data.schedule(communicator.planner(), candidate);
  const CallMemory memory = data.memory(prepared.schedule().scratch_length);
  return communicator.run(prepared, memory, MPI_BYTE, call.name).then([&] {
    return data.give_back();
  });
}

}  // namespace

StoredCounts combined_blocks(const CallArguments& call, Rank ranks) {
  std::vector<std::uint64_t> lengths;
  lengths.reserve(static_cast<std::size_t>(ranks));
  for (Rank rank = 0; rank < ranks; ++rank) {
    lengths.push_back(static_cast<std::uint64_t>(call.send_blocks.count(rank)));
  }
  return {StoredBlocks::in_a_row(std::move(lengths)), {}};
}

Outcome run_vector_collective(Communicator& communicator, const Candidate& candidate,
                              const Shape& shape, const CallArguments& call) {
  if (shape.collective != Collective::reduce_scatter)
    return run_movement(communicator, candidate, shape, call);
  const PreparedSchedule& prepared =
      *communicator.planner().schedule(shape, candidate, combined_blocks(call, shape.ranks));
  return run_reduction(communicator, prepared, shape, call);
}

std::unique_ptr<CallData> vector_blocks(const CallArguments& call, const Shape& shape, Rank rank,
                                        CallBuffers& buffers) {
  return std::make_unique<CountedBlocks>(call, shape, rank, buffers);
}

}  // namespace quadrille
