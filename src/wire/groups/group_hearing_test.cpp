// SPDX-License-Identifier: BSD-3-Clause
#include "wire/groups/group_hearing.h"

#include <gtest/gtest.h>

namespace quadrille::wire {
namespace {

constexpr Nanoseconds ms(std::int64_t count) { return {count * 1'000'000}; }
using Verdict = GroupHearing::Verdict;

// Signs from `from` on, each `gap` after the one before.
Nanoseconds signs(GroupHearing& hearing, Nanoseconds from, Nanoseconds gap, int count) {
  for (int i = 0; i < count; ++i) hearing.sign(from += gap);
  return from;
}

TEST(GroupHearing, a_peer_that_answers_in_time_and_misses_all_does_not_hear) {
  GroupHearing hearing;
  hearing.sign(ms(0));
  const auto since = hearing.since(ms(0));
  const Nanoseconds soon = signs(hearing, ms(0), ms(10), 19);
  EXPECT_EQ(hearing.judge(1000, since, soon), Verdict::hears) << "for no more than 190 ms";
  const Nanoseconds later = signs(hearing, soon, ms(10), 1);
  EXPECT_EQ(hearing.judge(GroupHearing::most_missed - 1, since, later), Verdict::hears);
  EXPECT_EQ(hearing.judge(GroupHearing::most_missed, since, later), Verdict::does_not_hear);
}

TEST(GroupHearing, a_peer_whose_host_gives_it_no_processor_is_late_however_much_it_misses) {
  GroupHearing hearing;
  hearing.sign(ms(0));
  const auto since = hearing.since(ms(0));
  Nanoseconds now{};
  // At load 40 a process runs for 3 ms in 120.
  for (int slice = 0; slice < 20; ++slice) {
    now = signs(hearing, now, ms(120), 1);
    now = signs(hearing, now, ms(1), 3);
  }
  EXPECT_EQ(hearing.judge(500, since, now), Verdict::is_late);
  EXPECT_EQ(hearing.late(), ms(120));
}

TEST(GroupHearing, a_stop_of_either_process_tells_nothing_and_what_follows_does) {
  GroupHearing hearing;
  hearing.sign(ms(0));
  const auto since = hearing.since(ms(0));
  Nanoseconds now = signs(hearing, ms(0), ms(2000), 1);
  EXPECT_EQ(hearing.judge(500, since, now), Verdict::is_late);
  now = signs(hearing, now, ms(5), 39);
  EXPECT_EQ(hearing.judge(500, since, now), Verdict::is_late);
  now = signs(hearing, now, ms(5), 1);
  EXPECT_EQ(hearing.judge(500, since, now), Verdict::does_not_hear);
}

// Whether a probe leaves when it is due, and how long that took.
std::pair<bool, Nanoseconds> probe(GroupHearing& hearing, Nanoseconds& now, bool has_group = true) {
  const Nanoseconds before = now;
  now = *hearing.probe_at();
  return {hearing.probe(now, has_group), now - before};
}

TEST(GroupHearing, probes_that_find_nothing_come_ever_later_up_to_a_minute) {
  GroupHearing hearing;
  Nanoseconds now = ms(5);
  hearing.lost(now);
  Nanoseconds pause = GroupHearing::first_pause;
  for (int attempt = 0; attempt < 10; ++attempt) {
    EXPECT_EQ(probe(hearing, now), std::pair(true, pause)) << attempt;
    EXPECT_EQ(probe(hearing, now), std::pair(false, GroupHearing::between_probes)) << attempt;
    pause = std::min(pause * 2, GroupHearing::longest_pause);
  }
  EXPECT_EQ(pause, GroupHearing::longest_pause);
}

TEST(GroupHearing, who_hears_three_probes_in_a_row_hears_again) {
  GroupHearing hearing;
  Nanoseconds now{};
  hearing.lost(now);
  EXPECT_FALSE(hearing.heard(now)) << "something of before";
  for (int i = 0; i < 2; ++i) {
    EXPECT_TRUE(probe(hearing, now).first);
    EXPECT_FALSE(hearing.heard(now));
  }
  EXPECT_TRUE(probe(hearing, now).first);
  EXPECT_FALSE(probe(hearing, now).first) << "the third was not heard";
  for (int i = 0; i < 3; ++i) {
    EXPECT_TRUE(hearing.probe_at().has_value());
    EXPECT_TRUE(probe(hearing, now).first);
    EXPECT_EQ(hearing.heard(now), i == 2);
    EXPECT_FALSE(hearing.heard(now)) << "the same once more";
  }
  EXPECT_EQ(hearing.probe_at(), std::nullopt);
}

TEST(GroupHearing, who_is_lost_again_soon_waits_longer_than_who_had_heard_for_long) {
  const auto pause_after_heard_for = [](Nanoseconds time) {
    GroupHearing hearing;
    Nanoseconds now{};
    hearing.lost(now);
    for (int i = 0; i < 3; ++i) {
      probe(hearing, now);
      hearing.heard(now);
    }
    now += time;
    hearing.lost(now);
    return *hearing.probe_at() - now;
  };
  EXPECT_EQ(pause_after_heard_for(ms(500)), GroupHearing::first_pause * 2);
  EXPECT_EQ(pause_after_heard_for(ms(70'000)), GroupHearing::first_pause);
}

TEST(GroupHearing, no_probe_leaves_where_no_group_has_the_peer_and_none_is_in_vain) {
  GroupHearing hearing;
  Nanoseconds now{};
  hearing.lost(now);
  for (int i = 0; i < 5; ++i)
    EXPECT_EQ(probe(hearing, now, false), std::pair(false, GroupHearing::first_pause));
}

}  // namespace
}  // namespace quadrille::wire
