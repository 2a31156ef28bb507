// SPDX-License-Identifier: BSD-3-Clause
// What quadrille-messages is told on its command line.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "apps/job_options.h"

namespace quadrille::messages {

struct MessagesOptions {
  std::vector<std::size_t> sizes{8, 16384};  // bytes of a message
  std::string partners;                      // file with a list of each rank's partners
  std::size_t at_once = 64;                  // messages that a rank sends before it waits
  double seconds = 0.25;                     // of a size
};

JobOptions<MessagesOptions> parse_messages_options(int argc, const char* const* argv);

}  // namespace quadrille::messages
