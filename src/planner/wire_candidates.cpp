// SPDX-License-Identifier: BSD-3-Clause
#include "planner/wire_candidates.h"

#include <algorithm>

namespace quadrille {
namespace {

bool has_multicast_on_bus(const TopologyView& view) {
  return std::ranges::any_of(view.segment_of_host, [&](std::uint32_t segment) {
    return view.is_bus(segment) && view.has_multicast_in(segment);
  });
}

}  // namespace

bool needs_multicast(const Algorithm& algorithm) {
  return algorithm.use.needs == Needs::multicast ||
         algorithm.use.needs == Needs::multicast_to_all ||
         algorithm.use.needs == Needs::multicast_on_bus;
}

bool may_be_used(const Algorithm& algorithm, const TopologyView& view) {
  switch (algorithm.use.needs) {
    case Needs::nothing:
      return true;
    case Needs::wire:
      return view.has_wire;
    case Needs::wire_of_many_ranks:
      return view.has_wire && view.host_of_rank.size() > view.hosts();
    case Needs::host_memory:
      return view.has_host_memory && !view.has_islands() && view.host_of_rank.size() > view.hosts();
    case Needs::multicast:
      return view.has_some_multicast();
    case Needs::multicast_to_all:
      return view.has_multicast;
    case Needs::multicast_on_bus:
      return has_multicast_on_bus(view);
  }
  return false;
}

namespace {

bool takes_part(const Algorithm& algorithm, const Shape& shape, Bytes size,
                const TopologyView& view) {
  return algorithm.collective == shape.collective && algorithm.supports(shape) &&
         algorithm.use.tried.contains(size.value) && may_be_used(algorithm, view);
}

}  // namespace

std::vector<const Algorithm*> in_host_memory(const Shape& shape, Bytes size,
                                             const TopologyView& view) {
  std::vector<const Algorithm*> found;
  if (shape.is_nonblocking) return found;
  for (const Algorithm& algorithm : algorithms()) {
    if (algorithm.use.needs == Needs::host_memory && takes_part(algorithm, shape, size, view))
      found.push_back(&algorithm);
  }
  return found;
}

WireCandidates::WireCandidates(const TopologyView& view, const Shape& shape, Bytes size,
                               Bytes floor) {
  for (const Algorithm& algorithm : algorithms()) {
    if (algorithm.use.needs == Needs::nothing || !takes_part(algorithm, shape, size, view))
      continue;
    if (size < floor && algorithm.use.needs != Needs::host_memory) continue;
    own_.push_back(&algorithm);
    instead_of_.push_back(algorithm_named(algorithm.use.instead_of));
  }
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
