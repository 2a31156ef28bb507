// SPDX-License-Identifier: BSD-3-Clause
// The conditions under which a broadcast over the circulant graph is right and takes the least
// number of rounds, for every number of ranks up to 200 and around some powers of two.
#include "algorithms/bcast/circulant_graph.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <set>
#include <string>
#include <vector>

#include "algorithms/algorithm.h"
#include "algorithms/rank_arithmetic.h"

namespace quadrille {
namespace {

using testing::ElementsAre;
using Blocks = std::vector<std::int64_t>;

std::vector<Rank> numbers_of_vranks() {
  std::vector<Rank> numbers;
  for (Rank vranks = 2; vranks <= 200; ++vranks) numbers.push_back(vranks);
  for (const Rank power : {256, 512, 1024, 4096}) {
    for (Rank vranks = power - 1; vranks <= power + 1; ++vranks) numbers.push_back(vranks);
  }
  return numbers;
}

struct Graph {
  explicit Graph(Rank number) : vranks(number), graph(number) {
    blocks.emplace_back();
    for (Rank vrank = 1; vrank < vranks; ++vrank) blocks.push_back(graph.receipts(vrank));
  }
  const Blocks& receipts(Rank vrank) const { return blocks[static_cast<std::size_t>(vrank)]; }

  const Rank vranks;
  const CirculantGraph graph;
  std::vector<Blocks> blocks;
};

void expect_as_many_rounds_as_doubling_takes(const Graph& all) {
  EXPECT_EQ(static_cast<int>(all.graph.rounds()),
            std::bit_width(static_cast<std::uint32_t>(all.vranks - 1)));
}

// One block of this phase and q - 1 of the phase before: all different, so that a block comes once.
void expect_every_block_once(const Graph& all) {
  const auto phase = static_cast<std::int64_t>(all.graph.rounds());
  for (Rank vrank = 1; vrank < all.vranks; ++vrank) {
    std::set<std::int64_t> residues;
    int of_this_phase = 0;
    for (const std::int64_t block : all.receipts(vrank)) {
      ASSERT_GE(block, -phase) << vrank;
      ASSERT_LT(block, phase) << vrank;
      of_this_phase += block >= 0 ? 1 : 0;
      residues.insert((block + phase) % phase);
    }
    EXPECT_EQ(of_this_phase, 1) << vrank;
    EXPECT_EQ(residues.size(), all.graph.rounds()) << vrank;
  }
}

void expect_a_new_block_of_vrank_0_in_every_round(const Graph& all) {
  for (std::size_t round = 0; round < all.graph.rounds(); ++round) {
    EXPECT_EQ(all.receipts(all.graph.skip(round))[round], static_cast<std::int64_t>(round));
  }
}

void expect_only_what_was_received_before_to_be_sent(const Graph& all) {
  const auto phase = static_cast<std::int64_t>(all.graph.rounds());
  for (Rank vrank = 1; vrank < all.vranks; ++vrank) {
    for (std::size_t round = 0; round < all.graph.rounds(); ++round) {
      const Rank sender = ring_rank(vrank, -all.graph.skip(round), all.vranks);
      if (sender == 0) continue;
      const Blocks& had = all.receipts(sender);
      const std::int64_t block = all.receipts(vrank)[round];
      const auto now = had.begin() + static_cast<std::ptrdiff_t>(round);
      const bool in_this_phase = std::find(had.begin(), now, block) != now;
      const bool in_the_last = std::find(had.begin(), had.end(), block + phase) != had.end();
      EXPECT_TRUE(in_this_phase || in_the_last)
          << vrank << " gets " << block << " from " << sender << " in round " << round;
    }
  }
}

TEST(CirculantGraph, fulfils_all_conditions_for_any_number_of_vranks) {
  for (const Rank vranks : numbers_of_vranks()) {
    SCOPED_TRACE(std::to_string(vranks) + " vranks");
    const Graph all(vranks);
    expect_as_many_rounds_as_doubling_takes(all);
    expect_every_block_once(all);
    expect_a_new_block_of_vrank_0_in_every_round(all);
    expect_only_what_was_received_before_to_be_sent(all);
  }
}

TEST(CirculantGraph, of_five_vranks_is_that_of_the_header) {
  const CirculantGraph graph(5);
  EXPECT_THAT(graph.receipts(1), ElementsAre(0, -1, -2));
  EXPECT_THAT(graph.receipts(2), ElementsAre(-3, 1, -1));
  EXPECT_THAT(graph.receipts(3), ElementsAre(-2, -3, 2));
  EXPECT_THAT(graph.receipts(4), ElementsAre(-1, -2, 0));
}

TEST(CirculantGraph, of_one_vrank_has_no_rounds) { EXPECT_EQ(CirculantGraph(1).rounds(), 0U); }

TEST(BcastCirculant, root_sends_one_block_a_round_and_others_receive_each_block_once) {
  const Algorithm& algorithm = *algorithm_named("bcast_circulant");
  const Parameters parameters = algorithm.parameters.with("segment=10").value();
  for (const Rank ranks : {2, 3, 7, 16, 33}) {
    const Shape shape{.collective = Collective::bcast, .ranks = ranks, .root = 1, .count = 70};
    const TopologyView view = TopologyView::flat(ranks);
    const std::size_t rounds = 7 - 1 + CirculantGraph(ranks).rounds();
    EXPECT_EQ(algorithm.generate({shape, view, parameters, 1}).steps.size(), rounds);
    const Schedule other = algorithm.generate({shape, view, parameters, 0});
    EXPECT_EQ(std::count_if(other.steps.begin(), other.steps.end(),
                            [](const Step& step) { return step.kind == StepKind::receive; }),
              7);
  }
}

}  // namespace
}  // namespace quadrille
