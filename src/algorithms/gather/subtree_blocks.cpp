// SPDX-License-Identifier: BSD-3-Clause
#include "algorithms/gather/subtree_blocks.h"

#include <algorithm>
#include <cstdint>

#include "algorithms/allgather/block_runs.h"
#include "algorithms/own_block.h"
#include "algorithms/rank_arithmetic.h"

namespace quadrille {
namespace {

// At the root: the blocks of `child`'s subtree come into their places.
void take_in(ScheduleBuilder& builder, const Tree& tree, Rank child, std::uint64_t count) {
  const Region vector{Buffer::receive, 0, static_cast<std::uint64_t>(tree.ranks()) * count};
  const std::vector<Rank> subtree = tree.subtree(child);
  const std::vector<BlockRun> runs = runs_of(subtree, count);
  if (runs.size() == 1) {
    builder.receive(child, runs.front().of_vector(vector));
    return;
  }
  const Region message = builder.scratch(subtree.size() * count);
  builder.receive(child, message);
  for (const BlockRun& run : runs) builder.copy(run.of_message(message), run.of_vector(vector));
}

// By child, its subtree's part of an inner rank's message in scratch, which has the rank's own
// block first.
std::vector<Region> parts_of(const Region& message, const Tree& tree, Rank rank,
                             std::uint64_t count) {
  std::vector<Region> parts(static_cast<std::size_t>(tree.ranks()));
  std::uint64_t next = message.offset + count;
  for (const Rank child : tree.children(rank)) {
    const std::uint64_t length = tree.subtree(child).size() * count;
    parts[static_cast<std::size_t>(child)] = {message.buffer, next, length};
    next += length;
  }
  return parts;
}

}  // namespace

Tree tree_in_ring_order(std::vector<TreeEdge> edges, const Shape& shape) {
  std::sort(edges.begin(), edges.end(), [&](const TreeEdge& one, const TreeEdge& other) {
    return vrank_of(one.child, shape) < vrank_of(other.child, shape);
  });
  return {edges, shape.root};
}

void gather_up(ScheduleBuilder& builder, const Tree& tree, const GeneratorInput& input) {
  const std::uint64_t count = input.shape.count;
  const Rank rank = input.rank;
  const Region own = contribution(input.shape, rank);
  if (tree.parent(rank) < 0) {
    copy_own_block(builder, input);
    for (const Rank child : tree.children(rank)) take_in(builder, tree, child, count);
    return;
  }
  Region message = own;
  if (!tree.children(rank).empty()) {
    message = builder.scratch(tree.subtree(rank).size() * count);
    builder.copy(own, {message.buffer, message.offset, count});
    const std::vector<Region> parts = parts_of(message, tree, rank, count);
    for (const Rank child : tree.children(rank)) {
      builder.receive(child, parts[static_cast<std::size_t>(child)]);
    }
  }
  builder.send(tree.parent(rank), message);
}

void scatter_down(ScheduleBuilder& builder, const Tree& tree, std::span<const Rank> children,
                  const GeneratorInput& input) {
  const std::uint64_t count = input.shape.count;
  const Rank rank = input.rank;
  const Region target{Buffer::receive, 0, count};
  if (tree.parent(rank) < 0) {
    const Region vector = contribution(input.shape, rank);
    for (const Rank child : children) {
      builder.send(child, packed_blocks(builder, vector, tree.subtree(child), count));
    }
    if (!input.shape.in_place) builder.copy(block_of(Buffer::send, rank, count), target);
    return;
  }
  if (children.empty()) {
    builder.receive(tree.parent(rank), target);
    return;
  }
  const Region message = builder.scratch(tree.subtree(rank).size() * count);
  builder.receive(tree.parent(rank), message);
  const std::vector<Region> parts = parts_of(message, tree, rank, count);
  for (const Rank child : children) {
    builder.send(child, parts[static_cast<std::size_t>(child)]);
  }
  builder.copy({message.buffer, message.offset, count}, target);
}

}  // namespace quadrille
