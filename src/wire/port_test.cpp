// SPDX-License-Identifier: BSD-3-Clause
// Two ports of one process, over the loopback interface.
#include "wire/port.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <array>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <vector>

#include "base/monotonic_clock.h"
#include "wire/links/loopback_links.h"

namespace quadrille::wire {
namespace {

std::vector<std::byte> message(std::size_t length) {
  std::vector<std::byte> bytes(length);
  for (std::size_t i = 0; i < length; ++i) bytes[i] = static_cast<std::byte>(i * 13 + i / 256);
  return bytes;
}

class PortTest : public testing::Test {
 protected:
  void SetUp() override {
    ASSERT_TRUE(start_cryptography());
    LoopbackLinks links;
    ASSERT_NO_FATAL_FAILURE(open_on_loopback(2, links));
    std::vector<PortAddress> addresses;
    for (std::size_t port = 0; port < 2; ++port)
      addresses.push_back({links.datagrams[port]->local(), links.streams[port]->local()});
    for (EndpointId self = 0; self < 2; ++self) {
      EndpointSettings settings;
      settings.self = self;
      settings.peers = 2;
      settings.limits.unscheduled = 500;
      auto port =
          Port::open(std::move(links.datagrams[self]), std::move(links.streams[self]),
                     {.endpoint = settings, .addresses = addresses, .board = &boards_[self]});
      ASSERT_TRUE(port.ok()) << port.error().message;
      ports_.push_back(std::move(port.value()));
      ports_.back()->use_streams();
    }
  }

  // Until `count` messages are complete; false after ten seconds.
  bool drive(Completions& completions, std::size_t count) {
    const Nanoseconds end = monotonic_now() + Nanoseconds{10'000'000'000};
    while (count > 0 && monotonic_now() < end) {
      for (auto& port : ports_) {
        if (!port->drive().ok()) return false;
      }
      count -= taken(completions);
    }
    return count == 0;
  }

  std::size_t taken(Completions& completions) {
    std::vector<Completions::Message> messages;
    ports_[0]->take(completions, messages);
    return messages.size();
  }

  std::array<CreditBoard, 2> boards_{};
  std::vector<std::unique_ptr<Port>> ports_;
};

TEST_F(PortTest, carries_messages_of_all_lengths_both_ways) {
  const Port::Call zero(*ports_[0]);
  const Port::Call one(*ports_[1]);
  for (const std::size_t length : {0U, 1U, 500U, 1440U, 1441U, 100'000U, 3'000'000U}) {
    Completions completions;
    const auto sent = message(length);
    std::vector<std::byte> there(length);
    std::vector<std::byte> back(length);
    ports_[0]->send(1, 3, sent, completions, 0);
    ports_[1]->receive(0, 3, there, completions, 1);
    ports_[1]->send(0, 3, sent, completions, 2);
    ports_[0]->receive(1, 3, back, completions, 3);
    ASSERT_TRUE(drive(completions, 4)) << length;
    EXPECT_EQ(there, sent);
    EXPECT_EQ(back, sent);
  }
}

TEST_F(PortTest, its_thread_answers_for_a_process_that_is_in_no_call) {
  const Port::Call call(*ports_[0]);
  Completions completions;
  const auto sent = message(400);
  ports_[0]->send(1, 0, sent, completions, 7);
  const Nanoseconds end = monotonic_now() + Nanoseconds{10'000'000'000};
  std::size_t complete = 0;
  while (complete == 0 && monotonic_now() < end) {
    ASSERT_TRUE(ports_[0]->drive().ok());
    complete += taken(completions);
  }
  ASSERT_EQ(complete, 1U) << "it went unscheduled, and was acknowledged";
  Completions received;
  std::vector<std::byte> into(400);
  const Port::Call late(*ports_[1]);
  ports_[1]->receive(0, 0, into, received, 1);
  ASSERT_TRUE(ports_[1]->drive().ok());
  EXPECT_EQ(taken(received), 1U);
  EXPECT_EQ(into, sent);
}

// Of all threads of this process.
Nanoseconds processor_time() {
  timespec time{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return {std::int64_t{time.tv_sec} * 1'000'000'000 + time.tv_nsec};
}

TEST_F(PortTest, sleeps_after_its_datagrams_were_refused) {
  {
    const Port::Call call(*ports_[0]);
    Completions completions;
    ports_[1].reset();
    const auto sent = message(100);
    ports_[0]->send(1, 0, sent, completions, 0);
    ASSERT_TRUE(ports_[0]->drive().ok()) << "one refusal is not the end";
    ports_[0]->abandon(0, completions);
  }
  const Nanoseconds before = processor_time();
  constexpr timespec idle{0, 500'000'000};
  nanosleep(&idle, nullptr);
  EXPECT_LT((processor_time() - before).value, 100'000'000);
}

TEST_F(PortTest, notices_that_the_other_process_has_ended) {
  const Port::Call call(*ports_[0]);
  Completions completions;
  std::vector<std::byte> into(5000);
  ports_[0]->receive(1, 0, into, completions, 1);
  ports_[1].reset();
  const Nanoseconds end = monotonic_now() + Nanoseconds{10'000'000'000};
  Result<bool> driven = true;
  while (driven.ok() && monotonic_now() < end) driven = ports_[0]->drive();
  ASSERT_FALSE(driven.ok());
  EXPECT_EQ(driven.error().kind, ErrorKind::peer_lost);
  EXPECT_THAT(driven.error().message, testing::HasSubstr("rank 1"));
}

// Of all threads of this process but the one that asks.
std::uint64_t switches_of_other_threads() {
  std::uint64_t all = 0;
  for (const auto& task : std::filesystem::directory_iterator("/proc/self/task")) {
    if (task.path().filename() == std::to_string(syscall(SYS_gettid))) continue;
    std::ifstream file(task.path() / "ack");
    for (std::string word; file >> word;) {
      if (word != "voluntary_ctxt_switches:" && word != "nonvoluntary_ctxt_switches:") continue;
      std::uint64_t count = 0;
      file >> count;
      all += count;
    }
  }
  return all;
}

TEST_F(PortTest, its_thread_sleeps_while_nothing_arrives_and_while_its_process_is_in_a_call) {
  constexpr timespec settle{0, 50'000'000};
  nanosleep(&settle, nullptr);  // until the threads have begun
  {
    const Port::Call zero(*ports_[0]);
    const Port::Call one(*ports_[1]);
    Completions completions;
    const auto sent = message(300'000);
    std::vector<std::byte> into(300'000);
    const std::uint64_t before = switches_of_other_threads();
    ports_[0]->send(1, 0, sent, completions, 0);
    ports_[1]->receive(0, 0, into, completions, 1);
    ASSERT_TRUE(drive(completions, 2));
    EXPECT_LE(switches_of_other_threads() - before, 4U) << "for some 300 datagrams";
  }
  nanosleep(&settle, nullptr);
  const std::uint64_t before = switches_of_other_threads();
  constexpr timespec idle{2, 0};
  nanosleep(&idle, nullptr);
  EXPECT_EQ(switches_of_other_threads(), before);
}

}  // namespace
}  // namespace quadrille::wire
