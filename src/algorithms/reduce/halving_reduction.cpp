// SPDX-License-Identifier: BSD-3-Clause
// The q participants (folded_ranks.h) each stand for a group of one or two ranks; the vector is
// laid out as the blocks of q groups, and participant i ends with the group in position i or, if
// order matters, in the position of i with its bits reversed.
//
// If the operation commutes, groups lie in rank order and the farthest partners halve first. If
// not, the nearest have to be first, so that sums are of neighbouring ranks; the halves they keep
// then belong together only with groups in bit-reversed order, which costs a copy of the vector.
#include "algorithms/reduce/halving_reduction.h"

#include <optional>
#include <vector>

#include "algorithms/reduce/folded_ranks.h"
#include "schedule/builder.h"

namespace quadrille {

namespace {

// Positions [first, end) of groups.
struct Participants {
  Rank first = 0;
  Rank end = 0;
};

// A region that holds the vector, or a run of it, from element `origin` of the layout on.
struct Holding {
  Region region;
  std::uint64_t origin = 0;
};

class Halving {
 public:
  Halving(const GeneratorInput& input, const VectorBlocks& blocks)
      : input_(input),
        blocks_(blocks),
        folded_(input.shape.ranks),
        self_(folded_.participant_of(input.rank)),
        vector_(contribution(input.shape, input.rank, input.counts)),
        offsets_{0} {
    for (Rank position = 0; position < folded_.participants(); ++position) {
      const Rank group = group_at(position);
      offsets_.push_back(offsets_.back() + blocks_.offset(first_rank(group + 1)) -
                         blocks_.offset(first_rank(group)));
    }
  }

  Schedule run() {
    take_folded();
    Participants shared{0, folded_.participants()};
    const Rank half = folded_.participants() / 2;
    for (Rank round = 1; round < folded_.participants(); round *= 2) {
      shared = halve(shared, input_.shape.commutative ? half / round : round);
    }
    hand_out(shared.first);
    return builder_.build();
  }

 private:
  Rank first_rank(Rank group) const {
    const Rank paired = input_.shape.ranks - folded_.participants();
    return group < paired ? 2 * group : group + paired;
  }
  Rank group_at(Rank position) const {
    if (input_.shape.commutative) return position;
    Rank reversed = 0;
    for (Rank bit = 1, mirrored = folded_.participants() / 2; mirrored > 0;
         bit *= 2, mirrored /= 2) {
      if ((position & bit) != 0) reversed |= mirrored;
    }
    return reversed;
  }
  Region at(const Holding& holding, const Participants& window) const {
    const std::uint64_t begin = offsets_[static_cast<std::size_t>(window.first)];
    return {holding.region.buffer, holding.region.offset + begin - holding.origin,
            offsets_[static_cast<std::size_t>(window.end)] - begin};
  }

  // The sum of the ranks that this one stands for, in the order of the layout.
  void take_folded() {
    const bool paired = folded_.is_paired(input_.rank);
    Holding folded_in;
    if (paired) {
      folded_in.region = builder_.scratch(blocks_.length());
      builder_.receive(input_.rank - 1, folded_in.region);
    }
    if (!input_.shape.commutative && folded_.participants() > 1) {
      sum_.region = builder_.scratch(blocks_.length());
      for (Rank position = 0; position < folded_.participants(); ++position) {
        const Rank group = group_at(position);
        const Rank first = first_rank(group);
        const Rank end = first_rank(group + 1);
        const Region place = at(sum_, {position, position + 1});
        builder_.copy(blocks_.run(vector_, first, end), place);
        if (paired) builder_.reduce(blocks_.run(folded_in.region, first, end), place);
      }
    } else if (paired) {
      builder_.reduce(vector_, folded_in.region);
      sum_ = folded_in;
    } else {
      sum_.region = vector_;
    }
  }

  // Exchanges halves of `shared` with the participant that differs in `bit`; returns the one kept.
  Participants halve(const Participants& shared, Rank bit) {
    const Rank middle = (shared.first + shared.end) / 2;
    const bool is_lower = (self_ & bit) == 0;
    const Participants lower{shared.first, middle};
    const Participants upper{middle, shared.end};
    const Participants kept = is_lower ? lower : upper;
    const Rank partner = folded_.rank_of_participant(self_ ^ bit);
    if (const Region given = at(sum_, is_lower ? upper : lower); given.length > 0) {
      builder_.send(partner, given);
    }
    const std::uint64_t begin = offsets_[static_cast<std::size_t>(kept.first)];
    const Region mine = at(sum_, kept);
    if (!spare_) spare_ = Holding{builder_.scratch(mine.length), begin};
    const Region incoming = at(*spare_, kept);
    if (incoming.length > 0) builder_.receive(partner, incoming);
    const bool is_users = sum_.region == vector_;
    if (is_users || (is_lower && !input_.shape.commutative)) {
      builder_.reduce(mine, incoming);
      const Holding former = sum_;
      sum_ = *spare_;
      spare_ = is_users ? std::nullopt : std::optional(former);
    } else {
      builder_.reduce(incoming, mine);
    }
    return kept;
  }

  void hand_out(Rank position) {
    const Region group = at(sum_, {position, position + 1});
    const std::uint64_t own = blocks_.length(input_.rank);
    const Region block{group.buffer, group.offset + group.length - own, own};
    const Region target{Buffer::receive, 0, own};
    if (folded_.is_paired(input_.rank) && group.length > own) {
      builder_.send(input_.rank - 1, {group.buffer, group.offset, group.length - own});
    }
    if (block != target) builder_.copy(block, target);
  }

  const GeneratorInput& input_;
  const VectorBlocks& blocks_;
  const FoldedRanks folded_;
  const Rank self_;
  const Region vector_;                 // the contribution: it may not be written into
  std::vector<std::uint64_t> offsets_;  // [participants + 1], of positions in the layout
  ScheduleBuilder builder_;
  Holding sum_;
  std::optional<Holding> spare_;
};

}  // namespace

Schedule reduce_by_halving(const GeneratorInput& input, const VectorBlocks& blocks) {
  const FoldedRanks folded(input.shape.ranks);
  if (blocks.length() == 0) return {};
  if (!folded.is_folded_away(input.rank)) return Halving(input, blocks).run();
  ScheduleBuilder builder;
  builder.send(input.rank + 1, contribution(input.shape, input.rank, input.counts));
  const std::uint64_t own = blocks.length(input.rank);
  if (own > 0) builder.receive(input.rank + 1, {Buffer::receive, 0, own});
  return builder.build();
}

}  // namespace quadrille
