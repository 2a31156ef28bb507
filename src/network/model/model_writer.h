// SPDX-License-Identifier: BSD-3-Clause
// Writes the keys of one JSON object of a model file, in the order of model_fields.h. What is
// unknown is null.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "network/model/model_fields.h"

namespace quadrille::model_file {

// A visitor of model_fields.h.
class FieldWriter {
 public:
  using Json = nlohmann::ordered_json;

  void name(const char* key, const std::string& text) { object_[key] = text; }
  void text(const char* key, const std::string& text);
  void word(const char* key, const std::string& word, std::span<const std::string_view>) {
    text(key, word);
  }
  void texts(const char* key, const std::vector<std::string>& list, Need) { object_[key] = list; }
  void kind(const char* key, SegmentKind kind);
  void ends(const char* key, const std::string& first, const std::string& second);
  void count(const char* key, std::uint64_t count);
  void exact_count(const char* key, std::uint64_t count) { object_[key] = count; }
  void plain(const char* key, double value);
  void confidence(const char* key, double value);
  void amount(const char* key, const MaybeMeasured& value);
  void share(const char* key, const MaybeMeasured& value) { amount(key, value); }
  void measured(const char* key, const Measured& value);
  void fact(const char* key, const std::optional<bool>& fact);

  template <typename Struct>
  void object(const char* key, const Struct& value) {
    object_[key] = written(value);
  }

  template <typename Struct>
  void objects(const char* key, const std::vector<Struct>& list, Need) {
    auto& entries = object_[key] = Json::array();
    for (const auto& entry : list) entries.push_back(written(entry));
  }

  // The object, its intervals last.
  Json take();

 private:
  template <typename Struct>
  static Json written(const Struct& value) {
    FieldWriter writer;
    fields(writer, value);
    return writer.take();
  }

  Json object_ = Json::object();
  Json intervals_ = Json::object();
};

}  // namespace quadrille::model_file
