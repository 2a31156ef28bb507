// SPDX-License-Identifier: BSD-3-Clause
// The network model: hosts, the segments they share, the trunks between segments, and what the MPI
// library's own calls cost on it. Written by `quadrille probe`, read by the planner. What is not
// known is absent; a value that was measured carries the interval in which the truth lies.
//
// docs/network_model.md describes the file; schemas/network_model.json is its schema.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"

namespace quadrille {

inline constexpr int kModelVersion = 1;

enum class SegmentKind : std::uint8_t { switched, bus };

// `low` to `high` holds the truth about nine times of ten; `high` of infinity: it is at least
// `low`.
struct Measured {
  double value = 0;
  double low = 0;
  double high = 0;

  bool operator==(const Measured&) const = default;
};
using MaybeMeasured = std::optional<Measured>;

struct Segment {
  std::string name;
  std::vector<std::string> hosts;  // as `hostname` prints them
  SegmentKind kind = SegmentKind::switched;
  double confidence = 1;           // that these hosts are one segment of this kind, 0 to 1
  MaybeMeasured bus_rate_bit_s;    // of a bus: what all its hosts share
  MaybeMeasured latency_ns;        // one way between two of its hosts, 64 B
  MaybeMeasured safe_burst_bytes;  // may arrive at one port at once before loss
  MaybeMeasured safe_burst_all_ports_bytes;  // at each port when all are loaded
  std::optional<bool> lossless;              // flow control or deep buffers: no loss was ever seen
  MaybeMeasured ambient_share;               // of a bus
  std::optional<bool> multicast;             // reaches every host of the segment
  MaybeMeasured multicast_bit_s;             // highest rate that arrived whole
  MaybeMeasured multicast_loss;              // share of datagrams, at that rate

  bool operator==(const Segment&) const = default;
};

struct ModelHost {
  std::string name;
  std::string segment;
  std::string interface;
  std::string address;
  std::uint32_t mtu_bytes = 0;  // 0: not known
  std::uint32_t cores = 0;
  std::string machine;  // equal for hosts that are namespaces or containers of one kernel
  MaybeMeasured from_host_bit_s;
  MaybeMeasured to_host_bit_s;
  MaybeMeasured ambient_from_host_share;
  MaybeMeasured ambient_to_host_share;
  MaybeMeasured send_overhead_ns;     // the processor is busy with sending a small datagram
  MaybeMeasured receive_overhead_ns;  // and with receiving one
  MaybeMeasured gap_ns;               // between two small datagrams sent one after the other

  bool operator==(const ModelHost&) const = default;
};

// A link between two segments, or to a junction: a place without hosts where trunks meet.
struct Trunk {
  std::string name;
  std::string first;  // segment or junction
  std::string second;
  MaybeMeasured forward_bit_s;  // first to second
  MaybeMeasured backward_bit_s;
  MaybeMeasured forward_buffer_bytes;
  MaybeMeasured backward_buffer_bytes;
  MaybeMeasured forward_ambient_share;
  MaybeMeasured backward_ambient_share;
  MaybeMeasured latency_ns;  // one way, beyond that inside a segment
  std::string routes =
      "unknown";  // "one", "several", "unknown": whether the rate depends on the flow

  bool operator==(const Trunk&) const = default;
};

// Hosts that a faster network of their own joins, such as InfiniBand: the MPI library alone uses
// it.
struct Island {
  std::string name;
  std::vector<std::string> hosts;
  MaybeMeasured rate_bit_s;  // what each host sends there, and what it receives
  MaybeMeasured latency_ns;  // one way between two of its hosts

  bool operator==(const Island&) const = default;
};

// Pairs of hosts of like distance.
struct DelayClass {
  std::string name;  // "same switch", "bridged", "routed", "far"
  std::uint64_t pairs = 0;
  MaybeMeasured latency_ns;

  bool operator==(const DelayClass&) const = default;
};

// What one call of the MPI library cost, all ranks of the job that measured.
struct MpiCost {
  std::string operation;  // "send" (half a round trip between two hosts), or a collective
  std::uint64_t bytes = 0;
  std::uint32_t ranks = 0;
  Measured time_ns;

  bool operator==(const MpiCost&) const = default;
};

struct Warning {
  std::string topic;  // machine-readable, such as "unreachable", "loss", "cpu_bound"
  std::string text;
  std::vector<std::string> hosts;

  bool operator==(const Warning&) const = default;
};

// How the model was made.
struct Provenance {
  std::string created;  // UTC, ISO 8601
  std::string quadrille_version;
  std::string mode;  // "full", "quick"
  std::string mpi_library;
  std::string network;  // the candidate that was chosen, "198.18.0.0/16"
  double seconds = 0;
  std::uint32_t rounds = 0;
  std::uint64_t sent_bytes = 0;         // all hosts together
  double most_load_share = 0;           // of the busiest cable's capacity, over the whole time
  std::vector<std::string> not_usable;  // interfaces and networks left out, and why, in words

  bool operator==(const Provenance&) const = default;
};

struct NetworkModel {
  Provenance provenance;
  std::vector<ModelHost> hosts;
  std::vector<Segment> segments;
  std::vector<std::string> junctions;
  std::vector<Trunk> trunks;
  std::vector<Island> islands;
  std::vector<DelayClass> delay_classes;
  std::vector<MpiCost> mpi_costs;
  std::vector<Warning> warnings;

  bool operator==(const NetworkModel&) const = default;
};

// Parses a model file's contents. Errors name the place in the document and the value.
Result<NetworkModel> parse_model(std::string_view json);

// The model of a file. Errors name the file too.
Result<NetworkModel> read_model(const std::string& path);

// The file's contents for `model`: what parse_model reads.
std::string print_model(const NetworkModel& model);

// The model's host for each of `hosts`, as indices into `model.hosts`. A host fits by its name, by
// its address, or where one of both names lacks the domain, by its short name if only one host has
// that. A host that the model does not know, and two that fit the same, are errors that name them.
// REQUIRES: `model` was parsed, or lists every host of its segments under `hosts`.
Result<std::vector<std::uint32_t>> hosts_of(const NetworkModel& model,
                                            const std::vector<std::string>& hosts);

// The island of each of `model.hosts`, by position, as an index into `model.islands`.
std::vector<std::optional<std::uint32_t>> islands_of(const NetworkModel& model);

// The segment of each of `hosts`, by position; errors as above, and for a host without a segment.
Result<std::vector<std::uint32_t>> segments_of(const NetworkModel& model,
                                               const std::vector<std::string>& hosts);

}  // namespace quadrille
