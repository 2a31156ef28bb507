// SPDX-License-Identifier: BSD-3-Clause
// All ranks' schedules of one call as JSON, for people and for programs that draw them.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <span>
#include <string_view>

#include "schedule/schedule.h"
#include "schedule/shape.h"

namespace quadrille {

// {"collective", "algorithm", "parameters", "ranks", "root", "count", "element_bytes",
// "commutative",
//  "in_place", "schedules": [{"rank", "scratch_length", "most_incoming", "most_ahead", "steps": [
//    {"step", "kind", "peer", "from", "into", "after"}]}]}
// Regions are {"buffer", "offset", "length"} in elements; a step has those of peer, from and into
// that mean something for its kind; a message without data has no region.
nlohmann::ordered_json dump(const Shape& shape, std::string_view algorithm,
                            std::string_view parameters, std::span<const Schedule> schedules);

}  // namespace quadrille
