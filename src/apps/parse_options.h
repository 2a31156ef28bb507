// SPDX-License-Identifier: BSD-3-Clause
// A native program's options.
#pragma once

#include <CLI/CLI.hpp>
#include <optional>
#include <sstream>

#include "apps/exit_codes.h"
#include "apps/job_options.h"

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

// Of a program that an MPI launcher starts: says nothing, and false where it ends at once.
template <typename Options>
bool parse_options(CLI::App& app, int argc, const char* const* argv, JobOptions<Options>& parsed) {
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    std::ostringstream text;
    parsed.run = false;
    parsed.exit_code = app.exit(error, text, text) == 0 ? exit_code::done : exit_code::wrong_usage;
    parsed.text = text.str();
  }
  return parsed.run;
}

}  // namespace quadrille
