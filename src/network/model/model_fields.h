// SPDX-License-Identifier: BSD-3-Clause
// The keys of a model file: one list for each of the model's structs, which the reader, the writer
// and the checks all walk.
//
// A visitor has a method for each meaning a key can have:
//   name          text that must be there              text         text, "" is unknown (null)
//   word          one of some words, "" is unknown     texts        a list of texts
//   kind          of a segment                         ends         the two places a trunk joins
//   count         whole number, 0 is unknown           exact_count  whole number that must be there
//   plain         number, 0 is unknown                 confidence   0 to 1, always known
//   amount        measured, at least 0                 share        measured, 0 to 1
//   measured      measured, must be there              fact         true, false, or unknown
//   object        a struct                             objects      a list of structs
#pragma once

#include <array>
#include <concepts>
#include <string_view>
#include <type_traits>

#include "network/model/model.h"

namespace quadrille::model_file {

inline constexpr std::string_view kFormat = "quadrille-network-model";
inline constexpr std::array<std::string_view, 2> kModes{"full", "quick"};
inline constexpr std::array<std::string_view, 3> kRoutes{"one", "several", "unknown"};

enum class Need : bool { optional, required };

template <typename T, typename Struct>
concept Of = std::same_as<std::remove_const_t<T>, Struct>;

template <typename Visitor>
void fields(Visitor& each, Of<Provenance> auto& made) {
  each.text("created", made.created);
  each.text("quadrille_version", made.quadrille_version);
  each.word("mode", made.mode, kModes);
  each.text("mpi_library", made.mpi_library);
  each.text("network", made.network);
  each.plain("seconds", made.seconds);
  each.count("rounds", made.rounds);
  each.count("sent_bytes", made.sent_bytes);
  each.plain("most_load_share", made.most_load_share);
  each.texts("not_usable", made.not_usable, Need::optional);
}

template <typename Visitor>
void fields(Visitor& each, Of<ModelHost> auto& host) {
  each.name("name", host.name);
  each.text("segment", host.segment);
  each.text("interface", host.interface);
  each.text("address", host.address);
  each.count("mtu_bytes", host.mtu_bytes);
  each.count("cores", host.cores);
  each.text("machine", host.machine);
  each.amount("from_host_bit_s", host.from_host_bit_s);
  each.amount("to_host_bit_s", host.to_host_bit_s);
  each.share("ambient_from_host_share", host.ambient_from_host_share);
  each.share("ambient_to_host_share", host.ambient_to_host_share);
  each.amount("send_overhead_ns", host.send_overhead_ns);
  each.amount("receive_overhead_ns", host.receive_overhead_ns);
  each.amount("gap_ns", host.gap_ns);
}

template <typename Visitor>
void fields(Visitor& each, Of<Segment> auto& segment) {
  each.text("name", segment.name);
  each.texts("hosts", segment.hosts, Need::required);
  each.kind("kind", segment.kind);
  each.confidence("confidence", segment.confidence);
  each.amount("bus_rate_bit_s", segment.bus_rate_bit_s);
  each.amount("latency_ns", segment.latency_ns);
  each.amount("safe_burst_bytes", segment.safe_burst_bytes);
  each.amount("safe_burst_all_ports_bytes", segment.safe_burst_all_ports_bytes);
  each.fact("lossless", segment.lossless);
  each.share("ambient_share", segment.ambient_share);
  each.fact("multicast", segment.multicast);
  each.amount("multicast_bit_s", segment.multicast_bit_s);
  each.share("multicast_loss", segment.multicast_loss);
}

template <typename Visitor>
void fields(Visitor& each, Of<Trunk> auto& trunk) {
  each.text("name", trunk.name);
  each.ends("between", trunk.first, trunk.second);
  each.amount("forward_bit_s", trunk.forward_bit_s);
  each.amount("backward_bit_s", trunk.backward_bit_s);
  each.amount("forward_buffer_bytes", trunk.forward_buffer_bytes);
  each.amount("backward_buffer_bytes", trunk.backward_buffer_bytes);
  each.share("forward_ambient_share", trunk.forward_ambient_share);
  each.share("backward_ambient_share", trunk.backward_ambient_share);
  each.amount("latency_ns", trunk.latency_ns);
  each.word("routes", trunk.routes, kRoutes);
}

template <typename Visitor>
void fields(Visitor& each, Of<Island> auto& island) {
  each.name("name", island.name);
  each.texts("hosts", island.hosts, Need::required);
  each.amount("rate_bit_s", island.rate_bit_s);
  each.amount("latency_ns", island.latency_ns);
}

template <typename Visitor>
void fields(Visitor& each, Of<DelayClass> auto& delay) {
  each.name("name", delay.name);
  each.count("pairs", delay.pairs);
  each.amount("latency_ns", delay.latency_ns);
}

template <typename Visitor>
void fields(Visitor& each, Of<MpiCost> auto& cost) {
  each.name("operation", cost.operation);
  each.exact_count("bytes", cost.bytes);
  each.exact_count("ranks", cost.ranks);
  each.measured("time_ns", cost.time_ns);
}

template <typename Visitor>
void fields(Visitor& each, Of<Warning> auto& warning) {
  each.name("topic", warning.topic);
  each.name("text", warning.text);
  each.texts("hosts", warning.hosts, Need::optional);
}

template <typename Visitor>
void fields(Visitor& each, Of<NetworkModel> auto& model) {
  each.object("provenance", model.provenance);
  each.objects("hosts", model.hosts, Need::optional);
  each.objects("segments", model.segments, Need::required);
  each.texts("junctions", model.junctions, Need::optional);
  each.objects("trunks", model.trunks, Need::optional);
  each.objects("islands", model.islands, Need::optional);
  each.objects("delay_classes", model.delay_classes, Need::optional);
  each.objects("mpi_costs", model.mpi_costs, Need::optional);
  each.objects("warnings", model.warnings, Need::optional);
}

}  // namespace quadrille::model_file
