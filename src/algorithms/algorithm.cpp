// SPDX-License-Identifier: BSD-3-Clause
// The table of algorithms, made from algorithms.def, and their named parameters.
#include "algorithms/algorithm.h"

#include <algorithm>
#include <cassert>
#include <charconv>
#include <optional>

namespace quadrille {

#define ALGORITHM(name, collective, parameters) \
  bool supports_##name(const Shape& shape);     \
  Schedule generate_##name(const GeneratorInput& input);
#include "algorithms/algorithms.def"
#undef ALGORITHM

namespace {

struct Assignment {
  std::string_view name;
  std::int64_t value = 0;
};

std::optional<Assignment> parse_assignment(std::string_view text) {
  const std::size_t equals = text.find('=');
  if (equals == 0 || equals == std::string_view::npos) return std::nullopt;
  Assignment result{text.substr(0, equals), 0};
  const std::string_view number = text.substr(equals + 1);
  const auto parsed = std::from_chars(number.data(), number.data() + number.size(), result.value);
  if (parsed.ec != std::errc() || parsed.ptr != number.data() + number.size()) return std::nullopt;
  return result;
}

// Calls `take` with each item of a list separated by ',' or ':'; stops when it returns false.
template <typename Take>
void for_each_item(std::string_view list, const Take& take) {
  while (!list.empty()) {
    const std::size_t end = std::min(list.find_first_of(",:"), list.size());
    if (end > 0 && !take(list.substr(0, end))) return;
    list.remove_prefix(std::min(end + 1, list.size()));
  }
}

}  // namespace

Parameters::Parameters(std::string_view text) {
  for_each_item(text, [this](std::string_view item) {
    const auto assignment = parse_assignment(item);
    assert(assignment.has_value());
    entries_.push_back({std::string(assignment->name), assignment->value});
    return true;
  });
}

Result<Parameters> Parameters::with(std::string_view text) const {
  Parameters result = *this;
  std::string problem;
  for_each_item(text, [&](std::string_view item) {
    const auto assignment = parse_assignment(item);
    if (!assignment || assignment->value < 0) {
      problem = "'" + std::string(item) + "' is not of the form name=number";
      return false;
    }
    const auto entry = std::find_if(result.entries_.begin(), result.entries_.end(),
                                    [&](const Entry& e) { return e.name == assignment->name; });
    if (entry == result.entries_.end()) {
      problem = "there is no parameter '" + std::string(assignment->name) +
                "'; there are: " + (entries_.empty() ? "none" : this->text());
      return false;
    }
    entry->value = assignment->value;
    return true;
  });
  if (!problem.empty()) return Error{ErrorKind::invalid_argument, problem};
  return result;
}

std::int64_t Parameters::operator[](std::string_view name) const {
  const auto entry = std::find_if(entries_.begin(), entries_.end(),
                                  [&](const Entry& e) { return e.name == name; });
  assert(entry != entries_.end());
  return entry->value;
}

std::string Parameters::text() const {
  std::string result;
  for (const Entry& entry : entries_) {
    if (!result.empty()) result += ':';
    result += entry.name + '=' + std::to_string(entry.value);
  }
  return result;
}

std::span<const Algorithm> algorithms() {
  static const std::array table{
#define ALGORITHM(name, collective, parameters)                                      \
  Algorithm{#name, Collective::collective, Parameters(parameters), &supports_##name, \
            &generate_##name},
#include "algorithms/algorithms.def"
#undef ALGORITHM
  };
  return table;
}

const Algorithm* algorithm_named(std::string_view name) {
  for (const Algorithm& algorithm : algorithms()) {
    if (algorithm.name == name) return &algorithm;
  }
  return nullptr;
}

}  // namespace quadrille
