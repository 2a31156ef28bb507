// SPDX-License-Identifier: BSD-3-Clause
// Messages by memory of the host: ends that are told late, die, or write what no messenger would.
#include <gtest/gtest.h>

#include <array>
#include <memory>
#include <vector>

#include "fabric/memory/shared_path.h"
#include "fabric/messenger_fixture.h"

namespace quadrille::fabric {
namespace {

class MessengerMemoryTest : public MessengersTest {
 protected:
  MessengerMemoryTest() { placement_ = Placement::told; }

  // Writes to end 0 as if it were end 1.
  void claim_as_the_other() {
    auto ring = ClaimedRing::claim(ends_[0]->name(), ends_[1]->name().key);
    ASSERT_TRUE(ring);
    wild_ = std::make_unique<SharedSender>(std::move(*ring));
  }
  void write(const Control& control) {
    std::array<std::byte, largest_control> bytes{};
    const std::size_t length = write_control(control, bytes);
    wild_->send(RecordKind::control, std::span(bytes).first(length), {});
  }
  void write(const Head& head) {
    std::array<std::byte, largest_head> bytes{};
    const std::size_t length = write_head(head, 0, bytes);
    wild_->send(RecordKind::message, std::span(bytes).first(length), {});
  }
  // All that this end sends is on its way.
  void send_out(std::size_t from) {
    std::vector<std::byte> room(ends_[from]->largest_datagram());
    while (const auto outgoing = ends_[from]->next_datagram(room, now_)) {
      flights_.push_back({ends_[from]->name().at,
                          outgoing->to,
                          {room.begin(), room.begin() + static_cast<long>(outgoing->length)}});
    }
  }
  void look(std::size_t at) {
    ends_[at]->look_at_memory(now_);
    send_out(at);
  }

  std::unique_ptr<SharedSender> wild_;
};

TEST_F(MessengerMemoryTest, a_message_whose_end_is_written_by_a_later_send_is_done) {
  placement_ = Placement::looking;
  make(2);
  for (const auto& inbox : inboxes_) inbox->set_asleep(false);
  const auto long_one = contents(200'000, 1);
  const auto short_one = contents(100, 2);
  std::vector<std::byte> into(long_one.size());
  std::vector<std::byte> into_second(short_one.size());
  receive(1, into, {.from = {}, .tag = 1});
  receive(1, into_second, {.from = {}, .tag = 2});
  send(0, 1, long_one, 1);
  send_out(0);
  look(1);  // calls for it
  look(0);  // writes as much as there is room for
  look(1);
  send(0, 1, short_one, 2);
  send_out(0);
  look(1);
  run();
  EXPECT_EQ(into, long_one);
  EXPECT_EQ(into_second, short_one);
  EXPECT_EQ(done_[0].size(), 2U);
}

TEST_F(MessengerMemoryTest, who_dies_when_it_has_been_called_is_found_out) {
  make(2);
  const auto sent = contents(1'000'000, 1);
  std::vector<std::byte> into(sent.size());
  receive(1, into, {.from = peer(1, 0), .tag = 1});
  send(0, 1, sent, 1);
  send_out(0);
  // As a station does: first all that has arrived, then memory.
  for (auto& flight : flights_) ends_[1]->on_datagram(flight.from, flight.bytes, now_);
  flights_.clear();
  ends_[1]->look_at_memory(now_);
  dead_ = 0;
  run(Nanoseconds{5'000'000'000});
  ASSERT_EQ(done_[1].size(), 1U);
  EXPECT_EQ(done_[1][0].outcome, Outcome::peer_lost);
}

TEST_F(MessengerMemoryTest, a_refusal_counts_no_more_once_the_other_end_has_written) {
  placement_ = Placement::looking;
  make(2);
  for (const auto& inbox : inboxes_) inbox->set_asleep(false);
  std::vector<std::byte> into(10);
  const auto sent = contents(10, 1);
  receive(1, into, {.from = {}, .tag = 1});
  send(0, 1, sent, 1);
  run();  // now they know each other
  done_[0].clear();
  receive(0, into, {.from = {}, .tag = 1});
  ends_[0]->on_refusal(ends_[1]->name().at);  // of a firewall that is set up anew
  send(1, 0, sent, 1);
  run();
  ASSERT_EQ(done_[0].size(), 1U);
  send(0, 1, sent, 2);
  for (int round = 0; round < 1000; ++round) {  // the other end is busy for a while
    now_ += Nanoseconds{1'000'000};
    look(0);
  }
  flights_.clear();
  const auto long_one = contents(1'000'000, 1);
  send(0, 1, long_one, 3, 3);
  EXPECT_TRUE(ends_[0]->done().size() == 1U) << "of the short one; the long one is not lost";
}

TEST_F(MessengerMemoryTest, who_calls_for_a_message_twice_is_lost) {
  for (const std::uint64_t second : {1'000'000, 0}) {
    make(2);
    claim_as_the_other();
    const auto sent = contents(1'000'000, 1);
    send(0, 1, sent, 1);
    write(Control{.calls = true, .offer = 0, .bytes = sent.size()});
    write(Control{.calls = true, .offer = 0, .bytes = second});
    ends_[0]->look_at_memory(now_);
    ASSERT_EQ(ends_[0]->done().size(), 1U);
    EXPECT_EQ(ends_[0]->done()[0].outcome, Outcome::peer_lost);
    wild_.reset();
    ends_.clear();
    inboxes_.clear();
    keys_.clear();
    done_.clear();
  }
}

TEST_F(MessengerMemoryTest, nothing_more_is_taken_from_who_is_lost) {
  make(2);
  claim_as_the_other();
  std::vector<std::byte> into(100'000);
  const auto before = into;
  receive(0, into, {.from = {}, .tag = 1});
  write(Head{.tagged = true, .tag = 1, .data = {}, .offered = true, .length = into.size()});
  ends_[0]->look_at_memory(now_);  // calls for it
  const auto sent = contents(into.size(), 1);
  write(Control{.calls = true, .offer = 7, .bytes = 1});  // of which there is none
  wild_->send_bulk(sent, 1);
  ends_[0]->look_at_memory(now_);
  ends_[0]->look_at_memory(now_);
  ASSERT_EQ(ends_[0]->done().size(), 1U);
  EXPECT_EQ(ends_[0]->done()[0].outcome, Outcome::peer_lost);
  EXPECT_EQ(into, before);
}

}  // namespace
}  // namespace quadrille::fabric
