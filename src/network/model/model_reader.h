// SPDX-License-Identifier: BSD-3-Clause
// Reads the keys of one JSON object of a model file; the first thing that is wrong is kept with its
// path.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "network/model/model_fields.h"

namespace quadrille::model_file {

// The value as a message shows it, cut where it is long.
std::string shown(const nlohmann::json& value);

// A visitor of model_fields.h.
class FieldReader {
 public:
  // REQUIRES: `object` is a JSON object; both outlive the reader. `place` is its path, "" for the
  // whole file.
  FieldReader(const nlohmann::json& object, std::string place, std::optional<Error>& failure);

  void name(const char* key, std::string& out);
  void text(const char* key, std::string& out);
  void word(const char* key, std::string& out, std::span<const std::string_view> words);
  void texts(const char* key, std::vector<std::string>& out, Need need);
  void kind(const char* key, SegmentKind& out);
  void ends(const char* key, std::string& first, std::string& second);
  void count(const char* key, std::uint32_t& out);
  void count(const char* key, std::uint64_t& out);
  void exact_count(const char* key, std::uint32_t& out);
  void exact_count(const char* key, std::uint64_t& out);
  void plain(const char* key, double& out);
  void confidence(const char* key, double& out);
  void amount(const char* key, MaybeMeasured& out);
  void share(const char* key, MaybeMeasured& out);
  void measured(const char* key, Measured& out);
  void fact(const char* key, std::optional<bool>& out);

  template <typename Struct>
  void object(const char* key, Struct& out) {
    const auto* found = there(key, Need::optional, "an object");
    if (found == nullptr) return;
    read(*found, path_of(key), out);
  }

  template <typename Struct>
  void objects(const char* key, std::vector<Struct>& out, Need need) {
    for (const auto& entry : list(key, need)) {
      const std::string place = path_of(key) + "[" + std::to_string(out.size()) + "]";
      read(entry, place, out.emplace_back());
    }
  }

  // A key of the file itself that no struct holds.
  void accept(const char* key) { known_.insert(key); }

  // After all fields: keys that no field asked for are wrong.
  void finish();

 private:
  template <typename Struct>
  void read(const nlohmann::json& entry, const std::string& place, Struct& out) {
    if (failure_) return;
    if (!entry.is_object()) return fail(place, "an object", entry);
    FieldReader reader(entry, place, failure_);
    fields(reader, out);
    reader.finish();
  }

  std::string path_of(const std::string& key) const;
  void fail(const std::string& path, std::string_view expected, const nlohmann::json& found);
  const nlohmann::json* present(const char* key, Need need, std::string_view expected);
  const nlohmann::json* there(const char* key, Need need, std::string_view expected);
  const nlohmann::json& list(const char* key, Need need);
  void whole(const char* key, Need need, std::uint64_t most, std::uint64_t& out);
  void number(const char* key, Need need, double most, MaybeMeasured& out);
  void read_interval(const char* key, Measured& out);

  const nlohmann::json& object_;
  std::string place_;
  std::optional<Error>& failure_;
  std::set<std::string_view> known_;
  std::set<std::string_view> with_value_;  // measured fields that have one
  bool measures_ = false;                  // some field is measured, so there may be intervals
};

}  // namespace quadrille::model_file
