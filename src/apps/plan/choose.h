// SPDX-License-Identifier: BSD-3-Clause
// `quadrille-plan choose`: one call on one network, which plan is chosen and why, as JSON.
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>

#include "apps/plan/planned_network.h"
#include "base/error.h"

namespace quadrille::plan {

struct ChooseRequest {
  std::string collective;
  std::uint64_t bytes = 0;
  Rank root = 0;
  std::uint32_t element_bytes = 0;  // 0: of doubles where that goes, see element_bytes_for
  std::string model;                // path
  Placement placement;
  std::string forced;            // "chain:segment=8192", as in QUADRILLE_ALGORITHM behind
                                 // "bcast:"; empty: the cheapest
  std::optional<Rank> steps_of;  // whose schedule is told
  bool timeline = false;
};

// 8 or 4 of a reduction whose bytes are so many numbers, else 1.
std::uint32_t element_bytes_for(Collective collective, std::uint64_t bytes);

// Errors name what is wrong with the request.
Result<nlohmann::ordered_json> choose(const ChooseRequest& request);

}  // namespace quadrille::plan
