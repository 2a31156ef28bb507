// SPDX-License-Identifier: BSD-3-Clause
#include "apps/pingpong/options.h"

#include "apps/parse_options.h"

namespace quadrille::pingpong {

JobOptions<PingpongOptions> parse_pingpong_options(int argc, const char* const* argv) {
  JobOptions<PingpongOptions> parsed;
  PingpongOptions& options = parsed.options;
  CLI::App app("Times of messages between ranks 0 and 1");
  app.add_option("--ways", options.ways)
      ->delimiter(',')
      ->check(CLI::IsMember(
          {"mpi", "tcp", "udp", "packet", "xdp", "wire-udp", "wire-packet", "wire-xdp"}));
  app.add_option("--bytes", options.sizes)->delimiter(',')->transform(CLI::AsSizeValue(false));
  app.add_option("--patterns", options.patterns)
      ->delimiter(',')
      ->check(CLI::IsMember({"pingpong", "unidirectional", "bidirectional"}));
  app.add_option("--window", options.window)->check(CLI::Range(1, 4096));
  app.add_option("--seconds", options.seconds)->check(CLI::Range(0.001, 3600.0));
  app.add_option("--burst", options.burst_bytes);
  app.add_option("--interface", options.interface);
  parse_options(app, argc, argv, parsed);
  return parsed;
}

}  // namespace quadrille::pingpong
