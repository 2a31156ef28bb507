// SPDX-License-Identifier: BSD-3-Clause
#include "network/network_costs.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <string_view>
#include <utility>

namespace quadrille {
namespace {

constexpr std::uint64_t kPsPerSecondOf8Bit = 8'000'000'000'000;
constexpr std::uint64_t kMillion = 1'000'000;
// Others may take most of a resource, but what they leave is never nothing.
constexpr std::uint64_t kMostAmbient = 950'000;  // millionths
constexpr double kFastest = 1e12;                // bit/s; more would be below 8 ps a byte
constexpr double kLongest = 1e15;                // ns or bytes, beyond any that makes sense

std::uint64_t rounded(double value, double most) {
  return static_cast<std::uint64_t>(std::llround(std::clamp(value, 0.0, most)));
}

std::optional<std::uint64_t> whole(const MaybeMeasured& measured) {
  if (!measured) return std::nullopt;
  return rounded(measured->value, kLongest);
}

// The time of a byte at what others leave of `bit_s`, rounded up; nothing where the rate is
// unknown.
std::optional<std::uint64_t> ps_per_byte(const MaybeMeasured& bit_s,
                                         const MaybeMeasured& ambient_share) {
  if (!bit_s || bit_s->value < 1) return std::nullopt;
  const std::uint64_t taken =
      ambient_share ? std::min(rounded(ambient_share->value * 1e6, 1e6), kMostAmbient) : 0;
  const std::uint64_t left = rounded(bit_s->value, kFastest) * (kMillion - taken) / kMillion;
  const std::uint64_t rate = std::max<std::uint64_t>(left, 1);
  return (kPsPerSecondOf8Bit + rate - 1) / rate;
}

std::int64_t nanoseconds(const MaybeMeasured& measured, std::int64_t otherwise) {
  const auto value = whole(measured);
  return value ? static_cast<std::int64_t>(*value) : otherwise;
}

class Assembly {
 public:
  Assembly(const NetworkModel& model, std::span<const std::uint32_t> host_of_rank)
      : model_(model), island_of_(islands_of(model)) {
    for (const auto& segment : model.segments) add_place(segment.name);
    for (const auto& junction : model.junctions) add_place(junction);
    add_buses();
    add_trunks();
    for (const std::uint32_t host : host_of_rank) costs_.host_of_rank.push_back(host_for(host));
    find_paths();
  }

  NetworkCosts take() { return std::move(costs_); }

 private:
  static constexpr std::size_t nowhere = static_cast<std::size_t>(-1);

  // A segment or a junction, and the trunks that leave it.
  struct Place {
    struct Exit {
      std::size_t to = 0;
      NetworkCosts::ResourceIndex trunk = 0;
      std::int64_t latency_ns = 0;
    };
    NetworkCosts::ResourceIndex bus = NetworkCosts::none;
    std::vector<Exit> exits;
  };
  // How a place was first reached.
  struct Arrival {
    std::size_t from = nowhere;
    const Place::Exit* by = nullptr;
  };

  void add_place(const std::string& name) {
    place_named_.emplace(name, places_.size());
    places_.emplace_back();
  }

  NetworkCosts::ResourceIndex add(NetworkCosts::Resource resource) {
    costs_.resources.push_back(std::move(resource));
    return static_cast<NetworkCosts::ResourceIndex>(costs_.resources.size() - 1);
  }

  // A bus of unknown rate is as fast as its fastest host, which shares it.
  void add_buses() {
    for (std::size_t i = 0; i < model_.segments.size(); ++i) {
      const auto& segment = model_.segments[i];
      if (segment.kind != SegmentKind::bus) continue;
      auto rate = ps_per_byte(segment.bus_rate_bit_s, segment.ambient_share);
      for (const auto& host : model_.hosts) {
        if (segment.bus_rate_bit_s || host.segment != segment.name) continue;
        const auto out = ps_per_byte(host.from_host_bit_s, host.ambient_from_host_share);
        if (out && (!rate || *out < *rate)) rate = out;
      }
      places_[i].bus = add(
          {.name = "bus " + segment.name, .ps_per_byte = rate.value_or(CostDefaults::ps_per_byte)});
    }
  }

  // A trunk of unknown rate, and one that carried all it was given, held nothing up.
  static std::uint64_t trunk_ps_per_byte(const MaybeMeasured& rate, const MaybeMeasured& ambient) {
    if (rate && std::isinf(rate->high)) return 0;
    return ps_per_byte(rate, ambient).value_or(0);
  }

  void add_trunks() {
    for (const auto& trunk : model_.trunks) {
      const auto first = place_named_.find(trunk.first);
      const auto second = place_named_.find(trunk.second);
      if (first == place_named_.end() || second == place_named_.end()) continue;
      const std::int64_t latency = nanoseconds(trunk.latency_ns, 0);
      const auto forward =
          add({.name = "trunk " + trunk.name + " forward",
               .ps_per_byte = trunk_ps_per_byte(trunk.forward_bit_s, trunk.forward_ambient_share),
               .buffer_bytes = whole(trunk.forward_buffer_bytes).value_or(0)});
      const auto backward =
          add({.name = "trunk " + trunk.name + " backward",
               .ps_per_byte = trunk_ps_per_byte(trunk.backward_bit_s, trunk.backward_ambient_share),
               .buffer_bytes = whole(trunk.backward_buffer_bytes).value_or(0)});
      places_[first->second].exits.push_back({second->second, forward, latency});
      places_[second->second].exits.push_back({first->second, backward, latency});
    }
  }

  // The number of the model's host among those of the communicator, in order of their lowest rank.
  std::uint32_t host_for(std::uint32_t model_host) {
    const auto [entry, fresh] =
        host_number_.emplace(model_host, static_cast<std::uint32_t>(costs_.hosts.size()));
    if (fresh) {
      add_host(model_.hosts[model_host]);
      if (const auto island = island_of_[model_host])
        put_on_island(model_.islands[*island], *island, model_.hosts[model_host].name);
    }
    return entry->second;
  }

  void add_host(const ModelHost& from) {
    const auto place = place_named_.find(from.segment);
    const std::size_t at =
        from.segment.empty() || place == place_named_.end() ? nowhere : place->second;
    const bool on_bus = at != nowhere && places_[at].bus != NetworkCosts::none;
    // On a bus of known rate nothing else needs to be known.
    const std::uint64_t unknown = on_bus ? 0 : CostDefaults::ps_per_byte;
    const auto rate = [&](const MaybeMeasured& bit_s, const MaybeMeasured& ambient) {
      return ps_per_byte(bit_s, ambient).value_or(unknown);
    };
    NetworkCosts::Host host;
    host.segment = segment_at(at);
    host.out = add({.name = "host " + from.name + " out",
                    .ps_per_byte = rate(from.from_host_bit_s, from.ambient_from_host_share)});
    host.in = add({.name = "host " + from.name + " in",
                   .ps_per_byte = rate(from.to_host_bit_s, from.ambient_to_host_share),
                   .buffer_bytes = buffer_before_hosts_of(at)});
    host.memory = add(
        {.name = "host " + from.name + " memory", .ps_per_byte = CostDefaults::host_ps_per_byte});
    host.send_overhead_ns = nanoseconds(from.send_overhead_ns, 0) + CostDefaults::overhead_ns;
    host.receive_overhead_ns = nanoseconds(from.receive_overhead_ns, 0) + CostDefaults::overhead_ns;
    host.gap_ns = nanoseconds(from.gap_ns, 0);
    costs_.hosts.push_back(host);
  }

  // The last host. What is not known of an island is as inside a host.
  void put_on_island(const Island& island, std::uint32_t number, const std::string& host_name) {
    NetworkCosts::Host& host = costs_.hosts.back();
    const std::string name = "host " + host_name + " on island " + island.name;
    const std::uint64_t rate =
        ps_per_byte(island.rate_bit_s, {}).value_or(CostDefaults::host_ps_per_byte);
    host.island = number;
    host.island_out = add({.name = name + " out", .ps_per_byte = rate});
    host.island_in = add({.name = name + " in", .ps_per_byte = rate});
    host.island_latency_ns = nanoseconds(island.latency_ns, CostDefaults::host_latency_ns);
  }

  // Segments of the communicator's hosts are numbered as they come.
  std::uint32_t segment_at(std::size_t place) {
    const auto found = std::find(place_of_segment_.begin(), place_of_segment_.end(), place);
    const auto number = static_cast<std::uint32_t>(found - place_of_segment_.begin());
    if (found != place_of_segment_.end()) return number;
    place_of_segment_.push_back(place);
    latency_in_segment_ns_.push_back(
        place == nowhere ? usual_latency()
                         : nanoseconds(model_.segments[place].latency_ns, usual_latency()));
    costs_.segments = number + 1;
    return number;
  }

  // Of segments without a latency of their own: that of the nearest pairs.
  std::int64_t usual_latency() const {
    return model_.delay_classes.empty()
               ? CostDefaults::latency_ns
               : nanoseconds(model_.delay_classes.front().latency_ns, CostDefaults::latency_ns);
  }

  std::uint64_t buffer_before_hosts_of(std::size_t place) const {
    if (place == nowhere || model_.segments[place].lossless.value_or(false)) return 0;
    const auto& segment = model_.segments[place];
    // Collective operations load all ports.
    const auto& burst = segment.safe_burst_all_ports_bytes ? segment.safe_burst_all_ports_bytes
                                                           : segment.safe_burst_bytes;
    return whole(burst).value_or(0);
  }

  void find_paths() {
    const std::size_t count = std::size_t{costs_.segments};
    costs_.paths.resize(count * count);
    for (std::size_t from = 0; from < count; ++from) {
      const auto arrivals = arrivals_from(place_of_segment_[from]);
      for (std::size_t to = 0; to < count; ++to)
        costs_.paths[from * count + to] = path(arrivals, from, to);
    }
  }

  // Breadth first: the way over the fewest trunks, of equals that over the first of the model.
  std::vector<Arrival> arrivals_from(std::size_t start) const {
    std::vector<Arrival> arrivals(places_.size());
    std::vector<std::size_t> order;
    if (start != nowhere) order.push_back(start);
    for (std::size_t next = 0; next < order.size(); ++next) {
      for (const auto& exit : places_[order[next]].exits) {
        if (exit.to == start || arrivals[exit.to].by != nullptr) continue;
        arrivals[exit.to] = {order[next], &exit};
        order.push_back(exit.to);
      }
    }
    return arrivals;
  }

  NetworkCosts::Path path(const std::vector<Arrival>& arrivals, std::size_t from, std::size_t to) {
    const auto add_bus = [&](std::vector<NetworkCosts::ResourceIndex>& way, std::size_t place) {
      if (place != nowhere && places_[place].bus != NetworkCosts::none)
        way.push_back(places_[place].bus);
    };
    NetworkCosts::Path result;
    result.latency_ns = std::max(latency_in_segment_ns_[from], latency_in_segment_ns_[to]);
    std::vector<NetworkCosts::ResourceIndex> backwards;
    add_bus(backwards, place_of_segment_[to]);
    std::size_t at = place_of_segment_[to];
    while (at != nowhere && arrivals[at].by != nullptr) {
      backwards.push_back(arrivals[at].by->trunk);
      result.latency_ns += arrivals[at].by->latency_ns;
      at = arrivals[at].from;
      add_bus(backwards, at);
    }
    // Where no trunk is known to join the two.
    if (at != place_of_segment_[from]) add_bus(backwards, place_of_segment_[from]);
    result.first = static_cast<std::uint32_t>(costs_.path_resources.size());
    result.count = static_cast<std::uint32_t>(backwards.size());
    costs_.path_resources.insert(costs_.path_resources.end(), backwards.rbegin(), backwards.rend());
    return result;
  }

  const NetworkModel& model_;
  const std::vector<std::optional<std::uint32_t>> island_of_;  // [model hosts]
  NetworkCosts costs_;
  std::vector<Place> places_;  // segments, then junctions
  std::map<std::string_view, std::size_t> place_named_;
  std::map<std::uint32_t, std::uint32_t> host_number_;
  std::vector<std::size_t> place_of_segment_;
  std::vector<std::int64_t> latency_in_segment_ns_;  // [segments]
};

}  // namespace

NetworkCosts network_costs(const NetworkModel& model, std::span<const std::uint32_t> host_of_rank) {
  return Assembly(model, host_of_rank).take();
}

}  // namespace quadrille
