// SPDX-License-Identifier: BSD-3-Clause
// One small wrong call for each kind of finding, beside a right one that differs only in that.
#include "schedule/check/check.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <vector>

#include "schedule/block_lengths.h"
#include "schedule/builder.h"

namespace quadrille {
namespace {

using testing::HasSubstr;

using Program = std::function<void(ScheduleBuilder&)>;

std::vector<Schedule> build(const std::vector<Program>& programs) {
  std::vector<Schedule> schedules;
  for (const Program& program : programs) {
    ScheduleBuilder builder;
    program(builder);
    schedules.push_back(builder.build());
  }
  return schedules;
}

// "" if correct, else the first finding.
std::string verdict(const Shape& shape, const std::vector<Schedule>& schedules) {
  const Findings findings = check(shape, schedules);
  return findings.empty() ? "" : text_of(findings.front());
}

std::string verdict(const Shape& shape, const std::vector<Program>& programs) {
  return verdict(shape, build(programs));
}

constexpr Region received(std::uint64_t offset, std::uint64_t length) {
  return {Buffer::receive, offset, length};
}
constexpr Region sent(std::uint64_t offset, std::uint64_t length) {
  return {Buffer::send, offset, length};
}

const Shape bcast{.collective = Collective::bcast, .ranks = 2, .count = 8};
const Shape alltoall{.collective = Collective::alltoall, .ranks = 2, .count = 4};
const Shape allreduce{.collective = Collective::allreduce, .ranks = 2, .count = 4};
const Shape barrier{.collective = Collective::barrier, .ranks = 2};
const Program nothing = [](ScheduleBuilder&) {};

TEST(Check, accepts_a_broadcast_to_one_rank) {
  EXPECT_EQ(verdict(bcast, {[](auto& b) { b.send(1, received(0, 8)); },
                            [](auto& b) { b.receive(0, received(0, 8)); }}),
            "");
}

TEST(Check, wants_one_schedule_a_rank) {
  EXPECT_THAT(verdict(bcast, {nothing}), HasSubstr("1 schedules for 2 ranks"));
}

TEST(Check, finds_the_bytes_that_did_not_arrive) {
  EXPECT_EQ(verdict(bcast, {[](auto& b) { b.send(1, received(0, 7)); },
                            [](auto& b) { b.receive(0, received(0, 7)); }}),
            "rank 1: wrong result: receive[7, 8) holds nothing instead of elements [7, 8) of 0");
}

TEST(Check, finds_bytes_in_the_wrong_place) {
  const auto swapped = [](auto& b) {
    b.receive(0, received(4, 4));
    b.receive(0, received(0, 4));
  };
  const auto root = [](auto& b) {
    b.send(1, received(0, 4));
    b.send(1, received(4, 4));
  };
  EXPECT_EQ(verdict(bcast, {root, swapped}),
            "rank 1: wrong result: receive[0, 4) holds elements [4, 8) of 0 instead of elements "
            "[0, 4) of 0");
}

TEST(Check, finds_messages_without_other_end) {
  EXPECT_THAT(verdict(bcast, {[](auto& b) { b.send(1, received(0, 8)); }, nothing}),
              HasSubstr("rank 0 step 0: unmatched: send of receive[0, 8) to 1 has no other end"));
}

TEST(Check, finds_messages_of_different_length) {
  EXPECT_THAT(verdict(bcast, {[](auto& b) { b.send(1, received(0, 8)); },
                              [](auto& b) { b.receive(0, received(0, 7)); }}),
              HasSubstr("meets step 0 there, a receive of receive[0, 7) from 0"));
}

TEST(Check, finds_accesses_beyond_a_buffer) {
  EXPECT_EQ(verdict(bcast, {[](auto& b) { b.send(1, received(1, 8)); },
                            [](auto& b) { b.receive(0, received(0, 8)); }}),
            "rank 0 step 0: out of bounds: receive[1, 9) of a buffer of 8 elements");
}

TEST(Check, finds_a_region_whose_end_wraps_around) {
  EXPECT_THAT(verdict(bcast, {[](auto& b) { b.send(1, received(~std::uint64_t{0} - 3, 8)); },
                              [](auto& b) { b.receive(0, received(0, 8)); }}),
              HasSubstr("out of bounds"));
}

TEST(Check, forbids_writing_into_the_send_buffer) {
  const auto rank = [](Rank other) {
    return [other](ScheduleBuilder& b) {
      b.send(other, sent(0, 4));
      b.receive(other, sent(4, 4));
    };
  };
  EXPECT_THAT(verdict(alltoall, {rank(1), rank(0)}), HasSubstr("writes user data"));
}

TEST(Check, forbids_messages_to_oneself) {
  EXPECT_THAT(verdict(bcast, {[](auto& b) { b.send(0, received(0, 8)); }, nothing}),
              HasSubstr("that is no other rank"));
}

TEST(Check, finds_reads_of_scratch_never_written) {
  EXPECT_THAT(verdict(bcast, {[](auto& b) { b.send(1, b.scratch(8)); },
                              [](auto& b) { b.receive(0, received(0, 8)); }}),
              HasSubstr("reads scratch[0, 8), which nothing was written to"));
}

// Each rank sends only after it has received: with sends that wait for nothing it would be the
// same.
TEST(Check, finds_a_deadlock_and_says_who_waits_for_whom) {
  const auto rank = [](Rank self, Rank other) {
    const auto own = static_cast<std::uint64_t>(self) * 4;
    const auto others = static_cast<std::uint64_t>(other) * 4;
    return [=](ScheduleBuilder& b) {
      b.copy(sent(own, 4), received(own, 4));
      const StepIndex step = b.receive(other, received(others, 4));
      b.send(other, sent(others, 4), {step});
    };
  };
  EXPECT_EQ(verdict(alltoall, {rank(0, 1), rank(1, 0)}),
            "rank 0 step 1: deadlock: receive of receive[4, 8) from 1 waits for step 2 of rank 1, "
            "which has not started");
}

// Both send before they receive: it works only where sends are buffered, which no schedule may rely
// on.
TEST(Check, finds_a_deadlock_that_buffering_would_hide) {
  const auto rank = [](Rank self, Rank other) {
    const auto own = static_cast<std::uint64_t>(self) * 4;
    const auto others = static_cast<std::uint64_t>(other) * 4;
    return [=](ScheduleBuilder& b) {
      b.copy(sent(own, 4), received(own, 4));
      const StepIndex step = b.send(other, sent(others, 4));
      b.receive(other, received(others, 4), {step});
    };
  };
  EXPECT_THAT(verdict(alltoall, {rank(0, 1), rank(1, 0)}), HasSubstr("deadlock"));
}

TEST(Check, finds_a_race_when_a_dependency_is_missing) {
  const Shape three{.collective = Collective::bcast, .ranks = 3, .count = 8};
  std::vector<Schedule> schedules = build({[](auto& b) { b.send(1, received(0, 8)); },
                                           [](auto& b) {
                                             b.receive(0, received(0, 8));
                                             b.send(2, received(0, 8));
                                           },
                                           [](auto& b) { b.receive(1, received(0, 8)); }});
  EXPECT_EQ(verdict(three, schedules), "");
  schedules[1].steps[1].dependency_count = 0;
  EXPECT_EQ(verdict(three, schedules),
            "rank 1 step 1: race: send of receive[0, 8) to 2 is in no order with step 0, a receive "
            "of receive[0, 8) from 0, which touches the same elements");
}

TEST(Check, forbids_dependencies_on_later_steps) {
  std::vector<Schedule> schedules = build(
      {[](auto& b) { b.send(1, received(0, 8)); }, [](auto& b) { b.receive(0, received(0, 8)); }});
  schedules[1].dependencies = {0};
  schedules[1].steps[0].dependency_count = 1;
  EXPECT_THAT(verdict(bcast, schedules), HasSubstr("depends on step 0, which is no earlier one"));
}

// Rank 0 sums in rank order and hands out the result; `at_rank_1` is what rank 1 does with it.
std::vector<Program> sum_at_rank_0(bool own_to_the_left) {
  return {[=](ScheduleBuilder& b) {
            if (own_to_the_left) {
              b.receive(1, received(0, 4));
              b.reduce(sent(0, 4), received(0, 4));
            } else {
              const Region other = b.scratch(4);
              b.copy(sent(0, 4), received(0, 4));
              b.receive(1, other);
              b.reduce(other, received(0, 4));
            }
            b.send(1, received(0, 4));
          },
          [](ScheduleBuilder& b) {
            b.send(0, sent(0, 4));
            b.receive(0, received(0, 4));
          }};
}

TEST(Check, wants_rank_order_only_of_operations_that_do_not_commute) {
  Shape shape = allreduce;
  EXPECT_EQ(verdict(shape, sum_at_rank_0(true)), "");
  EXPECT_EQ(verdict(shape, sum_at_rank_0(false)), "");
  shape.commutative = false;
  EXPECT_EQ(verdict(shape, sum_at_rank_0(true)), "");
  EXPECT_THAT(verdict(shape, sum_at_rank_0(false)), HasSubstr("elements [0, 4) of 1 op 0"));
}

TEST(Check, wants_the_same_order_of_combination_on_all_ranks) {
  const auto rank = [](Rank other) {
    return [other](ScheduleBuilder& b) {
      b.send(other, sent(0, 4));
      b.receive(other, received(0, 4));
      b.reduce(sent(0, 4), received(0, 4));
    };
  };
  EXPECT_EQ(verdict(allreduce, {rank(1), rank(0)}),
            "rank 1: different bits: combines in another order than rank 0");
}

TEST(Check, finds_a_contribution_combined_twice) {
  const auto twice = [](ScheduleBuilder& b) {
    b.copy(sent(0, 4), received(0, 4));
    b.reduce(sent(0, 4), received(0, 4));
  };
  EXPECT_THAT(verdict(allreduce, {twice, twice}),
              HasSubstr("combines the contribution of rank 0 twice"));
}

TEST(Check, finds_a_contribution_left_out) {
  const auto own = [](ScheduleBuilder& b) { b.copy(sent(0, 4), received(0, 4)); };
  EXPECT_EQ(verdict(allreduce, {own, own}),
            "rank 0: wrong result: receive[0, 4) holds elements [0, 4) of 0");
}

TEST(Check, finds_different_elements_combined) {
  const auto shifted = [](ScheduleBuilder& b) {
    b.send(1, sent(1, 3));
    b.copy(sent(0, 4), received(0, 4));
    b.receive(1, received(0, 4));
  };
  const auto combining = [](ScheduleBuilder& b) {
    const Region other = b.scratch(3);
    b.copy(sent(0, 4), received(0, 4));
    b.receive(0, other);
    b.reduce(other, received(0, 3));
    b.send(0, received(0, 4));
  };
  EXPECT_THAT(verdict(allreduce, {shifted, combining}),
              HasSubstr("rank 1 step 2: wrong combination: combines element 1 with element 0"));
}

TEST(Check, finds_a_barrier_that_lets_a_rank_go_too_early) {
  const auto receives = [](auto& b) { b.receive_ready(0); };
  EXPECT_EQ(verdict(barrier, {[](auto& b) { b.send_ready(1); }, receives}),
            "rank 0: not synchronised: may leave before rank 1 has come");
}

// Two blocks from each of two senders, asked for `window` at a time.
std::vector<Schedule> paced_alltoall(std::size_t window, std::uint32_t promise) {
  const auto rank = [=](Rank self) {
    return [=](ScheduleBuilder& b) {
      b.promise_most_incoming(promise);
      const Region own{Buffer::send, static_cast<std::uint64_t>(self) * 4, 4};
      b.copy(own, received(own.offset, 4));
      const Rank other = 1 - self;
      std::vector<StepIndex> receipts;
      for (std::size_t i = 0; i < 4; ++i) {
        StepIndex asked = ScheduleBuilder::no_step;
        if (i >= window) {
          b.send_ready(other, {receipts[i - window]});
          asked = b.receive_ready(other);
        }
        b.send(other, sent(static_cast<std::uint64_t>(other) * 4 + i, 1), {asked});
        receipts.push_back(
            b.receive(other, received(static_cast<std::uint64_t>(other) * 4 + i, 1)));
      }
    };
  };
  return build({rank(0), rank(1)});
}

TEST(Check, finds_more_messages_under_way_than_promised) {
  for (std::uint32_t window = 1; window <= 4; ++window) {
    EXPECT_EQ(verdict(alltoall, paced_alltoall(window, window)), "");
    if (window == 1) continue;
    EXPECT_THAT(verdict(alltoall, paced_alltoall(window, window - 1)),
                HasSubstr("too many incoming: " + std::to_string(window) +
                          " messages with data may be under way"));
  }
}

TEST(Check, finds_a_rank_that_sends_further_ahead_than_promised) {
  const auto rank = [](Rank self, bool waits) {
    return [=](ScheduleBuilder& b) {
      b.promise_most_ahead(1);
      const Rank other = 1 - self;
      const Region own{Buffer::send, static_cast<std::uint64_t>(self) * 4, 4};
      b.copy(own, received(own.offset, 4));
      StepIndex before = ScheduleBuilder::no_step;
      for (std::uint64_t i = 0; i < 4; ++i) {
        const auto position = static_cast<std::uint64_t>(other) * 4 + i;
        b.send(other, sent(position, 1), {waits ? before : ScheduleBuilder::no_step});
        before = b.receive(other, received(position, 1));
      }
    };
  };
  EXPECT_EQ(verdict(alltoall, {rank(0, true), rank(1, true)}), "");
  EXPECT_THAT(verdict(alltoall, {rank(0, true), rank(1, false)}),
              HasSubstr("rank 1: too far ahead: may have started to send 4 messages more"));
}

const Shape exscan{.collective = Collective::exscan, .ranks = 3, .count = 4, .commutative = false};

TEST(Check, wants_of_a_scan_the_ranks_up_to_each_one) {
  const auto pass_on = [](Rank to) { return [to](auto& b) { b.send(to, sent(0, 4)); }; };
  const auto last = [](auto& b) {
    const Region first = b.scratch(4);
    b.receive(0, first);
    b.receive(1, received(0, 4));
    b.reduce(first, received(0, 4));
  };
  const auto middle = [](auto& b) {
    b.receive(0, received(0, 4));
    b.send(2, sent(0, 4));
  };
  const auto root = [&](auto& b) {
    pass_on(1)(b);
    pass_on(2)(b);
  };
  EXPECT_EQ(verdict(exscan, {root, middle, last}), "");
  Shape scan = exscan;
  scan.collective = Collective::scan;
  EXPECT_THAT(verdict(scan, {root, middle, last}), HasSubstr("wrong result"));
}

TEST(Check, wants_a_reduce_scatter_in_place_to_leave_the_rest_as_it_was) {
  const Shape shape{
      .collective = Collective::reduce_scatter_block, .ranks = 2, .count = 4, .in_place = true};
  const auto rank = [](Rank self, bool spoils) {
    return [=](ScheduleBuilder& b) {
      const std::uint64_t own = self == 0 ? 0 : 4;
      const Region other = b.scratch(4);
      b.send(1 - self, received(4 - own, 4));
      b.receive(1 - self, other);
      b.reduce(received(own, 4), other);
      b.copy(other, received(0, 4));
      if (spoils) b.copy(other, received(4, 4));
    };
  };
  EXPECT_EQ(verdict(shape, {rank(0, false), rank(1, false)}), "");
  EXPECT_THAT(verdict(shape, {rank(0, false), rank(1, true)}),
              HasSubstr("rank 1: wrong result: receive[4, 8) holds"));
}

// Rank 0 sends three elements to rank 1 and gets one; nothing stays.
TEST(Check, knows_what_each_rank_of_a_v_call_knows) {
  const Shape shape{.collective = Collective::alltoallv, .ranks = 2};
  const BlockLengths lengths = [](Rank source, Rank target) {
    return source == target ? std::uint64_t{0} : source == 0 ? std::uint64_t{3} : std::uint64_t{1};
  };
  const std::vector<StoredCounts> stored{counts_of(shape, 0, lengths),
                                         counts_of(shape, 1, lengths)};
  const std::vector<LocalCounts> counts{stored[0].view(), stored[1].view()};
  const auto rank = [](Rank self, std::uint64_t sends, std::uint64_t receives) {
    return [=](ScheduleBuilder& b) {
      b.send(1 - self, sent(0, sends));
      b.receive(1 - self, received(0, receives));
    };
  };
  EXPECT_TRUE(check(shape, build({rank(0, 3, 1), rank(1, 1, 3)}), counts).empty());
  const Findings findings = check(shape, build({rank(0, 2, 1), rank(1, 1, 2)}), counts);
  ASSERT_FALSE(findings.empty());
  EXPECT_EQ(text_of(findings.front()),
            "rank 1: wrong result: receive[2, 3) holds nothing instead of elements [2, 3) of 0");
}

// Rank 0 has two edges to rank 1, of two elements and of three.
TEST(Check, wants_the_blocks_of_neighbours_in_the_order_of_their_edges) {
  const Shape shape{.collective = Collective::neighbor_alltoallv, .ranks = 2};
  StoredCounts from;
  from.targets = {1, 1};
  from.send = StoredBlocks::in_a_row({2, 3});
  StoredCounts into;
  into.sources = {0, 0};
  into.receive = StoredBlocks::in_a_row({2, 3});
  const auto sender = [](std::uint64_t first, std::uint64_t second) {
    return [=](ScheduleBuilder& b) {
      b.send(1, sent(first, 2));
      b.send(1, sent(second, 3));
    };
  };
  const auto receiver = [](ScheduleBuilder& b) {
    b.receive(0, received(0, 2));
    b.receive(0, received(2, 3));
  };
  const auto finding = [&](const auto& schedules) {
    const std::vector<LocalCounts> counts{from.view(), into.view()};
    const Findings findings = check(shape, schedules, counts);
    return findings.empty() ? std::string() : text_of(findings.front());
  };
  EXPECT_EQ(finding(build({sender(0, 2), receiver})), "");
  EXPECT_EQ(
      finding(build({sender(3, 0), receiver})),
      "rank 1: wrong result: receive[0, 2) holds elements [3, 5) of 0 instead of elements [0, "
      "2) of 0");
  from.targets = {1};
  from.send = StoredBlocks::in_a_row({5});
  EXPECT_EQ(finding(build({sender(0, 2), receiver})),
            "rank 1: wrong result: awaits more blocks than rank 0 has for it");
}

// A broadcast of two pieces from rank 1 by group steps of ranks 0 to 2; rank 3 hears from rank 0.
TEST(Check, wants_group_steps_to_be_alike_on_all_of_the_group) {
  const Shape shape{.collective = Collective::bcast, .ranks = 4, .root = 1, .count = 4};
  static constexpr Rank kGroup[] = {0, 1, 2};
  const auto member = [](Rank self, std::initializer_list<std::uint64_t> offsets) {
    return [=](ScheduleBuilder& b) {
      for (const std::uint64_t offset : offsets)
        b.group_bcast(kGroup, 1, self == 1, received(offset, 2));
      if (self == 0) b.send(3, received(0, 4));
    };
  };
  const auto last = [](ScheduleBuilder& b) { b.receive(0, received(0, 4)); };
  EXPECT_EQ(verdict(shape, {member(0, {0, 2}), member(1, {0, 2}), member(2, {0, 2}), last}), "");
  EXPECT_THAT(verdict(shape, {member(0, {0, 2}), member(1, {0, 2}), member(2, {2, 0}), last}),
              HasSubstr("rank 2: wrong result"));
  EXPECT_THAT(verdict(shape, {member(0, {0, 2}), member(1, {0, 2}), member(2, {0}), last}),
              HasSubstr("not the same on all ranks of its group"));
  const auto other_group = [](ScheduleBuilder& b) {
    static constexpr Rank kLess[] = {0, 2};
    b.group_bcast(kLess, 0, false, received(0, 2));
  };
  EXPECT_THAT(verdict(shape, {member(0, {0, 2}), member(1, {0, 2}), other_group, last}),
              HasSubstr("not the same on all ranks of its group"));
  const auto outsider = [](ScheduleBuilder& b) { b.group_bcast(kGroup, 1, false, received(0, 4)); };
  EXPECT_THAT(verdict(shape, {member(0, {0, 2}), member(1, {0, 2}), member(2, {0, 2}), outsider}),
              HasSubstr("not a root and a rank of the group"));
}

// Rank 0 wants to hear from rank 2 before it joins, which sends when the group has met.
TEST(Check, sees_a_group_step_that_waits_for_what_comes_after_it) {
  const Shape shape{.collective = Collective::reduce, .ranks = 3, .root = 0, .count = 4};
  static constexpr Rank kGroup[] = {0, 1, 2};
  const auto root = [](bool waits) {
    return [=](ScheduleBuilder& b) {
      const Region other = b.scratch(4);
      if (waits) b.receive(2, other);
      b.group_reduce(kGroup, 0, waits ? other : sent(0, 4), received(0, 4));
      if (!waits) b.receive(2, other);
    };
  };
  const auto member = [](ScheduleBuilder& b) { b.group_reduce(kGroup, 0, sent(0, 4), {}); };
  const auto late = [](ScheduleBuilder& b) {
    const StepIndex met = b.group_reduce(kGroup, 0, sent(0, 4), {});
    b.send(0, sent(0, 4), {met});
  };
  EXPECT_EQ(verdict(shape, {root(false), member, late}), "");
  EXPECT_THAT(verdict(shape, {root(true), member, late}), HasSubstr("deadlock"));
}

}  // namespace
}  // namespace quadrille
