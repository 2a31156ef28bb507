// SPDX-License-Identifier: BSD-3-Clause
// For tests: messengers on a network of the test's own, which loses, repeats and reorders what its
// seed says.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "fabric/messenger.h"

namespace quadrille::fabric {

constexpr std::uint64_t any_tag = ~std::uint64_t{0};

inline std::vector<std::byte> contents(std::size_t length, unsigned seed) {
  std::vector<std::byte> bytes(length);
  for (std::size_t i = 0; i < length; ++i) bytes[i] = static_cast<std::byte>(i * 7 + seed * 31);
  return bytes;
}

// Each on a host of its own, or all on one, where they look at memory all the time or only when a
// datagram has come.
enum class Placement : std::uint8_t { apart, looking, told };

class MessengersTest : public testing::Test {
 protected:
  static void SetUpTestSuite() { ASSERT_TRUE(wire::start_cryptography()); }

  bool on_one_host() const { return placement_ != Placement::apart; }

  // `know_all`: each has all others in its address vector.
  void make(std::size_t count, bool know_all = true, bool with_secret = true) {
    for (std::size_t i = 0; i < count; ++i) {
      keys_.push_back(std::make_unique<KeyPair>());
      MessengerSettings settings;
      const auto number = static_cast<std::uint16_t>(i);
      const std::uint32_t host = on_one_host() ? 0 : std::min<std::uint32_t>(number, last_host_);
      settings.name = {{0x0a000001 + host, static_cast<std::uint16_t>(4000 + number)}, 1448, {}};
      settings.name.key = keys_.back()->public_key();
      if (on_one_host()) {
        inboxes_.push_back(Inbox::open(settings.name.key));
        ASSERT_NE(inboxes_.back(), nullptr);
        settings.inbox = inboxes_.back().get();
        settings.name.inbox = settings.inbox->place();
      }
      settings.flow_control = flow_control_;
      if (board_of_) settings.board = board_of_(i);
      if (with_secret) settings.job_secret = secret_from_digits(std::string(32, '7'));
      ends_.push_back(std::make_unique<Messenger>(settings, *keys_.back()));
      done_.emplace_back();
    }
    for (std::size_t i = 0; know_all && i < count; ++i) {
      for (std::size_t j = 0; j < count; ++j) peer(i, j);
    }
  }
  PeerNumber peer(std::size_t at, std::size_t other) {
    return *ends_[at]->peer(ends_[other]->name(), now_);
  }

  void send(std::size_t from, std::size_t to, const std::vector<std::byte>& bytes,
            std::uint64_t tag, std::uint64_t context = 0) {
    SendRequest request{.to = peer(from, to),
                        .bytes = bytes,
                        .tagged = true,
                        .tag = tag,
                        .data = tag + 1,
                        .report = {.context = pointer(context), .wanted = true}};
    ends_[from]->send(request, now_);
  }
  void receive(std::size_t at, std::vector<std::byte>& into, const Pattern& pattern,
               std::uint64_t context = 0) {
    ends_[at]->receive({.buffer = into,
                        .tagged = true,
                        .pattern = pattern,
                        .least_room = {},
                        .report = {.context = pointer(context), .wanted = true}},
                       now_);
  }
  // Its host has refused what `at` sent it, as a firewall does while it is set up anew.
  void give_up(std::size_t at, std::size_t other) {
    send(at, other, contents(10, 9), 99);
    const Nanoseconds end = now_ + Nanoseconds{10'000'000'000};
    std::vector<std::byte> room(4096);
    for (; now_ < end; now_ += Nanoseconds{1'000'000}) {
      while (ends_[at]->next_datagram(room, now_)) {
        ends_[at]->on_refusal(ends_[other]->name().at);
      }
    }
  }
  static void* pointer(std::uint64_t number) { return reinterpret_cast<void*>(number); }

  // Everything that is on its way goes on until nothing is, or for so long.
  void run(Nanoseconds most = {20'000'000'000}) {
    const Nanoseconds end = now_ + most;
    while (now_ < end) {
      const bool moved = step();
      for (std::size_t i = 0; i < ends_.size(); ++i) {
        auto& done = ends_[i]->done();
        done_[i].insert(done_[i].end(), done.begin(), done.end());
        done.clear();
      }
      if (moved) continue;
      std::optional<Nanoseconds> next;
      for (const auto& end_of : ends_) {
        const auto due = end_of->deadline();
        if (due && (!next || *due < *next)) next = due;
      }
      if (!next) return;
      now_ = std::max(now_ + Nanoseconds{1000}, *next);
    }
  }
  bool step() {
    bool moved = false;
    std::vector<std::byte> room(4096);
    for (std::size_t i = 0; i < ends_.size(); ++i) {
      if (dead_ == i) continue;
      if (placement_ == Placement::looking) moved |= ends_[i]->look_at_memory(now_);
      while (const auto outgoing = ends_[i]->next_datagram(room, now_)) {
        moved = true;
        ++datagrams_;
        const bool lost = chance_() % 1000 < loss_per_mille_;
        const Flight flight{ends_[i]->name().at,
                            outgoing->to,
                            {room.begin(), room.begin() + static_cast<long>(outgoing->length)}};
        if (!lost) flights_.push_back(flight);
        if (loss_per_mille_ > 0 && chance_() % 50 == 0) flights_.push_back(flight);
        if (loss_per_mille_ > 0 && flights_.size() > 1 && chance_() % 20 == 0)
          std::swap(flights_.back(), flights_[flights_.size() - 2]);
      }
    }
    most_flights_ = std::max(most_flights_, flights_.size());
    long_flights_.assign(ends_.size(), 0);
    for (const Flight& flight : flights_)
      if (flight.bytes.size() > 1000) ++long_flights_[flight.from.port - 4000U];
    now_ += Nanoseconds{10'000};
    while (!flights_.empty()) {
      moved = true;
      Flight flight = flights_.front();
      flights_.pop_front();
      const std::size_t to = flight.to.port - 4000;
      if (to == dead_) {
        ends_[flight.from.port - 4000]->on_refusal(flight.to);
      } else {
        ends_[to]->on_datagram(flight.from, flight.bytes, now_);
        ends_[to]->look_at_memory(now_);
      }
    }
    return moved;
  }

  struct Flight {
    wire::NetworkAddress from;
    wire::NetworkAddress to;
    std::vector<std::byte> bytes;
  };
  std::vector<std::size_t> long_flights_;  // by sender, of the last step
  Placement placement_ = Placement::apart;
  std::vector<std::unique_ptr<KeyPair>> keys_;
  std::vector<std::unique_ptr<Inbox>> inboxes_;
  std::vector<std::unique_ptr<Messenger>> ends_;
  std::vector<std::vector<Done>> done_;
  std::deque<Flight> flights_;
  std::mt19937 chance_{1};
  unsigned loss_per_mille_ = 0;
  std::size_t dead_ = 999;
  std::size_t datagrams_ = 0;
  std::size_t most_flights_ = 0;  // at a time
  bool flow_control_ = true;
  std::uint32_t last_host_ = 999;  // has all that are left
  std::function<wire::HostBoard*(std::size_t)> board_of_;
  Nanoseconds now_{1'000'000};
};

// In each placement.
class MessengerTest : public MessengersTest, public testing::WithParamInterface<Placement> {
 protected:
  MessengerTest() { placement_ = GetParam(); }
};

}  // namespace quadrille::fabric
