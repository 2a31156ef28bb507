// SPDX-License-Identifier: BSD-3-Clause
// Parses the environment variables of settings.def.
#include "base/settings.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <limits>
#include <numeric>
#include <utility>

namespace quadrille {
namespace {

constexpr bool is_topics(std::string_view type) { return type == "topics"; }

// Unknown topics are told of, and refuse nothing.
constexpr std::string_view checked_values(std::string_view type, std::string_view legal) {
  return is_topics(type) ? std::string_view() : legal;
}

bool is_range(std::string_view legal) { return legal.find("..") != std::string_view::npos; }

// Calls visit(part) for each part of `text` between separators; ends where that returns false.
template <typename Visit>
void for_each_part(std::string_view text, char separator, Visit&& visit) {
  while (!text.empty()) {
    const std::size_t end = text.find(separator);
    if (!visit(text.substr(0, end)) || end == std::string_view::npos) return;
    text.remove_prefix(end + 1);
  }
}

bool is_among(std::string_view value, std::string_view values, char separator) {
  bool found = false;
  for_each_part(values, separator, [&](std::string_view one) {
    found = one == value;
    return !found;
  });
  return found;
}

// "a, b or c".
std::string enumerated(std::string_view legal) {
  std::vector<std::string_view> values;
  for_each_part(legal, '|', [&](std::string_view one) {
    values.push_back(one);
    return true;
  });
  std::string text;
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (i > 0) text += i + 1 == values.size() ? " or " : ", ";
    text += values[i];
  }
  return text;
}

std::string expected(std::string_view legal) {
  if (!is_range(legal)) return "expected " + enumerated(legal);
  const std::string least(legal.substr(0, legal.find("..")));
  const std::string most(legal.substr(legal.find("..") + 2));
  return most.empty() ? "expected a whole number of " + least + " or more"
                      : "expected a whole number from " + least + " to " + most;
}

bool read_number(std::string_view text, std::int64_t& into) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), into);
  return error == std::errc() && end == text.data() + text.size();
}

bool parse(std::string_view value, std::string_view legal, std::string& into) {
  into = value;
  return legal.empty() || value.empty() || is_among(value, legal, '|');
}

bool parse(std::string_view value, std::string_view legal, std::int64_t& into) {
  std::int64_t least = 0;
  std::int64_t most = std::numeric_limits<std::int64_t>::max();
  const std::size_t dots = legal.find("..");
  read_number(legal.substr(0, dots), least);
  read_number(legal.substr(dots + 2), most);
  return read_number(value, into) && into >= least && into <= most;
}

bool parse(std::string_view value, std::string_view legal, bool& into) {
  into = value == "on";
  return is_among(value, legal, '|');
}

bool parse(std::string_view value, std::string_view legal, WaitingMode& into) {
  into = value == "spin"    ? WaitingMode::spin
         : value == "sleep" ? WaitingMode::sleep
                            : WaitingMode::automatic;
  return is_among(value, legal, '|');
}

// How many letters have to be put in, left out or replaced (V. I. Levenshtein, Soviet Physics
// Doklady 10 (1966) 707-710).
std::size_t distance(std::string_view one, std::string_view other) {
  std::vector<std::size_t> row(other.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 0; i < one.size(); ++i) {
    std::size_t diagonal = std::exchange(row[0], i + 1);
    for (std::size_t j = 0; j < other.size(); ++j) {
      const std::size_t replaced = diagonal + (one[i] == other[j] ? 0 : 1);
      diagonal = std::exchange(row[j + 1], std::min({replaced, row[j] + 1, row[j + 1] + 1}));
    }
  }
  return row.back();
}

constexpr std::array all_variables = {
#define SETTING(field, type, variable, fallback, legal, unit, description) \
  std::string_view(#variable),
#define COMMAND_LINE_SETTING(variable, fallback, unit, description) std::string_view(#variable),
#include "base/settings.def"
#undef COMMAND_LINE_SETTING
#undef SETTING
};

std::string told_unknown(std::string_view name) {
  const auto* const closest = std::min_element(all_variables.begin(), all_variables.end(),
                                               [&](std::string_view one, std::string_view other) {
                                                 return distance(one, name) < distance(other, name);
                                               });
  std::string line = "unknown setting " + std::string(name);
  // A slip or two; more is another word.
  if (distance(*closest, name) <= 2) line += ", did you mean " + std::string(*closest) + "?";
  return line + " (`quadrille env --help` shows all)";
}

}  // namespace

bool Settings::logs(std::string_view topic) const { return is_among(topic, log, ','); }

Result<Settings> read_settings(const std::function<const char*(const char*)>& lookup) {
  Settings settings;
  const char* value = nullptr;
#define SETTING(field, type, variable, fallback, legal, unit, description)     \
  value = lookup(#variable);                                                   \
  if (value == nullptr || *value == '\0') value = fallback;                    \
  if (!parse(value, checked_values(#type, legal), settings.field)) {           \
    return Error{ErrorKind::invalid_argument,                                  \
                 std::string(#variable "=") + value + ": " + expected(legal)}; \
  }
#define COMMAND_LINE_SETTING(variable, fallback, unit, description)
#include "base/settings.def"
#undef COMMAND_LINE_SETTING
#undef SETTING
  return settings;
}

std::vector<std::string> misspelt_settings(const std::vector<std::string_view>& environment) {
  std::vector<std::string> lines;
  for (const std::string_view entry : environment) {
    const std::string_view name = entry.substr(0, entry.find('='));
    if (!name.starts_with("QUADRILLE_") || name.size() == entry.size()) continue;
    if (std::find(all_variables.begin(), all_variables.end(), name) == all_variables.end())
      lines.push_back(told_unknown(name));
    const std::string_view value = entry.substr(name.size() + 1);
#define SETTING(field, type, variable, fallback, legal, unit, description)                  \
  if (is_topics(#type) && name == #variable) {                                              \
    for_each_part(value, ',', [&](std::string_view topic) {                                 \
      if (!topic.empty() && !is_among(topic, legal, '|'))                                   \
        lines.push_back(#variable ": unknown topic " + std::string(topic) + "; expected " + \
                        enumerated(legal));                                                 \
      return true;                                                                          \
    });                                                                                     \
  }
#define COMMAND_LINE_SETTING(variable, fallback, unit, description)
#include "base/settings.def"
#undef COMMAND_LINE_SETTING
#undef SETTING
  }
  return lines;
}

}  // namespace quadrille
