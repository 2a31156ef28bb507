// SPDX-License-Identifier: BSD-3-Clause
// The lines that other programs read: one JSON object each, whatever hosts are called.
#include "apps/probe/report_lines.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <sstream>

#include "apps/probe/options.h"
#include "apps/probe/samples.h"

namespace quadrille::probe {
namespace {

using nlohmann::json;

json only_line(const std::ostringstream& out) {
  const std::string text = out.str();
  EXPECT_EQ(text.find('\n'), text.size() - 1);
  return json::parse(text);
}

TEST(ReportLines, a_host_carries_settings_and_counters_of_both_phases) {
  std::ostringstream out;
  ReportLines(out).host({"h0", R"({"cores": 2})", {{"a", 1}}, {{"a", 2}}});
  const json line = only_line(out);
  EXPECT_EQ(line["type"], "host");
  EXPECT_EQ(line["settings"]["cores"], 2);
  EXPECT_EQ(line["counters"]["probe"]["a"], 1);
  EXPECT_EQ(line["counters"]["mpi"]["a"], 2);
}

TEST(ReportLines, settings_that_are_no_json_are_passed_on_as_text) {
  std::ostringstream out;
  ReportLines(out).host({"h0", "{broken", {}, {}});
  EXPECT_EQ(only_line(out)["settings"], "{broken");
}

TEST(ReportLines, a_host_name_that_is_no_utf8_does_not_end_the_report) {
  std::ostringstream out;
  ReportLines(out).error({ErrorKind::peer_lost, "host \xFF\xFE: silent"});
  const json line = only_line(out);
  EXPECT_EQ(line["type"], "error");
  EXPECT_EQ(line["kind"], "peer lost");
}

TEST(ReportLines, differences_are_listed) {
  std::ostringstream out;
  ReportLines(out).check({{"segments[0].kind", "switch", "bus", "it is a bus now", true}});
  const json line = only_line(out);
  EXPECT_EQ(line["differences"][0]["found"], "bus");
  EXPECT_EQ(line["differences"][0]["serious"], true);
}

TEST(Samples, round_trips_of_one_kind_are_kept_together) {
  Samples samples;
  Round round;
  round.exchanges = {{1, 0, 0, 3, 64, 64, 0}, {0, 1, 0, 1, 16'000, 64, 0}, {1, 0, 9, 3, 64, 64, 0}};
  RoundResult result;
  result.exchanges = {{{10, 11}, 64}, {{}, 0}, {{12}, 64}};
  samples.keep(round, result);
  std::vector<HostFacts> hosts(2);
  hosts[0].name = "a";
  hosts[1].name = "b";
  const json written = json::parse(samples.text(hosts));
  EXPECT_EQ(written["hosts"], (json{"a", "b"}));
  ASSERT_EQ(written["pairs"].size(), 1U);
  EXPECT_EQ(written["pairs"][0]["from"], "b");
  EXPECT_EQ(written["pairs"][0]["round_trips_ns"], (json{10, 11, 12}));
}

TEST(Samples, a_file_that_cannot_be_written_is_named) {
  const auto written = Samples().write("/dev/null/samples.json", {});
  ASSERT_FALSE(written.ok());
  EXPECT_NE(written.error().message.find("/dev/null/samples.json"), std::string::npos);
}

TEST(ProberOptions, are_taken_from_the_command_line_and_others_refused) {
  const char* good[] = {"prober", "--quick", "--interface", "eth0,10.0.0.0/8", "--seed", "7"};
  const auto parsed = parse_prober_options(6, good);
  EXPECT_TRUE(parsed.run);
  EXPECT_TRUE(parsed.options.quick);
  EXPECT_EQ(parsed.options.interface, "eth0,10.0.0.0/8");
  EXPECT_EQ(parsed.options.seed, 7U);
  const char* bad[] = {"prober", "--slow"};
  const auto refused = parse_prober_options(2, bad);
  EXPECT_FALSE(refused.run);
  EXPECT_EQ(refused.exit_code, 2);
}

}  // namespace
}  // namespace quadrille::probe
