// SPDX-License-Identifier: BSD-3-Clause
#include "apps/probe/options.h"

#include "apps/parse_options.h"

namespace quadrille::probe {

JobOptions<ProberOptions> parse_prober_options(int argc, const char* const* argv) {
  JobOptions<ProberOptions> parsed;
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
  parse_options(app, argc, argv, parsed);
  return parsed;
}

}  // namespace quadrille::probe
