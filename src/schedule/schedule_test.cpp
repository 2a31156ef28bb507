// SPDX-License-Identifier: BSD-3-Clause
// Tests of regions and of the buffers that collectives give a rank.
#include "schedule/schedule.h"

#include <gtest/gtest.h>

#include "schedule/collective.h"
#include "schedule/shape.h"

namespace quadrille {
namespace {

TEST(RegionPart, covers_the_region_without_gap_or_overlap) {
  for (const std::uint64_t length : {0U, 1U, 7U, 8U, 100U}) {
    for (std::uint64_t parts = 1; parts <= 12; ++parts) {
      const Region whole{Buffer::scratch, 5, length};
      std::uint64_t position = whole.offset;
      for (std::uint64_t i = 0; i < parts; ++i) {
        const Region part = whole.part(i, parts);
        EXPECT_EQ(part.offset, position);
        EXPECT_EQ(part.buffer, Buffer::scratch);
        EXPECT_LE(part.length, length / parts + 1);
        EXPECT_GE(part.length, length / parts);
        position += part.length;
      }
      EXPECT_EQ(position, whole.offset + length);
    }
  }
}

TEST(RegionSegment, covers_the_region_without_gap_or_overlap) {
  for (const std::uint64_t length : {0U, 1U, 7U, 100U, 977U, 100'000U}) {
    for (std::uint64_t segments = 1; segments <= 200; ++segments) {
      const Region whole{Buffer::scratch, 5, length};
      std::uint64_t position = whole.offset;
      for (std::uint64_t i = 0; i < segments; ++i) {
        const Region segment = whole.segment(i, segments);
        EXPECT_EQ(segment.offset, position);
        EXPECT_EQ(segment.buffer, Buffer::scratch);
        EXPECT_LE(segment.length, whole.longest_segment(segments));
        EXPECT_LE(segment.length, length / segments * 17 / 16 + 1);
        EXPECT_GE(segment.length, length / segments * 15 / 16);
        position += segment.length;
      }
      EXPECT_EQ(position, whole.offset + length);
    }
  }
}

TEST(RegionSegment, of_a_multiple_of_a_length_begins_with_another_one) {
  int same = 0;
  for (std::uint64_t segments = 2; segments <= 300; ++segments) {
    for (std::uint64_t multiple = 2; multiple <= 4; ++multiple) {
      const Region once{Buffer::receive, 0, segments * 1000};
      const Region more{Buffer::receive, 0, multiple * segments * 1000};
      if (once.segment(0, segments) == more.segment(0, multiple * segments)) ++same;
    }
  }
  EXPECT_LE(same, 3 * 300 / 61 + 3);
}

TEST(RegionParts, are_the_parts_from_first_to_end_together) {
  const Region whole{Buffer::receive, 3, 17};
  for (std::uint64_t first = 0; first <= 5; ++first) {
    for (std::uint64_t end = first; end <= 5; ++end) {
      std::uint64_t length = 0;
      for (std::uint64_t i = first; i < end; ++i) length += whole.part(i, 5).length;
      const Region together = whole.parts(first, end, 5);
      EXPECT_EQ(together.length, length);
      EXPECT_EQ(together.offset, first < 5 ? whole.part(first, 5).offset : 20U);
    }
  }
}

TEST(Collective, is_found_by_its_name) {
  EXPECT_EQ(collective_named("allgather"), Collective::allgather);
  EXPECT_EQ(collective_named("gatherall"), std::nullopt);
}

TEST(BufferLengths, give_reduce_a_receive_buffer_at_the_root_only) {
  const Shape shape{.collective = Collective::reduce, .ranks = 3, .root = 1, .count = 7};
  EXPECT_EQ(buffer_lengths(shape, 0).receive, 0U);
  EXPECT_EQ(buffer_lengths(shape, 1).receive, 7U);
  EXPECT_EQ(buffer_lengths(shape, 2).send, 7U);
}

TEST(Contribution, lies_in_the_own_block_of_an_allgather_in_place) {
  Shape shape{.collective = Collective::allgather, .ranks = 4, .count = 10, .in_place = true};
  EXPECT_EQ(contribution(shape, 2), (Region{Buffer::receive, 20, 10}));
  shape.in_place = false;
  EXPECT_EQ(contribution(shape, 2), (Region{Buffer::send, 0, 10}));
}

TEST(Contribution, is_the_whole_vector_of_a_reduce_scatter) {
  Shape shape{.collective = Collective::reduce_scatter_block, .ranks = 4, .count = 10};
  EXPECT_EQ(contribution(shape, 2), (Region{Buffer::send, 0, 40}));
  EXPECT_EQ(buffer_lengths(shape, 2).receive, 10U);
  shape.in_place = true;
  EXPECT_EQ(contribution(shape, 2), (Region{Buffer::receive, 0, 40}));
}

TEST(BufferLengths, give_rank_0_of_an_exclusive_scan_no_result) {
  const Shape shape{.collective = Collective::exscan, .ranks = 3, .count = 7};
  EXPECT_EQ(buffer_lengths(shape, 0).receive, 0U);
  EXPECT_EQ(buffer_lengths(shape, 1).receive, 7U);
}

TEST(BufferLengths, give_the_root_of_a_scatter_in_place_no_result) {
  const Shape shape{
      .collective = Collective::scatter, .ranks = 3, .root = 1, .count = 7, .in_place = true};
  EXPECT_EQ(buffer_lengths(shape, 1).receive, 0U);
  EXPECT_EQ(buffer_lengths(shape, 1).send, 21U);
  EXPECT_EQ(buffer_lengths(shape, 2).receive, 7U);
}

TEST(BufferLengths, reach_to_the_last_block_of_a_v_call) {
  const Shape shape{.collective = Collective::alltoallv, .ranks = 3};
  const StoredCounts counts{StoredBlocks::in_a_row({3, 0, 5}, 2),
                            StoredBlocks::in_a_row({1, 1, 0})};
  const BufferLengths lengths = buffer_lengths(shape, 0, counts.view());
  EXPECT_EQ(lengths.send, 12U);
  EXPECT_EQ(lengths.receive, 2U);
}

}  // namespace
}  // namespace quadrille
