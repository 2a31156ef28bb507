// SPDX-License-Identifier: BSD-3-Clause
// Finds a job's hosts in a model. `hostname` prints with a domain on some systems and without on
// others, and a job may be started by addresses.
#include "network/model/model.h"

#include <algorithm>
#include <cctype>
#include <map>
#include <optional>

namespace quadrille {
namespace {

Error misfit(const std::string& what) {
  return {ErrorKind::invalid_argument,
          what + "; probe these hosts with `quadrille probe -o MODEL -- LAUNCHER`"};
}

// Without the domain. An address has none.
std::string_view short_name(std::string_view name) {
  const bool address = std::all_of(name.begin(), name.end(), [](unsigned char character) {
    return std::isdigit(character) != 0 || character == '.' || character == ':';
  });
  return address ? name : name.substr(0, name.find('.'));
}

class HostFinder {
 public:
  explicit HostFinder(const NetworkModel& model) : model_(model) {
    for (std::uint32_t i = 0; i < model.hosts.size(); ++i) {
      const auto& host = model.hosts[i];
      by_name_.emplace(host.name, i);
      if (!host.address.empty()) by_address_.emplace(host.address, i);
      by_short_name_.emplace(short_name(host.name), i);
    }
  }

  std::optional<std::uint32_t> find(const std::string& name) const {
    if (const auto host = by_name_.find(name); host != by_name_.end()) return host->second;
    if (const auto host = by_address_.find(name); host != by_address_.end()) return host->second;
    const auto [first, last] = by_short_name_.equal_range(short_name(name));
    if (first == last || std::next(first) != last) return std::nullopt;
    const bool one_has_no_domain =
        first->first == name || first->first == model_.hosts[first->second].name;
    return one_has_no_domain ? std::optional(first->second) : std::nullopt;
  }

 private:
  const NetworkModel& model_;
  std::map<std::string_view, std::uint32_t> by_name_;
  std::map<std::string_view, std::uint32_t> by_address_;
  std::multimap<std::string_view, std::uint32_t> by_short_name_;
};

}  // namespace

Result<std::vector<std::uint32_t>> hosts_of(const NetworkModel& model,
                                            const std::vector<std::string>& hosts) {
  const HostFinder finder(model);
  std::map<std::uint32_t, std::string_view> taken;
  std::vector<std::uint32_t> found;
  for (const std::string& host : hosts) {
    const auto index = finder.find(host);
    if (!index) return misfit("the model does not know host '" + host + "'");
    const auto [entry, fresh] = taken.emplace(*index, host);
    if (!fresh && entry->second != host) {
      return misfit("hosts '" + std::string(entry->second) + "' and '" + host +
                    "' both fit the model's host '" + model.hosts[*index].name + "'");
    }
    found.push_back(*index);
  }
  return found;
}

std::vector<std::optional<std::uint32_t>> islands_of(const NetworkModel& model) {
  std::map<std::string_view, std::uint32_t> island_with;
  for (std::uint32_t i = 0; i < model.islands.size(); ++i) {
    for (const std::string& host : model.islands[i].hosts) island_with.emplace(host, i);
  }
  std::vector<std::optional<std::uint32_t>> islands;
  for (const auto& host : model.hosts) {
    const auto island = island_with.find(host.name);
    islands.push_back(island == island_with.end() ? std::nullopt : std::optional(island->second));
  }
  return islands;
}

Result<std::vector<std::uint32_t>> segments_of(const NetworkModel& model,
                                               const std::vector<std::string>& hosts) {
  const auto indices = hosts_of(model, hosts);
  if (!indices.ok()) return indices.error();
  std::map<std::string_view, std::uint32_t> segment_named;
  for (std::uint32_t i = 0; i < model.segments.size(); ++i)
    segment_named.emplace(model.segments[i].name, i);
  std::vector<std::uint32_t> segments;
  for (const auto index : indices.value()) {
    const auto& host = model.hosts[index];
    const auto segment = segment_named.find(host.segment);
    if (segment == segment_named.end())
      return misfit("the model knows host '" + host.name + "', but not its segment");
    segments.push_back(segment->second);
  }
  return segments;
}

}  // namespace quadrille
