// SPDX-License-Identifier: BSD-3-Clause
#include "apps/plan/choose.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "apps/plan/explanation_json.h"
#include "apps/plan/message_rounds.h"
#include "apps/plan/played_plan.h"
#include "apps/plan/table.h"

namespace quadrille::plan {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

const std::string kThreeBuses =
    std::string(QUADRILLE_SOURCE_DIR) + "/schemas/examples/network_model_three_buses.json";

ChooseRequest asking(const std::string& collective, std::uint64_t bytes, Rank ranks) {
  ChooseRequest request;
  request.collective = collective;
  request.bytes = bytes;
  request.model = kThreeBuses;
  request.placement.ranks = ranks;
  return request;
}

std::string refusal(const ChooseRequest& request) {
  const auto told = choose(request);
  return told.ok() ? "not refused" : told.error().message;
}

TEST(Choose, the_plan_is_the_cheapest_of_the_candidates_for_every_root) {
  for (const Rank ranks : {2, 3, 5, 12}) {
    for (Rank root = 0; root < ranks; ++root) {
      ChooseRequest request = asking("bcast", 20'000, ranks);
      request.root = root;
      const auto told = choose(request);
      ASSERT_TRUE(told.ok()) << told.error().message;
      const auto& answer = told.value();
      for (const auto& one : answer["candidates"])
        EXPECT_LE(answer["plan"]["time_ns"], one["time_ns"]);
      EXPECT_LE(answer["bound"]["percent_of_limit"], 100);
      EXPECT_GT(answer["bound"]["percent_of_limit"], 0);
      EXPECT_EQ(answer["call"]["root"], root);
    }
  }
}

TEST(Choose, the_limit_on_buses_is_given_with_and_without_multicast_where_they_differ) {
  ChooseRequest one_to_one = asking("bcast", 65'536, 12);
  one_to_one.placement.multicast = false;
  const auto bcast = choose(one_to_one).value()["bound"];
  EXPECT_TRUE(bcast["with_multicast"]);
  EXPECT_THAT(bcast["without_multicast"]["bottleneck"], testing::StartsWith("bus "));
  // Three members of the root's bus take a copy each, and one leaves for the others.
  EXPECT_NEAR(bcast["without_multicast"]["time_ns"].get<double>(),
              4 * bcast["time_ns"].get<double>(), 0.05 * bcast["time_ns"].get<double>());
  EXPECT_LE(bcast["without_multicast"]["percent_of_limit"], 100);
  const auto alltoall = choose(asking("alltoall", 1'000, 12)).value()["bound"];
  EXPECT_TRUE(alltoall["with_multicast"]);
  EXPECT_TRUE(alltoall["without_multicast"].is_null());
}

TEST(Choose, multicast_is_chosen_where_the_model_has_it_and_it_may_be_used) {
  const auto chosen = [](const ChooseRequest& request) {
    return choose(request).value()["plan"]["name"].get<std::string>();
  };
  ChooseRequest request = asking("bcast", 65'536, 12);
  EXPECT_THAT(chosen(request), testing::StartsWith("bcast_multicast"));
  const auto told = choose(request).value();
  EXPECT_THAT(told["at_run_time"]["candidates"].dump(), testing::HasSubstr("bcast_multicast"));
  EXPECT_LT(told["bound"]["percent_of_limit"], 100.01);
  request.placement.multicast = false;
  const std::string without = chosen(request);
  EXPECT_THAT(without, testing::StartsWith("bcast_hierarchical"));
  // The best that goes without is found beside it too.
  EXPECT_THAT(told["candidates"].dump(), testing::HasSubstr(without));
  EXPECT_THAT(chosen(asking("bcast", 65'536, 2)), testing::Not(testing::HasSubstr("multicast")));
}

TEST(Choose, the_last_event_of_the_timeline_ends_with_the_predicted_time) {
  for (const char* collective : {"barrier", "bcast", "allreduce", "alltoall", "scan"}) {
    for (const Rank ranks : {2, 7, 12}) {
      ChooseRequest request = asking(collective, 4'096, ranks);
      request.timeline = true;
      const auto told = choose(request);
      ASSERT_TRUE(told.ok()) << told.error().message;
      std::int64_t last_ns = 0;
      for (const auto& event : told.value()["timeline"])
        last_ns = std::max(last_ns, event["end_ns"].get<std::int64_t>());
      const auto& plan = told.value()["plan"];
      EXPECT_EQ(last_ns + plan["retransmissions_ns"].get<std::int64_t>(), plan["time_ns"])
          << collective;
    }
  }
}

TEST(Choose, messages_move_the_calls_data_between_hosts_in_time) {
  ChooseRequest request = asking("alltoall", 1'000, 6);
  request.forced = "pairwise";
  const auto told = choose(request);
  ASSERT_TRUE(told.ok()) << told.error().message;
  const auto& messages = told.value()["messages"];
  EXPECT_EQ(messages.size(), 30U);
  for (const auto& message : messages) {
    EXPECT_EQ(message["bytes"], 1'000);
    EXPECT_LT(message["start_ns"], message["end_ns"]);
    EXPECT_LT(message["round"], 5U);
  }
}

TEST(Choose, one_ranks_schedule_is_written_when_it_is_asked_for) {
  ChooseRequest request = asking("bcast", 1'000, 5);
  EXPECT_TRUE(choose(request).value()["schedule"].is_null());
  request.steps_of = 4;
  const auto told = choose(request);
  EXPECT_EQ(told.value()["schedule"]["rank"], 4);
  EXPECT_FALSE(told.value()["schedule"]["steps"].empty());
}

TEST(Choose, a_forced_algorithm_is_compared_with_the_cheapest) {
  ChooseRequest request = asking("bcast", 1'000'000, 12);
  request.forced = "chain:segment=0";
  const auto told = choose(request);
  ASSERT_TRUE(told.ok()) << told.error().message;
  const auto& answer = told.value();
  EXPECT_EQ(answer["plan"]["name"], "bcast_chain:segment=0");
  EXPECT_TRUE(answer["asked"]);
  EXPECT_EQ(answer["comparison"]["other"], answer["candidates"][0]);
  EXPECT_EQ(answer["comparison"]["slower"], answer["plan"]["name"]);
  EXPECT_EQ(answer["comparison"]["slower_by_ns"].get<std::int64_t>(),
            answer["plan"]["time_ns"].get<std::int64_t>() -
                answer["candidates"][0]["time_ns"].get<std::int64_t>());
}

TEST(Choose, what_is_wrong_with_a_request_is_named) {
  EXPECT_THAT(refusal(asking("bcats", 8, 4)), HasSubstr("bcats"));
  EXPECT_THAT(refusal(asking("bcats", 8, 4)), HasSubstr("barrier, bcast"));
  EXPECT_THAT(refusal(asking("alltoallv", 8, 4)), HasSubstr("counts"));
  EXPECT_THAT(refusal(asking("bcast", 8, 13)), HasSubstr("13 ranks are more than 12 hosts"));
  ChooseRequest request = asking("bcast", 8, 4);
  request.root = 4;
  EXPECT_THAT(refusal(request), HasSubstr("root 4 is none of 4 ranks"));
  request.root = -1;
  EXPECT_THAT(refusal(request), HasSubstr("root -1"));
  request.root = 0;
  request.steps_of = 4;
  EXPECT_THAT(refusal(request), HasSubstr("rank 4 is none of 4 ranks"));
  request.steps_of.reset();
  request.forced = "ring";
  EXPECT_THAT(refusal(request), HasSubstr("--force 'bcast:ring': no algorithm 'ring'"));
  request.forced = "mpi";
  EXPECT_THAT(refusal(request), HasSubstr("MPI library"));
  request.forced.clear();
  request.placement.hosts = {"node00.cluster.local", "node00.cluster.local"};
  EXPECT_THAT(refusal(request), HasSubstr("named twice"));
  request.placement.hosts = {"node00.cluster.local", "elsewhere"};
  request.placement.ranks = 2;
  EXPECT_THAT(refusal(request), HasSubstr("elsewhere"));
  request.model = "/nowhere";
  EXPECT_THAT(refusal(request), HasSubstr("/nowhere cannot be read"));
}

TEST(ElementBytesFor, are_those_of_doubles_where_a_reductions_bytes_allow_it) {
  EXPECT_EQ(element_bytes_for(Collective::allreduce, 24), 8U);
  EXPECT_EQ(element_bytes_for(Collective::allreduce, 12), 4U);
  EXPECT_EQ(element_bytes_for(Collective::allreduce, 7), 1U);
  EXPECT_EQ(element_bytes_for(Collective::bcast, 24), 1U);
}

TEST(PlaceRanks, fills_a_host_before_the_next) {
  const auto model = read_model(kThreeBuses);
  const auto placed = place_ranks(
      model.value(), {.hosts = {"node04", "node00", "node01"}, .ranks_per_host = 2, .ranks = 3});
  ASSERT_TRUE(placed.ok()) << placed.error().message;
  EXPECT_THAT(placed.value().known.view.host_of_rank, ElementsAre(0, 0, 1));
  EXPECT_THAT(placed.value().hosts, ElementsAre("node04.cluster.local", "node00.cluster.local"));
  EXPECT_EQ(placed.value().segment_of(0), "bus1");
  EXPECT_EQ(placed.value().segment_of(2), "bus0");
}

TEST(MessageRounds, of_a_chain_rise_by_one_a_rank) {
  const Shape shape{.collective = Collective::bcast, .ranks = 5, .count = 10};
  const auto network = place_ranks(read_model(kThreeBuses).value(), {.hosts = {}, .ranks = 5});
  const Algorithm& chain = *algorithm_named("bcast_chain");
  const auto played = play(candidate_of(chain, chain.parameters), shape, network.value());
  ASSERT_TRUE(played);
  ASSERT_EQ(played->messages.size(), 4U);
  for (const TimedMessage& message : played->messages)
    EXPECT_EQ(message.round, static_cast<std::uint32_t>(message.from));
}

TEST(WriteTable, has_a_cell_for_each_operation_size_and_number_of_ranks) {
  std::vector<nlohmann::ordered_json> cells;
  const auto written = write_table({kThreeBuses, {.hosts = {}, .ranks = 3}},
                                   [&](const auto& cell) { cells.push_back(cell); });
  ASSERT_TRUE(written.ok());
  EXPECT_EQ(cells.size(), written.value());
  // Ranks 2 and 3; a barrier has one size, ten others have 23.
  EXPECT_EQ(cells.size(), 2U * (1 + 10 * 23));
  for (const auto& cell : cells) {
    EXPECT_GT(cell["time_ns"], 0) << cell;
    EXPECT_GE(cell["time_ns"], cell["bound_ns"]) << cell;
    EXPECT_EQ(cell["library_source"], "estimated");
  }
}

TEST(RankCountsUpTo, are_all_small_ones_and_ever_fewer_large_ones) {
  EXPECT_THAT(rank_counts_up_to(1), ElementsAre());
  EXPECT_THAT(rank_counts_up_to(2), ElementsAre(2));
  EXPECT_THAT(rank_counts_up_to(5), ElementsAre(2, 3, 4, 5));
  const auto many = rank_counts_up_to(1000);
  EXPECT_EQ(many.back(), 1000);
  EXPECT_LT(many.size(), 60U);
  EXPECT_TRUE(std::ranges::is_sorted(many));
}

}  // namespace
}  // namespace quadrille::plan
