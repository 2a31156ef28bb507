// SPDX-License-Identifier: BSD-3-Clause
// A native program's options.
#pragma once

#include <CLI/CLI.hpp>
#include <optional>

#include "apps/exit_codes.h"

namespace quadrille {

// What the program ends with at once, after help or wrong usage was told; nothing: it goes on.
inline std::optional<int> parse_options(CLI::App& app, int argc, char** argv) {
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? exit_code::done : exit_code::wrong_usage;
  }
  return std::nullopt;
}

}  // namespace quadrille
