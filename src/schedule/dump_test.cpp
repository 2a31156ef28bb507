// SPDX-License-Identifier: BSD-3-Clause
// Tests of the JSON form of schedules.
#include "schedule/dump.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <vector>

#include "schedule/builder.h"

namespace quadrille {
namespace {

TEST(Dump, says_of_each_step_what_means_something_for_its_kind) {
  const Shape shape{.collective = Collective::bcast, .ranks = 2, .root = 1, .count = 8};
  ScheduleBuilder builder;
  builder.receive_ready(1);
  const StepIndex received = builder.receive(1, {Buffer::receive, 0, 8});
  builder.send_ready(1, {received});
  builder.copy({Buffer::receive, 0, 8}, builder.scratch(8));
  const std::vector<Schedule> schedules{builder.build(), Schedule{}};

  const auto json = dump(shape, "some_algorithm", "a=1", schedules);

  EXPECT_EQ(json["collective"], "bcast");
  EXPECT_EQ(json["root"], 1);
  EXPECT_EQ(json["schedules"].size(), 2U);
  const auto& steps = json["schedules"][0]["steps"];
  EXPECT_EQ(
      steps[0],
      (nlohmann::ordered_json{
          {"step", 0}, {"kind", "receive"}, {"peer", 1}, {"after", nlohmann::json::array()}}));
  EXPECT_EQ(steps[1]["into"],
            (nlohmann::ordered_json{{"buffer", "receive"}, {"offset", 0}, {"length", 8}}));
  EXPECT_FALSE(steps[1].contains("from"));
  EXPECT_EQ(steps[2]["after"], (std::vector<int>{1}));
  EXPECT_FALSE(steps[3].contains("peer"));
  EXPECT_EQ(json["schedules"][0]["scratch_length"], 8);
}

}  // namespace
}  // namespace quadrille
