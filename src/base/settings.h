// SPDX-License-Identifier: BSD-3-Clause
// Every environment variable that Quadrille reads, parsed once. The table is settings.def.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "base/error.h"
#include "base/waiting_mode.h"

namespace quadrille {

struct Settings {
  using text = std::string;
  using integer = std::int64_t;
  using flag = bool;
  using waiting_mode = WaitingMode;
#define SETTING(field, type, variable, fallback, unit, description) type field{};
#include "base/settings.def"
#undef SETTING

  // Whether `topic` is in QUADRILLE_LOG.
  bool logs(std::string_view topic) const;
};

// `lookup` returns a variable's value or null, as getenv does. A value that does not parse is an
// error that names the variable, the value and what it may be.
Result<Settings> read_settings(const std::function<const char*(const char*)>& lookup);

}  // namespace quadrille
