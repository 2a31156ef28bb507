// SPDX-License-Identifier: BSD-3-Clause
// `quadrille-plan table`: what is chosen over operations, sizes and numbers of ranks on one
// network, one JSON object a line as soon as it is known:
//   {"collective", "ranks", "bytes", "name", "algorithm", "time_ns", "library_ns",
//   "library_source",
//    "bound_ns"}
// A call that no candidate can be costed for has name, algorithm and time_ns null. Roots are rank
// 0.
#pragma once

#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "apps/plan/planned_network.h"
#include "base/error.h"

namespace quadrille::plan {

struct TableRequest {
  std::string model;    // path
  Placement placement;  // its ranks: the most
};

// 2, 3 and so on up to `most`; above 16 those between which at least an eighth lies, and `most`.
std::vector<Rank> rank_counts_up_to(Rank most);

// From 1 B to 4 MiB; a barrier has but 0.
std::vector<std::uint64_t> sizes_of(Collective collective);

// REQUIRES: placement.ranks_per_host >= 1.
Result<std::size_t> write_table(const TableRequest& request,
                                const std::function<void(const nlohmann::ordered_json&)>& write);

}  // namespace quadrille::plan
