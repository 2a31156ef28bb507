// SPDX-License-Identifier: BSD-3-Clause
#include "probe/measure/hosts/host_settings_files.h"

#include <charconv>
#include <fstream>
#include <sstream>

namespace quadrille::probe {
namespace {

// More than any of these files has; /proc/net/igmp of a busy router stays below.
constexpr std::size_t most_lines = 4096;

template <typename T, typename... Format>
std::optional<T> whole(const std::string& text, Format... format) {
  T value{};
  const char* end = text.data() + text.size();
  const auto [stop, problem] = std::from_chars(text.data(), end, value, format...);
  if (text.empty() || problem != std::errc{} || stop != end) return std::nullopt;
  return value;
}

}  // namespace

std::optional<std::string> first_line(const std::filesystem::path& file) {
  std::ifstream in(file);
  std::string line;
  if (!std::getline(in, line)) return std::nullopt;
  return line;
}

std::vector<std::string> lines_of(const std::filesystem::path& file) {
  std::ifstream in(file);
  std::vector<std::string> lines;
  for (std::string line; lines.size() < most_lines && std::getline(in, line);) {
    lines.push_back(std::move(line));
  }
  return lines;
}

std::vector<std::string> words_in(const std::string& line) {
  std::istringstream in(line);
  std::vector<std::string> words;
  for (std::string word; in >> word;) words.push_back(std::move(word));
  return words;
}

std::optional<std::int64_t> whole_number(const std::string& text) {
  return whole<std::int64_t>(text);
}

std::optional<double> decimal_number(const std::string& text) { return whole<double>(text); }

std::optional<std::uint64_t> hexadecimal_number(const std::string& text) {
  return whole<std::uint64_t>(text, 16);
}

std::optional<std::int64_t> number_in(const std::filesystem::path& file) {
  const auto line = first_line(file);
  return line ? whole_number(*line) : std::nullopt;
}

}  // namespace quadrille::probe
