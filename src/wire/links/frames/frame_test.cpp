// SPDX-License-Identifier: BSD-3-Clause
#include "wire/links/frames/frame.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <vector>

namespace quadrille::wire {
namespace {

constexpr FrameEnds ends{.to_hardware = {2, 0, 0, 0, 0, 1},
                         .from_hardware = {2, 0, 0, 0, 0, 2},
                         .to = {0xc6120003, 4791},
                         .from = {0xc6120004, 50'000}};

std::vector<std::byte> frame_of(std::size_t payload) {
  const auto headers = frame_headers(ends, payload, false);
  std::vector<std::byte> bytes(headers.begin(), headers.end());
  for (std::size_t i = 0; i < payload; ++i) bytes.push_back(static_cast<std::byte>(i));
  return bytes;
}

std::uint32_t sum_of(std::span<const std::byte> bytes) {
  std::uint32_t sum = 0;
  for (std::size_t i = 0; i + 1 < bytes.size(); i += 2)
    sum += std::to_integer<unsigned>(bytes[i]) << 8U | std::to_integer<unsigned>(bytes[i + 1]);
  while (sum > 0xffff) sum = (sum & 0xffffU) + (sum >> 16U);
  return sum;
}

TEST(Frame, is_read_as_it_was_written) {
  for (const std::size_t payload : {0, 1, 18, 1472}) {
    auto bytes = frame_of(payload);
    const auto frame = read_frame(bytes);
    ASSERT_TRUE(frame);
    EXPECT_EQ(frame->from, ends.from);
    EXPECT_EQ(frame->to, ends.to);
    EXPECT_EQ(frame->payload.size(), payload);
    EXPECT_EQ(frame->payload.data(), bytes.data() + frame_header_bytes);
    EXPECT_TRUE(std::ranges::equal(frame->payload, std::span(bytes).subspan(frame_header_bytes)));
  }
}

TEST(Frame, has_the_bytes_of_the_standards) {
  const auto bytes = frame_of(100);
  const auto at = [&](std::size_t i) { return std::to_integer<unsigned>(bytes[i]); };
  EXPECT_EQ(at(5), 1U) << "receiver first";
  EXPECT_EQ(at(11), 2U);
  EXPECT_EQ(at(12) << 8U | at(13), 0x0800U);
  EXPECT_EQ(at(14), 0x45U);
  EXPECT_EQ(at(16) << 8U | at(17), 128U);
  EXPECT_EQ(at(20), 0x40U) << "never to be fragmented";
  EXPECT_EQ(at(23), 17U);
  EXPECT_EQ(sum_of(std::span(bytes).subspan(14, 20)), 0xffffU) << "RFC 1071";
  EXPECT_EQ(at(34) << 8U | at(35), 50'000U);
  EXPECT_EQ(at(36) << 8U | at(37), 4791U);
  EXPECT_EQ(at(38) << 8U | at(39), 108U);
  EXPECT_EQ(at(40) << 8U | at(41), 0U) << "no check sum";
}

TEST(Frame, that_is_cut_further_on_has_the_sum_of_what_its_pieces_share) {
  const auto headers = frame_headers(ends, 2000, true);
  std::vector<std::byte> pseudo(headers.begin() + 26, headers.begin() + 34);
  for (const unsigned value : {0, 17, 2008 >> 8, 2008 & 255})
    pseudo.push_back(static_cast<std::byte>(value));
  EXPECT_EQ(sum_of(std::span(headers).subspan(40, 2)), sum_of(pseudo));
}

TEST(Frame, of_another_kind_is_not_read) {
  const auto reads_with = [](std::size_t at, unsigned value) {
    auto bytes = frame_of(50);
    bytes[at] = static_cast<std::byte>(value);
    return read_frame(bytes).has_value();
  };
  EXPECT_TRUE(reads_with(14, 0x45));
  EXPECT_FALSE(reads_with(12, 0x86)) << "not IPv4";
  EXPECT_FALSE(reads_with(14, 0x46)) << "options";
  EXPECT_FALSE(reads_with(20, 0x20)) << "more fragments";
  EXPECT_FALSE(reads_with(21, 0x01)) << "not the first fragment";
  EXPECT_FALSE(reads_with(23, 6)) << "TCP";
  EXPECT_FALSE(reads_with(39, 200)) << "longer than IP says";
  EXPECT_FALSE(reads_with(39, 7)) << "shorter than its header";
  EXPECT_TRUE(reads_with(39, 20)) << "padding follows";
}

TEST(Frame, that_is_not_whole_is_not_read) {
  auto bytes = frame_of(50);
  for (std::size_t length = 0; length < bytes.size(); ++length)
    EXPECT_FALSE(read_frame(std::span(bytes).first(length))) << length;
}

}  // namespace
}  // namespace quadrille::wire
