// SPDX-License-Identifier: BSD-3-Clause
// Numbers without a fraction are written as whole numbers: 25000000, not 25000000.0.
#include "network/model/model_writer.h"

#include <cmath>
#include <utility>

namespace quadrille::model_file {
namespace {

FieldWriter::Json number(double value) {
  constexpr double most_exact = 1e15;  // below, every whole number is a double and an integer
  if (!std::isfinite(value)) return nullptr;
  if (std::trunc(value) == value && std::abs(value) <= most_exact)
    return static_cast<std::int64_t>(value);
  return value;
}

}  // namespace

void FieldWriter::text(const char* key, const std::string& text) {
  object_[key] = text.empty() ? Json() : Json(text);
}

void FieldWriter::kind(const char* key, SegmentKind kind) {
  object_[key] = kind == SegmentKind::bus ? "bus" : "switch";
}

void FieldWriter::ends(const char* key, const std::string& first, const std::string& second) {
  object_[key] = Json::array({first, second});
}

void FieldWriter::count(const char* key, std::uint64_t count) {
  object_[key] = count == 0 ? Json() : Json(count);
}

void FieldWriter::plain(const char* key, double value) {
  object_[key] = value == 0 ? Json() : number(value);
}

void FieldWriter::confidence(const char* key, double value) { object_[key] = number(value); }

void FieldWriter::amount(const char* key, const MaybeMeasured& value) {
  if (value) {
    measured(key, *value);
  } else {
    object_[key] = nullptr;
  }
}

void FieldWriter::measured(const char* key, const Measured& value) {
  object_[key] = number(value.value);
  if (value.low == value.value && value.high == value.value) return;
  intervals_[key] = Json::array({number(value.low), number(value.high)});
}

void FieldWriter::fact(const char* key, const std::optional<bool>& fact) {
  object_[key] = fact ? Json(*fact) : Json();
}

FieldWriter::Json FieldWriter::take() {
  if (!intervals_.empty()) object_["intervals"] = std::move(intervals_);
  return std::move(object_);
}

}  // namespace quadrille::model_file
