// SPDX-License-Identifier: BSD-3-Clause
#include "apps/soak/options.h"

#include "apps/parse_options.h"

namespace quadrille::soak {

JobOptions<SoakOptions> parse_soak_options(int argc, const char* const* argv) {
  JobOptions<SoakOptions> parsed;
  SoakOptions& options = parsed.options;
  CLI::App app("Random messages and collectives, verified, and the memory that they leave");
  app.add_option("--seconds", options.seconds)->check(CLI::PositiveNumber);
  app.add_option("--calls", options.calls, "End after so many of each rank, should they be first");
  app.add_option("--between-samples", options.between_samples_s)->check(CLI::PositiveNumber);
  app.add_option("--seed", options.seed);
  parse_options(app, argc, argv, parsed);
  return parsed;
}

}  // namespace quadrille::soak
