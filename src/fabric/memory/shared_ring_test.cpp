// SPDX-License-Identifier: BSD-3-Clause
#include "fabric/memory/shared_ring.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <memory>
#include <random>
#include <thread>
#include <vector>

namespace quadrille::fabric {
namespace {

struct Ring {
  explicit Ring(std::size_t size) : memory(size) {}
  std::vector<std::byte> memory;
  std::unique_ptr<RingState> state = std::make_unique<RingState>();
  RingWriter writer{*state, memory};
  RingReader reader{*state, memory};
};

std::vector<std::byte> record(std::size_t length, unsigned seed) {
  std::vector<std::byte> bytes(length);
  for (std::size_t i = 0; i < length; ++i) bytes[i] = static_cast<std::byte>(i * 5 + seed);
  return bytes;
}

bool write(RingWriter& writer, std::uint32_t kind, const std::vector<std::byte>& bytes) {
  const auto room = writer.room(bytes.size());
  if (room.empty()) return false;
  std::ranges::copy(bytes, room.begin());
  writer.publish(kind);
  return true;
}

TEST(SharedRing, what_is_written_is_seen_when_it_is_looked_for_and_is_there_until_released) {
  Ring ring(1024);
  EXPECT_FALSE(ring.reader.look());
  ASSERT_TRUE(write(ring.writer, 7, record(13, 1)));
  EXPECT_FALSE(ring.reader.front()) << "not looked for";
  ASSERT_TRUE(ring.reader.look());
  for (int again = 0; again < 2; ++again) {
    const auto front = ring.reader.front();
    ASSERT_TRUE(front);
    EXPECT_EQ(front->kind, 7U);
    EXPECT_TRUE(std::ranges::equal(front->bytes, record(13, 1)));
  }
  EXPECT_EQ(ring.writer.read(), 0U);
  ring.reader.release();
  EXPECT_EQ(ring.writer.read(), ring.writer.written());
  EXPECT_FALSE(ring.reader.front());
}

TEST(SharedRing, a_full_one_has_no_room_until_its_reader_has_made_some) {
  Ring ring(1024);
  unsigned count = 0;
  while (write(ring.writer, 1, record(200, count))) ++count;
  EXPECT_EQ(count, 4U);
  EXPECT_FALSE(ring.reader.writer_waits());
  ring.writer.wait_for_room();
  EXPECT_TRUE(ring.reader.writer_waits());
  ring.reader.told_writer();
  EXPECT_FALSE(ring.reader.writer_waits());
  ring.reader.look();
  ring.reader.front();
  ring.reader.release();
  EXPECT_TRUE(write(ring.writer, 1, record(150, 9)));
}

TEST(SharedRing, records_of_all_lengths_pass_between_two_threads_in_order) {
  constexpr unsigned records = 200'000;
  Ring ring(4096);
  const auto length_of = [](std::mt19937& chance) {
    return 1 + chance() % (chance() % 4 == 0 ? largest_record(4096) : 40);
  };
  std::thread writer([&] {
    std::mt19937 chance(3);
    for (unsigned i = 0; i < records; ++i) {
      const auto bytes = record(length_of(chance), i);
      while (!write(ring.writer, i, bytes)) std::this_thread::yield();
    }
  });
  std::mt19937 chance(3);
  unsigned wrong = 0;
  for (unsigned i = 0; i < records;) {
    if (!ring.reader.look()) std::this_thread::yield();
    while (const auto front = ring.reader.front()) {
      if (front->kind != i || !std::ranges::equal(front->bytes, record(length_of(chance), i)))
        ++wrong;
      ring.reader.release();
      ++i;
    }
    if (ring.reader.is_broken()) break;
  }
  writer.join();
  EXPECT_EQ(wrong, 0U);
  EXPECT_FALSE(ring.reader.is_broken());
}

TEST(SharedRing, what_is_no_record_is_never_read_beyond_its_memory) {
  std::mt19937 chance(5);
  unsigned broken = 0;
  for (int round = 0; round < 20'000; ++round) {
    Ring ring(256);
    for (unsigned i = 0; i < 3; ++i) write(ring.writer, i, record(1 + chance() % 64, i));
    for (int flips = 0; flips < 4; ++flips)
      ring.memory[chance() % 256] ^= static_cast<std::byte>(chance() % 256);
    if (chance() % 4 == 0) ring.state->written = chance() % 1024;
    ring.reader.look();
    const auto* begin = ring.memory.data();
    for (int count = 0; count < 100; ++count) {
      const auto front = ring.reader.front();
      if (!front) break;
      ASSERT_GE(front->bytes.data(), begin);
      ASSERT_LE(front->bytes.data() + front->bytes.size(), begin + 256);
      ring.reader.release();
    }
    broken += ring.reader.is_broken() ? 1 : 0;
  }
  EXPECT_GT(broken, 1000U);
}

TEST(SharedRing, a_writer_that_says_to_be_where_none_can_be_is_not_followed) {
  for (const std::uint64_t written :
       {std::uint64_t{1} << 62U, ~std::uint64_t{0}, std::uint64_t{264}}) {
    Ring ring(256);
    ring.state->written = written;
    EXPECT_TRUE(ring.reader.look());
    EXPECT_FALSE(ring.reader.front()) << "would go around for years";
    EXPECT_TRUE(ring.reader.is_broken());
  }
}

}  // namespace
}  // namespace quadrille::fabric
