// SPDX-License-Identifier: BSD-3-Clause
#include "planner/wire_candidates.h"

#include <algorithm>
#include <string_view>

namespace quadrille {
namespace {

struct WireRow {
  Collective collective;
  std::string_view algorithm;
  bool (*may)(const TopologyView& view);
  std::string_view instead_of;
  Bytes smallest;
  Bytes largest;
};

bool has_wire(const TopologyView& view) { return view.has_wire; }
bool has_wire_of_many_ranks(const TopologyView& view) {
  return view.has_wire && view.host_of_rank.size() > view.hosts();
}
bool has_multicast(const TopologyView& view) { return view.has_some_multicast(); }
bool has_multicast_to_all(const TopologyView& view) { return view.has_multicast; }
bool has_multicast_on_bus(const TopologyView& view) {
  return std::ranges::any_of(view.segment_of_host, [&](std::uint32_t segment) {
    return view.is_bus(segment) && view.has_multicast_in(segment);
  });
}

constexpr WireRow wire_rows[] = {
#define WIRE_CANDIDATE(collective, algorithm, needs, instead_of, smallest, largest) \
  {Collective::collective, #algorithm, has_##needs, #instead_of, {smallest}, {largest}},
#include "planner/wire_candidates.def"
#undef WIRE_CANDIDATE
};

const WireRow* wire_row_of(const Algorithm& algorithm) {
  const auto* const found = std::ranges::find(wire_rows, algorithm.name, &WireRow::algorithm);
  return found == std::end(wire_rows) ? nullptr : found;
}

}  // namespace

bool needs_multicast(const Algorithm& algorithm) {
  const WireRow* const row = wire_row_of(algorithm);
  return row != nullptr && row->may != has_wire && row->may != has_wire_of_many_ranks;
}

bool may_be_used(const Algorithm& algorithm, const TopologyView& view) {
  const WireRow* const row = wire_row_of(algorithm);
  return row == nullptr || row->may(view);
}

WireCandidates::WireCandidates(const TopologyView& view, const Shape& shape, Bytes size) {
  for (const WireRow& row : wire_rows) {
    if (!row.may(view) || row.collective != shape.collective) continue;
    if (size < row.smallest || row.largest < size) continue;
    own_.push_back(algorithm_named(row.algorithm));
    instead_of_.push_back(algorithm_named(row.instead_of));
  }
}

bool WireCandidates::takes_part(Collective collective, const TopologyView& view) {
  return std::ranges::any_of(
      wire_rows, [&](const WireRow& row) { return row.collective == collective && row.may(view); });
}

bool WireCandidates::contains(const Algorithms& among, const Algorithm& algorithm) {
  return std::ranges::find(among, &algorithm) != among.end();
}

void WireCandidates::enter(Decision& decision, std::span<const CostedCandidate> costed) const {
  for (const Algorithm* const own : own_) {
    const auto found = std::ranges::find_if(
        costed, [&](const CostedCandidate& one) { return one.candidate.algorithm == own; });
    if (found != costed.end()) {
      decision.candidates.push_back(found->candidate);
      decision.predicted.push_back(found->cost.total);
    } else {
      decision.candidates.push_back(candidate_of(*own, own->parameters));
      decision.predicted.emplace_back();
    }
  }
}

}  // namespace quadrille
