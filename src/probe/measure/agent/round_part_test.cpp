// SPDX-License-Identifier: BSD-3-Clause
// A round falls into parts and comes together again; its messages survive, and damaged ones are
// refused or at least harmless.
#include "probe/measure/agent/round_part.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>

namespace quadrille::probe {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

Round mixed_round() {
  Round round;
  round.duration_ns = 50'000'000;
  round.streams = {{0, 2, 1000, 40, kFullFrameBytes, 0, true}, {2, 1, 0, 10, 200, 500, false}};
  round.fans = {{1, {0, 2}, 0, 40'000'000, 12}};
  round.exchanges = {{2, 0, 7000, 5, 64, 16'000, 9'000'000}};
  round.multicasts = {{1, 0, 8, kLightFrameBytes, 1000}};
  return round;
}

PartResult full_result() {
  PartResult result;
  result.number = 9;
  result.spare_ns = -5;
  result.held_up_ns = 12;
  result.streams_out = {{1, 10, 123'456, 900}};
  result.streams_in = {{0, 2, 5, 9, -3, 4, 700, 1, {{1, 5, -3}, {0, 9, 1'000'000'000'000}}}};
  result.fans_in = {{0, 12, 1, 2, 3, 4, 5, 11, {}}};
  result.exchanges = {{0, 64, {5000, 4000, 7000}, -17}};
  result.multicasts_in = {{0, 8, 1, 2, 3, 4, 5, 7, {}}};
  return result;
}

TEST(RoundPart, every_host_gets_what_it_sends_and_what_it_is_to_hear) {
  const auto parts = parts_of(mixed_round(), {true, true, true});
  ASSERT_EQ(parts.size(), 3U);
  EXPECT_EQ(parts[0].streams_out.size(), 1U);
  EXPECT_EQ(parts[0].fans_in.size(), 1U);
  EXPECT_EQ(parts[0].exchanges.at(0).peer, 2U);
  EXPECT_FALSE(parts[0].exchanges.at(0).asks);
  EXPECT_THAT(parts[1].fans_out.at(0).to, ElementsAre(0U, 2U));
  EXPECT_EQ(parts[1].multicasts_in.size(), 0U);
  EXPECT_EQ(parts[2].multicasts_in.at(0).from, 1U);
  EXPECT_TRUE(parts[2].streams_in.at(0).keep_arrivals);
}

TEST(RoundPart, a_host_without_an_address_has_no_part) {
  const auto parts = parts_of(mixed_round(), {true, true, false});
  EXPECT_TRUE(parts[2].idle());
  EXPECT_TRUE(parts[0].streams_out.empty());
  EXPECT_THAT(parts[1].fans_out.at(0).to, ElementsAre(0U));
}

TEST(RoundPart, results_are_entered_at_their_places) {
  const Round round = mixed_round();
  RoundResult result = empty_result(round, 3);
  PartResult of_two;
  of_two.streams_in = {{0, 39, 10, 90, 1, 2, 3, 39, {{0, 10, 1}}}};
  of_two.fans_in = {{0, 11, 0, 0, 5, 6, 0, 10, {}}};
  of_two.exchanges = {{0, 63, {100}, 0}};
  of_two.multicasts_in = {{0, 7, 20, 30, 0, 0, 0, 6, {}}};
  ASSERT_TRUE(enter(round, 2, of_two, result).ok());
  EXPECT_EQ(result.streams[0].received, 39U);
  EXPECT_EQ(result.streams[0].arrivals.size(), 1U);
  EXPECT_EQ(result.fans[0][1].received, 11U);
  EXPECT_EQ(result.fans[0][0].received, 0U);
  EXPECT_EQ(result.exchanges[0].time_to_live, 63);
  EXPECT_THAT(result.multicasts[0].received, ElementsAre(0U, 0U, 7U));
}

TEST(RoundPart, a_report_on_others_traffic_is_refused) {
  const Round round = mixed_round();
  RoundResult result = empty_result(round, 3);
  PartResult report;
  report.streams_in = {{0, 39, 10, 90, 1, 2, 3, 38, {}}};  // stream 0 goes to host 2
  const auto entered = enter(round, 1, report, result);
  ASSERT_FALSE(entered.ok());
  EXPECT_EQ(entered.error().kind, ErrorKind::corrupt);
}

// Host 0 sends 100 datagrams to host 2; what it hears until the end at 50 ms.
std::int64_t backlog_after(HeardDatagrams heard, std::uint32_t lost = 0) {
  Round round;
  round.duration_ns = 50'000'000;
  round.streams = {{0, 2, 0, 100, kFullFrameBytes, 0, false}};
  std::vector<PartResult> reports(3);
  reports[0].streams_out = {{0, 100, 40'000'000, 1}};
  heard.received = heard.highest_index + 1 - lost;
  reports[2].streams_in = {heard};
  return backlog_ns(round, reports);
}

TEST(RoundPart, what_still_comes_after_the_end_is_foreseen_by_its_pace) {
  HeardDatagrams heard;
  heard.first_arrival_ns = 10'000'000;
  heard.last_arrival_ns = 50'000'000;
  heard.highest_index = 40;
  EXPECT_EQ(backlog_after(heard), 59 * 1'000'000);
}

TEST(RoundPart, in_a_full_queue_the_last_waits_no_longer_than_those_before) {
  HeardDatagrams heard;
  heard.first_arrival_ns = 10'000'000;
  heard.last_arrival_ns = 49'000'000;
  heard.highest_index = 39;
  // 60 more were sent, each 0.4 ms after the one before.
  EXPECT_EQ(backlog_after(heard, 1), 23'000'000);
  heard.highest_index = 2;
  EXPECT_EQ(backlog_after(heard), 0) << "two tell no pace";
}

TEST(RoundPart, multicasts_still_come_too) {
  Round round;
  round.duration_ns = 50'000'000;
  round.multicasts = {{.from = 0, .at_ns = 0, .count = 100, .gap_ns = 400'000}};
  std::vector<PartResult> reports(3);
  HeardDatagrams heard;
  heard.first_arrival_ns = 10'000'000;
  heard.last_arrival_ns = 50'000'000;
  heard.highest_index = 40;
  heard.received = 41;
  reports[2].multicasts_in = {heard};
  EXPECT_EQ(backlog_ns(round, reports), 59 * 1'000'000);
}

TEST(RoundPart, what_was_lost_is_not_waited_for) {
  HeardDatagrams heard;
  heard.first_arrival_ns = 10'000'000;
  heard.last_arrival_ns = 50'000'000;
  heard.highest_index = 99;
  EXPECT_EQ(backlog_after(heard), 0);
  heard.highest_index = 40;
  heard.last_arrival_ns = 30'000'000;  // nothing came for 20 ms: the rest does not
  EXPECT_EQ(backlog_after(heard), 0);
}

TEST(RoundPart, rounds_out_of_bounds_are_named) {
  Round round = mixed_round();
  round.streams[1].to = 3;
  EXPECT_THAT(problem_of(round, 3, 1), HasSubstr("stream 1"));
  round = mixed_round();
  round.exchanges[0].limit_ns = -1;
  EXPECT_THAT(problem_of(round, 3, 1), HasSubstr("exchange 0"));
  round = mixed_round();
  EXPECT_THAT(problem_of(round, 3, 0), HasSubstr("network 0"));
  EXPECT_EQ(problem_of(round, 3, 1), "");
}

TEST(RoundPart, messages_come_back_as_they_were) {
  auto parts = parts_of(mixed_round(), {true, true, true});
  for (RoundPart& part : parts) {
    part.start_ns = 1'700'000'000'000'000'000;
    part.drift_ppb = -33;
    const std::string bytes = encode(part);
    const auto decoded = decode_part(bytes);
    ASSERT_TRUE(decoded.ok());
    EXPECT_EQ(encode(decoded.value()), bytes);
    EXPECT_EQ(decoded.value().drift_ppb, -33);
  }
  const std::string bytes = encode(full_result());
  const auto decoded = decode_result(bytes);
  ASSERT_TRUE(decoded.ok());
  EXPECT_EQ(encode(decoded.value()), bytes);
  EXPECT_EQ(decoded.value().streams_in.at(0).arrivals.at(1).delay_ns, 1'000'000'000'000);
  EXPECT_THAT(decoded.value().exchanges.at(0).round_trips_ns, ElementsAre(5000, 4000, 7000));
}

TEST(RoundPart, every_truncation_is_corrupt) {
  const std::string bytes = encode(full_result());
  for (std::size_t length = 0; length < bytes.size(); ++length) {
    const auto decoded = decode_result(std::string_view(bytes).substr(0, length));
    ASSERT_FALSE(decoded.ok()) << length;
    EXPECT_EQ(decoded.error().kind, ErrorKind::corrupt);
  }
  EXPECT_FALSE(decode_result(bytes + "x").ok());
  EXPECT_FALSE(decode_part(bytes).ok());
}

TEST(RoundPart, random_damage_is_refused_or_harmless) {
  const Round round = mixed_round();
  std::mt19937 chance{1};
  std::size_t refused = 0;
  for (int edit = 0; edit < 20'000; ++edit) {
    std::string bytes = encode(full_result());
    for (auto changes = 1 + chance() % 4; changes > 0; --changes) {
      bytes[chance() % bytes.size()] = static_cast<char>(chance());
    }
    const auto decoded = decode_result(bytes);
    RoundResult result = empty_result(round, 3);
    if (!decoded.ok() || !enter(round, 2, decoded.value(), result).ok()) ++refused;
  }
  EXPECT_GT(refused, 10'000U);
}

}  // namespace
}  // namespace quadrille::probe
