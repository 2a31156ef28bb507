// SPDX-License-Identifier: BSD-3-Clause
// Messages whose ends disagree about their length: found by the receiver, told once, and waited on
// by nobody once the receiver has given its channel up, as the executor does after an error.
#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <map>
#include <ostream>
#include <string>
#include <tuple>
#include <vector>

#include "wire/channels.h"
#include "wire/simulated/messages.h"
#include "wire/simulated/simulated_network.h"

namespace quadrille::wire {
namespace {

enum class Way : std::uint8_t { plain, certain, group };
struct Lengths {
  const char* name;
  std::size_t sent, expected;
};
std::ostream& operator<<(std::ostream& out, const Lengths& lengths) { return out << lengths.name; }

SimulatedSettings three_ends() {
  SimulatedSettings settings;
  settings.endpoints = 3;
  settings.endpoint.limits = {.payload = 1000, .unscheduled = 500, .group_ahead = 4};
  settings.endpoint.tells_of_failure = true;
  return settings;
}

class MessageOfTwoLengths : public testing::TestWithParam<std::tuple<Way, Lengths>> {
 protected:
  static constexpr Channel channel = 3;

  // What becomes of a message from 0 to 1, and of one that 2 expects of 1, which gives up.
  void run(SimulatedNetwork& network) {
    const auto [way, lengths] = GetParam();
    std::map<std::pair<EndpointId, Handle>, int> ended;
    network.on_completion([&](EndpointId end, Handle handle) {
      ++ended[{end, handle}];
      if (end == 1 && network.mismatches() == 1) give_up(network, 1);
    });
    const Message sent = message(lengths.sent, 1);
    Message received(lengths.expected);
    Message other(lengths.sent);
    Message awaited(100);
    const std::vector<EndpointId> members{0, 1, 2};
    if (way == Way::group) {
      network.receive_from_group(1, 0, {members}, received, 1, group_channel_of(channel));
      network.receive_from_group(2, 0, {members}, other, 2, group_channel_of(channel));
      network.send_to_group(0, {members}, sent, 3, group_channel_of(channel));
    } else {
      way == Way::plain ? network.receive(1, 0, received, 1, channel)
                        : network.receive_certain(1, 0, received, 1, channel);
      network.send(0, 1, sent, 3, channel);
    }
    network.receive(2, 1, awaited, 4, channel);
    network.pass(milliseconds(10'000));
    const auto times = [&](EndpointId end, Handle handle) { return ended[{end, handle}]; };
    EXPECT_EQ(times(1, 1), 1) << "the receiver finds it";
    EXPECT_GE(network.mismatches(), 2U) << "and who waits for it hears of it";
    EXPECT_EQ(times(0, 3), 1) << "its sender waits no longer";
    EXPECT_EQ(times(2, 4), 1) << "nor does who expects something of the receiver";
    if (way == Way::group) {
      EXPECT_EQ(times(2, 2), 1) << "the other member has it";
      EXPECT_EQ(other, sent);
    }
    const std::uint64_t before = network.mismatches();
    network.receive(2, 1, awaited, 5, channel);
    EXPECT_TRUE(network.run_once(network.now() + milliseconds(1)));
    EXPECT_EQ(times(2, 5), 1) << "what is expected later ends at once";
    EXPECT_EQ(network.mismatches(), before + 1);
  }

 private:
  static void give_up(SimulatedNetwork& network, EndpointId end) {
    network.at(network.now(), [&network, end] {
      network.endpoint(end).abandon(channel);
      network.endpoint(end).abandon(group_channel_of(channel));
      // Ranks of the call that have had no message of it yet.
      network.poke(end);
    });
  }
};

TEST_P(MessageOfTwoLengths, is_found_and_waited_on_by_nobody) {
  SimulatedNetwork network(three_ends());
  run(network);
}

TEST_P(MessageOfTwoLengths, is_so_whichever_datagram_is_lost) {
  for (std::uint64_t lost = 0; lost < 12; ++lost) {
    SCOPED_TRACE(lost);
    SimulatedNetwork network(three_ends());
    network.lose_datagrams(lost);
    run(network);
  }
}

std::string name_of(const testing::TestParamInfo<MessageOfTwoLengths::ParamType>& info) {
  constexpr std::array names{"plain_", "certain_", "group_"};
  return names[static_cast<std::size_t>(std::get<0>(info.param))] +
         std::string(std::get<1>(info.param).name);
}

INSTANTIATE_TEST_SUITE_P(
    each, MessageOfTwoLengths,
    testing::Combine(testing::Values(Way::plain, Way::certain, Way::group),
                     testing::Values(Lengths{"short_sender_longer", 300, 200},
                                     Lengths{"short_receiver_longer", 200, 300},
                                     Lengths{"short_for_long", 200, 5000},
                                     Lengths{"long_for_short", 5000, 200},
                                     Lengths{"sender_longer_by_packets", 9000, 4000},
                                     Lengths{"receiver_longer_by_packets", 4000, 9000},
                                     Lengths{"sender_longer_by_a_byte", 4001, 4000},
                                     Lengths{"receiver_longer_by_a_byte", 3999, 4000},
                                     Lengths{"nothing_for_something", 0, 700},
                                     Lengths{"nothing_for_much", 0, 7000},
                                     Lengths{"something_for_nothing", 300, 0},
                                     Lengths{"much_for_nothing", 7000, 0})),
    name_of);

// Of two ends that have messages for each other one is not to announce its own, but what the other
// has may wait for it.
TEST(ShortMessage, that_the_other_end_waits_for_is_announced_before_a_probe_is_due) {
  for (const EndpointId first : {0U, 1U}) {
    const EndpointId second = 1 - first;
    SimulatedNetwork network(three_ends());
    const Message sent = message(3000, 1);
    Message there(3000);
    Message back(3000);
    network.on_completion([&](EndpointId end, Handle handle) {
      if (end == second && handle == 1) network.send(second, first, sent, 3, 0);
    });
    network.receive(first, second, back, 4, 0);
    network.receive(second, first, there, 1, 0);
    network.send(first, second, sent, 2, 0);
    ASSERT_TRUE(network.run(milliseconds(1000)));
    EXPECT_EQ(back, sent);
    EXPECT_LT(ms(network.now()), 7) << first;
  }
}

}  // namespace
}  // namespace quadrille::wire
