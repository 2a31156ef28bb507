// SPDX-License-Identifier: BSD-3-Clause
// Checks of names, references and intervals. python/quadrille/model/checks.py does the same.
#include "network/model/model_checks.h"

#include <cmath>
#include <cstdint>
#include <map>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/disjoint_sets.h"
#include "network/model/model_fields.h"

namespace quadrille {
namespace {

using Complaint = std::optional<Error>;

Error complain(const std::string& path, const std::string& what) {
  return {ErrorKind::invalid_argument, path + ": " + what};
}

std::string in_quotes(std::string_view name) { return '"' + std::string(name) + '"'; }

std::string at(const char* list, std::size_t index) {
  return std::string(list) + "[" + std::to_string(index) + "]";
}

// A visitor of model_fields.h: names are there, numbers are numbers, and each measured value lies
// within its interval.
class FieldCheck {
  using Need = model_file::Need;

 public:
  Complaint first;

  void name(const char* key, const std::string& text) {
    if (text.empty()) note(key, "must not be empty");
  }
  void confidence(const char* key, double value) {
    if (!(value >= 0 && value <= 1)) note(key, "not a number from 0 to 1");
  }
  void amount(const char* key, const MaybeMeasured& value) {
    if (value) measured(key, *value);
  }
  void share(const char* key, const MaybeMeasured& value) {
    if (value && value->value > 1) note(key, "not a number from 0 to 1");
    amount(key, value);
  }
  void measured(const char* key, const Measured& value) {
    if (!std::isfinite(value.value) || value.value < 0) {
      note(key, "not a number of at least 0");
    } else if (!(value.low >= 0 && value.low <= value.value && value.value <= value.high)) {
      note(std::string("intervals.") + key, "does not hold the value beside it");
    }
  }
  template <typename Struct>
  void objects(const char* key, const std::vector<Struct>& list, Need) {
    for (std::size_t i = 0; i < list.size(); ++i) {
      place_ = at(key, i);
      model_file::fields(*this, list[i]);
    }
  }
  void text(const char*, const std::string&) {}
  void word(const char*, const std::string&, std::span<const std::string_view>) {}
  void texts(const char*, const std::vector<std::string>&, Need) {}
  void kind(const char*, SegmentKind) {}
  void ends(const char*, const std::string&, const std::string&) {}
  void count(const char*, std::uint64_t) {}
  void exact_count(const char*, std::uint64_t) {}
  void plain(const char*, double) {}
  void fact(const char*, const std::optional<bool>&) {}
  void object(const char*, const Provenance&) {}

 private:
  void note(const std::string& key, const std::string& what) {
    if (!first) first = complain(place_ + "." + key, what);
  }

  std::string place_;
};

// The places where trunks end, by name: segments first, then junctions.
using Places = std::map<std::string_view, std::size_t>;

Complaint name_places(const NetworkModel& model, Places& places) {
  if (model.segments.empty()) return complain("segments", "a model has at least one");
  for (std::size_t i = 0; i < model.segments.size(); ++i) {
    if (model.segments[i].name.empty())
      return complain(at("segments", i) + ".name", "must not be empty");
    if (model.segments[i].hosts.empty())
      return complain(at("segments", i) + ".hosts", "must not be empty");
    if (!places.emplace(model.segments[i].name, places.size()).second) {
      return complain(at("segments", i) + ".name",
                      in_quotes(model.segments[i].name) + " is the name of another segment too");
    }
  }
  for (std::size_t i = 0; i < model.junctions.size(); ++i) {
    if (!places.emplace(model.junctions[i], places.size()).second) {
      return complain(at("junctions", i), in_quotes(model.junctions[i]) +
                                              " is the name of another segment or junction too");
    }
  }
  return std::nullopt;
}

Complaint check_hosts(const NetworkModel& model, const Places& places) {
  std::map<std::string_view, std::string_view> segment_of;
  for (std::size_t i = 0; i < model.segments.size(); ++i) {
    const auto& segment = model.segments[i];
    for (std::size_t k = 0; k < segment.hosts.size(); ++k) {
      const auto [entry, fresh] = segment_of.emplace(segment.hosts[k], segment.name);
      if (fresh) continue;
      return complain(
          at("segments", i) + "." + at("hosts", k),
          in_quotes(segment.hosts[k]) + " is in segment " + in_quotes(entry->second) + " already");
    }
  }
  std::map<std::string_view, std::size_t> seen;
  for (std::size_t i = 0; i < model.hosts.size(); ++i) {
    const auto& host = model.hosts[i];
    if (!seen.emplace(host.name, i).second)
      return complain(at("hosts", i) + ".name",
                      in_quotes(host.name) + " is the name of another host too");
    const auto member = segment_of.find(host.name);
    if (host.segment.empty() && member == segment_of.end()) continue;
    const auto segment = places.find(host.segment);
    if (segment == places.end() || segment->second >= model.segments.size())
      return complain(at("hosts", i) + ".segment",
                      "there is no segment " + in_quotes(host.segment));
    if (member == segment_of.end() || member->second != host.segment) {
      return complain(
          at("hosts", i) + ".segment",
          "segment " + in_quotes(host.segment) + " does not list host " + in_quotes(host.name));
    }
  }
  return std::nullopt;
}

Complaint check_trunks(const NetworkModel& model, const Places& places) {
  DisjointSets joined(places.size());
  std::map<std::string_view, std::size_t> names;
  for (std::size_t i = 0; i < model.trunks.size(); ++i) {
    const auto& trunk = model.trunks[i];
    if (trunk.name.empty()) return complain(at("trunks", i) + ".name", "must not be empty");
    if (!names.emplace(trunk.name, i).second) {
      return complain(at("trunks", i) + ".name",
                      in_quotes(trunk.name) + " is the name of another trunk too");
    }
    for (const auto& end : {trunk.first, trunk.second}) {
      if (!places.contains(end)) {
        return complain(at("trunks", i) + ".between",
                        "there is no segment or junction " + in_quotes(end));
      }
    }
    if (!joined.join(places.at(trunk.first), places.at(trunk.second))) {
      return complain(at("trunks", i) + ".between", in_quotes(trunk.first) + " and " +
                                                        in_quotes(trunk.second) +
                                                        " are joined already; trunks form a tree");
    }
  }
  return std::nullopt;
}

Complaint check_islands(const NetworkModel& model) {
  std::set<std::string_view> hosts;
  for (const auto& host : model.hosts) hosts.insert(host.name);
  std::set<std::string_view> names;
  std::map<std::string_view, std::string_view> island_of;
  for (std::size_t i = 0; i < model.islands.size(); ++i) {
    const auto& island = model.islands[i];
    if (!names.insert(island.name).second) {
      return complain(at("islands", i) + ".name",
                      in_quotes(island.name) + " is the name of another island too");
    }
    if (island.hosts.size() < 2)
      return complain(at("islands", i) + ".hosts", "an island has at least two");
    for (std::size_t k = 0; k < island.hosts.size(); ++k) {
      const std::string place = at("islands", i) + "." + at("hosts", k);
      if (!hosts.contains(island.hosts[k]))
        return complain(place, "there is no host " + in_quotes(island.hosts[k]));
      const auto [entry, fresh] = island_of.emplace(island.hosts[k], island.name);
      if (fresh) continue;
      return complain(place, in_quotes(island.hosts[k]) + " is in island " +
                                 in_quotes(entry->second) + " already");
    }
  }
  return std::nullopt;
}

}  // namespace

std::optional<Error> check_model(const NetworkModel& model) {
  Places places;
  if (auto wrong = name_places(model, places)) return wrong;
  if (auto wrong = check_hosts(model, places)) return wrong;
  if (auto wrong = check_trunks(model, places)) return wrong;
  if (auto wrong = check_islands(model)) return wrong;
  FieldCheck values;
  model_file::fields(values, model);
  return values.first;
}

}  // namespace quadrille
