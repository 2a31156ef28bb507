// SPDX-License-Identifier: BSD-3-Clause
// Tests that the builder orders what conflicts, and only that.
#include "schedule/builder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>
#include <set>
#include <vector>

#include "schedule/check/finding.h"

namespace quadrille {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

std::vector<StepIndex> dependencies(const Schedule& schedule, StepIndex step) {
  const auto found = schedule.dependencies_of(schedule.steps[step]);
  return {found.begin(), found.end()};
}

TEST(ScheduleBuilder, orders_a_read_after_the_write_of_the_same_elements) {
  ScheduleBuilder builder;
  builder.receive(1, {Buffer::receive, 0, 10});
  builder.receive(2, {Buffer::receive, 10, 10});
  builder.send(3, {Buffer::receive, 9, 2});
  builder.send(3, {Buffer::receive, 12, 2});
  const Schedule schedule = builder.build();
  EXPECT_THAT(dependencies(schedule, 1), IsEmpty());
  EXPECT_THAT(dependencies(schedule, 2), ElementsAre(0, 1));
  EXPECT_THAT(dependencies(schedule, 3), ElementsAre(1));
}

TEST(ScheduleBuilder, orders_a_write_after_the_reads_of_the_same_elements) {
  ScheduleBuilder builder;
  builder.send(1, {Buffer::receive, 0, 10});
  builder.send(2, {Buffer::receive, 0, 10});
  builder.receive(3, {Buffer::receive, 5, 10});
  EXPECT_THAT(dependencies(builder.build(), 2), ElementsAre(0, 1));
}

TEST(ScheduleBuilder, lets_reads_of_the_same_elements_run_side_by_side) {
  ScheduleBuilder builder;
  builder.send(1, {Buffer::send, 0, 10});
  builder.send(2, {Buffer::send, 0, 10});
  EXPECT_THAT(dependencies(builder.build(), 1), IsEmpty());
}

TEST(ScheduleBuilder, leaves_out_what_follows_from_other_dependencies) {
  ScheduleBuilder builder;
  const Region scratch = builder.scratch(4);
  const StepIndex first = builder.receive(1, scratch);
  const StepIndex second = builder.send(2, scratch);
  // Overwriting waits for the send, which waits for the first receive; saying so again adds
  // nothing.
  const StepIndex third = builder.receive(1, scratch, {first, second, ScheduleBuilder::no_step});
  EXPECT_THAT(dependencies(builder.build(), third), ElementsAre(second));
}

TEST(ScheduleBuilder, keeps_pacing_that_the_data_do_not_imply) {
  ScheduleBuilder builder;
  const StepIndex received = builder.receive(1, {Buffer::receive, 0, 4});
  const StepIndex ready = builder.send_ready(2, {received});
  EXPECT_THAT(dependencies(builder.build(), ready), ElementsAre(received));
}

TEST(ScheduleBuilder, leaves_out_copies_of_nothing_but_keeps_messages_without_data) {
  ScheduleBuilder builder;
  const StepIndex received = builder.receive_ready(1);
  EXPECT_EQ(builder.copy({Buffer::send, 0, 0}, {Buffer::receive, 0, 0}), ScheduleBuilder::no_step);
  EXPECT_EQ(builder.copy({Buffer::send, 0, 0}, {Buffer::receive, 0, 0}, {received}), received);
  EXPECT_EQ(builder.build().steps.size(), 1U);
}

// Random programs: the dependencies order exactly what brute force finds to conflict, and none can
// be left out.
TEST(ScheduleBuilder, derives_the_same_order_as_brute_force_from_random_steps) {
  std::mt19937 random(1);
  const auto below = [&](std::uint64_t bound) { return random() % bound; };
  for (int trial = 0; trial < 300; ++trial) {
    ScheduleBuilder builder;
    const std::uint64_t steps = 2 + below(24);
    for (std::uint64_t i = 0; i < steps; ++i) {
      const Region region{Buffer::receive, below(12), 1 + below(5)};
      if (below(2) == 0) {
        builder.send(1, region);
      } else {
        builder.receive(1, region);
      }
    }
    const Schedule schedule = builder.build();
    // ordered[b] holds all steps before b, by the schedule; wanted[b] by brute force.
    std::vector<std::set<StepIndex>> ordered(steps);
    std::vector<std::set<StepIndex>> wanted(steps);
    for (StepIndex b = 0; b < steps; ++b) {
      std::set<StepIndex> implied;
      for (const StepIndex a : dependencies(schedule, b))
        implied.insert(ordered[a].begin(), ordered[a].end());
      for (const StepIndex a : dependencies(schedule, b)) {
        EXPECT_FALSE(implied.contains(a)) << "dependency of " << b << " on " << a << " is implied";
        ordered[b].insert(a);
      }
      ordered[b].insert(implied.begin(), implied.end());
      const auto region = [&](StepIndex i) {
        const Step& step = schedule.steps[i];
        return step.kind == StepKind::send ? step.from : step.into;
      };
      for (StepIndex a = 0; a < b; ++a) {
        const bool writes = schedule.steps[a].kind == StepKind::receive ||
                            schedule.steps[b].kind == StepKind::receive;
        const bool overlap = region(a).offset < region(b).offset + region(b).length &&
                             region(b).offset < region(a).offset + region(a).length;
        if (!writes || !overlap) continue;
        wanted[b].insert(a);
        wanted[b].insert(wanted[a].begin(), wanted[a].end());
      }
    }
    ASSERT_EQ(ordered, wanted) << "trial " << trial;
  }
}

}  // namespace
}  // namespace quadrille
