// SPDX-License-Identifier: BSD-3-Clause
// Parsing and checking; every rank does it alike, rank 0 alone prints.
#include "apps/bench/options.h"

#include <algorithm>
#include <charconv>
#include <map>

#include "apps/parse_options.h"

namespace quadrille::bench {
namespace {

// Zeros are refused where the sizes are known, with the sizes.
void add_sort_options(CLI::App& app, Options& options) {
  static const std::map<std::string, bool> memories{{"constant-global", false},
                                                    {"constant-local", true}};
  app.add_option("--vectors", options.vectors, "n: vectors of a parallel sort, of all processes");
  app.add_option("--doubles", options.doubles, "m: doubles of a vector");
  app.add_option("--memory", options.constant_local_memory,
                 "constant-global: m doubles; constant-local: m for each host that sorts")
      ->transform(CLI::CheckedTransformer(memories));
}

// Adds the options whose value is a number or a name.
void add_measurement_options(CLI::App& app, Options& options) {
  static const std::map<std::string, ElementType> types{
      {"byte", ElementType::byte}, {"int", ElementType::int32}, {"double", ElementType::float64}};
  static const std::map<std::string, Synchronisation> synchronisations{
      {"instant", Synchronisation::instant}, {"none", Synchronisation::none}};
  static const std::map<std::string, Waiting> waits{
      {"auto", Waiting::automatic}, {"sleep", Waiting::sleep}, {"spin", Waiting::spin}};
  app.add_option("--calls", options.calls, "Calls of one side in a block")
      ->check(CLI::Range(1, 100000));
  app.add_option("--blocks", options.blocks, "Rounds of four blocks at most")
      ->check(CLI::Range(1, 100000));
  app.add_option("--seconds", options.seconds, "Time budget of one point")
      ->check(CLI::Range(0.01, 86400.0));
  app.add_option("--warmup", options.warm_up, "Calls of each shape and side before measuring")
      ->check(CLI::Range(0, 100000));
  app.add_option("--type", options.type, "Element type: byte, int or double")
      ->transform(CLI::CheckedTransformer(types));
  app.add_flag("--blocks-only", options.blocks_only,
               "Leave out the calls in turn, a third of the budget");
  app.add_flag("--in-place", options.in_place, "Use MPI_IN_PLACE where the operation has it");
  app.add_option("--root", options.root, "Root of rooted operations")
      ->check(CLI::NonNegativeNumber);
  app.add_option("--skew-us", options.skew_us, "Ranks arrive up to this many microseconds apart")
      ->check(CLI::Range(0.0, 1e7));
  app.add_option("--computing-scale", options.computing_scale,
                 "Timed computing takes so many times as long as here: slower processors")
      ->check(CLI::Range(0.0, 1e4));
  add_sort_options(app, options);
  app.add_option("--seed", options.seed, "Seed of the skew and of the bootstrap");
  app.add_option("--sync", options.synchronisation,
                 "instant: calls start at an agreed time; none: back to back")
      ->transform(CLI::CheckedTransformer(synchronisations));
  app.add_option("--wait", options.waiting, "How ranks wait for the instant: auto, sleep or spin")
      ->transform(CLI::CheckedTransformer(waits));
  static const std::map<std::string, bool> sides{{"native", false}, {"quadrille", true}};
  app.add_option("--first", options.library_first,
                 "native or quadrille: which side's calls come first")
      ->transform(CLI::CheckedTransformer(sides));
  static const std::map<std::string, Background> backgrounds{{"native", Background::native},
                                                             {"quadrille", Background::library}};
  app.add_option("--background", options.background,
                 "native or quadrille: only make calls of that side, for --seconds or until killed")
      ->transform(CLI::CheckedTransformer(backgrounds));
  app.add_option("--output", options.output,
                 "File for the JSON lines, written by rank 0 (default: stdout)");
  app.add_option("--network", options.network,
                 "JSON file with segments and rates, for the lower bounds");
}

}  // namespace

Result<std::uint64_t> parse_bytes(const std::string& text) {
  std::uint64_t number = 0;
  const char* end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, number);
  const std::string unit(rest, end);
  static const std::map<std::string, int> shifts{{"", 0},     {"K", 10},   {"M", 20},  {"G", 30},
                                                 {"KiB", 10}, {"MiB", 20}, {"GiB", 30}};
  const auto shift = shifts.find(unit);
  if (error != std::errc{} || shift == shifts.end() ||
      number > (std::uint64_t{1} << 40 >> shift->second)) {
    return Error{ErrorKind::invalid_argument,
                 "'" + text + "' is no number of bytes; write it like 1, 32K or 2M"};
  }
  return number << shift->second;
}

JobOptions<Options> parse_options(int argc, const char* const* argv,
                                  const std::vector<std::string>& known) {
  JobOptions<Options> parsed;
  CLI::App app{
      "Times MPI collectives as the program would call them (MPI_X) against the MPI library alone "
      "(PMPI_X)."};
  std::vector<std::string> sizes;
  app.add_option("--collective", parsed.options.collectives, "Operations")
      ->delimiter(',')
      ->check(CLI::IsMember(known));
  app.add_option("--bytes", sizes, "Sizes, such as 1,1K,32K")->delimiter(',');
  app.add_option("--ranks", parsed.options.ranks, "Use the first so many ranks (default: all)")
      ->delimiter(',')
      ->check(CLI::PositiveNumber);
  add_measurement_options(app, parsed.options);
  if (!quadrille::parse_options(app, argc, argv, parsed)) return parsed;
  if (!sizes.empty()) parsed.options.bytes.clear();
  for (const auto& size : sizes) {
    const auto bytes = parse_bytes(size);
    if (!bytes.ok())
      return {.options = {},
              .run = false,
              .exit_code = exit_code::wrong_usage,
              .text = bytes.error().message + "\n"};
    parsed.options.bytes.push_back(bytes.value());
  }
  return parsed;
}

}  // namespace quadrille::bench
