// SPDX-License-Identifier: BSD-3-Clause
// An algorithm: a pure function from a call's shape, the view of the network and a rank to that
// rank's schedule. To add one: write FOLDER/NAME.cpp with `generate_NAME` and `supports_NAME`,
// and give it a row in algorithms.def, which also says when the planner takes it into account; the
// checker, the mutation test, the documentation and the forced choice (QUADRILLE_ALGORITHM) find it
// there.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "algorithms/parameters.h"
#include "algorithms/traffic/traffic.h"
#include "network/topology_view.h"
#include "schedule/schedule.h"
#include "schedule/shape.h"

namespace quadrille {

// What an algorithm is of no use without.
enum class Needs : std::uint8_t {
  nothing,
  wire,                // messages that travel by the wire
  wire_of_many_ranks,  // and hosts of several ranks
  host_memory,         // of hosts of several ranks
  multicast,           // on the wire, to all of a segment at least
  multicast_to_all,    // to all of the job
  multicast_on_bus,    // to all of a bus
};

// What is tried against the MPI library for messages of `smallest` to `largest` bytes. Sizes are
// those of message_size(): outside of them it has no chance, so that trying it would only cost
// time. Of allgatherv and reduce_scatter it is all blocks together, of alltoallv the mean block of
// the rank that sends most, of gatherv the mean block.
struct TriedSizes {
  std::string_view parameters;
  std::uint64_t smallest = 1;
  std::uint64_t largest = 0;  // below `smallest`: nothing is tried

  bool contains(std::uint64_t bytes) const { return smallest <= bytes && bytes <= largest; }
  bool empty() const { return largest < smallest; }
};

// When the planner takes an algorithm into account; without any of it, when it is forced.
struct AlgorithmUse {
  // "parameter=value|value...,...": where a model knows the network the algorithm is costed with
  // these values. Parameters joined by '&' are costed in all combinations (`segment` stands last,
  // as pieces of the same trees cost least to estimate); those behind a comma are settled after
  // those before it. Nothing: it is not costed.
  std::optional<std::string_view> searched = {};
  // Tried while no model knows the costs; what needs the wire, with or without a model.
  TriedSizes tried = {};
  TriedSizes also_tried = {};
  Needs needs = Needs::nothing;
  // Not tried beside this one: it paces by messages what the wire paces by packets, or pipelines
  // what multicast sends once.
  std::string_view instead_of = {};
  // Null: its cost is found by playing its schedules through.
  Traffic (*traffic)(const TrafficInput& input) = nullptr;
  // It goes by who shares hosts, segments or multicast, which MPI libraries do not know: its cost
  // says nothing of how long they take.
  bool sees_network = false;
};

struct GeneratorInput {
  const Shape& shape;
  const TopologyView& view;
  const Parameters& parameters;
  Rank rank = 0;
  LocalCounts counts{};  // of vector collectives
};

struct Algorithm {
  std::string_view name;
  Collective collective;
  Parameters parameters;  // with their defaults
  // Whether the algorithm can do this shape (commutativity, number of ranks); never found out by
  // failing.
  bool (*supports)(const Shape& shape);
  Schedule (*generate)(const GeneratorInput& input);
  AlgorithmUse use;
};

// All algorithms, in the order of algorithms.def; the position is the algorithm's id.
std::span<const Algorithm> algorithms();

// Finds `name`, or null.
const Algorithm* algorithm_named(std::string_view name);

// Nothing where the algorithm's row names none. REQUIRES: the algorithm supports input.shape.
std::optional<Traffic> traffic_of(const Algorithm& algorithm, const TrafficInput& input);

}  // namespace quadrille
