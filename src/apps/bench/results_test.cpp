// SPDX-License-Identifier: BSD-3-Clause
// The keys this writes are those of the examples, which the Python contracts and the JSON Schema
// are tested against.
#include "apps/bench/results.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <set>

namespace quadrille::bench {
namespace {

// Paths of all members, arrays by their first element; what stands below a null or in free-form
// objects is left out.
void collect(const Line& value, const std::string& path, std::set<std::string>& paths) {
  paths.insert(path);
  if (path == ".network" || path == ".environment" || path == ".emulation") return;
  if (value.is_array() && !value.empty()) collect(value[0], path + "[]", paths);
  if (!value.is_object()) return;
  for (const auto& [key, member] : value.items()) collect(member, path + "." + key, paths);
}

std::set<std::string> paths_of(const Line& line) {
  std::set<std::string> paths;
  collect(line, "", paths);
  return paths;
}

// What the lines of a type have together in all examples, by type.
std::map<std::string, std::set<std::string>> example_paths() {
  std::map<std::string, std::set<std::string>> found;
  for (const auto& entry :
       std::filesystem::directory_iterator(QUADRILLE_SOURCE_DIR "/schemas/examples")) {
    const auto name = entry.path().filename().string();
    if (!name.starts_with("results_") || entry.path().extension() != ".jsonl") continue;
    std::ifstream file(entry.path());
    for (std::string text; std::getline(file, text);) {
      const auto line = Line::parse(text);
      collect(line, "", found[line.at("type").get<std::string>()]);
    }
  }
  return found;
}

Measurement some_measurement() {
  const Execution ours{.executor = "quadrille", .algorithm = "bcast_binomial", .reason = ""};
  return {.native = {{.duration_ns = 100, .root_to_last_ns = 90},
                     {.duration_ns = 200, .root_to_last_ns = 180}},
          .library = {{.duration_ns = 50,
                       .root_to_last_ns = 40,
                       .execution = ours,
                       .flows = {.packets = 10, .bytes = 9000, .credit_wait = {500}}},
                      {.duration_ns = 60,
                       .root_to_last_ns = 50,
                       .execution = ours,
                       .flows = {.packets = 11, .bytes = 10'000, .resent = 1, .stalls = 1}}},
          .repeated = 1};
}

Line some_point() {
  PointFacts facts{.collective = "bcast",
                   .bytes_meaning = "the message",
                   .bytes = 1024,
                   .host_of_rank = {"a", "b"}};
  facts.root = 0;
  facts.bound =
      PointBound{.payload = {.latency_ns = 0, .bandwidth_ns = 25, .bottleneck = "host b in"},
                 .framed = {.latency_ns = 0, .bandwidth_ns = 30, .bottleneck = "host b in"},
                 .framing = "TCP",
                 .source = "lab"};
  facts.sort = SortFacts{.size = {.vectors = 48, .doubles = 2, .processes = 2},
                         .constant_local_memory = true,
                         .arrays_bytes = 768,
                         .grown = {.resident_bytes = 800}};
  PointMeasurement measured{
      .blocks = some_measurement(), .alternating = some_measurement(), .calls_per_block = 2};
  return point_line(facts, measured, {});
}

TEST(Results, run_line_has_the_keys_of_the_examples) {
  const auto line = run_line({.machine = {{.host = "a"}, {.host = "b"}, {.host = "a"}}}, {});
  auto expected = example_paths().at("run");
  auto written = paths_of(line);
  // The command line tool adds what these hold.
  for (const char* path : {".command[]", ".launcher[]"}) expected.erase(path);
  EXPECT_EQ(written, expected);
  EXPECT_EQ(line["hosts"][0]["ranks"], Line::parse("[0, 2]"));
}

TEST(Results, point_line_has_the_keys_of_the_examples) {
  auto expected = example_paths().at("point");
  auto written = paths_of(some_point());
  // Only rooted operations have these values.
  for (auto* paths : {&expected, &written}) {
    std::erase_if(*paths,
                  [](const std::string& path) { return path.ends_with(".root_to_last_ns[]"); });
  }
  EXPECT_EQ(written, expected);
}

TEST(Results, end_line_has_the_keys_of_the_examples) {
  EXPECT_EQ(paths_of(end_line(3, 0, 1.5)), example_paths().at("end"));
}

TEST(Results, point_states_figures_ratio_and_limit) {
  const auto point = some_point();
  const auto& blocks = point["blocks"];
  EXPECT_EQ(blocks["native"]["median_ns"], 150);
  EXPECT_EQ(blocks["quadrille"]["median_ns"], 55);
  EXPECT_EQ(blocks["quadrille"]["executor"], "quadrille");
  EXPECT_EQ(blocks["quadrille"]["algorithm"], "bcast_binomial");
  EXPECT_DOUBLE_EQ(blocks["ratio_of_medians"]["value"].get<double>(), 55.0 / 150);
  EXPECT_DOUBLE_EQ(blocks["native"]["percent_of_framed_limit"].get<double>(), 20);
  EXPECT_EQ(blocks["native"]["root_to_last_ns"], Line::parse("[90, 180]"));
  EXPECT_EQ(point["hosts"], 2);
}

TEST(Results, a_sort_states_its_sizes_and_whether_it_swapped) {
  const auto sort = some_point()["sort"];
  EXPECT_EQ(sort["memory"], "constant-local");
  EXPECT_EQ(sort["global_bytes"], 768);
  EXPECT_EQ(sort["local_bytes"], 384);
  EXPECT_EQ(sort["block_bytes"], 192);
  EXPECT_EQ(sort["swapped"], false);
  for (const MemoryUse grown : {MemoryUse{0, 1, 0}, MemoryUse{0, 0, 1}}) {
    PointFacts facts{.host_of_rank = {"a", "b"}};
    facts.sort = SortFacts{.grown = grown};
    EXPECT_EQ(point_line(facts, {.blocks = some_measurement()}, {})["sort"]["swapped"], true);
  }
}

TEST(Results, calls_in_turn_are_null_where_they_were_left_out) {
  const PointFacts facts{.host_of_rank = {"a", "b"}};
  PointMeasurement measured{.blocks = some_measurement()};
  EXPECT_TRUE(point_line(facts, measured, {})["alternating"].is_null());
  measured.alternating = some_measurement();
  EXPECT_EQ(point_line(facts, measured, {})["alternating"]["native"]["n"], 2);
}

TEST(Results, flows_are_the_mean_of_the_calls_that_went_by_the_wire) {
  auto measured = some_measurement();
  measured.library.push_back({.duration_ns = 70});
  const auto line = point_line({.host_of_rank = {"a", "b"}}, {.blocks = measured}, {});
  const auto& flows = line["blocks"]["quadrille"]["flows"];
  EXPECT_EQ(flows["calls"], 2);
  EXPECT_EQ(flows["packets"], 10.5);
  EXPECT_EQ(flows["bytes"], 9500);
  EXPECT_EQ(flows["resent"], 0.5);
  EXPECT_EQ(flows["credit_wait_ns"], 250);
  EXPECT_EQ(flows["stalls"], 0.5);
  EXPECT_TRUE(line["blocks"]["native"]["flows"].is_null());
}

TEST(Results, calls_with_different_executors_are_mixed_and_listed_in_order) {
  PointMeasurement measured{.blocks = some_measurement()};
  measured.blocks.library.push_back({.duration_ns = 70, .execution = {.reason = "tried"}});
  const auto side = point_line({.host_of_rank = {"a", "b"}}, measured, {})["blocks"]["quadrille"];
  EXPECT_EQ(side["executor"], "mixed");
  EXPECT_TRUE(side["algorithm"].is_null());
  ASSERT_EQ(side["executions"].size(), 2U);
  EXPECT_EQ(side["executions"][0]["calls"], 2);
  EXPECT_EQ(side["executions"][1]["reason"], "tried");
}

}  // namespace
}  // namespace quadrille::bench
