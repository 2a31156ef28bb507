// SPDX-License-Identifier: BSD-3-Clause
#include "apps/messages/options.h"

#include "apps/parse_options.h"

namespace quadrille::messages {

JobOptions<MessagesOptions> parse_messages_options(int argc, const char* const* argv) {
  JobOptions<MessagesOptions> parsed;
  MessagesOptions& options = parsed.options;
  CLI::App app("Times of messages that all ranks exchange with their partners at once");
  app.add_option("--bytes", options.sizes)->delimiter(',')->transform(CLI::AsSizeValue(false));
  app.add_option("--like", options.partners, "File that QUADRILLE_MESSAGES has had a job write")
      ->required();
  app.add_option("--at-once", options.at_once)->check(CLI::Range(1, 64));
  app.add_option("--seconds", options.seconds)->check(CLI::Range(0.001, 3600.0));
  parse_options(app, argc, argv, parsed);
  return parsed;
}

}  // namespace quadrille::messages
