// SPDX-License-Identifier: BSD-3-Clause
// Every environment variable that Quadrille reads, parsed once. The table is settings.def.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "base/waiting_mode.h"

namespace quadrille {

struct Settings {
  using text = std::string;
  using topics = std::string;
  using integer = std::int64_t;
  using flag = bool;
  using waiting_mode = WaitingMode;
#define SETTING(field, type, variable, fallback, legal, unit, description) type field{};
#define COMMAND_LINE_SETTING(variable, fallback, unit, description)
#include "base/settings.def"
#undef COMMAND_LINE_SETTING
#undef SETTING

  // Whether `topic` is in QUADRILLE_LOG.
  bool logs(std::string_view topic) const;
};

// `lookup` returns a variable's value or null, as getenv does. A value that is not legal is an
// error that names the variable, the value and what it may be; but for topics of logs, which cost
// nobody anything.
Result<Settings> read_settings(const std::function<const char*(const char*)>& lookup);

// What nobody will read, one line each: QUADRILLE_ variables of `environment`, entries
// "NAME=value", that are none, with the one that may be meant; topics that QUADRILLE_LOG does not
// have.
std::vector<std::string> misspelt_settings(const std::vector<std::string_view>& environment);

}  // namespace quadrille
