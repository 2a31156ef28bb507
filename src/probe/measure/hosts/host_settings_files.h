// SPDX-License-Identifier: BSD-3-Clause
// Reads the small files in which a kernel states its settings; what is not there is nothing.
#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

namespace quadrille::probe {

std::optional<std::string> first_line(const std::filesystem::path& file);
std::vector<std::string> lines_of(const std::filesystem::path& file);
std::vector<std::string> words_in(const std::string& line);
// Nothing but digits with an optional sign.
std::optional<std::int64_t> whole_number(const std::string& text);
std::optional<double> decimal_number(const std::string& text);
// 0x is not written in these files.
std::optional<std::uint64_t> hexadecimal_number(const std::string& text);
std::optional<std::int64_t> number_in(const std::filesystem::path& file);

// The value stands under `key`, or nothing does.
template <typename T>
void put(nlohmann::json& object, const char* key, const std::optional<T>& value) {
  if (value) object[key] = *value;
}

}  // namespace quadrille::probe
