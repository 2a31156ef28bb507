// SPDX-License-Identifier: BSD-3-Clause
// Parses a model file and finds hosts in it.
#include "network/model.h"

#include <map>
#include <nlohmann/json.hpp>

namespace quadrille {
namespace {

Error complaint(const std::string& place, const std::string& what) {
  return {ErrorKind::invalid_argument, place + ": " + what};
}

Result<Segment> parse_segment(const nlohmann::json& entry, const std::string& place) {
  if (!entry.is_object()) return complaint(place, "expected an object with 'hosts' and 'kind'");
  const auto hosts = entry.find("hosts");
  if (hosts == entry.end() || !hosts->is_array())
    return complaint(place + ".hosts", "expected a list of host names");
  Segment segment;
  for (const auto& host : *hosts) {
    if (!host.is_string())
      return complaint(place + ".hosts", "expected host names, found " + host.dump());
    segment.hosts.push_back(host.get<std::string>());
  }
  const auto kind = entry.find("kind");
  if (kind == entry.end()) return complaint(place + ".kind", "missing; expected 'switch' or 'bus'");
  if (*kind == "switch") {
    segment.kind = SegmentKind::switched;
  } else if (*kind == "bus") {
    segment.kind = SegmentKind::bus;
  } else {
    return complaint(place + ".kind", "expected 'switch' or 'bus', found " + kind->dump());
  }
  return segment;
}

}  // namespace

Result<NetworkModel> parse_model(std::string_view json) {
  const nlohmann::json document = nlohmann::json::parse(json, nullptr, false);
  if (document.is_discarded()) return complaint("model", "not valid JSON (truncated?)");
  if (!document.is_object()) return complaint("model", "expected an object");
  const auto segments = document.find("segments");
  if (segments == document.end() || !segments->is_array() || segments->empty()) {
    return complaint("segments", "expected a list of at least one segment");
  }
  NetworkModel model;
  for (const auto& entry : *segments) {
    auto segment = parse_segment(entry, "segments[" + std::to_string(model.segments.size()) + "]");
    if (!segment.ok()) return segment.error();
    model.segments.push_back(std::move(segment.value()));
  }
  return model;
}

Result<std::vector<std::uint32_t>> segments_of(const NetworkModel& model,
                                               const std::vector<std::string>& hosts) {
  std::map<std::string_view, std::uint32_t> segment_of;
  for (std::uint32_t i = 0; i < model.segments.size(); ++i) {
    for (const std::string& host : model.segments[i].hosts) segment_of[host] = i;
  }
  std::vector<std::uint32_t> found;
  for (const std::string& host : hosts) {
    const auto entry = segment_of.find(host);
    if (entry == segment_of.end())
      return complaint("segments", "the model does not know host '" + host + "'");
    found.push_back(entry->second);
  }
  return found;
}

}  // namespace quadrille
