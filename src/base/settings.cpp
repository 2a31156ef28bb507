// SPDX-License-Identifier: BSD-3-Clause
// Parses the environment variables of settings.def.
#include "base/settings.h"

#include <charconv>
#include <string_view>

namespace quadrille {
namespace {

std::string complaint(const char* variable, std::string_view value, const char* expected) {
  return std::string(variable) + "=" + std::string(value) + ": " + expected;
}

bool parse(std::string_view value, std::string& into) {
  into = value;
  return true;
}

bool parse(std::string_view value, std::int64_t& into) {
  const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), into);
  return error == std::errc() && end == value.data() + value.size() && into >= 0;
}

bool parse(std::string_view value, bool& into) {
  into = value == "on";
  return value == "on" || value == "off";
}

bool parse(std::string_view value, WaitingMode& into) {
  into = value == "spin"    ? WaitingMode::spin
         : value == "sleep" ? WaitingMode::sleep
                            : WaitingMode::automatic;
  return value == "auto" || value == "spin" || value == "sleep";
}

const char* expected(const std::string&) { return "expected text"; }
const char* expected(const std::int64_t&) { return "expected a whole number of 0 or more"; }
const char* expected(const bool&) { return "expected on or off"; }
const char* expected(const WaitingMode&) { return "expected auto, spin or sleep"; }

}  // namespace

bool Settings::logs(std::string_view topic) const {
  std::string_view rest = log;
  while (!rest.empty()) {
    const std::size_t comma = rest.find(',');
    if (rest.substr(0, comma) == topic) return true;
    if (comma == std::string_view::npos) break;
    rest.remove_prefix(comma + 1);
  }
  return false;
}

Result<Settings> read_settings(const std::function<const char*(const char*)>& lookup) {
  Settings settings;
  const char* value = nullptr;
#define SETTING(field, type, variable, fallback, unit, description)      \
  value = lookup(#variable);                                             \
  if (value == nullptr || *value == '\0') value = fallback;              \
  if (!parse(value, settings.field)) {                                   \
    return Error{ErrorKind::invalid_argument,                            \
                 complaint(#variable, value, expected(settings.field))}; \
  }
#include "base/settings.def"
#undef SETTING
  return settings;
}

}  // namespace quadrille
