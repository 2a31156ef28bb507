// SPDX-License-Identifier: BSD-3-Clause
#include "algorithms/parameters.h"

#include <algorithm>
#include <cassert>
#include <charconv>
#include <optional>

namespace quadrille {
namespace {

struct Assignment {
  std::string_view name;
  std::string_view value;
};

std::optional<Assignment> parse_assignment(std::string_view text) {
  const std::size_t equals = text.find('=');
  if (equals == 0 || equals == std::string_view::npos) return std::nullopt;
  return Assignment{text.substr(0, equals), text.substr(equals + 1)};
}

std::optional<std::int64_t> parse_integer(std::string_view text) {
  std::int64_t value = 0;
  const auto parsed = std::from_chars(text.data(), text.data() + text.size(), value);
  if (parsed.ec != std::errc() || parsed.ptr != text.data() + text.size()) return std::nullopt;
  return value;
}

std::vector<std::string> split(std::string_view text, char separator) {
  std::vector<std::string> words;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(separator, begin), text.size());
    words.emplace_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return words;
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
    Entry entry{.name = std::string(assignment->name), .words = {}};
    if (const auto integer = parse_integer(assignment->value)) {
      entry.value = *integer;
    } else {
      std::string_view words = assignment->value;
      entry.several = words.ends_with('/');
      if (entry.several) words.remove_suffix(1);
      entry.words = split(words, '|');
      entry.chosen = {0};
    }
    entries_.push_back(std::move(entry));
    return true;
  });
}

bool Parameters::assign(Entry& entry, std::string_view value) {
  if (entry.words.empty()) {
    const auto integer = parse_integer(value);
    if (!integer || *integer < 0) return false;
    entry.value = *integer;
    return true;
  }
  std::vector<std::size_t> chosen;
  for (const std::string& word : split(value, '/')) {
    const auto found = std::find(entry.words.begin(), entry.words.end(), word);
    if (found == entry.words.end()) return false;
    chosen.push_back(static_cast<std::size_t>(found - entry.words.begin()));
  }
  if (chosen.size() > 1 && !entry.several) return false;
  entry.chosen = std::move(chosen);
  return true;
}

Result<Parameters> Parameters::with(std::string_view text) const {
  Parameters result = *this;
  std::string problem;
  for_each_item(text, [&](std::string_view item) {
    const auto assignment = parse_assignment(item);
    if (!assignment) {
      problem = "'" + std::string(item) + "' is not of the form name=value";
      return false;
    }
    const auto entry = std::find_if(result.entries_.begin(), result.entries_.end(),
                                    [&](const Entry& e) { return e.name == assignment->name; });
    if (entry == result.entries_.end()) {
      problem = "there is no parameter '" + std::string(assignment->name) +
                "'; there are: " + (entries_.empty() ? "none" : this->choices());
      return false;
    }
    if (!assign(*entry, assignment->value)) {
      problem = "'" + std::string(item) + "' is not of the form " + entry->name + "=" +
                (entry->words.empty() ? "number" : listed(*entry));
    }
    return problem.empty();
  });
  if (!problem.empty()) return Error{ErrorKind::invalid_argument, problem};
  return result;
}

const Parameters::Entry& Parameters::entry(std::string_view name) const {
  const auto found = std::find_if(entries_.begin(), entries_.end(),
                                  [&](const Entry& e) { return e.name == name; });
  assert(found != entries_.end());
  return *found;
}

std::int64_t Parameters::operator[](std::string_view name) const {
  assert(entry(name).words.empty());
  return entry(name).value;
}

std::string_view Parameters::word(std::string_view name, std::size_t place) const {
  const Entry& named = entry(name);
  assert(!named.words.empty());
  return named.words[named.chosen[std::min(place, named.chosen.size() - 1)]];
}

std::string Parameters::text() const {
  std::string result;
  for (const Entry& entry : entries_) {
    if (!result.empty()) result += ':';
    result += entry.name + '=' + valued(entry);
  }
  return result;
}

std::string Parameters::choices() const {
  std::string result;
  for (const Entry& entry : entries_) {
    if (!result.empty()) result += ':';
    result += entry.name + '=' + (entry.words.empty() ? valued(entry) : listed(entry));
  }
  return result;
}

std::string Parameters::valued(const Entry& entry) {
  if (entry.words.empty()) return std::to_string(entry.value);
  std::string result;
  for (const std::size_t place : entry.chosen) {
    result += (result.empty() ? "" : "/") + entry.words[place];
  }
  return result;
}

std::string Parameters::listed(const Entry& entry) {
  std::string result;
  for (const std::string& word : entry.words) result += (result.empty() ? "" : "|") + word;
  return entry.several ? result + "/..." : result;
}

}  // namespace quadrille
