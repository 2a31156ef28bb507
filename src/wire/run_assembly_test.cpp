// SPDX-License-Identifier: BSD-3-Clause
// A run of three packets of 100 bytes each, whose end is in the third's datagram or one more.
#include "wire/run_assembly.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

namespace quadrille::wire {
namespace {

constexpr std::size_t kPayload = 100;
constexpr Sequence kFirst = (Sequence{1} << 24) - 1;

class RunAssemblyTest : public testing::Test {
 protected:
  // The datagram at `index`; `length` of payload.
  Parsed packet(std::uint8_t index, std::size_t length, bool end) {
    auto& memory = memories_.emplace_back(length + (end ? run_trailer_bytes : 0));
    std::fill_n(memory.begin(), length, static_cast<std::byte>(index + 1));
    std::fill(memory.begin() + static_cast<std::ptrdiff_t>(length), memory.end(), std::byte{99});
    Parsed made;
    made.header.kind = end ? PacketKind::run_end : PacketKind::run_data;
    made.header.last = end;
    made.header.place = 40U + index;
    made.header.index = index;
    made.body = memory;
    return made;
  }
  void add(const Parsed& packet) { run_.add(packet, kFirst + packet.header.index); }
  std::vector<int> payloads() const {
    std::vector<int> found;
    for (const auto payload : run_.payloads()) {
      EXPECT_TRUE(std::ranges::all_of(payload, [&](std::byte b) { return b == payload[0]; }));
      found.push_back(std::to_integer<int>(payload.front()));
    }
    return found;
  }

  std::vector<std::vector<std::byte>> memories_;
  RunAssembly run_{kPayload};
};

TEST_F(RunAssemblyTest, is_whole_when_all_are_here_in_whatever_order) {
  run_.begin(7);
  add(packet(2, 50, true));
  EXPECT_FALSE(run_.is_whole());
  add(packet(0, kPayload, false));
  add(packet(0, kPayload, false));
  EXPECT_FALSE(run_.is_whole());
  add(packet(1, kPayload, false));
  ASSERT_TRUE(run_.is_whole());
  EXPECT_EQ(payloads(), (std::vector{1, 2, 3}));
  EXPECT_EQ(run_.payloads()[2].size(), 50U);
  EXPECT_EQ(run_.first(), kFirst);
  EXPECT_EQ(run_.place(), 40U);
  EXPECT_TRUE(run_.ends_message());
  EXPECT_EQ(run_.ack().size(), ack_body_bytes);
  EXPECT_EQ(run_.tag().size(), run_tag_bytes);
}

TEST_F(RunAssemblyTest, keeps_what_others_overwrite) {
  run_.begin(7);
  const auto add_and_keep = [&](const Parsed& packet) {
    add(packet);
    run_.keep();
    std::ranges::fill(memories_.back(), std::byte{0});
  };
  add_and_keep(packet(3, 0, true));
  add_and_keep(packet(1, kPayload, false));
  add(packet(0, kPayload, false));
  add(packet(2, kPayload, false));
  ASSERT_TRUE(run_.is_whole());
  EXPECT_EQ(payloads(), (std::vector{1, 2, 3}));
  EXPECT_EQ(run_.tag()[0], std::byte{99});
}

TEST_F(RunAssemblyTest, leaves_out_what_contradicts_the_others) {
  run_.begin(7);
  add(packet(0, kPayload, false));
  Parsed elsewhere = packet(1, kPayload, false);
  elsewhere.header.place = 77;
  add(elsewhere);
  run_.add(packet(1, kPayload, false), kFirst + 5);
  add(packet(1, kPayload - 1, false));
  add(packet(2, 50, true));
  add(packet(3, 50, true));
  add(packet(3, kPayload, false));
  EXPECT_FALSE(run_.is_whole());
  add(packet(1, kPayload, false));
  EXPECT_TRUE(run_.is_whole());
  run_.begin(8);
  EXPECT_FALSE(run_.is_whole());
}

}  // namespace
}  // namespace quadrille::wire
