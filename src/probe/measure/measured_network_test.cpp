// SPDX-License-Identifier: BSD-3-Clause
// Coordinator and agents together: threads that speak through memory and measure over the loopback
// interface, each host an address of its own in 127.0.0.0/8.
#include "probe/measure/measured_network.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <condition_variable>
#include <deque>
#include <mutex>
#include <thread>

namespace quadrille::probe {
namespace {

using ::testing::Each;
using ::testing::Gt;
using ::testing::HasSubstr;
using ::testing::SizeIs;

class Mailboxes {
 public:
  explicit Mailboxes(HostIndex hosts) : boxes_(2 * std::size_t{hosts}) {}

  // To host 0 from `host`, or the other way round.
  void put(HostIndex host, bool to_coordinator, std::string message) {
    const std::scoped_lock lock(mutex_);
    boxes_[2 * std::size_t{host} + (to_coordinator ? 1 : 0)].push_back(std::move(message));
    changed_.notify_all();
  }
  bool take(HostIndex host, bool to_coordinator, std::int64_t patience_ns, std::string& message) {
    std::unique_lock lock(mutex_);
    auto& box = boxes_[2 * std::size_t{host} + (to_coordinator ? 1 : 0)];
    if (!changed_.wait_for(lock, std::chrono::nanoseconds(patience_ns),
                           [&] { return !box.empty(); })) {
      return false;
    }
    message = std::move(box.front());
    box.pop_front();
    return true;
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<std::deque<std::string>> boxes_;
};

class MemoryChannel : public ControlChannel {
 public:
  MemoryChannel(Mailboxes& boxes, HostIndex hosts, HostIndex own)
      : boxes_(boxes), hosts_(hosts), own_(own) {}
  HostIndex hosts() const override { return hosts_; }
  HostIndex own_host() const override { return own_; }
  Result<bool> send(HostIndex to, std::string message) override {
    boxes_.put(own_ == 0 ? to : own_, own_ != 0, std::move(message));
    return true;
  }
  Result<bool> flush(std::int64_t) override { return true; }
  Result<std::string> receive(HostIndex from, std::int64_t patience_ns) override {
    std::string message;
    if (boxes_.take(own_ == 0 ? from : own_, own_ == 0, patience_ns, message)) return message;
    return Error{ErrorKind::peer_lost, "no answer"};
  }

 private:
  Mailboxes& boxes_;
  HostIndex hosts_;
  HostIndex own_;
};

AgentOptions on_loopback(HostIndex host) {
  AgentOptions options;
  options.facts = [host] {
    HostFacts facts;
    facts.name = "h" + std::to_string(host);
    facts.machine = "one";
    facts.interfaces = {{"lo", "127.0.0." + std::to_string(host + 1), 8, 65'536, 0, true, false}};
    return facts;
  };
  options.settings = [host] { return "{\"host\":" + std::to_string(host) + "}"; };
  return options;
}

class MeasuredNetworkTest : public ::testing::Test {
 protected:
  static constexpr HostIndex hosts = 3;

  void start(MeasureOptions options = {}) {
    for (HostIndex host = 1; host < hosts; ++host) {
      agents_.emplace_back([this, host] {
        MemoryChannel channel(boxes_, hosts, host);
        EXPECT_TRUE(serve(channel, on_loopback(host)).ok());
      });
    }
    options.own = on_loopback(0);
    auto opened = MeasuredNetwork::open(channel_, std::move(options));
    ASSERT_TRUE(opened.ok()) << opened.error().message;
    network_ = std::move(opened.value());
  }
  void TearDown() override {
    if (network_ != nullptr) {
      EXPECT_TRUE(network_->finish().ok());
    }
    for (std::thread& agent : agents_) agent.join();
  }
  RoundResult performed(const Round& round) {
    auto result = network_->perform(round);
    EXPECT_TRUE(result.ok()) << result.error().message;
    return result.ok() ? result.value() : empty_result(round, hosts);
  }

  Mailboxes boxes_{hosts};
  MemoryChannel channel_{boxes_, hosts, 0};
  std::vector<std::thread> agents_;
  std::unique_ptr<MeasuredNetwork> network_;
};

Round lasting(std::int64_t duration_ns) {
  Round round;
  round.purpose = "a test";
  round.duration_ns = duration_ns;
  return round;
}

TEST_F(MeasuredNetworkTest, learns_hosts_networks_and_settings) {
  start();
  ASSERT_THAT(network_->networks(), SizeIs(1));
  EXPECT_EQ(network_->networks()[0].name, "127.0.0.0/8");
  EXPECT_EQ(network_->hosts()[2].name, "h2");
  const auto settings = network_->settings();
  ASSERT_TRUE(settings.ok());
  EXPECT_EQ(settings.value()[1], "{\"host\":1}");
  const auto counters = network_->counters();
  ASSERT_TRUE(counters.ok());
  EXPECT_THAT(counters.value(), SizeIs(hosts));
}

TEST_F(MeasuredNetworkTest, streams_arrive_whole_and_in_order) {
  start();
  Round round = lasting(60'000'000);
  round.streams = {{0, 1, 0, 50, kFullFrameBytes, 0, true},
                   {2, 0, 5'000'000, 20, 200, 1'000'000, false}};
  const RoundResult result = performed(round);
  EXPECT_EQ(result.streams[0].sent, 50U);
  EXPECT_EQ(result.streams[0].received, 50U);
  ASSERT_THAT(result.streams[0].arrivals, SizeIs(50));
  for (std::uint32_t index = 0; index < 50; ++index) {
    EXPECT_EQ(result.streams[0].arrivals[index].index, index);
    EXPECT_GT(result.streams[0].arrivals[index].delay_ns, 0);
  }
  EXPECT_GT(result.streams[0].send_call_ns, 0);
  EXPECT_GT(result.streams[0].receive_call_ns, 0);
  EXPECT_EQ(result.streams[1].received, 20U);
  // Nineteen gaps of a millisecond.
  EXPECT_GE(result.streams[1].last_arrival_ns - result.streams[1].first_arrival_ns, 15'000'000);
  EXPECT_GE(result.streams[1].least_delay_ns, 1);
  EXPECT_LE(result.streams[1].least_delay_ns, result.streams[1].median_delay_ns);
  EXPECT_GE(network_->sent_bytes(), 50U * kFullFrameBytes + 20U * 200U);
}

TEST_F(MeasuredNetworkTest, fans_reach_every_target_in_every_pass) {
  start();
  Round round = lasting(40'000'000);
  round.fans = {{0, {1, 2}, 0, 30'000'000, 10}, {2, {0}, 0, 30'000'000, 5}};
  const RoundResult result = performed(round);
  EXPECT_EQ(result.fans[0][0].received, 10U);
  EXPECT_EQ(result.fans[0][1].received, 10U);
  EXPECT_EQ(result.fans[1][0].received, 5U);
  EXPECT_GT(result.fans[0][1].least_delay_ns, 0);
}

TEST_F(MeasuredNetworkTest, exchanges_of_one_and_of_many_pieces_are_all_answered) {
  start();
  Round round = lasting(320'000'000);  // long enough for a machine that is busy with other tests
  round.exchanges = {{1, 2, 0, 6, 64, 64, 150'000'000},
                     {2, 0, 150'000'000, 4, 16'000, 200, 150'000'000}};
  const RoundResult result = performed(round);
  EXPECT_THAT(result.exchanges[0].round_trips_ns, SizeIs(6));
  EXPECT_THAT(result.exchanges[0].round_trips_ns, Each(Gt(0)));
  EXPECT_EQ(result.exchanges[0].time_to_live, 64);
  EXPECT_THAT(result.exchanges[1].round_trips_ns, SizeIs(4));
}

TEST_F(MeasuredNetworkTest, clocks_that_are_not_trusted_are_aligned) {
  MeasureOptions options;
  options.trust_shared_clock = false;
  start(std::move(options));
  Round round = lasting(30'000'000);
  round.fans = {{0, {1, 2}, 0, 20'000'000, 10}, {1, {0}, 0, 20'000'000, 10}};
  const RoundResult result = performed(round);
  EXPECT_EQ(network_->rounds() - network_->repeated(), 2U);
  // All clocks are truly one: what alignment gets wrong is less than a round trip on a busy
  // machine.
  EXPECT_LT(std::abs(result.fans[0][0].least_delay_ns), 1'000'000);
  EXPECT_LT(std::abs(result.fans[1][0].least_delay_ns), 1'000'000);
}

TEST_F(MeasuredNetworkTest, a_long_report_is_fetched) {
  start();
  Round round = lasting(60'000'000);
  round.streams = {{0, 1, 0, 900, 200, 0, true}, {0, 2, 0, 900, 200, 0, true}};
  const RoundResult result = performed(round);
  EXPECT_THAT(result.streams[0].arrivals, SizeIs(900));
  EXPECT_THAT(result.streams[1].arrivals, SizeIs(900));
}

TEST_F(MeasuredNetworkTest, a_round_out_of_bounds_is_refused_before_anything_is_sent) {
  start();
  Round round = lasting(1000);
  round.streams = {{0, 7, 0, 1, kFullFrameBytes, 0, false}};
  const auto result = network_->perform(round);
  ASSERT_FALSE(result.ok());
  EXPECT_EQ(result.error().kind, ErrorKind::invalid_argument);
  EXPECT_EQ(network_->rounds(), 0U);
}

TEST(MeasuredNetworkAlone, a_silent_host_is_named_with_what_was_being_done) {
  Mailboxes boxes(2);
  MemoryChannel channel(boxes, 2, 0);
  AgentCalls calls(channel);
  calls.name_hosts({"h0", "h1"});
  calls.set_purpose("measuring \"idle\"");
  const auto answered = calls.answer(1, Request::perform, 1);
  ASSERT_FALSE(answered.ok());
  EXPECT_EQ(answered.error().kind, ErrorKind::peer_lost);
  EXPECT_THAT(answered.error().message, HasSubstr("host h1, while measuring \"idle\""));
}

}  // namespace
}  // namespace quadrille::probe
