// SPDX-License-Identifier: BSD-3-Clause
// What each key of a model file may hold. python/quadrille/model/contract.py says the same in the
// same words.
#include "network/model/model_reader.h"

#include <algorithm>
#include <limits>
#include <utility>

namespace quadrille::model_file {
namespace {

using nlohmann::json;

constexpr double kNoLimit = std::numeric_limits<double>::infinity();
constexpr std::uint64_t kMost32 = std::numeric_limits<std::uint32_t>::max();
constexpr std::uint64_t kMostExact = std::uint64_t{1} << 53;  // beyond, other JSON readers round
constexpr std::size_t kLongestShown = 60;
constexpr std::string_view kList = "a list";
constexpr std::string_view kFullList = "a list with at least one entry";

std::string either(std::span<const std::string_view> words) {
  std::string text;
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (i > 0) text += i + 1 == words.size() ? " or " : ", ";
    text.append("'").append(words[i]).append("'");
  }
  return text;
}

bool is_name(const json& value) {
  return value.is_string() && !value.get_ref<const std::string&>().empty();
}

bool is_within(const json& value, double most) {
  return value.is_number() && value.get<double>() >= 0 && value.get<double>() <= most;
}

}  // namespace

std::string shown(const json& value) {
  // Lists and objects are not written out: nesting may be deep, and the path says where to look.
  if (value.is_structured() && !value.empty()) return value.is_array() ? "[...]" : "{...}";
  std::string text = value.dump(-1, ' ', false, json::error_handler_t::replace);
  if (text.size() <= kLongestShown) return text;
  std::size_t end = kLongestShown;
  while ((static_cast<unsigned char>(text[end]) & 0xC0U) == 0x80U) --end;  // not inside a character
  return text.substr(0, end) + "...";
}

FieldReader::FieldReader(const json& object, std::string place, std::optional<Error>& failure)
    : object_(object), place_(std::move(place)), failure_(failure) {}

std::string FieldReader::path_of(const std::string& key) const {
  return place_.empty() ? key : place_ + "." + key;
}

void FieldReader::fail(const std::string& path, std::string_view expected, const json& found) {
  if (failure_) return;
  failure_ = Error{ErrorKind::invalid_argument,
                   path + ": expected " + std::string(expected) + ", found " + shown(found)};
}

// The value under `key`; nothing where it is missing or null and need not be there.
const json* FieldReader::present(const char* key, Need need, std::string_view expected) {
  known_.insert(key);
  const auto found = object_.find(key);
  if (found != object_.end() && (need == Need::required || !found->is_null())) return &*found;
  if (need == Need::required && !failure_) {
    failure_ = Error{ErrorKind::invalid_argument,
                     path_of(key) + ": missing; expected " + std::string(expected)};
  }
  return nullptr;
}

// The same for what can be left out but not be null.
const json* FieldReader::there(const char* key, Need need, std::string_view expected) {
  return present(key, object_.contains(key) ? Need::required : need, expected);
}

void FieldReader::name(const char* key, std::string& out) {
  constexpr std::string_view expected = "a text that is not empty";
  const auto* found = present(key, Need::required, expected);
  if (found == nullptr) return;
  if (!is_name(*found)) return fail(path_of(key), expected, *found);
  out = found->get<std::string>();
}

void FieldReader::text(const char* key, std::string& out) {
  const auto* found = present(key, Need::optional, "");
  if (found == nullptr) return;
  if (!is_name(*found)) return fail(path_of(key), "a text that is not empty, or null", *found);
  out = found->get<std::string>();
}

void FieldReader::word(const char* key, std::string& out, std::span<const std::string_view> words) {
  const auto* found = present(key, Need::optional, "");
  if (found == nullptr) return;
  if (!found->is_string() ||
      std::find(words.begin(), words.end(), found->get_ref<const std::string&>()) == words.end()) {
    return fail(path_of(key), either(words), *found);
  }
  out = found->get<std::string>();
}

const json& FieldReader::list(const char* key, Need need) {
  static const json empty = json::array();
  const auto expected = need == Need::required ? kFullList : kList;
  const auto* found = there(key, need, expected);
  if (found == nullptr) return empty;
  if (!found->is_array() || (need == Need::required && found->empty())) {
    fail(path_of(key), expected, *found);
    return empty;
  }
  return *found;
}

void FieldReader::texts(const char* key, std::vector<std::string>& out, Need need) {
  for (const auto& entry : list(key, need)) {
    if (!is_name(entry)) {
      return fail(path_of(key) + "[" + std::to_string(out.size()) + "]", "a text that is not empty",
                  entry);
    }
    out.push_back(entry.get<std::string>());
  }
}

void FieldReader::kind(const char* key, SegmentKind& out) {
  constexpr std::string_view expected = "'switch' or 'bus'";
  const auto* found = present(key, Need::required, expected);
  if (found == nullptr) return;
  if (*found != "switch" && *found != "bus") return fail(path_of(key), expected, *found);
  out = *found == "bus" ? SegmentKind::bus : SegmentKind::switched;
}

void FieldReader::ends(const char* key, std::string& first, std::string& second) {
  constexpr std::string_view expected = "the names of two segments or junctions";
  const auto* found = present(key, Need::required, expected);
  if (found == nullptr) return;
  if (!found->is_array() || found->size() != 2 ||
      !std::all_of(found->begin(), found->end(), is_name))
    return fail(path_of(key), expected, *found);
  first = (*found)[0].get<std::string>();
  second = (*found)[1].get<std::string>();
}

void FieldReader::whole(const char* key, Need need, std::uint64_t most, std::uint64_t& out) {
  const std::string expected = "a whole number from 0 to " + std::to_string(most) +
                               (need == Need::optional ? ", or null" : "");
  const auto* found = present(key, need, expected);
  if (found == nullptr) return;
  if (!found->is_number_unsigned() || found->get<std::uint64_t>() > most)
    return fail(path_of(key), expected, *found);
  out = found->get<std::uint64_t>();
}

void FieldReader::count(const char* key, std::uint32_t& out) {
  std::uint64_t wide = out;
  whole(key, Need::optional, kMost32, wide);
  out = static_cast<std::uint32_t>(wide);
}

void FieldReader::count(const char* key, std::uint64_t& out) {
  whole(key, Need::optional, kMostExact, out);
}

void FieldReader::exact_count(const char* key, std::uint32_t& out) {
  std::uint64_t wide = out;
  whole(key, Need::required, kMost32, wide);
  out = static_cast<std::uint32_t>(wide);
}

void FieldReader::exact_count(const char* key, std::uint64_t& out) {
  whole(key, Need::required, kMostExact, out);
}

void FieldReader::plain(const char* key, double& out) {
  const auto* found = present(key, Need::optional, "");
  if (found == nullptr) return;
  if (!is_within(*found, kNoLimit))
    return fail(path_of(key), "a number of at least 0, or null", *found);
  out = found->get<double>();
}

void FieldReader::confidence(const char* key, double& out) {
  constexpr std::string_view expected = "a number from 0 to 1";
  const auto* found = there(key, Need::optional, expected);
  if (found == nullptr) return;
  if (!is_within(*found, 1)) return fail(path_of(key), expected, *found);
  out = found->get<double>();
}

void FieldReader::number(const char* key, Need need, double most, MaybeMeasured& out) {
  measures_ = true;
  const std::string expected =
      std::string(most < kNoLimit ? "a number from 0 to 1" : "a number of at least 0") +
      (need == Need::optional ? ", or null" : "");
  const auto* found = present(key, need, expected);
  if (found == nullptr) return;
  if (!is_within(*found, most)) return fail(path_of(key), expected, *found);
  with_value_.insert(key);
  const double value = found->get<double>();
  out = Measured{value, value, value};
  read_interval(key, *out);
}

void FieldReader::amount(const char* key, MaybeMeasured& out) {
  number(key, Need::optional, kNoLimit, out);
}

void FieldReader::share(const char* key, MaybeMeasured& out) {
  number(key, Need::optional, 1, out);
}

void FieldReader::measured(const char* key, Measured& out) {
  MaybeMeasured found;
  number(key, Need::required, kNoLimit, found);
  if (found) out = *found;
}

// Without an interval the value is taken as stated, not measured: exact.
void FieldReader::read_interval(const char* key, Measured& out) {
  const auto intervals = object_.find("intervals");
  if (intervals == object_.end() || !intervals->is_object()) return;
  const auto found = intervals->find(key);
  if (found == intervals->end()) return;
  const bool pair = found->is_array() && found->size() == 2 && is_within((*found)[0], kNoLimit) &&
                    ((*found)[1].is_null() || is_within((*found)[1], kNoLimit));
  if (!pair) {
    return fail(path_of("intervals") + "." + key,
                "[low, high], both at least 0, high null where it is at least low", *found);
  }
  out.low = (*found)[0].get<double>();
  out.high = (*found)[1].is_null() ? kNoLimit : (*found)[1].get<double>();
}

void FieldReader::fact(const char* key, std::optional<bool>& out) {
  const auto* found = present(key, Need::optional, "");
  if (found == nullptr) return;
  if (!found->is_boolean()) return fail(path_of(key), "true, false or null", *found);
  out = found->get<bool>();
}

void FieldReader::finish() {
  if (failure_) return;
  if (const auto intervals = object_.find("intervals"); measures_ && intervals != object_.end()) {
    known_.insert("intervals");
    if (!intervals->is_object()) return fail(path_of("intervals"), "an object", *intervals);
    for (const auto& [key, pair] : intervals->items()) {
      if (with_value_.contains(key)) continue;
      failure_ =
          Error{ErrorKind::invalid_argument,
                path_of("intervals") + "." + key + ": no measured value of this name beside it"};
      return;
    }
  }
  for (const auto& [key, value] : object_.items()) {
    if (known_.contains(key)) continue;
    failure_ =
        Error{ErrorKind::invalid_argument,
              path_of(key) + ": not a key of this format; remove it or correct its spelling"};
    return;
  }
}

}  // namespace quadrille::model_file
