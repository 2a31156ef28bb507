// SPDX-License-Identifier: BSD-3-Clause
// A model file's contents become a model, and back. docs/network_model.md describes the format.
#include <algorithm>
#include <fstream>
#include <iterator>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "network/model/model.h"
#include "network/model/model_checks.h"
#include "network/model/model_reader.h"
#include "network/model/model_writer.h"

namespace quadrille {
namespace {

using model_file::FieldReader;
using model_file::FieldWriter;
using nlohmann::json;

constexpr int kDeepest = 8;  // the format itself nests four deep
constexpr char kTooDeep[] = "model: not a network model: nested too deep";

Error complain(const std::string& what) { return {ErrorKind::invalid_argument, what}; }

// Notices while parsing what a parsed document no longer shows: keys given twice, of which the
// first would be lost. Nesting too deep is not built at all.
class ParseWatch {
 public:
  bool operator()(int depth, json::parse_event_t event, const json& parsed) {
    if (depth > kDeepest) too_deep = true;
    if (too_deep) return false;
    const auto level = static_cast<std::size_t>(depth);
    if (event == json::parse_event_t::object_start) {
      keys_.resize(level + 1);
      keys_[level].clear();
    } else if (event == json::parse_event_t::key) {
      const auto& key = parsed.get_ref<const std::string&>();
      if (!keys_.at(level - 1).insert(key).second && twice.empty()) twice = key;
    }
    return true;
  }

  bool too_deep = false;
  std::string twice;

 private:
  std::vector<std::set<std::string>> keys_;  // of the objects that are open
};

std::string line_and_column(std::string_view text, std::size_t byte) {
  const auto before = text.substr(0, std::min(byte > 0 ? byte - 1 : 0, text.size()));
  const auto line = std::count(before.begin(), before.end(), '\n') + 1;
  const auto start = before.rfind('\n');
  const auto column = before.size() - (start == std::string_view::npos ? 0 : start + 1) + 1;
  return "line " + std::to_string(line) + ", column " + std::to_string(column);
}

Result<json> parse_document(std::string_view text) {
  constexpr std::string_view blank = " \t\r\n";
  if (text.find_first_not_of(blank) == std::string_view::npos)
    return complain("model: the file is empty; probe again");
  ParseWatch watch;
  json document;
  try {
    document =
        json::parse(text, [&watch](int depth, json::parse_event_t event, const json& parsed) {
          return watch(depth, event, parsed);
        });
  } catch (const json::parse_error& error) {
    if (watch.too_deep) return complain(kTooDeep);
    return complain("model: not valid JSON at " + line_and_column(text, error.byte) +
                    " (truncated or edited?)");
  } catch (const json::out_of_range&) {
    return complain("model: not valid JSON: a number is too large");
  }
  if (watch.too_deep) return complain(kTooDeep);
  if (!watch.twice.empty())
    return complain("model: key \"" + watch.twice + "\" stands twice in one object");
  if (!document.is_object())
    return complain("model: expected an object, found " + model_file::shown(document));
  return document;
}

// Before anything else is looked at: a newer format may look different everywhere.
std::optional<Error> check_version(const json& document) {
  const auto format = document.find("format");
  if (format != document.end() && *format != model_file::kFormat) {
    return complain("format: expected \"" + std::string(model_file::kFormat) + "\", found " +
                    model_file::shown(*format));
  }
  const auto version = document.find("version");
  if (version == document.end() || *version == kModelVersion) {
    if (version == document.end() || version->is_number_unsigned()) return std::nullopt;
  }
  const std::string known = std::to_string(kModelVersion);
  if (version->is_number_unsigned() && version->get<std::uint64_t>() > kModelVersion) {
    return complain("version: " + version->dump() + " is newer than this program, which reads " +
                    known + "; update Quadrille or probe again");
  }
  return complain("version: expected " + known + ", found " + model_file::shown(*version));
}

// Hand-written files leave out names, and hosts of which nothing is known but their segment.
void fill_in(NetworkModel& model) {
  std::map<std::string, std::size_t> index_of;
  for (std::size_t i = 0; i < model.hosts.size(); ++i) index_of.emplace(model.hosts[i].name, i);
  for (std::size_t i = 0; i < model.segments.size(); ++i) {
    auto& segment = model.segments[i];
    if (segment.name.empty()) segment.name = "segment" + std::to_string(i);
    for (const auto& name : segment.hosts) {
      const auto [entry, added] = index_of.emplace(name, model.hosts.size());
      if (added) model.hosts.emplace_back().name = name;
      auto& host = model.hosts[entry->second];
      if (host.segment.empty()) host.segment = segment.name;
    }
  }
  for (auto& trunk : model.trunks) {
    if (trunk.name.empty()) trunk.name = trunk.first + "-" + trunk.second;
  }
}

}  // namespace

Result<NetworkModel> parse_model(std::string_view json) {
  const auto document = parse_document(json);
  if (!document.ok()) return document.error();
  if (auto wrong = check_version(document.value())) return *wrong;
  NetworkModel model;
  std::optional<Error> failure;
  FieldReader reader(document.value(), "", failure);
  reader.accept("format");
  reader.accept("version");
  model_file::fields(reader, model);
  reader.finish();
  if (failure) return *failure;
  fill_in(model);
  if (auto wrong = check_model(model)) return *wrong;
  return model;
}

Result<NetworkModel> read_model(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) {
    return complain("model file " + path +
                    " cannot be read; `quadrille probe -o MODEL -- LAUNCHER` writes one");
  }
  const std::string text((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  auto model = parse_model(text);
  if (!model.ok()) return complain("model file " + path + ": " + model.error().message);
  return model;
}

// One line for each host, segment and so on: a file of 256 hosts stays readable, and diffs too.
std::string print_model(const NetworkModel& model) {
  using Json = FieldWriter::Json;
  FieldWriter writer;
  model_file::fields(writer, model);
  const Json sections = writer.take();
  const auto line = [](const Json& value) {
    return value.dump(-1, ' ', false, Json::error_handler_t::replace);
  };
  std::string text = "{\n\"format\":\"" + std::string(model_file::kFormat) +
                     "\",\n\"version\":" + std::to_string(kModelVersion);
  for (const auto& [key, section] : sections.items()) {
    text += ",\n\"" + key + "\":";
    if (section.is_array() && !section.empty() && section.front().is_object()) {
      const char* separator = "[\n ";
      for (const auto& entry : section) {
        text += separator + line(entry);
        separator = ",\n ";
      }
      text += "\n]";
    } else {
      text += line(section);
    }
  }
  return text + "\n}\n";
}

}  // namespace quadrille
