// SPDX-License-Identifier: BSD-3-Clause
// JSON in the order in which people read it.
#include "schedule/dump.h"

#include <nlohmann/json.hpp>

namespace quadrille {

namespace {

using Json = nlohmann::ordered_json;

Json dump(const Region& region) {
  return {{"buffer", name_of(region.buffer)}, {"offset", region.offset}, {"length", region.length}};
}

Json dump(const Schedule& schedule, StepIndex index) {
  const Step& step = schedule.steps[index];
  Json result{{"step", index}, {"kind", name_of(step.kind)}};
  if (has_peer(step.kind)) result["peer"] = step.peer;
  if (step.from.length > 0) result["from"] = dump(step.from);
  if (step.into.length > 0) result["into"] = dump(step.into);
  result["after"] = schedule.dependencies_of(step);
  return result;
}

Json dump(const Schedule& schedule, Rank rank) {
  Json steps = Json::array();
  for (StepIndex index = 0; index < schedule.steps.size(); ++index) {
    steps.push_back(dump(schedule, index));
  }
  return {{"rank", rank},
          {"scratch_length", schedule.scratch_length},
          {"most_incoming", schedule.most_incoming},
          {"most_ahead", schedule.most_ahead},
          {"group", schedule.group},
          {"over_wire", schedule.over_wire},
          {"in_host_memory", schedule.in_host_memory},
          {"steps", std::move(steps)}};
}

}  // namespace

nlohmann::ordered_json dump(const Shape& shape, std::string_view algorithm,
                            std::string_view parameters, std::span<const Schedule> schedules) {
  Json all = Json::array();
  for (std::size_t rank = 0; rank < schedules.size(); ++rank) {
    all.push_back(dump(schedules[rank], static_cast<Rank>(rank)));
  }
  return {{"collective", name_of(shape.collective)},
          {"algorithm", algorithm},
          {"parameters", parameters},
          {"ranks", shape.ranks},
          {"root", shape.root},
          {"count", shape.count},
          {"element_bytes", shape.element_bytes},
          {"commutative", shape.commutative},
          {"in_place", shape.in_place},
          {"schedules", std::move(all)}};
}

}  // namespace quadrille
