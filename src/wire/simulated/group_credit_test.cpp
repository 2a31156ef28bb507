// SPDX-License-Identifier: BSD-3-Clause
// What groups have been granted holds up nobody: credit for what is not there, or for who is late.
// See docs/decisions/51_credit_for_what_is_not_there.md.
#include <gtest/gtest.h>

#include <cstddef>
#include <vector>

#include "wire/simulated/broadcasts.h"

namespace quadrille::wire {
namespace {

// What a group's sender has been granted before it has anything may be all that losses leave.
TEST(GroupCredit, holds_no_credit_that_its_own_sender_waits_for) {
  SimulatedNetwork network(of(4));
  Broadcasts broadcasts(network, 4);
  broadcasts.start(1, 8);
  ASSERT_TRUE(broadcasts.run(milliseconds(1000)));
  broadcasts.start(1, 12 * 1440, {{}, milliseconds(2000), {}, {}});
  network.pass(milliseconds(10));
  EXPECT_EQ(network.budget(0).own(), 12U);
  for (int i = 0; i < 4; ++i) network.budget(0).lost(network.now());
  ASSERT_LT(network.budget(0).limit(), 12U);
  MessageBeside beside(network, 2, 0);
  beside.start();
  network.pass(milliseconds(200));
  EXPECT_TRUE(beside.has_come());
  ASSERT_TRUE(broadcasts.run(milliseconds(5000)));
  EXPECT_TRUE(broadcasts.right());
}

// Not even where others that are not there either wait before it.
TEST(GroupCredit, lets_what_is_there_come_before_what_waits_in_front_of_it) {
  SimulatedNetwork network(of(4));
  const std::vector<EndpointId> all{0, 1, 2, 3};
  std::vector<Message> not_there(3, Message(12 * 1440));
  network.receive_from_group(0, 1, {all}, not_there[0], 1, 1);
  network.receive_from_group(0, 3, {all}, not_there[1], 2, 2);
  ASSERT_EQ(network.budget(0).own(), network.budget(0).limit());
  network.receive_from_group(0, 1, {all}, not_there[2], 3, 3);
  MessageBeside beside(network, 2, 0);
  beside.start();
  network.pass(milliseconds(200));
  EXPECT_TRUE(beside.has_come());
  EXPECT_EQ(network.overflows(), 0U);
}

// What came of the next one before its program did leaves gaps, which are refused meanwhile.
TEST(GroupCredit, of_which_a_late_member_expects_no_more_holds_none_of_its_credit) {
  SimulatedSettings settings = of(4);
  settings.budget = 8;
  SimulatedNetwork network(settings);
  Broadcasts broadcasts(network, 4);
  broadcasts.start(1, 30 * 1440, {{}, {}, {}, milliseconds(25)});
  broadcasts.start(1, 30 * 1440, {{}, {}, {}, milliseconds(2000)});
  network.pass(milliseconds(200));
  EXPECT_EQ(network.endpoint(0).counters().data_received, 60U);
  EXPECT_GT(network.endpoint(3).counters().data_received, 30U) << "some came early";
  EXPECT_EQ(network.budget(3).own(), 0U);
  MessageBeside beside(network, 2, 3);
  beside.start();
  network.pass(milliseconds(200));
  EXPECT_TRUE(beside.has_come());
  ASSERT_TRUE(broadcasts.run(milliseconds(5000)));
  EXPECT_TRUE(broadcasts.right());
}

// The others hold credit for it, which what the late one waits for may need.
TEST(GroupCredit, goes_on_without_one_that_is_late_by_all_that_can_be_kept_account_of) {
  SimulatedSettings settings = of(4);
  settings.endpoint.limits.most_open = 8;
  SimulatedNetwork network(settings);
  Broadcasts broadcasts(network, 4);
  std::vector<Nanoseconds> late(4);
  late[3] = milliseconds(500);
  broadcasts.start(1, 20'000, late);
  network.pass(milliseconds(400));
  EXPECT_EQ(network.endpoint(0).counters().data_received, 14U);
  EXPECT_EQ(network.endpoint(2).counters().data_received, 14U);
  EXPECT_EQ(network.budget(2).own(), 0U);
  ASSERT_TRUE(broadcasts.run(milliseconds(1000)));
  const std::uint64_t before = network.endpoint(1).counters().group_sent;
  broadcasts.start(1, 20'000);
  ASSERT_TRUE(broadcasts.run(milliseconds(2000)));
  EXPECT_TRUE(broadcasts.right());
  EXPECT_EQ(network.endpoint(1).counters().group_sent - before, 14U) << "to all at once again";
}

}  // namespace
}  // namespace quadrille::wire
