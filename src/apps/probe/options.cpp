// SPDX-License-Identifier: BSD-3-Clause
#include "apps/probe/options.h"

#include <CLI/CLI.hpp>
#include <sstream>

#include "apps/exit_codes.h"

namespace quadrille::probe {

ParsedOptions parse_prober_options(int argc, const char* const* argv) {
  ParsedOptions parsed;
  ProberOptions& options = parsed.options;
  CLI::App app{"Measures the network between the hosts of this job; one JSON object a line"};
  app.add_option("--seed", options.seed, "Seed of all choices by lot")->capture_default_str();
  app.add_option("--multicast-after", options.multicast_after_s,
                 "Try multicast again so many seconds after it was first tried")
      ->check(CLI::Range(0, 3600));
  app.add_option("--interface", options.interface,
                 "Networks to prefer: interface names, subnets or addresses, separated by ','");
  app.add_option("--samples", options.samples, "File for all round trips, written by rank 0");
  app.add_option("--check", options.check, "Model file to compare what is found with");
  app.add_flag("--quick", options.quick, "Measure only what a program needs when it starts");
  app.add_flag("--hosts-only", options.hosts_only, "Report the hosts' settings, measure nothing");
  try {
    app.parse(argc, argv);
    parsed.run = true;
  } catch (const CLI::ParseError& error) {
    std::ostringstream out;
    std::ostringstream problems;
    const int code = app.exit(error, out, problems);
    parsed.exit_code = code == 0 ? exit_code::done : exit_code::wrong_usage;
    parsed.text = out.str() + problems.str();
  }
  return parsed;
}

}  // namespace quadrille::probe
